/* The solver l1: by hand, and by the conditions of an optimum, recomputed here in long double from
 * the numbers that went in. */
#include <math.h>

#include "base/context.h"
#include "base/random.h"
#include "check.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "learn/erm/solvers.h"

static hsp_context *ctx;

typedef struct l1_case {
    uint64_t n, d;
    hsp_storage storage;
    hsp_precision precision;
    const hsp__loss *loss;
    hsp__offset offset;
    double C[2];
} l1_case;

typedef struct l1_set {
    double *x; /* n * d: what is stored, exactly */
    uint32_t *y;
    double *weight; /* n, or NULL */
    hsp_data *data;
} l1_set;

static void set_free(l1_set *set)
{
    free(set->x);
    free(set->y);
    free(set->weight);
    hsp_data_free(set->data);
}

/* The numbers in x as a data set of the case's storage. */
static void set_store(const l1_case *c, l1_set *set)
{
    const uint64_t all = c->n * c->d;
    uint64_t *starts = calloc(c->n + 1, sizeof *starts), at = 0;
    uint32_t *indices = calloc(all + 1, sizeof *indices);
    float *floats = calloc(all + 1, sizeof *floats);
    double *doubles = calloc(all + 1, sizeof *doubles);
    for (uint64_t i = 0; i < c->n; i++) {
        for (uint64_t j = 0; j < c->d; j++) {
            const double x = set->x[i * c->d + j];
            if (c->storage != HSP_DENSE && x == 0) continue;
            indices[at] = (uint32_t)j;
            floats[at] = (float)x;
            doubles[at++] = x;
        }
        starts[i + 1] = at;
    }
    const void *values = c->precision == HSP_FLOAT32 ? (void *)floats : (void *)doubles;
    hsp_view view = c->storage == HSP_DENSE
                        ? hsp_view_dense(c->precision, c->n, c->d, c->d, values)
                        : hsp_view_sparse(c->precision, c->n, c->d, 8, starts, indices,
                                          c->storage == HSP_ONES ? NULL : values);
    view.labels = set->y;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &set->data) == HSP_OK);
    free(starts);
    free(indices);
    free(floats);
    free(doubles);
}

static void set_random(const l1_case *c, uint64_t seed, l1_set *set)
{
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    *set = (l1_set){.x = calloc(c->n * c->d, sizeof(double)), .y = calloc(c->n, sizeof(uint32_t))};
    for (uint64_t i = 0; i < c->n; i++) {
        double s = 0.3;
        for (uint64_t j = 0; j < c->d; j++) {
            double x = hsp__random_below(&random, 3) ? 0 : hsp__random_normal(&random);
            if (c->storage == HSP_DENSE) x += 0.5;
            if (c->storage == HSP_ONES) x = x != 0;
            if (c->precision == HSP_FLOAT32) x = (double)(float)x;
            set->x[i * c->d + j] = x;
            if (j < 4) s += (j % 2 ? 1 : -1) * x;
        }
        set->y[i] = s + hsp__random_normal(&random) > 0;
    }
    set->y[0] = 0;
    set->y[1] = 1;
    set_store(c, set);
}

static hsp__problem problem_of(const l1_case *c, const l1_set *set)
{
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(ctx, set->data, NULL, &view) == HSP_OK);
    return (hsp__problem){.view = view,
                          .positive = 1,
                          .cost = {c->C[0], c->C[1]},
                          .row_weight = set->weight,
                          .loss = c->loss,
                          .penalty = HSP__PENALTY_L1,
                          .offset = c->offset};
}

/* w (d) and a (n) are the caller's, and the start. */
static hsp__solution solve(const l1_case *c, const l1_set *set, double gap, double *w, double b,
                           double *a)
{
    const hsp__problem p = problem_of(c, set);
    hsp__watch watch = {.ctx = ctx};
    const hsp__goal goal = {.gap = gap, .max_passes = 100000, .seed = 1, .watch = &watch};
    hsp__solution s = {.w = w, .b = b, .dual = a};
    CHECK(hsp__solver_l1.suits(&p));
    CHECK(hsp__solver_for(ctx, "auto", &p) == &hsp__solver_l1);
    CHECK(hsp__solver_l1.solve(ctx, &p, &goal, NULL, &s) == HSP_OK);
    return s;
}

/* ---- The optimum, from the numbers alone ------------------------------------------------------
 */

static long double loss_of(const hsp__loss *loss, long double m)
{
    if (loss->form == HSP__LOGISTIC) return log1pl(expl(-fabsl(m))) + (m < 0 ? -m : 0);
    return m < 1 ? (1 - m) * (1 - m) : 0;
}

static long double pull_of(const hsp__loss *loss, long double m)
{
    if (loss->form == HSP__LOGISTIC) return 1 / (1 + expl(m));
    return m < 1 ? 2 * (1 - m) : 0;
}

/* P, and how far the gradient is from what an optimum asks for. */
static long double measure(const l1_case *c, const l1_set *set, const double *w, double b,
                           long double *off)
{
    long double *g = calloc(c->d + 1, sizeof *g);
    long double value = c->offset == HSP__OFFSET_REGULARIZED ? fabsl((long double)b) : 0;
    for (uint64_t i = 0; i < c->n; i++) {
        const long double y = set->y[i] ? 1 : -1,
                          cost = (set->weight ? set->weight[i] : 1) * c->C[set->y[i]];
        long double s = b;
        for (uint64_t j = 0; j < c->d; j++)
            s += (long double)w[j] * set->x[i * c->d + j];
        value += cost * loss_of(c->loss, y * s);
        const long double pull = cost * y * pull_of(c->loss, y * s);
        for (uint64_t j = 0; j < c->d; j++)
            g[j] -= pull * set->x[i * c->d + j];
        g[c->d] -= pull;
    }
    *off = 0;
    for (uint64_t j = 0; j <= c->d; j++) {
        const double weight = j < c->d ? w[j] : b;
        long double wrong = weight > 0   ? fabsl(g[j] + 1)
                            : weight < 0 ? fabsl(g[j] - 1)
                                         : fabsl(g[j]) - 1;
        if (j < c->d) value += fabsl((long double)weight);
        if (j == c->d && c->offset == HSP__OFFSET_FREE) wrong = fabsl(g[j]);
        if (j == c->d && c->offset == HSP__OFFSET_NONE) wrong = 0;
        *off = fmaxl(*off, wrong);
    }
    free(g);
    return value;
}

static void check_optimum(const l1_case *c, uint64_t seed)
{
    l1_set set;
    long double off;
    set_random(c, seed, &set);
    double *w = calloc(c->d, sizeof *w), *a = calloc(c->n, sizeof *a);
    const hsp__solution s = solve(c, &set, 1e-9, w, 0, a);
    const long double value = measure(c, &set, w, s.b, &off);
    CHECK_NOTE(s.stop == HSP_STOP_CONVERGED && s.gap <= 1e-9, "gap %g after %d passes", s.gap,
               (int)s.passes);
    CHECK_NOTE(fabsl(value - s.primal) <= 1e-10L * value, "%Lg and %g", value, s.primal);
    CHECK_NOTE(off <= 1e-3L, "off by %Lg", off);
    CHECK(s.dual_value <= s.primal * (1 + 1e-12));
    /* from the solution there is nothing left to do */
    const hsp__solution again = solve(c, &set, 1e-6, w, s.b, a);
    CHECK(again.stop == HSP_STOP_CONVERGED && again.updates == 0);
    free(w);
    free(a);
    set_free(&set);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Rows 1+ and -1-, no offset. Squared: |w| + 2 C (1 - w)^2 is least at w = 1 - 1 / (4 C), or 0 when
 * C <= 1/4. Logistic: |w| + 2 C log(1 + exp(-w)) at w = log(2 C - 1), or 0 when C <= 1. */
static void test_by_hand(void)
{
    static const struct {
        const hsp__loss *loss;
        double C, w;
    } cases[] = {{&hsp__squared_hinge, 1, 0.75},
                 {&hsp__squared_hinge, 0.5, 0.5},
                 {&hsp__squared_hinge, 0.25, 0},
                 {&hsp__squared_hinge, 0.01, 0},
                 {&hsp__logistic, 2, 1.0986122886681098},
                 {&hsp__logistic, 1.5, 0.6931471805599453},
                 {&hsp__logistic, 1, 0},
                 {&hsp__logistic, 0.5, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const l1_case c = {.n = 2,
                           .d = 1,
                           .precision = HSP_FLOAT64,
                           .loss = cases[k].loss,
                           .offset = HSP__OFFSET_NONE,
                           .C = {cases[k].C, cases[k].C}};
        l1_set set = {.x = calloc(2, sizeof(double)), .y = calloc(2, sizeof(uint32_t))};
        double w = 0, a[2] = {0, 0};
        set.x[0] = 1, set.x[1] = -1, set.y[0] = 1;
        set_store(&c, &set);
        const hsp__solution s = solve(&c, &set, 1e-11, &w, 0, a);
        CHECK_NOTE(s.stop == HSP_STOP_CONVERGED && fabs(w - cases[k].w) <= 1e-5,
                   "%.12g (gap %g, %d steps), want %g", w, s.gap, (int)s.updates, cases[k].w);
        CHECK((cases[k].w == 0) == (w == 0));
        CHECK(s.b == 0);
        set_free(&set);
    }
}

static void test_optimum(void)
{
    static const hsp_storage storages[] = {HSP_DENSE, HSP_SPARSE, HSP_ONES};
    static const hsp__offset offsets[] = {HSP__OFFSET_FREE, HSP__OFFSET_REGULARIZED,
                                          HSP__OFFSET_NONE};
    uint64_t seed = 1;
    for (int loss = 0; loss < 2; loss++)
        for (int o = 0; o < 3; o++)
            for (int s = 0; s < 3; s++)
                for (int k = 0; k < 3; k++) {
                    const double C = k == 0 ? 0.05 : k == 1 ? 1 : 30;
                    const l1_case c = {.n = 60,
                                       .d = 12,
                                       .storage = storages[s],
                                       .precision = k == 1 ? HSP_FLOAT32 : HSP_FLOAT64,
                                       .loss = loss ? &hsp__logistic : &hsp__squared_hinge,
                                       .offset = offsets[o],
                                       .C = {C, 2 * C}};
                    check_optimum(&c, seed++);
                }
}

/* More columns than rows, too many to write the model out: by the columns. */
static void test_wide(void)
{
    for (int loss = 0; loss < 2; loss++)
        for (int o = 0; o < 2; o++) {
            const l1_case c = {.n = 60,
                               .d = 1500,
                               .storage = o ? HSP_DENSE : HSP_SPARSE,
                               .precision = HSP_FLOAT32,
                               .loss = loss ? &hsp__logistic : &hsp__squared_hinge,
                               .offset = o ? HSP__OFFSET_FREE : HSP__OFFSET_REGULARIZED,
                               .C = {1, 1}};
            check_optimum(&c, 100 + (uint64_t)loss);
        }
}

/* As many rows of both classes, so that b = 0 is best at w = 0, where the gradient is C pull(0) sum
 * y x: below 1 everywhere the weights are 0, each and exactly; above 1 they are not. */
static void test_largest_lambda(void)
{
    for (int loss = 0; loss < 2; loss++) {
        l1_case c = {.n = 40,
                     .d = 6,
                     .storage = HSP_DENSE,
                     .precision = HSP_FLOAT64,
                     .loss = loss ? &hsp__logistic : &hsp__squared_hinge};
        l1_set set;
        double most = 0;
        set_random(&c, 5, &set);
        for (uint64_t i = 0; i < c.n; i++)
            set.y[i] = i % 2;
        hsp_data_free(set.data);
        set_store(&c, &set);
        for (uint64_t j = 0; j < c.d; j++) {
            double sum = 0;
            for (uint64_t i = 0; i < c.n; i++)
                sum += (set.y[i] ? 1 : -1) * set.x[i * c.d + j];
            most = fmax(most, fabs(sum));
        }
        const double limit = (loss ? 2 : 0.5) / most;
        for (int side = 0; side < 2; side++) {
            double w[6] = {0}, a[40] = {0};
            int zeros = 0;
            c.C[0] = c.C[1] = limit * (side ? 1.01 : 0.99);
            const hsp__solution s = solve(&c, &set, 1e-10, w, 0, a);
            CHECK(s.stop == HSP_STOP_CONVERGED && fabs(s.b) <= 1);
            for (int j = 0; j < 6; j++)
                zeros += w[j] == 0;
            CHECK(side ? zeros < 6 : zeros == 6);
        }
        set_free(&set);
    }
}

/* A row of weight 3 is three copies of it. */
static void test_weights(void)
{
    l1_case c = {.n = 30,
                 .d = 5,
                 .storage = HSP_SPARSE,
                 .precision = HSP_FLOAT64,
                 .loss = &hsp__logistic,
                 .C = {1, 1}};
    l1_set set, copies = {0};
    double w[5] = {0}, v[5] = {0}, a[32] = {0};
    set_random(&c, 9, &set);
    set.weight = calloc(30, sizeof(double));
    for (int i = 0; i < 30; i++)
        set.weight[i] = i == 4 ? 3 : 1;
    const hsp__solution one = solve(&c, &set, 1e-10, w, 0, a);
    copies.x = calloc(32 * 5, sizeof(double));
    copies.y = calloc(32, sizeof(uint32_t));
    memcpy(copies.x, set.x, 30 * 5 * sizeof(double));
    memcpy(copies.y, set.y, 30 * sizeof(uint32_t));
    for (int i = 30; i < 32; i++) {
        memcpy(copies.x + i * 5, set.x + 4 * 5, 5 * sizeof(double));
        copies.y[i] = set.y[4];
    }
    c.n = 32;
    set_store(&c, &copies);
    memset(a, 0, sizeof a);
    const hsp__solution other = solve(&c, &copies, 1e-10, v, 0, a);
    CHECK(fabs(one.primal - other.primal) <= 1e-9 * one.primal);
    for (int j = 0; j < 5; j++)
        CHECK(fabs(w[j] - v[j]) <= 1e-4);
    set_free(&set);
    set_free(&copies);
}

static void test_threads(void)
{
    for (int loss = 0; loss < 2; loss++) {
        const l1_case c = {.n = 3000,
                           .d = 40,
                           .storage = HSP_SPARSE,
                           .precision = HSP_FLOAT32,
                           .loss = loss ? &hsp__logistic : &hsp__squared_hinge,
                           .C = {1, 1}};
        l1_set set;
        double w[40] = {0}, v[40] = {0};
        double *a = calloc(c.n, sizeof *a), *b = calloc(c.n, sizeof *b);
        set_random(&c, 3, &set);
        hsp_context_set_threads(ctx, 1);
        const hsp__solution one = solve(&c, &set, 1e-6, w, 0, a);
        hsp_context_set_threads(ctx, 4);
        const hsp__solution four = solve(&c, &set, 1e-6, v, 0, b);
        hsp_context_set_threads(ctx, 2);
        CHECK(memcmp(w, v, sizeof w) == 0 && one.b == four.b && one.gap == four.gap);
        CHECK(memcmp(a, b, c.n * sizeof *a) == 0);
        free(a);
        free(b);
        set_free(&set);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(test_by_hand);
    RUN(test_optimum);
    RUN(test_wide);
    RUN(test_largest_lambda);
    RUN(test_weights);
    RUN(test_threads);
    hsp_context_free(ctx);
    return check_done();
}
