/* Time one search for nearest neighbours, in a process of its own, and print "key=value" words in
 * one line.
 *
 *     near ROWS QUERIES [name=value ...]
 *         metric=l2|l1|linf|cosine   (l2)
 *         index=auto|scan|tree|product|inverted
 *         k=N (5)  threads=N (2)
 *         every=N                    QUERIES is "-": every N-th of the rows is a query instead (10)
 *         save=FILE                  neighbours as text: "row distance" pairs, one line per query
 *
 * build and find are by the clock, seconds is both; cpu the same on all threads. Reading is not
 * counted. error is that of the majority of the k, ties to the nearest of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "knn/knn_index.h"
#include "knn/knn_index_type.h"

typedef struct settings {
    hsp__knn_plan plan;
    uint64_t k, every;
    int threads;
    const char *save;
} settings;

static void near_die(const hsp_error *err)
{
    char text[1024];
    fprintf(stderr, "near: %s\n", hsp_error_text(err, text, sizeof text));
    exit(1);
}

static int near_find_name(const char *value, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, names[i]) == 0) return i;
    fprintf(stderr, "near: what is %s?\n", value);
    exit(2);
}

static settings near_settings(int argc, char **argv)
{
    static const char *const metrics[] = {"l2", "l1", "linf", "cosine"};
    static const char *const kinds[] = {"auto", "scan", "tree", "product", "inverted"};
    settings s = {.k = 5, .every = 10, .threads = 2};
    for (int i = 3; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (!value++) continue;
        if (strncmp(argv[i], "metric=", 7) == 0)
            s.plan.metric = (hsp__metric)near_find_name(value, metrics, 4);
        if (strncmp(argv[i], "index=", 6) == 0)
            s.plan.kind = (hsp__knn_kind)near_find_name(value, kinds, 5);
        if (strncmp(argv[i], "k=", 2) == 0) s.k = strtoull(value, NULL, 10);
        if (strncmp(argv[i], "every=", 6) == 0) s.every = strtoull(value, NULL, 10);
        if (strncmp(argv[i], "threads=", 8) == 0) s.threads = atoi(value);
        if (strncmp(argv[i], "save=", 5) == 0) s.save = value;
    }
    return s;
}

/* Every n-th row of `all` into *queries, the others into *rows. */
static void near_part(hsp_context *ctx, hsp_data *all, uint64_t every, hsp_data **rows,
                      hsp_data **queries)
{
    const hsp_view *view = NULL;
    hsp_error err = {0};
    if (hsp_data_view(ctx, all, &err, &view)) near_die(&err);
    uint64_t *pick = malloc(2 * view->rows * sizeof *pick), *held = pick + view->rows;
    uint64_t some = 0, out = 0;
    if (!pick) exit(4);
    for (uint64_t i = 0; i < view->rows; i++)
        if (i % every == 0)
            held[out++] = i;
        else
            pick[some++] = i;
    if (hsp_data_select(ctx, all, pick, some, &err, rows) ||
        hsp_data_select(ctx, all, held, out, &err, queries))
        near_die(&err);
    free(pick);
}

static double near_error(const hsp_view *rows, const hsp_view *queries, uint64_t k,
                         const hsp__neighbor *found)
{
    uint64_t wrong = 0;
    for (uint64_t q = 0; q < queries->rows; q++) {
        uint32_t best = 0;
        uint64_t most = 0;
        for (uint64_t a = 0; a < k; a++) {
            const uint32_t label = rows->labels[found[q * k + a].row];
            uint64_t votes = 0;
            for (uint64_t b = 0; b < k; b++)
                votes += rows->labels[found[q * k + b].row] == label;
            if (votes > most) most = votes, best = label;
        }
        wrong += best != queries->labels[q];
    }
    return (double)wrong / (double)queries->rows;
}

static void near_save(const char *path, uint64_t queries, uint64_t k, const hsp__neighbor *found)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(5);
    for (uint64_t q = 0; q < queries; q++)
        for (uint64_t h = 0; h < k; h++)
            fprintf(file, "%llu %.17g%c", (unsigned long long)found[q * k + h].row,
                    found[q * k + h].distance, h + 1 < k ? ' ' : '\n');
    fclose(file);
}

static long long near_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (long long)usage.ru_maxrss * 1024;
}

static void near_run(hsp_context *ctx, const settings *s, hsp_data *rows, hsp_data *queries)
{
    const hsp_view *x = NULL, *q = NULL;
    hsp_error err = {0};
    hsp__knn_index *near = NULL;
    if (hsp_data_view(ctx, rows, &err, &x) || hsp_data_view(ctx, queries, &err, &q)) near_die(&err);
    hsp__neighbor *found = malloc(q->rows * s->k * sizeof *found + 1);
    if (!found) exit(4);
    hsp__knn_plan plan = s->plan;
    plan.queries = q->rows;
    plan.k = s->k;
    const long long before = near_peak();
    const double start = bench_clock(CLOCK_MONOTONIC), cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    if (hsp__knn_new(ctx, &plan, rows, &err, &near)) near_die(&err);
    const double built = bench_clock(CLOCK_MONOTONIC);
    if (hsp__knn_find(ctx, near, q, NULL, s->k, &err, found)) near_die(&err);
    const double end = bench_clock(CLOCK_MONOTONIC);
    printf("seconds=%.6f build=%.6f find=%.6f cpu=%.6f base=%lld peak=%lld index=%s error=%.6f\n",
           end - start, built - start, end - built, bench_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu,
           before, near_peak(), hsp__knn_name(near->plan.kind),
           x->labels && q->labels ? near_error(x, q, s->k, found) : -1);
    if (s->save) near_save(s->save, q->rows, s->k, found);
    hsp__knn_free(near);
    free(found);
}

int main(int argc, char **argv)
{
    hsp_error err = {0};
    hsp_context *ctx = NULL;
    hsp_data *all = NULL, *rows = NULL, *queries = NULL;
    if (argc < 3) {
        fprintf(stderr, "usage: near ROWS QUERIES|- [name=value ...]\n");
        return 2;
    }
    const settings s = near_settings(argc, argv);
    if (hsp_context_new(NULL, &ctx) || hsp_context_set_threads(ctx, s.threads)) return 4;
    if (hsp_data_read(ctx, argv[1], NULL, NULL, &err, &all)) near_die(&err);
    if (strcmp(argv[2], "-") == 0)
        near_part(ctx, all, s.every, &rows, &queries);
    else if (hsp_data_read(ctx, argv[2], NULL, NULL, &err, &queries))
        near_die(&err);
    near_run(ctx, &s, rows ? rows : all, queries);
    hsp_data_free(rows);
    hsp_data_free(queries);
    hsp_data_free(all);
    hsp_context_free(ctx);
    return 0;
}
