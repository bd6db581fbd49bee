"""Time another program's search for nearest neighbours, in a process of its own.

knn.py WHO ROWS QUERIES|- K OURS [EVERY]

WHO: faiss (IndexFlatL2), kd_tree or brute-cosine (scikit-learn), each on two threads. ROWS and QUERIES are libsvm text;
QUERIES "-": every EVERY-th row (10) is a query instead. Timed are the index and the search, rows being in memory in
the form that the program likes best; reading and importing are not. What was parsed is kept in FILE.npz.

OURS: neighbours as bench/near.c saves them. Printed as well: same, the share of neighbours that are the same rows;
off, the largest difference of distances at the same place, relative to the largest distance.
"""
import os
import resource
import sys
import time

import numpy
import scipy.sparse
from sklearn.datasets import load_svmlight_file

who, rows_path, queries_path, k, ours = sys.argv[1:6]
k, every = int(k), int(sys.argv[6]) if len(sys.argv) > 6 else 10


def load(path, columns):
    if not os.path.exists(path + ".npz"):
        scipy.sparse.save_npz(path + ".npz", load_svmlight_file(path, n_features=columns)[0])
    return scipy.sparse.load_npz(path + ".npz")


rows = load(rows_path, None)
if queries_path == "-":
    held = numpy.arange(rows.shape[0]) % every == 0
    rows, queries = rows[~held], rows[held]
else:
    queries = load(queries_path, rows.shape[1])
if who == "faiss":
    import faiss

    faiss.omp_set_num_threads(2)
    rows, queries = (numpy.ascontiguousarray(x.toarray(), dtype=numpy.float32) for x in (rows, queries))
else:
    from sklearn.neighbors import KNeighborsClassifier

    if who == "kd_tree":
        rows, queries = rows.toarray(), queries.toarray()
    labels = numpy.zeros(rows.shape[0])

start, begun = time.perf_counter(), time.process_time()
if who == "faiss":
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    distances, places = index.search(queries, k)
elif who == "kd_tree":
    learner = KNeighborsClassifier(k, algorithm="kd_tree", n_jobs=2).fit(rows, labels)
    distances, places = learner.kneighbors(queries)
else:
    learner = KNeighborsClassifier(k, algorithm="brute", metric="cosine", n_jobs=2).fit(rows, labels)
    distances, places = learner.kneighbors(queries)
seconds, cpu = time.perf_counter() - start, time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

if who == "faiss":
    distances = numpy.sqrt(numpy.maximum(distances, 0).astype(float))
saved = numpy.loadtxt(ours)
same = float(numpy.mean(saved[:, 0::2].astype(int) == places))
off = float(numpy.abs(saved[:, 1::2] - distances).max() / distances.max())
print(f"seconds={seconds:.6f} cpu={cpu:.6f} peak={peak} same={same:.6f} off={off:.3g}")
