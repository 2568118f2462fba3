"""What the store takes for granted of an account, each thing for itself: one that fails takes a promise with it."""

from uuid import uuid4

import pytest
from runstore import SnowflakeRunStore, errors
from snowflake.connector import SnowflakeConnection
from stores import write

from live.account import Account, rows

HOSTILE = 'it\'s "quoted" \\ back\\\\slashed, $$ dollars; -- a comment\n\ttwo lines, 100 % ünïcödé 🎉'


@pytest.fixture
def run() -> str:
    """A run that no other case has."""
    return f"run-{uuid4()}"


@pytest.fixture
def session(account: Account) -> SnowflakeConnection:
    """A session of the case's own in the store's schema."""
    return account.connect()


@pytest.fixture(scope="module")
def store(account: Account) -> SnowflakeRunStore:
    """A store with connections of its own."""
    return account.store()


def test_an_append_is_a_transaction_of_its_own_in_the_callers(session: SnowflakeConnection, run: str) -> None:
    inside = SnowflakeRunStore.on(session)
    rows(session, "BEGIN TRANSACTION")
    answer = inside.append_event(write(run, "a"))
    assert rows(session, "SELECT CURRENT_TRANSACTION() IS NOT NULL AS IS_OPEN") == [{"IS_OPEN": True}]
    rows(session, "ROLLBACK")
    assert [each.event_id for each in inside.fetch_events(run)] == [answer.event_id]


def test_an_append_leaves_no_transaction_open(session: SnowflakeConnection, run: str) -> None:
    inside = SnowflakeRunStore.on(session)
    inside.append_event(write(run, "a"))
    assert rows(session, "SELECT CURRENT_TRANSACTION() IS NULL AS IS_OVER") == [{"IS_OVER": True}]
    with pytest.raises(errors.RunIdentityMismatch):
        inside.append_event(write(run, "b", tenant_id="other"))
    assert rows(session, "SELECT CURRENT_TRANSACTION() IS NULL AS IS_OVER") == [{"IS_OVER": True}]


def test_a_refusal_arrives_word_for_word(store: SnowflakeRunStore, run: str) -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        store.append_event(write(run, f"{HOSTILE}|"))
    assert caught.value.detail["value"] == f"{HOSTILE}|"[:100]
    assert caught.value.detail["code"] == caught.value.sqlstate == "RS001"
    assert str(caught.value).startswith(f'INVALID_EVENT: stepId "{HOSTILE}|" is refused')
    assert caught.value.hint


def test_a_refusal_through_a_batch_has_its_index_and_stores_nothing(store: SnowflakeRunStore, run: str) -> None:
    with pytest.raises(errors.RunIdentityMismatch) as caught:
        store.append_events([write(run, "a"), write(run, "b"), write(run, "c", tenant_id="other")])
    assert caught.value.detail["index"] == 2
    assert store.fetch_events(run) == []


def test_text_and_json_come_back_as_they_were(store: SnowflakeRunStore, run: str) -> None:
    payload = {"text": HOSTILE, "number": -12.5, "big": 2**53, "null": None, "list": [1, [True, {}]], "": "empty name"}
    sent = write(run, HOSTILE, payload=payload, engine_run_ref={"id": HOSTILE}, adapter_version="é" * 255)
    store.append_event(sent)
    stored = store.fetch_events(run)[0]
    assert (stored.step_id, stored.payload, stored.engine_run_ref) == (HOSTILE, payload, {"id": HOSTILE})
    assert (stored.emitted_at, stored.adapter_version) == (sent.emitted_at, "é" * 255)


def test_a_payload_of_the_greatest_size_and_a_batch_of_a_thousand_fit(store: SnowflakeRunStore, run: str) -> None:
    largest = {"x": "y" * (262_144 - len('{"x": ""}'))}
    store.append_event(write(run, "large", payload=largest))
    with pytest.raises(errors.PayloadTooLarge):
        store.append_event(write(run, "larger", payload={"x": f"{largest['x']}y"}))
    answers = store.append_events([write(run, f"s{n}", payload={"n": n}) for n in range(1000)])
    assert [each.run_seq for each in answers] == list(range(2, 1002))
    assert store.fetch_events(run, limit=1)[0].payload == largest


def test_the_row_count_of_a_merge_is_what_it_inserted_and_updated(session: SnowflakeConnection) -> None:
    rows(session, "CREATE OR REPLACE TABLE MERGED (ID NUMBER, N NUMBER)")
    rows(session, "INSERT INTO MERGED SELECT 1, 1")
    procedure = """
    CREATE OR REPLACE PROCEDURE MERGE_ROWS() RETURNS NUMBER LANGUAGE SQL EXECUTE AS OWNER AS
    $$
    DECLARE
        V_ROWS NUMBER DEFAULT 0;
    BEGIN
        MERGE INTO MERGED AS T
        USING (SELECT COLUMN1 AS ID, COLUMN2 AS SEEN FROM VALUES (1, 1), (2, 0), (3, 0)) AS S
        ON T.ID = S.ID
        WHEN MATCHED AND T.N = S.SEEN THEN UPDATE SET N = 2
        WHEN NOT MATCHED THEN INSERT (ID, N) VALUES (S.ID, 1);
        V_ROWS := SQLROWCOUNT;
        RETURN V_ROWS;
    END;
    $$
    """
    rows(session, procedure)
    counts = [next(iter(rows(session, "CALL MERGE_ROWS()")[0].values())) for _ in range(2)]
    # The second time all three are matched, and none is as it was seen.
    assert counts == [3, 0]
    rows(session, "DROP PROCEDURE MERGE_ROWS()")
    rows(session, "DROP TABLE MERGED")


def test_declared_keys_of_the_log_are_not_what_keeps_it_whole(session: SnowflakeConnection) -> None:
    """Should an account enforce them one day, the store does not mind; what it must not do is rely on them."""
    rows(session, "CREATE OR REPLACE TABLE KEYED (ID NUMBER NOT NULL, CONSTRAINT KEYED_PKEY PRIMARY KEY (ID))")
    rows(session, "INSERT INTO KEYED SELECT 1")
    rows(session, "INSERT INTO KEYED SELECT 1")
    assert rows(session, "SELECT COUNT(*) AS N FROM KEYED") == [{"N": 2}]
    rows(session, "DROP TABLE KEYED")


def test_a_procedure_of_the_owner_sees_the_login_that_calls_it(
    session: SnowflakeConnection, store: SnowflakeRunStore, run: str
) -> None:
    login = rows(session, "SELECT CURRENT_USER() AS LOGIN")[0]["LOGIN"]
    rows(session, "CALL BIND_LOGIN(?, ?)", login, "theirs")
    try:
        assert store.append_event(write(run, "a", tenant_id="theirs")).persisted
        with pytest.raises(errors.TenantForbidden) as caught:
            store.append_event(write(f"{run}2", "a"))
        assert caught.value.detail["value"] == "tenant"
    finally:
        rows(session, "CALL UNBIND_LOGIN(?, ?)", login, "theirs")
    assert store.append_event(write(f"{run}2", "a")).persisted


def test_a_session_reads_what_another_has_committed_a_moment_ago(account: Account, run: str) -> None:
    """READ_CONSISTENCY_MODE says how soon; an append that saw less would be an APPEND_RACED, and so sent again."""
    writer, reader = account.store(max_size=1), account.store(max_size=1)
    for n in range(1, 6):
        writer.append_event(write(run, f"a{n}"))
        assert reader.append_event(write(run, f"b{n}")).run_seq == 2 * n
