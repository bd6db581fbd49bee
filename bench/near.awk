# From the samples "what|peer|ours or theirs|round|seconds=... cpu=... peak=... ..." to a table of one line a search, and
# JSON. Times are medians of the ratios within the rounds.

function median(list, n,    i, j, t)
{
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            t = list[j]
            list[j] = list[j - 1]
            list[j - 1] = t
        }
    return n == 0 ? 0 : n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

{
    key = $1 "|" $2
    if (!(key in seen)) order[++keys] = key
    seen[key] = 1
    side = key "|" $3
    if ($4 > rounds) rounds = $4
    count[side]++
    fields = split($5, word, " ")
    for (i = 1; i <= fields; i++) {
        split(word[i], part, "=")
        value[side, part[1], $4] = part[2]
        last[key, part[1]] = part[2]
        if (part[1] == "peak" && part[2] + 0 > peak[side]) peak[side] = part[2] + 0
    }
}

function middle(side, name,    n, r, list)
{
    for (r = 1; r <= rounds; r++)
        if ((side, name, r) in value) list[++n] = value[side, name, r] + 0
    return median(list, n + 0)
}

function times(key, name,    n, r, list)
{
    for (r = 1; r <= rounds; r++)
        if ((key "|theirs", name, r) in value && value[key "|ours", name, r] > 0)
            list[++n] = value[key "|theirs", name, r] / value[key "|ours", name, r]
    return median(list, n + 0)
}

END {
    printf "%-46s %-20s %8s %8s %6s %9s %8s %7s %-9s %7s %8s %8s\n", "Nearest neighbours, index built and searched", "beside", \
        "their s", "our s", "times", "cpu times", "their MB", "our MB", "our index", "error", "same", "off"
    printf "[" > json
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, name, "|")
        a = key "|theirs"
        b = key "|ours"
        if (!count[a] || !count[b]) continue
        printf "%-46s %-20s %8.3f %8.3f %6.1f %9.1f %8.0f %7.0f %-9s %6.2f%% %7.3f%% %8.1g\n", name[1], name[2], middle(a, "seconds"), \
            middle(b, "seconds"), times(key, "seconds"), times(key, "cpu"), peak[a] / 1e6, peak[b] / 1e6, last[key, "index"], \
            100 * last[key, "error"], 100 * last[key, "same"], last[key, "off"]
        printf "%s\n  {\"what\": \"%s\", \"peer\": \"%s\", \"theirs\": %.6f, \"ours\": %.6f, \"times\": %.3f, \"cpu_times\": %.3f, \"same\": %s, \"off\": %s}", \
            lines++ ? "," : "", name[1], name[2], middle(a, "seconds"), middle(b, "seconds"), times(key, "seconds"), times(key, "cpu"), \
            last[key, "same"], last[key, "off"] > json
    }
    printf "\n]\n" > json
    printf "\nTwo threads; medians of %d rounds. same: neighbours that are the same rows, the others being as far (ties, which ours\n", rounds
    printf "settles by row); off: largest difference of distances at a place, of the largest distance. MB: the whole process.\n"
}
