/* halfspace make GENERATOR: data with a known truth, streamed to a file of any size. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAKE_GENERATOR, MAKE_OWN };

CLI_OPTIONS(make_options, "make",
            {"output", HSP_OPTION_TEXT, "-", 0, 0, NULL, "OUT",
             "output file, format by its ending; - is standard output in libsvm format"},
            {"truth", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
             "write the true separator as JSON: margin, noise, offset, weights"})

static const cli_group make_groups[] = {
    {"Generator's options", NULL}, {"Options", make_options}, {NULL, NULL}};

/* A copy of the truth: it is told before the rows are made, and worth writing down only when they
 * were. */
typedef struct make {
    const char *generator, *output;
    hsp_truth truth;
    double *weights; /* malloc'ed, or NULL */
    int failed;      /* no memory for the copy */
    double seconds;
} make;

/* ---- The result ---- */

GETTER(make_offset, make, made, made->weights ? &made->truth.offset : NULL)

GETTER(make_weight, make, made, i >= made->truth.cols || !made->weights ? NULL : &made->weights[i])

FIELDS(make_truth_fields, make, FIELD(TEXT, "generator", NULL, generator, "name of the generator"),
       FIELD(COUNT, "rows", NULL, truth.rows, "rows", .unit = "rows"),
       FIELD(COUNT, "features", NULL, truth.cols, "columns", .unit = "columns"),
       FIELD(REAL, "margin", NULL, truth.margin,
             "geometric margin that every row keeps from the separator; 0: none is promised"),
       FIELD(SHARE, "noise", NULL, truth.noise, "probability that a label is flipped"),
       FIELD_GET(REAL, "offset", NULL, make_offset, "offset of the true separator",
                 .when = "null if no halfspace is the truth"),
       FIELD_GET(LIST, "weights", NULL, make_weight, "its weights, of length 1",
                 .when = "null if no halfspace is the truth", .of = hsp_field_reals))

FIELDS(make_fields, make, FIELD(PART, NULL, NULL, generator, NULL, .of = make_truth_fields),
       FIELD(TEXT, "output", NULL, output, "the file written"),
       FIELD(SECONDS, "seconds", NULL, seconds, "time to make and write the rows"))

static const cli_result make_results[] = {{"make", make_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* ---- The command ---- */

static void make_on_truth(void *user, const hsp_truth *truth)
{
    make *copy = user;
    copy->truth = *truth;
    copy->truth.weights = NULL;
    if (!truth->weights) return;
    copy->weights = malloc((size_t)(truth->cols + 1) * sizeof *copy->weights);
    copy->failed = !copy->weights;
    if (copy->weights)
        memcpy(copy->weights, truth->weights, (size_t)truth->cols * sizeof *copy->weights);
}

/* The truth as a file. */
static hsp_status make_save_truth(const cli *run, const make *made, const char *path,
                                  hsp_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) return cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    hsp_status status = hsp_report_json(run->ctx, make_truth_fields(), made, cli_put, file, err);
    if (fclose(file)) status = cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    if (status == HSP_OK) status = hsp_file_write(run->ctx, path, text, size, err);
    free(text);
    return status;
}

static hsp_status make_run(cli *run, hsp_error *err)
{
    make made = {.generator = run->variant->name,
                 .output = hsp_options_text(run->options[MAKE_OWN], "output")};
    const hsp_truth *truth = &made.truth;
    const char *path = hsp_options_text(run->options[MAKE_OWN], "truth");
    const double start = cli_seconds();
    hsp_status status = cli_check_output(run, made.output, err);
    if (status == HSP_OK) status = cli_check_output(run, path, err);
    cli_begin_output(path ? NULL : made.output);
    if (status == HSP_OK)
        status = hsp_data_make_file(run->ctx, run->options[MAKE_GENERATOR], made.output,
                                    make_on_truth, &made, err);
    if (status == HSP_OK && made.failed)
        status = cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    if (status == HSP_OK && path) status = make_save_truth(run, &made, path, err);
    made.seconds = cli_seconds() - start;
    if (status == HSP_OK) {
        cli_say(run, "made %s row%s of %s feature%s (%s)", show_count(truth->rows),
                plural(truth->rows), show_count(truth->cols), plural(truth->cols), made.generator);
        if (made.weights)
            cli_say(run, "truth: a halfspace, offset %s, margin %s, %s of the labels flipped",
                    show_number(truth->offset), show_number(truth->margin),
                    show_share(truth->noise));
        else
            cli_say(run, "truth: no halfspace, %s of the labels flipped", show_share(truth->noise));
        status = cli_report(run, make_results, &made, stdout, err);
    }
    free(made.weights);
    return status;
}

static const cli_term make_arguments[] = {
    {"GENERATOR", "what to make; without one, the generators are listed"}, {NULL, NULL}};

static const cli_term make_examples[] = {
    {"halfspace make", "list the generators"},
    {"halfspace make separable --rows 1e6 --features 20 --margin 0.1 -o a.svm",
     "a million rows that a halfspace separates with margin 0.1"},
    {NULL, NULL}};

const cli_command cli_make = {
    .name = "make",
    .summary = "generate data with known properties",
    .synopsis = "GENERATOR [options] [-o OUT]",
    .description =
        "Generate rows with a known truth: the separator that labelled them, its margin, and the "
        "probability of flipped labels. The same options and seed give the same bytes for any "
        "number of threads. 'halfspace make GENERATOR --help' lists one generator's options.",
    .arguments = make_arguments,
    .groups = make_groups,
    .results = make_results,
    .examples = make_examples,
    .least = 0,
    .most = 0,
    .run = make_run,
    .variant = hsp_generator,
    .variant_word = "generator",
    .variant_synopsis = "[options] [-o OUT]",
};
