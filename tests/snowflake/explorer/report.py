"""Verdicts over all scenarios, and the tables that the documents show."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from explorer.catalog import Catalog
from explorer.machine import Machine
from explorer.program import Program
from explorer.reader import read_procedure
from explorer.rules import ANYTHING, DOCUMENTED, Rules, combinations, departing
from explorer.scenarios import ARCHIVER, BESIDE_THE_ARCHIVER, SCENARIOS, Scenario
from explorer.search import Counterexample, explore
from explorer.weakened import weakened

VARIANTS = ("standard", "hybrid")

SINGLE = {
    "": "as documented",
    "a": "a: a statement that waited goes by what it saw before it waited",
    "b": "b: a statement that changes no row locks nothing",
    "c": "c: a MERGE that only inserts locks nothing",
    "d": "d: a SELECT may miss what other sessions committed",
    "g": "g: a lock covers only the rows that are changed",
}


@dataclass(frozen=True)
class Verdict:
    """What came of the scenarios under one rule set; each scenario that breaks something with how it does."""

    states: int
    most_inside: int
    errors: Counter[str]
    broken: tuple[tuple[str, Counterexample], ...]


@functools.cache
def shipped(variant: str) -> Catalog:
    """Return the store as it ships in a variant."""
    return Catalog.shipped(variant)


@functools.lru_cache(maxsize=64)
def program_of(catalog: Catalog, procedure: str = "STORE_EVENTS") -> Program:
    """Return a procedure of a store."""
    return read_procedure(catalog, procedure)


def judge(store: Catalog, rules: Rules, clients: int, scenarios: Iterable[Scenario] = ()) -> Verdict:
    """Explore the scenarios, all of them unless some are named, with this many clients."""
    verdict = Verdict(0, 0, Counter(), ())
    append = program_of(store)
    for scenario in tuple(scenarios) or SCENARIOS + BESIDE_THE_ARCHIVER:
        archive = program_of(store, "ARCHIVE_RUNS") if ARCHIVER in scenario.clients else None
        result = explore(Machine(scenario.of(clients), rules, append, archive))
        found = () if result.found is None else ((scenario.name, result.found),)
        verdict = Verdict(
            verdict.states + result.states,
            max(verdict.most_inside, result.most_inside),
            verdict.errors + result.errors,
            verdict.broken + found,
        )
    return verdict


def with_faults(rules: Rules) -> Rules:
    """Return the rules with a client that dies and with waits that fail (e and f)."""
    return replace(rules, deaths=1, waits_fail=True)


def shipped_table(clients: tuple[int, ...] = (2, 3), scenarios: Iterable[Scenario] = ()) -> Iterator[str]:
    """Show how many states each rule set leads to, with the shipped sequences, and whether all invariants hold."""
    chosen = tuple(scenarios)
    rows: list[tuple[str, Callable[[], Iterable[Rules]], tuple[int, ...]]] = [
        (name, lambda letters=letters: [departing(letters)], clients)  # type: ignore[misc]
        for letters, name in SINGLE.items()
    ]
    rows += [
        ("every combination of a, b, c, d, g", lambda: map(departing, combinations()), clients),
        ("any of them, differently each time", lambda: [ANYTHING], clients),
        ("as documented, a client dies (e), waits fail (f)", lambda: [with_faults(DOCUMENTED)], clients),
        ("any of them, a client dies, waits fail", lambda: [with_faults(ANYTHING)], clients[:1]),
    ]
    cells = [f"{variant} tables, {count} sessions" for variant in VARIANTS for count in clients]
    yield _row("rules", *cells)
    yield _row(*["---"] * (1 + len(cells)))
    for name, rule_sets, explored in rows:
        yield _row(
            name,
            *(
                _cell([judge(shipped(variant), rules, count, chosen) for rules in rule_sets()])
                if count in explored
                else ""
                for variant in VARIANTS
                for count in clients
            ),
        )


def weakened_table() -> Iterator[str]:
    """Show under which rules each sequence that lacks something breaks, with two sessions, and what it breaks."""
    yield _row("sequence", "breaks", "what")
    yield _row("---", "---", "---")
    for name, store in weakened().items():
        broken = {
            letters: {found.invariant for _, found in judge(store, departing(letters), 2).broken} for letters in SINGLE
        }
        letters = [letter for letter, what in broken.items() if what]
        when = "as documented" if "" in letters else f"under {', '.join(letters)}" if letters else "under none of them"
        what = broken[""] or set().union(*broken.values())
        yield _row(name, when, "; ".join(sorted(what)) or "nothing: the other guards are enough")


def _cell(verdicts: list[Verdict]) -> str:
    states = sum(verdict.states for verdict in verdicts)
    broken = sorted({found.invariant for verdict in verdicts for _, found in verdict.broken})
    return f"{states:,} states, {'breaks: ' + '; '.join(broken) if broken else 'holds'}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
