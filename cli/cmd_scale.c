/* halfspace scale DATA OUT: columns or rows brought to a common size. */
#include "cli.h"

enum { SCALE_FIT, SCALE_OWN, SCALE_READ, SCALE_WRITE };

static const hsp_option scale_own[] = {
    {"save", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE", "save the scaling, for later files"},
    {"apply", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "apply this saved scaling instead of fitting one to DATA"},
};

static const hsp_option_table *scale_own_options(void)
{
    static const hsp_option_table table = {"scale", "options of scale", scale_own, 2};
    return &table;
}

static const cli_group scale_groups[] = {{"Options", hsp_scale_options},
                                         {"Scalings", scale_own_options},
                                         {"Reading options", hsp_read_options},
                                         {"Output options", hsp_write_options},
                                         {NULL, NULL}};

static const cli_term scale_keys[] = {
    {"file, output", "the two files, as they were named"},
    {"kind", "the kind of scaling"},
    {"scaling", "the file given to --save or --apply, or null"},
    {"rows, features, nonzeros", "numbers of rows, of columns, of entries other than zero"},
    {"storage, precision", "how the rows were in memory"},
    {"precision_reason", "why reading chose double precision, or null"},
    {"load_seconds, write_seconds", "time to read, and to scale and write"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void scale_report(const cli *run, const hsp_scaling *scaling, const hsp_data *data,
                         double load, double write)
{
    const hsp_options *own = run->options[SCALE_OWN];
    const char *saved = hsp_options_text(own, "save");
    cli_progress_clear();
    cli_say(run, "wrote %s: %s rows, scaled %s", show_output(run->arguments[1]),
            show_count(hsp_data_rows(data)), hsp_scaling_kind(scaling));
    if (!cli_json(run)) return;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "file", run->arguments[0]);
    json_text(&json, "output", run->arguments[1]);
    json_text(&json, "kind", hsp_scaling_kind(scaling));
    json_text(&json, "scaling", saved ? saved : hsp_options_text(own, "apply"));
    json_data(&json, data, hsp_data_nonzeros(data));
    json_seconds(&json, "load_seconds", load);
    json_seconds(&json, "write_seconds", write);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* A saved scaling says all: options that would fit another one contradict it. */
static hsp_status scale_check(const cli *run, hsp_error *err)
{
    const hsp_options *fit = run->options[SCALE_FIT];
    const hsp_option_table *table = hsp_options_table(fit);
    if (hsp_options_text(run->options[SCALE_OWN], "apply"))
        for (size_t i = 0; i < table->count; i++)
            if (hsp_options_is_set(fit, table->options[i].name))
                return cli_fail(err, HSP_USAGE, "--apply",
                                "the file says how to scale; leave out --%s",
                                table->options[i].name);
    const char *save = hsp_options_text(run->options[SCALE_OWN], "save");
    hsp_status status = cli_check_output(run, run->arguments[1], err);
    if (status == HSP_OK && save) status = cli_check_output(run, save, err);
    return status == HSP_OK ? cli_check_apart("--save", save, run->arguments[1], err) : status;
}

static hsp_status scale_get(cli *run, hsp_data *data, hsp_error *err, hsp_scaling **scaling)
{
    const char *apply = hsp_options_text(run->options[SCALE_OWN], "apply");
    if (apply) return hsp_scaling_read(run->ctx, apply, err, scaling);
    return hsp_scaling_fit(run->ctx, data, run->options[SCALE_FIT], err, scaling);
}

/* The rows and the scaling appear together: either alone would be taken for what goes with a file
 * of an earlier run. */
static hsp_status scale_write(cli *run, hsp_scaling *scaling, hsp_data *scaled, hsp_error *err)
{
    const char *save = hsp_options_text(run->options[SCALE_OWN], "save");
    hsp_files *files = NULL;
    cli_begin_output();
    hsp_status status = hsp_files_new(run->ctx, err, &files);
    if (status == HSP_OK && save) status = hsp_scaling_write(run->ctx, scaling, save, err);
    if (status == HSP_OK)
        status = cli_write(run, scaled, run->arguments[1], run->options[SCALE_WRITE], err);
    if (status == HSP_OK) status = hsp_files_commit(files, err);
    hsp_files_free(files);
    return status;
}

static hsp_status scale_run(cli *run, hsp_error *err)
{
    hsp_data *data = NULL, *scaled = NULL;
    hsp_scaling *scaling = NULL;
    double load = 0, start;
    hsp_status status = scale_check(run, err);
    if (status == HSP_OK && cli_writes_text(run->options[SCALE_WRITE], run->arguments[1]))
        status = hsp_read_keep_digits(run->options[SCALE_READ], err);
    if (status == HSP_OK)
        status =
            cli_read(run, run->arguments[0], run->options[SCALE_READ], NULL, err, &data, &load);
    start = cli_seconds();
    if (status == HSP_OK) status = scale_get(run, data, err, &scaling);
    if (status == HSP_OK) status = hsp_scaling_apply(run->ctx, scaling, data, err, &scaled);
    if (status == HSP_OK) status = scale_write(run, scaling, scaled, err);
    if (status == HSP_OK) scale_report(run, scaling, scaled, load, cli_seconds() - start);
    hsp_scaling_free(scaling);
    hsp_data_free(scaled);
    hsp_data_free(data);
    return status;
}

static const cli_term scale_arguments[] = {
    {"DATA", "the file to scale; - is standard input"},
    {"OUT", "the file to write, its format by the name's ending; - is standard output"},
    {NULL, NULL}};

static const cli_term scale_examples[] = {
    {"halfspace scale train.svm train-s.svm --kind max-abs --save s.hsp",
     "divide each column by its largest absolute value"},
    {"halfspace scale test.svm test-s.svm --apply s.hsp", "the same factors for the test rows"},
    {NULL, NULL}};

const cli_command cli_scale = {
    .name = "scale",
    .summary = "scale the columns or rows of a data file",
    .synopsis = "DATA OUT [options]",
    .description =
        "Scale the columns of a data file (min-max, standard, max-abs), or its rows (unit-rows, "
        "unit-ball). The scaling can be saved, and applied to files that come later: test rows "
        "must "
        "be scaled by what was seen in the training rows.",
    .arguments = scale_arguments,
    .groups = scale_groups,
    .keys = scale_keys,
    .examples = scale_examples,
    .least = 2,
    .most = 2,
    .run = scale_run,
};
