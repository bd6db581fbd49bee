# From the samples "what|who|bytes|seconds=... peak=... data=... base=..." to a table and JSON: medians.

function median_of(key, n,    i, j, t, list)
{
    for (i = 1; i <= n; i++) list[i] = seconds[key, i]
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
    if (!(key in count)) order[++keys] = key
    n = ++count[key]
    bytes[key] = $3
    fields = split($4, word, " ")
    for (i = 1; i <= fields; i++) {
        split(word[i], part, "=")
        if (part[1] == "seconds") seconds[key, n] = part[2] + 0
        if (part[1] == "peak" && part[2] > peak[key]) peak[key] = part[2] + 0
        if (part[1] == "data") data[key] = part[2] + 0
    }
}

END {
    printf "%s, %d processors; files of about %d MB; medians of %d\n\n", cpu, cores, size, runs
    printf "{\n  \"cpu\": \"%s\",\n  \"processors\": %d,\n  \"size_mb\": %d,\n  \"runs\": %d,\n  \"results\": [", \
        cpu, cores, size, runs > json
    previous = ""
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, name, "|")
        if (name[1] != previous) {
            rows = rows (previous ? "\n" : "") name[1] "\n"
            rows = rows sprintf("  %-30s %9s %21s %8s %9s %6s\n", "", "seconds", "(fastest .. slowest)", "GB/s", "peak MB", "ratio")
            previous = name[1]
        }
        m = median_of(key, count[key])
        speed = m > 0 ? bytes[key] / m / 1e9 : 0
        ratio = data[key] ? sprintf("%6.2f", peak[key] / data[key]) : "     -"
        rows = rows sprintf("  %-30s %9.4f (%.4f .. %.4f) %8.3f %9.1f %s\n", name[2], m, fastest, slowest, speed, peak[key] / 1e6, ratio)
        printf "%s\n    {\"what\": \"%s\", \"who\": \"%s\", \"text_bytes\": %.0f, \"seconds\": %.6f, \"fastest\": %.6f, \"slowest\": %.6f, \"gb_per_s\": %.4f, \"peak_bytes\": %.0f, \"data_bytes\": %.0f, \"samples\": %d}", \
            (k > 1 ? "," : ""), name[1], name[2], bytes[key], m, fastest, slowest, speed, peak[key], data[key], count[key] > json
    }
    printf "\n  ]\n}\n" > json
    printf "%s\nGB/s: of the text, also where its binary cache is read. ratio: peak memory of the process by\nthe bytes of rows and labels in memory.\n", rows
}
