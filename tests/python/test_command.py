"""The package and the command give the same bits on the same file, and share models and data."""
from __future__ import annotations

import csv
import gc
import gzip
import io
import json
import re
import warnings

import numpy as np
import pytest

import halfspace
from halfspace import _core
from halfspace import SVC, Classifier, Experts, KernelPerceptron, KNeighborsClassifier, LinearSVM, LogisticRegression
from halfspace import LPSeparator, Perceptron, Winnow
from helpers import COMMAND, IRIS, run, same_bits

pytestmark = pytest.mark.filterwarnings("ignore::halfspace.ConvergenceWarning", "ignore:X does not have valid feature names")


def train(path, learner, model, **options):
    arguments = []
    for name, value in options.items():
        arguments += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    run(COMMAND, "train", learner, "-q", *arguments, path, "-o", model)


def predict(model, path, *what):
    """The predicted labels, and a column of numbers for each name."""
    text = run(COMMAND, "predict", "-q", "--output-format", "csv", *what, model, path)
    table = list(csv.reader(io.StringIO(text)))
    numbers = np.array([[float(value) for value in row[1:]] for row in table[1:]])
    return [row[0] for row in table[1:]], dict(zip(table[0][1:], numbers.T))


def same_scores(model, X, names, scores):
    """Are the scores of a model those that the command printed?"""
    ours = model.decision_function(X)
    if ours.ndim == 1:
        return same_bits(ours, scores["score"])
    return all(same_bits(np.ascontiguousarray(ours[:, j]), scores[f"score_{name}"]) for j, name in enumerate(names))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Iris, and libsvm text: three classes in another order, sparse rows, one of them empty; and two classes of ones."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    lines = []
    for i in range(200):
        label = int(random.integers(3))
        count = int(random.integers(0 if i else 1, 8))
        columns = np.sort(random.choice(60, count, replace=False))
        values = random.normal(size=count) + (columns % 3 == label)
        lines.append(f"{(7, 3, 5)[label]} " + " ".join(f"{c + 1}:{v:.4g}" for c, v in zip(columns, values)))
    (folder / "sparse.svm").write_text("\n".join(lines) + "\n")
    lines = []
    for i in range(150):
        columns = np.sort(random.choice(80, 6, replace=False))
        label = "spam" if (columns < 20).sum() >= 2 else "ham"
        lines.append(f"{label} " + " ".join(f"{c + 1}:1" for c in columns))
    (folder / "ones.svm").write_text("\n".join(lines) + "\n")
    return {"iris": IRIS, "sparse": folder / "sparse.svm", "ones": folder / "ones.svm"}


CASES = [
    ("perceptron", {}),
    ("perceptron", {"average": "average", "order": "shuffle", "seed": 7}),
    ("perceptron", {"average": "vote", "multiclass": "ovr"}),
    ("perceptron", {"kernel": "rbf(0.5)", "multiclass": "ovo"}),
    ("winnow", {"scale": "min-max"}),
    ("winnow", {"scale": "min-max", "variant": "balanced", "multiclass": "ovr"}),
    ("experts", {"negated": True, "passes": 2}),
    ("svm", {}),
    ("svm", {"loss": "hinge", "C": 10, "gap": 1e-6}),
    ("svm", {"kernel": "rbf", "multiclass": "ovo"}),
    ("svm", {"kernel": "poly(2, 1)", "scale": "standard"}),
    ("svm", {"penalty": "l1", "loss": "squared"}),
    ("svm", {"multiclass": "crammer-singer"}),
    ("svm", {"calibrate": "platt"}),
    ("svm", {"weight": "balanced", "normalize": "rows"}),
    ("logistic", {}),
    ("logistic", {"multiclass": "ovr", "C": 0.1}),
    ("logistic", {"penalty": "l1", "scale": "max-abs"}),
    ("lp", {"soft": True}),
    ("knn", {}),
    ("knn", {"k": 3, "metric": "l1", "vote": "distance"}),
]


def shown(value):
    return value if isinstance(value, str) else ",".join(f"{name}={text}" for name, text in value.items())


@pytest.mark.parametrize("file", ["iris", "sparse", "ones"])
@pytest.mark.parametrize("learner, options", CASES, ids=shown)
def test_same_bits(files, tmp_path, file, learner, options):
    path = files[file]
    train(path, learner, tmp_path / "command.hsp", **options)
    labels, scores = predict(tmp_path / "command.hsp", path, "--scores")
    dataset = halfspace.read(path)
    X, y = dataset
    ours = Classifier(learner, **options).fit(X, y)
    assert [str(label) for label in ours.predict(X)] == labels
    assert same_scores(ours, X, dataset.target_names, scores)
    # from Python to the command
    ours.save(tmp_path / "python.hsp")
    assert predict(tmp_path / "python.hsp", path, "--scores")[0] == labels
    again = predict(tmp_path / "python.hsp", path, "--scores")[1]
    assert again.keys() == scores.keys()
    assert all(same_bits(again[name], scores[name]) for name in scores)
    # from the command to Python
    loaded = halfspace.load(tmp_path / "command.hsp")
    assert same_bits(loaded.classes_, ours.classes_)
    assert same_scores(loaded, X, dataset.target_names, scores)
    assert same_bits(loaded.predict(X), ours.predict(X))
    if hasattr(ours, "predict_proba"):
        probabilities = predict(tmp_path / "command.hsp", path, "--probability")[1]
        theirs = np.array(list(probabilities.values())).T
        assert same_bits(ours.predict_proba(X), np.ascontiguousarray(theirs))


def test_every_learner_is_here():
    assert {learner for learner, _ in CASES} == {table["name"] for table in _core.tables("learner")}


@pytest.mark.parametrize(
    "model, learner, options",
    [
        (LinearSVM(), "svm", {"loss": "squared"}),
        (
            LinearSVM(loss="hinge", fit_intercept="regularized", alpha=0.01),
            "svm",
            {"loss": "hinge", "offset": "regularized", "lambda": 0.01},
        ),
        (
            LinearSVM(C=10, fit_intercept=False, max_iter=500, tol=1e-5),
            "svm",
            {"loss": "squared", "C": 10, "offset": "none", "max-passes": 500, "gap": 1e-5},
        ),
        (SVC(), "svm", {"kernel": "rbf", "multiclass": "ovo"}),
        (SVC(gamma=0.1, C=3), "svm", {"kernel": "rbf", "gamma": 0.1, "C": 3, "multiclass": "ovo"}),
        (SVC(gamma="auto"), "svm", {"kernel": "rbf(1/d)", "multiclass": "ovo"}),
        (SVC(kernel="linear"), "svm", {"multiclass": "ovo"}),
        (SVC(kernel="poly", gamma=1, coef0=1, degree=2), "svm", {"kernel": "poly(2, 1)", "multiclass": "ovo"}),
        (SVC(probability=True), "svm", {"kernel": "rbf", "multiclass": "ovo", "calibrate": "platt"}),
        (LogisticRegression(), "logistic", {}),
        (LogisticRegression(multi_class="multinomial", class_weight="balanced"), "logistic", {"weight": "balanced"}),
        (Perceptron(passes="until-converged", max_passes=20), "perceptron", {"passes": "until-converged", "max-passes": 20}),
        (Perceptron(order="shuffle", random_state=3), "perceptron", {"order": "shuffle", "seed": 3}),
        (KernelPerceptron(), "perceptron", {"kernel": "rbf"}),
        (Winnow(), "winnow", {"scale": "min-max"}),
        (Experts(), "experts", {"negated": True}),
        (LPSeparator(), "lp", {"soft": True}),
        (
            KNeighborsClassifier(3, metric="manhattan", weights="distance"),
            "knn",
            {"k": 3, "metric": "l1", "vote": "distance"},
        ),
    ],
    ids=lambda value: None if isinstance(value, dict) else repr(value) if not isinstance(value, str) else value,
)
def test_parameters_are_options(tmp_path, model, learner, options):
    """Each class with its parameters is what the command does with these options."""
    train(IRIS, learner, tmp_path / "m.hsp", **options)
    labels, scores = predict(tmp_path / "m.hsp", IRIS, "--scores")
    dataset = halfspace.read(IRIS)
    model.fit(*dataset)
    assert model.predict(dataset.data).tolist() == labels
    if isinstance(model, SVC):  # its decision_function is scikit-learn's; the model's own scores are those of the file
        model.save(tmp_path / "own.hsp")
        model = halfspace.load(tmp_path / "own.hsp")
    if hasattr(model, "decision_function"):
        assert same_scores(model, dataset.data, dataset.target_names, scores)
    else:
        shares = np.array([scores[f"score_{name}"] for name in dataset.target_names]).T
        assert same_bits(model.predict_proba(dataset.data), shares)


def test_report_is_the_commands():
    dataset = halfspace.read(IRIS)
    ours = LinearSVM().fit(*dataset).report_
    theirs = json.loads(run(COMMAND, "train", "svm", "-q", "--loss", "squared", "--json", IRIS))
    assert theirs.keys() >= {"objective", "dual_objective", "gap"}
    for name in ("objective", "dual_objective", "gap", "passes", "updates", "support_vectors", "margin", "training_error"):
        assert ours[name] == theirs[name], name


# ---- Models ----------------------------------------------------------------------------------------


def test_model_show(tmp_path):
    dataset = halfspace.read(IRIS, as_frame=True)
    frame = dataset.frame.drop(columns="label")
    LinearSVM(C=3).fit(frame, dataset.frame["label"]).save(tmp_path / "m.hsp")
    shown = run(COMMAND, "model", "show", tmp_path / "m.hsp")
    assert "setosa, versicolor and virginica" in shown
    assert "petal_length" in shown
    assert re.search(r"^  learner +svm$", shown, re.M)
    loaded = halfspace.load(tmp_path / "m.hsp")
    assert loaded.feature_names_in_.tolist() == dataset.feature_names
    assert loaded.metadata_["learner"] == "svm"
    assert repr(loaded) == "<LoadedModel: svm, classes setosa, versicolor, virginica>"
    assert loaded.score(frame, dataset.frame["label"]) >= 0.9


def test_loaded_models(tmp_path):
    train(IRIS, "svm", tmp_path / "m.hsp")
    loaded = halfspace.load(tmp_path / "m.hsp")
    with pytest.raises(TypeError, match="cannot be fitted"):
        loaded.fit([[0.0]], [0])
    with pytest.raises(AttributeError, match="does not keep the report"):
        loaded.report_
    assert loaded.gap_ <= 1e-3
    assert loaded.coef_.shape == (3, 4)
    assert loaded.n_features_in_ == 4
    X = halfspace.read(IRIS).data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(loaded.predict(X), loaded.predict(X.copy()))
    with pytest.raises(ValueError, match="X has 3 features, but LoadedModel is expecting 4"):
        loaded.predict(np.ones((2, 3)))
    with pytest.raises(FileNotFoundError, match="nothing.hsp"):
        halfspace.load(tmp_path / "nothing.hsp")
    (tmp_path / "text.hsp").write_text("this is not a model")
    with pytest.raises(ValueError, match="text.hsp"):
        halfspace.load(tmp_path / "text.hsp")
    with pytest.raises(ValueError, match="embedded null"):
        halfspace.load("m.hsp\0")


@pytest.mark.parametrize(
    "names, labels",
    [
        (["1", "2"], [1, 2]),
        (["0.5", "1.5"], [0.5, 1.5]),
        (["1", "b"], ["1", "b"]),
        (["-1", "1"], [-1, 1]),
        (["10", "9"], [9, 10]),
        (["10", "9", "x"], ["9", "10", "x"]),
    ],
)
def test_classes_of_loaded_models(tmp_path, names, labels):
    (tmp_path / "data.csv").write_text("x,label\n" + "".join(f'{i},"{names[i % len(names)]}"\n' for i in range(12)))
    train(tmp_path / "data.csv", "knn", tmp_path / "m.hsp", k=1)
    loaded = halfspace.load(tmp_path / "m.hsp")
    assert loaded.classes_.tolist() == labels  # sorted as numbers, also where they remain text
    read = halfspace.read(tmp_path / "data.csv")
    assert set(read.target.tolist()) == set(labels)
    assert loaded.predict(np.asarray(read.data)).tolist() == read.target.tolist()
    bounds = halfspace.bound(loaded, test=(np.asarray(read.data) + 0.25, read.target))
    assert bounds["test-binomial"]["figures"].startswith("m = 0 of n = 12")


@pytest.mark.parametrize(
    "names",
    [["nan", "inf"], ["01", "2"], ["1_000", "2"], ["٣", "٤"], ["", "1"], ["True", "Yes"], ["-0", "0"], ["9" * 400, "1"]],
)
def test_names_that_are_no_numbers(tmp_path, names):
    """A class is a number only if the number is written so."""
    y = np.array(names)[np.arange(10) % 2]
    KNeighborsClassifier(1).fit(np.arange(10.0)[:, None], y).save(tmp_path / "m.hsp")
    loaded = halfspace.load(tmp_path / "m.hsp")
    assert loaded.classes_.tolist() == sorted(names)
    assert loaded.predict(np.arange(10.0)[:, None]).tolist() == y.tolist()


def test_saving(tmp_path):
    X, y = halfspace.read(IRIS)
    model = LinearSVM().fit(X, y)
    for path in (tmp_path / "a.hsp", str(tmp_path / "b.hsp"), str(tmp_path / "c.hsp").encode()):
        model.save(path)
        assert same_bits(halfspace.load(path).coef_, model.coef_)
    halfspace.save(model, tmp_path / "d.hsp")
    assert (tmp_path / "a.hsp").read_bytes() == (tmp_path / "d.hsp").read_bytes()
    with pytest.raises(OSError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "m.hsp")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.hsp", "b.hsp", "c.hsp", "d.hsp"]


@pytest.mark.parametrize(
    "form, model", [("libsvm", SVC(gamma=0.1)), ("libsvm", SVC(kernel="linear")), ("liblinear", LinearSVM())], ids=repr
)
@pytest.mark.parametrize("classes", [2, 3])
def test_models_of_libsvm(tmp_path, form, model, classes):
    X, y = halfspace.read(IRIS)
    number = np.unique(y, return_inverse=True)[1]  # LIBSVM knows numbers only
    X, number = X[number >= 3 - classes], number[number >= 3 - classes]
    model.fit(X, number).save(tmp_path / "m.hsp")
    run(COMMAND, "model", "export", tmp_path / "m.hsp", "--format", form, "-o", tmp_path / "m.txt")
    loaded = halfspace.load_libsvm_model(tmp_path / "m.txt")
    assert set(loaded.classes_.tolist()) == set(number.tolist())
    assert np.array_equal(loaded.predict(X), model.predict(X))
    if classes == 2:
        sign = 1 if loaded.classes_[1] == model.classes_[1] else -1
        assert np.abs(sign * loaded.decision_function(X) - model.decision_function(X)).max() <= 1e-4


# ---- Data files ------------------------------------------------------------------------------------


def libsvm_values(text, cols):
    rows, labels = [], []
    for line in text.splitlines():
        label, *entries = line.split()
        row = np.zeros(cols)
        for entry in entries:
            column, value = entry.split(":")
            row[int(column) - 1] = float(value)
        rows.append(row)
        labels.append(label)
    return np.array(rows), labels


@pytest.mark.parametrize("file", ["iris", "sparse", "ones"])
def test_reading(files, tmp_path, file):
    """read gives the numbers that the command converts to libsvm text."""
    dataset = halfspace.read(files[file], precision="double")
    X = dataset.data if isinstance(dataset.data, np.ndarray) else dataset.data.toarray()
    run(COMMAND, "convert", "-q", "--precision", "double", files[file], tmp_path / "out.svm")
    values, labels = libsvm_values((tmp_path / "out.svm").read_text(), X.shape[1])
    assert np.array_equal(X, values)
    assert [str(label) for label in dataset.target] == labels
    single = halfspace.read(files[file])
    again = single.data if isinstance(single.data, np.ndarray) else single.data.toarray()
    assert np.array_equal(again, values.astype(np.float32))
    assert np.array_equal(single.target, dataset.target)


def test_forms_of_files(tmp_path):
    X, y = halfspace.read(IRIS)
    (tmp_path / "iris.csv.gz").write_bytes(gzip.compress(IRIS.read_bytes()))
    for name in ("iris.tsv", "iris.hsp"):
        run(COMMAND, "convert", "-q", IRIS, tmp_path / name)
    for name in ("iris.csv.gz", "iris.tsv", "iris.hsp"):
        dataset = halfspace.read(tmp_path / name)
        assert np.array_equal(dataset.data, X), name
        assert np.array_equal(dataset.target, y), name
        assert dataset.feature_names == ["sepal_length", "sepal_width", "petal_length", "petal_width"], name
    both = halfspace.read([IRIS, str(IRIS)])
    assert np.array_equal(both.data, np.vstack([X, X]))
    assert repr(both) == "<Dataset: 300 rows, 4 features, 3 classes>"


def test_arrays_are_the_readers_memory(files):
    dataset = halfspace.read(IRIS)
    assert not dataset.data.flags.writeable
    assert not dataset.data.flags.owndata
    with pytest.raises(ValueError):
        dataset.data[0, 0] = 7
    sparse = halfspace.read(files["sparse"], storage="sparse").data
    assert sparse.format == "csr"
    assert not sparse.data.flags.owndata
    assert sparse.indices.dtype == np.int32
    assert sparse.has_sorted_indices
    X = dataset.data
    kept = X[3].tolist()
    del dataset
    gc.collect()
    assert X[3].tolist() == kept


def test_as_frame(files):
    pandas = pytest.importorskip("pandas")
    dataset = halfspace.read(IRIS, as_frame=True)
    assert dataset.frame.columns.tolist() == ["sepal_length", "sepal_width", "petal_length", "petal_width", "label"]
    theirs = pandas.read_csv(IRIS)
    assert np.array_equal(dataset.frame.iloc[:, :4].to_numpy(), theirs.iloc[:, :4].to_numpy(dtype=np.float32))
    assert dataset.frame["label"].tolist() == theirs["species"].tolist()
    assert halfspace.read(IRIS).frame is None
    sparse = halfspace.read(files["sparse"], as_frame=True, storage="sparse")
    assert sparse.frame.shape == (200, sparse.data.shape[1] + 1)
    assert np.array_equal(sparse.frame.iloc[:, :-1].sparse.to_coo().toarray(), sparse.data.toarray())
    assert sparse.frame.columns[0] == "x1"


def test_sparse_frames_are_not_made_dense(files):
    pytest.importorskip("pandas")
    dataset = halfspace.read(files["sparse"], as_frame=True, storage="sparse")
    frame = dataset.frame.drop(columns="label")
    model = LinearSVM().fit(frame, dataset.target)
    assert model._rows(frame, reset=False).format == "csr"
    assert same_bits(model.coef_, LinearSVM().fit(dataset.data, dataset.target).coef_)
    assert model.feature_names_in_[0] == "x1"
    plain = LinearSVM().fit(dataset.data, dataset.target)
    assert same_bits(model.decision_function(frame), plain.decision_function(dataset.data))


def test_options_of_read(tmp_path):
    (tmp_path / "t.csv").write_text("kind;size;colour;note\na;1,5;red;x\nb;;green;y\na;3;red;z\n")
    dataset = halfspace.read(tmp_path / "t.csv", label="kind", separator=";", decimal=",", missing="mean", ignore=["note"])
    assert dataset.target.tolist() == ["a", "b", "a"]
    assert dataset.feature_names == ["size", "colour=green", "colour=red"] or set(dataset.feature_names) >= {"size"}
    assert dataset.data[:, dataset.feature_names.index("size")].tolist() == [1.5, 2.25, 3.0]
    unlabelled = halfspace.read(IRIS, label="none", ignore="species")
    assert unlabelled.target is None
    assert unlabelled.data.shape == (150, 4)
    X, y = unlabelled
    assert y is None


def test_errors_of_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.csv"):
        halfspace.read(tmp_path / "nothing.csv")
    (tmp_path / "bad.svm").write_text("1 1:0.5\n2 3:nan\n")
    with pytest.raises(ValueError, match="bad.svm:2:5: found 'nan', expected a finite decimal number"):
        halfspace.read(tmp_path / "bad.svm")
    with pytest.raises(ValueError, match="there is no such option"):
        halfspace.read(IRIS, colour="red")
    with pytest.raises(ValueError, match="header: found 'maybe'"):
        halfspace.read(IRIS, header="maybe")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ValueError):
        halfspace.read(tmp_path / "empty.csv")
    with pytest.raises((ValueError, OSError)):
        halfspace.read(tmp_path)


def test_truth_values_come_back(tmp_path):
    X, y = halfspace.read(IRIS)
    LinearSVM().fit(X, y == "setosa").save(tmp_path / "m.hsp")
    loaded = halfspace.load(tmp_path / "m.hsp")
    assert loaded.classes_.dtype == bool
    assert loaded.score(X, y == "setosa") == 1


@pytest.mark.parametrize("named", [True, False])
def test_saved_models_read_tables(tmp_path, named):
    """By the names of the columns, or by their places; with labels and without."""
    dataset = halfspace.read(IRIS, as_frame=True)
    rows = dataset.frame.drop(columns="label")
    LinearSVM().fit(rows if named else dataset.data, dataset.target).save(tmp_path / "m.hsp")
    lines = [line.split(",") for line in IRIS.read_text().splitlines()]
    expected = run(COMMAND, "predict", "-q", tmp_path / "m.hsp", IRIS)
    assert len(set(expected.split())) == 3
    tables = {"unlabelled": [line[:4] for line in lines], "no-names": [line[:4] for line in lines[1:]]}
    if named:
        tables["reversed"] = [line[:4][::-1] for line in lines]
        tables["label-first"] = [line[::-1] for line in lines]
    for name, table in tables.items():
        (tmp_path / f"{name}.csv").write_text("".join(",".join(line) + "\n" for line in table))
        assert run(COMMAND, "predict", "-q", tmp_path / "m.hsp", tmp_path / f"{name}.csv") == expected, name
    assert json.loads(run(COMMAND, "eval", "-q", "--json", tmp_path / "m.hsp", IRIS))["mistakes"] == 5
    (tmp_path / "few.csv").write_text("".join(",".join(line[:3]) + "\n" for line in lines))
    assert run(COMMAND, "predict", "-q", tmp_path / "m.hsp", tmp_path / "few.csv", check=False).returncode == 3


def test_read_like(tmp_path):
    (tmp_path / "first.csv").write_text("city,size,big\nAthens,1,no\nBerlin,2,yes\nCairo,3,yes\n")
    (tmp_path / "second.csv").write_text("size,city,big\n2,Cairo,yes\n1,Berlin,no\n4,Delhi,no\n")
    first = halfspace.read(tmp_path / "first.csv")
    with pytest.warns(UserWarning, match="city"):
        second = halfspace.read(tmp_path / "second.csv", like=first)
    assert second.feature_names == first.feature_names == ["city=Athens", "city=Berlin", "city=Cairo", "size"]
    assert second.data.tolist() == [[0, 0, 1, 2], [0, 1, 0, 1], [0, 0, 0, 4]]
    assert second.target.tolist() == ["yes", "no", "no"]
