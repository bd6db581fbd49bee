/* Costs so high that no solver comes near: what is handed back is still the best of what was found,
 * and no passes are charged twice. */
#include "margins.h"

static hsp_context *ctx;

/* Rows about 1e5 long that no hyperplane separates. */
static void long_set(margin_random *r, margin_set *s)
{
    *s = (margin_set){.n = 15 + margin_below(r, 20), .d = 1 + margin_below(r, 4)};
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->d; j++)
            s->x[i][j] = 1e5 * margin_normal(r);
        s->label[i] = i < 3 ? i == 1 : margin_below(r, 2);
    }
    memcpy(s->x[2], s->x[1], sizeof s->x[1]); /* of the other class */
}

static margin_run run(const margin_set *s, const char *C, const char *solver, const char *loss)
{
    char words[4][40];
    const char *const list[] = {words[0], words[1], words[2], words[3], "keep-dual=yes", NULL};
    snprintf(words[0], sizeof words[0], "C=%s", C);
    snprintf(words[1], sizeof words[1], "solver=%s", solver);
    snprintf(words[2], sizeof words[2], "loss=%s", loss);
    snprintf(words[3], sizeof words[3], "max-passes=6000");
    margin_run r = margin_train(ctx, s, "svm", list);
    CHECK_NOTE(r.status == HSP_OK && r.model, "%s %s %s: %s", C, solver, loss, r.err.message);
    return r;
}

/* J of w = 0 with the best b: the rarer class loses 2 each by the hinge; squared: by hand 4 p q. */
static double at_zero(const margin_set *s, char loss)
{
    double share = 0;
    for (int i = 0; i < s->n; i++)
        share += (double)s->label[i] / s->n;
    return loss == 'h' ? 2 * fmin(share, 1 - share) : 4 * share * (1 - share);
}

static const char *const costs[] = {"1e4", "1e6", "1e10", "1e15"};

static void never_worse_than_nothing(void)
{
    static const char *const solvers[] = {"newton", "auto", "dcd", "pegasos"};
    margin_random r = {211};
    for (int set = 0; set < 24; set++) {
        margin_set s;
        long_set(&r, &s);
        const char *C = costs[set % 4], *loss = set % 3 == 2 ? "squared" : "hinge";
        const margin_problem p = {.loss = *loss, .offset = 'f', .C = strtod(C, NULL)};
        const double zero = at_zero(&s, *loss);
        for (int k = 0; k < (*loss == 'h' ? 4 : 3); k++) {
            margin_run one = run(&s, C, solvers[k], loss);
            const double J = one.run.convergence.objective;
            const margin_verdict v = margin_judge(&s, &p, one.model, 0);
            /* what has converged is as near to the best as was asked for, and no nearer */
            const double more = one.run.stop == HSP_STOP_CONVERGED ? 1e-3 : 1e-9;
            CHECK_NOTE(J <= zero * (1 + more), "set %d, C %s, %s, %s: %g, without weights %g", set,
                       C, loss, solvers[k], J, zero);
            CHECK_NOTE(fabsl(v.primal / (p.C * s.n) - J) <= 1e-6L * J, "set %d, %s: %g", set,
                       solvers[k], J);
            margin_free(&one);
        }
    }
}

/* Rows so long that C ||x||^2 is millions: newton gets there, and what may go on from it makes nothing worse. */
static void long_rows_converge(void)
{
    margin_random r = {223};
    int converged = 0;
    for (int set = 0; set < 24; set++) {
        margin_set s;
        long_set(&r, &s);
        margin_run newton = run(&s, costs[set % 4], "newton", "hinge");
        margin_run both = run(&s, costs[set % 4], "auto", "hinge");
        const double one = newton.run.convergence.objective, two = both.run.convergence.objective;
        CHECK_NOTE(two <= one * (1 + 1e-9), "set %d: auto %g, newton %g", set, two, one);
        CHECK_NOTE(both.run.convergence.dual_objective >= newton.run.convergence.dual_objective,
                   "set %d: auto %g, newton %g", set, both.run.convergence.dual_objective,
                   newton.run.convergence.dual_objective);
        converged += newton.run.stop == HSP_STOP_CONVERGED;
        margin_free(&newton);
        margin_free(&both);
    }
    CHECK_NOTE(converged == 24, "%d sets", converged);
}

int main(void)
{
    if (!mkdtemp(margin_folder) || hsp_context_new(NULL, &ctx)) return 1;
    hsp_context_set_threads(ctx, 1);
    RUN(never_worse_than_nothing);
    RUN(long_rows_converge);
    hsp_context_free(ctx);
    rmdir(margin_folder);
    return check_done();
}
