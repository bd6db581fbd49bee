#!/usr/bin/env python3
"""Write halfspace/_estimators.py from the library's tables of options: python/generate.py FOLDER [--check]

FOLDER holds the built package (make python: build/python/lib). A test compares the file with what this writes, so that
an option that is added to the library appears in Python, too.
"""
from __future__ import annotations

import os
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "halfspace", "_estimators.py")

# Options that arrays do without: classes and weights are arguments of fit, models are objects.
DROPPED = {"positive", "classes", "row-weight", "warm-start"}

# scikit-learn's names of options that mean the same.
NAMES = {
    "lambda": "alpha",
    "gap": "tol",
    "weight": "class_weight",
    "seed": "random_state",
    "multiclass": "multi_class",
    "k": "n_neighbors",
    "vote": "weights",
}

# Options whose table says text, and what Python has: (type, default).
TYPES = {
    "k": ("Union[int, str]", 5),
    "margin-target": ("Union[float, str]", 0),
    "passes": ("Union[int, str]", None),
    "weight": ("Union[Dict[Any, float], str, None]", None),
    "seed": ("Any", None),
}

# What the help of an option says otherwise in Python.
HELP = {
    "weight": 'Factor on the loss of each class, a dictionary; "balanced": as if all classes had the same size (one-vs-rest: as if the class '
    "and the rest had the same size).",
    "calibrate": "Fit probabilities to held-out scores by cross-validation. The model then predicts its most probable class, which can differ from the sign of "
    "its score.",
    "seed": "Seed of the random order: a number, or a numpy generator to draw it from. None is the seed 1: a run can always be repeated.",
    "hard": "Hard margin: the separator of widest margin. If there is none, fit raises NotSeparableError, with the evidence.",
    "margin-target": 'Also learn from rows with y s(x) below this: a number, or "0.1r" for 0.1 times the largest row norm.',
    "threshold": "Predict the second class if <w, x> is at least this. None: the number of columns (balanced: 0).",
    "delta": "On a mistake, weights are multiplied or divided by 1 + delta.",
    "approx": 'Approximate the kernel by M explicit features: "nystrom:M" (from M rows) or "fourier:M".',
    "constant": 'Value of the constant column of offset="append".',
    "convergence": "Write one CSV line per pass of the solver to this file: objective, lower bound, gap.",
    "warm_start": "Begin at the result of the last call of fit.",
    "n_jobs": "Threads: -1 for all processors, None for one. No result depends on it.",
    "verbose": "1 shows progress, by tqdm if it is installed.",
}

DATA = """\
>>> import numpy as np, halfspace
>>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]])
>>> y = np.array([0, 0, 1, 1])
"""

EXPANDED = {"kernel", "gamma", "allow-indefinite", "approx", "budget"}

ESTIMATORS = [
    dict(
        name="Perceptron",
        learner="perceptron",
        bases="_Unweighted, _Online",
        summary="Rosenblatt's perceptron, with its classical variants.",
        text="On each mistake the row is added to the weights, or subtracted. If a separator of margin gamma exists, there are at "
        "most (R / gamma)^2 mistakes; ``audit`` compares a run with its bounds.",
        drop=EXPANDED,
        warm_start=True,
        example=DATA
        + """\
>>> model = halfspace.Perceptron(passes="until-converged").fit(X, y)
>>> model.predict(X).tolist()
[0, 0, 1, 1]
>>> model.audit(X, y).held
True
""",
    ),
    dict(
        name="KernelPerceptron",
        learner="perceptron",
        bases="_Unweighted, _WithDecision",
        summary="The perceptron in the feature space of a kernel.",
        text="The model is a sum of kernels at the rows on which it made mistakes.",
        defaults={"kernel": "rbf"},
        drop={"trace", "reference"},
        example="""\
>>> import numpy as np, halfspace
>>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
>>> halfspace.KernelPerceptron(kernel="poly(2, 1)", passes=100).fit(X, [0, 0, 1, 1]).predict(X).tolist()
[0, 0, 1, 1]
""",
    ),
    dict(
        name="Winnow",
        learner="winnow",
        bases="_Unweighted, _Online",
        summary="Winnow: multiplicative updates, for many columns of which few matter.",
        text="Values must be from 0 to 1; the default scales columns there. The number of mistakes on a disjunction of r of n columns "
        "grows with r log n.",
        defaults={"scale": "min-max"},
        drop=set(),
        warm_start=True,
        tags={"poor_score": True},
        example="""\
>>> import numpy as np, halfspace
>>> X = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
>>> model = halfspace.Winnow(passes="until-converged").fit(X, [1, 1, 0, 0])
>>> model.predict(X).tolist()
[1, 1, 0, 0]
>>> model.audit(X, [1, 1, 0, 0], disjunction=[1, 2]).held
True
""",
    ),
    dict(
        name="Experts",
        learner="experts",
        bases="_Unweighted, _Online",
        summary="The weighted majority of experts: every column votes, and is trusted by its record.",
        text="Columns are votes: the sign of a number, or 0 and 1. The number of mistakes is bounded by that of the best expert.",
        defaults={"negated": True},
        linear=False,
        drop=set(),
        warm_start=True,
        tags={"poor_score": True},
        example="""\
>>> import numpy as np, halfspace
>>> X = np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]])
>>> halfspace.Experts(passes=3).fit(X, [1, 1, 0, 0]).predict(X).tolist()
[1, 1, 0, 0]
""",
    ),
    dict(
        name="SVC",
        learner="svm",
        bases="_SVC, _Weighted, _Linear",
        summary="The support vector machine, with a kernel or linear, to a proven duality gap.",
        text="Minimises ||w||^2 / 2 + C * sum of hinge losses. ``kernel`` is one of scikit-learn's names or any kernel expression of the library: "
        '"rbf(0.5) + poly(2, 1)". More than two classes: one-vs-one, as in LIBSVM.',
        defaults={"kernel": "rbf", "gamma": "scale", "C": 1.0, "multiclass": "ovo"},
        drop={"penalty", "loss", "solver", "order", "average", "keep-dual", "convergence", "approx"},
        rename={"offset": "fit_intercept", "max-passes": "max_iter", "cache-mb": "cache_size"},
        types={
            "gamma": ("Union[float, str]", "scale"),
            "offset": ("Union[bool, str]", True),
            "kernel": ("str", "rbf"),
            "C": ("float", 1.0),
        },
        help={
            "gamma": 'Factor of rbf, poly and sigmoid: a number, "scale" for 1 / (n_features * X.var()), or "auto" for 1 / n_features.',
            "kernel": 'Kernel: "linear", "rbf", "poly", "sigmoid", or an expression.',
            "offset": "Learn the offset b; False: separators through the origin. \"regularized\": penalise it like a weight.",
        },
        extra=[
            ("degree", "int", 3, "Degree of the kernel poly."),
            ("coef0", "float", 0.0, "Constant of the kernels poly and sigmoid."),
            (
                "probability",
                "bool",
                False,
                'Have predict_proba: the same as calibrate="platt", so predict gives the most probable class (in scikit-learn it does not change).',
            ),
        ],
        warm_start=True,
        attributes="""\
support_ : ndarray of shape (n_SV,)
    The numbers of the support rows, class by class.
support_vectors_ : array or sparse matrix of shape (n_SV, n_features)
    The support rows.
n_support_ : ndarray of shape (n_classes,)
    How many of each class there are.
dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
    Their coefficients, in scikit-learn's order; with ``multi_class="ovr"``, one line per class.
""",
        example=DATA
        + """\
>>> model = halfspace.SVC(kernel="linear", C=100, tol=1e-9).fit(X, y)
>>> model.coef_.round(4).tolist(), model.intercept_.round(4).tolist()
([[0.4, 0.4]], [-1.4])
>>> halfspace.SVC().fit(X, y).predict([[3.5, 3.0]]).tolist()
[1]
""",
    ),
    dict(
        name="LinearSVM",
        learner="svm",
        bases="_LinearSVM, _Weighted, _Linear",
        summary="The linear support vector machine, with the parameters of scikit-learn's LinearSVC.",
        text="Minimises ||w||^2 / 2 + C * sum of losses to a proven duality gap. The offset is not penalised (LinearSVC penalises it).",
        defaults={"C": 1.0, "loss": "squared_hinge"},
        drop=EXPANDED | {"cache-mb"},
        rename={"offset": "fit_intercept", "max-passes": "max_iter"},
        types={
            "offset": ("Union[bool, str]", True),
            "C": ("float", 1.0),
            "loss": ('Literal["squared_hinge", "hinge"]', "squared_hinge"),
            "multiclass": ('Literal["ovr", "ovo", "crammer_singer"]', "ovr"),
        },
        help={
            "offset": "Learn the offset b; False: separators through the origin. \"regularized\": penalise it like a weight, as LinearSVC does.",
            "loss": "Loss of a row: the square of max(0, 1 - y s), or max(0, 1 - y s) itself.",
        },
        extra=[("dual", "Any", "auto", "Accepted for compatibility: solver decides how the same optimum is found.")],
        warm_start=True,
        example=DATA
        + """\
>>> model = halfspace.LinearSVM(loss="hinge").fit(X, y)
>>> model.predict([[0.5, 0.5], [3.5, 3.0]]).tolist()
[0, 1]
>>> model.converged_ and model.gap_ <= 1e-3
True
""",
    ),
    dict(
        name="LogisticRegression",
        learner="logistic",
        bases="_SklearnWords, _Weighted, _Linear",
        summary="Logistic regression, multinomial with more than two classes, to a proven duality gap.",
        text="Minimises ||w||^2 / 2 + C * sum of log losses; ``penalty=\"l1\"`` makes many weights 0.",
        defaults={"C": 1.0},
        drop=set(),
        rename={"offset": "fit_intercept", "max-passes": "max_iter"},
        types={
            "offset": ("Union[bool, str]", True),
            "C": ("float", 1.0),
            "multiclass": ('Literal["softmax", "multinomial", "auto", "ovr", "ovo"]', "softmax"),
            "solver": ("str", "auto"),
        },
        help={
            "offset": "Learn the offset b; False: separators through the origin. \"regularized\": penalise it like a weight.",
            "solver": "Solver; auto decides by the shape of the data. The names of scikit-learn's solvers mean auto: all find the same optimum.",
        },
        warm_start=True,
        example=DATA
        + """\
>>> model = halfspace.LogisticRegression().fit(X, y)
>>> model.predict_proba([[0.5, 0.5], [3.5, 3.0]]).round(2).tolist()
[[0.87, 0.13], [0.13, 0.87]]
""",
    ),
    dict(
        name="LPSeparator",
        learner="lp",
        bases="_Weighted, _Linear",
        summary="A separator by linear programming.",
        text="With ``soft=False`` a separator is demanded: if there is none, ``fit`` raises NotSeparableError, with a common point of the "
        "convex hulls as evidence.",
        defaults={"soft": True},
        drop=set(),
        example=DATA
        + """\
>>> halfspace.LPSeparator(soft=False).fit(X, y).score(X, y)
1.0
>>> try:
...     halfspace.LPSeparator(soft=False).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
... except halfspace.NotSeparableError as error:
...     print(error.evidence["rows"], error.evidence["multipliers"])
[0, 1, 2] [0.5, 1.0, 0.5]
""",
    ),
    dict(
        name="KNeighborsClassifier",
        learner="knn",
        bases="_Neighbors, _Unweighted",
        summary="The vote of the k nearest neighbours, found exactly.",
        text="",
        drop=set(),
        positional=["k"],
        types={
            "vote": ('Literal["uniform", "distance"]', "uniform"),
            "metric": ("str", "l2"),
        },
        help={
            "vote": "Weight of a neighbour's vote: 1, or 1 / distance.",
            "metric": 'Distance: "l2" ("euclidean"), "l1" ("manhattan"), "linf" ("chebyshev"), "cosine", "hamming", or "kernel:EXPR", which is '
            "l2 in the feature space.",
        },
        example=DATA
        + """\
>>> model = halfspace.KNeighborsClassifier(n_neighbors=3).fit(X, y)
>>> model.predict([[0.5, 0.5]]).tolist()
[0]
>>> model.kneighbors([[0.5, 0.5]], n_neighbors=1, return_distance=False).tolist()
[[0]]
""",
    ),
]

ATTRIBUTES = """\
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
"""
LINEAR = """\
coef_ : ndarray of shape (n_scores, n_features)
    Weights of the columns of X as given, scaling undone.
intercept_ : ndarray of shape (n_scores,)
    Offsets. Like ``coef_``, only if the model is linear in the columns.
"""
GAP = """\
gap_ : float
    The relative duality gap, (objective - proven lower bound) / objective.
"""

HEAD = '''"""The estimators: generated from the library's tables of options by python/generate.py. Do not edit."""
from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Union

from ._base import _Linear, _Online, _Unweighted, _Weighted, _WithDecision
from ._compat import _SVC, _LinearSVM, _Neighbors, _SklearnWords
'''


def python_default(option: dict):
    """An option's default as a Python value."""
    text, kind = option["default"], option["type"]
    if kind == "flag":
        return text == "yes"
    if text is None:
        return None
    if kind == "integer":
        return int(float(text)) if text.replace(".", "").replace("e", "").isdigit() else text
    return float(text) if kind == "real" else text


def python_type(option: dict, default) -> str:
    kind = option["type"]
    if kind == "choice":
        names = ", ".join(f'"{name}"' for name in option["choices"].split("|"))
        return f"Literal[{names}]"
    plain = {"flag": "bool", "integer": "int", "real": "float", "text": "str", "list": "Any"}[kind]
    if option["choices"] and kind == "integer":
        plain = "Union[int, str]"
    return plain if default is not None else f"Optional[{plain}]"


def sentence(help: str) -> str:
    """The help of an option as a sentence about parameters."""
    for option, name in [("--kernel", "kernel"), ("--lambda", "alpha"), ("--calibrate", "calibrate"), ("--passes", "passes")]:
        help = help.replace(option, name)
    help = help.replace("--solver pegasos", 'solver="pegasos"').replace("--variant balanced", 'variant="balanced"').replace("--", "")
    help = help.replace("as in the file", "as in X").replace("coordinate DELTA of its own", "coordinate of this size of its own")
    help = help.replace("lambda ||w||", "alpha ||w||").replace("(lambda n)", "(alpha n)")
    return help[0].upper() + help[1:] + "."


def parameters(spec: dict, table: dict, text_of) -> list[tuple]:
    """(name, type, default, option or None, the option's own default as text, help)"""
    found = []
    drop = DROPPED | spec["drop"]
    names = {**NAMES, **spec.get("rename", {})}
    for option in table["options"]:
        key = option["name"]
        if key in drop:
            continue
        own = python_default(option)
        default = spec.get("defaults", {}).get(key, own)
        kind, default = {**TYPES, **spec.get("types", {})}.get(key, (None, default))
        if key == "passes":
            default = own
        kind = kind or python_type(option, default)
        own_text = None if own is None else text_of(own)
        if key == "C":
            own_text = "1"
        help = {**HELP, **spec.get("help", {})}.get(key) or sentence(option["help"])
        if key == "scale" and default != own:
            help += (
                ' Here the default is "min-max", so that values are from 0 to 1; partial_fit keeps the ranges of its first rows, and values '
                'beyond them are an error (scale X before, and give "none").'
            )
        name = names.get(key, key.replace("-", "_"))
        found.append((name, kind, default, key, own_text, help))
    found += [(name, kind, default, None, None, help) for name, kind, default, help in spec.get("extra", [])]
    if spec.get("warm_start"):
        found.append(("warm_start", "bool", False, None, None, HELP["warm_start"]))
    found.append(("n_jobs", "Optional[int]", -1, None, None, HELP["n_jobs"]))
    found.append(("verbose", "int", 0, None, None, HELP["verbose"]))
    return found


def literal(value) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, 116, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def estimator(spec: dict, table: dict, text_of) -> list[str]:
    all_of = parameters(spec, table, text_of)
    lines = ["", "", f"class {spec['name']}({spec['bases']}):", f'    """{spec["summary"]}', ""]
    if spec["text"]:
        lines += [*wrap(spec["text"], "    "), ""]
    lines += ["    Parameters", "    ----------"]
    for name, kind, default, _, _, help in all_of:
        shown = kind.replace("Literal[", "{").replace("]", "}") if kind.startswith("Literal") else kind
        shown = shown.replace("Optional[", "").replace("]", " or None") if shown.startswith("Optional") else shown
        if shown.startswith("Union["):
            shown = " or ".join(part.strip() for part in shown[6:-1].replace("Dict[Any, float]", "dict").split(","))
        lines += [f"    {name} : {shown}, default={literal(default)}", *wrap(help, "        ")]
    lines += ["", "    Attributes", "    ----------"]
    attributes = ATTRIBUTES
    if spec.get("linear", "_Linear" in spec["bases"] or "_Online" in spec["bases"]):
        attributes += LINEAR
    if any(option["name"] == "gap" for option in table["options"]):
        attributes += GAP
    attributes += spec.get("attributes", "")
    lines += ["    " + line for line in attributes.splitlines()]
    lines += ["", "    Examples", "    --------"]
    lines += ["    " + line for line in spec["example"].splitlines()]
    lines += ['    """', "", f'    _learner = "{spec["learner"]}"', "    _options = {"]
    lines += [
        f"        {literal(name)}: ({literal(option)}, {literal(own)})," for name, _, _, option, own, _ in all_of if option
    ]
    lines += ["    }"]
    if spec.get("tags"):
        lines += [f"    _tags = {spec['tags']!r}".replace("'", '"')]
    lines += ["", "    def __init__(", "        self,"]
    positional = [names for names in all_of if names[3] in spec.get("positional", [])]
    lines += [f"        {name}: {kind} = {literal(default)}," for name, kind, default, *_ in positional]
    lines += ["        *,"]
    lines += [f"        {name}: {kind} = {literal(default)}," for name, kind, default, *rest in all_of if (name, kind, default, *rest) not in positional]
    lines += ["    ) -> None:"]
    lines += [f"        self.{name} = {name}" for name, *_ in all_of]
    return lines


def generate(folder: str) -> str:
    import importlib.util

    spec = importlib.util.spec_from_file_location("halfspace._core", os.path.join(folder, "halfspace", "_core.abi3.so"))
    assert spec and spec.loader
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)

    def text_of(value) -> str:  # as halfspace._base.text_of
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
        return str(value)

    tables = {table["name"]: table for table in core.tables("learner")}
    lines = HEAD.splitlines()
    for one in ESTIMATORS:
        lines += estimator(one, tables[one["learner"]], text_of)
    return "\n".join(lines) + "\n"


def main() -> int:
    text = generate(sys.argv[1])
    if "--check" in sys.argv:
        with open(TARGET, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print("python/halfspace/_estimators.py is not what python/generate.py writes: run make python-estimators", file=sys.stderr)
        return 1
    with open(TARGET, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
