"""A PostgreSQL server of one's own, for trying things: up, down, remove, demo."""

import argparse
import shlex
import shutil
from pathlib import Path

import psycopg

from runstore import demo, migrate
from runstore._commands.common import Commands
from runstore._state import State, default_dir
from runstore.embedded import SUPERUSER, Server, find_psql

DATABASE = "runstore"


def add(commands: Commands) -> None:
    """Add the commands."""
    for name, function, text in (
        ("up", _up, "start a private PostgreSQL server"),
        ("down", _down, "stop it and keep its data"),
        ("remove", _remove, "stop it and delete its data"),
        ("demo", _demo, "start it, install runstore and push a run through it"),
    ):
        parser = commands.add_parser(name, help=text, description=text)
        parser.add_argument("--dir", type=Path, default=None, help="where the server is kept (default: %(default)s)")
        parser.set_defaults(run=function, dir=default_dir())


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
Or:
  runstore show {run_id} --dsn {shlex.quote(dsn)}
For your own program, through the socket:
  {dsn}
or through TCP, with the password that is in {server.home / "password"}:
  host=127.0.0.1 port={server.port} user={SUPERUSER} dbname={DATABASE}
Stop it with `runstore down` (make stop), delete it with `runstore remove` (make remove).""")  # noqa: S608  # shown, not run


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
