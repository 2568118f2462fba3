"""What docs/snowflake.md says is so: its calls run as printed, and its lists are those of the code."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.adaptations import ADAPTATIONS, RUNNER

from bench import Bench

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "snowflake.md").read_text()
BLOCKS = re.findall(r"^```snowflake\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def store() -> Iterator[Bench]:
    with Bench.deployed() as bench:
        yield bench


def test_the_calls_run_as_printed(store: Bench) -> None:
    assert len(BLOCKS) >= 3
    for block in BLOCKS:
        store.script(block)
    ((snapshot,),) = store.execute("CALL GET_SNAPSHOT('run-1')")
    assert '"lastEventSeq":3' in snapshot


def test_the_adaptations_of_the_bench_are_those_that_are_listed() -> None:
    known = {**RUNNER, **{adaptation.name: adaptation.why for adaptation in ADAPTATIONS}}
    assert _table("adaptation") == {f"`{name}`": why for name, why in known.items()}


def test_the_errors_are_those_of_the_store(store: Bench) -> None:
    rows = store.execute("SELECT EXCEPTION_NUMBER, CODE, NAME FROM ERROR_CODES ORDER BY EXCEPTION_NUMBER DESC")
    listed = re.findall(r"^\| (-200\d\d) \| (\w+) \| ([A-Z_]+)", PAGE, re.MULTILINE)
    assert listed == [(str(number), code, name) for number, code, name in rows]


def _table(heading: str) -> dict[str, str]:
    """Return the first two columns of the table whose first column has this heading."""
    rows = PAGE.split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [re.split(r"(?<!\\)\|", row)[1:3] for row in rows]
    return {name.strip(): text.strip().replace("\\|", "|") for name, text in cells}
