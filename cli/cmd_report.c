/* halfspace report MODEL DATA [--test FILE] -o report.html: one HTML page about a model. */
#include <string.h>

#include "cli.h"
#include "halfspace_html.h"

enum { REPORT_PAGE, REPORT_OWN, REPORT_READ };

CLI_OPTIONS(report_options, "report",
            {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "HTML",
             "the page to write; - is standard output"})

static const cli_group report_groups[] = {{"Options", hsp_html_options},
                                          {"Output", report_options},
                                          {"Reading options", hsp_read_options},
                                          {NULL, NULL}};

typedef struct report {
    const char *output, *model, *file, *test, *certificate;
    hsp_html *page;
    uint64_t bytes;
    hsp_html_summary all;
    double seconds;
} report;

GETTER(report_warning_at, report, made, hsp_html_warning(made->page, i))
GETTER(report_verdict, report, made,
       !made->all.certificate_checked           ? NULL
       : made->all.verification == HSP_VERIFIED ? "verified"
       : made->all.verification == HSP_REJECTED ? "rejected"
                                                : "not decided")

/* In a text: a line each. */
GETTER(report_warning, char, sentence, sentence)
FIELDS(report_warning_fields, char, FIELD_GET(TEXT, NULL, "", report_warning, NULL, .text = "- {}"))

FIELDS(report_fields, report, FIELD(TEXT, "output", NULL, output, "the page"),
       FIELD(COUNT, "bytes", "page", bytes, "size of the page", .unit = "bytes",
             .text = "{output}, {}, {figures:figure}"),
       FIELD(TEXT, "model", NULL, model, "the model file"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(TEXT, "test", NULL, test, "the test file", .when = "null without --test"),
       FIELD(TEXT, "measured", NULL, all.measured,
             "the file whose rows were measured: the test file, if there is one"),
       FIELD(FLAG, "trained_on", NULL, all.trained, "the model was trained on these rows",
             .when = "null if it does not say"),
       FIELD(COUNT, "rows", NULL, all.rows, "rows measured", .unit = "rows"),
       FIELD(COUNT, "mistakes", NULL, all.mistakes, "rows predicted wrongly", .unit = "rows"),
       FIELD(SHARE, "error", "error", all.error, "mistakes / rows", .when = "null without rows",
             .text = "{} ({mistakes} of {rows:row} of [{test}~{file}]), interval {low} to {high}"),
       FIELD(SHARE, "low", NULL, all.low, "lower end of its exact binomial interval"),
       FIELD(SHARE, "high", NULL, all.high, "upper end of it"),
       FIELD(COUNT, "figures", NULL, all.figures, "figures in the page"),
       FIELD_GET(TEXT, "certificate", "certificate", report_verdict,
                 "answer of the checker: verified, rejected or not decided",
                 .when = "null without --certificate"),
       FIELD_GET(LIST, "warnings", NULL, report_warning_at, "the warnings of the page",
                 .of = hsp_field_texts),
       FIELD_GET(LIST, NULL, "Warnings", report_warning_at, NULL, .of = report_warning_fields),
       FIELD(SECONDS, "report_seconds", NULL, seconds, "time to make the page"))

static const cli_result report_results[] = {{"report", report_fields, 0, 0}, {NULL, NULL, 0, 0}};

static hsp_status report_check(cli *run, const report *made, hsp_error *err)
{
    const char *const inputs[] = {made->model, made->file, made->test, made->certificate};
    if (!made->output)
        return cli_fail(err, HSP_USAGE, "-o", "is missing: name the page, such as -o report.html");
    if (cli_swapped(run, made->model, made->file, HSP_FILE_MODEL))
        return cli_fail(err, HSP_USAGE, NULL,
                        "arguments swapped? MODEL comes first: halfspace report %s %s", made->file,
                        made->model);
    hsp_status status = cli_check_output(run, made->output, err);
    hsp_file_kind kind;
    if (made->certificate && hsp_file_kind_of(run->ctx, made->certificate, NULL, &kind) == HSP_OK &&
        kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_CERTIFICATE)
        return cli_fail(err, HSP_BAD_DATA, made->certificate, "this is %s, expected a certificate",
                        hsp_file_kind_text(kind));
    for (size_t i = 0; !status && i < sizeof inputs / sizeof *inputs; i++)
        status = cli_check_distinct("-o", made->output, inputs[i], err);
    return status;
}

static hsp_status report_run(cli *run, hsp_error *err)
{
    const hsp_options *how = run->options[REPORT_PAGE];
    report made = {.output = hsp_options_text(run->options[REPORT_OWN], "output"),
                   .model = run->arguments[0],
                   .file = run->arguments[1],
                   .test = hsp_options_text(how, "test"),
                   .certificate = hsp_options_text(how, "certificate"),
                   .all.size = sizeof made.all};
    const double start = cli_seconds();
    size_t size = 0;
    hsp_status status = report_check(run, &made, err);
    if (status == HSP_OK)
        status = hsp_html_new(run->ctx, made.model, made.file, run->options[REPORT_READ], how, err,
                              &made.page);
    const char *text = status == HSP_OK ? hsp_html_text(made.page, &size) : NULL;
    made.bytes = size;
    if (status == HSP_OK) status = hsp_html_summarise(made.page, err, &made.all);
    if (status == HSP_OK) {
        cli_begin_output(made.output);
        status = hsp_file_write(run->ctx, made.output, text, size, err);
    }
    made.seconds = cli_seconds() - start;
    if (status == HSP_OK)
        status = cli_report(run, report_results, &made,
                            strcmp(made.output, "-") == 0 ? stderr : stdout, err);
    if (status == HSP_OK && made.all.certificate_checked && made.all.verification != HSP_VERIFIED)
        run->exit_status = 1;
    hsp_html_free(made.page);
    return status;
}

static const cli_term report_arguments[] = {
    {"MODEL", "the model file"},
    {"DATA", "labelled rows: those that the model was trained on, or others; libsvm text, CSV, TSV "
             "or binary, also compressed"},
    {NULL, NULL}};

static const cli_term report_examples[] = {
    {"halfspace report churn.hsp train.csv --test test.csv -o report.html",
     "a page on the model, measured on the test rows"},
    {"halfspace report m.hsp train.svm --certificate m.cert -o m.html",
     "with the answer of the checker to a certificate"},
    {NULL, NULL}};

const cli_command cli_report_command = {
    .name = "report",
    .summary = "write a web page on a model: data, training, measures, figures, bounds",
    .synopsis = "MODEL DATA [--test FILE] [options] -o HTML",
    .description =
        "Write one HTML page on a model and its data, for people: what the data is, how the model "
        "was trained and whether that converged, measures with intervals, curves, confusion "
        "matrix, weights and importances, margins, bounds on the error on new data, certificates "
        "and how to check them, warnings, and how to reproduce it all. The page needs no other "
        "file and no network, and can be printed.\n\nMeasures are of the rows of --test, or of "
        "DATA without it. The page says whether the model was trained on these rows.\n\nThe status "
        "is 1 if --certificate is given and the checker does not confirm it.",
    .arguments = report_arguments,
    .groups = report_groups,
    .results = report_results,
    .examples = report_examples,
    .least = 2,
    .most = 2,
    .several = 2,
    .run = report_run,
};
