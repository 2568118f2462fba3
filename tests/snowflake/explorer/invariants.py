"""What has to hold: after each commit, and for each answer that a client gets."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.scenarios import Event
from explorer.state import PLACE, Broken, Planned, Row, Tables

ONE_ROW = "one row for each run and key"
NUMBERS = "the numbers of a run are 1 to n"
COUNTER = "the counter of a run is n"
STAYS = "what is stored stays as it is"
SENT = "nothing is stored that nobody sent"
ARCHIVED = "an archived run takes no event"
ALERTS = "each conflict is counted in one alert"
ACKNOWLEDGED = "what is acknowledged is stored, at the place that was told"
REFUSED = "nothing is refused without a reason"
ENDS = "everything comes to an end"


def log_of(tables: Tables) -> tuple[Row, ...]:
    """Return every stored event, in the log or in the archive."""
    return tables[PLACE["RUN_EVENTS"]] + tables[PLACE["RUN_EVENTS_ARCHIVE"]]


def broken_by_tables(before: Tables, after: Tables, sent: set[Row], has_counters: bool) -> Broken | None:
    """Return what a commit breaks that led from one version of the tables to the next."""
    log = log_of(after)
    names = [(row[0], row[2]) for row in log]
    for run, key in names:
        if names.count((run, key)) > 1:
            return Broken(ONE_ROW, f"{run}.{key} is stored {names.count((run, key))} times")
    counters = after[PLACE["RUN_COUNTERS"]]
    for run in sorted({str(row[0]) for row in (*log, *counters)}):
        numbers = sorted(int(str(row[1])) for row in log if row[0] == run)
        if numbers != list(range(1, len(numbers) + 1)):
            return Broken(NUMBERS, f"{run} has {numbers}")
        ends = [row[1] for row in counters if row[0] == run]
        if has_counters and ends != [len(numbers)]:
            return Broken(COUNTER, f"{run} has {len(numbers)} events, and counters {ends}")
    lost = set(log_of(before)) - set(log)
    if lost:
        return Broken(STAYS, f"gone or changed: {_listed(lost)}")
    unknown = {row for row in log if (row[0], row[2], row[3], row[4]) not in sent}
    if unknown:
        return Broken(SENT, _listed(unknown))
    for run, _, archived_at in counters:
        if archived_at is not None and any(row[0] == run for row in after[PLACE["RUN_EVENTS"]]):
            return Broken(ARCHIVED, f"{run} is archived, and has events in the log")
    alerts = [row[:3] for row in after[PLACE["ALERTS"]]]
    if len(alerts) != len(set(alerts)):
        return Broken(ALERTS, f"two alerts for the same: {_listed(after[PLACE['ALERTS']])}")
    return None


def broken_by_alerts(before: Tables, after: Tables, plan: Iterable[Planned]) -> Broken | None:
    """Return whether a commit counts other conflicts than those of its plan."""
    expected = sum(planned.differs for planned in plan)
    counted = _counted(after) - _counted(before)
    return None if counted == expected else Broken(ALERTS, f"{expected} in the plan, {counted} in the alerts")


def _counted(tables: Tables) -> int:
    return sum(int(str(row[3])) for row in tables[PLACE["ALERTS"]])


def broken_by_answer(tables: Tables, events: tuple[Event, ...], plan: object) -> Broken | None:
    """Return what is wrong with the answer to a call."""
    if not isinstance(plan, tuple) or len(plan) != len(events):
        return Broken(ACKNOWLEDGED, f"the answer has no place for {len(events)} events")
    for event, planned in zip(events, plan, strict=True):
        told = plan[planned.first]
        stored = [row for row in log_of(tables) if (row[0], row[2]) == (event.run, event.key)]
        if not stored:
            return Broken(ACKNOWLEDGED, f"{event.run}.{event.key} is not stored")
        if (stored[0][1], stored[0][3]) != (told.seq, told.event_id):
            where = f"stored as {stored[0][1]} from {stored[0][3]}"
            return Broken(ACKNOWLEDGED, f"{event.run}.{event.key} is told as {told.seq} from {told.event_id}, {where}")
        if planned.is_new and stored[0][3] != event.event_id:
            return Broken(ACKNOWLEDGED, f"{event.run}.{event.key} is told to be new, and is another's")
    return None


def broken_by_refusal(tables: Tables, events: tuple[Event, ...], code: str) -> Broken | None:
    """Return whether a call is refused without a reason: here the one reason is a new event for an archived run."""
    archived = {row[0] for row in tables[PLACE["RUN_COUNTERS"]] if row[2] is not None}
    stored = {(row[0], row[2]) for row in log_of(tables)}
    if any(event.run in archived and (event.run, event.key) not in stored for event in events):
        return None
    return Broken(REFUSED, f"{', '.join(f'{event.run}.{event.key}' for event in events)}: {code}")


def _listed(rows: Iterable[Row]) -> str:
    return "; ".join(sorted(" ".join(str(value) for value in row) for row in rows))
