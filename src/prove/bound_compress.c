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
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
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
    char why[200];    /* there is no such set: the reason; else "" */
} compress_set;

static int compress_is(const char *option, const char *value)
{
    return strcmp(option, value) == 0;
}

/* The rows that caused updates of a mistake-driven run. */
static void compress_updates(const hsp__bound_case *c, compress_set *set)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(c->model);
    const hsp__bound_run *run = &c->run;
    set->word = "rows with updates";
    for (uint64_t i = 0; i < updates.count; i++)
        if (updates.row[i] < c->rows.n) set->in[updates.row[i]] = 1;
    const int fixed = compress_is(run->order, "cyclic") || compress_is(run->order, "shuffle");
    const int picked = compress_is(run->order, "first") || compress_is(run->order, "worst");
    const int timed = compress_is(run->stop, "seconds") || compress_is(run->stop, "request");
    set->exact = (fixed || picked) && !timed && !run->budget && !hsp__bound_run_fitted(run);
    /* a row that is only passed by counts in an average all the same */
    set->orderly = set->exact && !compress_is(run->order, "shuffle") &&
                   (!run->average[0] || compress_is(run->average, "none"));
}

/* The rows that a support vector machine's optimum depends on: those with a dual weight, if the
 * model kept these, else those on the margin or short of it. */
static void compress_support(const hsp__bound_case *c, compress_set *set)
{
    const hsp_row_coefficients dual = hsp_model_row_coefficients(c->model);
    set->word = "support rows";
    for (uint64_t i = 0; i < dual.count; i++)
        if (dual.row[i] < c->rows.n && dual.amount[i] != 0) set->in[dual.row[i]] = 1;
    for (uint64_t i = 0; !dual.count && i < c->rows.n; i++)
        set->in[i] = !(c->rows.margin[i] > 1 + COMPRESS_EDGE);
    set->orderly = 1;
    if (hsp__bound_run_fitted(&c->run) || c->run.balanced) set->orderly = 0;
}

static hsp_status compress_choose(const hsp__bound_case *c, compress_set *set, hsp_error *err)
{
    const hsp__bound_run *run = &c->run;
    const int machine = compress_is(run->learner, "svm") && !compress_is(run->penalty, "l1") &&
                        !compress_is(run->solver, "pegasos") && !run->approx[0] && c->rows.margin;
    const int mistakes =
        compress_is(run->learner, "perceptron") || compress_is(run->learner, "winnow");
    const int driven = mistakes && hsp_model_row_coefficients(c->model).count;
    memset(set, 0, sizeof *set);
    set->in = hsp__new(&c->ctx->allocator, c->rows.n, 1);
    if (!set->in) return hsp__fail_memory(err);
    if (c->other)
        snprintf(set->why, sizeof set->why, "these may not be the training rows");
    else if (run->means)
        snprintf(set->why, sizeof set->why, "%s", hsp__bound_run_fitted(run));
    else if (driven)
        compress_updates(c, set);
    else if (machine)
        compress_support(c, set);
    else
        memcpy(set->why, "the model does not say which rows it depends on",
               sizeof "the model does not say which rows it depends on");
    for (uint64_t i = 0; i < c->rows.n; i++) {
        set->k += set->in[i];
        set->outside_wrong += !set->in[i] && c->rows.wrong[i];
    }
    assert(set->k + set->outside_wrong <= c->rows.n);
    return HSP_OK;
}

/* ---- Rebuilt ---- */

static hsp_status compress_options(const hsp__bound_case *c, uint64_t k, hsp_error *err,
                                   hsp_options **out)
{
    char text[HSP__DECIMAL_MAX];
    hsp_status status = hsp__retrain_options(c->ctx, c->model, err, out);
    if (status || !compress_is(c->run.learner, "svm") || !hsp_options_is_set(*out, "lambda"))
        return status;
    /* C = 1 / (lambda n) is what both runs have in common */
    hsp__decimal_print_f64(hsp_options_real(*out, "lambda") * (double)c->rows.n / (double)k, text);
    return hsp_options_set(*out, "lambda", text, err);
}

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
    if (!status) status = compress_options(c, set->k, &why, &options);
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

/* Mistakes of the rebuilt model outside of the set; rows that the two see differently. */
static hsp_status compress_compare(hsp__bound_case *c, const compress_set *set,
                                   const hsp_model *again, hsp_error *err, uint64_t *wrong,
                                   uint64_t *differ)
{
    hsp__bound_rows rows = {0};
    hsp_context quiet = *c->ctx;
    quiet.log = NULL;
    hsp_status status = hsp__bound_rows_read(&quiet, again, c->train, err, &rows);
    *wrong = *differ = 0;
    for (uint64_t i = 0; !status && i < rows.n && i < c->rows.n; i++) {
        *wrong += !set->in[i] && rows.wrong[i];
        *differ += rows.wrong[i] != c->rows.wrong[i];
    }
    if (!status && rows.n != c->rows.n) *differ = *wrong = c->rows.n;
    hsp__bound_rows_free(&quiet, &rows);
    return status;
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
    uint64_t wrong = 0, differ = 0;
    hsp_model *again = NULL;
    char why[256] = "";
    hsp_status status = compress_retrain(c, set, err, why, &again);
    if (!status && !again) {
        hsp__error_bound_fail(to, "no model can be trained on the %llu %s alone: %s",
                              (unsigned long long)set->k, set->word, why);
        return HSP_OK;
    }
    if (!status) status = compress_compare(c, set, again, err, &wrong, &differ);
    if (status) {
        hsp_model_free(again);
        return status;
    }
    c->again = again;
    to->about = "the model trained on these rows alone";
    hsp__error_bound_set(to, compress_value(c, set->k, wrong),
                         "k = %llu %s, %llu of the other %llu wrong; right or wrong as this model "
                         "but for %llu of %llu training rows",
                         (unsigned long long)set->k, set->word, (unsigned long long)wrong,
                         (unsigned long long)(c->rows.n - set->k), (unsigned long long)differ,
                         (unsigned long long)c->rows.n);
    return HSP_OK;
}

hsp_status hsp__bound_compress(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    compress_set set;
    hsp_status status = compress_choose(c, &set, err);
    if (status) return status;
    if (set.why[0])
        hsp__error_bound_fail(to, "%s", set.why);
    else if (!set.exact && set.k >= c->rows.n)
        hsp__error_bound_set(to, 1, "all %llu rows are %s", (unsigned long long)set.k, set.word);
    else if (set.exact)
        hsp__error_bound_set(to, compress_value(c, set.k, set.outside_wrong),
                             "k = %llu %s, %llu of the other %llu wrong", (unsigned long long)set.k,
                             set.word, (unsigned long long)set.outside_wrong,
                             (unsigned long long)(c->rows.n - set.k));
    else if (!c->retrain)
        hsp__error_bound_fail(to, "needs a run on the %llu %s (--retrain)",
                              (unsigned long long)set.k, set.word);
    else
        status = compress_again(c, &set, err, to);
    hsp__free(&c->ctx->allocator, set.in);
    return status;
}

hsp_status hsp__bound_one_out(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to)
{
    compress_set set;
    hsp_status status = compress_choose(c, &set, err);
    if (status) return status;
    const uint64_t wrong = set.k + set.outside_wrong;
    if (set.why[0])
        hsp__error_bound_fail(to, "%s", set.why);
    else if (!set.orderly)
        hsp__error_bound_fail(to, "leaving out a row changes more than that row: %s",
                              hsp__bound_run_fitted(&c->run) ? hsp__bound_run_fitted(&c->run)
                              : c->run.balanced              ? "the weights of the classes"
                              : compress_is(c->run.order, "shuffle")
                                  ? "the order of the others"
                                  : "how long separators lasted");
    else
        hsp__error_bound_set(to, (double)wrong / (double)c->rows.n,
                             "%llu %s and %llu other mistakes, of %llu rows",
                             (unsigned long long)set.k, set.word,
                             (unsigned long long)set.outside_wrong, (unsigned long long)c->rows.n);
    hsp__free(&c->ctx->allocator, set.in);
    return HSP_OK;
}
