/* Models of nearest neighbours: the vote and its ties by hand and against a naive one, files that
 * come back, what is not whole, probabilities, neighbours of a file. */
#include "base/json.h"
#include "model/helpers.h"
#include "model/neighbors.h"

/* ---- The vote -------------------------------------------------------------------------------- */

/* Neighbours, nearest first, as "class:distance"; who wins, and the scores. */
typedef struct vote_case {
    hsp__vote_rule vote;
    uint32_t classes, count;
    struct {
        uint32_t class;
        double distance;
    } of[6];
    uint32_t winner;
    double votes[4]; /* of each class, in units of the nearest one's */
} vote_case;

static const vote_case vote_cases[] = {
    {HSP__VOTE_MAJORITY, 2, 1, {{1, 2}}, 1, {0, 1}},
    {HSP__VOTE_MAJORITY, 2, 3, {{0, 1}, {1, 2}, {1, 3}}, 1, {1, 2}},
    {HSP__VOTE_MAJORITY, 2, 2, {{1, 1}, {0, 2}}, 1, {1, 1}},                 /* the nearer */
    {HSP__VOTE_MAJORITY, 2, 2, {{1, 2}, {0, 2}}, 0, {1, 1}},                 /* the first class */
    {HSP__VOTE_MAJORITY, 2, 4, {{0, 1}, {1, 1}, {1, 2}, {0, 3}}, 0, {2, 2}}, /* nearest equal */
    {HSP__VOTE_MAJORITY, 3, 4, {{2, 1}, {1, 2}, {1, 2}, {2, 3}}, 2, {0, 2, 2}},
    {HSP__VOTE_MAJORITY, 3, 3, {{2, 0}, {1, 0}, {0, 0}}, 0, {1, 1, 1}},
    {HSP__VOTE_MAJORITY, 4, 4, {{3, 0}, {1, 5}, {2, 5}, {3, 6}}, 3, {0, 1, 1, 2}},
    {HSP__VOTE_DISTANCE, 2, 3, {{0, 1}, {1, 4}, {1, 4}}, 0, {1, 0.5}},
    {HSP__VOTE_DISTANCE, 2, 3, {{0, 1}, {1, 2}, {1, 2}}, 0, {1, 1}}, /* the nearer */
    {HSP__VOTE_DISTANCE, 2, 3, {{0, 1}, {1, 1.5}, {1, 2}}, 1, {1, 7.0 / 6}},
    {HSP__VOTE_DISTANCE, 2, 4, {{1, 0}, {0, 1}, {0, 1}, {0, 1}}, 1, {0, 1}},    /* at 0 */
    {HSP__VOTE_DISTANCE, 3, 4, {{1, 0}, {2, 0}, {2, 0}, {0, 1}}, 2, {0, 1, 2}}, /* only those */
    {HSP__VOTE_DISTANCE, 2, 2, {{1, 1e-310}, {0, 1}}, 1, {1e-310, 1}},
    {HSP__VOTE_DISTANCE, 2, 3, {{0, 1}, {1, HUGE_VAL}, {1, HUGE_VAL}}, 0, {1, 0}},
    {HSP__VOTE_DISTANCE, 2, 3, {{0, HUGE_VAL}, {1, HUGE_VAL}, {1, HUGE_VAL}}, 1, {1, 2}},
};

static void votes_are_counted(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof vote_cases / sizeof *vote_cases; i++) {
        const vote_case *want = &vote_cases[i];
        hsp__knn_vote ballot;
        double scores[4] = {0}, all = 0;
        CHECK(hsp__knn_vote_init(&ballot, &ctx->allocator, want->classes, want->vote, NULL) ==
              HSP_OK);
        for (uint32_t n = 0; n < want->count; n++)
            hsp__knn_vote_add(&ballot, want->of[n].class, want->of[n].distance);
        CHECK_NOTE(hsp__knn_vote_winner(&ballot) == want->winner, "case %zu", i);
        for (uint32_t c = 0; c < want->classes; c++) {
            CHECK_NOTE(fabs(ballot.votes[c] - want->votes[c]) <= 1e-15, "case %zu", i);
            all += want->votes[c];
        }
        hsp__knn_vote_scores(&ballot, scores);
        if (want->classes == 2) {
            CHECK_NOTE(fabs(scores[0] - (want->votes[1] - want->votes[0]) / all) <= 1e-15,
                       "case %zu: %g", i, scores[0]);
            CHECK_NOTE(want->winner ? scores[0] > 0 : scores[0] < 0, "case %zu", i);
        }
        for (uint32_t c = 0; want->classes > 2 && c < want->classes; c++) {
            CHECK_NOTE(fabs(scores[c] - want->votes[c] / all) <= 1e-15, "case %zu", i);
            CHECK_NOTE(c == want->winner || scores[c] < scores[want->winner], "case %zu", i);
        }
        hsp__knn_vote_free(&ballot, &ctx->allocator);
    }
    hsp_context_free(ctx);
}

/* ---- Scores against a naive model ------------------------------------------------------------ */

static double naive_distance(hsp__metric metric, const hsp_data *a, uint64_t i, const hsp_data *b,
                             uint64_t j)
{
    double sum = 0, most = 0, xx = 0, xy = 0, yy = 0, squares = 0;
    int differ = 0;
    for (uint64_t k = 0; k < a->view.cols || k < b->view.cols; k++) {
        const double x = k < a->view.cols ? test_at(a, i, k) : 0;
        const double y = k < b->view.cols ? test_at(b, j, k) : 0;
        sum += fabs(x - y), most = fmax(most, fabs(x - y)), differ += x != y;
        xx += x * x, xy += x * y, yy += y * y, squares += (x - y) * (x - y);
    }
    if (metric == HSP__METRIC_L2) return sqrt(squares);
    if (metric == HSP__METRIC_L1) return sum;
    if (metric == HSP__METRIC_LINF) return most;
    if (metric == HSP__METRIC_HAMMING) return differ;
    if (xx == 0 || yy == 0) return xx == yy ? 0 : 1;
    return fmax(0, 1 - xy / sqrt(xx * yy));
}

enum { MOST = 40 };

/* The k nearest by selection, then the votes in long double; the class, HSP_NO_CLASS where rounding
 * could decide. */
static uint32_t naive_class(const hsp_model *model, const hsp_data *queries, uint64_t q,
                            uint64_t nearest[MOST], double share[4])
{
    const hsp__neighbors *own = model->neighbors;
    const uint64_t rows = own->rows->view.rows;
    double distance[MOST], first[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    int used[MOST] = {0};
    long double votes[4] = {0}, all = 0;
    for (uint64_t i = 0; i < rows; i++)
        distance[i] = naive_distance(own->metric, queries, q, own->rows, i);
    for (uint64_t r = 0; r < own->k; r++) {
        uint64_t best = MOST;
        for (uint64_t i = 0; i < rows; i++)
            if (!used[i] && (best == MOST || distance[i] < distance[best])) best = i;
        const uint32_t class = own->labels[best];
        used[best] = 1, nearest[r] = best;
        if (first[class] > distance[best]) first[class] = distance[best];
        if (own->vote == HSP__VOTE_MAJORITY)
            votes[class] += 1;
        else if (distance[nearest[0]] == 0)
            votes[class] += distance[best] == 0;
        else
            votes[class] += 1 / (long double)distance[best];
    }
    uint32_t winner = 0;
    for (uint32_t c = 0; c < model->class_names.count; c++)
        all += votes[c];
    for (uint32_t c = 0; c < model->class_names.count; c++) {
        share[c] = (double)(votes[c] / all);
        const long double lead = votes[c] - votes[winner];
        if (lead > 0 || (lead == 0 && first[c] < first[winner])) winner = c;
    }
    for (uint32_t c = 0; c < model->class_names.count; c++)
        if (c != winner && fabsl(votes[c] - votes[winner]) < 1e-12L * all &&
            own->vote == HSP__VOTE_DISTANCE)
            return HSP_NO_CLASS;
    return winner;
}

static void scores_are_those_of_a_naive_model(void)
{
    hsp_context *ctx = test_context(3, 0);
    uint64_t decided = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        enum { QUERIES = 20 };
        hsp__random random;
        hsp__random_seed(&random, 11, seed);
        const uint32_t classes = 2 + (uint32_t)hsp__random_below(&random, 3);
        const uint64_t rows = 1 + hsp__random_below(&random, MOST);
        hsp_model *model =
            test_neighbors(ctx, &random, classes, rows, 1 + hsp__random_below(&random, 5),
                           (hsp_storage)hsp__random_below(&random, 3));
        hsp_data *queries = test_rows(ctx, &random, QUERIES, 1 + hsp__random_below(&random, 6),
                                      (hsp_storage)hsp__random_below(&random, 3));
        double scores[QUERIES * 4], share[4] = {0};
        uint32_t got[QUERIES];
        hsp_neighbor near[QUERIES * 7];
        CHECK(hsp_model_score(ctx, model, &queries->view, NULL, scores, got) == HSP_OK);
        CHECK(hsp_model_neighbors(ctx, model, &queries->view, 0, NULL, near) == HSP_OK);
        for (uint64_t q = 0; q < QUERIES; q++) {
            uint64_t nearest[MOST];
            const uint64_t k = model->neighbors->k, *source = model->neighbors->source;
            const uint32_t class = naive_class(model, queries, q, nearest, share);
            CHECK_NOTE(class == HSP_NO_CLASS || got[q] == class, "seed %llu",
                       (unsigned long long)seed);
            decided += class != HSP_NO_CLASS;
            for (uint64_t r = 0; r < k; r++) {
                const hsp_neighbor *one = &near[q * k + r];
                CHECK(one->row == (source ? source[nearest[r]] : nearest[r]));
                CHECK(one->class_index == model->neighbors->labels[nearest[r]]);
                CHECK(one->distance == naive_distance(model->neighbors->metric, queries, q,
                                                      model->neighbors->rows, nearest[r]));
            }
            for (uint32_t c = 0; c < classes; c++) {
                const double s = classes == 2 ? scores[q] : scores[q * classes + c];
                CHECK(fabs(s - (classes == 2 ? share[1] - share[0] : share[c])) <= 1e-14);
            }
        }
        hsp_data_free(queries);
        hsp_model_free(model);
    }
    CHECK(decided > 7000);
    hsp_context_free(ctx);
}

/* ---- Probabilities --------------------------------------------------------------------------- */

static void probabilities_are_shares(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 200; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 12, seed);
        const uint32_t classes = 2 + (uint32_t)hsp__random_below(&random, 3);
        hsp_model *model = test_neighbors(ctx, &random, classes, 12, 2, HSP_DENSE);
        hsp_data *queries = test_rows(ctx, &random, 10, 2, HSP_SPARSE);
        double scores[40], p[4];
        uint32_t got[10];
        CHECK(hsp_model_has_probabilities(model));
        CHECK(hsp_model_score(ctx, model, &queries->view, NULL, scores, got) == HSP_OK);
        for (uint64_t q = 0; q < 10; q++) {
            double sum = 0;
            hsp_model_probabilities(model, scores + q * model->scorers, p);
            for (uint32_t c = 0; c < classes; c++) {
                const double share = classes == 2 ? (c ? 1 + scores[q] : 1 - scores[q]) / 2
                                                  : scores[q * classes + c];
                CHECK(fabs(p[c] - share) <= 1e-15);
                CHECK(c == got[q] || p[c] < p[got[q]]);
                sum += p[c];
            }
            CHECK(fabs(sum - 1) <= 1e-15);
        }
        hsp_data_free(queries);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int same_neighbors(const hsp_model *a, const hsp_model *b)
{
    const hsp__neighbors *p = a->neighbors, *q = b->neighbors;
    const uint64_t rows = p->rows->view.rows;
    if (!q || p->k != q->k || p->metric != q->metric || p->vote != q->vote ||
        p->index != q->index || p->tried != q->tried || !p->kernel != !q->kernel ||
        !p->source != !q->source || a->features != b->features || a->scorers != b->scorers)
        return 0;
    if (p->kernel && strcmp(hsp_kernel_text(p->kernel), hsp_kernel_text(q->kernel)) != 0) return 0;
    return test_same(p->rows, q->rows, 1) && memcmp(p->labels, q->labels, rows * 4) == 0 &&
           (!p->source || memcmp(p->source, q->source, rows * 8) == 0) &&
           (!p->tried || memcmp(p->mistakes, q->mistakes, p->tried * 8) == 0);
}

static hsp_model *any_model(hsp_context *ctx, uint64_t seed)
{
    hsp__random random;
    hsp__random_seed(&random, 13, seed);
    const uint64_t features = 1 + hsp__random_below(&random, 6);
    hsp_model *model = test_neighbors(ctx, &random, 2 + (uint32_t)hsp__random_below(&random, 3),
                                      1 + hsp__random_below(&random, 20), features,
                                      (hsp_storage)hsp__random_below(&random, 3));
    if (hsp__random_below(&random, 2)) {
        model->neighbors->metric = HSP__METRIC_KERNEL;
        if (hsp_kernel_parse(ctx, "rbf(0.25) + cols(1;linear)", 0, 1, NULL,
                             &model->neighbors->kernel))
            abort();
    } else if (hsp__random_below(&random, 2)) {
        model->neighbors->index = HSP__KNN_BRUTE_FORCE;
    }
    if (hsp__random_below(&random, 2))
        model->scalings[0] = test_scaling(ctx, &random, "standard", features);
    return model;
}

static void models_come_back(void)
{
    hsp_context *ctx = test_context(2, 0);
    const char *path = test_path("neighbors.model");
    for (uint64_t seed = 0; seed < 200; seed++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL, *model = any_model(ctx, seed);
        CHECK_NOTE(hsp_model_write(ctx, model, path, &err) == HSP_OK, "%s", err.message);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        hsp__random_seed(&random, 14, seed);
        hsp_data *rows = test_rows(ctx, &random, 30, model->features, HSP_DENSE);
        double s[30 * 4], t[30 * 4];
        if (back) {
            CHECK_NOTE(same_neighbors(model, back), "seed %llu", (unsigned long long)seed);
            CHECK(hsp_model_score(ctx, model, &rows->view, NULL, s, NULL) == HSP_OK);
            CHECK(hsp_model_score(ctx, back, &rows->view, NULL, t, NULL) == HSP_OK);
            CHECK(memcmp(s, t, 30 * model->scorers * sizeof *s) == 0);
            CHECK_TEXT(hsp_model_hypothesis(back), "neighbors");
        }
        hsp_data_free(rows);
        hsp_model_free(back);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

static void broken_files_are_refused_or_harmless(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("broken.model");
    for (uint64_t seed = 0; seed < 3; seed++) {
        size_t size;
        uint64_t header;
        hsp_model *model = any_model(ctx, seed);
        if (hsp_model_write(ctx, model, path, NULL)) abort();
        hsp_model_free(model);
        char *bytes = test_read_file(path, &size);
        memcpy(&header, bytes, sizeof header);
        for (size_t at = 0; at < size; at++)
            for (int bit = 0; bit < 8; bit++) {
                hsp_error err = {0};
                model = NULL;
                bytes[at] = (char)(bytes[at] ^ (1 << bit));
                hsp_status status = hsp__model_parse(ctx, bytes, size, "test", 1, &err, &model);
                CHECK(status == HSP_OK || (status == HSP_BAD_DATA && err.message[0]));
                if (at >= 8 + header) CHECK(status == HSP_BAD_DATA);
                double x[2] = {1, 2}, scores[8];
                const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 2, 2, x);
                if (model) CHECK(hsp_model_score(ctx, model, &view, NULL, scores, NULL) == HSP_OK);
                hsp_model_free(model);
                bytes[at] = (char)(bytes[at] ^ (1 << bit));
            }
        free(bytes);
    }
    unlink(path);
    hsp_context_free(ctx);
}

static void spoil_k(hsp_model *model)
{
    model->neighbors->k = 0;
}
static void spoil_many(hsp_model *model)
{
    model->neighbors->k = model->neighbors->rows->view.rows + 1;
}
static void spoil_label(hsp_model *model)
{
    model->neighbors->labels[3] = 3;
}
static void spoil_metric(hsp_model *model)
{
    model->neighbors->metric = HSP__METRIC_KERNEL;
}
static void spoil_index(hsp_model *model)
{
    model->neighbors->metric = HSP__METRIC_HAMMING;
    model->neighbors->index = HSP__KNN_TREE;
}
static void spoil_tried(hsp_model *model)
{
    model->neighbors->tried = model->neighbors->rows->view.rows;
}
static uint64_t *spoil_sources(hsp_model *model)
{
    hsp__neighbors *own = model->neighbors;
    const uint64_t rows = own->rows->view.rows;
    if (!own->source) own->source = hsp__new(&own->rows->memory, rows, sizeof *own->source);
    for (uint64_t i = 0; i < rows; i++)
        own->source[i] = i;
    return own->source;
}
static void spoil_source(hsp_model *model)
{
    spoil_sources(model)[8] = UINT64_MAX;
}
static void spoil_order(hsp_model *model)
{
    spoil_sources(model)[8] = 7;
}
static void spoil_link(hsp_model *model)
{
    model->probability.link = HSP__LINK_LOGISTIC;
}
static void spoil_rows(hsp_model *model)
{
    model->features = 1;
}

static void inconsistent_models_are_refused(void)
{
    static void (*const spoils[])(hsp_model *) = {
        spoil_k,     spoil_many, spoil_label, spoil_metric, spoil_index,
        spoil_tried, spoil_link, spoil_rows,  spoil_source, spoil_order};
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        hsp__random random;
        hsp_error err = {0};
        hsp__random_seed(&random, 15, i);
        hsp_model *model = test_neighbors(ctx, &random, 3, 9, 4, HSP_DENSE);
        CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_OK);
        spoils[i](model);
        CHECK_NOTE(hsp__model_check(ctx, model, NULL, &err) == HSP_BAD_DATA, "spoil %zu", i);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static void rows_that_are_none_are_told(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_error err = {0};
    hsp__random_seed(&random, 15, 0);
    hsp_model *model = test_neighbors(ctx, &random, 3, 9, 4, HSP_DENSE);
    ((double *)model->neighbors->rows->values)[5] = (double)NAN;
    model->neighbors->rows->checked = 0;
    CHECK(hsp__model_check(ctx, model, "m.hsp", &err) == HSP_BAD_DATA);
    CHECK_NOTE(strncmp(err.message, "the rows of the neighbours: ", 28) == 0 &&
                   !strstr(err.message + 1, "the rows of") && strstr(err.message, "NaN"),
               "%s", err.message);
    CHECK(hsp__model_check(ctx, model, NULL, NULL) == HSP_BAD_DATA);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Neighbours of a file -------------------------------------------------------------------- */

/* The lines that should be there, from the same call over memory. */
static char *expected_lines(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                            uint64_t k)
{
    hsp_neighbor *near = malloc(view->rows * k * sizeof *near);
    char *text = malloc(view->rows * k * 120 + 1), *at = text, number[HSP_NUMBER_MAX];
    CHECK(hsp_model_neighbors(ctx, model, view, k, NULL, near) == HSP_OK);
    *at = 0;
    for (uint64_t i = 0; i < view->rows * k; i++)
        at += sprintf(at, "%llu\t%llu\t%s\t%s\n", (unsigned long long)(i / k + 1),
                      (unsigned long long)near[i].row + 1,
                      hsp_number_text(near[i].distance, HSP_FLOAT64, number),
                      hsp_model_class_name(model, near[i].class_index));
    free(near);
    return text;
}

static void check_json(hsp_context *ctx, const char *text, size_t size, const hsp_model *model,
                       const hsp_view *view, uint64_t k)
{
    hsp__json *json = NULL;
    hsp_neighbor *near = malloc(view->rows * k * sizeof *near);
    CHECK(hsp__json_parse(&ctx->allocator, text, size, "t", NULL, &json) == HSP_OK);
    CHECK(hsp_model_neighbors(ctx, model, view, k, NULL, near) == HSP_OK);
    const hsp__json_value *root = json ? hsp__json_root(json) : NULL;
    CHECK(hsp__json_count(root) == view->rows);
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__json_value *row = hsp__json_at(root, i);
        const hsp__json_value *list = hsp__json_get(row, "neighbors");
        uint64_t number = 0;
        CHECK(hsp__json_u64(hsp__json_get(row, "row"), &number) && number == i + 1);
        CHECK(hsp__json_count(list) == k);
        for (uint64_t r = 0; r < k; r++) {
            const hsp__json_value *one = hsp__json_at(list, r);
            double distance = -1;
            CHECK(hsp__json_u64(hsp__json_get(one, "row"), &number) &&
                  number == near[i * k + r].row + 1);
            CHECK(hsp__json_number(hsp__json_get(one, "distance"), &distance) &&
                  distance == near[i * k + r].distance);
        }
    }
    free(near);
    hsp__json_free(json);
}

static void a_file_streams_by(void)
{
    static const int threads[] = {1, 2, 5};
    static const size_t blocks[] = {60, 1000, 0};
    const char *svm = test_path("near.svm"), *out = test_path("near.out");
    for (uint64_t seed = 0; seed < 6; seed++) {
        hsp_context *ctx = test_context(1, 0);
        hsp_model *model = any_model(ctx, seed);
        hsp__random random;
        hsp__random_seed(&random, 16, seed);
        hsp_data *rows = test_rows(ctx, &random, 101, model->features, HSP_SPARSE);
        const uint64_t k = model->neighbors->rows->view.rows;
        size_t size;
        if (hsp_data_write(ctx, rows, svm, NULL, NULL)) abort();
        char *want = expected_lines(ctx, model, &rows->view, k);
        for (int t = 0; t < 3; t++)
            for (int b = 0; b < 3; b++) {
                hsp_context *other = test_context(threads[t], blocks[b]);
                hsp_error err = {0};
                hsp_prediction done = {.size = sizeof done};
                hsp_status status = hsp_neighbors_file(other, model, svm, NULL, k,
                                                       HSP_NEIGHBORS_TEXT, out, &err, &done);
                CHECK_NOTE(status == HSP_OK, "%s", err.message);
                char *text = test_read_file(out, &size);
                CHECK(size == strlen(want) && memcmp(text, want, size) == 0);
                CHECK(done.rows == 101);
                free(text);
                CHECK(hsp_neighbors_file(other, model, svm, NULL, k, HSP_NEIGHBORS_JSON, out, &err,
                                         NULL) == HSP_OK);
                text = test_read_file(out, &size);
                check_json(ctx, text, size, model, &rows->view, k);
                free(text);
                hsp_context_free(other);
            }
        free(want);
        hsp_data_free(rows);
        hsp_model_free(model);
        hsp_context_free(ctx);
    }
    unlink(svm);
    unlink(out);
}

/* No array of more than 18 MB. */
static void *modest_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    return size > (size_t)18 << 20 ? NULL : realloc(pointer, size);
}

static void modest_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

/* 600 * 2,000 neighbours, of one block: more than are held at a time. */
static void many_neighbors_are_found_in_steps(void)
{
    enum { KEPT = 2000, ASKING = 600 };
    const hsp_allocator modest = {modest_reallocate, modest_release, NULL};
    const char *svm = test_path("many.svm"), *out = test_path("many.out");
    hsp_context *ctx = test_context(2, 0), *small = NULL;
    hsp__random random;
    hsp__random_seed(&random, 18, 0);
    hsp_model *model = test_neighbors(ctx, &random, 2, KEPT, 3, HSP_DENSE);
    hsp_data *rows = test_rows(ctx, &random, ASKING, 3, HSP_SPARSE);
    if (hsp_data_write(ctx, rows, svm, NULL, NULL) || hsp_context_new(&modest, &small)) abort();
    char *want = expected_lines(ctx, model, &rows->view, KEPT);
    hsp_error err = {0};
    hsp_status status =
        hsp_neighbors_file(small, model, svm, NULL, KEPT, HSP_NEIGHBORS_TEXT, out, &err, NULL);
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
    size_t size = 0;
    char *text = status ? NULL : test_read_file(out, &size);
    CHECK(text && size == strlen(want) && memcmp(text, want, size) == 0);
    free(text);
    free(want);
    hsp_data_free(rows);
    hsp_model_free(model);
    hsp_context_free(small);
    hsp_context_free(ctx);
    unlink(svm);
    unlink(out);
}

static int stop_asked(void *user, const hsp_progress *progress)
{
    uint64_t *done = user;
    if (*done == UINT64_MAX) *done = progress->done;
    return 1;
}

/* A search is asked to stop while it works on its first block of queries, not only after it. */
static void a_search_stops(void)
{
    enum { KEPT = 4000, ASKING = 4000, COLUMNS = 40 };
    hsp_context *ctx = test_context(2, 0);
    hsp__random random;
    hsp__random_seed(&random, 19, 0);
    hsp_model *model = test_neighbors(ctx, &random, 2, KEPT, COLUMNS, HSP_DENSE);
    hsp_data *rows = test_rows(ctx, &random, ASKING, COLUMNS, HSP_DENSE);
    hsp_neighbor *near = malloc(ASKING * sizeof *near);
    uint64_t done = UINT64_MAX;
    model->neighbors->metric = HSP__METRIC_LINF;
    model->neighbors->index = HSP__KNN_BRUTE_FORCE;
    hsp_context_set_progress(ctx, stop_asked, &done);
    CHECK(hsp_model_neighbors(ctx, model, &rows->view, 1, NULL, near) == HSP_CANCELLED);
    CHECK_NOTE(done < ASKING, "first asked after %llu queries", (unsigned long long)done);
    free(near);
    hsp_data_free(rows);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void other_questions_are_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_error err = {0};
    double x[3] = {0, 0, 0};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 3, 3, x);
    hsp_neighbor near[9];
    hsp_knn_report about = {.size = sizeof about};
    hsp__random_seed(&random, 17, 0);
    hsp_model *linear = test_linear(ctx, &random, 2, 3), *form = NULL;
    hsp_model *model = test_neighbors(ctx, &random, 2, 8, 3, HSP_DENSE);
    CHECK(!hsp_model_knn(linear, &about));
    CHECK(hsp_model_neighbors(ctx, linear, &view, 1, &err, near) == HSP_USAGE);
    CHECK(strstr(err.message, "linear") != NULL);
    CHECK(hsp_model_neighbors(ctx, model, &view, 9, &err, near) == HSP_USAGE);
    CHECK(strstr(err.message, "8 rows") != NULL);
    CHECK(hsp_model_neighbors(ctx, model, &view, 8, &err, near) == HSP_OK);
    CHECK(hsp_model_knn(model, &about) && about.rows == 8 && about.k >= 1);
    CHECK(hsp_model_form(ctx, model, "unit", &err, &form) == HSP_USAGE);
    CHECK(strstr(err.message, "neighbours") != NULL);
    CHECK(hsp_model_export(ctx, model, "libsvm", "/nowhere/x", &err) != HSP_OK);
    CHECK(hsp_model_weights(model, 0) == NULL);
    hsp_model_free(model);
    hsp_model_free(linear);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(votes_are_counted);
    RUN(scores_are_those_of_a_naive_model);
    RUN(probabilities_are_shares);
    RUN(models_come_back);
    RUN(broken_files_are_refused_or_harmless);
    RUN(inconsistent_models_are_refused);
    RUN(rows_that_are_none_are_told);
    RUN(a_file_streams_by);
    RUN(many_neighbors_are_found_in_steps);
    RUN(a_search_stops);
    RUN(other_questions_are_refused);
    return check_done();
}
