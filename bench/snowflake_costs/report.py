"""The report: results/snowflake.md, written from what the JSON holds."""

import statistics
from collections.abc import Iterator
from typing import Any

_HEAD = """\
# Snowflake: results

What calls cost on Snowflake, as far as it can be known without an account: the number of statements that they run, and
the time of the reducer. How long statements take on an account, and what they cost in credits there, was not measured.
"""
_STATEMENTS = """\
## Statements per call

Counted on the tests' bench, which runs the shipped procedures statement by statement; the counts follow from the
procedures alone. *In a warehouse* are the statements that need one (SELECT, INSERT, UPDATE, DELETE, MERGE, COPY); the
others are CALL, BEGIN, COMMIT and the block that a procedure returns from. A batch has the statements of one event.
"""
_REDUCER = """\
## The reducer

`FOLD_EVENTS` in V8, in the chunks that `REPLAY_SNAPSHOT` makes (10,000 events or about 4 MB), JSON text in and out,
against PostgreSQL's `replay_snapshot` of the same run, timed in the server. What an account takes to start a function,
to read the rows and to aggregate them is not in it. Both sides in turns, call by call, in an order that turns round
every time, after a round that is not counted; medians of {rounds} rounds, the range is that of the rounds' ratios. Both
sides came to the same snapshot. Wide runs have two events per step; deep runs 1,000 steps at most, mostly retries. On
{cores} cores, {memory_gb} GB, PostgreSQL {postgresql}, `jit = off`.
"""
_GROWTH = """\
Per event, against a run of a tenth of the length (1 is linear; one sort of n log n would be 1.25 from 10,000 to
100,000). The whole state goes through every chunk, so a run of ten thousands of steps grows faster than its events:
"""
_RERUN = """\
## How to run it again

    make bench-snowflake
    .venv/bin/python bench/snowflake_costs/run.py --quick       # under a minute, results to .cache/bench
"""


def text(measured: dict[str, Any]) -> str:
    """Return the whole report."""
    return "\n".join([_HEAD, *_statements(measured), *_reducer(measured), _RERUN])


def _statements(measured: dict[str, Any]) -> Iterator[str]:
    if "statements" in measured:
        yield _STATEMENTS
        yield "| call | events | standard: statements | in a warehouse | hybrid: statements | in a warehouse |"
        yield "|---|---:|---:|---:|---:|---:|"
        counts = measured["statements"]
        standard = [one for one in counts if one["variant"] == "standard"]
        hybrid = [one for one in counts if one["variant"] == "hybrid"]
        for one, other in zip(standard, hybrid, strict=True):
            figures = [one["statements"], one["in_warehouse"], other["statements"], other["in_warehouse"]]
            yield f"| {one['call']} | {one['events']:,} | {' | '.join(map(str, figures))} |"
        yield ""


def _reducer(measured: dict[str, Any]) -> Iterator[str]:
    if "reducer" in measured:
        part = measured["reducer"]
        yield _REDUCER.format(rounds=len(part["runs"][0]["reducer"]), **part["machine"])
        yield "| run | events | steps | chunks | reducer, ms | PostgreSQL, ms | ratio | range |"
        yield "|---|---:|---:|---:|---:|---:|---:|---|"
        for run in part["runs"]:
            own, base = run["reducer"], run["postgresql"]
            ratios = [one / other for one, other in zip(own, base, strict=True)]
            times = f"{statistics.median(own):,.1f} | {statistics.median(base):,.1f}"
            ratio = f"{statistics.median(own) / statistics.median(base):.2f} | {min(ratios):.2f}-{max(ratios):.2f}"
            yield f"| {run['shape']} | {run['events']:,} | {run['steps']:,} | {run['chunks']} | {times} | {ratio} |"
        yield ""
        yield _GROWTH
        yield "| run | from | to | reducer | PostgreSQL |"
        yield "|---|---:|---:|---:|---:|"
        for one in part["growth"]:
            sizes = f"{one['from']:,} | {one['to']:,}"
            yield f"| {one['shape']} | {sizes} | {one['reducer']:.2f} | {one['postgresql']:.2f} |"
        yield ""
