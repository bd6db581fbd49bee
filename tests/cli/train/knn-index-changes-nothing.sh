# The neighbours are the same whatever the index, the storage and the number of threads.
halfspace make moons -q --rows 700 --features 6 -o moons.svm
for index in auto scan tree product; do
    halfspace train knn -q --index $index moons.svm -o m.hsp >/dev/null
    for threads in 1 3; do
        for storage in dense sparse; do
            halfspace neighbors -q --threads $threads --storage $storage m.hsp moons.svm | cksum
        done
    done
done | uniq -c
