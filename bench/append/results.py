"""What was measured, in the shape of results/append.json."""

import json
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

EVENTS = "events/s"
CALLS = "calls/s"
CPU = "µs/event"


@dataclass(frozen=True)
class Comparison:
    """Two things measured in the same rounds, one value per round each."""

    name: str
    base_name: str
    own_name: str
    unit: str
    base: list[float]
    own: list[float]
    target: float | None = None

    @property
    def ratios(self) -> list[float]:
        """Per round: our throughput as a share of the base's; of costs, the base's as a share of ours."""
        pairs = zip(self.base, self.own, strict=True)
        return [base / own if self.unit == CPU else own / base for base, own in pairs]

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios."""
        return statistics.median(self.ratios)


@dataclass(frozen=True)
class Size:
    """Bytes on disk after appending: per event by relation, and per run for the counters."""

    name: str
    events: int
    runs: int
    per_event: dict[str, float]
    counters_per_run: float
    target: float | None = None

    @property
    def total(self) -> float:
        """Bytes per event in the log and all its indexes."""
        return sum(self.per_event.values())


@dataclass(frozen=True)
class Part:
    """One part of the benchmark, with what it was measured on and how much."""

    name: str
    comparisons: list[Comparison] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    machine: dict[str, Any] = field(default_factory=dict)
    scale: dict[str, Any] = field(default_factory=dict)


def read(path: Path) -> dict[str, Part]:
    """Return the parts that a file holds, none when there is no file."""
    if not path.exists():
        return {}
    parts: dict[str, dict[str, Any]] = json.loads(path.read_text())["parts"]
    return {
        name: Part(
            name=name,
            comparisons=[Comparison(**one) for one in part["comparisons"]],
            sizes=[Size(**one) for one in part["sizes"]],
            machine=part["machine"],
            scale=part["scale"],
        )
        for name, part in parts.items()
    }


def write(path: Path, parts: dict[str, Part]) -> None:
    """Write all parts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"parts": {name: asdict(part) for name, part in parts.items()}}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
