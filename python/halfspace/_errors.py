"""Exceptions and warnings, in scikit-learn's classes where it is loaded."""
from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Dict, Mapping, Optional, Set

from . import _core


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


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that points at the line outside of the package that called it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "halfspace":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _words_of_options() -> Dict[str, Set[str]]:
    """The words that stand for values of each option in sentences: choices, and placeholders such as CLASS."""
    found: Dict[str, Set[str]] = {}
    for kind in ("learner", "read", "certify", "plot"):
        for table in _core.tables(kind):
            for option in table["options"]:
                words = found.setdefault(option["name"], set())
                words.update((option["choices"] or "").split("|"), [option["meta"] or ""])
                if option["type"] == "flag":
                    words.add("True")
    return found


def python_words(text: str, parameters: Optional[Mapping[str, str]] = None) -> str:
    """A sentence of the library with Python's names: "--tie pos" becomes tie="pos".

    ``parameters``: option to parameter, where the names differ.
    """
    if "--" not in text:
        return text
    names, words = parameters or {}, _words_of_options()

    def rename(match: re.Match[str]) -> str:
        option, word = match.group(1), match.group(2)
        name = names.get(option, option.replace("-", "_"))
        if word is None or word not in words.get(option, ()):
            rest = "" if word is None else f" {word}"
            return (f"{name}=True" if "True" in words.get(option, ()) else name) + rest
        return f"{name}={word}" if word.isupper() or "," in word else f'{name}="{word}"'

    return re.sub(r"--([A-Za-z][A-Za-z0-9-]*)(?: ([A-Za-z0-9-]+(?:,[A-Z])?))?", rename, text)


def warn_library(message: str) -> None:
    """A warning of the library, with Python's names; python/src/core.c calls it."""
    warn(python_words(message))


# Words of options that Python has others for.
_WORDS = [('loss="squared"', 'loss="squared_hinge"'), ("expected hinge or squared", "expected hinge or squared_hinge"),
          ("expected majority or distance", "expected uniform or distance"), ("C and lambda set", "C and alpha set"),
          ("1 / (lambda n)", "1 / (alpha n)"), ("expected free, regularized or none", "expected True, False or 'regularized'"),
          ("found 'yes'", "found True")]  # fmt: skip


def translate(error: Exception, parameters: Optional[Mapping[str, str]] = None) -> Exception:
    """The exception for an error of the library, with the names of parameters instead of options."""
    status, file, line, column, message = error.args
    message = python_words(message, parameters)
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    if file.startswith("--"):
        option = file[2:]
        message = f"{(parameters or {}).get(option, option.replace('-', '_'))}: {message}"
    elif file:
        place = f"{file}:{line}:{column}" if column else f"{file}:{line}" if line else file
        message = f"{place}: {message}"
    if status == "HSP_NO_MEMORY":
        return MemoryError(message)
    if status == "HSP_IO":
        return FileNotFoundError(message) if "No such file or directory" in message else OSError(message)
    if status == "HSP_TIME_LIMIT":
        return TimeoutError(message)
    if status in ("HSP_UNSUPPORTED", "HSP_CANCELLED"):
        return RuntimeError(message)
    return ValueError(message)
