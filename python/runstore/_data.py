"""Where the SQL that this package carries is found."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _root() -> Path:
    """Prefer the files packed into the wheel; a checkout has them at its top instead."""
    packed = _PACKAGE / "_data"
    return packed if packed.is_dir() else _PACKAGE.parents[1]


def migrations_dir() -> Path:
    """Return the directory of the PostgreSQL migrations."""
    return _root() / "migrations" / "postgres"


def checkout_dir() -> Path | None:
    """Return the top of the checkout this package runs from, or None for an installed wheel."""
    top = _PACKAGE.parents[1]
    return top if (top / "pyproject.toml").is_file() and (top / "migrations").is_dir() else None
