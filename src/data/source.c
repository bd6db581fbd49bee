#include "data/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "data/compress.h"
#include "data/provenance.h"

#define SOURCE_PEEK_MIN ((size_t)64 << 10)
#define SOURCE_UNPACK   ((size_t)1 << 20)

/* Bytes as they are in the file. */
static hsp_status source_raw(void *user, void *buffer, size_t want, hsp_error *err, size_t *got)
{
    hsp__source *source = user;
    if (source->fd < 0) {
        size_t left = (size_t)(source->size - source->position);
        *got = want < left ? want : left;
        if (*got) memcpy(buffer, source->bytes + source->position, *got);
    } else {
        ssize_t count;
        do
            count = read(source->fd, buffer, want);
        while (count < 0 && errno == EINTR);
        if (count < 0) return hsp__fail_errno(err, source->name, "cannot read");
        *got = (size_t)count;
    }
    source->position += *got;
    return HSP_OK;
}

/* The next bytes, unpacked; exactly `want` unless the input ends. */
static hsp_status source_fill(hsp__source *source, char *buffer, size_t want, hsp_error *err,
                              size_t *got)
{
    *got = 0;
    while (*got < want) {
        size_t part = 0;
        hsp_status status =
            source->unpacker
                ? hsp__unpacker_read(source->unpacker, buffer + *got, want - *got, err, &part)
                : source_raw(source, buffer + *got, want - *got, err, &part);
        if (status) return status;
        if (!part) break;
        *got += part;
    }
    return HSP_OK;
}

static hsp_status source_look_ahead(hsp__source *source, size_t want, hsp_error *err)
{
    size_t have = source->ahead_to - source->ahead_from, got;
    if (have >= want) return HSP_OK;
    if (!hsp__reserve(&source->memory, &source->ahead, &source->ahead_room,
                      source->ahead_from + want, 1))
        return hsp__fail_memory(err);
    HSP__TRY(source_fill(source, source->ahead + source->ahead_to, want - have, err, &got));
    source->ahead_to += got;
    return HSP_OK;
}

/* What the unpacker reads: the head first, then the file. */
static hsp_status source_take(void *user, void *buffer, size_t want, hsp_error *err, size_t *got)
{
    hsp__source *source = user;
    size_t have = source->head_to - source->head_from;
    if (!have) return source_raw(source, buffer, want, err, got);
    *got = want < have ? want : have;
    memcpy(buffer, source->head + source->head_from, *got);
    source->head_from += *got;
    return HSP_OK;
}

/* Compressed input is unpacked on the way: from then on `ahead` holds unpacked bytes. */
static hsp_status source_detect_packing(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    HSP__TRY(source_look_ahead(source, sizeof source->head, err));
    const char *packing = hsp__packing_of(source->ahead, source->ahead_to);
    if (!packing) return HSP_OK;
    source->mappable = 0;
    memcpy(source->head, source->ahead, source->ahead_to);
    source->head_to = source->ahead_to;
    source->ahead_to = 0;
    return hsp__unpacker_new(ctx, packing, source->name, source_take, source, err,
                             &source->unpacker);
}

static hsp_status source_open_fd(hsp__source *source, const char *path, hsp_error *err)
{
    struct stat info;
    const int input = strcmp(path, "-") == 0;
    source->fd = input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0 || fstat(source->fd, &info))
        return hsp__fail_errno(err, source->name, "cannot open");
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return hsp__fail_errno(err, source->name, "cannot read");
    }
    if (!S_ISREG(info.st_mode)) return HSP_OK;
    source->again = source->mappable = !input;
    source->start = (int64_t)lseek(source->fd, 0, SEEK_CUR);
    source->rewinds = source->start >= 0;
    source->size = (uint64_t)info.st_size;
    return HSP_OK;
}

/* `path` NULL: memory. */
static hsp_status source_new(hsp_context *ctx, const char *name, const char *path, const void *data,
                             size_t size, hsp_error *err, hsp__source **out)
{
    hsp__source *source = hsp__new(&ctx->allocator, 1, sizeof *source);
    if (!source) return hsp__fail_memory(err);
    source->memory = ctx->allocator;
    source->fd = -1;
    source->bytes = data;
    source->size = size;
    source->rewinds = !path;
    source->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    hsp_status status = source->name ? HSP_OK : hsp__fail_memory(err);
    if (!status && path) status = source_open_fd(source, path, err);
    if (!status) status = source_detect_packing(ctx, source, err);
    if (status)
        hsp__source_free(source);
    else
        *out = source;
    return status;
}

hsp_status hsp__source_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__source **out)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return source_new(ctx, name, path, NULL, 0, err, out);
}

hsp_status hsp__source_memory(hsp_context *ctx, const void *data, size_t size, const char *name,
                              hsp_error *err, hsp__source **out)
{
    return source_new(ctx, name, NULL, data, size, err, out);
}

void hsp__source_free(hsp__source *source)
{
    if (!source) return;
    hsp_allocator memory = source->memory;
    hsp__packer_free(source->unpacker);
    if (source->fd >= 0) close(source->fd);
    hsp__free(&memory, source->ahead);
    hsp__free(&memory, source->name);
    hsp__free(&memory, source);
}

hsp_status hsp__source_peek(hsp__source *source, size_t want, hsp_error *err, const char **bytes,
                            size_t *size)
{
    if (want < SOURCE_PEEK_MIN) want = SOURCE_PEEK_MIN;
    HSP__TRY(source_look_ahead(source, want, err));
    *bytes = source->ahead + source->ahead_from;
    *size = source->ahead_to - source->ahead_from;
    return HSP_OK;
}

hsp_status hsp__source_read(hsp__source *source, void *buffer, size_t want, hsp_error *err,
                            size_t *got)
{
    size_t have = source->ahead_to - source->ahead_from, more = 0;
    if (have > want) have = want;
    if (have) memcpy(buffer, source->ahead + source->ahead_from, have);
    source->ahead_from += have;
    hsp_status status = source_fill(source, (char *)buffer + have, want - have, err, &more);
    *got = have + more;
    if (source->provenance && !status) hsp__sha256_add(&source->provenance->sha, buffer, *got);
    return status;
}

hsp_status hsp__source_skip(hsp__source *source, size_t size, hsp_error *err)
{
    char scrap[4096];
    for (size_t got = 1; size && got; size -= got)
        HSP__TRY(
            hsp__source_read(source, scrap, size < sizeof scrap ? size : sizeof scrap, err, &got));
    return HSP_OK;
}

hsp_status hsp__source_read_all(hsp_context *ctx, hsp__source *source, size_t most, hsp_error *err,
                                char **bytes, size_t *size)
{
    uint64_t room = 0;
    *bytes = NULL;
    *size = 0;
    for (size_t got = 0, want = 0; got == want && *size <= most;) {
        want = *size > ctx->block_bytes ? *size : ctx->block_bytes;
        if (!hsp__reserve(&ctx->allocator, bytes, &room, (uint64_t)*size + want, 1))
            return hsp__fail_memory(err);
        HSP__TRY(hsp__source_read(source, *bytes + *size, want, err, &got));
        *size += got;
        HSP__TRY(hsp__progress(ctx, "reading", "bytes", source->position, source->size, err));
    }
    return HSP_OK;
}

hsp_status hsp__source_rewind(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    if (source->fd >= 0 && lseek(source->fd, (off_t)source->start, SEEK_SET) < 0)
        return hsp__fail_errno(err, source->name, "cannot read again");
    hsp__packer_free(source->unpacker);
    source->unpacker = NULL;
    source->position = 0;
    if (source->provenance) hsp__sha256_init(&source->provenance->sha);
    source->head_from = source->head_to = source->ahead_from = source->ahead_to = 0;
    return source_detect_packing(ctx, source, err);
}

hsp_status hsp_file_unpack(hsp_context *ctx, const char *path, hsp_bytes_fn take, void *user,
                           hsp_error *err)
{
    HSP__NEED(err, ctx, path);
    if (!take) return hsp__fail_null(err, __func__, "take", (const void *[]){NULL}, 1);
    hsp__source *source = NULL;
    char *buffer = hsp__new_raw(&ctx->allocator, SOURCE_UNPACK, 1);
    hsp_status status = buffer ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__source_open(ctx, path, err, &source);
    for (size_t got = 1; !status && got;) {
        status = hsp__source_read(source, buffer, SOURCE_UNPACK, err, &got);
        if (!status && got && take(user, buffer, got))
            status = hsp__fail(err, HSP_CANCELLED, "stopped on request");
    }
    hsp__source_free(source);
    hsp__free(&ctx->allocator, buffer);
    return status;
}
