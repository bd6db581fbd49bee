/* Dual coordinate descent. What it claims is recomputed here in long double from the points
 * themselves, by code that shares nothing with the library. */
#include <math.h>

#include "check.h"
#include "learn/erm/erm.h"
#include "learn/erm/problem.h"
#include "learn/erm/solvers.h"

enum { ROWS = 64, COLS = 24 };

static hsp_context *ctx;
static hsp__watch watch;

/* The points as the test knows them. */
typedef struct points {
    uint64_t n, d;
    double x[ROWS][COLS];
    int y[ROWS]; /* -1 or 1 */
    int weighted;
    double weight[ROWS];
    double cost[2];
    const hsp__loss *loss;
    hsp__offset offset;
} points;

typedef enum kind { DENSE32, DENSE64, SPARSE32, SPARSE64, ONES, KINDS } kind;

/* The same points as the library sees them. */
typedef struct set {
    float x32[ROWS * COLS];
    double x64[ROWS * COLS];
    uint32_t indices[ROWS * COLS], labels[ROWS];
    uint64_t starts[ROWS + 1];
    hsp_view view;
    hsp__problem problem;
} set;

static void set_fill(set *s, const points *p, kind k)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < p->n; i++) {
        s->starts[i] = at;
        s->labels[i] = p->y[i] > 0;
        for (uint64_t j = 0; j < p->d; j++) {
            if (k != DENSE32 && k != DENSE64 && p->x[i][j] == 0) continue;
            s->indices[at] = (uint32_t)j;
            s->x32[at] = (float)p->x[i][j];
            s->x64[at++] = p->x[i][j];
        }
    }
    s->starts[p->n] = at;
    const int single = k == DENSE32 || k == SPARSE32;
    const hsp_precision precision = single ? HSP_FLOAT32 : HSP_FLOAT64;
    const void *values = single ? (const void *)s->x32 : s->x64;
    s->view = k == DENSE32 || k == DENSE64 ? hsp_view_dense(precision, p->n, p->d, p->d, values)
                                           : hsp_view_sparse(precision, p->n, p->d, 8, s->starts,
                                                             s->indices, k == ONES ? NULL : values);
    s->view.labels = s->labels;
    s->view.classes = 2;
    s->problem = (hsp__problem){.view = &s->view,
                                .positive = 1,
                                .cost = {p->cost[0], p->cost[1]},
                                .row_weight = p->weighted ? p->weight : NULL,
                                .loss = p->loss,
                                .offset = p->offset};
}

/* ---- What the solver must have found --------------------------------------------------------- */

typedef struct truth {
    long double primal, dual, gap;
    long double box;     /* how far a is outside its box, relative to the cost */
    long double balance; /* |sum a y| / sum a */
    long double apart;   /* the largest |w_j - sum a y x_j|, relative to the largest |w_j| */
} truth;

static long double points_cost(const points *p, uint64_t i)
{
    return (long double)p->cost[p->y[i] > 0] * (p->weighted ? p->weight[i] : 1);
}

static const hsp__loss *const losses[] = {&hsp__hinge, &hsp__squared_hinge, &hsp__logistic};

static long double loss_at(const hsp__loss *loss, long double m)
{
    if (loss->form == HSP__LOGISTIC) return m > 0 ? log1pl(expl(-m)) : log1pl(expl(m)) - m;
    if (!(m < 1)) return 0;
    return loss->form == HSP__HINGE ? 1 - m : (1 - m) * (1 - m);
}

/* e(a) of problem.h. */
static long double gain_of(const hsp__loss *loss, long double a, long double c)
{
    if (loss->form == HSP__HINGE || !(a > 0)) return a;
    if (loss->form == HSP__SQUARED_HINGE) return a - a * a / (4 * c);
    return -a * logl(a / c) - (a < c ? (c - a) * logl((c - a) / c) : 0);
}

static truth points_truth(const points *p, const double *w, double b, const double *a)
{
    truth t = {0};
    long double gain = 0, ww = 0, uu = 0, ay = 0, sum = 0, largest = 0;
    for (uint64_t i = 0; i < p->n; i++) {
        const long double c = points_cost(p, i);
        long double s = b;
        for (uint64_t j = 0; j < p->d; j++)
            s += (long double)w[j] * p->x[i][j];
        t.primal += c * loss_at(p->loss, p->y[i] * s);
        if (a[i] < 0) t.box = fmaxl(t.box, -a[i]);
        if (c == 0 || p->loss->form != HSP__SQUARED_HINGE) t.box = fmaxl(t.box, a[i] - c);
        gain += gain_of(p->loss, a[i], c);
        ay += (long double)p->y[i] * a[i], sum += a[i];
    }
    for (uint64_t j = 0; j < p->d; j++) {
        long double u = 0;
        for (uint64_t i = 0; i < p->n; i++)
            u += (long double)a[i] * p->y[i] * p->x[i][j];
        ww += (long double)w[j] * w[j], uu += u * u;
        largest = fmaxl(largest, fabsl(u));
        t.apart = fmaxl(t.apart, fabsl(u - w[j]));
    }
    if (largest > 0) t.apart /= largest;
    if (sum > 0) t.balance = fabsl(ay) / sum;
    const int own = p->offset == HSP__OFFSET_REGULARIZED;
    t.primal += (ww + (own ? (long double)b * b : 0)) / 2;
    t.dual = gain - (uu + (own ? ay * ay : 0)) / 2;
    /* One class only: the logistic loss goes on falling, to less than double can tell from 0. */
    t.gap = t.primal > 1e-300L ? (t.primal - t.dual) / t.primal : 0;
    return t;
}

/* How far w may be from sum a y x: rounding. With a free offset, where sum a y x is no better than
 * w, a is changed to be feasible, and w is not; with a regularized one and the logistic loss a is
 * changed to be better. */
static long double points_apart(const points *p)
{
    const int better = p->offset == HSP__OFFSET_REGULARIZED && p->loss->form == HSP__LOGISTIC;
    return p->offset == HSP__OFFSET_FREE || better ? 1e-3L : 1e-12L;
}

typedef struct answer {
    double w[COLS], a[ROWS];
    hsp__solution s;
} answer;

/* Solve from where `out` stands. */
static void solve(const set *s, double gap, uint64_t passes, answer *out)
{
    const hsp__goal goal = {
        .gap = gap, .max_passes = passes, .seed = 1, .watch = &watch, .report = 1};
    out->s.w = out->w, out->s.dual = out->a;
    CHECK(hsp__solver_dcd.suits(&s->problem));
    CHECK(hsp__solver_dcd.solve(ctx, &s->problem, &goal, NULL, &out->s) == HSP_OK);
}

static void check_answer(const points *p, const answer *got, double gap, const char *what)
{
    const truth t = points_truth(p, got->w, got->s.b, got->a);
    CHECK_NOTE(got->s.stop == HSP_STOP_CONVERGED, "%s: stop %d, gap %g", what, (int)got->s.stop,
               got->s.gap);
    CHECK_NOTE(t.gap <= gap + 1e-12L, "%s: gap %Lg, claimed %g", what, t.gap, got->s.gap);
    CHECK_NOTE(t.gap >= -1e-12L, "%s: gap %Lg", what, t.gap);
    CHECK_NOTE(fabsl(t.primal - got->s.primal) <= 1e-10L * t.primal + 1e-300L, "%s: P %Lg", what,
               t.primal);
    CHECK_NOTE(fabsl(t.dual - got->s.dual_value) <= 1e-10L * t.primal + 1e-300L, "%s: D %Lg", what,
               t.dual);
    CHECK_NOTE(t.box <= 0, "%s: box %Lg", what, t.box);
    CHECK_NOTE(t.apart <= points_apart(p), "%s: w is not sum a y x by %Lg", what, t.apart);
    if (p->offset == HSP__OFFSET_FREE) CHECK_NOTE(t.balance <= 1e-12L, "%s: %Lg", what, t.balance);
    if (p->offset == HSP__OFFSET_NONE) CHECK_NOTE(got->s.b == 0, "%s: b %g", what, got->s.b);
}

/* ---- Random problems of every kind ----------------------------------------------------------- */

static uint64_t state = 7;

static double unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) / 2147483648.0;
}

/* Numbers that float holds exactly, so that both precisions are the same problem. */
static points random_points(uint64_t n, uint64_t d, double density, int ones)
{
    points p = {.loss = &hsp__hinge, .n = n, .d = d, .cost = {1, 1}};
    for (uint64_t i = 0; i < n; i++) {
        double s = 0.5;
        for (uint64_t j = 0; j < d; j++) {
            if (unit() < density) p.x[i][j] = ones ? 1 : floor(unit() * 64 - 32) / 16;
            s += p.x[i][j] * (j % 3 == 0 ? 1 : -0.7);
        }
        p.y[i] = (s > 0) == (unit() < 0.9) ? 1 : -1;
        p.weight[i] = floor(unit() * 4) / 2; /* some are 0 */
    }
    p.y[0] = 1, p.y[1] = -1;
    p.weight[0] = p.weight[1] = 1;
    return p;
}

static void test_random(void)
{
    static const hsp__offset offsets[] = {HSP__OFFSET_NONE, HSP__OFFSET_REGULARIZED,
                                          HSP__OFFSET_FREE};
    static const double scales[] = {0.01, 1, 10};
    for (int round = 0; round < 5 * 3 * 3 * 2 * 3; round++) {
        const kind k = (kind)(round % 5);
        points p = random_points(40, 12, 0.4, k == ONES);
        p.loss = losses[round / 5 % 3];
        p.offset = offsets[round / 15 % 3];
        p.weighted = round / 45 % 2;
        p.cost[0] = scales[round / 90], p.cost[1] = 2 * p.cost[0];
        set s;
        set_fill(&s, &p, k);
        answer got = {.s = {0}};
        char what[80];
        solve(&s, 1e-8, 0, &got);
        snprintf(what, sizeof what, "kind %d loss %s offset %d weighted %d cost %g", (int)k,
                 p.loss->name, (int)p.offset, p.weighted, p.cost[0]);
        check_answer(&p, &got, 1e-8, what);
    }
}

/* ---- By hand --------------------------------------------------------------------------------- */

/* x = 1 and x = -1. Offset none or free: P = w^2/2 + 2 C max(0, 1 - w); for C = 1 the hinge's best
 * is w = 1, P = 1/2, a = (1/2, 1/2); for C = 1/4 it is w = 1/2, a = C. Squared, C = 1: w - 4(1 - w)
 * = 0, w = 4/5, P = 8/25 + 2/25 = 2/5, a = 2 C (1 - w) = 2/5. */
static void test_two_points(void)
{
    points p = {.loss = &hsp__hinge, .n = 2, .d = 1, .x = {{1}, {-1}}, .y = {1, -1}};
    for (int offset = 0; offset < 3; offset++)
        for (int which = 0; which < 3; which++) {
            static const double w[] = {1, 0.5, 0.8}, a[] = {0.5, 0.25, 0.4};
            static const double primal[] = {0.5, 0.375, 0.4};
            p.offset = (hsp__offset)offset;
            p.loss = which == 2 ? &hsp__squared_hinge : &hsp__hinge;
            p.cost[0] = p.cost[1] = which == 1 ? 0.25 : 1;
            set s;
            set_fill(&s, &p, DENSE64);
            answer got = {.s = {0}};
            solve(&s, 1e-12, 0, &got);
            CHECK_NOTE(fabs(got.w[0] - w[which]) <= 1e-5, "%d %d: w %g", offset, which, got.w[0]);
            /* Through the origin both rows say the same, and only their sum is determined. */
            CHECK(fabs(got.a[0] + got.a[1] - 2 * a[which]) <= 1e-5);
            CHECK(p.offset == HSP__OFFSET_NONE || fabs(got.a[0] - a[which]) <= 1e-5);
            CHECK_NOTE(fabs(got.s.b) <= 1e-5, "%d %d: b %g", offset, which, got.s.b);
            CHECK(fabs(got.s.primal - primal[which]) <= 1e-11);
            check_answer(&p, &got, 1e-12, "two points");
        }
}

/* (0,0)-, (2,0)+, (3,1)+ with C = 10, offset free: the first two decide, w = (1,0), b = -1,
 * a = (1/2, 1/2, 0), P = 1/2. */
static void test_three_points(void)
{
    points p = {
        .loss = &hsp__hinge, .n = 3, .d = 2, .x = {{0, 0}, {2, 0}, {3, 1}}, .y = {-1, 1, 1}};
    p.cost[0] = p.cost[1] = 10;
    set s;
    for (int k = 0; k < ONES; k++) {
        set_fill(&s, &p, (kind)k);
        answer got = {.s = {0}};
        solve(&s, 1e-10, 0, &got);
        CHECK(fabs(got.w[0] - 1) <= 1e-4 && fabs(got.w[1]) <= 1e-4 && fabs(got.s.b + 1) <= 1e-4);
        CHECK(fabs(got.a[0] - 0.5) <= 1e-4 && fabs(got.a[1] - 0.5) <= 1e-4 && got.a[2] <= 1e-4);
        check_answer(&p, &got, 1e-10, "three points");
    }
}

/* ---- Weights, starts, limits ----------------------------------------------------------------- */

static void test_weight_is_copies(void)
{
    for (int round = 0; round < 9; round++) {
        points p = random_points(20, 6, 0.6, 0), copies = p;
        p.loss = copies.loss = losses[round % 3];
        p.offset = copies.offset = (hsp__offset)(round / 3);
        p.weighted = 1;
        copies.n = 0;
        for (uint64_t i = 0; i < p.n; i++) {
            p.weight[i] = (double)(i % 4);
            for (uint64_t k = 0; k < i % 4; k++) {
                memcpy(copies.x[copies.n], p.x[i], sizeof p.x[i]);
                copies.y[copies.n++] = p.y[i];
            }
        }
        set s, t;
        set_fill(&s, &p, SPARSE32);
        set_fill(&t, &copies, DENSE64);
        answer one = {.s = {0}}, two = {.s = {0}};
        solve(&s, 1e-9, 0, &one);
        solve(&t, 1e-9, 0, &two);
        CHECK(copies.n == 30);
        CHECK_NOTE(fabs(one.s.primal - two.s.primal) <= 2e-9 * two.s.primal, "%d: %.12g, %.12g",
                   round, one.s.primal, two.s.primal);
        check_answer(&p, &one, 1e-9, "weights");
        check_answer(&copies, &two, 1e-9, "copies");
    }
}

static void test_warm_start(void)
{
    for (int round = 0; round < 9; round++) {
        points p = random_points(60, 20, 0.3, 0);
        p.loss = losses[round % 3];
        p.offset = (hsp__offset)(round / 3);
        set s;
        set_fill(&s, &p, SPARSE64);
        answer got = {.s = {0}};
        solve(&s, 1e-8, 0, &got);
        const uint64_t cold = got.s.passes;
        solve(&s, 1e-6, 0, &got);
        CHECK_NOTE(got.s.passes == 0 && cold > 3, "%d: %d passes after %d", round,
                   (int)got.s.passes, (int)cold);
        check_answer(&p, &got, 1e-6, "again");
        for (uint64_t i = 0; i < p.n; i++) /* nonsense: made feasible */
            got.a[i] = i % 5 == 0 ? -3 : i % 5 == 1 ? 1e6 : i % 5 == 2 ? NAN : got.a[i];
        got.s.b = 1e3;
        solve(&s, 1e-8, 0, &got);
        check_answer(&p, &got, 1e-8, "from nonsense");
    }
}

/* In a context that was stopped before the solver began. */
static void solve_stopped(set *s, hsp__stop_why why, answer *got)
{
    hsp__stop stop;
    hsp_context *before = ctx, own = hsp__stop_open(&stop, ctx);
    atomic_store(&stop.ended, hsp__clock());
    atomic_store(&stop.why, (int)why);
    ctx = watch.ctx = &own;
    solve(s, 1e-10, 0, got);
    ctx = watch.ctx = before;
}

/* Cut short: the figures are still those of what is handed back, and nothing is claimed. */
static void test_cut_short(void)
{
    for (int round = 0; round < 9; round++) {
        points p = random_points(60, 20, 0.3, 0);
        p.loss = losses[round % 3];
        p.offset = (hsp__offset)(round / 3);
        p.cost[0] = p.cost[1] = 100;
        set s;
        set_fill(&s, &p, SPARSE32);
        answer got = {.s = {0}};
        solve(&s, 1e-10, 2, &got);
        const truth t = points_truth(&p, got.w, got.s.b, got.a);
        CHECK(got.s.stop == HSP_STOP_PASSES && got.s.passes == 2);
        CHECK(got.s.gap > 1e-10 && fabsl(t.gap - got.s.gap) <= 1e-9L && t.box <= 0);
        CHECK(points_apart(&p) > 1e-12L || t.apart <= 1e-12L);
        CHECK(p.offset != HSP__OFFSET_FREE || t.balance <= 1e-12L);
        answer other = {.s = {0}}, late = {.s = {0}};
        solve_stopped(&s, HSP__STOP_REQUESTED, &other);
        CHECK(other.s.stop == HSP_STOP_REQUEST && other.s.gap > 1e-10);
        solve_stopped(&s, HSP__STOP_LATE, &late);
        CHECK(late.s.stop == HSP_STOP_SECONDS && late.s.gap == other.s.gap);
    }
}

/* A goal that rounding forbids ends all the same, and is not said to be reached if it was not. */
static void test_impossible_goal(void)
{
    points p = random_points(60, 20, 0.5, 0);
    p.offset = HSP__OFFSET_FREE;
    set s;
    set_fill(&s, &p, DENSE64);
    answer got = {.s = {0}};
    solve(&s, 1e-300, 0, &got);
    CHECK(got.s.gap <= 1e-9);
    CHECK((got.s.stop == HSP_STOP_CONVERGED) == (got.s.gap <= 1e-300));
}

/* ---- Degenerate sets ------------------------------------------------------------------------- */

static void check_degenerate(points *p, const char *what)
{
    for (int round = 0; round < 9 * 4; round++) {
        p->loss = losses[round % 3];
        p->offset = (hsp__offset)(round / 3 % 3);
        p->cost[0] = p->cost[1] = round >= 18 ? 20 : 0.5;
        set s;
        set_fill(&s, p, round / 9 % 2 ? DENSE64 : SPARSE32);
        answer got = {.s = {0}};
        solve(&s, 1e-7, 0, &got);
        check_answer(p, &got, 1e-7, what);
    }
}

static void test_degenerate(void)
{
    points twins = {.n = 4, .d = 2, .x = {{1, 2}, {1, 2}, {-1, 0.5}, {-1, 0.5}}};
    memcpy(twins.y, (int[]){1, -1, 1, -1}, 4 * sizeof(int));
    check_degenerate(&twins, "duplicates with opposite labels");
    points zeros = {.n = 5, .d = 3, .x = {{0}, {0}, {1, 0, 0}, {0}, {0, -1, 0}}};
    memcpy(zeros.y, (int[]){1, -1, 1, -1, -1}, 5 * sizeof(int));
    check_degenerate(&zeros, "rows of zeros, a column of zeros");
    points none = {.n = 3, .d = 2, .y = {1, -1, -1}};
    check_degenerate(&none, "zeros only");
    points pair = {.n = 2, .d = 2, .x = {{3, 1}, {3, 0.5}}, .y = {-1, 1}};
    check_degenerate(&pair, "one row per class");
    points constant = {.n = 6, .d = 2, .x = {{5, 1}, {5, 2}, {5, -1}, {5, 0}, {5, 3}, {5, -2}}};
    memcpy(constant.y, (int[]){1, 1, -1, 1, -1, -1}, 6 * sizeof(int));
    check_degenerate(&constant, "a constant column");
    points same = {.n = 3, .d = 1, .x = {{1}, {2}, {3}}, .y = {1, 1, 1}};
    check_degenerate(&same, "one class");
}

static void test_scales(void)
{
    static const double scales[] = {1e150, 1e-150, 1e10, 1e-10};
    for (int round = 0; round < 4 * 6; round++) {
        points p = random_points(20, 3, 0.8, 0);
        p.loss = round % 2 ? &hsp__squared_hinge : &hsp__hinge;
        p.offset = (hsp__offset)(round / 2 % 3);
        for (uint64_t i = 0; i < p.n; i++)
            for (uint64_t j = 0; j < p.d; j++)
                p.x[i][j] *= scales[round / 6];
        set s;
        set_fill(&s, &p, round % 2 ? DENSE64 : SPARSE64);
        answer got = {.s = {0}};
        char what[40];
        snprintf(what, sizeof what, "scale %g, round %d", scales[round / 6], round);
        solve(&s, 1e-3, 3000, &got);
        const truth t = points_truth(&p, got.w, got.s.b, got.a);
        CHECK_NOTE(t.box <= 0 && fabsl(t.gap - got.s.gap) <= 1e-6L, "%s: %Lg, %g", what, t.gap,
                   got.s.gap);
        CHECK_NOTE((got.s.stop == HSP_STOP_CONVERGED) == (t.gap <= 1e-3L), "%s: %Lg", what, t.gap);
        /* Rows that are all but zero, or costs that are all but nothing relative to them. */
        CHECK_NOTE(scales[round / 6] > 1 || t.gap <= 1e-3L, "%s: %Lg", what, t.gap);
    }
}

/* Logistic: rows so long or costs so large that a is all but 0 or c, and the other way round. */
static void test_logistic_extremes(void)
{
    static const double costs[] = {1e-8, 1e-4, 1e4, 1e8}, scales[] = {1e-3, 1, 30};
    for (int round = 0; round < 4 * 3 * 3; round++) {
        points p = random_points(30, 4, 0.8, 0);
        p.loss = &hsp__logistic;
        p.offset = (hsp__offset)(round % 3);
        p.cost[0] = p.cost[1] = costs[round / 9];
        for (uint64_t i = 0; i < p.n; i++)
            for (uint64_t j = 0; j < p.d; j++)
                p.x[i][j] *= scales[round / 3 % 3];
        set s;
        set_fill(&s, &p, round % 2 ? DENSE64 : SPARSE64);
        answer got = {.s = {0}};
        char what[60];
        snprintf(what, sizeof what, "extremes, cost %g scale %g offset %d", costs[round / 9],
                 scales[round / 3 % 3], (int)p.offset);
        solve(&s, 1e-4, 2000, &got);
        const truth t = points_truth(&p, got.w, got.s.b, got.a);
        /* Where C ||x||^2 is large coordinate descent is slow, and must say so. */
        const int easy = costs[round / 9] < 1 || scales[round / 3 % 3] < 1;
        CHECK_NOTE(!easy || t.gap <= 1e-4L, "%s: %Lg", what, t.gap);
        CHECK_NOTE(t.box <= 0 && t.gap >= -1e-12L, "%s: box %Lg", what, t.box);
        CHECK_NOTE(fabsl(t.gap - got.s.gap) <= 1e-8L, "%s: %Lg, %g", what, t.gap, got.s.gap);
        CHECK_NOTE((got.s.stop == HSP_STOP_CONVERGED) == (t.gap <= 1e-4L), "%s: %Lg", what, t.gap);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Large enough that sweeps go side by side. */
enum { BIG_ROWS = 60000, BIG_COLS = 400, BIG_EACH = 40 };

static void test_threads(void)
{
    static uint32_t indices[BIG_ROWS * BIG_EACH], starts[BIG_ROWS + 1], labels[BIG_ROWS];
    for (uint32_t i = 0; i < BIG_ROWS; i++) {
        int sum = 0;
        for (uint32_t k = 0; k < BIG_EACH; k++) {
            const uint32_t at = k * (BIG_COLS / BIG_EACH) + (uint32_t)(unit() * unit() * 10);
            indices[i * BIG_EACH + k] = at;
            sum += at % 2 ? 1 : -1;
        }
        starts[i + 1] = (i + 1) * BIG_EACH;
        labels[i] = (sum > 0) == (unit() < 0.9);
    }
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, BIG_ROWS, BIG_COLS, 4, starts, indices, NULL);
    view.labels = labels, view.classes = 2;
    double *w[2], *a[2], primal[2];
    for (int loss = 0; loss < 3; loss++) {
        for (int run = 0; run < 2; run++) {
            const hsp__problem p = {
                .view = &view, .positive = 1, .cost = {0.01, 0.01}, .loss = losses[loss]};
            const hsp__goal goal = {.gap = 0.05, .max_passes = 6, .seed = 3, .watch = &watch};
            w[run] = calloc(BIG_COLS, sizeof *w[run]);
            a[run] = calloc(BIG_ROWS, sizeof *a[run]);
            hsp__solution s = {.w = w[run], .dual = a[run]};
            hsp_context_set_threads(ctx, run ? 4 : 1);
            CHECK(hsp__solver_dcd.solve(ctx, &p, &goal, NULL, &s) == HSP_OK);
            CHECK(s.gap <= 0.2);
            primal[run] = s.primal;
        }
        CHECK(primal[0] == primal[1]);
        CHECK(memcmp(w[0], w[1], BIG_COLS * sizeof *w[0]) == 0);
        CHECK(memcmp(a[0], a[1], BIG_ROWS * sizeof *a[0]) == 0);
        for (int run = 0; run < 2; run++)
            free(w[run]), free(a[run]);
    }
    hsp_context_set_threads(ctx, 0);
}

/* ---- Handing on ------------------------------------------------------------------------------ */

/* Rows many, columns few enough that they couple, labels with noise, a large C: passes bring little.
 * The solver says so if another can go on, and `auto` then converges in a few passes. */
enum { SLOW_ROWS = 6000, SLOW_COLS = 1000, SLOW_EACH = 5 };

static void test_hand_on(void)
{
    static uint32_t indices[SLOW_ROWS * SLOW_EACH], starts[SLOW_ROWS + 1], labels[SLOW_ROWS];
    static double w[SLOW_COLS], a[SLOW_ROWS];
    for (uint32_t i = 0; i < SLOW_ROWS; i++) {
        int sum = 0;
        for (uint32_t k = 0; k < SLOW_EACH; k++) {
            const uint32_t each = SLOW_COLS / SLOW_EACH;
            const uint32_t at = k * each + (uint32_t)(unit() * unit() * each);
            indices[i * SLOW_EACH + k] = at;
            sum += at % 2 ? 1 : -1;
        }
        starts[i + 1] = (i + 1) * SLOW_EACH;
        labels[i] = (sum > 0) == (unit() < 0.8);
    }
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, SLOW_ROWS, SLOW_COLS, 4, starts, indices, NULL);
    view.labels = labels, view.classes = 2;
    hsp__problem p = {.view = &view,
                      .positive = 1,
                      .cost = {30, 30},
                      .loss = &hsp__squared_hinge,
                      .offset = HSP__OFFSET_NONE};
    CHECK(hsp__solver_for(ctx, "auto", &p) == &hsp__solver_dcd);
    for (int may = 0; may < 2; may++) {
        const hsp__goal goal = {
            .gap = 1e-3, .max_passes = 200, .seed = 1, .watch = &watch, .may_hand_on = may};
        memset(w, 0, sizeof w);
        memset(a, 0, sizeof a);
        hsp__solution s = {.w = w, .dual = a};
        CHECK(hsp__solver_dcd.solve(ctx, &p, &goal, NULL, &s) == HSP_OK);
        CHECK(s.stop == HSP_STOP_PASSES && s.gap > 1e-3);
        CHECK_NOTE(may ? s.passes < 20 && s.slow > 100 : s.passes == 200 && s.slow == 0,
                   "%llu passes, slow %llu", (unsigned long long)s.passes,
                   (unsigned long long)s.slow);
    }
    const hsp__fit_limits limits = {.gap = 1e-3, .max_passes = 200, .seed = 1};
    hsp__fitted fitted;
    CHECK(hsp__fit_problem(ctx, &p, &limits, NULL, &fitted) == HSP_OK);
    CHECK(fitted.stop == HSP_STOP_CONVERGED && fitted.gap <= 1e-3);
    hsp__fitted_free(&fitted);
    p.cost[0] = p.cost[1] = 0.01; /* easy: no reason to hand on */
    const hsp__goal easy = {.gap = 1e-3, .seed = 1, .watch = &watch, .may_hand_on = 1};
    memset(w, 0, sizeof w);
    memset(a, 0, sizeof a);
    hsp__solution s = {.w = w, .dual = a};
    CHECK(hsp__solver_dcd.solve(ctx, &p, &easy, NULL, &s) == HSP_OK);
    CHECK(s.stop == HSP_STOP_CONVERGED && s.slow == 0);
}

static void test_suits(void)
{
    hsp__problem p = {.loss = &hsp__hinge};
    CHECK(hsp__solver_dcd.suits(&p));
    p.hard = 1;
    CHECK(!hsp__solver_dcd.suits(&p));
    p.hard = 0, p.penalty = HSP__PENALTY_L1;
    CHECK(!hsp__solver_dcd.suits(&p));
    p.penalty = HSP__PENALTY_L2, p.loss = &hsp__logistic;
    CHECK(hsp__solver_dcd.suits(&p));
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    watch.ctx = ctx;
    RUN(test_two_points);
    RUN(test_three_points);
    RUN(test_random);
    RUN(test_weight_is_copies);
    RUN(test_warm_start);
    RUN(test_cut_short);
    RUN(test_impossible_goal);
    RUN(test_degenerate);
    RUN(test_scales);
    RUN(test_logistic_extremes);
    RUN(test_threads);
    RUN(test_hand_on);
    RUN(test_suits);
    hsp_context_free(ctx);
    return check_done();
}
