/* How often bounds are wrong where the truth is known.
 *
 * Rows x ~ N(0, I) of R^d, labels sign(<u, x> + o) for a unit vector u, flipped with probability
 * noise. The true error of a halfspace (w, b) is then
 *
 *     noise + (1 - 2 noise) P(sign(<w, x> + b) != sign(<u, x> + o)),
 *
 * and with z = <u, x>, rho = cos of the angle between w and u, sigma = sqrt(1 - rho^2), the
 * probability is the integral of phi(z) Phi(-+(rho z + b / ||w||) / sigma), by Gauss's ten-point
 * rule on intervals no longer than what it varies over. Every trial draws training and test rows
 * from the stream (seed, trial), learns, and asks for all bounds; results are put together in the
 * order of the trials. */
#include <stdio.h>

#include "base/base.h"
#include "base/random.h"
#include "data/sweep.h"
#include "prove/bound.h"

#define SIMULATE_BROKEN 1e-6 /* a chance below this is no bad luck */

enum { SIMULATE_BOUNDS = 24 }; /* room for all */

static const hsp_option simulate_options[] = {
    {"learner", HSP_OPTION_TEXT, "perceptron", 0, 0, NULL, "NAME",
     "learner; it must produce one halfspace"},
    {"set", HSP_OPTION_LIST, NULL, 0, 0, NULL, "NAME=VALUE", "option of the learner"},
    {"rows", HSP_OPTION_INTEGER, "200", 2, 1e7, NULL, "N", "training rows per trial"},
    {"test-rows", HSP_OPTION_INTEGER, "100", 1, 1e7, NULL, "N", "test rows per trial"},
    {"columns", HSP_OPTION_INTEGER, "5", 1, 1e5, NULL, "D", "number of columns"},
    {"noise", HSP_OPTION_REAL, "0.05", 0, 0.5, NULL, "P", "probability that a label is flipped"},
    {"offset", HSP_OPTION_REAL, "0", -100, 100, NULL, "X", "offset of the true halfspace"},
    {"delta", HSP_OPTION_REAL, "0.05", 1e-300, 0.999999999, NULL, "D",
     "probability with which a bound may fail"},
    {"trials", HSP_OPTION_INTEGER, "1000", 1, 1e7, NULL, "N", "number of trials"},
    {"seed", HSP_OPTION_INTEGER, "1", 0, 9007199254740992.0, NULL, "N", "seed of the random rows"},
};

const hsp_option_table *hsp_simulation_options(void)
{
    static const hsp_option_table table = {
        "simulate", "draw data from a known distribution and count how often each bound fails",
        simulate_options, sizeof simulate_options / sizeof *simulate_options};
    return &table;
}

/* ---- The truth ---- */

/* What is wrong at z = <u, x>: the share of the rest of x that puts w on the other side. */
static double truth_wrong(double z, double rho, double sigma, double beta, int positive)
{
    const double t = (rho * z + beta) / sigma * 0.70710678118654752440;
    return 0.5 * erfc(positive ? t : -t) * exp(-0.5 * z * z) * 0.39894228040143267794;
}

static double truth_interval(double from, double to, double rho, double sigma, double beta,
                             int positive)
{
    static const double at[5] = {0.14887433898163122, 0.43339539412924719, 0.67940956829902441,
                                 0.86506336668898451, 0.97390652851717172};
    static const double weight[5] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                     0.14945134915058059, 0.06667134430868814};
    const double half = (to - from) / 2, middle = (from + to) / 2;
    double sum = 0;
    for (int i = 0; i < 5; i++)
        sum += weight[i] * (truth_wrong(middle - half * at[i], rho, sigma, beta, positive) +
                            truth_wrong(middle + half * at[i], rho, sigma, beta, positive));
    return sum * half;
}

/* From one end to the other, in steps that fit the place: near z0 = -beta / rho everything happens
 * within sigma / |rho|. */
static double truth_side(double from, double to, double rho, double sigma, double beta,
                         int positive)
{
    const double turn = rho != 0 ? -beta / rho : HUGE_VAL;
    const double width = rho != 0 ? sigma / fabs(rho) : HUGE_VAL;
    double sum = 0;
    for (double z = from; z < to;) {
        const double away = z < turn ? turn - z : z - turn;
        double step = 0.75;
        if (away < 8.5 * width)
            step = fmin(step, width * 0.75);
        else if (z < turn)
            step = fmin(step, fmax(turn - 8.5 * width - z, width * 0.5));
        const double next = fmin(to, z + step);
        sum += truth_interval(z, next, rho, sigma, beta, positive);
        if (!(next > z)) break;
        z = next;
    }
    return sum;
}

double hsp__gaussian_error(const hsp__gaussian *truth, const double *w, double b, hsp_tie tie)
{
    double square = 0, inner = 0, across = 0, disagree;
    for (uint64_t j = 0; j < truth->features; j++) {
        square += w[j] * w[j];
        inner += w[j] * truth->u[j];
    }
    const double length = sqrt(square), cut = -truth->offset, most = 9;
    for (uint64_t j = 0; length > 0 && j < truth->features; j++) {
        const double d = w[j] / length - inner / length * truth->u[j];
        across += d * d; /* sigma^2, without the cancellation of 1 - rho^2 */
    }
    const double sigma = fmax(sqrt(across), 1e-9);
    if (length > 0) {
        const double rho = inner / length, beta = b / length;
        disagree = truth_side(fmax(cut, -most), most, rho, sigma, beta, 1) +
                   truth_side(-most, fmin(cut, most), rho, sigma, beta, 0);
    } else { /* one class for all rows, or none */
        if (b == 0 && tie == HSP_TIE_ZERO) return 1;
        const int positive = b > 0 || (b == 0 && tie == HSP_TIE_POS);
        disagree = 0.5 * erfc((positive ? -cut : cut) * 0.70710678118654752440);
    }
    return truth->noise + (1 - 2 * truth->noise) * fmin(1, disagree);
}

/* ---- One trial ---- */

typedef struct simulate_trial {
    double value[SIMULATE_BOUNDS], truth[SIMULATE_BOUNDS]; /* NaN: does not apply */
    double train_error, true_error;
    hsp_status status;
    int none; /* no model: the rows were of one class, or a demanded separator does not exist */
} simulate_trial;

typedef struct simulate_job {
    hsp_context *ctx;
    hsp_options *learner; /* to train with */
    hsp_options *step;    /* for single steps of the first pass; NULL: not to be replayed */
    hsp_options *report;
    hsp__gaussian truth;
    uint64_t seed, rows, test_rows;
    simulate_trial *trials;
    hsp_error_bound last[SIMULATE_BOUNDS]; /* names and texts, of the first trial with a model */
    size_t count;
} simulate_job;

/* Rows from the stream, as doubles. */
static hsp_status simulate_draw(hsp_context *ctx, const hsp__gaussian *truth, hsp__random *random,
                                uint64_t rows, hsp_error *err, hsp_data **out)
{
    static const char *const names[2] = {"-1", "1"};
    const uint64_t d = truth->features;
    double *values = hsp__new_raw(&ctx->allocator, rows * d, sizeof *values);
    uint32_t *labels = hsp__new_raw(&ctx->allocator, rows, sizeof *labels);
    hsp_status status = values && labels ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < rows; i++) {
        double score = truth->offset;
        for (uint64_t j = 0; j < d; j++) {
            values[i * d + j] = hsp__random_normal(random);
            score += truth->u[j] * values[i * d + j];
        }
        labels[i] = (score > 0) != (hsp__random_unit(random) < truth->noise);
    }
    if (!status) {
        hsp_view view = hsp_view_dense(HSP_FLOAT64, rows, d, d, values);
        view.labels = labels;
        view.classes = 2;
        status = hsp_data_copy(ctx, &view, names, NULL, err, out);
    }
    hsp__free(&ctx->allocator, values);
    hsp__free(&ctx->allocator, labels);
    return status;
}

/* The true error of a model of the file's columns. */
static hsp_status simulate_error(hsp_context *ctx, const hsp__gaussian *truth,
                                 const hsp_model *model, hsp_data *train, hsp_error *err,
                                 double *out)
{
    hsp__bound_rows rows = {0};
    hsp__bound_space space = {0};
    hsp_status status = hsp__bound_rows_read(ctx, model, train, err, &rows);
    if (!status) status = hsp__bound_space_read(ctx, model, &rows, err, &space);
    if (!status && (!space.w || space.scaled))
        status = hsp__fail(
            err, HSP_USAGE,
            "the true error is known only for halfspaces of the columns, not for this model");
    if (!status) *out = hsp__gaussian_error(truth, space.w, space.b, model->tie);
    hsp__bound_space_free(ctx, &space);
    hsp__bound_rows_free(ctx, &rows);
    return status;
}

/* The mean true error of the separators of a first pass. */
static hsp_status simulate_pass(hsp_context *ctx, const simulate_job *job, hsp_data *train,
                                hsp_error *err, double *mean)
{
    static const char *const names[2] = {"-1", "1"};
    hsp_trainer *trainer = NULL;
    const hsp_view *view = NULL;
    double sum = 0, now = 0;
    int changed = 1;
    HSP__TRY(hsp_data_view(ctx, train, err, &view));
    hsp_status status =
        hsp_trainer_new(ctx, job->step, names, 2, job->truth.features, err, &trainer);
    for (uint64_t i = 0; !status && i < view->rows; i++) {
        hsp_model *model = NULL;
        hsp_step step = {.size = sizeof step};
        if (changed) status = hsp_trainer_model(trainer, err, &model);
        if (model)
            now = hsp__gaussian_error(&job->truth, hsp_model_weights(model, 0),
                                      hsp_model_offset(model, 0), model->tie);
        hsp_model_free(model);
        sum += now;
        if (!status) status = hsp_trainer_step(trainer, view, i, err, &step);
        changed = step.updated;
    }
    hsp_trainer_free(trainer);
    *mean = sum / (double)view->rows;
    return status;
}

/* Learn from `train`; all bounds, and whose error each is about. `texts` (or NULL) gets the names of
 * the bounds. */
static hsp_status simulate_learn(hsp_context *ctx, const simulate_job *job, hsp_data *train,
                                 hsp_data *test, simulate_trial *trial, hsp_error *err,
                                 hsp_error_bound *texts, size_t *count)
{
    hsp_training run = {.size = sizeof run};
    hsp_model *model = NULL, *rounded = NULL, *again = NULL;
    hsp_error_report *report = NULL;
    double pass = (double)NAN;
    hsp_status status = hsp_train(ctx, train, job->learner, err, &run, &model);
    hsp_evidence_free(run.evidence);
    trial->none = status == HSP_BAD_DATA || (!status && !model);
    if (trial->none) return HSP_OK;
    if (!status)
        status = hsp__error_report_make(ctx, model, train, test, job->report, err, &report,
                                        &rounded, &again);
    if (!status) status = simulate_error(ctx, &job->truth, model, train, err, &trial->true_error);
    double of_again = trial->true_error;
    if (!status && again) status = simulate_error(ctx, &job->truth, again, train, err, &of_again);
    if (!status && job->step) status = simulate_pass(ctx, job, train, err, &pass);
    for (size_t i = 0; !status && i < report->count; i++) {
        const hsp_error_bound *bound = &report->bounds[i];
        double truth = trial->true_error;
        if (strcmp(bound->name, "rounded") == 0 && rounded)
            truth = hsp__gaussian_error(&job->truth, rounded->weights, rounded->offsets[0],
                                        rounded->tie);
        if (strcmp(bound->name, "compression") == 0) truth = of_again;
        if (strncmp(bound->name, "online", 6) == 0) truth = pass;
        if (!bound->applies || isnan(truth)) continue;
        trial->value[i] = bound->value;
        trial->truth[i] = truth;
    }
    if (!status) trial->train_error = (double)report->train_mistakes / (double)report->train_rows;
    if (!status && texts) {
        *count = report->count;
        memcpy(texts, report->bounds, *count * sizeof *texts);
    }
    hsp_error_report_free(report);
    hsp_model_free(model);
    hsp_model_free(rounded);
    hsp_model_free(again);
    return status;
}

static hsp_status simulate_run(const simulate_job *job, uint64_t number, hsp_error *err,
                               hsp_error_bound *texts, size_t *count)
{
    simulate_trial *trial = &job->trials[number];
    hsp_context quiet = hsp__quiet(job->ctx);
    hsp__random random;
    hsp_data *train = NULL, *test = NULL;
    for (int i = 0; i < SIMULATE_BOUNDS; i++)
        trial->value[i] = trial->truth[i] = (double)NAN;
    hsp__random_seed(&random, job->seed, number + 1);
    hsp_status status = simulate_draw(&quiet, &job->truth, &random, job->rows, err, &train);
    if (!status) status = simulate_draw(&quiet, &job->truth, &random, job->test_rows, err, &test);
    if (!status) status = simulate_learn(&quiet, job, train, test, trial, err, texts, count);
    hsp_data_free(train);
    hsp_data_free(test);
    return status;
}

static void simulate_task(void *user, uint64_t number)
{
    simulate_job *job = user;
    job->trials[number].status = simulate_run(job, number, NULL, NULL, NULL);
}

/* ---- All trials ---- */

static void simulate_sum(const simulate_job *job, size_t i, hsp_simulation *out)
{
    hsp_trial_bound *to = &out->bounds[i];
    to->about = job->last[i];
    const int estimate = strcmp(to->about.kind, "estimate") == 0;
    double values = 0, errors = 0;
    for (uint64_t t = 0; t < out->trials; t++) {
        const double value = job->trials[t].value[i], truth = job->trials[t].truth[i];
        if (isnan(value)) continue;
        to->applied++;
        to->vacuous += !(value < 1);
        to->failed += !estimate && truth > value + 1e-9;
        values += fmin(1, value);
        errors += truth;
    }
    const uint64_t n = to->applied, failed = to->failed;
    to->mean_value = n ? values / (double)n : (double)NAN;
    to->mean_error = n ? errors / (double)n : (double)NAN;
    /* P(at least `failed` of n), each with probability delta; 1 where that is no news */
    to->chance = estimate || !n                                        ? (double)NAN
                 : !failed || (double)failed <= (double)n * out->delta ? 1
                 : failed == n ? exp((double)n * log(out->delta))
                               : exp(hsp__binomial_tail(n, n - failed, 1 - out->delta));
}

static hsp_status simulate_all(simulate_job *job, hsp_simulation *out, hsp_error *err)
{
    uint64_t models = 0, first = 0;
    job->trials = hsp__new(&job->ctx->allocator, out->trials, sizeof *job->trials);
    if (!job->trials) return hsp__fail_memory(err);
    HSP__TRY(hsp__sweep(job->ctx, "simulating", out->trials, out->trials, simulate_task, job, err));
    for (uint64_t t = 0; t < out->trials; t++) {
        if (job->trials[t].status == HSP_NO_MEMORY) return hsp__fail_memory(err);
        /* the first trial that failed, once more: now it says why */
        if (job->trials[t].status) HSP__TRY(simulate_run(job, t, err, NULL, NULL));
    }
    for (uint64_t t = out->trials; t-- > 0;) {
        if (job->trials[t].none) continue;
        models++;
        first = t;
        out->mean_train_error += job->trials[t].train_error;
        out->mean_true_error += job->trials[t].true_error;
    }
    if (!models)
        return hsp__fail(
            err, HSP_BAD_DATA,
            "no trial gave a model: there is no separator, or all rows are of one class");
    out->mean_train_error /= (double)models;
    out->mean_true_error /= (double)models;
    HSP__TRY(simulate_run(job, first, err, job->last, &job->count));
    out->bounds = hsp__new(hsp__owned_memory(out), job->count, sizeof *out->bounds);
    if (!out->bounds) return hsp__fail_memory(err);
    out->count = job->count;
    out->held = 1;
    for (size_t i = 0; i < job->count; i++) {
        simulate_sum(job, i, out);
        out->held &= !(out->bounds[i].chance < SIMULATE_BROKEN);
    }
    return HSP_OK;
}

/* ---- Options ---- */

/* `steps`: without options of online runs that single steps have no use for. */
static hsp_status simulate_set(const hsp_options *from, int steps, hsp_options *to, hsp_error *err)
{
    static const char *const of_passes[] = {"passes",  "max-passes", "max-updates", "max-seconds",
                                            "average", "order",      "keep-dual"};
    for (size_t i = 0; i < hsp_options_list_count(from, "set"); i++) {
        const char *item = hsp_options_list_item(from, "set", i), *equals = strchr(item, '=');
        char name[64];
        int skip = 0;
        if (!equals || equals == item || (size_t)(equals - item) >= sizeof name)
            return hsp__fail_option(err, "--set",
                                    "found '%.80s', expected NAME=VALUE, as in passes=20", item);
        snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
        for (size_t k = 0; steps && k < sizeof of_passes / sizeof *of_passes; k++)
            skip |= strcmp(name, of_passes[k]) == 0;
        if (skip) continue;
        if (strcmp(name, "trace") == 0 || strcmp(name, "warm-start") == 0 ||
            strcmp(name, "convergence") == 0)
            return hsp__fail_option(err, "--set",
                                    "%s names a file, and there are many runs; remove it", name);
        HSP__TRY(hsp_options_set(to, name, equals + 1, err));
    }
    return HSP_OK;
}

static hsp_status simulate_read(const hsp_options *options, simulate_job *job, hsp_error *err)
{
    hsp_context *ctx = job->ctx;
    hsp__gaussian *truth = &job->truth;
    const char *name = hsp_options_text(options, "learner");
    const hsp_option_table *table = hsp_learner_find(name);
    hsp__random random;
    double square = 0;
    if (!table) return hsp__fail_option(err, "--learner", "there is no learner '%.40s'", name);
    HSP__TRY(hsp_options_new(ctx, table, err, &job->learner));
    HSP__TRY(simulate_set(options, 0, job->learner, err));
    HSP__TRY(hsp_options_new(ctx, hsp_error_report_options(), err, &job->report));
    HSP__TRY(hsp_options_set_real(job->report, "delta", hsp_options_real(options, "delta"), err));
    HSP__TRY(hsp_options_set_flag(job->report, "allow-overlap", 1, err));
    /* the first pass can be gone through again where its order is that of the rows */
    if (strcmp(name, "perceptron") == 0 &&
        strcmp(hsp_options_text(job->learner, "order"), "cyclic") == 0) {
        HSP__TRY(hsp_options_new(ctx, table, err, &job->step));
        HSP__TRY(simulate_set(options, 1, job->step, err));
    }
    job->rows = (uint64_t)hsp_options_integer(options, "rows");
    job->test_rows = (uint64_t)hsp_options_integer(options, "test-rows");
    job->seed = (uint64_t)hsp_options_integer(options, "seed");
    truth->features = (uint64_t)hsp_options_integer(options, "columns");
    truth->offset = hsp_options_real(options, "offset");
    truth->noise = hsp_options_real(options, "noise");
    truth->u = hsp__new(&ctx->allocator, truth->features, sizeof *truth->u);
    if (!truth->u) return hsp__fail_memory(err);
    hsp__random_seed(&random, job->seed, 0);
    for (uint64_t j = 0; j < truth->features; j++) {
        truth->u[j] = hsp__random_normal(&random);
        square += truth->u[j] * truth->u[j];
    }
    for (uint64_t j = 0; j < truth->features; j++)
        truth->u[j] /= sqrt(square);
    return HSP_OK;
}

/* ---- The whole ---- */

hsp_status hsp_simulation_new(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                              hsp_simulation **out)
{
    HSP__NEED(err, ctx, options, out);
    simulate_job *job = hsp__new(&ctx->allocator, 1, sizeof *job);
    if (!job) return hsp__fail_memory(err);
    job->ctx = ctx;
    hsp_simulation *made = hsp__owned_new(&ctx->allocator, 1, sizeof *made);
    hsp_status status = made ? simulate_read(options, job, err) : hsp__fail_memory(err);
    if (!status) {
        made->trials = (uint64_t)hsp_options_integer(options, "trials");
        made->rows = job->rows;
        made->test_rows = job->test_rows;
        made->delta = hsp_options_real(options, "delta");
        made->best_error = job->truth.noise;
        status = simulate_all(job, made, err);
    }
    hsp__free(&ctx->allocator, job->trials);
    hsp__free(&ctx->allocator, job->truth.u);
    hsp_options_free(job->learner);
    hsp_options_free(job->step);
    hsp_options_free(job->report);
    hsp__free(&ctx->allocator, job);
    if (status)
        hsp_simulation_free(made);
    else
        *out = made;
    return status;
}

void hsp_simulation_free(hsp_simulation *simulation)
{
    if (!simulation) return;
    hsp__free(hsp__owned_memory(simulation), simulation->bounds);
    hsp__owned_free(simulation);
}
