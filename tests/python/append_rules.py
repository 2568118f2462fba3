"""The cases of tests/conformance/appends.json, and what any store does when it is put through one."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol

from appends import Answer, Event
from conformance import as_text

FILE = Path(__file__).parents[1] / "conformance" / "appends.json"

FORMS = ("json", "arguments", "batch")
ERRORS = {
    "RS001": "INVALID_EVENT",
    "RS002": "RUN_IDENTITY_MISMATCH",
    "RS003": "EVENT_ID_REUSED",
    "RS005": "PAYLOAD_TOO_LARGE",
    "RS006": "SIGNAL_RATE_EXCEEDED",
}
COLUMNS = (
    "run_id",
    "run_seq",
    "event_id",
    "event_type",
    "step_id",
    "engine_attempt_id",
    "logical_attempt_id",
    "tenant_id",
    "project_id",
    "environment_id",
    "plan_id",
    "plan_version",
    "idempotency_key",
    "payload",
    "emitted_at",
    "persisted_at",
    "adapter_version",
    "engine_run_ref",
    "caused_by_signal_id",
    "parent_event_id",
)

# What a typed argument can hold; everything else can only be told in JSON.
REQUIRED = ("runId", "eventType", "emittedAt", "tenantId", "projectId", "environmentId", "planId", "planVersion")
TEXTS = {*REQUIRED, "stepId", "adapterVersion", "idempotencyKey"} - {"emittedAt"}
ATTEMPTS = {"engineAttemptId", "logicalAttemptId"}
UUIDS = {"eventId", "causedBySignalId", "parentEventId"}
OBJECTS = {"payload", "engineRunRef"}
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UUID_V4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
INSTANT = re.compile(r"([0-9-]{10}T[0-9:]{8})(\.[0-9]{1,6})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])")

Json = dict[str, Any]


class Store(Protocol):
    """What a database has to offer to be put through the cases."""

    def set_clock(self, instant: str) -> None:
        """Stop the store's clock at an RFC 3339 instant until this is called again."""

    def set_config(self, key: str, value: str) -> None:
        """Change a setting."""

    def append_json(self, event: Any) -> Answer:
        """Append what is sent as one event in its JSON form, or raise Refusal."""
        ...

    def append_arguments(self, event: Event) -> Answer:
        """Append an event by typed arguments, of which the required ones are all there, or raise Refusal."""
        ...

    def append_batch(self, events: Any) -> list[Answer]:
        """Append what is sent as a batch, or raise Refusal."""
        ...

    def log(self, run_id: str) -> list[Json]:
        """Return the run's events: all columns as JSON values, times as utc_text() writes them."""
        ...

    def alerts(self, run_id: str) -> list[Json]:
        """Return the run's open alerts, by runSeq and code: runId, code, runSeq, eventId, count and details."""
        ...


class Refusal(Exception):  # noqa: N818  # it is what a store answers, and no fault of the test
    """An error that the store raised, as a client reads it."""

    def __init__(self, message: str, detail: Json, hint: str | None) -> None:
        super().__init__(message)
        self.told: Json = {"message": message, "detail": detail, "hint": hint}


@dataclass(frozen=True)
class Call:
    """Something that is sent, and what it is told: answers, or a refusal."""

    sent: Any
    is_batch: bool
    in_json_only: bool
    clock: str | None
    rule: str | None
    told: Json

    @property
    def events(self) -> list[Any]:
        """What takes the place of an event, whatever it is."""
        if not self.is_batch:
            return [self.sent]
        return self.sent if isinstance(self.sent, list) else []

    def form(self, wanted: str) -> str:
        """Return the form in which it is sent when a form is wanted for the case."""
        if self.is_batch or wanted == "batch":
            return "batch"
        return "arguments" if wanted == "arguments" and not self.in_json_only and fits_arguments(self.sent) else "json"

    def told_in(self, form: str) -> Json:
        """Return what it is told when it is sent in that form: a batch of one tells the place."""
        if self.is_batch or form != "batch" or "refused" not in self.told:
            return self.told
        refused = self.told["refused"]
        name, _, message = refused["message"].partition(": ")
        return {
            "refused": {
                **refused,
                "message": f"{name}: event 0 of the batch: {message}",
                "detail": {**refused["detail"], "index": 0},
            }
        }


@dataclass(frozen=True)
class Case:
    """Some calls, and what they leave behind in the log and the alerts of each run that they name."""

    name: str
    clock: str
    config: dict[str, int]
    calls: list[Call]
    log: dict[str, list[Json]]
    alerts: dict[str, list[Json]]

    def forms(self) -> list[str]:
        """Return the forms that make a difference to the case."""
        return [form for form in FORMS if form in [call.form(form) for call in self.calls]]


@dataclass(frozen=True)
class Rules:
    """The whole file. Each case begins with these settings."""

    config: dict[str, int]
    rules: dict[str, Json]
    cases: list[Case]


def load() -> Rules:
    """Return the file's content."""
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> Rules:
    """Return the content of such a file; ValueError says where it is not as it has to be."""
    content = json.loads(text, object_pairs_hook=_object_without_twins)
    _check("the file", content, required="about clock config defaults rules cases")
    for name, rule in content["rules"].items():
        _check(f"rule {name}", rule, required="code expected hint", optional="field message")
    cases = [_case(content, case) for case in content["cases"]]
    owners: dict[str, str] = {}
    for case in cases:
        for run_id in case.log:
            if case.log[run_id] and owners.setdefault(run_id, case.name) != case.name:
                raise ValueError(f"{case.name}: {owners[run_id]} appends to the run {run_id!r} too")
    names = [case.name for case in cases]
    if twins := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"more than one case has the name {', '.join(sorted(twins))}")
    return Rules(content["config"], content["rules"], cases)


def expected(case: Case, form: str) -> Json:
    """Return what observed() has to return."""
    return {
        "calls": [call.told_in(form) for call in case.calls],
        "log": case.log,
        "alerts": case.alerts,
        "contradictions": [],
    }


def observed(rules: Rules, store: Store, case: Case, form: str) -> Json:
    """Put a store through a case, and return what the case has something to say about."""
    store.set_clock(case.clock)
    try:
        for key, value in case.config.items():
            store.set_config(key, str(value))
        answers: list[tuple[str, Answer]] = []
        told = [_told(store, call, form, answers) for call in case.calls]
        log = {run_id: store.log(run_id) for run_id in case.log}
        alerts = {run_id: store.alerts(run_id) for run_id in case.alerts}
    finally:
        for key in case.config:
            store.set_config(key, str(rules.config[key]))
    return {
        "calls": told,
        "log": {run_id: _told_about(case.log[run_id], rows) for run_id, rows in log.items()},
        "alerts": {run_id: _told_about(case.alerts[run_id], rows) for run_id, rows in alerts.items()},
        "contradictions": [*_contradictions(answers, log, alerts)],
    }


def shown(outcome: Json) -> str:
    """Return an outcome as text, equal for equal JSON values: 1 is 1.0, but not true."""
    return as_text(_plain(outcome))


def fits_arguments(event: Any) -> bool:
    """Whether typed arguments can hold an event as it is."""
    return isinstance(event, dict) and all(_fits_argument(name, value) for name, value in event.items())


def utc_text(instant: datetime) -> str:
    """Return an instant as the file writes those that a store tells."""
    return instant.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _case(content: Json, case: Json) -> Case:
    _check(f"case {str(case)[:60]}", case, required="name calls log", optional="why config clock alerts")
    name: str = case["name"]
    if not re.fullmatch(r"[A-Za-z0-9.]+(-[A-Za-z0-9.]+)*", name):
        raise ValueError(f"{name!r} is no name for a case")
    if unknown := case.get("config", {}).keys() - content["config"].keys():
        raise ValueError(f"{name}: the file has no setting {', '.join(sorted(unknown))}")
    calls = [_call(content, name, f"{name}, call {n}", call) for n, call in enumerate(case["calls"])]
    answered = 0
    for n, call in enumerate(calls):
        if "answers" in call.told:
            answered += len(call.events)
            if len(call.told["answers"]) != len(call.events):
                raise ValueError(f"{name}, call {n}: needs an answer for each event")
            if any(answer.get("sameEventAs", 0) not in range(answered) for answer in call.told["answers"]):
                raise ValueError(f"{name}, call {n}: sameEventAs is no answer so far")
    runs = dict.fromkeys(
        event["runId"]
        for call in calls
        for event in call.events
        if isinstance(event, dict) and isinstance(event.get("runId"), str)
    )
    return Case(
        name=name,
        clock=str(case.get("clock", content["clock"])),
        config=case.get("config", {}),
        calls=calls,
        log=_by_run(
            f"{name}, log", case["log"], runs, {"run_id": name}, required="run_seq", optional=" ".join(COLUMNS)
        ),
        alerts=_by_run(
            f"{name}, alerts", case.get("alerts", []), runs, {"runId": name}, required="code runSeq count details"
        ),
    )


def _call(content: Json, name: str, where: str, call: Json) -> Call:
    _check(where, call, optional="append batch without form clock answers refused")
    if ("append" in call) == ("batch" in call) or ("answers" in call) == ("refused" in call):
        raise ValueError(f"{where}: needs append or batch, and answers or refused")
    if "batch" in call and call.keys() & {"without", "form"}:
        raise ValueError(f"{where}: without and form are for append")

    filled_in = {**content["defaults"], "runId": name}
    if unknown := set(call.get("without", [])) - filled_in.keys():
        raise ValueError(f"{where}: {', '.join(sorted(unknown))} would not be filled in")
    for field in call.get("without", []):
        del filled_in[field]

    def fill_in(event: Any) -> Any:
        return {**filled_in, **event} if isinstance(event, dict) else event

    if "append" in call:
        sent = fill_in(call["append"])
    else:
        sent = [fill_in(event) for event in call["batch"]] if isinstance(call["batch"], list) else call["batch"]
    if "form" in call and (call["form"] != "json" or not fits_arguments(sent)):
        raise ValueError(f"{where}: form can only keep an event from the arguments that can hold it")

    return Call(
        sent=sent,
        is_batch="batch" in call,
        in_json_only="form" in call,
        clock=call.get("clock"),
        rule=call.get("refused", {}).get("rule"),
        told={"refused": _refused(content["rules"], where, call["refused"])}
        if "refused" in call
        else {"answers": [_answer(where, answer) for answer in call["answers"]]},
    )


def _answer(where: str, answer: Json) -> Json:
    _check(
        f"{where}, answer", answer, required="runSeq", optional="idempotent persisted eventId persistedAt sameEventAs"
    )
    return {"idempotent": False, "persisted": True, **answer}


def _refused(rules: dict[str, Json], where: str, refused: Json) -> Json:
    """Return what the error says: the rule's texts, with what the case has to say of its own."""
    _check(f"{where}, refused", refused, required="rule", optional="field value missing limit retryAfterMs index")
    if refused["rule"] not in rules:
        raise ValueError(f"{where}: there is no rule {refused['rule']}")
    rule = rules[refused["rule"]]
    if ("field" in rule) == ("field" in refused):
        raise ValueError(f"{where}: needs one field, the rule's or its own")
    if ("limit" in refused) != ("{limit}" in rule["expected"]) or {"value", "missing"} <= refused.keys():
        raise ValueError(f"{where}: limit is for the rules that have one, and a missing value is none")

    words = {"field": rule.get("field"), **refused}
    texts = {name: _filled_in(where, rule[name], words) for name in ("expected", "hint", "message") if name in rule}
    quoted = f' "{refused["value"]}"' if "value" in refused else ""
    verdict = "missing" if "missing" in refused else "refused"
    message = texts.get("message", f"{words['field']}{quoted} is {verdict}: expected {texts['expected']}")
    place = f"event {refused['index']} of the batch: " if "index" in refused else ""
    return {
        "message": f"{ERRORS[rule['code']]}: {place}{message}",
        "detail": {
            "code": rule["code"],
            "expected": texts["expected"],
            **{name: words[name] for name in ("field", "value", "index", "retryAfterMs") if name in words},
        },
        "hint": texts["hint"],
    }


def _filled_in(where: str, template: str, words: Json) -> str:
    """Return a text with words for its places, all at once: a value may look like a place."""
    if absent := set(re.findall(r"\{(\w+)\}", template)) - words.keys():
        raise ValueError(f"{where}: lacks {', '.join(sorted(absent))}")
    return re.sub(r"\{(\w+)\}", lambda name: str(words[name[1]]), template)


def _by_run(
    where: str, rows: list[Json], runs: Json, own_run: dict[str, str], *, required: str, optional: str = ""
) -> dict[str, list[Json]]:
    """Return the rows of each run that the case names, none where it has none."""
    [column] = own_run
    by_run: dict[str, list[Json]] = {run_id: [] for run_id in runs}
    for row in rows:
        _check(where, row, required=required, optional=f"{column} {optional}")
        whole = {**own_run, **row}
        if whole[column] not in runs:
            raise ValueError(f"{where}: no call names the run {whole[column]!r}")
        by_run[whole[column]].append(whole)
    return by_run


def _check(where: str, value: Any, *, required: str = "", optional: str = "") -> None:
    """Refuse what is no object with these keys."""
    if not isinstance(value, dict):
        raise ValueError(f"{where}: {value!r} is no object")
    if absent := set(required.split()) - value.keys():
        raise ValueError(f"{where}: lacks {', '.join(sorted(absent))}")
    if unknown := value.keys() - {*required.split(), *optional.split()}:
        raise ValueError(f"{where}: has {', '.join(sorted(unknown))}")


def _object_without_twins(pairs: list[tuple[str, Any]]) -> Json:
    names = [name for name, _ in pairs]
    if len(names) > len(set(names)):
        raise ValueError(f"an object has a key twice: {', '.join(names)}")
    return dict(pairs)


def _fits_argument(name: str, value: Any) -> bool:
    if value is None or name in OBJECTS:
        return name in TEXTS | ATTEMPTS | UUIDS | OBJECTS | {"emittedAt"}
    if name in ATTEMPTS:
        return type(value) is int and -(2**31) <= value < 2**31
    if not isinstance(value, str):
        return False
    if name == "emittedAt":
        return _is_instant(value)
    return name in TEXTS or (name in UUIDS and UUID.fullmatch(value) is not None)


def _is_instant(text: str) -> bool:
    found = INSTANT.fullmatch(text)
    try:
        return found is not None and datetime.fromisoformat(found[1]) is not None
    except ValueError:
        return False


def _told(store: Store, call: Call, wanted: str, answers: list[tuple[str, Answer]]) -> Json:
    """Make a call, and return what it is told, as far as the case has something to say about it."""
    if call.clock is not None:
        store.set_clock(call.clock)
    try:
        given = _send(store, call, call.form(wanted))
    except Refusal as refusal:
        return {"refused": refusal.told}
    answers += [(event["runId"], answer) for event, answer in zip(call.events, given, strict=False)]
    places = [_place(run_id, answer) for run_id, answer in answers]
    rows = [
        {
            "runSeq": answer.run_seq,
            "idempotent": answer.idempotent,
            "persisted": answer.persisted,
            "eventId": str(answer.event_id),
            "persistedAt": utc_text(answer.persisted_at),
            "sameEventAs": places.index(_place(run_id, answer)),
        }
        for run_id, answer in answers[len(answers) - len(given) :]
    ]
    return {"answers": _told_about(call.told.get("answers", []), rows)}


def _send(store: Store, call: Call, form: str) -> list[Answer]:
    if form == "arguments":
        return [store.append_arguments({**dict.fromkeys(REQUIRED), **call.sent})]
    if form == "json":
        return [store.append_json(call.sent)]
    return store.append_batch(call.sent if call.is_batch else [call.sent])


def _place(run_id: str, answer: Answer) -> tuple[str, int, str, str]:
    return run_id, answer.run_seq, str(answer.event_id), utc_text(answer.persisted_at)


def _told_about(hoped: list[Json], rows: list[Json]) -> list[Json]:
    """Return of each row what is said about the one in its place, and the whole of those beyond them."""
    return [{name: row.get(name) for name in hoped[n]} if n < len(hoped) else row for n, row in enumerate(rows)]


def _contradictions(
    answers: list[tuple[str, Answer]], log: dict[str, list[Json]], alerts: dict[str, list[Json]]
) -> Iterator[str]:
    """Yield what cannot be true together, whatever the case is about."""
    stored = {
        (run_id, row["run_seq"], row["event_id"], row["persisted_at"]) for run_id, rows in log.items() for row in rows
    }
    for run_id, answer in answers:
        if not UUID_V4.fullmatch(str(answer.event_id)):
            yield f"{answer} has an id that is no UUID v4"
        if _place(run_id, answer) not in stored:
            yield f"{answer} is not in the log of {run_id!r}"
    for run_id, raised in alerts.items():
        for alert in raised:
            if (run_id, alert["runSeq"], alert["eventId"]) not in {place[:3] for place in stored}:
                yield f"{alert} is about an event that the log of {run_id!r} has not"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
