#include "data/container.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/text.h"
#include "../check.h"

static hsp_context *ctx;
static char folder[] = "/tmp/halfspace-test-XXXXXX";
static char path[64];

/* ---- Files as bytes ---- */

static char *slurp(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *bytes = malloc(1 << 20);
    *size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    return bytes;
}

static void spill(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    if (file) fclose(file);
}

/* Open bytes that are exactly as long as they claim, and use everything there is. */
static hsp_status open_bytes(const char *bytes, size_t size, hsp_error *err)
{
    char *exact = hsp__new_raw(&ctx->allocator, size, 1);
    hsp__container *container = NULL;
    memcpy(exact, bytes, size);
    hsp_status status = hsp__container_memory(ctx, exact, size, "bytes.hsp", err, &container);
    if (!status) {
        hsp__container_verify(ctx, container, NULL);
        hsp__container_tensor(container, "big");
        hsp__container_meta(container, "note");
    }
    hsp__container_free(container);
    hsp__free(&ctx->allocator, exact);
    return status;
}

/* The header with the data behind it is refused with that message. */
static void refuse(const char *header, size_t data, const char *message)
{
    char bytes[4096] = {0};
    size_t size = strlen(header);
    hsp_error err = {0};
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)((uint64_t)size >> 8 * i);
    memcpy(bytes + 8, header, size);
    CHECK_NOTE(open_bytes(bytes, 8 + size + data, &err) == HSP_BAD_DATA, "%s", header);
    CHECK_NOTE(strstr(err.message, message), "%s: %s", header, err.message);
    CHECK_TEXT(err.file, "bytes.hsp");
}

static hsp_status accept(const char *header, size_t data)
{
    char bytes[4096] = {0};
    size_t size = strlen(header);
    hsp_error err = {0};
    bytes[0] = (char)(size & 255);
    bytes[1] = (char)(size >> 8);
    memcpy(bytes + 8, header, size);
    hsp_status status = open_bytes(bytes, 8 + size + data, &err);
    CHECK_NOTE(status == HSP_OK, "%s: %s", header, err.message);
    return status;
}

/* ---- A file with every type ---- */

static const uint8_t small[3] = {1, 2, 255};
static const uint32_t words[4] = {0, 1, 2, UINT32_MAX};
static const uint64_t longs[2] = {7, UINT64_MAX};
static const float floats[6] = {0.5f, -1, 2, 3, 4, 1e30f};
static const double doubles[3] = {0.1, -2, 1e300};

static const hsp__tensor all[] = {
    {"small", HSP__U8, 1, {3, 0}, small},   {"words", HSP__U32, 1, {4, 0}, words},
    {"big", HSP__U64, 1, {2, 0}, longs},    {"matrix", HSP__F32, 2, {2, 3}, floats},
    {"empty", HSP__F32, 2, {0, 5}, floats}, {"double \"q\"", HSP__F64, 2, {3, 1}, doubles},
    {"none", HSP__U8, 1, {0, 0}, small},
};
#define ALL (sizeof all / sizeof *all)

static const hsp__meta notes[] = {{"note", "a \"b\"\n\xC3\xA9"}, {"", "empty key"}};

static void write_all(void)
{
    hsp_error err = {0};
    CHECK_NOTE(hsp__container_write(ctx, path, notes, 2, all, ALL, &err) == HSP_OK, "%s",
               err.message);
}

static void check_all(const hsp__container *container)
{
    static const size_t sizes[] = {
        [HSP__U8] = 1, [HSP__U32] = 4, [HSP__U64] = 8, [HSP__F32] = 4, [HSP__F64] = 8};
    for (size_t i = 0; i < ALL; i++) {
        const hsp__tensor *got = hsp__container_tensor(container, all[i].name);
        CHECK_NOTE(got != NULL, "%s", all[i].name);
        if (!got) continue;
        size_t columns = all[i].dims == 2 ? (size_t)all[i].shape[1] : 1;
        CHECK(got->dtype == all[i].dtype && got->dims == all[i].dims);
        CHECK(got->shape[0] == all[i].shape[0] && got->shape[1] == all[i].shape[1]);
        CHECK(memcmp(got->data, all[i].data, all[i].shape[0] * columns * sizes[got->dtype]) == 0);
        CHECK((uintptr_t)got->data % sizes[got->dtype] == 0);
    }
    CHECK(!hsp__container_tensor(container, "nothing"));
    CHECK_TEXT(hsp__container_meta(container, "note"), notes[0].value);
    CHECK_TEXT(hsp__container_meta(container, ""), "empty key");
    CHECK(!hsp__container_meta(container, "nothing"));
}

static void test_round_trip(void)
{
    hsp__container *container = NULL;
    hsp_error err = {0};
    write_all();
    CHECK_NOTE(hsp__container_open(ctx, path, &err, &container) == HSP_OK, "%s", err.message);
    if (!container) return;
    check_all(container);
    CHECK_TEXT(hsp__container_name(container), path);
    CHECK_NOTE(hsp__container_verify(ctx, container, &err) == HSP_OK, "%s", err.message);
    char crc[16];
    snprintf(crc, sizeof crc, "%08x", (unsigned)hsp__crc32(0, floats, sizeof floats));
    CHECK_TEXT(hsp__container_meta(container, "crc32.matrix"), crc);
    CHECK_TEXT(hsp__container_meta(container, "crc32.empty"), "00000000");
    hsp__container_free(container);

    size_t size;
    char *bytes = slurp(path, &size);
    CHECK(hsp__container_looks_like(bytes, size));
    CHECK(hsp__container_memory(ctx, bytes, size, "memory", &err, &container) == HSP_OK);
    check_all(container);
    hsp__container_free(container);
    free(bytes);
}

static void test_nothing_inside(void)
{
    hsp__container *container = NULL;
    hsp_error err = {0};
    CHECK(hsp__container_write(ctx, path, NULL, 0, NULL, 0, &err) == HSP_OK);
    CHECK(hsp__container_open(ctx, path, &err, &container) == HSP_OK);
    CHECK(container && hsp__container_verify(ctx, container, &err) == HSP_OK);
    hsp__container_free(container);
    accept("{}", 0);
}

/* The first array starts on a multiple of 64 bytes; the same arrays make the same bytes. */
static void test_layout(void)
{
    size_t size, again_size;
    write_all();
    char *bytes = slurp(path, &size);
    hsp_context_set_threads(ctx, 1);
    write_all();
    hsp_context_set_threads(ctx, 0);
    char *again = slurp(path, &again_size);
    CHECK(size == again_size && memcmp(bytes, again, size) == 0);
    uint64_t header = 0;
    for (int i = 7; i >= 0; i--)
        header = header << 8 | (unsigned char)bytes[i];
    CHECK((8 + header) % 64 == 0 && bytes[7 + header] == ' ');
    CHECK(memcmp(bytes + 8 + header, longs, sizeof longs) == 0);
    CHECK(memcmp(bytes + size - sizeof small, small, sizeof small) == 0);
    free(bytes);
    free(again);
}

/* Parts and their joining: an array of several, against the plain checksum. */
static void test_large_array(void)
{
    const size_t size = ((size_t)5 << 20) + 13;
    unsigned char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * i >> 7);
    const hsp__tensor tensor = {"t", HSP__U8, 1, {size, 0}, bytes};
    hsp__container *container = NULL;
    hsp_error err = {0};
    CHECK(hsp__container_write(ctx, path, NULL, 0, &tensor, 1, &err) == HSP_OK);
    CHECK(hsp__container_open(ctx, path, &err, &container) == HSP_OK);
    char crc[16];
    snprintf(crc, sizeof crc, "%08x", (unsigned)hsp__crc32(0, bytes, size));
    CHECK_TEXT(hsp__container_meta(container, "crc32.t"), crc);
    CHECK(hsp__container_verify(ctx, container, &err) == HSP_OK);
    hsp__container_free(container);
    free(bytes);
}

static void test_every_truncation(void)
{
    size_t size;
    write_all();
    char *bytes = slurp(path, &size);
    for (size_t cut = 0; cut < size; cut++) {
        hsp_error err = {0};
        CHECK_NOTE(open_bytes(bytes, cut, &err) == HSP_BAD_DATA, "%zu bytes", cut);
        CHECK(err.message[0]);
    }
    free(bytes);
    /* and of the mapped file, where an empty one is a case of its own */
    bytes = slurp(path, &size);
    for (size_t cut = 0; cut < size; cut += cut < 9 ? 1 : 37) {
        hsp__container *container = NULL;
        hsp_error err = {0};
        spill(path, bytes, cut);
        CHECK(hsp__container_open(ctx, path, &err, &container) == HSP_BAD_DATA && !container);
        CHECK_TEXT(err.file, path);
    }
    free(bytes);
}

/* A changed byte of the header is refused or changes the message, and never crashes; a changed
 * byte of an array is found by its checksum. */
static void test_every_byte_corrupted(void)
{
    static const unsigned char flips[] = {0x01, 0x80, 0xFF, 0x20, 0x02};
    size_t size;
    write_all();
    char *bytes = slurp(path, &size);
    const size_t data =
        8 + (size_t)(unsigned char)bytes[0] + ((size_t)(unsigned char)bytes[1] << 8);
    for (size_t i = 0; i < data; i++)
        for (size_t k = 0; k < sizeof flips; k++) {
            hsp_error err = {0};
            bytes[i] = (char)(bytes[i] ^ (char)flips[k]);
            hsp_status status = open_bytes(bytes, size, &err);
            CHECK(status == HSP_OK || (status == HSP_BAD_DATA && err.message[0]));
            bytes[i] = (char)(bytes[i] ^ (char)flips[k]);
        }
    for (size_t i = data; i < size; i++) {
        hsp__container *container = NULL;
        hsp_error err = {0};
        bytes[i] ^= 0x10;
        CHECK(hsp__container_memory(ctx, bytes, size, "m", &err, &container) == HSP_OK);
        CHECK(hsp__container_verify(ctx, container, &err) == HSP_BAD_DATA);
        CHECK(strstr(err.message, "damaged"));
        hsp__container_free(container);
        bytes[i] ^= 0x10;
    }
    free(bytes);
}

#define T(name, dtype, shape, from, to)                                                            \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" from "," to "]" \
    "}"

static void test_hostile_headers(void)
{
    refuse("[]", 0, "does not start with '{'");
    refuse(" {}", 0, "does not start with '{'");
    refuse("{", 0, "not a binary file");
    refuse("{ ", 0, "the header of the binary file: found the end");
    refuse("{}x", 0, "expected the end of the text");
    refuse("{}", 1, "1 bytes follow the last array");
    refuse("{\"a\":1}", 0, "dtype");
    refuse("{\"a\":{}}", 0, "dtype");
    refuse("{" T("a", "F33", "[1]", "0", "4") "}", 4, "dtype");
    refuse("{" T("a", "F32", "1", "0", "4") "}", 4, "shape");
    refuse("{" T("a", "F32", "[-1]", "0", "4") "}", 4, "shape");
    refuse("{" T("a", "F32", "[1.0]", "0", "4") "}", 4, "shape");
    refuse("{" T("a", "F32", "[\"1\"]", "0", "4") "}", 4, "shape");
    refuse("{" T("a", "F32", "[18446744073709551616]", "0", "4") "}", 4, "shape");
    refuse("{" T("a", "F32", "[4294967296,4294967296]", "0", "0") "}", 0, "shape");
    refuse("{" T("a", "F32", "[4611686018427387904]", "0", "0") "}", 0, "does not fit");
    refuse("{" T("a", "F32", "[2]", "0", "4") "}", 4, "does not fit its 4 bytes");
    refuse("{" T("a", "F32", "[0]", "0", "4") "}", 4, "does not fit");
    refuse("{" T("a", "U8", "[8]", "0", "8") "}", 4, "bytes 0 to 8 of a file of 4");
    refuse("{" T("a", "U8", "[1]", "1", "0") "}", 4, "bytes 1 to 0");
    refuse("{" T("a", "U8", "[1]", "0", "1.0") "}", 4, "data_offsets");
    refuse("{" T("a", "U8", "[1]", "18446744073709551615", "0") "}", 4, "cut short");
    refuse("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]}}", 1, "data_offsets");
    refuse("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":{\"0\":0,\"1\":1}}}", 1,
           "data_offsets");
    refuse("{" T("a", "U8", "[2]", "0", "2") "," T("b", "U8", "[2]", "1", "3") "}", 3,
           "an overlap");
    refuse("{" T("a", "U8", "[2]", "0", "2") "," T("b", "U8", "[2]", "0", "2") "}", 2,
           "an overlap");
    refuse("{" T("a", "U8", "[1]", "0", "1") "," T("b", "U8", "[1]", "2", "3") "}", 3, "a gap");
    refuse("{" T("a", "U8", "[1]", "1", "2") "}", 2, "a gap");
    refuse("{" T("a", "U8", "[1]", "0", "1") "," T("a", "U8", "[1]", "1", "2") "}", 2,
           "found the key \"");
    refuse("{\"__metadata__\":[]}", 0, "not an object");
    refuse("{\"__metadata__\":{\"a\":1}}", 0, "is not text");
    refuse("{" T("a", "F32", "[1]", "0", "4") "}", 4, "multiple of 4 bytes");
}

/* What the format allows and we never write. */
static void test_foreign_files(void)
{
    accept("{" T("b", "U8", "[2]", "2", "4") "," T("a", "U8", "[2,1]", "0", "2") "}", 4);
    accept("{" T("a", "BF16", "[1,1,1]", "0", "2") "," T("s", "I8", "[]", "2", "3") "}", 3);
    accept("{" T("z", "I64", "[0,9,9,9]", "0", "0") "}     ", 0);
    accept("{\"a\":{\"shape\":[0],\"data_offsets\":[0,0],\"dtype\":\"U8\",\"more\":null}}", 0);
    hsp__container *container = NULL;
    hsp_error err = {0};
    const char foreign[] = "\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"I8\",\"shape\":[1],"
                           "\"data_offsets\":[0,1]}}                 x";
    CHECK(hsp__container_memory(ctx, foreign, 73, "f", &err, &container) == HSP_OK);
    CHECK(container && !hsp__container_tensor(container, "a"));
    CHECK(container && hsp__container_verify(ctx, container, &err) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "no checksum of the array \"a\""));
    hsp__container_free(container);
}

static void test_sizes_in_front(void)
{
    hsp_error err = {0};
    char bytes[64] = {0};
    memset(bytes, 0xFF, 8);
    memcpy(bytes + 8, "{}", 2);
    CHECK(open_bytes(bytes, 10, &err) == HSP_BAD_DATA && strstr(err.message, "not a binary file"));
    memcpy(bytes, "\x01\xE1\xF5\x05\0\0\0\0", 8); /* 100000001 */
    CHECK(open_bytes(bytes, 10, &err) == HSP_BAD_DATA && strstr(err.message, "not a binary file"));
    memcpy(bytes, "\x03\0\0\0\0\0\0\0", 8);
    CHECK(open_bytes(bytes, 10, &err) == HSP_BAD_DATA && strstr(err.message, "cut short"));
    CHECK(hsp__container_looks_like("\x02\0\0\0\0\0\0\0{}      ", 16));
    CHECK(!hsp__container_looks_like("\x02\0\0\0\0\0\0\0{}", 10));
    CHECK(!hsp__container_looks_like("+1 1:0.5 2:1\n-1 1:2\n", 20));
    CHECK(!hsp__container_looks_like("12345678{\"a\":1}  ", 17));
}

/* A header of arrays without end, all empty: no step of reading may be quadratic. */
static void test_many_arrays(void)
{
    const int count = 200000;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_add(&text, "\0\0\0\0\0\0\0\0", 8);
    for (int i = 0; i < count; i++)
        hsp__text_printf(&text, "%c\"%d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
                         i ? ',' : '{', i);
    hsp__text_puts(&text, "}");
    for (int i = 0; i < 8; i++)
        text.data[i] = (char)((text.size - 8) >> 8 * i & 255);
    hsp__container *container = NULL;
    hsp_error err = {0};
    CHECK(hsp__container_memory(ctx, text.data, text.size, "many", &err, &container) == HSP_OK);
    CHECK(container && hsp__container_tensor(container, "199999"));
    hsp__container_free(container);
    hsp__text_free(&text);
}

static void test_system_errors(void)
{
    hsp__container *container = NULL;
    hsp_error err = {0};
    CHECK(hsp__container_open(ctx, "/no/such/file.hsp", &err, &container) == HSP_IO);
    CHECK_TEXT(err.file, "/no/such/file.hsp");
    CHECK(hsp__container_open(ctx, folder, &err, &container) == HSP_USAGE);
    CHECK(hsp__container_write(ctx, "/no/such/file.hsp", notes, 2, all, ALL, &err) == HSP_IO);
    CHECK(!container);
}

static int cancel(void *user, const hsp_progress *progress)
{
    int *left = user;
    CHECK(progress->done <= progress->total);
    return (*left)-- <= 0;
}

/* Stopped at any report, nothing is left behind. */
static void test_cancelled(void)
{
    int reports = 0;
    unlink(path);
    for (; reports < 100; reports++) {
        hsp_error err = {0};
        int left = reports;
        hsp_context_set_progress(ctx, cancel, &left);
        hsp_status status = hsp__container_write(ctx, path, notes, 2, all, ALL, &err);
        hsp_context_set_progress(ctx, NULL, NULL);
        if (status == HSP_OK) break;
        CHECK(status == HSP_CANCELLED && access(path, F_OK) != 0);
    }
    CHECK(reports > 5 && reports < 100 && access(path, F_OK) == 0);
}

/* ---- The n-th allocation fails ---- */

static int left;

static void *failing_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    return left-- > 0 ? realloc(pointer, size) : NULL;
}

static void failing_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

static void test_no_memory(void)
{
    const hsp_allocator failing = {failing_reallocate, failing_release, NULL};
    hsp_context *poor = NULL;
    int n = 0, done = 0;
    left = 1;
    CHECK(hsp_context_new(&failing, &poor) == HSP_OK);
    for (; !done && n < 200; n++) {
        hsp__container *container = NULL;
        hsp_error err = {0};
        left = n;
        hsp_status status = hsp__container_write(poor, path, notes, 2, all, ALL, &err);
        if (!status) status = hsp__container_open(poor, path, &err, &container);
        if (!status) status = hsp__container_verify(poor, container, &err);
        done = status == HSP_OK;
        CHECK(done || status == HSP_NO_MEMORY);
        hsp__container_free(container);
    }
    CHECK(done && n > 10);
    hsp_context_free(poor);
}

int main(void)
{
    if (!mkdtemp(folder) || hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    snprintf(path, sizeof path, "%s/test.hsp", folder);
    RUN(test_round_trip);
    RUN(test_nothing_inside);
    RUN(test_layout);
    RUN(test_large_array);
    RUN(test_every_truncation);
    RUN(test_every_byte_corrupted);
    RUN(test_hostile_headers);
    RUN(test_foreign_files);
    RUN(test_sizes_in_front);
    RUN(test_many_arrays);
    RUN(test_system_errors);
    RUN(test_cancelled);
    RUN(test_no_memory);
    unlink(path);
    CHECK(rmdir(folder) == 0);
    hsp_context_free(ctx);
    return check_done();
}
