/* Principal directions by orthogonal iteration: on the matrix K of inner products of a centred
 * sample, whose eigenvectors U give the directions S^T U. The sample has few rows, so K is small
 * whatever the number of columns. The directions need not be accurate, only orthonormal.
 *
 * How many pay is estimated on the sample: for some of its rows, the distance of the k-th nearest
 * of all rows is extrapolated from the nearest in the sample (within a radius r there are about
 * r^dimension rows), and the images nearer than that are counted. */
#include "knn/knn_projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "vec/product.h"
#include "vec/vec.h"

enum {
    MOST = HSP__KNN_DIRECTIONS,
    BLOCK = HSP__PRODUCT_COLS,
    KNN_PROJECTION_ROUNDS = 4,      /* of the iteration */
    KNN_PROJECTION_PILOTS = 24,     /* sample rows that stand for queries */
    KNN_PROJECTION_NEAR = 16,       /* nearest in the sample, to extrapolate from */
    KNN_PROJECTION_FLAT = 2 * MOST, /* directions of which MOST say too little */
    KNN_PROJECTION_STRIPE = 256,    /* columns of a task */
};

/* Seconds on one core, measured: products of bytes in a tile, per row and per product; a row that
 * the images leave in; multiplications of doubles in the making of the map. They only decide what
 * is faster. */
#define KNN_PROJECTION_ROW       0.17e-9
#define KNN_PROJECTION_BYTE      5.5e-12
#define KNN_PROJECTION_CANDIDATE 60e-9
#define KNN_PROJECTION_DOUBLE    50e-12

#define KNN_PROJECTION_GAIN    1.5
#define KNN_PROJECTION_SQUARES 1e200 /* larger ones are not trusted */

typedef struct knn_projection_work {
    hsp_context *ctx;
    const hsp__knn_purpose *purpose;
    hsp__knn_projection *out;
    uint64_t count, cols;
    double *sample;     /* count * cols, centred */
    double *inner;      /* count * count: K */
    double *u;          /* MOST * count: eigenvectors of K */
    double *next;       /* MOST * count; room */
    double *directions; /* MOST * cols */
    double *images;     /* count * MOST */
    uint64_t found;     /* directions */
    atomic_int no_memory;
} knn_projection_work;

/* ---- Images ---------------------------------------------------------------------------------- */

static void knn_projection_center(double *row, const double *center, uint64_t cols)
{
    for (uint64_t c = 0; c < cols; c++)
        row[c] -= center[c];
}

void hsp__knn_project(const hsp__knn_projection *p, double *rows, uint64_t some, double *images,
                      double *off)
{
    const uint64_t wide = p->count + 1;
    for (uint64_t i = 0; i < some; i++)
        knn_projection_center(rows + i * p->cols, p->center, p->cols);
    hsp__product_with_f64(some, p->count, p->cols, rows, p->cols, p->packed, p->cols, images, wide);
    for (uint64_t i = 0; i < some; i++) {
        double *image = images + i * wide;
        const double all = hsp__vec()->sqnorm_f64(rows + i * p->cols, p->cols);
        const double rest = all - hsp__vec()->sqnorm_f64(image, p->count);
        const double rho = rest > 0 ? sqrt(rest) : 0, unsure = HSP__KNN_PROJECTION_SLACK * all;
        image[p->count] = rho;
        off[i] = HSP__KNN_PROJECTION_SLACK * sqrt(all) +
                 (rho > sqrt(unsure) ? unsure / rho : sqrt(2 * unsure));
        if (all <= KNN_PROJECTION_SQUARES) continue;
        memset(image, 0, wide * sizeof *image);
        off[i] = (double)INFINITY;
    }
}

/* ---- Directions ------------------------------------------------------------------------------ */

static double *knn_projection_pack_new(const knn_projection_work *work, uint64_t depth)
{
    return hsp__new_raw(&work->ctx->allocator, hsp__product_packed(depth, sizeof(double)), 1);
}

/* c[i][block] = <a_i, b_j> for the rows j of a block of b. */
static void knn_projection_product(knn_projection_work *work, const double *a, uint64_t rows,
                                   const double *b, uint64_t depth, uint64_t block, double *c)
{
    const uint64_t at = block * BLOCK, left = work->count - at, n = left < BLOCK ? left : BLOCK;
    double *packed = knn_projection_pack_new(work, depth);
    if (!packed) {
        atomic_store(&work->no_memory, 1);
        return;
    }
    hsp__product_pack_f64(n, depth, b + at * depth, depth, packed);
    for (uint64_t i = 0; i < rows && !hsp__tick(work->ctx); i += BLOCK)
        hsp__product_with_f64(rows - i < BLOCK ? rows - i : BLOCK, n, depth, a + i * depth, depth,
                              packed, depth, c + i * work->count + at, work->count);
    hsp__free(&work->ctx->allocator, packed);
}

static void knn_projection_inner(void *user, uint64_t block)
{
    knn_projection_work *work = user;
    knn_projection_product(work, work->sample, work->count, work->sample, work->cols, block,
                           work->inner);
}

static void knn_projection_round(void *user, uint64_t block)
{
    knn_projection_work *work = user;
    knn_projection_product(work, work->u, MOST, work->inner, work->count, block, work->next);
}

/* Columns of directions = sums of sample rows. */
static void knn_projection_stripe(void *user, uint64_t stripe)
{
    knn_projection_work *work = user;
    const uint64_t from = stripe * KNN_PROJECTION_STRIPE, left = work->cols - from;
    const uint64_t some = left < KNN_PROJECTION_STRIPE ? left : KNN_PROJECTION_STRIPE;
    for (uint64_t i = 0; i < work->count; i++)
        for (uint64_t m = 0; m < MOST; m++)
            hsp__vec()->axpy_f64(work->u[m * work->count + i], work->sample + i * work->cols + from,
                                 work->directions + m * work->cols + from, some);
}

/* Make rows orthonormal, each by those before it, `times` over (once is rough); rows that depend on
 * those are left out. Returns how many are left. */
static uint64_t knn_projection_orthonormal(double *rows, uint64_t count, uint64_t n, int times)
{
    const hsp__vec_table *vec = hsp__vec();
    uint64_t kept = 0;
    for (uint64_t m = 0; m < count; m++) {
        double *row = rows + kept * n;
        if (m != kept) memcpy(row, rows + m * n, n * sizeof *row);
        double before = sqrt(vec->sqnorm_f64(row, n));
        for (int time = 0; time < times; time++) {
            for (uint64_t j = 0; j < kept; j++)
                vec->axpy_f64(-vec->dot_f64(row, rows + j * n, n), rows + j * n, row, n);
            const double norm = sqrt(vec->sqnorm_f64(row, n));
            const int rest = norm > 1e-6 * before && norm > 1e-100 && norm < 1e100;
            before = rest ? norm : 0;
            for (uint64_t c = 0; c < n; c++)
                row[c] = rest ? row[c] / norm : 0;
            if (!rest) break;
            before = 1;
        }
        kept += before > 0;
    }
    memset(rows + kept * n, 0, (count - kept) * n * sizeof *rows);
    return kept;
}

/* The directions that are orthonormal beyond doubt: the first this many. */
static uint64_t knn_projection_sure(const double *rows, uint64_t count, uint64_t n)
{
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j <= i; j++) {
            const double product = hsp__vec()->dot_f64(rows + i * n, rows + j * n, n);
            if (!(fabs(product - (i == j)) <= 1e-13)) return i;
        }
    return count;
}

/* Are the directions in which the rows mostly lie too many? They are about (sum of eigenvalues)^2 /
 * sum of their squares; in a sample of n rows, 1 / that is larger by 1 / n. */
static int knn_projection_flat(const knn_projection_work *work)
{
    const uint64_t n = work->count;
    double trace = 0;
    for (uint64_t i = 0; i < n; i++)
        trace += work->inner[i * n + i];
    const double inverse =
        hsp__vec()->sqnorm_f64(work->inner, n * n) / (trace * trace) - 1 / (double)n;
    const double most =
        work->cols < 2 * KNN_PROJECTION_FLAT ? (double)work->cols / 2 : (double)KNN_PROJECTION_FLAT;
    return !(1 <= most * inverse);
}

/* Eigenvectors of K, the largest eigenvalues first, and the directions. */
static void knn_projection_find(knn_projection_work *work)
{
    const uint64_t blocks = (work->count + BLOCK - 1) / BLOCK;
    const uint64_t stripes = (work->cols + KNN_PROJECTION_STRIPE - 1) / KNN_PROJECTION_STRIPE;
    if (knn_projection_flat(work)) return;
    for (uint64_t m = 0; m < MOST; m++) /* K times the m-th of some unit vectors */
        memcpy(work->u + m * work->count,
               work->inner + hsp__part(work->count, MOST, m) * work->count,
               work->count * sizeof *work->u);
    for (int round = 0; round < KNN_PROJECTION_ROUNDS; round++) {
        knn_projection_orthonormal(work->u, MOST, work->count, 1);
        if (!hsp__tasks_try(work->ctx, blocks, knn_projection_round, work)) return;
        double *t = work->u;
        work->u = work->next;
        work->next = t;
    }
    knn_projection_orthonormal(work->u, MOST, work->count, 1);
    hsp__tasks_run(work->ctx, stripes, knn_projection_stripe, work);
    work->found = knn_projection_orthonormal(work->directions, MOST, work->cols, 2);
    work->found = knn_projection_sure(work->directions, work->found, work->cols);
}

/* ---- How many -------------------------------------------------------------------------------- */

/* The squared distance within which the k nearest of all rows are expected, of sample row i. */
static double knn_projection_reach(const knn_projection_work *work, uint64_t i)
{
    const double *inner = work->inner;
    const uint64_t n = work->count;
    double near[KNN_PROJECTION_NEAR];
    uint64_t known = 0;
    for (uint64_t j = 0; j < n; j++) {
        const double d = inner[i * n + i] + inner[j * n + j] - 2 * inner[i * n + j];
        if (j == i || (known == KNN_PROJECTION_NEAR && d >= near[known - 1])) continue;
        uint64_t at = known < KNN_PROJECTION_NEAR ? known++ : known - 1;
        for (; at > 0 && near[at - 1] > d; at--)
            near[at] = near[at - 1];
        near[at] = d;
    }
    if (known == 0) return 0;
    const uint64_t quarter = known / 4;
    const double first = near[quarter], last = near[known - 1];
    const double share = (double)work->purpose->k / (double)work->purpose->rows * (double)n /
                         (double)known; /* of those within `last`, the part that is within reach */
    if (!(first > 0) || share >= 1) return last * pow(share > 1 ? share : 1, 0.1);
    const double power = log(last / first) / log((double)known / (double)(quarter + 1));
    return last * pow(share, power > 0 ? power : 0);
}

/* The share of rows that bounds by codes of rows leave in. */
static double knn_projection_crowd(const knn_projection_work *work)
{
    const uint64_t n = work->count;
    const double *inner = work->inner;
    uint64_t left = 0;
    for (uint64_t p = 0; p < KNN_PROJECTION_PILOTS; p++) {
        const uint64_t i = hsp__part(n, KNN_PROJECTION_PILOTS, p);
        const double reach = sqrt(knn_projection_reach(work, i)) + work->purpose->slack;
        for (uint64_t j = 0; j < n; j++)
            left += j != i &&
                    inner[i * n + i] + inner[j * n + j] - 2 * inner[i * n + j] <= reach * reach;
    }
    return (double)left / (double)(KNN_PROJECTION_PILOTS * (n - 1));
}

/* The share of rows that images of the first m directions leave in. */
static double knn_projection_left(const knn_projection_work *work, uint64_t m, double step)
{
    const uint64_t n = work->count;
    uint64_t left = 0, all = 0;
    for (uint64_t p = 0; p < KNN_PROJECTION_PILOTS; p++) {
        const uint64_t i = hsp__part(n, KNN_PROJECTION_PILOTS, p);
        /* codes as bytes are off by the root of a twelfth of a step in each number, of both */
        const double reach =
            sqrt(knn_projection_reach(work, i)) + 2 * step * sqrt((double)(m + 1) / 12);
        const double *a = work->images + i * MOST;
        const double own = work->inner[i * n + i] - hsp__vec()->sqnorm_f64(a, m);
        for (uint64_t j = 0; j < n; j++) {
            const double *b = work->images + j * MOST;
            const double other = work->inner[j * n + j] - hsp__vec()->sqnorm_f64(b, m);
            const double rho = sqrt(own > 0 ? own : 0) - sqrt(other > 0 ? other : 0);
            all += j != i;
            left += j != i && hsp__vec()->sqdist_f64(a, b, m) + rho * rho <= reach * reach;
        }
    }
    return (double)left / (double)all;
}

static int knn_projection_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the sample's images of m directions lie, but for one row in fifty at either end. */
static void knn_projection_range(knn_projection_work *work, uint64_t m)
{
    const uint64_t n = work->count;
    double *low = work->next, *high = low + n;
    for (uint64_t i = 0; i < n; i++) {
        const double *image = work->images + i * MOST;
        const double rest = work->inner[i * n + i] - hsp__vec()->sqnorm_f64(image, m);
        low[i] = 0, high[i] = rest > 0 ? sqrt(rest) : 0;
        for (uint64_t c = 0; c < m; c++) {
            low[i] = image[c] < low[i] ? image[c] : low[i];
            high[i] = image[c] > high[i] ? image[c] : high[i];
        }
    }
    qsort(low, n, sizeof *low, knn_projection_compare);
    qsort(high, n, sizeof *high, knn_projection_compare);
    work->out->low = low[n / 50];
    work->out->high = high[n - 1 - n / 50];
}

/* The number of directions that makes the whole search shortest, and the range of their images; 0:
 * none. */
static uint64_t knn_projection_choose(knn_projection_work *work)
{
    static const uint64_t choices[] = {15, 23, 31, 47, 63};
    const hsp__knn_purpose *purpose = work->purpose;
    const double d = (double)work->cols;
    const double pairs = (double)purpose->rows * (double)purpose->queries;
    /* An estimate may err: images must promise much. */
    double best = pairs * (KNN_PROJECTION_ROW + d * KNN_PROJECTION_BYTE) / KNN_PROJECTION_GAIN;
    uint64_t chosen = 0;
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
        const uint64_t m = choices[c];
        if (m > work->found) break;
        knn_projection_range(work, m);
        const double step = (work->out->high - work->out->low) / 255;
        const double map = (double)(purpose->rows + purpose->queries) * d * (double)m;
        /* while the reach is still falling, twice as many are left in as at the end */
        const double left = 2 * knn_projection_left(work, m, step);
        const double cost =
            map * KNN_PROJECTION_DOUBLE +
            pairs * (KNN_PROJECTION_ROW + (double)(m + 1) * KNN_PROJECTION_BYTE +
                     left * (KNN_PROJECTION_CANDIDATE + 2 * d * KNN_PROJECTION_BYTE));
        if (cost < best) best = cost, chosen = m;
    }
    if (chosen) knn_projection_range(work, chosen);
    return chosen;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void knn_projection_centre_sample(knn_projection_work *work)
{
    double *center = work->out->center;
    for (uint64_t i = 0; i < work->count; i++)
        hsp__vec()->axpy_f64(1 / (double)work->count, work->sample + i * work->cols, center,
                             work->cols);
    for (uint64_t i = 0; i < work->count; i++)
        knn_projection_center(work->sample + i * work->cols, center, work->cols);
}

hsp_status hsp__knn_projection_make(hsp_context *ctx, const hsp__knn_purpose *purpose,
                                    double *sample, uint64_t count, uint64_t cols,
                                    hsp__scratch *memory, hsp_error *err, hsp__knn_projection *out)
{
    hsp__scratch own = {.memory = &ctx->allocator};
    knn_projection_work work = {
        .ctx = ctx, .purpose = purpose, .out = out, .count = count, .cols = cols, .sample = sample};
    *out = (hsp__knn_projection){.cols = cols};
    out->center = hsp__scratch_new(memory, cols, sizeof *out->center);
    out->packed = hsp__scratch_raw(memory, hsp__product_packed(cols, sizeof(double)), 1);
    work.inner = hsp__scratch_raw(&own, count * count, sizeof(double));
    work.u = hsp__scratch_raw(&own, MOST * count, sizeof(double));
    work.next = hsp__scratch_new(&own, MOST * count, sizeof(double));
    work.directions = hsp__scratch_new(&own, MOST * cols, sizeof(double));
    work.images = hsp__scratch_new(&own, MOST * count, sizeof(double));
    if (!own.failed && !memory->failed) {
        const uint64_t blocks = (count + BLOCK - 1) / BLOCK;
        knn_projection_centre_sample(&work);
        if (hsp__tasks_try(ctx, blocks, knn_projection_inner, &work) &&
            !atomic_load(&work.no_memory)) {
            out->crowd = knn_projection_crowd(&work);
            knn_projection_find(&work);
        }
    }
    if (work.found) {
        hsp__product_pack_f64(work.found, cols, work.directions, cols, out->packed);
        hsp__product_with_f64(count, work.found, cols, sample, cols, out->packed, cols, work.images,
                              MOST);
        out->count = knn_projection_choose(&work);
    }
    if (out->count) hsp__product_pack_f64(out->count, cols, work.directions, cols, out->packed);
    const int failed = own.failed || memory->failed || atomic_load(&work.no_memory);
    hsp__scratch_free(&own);
    return failed ? hsp__fail_memory(err) : hsp__stop_status(ctx, err);
}
