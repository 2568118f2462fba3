"""runstore append: events from JSON lines."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import psycopg

from runstore import RunStore
from runstore._commands.common import (
    CommandError,
    Commands,
    Progress,
    add_json,
    at_most,
    count,
    described,
    json_line,
    primary,
)
from runstore._commands.remote import add_dsn, open_store
from runstore.errors import RunStoreError
from runstore.events import AppendResult

_REFUSALS = (RunStoreError, psycopg.DataError)


@dataclass(frozen=True, slots=True)
class _Line:
    """An event, and where it was read."""

    number: int
    end: int
    event: dict[str, Any]


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "append",
        help="append events from JSON lines",
        description="Append events: one RunEventWrite in its camelCase JSON form per line. Stops at the first line "
        "that is refused; everything before it is stored, and nothing after it. The same file can be sent again: what "
        "is stored already is answered, and not stored twice.",
    )
    parser.add_argument("file", nargs="?", default="-", help="the file to read (default: -, standard input)")
    add_dsn(parser, "the role runstore_writer")
    parser.add_argument(
        "--batch", type=at_most(10_000), default=500, metavar="N", help="events per call, 1 to 10000 (default: 500)"
    )
    parser.add_argument(
        "--keep-going", action="store_true", help="report every refused line and go on; exit code 1 at the end"
    )
    add_json(parser, "an AppendResult per stored event; the summary goes to standard error")
    parser.set_defaults(run=_append)


def _append(options: argparse.Namespace) -> int:
    with ExitStack() as stack:
        source: BinaryIO = sys.stdin.buffer
        total = None
        if options.file != "-":
            path = Path(options.file)
            source = stack.enter_context(path.open("rb"))
            total = path.stat().st_size
        store = stack.enter_context(open_store(options))
        progress = stack.enter_context(Progress("event", total))
        appender = _Appender(store, progress, keep_going=options.keep_going, as_json=options.json)
        try:
            appender.read(source, options.batch)
        except CommandError as error:
            raise CommandError(f"{error}; {appender.summary()}") from error
    print(appender.summary(), file=sys.stderr if options.json else sys.stdout)
    return 1 if appender.refused else 0


class _Appender:
    """Sends lines in batches, and finds the line in a batch that was refused."""

    def __init__(self, store: RunStore, progress: Progress, *, keep_going: bool, as_json: bool) -> None:
        self.refused = 0
        self._stored = 0
        self._known = 0
        self._store = store
        self._progress = progress
        self._keep_going = keep_going
        self._as_json = as_json

    def read(self, source: BinaryIO, batch: int) -> None:
        """Append all that the source has."""
        lines: list[_Line] = []
        for line in self._lines(source, lines):
            lines.append(line)
            if len(lines) == batch:
                self._flush(lines)
        self._flush(lines)

    def summary(self) -> str:
        """Return what became of the events."""
        parts = [f"{count(self._stored, 'event')} stored"]
        parts += [f"{self._known} known already"] if self._known else []
        parts += [f"{count(self.refused, 'line')} refused"] if self._keep_going else []
        return ", ".join(parts)

    def _lines(self, source: BinaryIO, waiting: list[_Line]) -> Iterator[_Line]:
        end = 0
        for number, octets in enumerate(source, 1):
            end += len(octets)
            if not octets.strip():
                continue
            try:
                yield _Line(number, end, _parse(octets))
            except ValueError as error:
                # What stands before the line is stored first, as it is when the store refuses one.
                self._flush(waiting)
                self._refuse(number, str(error))

    def _flush(self, lines: list[_Line]) -> None:
        """Store the lines, in as many calls as it takes to leave out those that are refused; forget them."""
        todo: list[Sequence[_Line]] = [tuple(lines)]
        lines.clear()
        while todo:
            part = todo.pop()
            if not part:
                continue
            try:
                self._count(self._send(part))
            except _REFUSALS as error:
                if len(part) == 1:
                    self._refuse(part[0].number, _message(error))
                else:
                    at = _index(error, len(part))
                    todo += [part[at + 1 :], part[at : at + 1], part[:at]]
            except psycopg.Error as error:
                raise CommandError(
                    f"lines {part[0].number} to {part[-1].number}: {_message(error)}; whether they are stored is not "
                    "known, send them again"
                ) from error
            self._progress.show(part[-1].end, self._stored + self._known)

    def _send(self, part: Sequence[_Line]) -> list[AppendResult]:
        if len(part) == 1:
            return [self._store.append_event(part[0].event)]
        return self._store.append_events([line.event for line in part])

    def _count(self, results: Sequence[AppendResult]) -> None:
        self._stored += sum(each.persisted for each in results)
        self._known += sum(each.idempotent for each in results)
        if self._as_json:
            print("\n".join(json_line(each) for each in results), flush=True)

    def _refuse(self, number: int, message: str) -> None:
        if not self._keep_going:
            raise CommandError(f"line {number}: {message}")
        self.refused += 1
        print(f"runstore: line {number}: {message}", file=sys.stderr)


def _index(error: Exception, size: int) -> int:
    """Return which event of a batch the error is about; the middle, when it does not say, to look on either side."""
    at = error.detail.get("index") if isinstance(error, RunStoreError) else None
    return at if isinstance(at, int) and at < size else size // 2


def _message(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return described(primary(error), detail=error.diag.message_detail, hint=error.diag.message_hint)
    return described(str(error), hint=getattr(error, "hint", None))


def _parse(octets: bytes) -> dict[str, Any]:
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    try:
        event = json.loads(text, parse_float=_exact, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(event, dict):
        raise ValueError("it is not a JSON object")
    return event


def _exact(text: str) -> float:
    """Read a number with a fraction; one that Python would round is refused rather than changed."""
    value = float(text)
    if Decimal(repr(value)) != Decimal(text):
        raise ValueError(f"the number {text} cannot be sent without rounding: send it as a string")
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"it is not JSON: {text} is not a number")
