"""CSV: what we read is what pandas reads, with its correctly rounded conversion."""
# needs: numpy pandas
import os
import random
import sys

import numpy
import pandas

from oracle import halfspace, read, run, same_bits

MISSING = ["", "?", "NA", "NaN"]


def write(folder, text, name="data.csv"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text)
    return path


def theirs(path, **options):
    options.setdefault("float_precision", "round_trip")
    return pandas.read_csv(path, engine="c", **options)


def compare_numbers(path, frame, *options):
    """All columns but the last are numbers; the last is the label."""
    matrix = frame.iloc[:, :-1].to_numpy(dtype=numpy.float64)
    for precision, kind in (("double", numpy.float64), ("single", numpy.float32)):
        for storage in ("auto", "dense", "sparse"):
            ours = read(path, "--precision", precision, "--storage", storage, *options)
            same_bits(ours.dense(), matrix.astype(kind))
            assert ours.labels() == [str(label) for label in frame.iloc[:, -1]], "labels"


def random_numbers(folder):
    source = random.Random(2)
    lines = ["a,b,c,label"]
    for _ in range(3000):
        numbers = [
            repr(source.gauss(0, 1)),
            str(source.randint(-999, 999)),
            f"{source.random():.{source.randint(1, 19)}e}",
        ]
        lines.append(",".join(numbers + [source.choice(["no", "yes"])]))
    path = write(folder, "\n".join(lines).encode())
    frame = theirs(path)
    compare_numbers(path, frame)
    ours = read(path)
    assert ours.features == ["a", "b", "c"], ours.features


def separators(folder):
    for name, separator in (("semicolon", ";"), ("tab", "\t"), ("pipe", "|")):
        lines = [separator.join(words) for words in (["x", "y", "k"], ["1.5", "-2", "u"], ["0", "1e3", "v"])]
        path = write(folder, ("\r\n".join(lines) + "\r\n").encode(), f"{name}.csv")
        frame = theirs(path, sep=separator)
        compare_numbers(path, frame)
        compare_numbers(path, frame, "--separator", name)


def no_header(folder):
    path = write(folder, b"1,2,a\n3,4,b\n5.25,-6,a\n")
    compare_numbers(path, theirs(path, header=None))


def quotes(folder):
    path = write(
        folder,
        b'"a ""quoted"" name",word,label\n1.5,"one, two",x\n"2.5","line\nbreak",y\n-3,"say ""it""",x\n4,plain,y\n',
    )
    frame = theirs(path)
    ours = read(path, "--precision", "double", "--storage", "dense")
    column = frame.columns[0]
    same_bits(ours.dense()[:, ours.features.index(column)].copy(), frame[column].to_numpy())
    compare_words(ours, frame, "word")
    assert ours.labels() == list(frame["label"])


def compare_words(ours, frame, column):
    """Every category is a column of its own, 1 where the word is."""
    dummies = pandas.get_dummies(frame[column])
    for word in dummies.columns:
        at = ours.features.index(f"{column}={word}")
        same_bits(ours.dense()[:, at].copy(), dummies[word].to_numpy(dtype=ours.dense().dtype))
    others = [name for name in ours.features if name.startswith(f"{column}=")]
    assert len(others) == len(dummies.columns), others


def categories(folder):
    source = random.Random(3)
    colours = ["red", "green", "blue", "dark blue", "Red"]
    lines = ["colour,size,shape,class"]
    for _ in range(2000):
        shape = source.choice(["round", "flat", "long"])
        lines.append(f"{source.choice(colours)},{source.random()},{shape},{source.choice('pq')}")
    path = write(folder, "\n".join(lines).encode())
    frame = theirs(path)
    for storage in ("dense", "sparse"):
        ours = read(path, "--precision", "double", "--storage", storage)
        compare_words(ours, frame, "colour")
        compare_words(ours, frame, "shape")
        same_bits(ours.dense()[:, ours.features.index("size")].copy(), frame["size"].to_numpy())


def ordinals(folder):
    order = ["low", "middle", "high"]
    source = random.Random(4)
    lines = ["grade,x,class"] + [f"{source.choice(order)},{i},{i % 2}" for i in range(200)]
    path = write(folder, "\n".join(lines).encode())
    frame = theirs(path)
    codes = pandas.Categorical(frame["grade"], categories=order, ordered=True).codes
    ours = read(path, "--ordinal", "grade=low<middle<high", "--storage", "dense")
    same_bits(ours.dense()[:, ours.features.index("grade")].copy(), codes.astype(numpy.float32))


def missing_file(folder):
    """Numbers with holes, and the frame pandas makes of them."""
    source = random.Random(5)
    lines = ["a,b,class"]
    for _ in range(500):
        words = [f"{source.uniform(-9, 9):.3f}" if source.random() < 0.8 else source.choice(MISSING) for _ in "ab"]
        lines.append(",".join(words + [source.choice("uv")]))
    path = write(folder, "\n".join(lines).encode())
    return path, theirs(path, na_values=MISSING, keep_default_na=False)


def missing_dropped(folder):
    path, frame = missing_file(folder)
    compare_numbers(path, frame.dropna(), "--missing", "drop")


def missing_as_mean(folder):
    path, frame = missing_file(folder)
    numbers = frame[["a", "b"]]
    ours = read(path, "--missing", "mean", "--precision", "double", "--storage", "dense").dense()
    expected = numbers.fillna(numbers.mean()).to_numpy()
    there = numbers.notna().to_numpy()
    same_bits(ours[there], expected[there])
    # The mean is a sum, and the order of a sum is nobody's business: near, not the same bits.
    assert numpy.allclose(ours[~there], expected[~there], rtol=1e-12, atol=1e-14), "means"


def missing_indicated(folder):
    path, frame = missing_file(folder)
    ours = read(path, "--missing", "indicator", "--precision", "double", "--storage", "dense")
    for column in "ab":
        value = ours.dense()[:, ours.features.index(column)].copy()
        flag = ours.dense()[:, ours.features.index(f"{column}=?")].copy()
        same_bits(value, frame[column].fillna(0).to_numpy())
        same_bits(flag, frame[column].isna().to_numpy(dtype=numpy.float64))


def our_writing(folder):
    """The CSV and TSV that we write, they read to the same bits."""
    text = os.path.join(folder, "data.svm")
    halfspace("make", "separable", "--rows", "500", "--features", "6", "--quiet", "-o", text)
    for precision, kind in (("single", numpy.float32), ("double", numpy.float64)):
        rows = read(text, "--precision", precision, "--storage", "dense")
        for ending, separator in (("csv", ","), ("tsv", "\t")):
            path = os.path.join(folder, f"{precision}.{ending}")
            halfspace("convert", "--quiet", "--precision", precision, text, path)
            frame = theirs(path, sep=separator)
            same_bits(rows.dense(), frame.iloc[:, :-1].to_numpy(dtype=numpy.float64).astype(kind))
            assert [str(label) for label in frame.iloc[:, -1]] == rows.labels(), "labels"


if __name__ == "__main__":
    sys.exit(
        run(
            [
                random_numbers,
                separators,
                no_header,
                quotes,
                categories,
                ordinals,
                missing_dropped,
                missing_as_mean,
                missing_indicated,
                our_writing,
            ]
        )
    )
