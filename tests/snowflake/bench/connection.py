"""A client's connection to the bench, with what a client of the connector uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from snowflake.connector.converter import SnowflakeConverter
from snowflake.connector.errors import InterfaceError
from sqlglot.tokens import TokenType

from bench import adaptations
from bench.engine import Result, Session
from bench.faults import Fault, NotSupported
from bench.interpreter import Answer, Host, Request, literal
from bench.routines import Routine
from bench.sqltypes import NULL, SqlType, Value, of_python


class Database(Protocol):
    """What a connection needs of the bench."""

    def run(self, session: Session, request: Request) -> Result:
        """Adapts, logs and runs a statement."""

    def call(
        self, session: Session, name: str, positional: Sequence[Value], named: Mapping[str, Value]
    ) -> tuple[Routine, Answer]:
        """Calls a procedure."""

    def host(self, session: Session) -> Host:
        """The bench, as the interpreter of a session sees it."""

    def log(self, kind: str, text: str, routine: str | None) -> None:
        """Notes that a statement ran."""


def without_comments(text: str) -> Iterator[str]:
    """The statement without what stands before it; nothing where there is none."""
    stripped = re.sub(r"\A(\s*(--[^\n]*(\n|\Z)|/\*.*?\*/))*\s*", "", text, flags=re.DOTALL).strip()
    if stripped:
        yield stripped


class Column(NamedTuple):
    """A column of an answer, as the connector describes it."""

    name: str
    type_code: str
    display_size: int | None = None
    internal_size: int | None = None
    precision: int | None = None
    scale: int | None = None
    is_nullable: bool = True


class BenchCursor:
    """A cursor with what a client of the connector uses."""

    def __init__(self, connection: BenchConnection) -> None:
        self.connection = connection
        self._result: Result | None = None
        self._next = 0

    def __enter__(self) -> BenchCursor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> bool:
        """Forgets the answer."""
        self._result = None
        return True

    def execute(self, command: str, params: Sequence[Any] | Mapping[str, Any] | None = None) -> BenchCursor:
        """Runs one statement."""
        self._next = 0
        self._result = self.connection._execute(command, params)
        return self

    @property
    def description(self) -> list[Column] | None:
        """The columns of the answer."""
        if self._result is None:
            return None
        pairs = zip(self._result.columns, self._result.types, strict=True)
        return [Column(name, type_.family, precision=type_.size, scale=type_.scale) for name, type_ in pairs]

    @property
    def rowcount(self) -> int | None:
        """How many rows were changed or found."""
        if self._result is None:
            return None
        return len(self._result.rows) if self._result.changed is None else self._result.changed

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """The next rows."""
        rows = self._result.rows[self._next : self._next + size] if self._result is not None else []
        self._next += len(rows)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left."""
        return self.fetchmany(len(self._result.rows)) if self._result is not None else []

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())


class BenchConnection:
    """A connection with what a client of the connector uses."""

    def __init__(self, bench: Database, session: Session, paramstyle: str) -> None:
        self._bench = bench
        self.session = session
        self._paramstyle = paramstyle
        self._is_closed = False

    @property
    def is_pyformat(self) -> bool:
        """Whether parameters are put into the text by the client."""
        return self._paramstyle in ("pyformat", "format")

    def cursor(self) -> BenchCursor:
        """A cursor."""
        self._refuse_closed()
        return BenchCursor(self)

    def commit(self) -> None:
        """Commits the session's transaction."""
        self.cursor().execute("COMMIT")

    def rollback(self) -> None:
        """Rolls the session's transaction back."""
        self.cursor().execute("ROLLBACK")

    def is_closed(self) -> bool:
        """Whether the connection was closed."""
        return self._is_closed

    def close(self, retry: bool = True) -> None:
        """Closes the connection; an open transaction is rolled back."""
        if not self._is_closed:
            self._is_closed = True
            self.session.close()

    def __enter__(self) -> BenchConnection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise InterfaceError(msg="Connection is closed", errno=250002, sqlstate="08003")

    def _execute(self, command: str, params: Sequence[Any] | Mapping[str, Any] | None) -> Result:
        self._refuse_closed()
        values: list[Value] = []
        if self.is_pyformat and params:
            command = command % _quoted(params)
        elif params and isinstance(params, Mapping):
            raise NotSupported("named parameters with qmark")
        elif params:
            values = [of_python(content) for content in params]
        try:
            return self._run("".join(without_comments(command)).rstrip().rstrip(";"), values)
        except Fault as fault:
            raise fault.as_error() from fault.__cause__

    def _run(self, text: str, values: list[Value]) -> Result:
        tokens = adaptations.tokens_of(text)
        first = tokens[0].text.upper() if tokens else ""
        if first == "CALL":
            return self._call(text, values)
        if first in ("BEGIN", "COMMIT", "ROLLBACK"):
            return self._transaction(first, text)
        return self._bench.run(self.session, Request(first, text, values, text, None))

    def _transaction(self, kind: str, text: str) -> Result:
        if text.upper().split() not in (["BEGIN"], ["BEGIN", "TRANSACTION"], ["COMMIT"], ["ROLLBACK"]):
            raise NotSupported(text)
        self._bench.log(kind, text, None)
        if kind == "BEGIN":
            self.session.begin(None)
        else:
            self.session.end(kind, None)
        return Result(("status",), (SqlType("VARCHAR"),), [("Statement executed successfully.",)])

    def _call(self, text: str, values: list[Value]) -> Result:
        called = text[len("CALL") :]
        tokens = adaptations.tokens_of(called)
        if len(tokens) < 3 or tokens[1].token_type is not TokenType.L_PAREN:
            raise NotSupported(text[:60])
        positional: list[Value] = []
        named: dict[str, Value] = {}
        left = list(values)
        for argument in adaptations.entries_of(called, tokens, 1):
            found = re.match(r"(\w+)\s*=>\s*", argument)
            value = self._argument(argument[found.end() :] if found else argument, left)
            if found:
                named[found[1].upper()] = value
            else:
                positional.append(value)
        if left:
            raise NotSupported("more values than question marks")
        name = tokens[0].text.upper()
        self._bench.log("CALL", text, None)
        routine, answer = self._bench.call(self.session, name, positional, named)
        if answer.table is not None:
            return answer.table
        assert answer.value is not None
        type_ = answer.value.type if answer.value.type != NULL else (routine.returns or NULL)
        return Result((name,), (type_,), [(answer.value.content,)])

    def _argument(self, text: str, left: list[Value]) -> Value:
        """An argument of a client's CALL: a literal, a question mark, or an expression with question marks."""
        if (given := literal(text)) is not None:
            return given
        if text == "?":
            return left.pop(0)
        marks = [token for token in adaptations.tokens_of(text) if token.token_type is TokenType.PLACEHOLDER]
        values, left[:] = left[: len(marks)], left[len(marks) :]
        bound = text
        for token, value in zip(reversed(marks), reversed(values), strict=True):
            bound = f"{bound[: token.start]}CAST(? AS {_bound_type(value)}){bound[token.end + 1 :]}"
        request = Request("SELECT", f"SELECT {bound}", values, text, None, ("bind-variables",) if values else ())
        return self._bench.host(self.session).expression(request)


def _bound_type(value: Value) -> str:
    family = "VARCHAR" if value.type == NULL else value.type.family
    return f"NUMBER({value.type.size or 38}, {value.type.scale or 0})" if family == "NUMBER" else family


def _quoted(params: Sequence[Any] | Mapping[str, Any]) -> tuple[str, ...] | dict[str, str]:
    converter = SnowflakeConverter()

    def quote(value: Any) -> str:
        return str(converter.quote(converter.escape(converter.to_snowflake(value))))

    if isinstance(params, Mapping):
        return {name: quote(value) for name, value in params.items()}
    return tuple(quote(value) for value in params)
