# Labels with backslashes, control characters and bytes that are not UTF-8 do not break the JSON.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
printf 'a\tb\ty\n1\t2\tn\377\033\n1\t3\t"\\"\n' >odd.tsv
halfspace inspect -q --json odd.tsv | python3 -c 'import json, sys; print(ascii(json.load(sys.stdin)["classes"]))'
