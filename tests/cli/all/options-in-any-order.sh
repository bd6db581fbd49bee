# Options may be written in several ways and places.
cp "$EXAMPLES/iris.csv" ./-iris.csv
question '--name value, --name=value, flags and their opposites, and -- before a name that begins with -'
halfspace inspect -q --columns=0 --no-verify -- -iris.csv | head -n 2
halfspace inspect --columns 0 ./-iris.csv -q | head -n 2
halfspace inspect --json --no-json -q ./-iris.csv --columns 5 --columns 0 | head -n 1
question 'Options before the name of a learner, generator or action'
halfspace train perceptron --passes 3 ./-iris.csv -q >after 2>&1
halfspace train --threads 1 -q --passes 3 perceptron ./-iris.csv 2>&1 | cmp - after
halfspace train --threads=1 --no-json --passes=3 -q -o m.hsp perceptron ./-iris.csv 2>&1 | cmp - after
halfspace model -q --weights 1 show m.hsp | head -n 1
halfspace make -q text --rows 3 | wc -l
halfspace make --rows 3 -q xor | wc -l
halfspace make -q --rows 4 -- xor | wc -l
halfspace make --help xor | head -n 1
question 'Errors in options before the name, or without one'
halfspace train --passes 3 perceptro ./-iris.csv 2>&1
halfspace train --pases 3 perceptron ./-iris.csv 2>&1
halfspace train --threads 2>&1
halfspace train --threads 1 2>&1 | head -n 1
