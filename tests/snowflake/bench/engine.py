"""One session with the database: statements as fakesnow translates them, run on its DuckDB, and transactions.

What is translated once is kept for the process: translating costs far more than running. Reads and writes of rows are
run here, on DuckDB's connection; everything else is left to fakesnow's cursor.

Limits. DuckDB gives a transaction one snapshot, an account one per statement. DuckDB does not wait for another
session's lock: it refuses, and so does the bench. A statement that fails within a transaction ends DuckDB's
transaction, an account's goes on: after one, anything but ROLLBACK is refused as not supported.
"""

from __future__ import annotations

import functools
import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import sqlglot
from fakesnow.conn import FakeSnowflakeConnection
from fakesnow.instance import FakeSnow
from snowflake.connector.errors import ProgrammingError
from sqlglot import exp
from sqlglot.tokens import TokenType

from bench import adaptations, writes
from bench.faults import COMPILATION_ERROR, INVALID_IDENTIFIER, Fault, NotSupported, refused
from bench.sqltypes import SqlType, Value

SCHEMA = "RUNSTORE"
_ROWS_OF = {"INSERT": "inserted", "UPDATE": "updated", "DELETE": "deleted"}
_FAMILY_OF = {
    "BIGINT": "NUMBER",
    "INTEGER": "NUMBER",
    "SMALLINT": "NUMBER",
    "TINYINT": "NUMBER",
    "HUGEINT": "NUMBER",
    "UBIGINT": "NUMBER",
    "UINTEGER": "NUMBER",
    "DOUBLE": "FLOAT",
    "FLOAT": "FLOAT",
    "BOOLEAN": "BOOLEAN",
    "VARCHAR": "VARCHAR",
    "JSON": "JSON",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP_TZ",
    '"NULL"': "NULL",
}


@dataclass
class Result:
    """What a statement answers: columns with their types, rows, and for DML how many rows it changed."""

    columns: tuple[str, ...] = ()
    types: tuple[SqlType, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    changed: int | None = None


@dataclass(frozen=True)
class _Translation:
    sql: str
    kind: str
    statement: exp.Expr
    items: tuple[exp.Expr, ...] = ()
    names: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


_TRANSLATIONS: dict[str, _Translation | None] = {}  # by text; None for what fakesnow itself is to run
_MATCHED: set[tuple[str, tuple[tuple[str, SqlType], ...]]] = set()  # what was written, and into which columns


class Declared:
    """Types that DuckDB does not tell apart, as the shipped text declares them."""

    def __init__(self) -> None:
        self.columns: dict[str, SqlType | None] = {"VALUE": SqlType("VARIANT"), "THIS": SqlType("VARIANT")}
        self.functions: dict[str, SqlType] = {}
        self.tables: dict[str, dict[str, SqlType]] = {}
        self._known: dict[str, tuple[SqlType | None, ...]] = {}

    def add_table(self, table: str, columns: Mapping[str, SqlType]) -> None:
        """A table; a column's name that stands for two types in the database is of no known type."""
        self.tables[table] = dict(columns)
        for name, type_ in columns.items():
            self.columns[name] = type_ if self.columns.get(name, type_) == type_ else None
        self._known.clear()

    def add_function(self, name: str, type_: SqlType) -> None:
        """What a function of that name answers."""
        self.functions[name] = type_
        self._known.clear()

    def types_of(self, translation: _Translation) -> tuple[SqlType | None, ...]:
        """The types of a query's columns where the text tells them."""
        if translation.sql not in self._known:
            self._known[translation.sql] = tuple(_type_of(item, self) for item in translation.items)
        return self._known[translation.sql]


_SEMI_STRUCTURED = (exp.DType.VARIANT, exp.DType.OBJECT, exp.DType.ARRAY)
_TIMESTAMPS = {
    exp.DType.TIMESTAMP: "TIMESTAMP_NTZ",
    exp.DType.TIMESTAMPNTZ: "TIMESTAMP_NTZ",
    exp.DType.TIMESTAMPLTZ: "TIMESTAMP_LTZ",
    exp.DType.TIMESTAMPTZ: "TIMESTAMP_TZ",
}
_TAKES_VARIANT = (
    exp.Cast,
    exp.TryCast,
    exp.JSONExtract,
    exp.Alias,
    exp.Select,
    exp.Paren,
    exp.Is,
    exp.Coalesce,
    exp.Case,
    exp.If,
    exp.ArraySize,
    exp.Anonymous,
    exp.Kwarg,
    exp.Array,
    exp.AnyValue,
    exp.ArgMin,
    exp.ArgMax,
    exp.ToVariant,
    exp.StripNullValue,
    exp.IsNullValue,
    exp.JSONFormat,
    exp.Tuple,
    exp.PropertyEQ,
)
_NUMERIC_AGGREGATES = (exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.Variance)


def _type_of(expression: exp.Expr, declared: Declared) -> SqlType | None:
    """The type of a semi-structured value or a time where the statement tells it; None where it does not."""
    if isinstance(expression, (exp.Alias, exp.Paren)):
        return _type_of(expression.this, declared)
    if isinstance(expression, (exp.Cast, exp.TryCast)):
        kind = expression.to.this
        if kind in _SEMI_STRUCTURED:
            return SqlType(kind.value)
        if kind in _TIMESTAMPS:
            sizes = expression.to.expressions
            return SqlType(_TIMESTAMPS[kind], int(sizes[0].name) if sizes else None)
    if isinstance(expression, (exp.JSONExtract, exp.ParseJSON, exp.ToVariant, exp.StripNullValue)):
        return SqlType("VARIANT")
    if isinstance(expression, exp.Anonymous):
        name = expression.name.upper()
        if name.startswith("BENCH_ARRAY"):
            return SqlType("ARRAY")
        return SqlType("OBJECT") if name == "BENCH_OBJECT" else declared.functions.get(name)
    if isinstance(expression, (exp.AnyValue, exp.ArgMin, exp.ArgMax, exp.Min, exp.Max)):
        return _type_of(expression.this, declared)
    if isinstance(expression, exp.Column):
        return _type_of_column(expression, declared)
    return None


def _type_of_column(column: exp.Column, declared: Declared) -> SqlType | None:
    name = column.name.upper()
    aliased = [alias for alias in column.root().find_all(exp.Alias) if alias.alias.upper() == name]
    aliased = [alias for alias in aliased if column.find_ancestor(exp.Alias) is not alias]
    if not aliased:
        return declared.columns.get(name)
    types = {
        _type_of(alias.this, declared)
        for alias in aliased
        if not (isinstance(alias.this, exp.Column) and alias.this.name.upper() == name)
    }
    return types.pop() if len(types) == 1 else None


def _is_variant(expression: exp.Expr) -> bool:
    if isinstance(expression, exp.JSONExtract):
        return True
    if not isinstance(expression, exp.Cast) or not isinstance(expression.this, exp.Placeholder):
        return False
    return expression.to.this in _SEMI_STRUCTURED


def _refuse_silent_differences(expression: exp.Expr) -> None:
    """Refuses what DuckDB would run without a word and answer otherwise than an account."""
    for node in expression.walk():
        reason = _silent_difference(node)
        if reason is not None:
            raise NotSupported(f"{node.sql(dialect='snowflake')[:80]}: {reason}")


def _silent_difference(node: exp.Expr) -> str | None:
    if _is_variant(node) and node.parent is not None and not isinstance(node.parent, _TAKES_VARIANT):
        return f"a VARIANT without a cast in {type(node.parent).__name__}"
    if isinstance(node, _NUMERIC_AGGREGATES) and not isinstance(node.this, (exp.Cast, exp.TryCast)):
        return "fakesnow takes it in floating point; cast the argument to NUMBER(38, 0)"
    if isinstance(node, exp.Div) and not (isinstance(node.expression, exp.Literal) and float(node.expression.name)):
        return "DuckDB gives NULL for a division by zero"
    if isinstance(node, exp.Cast):
        operand = node.this
        if node.to.this in _SEMI_STRUCTURED and not isinstance(operand, (exp.Placeholder, exp.Null)):
            return "a cast to a semi-structured type; use TO_VARIANT, PARSE_JSON or a declared variable"
        loses_zone = isinstance(operand, exp.Cast) and operand.to.this is exp.DType.TIMESTAMPTZ
        if loses_zone and node.to.this in (exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMP):
            return "an account keeps the wall clock, DuckDB has none; use CONVERT_TIMEZONE"
    return None


_RUN_HERE = re.compile(
    r"\s*(SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|\(|CREATE\s+(OR\s+REPLACE\s+)?(TABLE|VIEW))", re.IGNORECASE
)


def _is_run_here(text: str) -> bool:
    """Whether the bench itself runs the translation; what is left goes through fakesnow's cursor."""
    return _RUN_HERE.match(text) is not None


def _numbered(text: str) -> str:
    """The statement with numbered parameters, in the order of the text: a translation may say an argument twice."""
    marks = [token for token in adaptations.tokens_of(text) if token.token_type is TokenType.PLACEHOLDER]
    for number, mark in reversed(list(enumerate(marks, 1))):
        text = f"{text[: mark.start]}:{number}{text[mark.end + 1 :]}"
    return text


def _query_of(expression: exp.Expr) -> exp.Select | None:
    while isinstance(expression, (exp.SetOperation, exp.Subquery)):
        expression = expression.this
    return expression if isinstance(expression, exp.Select) else None


def _shown_name(item: exp.Expr) -> str:
    name = item.alias_or_name or item.sql("snowflake")
    return name.upper().replace("BENCH_", "").replace("OWN_", "")


def _merge_actions(merge: exp.Merge) -> tuple[str, ...]:
    names = set()
    for when in merge.args["whens"].expressions:
        then = when.args["then"]
        names.add("DELETE" if isinstance(then, exp.Var) else then.key.upper())
    return tuple(action for action in ("INSERT", "UPDATE", "DELETE") if action in names)


class Session:
    """One session: its transaction, its user, and the connections of DuckDB behind it."""

    def __init__(self, snow: FakeSnow, database: str, declared: Declared, user: str) -> None:
        self._snow = snow
        self._database = database
        self._declared = declared
        self._user = user
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._fake: FakeSnowflakeConnection = snow.connect(database=database, schema=SCHEMA, paramstyle="qmark")
        self._own: duckdb.DuckDBPyConnection = self._fake._duck_conn
        self._own.execute("SET VARIABLE bench_user = ?", [user])
        self._side: duckdb.DuckDBPyConnection | None = None
        self._open: list[_Open] = []

    def close(self) -> None:
        """Ends what is open and closes DuckDB's connections."""
        while self._open:
            self._end("ROLLBACK")
        if self._side is not None:
            self._side.close()
        self._fake.close()

    def _another(self) -> duckdb.DuckDBPyConnection:
        connection = self._snow.duck_conn.cursor()
        connection.execute(f"SET schema='{self._database}.{SCHEMA}'")
        connection.execute("SET VARIABLE bench_user = ?", [self._user])
        return connection

    @property
    def _duck(self) -> duckdb.DuckDBPyConnection:
        return self._open[-1].connection if self._open else self._own

    # Transactions

    def begin(self, scope: object | None) -> None:
        """Begins a transaction of a procedure's call, or of the client (None)."""
        if self._open and self._open[-1].scope is scope:
            raise NotSupported("BEGIN TRANSACTION within a transaction of the same scope")
        connection = self._another() if self._open else self._own
        connection.execute("BEGIN TRANSACTION")
        connection.execute("SET VARIABLE bench_transaction = uuid()")
        self._open.append(_Open(connection, scope))

    def end(self, how: str, scope: object | None) -> None:
        """COMMIT or ROLLBACK; without a transaction it does nothing."""
        if not self._open:
            return
        if self._open[-1].scope is not scope:
            text = "Modifying a transaction that has started at a different scope is not allowed."
            raise Fault(text, COMPILATION_ERROR, "22000")
        if how == "COMMIT":
            self._refuse_after_failure("COMMIT")
        self._end(how)

    def leave(self, scope: object) -> bool:
        """Whether a call left a transaction open; it is rolled back then."""
        left = bool(self._open) and self._open[-1].scope is scope
        if left:
            self._end("ROLLBACK")
        return left

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return bool(self._open)

    def _end(self, how: str) -> None:
        ended = self._open.pop()
        try:
            ended.connection.execute(how)
        except duckdb.TransactionException as error:
            ended.connection.execute("ROLLBACK")
            raise NotSupported(f"two sessions that write the same rows: {error}") from error
        finally:
            if ended.connection is self._own:
                ended.connection.execute("RESET VARIABLE bench_transaction")
            else:
                ended.connection.close()

    def _refuse_after_failure(self, what: str) -> None:
        if self._open and self._open[-1].has_failed:
            raise NotSupported(f"{what} in a transaction in which a statement failed: only ROLLBACK, on the bench")

    # Statements

    def run(self, text: str, parameters: Sequence[Value] = ()) -> Result:
        """Runs a statement that fakesnow can translate."""
        self._refuse_after_failure(text.strip().split("\n")[0][:60])
        contents = [parameter.content for parameter in parameters]
        try:
            translation = self._translated(text)
            if translation is None:
                return self._run_by_fakesnow(text, contents)
            if translation.kind == "CREATE":
                self._end_before_ddl()
            self._check_writes(translation)
            return self._fetch(self._duck, translation, contents)
        except Fault:
            if self._open:
                self._open[-1].has_failed = True
            raise

    def evaluate(self, text: str, parameters: Sequence[Value]) -> Value:
        """The value of an expression that reads no table; it takes no part in the transaction."""
        if self._side is None:
            self._side = self._another()
        translation = self._translated(text)
        assert translation is not None
        result = self._fetch(self._side, translation, [parameter.content for parameter in parameters])
        return Value(result.types[0], result.rows[0][0])

    def _translated(self, text: str) -> _Translation | None:
        if text not in _TRANSLATIONS:
            with _quiet_sqlglot():
                _TRANSLATIONS[text] = self._translate(text) if _is_run_here(text) else None
        return _TRANSLATIONS[text]

    def _translate(self, text: str) -> _Translation | None:
        try:
            expression = sqlglot.parse_one(_numbered(text), read="snowflake")
        except sqlglot.ParseError as error:
            raise Fault(f"SQL compilation error: {error}", COMPILATION_ERROR, "42000") from None
        is_merge = isinstance(expression, exp.Merge)
        if not is_merge and len(self._fake.cursor()._transform_explode(expression)) > 1:
            return None
        _refuse_silent_differences(expression)
        kept = expression.copy()
        query = _query_of(kept)
        items = () if query is None or query.is_star else tuple(query.expressions)
        names = tuple(_shown_name(item) for item in items)
        kind = "SELECT" if query is not None else expression.key.upper()
        actions = _merge_actions(kept) if isinstance(kept, exp.Merge) else ()
        sql = self._generate(expression)
        return _Translation(sql + (" RETURNING merge_action" if actions else ""), kind, kept, items, names, actions)

    def _check_writes(self, translation: _Translation) -> None:
        """Matches what is written with the columns' types, once for each statement and shape of the tables."""
        if translation.kind not in ("INSERT", "UPDATE", "MERGE"):
            return
        for write in writes.writes_of(translation.statement):
            columns = self._declared.tables.get(write.table)
            if columns is None:
                continue
            key = (write.query.sql(dialect="snowflake"), tuple(sorted(columns.items())))
            if key in _MATCHED:
                continue
            with _quiet_sqlglot():
                described = self._described(write.query)
            names = write.columns if write.columns is not None else tuple(columns)
            for name, type_ in zip(names, described, strict=True):
                if name not in columns:
                    raise refused(f"\ninvalid identifier '{name}'", INVALID_IDENTIFIER)
                writes.check(write.table, name, columns[name], type_)
            _MATCHED.add(key)

    def _described(self, query: exp.Expr) -> list[SqlType]:
        """The types of a query's columns."""
        sql = self._generate(query.copy())
        rows: list[tuple[Any, ...]] = _guarded(lambda: self._duck.execute(f"DESCRIBE {sql}").fetchall())
        selected = _query_of(query)
        items = selected.expressions if selected is not None and not selected.is_star else []
        told = [_type_of(item, self._declared) for item in items] or [
            self._declared.columns.get(row[0]) for row in rows
        ]
        return [_family(str(row[1]), known) for row, known in zip(rows, told, strict=True)]

    def _generate(self, expression: exp.Expr) -> str:
        cursor = self._fake.cursor()
        try:
            cursor.check_db_and_schema(expression)
            transformed = cursor._transform(expression, None)
            level = sqlglot.ErrorLevel.IGNORE if isinstance(expression, exp.Create) else sqlglot.ErrorLevel.RAISE
            return str(transformed.sql(dialect="duckdb", unsupported_level=level))
        except (sqlglot.UnsupportedError, NotImplementedError) as error:
            raise NotSupported(f"fakesnow cannot translate it: {error}") from error

    def _fetch(self, connection: duckdb.DuckDBPyConnection, translation: _Translation, contents: list[Any]) -> Result:
        answer = _guarded(lambda: connection.execute(translation.sql, contents))
        rows: list[tuple[Any, ...]] = _guarded(answer.fetchall)
        if translation.kind in _ROWS_OF:
            grid = {"INSERT": 1, "UPDATE": 2, "DELETE": 1}[translation.kind]
            names = (f"number of rows {_ROWS_OF[translation.kind]}", "number of multi-joined rows updated")[:grid]
            changed = int(rows[0][0])
            return Result(names, (SqlType("NUMBER", 19, 0),) * grid, [(changed, 0)[:grid]], changed)
        if translation.kind == "MERGE":
            counts = tuple(sum(row[0] == action for row in rows) for action in translation.actions)
            names = tuple(f"number of rows {_ROWS_OF[action]}" for action in translation.actions)
            return Result(names, (SqlType("NUMBER", 19, 0),) * len(names), [counts], sum(counts))
        if translation.kind == "CREATE":
            return Result(("status",), (SqlType("VARCHAR"),), [("successfully created.",)])
        return self._typed(translation, answer.description or [], rows)

    def _typed(self, translation: _Translation, description: Sequence[Any], rows: list[tuple[Any, ...]]) -> Result:
        columns, types = [], []
        inferred = self._declared.types_of(translation)
        for index, (name, kind, *_rest) in enumerate(description):
            known = inferred[index] if inferred else self._declared.columns.get(name.upper())
            given = translation.names[index] if translation.names else None
            columns.append(given or name.upper())
            types.append(_family(str(kind), known))
        return Result(tuple(columns), tuple(types), rows)

    def _run_by_fakesnow(self, text: str, contents: list[Any]) -> Result:
        if text.split(None, 1)[0].upper() != "COPY":
            self._end_before_ddl()
        elif len(self._open) > 1:
            raise NotSupported("COPY in a transaction of a procedure that was called within another transaction")
        cursor = self._fake.cursor()
        with warnings.catch_warnings(), _quiet_sqlglot():
            warnings.simplefilter("ignore")
            _guarded(lambda: cursor.execute(text, contents or None))
            table = cursor._arrow_table
        rows: list[tuple[Any, ...]] = [tuple(row.values()) for row in table.to_pylist()] if table is not None else []
        names = tuple(table.column_names) if table is not None else ()
        return Result(names, tuple(SqlType("VARCHAR") for _ in names), rows)

    def _end_before_ddl(self) -> None:
        """DDL commits an open transaction, as it does on an account."""
        if len(self._open) > 1:
            raise NotSupported("DDL in a transaction of a procedure that was called within another transaction")
        if self._open:
            self._end("COMMIT")

    def drop_stage(self, name: str) -> bool:
        """Takes a stage out of fakesnow's books; says whether it was there."""
        statement = (
            "DELETE FROM _fs_global._fs_information_schema._fs_stages "
            "WHERE database_name = ? AND schema_name = ? AND name = ? RETURNING name"
        )
        return bool(_guarded(lambda: self._own.execute(statement, [self._database, SCHEMA, name]).fetchall()))

    def define_macro(self, statement: str) -> None:
        """Defines a macro, written in DuckDB's SQL, next to the tables."""
        _guarded(lambda: self._own.execute(statement))

    def translated_expression(self, text: str) -> str:
        """The expression that a SELECT of it alone has, in DuckDB's SQL."""
        translation = self._translated(text)
        assert translation is not None
        return translation.sql.removeprefix("SELECT ")


@dataclass
class _Open:
    """An open transaction: whose it is, and whether DuckDB has given it up."""

    connection: duckdb.DuckDBPyConnection
    scope: object | None
    has_failed: bool = False


class _quiet_sqlglot:  # noqa: N801 - used like a function
    """sqlglot writes a line for every comment and cluster key that DuckDB has no use for."""

    def __enter__(self) -> None:
        self._level = logging.getLogger("sqlglot").level
        logging.getLogger("sqlglot").setLevel(logging.ERROR)

    def __exit__(self, *_exception: object) -> None:
        logging.getLogger("sqlglot").setLevel(self._level)


def _family(kind: str, known: SqlType | None) -> SqlType:
    if decimal := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind):
        return SqlType("NUMBER", int(decimal[1]), int(decimal[2]))
    family = _FAMILY_OF.get(kind)
    if family is None:
        raise NotSupported(f"a column of DuckDB's type {kind}")
    if family == "NUMBER":
        return SqlType("NUMBER", 38, 0)
    if family == "JSON" or family.startswith("TIMESTAMP"):
        return known if known is not None else SqlType("JSON" if family == "JSON" else "TIMESTAMP")
    return SqlType(family)


@functools.singledispatch
def _fault_of(error: Exception) -> Fault | NotSupported:
    return NotSupported(f"{type(error).__name__}: {error}")


@_fault_of.register
def _(error: ProgrammingError) -> Fault:
    return Fault(str(error.raw_msg), error.errno or COMPILATION_ERROR, error.sqlstate or "42000")


@_fault_of.register
def _(error: duckdb.ConversionException) -> Fault:
    found = re.search(r"[Cc]ould not convert string '(.*)' to", str(error), re.DOTALL)
    text = f"Numeric value '{found[1]}' is not recognized" if found else str(error).split("\n")[0]
    return Fault(text, 100038, "22018")


@_fault_of.register
def _(error: duckdb.ConstraintException) -> Fault:
    if "NOT NULL" in str(error):
        return Fault("NULL result in a non-nullable column", 100072, "22000")
    return Fault(f"A primary key already exists. {str(error).splitlines()[0]}", 200001, "22000")


@_fault_of.register
def _(error: duckdb.TransactionException) -> NotSupported:
    return NotSupported(f"two sessions that write the same rows: {error}")


@_fault_of.register
def _(error: duckdb.CatalogException) -> Fault:
    if function := re.search(r"Function with name (\w+) does not exist", str(error)):
        return Fault(f"SQL compilation error:\nUnknown function {function[1].upper()}", 2140, "42601")
    return Fault(f"SQL compilation error:\n{str(error).splitlines()[0]}", 2003, "42S02")


@_fault_of.register
def _(error: duckdb.BinderException) -> Fault:
    return Fault(f"SQL compilation error:\n{error}", 904, "42000")


@_fault_of.register
def _(error: duckdb.ParserException) -> Fault:
    return Fault(f"SQL compilation error:\n{error}", COMPILATION_ERROR, "42000")


@_fault_of.register
def _(error: duckdb.OutOfRangeException) -> Fault:
    return Fault(f"Number out of representable range: {str(error).splitlines()[0]}", 100039, "22003")


@_fault_of.register
def _(error: duckdb.InvalidInputException) -> Fault | NotSupported:
    if "the bench: " in str(error):
        return NotSupported(str(error).split("the bench: ")[1])
    found = re.search(r"JavaScript execution error: .*", str(error), re.DOTALL)
    if found:
        return Fault(found[0], 100132, "P0000")
    return Fault(str(error).splitlines()[0], 100000, "22000")


def _guarded(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (duckdb.Error, ProgrammingError) as error:
        raise _fault_of(error) from error
