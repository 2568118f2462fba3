"""Migrations as scripts for psql, for DBAs who run SQL themselves: python -m runstore.script DIRECTORY.

A script does what runstore.migrate does, its entries in the books included, so that either can follow the other.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from yoyo.migrations import default_migration_table, get_migration_hash

from runstore import migrate
from runstore._data import migrations_dir
from runstore._version import __version__

# The tables as yoyo makes them, so that it finds them and makes none.
_BOOKS = f"""\
create schema if not exists {migrate.SCHEMA};
create table if not exists {migrate.SCHEMA}.yoyo_lock (
    locked int default 1 primary key, ctime timestamp, pid int not null
);
create table if not exists {migrate.SCHEMA}.{default_migration_table} (
    migration_hash varchar(64) primary key, migration_id varchar(255), applied_at_utc timestamp
);
create table if not exists {migrate.SCHEMA}._yoyo_log (
    id varchar(36) primary key, migration_hash varchar(64), migration_id varchar(255), operation varchar(10),
    username varchar(255), hostname varchar(255), comment varchar(255), created_at_utc timestamp
);
create table if not exists {migrate.SCHEMA}._yoyo_version (
    version int not null primary key, installed_at_utc timestamp
);
insert into {migrate.SCHEMA}._yoyo_version
values (2, clock_timestamp() at time zone 'UTC') on conflict do nothing;
"""  # noqa: S608  # names of our own
_NOT_TRANSACTIONAL = re.compile(r"^--\s*transactional\s*:\s*false", re.IGNORECASE | re.MULTILINE)
# What runstore.migrate's own session has, whatever the session of the person who runs the script has.
_SESSION = f"""\
set local client_encoding = 'UTF8';
set local standard_conforming_strings = on;
set local client_min_messages = warning;
set local search_path = {migrate.SCHEMA};
"""


def install() -> str:
    """Return one script that installs this version in a database that has no runstore; all or nothing."""
    title = f"runstore {__version__}: installs it in a database that has none, all or nothing.\n-- psql -f this-file"
    parts = (_applied(name) for name in migrate.names())
    return _join([_head(title), "begin;\n" + _SESSION, _BOOKS, *parts, "commit;\n"])


def upgrade(names: Sequence[str], *, has_books: bool) -> str:
    """Return the script that applies these migrations, each in a transaction of its own."""
    title = f"runstore {__version__}: applies {_count(names)}. Nothing was executed."
    books = [] if has_books else [f"begin;\n{_BOOKS}commit;\n"]
    return _join([_head(title), *books, *_transactions(_applied(name) for name in names)])


def rollback(names: Sequence[str]) -> str:
    """Return the script that takes these migrations back, in the order given."""
    title = f"runstore {__version__}: takes back {_count(names)}. Nothing was executed."
    return _join([_head(title), *_transactions(_undone(name) for name in names)])


def write_release(directory: Path) -> Path:
    """Write the script of this version, and return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"runstore-{__version__}.sql"
    path.write_text(install(), encoding="utf-8")
    return path


def _head(title: str) -> str:
    return f"-- {title}\n\\set ON_ERROR_STOP on\n"


def _transactions(parts: Iterator[str]) -> Iterator[str]:
    return (f"begin;\n{_SESSION}\n{part}\ncommit;\n" for part in parts)


def _applied(name: str) -> str:
    record = (
        f"insert into {migrate.SCHEMA}.{default_migration_table} (migration_hash, migration_id, applied_at_utc)\n"
        f"values ('{get_migration_hash(name)}', '{name}', clock_timestamp() at time zone 'UTC');\n"
    )
    return f"{_source(name, '.sql')}\n{_logged(name, 'apply')}{record}"


def _undone(name: str) -> str:
    books = f"{migrate.SCHEMA}.{default_migration_table}"
    strike = f"delete from {books} where migration_hash = '{get_migration_hash(name)}';\n"  # noqa: S608  # a hash
    return f"{_source(name, '.rollback.sql')}\n{_logged(name, 'rollback')}{strike}"


def _source(name: str, suffix: str) -> str:
    path = migrations_dir() / f"{name}{suffix}"
    text = path.read_text(encoding="utf-8").rstrip() + "\n"
    if _NOT_TRANSACTIONAL.search(text):
        raise migrate.MigrationError(f"{path.name} cannot run in a transaction: use runstore migrate")
    return f"-- ---- {path.name}\n\n{text}"


def _logged(name: str, operation: str) -> str:
    return (
        f"insert into {migrate.SCHEMA}._yoyo_log\n"
        "(id, migration_hash, migration_id, operation, username, hostname, created_at_utc)\n"
        f"values (gen_random_uuid(), '{get_migration_hash(name)}', '{name}', '{operation}', session_user, 'psql',\n"
        "    clock_timestamp() at time zone 'UTC');\n"
    )


def _count(names: Sequence[str]) -> str:
    return f"{len(names)} migration{'' if len(names) == 1 else 's'}"


def _join(parts: Sequence[str]) -> str:
    return "\n".join(parts)


if __name__ == "__main__":
    print(write_release(Path(sys.argv[1])))
