"""Who waits for whom."""

from __future__ import annotations

from collections.abc import Callable

from explorer.program import TABLES
from explorer.state import Lock, State


def conflict(some: frozenset[Lock], others: frozenset[Lock]) -> bool:
    """Return whether two sessions cannot both hold these: the same rows, or a table and anything in it."""
    return any(
        one[0] == other[0] and (one[1] is None or other[1] is None or one[1] == other[1])
        for one in some
        for other in others
    )


def are_free(state: State, place: int, locks: frozenset[Lock]) -> bool:
    """Return whether a session can have these locks now. Sessions that are gone may still hold some."""
    return not locks or not (
        holders(state, place, locks) or any(conflict(locks, abandoned) for abandoned in state.abandoned)
    )


def holders(state: State, place: int, locks: frozenset[Lock]) -> set[int]:
    """Return the other sessions that hold what a session would have."""
    return {
        other
        for other, session in enumerate(state.sessions)
        if other != place and session.locks and conflict(locks, session.locks)
    }


def is_deadlocked(place: int, waits_for: Callable[[int], set[int]]) -> bool:
    """Return whether a session waits for one that waits for it, over any number of others."""
    reached: set[int] = set()
    pending = [place]
    while pending:
        for other in waits_for(pending.pop()):
            if other == place:
                return True
            if other not in reached:
                reached.add(other)
                pending.append(other)
    return False


def shown(locks: frozenset[Lock]) -> str:
    """Return the names of the tables that the locks are on."""
    return ", ".join(sorted({TABLES[table] for table, _ in locks}))
