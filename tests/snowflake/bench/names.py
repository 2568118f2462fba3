"""Checks the names of a whole block before any of it runs, as an account does when a procedure is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.faults import Fault, NotSupported, invalid_identifier, refused
from bench.script import (
    Assign,
    Bind,
    Block,
    Call,
    DeclareException,
    ExecuteImmediate,
    For,
    Fragment,
    If,
    Node,
    Position,
    Raise,
    Return,
    Sql,
    While,
)
from bench.sqltypes import SqlType

STATUS = frozenset({"SQLROWCOUNT", "SQLFOUND", "SQLNOTFOUND"})
ERROR = frozenset({"SQLERRM", "SQLCODE", "SQLSTATE"})
RESULTSET, RECORD, EXCEPTION, VARIABLE = "RESULTSET", "RECORD", "EXCEPTION", "VARIABLE"


class Names:
    """The names in scope at a place of a block, innermost last."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self._scopes: list[dict[str, str]] = [dict.fromkeys(parameters, VARIABLE)]
        self._handlers = 0

    def check(self, block: Block) -> None:
        """Refuses the block for the first name that is not in scope."""
        self._scopes.append({})
        for declaration in block.declarations:
            self._statement(declaration)
        declared = dict(self._scopes[-1])
        for node in block.body:
            self._statement(node)
        late = self._scopes[-1].keys() - declared.keys()
        self._scopes[-1] = declared
        self._handlers += 1
        for handler in block.handlers:
            for name in handler.names:
                if name not in ("OTHER", "STATEMENT_ERROR", "EXPRESSION_ERROR"):
                    self._needs(name, EXCEPTION, block.position)
            self._body(handler.body, late)
        self._handlers -= 1
        self._scopes.pop()

    def _body(self, nodes: Sequence[Node], late: Iterable[str] = ()) -> None:
        self._scopes.append({})
        try:
            for node in nodes:
                self._statement(node)
        except Fault as fault:
            for name in late:
                if fault.message.endswith(f"'{name}'"):
                    raise NotSupported(f"a handler that uses {name}, a LET of the block's body") from fault
            raise
        finally:
            self._scopes.pop()

    def _kind(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _needs(self, name: str, kind: str, position: Position) -> None:
        if self._kind(name) != kind:
            raise invalid_identifier(name, *position)

    def _bind(self, bind: Bind) -> None:
        kind = self._kind(bind.name)
        if bind.field is not None:
            if kind != RECORD or bind.end - bind.start != len(bind.name) + 1 + len(bind.field):
                raise invalid_identifier(f"{bind.name}.{bind.field}", *bind.position)
        elif kind is None and bind.name in ERROR:
            if self._handlers == 0:
                raise NotSupported(f"{bind.name} outside a handler")
        elif kind != VARIABLE and not (kind is None and bind.name in STATUS):
            raise invalid_identifier(bind.name, *bind.position)

    def _fragment(self, fragment: Fragment | None) -> None:
        for bind in fragment.binds if fragment is not None else ():
            self._bind(bind)

    def _statement(self, node: Node) -> None:
        if isinstance(node, DeclareException):
            self._scopes[-1][node.name] = EXCEPTION
        elif isinstance(node, Assign):
            self._assign(node)
        elif isinstance(node, Sql):
            self._fragment(node.fragment)
            for name in node.into:
                self._needs(name, VARIABLE, node.position)
        elif isinstance(node, Call):
            for _name, argument in node.arguments:
                self._fragment(argument)
            if node.into is not None:
                self._needs(node.into, VARIABLE, node.position)
        elif isinstance(node, If):
            for condition, body in node.branches:
                self._fragment(condition)
                self._body(body)
        elif isinstance(node, While):
            self._fragment(node.condition)
            self._body(node.body)
        elif isinstance(node, For):
            self._needs(node.source, RESULTSET, node.position)
            self._scopes.append({node.record: RECORD})
            self._body(node.body)
            self._scopes.pop()
        elif isinstance(node, Return):
            if node.table is not None:
                self._needs(node.table, RESULTSET, node.position)
            self._fragment(node.value)
        elif isinstance(node, ExecuteImmediate):
            self._fragment(node.text)
        elif isinstance(node, Raise):
            if node.name is not None:
                self._needs(node.name, EXCEPTION, node.position)
            elif self._handlers == 0:
                raise refused("RAISE without a name outside a handler")
        elif isinstance(node, Block):
            self.check(node)

    def _assign(self, node: Assign) -> None:
        self._fragment(node.value)
        if node.query is not None:
            self._statement(node.query)
        if node.is_new:
            is_resultset = node.type == SqlType("RESULTSET")
            self._scopes[-1][node.name] = RESULTSET if is_resultset else VARIABLE
            return
        kind = self._kind(node.name)
        if kind == RESULTSET and node.query is None:
            raise NotSupported(f"assigning something that is no query in parentheses to the RESULTSET {node.name}")
        if kind not in (RESULTSET, VARIABLE):
            raise invalid_identifier(node.name, *node.position)


def returns(nodes: Iterable[Node]) -> Iterable[Return]:
    """Every RETURN of a body, reachable or not."""
    for node in nodes:
        if isinstance(node, Return):
            yield node
        elif isinstance(node, Block):
            yield from returns(node.body)
            for handler in node.handlers:
                yield from returns(handler.body)
        elif isinstance(node, If):
            for _condition, body in node.branches:
                yield from returns(body)
        elif isinstance(node, (While, For)):
            yield from returns(node.body)
