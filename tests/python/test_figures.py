"""Figures: of every kind, as SVG, in files, and in axes of matplotlib."""
from __future__ import annotations

import re
import xml.etree.ElementTree

import numpy as np
import pytest

import halfspace
from halfspace import KNeighborsClassifier, LinearSVM, LogisticRegression, Perceptron
from helpers import COMMAND, IRIS, no_warnings, run

DATA = halfspace.read(IRIS)
X, Y = DATA.data[:, 2:], DATA.target == "virginica"

# kind: (model, options)
KINDS = {
    "rows": (LinearSVM(), {}),
    "slack": (LinearSVM(loss="hinge"), {}),
    "neighbors": (KNeighborsClassifier(), {"row": 71}),
    "roc": (LinearSVM(), {}),
    "pr": (LinearSVM(), {}),
    "calibration": (LogisticRegression(), {}),
    "lift": (Perceptron(), {}),
    "confusion": (KNeighborsClassifier(), {}),
    "weights": (LinearSVM(), {}),
    "importance": (LinearSVM(), {}),
    "losses": (LinearSVM(), {}),
}


def test_kinds_are_those_of_the_documentation():
    text = re.search(r"As in ``halfspace plot``: ([a-z, \n]+)\.", LinearSVM.plot.__doc__).group(1)
    assert set(re.findall(r"\w+", text)) == set(KINDS)
    assert set(KINDS) <= {table["name"] for table in halfspace._core.tables("plot")}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind, tmp_path):
    model, options = KINDS[kind]
    figure = model.fit(X, Y).plot(X, Y, kind=kind, **options)
    root = xml.etree.ElementTree.fromstring(figure.svg)
    assert root.tag.endswith("svg")
    assert figure._repr_svg_() == figure.svg
    assert figure.data["panels"][0]["marks"]
    assert repr(figure).startswith("<Figure: ")
    figure.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text() == figure.svg


def test_figures_are_the_commands(tmp_path):
    model = LinearSVM().fit(DATA.data, DATA.target)
    model.save(tmp_path / "m.hsp")
    for kind in ("confusion", "roc"):
        run(COMMAND, "plot", kind, "-q", tmp_path / "m.hsp", IRIS, "-o", tmp_path / f"{kind}.svg", "--title", "T")
        theirs = xml.etree.ElementTree.parse(tmp_path / f"{kind}.svg").getroot()
        ours = xml.etree.ElementTree.fromstring(model.plot(DATA.data, DATA.target, kind=kind, title="T").svg)
        assert [part.tag for part in ours.iter()] == [part.tag for part in theirs.iter()]


def test_other_formats(tmp_path):
    figure = LinearSVM().fit(X, Y).plot(X, Y)
    try:
        figure.save(tmp_path / "x.png")
    except RuntimeError as error:
        pytest.skip(str(error))  # built without cairo
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    figure.save(tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("kind", KINDS)
def test_axes_of_matplotlib(kind, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model, options = KINDS[kind]
    figure, axes = pyplot.subplots()
    try:
        drawn = model.fit(X, Y).plot(X, Y, kind=kind, ax=axes, title="A title", **options)
        assert drawn.svg
        assert axes.has_data() or axes.texts or axes.patches
        figure.savefig(tmp_path / "x.png")
    finally:
        pyplot.close(figure)


def test_errors(tmp_path):
    model = LinearSVM().fit(X, Y)
    with pytest.raises(ValueError, match="there is no kind of plot 'pie'"):
        model.plot(X, Y, kind="pie")
    with pytest.raises(ValueError, match="there is no such option"):
        model.plot(X, Y, colour="red")
    with pytest.raises(ValueError):
        model.plot(X, Y, kind="calibration")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.plot(X, Y[:3])
    with pytest.raises(ValueError, match="not among the classes"), no_warnings():
        model.plot(X, DATA.target)
    with pytest.raises(halfspace.NotFittedError):
        LinearSVM().plot(X, Y)
    with pytest.raises((ValueError, OSError)):
        model.plot(X, Y).save(tmp_path / "nowhere" / "x.svg")
    with pytest.raises((ValueError, OSError)):
        model.plot(X, Y).save(tmp_path / "x.gif")
    assert not list(tmp_path.iterdir())


def test_plot_without_a_model():
    figure = halfspace.plot(X, Y)
    assert "<svg" in figure.svg
    labels = np.array(["a<b", "c&d"])[Y.astype(int)]
    xml.etree.ElementTree.fromstring(halfspace.plot(X, labels, title="x < y & z").svg)
