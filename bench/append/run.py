"""Measure appending and reading against what PostgreSQL does without logic, and write bench/results."""

import argparse
import math
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import backend
import batch
import disk
import fetch
import growth
import plot
import report
import results
import single
import single_cpu
from lab import Lab
from progress import Progress
from results import Part
from scale import FULL, QUICK, Scale

_TOP = Path(__file__).resolve().parents[2]
_RESULTS = _TOP / "bench" / "results"
_QUICK_RESULTS = _TOP / ".cache" / "bench"


@dataclass(frozen=True)
class Module:
    """A module of the benchmark: the parts it measures, and how."""

    parts: tuple[str, ...]
    plan: Callable[[Scale, list[str]], float]
    measure: Callable[[Lab, Scale, Progress, list[str]], list[Part]]


MODULES = (
    Module(single.PARTS, single.plan, single.measure),
    Module(single_cpu.PARTS, single_cpu.plan, single_cpu.measure),
    Module(batch.PARTS, batch.plan, batch.measure),
    Module(disk.PARTS, disk.plan, disk.measure),
    Module(growth.PARTS, growth.plan, growth.measure),
    Module(fetch.PARTS, fetch.plan, fetch.measure),
)
PARTS = [part for module in MODULES for part in module.parts]
_NEED_PROC = ("cpu", "batch")


def main() -> None:
    """Measure what was asked for, and merge it into the results after every step."""
    options = _options()
    # Whoever stops the benchmark should not leave its server behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    scale = QUICK if options.quick else FULL
    parts = _possible(options.only)
    directory: Path = options.results or (_QUICK_RESULTS if options.quick else _RESULTS)
    progress = Progress(sum(module.plan(scale, parts) for module in MODULES))
    with Lab(options.pg_bin) as lab:
        machine = lab.describe()
        for module in MODULES:
            measured = [
                replace(part, machine=machine, scale=asdict(scale))
                for part in module.measure(lab, scale, progress, parts)
            ]
            if measured:
                _publish(directory, measured)
    print(f"{directory / 'append.md'} is written")


def _publish(directory: Path, measured: list[Part]) -> None:
    raw = directory / "append.json"
    merged = results.read(raw) | {part.name: part for part in measured}
    results.write(raw, {name: merged[name] for name in PARTS if name in merged})
    everything = sum(module.plan(FULL, PARTS) for module in MODULES)
    report.write(directory / "append.md", merged, math.ceil(everything / 60))
    plot.write(directory / "append.png", merged)


def _possible(parts: list[str]) -> list[str]:
    if backend.can_be_measured():
        return parts
    print(f"left out, because this system has no /proc: {', '.join(_NEED_PROC)}")
    return [part for part in parts if part not in _NEED_PROC]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that every part works, not how fast")
    parser.add_argument("--only", type=_parts, default=PARTS, metavar="PART,...", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--results", type=Path, metavar="DIR", help="where to write (quick: .cache/bench)")
    parser.add_argument("--pg-bin", metavar="DIR", help="the PostgreSQL programs to measure (or RUNSTORE_PG_BIN)")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    chosen = text.split(",")
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return chosen


if __name__ == "__main__":
    main()
