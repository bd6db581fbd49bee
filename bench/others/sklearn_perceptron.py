"""Time scikit-learn's Perceptron from a libsvm text file to a saved model, in a process of its own.

sklearn_perceptron.py FILE MODEL sparse|dense

Its own loader, 10 passes in the order of the file, a pickle. Importing is not timed. Sparse is what the
loader gives; dense makes an array of it first.
"""
import pickle
import resource
import sys
import time

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron

path, model, storage = sys.argv[1:4]
start, begun = time.perf_counter(), time.process_time()
rows, labels = load_svmlight_file(path)
if storage == "dense":
    rows = rows.toarray()
learned = Perceptron(max_iter=10, tol=None, shuffle=False).fit(rows, labels)
with open(model, "wb") as file:
    pickle.dump(learned, file)
seconds, cpu = time.perf_counter() - start, time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(f"seconds={seconds:.6f} cpu={cpu:.6f} peak={peak}")
