"""CHECK_EVENTS reads and refuses batches as PostgreSQL does, in the same words."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import psycopg
import pytest
from conformance import as_text
from hypothesis import given, settings
from hypothesis import strategies as st
from javascript import Function
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from runstore.embedded import Server
from support import Connection, cloned
from test_fold_property import deterministic

check_events = Function("check/check_events.sql")

PAYLOAD_LIMIT, SIGNAL_LIMIT = 700, 60
LIMITS = {"maxPayloadBytes": PAYLOAD_LIMIT, "maxSignalBytes": SIGNAL_LIMIT}
UUID = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
KEY = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdefABCD"
DELETED = object()

IDENTIFIERS = (
    *("runId", "eventType", "tenantId", "projectId", "environmentId", "planId", "planVersion", "stepId"),
    "adapterVersion",
)
TEXTS = (*IDENTIFIERS, "emittedAt", "idempotencyKey", "eventId", "causedBySignalId", "parentEventId")
ATTEMPTS = ("engineAttemptId", "logicalAttemptId")
OBJECTS = ("payload", "engineRunRef")
HOSTILE = [
    '"',
    "\\",
    "'",
    "$$",
    ";\n--",
    "\t\r\b\f\x01\x1f\x7f",
    "é\u2028\uffff😀",
    "\x80\u07ff\u0800\ue000",
    "__proto__",
    "constructor",
    "%s",
]
NESTED = [{}, [], {"b": 1, "aa": [1, None, True], "é": "x", "a": {"": -0.5}}, [[1], {"k": "v"}], ["😀" * 60, 1]]
NUMBERS = [0, 1, -1, 2147483647, 2147483648, 9007199254740991, 1.5, -0.1, 1e21, 1.25e30, 1e-7, -2.5e-10, 1e300]

VALUES: dict[str, Sequence[Any]] = {
    "emittedAt": [
        *("2026-02-16T09:30:00Z", "2026-02-16T09:30:00.1Z", "2026-02-16T09:30:00.123456Z", "2026-02-16T09:30:00.120Z"),
        *("2026-02-16T09:30:00+00:00", "2026-02-16T09:30:00-00:00", "2026-02-16T00:30:00+05:45"),
        *("2026-12-31T23:59:59.999999-23:59", "2026-01-01T00:00:00+23:59", "2026-03-29T02:30:00.5-05:45"),
        *("2024-02-29T23:59:59Z", "2023-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "1900-02-29T00:00:00Z"),
        *("2026-04-31T00:00:00Z", "2026-01-32T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z"),
        *("2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z", "2026-01-01T23:59:60Z"),
        *("0000-01-01T00:00:00Z", "0000-12-31T23:59:59-01:00", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01"),
        *("0001-01-01T01:00:00+01:00", "0099-12-31T23:59:59.999999Z", "0100-03-01T00:00:00+14:00"),
        *("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z"),
        *("2026-02-16t09:30:00Z", "2026-02-16T09:30:00z", "2026-02-16 09:30:00Z", "2026-02-16T09:30:00"),
        *("2026-02-16T09:30Z", "2026-02-16T09:30:00.Z", "2026-02-16T09:30:00,5Z", "2026-02-16T09:30:00.1234567Z"),
        *("2026-02-16T09:30:00+24:00", "2026-02-16T09:30:00+01:60", "2026-02-16T09:30:00+0100"),
        *("2026-02-16T09:30:00+01", "2026-02-16T09:30:00Z ", " 2026-02-16T09:30:00Z", "2026-02-16T09:30:00Z\n"),
        *("2026-2-16T09:30:00Z", "+2026-02-16T09:30:00Z", "-0001-01-01T00:00:00Z", "infinity", "now", "", "x" * 300),
        *("\u0662\u0660\u0662\u0666-02-16T09:30:00Z", "2026-02-16T09:30:00.\u0665Z", "2026-02-16T09:30:00\u221201:00"),
    ],
    "idempotencyKey": [KEY, KEY.upper(), KEY[1:], KEY + "0", KEY[1:] + "g", KEY[1:] + "é", "", "\\x" + KEY[2:]],
    "eventId": [
        *(UUID, UUID.lower(), UUID.replace("-", ""), "{" + UUID + "}", UUID + "0", UUID[1:], UUID[1:] + "g", ""),
        *(UUID[:14] + digit + UUID[15:] for digit in "01356789aF"),
        *(UUID[:19] + digit + UUID[20:] for digit in "0789abABcC"),
        *("00000000-0000-0000-0000-000000000000", UUID[:8] + UUID[9:18] + "-" + UUID[18:], " " + UUID),
    ],
    **{
        field: [UUID, UUID.lower(), "00000000-0000-0000-0000-000000000000", UUID[1:], UUID + " ", "", "-" * 36]
        for field in ("causedBySignalId", "parentEventId")
    },
    **{
        field: ["", "|", "a|b", "x" * 255, "x" * 256, "😀" * 255, "😀" * 256, " ", "RUN", "run", "x" * 99 + "😀😀|"]
        for field in IDENTIFIERS
    },
    **dict.fromkeys(ATTEMPTS, NUMBERS),
    "payload": [
        *({}, [], "x", 1, False, {"a": 1.5, "b": [None, {}]}, {"artifactRefs": []}, {"artifactRefs": None}),
        *({"artifactRefs": 1}, {"artifactRefs": {}}, {"artifactRefs": "x"}, {"artifactrefs": 1}),
        {"x": "x" * (PAYLOAD_LIMIT - 9)},
        {"x": "x" * (PAYLOAD_LIMIT - 8)},
        {"x": "é" * 350},
        {"x": "\x1f" * 116},
        {"x": {"artifactRefs": 1}},
    ],
    "engineRunRef": [{}, {"id": 1}, [], "x", 1, True, {"x": "x" * 691}, {"x": "x" * 692}],
}
ARTIFACT = {"uri": "s3://bucket/key", "kind": "log"}
ARTIFACTS: list[Any] = [
    *(None, 1, "s3://x", [], [ARTIFACT], {}, {"uri": "u"}, {"kind": "k"}, ARTIFACT),
    *(
        {**ARTIFACT, "uri": uri}
        for uri in (None, "", 1, ["u"], [], {"u": 1}, "/relative", "database:x", "d", "D", " x")
    ),
    *({**ARTIFACT, "uri": uri} for uri in ("data:", "data:,x", "DaTa:,x", " data:,x", "\t\n\x01 data:x", "xdata:x")),
    *({**ARTIFACT, "uri": uri} for uri in ("\xa0data:x", "\x7fdata:x", "dåta:x", "data", " ", "https://x/?q=data:y")),
    *({**ARTIFACT, "kind": kind} for kind in (None, "", 1, ["k"], {"k": 1}, "größe", "data:")),
    *({**ARTIFACT, "sha256": sha} for sha in (None, "", "abc", 1, ["a"])),
    *({**ARTIFACT, "sizeBytes": size} for size in (None, 0, 1.5, -1, -0.5, "1", [1], [-1], 9007199254740991)),
    *({**ARTIFACT, "expiresAt": at} for at in (None, "", "2026-03-01T00:00:00Z", 1, ["x"])),
    *({**ARTIFACT, key: "x"} for key in ("content", "URI", "", "__proto__", "length", "é")),
]
UNKNOWN_KEYS = [
    *("extra", "run_id", "runid", "RunId", " runId", "unknownKey", "", "ключ", "__proto__", "constructor", "x" * 300),
    *("😀" * 120, "a|b", "event", "events", "authority.runSeq", 'a"b', "runSeq", "persistedAt"),
]
STEPS = ["a", "", "RUN", "|", None, DELETED]
TYPES = [
    *("RunQueued", "RunApproved", "RunStarted", "RunPaused", "RunResumed", "RunCompleted", "RunFailed"),
    *("RunCancelled", "StepStarted", "StepCompleted", "StepFailed", "StepSkipped", "SignalAccepted"),
    *("SignalRejected", "Unknown", "__proto__", "toString", "stepstarted"),
]


def good(**fields: Any) -> dict[str, Any]:
    """Return an event that breaks no rule, but for these fields."""
    changed = {
        "runId": "run-1",
        "eventType": "StepCompleted",
        "emittedAt": "2026-02-16T10:30:00.123+01:00",
        "tenantId": "tenant",
        "projectId": "project",
        "environmentId": "environment",
        "planId": "plan",
        "planVersion": "1",
        "stepId": "step",
        **fields,
    }
    return {name: value for name, value in changed.items() if value is not DELETED}


FAULTS: list[dict[str, Any]] = [
    {"extra": 1},
    {"planId": 1},
    {"causedBySignalId": "x"},
    {"parentEventId": "x"},
    *({field: "|"} for field in IDENTIFIERS),
    {"emittedAt": "now"},
    {"engineAttemptId": 0},
    {"logicalAttemptId": 0},
    {"idempotencyKey": "x"},
    {"eventId": "x"},
    {"stepId": None},
    {"eventType": "RunQueued"},
    {"payload": []},
    {"payload": {"x": "x" * 800}},
    {"eventType": "SignalAccepted", "payload": {"x": "x" * 100}},
    {"payload": {"artifactRefs": 1}},
    {"engineRunRef": []},
    {"engineRunRef": {"x": "x" * 800}},
]

CASES: list[Any] = [
    *(good(**{field: value}) for field in (*TEXTS, *ATTEMPTS, *OBJECTS) for value in VALUES[field]),
    *(good(**{field: value}) for field in (*TEXTS, *ATTEMPTS, *OBJECTS) for value in (None, DELETED)),
    *(good(**{field: value}) for field in TEXTS for value in (*NUMBERS[1:3], True, *NESTED)),
    *(good(**{field: value}) for field in ATTEMPTS for value in ("1", "", True, False, *NESTED)),
    *(good(runId=number) for number in NUMBERS),
    *(good(**{field: text}) for field in TEXTS for text in HOSTILE),
    *(good(runId="|" + text * 40) for text in HOSTILE),
    *(good(payload={"artifactRefs": refs if refs == [] else [refs]}) for refs in ARTIFACTS),
    *(good(payload={"artifactRefs": [ARTIFACT, refs, ARTIFACT]}) for refs in ARTIFACTS),
    *(good(**{key: value}) for key in UNKNOWN_KEYS for value in (None, 1, "x", NESTED[2])),
    good(zz=1, a=2, Z=3),
    good(**{"\U0001f600": 1, "\uffff": 2}),
    good(runSeq=1, persistedAt="x", a=1),
    good(runSeq=1, persistedAt="x" * 300),
    *(good(eventType=kind, stepId=step) for kind in TYPES for step in STEPS),
    *(good(eventType="SignalAccepted", payload={"x": "x" * size}) for size in (51, 52, 600, 690, 691, 692)),
    *(good(eventType="SignalRejected", payload=value) for value in (None, 1, ["x"], {"x": "é" * 26})),
    *(None, 1, "x", True, [], [good()], {}),
    # More than one rule is broken: the first of them is told.
    good(tenantId=1, runId=1, adapterVersion=1),
    good(tenantId=1, extra=1),
    *(good(**{**one, **other}) for one, other in combinations(FAULTS, 2) if not one.keys() & other.keys()),
    good(payload={"x": "x" * 800, "artifactRefs": 1}),
    good(eventType="SignalAccepted", payload={"x": "x" * 800, "artifactRefs": 1}),
    good(eventType="SignalAccepted", engineRunRef=[1] * 800),
]

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    # 1.0 and -0.0 are what JavaScript cannot tell from 1 and 0.
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not repr(number).endswith(".0")),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.sampled_from(HOSTILE),
)
contents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(["a", "b", "aa", "é", "\uffff", "😀"]), leaves.map(str)), inner),
    ),
    max_leaves=12,
)
FIELDS = (*TEXTS, *ATTEMPTS, *OBJECTS)
changes = st.one_of(
    st.sampled_from(FIELDS).flatmap(
        lambda field: st.tuples(st.just(field), st.one_of(st.sampled_from(VALUES[field]), contents, st.just(DELETED)))
    ),
    st.tuples(st.just("eventType"), st.sampled_from(TYPES)),
    st.tuples(st.just("runId"), st.sampled_from(["run-1", "run-2"])),
    st.tuples(st.sampled_from(UNKNOWN_KEYS), contents),
)
broken = st.one_of(
    st.lists(changes, max_size=4).map(lambda drawn: good(**dict(drawn))),
    st.just(good()),
    contents,
)

PARSED = """
    select e.index, e.nth, e.fault, e.is_signal as "isSignal", e.run_id as "runId", e.event_type as "eventType",
           runstore.utc_text(e.emitted_at) as "emittedAt", e.tenant_id as "tenantId",
           e.project_id as "projectId", e.environment_id as "environmentId", e.plan_id as "planId",
           e.plan_version as "planVersion", e.engine_attempt_id as "engineAttemptId",
           e.logical_attempt_id as "logicalAttemptId", encode(e.idempotency_key, 'hex') as "idempotencyKey",
           e.event_id::text as "eventId", e.step_id as "stepId", e.adapter_version as "adapterVersion",
           e.caused_by_signal_id::text as "causedBySignalId", e.parent_event_id::text as "parentEventId"
      from runstore.parse_events(%s) as e
     where e.index <= (
         select coalesce(min(f.index), 2147483647) from runstore.parse_events(%s) as f where f.fault is not null
     )
     order by e.index
"""


@pytest.fixture(scope="module")
def connection(server: Server, template: str) -> Iterator[Connection]:
    """A store with small limits."""
    with cloned(server, template) as name, psycopg.connect(server.dsn(name), autocommit=True) as opened:
        for key, value in {"max_signal_bytes": SIGNAL_LIMIT, "max_payload_bytes": PAYLOAD_LIMIT}.items():
            opened.execute("select runstore.set_config_value(%s, %s)", [key, str(value)])
        yield opened


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case)[:200])
def test_an_event_is_read_or_refused_as_on_postgresql(connection: Connection, case: Any) -> None:
    batch = [good(), case, good(runId="run-2"), good(stepId="other")]
    assert as_text(check_events(batch, LIMITS)) == as_text(_expected(connection, batch))


@settings(deterministic, max_examples=300)
@given(batch=st.lists(broken, max_size=6))
def test_any_batch_is_read_or_refused_as_on_postgresql(connection: Connection, batch: list[Any]) -> None:
    assert as_text(check_events(batch, LIMITS)) == as_text(_expected(connection, batch))


def test_the_cases_break_every_rule(connection: Connection) -> None:
    rules = connection.execute("select rule, code, expected, hint from runstore.event_rules").fetchall()
    answers = [check_events([case], LIMITS) for case in CASES]
    faults = [answer["fault"] for answer in answers if "fault" in answer]
    told = {(fault["code"], re.sub(r"\b(60|700)\b", "%s", fault["expected"]), fault["hint"]) for fault in faults}
    assert [rule for rule, *words in rules if tuple(words) not in told] == []
    assert len(answers) - len(faults) >= 100


@pytest.mark.parametrize("batch", ["null", "{}", '"x"', "1", "true", '{"length": 1, "0": {}}'])
def test_what_is_no_array_is_refused_as_on_postgresql(connection: Connection, batch: str) -> None:
    refused = _refusal(connection, "select * from runstore.append_events(%s)", [batch])
    assert check_events.on_text(batch, json.dumps(LIMITS)) == {"events": [], "fault": refused}


def test_no_argument_at_all_is_refused_as_on_postgresql(connection: Connection) -> None:
    refused = _refusal(connection, "select * from runstore.append_events(%s)", [None])
    assert check_events(None, LIMITS) == {"events": [], "fault": refused}


def test_an_empty_batch_has_no_events_and_no_fault() -> None:
    assert check_events([], LIMITS) == {"events": []}


@deterministic
@given(content=contents)
def test_sizes_are_the_octets_of_jsonb_text(connection: Connection, content: Any) -> None:
    row = connection.execute("select octet_length(%s::text)", [Jsonb({"x": content})]).fetchone()
    assert row
    for field in OBJECTS:
        sent = [good(**{field: {"x": content}})]
        assert "fault" not in check_events(sent, {**LIMITS, "maxPayloadBytes": row[0]})
        fault = check_events(sent, {**LIMITS, "maxPayloadBytes": row[0] - 1})["fault"]
        assert (fault["code"], fault["field"]) == ("RS005", field)


@pytest.mark.parametrize("text", ["\0", "x\0y", "\ud83d", "\ude00", "\ude00\ud83d", "x\ud83dy", "😀\ud83d"])
@pytest.mark.parametrize(
    ("place", "field"),
    [
        (lambda text: good(runId=text), "runId"),
        (lambda text: good(payload={"a": [{"b": text}]}), "payload"),
        (lambda text: good(engineRunRef={text: 1}), "engineRunRef"),
        (lambda text: good(extra=text), "extra"),
        (lambda text: good(**{text: 1}), "event"),
        (lambda text: good(payload=text, stepId=text, tenantId=1), "payload"),
    ],
    ids=["value", "content", "nested key", "unknown key", "key", "several"],
)
def test_text_that_postgresql_cannot_read_is_refused(
    connection: Connection, text: str, place: Callable[[str], dict[str, Any]], field: str
) -> None:
    batch = [good(), place(text), good(extra=1)]
    with pytest.raises(psycopg.DataError):
        connection.execute("select runstore.parse_events(%s::text::jsonb)", [json.dumps(batch)])
    expected = "text without U+0000 and without half a surrogate pair"
    answer = check_events(batch, LIMITS)
    assert len(answer["events"]) == 1
    assert answer["fault"] == {
        "index": 1,
        "code": "RS001",
        "field": field,
        "expected": expected,
        "hint": "Take the character out: a store on PostgreSQL could not keep it.",
        "text": f"{field} is refused: expected {expected}",
    }


def test_text_that_looks_like_an_escape_is_only_text(connection: Connection) -> None:
    batch = [good(runId="\\u0000", payload={"\\ud83d": "\\u0000"})]
    answer = check_events(batch, LIMITS)
    assert "fault" not in answer
    assert as_text(answer) == as_text(_expected(connection, batch))


def test_content_may_be_nested_deeper_than_calls_can() -> None:
    depth = 200_000
    nested = "[" * depth + "]" * depth
    sent = json.dumps([good(payload="?"), good(runId="?")]).replace('"?"', f'{{"x": {nested}}}', 1)
    answer = check_events.on_text(sent.replace('"?"', nested), json.dumps({**LIMITS, "maxPayloadBytes": 7 + 2 * depth}))
    assert [event["nth"] for event in answer["events"]] == [1]
    assert (answer["fault"]["field"], answer["fault"]["value"]) == ("runId", "[" * 100)
    answer = check_events.on_text(sent, json.dumps({**LIMITS, "maxPayloadBytes": 6 + 2 * depth}))
    assert (answer["fault"]["index"], answer["fault"]["code"]) == (0, "RS005")


def test_the_events_of_each_run_are_counted_in_a_large_batch() -> None:
    batch = [good(runId=f"run-{index % 7}", stepId=f"step-{index}") for index in range(20_000)]
    answer = check_events(batch, LIMITS)
    assert [(event["index"], event["nth"], event["runId"]) for event in answer["events"]] == [
        (index, index // 7 + 1, f"run-{index % 7}") for index in range(20_000)
    ]


def _expected(connection: Connection, batch: list[Any]) -> dict[str, Any]:
    """Return what PostgreSQL makes of a batch, as CHECK_EVENTS tells it."""
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(PARSED, [Jsonb(batch), Jsonb(batch)]).fetchall()
    answer: dict[str, Any] = {"events": []}
    for row in rows:
        index, fault = row["index"], row.pop("fault")
        if fault:
            arguments = [fault, Jsonb(batch), index, index]
            answer["fault"] = _refusal(connection, "select runstore.refuse_event(%s, %s -> %s::int, %s)", arguments)
        else:
            sent = batch[index]
            for made in ("idempotencyKey", "eventId"):
                if sent.get(made) is None:
                    row.pop(made)
            answer["events"].append({name: value for name, value in row.items() if value is not None})
    return answer


def _refusal(connection: Connection, query: str, arguments: Sequence[Any]) -> dict[str, Any]:
    """Return the error that a query ends in, as CHECK_EVENTS tells it."""
    with pytest.raises(psycopg.Error) as raised:
        connection.execute(query.encode(), arguments)
    told = raised.value.diag
    assert told.message_primary and told.message_detail
    text = re.sub(r"^[A-Z_]+: (event \d+ of the batch: )?", "", told.message_primary)
    return {**json.loads(told.message_detail), "hint": told.message_hint, "text": text}
