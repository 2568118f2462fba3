"""What happens to an append that waits: these cases need two sessions that really block each other."""

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from runstore import snowflake as client
from snowflake.connector import SnowflakeConnection
from snowflake.connector.errors import Error
from stores import write

from live.account import Account, rows

# Standard tables lock the table for it, hybrid ones the run's row; an append comes to it in either case.
TAKE_THE_LOCK = "UPDATE RUN_COUNTERS SET LAST_SEQ = LAST_SEQ WHERE RUN_ID = ?"


@pytest.fixture
def run() -> str:
    """A run that no other case has."""
    return f"run-{uuid4()}"


def test_a_lock_that_is_not_got_in_time_is_known_for_what_it_is(account: Account, run: str) -> None:
    """The number of this error is not documented, and the client tells it by a part of its text."""
    holder = account.connect()
    impatient = account.store(retries=0, session_parameters={account.lock_timeout: 1})
    impatient.append_event(write(run, "before"))
    rows(holder, "BEGIN TRANSACTION")
    rows(holder, TAKE_THE_LOCK, run)
    with pytest.raises(Error) as caught:
        impatient.append_event(write(run, "waits"))
    rows(holder, "ROLLBACK")
    assert client._is_transient(caught.value), f"{caught.value.errno} {caught.value.sqlstate}: {caught.value}"
    assert impatient.append_event(write(run, "waits")).run_seq == 2


def test_an_append_waits_for_the_lock_and_goes_on_behind_it(account: Account, run: str) -> None:
    holder, watcher, store = account.connect(), account.connect(), account.store(retries=0)
    store.append_event(write(run, "before"))
    rows(holder, "BEGIN TRANSACTION")
    rows(holder, TAKE_THE_LOCK, run)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(store.append_event, write(run, "waits"))
        try:
            _until_somebody_waits(watcher)
            assert not waiting.done()
        finally:
            rows(holder, "COMMIT")
        assert waiting.result().run_seq == 2


def _until_somebody_waits(watcher: SnowflakeConnection) -> None:
    deadline = time.monotonic() + 60
    while not any(lock["status"] == "WAITING" for lock in rows(watcher, "SHOW LOCKS")):
        assert time.monotonic() < deadline, "no statement waits for the lock"
        time.sleep(0.5)
