# From the samples "what|who|round|seconds=... cpu=... peak=..." to a table and JSON. The first `who` of a task is
# what the others are compared with: the median of the ratios within the rounds.

function median(list, n,    i, j, t)
{
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            t = list[j]
            list[j] = list[j - 1]
            list[j - 1] = t
        }
    fastest = list[1]
    slowest = list[n]
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

{
    key = $1 "|" $2
    if (!($1 in first)) first[$1] = key
    if (!(key in count)) order[++keys] = key
    n = ++count[key]
    round_of[key, n] = $3
    fields = split($4, word, " ")
    for (i = 1; i <= fields; i++) {
        split(word[i], part, "=")
        figure[key, part[1], $3] = part[2] + 0
        if (part[1] == "peak" && part[2] > peak[key]) peak[key] = part[2] + 0
    }
}

# The median of one figure, or of its ratio to that of the task's first.
function middle(key, name, base,    n, i, list, r)
{
    n = 0
    for (i = 1; i <= count[key]; i++) {
        r = round_of[key, i]
        if (!base)
            list[++n] = figure[key, name, r]
        else if (figure[base, name, r] > 0)
            list[++n] = figure[key, name, r] / figure[base, name, r]
    }
    return median(list, n)
}

END {
    printf "{\n  \"cpu\": \"%s\",\n  \"processors\": %d,\n  \"runs\": %d,\n  \"results\": [", cpu, cores, runs > json
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, name, "|")
        base = first[name[1]]
        if (key == base)
            printf "%s%s\n  %-30s %9s %23s %7s %9s %7s %9s\n", (k > 1 ? "\n" : ""), name[1], "", "seconds", "(fastest .. slowest)", "times", "cpu s", "times", "peak MB"
        times = middle(key, "seconds", base)
        cpu_times = middle(key, "cpu", base)
        c = middle(key, "cpu", "")
        s = middle(key, "seconds", "")
        printf "  %-30s %9.4f (%9.4f ..%9.4f) %7.1f %9.4f %7.1f %9.1f\n", name[2], s, fastest, slowest, times, c, cpu_times, peak[key] / 1e6
        printf "%s\n    {\"what\": \"%s\", \"who\": \"%s\", \"seconds\": %.6f, \"fastest\": %.6f, \"slowest\": %.6f, \"times\": %.4f, \"cpu_seconds\": %.6f, \"cpu_times\": %.4f, \"peak_bytes\": %.0f, \"samples\": %d}", \
            (k > 1 ? "," : ""), name[1], name[2], s, fastest, slowest, times, c, cpu_times, peak[key], count[key] > json
    }
    printf "\n  ]\n}\n" > json
    printf "\ntimes: as long as the first of its task, the median of the ratios round by round.\n"
}
