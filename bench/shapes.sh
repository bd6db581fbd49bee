#!/bin/sh
# Compare halfspace with other programs over a grid of generated shapes:
#   bench/shapes.sh [BUILD] [--quick] [--only PATTERN] [--list] [--runs N] [--limit SECONDS] [--compare OLD] [--json FILE]
#   bench/shapes.sh [BUILD] --scaling [--only PATTERN] [--json FILE]
#   bench/shapes.sh [BUILD] --solvers [--only PATTERN] [--runs N]
#   bench/shapes.sh --from FILE...
#
# A shape is a data set with a task: rows 1e2 to 1e6, columns 2 to 2.4e5, dense to a few ones per row, 2 to 30 classes,
# condition numbers 1 to 1e8, unscaled means, label noise 0 to 0.4, C 1e-3 to 1e4. bench/shapes/grid.py lists them (--list prints
# them), bench/shapes/data.py generates them, always the same, into build/bench/shapes (--folder DIR).
#
#   hinge, squared, logistic   compared with LIBLINEAR: -s 3; the faster of -s 1 and -s 2; the faster of -s 0 and -s 7;
#                              offset regularised (-B 1), more than two classes one-vs-rest
#   softmax                    compared with scikit-learn's LogisticRegression, multinomial, without its import
#   rbf                        compared with LIBSVM's svm-train at its defaults; more than two classes one-vs-one
#   knn                        index and search in memory, compared with the faster of faiss IndexFlatL2 and scikit-learn
#
# The whole process is timed, from text file to saved model (knn: see bench/near.c). Both models are evaluated by bench/objective.c
# or bench/kernel_objective.c. halfspace runs at its default gap, and if its objective is then worse than the peer's, at
# the largest of 1e-4, 1e-5, ... at which it is not. The programs take turns, N rounds (5); a program that has used 4 seconds
# is not run again. One that is not done after SECONDS (60) is stopped, and the table shows ">". A peer that is not
# installed is left out.
#
# --quick      half of the shapes, the faster ones: about two minutes; the full grid takes about 15 minutes
# --only       shapes whose name contains this regular expression
# --make       generate the files and exit
# --compare    also run the halfspace program OLD (knn: OLD's folder must have bench/near)
# --json       write the results to FILE after every shape; --from prints the tables of such files (of the last that has a shape)
# --scaling    fit time = a * size^exponent on series of shapes, by rows, columns, classes and non-zeros; the table has R^2, and the
#              bound: bytes that must be read at the measured bandwidth, or flops at the measured rate of matrix products
# --solvers    training with --solver auto, newton and dcd on the linear shapes of up to 1e8 cells: is auto within 1.3 times of the best?
# --lock FILE  hold this lock while programs are timed, on a machine that others use as well
set -eu
cd "$(dirname "$0")/.."
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import numpy, scipy' 2>/dev/null; then
        PYTHONDONTWRITEBYTECODE=1 exec "$python" -W ignore bench/shapes/main.py "$@"
    fi
done
echo 'shapes.sh: no Python here has numpy and scipy' >&2
exit 3
