"""Files: data and models."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _arrays, _core
from ._base import Handle, _Linear, threads_of
from ._classifier import Classifier
from ._errors import translate
from ._figures import Figure, _texts, draw
from ._progress import progress_of

Path = Union[str, "os.PathLike[str]"]


class Dataset:
    """Rows of a file. ``X, y = halfspace.read(path)`` works, too.

    Attributes
    ----------
    data : ndarray or scipy.sparse.csr_matrix of shape (n_samples, n_features)
    target : ndarray of shape (n_samples,) or None
        The labels: whole numbers if all are, else numbers or text.
    feature_names : list of str or None
    target_names : list of str
        The names of the classes, in the order in which the file has them.
    frame : pandas.DataFrame or None
        Rows and labels, on request.
    """

    def __init__(self, data: Any, target: Optional[npt.NDArray[Any]], features: Optional[List[str]], classes: List[str]) -> None:
        self.data = data
        self.target = target
        self.feature_names = features
        self.target_names = classes
        self.frame: Any = None
        self._source: Any = None

    def __iter__(self) -> Iterator[Any]:
        return iter((self.data, self.target))

    def __repr__(self) -> str:
        rows, cols = self.data.shape
        return f"<Dataset: {rows} rows, {cols} features, {len(self.target_names)} classes>"


def read(
    path: Union[Path, Sequence[Path]],
    *,
    as_frame: bool = False,
    like: Optional[Dataset] = None,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: Any,
) -> Dataset:
    """Read a CSV, TSV, libsvm or binary file, compressed or not.

    Text columns become indicator columns, as in the command. The arrays are the memory of the reader: read-only,
    and not copied.

    Parameters
    ----------
    path : str or list of str
        One file, or several whose rows follow each other.
    as_frame : bool
        Also make a pandas data frame: ``dataset.frame``, with the label as its last column.
    like : Dataset, optional
        Read the columns as those of this data set were: the same features in the same order, with its categories and means.
        Categories that it does not have become zeros, with a warning. So training rows and new rows are read alike.
    **options :
        As in the command, with underscores: ``label``, ``header``, ``separator``, ``missing``, ``na``, ``categorical``,
        ``ignore``, ``storage``, ``precision``, ...

    Returns
    -------
    Dataset
    """
    paths = [path] if isinstance(path, (str, bytes, os.PathLike)) else list(path)
    joined = "\n".join(os.fsdecode(p) for p in paths)
    texts: Dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, (list, tuple)):
            texts[name.replace("_", "-")] = [str(item) for item in value]
        else:
            texts.update(_texts({name: value}))
    like_data = None if like is None else like._source
    progress = progress_of(verbose, "read")
    try:
        if progress is None:
            data = _core.data_read(joined, texts, like_data, threads_of(n_jobs), None)
        else:
            with progress:
                data = _core.data_read(joined, texts, like_data, threads_of(n_jobs), progress)
    except _core.Error as error:
        if error.args[0] == "HSP_IO" and not os.path.exists(paths[0]):
            raise FileNotFoundError(str(translate(error))) from None
        raise translate(error) from None
    rows, cols, values, columns, starts, labels, classes, features = _core.data_arrays(data)
    if columns is None:
        X: Any = np.asarray(values)
    else:
        import scipy.sparse

        ones = np.ones(len(memoryview(columns)), dtype=np.float32) if values is None else np.asarray(values)
        offsets = np.asarray(starts)
        small = offsets[-1] < 2**31 and cols < 2**31
        kind = np.int32 if small else np.int64
        indices = np.asarray(columns)
        indices = indices.view(np.int32) if small else indices.astype(np.int64)
        X = scipy.sparse.csr_matrix((ones, indices, offsets.astype(kind)), shape=(rows, cols), copy=False)
    y = None if labels is None else _arrays.labels_of_names(classes)[np.asarray(labels)]
    dataset = Dataset(X, y, features, classes)
    dataset._source = data
    if as_frame:
        import pandas

        names = features if features is not None else [f"x{j + 1}" for j in range(cols)]
        frame = (
            pandas.DataFrame(X, columns=names)
            if columns is None
            else pandas.DataFrame.sparse.from_spmatrix(X, columns=names)
        )
        if y is not None:
            label = "label"
            while label in names:
                label += "_"
            frame[label] = y
        dataset.frame = frame
    return dataset


def plot(
    X: Any = None,
    y: Any = None,
    kind: str = "rows",
    *,
    files: Sequence[Path] = (),
    ax: Any = None,
    axes: Any = None,
    n_jobs: Optional[int] = -1,
    **options: Any,
) -> Figure:
    """Draw rows, or files that a run wrote, without a model.

    Parameters
    ----------
    X, y : optional
        Rows and labels.
    kind : str
        ``"rows"``; ``"hulls"``: the convex hulls of two classes, with their nearest points or a common one; ``"learning"``:
        scores of a learner over growing parts of the rows; ``"steps"`` and ``"mistakes"``: the updates of a perceptron run, from
        the file of its parameter ``trace`` (``"steps"`` also needs the rows); ``"convergence"``: from the file of the
        parameter ``convergence``.
    files : sequence of str
        The files that the kind is made from.
    ax : matplotlib axes, optional
        Draw into these axes.
    axes : pair of column names or numbers (from 1), optional
        The columns of the plane that is drawn.
    **options :
        Options of the kind, as of ``halfspace plot``, and of the figure (``title``, ``theme``, ``width``, ``height``).

    Returns
    -------
    Figure

    Examples
    --------
    >>> import halfspace
    >>> figure = halfspace.plot([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]], [0, 0, 1, 1], "hulls")
    >>> figure.svg.startswith("<svg")
    True
    """
    data = None if X is None else Classifier()._labelled(X, y)
    return draw(kind, [], data, options, threads_of(n_jobs), ax, axes, files)


# ---- Models ----------------------------------------------------------------------------------------


class LoadedModel(_Linear):
    """A model that was read from a file: it predicts, and is not trained again.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ :
        As of the estimator that was saved, or of the command's training data.
    """

    def __init__(self) -> None:
        pass

    def _check_names(self, names: Optional[npt.NDArray[Any]]) -> None:
        if names is not None and hasattr(self, "feature_names_in_"):  # plain arrays are as good: the file was text
            super()._check_names(names)

    @property
    def gap_(self) -> float:
        """The relative duality gap that the file records."""
        recorded = self._about()["metadata"].get("gap")
        if recorded is None:
            raise AttributeError("the model file records no duality gap")
        return float(recorded)

    def fit(self, X: Any, y: Any) -> "LoadedModel":
        """A loaded model is not trained again."""
        raise TypeError("a model that was read from a file cannot be fitted: make an estimator, for example halfspace.SVC()")

    def __repr__(self) -> str:
        if self.__dict__.get("_handle") is None:
            return "<LoadedModel: none was loaded>"
        about = self._about()
        return f"<LoadedModel: {about['metadata'].get('learner', about['hypothesis'])}, classes {', '.join(about['classes'])}>"


def load(path: Path) -> LoadedModel:
    """Read a model that ``save`` or the command wrote, or a LIBSVM or LIBLINEAR model.

    Class names that are all whole numbers become integers, those that are all numbers floats; False and True become
    truth values; other names are text.
    """
    try:
        model = _core.model_read(os.fsdecode(path))
    except _core.Error as error:
        if error.args[0] == "HSP_IO" and not os.path.exists(path):
            raise FileNotFoundError(str(translate(error))) from None
        raise translate(error) from None
    loaded = LoadedModel()
    loaded._handle = Handle(model)
    loaded._gap = float("nan")
    about = loaded._about()
    loaded._learner = about["metadata"].get("learner", "")  # type: ignore[misc]
    loaded.classes_ = _arrays.labels_of_names(about["classes"])
    loaded.n_features_in_ = int(about["features"])
    if about["feature_names"] is not None:
        loaded.feature_names_in_ = np.array(about["feature_names"], dtype=object)
    return loaded


def load_libsvm_model(path: Path) -> LoadedModel:
    """Read a model file of LIBSVM or LIBLINEAR; it predicts what those programs predict."""
    return load(path)
