"""The table of docs/tutorial.md through pandas and scikit-learn: the same columns, and the same cross-validated AUC.

pandas cleans the cells, a ColumnTransformer imputes, encodes and standardises them, and a pipeline with
LogisticRegression is trained on the same folds.
"""
# needs: numpy pandas sklearn
import json
import os
import sys
import warnings

import numpy
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from oracle import Cache, halfspace, run

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "churn.csv")
READ = ["--ignore", "customer,last_remark", "--date", "signup", "--thousands", ",", "--currency", "--percent",
        "--missing", "mean", "--ignore-case", "--precision", "double"]
NUMBERS = ["signup", "age", "income", "monthly_fee", "data_gb", "late_payments", "discount"]
WORDS = ["region", "plan"]


def table():
    """The cells as pandas users clean them."""
    frame = pandas.read_csv(TABLE, na_values=["-", "N/A"])
    frame["signup"] = (pandas.to_datetime(frame["signup"]) - pandas.Timestamp("1970-01-01")).dt.days
    frame["income"] = frame["income"].str.replace("[$,]", "", regex=True).astype(float)
    frame["discount"] = frame["discount"].str.rstrip("%").astype(float) / 100
    frame[WORDS] = frame[WORDS].apply(lambda column: column.str.lower())
    return frame[NUMBERS + WORDS], frame["churn"].str.lower()


def columns():
    return ColumnTransformer([("number", SimpleImputer(), NUMBERS), ("word", OneHotEncoder(sparse_output=False), WORDS)],
                             verbose_feature_names_out=False)


def same_columns(folder):
    rows, labels = table()
    encoder = columns()
    matrix = StandardScaler().fit_transform(encoder.fit_transform(rows))
    names = [word.replace("_", "=", 1) if word.split("_")[0] in WORDS else word
             for word in encoder.get_feature_names_out()]
    path = os.path.join(folder, "scaled.hsp")
    halfspace("scale", "--quiet", "--kind", "standard", "--storage", "dense", *READ, TABLE, path)
    ours = Cache(path)
    assert sorted(ours.features) == sorted(names), (ours.features, names)
    assert ours.labels() == list(labels)
    order = [names.index(name) for name in ours.features]
    far = numpy.abs(ours.dense() - matrix[:, order]).max()
    assert far <= 1e-12, f"the matrices differ by {far}"


def same_auc(folder):
    rows, labels = table()
    held = os.path.join(folder, "held.csv")
    told = json.loads(halfspace("cv", "logistic", "--json", "--quiet", "--scale", "standard", "--storage", "dense", "--score",
                                "auc", "--gap", "1e-12", "--held-out", held, *READ, TABLE))
    ours = pandas.read_csv(held)
    matrix = columns().fit_transform(rows)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-8, max_iter=10000, solver="newton-cg"))
    theirs = cross_val_score(model, matrix, labels, scoring="roc_auc", cv=PredefinedSplit(ours["fold"]))
    assert abs(told["score"] - theirs.mean()) <= 1e-6, f"{told['score']} and {theirs.mean()}"
    for fold, auc in zip(sorted(set(ours["fold"])), theirs):
        here = ours[ours["fold"] == fold]
        again = roc_auc_score(here["label"] == "yes", here["score"])
        assert abs(again - auc) <= 1e-6, f"fold {fold}: {again} and {auc}"
    print(f"AUC {told['score']:.6f}, scikit-learn {theirs.mean():.6f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of line searches that end at rounding errors
    sys.exit(run([same_columns, same_auc]))
