# A certificate that would take gigabytes is refused.
halfspace certify --help >/dev/null || exit 1
printf '1 1:1\n-1 1:-1\n' >small.svm
halfspace certify -q small.svm -o small.cert >/dev/null 2>why || { grep -q 'without GMP' why && echo 'built without GMP' && exit 77; }
# Weights whose denominators have little in common: the common one is long, and every weight is over it.
hash=$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' small.cert)
awk -v hash="$hash" 'BEGIN {
    srand(5)
    printf "{\"format\": \"halfspace certificate\", \"version\": 2, \"data\": {\"file\": \"small.svm\", \"sha256\": \"%s\", ", hash
    printf "\"rows\": 2, \"columns\": 5000, \"format\": \"libsvm\", \"index_base\": 1, \"negative\": [\"-1\"], \"positive\": [\"1\"]}, "
    printf "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"separator\": {\"w\": ["
    for (i = 1; i <= 5000; i++)
        printf "%s[%d, \"1/%d%09d%09d7\"]", (i > 1 ? ", " : ""), i, 1e8 + 8e8 * rand(), 1e9 * rand(), 1e9 * rand()
    print "]}}]}"
}' >long.cert
(ulimit -v 250000 && halfspace verify small.cert small.svm) >/dev/null 2>&1 || { echo 'no room for the command itself' && exit 77; }
(ulimit -v 250000 && halfspace verify long.cert small.svm) 2>&1
echo "exit $?"
