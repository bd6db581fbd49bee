#include "data/compress.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/stop.h"

typedef struct compress_kind {
    const char *packing, *ending, *magic;
    size_t magic_size;
} compress_kind;

static const compress_kind compress_kinds[] = {
    {"gzip", ".gz", "\x1f\x8b", 2},
    {"bzip2", ".bz2", "BZh", 3},
    {"xz", ".xz",
     "\xfd"
     "7zXZ\0",
     6},
    {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4},
};

#define COMPRESS_KINDS (sizeof compress_kinds / sizeof *compress_kinds)

const char *hsp__packing_of(const char *bytes, size_t size)
{
    for (size_t i = 0; i < COMPRESS_KINDS; i++) {
        const compress_kind *kind = &compress_kinds[i];
        if (size < kind->magic_size || memcmp(bytes, kind->magic, kind->magic_size) != 0) continue;
        /* "BZh" may begin a word: bzip2 goes on with a digit and one of two marks */
        if (strcmp(kind->packing, "bzip2") == 0 &&
            (size < 5 || bytes[3] < '1' || bytes[3] > '9' || (bytes[4] != '1' && bytes[4] != 0x17)))
            continue;
        return kind->packing;
    }
    return NULL;
}

const char *hsp__packing_by_name(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < COMPRESS_KINDS; i++) {
        size_t ending = strlen(compress_kinds[i].ending);
        if (size > ending && strcmp(path + size - ending, compress_kinds[i].ending) == 0)
            return compress_kinds[i].packing;
    }
    return NULL;
}

static hsp_status compress_unsupported(const char *packing, const char *name, hsp_error *err)
{
    return hsp__fail_at(err, HSP_UNSUPPORTED, name, 0, 0,
                        "%s compression is not in this build (libarchive was not found)", packing);
}

#ifdef HSP_HAVE_ARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>

/* libarchive is loaded when something is compressed. */
/* clang-format off */
#define COMPRESS_CALLS(X) \
    X(entry_free) X(entry_new) X(entry_set_filetype) X(error_string) X(filter_code) X(read_data) \
    X(read_free) X(read_new) X(read_next_header) X(read_open) X(read_support_filter_bzip2) \
    X(read_support_filter_gzip) X(read_support_filter_xz) X(read_support_filter_zstd) \
    X(read_support_format_empty) X(read_support_format_raw) X(set_error) \
    X(write_add_filter_by_name) X(write_close) X(write_data) X(write_free) X(write_header) \
    X(write_new) X(write_open) X(write_set_bytes_per_block) X(write_set_format_raw) \
    X(write_set_options)
/* clang-format on */

typedef struct compress_calls {
#define COMPRESS_MEMBER(name) __typeof__(archive_##name) *name;
    COMPRESS_CALLS(COMPRESS_MEMBER)
#undef COMPRESS_MEMBER
} compress_calls;

static hsp_status compress_load(compress_calls *calls, const char *packing, const char *name,
                                hsp_error *err)
{
    static const char *const names[] = {"libarchive.so.13", "libarchive.so", "libarchive.13.dylib",
                                        NULL};
    void *library = NULL, *found;
    int all = 1;
    hsp_status status = hsp__library_open(names, err, &library);
    if (status == HSP_UNSUPPORTED) return compress_unsupported(packing, name, err);
    if (status) return status;
#define COMPRESS_FIND(name)                     \
    found = dlsym(library, "archive_" #name);   \
    memcpy(&calls->name, &found, sizeof found); \
    all &= found != NULL;
    COMPRESS_CALLS(COMPRESS_FIND)
#undef COMPRESS_FIND
    dlclose(library);
    return all ? HSP_OK : compress_unsupported(packing, name, err);
}

#define COMPRESS_BUFFER ((size_t)128 << 10)

struct hsp__unpacker {
    hsp_allocator memory;
    compress_calls calls[1];
    struct archive *archive;
    const char *packing;
    char *name;
    hsp__packed_read from;
    void *user;
    int empty;              /* nothing is packed in there */
    hsp_status from_status; /* what the source below answered, when it failed */
    hsp_error from_error;
    char buffer[COMPRESS_BUFFER];
};

static la_ssize_t unpacker_callback(struct archive *archive, void *user, const void **bytes)
{
    hsp__unpacker *unpacker = user;
    size_t got = 0;
    unpacker->from_status = unpacker->from(unpacker->user, unpacker->buffer, COMPRESS_BUFFER,
                                           &unpacker->from_error, &got);
    if (unpacker->from_status) {
        unpacker->calls->set_error(archive, 5, "cannot read");
        return -1;
    }
    *bytes = unpacker->buffer;
    return (la_ssize_t)got;
}

static hsp_status unpacker_fail(hsp__unpacker *unpacker, hsp_error *err)
{
    if (unpacker->from_status) {
        if (err) *err = unpacker->from_error;
        return unpacker->from_status;
    }
    const char *reason = unpacker->calls->error_string(unpacker->archive);
    return hsp__fail_at(err, HSP_BAD_DATA, unpacker->name, 0, 0,
                        "damaged or truncated %s data (%s)", unpacker->packing,
                        reason ? reason : "no reason given");
}

/* This packing and no other: the library knows some that run programs, or look inside again. */
static void unpacker_allow(const hsp__unpacker *unpacker, const char *packing)
{
    if (strcmp(packing, "gzip") == 0) unpacker->calls->read_support_filter_gzip(unpacker->archive);
    if (strcmp(packing, "bzip2") == 0)
        unpacker->calls->read_support_filter_bzip2(unpacker->archive);
    if (strcmp(packing, "xz") == 0) unpacker->calls->read_support_filter_xz(unpacker->archive);
    if (strcmp(packing, "zstd") == 0) unpacker->calls->read_support_filter_zstd(unpacker->archive);
}

hsp_status hsp__unpacker_new(hsp_context *ctx, const char *packing, const char *name,
                             hsp__packed_read from, void *user, hsp_error *err, hsp__unpacker **out)
{
    struct archive_entry *entry;
    hsp__unpacker *unpacker = hsp__new(&ctx->allocator, 1, sizeof *unpacker);
    if (!unpacker) return hsp__fail_memory(err);
    hsp_status status = compress_load(unpacker->calls, packing, name, err);
    if (status) {
        hsp__free(&ctx->allocator, unpacker);
        return status;
    }
    unpacker->memory = ctx->allocator;
    unpacker->packing = packing;
    unpacker->from = from;
    unpacker->user = user;
    unpacker->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    unpacker->archive = unpacker->calls->read_new();
    if (!unpacker->name || !unpacker->archive) {
        status = hsp__fail_memory(err);
        goto done;
    }
    /* The raw format takes any stream as one entry; an empty one has none. */
    unpacker_allow(unpacker, packing);
    unpacker->calls->read_support_format_raw(unpacker->archive);
    unpacker->calls->read_support_format_empty(unpacker->archive);
    if (unpacker->calls->read_open(unpacker->archive, unpacker, NULL, unpacker_callback, NULL)) {
        status = unpacker_fail(unpacker, err);
        goto done;
    }
    /* Too short to be recognised, a stream would pass through as it is. */
    int found = unpacker->calls->read_next_header(unpacker->archive, &entry);
    unpacker->empty = found == ARCHIVE_EOF;
    if ((found != ARCHIVE_OK && found != ARCHIVE_EOF) ||
        unpacker->calls->filter_code(unpacker->archive, 0) == ARCHIVE_FILTER_NONE)
        status = unpacker_fail(unpacker, err);
done:
    if (status)
        hsp__unpacker_free(unpacker);
    else
        *out = unpacker;
    return status;
}

hsp_status hsp__unpacker_read(hsp__unpacker *unpacker, void *buffer, size_t want, hsp_error *err,
                              size_t *got)
{
    la_ssize_t count =
        unpacker->empty ? 0 : unpacker->calls->read_data(unpacker->archive, buffer, want);
    if (count < 0) return unpacker_fail(unpacker, err);
    *got = (size_t)count;
    return HSP_OK;
}

void hsp__unpacker_free(hsp__unpacker *unpacker)
{
    if (!unpacker) return;
    hsp_allocator memory = unpacker->memory;
    if (unpacker->archive) unpacker->calls->read_free(unpacker->archive);
    hsp__free(&memory, unpacker->name);
    hsp__free(&memory, unpacker);
}

#define PACKER_PIECE ((size_t)4 << 10) /* bytes between two ticks: some methods are slow */

struct hsp__packer {
    hsp_context *ctx;
    hsp_allocator memory;
    compress_calls calls[1];
    struct archive *archive;
    char *name;
    hsp__packed_write to;
    void *user;
    int discard;          /* nobody wants the bytes any more */
    hsp_status to_status; /* what the output below answered, when it failed */
    hsp_error to_error;
};

static la_ssize_t packer_callback(struct archive *archive, void *user, const void *bytes,
                                  size_t size)
{
    hsp__packer *packer = user;
    if (packer->discard) return (la_ssize_t)size;
    packer->to_status = packer->to(packer->user, bytes, size, &packer->to_error);
    if (!packer->to_status) return (la_ssize_t)size;
    packer->calls->set_error(archive, 5, "cannot write");
    return -1;
}

static hsp_status packer_fail(hsp__packer *packer, hsp_error *err)
{
    if (packer->to_status) {
        if (err) *err = packer->to_error;
        return packer->to_status;
    }
    const char *reason = packer->calls->error_string(packer->archive);
    return hsp__fail_at(err, HSP_IO, packer->name, 0, 0, "cannot compress (%s)",
                        reason ? reason : "no reason given");
}

/* One raw entry without a name; its size need not be known. */
static int packer_start(hsp__packer *packer, const char *packing)
{
    struct archive_entry *entry = packer->calls->entry_new();
    if (!entry) return 0;
    packer->calls->entry_set_filetype(entry, AE_IFREG);
    /* The same rows are the same bytes tomorrow: no time in them. */
    const char *options = strcmp(packing, "gzip") == 0 ? "gzip:!timestamp" : NULL;
    int started = packer->calls->write_add_filter_by_name(packer->archive, packing) == ARCHIVE_OK &&
                  packer->calls->write_set_options(packer->archive, options) == ARCHIVE_OK &&
                  packer->calls->write_set_format_raw(packer->archive) == ARCHIVE_OK &&
                  packer->calls->write_set_bytes_per_block(packer->archive, 0) == ARCHIVE_OK &&
                  packer->calls->write_open(packer->archive, packer, NULL, packer_callback, NULL) ==
                      ARCHIVE_OK &&
                  packer->calls->write_header(packer->archive, entry) == ARCHIVE_OK;
    packer->calls->entry_free(entry);
    return started;
}

hsp_status hsp__packer_new(hsp_context *ctx, const char *packing, const char *name,
                           hsp__packed_write to, void *user, hsp_error *err, hsp__packer **out)
{
    hsp__packer *packer = hsp__new(&ctx->allocator, 1, sizeof *packer);
    if (!packer) return hsp__fail_memory(err);
    hsp_status status = compress_load(packer->calls, packing, name, err);
    if (status) {
        hsp__free(&ctx->allocator, packer);
        return status;
    }
    packer->ctx = ctx;
    packer->memory = ctx->allocator;
    packer->to = to;
    packer->user = user;
    packer->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    packer->archive = packer->calls->write_new();
    if (!packer->name || !packer->archive)
        status = hsp__fail_memory(err);
    else if (!packer_start(packer, packing))
        status = packer_fail(packer, err);
    if (status)
        hsp__packer_free(packer);
    else
        *out = packer;
    return status;
}

hsp_status hsp__packer_write(hsp__packer *packer, const void *bytes, size_t size, hsp_error *err)
{
    for (size_t from = 0, some; from < size; from += some) {
        some = size - from < PACKER_PIECE ? size - from : PACKER_PIECE;
        if (hsp__tick(packer->ctx)) return hsp__stop_status(packer->ctx, err);
        const la_ssize_t count =
            packer->calls->write_data(packer->archive, (const char *)bytes + from, some);
        if (count < 0 || (size_t)count != some) return packer_fail(packer, err);
    }
    return HSP_OK;
}

hsp_status hsp__packer_finish(hsp__packer *packer, hsp_error *err)
{
    return packer->calls->write_close(packer->archive) == ARCHIVE_OK ? HSP_OK
                                                                     : packer_fail(packer, err);
}

void hsp__packer_free(hsp__packer *packer)
{
    if (!packer) return;
    hsp_allocator memory = packer->memory;
    if (packer->archive) {
        packer->discard = 1; /* closing writes what is left; only a clean close frees everything */
        packer->calls->write_free(packer->archive);
    }
    hsp__free(&memory, packer->name);
    hsp__free(&memory, packer);
}

#else

hsp_status hsp__unpacker_new(hsp_context *ctx, const char *packing, const char *name,
                             hsp__packed_read from, void *user, hsp_error *err, hsp__unpacker **out)
{
    (void)ctx, (void)from, (void)user, (void)out;
    return compress_unsupported(packing, name, err);
}

hsp_status hsp__unpacker_read(hsp__unpacker *unpacker, void *buffer, size_t want, hsp_error *err,
                              size_t *got)
{
    (void)unpacker, (void)buffer, (void)want, (void)got;
    return compress_unsupported("any", "", err);
}

void hsp__unpacker_free(hsp__unpacker *unpacker)
{
    (void)unpacker;
}

hsp_status hsp__packer_new(hsp_context *ctx, const char *packing, const char *name,
                           hsp__packed_write to, void *user, hsp_error *err, hsp__packer **out)
{
    (void)ctx, (void)to, (void)user, (void)out;
    return compress_unsupported(packing, name, err);
}

hsp_status hsp__packer_write(hsp__packer *packer, const void *bytes, size_t size, hsp_error *err)
{
    (void)packer, (void)bytes, (void)size;
    return compress_unsupported("any", "", err);
}

hsp_status hsp__packer_finish(hsp__packer *packer, hsp_error *err)
{
    (void)packer;
    return compress_unsupported("any", "", err);
}

void hsp__packer_free(hsp__packer *packer)
{
    (void)packer;
}

#endif
