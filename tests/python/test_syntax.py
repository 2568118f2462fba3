"""Every SQL file parses by PostgreSQL's own grammar, the bodies of PL/pgSQL functions included.

The SQL linter never looks into a body.
"""

import re
from pathlib import Path

import pytest
from pglast import parse_plpgsql, parse_sql
from pglast.parser import ParseError
from pgtap import ROOT

INSTALL = ROOT / "sql" / "postgres" / "install.sql"
FILES = sorted(path for top in ("sql", "migrations") for path in (ROOT / top / "postgres").rglob("*.sql"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_parses(path: Path) -> None:
    text = path.read_text()
    if path == INSTALL:
        text = re.sub(r"^\\.*$", "", text, flags=re.MULTILINE)
    try:
        parse_sql(text)
        _parse_bodies(text)
    except ParseError as error:
        pytest.fail(f"{path}: {error}", pytrace=False)


def test_a_broken_body_does_not_parse() -> None:
    broken = "create function f() returns int language plpgsql as $$ begin if true return 1; end if; end $$"
    parse_sql(broken)
    with pytest.raises(ParseError):
        _parse_bodies(broken)


def test_install_script_includes_files_that_exist() -> None:
    included = re.findall(r"^\\ir (\S+)$", INSTALL.read_text(), flags=re.MULTILINE)
    assert included
    assert [name for name in included if not (INSTALL.parent / name).is_file()] == []


def _parse_bodies(text: str) -> None:
    """Parse the bodies, without our names for types: the parser knows no schema of ours and no array of our rows."""
    parse_plpgsql(re.sub(r"\brunstore\.", "public.", re.sub(r"\brunstore\.\w+\[\]", "text[]", text)))
