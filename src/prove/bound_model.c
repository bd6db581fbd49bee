/* Everything that is promised of one model: the list of bounds, each with its theorem in symbols,
 * whom it is about and what it assumes. */
#include <stdio.h>

#include "base/base.h"
#include "learn/prepare.h"
#include "model/probability.h"
#include "prove/bound.h"

static const hsp_option model_options[] = {
    {"delta", HSP_OPTION_REAL, "0.05", 1e-300, 0.999999999, NULL, "D",
     "probability with which a bound may fail"},
    {"allow-overlap", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "accept test rows that are also training rows, with a warning"},
    {"retrain", HSP_OPTION_FLAG, "yes", 0, 0, NULL, NULL,
     "train again on the support rows where the compression bound needs it"},
};

const hsp_option_table *hsp_error_report_options(void)
{
    static const hsp_option_table table = {"bound", "options of bounds on new data", model_options,
                                           sizeof model_options / sizeof *model_options};
    return &table;
}

/* ---- The list ---- */

typedef struct model_bound {
    const char *name, *kind, *formula, *about, *assumes;
    hsp__bound_fn *fn;
} model_bound;

#define MODEL_THIS  "this model"
#define MODEL_DRAWN "a separator drawn from the first pass"
#define MODEL_HELD  "the test rows were not used to train or choose the model"
#define MODEL_SPACE "the columns and their encoding were fixed before the rows were drawn"
#define MODEL_RUN   "the learner's options were fixed, or are those that tuning tried"

static const model_bound model_test[] = {
    {"test-binomial", "test", "P(Bin(n, p) <= m) = delta", MODEL_THIS, MODEL_HELD, NULL},
    {"test-chernoff", "test", "kl(m/n || p) = ln(1/delta) / n", MODEL_THIS, MODEL_HELD, NULL},
    {"test-hoeffding", "test", "m/n + sqrt(ln(1/delta) / (2n))", MODEL_THIS, MODEL_HELD, NULL},
};

static const model_bound model_train[] = {
    {"vc", "training", "R^ + sqrt((8/n) ln(4 Pi(2n) / delta))", MODEL_THIS, MODEL_SPACE,
     hsp__bound_vc},
    {"vc-relative", "training", "R^ + 2t + 2 sqrt(t (t + R^)), t = ln(4 Pi(2n) / delta) / n",
     MODEL_THIS, MODEL_SPACE, hsp__bound_vc},
    {"vc-consistent", "training", "(2/n) log2(2 Pi(2n) / delta), no mistakes", MODEL_THIS,
     MODEL_SPACE, hsp__bound_vc},
    {"description", "training", "P(Bin(n, p) <= m) = delta 2^-|h|", MODEL_THIS, MODEL_SPACE,
     hsp__bound_code},
    {"rounded", "training", "P(Bin(n, p) <= m) = delta 2^-|h|", "the model with rounded weights",
     MODEL_SPACE, hsp__bound_rounded},
    {"margin", "training", "ramp + 2r / (gamma sqrt(n)) + 3 sqrt(ln(2/delta') / (2n))", MODEL_THIS,
     MODEL_SPACE, hsp__bound_margin},
    {"pac-bayes", "training", "2Q, kl(Q^ || Q) = (mu^2/2 + ln(2 sqrt(n) / delta')) / n", MODEL_THIS,
     MODEL_SPACE, hsp__bound_pac_bayes},
    {"compression", "training", "P(Bin(n - k, p) <= m) = delta / (n C(n, k))", MODEL_THIS,
     MODEL_RUN, hsp__bound_compress},
    {"online", "training", "M/n + sqrt(ln(1/delta) / (2n))", MODEL_DRAWN,
     "the rows came in random order; " MODEL_RUN, hsp__bound_online},
    {"online-relative", "training", "min over l of (l M + ln(32/delta)) / (n (1 - e^-l))",
     MODEL_DRAWN, "the rows came in random order; " MODEL_RUN, hsp__bound_online},
    {"online-vote", "training", "2 (online + 1/n)", MODEL_THIS,
     "the rows came in random order; " MODEL_RUN, hsp__bound_online},
    {"leave-one-out", "estimate", "(k + m) / n", "a model trained on n - 1 rows",
     "on average over training sets, without a confidence; for support vector machines, of the "
     "exact optimum with the same C",
     hsp__bound_compress},
};

enum {
    MODEL_TEST = sizeof model_test / sizeof *model_test,
    MODEL_TRAIN = sizeof model_train / sizeof *model_train
};

/* Is it a bound with a confidence, on the error of the model itself? */
static int model_is_own(const model_bound *bound)
{
    return strcmp(bound->about, MODEL_THIS) == 0 && strcmp(bound->kind, "estimate") != 0;
}

static void model_describe(const model_bound *bound, hsp_error_bound *to)
{
    *to = (hsp_error_bound){.name = bound->name,
                            .kind = bound->kind,
                            .formula = bound->formula,
                            .about = bound->about,
                            .assumes = bound->assumes,
                            .value = (double)NAN};
}

/* ---- Held out ---- */

static hsp_status model_hold_out(hsp__bound_case *c, hsp_data *test, hsp_error *err,
                                 hsp_error_report *out)
{
    hsp__bound_rows rows = {0};
    hsp__trained trained;
    HSP__TRY(hsp__view_seen(c->ctx, &test->view, c->model, err, &trained));
    if (trained == HSP__TRAINED_YES)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model was trained on the test data, so its error there says nothing "
                         "about new rows; give other rows");
    if (trained == HSP__TRAINED_UNKNOWN)
        return hsp__fail(
            err, HSP_USAGE,
            "the model does not say which data it was trained on (models trained without --stream "
            "do), so the test rows may not be new to it, and no bound on its true error is given");
    const hsp_status status = hsp__bound_rows_read(c->ctx, c->model, test, err, &rows);
    const uint64_t n = rows.n, m = rows.mistakes;
    hsp__bound_rows_free(c->ctx, &rows);
    if (status) return status;
    if (!n) return hsp__fail(err, HSP_BAD_DATA, "the test data has no rows of the model's classes");
    const double share = (double)m / (double)n, doubt = -c->log_delta / (double)n;
    const double values[MODEL_TEST] = {hsp__binomial_upper(n, m, c->log_delta),
                                       hsp__kl_upper(share, doubt),
                                       (share + sqrt(doubt / 2)) * (1 + 1e-14)};
    for (int i = 0; i < MODEL_TEST; i++) {
        hsp_error_bound *to = &out->bounds[out->count++];
        model_describe(&model_test[i], to);
        hsp__error_bound_set(to, values[i], "m = %llu of n = %llu rows wrong",
                             (unsigned long long)m, (unsigned long long)n);
    }
    out->test_rows = n;
    out->test_mistakes = m;
    out->test_upper = values[0];
    out->test_lower = hsp_binomial_lower(n, m, out->delta);
    return HSP_OK;
}

/* ---- Training rows ---- */

static hsp_status model_check_rows(hsp__bound_case *c, hsp_error *err)
{
    const char *recorded = hsp_model_metadata(c->model, "data_hash");
    hsp__trained seen = HSP__TRAINED_NO;
    char hash[HSP__HASH_TEXT];
    if (!c->rows.n)
        return hsp__fail(err, HSP_BAD_DATA, "the training data has no rows of the model's classes");
    if (c->run.rows && c->run.rows != c->rows.n)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model was trained on %llu rows, and this data has %llu: it is not "
                         "the training data",
                         (unsigned long long)c->run.rows, (unsigned long long)c->rows.n);
    c->other = !recorded;
    if (!recorded) return HSP_OK;
    hsp_status status = hsp__view_hash(c->ctx, c->rows.view, err, hash);
    /* what a model began at was trained on other rows; else one precision or the other will do */
    if (!status && strcmp(recorded, hash) == 0)
        seen = HSP__TRAINED_YES;
    else if (!status && !hsp_model_metadata(c->model, "earlier_data_hashes"))
        status = hsp__view_seen(c->ctx, c->rows.view, c->model, err, &seen);
    c->other = !status && seen != HSP__TRAINED_YES;
    if (c->other)
        hsp__log(
            c->ctx, HSP_LOG_WARNING,
            "the training data differs from that of the run, in a number, a label or the order of "
            "classes (its hash is %s, the model's %.40s)",
            hash, recorded);
    return status;
}

static hsp_status model_learned(hsp__bound_case *c, hsp_error *err, hsp_error_report *out)
{
    const hsp_error_bound *found = out->bounds + out->count;
    HSP__TRY(hsp__bound_rows_read(c->ctx, c->model, c->train, err, &c->rows));
    HSP__TRY(hsp__bound_run_read(c->model, err, &c->run));
    HSP__TRY(model_check_rows(c, err));
    HSP__TRY(hsp__bound_space_read(c->ctx, c->model, &c->rows, err, &c->space));
    out->train_rows = c->rows.n;
    out->train_mistakes = c->rows.mistakes;
    for (int i = 0; i < MODEL_TRAIN; i++) {
        hsp_error_bound *to = &out->bounds[out->count++];
        model_describe(&model_train[i], to);
        if (hsp__probability_decides(&c->model->probability))
            hsp__error_bound_fail(to, "the model decides by its probabilities, and the theorem is "
                                      "about the sign of the score");
        else
            HSP__TRY(model_train[i].fn(c, err, to));
    }
    /* The least of the bounds on this model's error, all at delta over their number, so that they
     * hold together with confidence 1 - delta. Which of them apply may depend on the rows, so all
     * count. */
    hsp__bound_case shared = *c;
    for (int i = 0; i < MODEL_TRAIN; i++)
        out->training_tried += model_is_own(&model_train[i]);
    shared.log_delta -= log((double)out->training_tried);
    for (int i = 0; i < MODEL_TRAIN; i++) {
        hsp_error_bound at;
        if (!model_is_own(&model_train[i]) || !found[i].applies ||
            strcmp(found[i].about, MODEL_THIS) != 0) /* it turned out to be of another model */
            continue;
        model_describe(&model_train[i], &at);
        HSP__TRY(model_train[i].fn(&shared, err, &at));
        if (!(at.value < 1) || at.value >= out->training_upper) continue;
        out->training_upper = at.value;
        out->training_bound = at.name;
    }
    return HSP_OK;
}

static hsp_status model_share(hsp__bound_case *c, hsp_data *test, int allow, hsp_error *err,
                              hsp_error_report *out)
{
    const hsp_view *rows, *held;
    uint64_t first = 0;
    HSP__TRY(hsp_data_view(c->ctx, c->train, err, &rows));
    HSP__TRY(hsp_data_view(c->ctx, test, err, &held));
    HSP__TRY(hsp__bound_shared(c->ctx, rows, held, err, &out->shared_rows, &first));
    if (!out->shared_rows) return HSP_OK;
    const unsigned long long count = out->shared_rows, total = held->rows, at = first + 1;
    const char *is = count == 1 ? "is" : "are", *note = hsp_data_stored_note(test);
    if (!*note) note = hsp_data_stored_note(c->train);
    if (!allow)
        return hsp__fail(err, HSP_BAD_DATA,
                         "%llu of %llu test rows (the first is row %llu) %s among the training "
                         "rows%s. Rows that a model was trained on are no test of it: split the "
                         "data again, or use --allow-overlap if rows repeat by their nature",
                         count, total, at, is, note);
    hsp__log(
        c->ctx, HSP_LOG_WARNING,
        "%llu of %llu test rows (the first is row %llu) %s among the training rows%s. The test "
        "bounds are void unless rows repeat by their nature",
        count, total, at, is, note);
    return HSP_OK;
}

/* ---- The whole ---- */

static hsp_status model_fill(hsp__bound_case *c, hsp_data *test, int allow, hsp_error *err,
                             hsp_error_report *out)
{
    out->test_lower = out->test_upper = (double)NAN;
    out->training_upper = 1;
    if (c->train && test) HSP__TRY(model_share(c, test, allow, err, out));
    if (test) HSP__TRY(model_hold_out(c, test, err, out));
    if (c->train) HSP__TRY(model_learned(c, err, out));
    if (c->train && test)
        out->overfits = out->test_lower > (double)out->train_mistakes / (double)out->train_rows;
    return HSP_OK;
}

hsp_status hsp__error_report_make(hsp_context *ctx, const hsp_model *model, hsp_data *train,
                                  hsp_data *test, const hsp_options *options, hsp_error *err,
                                  hsp_error_report **out, hsp_model **rounded, hsp_model **again)
{
    const double delta = options ? hsp_options_real(options, "delta") : 0.05;
    const int allow = options && hsp_options_flag(options, "allow-overlap");
    hsp__bound_case c = {.ctx = ctx, .model = model, .train = train, .log_delta = log(delta)};
    if (!train && !test)
        return hsp__fail(err, HSP_USAGE, "there are neither training nor test rows");
    c.retrain = !options || hsp_options_flag(options, "retrain");
    hsp_error_report *made = hsp__owned_new(&ctx->allocator, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->delta = delta;
    made->bounds = hsp__new(&ctx->allocator, MODEL_TEST + MODEL_TRAIN, sizeof *made->bounds);
    hsp_status status = made->bounds ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = model_fill(&c, test, allow, err, made);
    hsp__audit_close(&c.run.reader);
    hsp__bound_rows_free(ctx, &c.rows);
    hsp__bound_space_free(ctx, &c.space);
    if (status) {
        hsp_model_free(c.rounded);
        hsp_model_free(c.again);
        hsp_error_report_free(made);
        return status;
    }
    *out = made;
    *rounded = c.rounded;
    *again = c.again;
    return HSP_OK;
}

hsp_status hsp_error_report_new(hsp_context *ctx, const hsp_model *model, hsp_data *train,
                                hsp_data *test, const hsp_options *options, hsp_error *err,
                                hsp_error_report **out)
{
    HSP__NEED(err, ctx, model, out);
    hsp_model *rounded = NULL, *again = NULL;
    hsp_status status =
        hsp__error_report_make(ctx, model, train, test, options, err, out, &rounded, &again);
    hsp_model_free(rounded);
    hsp_model_free(again);
    return status;
}

void hsp_error_report_free(hsp_error_report *report)
{
    if (!report) return;
    hsp__free(hsp__owned_memory(report), report->bounds);
    hsp__owned_free(report);
}
