"""Figures: SVG in notebooks, or drawn into matplotlib axes."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Union

from . import _core
from ._errors import translate


class Figure:
    """A figure of the library.

    Attributes
    ----------
    svg : str
        The picture.
    data : dict
        Its numbers: panels with axes and marks, as ``halfspace plot --json`` prints them.
    """

    def __init__(self, svg: str, data: Dict[str, Any], again: Any) -> None:
        self.svg = svg
        self.data = data
        self._again = again

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        title = self.data.get("title") or self.data.get("kind")
        return f"<Figure: {title}; .save(path) writes it, .svg is the picture>"

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the figure; the name's ending says the format: .svg, .png or .pdf."""
        self._again(os.fspath(path))


def _texts(options: Dict[str, Any]) -> Dict[str, str]:
    def text(value: Any) -> str:
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)

    return {name.replace("_", "-"): text(value) for name, value in options.items() if value is not None}


def draw(kind: str, models: List[Any], data: Any, options: Dict[str, Any], threads: int, ax: Any) -> Figure:
    """A figure of some models and rows."""
    known = {option["name"] for option in _core.tables("figure")[0]["options"]}
    texts = _texts(options)
    of_figure = {name: value for name, value in texts.items() if name in known}
    of_kind = {name: value for name, value in texts.items() if name not in known}

    def make(path: Optional[str]) -> Any:
        try:
            return _core.plot(kind, models, data, None, of_kind, of_figure, path, threads, None)
        except _core.Error as error:
            raise translate(error) from None

    svg, numbers = make(None)
    figure = Figure(svg, json.loads(numbers), make)
    if ax is not None:
        draw_into(ax, figure.data)
    return figure


def draw_into(ax: Any, data: Dict[str, Any]) -> None:
    """The first panel of a figure in matplotlib axes."""
    panel = data["panels"][0]
    nan = float("nan")
    colors = iter(f"C{i % 10}" for i in range(1000))
    for mark in panel["marks"]:
        x = [nan if value is None else value for value in mark["x"]]
        y = [nan if value is None else value for value in mark["y"]]
        label = mark["name"] or "_nolegend_"
        kind = mark["kind"]
        if kind == "polygon":
            ax.fill(x[:-1] if x and x[-1] != x[-1] else x, y[:-1] if y and y[-1] != y[-1] else y, alpha=0.1, color=next(colors))
        elif kind == "points":
            ax.scatter(x, y, s=16, label=label, color=next(colors), zorder=3)
        elif kind == "bars":
            ax.bar(x, y, label=label, color=next(colors))
        elif kind == "text":
            for i, (left, bottom) in enumerate(zip(x, y)):
                if left == left:
                    ax.annotate(mark["text"] or "", (left, bottom))
        else:
            ax.plot(x, y, label=label, color="black" if mark["name"] == "boundary" else next(colors), linewidth=1)
    for axis, scale, limits, name in (
        (panel["x"], ax.set_xscale, ax.set_xlim, ax.set_xlabel),
        (panel["y"], ax.set_yscale, ax.set_ylim, ax.set_ylabel),
    ):
        if axis["log"]:
            scale("log")
        limits(axis["low"], axis["high"])
        name(axis["label"] or "")
    if panel["title"] or data["title"]:
        ax.set_title(panel["title"] or data["title"])
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small")
