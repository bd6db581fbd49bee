/* positive_line, positive_step, common_bits, outer_f32f64 and solve_f64: every table gives the same bits,
 * which are what plain loops give, and nothing beyond the rows is touched. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"
#include "vec/vec.h"

static const char *const tables[] = {"scalar", "avx2", "avx512"};
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

enum { MOST = 67 };

typedef struct rows {
    uint32_t labels[MOST];
    double score[MOST], move[MOST];
    unsigned char on[MOST];
    hsp__vec_groups groups;
} rows;

static void draw(rows *r)
{
    for (size_t i = 0; i < MOST; i++) {
        r->labels[i] = (uint32_t)(uniform() * 3);
        r->score[i] = 4 * uniform() - 2;
        r->move[i] = 2 * uniform() - 1;
        r->on[i] = uniform() < 0.5;
    }
    r->score[3] = r->labels[3] == 1 ? 1 : -1; /* just enough: it lacks nothing */
    r->groups = (hsp__vec_groups){r->labels, 1, {0.75, uniform() < 0.2 ? 0 : 2.5}};
}

/* Sum i mod 8, folded in halves. */
static double fold(const double s[8])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void check_line(const hsp__vec_table *vec, const rows *r, size_t n, double t)
{
    double slope[8] = {0}, curve[8] = {0}, sums[2];
    for (size_t i = 0; i < n; i++) {
        const double y = r->labels[i] == 1 ? 1 : -1, c = r->groups.factor[y > 0];
        const double lack = 1 - y * (r->score[i] + t * r->move[i]);
        if (!(lack > 0)) continue;
        slope[i % 8] += y * c * (2 * lack) * r->move[i];
        curve[i % 8] += c * (r->move[i] * r->move[i]);
    }
    vec->positive_line(&r->groups, r->score, r->move, t, n, sums);
    CHECK_NOTE(sums[0] == fold(slope) && sums[1] == fold(curve), "%s, %zu rows", vec->name, n);
}

static void check_walk(const hsp__vec_table *vec, const rows *r, size_t n, double t, int moves)
{
    rows got = *r, want = *r;
    double loss[8] = {0}, total[8] = {0}, sums[2];
    uint64_t active = 0, turned = 0, counts[2];
    for (size_t i = 0; i < n; i++) {
        const double y = r->labels[i] == 1 ? 1 : -1, c = r->groups.factor[y > 0];
        if (moves) want.score[i] += t * r->move[i];
        const double lack = 1 - y * want.score[i], some = lack > 0 ? lack : 0;
        loss[i % 8] += c * (some * some);
        total[i % 8] += c * (2 * some);
        want.on[i] = lack > 0 && c > 0;
        active += want.on[i];
        turned += want.on[i] != r->on[i];
    }
    vec->positive_step(&r->groups, got.score, moves ? got.move : NULL, t, n, got.on, sums, counts);
    CHECK_NOTE(sums[0] == fold(loss) && sums[1] == fold(total), "%s, %zu rows", vec->name, n);
    CHECK_NOTE(counts[0] == active && counts[1] == turned, "%s, %zu rows", vec->name, n);
    CHECK(memcmp(got.score, want.score, sizeof got.score) == 0);
    CHECK(memcmp(got.on, want.on, sizeof got.on) == 0);
}

static void test_positive(void)
{
    for (size_t k = 0; k < 3; k++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[k]);
        for (size_t n = 0; vec && n <= MOST; n++) {
            rows r;
            draw(&r);
            const double t = 2 * uniform();
            check_line(vec, &r, n, t);
            check_walk(vec, &r, n, t, 1);
            check_walk(vec, &r, n, t, 0);
        }
    }
}

static void test_common_bits(void)
{
    enum { LINES = 9, STRIDE = 24 };
    uint64_t bits[LINES * STRIDE];
    for (size_t i = 0; i < LINES * STRIDE; i++)
        bits[i] = (uint64_t)(uniform() * 0x1p64) & (uint64_t)(uniform() * 0x1p64);
    for (size_t k = 0; k < 3; k++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[k]);
        for (size_t words = 0; vec && words <= STRIDE; words += 8)
            for (size_t count = 1; count <= LINES; count++) {
                uint32_t got[LINES];
                vec->common_bits(bits, STRIDE, words, count, got);
                for (size_t j = 0; j < count; j++) {
                    uint32_t want = 0;
                    for (size_t w = 0; w < words; w++)
                        for (int bit = 0; bit < 64; bit++)
                            want += bits[j * STRIDE + w] >> bit &
                                    bits[(count - 1) * STRIDE + w] >> bit & 1;
                    CHECK_NOTE(got[j] == want, "%s: %u, not %u", vec->name, got[j], want);
                }
            }
    }
}

static void test_outer(void)
{
    enum { ROWS = 64, STRIDE = 8, SIDE = 11, N = HSP__VEC_OUTER };
    static double a[ROWS * STRIDE];
    static float b[ROWS * STRIDE];
    for (size_t i = 0; i < ROWS * STRIDE; i++)
        a[i] = uniform() - 0.5, b[i] = (float)(uniform() - 0.5);
    for (size_t k = 0; k < 3; k++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[k]);
        for (int turn = 0; vec && turn < 50; turn++) {
            double got[N * SIDE], want[N * SIDE];
            const uint64_t which = turn ? (uint64_t)(uniform() * 0x1p64) : 0;
            for (size_t i = 0; i < N * SIDE; i++)
                got[i] = want[i] = uniform();
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) {
                    double sum = 0;
                    for (size_t r = 0; r < ROWS; r++)
                        if (which >> r & 1) sum += a[r * STRIDE + i] * (double)b[r * STRIDE + j];
                    want[i * SIDE + j] += sum;
                }
            vec->outer_f32f64(which, a, b, got, SIDE);
            CHECK_NOTE(memcmp(got, want, sizeof got) == 0, "%s", vec->name);
        }
    }
}

static void test_solve(void)
{
    enum { MAX = 24, SIDES = HSP__VEC_TILE_ROWS, STRIDE = 31 };
    double l[MAX * STRIDE], inverse[MAX], first[MAX * SIDES];
    for (size_t n = 0; n <= MAX; n++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < STRIDE; i++)
                l[j * STRIDE + i] = i < j ? uniform() - 0.5 : i == j ? 1 + uniform() : NAN;
            inverse[j] = 1 / l[j * STRIDE + j];
        }
        for (size_t k = 0; k < 3; k++) {
            const hsp__vec_table *vec = hsp__vec_table_by_name(tables[k]);
            double x[MAX * SIDES], b[MAX * SIDES];
            if (!vec) continue;
            for (size_t i = 0; i < n * SIDES; i++)
                x[i] = b[i] = sin((double)(i + n));
            vec->solve_f64(n, l, inverse, STRIDE, x);
            if (k == 0) memcpy(first, x, sizeof x);
            CHECK(memcmp(first, x, n * SIDES * sizeof *x) == 0);
            for (size_t j = 0; j < n; j++)
                for (size_t r = 0; r < SIDES; r++) {
                    double sum = 0;
                    for (size_t i = 0; i <= j; i++)
                        sum += l[j * STRIDE + i] * x[i * SIDES + r];
                    CHECK(fabs(sum - b[j * SIDES + r]) <= 1e-12);
                }
        }
    }
}

int main(void)
{
    RUN(test_positive);
    RUN(test_common_bits);
    RUN(test_outer);
    RUN(test_solve);
    return check_done();
}
