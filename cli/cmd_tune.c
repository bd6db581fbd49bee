/* halfspace tune LEARNER --tune NAME=VALUES DATA: choose options by cross-validation, then train on
 * everything with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TUNE_LEARNER, TUNE_OWN, TUNE_OUTPUT, TUNE_READ };

static const hsp_option tune_output[] = {
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "file to save the model to; without it, only the report is printed"},
};

static const hsp_option_table *tune_output_options(void)
{
    static const hsp_option_table table = {"output", "where the model goes", tune_output, 1};
    return &table;
}

static const cli_group tune_groups[] = {{"Learner's options", NULL},
                                        {"Tuning options", hsp_tune_options},
                                        {"Options", tune_output_options},
                                        {"Reading options", hsp_read_options},
                                        {NULL, NULL}};

typedef struct tune {
    const char *path, *out; /* out: NULL for none */
    hsp_data *data;
    hsp_tuning *seen;
    hsp_training run;
    hsp_model *model; /* NULL: a separator was demanded, and there is none */
    double load_seconds, tune_seconds;
} tune;

/* ---- For people ---- */

#define TUNE_COLUMNS 32 /* options shown; the line of what was chosen has all */

/* What was not as one might hope at a point. */
static char *tune_note(const hsp_held_out *all)
{
    if (all->unconverged && all->inseparable)
        return cli_format("unconverged in %s, no separator in %s of %s folds",
                          show_count(all->unconverged), show_count(all->inseparable),
                          show_count(all->folds));
    if (!all->unconverged && !all->inseparable) return cli_format("%s", "");
    return cli_format("%s in %s of %s folds", all->unconverged ? "unconverged" : "no separator",
                      show_count(all->unconverged + all->inseparable), show_count(all->folds));
}

static void tune_print_points(const tune *done, FILE *file)
{
    char columns[TUNE_COLUMNS + 4] = "";
    size_t count = 0;
    cli_table table;
    while (count < TUNE_COLUMNS && hsp_tuning_option(done->seen, count))
        columns[count++] = 'r';
    memcpy(columns + count, "rrl", 4);
    table_begin(&table, columns);
    for (size_t i = 0; i < count; i++)
        table_cell(&table, "%s", hsp_tuning_option(done->seen, i));
    table_cell(&table, "error");
    table_cell(&table, "+-");
    table_cell(&table, "%s", "");
    for (uint64_t p = 0; p < hsp_tuning_points(done->seen); p++) {
        const hsp_held_out *all = hsp_tuning_held_out(done->seen, p);
        const int best = p == hsp_tuning_best(done->seen);
        const int chosen = p == hsp_tuning_chosen(done->seen);
        for (size_t i = 0; i < count; i++)
            table_cell(&table, "%s", show_name(hsp_tuning_value(done->seen, p, i)));
        table_cell(&table, "%s", show_share(all->error));
        table_cell(&table, "%s", show_share(all->standard_error));
        char *note = tune_note(all);
        table_cell(&table, "%s%s%s",
                   chosen && best ? "<- best, chosen"
                   : chosen       ? "<- chosen: the simplest near the best"
                   : best         ? "<- best"
                                  : "",
                   *note && (best || chosen) ? "; " : "", note);
        free(note);
    }
    table_print(&table, file);
}

/* "C 0.1, loss hinge". */
static char *tune_chosen_text(const tune *done)
{
    char *text = cli_format("%s", "");
    for (size_t i = 0; hsp_tuning_option(done->seen, i); i++) {
        char *longer =
            cli_format("%s%s%s %s", text, i ? ", " : "", hsp_tuning_option(done->seen, i),
                       show_name(hsp_tuning_value(done->seen, hsp_tuning_chosen(done->seen), i)));
        free(text);
        text = longer;
    }
    return text;
}

static void tune_print(const cli *run, const tune *done, FILE *file)
{
    const hsp_held_out *all = hsp_tuning_held_out(done->seen, hsp_tuning_chosen(done->seen));
    char *chosen = tune_chosen_text(done), *error = cli_error_text(all);
    const uint64_t points = hsp_tuning_points(done->seen);
    cli_table table;
    fprintf(file, "%s on %s: %s row%s, %s feature%s, %s folds, %s point%s\n", run->variant->name,
            show_input(done->path), show_count(all->rows), plural(all->rows),
            show_count(hsp_data_cols(done->data)), plural(hsp_data_cols(done->data)),
            show_count(all->folds), show_count(points), plural(points));
    tune_print_points(done, file);
    fputc('\n', file);
    table_begin(&table, "ll");
    table_line(&table, "chosen", "%s", chosen);
    table_line(&table, "validation error", "%s", error);
    table_line(&table, "trained on all", "%s",
               done->run.stop == HSP_STOP_CONVERGED ? "converged"
               : done->run.stop == HSP_STOP_INSEPARABLE
                   ? "no separator was found: there is no model"
                   : "did not converge");
    if (done->model && !isnan(done->run.training_error))
        table_line(&table, "training error", "%s", show_share(done->run.training_error));
    table_print(&table, file);
    free(chosen);
    free(error);
}

/* What must not be overlooked, whatever form the report has. */
static void tune_warn(const tune *done)
{
    uint64_t points = 0, none = 0;
    for (uint64_t p = 0; p < hsp_tuning_points(done->seen); p++) {
        points += hsp_tuning_held_out(done->seen, p)->unconverged > 0;
        none += hsp_tuning_held_out(done->seen, p)->inseparable > 0;
    }
    cli_progress_clear();
    if (none)
        fprintf(stderr,
                "halfspace: warning: at %s of %s points in some folds NO SEPARATOR was found: "
                "there is no "
                "model of them, and all their rows count as mistakes.\n",
                show_count(none), show_count(hsp_tuning_points(done->seen)));
    if (points)
        fprintf(stderr,
                "halfspace: warning: at %s of %s points some folds DID NOT CONVERGE: their errors "
                "are those of unfinished models.\n",
                show_count(points), show_count(hsp_tuning_points(done->seen)));
    if (done->run.stop == HSP_STOP_REQUEST)
        fprintf(stderr, "halfspace: stopped on request; the model so far is %s%s\n",
                done->out ? "in " : "not kept", done->out ? show_output(done->out) : "");
    else if (done->run.stop == HSP_STOP_INSEPARABLE)
        fprintf(stderr, "halfspace: no separator was found, so there is no model\n");
    else if (done->run.stop != HSP_STOP_CONVERGED)
        fprintf(stderr,
                "halfspace: warning: training on all rows DID NOT CONVERGE (%s). 'train' "
                "with the chosen options says what to try.\n",
                hsp_stop_name(done->run.stop));
}

/* ---- For machines ---- */

static const cli_term tune_keys[] = {
    {"learner, file", "its name, and the file"},
    {"rows, features", "rows that were predicted, numbers of columns"},
    {"folds, fold_seed", "how many folds, and the seed that dealt them"},
    {"choose", "best or one-standard-error"},
    {"points", "array: values (an object, options by name), error, standard_error, mistakes, "
               "unconverged and inseparable (folds), and fold_errors"},
    {"best, chosen", "places in points, from 0"},
    {"options", "the values that were chosen, by name"},
    {"error, standard_error", "of the chosen point: mean of the folds' errors, and its standard "
                              "error"},
    {"converged, stop", "of the training on all rows: true when it was done; why it ended"},
    {"training_error", "of the model on all rows; null when there is none"},
    {"model", "the file given to -o, or null"},
    {"load_seconds, tune_seconds", "time to read, and to try, choose and train"},
    {"train_seconds", "the part of it for training on all rows"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void tune_json_values(cli_json_writer *json, const char *key, const tune *done, uint64_t p)
{
    json_open(json, key, '{');
    for (size_t i = 0; hsp_tuning_option(done->seen, i); i++)
        json_text(json, hsp_tuning_option(done->seen, i), hsp_tuning_value(done->seen, p, i));
    json_close(json, '}');
}

static void tune_json_points(cli_json_writer *json, const tune *done)
{
    json_open(json, "points", '[');
    for (uint64_t p = 0; p < hsp_tuning_points(done->seen); p++) {
        const hsp_held_out *all = hsp_tuning_held_out(done->seen, p);
        double *errors = cli_memory(NULL, all->folds * sizeof *errors);
        for (uint32_t f = 0; f < all->folds; f++)
            errors[f] = hsp_tuning_fold(done->seen, p, f)->error;
        json_open(json, NULL, '{');
        tune_json_values(json, "values", done, p);
        json_number(json, "error", all->error);
        json_number(json, "standard_error", all->standard_error);
        json_count(json, "mistakes", all->mistakes);
        json_count(json, "unconverged", all->unconverged);
        json_count(json, "inseparable", all->inseparable);
        json_numbers(json, "fold_errors", errors, all->folds);
        json_close(json, '}');
        free(errors);
    }
    json_close(json, ']');
}

static void tune_json(const cli *run, const tune *done)
{
    const uint64_t chosen = hsp_tuning_chosen(done->seen);
    const hsp_held_out *all = hsp_tuning_held_out(done->seen, chosen);
    const hsp_options *own = run->options[TUNE_OWN];
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "learner", run->variant->name);
    json_text(&json, "file", done->path);
    json_count(&json, "rows", all->rows);
    json_count(&json, "features", hsp_data_cols(done->data));
    json_count(&json, "folds", all->folds);
    json_count(&json, "fold_seed", (uint64_t)hsp_options_integer(own, "fold-seed"));
    json_text(&json, "choose", hsp_options_text(own, "choose"));
    tune_json_points(&json, done);
    json_count(&json, "best", hsp_tuning_best(done->seen));
    json_count(&json, "chosen", chosen);
    tune_json_values(&json, "options", done, chosen);
    json_number(&json, "error", all->error);
    json_number(&json, "standard_error", all->standard_error);
    json_flag(&json, "converged", done->run.stop == HSP_STOP_CONVERGED);
    json_text(&json, "stop", hsp_stop_name(done->run.stop));
    json_number(&json, "training_error", done->model ? done->run.training_error : (double)NAN);
    json_text(&json, "model", done->model ? done->out : NULL);
    json_seconds(&json, "load_seconds", done->load_seconds);
    json_seconds(&json, "tune_seconds", done->tune_seconds);
    json_seconds(&json, "train_seconds", done->run.train_seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

static hsp_status tune_check(const cli *run, const tune *todo, hsp_error *err)
{
    if (!todo->out) return HSP_OK;
    hsp_status status = cli_check_output(run, todo->out, err);
    if (status == HSP_OK) status = cli_check_place(todo->out, err);
    if (status == HSP_OK) status = cli_check_apart("-o", todo->out, todo->path, err);
    return status;
}

static void tune_report(cli *run, const tune *done)
{
    const int taken = done->out && strcmp(done->out, "-") == 0;
    cli_progress_clear();
    if (cli_json(run))
        tune_json(run, done);
    else
        tune_print(run, done, taken ? stderr : stdout);
    fflush(stdout);
    if (done->out && done->model) cli_say(run, "wrote %s", show_output(done->out));
    tune_warn(done);
    if (done->run.stop == HSP_STOP_REQUEST) run->exit_status = cli_stop_status();
    if (done->run.stop == HSP_STOP_INSEPARABLE) run->exit_status = 1;
}

static hsp_status tune_run(cli *run, hsp_error *err)
{
    tune todo = {.path = run->arguments[0],
                 .out = hsp_options_text(run->options[TUNE_OUTPUT], "output")};
    hsp_status status = tune_check(run, &todo, err);
    if (status == HSP_OK)
        status = cli_read(run, todo.path, run->options[TUNE_READ], NULL, err, &todo.data,
                          &todo.load_seconds);
    cli_begin_output(); /* from here on, Ctrl-C keeps what was learnt from all rows */
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_tune(run->ctx, todo.data, run->options[TUNE_LEARNER], run->options[TUNE_OWN],
                          err, &todo.seen, &todo.run, &todo.model);
    if (status == HSP_BAD_DATA && todo.data)
        cli_locate(run, todo.path, run->options[TUNE_READ], todo.data, err);
    todo.tune_seconds = cli_seconds() - start;
    if (status == HSP_CANCELLED && todo.model) status = HSP_OK; /* the model so far is there */
    cli_finish_output();
    if (status == HSP_OK && todo.out && todo.model)
        status = hsp_model_write(run->ctx, todo.model, todo.out, err);
    if (status == HSP_OK) tune_report(run, &todo);
    hsp_evidence_free(todo.run.evidence);
    hsp_model_free(todo.model);
    hsp_tuning_free(todo.seen);
    hsp_data_free(todo.data);
    return status;
}

static const cli_term tune_arguments[] = {
    {"LEARNER", "what learns; without one, the learners are listed"},
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input"},
    {NULL, NULL}};

static const cli_term tune_examples[] = {
    {"halfspace tune svm --tune C=1e-4:1e4:log:20 train.svm -o model.hsp",
     "twenty values of C, evenly spaced in their logarithms"},
    {"halfspace tune svm --tune C=0.01:100:log:9 --tune loss=hinge,squared --choose "
     "one-standard-error "
     "train.svm -o model.hsp",
     "all combinations; the simplest within one standard error of the best"},
    {"halfspace tune perceptron --tune passes=1,2,5,10 --tune average=none,average iris.csv",
     "how long to learn, and what to hand over"},
    {NULL, NULL}};

const cli_command cli_tune = {
    .name = "tune",
    .summary = "choose a learner's options by cross-validation, then train with them",
    .synopsis = "LEARNER --tune NAME=VALUES ... [options] DATA [-o MODEL]",
    .description =
        "Cross-validate a learner (see cv) for every combination of the values given by --tune, "
        "all on the same folds; list the errors; choose; and train on all rows with the options "
        "that were chosen: the model is what train makes with them, and remembers the table.\n\n"
        "VALUES are LOW:HIGH:log:COUNT or LOW:HIGH:lin:COUNT, COUNT numbers from LOW to HIGH in "
        "equal ratios or steps (inner ones to six digits; for a whole-number option, whole), or a "
        "list A,B,C. Options that say what is learnt or written down cannot be tuned.\n\n"
        "--choose best takes the smallest mean error. --choose one-standard-error takes, among the "
        "points "
        "whose error is at most one standard error above it, the simplest: the smallest C, the "
        "largest lambda, of any other option the value given first; the first --tune in which two "
        "points differ decides.\n\n"
        "Limits such as --max-seconds hold for one run: one point on one fold. Ctrl-C while points "
        "are tried ends the command with status 130 and no model; while the chosen one is trained "
        "it keeps the model so far.",
    .arguments = tune_arguments,
    .groups = tune_groups,
    .keys = tune_keys,
    .examples = tune_examples,
    .least = 1,
    .most = 1,
    .run = tune_run,
    .variant = hsp_learner,
    .variant_word = "learner",
    .variant_synopsis = "--tune NAME=VALUES ... [options] DATA [-o MODEL]",
};
