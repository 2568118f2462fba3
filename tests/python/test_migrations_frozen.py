"""Migrations that have landed stay as they are."""

import shutil
from pathlib import Path

import pytest
from frozen import LANDED, MIGRATIONS, add, problems

FIRST_NUMBERS = {"postgres": 1, "snowflake": 1, "snowflake_hybrid": 101}


@pytest.fixture
def copy(tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the migrations and of their checksums, which a test may spoil."""
    directory = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, directory)
    sums = tmp_path / "sums"
    add(directory, sums)
    assert problems(directory, sums) == []
    return directory, sums


@pytest.mark.parametrize("directory", LANDED, ids=lambda directory: directory.name)
def test_every_migration_is_as_it_landed(directory: Path) -> None:
    assert not (found := problems(directory, LANDED[directory])), "\n".join(found)


@pytest.mark.parametrize("directory", LANDED, ids=lambda directory: directory.name)
def test_there_is_nothing_but_migrations_and_each_has_a_rollback(directory: Path) -> None:
    names = {path.name for path in directory.iterdir()}
    forward = {name for name in names if name.endswith(".sql") and not name.endswith(".rollback.sql")}
    assert names == forward | {name.removesuffix(".sql") + ".rollback.sql" for name in forward}
    first = FIRST_NUMBERS[directory.name]
    assert [name[:4] for name in sorted(forward)] == [f"{n:04}" for n in range(first, first + len(forward))]


def test_a_changed_migration_is_found(copy: tuple[Path, Path]) -> None:
    directory, sums = copy
    changed = next(directory.glob("0001.*.rollback.sql"))
    changed.write_text(changed.read_text() + "\n")
    add(directory, sums)
    assert problems(directory, sums) == [f"{changed.name} has changed: put it back, and write a new migration"]


def test_a_missing_migration_is_found(copy: tuple[Path, Path]) -> None:
    directory, sums = copy
    missing = next(directory.glob("0001.*.rollback.sql"))
    missing.unlink()
    assert problems(directory, sums) == [f"{missing.name} is missing: put it back"]


def test_a_migration_that_is_not_listed_is_found_and_can_be_listed(copy: tuple[Path, Path]) -> None:
    directory, sums = copy
    (directory / "9999.new.sql").write_text("select 1;\n")
    assert problems(directory, sums) == [
        "9999.new.sql is not listed: a new migration is listed by: python tests/python/frozen.py"
    ]
    add(directory, sums)
    assert problems(directory, sums) == []
