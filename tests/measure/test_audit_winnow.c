/* The audit of winnow: worked by hand, on thousands of random runs in all orders, against opponents
 * that pick the worst row there is, and with what was tampered with. */
#include "helpers.h"

enum { COLS = 24, ROWS = 256 };

static hsp_context *ctx;
static hsp__random random_numbers;

static double draw(double low, double high)
{
    return low + (high - low) * hsp__random_unit(&random_numbers);
}

static uint64_t below(uint64_t n)
{
    return hsp__random_below(&random_numbers, n);
}

/* ---- A run and its audit ---- */

typedef struct winnow_case {
    uint64_t rows, cols;
    double x[ROWS * COLS];
    int y[ROWS];
    double v[COLS], b; /* the reference */
    const char *variant, *order, *tie, *offset, *average;
    double delta, theta; /* theta NaN: not set */
    uint64_t max_updates;
} winnow_case;

typedef struct audited {
    hsp_data *data;
    hsp_model *model, *reference;
    hsp_training run;
    hsp_mistake_bound *bounds;
    size_t count;
} audited;

static void set(hsp_options *options, const char *name, const char *value)
{
    hsp_error err;
    if (value && hsp_options_set(options, name, value, &err)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
}

static void set_real(hsp_options *options, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    set(options, name, text);
}

static hsp_options *options_of(const winnow_case *c)
{
    hsp_options *options = NULL;
    if (hsp_options_for(ctx, "winnow", NULL, &options)) abort();
    set(options, "variant", c->variant);
    set(options, "order", c->order);
    set(options, "tie", c->tie);
    set(options, "offset", c->offset);
    set(options, "average", c->average);
    set(options, "passes", "until-converged");
    set(options, "max-passes", "100000");
    if (c->max_updates) set_real(options, "max-updates", (double)c->max_updates);
    set_real(options, "seed", (double)below(1000));
    if (c->delta > 0) set_real(options, "delta", c->delta);
    if (c->theta == c->theta) set_real(options, "threshold", c->theta);
    return options;
}

static void again(audited *a)
{
    hsp_error err = {0};
    hsp_mistake_bounds_free(a->bounds);
    a->bounds = NULL;
    a->count = 0;
    CHECK_NOTE(!hsp_audit(ctx, a->model, a->data, a->reference, &err, &a->bounds, &a->count), "%s",
               err.message);
}

static audited audit_case(const winnow_case *c)
{
    audited a = {.run.size = sizeof a.run};
    uint32_t labels[ROWS];
    hsp_error err = {0};
    for (uint64_t i = 0; i < c->rows; i++)
        labels[i] = c->y[i] > 0;
    a.data = test_data(ctx, c->rows, c->cols, c->x, labels, 2, NULL);
    hsp_options *options = options_of(c);
    hsp_status status = hsp_train(ctx, a.data, options, &err, &a.run, &a.model);
    CHECK_NOTE(!status, "%s", err.message);
    hsp_options_free(options);
    if (status) abort();
    a.reference = test_separator(ctx, c->cols, c->v, c->b);
    again(&a);
    return a;
}

static void audited_free(audited *a)
{
    hsp_mistake_bounds_free(a->bounds);
    hsp_model_free(a->model);
    hsp_model_free(a->reference);
    hsp_data_free(a->data);
}

static const hsp_mistake_bound *bound_of(const audited *a, const char *name)
{
    static const hsp_mistake_bound missing = {.name = "missing", .formula = "", .held = 0};
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->bounds[i].name, name) == 0) return &a->bounds[i];
    return &missing;
}

/* Nothing that applies is exceeded; those named (ended by NULL) apply. */
static void check_all(const audited *a, const char *const *apply)
{
    CHECK(a->count == 10);
    for (size_t i = 0; i < a->count; i++) {
        const hsp_mistake_bound *e = &a->bounds[i];
        CHECK_NOTE(e->held && (!e->applies || e->bound == e->bound), "%s: %.17g, %.17g: %s",
                   e->name, e->observed, e->bound, e->why);
    }
    for (; *apply; apply++)
        CHECK_NOTE(bound_of(a, *apply)->applies, "%s: %s", *apply, bound_of(a, *apply)->why);
}

#define CHECK_BOUND(a, entry, want_observed, want_bound)                                        \
    do {                                                                                        \
        const hsp_mistake_bound *e_ = bound_of(&(a), (entry));                                  \
        CHECK_NOTE(e_->applies && e_->held, "%s: %s", (entry), e_->why);                        \
        CHECK_NOTE(test_near(e_->observed, (want_observed), 1e-12), "%s: %.17g", (entry),       \
                   e_->observed);                                                               \
        CHECK_NOTE(test_near(e_->bound, (want_bound), 1e-12), "%s: %.17g", (entry), e_->bound); \
    } while (0)

#define CHECK_NOT(a, entry, words)                                                          \
    do {                                                                                    \
        const hsp_mistake_bound *e_ = bound_of(&(a), (entry));                              \
        CHECK_NOTE(!e_->applies && e_->held && strstr(e_->why, (words)), "%s: %s", (entry), \
                   e_->why);                                                                \
    } while (0)

#define CHECK_EXCEEDED(a, entry)                                                            \
    do {                                                                                    \
        const hsp_mistake_bound *e_ = bound_of(&(a), (entry));                              \
        CHECK_NOTE(e_->applies && !e_->held, "%s: %.17g, %.17g: %s", (entry), e_->observed, \
                   e_->bound, e_->why);                                                     \
    } while (0)

/* ---- Five variables by hand ---- */

/* x1 or x2, theta = n = 5, doubling. w goes
 *
 *     1 1 1 1 1  row 1, 2 < 5, up    2 1 2 1 1    row 2, 2 < 5, up     2 2 2 2 1
 *                row 3, 5, down      2 2 1 1 1/2  row 4, 2 < 5, up     4 2 1 1 1/2
 *                row 5, 5/2 < 5, up  4 4 1 1 1    and in the second pass row 4, 4 < 5, up: 8 4 1 1
 * 1
 *
 * six mistakes, five of them promotions; the third pass makes none. */
static winnow_case five_variables(void)
{
    static const double x[] = {1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1,
                               1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1};
    static const int y[] = {1, 1, -1, 1, 1};
    winnow_case c = {.rows = 5, .cols = 5, .v = {1, 1}, .b = -0.5, .theta = NAN};
    memcpy(c.x, x, sizeof x);
    memcpy(c.y, y, sizeof y);
    return c;
}

static void test_five_variables(void)
{
    static const double want[] = {8, 4, 1, 1, 1};
    winnow_case c = five_variables();
    audited a = audit_case(&c);
    CHECK(a.run.updates == 6 && a.run.passes == 3 && a.run.stop == HSP_STOP_CONVERGED);
    for (int j = 0; j < 5; j++)
        CHECK(hsp_model_weights(a.model, 0)[j] == want[j]);
    CHECK(hsp_model_offset(a.model, 0) == -5);
    CHECK_BOUND(a, "doubling", 6, 2 + 6 * (1 + log2(5)));
    CHECK_BOUND(a, "disjunction", 6, 20); /* 2 + 3 * 2 * (1 + 2) */
    CHECK_BOUND(a, "promotions", 5, 6);
    CHECK_BOUND(a, "demotions", 1, 12); /* 2 (1 + 5) */
    CHECK_BOUND(a, "progress", 5, 5);   /* 3 + 2 promotions of x1 and x2, no demotion counts */
    CHECK_BOUND(a, "total", 15, 27.5);  /* 5 + 5 (5 - 1/2) */
    CHECK_BOUND(a, "counts", 0, 0);
    CHECK(bound_of(&a, "rebuild")->applies && bound_of(&a, "rebuild")->held);
    /* S = 2, sigma = 1, H = ln 2, K = 3: Z = 15 / ln 2 */
    CHECK_BOUND(a, "separator", 6, 6 / log(2) * (log(15 / log(2)) - 1 - log(2)) + 2);
    CHECK_NOT(a, "squared", "delta from 0.25 to 0.5");
    audited_free(&a);
}

/* The same with elimination: the third row takes x3, x4 and x5 out; then 4 2, 4 4 with row 4 and
 * 5, and 8 4, 8 8 in the second pass: seven mistakes. */
static void test_elimination(void)
{
    static const double want[] = {8, 8, 0, 0, 0};
    winnow_case c = five_variables();
    c.variant = "winnow1";
    audited a = audit_case(&c);
    CHECK(a.run.updates == 7 && a.run.stop == HSP_STOP_CONVERGED);
    for (int j = 0; j < 5; j++)
        CHECK(hsp_model_weights(a.model, 0)[j] == want[j]);
    CHECK_BOUND(a, "disjunction", 7, 13); /* 1 + 2 * 2 * 3 */
    CHECK_BOUND(a, "promotions", 6, 6);
    CHECK_BOUND(a, "demotions", 1, 7);
    CHECK_BOUND(a, "total", 16, 30); /* 5 + 5 (6 - 1) */
    CHECK_NOT(a, "doubling", "not winnow2");
    CHECK_NOT(a, "separator", "eliminates");
    audited_free(&a);
}

/* One column, a row of each class, balanced with a column of ones, delta = 1; a score of 0 is
 * positive. x = 0 is wrong, down: e0 = -1. x = 1: s = 1/2 - 2 < 0, up: e = 1, e0 = 0. x = 0: s = 0,
 * down: e0 = -1. Then x = 1 has s = 3/2 - 3/2 = 0 and x = 0 has -3/2: both right. With v = 2, b =
 * -1: V = 3, g = 1, H = ln 3 - (2/3) ln 2. */
static void test_balanced_by_hand(void)
{
    winnow_case c = {.rows = 2, .cols = 1, .x = {1, 0}, .y = {1, -1}, .v = {2}, .b = -1};
    c.variant = "balanced";
    c.theta = NAN;
    audited a = audit_case(&c);
    CHECK(a.run.updates == 3 && a.run.stop == HSP_STOP_CONVERGED);
    CHECK(hsp_model_weights(a.model, 0)[0] == 1.5 && hsp_model_offset(a.model, 0) == -1.5);
    CHECK_BOUND(a, "progress", 3, 3);                           /* 2 * 1 + -1 * -1; k g */
    CHECK_BOUND(a, "total", log(5), log(4) + 3 * log(5.0 / 4)); /* cosh ln 2 = 5/4 */
    CHECK_BOUND(a, "separator", 3,
                (log(4) - log(3) + log(2) * 2 / 3) / (log(2) / 3 - log(5.0 / 4)));
    audited_free(&a);
}

/* ---- Random runs ---- */

static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random"};
static const char *const ties[] = {"pos", "pos", "neg", "zero"};

static void random_setting(winnow_case *c)
{
    c->order = orders[below(5)];
    c->tie = ties[below(4)];
    c->average = below(4) == 0 ? "average" : "none";
}

/* Labels are the disjunction of the columns with v = 1; rows of zeros and ones. */
static void label_disjunction(winnow_case *c)
{
    int seen[2] = {0, 0};
    for (uint64_t i = 0; i < c->rows; i++) {
        int on = 0;
        for (uint64_t j = 0; j < c->cols; j++)
            on |= c->x[i * c->cols + j] == 1 && c->v[j] == 1;
        c->y[i] = on ? 1 : -1;
        seen[on]++;
    }
    /* Two classes are needed: a row of zeros, a row of ones. */
    for (int class = 0; class < 2; class ++) {
        if (seen[class]) continue;
        for (uint64_t j = 0; j < c->cols; j++)
            c->x[j] = class;
        c->y[0] = class ? 1 : -1;
    }
}

static void random_disjunction(winnow_case *c)
{
    const double density = draw(0.05, 0.9);
    const uint64_t relevant = 1 + below(c->cols < 5 ? c->cols : 5);
    for (uint64_t j = 0; j < c->cols; j++)
        c->v[j] = j < relevant;
    c->b = -0.5;
    for (uint64_t i = 0; i < c->rows * c->cols; i++)
        c->x[i] = draw(0, 1) < density;
    label_disjunction(c);
}

static void random_step(winnow_case *c)
{
    static const double deltas[] = {1, 1, 0.5, 0.1, 2, 9};
    c->delta = below(2) ? deltas[below(6)] : exp(draw(log(0.02), log(20)));
    c->theta = below(2) ? NAN : draw(0.3, 4 * (double)c->cols);
}

static void test_random_disjunctions(void)
{
    static const char *const apply[] = {"disjunction", "promotions", "demotions",
                                        "total",       "counts",     NULL};
    double most = 0;
    for (int t = 0; t < 12000; t++) {
        winnow_case c = {.rows = 2 + below(60), .cols = 2 + below(COLS - 1)};
        random_disjunction(&c);
        random_step(&c);
        random_setting(&c);
        c.variant = below(3) ? "winnow2" : "winnow1";
        audited a = audit_case(&c);
        CHECK(a.run.stop == HSP_STOP_CONVERGED);
        check_all(&a, apply);
        const hsp_mistake_bound *e = bound_of(&a, "disjunction");
        most = fmax(most, e->observed / e->bound);
        audited_free(&a);
    }
    CHECK_NOTE(most > 0.5, "the worst run came to %g of its bound only", most);
}

/* All rows there are, and always the worst mistake, or the first, or any: whoever picks the rows of
 * five to eight columns cannot do more. */
static void test_opponents(void)
{
    static const char *const apply[] = {"disjunction", "promotions", "demotions", "total", NULL};
    double most = 0;
    for (int t = 0; t < 1000; t++) {
        winnow_case c = {.cols = 3 + below(6)};
        c.rows = (uint64_t)1 << c.cols;
        for (uint64_t j = 0; j < c.cols; j++)
            c.v[j] = j <= below(3);
        c.v[0] = 1;
        c.b = -0.5;
        for (uint64_t i = 0; i < c.rows; i++)
            for (uint64_t j = 0; j < c.cols; j++)
                c.x[i * c.cols + j] = (double)(i >> j & 1);
        label_disjunction(&c);
        random_step(&c);
        if (t % 2) c.delta = 1, c.theta = NAN;
        c.variant = below(3) ? "winnow2" : "winnow1";
        c.order = orders[2 + below(3)];
        audited a = audit_case(&c);
        CHECK(a.run.stop == HSP_STOP_CONVERGED);
        check_all(&a, apply);
        const hsp_mistake_bound *e = bound_of(&a, "disjunction");
        most = fmax(most, e->observed / e->bound);
        audited_free(&a);
    }
    CHECK_NOTE(most > 0.5, "the worst run came to %g of its bound only", most);
}

/* Rows with values in [0,1] that some v >= 0 keeps apart by 1: <v,x> >= b or <= b - 1. */
static int random_separated(winnow_case *c)
{
    double total = 0;
    const int whole = below(2) != 0;
    for (uint64_t j = 0; j < c->cols; j++)
        total += c->v[j] = below(2) ? (double)below(4) : 0;
    if (total < 1) total = c->v[0] = 1;
    const double b = 1 + (double)below((uint64_t)total);
    uint64_t seen[2] = {0, 0}, rows = 0;
    for (int tries = 0; tries < 4000 && rows < c->rows; tries++) {
        double s = 0, *x = c->x + rows * c->cols;
        for (uint64_t j = 0; j < c->cols; j++) {
            x[j] = whole ? (double)below(2) : below(3) ? draw(0, 1) : (double)below(2);
            s += c->v[j] * x[j];
        }
        if (s > b - 1 && s < b) continue;
        c->y[rows++] = s >= b ? 1 : -1;
        seen[s >= b]++;
    }
    c->rows = rows;
    c->b = 0.5 - b;
    return seen[0] && seen[1];
}

static void test_random_separators(void)
{
    static const char *const apply[] = {"separator", "progress", "total", "demotions", NULL};
    uint64_t runs = 0, squared = 0;
    double most = 0;
    for (int t = 0; t < 5000; t++) {
        winnow_case c = {.rows = 2 + below(50), .cols = 2 + below(12)};
        if (!random_separated(&c)) continue;
        random_setting(&c);
        const double b = 0.5 - c.b;
        /* delta below sigma/(1 - sigma), sigma >= 1/b */
        const double limit = b > 1 ? 1 / (b - 1) : 4;
        c.delta = below(3) ? 1 / (2 * b) : draw(0.05, 0.95) * limit;
        c.theta = below(2) ? NAN : draw(0.5, 3 * (double)c.cols);
        audited a = audit_case(&c);
        CHECK(a.run.stop == HSP_STOP_CONVERGED);
        check_all(&a, apply);
        const hsp_mistake_bound *e = bound_of(&a, "separator");
        most = fmax(most, e->observed / e->bound);
        squared += bound_of(&a, "squared")->applies != 0;
        CHECK(!bound_of(&a, "squared")->applies ||
              bound_of(&a, "squared")->bound >= e->bound * (1 - 1e-9));
        runs++;
        audited_free(&a);
    }
    CHECK_NOTE(runs > 3000 && squared > 1000, "%llu runs, %llu squared", (unsigned long long)runs,
               (unsigned long long)squared);
    CHECK_NOTE(most > 0.1, "the worst run came to %g of its bound only", most);
}

/* Weights of both signs. */
static int random_signed(winnow_case *c, int offset)
{
    double total = 0;
    uint64_t seen[2] = {0, 0}, rows = 0;
    for (uint64_t j = 0; j < c->cols; j++)
        total += fabs(c->v[j] = below(3) ? draw(-2, 2) : 0);
    c->b = offset ? draw(-1, 1) : 0;
    total += fabs(c->b);
    const double g = draw(0.02, 0.3) * total;
    for (int tries = 0; tries < 4000 && rows < c->rows; tries++) {
        double s = c->b, *x = c->x + rows * c->cols;
        for (uint64_t j = 0; j < c->cols; j++) {
            x[j] = below(3) ? draw(0, 1) : (double)below(2);
            s += c->v[j] * x[j];
        }
        if (fabs(s) < g) continue;
        c->y[rows++] = s > 0 ? 1 : -1;
        seen[s > 0]++;
    }
    c->rows = rows;
    c->theta = g / total; /* rho: the caller's */
    return seen[0] && seen[1];
}

static void test_random_balanced(void)
{
    static const char *const apply[] = {"separator", "progress", "total", NULL};
    uint64_t runs = 0, squared = 0;
    double most = 0;
    for (int t = 0; t < 5000; t++) {
        winnow_case c = {.rows = 2 + below(50), .cols = 1 + below(12), .variant = "balanced"};
        const int offset = below(2) != 0;
        if (!random_signed(&c, offset)) continue;
        random_setting(&c);
        c.offset = offset ? "unit" : "none";
        c.delta = expm1(c.theta * draw(0.3, 1.6)); /* the best is near rho; 2 rho is too much */
        c.theta = NAN;
        audited a = audit_case(&c);
        CHECK(a.run.stop == HSP_STOP_CONVERGED);
        check_all(&a, apply);
        const hsp_mistake_bound *e = bound_of(&a, "separator");
        most = fmax(most, e->observed / e->bound);
        squared += bound_of(&a, "squared")->applies != 0;
        runs++;
        audited_free(&a);
    }
    CHECK_NOTE(runs > 2000 && squared > 600, "%llu runs, %llu squared", (unsigned long long)runs,
               (unsigned long long)squared);
    CHECK_NOTE(most > 0.05, "the worst run came to %g of its bound only", most);
}

/* Labels at random: nothing separates, the run is cut short, and the steps of the proofs that need
 * no reference hold all the same. */
static void test_noise(void)
{
    static const char *const variants[] = {"winnow1", "winnow2", "balanced"};
    static const char *const apply[] = {"total", "counts", NULL};
    for (int t = 0; t < 1200; t++) {
        winnow_case c = {.rows = 4 + below(40), .cols = 2 + below(10), .v = {1}, .b = -0.5};
        for (uint64_t i = 0; i < c.rows * c.cols; i++)
            c.x[i] = below(2) ? draw(0, 1) : (double)below(2);
        for (uint64_t i = 0; i < c.rows; i++)
            c.y[i] = i % 2 ? 1 : -1;
        random_step(&c);
        random_setting(&c);
        c.variant = variants[below(3)];
        if (strcmp(c.variant, "balanced") == 0) c.theta = NAN;
        c.max_updates = 1 + below(3000);
        audited a = audit_case(&c);
        check_all(&a, apply);
        CHECK(strcmp(c.average, "average") == 0 || bound_of(&a, "rebuild")->applies);
        audited_free(&a);
    }
}

/* ---- What was tampered with ---- */

static double *weights_of(hsp_model *model)
{
    return model->weights;
}

static void test_tampered(void)
{
    winnow_case c = five_variables();
    audited a = audit_case(&c);
    test_fact_count(a.model, "updates", 23);
    again(&a);
    CHECK_EXCEEDED(a, "doubling");
    CHECK_EXCEEDED(a, "disjunction");
    CHECK_EXCEEDED(a, "counts");
    test_fact_count(a.model, "updates", 6);
    again(&a);
    check_all(&a, (const char *const[]){"doubling", NULL});

    weights_of(a.model)[3] = 1 + 1e-12;
    again(&a);
    CHECK_EXCEEDED(a, "rebuild");
    weights_of(a.model)[3] = 1;
    a.model->offsets[0] = -4.5;
    again(&a);
    CHECK_EXCEEDED(a, "rebuild");
    a.model->offsets[0] = -5;
    weights_of(a.model)[0] = 16;
    again(&a);
    CHECK_EXCEEDED(a, "rebuild");
    weights_of(a.model)[0] = 8;
    again(&a);
    check_all(&a, (const char *const[]){"rebuild", NULL});

    union {
        const double *seen;
        double *own;
    } amount = {a.model->updates.amount};
    amount.own[0] += 1;
    again(&a);
    CHECK_EXCEEDED(a, "counts");
    CHECK_EXCEEDED(a, "rebuild");
    amount.own[0] += 20; /* as if it had been promoted 22 times */
    again(&a);
    CHECK_EXCEEDED(a, "promotions");
    CHECK_EXCEEDED(a, "total");
    amount.own[0] -= 21;
    for (uint64_t i = 0; i < a.model->updates.count; i++)
        if (amount.own[i] < 0) amount.own[i] = -40;
    again(&a);
    CHECK_EXCEEDED(a, "demotions");
    audited_free(&a);
}

/* A column that was eliminated stays out. */
static void test_tampered_elimination(void)
{
    winnow_case c = five_variables();
    c.variant = "winnow1";
    audited a = audit_case(&c);
    weights_of(a.model)[2] = 1e-3;
    again(&a);
    CHECK_EXCEEDED(a, "rebuild");
    audited_free(&a);
}

static void test_other_rows(void)
{
    winnow_case c = five_variables();
    audited a = audit_case(&c);
    hsp_error err = {0};
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    c.x[0] = 0.5; /* no longer a disjunction */
    uint32_t labels[] = {1, 1, 0, 1, 1};
    hsp_data *real = test_data(ctx, 5, 5, c.x, labels, 2, NULL);
    hsp_data_free(a.data);
    a.data = real;
    again(&a);
    CHECK_NOT(a, "doubling", "row 1 has the value 0.5");
    labels[0] = 0;
    hsp_data *flipped = test_data(ctx, 5, 5, c.x, labels, 2, NULL);
    CHECK(hsp_audit(ctx, a.model, flipped, a.reference, &err, &bounds, &count) == HSP_BAD_DATA);
    CHECK_NOTE(strstr(err.message, "the other label") != NULL, "%s", err.message);
    hsp_data_free(flipped);
    audited_free(&a);
}

/* A reference that is none: a negative weight, rows on its wrong side, no column that is enough. */
static void test_references(void)
{
    winnow_case c = five_variables();
    c.v[4] = -1;
    audited a = audit_case(&c);
    CHECK_NOT(a, "separator", "negative weight, -1 of column 5");
    CHECK(bound_of(&a, "disjunction")->applies); /* x1 or x2 is what its enough columns say */
    audited_free(&a);
    c = five_variables();
    c.v[1] = 0;
    a = audit_case(&c);
    CHECK_NOT(a, "separator", "does not separate");
    CHECK_NOT(a, "disjunction", "row 2 is positive");
    audited_free(&a);
    c = five_variables();
    c.b = -1.5;
    a = audit_case(&c);
    CHECK_NOT(a, "disjunction", "the reference is not a disjunction: no");
    audited_free(&a);
    c = five_variables();
    c.delta = 2;
    c.v[2] = c.v[3] = 0.3; /* sigma = 0.4: delta has to be below 2/3 */
    a = audit_case(&c);
    CHECK_NOT(a, "separator", "too large for the reference, whose sigma is 0.4");
    audited_free(&a);
}

/* The forms of a model are one run. */
static void test_forms(void)
{
    static const char *const forms[] = {"homogeneous", "unit", "threshold"};
    static const char *const variants[] = {"winnow1", "winnow2", "balanced"};
    for (int i = 0; i < 9; i++) {
        winnow_case c = five_variables();
        c.variant = variants[i / 3];
        audited a = audit_case(&c);
        hsp_model *formed = NULL;
        CHECK(!hsp_model_form(ctx, a.model, forms[i % 3], NULL, &formed));
        hsp_model_free(a.model);
        a.model = formed;
        again(&a);
        check_all(&a, (const char *const[]){"total", "counts", "rebuild", NULL});
        audited_free(&a);
    }
}

/* Columns by number become the reference that the hand-worked case has. */
static void test_disjunction_model(void)
{
    static const char *const columns[] = {"2", "1"}, *const unknown[] = {"6"};
    winnow_case c = five_variables();
    audited a = audit_case(&c);
    hsp_model *made = NULL;
    hsp_error err = {0};
    CHECK(!hsp_model_disjunction(ctx, a.model, columns, 2, &err, &made));
    hsp_model_free(a.reference);
    a.reference = made;
    again(&a);
    CHECK_BOUND(a, "doubling", 6, 2 + 6 * (1 + log2(5)));
    made = NULL;
    CHECK(hsp_model_disjunction(ctx, a.model, unknown, 1, &err, &made) == HSP_USAGE && !made);
    CHECK_NOTE(strstr(err.message, "no column '6'") != NULL, "%s", err.message);
    CHECK(hsp_model_disjunction(ctx, a.model, unknown, 0, &err, &made) == HSP_USAGE && !made);
    audited_free(&a);
}

int main(void)
{
    ctx = test_context(2, 0);
    hsp__random_seed(&random_numbers, 6, 1);
    RUN(test_five_variables);
    RUN(test_elimination);
    RUN(test_balanced_by_hand);
    RUN(test_random_disjunctions);
    RUN(test_opponents);
    RUN(test_random_separators);
    RUN(test_random_balanced);
    RUN(test_noise);
    RUN(test_tampered);
    RUN(test_tampered_elimination);
    RUN(test_other_rows);
    RUN(test_references);
    RUN(test_forms);
    RUN(test_disjunction_model);
    hsp_context_free(ctx);
    return check_done();
}
