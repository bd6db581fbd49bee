"""Time scikit-learn's search for C from a libsvm text file to a saved model, in a process of its own.

sklearn_tune.py FILE MODEL

GridSearchCV over LinearSVC, 20 values of C from 1e-4 to 1e4, 5 folds, both processors; then the best C on
all rows. Importing is not timed.
"""
import pickle
import resource
import sys
import time
import warnings

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

if __name__ == "__main__":
    path, model = sys.argv[1:3]
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    rows, labels = load_svmlight_file(path)
    search = GridSearchCV(LinearSVC(), {"C": numpy.logspace(-4, 4, 20)}, cv=5, n_jobs=2)
    search.fit(rows, labels)
    with open(model, "wb") as file:
        pickle.dump(search.best_estimator_, file)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    error = 1 - search.best_score_
    print(f"seconds={seconds:.6f} cpu=0 peak={peak} C={search.best_params_['C']:g} error={error:.6f}")
