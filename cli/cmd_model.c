/* halfspace model show | form | import | export: look into a model file, write it in another normal
 * form, exchange models with other programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MODEL_ACTION };

static const hsp_option model_show_options[] = {
    {"weights", HSP_OPTION_TEXT, "20", 0, 0, NULL, "N",
     "number of weights (kernel models: coefficients) to list, largest first, or all"},
    {"dual", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also list the coefficients of the training rows (linear models: trained with --keep-dual, or "
     "by an online learner)"},
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
        {"show", "print a model readably, largest weights first", model_show_options, 2},
        {"form", "write a model in another normal form; no prediction changes", model_form_options,
         2},
        {"import", "convert a model file of LIBSVM or LIBLINEAR", model_import_options, 1},
        {"export", "write a model for LIBSVM or LIBLINEAR", model_export_options, 2},
    };
    return i < sizeof actions / sizeof *actions ? &actions[i] : NULL;
}

static const cli_group model_groups[] = {{"Options", NULL}, {NULL, NULL}};

/* ---- The result ---- */

/* A weight or a coefficient, by its size. */
typedef struct model_entry {
    double group; /* the largest size of those that come from the same column of the file */
    double size;
    uint64_t at;
} model_entry;

struct model_job;

typedef struct model_scorer {
    const struct model_job *job;
    uint32_t scorer;
    const double *values; /* weights or coefficients; NULL: it has neither */
    model_entry *order;   /* count: those other than 0, the largest first (coefficients in JSON: in
                             the order of the rows); malloc'ed */
    uint64_t count, all;
    uint64_t *dual; /* dual_count: of the coefficients of the training rows; malloc'ed */
    uint64_t dual_count;
    double *file; /* all: weights in the units of the file, or NULL; malloc'ed */
    double file_offset;
} model_scorer;

typedef struct model_job {
    const char *file, *output; /* output: the file that the model was written to, or NULL */
    const hsp_model *model;
    uint64_t most;         /* weights and coefficients to list */
    hsp_options *options;  /* of the run, or NULL: this build does not have its learner */
    model_scorer *scorers; /* of the model */
} model_job;

typedef struct model_listed {
    uint64_t number; /* from 1 */
    const char *name;
    double value;
    double file, standardised; /* of weights; NaN: none */
    const char *source;
    const char *scaled; /* "": there is a scaling */
} model_listed;

typedef struct model_pair {
    const char *name, *value;
} model_pair;

typedef struct model_option {
    const hsp_options *options;
    const hsp_option *option;
} model_option;

static int model_compare(const void *left, const void *right)
{
    const model_entry *a = left, *b = right;
    if (a->group != b->group) return a->group > b->group ? -1 : 1;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int model_compare_place(const void *left, const void *right)
{
    const model_entry *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

static double model_norm(const model_scorer *one)
{
    double sum = 0, largest = one->count ? one->order[0].size : 0;
    for (uint64_t i = 0; i < one->count; i++)
        sum += one->order[i].size / largest * (one->order[i].size / largest);
    return largest * sqrt(sum);
}

static int model_has_weights(const model_scorer *one)
{
    return hsp_model_weights(one->job->model, one->scorer) != NULL;
}

static const void *model_weight_at(const void *record, size_t i, void *room)
{
    const model_scorer *one = record;
    const hsp_model *model = one->job->model;
    const char *kind = hsp_model_scaling_kind(model);
    if (!model_has_weights(one) || i >= one->count || i >= one->job->most) return NULL;
    const uint64_t at = one->order[i].at;
    *(model_listed *)room =
        (model_listed){at + 1,
                       hsp_model_feature_name(model, at),
                       one->values[at],
                       one->file ? one->file[at] : (double)NAN,
                       kind && strcmp(kind, "standard") == 0 ? one->values[at] : (double)NAN,
                       hsp_model_feature_source(model, at),
                       kind ? "" : NULL};
    return room;
}

/* The i-th coefficient of a training row that belongs to this scorer. */
static const void *model_dual_at(const void *record, size_t i, void *room)
{
    const model_scorer *one = record;
    const hsp_row_coefficients all = hsp_model_row_coefficients(one->job->model);
    if (i >= one->dual_count) return NULL;
    const uint64_t k = one->dual[i];
    *(model_listed *)room = (model_listed){.number = all.row[k] + 1, .value = all.amount[k]};
    return room;
}

static const void *model_coefficient_at(const void *record, size_t i, void *room)
{
    const model_scorer *one = record;
    const uint64_t *source;
    if (model_has_weights(one) || i >= one->count || i >= one->job->most) return NULL;
    const uint64_t at = one->order[i].at;
    hsp_model_support(one->job->model, &source);
    *(model_listed *)room = (model_listed){.number = source[at] + 1, .value = one->values[at]};
    return room;
}

static const char *model_class_of(const model_scorer *one, uint32_t c)
{
    return hsp_model_class_name(one->job->model, c);
}

GETTER(model_class, model_scorer, one,
       model_class_of(one, hsp_model_scorer_for(one->job->model, one->scorer)))
GETTER(model_against, model_scorer, one,
       model_class_of(one, hsp_model_scorer_against(one->job->model, one->scorer)))
GETTER(model_other, model_scorer, one,
       hsp_model_is_one_vs_one(one->job->model)
           ? model_class_of(one, hsp_model_scorer_against(one->job->model, one->scorer))
           : NULL)
GETTER(model_what, model_scorer, one,
       strcmp(hsp_model_hypothesis(one->job->model), "votes") == 0
           ? "Of all separators that vote, the last one's score"
           : "Score")
GETTER_NEW(model_offset, model_scorer, one, double, hsp_model_offset(one->job->model, one->scorer))
GETTER_NEW(model_length, model_scorer, one, double,
           model_has_weights(one) ? model_norm(one) : (double)NAN)
GETTER(model_has_coefficients, model_scorer, one,
       hsp_model_coefficients(one->job->model, one->scorer) ? one : NULL)
GETTER_NEW(model_shown, model_scorer, one, uint64_t,
           one->job->most < one->count ? one->job->most : UINT64_MAX)
GETTER_NEW(model_zeros, model_scorer, one, uint64_t,
           model_has_weights(one) && one->count < one->all ? one->all - one->count : UINT64_MAX)

FIELDS(model_weight_fields, model_listed,
       FIELD(COUNT, "column", NULL, number, "number of the column, from 1"),
       FIELD(TEXT, "name", "", name, "its name", .when = "null without names",
             .text = "[{}~{column}]"),
       FIELD(REAL, "weight", "", value, "its weight, of the scaled rows",
             .text = "{}[  ({file_weight} in the units of the file{.scaled})]"),
       FIELD(REAL, "file_weight", NULL, file,
             "its weight for the numbers of the file, scaling undone",
             .when = "null if the scaling cannot be undone (unit rows, votes)"),
       FIELD(REAL, "standardised_weight", NULL, standardised,
             "its weight times the standard deviation of the column",
             .when = "null unless trained with --scale standard"),
       FIELD(TEXT, ".scaled", NULL, scaled, NULL),
       FIELD(TEXT, "source", NULL, source, "the column of the CSV file that it was made from",
             .when = "null if not known"))

FIELDS(model_coefficient_fields, model_listed,
       FIELD(COUNT, "row", "", number, "number of the training row, from 1", .text = "row {}"),
       FIELD(REAL, "coefficient", "", value, "its coefficient"))

FIELDS(model_kernel_scorer_fields, model_scorer,
       FIELD_GET(LIST, "coefficients", "[Coefficients, the {.shown} largest of {.count}]",
                 model_coefficient_at, "the coefficients of the support rows",
                 .of = model_coefficient_fields, .most = SIZE_MAX))

FIELDS(model_scorer_fields, model_scorer, FIELD_GET(TEXT, ".what", NULL, model_what, NULL),
       FIELD_GET(TEXT, ".other", NULL, model_other, NULL),
       FIELD_GET(COUNT, ".shown", NULL, model_shown, NULL),
       FIELD_GET(COUNT, ".zeros", NULL, model_zeros, NULL),
       FIELD(COUNT, ".count", NULL, count, NULL),
       CLI_LINE("\n{.what} of {class}[ against {.other}]: offset {offset}, [length of the weights "
                "{norm}~{.count:support row}]"),
       FIELD_GET(TEXT, "class", NULL, model_class, "the class that a high score means"),
       FIELD_GET(TEXT, "against", NULL, model_against, "the class that a low score means",
                 .when = "null for all others"),
       FIELD_GET(REAL, "offset", NULL, model_offset, "the offset b"),
       FIELD(REAL, "file_offset", NULL, file_offset, "the offset for the numbers of the file",
             .when = "null if there are no such weights"),
       FIELD_GET(REAL, "norm", NULL, model_length, "length of the weights",
                 .when = "null in a kernel's feature space"),
       FIELD_GET(LIST, "weights", "[Weights, the {.shown} largest of {.count}]", model_weight_at,
                 "the weights, the largest first", .of = model_weight_fields, .most = SIZE_MAX),
       CLI_LINE("  {.zeros:weight} equal to 0"),
       FIELD_GET(LIST, "dual", "Coefficients of the training rows", model_dual_at,
                 "with --dual: the training rows whose coefficients are not 0",
                 .of = model_coefficient_fields, .most = SIZE_MAX),
       FIELD_GET(PART, NULL, NULL, model_has_coefficients, "Kernel models", .optional = 1,
                 .of = model_kernel_scorer_fields))

GETTER(model_scorer_at, model_job, job, i < hsp_model_scorers(job->model) ? &job->scorers[i] : NULL)
GETTER(model_class_at, model_job, job,
       i < hsp_model_classes(job->model) ? hsp_model_class_name(job->model, (uint32_t)i) : NULL)

static const void *model_fact_at(const void *record, size_t i, void *room)
{
    const hsp_model *model = ((const model_job *)record)->model;
    model_pair *pair = room;
    pair->name = hsp_model_metadata_name(model, i);
    pair->value = pair->name ? hsp_model_metadata(model, pair->name) : NULL;
    return pair->name ? pair : NULL;
}

/* Without the options, which a text shows otherwise. */
static const void *model_other_fact_at(const void *record, size_t i, void *room)
{
    const model_pair *pair;
    for (size_t n = 0; (pair = model_fact_at(record, n, room)); n++)
        if (strcmp(pair->name, "options") != 0 && i-- == 0) return pair;
    return NULL;
}

/* The value of an option; NULL: it has none. */
static const void *model_option_text(const hsp_options *options, const hsp_option *option,
                                     char *room)
{
    const char *name = option->name;
    if (option->type == HSP_OPTION_FLAG) return hsp_options_flag(options, name) ? "yes" : "no";
    if (!option->fallback && !hsp_options_is_set(options, name)) return NULL;
    if (option->type == HSP_OPTION_REAL)
        return hsp_number_text(hsp_options_real(options, name), HSP_FLOAT64, room);
    if (option->type == HSP_OPTION_INTEGER) {
        const int64_t value = hsp_options_integer(options, name);
        if (option->choices && (double)value == option->min) return option->choices;
        snprintf(room, HSP_FIELD_ROOM, "%lld", (long long)value);
        return room;
    }
    if (option->type != HSP_OPTION_LIST) return hsp_options_text(options, name);
    size_t size = 0; /* "spam=2 ham=1" */
    for (size_t i = 0; i < hsp_options_list_count(options, name) && size < HSP_FIELD_ROOM; i++)
        size += (size_t)snprintf(room + size, HSP_FIELD_ROOM - size, "%s%s", i ? " " : "",
                                 hsp_options_list_item(options, name, i));
    return room;
}

static const void *model_option_at(const void *record, size_t i, void *room)
{
    const hsp_options *options = ((const model_job *)record)->options;
    const hsp_option_table *table = options ? hsp_options_table(options) : NULL;
    char value[HSP_FIELD_ROOM];
    for (size_t n = 0; table && n < table->count; n++)
        if (model_option_text(options, &table->options[n], value) && i-- == 0) {
            *(model_option *)room = (model_option){options, &table->options[n]};
            return room;
        }
    return NULL;
}

GETTER(model_option_name, model_option, one, one->option->name)
GETTER(model_option_value, model_option, one, model_option_text(one->options, one->option, room))
GETTER(model_raw_options, model_job, job,
       job->options ? NULL : hsp_model_metadata(job->model, "options"))
GETTER(model_hypothesis, model_job, job, hsp_model_hypothesis(job->model))
GETTER(model_kernel, model_job, job, hsp_model_kernel(job->model))
GETTER_NEW(model_support_rows, model_job, job, uint64_t, hsp_model_support(job->model, NULL))
GETTER(model_neighbors, model_job, job, cli_knn(job->model, room))
GETTER_NEW(model_features, model_job, job, uint64_t, hsp_model_features(job->model))
GETTER(model_tie, model_job, job, hsp_tie_name(hsp_model_tie(job->model)))
GETTER_NEW(model_one_vs_one, model_job, job, int, hsp_model_is_one_vs_one(job->model))
GETTER(model_link, model_job, job, hsp_model_link(job->model))
GETTER(model_calibration, model_job, job, hsp_model_calibration(job->model))
GETTER_NEW(model_threshold, model_job, job, double,
           hsp_model_threshold(job->model) > 0 ? hsp_model_threshold(job->model) : (double)NAN)

/* What a text says of them. */
GETTER(model_supported, model_job, job, hsp_model_coefficients(job->model, 0) ? "" : NULL)
GETTER(model_votes, model_job, job,
       !hsp_model_is_one_vs_one(job->model) ? NULL
       : hsp_model_vote_tie_to_first(job->model)
           ? "votes of pairs of classes; of equal votes the first class"
           : "votes of pairs of classes")
GETTER(model_probabilities, model_job, job,
       !hsp_model_has_probabilities(job->model)                 ? NULL
       : cli_knn(job->model, room)                              ? "shares of the votes"
       : strcmp(hsp_model_calibration(job->model), "none") != 0 ? hsp_model_calibration(job->model)
                                                                : hsp_model_link(job->model))
GETTER(model_second_class, model_job, job, hsp_model_class_name(job->model, 1))
GETTER(model_most_probable, model_job, job,
       hsp_model_threshold(job->model) > 0 || !strcmp(hsp_model_calibration(job->model), "none")
           ? NULL
           : "the most probable one")
GETTER(model_reads, model_job, job,
       hsp_model_encoding(job->model) ? "as the training file was read"
                                      : "with columns that are numbers")

FIELDS(model_fact_fields, model_pair, FIELD(TEXT, "name", "", name, "the name"),
       FIELD(TEXT, "value", "", value, "the value"))

FIELDS(model_option_fields, model_option, FIELD_GET(TEXT, NULL, "", model_option_name, NULL),
       FIELD_GET(TEXT, NULL, "", model_option_value, NULL))

FIELDS(model_fields, model_job, CLI_LINE("{model}"),
       FIELD_GET(TEXT, ".supported", NULL, model_supported, NULL),
       FIELD_GET(TEXT, ".second_class", NULL, model_second_class, NULL),
       FIELD_GET(TEXT, ".options", NULL, model_raw_options, NULL),
       FIELD(TEXT, "model", NULL, file, "the model file"),
       FIELD(TEXT, "output", NULL, output, "the file written", .when = "null without -o"),
       FIELD_GET(TEXT, "hypothesis", "hypothesis", model_hypothesis,
                 "linear, votes, kernel or neighbors"),
       FIELD_GET(TEXT, "kernel", "kernel", model_kernel, "the kernel expression",
                 .when = "null without one"),
       FIELD_GET(COUNT, "support_rows", "support rows", model_support_rows, "support rows kept",
                 .unit = "rows", .text = "{.supported}{}"),
       FIELD_GET(OBJECT, "neighbors", NULL, model_neighbors, "a model of nearest neighbours",
                 .when = "null for other models", .of = hsp_knn_fields),
       FIELD_GET(COUNT, "features", "features", model_features, "columns", .unit = "columns"),
       FIELD_GET(LIST, "classes", "classes", model_class_at, "names of the classes",
                 .of = hsp_field_texts),
       FIELD_GET(TEXT, NULL, "decided by", model_votes, NULL),
       FIELD_GET(TEXT, "tie", "tie", model_tie,
                 "what a score of exactly 0 means: neg, pos or zero"),
       FIELD_GET(FLAG, "pairs", NULL, model_one_vs_one,
                 "one-vs-one: a scorer per pair of classes, and votes decide"),
       FIELD_GET(TEXT, "link", NULL, model_link, "none, logistic, probit, step or softmax"),
       FIELD_GET(TEXT, "calibration", NULL, model_calibration,
                 "none, platt or isotonic; it replaces the link and decides the class"),
       FIELD_GET(TEXT, NULL, "probabilities", model_probabilities, NULL),
       FIELD_GET(REAL, "threshold", "predicted class", model_threshold,
                 "probability above which the second class is predicted", .when = "null if not set",
                 .text = "{.second_class} above a probability of {}"),
       FIELD_GET(TEXT, NULL, "predicted class", model_most_probable, NULL),
       FIELD_GET(TEXT, NULL, "reads CSV", model_reads, NULL),
       FIELD_GET(MAP, "facts", NULL, model_fact_at,
                 "metadata of the model: learner, options (JSON), seed, passes, updates, "
                 "converged, data_rows, data_hash, version and others",
                 .of = model_fact_fields),
       FIELD_GET(LIST, NULL, "Metadata", model_other_fact_at, NULL, .of = model_fact_fields),
       FIELD_GET(LIST, NULL, "Options", model_option_at, NULL, .of = model_option_fields),
       CLI_LINE("\nOptions\n  {.options}"),
       FIELD_GET(LIST, "scorers", NULL, model_scorer_at, "the scorers", .of = model_scorer_fields))

static const cli_result model_results[] = {{"model", model_fields, 0, 1}, {NULL, NULL, 0, 0}};
static const cli_result model_scorer_result = {"", model_scorer_fields, 0, 1}; /* in a text */

/* Of the largest weights, which are listed, those of one column of the file stand together. */
static void model_group(model_scorer *one, uint64_t listed)
{
    qsort(one->order, (size_t)listed, sizeof *one->order, model_compare_place);
    for (uint64_t i = 0, end; i < listed; i = end) {
        const char *source = hsp_model_feature_source(one->job->model, one->order[i].at);
        double largest = 0;
        for (end = i; end < listed; end++) {
            if (end > i && (!source || hsp_model_feature_source(one->job->model,
                                                                one->order[end].at) != source))
                break;
            largest = fmax(largest, one->order[end].size);
        }
        for (uint64_t k = i; k < end; k++)
            one->order[k].group = largest;
    }
    qsort(one->order, (size_t)listed, sizeof *one->order, model_compare);
}

/* `output`: the file that the model was written to, or NULL. */
static hsp_status model_report(const cli *run, const hsp_model *model, const char *output,
                               uint64_t most, int dual, hsp_error *err)
{
    const uint32_t count = hsp_model_scorers(model);
    const char *learner = hsp_model_metadata(model, "learner");
    const hsp_option_table *table = learner ? cli_find_variant(&cli_train, learner) : NULL;
    const hsp_row_coefficients rows = hsp_model_row_coefficients(model);
    model_job job = {run->arguments[0], output, model, most, NULL, NULL};
    if (table && hsp_options_new(run->ctx, table, NULL, &job.options) == HSP_OK &&
        hsp_model_set_options(model, job.options, NULL) != HSP_OK) {
        hsp_options_free(job.options);
        job.options = NULL;
    }
    job.scorers = cli_memory(NULL, ((size_t)count + 1) * sizeof *job.scorers);
    for (uint32_t s = 0; s < count; s++) {
        model_scorer *one = &job.scorers[s];
        const double *weights = hsp_model_weights(model, s);
        *one = (model_scorer){.job = &job, .scorer = s, .values = weights};
        if (!weights) one->values = hsp_model_coefficients(model, s);
        one->all = weights ? hsp_model_features(model) : hsp_model_support(model, NULL);
        one->order = cli_memory(NULL, ((size_t)one->all + 1) * sizeof *one->order);
        for (uint64_t i = 0; one->values && i < one->all; i++)
            if (one->values[i] != 0)
                one->order[one->count++] = (model_entry){0, fabs(one->values[i]), i};
        if (dual) one->dual = cli_memory(NULL, ((size_t)rows.count + 1) * sizeof *one->dual);
        for (uint64_t k = 0; dual && k < rows.count; k++)
            if (rows.scorer[k] == s) one->dual[one->dual_count++] = k;
        one->file_offset = (double)NAN;
        if (weights) one->file = cli_memory(NULL, ((size_t)one->all + 1) * sizeof *one->file);
        if (weights && !hsp_model_file_weights(model, s, one->file, &one->file_offset)) {
            free(one->file);
            one->file = NULL;
        }
        if (weights || !cli_json(run))
            qsort(one->order, (size_t)one->count, sizeof *one->order, model_compare);
        if (weights) model_group(one, most < one->count ? most : one->count);
    }
    hsp_status status = cli_report(run, model_results, &job, stdout, err);
    for (uint32_t s = 0; s < count; s++) {
        if (!cli_json(run) && job.scorers[s].values)
            cli_report(run, &model_scorer_result, &job.scorers[s], stdout, err);
        free(job.scorers[s].order);
        free(job.scorers[s].file);
        free(job.scorers[s].dual);
    }
    free(job.scorers);
    hsp_options_free(job.options);
    return status;
}

/* ---- The command ---- */

static hsp_status model_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[MODEL_ACTION];
    const int show = strcmp(run->variant->name, "show") == 0;
    const int form = strcmp(run->variant->name, "form") == 0;
    const int import = strcmp(run->variant->name, "import") == 0;
    const char *to = form ? hsp_options_text(own, "to") : NULL;
    const char *format = show || form || import ? NULL : hsp_options_text(own, "format");
    const char *out = show ? NULL : hsp_options_text(own, "output");
    hsp_model *model = NULL, *changed = NULL;
    uint64_t most = UINT64_MAX;
    hsp_status status = show ? cli_how_many(own, "weights", err, &most) : HSP_OK;
    if (form && !to) return cli_fail(err, HSP_USAGE, "--to", "is missing");
    if (!show && !form && !import && !format)
        return cli_fail(err, HSP_USAGE, "--format", "is missing");
    if (!show && !out) return cli_fail(err, HSP_USAGE, "-o", "is missing");
    if (status == HSP_OK) status = cli_check_output(run, out, err);
    if (status == HSP_OK)
        status = import ? hsp_model_import(run->ctx, run->arguments[0], err, &model)
                        : hsp_model_read(run->ctx, run->arguments[0], err, &model);
    if (status == HSP_OK && form) status = hsp_model_form(run->ctx, model, to, err, &changed);
    const hsp_model *shown = changed ? changed : model;
    if (out) cli_begin_output(NULL);
    if (status == HSP_OK && out)
        status = format ? hsp_model_export(run->ctx, model, format, out, err)
                        : hsp_model_write(run->ctx, shown, out, err);
    if (status == HSP_OK && form) {
        const char *threshold = hsp_model_metadata(changed, "threshold");
        cli_say(run, "wrote %s, the %s form%s%s", show_output(out), to,
                threshold ? ": <w, x> > " : "", threshold ? show_name(threshold) : "");
    } else if (status == HSP_OK && import) {
        cli_say(run, "wrote %s, a %s model of %s classes", show_output(out),
                hsp_model_hypothesis(model), show_count(hsp_model_classes(model)));
    } else if (status == HSP_OK && format) {
        cli_say(run, "wrote %s, a model of %s", show_output(out),
                strcmp(format, "libsvm") == 0 ? "LIBSVM's" : "LIBLINEAR's");
    }
    if (status == HSP_OK && (show || cli_json(run)))
        status = model_report(run, shown, out, most, show && hsp_options_flag(own, "dual"), err);
    hsp_model_free(changed);
    hsp_model_free(model);
    return status;
}

static const cli_term model_arguments[] = {
    {"ACTION", "what to do; without one, they are listed"},
    {"MODEL", "the model, as train wrote it, or a file of LIBSVM or LIBLINEAR"},
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
