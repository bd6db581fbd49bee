"""Exceptions and warnings, in scikit-learn's classes where it is loaded."""
from __future__ import annotations

import re
import sys
from typing import Any, Mapping


class NotFittedError(ValueError, AttributeError):
    """The estimator was used before ``fit``."""


class ConvergenceWarning(UserWarning):
    """Training ended before the duality gap reached its target."""


class DataConversionWarning(UserWarning):
    """An array was reshaped or converted."""


class NotSeparableError(ValueError):
    """A separator was demanded, and none exists.

    Attributes
    ----------
    evidence : dict
        ``rows`` and ``multipliers``: with these multipliers the rows of both classes have the same mean,
        up to ``distance``. No separator has a margin above ``margin``. With more than two classes, ``of``
        and ``against`` name those that cannot be separated.
    """

    def __init__(self, message: str, evidence: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.evidence = dict(evidence)


_joined: dict[type, type] = {}


def like_sklearn(own: type) -> type:
    """The class, or one that is scikit-learn's class of the same name, too, if scikit-learn is loaded."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, None)
    if theirs is None:
        return own
    if own not in _joined:
        _joined[own] = type(own.__name__, (own, theirs), {"__module__": own.__module__, "__doc__": own.__doc__})
    return _joined[own]


def translate(error: Exception, parameters: Mapping[str, str] | None = None) -> Exception:
    """The exception for an error of the library.

    Options are named as on the command line there ("--max-passes"); here they get the names of the
    parameters. ``parameters``: option to parameter.
    """
    status, file, line, column, message = error.args
    names = parameters or {}

    def rename(match: re.Match[str]) -> str:
        option = match.group(1)
        return names.get(option, option.replace("-", "_"))

    message = re.sub(r"--([A-Za-z][A-Za-z0-9-]*)", rename, message)
    if file.startswith("--"):
        message = f"{rename(re.match('--(.*)', file))}: {message}"  # type: ignore[arg-type]
    elif file:
        place = f"{file}:{line}:{column}" if column else f"{file}:{line}" if line else file
        message = f"{place}: {message}"
    if status == "HSP_NO_MEMORY":
        return MemoryError(message)
    if status == "HSP_IO":
        return OSError(message)
    if status == "HSP_TIME_LIMIT":
        return TimeoutError(message)
    if status in ("HSP_UNSUPPORTED", "HSP_CANCELLED"):
        return RuntimeError(message)
    return ValueError(message)
