"""runstore export: whole runs as CSV, with a manifest to check them by."""

import argparse
import hashlib
import json
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TextIO

import psycopg
from psycopg import sql

from runstore import RunStore
from runstore._commands.common import CommandError, Commands, Progress, count, printable
from runstore._commands.remote import add_dsn, open_connection
from runstore.events import RunEventRecord

EVENTS, MANIFEST = "events.csv", "manifest.json"
_COLUMNS = list(RunEventRecord.__dataclass_fields__)
_VIEW = sql.Identifier("runstore", "run_event_records")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="write whole runs to a CSV file",
        description=f"Write runs with all their events to {EVENTS} in a directory, all as of one moment, and what is "
        f"in it to {MANIFEST}: events per run, their sum, and the file's SHA-256. Columns are those of fetch_events(), "
        "times are in UTC, null is an empty field.",
    )
    parser.add_argument("directory", type=Path, help="where to write; made if it is not there")
    add_dsn(parser, "the role runstore_reader")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--run", action="append", dest="runs", metavar="RUN", help="only this run; can be repeated")
    which.add_argument("--tenant", help="only runs of this tenant")
    parser.add_argument("--force", action="store_true", help="replace an export that is there")
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> None:
    directory: Path = options.directory
    targets = [directory / EVENTS, directory / MANIFEST]
    there = [path for path in targets if path.exists()]
    if there and not options.force:
        raise CommandError(f"{there[0]} is there already: choose another directory, or --force to replace it")
    directory.mkdir(parents=True, exist_ok=True)
    parts = [path.with_name(f"{path.name}.part") for path in targets]
    try:
        with closing(open_connection(options, "export")) as connection:
            events, runs = _write(connection, options, *parts)
        # The manifest last: where it is, the file beside it is the one that it is about.
        targets[1].unlink(missing_ok=True)
        for part, target in zip(parts, targets, strict=True):
            part.replace(target)
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    print(f"{count(events, 'event')} of {count(runs, 'run')} exported to {targets[0]}")


def _write(
    connection: psycopg.Connection, options: argparse.Namespace, events_path: Path, manifest_path: Path
) -> tuple[int, int]:
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    with connection.transaction():
        for setting in ("timezone = 'UTC'", "datestyle = 'ISO'", "client_encoding = 'UTF8'"):
            connection.execute(f"set local {setting}".encode())
        ((at,),) = connection.execute("select transaction_timestamp()").fetchall()
        selected = _condition(options)
        ((events, runs),) = connection.execute(
            sql.SQL("select count(*), count(distinct run_id) from {} where {}").format(_VIEW, selected)
        ).fetchall()
        _refuse_missing(connection, options)
        digest, size = _write_events(connection, selected, events_path, events)
        head = {
            "schemaVersion": RunStore.on(connection).version(),
            "exportedAt": _text(at),
            "selection": _selection(options),
            "file": {"name": EVENTS, "bytes": size, "sha256": digest},
            "columns": _COLUMNS,
            "events": events,
            "runCount": runs,
        }
        with manifest_path.open("w", encoding="utf-8") as file:
            _write_manifest(file, head, _counts(connection, selected))
    return events, runs


def _selection(options: argparse.Namespace) -> dict[str, Any]:
    given = {"runs": options.runs, "tenant": options.tenant}
    return {name: value for name, value in given.items() if value is not None}


def _condition(options: argparse.Namespace) -> sql.Composable:
    if options.runs:
        return sql.SQL("run_id = any({})").format(sql.Literal(options.runs))
    if options.tenant is not None:
        return sql.SQL("tenant_id = {}").format(sql.Literal(options.tenant))
    return sql.SQL("true")


def _refuse_missing(connection: psycopg.Connection, options: argparse.Namespace) -> None:
    for run_id in options.runs or ():
        query = sql.SQL("select from {} where run_id = %s limit 1").format(_VIEW)
        if connection.execute(query, [run_id]).fetchone() is None:
            raise CommandError(f"there is no run {printable(run_id)}")


def _write_events(connection: psycopg.Connection, selected: sql.Composable, path: Path, total: int) -> tuple[str, int]:
    query = sql.SQL("copy (select {} from {} where {} order by run_id, run_seq) to stdout (format csv, header)").format(
        sql.SQL(", ").join(map(sql.Identifier, _COLUMNS)), _VIEW, selected
    )
    digest, size, parts = hashlib.sha256(), 0, 0
    with connection.cursor() as cursor:
        with path.open("wb") as file, Progress("event", total) as progress, cursor.copy(query) as copy:
            for data in copy:
                file.write(data)
                digest.update(data)
                size += len(data)
                # A row each, the header first; near enough for a bar.
                progress.show(parts, parts)
                parts += 1
        if cursor.rowcount != total:
            raise CommandError(f"{cursor.rowcount} events were copied where {total} were counted")
    return digest.hexdigest(), size


def _counts(connection: psycopg.Connection, selected: sql.Composable) -> Iterator[tuple[Any, ...]]:
    query = sql.SQL("select run_id, count(*) from {} where {} group by run_id order by run_id").format(_VIEW, selected)
    with connection.cursor(name="counts") as cursor:
        cursor.execute(query)
        yield from cursor


def _write_manifest(file: TextIO, head: dict[str, Any], counts: Iterator[tuple[Any, ...]]) -> None:
    """Write the manifest run by run: there may be more of them than memory for a dictionary."""
    file.write(json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}") + ',\n  "runs": {')
    for number, (run_id, events) in enumerate(counts):
        file.write(f"{',' if number else ''}\n    {json.dumps(run_id, ensure_ascii=False)}: {events}")
    file.write("\n  }\n}\n")


def _text(at: datetime) -> str:
    return at.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
