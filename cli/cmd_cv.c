/* halfspace cv LEARNER DATA: how well a learner does on rows that it has not seen. */
#include <string.h>

#include "cli.h"

enum { CV_LEARNER, CV_OWN, CV_READ };

static const cli_group cv_groups[] = {{"Learner's options", NULL},
                                      {"Options", hsp_validate_options},
                                      {"Reading options", hsp_read_options},
                                      {NULL, NULL}};

typedef struct cv {
    const char *learner, *file;
    uint64_t features, fold_seed;
    hsp_data *data;
    hsp_validation *seen;
    cli_confusion confusion;
    const char *earlier; /* what folds in time are trained on; NULL: they are not in time */
    const char *held;    /* the file of predictions; NULL: none */
    double load_seconds, cv_seconds;
} cv;

/* ---- The result ---- */

GETTER(cv_held_out, cv, done, hsp_validation_held_out(done->seen))

GETTER(cv_fold, cv, of,
       i < hsp_validation_held_out(of->seen)->folds ? hsp_validation_fold(of->seen, (uint32_t)i)
                                                    : NULL)

GETTER(cv_class, cv, of,
       i < hsp_validation_classes(of->seen) ? hsp_validation_class_name(of->seen, (uint32_t)i)
                                            : NULL)

FIELDS(cv_fields, cv, CLI_LINE("{learner} on {file}: {rows:row}, {features:feature}, {folds:fold}"),
       FIELD(TEXT, "learner", NULL, learner, "name of the learner"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(COUNT, "features", NULL, features, "columns", .unit = "columns"),
       FIELD(COUNT, "fold_seed", NULL, fold_seed, "random seed of the folds"),
       FIELD_GET(PART, NULL, NULL, cv_held_out, NULL, .of = hsp_held_out_fields),
       FIELD(TEXT, ".earlier", NULL, earlier, NULL),
       FIELD_GET(LIST, "fold",
                 "Folds, each predicted by a model trained on [{.earlier}~the others]", cv_fold,
                 "the folds", .of = hsp_fold_fields),
       FIELD_GET(LIST, "class_names", NULL, cv_class, "names of the classes",
                 .of = hsp_field_texts),
       FIELD(PART, NULL, NULL, confusion, NULL, .of = cli_confusion_fields),
       FIELD(TEXT, "held_out", NULL, held, "the file of the predictions",
             .when = "null without --held-out"),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read"),
       FIELD(SECONDS, "cv_seconds", NULL, cv_seconds, "time to train and predict"))

static const cli_result cv_results[] = {{"cv", cv_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* What must not be overlooked, whatever form the report has. */
static void cv_warn(const hsp_held_out *all)
{
    if (all->inseparable)
        cli_warn("NO SEPARATOR was found in %s of %s folds: there is no model of them, and all "
                 "their rows count as mistakes.",
                 show_count(all->inseparable), show_count(all->folds));
    if (!all->unconverged) return;
    cli_warn("DID NOT CONVERGE in %s of %s folds: the error is that of unfinished models. 'train' "
             "with the same options says what to try.",
             show_count(all->unconverged), show_count(all->folds));
}

/* One class for all held-out rows, though there are several? */
static void cv_warn_one_class(const cv *done, const hsp_options *learner)
{
    const cli_confusion *matrix = &done->confusion;
    uint32_t only = 0, seen = 0, true_classes = 0;
    for (uint32_t c = 0; c < matrix->classes; c++) {
        uint64_t as = 0, of = 0;
        for (uint32_t t = 0; t < matrix->classes; t++) {
            as += matrix->counts[(uint64_t)t * matrix->classes + c];
            of += matrix->counts[(uint64_t)c * matrix->classes + t];
        }
        if (as) only = c, seen++;
        true_classes += of > 0;
    }
    if (seen == 1 && true_classes > 1 && !hsp_validation_held_out(done->seen)->ties)
        cli_warn_one_class(hsp_validation_class_name(done->seen, only), "held-out row", learner, 0);
}

/* ---- The command ---- */

static const char *cv_class_name(const void *seen, uint32_t c)
{
    return hsp_validation_class_name(seen, c);
}

static hsp_status cv_run(cli *run, hsp_error *err)
{
    cv done = {.learner = run->variant->name,
               .file = run->arguments[0],
               .fold_seed = (uint64_t)hsp_options_integer(run->options[CV_OWN], "fold-seed")};
    const char *folds = hsp_options_text(run->options[CV_OWN], "folds");
    if (hsp_options_text(run->options[CV_OWN], "time") || strncmp(folds, "time", 4) == 0)
        done.earlier = "the rows before it";
    const char *held = done.held = hsp_options_text(run->options[CV_OWN], "held-out");
    const int taken = held && strcmp(held, "-") == 0;
    hsp_status status = cli_check_output(run, held, err);
    if (status == HSP_OK) status = cli_check_distinct("--held-out", held, done.file, err);
    if (status == HSP_OK)
        status = cli_read_for_folds(run, done.file, run->options[CV_READ], run->options[CV_OWN],
                                    err, &done.data, &done.load_seconds);
    cli_begin_output(NULL); /* from here on, Ctrl-C keeps the folds so far */
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_cross_validate(run->ctx, done.data, run->options[CV_LEARNER],
                                    run->options[CV_OWN], err, &done.seen);
    if (status == HSP_BAD_DATA && done.data)
        cli_locate(run, done.file, run->options[CV_READ], done.data, err);
    done.cv_seconds = cli_seconds() - start;
    const int partly = done.seen && (status == HSP_CANCELLED || status == HSP_TIME_LIMIT);
    if (partly) { /* the folds so far are there */
        cli_finish_output();
        if (status == HSP_CANCELLED) run->exit_status = cli_stop_status();
        cli_warn("%s: the figures are of the folds that were finished.",
                 status == HSP_CANCELLED ? "stopped on request" : "--max-seconds ended the search");
        status = HSP_OK;
    }
    if (status == HSP_OK) {
        done.features = hsp_data_cols(done.data);
        done.confusion =
            (cli_confusion){hsp_validation_classes(done.seen), hsp_validation_confusion(done.seen),
                            cv_class_name, done.seen};
        status = cli_report(run, cv_results, &done, taken ? stderr : stdout, err);
        if (!cli_json(run)) cli_confusion_print(&done.confusion, taken ? stderr : stdout);
        fflush(stdout);
        if (held && !partly) cli_say(run, "wrote %s", show_output(held));
        cv_warn(hsp_validation_held_out(done.seen));
        cv_warn_one_class(&done, run->options[CV_LEARNER]);
    }
    hsp_validation_free(done.seen);
    hsp_data_free(done.data);
    return status;
}

static const cli_term cv_arguments[] = {
    {"LEARNER", "the learner; without one, the learners are listed"},
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input. "
     "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term cv_examples[] = {
    {"halfspace cv perceptron --average average iris.csv", "five folds"},
    {"halfspace cv perceptron --folds 10 --scale standard train.svm",
     "ten folds; the scaling is fitted to the nine training folds"},
    {"halfspace cv logistic --score auc --held-out rows.csv churn.csv",
     "the area under the ROC curve; the prediction for each row goes to rows.csv"},
    {NULL, NULL}};

const cli_command cli_cv = {
    .name = "cv",
    .summary = "estimate a learner's error by cross-validation",
    .synopsis = "LEARNER [options] DATA...",
    .description =
        "Divide the rows into folds, at random by a seed and in proportion for each class; "
        "predict each fold by a model trained on all others, with the options of train; report "
        "the mean of the folds' errors (and of the score that --score names) and its standard "
        "error, next to the score of predicting the most frequent class always. Everything that is "
        "fitted, "
        "including scaling, is fitted to the training rows of each fold. No model is "
        "kept.\n\nFolds run in parallel, each on its own copy of the rows. --max-seconds limits "
        "the "
        "whole command and --run-seconds each fold; other limits apply to each fold. The first "
        "Ctrl-C, and the end of --max-seconds, keep the folds that were finished. Folds that did "
        "not converge are counted, with a "
        "warning; the status is still 0.",
    .arguments = cv_arguments,
    .groups = cv_groups,
    .results = cv_results,
    .examples = cv_examples,
    .least = 1,
    .most = 1,
    .several = 1,
    .ranks = 1,
    .run = cv_run,
    .variant = hsp_learner,
    .variant_word = "learner",
    .variant_synopsis = "[options] DATA...",
};
