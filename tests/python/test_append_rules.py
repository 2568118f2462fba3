"""Every case of the append rules holds on PostgreSQL, in each form of append, and the cases leave out no rule."""

import copy
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from append_rules import ERRORS, FORMS, Case, Refusal, expected, fits_arguments, load, observed, read, shown, utc_text
from appends import Answer, Event, append_named
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from runstore.embedded import Server
from support import Connection, cloned

RULES = load()


def _spoiling(table: str, change: str) -> str:
    """Return the statements that make a store spoil what it writes."""
    return (
        "create function public.spoil() returns trigger language plpgsql as $$ begin " + change + " end $$; "
        "create trigger spoil before insert on runstore." + table + " for each row execute function public.spoil()"
    )


class PostgresStore:
    """A store in PostgreSQL."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def set_clock(self, instant: str) -> None:
        """Stop the store's clock."""
        self.connection.execute(
            sql.SQL(
                "create or replace function runstore.clock() returns timestamptz language sql volatile "
                "return {}::timestamptz"
            ).format(instant)
        )

    def set_config(self, key: str, value: str) -> None:
        """Change a setting."""
        self.connection.execute("select runstore.set_config_value(%s, %s)", [key, value])

    def append_json(self, event: Any) -> Answer:
        """Append one event in its JSON form."""
        return self._answers("select * from runstore.append_event(%s)", event)[0]

    def append_arguments(self, event: Event) -> Answer:
        """Append one event by named arguments."""
        try:
            return append_named(self.connection, event)
        except psycopg.Error as error:
            raise _refusal(error) from error

    def append_batch(self, events: Any) -> list[Answer]:
        """Append a batch."""
        return self._answers("select * from runstore.append_events(%s)", events)

    def log(self, run_id: str) -> list[dict[str, Any]]:
        """Return the run's events."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute("select * from runstore.fetch_events(%s, 0, 10000)", [run_id]).fetchall()
        for row in rows:
            for column in ("event_id", "caused_by_signal_id", "parent_event_id"):
                row[column] = row[column] and str(row[column])
            for column in ("emitted_at", "persisted_at"):
                row[column] = utc_text(row[column])
        return rows

    def alerts(self, run_id: str) -> list[dict[str, Any]]:
        """Return the run's open alerts."""
        found = self.connection.execute(
            "select run_id, code, run_seq, event_id::text, count, details from runstore.alerts "
            "where run_id = %s and resolved_at is null order by run_seq, code",
            [run_id],
        )
        return [
            dict(zip(("runId", "code", "runSeq", "eventId", "count", "details"), row, strict=True)) for row in found
        ]

    def _answers(self, call: str, sent: Any) -> list[Answer]:
        try:
            return [Answer(*row) for row in self.connection.execute(call, [Jsonb(sent)])]
        except psycopg.Error as error:
            raise _refusal(error) from error


def _refusal(error: psycopg.Error) -> Exception:
    """Return the refusal that an error of the store is; any other error as it is."""
    if error.sqlstate not in ERRORS:
        return error
    detail = json.loads(error.diag.message_detail or "{}")
    assert detail["code"] == error.sqlstate
    return Refusal(error.diag.message_primary or "", detail, error.diag.message_hint)


@pytest.fixture(scope="module")
def stores(server: Server, template: str) -> Iterator[dict[str, PostgresStore]]:
    """A store for each form, which all cases share: each has runs of its own."""
    with ExitStack() as stack:
        yield {form: stack.enter_context(_fresh_store(server, template)) for form in FORMS}


@pytest.fixture
def store(server: Server, template: str) -> Iterator[PostgresStore]:
    """A store of the test's own."""
    with _fresh_store(server, template) as fresh:
        yield fresh


@contextmanager
def _fresh_store(server: Server, template: str) -> Iterator[PostgresStore]:
    with (
        cloned(server, template) as name,
        psycopg.connect(server.dsn(name), autocommit=True, options="-c timezone=UTC") as connection,
    ):
        yield PostgresStore(connection)


@pytest.mark.parametrize(
    ("case", "form"),
    [pytest.param(case, form, id=f"{case.name}-{form}") for case in RULES.cases for form in case.forms()],
)
def test_a_case_holds_on_postgresql(stores: dict[str, PostgresStore], case: Case, form: str) -> None:
    assert shown(observed(RULES, stores[form], case, form)) == shown(expected(case, form))


def test_the_rules_are_those_of_the_store(store: PostgresStore) -> None:
    rows = store.connection.execute(
        "select rule, jsonb_strip_nulls(jsonb_build_object('code', code, 'field', field, "
        "'expected', replace(expected, '%s', '{limit}'), 'hint', hint)) from runstore.event_rules"
    ).fetchall()
    assert dict(rows) == {name: rule for name, rule in RULES.rules.items() if "message" not in rule}


def test_every_rule_is_broken_by_some_case() -> None:
    broken = {call.rule for case in RULES.cases for call in case.calls if call.rule}
    assert broken == RULES.rules.keys()
    assert {RULES.rules[rule]["code"] for rule in broken} == ERRORS.keys()


def test_every_field_and_every_type_is_appended_by_some_case(store: PostgresStore) -> None:
    taken = [event for case in RULES.cases for call in case.calls if "answers" in call.told for event in call.events]
    for row in store.connection.execute("select field from runstore.event_fields"):
        assert any(event.get(row[0]) is not None for event in taken), row[0]
    types = store.connection.execute("select event_type from runstore.event_types").fetchall()
    assert {event_type for (event_type,) in types} < {event["eventType"] for event in taken}


def test_the_settings_are_those_of_a_new_store(store: PostgresStore) -> None:
    found = store.connection.execute("select to_jsonb(c) from runstore.config as c").fetchone()
    assert found
    assert RULES.config == {key: found[0][key] for key in RULES.config}


def test_there_are_cases_for_every_form() -> None:
    for form in FORMS:
        assert sum(form in case.forms() for case in RULES.cases) >= 150, form


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("refuses-an-empty-identifier", "update runstore.event_rules set hint = 'Try again.' where rule = 'planId'"),
        ("refuses-an-empty-identifier", "update runstore.error_codes set name = 'REFUSED' where code = 'RS001'"),
        ("refuses-a-step-event-without-a-step", "delete from runstore.event_types where event_type = 'StepSkipped'"),
        ("limits-the-signals-to-60-per-minute", "update runstore.config set max_signals_per_minute = 61"),
        ("leaves-no-gap-after-a-refusal", _spoiling("run_events", "new.run_seq := new.run_seq + 1; return new;")),
        ("takes-a-batch-of-one", _spoiling("run_events", "new.event_id := gen_random_uuid(); return new;")),
        ("stores-every-field-as-it-was-sent", _spoiling("run_events", "new.parent_event_id := null; return new;")),
        ("raises-an-alert-when-a-duplicate-has-lost-its-step", _spoiling("alert_log", "return null;")),
        ("raises-one-alert-per-event", _spoiling("alert_log", "new.event_id := gen_random_uuid(); return new;")),
    ],
)
def test_a_store_that_does_otherwise_fails_a_case(store: PostgresStore, case: str, change: str) -> None:
    [chosen] = [known for known in RULES.cases if known.name == case]
    store.connection.execute(change.encode())
    assert shown(observed(RULES, store, chosen, "batch")) != shown(expected(chosen, "batch"))


RULE = {"code": "RS001", "field": "planId", "expected": "an id", "hint": "Name it."}
LIMIT = {"code": "RS005", "field": "payload", "expected": "{limit} octets", "hint": "Shorten it."}
UNKNOWN = {"code": "RS001", "expected": "no such key", "hint": "Remove it."}
FIRST = {"append": {}, "answers": [{"runSeq": 1}]}
AGAIN = {"batch": [{}], "answers": [{"runSeq": 1, "sameEventAs": 0}]}
REFUSED = {"append": {"planId": ""}, "refused": {"rule": "planId", "value": ""}}
CASE = {"name": "one", "calls": [FIRST, AGAIN, REFUSED], "log": [{"run_seq": 1}], "alerts": []}
CONTENT = {
    "about": [],
    "clock": "2026-03-01T12:00:00Z",
    "config": {"max_payload_bytes": 100},
    "defaults": {"planId": "plan"},
    "rules": {"planId": RULE, "size": LIMIT, "unknown": UNKNOWN},
    "cases": [CASE],
}


def test_a_file_is_read_with_its_defaults() -> None:
    [case] = read(json.dumps(CONTENT)).cases
    event = {"planId": "plan", "runId": "one"}
    assert [call.sent for call in case.calls] == [event, [event], {**event, "planId": ""}]
    assert case.clock == CONTENT["clock"]
    assert case.log == {"one": [{"run_id": "one", "run_seq": 1}]}
    assert expected(case, "json")["calls"] == [
        {"answers": [{"runSeq": 1, "idempotent": False, "persisted": True}]},
        {"answers": [{"runSeq": 1, "idempotent": False, "persisted": True, "sameEventAs": 0}]},
        {
            "refused": {
                "message": 'INVALID_EVENT: planId "" is refused: expected an id',
                "detail": {"code": "RS001", "field": "planId", "value": "", "expected": "an id"},
                "hint": "Name it.",
            }
        },
    ]


def test_a_batch_of_one_is_refused_with_the_place() -> None:
    [case] = read(json.dumps(CONTENT)).cases
    refused = expected(case, "batch")["calls"][2]["refused"]
    assert refused["message"] == 'INVALID_EVENT: event 0 of the batch: planId "" is refused: expected an id'
    assert refused["detail"]["index"] == 0


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("more", 1, "the file: has more"),
        ("cases", [CASE, {**CASE, "log": []}], "more than one case has the name one"),
        ("cases", [CASE, {**CASE, "name": "two", "log": [{"run_id": "one", "run_seq": 1}]}], "no call names the run"),
        (
            "cases",
            [
                CASE,
                {
                    "name": "two",
                    "calls": [{**FIRST, "append": {"runId": "one"}}],
                    "log": [{"run_id": "one", "run_seq": 1}],
                },
            ],
            "two: one appends to the run 'one' too",
        ),
        ("rules.planId.more", 1, "rule planId: has more"),
        ("rules.planId", {"code": "RS001"}, "rule planId: lacks expected, hint"),
        ("cases.0", [], "is no object"),
        ("cases.0", {"name": "one"}, "lacks calls, log"),
        ("cases.0.more", 1, "has more"),
        ("cases.0.name", "not a slug", "'not a slug' is no name for a case"),
        ("cases.0.config", {"max_signal_bytes": 1}, "one: the file has no setting max_signal_bytes"),
        ("cases.0.calls.0", {**FIRST, "more": 1}, "one, call 0: has more"),
        ("cases.0.calls.0", {"append": {}}, "needs append or batch, and answers or refused"),
        ("cases.0.calls.0", {**FIRST, "batch": []}, "needs append or batch, and answers or refused"),
        ("cases.0.calls.0", {**FIRST, **REFUSED}, "needs append or batch, and answers or refused"),
        ("cases.0.calls.0", {"answers": []}, "needs append or batch, and answers or refused"),
        ("cases.0.calls.1", {**AGAIN, "form": "json"}, "one, call 1: without and form are for append"),
        ("cases.0.calls.1", {**AGAIN, "without": ["planId"]}, "one, call 1: without and form are for append"),
        ("cases.0.calls.0.form", "arguments", "form can only keep an event from the arguments"),
        ("cases.0.calls.0", {**FIRST, "append": {"planId": 1}, "form": "json"}, "form can only keep an event"),
        ("cases.0.calls.0.without", ["stepId"], "stepId would not be filled in"),
        ("cases.0.calls.0.answers", [], "one, call 0: needs an answer for each event"),
        ("cases.0.calls.1.answers", [{"runSeq": 1}, {"runSeq": 1}], "one, call 1: needs an answer for each event"),
        ("cases.0.calls.0.answers.0", {}, "one, call 0, answer: lacks runSeq"),
        ("cases.0.calls.0.answers.0.seq", 1, "one, call 0, answer: has seq"),
        ("cases.0.calls.0.answers.0.sameEventAs", 1, "one, call 0: sameEventAs is no answer so far"),
        ("cases.0.calls.2.refused", {"value": ""}, "one, call 2, refused: lacks rule"),
        ("cases.0.calls.2.refused.code", "RS001", "one, call 2, refused: has code"),
        ("cases.0.calls.2.refused.rule", "other", "there is no rule other"),
        ("cases.0.calls.2.refused.field", "planId", "needs one field, the rule's or its own"),
        ("cases.0.calls.2.refused", {"rule": "unknown"}, "needs one field, the rule's or its own"),
        ("cases.0.calls.2.refused.limit", 7, "limit is for the rules that have one"),
        ("cases.0.calls.2.refused", {"rule": "size"}, "limit is for the rules that have one"),
        ("cases.0.calls.2.refused.missing", True, "a missing value is none"),
        ("rules.planId.message", "{value} and {retryAfterMs}", "one, call 2: lacks retryAfterMs"),
        ("cases.0.log.0.runSeq", 1, "one, log: has runSeq"),
        ("cases.0.log.0", {"run_id": "one"}, "one, log: lacks run_seq"),
        ("cases.0.log.0.run_id", "two", "one, log: no call names the run 'two'"),
        ("cases.0.alerts", [{"code": "IDEMPOTENCY_CONFLICT"}], "one, alerts: lacks count, details, runSeq"),
    ],
)
def test_a_file_that_is_not_as_it_has_to_be_is_refused(path: str, value: Any, told: str) -> None:
    content: Any = copy.deepcopy(CONTENT)
    *way, last = [int(name) if name.isdigit() else name for name in path.split(".")]
    place = content
    for name in way:
        place = place[name]
    place[last] = value
    with pytest.raises(ValueError, match=re.escape(told)):
        read(json.dumps(content))


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="an object has a key twice: name, name"):
        read('{"cases": [{"name": "one", "name": "two"}]}')


@pytest.mark.parametrize(
    ("event", "fits"),
    [
        ({}, True),
        ({"stepId": None, "payload": None}, True),
        ({"stepId": "", "payload": "text", "engineAttemptId": 0}, True),
        ({"logicalAttemptId": 2147483647}, True),
        ({"emittedAt": "2024-02-29T23:59:59.123456-14:00"}, True),
        ({"parentEventId": "0D3C6A9E-4F0C-4A8E-9D5D-3D4C0F7DBB8A"}, True),
        (None, False),
        ([], False),
        ({"unknown": None}, False),
        ({"runSeq": 1}, False),
        ({"runId": 1}, False),
        ({"logicalAttemptId": 2147483648}, False),
        ({"logicalAttemptId": 1.0}, False),
        ({"logicalAttemptId": True}, False),
        ({"logicalAttemptId": "1"}, False),
        ({"emittedAt": "2026-02-29T00:00:00Z"}, False),
        ({"emittedAt": "2026-02-16T09:30:00"}, False),
        ({"emittedAt": "2026-02-16T09:30:00+23:59"}, False),
        ({"eventId": "0d3c6a9e4f0c4a8e9d5d3d4c0f7dbb8a"}, False),
    ],
)
def test_arguments_hold_what_has_their_types(event: Any, fits: bool) -> None:
    assert fits_arguments(event) is fits


def test_outcomes_are_compared_as_json_values() -> None:
    assert shown({"a": 1, "b": [2.0]}) == shown({"b": [2], "a": 1.0})
    assert shown({"a": 1}) != shown({"a": True})
    assert shown({"a": 1}) != shown({"a": "1"})
