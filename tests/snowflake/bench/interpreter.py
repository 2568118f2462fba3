"""Runs the block of a procedure: variables, control flow, handlers and scoped transactions, as accounts do it.

What it does not know it refuses with NotSupported, which no handler catches. Statements go to the session; scripting
expressions are evaluated by the database as well, with the variables bound, except for the trivial ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bench.engine import Result, Session
from bench.faults import INTO_NOT_ONE_ROW, WRONG_RETURN, Fault, NotSupported, refused
from bench.names import ERROR, STATUS, Names, returns
from bench.routines import Routine
from bench.script import (
    Assign,
    Block,
    Call,
    DeclareException,
    ExecuteImmediate,
    For,
    Fragment,
    Handler,
    If,
    Leave,
    Node,
    Raise,
    Return,
    Sql,
    Transaction,
    While,
    is_script,
    parse_script,
    unquote,
)
from bench.sqltypes import BOOLEAN, FLOAT, NULL, NUMBER, UNTOLD, VARCHAR, SqlType, Value, convert


@dataclass(frozen=True)
class Request:
    """A statement to run: its text with parameters, the text as shipped, and what made the one the other."""

    kind: str
    text: str
    parameters: Sequence[Value]
    shipped: str
    routine: str | None
    made: tuple[str, ...] = ()


class Host(Protocol):
    """What the interpreter needs of the bench: statements that are adapted and logged, and other procedures."""

    session: Session

    def statement(self, request: Request) -> Result:
        """Runs a statement."""

    def note(self, kind: str, text: str, routine: str) -> None:
        """Logs a statement that the runner handles."""

    def expression(self, request: Request) -> Value:
        """Evaluates an expression that reads no table."""

    def call(self, name: str, positional: Sequence[Value], named: dict[str, Value]) -> Answer:
        """Calls a procedure."""


@dataclass
class Answer:
    """What a procedure answers: one value, or rows."""

    value: Value | None = None
    table: Result | None = None


@dataclass
class _Variable:
    type: SqlType
    content: Any = None


class _Returned(Exception):  # noqa: N818 - control flow
    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class _Left(Exception):  # noqa: N818 - control flow
    def __init__(self, kind: str) -> None:
        self.kind = kind


@dataclass
class _Scope:
    variables: dict[str, _Variable] = field(default_factory=dict)
    exceptions: dict[str, DeclareException] = field(default_factory=dict)


_LITERALS: tuple[tuple[re.Pattern[str], Callable[[str], Value]], ...] = (
    (re.compile(r"-?\d{1,38}"), lambda text: Value(SqlType("NUMBER", len(text.lstrip("-")), 0), int(text))),
    (re.compile(r"'(?:[^'\\]|''|\\.)*'", re.DOTALL), lambda text: Value(VARCHAR, unquote(text))),
    (re.compile(r"TRUE|FALSE", re.IGNORECASE), lambda text: Value(BOOLEAN, text.upper() == "TRUE")),
    (re.compile(r"NULL", re.IGNORECASE), lambda _text: Value(NULL, None)),
)


def literal(text: str) -> Value | None:
    """The value of a literal; None for anything else."""
    text = text.strip()
    return next((make(text) for pattern, make in _LITERALS if pattern.fullmatch(text)), None)


def run_procedure(host: Host, routine: Routine, arguments: dict[str, Value]) -> Answer:
    """One call of a procedure, with its transaction scope."""
    assert routine.block is not None
    Names(parameter.name for parameter in routine.parameters).check(routine.block)
    _refuse_returns(routine)
    frame = Frame(host, routine.name)
    for parameter in routine.parameters:
        value = convert(arguments[parameter.name], _without_width(parameter.type))
        frame.define(parameter.name, parameter.type, value.content)
    try:
        answer = frame.run(routine.block, is_top=routine)
    except Fault as fault:
        if host.session.leave(frame):
            raise NotSupported(
                f"{routine.name}: an exception left its transaction open: ROLLBACK in a handler"
            ) from fault
        raise fault.uncaught() from None
    except NotSupported:
        host.session.leave(frame)
        raise
    if host.session.leave(frame):
        raise Fault(
            "Stored procedure execution error: Scoped transaction started in stored procedure is incomplete and it was"
            " rolled back.",
            90232,
            "22000",
        )
    return _checked_answer(routine, answer)


def _without_width(type_: SqlType) -> SqlType:
    """An account does not hold an argument to the width of a VARCHAR parameter."""
    return replace(type_, size=None) if type_.family == "VARCHAR" else type_


def _refuse_returns(routine: Routine) -> None:
    assert routine.block is not None
    for node in returns([routine.block]):
        if routine.columns is not None and node.table is None:
            raise refused(f"a scalar RETURN in {routine.name}, which returns a table", WRONG_RETURN)
        if routine.columns is None and node.table is not None:
            raise refused(f"RETURN TABLE in {routine.name}, which returns {routine.returns}", WRONG_RETURN)


def _checked_answer(routine: Routine, answer: Answer | None) -> Answer:
    if routine.columns is None:
        return answer or Answer(Value(NULL, None))
    if answer is None or answer.table is None:
        raise Fault(f"{routine.name} ended without RETURN TABLE", WRONG_RETURN, "42000")
    table = answer.table
    if not routine.columns:
        return answer
    declared = tuple(type_ for _name, type_ in routine.columns)
    if any(type_.family in UNTOLD or type_.family == "NULL" for type_ in table.types):
        index = next(i for i, type_ in enumerate(table.types) if type_.family in UNTOLD or type_.family == "NULL")
        raise NotSupported(f"{routine.name}: the type of {table.columns[index]} does not show in the query: cast it")
    if len(declared) != len(table.types) or any(
        not _same_family(has, wants) for has, wants in zip(table.types, declared, strict=True)
    ):
        found = ", ".join(map(str, table.types))
        raise refused(f"data type of returned table does not match expected returned table type: {found}", WRONG_RETURN)
    return Answer(None, Result(tuple(name for name, _type in routine.columns), table.types, table.rows))


def _same_family(has: SqlType, wants: SqlType) -> bool:
    is_time = has.family.startswith("TIMESTAMP")
    return has.family == wants.family and (not is_time or has.fraction_digits == wants.fraction_digits)


@contextmanager
def _faults_of_expressions() -> Iterator[None]:
    try:
        yield
    except Fault as fault:
        raise Fault(fault.message, fault.code, fault.state, "EXPRESSION_ERROR") from None


class Frame:
    """A running block: its variables, and what the last statement did."""

    def __init__(self, host: Host, routine: str) -> None:
        self._host = host
        self._routine = routine
        self._scopes: list[_Scope] = [_Scope()]
        self._handled: list[Fault] = []
        self._changed: int | None = None
        self._nesting = 0
        self._returns: SqlType | None = None

    def define(self, name: str, type_: SqlType, content: Any) -> None:
        """A variable of the innermost scope."""
        self._scopes[-1].variables[name] = _Variable(type_, content)

    def run(self, block: Block, is_top: Routine | None = None) -> Answer | None:
        """Runs the block to its end or its RETURN."""
        self._returns = is_top.returns if is_top is not None else None
        try:
            self._block(block)
        except _Returned as returned:
            return returned.answer
        return None

    # Blocks and handlers

    @contextmanager
    def _scope(self) -> Iterator[_Scope]:
        scope = _Scope()
        self._scopes.append(scope)
        try:
            yield scope
        finally:
            self._scopes.pop()

    @contextmanager
    def _nested(self) -> Iterator[None]:
        self._nesting += 1
        try:
            with self._scope():
                yield
        finally:
            self._nesting -= 1

    def _block(self, block: Block) -> None:
        with self._scope() as scope:
            for declaration in block.declarations:
                self._statement(declaration)
            declared = dict(scope.variables)
            try:
                for node in block.body:
                    self._statement(node)
            except Fault as fault:
                handler = self._handler(block, fault)
                if handler is None:
                    raise
                scope.variables = declared
                self._handle(handler, fault)

    def _handler(self, block: Block, fault: Fault) -> Handler | None:
        named = (handler for handler in block.handlers if fault.kind in handler.names)
        other = (handler for handler in block.handlers if "OTHER" in handler.names)
        return next(named, None) or next(other, None)

    def _handle(self, handler: Handler, fault: Fault) -> None:
        self._handled.append(fault)
        try:
            with self._nested():
                for node in handler.body:
                    self._statement(node)
        finally:
            self._handled.pop()

    def _body(self, nodes: Sequence[Node]) -> None:
        with self._nested():
            for node in nodes:
                self._statement(node)

    # Statements

    def _statement(self, node: Node) -> None:
        try:
            self._dispatch(node)
        except Fault as fault:
            if fault.position is None:
                fault.position = node.position
            raise

    def _dispatch(self, node: Node) -> None:
        if isinstance(node, Block):
            self._nesting += 1
            try:
                self._block(node)
            finally:
                self._nesting -= 1
        elif isinstance(node, Assign):
            self._assign(node)
        elif isinstance(node, DeclareException):
            self._scopes[-1].exceptions[node.name] = node
        elif isinstance(node, Sql):
            self._sql(node)
        elif isinstance(node, Call):
            self._call(node)
        elif isinstance(node, Transaction):
            self._transaction(node)
        elif isinstance(node, (If, While, For, Leave)):
            self._control(node)
        elif isinstance(node, Return):
            raise _Returned(self._returned(node))
        elif isinstance(node, Raise):
            raise self._raised(node)
        elif isinstance(node, ExecuteImmediate):
            self._execute_immediate(node)
        else:
            raise NotSupported(type(node).__name__)

    def _assign(self, node: Assign) -> None:
        target = self._scopes[-1].variables.get(node.name) if node.is_new else self._variable(node.name)
        is_resultset = node.type == SqlType("RESULTSET") or (not node.is_new and self._holds_rows(node.name))
        if node.query is not None and is_resultset:
            result = self._query(node.query)
            self._changed = None
            self._store(node, Value(SqlType("RESULTSET"), result), SqlType("RESULTSET"))
            return
        if node.query is not None:
            with _faults_of_expressions():
                value = self._single(self._query(node.query))
            self._store_converted(node, value, target)
            return
        if is_resultset:
            self._store(node, Value(SqlType("RESULTSET"), None), SqlType("RESULTSET"))
            return
        value = self._evaluate(node.value) if node.value is not None else Value(NULL, None)
        self._store_converted(node, value, target)

    def _holds_rows(self, name: str) -> bool:
        return self._variable(name).type.family == "RESULTSET"

    def _store_converted(self, node: Assign, value: Value, target: _Variable | None) -> None:
        type_ = node.type if node.is_new else (target.type if target is not None else None)
        if type_ is None:
            type_ = _inferred(node, value)
        with _faults_of_expressions():
            converted = convert(value, type_)
        self._store(node, converted, type_)

    def _store(self, node: Assign, value: Value, type_: SqlType) -> None:
        if node.is_new:
            self._scopes[-1].variables[node.name] = _Variable(type_, value.content)
        else:
            self._variable(node.name).content = value.content

    def _variable(self, name: str) -> _Variable:
        for scope in reversed(self._scopes):
            if name in scope.variables:
                return scope.variables[name]
        raise NotSupported(f"the name {name}")

    def _request(self, kind: str, text: str, values: Sequence[Value], shipped: str, *made: str) -> Request:
        bound = ("bind-variables",) if values else ()
        return Request(kind, text, values, shipped, self._routine, (*bound, *made))

    def _query(self, node: Sql) -> Result:
        text, values = self._bound(node.fragment)
        return self._host.statement(self._request(node.kind, text, values, node.fragment.text))

    def _sql(self, node: Sql) -> None:
        if node.into_span is None:
            result = self._query(node)
        else:
            start, end = node.into_span
            binds = tuple(
                replace(bind, start=bind.start - (end - start), end=bind.end - (end - start))
                if bind.start >= end
                else bind
                for bind in node.fragment.binds
            )
            without = Fragment(node.fragment.text[:start] + node.fragment.text[end:], binds)
            text, values = self._bound(without)
            result = self._host.statement(self._request(node.kind, text, values, node.fragment.text, "select-into"))
            self._into(node.into, result)
        self._changed = result.changed

    def _into(self, names: Sequence[str], result: Result) -> None:
        if len(result.rows) != 1:
            found = "no rows" if not result.rows else f"{len(result.rows)} rows"
            raise Fault(
                f"A SELECT INTO statement expects exactly 1 returned row, but got {found}.", INTO_NOT_ONE_ROW, "02000"
            )
        if len(names) != len(result.types):
            text = f"a SELECT of {len(result.types)} columns INTO {len(names)} variables"
            raise refused(text)
        for name, type_, content in zip(names, result.types, result.rows[0], strict=True):
            variable = self._variable(name)
            variable.content = convert(Value(type_, content), variable.type).content

    def _call(self, node: Call) -> None:
        positional: list[Value] = []
        named: dict[str, Value] = {}
        for name, fragment in node.arguments:
            value = self._evaluate(fragment)
            if name is None:
                positional.append(value)
            else:
                named[name] = value
        self._host.note("CALL", node.text, self._routine)
        answer = self._host.call(node.name, positional, named)
        self._changed = None
        if node.into is not None:
            value = answer.value if answer.value is not None else self._single(answer.table or Result())
            variable = self._variable(node.into)
            variable.content = convert(value, variable.type).content

    def _single(self, result: Result) -> Value:
        if len(result.types) != 1 or len(result.rows) > 1:
            raise NotSupported("a query of more than one value assigned to a variable")
        return Value(result.types[0], result.rows[0][0] if result.rows else None)

    def _transaction(self, node: Transaction) -> None:
        self._host.note(node.kind, node.text, self._routine)
        if node.kind == "BEGIN":
            self._host.session.begin(self)
        else:
            self._host.session.end(node.kind, self)
        self._changed = None

    def _control(self, node: If | While | For | Leave) -> None:
        if isinstance(node, If):
            for condition, body in node.branches:
                if condition is None or self._is_true(condition):
                    self._body(body)
                    return
        elif isinstance(node, While):
            while node.condition is None or self._is_true(node.condition):
                if not self._once(node.body):
                    return
        elif isinstance(node, For):
            rows = self._variable(node.source)
            if not isinstance(rows.content, Result):
                raise NotSupported(f"a loop over {node.source}, which holds no rows")
            for row in rows.content.rows:
                with self._scope():
                    self.define(node.record, SqlType("RESULTSET"), (rows.content, row))
                    if not self._once(node.body):
                        return
        else:
            raise _Left(node.kind)

    def _once(self, body: Sequence[Node]) -> bool:
        try:
            self._body(body)
        except _Left as left:
            return left.kind == "CONTINUE"
        return True

    def _is_true(self, condition: Fragment) -> bool:
        value = self._evaluate(condition)
        if value.content is None:
            return False
        if value.type.family == "BOOLEAN":
            return value.content is True
        raise NotSupported(f"the condition {condition.text}, which is no BOOLEAN: compare explicitly")

    def _returned(self, node: Return) -> Answer:
        if node.table is not None:
            rows = self._variable(node.table).content
            if not isinstance(rows, Result):
                raise NotSupported(f"RETURN TABLE({node.table}), which holds no rows")
            return Answer(None, rows)
        value = self._evaluate(node.value)
        is_direct = self._nesting == 0 and (literal(node.value.text) is not None or _is_variable(node.value))
        if self._returns is None or not is_direct:
            return Answer(value)
        return Answer(convert(value, self._returns))

    def _raised(self, node: Raise) -> Fault:
        if node.name is None:
            return self._handled[-1]
        for scope in reversed(self._scopes):
            if node.name in scope.exceptions:
                declared = scope.exceptions[node.name]
                return Fault(declared.message, declared.code, "P0001", declared.name)
        raise NotSupported(f"RAISE {node.name}")

    def _execute_immediate(self, node: ExecuteImmediate) -> None:
        value = self._evaluate(node.text)
        if value.type.family != "VARCHAR" or value.content is None:
            raise NotSupported("EXECUTE IMMEDIATE of something that is no text")
        text = value.content
        self._host.note("EXECUTE IMMEDIATE", node.text.text, self._routine)
        if not is_script(text):
            result = self._host.statement(self._request(text.split(None, 1)[0].upper(), text, (), text))
            self._changed = result.changed
            return
        block = parse_script(text)
        Names(()).check(block)
        inner = Frame(self._host, self._routine)
        try:
            inner.run(block)
        except Fault as fault:
            if self._host.session.leave(inner):
                raise NotSupported("an executed block that leaves its transaction open") from fault
            raise fault.uncaught() from None
        if self._host.session.leave(inner):
            raise NotSupported("an executed block that leaves its transaction open")
        self._changed = None

    # Expressions

    def _evaluate(self, fragment: Fragment) -> Value:
        given = literal(fragment.text)
        if given is not None:
            return given
        if _is_variable(fragment):
            return self._value(fragment.binds[0].name, fragment.binds[0].field)
        text, values = self._bound(fragment)
        reads = re.search(r"\bSELECT\b", text, re.IGNORECASE) is not None
        request = self._request("SELECT", f"SELECT {text}", values, fragment.text)
        with _faults_of_expressions():
            if reads:
                return self._single(self._host.statement(request))
            return self._host.expression(request)

    def _value(self, name: str, column: str | None) -> Value:
        if column is not None:
            result, row = self._variable(name).content
            if column not in result.columns:
                raise refused(f"invalid identifier '{name}.{column}'", 904)
            index = result.columns.index(column)
            return Value(result.types[index], row[index])
        for scope in reversed(self._scopes):
            if name in scope.variables:
                variable = scope.variables[name]
                return Value(variable.type, variable.content)
        if name in STATUS:
            return self._status(name)
        if name in ERROR and self._handled:
            fault = self._handled[-1]
            return Value(VARCHAR, {"SQLERRM": fault.message, "SQLCODE": str(fault.code), "SQLSTATE": fault.state}[name])
        raise NotSupported(f"the name {name}")

    def _status(self, name: str) -> Value:
        if name == "SQLROWCOUNT":
            return Value(NUMBER, self._changed)
        if self._changed is None:
            return Value(BOOLEAN, None)
        return Value(BOOLEAN, (self._changed > 0) == (name == "SQLFOUND"))

    def _bound(self, fragment: Fragment) -> tuple[str, list[Value]]:
        """The text with a parameter, cast to its type, in the place of each variable."""
        pieces, values, end = [], [], 0
        for bind in fragment.binds:
            value = self._value(bind.name, bind.field)
            if value.type.family == "RESULTSET":
                raise NotSupported(f"the RESULTSET {bind.name} in an expression")
            if value.type.family == "TIMESTAMP_TZ" and not _keeps_zone(fragment.text, bind.start, bind.end):
                raise NotSupported(f"{bind.name}, a TIMESTAMP_TZ, outside CONVERT_TIMEZONE: DuckDB keeps no offset")
            pieces.append(fragment.text[end : bind.start])
            pieces.append(placeholder(value.type))
            if value.type.family != "NULL":
                values.append(value)
            end = bind.end
        return "".join((*pieces, fragment.text[end:])), values


def _keeps_zone(text: str, start: int, end: int) -> bool:
    converted = re.search(r"CONVERT_TIMEZONE\s*\(\s*'UTC'\s*,\s*$", text[:start], re.IGNORECASE)
    compared = re.match(r"\s+IS\s+(NOT\s+)?NULL\b", text[end:], re.IGNORECASE)
    return bool(converted or compared)


def placeholder(type_: SqlType) -> str:
    """A parameter that has the type of its variable."""
    if type_.family == "NULL":
        return "NULL"
    family = {"JSON": "VARIANT", "TIMESTAMP": "TIMESTAMP_NTZ"}.get(type_.family, type_.family)
    declared = f"({type_.size or 38}, {type_.scale or 0})" if family == "NUMBER" else ""
    return f"CAST(? AS {family}{declared})"


def _is_variable(fragment: Fragment) -> bool:
    return len(fragment.binds) == 1 and fragment.binds[0].start == 0 and fragment.binds[0].end == len(fragment.text)


def _inferred(node: Assign, value: Value) -> SqlType:
    """The type of a variable that is declared without one; only where it does not need to be guessed."""
    if node.value is not None and literal(node.value.text) is not None and value.type.family != "NULL":
        return NUMBER if value.type.family == "NUMBER" else value.type
    if node.value is not None and re.fullmatch(r"\s*-?\d+\.\d+\s*", node.value.text):
        return FLOAT
    raise NotSupported(f"{node.name} without a type: declare one")
