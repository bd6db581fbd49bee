/* halfspace verify [--model MODEL] [--effort N] CERT DATA [TEST]: what halfspace-verify does, and
 * compressed data files too. */
#include "cli.h"

enum { VERIFY_OWN };

static const cli_group verify_groups[] = {{"Options", hsp_verify_options}, {NULL, NULL}};

typedef struct verify {
    const char *certificate, *data, *test, *model;
    hsp_verification *found;
    const char *established; /* of found */
    double seconds;
} verify;

GETTER_NEW(verify_holds, verify, done, int, done->found->result == HSP_VERIFIED)
GETTER(verify_reason, verify, done,
       done->found->result == HSP_VERIFIED ? NULL : done->found->reason)

FIELDS(verify_fields, verify, FIELD(TEXT, "certificate", NULL, certificate, "the certificate"),
       FIELD(TEXT, "file", NULL, data, "the data file"),
       FIELD(TEXT, "test", NULL, test, "the file of test rows", .when = "null without one"),
       FIELD(TEXT, "model", NULL, model, "the model file", .when = "null without --model"),
       FIELD_GET(FLAG, "holds", NULL, verify_holds, "every claim holds"),
       FIELD(TEXT, "established", NULL, established, "what the checker confirms"),
       FIELD_GET(TEXT, "reason", NULL, verify_reason, "why a claim does not hold",
                 .when = "null if all hold"),
       FIELD(SECONDS, "verify_seconds", NULL, seconds, "time to check"))

static const cli_result verify_results[] = {{"verify", verify_fields, 0, 0}, {NULL, NULL, 0, 0}};

static hsp_status verify_run(cli *run, hsp_error *err)
{
    const double start = cli_seconds();
    static const int exits[] = {[HSP_VERIFIED] = 0, [HSP_REJECTED] = 1, [HSP_UNDECIDED] = 3};
    verify done = {.certificate = run->arguments[0],
                   .data = run->arguments[1],
                   .test = run->count > 2 ? run->arguments[2] : NULL,
                   .model = hsp_options_text(run->options[VERIFY_OWN], "model")};
    hsp_file_kind kind;
    if (cli_swapped(run, run->arguments[0], run->arguments[1], HSP_FILE_CERTIFICATE))
        return cli_fail(err, HSP_USAGE, NULL,
                        "arguments swapped? CERT comes first: halfspace verify %s %s",
                        run->arguments[1], run->arguments[0]);
    if (hsp_file_kind_of(run->ctx, run->arguments[0], NULL, &kind) == HSP_OK &&
        kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_CERTIFICATE)
        return cli_fail(err, HSP_BAD_DATA, run->arguments[0], "this is %s, expected a certificate",
                        hsp_file_kind_text(kind));
    hsp_status status = hsp_verify_file(run->ctx, done.certificate, done.data, done.test,
                                        run->options[VERIFY_OWN], err, &done.found);
    if (status) return status;
    done.established = done.found->established;
    done.seconds = cli_seconds() - start;
    run->exit_status = exits[done.found->result];
    if (!cli_json(run)) fputs(done.established, stdout);
    status = cli_report(run, verify_results, &done, stdout, err);
    if (!cli_json(run) && *done.found->reason) fprintf(stderr, "%s\n", done.found->reason);
    hsp_verification_free(done.found);
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
        "arithmetic, and print what was established. The program halfspace-verify does the same "
        "and can be built without the rest; here, compressed files are unpacked first. A "
        "certificate of a model contains the SHA-256 of the model file; --model compares "
        "it.\n\nThe status is 0 if every claim holds, 1 if one does not or a file is not the "
        "certified one, 3 if a file is not a certificate or not data, or if checking needs more "
        "work than --effort allows.",
    .arguments = verify_arguments,
    .groups = verify_groups,
    .results = verify_results,
    .examples = verify_examples,
    .least = 2,
    .most = 3,
    .run = verify_run,
};
