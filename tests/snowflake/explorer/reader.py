"""Procedures as programs: what the parser finds in their bodies, and in those that they call, in one list.

What is read, written, matched on and tested comes from the text. What is not understood is refused, so that no verdict
is about a procedure as it used to be.
"""

from __future__ import annotations

from dataclasses import replace

from bench import script
from explorer import condition
from explorer.catalog import Catalog, Procedure
from explorer.program import (
    UNKNOWN,
    Assign,
    Begin,
    Commit,
    Condition,
    CountRows,
    Fail,
    FailAgain,
    ForgetRows,
    GoTo,
    Instruction,
    NotModelled,
    Program,
    Return,
    Rollback,
    Unknown,
    Unless,
)
from explorer.segments import Scope
from explorer.statements import read_statement

RACED = "40001"
REFUSED = "REFUSED"

_TRANSACTION: dict[str, Instruction] = {"BEGIN": Begin(), "COMMIT": Commit(), "ROLLBACK": Rollback()}


def read_procedure(catalog: Catalog, name: str) -> Program:
    """Return the program of a procedure."""
    procedure = catalog.procedure(name)
    body = _Body(catalog)
    scope = Scope("", {parameter: body.variable(parameter) for parameter in procedure.parameters})
    _Text(body, procedure, scope).add(None)
    handlers = tuple(None if label is None else label.place for label in body.handlers)
    return Program(
        name, procedure.parameters, tuple(body.instructions), handlers, tuple(body.variables), catalog.tables()
    )


class _Label:
    """A place in the program that is not known yet."""

    place: int = -1


class _Body:
    """A program that is being put together."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.instructions: list[Instruction] = []
        self.handlers: list[_Label | None] = []
        self.variables: list[str] = []
        self.calls: list[str] = []

    def variable(self, name: str) -> str:
        if name not in self.variables:
            self.variables.append(name)
        return name

    def emit(self, instruction: Instruction, handler: _Label | None) -> int:
        self.instructions.append(instruction)
        self.handlers.append(handler)
        return len(self.instructions) - 1

    def land(self, *jumps: int) -> None:
        """Let these jumps lead to what comes next."""
        for jump in jumps:
            instruction = self.instructions[jump]
            assert isinstance(instruction, GoTo | Unless)
            self.instructions[jump] = replace(instruction, target=len(self.instructions))


class _Text:
    """One procedure's text, on its way into the program."""

    def __init__(self, body: _Body, procedure: Procedure, scope: Scope) -> None:
        self.body, self.procedure, self.scope = body, procedure, scope
        self.returns: list[int] = []
        self.exceptions: set[str] = set()

    def add(self, handler: _Label | None) -> None:
        if self.procedure.name in self.body.calls:
            raise NotModelled(f"{self.procedure.name} calls itself")
        self.body.calls.append(self.procedure.name)
        self.block(script.parse_script(self.procedure.body), handler)
        self.body.land(*self.returns)
        self.body.calls.pop()

    def block(self, block: script.Block, outer: _Label | None) -> None:
        for declared in block.declarations:
            if isinstance(declared, script.DeclareException):
                self.exceptions.add(declared.name)
            else:
                self.assign(declared, outer)
        if not block.handlers:
            self.run(block.body, outer)
            return
        if len(block.handlers) > 1 or block.handlers[0].names != ("OTHER",):
            raise NotModelled(f"{self.procedure.name}: handlers other than one WHEN OTHER")
        label = _Label()
        self.run(block.body, label)
        past = self.body.emit(GoTo(-1), outer)
        label.place = len(self.body.instructions)
        self.run(block.handlers[0].body, outer)
        self.body.land(past)

    def run(self, nodes: tuple[script.Node, ...], handler: _Label | None) -> None:
        for node in nodes:
            self.statement(node, handler)

    def statement(self, node: script.Node, handler: _Label | None) -> None:
        emit = self.body.emit
        if isinstance(node, script.Sql):
            emit(read_statement(self.body.catalog, self.scope, node), handler)
        elif isinstance(node, script.Assign):
            self.assign(node, handler)
        elif isinstance(node, script.If):
            self.branch(node, handler)
        elif isinstance(node, script.Call):
            self.call(node, handler)
        elif isinstance(node, script.Block):
            self.block(node, handler)
        elif isinstance(node, script.Transaction):
            emit(_TRANSACTION[node.kind], handler)
        elif isinstance(node, script.Raise):
            if node.name is not None and node.name not in self.exceptions:
                raise NotModelled(f"{self.procedure.name}: RAISE {node.name}")
            emit(FailAgain() if node.name is None else Fail(node.name), handler)
        elif isinstance(node, script.Return):
            self.give_back(node, handler)
        else:
            raise NotModelled(f"{self.procedure.name}: {type(node).__name__}, in line {node.position[0]} of its body")

    def branch(self, node: script.If, handler: _Label | None) -> None:
        ends = []
        for test, statements in node.branches:
            if test is None:
                self.run(statements, handler)
                continue
            skip = self.body.emit(Unless(condition.read(test.text, self.scope.resolve), -1), handler)
            self.run(statements, handler)
            ends.append(self.body.emit(GoTo(-1), handler))
            self.body.land(skip)
        self.body.land(*ends)

    def assign(self, node: script.Assign, handler: _Label | None) -> None:
        if node.query is not None:
            raise NotModelled(f"{self.procedure.name}: {node.name} takes the rows of a query")
        text = node.value.text.strip() if node.value is not None else "NULL"
        value = self.expression(text)
        if node.is_new:
            self.scope.names[node.name] = self.body.variable(self.scope.prefix + node.name)
        name = self.scope.resolve(node.name)
        self.body.emit(CountRows(name) if text == "SQLROWCOUNT" else Assign(name, value), handler)

    def expression(self, text: str) -> Condition | Unknown:
        try:
            return condition.read(text, self.scope.resolve)
        except NotModelled:
            return UNKNOWN

    def give_back(self, node: script.Return, handler: _Label | None) -> None:
        if node.table is not None:
            raise NotModelled(f"{self.procedure.name} returns rows")
        if len(self.body.calls) > 1:
            self.returns.append(self.body.emit(GoTo(-1), handler))
        else:
            self.body.emit(Return(self.scope.names.get(node.value.text.strip().lstrip(":"))), handler)

    def call(self, node: script.Call, handler: _Label | None) -> None:
        if any(name is not None for name, _ in node.arguments):
            raise NotModelled(f"{self.procedure.name} names the arguments of {node.name}")
        texts = [fragment.text.strip() for _, fragment in node.arguments]
        if node.name == "RAISE_ERROR":
            self.body.emit(Fail(RACED if texts[0] == f"'{RACED}'" else REFUSED), handler)
            return
        procedure = self.body.catalog.procedure(node.name)
        scope = Scope(f"{node.name}.", {})
        for parameter, text in zip(procedure.parameters, texts, strict=True):
            if text.startswith(":"):
                scope.names[parameter] = self.scope.resolve(text[1:])
            else:
                scope.names[parameter] = self.body.variable(scope.prefix + parameter)
                self.body.emit(Assign(scope.names[parameter], self.expression(text)), handler)
        _Text(self.body, procedure, scope).add(handler)
        self.body.emit(ForgetRows(), handler)
        if node.into is not None:
            self.body.emit(Assign(self.scope.resolve(node.into), UNKNOWN), handler)
