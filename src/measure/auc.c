/* AUC = #{(p, q): p positive, q negative, s_p > s_q} + half of #{... s_p = s_q}, over all such
 * pairs. Sorted by score, a group of equal scores adds  2 * negatives below + negatives within  for
 * each of its positives. The doubled count is a whole number, at most n^2 / 2, which 64 bits hold
 * for every n below 2^32; it is exact, whatever the sort does with equals, and rounded once. */
#include "measure/auc.h"

#include "base/base.h"

#include <stdlib.h>

#define AUC_PIECE ((uint64_t)1 << 15) /* rows between two ticks */

static int auc_compare(const void *left, const void *right)
{
    const double a = ((const hsp__ranked *)left)->score, b = ((const hsp__ranked *)right)->score;
    return (a > b) - (a < b);
}

/* Two sorted pieces into one. */
static void auc_merge(hsp_context *ctx, const hsp__ranked *from, uint64_t a, uint64_t b,
                      uint64_t end, hsp__ranked *to)
{
    uint64_t i = a, j = b;
    for (uint64_t k = a; k < end; k++) {
        if (k % AUC_PIECE == 0 && hsp__tick(ctx)) return;
        to[k] = j == end || (i < b && from[i].score <= from[j].score) ? from[i++] : from[j++];
    }
}

/* In pieces that are merged, so that it can be stopped. `room` is for as many rows; one of the two
 * comes back. */
static hsp__ranked *auc_sort(hsp_context *ctx, hsp__ranked *rows, hsp__ranked *room, uint64_t count)
{
    for (uint64_t from = 0; from < count && !hsp__tick(ctx); from += AUC_PIECE)
        qsort(rows + from, count - from < AUC_PIECE ? count - from : AUC_PIECE, sizeof *rows,
              auc_compare);
    for (uint64_t size = AUC_PIECE; size < count; size *= 2) {
        for (uint64_t from = 0; from < count; from += 2 * size) {
            const uint64_t left = count - from, middle = from + (left < size ? left : size);
            const uint64_t end = from + (left < 2 * size ? left : 2 * size);
            auc_merge(ctx, rows, from, middle, end, room);
        }
        hsp__ranked *swap = rows;
        rows = room;
        room = swap;
    }
    return rows;
}

static double auc_count(const hsp__ranked *rows, uint64_t count)
{
    uint64_t positives = 0, negatives = 0, doubled = 0;
    for (uint64_t from = 0, to; from < count; from = to) {
        uint64_t group = 0;
        for (to = from; to < count && rows[to].score == rows[from].score; to++)
            group += rows[to].positive;
        const uint64_t others = to - from - group;
        doubled += group * (2 * negatives + others);
        positives += group;
        negatives += others;
    }
    assert(positives + negatives == count && doubled <= 2 * positives * negatives);
    if (!positives || !negatives) return (double)NAN;
    return (double)doubled / (2 * ((double)positives * (double)negatives));
}

hsp_status hsp__auc(hsp_context *ctx, hsp__ranked *rows, uint64_t count, hsp_error *err,
                    double *auc)
{
    *auc = (double)NAN;
    for (uint64_t i = 0; i < count; i++)
        if (isnan(rows[i].score)) return HSP_OK;
    hsp__ranked *room = hsp__new_raw(&ctx->allocator, count, sizeof *room);
    if (!room) return hsp__fail_memory(err);
    const hsp__ranked *sorted = auc_sort(ctx, rows, room, count);
    const hsp_status status = hsp__stop_status(ctx, err);
    if (!status) *auc = auc_count(sorted, count);
    hsp__free(&ctx->allocator, room);
    return status;
}
