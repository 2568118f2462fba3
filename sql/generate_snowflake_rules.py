"""Write PostgreSQL's rules for events into the JavaScript functions of the Snowflake side.

make snowflake-rules                               from the rows of a migrated database on a server of its own
python sql/generate_snowflake_rules.py --check     changes nothing; exits with 1 when a file is out of date
python sql/generate_snowflake_rules.py --dsn DSN   from the rows of that database
"""

import argparse
import json
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from runstore import migrate
from runstore.embedded import Server

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "sql" / "snowflake"
WIDTH = 120

Connection = psycopg.Connection[tuple[Any, ...]]

BEGIN = "// rules: begin (generated from the rows of PostgreSQL; make snowflake-rules)\n"
END = "// rules: end\n"


def replaced(text: str, rules: str) -> str:
    """Return a file's text with these rules between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit("a file that rules are written into has the two marker comments")
    return f"{before}{begin}{rules}{end}{after}"


def folding_rules(connection: Connection) -> str:
    """Return what the reducer knows of events."""
    rows = connection.execute(
        """
        select e.event_type, e.machine, e.target_status,
               array_remove(array[
                   case when e.sets_started_at then 'startedAt' end,
                   case when e.sets_completed_at then 'completedAt' end,
                   case when e.takes_engine_run_ref then 'engineRunRef' end,
                   case when e.takes_artifacts then 'artifacts' end,
                   case when e.takes_error then 'error' end,
                   case when e.takes_reason then 'reason' end
               ], null),
               (
                   select jsonb_object_agg(t.from_status, t.to_status) from runstore.transitions as t
                    where t.machine = e.machine and t.event_type = e.event_type
               )
          from runstore.event_effects as e
         order by e.machine, e.event_type
        """
    )
    return _map(
        "EVENT_EFFECTS",
        [
            (
                event_type,
                {"machine": machine, "target": target, "leaves": leaves, "next": dict(sorted(following.items()))},
            )
            for event_type, machine, target, leaves, following in rows
        ],
    )


def checking_rules(connection: Connection) -> str:
    """Return what the check of a batch knows of types, fields and rules."""
    types = connection.execute("select event_type, step_rule, is_signal from runstore.event_types order by 1")
    fields = connection.execute("select field, json_type from runstore.event_fields order by 1")
    rules = connection.execute(
        "select rule, code, field, shows_value, expected, hint from runstore.event_rules order by 1"
    )
    return (
        _map("EVENT_TYPES", [(name, {"stepRule": rule, "isSignal": signal}) for name, rule, signal in types])
        + _map("EVENT_FIELDS", fields.fetchall())
        + _rows("EVENT_RULES", ("rule", "code", "field", "showsValue", "expected", "hint"), rules.fetchall())
    )


FILES: dict[Path, Callable[[Connection], str]] = {
    SOURCES / "project" / "fold_events.sql": folding_rules,
    SOURCES / "check" / "check_events.sql": checking_rules,
}


def out_of_date(connection: Connection) -> dict[Path, str]:
    """Return the files whose rules are not those of the database, each with the text that it should have."""
    due = {path: replaced(path.read_text(), rules(connection)) for path, rules in FILES.items()}
    return {path: text for path, text in due.items() if text != path.read_text()}


def _map(name: str, entries: Sequence[tuple[str, Any]]) -> str:
    """Return the declaration of a Map: names of events are no safe keys of an object."""
    lines = ",\n".join(_entry(key, value) for key, value in entries)
    return f"const {name} = new Map([\n{lines}\n]);\n"


def _entry(key: str, value: Any) -> str:
    line = f"  [{_literal(key)}, {_literal(value)}]"
    if len(line) < WIDTH:
        return line
    members = ",\n".join(f"    {name}: {_literal(item)}" for name, item in value.items())
    return f"  [{_literal(key)}, {{\n{members}\n  }}]"


def _rows(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return the declaration of a Map of wide rows, by their first column."""
    lines = ",\n".join(_row(row) for row in rows)
    return f"const {name} = mapOf({_literal(list(columns))}, [\n{lines}\n]);\n"


def _row(row: Sequence[Any]) -> str:
    *short, expected, hint = row
    return f"  [{', '.join(map(_literal, short))},\n    {_pieces(expected)},\n    {_pieces(hint)}]"


def _pieces(text: str) -> str:
    """Return a text as literals that each fit in a line, cut at spaces."""
    return "\n      + ".join(map(_literal, re.findall(r".{1,100}(?: |$)", text)))


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_literal(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return json.dumps(value)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write PostgreSQL's rules for events into the Snowflake functions.")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail when a file is out of date")
    parser.add_argument("--dsn", help="take the rows of this database")
    options = parser.parse_args()
    with ExitStack() as stack:
        dsn = options.dsn or _migrated(stack.enter_context(Server.temporary()))
        stale = out_of_date(stack.enter_context(psycopg.connect(dsn)))
    if options.check and stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        raise SystemExit(f"out of date: {names}; run make snowflake-rules")
    for path, text in stale.items():
        path.write_text(text)


def _migrated(server: Server) -> str:
    server.start()
    migrate.apply(server.dsn())
    return server.dsn()


if __name__ == "__main__":
    _main()
