"""What every estimator does. The classes with their parameters are in _estimators.py, which is generated from
the library's tables of options."""
from __future__ import annotations

import functools
import inspect
import json
import math
import os
from typing import Any, ClassVar, Dict, List, Optional, Self, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _arrays, _core
from ._errors import ConvergenceWarning, NotFittedError, NotSeparableError, like_sklearn, translate, warn
from ._figures import Figure, draw
from ._progress import progress_of

_BLOCK = 1 << 14  # rows that are converted at a time where a whole copy would only be thrown away


def threads_of(n_jobs: Optional[int]) -> int:
    """How many threads: None is 1, -1 all processors, -2 all but one, as in scikit-learn."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, (int, np.integer)):
        raise TypeError(f"n_jobs must be a whole number or None, got: {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    if n_jobs > 0:
        return min(int(n_jobs), 256)
    return 0 if n_jobs == -1 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seed_of(random_state: object) -> Optional[int]:
    """A seed from what scikit-learn accepts as random_state; None: the library's own."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    for draw_one in ("randint", "integers"):
        if hasattr(random_state, draw_one):
            return int(getattr(random_state, draw_one)(0, 2**31 - 1))
    raise ValueError(f"{random_state!r} cannot be used to seed a random number generator")


def text_of(value: object) -> str:
    """A value as an option's text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value)


class Handle:
    """A model of the library, and what it says of itself. Pickled as the bytes of its file."""

    __slots__ = ("model", "info")

    def __init__(self, model: Any) -> None:
        self.model = model
        self.info: Optional[Dict[str, Any]] = None

    def about(self) -> Dict[str, Any]:
        """Classes, scorers, metadata, ...: asked once."""
        if self.info is None:
            self.info = _core.model_info(self.model)
        return self.info

    def __reduce__(self) -> Any:
        return _handle_of_bytes, (_core.pack(self.model),)

    def __copy__(self) -> "Handle":
        return self  # models do not change

    def __deepcopy__(self, memo: Any) -> "Handle":
        return self


def _handle_of_bytes(packed: bytes) -> Handle:
    return Handle(_core.unpack(packed))


class BaseClassifier:
    """Methods and attributes that all classifiers share."""

    _learner: ClassVar[str] = ""
    # parameter: (option, the option's default as text)
    _options: ClassVar[Dict[str, Tuple[str, Optional[str]]]] = {}
    _estimator_type: ClassVar[str] = "classifier"
    _tags: ClassVar[Dict[str, bool]] = {}

    classes_: npt.NDArray[Any]
    n_features_in_: int
    n_iter_: int
    converged_: bool
    _handle: Optional[Handle]

    # ---- Parameters ------------------------------------------------------------------------------

    @classmethod
    def _parameter_names(cls) -> List[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters by name. ``deep`` changes nothing: no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, and return the estimator."""
        valid = self._parameter_names()
        for name, value in params.items():
            if name not in valid:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}(). Valid parameters are: {sorted(valid)!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if name not in defaults or repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _more_tags(self) -> Dict[str, Any]:
        return {"requires_y": True, "pairwise": self._parameter("kernel") == "precomputed", **self._tags}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(poor_score=self._tags.get("poor_score", False)),
            input_tags=InputTags(sparse=True, pairwise=self._parameter("kernel") == "precomputed"),
        )

    def _parameter(self, name: str, default: Any = None) -> Any:
        return getattr(self, name, default)

    @classmethod
    def _option_of(cls, name: str, value: Any) -> Any:
        """The text of a parameter as the option has it; estimators with scikit-learn's words translate."""
        return value

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _silent(cls) -> Dict[str, Any]:
        """Parameters whose defaults are the library's: with these values there is nothing to say."""
        signature = inspect.signature(cls.__init__).parameters
        silent = {}
        for name, (_, default) in cls._options.items():
            if name not in signature:  # a class of somebody's own
                continue
            value = cls._option_of(name, signature[name].default)
            if value is None or value is False or text_of(value) == default:
                silent[name] = signature[name].default
        return silent

    def _option_values(self) -> Dict[str, Union[str, List[str]]]:
        """The options that differ from the library's defaults, as text."""
        values: Dict[str, Union[str, List[str]]] = {}
        silent = self._silent()
        for name, (option, default) in self._options.items():
            value = getattr(self, name)
            if name in silent and value is silent[name]:
                continue
            if option == "seed":
                value = seed_of(value)
            elif option == "weight":
                if value is not None:
                    values[option] = self._class_weights(value)
                continue
            else:
                value = self._option_of(name, value)
            if value is None and option != "seed" and default not in (None, "none") and getattr(self, name) is None:
                raise ValueError(f"{name}=None has no meaning for {type(self).__name__}; the default is {default}")
            if value is None or value is False:
                continue
            text = text_of(value)
            if text != default:
                values[option] = text
        if "lambda" in values and values.get("C") == "1":
            del values["C"]
        return values

    def _class_weights(self, weight: Any) -> List[str]:
        if isinstance(weight, str):
            return [weight]
        if not isinstance(weight, dict):
            raise ValueError(f"class_weight must be dict, 'balanced', or None, got: {weight!r}")
        known = [_arrays.class_name(label) for label in self.classes_]
        names = {_arrays.class_name(label): value for label, value in weight.items()}
        without = [name for name in known if name not in names]
        if without and len(known) - len(without) != len(names):
            raise ValueError(f"The classes, {without}, are not in class_weight: {weight!r}")
        return [f"{name}={text_of(float(value))}" for name, value in names.items() if name in known]

    def _translate(self, error: Exception) -> Exception:
        return translate(error, {option: name for name, (option, _) in self._options.items()})

    # ---- Rows ------------------------------------------------------------------------------------

    def _rows(self, X: Any, reset: bool) -> Any:
        """X as an array (dense, of any layout) or sparse matrix of the right number of columns."""
        plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind == "f" and X.size
        names = None
        if not plain:
            names = _arrays.feature_names(X)
            X = _arrays.of_frame(X)
        sparse = not plain and _arrays.is_sparse(X)
        array = X if plain else _arrays.as_csr(X) if sparse else _arrays.as_array(X)
        if reset:
            self.n_features_in_ = int(array.shape[1])
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        else:
            self._check_names(names)
            if array.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {array.shape[1]} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input."
                )
        return array

    def _check_names(self, names: Optional[npt.NDArray[Any]]) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if names is None or fitted is None:
            if names is not None:
                warn(f"X has feature names, but {type(self).__name__} was fitted without feature names")
            elif fitted is not None:
                warn(f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names")
            return
        if len(names) == len(fitted) and np.all(names == fitted):
            return
        text = "The feature names should match those that were passed during fit.\n"

        def listed(title: str, some: Sequence[str]) -> str:
            shown = "".join(f"- {name}\n" for name in some[:5]) + ("- ...\n" if len(some) > 5 else "")
            return f"{title}:\n{shown}" if some else ""

        unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
        text += listed("Feature names unseen at fit time", unseen)
        text += listed("Feature names seen at fit time, yet now missing", missing)
        if not unseen and not missing:
            text += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(text)

    def _data(self, X: Any, labels: Any, weights: Any) -> Any:
        """A data set of the library that borrows the arrays."""
        names = getattr(self, "feature_names_in_", None)
        features = None if names is None or len(set(names)) < len(names) else [str(name) for name in names]
        classes = [_arrays.class_name(label) for label in self.classes_]
        threads = threads_of(self._parameter("n_jobs", -1))
        sparse = _arrays.is_sparse(X)
        if sparse and not X.data.all():  # stored zeros would change the last bits of results
            X = _arrays.tidy(X)
        rows = _arrays.sparse_rows(X) if sparse else _arrays.to_rows(X)
        try:
            return _core.data(rows, labels, classes, features, weights, False, threads)
        except _core.Error as error:
            wrong = _arrays.explain_not_finite(X, "X", type(self).__name__)
            if wrong is not None:
                raise wrong from None
            if not sparse or error.args[0] != "HSP_BAD_DATA":
                raise self._translate(error) from None
        try:  # columns not sorted, or duplicates
            return _core.data(_arrays.tidy_rows(X), labels, classes, features, weights, False, threads)
        except _core.Error as error:
            raise self._translate(error) from None

    # ---- Training --------------------------------------------------------------------------------

    def _set_classes(self, y: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        self.classes_, labels = _arrays.encode(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains "
                f"only 1 class: {self.classes_[0]!r}"
            )
        return labels

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        start = self.__dict__.get("_handle") if self._parameter("warm_start", False) else None
        before = None if start is None else (self.classes_, self.n_features_in_)
        self._handle = None  # an earlier model makes room, and is not used with other classes if this fails
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        array = self._rows(X, reset=True)
        y = _arrays.column(y)
        _arrays.same_length(array.shape[0], y)
        labels = self._set_classes(y)
        if before and (before[1] != self.n_features_in_ or not np.array_equal(before[0], self.classes_)):
            start = None
        self._run(array, labels, sample_weight, self._option_values(), start)
        self._warn_unless_converged()
        return self

    def _run(self, X: Any, labels: Any, sample_weight: Any, options: Any, start: Any) -> None:
        """Train, and set the attributes that a run has."""
        weights = _arrays.weights_of(sample_weight, X.shape[0])
        data = self._data(X, labels, weights)
        progress = progress_of(self._parameter("verbose", 0), type(self).__name__)
        threads = threads_of(self._parameter("n_jobs", -1))
        begin = None if start is None else start.model
        try:
            if progress is None:
                result = _core.train(self._learner, options, data, begin, threads, None)
            else:
                with progress:
                    result = _core.train(self._learner, options, data, begin, threads, progress)
        except _core.Error as error:
            raise self._translate(error) from None
        model, stop, passes, gap, evidence = result
        if model is None:
            of = "" if evidence["of"] is None else f" (class {evidence['of']})"
            raise NotSeparableError(
                f"No hyperplane separates the classes{of}: the rows {evidence['rows'][:10]} prove it, see the "
                "attribute evidence of this exception. Learn with errors allowed instead.",
                evidence,
            )
        self._handle = Handle(model)
        self.n_iter_ = max(1, int(passes))
        self.converged_ = stop == "converged"
        self._gap = gap
        self._stop = stop

    def _warn_unless_converged(self) -> None:
        """The last step of fit: with warnings as errors, the estimator is fitted nevertheless."""
        if self.converged_ or math.isnan(self._gap):
            return
        if self._stop == "stalled":
            warn(
                f"{type(self).__name__} did not converge: no step gets further (relative duality gap {self._gap:.3g}), because the values "
                "of X are very large, very small or of very different sizes. Scale the columns (scale='standard').",
                like_sklearn(ConvergenceWarning),
            )
            return
        target = self._parameter("tol", None)
        aim = "" if target is None else f" (target {target})"
        passes = f"{self.n_iter_} pass" + ("" if self.n_iter_ == 1 else "es")
        more = {"passes": "Increase max_iter", "seconds": "Increase max_seconds"}.get(self._stop, "Go on longer")
        warn(
            f"{type(self).__name__} did not converge ({self._stop}): after {passes} the relative duality gap is "
            f"{self._gap:.3g}{aim}. {more}, scale the columns (scale='standard'), or accept a larger tol.",
            like_sklearn(ConvergenceWarning),
        )

    # ---- Prediction ------------------------------------------------------------------------------

    def _fitted(self) -> Any:
        handle = self.__dict__.get("_handle")
        if handle is None:
            raise like_sklearn(NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        return handle.model

    def _scores(self, X: Any, classes: bool) -> Tuple[npt.NDArray[np.float64], Optional[npt.NDArray[np.uint32]]]:
        """The scores of the rows, one per scorer, and the numbers of their classes."""
        model = self._fitted()
        X = self._rows(X, reset=False)
        n = X.shape[0]
        scores = np.empty((n, len(self._about()["scorers"])))
        numbers = np.empty(n, dtype=np.uint32) if classes else None
        threads = threads_of(self._parameter("n_jobs", -1))
        try:
            if _arrays.is_sparse(X):
                _core.score(model, _arrays.sparse_rows(X), scores, numbers, threads)
            elif _arrays.usable(X):
                _core.score(model, X, scores, numbers, threads)
            else:
                for i in range(0, n, _BLOCK):
                    part = None if numbers is None else numbers[i : i + _BLOCK]
                    _core.score(model, _arrays.to_rows(X[i : i + _BLOCK]), scores[i : i + _BLOCK], part, threads)
        except _core.Error as error:
            wrong = _arrays.explain_not_finite(X, "X", type(self).__name__)
            if wrong is not None:
                raise wrong from None
            if not _arrays.is_sparse(X) or error.args[0] != "HSP_BAD_DATA":
                raise self._translate(error) from None
            try:  # columns not sorted, or duplicates
                _core.score(model, _arrays.tidy_rows(X), scores, numbers, threads)
            except _core.Error as error:
                raise self._translate(error) from None
        return scores, numbers

    def _about(self) -> Dict[str, Any]:
        """What the model says of itself."""
        self._fitted()
        assert self._handle is not None
        return self._handle.about()

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            A row on the boundary of a model with ``tie="zero"`` has no class: it gets None, in an array of objects.
        """
        numbers = self._scores(X, classes=True)[1]
        assert numbers is not None
        if self._about()["tie"] != "zero" or numbers.max() < len(self.classes_):
            return np.asarray(self.classes_[numbers])
        labels = np.array([*self.classes_.tolist(), None], dtype=object)
        return np.asarray(labels[np.minimum(numbers, len(self.classes_))])

    def _decision(self, X: Any) -> npt.NDArray[np.float64]:
        scores, _ = self._scores(X, classes=False)
        if len(self.classes_) == 2:
            return scores[:, 0]
        out = np.empty((len(scores), len(self.classes_)))
        _core.class_scores(self._fitted(), scores, out)
        return out

    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        scores, _ = self._scores(X, classes=False)
        out = np.empty((len(scores), len(self.classes_)))
        _core.probabilities(self._fitted(), scores, out)
        return out

    def _has_probabilities(self) -> bool:
        """Does a model with these parameters have probabilities?"""
        if self.__dict__.get("_handle") is not None:
            return bool(self._about()["has_probabilities"])
        return self._learner == "logistic" or self._parameter("calibrate", "none") != "none"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of the rows (or of their weight) that are predicted rightly."""
        predicted = self.predict(X)
        y = _arrays.column(y)
        _arrays.same_length(len(predicted), y)
        return float(np.average(_arrays.equal(predicted, y), weights=sample_weight))

    # ---- What was learned ------------------------------------------------------------------------

    def _weights(self) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        about = self._about()
        weights = np.empty((len(about["scorers"]), int(about["features"])))
        offsets = np.empty(len(about["scorers"]))
        if not _core.weights(self._fitted(), weights, offsets):
            raise AttributeError("the model is not linear in the columns of X, so it has no coef_ and intercept_")
        if weights.shape[1] < self.n_features_in_:
            weights = np.pad(weights, ((0, 0), (0, self.n_features_in_ - weights.shape[1])))
        return weights, offsets

    @property
    def gap_(self) -> float:
        """The relative duality gap, (objective - proven lower bound) / objective: at most this share of the objective can be
        saved by any other weights."""
        self._fitted()
        if math.isnan(self._gap):
            raise AttributeError(
                f"this {type(self).__name__} has no duality gap: it minimises no objective, or its kernel is indefinite"
            )
        return self._gap

    @property
    def report_(self) -> Dict[str, Any]:
        """All figures of the training run, as ``halfspace train --json`` has them."""
        text = _core.report(self._fitted())
        if text is None:
            raise AttributeError("the model was read from a file or a pickle, which does not keep the report of its run")
        return dict(json.loads(text))

    @property
    def metadata_(self) -> Dict[str, str]:
        """What the model file says of its training: learner, options, seed, hash of the data, ..."""
        return dict(self._about()["metadata"])

    # ---- Files, pickles --------------------------------------------------------------------------

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the model to a file that the command reads (``halfspace predict MODEL DATA``)."""
        try:
            _core.model_write(self._fitted(), os.fsdecode(path))
        except _core.Error as error:
            raise self._translate(error) from None

    # ---- Theory and figures ----------------------------------------------------------------------

    def _labelled(self, X: Any, y: Any) -> Any:
        """Rows and labels without a model."""
        array = self._rows(X, reset=True)
        y = _arrays.column(y)
        _arrays.same_length(array.shape[0], y)
        self.classes_, labels = _arrays.encode(y)
        return self._data(array, labels, None)

    def _known_data(self, X: Any, y: Any) -> Any:
        """Rows and labels for a fitted model."""
        self._fitted()
        array = self._rows(X, reset=False)
        y = _arrays.column(y)
        _arrays.same_length(array.shape[0], y)
        return self._data(array, _arrays.numbers_of(y, self.classes_), None)

    def audit(self, X: Any, y: Any, reference: Any = None, disjunction: Optional[Sequence[Any]] = None) -> Any:
        """Compare the run with every mistake bound of the theory (perceptron, winnow, experts).

        Parameters
        ----------
        X, y :
            The rows that the model was trained on.
        reference : fitted linear estimator, optional
            The separator w* of the bounds. Without it, the perceptron is compared with the widest separator;
            Winnow needs a reference or a disjunction.
        disjunction : sequence of column names or numbers (from 1), optional
            Winnow: the columns whose disjunction is the reference.

        Returns
        -------
        Audit
        """
        from ._proof import audit

        return audit(self, X, y, reference, disjunction)

    def plot(
        self, X: Any = None, y: Any = None, kind: str = "rows", ax: Any = None, axes: Any = None, **options: Any
    ) -> Figure:
        """Draw the model.

        Parameters
        ----------
        X, y : optional
            Rows and labels. Most kinds need them; ``"weights"`` does not.
        kind : str
            As in ``halfspace plot``: rows, slack, neighbors, roc, pr, calibration, lift, confusion, weights, importance,
            losses. :func:`plot` draws rows without a model.
        ax : matplotlib axes, optional
            Draw into these axes.
        axes : pair of column names or numbers (from 1), optional
            The columns of the plane that is drawn. By default the library chooses.
        **options :
            Options of the kind and of the figure (``title``, ``theme``, ``width``, ``height``).

        Returns
        -------
        Figure
            Shown as SVG in notebooks; ``figure.save("name.svg")`` writes it.
        """
        model = self._fitted()
        data = None if X is None else self._known_data(X, y)
        return draw(kind, [model], data, options, threads_of(self._parameter("n_jobs", -1)), ax, axes)


def _only_if(what: str, missing: str) -> Any:
    """A method that the object has only if it can be called, as scikit-learn's meta-estimators expect."""

    def get(self: Any) -> Any:
        if not self._has_probabilities():
            why = f": {missing}" if hasattr(self, "calibrate") or "calibrate" in self._options else ""
            raise AttributeError(f"this {type(self).__name__} has no {what}{why}")
        return self._probabilities

    return property(get, doc=f"{what}(X): the probabilities of the classes, shape (n_samples, n_classes).")


class _WithDecision(BaseClassifier):
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """The scores of the rows: positive means ``classes_[1]``. With more than two classes, one number per
        class, of which the highest wins.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._decision(X)

    predict_proba = _only_if("predict_proba", "give calibrate='platt' or 'isotonic'")

    @property
    def predict_log_proba(self) -> Any:
        """predict_log_proba(X): the logarithms of the probabilities of the classes."""
        probabilities = self.predict_proba
        return lambda X: np.log(probabilities(X))


class _Weighted(BaseClassifier):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64 arrays with contiguous rows, and CSR matrices, are not copied.
        y : array of shape (n_samples,)
            The classes: numbers or text.
        sample_weight : array of shape (n_samples,), optional
            How many copies each row counts as in the objective. Scalings, ``gamma="scale"`` and the folds of ``calibrate``
            look at the rows without weights.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)


class _Unweighted(BaseClassifier):
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64 arrays with contiguous rows, and CSR matrices, are not copied.
        y : array of shape (n_samples,)
            The classes: numbers or text.

        Returns
        -------
        self
        """
        return self._fit(X, y)


class _Linear(_WithDecision):
    """Models s(x) = <w, x> + b."""

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The weights of the columns of X as given, scaling undone: shape (n_scores, n_features)."""
        return self._weights()[0]

    @property
    def intercept_(self) -> npt.NDArray[np.float64]:
        """The offsets b: shape (n_scores,)."""
        return self._weights()[1]


class _Online(_Linear):
    """Learners that see one row after the other."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning, with one pass over these rows.

        Parameters
        ----------
        X, y :
            As in ``fit``.
        classes : array, optional
            All classes that will ever come. Needed in the first call.

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, classes)

    def _partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        first = self.__dict__.get("_handle") is None
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        array = self._rows(X, reset=first)
        y = _arrays.column(y)
        _arrays.same_length(array.shape[0], y)
        if first:
            self._set_classes(np.asarray(classes))
        elif classes is not None and not np.array_equal(self.classes_, np.unique(np.asarray(classes))):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        labels = _arrays.numbers_of(y, self.classes_)
        options = self._option_values()
        options["passes"] = "1"
        options.pop("max-passes", None)
        self._run(array, labels, None, options, None if first else self._handle)
        return self
