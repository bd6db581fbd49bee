"""Time scikit-learn's SVC from a libsvm text file to a saved model, in a process of its own.

sklearn_svc.py FILE MODEL C GAMMA CACHE_MB

Its own loader and defaults, a pickle. Importing is not timed. Afterwards the machine is written to MODEL.txt in
LIBSVM's format, so that bench/kernel_objective can say how good it is.
"""
import pickle
import resource
import sys
import time

from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

path, model = sys.argv[1:3]
cost, gamma, cache = (float(word) for word in sys.argv[3:6])
start, begun = time.perf_counter(), time.process_time()
rows, labels = load_svmlight_file(path)
learner = SVC(C=cost, gamma=gamma, cache_size=cache)
fitting = time.perf_counter()
learner.fit(rows, labels)
fitted = time.perf_counter()
with open(model, "wb") as file:
    pickle.dump(learner, file)
seconds, cpu = time.perf_counter() - start, time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(f"seconds={seconds:.6f} cpu={cpu:.6f} peak={peak} train={fitted - fitting:.6f}")

coefficients, support = learner.dual_coef_.toarray(), learner.support_vectors_.tocsr()
with open(model + ".txt", "w") as file:
    file.write(f"svm_type c_svc\nkernel_type rbf\ngamma {gamma:.17g}\nnr_class {len(learner.classes_)}\n")
    file.write(f"total_sv {support.shape[0]}\nnr_sv {' '.join(str(n) for n in learner.n_support_)}\nSV\n")
    for i in range(support.shape[0]):
        row = slice(support.indptr[i], support.indptr[i + 1])
        words = [f"{a:.17g}" for a in coefficients[:, i]]
        words += [f"{j + 1}:{v:.9g}" for j, v in zip(support.indices[row], support.data[row])]
        file.write(" ".join(words) + "\n")
