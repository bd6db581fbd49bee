/* Kernel expressions: what parses, what is refused and where, canonical text, and values against a
 * naive evaluation in long double. */
#include <math.h>
#include <stdint.h>

#include "../check.h"
#include "halfspace_all.h"
#include "kernel/block.h"

static hsp_context *ctx;

static void good(const char *text, const char *canonical)
{
    hsp_kernel *kernel = NULL, *again = NULL;
    hsp_error err = {0};
    char line[512];
    CHECK_NOTE(hsp_kernel_parse(ctx, text, 1, 1, &err, &kernel) == HSP_OK, "%s: %s", text,
               hsp_error_text(&err, line, sizeof line));
    if (!kernel) return;
    CHECK_TEXT(hsp_kernel_text(kernel), canonical);
    CHECK(hsp_kernel_parse(ctx, canonical, 1, 1, &err, &again) == HSP_OK);
    if (again) CHECK_TEXT(hsp_kernel_text(again), canonical);
    hsp_kernel_free(kernel);
    hsp_kernel_free(again);
}

static void bad(const char *text, uint64_t column, const char *part)
{
    hsp_kernel *kernel = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_kernel_parse(ctx, text, 0, 1, &err, &kernel) == HSP_USAGE, "%s", text);
    CHECK(kernel == NULL);
    CHECK_NOTE(err.column == column, "%s: column %llu", text, (unsigned long long)err.column);
    CHECK_NOTE(strstr(err.message, part) != NULL, "%s: %s", text, err.message);
    hsp_kernel_free(kernel);
}

static void test_texts(void)
{
    good("linear", "linear");
    good(" poly( degree = 3 , r = 1 ) ", "poly(degree=3, r=1)");
    good("poly(2)", "poly(degree=2, r=1)");
    good("poly(r=0, degree=2)", "poly(degree=2, r=0)");
    good("rbf(c=0.5)", "rbf(c=0.5)");
    good("rbf(median)+rbf(1/d)", "(rbf(c=median) + rbf(c=1/d))");
    good("rbf + rbf(scale)*laplace(gamma)", "(rbf(c=scale) + (rbf(c=scale)*laplace(c=gamma)))");
    good("0.5*rbf(0.1) + normalize(poly(2,1))*linear",
         "((const(0.5)*rbf(c=0.1)) + (normalize(poly(degree=2, r=1))*linear))");
    good("(linear + 1)^2*chi2", "(((linear + const(1)))^2*chi2(c=1))");
    good("cols(1-10,15; linear+rbf(1))", "cols(1-10,15; (linear + rbf(c=1)))");
    good("rescale(exp(-norm*norm/2) + x3, linear)",
         "rescale((exp(((-(norm)*norm)/2)) + x3), linear)");
    good("2*linear - linear", "((const(2)*linear) + (const(-1)*linear))");
    good("2*wave", "(const(2)*wave)");
    good("sigmoid(1,-2)", "sigmoid(a=1, b=-2)");
}

static void test_refusals(void)
{
    bad("", 1, "found the end");
    bad("linea", 1, "'linea'");
    bad("laplace", 8, "found the end");
    bad("rbf(scales)", 5, "scale or gamma");
    bad("rbf(0)", 5, "above 0");
    bad("rbf(-1)", 5, "above 0");
    bad("rbf(1e999)", 5, "finite");
    bad("poly(0)", 6, "whole number from 1");
    bad("poly(2.5,1)", 6, "whole number from 1");
    bad("poly(2,-1)", 1, "found r < 0, expected r >=");
    bad("linear + -2*rbf(1)", 10, "found a negative factor: c k is");
    bad("linear - rbf(1)", 8, "difference");
    bad("sigmoid(1,0)", 1, "not a kernel");
    bad("1 + wave", 5, "not a kernel");
    bad("const(-1)", 7, "negative constant");
    bad("linear linear", 8, "one of + * ^");
    bad("(linear", 8, "')'");
    bad("linear^0", 8, "whole number");
    bad("cols(0;linear)", 6, "column");
    bad("cols(3,2;linear)", 8, "ascending");
    bad("cols(1;cols(2;linear))", 8, "once");
    bad("rescale(y, linear)", 9, "norm");
    bad("rescale(x0, linear)", 9, "norm");
}

static void test_deep_texts_end(void)
{
    static char text[20001];
    hsp_kernel *kernel = NULL;
    memset(text, '(', 20000);
    CHECK(hsp_kernel_parse(ctx, text, 0, 1, NULL, &kernel) == HSP_USAGE);
    for (size_t i = 0; i < 20000; i += 2)
        text[i] = '1', text[i + 1] = '+';
    text[19999] = 0;
    CHECK(hsp_kernel_parse(ctx, text, 0, 1, NULL, &kernel) == HSP_USAGE);
}

/* ---- Values ---- */

static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { ROWS = 90, COLS = 40 };
static float dense[ROWS * COLS], entries[ROWS * COLS];
static uint64_t starts[ROWS + 1];
static uint32_t indices[ROWS * COLS];

static long double dot(const float *x, const float *y, int from, int to)
{
    long double sum = 0;
    for (int j = from; j < to; j++)
        sum += (long double)x[j] * y[j];
    return sum;
}

static long double square(const float *x, const float *y)
{
    long double sum = 0;
    for (int j = 0; j < COLS; j++)
        sum += ((long double)x[j] - y[j]) * ((long double)x[j] - y[j]);
    return sum;
}

static long double entrywise(const float *x, const float *y, int which)
{
    long double sum = 0;
    for (int j = 0; j < COLS; j++) {
        const long double a = x[j], b = y[j];
        sum += which == 0   ? fabsl(a - b)
               : which == 1 ? (a + b > 0 ? (a - b) * (a - b) / (a + b) : 0)
                            : fminl(a, b);
    }
    return sum;
}

typedef struct naive {
    const char *text;
    int which;
} naive;

static const naive cases[] = {{"linear", 0},
                              {"poly(3,1)", 1},
                              {"rbf(0.25)", 2},
                              {"laplace(0.5)", 3},
                              {"chi2(0.5)", 4},
                              {"intersection", 5},
                              {"0.5*rbf(0.1) + normalize(poly(2,1))*linear", 6},
                              {"cols(3-7,20; linear)^2 + 2", 7},
                              {"rescale(1/(1 + x2), linear + rbf(1))", 8},
                              {"linear*(linear + rbf(0.25)*(2 + linear*linear))", 9}};

static long double value(const naive *c, const float *x, const float *y)
{
    const long double l = dot(x, y, 0, COLS), s = square(x, y);
    long double m;
    switch (c->which) {
    case 0:
        return l;
    case 1:
        return (l + 1) * (l + 1) * (l + 1);
    case 2:
        return expl(-0.25L * s);
    case 3:
        return expl(-0.5L * entrywise(x, y, 0));
    case 4:
        return expl(-0.5L * entrywise(x, y, 1));
    case 5:
        return entrywise(x, y, 2);
    case 6:
        m = (l + 1) / sqrtl((dot(x, x, 0, COLS) + 1) * (dot(y, y, 0, COLS) + 1));
        return 0.5L * expl(-0.1L * s) +
               m * (l + 1) / sqrtl((dot(x, x, 0, COLS) + 1) * (dot(y, y, 0, COLS) + 1)) * l;
    case 7:
        m = dot(x, y, 2, 7) + dot(x, y, 19, 20);
        return m * m + 2;
    case 8:
        return 1 / (1 + (long double)x[1]) / (1 + (long double)y[1]) * (l + expl(-s));
    default:
        return l * (l + expl(-0.25L * s) * (2 + l * l));
    }
}

static void fill(double density)
{
    uint64_t count = 0;
    for (int i = 0; i < ROWS; i++) {
        starts[i] = count;
        for (int j = 0; j < COLS; j++) {
            const float x = rng() < density ? (float)rng() : 0;
            dense[i * COLS + j] = x;
            if (x == 0) continue;
            indices[count] = (uint32_t)j;
            entries[count++] = x;
        }
    }
    starts[ROWS] = count;
}

static void compare(const hsp_view *view, const naive *c)
{
    static double wide[ROWS * ROWS];
    static float single[ROWS * ROWS];
    hsp_kernel *kernel = NULL;
    hsp__kernel_rows *rows = NULL;
    hsp_error err = {0};
    CHECK(hsp_kernel_parse(ctx, c->text, 0, 1, &err, &kernel) == HSP_OK);
    CHECK(hsp__kernel_rows_new(ctx, kernel, view, NULL, &err, &rows) == HSP_OK);
    const hsp__kernel_pick all = {rows, NULL, 0, ROWS};
    CHECK(hsp__kernel_block_f64(ctx, &all, &all, wide, ROWS, &err) == HSP_OK);
    CHECK(hsp__kernel_block_f32(ctx, &all, &all, single, ROWS, &err) == HSP_OK);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) {
            const long double want = value(c, dense + i * COLS, dense + j * COLS);
            const long double size = fabsl(want) + 1;
            CHECK_NOTE(fabsl(wide[i * ROWS + j] - want) <= 1e-13L * size, "%s", c->text);
            CHECK_NOTE(fabsl(single[i * ROWS + j] - want) <= 2e-5L * size, "%s", c->text);
        }
        CHECK(fabs(hsp__kernel_self(rows, (uint64_t)i) - wide[i * ROWS + i]) <=
              1e-12 * (1 + fabs(wide[i * ROWS + i])));
    }
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(kernel);
}

static void test_values(void)
{
    for (int turn = 0; turn < 2; turn++) {
        fill(turn ? 0.04 : 0.5); /* few enough entries for the sparse road, and many */
        const hsp_view full = hsp_view_dense(HSP_FLOAT32, ROWS, COLS, COLS, dense);
        const hsp_view sparse =
            hsp_view_sparse(HSP_FLOAT32, ROWS, COLS, 8, starts, indices, entries);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            compare(&full, &cases[k]);
            compare(&sparse, &cases[k]);
        }
    }
}

static void test_values_do_not_depend_on_the_block(void)
{
    static float whole[ROWS * ROWS], part[ROWS * ROWS];
    const uint64_t list[] = {5, 80, 3};
    hsp_kernel *kernel = NULL;
    hsp__kernel_rows *rows = NULL;
    fill(0.5);
    const hsp_view view = hsp_view_dense(HSP_FLOAT32, ROWS, COLS, COLS, dense);
    CHECK(hsp_kernel_parse(ctx, "rbf(0.3)*linear", 0, 1, NULL, &kernel) == HSP_OK);
    CHECK(hsp__kernel_rows_new(ctx, kernel, &view, NULL, NULL, &rows) == HSP_OK);
    const hsp__kernel_pick all = {rows, NULL, 0, ROWS}, some = {rows, list, 0, 3},
                           range = {rows, NULL, 11, 70};
    CHECK(hsp__kernel_block_f32(ctx, &all, &all, whole, ROWS, NULL) == HSP_OK);
    CHECK(hsp__kernel_block_f32(ctx, &some, &range, part, 70, NULL) == HSP_OK);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 70; j++)
            CHECK(part[i * 70 + j] == whole[list[i] * ROWS + 11 + j]);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < i; j++)
            CHECK(whole[i * ROWS + j] == whole[j * ROWS + i]);
    hsp__kernel_rows_free(ctx, rows);
    hsp_kernel_free(kernel);
}

/* Ones as they are, as entries, and as dense rows: three ways to the same bits. */
static void test_ones_have_the_bits_of_other_rows(void)
{
    enum { WIDE = 700, MANY = 70 };
    static float full[MANY * WIDE], out[3][MANY * MANY], ones[MANY * WIDE];
    static uint64_t begins[MANY + 1];
    static uint32_t at[MANY * WIDE];
    const char *const texts[] = {"rbf(0.01)", "poly(3,1)",
                                 "0.5*rbf(0.1)*cols(5-300;linear) + linear"};
    uint64_t count = 0;
    for (int i = 0; i < MANY; i++) {
        begins[i] = count;
        for (uint32_t j = 0; j < WIDE; j++)
            if (rng() < (i % 3 ? 0.05 : 0.9)) { /* some rows have more places than a byte counts */
                full[i * WIDE + (int)j] = 1;
                ones[count] = 1;
                at[count++] = j;
            }
    }
    begins[MANY] = count;
    hsp_view views[3] = {hsp_view_dense(HSP_FLOAT32, MANY, WIDE, WIDE, full),
                         hsp_view_sparse(HSP_FLOAT32, MANY, WIDE, 8, begins, at, ones),
                         hsp_view_sparse(HSP_FLOAT32, MANY, WIDE, 8, begins, at, NULL)};
    views[2].storage = HSP_ONES;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (int v = 0; v < 3; v++) {
            hsp_kernel *kernel = NULL;
            hsp__kernel_rows *rows = NULL;
            CHECK(hsp_kernel_parse(ctx, texts[k], 0, 1, NULL, &kernel) == HSP_OK);
            CHECK(hsp__kernel_rows_new(ctx, kernel, &views[v], NULL, NULL, &rows) == HSP_OK);
            const hsp__kernel_pick all = {rows, NULL, 0, MANY};
            CHECK(hsp__kernel_block_f32(ctx, &all, &all, out[v], MANY, NULL) == HSP_OK);
            hsp__kernel_rows_free(ctx, rows);
            hsp_kernel_free(kernel);
        }
        CHECK_NOTE(!memcmp(out[0], out[1], sizeof *out), "%s", texts[k]);
        CHECK_NOTE(!memcmp(out[0], out[2], sizeof *out), "%s", texts[k]);
    }
}

/* What apply adds are the lines, in their order; on rows of each storage, packed or not. */
static void test_apply_adds_the_lines(void)
{
    static double by[ROWS], sums[ROWS], want[ROWS], wide[ROWS * ROWS];
    static float single[ROWS * ROWS];
    for (int turn = 0; turn < 6; turn++) {
        hsp_kernel *kernel = NULL;
        hsp__kernel_rows *rows = NULL;
        fill(turn % 3 == 2 ? 0.04 : 0.5);
        const hsp_view full = hsp_view_dense(HSP_FLOAT32, ROWS, COLS, COLS, dense);
        const hsp_view sparse =
            hsp_view_sparse(HSP_FLOAT32, ROWS, COLS, 8, starts, indices, entries);
        CHECK(hsp_kernel_parse(ctx, "rbf(0.3)", 0, 1, NULL, &kernel) == HSP_OK);
        CHECK(hsp__kernel_rows_new(ctx, kernel, turn % 3 ? &sparse : &full, NULL, NULL, &rows) ==
              HSP_OK);
        const hsp__kernel_pick all = {rows, NULL, 0, ROWS};
        CHECK(hsp__kernel_block_f64(ctx, &all, &all, wide, ROWS, NULL) == HSP_OK);
        CHECK(hsp__kernel_block_f32(ctx, &all, &all, single, ROWS, NULL) == HSP_OK);
        const hsp__kernel_road road = {.entries = 0, .wide = turn > 2};
        CHECK(hsp__kernel_pack(ctx, &road, 1 << 20, rows, NULL) == HSP_OK);
        CHECK(rows->packed.values);
        for (int j = 0; j < ROWS; j++)
            by[j] = rng() - 0.5, sums[j] = want[j] = rng();
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++) {
                const volatile double k = turn > 2 ? wide[i * ROWS + j] : single[i * ROWS + j];
                const volatile double product = by[i] * k;
                want[j] += product;
            }
        CHECK(hsp__kernel_apply(ctx, &all, by, &all, turn > 2, sums, NULL) == HSP_OK);
        CHECK(!memcmp(sums, want, sizeof sums));
        hsp__kernel_rows_free(ctx, rows);
        hsp_kernel_free(kernel);
    }
}

static void test_fit(void)
{
    hsp_kernel *kernel = NULL;
    static const float three[] = {0, 0, 3, 4, 0, 1}; /* squared distances 25, 1, 18 */
    const hsp_view view = hsp_view_dense(HSP_FLOAT32, 3, 2, 2, three);
    CHECK(hsp_kernel_parse(ctx, "rbf(median)+rbf(1/d)", 0, 1, NULL, &kernel) == HSP_OK);
    CHECK(hsp_kernel_fit(ctx, kernel, &view, NULL) == HSP_OK);
    CHECK_TEXT(hsp_kernel_text(kernel), "(rbf(c=0.05555555555555555) + rbf(c=0.5))");
    hsp_kernel_free(kernel);
}

/* 1/(d var): by hand, of columns of the space alone, with the same bits for every storage. */
static void test_fit_scale(void)
{
    hsp_kernel *kernel = NULL;
    static const float six[] = {0, 2, 0, 0, 2, 2}; /* mean 1, variance 1; columns 2/3 and 4/3 */
    static const float second[] = {2, 2};
    static const uint64_t at[] = {0, 1, 1, 3};
    static const uint32_t column[] = {1, 0, 1};
    static const float stored[] = {2, 2, 2};
    const hsp_view full = hsp_view_dense(HSP_FLOAT32, 3, 2, 2, six);
    const hsp_view sparse = hsp_view_sparse(HSP_FLOAT32, 3, 2, 8, at, column, stored);
    const hsp_view flat = hsp_view_dense(HSP_FLOAT32, 1, 2, 2, second);
    const hsp_view none = hsp_view_dense(HSP_FLOAT32, 0, 2, 2, second);
    const struct {
        const char *text;
        const hsp_view *view;
        const char *fitted;
    } fits[] = {{"rbf", &full, "rbf(c=0.5)"},
                {"rbf", &sparse, "rbf(c=0.5)"},
                {"rbf(scale)+1", &full, "(rbf(c=0.5) + const(1))"},
                {"cols(1; rbf)", &full, "cols(1; rbf(c=1.125))"},
                {"cols(1; rbf)", &sparse, "cols(1; rbf(c=1.125))"},
                {"rbf", &flat, "rbf(c=1)"}, /* nothing varies: 1, as scikit-learn */
                {"rbf", &none, NULL},
                {"rbf(gamma)", &full, NULL}};
    for (size_t k = 0; k < sizeof fits / sizeof *fits; k++) {
        CHECK(hsp_kernel_parse(ctx, fits[k].text, 0, 1, NULL, &kernel) == HSP_OK);
        const hsp_status status = hsp_kernel_fit(ctx, kernel, fits[k].view, NULL);
        CHECK_NOTE((status == HSP_OK) == (fits[k].fitted != NULL), "%s", fits[k].text);
        if (!status) CHECK_TEXT(hsp_kernel_text(kernel), fits[k].fitted);
        hsp_kernel_free(kernel);
    }
    CHECK(hsp_kernel_parse(ctx, "rbf + rbf(2)*laplace(gamma)", 0, 1, NULL, &kernel) == HSP_OK);
    CHECK(hsp__kernel_set_gamma(kernel, 0.25) == 2);
    CHECK(hsp_kernel_fit(ctx, kernel, &full, NULL) == HSP_OK);
    CHECK_TEXT(hsp_kernel_text(kernel), "(rbf(c=0.25) + (rbf(c=2)*laplace(c=0.25)))");
    CHECK(hsp__kernel_set_gamma(kernel, 0.25) == 0);
    hsp_kernel_free(kernel);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_texts);
    RUN(test_refusals);
    RUN(test_deep_texts_end);
    RUN(test_values);
    RUN(test_values_do_not_depend_on_the_block);
    RUN(test_ones_have_the_bits_of_other_rows);
    RUN(test_apply_adds_the_lines);
    RUN(test_fit);
    RUN(test_fit_scale);
    hsp_context_free(ctx);
    return check_done();
}
