/* The machine of all classes at once: by hand, by its definition, and against the binary one. */
#include "learn/multiclass/crammer.h"

#include "base/context.h"
#include "data/data.h"
#include "learn/machine.h"

enum { CLASSES = 5 };

static hsp_context *ctx;

/* ---- What it is ------------------------------------------------------------------------------ */

typedef struct answer {
    double w[CLASSES * MACHINE_COLS], b[CLASSES], dual[MACHINE_ROWS * CLASSES];
    hsp__crammer_solution s;
} answer;

static hsp_view view_of(const machine_set *set)
{
    hsp_view view = hsp_view_dense(HSP_FLOAT64, set->n, set->d, set->d, set->x);
    view.labels = set->label;
    view.classes = set->classes;
    return view;
}

static double cost_of(const hsp__crammer *p, uint64_t i)
{
    return p->cost[p->view->labels[i]] * (p->row_weight ? p->row_weight[i] : 1);
}

/* P(W, b) as its definition says, in long double; dense rows of doubles. */
static long double primal_of(const hsp__crammer *p, const answer *a)
{
    const uint64_t d = p->view->cols;
    const double *x = p->view->values;
    long double sum = 0;
    for (uint32_t m = 0; m < p->view->classes; m++) {
        for (uint64_t j = 0; j < d; j++)
            sum += (long double)a->w[m * d + j] * (long double)a->w[m * d + j] / 2;
        if (p->offset == HSP__OFFSET_REGULARIZED)
            sum += (long double)a->b[m] * (long double)a->b[m] / 2;
    }
    for (uint64_t i = 0; i < p->view->rows; i++) {
        long double own = 0, best = -HUGE_VALL;
        for (uint32_t m = 0; m < p->view->classes; m++) {
            long double s = (long double)a->b[m];
            for (uint64_t j = 0; j < d; j++)
                s += (long double)a->w[m * d + j] * (long double)x[i * d + j];
            if (m == p->view->labels[i])
                own = s;
            else if (s > best)
                best = s;
        }
        if (1 + best - own > 0) sum += (long double)cost_of(p, i) * (1 + best - own);
    }
    return sum;
}

/* D(A), and is A a point of the dual? */
static long double dual_of(const hsp__crammer *p, const answer *a)
{
    const uint64_t d = p->view->cols;
    const uint32_t k = p->view->classes;
    const double *x = p->view->values;
    long double u[CLASSES * MACHINE_COLS] = {0}, t[CLASSES] = {0}, gain = 0, size = 0;
    for (uint64_t i = 0; i < p->view->rows; i++) {
        const long double c = (long double)cost_of(p, i);
        long double sum = 0;
        for (uint32_t m = 0; m < k; m++) {
            const long double own = (long double)a->dual[i * k + m];
            CHECK(m == p->view->labels[i] ? own >= 0 && own <= c : own <= 0);
            if (m == p->view->labels[i]) gain += own;
            sum += own;
            t[m] += own;
            for (uint64_t j = 0; j < d; j++)
                u[m * d + j] += own * (long double)x[i * d + j];
        }
        CHECK(fabsl(sum) <= 1e-14L * c);
    }
    for (uint32_t m = 0; m < k; m++) {
        for (uint64_t j = 0; j < d; j++)
            size += u[m * d + j] * u[m * d + j];
        if (p->offset == HSP__OFFSET_REGULARIZED) size += t[m] * t[m];
        if (p->offset == HSP__OFFSET_FREE) CHECK(fabsl(t[m]) <= 1e-11L * gain);
    }
    return gain - size / 2;
}

static void solve(const hsp__crammer *p, double gap, answer *a)
{
    const hsp__goal goal = {.gap = gap, .max_passes = 200000, .seed = 1};
    hsp_error err = {0};
    a->s.w = a->w;
    a->s.b = a->b;
    a->s.dual = a->dual;
    hsp_status status = hsp__crammer_solve(ctx, p, &goal, &err, &a->s);
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
}

/* What was claimed is true. */
static void check_claims(const hsp__crammer *p, const answer *a, double gap)
{
    const long double primal = primal_of(p, a), dual = dual_of(p, a);
    CHECK_NOTE(a->s.stop == HSP_STOP_CONVERGED && a->s.gap <= gap,
               "offset %d: %s, gap %g after %d passes", (int)p->offset, hsp_stop_name(a->s.stop),
               a->s.gap, (int)a->s.passes);
    CHECK(machine_near(a->s.primal, (double)primal, 1e-12));
    CHECK(machine_near(a->s.dual_value, (double)dual, 1e-11));
    CHECK((double)((primal - dual) / primal) <= gap + 1e-11);
}

/* ---- By hand --------------------------------------------------------------------------------- */

/* The three unit vectors, a class each. All pulls are p: w_y = 2 p e_y - p (the others), D = 6 p -
 * 9 p^2 with 2 p <= C, so p = min(1/3, C / 2): C = 1 gives P = D = 1, C = 1/2 gives 0.9375. */
static void test_three_points(void)
{
    const machine_set set = {3, 3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 2}};
    const hsp_view view = view_of(&set);
    for (int i = 0; i < 2; i++) {
        const double C = i ? 0.5 : 1, pull = i ? 0.25 : 1 / 3.0, best = i ? 0.9375 : 1;
        const double cost[] = {C, C, C};
        const hsp__crammer p = {.view = &view, .cost = cost, .offset = HSP__OFFSET_NONE};
        answer a = {.b = {0}};
        solve(&p, 1e-10, &a);
        check_claims(&p, &a, 1e-10);
        CHECK(machine_near(a.s.primal, best, 1e-9) && machine_near(a.s.dual_value, best, 1e-9));
        CHECK(a.s.support == 3);
        for (int m = 0; m < 3; m++)
            for (int j = 0; j < 3; j++) {
                CHECK(machine_near(a.w[m * 3 + j], m == j ? 2 * pull : -pull, 1e-4));
                CHECK(machine_near(a.dual[j * 3 + m], m == j ? 2 * pull : -pull, 1e-4));
            }
    }
}

/* -1 and +1: with one row per class w_2 = -w_1 = 1/2, P = 1/4. A free offset moves both points by 5 for
 * nothing. */
static void test_two_points(void)
{
    for (int moved = 0; moved < 2; moved++) {
        const machine_set set = {2, 1, 2, {moved ? 4 : -1, moved ? 6 : 1}, {0, 1}};
        const hsp_view view = view_of(&set);
        const double cost[] = {10, 10};
        const hsp__crammer p = {.view = &view, .cost = cost, .offset = HSP__OFFSET_FREE};
        answer a = {.b = {0}};
        solve(&p, 1e-9, &a);
        check_claims(&p, &a, 1e-9);
        CHECK(machine_near(a.s.primal, 0.25, 1e-8));
        CHECK(machine_near(a.w[1], 0.5, 1e-4) && machine_near(a.w[0], -0.5, 1e-4));
        CHECK(machine_near(a.b[1] - a.b[0], moved ? -5 : 0, 1e-3));
    }
}

/* ---- By definition --------------------------------------------------------------------------- */

static const hsp__offset offsets[] = {HSP__OFFSET_NONE, HSP__OFFSET_REGULARIZED, HSP__OFFSET_FREE};

static void test_gap_is_honest(void)
{
    for (int trial = 0; trial < 60; trial++) {
        machine_set set;
        double cost[CLASSES], weight[MACHINE_ROWS];
        const double C = trial % 4 == 0 ? 0.001 : trial % 4 == 1 ? 1 : 0.05;
        const double gap = trial % 5 ? 1e-3 : 1e-7;
        machine_random(&set, 60 + (uint64_t)trial, 2 + (uint64_t)trial % 5,
                       2 + (uint32_t)trial / 3 % 4, 1.5, (uint64_t)trial);
        const hsp_view view = view_of(&set);
        for (uint32_t m = 0; m < CLASSES; m++)
            cost[m] = C * (1 + (trial % 2 ? m : 0));
        for (uint64_t i = 0; i < set.n; i++)
            weight[i] = (double)(i % 3) / 2;
        const hsp__crammer p = {.view = &view,
                                .cost = cost,
                                .row_weight = trial % 7 == 3 ? weight : NULL,
                                .offset = offsets[trial % 3]};
        answer a = {.b = {0}};
        solve(&p, gap, &a);
        check_claims(&p, &a, gap);
        double u[CLASSES * MACHINE_COLS];
        hsp__gap_values values;
        CHECK(hsp__crammer_gap(ctx, &p, a.w, a.b, a.dual, u, NULL, &values) == HSP_OK);
        CHECK(machine_near(values.primal, a.s.primal, 1e-12));
        CHECK(machine_near(values.dual, a.s.dual_value, 1e-9));
    }
}

/* Two classes: w_2 = w / 2 = -w_1, where w is the binary machine of cost 2 C; its values are twice
 * ours, and its own gap says so. */
static void test_two_classes_are_binary(void)
{
    for (int trial = 0; trial < 12; trial++) {
        machine_set set;
        machine_random(&set, 100, 4, 2, 1, 300 + (uint64_t)trial);
        const hsp_view view = view_of(&set);
        const double cost[] = {0.1, trial % 2 ? 0.1 : 0.3};
        const hsp__crammer p = {.view = &view, .cost = cost, .offset = offsets[trial % 3]};
        const hsp__problem binary = {.view = &view,
                                     .positive = 1,
                                     .loss = &hsp__hinge,
                                     .cost = {2 * cost[0], 2 * cost[1]},
                                     .offset = p.offset};
        answer a = {.b = {0}};
        double w[MACHINE_COLS], u[MACHINE_COLS], dual[MACHINE_ROWS], scores[MACHINE_ROWS];
        hsp__gap_values values;
        solve(&p, 1e-6, &a);
        for (uint64_t j = 0; j < set.d; j++) {
            w[j] = a.w[set.d + j] - a.w[j];
            CHECK(machine_near(a.w[set.d + j], -a.w[j], 1e-9));
        }
        for (uint64_t i = 0; i < set.n; i++)
            dual[i] = 2 * a.dual[i * 2 + set.label[i]];
        CHECK(hsp__gap(ctx, &binary, w, a.b[1] - a.b[0], dual, u, scores, NULL, &values) == HSP_OK);
        CHECK(values.gap <= 1e-6 + 1e-9);
        CHECK(machine_near(values.primal, 2 * a.s.primal, 1e-6));
        CHECK(machine_near(values.dual, 2 * a.s.dual_value, 1e-6));
    }
}

static void test_weights_are_copies(void)
{
    machine_set set, copies;
    double weight[MACHINE_ROWS];
    const double cost[] = {0.1, 0.1, 0.1};
    machine_random(&set, 50, 4, 3, 1, 9);
    copies = (machine_set){.d = 4, .classes = 3};
    for (uint64_t i = 0; i < set.n; i++) {
        weight[i] = (double)(i % 4);
        for (uint64_t k = 0; k < i % 4; k++) {
            memcpy(copies.x + copies.n * 4, set.x + i * 4, 4 * sizeof(double));
            copies.label[copies.n++] = set.label[i];
        }
    }
    const hsp_view one = view_of(&set), other = view_of(&copies);
    for (int i = 0; i < 3; i++) {
        const hsp__crammer p = {&one, cost, weight, offsets[i]},
                           q = {&other, cost, NULL, offsets[i]};
        answer a = {.b = {0}}, b = {.b = {0}};
        solve(&p, 1e-8, &a);
        solve(&q, 1e-8, &b);
        CHECK(machine_near(a.s.primal, b.s.primal, 2e-8));
        CHECK(a.s.primal > 1);
    }
}

/* ---- Threads, storage ------------------------------------------------------------------------ */

enum { MANY = 3000, WIDE = 40, FEW = 11 };

typedef struct rows {
    double x[MANY * WIDE], values[MANY * WIDE];
    float single[MANY * WIDE];
    uint64_t starts[MANY + 1];
    uint32_t indices[MANY * WIDE], labels[MANY];
    double w[FEW * WIDE], b[FEW];
} rows;

/* Small whole numbers, so that all ways of storing hold the same. */
static void rows_draw(rows *r, int ones)
{
    hsp__random random;
    uint64_t at = 0;
    hsp__random_seed(&random, 4, 4);
    for (uint64_t i = 0; i < MANY; i++) {
        r->labels[i] = (uint32_t)hsp__random_below(&random, FEW);
        r->starts[i] = at;
        for (uint64_t j = 0; j < WIDE; j++) {
            double x = hsp__random_below(&random, 4) == 0;
            if (j < FEW && j == r->labels[i] && hsp__random_below(&random, 3)) x = 1;
            if (!ones) x *= 1 + (double)hsp__random_below(&random, 3);
            r->x[i * WIDE + j] = x;
            r->single[i * WIDE + j] = (float)x;
            if (x == 0) continue;
            r->indices[at] = (uint32_t)j;
            r->values[at++] = x;
        }
    }
    r->starts[MANY] = at;
}

static double rows_solve(rows *r, hsp_view view, int threads, hsp__offset offset)
{
    double cost[FEW];
    hsp_error err = {0};
    for (int m = 0; m < FEW; m++)
        cost[m] = 0.01;
    view.labels = r->labels;
    view.classes = FEW;
    const hsp__crammer p = {.view = &view, .cost = cost, .offset = offset};
    const hsp__goal goal = {.gap = 1e-2, .max_passes = 1000, .seed = 3};
    hsp__crammer_solution s = {.w = r->w, .b = r->b};
    for (int m = 0; m < FEW; m++)
        r->b[m] = 0;
    hsp_context_set_threads(ctx, threads);
    CHECK(hsp__crammer_solve(ctx, &p, &goal, &err, &s) == HSP_OK);
    CHECK(s.stop == HSP_STOP_CONVERGED && s.passes > 2);
    hsp_context_set_threads(ctx, 0);
    return s.primal;
}

static void test_threads(void)
{
    static rows r;
    static double first[FEW * WIDE];
    rows_draw(&r, 0);
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, MANY, WIDE, WIDE, r.x);
    for (int i = 0; i < 3; i++) {
        rows_solve(&r, view, 1, offsets[i]);
        memcpy(first, r.w, sizeof first);
        rows_solve(&r, view, 4, offsets[i]);
        CHECK(!memcmp(first, r.w, sizeof first));
    }
}

static void test_storages(void)
{
    static rows r;
    for (int ones = 0; ones < 2; ones++) {
        rows_draw(&r, ones);
        const hsp_view views[] = {
            hsp_view_dense(HSP_FLOAT64, MANY, WIDE, WIDE, r.x),
            hsp_view_dense(HSP_FLOAT32, MANY, WIDE, WIDE, r.single),
            hsp_view_sparse(HSP_FLOAT64, MANY, WIDE, 8, r.starts, r.indices, r.values),
            hsp_view_sparse(HSP_FLOAT64, MANY, WIDE, 8, r.starts, r.indices, NULL),
        };
        const double best = rows_solve(&r, views[0], 2, HSP__OFFSET_NONE);
        for (int i = 1; i < 3 + ones; i++)
            CHECK(machine_near(rows_solve(&r, views[i], 2, HSP__OFFSET_NONE), best, 1e-2));
    }
}

/* ---- Starts, limits, corners ----------------------------------------------------------------- */

static void test_starts(void)
{
    machine_set set;
    machine_random(&set, 150, 6, 4, 1, 21);
    const hsp_view view = view_of(&set);
    const double cost[] = {0.2, 0.2, 0.2, 0.2};
    for (int i = 0; i < 3; i++) {
        const hsp__crammer p = {&view, cost, NULL, offsets[i]};
        answer a = {.b = {0}};
        solve(&p, 1e-5, &a);
        const uint64_t cold = a.s.updates;
        solve(&p, 1e-5, &a);
        check_claims(&p, &a, 1e-5);
        CHECK(a.s.updates * 2 < cold);
        for (uint64_t j = 0; j < set.n * 4; j++) /* nonsense */
            a.dual[j] = j % 5 == 0   ? (double)NAN
                        : j % 5 == 1 ? HUGE_VAL
                        : j % 5 == 2 ? -HUGE_VAL
                                     : sin((double)j);
        solve(&p, 1e-5, &a);
        check_claims(&p, &a, 1e-5);
    }
}

static void test_limits(void)
{
    machine_set set;
    machine_random(&set, 150, 6, 4, 1, 22);
    const hsp_view view = view_of(&set);
    const double cost[] = {10, 10, 10, 10};
    const hsp__crammer p = {&view, cost, NULL, HSP__OFFSET_NONE};
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__watch watch = {.ctx = &own};
    hsp__goal goal = {.gap = 1e-9, .max_passes = 3, .seed = 1};
    answer a = {.b = {0}};
    a.s = (hsp__crammer_solution){.w = a.w, .b = a.b, .dual = a.dual};
    CHECK(hsp__crammer_solve(ctx, &p, &goal, NULL, &a.s) == HSP_OK);
    CHECK(a.s.stop == HSP_STOP_PASSES && a.s.gap > 1e-9 && a.s.passes <= 6);
    CHECK(machine_near(a.s.primal, (double)primal_of(&p, &a), 1e-12));
    CHECK(machine_near(a.s.dual_value, (double)dual_of(&p, &a), 1e-12));
    goal.watch = &watch;
    hsp__stop_limit(&own, 1e-9);
    CHECK(hsp__crammer_solve(&own, &p, &goal, NULL, &a.s) == HSP_OK);
    CHECK(a.s.stop == HSP_STOP_SECONDS && a.s.gap > 1e-9);
}

/* Rows of zeros, rows that say the opposite, a class without rows, classes that cost nothing. */
static void test_corners(void)
{
    const machine_set set = {
        8, 2, 4, {0, 0, 0, 0, 1, 1, 1, 1, 2, -1, 2, -1, 3, 3, -1, 2}, {0, 1, 0, 1, 3, 3, 1, 0}};
    const hsp_view view = view_of(&set);
    for (int i = 0; i < 9; i++) {
        const double cost[] = {1, 2, 1, i % 2 ? 1 : 0};
        const hsp__crammer p = {&view, cost, NULL, offsets[i % 3]};
        answer a = {.b = {0}};
        solve(&p, 1e-6, &a);
        check_claims(&p, &a, 1e-6);
    }
    const double huge[] = {1e200, 1e200};
    const uint32_t labels[] = {0, 1};
    hsp_view wide = hsp_view_dense(HSP_FLOAT64, 2, 1, 1, huge);
    wide.labels = labels;
    wide.classes = 2;
    const double cost[] = {1, 1};
    const hsp__crammer p = {&wide, cost, NULL, HSP__OFFSET_NONE};
    const hsp__goal goal = {.gap = 1e-3, .max_passes = 10};
    hsp_error err = {0};
    answer a = {.b = {0}};
    a.s = (hsp__crammer_solution){.w = a.w, .b = a.b};
    CHECK(hsp__crammer_solve(ctx, &p, &goal, &err, &a.s) == HSP_BAD_DATA);
}

/* Eight rows that no W tells apart well, at costs far beyond them: whatever the steps did, what is
 * handed back is no worse than W = 0 (with a free offset: all rows in one class), and no start can
 * make it worse. */
static void test_no_worse_than_nothing(void)
{
    const machine_set set = {8,
                             2,
                             3,
                             {1, 2, 2, 1, 0, 3, 3, 0.5, 1, 1, 2, 2, 1.5, 1, 0.5, 0.5},
                             {0, 1, 0, 2, 1, 0, 2, 0}};
    const hsp_view view = view_of(&set);
    for (int i = 0; i < 18; i++) {
        const double C = i / 3 % 3 == 0 ? 1e4 : i / 3 % 3 == 1 ? 1e8 : 1e14;
        const double cost[] = {3 * C, C, C}; /* 12 C of 16 C in class 0 */
        const hsp__crammer p = {&view, cost, NULL, offsets[i % 3]};
        const hsp__goal goal = {.gap = 1e-3, .max_passes = 40, .seed = 1};
        hsp_error err = {0};
        answer a = {.b = {0}};
        a.s = (hsp__crammer_solution){.w = a.w, .b = a.b, .dual = a.dual};
        for (int e = 0; i >= 9 && e < 24; e++) /* a start as bad as can be */
            a.dual[e] = -1e30;
        CHECK(hsp__crammer_solve(ctx, &p, &goal, &err, &a.s) == HSP_OK);
        const double nothing = p.offset == HSP__OFFSET_FREE ? 8 * C : 16 * C;
        CHECK_NOTE(a.s.primal <= nothing, "offset %d, C %g: %g, and %g is no effort", (int)p.offset,
                   C, a.s.primal, nothing);
        CHECK(a.s.dual_value >= 0 && a.s.gap <= 1);
        CHECK(machine_near(a.s.primal, (double)primal_of(&p, &a), 1e-9));
        CHECK((double)dual_of(&p, &a) <= a.s.primal);
    }
}

/* Any number of passes: n times it may be more than 64 bits hold. */
static void test_passes_without_end(void)
{
    const machine_set set = {4, 1, 2, {-2, -1, 1, 2}, {0, 0, 1, 1}};
    const hsp_view view = view_of(&set);
    const double cost[] = {1, 1};
    const hsp__crammer p = {&view, cost, NULL, HSP__OFFSET_NONE};
    const hsp__goal goal = {.gap = 1e-9, .max_passes = (uint64_t)1 << 62, .seed = 1};
    hsp_error err = {0};
    answer a = {.b = {0}};
    a.s = (hsp__crammer_solution){.w = a.w, .b = a.b, .dual = a.dual};
    CHECK(hsp__crammer_solve(ctx, &p, &goal, &err, &a.s) == HSP_OK);
    CHECK(a.s.stop == HSP_STOP_CONVERGED && a.s.gap <= 1e-9);
}

/* With a free offset only pulls in a circle stay: 0 -> 1 -> 2 -> 0 and 3 <-> 4 do, 2 -> 3 between
 * the circles does not. */
static void test_circles(void)
{
    const machine_set set = {6, 1, 5, {1, 1, 1, 1, 1, 1}, {0, 1, 2, 2, 3, 4}};
    static const uint32_t against[] = {1, 2, 0, 3, 4, 3};
    const hsp_view view = view_of(&set);
    const double cost[] = {1, 1, 1, 1, 1}, w[5] = {0}, b[5] = {0};
    const hsp__crammer p = {&view, cost, NULL, HSP__OFFSET_FREE};
    double u[5];
    hsp__gap_values values;
    hsp_error err = {0};
    answer a = {.b = {0}};
    for (int i = 0; i < 6; i++) {
        a.dual[i * 5 + (int)set.label[i]] = 0.5;
        a.dual[i * 5 + (int)against[i]] = -0.5;
    }
    CHECK(hsp__crammer_gap(ctx, &p, w, b, a.dual, u, &err, &values) == HSP_OK);
    for (int i = 0; i < 6; i++)
        CHECK(machine_near(a.dual[i * 5 + (int)against[i]], i == 3 ? 0 : -0.5, 1e-14));
    CHECK(machine_near(values.dual, 2.5, 1e-12) && machine_near(values.primal, 6, 1e-12));
    CHECK(machine_near((double)dual_of(&p, &a), 2.5, 1e-14));
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_three_points);
    RUN(test_two_points);
    RUN(test_gap_is_honest);
    RUN(test_two_classes_are_binary);
    RUN(test_weights_are_copies);
    RUN(test_threads);
    RUN(test_storages);
    RUN(test_starts);
    RUN(test_limits);
    RUN(test_corners);
    RUN(test_no_worse_than_nothing);
    RUN(test_passes_without_end);
    RUN(test_circles);
    hsp_context_free(ctx);
    return check_done();
}
