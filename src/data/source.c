#include "data/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "data/compress.h"
#include "data/provenance.h"

#define SOURCE_PEEK_MIN ((size_t)64 << 10)
#define SOURCE_UNPACK   ((size_t)1 << 20)

int hsp__source_is_pipe(const hsp__source *source)
{
    return source->fd >= 0 && source->start < 0;
}

/* Do bytes (or the end) come within this time? */
static int source_has_more(const hsp__source *source, int milliseconds)
{
    struct pollfd input = {source->fd, POLLIN, 0};
    return poll(&input, 1, milliseconds) > 0;
}

/* Wait for a pipe, and meanwhile ask whether to stop. */
static hsp_status source_wait(const hsp__source *source, hsp_error *err)
{
    while (!source_has_more(source, (int)(HSP__TICK_SECONDS * 1000)))
        if (hsp__tick(source->ctx)) return hsp__stop_status(source->ctx, err);
    return HSP_OK;
}

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
        if (hsp__source_is_pipe(source)) HSP__TRY(source_wait(source, err));
        if (want > source->end - source->position) want = (size_t)(source->end - source->position);
        do
            count = read(source->fd, buffer, want);
        while (count < 0 && errno == EINTR);
        if (count < 0) return hsp__fail_errno(err, source->part_names[source->part], "cannot read");
        *got = (size_t)count;
    }
    source->position += *got;
    return HSP_OK;
}

/* The next bytes, unpacked; exactly `want` unless the input ends, or is live. */
static hsp_status source_fill(hsp__source *source, char *buffer, size_t want, hsp_error *err,
                              size_t *got)
{
    *got = 0;
    while (*got < want) {
        size_t part = 0;
        if (source->stopped || (source->live && *got && !source_has_more(source, source->wait)))
            break;
        hsp_status status =
            source->unpacker
                ? hsp__unpacker_read(source->unpacker, buffer + *got, want - *got, err, &part)
                : source_raw(source, buffer + *got, want - *got, err, &part);
        source->stopped |= status == HSP_CANCELLED && source->partial && source->position;
        if (status && !source->stopped) return status;
        source->at_end = !part;
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
    /* plain text is known by its first byte: no more is waited for */
    HSP__TRY(source_look_ahead(source, 1, err));
    if (source->ahead_to && hsp__packing_begins(source->ahead[0]))
        HSP__TRY(source_look_ahead(source, sizeof source->head, err));
    const char *packing = hsp__packing_of(source->ahead, source->ahead_to);
    if (!packing) return HSP_OK;
    source->mappable = 0;
    memcpy(source->head, source->ahead, source->ahead_to);
    source->head_to = source->ahead_to;
    source->ahead_to = 0;
    return hsp__unpacker_new(ctx, packing, source->part_names[source->part], source_take, source,
                             err, &source->unpacker);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Open the part at hand. */
static hsp_status source_open_fd(hsp__source *source, hsp_error *err)
{
    struct stat info;
    const char *name = source->part_names[source->part];
    const int input = source->input == source->part;
    source->fd = input ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0 || fstat(source->fd, &info))
        return hsp__fail_errno(err, name, "cannot open");
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return hsp__fail_errno(err, name, "cannot read");
    }
    source->start = S_ISREG(info.st_mode) ? (int64_t)lseek(source->fd, 0, SEEK_CUR) : -1;
    return HSP_OK;
}

/* What all parts are together: a missing one is told before the first is read. */
static hsp_status source_survey(hsp__source *source, hsp_error *err)
{
    int files = 1, regular = 1;
    source->input = UINT32_MAX;
    for (uint32_t i = 0; i < source->parts; i++) {
        struct stat info;
        char *name = source->part_names[i];
        const int input = strcmp(name, "-") == 0;
        if (input && source->input != UINT32_MAX)
            return hsp__fail(err, HSP_USAGE, "standard input can be named once only");
        if (input ? fstat(STDIN_FILENO, &info) : stat(name, &info))
            return hsp__fail_errno(err, input ? "standard input" : name, "cannot open");
        if (input) {
            hsp__free(&source->memory, name);
            source->input = i;
            source->part_names[i] = hsp__copy_text(&source->memory, "standard input", 14);
            if (!source->part_names[i]) return hsp__fail_memory(err);
        }
        files &= !input;
        regular &= S_ISREG(info.st_mode);
        source->size += (uint64_t)info.st_size;
        source->part_at[i + 1] = source->size;
    }
    if (!regular) source->size = 0;
    source->rewinds = regular;
    source->again = files && regular;
    source->mappable = source->again && source->parts == 1;
    return HSP_OK;
}

/* The names in `path`, and the one that stands for all. */
static hsp_status source_name_parts(hsp__source *source, const char *path, const char *name,
                                    int several, hsp_error *err)
{
    const hsp_allocator *memory = &source->memory;
    const char *end, *from = path ? path : name;
    source->parts = 1;
    for (const char *p = from; several && (p = strchr(p, '\n')); p++)
        source->parts++;
    source->part_names = hsp__new(memory, source->parts, sizeof *source->part_names);
    source->part_at = hsp__new(memory, (uint64_t)source->parts + 1, sizeof *source->part_at);
    if (!source->part_names || !source->part_at) return hsp__fail_memory(err);
    for (uint32_t i = 0; i < source->parts; i++, from = end + 1) {
        end = several ? from + strcspn(from, "\n") : from + strlen(from);
        source->part_names[i] = hsp__copy_text(memory, from, (size_t)(end - from));
        if (!source->part_names[i]) return hsp__fail_memory(err);
    }
    if (path) HSP__TRY(source_survey(source, err));
    hsp__text text;
    hsp__text_init(&text, memory);
    hsp__text_puts(&text, source->part_names[0]);
    if (several)
        hsp__text_printf(&text, " and %u more file%s", source->parts - 1,
                         source->parts == 2 ? "" : "s");
    source->name = text.data;
    return text.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* `path` NULL: memory. */
static hsp_status source_new(hsp_context *ctx, const char *name, const char *path, int several,
                             const void *data, size_t size, hsp_error *err, hsp__source **out)
{
    hsp__source *source = hsp__new(&ctx->allocator, 1, sizeof *source);
    if (!source) return hsp__fail_memory(err);
    source->memory = ctx->allocator;
    source->ctx = ctx;
    source->fd = -1;
    source->end = UINT64_MAX;
    source->bytes = data;
    source->size = size;
    source->rewinds = !path;
    hsp_status status = source_name_parts(source, path, name, several, err);
    if (!status && path) status = source_open_fd(source, err);
    if (!status) status = source_detect_packing(ctx, source, err);
    if (status)
        hsp__source_free(source);
    else
        *out = source;
    return status;
}

hsp_status hsp__source_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__source **out)
{
    return source_new(ctx, NULL, path, 0, NULL, 0, err, out);
}

hsp_status hsp__source_open_files(hsp_context *ctx, const char *path, hsp_error *err,
                                  hsp__source **out)
{
    const int several = strchr(path, '\n') && access(path, F_OK) != 0;
    return source_new(ctx, NULL, path, several, NULL, 0, err, out);
}

hsp_status hsp__source_memory(hsp_context *ctx, const void *data, size_t size, const char *name,
                              hsp_error *err, hsp__source **out)
{
    return source_new(ctx, name, NULL, 0, data, size, err, out);
}

void hsp__source_free(hsp__source *source)
{
    if (!source) return;
    hsp_allocator memory = source->memory;
    hsp__packer_free(source->unpacker);
    if (source->fd >= 0) close(source->fd);
    hsp__free(&memory, source->ahead);
    for (uint32_t i = 0; source->part_names && i < source->parts; i++)
        hsp__free(&memory, source->part_names[i]);
    hsp__free(&memory, source->part_names);
    hsp__free(&memory, source->part_at);
    hsp__free(&memory, source->name);
    hsp__free(&memory, source);
}

hsp_status hsp__source_peek_line(hsp__source *source, size_t beyond, hsp_error *err,
                                 const char **bytes, size_t *size)
{
    for (;;) {
        const size_t have = source->ahead_to - source->ahead_from;
        const char *text = source->ahead + source->ahead_from, *end = NULL;
        size_t from = 0;
        while (from < have && memchr(" \t\r\n", text[from], 4))
            from++;
        if (from < beyond) from = beyond;
        if (have > from) end = memchr(text + from, '\n', have - from);
        *bytes = text;
        *size = end ? (size_t)(end + 1 - text) : have;
        if (end || source->at_end) return HSP_OK;
        size_t got;
        if (!hsp__reserve(&source->memory, &source->ahead, &source->ahead_room,
                          source->ahead_to + SOURCE_PEEK_MIN, 1))
            return hsp__fail_memory(err);
        HSP__TRY(source_fill(source, source->ahead + source->ahead_to, SOURCE_PEEK_MIN, err, &got));
        source->ahead_to += got;
    }
}

hsp_status hsp__source_peek(hsp__source *source, size_t want, hsp_error *err, const char **bytes,
                            size_t *size)
{
    if (source->live) {
        HSP__TRY(hsp__source_peek_line(source, 0, err, bytes, size));
    } else {
        if (want < SOURCE_PEEK_MIN) want = SOURCE_PEEK_MIN;
        HSP__TRY(source_look_ahead(source, want, err));
    }
    *bytes = source->ahead + source->ahead_from;
    *size = source->ahead_to - source->ahead_from;
    while (source->stopped && *size && (*bytes)[*size - 1] != '\n')
        --*size; /* whole lines */
    return source->stopped && !*size ? hsp__stop_status(source->ctx, err) : HSP_OK;
}

hsp_status hsp__source_read(hsp__source *source, void *buffer, size_t want, hsp_error *err,
                            size_t *got)
{
    size_t have = source->ahead_to - source->ahead_from, more = 0;
    if (have > want) have = want;
    if (have) memcpy(buffer, source->ahead + source->ahead_from, have);
    source->ahead_from += have;
    *got = have;
    if (source->live && have && !source_has_more(source, source->wait)) return HSP_OK;
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

/* Nothing of what was read so far counts any more. */
static hsp_status source_begin(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    hsp__packer_free(source->unpacker);
    source->unpacker = NULL;
    source->lines = 0;
    source->head_from = source->head_to = source->ahead_from = source->ahead_to = 0;
    return source_detect_packing(ctx, source, err);
}

/* Leave the part at hand for another one. */
static hsp_status source_turn(hsp__source *source, uint32_t part, hsp_error *err)
{
    close(source->fd);
    source->fd = -1;
    source->part = part;
    return source_open_fd(source, err);
}

hsp_status hsp__source_next(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    assert(source->part + 1 < source->parts);
    const uint64_t end = source->end;
    HSP__TRY(source_turn(source, source->part + 1, err));
    source->end = UINT64_MAX; /* the look at the beginning does not depend on the ranks */
    HSP__TRY(source_begin(ctx, source, err));
    if (source->begin) HSP__TRY(source->begin(source->begin_user, ctx, source, err));
    source->end = end;
    if (source->position > end) {
        source->ahead_to -= (size_t)(source->position - end);
        source->position = end;
    }
    return HSP_OK;
}

hsp_status hsp__source_rewind(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    if (source->part > 0) HSP__TRY(source_turn(source, 0, err));
    if (source->fd >= 0 && lseek(source->fd, (off_t)source->start, SEEK_SET) < 0)
        return hsp__fail_errno(err, source->part_names[source->part], "cannot read again");
    source->position = 0;
    source->end = UINT64_MAX;
    if (source->provenance) hsp__sha256_init(&source->provenance->sha);
    return source_begin(ctx, source, err);
}

/* ---- The shares of ranks --------------------------------------------------------------------- */

void hsp__source_share(hsp__source *source, const hsp_ranks *ranks, int own)
{
    source->ranks = ranks;
    source->own = own;
    if (own) return;
    source->size = source->part_at[source->parts];
    if (ranks) source->size = source->size / (uint64_t)ranks->count + 1;
}

int hsp__quotes_odd(const char *text, size_t size)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu, quotes = 0x2222222222222222u;
    uint64_t odd = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x;
        memcpy(&x, text + i, sizeof x);
        x ^= quotes;                           /* a quote becomes a zero byte ... */
        odd ^= ~(((x & low) + low) | x | low); /* ... and that one its top bit */
    }
    int inside = __builtin_parityll(odd);
    for (; i < size; i++)
        inside ^= text[i] == '"';
    return inside;
}

/* Bytes of the file from `from` on, up to SOURCE_UNPACK of them; 0 at its end. */
static hsp_status source_piece(const hsp__source *source, char *piece, uint64_t from,
                               hsp_error *err, size_t *got)
{
    ssize_t count;
    do
        count = pread(source->fd, piece, SOURCE_UNPACK, (off_t)from);
    while (count < 0 && errno == EINTR);
    if (count < 0) return hsp__fail_errno(err, source->name, "cannot read");
    *got = (size_t)count;
    return HSP_OK;
}

/* Are the quotes from..to-1 odd in number? */
static hsp_status source_count_quotes(const hsp__source *source, char *piece, uint64_t from,
                                      uint64_t to, hsp_error *err, int *odd)
{
    for (size_t got = 1; from < to && got; from += got) {
        HSP__TRY(source_piece(source, piece, from, err, &got));
        *odd ^= hsp__quotes_odd(piece, got < to - from ? got : (size_t)(to - from));
    }
    return HSP_OK;
}

/* Behind the first newline from `from` on that is not between quotes; or the end of the file. */
static hsp_status source_find_record(const hsp__source *source, char *piece, uint64_t from,
                                     int quoted, int inside, hsp_error *err, uint64_t *begin)
{
    for (size_t got = 1; got; from += got) {
        HSP__TRY(source_piece(source, piece, from, err, &got));
        for (size_t i = 0; i < got; i++) {
            inside ^= quoted && piece[i] == '"';
            if (piece[i] != '\n' || inside) continue;
            *begin = from + i + 1;
            return HSP_OK;
        }
    }
    *begin = source->part_at[source->part + 1] - source->part_at[source->part];
    return HSP_OK;
}

/* The part that has byte `at` of all. */
static uint32_t source_part_of(const hsp__source *source, uint64_t at)
{
    uint32_t part = 0;
    while (part + 1 < source->parts && source->part_at[part + 1] <= at)
        part++;
    return part;
}

/* Open a part; *records: where they begin among all bytes, behind its names. If these are wrong, the rank
 * that reads the part from its beginning will say so. */
static hsp_status source_open_part(hsp_context *ctx, hsp__source *source, uint32_t part,
                                   hsp_error *err, uint64_t *records)
{
    HSP__TRY(source_turn(source, part, err));
    if (!part) return HSP_OK; /* they are known */
    source->position = *records = source->part_at[part];
    if (source_begin(ctx, source, NULL)) return HSP_OK;
    if (source->begin && source->begin(source->begin_user, ctx, source, NULL)) return HSP_OK;
    *records = source->position - (source->ahead_to - source->ahead_from);
    return HSP_OK;
}

/* Go on at byte `at` of all, which begins a record or a part. */
static hsp_status source_go(hsp__source *source, uint64_t at, hsp_error *err)
{
    uint32_t part = source_part_of(source, at);
    while (part > 1 && source->part_at[part - 1] == at) /* empty files */
        part--;
    source->position = at;
    source->ahead_from = source->ahead_to = 0;
    source->first_part = part;
    source->begin_next = part > 0 && source->part_at[part] == at && at < source->end;
    HSP__TRY(source_turn(source, part - (uint32_t)source->begin_next, err));
    if (lseek(source->fd, (off_t)(at - source->part_at[part]), SEEK_SET) >= 0) return HSP_OK;
    return hsp__fail_errno(err, source->name, "cannot read");
}

hsp_status hsp__source_divide(hsp_context *ctx, hsp__source *source, int quoted, hsp_error *err)
{
    const hsp_ranks *ranks = source->ranks;
    const int count = ranks->count, rank = ranks->rank;
    const uint64_t first = source->position - (source->ahead_to - source->ahead_from);
    const uint64_t left = source->part_at[source->parts] - first;
    const uint64_t lines = source->lines; /* of the names in the first part */
    /* a record begins behind a newline: rank r looks for one from byte look[r] on, rank 0 has the first */
    uint64_t look[HSP__BLOCKS] = {0}, begin = first, begins[HSP__BLOCKS], records = first;
    uint32_t part[HSP__BLOCKS] = {0};
    int inside = 0, odd[HSP__BLOCKS] = {0};
    char *piece = hsp__new_raw(&source->memory, SOURCE_UNPACK, 1);
    hsp_status status = piece ? HSP_OK : hsp__fail_memory(err);
    for (int r = 0; r < count; r++) {
        const uint64_t share = hsp__part(left, (uint64_t)count, (uint64_t)r);
        look[r] = first + share - (share > 0);
        part[r] = source_part_of(source, look[r]);
    }
    if (!status && quoted && rank + 1 < count) {
        const uint64_t at = source->part_at[part[rank + 1]];
        status = source_open_part(ctx, source, part[rank + 1], err, &records);
        const uint64_t from = look[rank] > records ? look[rank] : records;
        if (!status && from < look[rank + 1])
            status =
                source_count_quotes(source, piece, from - at, look[rank + 1] - at, err, &inside);
    }
    hsp__ranks_gather(ranks, &inside, sizeof inside, odd);
    inside = 0;
    for (int r = 0; r < rank; r++)
        inside ^= part[r + 1] == part[rank] && odd[r];
    if (!status && rank) {
        const uint64_t at = source->part_at[part[rank]];
        records = first;
        status = source_open_part(ctx, source, part[rank], err, &records);
        begin = 0;
        if (!status && look[rank] >= records)
            status =
                source_find_record(source, piece, look[rank] - at, quoted, inside, err, &begin);
        begin += at;
    }
    hsp__ranks_gather(ranks, &begin, sizeof begin, begins);
    source->end = rank + 1 < count ? begins[rank + 1] : UINT64_MAX;
    source->lines_before = 0;
    if (!status) status = source_go(source, begin, err);
    source->lines = rank || source->first_part ? 0 : lines;
    hsp__free(&source->memory, piece);
    return hsp__ranks_agree(ranks, status, err);
}

int hsp__source_packed(const hsp__source *source)
{
    int packed = 0;
    for (uint32_t i = 0; !packed && i < source->parts; i++) {
        char head[sizeof source->head];
        const int fd = open(source->part_names[i], O_RDONLY | O_CLOEXEC);
        const ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof head);
        packed = got < 0 || hsp__packing_of(head, (size_t)got) != NULL;
        if (fd >= 0) close(fd);
    }
    return packed;
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
