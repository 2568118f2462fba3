"""The worker, run as a user runs it: in a process of its own, with signals, restarts and a log."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from appends import Event, append, append_batch, event, together
from psycopg import sql
from psycopg.conninfo import make_conninfo
from runstore import worker
from runstore.embedded import Server
from support import Connect, Connection, make_template, run_sql, wait_until_blocked

QUICK = ("--poll-ms", "10", "--health-ms", "20")
PASSWORD = "swordfish"  # noqa: S105
FIND = "select pid from pg_stat_activity where application_name = 'runstore worker' and datname = current_database()"
TERMINATE = FIND.replace("select pid", "select pg_terminate_backend(pid)")


class Process:
    """A worker that runs, and its log."""

    def __init__(self, directory: Path, dsn: str, *arguments: str) -> None:
        self.log = directory / f"{uuid.uuid4().hex}.log"
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "runstore.cli", "worker", "--dsn", dsn, *arguments],
                cwd="/",
                env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def lines(self, about: str = "") -> list[str]:
        """Return the lines of the log that say this, without their times."""
        said = [re.sub(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ", "", line) for line in self.text().splitlines()]
        return [line for line in said if about in line]

    def text(self) -> str:
        """Return the whole log."""
        return self.log.read_text()

    def wait_for(self, about: str, times: int = 1) -> None:
        """Return when the log says this so many times."""
        until(lambda: self.has_ended() or len(self.lines(about)) >= times, f"{about!r} in the log")
        assert len(self.lines(about)) >= times, self.text()

    def signal(self, signum: int) -> None:
        """Send it a signal."""
        self._process.send_signal(signum)

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def exit_code(self) -> int:
        """Wait for its end."""
        return self._process.wait(60)

    def stop(self) -> list[str]:
        """Stop it as a service manager does, and return what it had to say."""
        self.signal(signal.SIGTERM)
        assert self.exit_code() == 0, self.text()
        return self.lines()

    def kill(self) -> None:
        """Leave nothing behind."""
        self._process.kill()
        self._process.wait()


class Start:
    """Starts workers on a database."""

    def __init__(self, directory: Path, dsn: str, stack: ExitStack) -> None:
        self._directory = directory
        self._dsn = dsn
        self._stack = stack

    def __call__(self, *arguments: str, dsn: str | None = None) -> Process:
        """Start one, which is killed after the test."""
        process = Process(self._directory, dsn or self._dsn, *(arguments or QUICK))
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def start(tmp_path: Path, dsn: str) -> Iterator[Start]:
    """Starts workers on the test's database."""
    with ExitStack() as stack:
        yield Start(tmp_path, dsn, stack)


@pytest.fixture(scope="module")
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server that the tests of this module may stop and kill, with a store in it."""
    with Server.temporary(pg_bin=pg_bin) as server:
        server.start()
        make_template(server, "store")
        yield server


@pytest.fixture
def start_on_own(tmp_path: Path, own: Server) -> Iterator[Start]:
    """Starts workers on the module's own server, which runs again after the test."""
    own.start()
    with ExitStack() as stack:
        yield Start(tmp_path, own.dsn("store"), stack)
    own.start()


def test_what_is_appended_while_it_runs_is_projected(start: Start, connect: Connect) -> None:
    process, client = start(), connect()
    process.wait_for("connected")
    for n in range(3):
        append(client, event("run-1", f"step-{n}"))
        _wait_for_snapshot(client, "run-1", n + 1)
    assert process.stop()[-1].startswith("stopped: 3 runs brought up to date in ")


def test_what_was_appended_before_it_started_is_projected(start: Start, connect: Connect) -> None:
    client = connect()
    append_batch(client, _whole_run("run-1"))
    start()
    _wait_for_snapshot(client, "run-1", 4)
    assert _one(client, "select runstore.get_snapshot('run-1') ->> 'status'") == "COMPLETED"


def test_two_workers_project_each_run_exactly_once(start: Start, connect: Connect) -> None:
    workers = [start(*QUICK, "--batch", "3") for _ in range(2)]
    for process in workers:
        process.wait_for("connected")
    clients = [connect() for _ in range(2)]

    def write(client: int) -> list[str]:
        runs = [f"run-{client}-{n}" for n in range(100)]
        for run in runs:
            append_batch(clients[client], _whole_run(run))
        return runs

    runs = together(2, write)
    for run in runs:
        _wait_for_snapshot(clients[0], run, 4)
    done = [int(process.stop()[-1].split()[1]) for process in workers]
    assert sum(done) == len(runs)
    differing = clients[0].execute(
        "select run_id from runstore.run_snapshots "
        "where snapshot_data - '{stale,projectedAt}'::text[] <> runstore.replay_snapshot(run_id) or version <> 0"
    )
    assert differing.fetchall() == []


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_an_idle_worker(start: Start, signum: signal.Signals) -> None:
    process = start("--poll-ms", "3600000", "--health-ms", "3600000")
    process.wait_for("connected")
    process.signal(signum)
    assert process.exit_code() == 0
    assert process.lines()[-2] == f"stopping on {signum.name}"
    assert re.fullmatch(
        r"stopped: 0 runs brought up to date in \d+\.\d s, 0 reconnects, 0 conflicts", process.lines()[-1]
    )


def test_a_signal_lets_the_call_in_hand_finish(start: Start, connect: Connect) -> None:
    client = connect()
    append(client, event("run-1", "step-1"))
    with _blocked(start, connect) as (process, pid):
        process.signal(signal.SIGTERM)
        process.wait_for("stopping on SIGTERM")
        wait_until_blocked(client, pid)
        assert not process.has_ended()
    assert process.exit_code() == 0
    assert process.lines()[-1].startswith("stopped: 1 run brought up to date")
    assert _last_seq(client, "run-1") == 1


def test_a_second_signal_cancels_the_call_in_hand(start: Start, connect: Connect) -> None:
    client = connect()
    append(client, event("run-1", "step-1"))
    with _blocked(start, connect) as (process, _):
        process.signal(signal.SIGTERM)
        process.wait_for("stopping on SIGTERM")
        process.signal(signal.SIGINT)
        assert process.exit_code() == 0
        until(lambda: _one(client, f"select not exists ({FIND})"), "the backend gone")
    assert [line.split()[0] for line in process.lines()] == ["started:", "stopping", "stopped:"]
    assert _last_seq(client, "run-1") is None


def test_a_signal_ends_a_worker_that_always_has_work(start: Start, connect: Connect) -> None:
    _replace_project_pending(connect(), "return 1;")
    process = start(*QUICK, "--verbose")
    process.wait_for("1 run brought up to date", times=10)
    assert process.stop()[-1].startswith("stopped: ")


@pytest.mark.parametrize("how", [Server.stop, Server.kill], ids=["stopped", "killed"])
def test_it_goes_on_after_the_server_was_away(start_on_own: Start, own: Server, how: Callable[[Server], None]) -> None:
    run = f"run-{uuid.uuid4()}"
    process = start_on_own()
    with psycopg.connect(own.dsn("store"), autocommit=True) as client:
        append(client, event(run, "step-1"))
        _wait_for_snapshot(client, run, 1)
    how(own)
    process.wait_for("connection lost: ")
    own.start()
    with psycopg.connect(own.dsn("store"), autocommit=True) as client:
        append(client, event(run, "step-2"))
        _wait_for_snapshot(client, run, 2)
    said = process.stop()
    assert len([line for line in said if line.startswith(("connection lost: ", "connected again: "))]) == 2
    assert " 1 reconnect, " in said[-1]


def test_it_waits_for_a_server_that_is_not_up_yet(start_on_own: Start, own: Server) -> None:
    run = f"run-{uuid.uuid4()}"
    own.stop()
    process = start_on_own()
    process.wait_for("cannot connect: ")
    own.start()
    with psycopg.connect(own.dsn("store"), autocommit=True) as client:
        append(client, event(run, "step-1"))
        _wait_for_snapshot(client, run, 1)
    said = process.stop()
    assert [line.split(":")[0] for line in said[:3]] == ["started", "cannot connect", "connected"]
    assert " 0 reconnects, " in said[-1]


def test_it_says_once_that_it_cannot_connect_however_often_it_tries(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging_up:
        hanging_up.settimeout(60)
        address = {"host": "127.0.0.1", "port": str(hanging_up.getsockname()[1])}
        process = start(dsn=make_conninfo("", **address, user="me", sslmode="disable", gssencmode="disable"))
        for _ in range(4):
            hanging_up.accept()[0].close()
        assert [line.split(":")[0] for line in process.stop()[:3]] == [
            "started",
            "cannot connect",
            "stopping on SIGTERM",
        ]


def test_a_signal_ends_a_worker_that_waits_for_the_server(start_on_own: Start, own: Server) -> None:
    own.stop()
    process = start_on_own()
    process.wait_for("cannot connect: ")
    assert process.stop()[-1].startswith("stopped: 0 runs")


def test_it_connects_again_when_its_backend_is_terminated(start: Start, connect: Connect) -> None:
    process, client = start(), connect()
    for n in (1, 2):
        process.wait_for("connected", times=n)
        client.execute(TERMINATE)
        process.wait_for("connection lost: ", times=n)
    append(client, event("run-1", "step-1"))
    _wait_for_snapshot(client, "run-1", 1)
    said = process.stop()
    assert len([line for line in said if line.startswith("connected again: ")]) == 2
    assert " 2 reconnects, " in said[-1]


def test_it_waits_for_a_read_only_server_to_be_promoted(start: Start, connect: Connect) -> None:
    client = connect()
    name = sql.Identifier(client.info.dbname)
    client.execute(sql.SQL("alter database {} set default_transaction_read_only = on").format(name))
    process = start()
    process.wait_for("read-only transaction; trying again")
    client.execute(sql.SQL("alter database {} reset default_transaction_read_only").format(name))
    process.wait_for("connected: ")


@pytest.mark.parametrize("sqlstate", ["40001", "40P01", "55P03"])
def test_a_conflict_is_retried_without_a_word(start: Start, connect: Connect, sqlstate: str) -> None:
    client = connect()
    client.execute("create sequence public.calls")
    _replace_project_pending(
        client,
        f"if nextval('public.calls') < 4 then raise 'again' using errcode = '{sqlstate}'; end if; return 0;",
    )
    process = start(*QUICK, "--once")
    assert process.exit_code() == 0
    assert " 0 reconnects, 3 conflicts" in process.lines("stopped: ")[0]
    assert [line.split(":")[0] for line in process.lines()[:3]] == ["started", "connected", "stopped"]


def test_once_projects_what_is_due_and_ends(start: Start, connect: Connect) -> None:
    client = connect()
    for n in range(5):
        append_batch(client, _whole_run(f"run-{n}"))
    for expected in (5, 0):
        process = start("--once", "--batch", "2")
        assert process.exit_code() == 0
        assert f"runs brought up to date: {expected}" in process.lines()
    assert _one(client, "select count(*) from runstore.run_snapshots where status = 'COMPLETED'") == 5


def test_once_brings_a_long_run_to_its_end(start: Start, connect: Connect) -> None:
    client = connect()
    for part in range(3):
        append_batch(client, [event("run-1", f"step-{part}-{n}") for n in range(900)])
    assert start("--once").exit_code() == 0
    assert _last_seq(client, "run-1") == 2700


def test_once_fails_when_the_server_is_away(start_on_own: Start, own: Server) -> None:
    own.stop()
    process = start_on_own("--once")
    assert process.exit_code() == 1
    assert len(process.lines()) == len(process.lines("runstore: ")) == 1


@pytest.mark.parametrize("arguments", [[], ["--once"]], ids=["continuously", "once"])
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"host": "127.0.0.1", "password": PASSWORD}, "password authentication failed"),
        ({"host": "127.0.0.1"}, "no password supplied"),
        ({"user": "nobody_at_all"}, 'role "nobody_at_all" does not exist'),
        ({"dbname": "no_such_database"}, 'database "no_such_database" does not exist'),
        ({"dbname": "postgres"}, "this database has no runstore"),
        ({"user": "bystander"}, "grant runstore_worker to bystander"),
    ],
    ids=["wrong password", "no password", "no login", "no database", "no schema", "no privilege"],
)
def test_what_cannot_mend_itself_is_one_line_and_exit_code_1(
    start: Start, dsn: str, server: Server, parameters: dict[str, str], expected: str, arguments: list[str]
) -> None:
    with _login(server, "bystander"):
        process = start(*QUICK, *arguments, dsn=make_conninfo(dsn, **parameters))
        assert process.exit_code() == 1
    assert len(process.lines()) == len(process.lines("runstore: ")) == 1
    assert expected in process.text()


def test_a_schema_that_is_older_than_the_worker_ends_it(start: Start, connect: Connect) -> None:
    process, client = start(), connect()
    process.wait_for("connected")
    client.execute("drop function runstore.project_pending")
    assert process.exit_code() == 1
    assert "older than this worker" in process.lines()[-1]


@pytest.mark.parametrize(
    "malformed", [f"postgresql://me:{PASSWORD}@[::1", f"host=x password=open {PASSWORD}"], ids=["URI", "pairs"]
)
def test_a_malformed_connection_string_is_not_shown(start: Start, malformed: str) -> None:
    process = start(dsn=malformed)
    assert process.exit_code() == 1
    assert len(process.lines()) == len(process.lines("runstore: the connection string cannot be read")) == 1
    assert PASSWORD not in process.text()


def test_the_log_says_where_it_works_and_never_the_password(start_on_own: Start, own: Server) -> None:
    process = start_on_own(dsn=own.tcp_dsn("store"))
    process.wait_for("connected")
    own.stop()
    process.wait_for("connection lost: ")
    own.start()
    process.wait_for("connected again: ")
    assert process.lines()[0].startswith(f"started: database store on 127.0.0.1 port {own.port} as postgres; ")
    process.stop()
    assert own.password not in process.text()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S", line) for line in process.text().splitlines())


def test_the_role_runstore_worker_is_enough(start: Start, connect: Connect, dsn: str, server: Server) -> None:
    with _login(server, "projector", "runstore_worker"):
        process, client = start(*QUICK, dsn=make_conninfo(dsn, user="projector")), connect()
        append(client, event("run-1", "step-1"))
        _wait_for_snapshot(client, "run-1", 1)
        assert process.stop()[0].split(" as ")[1].startswith("projector; ")


def test_it_closes_a_lag_alert_that_was_raised_without_it(start: Start, connect: Connect) -> None:
    client = connect()
    append(client, event("run-1", "step-1"))
    client.execute("select runstore.set_config_value('lag_alert_ms', '1')")
    until(lambda: _one(client, "select (runstore.check_health() ->> 'lagIsHigh')::boolean"), "a lag that is high")
    is_open = "select bool_or(resolved_at is null) from runstore.alerts where code = 'PROJECTOR_LAG_HIGH'"
    assert _one(client, is_open) is True
    start()
    until(lambda: _one(client, is_open) is False, "the alert closed")


def test_it_says_when_the_lag_is_high_and_when_it_no_longer_is(start: Start, connect: Connect) -> None:
    client, other = connect(), connect(autocommit=False)
    client.execute("select runstore.set_config_value('lag_alert_ms', '1')")
    append(client, event("run-1", "step-1"))
    other.execute("select from runstore.due_runs for update")
    process = start()
    process.wait_for("lag is high: ")
    other.rollback()
    process.wait_for("lag is back to normal: ")
    said = process.stop()
    assert len([line for line in said if "lag is" in line]) == 2


def test_the_lag_is_watched_under_load_too(start: Start, connect: Connect) -> None:
    client = connect()
    client.execute("select runstore.set_config_value('lag_alert_ms', '1')")
    append(client, event("run-1", "step-1"))
    _replace_project_pending(client, "return 1;")
    start().wait_for("lag is high: ")


def test_it_says_that_runs_are_marked_for_a_resync(start: Start, connect: Connect) -> None:
    client = connect()
    client.execute("select runstore.set_config_value('lag_resync_ms', '1')")
    append(client, event("run-1", "step-1"))
    _replace_project_pending(client, "return 0;")
    start().wait_for("1 run far behind: marked for a resync")


def test_it_says_how_many_runs_are_halted_and_when_none_is_left(start: Start, connect: Connect) -> None:
    client = connect()
    append_batch(client, _whole_run("run-1"))
    client.execute("create table public.lost as select * from runstore.run_events where run_seq = 2")
    client.execute("alter table runstore.run_events disable trigger run_events_guard")
    client.execute("delete from runstore.run_events where run_seq = 2")
    process = start()
    process.wait_for("1 run halted by a gap or a failure")
    client.execute("insert into runstore.run_events select * from public.lost")
    process.wait_for("0 runs halted by a gap or a failure")
    assert _last_seq(client, "run-1") == 4


def test_verbose_logs_each_call_that_did_something(start: Start, connect: Connect) -> None:
    process, client = start(*QUICK, "--verbose"), connect()
    for n in range(3):
        append(client, event("run-1", f"step-{n}"))
        process.wait_for("1 run brought up to date in", times=n + 1)
    process.stop()
    assert len(process.lines(" ms")) == 3


def test_its_commits_do_not_wait_for_the_disk_and_the_options_of_the_dsn_are_kept(
    start: Start, connect: Connect, dsn: str
) -> None:
    client = connect()
    client.execute("create table public.seen (setting text)")
    _replace_project_pending(
        client,
        "insert into public.seen values (current_setting('synchronous_commit')), (current_setting('application_name')),"
        " (current_setting('work_mem')); return 0;",
    )
    process = start("--once", dsn=make_conninfo(dsn, options="-c work_mem=7MB"))
    assert process.exit_code() == 0
    assert client.execute("select setting from public.seen").fetchall() == [("off",), ("runstore worker",), ("7MB",)]


def test_a_program_can_run_one_in_a_thread(dsn: str, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_SUMMARY_SECONDS", 0.0)
    client, stop, said = connect(), threading.Event(), list[str]()
    projector = worker.Worker(dsn, poll_ms=10, health_ms=10, log=said.append)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(projector.run, stop)
        try:
            append(client, event("run-1", "step-1"))
            until(lambda: len(said) >= 3, "a summary")
        finally:
            stop.set()
        running.result()
    assert re.fullmatch(r"1 run brought up to date, \d+\.\d runs/s, lag \d+ ms", said[2])
    assert (projector.runs, projector.reconnects, projector.conflicts) == (1, 0, 0)


def until(holds: Callable[[], Any], what: str, timeout: float = 60) -> None:
    """Return when it holds."""
    deadline = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"not after {timeout:g} s: {what}")
        time.sleep(0.01)


def _whole_run(run: str) -> list[Event]:
    types = {"RunStarted": None, "StepStarted": "step", "StepCompleted": "step", "RunCompleted": None}
    return [event(run, "", eventType=name, stepId=step) for name, step in types.items()]


def _one(connection: Connection, query: str, *values: Any) -> Any:
    row = connection.execute(query.encode(), values).fetchone()
    assert row
    return row[0]


def _last_seq(connection: Connection, run: str) -> Any:
    return _one(connection, "select (runstore.get_snapshot(%s) ->> 'lastEventSeq')::bigint", run)


def _wait_for_snapshot(connection: Connection, run: str, seq: int) -> None:
    until(lambda: _last_seq(connection, run) == seq, f"a snapshot of {run} at {seq}")


def _replace_project_pending(connection: Connection, body: str) -> None:
    connection.execute(
        "create or replace function runstore.project_pending(p_max_runs int default 100) returns bigint "
        f"language plpgsql as $$ begin {body} end $$"
    )


@contextmanager
def _blocked(start: Start, connect: Connect) -> Iterator[tuple[Process, int]]:
    """Start a worker whose first call waits until the block ends, and lend its backend's pid too."""
    holder, observer = connect(autocommit=False), connect()
    holder.execute("lock table runstore.due_runs in access exclusive mode")
    process = start()
    until(lambda: observer.execute(FIND).fetchone(), "a backend of the worker")
    pid = _one(observer, FIND)
    wait_until_blocked(observer, pid)
    yield process, pid
    holder.rollback()


@contextmanager
def _login(server: Server, name: str, *roles: str) -> Iterator[None]:
    """Lend a login that has these roles and nothing else."""
    run_sql(server, sql.SQL("create role {} login").format(sql.Identifier(name)))
    try:
        for role in roles:
            run_sql(server, sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(name)))
        yield
    finally:
        run_sql(server, sql.SQL("drop role {}").format(sql.Identifier(name)))
