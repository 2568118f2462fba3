"""The three forms of append judge an event alike, and the shortcut that most events take lets no fault through."""

import json
from typing import Any

import psycopg
import pytest
from appends import EMITTED_AT, Event, append, append_batch, append_named, argument
from hypothesis import HealthCheck, Phase, assume, example, given, settings
from hypothesis import strategies as st
from support import Connect, Connection

deterministic = settings(
    max_examples=600,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def session(connect: Connect) -> Connection:
    """A session whose transaction is rolled back after each example."""
    return connect(autocommit=False)


# Text that PostgreSQL can hold, with a leaning to what the rules are about.
text = st.one_of(
    st.sampled_from(["", "|", "a|b", "||", "-", "RUN", "run", "x" * 255, "x" * 256, "é" * 255, "\U0001f600" * 256]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    st.text("x|", max_size=70),
)
identifier = st.one_of(st.sampled_from(["b", "c-1"]), text, st.none())
event_type = st.one_of(
    st.sampled_from(["RunStarted", "RunX", "StepX", "SignalAccepted", "SignalAccepted", "X"]), identifier
)
scalar = st.one_of(st.none(), st.booleans(), st.integers(-(2**40), 2**40), text)
pointer = st.dictionaries(
    st.sampled_from(["uri", "uri", "kind", "kind", "sha256", "sizeBytes", "expiresAt", "other"]),
    st.one_of(st.sampled_from(["s3://a", "data:x", " DATA:x", "log", 1, -1]), scalar),
)
anything = st.recursive(
    scalar, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(text, inner, max_size=3)), max_leaves=6
)
json_object = st.one_of(
    st.none(),
    st.just({}),
    st.dictionaries(text, anything, max_size=3),
    st.fixed_dictionaries({"artifactRefs": st.one_of(st.lists(pointer, max_size=2), anything)}),
    st.fixed_dictionaries({"pad": st.integers(50, 150).map("x".__mul__)}),
)
json_value = st.one_of(json_object, json_object, json_object, anything.filter(lambda value: value is not None))
attempt = st.one_of(st.none(), st.integers(1, 3), st.sampled_from([0, -1, 2147483647]))
any_key = st.one_of(st.none(), st.just("a" * 64), st.sampled_from(["", "a" * 63, "a" * 65, "g" * 64, "A" * 64]), text)
any_uuid = st.one_of(st.none(), st.uuids(version=4), st.uuids(version=1), st.uuids(version=5)).map(
    lambda value: value and str(value)
)
when = st.one_of(
    st.none(),
    st.just(EMITTED_AT),
    st.sampled_from(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T12:00:00Z"]),
)
PLAIN: Event = {
    "runId": "a",
    "eventType": "StepStarted",
    "emittedAt": EMITTED_AT,
    "tenantId": "a",
    "projectId": "a",
    "environmentId": "a",
    "planId": "a",
    "planVersion": "a",
    "engineAttemptId": None,
    "logicalAttemptId": None,
    "idempotencyKey": None,
    "eventId": None,
    "stepId": "a",
    "payload": None,
    "adapterVersion": None,
    "engineRunRef": None,
    "causedBySignalId": None,
    "parentEventId": None,
}
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "runId": identifier,
    "eventType": event_type,
    "emittedAt": when,
    "tenantId": identifier,
    "projectId": identifier,
    "environmentId": identifier,
    "planId": identifier,
    "planVersion": identifier,
    "engineAttemptId": attempt,
    "logicalAttemptId": attempt,
    "idempotencyKey": any_key,
    "eventId": any_uuid,
    "stepId": identifier,
    "payload": json_value,
    "adapterVersion": identifier,
    "engineRunRef": json_value,
    "causedBySignalId": any_uuid,
    "parentEventId": any_uuid,
}
any_event = (
    st.lists(st.sampled_from(list(FIELDS)), unique=True, max_size=4)
    .flatmap(lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names}))
    .map(lambda changes: {**PLAIN, **changes})
)

# As append_event() calls them.
ORDINARY = """
    select
        runstore.looks_ordinary(
            concat(
                i.run_id, '|', i.event_type, '|', i.tenant_id, '|', i.project_id, '|', i.environment_id, '|',
                i.plan_id, '|', i.plan_version, '|', coalesce(i.step_id, '-'), '|', coalesce(i.adapter_version, '-')
            ),
            i.event_type, i.emitted_at, i.engine_attempt_id, i.logical_attempt_id, i.key, i.event_id, i.step_id,
            i.payload, i.engine_run_ref, c.max_payload_bytes
        ),
        runstore.event_fault(
            i.run_id, i.event_type, i.emitted_at, i.tenant_id, i.project_id, i.environment_id, i.plan_id,
            i.plan_version, i.engine_attempt_id, i.logical_attempt_id, i.key_text, i.event_id, i.step_id, i.payload,
            i.adapter_version, i.engine_run_ref, t.step_rule, t.is_signal, c.max_payload_bytes, c.max_signal_bytes
        )
    from (
        select
            %(runId)s::text as run_id, %(eventType)s::text as event_type, %(emittedAt)s::timestamptz as emitted_at,
            %(tenantId)s::text as tenant_id, %(projectId)s::text as project_id,
            %(environmentId)s::text as environment_id, %(planId)s::text as plan_id,
            %(planVersion)s::text as plan_version, coalesce(%(engineAttemptId)s::int, 1) as engine_attempt_id,
            coalesce(%(logicalAttemptId)s::int, 1) as logical_attempt_id, %(idempotencyKey)s::text as key_text,
            case
                when %(idempotencyKey)s::text is null
                    then runstore.idempotency_key_octets(
                        %(runId)s, %(stepId)s, coalesce(%(logicalAttemptId)s::int, 1), %(eventType)s, %(planId)s,
                        %(planVersion)s
                    )
                when %(idempotencyKey)s::text ~ '^[0-9a-fA-F]{64}$' then decode(%(idempotencyKey)s, 'hex')
            end as key,
            coalesce(%(eventId)s::uuid, gen_random_uuid()) as event_id, %(stepId)s::text as step_id,
            %(payload)s::jsonb as payload, %(adapterVersion)s::text as adapter_version,
            %(engineRunRef)s::jsonb as engine_run_ref
    ) as i
    cross join runstore.config as c
    left join runstore.event_types as t on t.event_type = i.event_type
"""


@deterministic
@given(sent=any_event)
@example(sent=PLAIN)
@example(sent={**PLAIN, "tenantId": None, "planVersion": "1|2"})
@example(sent={**PLAIN, "runId": None, "tenantId": "a|b", "idempotencyKey": "a" * 64})
@example(sent={**PLAIN, "tenantId": None, "projectId": None, "planVersion": "1|2|3"})
def test_what_looks_ordinary_has_no_fault(session: Connection, sent: Event) -> None:
    session.execute("select runstore.set_config_value('max_payload_bytes', '100')")
    parameters = {name: argument(name, value) for name, value in sent.items()}
    row = session.execute(ORDINARY, parameters).fetchone()
    session.rollback()
    assert row
    ordinary, fault = row
    assert not ordinary or fault is None
    if sent == PLAIN:
        assert ordinary, "the shortcut is never taken"


@deterministic
@given(sent=any_event)
@example(sent=PLAIN)
@example(sent={**PLAIN, "tenantId": None, "planVersion": "1|2"})
@example(sent={**PLAIN, "runId": "", "payload": 1})
@example(sent={**PLAIN, "payload": {"pad": "x" * 150}, "engineRunRef": 1})
def test_the_three_forms_refuse_and_accept_alike(session: Connection, sent: Event) -> None:
    session.execute("select runstore.set_config_value('max_payload_bytes', '100')")
    session.execute("select runstore.set_config_value('max_signal_bytes', '80')")
    told = {form: _verdict(session, form, sent) for form in FORMS}
    session.rollback()
    assert told["json"] == told["named"]
    assert told["batch"] == told["named"]


FORMS = {
    "named": lambda session, sent: [append_named(session, sent)],
    "json": lambda session, sent: [append(session, sent)],
    "batch": lambda session, sent: append_batch(session, [sent]),
}
TYPES = {
    "engineAttemptId": (int, float),
    "logicalAttemptId": (int, float),
    "payload": (dict,),
    "engineRunRef": (dict,),
}


@settings(deterministic, max_examples=300)
@given(name=st.sampled_from(list(PLAIN)), value=anything)
@example(name="runId", value=[])
@example(name="stepId", value=[None])
@example(name="planVersion", value=[["a"]])
def test_a_field_of_another_json_type_is_refused_by_name(session: Connection, name: str, value: Any) -> None:
    types = TYPES.get(name, (str,))
    assume(value is not None and type(value) not in types)
    sent = {**PLAIN, name: value}
    told = {form: _verdict(session, form, sent) for form in ("json", "batch")}
    session.rollback()
    assert {form: verdict[:2] for form, verdict in told.items()} == dict.fromkeys(told, ("RS001", name))


def _verdict(session: Connection, form: str, sent: Event) -> Any:
    """Return what would be told, and what would be stored, without leaving anything."""
    try:
        with session.transaction(force_rollback=True):
            answers = FORMS[form](session, sent)
            given_id = sent["eventId"] is not None
            return [(answer.event_id if given_id else None, answer.run_seq, answer.persisted) for answer in answers], (
                session.execute(
                    "select run_id, event_type, step_id, engine_attempt_id, logical_attempt_id, tenant_id, project_id, "
                    "environment_id, plan_id, plan_version, idempotency_key, payload, emitted_at, adapter_version, "
                    "engine_run_ref, caused_by_signal_id, parent_event_id from runstore.run_event_records"
                ).fetchall()
            )
    except psycopg.Error as error:
        detail = json.loads(error.diag.message_detail or "{}")
        return error.sqlstate, detail.get("field"), detail.get("value"), error.diag.message_hint
