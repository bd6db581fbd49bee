/* vec: every table equals the scalar one bit for bit, at every short length and alignment, on
 * ordinary and on awkward numbers, without touching memory outside the arrays; and the scalar one
 * is close enough to the true sums, in the order that vec.h states. */
#include "vec/vec.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static const char *const names[] = {"scalar", "avx2", "avx512"};
enum { TABLES = 3 };

static uint64_t rng_state = 0x9e3779b97f4a7c15u;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

static double rng_unit(void)
{
    return (double)(rng() >> 11) * 0x1p-53;
}

/* ---- awkward numbers ---- */

typedef enum { ORDINARY, SPREAD, TINY, HUGE_ONES, MINUS_ZERO, MIXED, ONE_NAN, FLAVOURS } flavour;

static double number_mixed(double tiny, double huge)
{
    const double some[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY, 0.0, -0.0, tiny, -tiny, huge, -huge, 1};
    return some[rng() % 10];
}

/* A number of the flavour; `tiny` and `huge` suit the type it is stored in. */
static double number(flavour f, double tiny, double huge)
{
    double u = 2 * rng_unit() - 1;
    switch (f) {
    case SPREAD:
        return ldexp(u, (int)(rng() % 40) - 20);
    case TINY:
        return tiny * (double)(rng() % 1000) * (u < 0 ? -1 : 1);
    case HUGE_ONES:
        return huge * u;
    case MINUS_ZERO:
        return -0.0;
    case MIXED:
        return rng() % 8 ? u : number_mixed(tiny, huge);
    default:
        return u;
    }
}

static void fill_f32(float *p, size_t n, flavour f)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (float)number(f, (double)FLT_TRUE_MIN, (double)FLT_MAX);
    if (f == ONE_NAN && n > 0) p[rng() % n] = NAN;
}

static void fill_f64(double *p, size_t n, flavour f)
{
    for (size_t i = 0; i < n; i++)
        p[i] = number(f, DBL_TRUE_MIN, DBL_MAX);
    if (f == ONE_NAN && n > 0) p[rng() % n] = (double)NAN;
}

/* ---- same bits ---- */

static int same_f64(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int same_all_f64(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!same_f64(a[i], b[i])) return 0;
    return 1;
}

/* ---- arrays between fences ---- */

/* Memory with an untouchable page on either side: reading or writing one byte outside ends the
 * program. */
typedef struct {
    char *base;
    size_t size;
} field;

static field field_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    field f = {NULL, (bytes + page - 1) / page * page};
    char *all = mmap(NULL, f.size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, f.size, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(2);
    }
    f.base = all + page;
    return f;
}

/* `bytes` of the field: `skip` bytes after its start, or, for skip = AT_END, right before its
 * end. */
#define AT_END SIZE_MAX
static void *field_place(field f, size_t bytes, size_t skip)
{
    return skip == AT_END ? f.base + f.size - bytes : f.base + skip;
}

enum { MOST = 5000, SPARSE_STRIDE = 3 };

/* One input for every routine. */
typedef struct {
    size_t n, d;       /* elements of a row; length of a vector that a sparse row points into */
    float *xf;         /* n: a row */
    double *xd, *wd;   /* n: a row, a vector */
    uint32_t *idx;     /* n: ascending places below d */
    double *sd, *outd; /* d: a vector; room for results */
    double *wantd;     /* d: room for the expected results */
} input;

static field fields[6];

static void fields_open(void)
{
    size_t d = (size_t)MOST * SPARSE_STRIDE + 64;
    for (int i = 0; i < 6; i++)
        fields[i] = field_new(d * sizeof(double));
}

/* Arrays of row length n, each starting `offset` elements into its field (x and w at different
 * offsets), or ending at the fence. */
static input input_new(size_t n, size_t offset, flavour f)
{
    static double wantd[MOST * SPARSE_STRIDE + 64];
    input in = {.n = n, .wantd = wantd};
    size_t other = offset == AT_END ? AT_END : (offset * 5 + 3) % 16;
#define BYTES_TO(o, type) ((o) == AT_END ? AT_END : (o) * sizeof(type))
    in.idx = field_place(fields[0], n * sizeof(uint32_t), BYTES_TO(offset, uint32_t));
    uint32_t place = 0;
    for (size_t i = 0; i < n; i++, place++) {
        place += (uint32_t)(rng() % SPARSE_STRIDE);
        in.idx[i] = place;
    }
    in.d = n ? in.idx[n - 1] + 1 : 0;
    in.xf = field_place(fields[1], n * sizeof(float), BYTES_TO(offset, float));
    in.xd = field_place(fields[2], n * sizeof(double), BYTES_TO(offset, double));
    in.wd = field_place(fields[3], n * sizeof(double), BYTES_TO(other, double));
    in.sd = field_place(fields[4], in.d * sizeof(double), BYTES_TO(other, double));
    in.outd = field_place(fields[5], in.d * sizeof(double), BYTES_TO(other, double));
    fill_f32(in.xf, n, f);
    fill_f64(in.xd, n, f), fill_f64(in.wd, n, f), fill_f64(in.sd, in.d, f);
    return in;
}

/* ---- every routine of a table against the scalar one ---- */

#define SAME_F64(call) \
    CHECK_NOTE(same_f64(t->call, hsp__vec_scalar.call), "%s n=%zu", t->name, in->n)

/* The same for a routine that changes `count` numbers of `out`, which begin as `start`. */
#define SAME_OUT(type, out, want, start, count, routine, ...)                                   \
    do {                                                                                        \
        memcpy(out, start, (count) * sizeof *(out));                                            \
        t->routine(__VA_ARGS__);                                                                \
        memcpy(want, out, (count) * sizeof *(out));                                             \
        memcpy(out, start, (count) * sizeof *(out));                                            \
        hsp__vec_scalar.routine(__VA_ARGS__);                                                   \
        CHECK_NOTE(same_all_##type(want, out, count), "%s %s n=%zu", t->name, #routine, in->n); \
    } while (0)

static void compare_sums(const hsp__vec_table *t, const input *in)
{
    SAME_F64(dot_f64(in->xd, in->wd, in->n));
    SAME_F64(dot_f32f64(in->xf, in->wd, in->n));
    SAME_F64(sqdist_f64(in->xd, in->wd, in->n));
    SAME_F64(sqdist_f32f64(in->xf, in->wd, in->n));
    SAME_F64(sqnorm_f64(in->xd, in->n));
    SAME_F64(sqnorm_f32f64(in->xf, in->n));
    SAME_F64(norm1_f64(in->xd, in->n));
    SAME_F64(norminf_f64(in->xd, in->n));
    SAME_F64(sparse_dot_f64(in->idx, in->xd, in->n, in->sd));
    SAME_F64(sparse_dot_f32f64(in->idx, in->xf, in->n, in->sd));
    SAME_F64(ones_dot_f64(in->idx, in->n, in->sd));
}

static void compare_updates(const hsp__vec_table *t, const input *in)
{
    size_t n = in->n, d = in->d;
    double ad = in->n ? in->wd[0] : 1, *yd = in->outd;
    double *ed = yd + d - n; /* a dense result ends where the fence may be */
    SAME_OUT(f64, ed, in->wantd, in->wd, n, axpy_f64, ad, in->xd, ed, n);
    SAME_OUT(f64, ed, in->wantd, in->wd, n, axpy_f32f64, ad, in->xf, ed, n);
    SAME_OUT(f64, ed, in->wantd, in->xd, n, scale_f64, ad, ed, n);
    SAME_OUT(f64, yd, in->wantd, in->sd, d, sparse_axpy_f64, ad, in->idx, in->xd, n, yd);
    SAME_OUT(f64, yd, in->wantd, in->sd, d, sparse_axpy_f32f64, ad, in->idx, in->xf, n, yd);
    SAME_OUT(f64, yd, in->wantd, in->sd, d, ones_axpy_f64, ad, in->idx, n, yd);
}

static void compare_all(size_t n, size_t offset, flavour f)
{
    input in = input_new(n, offset, f);
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        if (!t) continue;
        compare_sums(t, &in);
        compare_updates(t, &in);
    }
}

static void test_short_rows_at_every_alignment(void)
{
    for (int f = 0; f < FLAVOURS; f++)
        for (size_t n = 0; n <= 67; n++)
            for (size_t offset = 0; offset < 16; offset++)
                compare_all(n, offset, (flavour)f);
}

static void test_short_rows_at_a_fence(void)
{
    for (int f = 0; f < FLAVOURS; f++)
        for (size_t n = 0; n <= 67; n++)
            for (int again = 0; again < 3; again++)
                compare_all(n, AT_END, (flavour)f);
}

static void test_long_rows(void)
{
    const size_t lengths[] = {95, 96, 97, 127, 128, 129, 255, 256, 1000, 1023, 4099, MOST};
    for (int f = 0; f < FLAVOURS; f++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            compare_all(lengths[i], AT_END, (flavour)f);
            compare_all(lengths[i], i % 16, (flavour)f);
        }
}

/* A NaN anywhere comes out of every sum and of norminf; so does an infinity's magnitude. */
static void test_nan_and_infinity_come_out(void)
{
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        if (!t) continue;
        for (size_t n = 1; n <= 67; n++)
            for (size_t at = 0; at < n; at++) {
                input in = input_new(n, 0, ORDINARY);
                in.xf[at] = -INFINITY, in.xd[at] = -(double)INFINITY;
                CHECK(isinf(t->norminf_f64(in.xd, n)) && isinf(t->norm1_f64(in.xd, n)));
                in.xf[at] = NAN, in.xd[at] = (double)NAN;
                CHECK(isnan(t->norminf_f64(in.xd, n)) && isnan(t->dot_f64(in.xd, in.wd, n)));
                CHECK(isnan(t->dot_f32f64(in.xf, in.wd, n)));
                CHECK(isnan(t->sparse_dot_f32f64(in.idx, in.xf, n, in.sd)));
            }
    }
}

/* A place past the end of a sparse row must not let w[0] in, whatever w[0] is. */
static void test_first_weight_stays_out(void)
{
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        if (!t) continue;
        for (size_t n = 1; n <= 20; n++) {
            input in = input_new(n, 0, ORDINARY);
            for (size_t k = 0; k < n; k++)
                in.idx[k]++;
            in.sd[0] = n % 2 ? (double)INFINITY : (double)NAN;
            CHECK(isfinite(t->sparse_dot_f64(in.idx, in.xd, n, in.sd)));
            CHECK(isfinite(t->sparse_dot_f32f64(in.idx, in.xf, n, in.sd)));
            CHECK(isfinite(t->ones_dot_f64(in.idx, n, in.sd)));
        }
    }
}

/* ---- the scalar table against the true sums ---- */

/* A term of a sum of n in L running sums is rounded `own` times itself, once in each addition to
 * its running sum, and log2 L times in the fold: |error| <= gamma(k) sum |term| with k the number
 * of roundings, gamma(k) = k u / (1 - k u) (Higham, Accuracy and Stability, section 3.1). The
 * reference adds n roundings of long double. Nothing here is small enough to underflow. */
static double sum_bound(size_t n, size_t L, int own, double u, long double sum_abs)
{
    double k = (double)((n + L - 1) / L) + log2((double)L) + own;
    double slack = ((double)n + 4) * (double)LDBL_EPSILON;
    return (k * u / (1 - k * u) + slack) * (double)sum_abs;
}

#define U64 (DBL_EPSILON / 2)

/* got is within the bound of the sum of `term`, over k < n. */
#define CLOSE(got, L, own, u, term)                                                    \
    do {                                                                               \
        long double sum_ = 0, abs_ = 0;                                                \
        for (size_t k = 0; k < n; k++)                                                 \
            sum_ += (term), abs_ += fabsl(term);                                       \
        double off_ = (double)fabsl((long double)(got)-sum_);                          \
        CHECK_NOTE(off_ <= sum_bound(n, L, own, u, abs_), "n=%zu off by %g", n, off_); \
    } while (0)

#define LD(x) ((long double)(x))

static void scalar_is_close(size_t n, flavour f)
{
    const hsp__vec_table *t = &hsp__vec_scalar;
    input in = input_new(n, 0, f);
    const float *x = in.xf;
    const double *xd = in.xd, *wd = in.wd, *sd = in.sd;
    const uint32_t *idx = in.idx;
    CLOSE(t->dot_f64(xd, wd, n), 32, 1, U64, LD(xd[k]) * LD(wd[k]));
    CLOSE(t->dot_f32f64(x, wd, n), 32, 1, U64, LD(x[k]) * LD(wd[k]));
    CLOSE(t->sqdist_f64(xd, wd, n), 32, 3, U64, (LD(xd[k]) - LD(wd[k])) * (LD(xd[k]) - LD(wd[k])));
    CLOSE(t->sqdist_f32f64(x, wd, n), 32, 3, U64, (LD(x[k]) - LD(wd[k])) * (LD(x[k]) - LD(wd[k])));
    CLOSE(t->sqnorm_f64(xd, n), 32, 1, U64, LD(xd[k]) * LD(xd[k]));
    CLOSE(t->sqnorm_f32f64(x, n), 32, 0, U64, LD(x[k]) * LD(x[k]));
    CLOSE(t->norm1_f64(xd, n), 32, 0, U64, fabsl(LD(xd[k])));
    CLOSE(t->sparse_dot_f64(idx, xd, n, sd), 8, 1, U64, LD(xd[k]) * LD(sd[idx[k]]));
    CLOSE(t->sparse_dot_f32f64(idx, x, n, sd), 8, 1, U64, LD(x[k]) * LD(sd[idx[k]]));
    CLOSE(t->ones_dot_f64(idx, n, sd), 8, 0, U64, LD(sd[idx[k]]));
}

static void test_scalar_sums_are_close(void)
{
    for (size_t n = 0; n <= 200; n++)
        scalar_is_close(n, ORDINARY);
    for (size_t n = 0; n <= MOST; n += 1 + n / 3)
        scalar_is_close(n, SPREAD);
}

static void test_scalar_updates(void)
{
    for (size_t n = 0; n <= 67; n++) {
        input in = input_new(n, 0, SPREAD);
        memcpy(in.outd, in.wd, n * sizeof(double));
        hsp__vec_scalar.axpy_f32f64(0.3, in.xf, in.outd, n);
        for (size_t k = 0; k < n; k++) {
            long double bx = LD(0.3) * LD(in.xf[k]), z = bx + LD(in.wd[k]);
            CHECK(fabsl(LD(in.outd[k]) - z) <= LD(1.01 * U64) * (2 * fabsl(bx) + fabsl(z)));
        }
        memcpy(in.outd, in.sd, in.d * sizeof(double));
        hsp__vec_scalar.ones_axpy_f64(-2, in.idx, n, in.outd);
        hsp__vec_scalar.sparse_axpy_f64(-2, in.idx, in.xd, n, in.outd);
        for (size_t k = 0, j = 0; j < in.d; j++) {
            int hit = k < n && in.idx[k] == j;
            double want = hit ? (in.sd[j] + -2) + -2 * in.xd[k] : in.sd[j];
            CHECK(same_f64(in.outd[j], want));
            k += (size_t)hit;
        }
    }
}

static void test_norminf(void)
{
    for (size_t n = 0; n <= 67; n++) {
        input in = input_new(n, 0, SPREAD);
        double most = 0;
        for (size_t k = 0; k < n; k++)
            most = fmax(most, fabs(in.xd[k]));
        CHECK(same_f64(hsp__vec_scalar.norminf_f64(in.xd, n), most));
    }
}

/* The order of vec.h, seen through numbers that swallow one another: 2^60 + 1 = 2^60. */
static void test_stated_order(void)
{
    const double big = 0x1p60;
    uint32_t idx[64];
    double one[64];
    for (uint32_t k = 0; k < 64; k++)
        idx[k] = k, one[k] = 1;
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        if (!t) continue;
        double meet[64] = {[0] = big, [16] = 1, [32] = -big}; /* big meets -big first */
        double lose[64] = {[0] = big, [32] = 1, [48] = -big}; /* big swallows 1 first */
        double fold[64] = {[3] = big, [5] = 1, [19] = -big};  /* 3 and 19 fold before 3 and 5 */
        CHECK(t->dot_f64(meet, one, 64) == 1);
        CHECK(t->dot_f64(lose, one, 64) == 0);
        CHECK(t->dot_f64(fold, one, 64) == 1);
        double meet8[64] = {[0] = big, [4] = 1, [8] = -big};
        double lose8[64] = {[0] = big, [8] = 1, [12] = -big};
        double fold8[64] = {[0] = big, [1] = 1, [4] = -big};
        CHECK(t->sparse_dot_f64(idx, meet8, 64, one) == 1);
        CHECK(t->sparse_dot_f64(idx, lose8, 64, one) == 0);
        CHECK(t->ones_dot_f64(idx, 64, fold8) == 1);
    }
}

/* Places up to 2^32 - 1 in a vector of 2^32 numbers, of which a few pages are real. */
static void test_dense_vector_with_large_places(void)
{
#if SIZE_MAX > 0xffffffffu
    size_t bytes = (size_t)8 << 32;
    double *w = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (w == MAP_FAILED) {
        printf("   (no room for 2^32 doubles: skipped)\n");
        return;
    }
    uint32_t idx[11] = {1, 2, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xc0000000u};
    const double v[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const float vf[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (uint32_t k = 6; k < 11; k++)
        idx[k] = 0xffffffffu - (10 - k);
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        if (!t) continue;
        for (int k = 0; k < 11; k++)
            w[idx[k]] = 0;
        t->sparse_axpy_f64(2, idx, v, 11, w);
        t->ones_axpy_f64(1, idx, 11, w);
        CHECK(t->sparse_dot_f64(idx, v, 11, w) == 2 * 506 + 66);
        CHECK(t->sparse_dot_f32f64(idx, vf, 11, w) == 2 * 506 + 66);
        CHECK(t->ones_dot_f64(idx, 11, w) == 2 * 66 + 11);
    }
    munmap(w, bytes);
#endif
}

/* ---- the choice of a table ---- */

/* The table that a fresh process with HSP_SIMD = wish (NULL: unset) ends up with is `want`. */
static int chooses(const char *wish, const char *want)
{
    pid_t child = fork();
    if (child == 0) {
        if (wish)
            setenv("HSP_SIMD", wish, 1);
        else
            unsetenv("HSP_SIMD");
        const hsp__vec_table *t = hsp__vec();
        _exit(t == hsp__vec() && strcmp(t->name, want) == 0 ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void test_choice(void)
{
    const char *best = "scalar";
    for (int i = 0; i < TABLES; i++)
        if (hsp__vec_table_by_name(names[i])) {
            best = names[i];
            CHECK_TEXT(hsp__vec_table_by_name(names[i])->name, names[i]);
        }
    for (int i = 0; i < TABLES; i++)
        CHECK_NOTE(chooses(names[i], hsp__vec_table_by_name(names[i]) ? names[i] : best), "%s",
                   names[i]);
    CHECK(chooses(NULL, best));
    CHECK(chooses("", best));
    CHECK(chooses("altivec", best));
    CHECK(hsp__vec_table_by_name("altivec") == NULL);
}

/* Many vectors at once: each answer has the bits of the dot product with that vector alone. */
static void test_many_vectors(void)
{
    enum { PLACES = 70, VECTORS = 32 };
    static double w[PLACES * VECTORS], column[PLACES], out[VECTORS], vd[PLACES];
    static float vf[PLACES];
    uint32_t idx[PLACES];
    for (size_t i = 0; i < PLACES * VECTORS; i++)
        w[i] = sin((double)i) * exp2((double)(i % 61) - 30);
    for (uint32_t k = 0; k < PLACES; k++) {
        idx[k] = k;
        vf[k] = (float)cos((double)k) * (k % 5 ? 1.f : 1e20f);
        vd[k] = cos((double)k * 3) * (k % 7 ? 1 : 1e200);
    }
    vf[66] = INFINITY;
    vd[67] = (double)NAN;
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        for (size_t many = 8; t && many <= VECTORS; many += 8)
            for (size_t n = 0; n < PLACES; n++) {
                for (size_t c = 0; c < many; c++) {
                    for (size_t k = 0; k < PLACES; k++)
                        column[k] = w[k * many + c];
                    t->sparse_dots_f64(idx, vd, n, w, many, many, out);
                    CHECK(same_f64(out[c], hsp__vec_scalar.sparse_dot_f64(idx, vd, n, column)));
                    t->sparse_dots_f32f64(idx, vf, n, w, many, many, out);
                    CHECK(same_f64(out[c], hsp__vec_scalar.sparse_dot_f32f64(idx, vf, n, column)));
                    t->ones_dots_f64(idx, n, w, many, many, out);
                    CHECK(same_f64(out[c], hsp__vec_scalar.ones_dot_f64(idx, n, column)));
                }
            }
    }
}

/* And the way back: each column has the bits of an axpy of its own, and what lies next to it stays. */
static void test_many_vectors_back(void)
{
    enum { PLACES = 40, VECTORS = 40, STRIDE = 48 };
    static double y[PLACES * STRIDE], column[PLACES], a[VECTORS], vd[PLACES];
    static float vf[PLACES];
    uint32_t idx[PLACES];
    for (uint32_t k = 0; k < PLACES; k++) {
        idx[k] = (k * 7 + 3) % PLACES;
        vf[k] = (float)cos((double)k);
        vd[k] = cos((double)k * 3) * (k % 7 ? 1 : 1e200);
    }
    for (size_t c = 0; c < VECTORS; c++)
        a[c] = sin((double)c + 1) * (c % 3 ? 1 : 1e-30);
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        for (size_t many = 8; t && many <= VECTORS; many += 8)
            for (size_t n = 0; n < PLACES; n++)
                for (int kind = 0; kind < 3; kind++) {
                    for (size_t j = 0; j < PLACES * STRIDE; j++)
                        y[j] = sin((double)j);
                    if (kind == 0) t->sparse_axpys_f64(a, idx, vd, n, y, STRIDE, many);
                    if (kind == 1) t->sparse_axpys_f32f64(a, idx, vf, n, y, STRIDE, many);
                    if (kind == 2) t->ones_axpys_f64(a, idx, n, y, STRIDE, many);
                    for (size_t c = 0; c < STRIDE; c++) {
                        const double by = c < many ? a[c] : 0;
                        for (size_t k = 0; k < PLACES; k++)
                            column[k] = sin((double)(k * STRIDE + c));
                        for (size_t k = 0; c < many && k < n; k++)
                            column[idx[k]] += kind == 0   ? by * vd[k]
                                              : kind == 1 ? by * (double)vf[k]
                                                          : by;
                        for (size_t k = 0; k < PLACES; k++)
                            CHECK(same_f64(column[k], y[k * STRIDE + c]));
                    }
                }
    }
}

/* sum v[k] w[k] (v NULL: sum w[k]) in the order of a sparse sum, in float. */
static float sum_single(const float *v, const float *w, size_t n)
{
    float s[8] = {0};
    for (size_t k = 0; k < n; k++)
        s[k % 8] += v ? v[k] * w[k] : w[k];
    for (size_t half = 4; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            s[j] += s[j + half];
    return s[0];
}

/* Single precision, there and back. */
static void test_many_vectors_single(void)
{
    enum { PLACES = 40, VECTORS = 48 };
    static float w[PLACES * VECTORS], y[PLACES * VECTORS], column[PLACES], out[VECTORS], a[VECTORS];
    static float v[PLACES];
    uint32_t idx[PLACES];
    for (uint32_t k = 0; k < PLACES; k++) {
        idx[k] = k;
        v[k] = (float)cos((double)k);
    }
    for (size_t c = 0; c < VECTORS; c++)
        a[c] = (float)sin((double)c + 1);
    for (size_t j = 0; j < PLACES * VECTORS; j++)
        w[j] = (float)sin((double)j);
    for (int i = 0; i < TABLES; i++) {
        const hsp__vec_table *t = hsp__vec_table_by_name(names[i]);
        for (size_t many = 16; t && many <= VECTORS; many += 16)
            for (size_t n = 0; n < PLACES; n++)
                for (int ones = 0; ones < 2; ones++) {
                    memcpy(y, w, sizeof y);
                    if (ones) {
                        t->ones_dots_f32(idx, n, w, VECTORS, many, out);
                        t->ones_axpys_f32(a, idx, n, y, VECTORS, many);
                    } else {
                        t->sparse_dots_f32(idx, v, n, w, VECTORS, many, out);
                        t->sparse_axpys_f32(a, idx, v, n, y, VECTORS, many);
                    }
                    for (size_t c = 0; c < VECTORS; c++) {
                        for (size_t k = 0; k < PLACES; k++)
                            column[k] = w[k * VECTORS + c];
                        if (c < many) CHECK(out[c] == sum_single(ones ? NULL : v, column, n));
                        for (size_t k = 0; c < many && k < n; k++)
                            column[k] += ones ? a[c] : a[c] * v[k];
                        for (size_t k = 0; k < PLACES; k++)
                            CHECK(column[k] == y[k * VECTORS + c]);
                    }
                }
    }
}

int main(void)
{
    RUN(test_choice);
    fields_open();
    RUN(test_scalar_sums_are_close);
    RUN(test_scalar_updates);
    RUN(test_norminf);
    RUN(test_stated_order);
    RUN(test_short_rows_at_every_alignment);
    RUN(test_short_rows_at_a_fence);
    RUN(test_long_rows);
    RUN(test_nan_and_infinity_come_out);
    RUN(test_first_weight_stays_out);
    RUN(test_dense_vector_with_large_places);
    RUN(test_many_vectors);
    RUN(test_many_vectors_back);
    RUN(test_many_vectors_single);
    return check_done();
}
