"""A procedure, reduced to what other sessions can notice: its statements on tables, and what decides among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

# The columns that the model keeps. Others hold what an event says about itself, and no other session acts on that.
MODELLED: dict[str, tuple[str, ...]] = {
    "RUN_COUNTERS": ("RUN_ID", "LAST_SEQ", "ARCHIVED_AT"),
    "RUN_EVENTS": ("RUN_ID", "RUN_SEQ", "IDEMPOTENCY_KEY", "EVENT_ID", "EVENT_TYPE"),
    "RUN_EVENTS_ARCHIVE": ("RUN_ID", "RUN_SEQ", "IDEMPOTENCY_KEY", "EVENT_ID", "EVENT_TYPE"),
    "ALERTS": ("RUN_ID", "CODE", "EVENT_ID", "COUNT"),
    "APPEND_LOCK": (),
    "RUN_LOCKS": ("RUN_ID",),
}
TABLES = tuple(MODELLED)

# Columns that are always null in the model: it resolves no alert.
ALWAYS_NULL = {"ALERTS": ("RESOLVED_AT",)}


class NotModelled(Exception):  # noqa: N818 - a statement about the model, not an error of the SQL
    """The procedure does something that the model does not know, so nothing is said about it."""


class Unknown:
    """The value of a variable that the model does not compute; nothing may depend on it."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


# Values of a query over arrays --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A member of an element of an array, or a column of a query in FROM."""

    alias: str
    name: str


@dataclass(frozen=True)
class Literal:
    """A value that stands in the text."""

    value: object


@dataclass(frozen=True)
class Extreme:
    """MIN or MAX over a group."""

    kind: str
    of: Value


@dataclass(frozen=True)
class HowMany:
    """COUNT(*) of a group."""


@dataclass(frozen=True)
class Opaque:
    """An expression that the model does not compute; it may fill columns that the model does not keep."""

    text: str


Value = Field | Literal | Extreme | HowMany | Opaque


@dataclass(frozen=True)
class From:
    """One member of FROM: an array variable or a query, and the equality that joins it to those before."""

    alias: str
    of: str | Query
    joined: tuple[Value, Value] | None


@dataclass(frozen=True)
class Query:
    """A SELECT over arrays, which reads no table."""

    columns: tuple[tuple[str, Value], ...]
    members: tuple[From, ...]
    where: tuple[Value, ...]
    group_by: tuple[Value, ...]
    one_per: Value | None


# Statements ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Equal:
    """A column of the target is what the source's column says."""

    column: str
    source: str


@dataclass(frozen=True)
class IsNull:
    """A column of the target is null."""

    column: str


Match = Equal | IsNull


@dataclass(frozen=True)
class FromSource:
    """The source's column."""

    name: str


@dataclass(frozen=True)
class FromTarget:
    """The target's column, as it was."""

    name: str


@dataclass(frozen=True)
class Sum:
    """The target's column and the source's added."""

    target: str
    source: str


NewValue = FromSource | FromTarget | Sum | Literal


@dataclass(frozen=True)
class Change:
    """WHEN MATCHED: on which conditions, and what becomes of the modelled columns."""

    conditions: tuple[Match, ...]
    sets: tuple[tuple[str, NewValue], ...]


@dataclass(frozen=True)
class Merge:
    """MERGE INTO a table; an INSERT of a query's rows is one that matches nothing and looks for nothing."""

    table: str
    source: Query
    on: tuple[Match, ...] | None
    matched: Change | None
    inserts: tuple[tuple[str, NewValue], ...] | None


@dataclass(frozen=True)
class TouchAll:
    """UPDATE of every row of a table, in columns that the model does not keep: a lock, and nothing else."""

    table: str


@dataclass(frozen=True)
class Move:
    """INSERT INTO a table of another's rows, of the runs in an array."""

    table: str
    origin: str
    runs: str


@dataclass(frozen=True)
class Remove:
    """DELETE of a table's rows, of the runs in an array."""

    table: str
    runs: str


@dataclass(frozen=True)
class Look:
    """A SELECT that plans an append: where it takes a run's end and the known keys from, and what goes where.

    The end of a run is LAST_SEQ of its row in `ends`, or with `ends_are_counted` the greatest RUN_SEQ there.
    """

    reads: tuple[str, ...]
    ends: tuple[str, ...]
    ends_are_counted: bool
    known: tuple[str, ...]
    refuses_archived: bool
    into: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Choose:
    """A SELECT that chooses the runs to archive, and what goes where."""

    reads: tuple[str, ...]
    into: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Learn:
    """A SELECT of what no other session changes: what its variables become, by meaning."""

    into: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Begin:
    """BEGIN TRANSACTION."""


@dataclass(frozen=True)
class Commit:
    """COMMIT."""


@dataclass(frozen=True)
class Rollback:
    """ROLLBACK."""


@dataclass(frozen=True)
class CountRows:
    """A variable takes SQLROWCOUNT."""

    variable: str


@dataclass(frozen=True)
class ForgetRows:
    """The end of a CALL: SQLROWCOUNT is null after it."""


@dataclass(frozen=True)
class Assign:
    """A variable takes the value of an expression, or of one that the model does not compute."""

    variable: str
    value: Condition | Unknown


@dataclass(frozen=True)
class Unless:
    """Goes on elsewhere unless the condition is true."""

    condition: Condition
    target: int


@dataclass(frozen=True)
class GoTo:
    """Goes on elsewhere."""

    target: int


@dataclass(frozen=True)
class Fail:
    """Raises an error by code."""

    code: str


@dataclass(frozen=True)
class FailAgain:
    """RAISE in a handler: raises what is being handled."""


@dataclass(frozen=True)
class Return:
    """The end, with a variable as the answer, or with a value that the model does not compute."""

    variable: str | None


Data = Merge | TouchAll | Move | Remove
Instruction = (
    Data
    | Look
    | Choose
    | Learn
    | Begin
    | Commit
    | Rollback
    | CountRows
    | ForgetRows
    | Assign
    | Unless
    | GoTo
    | Fail
    | FailAgain
    | Return
)


# Conditions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variable:
    """A variable in a condition."""

    name: str


@dataclass(frozen=True)
class Operation:
    """An operator or a function with what it works on."""

    operator: str
    operands: tuple[Condition, ...]


Condition = Variable | Literal | Operation


@dataclass(frozen=True)
class Table:
    """What the model has to know of a table's definition."""

    name: str
    is_hybrid: bool
    keys: tuple[tuple[str, ...], ...]
    seeded: int


@dataclass(frozen=True)
class Program:
    """Instructions, first to last, the handler that takes over where one fails, and the names of the variables."""

    name: str
    parameters: tuple[str, ...]
    instructions: tuple[Instruction, ...]
    handlers: tuple[int | None, ...]
    variables: tuple[str, ...]
    tables: tuple[Table, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each variable stands."""
        return {name: place for place, name in enumerate(self.variables)}

    def writes(self, table: str) -> bool:
        """Return whether anything is merged or inserted into a table."""
        return any(isinstance(each, Merge) and each.table == table for each in self.instructions)
