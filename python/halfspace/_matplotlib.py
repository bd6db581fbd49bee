"""A figure of the library in matplotlib axes."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

NAN = float("nan")


def _numbers(values: List[Optional[float]]) -> List[float]:
    """Breaks between the parts of a line are null in JSON, and NaN in matplotlib."""
    return [NAN if value is None else value for value in values]


def _parts(x: List[float], y: List[float]) -> List[List[List[float]]]:
    """The parts between breaks."""
    parts: List[List[List[float]]] = [[[], []]]
    for one, other in zip(x, y):
        if one != one or other != other:
            parts.append([[], []])
        else:
            parts[-1][0].append(one)
            parts[-1][1].append(other)
    return [part for part in parts if part[0]]


def _color(mark: Dict[str, Any]) -> str:
    """Classes, and curves, have the colours of matplotlib's cycle; other marks are black."""
    return "black" if mark["class"] is None else f"C{mark['class'] % 10}"


def _cells(ax: Any, mark: Dict[str, Any], panel: Dict[str, Any]) -> None:
    values = _numbers(mark["values"])
    columns = len(panel["x"]["categories"]) or round(len(values) ** 0.5)
    if columns == 0 or len(values) % columns:
        return
    rows = [values[i : i + columns] for i in range(0, len(values), columns)]
    low, high = min(values), max(values)
    if low < 0 < high:  # scores and weights: 0 is white
        high = max(-low, high)
        low = -high
    extent = (*mark["x"][:2], *mark["y"][:2])
    colors = "RdBu_r" if low < 0 else "Blues"
    ax.imshow(rows, origin="lower", extent=extent, aspect="auto", cmap=colors, vmin=low, vmax=high, alpha=0.6)


def _mark(ax: Any, mark: Dict[str, Any], panel: Dict[str, Any]) -> None:
    kind, color = mark["kind"], _color(mark)
    x, y = _numbers(mark["x"]), _numbers(mark["y"])
    label = mark["name"] or "_nolegend_"
    if kind == "cells":
        _cells(ax, mark, panel)
    elif kind == "polygon":
        for part in _parts(x, y):
            ax.fill(part[0], part[1], color=color, alpha=0.12, linewidth=0)
    elif kind == "points":
        ax.scatter(x, y, s=16, color=color, label=label, zorder=3)
    elif kind == "bars" and panel["y"]["categories"]:
        ax.barh(y, x, color=color, label=label)
    elif kind == "bars":
        ax.bar(x, y, color=color, label=label)
    elif kind == "text":
        ax.annotate(mark["text"] or "", (x[0], y[0]), ha="center", va="center", fontsize="small")
    elif kind == "arrow":
        ax.annotate("", (x[1], y[1]), (x[0], y[0]), arrowprops={"arrowstyle": "->"})
    elif kind == "rule":
        a, b, c = mark["values"]
        if b:
            ax.axline((0, c / b), slope=-a / b, color=color, linewidth=1, label=label)
        else:
            ax.axvline(c / a, color=color, linewidth=1, label=label)
    else:
        if color == "black" and mark["name"] not in (None, "boundary"):  # curves of no class differ by their dashes
            panel["_dashes"] = panel.get("_dashes", -1) + 1
        style = ("-", "--", ":", "-.")[panel.get("_dashes", 0) % 4] if mark["name"] != "boundary" else "-"
        ax.plot(x, y, color=color, linewidth=1, label=label, linestyle=style if color == "black" else "-")


def draw_into(ax: Any, data: Dict[str, Any], title: Optional[str]) -> None:
    """Draw the first panel of a figure; ``data``: its numbers."""
    panel = dict(data["panels"][0])
    for mark in panel["marks"]:
        _mark(ax, mark, panel)
    for which in "xy":
        axis = panel[which]
        if axis["log"]:
            getattr(ax, f"set_{which}scale")("log")
        getattr(ax, f"set_{which}lim")(axis["low"], axis["high"])
        getattr(ax, f"set_{which}label")(axis["label"] or "")
        if axis["categories"]:
            places = range(len(axis["categories"]))
            getattr(ax, f"set_{which}ticks")(list(places), axis["categories"])
    heading = title or panel["title"] or data["title"]
    if heading:
        ax.set_title(heading)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small")
