"""The plot: cost per event over length, a panel for each workload."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.measure import Costs
from benchmarks.peers import PEERS

COLUMNS = 2


def plot(tables: Mapping[str, Costs], path: Path) -> None:
    """Write the file; what it is (PNG, SVG, …) follows from its name."""
    rows = max(1, ceil(len(tables) / COLUMNS))
    figure = Figure(figsize=(7 * COLUMNS, 4.5 * rows), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False).flat
    for panel, (title, costs) in zip(panels, tables.items(), strict=False):
        _draw(panel, title, costs)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize="small")
    figure.savefig(path)


def _draw(panel: Any, title: str, costs: Costs) -> None:
    """The collector off is a line, on is dashes."""
    panel.set(xscale="log", yscale="log", title=title, xlabel="events", ylabel="ns per event")
    panel.grid(visible=True, which="major", alpha=0.3)
    for number, peer in enumerate(PEERS):
        for collector in peer.collectors:
            points = _points(costs, peer.name, collector=collector)
            style = "--" if collector else "-"
            label = f"{peer.name}, collector on" if collector else peer.name
            color = f"C{number}"
            panel.plot(*points, style, marker=".", color=color, label=label, linewidth=1)


def _points(costs: Costs, peer: str, *, collector: bool) -> tuple[list[int], list[float]]:
    """Lengths and costs; a peer that was stopped is drawn where it was."""
    own = {
        cost.stopped or case.length: cost.median
        for case, cost in costs.items()
        if (case.peer, case.collector) == (peer, collector)
    }
    return list(own), list(own.values())
