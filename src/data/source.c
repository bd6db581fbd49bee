#include "data/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/compress.h"
#include "data/provenance.h"

#define SOURCE_PEEK_MIN ((size_t)64 << 10)
#define SOURCE_HEAD     6 /* bytes that tell every packing */

struct hsp__source {
    hsp_allocator memory;
    char *name;
    int fd;            /* -1: memory */
    int again;         /* it can be opened and read again */
    int mappable;      /* and is not compressed */
    int64_t start;     /* of a regular file: where reading began; -1: it cannot be rewound */
    const char *bytes; /* of a memory source */
    size_t bytes_size;
    uint64_t position;       /* raw bytes taken */
    uint64_t size;           /* raw bytes in all, 0: not known */
    hsp__unpacker *unpacker; /* NULL: plain */
    char head[SOURCE_HEAD];  /* packed bytes that told how they are packed, not yet unpacked */
    size_t head_from, head_to;
    char *ahead; /* peeked bytes not yet read */
    size_t ahead_from, ahead_to;
    uint64_t ahead_room;
    hsp__provenance *told; /* or NULL */
};

/* Bytes as they are in the file. */
static hsp_status source_raw(void *user, void *buffer, size_t want, hsp_error *err, size_t *got)
{
    hsp__source *source = user;
    if (source->fd < 0) {
        size_t left = source->bytes_size - (size_t)source->position;
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
    void *ahead = source->ahead;
    if (!hsp__reserve(&source->memory, &ahead, &source->ahead_room, source->ahead_from + want, 1))
        return hsp__fail_memory(err);
    source->ahead = ahead;
    hsp_status status =
        source_fill(source, source->ahead + source->ahead_to, want - have, err, &got);
    if (!status) source->ahead_to += got;
    return status;
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
    hsp_status status = source_look_ahead(source, SOURCE_HEAD, err);
    if (status) return status;
    const char *packing = hsp__packing_of(source->ahead, source->ahead_to);
    if (!packing) return HSP_OK;
    source->mappable = 0;
    memcpy(source->head, source->ahead, source->ahead_to);
    source->head_to = source->ahead_to;
    source->ahead_to = 0;
    return hsp__unpacker_new(ctx, packing, source->name, source_take, source, err,
                             &source->unpacker);
}

static hsp_status source_new(hsp_context *ctx, const char *name, hsp_error *err, hsp__source **out)
{
    hsp__source *source = hsp__new(&ctx->allocator, 1, sizeof *source);
    if (!source) return hsp__fail_memory(err);
    source->memory = ctx->allocator;
    source->fd = -1;
    source->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    if (!source->name) {
        hsp__source_free(source);
        return hsp__fail_memory(err);
    }
    *out = source;
    return HSP_OK;
}

static hsp_status source_open_fd(hsp__source *source, const char *path, hsp_error *err)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
        source->fd = dup(STDIN_FILENO);
    else
        source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) return hsp__fail_errno(err, source->name, "cannot open");
    if (fstat(source->fd, &info)) return hsp__fail_errno(err, source->name, "cannot open");
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return hsp__fail_errno(err, source->name, "cannot read");
    }
    source->again = source->mappable = S_ISREG(info.st_mode) && strcmp(path, "-") != 0;
    source->start = S_ISREG(info.st_mode) ? (int64_t)lseek(source->fd, 0, SEEK_CUR) : -1;
    source->size = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    return HSP_OK;
}

hsp_status hsp__source_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__source **out)
{
    hsp__source *source = NULL;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    hsp_status status = source_new(ctx, name, err, &source);
    if (!status) status = source_open_fd(source, path, err);
    if (!status) status = source_detect_packing(ctx, source, err);
    if (status)
        hsp__source_free(source);
    else
        *out = source;
    return status;
}

hsp_status hsp__source_memory(hsp_context *ctx, const void *data, size_t size, const char *name,
                              hsp_error *err, hsp__source **out)
{
    hsp__source *source = NULL;
    hsp_status status = source_new(ctx, name, err, &source);
    if (status) return status;
    source->bytes = data;
    source->bytes_size = size;
    source->size = size;
    status = source_detect_packing(ctx, source, err);
    if (status)
        hsp__source_free(source);
    else
        *out = source;
    return status;
}

void hsp__source_free(hsp__source *source)
{
    if (!source) return;
    hsp_allocator memory = source->memory;
    hsp__unpacker_free(source->unpacker);
    if (source->fd >= 0) close(source->fd);
    hsp__free(&memory, source->ahead);
    hsp__free(&memory, source->name);
    hsp__free(&memory, source);
}

void hsp__source_follow(hsp__source *source, hsp__provenance *told)
{
    source->told = told;
    hsp__sha256_init(&told->sha);
}

hsp__provenance *hsp__source_told(const hsp__source *source)
{
    return source->told;
}

const char *hsp__source_name(const hsp__source *source)
{
    return source->name;
}

hsp_status hsp__source_peek(hsp__source *source, size_t want, hsp_error *err, const char **bytes,
                            size_t *size)
{
    if (want < SOURCE_PEEK_MIN) want = SOURCE_PEEK_MIN;
    hsp_status status = source_look_ahead(source, want, err);
    if (status) return status;
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
    if (source->told && !status) hsp__sha256_add(&source->told->sha, buffer, *got);
    return status;
}

hsp_status hsp__source_read_all(hsp_context *ctx, hsp__source *source, hsp_error *err, void **bytes,
                                size_t *size)
{
    uint64_t room = 0;
    size_t got = 0;
    hsp_status status = HSP_OK;
    *bytes = NULL;
    *size = 0;
    while (!status) {
        const size_t want = *size > ctx->block_bytes ? *size : ctx->block_bytes;
        if (!hsp__reserve(&ctx->allocator, bytes, &room, (uint64_t)*size + want, 1))
            return hsp__fail_memory(err);
        status = hsp__source_read(source, (char *)*bytes + *size, want, err, &got);
        *size += got;
        if (!status)
            status = hsp__progress(ctx, "reading", "bytes", hsp__source_position(source),
                                   hsp__source_size(source), err);
        if (got < want) break;
    }
    return status;
}

uint64_t hsp__source_position(const hsp__source *source)
{
    return source->position;
}

uint64_t hsp__source_size(const hsp__source *source)
{
    return source->size;
}

int hsp__source_packed(const hsp__source *source)
{
    return source->unpacker != NULL;
}

int hsp__source_again(const hsp__source *source)
{
    return source->again;
}

int hsp__source_rewinds(const hsp__source *source)
{
    return source->fd < 0 || source->start >= 0;
}

hsp_status hsp__source_rewind(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    if (source->fd >= 0 && lseek(source->fd, (off_t)source->start, SEEK_SET) < 0)
        return hsp__fail_errno(err, source->name, "cannot read again");
    hsp__unpacker_free(source->unpacker);
    source->unpacker = NULL;
    source->position = 0;
    if (source->told) hsp__sha256_init(&source->told->sha);
    source->head_from = source->head_to = source->ahead_from = source->ahead_to = 0;
    return source_detect_packing(ctx, source, err);
}

int hsp__source_mappable(const hsp__source *source)
{
    return source->mappable;
}
