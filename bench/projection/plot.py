"""The picture: results/projection.png."""

import statistics
from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from projection.results import Comparison, Part

_LINES = ["#2f7d5b", "#7fb89c", "#4a6fa5", "#9ab3d3", "#c4542d", "#e3a58c"]
_BASE, _OWN, _TARGET = "#9aa7b4", "#4a6fa5", "#1b1f24"


def write(path: Path, parts: dict[str, Part]) -> None:
    """Draw one field per part; a part that was not measured leaves its field empty."""
    figure = Figure(figsize=(12, 8), layout="constrained")
    figure.suptitle("Snapshots: folding, keeping up, and what appends feel of it (medians of the rounds)")
    fields: dict[str, Callable[[Axes, Part], None]] = {
        "fold": _draw_fold,
        "incremental": _draw_incremental,
        "snapshot": _draw_snapshot,
        "latency": _draw_latency,
        "lag": _draw_lag,
        "saturated": _draw_saturated,
    }
    for axes, (name, draw) in zip(figure.subplots(2, 3).flat, fields.items(), strict=True):
        if name in parts:
            draw(axes, parts[name])
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(labelsize=8)
        else:
            axes.set_axis_off()
    figure.savefig(path, dpi=120)


def _draw_fold(axes: Axes, part: Part) -> None:
    _curves(axes, part, next(one.at_most for one in part.comparisons if one.at_most is not None))
    axes.set_title("Full fold, of jsonb_agg", fontsize=10)


def _draw_incremental(axes: Axes, part: Part) -> None:
    _curves(axes, part, next(one.at_most for one in part.comparisons if one.at_most is not None))
    axes.set_title(f"One more event, of {part.comparisons[0].base_name}", fontsize=10)


def _draw_snapshot(axes: Axes, part: Part) -> None:
    _pairs(axes, part.comparisons, "get_snapshot", "SELECT of the step rows", [one.name for one in part.comparisons])
    axes.set_xticks(range(len(part.comparisons)), ["median", "p99"])
    axes.set_title("Reading a snapshot of 1,000 steps, ms", fontsize=10)


def _draw_latency(axes: Axes, part: Part) -> None:
    names = [one.series for one in part.comparisons]
    _pairs(axes, part.comparisons, "with the worker", "without a projector", names)
    axes.set_title("Latency of appends at 1,000 per second, ms", fontsize=10)


def _draw_lag(axes: Axes, part: Part) -> None:
    axes.plot(part.quantiles, range(len(part.quantiles)), color=_OWN)
    limit = next(one.at_most for one in part.figures if one.at_most is not None)
    axes.axvline(limit, color=_TARGET, linewidth=2, label="target")
    axes.set_xscale("log")
    axes.set_title("Lag of the projector at 1,000 per second", fontsize=10)
    axes.set_xlabel("ms", fontsize=8)
    axes.set_ylabel("per cent of all events", fontsize=8)
    axes.legend(fontsize=7)


def _draw_saturated(axes: Axes, part: Part) -> None:
    first = part.comparisons[0]
    sides = [(first.base_name, first.base), *((one.own_name, one.own) for one in part.comparisons)]
    for position, (_, values) in enumerate(sides):
        axes.bar(position, statistics.median(values), color=_OWN if position else _BASE, width=0.7)
        _scatter(axes, position, values)
    axes.set_xticks(range(len(sides)), [name for name, _ in sides])
    axes.set_title("Durable appends of 8 clients, events/s", fontsize=10)


def _curves(axes: Axes, part: Part, limit: float) -> None:
    """Draw the ratios by the length of the run."""
    lines: dict[str, list[Comparison]] = {}
    for one in part.comparisons:
        if one.series:
            lines.setdefault(one.series, []).append(one)
    for color, (name, points) in zip(_LINES, lines.items(), strict=False):
        axes.plot(
            [one.events or 0 for one in points], [one.ratio for one in points], marker="o", markersize=4, color=color,
            label=name,
        )  # fmt: skip
    axes.axhline(limit, color=_TARGET, linewidth=2, label="target")
    axes.set_xscale("log")
    axes.set_ylim(0, 1.05 * max(limit, *(one.ratio for points in lines.values() for one in points)))
    axes.set_xlabel("events in the run", fontsize=8)
    axes.legend(fontsize=7)


def _pairs(axes: Axes, comparisons: list[Comparison], own: str, base: str, names: list[str]) -> None:
    for position, one in enumerate(comparisons):
        for shift, values, color, label in ((-0.2, one.base, _BASE, base), (0.2, one.own, _OWN, own)):
            axes.bar(
                position + shift, statistics.median(values), color=color, width=0.38,
                label=label if position == 0 else None,
            )  # fmt: skip
            _scatter(axes, position + shift, values)
    axes.set_xticks(range(len(comparisons)), names)
    axes.legend(fontsize=7)


def _scatter(axes: Axes, position: float, values: list[float]) -> None:
    axes.plot([position] * len(values), values, ".", color="black", markersize=3)
