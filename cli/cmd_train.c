/* halfspace train LEARNER DATA: learn from a data file, or in one pass from a stream, and keep the
 * model. A run that did not converge says so; one that was stopped keeps what it learnt so far. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TRAIN_LEARNER, TRAIN_OWN, TRAIN_READ };

static const hsp_option train_own[] = {
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "file to save the model to; without it, only the report is printed"},
    {"stream", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "learn in one pass without keeping the rows in memory; the default for standard input with "
     "--passes 1"},
    {"certify", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also write a certificate of the data and the model to MODEL.cert, as the command certify "
     "does"},
};

static const hsp_option_table *train_options(void)
{
    static const hsp_option_table table = {"train", "options of train", train_own, 3};
    return &table;
}

static const cli_group train_groups[] = {{"Learner's options", NULL},
                                         {"Options", train_options},
                                         {"Reading options", hsp_read_options},
                                         {NULL, NULL}};

typedef struct train {
    const char *path, *out, *trace; /* out, trace: NULL for none */
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

/* The gap that was asked for. */
static double train_gap(const cli *run)
{
    return train_has(run, "gap") ? hsp_options_real(run->options[TRAIN_LEARNER], "gap")
                                 : (double)NAN;
}

/* ---- For people ---- */

/* "0% (0 of 150 rows)". */
static void train_error_line(cli_table *table, const char *what, double error, uint64_t rows)
{
    if (isnan(error)) return;
    table_line(table, what, "%s (%s of %s row%s)", show_share(error),
               show_count((uint64_t)llround(error * (double)rows)), show_count(rows), plural(rows));
}

/* Passes and updates, of learners that go over the rows one by one. */
static void train_passes_lines(cli_table *table, const train *done)
{
    const hsp_training *all = &done->run;
    if (all->stop == HSP_STOP_CONVERGED)
        table_line(table, "converged", "yes: the last pass changed nothing");
    else if (done->stream)
        table_line(table, "converged", "not known: a stream passes only once");
    else
        table_line(table, "converged", "no");
    table_line(table, "passes", "%s", show_count(all->passes));
    if (all->passes > 1)
        table_line(table, "updates", "%s, %s of them in the last pass", show_count(all->updates),
                   show_count(all->mistakes_last_pass));
    else
        table_line(table, "updates", "%s", show_count(all->updates));
}

/* The panel beside its best expert, and the bound between them. */
static void train_panel_lines(cli_table *table, const train *done)
{
    const hsp_training *all = &done->run;
    const hsp_experts_report *panel = &all->panel;
    table_line(table, "passes", "%s", show_count(all->passes));
    table_line(table, "experts", "%s%s", show_count(panel->experts),
               panel->several ? ", a panel of them for each class" : "");
    if (panel->several) return;
    table_line(table, "best expert", "%s%s, with %s of the weight", panel->negated ? "not " : "",
               show_feature(done->model, panel->best), show_share(panel->best_share));
    table_line(table, "its mistakes", "m* = %s of %s", show_number(panel->best_mistakes),
               show_count(panel->examples));
    table_line(table, "mistakes", "m = %s of %s", show_count(panel->mistakes),
               show_count(panel->examples));
    if (panel->randomized)
        table_line(table, "expected", "%s, and %s more or less by chance",
                   show_number(panel->expected), show_number(panel->deviation));
    const char *what = panel->randomized ? "expected m" : "m";
    table_line(table, "bound", "%s <= %s: %s", what, show_number(panel->bound),
               panel->held ? "held" : "EXCEEDED, which is a bug");
}

static int train_is_l1(const cli *run)
{
    const char *penalty = train_text(run, "penalty");
    return penalty && strcmp(penalty, "l1") == 0;
}

/* Weights other than zero, of all scorers. */
static uint64_t train_weights(const hsp_model *model)
{
    uint64_t count = 0;
    for (uint32_t c = 0; c < hsp_model_scorers(model); c++) {
        const double *w = hsp_model_weights(model, c);
        for (uint64_t j = 0; w && j < hsp_model_features(model); j++)
            count += w[j] != 0;
    }
    return count;
}

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

static void train_optimum_lines(const cli *run, const train *done, cli_table *table)
{
    const int margins = train_has(run, "hard");
    char *space = train_space(run);
    const cli_asked asked = {train_gap(run), margins,
                             margins && hsp_options_flag(run->options[TRAIN_LEARNER], "hard"),
                             space, hsp_data_stored_note(done->data)};
    cli_optimum_lines(table, &done->run, done->model, &asked);
    free(space);
}

static void train_print(const cli *run, const train *done, FILE *file)
{
    const hsp_training *all = &done->run;
    char *classes = cli_class_list(done->model);
    hsp_knn_report near;
    cli_table table;
    fprintf(file, "%s on %s: %s row%s, %s feature%s, classes %s\n", run->variant->name,
            show_input(done->path), show_count(all->rows), plural(all->rows), show_count(all->cols),
            plural(all->cols), classes);
    table_begin(&table, "ll");
    if (all->optimum.solver && !train_has(run, "gap"))
        cli_program_lines(&table, all, hsp_data_stored_note(done->data));
    else if (all->optimum.solver)
        train_optimum_lines(run, done, &table);
    else if (all->panel.experts)
        train_panel_lines(&table, done);
    else if (hsp_model_knn(done->model, &near))
        cli_neighbors_lines(&table, done->model);
    else
        train_passes_lines(&table, done);
    if (train_is_l1(run)) {
        const uint64_t used = train_weights(done->model);
        table_line(&table, "weights", "%s %s not 0", show_count(used), used == 1 ? "is" : "are");
    }
    if (done->confirmed) cli_separates_line(&table, &done->confirmation, done->data);
    const int stopped = all->stop == HSP_STOP_REQUEST || all->stop == HSP_STOP_SECONDS;
    if (isnan(all->training_error) && stopped && !done->stream)
        table_line(&table, "training error", "not computed: the run was stopped before that");
    train_error_line(&table,
                     done->confirmed && done->confirmation.row != UINT64_MAX
                         ? "error as stored" /* on the decimals it is another */
                         : "training error",
                     all->training_error, all->rows);
    train_error_line(&table, "progressive error", all->progressive_error, all->progressive_rows);
    table_print(&table, file);
    cli_neighbors_table(done->model, file);
    free(classes);
}

/* The answer is no. */
static void train_print_inseparable(const cli *run, const train *done, FILE *file)
{
    const hsp_training *all = &done->run;
    const char *offset = train_text(run, "offset");
    fprintf(file, "%s on %s: %s row%s, %s feature%s, %s classes\n", run->variant->name,
            show_input(done->path), show_count(all->rows), plural(all->rows), show_count(all->cols),
            plural(all->cols), show_count(all->classes));
    if (all->evidence)
        cli_evidence_print(run->ctx, all->evidence, &done->confirmation, done->data,
                           offset && strcmp(offset, "none") == 0, file);
    if (train_text(run, "kernel") && !train_text(run, "approx"))
        fputs("in the kernel's space; a margin below 3e-7 of the longest row counts as none: "
              "if rows differ in size, --scale standard may show one\n",
              file);
}

/* The limit that ended the run, as an option. */
static const char *train_limit(const cli *run, hsp_stop stop)
{
    if (stop == HSP_STOP_UPDATES) return "--max-updates";
    if (stop == HSP_STOP_SECONDS) return "--max-seconds";
    int capped = train_has(run, "passes") && train_has(run, "max-passes") &&
                 hsp_options_integer(run->options[TRAIN_LEARNER], "passes") == 0;
    return capped ? "--max-passes" : "--passes";
}

/* A soft run tells two classes apart, at a time at least, and goes over rows that it holds. */
static int train_may_be_soft(const cli *run, const train *done)
{
    const char *multiclass = train_text(run, "multiclass");
    if (done->stream) return 0;
    return hsp_model_classes(done->model) == 2 || (multiclass && strcmp(multiclass, "native") != 0);
}

/* What may help besides, of what this learner has and was not told: ", --order shuffle or --soft
 * 1". */
static char *train_advice(const cli *run, const train *done)
{
    static const cli_term known[] = {
        {"order", "--order shuffle"}, {"average", "--average average"}, {"soft", "--soft 1"}};
    const char *found[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (train_has(run, known[i].word) &&
            !hsp_options_is_set(run->options[TRAIN_LEARNER], known[i].word) &&
            (strcmp(known[i].word, "soft") != 0 || train_may_be_soft(run, done)))
            found[count++] = known[i].meaning;
    char *text = cli_format("%s", "");
    for (size_t i = 0; i < count; i++) {
        char *longer = cli_format("%s%s%s", text, i + 1 == count ? " or " : ", ", found[i]);
        free(text);
        text = longer;
    }
    return text;
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
        fprintf(stderr, "halfspace: warning: DID NOT CONVERGE in %s linear program%s%s\n",
                show_count(all->passes), plural(all->passes),
                all->stop == HSP_STOP_SECONDS ? ": try more --max-seconds" : "");
        return;
    }
    const int hard =
        train_has(run, "hard") && hsp_options_flag(run->options[TRAIN_LEARNER], "hard");
    const int limited = all->optimum.rounding > train_gap(run) / 2;
    const char *solver = train_text(run, "solver");
    const int named = solver && strcmp(solver, "auto") != 0;
    const int stalled = all->stop == HSP_STOP_STALLED, more = !limited && !stalled;
    if (isnan(all->optimum.gap)) {
        fprintf(stderr,
                stalled ? "halfspace: warning: DID NOT CONVERGE: the objective or its bound leaves "
                          "the range of double precision. Try --scale standard.\n"
                        : "halfspace: warning: DID NOT CONVERGE: %s ended the run before the gap "
                          "was computed. Try more %s.\n",
                limit, limit);
        return;
    }
    fprintf(stderr,
            "halfspace: warning: DID NOT CONVERGE in %s pass%s: duality gap %s, target %s%s. "
            "Try %s%s%s%s--scale standard%s or a larger --gap.\n",
            show_count(all->passes), all->passes == 1 ? "" : "es", show_number(all->optimum.gap),
            show_number(train_gap(run)),
            limited   ? "; rounding errors keep it from getting nearer"
            : stalled ? "; no further step makes it smaller"
                      : "",
            named ? "--solver auto, " : "", more ? "more " : "", more ? limit : "",
            more ? ", " : "", hard ? "" : ", a smaller --C");
}

/* What must not be overlooked, whatever form the report has. */
static void train_warn(const cli *run, const train *done)
{
    const hsp_training *all = &done->run;
    cli_progress_clear();
    if (all->stop == HSP_STOP_CONVERGED || (done->stream && all->stop == HSP_STOP_PASSES)) return;
    if (all->stop == HSP_STOP_INSEPARABLE) {
        if (done->out)
            fprintf(stderr, "halfspace: there is no separator, so %s was not written\n",
                    show_output(done->out));
        return;
    }
    if (all->stop == HSP_STOP_REQUEST && all->optimum.solver) {
        const int known = !isnan(all->optimum.gap);
        fprintf(stderr, "halfspace: stopped on request%s%s; the model so far is %s%s\n",
                known ? " with a duality gap of " : "", known ? show_number(all->optimum.gap) : "",
                done->out ? "in " : "not kept", done->out ? show_output(done->out) : "");
        return;
    }
    if (all->optimum.solver) {
        if (!train_is_stationary(run, done)) train_warn_gap(run, done);
        return;
    }
    if (all->stop == HSP_STOP_REQUEST) {
        fprintf(stderr,
                "halfspace: stopped on request after %s update%s; the model so far is %s%s\n",
                show_count(all->updates), plural(all->updates), done->out ? "in " : "not kept",
                done->out ? show_output(done->out) : "");
        return;
    }
    if (all->panel.experts) {
        fprintf(stderr, "halfspace: warning: --max-seconds ended the run after %s rows\n",
                show_count(all->panel.examples));
        return;
    }
    if (all->mistakes_last_pass == 0) { /* nor has it seen all rows */
        fprintf(stderr,
                "halfspace: warning: DID NOT CONVERGE: %s ended the run before the end of pass "
                "%s. Try more %s.\n",
                train_limit(run, all->stop), show_count(all->passes), train_limit(run, all->stop));
        return;
    }
    char *advice = train_advice(run, done);
    fprintf(
        stderr,
        "halfspace: warning: DID NOT CONVERGE in %s pass%s and %s update%s: the last pass still "
        "changed the weights %s time%s. Try more %s%s; the data may not be separable.\n",
        show_count(all->passes), all->passes == 1 ? "" : "es", show_count(all->updates),
        plural(all->updates), show_count(all->mistakes_last_pass), plural(all->mistakes_last_pass),
        train_limit(run, all->stop), advice);
    free(advice);
}

/* ---- For machines ---- */

static const cli_term train_keys[] = {
    {"learner", "its name"},
    {"rows, features, nonzeros", "numbers of rows, of columns, of entries other than zero"},
    {"numbers", CLI_NUMBERS_KEY},
    {"classes, class_names", "number of classes, and their names"},
    {"passes, updates", "how often it went through the rows, how often it changed the weights"},
    {"mistakes_last_pass", "mistakes in the last pass, as the learner counts them: what it learnt "
                           "from; null of learners that minimise"},
    {"converged", "true when the last pass changed nothing, the gap was reached, or a panel of "
                  "experts has made its passes"},
    {"stop", "why it ended: converged, stalled (no step got further, though passes were left), "
             "passes, updates, seconds, request or inseparable"},
    {"training_error", "share of the rows that the model gets wrong; null for a stream"},
    {"progressive_error", "share of wrong predictions over the first pass, each made before "
                          "learning from the row"},
    {"radius", "the largest norm of a row as it was learnt from; null when it is not known"},
    {"solver", "learners that minimise have this key and those up to evidence: how they did"},
    {"C, lambda", "C = 1 / (lambda n), n the total weight of the rows; null when a separator was "
                  "demanded"},
    {"objective, dual_objective", "what was reached, mean loss + lambda * penalty, and the proven "
                                  "lower bound: no weights have less"},
    {"scaled_objective, scaled_dual_objective",
     "the same times C n: C * sum of losses + penalty, the unit of LIBSVM and LIBLINEAR"},
    {"gap", "the duality gap, (objective - dual_objective) / objective"},
    {"rounding", "the part of the gap that rounding errors may be"},
    {"support_vectors, support_sum", "rows with a dual weight in any problem; the sum over all "
                                     "problems (classes, pairs)"},
    {"on_margin, inside, wrong_side", "of that sum, by where the rows lie"},
    {"margin", "the geometric margin, the smallest y s(x) / ||w|| of all training rows after the "
               "learner's scaling; null when w = 0"},
    {"margin_class, margin_other", "more than two classes: whose margin that is, against the rest "
                                   "(other: null) or against another class"},
    {"inverse_norm", "1 / ||w||, the smallest of all scorers"},
    {"kkt", "an object, the residuals: stationarity, primal_feasibility, dual_feasibility, "
            "complementarity"},
    {"confirmation",
     "an object when a separator was demanded (svm --hard, lp): answer in exact arithmetic "
     "(separates: the model does; separable: the model does not, another does; not separable; "
     "unknown), class and against (more than two classes: the two that it is about; against "
     "null: class against the rest), numbers (decimals of the file, or values as stored), row (the "
     "first that the model "
     "does not have strictly on its side, or null), wrong_rows, margin (that a separator has at "
     "least, or null), why (it is unknown, or null)"},
    {"evidence",
     "an object when stop is inseparable: class that cannot be told from the class against, or "
     "from the rest (null; of two classes both are null), rows (from 1), their multipliers, "
     "distance between the means of the two "
     "sides (--offset none: of the sum from 0), margin that no separator exceeds"},
    {"experts", "a panel of experts has this key and those up to held: its number of experts"},
    {"examples, mistakes", "rows they voted on, wrong predictions among them (m); null, with those "
                           "that follow, of more than two classes"},
    {"expected_mistakes, deviation", "randomized: the mean of m over all draws, and its standard "
                                     "deviation; else m and 0"},
    {"best_expert, best_negated", "the expert with the fewest mistakes: its column's name, or "
                                  "number from 1; whether it is the negation of that column"},
    {"best_mistakes, best_share", "its mistakes (m*; silence counts half); its share of the weight "
                                  "in the end"},
    {"mistake_bound, held", "the theorem's bound on expected_mistakes, and whether it held"},
    {"neighbors", "an object of knn, else null: rows, k, metric, kernel (or null), vote, index (in "
                  "use), leave_one_out "
                  "(--k auto: the mistakes with 1, 2, ... neighbours; else null)"},
    {"nonzero_weights", "weights other than zero, of all classes; null without weights"},
    {"model", "the file given to -o; null for none"},
    {"certified", "with --certify an object: certificate (its file, or null), claims, established, "
                  "certify_seconds and verify_seconds, as certify prints them; else null"},
    {"load_seconds, train_seconds", "time to read, and to learn (a stream does both at once)"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

/* Without a model, those of the file, if they are the ones that were learnt. */
static void train_json_classes(cli_json_writer *json, const train *done)
{
    const int of_data = !done->model && hsp_data_classes(done->data) == done->run.classes;
    const uint32_t count = done->model ? hsp_model_classes(done->model)
                           : of_data   ? hsp_data_classes(done->data)
                                       : 0;
    json_open(json, "class_names", '[');
    for (uint32_t c = 0; c < count; c++)
        json_text(json, NULL,
                  done->model ? hsp_model_class_name(done->model, c)
                              : hsp_data_class_name(done->data, c));
    json_close(json, ']');
}

static void train_json_panel(cli_json_writer *json, const train *done)
{
    const hsp_experts_report *panel = &done->run.panel;
    const double none = panel->several ? (double)NAN : 0;
    json_count(json, "experts", panel->experts);
    json_count(json, "examples", panel->examples);
    json_number(json, "mistakes", (double)panel->mistakes + none);
    json_number(json, "expected_mistakes", panel->expected + none);
    json_number(json, "deviation", panel->deviation + none);
    const char *name = hsp_model_feature_name(done->model, panel->best);
    json_text(json, "best_expert",
              panel->several ? NULL
              : name         ? name
                             : show_feature(done->model, panel->best));
    if (panel->several)
        json_text(json, "best_negated", NULL);
    else
        json_flag(json, "best_negated", panel->negated);
    json_number(json, "best_mistakes", panel->best_mistakes + none);
    json_number(json, "best_share", panel->best_share + none);
    json_number(json, "mistake_bound", panel->bound + none);
    if (panel->several)
        json_text(json, "held", NULL);
    else
        json_flag(json, "held", panel->held);
}

static void train_json(const cli *run, const train *done)
{
    const hsp_training *all = &done->run;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "learner", run->variant->name);
    json_count(&json, "rows", all->rows);
    json_count(&json, "features", all->cols);
    json_count(&json, "nonzeros", all->nonzeros);
    json_stored(&json, done->data);
    json_count(&json, "classes", all->classes);
    train_json_classes(&json, done);
    json_count(&json, "passes", all->passes);
    json_count(&json, "updates", all->updates);
    json_number(&json, "mistakes_last_pass",
                all->optimum.solver ? (double)NAN : (double)all->mistakes_last_pass);
    json_flag(&json, "converged", all->stop == HSP_STOP_CONVERGED);
    json_text(&json, "stop", hsp_stop_name(all->stop));
    json_number(&json, "training_error", all->training_error);
    json_number(&json, "progressive_error", all->progressive_error);
    json_number(&json, "radius", all->radius);
    if (all->optimum.solver) json_optimum(&json, &all->optimum, done->model);
    if (all->panel.experts) train_json_panel(&json, done);
    json_neighbors(&json, done->model);
    if (all->evidence) json_evidence(&json, all->evidence);
    if (done->confirmed) json_confirmation(&json, &done->confirmation);
    if (done->model && hsp_model_weights(done->model, 0))
        json_count(&json, "nonzero_weights", train_weights(done->model));
    else
        json_text(&json, "nonzero_weights", NULL);
    json_text(&json, "model", done->model ? done->out : NULL);
    if (done->certify) {
        json_open(&json, "certified", '{');
        json_text(&json, "certificate", done->certificate);
        json_certified(&json, &done->certified);
        json_close(&json, '}');
    } else {
        json_text(&json, "certified", NULL);
    }
    json_seconds(&json, "load_seconds", done->load_seconds);
    json_seconds(&json, "train_seconds", all->train_seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

static int train_to_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* What is written must not be what is read, nor two things one file. */
static hsp_status train_check_apart(const cli *run, const train *todo, hsp_error *err)
{
    const char *trace = todo->trace, *reference = train_text(run, "reference");
    if (train_to_standard(todo->out) && train_to_standard(trace))
        return cli_fail(err, HSP_USAGE, "--trace",
                        "the model goes to standard output already; name a file for one of them");
    hsp_status status = cli_check_apart("-o", todo->out, todo->path, err);
    if (status == HSP_OK) status = cli_check_apart("-o", todo->out, reference, err);
    if (status == HSP_OK) status = cli_check_apart("-o", todo->out, trace, err);
    if (status == HSP_OK) status = cli_check_apart("--trace", trace, todo->path, err);
    if (status == HSP_OK) status = cli_check_apart("--trace", trace, reference, err);
    return status;
}

/* Does it stream? Standard input does with one pass, a file when told to; one pass it is then. */
static hsp_status train_check(cli *run, train *todo, hsp_error *err)
{
    hsp_options *learner = run->options[TRAIN_LEARNER];
    int passes = train_has(run, "passes");
    hsp_status status = todo->out ? cli_check_output(run, todo->out, err) : HSP_OK;
    if (status == HSP_OK && todo->out) status = cli_check_place(todo->out, err);
    if (status == HSP_OK && todo->trace) status = cli_check_output(run, todo->trace, err);
    if (status == HSP_OK) status = train_check_apart(run, todo, err);
    if (status != HSP_OK) return status;
    todo->stream = hsp_options_flag(run->options[TRAIN_OWN], "stream");
    if (!todo->stream) {
        todo->stream =
            strcmp(todo->path, "-") == 0 && passes && hsp_options_integer(learner, "passes") == 1;
        return HSP_OK;
    }
    if (!passes) return HSP_OK;
    if (!hsp_options_is_set(learner, "passes")) return hsp_options_set(learner, "passes", "1", err);
    if (hsp_options_integer(learner, "passes") == 1) return HSP_OK;
    return cli_fail(err, HSP_USAGE, "--stream", "a stream passes only once: --passes 1");
}

/* A certificate is about a file; of a machine it needs the dual weights. */
static hsp_status train_check_certify(cli *run, train *todo, hsp_error *err)
{
    hsp_options *learner = run->options[TRAIN_LEARNER];
    if (todo->stream || strcmp(todo->path, "-") == 0)
        return cli_fail(err, HSP_USAGE, "--certify",
                        "a certificate is about a file that can be read again, not a stream");
    if (train_has(run, "keep-dual") && !hsp_options_is_set(learner, "keep-dual"))
        return hsp_options_set(learner, "keep-dual", "yes", err);
    return HSP_OK;
}

static hsp_status train_learn(cli *run, train *todo, hsp_error *err)
{
    const hsp_options *learner = run->options[TRAIN_LEARNER], *read = run->options[TRAIN_READ];
    if (todo->stream) {
        cli_begin_output(); /* from here on, Ctrl-C keeps what was learnt */
        return hsp_train_stream(run->ctx, todo->path, read, learner, err, &todo->run, &todo->model);
    }
    hsp_status status =
        cli_read(run, todo->path, read, NULL, err, &todo->data, &todo->load_seconds);
    cli_begin_output();
    if (status == HSP_OK)
        status = hsp_train(run->ctx, todo->data, learner, err, &todo->run, &todo->model);
    if (status == HSP_BAD_DATA && todo->data) cli_locate(run, todo->path, read, todo->data, err);
    return status;
}

static void train_tell(cli *run, const train *done, FILE *file)
{
    cli_progress_clear();
    if (cli_json(run))
        train_json(run, done);
    else if (done->model)
        train_print(run, done, file);
    else
        train_print_inseparable(run, done, file);
    fflush(stdout);
    if (done->out && done->model) cli_say(run, "wrote %s", show_output(done->out));
    train_warn(run, done);
    if (!done->certify || cli_json(run)) return;
    cli_certified_print(&done->certified, file);
    if (done->certificate && hsp_certificate_text(done->certified.certificate, NULL))
        cli_say(run, "wrote %s", show_output(done->certificate));
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

/* Was a separator demanded? */
static int train_demands(const cli *run)
{
    const hsp_options *learner = run->options[TRAIN_LEARNER];
    if (strcmp(run->variant->name, "lp") == 0) return !hsp_options_flag(learner, "soft");
    return train_has(run, "hard") && hsp_options_flag(learner, "hard");
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
        return cli_separable_fail(done->path, found, done->data, err);
    } else if (!done->model) {
        run->exit_status = hsp_status_exit(HSP_BAD_DATA); /* not known */
    }
    return HSP_OK;
}

static hsp_status train_run(cli *run, hsp_error *err)
{
    train todo = {.path = run->arguments[0],
                  .out = hsp_options_text(run->options[TRAIN_OWN], "output"),
                  .trace = train_text(run, "trace"),
                  .certify = hsp_options_flag(run->options[TRAIN_OWN], "certify")};
    const int taken = train_to_standard(todo.out) || train_to_standard(todo.trace);
    hsp_status status = train_check(run, &todo, err);
    if (status == HSP_OK && todo.certify) status = train_check_certify(run, &todo, err);
    if (status == HSP_OK) status = train_learn(run, &todo, err);
    if (status == HSP_OK && todo.data && train_demands(run))
        status = train_confirm(run, &todo, err);
    const int stopped = status == HSP_CANCELLED && todo.model;
    if (stopped) status = HSP_OK; /* the model so far is there */
    cli_finish_output();          /* what was learnt is kept, whenever Ctrl-C comes */
    if (status == HSP_OK && todo.out && todo.model)
        status = hsp_model_write(run->ctx, todo.model, todo.out, err);
    if (stopped)
        run->exit_status = cli_stop_status(), todo.certify = 0;
    else if (status == HSP_OK && todo.certify)
        status = train_certify(run, &todo, err);
    if (status == HSP_OK) train_tell(run, &todo, taken ? stderr : stdout);
    cli_certified_free(&todo.certified);
    free(todo.certificate);
    hsp_evidence_free(todo.run.evidence);
    hsp_data_free(todo.data);
    hsp_model_free(todo.model);
    return status;
}

static const cli_term train_arguments[] = {
    {"LEARNER", "what learns; without one, the learners are listed"},
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input"},
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
    .synopsis = "LEARNER [options] DATA [-o MODEL]",
    .description =
        "Learn from a data file and keep the model, with all that later prediction needs: names of "
        "classes and features, how words became numbers, scaling.\n\n"
        "Standard input with --passes 1, or any file with --stream, is learnt from as it passes "
        "by, "
        "in memory that depends on the number of features only.\n\n"
        "A run that did not converge says so on standard error, with what to try; the status is 0 "
        "all the same. A separator that was demanded (svm --hard, lp) and does not exist is status "
        "1, with the evidence. Both answers are confirmed in exact arithmetic on the decimals of "
        "the file; where that is not possible, the report says so. The first Ctrl-C (or SIGTERM) "
        "while learning ends the run within half a second, "
        "keeps the model so far and says so; the status is 130 (or 143). Figures that would take "
        "longer are reported as not computed. The second one kills. --max-seconds ends a run in "
        "the same way, with status 0.",
    .arguments = train_arguments,
    .groups = train_groups,
    .keys = train_keys,
    .examples = train_examples,
    .least = 1,
    .most = 1,
    .run = train_run,
    .variant = hsp_learner,
    .variant_word = "learner",
    .variant_synopsis = "[options] DATA [-o MODEL]",
};
