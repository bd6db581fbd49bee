# Models of LIBSVM and LIBLINEAR, there and back.
cat >two.svm <<'END'
svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 3
rho 0.25
label 1 -1
probA -1.5
probB 0.25
nr_sv 1 2
SV
1.5 1:1 3:2 
-1 2:1 
-0.5 
END
printf '1 1:1 3:2\n-1 2:1 4:3\n' >rows
# does a kernel model of LIBSVM become a model, with its kernel, rows and coefficients?
halfspace model import two.svm -o two.hsp 2>&1
halfspace model show two.hsp --weights 2 | sed '/version/d'
halfspace model show two.hsp --json --weights 1 | sed -n '/"kernel"/p;/support_rows/p;/scorers/,$p'
# does it predict and measure like any other?
halfspace predict -q two.hsp rows --scores
halfspace predict -q two.hsp rows --distance
halfspace eval -q two.hsp rows | grep -i margin
# is what it exports the file that was imported?
halfspace model export two.hsp --format libsvm -o back.svm 2>&1
cmp two.svm back.svm && echo "the same file"
# are formats and forms that a kernel model does not have refused?
halfspace model export two.hsp --format liblinear -o x 2>&1
echo "exit $?"
halfspace model form two.hsp --to unit -o x 2>&1
echo "exit $?"
# are files that are no models, or damaged ones, refused?
halfspace model import rows -o x 2>&1
echo "exit $?"
sed 's/2:1 /2:one /' two.svm | halfspace model import - -o x 2>&1
echo "exit $?"
# are missing options named?
halfspace model import two.svm 2>&1
echo "exit $?"
halfspace model export two.hsp -o x 2>&1
echo "exit $?"
# does a linear model of LIBLINEAR of three classes come and go?
printf 'solver_type L2R_LR\nnr_class 3\nlabel 3 1 2\nnr_feature 2\nbias 1\nw\n1 2 0 \n0 1 2 \n0.5 0 0 \n' >three.txt
halfspace model import three.txt -o three.hsp 2>&1
halfspace predict -q three.hsp rows --scores
halfspace model export three.hsp --format liblinear -o back.txt 2>&1
cmp three.txt back.txt && echo "the same file"
halfspace model export three.hsp --format libsvm -o - 2>&1
ls
