"""The report: results/append.md, written from what the JSON holds."""

import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path

from results import CPU, Comparison, Part, Size

INTRODUCTION = """\
# Appending events: results

Every figure compares runstore with what PostgreSQL does without any logic, measured in turns on the same server. The
floor of a single append is a raw prepared single-row INSERT into a table with the same columns and indexes: no
validation, no idempotency, no numbering. A ratio of 1 means as fast as that; for CPU and for throughput alike, more is
better.
"""

METHOD = """\
## Method

- The server is PostgreSQL as it ships, except `shared_buffers = 1GB`, and `max_wal_size = 16GB` and
  `checkpoint_timeout = 1h` so that no checkpoint falls into a measurement, where it would burden whichever side is
  running. Autovacuum is on. Durable means as shipped (`fsync` and `synchronous_commit` on), not durable
  `synchronous_commit = off`.
- Every event carries the same payload of 158 characters (exit code, duration, rows, one artifact reference), a run id
  of 36 characters, and a key and an event id of the producer's, on both sides alike.
- Single appends, growth and reading are driven by pgbench with prepared statements over a unix socket, on the same
  machine as the server: the client's CPU is part of the picture, equally on both sides. Both sides run the same
  client-side lines and send the same values as parameters.
- Every round measures both sides right after one another, in an order that turns round every time, and gives one ratio.
  The tables show the median of the rounds' ratios and their range, and the medians of the absolute figures. Targets are
  judged by the median.
- Single appends go to one of the stored runs at random (20,000 in a full run). Every case of every round has a fresh
  copy of the database, warmed up before it is measured.
- Server CPU is user and system time of the backend, from the kernel's account of that process; these calls come from
  psycopg and do not wait for a flush.
- What was appended is counted afterwards, in every database that was appended to: every acknowledged event is there
  once, every run is numbered 1, 2, 3, ... without a gap, and no alert was raised. The statements that reading is
  compared with return the same rows.
"""

RERUN = """\
## How to run it again

    make bench                                        # everything, about {minutes} minutes; nothing else should run
    .venv/bin/python bench/append/run.py --quick      # every part with small sizes: shows that it works, not how fast
    .venv/bin/python bench/append/run.py --only batch,fetch

The last form replaces those parts in the results. The raw values of every round are in `append.json`.
"""

SECTIONS = {
    "many": (
        "Single appends on many runs",
        "Each append goes to one of many runs. What is durable waits for its flush, which clients share.",
    ),
    "commit_delay": (
        "Single appends where a flush takes longer",
        "`commit_delay = 1000` makes a flush wait for a millisecond when others are about to commit too: about what an "
        "ordinary disk or a synchronous replica does.",
    ),
    "hot": (
        "Single appends on one hot run",
        "All clients append to the same run. Its events commit one after another, so that their order is the order of "
        "`run_seq`: the measure is what one client reaches with a raw INSERT.",
    ),
    "retries": (
        "Half of the calls are retries",
        "Every other call, at random, sends an event again that is stored already; it is answered with the stored one. "
        "The floor inserts with every call.",
    ),
    "cpu": (
        "Server CPU of a single call",
        "One connection, every value a parameter. As information.",
    ),
    "batch": (
        "Batches",
        "Server CPU per event. A batch is one call of `append_events` with a JSON array; COPY and INSERT ... unnest "
        "write the same rows without logic.",
    ),
    "bytes": (
        "Bytes per event",
        "Appended through `append_events` to 500 open runs at random, 20 events each; measured as appending leaves "
        "it, without a vacuum or a rebuilt index.",
    ),
    "growth": (
        "A long log",
        "8 clients append, in turns to a long log and to a short one: to fresh runs (a new one every 20 events) and "
        "to random old ones, whose pages are cold.",
    ),
    "fetch": (
        "Reading",
        "Pages of runs of 1000 events, from their start: `fetch_events` against the same SELECT sent directly, from "
        "the view `run_event_records` and as a plain join of the two tables (no filter by tenant). One client.",
    ),
}


def write(path: Path, parts: dict[str, Part], minutes: int) -> None:
    """Write the report."""
    path.write_text("\n".join(_lines(parts, minutes)).rstrip() + "\n")


def verdict(value: float, target: float | None, *, at_most: bool = False) -> str:
    """Say whether a target is met, or by how much it is missed."""
    if target is None:
        return ""
    missing = value - target if at_most else target - value
    if missing <= 0:
        return "met"
    return f"missed by {missing:.0f}" if at_most else f"missed by {missing:.2f}"


def spread(values: Iterable[float]) -> str:
    """Return the range of some values."""
    chosen = list(values)
    low, high = f"{min(chosen):.2f}", f"{max(chosen):.2f}"
    return low if low == high else f"{low} to {high}"


def _lines(parts: dict[str, Part], minutes: int) -> Iterator[str]:
    yield INTRODUCTION
    yield from _machine(parts)
    yield "## Targets\n"
    yield from _targets(parts)
    yield "\n![Ratios with their ranges and targets, and bytes per event](append.png)\n"
    yield METHOD
    for name, (title, text) in SECTIONS.items():
        if name in parts:
            yield f"## {title}\n\n{text}\n"
            yield from _comparisons(parts[name].comparisons)
            for size in parts[name].sizes:
                yield from _size(size)
            yield ""
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
        f"in {scale['rounds']} rounds of {scale['seconds']} s"
    )


def _targets(parts: dict[str, Part]) -> Iterator[str]:
    yield "| | measured | target | |"
    yield "|---|---:|---:|---|"
    for name, (title, _) in SECTIONS.items():
        if name not in parts:
            continue
        for one in parts[name].comparisons:
            if one.target is not None:
                label = f"{title}: {one.name}, of {one.base_name}"
                yield f"| {label} | {one.ratio:.2f} | ≥ {one.target:.2f} | {verdict(one.ratio, one.target)} |"
        for size in parts[name].sizes:
            if size.target is not None:
                judged = verdict(size.total, size.target, at_most=True)
                yield f"| {title}: {size.name} | {size.total:.0f} | ≤ {size.target:.0f} | {judged} |"


def _comparisons(comparisons: list[Comparison]) -> Iterator[str]:
    if not comparisons:
        return
    yield "| | compared with | its figure | runstore | unit | ratio | range | target | |"
    yield "|---|---|---:|---:|---|---:|---:|---:|---|"
    for one in comparisons:
        target = "" if one.target is None else f"≥ {one.target:.2f}"
        yield (
            f"| {one.name} | {one.base_name} | {_figure(one.base, one.unit)} | {_figure(one.own, one.unit)} "
            f"| {one.unit} | **{one.ratio:.2f}** | {spread(one.ratios)} | {target} | {verdict(one.ratio, one.target)} |"
        )


def _figure(values: list[float], unit: str) -> str:
    middle = statistics.median(values)
    return f"{middle:.1f}" if unit == CPU else f"{middle:,.0f}"


def _size(size: Size) -> Iterator[str]:
    target = "" if size.target is None else f" (target ≤ {size.target:.0f}: "
    judged = target and f"{target}{verdict(size.total, size.target, at_most=True)})"
    yield f"\n{size.events:,} events of {size.runs:,} runs, {size.name}{judged}:\n"
    yield "| | bytes per event |"
    yield "|---|---:|"
    for relation, value in size.per_event.items():
        yield f"| {relation} | {value:.0f} |"
    yield f"| **the log with every index** | **{size.total:.0f}** |"
    counters = size.counters_per_run
    yield f"| run_counters with its index ({counters:.0f} per run) | {counters * size.runs / size.events:.0f} |"
