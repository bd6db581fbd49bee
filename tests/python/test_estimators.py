"""scikit-learn's own checks of estimators, one test each."""
from __future__ import annotations

import unittest
import warnings

import pytest

pytest.importorskip("sklearn")
import sklearn.linear_model
from sklearn.utils._tags import _safe_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import halfspace
from helpers import estimator_classes

pytestmark = pytest.mark.filterwarnings("ignore")

ESTIMATORS = [
    *(cls() for cls in estimator_classes()),
    halfspace.SVC(kernel="linear"),
    halfspace.SVC(tol=1e-9),
    halfspace.SVC(kernel="poly", degree=2, coef0=1),
    halfspace.LinearSVM(loss="hinge"),
    halfspace.LinearSVM(multi_class="ovo"),
    halfspace.LinearSVM(scale="standard"),
    halfspace.LogisticRegression(multi_class="ovr"),
    halfspace.LogisticRegression(penalty="l1"),
    halfspace.Perceptron(average="average"),
    halfspace.Perceptron(order="shuffle", passes=50),
    halfspace.Classifier("knn"),
    halfspace.Classifier("perceptron"),
    halfspace.Classifier("logistic"),
    halfspace.KNeighborsClassifier(weights="distance"),
]


@parametrize_with_checks(ESTIMATORS)
def test_check(estimator, check):
    check(estimator)


def checks_of(estimator):
    """The names of the checks that scikit-learn has for an estimator, and the checks."""
    for one, check in check_estimator(estimator, generate_only=True):
        yield getattr(check, "func", check).__name__, one, check


def test_every_estimator_is_here():
    names = {type(estimator).__name__ for estimator in ESTIMATORS}
    assert names == {cls.__name__ for cls in estimator_classes()}
    assert len(names) >= 10


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_no_check_is_missing(estimator):
    """An estimator that lacks a method or a parameter would get fewer checks, silently."""
    theirs = {name for name, _, _ in checks_of(sklearn.linear_model.LogisticRegression())}
    ours = {name for name, _, _ in checks_of(estimator)}
    missing = theirs - ours - {"check_sparsify_coefficients"} - set(_safe_tags(estimator, "_xfail_checks") or {})
    if not hasattr(estimator, "class_weight"):
        missing -= {"check_class_weight_classifiers"}
    weights = "sample_weight" in estimator.fit.__code__.co_varnames
    if not weights:
        missing = {name for name in missing if "sample_weight" not in name}
    assert not missing
    assert weights == (getattr(estimator, "learner", type(estimator).__name__) not in WITHOUT_WEIGHTS)


WITHOUT_WEIGHTS = {"Perceptron", "KernelPerceptron", "Winnow", "Experts", "KNeighborsClassifier", "perceptron", "knn"}


def test_what_is_skipped(capsys):
    """Checks are skipped only for a reason that the estimator's tags declare."""
    skipped, ran = [], 0
    for estimator in ESTIMATORS:
        declared = _safe_tags(estimator, "_xfail_checks") or {}
        for _, one, check in checks_of(estimator):
            ran += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(one)
            except unittest.SkipTest as skip:
                skipped.append(f"{estimator!r}: {skip}")
                assert any(name in str(skip) and why in str(skip) for name, why in declared.items()), skipped[-1]
    with capsys.disabled():
        print(f"{ran} checks of scikit-learn, {len(skipped)} skipped", *skipped, sep="\n  ")
    assert ran > 1000
    assert {line.partition("(")[0] for line in skipped} <= {"SVC"}
    assert len(skipped) <= 4
