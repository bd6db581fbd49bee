#include "data/compress.h"

#include "base/base.h"
#include "base/library.h"

static const struct {
    const char *packing, *ending, *magic;
    size_t magic_size;
} compress_kinds[] = {
    {"gzip", ".gz", "\x1f\x8b", 2},
    {"bzip2", ".bz2", "BZh", 3},
    {"xz", ".xz", "\xfd\x37zXZ\0", 6},
    {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4},
};

#define COMPRESS_KINDS (sizeof compress_kinds / sizeof *compress_kinds)

const char *hsp__packing_of(const char *bytes, size_t size)
{
    for (size_t i = 0; i < COMPRESS_KINDS; i++) {
        const size_t magic = compress_kinds[i].magic_size;
        if (size < magic || memcmp(bytes, compress_kinds[i].magic, magic) != 0) continue;
        /* "BZh" may begin a word: bzip2 goes on with a digit and one of two marks */
        if (strcmp(compress_kinds[i].packing, "bzip2") == 0 &&
            (size < 5 || bytes[3] < '1' || bytes[3] > '9' || (bytes[4] != '1' && bytes[4] != 0x17)))
            continue;
        return compress_kinds[i].packing;
    }
    return NULL;
}

int hsp__packing_begins(char first)
{
    for (size_t i = 0; i < COMPRESS_KINDS; i++)
        if (compress_kinds[i].magic[0] == first) return 1;
    return 0;
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
#define COMPRESS_PIECE  ((size_t)4 << 10) /* bytes between two ticks: some methods are slow */

struct hsp__packer {
    hsp_context *ctx;
    hsp_allocator memory;
    compress_calls calls[1];
    struct archive *archive;
    const char *packing;
    char *name;
    hsp__packed_read from; /* NULL: this one packs */
    hsp__packed_write to;
    void *user;
    int empty;         /* nothing is packed in there */
    int discard;       /* nobody wants the bytes any more */
    hsp_status status; /* what the stream below answered, when it failed */
    hsp_error error;
    char buffer[COMPRESS_BUFFER];
};

static la_ssize_t compress_take(struct archive *archive, void *user, const void **bytes)
{
    hsp__packer *packer = user;
    size_t got = 0;
    packer->status =
        packer->from(packer->user, packer->buffer, COMPRESS_BUFFER, &packer->error, &got);
    if (packer->status) packer->calls->set_error(archive, 5, "cannot read");
    *bytes = packer->buffer;
    return packer->status ? -1 : (la_ssize_t)got;
}

static la_ssize_t compress_give(struct archive *archive, void *user, const void *bytes, size_t size)
{
    hsp__packer *packer = user;
    if (!packer->discard) packer->status = packer->to(packer->user, bytes, size, &packer->error);
    if (packer->status) packer->calls->set_error(archive, 5, "cannot write");
    return packer->status ? -1 : (la_ssize_t)size;
}

static hsp_status compress_fail(hsp__packer *packer, hsp_error *err)
{
    if (packer->status) {
        if (err) *err = packer->error;
        return packer->status;
    }
    const char *reason = packer->calls->error_string(packer->archive);
    if (!reason) reason = "no reason given";
    if (!packer->from)
        return hsp__fail_at(err, HSP_IO, packer->name, 0, 0, "cannot compress (%s)", reason);
    return hsp__fail_at(err, HSP_BAD_DATA, packer->name, 0, 0, "damaged or truncated %s data (%s)",
                        packer->packing, reason);
}

/* The stream, before anything is read or written; the caller frees it, also after a failure. */
static hsp_status compress_new(hsp_context *ctx, const char *packing, const char *name, void *user,
                               int packs, hsp_error *err, hsp__packer **out)
{
    hsp__packer *packer = *out = hsp__new(&ctx->allocator, 1, sizeof *packer);
    if (!packer) return hsp__fail_memory(err);
    packer->ctx = ctx;
    packer->memory = ctx->allocator;
    packer->packing = packing;
    packer->user = user;
    HSP__TRY(compress_load(packer->calls, packing, name, err));
    packer->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    packer->archive = packs ? packer->calls->write_new() : packer->calls->read_new();
    return packer->name && packer->archive ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status compress_open(hsp__packer *packer, hsp_error *err)
{
    const compress_calls *calls = packer->calls;
    struct archive *archive = packer->archive;
    struct archive_entry *entry;
    /* This packing and no other: the library knows some that run programs, or look inside again. */
    if (strcmp(packer->packing, "gzip") == 0) calls->read_support_filter_gzip(archive);
    if (strcmp(packer->packing, "bzip2") == 0) calls->read_support_filter_bzip2(archive);
    if (strcmp(packer->packing, "xz") == 0) calls->read_support_filter_xz(archive);
    if (strcmp(packer->packing, "zstd") == 0) calls->read_support_filter_zstd(archive);
    /* The raw format takes any stream as one entry; an empty one has none. */
    calls->read_support_format_raw(archive);
    calls->read_support_format_empty(archive);
    if (calls->read_open(archive, packer, NULL, compress_take, NULL))
        return compress_fail(packer, err);
    /* Too short to be recognised, a stream would pass through as it is. */
    const int found = calls->read_next_header(archive, &entry);
    packer->empty = found == ARCHIVE_EOF;
    const int plain = calls->filter_code(archive, 0) == ARCHIVE_FILTER_NONE;
    return (found == ARCHIVE_OK || packer->empty) && !plain ? HSP_OK : compress_fail(packer, err);
}

hsp_status hsp__unpacker_new(hsp_context *ctx, const char *packing, const char *name,
                             hsp__packed_read from, void *user, hsp_error *err, hsp__packer **out)
{
    hsp__packer *packer = NULL;
    hsp_status status = compress_new(ctx, packing, name, user, 0, err, &packer);
    if (packer) packer->from = from;
    if (!status) status = compress_open(packer, err);
    HSP__GIVE(status, packer, hsp__packer_free, out);
}

hsp_status hsp__unpacker_read(hsp__packer *packer, void *buffer, size_t want, hsp_error *err,
                              size_t *got)
{
    la_ssize_t count = packer->empty ? 0 : packer->calls->read_data(packer->archive, buffer, want);
    if (count < 0) return compress_fail(packer, err);
    *got = (size_t)count;
    return HSP_OK;
}

/* One raw entry without a name; its size need not be known. */
static int compress_start(hsp__packer *packer)
{
    const compress_calls *calls = packer->calls;
    struct archive *archive = packer->archive;
    struct archive_entry *entry = calls->entry_new();
    if (!entry) return 0;
    calls->entry_set_filetype(entry, AE_IFREG);
    /* The same rows are the same bytes tomorrow: no time in them. */
    const char *options = strcmp(packer->packing, "gzip") == 0 ? "gzip:!timestamp" : NULL;
    int started = calls->write_add_filter_by_name(archive, packer->packing) == ARCHIVE_OK &&
                  calls->write_set_options(archive, options) == ARCHIVE_OK &&
                  calls->write_set_format_raw(archive) == ARCHIVE_OK &&
                  calls->write_set_bytes_per_block(archive, 0) == ARCHIVE_OK &&
                  calls->write_open(archive, packer, NULL, compress_give, NULL) == ARCHIVE_OK &&
                  calls->write_header(archive, entry) == ARCHIVE_OK;
    calls->entry_free(entry);
    return started;
}

hsp_status hsp__packer_new(hsp_context *ctx, const char *packing, const char *name,
                           hsp__packed_write to, void *user, hsp_error *err, hsp__packer **out)
{
    hsp__packer *packer = NULL;
    hsp_status status = compress_new(ctx, packing, name, user, 1, err, &packer);
    if (packer) packer->to = to;
    if (!status && !compress_start(packer)) status = compress_fail(packer, err);
    HSP__GIVE(status, packer, hsp__packer_free, out);
}

hsp_status hsp__packer_write(hsp__packer *packer, const void *bytes, size_t size, hsp_error *err)
{
    for (size_t from = 0, some; from < size; from += some) {
        some = size - from < COMPRESS_PIECE ? size - from : COMPRESS_PIECE;
        if (hsp__tick(packer->ctx)) return hsp__stop_status(packer->ctx, err);
        const la_ssize_t count =
            packer->calls->write_data(packer->archive, (const char *)bytes + from, some);
        if (count < 0 || (size_t)count != some) return compress_fail(packer, err);
    }
    return HSP_OK;
}

hsp_status hsp__packer_finish(hsp__packer *packer, hsp_error *err)
{
    return packer->calls->write_close(packer->archive) == ARCHIVE_OK ? HSP_OK
                                                                     : compress_fail(packer, err);
}

void hsp__packer_free(hsp__packer *packer)
{
    if (!packer) return;
    hsp_allocator memory = packer->memory;
    packer->discard = 1; /* closing writes what is left; only a clean close frees everything */
    packer->status = HSP_OK;
    if (packer->archive && packer->from) packer->calls->read_free(packer->archive);
    if (packer->archive && !packer->from) packer->calls->write_free(packer->archive);
    hsp__free(&memory, packer->name);
    hsp__free(&memory, packer);
}

#else

hsp_status hsp__unpacker_new(hsp_context *ctx, const char *packing, const char *name,
                             hsp__packed_read from, void *user, hsp_error *err, hsp__packer **out)
{
    (void)ctx, (void)from, (void)user, (void)out;
    return compress_unsupported(packing, name, err);
}

hsp_status hsp__unpacker_read(hsp__packer *packer, void *buffer, size_t want, hsp_error *err,
                              size_t *got)
{
    (void)packer, (void)buffer, (void)want, (void)got;
    return compress_unsupported("any", "", err);
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
