/* From the mistakes of a first pass to the error of what it went through.
 *
 * A run that predicts each of n independent rows before it learns from it goes through separators
 * h_0 .. h_(n-1), each of which meets a row that it has not seen. M mistakes.
 *
 * Theorem (K. Azuma 1967, for differences in an interval of length 1; N. Cesa-Bianchi, A. Conconi,
 * C. Gentile, On the generalization ability of on-line learning algorithms, 2004). With probability
 * 1 - delta,
 *     (1/n) sum R(h_t) <= M/n + sqrt(ln(1/delta) / (2n)).
 *
 * Theorem, for few mistakes. For a fixed l > 0, exp(sum (1 - e^-l) R(h_t) - l M) is a
 * supermartingale that begins at 1, as E e^(-l X) = 1 - (1 - e^-l) R <= e^(-(1 - e^-l) R) for a
 * mistake X of probability R. By Markov's inequality, with probability 1 - delta,
 *     (1/n) sum R(h_t) <= (l M + ln(1/delta)) / (n (1 - e^-l)).
 * l is chosen from the ONLINE_RATES values 2^(k/2 - 12), each with its share of delta.
 *
 * The left side is the error of a separator drawn from the first pass. When all of them vote, with
 * h_1 .. h_n in the place of h_0 .. h_(n-1) as a voted run has it (R(h_n) - R(h_0) <= 1), the vote
 * is wrong only where half of them are: R(vote) <= 2 ((1/n) sum R(h_t) + 1/n). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "prove/bound.h"

enum { ONLINE_RATES = 32 };

/* Do the rows come by class? In a random order of these labels there are about 1 + n - sum n_c^2 /
 * n runs of one class, give or take sqrt(n) / 2; far fewer are no chance. */
static int online_sorted(const hsp__bound_case *c)
{
    const hsp__bound_rows *rows = &c->rows;
    const double n = (double)rows->n;
    double runs = rows->n > 0, pairs = 0;
    for (uint32_t class = 0; class < c->model->class_names.count; class ++) {
        double of = 0;
        for (uint64_t i = 0; i < rows->n; i++)
            of += rows->class_of[i] == class;
        pairs += of * of;
    }
    for (uint64_t i = 1; i < rows->n; i++)
        runs += rows->class_of[i] != rows->class_of[i - 1];
    return runs < 1 + n - pairs / n - 3 * sqrt(n);
}

/* Why the pass is not one through rows that each separator had not seen; NULL: it is. */
static const char *online_refused(const hsp__bound_case *c)
{
    const hsp__bound_run *run = &c->run;
    const int shuffled = hsp__bound_run_is(run, "order", "shuffle");
    if (isnan(run->online_error) || !run->rows)
        return "the model does not say how many mistakes its first pass made";
    if (*hsp__bound_run_text(run, "order") && !hsp__bound_run_is(run, "order", "cyclic") &&
        !shuffled)
        return "the rows were picked by their mistakes, not visited in order";
    if (!run->passes || (run->passes == 1 && !hsp__bound_run_is(run, "stop", "passes") &&
                         !hsp__bound_run_is(run, "stop", "converged")))
        return "the first pass was cut short";
    if (!shuffled && online_sorted(c))
        return "the rows were sorted by class, not in random order (use --order shuffle)";
    return hsp__bound_run_fitted(run);
}

hsp_status hsp__bound_online(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    const char *why = online_refused(c);
    const int vote = strcmp(to->name, "online-vote") == 0;
    const double n = (double)c->run.rows, mistakes = nearbyint(c->run.online_error * n);
    /* a vote has the better of two bounds */
    const double log_delta = c->log_delta - log((double)c->run.tried) - (vote ? log(2) : 0);
    double least = HUGE_VAL;
    (void)err;
    if (!why && vote && (c->model->hypothesis != HSP__VOTES || c->model->votes->apart))
        why = "the model is not the vote of the separators of one run";
    if (!why && vote && c->run.passes != 1) why = "separators of later passes vote as well";
    if (why) return hsp__error_bound_fail(to, "%s", why);
    assert(n > 0 && mistakes <= n && log_delta <= 0);
    for (int k = 0; k < ONLINE_RATES; k++) {
        const double l = exp2(k * 0.5 - 12);
        const double doubt = log(ONLINE_RATES) - log_delta;
        least = fmin(least, (l * mistakes + doubt) / (n * -expm1(-l)));
    }
    const double azuma = (mistakes / n + sqrt(-log_delta / (2 * n))) * (1 + 1e-14);
    const double rate = least * (1 + 1e-14);
    return hsp__error_bound_set(to,
                                vote                              ? 2 * (fmin(azuma, rate) + 1 / n)
                                : strcmp(to->name, "online") == 0 ? azuma
                                                                  : rate,
                                "M = %.0f of the %.0f rows of the %s pass wrong", mistakes, n,
                                vote ? "only" : "first");
}
