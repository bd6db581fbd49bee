# Pegasos reports its duality gap: one pass does not reach it and says so; more passes do.
halfspace make halfspace --rows 3000 --features 8 --noise 0.1 -q -o a.svm
halfspace train svm -q --solver pegasos --max-passes 1 --lambda 0.01 a.svm -o m.hsp >said 2>warned
echo "exit $?"
grep -o 'converged *no' said
grep -o 'DID NOT CONVERGE in 1 pass' warned
halfspace train svm -q --solver pegasos --lambda 0.1 --gap 0.05 a.svm -o m.hsp | grep -oE 'converged *yes|solver *pegasos'
