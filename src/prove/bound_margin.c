/* Bounds by margins of a halfspace, s(x) = <w, x> + b, in a space that was fixed before the rows
 * were drawn (hsp__bound_space). An offset is the weight of one more coordinate, c in every row:
 * x~ = (x, c), w~ = (w, b / c); c may be any number, and is chosen afterwards from the powers of
 * two, at the price of a share p(i) of delta for c = 2^i, with sum of p(i) = 1:
 *     p(0) = 1/2,    p(i) = 1 / (2 (|i| + 1) (|i| + 2)).
 *
 * Margin and radius. Theorem (V. Koltchinskii, D. Panchenko 2002; as in M. Mohri, A. Rostamizadeh,
 * A. Talwalkar, Foundations of Machine Learning, 2nd edition, Theorems 5.8 and 5.10). For a fixed
 * gamma > 0, with probability 1 - delta, for all w~ of length 1,
 *     R <= (1/n) sum ramp(y_i <w~, x~_i> / gamma) + (2/gamma) sqrt(sum ||x~_i||^2) / n
 *          + 3 sqrt(ln(2/delta) / (2n)),        ramp(t) = min(1, max(0, 1 - t)).
 * gamma is chosen from 2^(j/2) at the price p(j). The radius that enters is that of the given rows,
 * r^2 = mean ||x~||^2: nothing need be known about rows to come.
 *
 * PAC-Bayes. Theorem (J. Langford, J. Shawe-Taylor, PAC-Bayes & margins, 2002; J. Langford 2005,
 * Corollary 5.3; the constant by A. Maurer 2004). With probability 1 - delta, for all w~ and all
 * mu > 0 at once,
 *     kl(Q^ || Q) <= (mu^2 / 2 + ln(xi / delta)) / n,   xi = 2 sqrt(n) (n >= 8), else n + 1,
 *     Q^ = (1/n) sum Phi(-mu y_i <w~, x~_i> / (||w~|| ||x~_i||)),
 * where Q is the error of a separator newly drawn for each row from N(mu w~ / ||w~||, I). Where w~
 * itself is wrong, more than half of these are: R <= 2 Q. As it holds for all mu, the best may be
 * looked for freely.
 *
 * Cost: a sort of the margins; about a hundred values of Phi a row, in parallel. */
#include <stdlib.h>

#include "base/base.h"
#include "prove/bound.h"

/* ln p(i). */
static double margin_share(int i)
{
    const double k = abs(i);
    return i ? -log(2 * (k + 1) * (k + 2)) : -log(2);
}

/* The margins y s(x), less what rounding may have added; a label that nobody knows is wrong. */
static double *margin_sure(const hsp__bound_case *c)
{
    const hsp__bound_space *space = &c->space;
    const double noise = space->w ? 1e-12 : 1e-5; /* kernel values may be floats */
    double *sure = hsp__new_raw(&c->ctx->allocator, c->rows.n, sizeof *sure);
    for (uint64_t i = 0; sure && i < c->rows.n; i++) {
        const double size = sqrt(space->length2 * space->norm2[i]) + fabs(space->b);
        const double margin = c->rows.margin[i];
        sure[i] = isnan(margin) ? -HUGE_VAL : margin * space->unit - noise * size;
    }
    return sure;
}

/* Of a kernel that was chosen among several by these rows, each one has its share of delta. */
static double margin_log_delta(const hsp__bound_case *c)
{
    return c->space.w ? hsp__bound_class_delta(c) : c->log_delta - log((double)c->run.tried);
}

static int margin_applies(const hsp__bound_case *c, hsp_error_bound *to)
{
    double squares = c->space.length2;
    for (uint64_t i = 0; !c->space.why[0] && i < c->rows.n; i++)
        squares += c->space.norm2[i];
    if (!c->space.why[0] && c->space.length2 > 0 && isfinite(squares)) return 1;
    hsp__error_bound_fail(to, "%s",
                          c->space.why[0] ? c->space.why
                          : !(c->space.length2 > 0)
                              ? "w is 0, so there is no halfspace"
                              : "squared lengths of rows or of w leave the "
                                "range of double precision: scale the columns");
    return 0;
}

/* ---- Margin and radius ---- */

static int margin_compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* How many of the sorted margins are below t; `equal`: or t itself. */
static uint64_t margin_below(const double *sorted, uint64_t n, double t, int equal)
{
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sorted[middle] < t || (equal && sorted[middle] == t))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct margin_best {
    double value, gamma, constant, ramp, radius;
} margin_best;

/* The best gamma for one c. */
static void margin_search(const hsp__bound_case *c, const double *sorted, const double *sums, int i,
                          double constant, double squares, margin_best *best)
{
    const double n = (double)c->rows.n, b = c->space.b;
    const double ratio = constant > 0 ? b / constant : 0;
    const double length = sqrt(c->space.length2 + ratio * ratio);
    const double radius = sqrt(squares / n + constant * constant);
    const double share = constant > 0 ? margin_share(i) : 0;
    if (!(radius > 0 && isfinite(radius))) return; /* rows of zeros, or beyond measure */
    /* below r / sqrt(n) the second term is 2 and more; far above r the first is 1 */
    const int low = (int)floor(2 * log2(radius / sqrt(n))), high = (int)ceil(2 * log2(radius)) + 8;
    for (int j = low; j <= high; j++) {
        const double gamma = exp2(j * 0.5);
        /* the mean ramp loss at width t; sums[k]: of the positive margins before k */
        const double t = gamma * length;
        const uint64_t below = margin_below(sorted, c->rows.n, t, 0);
        const uint64_t zero = margin_below(sorted, below, 0, 1);
        assert(zero <= below && below <= c->rows.n && t > 0);
        const double inside = (double)(below - zero) - (sums[below] - sums[zero]) / t;
        const double ramp = ((double)zero + fmax(0, inside)) / n;
        const double doubt = log(2) - margin_log_delta(c) - share - margin_share(j);
        const double value = ramp + 2 * radius / (gamma * sqrt(n)) + 3 * sqrt(doubt / (2 * n));
        if (value < best->value) *best = (margin_best){value, gamma, constant, ramp, radius};
    }
}

hsp_status hsp__bound_margin(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    const uint64_t n = c->rows.n;
    if (!margin_applies(c, to)) return HSP_OK;
    assert(n > 0 && c->rows.margin);
    margin_best best = {.value = HUGE_VAL};
    double *sorted = margin_sure(c), squares = 0;
    double *sums = hsp__new(&c->ctx->allocator, n + 1, sizeof *sums);
    const hsp_status status = sorted && sums ? HSP_OK : hsp__fail_memory(err);
    if (!status) qsort(sorted, n, sizeof *sorted, margin_compare);
    for (uint64_t i = 0; !status && i < n; i++) {
        sums[i + 1] = sums[i] + fmax(0, sorted[i]);
        squares += c->space.norm2[i];
    }
    if (!status && c->space.origin) margin_search(c, sorted, sums, 0, 0, squares, &best);
    for (int i = -60; !status && !c->space.origin && i <= 60; i++)
        margin_search(c, sorted, sums, i, exp2(i), squares, &best);
    hsp__free(&c->ctx->allocator, sums);
    hsp__free(&c->ctx->allocator, sorted);
    if (status) return status;
    if (!isfinite(best.value)) return hsp__error_bound_fail(to, "all rows are 0");
    return hsp__error_bound_set(
        to, best.value * (1 + 1e-12),
        "gamma = %.4g, r = %.4g, ramp loss %.4g, %llu rows, constant column %.4g", best.gamma,
        best.radius, best.ramp, (unsigned long long)n, best.constant);
}

/* ---- PAC-Bayes ---- */

typedef struct bayes_job {
    const hsp__bound_case *c;
    const double *sure;
    double *cosine; /* n: y <w~, x~> / (||w~|| ||x~||) */
    double mu;
    uint64_t parts;
    double *sums; /* parts */
} bayes_job;

static void bayes_part(void *user, uint64_t part)
{
    const bayes_job *job = user;
    const uint64_t n = job->c->rows.n, to = hsp__part(n, job->parts, part + 1);
    double sum = 0;
    for (uint64_t i = hsp__part(n, job->parts, part); i < to; i++)
        sum += 0.5 * erfc(job->mu * job->cosine[i] * 0.70710678118654752440);
    job->sums[part] = sum;
}

typedef struct bayes_best {
    double value, mu, gibbs, constant;
} bayes_best;

/* Q^ at mu, and the bound on 2 Q; kept if it is lower. */
static void bayes_try(bayes_job *job, double mu, double log_delta, double constant,
                      bayes_best *best)
{
    const double n = (double)job->c->rows.n;
    double sum = 0;
    job->mu = mu;
    hsp__tasks_run(job->c->ctx, job->parts, bayes_part, job);
    for (uint64_t part = 0; part < job->parts; part++)
        sum += job->sums[part];
    const double gibbs = fmin(1, sum / n + 1e-12), xi = n >= 8 ? 2 * sqrt(n) : n + 1;
    const double value = 2 * hsp__kl_upper(gibbs, (mu * mu / 2 + log(xi) - log_delta) / n);
    if (value < best->value) *best = (bayes_best){value, mu, gibbs, constant};
}

/* One c: powers of two for mu, then twice between the neighbours of the best. */
static void bayes_search(bayes_job *job, int i, double constant, bayes_best *all)
{
    const hsp__bound_case *c = job->c;
    const double b = c->space.b, ratio = constant > 0 ? b / constant : 0;
    const double length = sqrt(c->space.length2 + ratio * ratio);
    const double log_delta = margin_log_delta(c) + (constant > 0 ? margin_share(i) : 0);
    bayes_best best = {.value = HUGE_VAL, .mu = 1};
    for (uint64_t r = 0; r < c->rows.n; r++) {
        const double size = length * sqrt(c->space.norm2[r] + constant * constant);
        job->cosine[r] = size > 0 ? fmin(1, job->sure[r] / size) : fmin(0, job->sure[r]);
    }
    for (int k = -1; k <= 10; k++)
        bayes_try(job, exp2(k), log_delta, constant, &best);
    for (int halved = 1; halved <= 3; halved++) {
        const double middle = best.mu, step = ldexp(1, -halved);
        bayes_try(job, middle * exp2(-step), log_delta, constant, &best);
        bayes_try(job, middle * exp2(step), log_delta, constant, &best);
    }
    if (best.value < all->value) *all = best;
}

hsp_status hsp__bound_pac_bayes(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    const uint64_t n = c->rows.n;
    if (!margin_applies(c, to)) return HSP_OK;
    hsp__scratch scratch = {.memory = &c->ctx->allocator};
    bayes_job job = {.c = c, .parts = hsp__parts(n, 256)};
    bayes_best best = {.value = HUGE_VAL};
    double *sure = margin_sure(c), squares = 0;
    job.cosine = hsp__scratch_raw(&scratch, n, sizeof *job.cosine);
    job.sums = hsp__scratch_new(&scratch, job.parts, sizeof *job.sums);
    job.sure = sure;
    const hsp_status status = sure && !scratch.failed ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++)
        squares += c->space.norm2[i];
    /* the power of two that is nearest to the rows' mean length: where to look for a constant column
     */
    const double length = sqrt(squares / (double)n);
    const int middle = length > 0 ? (int)fmax(-60, fmin(60, nearbyint(log2(length)))) : 0;
    if (!status && c->space.origin) bayes_search(&job, 0, 0, &best);
    for (int i = -4; !status && !c->space.origin && i <= 4; i += 2)
        bayes_search(&job, middle + i, exp2(middle + i), &best);
    hsp__scratch_free(&scratch);
    hsp__free(&c->ctx->allocator, sure);
    if (status) return status;
    return hsp__error_bound_set(to, isfinite(best.value) ? best.value : 2,
                                "mu = %.4g, Q^ = %.4g, Q <= %.4g, %llu rows, constant column %.4g",
                                best.mu, best.gibbs, best.value / 2, (unsigned long long)n,
                                best.constant);
}
