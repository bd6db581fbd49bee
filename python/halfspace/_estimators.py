"""The estimators: generated from the library's tables of options by python/generate.py. Do not edit."""
from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Union

from ._base import _Linear, _Online, _Unweighted, _Weighted, _WithDecision
from ._compat import _SVC, _LinearSVM, _Neighbors, _SklearnWords


class Perceptron(_Unweighted, _Online):
    """Rosenblatt's perceptron, with its classical variants.

    On each mistake the row is added to the weights, or subtracted. If a separator of margin gamma exists, there are
    at most (R / gamma)^2 mistakes; ``audit`` compares a run with its bounds.

    Parameters
    ----------
    offset : {"none", "unit", "r2", "append"}, default="unit"
        How the offset b learns: none: b = 0; unit: b += y; r2: b += y R^2; append: weight of a constant column.
    constant : float, default=1.0
        Value of the constant column of offset="append".
    order : {"cyclic", "shuffle", "first", "worst", "random"}, default="cyclic"
        Order of the rows: as in X, shuffled in each pass, or one mistake at a time picked among all rows.
    passes : int or str, default=10
        Number of passes at most, or until a pass has no mistakes.
    max_passes : int, default=1000
        Limit of passes until-converged.
    max_updates : int, default=0
        Maximum number of updates; 0: no limit.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    average : {"none", "average", "vote"}, default="none"
        Use the last separator, the mean of all, or the vote of all.
    margin_target : float or str, default=0
        Also learn from rows with y s(x) below this: a number, or "0.1r" for 0.1 times the largest row norm.
    soft : float, default=0.0
        Give every row an extra coordinate of this size of its own, which makes any data separable; 0: none.
    rate : float, default=1.0
        Learning rate of an update.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    multi_class : {"native", "ovr", "ovo"}, default="native"
        More than two classes: the learner's own form, one-vs-rest, or one-vs-one.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    trace : str or None, default=None
        Write one CSV line per update to this file.
    reference : str or None, default=None
        With trace: compare each update with this separator, along the proof of the mistake bound.
    warm_start : bool, default=False
        Begin at the result of the last call of fit.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    coef_ : ndarray of shape (n_scores, n_features)
        Weights of the columns of X as given, scaling undone.
    intercept_ : ndarray of shape (n_scores,)
        Offsets. Like ``coef_``, only if the model is linear in the columns.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> model = halfspace.Perceptron(passes="until-converged").fit(X, y)
    >>> model.predict(X).tolist()
    [0, 0, 1, 1]
    >>> model.audit(X, y).held
    True
    """

    _learner = "perceptron"
    _options = {
        "offset": ("offset", "unit"),
        "constant": ("constant", "1"),
        "order": ("order", "cyclic"),
        "passes": ("passes", "10"),
        "max_passes": ("max-passes", "1000"),
        "max_updates": ("max-updates", "0"),
        "max_seconds": ("max-seconds", "0"),
        "average": ("average", "none"),
        "margin_target": ("margin-target", "0"),
        "soft": ("soft", "0"),
        "rate": ("rate", "1"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "multi_class": ("multiclass", "native"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
        "trace": ("trace", None),
        "reference": ("reference", None),
    }

    def __init__(
        self,
        *,
        offset: Literal["none", "unit", "r2", "append"] = "unit",
        constant: float = 1.0,
        order: Literal["cyclic", "shuffle", "first", "worst", "random"] = "cyclic",
        passes: Union[int, str] = 10,
        max_passes: int = 1000,
        max_updates: int = 0,
        max_seconds: float = 0.0,
        average: Literal["none", "average", "vote"] = "none",
        margin_target: Union[float, str] = 0,
        soft: float = 0.0,
        rate: float = 1.0,
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        multi_class: Literal["native", "ovr", "ovo"] = "native",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        trace: Optional[str] = None,
        reference: Optional[str] = None,
        warm_start: bool = False,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.offset = offset
        self.constant = constant
        self.order = order
        self.passes = passes
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.average = average
        self.margin_target = margin_target
        self.soft = soft
        self.rate = rate
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.multi_class = multi_class
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.trace = trace
        self.reference = reference
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelPerceptron(_Unweighted, _WithDecision):
    """The perceptron in the feature space of a kernel.

    The model is a sum of kernels at the rows on which it made mistakes.

    Parameters
    ----------
    offset : {"none", "unit", "r2", "append"}, default="unit"
        How the offset b learns: none: b = 0; unit: b += y; r2: b += y R^2; append: weight of a constant column.
    constant : float, default=1.0
        Value of the constant column of offset="append".
    order : {"cyclic", "shuffle", "first", "worst", "random"}, default="cyclic"
        Order of the rows: as in X, shuffled in each pass, or one mistake at a time picked among all rows.
    passes : int or str, default=10
        Number of passes at most, or until a pass has no mistakes.
    max_passes : int, default=1000
        Limit of passes until-converged.
    max_updates : int, default=0
        Maximum number of updates; 0: no limit.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    average : {"none", "average", "vote"}, default="none"
        Use the last separator, the mean of all, or the vote of all.
    margin_target : float or str, default=0
        Also learn from rows with y s(x) below this: a number, or "0.1r" for 0.1 times the largest row norm.
    soft : float, default=0.0
        Give every row an extra coordinate of this size of its own, which makes any data separable; 0: none.
    rate : float, default=1.0
        Learning rate of an update.
    kernel : str, default="rbf"
        Learn in the feature space of this kernel, for example rbf, rbf(0.5) or poly(3,1).
    gamma : float or None, default=None
        Kernel: factor of rbf, instead of its default 1/(d var).
    allow_indefinite : bool, default=False
        Accept kernel expressions that are not guaranteed to be positive semidefinite.
    approx : str or None, default=None
        Approximate the kernel by M explicit features: "nystrom:M" (from M rows) or "fourier:M".
    budget : int, default=0
        Kernel: maximum number of rows to keep; the one that changes w least is dropped; 0: no limit.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    multi_class : {"native", "ovr", "ovo"}, default="native"
        More than two classes: the learner's own form, one-vs-rest, or one-vs-one.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> halfspace.KernelPerceptron(kernel="poly(2, 1)", passes=100).fit(X, [0, 0, 1, 1]).predict(X).tolist()
    [0, 0, 1, 1]
    """

    _learner = "perceptron"
    _options = {
        "offset": ("offset", "unit"),
        "constant": ("constant", "1"),
        "order": ("order", "cyclic"),
        "passes": ("passes", "10"),
        "max_passes": ("max-passes", "1000"),
        "max_updates": ("max-updates", "0"),
        "max_seconds": ("max-seconds", "0"),
        "average": ("average", "none"),
        "margin_target": ("margin-target", "0"),
        "soft": ("soft", "0"),
        "rate": ("rate", "1"),
        "kernel": ("kernel", None),
        "gamma": ("gamma", None),
        "allow_indefinite": ("allow-indefinite", "no"),
        "approx": ("approx", None),
        "budget": ("budget", "0"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "multi_class": ("multiclass", "native"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
    }

    def __init__(
        self,
        *,
        offset: Literal["none", "unit", "r2", "append"] = "unit",
        constant: float = 1.0,
        order: Literal["cyclic", "shuffle", "first", "worst", "random"] = "cyclic",
        passes: Union[int, str] = 10,
        max_passes: int = 1000,
        max_updates: int = 0,
        max_seconds: float = 0.0,
        average: Literal["none", "average", "vote"] = "none",
        margin_target: Union[float, str] = 0,
        soft: float = 0.0,
        rate: float = 1.0,
        kernel: str = "rbf",
        gamma: Optional[float] = None,
        allow_indefinite: bool = False,
        approx: Optional[str] = None,
        budget: int = 0,
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        multi_class: Literal["native", "ovr", "ovo"] = "native",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.offset = offset
        self.constant = constant
        self.order = order
        self.passes = passes
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.average = average
        self.margin_target = margin_target
        self.soft = soft
        self.rate = rate
        self.kernel = kernel
        self.gamma = gamma
        self.allow_indefinite = allow_indefinite
        self.approx = approx
        self.budget = budget
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.multi_class = multi_class
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class Winnow(_Unweighted, _Online):
    """Winnow: multiplicative updates, for many columns of which few matter.

    Values must be from 0 to 1; the default scales columns there. The number of mistakes on a disjunction of r of n
    columns grows with r log n.

    Parameters
    ----------
    variant : {"winnow1", "winnow2", "balanced"}, default="winnow2"
        A demotion sets weights to 0 (winnow1) or divides them (winnow2); balanced: two weights per column.
    delta : float, default=1.0
        On a mistake, weights are multiplied or divided by 1 + delta.
    threshold : float or None, default=None
        Predict the second class if <w, x> is at least this. None: the number of columns (balanced: 0).
    offset : {"auto", "none", "unit"}, default="auto"
        With variant="balanced": unit adds a column of ones; auto: unit for balanced.
    order : {"cyclic", "shuffle", "first", "worst", "random"}, default="cyclic"
        Order of the rows: as in X, shuffled in each pass, or one mistake at a time picked among all rows.
    passes : int or str, default=10
        Number of passes at most, or until a pass has no mistakes.
    max_passes : int, default=1000
        Limit of passes until-converged.
    max_updates : int, default=0
        Maximum number of updates; 0: no limit.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    average : {"none", "average"}, default="none"
        Use the last separator, or the mean of all.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="min-max"
        Scale columns before training; the model stores the scaling. Here the default is "min-max", so that values
        are from 0 to 1; partial_fit keeps the ranges of its first rows, and values beyond them are an error (scale
        X before, and give "none").
    tie : {"neg", "pos", "zero"}, default="pos"
        Class if <w,x> = THETA: the first, the second, or neither.
    multi_class : {"native", "ovr", "ovo"}, default="native"
        More than two classes: the learner's own form, one-vs-rest, or one-vs-one.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    trace : str or None, default=None
        Write one CSV line per update to this file.
    warm_start : bool, default=False
        Begin at the result of the last call of fit.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    coef_ : ndarray of shape (n_scores, n_features)
        Weights of the columns of X as given, scaling undone.
    intercept_ : ndarray of shape (n_scores,)
        Offsets. Like ``coef_``, only if the model is linear in the columns.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> model = halfspace.Winnow(passes="until-converged").fit(X, [1, 1, 0, 0])
    >>> model.predict(X).tolist()
    [1, 1, 0, 0]
    >>> model.audit(X, [1, 1, 0, 0], disjunction=[1, 2]).held
    True
    """

    _learner = "winnow"
    _options = {
        "variant": ("variant", "winnow2"),
        "delta": ("delta", "1"),
        "threshold": ("threshold", None),
        "offset": ("offset", "auto"),
        "order": ("order", "cyclic"),
        "passes": ("passes", "10"),
        "max_passes": ("max-passes", "1000"),
        "max_updates": ("max-updates", "0"),
        "max_seconds": ("max-seconds", "0"),
        "average": ("average", "none"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "pos"),
        "multi_class": ("multiclass", "native"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
        "trace": ("trace", None),
    }
    _tags = {"poor_score": True}

    def __init__(
        self,
        *,
        variant: Literal["winnow1", "winnow2", "balanced"] = "winnow2",
        delta: float = 1.0,
        threshold: Optional[float] = None,
        offset: Literal["auto", "none", "unit"] = "auto",
        order: Literal["cyclic", "shuffle", "first", "worst", "random"] = "cyclic",
        passes: Union[int, str] = 10,
        max_passes: int = 1000,
        max_updates: int = 0,
        max_seconds: float = 0.0,
        average: Literal["none", "average"] = "none",
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "min-max",
        tie: Literal["neg", "pos", "zero"] = "pos",
        multi_class: Literal["native", "ovr", "ovo"] = "native",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        trace: Optional[str] = None,
        warm_start: bool = False,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.delta = delta
        self.threshold = threshold
        self.offset = offset
        self.order = order
        self.passes = passes
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.average = average
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.multi_class = multi_class
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.trace = trace
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose


class Experts(_Unweighted, _Online):
    """The weighted majority of experts: every column votes, and is trusted by its record.

    Columns are votes: the sign of a number, or 0 and 1. The number of mistakes is bounded by that of the best
    expert.

    Parameters
    ----------
    beta : float, default=0.5
        Factor on the weight of an expert that was wrong.
    negated : bool, default=True
        Add the negation of every expert.
    randomized : bool, default=False
        Follow one expert, drawn with probability proportional to its weight, instead of the weighted majority.
    votes : {"auto", "sign", "bit"}, default="auto"
        How a column votes: sign: 0 abstains; bit: yes if above 0, else no; auto: bit for columns of 0 and 1.
    order : {"cyclic", "shuffle"}, default="cyclic"
        Order of the rows: as in X, or shuffled in each pass.
    passes : int or str, default=1
        Number of passes over the rows.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    trace : str or None, default=None
        Write one CSV line per row to this file, with the experts' weights.
    warm_start : bool, default=False
        Begin at the result of the last call of fit.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]])
    >>> halfspace.Experts(passes=3).fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    _learner = "experts"
    _options = {
        "beta": ("beta", "0.5"),
        "negated": ("negated", "no"),
        "randomized": ("randomized", "no"),
        "votes": ("votes", "auto"),
        "order": ("order", "cyclic"),
        "passes": ("passes", "1"),
        "max_seconds": ("max-seconds", "0"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
        "trace": ("trace", None),
    }
    _tags = {"poor_score": True}

    def __init__(
        self,
        *,
        beta: float = 0.5,
        negated: bool = True,
        randomized: bool = False,
        votes: Literal["auto", "sign", "bit"] = "auto",
        order: Literal["cyclic", "shuffle"] = "cyclic",
        passes: Union[int, str] = 1,
        max_seconds: float = 0.0,
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        trace: Optional[str] = None,
        warm_start: bool = False,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.beta = beta
        self.negated = negated
        self.randomized = randomized
        self.votes = votes
        self.order = order
        self.passes = passes
        self.max_seconds = max_seconds
        self.scale = scale
        self.tie = tie
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.trace = trace
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose


class SVC(_SVC, _Weighted, _Linear):
    """The support vector machine, with a kernel or linear, to a proven duality gap.

    Minimises ||w||^2 / 2 + C * sum of hinge losses. ``kernel`` is one of scikit-learn's names or any kernel
    expression of the library: "rbf(0.5) + poly(2, 1)". More than two classes: one-vs-one, as in LIBSVM.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the losses: minimise ||w||^2 / 2 + C * sum of losses; default 1 unless alpha is set.
    alpha : float or None, default=None
        Regularisation, instead of C: minimise mean loss + alpha ||w||^2 / 2; C = 1 / (alpha n).
    fit_intercept : bool or str, default=True
        Learn the offset b; False: separators through the origin. "regularized": penalise it like a weight.
    kernel : str, default="rbf"
        Kernel: "linear", "rbf", "poly", "sigmoid", or an expression.
    gamma : float or str, default="scale"
        Factor of rbf, poly and sigmoid: a number, "scale" for 1 / (n_features * X.var()), or "auto" for 1 /
        n_features.
    cache_size : float, default=1000.0
        Kernel: size of the cache of kernel values in megabytes.
    allow_indefinite : bool, default=False
        Accept kernel expressions that are not guaranteed to be positive semidefinite.
    hard : bool, default=False
        Hard margin: the separator of widest margin. If there is none, fit raises NotSeparableError, with the
        evidence.
    class_weight : dict or str or None, default=None
        Factor on the loss of each class, a dictionary; "balanced": as if all classes had the same size
        (one-vs-rest: as if the class and the rest had the same size).
    tol : float, default=0.001
        Target of the relative duality gap.
    max_iter : int, default=10000
        Maximum number of passes over the rows; the step under way is completed.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    multi_class : {"ovr", "ovo", "crammer-singer"}, default="ovo"
        More than two classes: one-vs-rest, one-vs-one, or Crammer-Singer.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    degree : int, default=3
        Degree of the kernel poly.
    coef0 : float, default=0.0
        Constant of the kernels poly and sigmoid.
    probability : bool, default=False
        Have predict_proba: the same as calibrate="platt", so predict gives the most probable class (in scikit-learn
        it does not change).
    warm_start : bool, default=False
        Begin at the result of the last call of fit.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    coef_ : ndarray of shape (n_scores, n_features)
        Weights of the columns of X as given, scaling undone.
    intercept_ : ndarray of shape (n_scores,)
        Offsets. Like ``coef_``, only if the model is linear in the columns.
    gap_ : float
        The relative duality gap, (objective - proven lower bound) / objective.
    support_ : ndarray of shape (n_SV,)
        The numbers of the support rows, class by class.
    support_vectors_ : array or sparse matrix of shape (n_SV, n_features)
        The support rows.
    n_support_ : ndarray of shape (n_classes,)
        How many of each class there are.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Their coefficients, in scikit-learn's order; with ``multi_class="ovr"``, one line per class.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> model = halfspace.SVC(kernel="linear", C=100, tol=1e-9).fit(X, y)
    >>> model.coef_.round(4).tolist(), model.intercept_.round(4).tolist()
    ([[0.4, 0.4]], [-1.4])
    >>> halfspace.SVC().fit(X, y).predict([[3.5, 3.0]]).tolist()
    [1]
    """

    _learner = "svm"
    _options = {
        "C": ("C", "1"),
        "alpha": ("lambda", None),
        "fit_intercept": ("offset", "free"),
        "kernel": ("kernel", None),
        "gamma": ("gamma", None),
        "cache_size": ("cache-mb", "1000"),
        "allow_indefinite": ("allow-indefinite", "no"),
        "hard": ("hard", "no"),
        "class_weight": ("weight", None),
        "tol": ("gap", "0.001"),
        "max_iter": ("max-passes", "10000"),
        "max_seconds": ("max-seconds", "0"),
        "multi_class": ("multiclass", "ovr"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        alpha: Optional[float] = None,
        fit_intercept: Union[bool, str] = True,
        kernel: str = "rbf",
        gamma: Union[float, str] = "scale",
        cache_size: float = 1000.0,
        allow_indefinite: bool = False,
        hard: bool = False,
        class_weight: Union[Dict[Any, float], str, None] = None,
        tol: float = 0.001,
        max_iter: int = 10000,
        max_seconds: float = 0.0,
        multi_class: Literal["ovr", "ovo", "crammer-singer"] = "ovo",
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        degree: int = 3,
        coef0: float = 0.0,
        probability: bool = False,
        warm_start: bool = False,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.cache_size = cache_size
        self.allow_indefinite = allow_indefinite
        self.hard = hard
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.multi_class = multi_class
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.degree = degree
        self.coef0 = coef0
        self.probability = probability
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose


class LinearSVM(_LinearSVM, _Weighted, _Linear):
    """The linear support vector machine, with the parameters of scikit-learn's LinearSVC.

    Minimises ||w||^2 / 2 + C * sum of losses to a proven duality gap. The offset is not penalised (LinearSVC
    penalises it).

    Parameters
    ----------
    C : float, default=1.0
        Cost of the losses: minimise ||w||^2 / 2 + C * sum of losses; default 1 unless alpha is set.
    alpha : float or None, default=None
        Regularisation, instead of C: minimise mean loss + alpha ||w||^2 / 2; C = 1 / (alpha n).
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Loss of a row: the square of max(0, 1 - y s), or max(0, 1 - y s) itself.
    penalty : {"l2", "l1"}, default="l2"
        Penalty: l2: ||w||^2 / 2; l1: sum of |w_j|, which makes many weights 0.
    fit_intercept : bool or str, default=True
        Learn the offset b; False: separators through the origin. "regularized": penalise it like a weight, as
        LinearSVC does.
    hard : bool, default=False
        Hard margin: the separator of widest margin. If there is none, fit raises NotSeparableError, with the
        evidence.
    class_weight : dict or str or None, default=None
        Factor on the loss of each class, a dictionary; "balanced": as if all classes had the same size
        (one-vs-rest: as if the class and the rest had the same size).
    tol : float, default=0.001
        Target of the relative duality gap.
    max_iter : int, default=10000
        Maximum number of passes over the rows; the step under way is completed.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    solver : {"auto", "dcd", "newton", "l1", "pegasos"}, default="auto"
        Solver; auto decides by the shape of the data.
    order : {"shuffle", "cyclic"}, default="shuffle"
        With solver="pegasos": order of the rows: shuffled in each pass, or as in X.
    average : {"average", "none"}, default="average"
        With solver="pegasos": use the weighted mean of all weights (later ones count more), or the last.
    keep_dual : bool, default=False
        Save the dual coefficients in the model, for certificates and warm starts.
    convergence : str or None, default=None
        Write one CSV line per pass of the solver to this file: objective, lower bound, gap.
    multi_class : {"ovr", "ovo", "crammer_singer"}, default="ovr"
        More than two classes: one-vs-rest, one-vs-one, or Crammer-Singer.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    dual : Any, default="auto"
        Accepted for compatibility: solver decides how the same optimum is found.
    warm_start : bool, default=False
        Begin at the result of the last call of fit.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    coef_ : ndarray of shape (n_scores, n_features)
        Weights of the columns of X as given, scaling undone.
    intercept_ : ndarray of shape (n_scores,)
        Offsets. Like ``coef_``, only if the model is linear in the columns.
    gap_ : float
        The relative duality gap, (objective - proven lower bound) / objective.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> model = halfspace.LinearSVM(loss="hinge").fit(X, y)
    >>> model.predict([[0.5, 0.5], [3.5, 3.0]]).tolist()
    [0, 1]
    >>> model.converged_ and model.gap_ <= 1e-3
    True
    """

    _learner = "svm"
    _options = {
        "C": ("C", "1"),
        "alpha": ("lambda", None),
        "loss": ("loss", "hinge"),
        "penalty": ("penalty", "l2"),
        "fit_intercept": ("offset", "free"),
        "hard": ("hard", "no"),
        "class_weight": ("weight", None),
        "tol": ("gap", "0.001"),
        "max_iter": ("max-passes", "10000"),
        "max_seconds": ("max-seconds", "0"),
        "solver": ("solver", "auto"),
        "order": ("order", "shuffle"),
        "average": ("average", "average"),
        "keep_dual": ("keep-dual", "no"),
        "convergence": ("convergence", None),
        "multi_class": ("multiclass", "ovr"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        alpha: Optional[float] = None,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        penalty: Literal["l2", "l1"] = "l2",
        fit_intercept: Union[bool, str] = True,
        hard: bool = False,
        class_weight: Union[Dict[Any, float], str, None] = None,
        tol: float = 0.001,
        max_iter: int = 10000,
        max_seconds: float = 0.0,
        solver: Literal["auto", "dcd", "newton", "l1", "pegasos"] = "auto",
        order: Literal["shuffle", "cyclic"] = "shuffle",
        average: Literal["average", "none"] = "average",
        keep_dual: bool = False,
        convergence: Optional[str] = None,
        multi_class: Literal["ovr", "ovo", "crammer_singer"] = "ovr",
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        dual: Any = "auto",
        warm_start: bool = False,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.loss = loss
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.hard = hard
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.solver = solver
        self.order = order
        self.average = average
        self.keep_dual = keep_dual
        self.convergence = convergence
        self.multi_class = multi_class
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.dual = dual
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogisticRegression(_SklearnWords, _Weighted, _Linear):
    """Logistic regression, multinomial with more than two classes, to a proven duality gap.

    Minimises ||w||^2 / 2 + C * sum of log losses; ``penalty="l1"`` makes many weights 0.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the losses: minimise ||w||^2 / 2 + C * sum of losses; default 1 unless alpha is set.
    alpha : float or None, default=None
        Regularisation, instead of C: minimise mean loss + alpha ||w||^2 / 2; C = 1 / (alpha n).
    penalty : {"l2", "l1"}, default="l2"
        Penalty: l2: ||w||^2 / 2; l1: sum of |w_j|, which makes many weights 0.
    fit_intercept : bool or str, default=True
        Learn the offset b; False: separators through the origin. "regularized": penalise it like a weight.
    kernel : str or None, default=None
        Learn in the feature space of this kernel, for example rbf or rbf(0.5); needs approx.
    gamma : float or None, default=None
        Kernel: factor of rbf, instead of its default 1/(d var).
    allow_indefinite : bool, default=False
        Accept kernel expressions that are not guaranteed to be positive semidefinite.
    approx : str or None, default=None
        Approximate the kernel by M explicit features: "nystrom:M" (from M rows) or "fourier:M".
    class_weight : dict or str or None, default=None
        Factor on the loss of each class, a dictionary; "balanced": as if all classes had the same size
        (one-vs-rest: as if the class and the rest had the same size).
    tol : float, default=0.001
        Target of the relative duality gap.
    max_iter : int, default=10000
        Maximum number of passes over the rows; the step under way is completed.
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    solver : str, default="auto"
        Solver; auto decides by the shape of the data. The names of scikit-learn's solvers mean auto: all find the
        same optimum.
    keep_dual : bool, default=False
        Save the dual coefficients in the model, for certificates and warm starts.
    convergence : str or None, default=None
        Write one CSV line per pass of the solver to this file: objective, lower bound, gap.
    link : {"auto", "logistic", "probit", "step", "softmax"}, default="auto"
        Link function from score to probability; auto: softmax if the classes were learned that way, else logistic.
    multi_class : {"softmax", "multinomial", "auto", "ovr", "ovo"}, default="softmax"
        More than two classes: all at once (multinomial), one-vs-rest, or one-vs-one.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    calibrate : {"none", "platt", "isotonic"}, default="none"
        Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class,
        which can differ from the sign of its score.
    calibrate_folds : int, default=5
        Number of folds for calibrate.
    random_state : Any, default=None
        Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can
        always be repeated.
    warm_start : bool, default=False
        Begin at the result of the last call of fit.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    coef_ : ndarray of shape (n_scores, n_features)
        Weights of the columns of X as given, scaling undone.
    intercept_ : ndarray of shape (n_scores,)
        Offsets. Like ``coef_``, only if the model is linear in the columns.
    gap_ : float
        The relative duality gap, (objective - proven lower bound) / objective.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> model = halfspace.LogisticRegression().fit(X, y)
    >>> model.predict_proba([[0.5, 0.5], [3.5, 3.0]]).round(2).tolist()
    [[0.87, 0.13], [0.13, 0.87]]
    """

    _learner = "logistic"
    _options = {
        "C": ("C", "1"),
        "alpha": ("lambda", None),
        "penalty": ("penalty", "l2"),
        "fit_intercept": ("offset", "free"),
        "kernel": ("kernel", None),
        "gamma": ("gamma", None),
        "allow_indefinite": ("allow-indefinite", "no"),
        "approx": ("approx", None),
        "class_weight": ("weight", None),
        "tol": ("gap", "0.001"),
        "max_iter": ("max-passes", "10000"),
        "max_seconds": ("max-seconds", "0"),
        "solver": ("solver", "auto"),
        "keep_dual": ("keep-dual", "no"),
        "convergence": ("convergence", None),
        "link": ("link", "auto"),
        "multi_class": ("multiclass", "softmax"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "calibrate": ("calibrate", "none"),
        "calibrate_folds": ("calibrate-folds", "5"),
        "random_state": ("seed", "1"),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        alpha: Optional[float] = None,
        penalty: Literal["l2", "l1"] = "l2",
        fit_intercept: Union[bool, str] = True,
        kernel: Optional[str] = None,
        gamma: Optional[float] = None,
        allow_indefinite: bool = False,
        approx: Optional[str] = None,
        class_weight: Union[Dict[Any, float], str, None] = None,
        tol: float = 0.001,
        max_iter: int = 10000,
        max_seconds: float = 0.0,
        solver: str = "auto",
        keep_dual: bool = False,
        convergence: Optional[str] = None,
        link: Literal["auto", "logistic", "probit", "step", "softmax"] = "auto",
        multi_class: Literal["softmax", "multinomial", "auto", "ovr", "ovo"] = "softmax",
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        calibrate: Literal["none", "platt", "isotonic"] = "none",
        calibrate_folds: int = 5,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.allow_indefinite = allow_indefinite
        self.approx = approx
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.solver = solver
        self.keep_dual = keep_dual
        self.convergence = convergence
        self.link = link
        self.multi_class = multi_class
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.random_state = random_state
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose


class LPSeparator(_Weighted, _Linear):
    """A separator by linear programming.

    With ``soft=False`` a separator is demanded: if there is none, ``fit`` raises NotSeparableError, with a common
    point of the convex hulls as evidence.

    Parameters
    ----------
    offset : {"free", "none"}, default="free"
        Offset b: free, or none: hyperplanes through the origin.
    soft : bool, default=True
        Minimise the total slack, so that there is always a model.
    class_weight : dict or str or None, default=None
        Factor on the loss of each class, a dictionary; "balanced": as if all classes had the same size
        (one-vs-rest: as if the class and the rest had the same size).
    max_seconds : float, default=0.0
        Time limit in seconds; 0: no limit.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    tie : {"neg", "pos", "zero"}, default="neg"
        Class of a score of exactly 0: the first, the second, or neither.
    multi_class : {"ovr", "ovo"}, default="ovr"
        More than two classes: one-vs-rest, or one-vs-one.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.
    coef_ : ndarray of shape (n_scores, n_features)
        Weights of the columns of X as given, scaling undone.
    intercept_ : ndarray of shape (n_scores,)
        Offsets. Like ``coef_``, only if the model is linear in the columns.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> halfspace.LPSeparator(soft=False).fit(X, y).score(X, y)
    1.0
    >>> try:
    ...     halfspace.LPSeparator(soft=False).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    ... except halfspace.NotSeparableError as error:
    ...     print(error.evidence["rows"], error.evidence["multipliers"])
    [0, 1, 2] [0.5, 1.0, 0.5]
    """

    _learner = "lp"
    _options = {
        "offset": ("offset", "free"),
        "soft": ("soft", "no"),
        "class_weight": ("weight", None),
        "max_seconds": ("max-seconds", "0"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
        "tie": ("tie", "neg"),
        "multi_class": ("multiclass", "ovr"),
    }

    def __init__(
        self,
        *,
        offset: Literal["free", "none"] = "free",
        soft: bool = True,
        class_weight: Union[Dict[Any, float], str, None] = None,
        max_seconds: float = 0.0,
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        tie: Literal["neg", "pos", "zero"] = "neg",
        multi_class: Literal["ovr", "ovo"] = "ovr",
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.offset = offset
        self.soft = soft
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.normalize = normalize
        self.scale = scale
        self.tie = tie
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.verbose = verbose


class KNeighborsClassifier(_Neighbors, _Unweighted):
    """The vote of the k nearest neighbours, found exactly.

    Parameters
    ----------
    n_neighbors : int or str, default=5
        Number of neighbours that vote; auto: the k with the smallest leave-one-out error.
    max_k : int, default=50
        Largest k that k auto tries.
    metric : str, default="l2"
        Distance: "l2" ("euclidean"), "l1" ("manhattan"), "linf" ("chebyshev"), "cosine", "hamming", or
        "kernel:EXPR", which is l2 in the feature space.
    weights : {"uniform", "distance"}, default="uniform"
        Weight of a neighbour's vote: 1, or 1 / distance.
    index : {"auto", "scan", "tree", "product", "inverted"}, default="auto"
        Index that finds the neighbours; the neighbours do not depend on it.
    normalize : {"none", "rows", "ball"}, default="none"
        Divide each row by its norm (rows), or all rows by the largest norm (ball).
    scale : {"none", "min-max", "standard", "max-abs"}, default="none"
        Scale columns before training; the model stores the scaling.
    n_jobs : int or None, default=-1
        Threads: -1 for all processors, None for one. No result depends on it.
    verbose : int, default=0
        1 shows progress, by tqdm if it is installed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if X was a data frame with text names.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Training ended by itself, not at a limit.

    Examples
    --------
    >>> import numpy as np, halfspace
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> model = halfspace.KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[0.5, 0.5]]).tolist()
    [0]
    >>> model.kneighbors([[0.5, 0.5]], n_neighbors=1, return_distance=False).tolist()
    [[0]]
    """

    _learner = "knn"
    _options = {
        "n_neighbors": ("k", "5"),
        "max_k": ("max-k", "50"),
        "metric": ("metric", "l2"),
        "weights": ("vote", "majority"),
        "index": ("index", "auto"),
        "normalize": ("normalize", "none"),
        "scale": ("scale", "none"),
    }

    def __init__(
        self,
        n_neighbors: Union[int, str] = 5,
        *,
        max_k: int = 50,
        metric: str = "l2",
        weights: Literal["uniform", "distance"] = "uniform",
        index: Literal["auto", "scan", "tree", "product", "inverted"] = "auto",
        normalize: Literal["none", "rows", "ball"] = "none",
        scale: Literal["none", "min-max", "standard", "max-abs"] = "none",
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.max_k = max_k
        self.metric = metric
        self.weights = weights
        self.index = index
        self.normalize = normalize
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = verbose
