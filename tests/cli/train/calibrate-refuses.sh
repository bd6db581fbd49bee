# Calibration that cannot be done is refused.
exec 2>&1
cp "$EXAMPLES/iris.csv" iris.csv
question 'With votes, or with a stream'
halfspace train perceptron -q --average vote --calibrate platt iris.csv
halfspace train perceptron -q --stream --calibrate platt iris.csv
question 'With few rows'
head -n 55 iris.csv >few.csv
halfspace train perceptron -q --calibrate platt few.csv
head -n 54 iris.csv >few.csv
halfspace train perceptron -q --calibrate platt few.csv
head -n 52 iris.csv >few.csv
halfspace train perceptron -q --calibrate platt few.csv
question 'By a method that does not exist'
halfspace train perceptron -q --calibrate sometimes iris.csv
true
