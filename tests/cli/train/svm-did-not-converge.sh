# A solver that does not converge says so.
question 'Too few passes: a warning with the duality gap; the status is 0'
halfspace make halfspace --rows 2000 --features 20 --noise 0.1 -q -o h.svm
halfspace train svm -q --gap 1e-9 --max-passes 2 h.svm 2>&1 >out | sed -E 's/in .*: duality/in N passes: duality/; s/gap [0-9.e-]+/gap G/'
grep -c 'converged  *no' out
question 'A solver that was chosen by the user: the advice names the others'
awk 'BEGIN { for (i = 1; i <= 20; i++) print (i % 3 == 0), "1:" (1000 + 37 * i % 101) }' >far.svm
halfspace train svm -q --solver dcd --C 10 --max-passes 50 far.svm 2>&1 >/dev/null | sed -E 's/gap [0-9.]+/gap G/'
halfspace train svm -q --C 10 far.svm 2>&1 | grep -c 'converged *yes'
