"""What a write would put into which column: an account matches the types while it compiles, DuckDB converts.

Found by asking DuckDB to describe a query of the written expressions, and compared with the declared columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from bench.faults import Fault, NotSupported, refused
from bench.sqltypes import SEMI_STRUCTURED, SqlType


@dataclass(frozen=True)
class Write:
    """A query of the expressions that a statement writes, and the columns that they go to, in the same order."""

    table: str
    columns: tuple[str, ...] | None
    query: exp.Expr


def writes_of(statement: exp.Expr) -> Iterator[Write]:
    """What a statement writes; nothing for one that writes no expressions."""
    if isinstance(statement, exp.Insert):
        yield from _of_insert(statement)
    elif isinstance(statement, exp.Update):
        yield from _of_update(statement)
    elif isinstance(statement, exp.Merge):
        yield from _of_merge(statement)


def _values_as_null(query: exp.Expr) -> exp.Expr:
    """The query with NULL in the place of each parameter; the cast around it keeps the type."""
    return query.transform(lambda node: exp.Null() if isinstance(node, exp.Placeholder) else node)


def _select(expressions: list[exp.Expr], sources: list[exp.Expr]) -> exp.Expr:
    query = exp.Select(expressions=[expression.copy() for expression in expressions])
    for index, source in enumerate(sources):
        query = query.from_(source.copy()) if index == 0 else query.join(source.copy(), join_type="cross")
    return _values_as_null(query)


def _of_insert(statement: exp.Insert) -> Iterator[Write]:
    target = statement.this
    columns = tuple(column.name.upper() for column in target.expressions) if isinstance(target, exp.Schema) else None
    table = (target.this if isinstance(target, exp.Schema) else target).name.upper()
    source = statement.expression
    if isinstance(source, exp.Values):
        for row in source.expressions:
            yield Write(table, columns, _select(row.expressions, []))
    else:
        yield Write(table, columns, _values_as_null(source))


def _assignments(equalities: list[exp.Expr]) -> tuple[tuple[str, ...], list[exp.Expr]]:
    return tuple(each.this.name.upper() for each in equalities), [each.expression for each in equalities]


def _of_update(statement: exp.Update) -> Iterator[Write]:
    columns, expressions = _assignments(statement.expressions)
    joined = statement.args.get("from_")
    sources = [statement.this, *([joined.this] if joined is not None else [])]
    yield Write(statement.this.name.upper(), columns, _select(expressions, sources))


def _of_merge(statement: exp.Merge) -> Iterator[Write]:
    table, source = statement.this, statement.args["using"]
    for when in statement.args["whens"].expressions:
        then = when.args["then"]
        if isinstance(then, exp.Update):
            columns, expressions = _assignments(then.expressions)
            yield Write(table.name.upper(), columns, _select(expressions, [table, source]))
        elif isinstance(then, exp.Insert):
            columns = tuple(column.name.upper() for column in then.this.expressions)
            yield Write(table.name.upper(), columns, _select(then.expression.expressions, [source]))


def check(table: str, column: str, wants: SqlType, has: SqlType) -> None:
    """Refuses what an account refuses while compiling, and what nobody has measured."""
    if has.family == "NULL" or has.family == wants.family:
        return
    if wants.family in SEMI_STRUCTURED:
        if has.family in SEMI_STRUCTURED:
            if {wants.family, has.family} == {"ARRAY", "OBJECT"}:
                raise _mismatch(table, column, wants, has)
            return
        if wants.family == "VARIANT" and has.family in ("NUMBER", "FLOAT", "BOOLEAN"):
            return
        raise _mismatch(table, column, wants, has)
    if (wants.family, has.family) in _REFUSED:
        raise _mismatch(table, column, wants, has)
    if (wants.family, has.family) not in _TAKEN:
        raise NotSupported(f"writing {has} into {table}.{column}, which is {wants}: cast it")


_REFUSED = frozenset(
    {
        ("NUMBER", "BOOLEAN"),
        ("NUMBER", "DATE"),
        ("DATE", "NUMBER"),
        ("TIMESTAMP_NTZ", "TIMESTAMP_TZ"),
        ("TIMESTAMP_LTZ", "TIMESTAMP_TZ"),
    }
)
_TAKEN = frozenset(
    {
        ("NUMBER", "FLOAT"),
        ("NUMBER", "VARCHAR"),
        ("FLOAT", "NUMBER"),
        ("VARCHAR", "NUMBER"),
        ("TIMESTAMP_NTZ", "TIMESTAMP"),
        ("TIMESTAMP_NTZ", "VARCHAR"),
        ("TIMESTAMP_NTZ", "DATE"),
    }
)


def _mismatch(table: str, column: str, wants: SqlType, has: SqlType) -> Fault:
    text = f"expecting {wants} but got {has} for column {column} of {table}"
    return refused(f"\nExpression type does not match column data type, {text}", 2023, "22000")
