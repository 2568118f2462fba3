"""What was measured, in the shape of results/projection.json."""

import json
import math
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MS = "ms"
CALL_US = "µs/call"
EVENT_US = "µs/event"
PER_SECOND = "events/s"
BYTES = "bytes"


@dataclass(frozen=True)
class Comparison:
    """Two things measured in the same rounds, one value per round each."""

    name: str
    base_name: str
    own_name: str
    unit: str
    base: list[float]
    own: list[float]
    at_most: float | None = None
    """The target: the most that the ratio may be."""
    series: str = ""
    """The line of the picture that it belongs to."""
    events: int | None = None
    """Where it stands on that line: events in the run."""

    @property
    def ratio(self) -> float:
        """The median of ours as a multiple of the base's median."""
        return statistics.median(self.own) / statistics.median(self.base)

    @property
    def ratios(self) -> list[float]:
        """Per round: ours as a multiple of the base's."""
        return [own / base for base, own in zip(self.base, self.own, strict=True)]


@dataclass(frozen=True)
class Figure:
    """Something measured for itself, once per round."""

    name: str
    unit: str
    values: list[float]
    total: float | None = None
    """Over everything together, where that is not the median of the rounds."""
    at_most: float | None = None

    @property
    def value(self) -> float:
        """What the report shows and the target is held against."""
        return statistics.median(self.values) if self.total is None else self.total


@dataclass(frozen=True)
class Part:
    """One part of the benchmark, with what it was measured on and how much."""

    name: str
    comparisons: list[Comparison] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    quantiles: list[float] = field(default_factory=list)
    """Of a distribution that is drawn: at 0, 1, 2, ... 100 per cent."""
    machine: dict[str, Any] = field(default_factory=dict)
    scale: dict[str, Any] = field(default_factory=dict)


def quantile(values: list[float], share: float) -> float:
    """Return the smallest value that at least this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def read(path: Path) -> dict[str, Part]:
    """Return the parts that a file holds, none when there is no file."""
    if not path.exists():
        return {}
    parts: dict[str, dict[str, Any]] = json.loads(path.read_text())["parts"]
    return {
        name: Part(
            **{
                **part,
                "comparisons": [Comparison(**one) for one in part["comparisons"]],
                "figures": [Figure(**one) for one in part["figures"]],
            }
        )
        for name, part in parts.items()
    }


def write(path: Path, parts: dict[str, Part]) -> None:
    """Write all parts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"parts": {name: asdict(part) for name, part in parts.items()}}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
