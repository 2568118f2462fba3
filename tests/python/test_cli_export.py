"""runstore export: what is in the file is what is in the store, at one moment, and the manifest proves it."""

import csv
import hashlib
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from appends import append
from psycopg.conninfo import make_conninfo
from support import Connect, Connection, wait_until_blocked
from terminal import COMMAND, STORY, environment, moment, outcome, run
from test_catalog import EVENT_RECORD

COLUMNS = [column.split()[0] for column in EVENT_RECORD]
AWKWARD = 'a,"b"\nü \\N'


@pytest.fixture
def store(dsn: str, connect: Connect) -> str:
    """Three runs of two tenants: the DSN."""
    connection = connect()
    for event in STORY:
        append(connection, event)
    append(connection, moment("RunStarted", 0, run_id="other", tenantId="globex", payload={"text": AWKWARD}))
    append(connection, moment("RunStarted", 0, run_id="third", adapterVersion=AWKWARD.replace("\n", "")))
    return dsn


def test_all_runs_are_written_with_a_manifest(store: str, tmp_path: Path, connect: Connect) -> None:
    target = tmp_path / "deep" / "export"
    assert outcome(store, "export", str(target)) == (0, f"9 events of 3 runs exported to {target}/events.csv\n", "")
    assert sorted(path.name for path in target.iterdir()) == ["events.csv", "manifest.json"]
    octets = (target / "events.csv").read_bytes()
    manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    exported_at = manifest.pop("exportedAt")
    assert manifest == {
        "schemaVersion": connect().execute("select runstore.version()").fetchall()[0][0],
        "selection": {},
        "file": {"name": "events.csv", "bytes": len(octets), "sha256": hashlib.sha256(octets).hexdigest()},
        "columns": COLUMNS,
        "events": 9,
        "runCount": 3,
        "runs": {"load-7": 7, "other": 1, "third": 1},
    }
    assert exported_at.endswith("Z")
    rows = _rows(target)
    assert list(rows[0]) == COLUMNS
    assert [(row["run_id"], row["run_seq"]) for row in rows] == [
        *(("load-7", str(number)) for number in range(1, 8)),
        ("other", "1"),
        ("third", "1"),
    ]


def test_the_file_copied_back_is_the_log(store: str, tmp_path: Path, connect: Connect) -> None:
    """Every value survives, whatever the session's settings are."""
    strange = make_conninfo(store, options="-c timezone=Asia/Kathmandu -c datestyle=German -c client_encoding=latin1")
    assert run(strange, "export", str(tmp_path)).returncode == 0
    connection = connect()
    connection.execute("create temporary table copied (like runstore.run_event_records)")
    with connection.cursor().copy("copy copied from stdin (format csv, header)") as copy:
        copy.write((tmp_path / "events.csv").read_bytes())
    for left, right in (("copied", "runstore.run_event_records"), ("runstore.run_event_records", "copied")):
        query = f"select * from {left} except all select * from {right}"  # noqa: S608
        assert connection.execute(query.encode()).fetchall() == []


@pytest.mark.parametrize(
    ("arguments", "selection", "runs"),
    [
        (["--run", "other"], {"runs": ["other"]}, {"other": 1}),
        (["--run", "third", "--run", "load-7"], {"runs": ["third", "load-7"]}, {"load-7": 7, "third": 1}),
        (["--tenant", "acme"], {"tenant": "acme"}, {"load-7": 7, "third": 1}),
        (["--tenant", "nobody"], {"tenant": "nobody"}, {}),
    ],
    ids=["one run", "two runs", "a tenant", "a tenant without runs"],
)
def test_runs_are_selected(
    store: str, tmp_path: Path, arguments: list[str], selection: dict[str, Any], runs: dict[str, int]
) -> None:
    assert run(store, "export", str(tmp_path), *arguments).returncode == 0
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["selection"], manifest["runs"]) == (selection, runs)
    assert (manifest["events"], manifest["runCount"]) == (sum(runs.values()), len(runs))
    assert len(_rows(tmp_path)) == sum(runs.values())
    assert {row["run_id"] for row in _rows(tmp_path)} == set(runs)


def test_a_run_that_is_not_there_is_refused_and_leaves_nothing(store: str, tmp_path: Path) -> None:
    assert outcome(store, "export", str(tmp_path), "--run", "other", "--run", "none") == (
        1,
        "",
        "runstore: there is no run none\n",
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["events.csv", "manifest.json"])
def test_what_is_there_is_replaced_only_by_force(store: str, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    assert outcome(store, "export", str(tmp_path)) == (
        1,
        "",
        f"runstore: {tmp_path / name} is there already: choose another directory, or --force to replace it\n",
    )
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]
    assert run(store, "export", str(tmp_path), "--force").returncode == 0
    assert json.loads((tmp_path / "manifest.json").read_text())["events"] == len(_rows(tmp_path)) == 9


def test_an_export_that_fails_leaves_the_one_that_is_there(store: str, tmp_path: Path) -> None:
    assert run(store, "export", str(tmp_path)).returncode == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert run(store, "export", str(tmp_path), "--force", "--run", "none").returncode == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_export_is_of_one_moment(store: str, tmp_path: Path, connect: Connect) -> None:
    """Events that are committed while the export runs are not in it: not in the file, and not in the counts."""
    observer, writer = connect(), connect(autocommit=False)
    writer.execute("lock table runstore.run_events in access exclusive mode")
    with subprocess.Popen(
        [*COMMAND, "export", str(tmp_path)], env=environment(store), stdout=subprocess.PIPE, text=True
    ) as export:
        wait_until_blocked(observer, _backend(observer))
        append(writer, moment("RunStarted", 0, run_id="fourth"))
        append(writer, moment("StepStarted", 51, "late"))
        writer.commit()
        told, _ = export.communicate(timeout=60)
    assert told == f"9 events of 3 runs exported to {tmp_path}/events.csv\n"
    assert json.loads((tmp_path / "manifest.json").read_text())["runs"] == {"load-7": 7, "other": 1, "third": 1}
    assert len(_rows(tmp_path)) == 9


def test_a_reader_that_is_bound_to_a_tenant_exports_its_runs_only(store: str, tmp_path: Path, connect: Connect) -> None:
    connection = connect()
    login = f"globex_{time.monotonic_ns()}"
    connection.execute(f"create role {login} login in role runstore_reader".encode())
    try:
        connection.execute("select runstore.bind_login(%s, 'globex')", [login])
        assert run(make_conninfo(store, user=login), "export", str(tmp_path)).returncode == 0
    finally:
        connection.execute(f"drop role {login}".encode())
    assert [row["run_id"] for row in _rows(tmp_path)] == ["other"]


def _rows(directory: Path) -> list[dict[str, str]]:
    with (directory / "events.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _backend(observer: Connection) -> int:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        row = observer.execute(
            "select pid from pg_stat_activity "
            "where application_name = 'runstore export' and datname = current_database()"
        ).fetchone()
        if row:
            return int(row[0])
        time.sleep(0.01)
    raise psycopg.OperationalError("the export did not connect")
