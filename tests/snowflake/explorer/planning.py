"""What the two large SELECTs find: the plan of an append, and the runs that can be archived."""

from __future__ import annotations

from explorer.program import Look
from explorer.scenarios import Call
from explorer.state import PLACE, Chosen, Planned, Row, Tables

Meant = dict[str, object]


def planned(look: Look, events: Call, seen: Tables) -> tuple[Meant, str]:
    """Return the plan for events by the tables as they are seen: known ones where they are, new ones behind the end."""
    plan: list[Planned] = []
    refused: list[int] = []
    first_of: dict[tuple[str, str], int] = {}
    new_of: dict[str, int] = {}
    for event in events:
        name = (event.run, event.key)
        first = first_of.setdefault(name, event.place)
        stored = _stored(look, seen, *name)
        is_new = stored is None and first == event.place
        end, is_archived = _end_of(look, seen, event.run)
        new_of[event.run] = new_of.get(event.run, 0) + is_new
        if stored is None:
            seq, event_id, known_type = end + new_of[event.run], event.event_id, events[first].event_type
        else:
            seq, event_id, known_type = _number(stored[1]), str(stored[3]), str(stored[4])
        differs = not is_new and known_type != event.event_type
        plan.append(Planned(event.place, first, event.run, event.key, event_id, seq, end, is_new, differs))
        if is_new and is_archived and look.refuses_archived:
            refused.append(event.place)
    new = [each for each in plan if each.is_new]
    meant: Meant = {
        "plan": tuple(plan),
        "first refused": min(refused, default=None),
        "new events": len(new),
        "new runs": len({each.run for each in new}),
        "conflicts": sum(each.differs for each in plan),
    }
    places = (f"{each.run}.{each.key} {'as' if each.is_new else 'known as'} {each.seq}" for each in plan)
    return meant, f"{'refuses' if refused else 'plans'} {', '.join(places)}"


def _stored(look: Look, seen: Tables, run: str, key: str) -> Row | None:
    rows = [row for table in look.known for row in seen[PLACE[table]] if (row[0], row[2]) == (run, key)]
    return min(rows, key=lambda row: _number(row[1]), default=None)


def _end_of(look: Look, seen: Tables, run: str) -> tuple[int, bool]:
    """Return where the log of a run ends, and whether it is archived."""
    rows = [row for table in look.ends for row in seen[PLACE[table]] if row[0] == run]
    is_archived = not look.ends_are_counted and any(row[2] is not None for row in rows)
    return max((_number(row[1]) for row in rows), default=0), is_archived


def chosen(seen: Tables) -> tuple[Meant, str]:
    """Return the runs that can be archived: any whose log is as long as its counter says."""
    runs = [
        (str(run), _number(last_seq))
        for run, last_seq, archived_at in seen[PLACE["RUN_COUNTERS"]]
        if archived_at is None and last_seq and sum(row[0] == run for row in seen[PLACE["RUN_EVENTS"]]) == last_seq
    ]
    array = tuple(Chosen(place, run, last_seq) for place, (run, last_seq) in enumerate(runs))
    meant: Meant = {
        "runs": array,
        "size of runs": len(array),
        "events of runs": sum(each.last_seq for each in array),
    }
    return meant, "chooses " + (", ".join(f"{run} up to {last_seq}" for run, last_seq in runs) or "nothing")


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
