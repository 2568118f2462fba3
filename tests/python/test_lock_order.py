"""Transactions that keep to the documented order of locks do not deadlock, and a foreign run is not locked."""

import psycopg
import pytest
from appends import append, append_batch, event, waiting
from checker import check_log
from psycopg import sql
from support import Connect


def test_single_appends_in_run_id_order_do_not_deadlock_with_a_batch(connect: Connect) -> None:
    observer, singles, batch = connect(), connect(autocommit=False), connect()
    append(observer, event("a", "start"))
    append(singles, event("a", "one"))
    with waiting(observer, batch, lambda: append_batch(batch, [event("b", "two"), event("a", "two")])) as answers:
        append(singles, event("b", "one"))
        singles.commit()
    assert [answer.run_seq for answer in answers.result()] == [2, 3]
    check_log(observer, [], everything=False)


def test_new_runs_are_locked_in_byte_order(connect: Connect) -> None:
    observer, singles, batch = connect(), connect(autocommit=False), connect()
    append(singles, event("B", "one"))
    with waiting(observer, batch, lambda: append_batch(batch, [event("a", "two"), event("B", "two")])) as answers:
        append(singles, event("a", "one"))
        singles.commit()
    assert [answer.run_seq for answer in answers.result()] == [2, 2]
    check_log(observer, [], everything=False)


def test_a_repeat_that_differs_takes_the_run_before_its_alert(connect: Connect) -> None:
    observer, first, second = connect(), connect(autocommit=False), connect()
    append(observer, event("run", "a"))
    other = event("run", "a", payload={"other": True})
    append(first, other)
    with waiting(observer, second, lambda: append_batch(second, [event("run", "b"), other])) as answers:
        append(first, event("run", "c"))
        first.commit()
    assert [answer.run_seq for answer in answers.result()] == [3, 1]
    check_log(observer, [], everything=False)
    assert observer.execute("select count from runstore.alerts").fetchall() == [(2,)]


@pytest.mark.parametrize("tenant", ["victim", "attacker"])
def test_a_batch_does_not_lock_a_run_that_is_not_its_tenants(connect: Connect, tenant: str) -> None:
    observer, victim = connect(), connect(options="-c lock_timeout=10s")
    append(victim, event("a-run", "start", tenantId="victim"))
    append(observer, event("z-run", "start", tenantId="attacker"))
    login = sql.Identifier("attacker_login")
    observer.execute(sql.SQL("create role {} login in role runstore_writer").format(login))
    observer.execute("select runstore.bind_login('attacker_login', 'attacker')")
    try:
        holding, attacker = connect(autocommit=False, user="attacker_login"), connect(user="attacker_login")
        append(holding, event("z-run", "held", tenantId="attacker"))
        batch = [event("z-run", "mine", tenantId="attacker"), event("a-run", "foreign", tenantId=tenant)]
        with waiting(observer, attacker, lambda: append_batch(attacker, batch)) as answers:
            assert append(victim, event("a-run", "next", tenantId="victim")).run_seq == 2
            holding.rollback()
        with pytest.raises(psycopg.Error) as refusal:
            answers.result()
        assert refusal.value.sqlstate == ("RS013" if tenant == "victim" else "RS002")
        holding.close()
        attacker.close()
    finally:
        observer.execute(sql.SQL("drop owned by {}").format(login))
        observer.execute(sql.SQL("drop role {}").format(login))
