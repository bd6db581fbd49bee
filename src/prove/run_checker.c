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

/* The texts of a report are its own. */
static void run_checker_free_text(const hsp_allocator *memory, const char *text)
{
    union {
        const char *in;
        void *out;
    } as = {text};
    hsp__free(memory, as.out);
}

void hsp_verification_free(hsp_verification *verification)
{
    if (!verification) return;
    run_checker_free_text(hsp__owned_memory(verification), verification->established);
    run_checker_free_text(hsp__owned_memory(verification), verification->reason);
    hsp__owned_free(verification);
}

#ifdef HSP_HAVE_GMP
#include "verify/verify.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static hsp_status run_checker_fail(hsp_error *err, const char *path, const char *what)
{
    return hsp__fail_at(err, HSP_IO, path, 0, 0, "%s: %s", what, strerror(errno));
}

static int run_checker_packed(FILE *file)
{
    static const struct {
        const char *bytes;
        size_t size;
    } marks[] = {{"\x1f\x8b", 2}, {"BZh", 3}, {"\xfd\x37zXZ", 5}, {"\x28\xb5\x2f\xfd", 4}};
    char head[6] = {0};
    const size_t got = fread(head, 1, sizeof head, file);
    rewind(file);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (got >= marks[i].size && memcmp(head, marks[i].bytes, marks[i].size) == 0) return 1;
    return 0;
}

static int run_checker_take(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) != size;
}

/* The file, or what is in it. The checker reads from the start again and again: no pipes. */
static hsp_status run_checker_open(hsp_context *ctx, const char *path, hsp_error *err, FILE **out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return run_checker_fail(err, path, "cannot open");
    if (!run_checker_packed(file)) {
        *out = file;
        return HSP_OK;
    }
    fclose(file);
    file = tmpfile();
    if (!file) return run_checker_fail(err, NULL, "no temporary file");
    hsp_status status = hsp_file_unpack(ctx, path, run_checker_take, file, err);
    if (!status && (fflush(file) || ferror(file)))
        status = run_checker_fail(err, NULL, "no temporary file");
    rewind(file);
    if (status)
        fclose(file);
    else
        *out = file;
    return status;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* What the checker said; its status decides. */
static hsp_status run_checker_report_new(hsp_context *ctx, int status, const char *established,
                                         const char *reason, hsp_error *err, hsp_verification **out)
{
    if (status == HALFSPACE_NO_MEMORY) return hsp__fail_memory(err);
    hsp_verification *made = hsp__owned_new(&ctx->allocator, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->result = status == HALFSPACE_VERIFIED   ? HSP_VERIFIED
                   : status == HALFSPACE_REJECTED ? HSP_REJECTED
                                                  : HSP_UNDECIDED;
    made->established = hsp__copy_text(&ctx->allocator, established, strlen(established));
    made->reason =
        hsp__copy_text(&ctx->allocator, reason, strcspn(reason, "\n")); /* one sentence */
    if (made->established && made->reason) {
        *out = made;
        return HSP_OK;
    }
    hsp_verification_free(made);
    return hsp__fail_memory(err);
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
