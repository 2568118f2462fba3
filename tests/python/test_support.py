"""The helpers that tests of races rest on."""

import threading

import pytest
from runstore.embedded import Server
from support import Connect, wait_until_blocked


def test_a_session_that_waits_for_a_lock_is_seen(connect: Connect) -> None:
    holder, waiter, observer = connect(autocommit=False), connect(), connect()
    holder.execute("create table public.held ()")
    holder.commit()
    holder.execute("lock table public.held")
    thread = threading.Thread(target=lambda: waiter.execute("select from public.held"))
    thread.start()
    wait_until_blocked(observer, waiter.info.backend_pid)
    holder.rollback()
    thread.join(10)
    assert not thread.is_alive()


def test_a_session_that_waits_for_nothing_fails_the_test(connect: Connect) -> None:
    idle, observer = connect(), connect()
    with pytest.raises(pytest.fail.Exception, match="does not wait for a lock"):
        wait_until_blocked(observer, idle.info.backend_pid, timeout=0.1)


def test_each_test_has_a_migrated_database_that_survives_a_crash(connect: Connect, server: Server) -> None:
    before = connect()
    before.execute("create table public.kept ()")
    server.kill()
    server.restart()
    after = connect()
    assert after.execute("select count(*) from pg_class where relname = 'kept'").fetchone() == (1,)
    assert after.execute("select to_regnamespace('runstore') is not null").fetchone() == (True,)
