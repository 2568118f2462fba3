"""Any interleaving of any events, in any form, gives the log and the answers of a model of a few lines."""

import copy
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from appends import EMITTED_AT, Answer, Event, append, append_batch, append_named, key_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support import Connect, Connection

LIMIT = 2
TENANTS = ["ours", "ours-too"]

deterministic = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@dataclass(frozen=True)
class Refusal(Exception):  # noqa: N818  # it is what a refusal says, and is compared as such
    """The SQLSTATE, and the element of the batch that is refused."""

    sqlstate: str
    index: int | None = None


@dataclass
class Model:
    """The store, as a client may think of it."""

    bound: bool
    owner: dict[str, str] = field(default_factory=dict)
    log: dict[str, list[Event]] = field(default_factory=dict)
    conflicts: Counter[tuple[str, int]] = field(default_factory=Counter)

    def append(self, sent: Event) -> tuple[int, bool]:
        """Return the event's place and whether it was there already."""
        run, step, kind = sent["runId"], sent.get("stepId"), sent["eventType"]
        if (
            run == ""
            or step in ("", "RUN")
            or (kind.startswith("Run") and step)
            or (kind.startswith("Step") and not step)
        ):
            raise Refusal("RS001")
        if self.bound and sent["tenantId"] not in TENANTS:
            raise Refusal("RS013")
        if self.owner.setdefault(run, sent["tenantId"]) != sent["tenantId"]:
            raise Refusal("RS002")
        log = self.log.setdefault(run, [])
        for seq, stored in enumerate(log, 1):
            if key_of(stored) == key_of(sent):
                self.conflicts[run, seq] += any(
                    stored.get(n) != sent.get(n) for n in ("eventType", "stepId", "payload")
                )
                return seq, True
        if sent.get("eventId") in [stored["eventId"] for stored in log if stored.get("eventId")]:
            raise Refusal("RS003")
        if kind == "SignalAccepted" and sum(stored["eventType"] == kind for stored in log) >= LIMIT:
            raise Refusal("RS006")
        log.append(sent)
        return len(log), False

    def append_all(self, batch: list[Event]) -> list[tuple[int, bool]]:
        """Append all, or nothing."""
        tried, places = copy.deepcopy(self), []
        for index, sent in enumerate(batch):
            try:
                places.append(tried.append(sent))
            except Refusal as refusal:
                raise Refusal(refusal.sqlstate, index) from None
        self.__dict__.update(tried.__dict__)
        return places


COMMON = {
    "emittedAt": EMITTED_AT,
    "projectId": "project",
    "environmentId": "environment",
    "planId": "plan",
    "planVersion": "1",
}
# Mostly valid, so that batches get through; few runs, keys and ids, so that they meet.
KINDS = [
    *[("RunStarted", None), ("StepStarted", "a"), ("StepCompleted", "b"), ("Custom", None), ("Custom", "a")] * 5,
    *[("SignalAccepted", None), ("SignalAccepted", "a")] * 10,
    *[("StepStarted", None), ("RunStarted", "a"), ("Custom", "RUN"), ("Custom", "")],
]
events = st.builds(
    lambda kind, tenant, **fields: {**kind, **tenant, **COMMON, **fields},
    kind=st.sampled_from([{"eventType": kind, "stepId": step} for kind, step in KINDS]),
    tenant=st.sampled_from(
        [{"runId": f"run-{n}", "tenantId": "ours"} for n in (1, 2)] * 15
        + [{"runId": "run-2", "tenantId": "ours-too"}] * 2
        + [{"runId": "run-2", "tenantId": "foreign"}, {"runId": "", "tenantId": "ours"}]
    ),
    logicalAttemptId=st.integers(1, 3),
    payload=st.sampled_from([None, None, {}, {"n": 1}]),
    eventId=st.sampled_from([None] * 6 + [f"{n}" * 8 + "-1111-4111-8111-111111111111" for n in range(4)]),
    idempotencyKey=st.sampled_from([None] * 6 + ["1" * 64, "a" * 64, "A" * 64]),
)
steps = st.one_of(
    st.tuples(st.just("named"), events),
    st.tuples(st.just("json"), events),
    st.tuples(st.just("batch"), st.lists(events, max_size=8)),
)


@pytest.fixture
def session(connect: Connect) -> Connection:
    """A session whose transaction is rolled back after each example."""
    return connect(autocommit=False)


@deterministic
@given(bound=st.booleans(), script=st.lists(steps, min_size=8, max_size=24))
def test_any_script_gives_the_log_and_the_answers_of_the_model(
    session: Connection, bound: bool, script: list[tuple[str, Any]]
) -> None:
    model = Model(bound)
    session.execute("select runstore.set_config_value('max_signals_per_minute', %s)", [str(LIMIT)])
    if bound:
        session.execute("select runstore.bind_login(session_user, tenant) from unnest(%s::text[]) as tenant", [TENANTS])
    try:
        for form, sent in script:
            try:
                expected: Any = model.append_all(sent) if form == "batch" else [model.append(sent)]
            except Refusal as refusal:
                expected = refusal
            assert _told(session, form, sent) == expected
        assert _log(session) == {run: [_essence(stored) for stored in log] for run, log in model.log.items() if log}
        alerts = session.execute("select run_id, run_seq, count from runstore.alerts").fetchall()
        assert {(run, seq): count for run, seq, count in alerts} == +model.conflicts
    finally:
        session.rollback()


def _told(session: Connection, form: str, sent: Any) -> list[tuple[int, bool]] | Refusal:
    try:
        with session.transaction():
            answers = _send(session, form, sent)
    except psycopg.Error as error:
        return Refusal(str(error.sqlstate), json.loads(error.diag.message_detail or "{}").get("index"))
    assert all(answer.persisted is not answer.idempotent for answer in answers)
    return [(answer.run_seq, answer.idempotent) for answer in answers]


def _send(session: Connection, form: str, sent: Any) -> list[Answer]:
    if form == "batch":
        return append_batch(session, sent)
    return [append(session, sent) if form == "json" else append_named(session, sent)]


def _essence(stored: Event) -> tuple[Any, ...]:
    names = ("eventType", "stepId", "payload", "tenantId")
    return (key_of(stored), *(stored.get(name) for name in names))


def _log(session: Connection) -> dict[str, list[tuple[Any, ...]]]:
    log: dict[str, list[tuple[Any, ...]]] = {}
    rows = session.execute(
        "select run_id, idempotency_key, event_type, step_id, payload, tenant_id from runstore.run_event_records "
        "order by run_id, run_seq"
    )
    for run, *rest in rows:
        log.setdefault(run, []).append(tuple(rest))
    return log
