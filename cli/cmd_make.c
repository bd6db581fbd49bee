/* halfspace make GENERATOR: data with a known truth, streamed to a file of any size. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAKE_GENERATOR, MAKE_OWN };

static const hsp_option make_own[] = {
    {"output", HSP_OPTION_TEXT, "-", 0, 0, NULL, "OUT",
     "output file, format by its ending; - is standard output in libsvm format"},
    {"truth", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "write the true separator as JSON: margin, noise, offset, weights"},
};

static const hsp_option_table *make_options(void)
{
    static const hsp_option_table table = {"make", "options of make", make_own, 2};
    return &table;
}

static const cli_group make_groups[] = {
    {"Generator's options", NULL}, {"Options", make_options}, {NULL, NULL}};

static const cli_term make_keys[] = {
    {"generator", "its name"},
    {"output", "the file, as it was named"},
    {"rows, features", "numbers of rows and of columns"},
    {"margin", "a geometric margin that every row keeps from the separator; 0: none is promised"},
    {"noise", "share of the labels that were flipped"},
    {"offset, weights", "the separator, weights of unit length; null: no halfspace is the truth"},
    {"seconds", "time to make and write the rows"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

/* A copy of the truth: it is told before the rows are made, and worth writing down only when they
 * were. */
typedef struct make_truth {
    hsp_truth truth;
    double *weights; /* malloc'ed, or NULL */
    int failed;      /* no memory for the copy */
} make_truth;

static void make_on_truth(void *user, const hsp_truth *truth)
{
    make_truth *copy = user;
    copy->truth = *truth;
    copy->truth.weights = NULL;
    if (!truth->weights) return;
    copy->weights = malloc((size_t)(truth->cols + 1) * sizeof *copy->weights);
    copy->failed = !copy->weights;
    if (copy->weights)
        memcpy(copy->weights, truth->weights, (size_t)truth->cols * sizeof *copy->weights);
}

static void make_json_truth(cli_json_writer *json, const make_truth *told)
{
    const hsp_truth *truth = &told->truth;
    json_count(json, "rows", truth->rows);
    json_count(json, "features", truth->cols);
    json_number(json, "margin", truth->margin);
    json_number(json, "noise", truth->noise);
    if (!told->weights) {
        json_text(json, "offset", NULL);
        json_text(json, "weights", NULL);
        return;
    }
    json_number(json, "offset", truth->offset);
    json_numbers(json, "weights", told->weights, truth->cols);
}

static hsp_status make_save_truth(const cli *run, const make_truth *told, const char *path,
                                  hsp_error *err)
{
    char *text = NULL;
    size_t size = 0;
    cli_json_writer json = {.file = open_memstream(&text, &size)};
    if (!json.file) return cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    json_open(&json, NULL, '{');
    json_text(&json, "generator", run->variant->name);
    make_json_truth(&json, told);
    json_close(&json, '}');
    json_end(&json);
    hsp_status status = HSP_OK;
    if (fclose(json.file)) status = cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    if (status == HSP_OK) status = hsp_file_write(run->ctx, path, text, size, err);
    free(text);
    return status;
}

/* The rows, then the truth; that its file can be written is found out before the rows are made. */
static hsp_status make_files(cli *run, const char *out, make_truth *told, hsp_error *err)
{
    const char *path = hsp_options_text(run->options[MAKE_OWN], "truth");
    hsp_status status = path ? cli_check_place(path, err) : HSP_OK;
    if (status == HSP_OK)
        status = hsp_data_make_file(run->ctx, run->options[MAKE_GENERATOR], out, make_on_truth,
                                    told, err);
    if (status == HSP_OK && told->failed)
        status = cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    if (status == HSP_OK && path) status = make_save_truth(run, told, path, err);
    return status;
}

static void make_report(const cli *run, const make_truth *told, const char *out, double seconds)
{
    const hsp_truth *truth = &told->truth;
    cli_progress_clear();
    cli_say(run, "made %s rows of %s features (%s)", show_count(truth->rows),
            show_count(truth->cols), run->variant->name);
    if (told->weights)
        cli_say(run, "truth: a halfspace, offset %s, margin %s, %s of the labels flipped",
                show_number(truth->offset), show_number(truth->margin), show_share(truth->noise));
    else
        cli_say(run, "truth: no halfspace, %s of the labels flipped", show_share(truth->noise));
    if (!cli_json(run)) return;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "generator", run->variant->name);
    json_text(&json, "output", out);
    make_json_truth(&json, told);
    json_seconds(&json, "seconds", seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status make_run(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[MAKE_OWN], "output");
    make_truth told = {.weights = NULL};
    double start = cli_seconds();
    hsp_status status = cli_check_output(run, out, err);
    cli_begin_output();
    if (status == HSP_OK) status = make_files(run, out, &told, err);
    if (status == HSP_OK) make_report(run, &told, out, cli_seconds() - start);
    free(told.weights);
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
        "Make rows whose truth is known: which separator labelled them, with what margin, and how "
        "many labels were flipped. The same options and seed give the same bytes, whatever the "
        "number of threads. 'halfspace make GENERATOR --help' lists one generator's options.",
    .arguments = make_arguments,
    .groups = make_groups,
    .keys = make_keys,
    .examples = make_examples,
    .least = 0,
    .most = 0,
    .run = make_run,
    .variant = hsp_generator,
    .variant_word = "generator",
    .variant_synopsis = "[options] [-o OUT]",
};
