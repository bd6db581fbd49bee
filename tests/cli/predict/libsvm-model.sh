# A model file of LIBSVM is a model: its probabilities of three classes are coupled as svm-predict -b 1 couples them.
cat >rows <<'END'
1 1:0 2:1
1 1:0.2 2:0.9
2 1:1 2:0
END
cat >three.model <<'END'
svm_type c_svc
kernel_type rbf
gamma 1
nr_class 3
total_sv 11
rho -0.025152847170829766 -0.20962207019329071 -0.28846896989828036
label 1 2 3
probA -1.2370289664757907 0.72718230381888538 -0.44653916313916181
probB 0.10193439981837883 -0.66667065487027699 -0.057538409518514612
nr_sv 4 4 3
SV
0.06615908165120013 0 1:0 2:1 
1 1 1:0.2 2:0.9 
1 1 1:0.3 2:0.7 
1 1 1:0.8 2:0.7 
-0.06615908165120013 0.061515219650563946 1:1 2:0 
-1 0.66249746488349615 1:0.8 2:0.1 
-1 1 1:0.9 2:0.3 
-1 1 1:0.1 2:0.6 
-1 -0.72401268453406009 1:1 2:1 
-1 -1 1:0.9 2:0.8 
-1 -1 1:0.7 2:0.9 
END
# svm-predict -b 1 prints 0.423833 0.231106 0.345061, 0.439073 0.224153 0.336775 and 0.208661 0.553922 0.237417
halfspace predict --probability three.model rows 2>&1 | cut -c 1-70
halfspace eval -q three.model rows | grep mistakes
question 'The same after import and export'
halfspace model import -q three.model -o three.hsp
halfspace predict -q --probability three.model rows >a
halfspace predict -q --probability three.hsp rows | cmp - a
halfspace model export -q three.hsp --format libsvm -o back.model
halfspace predict -q --probability back.model rows | cmp - a
question 'Arguments in the wrong order, models that do not classify, damaged numbers of probabilities'
halfspace predict rows three.model 2>&1
sed 's/c_svc/epsilon_svr/' three.model >bad
halfspace predict bad rows 2>&1
sed 's/probB .*/probB 1 2/' three.model >bad
halfspace predict bad rows 2>&1
echo "exit $?"
