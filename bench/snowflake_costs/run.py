"""Count what calls cost on Snowflake, measure the reducer against PostgreSQL's fold, and write bench/results."""

import argparse
import contextlib
import json
import sys
from pathlib import Path

# The server and the runs are those of the other benchmarks; the bench on which the shipped files run is the tests'.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "append"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "snowflake"))

from lab import Lab
from snowflake_costs import reducer, report, statements

_TOP = Path(__file__).resolve().parents[2]
PARTS = ("statements", "reducer")
_RAW, _REPORT = "snowflake.json", "snowflake.md"


def main() -> None:
    """Measure what was asked for, and merge it into the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that every part works, not how fast")
    parser.add_argument("--only", choices=PARTS, help="measure this part alone, and merge it into the results")
    parser.add_argument("--results", type=Path, metavar="DIR", help="where to write (quick: .cache/bench)")
    parser.add_argument("--pg-bin", metavar="DIR", help="the PostgreSQL programs to measure against")
    options = parser.parse_args()
    directory = options.results or _TOP / (".cache/bench" if options.quick else "bench/results")
    directory.mkdir(parents=True, exist_ok=True)
    raw = directory / _RAW
    measured = json.loads(raw.read_text()) if raw.exists() else {}
    with contextlib.redirect_stdout(sys.stderr):
        if options.only in (None, "statements"):
            measured["statements"] = statements.count()
        if options.only in (None, "reducer"):
            with Lab(options.pg_bin) as lab:
                measured["reducer"] = reducer.measure(lab, reducer.QUICK if options.quick else reducer.FULL)
    raw.write_text(json.dumps(measured, indent=1) + "\n")
    (directory / _REPORT).write_text(report.text(measured))
    print(f"{directory / _REPORT} is written")


if __name__ == "__main__":
    main()
