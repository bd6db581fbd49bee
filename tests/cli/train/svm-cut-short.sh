# A run that is cut short keeps its best model and reports its duality gap.
halfspace make xor --rows 500 -q -o x.svm
awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 3, i % 3 + 1 ":1"; print "1 1:1" }' >y.svm
stop()
{
    env --default-signal=INT halfspace train svm --solver pegasos --gap 1e-12 --max-passes 1e15 "$@" >out 2>err &
    sleep 0.4
    kill -INT $!
    wait $!
    echo "exit $?: $(tail -n 1 err | sed -E 's/gap of [0-9.e-]+/gap of G/')"
    grep -c 'converged  *no (ended: .*): duality gap' out
}
question 'Ctrl-C, with two classes: status 130'
stop x.svm -o two.hsp
halfspace model show --json two.hsp | grep -Ec '"(stop": "request|converged": "false)"'
question 'Ctrl-C, with three classes on several threads'
stop --threads 4 y.svm -o three.hsp
halfspace predict -q three.hsp y.svm | head -n 3
question 'A time limit'
halfspace train svm -q --solver pegasos --gap 1e-12 --max-passes 1e15 --max-seconds 0.2 x.svm -o late.hsp 2>&1 >out |
    sed -E 's/in [0-9,]+ pass(es)?/in N passes/; s/gap [0-9.e-]+/gap G/'
halfspace model show --json late.hsp | grep -Ec '"stop": "seconds"'
