/* How fast the vec routines are, next to how fast this core can read at all.
 *
 *     vec [--quick] [scalar|avx2|avx512]
 *
 * For working sets that fit the first, second and third cache and for memory: the rate of a plain
 * loop that adds up integers with wide loads ("read"), and each routine's rate, in GB/s and in
 * percent of it. A routine's bytes are what it must read and write: dot x and w, axpy x, y and y
 * again. Rows of dense routines are as long as the working set allows, up to 4096 numbers, so the
 * call and the fold are counted as in use; a second part gives short rows in nanoseconds a row.
 * Sparse rows have 14 and 75 places, or about that many, in vectors of several lengths and are
 * given in nanoseconds a place. Every figure is the median of several runs. */
#include "vec/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bandwidth.h"
#include "bench.h"

static volatile double bench_sink;
static int bench_runs = 7;
static double bench_seconds = 0.01; /* the least time of one run */

/* Processor time: other programs may share the core. */
static double bench_now(void)
{
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Zeroed, in huge pages where the system grants them, so that it is caches that are measured. */
static void *bench_alloc(size_t bytes)
{
    size_t huge = (size_t)2 << 20;
    bytes = (bytes + huge - 1) / huge * huge;
    void *p = aligned_alloc(huge, bytes);
    if (!p) {
        fprintf(stderr, "vec: no memory for %zu bytes\n", bytes);
        exit(4);
    }
    madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

/* A job: one call of `work` goes over the working set once. */
typedef struct job {
    void (*work)(const struct job *);
    const hsp__vec_table *t;
    float *xf;       /* the working set as floats, */
    double *xd, *wd; /* and as doubles, in halves where there are two; xf begins where xd does */
    size_t set;      /* bytes of the working set */
} job;

/* How often to call work so that one run lasts long enough; also warms the caches. */
static size_t bench_calls(const job *j)
{
    for (size_t calls = 1;; calls *= 2) {
        double start = bench_now();
        for (size_t i = 0; i < calls; i++)
            j->work(j);
        if (bench_now() - start >= bench_seconds) return calls;
    }
}

/* Seconds of one call of work. */
static double bench_run(const job *j, size_t calls)
{
    double start = bench_now();
    for (size_t i = 0; i < calls; i++)
        j->work(j);
    return (bench_now() - start) / (double)calls;
}

/* Median seconds of one call of work; and, when `base` is another job, the median of how many times
 * as long one call of it takes. The two take turns, so that a busy machine slows both. */
static double bench_time(const job *j, const job *base, double *ratio)
{
    double times[64], ratios[64];
    size_t calls = bench_calls(j), base_calls = base ? bench_calls(base) : 0;
    for (int r = 0; r < bench_runs; r++) {
        double reference = base ? bench_run(base, base_calls) : 0;
        times[r] = bench_run(j, calls);
        ratios[r] = reference / times[r];
    }
    if (ratio) *ratio = bench_median(ratios, (size_t)bench_runs);
    return bench_median(times, (size_t)bench_runs);
}

/* ---- dense ---- */

/* SKEW keeps the two arrays from lying a power of two apart, where they would fight for the same
 * banks of memory. */
enum { ROW_MOST = 4096, SKEW = 64 * 73 };

static void job_read(const struct job *j)
{
    bench_sink = bench_read(j->xf, j->set);
}

/* Each over the whole working set, row by row. ONE: the set is one array of ROW; TWO: a third or a
 * half of it is the array x, the rest the array w or y. */
#define JOB_ONE(routine, ROW, x)                                            \
    static void job_##routine(const struct job *j)                          \
    {                                                                       \
        size_t n = j->set / sizeof(ROW), row = n < ROW_MOST ? n : ROW_MOST; \
        double s = 0;                                                       \
        for (size_t i = 0; i + row <= n; i += row)                          \
            s += (double)j->t->routine(j->x + i, row);                      \
        bench_sink = s;                                                     \
    }

#define JOB_TWO(routine, ROW, x, NUM, w)                           \
    static void job_##routine(const struct job *j)                 \
    {                                                              \
        size_t n = j->set / (sizeof(ROW) + sizeof(NUM)) / 64 * 64; \
        size_t row = n < ROW_MOST ? n : ROW_MOST;                  \
        double s = 0;                                              \
        for (size_t i = 0; i + row <= n; i += row)                 \
            s += (double)j->t->routine(j->x + i, j->w + i, row);   \
        bench_sink = s;                                            \
    }

#define JOB_AXPY(routine, ROW, x, NUM, w)                          \
    static void job_##routine(const struct job *j)                 \
    {                                                              \
        size_t n = j->set / (sizeof(ROW) + sizeof(NUM)) / 64 * 64; \
        size_t row = n < ROW_MOST ? n : ROW_MOST;                  \
        for (size_t i = 0; i + row <= n; i += row)                 \
            j->t->routine((NUM)0.5, j->x + i, j->w + i, row);      \
    }

#define JOB_SCALE(routine, ROW, x)                                          \
    static void job_##routine(const struct job *j)                          \
    {                                                                       \
        size_t n = j->set / sizeof(ROW), row = n < ROW_MOST ? n : ROW_MOST; \
        for (size_t i = 0; i + row <= n; i += row)                          \
            j->t->routine((ROW)1.5, j->x + i, row);                         \
    }

JOB_TWO(dot_f64, double, xd, double, wd)
JOB_TWO(dot_f32f64, float, xf, double, wd)
JOB_TWO(sqdist_f64, double, xd, double, wd)
JOB_TWO(sqdist_f32f64, float, xf, double, wd)
JOB_ONE(sqnorm_f64, double, xd)
JOB_ONE(sqnorm_f32f64, float, xf)
JOB_ONE(norm1_f64, double, xd)
JOB_ONE(norminf_f64, double, xd)
JOB_AXPY(axpy_f64, double, xd, double, wd)
JOB_AXPY(axpy_f32f64, float, xf, double, wd)
JOB_SCALE(scale_f64, double, xd)

/* twelfths: bytes moved for each byte of the working set, in twelfths: axpy of floats, 3 for 2. */
static const struct {
    const char *name;
    void (*work)(const struct job *);
    int twelfths;
} dense_jobs[] = {
    {"read", job_read, 12},
    {"dot_f64", job_dot_f64, 12},
    {"dot_f32f64", job_dot_f32f64, 12},
    {"sqdist_f64", job_sqdist_f64, 12},
    {"sqdist_f32f64", job_sqdist_f32f64, 12},
    {"sqnorm_f64", job_sqnorm_f64, 12},
    {"sqnorm_f32f64", job_sqnorm_f32f64, 12},
    {"norm1_f64", job_norm1_f64, 12},
    {"norminf_f64", job_norminf_f64, 12},
    {"axpy_f64", job_axpy_f64, 18},
    {"axpy_f32f64", job_axpy_f32f64, 20},
    {"scale_f64", job_scale_f64, 24},
};
enum { DENSE_JOBS = sizeof dense_jobs / sizeof *dense_jobs, LEVELS = 4 };

static const struct {
    const char *name;
    size_t set;
} levels[LEVELS] = {{"L1 16K", (size_t)16 << 10},
                    {"L2 256K", (size_t)256 << 10},
                    {"L3 8M", (size_t)8 << 20},
                    {"mem 512M", (size_t)512 << 20}};

static void bench_dense(const hsp__vec_table *t)
{
    char *memory = bench_alloc(levels[LEVELS - 1].set + SKEW);
    printf("%-18s", "dense, GB/s");
    for (int l = 0; l < LEVELS; l++)
        printf("%10s     %%", levels[l].name);
    putchar('\n');
    for (int k = 0; k < DENSE_JOBS; k++) {
        printf("%-18s", dense_jobs[k].name);
        for (int l = 0; l < LEVELS; l++) {
            int mixed = strstr(dense_jobs[k].name, "f32f64") != NULL;
            size_t first = levels[l].set / (mixed ? 3 : 2) / 64 * 64;
            char *second = memory + first + SKEW;
            job j = {.t = t, .work = dense_jobs[k].work, .set = levels[l].set};
            j.xf = (float *)(void *)memory, j.xd = (double *)(void *)memory;
            j.wd = (double *)(void *)second;
            job base = j;
            base.work = job_read;
            double more = (double)dense_jobs[k].twelfths / 12, ratio;
            double rate = (double)j.set * more / bench_time(&j, &base, &ratio) / 1e9;
            printf("%10.1f %5.0f", rate, 100 * ratio * more);
            fflush(stdout);
        }
        putchar('\n');
    }
    free(memory);
}

/* ---- short dense rows ---- */

static size_t bench_row_length;
enum { SHORT_ROWS = 16 }; /* rows in turn, one after the other in memory as in a data set */

#define JOB_SHORT(routine, call)                         \
    static void job_short_##routine(const struct job *j) \
    {                                                    \
        size_t n = bench_row_length;                     \
        double sum = 0;                                  \
        for (size_t r = 0; r < SHORT_ROWS; r++)          \
            call;                                        \
        bench_sink = sum;                                \
    }

JOB_SHORT(dot_f64, sum += j->t->dot_f64(j->xd + r * n, j->wd, n))
JOB_SHORT(dot_f32f64, sum += j->t->dot_f32f64(j->xf + r * n, j->wd, n))
JOB_SHORT(axpy_f64, j->t->axpy_f64(0.5, j->xd + r * n, j->wd, n))
JOB_SHORT(axpy_f32f64, j->t->axpy_f32f64(0.5, j->xf + r * n, j->wd, n))

static void bench_short(const hsp__vec_table *t)
{
    static const size_t lengths[] = {4, 8, 13, 30, 54, 123, 784};
    static const struct {
        const char *name;
        void (*work)(const struct job *);
    } jobs[] = {{"dot_f64", job_short_dot_f64},
                {"dot_f32f64", job_short_dot_f32f64},
                {"axpy_f64", job_short_axpy_f64},
                {"axpy_f32f64", job_short_axpy_f32f64}};
    size_t most = SHORT_ROWS * 784 * sizeof(double);
    char *x = bench_alloc(most), *w = bench_alloc(most);
    job j = {.t = t, .xf = (float *)(void *)x};
    j.xd = (double *)(void *)x, j.wd = (double *)(void *)w;
    printf("\n%-18s", "dense, ns/row of");
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        printf(" %9zu", lengths[l]);
    putchar('\n');
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        printf("%-18s", jobs[k].name);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            bench_row_length = lengths[l];
            j.work = jobs[k].work;
            printf(" %9.1f", 1e9 * bench_time(&j, NULL, NULL) / SHORT_ROWS);
        }
        putchar('\n');
    }
    free(x), free(w);
}

/* ---- sparse ---- */

typedef struct {
    size_t rows, places;
    size_t *start; /* rows + 1 */
    uint32_t *idx; /* places */
    float *vf;     /* places */
    double *vd;    /* places */
    double *wd;    /* the dense vector */
    const hsp__vec_table *t;
} sparse_set;

static sparse_set bench_set;

/* One call for each row: idx, vf, vd, nnz are the row's. */
#define JOB_ROWS(name, call)                                     \
    static void job_##name(const struct job *j)                  \
    {                                                            \
        const sparse_set *s = &bench_set;                        \
        double sum = 0;                                          \
        (void)j;                                                 \
        for (size_t r = 0; r < s->rows; r++) {                   \
            size_t at = s->start[r], nnz = s->start[r + 1] - at; \
            const uint32_t *idx = s->idx + at;                   \
            const float *vf = s->vf + at;                        \
            const double *vd = s->vd + at;                       \
            (void)vf, (void)vd;                                  \
            call;                                                \
        }                                                        \
        bench_sink = sum;                                        \
    }

JOB_ROWS(sparse_dot_f64, sum += s->t->sparse_dot_f64(idx, vd, nnz, s->wd))
JOB_ROWS(sparse_dot_f32f64, sum += s->t->sparse_dot_f32f64(idx, vf, nnz, s->wd))
JOB_ROWS(sparse_axpy_f64, s->t->sparse_axpy_f64(0.5, idx, vd, nnz, s->wd))
JOB_ROWS(sparse_axpy_f32f64, s->t->sparse_axpy_f32f64(0.5, idx, vf, nnz, s->wd))
JOB_ROWS(ones_dot_f64, sum += s->t->ones_dot_f64(idx, nnz, s->wd))
JOB_ROWS(ones_axpy_f64, s->t->ones_axpy_f64(0.5, idx, nnz, s->wd))

static const struct {
    const char *name;
    void (*work)(const struct job *);
} sparse_jobs[] = {
    {"sparse_dot_f64", job_sparse_dot_f64},   {"sparse_dot_f32f64", job_sparse_dot_f32f64},
    {"sparse_axpy_f64", job_sparse_axpy_f64}, {"sparse_axpy_f32f64", job_sparse_axpy_f32f64},
    {"ones_dot_f64", job_ones_dot_f64},       {"ones_axpy_f64", job_ones_axpy_f64},
};
enum { SPARSE_JOBS = sizeof sparse_jobs / sizeof *sparse_jobs, SETS = 5 };

/* Rows of about nnz places, give or take `spread`, in d dimensions; low places are the frequent
 * ones, as words are. */
static const struct {
    const char *name;
    uint32_t nnz, spread, d, rows;
} sets[SETS] = {
    {"14 of 123", 14, 0, 123, 20000},      {"8-20 of 123", 14, 6, 123, 20000},
    {"75 of 47K", 75, 0, 47000, 5000},     {"50-100 of 47K", 75, 25, 47000, 5000},
    {"75 of 20M", 75, 0, 20000000, 20000},
};

static uint64_t bench_random(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

static int bench_compare_places(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A row: `want` draws, sorted, each place once. */
static size_t bench_row(uint32_t *idx, uint32_t want, uint32_t d)
{
    for (uint32_t k = 0; k < want; k++) {
        double u = (double)(bench_random() >> 11) * 0x1p-53;
        idx[k] = (uint32_t)((d < 1000 ? u : u * u * u) * d);
    }
    qsort(idx, want, sizeof *idx, bench_compare_places);
    for (uint32_t k = 1; k < want; k++)
        if (idx[k] <= idx[k - 1]) idx[k] = idx[k - 1] + 1;
    return want;
}

static void bench_make(int c, const hsp__vec_table *t)
{
    sparse_set *s = &bench_set;
    size_t most = (size_t)sets[c].rows * (sets[c].nnz + sets[c].spread), d = sets[c].d + 256;
    *s = (sparse_set){.rows = sets[c].rows, .t = t};
    s->start = bench_alloc((s->rows + 1) * sizeof *s->start);
    s->idx = bench_alloc(most * sizeof *s->idx);
    s->vf = bench_alloc(most * sizeof *s->vf);
    s->vd = bench_alloc(most * sizeof *s->vd);
    s->wd = bench_alloc(d * sizeof *s->wd);
    for (size_t r = 0; r < s->rows; r++) {
        uint32_t spread = sets[c].spread, nnz = sets[c].nnz - spread;
        nnz += (uint32_t)(bench_random() % (2 * spread + 1));
        s->start[r + 1] = s->start[r] + bench_row(s->idx + s->start[r], nnz, sets[c].d);
    }
    s->places = s->start[s->rows];
}

static void bench_drop(void)
{
    sparse_set *s = &bench_set;
    free(s->start), free(s->idx), free(s->vf), free(s->vd), free(s->wd);
}

static void bench_sparse(const hsp__vec_table *t)
{
    double ns[SPARSE_JOBS][SETS];
    for (int c = 0; c < SETS; c++) {
        bench_make(c, t);
        for (int k = 0; k < SPARSE_JOBS; k++) {
            job j = {.work = sparse_jobs[k].work};
            ns[k][c] = 1e9 * bench_time(&j, NULL, NULL) / (double)bench_set.places;
        }
        bench_drop();
    }
    printf("\n%-18s", "sparse, ns/place");
    for (int c = 0; c < SETS; c++)
        printf(" %14s", sets[c].name);
    putchar('\n');
    for (int k = 0; k < SPARSE_JOBS; k++) {
        printf("%-18s", sparse_jobs[k].name);
        for (int c = 0; c < SETS; c++)
            printf(" %14.2f", ns[k][c]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    const hsp__vec_table *t = hsp__vec();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            bench_runs = 3, bench_seconds = 0.005;
        else if (!(t = hsp__vec_table_by_name(argv[i]))) {
            fprintf(stderr, "usage: vec [--quick] [scalar|avx2|avx512]\n");
            return 2;
        }
    }
    printf("table %s; median of %d runs\n\n", t->name, bench_runs);
    bench_dense(t);
    bench_short(t);
    bench_sparse(t);
    return 0;
}
