"""How a command reaches the store: --dsn, or RUNSTORE_DSN."""

import argparse
import os
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

import runstore
from runstore import RunStore
from runstore._commands.common import CommandError


def add_dsn(parser: argparse.ArgumentParser, needs: str) -> None:
    """Add --dsn, and say what the login needs."""
    dsn = os.environ.get("RUNSTORE_DSN")
    parser.add_argument(
        "--dsn", default=dsn, required=dsn is None, help="connection URI or key=value pairs (or RUNSTORE_DSN)"
    )
    parser.epilog = f"The login needs {needs}."
    parser.set_defaults(needs=needs)


def check_dsn(dsn: str) -> None:
    """Refuse what cannot be read, without libpq's words: they quote the string, which may hold a password."""
    try:
        conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        raise CommandError(
            "the connection string cannot be read: expected postgresql://user@host/dbname or key=value pairs"
        ) from None


def open_store(options: argparse.Namespace) -> RunStore:
    """Return a store with one connection."""
    return runstore.connect(options.dsn, max_size=1)


def open_connection(options: argparse.Namespace, name: str) -> psycopg.Connection:
    """Return a connection for what the wrapper has no method for, to a store of a version that we understand."""
    parameters: dict[str, Any] = dict(conninfo_to_dict(options.dsn))
    parameters.setdefault("application_name", f"runstore {name}")
    connection = psycopg.connect(**parameters, autocommit=True)
    try:
        RunStore.on(connection).version()
    except BaseException:
        connection.close()
        raise
    return connection
