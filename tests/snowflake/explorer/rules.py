"""How Snowflake may behave where its documentation says one thing, or nothing.

A rule set names for every doubtful point what may happen; where it names two things, either may happen at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product


@dataclass(frozen=True)
class Rules:
    """What may happen at each doubtful point, and what else befalls the sessions.

    `waited`: an UPDATE, DELETE or MERGE looks again when it has its lock ("re-reads"), or goes by what it saw when
    it began, and writes the columns that it sets ("keeps") or its rows as a whole ("overwrites"). `nothing`: one
    that changes no row takes a "lock" or "none". `insert`: a MERGE that only inserts takes a "lock" or "none".
    `look`: a SELECT sees the "newest" commit, or may miss the last ones that other sessions made ("older").
    `covers`: a lock is on the "table", or on the "rows" that are changed. Up to `deaths` clients die: the session
    of one is rolled back, at once or late, or its call goes on without anybody to answer to, and the call is sent
    again over another session. With `waits_fail`, whoever waits for a lock may get an error instead.
    """

    waited: tuple[str, ...] = ("re-reads",)
    nothing: tuple[str, ...] = ("lock",)
    insert: tuple[str, ...] = ("lock",)
    look: str = "newest"
    covers: str = "table"
    deaths: int = 0
    waits_fail: bool = False


DOCUMENTED = Rules()

# Each doubtful point by its letter, and how it departs from what is documented.
DOUBTS: dict[str, dict[str, tuple[str, ...] | str]] = {
    "a": {"waited": ("keeps", "overwrites")},
    "b": {"nothing": ("none",)},
    "c": {"insert": ("none",)},
    "d": {"look": "older"},
    "g": {"covers": "rows"},
}

# Every doubtful point at once, and each time as it may be.
ANYTHING = Rules(
    waited=("re-reads", "keeps", "overwrites"),
    nothing=("lock", "none"),
    insert=("lock", "none"),
    look="older",
    covers="rows",
)


def departing(letters: str, base: Rules = DOCUMENTED) -> Rules:
    """Return the rules with the doubtful points of these letters the other way."""
    for letter in letters:
        base = replace(base, **DOUBTS[letter])  # type: ignore[arg-type]
    return base


def combinations() -> Iterator[str]:
    """Name every combination of the doubtful points, by letters; the first is empty."""
    for choice in product((False, True), repeat=len(DOUBTS)):
        yield "".join(letter for letter, is_chosen in zip(DOUBTS, choice, strict=True) if is_chosen)
