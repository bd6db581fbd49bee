/* The second-order solver on rows that are divided among ranks: sums over all of them. */
#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/newton.h"

void hsp__newton_sum(hsp__newton *s, uint64_t numbers, double work, hsp__block_fn fn, void *user,
                     double *total)
{
    const double block = s->places * (double)s->all / HSP__BLOCKS;
    const int by_parts = (double)numbers > work * block && hsp__shard_has_parts(s->ctx->shard);
    const hsp_status status = by_parts
                                  ? hsp__shard_sum_parts(s->ctx, numbers, fn, user, s->err, total)
                                  : hsp__shard_sum(s->ctx, numbers, fn, user, s->err, total);
    for (uint64_t k = 0; status && k < numbers; k++)
        total[k] = (double)NAN;
    if (status) s->failed = status;
}

/* The sum of the squared norms of rows from, from + every, ... and how many those are. */
static void newton_square_rows(const hsp__newton *s, uint64_t from, uint64_t to, uint64_t every,
                               double out[2])
{
    double sum = 0, count = 0;
    for (uint64_t i = from; i < to; i += every, count++) {
        hsp__paging_row(&s->ctx->allocator, (uint64_t)count);
        const hsp__row row = hsp__view_row(s->p->view, i * s->stride);
        if (s->p->offset == HSP__OFFSET_REGULARIZED) sum += 1;
        for (uint64_t k = 0; k < row.count; k++) {
            const double value = hsp__row_value(s->p->view, &row, k);
            sum += value * value;
        }
    }
    out[0] = sum, out[1] = count;
}

/* Of all rows of a block. */
static void newton_square_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    const hsp__newton *s = user;
    (void)block;
    newton_square_rows(s, from, to, 1, sum);
}

double hsp__newton_root(hsp__newton *s)
{
    double sums[2];
    if (s->ctx->shard)
        hsp__newton_sum(s, 2, 1, newton_square_block, s, sums);
    else
        newton_square_rows(s, 0, s->n, s->n / 1000 + 1, sums);
    const double sum = sums[0], count = sums[1];
    return sum > 0 && isfinite(sum) ? sqrt(sum / count) : 0;
}
