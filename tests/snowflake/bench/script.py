"""Snowflake Scripting as a tree: what sqlfluff's parser finds in a text, reduced to what the interpreter runs.

sqlfluff decides whether a text is a script. What it cannot parse, and what it can parse and the interpreter does not
run, is refused here, when the procedure is created.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlfluff.core import FluffConfig, Lexer, Parser
from sqlfluff.core.parser import BaseSegment

from bench.faults import Fault, NotSupported, refused
from bench.sqltypes import SqlType

Position = tuple[int, int]


@dataclass(frozen=True)
class Bind:
    """A variable within a text: where it stands, and the field when it is a record's."""

    start: int
    end: int
    name: str
    field: str | None
    position: Position


@dataclass(frozen=True)
class Fragment:
    """A piece of SQL with the variables in it."""

    text: str
    binds: tuple[Bind, ...]


@dataclass(frozen=True)
class Node:
    """A statement and where it stands: line from 1, position from 0."""

    position: Position


@dataclass(frozen=True)
class Assign(Node):
    """A value for a variable; a LET or a declaration when it is new. A query in parentheses is kept as one."""

    name: str
    type: SqlType | None
    value: Fragment | None
    query: Sql | None
    is_new: bool


@dataclass(frozen=True)
class DeclareException(Node):
    """An exception that the block can raise."""

    name: str
    code: int
    message: str


@dataclass(frozen=True)
class Sql(Node):
    """A statement that the database runs, and the variables that take its one row."""

    kind: str
    fragment: Fragment
    into: tuple[str, ...]
    into_span: tuple[int, int] | None


@dataclass(frozen=True)
class Call(Node):
    """A call of a procedure."""

    name: str
    arguments: tuple[tuple[str | None, Fragment], ...]
    into: str | None
    text: str


@dataclass(frozen=True)
class Transaction(Node):
    """BEGIN TRANSACTION, COMMIT or ROLLBACK."""

    kind: str
    text: str


@dataclass(frozen=True)
class If(Node):
    """Conditions with their statements, and what else; a condition of None is ELSE."""

    branches: tuple[tuple[Fragment | None, tuple[Node, ...]], ...]


@dataclass(frozen=True)
class While(Node):
    """A loop with a condition; none for LOOP."""

    condition: Fragment | None
    body: tuple[Node, ...]


@dataclass(frozen=True)
class For(Node):
    """A loop over the rows of a RESULTSET."""

    record: str
    source: str
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Leave(Node):
    """BREAK or CONTINUE."""

    kind: str


@dataclass(frozen=True)
class Return(Node):
    """RETURN of a value, or of a RESULTSET's rows."""

    value: Fragment
    table: str | None


@dataclass(frozen=True)
class Raise(Node):
    """RAISE; without a name it raises again what is being handled."""

    name: str | None


@dataclass(frozen=True)
class ExecuteImmediate(Node):
    """A text that is run as a block or as a statement."""

    text: Fragment


@dataclass(frozen=True)
class Handler:
    """What a block does about the exceptions that it names."""

    names: tuple[str, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Block(Node):
    """A block with its declarations and handlers."""

    declarations: tuple[Assign | DeclareException, ...] = ()
    body: tuple[Node, ...] = ()
    handlers: tuple[Handler, ...] = field(default=())


_CONFIG = FluffConfig(overrides={"dialect": "snowflake", "large_file_skip_byte_limit": 0})
_QUERIES = {
    "select_statement": "SELECT",
    "with_compound_statement": "SELECT",
    "set_expression": "SELECT",
    "values_clause": "SELECT",
}
_STATEMENTS = {
    **_QUERIES,
    "insert_statement": "INSERT",
    "update_statement": "UPDATE",
    "delete_statement": "DELETE",
    "merge_statement": "MERGE",
    "copy_into_table_statement": "COPY",
    "create_table_statement": "CREATE",
    "create_table_as_statement": "CREATE",
    "drop_table_statement": "DROP",
    "truncate_table": "TRUNCATE",
}


def parse_tree(text: str) -> BaseSegment:
    """The tree that sqlfluff makes of a text; a syntax error where it makes none."""
    tokens, violations = Lexer(config=_CONFIG).lex(text)
    tree = Parser(config=_CONFIG).parse(tokens)
    if tree is None:
        raise refused("empty statement")
    for unparsable in tree.recursive_crawl("unparsable"):
        line, position = _position(unparsable)
        near = unparsable.raw.strip().split("\n")[0][:60]
        raise refused(f"\nsyntax error line {line} at position {position} unexpected '{near}'.")
    if violations:
        raise refused(f"\nsyntax error {violations[0]}")
    return tree


@functools.lru_cache(maxsize=4096)
def parse_script(text: str) -> Block:
    """The block that a procedure's body, or a text to be executed, consists of."""
    return _block_of(_statements(parse_tree(text)), text)


def is_script(text: str) -> bool:
    """Whether a text to be executed is a block rather than one statement."""
    words = text.split(None, 2)
    if not words:
        return False
    first = words[0].upper()
    following = words[1].upper().rstrip(";") if len(words) > 1 else ""
    return first == "DECLARE" or (first == "BEGIN" and following not in ("", "TRANSACTION", "WORK", "NAME"))


def _position(segment: BaseSegment) -> Position:
    assert segment.pos_marker is not None
    line, column = segment.pos_marker.source_position()
    return line, column - 1


def _code(segment: BaseSegment) -> list[BaseSegment]:
    return [part for part in segment.segments if part.is_code]


def _keywords(segment: BaseSegment) -> list[str]:
    return [part.raw_upper for part in segment.segments if part.is_type("keyword")]


def _child(segment: BaseSegment, *types: str) -> BaseSegment | None:
    return next((part for part in segment.segments if part.is_type(*types)), None)


def _needed(segment: BaseSegment, *types: str) -> BaseSegment:
    child = _child(segment, *types)
    if child is None:
        raise NotSupported(f"{segment.raw.strip()[:60]!r}: no {' or '.join(types)}")
    return child


def _name(segment: BaseSegment) -> str:
    if segment.raw.startswith('"'):
        raise NotSupported(f"quoted name {segment.raw}")
    return segment.raw_upper


def _statements(segment: BaseSegment) -> list[BaseSegment]:
    return [part for part in segment.segments if part.is_type("statement")]


def _inner(statement: BaseSegment) -> BaseSegment:
    parts = _code(statement)
    if len(parts) != 1:
        raise NotSupported(f"{statement.raw.strip()[:60]!r}")
    return parts[0]


def _block_of(statements: list[BaseSegment], text: str) -> Block:
    nodes = list(_sequence(statements))
    if len(nodes) != 1 or not isinstance(nodes[0], Block):
        raise NotSupported(f"a body that is not one block: {text.strip()[:60]!r}")
    return nodes[0]


def _sequence(statements: list[BaseSegment]) -> Iterator[Node]:
    declared: BaseSegment | None = None
    for statement in statements:
        segment = _inner(statement)
        if segment.is_type("scripting_declare_statement"):
            declared = segment
        elif segment.is_type("scripting_block_statement"):
            yield _block(segment, declared)
            declared = None
        else:
            yield _statement(segment)
    if declared is not None:
        raise refused("\nsyntax error: DECLARE without a block")


def _block(segment: BaseSegment, declared: BaseSegment | None) -> Block:
    handlers = _child(segment, "exception_block_statement")
    return Block(
        _position(declared if declared is not None else segment),
        tuple(_declarations(declared)) if declared is not None else (),
        tuple(_sequence(_statements(segment))),
        tuple(_handlers(handlers)) if handlers is not None else (),
    )


def _handlers(segment: BaseSegment) -> Iterator[Handler]:
    names: list[str] = []
    body: list[BaseSegment] = []
    for part in _code(segment):
        if part.is_type("keyword") and part.raw_upper == "WHEN":
            if names:
                yield Handler(tuple(names), tuple(_sequence(body)))
            names, body = [], []
        elif part.is_type("object_reference"):
            names.append(_name(part))
        elif part.is_type("statement"):
            body.append(part)
    yield Handler(tuple(names), tuple(_sequence(body)))


def _declarations(segment: BaseSegment) -> Iterator[Assign | DeclareException]:
    parts: list[BaseSegment] = []
    for part in _code(segment)[1:]:
        if part.is_type("statement_terminator"):
            yield _declaration(parts)
            parts = []
        else:
            parts.append(part)
    if parts:
        yield _declaration(parts)


def _declaration(parts: list[BaseSegment]) -> Assign | DeclareException:
    name, words = _name(parts[0]), [part.raw_upper for part in parts if part.is_type("keyword")]
    if "EXCEPTION" in words:
        return _exception(parts)
    if "CURSOR" in words:
        raise NotSupported("CURSOR: use a RESULTSET")
    if "RESULTSET" in words:
        return Assign(_position(parts[0]), name, SqlType("RESULTSET"), None, None, True)
    return _assign(parts, is_new=True)


def _exception(parts: list[BaseSegment]) -> DeclareException:
    position, name = _position(parts[0]), _name(parts[0])
    brackets = next((part for part in parts if part.is_type("bracketed")), None)
    if brackets is None:
        return DeclareException(position, name, -20000, "")
    number = _child(brackets, "exception_code", "numeric_literal")
    literal = _child(brackets, "quoted_literal")
    sign = "-" if _child(brackets, "sign_indicator") is not None else ""
    if number is None or any(part.is_type("binary_operator") for part in brackets.segments):
        raise refused(f"\nsyntax error line {position[0]}: an exception's code is a literal")
    code = int(sign + number.raw)
    if not -20999 < code < -20000:
        line, column = position
        raise refused(
            f"error line {line} at position {column}\n"
            f" Invalid error code '{code:,}'. Must be between -20,999 and -20,000"
        )
    return DeclareException(position, name, code, unquote(literal.raw) if literal is not None else "")


def _assign(parts: list[BaseSegment], is_new: bool) -> Assign:
    position = _position(parts[0])
    name_part = next(part for part in parts if part.is_type("variable"))
    declared = next((part for part in parts if part.is_type("data_type")), None)
    value = next((part for part in parts if part.is_type("expression")), None)
    type_ = SqlType.declared(declared.raw) if declared is not None else None
    if value is None:
        return Assign(position, _name(name_part), type_, None, None, is_new)
    query = _query_in(value)
    return Assign(position, _name(name_part), type_, None if query else _fragment(value, True), query, is_new)


def _query_in(expression: BaseSegment) -> Sql | None:
    parts = _code(expression)
    if len(parts) != 1 or not parts[0].is_type("bracketed"):
        return None
    inner = [part for part in _code(parts[0]) if not part.is_type("start_bracket", "end_bracket")]
    while len(inner) == 1 and inner[0].is_type("expression"):
        inner = _code(inner[0])
    return _sql(inner[0]) if len(inner) == 1 and inner[0].get_type() in _QUERIES else None


def _sql(segment: BaseSegment) -> Sql:
    kind = _STATEMENTS.get(segment.get_type())
    if kind is None:
        raise NotSupported(f"{segment.get_type()}: {segment.raw.strip()[:60]!r}")
    into: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    clauses = list(segment.recursive_crawl("into_clause")) if kind == "SELECT" else []
    if len(clauses) > 1:
        raise NotSupported("more than one INTO in a statement")
    if clauses:
        start = _offset(segment, clauses[0])
        span = (start, start + len(clauses[0].raw))
        into = tuple(_name(_needed(bind, "variable")) for bind in clauses[0].recursive_crawl("bind_variable"))
    fragment = _fragment(segment, False)
    if span is not None:
        outside = tuple(bind for bind in fragment.binds if not span[0] <= bind.start < span[1])
        fragment = Fragment(fragment.text, outside)
    return Sql(_position(segment), kind, fragment, into, span)


def _offset(outer: BaseSegment, inner: BaseSegment) -> int:
    assert outer.pos_marker is not None
    assert inner.pos_marker is not None
    start: int = inner.pos_marker.source_slice.start
    return start - int(outer.pos_marker.source_slice.start)


def _fragment(segment: BaseSegment, is_expression: bool) -> Fragment:
    """The text with its variables: `:x` anywhere, and in a scripting expression also `x` and `record.field`."""
    binds = sorted(_binds(segment, segment, is_expression), key=lambda bind: bind.start)
    return Fragment(segment.raw, tuple(binds))


def _binds(root: BaseSegment, segment: BaseSegment, bare_names: bool) -> Iterator[Bind]:
    for part in segment.segments:
        if part.is_type("bind_variable"):
            name = _name(_needed(part, "variable"))
            start = _offset(root, part)
            yield Bind(start, start + len(part.raw), name, None, _position(part))
        elif bare_names and part.is_type("column_reference"):
            names = [_name(piece) for piece in _code(part) if piece.is_type("naked_identifier")]
            if len(names) > 2 or len(names) != sum(piece.is_type("identifier") for piece in _code(part)):
                raise NotSupported(f"the name {part.raw} in a scripting expression")
            start = _offset(root, part)
            yield Bind(start, start + len(part.raw), names[0], names[1] if len(names) > 1 else None, _position(part))
        else:
            yield from _binds(root, part, bare_names and part.get_type() not in _STATEMENTS)


def _expression(segment: BaseSegment) -> Fragment:
    if segment.is_type("bracketed"):
        inner = [part for part in _code(segment) if not part.is_type("start_bracket", "end_bracket")]
        if len(inner) != 1:
            raise NotSupported(f"the condition {segment.raw[:60]!r}")
        segment = inner[0]
    return _fragment(segment, True)


def _statement(segment: BaseSegment) -> Node:
    position = _position(segment)
    kind = segment.get_type()
    if kind in _STATEMENTS:
        return _sql(segment)
    if kind == "scripting_let_statement":
        if "CURSOR" in _keywords(segment):
            raise NotSupported("CURSOR: use a RESULTSET")
        return _assign(_code(segment), is_new="LET" in _keywords(segment))
    if kind in ("call_segment", "call_statement"):
        return _call(segment)
    if kind == "transaction_statement":
        words = _keywords(segment)
        if words not in (["BEGIN", "TRANSACTION"], ["COMMIT"], ["ROLLBACK"]):
            raise NotSupported(segment.raw)
        return Transaction(position, words[0], segment.raw)
    if kind == "scripting_if_statement":
        return If(position, tuple(_branches(segment)))
    if kind in ("while_loop_statement", "loop_statement"):
        condition = _expression(_needed(segment, "bracketed")) if kind == "while_loop_statement" else None
        return While(position, condition, tuple(_sequence(_statements(segment))))
    if kind == "for_in_statement":
        return _for(segment)
    if kind in ("scripting_break_statement", "scripting_continue_statement", "break_statement", "continue_statement"):
        return Leave(position, segment.raw_upper)
    if kind == "return_statement":
        return _return(segment)
    if kind == "scripting_raise_statement":
        name = _child(segment, "naked_identifier")
        return Raise(position, _name(name) if name is not None else None)
    if kind == "execute_immediate_clause":
        if "USING" in _keywords(segment):
            raise NotSupported("EXECUTE IMMEDIATE ... USING")
        return ExecuteImmediate(position, _fragment(_needed(segment, "expression", "quoted_literal"), True))
    raise NotSupported(f"{kind}: {segment.raw.strip()[:60]!r}")


def _branches(segment: BaseSegment) -> Iterator[tuple[Fragment | None, tuple[Node, ...]]]:
    condition: Fragment | None = None
    body: list[BaseSegment] = []
    opened = False
    for part in _code(segment):
        if part.is_type("keyword") and part.raw_upper in ("IF", "ELSEIF", "ELSE", "END"):
            if opened:
                yield condition, tuple(_sequence(body))
            if part.raw_upper == "END":
                return
            opened, condition, body = True, None, []
        elif part.is_type("bracketed", "expression"):
            condition = _expression(part)
        elif part.is_type("statement"):
            body.append(part)


def _for(segment: BaseSegment) -> For:
    variables = [part for part in _code(segment) if part.is_type("variable")]
    words = [word for word in _keywords(segment) if word not in ("FOR", "IN", "DO", "END")]
    if len(variables) != 2 or words:
        raise NotSupported(f"this FOR: {segment.raw[:60]!r}; loop over a RESULTSET")
    body = tuple(_sequence(_statements(segment)))
    return For(_position(segment), _name(variables[0]), _name(variables[1]), body)


def _return(segment: BaseSegment) -> Return:
    expression = _needed(segment, "expression")
    function = _child(expression, "function")
    if function is not None and len(_code(expression)) == 1:
        name = next(function.recursive_crawl("function_name"))
        if name.raw_upper == "TABLE":
            columns = list(function.recursive_crawl("column_reference"))
            text = function.raw.strip()
            if len(columns) != 1 or any(True for _ in function.recursive_crawl("select_statement")):
                raise NotSupported(f"RETURN {text[:60]}: return a RESULTSET that a variable holds")
            return Return(_position(segment), Fragment("", ()), _name(columns[0]))
    return Return(_position(segment), _fragment(expression, True), None)


def _call(segment: BaseSegment) -> Call:
    function = _child(segment, "function")
    holder = function if function is not None else segment
    name = _name(_needed(holder, "function_name"))
    brackets = _needed(_needed(holder, "function_contents"), "bracketed")
    arguments: list[tuple[str | None, Fragment]] = []
    for part in _code(brackets):
        if part.is_type("start_bracket", "end_bracket", "comma"):
            continue
        if part.is_type("snowflake_keyword_expression"):
            pieces = _code(part)
            if len(pieces) != 3:
                raise NotSupported(f"the argument {part.raw}")
            arguments.append((_name(pieces[0]), _argument(pieces[2])))
        else:
            arguments.append((None, _argument(part)))
    target = _child(segment, "bind_variable")
    into = _name(_needed(target, "variable")) if target is not None else None
    return Call(_position(segment), name, tuple(arguments), into, segment.raw)


def _argument(segment: BaseSegment) -> Fragment:
    """An argument of a CALL in a block: variables stand in it as `:x` only, so a bare name is an invalid one."""
    if segment.is_type("bind_variable"):
        bind = Bind(0, len(segment.raw), _name(_needed(segment, "variable")), None, _position(segment))
        return Fragment(segment.raw, (bind,))
    for part in segment.recursive_crawl("column_reference"):
        line, position = _position(part)
        raise Fault(
            f"SQL compilation error: error line {line} at position {position}\ninvalid identifier '{part.raw_upper}'",
            904,
            "42000",
        )
    return _fragment(segment, False)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def unquote(literal: str) -> str:
    """The text that a quoted literal stands for."""
    if not (len(literal) >= 2 and literal[0] == literal[-1] == "'"):
        raise NotSupported(f"the literal {literal[:20]}")
    inner, text, index = literal[1:-1], [], 0
    while index < len(inner):
        character = inner[index]
        if character in "\\'":
            index += 1
            following = inner[index]
            if character == "\\" and following in "uUxX123456789":
                raise NotSupported(f"the escape \\{following} in a literal")
            character = following if character == "'" else _ESCAPES.get(following, following)
        text.append(character)
        index += 1
    return "".join(text)
