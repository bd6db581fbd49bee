# kill -9: the file is the old one or the new one, whole.
halfspace make separable --rows 30000 --seed 1 -q -o old.svm
halfspace make separable --rows 30000 --seed 2 -q -o new.svm
old=$(cksum <old.svm) new=$(cksum <new.svm)
cp old.svm target.svm
wrong=0 killed=0 i=0
while [ $i -lt 20 ]; do
    from=new.svm
    [ "$(cksum <target.svm)" = "$new" ] && from=old.svm
    halfspace convert -q $from target.svm 2>/dev/null &
    sleep 0.0$(((i * 37 + $$) % 90 + 10))
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ $? -eq 137 ] && killed=$((killed + 1))
    now=$(cksum <target.svm)
    [ "$now" = "$old" ] || [ "$now" = "$new" ] || wrong=$((wrong + 1))
    i=$((i + 1))
done
echo "$wrong wrong"
[ $killed -gt 0 ] && echo "some were killed"
halfspace convert -q new.svm target.svm # and removes what the killed ones left
ls -A
