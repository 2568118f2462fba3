"""Every case of the append rules holds on Snowflake as it does on PostgreSQL, word for word."""

from collections.abc import Iterator

import pytest
from append_rules import Case, expected, load, observed, shown
from bench_stores import BenchStore, fresh_store

RULES = load()


def _in_turn(shift: int) -> list[tuple[Case, str]]:
    """Return each case in one of its forms: all three take their turns, and begin elsewhere with another shift."""
    return [(case, case.forms()[(number + shift) % len(case.forms())]) for number, case in enumerate(RULES.cases)]


# The forms end in the same procedure, and the variants share all but the lock and two tables. The live suite, which
# runs on the bench too, has the turns that are left. An event that is refused by itself touches no table of either.
STANDARD = _in_turn(1)
HYBRID = [(case, form) for case, form in _in_turn(2) if any("answers" in call.told for call in case.calls)]


@pytest.fixture(scope="module")
def hybrid() -> Iterator[BenchStore]:
    """A store on hybrid tables, which all cases share: each has runs of its own."""
    with fresh_store("hybrid") as store:
        yield store


@pytest.mark.parametrize(("case", "form"), STANDARD, ids=[f"{case.name}-{form}" for case, form in STANDARD])
def test_a_case_holds_on_standard_tables(shared: BenchStore, case: Case, form: str) -> None:
    assert shown(observed(RULES, shared, case, form)) == shown(expected(case, form))


@pytest.mark.parametrize(("case", "form"), HYBRID, ids=[f"{case.name}-{form}" for case, form in HYBRID])
def test_a_case_holds_on_hybrid_tables(hybrid: BenchStore, case: Case, form: str) -> None:
    assert shown(observed(RULES, hybrid, case, form)) == shown(expected(case, form))
