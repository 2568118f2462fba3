"""The projector: worker; and how it fares: health."""

import argparse
import json
from contextlib import closing

from runstore import worker
from runstore._commands.common import Commands, add_json, at_most, count
from runstore._commands.remote import add_dsn, open_connection

UNHEALTHY = 3


def add(commands: Commands) -> None:
    """Add the commands."""
    working = commands.add_parser(
        "worker",
        help="bring snapshots up to date, continuously",
        description="Bring snapshots up to date as events arrive, and look after the store's alerts, until SIGTERM or "
        "SIGINT. The call in hand is finished; a second signal cancels it. Waits while the database is away. Any "
        "number of workers may run at once.",
    )
    add_dsn(working, "the role runstore_worker")
    for name, most, default, text in (
        ("--batch", 10_000, 100, "how many runs one call may take"),
        ("--poll-ms", 3_600_000, 25, "how long to wait before looking again when little was due"),
        ("--health-ms", 3_600_000, 1000, "how often to check the lag and the alerts about it"),
    ):
        explained = f"{text}, 1 to {most} (default: {default})"
        working.add_argument(name, type=at_most(most), default=default, metavar="N", help=explained)
    working.add_argument(
        "--once", action="store_true", help="stop when nothing is due; fail if the database cannot be reached"
    )
    working.add_argument("--verbose", action="store_true", help="log every call that did something")
    working.set_defaults(run=_worker)

    checking = commands.add_parser(
        "health",
        help="say how far snapshots lag behind",
        description="Say how far snapshots lag behind the log, and raise or close the alert about it. Exit code 0: all "
        "is well; 3: the lag is high, or runs are halted by a gap or a failure (see the view runstore.alerts).",
    )
    add_dsn(checking, "the role runstore_worker")
    add_json(checking, "what check_health() answers")
    checking.set_defaults(run=_health)


def _worker(options: argparse.Namespace) -> None:
    projector = worker.Worker(
        options.dsn,
        batch=options.batch,
        poll_ms=options.poll_ms,
        health_ms=options.health_ms,
        verbose=options.verbose,
    )
    worker.serve(projector, once=options.once)
    if options.once:
        print(f"runs brought up to date: {projector.runs}")


def _health(options: argparse.Namespace) -> int:
    with closing(open_connection(options, "health")) as connection:
        ((found,),) = connection.execute("select runstore.check_health()").fetchall()
    is_healthy = not found["lagIsHigh"] and not found["haltedRuns"]
    if options.json:
        print(json.dumps(found))
    else:
        print("healthy" if is_healthy else "unhealthy")
        print(f"  lag     {found['lagMs']} ms{' (high)' if found['lagIsHigh'] else ''}")
        print(f"  due     {count(found['dueRuns'], 'run')}")
        print(f"  halted  {count(found['haltedRuns'], 'run')}")
        if found["runsMarkedForResync"]:
            print(f"  marked for a resync: {count(found['runsMarkedForResync'], 'run')}")
    return 0 if is_healthy else UNHEALTHY
