# The progress of a long command on a terminal.
script -qec true /dev/null >/dev/null 2>&1 || { echo "there is no script(1)"; exit 77; }
halfspace make separable --rows 6e5 -q -o a.svm
export TERM=xterm
bar() { script -qec "$1" /dev/null </dev/null | tr -d '\r' >out; }
esc=$(printf '\033')
question 'A bar with a rate, cleared at the end'
bar "halfspace convert a.svm b.svm --threads 1"
echo "bar: $(grep -c "$esc\[K.*\[$esc\[32m#.*\..*\].*%.*/s.*left" out)"
echo "cleared: $(tail -n 1 out | sed "s/.*$esc\[K//")"
question 'No colours with NO_COLOR'
NO_COLOR=1 bar "halfspace convert a.svm b.svm --threads 1"
echo "bar without colour: $(grep -c "$esc\[K.*\[#.*\].*%.*left" out), colours: $(grep -c "$esc\[32m" out)"
question 'No bar on a dumb terminal or with -q'
TERM=dumb bar "halfspace convert a.svm b.svm --threads 1"
echo "dumb: $(grep -c "$esc" out)"
bar "halfspace convert a.svm b.svm --threads 1 -q"
wc -c <out
question 'Passes of the perceptron'
bar "halfspace train perceptron a.svm --passes 1e12 --max-seconds 1 --margin-target 1e6 --threads 1"
echo "passes: $(grep -c "$esc\[Ktraining: pass [0-9,]* of 1,000" out)"
question 'Passes and duality gap of a solver'
halfspace make halfspace --rows 2e4 --features 50 --noise 0.1 -q -o n.svm
for solver in dcd newton; do
    bar "halfspace train svm --solver $solver --gap 1e-12 --max-seconds 1 --threads 1 n.svm"
    echo "$solver: $(grep -c "$esc\[Ktraining: pass [0-9]*, duality gap about [0-9.e-]* (target 1e-12)" out)"
done
