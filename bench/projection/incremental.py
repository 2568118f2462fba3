"""What it costs to project one more event, in runs of any length.

One session appends an event, another calls project_pending(1): for a short run, then for longer ones, and so on in
turns. Each length has a projecting session of its own, whose CPU time is the figure. Nothing waits for a flush.
"""

import time
from dataclasses import dataclass, field

from backend import can_be_measured, cpu_us
from event import EMITTED_AT, FIELDS
from lab import Connection, Lab
from progress import Progress
from projection import runs
from projection.results import CALL_US, Comparison, Part
from projection.runs import OPEN, Run
from projection.scale import Scale

PART = "incremental"

_DATABASE = "bench_incremental"
_WARM_UP = 20
_FLAT = 2.0

_APPEND = """
select runstore.append_event(
    %(run)s, %(type)s, %(emitted_at)s, %(tenant)s, %(project)s, %(environment)s, %(plan)s, %(plan_version)s,
    p_step_id => %(new_step)s, p_payload => %(payload)s::jsonb, p_adapter_version => %(adapter)s
)
"""


@dataclass
class Subject:
    """A run, the session that projects it, and what was measured of it."""

    run: Run
    session: Connection
    appended: int = 0
    cpu: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)


def plan(scale: Scale) -> float:
    """Return about how many seconds this takes."""
    return runs.store_seconds(_runs(scale), scale.others) + scale.rounds * _round_seconds(scale)


def measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    """Append to all runs in turns, and project after every event."""
    measured = _runs(scale)
    progress.step("incremental: storing runs", runs.store_seconds(measured, scale.others))
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        runs.store(connection, measured, scale.others)
    subjects = [Subject(run, lab.connect(_DATABASE, synchronous_commit="off")) for run in measured]
    with lab.connect(_DATABASE, synchronous_commit="off") as appending:
        for _ in range(_WARM_UP):
            for subject in subjects:
                _one_event(appending, subject)
        for number in range(scale.rounds):
            progress.step(f"incremental: round {number + 1} of {scale.rounds}", _round_seconds(scale))
            _round(appending, subjects, scale.appends)
    for subject in subjects:
        subject.session.close()
    with lab.connect(_DATABASE) as connection:
        runs.check_snapshots(connection, len(subjects))
    lab.drop(_DATABASE)
    return Part(PART, [*_comparisons(subjects, "server CPU"), *_comparisons(subjects, "time")])


def _runs(scale: Scale) -> list[Run]:
    return [Run(number, OPEN, events) for number, events in enumerate(scale.calls, start=1)]


def _round(appending: Connection, subjects: list[Subject], appends: int) -> None:
    before = [_cpu(subject) for subject in subjects]
    seconds = [0.0 for _ in subjects]
    for _ in range(appends):
        for position, subject in enumerate(subjects):
            seconds[position] += _one_event(appending, subject)
    for subject, used, taken in zip(subjects, before, seconds, strict=True):
        subject.cpu.append((_cpu(subject) - used) / appends)
        subject.clock.append(taken * 1_000_000 / appends)


def _one_event(appending: Connection, subject: Subject) -> float:
    """Append the next event of the run, project it and return how many seconds the projection took."""
    number = subject.run.events + 1 + subject.appended
    event_type = "StepStarted" if number % 2 == 0 else "StepCompleted"
    values = {
        **FIELDS,
        "run": subject.run.id,
        "type": event_type,
        "emitted_at": EMITTED_AT,
        "new_step": f"model.step_{number // 2}",
    }
    appending.execute(_APPEND, values)
    subject.appended += 1
    began = time.perf_counter()
    row = subject.session.execute("select runstore.project_pending(1)").fetchone()
    taken = time.perf_counter() - began
    if row != (1,):
        raise RuntimeError(f"one run was due, and project_pending(1) answers {row}")
    return taken


def _cpu(subject: Subject) -> float:
    return cpu_us(subject.session) if can_be_measured() else 0.0


def _comparisons(subjects: list[Subject], what: str) -> list[Comparison]:
    is_cpu = what == "server CPU"
    if is_cpu and not can_be_measured():
        return []
    shortest = subjects[0]
    return [
        Comparison(
            name=f"{what}, a run of {subject.run.events:,} events",
            base_name=f"a run of {shortest.run.events:,} events",
            own_name=f"a run of {subject.run.events:,} events",
            unit=CALL_US,
            base=shortest.cpu if is_cpu else shortest.clock,
            own=subject.cpu if is_cpu else subject.clock,
            at_most=_FLAT if is_cpu or not can_be_measured() else None,
            series=what,
            events=subject.run.events,
        )
        for subject in subjects[1:]
    ]


def _round_seconds(scale: Scale) -> float:
    return len(scale.calls) * scale.appends * 0.005
