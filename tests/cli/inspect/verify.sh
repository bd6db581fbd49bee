# A binary file passes its checksums; with one byte changed it does not, and that is bad data.
halfspace make separable --rows 200 --features 10 -q -o a.hsp
halfspace inspect --verify a.hsp --columns 0 | grep checksums
size=$(wc -c <a.hsp)
cp a.hsp b.hsp
printf '\001' | dd of=b.hsp bs=1 seek=$((size - 3)) conv=notrunc 2>/dev/null
halfspace inspect --verify b.hsp --columns 0 >out 2>err
echo "exit $?"
grep -c 'b.hsp.*checksum' err
head -c $((size / 2)) a.hsp >c.hsp
halfspace inspect c.hsp >out 2>err
echo "exit $?"
grep -c 'c.hsp' err
cat out
