"""What is refused comes as the error of its class, with the sqlstate, the detail and the hint of the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from runstore import RunEventWrite, RunStore, errors
from runstore.embedded import Server
from stores import Stores, write
from support import Connect, Connection, cloned, run_sql

UUID_1 = UUID("11111111-1111-4111-8111-111111111111")


@pytest.fixture(scope="module")
def dsn(server: Server, template: str) -> Iterator[str]:
    """One database for all tests: each has runs of its own."""
    with cloned(server, template) as name:
        yield server.dsn(name)


@pytest.fixture(params=["sync", "async"])
def stores(request: pytest.FixtureRequest, dsn: str) -> Iterator[Stores]:
    """Stores of one kind."""
    with Stores(request.param, dsn) as made:
        yield made


@pytest.fixture
def store(stores: Stores) -> RunStore:
    """A store with connections of its own."""
    return stores.connect()


@pytest.fixture
def run() -> str:
    """A run that no other test has."""
    return f"run-{uuid4()}"


def _refused(caught: Any, kind: type[errors.RunStoreError], **detail: Any) -> None:
    """The error is of this class, and says all that one of the database has to say."""
    error = caught.value
    assert type(error) is kind
    assert error.sqlstate == kind.sqlstate
    assert {"code": kind.sqlstate, **detail}.items() <= error.detail.items()
    assert error.hint
    assert str(error)
    assert isinstance(error.__cause__, psycopg.Error)


@pytest.mark.parametrize("form", ["single", "json", "batch"])
@pytest.mark.parametrize(
    ("fields", "kind", "detail"),
    [
        ({"plan_id": ""}, errors.InvalidEvent, {"field": "planId", "value": ""}),
        ({"logical_attempt_id": 0}, errors.InvalidEvent, {"field": "logicalAttemptId", "value": "0"}),
        ({"idempotency_key": "short"}, errors.InvalidEvent, {"field": "idempotencyKey", "value": "short"}),
        ({"tenant_id": "other"}, errors.RunIdentityMismatch, {}),
        ({"event_id": UUID_1}, errors.EventIdReused, {"field": "eventId", "value": str(UUID_1)}),
        ({"payload": {"big": "x" * 300_000}}, errors.PayloadTooLarge, {"field": "payload"}),
    ],
    ids=["empty", "attempt", "key", "identity", "event_id", "payload"],
)
def test_a_wrong_event_is_refused(
    store: RunStore,
    run: str,
    fields: dict[str, Any],
    kind: type[errors.RunStoreError],
    detail: dict[str, Any],
    form: str,
) -> None:
    store.append_event(write(run, "a", event_id=UUID_1))
    wrong = write(run, "b", **fields)
    with pytest.raises(errors.RunStoreError) as caught:
        _send(store, wrong, form)
    _refused(caught, kind, **detail, **({"index": 0} if form == "batch" else {}))
    assert len(store.fetch_events(run)) == 1


def test_a_field_that_json_does_not_have_is_refused_by_its_name(store: RunStore, run: str) -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        store.append_event({**write(run).to_json(), "runSeq": 7})
    _refused(caught, errors.InvalidEvent, field="runSeq")


def test_too_many_signals_are_told_when_to_come_again(store: RunStore, run: str) -> None:
    signals = [write(run, f"s{number}", event_type="SignalAccepted") for number in range(61)]
    store.append_events(signals[:60])
    with pytest.raises(errors.SignalRateExceeded) as caught:
        store.append_event(signals[60])
    _refused(caught, errors.SignalRateExceeded)
    assert 0 < caught.value.detail["retryAfterMs"] <= 60_000


def test_a_transition_that_is_not_allowed_is_refused_where_they_are_enforced(
    store: RunStore, connect: Connect, run: str
) -> None:
    store.append_event(write(run, "load"))
    inline = _settings(connect(), projection_mode="inline", enforce_transitions="true")
    with inline, pytest.raises(errors.InvalidTransition) as caught:
        store.append_event(write(run, "load", event_type="StepFailed"))
    _refused(caught, errors.InvalidTransition)
    assert len(store.fetch_events(run)) == 1


@pytest.mark.parametrize(
    ("method", "arguments", "detail"),
    [
        ("fetch_events", ["run", -1], {"value": "-1"}),
        ("fetch_events", ["run", 0, 0], {"field": "limit", "value": "0"}),
        ("replay_snapshot", [None, 0], {"value": "0"}),
    ],
)
def test_a_wrong_argument_is_refused(
    store: RunStore, run: str, method: str, arguments: list[Any], detail: dict[str, Any]
) -> None:
    store.append_event(write(run))
    given = [run if each is None else each for each in arguments]
    with pytest.raises(errors.RunStoreError) as caught:
        getattr(store, method)(*given)
    _refused(caught, errors.InvalidArgument, **detail)


def test_a_status_that_is_none_is_refused_when_the_list_is_read(store: RunStore) -> None:
    runs = store.list_runs(status="ASLEEP")
    with pytest.raises(errors.RunStoreError) as caught:
        next(runs)
    _refused(caught, errors.InvalidArgument, field="status", value="ASLEEP")


def test_following_from_a_wrong_watermark_is_refused(store: RunStore, run: str) -> None:
    with pytest.raises(errors.RunStoreError) as caught:
        next(store.follow(run, -1))
    _refused(caught, errors.InvalidArgument)


@pytest.mark.parametrize("method", ["project_snapshot", "replay_snapshot"])
def test_an_unknown_run_is_not_found(store: RunStore, run: str, method: str) -> None:
    with pytest.raises(errors.RunStoreError) as caught:
        getattr(store, method)(run)
    _refused(caught, errors.RunNotFound)


def test_a_login_that_is_bound_to_other_tenants_is_refused(
    server: Server, stores: Stores, connect: Connect, run: str
) -> None:
    with _login(server, connect(), "bound", "runstore_writer", "runstore_reader") as (admin, name):
        admin.execute("select runstore.bind_login(%s, 'theirs')", [name])
        store = stores.connect(make_conninfo(stores.dsn, user=name))
        assert store.append_event(write(run, tenant_id="theirs")).persisted
        for refused in (lambda: store.append_event(write(f"{run}2")), lambda: list(store.list_runs("tenant"))):
            with pytest.raises(errors.RunStoreError) as caught:
                refused()
            _refused(caught, errors.TenantForbidden)
        admin.execute("select runstore.unbind_login(%s, 'theirs')", [name])


def test_the_log_cannot_be_changed_and_says_so_in_the_same_words(connect: Connect, run: str) -> None:
    session = connect()
    RunStore.on(session).append_event(write(run))
    with pytest.raises(psycopg.Error) as caught:
        session.execute("delete from runstore.run_events where run_id = %s", [run])
    refusal = errors.from_database(caught.value)
    assert type(refusal) is errors.AppendOnly
    assert (refusal.sqlstate, refusal.detail["code"], bool(refusal.hint)) == ("RS009", "RS009", True)


def test_errors_that_are_postgresqls_own_stay_so(store: RunStore, run: str) -> None:
    with pytest.raises(psycopg.DataError) as caught:
        store.append_event(write(run, "a", logical_attempt_id=2**31))
    assert caught.value.sqlstate == "22003"
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        store.append_event(write(run, "a", payload={"n": float("nan")}))
    with pytest.raises(psycopg.DataError):
        store.append_event(write(run, "a\0"))


def test_a_login_without_the_right_is_refused_by_postgresql(
    server: Server, stores: Stores, connect: Connect, run: str
) -> None:
    with _login(server, connect(), "writer", "runstore_writer") as (_, name):
        store = stores.connect(make_conninfo(stores.dsn, user=name))
        assert store.append_event(write(run)).persisted
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            store.fetch_events(run)


def test_an_error_leaves_the_callers_transaction_to_the_caller(stores: Stores, store: RunStore, run: str) -> None:
    inside, connection = stores.borrow()
    inside.append_event(write(run, "a"))
    connection.execute("savepoint s")
    with pytest.raises(errors.InvalidEvent):
        inside.append_event(write(run, ""))
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        inside.append_event(write(run, "b"))
    connection.execute("rollback to savepoint s")
    inside.append_event(write(run, "c"))
    connection.commit()
    assert [each.step_id for each in store.fetch_events(run)] == ["a", "c"]


def _send(store: RunStore, event: RunEventWrite, form: str) -> None:
    if form == "single":
        store.append_event(event)
    elif form == "json":
        store.append_event(event.to_json())
    else:
        store.append_events([event])


@contextmanager
def _settings(admin: Connection, **values: str) -> Iterator[None]:
    """Have these settings in force, and the old ones again afterwards."""
    before = {"enforce_transitions": "false", "projection_mode": "async"}
    for key, value in values.items():
        admin.execute("select runstore.set_config_value(%s, %s)", [key, value])
    try:
        yield
    finally:
        for key, value in before.items():
            admin.execute("select runstore.set_config_value(%s, %s)", [key, value])


@contextmanager
def _login(server: Server, admin: Connection, name: str, *roles: str) -> Iterator[tuple[Connection, str]]:
    """Lend a login of these roles."""
    login = f"{name}_{uuid4().hex}"
    granted = sql.SQL(", ").join(map(sql.Identifier, roles))
    run_sql(server, sql.SQL("create role {} login in role {}").format(sql.Identifier(login), granted))
    try:
        yield admin, login
    finally:
        run_sql(server, sql.SQL("drop role {}").format(sql.Identifier(login)))
