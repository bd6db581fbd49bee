/* Separable, by how much, or not: thousands of random data sets of every awkward kind, each with a
 * certificate that the checker accepts, and no claim left open. */
#include "helpers.h"

static hsp_context *ctx;
static uint64_t state = 88172645463325252;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

typedef enum family {
    WIDE,       /* a margin of 0.3 */
    BARE,       /* all rows 1e-9 from the hyperplane, or far from it */
    BARE_ALL,   /* all rows 1e-9 from it, 17 digits */
    TOUCHING,   /* whole numbers, many rows on the hyperplane itself */
    DUPLICATES, /* a row in both classes */
    ONE,        /* one class */
    COLLINEAR,  /* all rows on a line through 0 */
    RANDOM,     /* random labels */
    MIXED,      /* columns of size 1 and 1e6 */
    FAMILIES
} family;

static const char *const formats[] = {"%.3f", "%g", "%.17g", "%.0f", "%.9e"};

typedef struct sample {
    family kind;
    int rows, cols;
    const char *format;
    double w[8], x[40][8];
    int y[40];
} sample;

static void draw_row(sample *s, int i)
{
    double *x = s->x[i], score = 0;
    for (int j = 0; j < s->cols; j++) {
        x[j] = normal() * (s->kind == MIXED && uniform() < 0.3 ? 1e6 : 1);
        score += s->w[j] * x[j];
    }
    int y = score > 0 ? 1 : -1;
    const int near = s->kind == BARE_ALL || (s->kind == BARE && uniform() < 0.5);
    double whole = 0;
    for (int j = 0; j < s->cols; j++) {
        if (s->kind == WIDE) x[j] += y * 0.3 * s->w[j];
        if (near) x[j] -= (score - y * 1e-9) * s->w[j];
        if (s->kind == COLLINEAR) x[j] = x[0] * (j + 1);
        if (s->kind == TOUCHING) whole += x[j] = nearbyint(x[j]);
    }
    if (s->kind == TOUCHING) y = whole > 0 ? 1 : whole < 0 ? -1 : uniform() < 0.5 ? 1 : -1;
    if (s->kind == COLLINEAR) y = x[0] > 0 ? 1 : -1;
    if (s->kind == RANDOM) y = uniform() < 0.5 ? 1 : -1;
    if (s->kind == ONE) y = 1;
    s->y[i] = y;
}

static void draw(sample *s, family kind)
{
    static const int widths[] = {1, 2, 3, 5, 8};
    double length = 0;
    s->kind = kind;
    s->cols = widths[(int)(uniform() * 5)];
    s->rows = 2 + (int)(uniform() * 28);
    s->format = formats[(int)(uniform() * 5)];
    if (kind == BARE || kind == BARE_ALL) s->format = "%.17g";
    for (int j = 0; j < s->cols; j++) {
        s->w[j] = normal();
        length += s->w[j] * s->w[j];
    }
    for (int j = 0; j < s->cols; j++)
        s->w[j] /= sqrt(length);
    for (int i = 0; i < s->rows; i++)
        draw_row(s, i);
    if (kind != DUPLICATES) return;
    const int other = s->rows++;
    const int which = (int)(uniform() * other);
    memcpy(s->x[other], s->x[which], sizeof s->x[which]);
    s->y[other] = -s->y[which];
}

static void write_sample(const sample *s, FILE *file)
{
    rewind(file);
    if (ftruncate(fileno(file), 0)) exit(1);
    for (int i = 0; i < s->rows; i++) {
        fprintf(file, s->y[i] > 0 ? "+1" : "-1");
        for (int j = 0; j < s->cols; j++) {
            fprintf(file, " %d:", j + 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            fprintf(file, s->format, s->x[i][j]);
#pragma GCC diagnostic pop
        }
        fputc('\n', file);
    }
    fflush(file);
}

static void check_sample(const sample *s, proved_file *file, int offset)
{
    hsp_certificate *certificate = NULL;
    hsp_error err = {0};
    hsp_options *options =
        options_of(ctx, hsp_certify_options(), "offset", offset ? "free" : "none", NULL);
    write_sample(s, file->file);
    const hsp_status status = hsp_certify(ctx, file->path, NULL, NULL, options, &err, &certificate);
    CHECK_NOTE(status == HSP_OK, "family %d: %s", s->kind, err.message);
    if (status == HSP_OK) {
        const char *text = hsp_certificate_text(certificate, NULL);
        CHECK_NOTE(text != NULL, "family %d, %d x %d, offset %d: %s", s->kind, s->rows, s->cols,
                   offset, why_not(certificate, "separable"));
        const int no = text && strstr(text, "\"not separable\"") != NULL;
        const double low = member(text, "low"), high = member(text, "high");
        if (text) {
            CHECK_NOTE(checker_accepts(text, file->path, NULL), "family %d, %d x %d: %s", s->kind,
                       s->rows, s->cols, text);
            CHECK(isnan(member(text, "epsilon")));
        }
        if (no)
            CHECK_NOTE(pairs(text, "multipliers") <= (uint64_t)(s->cols + 1 + offset),
                       "family %d: %d columns, %d rows", s->kind, s->cols,
                       (int)pairs(text, "multipliers"));
        else if (!isnan(low))
            CHECK_NOTE(high - low <= 1e-6 * high, "family %d: [%.17g, %.17g]", s->kind, low, high);
        else
            CHECK(pairs(text, "w") == 0 || s->kind == ONE);
        if (s->kind == DUPLICATES) CHECK_NOTE(no && pairs(text, "multipliers") <= 2, "%s", text);
        if (s->kind == ONE && offset) CHECK(!no);
    }
    hsp_certificate_free(certificate);
    hsp_options_free(options);
}

static void test_random(void)
{
    const char *more = getenv("HSP_TEST_ROUNDS");
    const int rounds = more ? atoi(more) : 300;
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file file = file_new();
    for (int round = 0; round < rounds; round++)
        for (int kind = 0; kind < FAMILIES; kind++) {
            sample s = {0};
            draw(&s, (family)kind);
            check_sample(&s, &file, round % 3 > 0);
        }
    file_free(&file);
}

/* ---- Known answers ---- */

static double known_margin(const char *rows, const char *offset, double *high)
{
    proved_file file = file_of(rows);
    hsp_certificate *certificate = NULL;
    hsp_error err = {0};
    hsp_options *options = options_of(ctx, hsp_certify_options(), "offset", offset, NULL);
    double low = NAN;
    if (hsp_certify(ctx, file.path, NULL, NULL, options, &err, &certificate) == HSP_OK) {
        const char *text = hsp_certificate_text(certificate, NULL);
        CHECK(text && checker_accepts(text, file.path, NULL));
        low = member(text, "low");
        *high = member(text, "high");
        if (text && strstr(text, "\"not separable\"")) low = *high = -1;
    }
    hsp_certificate_free(certificate);
    hsp_options_free(options);
    file_free(&file);
    return low;
}

static void check_margin(const char *rows, const char *offset, double want)
{
    double high = NAN;
    const double low = known_margin(rows, offset, &high);
    CHECK_NOTE(low <= want + 1e-12 * fabs(want) && high >= want - 1e-12 * fabs(want) &&
                   high - low <= 1e-6 * fabs(high),
               "[%.17g, %.17g] and %.17g", low, high, want);
}

static void test_known(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    check_margin("-1 1:0\n+1 1:1\n", "free", 0.5);
    check_margin("-1 1:1 2:1\n+1 1:4 2:5\n", "free", 2.5);
    check_margin("-1 1:-3 2:-4\n+1 1:3 2:4\n", "none", 5);
    check_margin("-1 1:0 2:0\n-1 1:1 2:0\n+1 1:0 2:1\n+1 1:1 2:1\n", "free", 0.5);
    /* 1e-20 apart at 1e6: no double tells these rows from each other */
    check_margin("-1 1:1000000\n+1 1:1000000.00000000000000000001\n", "free", 0.5e-20);
    check_margin("-1 1:0.1\n-1 1:0.3\n+1 1:0.30000000000000000000001\n", "free", 0.5e-23);
    /* they are the same decimal, whatever their form */
    check_margin("-1 1:0.30\n+1 1:3e-1\n", "free", -1);
    check_margin("-1 1:0 2:0\n-1 1:1 2:1\n+1 1:0 2:1\n+1 1:1 2:0\n", "free", -1);
    /* 0.1 + 0.2 is 0.3: the middle row is on the segment, exactly */
    check_margin("-1 1:0.1 2:0\n-1 1:0.3 2:0.2\n+1 1:0.2 2:0.1\n", "free", -1);
    check_margin("-1 1:0.1 2:0\n-1 1:0.3 2:0.2\n+1 1:0.2 2:0.1000000000000000001\n", "free",
                 0.5e-19 / sqrt(2));
}

/* The last one has no margin: it says so by having none. */
static void test_alone(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    proved_file file = file_of("+1 1:1\n+1 1:2\n");
    hsp_certificate *certificate = NULL;
    hsp_error err = {0};
    CHECK(hsp_certify(ctx, file.path, NULL, NULL, NULL, &err, &certificate) == HSP_OK);
    const char *text = hsp_certificate_text(certificate, NULL);
    CHECK(text && checker_accepts(text, file.path, NULL));
    CHECK(text && !strstr(text, "margin"));
    hsp_certificate_free(certificate);
    file_free(&file);
}

/* ---- Thousands of columns ---- */

typedef enum wide_kind { WIDE_NOISE, WIDE_PLANTED, WIDE_TWINS } wide_kind;

/* 4,000 rows of 20 of 1,600 columns. More than twice as many rows as columns with labels by chance:
 * the hulls meet, all but surely [T. Cover, 1965]. */
static void write_wide(FILE *file, wide_kind kind)
{
    enum { ROWS = 4000, BLOCK = 80 };
    for (int i = 0; i < ROWS; i++) {
        const int y = uniform() < 0.5 ? 1 : -1;
        fprintf(file, y > 0 ? "+1" : "-1");
        for (int j = 1; j <= 1600; j += BLOCK)
            fprintf(file, " %d:%.3f", j + (int)(uniform() * (BLOCK - 1)), normal());
        if (kind == WIDE_PLANTED) fprintf(file, " 1601:%d", 3 * y);
        fputc('\n', file);
    }
    if (kind == WIDE_TWINS) fputs("-1 7:0.25 9:1\n+1 7:0.25 9:1.0\n", file);
    fflush(file);
}

static void check_wide(wide_kind kind, const char *offset)
{
    proved_file file = file_new();
    hsp_certificate *certificate = NULL;
    hsp_error err = {0};
    hsp_options *options = options_of(ctx, hsp_certify_options(), "offset", offset, NULL);
    write_wide(file.file, kind);
    CHECK(hsp_certify(ctx, file.path, NULL, NULL, options, &err, &certificate) == HSP_OK);
    const char *text = hsp_certificate_text(certificate, NULL);
    CHECK(text && checker_accepts(text, file.path, NULL));
    const double epsilon = member(text, "epsilon");
    const int no = text && strstr(text, "\"not separable\"") != NULL;
    if (kind == WIDE_NOISE)
        CHECK_NOTE(no && epsilon >= 0 && epsilon < 1e-5, "epsilon %g", epsilon);
    else if (kind == WIDE_PLANTED)
        CHECK_NOTE(!no && member(text, "low") > 2.99999, "low %g", member(text, "low"));
    else
        CHECK_NOTE(no && isnan(epsilon) && pairs(text, "multipliers") == 2, "epsilon %g", epsilon);
    hsp_certificate_free(certificate);
    hsp_options_free(options);
    file_free(&file);
}

static void test_wide(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    check_wide(WIDE_NOISE, "free");
    check_wide(WIDE_NOISE, "none");
    check_wide(WIDE_PLANTED, "free");
    check_wide(WIDE_TWINS, "free");
}

/* ---- Hundreds of columns: exact multipliers of as many rows ---- */

typedef enum dense_kind { DENSE_SHORT, DENSE_LONG, DENSE_DEPENDENT, DENSE_KINDS } dense_kind;
enum { DENSE_ROWS = 500, DENSE_COLS = 130, DENSE_RANK = 90 };

/* Labels by chance. Values are whole numbers; or have 30 digits, more than a double and more than
 * 128 bits for the sums of the exact solution; or columns from DENSE_RANK on repeat others. */
static void write_dense(FILE *file, dense_kind kind)
{
    for (int i = 0; i < DENSE_ROWS; i++) {
        int x[DENSE_COLS];
        fprintf(file, uniform() < 0.5 ? "+1" : "-1");
        for (int j = 0; j < DENSE_COLS; j++) {
            x[j] = 400 + (int)(uniform() * 200);
            if (kind == DENSE_DEPENDENT && j >= DENSE_RANK) x[j] = 2 * x[j - DENSE_RANK] + 1;
            fprintf(file, " %d:%d", j + 1, x[j]);
            for (int k = 0; kind == DENSE_LONG && k < 3; k++)
                fprintf(file, "%s%09d", k ? "" : ".", (int)(uniform() * 1e9));
        }
        fputc('\n', file);
    }
    fflush(file);
}

static int stop_later(void *user, const hsp_progress *progress)
{
    int *left = user;
    (void)progress;
    return --*left <= 0;
}

/* Not separable, exactly, whatever the number of threads; and it can be stopped at any time. */
static void check_dense(dense_kind kind, const char *offset)
{
    const uint64_t most = (kind == DENSE_DEPENDENT ? DENSE_RANK + 1 : DENSE_COLS) + 2;
    proved_file file = file_new();
    hsp_certificate *made[2] = {NULL, NULL};
    hsp_error err = {0};
    hsp_options *options = options_of(ctx, hsp_certify_options(), "offset", offset, NULL);
    write_dense(file.file, kind);
    for (int i = 0; i < 2; i++) {
        hsp_context_set_threads(ctx, i ? 1 : 4);
        CHECK(hsp_certify(ctx, file.path, NULL, NULL, options, &err, &made[i]) == HSP_OK);
    }
    const char *text = hsp_certificate_text(made[0], NULL);
    const char *again = hsp_certificate_text(made[1], NULL);
    CHECK(text && again && strcmp(text, again) == 0);
    CHECK(text && checker_accepts(text, file.path, NULL));
    CHECK(text && strstr(text, "\"not separable\"") && isnan(member(text, "epsilon")));
    CHECK_NOTE(pairs(text, "multipliers") <= most, "%d rows", (int)pairs(text, "multipliers"));
    for (int i = 0; i < 2; i++)
        hsp_certificate_free(made[i]);
    for (int asks = 1, done = 0; !done; asks = 2 * asks) {
        int left = asks;
        hsp_certificate *none = NULL;
        hsp_context_set_progress(ctx, stop_later, &left);
        const hsp_status status = hsp_certify(ctx, file.path, NULL, NULL, options, &err, &none);
        hsp_context_set_progress(ctx, NULL, NULL);
        done = left > 0;
        CHECK(status == (done ? HSP_OK : HSP_CANCELLED) && (none != NULL) == done);
        hsp_certificate_free(none);
    }
    hsp_options_free(options);
    file_free(&file);
}

static void test_dense(void)
{
    if (!PROVE_GMP) CHECK_SKIP("built without GMP");
    for (int kind = 0; kind < DENSE_KINDS; kind++) {
        check_dense((dense_kind)kind, "free");
        check_dense((dense_kind)kind, "none");
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_known);
    RUN(test_alone);
    RUN(test_wide);
    RUN(test_dense);
    RUN(test_random);
    hsp_context_free(ctx);
    return check_done();
}
