/* The Huber hinge of docs/development/adding.md, built into a copy of the library: the solvers
 * reach their gap, and the optimum is that of gradient descent in long double. */
#include <math.h>

#include "../check.h"
#include "../learn/slow.h"
#include "learn/erm/solvers.h"

static const long double width = 0.5L;

static long double huber(long double m)
{
    const long double z = 1 - m;
    return z <= 0 ? 0 : z < width ? z * z / (2 * width) : z - width / 2;
}

static long double huber_slope(long double m)
{
    return m >= 1 ? 0 : -fminl((1 - m) / width, 1);
}

/* P(w, b), from the definition. */
static long double primal(const slow_set *set, const hsp__problem *p, const double *w, double b)
{
    long double sum = p->offset == HSP__OFFSET_REGULARIZED ? (long double)b * b / 2 : 0;
    for (uint64_t j = 0; j < set->d; j++)
        sum += (long double)w[j] * w[j] / 2;
    for (uint64_t i = 0; i < set->n; i++)
        sum += slow_cost(p, i) * huber(slow_y(p, i) * slow_score(set, i, w, b));
    return sum;
}

/* D(a), from the definition; minus infinity where a is not feasible. */
static long double dual(const slow_set *set, const hsp__problem *p, const double *a)
{
    long double u[16] = {0}, sum = 0, total = 0;
    const long double t = slow_combine(set, p, a, u);
    for (uint64_t i = 0; i < set->n; i++) {
        const long double c = slow_cost(p, i), s = a[i];
        if (!(s >= 0 && s <= c)) return -INFINITY;
        sum += s - width * s * s / (2 * c);
        total += s;
    }
    if (p->offset == HSP__OFFSET_FREE && !(fabsl(t) <= 1e-12L * total)) return -INFINITY;
    for (uint64_t j = 0; j < set->d; j++)
        sum -= u[j] * u[j] / 2;
    return p->offset == HSP__OFFSET_REGULARIZED ? sum - t * t / 2 : sum;
}

/* The least P, by steps of gradient descent with momentum: slow and plain. */
static long double least(const slow_set *set, const hsp__problem *p)
{
    long double w[16] = {0}, v[16] = {0}, steepest = 1;
    double at[16];
    const uint64_t d = set->d;
    for (uint64_t i = 0; i < set->n; i++) {
        long double norm = 1;
        for (uint64_t j = 0; j < d; j++)
            norm += (long double)set->x[i * d + j] * set->x[i * d + j];
        steepest += slow_cost(p, i) * norm / width;
    }
    for (int step = 0; step < 40000; step++) {
        long double grad[16] = {0};
        for (uint64_t j = 0; j <= d; j++) {
            const int own = j < d || p->offset == HSP__OFFSET_REGULARIZED;
            at[j] = (double)(w[j] + 0.995L * v[j]);
            grad[j] = own ? (long double)at[j] : 0;
        }
        for (uint64_t i = 0; i < set->n; i++) {
            const long double y = slow_y(p, i);
            const long double slope =
                slow_cost(p, i) * y * huber_slope(y * slow_score(set, i, at, at[d]));
            for (uint64_t j = 0; j < d; j++)
                grad[j] += slope * set->x[i * d + j];
            grad[d] += slope;
        }
        if (p->offset == HSP__OFFSET_NONE) grad[d] = 0;
        for (uint64_t j = 0; j <= d; j++) {
            const long double next = (long double)at[j] - grad[j] / steepest;
            v[j] = next - w[j];
            w[j] = next;
        }
    }
    for (uint64_t j = 0; j <= d; j++)
        at[j] = (double)w[j];
    return primal(set, p, at, at[d]);
}

static void check_solver(hsp_context *ctx, const hsp__solver *solver, slow_set *set,
                         hsp__problem *p)
{
    double w[16] = {0}, a[256] = {0}, u[16], scores[256];
    hsp__watch watch = {.ctx = ctx};
    const hsp__goal goal = {.gap = 1e-8, .max_passes = 100000, .seed = 1, .watch = &watch};
    hsp__solution s = {.w = w, .dual = a, .u = u, .scores = scores};
    CHECK(solver->suits(p));
    CHECK(solver->solve(ctx, p, &goal, NULL, &s) == HSP_OK);
    CHECK_NOTE(s.stop == HSP_STOP_CONVERGED, "%s: gap %g", solver->name, s.gap);
    const long double best = least(set, p), got = primal(set, p, s.w, s.b), bound = dual(set, p, a);
    CHECK_NOTE(fabsl(got - best) <= 1e-7L * best, "%s: %Lg, not %Lg", solver->name, got, best);
    CHECK_NOTE(got - bound <= 1.1e-8L * got, "%s: gap %Lg", solver->name, (got - bound) / got);
    CHECK_NOTE(s.primal >= (double)got && s.dual_value <= (double)bound * (1 + 1e-15),
               "%s: %.17g .. %.17g are no bounds", solver->name, s.dual_value, s.primal);
}

/* Costs at which rows lie on the parabola, on the line, and beyond. */
static void test_optimum(void)
{
    const char *const names[] = {"newton", "dcd"};
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (int k = 0; k < 18; k++) {
        slow_set set = slow_clouds((uint64_t)k, 60, 3, 0.7, (slow_storage)(k % SLOW_STORAGES));
        const double c = k % 2 ? 0.05 : 1;
        hsp__problem p = {.view = &set.view,
                          .positive = 1,
                          .cost = {c, 2 * c},
                          .loss = hsp__loss_find("huber"),
                          .offset = (hsp__offset)(k / 2 % 3)};
        CHECK(p.loss != NULL);
        for (int s = 0; p.loss && s < 2; s++)
            check_solver(ctx, hsp__solver_for(ctx, names[s], &p), &set, &p);
        slow_free(&set);
    }
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_optimum);
    return check_done();
}
