"""Sequences that lack a guard: naive ones, and the shipped one with a line taken out."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from explorer.catalog import Catalog

NAIVE = Path(__file__).parent / "naive"


@functools.cache
def weakened() -> dict[str, Catalog]:
    """Return the stores that have them, by name."""
    store = Catalog.shipped().texts["STORE_EVENTS"]
    count = r" *IF \(COALESCE\(V_{}, -1\) <> V_{}\) THEN\n *CALL REFUSE_RACE\(\);\n *END IF;\n"
    moved, stored = count.format("MOVED_RUNS", "NEW_RUNS"), count.format("STORED_EVENTS", "NEW_EVENTS")
    lock = r" *CALL LOCK_RUNS\(:V_EVENTS\);\n"
    merging = (NAIVE / "merge_without_lock.sql").read_text()
    texts = {
        "the greatest number plus one": (NAIVE / "greatest_plus_one.sql").read_text(),
        "MERGE without a lock": merging,
        "MERGE over what is there": _edited(
            merging,
            r"(ON T.RUN_ID = S.RUN_ID AND .*\n)",
            r"\1        WHEN MATCHED THEN UPDATE SET EVENT_ID = S.EVENT_ID\n",
        ),
        "MERGE with columns mixed up": _edited(merging, r"S\.EVENT_ID, S\.EVENT_TYPE", "S.EVENT_TYPE, S.EVENT_ID"),
        "no lock": _edited(store, lock),
        "the lock after the plan": _edited(
            _edited(store, lock),
            r"\n( *IF \(V_REFUSED_AT IS NOT NULL\) THEN)",
            r"\n        CALL LOCK_RUNS(:V_EVENTS);\n\n\1",
        ),
        "the counter moves from any value": _edited(store, r"AND T\.LAST_SEQ = S\.SEEN_SEQ "),
        "the counter of an archived run moves": _edited(store, r" AND T\.ARCHIVED_AT IS NULL"),
        "the counters are not counted": _edited(store, moved),
        "the events are not counted": _edited(store, stored),
        "nothing is counted": _edited(_edited(store, moved), stored),
        "the handler does not raise": _edited(store, r"(ROLLBACK;\n) *RAISE;\n", r"\1"),
        "the handler does not roll back": _edited(store, r" *ROLLBACK;\n( *RAISE;\n)", r"\1"),
        "no COMMIT": _edited(store, r" *COMMIT;\n"),
        "the archive is not probed": _edited(
            store, r"(CAUSED_BY_SIGNAL_ID\n *\) AS CONTENT\n *FROM )LOGGED_EVENTS", r"\1RUN_EVENTS"
        ),
    }
    found = {
        f"{name}, {variant}": Catalog.shipped(variant, STORE_EVENTS=text)
        for variant in ("standard", "hybrid")
        for name, text in texts.items()
    }
    alert = Catalog.shipped().texts["ALERT_CONFLICTS"]
    counted_once = _edited(alert, r"COUNT = T\.COUNT \+ S\.OCCURRENCES", "COUNT = S.OCCURRENCES")
    on_counters = Catalog.shipped("hybrid", LOCK_RUNS=(NAIVE / "lock_counters.sql").read_text())
    return {
        **found,
        "alerts count the last conflict only, standard": Catalog.shipped(ALERT_CONFLICTS=counted_once),
        "the counter is the lock, hybrid": on_counters,
    }


def _edited(text: str, pattern: str, replacement: str = "") -> str:
    edited, count = re.subn(pattern, replacement, text)
    if count != 1:
        raise ValueError(f"{count} places for {pattern}")
    return edited
