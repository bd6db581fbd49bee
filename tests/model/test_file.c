/* Models as files: they come back to the bit, and what is not a whole model is an error. */
#include "base/checksum.h"
#include "model/helpers.h"

/* ---- There and back -------------------------------------------------------------------------- */

static int same_numbers(const void *a, const void *b, uint64_t count, size_t size)
{
    return !count || memcmp(a, b, count * size) == 0;
}

static int same_names(const hsp__names *a, const hsp__names *b)
{
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(hsp__names_get(a, i), hsp__names_get(b, i)) != 0) return 0;
    return 1;
}

static int same_votes(const hsp__votes *a, const hsp__votes *b)
{
    return test_same(a->rows, b->rows, 1) && a->updates == b->updates && a->steps == b->steps &&
           a->at_zero == b->at_zero && same_numbers(a->support, b->support, a->updates, 4) &&
           same_numbers(a->scorer, b->scorer, a->updates, 4) &&
           same_numbers(a->amount, b->amount, a->updates, 8) &&
           same_numbers(a->offset, b->offset, a->updates, 8) &&
           same_numbers(a->first, b->first, a->steps + 1, 8) &&
           same_numbers(a->survived, b->survived, a->steps, 8);
}

static int same_scaling(const hsp_scaling *a, const hsp_scaling *b)
{
    if (!a || !b) return !a && !b;
    hsp__scaling_parts u = hsp__scaling_look(a), v = hsp__scaling_look(b);
    return strcmp(u.kind, v.kind) == 0 && u.low == v.low && u.high == v.high && u.cols == v.cols &&
           same_numbers(u.shift, v.shift, u.cols, 8) && same_numbers(u.factor, v.factor, u.cols, 8);
}

static int same_facts(const hsp_model *a, const hsp_model *b)
{
    const char *name;
    if (!same_names(&a->metadata_names, &b->metadata_names)) return 0;
    for (size_t i = 0; (name = hsp_model_metadata_name(a, i)); i++)
        if (strcmp(hsp_model_metadata(a, name), hsp_model_metadata(b, name)) != 0) return 0;
    return 1;
}

static int same_models(const hsp_model *a, const hsp_model *b)
{
    hsp_row_coefficients u = hsp_model_row_coefficients(a), v = hsp_model_row_coefficients(b);
    if (a->hypothesis != b->hypothesis || a->scorers != b->scorers || a->features != b->features ||
        a->tie != b->tie || a->order != b->order || a->constant != b->constant ||
        a->rest != b->rest || a->leaves_out != b->leaves_out || a->pairs != b->pairs ||
        u.count != v.count)
        return 0;
    return same_numbers(a->weights, b->weights, a->scorers * a->features, 8) &&
           same_numbers(a->offsets, b->offsets, a->scorers, 8) &&
           same_names(&a->class_names, &b->class_names) &&
           same_names(&a->feature_names, &b->feature_names) && same_facts(a, b) &&
           same_numbers(u.row, v.row, u.count, 8) && same_numbers(u.scorer, v.scorer, u.count, 4) &&
           same_numbers(u.amount, v.amount, u.count, 8) &&
           same_scaling(a->scalings[0], b->scalings[0]) &&
           same_scaling(a->scalings[1], b->scalings[1]) &&
           (a->hypothesis == HSP__LINEAR || same_votes(a->votes, b->votes));
}

static void same_scores(hsp_context *ctx, const hsp_model *a, const hsp_model *b,
                        hsp__random *random)
{
    enum { ROWS = 30 };
    double s[ROWS * 4], t[ROWS * 4];
    uint32_t c[ROWS], d[ROWS];
    hsp_data *rows =
        test_rows(ctx, random, ROWS, a->features, (hsp_storage)hsp__random_below(random, 3));
    CHECK(hsp_model_score(ctx, a, &rows->view, NULL, s, c) == HSP_OK);
    CHECK(hsp_model_score(ctx, b, &rows->view, NULL, t, d) == HSP_OK);
    CHECK(memcmp(s, t, ROWS * a->scorers * sizeof *s) == 0);
    CHECK(memcmp(c, d, sizeof c) == 0);
    hsp_data_free(rows);
}

static void models_come_back(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("back.model");
    for (uint64_t seed = 0; seed < 400; seed++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL;
        hsp__random_seed(&random, 1, seed);
        hsp_model *model = test_any_model(ctx, &random);
        for (uint64_t i = 0; i < model->features; i++)
            model->weights[i] = hsp__random_normal(&random);
        CHECK_NOTE(hsp_model_write(ctx, model, path, &err) == HSP_OK, "%s", err.message);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        if (back) {
            CHECK_NOTE(same_models(model, back), "seed %llu", (unsigned long long)seed);
            same_scores(ctx, model, back, &random);
        }
        hsp_model_free(back);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

static void an_encoding_comes_back(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("encoding.model");
    hsp__random random;
    hsp_model *back = NULL;
    hsp_data *data = test_parse(ctx, "a,b,y\n1,red,no\n2,blue,yes\n", NULL, NULL);
    hsp__random_seed(&random, 2, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 3);
    model->encoding = data->encoding;
    data->encoding = NULL;
    hsp_data_free(data);
    data = NULL;
    CHECK(hsp_model_write(ctx, model, path, NULL) == HSP_OK);
    CHECK(hsp_model_read(ctx, path, NULL, &back) == HSP_OK);
    CHECK(hsp_model_encoding(back) != NULL);
    CHECK(hsp_data_parse(ctx, "a,b\n3,blue\n", 11, "t", NULL, hsp_model_encoding(back), NULL,
                         &data) == HSP_OK);
    hsp_model_free(back);
    hsp_model_free(model);
    hsp_data_free(data);
    unlink(path);
    hsp_context_free(ctx);
}

/* ---- Not whole ------------------------------------------------------------------------------- */

/* The bytes of one model file. */
static char *model_bytes(hsp_context *ctx, uint64_t seed, size_t *size)
{
    const char *path = test_path("bytes.model");
    hsp__random random;
    hsp__random_seed(&random, 3, seed);
    hsp_model *model = test_any_model(ctx, &random);
    if (hsp_model_write(ctx, model, path, NULL)) abort();
    hsp_model_free(model);
    char *bytes = test_read_file(path, size);
    unlink(path);
    return bytes;
}

static int refuses(hsp_context *ctx, const void *bytes, size_t size)
{
    hsp_error err = {0};
    hsp_model *model = NULL;
    hsp_status status = hsp__model_parse(ctx, bytes, size, "test", 1, &err, &model);
    hsp_model_free(model);
    return status == HSP_BAD_DATA && err.message[0] && err.file[0];
}

static void every_truncation_is_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 4; seed++) {
        size_t size;
        char *bytes = model_bytes(ctx, seed, &size);
        for (size_t cut = 0; cut < size; cut++) {
            char *part = malloc(cut ? cut : 1); /* of its own, so that a sanitizer sees its end */
            memcpy(part, bytes, cut);
            CHECK_NOTE(refuses(ctx, part, cut), "cut to %zu of %zu bytes", cut, size);
            free(part);
        }
        free(bytes);
    }
    hsp_context_free(ctx);
}

/* A changed byte of an array is caught by its checksum. One of the header may be harmless (a fact
 * of another value), but must not be harmful: what is accepted can be scored. */
static void every_changed_byte_is_refused_or_harmless(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 6; seed++) {
        size_t size;
        uint64_t header;
        char *bytes = model_bytes(ctx, seed, &size);
        memcpy(&header, bytes, sizeof header);
        for (size_t at = 0; at < size; at++)
            for (int bit = 0; bit < 8; bit++) {
                bytes[at] = (char)(bytes[at] ^ (1 << bit));
                hsp_error err = {0};
                hsp_model *model = NULL;
                hsp_status status = hsp__model_parse(ctx, bytes, size, "test", 1, &err, &model);
                CHECK(status == HSP_OK || (status == HSP_BAD_DATA && err.message[0]));
                if (at >= 8 + header) CHECK(status == HSP_BAD_DATA);
                if (model) {
                    hsp__random random;
                    hsp__random_seed(&random, 4, at);
                    same_scores(ctx, model, model, &random);
                }
                hsp_model_free(model);
                bytes[at] = (char)(bytes[at] ^ (1 << bit));
            }
        free(bytes);
    }
    hsp_context_free(ctx);
}

/* Models that are inconsistent inside: neither written nor read. */
typedef void (*spoil_fn)(hsp_model *model);

static void spoil_weight(hsp_model *model)
{
    model->weights[0] = (double)INFINITY;
}
static void spoil_offset(hsp_model *model)
{
    model->offsets[0] = (double)NAN;
}
static void spoil_support(hsp_model *model)
{
    model->votes->support[0] = 1000;
}
static void spoil_scorer(hsp_model *model)
{
    model->votes->scorer[0] = 1;
}
static void spoil_amount(hsp_model *model)
{
    model->votes->amount[0] = (double)NAN;
}
static void spoil_first(hsp_model *model)
{
    model->votes->first[1] = 3;
}
static void spoil_last(hsp_model *model)
{
    model->votes->first[2] = 1;
}
static void spoil_classes(hsp_model *model)
{
    test_name(&model->class_names, "third");
}
static void spoil_names(hsp_model *model)
{
    test_name(&model->feature_names, "lonely");
}
static void spoil_scaling(hsp_model *model)
{
    model->features--;
}

static void inconsistent_models_are_refused(void)
{
    static const spoil_fn spoils[] = {spoil_weight, spoil_offset, spoil_support, spoil_scorer,
                                      spoil_amount, spoil_first,  spoil_last,    spoil_classes,
                                      spoil_names,  spoil_scaling};
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        hsp__random random;
        hsp_model *model = NULL;
        hsp_error err = {0};
        do { /* until there are two steps to spoil */
            hsp_model_free(model);
            static uint64_t seed;
            hsp__random_seed(&random, 5, seed++);
            model = test_linear(ctx, &random, 2, 4);
            test_add_votes(ctx, &random, model, HSP_SPARSE);
        } while (model->votes->steps != 2);
        model->scalings[0] = test_scaling(ctx, &random, "max-abs", 4);
        CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_OK);
        spoils[i](model);
        CHECK_NOTE(hsp__model_check(ctx, model, NULL, &err) == HSP_BAD_DATA, "spoil %zu", i);
        CHECK(hsp_model_write(ctx, model, "/tmp/never-written", &err) == HSP_BAD_DATA);
        hsp_model_free(model);
    }
    CHECK(access("/tmp/never-written", F_OK) != 0);
    hsp_context_free(ctx);
}

typedef struct packed {
    char bytes[1 << 16];
    size_t size, most;
} packed;

static int packed_take(void *user, const void *bytes, size_t size)
{
    packed *to = user;
    if (to->size + size > to->most) return 1;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return 0;
}

/* In memory a model has the bytes of its file; a reader that has enough ends the writing. */
static void packed_models_are_files(void)
{
    static packed all, few, file;
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    hsp_model *model = NULL, *back = NULL;
    hsp__random random = {0};
    hsp__random_seed(&random, 5, 0);
    model = test_linear(ctx, &random, 3, 4);
    const char *path = test_path("packed.hsp");
    all.most = file.most = sizeof all.bytes;
    few.most = 100;
    CHECK(hsp_model_write(ctx, model, path, &err) == HSP_OK);
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL);
    if (stream) file.size = fread(file.bytes, 1, file.most, stream), fclose(stream);
    CHECK(hsp_model_pack(ctx, model, packed_take, &all, &err) == HSP_OK);
    CHECK(all.size == file.size && memcmp(all.bytes, file.bytes, file.size) == 0);
    CHECK(hsp_model_pack(ctx, model, packed_take, &few, &err) == HSP_CANCELLED);
    CHECK(hsp_model_pack(ctx, model, NULL, &few, &err) == HSP_USAGE);
    CHECK(hsp_model_unpack(ctx, all.bytes, all.size, &err, &back) == HSP_OK);
    memset(all.bytes, 0, sizeof all.bytes); /* they were copied */
    CHECK(back && same_models(model, back));
    hsp_model_free(back);
    back = NULL;
    CHECK(hsp_model_unpack(ctx, file.bytes, file.size - 1, &err, &back) == HSP_BAD_DATA);
    CHECK(hsp_model_unpack(ctx, file.bytes, 0, &err, &back) == HSP_BAD_DATA && !back);
    file.bytes[file.size - 1] ^= 1;
    CHECK(hsp_model_unpack(ctx, file.bytes, file.size, &err, &back) == HSP_BAD_DATA && !back);
    unlink(path);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void other_files_are_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    hsp_model *model = NULL;
    const char *path = test_path("other.hsp");
    hsp_data *data = test_parse(ctx, "1 1:2\n2 2:1\n", NULL, NULL);
    CHECK(hsp_data_write(ctx, data, path, NULL, NULL) == HSP_OK);
    CHECK(hsp_model_read(ctx, path, &err, &model) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "expected a halfspace model"));
    test_write_file(path, "1 1:2\n2 2:1\n1 1:1\n", 18);
    CHECK(hsp_model_read(ctx, path, &err, &model) == HSP_BAD_DATA);
    CHECK(hsp_model_read(ctx, "/nowhere/at/all", &err, &model) == HSP_IO);
    CHECK(model == NULL);
    unlink(path);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(models_come_back);
    RUN(an_encoding_comes_back);
    RUN(every_truncation_is_refused);
    RUN(every_changed_byte_is_refused_or_harmless);
    RUN(inconsistent_models_are_refused);
    RUN(packed_models_are_files);
    RUN(other_files_are_refused);
    return check_done();
}
