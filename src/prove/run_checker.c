/* The checker (verify/), called. It shares no code with the library: it gets files, and what it says
 * is passed on. Here files are opened, and unpacked if they are compressed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "halfspace_all.h"

static const hsp_option run_checker_options[] = {
    {"model", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "check that this is the model file that the certificate is about"},
    {"effort", HSP_OPTION_INTEGER, "1", 1, 1e6, NULL, "N",
     "allow N times the default amount of work (about two seconds for small files)"},
};

const hsp_option_table *hsp_verify_options(void)
{
    static const hsp_option_table table = {"verify", "options of verify", run_checker_options, 2};
    return &table;
}

void hsp_verification_free(hsp_verification *verification)
{
    hsp__owned_free(verification);
}

#ifdef HSP_HAVE_GMP
#include "verify/verify.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static hsp_status run_checker_fail(hsp_error *err, const char *path, const char *what)
{
    return hsp__fail_at(err, HSP_IO, path, 0, 0, "%s: %s", what, strerror(errno));
}

static int run_checker_take(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) != size;
}

/* The file, or what is in it. The checker reads from the start again and again: no pipes. */
static hsp_status run_checker_open(hsp_context *ctx, const char *path, hsp_error *err, FILE **out)
{
    static const char *const marks[] = {"\x1f\x8b", "BZh", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"};
    char head[7] = {0};
    int packed = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return run_checker_fail(err, path, "cannot open");
    const size_t got = fread(head, 1, sizeof head - 1, file);
    rewind(file);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        packed |= got >= strlen(marks[i]) && memcmp(head, marks[i], strlen(marks[i])) == 0;
    *out = file;
    if (!packed) return HSP_OK;
    fclose(file);
    *out = file = tmpfile();
    if (!file) return run_checker_fail(err, NULL, "no temporary file");
    HSP__TRY(hsp_file_unpack(ctx, path, run_checker_take, file, err));
    if (fflush(file) || ferror(file)) return run_checker_fail(err, NULL, "no temporary file");
    rewind(file);
    return HSP_OK;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* What the checker said; its status decides. The texts follow the report in its memory. */
static hsp_status run_checker_report_new(hsp_context *ctx, int status, const char *established,
                                         const char *reason, hsp_error *err, hsp_verification **out)
{
    const size_t said = strlen(established) + 1, why = strcspn(reason, "\n"); /* one sentence */
    hsp_verification *made =
        status == HALFSPACE_NO_MEMORY
            ? NULL
            : hsp__owned_new(&ctx->allocator, 1, sizeof *made + said + why + 1);
    if (!made) return hsp__fail_memory(err);
    char *texts = (char *)(made + 1);
    made->result = status == HALFSPACE_VERIFIED   ? HSP_VERIFIED
                   : status == HALFSPACE_REJECTED ? HSP_REJECTED
                                                  : HSP_UNDECIDED;
    made->established = memcpy(texts, established, said);
    made->reason = memcpy(texts + said, reason, why);
    *out = made;
    return HSP_OK;
}

static hsp_status run_checker_ask(hsp_context *ctx, const halfspace_files *files, hsp_error *err,
                                  hsp_verification **out)
{
    char *said = NULL, *reason = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size), *why = open_memstream(&reason, &size);
    const int found = to && why ? halfspace_verify_files(files, to, why) : HALFSPACE_NO_MEMORY;
    const int whole = to && why && !fflush(to) && !fflush(why); /* these are to memory */
    if (to) fclose(to);
    if (why) fclose(why);
    hsp_status status = whole && said && reason
                            ? run_checker_report_new(ctx, found, said, reason, err, out)
                            : hsp__fail_memory(err);
    free(said);
    free(reason);
    return status;
}

static hsp_status run_checker_files(hsp_context *ctx, FILE *certificate, const char *path,
                                    const char *test, const hsp_options *options, hsp_error *err,
                                    hsp_verification **out)
{
    const char *model = options ? hsp_options_text(options, "model") : NULL;
    halfspace_files files = {.cert = certificate,
                             .data_name = path,
                             .test_name = test,
                             .model_name = model,
                             .effort =
                                 options ? (unsigned)hsp_options_integer(options, "effort") : 1};
    hsp_status status = run_checker_open(ctx, path, err, &files.data);
    if (!status && test) status = run_checker_open(ctx, test, err, &files.test);
    if (!status && model) {
        files.model = fopen(model, "rb"); /* as it is: its hash is of these bytes */
        if (!files.model) status = run_checker_fail(err, model, "cannot open");
    }
    if (!status) status = run_checker_ask(ctx, &files, err, out);
    FILE *const opened[] = {files.data, files.test, files.model};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (opened[i]) fclose(opened[i]);
    return status;
}

hsp_status hsp_verify(hsp_context *ctx, const void *certificate, size_t size, const char *path,
                      const char *test, const hsp_options *options, hsp_error *err,
                      hsp_verification **out)
{
    HSP__NEED(err, ctx, certificate, path, out);
    char *copy = hsp__copy_text(&ctx->allocator, certificate, size);
    FILE *file = copy ? fmemopen(copy, size, "rb") : NULL;
    hsp_status status = file ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = run_checker_files(ctx, file, path, test, options, err, out);
    if (file) fclose(file);
    hsp__free(&ctx->allocator, copy);
    return status;
}

hsp_status hsp_verify_file(hsp_context *ctx, const char *certificate_path, const char *path,
                           const char *test, const hsp_options *options, hsp_error *err,
                           hsp_verification **out)
{
    HSP__NEED(err, ctx, certificate_path, path, out);
    FILE *file = fopen(certificate_path, "rb");
    if (!file) return run_checker_fail(err, certificate_path, "cannot open");
    hsp_status status = run_checker_files(ctx, file, path, test, options, err, out);
    fclose(file);
    return status;
}

#else

static hsp_status run_checker_without_gmp(hsp_error *err)
{
    return hsp__fail(err, HSP_UNSUPPORTED,
                     "this build is without GMP, which certificates need: install libgmp-dev and "
                     "build again");
}

hsp_status hsp_verify(hsp_context *ctx, const void *certificate, size_t size, const char *path,
                      const char *test, const hsp_options *options, hsp_error *err,
                      hsp_verification **out)
{
    HSP__NEED(err, ctx, certificate, path, out);
    (void)size, (void)test, (void)options;
    return run_checker_without_gmp(err);
}

hsp_status hsp_verify_file(hsp_context *ctx, const char *certificate_path, const char *path,
                           const char *test, const hsp_options *options, hsp_error *err,
                           hsp_verification **out)
{
    HSP__NEED(err, ctx, certificate_path, path, out);
    (void)test, (void)options;
    return run_checker_without_gmp(err);
}

#endif
