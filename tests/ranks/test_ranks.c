/* Sums over rows that are divided among ranks, and rows on their way between them. Ranks are threads. */
#include "base/base.h"
#include "check.h"
#include "data/shard.h"
#include "mpi/ranks_threads.h"

enum { ROWS = 1237, NUMBERS = 5, LARGE = 5000, MOST = 9 };

/* A number per row whose sum depends on the order of additions. */
static double value(uint64_t row, uint64_t k)
{
    return sin((double)(row * 7 + k)) * pow(10, (double)((row + k) % 9));
}

typedef struct job {
    uint64_t rows, numbers;
    int threads;
    double *total; /* MOST * numbers: of each rank */
    uint64_t counts[MOST];
    double most[MOST], least[MOST];
} job;

typedef struct block_user {
    const job *job;
    uint64_t first;
} block_user;

static void add_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    const block_user *of = user;
    (void)block;
    for (uint64_t i = from; i < to; i++)
        for (uint64_t k = 0; k < of->job->numbers; k++)
            sum[k] += value(of->first + i, k);
}

static hsp_context *context_of(const hsp_ranks *ranks, int threads)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
    CHECK(hsp_context_set_ranks(ctx, ranks) == HSP_OK);
    return ctx;
}

static void sum_rank(void *user, const hsp_ranks *ranks)
{
    job *of = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, of->threads);
    hsp__shard shard = {.ranks = ranks, .rows = of->rows};
    block_user block = {.job = of};
    uint64_t count;
    hsp__ranks_blocks(ranks, ranks->rank, &shard.from, &shard.to);
    hsp__shard_rows(&shard, &block.first, &count);
    ctx->shard = &shard;
    const int r = ranks->rank;
    CHECK(hsp__shard_sum(ctx, of->numbers, add_block, &block, &err,
                         of->total + (uint64_t)r * of->numbers) == HSP_OK);
    of->counts[r] = count;
    hsp__shard_add(ctx, &of->counts[r], 1);
    of->most[r] = of->least[r] = (double)block.first;
    hsp__shard_max(ctx, &of->most[r], 1);
    hsp__shard_min(ctx, &of->least[r], 1);
    hsp_context_free(ctx);
}

/* The tree over 256 blocks, computed as its definition says. */
static double tree(uint64_t rows, uint64_t k, uint32_t from, uint32_t count)
{
    if (count > 1)
        return tree(rows, k, from, count / 2) + tree(rows, k, from + count / 2, count / 2);
    double sum = 0;
    for (uint64_t i = hsp__part(rows, HSP__BLOCKS, from);
         i < hsp__part(rows, HSP__BLOCKS, from + 1); i++)
        sum += value(i, k);
    return sum;
}

static void check_sums(uint64_t rows, uint64_t numbers)
{
    double *expected = calloc(numbers, sizeof *expected);
    job of = {.rows = rows, .numbers = numbers};
    of.total = calloc(MOST * numbers, sizeof *of.total);
    CHECK(expected && of.total);
    for (uint64_t k = 0; k < numbers; k++)
        expected[k] = tree(rows, k, 0, HSP__BLOCKS);
    for (int count = 1; count <= MOST; count++)
        for (of.threads = 1; of.threads <= 3; of.threads += 2) {
            CHECK(ranks_threads_run(count, 0, sum_rank, &of, NULL));
            for (int r = 0; r < count; r++) {
                CHECK(memcmp(of.total + (uint64_t)r * numbers, expected,
                             numbers * sizeof *expected) == 0);
                CHECK(of.counts[r] == rows);
                CHECK(of.least[r] == 0 && (rows < 2 || count == 1 || of.most[r] > 0));
            }
        }
    free(expected);
    free(of.total);
}

/* The bits of a sum are those of the tree, for any number of ranks and threads. */
static void test_sums(void)
{
    check_sums(ROWS, NUMBERS);
    check_sums(3, NUMBERS); /* most blocks are empty */
    check_sums(700, LARGE); /* segments of many numbers are exchanged */
}

/* 256 ranks, and more ranks than parts. */
static void test_many_ranks(void)
{
    static const int counts[] = {33, 64, 100, 256};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint32_t from, to, next = 0;
        hsp_ranks ranks = {.count = counts[i]};
        for (int r = 0; r < counts[i]; r++, next = to) {
            hsp__ranks_blocks(&ranks, r, &from, &to);
            CHECK(from == next && to > from);
        }
        CHECK(next == HSP__BLOCKS);
    }
}

/* ---- Agreement ------------------------------------------------------------------------------- */

static void agree_rank(void *user, const hsp_ranks *ranks)
{
    const int *failing = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_status status = HSP_OK;
    if (ranks->rank == failing[0] || ranks->rank == failing[1])
        status = hsp__fail_at(&err, HSP_BAD_DATA, "a.svm", 17, 0, "found by rank %d", ranks->rank);
    status = hsp__ranks_agree(ranks, status, &err);
    char text[64];
    snprintf(text, sizeof text, "found by rank %d", failing[0]);
    CHECK(status == HSP_BAD_DATA && err.line == 17 && strcmp(err.message, text) == 0);
    CHECK(hsp__ranks_any(ranks, ranks->rank == 2) == (ranks->count > 2));
    CHECK(!hsp__ranks_any(ranks, 0));
    CHECK(hsp__ranks_agree(ranks, HSP_OK, &err) == HSP_OK);
}

/* The error of the lowest rank that failed is everybody's. */
static void test_agreement(void)
{
    int failing[2] = {1, 3};
    CHECK(ranks_threads_run(4, 0, agree_rank, failing, NULL));
    CHECK(ranks_threads_run(2, 0, agree_rank, failing, NULL));
}

/* ---- Rows on their way ----------------------------------------------------------------------- */

typedef struct travel {
    const char *text;
    const uint64_t *cut; /* count + 1: rows that each rank begins with */
} travel;

static hsp_data *parse(hsp_context *ctx, const char *text)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_data *data = NULL;
    CHECK(hsp_data_parse(ctx, text, strlen(text), "rows", NULL, NULL, &err, &data) == HSP_OK);
    return data;
}

static int same_data(const hsp_data *a, const hsp_data *b)
{
    int same = a->view.rows == b->view.rows && a->view.cols == b->view.cols &&
               a->view.storage == b->view.storage && a->nonzeros == b->nonzeros &&
               a->view.classes == b->view.classes;
    for (uint64_t i = 0; same && i < a->view.rows; i++)
        same =
            a->view.labels[i] == b->view.labels[i] && hsp__view_same_rows(&a->view, i, &b->view, i);
    return same;
}

static hsp_data *slice(hsp_context *ctx, hsp_data *data, uint64_t from, uint64_t to)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_data *some = NULL;
    uint64_t rows[512];
    for (uint64_t i = from; i < to; i++)
        rows[i - from] = i;
    CHECK(hsp_data_select(ctx, data, rows, to - from, &err, &some) == HSP_OK);
    return some;
}

static void travel_rank(void *user, const hsp_ranks *ranks)
{
    const travel *of = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, 1), *plain = context_of(NULL, 1);
    hsp_data *all = parse(plain, of->text), *own = NULL, *arrived = NULL, *whole = NULL;
    hsp_data *some = slice(plain, all, of->cut[ranks->rank], of->cut[ranks->rank + 1]);
    CHECK(hsp__shard_own(ctx, all, &err, &own) == HSP_OK);
    CHECK(hsp__shard_spread(ctx, some, &err, &arrived) == HSP_OK);
    CHECK(same_data(own, arrived));
    CHECK(arrived->shard.ranks == ranks && arrived->shard.rows == all->view.rows);
    CHECK(hsp_data_gather(ctx, arrived, &err, &whole) == HSP_OK);
    CHECK(same_data(whole, all) && !whole->shard.ranks);
    hsp_data_free(whole);
    hsp_data_free(arrived);
    hsp_data_free(some);
    hsp_data_free(own);
    hsp_data_free(all);
    hsp_context_free(plain);
    hsp_context_free(ctx);
}

/* Rows arrive at the rank of their block wherever they began, in every storage. */
static void test_travel(void)
{
    static const uint64_t cuts[][5] = {
        {0, 500, 500, 500, 500}, {0, 0, 0, 0, 500}, {0, 3, 200, 499, 500}, {0, 125, 250, 375, 500}};
    char text[3][16384];
    size_t at[3] = {0};
    for (int i = 0; i < 500; i++) { /* dense, sparse, ones */
        at[0] += (size_t)sprintf(text[0] + at[0], "%d 1:%d 2:%d\n", i % 3, i + 1, i * i + 1);
        at[1] += (size_t)sprintf(text[1] + at[1], "%d %d:%d\n", i % 2, 1 + i * 7 % 97, i + 2);
        at[2] += (size_t)sprintf(text[2] + at[2], "%d %d:1\n", i % 2, 1 + i * 7 % 97);
    }
    for (int kind = 0; kind < 3; kind++)
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
            travel of = {text[kind], cuts[c]};
            CHECK(ranks_threads_run(4, 0, travel_rank, &of, NULL));
        }
}

int main(void)
{
    RUN(test_sums);
    RUN(test_many_ranks);
    RUN(test_agreement);
    RUN(test_travel);
    return check_done();
}
