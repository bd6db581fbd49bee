"""libsvm text: what we read is what scikit-learn's load_svmlight_file reads."""
# needs: numpy sklearn
import os
import random
import sys

import numpy
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from oracle import halfspace, read, run, same_bits


def compare(path, *options, **theirs):
    """Both precisions, every storage, the labels."""
    for precision, kind in (("single", numpy.float32), ("double", numpy.float64)):
        matrix, labels = load_svmlight_file(path, dtype=kind, **theirs)
        for storage in ("auto", "dense", "sparse"):
            ours = read(path, "--precision", precision, "--storage", storage, *options)
            same_bits(ours.dense(), matrix.toarray())
            assert [float(name) for name in ours.labels()] == list(labels), "labels"


def write(folder, text):
    path = os.path.join(folder, "data.svm")
    with open(path, "wb") as file:
        file.write(text)
    return path


def random_number(source):
    """A decimal in one of the ways people write them."""
    digits = "".join(source.choice("0123456789") for _ in range(source.randint(1, 20)))
    kind = source.randint(0, 4)
    if kind == 0:
        return digits[:9]
    if kind == 1:
        return f"{digits[:4]}.{digits}"
    if kind == 2:
        return f"-0.{digits}"
    if kind == 3:
        return f"{digits[0]}.{digits}e{source.randint(-36, 36)}"
    return repr(source.gauss(0, 1))


def odd_lines(folder):
    compare(
        write(
            folder,
            b"# a comment first\n"
            b"+1 1:1 3:0.5 # and one behind\n"
            b"-1.0 2:1e-3\t4:-7\r\n"
            b"1\n"
            b"-1   1:+2   2:.5  3:5.  \n"
            b"1e0 4:1E+2\n"
            b"-1 3:00012.50",
        ),
        zero_based=False,
    )


def zero_based(folder):
    compare(write(folder, b"1 0:1 2:2\n2 1:3\n3 0:0.1 1:0.2 2:0.3\n"))


def features_given(folder):
    compare(write(folder, b"1 1:1\n0 2:1\n"), "--features", "7", n_features=7, zero_based=False)


def classes_are_numbers(folder):
    compare(write(folder, b"10 1:1\n9 1:2\n-3 1:3\n2.5 1:4\n10.0 1:5\n"), zero_based=False)


def random_texts(folder):
    source = random.Random(1)
    lines = []
    for _ in range(3000):
        columns = sorted(source.sample(range(1, 60), source.randint(0, 12)))
        entries = " ".join(f"{column}:{random_number(source)}" for column in columns)
        lines.append(f"{source.choice([-1, 1])} {entries}\n")
    lines.append("1 60:1\n")
    compare(write(folder, "".join(lines).encode()), zero_based=False)


def their_writing(folder):
    source = numpy.random.default_rng(1)
    matrix = source.standard_normal((500, 30)) * (source.random((500, 30)) < 0.3)
    matrix[0] = 1
    path = os.path.join(folder, "data.svm")
    dump_svmlight_file(matrix, source.integers(0, 3, 500), path, zero_based=False)
    compare(path, zero_based=False)


def our_writing(folder):
    """What we write, they read back to the same bits."""
    listed = halfspace("make").decode().splitlines()
    generators = [line.split()[0] for line in listed if line[:2] == "  " and line[2] != " "]
    assert len(generators) > 2, "no generators are listed"
    for generator in generators:
        text, again = (os.path.join(folder, f"{generator}{end}.svm") for end in ("", "-again"))
        halfspace("make", generator, "--rows", "400", "--quiet", "-o", text)
        compare(text, zero_based=False)
        halfspace("convert", "--quiet", text, again)
        first, second = (load_svmlight_file(path, zero_based=False) for path in (text, again))
        same_bits(first[0].toarray(), second[0].toarray())


if __name__ == "__main__":
    sys.exit(
        run(
            [
                odd_lines,
                zero_based,
                features_given,
                classes_are_numbers,
                random_texts,
                their_writing,
                our_writing,
            ]
        )
    )
