/* halfspace certify DATA: claims about a data file, with evidence that the checker has confirmed
 * before anything is written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { CERTIFY_CLAIMS, CERTIFY_OWN, CERTIFY_READ };

CLI_OPTIONS(certify_options, "certify",
            {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "CERT",
             "file to save the certificate to; without it, it is made, checked and discarded"})

static const cli_group certify_groups[] = {{"Claims", hsp_certify_options},
                                           {"Options", certify_options},
                                           {"Reading options", hsp_read_options},
                                           {NULL, NULL}};

/* ---- Shared with train --certify ---- */

hsp_status cli_certify(cli *run, const char *data, const hsp_options *read, const hsp_model *model,
                       const hsp_options *claims, const char *out, hsp_error *err,
                       cli_certified *done)
{
    const char *named = claims ? hsp_options_text(claims, "model") : NULL;
    const char *test = claims ? hsp_options_text(claims, "test") : NULL, *text = NULL;
    hsp_options *options = NULL;
    size_t size;
    const double start = cli_seconds();
    hsp_status status = hsp_certify(run->ctx, data, read, model, claims, err, &done->certificate);
    done->certify_seconds = cli_seconds() - start;
    if (status == HSP_OK) text = hsp_certificate_text(done->certificate, &size);
    if (!text) return status;
    /* What the checker rejects is a bug of ours, and is not handed out. */
    status = hsp_options_new(run->ctx, hsp_verify_options(), err, &options);
    if (!status && named) status = hsp_options_set_text(options, "model", named, err);
    if (!status)
        status = hsp_verify(run->ctx, text, size, data, test, options, err, &done->verified);
    hsp_options_free(options);
    done->verify_seconds = cli_seconds() - start - done->certify_seconds;
    if (status) return status;
    done->established = done->verified->established;
    if (done->verified->result != HSP_VERIFIED)
        return cli_fail(err, HSP_UNSUPPORTED, NULL,
                        "the checker does not accept this certificate, so it is not written (the "
                        "other claims can be made by name, with --claim): %.320s",
                        done->verified->reason);
    if (!out) return HSP_OK;
    cli_begin_output(NULL);
    return hsp_file_write(run->ctx, out, text, size, err);
}

void cli_certified_free(cli_certified *done)
{
    hsp_certificate_free(done->certificate);
    hsp_verification_free(done->verified);
}

void cli_certified_print(const cli_certified *done, FILE *file)
{
    const char *claim, *why;
    if (done->verified) fputs(done->verified->established, file);
    for (size_t i = 0; (claim = hsp_certificate_claim(done->certificate, i, &why)); i++)
        if (why) fprintf(file, "not claimed: %s: %s\n", claim, why);
}

typedef struct certify_claim {
    const char *claim, *why;
    int made;
} certify_claim;

static const void *certify_claim_at(const void *record, size_t i, void *room)
{
    const cli_certified *done = record;
    certify_claim *one = room;
    one->claim = hsp_certificate_claim(done->certificate, i, &one->why);
    if (!one->claim) return NULL;
    one->made = !one->why;
    return one;
}

FIELDS(certify_claim_fields, certify_claim, FIELD(TEXT, "claim", NULL, claim, "name of the claim"),
       FIELD(FLAG, "made", NULL, made, "the certificate has it"),
       FIELD(TEXT, "why", NULL, why, "why it was not made", .when = "null if it was"))

PUBLIC_FIELDS(cli_certified_fields, cli_certified,
              FIELD_GET(LIST, "claims", NULL, certify_claim_at, "the claims that were tried",
                        .of = certify_claim_fields),
              FIELD(TEXT, "established", NULL, established, "what the checker confirms",
                    .when = "null if no claim was made"),
              FIELD(SECONDS, "certify_seconds", NULL, certify_seconds, "time to find the evidence"),
              FIELD(SECONDS, "verify_seconds", NULL, verify_seconds, "time to check it"))

/* ---- The command ---- */

typedef struct certify {
    const char *file, *model, *certificate;
    cli_certified done;
} certify;

FIELDS(certify_fields, certify, FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(TEXT, "model", NULL, model, "the model file", .when = "null without --model"),
       FIELD(TEXT, "certificate", NULL, certificate, "the certificate",
             .when = "null without -o, or if no claim was made"),
       FIELD(PART, NULL, NULL, done, NULL, .of = cli_certified_fields))

static const cli_result certify_results[] = {{"certify", certify_fields, 0, 0}, {NULL, NULL, 0, 0}};

static hsp_status certify_run(cli *run, hsp_error *err)
{
    const char *out = hsp_options_text(run->options[CERTIFY_OWN], "output");
    certify all = {.file = run->arguments[0],
                   .model = hsp_options_text(run->options[CERTIFY_CLAIMS], "model")};
    hsp_status status = cli_check_output(run, out, err);
    if (status == HSP_OK) status = cli_check_distinct("-o", out, all.file, err);
    if (status == HSP_OK) status = cli_check_distinct("-o", out, all.model, err);
    if (status == HSP_OK)
        status = cli_certify(run, all.file, run->options[CERTIFY_READ], NULL,
                             run->options[CERTIFY_CLAIMS], out, err, &all.done);
    if (status == HSP_OK) {
        const int made = hsp_certificate_text(all.done.certificate, NULL) != NULL;
        FILE *file = out && strcmp(out, "-") == 0 ? stderr : stdout;
        all.certificate = made ? out : NULL;
        cli_progress_clear();
        if (!cli_json(run)) cli_certified_print(&all.done, file);
        status = cli_report(run, certify_results, &all, file, err);
        if (!cli_json(run) && all.certificate) cli_say(run, "wrote %s", show_output(out));
        if (!made) run->exit_status = 1;
    }
    cli_certified_free(&all.done);
    return status;
}

static const cli_term certify_arguments[] = {
    {"DATA", "the data file: libsvm text, CSV or TSV, also compressed"}, {NULL, NULL}};

static const cli_term certify_examples[] = {
    {"halfspace certify train.svm -o train.cert", "separable, with the widest margin, or not"},
    {"halfspace certify --positive setosa iris.csv -o setosa.cert", "one class against the rest"},
    {"halfspace certify --model m.hsp train.svm --test test.svm -o m.cert",
     "what can be shown of a model, and its true error"},
    {NULL, NULL}};

const cli_command cli_certify_command = {
    .name = "certify",
    .summary = "certify claims about data and models",
    .synopsis = "DATA [--model MODEL] [--claim CLAIM] [options] [-o CERT]",
    .description =
        "Make claims about a data file, and about a model that was trained on it, with evidence "
        "that anybody can check against the decimals of the file. The checker, which shares no "
        "code with the programs that find the evidence, confirms the certificate before it is "
        "written.\n\nWithout --claim, all claims that apply are made: separable (with an "
        "interval for the widest margin) or not separable (with the rows that prove it); for a "
        "perceptron, winnow or experts model, that its mistakes are within their bound; for an "
        "SVM trained with --keep-dual, how close it is to the optimum, and which predictions no "
        "optimum changes; with --test, a bound on the true error; with --kernel, whether a Gram "
        "matrix is positive semidefinite.\n\nThe status is 1 if no claim could be made.",
    .arguments = certify_arguments,
    .groups = certify_groups,
    .results = certify_results,
    .examples = certify_examples,
    .least = 1,
    .most = 1,
    .ranks = 1,
    .run = certify_run,
};
