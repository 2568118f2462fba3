"""Measure folding, keeping up and what appends feel of it, and write bench/results."""

import argparse
import contextlib
import math
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

# The server, pgbench and the event are those of the append benchmark; ours are a package, as some names are the same.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "append"))

from lab import Lab
from progress import Progress
from projection import fold, incremental, lag, latency, plot, report, results, saturated, snapshot
from projection.results import Part
from projection.scale import FULL, QUICK, Scale

_TOP = Path(__file__).resolve().parents[2]
_RESULTS = _TOP / "bench" / "results"
_QUICK_RESULTS = _TOP / ".cache" / "bench"


@dataclass(frozen=True)
class Module:
    """A module of the benchmark: how long it takes, and how it measures its part."""

    plan: Callable[[Scale], float]
    measure: Callable[[Lab, Scale, Progress], Part]


MODULES = {
    fold.PART: Module(fold.plan, fold.measure),
    incremental.PART: Module(incremental.plan, incremental.measure),
    snapshot.PART: Module(snapshot.plan, snapshot.measure),
    latency.PART: Module(latency.plan, latency.measure),
    lag.PART: Module(lag.plan, lag.measure),
    saturated.PART: Module(saturated.plan, saturated.measure),
}


def main() -> None:
    """Measure what was asked for, and merge it into the results after every part."""
    options = _options()
    # Whoever stops the benchmark should not leave its server behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    scale = QUICK if options.quick else FULL
    directory: Path = options.results or (_QUICK_RESULTS if options.quick else _RESULTS)
    with contextlib.redirect_stdout(sys.stderr):
        progress = Progress(sum(MODULES[name].plan(scale) for name in options.only))
        with Lab(options.pg_bin) as lab:
            machine = lab.describe()
            for name, module in MODULES.items():
                if name in options.only:
                    part = module.measure(lab, scale, progress)
                    _publish(directory, replace(part, machine=machine, scale=asdict(scale)))
    print(f"{directory / 'projection.md'} is written")


def _publish(directory: Path, measured: Part) -> None:
    raw = directory / "projection.json"
    merged = results.read(raw) | {measured.name: measured}
    results.write(raw, {name: merged[name] for name in MODULES if name in merged})
    everything = sum(module.plan(FULL) for module in MODULES.values())
    report.write(directory / "projection.md", merged, math.ceil(everything / 60))
    plot.write(directory / "projection.png", merged)


def _options() -> argparse.Namespace:
    names = list(MODULES)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that every part works, not how fast")
    parser.add_argument("--only", type=_parts, default=names, metavar="PART,...", help=f"of {', '.join(names)}")
    parser.add_argument("--results", type=Path, metavar="DIR", help="where to write (quick: .cache/bench)")
    parser.add_argument("--pg-bin", metavar="DIR", help="the PostgreSQL programs to measure (or RUNSTORE_PG_BIN)")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    chosen = text.split(",")
    unknown = [name for name in chosen if name not in MODULES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(unknown)}; there are {', '.join(MODULES)}")
    return chosen


if __name__ == "__main__":
    main()
