/* Sample compression: a model that k of the n rows suffice to rebuild.
 *
 * Theorem (N. Littlestone, M. Warmuth, Relating data compression and learnability, 1986; S. Floyd,
 * M. Warmuth 1995; with exact tails J. Langford 2005, Theorem 6.1). Fix, before the rows are drawn,
 * what is rebuilt from the rows at each set of places. With probability 1 - delta, for all k < n
 * and all sets of k places, the model rebuilt from them that is wrong on m of the other n - k rows
 * has a true error of at most the p with
 *     P(Bin(n - k, p) <= m) = delta / (n C(n, k)).
 *
 * Proof. For one set of places the other rows are a test set; there are C(n, k) sets for each of n
 * values of k.
 *
 * A learner driven by mistakes (perceptron, winnow) is its own rebuilding: a row without an
 * update changes nothing in what happens to the others, so the same run over the rows with updates,
 * each at its place, makes the same updates. That takes a run whose order does not
 * depend on the rows (cyclic, shuffle) or only on those that it learns from (first, worst), and
 * nothing fitted to all rows at once.
 *
 * Of everything else - support vector machines, scaled columns - the model that the bound is about
 * is rebuilt in fact: the learner is run again, with the same options (and C, not lambda), on the
 * rows with a dual weight, or with y s <= 1, or with updates. Whatever it makes of them is
 * a function of these rows; the report says on how many training rows the two models disagree. An
 * exact support vector machine would come out the same: rows beyond the margin have no part in its
 * optimum.
 *
 * Leaving one out. For the same reason a row outside of the k that is right stays right when it is
 * left out of training: of n models trained on n - 1 rows each, at most k + m are wrong on the
 * row that they lack. The mean over training sets of that share is the mean true error of the model
 * of n - 1 rows (A. Luntz, V. Brailovsky 1969; Vapnik 1982 for support vectors): an estimate
 * without a confidence. */
#include <stdio.h>

#include "base/base.h"
#include "prove/bound.h"
#include "prove/prove.h"

#define COMPRESS_EDGE \
    0.02 /* above 1: a solver that stops at a gap has its support rows about there */

/* The k rows, and what of them is known. */
typedef struct compress_set {
    unsigned char *in; /* n */
    uint64_t k, outside_wrong;
    const char *word; /* what the rows are */
    int exact;        /* the model is what they rebuild */
    int orderly;      /* leaving out another row leaves the run as it is */
    const char *why;  /* there is no such set: the reason; else NULL */
} compress_set;

/* The rows that caused updates of a mistake-driven run. */
static void compress_updates(const hsp__bound_case *c, compress_set *set)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(c->model);
    const hsp__bound_run *run = &c->run;
    set->word = "rows with updates";
    for (uint64_t i = 0; i < updates.count; i++)
        if (updates.row[i] < c->rows.n) set->in[updates.row[i]] = 1;
    const int shuffled = hsp__bound_run_is(run, "order", "shuffle");
    const int ordered = shuffled || hsp__bound_run_is(run, "order", "cyclic") ||
                        hsp__bound_run_is(run, "order", "first") ||
                        hsp__bound_run_is(run, "order", "worst");
    const int timed =
        hsp__bound_run_is(run, "stop", "seconds") || hsp__bound_run_is(run, "stop", "request");
    set->exact = ordered && !timed && !run->budget && !hsp__bound_run_fitted(run);
    /* a row that is only passed by counts in an average all the same */
    set->orderly =
        set->exact && !shuffled &&
        (!*hsp__bound_run_text(run, "average") || hsp__bound_run_is(run, "average", "none"));
}

static hsp_status compress_choose(const hsp__bound_case *c, compress_set *set, hsp_error *err)
{
    const hsp__bound_run *run = &c->run;
    const hsp_row_coefficients dual = hsp_model_row_coefficients(c->model);
    const int machine = hsp__bound_run_is(run, "learner", "svm") &&
                        !hsp__bound_run_is(run, "penalty", "l1") &&
                        !hsp__bound_run_is(run, "solver", "pegasos") &&
                        !*hsp__bound_run_text(run, "approx") && c->rows.margin;
    const int mistakes = hsp__bound_run_is(run, "learner", "perceptron") ||
                         hsp__bound_run_is(run, "learner", "winnow");
    *set = (compress_set){.in = hsp__new(&c->ctx->allocator, c->rows.n, 1)};
    if (!set->in) return hsp__fail_memory(err);
    if (c->other)
        set->why = "these may not be the training rows";
    else if (run->means)
        set->why = hsp__bound_run_fitted(run);
    else if (mistakes && dual.count)
        compress_updates(c, set);
    else if (!machine)
        set->why = "the model does not say which rows it depends on";
    if (!set->why && !set->word) {
        /* those that a support vector machine's optimum depends on: with a dual weight, if the model
         * kept these, else on the margin or short of it */
        set->word = "support rows";
        for (uint64_t i = 0; i < dual.count; i++)
            if (dual.row[i] < c->rows.n && dual.amount[i] != 0) set->in[dual.row[i]] = 1;
        for (uint64_t i = 0; !dual.count && i < c->rows.n; i++)
            set->in[i] = !(c->rows.margin[i] > 1 + COMPRESS_EDGE);
        set->orderly = !hsp__bound_run_fitted(run) && !run->balanced;
    }
    for (uint64_t i = 0; i < c->rows.n; i++) {
        set->k += set->in[i];
        set->outside_wrong += !set->in[i] && c->rows.wrong[i];
    }
    assert(set->k + set->outside_wrong <= c->rows.n);
    return HSP_OK;
}

/* ---- Rebuilt ---- */

/* A model of the rows in the set. *out stays NULL when there is none: one class only, say. */
static hsp_status compress_retrain(hsp__bound_case *c, const compress_set *set, hsp_error *err,
                                   char why_not[256], hsp_model **out)
{
    const hsp_allocator *memory = &c->ctx->allocator;
    uint64_t *rows = hsp__new_raw(memory, set->k, sizeof *rows), count = 0;
    hsp_context quiet = *c->ctx; /* a log of another run would say nothing about this one */
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_error why = {0};
    quiet.log = NULL;
    for (uint64_t i = 0; rows && i < c->rows.n; i++)
        if (set->in[i]) rows[count++] = c->rows.row[i];
    hsp_status status = rows ? HSP_OK : hsp__fail_memory(&why);
    if (!status) status = hsp__retrain_options(c->ctx, c->model, &why, &options);
    /* C = 1 / (lambda n) is what both runs have in common */
    if (!status && hsp__bound_run_is(&c->run, "learner", "svm") &&
        hsp_options_is_set(options, "lambda"))
        status = hsp_options_set_real(
            options, "lambda",
            hsp_options_real(options, "lambda") * (double)c->rows.n / (double)set->k, &why);
    if (!status) status = hsp_data_select(&quiet, c->train, rows, count, &why, &data);
    if (!status) status = hsp_train(&quiet, data, options, &why, &run, out);
    hsp_evidence_free(run.evidence);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp__free(memory, rows);
    if (status == HSP_NO_MEMORY || status == HSP_CANCELLED || status == HSP_IO) {
        if (err) *err = why;
        return status;
    }
    snprintf(why_not, 256, "%.200s", status ? why.message : "there is no separator");
    return HSP_OK;
}

/* ---- The bounds ---- */

static double compress_value(const hsp__bound_case *c, uint64_t k, uint64_t wrong)
{
    const double n = (double)c->rows.n, price = log(n) + hsp__log_choose(n, (double)k);
    if (k >= c->rows.n) return 1;
    return hsp__binomial_upper(c->rows.n - k, wrong,
                               c->log_delta - log((double)c->run.tried) - price * (1 + 1e-12));
}

static hsp_status compress_again(hsp__bound_case *c, const compress_set *set, hsp_error *err,
                                 hsp_error_bound *to)
{
    uint64_t wrong = 0, differ = 0; /* outside of the set; rows that the two see differently */
    char why[256] = "";
    hsp__bound_rows rows = {0};
    hsp_context quiet = *c->ctx;
    quiet.log = NULL;
    HSP__TRY(compress_retrain(c, set, err, why, &c->again));
    if (!c->again)
        return hsp__error_bound_fail(to, "no model can be trained on the %llu %s alone: %s",
                                     (unsigned long long)set->k, set->word, why);
    const hsp_status status = hsp__bound_rows_read(&quiet, c->again, c->train, err, &rows);
    for (uint64_t i = 0; !status && i < rows.n && i < c->rows.n; i++) {
        wrong += !set->in[i] && rows.wrong[i];
        differ += rows.wrong[i] != c->rows.wrong[i];
    }
    if (!status && rows.n != c->rows.n) differ = wrong = c->rows.n;
    hsp__bound_rows_free(&quiet, &rows);
    if (status) return status;
    to->about = "the model trained on these rows alone";
    return hsp__error_bound_set(
        to, compress_value(c, set->k, wrong),
        "k = %llu %s, %llu of the other %llu wrong; right or wrong as this model but for %llu of "
        "%llu training rows",
        (unsigned long long)set->k, set->word, (unsigned long long)wrong,
        (unsigned long long)(c->rows.n - set->k), (unsigned long long)differ,
        (unsigned long long)c->rows.n);
}

/* Sample compression, and leaving one out. */
static hsp_status compress_bound(hsp__bound_case *c, const compress_set *set, hsp_error *err,
                                 hsp_error_bound *to)
{
    const unsigned long long k = set->k, wrong = set->outside_wrong, n = c->rows.n;
    const char *fitted = hsp__bound_run_fitted(&c->run);
    const int one_out = strcmp(to->name, "leave-one-out") == 0;
    if (set->why) return hsp__error_bound_fail(to, "%s", set->why);
    if (one_out && !set->orderly)
        return hsp__error_bound_fail(to, "leaving out a row changes more than that row: %s",
                                     fitted            ? fitted
                                     : c->run.balanced ? "the weights of the classes"
                                     : hsp__bound_run_is(&c->run, "order", "shuffle")
                                         ? "the order of the others"
                                         : "how long separators lasted");
    if (one_out)
        return hsp__error_bound_set(to, (double)(k + wrong) / (double)n,
                                    "%llu %s and %llu other mistakes, of %llu rows", k, set->word,
                                    wrong, n);
    if (set->exact)
        return hsp__error_bound_set(to, compress_value(c, k, wrong),
                                    "k = %llu %s, %llu of the other %llu wrong", k, set->word,
                                    wrong, n - k);
    if (k >= n) return hsp__error_bound_set(to, 1, "all %llu rows are %s", k, set->word);
    if (!c->retrain)
        return hsp__error_bound_fail(to, "needs a run on the %llu %s (--retrain)", k, set->word);
    return compress_again(c, set, err, to);
}

hsp_status hsp__bound_compress(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    compress_set set;
    HSP__TRY(compress_choose(c, &set, err));
    const hsp_status status = compress_bound(c, &set, err, to);
    hsp__free(&c->ctx->allocator, set.in);
    return status;
}
