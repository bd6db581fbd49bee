"""Certificates, bounds on the true error, and mistake bounds."""
from __future__ import annotations

import datetime
import filecmp
import html
import json
import math
import os
import shutil
import tempfile
import warnings
import weakref
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _core
from ._errors import python_words, translate
from ._figures import _texts

Path = Union[str, "os.PathLike[str]"]


# ---- Certificates ----------------------------------------------------------------------------------


class Verification:
    """The answer of the checker.

    Attributes
    ----------
    result : str
        ``"verified"``: every claim holds. ``"rejected"``: one does not, or a file is not the one that was
        certified. ``"undecided"``: the checker could not read a file, or would need more work than allowed.
    established : list of str
        What was established, one sentence each.
    reason : str
        Why the certificate was not verified, or "".
    when : datetime.datetime
        When the checker answered.
    """

    def __init__(self, result: str, established: str, reason: str) -> None:
        self.result = result
        self.established = established.splitlines()
        self.reason = reason
        self.when = datetime.datetime.now(datetime.timezone.utc)

    def __bool__(self) -> bool:
        return self.result == "verified"

    def __repr__(self) -> str:
        reason = self.reason if self.reason.startswith(self.result) else f"{self.result}: {self.reason}".rstrip(": ")
        return "\n".join([*self.established, *([reason] if self.reason or not self.established else [])])


class _Folder:
    """A temporary folder, removed with the last reference to it, or at exit."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="halfspace-")
        weakref.finalize(self, shutil.rmtree, self.name, True)


class Certificate:
    """Claims about a data file, with evidence that an independent checker confirms in exact arithmetic.

    Made by :func:`certify`, or read from a file: ``Certificate("setosa.cert", "iris.csv")``.

    Attributes
    ----------
    text : str or None
        The certificate, JSON. None if no claim could be made.
    claims : list of str
        The claims that it makes.
    not_claimed : dict
        Claims that could not be made, and why.
    data : str
        The data file that it is about.
    verification : Verification or None
        The last answer of the checker.
    """

    def __init__(self, certificate: Path, data: Path, test: Optional[Path] = None) -> None:
        with open(certificate, encoding="utf-8") as file:
            text = file.read()
        try:
            self._set(text, [], os.fsdecode(data), None if test is None else os.fsdecode(test), None)
        except json.JSONDecodeError as error:
            raise ValueError(f"{os.fsdecode(certificate)}: not a certificate: {error}") from None

    @classmethod
    def _made(
        cls, text: Optional[str], tried: Sequence[Tuple[str, Optional[str]]], data: str, test: Optional[str], folder: Any
    ) -> "Certificate":
        certificate = cls.__new__(cls)
        certificate._set(text, tried, data, test, folder)
        return certificate

    def _set(
        self, text: Optional[str], tried: Sequence[Tuple[str, Optional[str]]], data: str, test: Optional[str], folder: Any
    ) -> None:
        self.text = text
        self.data = data
        self.test = test
        self.not_claimed: Dict[str, str] = {claim: python_words(why) for claim, why in tried if why is not None}
        self.claims: List[str] = [str(claim.get("claim")) for claim in self.content.get("claims", [])]
        self.verification: Optional[Verification] = None
        self._folder = folder  # of a text that we wrote: temporary, or None after it was saved
        self._own_text = folder is not None

    @property
    def content(self) -> Dict[str, Any]:
        """The certificate as a dictionary."""
        return {} if self.text is None else dict(json.loads(self.text))

    def verify(self, data: Optional[Path] = None, model: Optional[Path] = None) -> Verification:
        """Check every claim against the data file in exact arithmetic.

        The checker is that of the program ``halfspace-verify``, which shares no code with the learners.

        Parameters
        ----------
        data : str, optional
            The data file; by default the one that was certified.
        model : str, optional
            A model file, to be compared with the one that was certified.
        """
        if self.text is None:
            raise ValueError(f"no claim could be made: {self.not_claimed}")
        path = self.data if data is None else os.fsdecode(data)
        try:
            options = None if model is None else {"model": os.fsdecode(model)}
            answer = _core.verify(self.text, path, self.test, options, 0)
        except _core.Error as error:
            raise translate(error) from None
        said = answer[1].replace("(--model does that)", "(verify(model=...) does that)")
        self.verification = Verification(answer[0], python_words(said), python_words(answer[2]))
        return self.verification

    def save(self, path: Path) -> None:
        """Write the certificate. A data text that :func:`certify` made from arrays is written next to it."""
        if self.text is None:
            raise ValueError(f"no claim could be made: {self.not_claimed}")
        path = os.fsdecode(path)
        if self._own_text:
            self._save_text(path, os.path.splitext(path)[0] + os.path.splitext(self.data)[1])
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(self.text)
        os.replace(path + ".part", path)

    def _save_text(self, path: str, text: str) -> None:
        """Write the data text next to the certificate, but never over somebody's data."""
        if os.path.abspath(text) == os.path.abspath(path):
            raise ValueError(f"{path}: the data text goes to this file: choose a name with another ending, for example .cert")
        if not os.path.exists(text):
            shutil.copyfile(self.data, text + ".part")
            os.replace(text + ".part", text)
        elif not filecmp.cmp(self.data, text, shallow=False):
            raise FileExistsError(
                f"{text}: the data text goes to this file, which exists and has other contents: choose another name, or remove it"
            )
        self.data = text
        self._folder = None

    def __repr__(self) -> str:
        lines = [f"Certificate: {', '.join(self.claims) or 'no claim'}"]
        lines += [f"not claimed: {claim}: {why}" for claim, why in self.not_claimed.items()]
        if self.verification is not None:
            lines += [repr(self.verification)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What is claimed, and when it was verified."""
        answer = self.verification
        rows = []
        if answer is None:
            rows.append("<p>Not verified yet: call <code>verify()</code>.</p>")
        else:
            color = {"verified": "#1a7f37", "rejected": "#cf222e"}.get(answer.result, "#9a6700")
            when = answer.when.astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
            reason = f": {html.escape(answer.reason)}" if answer.reason else ""
            rows.append(f'<p><b style="color:{color}">{answer.result}</b> {when}{reason}</p>')
            items = "".join(f"<li>{html.escape(line)}</li>" for line in answer.established)
            rows.append(f"<ul>{items}</ul>")
        if self.not_claimed:
            items = "".join(
                f"<li>{html.escape(claim)}: {html.escape(why)}</li>" for claim, why in self.not_claimed.items()
            )
            rows.append(f"<p>Not claimed:</p><ul>{items}</ul>")
        claims = ", ".join(map(html.escape, self.claims)) or "no claim"
        return f"<div><p><b>Certificate</b>: {claims}; data: <code>{html.escape(self.data)}</code></p>{''.join(rows)}</div>"


def _csv_field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def write_exact(X: Any, y: Any, path: Path, feature_names: Optional[Sequence[str]] = None) -> None:
    """Write rows and labels as text with all digits: each number in the file is exactly the number in the array.

    Dense rows become CSV with names in the first line and the label last; sparse rows become libsvm text.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    path : str
    feature_names : sequence of str, optional
        Names of the columns. By default those of a data frame, or x1, x2, ...
    """
    names = _arrays.feature_names(X) if feature_names is None else feature_names
    sparse = _arrays.is_sparse(X)
    array = _arrays.as_csr(X) if sparse else _arrays.as_array(X)
    classes, labels = _arrays.encode(_arrays.column(y))
    _arrays.same_length(array.shape[0], labels)
    texts = [_arrays.class_name(label) for label in classes]
    if sparse:
        wrong = [text for text in texts if not text or any(c.isspace() or c in ":#" for c in text)]
        if wrong:
            raise ValueError(f"libsvm text cannot hold the class {wrong[0]!r}: rename it, or give X as a dense array")
        tidy = _arrays.tidy(X)
        rows: Any = _arrays.sparse_rows(tidy)
        header = ""
    else:
        rows = _arrays.to_rows(array)
        shown = [f"x{j + 1}" for j in range(array.shape[1])] if names is None else [str(name) for name in names]
        label = "label"
        while label in shown:
            label += "_"
        header = ",".join(map(_csv_field, [*shown, label])) + "\n"
        texts = [_csv_field(text) for text in texts]
    wrong_value = _arrays.explain_not_finite(array, "X", "")
    if wrong_value is not None:
        raise wrong_value
    if sparse:
        _arrays.check_exact(tidy.data, rows[0])
    else:
        _arrays.check_exact(np.asarray(X), rows)
    try:
        _core.write_exact(rows, labels, texts, header, os.fsdecode(path))
    except _core.Error as error:
        raise translate(error) from None


def _lists(options: Dict[str, Any]) -> Dict[str, Any]:
    """Options of certify; ``claim`` may be one name or several, classes are labels."""
    options = dict(options)
    claim = options.pop("claim", None)
    if options.get("positive") is not None:
        options["positive"] = _arrays.class_name(options["positive"])
    if options.get("classes") is not None and not isinstance(options["classes"], str):
        options["classes"] = ",".join(_arrays.class_name(label) for label in options["classes"])
    texts: Dict[str, Any] = dict(_texts(options))
    if claim is not None:
        texts["claim"] = [claim] if isinstance(claim, str) else list(claim)
    return texts


def certify(
    X: Any,
    y: Any = None,
    *,
    model: Any = None,
    path: Optional[Path] = None,
    read: Optional[Dict[str, Any]] = None,
    n_jobs: Optional[int] = -1,
    **options: Any,
) -> Certificate:
    """Prove statements about data: separable or not, the widest margin, the optimum of a model, its error.

    Every certificate was confirmed by the checker before it is returned (``certificate.verification``).

    Parameters
    ----------
    X : array, sparse matrix, or the path of a data file
        Arrays are certified through a text with all their digits (:func:`write_exact`), which is saved with the
        certificate, so that anybody can check the pair with ``halfspace-verify``.
    y : array, optional
        The labels; not for a file.
    model : fitted estimator or path of a model file, optional
        Also make claims about this model, which was trained on these rows.
    path : str, optional
        Save the certificate to this file, and the text of arrays next to it. Without it, both are temporary until
        ``certificate.save(path)``.
    read : dict, optional
        How to read a data file, as in :func:`read`.
    **options :
        ``claim`` (a name or several), ``offset``, ``margin_tolerance``, ``positive``, ``classes``, ``kernel``,
        ``test`` (a file), ``delta``: as in ``halfspace certify``.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> certificate = halfspace.certify(X, ["near", "near", "far", "far"])
    >>> certificate.claims
    ['separable']
    >>> bool(certificate.verify())
    True
    """
    from ._base import threads_of

    folder = None
    if isinstance(X, (str, os.PathLike)):
        if y is not None:
            raise ValueError("a data file has its own labels: leave y out")
        data = os.fsdecode(X)
    else:
        folder = _Folder()
        ending = ".svm" if _arrays.is_sparse(X) else ".csv"
        name = "data" if path is None else os.path.splitext(os.path.basename(os.fsdecode(path)))[0]
        data = os.path.join(folder.name, name + ending)
        write_exact(X, y, data)
    texts = _lists(options)
    model_path = None
    if model is not None:
        if isinstance(model, (str, os.PathLike)):
            model_path = os.fsdecode(model)
        else:
            folder = folder or _Folder()
            model_path = os.path.join(folder.name, "model.hsp")
            model.save(model_path)
    test = texts.get("test")
    try:
        with warnings.catch_warnings():
            if folder is not None and y is not None:  # all digits of our own text are meant
                warnings.simplefilter("ignore", UserWarning)
            text, tried = _core.certify(data, _texts(read or {}), model_path, texts, threads_of(n_jobs), None)
    except _core.Error as error:
        raise translate(error) from None
    own = folder if not isinstance(X, (str, os.PathLike)) else None
    certificate = Certificate._made(text, tried, data, test, own)
    if text is not None and not certificate.verify():
        raise RuntimeError(f"the checker does not accept this certificate: {certificate.verification}")
    if path is not None:
        certificate.save(path)
    return certificate


def verify(certificate: Path, data: Path, test: Optional[Path] = None) -> Verification:
    """Check a certificate file against its data file, as ``halfspace-verify`` does."""
    return Certificate(certificate, data, test).verify()


# ---- Bounds ----------------------------------------------------------------------------------------


class _Table:
    """A report with a list of bounds."""

    _columns: Tuple[str, ...] = ()

    def __init__(self, bounds: List[Dict[str, Any]]) -> None:
        self.bounds = bounds

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, name: str) -> Dict[str, Any]:
        for bound in self.bounds:
            if bound["name"] == name:
                return bound
        raise KeyError(name)

    def _cells(self) -> List[List[str]]:
        def shown(value: Any) -> str:
            if value is None:
                return "–"
            return f"{value:.6g}" if isinstance(value, float) else str(value)

        def cell(bound: Dict[str, Any], column: str) -> str:
            at_least = "≥ " if column == "bound" and bound.get("lower") else ""
            return at_least + shown(bound.get(column))

        return [[cell(bound, column) for column in self._columns] for bound in self.bounds if bound["applies"]]

    def _first(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        table = [list(self._columns), *self._cells()]
        widths = [max(len(row[j]) for row in table) for j in range(len(self._columns))]
        return "\n".join([self._first(), *("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in table)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{column}</th>" for column in self._columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in self._cells())
        return f"<p>{html.escape(self._first())}</p><table><tr>{head}</tr>{body}</table>"


class ErrorBounds(_Table):
    """Bounds on the true error of a model; iterate over it, or look one up by name.

    Attributes
    ----------
    report : dict
        All figures, as ``halfspace bound --json`` has them.
    lower, upper : float or None
        By the test rows: the true error is at least and at most this, each with confidence 1 - delta.
    """

    _columns = ("name", "value", "about", "formula")

    def __init__(self, report: Dict[str, Any]) -> None:
        super().__init__(report["bounds"])
        self.report = report
        self.lower: Optional[float] = report["true_error_least"]
        self.upper: Optional[float] = report["true_error_most"]

    def _first(self) -> str:
        return f"bounds on the true error, each with confidence {1 - self.report['delta']:.6g}"


def bound(model: Any, *, train: Any = None, test: Any = None, n_jobs: Optional[int] = -1, **options: Any) -> ErrorBounds:
    """Bound the error that a model will have on new rows.

    Parameters
    ----------
    model : fitted estimator
    train : (X, y), optional
        The rows that the model was trained on.
    test : (X, y), optional
        Rows that had no part in training or choosing the model.
    **options :
        ``delta`` (0.05), ``allow_overlap``, ``retrain``: as in ``halfspace bound``.

    Returns
    -------
    ErrorBounds

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]] * 25) + np.linspace(0, 0.5, 100)[:, None]
    >>> y = np.array([0, 0, 1, 1] * 25)
    >>> model = halfspace.LinearSVM().fit(X[:50], y[:50])
    >>> bounds = halfspace.bound(model, test=(X[50:], y[50:]))
    >>> round(bounds["test-binomial"]["value"], 4)
    0.0582
    """
    from ._base import threads_of

    if not hasattr(model, "_known_data"):
        raise TypeError(f"bound needs a fitted estimator of halfspace, got {type(model).__name__}; of a pipeline, give its last step and transformed rows")
    sets = [None if rows is None else model._known_data(*rows) for rows in (train, test)]
    try:
        text = _core.bound(model._fitted(), sets[0], sets[1], _texts(options), threads_of(n_jobs))
    except _core.Error as error:
        raise translate(error) from None
    return ErrorBounds(json.loads(text))


class Audit(_Table):
    """A run compared with the mistake bounds of the theory; iterate over it, or look one up by name.

    Attributes
    ----------
    held : bool
        No bound that applies was exceeded.
    separates : bool or None
        The widest separator was looked for, and separates the rows.
    margin : (float, float) or None
        The interval in which the widest margin is, in the space of the run: with ``offset="unit"`` its rows have a
        constant column, so it is not the margin that a certificate states.
    """

    _columns = ("name", "observed", "bound", "held", "formula")

    def __init__(self, bounds: List[Dict[str, Any]], separates: Optional[bool], low: float, high: float) -> None:
        super().__init__(bounds)
        self.separates = separates
        self.margin = (low, high) if separates else None
        self.held = all(bound["held"] for bound in bounds if bound["applies"])

    def _first(self) -> str:
        applying = sum(bool(bound["applies"]) for bound in self.bounds)
        if not applying:
            return "no bound applies: nothing was shown"
        return f"{applying} bounds apply; " + ("all held" if self.held else "one was EXCEEDED: these are not the rows of the run")


def audit(model: Any, X: Any, y: Any, reference: Any, disjunction: Optional[Sequence[Any]]) -> Audit:
    from ._base import threads_of

    data = model._known_data(X, y)
    own = model._fitted()
    learner = model._about()["metadata"].get("learner")
    if disjunction is not None:
        try:
            reference = _core.disjunction(own, [str(column) for column in disjunction])
        except _core.Error as error:
            raise translate(error) from None
    elif reference is not None:
        reference = reference._fitted()
    elif learner == "winnow":
        raise ValueError("an audit of Winnow needs a reference that separates the rows, or a disjunction")
    find = reference is None and learner == "perceptron"
    try:
        texts, separates, low, high = _core.audit(own, data, reference, find, threads_of(model._parameter("n_jobs", -1)), None)
    except _core.Error as error:
        raise translate(error) from None
    return Audit([json.loads(text) for text in texts], separates, low, high)
