"""Figures: SVG in notebooks, or drawn into matplotlib axes."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _core
from ._errors import translate
from ._matplotlib import draw_into


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
        self._again(os.fsdecode(path))


def _texts(options: Dict[str, Any]) -> Dict[str, str]:
    def text(value: Any) -> str:
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)

    return {name.replace("_", "-"): text(value) for name, value in options.items() if value is not None}


def draw(
    kind: str,
    models: List[Any],
    data: Any,
    options: Dict[str, Any],
    threads: int,
    ax: Any,
    axes: Any = None,
    files: Sequence[Union[str, "os.PathLike[str]"]] = (),
) -> Figure:
    """A figure of some models and rows; ``axes``: the columns of its plane."""
    if axes is not None:
        options = {**options, "x": axes[0], "y": axes[1]}
    known = {option["name"] for option in _core.tables("figure")[0]["options"]}
    texts = _texts(options)
    of_figure = {name: value for name, value in texts.items() if name in known}
    of_kind = {name: value for name, value in texts.items() if name not in known}

    def make(path: Optional[str]) -> Any:
        try:
            return _core.plot(kind, models, data, [os.fsdecode(file) for file in files], of_kind, of_figure, path, threads, None)
        except _core.Error as error:
            raise translate(error) from None

    svg, numbers = make(None)
    figure = Figure(svg, json.loads(numbers), make)
    if ax is not None:
        draw_into(ax, figure.data, options.get("title"))
    return figure
