"""Linear separators and kernel machines, fast, with answers that can be checked.

The estimators follow scikit-learn's interface: ``fit``, ``predict``, ``decision_function``, ``predict_proba``,
``score``. ``certify`` proves statements about data and models, and an independent checker confirms them.

>>> import numpy as np, halfspace
>>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
>>> y = np.array(["near", "near", "far", "far"])
>>> halfspace.LinearSVM().fit(X, y).predict([[0.5, 0.5], [3.5, 3.0]]).tolist()
['near', 'far']
"""
from __future__ import annotations

from . import _core
from ._classifier import Classifier
from ._data import Dataset, LoadedModel, load, load_libsvm_model, plot, read
from ._errors import ConvergenceWarning, DataConversionWarning, NotFittedError, NotSeparableError
from ._estimators import (
    Experts,
    KernelPerceptron,
    KNeighborsClassifier,
    LinearSVM,
    LogisticRegression,
    LPSeparator,
    Perceptron,
    SVC,
    Winnow,
)
from ._figures import Figure
from ._proof import Audit, Certificate, ErrorBounds, Verification, bound, certify, verify, write_exact

__version__ = _core.version()

__all__ = [
    "Audit",
    "Certificate",
    "Classifier",
    "ConvergenceWarning",
    "DataConversionWarning",
    "Dataset",
    "ErrorBounds",
    "Experts",
    "Figure",
    "KNeighborsClassifier",
    "KernelPerceptron",
    "LPSeparator",
    "LinearSVM",
    "LoadedModel",
    "LogisticRegression",
    "NotFittedError",
    "NotSeparableError",
    "Perceptron",
    "SVC",
    "Verification",
    "Winnow",
    "bound",
    "certify",
    "load",
    "load_libsvm_model",
    "plot",
    "read",
    "save",
    "verify",
    "write_exact",
]


def save(model: Classifier, path: str) -> None:
    """Write a fitted estimator's model to a file, as ``model.save(path)`` does."""
    model.save(path)
