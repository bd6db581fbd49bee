/* How fast a pass of the perceptron is, next to how fast this machine can read the rows at all.
 *
 *     perceptron [MB [RUNS]]      megabytes of rows (1024), runs (5)
 *
 * The rows are larger than the last cache. A pass is timed as the difference of two calls of
 * hsp_train that differ in the number of passes only, so that what a call does once (the radius,
 * the hash of the data, the training error) is not in it; a call with one pass is given too, as
 * "whole". The bytes of a pass are what must be read: values, indices, starts, labels. "read" is a
 * loop over the same memory that only adds up. All take turns, run by run: % is the median of the
 * ratios within a run, GB/s the median. One thread is timed by processor time, two by the clock.
 *
 * Few mistakes: labels that a separator with a wide margin gives, but for one row in 20,000, which
 * is wrong whatever the separator: the run never ends, and nearly every row is only scored. Many:
 * labels at random, so that about every second row is an update. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bandwidth.h"
#include "bench.h"
#include "halfspace_all.h"

static volatile double perceptron_sink;

static void perceptron_die(const char *what, const hsp_error *err)
{
    fprintf(stderr, "perceptron: %s: %s\n", what, err ? err->message : "no memory");
    exit(4);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint64_t perceptron_random(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

static void *perceptron_alloc(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) perceptron_die("rows", NULL);
    return p;
}

typedef struct kind {
    const char *name;
    hsp_storage storage;
    uint64_t cols, each; /* columns, and entries a row */
    int many;            /* labels at random */
} kind;

/* The class of a row: column 0 says it, but for a few rows; or nothing does. */
static uint32_t perceptron_label(const kind *k, uint64_t row, int sign)
{
    if (k->many) return perceptron_random() >> 40 & 1;
    return (uint32_t)(row % 20000 == 19999 ? !sign : sign);
}

static hsp_data *perceptron_finish(hsp_context *ctx, hsp_view view, uint32_t *labels)
{
    hsp_data *data = NULL;
    hsp_error err = {0};
    view.labels = labels;
    view.classes = 2;
    if (hsp_data_copy(ctx, &view, NULL, NULL, &err, &data) != HSP_OK) perceptron_die("copy", &err);
    free(labels);
    return data;
}

/* Values in (-1, 1); column 0 is large and carries the label. */
static hsp_data *perceptron_dense(hsp_context *ctx, const kind *k, uint64_t rows)
{
    float *values = perceptron_alloc(rows * k->cols, sizeof *values);
    uint32_t *labels = perceptron_alloc(rows, sizeof *labels);
    for (uint64_t i = 0; i < rows; i++) {
        float *x = values + i * k->cols;
        int sign = perceptron_random() >> 40 & 1;
        for (uint64_t j = 0; j < k->cols; j++)
            x[j] = (float)((double)(int64_t)perceptron_random() * 0x1p-63);
        x[0] = sign ? 30 : -30;
        labels[i] = perceptron_label(k, i, sign);
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT32, rows, k->cols, k->cols, values);
    hsp_data *data = perceptron_finish(ctx, view, labels);
    free(values);
    return data;
}

/* Columns 0 and 1 say the class; the others are drawn with low ones frequent, as words are. Each
 * gap to the next column is drawn, not the column: they are ascending without sorting. */
static hsp_data *perceptron_sparse(hsp_context *ctx, const kind *k, uint64_t rows)
{
    uint64_t *starts = perceptron_alloc(rows + 1, sizeof *starts);
    uint32_t *indices = perceptron_alloc(rows * k->each, sizeof *indices);
    float *values = perceptron_alloc(rows * k->each, sizeof *values);
    uint32_t *labels = perceptron_alloc(rows, sizeof *labels);
    for (uint64_t i = 0; i < rows; i++) {
        int sign = perceptron_random() >> 40 & 1;
        uint64_t at = i * k->each, column = (uint64_t)sign, left = k->cols - 2;
        indices[at] = (uint32_t)column;
        values[at] = 30;
        column = 1;
        for (uint64_t e = 1; e < k->each; e++) {
            uint64_t room = left / (k->each - e) / 2, gap = perceptron_random() % (room + 1);
            column += 1 + gap;
            left -= 1 + gap;
            indices[at + e] = (uint32_t)column;
            values[at + e] = (float)((double)(int64_t)perceptron_random() * 0x1p-63);
        }
        starts[i + 1] = at + k->each;
        labels[i] = perceptron_label(k, i, sign);
    }
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, rows, k->cols, 8, starts, indices,
                                    k->storage == HSP_ONES ? NULL : values);
    hsp_data *data = perceptron_finish(ctx, view, labels);
    free(starts), free(indices), free(values);
    return data;
}

/* Bytes of a row: values, indices, the start, the label. */
static uint64_t perceptron_row_bytes(const kind *k)
{
    if (k->storage == HSP_DENSE) return k->cols * 4 + 4;
    return k->each * (k->storage == HSP_ONES ? 4 : 8) + 8 + 4;
}

/* ---- Timing ---------------------------------------------------------------------------------- */

typedef struct piece {
    const void *memory;
    size_t bytes;
} piece;

static void *perceptron_read_piece(void *argument)
{
    const piece *p = argument;
    const uintptr_t skip = -(uintptr_t)p->memory & 63;
    perceptron_sink = bench_read((const char *)p->memory + skip, p->bytes - skip);
    return NULL;
}

/* Seconds to read the largest array of the data on `threads` threads, for each byte. */
static double perceptron_read(const hsp_view *view, int threads)
{
    const size_t bytes = hsp_view_stored(view) * 4;
    const char *memory = view->storage == HSP_ONES ? (const char *)view->indices : view->values;
    piece halves[2] = {{memory, bytes / 2}, {memory + bytes / 2, bytes - bytes / 2}};
    const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    pthread_t other;
    double start = bench_clock(clock);
    if (threads == 2 && pthread_create(&other, NULL, perceptron_read_piece, &halves[1]) != 0)
        perceptron_die("thread", NULL);
    perceptron_read_piece(&halves[0]);
    if (threads == 2)
        pthread_join(other, NULL);
    else
        perceptron_read_piece(&halves[1]);
    return (bench_clock(clock) - start) / (double)bytes;
}

/* Seconds of a call of hsp_train. */
static double perceptron_train(hsp_context *ctx, hsp_data *data, const char *passes, int threads,
                               uint64_t *updates)
{
    hsp_error err = {0};
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    if (hsp_context_set_threads(ctx, threads) != HSP_OK ||
        hsp_options_new(ctx, hsp_learner(0), &err, &options) != HSP_OK ||
        hsp_options_set(options, "offset", "none", &err) != HSP_OK ||
        hsp_options_set(options, "passes", passes, &err) != HSP_OK)
        perceptron_die("options", &err);
    double start = bench_clock(clock);
    if (hsp_train(ctx, data, options, &err, &run, &model) != HSP_OK) perceptron_die("train", &err);
    double seconds = bench_clock(clock) - start;
    if (run.passes != (uint64_t)atoi(passes))
        perceptron_die("it converged, which it must not", NULL);
    *updates = run.updates;
    hsp_model_free(model);
    hsp_options_free(options);
    return seconds;
}

enum { RUNS_MOST = 64, PASSES = 5 };

/* One line of the table. */
static void perceptron_measure(hsp_context *ctx, hsp_data *data, const kind *k, int threads,
                               int runs)
{
    const hsp_view *view = NULL;
    double pass[RUNS_MOST], read[RUNS_MOST], whole[RUNS_MOST], ratio[RUNS_MOST];
    uint64_t once = 0, often = 0;
    if (hsp_data_view(ctx, data, NULL, &view) != HSP_OK) perceptron_die("view", NULL);
    const double bytes = (double)(view->rows * perceptron_row_bytes(k));
    for (int r = 0; r < runs; r++) {
        double reading = perceptron_read(view, threads);
        double one = perceptron_train(ctx, data, "1", threads, &once);
        double more = perceptron_train(ctx, data, "5", threads, &often);
        pass[r] = bytes / ((more - one) / (PASSES - 1)) / 1e9;
        whole[r] = bytes / one / 1e9;
        read[r] = 1 / reading / 1e9;
        ratio[r] = 100 * pass[r] / read[r];
    }
    size_t n = (size_t)runs;
    printf("%-28s %-7s %d %9.2f %9.2f %6.0f %9.2f %12.4f\n", k->name, k->many ? "many" : "few",
           threads, bench_median(read, n), bench_median(pass, n), bench_median(ratio, n),
           bench_median(whole, n),
           100.0 * (double)(often - once) / (PASSES - 1) / (double)view->rows);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const kind kinds[] = {
        {"dense, 784 columns", HSP_DENSE, 784, 784, 0},
        {"dense, 784 columns", HSP_DENSE, 784, 784, 1},
        {"dense, 100 columns", HSP_DENSE, 100, 100, 0},
        {"dense, 20 columns", HSP_DENSE, 20, 20, 0},
        {"sparse, 75 of 50,000", HSP_SPARSE, 50000, 75, 0},
        {"sparse, 75 of 50,000", HSP_SPARSE, 50000, 75, 1},
        {"ones, 14 of 123", HSP_ONES, 123, 14, 0},
        {"ones, 14 of 123", HSP_ONES, 123, 14, 1},
    };
    const uint64_t mb = argc > 1 ? strtoull(argv[1], NULL, 10) : 1024;
    const int runs = argc > 2 ? atoi(argv[2]) : 5;
    hsp_context *ctx = NULL;
    if (mb < 1 || runs < 1 || runs > RUNS_MOST) return 2;
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 4;
    printf("a pass of the perceptron over %llu MB of rows; medians of %d\n\n",
           (unsigned long long)mb, runs);
    printf("%-28s %-7s %s %9s %9s %6s %9s %12s\n", "rows", "wrong", "t", "read GB/s", "pass GB/s",
           "%", "whole", "% updates");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t rows = (mb << 20) / perceptron_row_bytes(&kinds[i]);
        hsp_data *data = kinds[i].storage == HSP_DENSE ? perceptron_dense(ctx, &kinds[i], rows)
                                                       : perceptron_sparse(ctx, &kinds[i], rows);
        for (int threads = 1; threads <= 2; threads++)
            perceptron_measure(ctx, data, &kinds[i], threads, runs);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
    return 0;
}
