"""The cases of tests/conformance/snapshots.json, with what the file leaves to its defaults filled in."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "conformance" / "snapshots.json"


@dataclass(frozen=True)
class Case:
    """A log, and the snapshot and the alerts that it gives."""

    name: str
    events: list[dict[str, Any]]
    snapshot: dict[str, Any]
    alerts: list[dict[str, Any]]

    @property
    def run_id(self) -> str:
        """The run that the case is about."""
        return str(self.snapshot["runId"])


def load() -> list[Case]:
    """Return every case."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    return [
        Case(
            name=case["name"],
            events=[{**content["defaults"], "runId": case["name"], **event} for event in case["events"]],
            snapshot=case["snapshot"],
            alerts=case["alerts"],
        )
        for case in content["cases"]
    ]


def as_text(value: Any) -> str:
    """Return a JSON value as text that is equal for equal values only: to Python, 1 equals true."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
