"""Any learner by its name."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Self, Union

from . import _core
from ._base import _Online, text_of



class Classifier(_Online):
    """Any learner of the library by its name, with options as on the command line.

    Parameters
    ----------
    learner : str
        ``"perceptron"``, ``"winnow"``, ``"experts"``, ``"svm"``, ``"logistic"``, ``"lp"`` or ``"knn"``.
    n_jobs : int or None
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int
        1 shows progress.
    **options :
        The learner's options, with underscores: ``Classifier("svm", C=10, max_passes=100)``. ``lambda`` is a word
        of Python: write ``lambda_``.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    gap_ : float
        The relative duality gap, of learners that minimise.
    coef_, intercept_ : ndarray
        Of linear models.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> halfspace.Classifier("perceptron", passes="until-converged").fit(X, [0, 0, 1, 1]).predict(X).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, learner: str = "svm", *, n_jobs: Optional[int] = -1, verbose: int = 0, **options: Any) -> None:
        self.learner = learner
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.__dict__.update(options)

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters by name, the options among them."""
        names = [name for name in vars(self) if name == "lambda_" or not (name.startswith("_") or name.endswith("_"))]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, and return the estimator."""
        self.__dict__.update(params)
        return self

    @property
    def _learner(self) -> str:  # type: ignore[override]
        return self.learner

    def _known(self) -> Dict[str, Dict[str, Any]]:
        for table in _core.tables("learner"):
            if table["name"] == self.learner:
                return {str(option["name"]): option for option in table["options"]}
        names = [table["name"] for table in _core.tables("learner")]
        raise ValueError(f"there is no learner {self.learner!r}; there are {', '.join(names)}")

    def _option_values(self) -> Dict[str, Union[str, List[str]]]:
        values: Dict[str, Union[str, List[str]]] = {}
        self._known()
        for name, value in self.get_params().items():
            if name in ("learner", "n_jobs", "verbose"):
                continue
            option = name.rstrip("_").replace("_", "-")
            if value is None or value is False:
                continue
            if option == "weight":
                values[option] = self._class_weights(value)
            elif isinstance(value, (list, tuple)):
                values[option] = [text_of(item) for item in value]
            else:
                values[option] = text_of(value)
        return values

    @property
    def fit(self) -> Any:
        """fit(X, y, sample_weight=None): learn from rows. Perceptron, winnow, experts and knn have no ``sample_weight``."""
        tables = [table for table in _core.tables("learner") if table["name"] == self.learner]
        weighted = any(option["name"] == "row-weight" for table in tables for option in table["options"])
        return self._fit if weighted else self._fit_unweighted

    def _fit_unweighted(self, X: Any, y: Any) -> Self:
        return self._fit(X, y)

    @property
    def partial_fit(self) -> Any:
        """partial_fit(X, y, classes=None): go on learning, with one pass over these rows. Of online learners."""
        if self.learner not in ("perceptron", "winnow", "experts"):
            raise AttributeError(f"the learner {self.learner} does not learn row by row")
        return self._partial_fit
