"""The projector as a process: calls the store's procedures again and again, through restarts of the database.

Every rule is in the database. Any number of workers may run; a login with the role runstore_worker is enough.
"""

import _thread
import os
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime, timezone
from typing import Any

import psycopg
from psycopg import errors, pq
from psycopg.conninfo import conninfo_to_dict

Connection = psycopg.Connection[tuple[Any, ...]]

_SIGNALS = {signal.SIGTERM, signal.SIGINT}
_SUMMARY_SECONDS = 10.0
_MIN_PAUSE, _MAX_PAUSE = 0.1, 5.0
# These end a call, not its purpose: the next one does the work.
_CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected, errors.LockNotAvailable)
# A new connection may get past these; a read-only server is one that a failover has demoted.
_INTERRUPTIONS = (psycopg.OperationalError, psycopg.InterfaceError, errors.ReadOnlySqlTransaction)
# libpq keeps the SQLSTATE of a refused connection to itself, so the words have to do. In other languages than English
# the worker goes on trying, and shows them.
_REFUSALS = re.compile(
    r'authentication failed|pg_hba\.conf|(role|database) ".*" does not exist|not permitted to log in'
    r"|permission denied for database"
)


class WorkerError(RuntimeError):
    """The worker cannot work, and will not be able to before somebody changes something."""


def print_line(text: str) -> None:
    """Write a line of the log to standard error, with the time in UTC."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    print(f"{now} {text}", file=sys.stderr, flush=True)


class Worker:
    """A projector with a connection of its own."""

    def __init__(
        self,
        dsn: str,
        *,
        batch: int = 100,
        poll_ms: int = 25,
        health_ms: int = 1000,
        verbose: bool = False,
        log: Callable[[str], None] = print_line,
    ) -> None:
        self.runs = 0
        self.conflicts = 0
        self.reconnects = 0
        self._parameters = _parameters(dsn)
        self._batch = batch
        self._poll = poll_ms / 1000
        self._health = health_ms / 1000
        self._verbose = verbose
        self._log = log
        self._began = time.monotonic()
        self._has_spoken = False
        self._was_up = False
        self._is_up: bool | None = None
        self._failures = 0
        self._lag_is_high = False
        self._halted_runs = 0
        self._summed_runs = 0
        self._summed_from = self._began

    def run(self, stop: threading.Event) -> None:
        """Project until told to stop; the call in hand is finished. Waits for a database that is away."""
        while not stop.is_set():
            try:
                self._work(stop, once=False)
            except _INTERRUPTIONS as error:
                if not self._was_up and _is_hopeless(error):
                    raise
                if self._is_up is not False:
                    what = "connection lost" if self._is_up else "cannot connect"
                    self.say(f"{what}: {_one_line(error)}; trying again")
                self._is_up = False
                stop.wait(self._next_pause())

    def run_once(self, stop: threading.Event) -> None:
        """Project until nothing is due that can be projected now, or told to stop."""
        self._work(stop, once=True)

    def say(self, text: str) -> None:
        """Log a line; before the first one, what this worker is."""
        if not self._has_spoken:
            self._has_spoken = True
            self._log(f"started: {_target(self._parameters)}; up to {self._batch} runs per call")
        self._log(text)

    def summary(self) -> str:
        """Return what was done, in a few words."""
        seconds = time.monotonic() - self._began
        return (
            f"{_count(self.runs, 'run')} brought up to date in {seconds:.1f} s, "
            f"{_count(self.reconnects, 'reconnect')}, {_count(self.conflicts, 'conflict')}"
        )

    def _work(self, stop: threading.Event, *, once: bool) -> None:
        """Project through one connection, until it breaks."""
        # Between a backlog and its end the lag says nothing: with once, only the end is looked at.
        check_at = float("inf") if once else 0.0
        with closing(self._connect()) as connection:
            while not stop.is_set():
                try:
                    done = self._project(connection)
                    if time.monotonic() >= check_at or (once and done == 0):
                        self._check_health(connection)
                        check_at = time.monotonic() + self._health
                except _CONFLICTS:
                    self.conflicts += 1
                else:
                    if once and done == 0:
                        return
                    # A call that was not at least half full has emptied the queue: what came since can gather.
                    if done * 2 >= self._batch or (once and done > 0):
                        continue
                stop.wait(min(self._poll, self._health))

    def _connect(self) -> Connection:
        # Never prepared: statements as short as these gain nothing by it, and poolers and upgrades are no concern.
        return psycopg.connect(**self._parameters, autocommit=True, prepare_threshold=None)

    def _call(self, connection: Connection, statement: str, *values: int) -> Any:
        try:
            row = connection.execute(statement.encode(), values).fetchone()
        except (errors.InvalidSchemaName, errors.UndefinedFunction):
            raise WorkerError(
                "this database has no runstore, or one that is older than this worker: runstore migrate brings it"
            ) from None
        except errors.InsufficientPrivilege as error:
            user = connection.info.user
            raise WorkerError(
                f"user {user} may not project: {_one_line(error)} (grant runstore_worker to {user})"
            ) from None
        assert row  # noqa: S101  # a function call always has one
        if not self._is_up:
            again = "connected again" if self._was_up else "connected"
            self.say(f"{again}: PostgreSQL {connection.info.parameter_status('server_version')}")
            self.reconnects += self._was_up
            self._was_up = self._is_up = True
            self._failures = 0
        return row[0]

    def _project(self, connection: Connection) -> int:
        began = time.monotonic()
        done: int = self._call(connection, "select runstore.project_pending(%s)", self._batch)
        if done > 0:
            if self._summed_runs == 0:
                self._summed_from = began
            self.runs += done
            self._summed_runs += done
            if self._verbose:
                self.say(f"{_count(done, 'run')} brought up to date in {(time.monotonic() - began) * 1000:.1f} ms")
        return done

    def _check_health(self, connection: Connection) -> None:
        """Have the store look after its alerts, and say what changed."""
        found = self._call(connection, "select runstore.check_health()")
        lag_ms, waiting = found["lagMs"], _count(found["dueRuns"], "run")
        if found["lagIsHigh"] and not self._lag_is_high:
            self.say(f"lag is high: {lag_ms} ms, {waiting} due")
        elif self._lag_is_high and not found["lagIsHigh"]:
            self.say(f"lag is back to normal: {lag_ms} ms, {waiting} due")
        self._lag_is_high = found["lagIsHigh"]
        if found["runsMarkedForResync"]:
            self.say(f"{_count(found['runsMarkedForResync'], 'run')} far behind: marked for a resync")
        if found["haltedRuns"] != self._halted_runs:
            self._halted_runs = found["haltedRuns"]
            self.say(f"{_count(self._halted_runs, 'run')} halted by a gap or a failure")
        seconds = time.monotonic() - self._summed_from
        if self._summed_runs and seconds >= _SUMMARY_SECONDS:
            rate = self._summed_runs / seconds
            self.say(f"{_count(self._summed_runs, 'run')} brought up to date, {rate:.1f} runs/s, lag {lag_ms} ms")
            self._summed_runs = 0

    def _next_pause(self) -> float:
        """Return how long to wait for the database: ever longer, and not in step with other workers."""
        longest = min(_MAX_PAUSE, _MIN_PAUSE * 2 ** min(self._failures, 10))
        self._failures += 1
        return random.uniform(_MIN_PAUSE, longest)  # noqa: S311  # no secret


def serve(worker: Worker, *, once: bool = False) -> None:
    """Run the worker in a process of its own, until SIGTERM or SIGINT; a second one cancels the call in hand."""
    stop = threading.Event()
    # A handler would run in this thread, and could not set the event safely while this thread waits for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_listen, args=[worker, stop], daemon=True).start()
    with suppress(KeyboardInterrupt):
        (worker.run_once if once else worker.run)(stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker.say(f"stopped: {worker.summary()}")


def _listen(worker: Worker, stop: threading.Event) -> None:
    name = signal.Signals(signal.sigwait(_SIGNALS)).name
    worker.say(f"stopping on {name}")
    stop.set()
    signal.sigwait(_SIGNALS)
    # psycopg answers an interrupt by cancelling the query in the server, and does not wait for it for ever.
    _thread.interrupt_main()


def _parameters(dsn: str) -> dict[str, Any]:
    try:
        parameters = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # libpq's message quotes the string, which may hold a password.
        raise WorkerError(
            "the connection string cannot be read: expected postgresql://user@host/dbname or key=value pairs"
        ) from None
    parameters.setdefault("application_name", "runstore worker")
    if "PGCONNECT_TIMEOUT" not in os.environ:
        parameters.setdefault("connect_timeout", 10)
    # A projection that a crash of the server undoes is made again from the log, so no commit has to wait for the disk.
    given = parameters.get("options") or os.environ.get("PGOPTIONS", "")
    parameters["options"] = f"-c synchronous_commit=off {given}".strip()
    return dict(parameters)


def _target(parameters: dict[str, Any]) -> str:
    defaults = {each.keyword.decode(): (each.val or b"").decode() for each in pq.Conninfo.get_defaults()}
    known = {**defaults, **parameters}
    host = known["host"] or known["hostaddr"] or "the local socket"
    return f"database {known['dbname'] or known['user']} on {host} port {known['port']} as {known['user']}"


def _is_hopeless(error: psycopg.Error) -> bool:
    """Whether the server refused who we are or where we want to go: trying again would not change its mind."""
    asked_in_vain = error.pgconn is not None and error.pgconn.needs_password
    return error.sqlstate is None and (asked_in_vain or _REFUSALS.search(str(error)) is not None)


def _one_line(error: psycopg.Error) -> str:
    return " ".join((error.diag.message_primary or str(error)).split()) or type(error).__name__


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
