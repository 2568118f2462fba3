"""Files as `runstore export` writes them: read, edited, put into the stage, and imported."""

import csv
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
from append_rules import COLUMNS
from bench_stores import BenchStore
from fakesnow.transforms.stage import LOCAL_BUCKET_PATH

FileRow = dict[str, str | None]


def read_csv(path: Path) -> list[FileRow]:
    """Return a file's rows as text; an empty field is null."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: value or None for name, value in row.items()} for row in csv.DictReader(file)]


def write_csv(path: Path, rows: Sequence[FileRow]) -> Path:
    """Write rows as the export does, and return the path."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_parquet(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """Write rows with the types that their values have, and return the path."""
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
    return path


def put(store: BenchStore, *files: Path) -> None:
    """Make these the only files that there are to import: the bench has no REMOVE."""
    [database] = store.sql("SELECT CURRENT_DATABASE() AS NAME")
    shutil.rmtree(Path(LOCAL_BUCKET_PATH, database["name"]), ignore_errors=True)
    for file in files:
        store.sql(f"PUT file://{file} @IMPORT_STAGE/{file.suffix[1:]} AUTO_COMPRESS = FALSE")


def import_files(store: BenchStore, *files: Path) -> dict[str, int]:
    """Import files of one format, and return how many rows, new events, known events and runs there were."""
    put(store, *files)
    told: dict[str, int] = store.value("IMPORT_EVENTS", files[0].suffix[1:])
    return told
