"""Hashed columns: the features of scikit-learn's HashingVectorizer, signs and n-grams included."""
# needs: numpy sklearn
import csv
import random
import re
import sys

import numpy
from sklearn.feature_extraction.text import HashingVectorizer

from oracle import read, run, same_bits

WORDS = ["free", "Offer", "offer", "x", "42", "naïve", "Ünïcode", "a_b", "don't", "e-mail", "日本", "THE", "the", ""]


def theirs(cells, features, ngrams):
    vectorizer = HashingVectorizer(
        n_features=features,
        norm=None,
        ngram_range=(1, ngrams),
        preprocessor=lambda text: re.sub("[A-Z]", lambda letter: letter.group().lower(), text),
        token_pattern=r"[0-9A-Za-z_\u0080-\U0010ffff]+",
    )
    return vectorizer.transform(cells).toarray()


def random_texts(folder):
    source = random.Random(5)
    for features, ngrams in ((1, 1), (7, 2), (64, 3), (1024, 2)):
        cells = [["a " + " ".join(source.choices(WORDS, k=source.randint(0, 12))) for _ in range(2)] for _ in range(200)]
        path = f"{folder}/texts.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["note", "place", "label"])
            writer.writerows([*pair, source.choice("ny")] for pair in cells)
        expected = [theirs([pair[column] for pair in cells], features, ngrams) for column in range(2)]
        for storage in ("auto", "dense", "sparse"):
            ours = read(path, "--hash", str(features), "--ngrams", str(ngrams), "--storage", storage)
            same_bits(ours.dense(), numpy.hstack(expected).astype(numpy.float32))
        assert ours.features[0] == "note#0", ours.features[0]


if __name__ == "__main__":
    sys.exit(run([random_texts]))
