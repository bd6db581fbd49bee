#include "data/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/checksum.h"
#include "data/compress.h"

#define OUTPUT_TRIES 1000
#define OUTPUT_LINKS 40 /* symbolic links followed at most */

struct hsp__output {
    hsp_allocator memory;
    char *name;      /* for errors */
    char *target;    /* where the file shall appear; NULL: the bytes go straight to fd */
    char *temporary; /* the name it has until then */
    char *previous;  /* another name of the file that it replaced; NULL: there is none */
    int fd;
    hsp_bytes_fn take; /* instead of fd; NULL: fd */
    void *user;
    int appeared; /* renamed: nothing to remove */
    hsp__packer *packer;
    hsp_files *group;  /* files that appear together; NULL: this one appears by itself */
    int held;          /* complete, and the group's */
    int first_time;    /* no file was there before */
    hsp__output *next; /* in the group */
};

struct hsp_files {
    hsp_context *ctx;
    hsp__output *first, *last; /* in the order they were written */
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
    if (output->take)
        return output->take(output->user, bytes, size)
                   ? hsp__fail(err, HSP_CANCELLED, "stopped on request while writing")
                   : HSP_OK;
    while (size) {
        ssize_t count = write(output->fd, from, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return hsp__fail_errno(err, output->name, "cannot write");
        from += count;
        size -= (size_t)count;
    }
    return HSP_OK;
}

/* A file reached through symbolic links is replaced, or made, where they lead. NULL when there is
 * no memory. */
static char *output_resolve(const hsp_allocator *memory, const char *path)
{
    char leads[4096];
    char *target = hsp__copy_text(memory, path, strlen(path));
    for (int i = 0; target && i < OUTPUT_LINKS; i++) {
        const ssize_t size = readlink(target, leads, sizeof leads);
        if (size <= 0 || size == sizeof leads) break; /* no link */
        const char *slash = leads[0] == '/' ? NULL : strrchr(target, '/');
        const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
        char *next = hsp__new(memory, folder + (size_t)size + 1, 1);
        if (next) memcpy(next, target, folder);
        if (next) memcpy(next + folder, leads, (size_t)size);
        hsp__free(memory, target);
        target = next;
    }
    return target;
}

/* ---- Temporary files --------------------------------------------------------------------------
 *
 * A file is written as ".halfspace-WHERE-PID-N.tmp" next to its target. WHERE stands for the host
 * and the space of process numbers, so that a PID can be asked about. A process that was killed
 * leaves its file behind; the next one that writes in that folder removes it. */

/* Remove what processes of this machine that are gone left in the target's folder; `own`: how their
 * names begin, before the PID. */
static void output_sweep(const char *target, size_t folder, const char *own)
{
    char path[4096], *end;
    struct stat info;
    if (folder >= sizeof path) return;
    memcpy(path, target, folder);
    memcpy(path + folder, folder ? "" : ".", folder ? 1 : 2);
    DIR *names = opendir(path);
    if (!names) return;
    for (const struct dirent *entry; (entry = readdir(names));) {
        const char *name = entry->d_name;
        if (strncmp(name, own, strlen(own)) != 0) continue;
        const long pid = strtol(name + strlen(own), &end, 10);
        if (*end == '-' && pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
            fstatat(dirfd(names), name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
            info.st_uid == geteuid())
            unlinkat(dirfd(names), name, 0);
    }
    closedir(names);
}

static hsp_status output_open_temporary(hsp__output *output, hsp_error *err)
{
    const char *slash = strrchr(output->target, '/');
    size_t folder = slash ? (size_t)(slash - output->target) + 1 : 0, size = folder + 64;
    char host[256] = "", own[32];
    struct stat space = {0}, old, made;
    const int replaces = stat(output->target, &old) == 0;
    output->temporary = hsp__new(&output->memory, size, 1);
    if (!output->temporary) return hsp__fail_memory(err);
    gethostname(host, sizeof host - 1);
    stat("/proc/self/ns/pid", &space);
    const uint32_t where =
        hsp__crc32(hsp__crc32(0, host, strlen(host)), &space.st_ino, sizeof space.st_ino);
    snprintf(own, sizeof own, ".halfspace-%08x-", where);
    output_sweep(output->target, folder, own);
    for (unsigned n = 0; n < OUTPUT_TRIES; n++) {
        snprintf(output->temporary, size, "%.*s%s%ld-%u.tmp", (int)folder, output->target, own,
                 (long)getpid(), n);
        output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          replaces ? 0600 : 0666);
        if (output->fd >= 0 || errno != EEXIST) break;
    }
    if (output->fd < 0) {
        hsp_status status = hsp__fail_errno(err, output->name, "cannot create");
        hsp__free(&output->memory, output->temporary);
        output->temporary = NULL;
        return status;
    }
    if (!replaces) return HSP_OK;
    /* Never readable or writable by more than the old file was; another group's permissions are
     * not this group's. */
    mode_t mode = old.st_mode & 0777;
    if (fstat(output->fd, &made) == 0 && made.st_gid != old.st_gid &&
        fchown(output->fd, (uid_t)-1, old.st_gid))
        mode &= ~(mode_t)070;
    fchmod(output->fd, mode);
    return HSP_OK;
}

static hsp_status output_open_file(hsp__output *output, const char *path, hsp_error *err)
{
    struct stat info;
    if (!*path) return hsp__fail(err, HSP_USAGE, "the name of a file to write is empty");
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
    output->group = ctx->files;
    output->fd = -1;
    output->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    hsp_status status = output->name
                            ? output_open_file(output, ctx->silent ? "/dev/null" : path, err)
                            : hsp__fail_memory(err);
    if (!status && packing && !ctx->silent)
        status = hsp__packer_new(ctx, packing, name, output_raw, output, err, &output->packer);
    HSP__GIVE(status, output, hsp__output_free, out);
}

hsp_status hsp__output_take(hsp_context *ctx, hsp_bytes_fn take, void *user, hsp_error *err,
                            hsp__output **out)
{
    hsp__output *output = hsp__new(&ctx->allocator, 1, sizeof *output);
    if (!output) return hsp__fail_memory(err);
    output->memory = ctx->allocator;
    output->fd = -1;
    output->take = take;
    output->user = user;
    *out = output;
    return HSP_OK;
}

hsp_status hsp__output_write(hsp__output *output, const void *bytes, size_t size, hsp_error *err)
{
    if (output->packer) return hsp__packer_write(output->packer, bytes, size, err);
    return output_raw(output, bytes, size, err);
}

hsp_status hsp__output_text(hsp__output *output, const hsp__text *text, hsp_error *err)
{
    if (text->failed) return hsp__fail_memory(err);
    return hsp__output_write(output, text->data, text->size, err);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { OUTPUT_BATCH = HSP__OUTPUT_SLOTS / 2 };

typedef struct output_rows {
    hsp__output *output;
    hsp__output_make make;
    void *user;
    uint64_t rows, block_rows;
    uint64_t first; /* block of the batch */
    uint64_t half;  /* the slots of the batch begin at this times OUTPUT_BATCH */
    uint64_t ready; /* blocks of the other half that wait to be written */
    hsp__text texts[HSP__OUTPUT_SLOTS];
    hsp_status status; /* what became of writing them, */
    hsp_error *err;
} output_rows;

/* The first task writes what was made before, the others make blocks. */
static void output_rows_task(void *user, uint64_t task)
{
    output_rows *job = user;
    if (task == 0) {
        const hsp__text *texts = &job->texts[!job->half * OUTPUT_BATCH];
        for (uint64_t i = 0; !job->status && i < job->ready; i++)
            job->status = hsp__output_text(job->output, &texts[i], job->err);
        return;
    }
    const uint64_t from = (job->first + task - 1) * job->block_rows, left = job->rows - from;
    const uint64_t slot = job->half * OUTPUT_BATCH + task - 1;
    job->texts[slot].size = 0;
    job->make(job->user, from, from + (left < job->block_rows ? left : job->block_rows), slot,
              &job->texts[slot]);
}

hsp_status hsp__output_rows(hsp_context *ctx, hsp__output *output, const char *phase, uint64_t rows,
                            uint64_t block_rows, hsp__output_make make, void *user, hsp_error *err)
{
    const uint64_t blocks = rows / block_rows + (rows % block_rows != 0);
    output_rows job = {.output = output,
                       .make = make,
                       .user = user,
                       .rows = rows,
                       .block_rows = block_rows,
                       .err = err};
    hsp_status status = HSP_OK;
    for (int i = 0; i < HSP__OUTPUT_SLOTS; i++)
        hsp__text_init(&job.texts[i], &ctx->allocator);
    while (!status && (job.first < blocks || job.ready)) {
        const uint64_t left = blocks - job.first, batch = left < OUTPUT_BATCH ? left : OUTPUT_BATCH;
        hsp__tasks_run(ctx, batch + 1, output_rows_task, &job);
        job.first += batch;
        job.half = !job.half;
        job.ready = batch;
        const uint64_t done = job.first < blocks ? job.first * block_rows : rows;
        status = job.status;
        if (!status && batch) status = hsp__progress(ctx, phase, "rows", done, rows, err);
    }
    for (int i = 0; i < HSP__OUTPUT_SLOTS; i++)
        hsp__text_free(&job.texts[i]);
    return status;
}

/* ---- Files appear ---------------------------------------------------------------------------- */

/* All bytes out, to the disk, and the file closed. */
static hsp_status output_finish(hsp__output *output, hsp_error *err)
{
    if (output->packer) HSP__TRY(hsp__packer_finish(output->packer, err));
    /* The numbers reach the disk before the name does: whoever finds the name, after a power cut
     * too, finds all of them, there or in the file that was there before. When the name itself
     * gets there is left to the system: waiting for the folder takes longer than most runs. */
    if (output->target && fsync(output->fd))
        return hsp__fail_errno(err, output->name, "cannot write");
    int closed = close(output->fd);
    output->fd = -1;
    return closed ? hsp__fail_errno(err, output->name, "cannot write") : HSP_OK;
}

static hsp_status output_appear(hsp__output *output, hsp_error *err)
{
    if (!output->target) return HSP_OK;
    if (rename(output->temporary, output->target))
        return hsp__fail_errno(err, output->name, "cannot replace");
    output->appeared = 1;
    return HSP_OK;
}

hsp_status hsp__output_commit(hsp__output *output, hsp_error *err)
{
    hsp_files *files = output->group;
    hsp_status status = output_finish(output, err);
    if (status || !files) return status ? status : output_appear(output, err);
    output->held = 1;
    if (files->last)
        files->last->next = output;
    else
        files->first = output;
    files->last = output;
    return HSP_OK;
}

static void output_free(hsp__output *output)
{
    hsp_allocator memory = output->memory;
    hsp__packer_free(output->packer);
    if (output->fd >= 0) close(output->fd);
    if (output->temporary && !output->appeared) unlink(output->temporary);
    if (output->previous) unlink(output->previous);
    hsp__free(&memory, output->temporary);
    hsp__free(&memory, output->previous);
    hsp__free(&memory, output->target);
    hsp__free(&memory, output->name);
    hsp__free(&memory, output);
}

void hsp__output_free(hsp__output *output)
{
    if (output && !output->held) output_free(output);
}

/* ---- Several files that appear together ------------------------------------------------------ */

hsp_status hsp_files_new(hsp_context *ctx, hsp_error *err, hsp_files **out)
{
    HSP__NEED(err, ctx, out);
    if (ctx->files) return hsp__fail(err, HSP_USAGE, "this context has a group of files already");
    hsp_files *files = hsp__new(&ctx->allocator, 1, sizeof *files);
    if (!files) return hsp__fail_memory(err);
    files->ctx = ctx;
    ctx->files = files;
    *out = files;
    return HSP_OK;
}

/* A second name for the file about to be replaced, so that it can come back. Where the file system
 * has no such names, it cannot. */
static hsp_status output_keep_previous(hsp__output *output, hsp_error *err)
{
    if (!output->target) return HSP_OK;
    size_t size = strlen(output->temporary);
    char *previous = hsp__new(&output->memory, size + 5, 1);
    if (!previous) return hsp__fail_memory(err);
    memcpy(previous, output->temporary, size);
    memcpy(previous + size, ".old", 4);
    if (link(output->target, previous) == 0) {
        output->previous = previous;
    } else {
        output->first_time = errno == ENOENT;
        hsp__free(&output->memory, previous);
    }
    return HSP_OK;
}

hsp_status hsp_files_commit(hsp_files *files, hsp_error *err)
{
    HSP__NEED(err, files);
    hsp_status status = HSP_OK;
    for (hsp__output *o = files->first; !status && o; o = o->next)
        status = output_keep_previous(o, err);
    for (hsp__output *o = files->first; !status && o; o = o->next)
        status = output_appear(o, err);
    for (hsp__output *o = files->first; status && o; o = o->next) { /* take all back */
        if (o->appeared && o->previous) rename(o->previous, o->target);
        if (o->appeared && !o->previous && o->first_time) unlink(o->target);
    }
    return status;
}

void hsp_files_free(hsp_files *files)
{
    if (!files) return;
    for (hsp__output *o = files->first, *next; o; o = next) {
        next = o->next;
        output_free(o);
    }
    files->ctx->files = NULL;
    hsp__free(&files->ctx->allocator, files);
}

hsp_status hsp_file_write(hsp_context *ctx, const char *path, const void *bytes, size_t size,
                          hsp_error *err)
{
    HSP__NEED(err, ctx, path);
    if (size) HSP__NEED(err, bytes);
    hsp__output *output = NULL;
    hsp_status status = hsp__output_open(ctx, path, err, &output);
    if (!status) status = hsp__output_write(output, bytes, size, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}
