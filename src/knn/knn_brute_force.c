/* Every row, one by one: the specification of all other indexes, and what serves where they do not.
 *
 * Some queries at a time meet some rows at a time, so that both stay in the cache; kernels in
 * blocks of values. Nothing is kept in addition to the rows. Cost: rows * queries distances. */
#include "base/base.h"
#include "knn/knn_index_type.h"

enum {
    KNN_BRUTE_FORCE_GUESTS = 16,  /* queries that one task brings */
    KNN_BRUTE_FORCE_ROWS = 256,   /* rows they meet at a time */
    KNN_BRUTE_FORCE_VALUES = 2048 /* the same of kernels, whose blocks like more */
};

static int knn_brute_force_fits(hsp__metric metric, const hsp_view *rows)
{
    (void)metric, (void)rows;
    return 1;
}

/* Pair by pair, or with a kernel in blocks of values. */
static hsp_status knn_brute_force_answer(const hsp__knn_search *search, uint64_t from,
                                         uint64_t count, hsp_error *err)
{
    const hsp__knn_guests *guests = search->guests;
    const uint64_t rows = guests->near->rows->rows;
    const uint64_t step = guests->kernel ? KNN_BRUTE_FORCE_VALUES : KNN_BRUTE_FORCE_ROWS;
    const uint64_t ld = hsp__knn_kernel_ld(rows < step ? rows : step);
    hsp_context quiet = hsp__quiet(search->ctx);
    hsp__knn_heap heaps[HSP__KNN_GUESTS];
    hsp_status status = HSP_OK;
    double *values = NULL;
    if (guests->kernel && !(values = hsp__new_raw(&quiet.allocator, count * ld, sizeof *values)))
        return hsp__fail_memory(err);
    for (uint64_t g = 0; g < count; g++)
        heaps[g] = (hsp__knn_heap){.at = search->out + (from + g) * search->k, .k = search->k};
    for (uint64_t at = 0; !status && at < rows && !hsp__tick(search->ctx); at += step) {
        const uint64_t some = rows - at < step ? rows - at : step;
        if (values)
            status = hsp__knn_kernel_block(&quiet, guests, from, count, at, some, values, ld, err);
        for (uint64_t g = 0; !status && g < count; g++) {
            const uint64_t skip = hsp__knn_skip(search, from + g);
            for (uint64_t i = at; i < at + some; i++)
                if (i != skip)
                    hsp__knn_offer(
                        &heaps[g],
                        values ? values[g * ld + i - at] : hsp__knn_pair(guests, from + g, i), i);
        }
    }
    for (uint64_t g = 0; g < count; g++)
        hsp__knn_sort(&heaps[g]);
    hsp__free(&quiet.allocator, values);
    return status;
}

static hsp_status knn_brute_force_find(hsp__knn_search *search, hsp_error *err)
{
    const uint64_t step = search->guests->kernel ? HSP__KNN_GUESTS : KNN_BRUTE_FORCE_GUESTS;
    return hsp__knn_run(search, step, knn_brute_force_answer, err);
}

const hsp__knn_index_type hsp__knn_brute_force = {.kind = HSP__KNN_BRUTE_FORCE,
                                                  .name = "scan",
                                                  .fits = knn_brute_force_fits,
                                                  .find = knn_brute_force_find};
