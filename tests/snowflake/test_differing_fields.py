"""DIFFERING_FIELDS names the fields that PostgreSQL names."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from javascript import Function
from psycopg.types.json import Jsonb
from runstore.embedded import Server
from support import Connection, cloned
from test_check_events import contents
from test_fold_property import deterministic

UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
FIELDS = ("eventType", "stepId", "payload", "causedBySignalId")
SAME: dict[str, Any] = {"eventType": "StepFailed", "stepId": "a", "payload": {"a": 1}, "causedBySignalId": UUID}
OTHERS: dict[str, list[Any]] = {
    "eventType": ["stepfailed", "StepFailed ", "", None],
    "stepId": ["A", "á", "a\u0301", "", None],
    "causedBySignalId": [UUID[:-1] + "2", None],
    "payload": [
        *({}, None, {"a": None}, {"a": "1"}, {"a": True}, {"a": [1]}, {"a": 2}, {"A": 1}, {"a": 1, "b": None}),
        *({"a": 1.5}, {"a": {"a": 1}}, {"__proto__": 1}),
    ],
}

differing_fields = Function("append/differing_fields.sql")
payloads = st.one_of(
    st.none(), st.dictionaries(st.sampled_from(["a", "b", "2", "1", "__proto__"]), contents, max_size=3)
)
sides = st.fixed_dictionaries(
    {
        "eventType": st.sampled_from(["StepFailed", "StepStarted"]),
        "stepId": st.sampled_from([None, "a", "A", "__proto__"]),
        "payload": payloads,
        "causedBySignalId": st.sampled_from([None, UUID, UUID.upper(), UUID[:-1] + "0"]),
    }
)


@pytest.fixture(scope="module")
def connection(server: Server, template: str) -> Iterator[Connection]:
    """A store, of which only a function without tables is asked."""
    with cloned(server, template) as name, psycopg.connect(server.dsn(name), autocommit=True) as opened:
        yield opened


@deterministic
@given(stored=sides, sent=sides, is_same_payload=st.booleans())
def test_any_two_events_differ_as_on_postgresql(
    connection: Connection, stored: dict[str, Any], sent: dict[str, Any], is_same_payload: bool
) -> None:
    if is_same_payload:
        sent = {**sent, "payload": _turned(stored["payload"])}
    assert differing_fields(stored, sent) == _by_postgresql(connection, stored, sent)


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_differs_is_named(connection: Connection, field: str) -> None:
    for other in OTHERS[field]:
        sent = {**SAME, field: other}
        for pair in ((SAME, sent), (sent, SAME)):
            assert differing_fields(*pair) == [field] == _by_postgresql(connection, *pair)


def test_fields_are_named_in_one_order() -> None:
    nothing = dict.fromkeys(FIELDS)
    assert differing_fields(SAME, nothing) == differing_fields(nothing, SAME) == list(FIELDS)


def test_absent_fields_and_nulls_are_the_same() -> None:
    for field in FIELDS:
        absent = {name: value for name, value in SAME.items() if name != field}
        assert differing_fields(absent, {**SAME, field: None}) == []
        assert differing_fields({**SAME, field: None}, absent) == []


def test_equal_json_values_are_the_same() -> None:
    for one, other in (
        ({"a": 1, "b": [1, {"c": None}]}, {"b": [1, {"c": None}], "a": 1}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 100}, {"a": 1e2}),
        ({"a": 0}, {"a": -0.0}),
    ):
        assert differing_fields({**SAME, "payload": one}, {**SAME, "payload": other}) == []


def test_values_that_only_resemble_each_other_differ(connection: Connection) -> None:
    for one, other in (
        ({"a": None}, {"b": None}),
        ({"a": None}, {}),
        ({"a": [None]}, {"a": []}),
        ({"a": []}, {"a": {}}),
        ({"a": ["x"]}, {"a": {"0": "x"}}),
    ):
        pair = {**SAME, "payload": one}, {**SAME, "payload": other}
        assert differing_fields(*pair) == ["payload"] == _by_postgresql(connection, *pair)


def test_the_case_of_a_uuid_means_nothing() -> None:
    assert differing_fields(SAME, {**SAME, "causedBySignalId": UUID.upper()}) == []


def test_payloads_may_be_nested_deeper_than_calls_can() -> None:
    depth = 200_000
    texts = [f'{{"payload": {{"x": {"[" * depth}{leaf}{"]" * depth}}}}}' for leaf in ("1", "1", "2")]
    assert differing_fields.on_text(*texts[:2]) == []
    assert differing_fields.on_text(*texts[1:]) == ["payload"]


def _by_postgresql(connection: Connection, stored: dict[str, Any], sent: dict[str, Any]) -> Any:
    arguments = [argument for field in FIELDS for argument in (stored[field], sent[field])]
    row = connection.execute(
        "select runstore.differing_fields(%s, %s, %s, %s, %s, %s, %s, %s)",
        [Jsonb(one) if isinstance(one, dict) else one for one in arguments],
    ).fetchone()
    assert row
    return row[0]


def _turned(value: Any) -> Any:
    """Return an equal value with the keys of every object the other way round."""
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(one) for one in value] if isinstance(value, list) else value
