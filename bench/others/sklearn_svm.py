"""Time scikit-learn from a libsvm text file to a saved model, in a process of its own.

sklearn_svm.py LinearSVC|LogisticRegression|SGDClassifier|softmax FILE MODEL [C]

Its own loader, C (1), its own defaults otherwise, a pickle. LinearSVC minimises the squared hinge with a
regularised offset, the other two leave the offset free (SGDClassifier: the hinge, alpha = 1 / (C n));
softmax is LogisticRegression with all classes at once.
Importing is not timed. Afterwards the weights are written to MODEL.txt in LIBLINEAR's format, so that
bench/objective can say how good they are.
"""
import pickle
import resource
import sys
import time
import warnings

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

kind, path, model = sys.argv[1:4]
C = float(sys.argv[4]) if len(sys.argv) > 4 else 1
warnings.simplefilter("ignore")
start, begun = time.perf_counter(), time.process_time()
rows, labels = load_svmlight_file(path)
if kind == "LinearSVC":
    learner = LinearSVC(C=C)
elif kind == "LogisticRegression":
    learner = LogisticRegression(C=C, multi_class="ovr", n_jobs=2)
elif kind == "softmax":
    learner = LogisticRegression(C=C, multi_class="multinomial")
else:
    learner = SGDClassifier(alpha=1 / (C * len(labels)), n_jobs=2)
fitting = time.perf_counter()
learner.fit(rows, labels)
fitted = time.perf_counter()
with open(model, "wb") as file:
    pickle.dump(learner, file)
seconds, cpu = time.perf_counter() - start, time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(f"seconds={seconds:.6f} cpu={cpu:.6f} peak={peak} train={fitted - fitting:.6f}")

classes, weights = learner.classes_, learner.coef_
if len(classes) == 2:  # the first class that LIBLINEAR names is the positive one
    classes = classes[::-1]
with open(model + ".txt", "w") as file:
    names = " ".join(f"{name:g}" for name in classes)
    file.write(f"solver_type L2R_L2LOSS_SVC_DUAL\nnr_class {len(classes)}\nlabel {names}\n")
    file.write(f"nr_feature {weights.shape[1]}\nbias 1\nw\n")
    numpy.savetxt(file, numpy.vstack([weights.T, learner.intercept_]), fmt="%.17g")
