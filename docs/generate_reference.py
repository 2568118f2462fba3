"""Write docs/reference.md from the catalog of a database that has all migrations.

make reference                                     on a server of its own
python docs/generate_reference.py --dsn DSN        from that database, to standard output
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
from runstore import migrate
from runstore.embedded import Server

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "sql" / "postgres"
PAGE = ROOT / "docs" / "reference.md"

Connection = psycopg.Connection[tuple[Any, ...]]

# The folder that holds a function's source is its topic.
TOPICS = {
    "append": "Append",
    "read": "Read",
    "project": "Snapshots",
    "consume": "Consumers",
    "operate": "Operation",
    "foundation": "Settings, tenants, version",
}
INTRODUCTION = """\
# SQL API reference

Generated from the catalog by `make reference`; a test fails when it is out of date. In psql, `\\df+ runstore.*`,
`\\d+ runstore.alerts` and `\\dT+ runstore.*` show the same comments. How to use it: [append.md](append.md),
[snapshots.md](snapshots.md), [engine.md](engine.md).

Everything is in schema `runstore`. What is not on this page is private and can change in any release. Call functions
that return a row or rows in the FROM clause: `select * from runstore.append_event(…)`.
"""


def reference(connection: Connection) -> str:
    """Return the page."""
    parts = [INTRODUCTION, *_functions(connection), *_relations(connection), *_codes(connection)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _functions(connection: Connection) -> Iterator[str]:
    rows = connection.execute(
        """
        select p.proname, pg_get_function_identity_arguments(p.oid), pg_get_function_arguments(p.oid),
               pg_get_function_result(p.oid), p.provolatile, obj_description(p.oid, 'pg_proc'),
               array(
                   select a.grantee::regrole::text
                     from aclexplode(p.proacl) as a where a.grantee <> p.proowner and a.privilege_type = 'EXECUTE'
                    order by 1
               )
          from pg_proc as p
         where p.pronamespace = 'runstore'::regnamespace
         order by p.proname, p.pronargs desc
        """
    ).fetchall()
    folders = _folders()
    public = [row for row in rows if row[-1]]
    for folder, title in TOPICS.items():
        chosen = [row for row in public if folders[row[0]] == folder]
        if chosen:
            yield f"## {title}"
        for name, _, arguments, result, volatility, comment, roles in chosen:
            listed = ",\n    ".join(re.split(r", (?=p_)", arguments))
            signature = f"runstore.{name}(\n    {listed}\n)" if listed else f"runstore.{name}()"
            first = "".join(re.findall(r"p_[a-z_]+", arguments)[:1])
            yield f"### {name}({first}{', …' if ', p_' in arguments else ''})"
            yield f"```\n{signature}\nreturns {result}\n```"
            yield comment
            kind = {"i": "immutable: depends on its arguments alone", "s": "reads only", "v": "writes"}[volatility]
            yield f"Roles: {', '.join(_short(role) for role in roles)}. {kind.capitalize()}."
    unplaced = {row[0] for row in public if folders[row[0]] not in TOPICS}
    if unplaced:
        raise SystemExit(f"give the folders of these functions a title in TOPICS: {', '.join(sorted(unplaced))}")


def _folders() -> dict[str, str]:
    """Return the folder in which each function is defined."""
    return {
        match[1]: path.parent.name
        for path in sorted(SOURCES.glob("*/*.sql"))
        for match in re.finditer(r"^create function runstore\.(\w+)", path.read_text(), re.MULTILINE)
    }


def _relations(connection: Connection) -> Iterator[str]:
    columns = connection.execute(
        """
        select c.relname, c.relkind::text,
               coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')),
               a.attname, format_type(a.atttypid, a.atttypmod), col_description(c.oid, a.attnum),
               c.relkind = 'v' and has_table_privilege('runstore_reader', c.oid, 'SELECT'),
               exists (
                   select from pg_proc as p
                    where p.pronamespace = c.relnamespace and p.proacl is not null and p.prorettype = c.reltype
                      and has_function_privilege('runstore_admin', p.oid, 'EXECUTE')
               )
          from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'runstore'::regnamespace and c.relkind in ('r', 'v', 'c')
         order by c.relname, a.attnum
        """
    ).fetchall()
    for title, kind, flag in (("Views", "v", 6), ("Types", "c", 7)):
        yield f"## {title}"
        chosen = [row for row in columns if row[1] == kind and row[flag]]
        for name, comment in dict.fromkeys((row[0], row[2]) for row in chosen):
            yield f"### {name}"
            yield comment
            yield _table(("column", "type", ""), ((f"`{r[3]}`", r[4], r[5]) for r in chosen if r[0] == name))
    yield "## Private tables"
    yield "For those who look after the database. No role of runstore can read or write them, and they can change."
    tables = dict.fromkeys((row[0], row[2]) for row in columns if row[1] == "r")
    yield _table(("table", ""), ((f"`{name}`", comment) for name, comment in tables))


def _codes(connection: Connection) -> Iterator[str]:
    yield "## Errors"
    yield "What to do about each: [operators.md](operators.md#errors)."
    yield _table(
        ("SQLSTATE", "name", "when"),
        connection.execute("select code, name, meaning from runstore.error_codes order by code"),
    )
    yield "## Alerts"
    yield "What to do about each: [operators.md](operators.md#alerts)."
    yield _table(
        ("code", "severity", "when"),
        connection.execute("select code, severity, meaning from runstore.alert_codes order by severity, code"),
    )
    yield "## Settings"
    yield "Change one with `set_config_value(key, value)`."
    yield _table(
        ("key", "default", "accepted", ""),
        connection.execute(
            """
            select '`' || k.key || '`', to_jsonb(c) ->> k.key,
                   coalesce(array_to_string(k.choices, ', '), k.min_value || ' to ' || k.max_value),
                   col_description('runstore.config'::regclass, a.attnum)
              from runstore.config_keys as k
              join pg_attribute as a on a.attrelid = 'runstore.config'::regclass and a.attname = k.key
             cross join runstore.config as c
             order by k.key
            """
        ),
    )
    yield "## Event types"
    yield (
        "Types that are not here are stored all the same, with or without a step, and change no state.\n"
        "“from → to” are the rows of `transitions`: what the event does to its run, or to its step's logical attempt."
    )
    yield _table(
        ("type", "step id", "signal limits", "from → to"),
        connection.execute(
            """
            select t.event_type, lower(t.step_rule), case when t.is_signal then 'yes' else '' end,
                   coalesce(
                       string_agg(r.from_status || ' → ' || r.to_status, '; ' order by r.from_status), 'changes nothing'
                   )
              from runstore.event_types as t left join runstore.transitions as r on r.event_type = t.event_type
             group by t.event_type
             order by t.event_type
            """
        ),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _short(role: str) -> str:
    return role.removeprefix("runstore_")


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/reference.md from the catalog.")
    parser.add_argument("--dsn", help="print the page for this database instead")
    options = parser.parse_args()
    if options.dsn:
        with psycopg.connect(options.dsn) as connection:
            print(reference(connection), end="")
        return
    with Server.temporary() as server:
        server.start()
        migrate.apply(server.dsn())
        with psycopg.connect(server.dsn()) as connection:
            PAGE.write_text(reference(connection))


if __name__ == "__main__":
    _main()
