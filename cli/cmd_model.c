/* halfspace model show | form | import | export: look into a model file, write it in another normal
 * form, exchange models with other programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MODEL_ACTION };

#define MODEL_WIDTH 84 /* of a line of options */

static const hsp_option model_show_options[] = {
    {"weights", HSP_OPTION_TEXT, "20", 0, 0, NULL, "N",
     "number of weights (kernel models: coefficients) to list, largest first, or all"},
};

static const hsp_option model_form_options[] = {
    {"to", HSP_OPTION_CHOICE, NULL, 0, 0, "homogeneous|unit|threshold", NULL,
     "homogeneous: a constant feature instead of the offset; unit: ||w|| = 1; threshold: <w, x> > "
     "t"},
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "OUT", "output file"},
};

static const hsp_option model_import_options[] = {
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL", "output model"},
};

static const hsp_option model_export_options[] = {
    {"format", HSP_OPTION_CHOICE, NULL, 0, 0, "libsvm|liblinear", NULL,
     "format of LIBSVM (svm-predict) or LIBLINEAR (predict)"},
    {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE", "output file"},
};

static const hsp_option_table *model_action(size_t i)
{
    static const hsp_option_table actions[] = {
        {"show", "print a model readably, largest weights first", model_show_options, 1},
        {"form", "write a model in another normal form; no prediction changes", model_form_options,
         2},
        {"import", "make a model of a file of LIBSVM's or LIBLINEAR's", model_import_options, 1},
        {"export", "write a model for LIBSVM or LIBLINEAR", model_export_options, 2},
    };
    return i < sizeof actions / sizeof *actions ? &actions[i] : NULL;
}

static const cli_group model_groups[] = {{"Options", NULL}, {NULL, NULL}};

/* ---- Weights, largest first ---- */

typedef struct model_weight {
    double size;
    uint64_t column;
} model_weight;

static int model_compare(const void *left, const void *right)
{
    const model_weight *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* The non-zero weights of a scorer in that order, malloc'ed; at least one entry of room. */
static model_weight *model_order(const hsp_model *model, uint32_t scorer, uint64_t *count)
{
    const double *w = hsp_model_weights(model, scorer);
    uint64_t features = w ? hsp_model_features(model) : 0;
    model_weight *order = cli_memory(NULL, ((size_t)features + 1) * sizeof *order);
    *count = 0;
    for (uint64_t j = 0; j < features; j++)
        if (w[j] != 0) order[(*count)++] = (model_weight){fabs(w[j]), j};
    qsort(order, (size_t)*count, sizeof *order, model_compare);
    return order;
}

static double model_norm(const model_weight *order, uint64_t count)
{
    double sum = 0, largest = count ? order[0].size : 0;
    for (uint64_t i = 0; i < count; i++)
        sum += order[i].size / largest * (order[i].size / largest);
    return largest * sqrt(sum);
}

/* ---- show, for people ---- */

/* What makes probabilities of scores. */
static const char *model_map(const hsp_model *model)
{
    const char *calibration = hsp_model_calibration(model);
    hsp_knn_report near = {.size = sizeof near};
    if (hsp_model_knn(model, &near)) return "shares of the votes";
    return strcmp(calibration, "none") != 0 ? calibration : hsp_model_link(model);
}

static void model_print_facts(const hsp_model *model)
{
    const hsp_encoding *encoding = hsp_model_encoding(model);
    cli_table table;
    table_begin(&table, "ll");
    table_line(&table, "hypothesis", "%s", hsp_model_hypothesis(model));
    if (hsp_model_kernel(model))
        table_line(&table, "kernel", "%s", show_text(hsp_model_kernel(model)));
    if (hsp_model_coefficients(model, 0))
        table_line(&table, "support rows", "%s", show_count(hsp_model_support(model, NULL)));
    cli_neighbors_lines(&table, model);
    table_line(&table, "features", "%s", show_count(hsp_model_features(model)));
    char *classes = cli_class_list(model);
    table_line(&table, "classes", "%s", classes);
    free(classes);
    if (hsp_model_is_one_vs_one(model))
        table_line(&table, "decided by",
                   hsp_model_vote_tie_to_first(model)
                       ? "votes of pairs of classes; of equal votes the first class"
                       : "votes of pairs of classes");
    table_line(&table, "tie", "%s", hsp_tie_name(hsp_model_tie(model)));
    if (hsp_model_has_probabilities(model))
        table_line(&table, "probabilities", "%s", model_map(model));
    if (hsp_model_threshold(model) > 0)
        table_line(&table, "predicted class", "%s above a probability of %s",
                   show_name(hsp_model_class_name(model, 1)),
                   show_number(hsp_model_threshold(model)));
    else if (strcmp(hsp_model_calibration(model), "none") != 0)
        table_line(&table, "predicted class", "the most probable one");
    table_line(&table, "reads CSV", "%s",
               encoding ? "as the training file was read" : "with columns that are numbers");
    for (size_t i = 0; hsp_model_metadata_name(model, i); i++) {
        const char *name = hsp_model_metadata_name(model, i);
        if (strcmp(name, "options") != 0)
            table_line(&table, show_name(name), "%s", show_name(hsp_model_metadata(model, name)));
    }
    table_print(&table, stdout);
}

/* "name value", malloc'ed; NULL for a text that was not set. */
/* A list's items: "weight spam=2 ham=1". */
static char *model_list_text(const hsp_options *options, const char *name)
{
    char *text = cli_format("%s", name);
    for (size_t i = 0; i < hsp_options_list_count(options, name); i++) {
        char *longer = cli_format("%s %s", text, hsp_options_list_item(options, name, i));
        free(text);
        text = longer;
    }
    return text;
}

/* NULL: it has no value. */
static char *model_option_text(const hsp_options *options, const hsp_option *option)
{
    char number[HSP_NUMBER_MAX];
    const char *name = option->name, *text;
    const int unset = !option->fallback && !hsp_options_is_set(options, name);
    if (unset && option->type != HSP_OPTION_FLAG) return NULL;
    switch (option->type) {
    case HSP_OPTION_FLAG:
        return cli_format("%s %s", name, hsp_options_flag(options, name) ? "yes" : "no");
    case HSP_OPTION_INTEGER:
        if (option->choices && (double)hsp_options_integer(options, name) == option->min)
            return cli_format("%s %s", name, option->choices);
        return cli_format("%s %lld", name, (long long)hsp_options_integer(options, name));
    case HSP_OPTION_REAL:
        hsp_number_text(hsp_options_real(options, name), HSP_FLOAT64, number);
        return cli_format("%s %s", name, number);
    case HSP_OPTION_LIST:
        return model_list_text(options, name);
    default:
        text = hsp_options_text(options, name);
        return text ? cli_format("%s %s", name, text) : NULL;
    }
}

static void model_print_each(const hsp_options *options)
{
    const hsp_option_table *table = hsp_options_table(options);
    size_t at = 0;
    for (size_t i = 0; i < table->count; i++) {
        char *option = model_option_text(options, &table->options[i]);
        if (!option) continue;
        if (at) putchar(',');
        if (at + strlen(option) > MODEL_WIDTH) at = 0, printf("\n ");
        printf(" %s", show_text(option));
        at += strlen(option) + 2;
        free(option);
    }
}

/* As the learner's table has them; as the file has them when this build has no such learner. */
static void model_print_options(const cli *run, const hsp_model *model)
{
    const char *text = hsp_model_metadata(model, "options"),
               *learner = hsp_model_metadata(model, "learner");
    const hsp_option_table *table = learner ? cli_find_variant(&cli_train, learner) : NULL;
    hsp_options *options = NULL;
    if (!text) return;
    printf("\nOptions\n ");
    if (table && hsp_options_new(run->ctx, table, NULL, &options) == HSP_OK &&
        hsp_model_set_options(model, options, NULL) == HSP_OK)
        model_print_each(options);
    else
        printf(" %s", show_text(text));
    printf("\n");
    hsp_options_free(options);
}

/* "Score of B against A". */
static void model_print_score(const hsp_model *model, uint32_t scorer, const char *what)
{
    const uint32_t against = hsp_model_scorer_against(model, scorer);
    printf("\n%s of %s", what,
           show_name(hsp_model_class_name(model, hsp_model_scorer_for(model, scorer))));
    if (hsp_model_is_one_vs_one(model))
        printf(" against %s", show_name(hsp_model_class_name(model, against)));
}

/* ---- Coefficients of support rows, largest first ---- */

static void model_print_coefficients(const hsp_model *model, uint32_t scorer, uint64_t most)
{
    const double *a = hsp_model_coefficients(model, scorer);
    const uint64_t *source;
    uint64_t rows = hsp_model_support(model, &source), count = 0;
    model_weight *order = cli_memory(NULL, ((size_t)rows + 1) * sizeof *order);
    cli_table table;
    for (uint64_t i = 0; i < rows; i++)
        if (a[i] != 0) order[count++] = (model_weight){fabs(a[i]), i};
    qsort(order, (size_t)count, sizeof *order, model_compare);
    model_print_score(model, scorer, "Score");
    printf(": offset %s, %s support row%s\n", show_number(hsp_model_offset(model, scorer)),
           show_count(count), count == 1 ? "" : "s");
    if (most < count)
        printf("Coefficients, the %s largest of %s\n", show_count(most), show_count(count));
    table_begin(&table, "lr");
    for (uint64_t i = 0; i < count && i < most; i++) {
        table_cell(&table, "row %s", show_count(source[order[i].column] + 1));
        table_cell(&table, "%s", show_number(a[order[i].column]));
    }
    table_print(&table, stdout);
    free(order);
}

static void model_print_scorer(const hsp_model *model, uint32_t scorer, uint64_t most)
{
    const double *w = hsp_model_weights(model, scorer);
    uint64_t count, features = hsp_model_features(model);
    model_weight *order = model_order(model, scorer, &count);
    cli_table table;
    const int votes = strcmp(hsp_model_hypothesis(model), "votes") == 0;
    model_print_score(model, scorer,
                      votes ? "Of all separators that vote, the last one's score" : "Score");
    printf(": offset %s, length of the weights %s\n", show_number(hsp_model_offset(model, scorer)),
           show_number(model_norm(order, count)));
    if (most < count)
        printf("Weights, the %s largest of %s\n", show_count(most), show_count(count));
    table_begin(&table, "lr");
    for (uint64_t i = 0; i < count && i < most; i++) {
        table_cell(&table, "%s", show_feature(model, order[i].column));
        table_cell(&table, "%s", show_number(w[order[i].column]));
    }
    table_print(&table, stdout);
    if (count < features)
        printf("  %s weight%s 0\n", show_count(features - count),
               features - count == 1 ? " is" : "s are");
    free(order);
}

static void model_print(const cli *run, const hsp_model *model, uint64_t most)
{
    printf("%s\n", show_input(run->arguments[0]));
    model_print_facts(model);
    model_print_options(run, model);
    for (uint32_t s = 0; s < hsp_model_scorers(model); s++) {
        if (hsp_model_weights(model, s)) model_print_scorer(model, s, most);
        if (hsp_model_coefficients(model, s)) model_print_coefficients(model, s, most);
    }
}

/* ---- The result ---- */

typedef struct model_shown {
    const char *file, *output; /* output: the file that the model was written to, or NULL */
    const hsp_model *model;
    uint64_t most; /* weights and coefficients to list */
} model_shown;

/* A scorer, and its weights from the largest on. */
typedef struct model_scorer {
    const model_shown *of;
    uint32_t scorer;
    model_weight *order; /* malloc'ed */
    uint64_t count;
    uint64_t *support; /* supports: rows with a coefficient other than 0, malloc'ed */
    uint64_t supports;
} model_scorer;

typedef struct model_pair {
    const char *name, *value;
} model_pair;

typedef struct model_listed {
    uint64_t column; /* from 1 */
    const char *name;
    double value;
} model_listed;

FIELDS(model_weight_fields, model_listed,
       FIELD(COUNT, "column", NULL, column, "number of the column, from 1"),
       FIELD(TEXT, "name", NULL, name, "its name", .when = "null without names"),
       FIELD(REAL, "weight", NULL, value, "its weight"))

FIELDS(model_coefficient_fields, model_listed,
       FIELD(COUNT, "row", NULL, column, "number of the training row, from 1"),
       FIELD(REAL, "coefficient", NULL, value, "its coefficient"))

static const void *model_weight_at(const void *record, size_t i, void *room)
{
    const model_scorer *one = record;
    const hsp_model *model = one->of->model;
    model_listed *listed = room;
    if (i >= one->count || i >= one->of->most) return NULL;
    const uint64_t column = one->order[i].column;
    *listed = (model_listed){column + 1, hsp_model_feature_name(model, column),
                             hsp_model_weights(model, one->scorer)[column]};
    return listed;
}

static const void *model_coefficient_at(const void *record, size_t i, void *room)
{
    const model_scorer *one = record;
    const uint64_t *source;
    model_listed *listed = room;
    hsp_model_support(one->of->model, &source);
    if (i >= one->supports || i >= one->of->most) return NULL;
    const uint64_t row = one->support[i];
    *listed = (model_listed){source[row] + 1, NULL,
                             hsp_model_coefficients(one->of->model, one->scorer)[row]};
    return listed;
}

GETTER(model_class, model_scorer, one,
       hsp_model_class_name(one->of->model, hsp_model_scorer_for(one->of->model, one->scorer)))
GETTER(model_against, model_scorer, one,
       hsp_model_class_name(one->of->model, hsp_model_scorer_against(one->of->model, one->scorer)))
GETTER_NEW(model_offset, model_scorer, one, double, hsp_model_offset(one->of->model, one->scorer))
GETTER_NEW(model_length, model_scorer, one, double,
           hsp_model_weights(one->of->model, one->scorer) ? model_norm(one->order, one->count)
                                                          : (double)NAN)
GETTER(model_has_coefficients, model_scorer, one,
       hsp_model_coefficients(one->of->model, one->scorer) ? one : NULL)

FIELDS(model_kernel_scorer_fields, model_scorer,
       FIELD_GET(LIST, "coefficients", NULL, model_coefficient_at,
                 "the coefficients of the support rows", .of = model_coefficient_fields))

FIELDS(model_scorer_fields, model_scorer,
       FIELD_GET(TEXT, "class", NULL, model_class, "the class that a high score speaks for"),
       FIELD_GET(TEXT, "against", NULL, model_against, "the class that it speaks against",
                 .when = "null for all others"),
       FIELD_GET(REAL, "offset", NULL, model_offset, "the offset b"),
       FIELD_GET(REAL, "norm", NULL, model_length, "length of the weights",
                 .when = "null in a kernel's feature space"),
       FIELD_GET(LIST, "weights", NULL, model_weight_at, "the weights, the largest first",
                 .of = model_weight_fields),
       FIELD_GET(PART, NULL, NULL, model_has_coefficients, "Kernel models", .optional = 1,
                 .of = model_kernel_scorer_fields))

FIELDS(model_pair_fields, model_pair, FIELD(TEXT, "name", NULL, name, "the name"),
       FIELD(TEXT, "value", NULL, value, "the value"))

/* What is printed, and the orders of the weights of all scorers. */
typedef struct model_job {
    model_shown shown;
    model_scorer *scorers; /* of the model */
} model_job;

GETTER(model_scorer_at, model_job, job,
       i < hsp_model_scorers(job->shown.model) ? &job->scorers[i] : NULL)

GETTER(model_class_at, model_job, of,
       i < hsp_model_classes(of->shown.model) ? hsp_model_class_name(of->shown.model, (uint32_t)i)
                                              : NULL)

static const void *model_fact_at(const void *record, size_t i, void *room)
{
    const hsp_model *model = ((const model_job *)record)->shown.model;
    model_pair *pair = room;
    pair->name = hsp_model_metadata_name(model, i);
    pair->value = pair->name ? hsp_model_metadata(model, pair->name) : NULL;
    return pair->name ? pair : NULL;
}

GETTER(model_hypothesis, model_job, job, hsp_model_hypothesis(job->shown.model))
GETTER(model_kernel, model_job, job, hsp_model_kernel(job->shown.model))
GETTER_NEW(model_support_rows, model_job, job, uint64_t, hsp_model_support(job->shown.model, NULL))
GETTER(model_neighbors, model_job, job, cli_knn(job->shown.model, room))
GETTER_NEW(model_features, model_job, job, uint64_t, hsp_model_features(job->shown.model))
GETTER(model_tie, model_job, job, hsp_tie_name(hsp_model_tie(job->shown.model)))
GETTER_NEW(model_one_vs_one, model_job, job, int, hsp_model_is_one_vs_one(job->shown.model))
GETTER(model_link, model_job, job, hsp_model_link(job->shown.model))
GETTER(model_calibration, model_job, job, hsp_model_calibration(job->shown.model))
GETTER_NEW(model_threshold, model_job, job, double,
           hsp_model_threshold(job->shown.model) > 0 ? hsp_model_threshold(job->shown.model)
                                                     : (double)NAN)

FIELDS(
    model_fields, model_job, FIELD(TEXT, "model", NULL, shown.file, "the model file"),
    FIELD(TEXT, "output", NULL, shown.output, "the file written", .when = "null without -o"),
    FIELD_GET(TEXT, "hypothesis", NULL, model_hypothesis, "linear, votes, kernel or neighbors"),
    FIELD_GET(TEXT, "kernel", NULL, model_kernel, "the kernel expression",
              .when = "null without one"),
    FIELD_GET(COUNT, "support_rows", NULL, model_support_rows, "support rows kept", .unit = "rows"),
    FIELD_GET(OBJECT, "neighbors", NULL, model_neighbors, "a model of nearest neighbours",
              .when = "null for other models", .of = hsp_knn_fields),
    FIELD_GET(COUNT, "features", NULL, model_features, "columns", .unit = "columns"),
    FIELD_GET(LIST, "classes", NULL, model_class_at, "names of the classes", .of = hsp_field_texts),
    FIELD_GET(TEXT, "tie", NULL, model_tie, "what a score of exactly 0 means: neg, pos or zero"),
    FIELD_GET(FLAG, "pairs", NULL, model_one_vs_one,
              "one-vs-one: a scorer per pair of classes, and votes decide"),
    FIELD_GET(TEXT, "link", NULL, model_link, "none, logistic, probit or step"),
    FIELD_GET(TEXT, "calibration", NULL, model_calibration,
              "none, platt or isotonic; it replaces the link and decides the class"),
    FIELD_GET(REAL, "threshold", NULL, model_threshold,
              "probability above which the second class is predicted", .when = "null if not set"),
    FIELD_GET(MAP, "facts", NULL, model_fact_at,
              "metadata of the model: learner, options (JSON), seed, passes, updates, "
              "converged, data_rows, data_hash, version and others",
              .of = model_pair_fields),
    FIELD_GET(LIST, "scorers", NULL, model_scorer_at, "the scorers", .of = model_scorer_fields))

static const cli_result model_results[] = {{"model", model_fields, 0, 1}, {NULL, NULL, 0, 0}};

/* `output`: the file that the model was written to, or NULL. */
static hsp_status model_json(const cli *run, const hsp_model *model, const char *output,
                             uint64_t most, hsp_error *err)
{
    const uint32_t count = hsp_model_scorers(model);
    model_job job = {{run->arguments[0], output, model, most}, NULL};
    job.scorers = cli_memory(NULL, ((size_t)count + 1) * sizeof *job.scorers);
    for (uint32_t s = 0; s < count; s++) {
        model_scorer *one = &job.scorers[s];
        const double *a = hsp_model_coefficients(model, s);
        const uint64_t rows = a ? hsp_model_support(model, NULL) : 0;
        *one = (model_scorer){.of = &job.shown, .scorer = s};
        one->order = model_order(model, s, &one->count);
        one->support = cli_memory(NULL, ((size_t)rows + 1) * sizeof *one->support);
        for (uint64_t i = 0; i < rows; i++)
            if (a[i] != 0) one->support[one->supports++] = i;
    }
    hsp_status status = cli_report(run, model_results, &job, stdout, err);
    for (uint32_t s = 0; s < count; s++)
        free(job.scorers[s].order), free(job.scorers[s].support);
    free(job.scorers);
    return status;
}

/* ---- The command ---- */

static hsp_status model_show(cli *run, hsp_error *err)
{
    hsp_model *model = NULL;
    uint64_t most;
    hsp_status status = cli_how_many(run->options[MODEL_ACTION], "weights", err, &most);
    if (status == HSP_OK) status = hsp_model_read(run->ctx, run->arguments[0], err, &model);
    if (status != HSP_OK) return status;
    cli_progress_clear();
    if (cli_json(run))
        status = model_json(run, model, NULL, most, err);
    else
        model_print(run, model, most);
    hsp_model_free(model);
    return status;
}

/* Of an option that an action cannot do without. */
static hsp_status model_need(const cli *run, const char *option, const char *shown, hsp_error *err)
{
    if (hsp_options_text(run->options[MODEL_ACTION], option)) return HSP_OK;
    return cli_fail(err, HSP_USAGE, shown, "is missing");
}

static hsp_status model_form(cli *run, hsp_error *err)
{
    const char *form = hsp_options_text(run->options[MODEL_ACTION], "to");
    const char *out = hsp_options_text(run->options[MODEL_ACTION], "output");
    hsp_model *model = NULL, *changed = NULL;
    hsp_status status = model_need(run, "to", "--to", err);
    if (status == HSP_OK) status = model_need(run, "output", "-o", err);
    if (status == HSP_OK) status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = hsp_model_read(run->ctx, run->arguments[0], err, &model);
    if (status == HSP_OK) status = hsp_model_form(run->ctx, model, form, err, &changed);
    cli_begin_output();
    if (status == HSP_OK) status = hsp_model_write(run->ctx, changed, out, err);
    if (status == HSP_OK) {
        const char *threshold = hsp_model_metadata(changed, "threshold");
        cli_progress_clear();
        cli_say(run, "wrote %s, the %s form%s%s", show_output(out), form,
                threshold ? ": <w, x> > " : "", threshold ? show_name(threshold) : "");
        if (cli_json(run)) status = model_json(run, changed, out, UINT64_MAX, err);
    }
    hsp_model_free(changed);
    hsp_model_free(model);
    return status;
}

static hsp_status model_import(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[MODEL_ACTION], "output");
    hsp_model *model = NULL;
    hsp_status status = model_need(run, "output", "-o", err);
    if (status == HSP_OK) status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = hsp_model_import(run->ctx, run->arguments[0], err, &model);
    cli_begin_output();
    if (status == HSP_OK) status = hsp_model_write(run->ctx, model, out, err);
    if (status == HSP_OK) {
        char *classes = cli_class_list(model);
        cli_progress_clear();
        cli_say(run, "wrote %s, a %s model of the classes %s", show_output(out),
                hsp_model_hypothesis(model), classes);
        free(classes);
        if (cli_json(run)) status = model_json(run, model, out, UINT64_MAX, err);
    }
    hsp_model_free(model);
    return status;
}

static hsp_status model_export(cli *run, hsp_error *err)
{
    const char *format = hsp_options_text(run->options[MODEL_ACTION], "format");
    const char *out = hsp_options_text(run->options[MODEL_ACTION], "output");
    hsp_model *model = NULL;
    hsp_status status = model_need(run, "format", "--format", err);
    if (status == HSP_OK) status = model_need(run, "output", "-o", err);
    if (status == HSP_OK) status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = hsp_model_read(run->ctx, run->arguments[0], err, &model);
    cli_begin_output();
    if (status == HSP_OK) status = hsp_model_export(run->ctx, model, format, out, err);
    if (status == HSP_OK) {
        cli_progress_clear();
        cli_say(run, "wrote %s, a model of %s", show_output(out),
                strcmp(format, "libsvm") == 0 ? "LIBSVM's" : "LIBLINEAR's");
        if (cli_json(run)) status = model_json(run, model, out, UINT64_MAX, err);
    }
    hsp_model_free(model);
    return status;
}

static hsp_status model_run(cli *run, hsp_error *err)
{
    const char *action = run->variant->name;
    if (strcmp(action, "form") == 0) return model_form(run, err);
    if (strcmp(action, "import") == 0) return model_import(run, err);
    return strcmp(action, "export") == 0 ? model_export(run, err) : model_show(run, err);
}

static const cli_term model_arguments[] = {
    {"ACTION", "what to do; without one, they are listed"},
    {"MODEL", "the model, as train wrote it; import: the other program's file"},
    {NULL, NULL}};

static const cli_term model_examples[] = {
    {"halfspace model show model.hsp", "what it is, and its largest weights by name"},
    {"halfspace model show model.hsp --weights all --json", "everything, for a program to read"},
    {"halfspace model form model.hsp --to unit -o unit.hsp",
     "weights of length 1: scores are distances"},
    {"halfspace model import digits.svm -o digits.hsp", "what svm-train wrote, as a model"},
    {"halfspace model export model.hsp --format libsvm -o model.svm",
     "for svm-predict, which then prints the same classes"},
    {NULL, NULL}};

const cli_command cli_model = {
    .name = "model",
    .summary = "show a model, change its form, import and export models",
    .synopsis = "ACTION MODEL [options]",
    .description =
        "show prints the contents of a model file: learner, options, classes, figures of the "
        "run, and the weights, largest first, by the names of their features.\n\nform converts a "
        "model to another normal form with the same predictions: homogeneous, with one more "
        "feature that is always 1 and no offset; unit, with weights of norm 1, so that scores "
        "are distances; threshold, where <w, x> is compared with t.\n\nimport reads a model file "
        "of LIBSVM (c_svc and nu_svc, any kernel) or LIBLINEAR; the model predicts the same "
        "classes. export writes one: linear models, and kernel models with LIBSVM's kernels, "
        "with numbers that read back to the same bits.",
    .arguments = model_arguments,
    .groups = model_groups,
    .results = model_results,
    .examples = model_examples,
    .least = 1,
    .most = 1,
    .run = model_run,
    .variant = model_action,
    .variant_word = "action",
    .variant_synopsis = "MODEL [options]",
};
