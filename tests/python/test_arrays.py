"""Arrays of every type and layout: the same numbers give the same result, bit for bit, and are not changed."""
from __future__ import annotations

import copy
import fractions

import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")
scipy_sparse = pytest.importorskip("scipy.sparse")
from hypothesis import given, strategies as st

import halfspace
from halfspace import SVC, KernelPerceptron, KNeighborsClassifier, LinearSVM, LogisticRegression, LPSeparator
from halfspace import Perceptron, Winnow
from helpers import blobs, estimator_classes, same_bits

FAST = [LinearSVM, LogisticRegression, Perceptron, SVC, KNeighborsClassifier, Winnow]
SMALL_TYPES = ["?", "i1", "u1", "i2", "u2", "f2", "f4", ">f4", ">i2"]  # float32 has all their values
LARGE_TYPES = ["i4", "u4", "i8", "u8", "f8", ">f8", ">i4", ">u8", "g", "O", "U8"]


def answers(model, X):
    """All that a fitted model says of rows."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return np.hstack([model.predict_proba(X), *model.kneighbors(X, 2)])


# ---- Layouts of dense arrays -----------------------------------------------------------------------


def with_gaps(X):
    wide = np.full((X.shape[0], X.shape[1] + 3), np.nan if X.dtype.kind == "f" else 0, dtype=X.dtype)
    wide[:, 2:-1] = X
    return wide[:, 2:-1]


def every_other_row(X):
    tall = np.repeat(X, 2, axis=0)
    return tall[::2]


def every_other_column(X):
    return np.repeat(X, 2, axis=1)[:, ::2]


def upside_down(X):
    return np.ascontiguousarray(X[::-1])[::-1]


def mirrored(X):
    return np.ascontiguousarray(X[:, ::-1])[:, ::-1]


def transposed(X):
    return np.ascontiguousarray(X.T).T


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def unaligned(X):
    if X.dtype.hasobject:
        return X.copy()
    room = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = room[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    return view


def of_a_record(X):
    """A field of a structured array: its rows are further apart than their size."""
    record = np.zeros(X.shape[0], dtype=[("before", "u1"), ("x", X.dtype, X.shape[1:])])
    record["x"] = X
    return record["x"]


LAYOUTS = [
    np.array,
    np.asfortranarray,
    with_gaps,
    every_other_row,
    every_other_column,
    upside_down,
    mirrored,
    transposed,
    read_only,
    unaligned,
    of_a_record,
]


@st.composite
def problems(draw, types):
    """Rows and labels: small integers, so that every type holds them exactly, or quarters for floating point."""
    n, d, classes = draw(st.integers(6, 40)), draw(st.integers(1, 6)), draw(st.integers(2, 3))
    dtype = np.dtype(draw(st.sampled_from(types)))
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    low, high = (0, 2) if dtype.kind == "b" else (0, 100) if dtype.kind == "u" else (-60, 60)
    values = random.integers(low, high, (n, d)).astype(np.float64)
    if dtype.kind in "fOU":
        values /= 4
    y = random.permutation(np.arange(n) % classes)
    return values, values.astype(dtype), y


@given(problem=problems(LARGE_TYPES), layout=st.sampled_from(LAYOUTS), cls=st.sampled_from(FAST))
def test_dense_arrays(problem, layout, cls):
    values, typed, y = problem
    X = layout(typed)
    assert np.array_equal(X.astype(np.float64), values)
    before = X.tobytes() if not X.dtype.hasobject else X.tolist()
    ours, plain = cls().fit(X, y), cls().fit(values, y)
    assert same_bits(answers(ours, X), answers(plain, values))
    assert same_bits(answers(plain, X), answers(plain, values))
    assert same_bits(ours.predict(X), plain.predict(values))
    assert before == (X.tobytes() if not X.dtype.hasobject else X.tolist())


@given(problem=problems(SMALL_TYPES), layout=st.sampled_from(LAYOUTS), cls=st.sampled_from(FAST))
def test_dense_arrays_of_small_numbers(problem, layout, cls):
    """Single precision has all their values: the result is that of a float32 array."""
    values, typed, y = problem
    X, single = layout(typed), values.astype(np.float32)
    before = X.tobytes()
    ours, plain = cls().fit(X, y), cls().fit(single, y)
    assert same_bits(answers(ours, X), answers(plain, single))
    assert same_bits(ours.predict(X), plain.predict(single))
    assert before == X.tobytes()


EXACT = [LinearSVM, LogisticRegression, Perceptron, LPSeparator, KNeighborsClassifier]


@pytest.mark.parametrize("cls", EXACT, ids=lambda cls: cls.__name__)
def test_precision_of_equal_numbers(cls):
    """Unless a kernel or a scaling computes new numbers, float32 and float64 of the same values give the same bits."""
    X, y = blobs(200, 7, 3, seed=1)
    single = X.astype(np.float32)
    a, b = cls().fit(single, y), cls().fit(single.astype(np.float64), y)
    assert same_bits(answers(a, single), answers(b, single.astype(np.float64)))


@pytest.mark.parametrize("cls", [SVC, KernelPerceptron, Winnow], ids=lambda cls: cls.__name__)
def test_precision_of_computed_numbers(cls):
    X, y = blobs(60, 3, 2, seed=1)
    single = X.astype(np.float32)
    a, b = cls().fit(single, y), cls().fit(single.astype(np.float64), y)
    scores = b.decision_function(single.astype(np.float64))
    assert np.abs(a.decision_function(single) - scores).max() <= 1e-4 * np.abs(scores).max()


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda cls: cls.__name__)
def test_all_estimators_take_all_layouts(cls):
    X, y = blobs(30, 4, 3, seed=2)
    expected = answers(cls().fit(X, y), X) if cls is not halfspace.Classifier else cls().fit(X, y).decision_function(X)
    for layout in LAYOUTS:
        found = cls().fit(layout(X), y)
        scores = found.decision_function(layout(X)) if cls is halfspace.Classifier else answers(found, layout(X))
        assert same_bits(scores, expected)


def test_memory_maps(tmp_path):
    X, y = blobs(50, 4, 2)
    X.tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", dtype=np.float64, mode="r", shape=X.shape)
    assert same_bits(LinearSVM().fit(mapped, y).coef_, LinearSVM().fit(X, y).coef_)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert same_bits(SVC().fit(mapped, y).decision_function(mapped), SVC().fit(X, y).decision_function(X))


def test_lists_and_other_sequences():
    X, y = blobs(20, 3, 2)
    expected = LinearSVM().fit(X, y).coef_
    assert same_bits(LinearSVM().fit(X.tolist(), y.tolist()).coef_, expected)
    assert same_bits(LinearSVM().fit(tuple(map(tuple, X)), tuple(y)).coef_, expected)
    assert same_bits(LinearSVM().fit(memoryview(X), memoryview(y)).coef_, expected)
    assert same_bits(LinearSVM().fit(np.ma.masked_array(X), y).coef_, expected)
    exact = np.array([[fractions.Fraction(value) for value in row] for row in X.tolist()], dtype=object)
    assert same_bits(LinearSVM().fit(exact, y).coef_, expected)


def test_one_column_and_one_row():
    X = np.arange(10.0)[:, None]
    y = np.arange(10) >= 5
    for layout in LAYOUTS:
        model = LinearSVM().fit(layout(X), y)
        assert model.predict(layout(X[9:])).tolist() == [True]
    assert model.predict(np.broadcast_to(9.0, (3, 1))).tolist() == [True] * 3


def test_overlapping_rows():
    """Windows over a series share memory; they are copied."""
    series = np.sin(np.arange(60))
    windows = np.lib.stride_tricks.sliding_window_view(series, 4)
    y = series[3:] > 0
    assert same_bits(LinearSVM().fit(windows, y).coef_, LinearSVM().fit(windows.copy(), y).coef_)


# ---- Sparse matrices -------------------------------------------------------------------------------


def sparse_values(random, n, d, density=0.5):
    X = random.integers(-8, 9, (n, d)) / 4
    X[random.random((n, d)) > density] = 0
    return X


def shuffled(X, random):
    """The columns of each row in random order."""
    X = X.copy()
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        order = random.permutation(part.stop - part.start)
        X.indices[part], X.data[part] = X.indices[part][order], X.data[part][order]
    X.has_sorted_indices = False
    return X


def with_zeros(X, random):
    """With stored zeros, in sorted order."""
    dense = X.toarray()
    stored = (dense != 0) | (random.random(dense.shape) < 0.3)
    rows, cols = np.nonzero(stored)
    starts = np.concatenate([[0], np.cumsum(stored.sum(axis=1))])
    return scipy_sparse.csr_matrix((dense[rows, cols], cols, starts), shape=X.shape)


def with_duplicates(X, random):
    """Each number as the sum of two."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    half = np.floor(X.data)
    data, rows, cols = np.concatenate([half, X.data - half]), np.tile(rows, 2), np.tile(X.indices, 2)
    order = np.lexsort((random.random(len(rows)), rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    return scipy_sparse.csr_matrix((data[order], cols[order], starts), shape=X.shape)


def wide_indices(X, random):
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def wide_starts(X, random):
    X = X.copy()
    X.indptr = X.indptr.astype(np.int64)
    return X


def with_room(X, random):
    """More memory than entries."""
    X = X.copy()
    X.indices, X.data = np.concatenate([X.indices, [0, 0, 0]]).astype(np.int32), np.concatenate([X.data, [np.nan, 7.0, 0.0]])
    return X


def big_endian(X, random):
    X = X.copy()
    X.data = X.data.astype(">f8")
    return X


def strided_values(X, random):
    X = X.copy()
    X.data = np.repeat(X.data, 2)[::2]
    return X


def read_only_parts(X, random):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


SPARSE = {
    "csr": lambda X, random: X.copy(),
    "array": lambda X, random: scipy_sparse.csr_array(X),
    "csc": lambda X, random: X.tocsc(),
    "coo": lambda X, random: X.tocoo(),
    "dia": lambda X, random: X.todia(),
    "bsr": lambda X, random: X.tobsr(),
    "lil": lambda X, random: X.tolil(),
    "dok": lambda X, random: X.todok(),
    "shuffled": shuffled,
    "zeros": with_zeros,
    "duplicates": with_duplicates,
    "wide indices": wide_indices,
    "wide starts": wide_starts,
    "room": with_room,
    "big-endian": big_endian,
    "strided": strided_values,
    "read-only": read_only_parts,
}


def parts_of(X):
    names = ("data", "indices", "indptr", "row", "col", "offsets")
    return [np.array(getattr(X, name)) for name in names if hasattr(X, name)]


@given(
    n=st.integers(6, 30),
    d=st.integers(1, 8),
    seed=st.integers(0, 2**16),
    form=st.sampled_from(list(SPARSE)),
    cls=st.sampled_from(FAST),
)
def test_sparse_matrices(n, d, seed, form, cls):
    random = np.random.default_rng(seed)
    dense = sparse_values(random, n, d)
    dense[random.integers(n)] = 0  # an empty row
    y = random.permutation(np.arange(n) % 2)
    plain = scipy_sparse.csr_matrix(dense)
    X = SPARSE[form](plain, random)
    if form not in ("lil", "dok"):
        before = parts_of(X)
    ours, expected = cls().fit(X, y), cls().fit(plain, y)
    scores = answers(expected, plain)
    assert same_bits(answers(ours, plain), scores)
    if form == "zeros":  # they are in the way of sums, and do not change what is predicted
        assert np.abs(answers(ours, X) - scores).max() <= 1e-12 * np.abs(scores).max()
    else:
        assert same_bits(answers(ours, X), scores)
    # one model gives the same scores for dense and sparse rows; rows of ones are stored without values, in single precision
    if cls is SVC and (plain.data == 1).all():
        assert np.abs(answers(expected, dense) - scores).max() <= 1e-6 * np.abs(scores).max()
    else:
        assert same_bits(answers(expected, dense), scores)
    if form not in ("lil", "dok"):
        assert all(map(same_bits, before, parts_of(X)))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "i4", "i8", "u8", "f4", "f8", "g"])
def test_sparse_types(dtype):
    random = np.random.default_rng(0)
    dense = (random.random((40, 6)) < 0.4) * random.integers(1, 2 if dtype == "?" else 50, (40, 6))
    y = np.arange(40) % 2
    X = scipy_sparse.csr_matrix(dense.astype(dtype))
    same = np.float32 if dtype in ("?", "i1", "u1", "i2", "f4") else np.float64
    expected = LinearSVM().fit(scipy_sparse.csr_matrix(dense.astype(same)), y)
    assert same_bits(LinearSVM().fit(X, y).decision_function(X), expected.decision_function(dense.astype(same)))


def test_all_ones():
    """Sparse rows of ones are stored without their values."""
    random = np.random.default_rng(0)
    dense = (random.random((60, 9)) < 0.4).astype(float)
    y = np.arange(60) % 2
    for cls in FAST:
        # Gaussians of ones are computed by counting, of others from centred rows: the same optimum, up to the gap.
        more = {"tol": 1e-11} if cls is SVC else {}
        for dtype in ("f4", "f8", "i8", "?"):
            ones = scipy_sparse.csr_matrix(dense.astype(dtype))
            found = cls(**more).fit(ones, y)
            single = dense.astype(np.float32)
            scores, expected = answers(found, ones), answers(cls(**more).fit(single, y), single)
            assert np.abs(scores - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("cls", FAST, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_row_is_predicted_alone_as_with_others(cls, dtype, sparse):
    random = np.random.default_rng(0)
    dense = (random.random((40, 9)) < 0.5) * random.integers(1, 3, (40, 9))
    dense[:5] = dense[:5] > 0
    y = np.arange(40) % 2
    X = dense.astype(dtype)
    X = scipy_sparse.csr_matrix(X) if sparse else X
    model = cls().fit(X, y)
    together = answers(model, X)
    for i in range(5):
        assert same_bits(answers(model, X[i : i + 1])[0], together[i])
    for i in range(1, 6):
        assert same_bits(answers(model, X[:i]), together[:i])


def test_many_rows_in_blocks():
    """Rows that are converted block by block are those of one conversion."""
    X, y = blobs(40000, 3, 2)
    model = LinearSVM().fit(X, y)
    assert same_bits(model.decision_function(np.asfortranarray(X)), model.decision_function(X))
    X[39999, 2] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.predict(np.asfortranarray(X))


def broken(change):
    X = scipy_sparse.csr_matrix(np.arange(12.0).reshape(4, 3) + 1)
    change(X)
    return X


BROKEN = {
    "a column too large": lambda X: X.indices.__setitem__(0, 100),
    "a negative column": lambda X: X.indices.__setitem__(0, -1),
    "a start too large": lambda X: X.indptr.__setitem__(1, 1000),
    "a negative start": lambda X: X.indptr.__setitem__(1, -4),
    "a first start that is not 0": lambda X: X.indptr.__setitem__(0, 2),
    "starts that descend": lambda X: X.indptr.__setitem__(2, 1),
    "a last start too large": lambda X: X.indptr.__setitem__(4, 100),
    "too few values": lambda X: setattr(X, "data", X.data[:5]),
    "too few columns": lambda X: setattr(X, "indices", X.indices[:5]),
    "wide columns too large": lambda X: setattr(X, "indices", X.indices.astype(np.int64) + 2**32),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_matrices_are_refused(how):
    """A matrix whose parts do not fit together is an error, and no memory is read that is not there."""
    model = LinearSVM().fit(np.eye(3), [0, 1, 0])
    for call in (
        lambda X: LinearSVM().fit(X, [0, 1, 0, 1]),
        model.predict,
        lambda X: KNeighborsClassifier(1).fit(np.eye(3), [0, 1, 0]).kneighbors(X, 1),
        lambda X: halfspace.write_exact(X, [0, 1, 0, 1], "/dev/null"),
    ):
        with pytest.raises((ValueError, TypeError)):
            call(broken(BROKEN[how]))


# ---- What is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X, message",
    [
        (np.float64(3), "Expected 2D array, got scalar array instead"),
        (np.arange(4.0), "Expected 2D array, got 1D array instead"),
        ([1.0, 2.0], "Expected 2D array, got 1D array instead"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (np.zeros((0, 3)), r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
        (np.zeros((2, 0)), r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
        (scipy_sparse.csr_matrix((0, 3)), r"Found array with 0 sample\(s\)"),
        (scipy_sparse.csr_matrix((2, 0)), r"0 feature\(s\)"),
        (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float: 'a'"),
        (np.array([["a", 1], [2, 3]], dtype=object), "could not convert string to float: 'a'"),
        ([[1, 2], [3]], "inhomogeneous"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        (scipy_sparse.csr_matrix(np.ones((2, 2)) * 1j), "Complex data not supported"),
        (np.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[D]"), "Expected an array of numbers"),
    ],
    ids=lambda value: None if isinstance(value, str) else f"{type(value).__name__}",
)
def test_wrong_shapes_and_types(X, message):
    with pytest.raises(ValueError, match=message):
        LinearSVM().fit(X, [0, 1])
    model = LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(ValueError):
        model.predict(X)


def test_wrong_number_of_columns():
    model = LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    for X in (np.ones((2, 3)), np.ones((2, 1)), scipy_sparse.eye(3)):
        with pytest.raises(ValueError, match=f"X has {X.shape[1]} features, but LinearSVM is expecting 2 features as input"):
            model.predict(X)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "g", "O"])
@pytest.mark.parametrize("sparse", [False, True])
def test_not_finite(wrong, dtype, sparse):
    X = np.arange(12.0).reshape(6, 2).astype(dtype)
    X[4, 1] = wrong
    if sparse:
        if dtype in ("f2", "O", ">f8"):
            return  # scipy has no such matrices
        X = scipy_sparse.csr_matrix(X)
    message = "Input X contains NaN" if np.isnan(wrong) else "Input X contains infinity or a value too large for dtype"
    y = [0, 1, 0, 1, 0, 1]
    for cls in FAST:
        with pytest.raises(ValueError, match=message):
            cls().fit(X, y)
    for model in (LinearSVM(), KNeighborsClassifier(2)):
        model.fit(np.arange(12.0).reshape(6, 2), y)
        with pytest.raises(ValueError, match=message):
            model.predict(X)
    with pytest.raises(ValueError, match=message):
        model.kneighbors(X)
    with pytest.raises(ValueError, match=message):
        halfspace.certify(X, y)


def test_numbers_beyond_double():
    X = np.ones((4, 2), dtype=np.longdouble)
    X[1, 1] = np.longdouble("1e4000")
    with pytest.raises(ValueError):
        LinearSVM().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    "y, message",
    [
        ([0, 1, np.nan, 1], "Input y contains NaN"),
        ([0, 1, np.inf, 1], "Input y contains infinity"),
        (np.array(["a", None, "b", "a"], dtype=object), "Input y contains NaN"),
        (np.array([1, np.nan, 0, 1], dtype=object), "Input y contains NaN"),
        ([0.5, 1.5, 0.5, 1.5], "Unknown label type: 'continuous'"),
        ([1, 1, 1, 1], "needs samples of at least 2 classes in the data, but the data contains only 1 class: 1"),
        (["a"] * 4, "only 1 class: 'a'"),
        (None, "requires y to be passed, but the target y is None"),
        ([0, 1, 0], r"inconsistent numbers of samples: \[4, 3\]"),
        ([[0, 1], [1, 0], [0, 1], [1, 0]], "y should be a 1d array, got an array of shape \\(4, 2\\) instead"),
        (3, "y should be a 1d array"),
        (np.array([1, "a", 1, "a"], dtype=object), "Mix of label types: int, str"),
        (np.array([1j, 2, 1j, 2]), "Unknown label type"),
        (np.array(["a\0b", "c", "a\0b", "c"], dtype=object), "embedded null"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value).replace("\n", " ")[:30],
)
def test_wrong_labels(y, message):
    with pytest.raises(ValueError, match=message):
        LinearSVM().fit(np.arange(8.0).reshape(4, 2), y)


@pytest.mark.parametrize(
    "weights, message",
    [
        ([1, np.nan, 1, 1], "Input sample_weight contains NaN"),
        ([1, np.inf, 1, 1], "Input sample_weight contains infinity"),
        (np.nan, "Input sample_weight contains NaN"),
        ([1, -1, 1, 1], "the weight of row 2 is negative"),
        ([0, 0, 0, 0], "the weight of every row is 0"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        ([[1], [1], [1], [1]], "Sample weights must be 1D array or scalar"),
        (["a", "b", "c", "d"], "could not convert string to float"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value)[:20],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_wrong_weights(weights, message, sparse):
    X = np.arange(8.0).reshape(4, 2) + 1
    with pytest.raises(ValueError, match=message):
        LinearSVM().fit(scipy_sparse.csr_matrix(X) if sparse else X, [0, 1, 0, 1], weights)


def test_column_of_labels():
    X, y = blobs(20, 3, 2)
    with pytest.warns(halfspace.DataConversionWarning, match="A column-vector y was passed") as caught:
        model = LinearSVM().fit(X, y[:, None])
    assert caught[0].filename == __file__
    assert same_bits(model.coef_, LinearSVM().fit(X, y).coef_)


# ---- Labels ----------------------------------------------------------------------------------------


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=5)


@given(names=st.lists(TEXT, min_size=2, max_size=4, unique=True))
def test_any_text_is_a_label(names):
    y = np.array([names[i % len(names)] for i in range(20)], dtype=object)
    X = np.arange(20.0)[:, None]
    model = KNeighborsClassifier(1).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert copy.deepcopy(model).classes_.tolist() == sorted(names)


@given(
    dtype=st.sampled_from(["i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8", "g", "?", ">i4", ">f8", "O"]),
    low=st.integers(-(2**62), 2**62),
    steps=st.lists(st.sampled_from([1, 2, 5000, 2**40]), min_size=1, max_size=3),
)
def test_any_number_is_a_label(dtype, low, steps):
    dtype = np.dtype(dtype)
    wanted = low + np.concatenate([[0], np.cumsum(steps)]).astype(object)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wanted = sorted({int(min(max(value, info.min), info.max)) for value in wanted} | {info.min})
    elif dtype.kind == "f":
        wanted = sorted({float(dtype.type(value % 2000)) for value in wanted})
    elif dtype.kind == "b":
        wanted = [False, True]
    hypothesis.assume(len(wanted) >= 2)
    classes = np.array(wanted, dtype=dtype)
    hypothesis.assume(len(np.unique(classes)) == len(classes))
    y = classes[np.arange(20) % len(classes)]
    X = np.arange(20.0)[:, None]
    model = KNeighborsClassifier(1).fit(X, y)
    assert np.array_equal(model.classes_, classes)
    assert model.predict(X).tolist() == y.tolist()
    assert model.predict(X).dtype.newbyteorder("=") == dtype.newbyteorder("=")
