/* Memory that runs out: for every public call, the first allocation fails, then the second, the
 * third ... until the call succeeds; once with all later ones failing too, once with that one
 * alone; on one thread and on two. A call that was refused memory says HSP_NO_MEMORY, leaves its
 * outputs untouched, no block behind and no file. */
#include <dirent.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../check.h"
#include "base/context.h"
#include "halfspace_all.h"

/* ---- An allocator that counts, and refuses on demand ---- */

typedef struct alloc_memory {
    atomic_llong live;     /* blocks given out and not yet back */
    atomic_ullong asked;   /* allocations since it was armed */
    atomic_ullong refused; /* how many of them were refused */
    atomic_ullong shrinks; /* how many of these would have made a block smaller */
    uint64_t fail_at;      /* the number of the first one to refuse, from 1; 0: refuse none */
    int only;              /* refuse that one alone */
} alloc_memory;

static void *alloc_reallocate(void *user, void *pointer, size_t size)
{
    alloc_memory *memory = user;
    uint64_t number = atomic_fetch_add(&memory->asked, 1) + 1;
    if (memory->fail_at && (memory->only ? number == memory->fail_at : number >= memory->fail_at)) {
        atomic_fetch_add(&memory->refused, 1);
        if (pointer && malloc_usable_size(pointer) >= size) atomic_fetch_add(&memory->shrinks, 1);
        return NULL;
    }
    void *block = realloc(pointer, size);
    if (block && !pointer) atomic_fetch_add(&memory->live, 1);
    return block;
}

static void alloc_release(void *user, void *pointer)
{
    alloc_memory *memory = user;
    if (pointer) atomic_fetch_sub(&memory->live, 1);
    free(pointer);
}

static void alloc_arm(alloc_memory *memory, uint64_t fail_at, int only)
{
    atomic_store(&memory->asked, 0);
    atomic_store(&memory->refused, 0);
    atomic_store(&memory->shrinks, 0);
    memory->fail_at = fail_at;
    memory->only = only;
}

/* ---- The scene: what the calls work on ---- */

static char alloc_folder[] = "/tmp/halfspace-alloc-XXXXXX";

static const char alloc_libsvm[] = "yes 1:0.5 3:2\nno 2:-1.25e-3\nyes 1:1 2:2 3:3 4:4\n"
                                   "no 4:7 # a comment\nmaybe 1:1\nno 3:1e10\nyes 2:2 4:1\n"
                                   "no 1:3 2:4\nyes 1:0.1\nmaybe 2:0.2 3:0.3\n";
static const char alloc_csv[] = "height,colour,size,class\n1.5,red,small,a\n2.5,green,large,b\n"
                                "?,red,medium,a\n3,\"blue, dark\",small,b\n0,green,large,a\n"
                                "1,red,small,b\n2,blue,medium,a\n4,red,large,b\n";

typedef struct alloc_scene {
    alloc_memory memory;
    hsp_context *ctx;
    hsp_options *options;   /* of the case */
    hsp_options *choosing;  /* of hsp_tune, and so of hsp_cross_validate: two folds */
    hsp_data *data;         /* sparse, from libsvm text */
    hsp_data *table;        /* with an encoding, from CSV */
    hsp_data *cache;        /* mapped, not yet checked */
    hsp_scaling *scaling;   /* fits data */
    hsp_encoding *encoding; /* of the table */
    hsp_data *out_data[2];  /* results of the call under test; alloc_nothing before it */
    hsp_scaling *out_scaling;
    hsp_encoding *out_encoding;
    hsp_summary *out_summary;
    hsp_options *out_options;
    hsp_validation *out_validation;
    hsp_tuning *out_tuning;
    hsp_model *out_model;
    hsp_kernel *kernel; /* of the data, fitted */
    hsp_kernel *out_kernel;
    hsp_kernel_report *out_verdict;
} alloc_scene;

static char alloc_untouched; /* where outputs point before a call */

static const char *alloc_path(const char *name)
{
    static _Thread_local char path[sizeof alloc_folder + 64];
    snprintf(path, sizeof path, "%s/%s", alloc_folder, name);
    return path;
}

#include "alloc/arrays.h" /* more calls */
#include "alloc/html.h"
#include "alloc/plots.h"

static void alloc_put_file(const char *name, const char *text)
{
    FILE *file = fopen(alloc_path(name), "w");
    CHECK(file != NULL);
    if (!file) return;
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

static int alloc_count_files(void)
{
    int count = 0;
    DIR *folder = opendir(alloc_folder);
    CHECK(folder != NULL);
    while (folder && readdir(folder))
        count++;
    if (folder) closedir(folder);
    return count;
}

static void alloc_reset_outputs(alloc_scene *s)
{
    void *nothing = &alloc_untouched;
    s->out_data[0] = s->out_data[1] = nothing;
    s->out_scaling = nothing;
    s->out_encoding = nothing;
    s->out_summary = nothing;
    s->out_options = nothing;
    s->out_validation = nothing;
    s->out_tuning = nothing;
    s->out_kernel = nothing;
    s->out_verdict = nothing;
    s->out_model = nothing;
}

static int alloc_outputs_untouched(const alloc_scene *s)
{
    const void *nothing = &alloc_untouched;
    return s->out_data[0] == nothing && s->out_data[1] == nothing && s->out_scaling == nothing &&
           s->out_encoding == nothing && s->out_summary == nothing && s->out_options == nothing &&
           s->out_validation == nothing && s->out_tuning == nothing && s->out_model == nothing &&
           s->out_kernel == nothing && s->out_verdict == nothing;
}

static void alloc_free_outputs(alloc_scene *s)
{
    const void *nothing = &alloc_untouched;
    for (int i = 0; i < 2; i++)
        if (s->out_data[i] != nothing) hsp_data_free(s->out_data[i]);
    if (s->out_scaling != nothing) hsp_scaling_free(s->out_scaling);
    if (s->out_encoding != nothing) hsp_encoding_free(s->out_encoding);
    if (s->out_summary != nothing) hsp_summary_free(s->out_summary);
    if (s->out_options != nothing) hsp_options_free(s->out_options);
    if (s->out_validation != nothing) hsp_validation_free(s->out_validation);
    if (s->out_tuning != nothing) hsp_tuning_free(s->out_tuning);
    if (s->out_kernel != nothing) hsp_kernel_free(s->out_kernel);
    if (s->out_verdict != nothing) hsp_kernel_report_free(s->out_verdict);
    if (s->out_model != nothing) hsp_model_free(s->out_model);
    alloc_reset_outputs(s);
}

/* ---- The calls ---- */

static hsp_status alloc_read_libsvm(alloc_scene *s, hsp_error *err)
{
    return hsp_data_read(s->ctx, alloc_path("in.svm"), s->options, NULL, err, &s->out_data[0]);
}

static hsp_status alloc_read_csv(alloc_scene *s, hsp_error *err)
{
    return hsp_data_read(s->ctx, alloc_path("in.csv"), s->options, NULL, err, &s->out_data[0]);
}

static hsp_status alloc_read_encoded(alloc_scene *s, hsp_error *err)
{
    return hsp_data_read(s->ctx, alloc_path("in.csv"), s->options, s->encoding, err,
                         &s->out_data[0]);
}

static hsp_status alloc_read_files(alloc_scene *s, hsp_error *err)
{
    char first[256];
    snprintf(first, sizeof first, "%s", alloc_path("in.csv"));
    const char *const paths[] = {first, first};
    return hsp_data_read_files(s->ctx, paths, 2, s->options, NULL, err, &s->out_data[0]);
}

static hsp_status alloc_read_hsp(alloc_scene *s, hsp_error *err)
{
    return hsp_data_read(s->ctx, alloc_path("in.hsp"), s->options, NULL, err, &s->out_data[0]);
}

/* Texts that need doubles, which is seen late: they are read twice. */
static hsp_status alloc_parse(alloc_scene *s, hsp_error *err)
{
    static const char text[] = "a 1:1 2:1700.01\nb 1:2 2:1700.02\n";
    return hsp_data_parse(s->ctx, text, sizeof text - 1, "t.svm", s->options, NULL, err,
                          &s->out_data[0]);
}

static hsp_status alloc_parse_csv(alloc_scene *s, hsp_error *err)
{
    static const char text[] = "x,w,y\n1,u,a\n?,v,b\n1700000001,u,a\n";
    return hsp_data_parse(s->ctx, text, sizeof text - 1, "t.csv", s->options, NULL, err,
                          &s->out_data[0]);
}

static hsp_status alloc_write_libsvm(alloc_scene *s, hsp_error *err)
{
    return hsp_data_write(s->ctx, s->data, alloc_path("out.svm"), s->options, err);
}

static hsp_status alloc_write_csv(alloc_scene *s, hsp_error *err)
{
    return hsp_data_write(s->ctx, s->table, alloc_path("out.csv"), s->options, err);
}

static hsp_status alloc_write_hsp(alloc_scene *s, hsp_error *err)
{
    return hsp_data_write(s->ctx, s->table, alloc_path("out.hsp"), s->options, err);
}

static hsp_status alloc_check_view(alloc_scene *s, hsp_error *err)
{
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const hsp_view view = hsp_view_dense(HSP_FLOAT32, 3, 2, 2, values);
    return hsp_view_check(s->ctx, &view, err);
}

static hsp_status alloc_view(alloc_scene *s, hsp_error *err)
{
    const hsp_view *view = NULL;
    return hsp_data_view(s->ctx, s->cache, err, &view);
}

static hsp_status alloc_verify(alloc_scene *s, hsp_error *err)
{
    return hsp_data_verify(s->ctx, s->cache, err);
}

static hsp_status alloc_select(alloc_scene *s, hsp_error *err)
{
    static const uint64_t rows[] = {4, 0, 0, 2};
    return hsp_data_select(s->ctx, s->table, rows, 4, err, &s->out_data[0]);
}

static hsp_status alloc_split(alloc_scene *s, hsp_error *err)
{
    return hsp_data_split(s->ctx, s->data, s->options, err, &s->out_data[0], &s->out_data[1]);
}

static hsp_status alloc_fit(alloc_scene *s, hsp_error *err)
{
    return hsp_scaling_fit(s->ctx, s->data, s->options, err, &s->out_scaling);
}

static hsp_status alloc_apply(alloc_scene *s, hsp_error *err)
{
    return hsp_scaling_apply(s->ctx, s->scaling, s->data, err, &s->out_data[0]);
}

static hsp_status alloc_scaling_read(alloc_scene *s, hsp_error *err)
{
    return hsp_scaling_read(s->ctx, alloc_path("in.scaling"), err, &s->out_scaling);
}

static hsp_status alloc_scaling_write(alloc_scene *s, hsp_error *err)
{
    return hsp_scaling_write(s->ctx, s->scaling, alloc_path("out.scaling"), err);
}

static hsp_status alloc_encoding_read(alloc_scene *s, hsp_error *err)
{
    return hsp_encoding_read(s->ctx, alloc_path("in.json"), err, &s->out_encoding);
}

static hsp_status alloc_encoding_write(alloc_scene *s, hsp_error *err)
{
    return hsp_encoding_write(s->ctx, s->encoding, alloc_path("out.json"), err);
}

static hsp_status alloc_make(alloc_scene *s, hsp_error *err)
{
    return hsp_data_make(s->ctx, s->options, NULL, NULL, err, &s->out_data[0]);
}

static hsp_status alloc_make_file(alloc_scene *s, hsp_error *err)
{
    return hsp_data_make_file(s->ctx, s->options, alloc_path("out.svm"), NULL, NULL, err);
}

static hsp_status alloc_files(alloc_scene *s, hsp_error *err)
{
    hsp_files *files = NULL;
    hsp_status status = hsp_files_new(s->ctx, err, &files);
    if (!status) status = hsp_file_write(s->ctx, alloc_path("out.json"), "{}\n", 3, err);
    if (!status) status = hsp_data_write(s->ctx, s->data, alloc_path("out.svm"), NULL, err);
    if (!status) status = hsp_files_commit(files, err);
    hsp_files_free(files);
    return status;
}

static hsp_status alloc_summary(alloc_scene *s, hsp_error *err)
{
    return hsp_summary_new(s->ctx, s->data, err, &s->out_summary);
}

/* Looking at a table, taking the advice, reading it. */
static hsp_status alloc_profile(alloc_scene *s, hsp_error *err)
{
    static const char text[] = "id,when,n,c,y\nA 1,2020-01-01,\"1,000\",x,no\n"
                               "A 2,2020-02-01,N/A,x,No\nA 3,2020-03-01,30,y,yes\n";
    hsp_profile *profile = NULL;
    hsp_options *read = NULL;
    hsp_status status =
        hsp_profile_parse(s->ctx, text, sizeof text - 1, "in.csv", NULL, NULL, err, &profile);
    if (!status) status = hsp_options_new(s->ctx, hsp_read_options(), err, &read);
    if (!status) status = hsp_profile_advise(profile, read, err);
    if (!status) status = hsp_options_set(read, "missing", "mean", err);
    if (!status) status = hsp_profile_read(s->ctx, profile, read, NULL, err, &s->out_data[0]);
    hsp_options_free(read);
    hsp_profile_free(profile);
    return status;
}

static int alloc_take(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return 0;
}

static hsp_status alloc_report_json(alloc_scene *s, hsp_error *err)
{
    const hsp_training run = {.rows = 3};
    return hsp_report_json(s->ctx, hsp_training_fields(), &run, alloc_take, NULL, err);
}

/* The case's options are the learner's. */
static hsp_status alloc_validate(alloc_scene *s, hsp_error *err)
{
    return hsp_cross_validate(s->ctx, s->data, s->options, s->choosing, err, &s->out_validation);
}

static hsp_status alloc_tune(alloc_scene *s, hsp_error *err)
{
    return hsp_tune(s->ctx, s->data, s->options, s->choosing, err, &s->out_tuning, NULL,
                    &s->out_model);
}

static hsp_status alloc_groups(alloc_scene *s, hsp_error *err)
{
    static const double times[64] = {0};
    static const uint32_t groups[64] = {0};
    hsp_status status = hsp_data_set_times(s->data, times, err);
    hsp_data_set_times(s->data, NULL, NULL);
    if (status == HSP_OK) status = hsp_data_set_groups(s->data, groups, err);
    hsp_data_set_groups(s->data, NULL, NULL);
    return status;
}

static const char alloc_kernel[] = "0.5*rbf(c=0.25) + normalize(poly(2, 1) + 1)*cols(1-2; linear)";

static hsp_status alloc_kernel_parse(alloc_scene *s, hsp_error *err)
{
    return hsp_kernel_parse(s->ctx, alloc_kernel, 0, 1, err, &s->out_kernel);
}

static hsp_status alloc_gram(alloc_scene *s, hsp_error *err)
{
    double values[100];
    return hsp_kernel_gram(s->ctx, s->kernel, s->data, NULL, err, values);
}

static hsp_status alloc_gram_text(alloc_scene *s, hsp_error *err)
{
    return hsp_kernel_gram_write(s->ctx, s->kernel, s->data, NULL, alloc_path("out.svm"), NULL,
                                 err);
}

static hsp_status alloc_gram_csv(alloc_scene *s, hsp_error *err)
{
    return hsp_kernel_gram_write(s->ctx, s->kernel, s->data, s->data, alloc_path("out.csv"), NULL,
                                 err);
}

static hsp_status alloc_kernel_check(alloc_scene *s, hsp_error *err)
{
    return hsp_kernel_check(s->ctx, s->kernel, s->data, NULL, 0, err, &s->out_verdict);
}

/* No kernel: a witness is looked for. */
static hsp_status alloc_kernel_refute(alloc_scene *s, hsp_error *err)
{
    hsp_kernel *kernel = NULL;
    hsp_status status = hsp_kernel_parse(s->ctx, "rbf(2) - rbf(1)", 1, 1, err, &kernel);
    if (!status) status = hsp_kernel_check(s->ctx, kernel, s->data, NULL, 0, err, &s->out_verdict);
    hsp_kernel_free(kernel);
    return status;
}

static hsp_status alloc_factor(alloc_scene *s, hsp_error *err)
{
    hsp_factor factor = {.size = sizeof factor};
    return hsp_kernel_factor(s->ctx, s->kernel, s->data, NULL, 0, err, &factor, &s->out_data[0]);
}

static hsp_status alloc_train(alloc_scene *s, hsp_error *err)
{
    return hsp_train(s->ctx, s->data, s->options, err, NULL, &s->out_model);
}

/* One call: the table of its options (NULL: none), what is set there, and the call itself. */
typedef struct alloc_case {
    const char *name;
    const hsp_option_table *table;
    const char *settings[6]; /* name, value, name, value ... */
    hsp_status (*call)(alloc_scene *s, hsp_error *err);
} alloc_case;

/* ---- Running a case ---- */

static void alloc_set_options(alloc_scene *s, const alloc_case *c)
{
    hsp_error err = {0};
    if (!c->table) return;
    CHECK(hsp_options_new(s->ctx, c->table, &err, &s->options) == HSP_OK);
    for (size_t i = 0; i + 1 < 6 && c->settings[i]; i += 2)
        CHECK_NOTE(hsp_options_set(s->options, c->settings[i], c->settings[i + 1], &err) == HSP_OK,
                   "%s", err.message);
}

/* An options object over a table, with one setting. */
static hsp_options *alloc_one_option(alloc_scene *s, const hsp_option_table *table,
                                     const char *name, const char *value)
{
    hsp_options *options = NULL;
    CHECK(hsp_options_new(s->ctx, table, NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, name, value, NULL) == HSP_OK);
    return options;
}

static void alloc_open_scene(alloc_scene *s, const alloc_case *c, int threads)
{
    *s = (alloc_scene){0};
    alloc_reset_outputs(s);
    const hsp_allocator allocator = {alloc_reallocate, alloc_release, &s->memory};
    CHECK(hsp_context_new(&allocator, &s->ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(s->ctx, threads) == HSP_OK);
    s->ctx->block_bytes = 64; /* small inputs in several blocks */
    alloc_set_options(s, c);

    s->choosing = alloc_one_option(s, hsp_tune_options(), "folds", "2");
    const int svm = c->table && strcmp(c->table->name, "svm") == 0;
    CHECK(hsp_options_set(s->choosing, "tune", svm ? "C=0.1:1:log:2" : "passes=1,3", NULL) ==
          HSP_OK);

    hsp_error err = {0};
    hsp_options *drop = alloc_one_option(s, hsp_read_options(), "missing", "drop");
    hsp_options *scale = alloc_one_option(s, hsp_scale_options(), "kind", "max-abs");
    CHECK(hsp_data_read(s->ctx, alloc_path("in.svm"), NULL, NULL, &err, &s->data) == HSP_OK);
    CHECK(hsp_data_read(s->ctx, alloc_path("in.csv"), drop, NULL, &err, &s->table) == HSP_OK);
    CHECK(hsp_data_write(s->ctx, s->table, alloc_path("in.hsp"), NULL, &err) == HSP_OK);
    CHECK(hsp_data_read(s->ctx, alloc_path("in.hsp"), NULL, NULL, &err, &s->cache) == HSP_OK);
    CHECK(hsp_kernel_parse(s->ctx, alloc_kernel, 0, 1, &err, &s->kernel) == HSP_OK);
    CHECK(hsp_scaling_fit(s->ctx, s->data, scale, &err, &s->scaling) == HSP_OK);
    CHECK(hsp_scaling_write(s->ctx, s->scaling, alloc_path("in.scaling"), &err) == HSP_OK);
    CHECK(hsp_encoding_write(s->ctx, hsp_data_encoding(s->table), alloc_path("in.json"), &err) ==
          HSP_OK);
    CHECK(hsp_encoding_read(s->ctx, alloc_path("in.json"), &err, &s->encoding) == HSP_OK);
    CHECK_NOTE(err.status == HSP_OK, "the scene cannot be set: %s", err.message);
    hsp_options_free(drop);
    hsp_options_free(scale);
}

static void alloc_close_scene(alloc_scene *s)
{
    hsp_options_free(s->options);
    hsp_options_free(s->choosing);
    hsp_data_free(s->data);
    hsp_data_free(s->table);
    hsp_data_free(s->cache);
    hsp_scaling_free(s->scaling);
    hsp_kernel_free(s->kernel);
    hsp_encoding_free(s->encoding);
    hsp_context_free(s->ctx);
    CHECK_NOTE(s->memory.live == 0, "%lld blocks leaked in all", (long long)s->memory.live);
}

/* The n-th allocation fails. Non-zero once the call asks for fewer than n, and so succeeds. */
static int alloc_try(alloc_scene *s, const alloc_case *c, uint64_t n, int only, int threads)
{
    hsp_error err = {0};
    const long long live = s->memory.live;
    const int files = alloc_count_files();
    alloc_arm(&s->memory, n, only);
    hsp_status status = c->call(s, &err);
    const int refused = s->memory.refused > 0;
    const int needed = s->memory.refused > s->memory.shrinks;
    alloc_arm(&s->memory, 0, 0);
    if (!refused) {
        CHECK_NOTE(status == HSP_OK, "%s without a failure: %s", c->name, err.message);
        alloc_free_outputs(s);
        return 1;
    }
    if (!needed && status == HSP_OK) {
        alloc_free_outputs(s);
        CHECK_NOTE(s->memory.live == live, "%s, allocation %d: blocks leaked", c->name, (int)n);
        return 0;
    }
    CHECK_NOTE(status == HSP_NO_MEMORY, "%s, allocation %d, %d threads: %s", c->name, (int)n,
               threads, hsp_status_name(status));
    CHECK_NOTE(err.status == HSP_NO_MEMORY, "%s, allocation %d: the error says %s", c->name, (int)n,
               hsp_status_name(err.status));
    CHECK_NOTE(alloc_outputs_untouched(s), "%s, allocation %d: an output was touched", c->name,
               (int)n);
    CHECK_NOTE(s->memory.live == live, "%s, allocation %d: %lld blocks leaked", c->name, (int)n,
               (long long)(s->memory.live - live));
    CHECK_NOTE(alloc_count_files() == files, "%s, allocation %d: a file was left", c->name, (int)n);
    return 0;
}

static void alloc_run(const alloc_case *c)
{
    static const char *const outputs[] = {"out.svm", "out.csv", "out.hsp", "out.scaling",
                                          "out.json"};
    const uint64_t most = 100000; /* a call that asks for more never ends here */
    check_failures = 0;
    check_skip_reason = NULL;
    for (int way = 0; way < 4 && !check_failures; way++) {
        const int threads = 1 + way / 2, only = way % 2;
        alloc_scene scene;
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
            unlink(alloc_path(outputs[i]));
        alloc_open_scene(&scene, c, threads);
        uint64_t n = 1;
        while (!check_failures && n < most && !alloc_try(&scene, c, n, only, threads))
            n++;
        CHECK_NOTE(n < most, "%s never succeeds", c->name);
        alloc_close_scene(&scene);
    }
    check_report(c->name);
}

/* Every generator, in memory and into a file. */
static void alloc_run_generators(void)
{
    const hsp_option_table *table;
    for (size_t i = 0; (table = hsp_generator(i)); i++) {
        char name[2][80];
        snprintf(name[0], sizeof name[0], "make %s", table->name);
        snprintf(name[1], sizeof name[1], "make %s into a file", table->name);
        alloc_run(&(alloc_case){name[0], table, {"rows", "40"}, alloc_make});
        alloc_run(&(alloc_case){name[1], table, {"rows", "40"}, alloc_make_file});
    }
}

/* A context has no context to take memory from, and no error to fill. */
static void context(void)
{
    alloc_memory memory = {0};
    const hsp_allocator allocator = {alloc_reallocate, alloc_release, &memory};
    void *untouched = &alloc_untouched;
    hsp_context *ctx = untouched;
    alloc_arm(&memory, 1, 0);
    CHECK(hsp_context_new(&allocator, &ctx) == HSP_NO_MEMORY);
    CHECK((void *)ctx == untouched);
    CHECK(memory.live == 0);
    alloc_arm(&memory, 0, 0);
    CHECK(hsp_context_new(&allocator, &ctx) == HSP_OK);
    hsp_context_free(ctx);
    CHECK(memory.live == 0);
}

/* The files that were asked for are all there is in the folder. */
static void nothing_is_left(void)
{
    static const char *const files[] = {"out2.csv",    "out2.svm", "out2.hsp", "long.csv",
                                        "in.svm",      "in.csv",   "in.hsp",   "in.scaling",
                                        "in.json",     "out.svm",  "out.csv",  "out.hsp",
                                        "out.scaling", "out.json", "out.svg"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(alloc_path(files[i]));
    CHECK(rmdir(alloc_folder) == 0);
}

static hsp_status alloc_audit_experts(alloc_scene *s, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    if (!status) status = hsp_audit(s->ctx, model, s->data, NULL, err, &bounds, &count);
    if (!status) hsp_mistake_bounds_free(bounds);
    hsp_model_free(model);
    return status;
}

/* Claims about a file alone. */
static hsp_status alloc_certify(alloc_scene *s, hsp_error *err)
{
    hsp_certificate *certificate = NULL;
    hsp_status status =
        hsp_certify(s->ctx, alloc_path("in.svm"), NULL, NULL, s->options, err, &certificate);
    hsp_certificate_free(certificate);
    return status;
}

static hsp_status alloc_certify_table(alloc_scene *s, hsp_error *err)
{
    hsp_certificate *certificate = NULL;
    hsp_options *read = NULL;
    hsp_status status = hsp_options_new(s->ctx, hsp_read_options(), err, &read);
    if (!status) status = hsp_options_set(read, "missing", "indicator", err);
    if (!status)
        status =
            hsp_certify(s->ctx, alloc_path("in.csv"), read, NULL, s->options, err, &certificate);
    hsp_certificate_free(certificate);
    hsp_options_free(read);
    return status;
}

/* Claims about a model of the case's learner, with the same rows as a test. */
static hsp_status alloc_certify_model(alloc_scene *s, hsp_error *err)
{
    hsp_certificate *certificate = NULL;
    hsp_options *claims = NULL;
    hsp_model *model = NULL;
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    if (!status) status = hsp_options_new(s->ctx, hsp_certify_options(), err, &claims);
    if (!status) status = hsp_options_set(claims, "test", alloc_path("in.svm"), err);
    if (!status)
        status = hsp_certify(s->ctx, alloc_path("in.svm"), NULL, model, claims, err, &certificate);
    hsp_certificate_free(certificate);
    hsp_options_free(claims);
    hsp_model_free(model);
    return status;
}

static hsp_status alloc_unpack(alloc_scene *s, hsp_error *err)
{
    return hsp_file_unpack(s->ctx, alloc_path("in.svm"), alloc_take, NULL, err);
}

static void alloc_run_proofs(void)
{
    const hsp_option_table *certify = hsp_certify_options();
    const alloc_case cases[] = {
        {"unpack a file", NULL, {0}, alloc_unpack},
        {"certify", certify, {"positive", "yes"}, alloc_certify},
        {"certify two classes", certify, {"classes", "no,maybe", "offset", "none"}, alloc_certify},
        {"certify in a feature space",
         certify,
         {"positive", "yes", "kernel", "rbf(0.5)"},
         alloc_certify},
        {"certify that a kernel is none",
         certify,
         {"positive", "yes", "kernel", "linear - 0.5"},
         alloc_certify},
        {"verify a certificate", NULL, {0}, alloc_verify_certificate},
        {"certify a table", certify, {"margin-tolerance", "1e-3"}, alloc_certify_table},
        {"report", hsp_learner_find("perceptron"), {"passes", "2"}, alloc_html},
        PLOTS_CASES,
        {"certify a machine",
         hsp_learner_find("svm"),
         {"keep-dual", "yes", "positive", "yes", "scale", "max-abs"},
         alloc_certify_model},
        {"certify a kernel machine",
         hsp_learner_find("svm"),
         {"keep-dual", "yes", "positive", "no", "kernel", "rbf(0.5)"},
         alloc_certify_model},
        {"certify a run",
         hsp_learner_find("perceptron"),
         {"classes", "no,yes", "passes", "3"},
         alloc_certify_model},
        {"certify a shuffled run",
         hsp_learner_find("perceptron"),
         {"classes", "no,yes", "passes", "3", "order", "shuffle"},
         alloc_certify_model},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
}

static void alloc_run_kernels(void)
{
    const alloc_case cases[] = {
        {"parse a kernel", NULL, {0}, alloc_kernel_parse},
        {"Gram matrix", NULL, {0}, alloc_gram},
        {"Gram matrix as libsvm", NULL, {0}, alloc_gram_text},
        {"Gram matrix as CSV", NULL, {0}, alloc_gram_csv},
        {"check a kernel", NULL, {0}, alloc_kernel_check},
        {"check what is no kernel", NULL, {0}, alloc_kernel_refute},
        {"factor a kernel", NULL, {0}, alloc_factor},
        {"train from landmarks",
         hsp_learner_find("svm"),
         {"kernel", "rbf(0.5)", "approx", "nystrom:4", "multiclass", "ovr"},
         alloc_train},
        {"train from waves",
         hsp_learner_find("perceptron"),
         {"kernel", "laplace(0.5)", "approx", "fourier:4"},
         alloc_train},
        {"neighbours left out in turn",
         hsp_learner_find("knn"),
         {"k", "auto", "max-k", "3", "classes", "yes,no"},
         alloc_train},
        {"neighbours by angles",
         hsp_learner_find("knn"),
         {"k", "auto", "metric", "cosine", "scale", "max-abs"},
         alloc_train},
        {"neighbours in a kernel's space",
         hsp_learner_find("knn"),
         {"k", "2", "metric", "kernel:rbf(median)"},
         alloc_train},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
    alloc_run_proofs();
}

/* A run of the perceptron and its audit, with a reference that is looked for. */
static hsp_status alloc_reference(alloc_scene *s, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_reference reference = {.separator = NULL};
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    if (!status) status = hsp_reference_find(s->ctx, model, s->data, err, &reference);
    if (!status)
        status = hsp_audit(s->ctx, model, s->data, reference.separator, err, &bounds, &count);
    hsp_mistake_bounds_free(bounds);
    hsp_model_free(reference.separator);
    hsp_model_free(model);
    return status;
}

/* A run of winnow and its audit, with itself for the reference. */
static hsp_status alloc_audit(alloc_scene *s, hsp_error *err)
{
    hsp_model *model = NULL;
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    hsp_status status = hsp_train(s->ctx, s->data, s->options, err, NULL, &model);
    if (!status) status = hsp_audit(s->ctx, model, s->data, model, err, &bounds, &count);
    hsp_mistake_bounds_free(bounds);
    hsp_model_free(model);
    return status;
}

/* The value that is refused, found in the file: none, with memory. */
static hsp_status alloc_locate(alloc_scene *s, hsp_error *err)
{
    hsp_error refused = {.status = HSP_BAD_DATA, .line = 2, .message = "row 2, column 1: no"};
    hsp_status status = hsp_train_locate(s->ctx, alloc_path("in.svm"), NULL, NULL, &refused);
    if (status != HSP_BAD_DATA && err) *err = (hsp_error){.status = status};
    return status == HSP_BAD_DATA ? HSP_OK : status;
}

static hsp_status alloc_split_to(alloc_scene *s, const char *in, const char *train,
                                 const char *test, hsp_error *err)
{
    const char *const names[] = {in, train, test};
    char paths[3][256];
    hsp_split *split = NULL;
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], sizeof paths[i], "%s", alloc_path(names[i]));
    hsp_status status =
        hsp_split_file(s->ctx, paths[0], s->options, paths[1], paths[2], err, &split);
    CHECK((status == HSP_OK) == (split != NULL));
    hsp_split_free(split);
    return status;
}

static hsp_status alloc_split_csv(alloc_scene *s, hsp_error *err)
{
    return alloc_split_to(s, "in.csv", "out.csv", "out2.csv", err);
}

static hsp_status alloc_split_libsvm(alloc_scene *s, hsp_error *err)
{
    return alloc_split_to(s, "in.svm", "out.svm", "out2.svm", err);
}

static hsp_status alloc_split_cache(alloc_scene *s, hsp_error *err)
{
    return alloc_split_to(s, "in.hsp", "out.hsp", "out2.hsp", err);
}

static hsp_status alloc_kind(alloc_scene *s, hsp_error *err)
{
    hsp_file_kind kind;
    return hsp_file_kind_of(s->ctx, alloc_path("in.hsp"), err, &kind);
}

#include "alloc/online.h"   /* more cases */
#include "alloc/confirm.h"  /* more cases */
#include "alloc/measure.h"  /* more cases */
#include "alloc/geometry.h" /* more cases */
#include "alloc/show.h"     /* more cases */

static void alloc_run_others(void)
{
    alloc_run_kernels();
    alloc_run_online();
    alloc_run_generators();
    alloc_run_confirm();
    alloc_run_measure();
    alloc_run_show();
    alloc_run_geometry();
}

int main(void)
{
    const hsp_option_table *read = hsp_read_options(), *write = hsp_write_options(),
                           *scale = hsp_scale_options(), *svm = hsp_learner_find("svm");
    const alloc_case cases[] = {
        {"a report", NULL, {0}, alloc_report_json},
        {"options", NULL, {0}, alloc_options_new},
        {"options of a learner", NULL, {0}, alloc_options_for},
        {"set typed values", read, {0}, alloc_options_typed},
        {"set a text", read, {0}, alloc_options_text},
        {"set a list", read, {"ignore", "size"}, alloc_options_list},
        {"copy options",
         read,
         {"ignore", "size", "ignore", "colour", "label", "class"},
         alloc_options_copy},
        {"read libsvm", NULL, {0}, alloc_read_libsvm},
        {"read libsvm, dense doubles",
         read,
         {"storage", "dense", "precision", "double", "features", "9"},
         alloc_read_libsvm},
        {"read CSV, drop", read, {"missing", "drop"}, alloc_read_csv},
        {"read CSV, mean", read, {"missing", "mean", "storage", "sparse"}, alloc_read_csv},
        {"read CSV, indicator and ordinal",
         read,
         {"missing", "indicator", "ordinal", "size=small<medium<large", "ignore", "colour"},
         alloc_read_csv},
        {"read two CSV files", read, {"missing", "mean"}, alloc_read_files},
        {"read CSV with an encoding", read, {"missing", "drop"}, alloc_read_encoded},
        {"read a cache", NULL, {0}, alloc_read_hsp},
        {"read a cache as doubles", read, {"precision", "double"}, alloc_read_hsp},
        {"parse libsvm", NULL, {0}, alloc_parse},
        {"parse CSV", read, {"missing", "mean"}, alloc_parse_csv},
        {"check a view", NULL, {0}, alloc_check_view},
        {"view a cache", NULL, {0}, alloc_view},
        {"verify a cache", NULL, {0}, alloc_verify},
        {"write libsvm", NULL, {0}, alloc_write_libsvm},
        {"write CSV", NULL, {0}, alloc_write_csv},
        {"write TSV", write, {"to", "tsv"}, alloc_write_csv},
        {"write a cache", NULL, {0}, alloc_write_hsp},
        {"copy", NULL, {0}, alloc_copy},
        {"borrow rows", NULL, {0}, alloc_borrow},
        {"select", NULL, {0}, alloc_select},
        {"fit max-abs", scale, {"kind", "max-abs"}, alloc_fit},
        {"fit standard", scale, {"kind", "standard"}, alloc_fit},
        {"fit min-max", scale, {"kind", "min-max"}, alloc_fit},
        {"fit unit-rows", scale, {"kind", "unit-rows"}, alloc_fit},
        {"fit unit-ball", scale, {"kind", "unit-ball"}, alloc_fit},
        {"fit votes", scale, {"kind", "votes"}, alloc_fit},
        {"apply a scaling", NULL, {0}, alloc_apply},
        {"read a scaling", NULL, {0}, alloc_scaling_read},
        {"write a scaling", NULL, {0}, alloc_scaling_write},
        {"read an encoding", NULL, {0}, alloc_encoding_read},
        {"write an encoding", NULL, {0}, alloc_encoding_write},
        {"write two files together", NULL, {0}, alloc_files},
        {"summary", NULL, {0}, alloc_summary},
        {"profile", NULL, {0}, alloc_profile},
        {"groups and times", NULL, {0}, alloc_groups},
        {"cross-validate", hsp_learner_find("perceptron"), {"passes", "2"}, alloc_validate},
        /* not with scaling or votes: a part of the rows that was refused memory is scored again */
        {"cross-validate, one against the rest",
         hsp_learner_find("perceptron"),
         {"classes", "maybe,yes,no", "average", "average", "positive", "yes"},
         alloc_validate},
        {"tune", hsp_learner_find("perceptron"), {"rate", "2"}, alloc_tune},
        {"tune with warm starts", svm, {"gap", "0.01", "classes", "no,yes"}, alloc_tune},
    };
    CHECK(mkdtemp(alloc_folder) != NULL);
    alloc_put_file("in.svm", alloc_libsvm);
    alloc_put_file("in.csv", alloc_csv);
    RUN(context);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
    alloc_run_others();
    RUN(nothing_is_left);
    return check_done();
}
