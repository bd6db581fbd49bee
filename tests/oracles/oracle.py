"""What the comparisons share: running the command, opening its binary files, and counting."""
import json
import os
import struct
import subprocess
import tempfile
import traceback

import numpy

HALFSPACE = os.environ.get("HALFSPACE", "build/halfspace")
TYPES = {"U8": "u1", "U32": "<u4", "U64": "<u8", "F32": "<f4", "F64": "<f8"}


def halfspace(*arguments):
    """Run the command; its standard output, or an exception with what it said."""
    done = subprocess.run([HALFSPACE, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"halfspace {' '.join(arguments)}: {done.stderr.decode()}")
    return done.stdout


def container(path):
    """The metadata and the arrays of a binary file: a safetensors file is a header and raw arrays."""
    with open(path, "rb") as file:
        raw = file.read()
    (size,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + size])
    meta = header.pop("__metadata__")
    arrays = {}
    for name, entry in header.items():
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        array = numpy.frombuffer(raw[start:end], dtype=TYPES[entry["dtype"]])
        arrays[name] = array.reshape(entry["shape"])
    return meta, arrays


class Cache:
    """A binary data file, read by nothing of ours."""

    def __init__(self, path):
        meta, arrays = container(path)
        self.rows, self.cols = int(meta["rows"]), int(meta["cols"])
        self.storage, self.precision = meta["storage"], meta["precision"]
        self.classes = json.loads(meta["classes"])
        self.features = json.loads(meta["features"]) if "features" in meta else None
        self.arrays = arrays

    def labels(self):
        """The name of the class of every row."""
        return [self.classes[label] for label in self.arrays["labels"]]

    def dense(self):
        kind = numpy.float32 if self.precision == "single" else numpy.float64
        if self.storage == "dense":
            return self.arrays["values"]
        matrix = numpy.zeros((self.rows, self.cols), dtype=kind)
        starts, indices = self.arrays["starts"], self.arrays["indices"]
        rows = numpy.repeat(numpy.arange(self.rows), numpy.diff(starts.astype(numpy.int64)))
        matrix[rows, indices] = self.arrays["values"] if self.storage == "sparse" else 1
        return matrix


def read(path, *options):
    """A file as the command reads it."""
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "data.hsp")
        halfspace("convert", "--quiet", path, cache, *options)
        return Cache(cache)


def same_bits(ours, theirs):
    """Equal, bit by bit but for the sign of zero, and of one type."""
    assert ours.dtype == theirs.dtype, f"{ours.dtype} and {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{ours.shape} and {theirs.shape}"
    different = numpy.argwhere(ours != theirs)
    assert len(different) == 0, (
        f"{len(different)} values differ, the first at {different[0]}: "
        f"{ours[tuple(different[0])]!r} and {theirs[tuple(different[0])]!r}"
    )


def run(tests):
    """Run every test, each with a folder of its own; one line each, and the exit status."""
    failed = 0
    for test in tests:
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(folder)
            print(f"ok {test.__name__}")
        except Exception:  # one that fails must not keep the others from running
            traceback.print_exc()
            print(f"FAILED {test.__name__}")
            failed += 1
    return 1 if failed else 0
