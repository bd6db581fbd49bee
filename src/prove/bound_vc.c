/* Bounds by the growth function Pi of halfspaces: the number of ways in which they cut m points.
 * T. Cover (1965): hyperplanes of R^d cut m points in at most 2 sum_{i <= d} C(m - 1, i) ways,
 * those through the origin in 2 sum_{i < d} C(m - 1, i), and w = 0 adds one way. Points on the
 * boundary count for one side (tie neg, pos), and a hyperplane can be moved a little so that none
 * is on it. With tie zero being on it is wrong for both classes, and what counts is the set of rows
 * with y s > 0: halfspaces through the origin of R^(d+1) cut y (x, 1) in sum_{i <= d + 1} C(m, i)
 * such ways at most (Sauer).
 *
 * With probability 1 - delta, for all halfspaces h, R^ being the share of mistakes on n rows:
 *     R <= R^ + sqrt((8/n) ln(4 Pi(2n) / delta))             V. Vapnik, A. Chervonenkis 1971
 *     (R - R^) / sqrt(R) <= 2 sqrt(tau), tau = (1/n) ln(4 Pi(2n) / delta), that is
 *     R <= R^ + 2 tau + 2 sqrt(tau (tau + R^))               V. Vapnik, A. Chervonenkis 1974; M.
 *                                                            Anthony, J. Shawe-Taylor 1993
 *     R <= (2/n) log2(2 Pi(2n) / delta), if R^ = 0           A. Blumer and others 1989
 *
 * (The first asks for n eps^2 >= 2 and the last for n eps >= 1, which hold of any eps below 1 that
 * they give.) Scaling columns turns halfspaces into halfspaces, whatever it was fitted to. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "prove/bound.h"

#define LN2 0.69314718055994530942

hsp_status hsp__bound_vc(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    const double n = (double)c->rows.n, wrong = (double)c->rows.mistakes / n, m = 2 * n;
    const unsigned long long mistakes = c->rows.mistakes, rows = c->rows.n;
    const int consistent = strcmp(to->name, "vc-consistent") == 0;
    (void)err;
    if (c->model->scorers == 1 && c->model->hypothesis == HSP__EXPANSION)
        return hsp__error_bound_fail(to,
                                     "the VC dimension of the kernel's halfspaces is not known");
    if (c->space.why[0] || !c->space.w) return hsp__error_bound_fail(to, "%s", c->space.why);
    if (*hsp__bound_run_text(&c->run, "approx"))
        return hsp__error_bound_fail(to, "%s", hsp__bound_run_fitted(&c->run));
    if (consistent && mistakes)
        return hsp__error_bound_fail(to, "the model has %llu of %llu training rows wrong", mistakes,
                                     rows);
    assert(c->rows.n > 0);
    const double dimension = (double)hsp__model_inputs(c->model) + !c->space.origin;
    double growth = hsp__log_sauer(dimension, m); /* ln Pi(2n) */
    if (c->model->tie != HSP_TIE_ZERO) {
        const double cut = LN2 + hsp__log_sauer(dimension - 1, m - 1);
        growth = cut + log1p(exp(-cut)); /* and w = 0 */
    }
    const double doubt = (consistent ? LN2 : 2 * LN2) + growth - hsp__bound_class_delta(c);
    const double tau = doubt / n;
    const double value = consistent ? 2 / n * doubt / LN2
                         : strcmp(to->name, "vc-relative") == 0
                             ? wrong + 2 * tau + 2 * sqrt(tau * (tau + wrong))
                             : wrong + sqrt(8 * doubt / n);
    return hsp__error_bound_set(to, value * (1 + 1e-12),
                                "VC dimension %.0f, %llu of %llu rows wrong", dimension, mistakes,
                                rows);
}
