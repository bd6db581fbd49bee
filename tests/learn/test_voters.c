/* Voters by levels, and by the list when levels are given up, against counts kept one by one. */
#include "learn/online/expert_weights.h"

#include <math.h>

#include "base/random.h"
#include "check.h"
#include "data/data.h"

static void *voters_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    return realloc(pointer, size);
}

static void voters_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

typedef struct voters_case {
    uint64_t cols, rows;
    int entries; /* that a row stores, at most */
    double beta, bias;
    int negated, kinds; /* 0: bits, 1: signs, 2: both */
} voters_case;

typedef struct voters_row {
    uint64_t starts[2];
    uint32_t indices[64];
    float values[64];
} voters_row;

static void voters_draw(hsp__random *random, const voters_case *c, voters_row *row)
{
    row->starts[0] = row->starts[1] = 0;
    uint64_t j = 0;
    const uint64_t step = 2 * c->cols / (uint64_t)c->entries;
    while (row->starts[1] < (uint64_t)c->entries) {
        j += hsp__random_below(random, step ? step : 1);
        if (j >= c->cols) break;
        row->indices[row->starts[1]] = (uint32_t)j++;
        row->values[row->starts[1]++] = (float)(hsp__random_below(random, 3)) - 1;
    }
}

static double voters_naive(const voters_case *c, const uint64_t *half, uint64_t seen,
                           const signed char *vote)
{
    long double says = 0, all = 0;
    uint64_t least = UINT64_MAX;
    for (uint64_t e = 0; e < c->cols; e++) {
        if (half[e] < least) least = half[e];
        if (c->negated && 2 * seen - half[e] < least) least = 2 * seen - half[e];
    }
    for (uint64_t e = 0; e < c->cols; e++) {
        const long double beta = (long double)c->beta;
        const long double w = powl(beta, (long double)(half[e] - least) / 2);
        const long double o =
            c->negated ? powl(beta, (long double)(2 * seen - half[e] - least) / 2) : 0;
        says += (w - o) * vote[e];
        all += w + o;
    }
    return (double)(says / all);
}

static void voters_check(const voters_case *c, uint64_t seed, int *given_up)
{
    const hsp_allocator memory = {voters_reallocate, voters_release, NULL};
    hsp__expert_weights voters;
    hsp__random random;
    uint64_t *half = calloc(c->cols, sizeof *half);
    unsigned char *silent = calloc(c->cols, 1);
    signed char *vote = calloc(c->cols, 1);
    hsp__random_seed(&random, 81, seed);
    for (uint64_t j = 0; j < c->cols; j++)
        silent[j] = c->kinds == 2 ? j % 2 : (unsigned char)c->kinds;
    CHECK(hsp__expert_weights_init(&voters, &memory, c->beta, c->negated, NULL) == HSP_OK);
    CHECK(hsp__expert_weights_admit(&voters, c->cols, silent, 0, NULL) == HSP_OK);
    for (uint64_t t = 0; t < c->rows; t++) {
        voters_row row;
        voters_draw(&random, c, &row);
        int changed = 0, lost = c->negated;
        const int positive = hsp__random_unit(&random) < c->bias;
        for (uint64_t j = 0; j < c->cols; j++)
            vote[j] = silent[j] ? 0 : -1;
        for (uint64_t k = 0; k < row.starts[1]; k++)
            if (row.values[k] != 0) vote[row.indices[k]] = row.values[k] > 0 ? 1 : -1;
        hsp_view view =
            hsp_view_sparse(HSP_FLOAT32, 1, c->cols, 8, row.starts, row.indices, row.values);
        if (t % 16 == 0 || t + 50 > c->rows) {
            const double want = voters_naive(c, half, t, vote);
            const double got = hsp__expert_weights_score(&voters, &view, 0);
            CHECK_NOTE(fabs(got - want) <= 1e-11, "%g, not %g, at %d", got, want, (int)t);
        }
        for (uint64_t j = 0; j < c->cols; j++) {
            half[j] += (uint64_t)(1 - (positive ? 1 : -1) * vote[j]);
            lost |= (positive ? 1 : -1) != vote[j];
        }
        CHECK(hsp__expert_weights_learn(&voters, &view, 0, positive, &changed, NULL) == HSP_OK);
        CHECK(changed == lost);
    }
    for (uint64_t j = 0; j < c->cols; j++)
        CHECK(hsp__expert_weights_half(&voters, j) == half[j]);
    for (int k = 0; k < 2; k++)
        *given_up |= voters.kind[k].count && !voters.kind[k].levels;
    hsp__expert_weights_free(&voters);
    free(half);
    free(silent);
    free(vote);
}

static void test_few_columns_many_rows(void)
{
    static const double betas[] = {0.5, 0.9, 0.9999};
    for (int k = 0; k < 9; k++) {
        const voters_case c = {7, 6000, 6, betas[k % 3], k % 2 ? 0.95 : 0.1, k / 3 % 2, 2 - k / 3};
        int given_up = 0;
        voters_check(&c, (uint64_t)k, &given_up);
    }
}

/* Drifts that lie so far apart that levels are given up: an expert that is always right, one that
 * is always wrong. */
static void test_levels_are_given_up(void)
{
    const hsp_allocator memory = {voters_reallocate, voters_release, NULL};
    static const float x[] = {1, -1, 1};
    static const uint32_t columns[] = {0, 1, 2};
    static const uint64_t starts[] = {0, 3};
    static const unsigned char silent[] = {1, 1, 0};
    const hsp_view view = hsp_view_sparse(HSP_FLOAT32, 1, 3, 8, starts, columns, x);
    hsp__expert_weights voters;
    CHECK(hsp__expert_weights_init(&voters, &memory, 0.5, 1, NULL) == HSP_OK);
    CHECK(hsp__expert_weights_admit(&voters, 3, silent, 0, NULL) == HSP_OK);
    for (int t = 0; t < 5000; t++) {
        int changed;
        if (t <= 2000) CHECK(voters.kind[1].levels != NULL);
        CHECK(hsp__expert_weights_learn(&voters, &view, 0, 1, &changed, NULL) == HSP_OK);
        CHECK(voters.least == 0);
    }
    double other;
    CHECK(voters.kind[1].levels == NULL && voters.kind[0].levels != NULL);
    CHECK(hsp__expert_weights_half(&voters, 0) == 0 &&
          hsp__expert_weights_half(&voters, 1) == 10000);
    CHECK(hsp__expert_weights_weights(&voters, 0, &other) == 1 && other == 0);
    CHECK(hsp__expert_weights_weights(&voters, 1, &other) == 0 && other == 1);
    CHECK(hsp__expert_weights_score(&voters, &view, 0) == 1 &&
          hsp__expert_weights_total(&voters) == 3);
    hsp__expert_weights_free(&voters);
}

static void test_many_columns(void)
{
    for (int k = 0; k < 6; k++) {
        const voters_case c = {3000, 900, 40, k % 2 ? 0.5 : 0.97, 0.3, k / 2 % 2, k / 2};
        int given_up = 0;
        voters_check(&c, 100 + (uint64_t)k, &given_up);
        CHECK(!given_up);
    }
}

int main(void)
{
    RUN(test_few_columns_many_rows);
    RUN(test_levels_are_given_up);
    RUN(test_many_columns);
    return check_done();
}
