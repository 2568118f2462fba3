"""The command `runstore`."""

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

from runstore import __version__, demo, migrate, worker
from runstore._state import State, default_dir
from runstore.embedded import SUPERUSER, BinariesNotFoundError, Server, ServerError, find_psql

DATABASE = "runstore"
_EXPECTED = (BinariesNotFoundError, ServerError, migrate.MigrationError, demo.DemoError, worker.WorkerError, OSError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an expected failure is one clear line and exit code 1."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except psycopg.Error as error:
        return _fail(str(error).strip().replace("\n", "; ") or type(error).__name__)
    except _EXPECTED as error:
        return _fail(str(error).strip())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="runstore", description="The state store of a workflow engine.")
    parser.add_argument("--version", action="version", version=f"runstore {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    local = argparse.ArgumentParser(add_help=False)
    local.add_argument("--dir", type=Path, default=None, help="where the server is kept (default: %(default)s)")
    local.set_defaults(dir=default_dir())
    for name, function, text in (
        ("up", _up, "start a private PostgreSQL server"),
        ("down", _down, "stop it and keep its data"),
        ("remove", _remove, "stop it and delete its data"),
        ("demo", _demo, "start it, install runstore and push a run through it"),
    ):
        commands.add_parser(name, parents=[local], help=text, description=text).set_defaults(run=function)

    remote = argparse.ArgumentParser(add_help=False)
    dsn = os.environ.get("RUNSTORE_DSN")
    remote.add_argument(
        "--dsn", default=dsn, required=dsn is None, help="connection URI or key=value pairs (or RUNSTORE_DSN)"
    )

    text = "install runstore in a database, or bring it up to date"
    migrating = commands.add_parser("migrate", parents=[remote], help=text, description=text)
    migrating.add_argument(
        "action",
        nargs="?",
        choices=("apply", "status", "rollback", "break-lock"),
        default="apply",
        help="default: apply",
    )
    how_many = migrating.add_mutually_exclusive_group()
    how_many.add_argument("--count", type=_positive, default=1, help="how many migrations to roll back (default: 1)")
    how_many.add_argument("--all", action="store_const", const="all", dest="count", help="roll back all migrations")
    migrating.set_defaults(run=_migrate)

    working = commands.add_parser(
        "worker",
        parents=[remote],
        help="bring snapshots up to date, continuously",
        description="Bring snapshots up to date as events arrive, and look after the store's alerts, until SIGTERM or "
        "SIGINT. The call in hand is finished; a second signal cancels it. Waits while the database is away. Any "
        "number of workers may run at once, each with a login that has the role runstore_worker.",
    )
    for name, most, default, text in (
        ("--batch", 10_000, 100, "how many runs one call may take"),
        ("--poll-ms", 3_600_000, 100, "how long to wait when nothing is due"),
        ("--health-ms", 3_600_000, 1000, "how often to check the lag and the alerts about it"),
    ):
        explained = f"{text}, 1 to {most} (default: {default})"
        working.add_argument(name, type=_at_most(most), default=default, metavar="N", help=explained)
    working.add_argument(
        "--once", action="store_true", help="stop when nothing is due; fail if the database cannot be reached"
    )
    working.add_argument("--verbose", action="store_true", help="log every call that did something")
    working.set_defaults(run=_worker)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def _at_most(most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = _positive(text)
        if value > most:
            raise argparse.ArgumentTypeError(f"must be {most} or less")
        return value

    return number


def _up(options: argparse.Namespace) -> None:
    state = State(options.dir)
    server = _running_server(state)
    print(f"PostgreSQL runs. Connect with:\n  {_psql_line(server)}")
    print(f"Install runstore in it with:\n  runstore migrate --dsn {shlex.quote(server.dsn(DATABASE))}")


def _down(options: argparse.Namespace) -> None:
    state = State(options.dir)
    with state.locked():
        server = state.server()
        if server is None or server.status() != "running":
            print("The server is not running.")
            return
        server.stop()
    print("The server is stopped; its data is kept.")


def _remove(options: argparse.Namespace) -> None:
    state = State(options.dir)
    with state.locked():
        removed = state.remove()
    print("The server and its data are removed." if removed else "There is no server.")


def _demo(options: argparse.Namespace) -> None:
    state = State(options.dir)
    server = _running_server(state)
    dsn = server.dsn(DATABASE)
    applied = migrate.apply(dsn)
    print(f"PostgreSQL runs; {len(applied)} migrations applied." if applied else "PostgreSQL runs; schema is current.")
    run_id = demo.play(dsn)
    print(f"""
The server keeps running. Look around:
  {_psql_line(server)}
Try:
  select run_seq, event_type, step_id, persisted_at from runstore.fetch_events('{run_id}');
  select jsonb_pretty(runstore.get_snapshot('{run_id}'));
For your own program, through the socket:
  {dsn}
or through TCP, with the password that is in {server.home / "password"}:
  host=127.0.0.1 port={server.port} user={SUPERUSER} dbname={DATABASE}
Stop it with `runstore down` (make stop), delete it with `runstore remove` (make remove).""")  # noqa: S608  # shown, not run


def _migrate(options: argparse.Namespace) -> None:
    if options.action == "apply":
        applied = migrate.apply(options.dsn)
        print("\n".join(f"applied {name}" for name in applied) or "nothing to apply: the schema is current")
    elif options.action == "rollback":
        undone = migrate.rollback(options.dsn, options.count)
        print("\n".join(f"rolled back {name}" for name in undone) or "nothing to roll back")
    elif options.action == "break-lock":
        migrate.break_lock(options.dsn)
        print("no migration lock is left")
    else:
        for entry in migrate.status(options.dsn):
            when = f"applied {entry.applied_at:%Y-%m-%d %H:%M:%S} UTC" if entry.applied_at else "pending"
            print(f"{entry.name}  {when}{'' if entry.carried else '  (unknown to this version)'}")


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


def _running_server(state: State) -> Server:
    with state.locked():
        server = state.make_server()
        server.start()
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            if not connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone():
                connection.execute(f"create database {DATABASE}")
    return server


def _psql_line(server: Server) -> str:
    psql = "psql" if shutil.which("psql") else shlex.quote(str(find_psql(server.bin_dir)))
    return f"{psql} {shlex.quote(server.dsn(DATABASE))}"


def _fail(message: str) -> int:
    sys.stdout.flush()
    print(f"runstore: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
