#include <unistd.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/container.h"
#include "data/data.h"
#include "data/formats.h"
#include "../check.h"

static hsp_context *ctx;
static char folder[] = "/tmp/halfspace-test-XXXXXX";
static char path[64];

/* Three rows and five columns: 1 . 2 . . | . . . . . | . -3.5 . . 4 */
static const uint64_t starts[] = {0, 2, 2, 4};
static const uint32_t indices[] = {0, 2, 1, 4};
static const uint32_t labels[] = {1, 0, 1};
static const float singles[] = {1, 2, -3.5f, 4};
static const double doubles[] = {1, 2, -3.5, 0.1};
static const float dense[] = {1, 0, 2, -1, -1, 0, 0, 0, -1, -1, 0, -3.5f, 0, -1, -1};
static const char *const classes[] = {"no", "yes, \"quoted\"\xC3\xA9"};
static const char *const features[] = {"a", "b\n", "c", "", "e"};

static hsp_data *make(hsp_view view, int labelled, int named)
{
    hsp_data *data = NULL;
    hsp_error err = {0};
    view.labels = labelled ? labels : NULL;
    view.classes = labelled ? 2 : 0;
    CHECK(hsp_view_check(ctx, &view, &err) == HSP_OK);
    CHECK_NOTE(hsp_data_copy(ctx, &view, labelled ? classes : NULL, named ? features : NULL, &err,
                             &data) == HSP_OK,
               "%s", err.message);
    return data;
}

static hsp_view sparse_view(void)
{
    return hsp_view_sparse(HSP_FLOAT32, 3, 5, 8, starts, indices, singles);
}

static char *slurp(size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 16);
    *size = file && bytes ? fread(bytes, 1, 1 << 16, file) : 0;
    if (file) fclose(file);
    return bytes;
}

static void check_same(hsp_data *a, hsp_data *b)
{
    const hsp_view *x = NULL, *y = NULL;
    hsp_error err = {0};
    CHECK(hsp_data_view(ctx, a, &err, &x) == HSP_OK);
    CHECK_NOTE(hsp_data_view(ctx, b, &err, &y) == HSP_OK, "%s", err.message);
    if (!x || !y) return;
    CHECK(x->storage == y->storage && x->precision == y->precision && x->rows == y->rows);
    CHECK(x->cols == y->cols && x->classes == y->classes && !x->labels == !y->labels);
    CHECK(hsp_data_nonzeros(a) == hsp_data_nonzeros(b));
    for (uint64_t i = 0; i < x->rows; i++) {
        hsp__row p = hsp__view_row(x, i), q = hsp__view_row(y, i);
        CHECK(p.count == q.count);
        for (uint64_t k = 0; k < p.count && k < q.count; k++)
            CHECK(hsp__row_column(&p, k) == hsp__row_column(&q, k) &&
                  hsp__row_value(x, &p, k) == hsp__row_value(y, &q, k));
        if (x->labels && y->labels) CHECK(x->labels[i] == y->labels[i]);
    }
    for (uint32_t c = 0; c < x->classes; c++)
        CHECK_TEXT(hsp_data_class_name(b, c), hsp_data_class_name(a, c));
    for (uint64_t j = 0; j < x->cols && j < 10; j++) {
        const char *name = hsp_data_feature_name(a, j), *back = hsp_data_feature_name(b, j);
        CHECK(!name == !back && (!name || strcmp(name, back) == 0));
    }
}

/* To a file and back, mapped and from memory at an odd address. */
static void round_trip(hsp_data *data)
{
    hsp_data *mapped = NULL, *copied = NULL;
    hsp_error err = {0};
    size_t size;
    CHECK_NOTE(hsp__cache_write(ctx, data, path, &err) == HSP_OK, "%s", err.message);
    CHECK_NOTE(hsp__cache_open(ctx, path, NULL, 0, &err, &mapped) == HSP_OK, "%s", err.message);
    if (mapped) {
        CHECK(mapped->mapped && !mapped->checked && !mapped->values && !mapped->indices);
        check_same(data, mapped);
        CHECK(mapped->checked && hsp_data_verify(ctx, mapped, &err) == HSP_OK);
    }
    char *bytes = slurp(&size), *odd = malloc(size + 1);
    memcpy(odd + 1, bytes, size);
    CHECK_NOTE(hsp__cache_open(ctx, "memory", odd + 1, size, &err, &copied) == HSP_OK, "%s",
               err.message);
    free(odd);
    free(bytes);
    if (copied) {
        CHECK(!copied->mapped);
        check_same(data, copied);
    }
    hsp_data_free(mapped);
    hsp_data_free(copied);
    hsp_data_free(data);
}

static void test_round_trips(void)
{
    round_trip(make(sparse_view(), 1, 1));
    round_trip(make(sparse_view(), 0, 0));
    round_trip(make(hsp_view_sparse(HSP_FLOAT64, 3, 5, 8, starts, indices, doubles), 1, 0));
    round_trip(make(hsp_view_sparse(HSP_FLOAT32, 3, 5, 8, starts, indices, NULL), 1, 1));
    round_trip(make(hsp_view_sparse(HSP_FLOAT64, 3, 5, 8, starts, indices, NULL), 1, 0));
    round_trip(make(hsp_view_dense(HSP_FLOAT32, 3, 3, 5, dense), 1, 0));
    round_trip(make(hsp_view_dense(HSP_FLOAT64, 2, 2, 2, doubles), 0, 1));
}

static void test_empty_shapes(void)
{
    round_trip(make(hsp_view_dense(HSP_FLOAT32, 0, 5, 5, dense), 1, 1));
    round_trip(make(hsp_view_dense(HSP_FLOAT32, 3, 0, 0, dense), 1, 0));
    round_trip(make(hsp_view_dense(HSP_FLOAT32, 3, 0, 0, dense), 0, 0));
    round_trip(make(hsp_view_sparse(HSP_FLOAT32, 0, (uint64_t)1 << 32, 8, starts, indices, singles),
                    0, 0));
    static const uint64_t no_entries[] = {0, 0, 0, 0};
    round_trip(make(hsp_view_sparse(HSP_FLOAT32, 3, 0, 8, no_entries, indices, NULL), 1, 0));
}

/* A data set whose rows have something between them. */
static void test_stride(void)
{
    hsp_data *data = hsp__data_new(&ctx->allocator), *back = NULL;
    hsp_error err = {0};
    data->values = hsp__new_raw(&ctx->allocator, 15, sizeof(float));
    memcpy(data->values, dense, sizeof dense);
    data->view = hsp_view_dense(HSP_FLOAT32, 3, 3, 5, data->values);
    hsp__data_seal(data);
    CHECK(hsp__cache_write(ctx, data, path, &err) == HSP_OK);
    CHECK(hsp__cache_open(ctx, path, NULL, 0, &err, &back) == HSP_OK);
    if (back) {
        CHECK(back->view.stride == 3);
        check_same(data, back);
        const hsp__tensor *values = hsp__container_tensor(back->mapped, "values");
        CHECK(values && values->dims == 2 && values->shape[0] == 3 && values->shape[1] == 3);
    }
    hsp_data_free(back);
    hsp_data_free(data);
}

/* What a CSV file was encoded with comes back word for word. */
static void test_encoding(void)
{
    const char csv[] = "colour,size,label\nred,1,a\n\"blue, \"\"dark\"\"\",2,b\nred,3,a\n";
    hsp_data *data = NULL, *back = NULL;
    hsp_error err = {0};
    char *before = NULL, *after = NULL;
    CHECK_NOTE(hsp_data_parse(ctx, csv, strlen(csv), "t.csv", NULL, NULL, &err, &data) == HSP_OK,
               "%s", err.message);
    CHECK(data && hsp_data_encoding(data));
    if (!data) return;
    CHECK_NOTE(hsp__cache_write(ctx, data, path, &err) == HSP_OK, "%s", err.message);
    CHECK_NOTE(hsp__cache_open(ctx, path, NULL, 0, &err, &back) == HSP_OK, "%s", err.message);
    if (back) {
        check_same(data, back);
        CHECK(hsp__encoding_to_json(data->encoding, &ctx->allocator, &err, &before) == HSP_OK);
        CHECK(back->encoding &&
              hsp__encoding_to_json(back->encoding, &ctx->allocator, &err, &after) == HSP_OK);
        CHECK(before && after && strcmp(before, after) == 0);
    }
    hsp__free(&ctx->allocator, before);
    hsp__free(&ctx->allocator, after);
    hsp_data_free(back);
    hsp_data_free(data);
}

static void test_names_not_utf8(void)
{
    hsp_data *data = make(sparse_view(), 1, 0);
    hsp_error err = {0};
    uint32_t number;
    CHECK(hsp__names_add(&data->class_names, "caf\xE9", 4, &number));
    unlink(path);
    CHECK(hsp__cache_write(ctx, data, path, &err) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "is not UTF-8") && access(path, F_OK) != 0);
    hsp_data_free(data);
}

/* ---- Files that are not sound ---- */

/* Replace `from` by `to`, equally long, in the written cache: the result fails with that message.
 */
static void refuse(const char *from, const char *to, const char *message)
{
    size_t size, length = strlen(from);
    char *bytes = slurp(&size), *place = NULL;
    hsp_data *data = NULL;
    hsp_error err = {0};
    for (size_t i = 0; !place && i + length <= size; i++)
        if (memcmp(bytes + i, from, length) == 0) place = bytes + i;
    CHECK_NOTE(place && strlen(to) == length, "%s", from);
    if (place) memcpy(place, to, length);
    CHECK_NOTE(hsp__cache_open(ctx, "c.hsp", bytes, size, &err, &data) == HSP_BAD_DATA, "%s", to);
    CHECK_NOTE(strstr(err.message, message), "%s: %s", to, err.message);
    CHECK_TEXT(err.file, "c.hsp");
    hsp_data_free(data);
    free(bytes);
}

static void test_refused(void)
{
    hsp_data *data = make(sparse_view(), 1, 1);
    hsp_error err = {0};
    CHECK(hsp__cache_write(ctx, data, path, &err) == HSP_OK);
    hsp_data_free(data);
    refuse("halfspace-data", "halfspace-date", "found a safetensors file of another program");
    refuse("\"format\"", "\"farmot\"", "found a safetensors file of another program");
    refuse("\"version\":\"1\"", "\"version\":\"2\"", "version '2'");
    refuse("sparse", "dense1", "storage 'dense1'");
    refuse("single", "double", "type and shape");
    refuse("\"rows\":\"3\"", "\"rows\":\"4\"", "\"starts\" is not of the type and shape");
    refuse("\"rows\":\"3\"", "\"rows\":\"x\"", "expected a whole number");
    refuse("\"cols\":\"5\"", "\"cols\":\"6\"", "5 feature names for 6 columns");
    refuse("\"nonzeros\":\"4\"", "\"nonzeros\":\"3\"", "\"indices\" is not of the type");
    refuse("\"indices\":{\"dtype\":\"U32\"", "\"indices\":{\"dtype\":\"F32\"", "type and shape");
    refuse("\"indices\":{", "\"indizes\":{", "no array \"indices\"");
    refuse("\"classes\":\"[", "\"classes\":\"{", "is not JSON");
    refuse("[\\\"no\\\",", "[77,    ", "item 1 of the metadata \"classes\"");
    refuse("[\\\"a\\\",", "[\\\"c\\\",", "'c' twice");
    refuse("\"crc32.labels\"", "\"crc32.lebals\"", "no checksum of the array \"labels\"");
    refuse("\"labels\":{", "\"lebals\":{", "no checksum of the array \"lebals\"");
}

/* The last start is what bounds the entries: a wrong one is found when the file is opened, before
 * any checksum is. */
static void test_wrong_ends(void)
{
    static const uint64_t long_starts[] = {0, 2, 2, 5};
    const hsp__meta meta[] = {{"format", "halfspace-data"},
                              {"version", "1"},
                              {"storage", "ones"},
                              {"precision", "single"},
                              {"rows", "3"},
                              {"cols", "5"},
                              {"nonzeros", "4"},
                              {"classes", "[]"}};
    hsp__tensor tensors[] = {{"starts", HSP__U64, 1, {4, 0}, long_starts},
                             {"indices", HSP__U32, 1, {4, 0}, indices}};
    hsp_data *data = NULL;
    hsp_error err = {0};
    CHECK(hsp__container_write(ctx, path, meta, 8, tensors, 2, &err) == HSP_OK);
    CHECK(hsp__cache_open(ctx, path, NULL, 0, &err, &data) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "goes from 0 to 5, expected 0 to 4"));
    tensors[0].data = starts;
    CHECK(hsp__container_write(ctx, path, meta, 8, tensors, 2, &err) == HSP_OK);
    CHECK(hsp__cache_open(ctx, path, NULL, 0, &err, &data) == HSP_OK);
    hsp_data_free(data);
}

/* Rows that cost no bytes. */
static void test_bare_rows(void)
{
    const hsp__meta meta[] = {{"format", "halfspace-data"},
                              {"version", "1"},
                              {"storage", "dense"},
                              {"precision", "single"},
                              {"rows", "1000000000000000000"},
                              {"cols", "0"},
                              {"nonzeros", "0"},
                              {"classes", "[]"}};
    const hsp__tensor tensor = {"values", HSP__F32, 2, {1000000000000000000, 0}, dense};
    hsp_data *data = NULL;
    hsp_error err = {0};
    CHECK(hsp__container_write(ctx, path, meta, 8, &tensor, 1, &err) == HSP_OK);
    CHECK(hsp__cache_open(ctx, path, NULL, 0, &err, &data) == HSP_BAD_DATA && !data);
    CHECK(strstr(err.message, "without columns and labels"));
}

/* Corrupt arrays of a mapped file are found by the first view, or by their checksum. */
static void test_corrupt_arrays(void)
{
    hsp_data *data = make(sparse_view(), 1, 0);
    hsp_error err = {0};
    size_t size, found = 0;
    CHECK(hsp__cache_write(ctx, data, path, &err) == HSP_OK);
    hsp_data_free(data);
    char *bytes = slurp(&size);
    const size_t arrays = sizeof starts + sizeof indices + sizeof singles + sizeof labels;
    for (size_t i = size - arrays; i < size; i++) {
        const hsp_view *view;
        FILE *file = fopen(path, "wb");
        bytes[i] ^= 0x40;
        CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
        bytes[i] ^= 0x40;
        data = NULL;
        hsp_status status = hsp__cache_open(ctx, path, NULL, 0, &err, &data);
        if (!status) {
            CHECK(hsp_data_verify(ctx, data, &err) == HSP_BAD_DATA);
            status = hsp_data_view(ctx, data, &err, &view);
        }
        CHECK(status == HSP_OK || status == HSP_BAD_DATA);
        found += status == HSP_BAD_DATA;
        hsp_data_free(data);
    }
    CHECK(found >= sizeof starts + sizeof indices + sizeof labels - sizeof starts / 2);
    free(bytes);
}

static void test_every_truncation(void)
{
    hsp_data *data = make(sparse_view(), 1, 1);
    hsp_error err = {0};
    size_t size;
    CHECK(hsp__cache_write(ctx, data, path, &err) == HSP_OK);
    hsp_data_free(data);
    char *bytes = slurp(&size);
    for (size_t cut = 0; cut < size; cut++) {
        char *exact = hsp__new_raw(&ctx->allocator, cut, 1);
        memcpy(exact, bytes, cut);
        data = NULL;
        CHECK(hsp__cache_open(ctx, "cut", exact, cut, &err, &data) == HSP_BAD_DATA && !data);
        hsp__free(&ctx->allocator, exact);
    }
    free(bytes);
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
    hsp_data *data = make(sparse_view(), 1, 1);
    hsp_context *poor = NULL;
    int n = 0, done = 0;
    left = 1;
    CHECK(hsp_context_new(&failing, &poor) == HSP_OK);
    for (; !done && n < 300; n++) {
        hsp_data *mapped = NULL, *copied = NULL;
        hsp_error err = {0};
        size_t size = 0;
        char *bytes = NULL;
        left = n;
        hsp_status status = hsp__cache_write(poor, data, path, &err);
        if (!status) status = hsp__cache_open(poor, path, NULL, 0, &err, &mapped);
        if (!status) {
            bytes = slurp(&size);
            status = hsp__cache_open(poor, "memory", bytes, size, &err, &copied);
        }
        done = status == HSP_OK;
        CHECK(done || status == HSP_NO_MEMORY);
        hsp_data_free(mapped);
        hsp_data_free(copied);
        free(bytes);
    }
    CHECK(done && n > 30);
    hsp_context_free(poor);
    hsp_data_free(data);
}

int main(void)
{
    if (!mkdtemp(folder) || hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    snprintf(path, sizeof path, "%s/test.hsp", folder);
    RUN(test_round_trips);
    RUN(test_empty_shapes);
    RUN(test_stride);
    RUN(test_encoding);
    RUN(test_names_not_utf8);
    RUN(test_refused);
    RUN(test_wrong_ends);
    RUN(test_bare_rows);
    RUN(test_corrupt_arrays);
    RUN(test_every_truncation);
    RUN(test_no_memory);
    unlink(path);
    CHECK(rmdir(folder) == 0);
    hsp_context_free(ctx);
    return check_done();
}
