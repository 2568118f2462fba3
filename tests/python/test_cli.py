"""The command, run as a user runs it: in a process of its own."""

import os
import re
import subprocess
import sys
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from runstore._account import Account
from runstore._data import migrations_dir
from runstore.cli import main
from runstore.embedded import Server
from support import Connect

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(pg_bin: str | None) -> Run:
    """Run the command with hardly an environment, and no home."""
    chosen = {"RUNSTORE_PG_BIN": pg_bin} if pg_bin else {}

    def run_command(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "runstore.cli", *arguments],
            cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **chosen, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run_command


@pytest.fixture
def state(tmp_path: Path, run: Run) -> Iterator[Path]:
    """A state directory, with its server removed after the test.

    For root it lies where the server's account cannot go, as a checkout below a closed directory does.
    """
    tmp_path.chmod(0o700)
    directory = tmp_path / "state"
    yield directory
    assert run("remove", "--dir", str(directory)).returncode == 0
    assert not directory.exists()


def test_a_server_goes_up_and_down_and_away(run: Run, state: Path) -> None:
    up = run("up", "--dir", str(state))
    assert up.returncode == 0, up.stderr
    dsn = up.stdout.splitlines()[1].split("'")[1]
    psycopg.connect(dsn).close()
    assert run("up", "--dir", str(state)).stdout == up.stdout
    assert "its data is kept" in run("down", "--dir", str(state)).stdout
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn)
    assert "not running" in run("down", "--dir", str(state)).stdout


def test_remove_leaves_what_is_not_its_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    assert run("remove", "--dir", str(tmp_path)).stdout == "There is no server.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_demo_runs_and_runs_again(run: Run, state: Path) -> None:
    first = run("demo", "--dir", str(state))
    assert first.returncode == 0, first.stderr
    for expected in ("idempotent true", "RS001", "RS009", "DETAIL", "HINT", "RunCompleted", "psql "):
        assert expected in first.stdout
    assert "status COMPLETED" in first.stdout
    for step in ("extract", "load"):
        assert re.search(rf"^  {step} +\| SUCCESS +\| 1$", first.stdout, re.MULTILINE)
    second = run("demo", "--dir", str(state))
    assert second.returncode == 0, second.stderr
    assert "schema is current" in second.stdout


def test_what_the_demo_says_to_try_works(run: Run, state: Path) -> None:
    lines = run("demo", "--dir", str(state)).stdout.splitlines()
    dsn = lines[lines.index("For your own program, through the socket:") + 1].strip()
    queries = [line.strip() for line in lines if line.startswith("  select ")]
    with psycopg.connect(dsn) as connection:
        events, snapshot = [connection.execute(query.encode()).fetchall() for query in queries]
    assert len(events) == 6
    assert '"status": "COMPLETED"' in snapshot[0][0]


def test_a_worker_takes_its_dsn_from_the_environment(run: Run, dsn: str) -> None:
    done = run("worker", "--once", environment={"RUNSTORE_DSN": dsn})
    assert (done.returncode, done.stdout) == (0, "runs brought up to date: 0\n")


def test_migrate_applies_shows_and_rolls_back(run: Run, empty_dsn: str) -> None:
    names = sorted(path.stem for path in migrations_dir().glob("*.sql") if not path.name.endswith(".rollback.sql"))
    assert run("migrate", "--dsn", empty_dsn).stdout.splitlines() == [f"applied {name}" for name in names]
    assert "nothing to apply" in run("migrate", "apply", "--dsn", empty_dsn).stdout
    status = run("migrate", "status", environment={"RUNSTORE_DSN": empty_dsn}).stdout.splitlines()
    assert [line.split()[:2] for line in status] == [[name, "applied"] for name in names]
    assert run("migrate", "rollback", "--dsn", empty_dsn).stdout == f"rolled back {names[-1]}\n"
    undone = run("migrate", "rollback", "--all", "--dsn", empty_dsn).stdout.splitlines()
    assert undone == [f"rolled back {name}" for name in reversed(names[:-1])] or undone == ["nothing to roll back"]
    assert run("migrate", "break-lock", "--dsn", empty_dsn).returncode == 0


def test_a_failure_is_one_line_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    done = run("migrate", "--dsn", f"host={tmp_path} dbname=nowhere")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("runstore: ")


@pytest.mark.parametrize("command", ["migrate", "worker", "runs", "health"])
def test_a_bad_connection_string_is_one_line_that_does_not_show_it(run: Run, command: str) -> None:
    done = run(command, "--dsn", "no connection string with password=secret")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "runstore: the connection string cannot be read: expected postgresql://user@host/dbname or key=value pairs\n"
    )


@pytest.mark.parametrize("command", [["append"], ["runs"], ["show", "x"], ["tail", "x"], ["health"], ["export", "x"]])
def test_a_database_without_a_store_is_said_to_be_one(
    run: Run, empty_dsn: str, tmp_path: Path, command: list[str]
) -> None:
    event = tmp_path / "event.jsonl"
    event.write_text("{}")
    arguments = {"append": [str(event)], "export": [str(tmp_path / "export")]}.get(command[0], command[1:])
    done = run(command[0], *arguments, "--dsn", empty_dsn)
    assert (done.returncode, done.stdout) == (1, "")
    assert "this database has no runstore (hint: Install it" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_login_that_may_not_is_told_what_it_needs(run: Run, dsn: str, connect: Connect) -> None:
    login = f"reader_{uuid.uuid4().hex}"
    connection = connect()
    connection.execute(f"create role {login} login in role runstore_reader".encode())
    try:
        done = run("health", "--dsn", make_conninfo(dsn, user=login))
    finally:
        connection.execute(f"drop role {login}".encode())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "runstore: permission denied for function check_health (hint: the login needs the role runstore_worker)\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["migrate"],
        ["migrate", "--dsn", "x", "sideways"],
        ["migrate", "rollback", "--dsn", "x", "--count", "0"],
        ["worker"],
        ["worker", "--dsn", "x", "--batch", "0"],
        ["worker", "--dsn", "x", "--batch", "10001"],
        ["worker", "--dsn", "x", "--poll-ms", "0"],
        ["worker", "--dsn", "x", "--health-ms", "soon"],
        ["migrate", "status", "--dsn", "dbname=x", "--dry-run"],
        ["migrate", "apply", "--dsn", "dbname=x", "--json"],
        ["append", "--dsn", "x", "--batch", "0"],
        ["show", "--dsn", "x"],
        ["show", "run", "--dsn", "x", "--at", "0"],
        ["tail", "run", "--dsn", "x", "--after", "-1"],
        ["runs", "--dsn", "x", "--limit", "0"],
        ["export", "--dsn", "x"],
        ["export", "there", "--dsn", "x", "--run", "a", "--tenant", "b"],
        ["completion", "tcsh"],
    ],
    ids=" ".join,
)
def test_a_wrong_call_is_exit_code_2(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test here runs as an ordinary user already")
def test_an_ordinary_user_needs_no_root(pg_bin: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server.temporary(pg_bin=pg_bin) as lent:
        directory = lent.socket_dir / "state"
        monkeypatch.setenv("RUNSTORE_PG_BIN", lent.programs)

        def up_and_away() -> None:
            assert main(["up", "--dir", str(directory)]) == 0
            pid = int((directory / "server" / "data" / "postmaster.pid").read_text().split()[0])
            assert Path(f"/proc/{pid}").stat().st_uid == os.geteuid() == lent.account.uid
            assert main(["remove", "--dir", str(directory)]) == 0
            assert not directory.exists()

        _as_account(lent.account, up_and_away)


def _as_account(account: Account, action: Callable[[], None]) -> None:
    """Act as the account in a process without a new program: ours may lie where the account cannot read."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(account.gid)
            os.setuid(account.uid)
            action()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
