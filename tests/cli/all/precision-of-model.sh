# A model of single precision gives the same answer to every command that asks it.
question 'Training and eval report the same error'
printf 'a 1:0.1\nb 1:0.2\nb 1:0.15\na 1:0.3\n' >s.svm
halfspace train perceptron -q --json s.svm -o s.hsp | grep '"training_error"'
halfspace eval -q --json s.hsp s.svm | grep '^  "error"'
question 'The model scores large numbers as the file has them, from a file and from a pipe'
printf 'b 1:0.1\na 1:20000001\nb 1:1e39\n' >far.svm
halfspace predict -q --scores s.hsp far.svm
cat far.svm | halfspace predict -q --scores s.hsp -
