/* train knn: leave-one-out against a naive count, what the model keeps, edges, the same bits on any
 * number of threads, and inside cross-validation and tuning. */
#include <unistd.h>

#include "base/memory.h"
#include "learn/machine.h"
#include "model/model.h"

static hsp_context *context(int threads)
{
    hsp_context *ctx = NULL;
    if (hsp_context_new(NULL, &ctx) || hsp_context_set_threads(ctx, threads)) abort();
    return ctx;
}

/* Rows on a small grid, so that distances are equal and rows repeat. */
static void grid(machine_set *set, uint64_t n, uint64_t d, uint32_t classes, uint64_t seed)
{
    hsp__random random;
    hsp__random_seed(&random, 40, seed);
    *set = (machine_set){.n = n, .d = d, .classes = classes};
    for (uint64_t i = 0; i < n; i++) {
        set->label[i] = (uint32_t)(i < classes ? i : hsp__random_below(&random, classes));
        for (uint64_t j = 0; j < d; j++)
            set->x[i * d + j] = (double)hsp__random_below(&random, 4) +
                                (hsp__random_below(&random, 2) ? 0 : set->label[i]);
    }
}

static double distance_between(const machine_set *set, uint64_t i, uint64_t j)
{
    double sum = 0;
    for (uint64_t k = 0; k < set->d; k++)
        sum += (set->x[i * set->d + k] - set->x[j * set->d + k]) *
               (set->x[i * set->d + k] - set->x[j * set->d + k]);
    return sqrt(sum);
}

/* The class that the k nearest rows other than `self` give, by counting; ties as documented. */
static uint32_t naive_class(const machine_set *set, uint64_t self, uint64_t k, int by_distance)
{
    int used[MACHINE_ROWS] = {0};
    double votes[8] = {0}, first[8], nearest = -1;
    for (uint32_t c = 0; c < 8; c++)
        first[c] = HUGE_VAL;
    for (uint64_t r = 0; r < k; r++) {
        uint64_t best = MACHINE_ROWS;
        for (uint64_t i = 0; i < set->n; i++)
            if (i != self && !used[i] &&
                (best == MACHINE_ROWS ||
                 distance_between(set, self, i) < distance_between(set, self, best)))
                best = i;
        const double d = distance_between(set, self, best);
        const uint32_t class = set->label[best];
        if (r == 0) nearest = d;
        used[best] = 1;
        first[class] = fmin(first[class], d);
        votes[class] += !by_distance ? 1 : nearest > 0 ? nearest / d : d == 0;
    }
    uint32_t winner = 0;
    for (uint32_t c = 1; c < set->classes; c++)
        if (votes[c] > votes[winner] || (votes[c] == votes[winner] && first[c] < first[winner]))
            winner = c;
    return winner;
}

static void k_is_chosen_by_leave_one_out(void)
{
    hsp_context *ctx = context(2);
    for (uint64_t seed = 0; seed < 40; seed++) {
        machine_set set;
        char settings[100];
        hsp_knn_report about = {.size = sizeof about};
        const int by_distance = seed & 1;
        const uint64_t most = seed % 5 == 0 ? 200 : 9;
        grid(&set, 4 + seed, 1 + seed % 3, 2 + (uint32_t)(seed % 3), seed);
        snprintf(settings, sizeof settings, "k=auto max-k=%llu vote=%s", (unsigned long long)most,
                 by_distance ? "distance" : "majority");
        hsp_data *data = machine_data(ctx, &set);
        hsp_model *model = machine_train(ctx, data, "knn", settings, NULL);
        CHECK(model && hsp_model_knn(model, &about));
        CHECK(about.tried == (most < set.n ? most : set.n - 1) && about.rows == set.n);
        uint64_t best = 0;
        for (uint64_t k = 1; k <= about.tried; k++) {
            uint64_t wrong = 0;
            for (uint64_t i = 0; i < set.n; i++)
                wrong += naive_class(&set, i, k, by_distance) != set.label[i];
            CHECK_NOTE(about.mistakes[k - 1] == wrong, "seed %llu, k %llu: %llu, want %llu",
                       (unsigned long long)seed, (unsigned long long)k,
                       (unsigned long long)about.mistakes[k - 1], (unsigned long long)wrong);
            if (wrong < about.mistakes[best]) best = k - 1;
        }
        CHECK(about.k == best + 1); /* the smallest of the best */
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)about.k);
        CHECK_TEXT(hsp_model_metadata(model, "k"), text);
        hsp_model_free(model);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

/* The model keeps every row: with k = 1 each row has its own class, unless an equal row is earlier.
 */
static void the_nearest_row_is_oneself(void)
{
    hsp_context *ctx = context(1);
    static const char *const settings[] = {"k=1",
                                           "k=1 metric=l1",
                                           "k=1 metric=linf",
                                           "k=1 metric=cosine scale=standard",
                                           "k=1 metric=hamming",
                                           "k=1 metric=kernel:rbf(median)",
                                           "k=1 metric=kernel:laplace(0.1) scale=min-max",
                                           "k=1 index=scan normalize=ball",
                                           "k=3 vote=distance"};
    machine_set set;
    machine_random(&set, 120, 5, 3, 1, 4);
    hsp_data *data = machine_data(ctx, &set);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        hsp_training run = {.size = sizeof run};
        hsp_evaluation out = {.size = sizeof out};
        hsp_model *model = machine_train(ctx, data, "knn", settings[s], &run);
        CHECK(run.stop == HSP_STOP_CONVERGED && run.rows == 120 && isnan(run.training_error));
        CHECK(hsp_evaluate(ctx, model, data, NULL, &out, NULL) == HSP_OK);
        CHECK_NOTE(out.mistakes == 0 && out.ties == 0, "%s: %llu", settings[s],
                   (unsigned long long)out.mistakes);
        CHECK(isnan(out.hinge_loss) && isnan(out.functional_margin) && out.log_loss >= 0);
        hsp_model_free(model);
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void rows_are_numbered_as_they_were_given(void)
{
    hsp_context *ctx = context(2);
    machine_set set;
    machine_random(&set, 90, 4, 4, 1, 5);
    hsp_data *data = machine_data(ctx, &set);
    hsp_model *model = machine_train(ctx, data, "knn", "k=2 classes=d,b scale=standard", NULL);
    hsp_neighbor near[MACHINE_ROWS];
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    CHECK(hsp_model_neighbors(ctx, model, view, 1, NULL, near) == HSP_OK);
    for (uint64_t i = 0; i < set.n; i++) {
        const uint32_t label = set.label[near[i].row];
        CHECK(label == 3 || label == 1);
        CHECK(near[i].class_index == (label == 3 ? 0 : 1));
        if (set.label[i] == 3 || set.label[i] == 1)
            CHECK(near[i].row == i && near[i].distance == 0);
    }
    hsp_model_free(model);
    model = machine_train(ctx, data, "knn", "k=1 positive=c", NULL);
    CHECK_TEXT(hsp_model_class_name(model, 0), "rest");
    CHECK(hsp_model_neighbors(ctx, model, view, 1, NULL, near) == HSP_OK);
    for (uint64_t i = 0; i < set.n; i++)
        CHECK(near[i].row == i && near[i].class_index == (set.label[i] == 2));
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static void edges_have_answers(void)
{
    hsp_context *ctx = context(1);
    machine_set two = {.n = 2, .d = 1, .classes = 2, .x = {0, 1}, .label = {0, 1}};
    hsp_data *data = machine_data(ctx, &two);
    hsp_knn_report about = {.size = sizeof about};
    machine_refused(ctx, data, "knn", "k=0", HSP_USAGE, "'0', expected a whole number");
    machine_refused(ctx, data, "knn", "k=-1", HSP_USAGE, "expected a whole number");
    machine_refused(ctx, data, "knn", "k=1.5", HSP_USAGE, "expected a whole number");
    machine_refused(ctx, data, "knn", "k=many", HSP_USAGE, "or auto");
    machine_refused(ctx, data, "knn", "k=3", HSP_USAGE, "only 2 training rows");
    machine_refused(ctx, data, "knn", "k=1 max-k=3", HSP_USAGE, "k auto");
    machine_refused(ctx, data, "knn", "metric=l3", HSP_USAGE, "'l3', expected l2");
    machine_refused(ctx, data, "knn", "k=1 metric=kernel:", HSP_USAGE, "column");
    machine_refused(ctx, data, "knn", "k=1 metric=kernel:precomputed", HSP_USAGE, "precomputed");
    machine_refused(ctx, data, "knn", "k=1 metric=kernel:sigmoid(1,0)", HSP_USAGE, "sigmoid");
    machine_refused(ctx, data, "knn", "k=1 metric=hamming index=tree", HSP_USAGE, "tree");
    hsp_model *model = machine_train(ctx, data, "knn", "k=auto", NULL);
    CHECK(hsp_model_knn(model, &about) && about.k == 1 && about.tried == 1);
    CHECK(about.mistakes[0] == 2); /* the only other row is of the other class */
    hsp_model_free(model);
    hsp_data_free(data);
    machine_set none = {.n = 3, .classes = 2, .label = {0, 1, 0}};
    data = machine_data(ctx, &none);
    machine_refused(ctx, data, "knn", "k=1", HSP_BAD_DATA, "no columns");
    hsp_data_free(data);
    machine_set one = {.n = 3, .d = 1, .classes = 1, .x = {0, 1, 2}};
    data = machine_data(ctx, &one);
    machine_refused(ctx, data, "knn", "k=1", HSP_BAD_DATA, "all rows are of the class 'a'");
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* All rows equal: the nearest are the first, and the class that has most of them wins. */
static void identical_points_vote_in_order(void)
{
    hsp_context *ctx = context(3);
    machine_set set = {.n = 9, .d = 2, .classes = 3, .label = {2, 1, 1, 2, 0, 0, 0, 0, 0}};
    static const uint32_t want[] = {2, 1, 1, 1, 1, 0, 0, 0, 0}; /* k = 1, 2, ... */
    double x[] = {0, 0}, far[] = {5, 1};
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < 18; i++)
            set.x[i] = kind & 1 ? 0 : 1.5; /* rows of zeros, too */
        hsp_data *data = machine_data(ctx, &set);
        for (uint64_t k = 1; k <= 9; k++) {
            char settings[64];
            snprintf(settings, sizeof settings, "k=%llu vote=%s", (unsigned long long)k,
                     kind & 2 ? "distance" : "majority");
            hsp_model *model = machine_train(ctx, data, "knn", settings, NULL);
            for (int q = 0; q < 2; q++) {
                const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 2, 2, q ? far : x);
                double scores[3];
                uint32_t class;
                CHECK(hsp_model_score(ctx, model, &view, NULL, scores, &class) == HSP_OK);
                CHECK_NOTE(class == want[k - 1], "k %llu: class %u", (unsigned long long)k, class);
            }
            hsp_model_free(model);
        }
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

/* Columns that the model has never seen are part of the distance; a scaling does not know them. */
static void unknown_columns_count(void)
{
    hsp_context *ctx = context(1);
    machine_set set = {.n = 2, .d = 1, .classes = 2, .x = {0, 3}, .label = {0, 1}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_model *plain = machine_train(ctx, data, "knn", "k=1", NULL);
    hsp_model *scaled = machine_train(ctx, data, "knn", "k=1 scale=max-abs", NULL);
    double x[] = {3, 4};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 2, 2, x);
    hsp_neighbor near[2];
    CHECK(hsp_model_neighbors(ctx, plain, &view, 2, NULL, near) == HSP_OK);
    CHECK(near[0].row == 1 && near[0].distance == 4 && near[1].distance == 5);
    CHECK(hsp_model_neighbors(ctx, scaled, &view, 2, NULL, near) == HSP_OK);
    CHECK(near[0].row == 1 && near[0].distance == 0 && near[1].distance == 1);
    hsp_model_free(plain);
    hsp_model_free(scaled);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- The same bits --------------------------------------------------------------------------- */

static void threads_do_not_matter(void)
{
    static const char *const settings[] = {"k=auto", "k=auto metric=cosine vote=distance",
                                           "k=auto metric=kernel:rbf(median)",
                                           "k=7 scale=standard metric=l1"};
    machine_set set;
    machine_random(&set, 160, 8, 4, 0.7, 6);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        double scores[2][MACHINE_ROWS * 4];
        hsp_knn_report about[2] = {{.size = sizeof *about}, {.size = sizeof *about}};
        hsp_model *models[2];
        hsp_context *ctxs[2];
        for (int t = 0; t < 2; t++) {
            hsp_context *ctx = ctxs[t] = context(t ? 4 : 1);
            const hsp_view *view = NULL;
            hsp_data *data = machine_data(ctx, &set);
            models[t] = machine_train(ctx, data, "knn", settings[s], NULL);
            CHECK(hsp_model_knn(models[t], &about[t]));
            CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
            CHECK(hsp_model_score(ctx, models[t], view, NULL, scores[t], NULL) == HSP_OK);
            hsp_data_free(data);
        }
        CHECK_NOTE(memcmp(scores[0], scores[1], sizeof scores[0]) == 0, "%s", settings[s]);
        CHECK(about[0].k == about[1].k && about[0].tried == about[1].tried);
        CHECK(!about[0].tried ||
              memcmp(about[0].mistakes, about[1].mistakes, about[0].tried * sizeof(uint64_t)) == 0);
        for (int t = 0; t < 2; t++) {
            hsp_model_free(models[t]);
            hsp_context_free(ctxs[t]);
        }
    }
}

/* ---- Inside other calls ---------------------------------------------------------------------- */

static void validation_and_tuning_work(void)
{
    hsp_context *ctx = context(2);
    machine_set set;
    hsp_validation *validation = NULL;
    hsp_tuning *tuning = NULL;
    hsp_options *tune = NULL;
    hsp_model *model = NULL;
    hsp_error err = {0};
    machine_random(&set, 150, 4, 3, 1.5, 7);
    hsp_data *data = machine_data(ctx, &set);
    hsp_options *options = machine_options(ctx, "knn", "k=auto max-k=20");
    CHECK(hsp_cross_validate(ctx, data, options, NULL, NULL, &validation) == HSP_OK);
    CHECK(hsp_validation_held_out(validation)->error < 0.5);
    hsp_validation_free(validation);
    hsp_options_free(options);
    options = machine_options(ctx, "knn", "vote=distance");
    CHECK(hsp_options_new(ctx, hsp_tune_options(), NULL, &tune) == HSP_OK);
    CHECK(hsp_options_set(tune, "tune", "k=1:15:lin:8", NULL) == HSP_OK);
    CHECK_NOTE(hsp_tune(ctx, data, options, tune, &err, &tuning, NULL, &model) == HSP_OK, "%s",
               err.message);
    CHECK(hsp_tuning_points(tuning) == 8);
    CHECK_TEXT(hsp_tuning_value(tuning, 7, 0), "15");
    CHECK_TEXT(hsp_model_metadata(model, "k"),
               hsp_tuning_value(tuning, hsp_tuning_chosen(tuning), 0));
    hsp_tuning_free(tuning);
    hsp_options_free(tune);
    tune = NULL;
    CHECK(hsp_options_new(ctx, hsp_tune_options(), NULL, &tune) == HSP_OK);
    CHECK(hsp_options_set(tune, "tune", "index=scan,auto", NULL) == HSP_OK);
    CHECK(hsp_tune(ctx, data, options, tune, &err, &tuning, NULL, NULL) == HSP_USAGE);
    CHECK(strstr(err.message, "index cannot be tuned") != NULL);
    hsp_model_free(model);
    hsp_options_free(tune);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void memory_may_run_out(void)
{
    machine_set set;
    machine_random(&set, 24, 3, 3, 1, 8);
    machine_starve(&set, "knn", "k=auto max-k=5");
    machine_starve(&set, "knn", "k=3 scale=standard normalize=rows metric=cosine");
    machine_starve(&set, "knn", "k=auto max-k=3 classes=c,a metric=kernel:rbf(median)");
}

static int stop_at_once(void *user, const hsp_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "leaving rows out") == 0;
}

static void a_request_to_stop_is_heard(void)
{
    hsp_context *ctx = context(2);
    machine_set set;
    hsp_error err = {0};
    hsp_model *model = NULL;
    machine_random(&set, 60, 3, 3, 1, 9);
    hsp_data *data = machine_data(ctx, &set);
    hsp_options *options = machine_options(ctx, "knn", "k=auto");
    hsp_context_set_progress(ctx, stop_at_once, NULL);
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_CANCELLED && model == NULL);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(k_is_chosen_by_leave_one_out);
    RUN(the_nearest_row_is_oneself);
    RUN(rows_are_numbered_as_they_were_given);
    RUN(edges_have_answers);
    RUN(identical_points_vote_in_order);
    RUN(unknown_columns_count);
    RUN(threads_do_not_matter);
    RUN(validation_and_tuning_work);
    RUN(memory_may_run_out);
    RUN(a_request_to_stop_is_heard);
    return check_done();
}
