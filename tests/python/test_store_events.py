"""Events and errors as values: what they hold, how they are written down, what they refuse."""

import json
import pickle
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any
from uuid import UUID

import psycopg
import pytest
import runstore
from runstore import AppendResult, RunEventRecord, RunEventWrite, RunSummary, errors
from runstore.embedded import Server
from runstore.events import EventFields
from stores import EMITTED_AT, write
from support import Connect, cloned

UUIDS = [UUID(f"{number}{number * 7:07d}-1111-4111-8111-111111111111") for number in (1, 2, 3)]
FULL: dict[str, Any] = {
    "engine_attempt_id": 2,
    "logical_attempt_id": 3,
    "idempotency_key": "ab" * 32,
    "event_id": UUIDS[0],
    "step_id": "step",
    "payload": {"rows": [1, 2.5, None, {"deep": "é"}]},
    "adapter_version": "7",
    "engine_run_ref": {"workflow": "w"},
    "caused_by_signal_id": UUIDS[1],
    "parent_event_id": UUIDS[2],
}


@pytest.fixture(scope="module")
def dsn(server: Server, template: str) -> Iterator[str]:
    """One database for all tests: none of them changes it."""
    with cloned(server, template) as name:
        yield server.dsn(name)


def test_an_event_in_json_has_what_is_set_and_nothing_else() -> None:
    assert write("run").to_json() == {
        "runId": "run",
        "eventType": "RunStarted",
        "emittedAt": "2026-02-16T09:30:00.123456Z",
        "tenantId": "tenant",
        "projectId": "project",
        "environmentId": "environment",
        "planId": "plan",
        "planVersion": "1",
    }


def test_an_event_in_json_has_every_field_that_is_set() -> None:
    made = write("run", **FULL).to_json()
    assert len(made) == len(fields(RunEventWrite))
    assert {name: made[name] for name in list(made)[8:]} == {
        "engineAttemptId": 2,
        "logicalAttemptId": 3,
        "idempotencyKey": "ab" * 32,
        "eventId": str(UUIDS[0]),
        "stepId": "step",
        "payload": {"rows": [1, 2.5, None, {"deep": "é"}]},
        "adapterVersion": "7",
        "engineRunRef": {"workflow": "w"},
        "causedBySignalId": str(UUIDS[1]),
        "parentEventId": str(UUIDS[2]),
    }
    assert json.loads(json.dumps(made)) == made


@pytest.mark.parametrize("offset", [timedelta(hours=5, minutes=45), timedelta(hours=-11), timedelta(seconds=1172)])
def test_an_instant_is_written_in_utc(offset: timedelta) -> None:
    local = EMITTED_AT.astimezone(timezone(offset))
    assert write("run", emitted_at=local).to_json()["emittedAt"] == "2026-02-16T09:30:00.123456Z"


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="emitted_at has no time zone"):
        write("run", emitted_at=datetime(2026, 2, 16))


def test_a_time_that_is_text_is_refused() -> None:
    with pytest.raises(TypeError, match="emitted_at must be a datetime, not str"):
        write("run", emitted_at="2026-02-16 09:30")


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        write("run").run_id = "other"  # type: ignore[misc]  # what is tested


def test_a_read_only_payload_is_written_like_a_dict() -> None:
    payload = MappingProxyType({"a": MappingProxyType({"b": 1})})
    assert json.loads(write("run", payload=payload).arguments()[13]) == {"a": {"b": 1}}


def test_the_keyword_arguments_are_the_fields_of_an_event() -> None:
    assert list(EventFields.__annotations__) == [field.name for field in fields(RunEventWrite)]


@pytest.mark.parametrize(
    ("kind", "composite"),
    [(AppendResult, "append_result"), (RunEventRecord, "event_record"), (RunSummary, "run_summary")],
)
def test_the_values_that_are_read_have_the_names_that_the_database_gives(
    connect: Connect, kind: type[Any], composite: str
) -> None:
    query = "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 order by attnum"
    columns = connect().execute(query, [f"runstore.{composite}"]).fetchall()
    assert [(field.name,) for field in fields(kind)] == columns


def test_the_fields_of_an_event_are_the_arguments_of_append_event(connect: Connect) -> None:
    query = "select proargnames from pg_proc where proname = 'append_event' and pronargs > 1"
    assert connect().execute(query).fetchone() == ([f"p_{field.name}" for field in fields(RunEventWrite)],)


def test_each_error_of_the_database_has_a_class_of_its_name(connect: Connect) -> None:
    rows = connect().execute("select code, name from runstore.error_codes").fetchall()
    classes = {each.sqlstate: name for name, each in vars(errors).items() if _is_error(each) and each.sqlstate}
    assert {(code, classes[code]) for code, _ in rows} == {(code, name.title().replace("_", "")) for code, name in rows}
    assert sorted(classes) == [f"RS{number:03d}" for number in range(1, 14)]


@pytest.mark.parametrize("code", [f"RS{number:03d}" for number in range(1, 14)])
def test_an_error_carries_what_the_database_said(connect: Connect, code: str) -> None:
    detail = {"code": code, "field": "limit", "value": "0", "index": 3, "retryAfterMs": 20}
    found = _raised(connect, code, json.dumps(detail))
    assert type(found) is next(each for each in errors.RunStoreError.__subclasses__() if each.sqlstate == code)
    assert (found.sqlstate, str(found), found.detail, found.hint) == (code, "no", detail, "do")


@pytest.mark.parametrize("detail", ["plain words", "[1]", "null"])
def test_an_error_of_a_newer_store_is_an_error_of_the_store(connect: Connect, detail: str) -> None:
    found = _raised(connect, "RS099", detail)
    assert type(found) is errors.RunStoreError
    assert (found.sqlstate, str(found), found.detail, found.hint) == ("RS099", "no", {}, "do")


def test_an_error_of_postgresql_is_none_of_the_stores(connect: Connect) -> None:
    with pytest.raises(psycopg.Error) as caught:
        connect().execute("select 1/0")
    assert errors.from_database(caught.value) is None
    assert errors.from_database(psycopg.OperationalError("gone")) is None


def test_errors_pass_from_one_process_to_another(connect: Connect) -> None:
    plain = _raised(connect, "RS001", '{"index": 3}')
    group = errors.AppendsRefused("some", detail={"index": 1}, hint="h", outcomes=[plain])
    for error in (plain, group):
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own
        assert type(copy) is type(error)
        assert (str(copy), copy.sqlstate, copy.detail, copy.hint) == (
            str(error),
            error.sqlstate,
            error.detail,
            error.hint,
        )
    assert [str(each) for each in copy.outcomes] == ["no"]


def test_all_that_is_public_is_exported() -> None:
    assert all(hasattr(runstore, name) for name in runstore.__all__)
    assert {"RunStore", "AsyncRunStore", "connect", "connect_async", "errors", "__version__"} <= set(runstore.__all__)


def _raised(connect: Connect, code: str, detail: str) -> errors.RunStoreError:
    with pytest.raises(psycopg.Error) as caught:
        connect().execute(
            f"do $do$ begin raise exception using errcode = '{code}', message = 'no', "
            f"hint = 'do', detail = '{detail}'; end $do$".encode()
        )
    found = errors.from_database(caught.value)
    assert found
    return found


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, errors.RunStoreError)
