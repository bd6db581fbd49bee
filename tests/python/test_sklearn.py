"""Together with scikit-learn, and compared with it."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
import scipy.sparse
import sklearn.datasets
import sklearn.linear_model
import sklearn.neighbors
import sklearn.svm
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import halfspace
from halfspace import SVC, Classifier, KNeighborsClassifier, LinearSVM, LogisticRegression, Perceptron
from helpers import blobs, estimator_classes, no_warnings, same_bits

# of scikit-learn's solvers, asked for more digits than they have
THEIRS = ["newton-cg failed", "Line Search failed", "The line search algorithm", "Liblinear failed"]
pytestmark = pytest.mark.filterwarnings(*(f"ignore:{text}" for text in THEIRS))

IRIS = sklearn.datasets.load_iris()
X, Y = IRIS.data, IRIS.target
NAMES = np.array(IRIS.target_names)


def two(rows=120, seed=1):
    """Two classes that overlap."""
    return blobs(rows, 5, 2, seed)


# ---- Meta-estimators -------------------------------------------------------------------------------


def test_pipeline():
    model = make_pipeline(StandardScaler(), SVC()).fit(X, Y)
    theirs = make_pipeline(StandardScaler(), sklearn.svm.SVC()).fit(X, Y)
    assert model.score(X, Y) >= 0.95
    assert np.mean(model.predict(X) == theirs.predict(X)) >= 0.98
    assert model.decision_function(X).shape == (150, 3)


def test_scale_is_a_standard_scaler():
    """scale="standard" is the same model as a StandardScaler before it."""
    ours = LinearSVM(scale="standard", tol=1e-10).fit(X, Y)
    piped = make_pipeline(StandardScaler(), LinearSVM(tol=1e-10)).fit(X, Y)
    assert np.abs(ours.decision_function(X) - piped.decision_function(X)).max() <= 1e-4


def test_grid_search():
    grid = {"C": [0.01, 1, 100], "fit_intercept": np.array([True, False])}
    search = GridSearchCV(LinearSVM(), grid, cv=3).fit(X, NAMES[Y])
    assert set(search.best_params_) == {"C", "fit_intercept"}
    assert search.best_score_ >= 0.9
    assert search.best_estimator_.C == search.best_params_["C"]
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    # the scores are those of fitting by hand
    again = cross_val_score(LinearSVM(**search.best_params_), X, NAMES[Y], cv=3).mean()
    assert again == search.best_score_


def test_grid_search_in_processes():
    """Estimators travel to other processes and back, and give the same scores there."""
    grid = {"C": [0.1, 10]}
    here = GridSearchCV(SVC(n_jobs=1), grid, cv=3, n_jobs=1).fit(X, Y)
    there = GridSearchCV(SVC(n_jobs=1), grid, cv=3, n_jobs=2).fit(X, Y)
    assert here.cv_results_["mean_test_score"].tolist() == there.cv_results_["mean_test_score"].tolist()
    assert same_bits(here.decision_function(X), there.decision_function(X))


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_cross_validation(cls):
    order = np.random.default_rng(0).permutation(150)  # rows that are sorted by class are bad for online learners
    scores = cross_val_score(cls(), X[order], Y[order], cv=3, error_score="raise")
    assert scores.shape == (3,)
    assert scores.min() >= (0.2 if cls.__name__ in ("Winnow", "Experts") else 0.6)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("model", [LinearSVM(), SVC(), Perceptron(), KNeighborsClassifier()], ids=repr)
def test_calibrated(model, method):
    fitted = CalibratedClassifierCV(model, method=method, cv=3).fit(X, Y)
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (150, 3)
    assert np.abs(probabilities.sum(axis=1) - 1).max() <= 1e-12
    assert fitted.score(X, Y) >= 0.8


@pytest.mark.parametrize("calibrate", ["platt", "isotonic"])
def test_calibrate(calibrate):
    fitted = LinearSVM(calibrate=calibrate).fit(X, Y)
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (150, 3)
    assert np.abs(probabilities.sum(axis=1) - 1).max() <= 1e-12
    assert (probabilities >= 0).all()
    assert np.mean(probabilities.argmax(axis=1) == Y) >= 0.9
    with np.errstate(divide="ignore"):
        assert same_bits(fitted.predict_log_proba(X), np.log(probabilities))


def test_probability():
    assert not hasattr(SVC(), "predict_proba")
    assert hasattr(SVC(probability=True), "predict_proba")
    fitted = SVC(probability=True).fit(X, Y)
    assert same_bits(fitted.predict_proba(X), SVC(calibrate="platt").fit(X, Y).predict_proba(X))
    theirs = sklearn.svm.SVC(probability=True, random_state=0).fit(X, Y).predict_proba(X)
    assert np.abs(fitted.predict_proba(X) - theirs).mean() <= 0.05


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_voting(voting):
    models = [("a", LogisticRegression()), ("b", KNeighborsClassifier()), ("c", SVC(probability=True))]
    fitted = VotingClassifier(models, voting=voting).fit(X, NAMES[Y])
    assert fitted.score(X, NAMES[Y]) >= 0.95
    if voting == "soft":
        mean = np.mean([one.predict_proba(X) for one in fitted.estimators_], axis=0)
        assert np.abs(fitted.predict_proba(X) - mean).max() <= 1e-15


def test_other_meta_estimators():
    for model in (
        OneVsRestClassifier(LinearSVM()),
        OneVsOneClassifier(LinearSVM()),
        BaggingClassifier(LinearSVM(), n_estimators=3, random_state=0),
        AdaBoostClassifier(LinearSVM(), n_estimators=3, algorithm="SAMME", random_state=0),
        StackingClassifier([("a", LinearSVM()), ("b", Perceptron())], final_estimator=LogisticRegression(), cv=3),
    ):
        assert model.fit(X, Y).score(X, Y) >= 0.85, model


def test_one_vs_rest_is_ours():
    """multi_class="ovr" learns what OneVsRestClassifier does."""
    theirs = OneVsRestClassifier(LinearSVM(tol=1e-9)).fit(X, Y)
    ours = LinearSVM(tol=1e-9).fit(X, Y)
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() <= 1e-4


def test_boosting_of_learners_without_weights_is_refused():
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(Perceptron(), algorithm="SAMME").fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(Classifier("knn"), algorithm="SAMME").fit(X, Y)


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_clone(cls):
    model = cls().set_params(n_jobs=1, verbose=0)
    twin = clone(model)
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert repr(twin) == repr(model)
    assert is_classifier(model)
    model.fit(X, Y)
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_parameters():
    model = SVC(C=2, kernel="poly", degree=2)
    assert model.get_params()["C"] == 2
    assert repr(model) == "SVC(C=2, kernel='poly', degree=2)"
    assert model.set_params(C=3) is model
    assert model.C == 3
    with pytest.raises(ValueError, match="Invalid parameter 'cost' for estimator SVC"):
        model.set_params(cost=1)
    model = Classifier("svm", C=10, lambda_=None, max_passes=5)
    expected = {"learner": "svm", "n_jobs": -1, "verbose": 0, "C": 10, "lambda_": None, "max_passes": 5}
    assert clone(model).get_params() == expected


@pytest.mark.parametrize(
    "model, message",
    [
        (LinearSVM(C=-1), "C: found '-1'"),
        (LinearSVM(C="many"), "C: found 'many'"),
        (LinearSVM(loss="log"), "loss: found 'log'"),
        (LinearSVM(max_iter=0), "max_iter: found '0'"),
        (LinearSVM(tol=float("nan")), "tol: found 'nan'"),
        (LinearSVM(C=1, alpha=0), "alpha: found '0'"),
        (LinearSVM(random_state=-1), "random_state: found '-1'"),
        (LinearSVM(random_state="now"), "cannot be used to seed"),
        (LinearSVM(n_jobs=0), "n_jobs == 0 has no meaning"),
        (LinearSVM(class_weight="equal"), "class_weight: found 'equal'"),
        (LinearSVM(class_weight=[1, 2]), "class_weight must be dict"),
        (SVC(gamma="sclae"), "gamma: found 'sclae'"),
        (SVC(gamma=0), "gamma: found 0"),
        (SVC(gamma=-1.0), "gamma: found -1.0"),
        (SVC(gamma=float("nan")), "gamma: found nan"),
        (SVC(kernel="poly", gamma=0.0), "gamma: found 0.0"),
        (SVC(kernel="poly", scale="standard"), "give gamma as a number"),
        (SVC(kernel="rfb"), "kernel: column 1: found 'rfb'"),
        (KNeighborsClassifier(n_neighbors=0), "n_neighbors: found '0'"),
        (KNeighborsClassifier(metric="l3"), "metric: found 'l3'"),
        (Classifier("svn"), "there is no learner 'svn'; there are perceptron"),
        (Classifier("svm", cost=1), "cost: there is no such option"),
    ],
    ids=lambda value: repr(value) if not isinstance(value, str) else None,
)
def test_wrong_parameters(model, message):
    """Parameters are checked in fit, and the message has the parameter's name."""
    with pytest.raises(ValueError) as caught:
        model.fit(X, Y)
    assert message in str(caught.value)
    assert "--" not in str(caught.value)


def test_wrong_n_jobs():
    with pytest.raises(TypeError, match="n_jobs"):
        LinearSVM(n_jobs="all").fit(X, Y)


# ---- Data frames and names -------------------------------------------------------------------------


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    labels = pandas.Series(NAMES[Y])
    with no_warnings():
        model = LinearSVM().fit(frame, labels)
        assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
        assert model.feature_names_in_.dtype == object
        assert same_bits(model.coef_, LinearSVM().fit(X, NAMES[Y]).coef_)
        assert same_bits(model.predict(frame), model.classes_[model.decision_function(frame).argmax(axis=1)])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(frame[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- e\n"):
        model.predict(frame.rename(columns={"d": "e"}))
    with pytest.raises(ValueError, match="yet now missing:\n- d\n"):
        model.predict(frame[["a", "b", "c"]])
    with pytest.raises(TypeError, match="all input features have string names"):
        model.fit(frame.rename(columns={"d": 4}), labels)
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        model.predict(frame)


def test_columns_of_all_types():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "int": np.arange(40),
            "float": np.linspace(0, 1, 40, dtype=np.float32),
            "bool": np.arange(40) % 3 == 0,
            "nullable": pandas.array(np.arange(40) % 7, dtype="Int64"),
            "object": np.array([str(i) for i in range(40)], dtype=object),
        }
    )
    y = np.arange(40) % 2
    plain = frame.astype(float).to_numpy()
    assert same_bits(LinearSVM().fit(frame, y).coef_, LinearSVM().fit(plain, y).coef_)
    frame.loc[3, "nullable"] = pandas.NA
    with pytest.raises(ValueError, match="Input X contains NaN"):
        LinearSVM().fit(frame, y)
    frame["object"] = "red"
    with pytest.raises(ValueError, match="could not convert string to float: 'red'"):
        LinearSVM().fit(frame.drop(columns="nullable"), y)


def test_labels_of_pandas():
    pandas = pytest.importorskip("pandas")
    texts = [pandas.Series(NAMES[Y], dtype=dtype) for dtype in ("category", "string")]
    for y in (*texts, pandas.array(Y, dtype="Int64")):
        model = LinearSVM().fit(X, y)
        assert np.mean(model.predict(X) == np.asarray(y)) >= 0.9
    with pytest.raises(ValueError, match="Input y contains NaN"):
        LinearSVM().fit(X, pandas.array([None, *Y[1:]], dtype="Int64"))


def test_duplicate_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "a", "b", "c"])
    model = LinearSVM().fit(frame, Y)
    assert same_bits(model.coef_, LinearSVM().fit(X, Y).coef_)


# ---- Weights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [LinearSVM, SVC, LogisticRegression], ids=lambda cls: cls.__name__)
def test_sample_weight(cls):
    """A weight of k is k copies, 0 is none, and 1 is nothing."""
    rows, y = two()
    k = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), k)
    weighted = cls(tol=1e-10).fit(rows, y, k)
    copied = cls(tol=1e-10).fit(rows[copies], y[copies])
    if cls is SVC:  # gamma="scale" depends on the distinct rows: those of weight 0 take no part, others count once
        copied = cls(tol=1e-10, gamma=1 / (5 * rows[k > 0].var())).fit(rows[copies], y[copies])
    assert np.abs(weighted.decision_function(rows) - copied.decision_function(rows)).max() <= 1e-4
    assert same_bits(cls().fit(rows, y).decision_function(rows), cls().fit(rows, y, np.ones(len(y))).decision_function(rows))


def test_sample_weight_of_score():
    rows, y = two()
    model = LinearSVM().fit(rows, y)
    weights = np.random.default_rng(0).random(len(y))
    right = model.predict(rows) == y
    assert model.score(rows, y, weights) == pytest.approx(np.sum(weights * right) / weights.sum(), rel=1e-12)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(rows, y[:10])
    with no_warnings():
        assert model.score(rows, y.astype(str)) == 0  # text is another class than a number
        assert model.score(rows, y.astype(float)) == model.score(rows, y.astype(object)) == model.score(rows, y)


@pytest.mark.parametrize("weights", [{0: 1.0, 1: 5.0}, "balanced", {0: 0.5, 1: 0.5}])
@pytest.mark.parametrize("name", ["LinearSVM", "SVC", "LogisticRegression"])
def test_class_weight(name, weights):
    rows, y = two()
    rows, y = rows[: 100], y[: 100].copy()
    keep = (y == 1) | (np.arange(100) < 40)
    rows, y = rows[keep], y[keep]
    ours = getattr(halfspace, name)(class_weight=weights, tol=1e-10)
    theirs = {
        "LinearSVM": sklearn.svm.LinearSVC(class_weight=weights, tol=1e-10, max_iter=1000000, random_state=0),
        "SVC": sklearn.svm.SVC(class_weight=weights, tol=1e-10),
        "LogisticRegression": sklearn.linear_model.LogisticRegression(class_weight=weights, solver="newton-cg", tol=1e-10),
    }[name]
    if name == "LinearSVM":
        ours.set_params(fit_intercept="regularized")
    difference = ours.fit(rows, y).decision_function(rows) - theirs.fit(rows, y).decision_function(rows)
    assert np.abs(difference).max() <= 1e-4


def test_class_weight_of_names():
    rows, y = two()
    names = np.array(["no", "yes = 1"])[y]
    a = LinearSVM(class_weight={"no": 1, "yes = 1": 3}).fit(rows, names)
    b = LinearSVM(class_weight={0: 1, 1: 3}).fit(rows, y)
    assert same_bits(a.coef_, b.coef_)
    c = LinearSVM(class_weight={0: 1, 1: 3, 17: 5}).fit(rows, y)  # the fold of a search need not have all classes
    assert same_bits(c.coef_, b.coef_)
    with pytest.raises(ValueError, match="are not in class_weight"):  # a misspelt class
        LinearSVM(class_weight={"nO": 3}).fit(rows, names)


# ---- scikit-learn as an oracle ---------------------------------------------------------------------


def hinge_objective(w, b, rows, signs, C, squared):
    losses = np.maximum(0, 1 - signs * (rows @ w + b))
    return (w @ w + b * b) / 2 + C * np.sum(losses**2 if squared else losses)


@pytest.mark.parametrize("C", [0.01, 1, 10])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_linear_svc(loss, C):
    rows, y = two()
    ours = LinearSVM(C=C, loss=loss, fit_intercept="regularized", tol=1e-9).fit(rows, y)
    theirs = sklearn.svm.LinearSVC(C=C, loss=loss, dual=True, tol=1e-9, max_iter=10**7, random_state=0).fit(rows, y)
    signs = 2 * y - 1
    squared = loss == "squared_hinge"
    a = hinge_objective(ours.coef_[0], ours.intercept_[0], rows, signs, C, squared)
    b = hinge_objective(theirs.coef_[0], theirs.intercept_[0], rows, signs, C, squared)
    assert a <= b * (1 + 1e-8)
    assert a >= b * (1 - 1e-5)
    assert np.abs(ours.coef_ - theirs.coef_).max() <= 1e-3
    # and what gap_ says is true: the objective is at most this share above the least one
    assert (a - b) / a <= ours.gap_ + 1e-12
    assert ours.gap_ <= 1e-9


def test_linear_svc_of_three_classes():
    ours = LinearSVM(fit_intercept="regularized", tol=1e-9).fit(X, Y)
    theirs = sklearn.svm.LinearSVC(tol=1e-9, max_iter=10**7, random_state=0).fit(X, Y)
    assert ours.coef_.shape == theirs.coef_.shape == (3, 4)
    assert ours.intercept_.shape == (3,)
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() <= 1e-4
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.abs(X @ ours.coef_.T + ours.intercept_ - ours.decision_function(X)).max() <= 1e-12


def test_crammer_singer():
    ours = LinearSVM(multi_class="crammer_singer", fit_intercept="regularized", loss="hinge", tol=1e-9).fit(X, Y)
    theirs = sklearn.svm.LinearSVC(multi_class="crammer_singer", tol=1e-9, max_iter=10**7, random_state=0).fit(X, Y)
    difference = ours.decision_function(X) - theirs.decision_function(X)
    assert np.abs(difference - difference.mean(axis=1, keepdims=True)).max() <= 1e-2
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.99


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 1, 10])
def test_logistic_regression(C, fit_intercept):
    rows, y = two()
    ours = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10).fit(rows, y)
    theirs = sklearn.linear_model.LogisticRegression(C=C, fit_intercept=fit_intercept, solver="newton-cg", tol=1e-10)
    theirs.fit(rows, y)
    assert ours.coef_.shape == theirs.coef_.shape == (1, 5)
    assert np.abs(ours.coef_ - theirs.coef_).max() <= 1e-4
    assert np.abs(ours.intercept_ - theirs.intercept_).max() <= 1e-4
    assert np.abs(ours.predict_proba(rows) - theirs.predict_proba(rows)).max() <= 1e-5


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
def test_logistic_regression_of_three_classes(multi_class):
    ours = LogisticRegression(multi_class=multi_class, tol=1e-10).fit(X, Y)
    theirs = sklearn.linear_model.LogisticRegression(multi_class=multi_class, solver="newton-cg", tol=1e-10, max_iter=1000)
    theirs.fit(X, Y)
    assert ours.coef_.shape == theirs.coef_.shape == (3, 4)
    if multi_class == "multinomial":  # a common shift of all classes changes nothing
        difference = ours.coef_ - theirs.coef_
        assert np.abs(difference - difference.mean(axis=0)).max() <= 1e-4
        assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() <= 1e-5
    else:
        assert np.abs(ours.coef_ - theirs.coef_).max() <= 1e-4
        assert np.abs(ours.intercept_ - theirs.intercept_).max() <= 1e-3
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_logistic_regression_l1():
    rows, y = two()
    ours = LogisticRegression(penalty="l1", C=0.1, tol=1e-9).fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = sklearn.linear_model.LogisticRegression(penalty="l1", C=0.1, solver="saga", tol=1e-12, max_iter=20000)
        theirs.fit(rows, y)
    assert np.abs(ours.coef_ - theirs.coef_).max() <= 1e-4
    assert ((ours.coef_ == 0) == (theirs.coef_ == 0)).all()


KERNELS = {
    "rbf": {},
    "rbf, auto": {"gamma": "auto"},
    "rbf, number": {"gamma": 0.3, "C": 10},
    "linear": {"kernel": "linear"},
    "linear, C=0.01": {"kernel": "linear", "C": 0.01},
    "poly": {"kernel": "poly"},
    "poly, auto": {"kernel": "poly", "gamma": "auto", "C": 0.1},
    "poly 2": {"kernel": "poly", "degree": 2, "coef0": 1.5, "gamma": 0.2},
}


@pytest.mark.parametrize("storage", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_svc(kernel, classes, storage):
    rows, y = blobs(90, 4, classes, seed=3)
    # not separable in any kernel, so that all the optima are unique
    rows = np.round(rows, 3)
    given = {"dense": rows, "sparse": scipy.sparse.csr_matrix(rows), "float32": rows.astype(np.float32)}[storage]
    if storage == "float32":
        rows = given.astype(np.float64)
    ours = SVC(**KERNELS[kernel], tol=1e-10).fit(given, y)
    theirs = sklearn.svm.SVC(**KERNELS[kernel], tol=1e-9, decision_function_shape="ovo").fit(rows, y)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    assert np.array_equal(ours.support_, theirs.support_)
    assert np.array_equal(ours.n_support_, theirs.n_support_)
    C = KERNELS[kernel].get("C", 1)
    assert np.abs(ours.dual_coef_ - theirs.dual_coef_).max() <= 1e-3 * C
    vectors = ours.support_vectors_.toarray() if storage == "sparse" else ours.support_vectors_
    assert np.array_equal(vectors, theirs.support_vectors_)
    pairwise = theirs.decision_function(rows)
    scores = ours._scores(given, classes=False)[0]
    if classes == 2:
        assert same_bits(ours.decision_function(given), scores[:, 0])
        assert np.abs(scores[:, 0] - pairwise).max() <= 1e-4 * C
    else:  # a positive score of ours means the second class of a pair, of theirs the first
        assert np.abs(scores + pairwise).max() <= 1e-4 * C
        decided = ours.decision_function(given)
        assert decided.shape == (90, 3)
        assert np.array_equal(ours.classes_[decided.argmax(axis=1)], ours.predict(given))
    near = np.abs(pairwise.reshape(90, -1)).min(axis=1) <= 1e-3
    assert np.array_equal(ours.predict(given)[~near], theirs.predict(rows)[~near])
    assert near.sum() <= 3


@pytest.mark.parametrize("coef0", [0.0, 0.1])
@pytest.mark.parametrize("classes", [2, 3])
def test_sigmoid(classes, coef0):
    """tanh is not a kernel: there are several stationary points, and no bound on their distance from the optimum. Near 0 it
    is almost linear, and the one that is found is near theirs."""
    rows, y = blobs(90, 4, classes, seed=3)
    with pytest.warns(UserWarning, match="may not be positive semidefinite") as caught:
        ours = SVC(kernel="sigmoid", gamma=0.01, coef0=coef0, C=0.5).fit(rows, y)
    assert len(caught) == 1
    theirs = sklearn.svm.SVC(kernel="sigmoid", gamma=0.01, coef0=coef0, C=0.5, decision_function_shape="ovo").fit(rows, y)
    pairwise = theirs.decision_function(rows) * (1 if classes == 2 else -1)
    assert np.abs(ours._scores(rows, classes=False)[0].reshape(pairwise.shape) - pairwise).max() <= 0.02
    assert np.mean(ours.predict(rows) == theirs.predict(rows)) >= 0.97
    with pytest.raises(AttributeError, match="has no duality gap"):
        ours.gap_


def test_gamma_of_weighted_rows():
    """gamma="scale" means the same for all kernels: rows of weight 0 take no part."""
    rows, y = two()
    weights = np.where(np.arange(len(y)) < 60, 1.0, 0.0)
    rows[60:] *= 10
    for kernel in ("rbf", "poly"):
        a = SVC(kernel=kernel, tol=1e-9).fit(rows, y, weights)
        b = SVC(kernel=kernel, tol=1e-9).fit(rows[:60], y[:60])
        assert np.abs(a.decision_function(rows[:60]) - b.decision_function(rows[:60])).max() <= 1e-4


def test_gamma_of_small_integers():
    """The variance of a sparse matrix of int8 does not overflow."""
    rows = np.random.default_rng(0).integers(-100, 100, (60, 4)).astype(np.int8)
    y = (rows[:, 0] > 0).astype(int)
    a = SVC(kernel="poly", tol=1e-9).fit(scipy.sparse.csr_matrix(rows), y)
    b = SVC(kernel="poly", tol=1e-9).fit(rows.astype(float), y)
    assert np.abs(a.decision_function(rows) - b.decision_function(rows)).max() <= 1e-4


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_dual_coefficients_make_the_decision(kernel):
    """f(x) = sum of dual_coef_ * k(x, support vectors) + b with one b for all rows."""
    rows, y = two()
    model = SVC(kernel=kernel, gamma=0.1, degree=2, coef0=1, tol=1e-9).fit(rows, y)
    products = rows @ model.support_vectors_.T
    squares = (rows**2).sum(axis=1)[:, None] + (model.support_vectors_**2).sum(axis=1) - 2 * products
    values = {"rbf": np.exp(-0.1 * squares), "poly": (0.1 * products + 1) ** 2, "linear": products}[kernel]
    offsets = model.decision_function(rows) - values @ model.dual_coef_[0]
    assert np.ptp(offsets) <= 1e-9
    signs = 2 * y[model.support_] - 1
    assert (model.dual_coef_[0] * signs > 0).all()
    assert np.abs(model.dual_coef_).max() <= 1 + 1e-12
    assert abs(model.dual_coef_.sum()) <= 1e-6


def test_sample_weights_of_svc():
    """Numbers of support rows are those of the rows given, also if some have weight 0."""
    rows, y = two()
    weights = np.random.default_rng(2).choice([0, 0.5, 3], len(y))
    ours = SVC(gamma=0.1, tol=1e-10).fit(rows, y, weights)
    theirs = sklearn.svm.SVC(gamma=0.1, tol=1e-10).fit(rows, y, weights)
    given = np.flatnonzero(weights)  # theirs counts the rows that have a weight
    assert np.array_equal(ours.support_, given[theirs.support_])
    assert np.array_equal(ours.support_vectors_, theirs.support_vectors_)
    assert np.abs(ours.dual_coef_ - theirs.dual_coef_).max() <= 1e-3
    linear = SVC(kernel="linear", tol=1e-10).fit(rows, y, weights)
    theirs = sklearn.svm.SVC(kernel="linear", tol=1e-10).fit(rows, y, weights)
    assert np.array_equal(linear.support_, given[theirs.support_])
    assert np.abs(linear.coef_ - theirs.coef_).max() <= 1e-4


def test_linear_kernel_has_weights():
    ours = SVC(kernel="linear", tol=1e-9).fit(X, Y)
    theirs = sklearn.svm.SVC(kernel="linear", tol=1e-9).fit(X, Y)
    assert ours.coef_.shape == (3, 4)
    assert np.abs(ours.coef_ - theirs.coef_).max() <= 1e-3
    assert np.abs(ours.intercept_ - theirs.intercept_).max() <= 1e-3
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() <= 1e-4
    assert not hasattr(SVC().fit(X, Y), "coef_")


def test_precomputed_kernel():
    rows, y = two()
    gram = rows @ rows.T
    ours = SVC(kernel="precomputed", tol=1e-9).fit(gram[:80, :80], y[:80])
    theirs = sklearn.svm.SVC(kernel="precomputed", tol=1e-9).fit(gram[:80, :80], y[:80])
    assert np.array_equal(ours.support_, theirs.support_)
    assert np.abs(ours.decision_function(gram[80:, :80]) - theirs.decision_function(gram[80:, :80])).max() <= 1e-4


def test_kernel_expressions():
    rows, y = two()
    ours = SVC(kernel="rbf(0.3)", tol=1e-9).fit(rows, y)
    assert np.abs(ours.decision_function(rows) - SVC(gamma=0.3, tol=1e-9).fit(rows, y).decision_function(rows)).max() <= 1e-6
    model = SVC(kernel="0.5*rbf(0.1) + poly(2, 1)").fit(rows, y)
    assert model.converged_
    assert model.score(rows, y) >= 0.7


def test_one_vs_rest_svc():
    ours = SVC(multi_class="ovr", tol=1e-9).fit(X, Y)
    theirs = OneVsRestClassifier(sklearn.svm.SVC(tol=1e-9)).fit(X, Y)
    assert ours.dual_coef_.shape == (3, len(ours.support_))
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() <= 1e-3


def test_hard_margin():
    pair = Y != 2
    model = SVC(kernel="linear", hard=True, tol=1e-9).fit(X[pair], Y[pair])
    theirs = sklearn.svm.SVC(kernel="linear", C=1e6, tol=1e-9).fit(X[pair], Y[pair])
    assert np.abs(model.coef_ - theirs.coef_).max() <= 1e-3
    with pytest.raises(halfspace.NotSeparableError) as caught:
        SVC(kernel="linear", hard=True).fit(X, Y == 2)
    rows, multipliers = caught.value.evidence["rows"], np.array(caught.value.evidence["multipliers"])
    signs = np.where((Y == 2)[rows], 1, -1)
    assert np.abs((multipliers * signs) @ X[rows]).max() <= 1e-6
    assert multipliers[signs > 0].sum() == pytest.approx(1)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_neighbours(metric, storage):
    rows, y = blobs(100, 6, 3, seed=5)
    test, _ = blobs(40, 6, 3, seed=6)
    as_given = scipy.sparse.csr_matrix if storage == "sparse" else np.asarray
    ours = KNeighborsClassifier(7, metric=metric).fit(as_given(rows), y)
    theirs = sklearn.neighbors.KNeighborsClassifier(7, metric=metric, algorithm="brute").fit(rows, y)
    distances, numbers = ours.kneighbors(as_given(test))
    expected, indices = theirs.kneighbors(test)
    assert np.abs(distances - expected).max() <= 1e-12
    assert np.array_equal(numbers, indices)
    assert numbers.dtype == np.int64
    assert np.array_equal(ours.kneighbors(as_given(test), 3, return_distance=False), indices[:, :3])
    assert np.abs(ours.predict_proba(as_given(test)) - theirs.predict_proba(test)).max() <= 1e-15
    counts = np.sort(theirs.predict_proba(test), axis=1)
    clear = counts[:, -1] > counts[:, -2]
    assert np.array_equal(ours.predict(as_given(test))[clear], theirs.predict(test)[clear])


def test_weighted_neighbours():
    rows, y = blobs(100, 4, 3, seed=5)
    ours = KNeighborsClassifier(weights="distance").fit(rows, y)
    theirs = sklearn.neighbors.KNeighborsClassifier(weights="distance").fit(rows, y)
    test, _ = blobs(40, 4, 3, seed=6)
    for some in (test, rows[:10]):  # the second has distances of 0
        assert np.abs(ours.predict_proba(some) - theirs.predict_proba(some)).max() <= 1e-12
        assert np.array_equal(ours.predict(some), theirs.predict(some))


def test_number_of_neighbours():
    rows, y = blobs(30, 4, 2, seed=5)
    with pytest.warns(UserWarning, match="there are 30 rows: all of them vote"):
        assert KNeighborsClassifier(100).fit(rows, y).kneighbors(rows[:2])[1].shape == (2, 30)
    model = KNeighborsClassifier("auto").fit(rows, y)
    assert 1 <= model.n_neighbors_ <= 30
    assert model.kneighbors(rows)[0].shape == (30, model.n_neighbors_)
    with pytest.raises(ValueError, match="n_neighbors: found 31, but the model has 30 rows"):
        model.kneighbors(rows, 31)
    with pytest.raises(ValueError, match="1 or more"):
        model.kneighbors(rows, 0)


# ---- The rest of the interface ---------------------------------------------------------------------


def test_labels_are_returned_as_given():
    texts = np.array(["a b", "", "é,\n"], dtype=object)
    for labels in (NAMES, np.array([10, 20, 30], dtype=np.int16), np.array([0.0, 1.0, 7.0]), texts):
        model = LinearSVM().fit(X, labels[Y])
        assert model.classes_.dtype == labels.dtype
        assert np.array_equal(model.classes_, np.unique(labels))
        assert model.predict(X).dtype == labels.dtype
        assert np.mean(model.predict(X) == labels[Y]) >= 0.9
    model = LinearSVM().fit(X, Y == 1)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == bool


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_positive_scores_mean_the_second_class(cls):
    centred = X - X[Y != 2].mean(axis=0)  # experts vote by sign
    model = cls().fit(centred[Y != 2], NAMES[Y[Y != 2]])
    if not hasattr(model, "decision_function"):
        assert cls is KNeighborsClassifier
        return
    scores = model.decision_function(centred)
    assert scores.shape == (150,)
    clear = scores != 0
    assert clear.sum() >= 50
    assert np.array_equal(model.predict(centred)[clear], model.classes_[(scores > 0).astype(int)][clear])


def test_boundary_without_a_class():
    """tie="zero": a score of exactly 0 has no class."""
    model = Perceptron(tie="zero", offset="none").fit([[-1.0, 0.0], [1.0, 0.0]], [3, 4])
    assert model.predict([[2.0, 0.0], [-2.0, 1.0]]).dtype == np.int64
    assert model.predict([[2.0, 0.0], [0.0, 1.0]]).tolist() == [4, None]
    assert model.score([[2.0, 0.0], [0.0, 1.0]], [4, 3]) == 0.5
    assert Perceptron(tie="pos", offset="none").fit([[-1.0, 0.0], [1.0, 0.0]], [3, 4]).predict([[0.0, 1.0]]).tolist() == [4]


def test_not_fitted():
    for cls in estimator_classes():
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            cls().predict(X)
        with pytest.raises(halfspace.NotFittedError):
            cls().save("nowhere.hsp")


def test_a_failed_fit_leaves_nothing_behind():
    """An old model must not predict with the classes of new rows."""
    model = LinearSVM().fit(X, Y)
    for wrong in ((X, np.zeros(150)), (X, Y[:10]), (X[:, :2], [np.nan] * 150), (np.full((150, 4), np.nan), Y)):
        with pytest.raises(ValueError):
            model.fit(*wrong)
        with pytest.raises(NotFittedError):
            model.predict(X)
    assert model.fit(X, Y).score(X, Y) >= 0.9


def test_partial_fit():
    rows, y = blobs(100, 4, 3, seed=2)
    whole = Perceptron(passes=1).fit(rows, y)
    parts = Perceptron()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        parts.partial_fit(rows[:50], y[:50])
    parts.partial_fit(rows[:50], y[:50], classes=[0, 1, 2])
    before = parts.coef_
    with pytest.raises(ValueError, match="is not the same as on last call"):
        parts.partial_fit(rows[50:], y[50:], classes=[0, 1])
    with pytest.raises(ValueError, match="not among the classes"):
        parts.partial_fit(rows[50:], y[50:] + 1)
    with pytest.raises(ValueError, match="contains NaN"):
        parts.partial_fit(np.full((2, 4), np.nan), [0, 1])
    assert same_bits(parts.coef_, before)  # rows that cannot be learned from undo nothing
    parts.partial_fit(rows[50:], y[50:])
    assert same_bits(whole.coef_, parts.coef_)
    assert same_bits(whole.intercept_, parts.intercept_)
    assert not hasattr(Classifier("svm"), "partial_fit")
    assert hasattr(Classifier("perceptron"), "partial_fit")


def test_warm_start():
    rows, y = two(1000)
    model = LinearSVM(loss="hinge", tol=1e-6, warm_start=True, keep_dual=True).fit(rows, y)
    first = model.n_iter_
    model.fit(rows, y)
    assert model.n_iter_ < first
    assert model.converged_
    model.fit(rows[:, :3], y)  # other columns: from the beginning
    assert model.coef_.shape == (1, 3)
    model.fit(rows, y + 1)
    assert model.classes_.tolist() == [1, 2]


def test_seeds():
    rows, y = two()
    a = Perceptron(order="shuffle", random_state=7).fit(rows, y).coef_
    b = Perceptron(order="shuffle", random_state=np.int32(7)).fit(rows, y).coef_
    c = Perceptron(order="shuffle", random_state=8).fit(rows, y).coef_
    assert same_bits(a, b)
    assert not same_bits(a, c)
    draws = [Perceptron(order="shuffle", random_state=np.random.RandomState(0)).fit(rows, y).coef_ for _ in range(2)]
    assert same_bits(*draws)
    generator = np.random.default_rng(0)
    draws = [Perceptron(order="shuffle", random_state=generator).fit(rows, y).coef_ for _ in range(2)]
    assert not same_bits(*draws)


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_threads_change_nothing(cls):
    rows, y = blobs(3000, 8, 3, seed=4)
    results = []
    for n_jobs in (None, 2, -1):
        model = cls(n_jobs=n_jobs).fit(rows, y)
        results.append(model.decision_function(rows) if hasattr(model, "decision_function") else model.predict_proba(rows))
    assert same_bits(results[0], results[1])
    assert same_bits(results[0], results[2])


def test_report():
    model = LinearSVM().fit(X, Y)
    report = model.report_
    assert report["objective"] >= report["dual_objective"]
    assert model.gap_ == pytest.approx((report["objective"] - report["dual_objective"]) / report["objective"], rel=1e-6)
    assert model.metadata_["learner"] == "svm"
    assert model.n_iter_ >= 1
    with pytest.raises(AttributeError, match="no duality gap"):
        Perceptron().fit(X, Y).gap_


def test_cross_val_predict_of_probabilities():
    probabilities = cross_val_predict(LogisticRegression(), X, Y, method="predict_proba")
    assert np.mean(probabilities.argmax(axis=1) == Y) >= 0.9


@pytest.mark.parametrize("C", [0.001, 0.01, 0.03])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_small_costs_leave_the_offset_in_the_middle(kernel, C):
    """With a small C every row is inside the margin, and any offset of an interval is optimal: both take its middle."""
    ours, theirs = SVC(kernel=kernel, C=C, tol=1e-9).fit(X, Y), sklearn.svm.SVC(kernel=kernel, C=C, tol=1e-9).fit(X, Y)
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() <= 1e-2
    assert ours.score(X, Y) == theirs.score(X, Y)


def test_precomputed_kernels_are_split_on_both_sides():
    rows, y = two()
    assert cross_val_score(SVC(kernel="precomputed"), rows @ rows.T, y).mean() >= 0.8


def test_degrees_are_whole_numbers():
    with pytest.raises(ValueError, match="degree: found 2.5, expected a whole number"):
        SVC(kernel="poly", degree=2.5).fit(X, Y)


def test_a_run_that_stalls_says_so():
    with pytest.warns(ConvergenceWarning, match="no step gets further.*Scale the columns"):
        model = LogisticRegression().fit(X * 1e9, Y)
    assert not model.converged_
    assert model.gap_ > 1e-3


def test_names_of_other_solvers():
    for solver in ("lbfgs", "liblinear", "saga"):
        assert same_bits(LogisticRegression(solver=solver).fit(X, Y).coef_, LogisticRegression().fit(X, Y).coef_)
    assert same_bits(LogisticRegression(multi_class="auto").fit(X, Y).coef_, LogisticRegression().fit(X, Y).coef_)


def test_more_neighbors_than_rows():
    with pytest.warns(UserWarning, match="n_neighbors is 1000, and there are 150 rows"):
        KNeighborsClassifier(1000).fit(X, Y)


def test_none_is_no_value():
    with pytest.raises(ValueError, match="penalty=None has no meaning"):
        LogisticRegression(penalty=None).fit(X, Y)


class Costly(LinearSVM):
    """An estimator of a user's own, with fewer parameters."""

    def __init__(self, C=100.0):
        super().__init__(C=C)


def test_classes_of_users():
    assert Costly().get_params() == {"C": 100.0}
    assert same_bits(clone(Costly()).fit(X, Y).coef_, LinearSVM(C=100.0).fit(X, Y).coef_)
