/* halfspace train LEARNER DATA: learn from a data file, or in one pass from a stream, and keep the
 * model. A run that did not converge says so; one that was stopped keeps the model so far. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TRAIN_LEARNER, TRAIN_OWN, TRAIN_READ };

CLI_OPTIONS(
    train_options, "train",
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "file to save the model to; without it, only the report is printed"},
    {"stream", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "learn in one pass without keeping the rows in memory; the default for standard input with "
     "--passes 1"},
    {"checkpoint", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "keep the state of the training in FILE; if FILE exists, go on from it, to the same model. "
     "It is removed when the model is saved"},
    {"every", HSP_OPTION_REAL, "600", 0, 1e9, NULL, "SECONDS",
     "with --checkpoint: time from one state that is saved to the next; 0: after every pass or "
     "step"},
    {"certify", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also write a certificate of the data and the model to MODEL.cert, as the command certify "
     "does"})

static const cli_group train_groups[] = {{"Learner's options", NULL},
                                         {"Options", train_options},
                                         {"Reading options", hsp_read_options},
                                         {NULL, NULL}};

typedef struct train {
    const char *learner, *path, *out, *trace, *passes; /* the last three: NULL for none */
    const char *checkpoint;                            /* NULL: none */
    int stream;
    hsp_training run;
    hsp_data *data;   /* NULL: a stream */
    hsp_model *model; /* NULL: the answer is that there is none */
    double load_seconds;
    int confirmed; /* a separator was demanded, and what was found has been tried exactly: */
    hsp_confirmation confirmation;
    int certify;
    char *certificate; /* where it goes; malloc'ed, or NULL: nowhere */
    cli_certified certified;

    /* for the report */
    const char *file;    /* the path, or "standard input" */
    double target;       /* the gap that was asked for; NaN: this learner has no such option */
    const char *margins; /* "": support vectors and margin mean something to this learner */
    char *space;         /* where the margin is measured: " after --scale standard"; malloc'ed */
    char *separates;     /* what was confirmed, malloc'ed, or NULL */
    const char *kept;    /* the file that the model is in, or NULL */
    uint64_t weights;    /* other than 0, of all scorers; UINT64_MAX: there are none */
} train;

static int train_has(const cli *run, const char *option)
{
    for (size_t i = 0; i < run->variant->count; i++)
        if (strcmp(run->variant->options[i].name, option) == 0) return 1;
    return 0;
}

/* The text of a learner's option; NULL also for a learner without it. */
static const char *train_text(const cli *run, const char *option)
{
    return train_has(run, option) ? hsp_options_text(run->options[TRAIN_LEARNER], option) : NULL;
}

/* Is the learner's flag set? */
static int train_is(const cli *run, const char *option)
{
    return train_has(run, option) && hsp_options_flag(run->options[TRAIN_LEARNER], option);
}

/* The gap that was asked for. */
static double train_gap(const cli *run)
{
    return train_has(run, "gap") ? hsp_options_real(run->options[TRAIN_LEARNER], "gap")
                                 : (double)NAN;
}

/* ---- The result ---- */

GETTER(train_margin_class, train, done,
       done->model ? hsp_model_class_name(done->model, done->run.convergence.margin_class) : NULL)
GETTER(train_margin_other, train, done,
       done->model ? hsp_model_class_name(done->model, done->run.convergence.margin_other) : NULL)
GETTER(train_minimised, train, done, done->run.convergence.solver ? done : NULL)
GETTER(train_experts, train, done, done->run.experts.count ? done : NULL)
GETTER(train_confirmation, train, done, done->confirmed ? &done->confirmation : NULL)
GETTER(train_certified, train, done, done->certify ? done : NULL)

/* On the decimals of the file the error is another one. */
GETTER(train_as_stored, train, done,
       done->confirmed && done->confirmation.row != UINT64_MAX ? " with the values as stored"
                                                               : NULL)

static const void *train_best_expert(const void *record, size_t i, void *room)
{
    const train *done = record;
    const uint64_t best = done->run.experts.best;
    (void)i;
    if (done->run.experts.several) return NULL;
    if (hsp_model_feature_name(done->model, best)) return hsp_model_feature_name(done->model, best);
    snprintf(room, HSP_FIELD_ROOM, "%llu", (unsigned long long)best + 1);
    return room;
}

/* Without a model, those of the file, if they are the ones that were learned. */
GETTER(train_class_name, train, done,
       i >= done->run.classes ? NULL
       : done->model          ? hsp_model_class_name(done->model, (uint32_t)i)
       : hsp_data_classes(done->data) == done->run.classes
           ? hsp_data_class_name(done->data, (uint32_t)i)
           : NULL)
/* With its numbers; "wave" of Fourier features is not the kernel that was asked for. */
GETTER(train_kernel, train, done,
       done->model &&hsp_model_kernel(done->model) &&
               strcmp(hsp_model_kernel(done->model), "wave") != 0 &&
               strcmp(hsp_model_hypothesis(done->model), "kernel") == 0
           ? hsp_model_kernel(done->model)
           : NULL)
GETTER(train_neighbors, train, done, cli_knn(done->model, room))

FIELDS(train_minimised_fields, train,
       FIELD_GET(TEXT, "margin_class", NULL, train_margin_class,
                 "of several binary problems, the class whose margin is the smallest",
                 .when = "null with one problem"),
       FIELD_GET(TEXT, "margin_other", NULL, train_margin_other,
                 "one-vs-one: the class that it is separated from", .when = "null for the rest"))

FIELDS(
    train_experts_fields, train,
    FIELD_GET(TEXT, "best_expert", "best expert", train_best_expert,
              "the expert with the fewest mistakes: the name of its column, or the number from 1",
              .when = "null with more than two classes",
              .text = "{.negation}{}, with {best_share} of the weight"))

FIELDS(train_certified_fields, train,
       FIELD(TEXT, "certificate", NULL, certificate, "the file of the certificate",
             .when = "null without -o"),
       FIELD(PART, NULL, NULL, certified, NULL, .of = cli_certified_fields))

FIELDS(train_fields, train, FIELD(PART, NULL, NULL, data, NULL, .of = cli_numbers_fields),
       CLI_LINE("{learner} on {.file}: {rows:row}, {features:feature}, classes {class_names}"),
       FIELD(TEXT, ".file", NULL, file, NULL), FIELD(REAL, ".target", NULL, target, NULL),
       FIELD(TEXT, ".margins", NULL, margins, NULL), FIELD(TEXT, ".space", NULL, space, NULL),
       FIELD_GET(TEXT, ".as_stored", NULL, train_as_stored, NULL),
       FIELD(TEXT, "learner", NULL, learner, "name of the learner"),
       FIELD_GET(LIST, "class_names", NULL, train_class_name, "names of the classes",
                 .of = hsp_field_texts),
       FIELD_GET(OBJECT, "neighbors", NULL, train_neighbors, "a model of nearest neighbours",
                 .when = "null for other learners", .of = hsp_knn_fields),
       FIELD_GET(PART, NULL, NULL, train_experts, NULL, .optional = 1, .of = train_experts_fields),
       FIELD_GET(TEXT, "kernel", "kernel", train_kernel, "the kernel, rules replaced by numbers",
                 .when = "null unless the model is a kernel's"),
       FIELD(PART, NULL, NULL, run, NULL, .of = hsp_training_fields),
       FIELD_GET(PART, NULL, NULL, train_minimised, "Learners that minimise an objective",
                 .optional = 1, .of = train_minimised_fields),
       FIELD(TEXT, NULL, "separates", separates, NULL),
       FIELD_GET(OBJECT, "confirmation", NULL, train_confirmation,
                 "the answer of a learner that demands a separator, confirmed in exact arithmetic",
                 .when = "absent unless a separator was demanded (svm --hard, lp)", .optional = 1,
                 .of = hsp_confirmation_fields),
       FIELD(COUNT, "nonzero_weights", "weights", weights, "weights other than 0, over all scorers",
             .when = "null for models without weights", .text = "{} non-zero"),
       FIELD(TEXT, "model", NULL, kept, "the file of the model", .when = "null without -o"),
       FIELD_GET(OBJECT, "certified", NULL, train_certified, "the certificate",
                 .when = "null without --certify", .of = train_certified_fields),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read (a stream: 0)"))

static const cli_result train_results[] = {{"train", train_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* Where the rows lie whose margin is reported: in the kernel's space, or as they were scaled. */
static char *train_space(const cli *run)
{
    const char *scale = train_text(run, "scale"), *rows = train_text(run, "normalize");
    const int scaled = scale && strcmp(scale, "none") != 0;
    const int normalized = rows && strcmp(rows, "none") != 0;
    if (train_text(run, "kernel"))
        return cli_format(" in the %s feature space%s",
                          train_text(run, "approx") ? "approximate" : "kernel's",
                          scaled || normalized ? ", of the rows as scaled" : "");
    return cli_format("%s%s%s%s", scaled ? " after --scale " : "", scaled ? scale : "",
                      normalized ? " after --normalize " : "", normalized ? rows : "");
}

#define TRAIN_ACROSS 5 /* values of k side by side */

/* The table by which the number of neighbours was chosen. */
static void train_print_neighbors(const hsp_model *model, FILE *file)
{
    hsp_knn_report near = {.size = sizeof near};
    cli_table table;
    if (!hsp_model_knn(model, &near) || !near.tried) return;
    const uint64_t lines = (near.tried + TRAIN_ACROSS - 1) / TRAIN_ACROSS;
    fprintf(file, "\nLeave-one-out error by the number of neighbours\n");
    table_begin(&table, "rrrrrrrrrr");
    for (uint64_t line = 0; line < lines; line++)
        for (uint64_t column = 0; column < TRAIN_ACROSS; column++) {
            const uint64_t k = column * lines + line;
            const int there = k < near.tried;
            table_cell(&table, "%s", there ? show_count(k + 1) : "");
            table_cell(&table, "%s",
                       there ? show_share((double)near.mistakes[k] / (double)near.rows) : "");
        }
    table_print(&table, file);
}

/* ---- A separator that was demanded ---- */

/* The answer is confirmed in exact arithmetic before it is printed. Rows are counted from 1. */

#define TRAIN_SHOWN 20 /* rows of evidence, for people */

/* "the decimals of the file". */
static const char *train_numbers(const hsp_confirmation *confirmed, const hsp_data *data)
{
    if (confirmed->decimals) return "the decimals of the file";
    return hsp_data_precision(data) == HSP_FLOAT32 ? "the values as stored in single precision"
                                                   : "the values as stored in double precision";
}

/* ", with a margin of at least 0.5"; nothing of a margin below the range of doubles. */
static const char *train_margin(double margin)
{
    static char text[64];
    snprintf(text, sizeof text, ", with a margin of at least %s", show_number(margin));
    return margin > 0 ? text : "";
}

/* "setosa against the rest: "; nothing of two classes. To be freed. */
static char *train_classes(const char *of, const char *against)
{
    char *left = cli_format("%s", of ? show_name(of) : "");
    char *all = of ? cli_format("%s against %s: ", left, against ? show_name(against) : "the rest")
                   : cli_format("%s", "");
    free(left);
    return all;
}

/* What a model shows. */
static char *train_separates_text(const hsp_confirmation *confirmed, const hsp_data *data)
{
    const char *numbers = train_numbers(confirmed, data);
    if (confirmed->answer == HSP_SEPARATES)
        return cli_format("all rows, confirmed in exact arithmetic on %s", numbers);
    if (confirmed->row == UINT64_MAX)
        return cli_format("not confirmed in exact arithmetic: %s", confirmed->why);
    const int separable = confirmed->answer == HSP_SEPARABLE;
    char *classes = train_classes(confirmed->of, confirmed->against);
    char *text = cli_format(
        "no: %sin exact arithmetic on %s, %s row%s not strictly on the right side (row %s is the "
        "first); %s%s",
        classes, numbers, show_count(confirmed->wrong_rows),
        confirmed->wrong_rows == 1 ? " is" : "s are", show_count(confirmed->row + 1),
        separable ? "there is a separator" : "whether any hyperplane separates them is not known",
        separable ? train_margin(confirmed->margin) : "");
    free(classes);
    return text;
}

/* There is a separator, and the learner found none. */
static hsp_status train_separable_fail(const char *path, const hsp_confirmation *confirmed,
                                       const hsp_data *data, hsp_error *err)
{
    const int single = hsp_data_precision(data) == HSP_FLOAT32;
    const char *of = confirmed->of, *against = confirmed->against;
    char *rows = !of       ? cli_format("the rows")
                 : against ? cli_format("the rows of '%.80s' and '%.80s'", of, against)
                           : cli_format("the rows of '%.80s' and the rest", of);
    const hsp_status status =
        cli_fail(err, HSP_BAD_DATA, path,
                 "%s are separable (in exact arithmetic%s), but only by digits that %s precision "
                 "does not keep: %s, or have 'halfspace certify' write a separator",
                 rows, train_margin(confirmed->margin), single ? "single" : "double",
                 single ? "use --precision double"
                        : "shift or rescale the columns in the file so that 15 digits are enough");
    free(rows);
    return status;
}

static void train_print_evidence(hsp_context *ctx, const hsp_evidence *evidence,
                                 const hsp_confirmation *confirmed, hsp_data *data, int through_0,
                                 FILE *file)
{
    const hsp_view *view = NULL;
    if (hsp_data_view(ctx, data, NULL, &view) != HSP_OK) return;
    const uint64_t shown = evidence->count > TRAIN_SHOWN ? TRAIN_SHOWN : evidence->count;
    cli_table table;
    char *classes = train_classes(evidence->of, evidence->against);
    fputs(classes, file);
    free(classes);
    /* what the multipliers show */
    const char *where = through_0 ? " by a hyperplane through the origin" : "";
    const char *what = through_0 ? "the rows, those of one side negated, add up to"
                                 : "the rows of the two sides have";
    if (confirmed->answer == HSP_NOT_SEPARABLE)
        fprintf(file,
                "not separable%s, confirmed in exact arithmetic on %s: with these multipliers "
                "%s %s\n",
                where, train_numbers(confirmed, data), what, through_0 ? "0" : "the same mean");
    else
        fprintf(file,
                "no separator%s was found in double precision; not confirmed in exact "
                "arithmetic: %s. With these multipliers %s %s\n",
                where, confirmed->why, what, through_0 ? "almost 0" : "almost the same mean");
    table_begin(&table, "rlr");
    table_cell(&table, "row");
    table_cell(&table, "class");
    table_cell(&table, "multiplier");
    for (uint64_t i = 0; i < shown; i++) {
        const uint64_t row = evidence->row[i];
        table_cell(&table, "%s", show_count(row + 1));
        table_cell(&table, "%s", show_name(hsp_data_class_name(data, view->labels[row])));
        table_cell(&table, "%s", show_number(evidence->multiplier[i]));
    }
    table_print(&table, file);
    if (shown < evidence->count)
        fprintf(file, "  and %s more\n", show_count(evidence->count - shown));
    if (confirmed->answer == HSP_NOT_SEPARABLE) return;
    fprintf(file,
            through_0 ? "the sum is %s long: no such separator has a margin above %s\n"
                      : "the means are %s apart: no separator has a margin above %s\n",
            show_number(evidence->distance), show_number(evidence->margin));
}

/* The answer is no. */
static void train_print_inseparable(const cli *run, const train *done, FILE *file)
{
    const hsp_training *all = &done->run;
    const char *offset = train_text(run, "offset");
    fprintf(file, "%s on %s: %s row%s, %s feature%s, %s classes\n", done->learner, done->file,
            show_count(all->rows), plural(all->rows), show_count(all->cols), plural(all->cols),
            show_count(all->classes));
    if (all->evidence)
        train_print_evidence(run->ctx, all->evidence, &done->confirmation, done->data,
                             offset && strcmp(offset, "none") == 0, file);
    if (train_text(run, "kernel") && !train_text(run, "approx"))
        fputs("in the kernel's space; a margin below 3e-7 of the longest row counts as none: "
              "if rows differ in size, --scale standard may show one\n",
              file);
}

/* ---- What must not be overlooked ---- */

/* The limit that ended the run, as an option. */
static const char *train_limit(const cli *run, hsp_stop stop)
{
    if (stop == HSP_STOP_UPDATES) return "--max-updates";
    if (stop == HSP_STOP_SECONDS) return "--max-seconds";
    int capped = train_has(run, "passes") && train_has(run, "max-passes") &&
                 hsp_options_integer(run->options[TRAIN_LEARNER], "passes") == 0;
    return capped ? "--max-passes" : "--passes";
}

/* What may help besides, of what this learner has and was not told: ", --order shuffle or --soft 1".
 * A soft run tells two classes apart, at a time at least, and goes over rows that it holds. */
static char *train_advice(const cli *run, const train *done)
{
    static const cli_term known[] = {
        {"order", "--order shuffle"}, {"average", "--average average"}, {"soft", "--soft 1"}};
    const char *found[3] = {"", "", ""}, *multiclass = train_text(run, "multiclass");
    const int two =
        hsp_model_classes(done->model) == 2 || (multiclass && strcmp(multiclass, "native") != 0);
    size_t count = 0;
    for (size_t i = 0; i < (done->stream || !two ? 2 : 3); i++)
        if (train_has(run, known[i].word) &&
            !hsp_options_is_set(run->options[TRAIN_LEARNER], known[i].word))
            found[count++] = known[i].meaning;
    const char *const joins[][3] = {
        {"", "", ""}, {" or ", "", ""}, {", ", " or ", ""}, {", ", ", ", " or "}};
    return cli_format("%s%s%s%s%s%s", joins[count][0], found[0], joins[count][1], found[1],
                      joins[count][2], found[2]);
}

/* Did it end where nothing gets better, with an expression for which no gap can say so? The library
 * said that when it began. */
static int train_is_stationary(const cli *run, const train *done)
{
    const hsp_training *all = &done->run;
    const char *kernel = train_text(run, "kernel");
    hsp_kernel *sure = NULL;
    if (!kernel || all->stop != HSP_STOP_STALLED) return 0;
    const hsp_status status = hsp_kernel_parse(run->ctx, kernel, 0, 0, NULL, &sure);
    hsp_kernel_free(sure);
    return status == HSP_USAGE;
}

/* Of a run that minimised and did not come near enough. */
static void train_warn_gap(const cli *run, const train *done)
{
    const hsp_training *all = &done->run;
    const char *limit = all->stop == HSP_STOP_SECONDS ? "--max-seconds" : "--max-passes";
    if (!train_has(run, "gap")) {
        cli_warn("DID NOT CONVERGE in %s linear program%s%s", show_count(all->passes),
                 plural(all->passes),
                 all->stop == HSP_STOP_SECONDS ? ": try more --max-seconds" : "");
        return;
    }
    const char *solver = train_text(run, "solver");
    const int named = solver && strcmp(solver, "auto") != 0;
    const int stalled = all->stop == HSP_STOP_STALLED, more = !stalled;
    const int limited = stalled && all->convergence.rounding > train_gap(run) / 2;
    if (isnan(all->convergence.gap)) {
        cli_warn(
            stalled
                ? "DID NOT CONVERGE: the objective or its bound leaves the range of double "
                  "precision. Try --scale standard."
                : "DID NOT CONVERGE: %s ended the run before the gap was computed. Try more %s.",
            limit, limit);
        return;
    }
    cli_warn("DID NOT CONVERGE in %s pass%s: duality gap %s, target %s%s. Try %s%s%s%s--scale "
             "standard%s or a larger --gap.",
             show_count(all->passes), all->passes == 1 ? "" : "es",
             show_number(all->convergence.gap), show_number(train_gap(run)),
             limited   ? "; rounding errors keep it from getting nearer"
             : stalled ? "; no further step makes it smaller"
                       : "",
             named ? "--solver auto, " : "", more ? "more " : "", more ? limit : "",
             more ? ", " : "", train_is(run, "hard") ? "" : ", a smaller --C");
}

/* What must not be overlooked, whatever form the report has. */
static void train_warn(const cli *run, const train *done)
{
    const hsp_training *all = &done->run;
    if (all->stop == HSP_STOP_CONVERGED || (done->stream && all->stop == HSP_STOP_PASSES)) return;
    if (all->stop == HSP_STOP_INSEPARABLE) {
        if (done->out)
            cli_complain("there is no separator, so %s was not written", show_output(done->out));
        return;
    }
    if (all->stop == HSP_STOP_REQUEST && all->convergence.solver) {
        const int known = !isnan(all->convergence.gap);
        cli_complain("stopped on request%s%s; the model so far is %s%s",
                     known ? " with a duality gap of " : "",
                     known ? show_number(all->convergence.gap) : "", done->out ? "in " : "not kept",
                     done->out ? show_output(done->out) : "");
        return;
    }
    if (all->convergence.solver) {
        if (!train_is_stationary(run, done)) train_warn_gap(run, done);
        return;
    }
    if (all->stop == HSP_STOP_REQUEST) {
        cli_complain("stopped on request after %s update%s; the model so far is %s%s",
                     show_count(all->updates), plural(all->updates), done->out ? "in " : "not kept",
                     done->out ? show_output(done->out) : "");
        return;
    }
    if (all->experts.count) {
        cli_warn("--max-seconds ended the run after %s rows", show_count(all->experts.examples));
        return;
    }
    if (all->mistakes_last_pass == 0) { /* nor has it seen all rows */
        cli_warn("DID NOT CONVERGE: %s ended the run before the end of pass %s. Try more %s.",
                 train_limit(run, all->stop), show_count(all->passes), train_limit(run, all->stop));
        return;
    }
    char *advice = train_advice(run, done);
    cli_warn("DID NOT CONVERGE in %s pass%s and %s update%s: the last pass still changed the "
             "weights %s time%s. Try more %s%s; the data may not be separable.",
             show_count(all->passes), all->passes == 1 ? "" : "es", show_count(all->updates),
             plural(all->updates), show_count(all->mistakes_last_pass),
             plural(all->mistakes_last_pass), train_limit(run, all->stop), advice);
    free(advice);
}

/* ---- The command ---- */

static int train_to_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static hsp_status train_check_checkpoint(cli *run, const train *todo, hsp_error *err)
{
    if (!todo->checkpoint && hsp_options_is_set(run->options[TRAIN_OWN], "every"))
        return cli_fail(err, HSP_USAGE, "--every", "--every needs --checkpoint");
    if (train_to_standard(todo->checkpoint))
        return cli_fail(err, HSP_USAGE, "--checkpoint", "a checkpoint is a file; name one");
    return cli_check_output(run, todo->checkpoint, err);
}

/* Before long work: are the names of the files right; does it stream (standard input does with one
 * pass, a file when told to: one pass it is then); can it be certified? */
static hsp_status train_check(cli *run, train *todo, hsp_error *err)
{
    hsp_options *learner = run->options[TRAIN_LEARNER];
    const char *trace = todo->trace ? todo->trace : todo->passes;
    const char *option = todo->trace ? "--trace" : "--convergence";
    const char *reference = train_text(run, "reference");
    const char *const apart[][3] = {{"-o", todo->out, todo->path},
                                    {"-o", todo->out, reference},
                                    {"-o", todo->out, trace},
                                    {option, trace, todo->path},
                                    {option, trace, reference},
                                    {"--checkpoint", todo->checkpoint, todo->path},
                                    {"--checkpoint", todo->checkpoint, todo->out}};
    hsp_status status = cli_check_output(run, todo->out, err);
    if (status == HSP_OK) status = cli_check_output(run, trace, err);
    if (status == HSP_OK) status = train_check_checkpoint(run, todo, err);
    if (status == HSP_OK && train_to_standard(todo->out) && train_to_standard(trace))
        return cli_fail(err, HSP_USAGE, option,
                        "the model goes to standard output already; name a file for one of them");
    for (size_t i = 0; status == HSP_OK && i < sizeof apart / sizeof *apart; i++)
        status = cli_check_distinct(apart[i][0], apart[i][1], apart[i][2], err);
    const int passes = train_has(run, "passes"), input = strcmp(todo->path, "-") == 0;
    todo->stream = hsp_options_flag(run->options[TRAIN_OWN], "stream");
    if (status == HSP_OK && todo->stream && passes && !hsp_options_is_set(learner, "passes"))
        status = hsp_options_set(learner, "passes", "1", err);
    if (status != HSP_OK) return status;
    const int once = passes && hsp_options_integer(learner, "passes") == 1;
    if (todo->stream && passes && !once)
        return cli_fail(err, HSP_USAGE, "--stream",
                        "a stream can be read only once; use --passes 1");
    todo->stream |= input && once;
    if (todo->checkpoint && todo->stream)
        return cli_fail(err, HSP_USAGE, "--checkpoint",
                        "a stream cannot go on in the middle; train without --stream");
    if (!todo->certify) return HSP_OK;
    if (run->joined)
        return cli_fail(err, HSP_USAGE, "--certify",
                        "a certificate is about one file; put the rows into one file first "
                        "(halfspace convert DATA... OUT)");
    if (todo->stream || input)
        return cli_fail(err, HSP_USAGE, "--certify",
                        "a certificate is about a file that can be read again, not a stream");
    if (train_has(run, "keep-dual") && !hsp_options_is_set(learner, "keep-dual"))
        return hsp_options_set(learner, "keep-dual", "yes", err); /* which a machine's needs */
    return HSP_OK;
}

static hsp_status train_tell(cli *run, train *done, FILE *file, hsp_error *err)
{
    hsp_status status = HSP_OK;
    done->learner = run->variant->name;
    done->file = show_input(done->path);
    done->target = train_gap(run);
    done->margins = train_has(run, "hard") ? "" : NULL;
    done->space = train_space(run);
    const int weighted = done->model && hsp_model_weights(done->model, 0);
    done->weights = weighted ? 0 : UINT64_MAX;
    for (uint32_t c = 0; weighted && c < hsp_model_scorers(done->model); c++)
        for (uint64_t j = 0; j < hsp_model_features(done->model); j++)
            done->weights += hsp_model_weights(done->model, c)[j] != 0;
    done->kept = done->model ? done->out : NULL;
    if (done->confirmed) done->separates = train_separates_text(&done->confirmation, done->data);
    if (cli_json(run) || done->model)
        status = cli_report(run, train_results, done, file, err);
    else
        train_print_inseparable(run, done, file);
    if (done->model && !cli_json(run)) train_print_neighbors(done->model, file);
    fflush(stdout);
    free(done->space);
    free(done->separates);
    if (status != HSP_OK) return status;
    if (done->kept) cli_say(run, "wrote %s", show_output(done->out));
    train_warn(run, done);
    if (!done->certify || cli_json(run)) return HSP_OK;
    cli_certified_print(&done->certified, file);
    if (done->certificate && hsp_certificate_text(done->certified.certificate, NULL))
        cli_say(run, "wrote %s", show_output(done->certificate));
    return HSP_OK;
}

/* Claims about the model, or without one about the rows that were asked for. */
static hsp_status train_certify(cli *run, train *done, hsp_error *err)
{
    hsp_options *claims = NULL;
    const char *positive = train_text(run, "positive"), *classes = train_text(run, "classes");
    hsp_status status = hsp_options_new(run->ctx, hsp_certify_options(), err, &claims);
    if (status == HSP_OK && !done->model && positive)
        status = hsp_options_set(claims, "positive", positive, err);
    if (status == HSP_OK && !done->model && classes)
        status = hsp_options_set(claims, "classes", classes, err);
    if (status == HSP_OK && train_text(run, "offset") &&
        strcmp(train_text(run, "offset"), "none") == 0)
        status = hsp_options_set(claims, "offset", "none", err);
    if (done->out && !train_to_standard(done->out))
        done->certificate = cli_format("%s.cert", done->out);
    if (status == HSP_OK && done->certificate && done->model) /* it is written already */
        status = hsp_options_set(claims, "model", done->out, err);
    if (status == HSP_OK)
        status = cli_certify(run, done->path, run->options[TRAIN_READ], done->model, claims,
                             done->certificate, err, &done->certified);
    hsp_options_free(claims);
    return status;
}

/* What was found, tried in exact arithmetic: only the answer to that is told. */
static hsp_status train_confirm(cli *run, train *done, hsp_error *err)
{
    hsp_confirmation *found = &done->confirmation;
    if (done->run.stop == HSP_STOP_SECONDS) { /* there is no time left for it */
        *found = (hsp_confirmation){
            .row = UINT64_MAX, .margin = (double)NAN, .why = "--max-seconds ended the run"};
        done->confirmed = 1;
        return HSP_OK;
    }
    hsp_status status =
        hsp_confirm(run->ctx, done->data, done->path, run->options[TRAIN_READ],
                    run->options[TRAIN_LEARNER], &done->run, done->model, err, found);
    if (status != HSP_OK) return status;
    done->confirmed = 1;
    if (found->answer == HSP_NOT_SEPARABLE) {
        hsp_evidence_free(done->run.evidence);
        hsp_model_free(done->model);
        done->run.evidence = found->evidence;
        done->run.stop = HSP_STOP_INSEPARABLE;
        done->model = NULL;
        run->exit_status = 1;
    } else if (!done->model && found->answer == HSP_SEPARABLE) {
        return train_separable_fail(done->path, found, done->data, err);
    } else if (!done->model) {
        run->exit_status = hsp_status_exit(HSP_BAD_DATA); /* not known */
    }
    return HSP_OK;
}

/* A separator that is demanded is looked for, and confirmed, on all rows. */
static hsp_status train_gather(cli *run, train *done, hsp_error *err)
{
    hsp_data *whole = NULL;
    const hsp_status status = hsp_data_gather(run->ctx, done->data, err, &whole);
    if (status != HSP_OK) return status;
    hsp_data_free(done->data);
    done->data = whole;
    return HSP_OK;
}

/* Nobody stopped it: there is nothing to go on from. */
static int train_ended(const train *done)
{
    return done->run.stop != HSP_STOP_REQUEST && done->run.stop != HSP_STOP_SECONDS;
}

static hsp_status train_run(cli *run, hsp_error *err)
{
    train todo = {.path = run->arguments[0],
                  .run.size = sizeof todo.run,
                  .confirmation.size = sizeof todo.confirmation,
                  .out = hsp_options_text(run->options[TRAIN_OWN], "output"),
                  .trace = train_text(run, "trace"),
                  .passes = train_text(run, "convergence"),
                  .checkpoint = hsp_options_text(run->options[TRAIN_OWN], "checkpoint"),
                  .certify = hsp_options_flag(run->options[TRAIN_OWN], "certify")};
    const hsp_options *learner = run->options[TRAIN_LEARNER];
    hsp_options *read = run->options[TRAIN_READ];
    const char *past = train_has(run, "passes") ? train_text(run, "warm-start") : NULL;
    hsp_model *start = NULL; /* an online run goes on from it: rows are read as its were */
    const int taken = train_to_standard(todo.out) || train_to_standard(todo.trace) ||
                      train_to_standard(todo.passes);
    hsp_status status = train_check(run, &todo, err);
    if (status == HSP_OK && past) status = hsp_model_read(run->ctx, past, err, &start);
    if (status == HSP_OK && start) status = hsp_model_set_read(start, read, err);
    if (status == HSP_OK && !todo.stream)
        status = cli_read(run, todo.path, read, hsp_model_encoding(start), err, &todo.data,
                          &todo.load_seconds);
    const int demanded = strcmp(run->variant->name, "lp") == 0
                             ? !hsp_options_flag(run->options[TRAIN_LEARNER], "soft")
                             : train_is(run, "hard");
    if (status == HSP_OK && demanded && hsp_data_ranks(todo.data))
        status = train_gather(run, &todo, err);
    cli_begin_output(NULL); /* from here on, Ctrl-C keeps the model */
    hsp_context_set_checkpoint(run->ctx, todo.checkpoint,
                               hsp_options_real(run->options[TRAIN_OWN], "every"));
    if (status == HSP_OK)
        status = todo.stream ? hsp_train_stream(run->ctx, todo.path, read, learner, err, &todo.run,
                                                &todo.model)
                             : hsp_train(run->ctx, todo.data, learner, err, &todo.run, &todo.model);
    hsp_context_set_checkpoint(run->ctx, NULL, 0);
    if (status == HSP_BAD_DATA && todo.data) cli_locate(run, todo.path, read, todo.data, err);
    if (status == HSP_OK && todo.data && demanded) status = train_confirm(run, &todo, err);
    const int stopped = status == HSP_CANCELLED && todo.model;
    if (stopped) status = HSP_OK; /* the model so far is there */
    cli_finish_output();          /* the model is kept, whenever Ctrl-C comes */
    if (status == HSP_OK && todo.out && todo.model)
        status = hsp_model_write(run->ctx, todo.model, todo.out, err);
    if (status == HSP_OK && todo.checkpoint && train_ended(&todo))
        hsp_checkpoint_remove(run->ctx, todo.checkpoint);
    if (stopped)
        run->exit_status = cli_stop_status(), todo.certify = 0;
    else if (status == HSP_OK && todo.certify)
        status = train_certify(run, &todo, err);
    if (status == HSP_OK) status = train_tell(run, &todo, taken ? stderr : stdout, err);
    if (status == HSP_OK && todo.model && !stopped)
        cli_check_one_class(run, todo.data, todo.model, todo.run.training_error, learner);
    cli_certified_free(&todo.certified);
    free(todo.certificate);
    hsp_evidence_free(todo.run.evidence);
    hsp_data_free(todo.data);
    hsp_model_free(todo.model);
    hsp_model_free(start);
    return status;
}

static const cli_term train_arguments[] = {
    {"LEARNER", "the learner; without one, the learners are listed"},
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input. "
     "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term train_examples[] = {
    {"halfspace train perceptron --passes until-converged train.svm -o model.hsp",
     "until a pass makes no mistake"},
    {"halfspace train perceptron --positive setosa iris.csv -o setosa.hsp",
     "one class against the rest"},
    {"halfspace train perceptron --classes versicolor,virginica --average average iris.csv -o "
     "m.hsp",
     "two classes of three; the average of all separators on the way"},
    {"zcat big.gz | halfspace train perceptron --passes 1 - -o model.hsp",
     "learn from a stream of any length"},
    {NULL, NULL}};

const cli_command cli_train = {
    .name = "train",
    .summary = "train a model on a data file",
    .synopsis = "LEARNER [options] DATA... [-o MODEL]",
    .description =
        "Train a model on a data file. The model contains all that prediction needs: names of "
        "classes and features, the encoding of categories, scaling.\n\nWith --stream (or "
        "standard input with --passes 1) rows are streamed: memory depends only on the number of "
        "features.\n\nIf a run does not converge, a warning says so and what to try; the status "
        "is still 0. If a requested separator (svm --hard, lp) does not exist, the status is 1, "
        "with the evidence. Both answers are confirmed in exact arithmetic on the decimals of "
        "the file; if that is not possible, the report says so. The first Ctrl-C (or SIGTERM) "
        "during training ends the run within half a second, saves the model so far and says so; "
        "the status is 130 (or 143). Figures that would take longer are reported as not "
        "computed. The second one kills the program. --max-seconds ends a run in the same way, "
        "with status 0.",
    .arguments = train_arguments,
    .groups = train_groups,
    .results = train_results,
    .examples = train_examples,
    .least = 1,
    .most = 1,
    .several = 1,
    .ranks = 1,
    .run = train_run,
    .variant = hsp_learner,
    .variant_word = "learner",
    .variant_synopsis = "[options] DATA... [-o MODEL]",
};
