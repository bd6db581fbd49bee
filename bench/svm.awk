# From the samples "what|peer|ours or theirs|round|seconds=... peak=... train=... [gap=... objective=...]" to a table of
# one line a pair, and JSON. `figure` is what is compared: seconds (of the whole process) or train. Times are the
# median of the ratios within the rounds, or of the medians where the two did not meet in a round.

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
    at[side, ++count[side]] = $4
    fields = split($5, word, " ")
    for (i = 1; i <= fields; i++) {
        split(word[i], part, "=")
        value[side, part[1], $4] = part[2] + 0
        if (part[1] == "peak" && part[2] + 0 > peak[side]) peak[side] = part[2] + 0
        if (part[1] == "gap") gap[key] = part[2]
        if (part[1] == "objective") objective[side] = part[2] + 0
        if (part[1] == "stopped") stopped[key] = 1
    }
}

function middle(side, name,    n, i, list)
{
    for (i = 1; i <= count[side]; i++) list[++n] = value[side, name, at[side, i]]
    return median(list, n + 0)
}

# How many times as long they took.
function times(key, name,    a, b, n, i, r, list)
{
    a = key "|theirs"
    b = key "|ours"
    for (i = 1; i <= count[a]; i++) {
        r = at[a, i]
        if ((b, name, r) in value && value[b, name, r] > 0) list[++n] = value[a, name, r] / value[b, name, r]
    }
    return median(list, n + 0)
}

END {
    printf "\n%s\n  %-34s %-19s %9s %9s %9s %9s %9s %9s %6s %6s %11s\n", title, "", "beside", "their s", "our s", "times", \
        "cpu times", "their MB", "our MB", "share", "gap", "objective"
    printf "[" > json
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, name, "|")
        a = key "|theirs"
        b = key "|ours"
        if (!count[b] || !count[a]) continue
        ratio = times(key, figure)
        better = (a in objective) && (b in objective) ? sprintf("%+.1e", objective[b] / objective[a] - 1) : ""
        spent = times(key, "cpu")
        printf "  %-34s %-19s %9s %9.4f %9s %9s %9s %9.1f %6s %6s %11s\n", name[1], (name[2] ~ /^-s/ ? "LIBLINEAR " : "") name[2], \
            sprintf("%s%.4f", stopped[key] ? ">" : "", middle(a, figure)), middle(b, figure), \
            sprintf("%s%.1f", stopped[key] ? ">" : "", ratio), \
            (spent ? sprintf("%s%.1f", stopped[key] ? ">" : "", spent) : ""), \
            peak[a] ? sprintf("%.1f", peak[a] / 1e6) : "", peak[b] / 1e6, \
            peak[a] ? sprintf("%.2f", peak[b] / peak[a]) : "", gap[key], better
        printf "%s\n  {\"what\": \"%s\", \"beside\": \"%s\", \"their_seconds\": %.6f, \"our_seconds\": %.6f, \"times\": %.4f, \"cpu_times\": %.4f, \"stopped\": %d, \"their_peak_bytes\": %.0f, \"our_peak_bytes\": %.0f, \"gap\": \"%s\", \"their_objective\": %.15g, \"our_objective\": %.15g, \"rounds\": %d}", \
            (printed++ ? "," : ""), name[1], name[2], middle(a, figure), middle(b, figure), ratio, spent, stopped[key] + 0, peak[a], \
            peak[b], gap[key], objective[a], objective[b], count[a] > json
    }
    printf "\n]\n" > json
    printf "\ntimes: theirs for one of ours, the median of the ratios round by round; cpu times: the same of the\n"
    printf "processor time of whole processes, on all threads; share: our peak memory for one of theirs;\n"
    printf "gap: what ours was told to reach; objective: ours / theirs - 1, both judged from the saved models (%s).\n", \
        dual ? "bench/kernel_objective.c: the dual, more is better" : "bench/objective.c"
}
