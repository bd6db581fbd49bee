/* Writing and reading safetensors files. The header of a file that is read comes from a stranger:
 * every number in it is checked against the size of the file before it is used. */
#include "data/container.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/paging.h"
#include "base/text.h"
#include "data/output.h"

#define CONTAINER_HEADER_MAX 100000000 /* the limit of the format's own reader */
#define CONTAINER_ALIGNMENT  64        /* of the first array in the file */
#define CONTAINER_PREFIX     8         /* bytes that hold the header's size */
#define CONTAINER_CRC_TASKS  64        /* parts between two reports of progress */
#define CONTAINER_WRITE      ((size_t)4 << 20)

/* The element types of the format. Only the first five are of use here; arrays of the others are
 * checked, and ignored. */
static const struct {
    const char *name;
    size_t size;
} container_dtypes[] = {
    [HSP__U8] = {"U8", 1},
    [HSP__U32] = {"U32", 4},
    [HSP__U64] = {"U64", 8},
    [HSP__F32] = {"F32", 4},
    [HSP__F64] = {"F64", 8},
    {"BOOL", 1},
    {"I8", 1},
    {"F8_E5M2", 1},
    {"F8_E4M3", 1},
    {"F8_E8M0", 1},
    {"I16", 2},
    {"U16", 2},
    {"F16", 2},
    {"BF16", 2},
    {"I32", 4},
    {"I64", 8},
    {"C64", 8},
};
#define CONTAINER_DTYPES (sizeof container_dtypes / sizeof *container_dtypes)

/* An array of a file that is read. */
typedef struct container_entry {
    hsp__tensor tensor;
    int usable;          /* of a type and a shape that hsp__tensor can say */
    size_t element;      /* bytes */
    uint64_t begin, end; /* within the data section */
} container_entry;

struct hsp__container {
    hsp_allocator memory;
    char *name;
    const unsigned char *bytes; /* size: the whole file */
    uint64_t size;
    void *map;  /* of size bytes, or NULL: they are not of a file */
    void *copy; /* likewise, our own; neither: the bytes are borrowed */
    hsp__json *header;
    const hsp__json_value *meta; /* or NULL */
    container_entry *entries;    /* count, by ascending place in the file */
    size_t count;
};

static hsp_status container_check_host(hsp_error *err)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return hsp__fail(err, HSP_UNSUPPORTED, "binary files need a little-endian machine");
#else
    (void)err;
    return HSP_OK;
#endif
}

/* ---- Checksums ------------------------------------------------------------------------------- */

typedef struct container_crc {
    const unsigned char *bytes;
    uint64_t size, parts, first; /* first: the part of task 0 */
    uint32_t crc[CONTAINER_CRC_TASKS];
} container_crc;

static void container_crc_task(void *user, uint64_t task)
{
    container_crc *run = user;
    uint64_t from = hsp__part(run->size, run->parts, run->first + task);
    uint64_t to = hsp__part(run->size, run->parts, run->first + task + 1);
    run->crc[task] = hsp__crc32(0, run->bytes + from, (size_t)(to - from));
}

/* The CRC-32 of an array, by parts that depend on its size alone. */
static hsp_status container_checksum(hsp_context *ctx, const void *bytes, uint64_t size,
                                     hsp_error *err, uint32_t *out)
{
    container_crc run = {.bytes = bytes, .size = size, .parts = hsp__parts(size, 1)};
    uint32_t crc = 0;
    for (uint64_t tasks; run.first < run.parts; run.first += tasks) {
        tasks = run.parts - run.first;
        if (tasks > CONTAINER_CRC_TASKS) tasks = CONTAINER_CRC_TASKS;
        hsp__tasks_run(ctx, tasks, container_crc_task, &run);
        uint64_t from = hsp__part(size, run.parts, run.first), to = from;
        for (uint64_t t = 0; t < tasks; t++, from = to) {
            to = hsp__part(size, run.parts, run.first + t + 1);
            crc = hsp__crc32_combine(crc, run.crc[t], to - from);
        }
        HSP__TRY(hsp__progress(ctx, "computing checksums", "bytes", to, size, err));
    }
    *out = crc;
    return HSP_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static uint64_t container_tensor_bytes(const hsp__tensor *tensor)
{
    uint64_t count = tensor->shape[0] * (tensor->dims == 2 ? tensor->shape[1] : 1);
    return count * container_dtypes[tensor->dtype].size;
}

/* The tensors in the order of the file: 8-byte elements first, bytes last. */
static const hsp__tensor **container_order(hsp__scratch *scratch, const hsp__tensor *tensors,
                                           size_t count)
{
    const hsp__tensor **order = hsp__scratch_new(scratch, count, sizeof *order);
    for (size_t element = 8, n = 0; order && element; element /= 2)
        for (size_t i = 0; i < count; i++)
            if (container_dtypes[tensors[i].dtype].size == element) order[n++] = &tensors[i];
    return order;
}

static void container_put(hsp__text *text, const char *string)
{
    assert(hsp__json_is_utf8(string, strlen(string)));
    hsp__json_put_string(text, string, strlen(string));
}

/* ,"crc32.NAME":"CHECKSUM" */
static hsp_status container_put_crc(hsp_context *ctx, hsp__text *text, const hsp__tensor *tensor,
                                    hsp_error *err)
{
    uint32_t crc;
    HSP__TRY(container_checksum(ctx, tensor->data, container_tensor_bytes(tensor), err, &crc));
    hsp__text key;
    hsp__text_init(&key, &ctx->allocator);
    hsp__text_printf(&key, "crc32.%s", tensor->name);
    hsp__text_puts(text, ",");
    if (!key.failed) container_put(text, key.data);
    hsp__text_printf(text, ":\"%08x\"", (unsigned)crc);
    text->failed |= key.failed;
    hsp__text_free(&key);
    return HSP_OK;
}

/* The header, its size before it, spaces behind it; *total: the bytes of all tensors. */
static hsp_status container_make_header(hsp_context *ctx, const char *path, const hsp__meta *meta,
                                        size_t meta_count, const hsp__tensor *const *tensors,
                                        size_t tensor_count, hsp_error *err, hsp__text *text,
                                        uint64_t *total)
{
    hsp__text_add(text, "\0\0\0\0\0\0\0\0", CONTAINER_PREFIX);
    hsp__text_printf(text, "{\"__metadata__\":{\"written_by\":\"halfspace %s\"", hsp_version());
    for (size_t i = 0; i < meta_count; i++) {
        hsp__text_puts(text, ",");
        container_put(text, meta[i].key);
        hsp__text_puts(text, ":");
        container_put(text, meta[i].value);
    }
    for (size_t i = 0; i < tensor_count; i++)
        HSP__TRY(container_put_crc(ctx, text, tensors[i], err));
    hsp__text_puts(text, "}");
    for (size_t i = 0; i < tensor_count; i++) {
        const hsp__tensor *tensor = tensors[i];
        const unsigned long long from = *total, to = *total += container_tensor_bytes(tensor);
        hsp__text_puts(text, ",");
        container_put(text, tensor->name);
        hsp__text_printf(text, ":{\"dtype\":\"%s\",\"shape\":[%llu",
                         container_dtypes[tensor->dtype].name,
                         (unsigned long long)tensor->shape[0]);
        if (tensor->dims == 2)
            hsp__text_printf(text, ",%llu", (unsigned long long)tensor->shape[1]);
        hsp__text_printf(text, "],\"data_offsets\":[%llu,%llu]}", from, to);
    }
    hsp__text_puts(text, "}");
    while (!text->failed && text->size % CONTAINER_ALIGNMENT)
        hsp__text_puts(text, " ");
    if (text->failed) return hsp__fail_memory(err);
    uint64_t size = text->size - CONTAINER_PREFIX;
    if (size > CONTAINER_HEADER_MAX)
        return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                            "the names need a header of %llu bytes, and a binary file allows %d; "
                            "write the data as text",
                            (unsigned long long)size, CONTAINER_HEADER_MAX);
    for (int i = 0; i < CONTAINER_PREFIX; i++)
        text->data[i] = (char)(size >> 8 * i & 255);
    return HSP_OK;
}

hsp_status hsp__container_put(hsp_context *ctx, hsp__output *output, const char *path,
                              const hsp__meta *meta, size_t meta_count, const hsp__tensor *tensors,
                              size_t tensor_count, hsp_error *err)
{
    HSP__TRY(container_check_host(err));
    uint64_t total = 0, done = 0;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__text header;
    hsp__text_init(&header, &ctx->allocator);
    const hsp__tensor **order = container_order(&scratch, tensors, tensor_count);
    hsp_status status = order ? container_make_header(ctx, path, meta, meta_count, order,
                                                      tensor_count, err, &header, &total)
                              : hsp__fail_memory(err);
    if (!status) status = hsp__output_write(output, header.data, header.size, err);
    for (size_t i = 0; !status && i < tensor_count; i++) {
        const char *from = order[i]->data;
        for (uint64_t left = container_tensor_bytes(order[i]), now; !status && left; left -= now) {
            now = left < CONTAINER_WRITE ? left : CONTAINER_WRITE;
            status = hsp__output_write(output, from, (size_t)now, err);
            from += now;
            done += now;
            if (!status) status = hsp__progress(ctx, "writing", "bytes", done, total, err);
        }
    }
    hsp__text_free(&header);
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__container_write(hsp_context *ctx, const char *path, const hsp__meta *meta,
                                size_t meta_count, const hsp__tensor *tensors, size_t tensor_count,
                                hsp_error *err)
{
    hsp__output *output = NULL;
    HSP__TRY(hsp__output_open(ctx, path, err, &output));
    hsp_status status =
        hsp__container_put(ctx, output, path, meta, meta_count, tensors, tensor_count, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

#define container_fail(container, ...) \
    hsp__fail_at(err, HSP_BAD_DATA, (container)->name, 0, 0, __VA_ARGS__)

static uint64_t container_prefix(const unsigned char *bytes)
{
    uint64_t size = 0;
    for (int i = CONTAINER_PREFIX; i-- > 0;)
        size = size << 8 | bytes[i];
    return size;
}

int hsp__container_looks_like(const char *bytes, size_t size)
{
    if (size < 16 || bytes[8] != '{' || (bytes[9] != '"' && bytes[9] != '}' && bytes[9] != ' '))
        return 0;
    uint64_t header = container_prefix((const unsigned char *)bytes);
    return header >= 2 && header <= CONTAINER_HEADER_MAX;
}

/* The elements of a shape; 0 when it is not one or their number is not below 2^63. */
static int container_read_shape(container_entry *entry, const hsp__json_value *shape,
                                uint64_t *elements)
{
    size_t dims = hsp__json_count(shape);
    uint64_t size, product = 1, zero = 0;
    if (hsp__json_type_of(shape) != HSP__JSON_ARRAY) return 0;
    for (size_t i = 0; i < dims; i++) {
        if (!hsp__json_u64(hsp__json_at(shape, i), &size)) return 0;
        if (i < 2) entry->tensor.shape[i] = size;
        if (size == 0)
            zero = 1;
        else if (product > (UINT64_MAX >> 1) / size)
            return 0;
        else
            product *= size;
    }
    entry->tensor.dims = dims == 1 || dims == 2 ? (int)dims : 0;
    *elements = zero ? 0 : product;
    return 1;
}

/* One array's line of the header. `data`, `room`: where the data section starts, and its size. */
static hsp_status container_read_entry(const hsp__container *container, container_entry *entry,
                                       const hsp__json_value *info, uint64_t data, uint64_t room,
                                       hsp_error *err)
{
    const hsp__json_value *offsets = hsp__json_get(info, "data_offsets");
    const char *name = entry->tensor.name;
    char quoted[HSP__QUOTED];
    uint64_t elements;
    hsp__quote(name, strlen(name), quoted);
    const char *dtype = hsp__json_string(hsp__json_get(info, "dtype"), NULL);
    size_t type = 0;
    while (type < CONTAINER_DTYPES && !(dtype && strcmp(dtype, container_dtypes[type].name) == 0))
        type++;
    if (type == CONTAINER_DTYPES)
        return container_fail(container,
                              "the array \"%s\" has a dtype that the format does not have", quoted);
    entry->element = container_dtypes[type].size;
    if (type <= HSP__F64) entry->tensor.dtype = (hsp__dtype)type;
    if (!container_read_shape(entry, hsp__json_get(info, "shape"), &elements))
        return container_fail(container, "the array \"%s\" has no shape of whole numbers in range",
                              quoted);
    if (hsp__json_count(offsets) != 2 || hsp__json_type_of(offsets) != HSP__JSON_ARRAY ||
        !hsp__json_u64(hsp__json_at(offsets, 0), &entry->begin) ||
        !hsp__json_u64(hsp__json_at(offsets, 1), &entry->end))
        return container_fail(container, "the array \"%s\" has no data_offsets, two whole numbers",
                              quoted);
    if (entry->begin > entry->end || entry->end > room)
        return container_fail(container,
                              "the array \"%s\" is at bytes %llu to %llu of a file of %llu bytes: "
                              "the file was cut short, or damaged",
                              quoted, (unsigned long long)entry->begin,
                              (unsigned long long)entry->end, (unsigned long long)room);
    if (elements > room / entry->element || elements * entry->element != entry->end - entry->begin)
        return container_fail(container,
                              "the shape of the array \"%s\" does not fit its %llu bytes", quoted,
                              (unsigned long long)(entry->end - entry->begin));
    entry->usable = type <= HSP__F64 && entry->tensor.dims;
    if (entry->usable && (data + entry->begin) % entry->element)
        return container_fail(container,
                              "the array \"%s\" does not start on a multiple of %zu bytes", quoted,
                              entry->element);
    entry->tensor.data = container->bytes + data + entry->begin;
    return HSP_OK;
}

static int container_compare(const void *left, const void *right)
{
    const container_entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

static hsp_status container_read_entries(hsp__container *container, uint64_t data, hsp_error *err)
{
    const hsp__json_value *root = hsp__json_root(container->header);
    const uint64_t room = container->size - data;
    const size_t members = hsp__json_count(root);
    char quoted[HSP__QUOTED];
    container->entries = hsp__new(&container->memory, members, sizeof *container->entries);
    if (!container->entries) return hsp__fail_memory(err);
    for (size_t i = 0; i < members; i++) {
        const hsp__json_value *value = hsp__json_at(root, i);
        const char *name = hsp__json_key(root, i, NULL);
        if (strcmp(name, "__metadata__") != 0) {
            container_entry *entry = &container->entries[container->count++];
            entry->tensor.name = name;
            HSP__TRY(container_read_entry(container, entry, value, data, room, err));
            continue;
        }
        if (hsp__json_type_of(value) != HSP__JSON_OBJECT)
            return container_fail(container, "the header's __metadata__ is not an object");
        container->meta = value;
    }
    for (size_t i = 0; i < hsp__json_count(container->meta); i++) {
        size_t size;
        const char *key = hsp__json_key(container->meta, i, &size);
        if (!hsp__json_string(hsp__json_at(container->meta, i), NULL))
            return container_fail(container, "the metadata \"%s\" is not text",
                                  hsp__quote(key, size, quoted));
    }
    /* The arrays must fill the data section without gap or overlap. */
    uint64_t at = 0;
    qsort(container->entries, container->count, sizeof *container->entries, container_compare);
    for (size_t i = 0; i < container->count; i++) {
        const container_entry *entry = &container->entries[i];
        if (entry->begin != at)
            return container_fail(
                container, "there is %s before the array \"%s\"",
                entry->begin > at ? "a gap" : "an overlap",
                hsp__quote(entry->tensor.name, strlen(entry->tensor.name), quoted));
        at = entry->end;
    }
    if (at == room) return HSP_OK;
    return container_fail(container, "%llu bytes follow the last array, expected none",
                          (unsigned long long)(room - at));
}

static hsp_status container_read_header(hsp__container *container, hsp_error *err)
{
    if (container->size < CONTAINER_PREFIX)
        return container_fail(container, "found %llu bytes, too few for a binary file",
                              (unsigned long long)container->size);
    const char *text = (const char *)container->bytes + CONTAINER_PREFIX;
    uint64_t size = container_prefix(container->bytes);
    if (size < 2 || size > CONTAINER_HEADER_MAX)
        return container_fail(container, "this is not a binary file of halfspace (.hsp)");
    if (size > container->size - CONTAINER_PREFIX)
        return container_fail(
            container,
            "found a header of %llu bytes in a file of %llu: it was cut short, or "
            "damaged",
            (unsigned long long)size, (unsigned long long)container->size);
    if (text[0] != '{')
        return container_fail(container, "the header of the binary file does not start with '{'");
    hsp_status status = hsp__json_parse(&container->memory, text, (size_t)size, container->name,
                                        err, &container->header);
    if (!status) return container_read_entries(container, CONTAINER_PREFIX + size, err);
    if (status == HSP_BAD_DATA &&
        err) { /* a place in the header is of little use: what is it in? */
        char message[sizeof err->message];
        memcpy(message, err->message, sizeof message);
        snprintf(err->message, sizeof err->message, "the header of the binary file: %.400s",
                 message);
    }
    return status;
}

static hsp_status container_map(hsp__container *container, const char *path, hsp_error *err)
{
    struct stat info;
    hsp_status status = HSP_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return hsp__fail_errno(err, path, "cannot open");
    if (fstat(fd, &info))
        status = hsp__fail_errno(err, path, "cannot read");
    else if (!S_ISREG(info.st_mode))
        status =
            hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                         "not a regular file; binary files are mapped, and must be regular files");
    else if ((uint64_t)info.st_size > SIZE_MAX / 2)
        status = hsp__fail_at(err, HSP_UNSUPPORTED, path, 0, 0, "too large for this machine");
    else if (info.st_size > 0) {
        container->size = (uint64_t)info.st_size;
        container->map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (container->map == MAP_FAILED) {
            container->map = NULL;
            status = hsp__fail_errno(err, path, "cannot map");
        }
        container->bytes = container->map;
        if (container->map &&
            !hsp__paging_adopt(&container->memory, container->map, container->size, fd))
            status = hsp__fail_memory(err);
    }
    close(fd);
    return status;
}

/* `path`: a file to map; NULL: the bytes are these. */
static hsp_status container_open(hsp_context *ctx, const char *name, const char *path,
                                 const void *bytes, size_t size, hsp_error *err,
                                 hsp__container **out)
{
    HSP__TRY(container_check_host(err));
    hsp__container *container = hsp__new(&ctx->allocator, 1, sizeof *container);
    if (!container) return hsp__fail_memory(err);
    container->memory = ctx->allocator;
    container->name = hsp__copy_text(&ctx->allocator, name, strlen(name));
    container->bytes = bytes;
    container->size = size;
    hsp_status status = container->name ? HSP_OK : hsp__fail_memory(err);
    if (!status && path) status = container_map(container, path, err);
    if (!status) status = container_read_header(container, err);
    HSP__GIVE(status, container, hsp__container_free, out);
}

hsp_status hsp__container_open(hsp_context *ctx, const char *path, hsp_error *err,
                               hsp__container **out)
{
    return container_open(ctx, path, path, NULL, 0, err, out);
}

hsp_status hsp__container_memory(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                                 hsp_error *err, hsp__container **out)
{
    return container_open(ctx, name, NULL, bytes, size, err, out);
}

hsp_status hsp__container_copy(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                               hsp_error *err, hsp__container **out)
{
    void *copy = hsp__new_raw(&ctx->allocator, size, 1);
    if (!copy) return hsp__fail_memory(err);
    if (size) memcpy(copy, bytes, size);
    hsp__container *container = NULL;
    hsp_status status = container_open(ctx, name, NULL, copy, size, err, &container);
    if (status) {
        hsp__free(&ctx->allocator, copy);
        return status;
    }
    container->copy = copy;
    *out = container;
    return HSP_OK;
}

void hsp__container_free(hsp__container *container)
{
    if (!container) return;
    hsp_allocator memory = container->memory;
    if (container->map) hsp__paging_release(&memory, container->map);
    if (container->map) munmap(container->map, (size_t)container->size);
    hsp__json_free(container->header);
    hsp__free(&memory, container->entries);
    hsp__free(&memory, container->copy);
    hsp__free(&memory, container->name);
    hsp__free(&memory, container);
}

const char *hsp__container_name(const hsp__container *container)
{
    return container->name;
}

const char *hsp__container_meta(const hsp__container *container, const char *key)
{
    return hsp__json_string(hsp__json_get(container->meta, key), NULL);
}

const char *hsp__container_meta_at(const hsp__container *container, size_t i, const char **value)
{
    if (i >= hsp__json_count(container->meta)) return NULL;
    *value = hsp__json_string(hsp__json_at(container->meta, i), NULL);
    return hsp__json_key(container->meta, i, NULL);
}

const hsp__tensor *hsp__container_tensor(const hsp__container *container, const char *name)
{
    for (size_t i = 0; i < container->count; i++)
        if (container->entries[i].usable && strcmp(container->entries[i].tensor.name, name) == 0)
            return &container->entries[i].tensor;
    return NULL;
}

const hsp__tensor *hsp__container_tensor_at(const hsp__container *container, size_t i)
{
    return i < container->count ? &container->entries[i].tensor : NULL;
}

hsp_status hsp__container_verify(hsp_context *ctx, const hsp__container *container, hsp_error *err)
{
    for (size_t i = 0; i < container->count; i++) {
        const container_entry *entry = &container->entries[i];
        const char *name = entry->tensor.name;
        char quoted[HSP__QUOTED], found[16];
        uint32_t crc;
        hsp__text key;
        hsp__text_init(&key, &container->memory);
        hsp__text_printf(&key, "crc32.%s", name);
        const int failed = key.failed;
        const char *expected = failed ? NULL : hsp__container_meta(container, key.data);
        hsp__text_free(&key);
        if (failed) return hsp__fail_memory(err);
        hsp__quote(name, strlen(name), quoted);
        if (!expected)
            return container_fail(container, "there is no checksum of the array \"%s\"", quoted);
        HSP__TRY(container_checksum(ctx, entry->tensor.data, entry->end - entry->begin, err, &crc));
        snprintf(found, sizeof found, "%08x", (unsigned)crc);
        if (strcmp(found, expected) != 0)
            return container_fail(container,
                                  "the array \"%s\" has the checksum %s, the header says %.16s: "
                                  "the file is damaged",
                                  quoted, found, expected);
    }
    return HSP_OK;
}

/* ---- Metadata ----------------------------------------------------------------------------- */

hsp_status hsp__metadata_put_names(hsp__text *text, const hsp__names *names, const char *what,
                                   const char *path, hsp_error *err)
{
    hsp__text_puts(text, "[");
    for (uint32_t i = 0; i < names->count; i++) {
        const char *name = hsp__names_get(names, i);
        size_t size = hsp__names_size(names, i);
        char quoted[HSP__QUOTED];
        if (!hsp__json_is_utf8(name, size))
            return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                                "the %s name '%s' is not UTF-8, as names in binary files must be; "
                                "convert the text file first, for example with iconv",
                                what, hsp__quote(name, size, quoted));
        if (i) hsp__text_puts(text, ",");
        hsp__json_put_string(text, name, size);
    }
    hsp__text_puts(text, "]");
    return text->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* What a file of that format is, in words; NULL: nothing known. */
static const char *metadata_kind(const char *format)
{
    static const char *const kinds[][2] = {{"halfspace-data", "a data set"},
                                           {"halfspace-model", "a model"},
                                           {"halfspace-scaling", "the factors of a scaling"},
                                           {"halfspace-checkpoint", "a checkpoint"}};
    for (size_t i = 0; format && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i][0], format) == 0) return kinds[i][1];
    return NULL;
}

hsp_status hsp__metadata_format(const hsp__container *container, const char *format, hsp_error *err)
{
    const char *found = hsp__container_meta(container, "format");
    if (found && strcmp(found, format) == 0) return HSP_OK;
    const char *kind = metadata_kind(found);
    return container_fail(container, "found %s, expected %s",
                          kind ? kind : "a safetensors file of another program",
                          metadata_kind(format));
}

hsp_status hsp__metadata_word(const hsp__container *container, const char *key,
                              const char *const *words, int count, hsp_error *err, int *out)
{
    const char *found = hsp__container_meta(container, key);
    char quoted[HSP__QUOTED];
    for (int i = 0; found && i < count; i++)
        if (strcmp(found, words[i]) == 0) {
            *out = i;
            return HSP_OK;
        }
    if (!found) return container_fail(container, "the metadata lacks \"%s\"", key);
    return container_fail(container, "the metadata says %s '%s', which this version does not know",
                          key, hsp__quote(found, strlen(found), quoted));
}

hsp_status hsp__metadata_count(const hsp__container *container, const char *key, uint64_t most,
                               hsp_error *err, uint64_t *out)
{
    const char *found = hsp__container_meta(container, key);
    char quoted[HSP__QUOTED];
    if (!found) return container_fail(container, "the metadata lacks \"%s\"", key);
    const char *end = found + strlen(found);
    hsp__decimal_result result;
    if (hsp__decimal_u64(found, end, out, &result) != end || result != HSP__DECIMAL_OK ||
        *out > most)
        return container_fail(container,
                              "the metadata says %s '%s', expected a whole number up to %llu", key,
                              hsp__quote(found, strlen(found), quoted), (unsigned long long)most);
    return HSP_OK;
}

hsp_status hsp__metadata_names(const hsp__container *container, const char *key, hsp__names *names,
                               hsp_error *err)
{
    const char *text = hsp__container_meta(container, key);
    hsp__json *json = NULL;
    hsp_error inner = {0};
    if (!text) return HSP_OK;
    hsp_status status = hsp__json_parse(&names->memory, text, strlen(text), NULL, &inner, &json);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    if (status)
        return container_fail(container, "the metadata \"%s\" is not JSON: column %llu: %.400s",
                              key, (unsigned long long)inner.column, inner.message);
    const hsp__json_value *list = hsp__json_root(json);
    if (hsp__json_type_of(list) != HSP__JSON_ARRAY)
        status = container_fail(container, "the metadata \"%s\" is not a JSON array", key);
    for (size_t i = 0; !status && i < hsp__json_count(list); i++) {
        size_t size = 0;
        uint32_t number;
        const char *name = hsp__json_string(hsp__json_at(list, i), &size);
        char quoted[HSP__QUOTED];
        if (!name)
            status = container_fail(container, "item %zu of the metadata \"%s\" is not a string",
                                    i + 1, key);
        else if (hsp__names_find(names, name, size) != HSP__NAME_NONE)
            status = container_fail(container, "the metadata \"%s\" has '%s' twice", key,
                                    hsp__quote(name, size, quoted));
        else if (!hsp__names_add(names, name, size, &number))
            status = hsp__fail_memory(err);
    }
    hsp__json_free(json);
    return status;
}
