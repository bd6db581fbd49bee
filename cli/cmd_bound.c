/* halfspace bound MODEL | sample-size | simulate: what may be expected of rows that nobody has
 * seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { BOUND_ACTION, BOUND_READ };

static const hsp_option bound_files[] = {
    {"train", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "DATA", "the training data of the model"},
    {"test", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "test data that was not used to train or choose the model"},
};

enum { BOUND_FILES = sizeof bound_files / sizeof *bound_files, BOUND_ROOM = 16 };

/* The files, and what the library takes. */
static const hsp_option_table *bound_model_table(void)
{
    static hsp_option options[BOUND_ROOM];
    static hsp_option_table table = {"model", "every bound on the error of a model", options, 0};
    const hsp_option_table *more = hsp_error_report_options();
    if (table.count) return &table;
    memcpy(options, bound_files, sizeof bound_files);
    for (size_t i = 0; i < more->count && BOUND_FILES + i < BOUND_ROOM; i++)
        options[BOUND_FILES + i] = more->options[i];
    table.count = BOUND_FILES + more->count;
    return &table;
}

static const hsp_option_table *bound_action(size_t i)
{
    if (i == 0) return bound_model_table();
    if (i == 1) return hsp_sample_size_options();
    return i == 2 ? hsp_simulation_options() : NULL;
}

static const cli_group bound_groups[] = {
    {"Options", NULL}, {"Reading options", hsp_read_options}, {NULL, NULL}};

/* ---- Numbers on the safe side ---- */

/* A share in percent, rounded up or down to two places. */
static char *bound_share(double share, int up)
{
    const double scaled = share * 1e4, whole = up ? ceil(scaled - 1e-9) : floor(scaled + 1e-9);
    if (share > 0 && share < 1e-4) return cli_format("%.2g%%", share * 100 * (up ? 1.05 : 0.95));
    if (up && share < 1 && whole >= 1e4) return cli_format("%s", "<100%"); /* it says something */
    return cli_format("%.2f%%", fabs(whole) / 100);
}

/* Six digits, rounded up. */
static char *bound_number(double x)
{
    if (!(x > 0 && isfinite(x))) return cli_format("%g", x);
    const double unit = pow(10, floor(log10(x)) - 5);
    return cli_format("%.6g", ceil(x / unit - 1e-9) * unit);
}

static void bound_cell_share(cli_table *table, double share)
{
    char *text = isnan(share) ? cli_format("%s", "") : bound_share(share, 1);
    table_cell(table, "%s", text);
    free(text);
}

/* 1 - delta, rounded down to six places, and never to 1; malloc'ed. */
static char *bound_confidence(double delta)
{
    if (delta < 1e-5) return cli_format("1 - %.3g", delta * 1.005);
    return cli_format("%.6g", floor((1 - delta) * 1e6 + 1e-6) / 1e6);
}

/* ---- sample-size ---- */

static void bound_print_size(const hsp_sample_size *size)
{
    cli_table table;
    char *sure = bound_confidence(size->delta);
    const int rows = strcmp(size->solved, "rows") == 0;
    printf("%s\n", size->hypotheses);
    table_begin(&table, "ll");
    if (isfinite(size->rows))
        table_line(&table, "rows", "%.0f%s", size->rows, rows ? "   (found)" : "");
    else
        table_line(&table, "rows", "more than 2^53   (found)");
    char *epsilon = bound_number(size->epsilon), *delta = bound_number(size->delta);
    table_line(&table, "epsilon", "%s%s", epsilon,
               strcmp(size->solved, "epsilon") ? "" : "   (found)");
    table_line(&table, "delta", "%s%s", delta, strcmp(size->solved, "delta") ? "" : "   (found)");
    free(epsilon);
    free(delta);
    table_line(&table, "formula", "%s", size->formula);
    table_line(&table, isnan(size->dimension) ? "ln |H|" : "ln Pi(2n)", "%.6g", size->log_count);
    table_line(&table, "theorem", "%s", size->theorem);
    if (!isnan(size->closed_rows))
        table_line(&table, "closed form",
                   "%.0f = max((4/eps) log2(2/delta), (8d/eps) log2(13/eps)), in the same paper",
                   size->closed_rows);
    table_print(&table, stdout);
    if (size->vacuous)
        printf("\nVacuous: with these figures the theorem says nothing.\n");
    else
        printf("\nWith probability 1 - delta = %s or more over the draw of the rows,\n%s.\n", sure,
               size->says);
    printf(
        "Assumed: rows are drawn independently from one distribution, whatever it is, and new rows "
        "come from\nit, too; the class was fixed before the rows were seen.\n");
    free(sure);
}

static void bound_json_size(const cli *run, const hsp_sample_size *size)
{
    cli_json_writer json = {stdout, 0, 0};
    json_open(&json, NULL, '{');
    json_text(&json, "hypotheses", size->hypotheses);
    json_text(&json, "solved", size->solved);
    json_number(&json, "rows", size->rows);
    json_number(&json, "epsilon", size->epsilon);
    json_number(&json, "delta", size->delta);
    json_flag(&json, "vacuous", size->vacuous);
    json_number(&json, "log_count", size->log_count);
    json_number(&json, "vc_dimension", size->dimension);
    json_number(&json, "closed_rows", size->closed_rows);
    json_text(&json, "theorem", size->theorem);
    json_text(&json, "formula", size->formula);
    json_text(&json, "says", size->says);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status bound_size(cli *run, hsp_error *err)
{
    hsp_sample_size size;
    hsp_status status = hsp_sample_size_solve(run->options[BOUND_ACTION], err, &size);
    if (status != HSP_OK) return status;
    if (cli_json(run))
        bound_json_size(run, &size);
    else
        bound_print_size(&size);
    return HSP_OK;
}

/* ---- MODEL ---- */

typedef struct bound_job {
    hsp_model *model;
    hsp_data *train, *test;
    hsp_error_report *outlook;
    double load, start;
} bound_job;

static void bound_free(bound_job *job)
{
    hsp_error_report_free(job->outlook);
    hsp_data_free(job->train);
    hsp_data_free(job->test);
    hsp_model_free(job->model);
}

/* How many statements the table tries to make. */
static size_t bound_tried(const hsp_error_report *outlook)
{
    size_t count = 0;
    for (size_t i = 0; i < outlook->count; i++)
        count += strcmp(outlook->guarantees[i].kind, "estimate") != 0;
    return count;
}

#define BOUND_IF                                                                             \
    "If the test rows were drawn independently and had no part in training or choosing the " \
    "model, "

/* Training error against true error, in one sentence; malloc'ed. */
static char *bound_verdict(const hsp_error_report *o)
{
    const double trained = o->train_rows ? (double)o->train_mistakes / (double)o->train_rows : 0;
    char *train = cli_format("%.2f%%", trained * 100), *low = NULL, *high = NULL, *text;
    char *sure = bound_confidence(o->delta);
    if (o->test_rows) low = bound_share(o->test_lower, 0), high = bound_share(o->test_upper, 1);
    if (o->test_rows && !o->train_rows)
        text = cli_format(BOUND_IF "the true error is at least %s and at most %s, each with "
                                   "confidence %s.",
                          low, high, sure);
    else if (o->overfits)
        text = cli_format(BOUND_IF "overfitting shows: the error on the training rows is %s, and "
                                   "the true error is at least %s with confidence %s.",
                          train, low, sure);
    else if (o->test_rows && trained > o->test_upper)
        text = cli_format("The error on the training rows, %s, is above what the test rows allow "
                          "(%s, with confidence %s): the two files do not seem to come from one "
                          "distribution.",
                          train, high, sure);
    else if (o->test_rows)
        text = cli_format(BOUND_IF "no overfitting shows: the error on the training rows, %s, is "
                                   "within what the test rows allow (%s to %s, each with "
                                   "confidence %s).",
                          train, low, high, sure);
    else if (o->training_bound) {
        high = bound_share(o->training_upper, 1);
        text = cli_format("The error on the training rows is %s. If they were drawn "
                          "independently, the true error is at most %s with confidence %s: by the "
                          "bound %s, the least of %u bounds, each at delta = %.3g. How far apart "
                          "the two errors are in fact, only test rows can show.",
                          train, high, sure, o->training_bound, o->training_tried,
                          o->delta / o->training_tried);
    } else
        text = cli_format("The error on the training rows is %s; no bound from them says anything "
                          "about the true error of this model. Test rows would.",
                          train);
    free(train);
    free(sure);
    free(low);
    free(high);
    return text;
}

static void bound_print_counts(const char *what, const hsp_data *data, uint64_t rows,
                               uint64_t mistakes)
{
    if (rows)
        printf("%s: %s of %s row%s wrong, %s%s\n", what, show_count(mistakes), show_count(rows),
               plural(rows), show_share((double)mistakes / (double)rows),
               hsp_data_stored_note(data));
}

static void bound_print_table(const hsp_error_report *o)
{
    static const char *const heads[] = {"bound", "from", "at most", "", "of", "formula"};
    cli_table table;
    table_begin(&table, "llrlll");
    for (int i = 0; i < 6; i++)
        table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < o->count; i++) {
        const hsp_error_bound *at = &o->guarantees[i];
        if (!at->applies) continue;
        table_cell(&table, "%s", at->name);
        table_cell(&table, "%s", at->kind);
        if (at->value < 10)
            bound_cell_share(&table, at->value);
        else
            table_cell(&table, "%s", "> 999%");
        table_cell(&table, "%s", at->vacuous ? "vacuous" : "");
        table_cell(&table, "%s", at->about);
        table_cell(&table, "%s", at->formula);
    }
    table_print(&table, stdout);
}

static void bound_print_texts(const hsp_error_report *o, int applies)
{
    cli_table table;
    size_t count = 0;
    for (size_t i = 0; i < o->count; i++)
        count += o->guarantees[i].applies == applies;
    if (!count) return;
    printf("\n%s\n", applies ? "What went in:" : "What does not apply, and why:");
    table_begin(&table, "ll");
    for (size_t i = 0; i < o->count; i++)
        if (o->guarantees[i].applies == applies)
            table_line(&table, o->guarantees[i].name, "%s", o->guarantees[i].figures);
    table_print(&table, stdout);
}

/* Each assumption once, with the bounds that make it. */
static void bound_print_assumptions(const hsp_error_report *o)
{
    printf("\nWhat is assumed, beside rows drawn independently from one distribution:\n");
    for (size_t i = 0; i < o->count; i++) {
        const hsp_error_bound *at = &o->guarantees[i];
        int said = 0;
        for (size_t j = 0; j < i; j++)
            said |= o->guarantees[j].applies && !strcmp(o->guarantees[j].assumes, at->assumes);
        if (!at->applies || said) continue;
        printf("  %s", at->name);
        for (size_t j = i + 1; j < o->count; j++)
            if (o->guarantees[j].applies && !strcmp(o->guarantees[j].assumes, at->assumes))
                printf(", %s", o->guarantees[j].name);
        printf(": %s\n", at->assumes);
    }
}

static void bound_print_model(const cli *run, const bound_job *job)
{
    const hsp_error_report *o = job->outlook;
    const size_t count = bound_tried(o);
    char *verdict = bound_verdict(o), *sure = bound_confidence(o->delta);
    printf("%s\n", show_input(run->arguments[0]));
    bound_print_counts("training", job->train, o->train_rows, o->train_mistakes);
    bound_print_counts("test", job->test, o->test_rows, o->test_mistakes);
    printf("\nThe true error, each bound on its own with confidence %s:\n", sure);
    bound_print_table(o);
    bound_print_texts(o, 1);
    bound_print_texts(o, 0);
    bound_print_assumptions(o);
    printf("\n%s\n", verdict);
    if (count > 1)
        printf("To pick the least of all %zu bounds after seeing them, ask for --delta %.3g: then "
               "all hold at once\nwith confidence %s.\n",
               count, o->delta / (double)count * 0.9995, sure);
    free(verdict);
    free(sure);
}

static void bound_json_bound(cli_json_writer *json, const hsp_error_bound *at)
{
    json_open(json, NULL, '{');
    json_text(json, "name", at->name);
    json_text(json, "kind", at->kind);
    json_text(json, "about", at->about);
    json_text(json, "formula", at->formula);
    json_text(json, "assumes", at->assumes);
    json_flag(json, "applies", at->applies);
    json_number(json, "value", at->value);
    json_flag(json, "vacuous", at->vacuous);
    json_text(json, "figures", at->figures);
    json_close(json, '}');
}

static void bound_json_rows(cli_json_writer *json, const char *key, const hsp_data *data,
                            uint64_t rows, uint64_t mistakes)
{
    json_open(json, key, '{');
    json_count(json, "rows", rows);
    json_stored(json, data);
    json_count(json, "mistakes", mistakes);
    json_number(json, "error", rows ? (double)mistakes / (double)rows : (double)NAN);
    json_close(json, '}');
}

static void bound_json_model(const cli *run, const bound_job *job)
{
    cli_json_writer json = {stdout, 0, 0};
    const hsp_error_report *o = job->outlook;
    char *verdict = bound_verdict(o);
    json_open(&json, NULL, '{');
    json_text(&json, "model", run->arguments[0]);
    json_text(&json, "train", hsp_options_text(run->options[BOUND_ACTION], "train"));
    json_text(&json, "test", hsp_options_text(run->options[BOUND_ACTION], "test"));
    json_number(&json, "delta", o->delta);
    bound_json_rows(&json, "training", job->train, o->train_rows, o->train_mistakes);
    bound_json_rows(&json, "held_out", job->test, o->test_rows, o->test_mistakes);
    json_count(&json, "shared_rows", o->shared_rows);
    json_number(&json, "true_error_least", o->test_lower);
    json_number(&json, "true_error_most", o->test_upper);
    json_number(&json, "training_true_error_most",
                o->training_bound ? o->training_upper : (double)NAN);
    json_text(&json, "training_bound", o->training_bound);
    json_flag(&json, "overfits", o->overfits);
    json_text(&json, "verdict", verdict);
    json_open(&json, "bounds", '[');
    for (size_t i = 0; i < o->count; i++)
        bound_json_bound(&json, &o->guarantees[i]);
    json_close(&json, ']');
    json_seconds(&json, "load_seconds", job->load);
    json_seconds(&json, "seconds", cli_seconds() - job->start);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
    free(verdict);
}

static hsp_status bound_read(cli *run, const char *path, const bound_job *job, hsp_error *err,
                             hsp_data **data, double *seconds)
{
    double more = 0;
    if (!path) return HSP_OK;
    hsp_status status = cli_read(run, path, run->options[BOUND_READ],
                                 hsp_model_encoding(job->model), err, data, &more);
    *seconds += more;
    return status;
}

/* Rows are read as training read them, so that its data can be recognised. A model that began at
 * another may have seen rows in double precision: these are recognised in double only. */
static hsp_status bound_set_read(hsp_options *read, const hsp_model *model, hsp_error *err)
{
    const char *fact = hsp_model_metadata(model, "precision");
    const char *set =
        hsp_options_is_set(read, "precision") ? hsp_options_text(read, "precision") : NULL;
    if (fact && hsp_model_metadata(model, "earlier_data_hashes")) fact = "double";
    if (fact && set && strcmp(fact, set) != 0 && strcmp(set, "auto") != 0)
        return cli_fail(err, HSP_USAGE, "--precision",
                        "for this model rows are read in %s precision: leave the option out", fact);
    hsp_status status = fact ? hsp_options_set(read, "precision", fact, err) : HSP_OK;
    return status == HSP_OK ? hsp_model_set_read(model, read, err) : status;
}

static hsp_status bound_model(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[BOUND_ACTION];
    const char *train = hsp_options_text(own, "train"), *test = hsp_options_text(own, "test");
    bound_job job = {0};
    if (run->count < 1)
        return cli_fail(err, HSP_USAGE, NULL,
                        "MODEL is missing; usage: halfspace bound MODEL "
                        "--train DATA [--test DATA]");
    if (!train && !test)
        return cli_fail(err, HSP_USAGE, "--train",
                        "is missing: bounds come from the rows that the "
                        "model learnt from, or from others (--test)");
    hsp_status status = hsp_model_read(run->ctx, run->arguments[0], err, &job.model);
    if (status == HSP_OK) status = bound_set_read(run->options[BOUND_READ], job.model, err);
    if (status == HSP_OK) status = bound_read(run, train, &job, err, &job.train, &job.load);
    if (status == HSP_OK) status = bound_read(run, test, &job, err, &job.test, &job.load);
    job.start = cli_seconds();
    if (status == HSP_OK)
        status =
            hsp_error_report_new(run->ctx, job.model, job.train, job.test, own, err, &job.outlook);
    if (status == HSP_OK && cli_json(run))
        bound_json_model(run, &job);
    else if (status == HSP_OK)
        bound_print_model(run, &job);
    bound_free(&job);
    return status;
}

/* ---- simulate ---- */

#define BOUND_BROKEN 1e-6 /* a chance below this is no bad luck */

static int bound_broken(const hsp_simulation *made)
{
    int broken = 0;
    for (size_t i = 0; i < made->count; i++)
        broken |= made->bounds[i].chance < BOUND_BROKEN;
    return broken;
}

static void bound_print_trial(cli_table *table, const hsp_trial_bound *at)
{
    const int estimate = strcmp(at->about.kind, "estimate") == 0;
    table_cell(table, "%s", at->about.name);
    table_cell(table, "%s", show_count(at->applied));
    table_cell(table, "%s", at->applied ? show_count(at->vacuous) : "");
    if (estimate || !at->applied) {
        table_cell(table, "%s", "");
        table_cell(table, "%s", "");
    } else {
        table_cell(table, "%s", show_count(at->failed));
        bound_cell_share(table, (double)at->failed / (double)at->applied);
    }
    bound_cell_share(table, at->mean_value);
    bound_cell_share(table, at->mean_error);
    table_cell(table, "%s", at->applied ? at->about.about : at->about.figures);
}

static void bound_print_simulation(const hsp_simulation *made)
{
    static const char *const heads[] = {"bound", "trials",     "vacuous",    "failed",
                                        "share", "mean bound", "mean error", "of"};
    cli_table table;
    double worst = 0;
    printf("%s trials of %s rows to learn from and %s held out; delta = %g\n",
           show_count(made->trials), show_count(made->rows), show_count(made->test_rows),
           made->delta);
    printf("mean error: %s on the training rows, %s in truth; the best halfspace has %s\n\n",
           show_share(made->mean_train_error), show_share(made->mean_true_error),
           show_share(made->best_error));
    table_begin(&table, "lrrrrrrl");
    for (int i = 0; i < 8; i++)
        table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < made->count; i++) {
        const hsp_trial_bound *at = &made->bounds[i];
        bound_print_trial(&table, at);
        if (at->applied) worst = fmax(worst, (double)at->failed / (double)at->applied);
    }
    table_print(&table, stdout);
    if (bound_broken(made))
        printf("\nA bound failed more often than luck explains: that is a bug.\n");
    else
        printf("\nNo bound may fail in more than %g of the trials, luck aside; the worst failed in "
               "%.3g.\n",
               made->delta, worst);
}

static void bound_json_simulation(const cli *run, const hsp_simulation *made, double start)
{
    cli_json_writer json = {stdout, 0, 0};
    json_open(&json, NULL, '{');
    json_count(&json, "trials", made->trials);
    json_count(&json, "rows", made->rows);
    json_count(&json, "test_rows", made->test_rows);
    json_number(&json, "delta", made->delta);
    json_number(&json, "mean_training_error", made->mean_train_error);
    json_number(&json, "mean_true_error", made->mean_true_error);
    json_number(&json, "best_error", made->best_error);
    json_flag(&json, "held", !bound_broken(made));
    json_open(&json, "bounds", '[');
    for (size_t i = 0; i < made->count; i++) {
        const hsp_trial_bound *at = &made->bounds[i];
        json_open(&json, NULL, '{');
        json_text(&json, "name", at->about.name);
        json_text(&json, "kind", at->about.kind);
        json_text(&json, "about", at->about.about);
        json_count(&json, "applied", at->applied);
        json_count(&json, "vacuous", at->vacuous);
        json_count(&json, "failed", at->failed);
        json_number(&json, "mean_value", at->mean_value);
        json_number(&json, "mean_error", at->mean_error);
        json_number(&json, "chance", at->chance);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_seconds(&json, "seconds", cli_seconds() - start);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status bound_simulate(cli *run, hsp_error *err)
{
    const double start = cli_seconds();
    hsp_simulation *made = NULL;
    hsp_status status = hsp_simulation_new(run->ctx, run->options[BOUND_ACTION], err, &made);
    if (status != HSP_OK) return status;
    if (cli_json(run))
        bound_json_simulation(run, made, start);
    else
        bound_print_simulation(made);
    run->exit_status = bound_broken(made) ? 1 : 0;
    hsp_simulation_free(made);
    return HSP_OK;
}

/* ---- The command ---- */

static hsp_status bound_run(cli *run, hsp_error *err)
{
    const char *action = run->variant->name;
    if (strcmp(action, "model") == 0) return bound_model(run, err);
    if (run->count)
        return cli_fail(err, HSP_USAGE, NULL,
                        "'%s' is one argument too many; usage: halfspace bound "
                        "%s [options]",
                        run->arguments[0], action);
    return strcmp(action, "simulate") == 0 ? bound_simulate(run, err) : bound_size(run, err);
}

static const cli_term bound_keys[] = {
    {"model, train, test", "the files, as they were named, or null"},
    {"delta", "probability with which a bound may fail"},
    {"training, held_out", "rows, numbers (decimals, or stored: the file has numbers with more "
                           "digits than memory holds), mistakes and error of the model on the two "
                           "files"},
    {"shared_rows", "test rows that are among the training rows"},
    {"true_error_least, true_error_most", "by the test rows, each with confidence 1 - delta"},
    {"training_true_error_most, training_bound",
     "by the training rows, with confidence 1 - delta: the least of the bounds on this model, each "
     "at delta over their number, and its name; null when they say nothing"},
    {"overfits", "the least is above the error on the training rows"},
    {"verdict", "training error against true error, a sentence"},
    {"bounds", "name, kind (test, training, estimate), about (whose error), formula, assumes, "
               "applies, value (null when it does not), vacuous, figures (or why it does not); of "
               "simulate: applied, vacuous, failed (trials), mean_value, mean_error, chance (of so "
               "many failures, if delta is true)"},
    {"hypotheses, solved", "sample-size: the class in words; rows, epsilon or delta"},
    {"rows, epsilon", "sample-size: as given, or as found"},
    {"vacuous", "sample-size: what was found says nothing"},
    {"log_count, vc_dimension, closed_rows",
     "sample-size: ln |H| or ln of the growth function at 2n; dimension; rows by the closed form"},
    {"theorem, formula, says", "sample-size: who, what was solved, what it promises"},
    {"trials, test_rows", "simulate: how many draws, of how many rows (and rows to learn from)"},
    {"mean_training_error, mean_true_error, best_error", "simulate: over the trials"},
    {"held", "simulate: no bound failed more often than luck explains"},
    {"load_seconds, seconds", "time to read, and for the rest"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static const cli_term bound_arguments[] = {
    {"ACTION", "sample-size or simulate; without one, what is asked about is a model"},
    {"MODEL", "the model file"},
    {NULL, NULL}};

static const cli_term bound_examples[] = {
    {"halfspace bound iris.hsp --train iris.csv", "what the training rows promise"},
    {"halfspace bound a.hsp --train train.svm --test test.svm --delta 0.01",
     "and rows held out, with confidence 99%"},
    {"halfspace bound sample-size --epsilon 0.05 --delta 0.01 --class halfspaces:10",
     "how many rows to collect"},
    {"halfspace bound sample-size --rows 1000 --delta 0.05 --bits 64 --agnostic",
     "how far training and true error may be apart"},
    {"halfspace bound simulate --trials 1000 --set passes=1",
     "the bounds where the truth is known"},
    {NULL, NULL}};

const cli_command cli_bound = {
    .name = "bound",
    .summary = "bound the true error of a model, or the sample size it takes",
    .synopsis = "MODEL --train DATA [--test DATA] | ACTION [options]",
    .description =
        "With a model: bound its true error in every way that its rows allow. From test rows: "
        "the exact binomial bound, Chernoff's and Hoeffding's. From training rows: VC dimension, "
        "description length, margin and radius, PAC-Bayes, sample compression, the mistakes of "
        "the first pass, leave-one-out. Each bound is printed with its subject and its "
        "assumptions, and is called vacuous if it is useless. Test rows that are among the "
        "training rows are an error, and so is test data that the model was trained on. A model "
        "that does not state its training data (imported from another program, or trained on a "
        "stream) gets no bound from test rows.\n\nsample-size computes the one of rows, epsilon "
        "and delta that is not given, by the theorems of PAC learning.\n\nsimulate draws rows "
        "from a known distribution, trains, and counts how often each bound is wrong: the exit "
        "status is 1 if this is more often than chance explains.\n\ndocs/generalisation.md has "
        "every theorem with its constants.",
    .arguments = bound_arguments,
    .groups = bound_groups,
    .keys = bound_keys,
    .examples = bound_examples,
    .least = 0,
    .most = 1,
    .run = bound_run,
    .variant = bound_action,
    .variant_word = "action",
    .variant_synopsis = "[MODEL] [options]",
    .variant_else = "model",
};
