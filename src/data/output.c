#include "data/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/compress.h"

#define OUTPUT_TRIES 1000

struct hsp__output {
    hsp_allocator memory;
    char *name;      /* for errors */
    char *target;    /* where the file shall appear; NULL: the bytes go straight to fd */
    char *temporary; /* the name it has until then */
    int fd;
    int appeared; /* renamed: nothing to remove */
    hsp__packer *packer;
};

size_t hsp__output_plain_size(const char *path)
{
    const char *dot = strrchr(path, '.');
    return hsp__packing_by_name(path) ? (size_t)(dot - path) : strlen(path);
}

static hsp_status output_raw(void *user, const void *bytes, size_t size, hsp_error *err)
{
    hsp__output *output = user;
    const char *from = bytes;
    while (size) {
        ssize_t count = write(output->fd, from, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return hsp__fail_errno(err, output->name, "cannot write");
        from += count;
        size -= (size_t)count;
    }
    return HSP_OK;
}

/* A file reached through a symbolic link is replaced where it really is. */
static char *output_resolve(const hsp_allocator *memory, const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = hsp__copy_text(memory, real ? real : path, strlen(real ? real : path));
    free(real);
    return copy;
}

/* A new file ".halfspace-PID-N.tmp" beside the target: open's own mode gives it the permissions of
 * any new file; an old file's are kept. */
static hsp_status output_open_temporary(hsp__output *output, hsp_error *err)
{
    const char *slash = strrchr(output->target, '/');
    size_t folder = slash ? (size_t)(slash - output->target) + 1 : 0, size = folder + 64;
    output->temporary = hsp__new(&output->memory, size, 1);
    if (!output->temporary) return hsp__fail_memory(err);
    for (unsigned n = 0; n < OUTPUT_TRIES; n++) {
        snprintf(output->temporary, size, "%.*s.halfspace-%ld-%u.tmp", (int)folder, output->target,
                 (long)getpid(), n);
        output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd >= 0 || errno != EEXIST) break;
    }
    if (output->fd < 0) {
        hsp_status status = hsp__fail_errno(err, output->name, "cannot create");
        hsp__free(&output->memory, output->temporary);
        output->temporary = NULL;
        return status;
    }
    struct stat old;
    if (stat(output->target, &old) == 0) fchmod(output->fd, old.st_mode & 07777);
    return HSP_OK;
}

static hsp_status output_open_file(hsp__output *output, const char *path, hsp_error *err)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        output->fd = dup(STDOUT_FILENO);
    } else if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return hsp__fail_errno(err, output->name, "cannot write");
    } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        /* A pipe or a device cannot be renamed over. */
        output->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        output->target = output_resolve(&output->memory, path);
        return output->target ? output_open_temporary(output, err) : hsp__fail_memory(err);
    }
    return output->fd < 0 ? hsp__fail_errno(err, output->name, "cannot open") : HSP_OK;
}

hsp_status hsp__output_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__output **out)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    const char *packing = hsp__packing_by_name(path);
    hsp__output *output = hsp__new(&ctx->allocator, 1, sizeof *output);
    if (!output) return hsp__fail_memory(err);
    output->memory = ctx->allocator;
    output->fd = -1;
    output->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    hsp_status status = output->name ? output_open_file(output, path, err) : hsp__fail_memory(err);
    if (!status && packing)
        status = hsp__packer_new(ctx, packing, name, output_raw, output, err, &output->packer);
    if (status)
        hsp__output_free(output);
    else
        *out = output;
    return status;
}

hsp_status hsp__output_write(hsp__output *output, const void *bytes, size_t size, hsp_error *err)
{
    if (output->packer) return hsp__packer_write(output->packer, bytes, size, err);
    return output_raw(output, bytes, size, err);
}

hsp_status hsp__output_commit(hsp__output *output, hsp_error *err)
{
    if (output->packer) {
        hsp_status status = hsp__packer_finish(output->packer, err);
        if (status) return status;
    }
    /* The numbers reach the disk before the name does: whoever finds the name, after a power cut
     * too, finds all of them, there or in the file that was there before. When the name itself
     * gets there is left to the system: waiting for the folder takes longer than most runs. */
    if (output->target && fsync(output->fd))
        return hsp__fail_errno(err, output->name, "cannot write");
    int closed = close(output->fd);
    output->fd = -1;
    if (closed) return hsp__fail_errno(err, output->name, "cannot write");
    if (!output->target) return HSP_OK;
    if (rename(output->temporary, output->target))
        return hsp__fail_errno(err, output->name, "cannot replace");
    output->appeared = 1;
    return HSP_OK;
}

void hsp__output_free(hsp__output *output)
{
    if (!output) return;
    hsp_allocator memory = output->memory;
    hsp__packer_free(output->packer);
    if (output->fd >= 0) close(output->fd);
    if (output->temporary && !output->appeared) unlink(output->temporary);
    hsp__free(&memory, output->temporary);
    hsp__free(&memory, output->target);
    hsp__free(&memory, output->name);
    hsp__free(&memory, output);
}

hsp_status hsp_file_write(hsp_context *ctx, const char *path, const void *bytes, size_t size,
                          hsp_error *err)
{
    hsp__output *output = NULL;
    hsp_status status = hsp__output_open(ctx, path, err, &output);
    if (!status) status = hsp__output_write(output, bytes, size, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}
