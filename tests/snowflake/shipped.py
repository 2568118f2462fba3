"""What is shipped for Snowflake: the files, and the statements in them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "sql" / "snowflake"
ORDER = SOURCES / "order.txt"
STANDARD = ROOT / "migrations" / "snowflake"
HYBRID = ROOT / "migrations" / "snowflake_hybrid"
BOOKS = ROOT / "migrations" / "snowflake_books.sql"

_PIECE = re.compile(r"\$\$.*?\$\$|'(?:[^'\\]|''|\\.)*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|;", re.DOTALL)
_BLANK = re.compile(r"(\s+|--[^\n]*(\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_UNREAD = re.compile(r"'(?:[^'\\]|''|\\.)*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_CREATE = re.compile(
    r"CREATE (?:OR REPLACE )?(?:HYBRID )?(?P<kind>TABLE|VIEW|STAGE|TASK|ROLE|PROCEDURE|FUNCTION) "
    r"(?:IF NOT EXISTS )?(?P<name>\w+|\"\w+\")(?:\((?P<parameters>[^)]*(?:\(\d+(?:, \d+)?\)[^)]*)*)\))?"
)
_OTHER = {
    "rows": re.compile(r"(?:MERGE|INSERT) INTO (\w+|\"\w+\")"),
    "search": re.compile(r"ALTER TABLE (\w+) ADD SEARCH OPTIMIZATION"),
    "grant": re.compile(r"GRANT ([^;]+)"),
}


def ordered() -> list[Path]:
    """Return the files of the standard variant, in the order in which they build a database."""
    return [SOURCES / name for name in ORDER.read_text().split()]


def hybrid_sources() -> list[Path]:
    """Return the files that the hybrid variant has instead of standard ones of the same name."""
    return sorted((SOURCES / "hybrid").glob("*.sql"))


def forward(directory: Path) -> list[Path]:
    """Return a directory's migrations in their order, without the rollbacks."""
    return sorted(path for path in directory.glob("*.sql") if not path.name.endswith(".rollback.sql"))


def rollback_of(migration: Path) -> Path:
    """Return the file that takes the migration back."""
    return migration.with_suffix(".rollback.sql")


def statements(text: str) -> Iterator[str]:
    """Split a file at its semicolons; each statement keeps its own, and loses the comments before it."""
    start = 0
    for match in _PIECE.finditer(text):
        if match[0] == ";":
            yield _bare(text[start : match.end()])
            start = match.end()
    rest = _bare(text[start:])
    if rest:
        yield rest


def subject(statement: str) -> tuple[str, ...]:
    """Return what a statement makes: the kind, the name, and for a routine the types that tell it from others."""
    if created := _CREATE.match(statement):
        parameters = created["parameters"] if created["kind"] in ("PROCEDURE", "FUNCTION") else None
        names = (created["kind"].lower(), created["name"])
        return names if parameters is None else (*names, ", ".join(_types(parameters)))
    for kind, pattern in _OTHER.items():
        if found := pattern.match(statement):
            return kind, " ".join(found[1].split())
    raise ValueError(f"what does this make? {statement[:80]}")


def opening_comment(text: str) -> str:
    """Return the comment paragraph that a file begins with, without its dashes; empty when there is none."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("-- "):
            break
        lines.append(line[3:])
    return "\n".join(lines)


def code_of(statement: str) -> str:
    """Return a statement without its literals and comments."""
    return _UNREAD.sub(lambda match: "''" if match[0].startswith("'") else "", statement)


def _bare(text: str) -> str:
    blank = _BLANK.match(text)
    assert blank
    return text[blank.end() :].strip()


def _types(parameters: str) -> Iterator[str]:
    for parameter in re.split(r",(?![^(]*\))", parameters):
        if parameter.strip():
            yield re.sub(r"\(.*", "", parameter.split()[1])
