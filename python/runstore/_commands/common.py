"""What the commands share: arguments, errors, and how things look on a terminal."""

import argparse
import json
import shutil
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import datetime, timezone
from typing import Any, Protocol
from uuid import UUID

import psycopg

from runstore.events import camel_case


class Commands(Protocol):
    """Where commands are registered: what add_subparsers() returns."""

    def add_parser(self, name: str, **settings: Any) -> argparse.ArgumentParser:
        """Add a command."""


class CommandError(RuntimeError):
    """A command cannot do what was asked; the message is for the person who asked."""


class UsageError(RuntimeError):
    """The arguments do not go together."""


def positive(text: str) -> int:
    """Read a whole number from 1 up."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def at_most(most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from 1 to most."""

    def number(text: str) -> int:
        value = positive(text)
        if value > most:
            raise argparse.ArgumentTypeError(f"must be {most} or less")
        return value

    return number


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help=f"for machines: {what}")


def count(number: int, thing: str) -> str:
    """Return a number of things, in words that agree with it."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def described(message: str, *, detail: str | None = None, hint: str | None = None) -> str:
    """Return what went wrong on one line, with what else is known about it."""
    line = "; ".join(part.strip() for part in message.splitlines() if part.strip())
    notes = [*([detail] if detail else []), *([f"hint: {hint}"] if hint else [])]
    return f"{line} ({'; '.join(notes)})" if notes else line


def primary(error: psycopg.Error) -> str:
    """Return the message alone: the context that psycopg adds can show what was sent."""
    return error.diag.message_primary or str(error).strip() or type(error).__name__


def printable(text: str) -> str:
    """Return text that cannot drive a terminal: what is stored was written by others."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def compact(value: Any) -> str:
    """Return JSON on one line, fit for a terminal."""
    return printable(json.dumps(value, ensure_ascii=False))


def json_line(row: Any) -> str:
    """Return a result or record as a JSON object with camelCase names, on one line."""
    return json.dumps({camel_case(each.name): _plain(getattr(row, each.name)) for each in fields(row)})


def instant(value: datetime | str | None) -> str:
    """Return a time in UTC to the millisecond."""
    if value is None:
        return "-"
    at = parsed(value) if isinstance(value, str) else value
    return f"{at.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03}Z"


def parsed(text: str) -> datetime:
    """Read a time of a snapshot."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def took(seconds: float | None) -> str:
    """Return a duration as people say it."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.3f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


def padded(text: str, columns: int) -> str:
    """Return the text, filled up to so many columns."""
    return text + " " * (columns - width(text))


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows below a header, numbers to the right."""
    lines = [list(header), *[[printable(str(cell)) for cell in row] for row in rows]]
    widths = [max(width(line[column]) for line in lines) for column in range(len(header))]
    is_number = [all(isinstance(row[column], int) for row in rows) for column in range(len(header))]
    for line in lines:
        cells = [
            " " * (columns - width(cell)) + cell if right else padded(cell, columns)
            for cell, columns, right in zip(line, widths, is_number, strict=True)
        ]
        print("  ".join(cells).rstrip())


def columns() -> int:
    """Return how wide the terminal is."""
    return shutil.get_terminal_size((80, 24)).columns


class Progress:
    """A line on standard error that says how far things are; only a terminal gets it."""

    def __init__(self, thing: str, total: int | None = None) -> None:
        self._thing = thing
        self._total = total
        self._shown_at = float("-inf")
        self._is_on = sys.stderr.isatty()
        self._began = time.monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_on:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show(self, done: int, things: int) -> None:
        """Show done of the total, and how many things that is; ten times a second at most."""
        now = time.monotonic()
        if not self._is_on or now < self._shown_at + 0.1:
            return
        self._shown_at = now
        rate = things / max(now - self._began, 0.001)
        text = f"{count(things, self._thing)}, {rate:.0f}/s"
        if self._total:
            share = min(done / self._total, 1)
            bar = "#" * int(share * 30)
            text = f"[{bar:30}] {share:4.0%}  {text}"
        print(f"\r{text[: columns() - 1]}\x1b[K", end="", file=sys.stderr, flush=True)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return str(value) if isinstance(value, UUID) else value
