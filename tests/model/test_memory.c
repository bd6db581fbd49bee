/* Memory that runs out: every call of the model room with its first allocation refused, then its
 * second, ...: HSP_NO_MEMORY, outputs untouched, nothing left behind. */
#include <stdatomic.h>

#include "model/helpers.h"

/* An allocator that counts, and refuses the fail_at-th and all later requests. */
typedef struct memory_count {
    atomic_llong live;
    atomic_ullong asked;
    unsigned long long fail_at; /* 0: never */
} memory_count;

static void *memory_reallocate(void *user, void *pointer, size_t size)
{
    memory_count *count = user;
    unsigned long long number = atomic_fetch_add(&count->asked, 1) + 1;
    if (count->fail_at && number >= count->fail_at) return NULL;
    void *block = realloc(pointer, size);
    if (block && !pointer) atomic_fetch_add(&count->live, 1);
    return block;
}

static void memory_release(void *user, void *pointer)
{
    memory_count *count = user;
    if (pointer) atomic_fetch_sub(&count->live, 1);
    free(pointer);
}

/* What the calls work on. */
typedef struct memory_scene {
    hsp_context *ctx;
    hsp_model *linear, *votes, *encoded, *homogeneous, *pairs, *kernel, *kernel_linear, *near;
    hsp_data *rows;
    char model_path[64], svm_path[64], csv_path[64], hsp_path[64], out_path[64], kernel_path[64],
        libsvm_path[64], liblinear_path[64], near_path[64];
    hsp_neighbor neighbors[400];
    double scores[200];
    hsp_model *out;
    hsp_data *out_data;
} memory_scene;

typedef hsp_status (*memory_call)(memory_scene *s, hsp_error *err);

static hsp_status call_read(memory_scene *s, hsp_error *err)
{
    return hsp_model_read(s->ctx, s->model_path, err, &s->out);
}

static hsp_status call_write(memory_scene *s, hsp_error *err)
{
    return hsp_model_write(s->ctx, s->votes, s->out_path, err);
}

static int memory_take(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return 0;
}

static hsp_status call_pack(memory_scene *s, hsp_error *err)
{
    return hsp_model_pack(s->ctx, s->kernel, memory_take, NULL, err);
}

static hsp_status call_unpack(memory_scene *s, hsp_error *err)
{
    char bytes[1 << 16];
    FILE *file = fopen(s->kernel_path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    CHECK(size > 0 && size < sizeof bytes);
    return hsp_model_unpack(s->ctx, bytes, size, err, &s->out);
}

static hsp_status call_score(memory_scene *s, hsp_error *err)
{
    return hsp_model_score(s->ctx, s->linear, &s->rows->view, err, s->scores, NULL);
}

static hsp_status call_vote(memory_scene *s, hsp_error *err)
{
    return hsp_model_score(s->ctx, s->votes, &s->rows->view, err, s->scores, NULL);
}

static hsp_status call_homogeneous(memory_scene *s, hsp_error *err)
{
    return hsp_model_form(s->ctx, s->linear, "homogeneous", err, &s->out);
}

static hsp_status call_threshold(memory_scene *s, hsp_error *err)
{
    return hsp_model_form(s->ctx, s->linear, "threshold", err, &s->out);
}

static hsp_status call_unit_of_homogeneous(memory_scene *s, hsp_error *err)
{
    return hsp_model_form(s->ctx, s->homogeneous, "unit", err, &s->out);
}

static hsp_status call_disjunction(memory_scene *s, hsp_error *err)
{
    static const char *const columns[] = {"1"};
    return hsp_model_disjunction(s->ctx, s->linear, columns, 1, err, &s->out);
}

static hsp_status call_write_pairs(memory_scene *s, hsp_error *err)
{
    return hsp_model_write(s->ctx, s->pairs, s->out_path, err);
}

static hsp_status call_unit_of_pairs(memory_scene *s, hsp_error *err)
{
    return hsp_model_form(s->ctx, s->pairs, "unit", err, &s->out);
}

static hsp_status call_predict_pairs(memory_scene *s, hsp_error *err)
{
    hsp_options *options = NULL;
    hsp_status status = hsp_options_new(s->ctx, hsp_predict_options(), err, &options);
    if (!status) status = hsp_options_set(options, "probability", "yes", err);
    if (!status)
        status =
            hsp_predict_file(s->ctx, s->pairs, s->svm_path, NULL, options, s->out_path, err, NULL);
    hsp_options_free(options);
    return status;
}

static hsp_status call_set_options(memory_scene *s, hsp_error *err)
{
    hsp_options *options = NULL;
    hsp_status status = hsp_options_new(s->ctx, hsp_learner_find("perceptron"), err, &options);
    if (!status) status = hsp_model_set_options(s->votes, options, err);
    hsp_options_free(options);
    return status;
}

static hsp_status call_read_neighbors(memory_scene *s, hsp_error *err)
{
    return hsp_model_read(s->ctx, s->near_path, err, &s->out);
}

static hsp_status call_write_neighbors(memory_scene *s, hsp_error *err)
{
    return hsp_model_write(s->ctx, s->near, s->out_path, err);
}

static hsp_status call_score_neighbors(memory_scene *s, hsp_error *err)
{
    return hsp_model_score(s->ctx, s->near, &s->rows->view, err, s->scores, NULL);
}

static hsp_status call_neighbors(memory_scene *s, hsp_error *err)
{
    s->near->neighbors->metric = HSP__METRIC_COSINE;
    return hsp_model_neighbors(s->ctx, s->near, &s->rows->view, 2, err, s->neighbors);
}

/* The same by a kernel, which is taken away again: the model is one of a scene. */
static hsp_status call_neighbors_in_space(memory_scene *s, hsp_error *err)
{
    hsp__neighbors *own = s->near->neighbors;
    own->metric = HSP__METRIC_KERNEL;
    hsp_status status = hsp_kernel_parse(s->ctx, "normalize(poly(2,1))", 0, 1, err, &own->kernel);
    if (!status)
        status = hsp_model_neighbors(s->ctx, s->near, &s->rows->view, 2, err, s->neighbors);
    hsp__knn_free(own->kept); /* the index knows the kernel */
    own->kept = NULL;
    hsp_kernel_free(own->kernel);
    own->kernel = NULL;
    own->metric = HSP__METRIC_L2;
    return status;
}

static hsp_status call_neighbors_file(memory_scene *s, hsp_error *err)
{
    return hsp_neighbors_file(s->ctx, s->near, s->svm_path, NULL, 3, HSP_NEIGHBORS_JSON,
                              s->out_path, err, NULL);
}

static hsp_status call_regroup(memory_scene *s, hsp_error *err)
{
    return hsp_data_relabel(s->ctx, s->rows, NULL, 0, "1", err, &s->out_data);
}

static hsp_status call_predict_svm(memory_scene *s, hsp_error *err)
{
    return hsp_predict_file(s->ctx, s->linear, s->svm_path, NULL, NULL, s->out_path, err, NULL);
}

static hsp_status call_predict_hsp(memory_scene *s, hsp_error *err)
{
    return hsp_predict_file(s->ctx, s->linear, s->hsp_path, NULL, NULL, s->out_path, err, NULL);
}

static hsp_status call_predict_csv(memory_scene *s, hsp_error *err)
{
    return hsp_predict_file(s->ctx, s->encoded, s->csv_path, NULL, NULL, s->out_path, err, NULL);
}

static hsp_status call_read_kernel(memory_scene *s, hsp_error *err)
{
    return hsp_model_read(s->ctx, s->kernel_path, err, &s->out);
}

static hsp_status call_write_kernel(memory_scene *s, hsp_error *err)
{
    return hsp_model_write(s->ctx, s->kernel, s->out_path, err);
}

static hsp_status call_score_kernel(memory_scene *s, hsp_error *err)
{
    return hsp_model_score(s->ctx, s->kernel, &s->rows->view, err, s->scores, NULL);
}

static hsp_status call_collapse(memory_scene *s, hsp_error *err)
{
    return hsp__model_collapse(s->ctx, s->kernel_linear, err, &s->out);
}

static hsp_status call_import_libsvm(memory_scene *s, hsp_error *err)
{
    return hsp_model_import(s->ctx, s->libsvm_path, err, &s->out);
}

static hsp_status call_import_liblinear(memory_scene *s, hsp_error *err)
{
    return hsp_model_import(s->ctx, s->liblinear_path, err, &s->out);
}

static hsp_status call_export_libsvm(memory_scene *s, hsp_error *err)
{
    return hsp_model_export(s->ctx, s->kernel, "libsvm", s->out_path, err);
}

static hsp_status call_export_linear(memory_scene *s, hsp_error *err)
{
    return hsp_model_export(s->ctx, s->linear, "libsvm", s->out_path, err);
}

static hsp_status call_export_liblinear(memory_scene *s, hsp_error *err)
{
    return hsp_model_export(s->ctx, s->linear, "liblinear", s->out_path, err);
}

static void memory_name(char path[64], const char *ending)
{
    snprintf(path, 64, "/tmp/hsp-memory-%ld.%s", (long)getpid(), ending);
}

static void memory_open(memory_scene *s, const hsp_allocator *allocator)
{
    static const char csv[] = "size,colour,y\n1,red,no\n2,blue,yes\n";
    hsp__random random;
    uint32_t labels[20] = {0, 1, 2};
    *s = (memory_scene){0};
    if (hsp_context_new(allocator, &s->ctx)) abort();
    hsp_context_set_threads(s->ctx, 2);
    s->ctx->block_bytes = 40;
    hsp__random_seed(&random, 1, 1);
    s->linear = test_linear(s->ctx, &random, 2, 6);
    s->linear->order = HSP__ORDER_DENSE;
    s->linear->scalings[0] = test_scaling(s->ctx, &random, "standard", 6);
    test_add_updates(s->ctx, &random, s->linear);
    s->votes = test_linear(s->ctx, &random, 3, 6);
    test_add_votes(s->ctx, &random, s->votes, HSP_SPARSE);
    s->votes->scalings[1] = test_scaling(s->ctx, &random, "unit-rows", 6);
    hsp__model_set_metadata(s->votes, "learner", "perceptron", NULL);
    hsp__model_set_metadata(s->votes, "options", "{\"rate\":2,\"positive\":\"yes\"}", NULL);
    s->pairs = test_pairs(s->ctx, &random, 3, 6);
    s->pairs->probability.calibration = HSP__CALIBRATION_ISOTONIC;
    s->pairs->probability.knots = 3;
    s->pairs->probability.first = test_array(s->ctx, 4, sizeof(uint64_t));
    for (uint64_t m = 0; m < 4; m++)
        s->pairs->probability.first[m] = m;
    s->pairs->probability.at = test_array(s->ctx, 3, sizeof(double));
    s->pairs->probability.value = test_array(s->ctx, 3, sizeof(double));
    hsp_model *named = test_linear(s->ctx, &random, 2, 1);
    named->weights[0] = 2;
    test_name(&named->feature_names, "a");
    if (hsp_model_form(s->ctx, named, "homogeneous", NULL, &s->homogeneous)) abort();
    hsp_model_free(named);
    hsp_data *plain = test_rows(s->ctx, &random, 20, 6, HSP_SPARSE);
    hsp_view view = plain->view;
    view.labels = labels;
    view.classes = 3;
    if (hsp_data_copy(s->ctx, &view, NULL, NULL, NULL, &s->rows)) abort();
    hsp_data_free(plain);
    hsp_data *table = NULL;
    if (hsp_data_parse(s->ctx, csv, sizeof csv - 1, "t.csv", NULL, NULL, NULL, &table)) abort();
    s->encoded = test_linear(s->ctx, &random, 2, 3);
    s->encoded->encoding = table->encoding;
    table->encoding = NULL;
    hsp_data_free(table);
    s->kernel = test_expansion(s->ctx, &random, "rbf(0.1)", 3, 0, 5, 6, HSP_SPARSE);
    s->near = test_neighbors(s->ctx, &random, 3, 9, 6, HSP_SPARSE);
    s->near->scalings[0] = test_scaling(s->ctx, &random, "max-abs", 6);
    s->kernel_linear = test_expansion(s->ctx, &random, "2*linear + 1", 3, 0, 5, 6, HSP_SPARSE);
    memory_name(s->kernel_path, "kernel");
    memory_name(s->libsvm_path, "libsvm");
    memory_name(s->near_path, "near");
    memory_name(s->liblinear_path, "liblinear");
    memory_name(s->model_path, "model");
    memory_name(s->svm_path, "svm");
    memory_name(s->csv_path, "csv");
    memory_name(s->hsp_path, "hsp");
    memory_name(s->out_path, "out");
    test_write_file(s->csv_path, csv, sizeof csv - 1);
    if (hsp_model_write(s->ctx, s->kernel, s->kernel_path, NULL) ||
        hsp_model_write(s->ctx, s->near, s->near_path, NULL) ||
        hsp_model_export(s->ctx, s->kernel, "libsvm", s->libsvm_path, NULL) ||
        hsp_model_export(s->ctx, s->linear, "liblinear", s->liblinear_path, NULL) ||
        hsp_model_write(s->ctx, s->votes, s->model_path, NULL) ||
        hsp_data_write(s->ctx, s->rows, s->svm_path, NULL, NULL) ||
        hsp_data_write(s->ctx, s->rows, s->hsp_path, NULL, NULL))
        abort();
}

static void memory_close(memory_scene *s)
{
    unlink(s->model_path);
    unlink(s->kernel_path);
    unlink(s->near_path);
    hsp_model_free(s->near);
    unlink(s->libsvm_path);
    unlink(s->liblinear_path);
    hsp_model_free(s->kernel);
    hsp_model_free(s->kernel_linear);
    unlink(s->svm_path);
    unlink(s->csv_path);
    unlink(s->hsp_path);
    hsp_model_free(s->linear);
    hsp_model_free(s->votes);
    hsp_model_free(s->encoded);
    hsp_model_free(s->homogeneous);
    hsp_model_free(s->pairs);
    hsp_data_free(s->rows);
    hsp_context_free(s->ctx);
}

static void memory_try(memory_call call, const char *name)
{
    memory_count count = {.fail_at = 0};
    const hsp_allocator allocator = {memory_reallocate, memory_release, &count};
    memory_scene scene;
    memory_open(&scene, &allocator);
    const long long live = atomic_load(&count.live);
    hsp_status status = HSP_NO_MEMORY;
    unsigned long long n = 0;
    while (status == HSP_NO_MEMORY && n < 2000) {
        hsp_error err = {0};
        atomic_store(&count.asked, 0);
        count.fail_at = ++n;
        status = call(&scene, &err);
        count.fail_at = 0;
        hsp__knn_free(scene.near->neighbors->kept); /* which the model keeps for the next call */
        scene.near->neighbors->kept = NULL;
        if (status == HSP_OK) break;
        CHECK_NOTE(status == HSP_NO_MEMORY && err.message[0], "%s, %llu: %s", name, n, err.message);
        CHECK(!scene.out && !scene.out_data);
        CHECK_NOTE(atomic_load(&count.live) == live, "%s, %llu: %lld blocks left", name, n,
                   atomic_load(&count.live) - live);
        CHECK(access(scene.out_path, F_OK) != 0);
    }
    CHECK_NOTE(status == HSP_OK && n > 1, "%s ends after %llu", name, n);
    hsp_model_free(scene.out);
    hsp_data_free(scene.out_data);
    unlink(scene.out_path);
    CHECK(atomic_load(&count.live) == live);
    memory_close(&scene);
    CHECK(atomic_load(&count.live) == 0);
}

#define MEMORY_TEST(call)                   \
    static void call##_without_memory(void) \
    {                                       \
        memory_try(call, #call);            \
    }

MEMORY_TEST(call_read)
MEMORY_TEST(call_write)
MEMORY_TEST(call_pack)
MEMORY_TEST(call_unpack)
MEMORY_TEST(call_score)
MEMORY_TEST(call_vote)
MEMORY_TEST(call_homogeneous)
MEMORY_TEST(call_threshold)
MEMORY_TEST(call_unit_of_homogeneous)
MEMORY_TEST(call_disjunction)
MEMORY_TEST(call_set_options)
MEMORY_TEST(call_regroup)
MEMORY_TEST(call_predict_svm)
MEMORY_TEST(call_predict_hsp)
MEMORY_TEST(call_predict_csv)
MEMORY_TEST(call_write_pairs)
MEMORY_TEST(call_unit_of_pairs)
MEMORY_TEST(call_predict_pairs)
MEMORY_TEST(call_read_kernel)
MEMORY_TEST(call_write_kernel)
MEMORY_TEST(call_score_kernel)
MEMORY_TEST(call_collapse)
MEMORY_TEST(call_import_libsvm)
MEMORY_TEST(call_import_liblinear)
MEMORY_TEST(call_export_libsvm)
MEMORY_TEST(call_export_linear)
MEMORY_TEST(call_export_liblinear)
MEMORY_TEST(call_read_neighbors)
MEMORY_TEST(call_write_neighbors)
MEMORY_TEST(call_score_neighbors)
MEMORY_TEST(call_neighbors)
MEMORY_TEST(call_neighbors_in_space)
MEMORY_TEST(call_neighbors_file)

int main(void)
{
    RUN(call_read_without_memory);
    RUN(call_write_without_memory);
    RUN(call_pack_without_memory);
    RUN(call_unpack_without_memory);
    RUN(call_score_without_memory);
    RUN(call_vote_without_memory);
    RUN(call_homogeneous_without_memory);
    RUN(call_threshold_without_memory);
    RUN(call_unit_of_homogeneous_without_memory);
    RUN(call_disjunction_without_memory);
    RUN(call_set_options_without_memory);
    RUN(call_regroup_without_memory);
    RUN(call_predict_svm_without_memory);
    RUN(call_predict_hsp_without_memory);
    RUN(call_predict_csv_without_memory);
    RUN(call_write_pairs_without_memory);
    RUN(call_unit_of_pairs_without_memory);
    RUN(call_predict_pairs_without_memory);
    RUN(call_read_kernel_without_memory);
    RUN(call_write_kernel_without_memory);
    RUN(call_score_kernel_without_memory);
    RUN(call_collapse_without_memory);
    RUN(call_import_libsvm_without_memory);
    RUN(call_import_liblinear_without_memory);
    RUN(call_export_libsvm_without_memory);
    RUN(call_export_linear_without_memory);
    RUN(call_export_liblinear_without_memory);
    RUN(call_read_neighbors_without_memory);
    RUN(call_write_neighbors_without_memory);
    RUN(call_score_neighbors_without_memory);
    RUN(call_neighbors_without_memory);
    RUN(call_neighbors_in_space_without_memory);
    RUN(call_neighbors_file_without_memory);
    return check_done();
}
