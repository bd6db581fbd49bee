/* Is a Gram matrix positive semidefinite, and if not, why not.
 *
 * K is semidefinite when its smallest eigenvalue is not below 0. What is computed is the matrix of
 * rounded values: it may differ from the true one by n * noise in norm, and its eigenvalues from
 * their computed ones by about n * 2^-52 of the largest. Anything within that tolerance of 0 is 0.
 *
 * Below it, the reader is owed a proof: z with z'Kz < 0. The eigenvector is one, of n long numbers.
 * Often two or three rows tell: k(x, y)^2 > k(x, x) k(y, y) is a witness of two. So witnesses of 1,
 * 2, 3, 4, 6, 8, 12 ... rows are tried in turn, in 2, 4 and 8 digits, then in all digits. A witness
 * is taken when z'Kz, in long double, is below -tolerance * z'z: then no rounding explains it. */
#include <float.h>

#include "base/base.h"
#include "kernel/eigen.h"
#include "kernel/gram.h"

enum { PSD_TRIPLES = 24 }; /* rows of which all triples are looked at */

typedef struct psd {
    hsp_context *ctx;
    const hsp__gram *gram;
    double tolerance;
    uint64_t *order;  /* n: rows, those that the eigenvector has the most of first */
    uint64_t *chosen; /* n: rows of the witness that is tried */
    double *z, *values;
} psd;

static double psd_at(const psd *all, uint64_t i, uint64_t j)
{
    return all->gram->values[i * all->gram->n + j];
}

/* ---- Is it one? ------------------------------------------------------------------------------ */

/* z'Kz over chosen[0..count). */
static long double psd_value(const psd *all, uint64_t count, const double *z, long double *square)
{
    long double sum = 0;
    *square = 0;
    for (uint64_t p = 0; p < count; p++) {
        long double line = 0;
        for (uint64_t q = 0; q < count; q++)
            line += (long double)psd_at(all, all->chosen[p], all->chosen[q]) * (long double)z[q];
        sum += line * (long double)z[p];
        *square += (long double)z[p] * (long double)z[p];
    }
    return sum;
}

static int psd_accept(const psd *all, uint64_t count, const double *z)
{
    long double square;
    const long double value = psd_value(all, count, z, &square);
    assert(square >= 0 && !(all->tolerance < 0));
    return value < 0 && value < -(long double)all->tolerance * square;
}

/* all->z in the fewest digits that will do; 0 when none will. */
static int psd_round(const psd *all, uint64_t count, double *rounded)
{
    static const double digits[] = {1e2, 1e4, 1e8};
    double most = 0;
    for (uint64_t p = 0; p < count; p++)
        if (fabs(all->z[p]) > fabs(most)) most = all->z[p];
    assert(count > 0 && most != 0); /* an eigenvector */
    for (size_t k = 0; k < sizeof digits / sizeof *digits; k++) {
        for (uint64_t p = 0; p < count; p++)
            rounded[p] = nearbyint(all->z[p] / most * digits[k]) / digits[k] + 0.0;
        if (psd_accept(all, count, rounded)) return 1;
    }
    memcpy(rounded, all->z, count * sizeof *rounded);
    return psd_accept(all, count, rounded);
}

/* The best z over chosen[0..count): the eigenvector of their own matrix. */
static hsp_status psd_try(const psd *all, uint64_t count, hsp_error *err, double *rounded,
                          int *found)
{
    const hsp_allocator *memory = &all->ctx->allocator;
    assert(count > 0 && count <= all->gram->n);
    double *part = hsp__new_raw(memory, count * count, sizeof *part);
    if (!part) return hsp__fail_memory(err);
    for (uint64_t p = 0; p < count; p++)
        for (uint64_t q = 0; q < count; q++)
            part[p * count + q] = psd_at(all, all->chosen[p], all->chosen[q]);
    hsp_status status = hsp__eigen_symmetric(all->ctx, count, part, err, all->values, all->z);
    hsp__free(memory, part);
    if (!status) *found = psd_round(all, count, rounded);
    return status;
}

/* ---- Which rows ------------------------------------------------------------------------------ */

/* The smallest eigenvalue of three rows, by Newton from below on the characteristic polynomial:
 * all its roots are real, so from the left it walks up to the first one. */
static double psd_smallest_of_three(const psd *all, const uint64_t *r)
{
    const double a = psd_at(all, r[0], r[0]), b = psd_at(all, r[1], r[1]),
                 c = psd_at(all, r[2], r[2]), d = psd_at(all, r[0], r[1]),
                 e = psd_at(all, r[0], r[2]), f = psd_at(all, r[1], r[2]);
    const double trace = a + b + c, minors = a * b + a * c + b * c - d * d - e * e - f * f;
    const double det = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - b * e);
    double x = -(fabs(a) + fabs(b) + fabs(c) + 2 * (fabs(d) + fabs(e) + fabs(f)));
    for (int step = 0; step < 60; step++) {
        const double value = ((x - trace) * x + minors) * x - det;
        const double slope = (3 * x - 2 * trace) * x + minors;
        if (!(slope > 0) || !(value < 0)) break;
        x -= value / slope;
    }
    return x;
}

/* Of one, two and three rows the best; of more, those that the eigenvector has the most of. */
static void psd_choose(psd *all, uint64_t count)
{
    const uint64_t n = all->gram->n, few = n < PSD_TRIPLES ? n : PSD_TRIPLES;
    double best = HUGE_VAL;
    memcpy(all->chosen, all->order, count * sizeof *all->chosen);
    for (uint64_t i = 0; i < n && count == 1; i++)
        if (psd_at(all, i, i) < best) best = psd_at(all, all->chosen[0] = i, i);
    for (uint64_t i = 0; i < n && count == 2; i++)
        for (uint64_t j = 0; j < i; j++) {
            const double a = psd_at(all, i, i), b = psd_at(all, i, j), c = psd_at(all, j, j);
            const double low = (a + c) / 2 - hypot((a - c) / 2, b);
            if (!(low < best)) continue;
            best = low;
            all->chosen[0] = j, all->chosen[1] = i;
        }
    for (uint64_t i = 2; i < few && count == 3; i++)
        for (uint64_t j = 1; j < i; j++)
            for (uint64_t k = 0; k < j; k++) {
                const uint64_t rows[] = {all->order[i], all->order[j], all->order[k]};
                const double low = psd_smallest_of_three(all, rows);
                if (!(low < best)) continue;
                best = low;
                memcpy(all->chosen, rows, sizeof rows);
            }
}

/* ---- The witness ----------------------------------------------------------------------------- */

/* Positions by |vector|, descending: a heap would be faster, and this is sorted once. */
static void psd_sort(uint64_t *order, uint64_t *spare, const double *vector, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        order[i] = i;
    for (uint64_t run = 1; run < n; run *= 2) { /* merging runs keeps equal ones in row order */
        for (uint64_t from = 0; from < n; from += 2 * run) {
            const uint64_t middle = from + run < n ? from + run : n;
            const uint64_t end = middle + run < n ? middle + run : n;
            for (uint64_t a = from, b = middle, k = from; k < end; k++) {
                const int left =
                    a < middle && (b == end || fabs(vector[order[a]]) >= fabs(vector[order[b]]));
                spare[k] = left ? order[a++] : order[b++];
            }
        }
        memcpy(order, spare, n * sizeof *order);
    }
}

/* Rows ascending, zeros left out, the first sign positive. */
static hsp_status psd_keep(const psd *all, const uint64_t *rows, uint64_t count, const double *z,
                           hsp_error *err, hsp_kernel_report *report)
{
    long double square;
    report->witness_row = hsp__new(&all->ctx->allocator, count, sizeof *report->witness_row);
    report->witness = hsp__new(&all->ctx->allocator, count, sizeof *report->witness);
    if (!report->witness_row || !report->witness) return hsp__fail_memory(err);
    report->witness_value = (double)psd_value(all, count, z, &square);
    uint64_t kept = 0;
    for (uint64_t p = 0; p < count; p++) {
        const uint64_t row = rows ? rows[all->chosen[p]] : all->chosen[p];
        uint64_t place = kept;
        if (z[p] == 0) continue;
        for (; place && report->witness_row[place - 1] > row; place--) {
            report->witness_row[place] = report->witness_row[place - 1];
            report->witness[place] = report->witness[place - 1];
        }
        report->witness_row[place] = row;
        report->witness[place] = z[p];
        kept++;
    }
    report->witness_count = kept;
    const double sign = kept && report->witness[0] < 0 ? -1 : 1;
    for (uint64_t p = 0; p < kept; p++)
        report->witness[p] *= sign;
    return HSP_OK;
}

/* Of a matrix with an eigenvalue below the tolerance; `vector` is that one's. If not even all rows
 * make a witness, rounding explains the eigenvalue after all. */
static hsp_status psd_witness(psd *all, const uint64_t *rows, const double *vector, hsp_error *err,
                              hsp_kernel_report *report)
{
    const uint64_t n = all->gram->n;
    hsp__scratch memory = {.memory = &all->ctx->allocator};
    int found = 0;
    all->order = hsp__scratch_raw(&memory, n, sizeof *all->order);
    all->chosen = hsp__scratch_raw(&memory, n, sizeof *all->chosen);
    all->z = hsp__scratch_raw(&memory, n, sizeof *all->z);
    all->values = hsp__scratch_raw(&memory, n, sizeof *all->values);
    double *rounded = hsp__scratch_raw(&memory, n, sizeof *rounded);
    hsp_status status = memory.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) psd_sort(all->order, all->chosen, vector, n);
    for (uint64_t count = 1; !status && !found;) {
        psd_choose(all, count);
        if (count < n) {
            status = psd_try(all, count, err, rounded, &found);
        } else { /* the eigenvector is there already */
            for (uint64_t p = 0; p < n; p++)
                all->z[p] = vector[all->chosen[p] = p];
            found = psd_round(all, n, rounded);
        }
        if (found) status = psd_keep(all, rows, count, rounded, err, report);
        if (count == n) break;
        /* 1, 2, 3, 4, 6, 8, 12, 16, 24 ... n */
        const int power_of_two = (count & (count - 1)) == 0;
        const uint64_t next = count < 4      ? count + 1
                              : power_of_two ? count + count / 2
                                             : count / 3 * 4;
        count = next < n ? next : n;
    }
    report->semidefinite = !found;
    hsp__scratch_free(&memory);
    return status;
}

/* ---- The answer ----------------------------------------------------------------------------- */

static hsp_status psd_run(hsp_context *ctx, const hsp__gram *gram, const uint64_t *rows,
                          hsp_error *err, hsp_kernel_report *report)
{
    hsp__scratch memory = {.memory = &ctx->allocator};
    const uint64_t n = gram->n;
    double *work = hsp__scratch_raw(&memory, n * n, sizeof *work);
    double *vector = hsp__scratch_raw(&memory, n, sizeof *vector);
    double *values = report->eigenvalues = hsp__new_raw(&ctx->allocator, n, sizeof *values);
    hsp_status status = memory.failed || !values ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < n && !hsp__tick(ctx); i++)
        memcpy(work + i * n, gram->values + i * n, n * sizeof *work);
    if (!status) status = hsp__stop_status(ctx, err);
    if (!status) status = hsp__eigen_symmetric(ctx, n, work, err, values, vector);
    for (uint64_t k = 0; !status && k < n / 2; k++) {
        const double low = values[k];
        values[k] = values[n - 1 - k], values[n - 1 - k] = low;
    }
    if (!status) {
        const double largest = n ? fmax(fabs(values[0]), fabs(values[n - 1])) : 0;
        report->rows = n;
        report->tolerance = (double)n * (gram->noise + DBL_EPSILON * largest);
        report->semidefinite = n == 0 || values[n - 1] >= -report->tolerance;
        while (report->rank < n && values[report->rank] > report->tolerance)
            report->rank++;
    }
    if (!status && !report->semidefinite) {
        psd all = {.ctx = ctx, .gram = gram, .tolerance = report->tolerance};
        status = psd_witness(&all, rows, vector, err, report);
    }
    hsp__scratch_free(&memory);
    return status;
}

hsp_status hsp_kernel_check(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                            const uint64_t *rows, uint64_t count, hsp_error *err,
                            hsp_kernel_report **out)
{
    HSP__NEED(err, ctx, kernel, data, out);
    hsp__gram gram = {0};
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_kernel_report *report = hsp__owned_new(&ctx->allocator, 1, sizeof *report);
    if (!report) return hsp__fail_memory(err);
    hsp_status status = hsp__gram_new(&own, kernel, data, rows, count, err, &gram);
    if (!status) status = psd_run(&own, &gram, rows, err, report);
    hsp__gram_free(ctx, &gram);
    if (status)
        hsp_kernel_report_free(report);
    else
        *out = report;
    return status;
}

void hsp_kernel_report_free(hsp_kernel_report *report)
{
    if (!report) return;
    const hsp_allocator memory = *hsp__owned_memory(report);
    hsp__free(&memory, report->eigenvalues);
    hsp__free(&memory, report->witness_row);
    hsp__free(&memory, report->witness);
    hsp__owned_free(report);
}
