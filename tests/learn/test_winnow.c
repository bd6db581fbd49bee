/* Winnow against itself as the page of a book has it, and everything that the driver brings:
 * orders, means, storages, streams, steps, classes; weights that leave the range of numbers;
 * refusals. */
#include <math.h>
#include <unistd.h>

#include "base/context.h"
#include "base/random.h"
#include "check.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "model/model.h"
#include "options.h"

enum { ROWS = 40, COLS = 10, CLASSES = 4 };

static hsp_context *ctx;
static hsp__random dice;
static char path[] = "/tmp/hsp-winnow-XXXXXX";

static uint64_t below(uint64_t n)
{
    return hsp__random_below(&dice, n);
}

/* ---- The book ---- */

typedef struct book {
    int rows, cols, classes;
    double x[ROWS][COLS];
    int label[ROWS];
    const char *variant, *order, *tie;
    double delta, theta;
    int passes, constant, average;

    int scorers, updates, examples;
    long double up[CLASSES][COLS + 1], down[CLASSES][COLS + 1]; /* u+, u-; the last: the offset's */
    long double sum[CLASSES][COLS + 1];
} book;

static int balanced(const book *b)
{
    return strcmp(b->variant, "balanced") == 0;
}

/* w_j; j = cols: the offset. */
static long double book_weight(const book *b, int c, int j)
{
    const long double w = b->up[c][j] - (balanced(b) ? b->down[c][j] : 0);
    if (j < b->cols) return w;
    return (b->constant ? w : 0) - (long double)b->theta;
}

static void book_scores(const book *b, int i, double *s)
{
    for (int c = 0; c < b->scorers; c++) {
        long double sum = book_weight(b, c, b->cols);
        for (int j = 0; j < b->cols; j++)
            sum += book_weight(b, c, j) * (long double)b->x[i][j];
        s[c] = (double)sum;
    }
}

/* -1: neither. */
static int book_decide(const book *b, const double *s)
{
    const int neg = strcmp(b->tie, "neg") == 0, pos = strcmp(b->tie, "pos") == 0;
    if (b->scorers == 1) return s[0] > 0 ? 1 : s[0] < 0 ? 0 : neg ? 0 : pos ? 1 : -1;
    int first = 0, last = 0;
    for (int c = 1; c < b->scorers; c++) {
        if (s[c] > s[first]) first = c;
        if (s[c] >= s[last]) last = c;
    }
    return first == last || neg ? first : pos ? last : -1;
}

static void book_step(book *b, int i, int c, int sign)
{
    const long double alpha = 1 + (long double)b->delta;
    const int eliminates = strcmp(b->variant, "winnow1") == 0 && sign < 0;
    for (int j = 0; j <= b->cols; j++) {
        const double x = j < b->cols ? b->x[i][j] : b->constant;
        const long double factor = powl(alpha, sign * (long double)x);
        b->up[c][j] *= eliminates ? x == 0 : factor;
        b->down[c][j] /= factor;
    }
}

static void book_learn(book *b, int i)
{
    double s[CLASSES];
    book_scores(b, i, s);
    b->updates++;
    if (b->scorers == 1) {
        book_step(b, i, 0, b->label[i] ? 1 : -1);
        return;
    }
    int rival = -1;
    for (int c = 0; c < b->scorers; c++)
        if (c != b->label[i] && (rival < 0 || s[c] > s[rival])) rival = c;
    book_step(b, i, b->label[i], 1);
    book_step(b, i, rival, -1);
}

static void book_count(book *b)
{
    b->examples++;
    for (int c = 0; c < b->scorers; c++)
        for (int j = 0; j <= b->cols; j++)
            b->sum[c][j] += book_weight(b, c, j);
}

static int book_wrong(const book *b, int i)
{
    double s[CLASSES];
    book_scores(b, i, s);
    return book_decide(b, s) != b->label[i];
}

static double book_margin(const book *b, int i)
{
    double s[CLASSES], best = -HUGE_VAL;
    book_scores(b, i, s);
    if (b->scorers == 1) return b->label[i] ? s[0] : -s[0];
    for (int c = 0; c < b->scorers; c++)
        if (c != b->label[i]) best = fmax(best, s[c]);
    return s[b->label[i]] - best;
}

static int book_pick(book *b)
{
    int best = -1;
    const int worst = strcmp(b->order, "worst") == 0;
    for (int i = 0; i < b->rows; i++) {
        if (!book_wrong(b, i)) continue;
        if (best < 0 || (worst && book_margin(b, i) < book_margin(b, best))) best = i;
    }
    if (best < 0) return 0;
    book_learn(b, best);
    book_count(b);
    return 1;
}

static void book_run(book *b)
{
    b->scorers = b->classes == 2 ? 1 : b->classes;
    for (int c = 0; c < b->scorers; c++)
        for (int j = 0; j <= b->cols; j++)
            b->up[c][j] = b->down[c][j] = 1;
    for (int pass = 0; pass < b->passes; pass++) {
        int wrong = 0;
        for (int i = 0; i < b->rows; i++) {
            if (strcmp(b->order, "cyclic") != 0) {
                if (!book_pick(b)) return;
                wrong = 1;
                continue;
            }
            if (book_wrong(b, i)) {
                book_learn(b, i);
                wrong = 1;
            }
            book_count(b);
        }
        if (!wrong) return;
    }
}

/* ---- The library ---- */

static void set(hsp_options *options, const char *name, const char *value)
{
    hsp_error err = {0};
    if (!hsp_options_set(options, name, value, &err)) return;
    fprintf(stderr, "%s: %s\n", name, err.message);
    abort();
}

static void set_number(hsp_options *options, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    set(options, name, text);
}

static hsp_options *options_of(const char *const *settings)
{
    return test_options_words(ctx, hsp_learner_find("winnow"), settings);
}

/* `steps`: without what is not for single steps. */
static hsp_options *options_of_book(const book *b, int steps)
{
    hsp_options *options = options_of(NULL);
    set(options, "variant", b->variant);
    if (!steps) set(options, "order", b->order);
    if (!steps) set_number(options, "passes", b->passes);
    set(options, "tie", b->tie);
    set(options, "average", b->average ? "average" : "none");
    if (balanced(b)) set(options, "offset", b->constant ? "unit" : "none");
    set_number(options, "delta", b->delta);
    set_number(options, "threshold", b->theta);
    return options;
}

static const char *const names[] = {"a", "b", "c", "d"};

static hsp_data *data_of(const book *b, hsp_storage storage)
{
    uint32_t labels[ROWS], indices[ROWS * COLS];
    uint64_t starts[ROWS + 1] = {0}, count = 0;
    double values[ROWS * COLS];
    for (int i = 0; i < b->rows; i++) {
        labels[i] = (uint32_t)b->label[i];
        for (int j = 0; j < b->cols; j++) {
            if (b->x[i][j] == 0 && storage != HSP_DENSE) continue;
            indices[count] = (uint32_t)j;
            values[count++] = b->x[i][j];
        }
        starts[i + 1] = count;
    }
    const uint64_t rows = (uint64_t)b->rows, cols = (uint64_t)b->cols;
    hsp_view view = hsp_view_dense(HSP_FLOAT64, rows, cols, cols, values);
    if (storage != HSP_DENSE)
        view = hsp_view_sparse(HSP_FLOAT64, rows, cols, 8, starts, indices,
                               storage == HSP_ONES ? NULL : values);
    view.labels = labels;
    view.classes = (uint32_t)b->classes;
    hsp_data *data = NULL;
    hsp_error err = {0};
    if (hsp_data_copy(ctx, &view, names, NULL, &err, &data)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    return data;
}

static hsp_model *train(hsp_data *data, const hsp_options *options, hsp_training *run)
{
    hsp_error err = {0};
    hsp_model *model = NULL;
    hsp_status status = hsp_train(ctx, data, options, &err, run, &model);
    CHECK_NOTE(!status, "%s: %s", err.file, err.message);
    if (status) abort();
    return model;
}

/* ---- Against the book ---- */

static void draw_book(book *b, int whole, int classes)
{
    static const char *const variants[] = {"winnow2", "balanced", "winnow1"};
    static const char *const orders[] = {"cyclic", "first", "worst"};
    static const char *const ties[] = {"pos", "neg", "zero"};
    *b = (book){.classes = classes};
    b->rows = classes + (int)below((uint64_t)(ROWS - classes));
    b->cols = 1 + (int)below(COLS);
    for (int i = 0; i < b->rows; i++) {
        b->label[i] = i < classes ? i : (int)below((uint64_t)classes);
        for (int j = 0; j < b->cols; j++)
            b->x[i][j] = whole || below(2) ? (double)below(2) : hsp__random_unit(&dice);
    }
    b->variant = variants[below(classes > 2 ? 2 : 3)];
    b->order = orders[below(3)];
    b->tie = ties[below(3)];
    b->passes = 1 + (int)below(3);
    b->delta = whole ? 1 : 0.1 + 2 * hsp__random_unit(&dice);
    b->theta = below(2) ? b->cols : 0.5 + 5 * hsp__random_unit(&dice);
    b->constant = balanced(b) && below(2);
    b->average = below(2) != 0;
    if (balanced(b) && below(2)) b->theta = 0;
    if (whole) b->theta = floor(b->theta);
    if (!balanced(b) && b->theta == 0) b->theta = 1;
}

static void compare(const book *b, const hsp_model *model)
{
    for (int c = 0; c < b->scorers; c++) {
        for (int j = 0; j <= b->cols; j++) {
            const double want = (double)(b->average && b->examples ? b->sum[c][j] / b->examples
                                                                   : book_weight(b, c, j));
            const double have = j < b->cols ? hsp_model_weights(model, (uint32_t)c)[j]
                                            : hsp_model_offset(model, (uint32_t)c);
            CHECK_NOTE(fabs(have - want) <= 1e-10 * (1 + fabs(want)),
                       "%s, scorer %d, %d: %.17g, %.17g", b->variant, c, j, have, want);
        }
    }
}

/* Zeros and ones, doubling: every number is exact, in every storage. Other values: scores differ
 * from 0 by far more than rounding, but for those of equal rows; so these are rare. */
static void against_book(int whole, int classes, int trials)
{
    static const hsp_storage storages[] = {HSP_DENSE, HSP_SPARSE, HSP_ONES};
    uint64_t updates = 0;
    for (int t = 0; t < trials; t++) {
        book b;
        draw_book(&b, whole, classes);
        if (!whole && b.theta == 0) b.theta = 0.1; /* ties that rounding would break */
        if (!whole && classes > 2) b.x[0][0] = 0.123456;
        book_run(&b);
        for (int s = 0; s < (whole ? 3 : 2); s++) {
            hsp_data *data = data_of(&b, storages[s]);
            hsp_options *options = options_of_book(&b, 0);
            hsp_training run = {.size = sizeof run};
            hsp_model *model = train(data, options, &run);
            CHECK_NOTE(run.updates == (uint64_t)b.updates, "trial %d, %s %s %s: %d, %d", t,
                       b.variant, b.order, b.tie, (int)run.updates, b.updates);
            compare(&b, model);
            hsp_model_free(model);
            hsp_options_free(options);
            hsp_data_free(data);
            if (check_failures) return;
        }
        updates += (uint64_t)b.updates;
    }
    CHECK(updates > (uint64_t)trials * 5);
}

static void test_whole(void)
{
    against_book(1, 2, 1500);
}

static void test_real(void)
{
    against_book(0, 2, 1500);
}

static void test_classes(void)
{
    against_book(1, 3, 700);
}

/* ---- The default threshold, one-vs-rest ---- */

static void test_defaults(void)
{
    static const char *const settings[][3] = {{"variant=winnow1", "max-updates=1", NULL},
                                              {"variant=winnow2", "max-updates=1", NULL},
                                              {"variant=balanced", "max-updates=1", NULL}};
    book b;
    do
        draw_book(&b, 1, 2);
    while (b.cols < 3);
    hsp_data *data = data_of(&b, HSP_DENSE);
    for (int i = 0; i < 3; i++) {
        hsp_options *options = options_of(settings[i]);
        hsp_model *model = train(data, options, NULL);
        if (i < 2) CHECK(hsp_model_offset(model, 0) == -b.cols);
        if (i == 2) CHECK(fabs(hsp_model_offset(model, 0)) == 1.5); /* 2 - 1/2: a column of ones */
        CHECK(model->tie == HSP_TIE_POS);
        hsp_model_free(model);
        hsp_options_free(options);
    }
    hsp_data_free(data);
}

/* Each class against the rest is the run that --positive makes. */
static void test_one_vs_rest(void)
{
    for (int t = 0; t < 100; t++) {
        book b;
        draw_book(&b, 0, 3);
        if (t % 2) {
            b.variant = "winnow1";
            b.constant = 0;
            b.theta = 2;
        }
        b.order = t % 3 ? "cyclic" : "worst";
        hsp_data *data = data_of(&b, t % 2 ? HSP_SPARSE : HSP_DENSE);
        hsp_options *options = options_of_book(&b, 0);
        set(options, "multiclass", "ovr");
        hsp_model *all = train(data, options, NULL);
        for (uint32_t c = 0; c < 3; c++) {
            hsp_options *alone = options_of_book(&b, 0);
            set(alone, "positive", names[c]);
            hsp_model *one = train(data, alone, NULL);
            CHECK(!memcmp(hsp_model_weights(all, c), hsp_model_weights(one, 0),
                          (size_t)b.cols * sizeof(double)));
            CHECK(hsp_model_offset(all, c) == hsp_model_offset(one, 0));
            hsp_model_free(one);
            hsp_options_free(alone);
        }
        hsp_model_free(all);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

/* ---- Streams and steps ---- */

static void write_rows(const book *b)
{
    FILE *file = fopen(path, "w");
    if (!file) abort();
    for (int i = 0; i < b->rows; i++) {
        fputs(names[b->label[i]], file);
        for (int j = 0; j < b->cols; j++)
            if (b->x[i][j] != 0) fprintf(file, " %d:%.9g", j + 1, b->x[i][j]);
        fputc('\n', file);
    }
    fclose(file);
}

static void same(const hsp_model *a, const hsp_model *b)
{
    CHECK(a->features == b->features && a->scorers == b->scorers);
    if (check_failures) return;
    CHECK(!memcmp(a->weights, b->weights, a->scorers * a->features * sizeof *a->weights));
    CHECK(!memcmp(a->offsets, b->offsets, a->scorers * sizeof *a->offsets));
}

static hsp_model *step_through(hsp_data *data, const hsp_options *options, uint32_t classes,
                               uint64_t passes)
{
    const hsp_view *view;
    hsp_trainer *trainer = NULL;
    hsp_model *model = NULL;
    hsp_step step = {.size = sizeof step};
    hsp_error err = {0};
    CHECK(!hsp_data_view(ctx, data, NULL, &view));
    CHECK_NOTE(!hsp_trainer_new(ctx, options, names, classes, 0, &err, &trainer), "%s",
               err.message);
    if (!trainer) abort();
    for (uint64_t i = 0; i < passes * view->rows; i++)
        CHECK(!hsp_trainer_step(trainer, view, i % view->rows, &err, &step));
    CHECK(!hsp_trainer_model(trainer, &err, &model));
    hsp_trainer_free(trainer);
    return model;
}

/* Columns that come late begin at 1, as if they had been there. */
static void test_streams(void)
{
    for (int t = 0; t < 400; t++) {
        book b;
        const int classes = t % 3 ? 2 : 4;
        draw_book(&b, t % 2, classes);
        b.order = "cyclic";
        b.passes = 1;
        for (int i = 0; i < b.rows / 2; i++)
            for (int j = b.cols / 2; j < b.cols; j++)
                b.x[i][j] = 0;
        write_rows(&b);
        hsp_options *options = options_of_book(&b, 0), *steps = options_of_book(&b, 1);
        set(options, "classes", classes == 2 ? "a,b" : "a,b,c,d");
        set(options, "multiclass", t % 4 == 1 ? "ovr" : "native");
        set(steps, "multiclass", t % 4 == 1 ? "ovr" : "native");
        hsp_error err = {0};
        hsp_data *data = NULL;
        hsp_model *streamed = NULL;
        ctx->block_bytes = t % 2 ? 16 : HSP__BLOCK_BYTES;
        CHECK_NOTE(!hsp_train_stream(ctx, path, NULL, options, &err, NULL, &streamed), "%s",
                   err.message);
        CHECK(!hsp_data_read(ctx, path, NULL, NULL, &err, &data));
        if (!streamed || !data) abort();
        hsp_model *whole = train(data, options, NULL);
        hsp_model *stepped = step_through(data, steps, (uint32_t)classes, 1);
        same(streamed, whole);
        same(stepped, whole);
        hsp_model_free(streamed);
        hsp_model_free(stepped);
        hsp_model_free(whole);
        hsp_options_free(options);
        hsp_options_free(steps);
        hsp_data_free(data);
        if (check_failures) break;
    }
    ctx->block_bytes = HSP__BLOCK_BYTES;
}

/* ---- Out of range ---- */

enum { LIST = 120 };

/* A decision list: the last column that is on says which class, and the classes take turns. Every
 * weight has to be larger than all before it, and with alpha = 10^6 + 1 that is a factor of a
 * million a column. */
static hsp_data *decision_list(uint64_t length, uint32_t classes, int sparse)
{
    static double values[LIST * LIST];
    static uint32_t labels[LIST], indices[LIST * LIST];
    static uint64_t starts[LIST + 1];
    uint64_t count = 0;
    hsp_data *data = NULL;
    for (uint64_t i = 0; i < length; i++) {
        labels[i] = (uint32_t)(i + 1) % classes;
        for (uint64_t j = 0; j < length; j++)
            values[i * length + j] = j <= i;
        for (uint64_t j = 0; j <= i; j++)
            indices[count++] = (uint32_t)j;
        starts[i + 1] = count;
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT64, length, length, length, values);
    if (sparse) view = hsp_view_sparse(HSP_FLOAT64, length, length, 8, starts, indices, NULL);
    view.labels = labels;
    view.classes = classes;
    if (hsp_data_copy(ctx, &view, names, NULL, NULL, &data)) abort();
    return data;
}

static void test_out_of_range(void)
{
    static const char *const settings[] = {"variant=balanced",       "delta=1000000",
                                           "passes=until-converged", "offset=none",
                                           "max-passes=400",         NULL};
    for (uint64_t length = 10; length <= LIST; length += 10) {
        hsp_data *data = decision_list(length, 2, 0);
        for (int averaged = 0; averaged < 2; averaged++) {
            hsp_options *options = options_of(settings);
            if (averaged) set(options, "average", "average");
            hsp_training run = {.size = sizeof run};
            hsp_model *model = train(data, options, &run);
            double most = 0;
            for (uint64_t j = 0; j < length; j++) {
                CHECK(isfinite(model->weights[j]));
                most = fmax(most, fabs(model->weights[j]));
            }
            CHECK(isfinite(model->offsets[0]));
            CHECK_NOTE(most > 0 && most <= 0x1p420, "%llu: %g", (unsigned long long)length, most);
            /* 10^6 a column: up to 50 columns are within the range of numbers */
            if (length <= 50 && !averaged)
                CHECK_NOTE(run.stop == HSP_STOP_CONVERGED && run.training_error == 0, "%llu: %g",
                           (unsigned long long)length, run.training_error);
            hsp_model_free(model);
            hsp_options_free(options);
        }
        hsp_data_free(data);
    }
}

/* More classes, all at once or each against the rest, on sparse rows: single steps score without
 * what passes keep in addition to the weights, and come to the same ones. */
static void test_classes_out_of_range(void)
{
    static const char *const settings[][5] = {
        {"variant=balanced", "delta=1000000", "offset=none", "multiclass=native", NULL},
        {"variant=balanced", "delta=1000000", "offset=none", "multiclass=ovr", NULL},
        {"variant=winnow2", "delta=1000000", "threshold=60", "multiclass=native", NULL}};
    for (int i = 0; i < 3; i++) {
        hsp_data *data = decision_list(60, 4, 1);
        hsp_options *steps = options_of(settings[i]), *passes = options_of(settings[i]);
        set(passes, "passes", "40");
        hsp_model *whole = train(data, passes, NULL);
        hsp_model *stepped = step_through(data, steps, 4, 40);
        double most = 0;
        for (uint64_t j = 0; j < whole->scorers * whole->features; j++) {
            CHECK(isfinite(whole->weights[j]));
            most = fmax(most, fabs(whole->weights[j]));
        }
        CHECK_NOTE(most > 0 && most <= 0x1p420, "%g", most);
        same(whole, stepped);
        hsp_model_free(whole);
        hsp_model_free(stepped);
        hsp_options_free(passes);
        hsp_options_free(steps);
        hsp_data_free(data);
    }
}

/* A weight that demotions took below every positive number is still known by its exponent. a has
 * 3 < 1000, right; b has 2, up; a goes down, b goes up, and so on: column 2 goes down alone. */
static void test_underflow(void)
{
    static const char text[] = "a 1:1 2:1 3:1\nb 1:1 3:1\n";
    static const char *const settings[] = {"delta=1000000", "threshold=1000", "passes=80", NULL};
    hsp_error err = {0};
    hsp_data *data = NULL;
    CHECK(!hsp_data_parse(ctx, text, sizeof text - 1, "test", NULL, NULL, &err, &data));
    if (!data) return;
    hsp_options *options = options_of(settings);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = train(data, options, &run);
    CHECK(run.updates == 159);
    CHECK(hsp_model_weights(model, 0)[1] == 0); /* (10^6 + 1)^-79 */
    const hsp_row_coefficients made = hsp_model_row_coefficients(model);
    CHECK(made.count == 2 && made.amount[0] == -79 && made.amount[1] == 80);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* ---- Threads ---- */

static void test_threads(void)
{
    static const char *const settings[] = {"passes=3", "average=average", "delta=0.3", NULL};
    hsp_options *make = NULL;
    hsp_data *data = NULL;
    size_t i = 0;
    while (strcmp(hsp_generator(i)->name, "disjunction") != 0)
        i++;
    if (hsp_options_new(ctx, hsp_generator(i), NULL, &make)) abort();
    set(make, "rows", "20000");
    set(make, "features", "2000");
    set(make, "noise", "0.01");
    if (hsp_data_make(ctx, make, NULL, NULL, NULL, &data)) abort();
    hsp_options *options = options_of(settings);
    hsp_context_set_threads(ctx, 1);
    hsp_model *one = train(data, options, NULL);
    hsp_context_set_threads(ctx, 4);
    hsp_model *many = train(data, options, NULL);
    hsp_context_set_threads(ctx, 2);
    same(one, many);
    hsp_model_free(one);
    hsp_model_free(many);
    hsp_options_free(options);
    hsp_options_free(make);
    hsp_data_free(data);
}

/* ---- Traces ---- */

static int read_trace(const book *b)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int lines = 0;
    if (!file || !fgets(line, sizeof line, file)) abort();
    CHECK_TEXT(line, balanced(b) ? "update,pass,example,score,promotions,demotions,ln_total,"
                                   "ln_total_bound,y_score_after,weights_after\n"
                                 : "update,pass,example,score,promotions,demotions,total,"
                                   "total_bound,y_score_after,weights_after\n");
    while (fgets(line, sizeof line, file)) {
        double update, pass, example, score, p, d, total, bound;
        lines++;
        CHECK(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &update, &pass, &example, &score, &p,
                     &d, &total, &bound) == 8);
        CHECK(update == lines && p + d == update);
        CHECK_NOTE(total <= bound * (1 + 1e-12), "%s", line);
        CHECK(score == 0 || (score > 0) == (b->label[(int)example - 1] == 0));
    }
    fclose(file);
    return lines;
}

static void test_trace(void)
{
    static const char *const variants[] = {"winnow1", "winnow2", "balanced"};
    for (int t = 0; t < 60; t++) {
        book b;
        draw_book(&b, 1, 2);
        b.variant = variants[t % 3];
        b.constant = 0;
        b.theta = balanced(&b) ? 0 : 2;
        book_run(&b);
        hsp_data *data = data_of(&b, HSP_DENSE);
        hsp_options *options = options_of_book(&b, 0);
        set(options, "trace", path);
        hsp_model *model = train(data, options, NULL);
        CHECK(read_trace(&b) == b.updates);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

/* ---- Refusals ---- */

static void refuse(const char *text, const char *const *settings, hsp_status want,
                   const char *where, const char *words)
{
    hsp_error err = {0};
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    CHECK(!hsp_data_parse(ctx, text, strlen(text), "test", NULL, NULL, &err, &data));
    hsp_options *options = options_of(settings);
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == want && !model);
    CHECK_TEXT(err.file, where);
    CHECK_NOTE(strstr(err.message, words) != NULL, "%s", err.message);
    hsp_options_free(options);
    hsp_data_free(data);
}

static void refuse_stream(const char *text, const char *const *settings, hsp_status want,
                          uint64_t line, const char *words)
{
    hsp_error err = {0};
    hsp_model *model = NULL;
    FILE *file = fopen(path, "w");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
    hsp_options *options = options_of(settings);
    CHECK(hsp_train_stream(ctx, path, NULL, options, &err, NULL, &model) == want && !model);
    CHECK_NOTE(err.line == line, "%s:%llu", err.file, (unsigned long long)err.line);
    if (line) CHECK_TEXT(err.file, path);
    CHECK_NOTE(strstr(err.message, words) != NULL, "%s", err.message);
    hsp_options_free(options);
}

#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_refusals(void)
{
    const char *fine = "a 1:1\nb 2:0.5\n", *three = "a 1:1\nb 2:0.5\nc 1:1\n";
    refuse("a 1:1\nb 2:1.5\n", NULL, HSP_BAD_DATA, "",
           "row 2, column 2: found 1.5, expected a value from 0 to 1");
    refuse("a 1:-1e-3\nb 2:1\n", NULL, HSP_BAD_DATA, "", "row 1, column 1: found -0.001");
    refuse("c 1:1\na 1:1\nb 2:2\n", SET("classes=a,b"), HSP_BAD_DATA, "", "row 3, column 2");
    refuse("a 1:1\nb 2:5\na 1:7\n", SET("scale=standard"), HSP_BAD_DATA, "", "after scaling");
    refuse(fine, SET("threshold=0"), HSP_USAGE, "--threshold", "give a positive one");
    refuse(fine, SET("offset=unit"), HSP_USAGE, "--offset",
           "a column of ones needs --variant balanced;");
    refuse(three, SET("variant=winnow1"), HSP_USAGE, "--variant", "multiclass ovr");
    refuse_stream(fine, SET("classes=a,b", "passes=1"), HSP_USAGE, 0,
                  "the default threshold is the number of");
    refuse_stream(fine, SET("threshold=2", "passes=1"), HSP_USAGE, 0,
                  "treats the two classes differently, so a");
    refuse_stream("a 1:1\nb 2:0.5\nb 2:3\n", SET("threshold=2", "classes=a,b", "passes=1"),
                  HSP_BAD_DATA, 3, "column 2: found 3");
    refuse_stream("a 1:1\nb 2:-0.5\nb 2:3\n",
                  SET("threshold=2", "classes=a,b", "passes=1", "normalize=rows"), HSP_BAD_DATA, 2,
                  "from 0 up");
    refuse_stream(fine, SET("threshold=2", "classes=a,b", "scale=min-max"), HSP_USAGE, 0,
                  "needs all rows");
}

static void test_refused_step(void)
{
    hsp_options *options = options_of(SET("threshold=2"));
    hsp_trainer *trainer = NULL;
    hsp_error err = {0};
    hsp_step step = {.size = sizeof step};
    const double x[] = {0.5, 2};
    const uint32_t label[] = {1};
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 2, 2, x);
    view.labels = label;
    view.classes = 2;
    if (hsp_trainer_new(ctx, options, names, 2, 2, &err, &trainer)) abort();
    CHECK(hsp_trainer_step(trainer, &view, 0, &err, &step) == HSP_BAD_DATA);
    CHECK_NOTE(strstr(err.message, "column 2: found 2") != NULL, "%s", err.message);
    hsp_trainer_free(trainer);
    hsp_options_free(options);
}

/* min-max is what maps values into [0, 1]: also where rounding ends a bit above 1. */
static void test_scaled(void)
{
    for (int t = 0; t < 300; t++) {
        book b;
        draw_book(&b, 0, 2);
        for (int i = 0; i < b.rows; i++)
            for (int j = 0; j < b.cols; j++)
                b.x[i][j] = (b.x[i][j] - 0.3) * pow(10, (int)below(5));
        hsp_data *data = data_of(&b, HSP_DENSE);
        hsp_options *options = options_of_book(&b, 0);
        set(options, "scale", "min-max");
        hsp_model *model = train(data, options, NULL);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) abort();
    hsp_context_set_threads(ctx, 2);
    hsp__random_seed(&dice, 9, 1);
    const int file = mkstemp(path);
    if (file < 0) abort();
    close(file);
    RUN(test_whole);
    RUN(test_real);
    RUN(test_classes);
    RUN(test_defaults);
    RUN(test_one_vs_rest);
    RUN(test_streams);
    RUN(test_out_of_range);
    RUN(test_classes_out_of_range);
    RUN(test_underflow);
    RUN(test_threads);
    RUN(test_trace);
    RUN(test_refusals);
    RUN(test_refused_step);
    RUN(test_scaled);
    unlink(path);
    hsp_context_free(ctx);
    return check_done();
}
