/* The search for a good model: it finds what the data was made for, its score is of rows that had
 * no part in the choice, and the same data gives the same answer. */
#include <math.h>
#include <stdlib.h>

#include "../check.h"
#include "base/context.h"
#include "base/random.h"
#include "halfspace_all.h"
#include "options.h"

/* Rows of two columns: a circle in a square, or (linear) a half of it; every `rare`-th row may be of
 * the second class. */
static hsp_data *shape(hsp_context *ctx, uint64_t rows, int linear, int rare)
{
    char *text = malloc(rows * 64);
    size_t size = 0;
    hsp__random random;
    hsp__random_seed(&random, 5, 0);
    for (uint64_t i = 0; i < rows; i++) {
        const double x = (double)hsp__random_below(&random, 2000) / 1000 - 1;
        const double y = (double)hsp__random_below(&random, 2000) / 1000 - 1;
        const int in = linear ? x + 0.3 * y > 0 : x * x + y * y < 0.6;
        size +=
            (size_t)sprintf(text + size, "%s 1:%g 2:%g\n",
                            in && hsp__random_below(&random, (uint64_t)rare) == 0 ? "yes" : "no",
                            x + 1e-9, y + 1e-9);
    }
    hsp_data *data = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_data_parse(ctx, text, size, "rows", NULL, NULL, &err, &data) == HSP_OK, "%s",
               err.message);
    free(text);
    return data;
}

static void test_a_circle_needs_a_kernel_or_neighbours(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (int linear = 0; linear < 2; linear++) {
        hsp_data *data = shape(ctx, 200, linear, 1);
        hsp_search *search = NULL;
        hsp_model *model = NULL;
        hsp_error err = {0};
        CHECK_NOTE(hsp_auto(ctx, data, NULL, &err, &search, NULL, &model) == HSP_OK, "%s",
                   err.message);
        const hsp_search_report *all = hsp_search_result(search);
        const hsp_search_try *chosen = hsp_search_tried(search, all->chosen);
        CHECK_TEXT(all->score_name, "error");
        CHECK_NOTE(linear == !strstr(chosen->options, "rbf") || !linear, "%s", all->command);
        CHECK_NOTE(all->score <= 0.06 && all->majority > 0.3, "%g", all->score);
        CHECK(all->outer == 5 && all->rows == 200 && all->stop == HSP_STOP_CONVERGED);
        CHECK(fabs(all->score - (double)all->mistakes / 200) <= 1e-12); /* equal folds */
        CHECK(all->chosen == 0 && chosen->folds == 15 && chosen->rows == 200);
        for (uint64_t t = 1; t < all->tried; t++) { /* best first, in each comparison */
            const hsp_search_try *one = hsp_search_tried(search, t),
                                 *before = hsp_search_tried(search, t - 1);
            CHECK(one->folds <= before->folds);
            CHECK(one->folds < before->folds || one->score >= before->score - 1e-12);
        }
        CHECK(!hsp_search_tried(search, all->tried));
        CHECK(hsp_model_metadata(model, "tuning") != NULL);
        hsp_model_free(model);
        hsp_search_free(search);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

/* Few rows of a class: the area under the curve decides, and samples keep the class. */
static void test_rare_classes_are_ranked(void)
{
    hsp_context *ctx = NULL;
    hsp_search *search = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_data *data = shape(ctx, 1500, 1, 20);
    CHECK(hsp_auto(ctx, data, NULL, NULL, &search, NULL, NULL) == HSP_OK);
    const hsp_search_report *all = hsp_search_result(search);
    CHECK_TEXT(all->score_name, "auc");
    CHECK(all->majority == 0.5 && all->score > 0.6 && all->score <= 1 && all->standard_error > 0);
    CHECK(all->outer == 1 && all->rows == 300 && all->search_rows == 1200);
    hsp_search_free(search);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_the_same_for_any_number_of_threads(void)
{
    double score[2], error[2];
    char command[2][200];
    for (int t = 0; t < 2; t++) {
        hsp_context *ctx = NULL;
        hsp_search *search = NULL;
        CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
        CHECK(hsp_context_set_threads(ctx, t + 1) == HSP_OK);
        hsp_data *data = shape(ctx, 150, 0, 1);
        CHECK(hsp_auto(ctx, data, NULL, NULL, &search, NULL, NULL) == HSP_OK);
        const hsp_search_report *all = hsp_search_result(search);
        score[t] = all->score;
        error[t] = hsp_search_tried(search, all->chosen)->score;
        snprintf(command[t], sizeof command[t], "%s", all->command);
        hsp_search_free(search);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
    CHECK(score[0] == score[1] && error[0] == error[1]);
    CHECK_TEXT(command[0], command[1]);
}

static void test_refusals(void)
{
    hsp_context *ctx = NULL;
    hsp_search *search = NULL;
    hsp_data *data = NULL;
    hsp_error err = {0};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    static const char three[] = "a 1:1\nb 1:2\nc 1:3\na 1:1\nb 1:2\nc 1:3\n";
    CHECK(hsp_data_parse(ctx, three, sizeof three - 1, "rows", NULL, NULL, NULL, &data) == HSP_OK);
    hsp_options *auc =
        test_options_pairs(ctx, hsp_auto_options(), (const char *const[]){"score", "auc", NULL});
    CHECK(hsp_auto(ctx, data, auc, &err, &search, NULL, NULL) == HSP_USAGE && !search);
    CHECK(strstr(err.message, "two classes"));
    hsp_options_free(auc);
    hsp_data_free(data);
    CHECK(hsp_data_parse(ctx, "a 1:1\na 1:2\n", 12, "rows", NULL, NULL, NULL, &data) == HSP_OK);
    CHECK(hsp_auto(ctx, data, NULL, &err, &search, NULL, NULL) == HSP_BAD_DATA && !search);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Interrupted ---- */

static int calls, most;

static int stop_after(void *user, const hsp_progress *progress)
{
    (void)user, (void)progress;
    return ++calls > most;
}

static void test_a_request_keeps_the_best_so_far(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_data *data = shape(ctx, 300, 0, 1);
    hsp_context_set_progress(ctx, stop_after, NULL);
    int kept = 0;
    for (most = 0; most < 4000; most = 3 * most + 1) {
        hsp_search *search = NULL;
        hsp_model *model = NULL;
        calls = 0;
        const hsp_status status = hsp_auto(ctx, data, NULL, NULL, &search, NULL, &model);
        CHECK(status == HSP_CANCELLED || status == HSP_OK);
        if (status == HSP_CANCELLED && search) {
            kept++;
            CHECK(hsp_search_result(search)->stop == HSP_STOP_REQUEST);
            CHECK(strncmp(hsp_search_result(search)->command, "train ", 6) == 0);
        }
        hsp_model_free(model);
        hsp_search_free(search);
        if (status == HSP_OK) break;
    }
    CHECK(kept > 0);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Out of memory ---- */

typedef struct refusing {
    long long live;
    unsigned long long asked, fail_at;
} refusing;

static void *refusing_reallocate(void *user, void *pointer, size_t size)
{
    refusing *memory = user;
    if (++memory->asked == memory->fail_at) return NULL;
    void *block = realloc(pointer, size);
    if (block && !pointer) memory->live++;
    return block;
}

static void refusing_release(void *user, void *pointer)
{
    if (pointer) ((refusing *)user)->live--;
    free(pointer);
}

static void test_memory_that_runs_out(void)
{
    refusing memory = {0};
    const hsp_allocator allocator = {refusing_reallocate, refusing_release, &memory};
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(&allocator, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 1) == HSP_OK);
    hsp_data *data = shape(ctx, 40, 1, 1);
    const long long live = memory.live;
    hsp_status status = HSP_NO_MEMORY;
    for (unsigned long long n = 1; status == HSP_NO_MEMORY; n += n / 2 + 1) {
        hsp_search *search = NULL;
        hsp_model *model = NULL;
        memory.asked = 0;
        memory.fail_at = n;
        status = hsp_auto(ctx, data, NULL, NULL, &search, NULL, &model);
        memory.fail_at = 0;
        CHECK_NOTE(status == HSP_NO_MEMORY ? !search && !model : status == HSP_OK, "%llu", n);
        hsp_model_free(model);
        hsp_search_free(search);
        CHECK_NOTE(memory.live == live, "%llu", n);
    }
    CHECK(status == HSP_OK);
    hsp_data_free(data);
    hsp_context_free(ctx);
    CHECK(memory.live == 0);
}

int main(void)
{
    RUN(test_a_circle_needs_a_kernel_or_neighbours);
    RUN(test_rare_classes_are_ranked);
    RUN(test_the_same_for_any_number_of_threads);
    RUN(test_refusals);
    RUN(test_a_request_keeps_the_best_so_far);
    RUN(test_memory_that_runs_out);
    return check_done();
}
