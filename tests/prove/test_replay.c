/* Runs that are made again: in exact arithmetic, and by the learner; doubles written exactly. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "learn/online/ledger.h"
#include "learn/online/online_fit.h"
#include "prove/exact.h"
#include "prove/prove.h"

static hsp_context *ctx;

/* ---- Doubles as text ---- */

/* The value of a decimal, or of a fraction over a power of two. */
static double value_of(const char *text)
{
    char *slash;
    const double number = strtod(text, &slash);
    if (*slash != '/') return number;
    int exponent;
    CHECK(frexp(strtod(slash + 1, NULL), &exponent) == 0.5);
    return ldexp(number, 1 - exponent);
}

static void test_exact_doubles(void)
{
    static const struct {
        double x;
        const char *text;
    } known[] = {{0, "0"},
                 {-3, "-3"},
                 {0.5, "0.5"},
                 {-2.75, "-2.75"},
                 {0.1, "3602879701896397/36028797018963968"},
                 {0x1p70, "1180591620717411303424"},
                 {0x1p-24, "0.000000059604644775390625"},
                 {0x3p-60, "3/1152921504606846976"}};
    hsp__random random;
    hsp__text text;
    hsp__random_seed(&random, 5, 0);
    hsp__text_init(&text, &ctx->allocator);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text.size = 0;
        hsp__prove_format_exact(&text, known[i].x);
        CHECK_TEXT(text.data, known[i].text);
    }
    for (int i = 0; i < 2000; i++) {
        const double x = hsp__random_normal(&random) * ldexp(1, (int)(i % 2000) - 1060);
        text.size = 0;
        hsp__prove_format_exact(&text, x);
        CHECK_NOTE(value_of(text.data) == x && !strpbrk(text.data, "xpe"), "%a: %s", x, text.data);
    }
    text.size = 0;
    hsp__prove_format_exact(&text, 0x1p-1074);
    CHECK(value_of(text.data) == 0x1p-1074);
    hsp__text_free(&text);
}

/* ---- A perceptron by hand ---- */

enum { ROWS = 12, COLS = 3 };

typedef struct toy {
    double x[ROWS * COLS];
    signed char y[ROWS];
    hsp__exact_run run;
    double c2, w[COLS], turn;
    uint64_t count[ROWS];
} toy;

/* Rows of small whole numbers, and settings that are dyadic: doubles compute without rounding. */
static toy toy_new(hsp__random *random)
{
    static const char offsets[] = {'n', 'u', 'r', 'a'};
    toy t = {.run = {.offset = offsets[hsp__random_below(random, 4)],
                     .constant = 0.5,
                     .rate = hsp__random_below(random, 2) ? 1 : 0.25,
                     .tau = hsp__random_below(random, 3) ? 0 : 2.5,
                     .soft = hsp__random_below(random, 3) ? 0 : 1.5,
                     .tie_positive = (int)hsp__random_below(random, 2)}};
    double radius2 = 0;
    for (int i = 0; i < ROWS; i++) {
        double square = 0;
        t.y[i] = hsp__random_below(random, 2) ? 1 : -1;
        for (int j = 0; j < COLS; j++) {
            const double x = (double)hsp__random_below(random, 9) - 4;
            t.x[i * COLS + j] = x / 2;
            square += x / 2 * (x / 2);
        }
        radius2 = fmax(radius2, square);
    }
    t.c2 = t.run.offset == 'u' ? 1 : t.run.offset == 'a' ? 0.25 : t.run.offset == 'r' ? radius2 : 0;
    return t;
}

static int toy_wrong(const toy *t, uint64_t i)
{
    double s = t->turn * t->c2;
    for (int j = 0; j < COLS; j++)
        s += t->w[j] * t->x[i * COLS + (uint64_t)j];
    const double own = t->run.soft * t->run.soft * (double)t->count[i];
    const double margin = t->run.rate * (t->y[i] * s + own);
    if (t->run.tau > 0) return margin < t->run.tau;
    return margin < 0 || (margin == 0 && !(t->run.tie_positive && t->y[i] > 0));
}

static void toy_update(toy *t, uint64_t i)
{
    for (int j = 0; j < COLS; j++)
        t->w[j] += t->y[i] * t->x[i * COLS + (uint64_t)j];
    t->turn += t->y[i];
    t->count[i]++;
}

static void test_replays_by_hand(void)
{
    hsp__random random;
    int differ = 0, ties = 0;
    hsp__random_seed(&random, 8, 0);
    if (!hsp__exact_there()) CHECK_SKIP("built without GMP");
    for (int round = 0; round < 400; round++) {
        const toy start = toy_new(&random);
        toy t = start;
        const hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, start.x);
        const hsp__exact_source source = {.view = &view, .y = start.y};
        uint64_t sequence[ROWS * 4], updates = 0, count[ROWS] = {0}, at = 0;
        hsp__exact_replay outcome;
        for (int pass = 0; pass < 4; pass++)
            for (uint64_t i = 0; i < ROWS; i++)
                if (toy_wrong(&t, i)) toy_update(&t, sequence[updates++] = i);
        CHECK(!hsp__exact_replay_run(ctx, &source, &start.run, 4, NULL, 0, count, NULL, &outcome,
                                     &at));
        CHECK(outcome == HSP__REPLAY_SAME && !memcmp(count, t.count, sizeof count));
        memset(count, 0, sizeof count);
        CHECK(!hsp__exact_replay_run(ctx, &source, &start.run, 0, sequence, updates, count, NULL,
                                     &outcome, &at));
        CHECK(outcome == HSP__REPLAY_SAME && !memcmp(count, t.count, sizeof count));
        /* any other sequence: is it one of mistakes? */
        for (uint64_t k = 0; k < updates; k++)
            sequence[k] = hsp__random_below(&random, ROWS);
        t = start;
        uint64_t good = 0;
        while (good < updates && toy_wrong(&t, sequence[good]))
            toy_update(&t, sequence[good++]);
        memset(count, 0, sizeof count);
        CHECK(!hsp__exact_replay_run(ctx, &source, &start.run, 0, sequence, updates, count, NULL,
                                     &outcome, &at));
        CHECK(outcome == (good < updates ? HSP__REPLAY_DIFFERS : HSP__REPLAY_SAME));
        CHECK(good == updates || at == good);
        differ += good < updates;
        ties += start.run.tie_positive;
    }
    CHECK(differ > 100 && ties > 100);
}

/* 0.1 + 0.2 - 0.3 is 0 in the file. */
static void test_decimals_are_exact(void)
{
    const double x[] = {0.1, 0.2, -0.3, 1, 1, 1};
    const signed char y[] = {1, 1};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 2, 3, 3, x);
    const hsp__exact_source source = {.view = &view, .y = y};
    const hsp__exact_run run = {.offset = 'n', .rate = 1};
    uint64_t count[2] = {0}, at;
    hsp__exact_replay outcome;
    if (!hsp__exact_there()) CHECK_SKIP("built without GMP");
    CHECK(!hsp__exact_replay_run(ctx, &source, &run, 1, NULL, 0, count, NULL, &outcome, &at));
    CHECK(count[0] == 1 && count[1] == 1);
}

/* ---- Powers ---- */

static void test_powers(void)
{
    static const struct {
        double alpha, theta;
        int balanced;
        int64_t e[3];
        uint32_t times[3];
        uint64_t count;
        int sign;
    } cases[] = {
        {2, 8, 0, {3}, {1024}, 1, 0},
        {2, 8, 0, {3, -60}, {1024, 1}, 2, 1},
        {2, 2, 0, {2}, {512}, 1, 0},
        {1.5, 3, 0, {1, 1}, {1024, 1024}, 2, 0},
        {1.5, 2.25, 0, {2}, {1024}, 1, 0},
        {1.5, 2.25, 0, {1}, {1024}, 1, -1},
        {1.1, 1.21, 0, {2}, {1024}, 1, 1}, /* the double 1.1 is above the decimal */
        {2, 0, 1, {3, -3}, {1024, 1024}, 2, 0},
        {1.25, 0, 1, {7, -7, 1}, {1024, 1024, 1}, 3, 1},
        {1.25, 0, 1, {0, -1}, {1024, 1024}, 2, -1},
    };
    if (!hsp__exact_there()) CHECK_SKIP("built without GMP");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_NOTE(hsp__exact_powers_sign(cases[i].alpha, cases[i].theta, cases[i].balanced,
                                          cases[i].e, cases[i].times,
                                          cases[i].count) == cases[i].sign,
                   "case %d", (int)i);
    const int64_t far[] = {10000000};
    CHECK(hsp__exact_powers_sign(2, 1, 0, far, cases[0].times, 1) == 2);
}

/* ---- The learner tells its updates ---- */

static hsp_data *rows_of(uint64_t rows, uint64_t cols, uint32_t classes)
{
    hsp__random random;
    hsp__random_seed(&random, 3, rows);
    double *x = malloc(rows * cols * sizeof *x);
    uint32_t *labels = malloc(rows * sizeof *labels);
    hsp_data *data = NULL;
    for (uint64_t k = 0; k < rows * cols; k++)
        x[k] = hsp__random_unit(&random);
    for (uint64_t i = 0; i < rows; i++)
        labels[i] = (uint32_t)hsp__random_below(&random, classes);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, rows, cols, cols, x);
    view.labels = labels;
    view.classes = classes;
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data)) abort();
    free(x);
    free(labels);
    return data;
}

static void check_sequence(const char *learner, const char *order, hsp_data *data)
{
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp__sequence made = {0};
    CHECK(!hsp_options_for(ctx, learner, NULL, &options));
    CHECK(!hsp_options_set(options, "order", order, NULL));
    CHECK(!hsp_options_set(options, "passes", "3", NULL));
    CHECK(!hsp_train(ctx, data, options, NULL, &run, &model));
    CHECK(!hsp__online_sequence(ctx, data, options, NULL, &made));
    CHECK_NOTE(made.count == run.updates && made.count > 0, "%s %s", learner, order);
    const hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    uint64_t met = 0;
    for (uint64_t k = 0; k < updates.count; k++) {
        uint64_t times = 0;
        for (uint64_t m = 0; m < made.count; m++)
            times += made.row[m] == updates.row[k];
        CHECK((double)times == fabs(updates.amount[k]));
        met += times;
    }
    CHECK(met == made.count);
    hsp__free(&ctx->allocator, made.row);
    hsp_model_free(model);
    hsp_options_free(options);
}

static void test_sequences(void)
{
    static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random"};
    hsp_data *two = rows_of(40, 5, 2), *three = rows_of(30, 2, 3);
    hsp_options *options = NULL;
    hsp__sequence made = {0};
    for (int i = 0; i < 5; i++) {
        check_sequence("perceptron", orders[i], two);
        check_sequence("winnow", orders[i], two);
    }
    for (size_t i = 0; hsp_learner(i); i++) {
        const char *name = hsp_learner(i)->name;
        if (strcmp(name, "knn") && strcmp(name, "perceptron")) continue;
        CHECK(!hsp_options_new(ctx, hsp_learner(i), NULL, &options));
        CHECK(hsp__online_sequence(ctx, three, options, NULL, &made) == HSP_USAGE);
        hsp_options_free(options);
        hsp__free(&ctx->allocator, made.row);
        options = NULL;
    }
    hsp_data_free(two);
    hsp_data_free(three);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_exact_doubles);
    RUN(test_replays_by_hand);
    RUN(test_decimals_are_exact);
    RUN(test_powers);
    RUN(test_sequences);
    hsp_context_free(ctx);
    return check_done();
}
