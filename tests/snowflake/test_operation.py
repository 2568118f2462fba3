"""Settings, bindings of logins to tenants, and what operators do with alerts."""

from typing import Any

import pytest
from append_rules import Refusal
from appends import event
from bench_stores import TABLES, BenchStore, refused

KEYS = ("max_payload_bytes", "max_signal_bytes", "max_signals_per_minute")
HOSTILE = [
    "' or 1=1 --",
    '"; drop table CONFIG; --',
    "\\",
    "\\\\'\\\"",
    "a\nb\r\tc",
    "$$",
    '{"a": 1}',
    "😀",
    "x" * 1000,
]


def _settings(store: BenchStore) -> dict[str, int]:
    [row] = store.sql("SELECT * FROM CONFIG")
    return row


# Settings


def test_the_store_starts_with_the_documented_values(store: BenchStore) -> None:
    assert _settings(store) == {
        "max_payload_bytes": 262144,
        "max_signal_bytes": 65536,
        "max_signals_per_minute": 60,
    }


@pytest.mark.parametrize("key", KEYS)
def test_one_setting_is_changed_and_no_other(shared: BenchStore, key: str) -> None:
    before = _settings(shared)
    assert shared.value("SET_CONFIG_VALUE", key, "12345") is True
    assert _settings(shared) == {**before, key: 12345}


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [("max_payload_bytes", 2, 8388608), ("max_signal_bytes", 2, 8388608), ("max_signals_per_minute", 1, 1000000)],
)
def test_the_ends_of_each_range_are_taken_and_what_is_beyond_is_refused(
    shared: BenchStore, key: str, least: int, most: int
) -> None:
    for value in (least, most):
        shared.set_config(key, str(value))
        assert _settings(shared)[key] == value
    for value in (least - 1, most + 1):
        with refused("RS010", field="value", value=str(value), expected=f"a whole number from {least} to {most}"):
            shared.value("SET_CONFIG_VALUE", key, str(value))
    assert _settings(shared)[key] == most


NO_NUMBERS = ["", "many", "0", "-1", "1.5", "100.0", " 100", "100 ", "100\n", "+100", "1e3", "0x10", "2147483648"]


@pytest.mark.parametrize("value", [None, *NO_NUMBERS, "9" * 40, "\uff11\uff10\uff10", *HOSTILE])
def test_a_value_that_is_no_number_in_range_is_refused(shared: BenchStore, value: str | None) -> None:
    before = _settings(shared)
    for key in KEYS:
        with refused("RS010", field="value", value=None if value is None else value[:100]):
            shared.value("SET_CONFIG_VALUE", key, value)
    assert _settings(shared) == before


@pytest.mark.parametrize("key", [None, "no_such_key", "", "MAX_PAYLOAD_BYTES", "max_payload_bytes ", *HOSTILE])
def test_an_unknown_key_is_refused(shared: BenchStore, key: str | None) -> None:
    with pytest.raises(Refusal) as caught:
        shared.value("SET_CONFIG_VALUE", key, "100")
    shown = "NULL" if key is None else f'"{key[:100]}"'
    assert caught.value.told == {
        "message": f"INVALID_ARGUMENT: key {shown} is no setting",
        "detail": {
            "code": "RS010",
            "field": "key",
            **({} if key is None else {"value": key[:100]}),
            "expected": "max_payload_bytes, max_signal_bytes, max_signals_per_minute",
        },
        "hint": 'Use one of the keys named under "expected".',
    }


def test_a_setting_holds_for_the_next_append(store: BenchStore) -> None:
    payload = {"a": "x" * 100}
    store.append(event("run-1", "a", payload=payload))
    store.set_config("max_payload_bytes", "50")
    with refused("RS005", field="payload", expected="at most 50 octets of JSON text"):
        store.append(event("run-1", "b", payload=payload))
    store.set_config("max_payload_bytes", "262144")
    assert store.append(event("run-1", "b", payload=payload)).run_seq == 2


# Bindings


def _bound(store: BenchStore, login: str, *tenants: str) -> BenchStore:
    for tenant in tenants:
        assert store.value("BIND_LOGIN", login, tenant) is True
    return store.session_of(login)


@pytest.fixture
def tenants(store: BenchStore) -> BenchStore:
    """A store with a projected run and an alert of each of four tenants."""
    for n in range(1, 5):
        sent = event(f"run-{n}", "a", tenantId=f"tenant-{n}")
        store.append_batch([sent, {**sent, "payload": {}}])
    store.project_all()
    return store


def test_a_bound_login_sees_the_runs_of_its_tenants_only(tenants: BenchStore) -> None:
    login = _bound(tenants, "APP", "tenant-2", "tenant-3")
    for n in range(1, 5):
        is_own = n in (2, 3)
        assert bool(login.fetch(f"run-{n}")) is is_own
        assert (login.get_snapshot(f"run-{n}") is not None) is is_own
        if is_own:
            assert login.replay_snapshot(f"run-{n}") == tenants.replay_snapshot(f"run-{n}")
        else:
            assert _refusal(login, "REPLAY_SNAPSHOT", f"run-{n}") == _refusal(login, "REPLAY_SNAPSHOT", "run-0", n)
    assert [row["run_id"] for row in login.call("LIST_RUNS")] == ["run-3", "run-2"]
    assert [row["run_id"] for row in login.call("LIST_RUNS", "tenant-2")] == ["run-2"]
    assert sorted(row["run_id"] for row in login.call("LIST_ALERTS")) == ["run-2", "run-3"]
    assert len(tenants.call("LIST_RUNS")) == len(tenants.call("LIST_ALERTS")) == 4


def _refusal(store: BenchStore, procedure: str, run: str, n: int | None = None) -> Any:
    """Return what is refused, with the name of run n in place of the run's."""
    with pytest.raises(Refusal) as caught:
        store.call(procedure, run)
    return repr(caught.value.told).replace(run, run if n is None else f"run-{n}")


def test_a_bound_login_writes_to_its_tenants_only(tenants: BenchStore) -> None:
    login = _bound(tenants, "APP", "tenant-2", "tenant-3")
    before = tenants.contents(TABLES)
    foreign = event("run-9", "a", tenantId="tenant-1")
    for append in (login.append_json, login.append_arguments):
        with pytest.raises(Refusal) as caught:
            append(foreign)
        assert caught.value.told == {
            "message": 'TENANT_FORBIDDEN: tenantId "tenant-1" is closed to login APP',
            "detail": {
                "code": "RS013",
                "field": "tenantId",
                "value": "tenant-1",
                "expected": "a tenant that the login is bound to",
            },
            "hint": "Use a login for this tenant, or have an administrator bind this one with bind_login().",
        }
    own = event("run-8", "a", tenantId="tenant-2")
    with refused("RS013", index=1, value="tenant-1"):
        login.append_batch([own, foreign])
    with refused("RS013", value="Tenant-2"):
        login.append({**own, "tenantId": "Tenant-2"})
    assert tenants.contents(TABLES) == before
    assert login.append(own).run_seq == 1
    assert login.append({**own, "runId": "run-7", "tenantId": "tenant-3"}).run_seq == 1


def test_a_bound_login_is_told_its_tenant_before_the_runs_identity_and_a_known_key(tenants: BenchStore) -> None:
    login = _bound(tenants, "APP", "tenant-1")
    with refused("RS013", value="tenant-2"):
        login.append(event("run-2", "a", tenantId="tenant-2"))
    with refused("RS013", value="tenant-2"):
        login.append(event("run-1", "a", tenantId="tenant-2"))
    with refused("RS002", value="run-2"):
        login.append(event("run-2", "a", tenantId="tenant-1"))
    with refused("RS001", field="planId"):
        login.append(event("run-2", "a", tenantId="tenant-2", planId="a|b"))


@pytest.mark.parametrize("tenant", ["tenant-2", "no such tenant", "TENANT-1", "' OR 1=1 --"])
def test_a_bound_login_may_not_name_a_foreign_tenant_in_a_list(tenants: BenchStore, tenant: str) -> None:
    login = _bound(tenants, "APP", "tenant-1")
    with refused("RS013", field="tenantId", value=tenant):
        login.call("LIST_RUNS", tenant)


def test_a_bound_login_cannot_mark_foreign_alerts(tenants: BenchStore) -> None:
    login = _bound(tenants, "ADMIN", "tenant-1")
    for alert in tenants.call("LIST_ALERTS"):
        for procedure in ("ACK_ALERT", "RESOLVE_ALERT"):
            if alert["tenant_id"] == "tenant-1":
                assert login.value(procedure, alert["alert_id"]) is True
            else:
                with refused("RS010", field="alertId", value=alert["alert_id"]):
                    login.value(procedure, alert["alert_id"])
    marked = tenants.sql("SELECT RUN_ID FROM ALERTS WHERE ACKNOWLEDGED_AT IS NOT NULL OR RESOLVED_AT IS NOT NULL")
    assert [row["run_id"] for row in marked] == ["run-1"]


def test_other_logins_are_not_bound_by_a_binding(tenants: BenchStore) -> None:
    _bound(tenants, "APP", "tenant-1")
    for name in ("app", "APP ", "OTHER"):
        assert len(tenants.session_of(name).call("LIST_RUNS")) == 4
    assert tenants.append(event("run-2", "b", tenantId="tenant-2")).run_seq == 2


def test_binding_again_changes_nothing(store: BenchStore) -> None:
    _bound(store, "APP", "tenant-1", "tenant-1", "tenant-2")
    assert len(store.sql("SELECT * FROM TENANT_BINDINGS")) == 2


def test_a_login_is_free_again_when_its_last_binding_goes(tenants: BenchStore) -> None:
    login = _bound(tenants, "APP", "tenant-1", "tenant-2")
    assert tenants.value("UNBIND_LOGIN", "APP", "tenant-1") is True
    assert [row["run_id"] for row in login.call("LIST_RUNS")] == ["run-2"]
    assert tenants.value("UNBIND_LOGIN", "APP", "tenant-2") is True
    assert len(login.call("LIST_RUNS")) == 4
    assert login.append(event("run-4", "b", tenantId="tenant-4")).run_seq == 2


@pytest.mark.parametrize(
    ("login", "tenant"),
    [("APP", "tenant-2"), ("app", "tenant-1"), ("NOBODY", "tenant-1"), (None, "tenant-1"), ("APP", None), ("", "")],
)
def test_a_binding_that_is_not_there_cannot_be_taken_back(
    shared: BenchStore, login: str | None, tenant: str | None
) -> None:
    shared.value("BIND_LOGIN", "APP", "tenant-1")
    with refused("RS010", field="login", value=login):
        shared.value("UNBIND_LOGIN", login, tenant)
    assert {row["login"] for row in shared.sql("SELECT * FROM TENANT_BINDINGS")} == {"APP"}


@pytest.mark.parametrize("login", [None, ""])
def test_a_login_without_a_name_cannot_be_bound(shared: BenchStore, login: str | None) -> None:
    with refused("RS010", field="login", value=login):
        shared.value("BIND_LOGIN", login, "tenant-1")


@pytest.mark.parametrize("tenant", [None, "", "a|b", "x" * 256])
def test_what_is_no_tenant_cannot_be_bound(shared: BenchStore, tenant: str | None) -> None:
    with refused("RS010", field="tenantId", value=None if tenant is None else tenant[:100]):
        shared.value("BIND_LOGIN", "APP", tenant)


# Alerts


@pytest.fixture
def alerted(store: BenchStore) -> BenchStore:
    """A store with an alert of each of three runs, raised a minute apart."""
    for n in range(3):
        store.set_clock(f"2026-03-01T12:0{n}:00Z")
        store.append_batch([event(f"run-{n}", "a"), event(f"run-{n}", "a", payload={})])
    return store


def _alerts(store: BenchStore, *arguments: Any) -> dict[str, dict[str, Any]]:
    return {row["run_id"]: row for row in store.call("LIST_ALERTS", *arguments)}


def test_alerts_are_listed_the_newest_first_and_no_more_than_told(alerted: BenchStore) -> None:
    assert list(_alerts(alerted)) == ["run-2", "run-1", "run-0"]
    assert list(_alerts(alerted, True, 2)) == ["run-2", "run-1"]
    assert list(_alerts(alerted, None, None)) == ["run-2", "run-1", "run-0"]
    alert = _alerts(alerted)["run-1"]
    assert alert["raised_at"].isoformat() == "2026-03-01T12:01:00+00:00"
    assert (alert["severity"], alert["details"]) == ("P3", {"differs": ["payload"]})


def test_an_acknowledged_alert_stays_open_and_counts_on(alerted: BenchStore) -> None:
    alert_id = _alerts(alerted)["run-1"]["alert_id"]
    for clock in ("13:00:00", "14:00:00"):
        alerted.set_clock(f"2026-03-01T{clock}Z")
        assert alerted.value("ACK_ALERT", alert_id) is True
    alerted.append(event("run-1", "a", payload={}))
    rows = _alerts(alerted)
    assert rows["run-1"]["acknowledged_at"].isoformat() == "2026-03-01T13:00:00+00:00", "the first time stands"
    assert rows["run-1"]["last_seen_at"].isoformat() == "2026-03-01T14:00:00+00:00"
    assert (rows["run-1"]["count"], rows["run-1"]["resolved_at"]) == (2, None)
    assert [rows[run]["acknowledged_at"] for run in ("run-0", "run-2")] == [None, None]


def test_a_resolved_alert_is_closed_and_another_occurrence_opens_a_new_one(alerted: BenchStore) -> None:
    alert_id = _alerts(alerted)["run-1"]["alert_id"]
    for clock in ("13:00:00", "14:00:00"):
        alerted.set_clock(f"2026-03-01T{clock}Z")
        assert alerted.value("RESOLVE_ALERT", alert_id) is True
    assert list(_alerts(alerted)) == ["run-2", "run-0"]
    closed = _alerts(alerted, False)["run-1"]
    assert closed["resolved_at"].isoformat() == "2026-03-01T13:00:00+00:00", "the first time stands"
    assert closed["acknowledged_at"] is None
    alerted.append(event("run-1", "a", payload={}))
    assert list(_alerts(alerted)) == ["run-1", "run-2", "run-0"]
    assert alerted.raised("run-1") == [("IDEMPOTENCY_CONFLICT", 1, 1, False), ("IDEMPOTENCY_CONFLICT", 1, 1, True)]


@pytest.mark.parametrize("procedure", ["ACK_ALERT", "RESOLVE_ALERT"])
@pytest.mark.parametrize("alert_id", ["0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a", None, "", "' OR 1=1 --"])
def test_an_unknown_alert_is_refused(shared: BenchStore, procedure: str, alert_id: str | None) -> None:
    shared.append_batch([event("alerted", "a"), event("alerted", "a", payload={})])
    with refused("RS010", field="alertId", value=alert_id, expected="the id of an alert"):
        shared.value(procedure, alert_id)
    marked = shared.sql("SELECT 1 FROM ALERTS WHERE ACKNOWLEDGED_AT IS NOT NULL OR RESOLVED_AT IS NOT NULL")
    assert marked == []


@pytest.mark.parametrize("limit", [0, -1, 10001])
def test_a_list_of_alerts_out_of_range_is_refused(shared: BenchStore, limit: int) -> None:
    with refused("RS010", field="limit", value=str(limit), expected="a whole number from 1 to 10000"):
        shared.call("LIST_ALERTS", True, limit)
