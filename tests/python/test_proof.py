"""Certificates of arrays and files, bounds on the error, and mistake bounds."""
from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import halfspace
from halfspace import Experts, LinearSVM, LogisticRegression, Perceptron, Winnow, certify
from helpers import COMMAND, IRIS, VERIFIER, blobs, run, same_bits

pytestmark = pytest.mark.skipif(not os.path.exists(VERIFIER), reason="built without GMP, which certificates need")

SEPARABLE = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 3.0]]), np.array([0, 0, 1, 1])
MIXED = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])


def verifier(certificate, data, *more):
    return subprocess.run([VERIFIER, str(certificate), str(data), *map(str, more)], capture_output=True, text=True)


# ---- Exact text ------------------------------------------------------------------------------------


def numbers_of_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        table = list(csv.reader(file))
    return table[0], [[Fraction(text) for text in row[:-1]] for row in table[1:]], [row[-1] for row in table[1:]]


HARD_NUMBERS = [
    0.1,
    1 / 3,
    -2.5,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1e-300,
    1.7976931348623157e308,
    -1e300,
    float(2**53),
    float(2**53 + 2),
    float(2**60 + 2**10),
    -float(2**1000),
    123456789.123456789,
    np.nextafter(1, 2),
    np.pi,
    0.0,
    -0.0,
    1e22,
    1e23,
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_exact_text(tmp_path, dtype):
    """Each number of the text, read as a fraction, is the number of the array."""
    with np.errstate(over="ignore"):
        X = np.array(HARD_NUMBERS).astype(dtype).reshape(-1, 4)
    X[~np.isfinite(X)] = np.finfo(dtype).max
    y = np.arange(len(X)) % 2
    halfspace.write_exact(X, y, tmp_path / "x.csv")
    names, rows, labels = numbers_of_csv(tmp_path / "x.csv")
    assert names == ["x1", "x2", "x3", "x4", "label"]
    assert rows == [[Fraction(float(value)) for value in row] for row in X]
    assert labels == [str(label) for label in y]


@pytest.mark.filterwarnings("ignore:.*large number")
def test_exact_text_of_random_bits(tmp_path):
    random = np.random.default_rng(0)
    X = random.integers(0, 2**64, (500, 3), dtype=np.uint64).view(np.float64)
    X[~np.isfinite(X)] = 0
    halfspace.write_exact(X, np.arange(500) % 2, tmp_path / "x.csv")
    assert numbers_of_csv(tmp_path / "x.csv")[1] == [[Fraction(value) for value in row] for row in X.tolist()]
    # and the reader gets every bit back
    assert same_bits(np.asarray(halfspace.read(tmp_path / "x.csv", precision="double").data) + 0.0, X + 0.0)


def test_exact_text_of_sparse_rows(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    X = np.array(HARD_NUMBERS).reshape(-1, 4)
    X[1] = 0
    matrix = sparse.csr_matrix(X)
    halfspace.write_exact(matrix, ["a", "b", "a", "b", "a"], tmp_path / "x.svm")
    lines = (tmp_path / "x.svm").read_text().splitlines()
    for line, row, label in zip(lines, X.tolist(), "ababa"):
        first, *entries = line.split(" ")
        found = [Fraction(0)] * 4
        for entry in entries:
            column, value = entry.split(":")
            found[int(column) - 1] = Fraction(value)
        assert first == label
        assert found == [Fraction(value) for value in row]
    assert len(lines) == 5


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "i8", "?", "O"])
def test_exact_text_of_integers(tmp_path, dtype):
    X = np.array([[0, 1], [100, 3], [2, 0]]).astype(dtype)
    halfspace.write_exact(X, [0, 1, 0], tmp_path / "x.csv")
    assert numbers_of_csv(tmp_path / "x.csv")[1] == [[Fraction(int(value)) for value in row] for row in X]


def test_what_cannot_be_exact_is_refused(tmp_path):
    """A number that is no double would be rounded, and the certificate would be about another number."""
    sparse = pytest.importorskip("scipy.sparse")
    for wrong in (
        np.array([[2**53 + 1], [0]]),
        np.array([[2**64 - 1], [0]], dtype=np.uint64),
        np.array([[2**53 + 1], [0]], dtype=object),
        np.array([[Fraction(1, 3)], [0]], dtype=object),
        np.array([["0.1"], ["0"]]),
        np.array([[1], [0]], dtype=np.longdouble) / 3,
        sparse.csr_matrix(np.array([[2**53 + 1], [0]])),
    ):
        with pytest.raises(ValueError, match="cannot be written exactly"):
            halfspace.write_exact(wrong, [0, 1], tmp_path / "x")
        with pytest.raises(ValueError, match="cannot be written exactly"):
            certify(wrong, [0, 1])
    assert not list(tmp_path.iterdir())
    halfspace.write_exact(np.array([[2**53], [-(2**53)]]), [0, 1], tmp_path / "x.csv")
    halfspace.write_exact(np.array([[2**62], [0]]), [0, 1], tmp_path / "x.csv")
    assert numbers_of_csv(tmp_path / "x.csv")[1] == [[2**62], [0]]
    halfspace.write_exact(np.array([[1], [0]], dtype=np.longdouble) / 4, [0, 1], tmp_path / "x.csv")
    assert numbers_of_csv(tmp_path / "x.csv")[1] == [[Fraction(1, 4)], [0]]


def test_names_of_columns_and_classes(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({'a "b"': [0.0, 1.0], "c,d": [1.0, 0.5], "label": [0.0, 0.25]})
    names = ['x "y"', "z,\nw"]
    halfspace.write_exact(frame, names, tmp_path / "x.csv")
    header, rows, labels = numbers_of_csv(tmp_path / "x.csv")
    assert header == ['a "b"', "c,d", "label", "label_"]
    assert labels == names
    halfspace.write_exact(frame, names, tmp_path / "x.csv", feature_names=["1", "2", "3"])
    assert numbers_of_csv(tmp_path / "x.csv")[0] == ["1", "2", "3", "label"]
    sparse = pytest.importorskip("scipy.sparse")
    for wrong in ("a b", "", "a:b", "#a"):
        with pytest.raises(ValueError, match="libsvm text cannot hold the class"):
            halfspace.write_exact(sparse.eye(2), [wrong, "c"], tmp_path / "x.svm")


# ---- Certificates of arrays ------------------------------------------------------------------------


def test_separable():
    certificate = certify(*SEPARABLE)
    assert certificate.claims == ["separable"]
    assert certificate.not_claimed == {}
    assert bool(certificate.verification)
    assert certificate.verification.result == "verified"
    assert certificate.verification.reason == ""
    assert certificate.verify().established[-1] or certificate.verification.established
    assert "the widest margin is in [" in repr(certificate)
    assert certificate.content["claims"][0]["claim"] == "separable"


def test_not_separable():
    certificate = certify(*MIXED)
    assert certificate.claims == ["not separable"]
    assert bool(certificate.verify())


# the library counts exact numbers of many digits as if they were rounded
@pytest.mark.filterwarnings("ignore:.*large number")
@pytest.mark.parametrize("scale", [1e-300, 5e-324, 1e-100, 1.0, float(2**53), float(2**60), 1e150, 1e300])
@pytest.mark.parametrize("kind", ["separable", "mixed"])
def test_huge_and_tiny_numbers(kind, scale):
    X, y = SEPARABLE if kind == "separable" else MIXED
    certificate = certify(X * scale, y)
    assert certificate.claims == ["separable" if kind == "separable" else "not separable"]
    assert bool(certificate.verification)


def test_a_gap_of_one_bit():
    """Two classes whose nearest rows differ in the last bit of a double are separable; rounded to float32 they are not."""
    X = np.array([[0.0], [1.0], [np.nextafter(1, 2)], [2.0]])
    y = np.array([0, 0, 1, 1])
    assert certify(X, y).claims == ["separable"]
    assert certify(X.astype(np.float32), y).claims == ["not separable"]
    huge = np.array([[0.0], [2.0**53], [2.0**53 + 2], [2.0**54]])
    assert certify(huge, y).claims == ["separable"]
    assert certify(huge[[0, 2, 1, 3]], y).claims == ["not separable"]


@pytest.mark.parametrize("storage", ["float64", "float32", "csr", "csc", "int", "fortran", "list", "frame"])
def test_storages(storage):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = SEPARABLE
    given = {
        "float64": X,
        "float32": X.astype(np.float32),
        "csr": sparse.csr_matrix(X),
        "csc": sparse.csc_matrix(X),
        "int": X.astype(int),
        "fortran": np.asfortranarray(X),
        "list": X.tolist(),
        "frame": None,
    }[storage]
    if storage == "frame":
        given = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b"])
    certificate = certify(given, np.array(["no", "yes"])[y], positive="yes")
    assert certificate.claims == ["separable"]
    assert certificate.data.endswith(".svm" if storage in ("csr", "csc") else ".csv")
    assert 'positive: "yes"' in repr(certificate)


def test_three_classes():
    X, y = blobs(30, 2, 3, spread=0.01)
    assert certify(X, y, positive=1).claims[0] in ("separable", "not separable")
    assert certify(X, y, classes=[0, 2]).claims == ["separable"]
    assert certify(X, y, classes="0,2").claims == ["separable"]
    with pytest.raises(ValueError):
        certify(X, y)


def test_options():
    X, y = SEPARABLE
    through_origin = certify(X, y, offset="none")
    assert through_origin.claims == ["not separable"]
    widths = []
    for tolerance in (1e-3, 1e-12):
        text = "\n".join(certify(X, y, margin_tolerance=tolerance).verification.established)
        low, high = map(Fraction, re.search(r"the widest margin is in \[(\S+), (\S+)\]", text).groups())
        assert low**2 <= Fraction(25, 8) <= high**2  # half of the way from (1/2, 1/2) to (3, 3)
        widths.append(high - low)
    assert 0 < widths[1] <= widths[0]
    with pytest.raises(ValueError, match="there is no such option"):
        certify(X, y, margin=1)
    with pytest.raises(ValueError, match="claim: "):
        certify(X, y, claim="everything")


# ---- Files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_saved_pairs(tmp_path, sparse):
    """halfspace-verify accepts the pair that save writes, and rejects it if one digit changes."""
    X, y = SEPARABLE
    X = X / 3
    if sparse:
        X = pytest.importorskip("scipy.sparse").csr_matrix(X)
    certificate = certify(X, y)
    folder = pathlib.Path(certificate.data).parent
    assert folder.exists()
    certificate.save(tmp_path / "x.cert")
    data = tmp_path / ("x.svm" if sparse else "x.csv")
    assert certificate.data == str(data)
    assert not folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["x.cert", data.name])
    done = verifier(tmp_path / "x.cert", data)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified: the claim holds." in done.stdout
    assert bool(certificate.verify())
    assert halfspace.verify(tmp_path / "x.cert", data).result == "verified"
    text = data.read_text()
    digit = re.search(r"[1-9](?=\d*\n)" if sparse else r"[1-9](?=,\")", text).start()
    data.write_text(text[:digit] + str(9 - int(text[digit])) + text[digit + 1 :])
    done = verifier(tmp_path / "x.cert", data)
    assert done.returncode != 0
    assert "rejected" in done.stdout + done.stderr
    answer = certificate.verify()
    assert not answer
    assert answer.result == "rejected"
    assert answer.reason


def test_changed_certificates(tmp_path):
    certificate = certify(*MIXED, path=tmp_path / "x.cert")
    content = json.loads((tmp_path / "x.cert").read_text())
    text = json.dumps(content)
    changed = text.replace('"not separable"', '"separable"')
    assert changed != text
    (tmp_path / "y.cert").write_text(changed)
    assert not halfspace.verify(tmp_path / "y.cert", tmp_path / "x.csv")
    assert bool(halfspace.verify(tmp_path / "x.cert", tmp_path / "x.csv"))
    assert certificate.data == str(tmp_path / "x.csv")


def test_save_overwrites_no_data(tmp_path):
    """A certificate beside somebody's data does not replace them."""
    (tmp_path / "x.csv").write_text("precious\n")
    certificate = certify(*SEPARABLE)
    with pytest.raises(FileExistsError, match="x.csv"):
        certificate.save(tmp_path / "x.cert")
    assert (tmp_path / "x.csv").read_text() == "precious\n"
    assert not (tmp_path / "x.cert").exists()
    with pytest.raises(ValueError, match="another ending"):
        certificate.save(tmp_path / "y.csv")
    for name in ("y.cert", "z.cert", "y.cert"):  # again, to another name, and over itself
        certificate.save(tmp_path / name)
        assert verifier(tmp_path / name, certificate.data).returncode == 0
        assert pathlib.Path(certificate.data).stem == name[0]


def test_temporary_files_are_removed():
    certificate = certify(*SEPARABLE)
    folder = pathlib.Path(certificate.data).parent
    assert folder.exists()
    del certificate
    assert not folder.exists()
    before = set(folder.parent.glob("halfspace-*"))
    with pytest.raises(ValueError):
        certify(*SEPARABLE, colour="red")
    model = LinearSVM().fit(*SEPARABLE)
    with pytest.raises(ValueError):
        certify(str(IRIS), model=model, colour="red")
    assert set(folder.parent.glob("halfspace-*")) == before


def test_certificates_of_files(tmp_path):
    certificate = certify(IRIS, positive="setosa")
    assert certificate.claims == ["separable"]
    assert certificate.data == str(IRIS)
    certificate.save(tmp_path / "setosa.cert")
    assert os.listdir(tmp_path) == ["setosa.cert"]
    assert verifier(tmp_path / "setosa.cert", IRIS).returncode == 0
    again = halfspace.Certificate(tmp_path / "setosa.cert", IRIS)
    assert again.claims == ["separable"]
    assert again.verification is None
    assert bool(again.verify())
    theirs = run(COMMAND, "certify", "-q", "--positive", "setosa", IRIS, "-o", tmp_path / "command.cert")
    for line in again.verification.established[-2:]:
        assert line in theirs
    assert (tmp_path / "command.cert").read_text() == (tmp_path / "setosa.cert").read_text()
    (tmp_path / "t.csv").write_text("0;a\n1;a\n5;b\n6;b\n")
    assert certify(tmp_path / "t.csv", read={"header": "no", "separator": ";"}).claims == ["separable"]


def test_reading_certificates(tmp_path):
    with pytest.raises(FileNotFoundError):
        halfspace.Certificate(tmp_path / "nothing.cert", IRIS)
    (tmp_path / "text.cert").write_text("this is not a certificate")
    with pytest.raises(ValueError, match="text.cert"):
        halfspace.Certificate(tmp_path / "text.cert", IRIS)
    certify(*SEPARABLE, path=tmp_path / "x.cert")
    with pytest.raises(OSError, match="nothing.csv"):
        halfspace.verify(tmp_path / "x.cert", tmp_path / "nothing.csv")


def test_html():
    certificate = certify(*SEPARABLE)
    page = certificate._repr_html_()
    assert "separable" in page and "verified" in page
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", page)
    assert page.count("<div>") == page.count("</div>") == 1
    certificate.verification = None
    assert "Not verified yet" in certificate._repr_html_()
    named = certify(SEPARABLE[0], np.array(["<b>", "a&b"])[SEPARABLE[1]])
    assert "&lt;b&gt;" in named._repr_html_()
    assert "<b>\"" not in named._repr_html_()


# ---- Claims about models ---------------------------------------------------------------------------


def pair_of_iris():
    X, y = halfspace.read(IRIS, precision="double")
    keep = y != "setosa"
    return X[keep], y[keep]


def test_soft_margin_model(tmp_path):
    """The optimum of a soft-margin machine, from arrays to the other program."""
    X, y = pair_of_iris()
    model = LinearSVM(loss="hinge", keep_dual=True).fit(X, y)
    certificate = certify(X, y, model=model, path=tmp_path / "m.cert")
    assert "optimal" in certificate.claims
    assert "not separable" in certificate.claims
    assert verifier(tmp_path / "m.cert", tmp_path / "m.csv").returncode == 0
    only = certify(X, y, model=model, claim="optimal")
    assert only.claims == ["optimal"]
    model.save(tmp_path / "m.hsp")
    assert certify(X, y, model=tmp_path / "m.hsp", claim=["optimal"]).claims == ["optimal"]


def test_claims_that_cannot_be_made():
    X, y = pair_of_iris()
    model = LinearSVM(loss="hinge").fit(X, y)  # without its dual coefficients
    certificate = certify(X, y, model=model, claim="optimal")
    assert certificate.claims == []
    assert "optimal" in certificate.not_claimed
    assert certificate.text is None
    assert "not claimed" in repr(certificate)
    assert "Not claimed" in certificate._repr_html_()
    with pytest.raises(ValueError, match="no claim could be made"):
        certificate.verify()
    with pytest.raises(ValueError, match="no claim could be made"):
        certificate.save("nowhere.cert")
    other = LinearSVM(loss="hinge", keep_dual=True).fit(X[::2], y[::2])
    assert certify(X, y, model=other, claim="optimal").claims == []


def test_error_claim(tmp_path):
    X, y = pair_of_iris()
    model = LinearSVM(loss="hinge", keep_dual=True).fit(X[::2], y[::2])
    halfspace.write_exact(X[1::2], y[1::2], tmp_path / "test.csv")
    certificate = certify(X[::2], y[::2], model=model, test=tmp_path / "test.csv", delta=0.05, path=tmp_path / "m.cert")
    assert any("error" in claim for claim in certificate.claims), repr(certificate)
    assert bool(certificate.verify())
    again = halfspace.Certificate(tmp_path / "m.cert", tmp_path / "m.csv", tmp_path / "test.csv")
    assert bool(again.verify())


def test_wrong_arguments():
    X, y = SEPARABLE
    with pytest.raises(ValueError, match="leave y out"):
        certify(IRIS, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        certify(X, y[:2])
    with pytest.raises(ValueError, match="contains NaN"):
        certify(X * np.nan, y)
    with pytest.raises(ValueError):
        certify(X)
    with pytest.raises((OSError, ValueError), match="nothing.csv"):
        certify("nothing.csv")
    with pytest.raises(halfspace.NotFittedError):
        certify(X, y, model=LinearSVM())
    assert certify(X, [0, 0, 0, 0]).claims == ["separable"]  # from nothing


# ---- Bounds ----------------------------------------------------------------------------------------


def test_bounds_are_the_commands(tmp_path):
    dataset = halfspace.read(IRIS)
    X, y = dataset
    run(COMMAND, "split", "-q", IRIS, tmp_path / "train.csv", tmp_path / "test.csv", "--test", "0.3")
    train, test = halfspace.read(tmp_path / "train.csv"), halfspace.read(tmp_path / "test.csv")
    model = LinearSVM().fit(*train)
    model.save(tmp_path / "m.hsp")
    ours = halfspace.bound(model, train=tuple(train), test=tuple(test), allow_overlap=True)
    files = ["--train", tmp_path / "train.csv", "--test", tmp_path / "test.csv"]
    theirs = json.loads(run(COMMAND, "bound", "-q", "--json", "--allow-overlap", tmp_path / "m.hsp", *files))
    named = {bound["name"]: bound for bound in theirs["bounds"]}
    assert named.keys() == {bound["name"] for bound in ours}
    for bound in ours:
        assert bound["value"] == named[bound["name"]]["value"], bound["name"]
        assert bound["applies"] == named[bound["name"]]["applies"]
    assert ours.upper == theirs["true_error_most"]
    assert ours.lower == theirs["true_error_least"]
    assert 0 <= ours.lower < np.mean(model.predict(test.data) != test.target) < ours.upper < 1
    assert ours["test-binomial"]["value"] == ours.upper
    with pytest.raises(KeyError):
        ours["best"]


def test_bounds_need_few_things():
    X, y = blobs(200, 3, 2, seed=1)
    model = LinearSVM().fit(X[:100], y[:100])
    wide = halfspace.bound(model, test=(X[100:], y[100:]), delta=0.01)
    narrow = halfspace.bound(model, test=(X[100:], y[100:]), delta=0.2)
    assert wide.upper > narrow.upper
    assert len(wide) >= 3
    assert "confidence 0.99" in repr(wide)
    assert "<table>" in wide._repr_html_()
    trained = halfspace.bound(model, train=(X[:100], y[:100]))
    assert trained.upper is None and trained.lower is None
    with pytest.raises(ValueError, match="among the training rows"):
        halfspace.bound(model, train=(X[:100], y[:100]), test=(X[:100], y[:100]))
    with pytest.raises(ValueError):
        halfspace.bound(model)
    with pytest.raises(ValueError, match="delta: "):
        halfspace.bound(model, test=(X[100:], y[100:]), delta=2)
    with pytest.raises(ValueError, match="not among the classes"):
        halfspace.bound(model, test=(X[100:], y[100:] + 1))
    with pytest.raises(halfspace.NotFittedError):
        halfspace.bound(LinearSVM(), test=(X, y))


# ---- Mistake bounds --------------------------------------------------------------------------------


def test_audit_of_the_perceptron():
    dataset = halfspace.read(IRIS)
    y = dataset.target == "setosa"
    model = Perceptron(passes="until-converged").fit(dataset.data, y)
    audit = model.audit(dataset.data, y)
    assert audit.held
    assert audit.separates
    low, high = audit.margin
    assert 0 < low <= high
    applying = [bound for bound in audit if bound["applies"]]
    assert applying
    for bound in applying:
        assert bound["observed"] >= bound["bound"] if bound["lower"] else bound["observed"] <= bound["bound"]
    assert "all held" in repr(audit)
    assert "<table>" in audit._repr_html_()
    reference = LinearSVM(C=1000).fit(dataset.data, y)
    assert model.audit(dataset.data, y, reference=reference).held


def test_audit_of_another_run_is_noticed():
    """Rows that the run never saw can exceed its bounds; the rows of the run cannot."""
    X, y = blobs(100, 3, 2, seed=1)
    audit = Perceptron(passes=5).fit(X, y).audit(X, y)
    assert audit.held
    assert audit.separates is False
    assert audit.margin is None


def test_audit_of_winnow():
    random = np.random.default_rng(0)
    X = (random.random((200, 30)) < 0.1).astype(int)
    y = X[:, [2, 5]].any(axis=1).astype(int)
    model = Winnow(scale="none", passes="until-converged").fit(X, y)
    audit = model.audit(X, y, disjunction=[3, 6])
    assert audit.held
    assert any(bound["applies"] for bound in audit)
    with pytest.raises(ValueError, match="needs a reference"):
        model.audit(X, y)
    with pytest.raises(ValueError, match="no column '31'"):
        model.audit(X, y, disjunction=[31])


def test_audit_of_experts():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    X = np.where(random.random((300, 8)) < 0.7, 2 * y[:, None] - 1, 1 - 2 * y[:, None])
    audit = Experts().fit(X, y).audit(X, y)
    assert audit.held
    assert any(bound["applies"] for bound in audit)


def test_audit_of_others():
    X, y = blobs(40, 3, 2)
    with pytest.raises(ValueError):
        LogisticRegression().fit(X, y).audit(X, y)
    with pytest.raises(halfspace.NotFittedError):
        Perceptron().audit(X, y)
    model = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.audit(X, y[:3])
    with pytest.raises(halfspace.NotFittedError):
        model.audit(X, y, reference=LinearSVM())
