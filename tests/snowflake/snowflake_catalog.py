"""What a bench has in it now: every object with its definition, and what is granted."""

import re
from collections.abc import Iterable

from bench import Bench

Catalog = dict[tuple[str, ...], object]

_RECORDED = re.compile(
    r"(?P<verb>CREATE|DROP) (?P<kind>ROLE|TASK) (?:IF (?:NOT )?EXISTS )?(?P<name>\w+)"
    r"|(?P<given>GRANT|REVOKE) (?P<what>.*) (?:TO|FROM) ROLE (?P<role>\w+)"
    r"|ALTER TABLE (?P<table>\w+) (?P<change>ADD|DROP) (?P<search>SEARCH OPTIMIZATION.*)",
    re.DOTALL,
)


def catalog(bench: Bench) -> Catalog:
    """Return all objects of the store's schema; yoyo's tables are none of them."""
    found: Catalog = {}
    for name, *column in _rows(
        bench,
        "SELECT table_name, column_name, data_type, numeric_precision, numeric_scale, is_nullable "
        "FROM duckdb_columns() WHERE schema_name = 'RUNSTORE' AND NOT internal ORDER BY table_name, column_index",
    ):
        if "yoyo" not in name:
            columns = found.setdefault(("table", name), [])
            assert isinstance(columns, list)
            columns.append(tuple(column))
    for name, kind, key in _rows(
        bench,
        "SELECT table_name, constraint_type, constraint_column_names::VARCHAR FROM duckdb_constraints() "
        "WHERE schema_name = 'RUNSTORE' AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')",
    ):
        found["enforced", name, kind, key] = True
    for name, text in _rows(
        bench, "SELECT view_name, sql FROM duckdb_views() WHERE schema_name = 'RUNSTORE' AND NOT internal"
    ):
        del found["table", name]
        found["view", name] = text
    for (name,) in _rows(bench, "SELECT name FROM _fs_global._fs_information_schema._fs_stages"):
        found["stage", name] = True
    for routine in [*bench._procedures.values(), *bench._functions.values()]:
        types = ", ".join(parameter.type.family for parameter in routine.parameters)
        found[routine.kind.lower(), routine.name, types] = routine
    for statement in [*bench.roles, *bench.tasks, *bench.grants, *bench.others]:
        _record(found, statement)
    # A table that became a hybrid one was dropped, and its search optimisation with it.
    hybrid = {key[1] for key in found if key[0] == "enforced"}
    for search in [key for key in found if key[0] == "search" and key[1] in hybrid]:
        del found[search]
    return found


def names(found: Iterable[tuple[str, ...]], kind: str) -> list[str]:
    """Return the sorted names of all objects of a kind."""
    return sorted(key[1] for key in found if key[0] == kind)


def _rows(bench: Bench, query: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = bench._snow.duck_conn.execute(query).fetchall()
    return rows


def _record(found: Catalog, statement: str) -> None:
    recorded = _RECORDED.match(statement)
    assert recorded, statement
    if recorded["name"]:
        key: tuple[str, ...] = (recorded["kind"].lower(), recorded["name"])
        is_there = recorded["verb"] == "CREATE"
    elif recorded["given"]:
        key = ("grant", " ".join(recorded["what"].split()), recorded["role"])
        is_there = recorded["given"] == "GRANT"
    else:
        key = ("search", recorded["table"], recorded["search"])
        is_there = recorded["change"] == "ADD"
    if is_there:
        found[key] = statement
    else:
        found.pop(key, None)
