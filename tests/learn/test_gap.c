/* The gap and its parts, against formulas in long double and by hand (slow.h). */
#include "learn/erm/gap.h"

#include "learn/erm/matvec.h"
#include "learn/slow.h"

static hsp_context *make_context(int threads)
{
    hsp_context *ctx;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_context_set_threads(ctx, threads);
    return ctx;
}

static hsp__problem problem_of(const slow_set *set, uint64_t k)
{
    static const double costs[] = {0.1, 1, 30};
    const double c = costs[k / 9 % 3];
    hsp__problem p = {.view = &set->view, .positive = 1, .cost = {c, c}};
    p.loss = hsp__losses[k % 3];
    p.offset = (hsp__offset)(k / 3 % 3);
    p.penalty = k % 7 == 0 ? HSP__PENALTY_L1 : HSP__PENALTY_L2;
    if (k % 2) p.cost[1] *= 2;
    if (k % 5 == 0) p.row_weight = set->weights;
    return p;
}

/* Any w, b and a: both values are those of the formulas, a is feasible, and P >= D. */
static void values(void)
{
    hsp_context *ctx = make_context(2);
    for (uint64_t k = 0; k < 400; k++) {
        slow_set set =
            slow_clouds(k, 2 + k % 40, 1 + k % 7, 0.5, (slow_storage)(k % (uint64_t)SLOW_STORAGES));
        for (uint64_t i = 0; i < set.n; i++)
            set.weights[i] = (double)(i % 3);
        hsp__problem p = problem_of(&set, k);
        hsp__random random;
        hsp__random_seed(&random, k, 3);
        double w[7], u[7], *a = calloc(set.n, sizeof *a), *scores = calloc(set.n, sizeof *scores);
        const double b = p.offset == HSP__OFFSET_NONE ? 0 : hsp__random_normal(&random);
        for (int j = 0; j < 7; j++)
            w[j] = hsp__random_normal(&random);
        for (uint64_t i = 0; i < set.n; i++) {
            a[i] = 10 * hsp__random_normal(&random);
            if (i % 11 == 5) a[i] = i % 2 ? HUGE_VAL : NAN;
        }
        hsp__gap_values values;
        CHECK(hsp__gap(ctx, &p, w, b, a, u, scores, NULL, &values) == HSP_OK);
        const long double primal = slow_primal(&set, &p, w, b), dual = slow_dual(&set, &p, a);
        CHECK_NOTE(fabsl(primal - values.primal) <= 1e-12L * primal, "%d", (int)k);
        CHECK_NOTE(fabsl(dual - values.dual) <= 1e-11L * (1 + fabsl(dual)), "%d: %Lg %g", (int)k,
                   dual, values.dual);
        CHECK_NOTE(primal >= dual, "%d", (int)k);
        CHECK(fabs(values.gap - (values.primal - values.dual) / values.primal) <= 1e-14);
        for (uint64_t i = 0; i < set.n; i++)
            CHECK(fabsl(slow_score(&set, i, w, 0) - scores[i]) <= 1e-12L);
        free(a);
        free(scores);
        slow_free(&set);
    }
    hsp_context_free(ctx);
}

/* No number is an agreement that is none. */
static void overflow_is_no_agreement(void)
{
    hsp_context *ctx = make_context(1);
    slow_set set = slow_clouds(1, 10, 2, 1, SLOW_DENSE64);
    for (uint64_t k = 0; k < 9; k++) {
        hsp__problem p = problem_of(&set, k);
        double w[2] = {1e200, k < 3 ? (double)NAN : 1e300}, u[2], a[10] = {1, 1}, scores[10];
        double b = 0;
        hsp__gap_values values;
        CHECK(hsp__gap(ctx, &p, w, b, a, u, scores, NULL, &values) == HSP_OK);
        CHECK(values.gap >= 0.5);
        CHECK(hsp__gap_offset(ctx, &p, scores, NULL, &b) == HSP_OK);
    }
    slow_free(&set);
    hsp_context_free(ctx);
}

/* No b nearby, and for the hinge none of its corners, is better. */
static void best_offset(void)
{
    hsp_context *ctx = make_context(1);
    for (uint64_t k = 0; k < 300; k++) {
        slow_set set = slow_clouds(k, 2 + k % 50, 2, 0.5, SLOW_DENSE64);
        for (uint64_t i = 0; i < set.n; i++)
            set.weights[i] = (double)((i + k) % 4) + (i < 2);
        hsp__problem p = problem_of(&set, k);
        p.offset = HSP__OFFSET_FREE;
        const double w[2] = {k % 4 == 0 ? 0 : 1, -0.5};
        double *scores = calloc(set.n, sizeof *scores), b = 0.3;
        hsp__matvec_scores(ctx, &set.view, w, 0, scores);
        CHECK(hsp__gap_offset(ctx, &p, scores, NULL, &b) == HSP_OK);
        const long double best = slow_primal(&set, &p, w, b);
        for (int step = -2; step <= 2; step++)
            CHECK(best <= slow_primal(&set, &p, w, b + step * 1e-3) * (1 + 1e-14L));
        for (uint64_t i = 0; i < set.n; i++) {
            const double corner = (double)slow_y(&p, i) - scores[i];
            CHECK_NOTE(best <= slow_primal(&set, &p, w, corner) * (1 + 1e-13L), "%d", (int)k);
        }
        free(scores);
        slow_free(&set);
    }
    hsp_context_free(ctx);
}

/* Two rows at -2 and 2 and w = 1: every b in [-1, 1] costs nothing; 0 is the middle. Hard: the
 * middle of what is allowed. */
static void offset_in_the_middle(void)
{
    hsp_context *ctx = make_context(1);
    slow_set set = slow_new(2, 1);
    set.x[0] = -2, set.x[1] = 2, set.labels[1] = 1;
    slow_store(&set, SLOW_DENSE64);
    hsp__problem p = {.view = &set.view, .positive = 1, .loss = &hsp__hinge, .cost = {1, 1}};
    const double scores[2] = {-2, 2};
    double b = 0.7;
    CHECK(hsp__gap_offset(ctx, &p, scores, NULL, &b) == HSP_OK && b == 0);
    p.hard = 1, b = 0.7;
    CHECK(hsp__gap_offset(ctx, &p, scores, NULL, &b) == HSP_OK && b == 0);
    p.offset = HSP__OFFSET_REGULARIZED, b = 0.7;
    CHECK(hsp__gap_offset(ctx, &p, scores, NULL, &b) == HSP_OK && b == 0.7);
    slow_free(&set);
    hsp_context_free(ctx);
}

/* Four rows with hinge losses 2, 0, 1/2 and 1, and multipliers that fit: m = -1, 2, 1/2, 0. */
static void four_rows(void)
{
    hsp_context *ctx = make_context(1);
    slow_set set = slow_new(4, 1);
    const double x[] = {-1, 2, 0.5, 0};
    for (uint32_t i = 0; i < 4; i++)
        set.x[i] = x[i], set.labels[i] = 1;
    slow_store(&set, SLOW_DENSE64);
    hsp__problem p = {.view = &set.view, .positive = 1, .loss = &hsp__hinge, .cost = {1, 1}};
    p.offset = HSP__OFFSET_NONE;
    double w[1] = {1}, u[1], a[4] = {1, 0, 1, 1}, scores[4];
    hsp__gap_values values;
    hsp__kkt kkt;
    CHECK(hsp__gap(ctx, &p, w, 0, a, u, scores, NULL, &values) == HSP_OK);
    /* 2 + 0 + 1/2 + 1, rounded up; u = -1 + 1/2, rounded down */
    CHECK(values.primal >= 0.5 + 3.5 && values.primal <= (0.5 + 3.5) * (1 + 1e-13));
    CHECK(values.dual <= 3 - 0.5 * 0.5 / 2 && values.dual >= (3 - 0.5 * 0.5 / 2) * (1 - 1e-13));
    hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
    CHECK(kkt.stationarity == 1); /* |1 + 1/2| / (1 + 1/2) */
    CHECK(kkt.complementarity == 0 && kkt.dual == 0 && kkt.primal == 0);
    CHECK(kkt.inverse_norm == 1 && kkt.margin == -1 && kkt.least == -1);
    CHECK(kkt.support == 3 && kkt.on == 0 && kkt.inside == 2 && kkt.wrong == 1);
    a[1] = 0.5,
    a[3] = 0.25; /* a row beyond the margin pulls, one on the boundary pulls too little */
    hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
    CHECK(kkt.complementarity == 0.75 && kkt.support == 4);
    a[0] = 1.5;
    hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
    CHECK(kkt.dual == 0.5);
    p.offset = HSP__OFFSET_FREE; /* only positive rows: no a but 0 has sum a y = 0 */
    hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
    CHECK(kkt.dual == 1);
    hsp__gap_balance(ctx, &p, a);
    CHECK(a[0] == 0 && a[1] == 0 && a[2] == 0 && a[3] == 0);
    slow_free(&set);
    hsp_context_free(ctx);
}

/* Large multipliers that cancel but for rounding: w = 0 is as stationary as can be told. */
static void stationary_at_zero(void)
{
    hsp_context *ctx = make_context(1);
    for (int kind = 0; kind < 2; kind++) {
        slow_set set = slow_new(3, 1);
        set.x[0] = 1, set.x[1] = 1, set.x[2] = 1, set.labels[0] = 1;
        slow_store(&set, kind ? SLOW_SPARSE32 : SLOW_DENSE64);
        hsp__problem p = {.view = &set.view, .positive = 1, .loss = &hsp__hinge, .cost = {1, 1}};
        double w[1] = {0}, u[1] = {1e-17}, a[3] = {0.3, 0.1, 0.2}, scores[3] = {0};
        hsp__kkt kkt;
        hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
        CHECK(kkt.stationarity <= 1e-16);
        w[0] = 0.3; /* and this is not */
        hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
        CHECK(kkt.stationarity >= 0.4);
        slow_free(&set);
    }
    hsp_context_free(ctx);
}

/* By the gap, or where gaps tell nothing, by the two values. */
static void what_is_kept(void)
{
    const int primal = HSP__KEEP_PRIMAL, dual = HSP__KEEP_DUAL;
    hsp__solution none = {.primal = HUGE_VAL, .dual_value = -HUGE_VAL, .gap = HUGE_VAL};
    hsp__solution far = {.primal = 1, .dual_value = 1e-20, .gap = 1};
    hsp__solution near = {.primal = 10, .dual_value = 9, .gap = 0.1};
    CHECK(hsp__gap_keep(&none, 5, 1) == (primal | dual));
    CHECK(hsp__gap_keep(&none, NAN, -1) == dual && hsp__gap_keep(&none, 5, NAN) == primal);
    CHECK(hsp__gap_keep(&far, 1e15, 1e-18) == dual); /* both gaps are 1 */
    CHECK(hsp__gap_keep(&far, 0.5, 1e-21) == primal);
    CHECK(hsp__gap_keep(&far, 2, 1e-21) == 0);
    CHECK(hsp__gap_keep(&far, 10, 9) == (primal | dual));
    CHECK(hsp__gap_keep(&near, 9.5, 9) == (primal | dual));
    CHECK(hsp__gap_keep(&near, 9.5, 1) == 0 && hsp__gap_keep(&near, 10.5, 9.1) == 0);
    CHECK(hsp__gap_keep(&near, NAN, NAN) == 0);
}

/* Hard: infinite below 1, however little. */
static void hard_values(void)
{
    hsp_context *ctx = make_context(1);
    slow_set set = slow_new(2, 1);
    set.x[0] = -1, set.x[1] = 1, set.labels[1] = 1;
    slow_store(&set, SLOW_SPARSE32);
    hsp__problem p = {.view = &set.view, .positive = 1, .loss = &hsp__hinge, .hard = 1};
    double w[1] = {1}, u[1], a[2] = {0.5, 0.75}, scores[2];
    hsp__gap_values values;
    hsp__kkt kkt;
    CHECK(hsp__gap(ctx, &p, w, 0, a, u, scores, NULL, &values) == HSP_OK);
    CHECK(values.primal >= 0.5 && values.dual <= 0.5 && values.gap <= 1e-13);
    CHECK(values.rounding >= values.gap / 2 && values.rounding <= 1e-13);
    CHECK(a[0] == 0.5 && a[1] == 0.5 && u[0] == 1);
    hsp__gap_kkt(ctx, &p, w, 0, a, u, scores, &kkt);
    CHECK(kkt.stationarity == 0 && kkt.primal == 0 && kkt.complementarity == 0 && kkt.on == 2);
    w[0] = nextafter(1, 0);
    CHECK(hsp__gap(ctx, &p, w, 0, a, u, scores, NULL, &values) == HSP_OK);
    CHECK(isinf(values.primal) && values.gap == 1);
    slow_free(&set);
    hsp_context_free(ctx);
}

/* The products: naive sums, and the same bits on any number of threads. */
static void products(void)
{
    hsp_context *one = make_context(1), *four = make_context(4);
    for (uint64_t k = 0; k < (uint64_t)SLOW_STORAGES; k++) {
        slow_set set = slow_clouds(k, 20000, 17, 0.5, (slow_storage)k);
        double w[17], u[17], v[17], *x = calloc(set.n, sizeof *x), *y = calloc(set.n, sizeof *y);
        for (int j = 0; j < 17; j++)
            w[j] = j - 7.25;
        hsp__matvec_scores(one, &set.view, w, 0.5, x);
        hsp__matvec_scores(four, &set.view, w, 0.5, y);
        CHECK(memcmp(x, y, set.n * sizeof *x) == 0);
        for (uint64_t i = 0; i < set.n; i++)
            CHECK(fabsl(slow_score(&set, i, w, 0.5) - x[i]) <= 1e-11L);
        for (uint64_t i = 0; i < set.n; i++)
            x[i] = i % 3 ? (double)i / 1e4 : 0;
        CHECK(hsp__matvec_combine(one, &set.view, x, NULL, u) == HSP_OK);
        CHECK(hsp__matvec_combine(four, &set.view, x, NULL, v) == HSP_OK);
        CHECK(memcmp(u, v, sizeof u) == 0);
        for (uint64_t j = 0; j < set.d; j++) {
            long double sum = 0;
            for (uint64_t i = 0; i < set.n; i++)
                sum += (long double)x[i] * set.x[i * set.d + j];
            CHECK(fabsl(sum - u[j]) <= 1e-9L);
        }
        double *both = calloc(set.n, sizeof *both); /* the same bits in one pass */
        CHECK(hsp__matvec_both(four, &set.view, w, x, NULL, both, v) == HSP_OK);
        hsp__matvec_scores(one, &set.view, w, 0, y);
        CHECK(memcmp(u, v, sizeof u) == 0 && memcmp(both, y, set.n * sizeof *y) == 0);
        free(both);
        free(x);
        free(y);
        slow_free(&set);
    }
    slow_set none = slow_new(0, 3);
    slow_store(&none, SLOW_DENSE32);
    double u[3] = {1, 1, 1};
    hsp__matvec_scores(one, &none.view, u, 0, NULL);
    CHECK(hsp__matvec_combine(one, &none.view, NULL, NULL, u) == HSP_OK && u[1] == 0);
    slow_free(&none);
    hsp_context_free(one);
    hsp_context_free(four);
}

int main(void)
{
    RUN(values);
    RUN(overflow_is_no_agreement);
    RUN(best_offset);
    RUN(offset_in_the_middle);
    RUN(four_rows);
    RUN(stationary_at_zero);
    RUN(what_is_kept);
    RUN(hard_values);
    RUN(products);
    return check_done();
}
