# A reference from the feature space of another kernel is refused.
halfspace make moons -q --rows 60 --spread 0.1 --seed 4 -o moons.svm
halfspace train perceptron -q --kernel 'rbf(1)' --passes until-converged moons.svm -o rbf.hsp >/dev/null
halfspace train perceptron -q --kernel 'rbf(2)' --trace t.csv --reference rbf.hsp moons.svm 2>&1
halfspace train perceptron -q --trace t.csv --reference rbf.hsp moons.svm 2>&1
