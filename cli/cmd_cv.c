/* halfspace cv LEARNER DATA: how well a learner does on rows that it has not seen. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { CV_LEARNER, CV_OWN, CV_READ };

#define CV_CLASSES 20 /* shown to people; JSON has them all */

static const cli_group cv_groups[] = {{"Learner's options", NULL},
                                      {"Options", hsp_validate_options},
                                      {"Reading options", hsp_read_options},
                                      {NULL, NULL}};

typedef struct cv {
    hsp_data *data;
    hsp_validation *seen;
    double load_seconds, cv_seconds;
} cv;

/* ---- For people ---- */

/* "4.0% +- 1.2%": a mean and its standard error. */
char *cli_error_text(const hsp_held_out *all)
{
    return cli_format("%s +- %s", show_share(all->error), show_share(all->standard_error));
}

static void cv_print_folds(const cv *done)
{
    const uint32_t folds = hsp_validation_held_out(done->seen)->folds;
    cli_table table;
    table_begin(&table, "lrrrl");
    table_cell(&table, "fold");
    table_cell(&table, "rows");
    table_cell(&table, "mistakes");
    table_cell(&table, "error");
    table_cell(&table, "ended by");
    for (uint32_t f = 0; f < folds; f++) {
        const hsp_fold *fold = hsp_validation_fold(done->seen, f);
        table_cell(&table, "%s", show_count(f + 1));
        table_cell(&table, "%s", show_count(fold->rows));
        table_cell(&table, "%s", show_count(fold->mistakes));
        table_cell(&table, "%s", show_share(fold->error));
        table_cell(&table, "%s", hsp_stop_name(fold->stop));
    }
    printf("\nFolds, each predicted by what was learnt from the others\n");
    table_print(&table, stdout);
}

static void cv_print_classes(const cv *done)
{
    const uint32_t classes = hsp_validation_classes(done->seen);
    const uint64_t *confusion = hsp_validation_confusion(done->seen);
    char columns[CV_CLASSES + 2] = "l";
    cli_table table;
    if (classes > CV_CLASSES) {
        printf("\n%s classes: --json has the table.\n", show_count(classes));
        return;
    }
    memset(columns + 1, 'r', classes);
    columns[classes + 1] = 0;
    table_begin(&table, columns);
    table_cell(&table, "class");
    for (uint32_t c = 0; c < classes; c++)
        table_cell(&table, "as %s", show_name(hsp_validation_class_name(done->seen, c)));
    for (uint32_t t = 0; t < classes; t++) {
        table_cell(&table, "%s", show_name(hsp_validation_class_name(done->seen, t)));
        for (uint32_t c = 0; c < classes; c++)
            table_cell(&table, "%s", show_count(confusion[(size_t)t * classes + c]));
    }
    printf("\nClasses, and what their rows were taken as\n");
    table_print(&table, stdout);
}

static void cv_print(const cli *run, const cv *done)
{
    const hsp_held_out *all = hsp_validation_held_out(done->seen);
    char *error = cli_error_text(all);
    cli_table table;
    printf("%s on %s: %s row%s, %s feature%s, %s folds\n", run->variant->name,
           show_input(run->arguments[0]), show_count(all->rows), plural(all->rows),
           show_count(hsp_data_cols(done->data)), plural(hsp_data_cols(done->data)),
           show_count(all->folds));
    table_begin(&table, "ll");
    table_line(&table, "error", "%s (%s of %s rows)", error, show_count(all->mistakes),
               show_count(all->rows));
    table_line(&table, "ties", "%s", show_count(all->ties));
    table_line(&table, "converged", "in %s of %s folds",
               show_count(all->folds - all->unconverged - all->inseparable),
               show_count(all->folds));
    if (all->inseparable)
        table_line(&table, "no separator", "found in %s of %s folds", show_count(all->inseparable),
                   show_count(all->folds));
    table_print(&table, stdout);
    free(error);
    cv_print_folds(done);
    cv_print_classes(done);
}

/* What must not be overlooked, whatever form the report has. */
static void cv_warn(const hsp_held_out *all)
{
    cli_progress_clear();
    if (all->inseparable)
        fprintf(stderr,
                "halfspace: warning: NO SEPARATOR was found in %s of %s folds: there is no model "
                "of them, "
                "and all their rows count as mistakes.\n",
                show_count(all->inseparable), show_count(all->folds));
    if (!all->unconverged) return;
    fprintf(stderr,
            "halfspace: warning: DID NOT CONVERGE in %s of %s folds: the error is that of "
            "unfinished models. 'train' with the same options says what to try.\n",
            show_count(all->unconverged), show_count(all->folds));
}

/* ---- For machines ---- */

static const cli_term cv_keys[] = {
    {"learner, file", "its name, and the file"},
    {"rows, features", "rows that were predicted, numbers of columns"},
    {"folds, fold_seed", "how many folds, and the seed that dealt them"},
    {"error, standard_error", "mean of the folds' errors, and its standard error"},
    {"mistakes, ties", "over all folds; a tie is a mistake"},
    {"unconverged", "folds whose learning ended before it was done"},
    {"inseparable", "folds without a model, since no separator was found: all rows are mistakes"},
    {"fold", "array: rows, mistakes, ties, error, and stop, why learning ended"},
    {"class_names", "the classes"},
    {"confusion", "array of arrays: rows of each class, by what they were taken as; ties are in "
                  "none"},
    {"load_seconds, cv_seconds", "time to read, and to learn and measure"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void cv_json_folds(cli_json_writer *json, const cv *done)
{
    json_open(json, "fold", '[');
    for (uint32_t f = 0; f < hsp_validation_held_out(done->seen)->folds; f++) {
        const hsp_fold *fold = hsp_validation_fold(done->seen, f);
        json_open(json, NULL, '{');
        json_count(json, "rows", fold->rows);
        json_count(json, "mistakes", fold->mistakes);
        json_count(json, "ties", fold->ties);
        json_number(json, "error", fold->error);
        json_text(json, "stop", hsp_stop_name(fold->stop));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void cv_json(const cli *run, const cv *done)
{
    const hsp_held_out *all = hsp_validation_held_out(done->seen);
    const uint32_t classes = hsp_validation_classes(done->seen);
    const uint64_t *confusion = hsp_validation_confusion(done->seen);
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "learner", run->variant->name);
    json_text(&json, "file", run->arguments[0]);
    json_count(&json, "rows", all->rows);
    json_count(&json, "features", hsp_data_cols(done->data));
    json_count(&json, "folds", all->folds);
    json_count(&json, "fold_seed",
               (uint64_t)hsp_options_integer(run->options[CV_OWN], "fold-seed"));
    json_number(&json, "error", all->error);
    json_number(&json, "standard_error", all->standard_error);
    json_count(&json, "mistakes", all->mistakes);
    json_count(&json, "ties", all->ties);
    json_count(&json, "unconverged", all->unconverged);
    json_count(&json, "inseparable", all->inseparable);
    cv_json_folds(&json, done);
    json_open(&json, "class_names", '[');
    for (uint32_t c = 0; c < classes; c++)
        json_text(&json, NULL, hsp_validation_class_name(done->seen, c));
    json_close(&json, ']');
    json_open(&json, "confusion", '[');
    for (uint32_t c = 0; c < classes; c++)
        json_counts(&json, NULL, confusion + (size_t)c * classes, classes);
    json_close(&json, ']');
    json_seconds(&json, "load_seconds", done->load_seconds);
    json_seconds(&json, "cv_seconds", done->cv_seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

static hsp_status cv_run(cli *run, hsp_error *err)
{
    cv done = {0};
    hsp_status status = cli_read(run, run->arguments[0], run->options[CV_READ], NULL, err,
                                 &done.data, &done.load_seconds);
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_cross_validate(run->ctx, done.data, run->options[CV_LEARNER],
                                    run->options[CV_OWN], err, &done.seen);
    if (status == HSP_BAD_DATA && done.data)
        cli_locate(run, run->arguments[0], run->options[CV_READ], done.data, err);
    done.cv_seconds = cli_seconds() - start;
    if (status == HSP_OK) {
        cli_progress_clear();
        if (cli_json(run))
            cv_json(run, &done);
        else
            cv_print(run, &done);
        fflush(stdout);
        cv_warn(hsp_validation_held_out(done.seen));
    }
    hsp_validation_free(done.seen);
    hsp_data_free(done.data);
    return status;
}

static const cli_term cv_arguments[] = {
    {"LEARNER", "what learns; without one, the learners are listed"},
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input"},
    {NULL, NULL}};

static const cli_term cv_examples[] = {
    {"halfspace cv perceptron --average average iris.csv", "five folds"},
    {"halfspace cv perceptron --folds 10 --scale standard train.svm",
     "ten folds; the scaling is fitted to the nine that are learnt from"},
    {NULL, NULL}};

const cli_command cli_cv = {
    .name = "cv",
    .summary = "estimate a learner's error by cross-validation",
    .synopsis = "LEARNER [options] DATA",
    .description =
        "Deal the rows into folds, at random by a seed and each class evenly; predict each fold by "
        "a model learnt from all the others, with the options that train would be given; report "
        "the mean of the folds' errors and how far to trust it. Whatever is fitted to the rows, "
        "scaling too, is fitted to those learnt from. No model is kept.\n\n"
        "Folds run in parallel, each on its own copy of the rows. Limits such as --max-seconds "
        "hold for one fold. Folds whose learning did not converge are counted, and standard error "
        "says so; the status is 0 all the same.",
    .arguments = cv_arguments,
    .groups = cv_groups,
    .keys = cv_keys,
    .examples = cv_examples,
    .least = 1,
    .most = 1,
    .run = cv_run,
    .variant = hsp_learner,
    .variant_word = "learner",
    .variant_synopsis = "[options] DATA",
};
