"""What a run's log means: the folding rules as plain Python, one event after the other.

An event is a stored record: a dict with the names of `event_record`. The model is slow and simple on purpose; the
store has to agree with it.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from appends import key_of

Record = dict[str, Any]
Snapshot = dict[str, Any]
Refusal = dict[str, Any]

NOT_ENDED = ("PENDING", "APPROVED", "RUNNING", "PAUSED")

# From which states an event is allowed, and the state that it means to reach.
RUN_EVENTS = {
    "RunQueued": (NOT_ENDED, "PENDING"),
    "RunApproved": (("PENDING",), "APPROVED"),
    "RunStarted": (("PENDING", "APPROVED"), "RUNNING"),
    "RunPaused": (("RUNNING",), "PAUSED"),
    "RunResumed": (("PAUSED",), "RUNNING"),
    "RunCompleted": (NOT_ENDED, "COMPLETED"),
    "RunFailed": (NOT_ENDED, "FAILED"),
    "RunCancelled": (NOT_ENDED, "CANCELLED"),
}
STEP_EVENTS = {
    "StepStarted": (("PENDING", "SUCCESS", "FAILED"), "RUNNING"),
    "StepCompleted": (("PENDING", "RUNNING"), "SUCCESS"),
    "StepFailed": (("PENDING", "RUNNING"), "FAILED"),
    "StepSkipped": (("PENDING",), "SKIPPED"),
}


def fold(events: Sequence[Record]) -> tuple[Snapshot, list[Refusal]]:
    """Return the snapshot after the events of one run, in their order, and the events that no rule allows."""
    run: dict[str, Any] = {"status": "PENDING"}
    steps: dict[str, dict[str, Any]] = {}  # in the order of each step's first event
    refusals: list[Refusal] = []

    for event in events:
        kind = event["event_type"]

        if kind in RUN_EVENTS:
            allowed, target = RUN_EVENTS[kind]
            if run["status"] in allowed:
                _apply_to_run(run, event)
            else:
                refusals.append(_refusal(event, run["status"], target))

        elif kind in STEP_EVENTS:
            step = steps.get(event["step_id"])
            if step is not None and event["logical_attempt_id"] < step["logicalAttemptId"]:
                continue  # a newer attempt has begun: this one is late, and no error
            if step is None or event["logical_attempt_id"] > step["logicalAttemptId"]:
                # A dict keeps the place of a key that is set again: the step starts afresh where it was.
                step = steps[event["step_id"]] = {
                    "stepId": event["step_id"],
                    "status": "PENDING",
                    "logicalAttemptId": event["logical_attempt_id"],
                    "engineAttemptId": 0,
                }
            allowed, target = STEP_EVENTS[kind]
            if step["status"] in allowed:
                _apply_to_step(step, event)
            else:
                refusals.append(_refusal(event, step["status"], target))

        # Signals and unknown types move the watermark, and nothing else.

    return _snapshot(events, run, list(steps.values()), consistent=not refusals), refusals


def _apply_to_run(run: dict[str, Any], event: Record) -> None:
    kind, payload = event["event_type"], event["payload"] or {}
    if kind == "RunQueued":
        return
    run["status"] = RUN_EVENTS[kind][1]
    if kind == "RunStarted":
        run["startedAt"] = event["emitted_at"]
        run["engineRunRef"] = event["engine_run_ref"]
    if kind in ("RunCompleted", "RunFailed", "RunCancelled"):
        run["completedAt"] = event["emitted_at"]
    if kind == "RunCompleted":
        run["artifacts"] = payload.get("artifactRefs")
    if kind == "RunFailed":
        run["error"] = payload.get("error")


def _apply_to_step(step: dict[str, Any], event: Record) -> None:
    kind, payload = event["event_type"], event["payload"] or {}
    step["engineAttemptId"] = max(step["engineAttemptId"], event["engine_attempt_id"])
    if kind == "StepStarted":
        if step["status"] == "PENDING":
            step["status"] = "RUNNING"
        step.setdefault("startedAt", event["emitted_at"])
        return
    step["status"] = STEP_EVENTS[kind][1]
    step["completedAt"] = event["emitted_at"]
    step["artifacts"] = payload.get("artifactRefs")
    if kind == "StepFailed":
        step["error"] = payload.get("error")
    if kind == "StepSkipped":
        step["reason"] = payload.get("reason")


def _refusal(event: Record, prior: str, attempted: str) -> Refusal:
    return _present(
        {
            "code": "INVALID_TRANSITION",
            "runSeq": event["run_seq"],
            "priorState": prior,
            "attemptedState": attempted,
            "eventType": event["event_type"],
            "stepId": event["step_id"],
        }
    )


def _snapshot(
    events: Sequence[Record], run: dict[str, Any], steps: list[dict[str, Any]], *, consistent: bool
) -> Snapshot:
    first, last = events[0], events[-1]
    artifacts = [artifact for owner in (*steps, run) for artifact in owner.get("artifacts") or []]
    return _present(
        {
            "runId": first["run_id"],
            "tenantId": first["tenant_id"],
            "projectId": first["project_id"],
            "environmentId": first["environment_id"],
            "status": run["status"],
            "lastEventSeq": last["run_seq"],
            "steps": [_present({**step, **_times(step), "artifacts": step.get("artifacts") or []}) for step in steps],
            "artifacts": artifacts,
            **_times(run),
            "totalDurationMs": _duration_ms(run.get("startedAt"), run.get("completedAt")),
            "failedSteps": sum(step["status"] == "FAILED" for step in steps),
            "engineRunRef": run.get("engineRunRef"),
            "error": run.get("error"),
            "consistency": "CONSISTENT" if consistent else "INCONSISTENT",
        }
    )


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is absent. What a producer nested inside a value is its own, nulls included."""
    return {name: value for name, value in values.items() if value is not None}


def _times(owner: dict[str, Any]) -> dict[str, str | None]:
    return {name: owner.get(name) and utc_text(owner[name]) for name in ("startedAt", "completedAt")}


def _duration_ms(started: datetime | None, completed: datetime | None) -> int | None:
    if started is None or completed is None:
        return None
    return max(0, (completed - started) // timedelta(milliseconds=1))


def utc_text(instant: datetime) -> str:
    """Return an instant as snapshots show it."""
    return instant.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def stored(sent: Iterable[dict[str, Any]]) -> list[Record]:
    """Return the records that these events of one run become, when they are appended to an empty log one by one."""
    log: dict[str, Record] = {}
    for write in sent:
        key = key_of(write)
        if key in log:
            continue  # the same occurrence again
        log[key] = {
            "run_id": write["runId"],
            "run_seq": len(log) + 1,
            "event_type": write["eventType"],
            "step_id": write.get("stepId"),
            "engine_attempt_id": write.get("engineAttemptId") or 1,
            "logical_attempt_id": write.get("logicalAttemptId") or 1,
            "tenant_id": write["tenantId"],
            "project_id": write["projectId"],
            "environment_id": write["environmentId"],
            "payload": write.get("payload"),
            "emitted_at": instant_of(write["emittedAt"]),
            "engine_run_ref": write.get("engineRunRef"),
        }
    return list(log.values())


def instant_of(text: str) -> datetime:
    """Return the instant that an RFC 3339 text names."""
    matched = re.fullmatch(r"(.{19})(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)", text)
    assert matched, text
    whole, fraction, offset = matched.groups()
    return datetime.fromisoformat(f"{whole}.{(fraction or '').ljust(6, '0')}{offset.replace('Z', '+00:00')}")
