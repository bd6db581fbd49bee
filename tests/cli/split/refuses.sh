# Splits that cannot be made are refused, with the reason.
printf 'who,x,y\nann,1,a\nbob,2,b\nann,3,a\neve,4,b\nbob,5,b\neve,6,a\ndan,7,a\nann,8,b\n' >visits.csv
try()
{
    halfspace split "$@" 2>&1
    echo "status $?"
}
try visits.csv a.svm b.svm
try visits.csv a.csv b.csv --group nobody
try visits.csv a.csv a.csv
try visits.csv a.csv visits.csv
halfspace convert -q visits.csv visits.hsp
try -q visits.hsp a.hsp b.hsp
try visits.hsp a.hsp b.hsp --group who
