"""What some estimators have in addition: scikit-learn's words for our options, support vectors, neighbours."""
from __future__ import annotations

import math
import numbers
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _arrays, _core
from ._base import BaseClassifier, threads_of
from ._errors import warn

# scikit-learn's values of parameters, and ours
_VALUES: Dict[str, Dict[object, str]] = {
    "fit_intercept": {True: "free", False: "none"},
    "loss": {"squared_hinge": "squared"},
    "multi_class": {"crammer_singer": "crammer-singer", "multinomial": "softmax", "auto": "softmax"},
    "solver": dict.fromkeys(["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"], "auto"),
    "weights": {"uniform": "majority"},
    "metric": {"minkowski": "l2", "euclidean": "l2", "manhattan": "l1", "cityblock": "l1", "chebyshev": "linf"},
}


class _SklearnWords(BaseClassifier):
    @classmethod
    def _option_of(cls, name: str, value: Any) -> Any:
        if name == "max_iter" and value == -1:  # no limit, in scikit-learn's SVC
            return None
        values = _VALUES.get(name, {})
        try:
            return values.get(value, value)
        except TypeError:
            return value


class _SVC(_SklearnWords):
    """Kernels as scikit-learn names them, support vectors, dual coefficients."""

    support_: npt.NDArray[np.int64]
    support_vectors_: Any
    dual_coef_: npt.NDArray[np.float64]
    n_support_: npt.NDArray[np.int64]

    def _more_tags(self) -> Dict[str, Any]:
        tags, tol = super()._more_tags(), self._parameter("tol")
        if self._parameter("kernel") != "linear" and not (isinstance(tol, float) and tol <= 1e-8):
            why = "rows in another order give the same optimum only up to the duality gap tol; SVC(tol=1e-9) passes"
            tags["_xfail_checks"] = {"check_sample_weights_invariance": why}
        return tags

    def _has_probabilities(self) -> bool:
        unfitted = self.__dict__.get("_handle") is None
        return (unfitted and bool(self._parameter("probability"))) or super()._has_probabilities()

    def _gamma(self) -> Union[float, str]:
        """The parameter gamma: a number, "scale" or "auto"."""
        gamma = self._parameter("gamma")
        if gamma is None or (isinstance(gamma, str) and gamma in ("scale", "auto")):
            return gamma or "scale"
        if isinstance(gamma, numbers.Real) and 0 < float(gamma) < math.inf:
            return float(gamma)
        raise ValueError(f"gamma: found {gamma!r}, expected a number above 0, 'scale' or 'auto'")

    def _kernel(self, variance: Optional[float]) -> str:
        """The kernel expression. ``variance``: of all entries of X, where it is needed."""
        kernel, gamma = self._parameter("kernel"), self._gamma()
        if kernel not in ("poly", "sigmoid"):
            if gamma == "auto":
                return {"rbf": "rbf(1/d)"}.get(kernel, str(kernel))
            return str(kernel)
        if gamma == "scale":
            assert variance is not None
            gamma = 1 / (self.n_features_in_ * variance) if variance > 0 else 1.0
        elif gamma == "auto":
            gamma = 1 / self.n_features_in_
        gamma, r = float(gamma), float(self._parameter("coef0"))
        if kernel == "sigmoid":
            return f"sigmoid({gamma!r}, {r!r})"
        degree = self._parameter("degree")
        if not isinstance(degree, numbers.Integral) or degree < 1:
            raise ValueError(f"degree: found {degree!r}, expected a whole number of 1 or more")
        return f"{gamma**degree!r}*poly({degree}, {r / gamma!r})"

    def _run(self, X: Any, labels: Any, sample_weight: Any, options: Any, start: Any) -> None:
        kernel, gamma = self._parameter("kernel"), self._gamma()
        options = dict(options)
        for name in ("kernel", "gamma"):
            options.pop(name, None)
        if kernel == "linear":
            for name in ("cache-mb", "allow-indefinite"):
                options.pop(name, None)
            options["keep-dual"] = "yes"
        else:
            variance = None
            if gamma == "scale" and kernel in ("poly", "sigmoid"):
                for name in ("scale", "normalize"):
                    if self._parameter(name) != "none":
                        raise ValueError(
                            f"gamma='scale' of the kernel {kernel} depends on the variance of X, which {name}={self._parameter(name)!r} "
                            "changes: give gamma as a number, or scale X before fit"
                        )
                weights = _arrays.weights_of(sample_weight, len(labels))  # rows of weight 0 take no part
                variance = _variance(X if weights is None else X[weights > 0])
            options["kernel"] = self._kernel(variance)
            if kernel == "sigmoid":
                options["allow-indefinite"] = "yes"
            if not isinstance(gamma, str) and kernel not in ("poly", "sigmoid"):
                options["gamma"] = repr(gamma)
        if self._parameter("probability"):
            options["calibrate"] = "platt"
        super()._run(X, labels, sample_weight, options, start)
        if "sigmoid" in str(kernel):  # it may be indefinite: no lower bound is known, so the gap says nothing
            self._gap = math.nan
        self._set_support(X, np.asarray(labels))

    def _decision(self, X: Any) -> npt.NDArray[np.float64]:
        """One-vs-one as in scikit-learn: the votes of a class, plus its sum of scores shrunk to (-1/3, 1/3)."""
        if not self._about()["one_vs_one"]:
            return super()._decision(X)
        scores, _ = self._scores(X, classes=False)
        votes = np.zeros((len(scores), len(self.classes_)))
        sums = np.zeros_like(votes)
        for column, (second, first) in zip(scores.T, self._about()["scorers"]):
            sums[:, second] += column
            sums[:, first] -= column
            votes[:, second] += column > 0
            votes[:, first] += column <= 0
        return votes + sums / (3 * (np.abs(sums) + 1))

    def _weights(self) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        weights, offsets = super()._weights()
        if self._about()["one_vs_one"]:  # scikit-learn's sign: positive is the first class of a pair
            return -weights, -offsets
        return weights, offsets

    def _set_support(self, X: Any, labels: npt.NDArray[Any]) -> None:
        """Support rows by class, and dual coefficients in scikit-learn's order: with two classes one row; with
        more, row j of a row of class c is about its problem against the j-th of the other classes."""
        rows, dense = self._duals(len(labels))
        order = np.lexsort((rows, labels[rows]))
        self.support_ = rows[order].astype(np.int64)
        if _arrays.is_sparse(X):  # with indices of one type, which scipy wants
            X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
        self.support_vectors_ = X[self.support_]
        of = labels[self.support_]
        self.n_support_ = np.bincount(of, minlength=len(self.classes_)).astype(np.int64)
        dense = dense[:, order]
        pairs = self._about()["scorers"]
        if len(pairs) == 1 or not self._about()["one_vs_one"]:
            self.dual_coef_ = dense
            return
        dual = np.zeros((len(self.classes_) - 1, len(of)))
        for coefficients, (second, first) in zip(dense, pairs):  # positive scores: the second class of the pair
            ours = of == first
            dual[second - 1, ours] = -coefficients[ours]
            ours = of == second
            dual[first, ours] = -coefficients[ours]
        self.dual_coef_ = dual

    def _duals(self, n: int) -> Tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The support rows, ascending, and their dual coefficients, one line per scorer."""
        numbers, lists = _core.support(self._fitted())
        if lists:
            rows = np.asarray(numbers)
            order = np.argsort(rows, kind="stable")
            return rows[order], np.array([np.asarray(one)[order] for one in lists])
        row, scorer, amount = (np.asarray(part) for part in _core.row_coefficients(self._fitted()))
        rows = np.unique(row)
        dense = np.zeros((len(self._about()["scorers"]), len(rows)))
        dense[scorer, np.searchsorted(rows, row)] = amount
        return rows, dense


def _variance(X: Any) -> float:
    """Of all entries of X, zeros of sparse rows included."""
    if not _arrays.is_sparse(X):
        return float(np.var(X, dtype=np.float64))
    X = X.astype(np.float64)  # squares of small integers are large
    count = float(X.shape[0]) * float(X.shape[1])
    mean = float(X.sum()) / count
    return float(X.multiply(X).sum()) / count - mean * mean


class _LinearSVM(_SklearnWords):
    """Parameters of LinearSVC."""

    def _option_values(self) -> Dict[str, Union[str, List[str]]]:
        values = super()._option_values()
        if "hard" in values and self._parameter("loss") == "squared_hinge":  # the default: a hard margin has no loss
            del values["loss"]
        return values


class _Neighbors(_SklearnWords):
    """Neighbours of rows, and their votes as probabilities."""

    _fit_X_rows: int

    def _run(self, X: Any, labels: Any, sample_weight: Any, options: Any, start: Any) -> None:
        if isinstance(self._parameter("n_neighbors"), (int, np.integer)) and self._parameter("n_neighbors") > X.shape[0]:
            options = {**options, "k": str(X.shape[0])}
            warn(f"n_neighbors is {self._parameter('n_neighbors')}, and there are {X.shape[0]} rows: all of them vote")
        super()._run(X, labels, sample_weight, options, start)
        self._fit_X_rows = int(X.shape[0])

    def _neighbors(self, X: Any, k: int) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        model = self._fitted()
        array = self._rows(X, reset=False)
        n = array.shape[0]
        rows = _arrays.tidy_rows(array) if _arrays.is_sparse(array) else _arrays.to_rows(array)
        distances, numbers = np.empty((n, k)), np.empty((n, k), dtype=np.int64)
        classes = np.empty((n, k), dtype=np.uint32)
        try:
            _core.neighbors(model, rows, k, distances, numbers, classes, threads_of(self._parameter("n_jobs", -1)))
        except _core.Error as error:
            raise (_arrays.explain_not_finite(array, "X", type(self).__name__) or self._translate(error)) from None
        return distances, numbers, classes

    @property
    def n_neighbors_(self) -> int:
        """How many neighbours vote: ``n_neighbors``, or what ``"auto"`` chose."""
        return int(self._about()["metadata"]["k"]) if "k" in self._about()["metadata"] else int(self._parameter("n_neighbors"))

    def kneighbors(
        self, X: Any, n_neighbors: Optional[int] = None, return_distance: bool = True
    ) -> Union[npt.NDArray[np.int64], Tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
        """The nearest training rows of each row, nearest first.

        Returns
        -------
        distances, indices : ndarrays of shape (n_samples, n_neighbors)
            Only the indices if ``return_distance`` is false.
        """
        distances, numbers, _ = self._neighbors(X, self._votes() if n_neighbors is None else int(n_neighbors))
        return (distances, numbers) if return_distance else numbers

    def _votes(self) -> int:
        return min(self.n_neighbors_, self._fit_X_rows)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The share of the votes that each class has among the neighbours: shape (n_samples, n_classes)."""
        return self._probabilities(X)
