"""What the store knows: runs, show, tail."""

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from runstore import RunEventRecord, RunStore
from runstore._commands.common import (
    CommandError,
    Commands,
    add_json,
    columns,
    compact,
    count,
    instant,
    json_line,
    padded,
    parsed,
    positive,
    print_table,
    printable,
    took,
    width,
)
from runstore._commands.remote import add_dsn, open_store

_PAGE = 1000


def add(commands: Commands) -> None:
    """Add the commands."""
    listing = commands.add_parser(
        "runs",
        help="list runs, the newest first",
        description="List runs as far as they have been projected, the newest first.",
    )
    add_dsn(listing, "the role runstore_reader")
    listing.add_argument("--tenant", help="only runs of this tenant")
    listing.add_argument("--status", help="only runs of this status, for example RUNNING")
    listing.add_argument("--limit", type=positive, default=20, metavar="N", help="how many (default: 20)")
    add_json(listing, "an object per run")
    listing.set_defaults(run=_runs)

    showing = commands.add_parser(
        "show",
        help="show a run: its steps and a timeline",
        description="Show a run as its snapshot has it, or, where there is none yet, as its log adds up.",
    )
    showing.add_argument("run_id", metavar="RUN", help="the run")
    add_dsn(showing, "the role runstore_reader")
    showing.add_argument("--at", type=positive, metavar="SEQ", help="the run as it was after this event")
    add_json(showing, "the snapshot")
    showing.set_defaults(run=_show)

    tailing = commands.add_parser(
        "tail",
        help="print a run's events, and wait for more",
        description="Print a run's events in order, and wait for more until interrupted. The run need not exist yet.",
    )
    tailing.add_argument("run_id", metavar="RUN", help="the run")
    add_dsn(tailing, "the role runstore_reader")
    tailing.add_argument("--after", type=_watermark, default=0, metavar="N", help="start after event N (default: 0)")
    tailing.add_argument("--no-follow", action="store_true", help="stop at the end of what is there")
    add_json(tailing, "an object per event")
    tailing.set_defaults(run=_tail)


def _watermark(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def _runs(options: argparse.Namespace) -> None:
    with open_store(options) as store:
        page = min(options.limit, _PAGE)
        found = list(islice(store.list_runs(options.tenant, options.status, limit=page), options.limit))
    if options.json:
        for run in found:
            print(json_line(run))
        return
    if not found:
        print("no runs (a run is listed when it has been projected: is a worker running?)")
        return
    print_table(
        ("run", "status", "events", "begun", "took", "tenant", "project", "environment", ""),
        [
            (
                run.run_id,
                run.status,
                run.last_event_seq,
                instant(run.begun_at),
                took(_seconds(run.started_at, run.completed_at)),
                run.tenant_id,
                run.project_id,
                run.environment_id,
                _flags(run.consistency, run.stale),
            )
            for run in found
        ],
    )


def _tail(options: argparse.Namespace) -> None:
    with open_store(options) as store:
        last = options.after
        for event in store.follow(options.run_id, last, timeout=0):
            _print_event(event, options)
            last = event.run_seq
        if last == 0:
            if options.no_follow:
                raise CommandError(f"there is no run {printable(options.run_id)}")
            print(f"runstore: run {printable(options.run_id)} has no events yet; waiting", file=sys.stderr)
        if not options.no_follow:
            for event in store.follow(options.run_id, last):
                _print_event(event, options)


def _print_event(event: RunEventRecord, options: argparse.Namespace) -> None:
    if options.json:
        print(json_line(event), flush=True)
        return
    step = printable(event.step_id or "-")
    attempt = "" if event.logical_attempt_id == 1 else f" #{event.logical_attempt_id}"
    payload = "" if event.payload is None else f"  {compact(event.payload)}"
    kind = printable(event.event_type)
    print(f"{event.run_seq:6}  {instant(event.persisted_at)}  {kind:16}  {step}{attempt}{payload}", flush=True)


def _show(options: argparse.Namespace) -> None:
    with open_store(options) as store:
        snapshot, note = _snapshot(store, options)
    if options.json:
        print(json.dumps(snapshot))
        return
    _print_run(snapshot, note)
    steps = snapshot["steps"]
    if steps:
        print()
        _print_steps(steps)
        print()
        for line in _timeline(snapshot):
            print(line)
    if snapshot["artifacts"]:
        print("\nartifacts")
        for artifact in snapshot["artifacts"]:
            print(f"  {printable(artifact['kind'])}  {printable(artifact['uri'])}")


def _snapshot(store: RunStore, options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    if options.at is not None:
        return store.replay_snapshot(options.run_id, options.at), ", as it was then"
    stored = store.get_snapshot(options.run_id)
    if stored is not None:
        return stored, ""
    return store.replay_snapshot(options.run_id), ", from the log: no snapshot is stored yet"


def _print_run(snapshot: dict[str, Any], note: str) -> None:
    flags = _flags(snapshot["consistency"], snapshot.get("stale", False))
    failed = snapshot["failedSteps"]
    known = {
        "run": snapshot["runId"],
        "status": snapshot["status"] + (f" ({flags})" if flags else ""),
        "events": f"{snapshot['lastEventSeq']}{note}",
        "of": f"{snapshot['tenantId']} / {snapshot['projectId']} / {snapshot['environmentId']}",
        "started": instant(snapshot.get("startedAt")),
        "completed": instant(snapshot.get("completedAt")),
        "took": took(snapshot["totalDurationMs"] / 1000) if "totalDurationMs" in snapshot else "-",
        "failed": count(failed, "step") if failed else None,
        "error": compact(snapshot["error"]) if "error" in snapshot else None,
        "engine": compact(snapshot["engineRunRef"]) if "engineRunRef" in snapshot else None,
    }
    for name, value in known.items():
        if value is not None:
            print(f"{name:9}  {printable(value)}")


def _print_steps(steps: list[dict[str, Any]]) -> None:
    print_table(
        ("step", "status", "attempt", "started", "took", ""),
        [
            (
                step["stepId"],
                step["status"],
                step["logicalAttemptId"],
                instant(step.get("startedAt")),
                took(_seconds(*_span(step))),
                _why(step),
            )
            for step in steps
        ],
    )


def _timeline(snapshot: dict[str, Any]) -> Iterator[str]:
    """Draw each step as a bar from its start to its end; a step that runs is drawn up to the last time known."""
    spans = [_span(step) for step in snapshot["steps"]]
    times = [at for span in [*spans, _span(snapshot)] for at in span if at is not None]
    if not times:
        return
    first, last = min(times), max(times)
    names = [printable(step["stepId"]) for step in snapshot["steps"]]
    label = max(width(name) for name in [*names, "timeline"])
    room = max(20, min(columns() - label - 4, 60))
    whole = max((last - first).total_seconds(), 1e-6)
    full, open_ended = ("█", "░") if (sys.stdout.encoding or "").lower().startswith("utf") else ("#", ".")

    def column(at: datetime) -> int:
        return min(int((at - first).total_seconds() / whole * room), room - 1)

    yield f"{padded('timeline', label)}  {took((last - first).total_seconds())} from {instant(first)}"
    for name, (start, end) in zip(names, spans, strict=True):
        begin, stop = start or end, end or last
        bar = ""
        if begin is not None:
            left, right = sorted((column(begin), column(stop)))
            bar = " " * left + (full if end else open_ended) * (right - left + 1)
        yield f"{padded(name, label)}  |{bar:{room}}|"


def _span(thing: dict[str, Any]) -> tuple[datetime | None, datetime | None]:
    start, end = thing.get("startedAt"), thing.get("completedAt")
    return parsed(start) if start else None, parsed(end) if end else None


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return max((end - start).total_seconds(), 0) if start and end else None


def _why(step: dict[str, Any]) -> str:
    found = step.get("error", step.get("reason"))
    if found is None:
        return ""
    return found if isinstance(found, str) else compact(found)


def _flags(consistency: str, stale: bool) -> str:
    return ", ".join([*(["INCONSISTENT"] if consistency != "CONSISTENT" else []), *(["stale"] if stale else [])])
