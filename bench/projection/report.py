"""The report: results/projection.md, written from what the JSON holds."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from projection.results import BYTES, CALL_US, EVENT_US, MS, Comparison, Figure, Part
from report import spread

INTRODUCTION = """\
# Snapshots: results

What it costs to fold a run's log into its snapshot, to keep snapshots up to date while events arrive, and what appends
feel of it. A ratio is what runstore takes as a multiple of what it is compared with, measured in turns on the same
server: below 1 is less. Of throughput, it is the share that is left.
"""

METHOD = """\
## Method

- The server is PostgreSQL as it ships, except `shared_buffers = 1GB`, and `max_wal_size = 16GB` and
  `checkpoint_timeout = 1h` so that no checkpoint falls into a measurement. `work_mem` is as shipped, autovacuum is on.
  The full fold is measured with `jit = off`, on both sides.
- Every store holds 5,000 short runs (in a full run) besides what is measured, projected and analysed.
- Every event carries the same payload of 158 characters (exit code, duration, rows, one artifact reference) and a run
  id of 36 characters. Runs that are long to begin with are written in bulk, as appending would leave them.
- A *wide* run has two events per step: `RunStarted`, then `StepStarted` and `StepCompleted` of one step after the
  other, `RunCompleted`. A *deep* run has a step for every 20 events, 1,000 at most; every tenth event is a signal or of
  the engine's own, the others are retries: each logical attempt starts and fails (with an error in its payload), the
  last one completes.
- The tables show medians of the rounds and the ratio of these medians; the range is that of the rounds' own ratios.
  Every round measures all sides right after one another, in an order that turns round every time: the fold, one more
  event and reading call by call, the others by windows of seconds. Targets are judged by the ratio of the medians.
- The fold and what it is compared with are PL/pgSQL functions with a generic plan that time themselves in the server;
  the rows of the fold and of the group by are kept in a materialised query, as the projector keeps them, so that no
  column is left out. `fold` includes finding out how far the log can be folded. `jsonb_agg` aggregates the columns that
  the fold reads (run_seq, event_type, step_id, logical_attempt_id, engine_attempt_id, emitted_at, payload,
  engine_run_ref) as rows, ordered by run_seq. The group by takes the least and greatest run_seq, emitted_at and
  engine_attempt_id per step and logical attempt. `replay_snapshot` folds and builds the JSON, `resync_run` folds,
  stores and builds the JSON.
- Linear means that the time per event grows by no more than one sort makes it grow: n log n from 10,000 to 100,000
  events is 1.25.
- Loads come from pgbench with prepared statements over a unix socket, on the same machine as the server: 8 clients with
  50 open runs each, 22 events per run. At a fixed rate pgbench sends along a schedule (intervals drawn at random, 1,000
  per second on average) and counts latency from the scheduled time, so that a wait is not hidden by sending less; the
  first second of a window is left out. Appends are durable (`fsync` and `synchronous_commit` on, as shipped).
- The worker is the command `runstore worker` with its defaults. Without a projector, appends still note that a run has
  work; that is projected before the next window.
- The lag of an event is the time from its `persisted_at` to the commit of the first transaction that wrote a snapshot
  with `lastEventSeq` at or past it. A trigger on the projection notes every step of every snapshot in the projector's
  own transaction, and the server records commit times (`track_commit_timestamp`); so the lag of every single event is
  known, none is sampled, and the cost of the notes is part of it. The rounds are stretches of time; the figure is that
  of all events together.
- What was folded is checked: long runs give the snapshot that they must give, stored snapshots equal the replay of
  their logs, every acknowledged event is there once, and no alert was raised (but of a lag, under saturation).
"""

RERUN = """\
## How to run it again

    make bench-projection                               # everything, about {minutes} minutes; nothing else should run
    .venv/bin/python bench/projection/run.py --quick    # every part with small sizes: shows that it works, not how fast
    .venv/bin/python bench/projection/run.py --only latency,lag

The last form replaces those parts in the results. The raw values of every round are in `projection.json`.
"""

SECTIONS = {
    "fold": (
        "Full fold",
        "The whole log of one run, folded from nothing, as a multiple of `jsonb_agg` of the same rows and of a lean "
        "`group by` of them; then the time per event as a multiple of that in a run a tenth as long.",
    ),
    "incremental": (
        "One more event",
        "`project_pending(1)` after one append, in runs of different lengths, as a multiple of the shortest.",
    ),
    "snapshot": (
        "Reading a snapshot",
        "`get_snapshot` until the client has the answer, and as a floor `select * from run_steps` of the same run.",
    ),
    "latency": (
        "Latency of appends beside the projector",
        "1,000 durable events per second over many runs, with the worker running and without, in alternating windows.",
    ),
    "lag": (
        "Lag of the projector",
        "1,000 durable events per second over many runs, one worker; the lag of every event.",
    ),
    "saturated": (
        "Throughput of appends beside the projector",
        "As many durable events as 8 clients get through.",
    ),
}


def write(path: Path, parts: dict[str, Part], minutes: int) -> None:
    """Write the report."""
    path.write_text("\n".join(_lines(parts, minutes)).rstrip() + "\n")


def verdict(value: float, at_most: float | None) -> str:
    """Say whether a target is met, or by how much it is missed."""
    if at_most is None:
        return ""
    return "met" if value <= at_most else f"missed by {_short(value - at_most)}"


def _lines(parts: dict[str, Part], minutes: int) -> Iterator[str]:
    yield INTRODUCTION
    yield from _machine(parts)
    yield "## Targets\n"
    yield from _targets(parts)
    yield "\n![The fold by the length of the run, one more event, latency, lag and throughput](projection.png)\n"
    yield METHOD
    for name, (title, text) in SECTIONS.items():
        if name in parts:
            yield f"## {title}\n\n{text}\n"
            yield from _comparisons(parts[name].comparisons)
            yield from _figures(parts[name].figures)
    yield RERUN.format(minutes=minutes)


def _machine(parts: dict[str, Part]) -> Iterator[str]:
    said: dict[str, list[str]] = {}
    for name in SECTIONS:
        if name in parts:
            said.setdefault(_describe(parts[name]), []).append(name)
    for text, names in said.items():
        which = "" if len(said) == 1 else f" ({', '.join(names)})"
        flush = spread(parts[name].machine["flush_ms"] for name in names)
        yield f"Measured {text}{which}.\nThere, making 8 kB durable takes {flush} ms.\n"


def _describe(part: Part) -> str:
    machine, scale = part.machine, part.scale
    return (
        f"with PostgreSQL {machine['postgresql']} on {machine['cores']} cores and {machine['memory_gb']} GB of memory, "
        f"beside {scale['others']:,} other runs, in {scale['rounds']} rounds, {scale['windows']} pairs of windows of "
        f"{scale['window_seconds']} s, {scale['lag_seconds']} s of lag and {scale['saturated_rounds']} times "
        f"{scale['saturated_seconds']} s of saturation"
    )


def _targets(parts: dict[str, Part]) -> Iterator[str]:
    yield "| | measured | target | |"
    yield "|---|---:|---:|---|"
    for name, (title, _) in SECTIONS.items():
        if name not in parts:
            continue
        for one in parts[name].comparisons:
            if one.at_most is not None:
                label = f"{title}: {one.name}, of {one.base_name}"
                judged = verdict(one.ratio, one.at_most)
                yield f"| {label} | {one.ratio:.2f} | ≤ {one.at_most:.2f} | {judged} |"
        for figure in parts[name].figures:
            if figure.at_most is not None:
                shown, judged = _absolute(figure.value, figure.unit), verdict(figure.value, figure.at_most)
                yield f"| {title}: {figure.name}, {figure.unit} | {shown} | ≤ {figure.at_most:,.0f} | {judged} |"


def _comparisons(comparisons: list[Comparison]) -> Iterator[str]:
    if not comparisons:
        return
    yield "| | compared with | its figure | runstore | unit | ratio | range | target | |"
    yield "|---|---|---:|---:|---|---:|---:|---:|---|"
    for one in comparisons:
        target = "" if one.at_most is None else f"≤ {one.at_most:.2f}"
        base, own = (_absolute(statistics.median(values), one.unit) for values in (one.base, one.own))
        yield (
            f"| {one.name} | {one.base_name} | {base} | {own} | {one.unit} | **{one.ratio:.2f}** "
            f"| {spread(one.ratios)} | {target} | {verdict(one.ratio, one.at_most)} |"
        )
    yield ""


def _figures(figures: list[Figure]) -> Iterator[str]:
    if not figures:
        return
    yield "| | figure | unit | range of the rounds | target | |"
    yield "|---|---:|---|---:|---:|---|"
    for one in figures:
        target = "" if one.at_most is None else f"≤ {one.at_most:,.0f}"
        low, high = _absolute(min(one.values), one.unit), _absolute(max(one.values), one.unit)
        between = "" if len(one.values) == 1 else f"{low} to {high}"
        shown = _absolute(one.value, one.unit)
        yield f"| {one.name} | **{shown}** | {one.unit} | {between} | {target} | {verdict(one.value, one.at_most)} |"
    yield ""


def _absolute(value: float, unit: str) -> str:
    if unit == EVENT_US or (unit == MS and value < 100):
        return f"{value:.2f}"
    return f"{value:,.0f}" if unit in (MS, CALL_US, BYTES) or value >= 100 else f"{value:.1f}"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
