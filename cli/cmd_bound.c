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

static const cli_result bound_results[4]; /* MODEL, sample-size, simulate */

GETTER(bound_hypotheses, hsp_sample_size, size, size->hypotheses)

FIELDS(bound_size_fields, hsp_sample_size,
       FIELD_GET(TEXT, "hypotheses", NULL, bound_hypotheses, "the class of hypotheses"),
       FIELD(TEXT, "solved", NULL, solved, "what was found: rows, epsilon or delta"),
       FIELD(REAL, "rows", NULL, rows, "rows, as given or found", .unit = "rows",
             .when = "null beyond 2^53"),
       FIELD(REAL, "epsilon", NULL, epsilon, "epsilon, as given or found",
             .when = "null if there is none"),
       FIELD(REAL, "delta", NULL, delta, "probability with which it may fail",
             .when = "null if there is none"),
       FIELD(FLAG, "vacuous", NULL, vacuous, "what was found says nothing"),
       FIELD(REAL, "log_count", NULL, log_count, "ln |H|, or ln of the growth function at 2 rows",
             .when = "null if infinite"),
       FIELD(REAL, "vc_dimension", NULL, dimension, "VC dimension",
             .when = "null for a finite class"),
       FIELD(REAL, "closed_rows", NULL, closed_rows, "rows by the closed formula", .unit = "rows",
             .when = "null unless solved for rows by VC dimension, without mistakes"),
       FIELD(TEXT, "theorem", NULL, theorem, "the theorem"),
       FIELD(TEXT, "formula", NULL, formula, "what was solved"),
       FIELD(TEXT, "says", NULL, says, "what it promises"))

static hsp_status bound_size(cli *run, hsp_error *err)
{
    hsp_sample_size size = {.size = sizeof size};
    hsp_status status = hsp_sample_size_solve(run->options[BOUND_ACTION], err, &size);
    if (status != HSP_OK) return status;
    if (cli_json(run)) return cli_report(run, &bound_results[1], &size, stdout, err);
    bound_print_size(&size);
    return HSP_OK;
}

/* ---- MODEL ---- */

typedef struct bound_job {
    const char *file, *train_file, *test_file;
    char *verdict; /* malloc'ed */
    hsp_model *model;
    hsp_data *train, *test;
    hsp_error_report *outlook;
    double load, start, seconds;
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
        count += strcmp(outlook->bounds[i].kind, "estimate") != 0;
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
        const hsp_error_bound *at = &o->bounds[i];
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
        count += o->bounds[i].applies == applies;
    if (!count) return;
    printf("\n%s\n", applies ? "What went in:" : "What does not apply, and why:");
    table_begin(&table, "ll");
    for (size_t i = 0; i < o->count; i++)
        if (o->bounds[i].applies == applies)
            table_line(&table, o->bounds[i].name, "%s", o->bounds[i].figures);
    table_print(&table, stdout);
}

/* Each assumption once, with the bounds that make it. */
static void bound_print_assumptions(const hsp_error_report *o)
{
    printf("\nAssumptions, in addition to rows drawn independently from one distribution:\n");
    for (size_t i = 0; i < o->count; i++) {
        const hsp_error_bound *at = &o->bounds[i];
        int said = 0;
        for (size_t j = 0; j < i; j++)
            said |= o->bounds[j].applies && !strcmp(o->bounds[j].assumes, at->assumes);
        if (!at->applies || said) continue;
        printf("  %s", at->name);
        for (size_t j = i + 1; j < o->count; j++)
            if (o->bounds[j].applies && !strcmp(o->bounds[j].assumes, at->assumes))
                printf(", %s", o->bounds[j].name);
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

GETTER(bound_figures, hsp_error_bound, at, at->figures)

FIELDS(bound_one_fields, hsp_error_bound, FIELD(TEXT, "name", NULL, name, "name of the bound"),
       FIELD(TEXT, "kind", NULL, kind, "what it is computed from: test, training or estimate"),
       FIELD(TEXT, "about", NULL, about, "whose error it bounds"),
       FIELD(TEXT, "formula", NULL, formula, "in symbols"),
       FIELD(TEXT, "assumes", NULL, assumes, "its assumptions, beyond independent rows"),
       FIELD(FLAG, "applies", NULL, applies, "its assumptions hold"),
       FIELD(REAL, "value", NULL, value, "the error is at most this",
             .when = "null if it does not apply"),
       FIELD(FLAG, "vacuous", NULL, vacuous, "it applies, and is 1 or more"),
       FIELD_GET(TEXT, "figures", NULL, bound_figures, "the figures, or why it does not apply"))

typedef struct bound_file {
    hsp_data *data;
    uint64_t rows, mistakes;
    double error;
} bound_file;

FIELDS(bound_file_fields, bound_file, FIELD(COUNT, "rows", NULL, rows, "rows", .unit = "rows"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_numbers_fields),
       FIELD(COUNT, "mistakes", NULL, mistakes, "rows predicted wrongly", .unit = "rows"),
       FIELD(SHARE, "error", NULL, error, "mistakes / rows", .when = "null without rows"))

static const void *bound_file_of(hsp_data *data, uint64_t rows, uint64_t mistakes, void *room)
{
    *(bound_file *)room = (bound_file){data, rows, mistakes, (double)mistakes / (double)rows};
    return room;
}

GETTER(bound_one_at, bound_job, of, i < of->outlook->count ? &of->outlook->bounds[i] : NULL)

GETTER(bound_delta, bound_job, job, &job->outlook->delta)
GETTER(bound_training, bound_job, job,
       bound_file_of(job->train, job->outlook->train_rows, job->outlook->train_mistakes, room))
GETTER(bound_held_out, bound_job, job,
       bound_file_of(job->test, job->outlook->test_rows, job->outlook->test_mistakes, room))
GETTER(bound_shared, bound_job, job, &job->outlook->shared_rows)
GETTER(bound_lower, bound_job, job, &job->outlook->test_lower)
GETTER(bound_upper, bound_job, job, &job->outlook->test_upper)
GETTER(bound_training_upper, bound_job, job,
       job->outlook->training_bound ? &job->outlook->training_upper : NULL)
GETTER(bound_training_name, bound_job, job, job->outlook->training_bound)
GETTER(bound_overfits, bound_job, job, &job->outlook->overfits)

FIELDS(bound_model_fields, bound_job, FIELD(TEXT, "model", NULL, file, "the model file"),
       FIELD(TEXT, "train", NULL, train_file, "the file of training rows",
             .when = "null without --train"),
       FIELD(TEXT, "test", NULL, test_file, "the file of test rows", .when = "null without --test"),
       FIELD_GET(REAL, "delta", NULL, bound_delta, "probability with which a bound may fail"),
       FIELD_GET(OBJECT, "training", NULL, bound_training, "the model on the training rows",
                 .of = bound_file_fields),
       FIELD_GET(OBJECT, "held_out", NULL, bound_held_out, "the model on the test rows",
                 .of = bound_file_fields),
       FIELD_GET(COUNT, "shared_rows", NULL, bound_shared,
                 "test rows that are among the training rows", .unit = "rows"),
       FIELD_GET(REAL, "true_error_least", NULL, bound_lower,
                 "by the test rows the true error is at least this, with confidence 1 - delta",
                 .when = "null without test rows"),
       FIELD_GET(REAL, "true_error_most", NULL, bound_upper,
                 "by the test rows it is at most this, with confidence 1 - delta",
                 .when = "null without test rows"),
       FIELD_GET(REAL, "training_true_error_most", NULL, bound_training_upper,
                 "by the training rows it is at most this, with confidence 1 - delta: the least of "
                 "the bounds on this model, each at delta divided by their number",
                 .when = "null if they say nothing"),
       FIELD_GET(TEXT, "training_bound", NULL, bound_training_name, "the name of that bound",
                 .when = "null if they say nothing"),
       FIELD_GET(FLAG, "overfits", NULL, bound_overfits,
                 "true_error_least is above the error on the training rows"),
       FIELD(TEXT, "summary", NULL, verdict, "training error and true error compared, a sentence"),
       FIELD_GET(LIST, "bounds", NULL, bound_one_at, "the bounds", .of = bound_one_fields),
       FIELD(SECONDS, "load_seconds", NULL, load, "time to read"),
       FIELD(SECONDS, "seconds", NULL, seconds, "time for the rest"))

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
    bound_job job = {.train_file = train, .test_file = test};
    if (run->count < 1)
        return cli_fail(err, HSP_USAGE, NULL,
                        "MODEL is missing; usage: halfspace bound MODEL "
                        "--train DATA [--test DATA]");
    if (!train && !test)
        return cli_fail(err, HSP_USAGE, "--train",
                        "is missing: bounds need the training rows, "
                        "or other rows (--test)");
    hsp_status status = hsp_model_read(run->ctx, run->arguments[0], err, &job.model);
    if (status == HSP_OK) status = bound_set_read(run->options[BOUND_READ], job.model, err);
    if (status == HSP_OK) status = bound_read(run, train, &job, err, &job.train, &job.load);
    if (status == HSP_OK) status = bound_read(run, test, &job, err, &job.test, &job.load);
    job.start = cli_seconds();
    if (status == HSP_OK)
        status =
            hsp_error_report_new(run->ctx, job.model, job.train, job.test, own, err, &job.outlook);
    job.seconds = cli_seconds() - job.start;
    if (status == HSP_OK && cli_json(run)) {
        job.file = run->arguments[0];
        job.verdict = bound_verdict(job.outlook);
        status = cli_report(run, bound_results, &job, stdout, err);
        free(job.verdict);
    } else if (status == HSP_OK) {
        bound_print_model(run, &job);
    }
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

typedef struct bound_trials {
    hsp_simulation *made;
    double seconds;
} bound_trials;

FIELDS(bound_trial_fields, hsp_trial_bound,
       FIELD(TEXT, "name", NULL, about.name, "name of the bound"),
       FIELD(TEXT, "kind", NULL, about.kind, "what it is computed from"),
       FIELD(TEXT, "about", NULL, about.about, "whose error it bounds"),
       FIELD(COUNT, "applied", NULL, applied, "trials that it applied to", .unit = "trials"),
       FIELD(COUNT, "vacuous", NULL, vacuous, "trials in which it was 1 or more", .unit = "trials"),
       FIELD(COUNT, "failed", NULL, failed, "trials in which the true error was above it",
             .unit = "trials"),
       FIELD(REAL, "mean_value", NULL, mean_value, "mean of the bound, at most 1 per trial",
             .when = "null if it never applied"),
       FIELD(REAL, "mean_error", NULL, mean_error, "mean of the true errors compared with it",
             .when = "null if it never applied"),
       FIELD(REAL, "chance", NULL, chance,
             "probability of this many failures if each trial fails with probability delta",
             .when = "null for estimates, and if it never applied"))

GETTER(bound_trial_at, hsp_simulation, made, i < made->count ? &made->bounds[i] : NULL)

GETTER_NEW(bound_all_held, hsp_simulation, made, int, !bound_broken(made))

FIELDS(bound_simulation_fields, hsp_simulation,
       FIELD(COUNT, "trials", NULL, trials, "trials", .unit = "trials"),
       FIELD(COUNT, "rows", NULL, rows, "training rows per trial", .unit = "rows"),
       FIELD(COUNT, "test_rows", NULL, test_rows, "test rows per trial", .unit = "rows"),
       FIELD(REAL, "delta", NULL, delta, "probability with which a bound may fail"),
       FIELD(SHARE, "mean_training_error", NULL, mean_train_error, "mean training error"),
       FIELD(SHARE, "mean_true_error", NULL, mean_true_error, "mean true error"),
       FIELD(SHARE, "best_error", NULL, best_error,
             "true error of the halfspace that labels the rows"),
       FIELD_GET(FLAG, "held", NULL, bound_all_held,
                 "no bound failed more often than chance explains"),
       FIELD_GET(LIST, "bounds", NULL, bound_trial_at, "the bounds", .of = bound_trial_fields))

GETTER(bound_made, bound_trials, all, all->made)

FIELDS(bound_trials_fields, bound_trials,
       FIELD_GET(PART, NULL, NULL, bound_made, NULL, .of = bound_simulation_fields),
       FIELD(SECONDS, "seconds", NULL, seconds, "time for all trials"))

static const cli_result bound_results[] = {{"bound", bound_model_fields, 0, 0},
                                           {"bound sample-size", bound_size_fields, 0, 0},
                                           {"bound simulate", bound_trials_fields, 0, 0},
                                           {NULL, NULL, 0, 0}};

static hsp_status bound_simulate(cli *run, hsp_error *err)
{
    const double start = cli_seconds();
    bound_trials all = {NULL, 0};
    hsp_status status = hsp_simulation_new(run->ctx, run->options[BOUND_ACTION], err, &all.made);
    if (status != HSP_OK) return status;
    all.seconds = cli_seconds() - start;
    if (cli_json(run))
        status = cli_report(run, &bound_results[2], &all, stdout, err);
    else
        bound_print_simulation(all.made);
    run->exit_status = bound_broken(all.made) ? 1 : 0;
    hsp_simulation_free(all.made);
    return status;
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
    .results = bound_results,
    .examples = bound_examples,
    .least = 0,
    .most = 1,
    .run = bound_run,
    .variant = bound_action,
    .variant_word = "action",
    .variant_synopsis = "[MODEL] [options]",
    .variant_else = "model",
};
