"""Arrays of users as rows and labels of the library, with scikit-learn's words for what is wrong."""
from __future__ import annotations

import fractions
import math
import numbers
import sys
from typing import Any, Callable, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._errors import DataConversionWarning, like_sklearn, warn

Float = npt.NDArray[Any]
# A dense array of float32 or float64 with contiguous rows, or (values, columns, offsets, number of columns).
Rows = Union[Float, Tuple[Optional[Float], npt.NDArray[Any], npt.NDArray[Any], int]]

# Types whose values float32 holds exactly.
_SMALL = tuple(np.dtype(t) for t in ("?", "i1", "u1", "i2", "u2", "f2", "f4"))


def is_sparse(X: object) -> bool:
    """A matrix or array of scipy.sparse; scipy is not imported for it."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def feature_names(X: object) -> Optional[npt.NDArray[Any]]:
    """The names of the columns of a data frame, if all are text."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "dtypes"):
        return None
    names = np.asarray(columns, dtype=object)
    kinds = {isinstance(name, str) for name in names}
    if kinds == {True, False}:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            "names of several types. If you want feature names to be stored and validated, you must convert "
            "them all to strings, by using X.columns = X.columns.astype(str) for example."
        )
    return names if kinds == {True} else None


def of_frame(X: Any) -> Any:
    """The sparse matrix that a data frame of sparse columns is; everything else as it is."""
    to_coo = getattr(getattr(X, "sparse", None), "to_coo", None) if hasattr(X, "dtypes") else None
    try:
        return X if to_coo is None else to_coo()
    except ValueError:  # a column is something else than 0 where nothing is stored
        return X


def _as_numbers(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Objects or text as numbers; None and pandas.NA as NaN."""
    try:
        return array.astype(np.float64)
    except TypeError:
        missing = np.vectorize(_is_missing, otypes=[bool])(array)
        if not missing.any():
            raise
        return np.where(missing, np.nan, array).astype(np.float64)


def as_array(X: object) -> Float:
    """A dense 2-d array of numbers, not copied if it is one. The type is a real number's."""
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if array.ndim == 0:
        raise ValueError(
            f"Expected 2D array, got scalar array instead:\narray={array}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains "
            "a single sample."
        )
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains "
            "a single sample."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if array.dtype.kind in "OSUV":
        array = _as_numbers(array)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"Expected an array of numbers, got the type {array.dtype}.")
    _check_not_empty(array.shape)
    return array


def _check_not_empty(shape: Tuple[int, ...]) -> None:
    for length, what in zip(shape, ("sample", "feature")):
        if length == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")


def as_csr(X: Any) -> Any:
    """A sparse matrix as compressed sparse rows, not copied if it is one."""
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    _check_not_empty(X.shape)
    return X.tocsr()


def usable(array: Float) -> bool:
    """Can the library use the rows in place?"""
    return (
        (array.dtype == np.float64 or array.dtype == np.float32)
        and array.dtype.isnative
        and (array.shape[1] < 2 or array.strides[1] == array.itemsize)
        and (
            array.shape[0] < 2
            or (array.strides[0] >= array.shape[1] * array.itemsize and array.strides[0] % array.itemsize == 0)
        )
        and array.flags.aligned
    )


def _plain(array: Any, dtype: Any = None) -> npt.NDArray[Any]:
    """The array, or a copy, of this type, contiguous and aligned."""
    return np.require(array, dtype=dtype, requirements=["C_CONTIGUOUS", "ALIGNED"])


def to_rows(array: Float) -> Float:
    """The array, or a copy that the library can use: in single precision where that is exact."""
    if usable(array):
        return array
    small = array.dtype.newbyteorder("=") in _SMALL
    with np.errstate(over="ignore"):  # longdouble; infinity is refused later
        return _plain(array, np.float32 if small else np.float64)


def sparse_rows(X: Any) -> Rows:
    """Compressed sparse rows without a copy if X has them, else converted. Columns of 64 bits are
    copied to 32, which is what the library uses."""
    X = as_csr(X)
    columns, starts = X.indices, X.indptr
    if columns.dtype.itemsize != 4 or not columns.dtype.isnative:
        if columns.size and (columns.min() < 0 or columns.max() >= X.shape[1]):
            raise ValueError("the sparse matrix has a column index that is out of range")
        columns = columns.astype(np.uint32)
    if not starts.dtype.isnative:
        starts = starts.astype(np.int64)
    values = X.data
    if values.dtype.kind not in "fiub":
        values = values.astype(np.float64)
    return to_rows(values.reshape(1, -1)).reshape(-1), _plain(columns), _plain(starts), X.shape[1]


def tidy(X: Any) -> Any:
    """A copy of a sparse matrix as compressed sparse rows with sorted columns, without duplicates and stored zeros."""
    X = as_csr(X).copy()
    X.check_format(full_check=True)  # scipy does not look where it writes
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def tidy_rows(X: Any) -> Rows:
    """The rows of a tidy copy."""
    return sparse_rows(tidy(X))


def check_exact(values: npt.NDArray[Any], rows: npt.NDArray[Any]) -> None:
    """Were the values converted to rows without rounding?"""
    kind = values.dtype.kind
    if kind == "b" or (kind == "f" and values.dtype.itemsize <= 8) or not values.size:
        return
    if kind in "iu" and max(abs(int(values.min())), abs(int(values.max()))) <= 2**53:
        return
    # longdouble has no exact form in Python; the other values become Python's numbers
    flat = values.ravel() if kind == "f" else values.ravel().tolist()
    for value, double in zip(flat, rows.ravel().tolist()):
        same = value == np.longdouble(double) if kind == "f" else fractions.Fraction(value) == fractions.Fraction(double)
        if not same:
            raise ValueError(
                f"{value!r} cannot be written exactly, because it is not a double: round X first, with X.astype(float)"
            )


def explain_not_finite(X: Any, name: str, estimator: str) -> Optional[ValueError]:
    """The error that scikit-learn gives for NaN or infinity in X; None: all values are finite."""
    values = X.data if is_sparse(X) else np.asarray(X)
    if values.dtype.kind == "O":
        values = _as_numbers(values)
    if values.dtype.kind != "f":
        return None
    if np.isnan(values).any():
        text = f"Input {name} contains NaN."
        if estimator:
            text += (
                f"\n{estimator} does not accept missing values encoded as NaN. Fill them first, for example with "
                "sklearn.impute.SimpleImputer, or drop those rows."
            )
        return ValueError(text)
    if np.isinf(values).any():
        return ValueError(f"Input {name} contains infinity or a value too large for dtype({str(values.dtype)!r}).")
    return None


# ---- Labels ----------------------------------------------------------------------------------------


def column(y: object, name: str = "y") -> npt.NDArray[Any]:
    """A 1-d array of labels."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples, ), for example using ravel().",
            like_sklearn(DataConversionWarning),
        )
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def same_length(X_rows: int, y: npt.NDArray[Any]) -> None:
    if len(y) != X_rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{X_rows}, {len(y)}]")


def _is_missing(value: Any) -> bool:
    """None, NaN, or pandas.NA, which is neither equal nor unequal to itself."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def encode(y: npt.NDArray[Any]) -> Tuple[npt.NDArray[Any], npt.NDArray[np.uint32]]:
    """The distinct labels, sorted, and the number of each row's label among them."""
    kind = y.dtype.kind
    if kind == "O" and any(_is_missing(value) for value in y):
        raise ValueError("Input y contains NaN.")
    if kind == "f":
        error = explain_not_finite(y, "y", "")
        if error is not None:
            raise error
        if np.any(y != np.floor(y)):
            raise ValueError("Unknown label type: 'continuous'. The labels of classes are whole numbers or text.")
    if kind == "c":
        raise ValueError("Unknown label type: complex numbers")
    if kind in "iubf" and len(y):
        low, high = y.min(), y.max()
        if float(high) - float(low) < 4 * len(y) + 1000 and abs(float(low)) < 2**52:
            place = (y.astype(np.int64) - int(low)) if kind != "b" else y.astype(np.int64) - int(low)
            met = np.zeros(int(high) - int(low) + 1, dtype=np.uint32)
            met[place] = 1
            found = np.flatnonzero(met)
            met[found] = np.arange(len(found), dtype=np.uint32)
            classes = (found + int(low)).astype(y.dtype)
            return classes, met[place]
    try:
        classes, labels = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in y})
        raise ValueError(
            f"Mix of label types: {', '.join(kinds)}. The labels of classes are all numbers, or all text."
        ) from None
    return classes, labels.astype(np.uint32)


def equal(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which labels are equal; text is never equal to a number, and numpy warns if asked."""
    if (a.dtype.kind in "US") != (b.dtype.kind in "US"):
        a, b = a.astype(object), b.astype(object)
    return np.asarray(a == b, dtype=bool)


def numbers_of(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The number of each label among the classes."""
    order = np.argsort(classes)  # those of a file may be in another one
    at = np.searchsorted(classes, y, sorter=order)
    at[at == len(classes)] = 0
    at = order[at]
    unknown = ~equal(classes[at], y)
    if np.any(unknown):
        raise ValueError(f"y has labels that are not among the classes {classes.tolist()}: {np.unique(y[unknown]).tolist()}")
    return at.astype(np.uint32)


def class_name(label: object) -> str:
    """The name of a class in a model file: numbers as the reader of data files writes them."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
        return str(int(label))
    return str(label)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def labels_of_names(names: list[str]) -> npt.NDArray[Any]:
    """Names of classes as an array: truth values or whole numbers if all are, else numbers, else text."""
    if set(names) == {"False", "True"}:
        return np.array([name == "True" for name in names])
    kinds: Tuple[Tuple[Callable[[str], float], type], ...] = ((int, np.int64), (_finite, np.float64))
    for convert, dtype in kinds:
        try:
            values = [convert(name) for name in names]
        except ValueError:
            continue
        if all(class_name(value) == name for value, name in zip(values, names)):
            try:
                return np.array(values, dtype=dtype)
            except OverflowError:
                continue
    return np.array(names)


def weights_of(sample_weight: object, rows: int) -> Optional[npt.NDArray[np.float64]]:
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Number):
        sample_weight = np.full(rows, float(sample_weight))  # type: ignore[arg-type]
    weights = _plain(sample_weight, np.float64)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    wrong = explain_not_finite(weights, "sample_weight", "")
    if wrong is not None:
        raise wrong
    return None if np.all(weights == 1) else weights
