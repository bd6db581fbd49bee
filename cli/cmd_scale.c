/* halfspace scale DATA OUT: columns or rows brought to a common size. */
#include "cli.h"

enum { SCALE_FIT, SCALE_OWN, SCALE_READ, SCALE_WRITE };

CLI_OPTIONS(
    scale_own_options, "scale",
    {"save", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE", "save the scaling, for later files"},
    {"apply", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "apply this saved scaling, or range file of svm-scale, instead of fitting one to DATA"})

static const cli_group scale_groups[] = {{"Options", hsp_scale_options},
                                         {"Scalings", scale_own_options},
                                         {"Reading options", hsp_read_options},
                                         {"Output options", hsp_write_options},
                                         {NULL, NULL}};

typedef struct scale {
    const char *file, *output, *kind, *scaling;
    hsp_data *data;
    double load_seconds, write_seconds;
} scale;

FIELDS(scale_fields, scale, FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(TEXT, "output", NULL, output, "the file written"),
       FIELD(TEXT, "kind", NULL, kind, "the kind of scaling"),
       FIELD(TEXT, "scaling", NULL, scaling, "the file of the scaling",
             .when = "null without --save or --apply"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_data_fields),
       FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read"),
       FIELD(SECONDS, "write_seconds", NULL, write_seconds, "time to scale and write"))

static const cli_result scale_results[] = {{"scale", scale_fields, 0, 0}, {NULL, NULL, 0, 0}};

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
    if (status == HSP_OK) status = cli_check_output(run, save, err);
    return status == HSP_OK ? cli_check_distinct("--save", save, run->arguments[1], err) : status;
}

/* The rows and the scaling appear together: either alone would be taken for what goes with a file
 * of an earlier run. */
static hsp_status scale_write(cli *run, hsp_scaling *scaling, hsp_data *scaled, hsp_error *err)
{
    const char *save = hsp_options_text(run->options[SCALE_OWN], "save");
    hsp_files *files = NULL;
    cli_begin_output(NULL);
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
    const hsp_options *own = run->options[SCALE_OWN];
    const char *saved = hsp_options_text(own, "save"), *apply = hsp_options_text(own, "apply");
    scale all = {
        .file = run->arguments[0], .output = run->arguments[1], .scaling = saved ? saved : apply};
    hsp_data *data = NULL;
    hsp_scaling *scaling = NULL;
    hsp_status status = scale_check(run, err);
    if (status == HSP_OK && cli_writes_text(run->options[SCALE_WRITE], all.output))
        status = hsp_read_keep_digits(run->options[SCALE_READ], err);
    if (status == HSP_OK)
        status =
            cli_read(run, all.file, run->options[SCALE_READ], NULL, err, &data, &all.load_seconds);
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = apply ? hsp_scaling_read(run->ctx, apply, err, &scaling)
                       : hsp_scaling_fit(run->ctx, data, run->options[SCALE_FIT], err, &scaling);
    if (status == HSP_OK) status = hsp_scaling_apply(run->ctx, scaling, data, err, &all.data);
    if (status == HSP_OK) status = scale_write(run, scaling, all.data, err);
    all.write_seconds = cli_seconds() - start;
    if (status == HSP_OK) {
        all.kind = hsp_scaling_kind(scaling);
        cli_say(run, "wrote %s: %s row%s, scaled %s", show_output(all.output),
                show_count(hsp_data_rows(all.data)), plural(hsp_data_rows(all.data)), all.kind);
        status = cli_report(run, scale_results, &all, stdout, err);
    }
    hsp_scaling_free(scaling);
    hsp_data_free(all.data);
    hsp_data_free(data);
    return status;
}

static const cli_term scale_arguments[] = {
    {"DATA", "the file to scale; - is standard input. "
             "Several text files are read one after the other"},
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
    .synopsis = "DATA... OUT [options]",
    .description =
        "Scale the columns of a data file (min-max, standard, max-abs), or its rows (unit-rows, "
        "unit-ball). The scaling can be saved and applied to other files: test rows must be "
        "scaled like the training rows.",
    .arguments = scale_arguments,
    .groups = scale_groups,
    .results = scale_results,
    .examples = scale_examples,
    .least = 2,
    .most = 2,
    .several = 1,
    .run = scale_run,
};
