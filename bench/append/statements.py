"""The statements that Python sends: our calls, and the plain statements they are compared with."""

from event import ARGUMENT_TYPES, COLUMNS
from psycopg import sql

FLOOR = sql.Identifier("floor", "run_events")
COPIED = sql.Identifier("floor", "copied_events")

_COLUMNS = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))


def _placeholders(types: tuple[str, ...], suffix: str = "") -> sql.Composed:
    return sql.SQL(", ").join(sql.SQL(f"%s::{name}{suffix}") for name in types)


APPEND_EVENT = sql.SQL("select * from runstore.append_event({})").format(_placeholders(ARGUMENT_TYPES))
APPEND_EVENT_JSON = sql.SQL("select * from runstore.append_event(%s::jsonb)")
APPEND_EVENTS = sql.SQL("select * from runstore.append_events(%s::jsonb)")

INSERT = sql.SQL("insert into {} ({}) values ({})").format(FLOOR, _COLUMNS, _placeholders(tuple(COLUMNS.values())))
INSERT_UNNEST = sql.SQL("insert into {} ({}) select * from unnest({})").format(
    FLOOR, _COLUMNS, _placeholders(tuple(COLUMNS.values()), "[]")
)
COPY = sql.SQL("copy {} ({}) from stdin").format(COPIED, _COLUMNS)

_FLOOR_TABLES = """
create schema floor;
create table floor.run_events (like runstore.run_events including all);
create table floor.copied_events (like runstore.run_events including all)
"""


def floor_tables() -> list[sql.SQL]:
    """Return what makes the tables of the floor: the same columns and indexes, no logic."""
    return [sql.SQL(statement) for statement in _FLOOR_TABLES.split(";")]
