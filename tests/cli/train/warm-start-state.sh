# What weights alone do not say is in the model too: experts' mistakes, what a mean is made of, the scaling.
halfspace make disjunction --rows 80 --features 12 -q -o bits.svm >truth.txt
halfspace make halfspace --rows 80 --features 4 --noise 0.1 -q -o real.svm >truth.txt
for data in bits real; do
    head -n 50 $data.svm >$data.a.svm
    tail -n 30 $data.svm >$data.b.svm
done
# Day one, then day two, compared with both at once: scores to the last digit, and one line of the report.
both()
{
    data=$1 line=$2
    shift 2
    classes=--classes=-1,1
    halfspace train "$@" $classes -q $data.svm -o all.hsp >all.txt 2>&1
    halfspace train "$@" $classes -q $data.a.svm -o a.hsp >a.txt 2>&1
    case "$*" in *--stream*) classes=-q ;; esac
    halfspace train "$@" $classes -q --warm-start a.hsp $data.b.svm -o ab.hsp >ab.txt 2>&1 || cat ab.txt
    halfspace predict -q --scores all.hsp $data.svm >all.scores
    halfspace predict -q --scores ab.hsp $data.svm | cmp - all.scores && echo "$*: same scores"
    [ -z "$line" ] || { grep -E "$line" all.txt >1; grep -E "$line" ab.txt | cmp - 1 && cat 1; }
}
counts='^  (experts|best|mistakes|expected|bound)'
question 'experts: the report counts both days'
both bits "$counts" experts --votes bit --features 12
both bits '' experts --stream --votes bit --features 12
both bits "$counts" experts --features 12 --votes sign --negated --beta 0.3 --randomized
both real '' experts
both real '' experts --stream --votes sign
question 'averaged runs'
both real '' perceptron --passes 1 --average average
both real '' perceptron --stream --average average
both real '' svm --stream --solver pegasos --lambda 0.01
both bits '' winnow --passes 1 --average average --features 12
both bits '' winnow --stream --average average --threshold 12
both bits '' winnow --passes 1 --average average --features 12 --variant winnow1
question 'winnow with fractions: exponents that are no whole numbers, and weights divided by a power of two'
halfspace scale real.svm part.svm -q --kind min-max >out.txt
head -n 50 part.svm >part.a.svm
tail -n 30 part.svm >part.b.svm
awk 'BEGIN { for (i = 0; i < 400; i++) print i % 2 ? "-1 1:0.5 2:1" : "1 1:1 2:1" }' >grow.svm
head -n 250 grow.svm >grow.a.svm
tail -n 150 grow.svm >grow.b.svm
for average in none average; do
    both part '' winnow --passes 1 --average $average --features 4 --delta 0.1
    both part '' winnow --passes 1 --average $average --features 4 --variant balanced
    both grow '' winnow --passes 1 --average $average --features 2 --variant balanced --delta 1e6
done
question 'voted runs: two classes, and three natively and one-vs-rest'
both real '' perceptron --passes 1 --average vote
awk -F, 'NR > 1 { print NR % 7, $0 }' OFS=, "$EXAMPLES/iris.csv" | sort -t, -k 1,1n -s | cut -d, -f 2- >three.csv
head -n 80 three.csv >three.a.csv
tail -n +81 three.csv >three.b.csv
three()
{
    halfspace train "$@" -q three.csv -o all.hsp >out.txt 2>&1 || cat out.txt
    halfspace train "$@" -q three.a.csv -o a.hsp >out.txt 2>&1 || cat out.txt
    halfspace train "$@" -q --warm-start a.hsp three.b.csv -o ab.hsp >out.txt 2>&1 || cat out.txt
    halfspace predict -q --scores all.hsp three.csv >all.scores
    halfspace predict -q --scores ab.hsp three.csv | cmp - all.scores && echo "$*: same scores"
}
for kind in native ovr; do
    for average in average vote; do
        three perceptron --passes 1 --average $average --multiclass $kind
    done
    three winnow --passes 1 --average average --multiclass $kind --normalize rows --variant balanced
done
digits='{ printf "%s %.3f\n", $1, $2 }'
question 'the scaling is that of the model'
halfspace train perceptron -q --passes 1 --scale standard real.a.svm -o a.hsp >out.txt 2>&1
halfspace scale real.a.svm scaled.a.svm -q --kind standard --save day.scale >out.txt
halfspace scale real.b.svm scaled.b.svm -q --apply day.scale >out.txt
halfspace train perceptron -q --passes 1 scaled.a.svm -o plain.hsp >out.txt 2>&1
halfspace train perceptron -q --passes 1 --warm-start plain.hsp scaled.b.svm -o plain.hsp >out.txt 2>&1
halfspace predict -q --scores plain.hsp scaled.b.svm | awk "$digits" >plain.scores
for how in --passes=1 --stream; do
    halfspace train perceptron -q $how --warm-start a.hsp real.b.svm -o ab.hsp >out.txt 2>&1
    halfspace predict -q --scores ab.hsp real.b.svm | awk "$digits" | cmp - plain.scores && echo same
done
question 'pegasos in memory begins at the weights of the model: nearer after one pass than from zero'
pegasos='svm -q --solver pegasos --lambda 0.01 --max-passes 1'
halfspace train svm -q --lambda 0.01 --gap 1e-6 --keep-dual real.svm -o best.hsp >out.txt
for start in '' --warm-start=best.hsp; do
    halfspace train $pegasos $start --json real.svm 2>out.txt | grep -E '"(objective|gap)"'
done
question 'what cannot go on'
halfspace train experts -q --votes bit bits.a.svm -o e.hsp >out.txt
halfspace train experts -q --beta 0.3 --warm-start e.hsp bits.b.svm 2>&1
halfspace train experts -q --votes sign --warm-start e.hsp bits.b.svm 2>&1
halfspace model form e.hsp -q --to unit -o unit.hsp >out.txt
halfspace train experts -q --warm-start unit.hsp bits.b.svm 2>&1
halfspace model form e.hsp -q --to threshold -o form.hsp >out.txt
halfspace train experts -q --features 12 --warm-start form.hsp bits.b.svm 2>&1
halfspace train perceptron -q --scale min-max --warm-start a.hsp real.b.svm 2>&1
winnow='winnow -q --passes 1 --features 12'
halfspace train $winnow --average average bits.a.svm -o w.hsp >out.txt 2>&1
halfspace train $winnow --warm-start w.hsp bits.b.svm 2>&1
halfspace train $winnow --average average --delta 2 --warm-start w.hsp bits.b.svm 2>&1
halfspace train $winnow --average average --variant winnow1 --warm-start w.hsp bits.b.svm 2>&1
halfspace train $winnow --average average --threshold 5 --warm-start w.hsp bits.b.svm 2>&1
halfspace train $winnow --average average --trace t.csv --warm-start w.hsp bits.b.svm 2>&1
vote='perceptron -q --passes 1 --average vote'
halfspace train $vote --multiclass ovr three.a.csv -o a.hsp >out.txt 2>&1
halfspace train $vote --warm-start a.hsp three.b.csv 2>&1
halfspace train perceptron -q --passes 1 real.a.svm -o a.hsp >out.txt 2>&1
halfspace train perceptron -q --trace t.csv --reference a.hsp --warm-start a.hsp real.b.svm 2>&1
question 'the mistake bounds are for runs from zero'
halfspace train perceptron -q --passes 1 --warm-start a.hsp real.b.svm -o ab.hsp >out.txt 2>&1
halfspace audit ab.hsp real.b.svm 2>&1
