"""plpgsql_check finds what no parser can: missing columns, wrong types, variables that nobody reads."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from runstore._binaries import OLDEST_MAJOR, major_version, system_binaries
from runstore.embedded import Server
from support import make_template

# A row per function, or per trigger of a trigger function, which can only be checked with its table.
FUNCTIONS = """
    select p.oid::regprocedure::text, coalesce(t.tgrelid, 0), t.tgoldtable, t.tgnewtable,
           p.prorettype = 'trigger'::regtype and t.oid is null
      from pg_proc p
      join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
      left join pg_trigger t on t.tgfoid = p.oid and t.tgparentid = 0
     where p.pronamespace = 'runstore'::regnamespace
     order by 1, 2
"""
CHECK = """
    select format('%%s: %%s:%%s: %%s', level, coalesce(lineno, 0), sqlstate, concat_ws(' ', message, detail, hint))
      from plpgsql_check_function_tb(
          %(function)s::regprocedure, %(relation)s::oid::regclass,
          fatal_errors => false, other_warnings => true, extra_warnings => true, security_warnings => true,
          performance_warnings => true, oldtable => %(oldtable)s, newtable => %(newtable)s
      )
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A migrated database on a server that has the extension."""
    bin_dir = next((path for path in system_binaries() if _has_extension(path)), None)
    if bin_dir is None:
        reason = "no PostgreSQL of this machine has plpgsql_check (Debian: postgresql-NN-plpgsql-check)"
        if os.environ.get("RUNSTORE_REQUIRE_PLPGSQL_CHECK") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    with Server.temporary(pg_bin=str(bin_dir)) as server:
        server.start()
        dsn = server.dsn(make_template(server, "checked"))
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("create extension plpgsql_check")
        yield dsn


def test_functions_have_no_findings(database: str) -> None:
    findings: list[str] = []
    with psycopg.connect(database, autocommit=True) as connection:
        functions = connection.execute(FUNCTIONS).fetchall()
        for function, relation, oldtable, newtable, unattached in functions:
            if unattached:
                findings.append(f"{function}: no trigger uses it")
                continue
            arguments = {"function": function, "relation": relation, "oldtable": oldtable, "newtable": newtable}
            findings += [f"{function}: {row[0]}" for row in connection.execute(CHECK, arguments)]
    assert functions
    assert not findings, "\n".join(findings)


def test_a_missing_column_is_found(database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute(
            "create function public.broken() returns int language plpgsql as "
            "$$ begin return (select no_such_column from pg_class limit 1); end $$"
        )
        arguments = {"function": "public.broken()", "relation": 0, "oldtable": None, "newtable": None}
        assert connection.execute(CHECK, arguments).fetchall()
        connection.rollback()


def _has_extension(bin_dir: Path) -> bool:
    if major_version(bin_dir) < OLDEST_MAJOR:
        return False
    shares = [Path("/usr/share/postgresql") / bin_dir.parent.name, bin_dir.parent / "share"]
    return any((share / "extension" / "plpgsql_check.control").exists() for share in shares)
