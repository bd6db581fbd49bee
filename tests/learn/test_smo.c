/* Kernel machines. What the solver claims is recomputed here in long double from the points and a
 * kernel of the test's own. */
#include "learn/kernel/smo.h"

#include <math.h>

#include "check.h"
#include "learn/erm/gap.h"
#include "learn/erm/solvers.h"

enum { MOST = 6000, COLS = 6 };

typedef enum form { LINEAR, POLY, RBF, CONSTANT } form;
static const char *const form_text[] = {"linear", "poly(2,1)", "rbf(0.7)", "const(1)"};

static hsp_context *ctx;
static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* One problem, and what was made of it. */
typedef struct machine {
    uint64_t n, d;
    double x[MOST][COLS];
    uint32_t labels[MOST];
    double weight[MOST];
    hsp_view view;
    hsp__problem p;
    form kernel;
    double gap;
    uint64_t cache_bytes;
    double a[MOST], scores[MOST];
    hsp__smo_solution s;
    uint64_t held; /* bytes that lines took */
} machine;

static machine m; /* too large for the stack */

static void begin(uint64_t n, uint64_t d, form kernel)
{
    memset(&m, 0, sizeof m);
    m.n = n, m.d = d, m.kernel = kernel;
    m.gap = 1e-6, m.cache_bytes = 64u << 20;
    m.p = (hsp__problem){.positive = 1, .loss = &hsp__hinge, .cost = {1, 1}};
}

static void fill_random(double noise)
{
    for (uint64_t i = 0; i < m.n; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < m.d; j++) {
            m.x[i][j] = 2 * uniform() - 1;
            sum += m.x[i][j] * m.x[i][j] * (j % 2 ? 1.3 : 0.8);
        }
        m.labels[i] = sum + noise * (uniform() - 0.5) > 0.33 * (double)m.d;
        m.weight[i] = 1;
    }
}

static hsp_status solve(void)
{
    hsp_kernel *kernel = NULL;
    hsp__kernel_rows *rows = NULL;
    hsp__smo_cache cache = {0};
    hsp__watch watch = {.ctx = ctx};
    const hsp__goal goal = {.gap = m.gap, .max_passes = 2000, .watch = &watch};
    m.view = hsp_view_dense(HSP_FLOAT64, m.n, m.d, COLS, m.x);
    m.view.labels = m.labels, m.view.classes = 2;
    m.p.view = &m.view;
    m.s = (hsp__smo_solution){.a = m.a, .scores = m.scores};
    hsp_status status = hsp_kernel_parse(ctx, form_text[m.kernel], 0, 1, NULL, &kernel);
    if (!status) status = hsp__kernel_rows_new(ctx, kernel, &m.view, NULL, NULL, &rows);
    const hsp__smo_source source = {.rows = rows, .n = m.n};
    if (!status)
        status = hsp__smo_cache_init(&cache, ctx, &source, m.cache_bytes,
                                     hsp__smo_wide(&m.p, &goal), NULL);
    if (!status) status = hsp__smo(ctx, &m.p, &cache, &goal, NULL, &m.s);
    m.held = cache.slots * m.n * cache.number + cache.block_bytes;
    hsp__smo_cache_free(&cache);
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(kernel);
    return status;
}

static long double naive_kernel(const double *x, const double *y)
{
    long double dot = 0, far = 0;
    for (uint64_t j = 0; j < m.d; j++) {
        dot += (long double)x[j] * y[j];
        far += ((long double)x[j] - y[j]) * ((long double)x[j] - y[j]);
    }
    return m.kernel == LINEAR ? dot
           : m.kernel == POLY ? (dot + 1) * (dot + 1)
           : m.kernel == RBF  ? expl(-0.7L * far)
                              : 1;
}

/* ---- The truth ------------------------------------------------------------------------------- */

static double cost_of(uint64_t i)
{
    return m.p.cost[m.labels[i]] * (m.p.row_weight ? m.weight[i] : 1);
}

/* Is a feasible, are scores the sum they are said to be, and is the gap what was asked for?
 * `loose`: what floats may be off by. */
static void check_truth(double loose)
{
    long double square = 0, gain = 0, loss = 0, t = 0, total = 0;
    const int squared = m.p.loss->form == HSP__SQUARED_HINGE;
    const double b = m.s.b;
    for (uint64_t i = 0; i < m.n; i++) {
        const double y = m.labels[i] ? 1 : -1, c = cost_of(i);
        CHECK(m.a[i] >= 0 && (m.p.hard || squared || m.a[i] <= c));
        CHECK(c > 0 || m.p.hard || m.a[i] == 0);
        t += y * m.a[i], total += m.a[i];
        gain += m.a[i] - (squared && c > 0 ? (long double)m.a[i] * m.a[i] / (4 * c) : 0);
    }
    for (uint64_t i = 0; i < m.n; i++) {
        long double score = 0;
        const double y = m.labels[i] ? 1 : -1;
        for (uint64_t j = 0; j < m.n; j++)
            if (m.a[j] != 0)
                score += (m.labels[j] ? m.a[j] : -m.a[j]) * naive_kernel(m.x[i], m.x[j]);
        CHECK_NOTE(fabsl(score - m.scores[i]) <= loose * (1 + total), "row %d", (int)i);
        square += y * m.a[i] * score;
        const long double short_by = 1 - y * (score + b);
        if (m.p.hard)
            CHECK_NOTE(short_by <= 1e-6, "row %d", (int)i);
        else if (short_by > 0)
            loss += cost_of(i) * (squared ? short_by * short_by : short_by);
    }
    if (m.p.offset == HSP__OFFSET_FREE) CHECK(fabsl(t) <= 1e-9L * (1 + total));
    if (m.p.offset == HSP__OFFSET_NONE) CHECK(b == 0);
    const long double own = m.p.offset == HSP__OFFSET_REGULARIZED ? t * t : 0;
    const long double primal =
        (square + (m.p.offset == HSP__OFFSET_REGULARIZED ? (long double)b * b : 0)) / 2 + loss;
    const long double dual = gain - (square + own) / 2;
    CHECK_NOTE(primal - dual <= (m.gap + loose) * primal + 1e-12, "%Lg and %Lg", primal, dual);
    CHECK(primal - dual >= -loose * (1 + fabsl(primal)));
    CHECK(fabsl(primal - m.s.primal) <= loose * (1 + primal));
    CHECK(fabsl(dual - m.s.dual) <= loose * (1 + primal));
    CHECK(m.s.stop == HSP_STOP_CONVERGED);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void kernels_losses_and_offsets(void)
{
    for (int kernel = LINEAR; kernel <= RBF; kernel++)
        for (int loss = 0; loss < 2; loss++)
            for (int offset = HSP__OFFSET_FREE; offset <= HSP__OFFSET_NONE; offset++) {
                begin(150, 3, (form)kernel);
                fill_random(0.5);
                m.p.loss = hsp__losses[loss];
                m.p.offset = (hsp__offset)offset;
                m.p.cost[0] = 3, m.p.cost[1] = 2;
                CHECK(solve() == HSP_OK);
                check_truth(2e-6);
            }
}

/* Weights of 0, and of k for k copies. */
static void weights_are_copies(void)
{
    begin(90, 3, RBF);
    fill_random(0.8);
    for (uint64_t i = 0; i < m.n; i++)
        m.weight[i] = (double)(i % 3);
    m.p.row_weight = m.weight;
    CHECK(solve() == HSP_OK);
    check_truth(2e-6);
    const double weighted = m.s.primal;
    uint64_t n = 0;
    static double x[MOST][COLS];
    static uint32_t labels[MOST];
    for (uint64_t i = 0; i < m.n; i++)
        for (uint64_t k = 0; k < i % 3; k++, n++) {
            memcpy(x[n], m.x[i], sizeof x[n]);
            labels[n] = m.labels[i];
        }
    begin(n, 3, RBF);
    memcpy(m.x, x, sizeof x);
    memcpy(m.labels, labels, sizeof labels);
    CHECK(solve() == HSP_OK);
    CHECK(fabs(m.s.primal - weighted) <= 1e-5 * weighted);
}

/* In long double from the naive kernel: the same to float rounding; in double, to the gap. */
static void small_gaps_are_reached_in_double(void)
{
    begin(200, 4, RBF);
    fill_random(0.6);
    m.p.cost[0] = m.p.cost[1] = 10;
    m.gap = 1e-10;
    CHECK(solve() == HSP_OK);
    check_truth(1e-10);
}

/* A smooth kernel and large costs: values in float are too rough for the gap, and the sums in double
 * that the proof makes put that right, without a run in double. Rows move often: parts of the set. */
static void floats_are_put_right(void)
{
    state = 3;
    begin(1200, 5, RBF);
    fill_random(2);
    for (uint64_t i = 0; i < m.n; i++)
        for (uint64_t j = 0; j < m.d; j++)
            m.x[i][j] *= 0.2;
    m.p.cost[0] = m.p.cost[1] = 1000;
    m.gap = 1e-6;
    CHECK(solve() == HSP_OK);
    CHECK(!m.s.wants_double);
    check_truth(2e-7);
}

static void linear_kernel_is_the_linear_machine(void)
{
    begin(300, 5, LINEAR);
    fill_random(1);
    m.gap = 1e-8;
    CHECK(solve() == HSP_OK);
    const double ours = m.s.primal;
    double w[COLS] = {0}, a[MOST] = {0};
    hsp__watch watch = {.ctx = ctx};
    const hsp__goal goal = {.gap = 1e-8, .max_passes = 100000, .seed = 1, .watch = &watch};
    hsp__solution s = {.w = w, .dual = a};
    const hsp__solver *solver = hsp__solver_for(ctx, "auto", &m.p);
    CHECK(solver && solver->solve(ctx, &m.p, &goal, NULL, &s) == HSP_OK);
    CHECK(fabs(s.primal - ours) <= 1e-6 * ours);
}

/* poly(2,1) in two columns: 1, sqrt 2 x, sqrt 2 y, x^2, y^2, sqrt 2 xy. */
static void polynomial_features_are_poly(void)
{
    begin(200, 2, POLY);
    fill_random(0.4);
    m.gap = 1e-8;
    CHECK(solve() == HSP_OK);
    const double implicit = m.s.primal;
    for (uint64_t i = 0; i < m.n; i++) {
        const double x = m.x[i][0], y = m.x[i][1], r = sqrt(2);
        const double features[COLS] = {1, r * x, r * y, x * x, y * y, r * x * y};
        memcpy(m.x[i], features, sizeof features);
    }
    m.d = 6, m.kernel = LINEAR;
    memset(m.a, 0, sizeof m.a);
    CHECK(solve() == HSP_OK);
    CHECK(fabs(m.s.primal - implicit) <= 1e-7 * implicit);
}

/* No line separates xor; degree 2 does: w = xy, so ||w||^2 / 2 = 1 / 4, a = 1/8 each. */
static void xor_needs_degree_two(void)
{
    static const double corners[4][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    for (int kernel = LINEAR; kernel <= POLY; kernel++) {
        begin(4, 2, (form)kernel);
        for (int i = 0; i < 4; i++) {
            memcpy(m.x[i], corners[i], sizeof corners[i]);
            m.labels[i] = i < 2;
        }
        m.p.hard = 1;
        CHECK(solve() == HSP_OK);
        if (kernel == POLY) {
            check_truth(1e-9);
            CHECK(fabs(m.s.primal - 0.25) <= 1e-7);
            for (int i = 0; i < 4; i++)
                CHECK(fabs(m.a[i] - 0.125) <= 1e-4);
        } else {
            CHECK(m.s.stop == HSP_STOP_INSEPARABLE);
        }
    }
}

static void hard_margins(void)
{
    begin(120, 3, RBF);
    fill_random(0);
    m.p.hard = 1;
    CHECK(solve() == HSP_OK);
    check_truth(1e-6);
    /* one point of both classes: no feature space helps */
    memcpy(m.x[1], m.x[0], sizeof m.x[0]);
    m.labels[0] = 0, m.labels[1] = 1;
    memset(m.a, 0, sizeof m.a);
    CHECK(solve() == HSP_OK);
    CHECK(m.s.stop == HSP_STOP_INSEPARABLE);
}

static void degenerate_sets(void)
{
    for (int kernel = LINEAR; kernel <= CONSTANT; kernel++) {
        begin(2, 2, (form)kernel); /* a point a class */
        m.x[0][0] = 1, m.x[1][1] = 2, m.labels[1] = 1;
        CHECK(solve() == HSP_OK);
        check_truth(1e-6);
        begin(40, 2, (form)kernel); /* all the same point */
        for (uint64_t i = 0; i < m.n; i++)
            m.x[i][0] = 0.5, m.labels[i] = i % 4 == 0;
        CHECK(solve() == HSP_OK);
        check_truth(1e-6);
        CHECK(fabs(m.s.primal - 20) <= 1e-4); /* ten rows lose 2 each */
    }
    begin(60, 2, RBF); /* duplicates with opposite labels */
    fill_random(0);
    for (uint64_t i = 0; i < m.n; i += 2) {
        memcpy(m.x[i + 1], m.x[i], sizeof m.x[i]);
        m.labels[i + 1] = !m.labels[i];
    }
    m.p.cost[0] = m.p.cost[1] = 1000;
    CHECK(solve() == HSP_OK);
    check_truth(1e-5);
}

/* More rows than one set: a sample first, sets that change, caches of all sizes. */
static void caches_do_not_change_the_answer(void)
{
    static const uint64_t bytes[] = {0, 300000, 4u << 20, 512u << 20};
    double first = 0;
    for (int k = 0; k < 4; k++) {
        state = 7;
        begin(k < 2 ? 700 : 5000, 4, RBF);
        fill_random(1.5);
        m.gap = 1e-5;
        m.cache_bytes = bytes[k];
        CHECK(solve() == HSP_OK);
        CHECK(m.s.stop == HSP_STOP_CONVERGED && m.s.gap <= m.gap);
        if (bytes[k] >= 300000) CHECK(m.held <= bytes[k]);
        if (k % 2 == 0) first = m.s.dual;
        CHECK_NOTE(fabs(m.s.dual - first) <= 2e-5 * first, "%g and %g", m.s.dual, first);
    }
    check_truth(3e-6);
}

static void threads_do_not_change_the_bits(void)
{
    static double one[MOST];
    for (int threads = 1; threads <= 4; threads += 3) {
        state = 5;
        begin(5000, 4, RBF);
        fill_random(1);
        m.gap = 1e-4;
        hsp_context_set_threads(ctx, threads);
        CHECK(solve() == HSP_OK);
        if (threads == 1) memcpy(one, m.a, sizeof one);
        CHECK(memcmp(one, m.a, sizeof one) == 0);
    }
    hsp_context_set_threads(ctx, 0);
}

/* A start of its own answer is the answer; a closer one takes fewer steps from there than from
 * nothing. */
static void starts_are_used(void)
{
    begin(2000, 4, RBF);
    fill_random(1);
    m.gap = 1e-6;
    CHECK(solve() == HSP_OK);
    const uint64_t updates = m.s.updates;
    memset(m.a, 0, sizeof m.a);
    m.gap = 1e-4;
    CHECK(solve() == HSP_OK);
    CHECK(solve() == HSP_OK); /* from m.a */
    CHECK(m.s.rounds == 0 && m.s.gap <= 2e-4);
    m.gap = 1e-6;
    CHECK(solve() == HSP_OK);
    CHECK_NOTE(m.s.updates < updates, "%d, from nothing %d", (int)m.s.updates, (int)updates);
    CHECK(m.s.stop == HSP_STOP_CONVERGED);
}

static void what_is_no_kernel_claims_no_gap(void)
{
    hsp_kernel *kernel = NULL;
    hsp__kernel_rows *rows = NULL;
    hsp__smo_cache cache = {0};
    begin(200, 3, RBF);
    fill_random(1);
    m.p.cost[0] = m.p.cost[1] = 5;
    m.view = hsp_view_dense(HSP_FLOAT64, m.n, m.d, COLS, m.x);
    m.view.labels = m.labels, m.view.classes = 2;
    m.p.view = &m.view;
    m.s = (hsp__smo_solution){.a = m.a, .scores = m.scores};
    const hsp__goal goal = {.gap = 1e-3, .max_passes = 500};
    CHECK(hsp_kernel_parse(ctx, "sigmoid(1.5,-1)", 1, 1, NULL, &kernel) == HSP_OK);
    CHECK(hsp__kernel_rows_new(ctx, kernel, &m.view, NULL, NULL, &rows) == HSP_OK);
    const hsp__smo_source source = {.rows = rows, .n = m.n};
    CHECK(hsp__smo_cache_init(&cache, ctx, &source, 1 << 20, 0, NULL) == HSP_OK);
    CHECK(hsp__smo(ctx, &m.p, &cache, &goal, NULL, &m.s) == HSP_OK);
    CHECK(m.s.stop == HSP_STOP_PASSES && m.s.gap == 1);
    for (uint64_t i = 0; i < m.n; i++)
        CHECK(m.a[i] >= 0 && m.a[i] <= 5);
    hsp__smo_cache_free(&cache);
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(kernel);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(kernels_losses_and_offsets);
    RUN(weights_are_copies);
    RUN(small_gaps_are_reached_in_double);
    RUN(floats_are_put_right);
    RUN(linear_kernel_is_the_linear_machine);
    RUN(polynomial_features_are_poly);
    RUN(xor_needs_degree_two);
    RUN(hard_margins);
    RUN(degenerate_sets);
    RUN(caches_do_not_change_the_answer);
    RUN(threads_do_not_change_the_bits);
    RUN(starts_are_used);
    RUN(what_is_no_kernel_claims_no_gap);
    hsp_context_free(ctx);
    return check_done();
}
