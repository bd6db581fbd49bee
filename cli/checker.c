/* The checker, from inside the command: it gets files, and what it says is passed on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#ifdef HSP_HAVE_GMP
#include "verify/verify.h"

/* ---- Files ---- */

static int checker_packed(FILE *file)
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

static int checker_take(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) != size;
}

/* The file, or what is in it. The checker reads from the start again and again: no pipes. */
static hsp_status checker_open(cli *run, const char *path, hsp_error *err, FILE **out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return cli_fail(err, HSP_IO, path, "cannot open: %s", strerror(errno));
    if (!checker_packed(file)) {
        *out = file;
        return HSP_OK;
    }
    fclose(file);
    file = tmpfile();
    if (!file) return cli_fail(err, HSP_IO, NULL, "no temporary file: %s", strerror(errno));
    hsp_status status = hsp_file_unpack(run->ctx, path, checker_take, file, err);
    if (status == HSP_OK && (fflush(file) || ferror(file)))
        status = cli_fail(err, HSP_IO, NULL, "no temporary file: %s", strerror(errno));
    rewind(file);
    if (status != HSP_OK)
        fclose(file);
    else
        *out = file;
    return status;
}

/* ---- Asking ---- */

static hsp_status checker_ask(const halfspace_files *files, hsp_error *err, cli_verdict *verdict)
{
    size_t size;
    FILE *said = open_memstream(&verdict->said, &size);
    FILE *reason = said ? open_memstream(&verdict->reason, &size) : NULL;
    if (!reason) {
        if (said) fclose(said);
        return cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    }
    verdict->status = halfspace_verify_files(files, said, reason);
    fclose(said);
    fclose(reason);
    verdict->reason[strcspn(verdict->reason, "\n")] = 0; /* one sentence */
    return HSP_OK;
}

hsp_status cli_check_certificate(cli *run, FILE *certificate, const cli_checked *about,
                                 hsp_error *err, cli_verdict *verdict)
{
    halfspace_files files = {.cert = certificate,
                             .data_name = about->data,
                             .test_name = about->test,
                             .model_name = about->model,
                             .effort = about->effort};
    hsp_status status = checker_open(run, about->data, err, &files.data);
    if (status == HSP_OK && about->test) status = checker_open(run, about->test, err, &files.test);
    if (status == HSP_OK && about->model) {
        files.model = fopen(about->model, "rb"); /* as it is: its hash is of these bytes */
        if (!files.model)
            status = cli_fail(err, HSP_IO, about->model, "cannot open: %s", strerror(errno));
    }
    if (status == HSP_OK) status = checker_ask(&files, err, verdict);
    FILE *const opened[] = {files.data, files.test, files.model};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (opened[i]) fclose(opened[i]);
    return status;
}

#else

hsp_status cli_check_certificate(cli *run, FILE *certificate, const cli_checked *about,
                                 hsp_error *err, cli_verdict *verdict)
{
    (void)run, (void)certificate, (void)about, (void)verdict;
    return cli_fail(err, HSP_UNSUPPORTED, NULL,
                    "this build is without GMP, which certificates need: install libgmp-dev and "
                    "build again");
}

#endif

void cli_free_verdict(cli_verdict *verdict)
{
    free(verdict->said);
    free(verdict->reason);
}
