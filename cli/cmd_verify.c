/* halfspace verify [--model MODEL] [--effort N] CERT DATA [TEST]: what halfspace-verify does, and
 * compressed data files too. */
#include <errno.h>
#include <string.h>

#include "cli.h"

enum { VERIFY_OWN };

static const hsp_option verify_own[] = {
    {"model", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "check that this is the model file that the certificate is about"},
    {"effort", HSP_OPTION_INTEGER, "1", 1, 1e6, NULL, "N",
     "allow N times the default amount of work (about two seconds for small files)"},
};

static const hsp_option_table *verify_options(void)
{
    static const hsp_option_table table = {"verify", "options of verify", verify_own, 2};
    return &table;
}

static const cli_group verify_groups[] = {{"Options", verify_options}, {NULL, NULL}};

static const cli_term verify_keys[] = {
    {"certificate, file, test, model", "the files, as they were named; the last two may be null"},
    {"holds", "true when every claim holds"},
    {"established", "what the checker says of each"},
    {"reason", "why it does not hold, or null"},
    {"verify_seconds", "time to check"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void verify_json(const cli *run, const cli_checked *about, const cli_verdict *verdict,
                        double seconds)
{
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "certificate", run->arguments[0]);
    json_text(&json, "file", about->data);
    json_text(&json, "test", about->test);
    json_text(&json, "model", about->model);
    json_flag(&json, "holds", verdict->status == 0);
    json_text(&json, "established", verdict->said);
    json_text(&json, "reason", verdict->status ? verdict->reason : NULL);
    json_seconds(&json, "verify_seconds", seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

static hsp_status verify_run(cli *run, hsp_error *err)
{
    const double start = cli_seconds();
    cli_verdict verdict = {0};
    const hsp_options *own = run->options[VERIFY_OWN];
    const cli_checked about = {.data = run->arguments[1],
                               .test = run->count > 2 ? run->arguments[2] : NULL,
                               .model = hsp_options_text(own, "model"),
                               .effort = (unsigned)hsp_options_integer(own, "effort")};
    hsp_file_kind kind;
    if (cli_swapped(run, run->arguments[0], run->arguments[1], HSP_FILE_CERTIFICATE))
        return cli_fail(err, HSP_USAGE, NULL,
                        "arguments swapped? CERT comes first: halfspace verify %s %s",
                        run->arguments[1], run->arguments[0]);
    if (hsp_file_kind_of(run->ctx, run->arguments[0], NULL, &kind) == HSP_OK &&
        kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_CERTIFICATE)
        return cli_fail(err, HSP_BAD_DATA, run->arguments[0], "this is %s, expected a certificate",
                        hsp_file_kind_text(kind));
    FILE *certificate = fopen(run->arguments[0], "rb");
    if (!certificate)
        return cli_fail(err, HSP_IO, run->arguments[0], "cannot open: %s", strerror(errno));
    hsp_status status = cli_check_certificate(run, certificate, &about, err, &verdict);
    fclose(certificate);
    if (status == HSP_OK) {
        cli_progress_clear();
        run->exit_status = verdict.status;
        if (cli_json(run)) {
            verify_json(run, &about, &verdict, cli_seconds() - start);
        } else {
            fputs(verdict.said, stdout);
            fflush(stdout);
            if (*verdict.reason) fprintf(stderr, "%s\n", verdict.reason);
        }
    }
    cli_free_verdict(&verdict);
    return status;
}

static const cli_term verify_arguments[] = {
    {"CERT", "the certificate"},
    {"DATA", "the data file that it is about; it may be compressed"},
    {"TEST", "the second file, if a claim is about one"},
    {NULL, NULL}};

static const cli_term verify_examples[] = {
    {"halfspace verify setosa.cert iris.csv", "check every claim in exact arithmetic"},
    {"halfspace verify --model m.hsp m.hsp.cert train.svm",
     "and that the model file is the one that was certified"},
    {NULL, NULL}};

const cli_command cli_verify = {
    .name = "verify",
    .summary = "check a certificate against its data file",
    .synopsis = "[--model MODEL] [--effort N] CERT DATA [TEST]",
    .description =
        "Check every claim of a certificate against the decimals of the data file, in exact "
        "arithmetic, and say what was established. This is what the program halfspace-verify does, "
        "which can be built and read without the rest; here, compressed files are unpacked "
        "first. A certificate of a model has the SHA-256 of the model file; --model compares "
        "it.\n\n"
        "The status is 0 when every claim holds, 1 when one does not, or when a file is not the "
        "one that was certified, 3 when a file is no certificate or no data, or when checking "
        "takes more work than --effort allows.",
    .arguments = verify_arguments,
    .groups = verify_groups,
    .keys = verify_keys,
    .examples = verify_examples,
    .least = 2,
    .most = 3,
    .run = verify_run,
};
