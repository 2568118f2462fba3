"""The picture: results/append.png."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from report import SECTIONS
from results import Comparison, Part, Size

_MET, _MISSED, _OTHER, _TARGET = "#2f7d5b", "#c4542d", "#9aa7b4", "#1b1f24"
_PARTS = ["#4a6fa5", "#7f9fc6", "#5b8e7d", "#8fb8a8", "#b9a16b", "#c9ccd1"]


def write(path: Path, parts: dict[str, Part]) -> None:
    """Draw every ratio with its range and target, and below them the bytes per event."""
    bars = [(name, one) for name in SECTIONS if name in parts for one in parts[name].comparisons]
    sizes = parts["bytes"].sizes if "bytes" in parts else []
    heights = [0.27 * (len(bars) + len(SECTIONS)) + 0.6, 0.45 * len(sizes) + 1.2]
    figure = Figure(figsize=(11, sum(heights) + 0.8), layout="constrained")
    ratios, stacks = figure.subplots(2, 1, height_ratios=heights)
    figure.suptitle("runstore as a share of the same work without logic (bar: median, line: range over the rounds)")
    _draw_ratios(ratios, bars)
    _draw_sizes(stacks, sizes)
    figure.savefig(path, dpi=120)


def _draw_ratios(axes: Axes, bars: list[tuple[str, Comparison]]) -> None:
    position = 0.0
    ticks: list[float] = []
    labels: list[str] = []
    last = ""
    for part, one in bars:
        if part != last:
            position += 1
            axes.text(0.0, position, SECTIONS[part][0], fontweight="bold", fontsize=9, va="center")
            last = part
        position += 1
        color = _OTHER if one.target is None else _MET if one.ratio >= one.target else _MISSED
        low, high = min(one.ratios), max(one.ratios)
        axes.barh(position, one.ratio, color=color, height=0.72)
        axes.plot([low, high], [position, position], color="black", linewidth=1)
        axes.text(0.008, position, f"{one.ratio:.2f}", color="white", fontsize=8, fontweight="bold", va="center")
        if one.target is not None:
            axes.plot([one.target, one.target], [position - 0.48, position + 0.48], color=_TARGET, linewidth=2.5)
        ticks.append(position)
        labels.append(f"{one.name}, of {one.base_name}")
    axes.axvline(1, color="black", linewidth=0.7, linestyle=":")
    axes.set_yticks(ticks, labels, fontsize=8)
    axes.set_ylim(position + 0.8, 0.2)
    axes.legend(
        handles=[
            Patch(color=_MET, label="target met"),
            Patch(color=_MISSED, label="target missed"),
            Patch(color=_OTHER, label="information"),
            Line2D([], [], color=_TARGET, linewidth=2.5, label="target"),
        ],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.03),
        ncols=4,
        fontsize=8,
    )
    axes.spines[["top", "right"]].set_visible(False)


def _draw_sizes(axes: Axes, sizes: list[Size]) -> None:
    for position, size in enumerate(sizes):
        left = 0.0
        for number, (relation, value) in enumerate(size.per_event.items()):
            axes.barh(
                position, value, left=left, height=0.6, color=_PARTS[number % len(_PARTS)],
                label=relation if position == 0 else None,
            )  # fmt: skip
            left += value
        axes.text(left + 8, position, f"{left:.0f}", fontsize=8, va="center")
        if size.target is not None:
            axes.plot([size.target, size.target], [position - 0.4, position + 0.4], color=_TARGET, linewidth=2.5)
    axes.set_yticks(range(len(sizes)), [size.name for size in sizes], fontsize=8)
    axes.invert_yaxis()
    axes.set_title("Bytes per event on disk")
    if sizes:
        axes.set_xlim(0, max(max(size.total, size.target or 0) for size in sizes) * 1.1)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
