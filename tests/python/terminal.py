"""The command as a person runs it against a store, and what it prints, made comparable."""

import json
import os
import re
import subprocess
import sys
from typing import Any

from appends import Event

COMMAND = [sys.executable, "-m", "runstore.cli"]


def environment(dsn: str) -> dict[str, str]:
    """Return hardly an environment, with the store in it and a terminal of 80 columns."""
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "RUNSTORE_DSN": dsn, "COLUMNS": "80", "LANG": "C.UTF-8"}


def run(dsn: str, *arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*COMMAND, *arguments], input=given, env=environment(dsn), cwd="/", capture_output=True, timeout=60, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def outcome(dsn: str, *arguments: str, stdin: str | bytes = "") -> tuple[int, str, str]:
    """Run the command, and return its exit code and what it printed, normalised."""
    done = run(dsn, *arguments, stdin=stdin)
    return done.returncode, normal(done.stdout), normal(done.stderr)


def normal(text: str) -> str:
    """Return the text without what differs from run to run: ids, and times that are not those of the events here."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<id>", text)
    return re.sub(r"(?!2026-02-16)\d{4}-\d\d-\d\d[ T][\d:.]+Z", "<time>", text)


def moment(kind: str, second: int, step: str | None = None, *, run_id: str = "load-7", **fields: Any) -> Event:
    """Return an event of a run at a second of one minute."""
    given = {
        "runId": run_id,
        "eventType": kind,
        "emittedAt": f"2026-02-16T09:30:{second:02}Z",
        "tenantId": "acme",
        "projectId": "sales",
        "environmentId": "prod",
        "planId": "load",
        "planVersion": "1",
        "stepId": step,
    }
    return {**{name: value for name, value in given.items() if value is not None}, **fields}


def lines(*events: Event) -> str:
    """Return events as JSON lines."""
    return "".join(f"{json.dumps(event)}\n" for event in events)


ARTIFACT = {"uri": "s3://lake/orders", "kind": "table"}
# A run with all that can be shown: steps that succeed, fail, run and are skipped, and names that terminals find hard.
STORY = [
    moment("RunStarted", 0, engineRunRef={"workflow": "w-1"}),
    moment("StepStarted", 1, "extract"),
    moment("StepCompleted", 21, "extract", payload={"rows": 9, "artifactRefs": [ARTIFACT]}),
    moment("StepStarted", 21, "報告"),
    moment("StepFailed", 41, "報告", payload={"error": {"code": "E1", "text": "\x1b[31mred\u202e"}}),
    moment("StepStarted", 31, "load", logicalAttemptId=2),
    moment("StepSkipped", 50, "mail", payload={"reason": "no\x9bbody"}),
]
