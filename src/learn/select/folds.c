#include "learn/select/folds.h"

#include "base/base.h"
#include "base/random.h"
#include "data/data.h"
#include "learn/prepare.h"

/* ---- Dealing --------------------------------------------------------------------------------- */

hsp_status hsp__folds_deal(hsp_context *ctx, const uint32_t *labels, uint64_t rows,
                           uint32_t classes, const uint32_t *class_of, uint32_t count,
                           uint64_t seed, hsp_error *err, uint32_t *fold)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    uint64_t *next = hsp__scratch_new(&scratch, (uint64_t)classes + 1, sizeof *next);
    uint64_t *order = hsp__scratch_raw(&scratch, rows, sizeof *order);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    assert(count > 0);
    /* order: the rows sorted by class */
    for (uint64_t i = 0; !status && i < rows; i++) {
        fold[i] = HSP__FOLD_NONE;
        next[labels[i] + 1] += !class_of || class_of[labels[i]] != HSP_NO_CLASS;
    }
    for (uint32_t c = 0; !status && c < classes; c++)
        next[c + 1] += next[c];
    for (uint64_t i = 0; !status && i < rows; i++)
        if (!class_of || class_of[labels[i]] != HSP_NO_CLASS) order[next[labels[i]]++] = i;
    for (uint32_t c = 0; !status && c < classes; c++) { /* next[c] is now where class c ends */
        const uint64_t from = c ? next[c - 1] : 0;
        hsp__random random;
        hsp__random_seed(&random, seed, c);
        hsp__random_shuffle(&random, order + from, next[c] - from);
        for (uint64_t k = from; k < next[c]; k++)
            fold[order[k]] = (uint32_t)(k % count);
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- What the learner tells apart ------------------------------------------------------------ */

/* Map the data's classes to those that the options keep, in their order, or to one class and the
 * rest. A class that the data does not have stays without rows: training says so. */
static hsp_status folds_group(hsp_context *ctx, hsp__folds *folds, const hsp_data *data,
                              const hsp_options *learner, hsp_error *err)
{
    hsp__names keep, positive;
    HSP__TRY(hsp__prepare_classes(ctx, learner, err, &keep));
    hsp_status status = hsp__prepare_positive(ctx, learner, err, &positive);
    const hsp__names *from = keep.count ? &keep : &data->class_names;
    const char *name = !status && positive.count ? hsp__names_get(&positive, 0) : NULL;
    const uint32_t chosen = name ? hsp__names_find(from, name, strlen(name)) : HSP__NAME_NONE;
    uint32_t number;
    for (uint32_t c = 0; c < data->class_names.count; c++) {
        const uint32_t found = hsp__names_find(from, hsp__names_get(&data->class_names, c),
                                               hsp__names_size(&data->class_names, c));
        folds->class_of[c] = found == HSP__NAME_NONE ? HSP_NO_CLASS
                             : name                  ? found == chosen
                                                     : found;
    }
    const int room = name ? hsp__names_add(&folds->class_names, "rest", 4, &number) &&
                                hsp__names_add(&folds->class_names, name, strlen(name), &number)
                          : hsp__names_copy(&folds->class_names, from);
    if (!status && !room) status = hsp__fail_memory(err);
    hsp__names_free(&keep);
    hsp__names_free(&positive);
    return status;
}

/* Are there rows enough? */
static hsp_status folds_check(hsp_context *ctx, hsp__folds *folds, const hsp_view *view,
                              hsp_error *err)
{
    uint64_t *rows = hsp__new(&ctx->allocator, folds->class_names.count, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t class = folds->class_of[view->labels[i]];
        if (class == HSP_NO_CLASS) continue;
        rows[class]++;
        folds->rows++;
    }
    assert(folds->rows <= folds->total);
    hsp_status status = hsp__prepare_target(&folds->class_names, folds->rows, err);
    if (!status && folds->rows < folds->count)
        status = hsp__fail_option(err, "--folds",
                                  "found %u folds, expected at most the number of rows, %llu",
                                  (unsigned)folds->count, (unsigned long long)folds->rows);
    uint32_t few = 0, first = 0;
    for (uint32_t c = 0; !status && c < folds->class_names.count; c++) {
        if (rows[c] == 1)
            status = hsp__fail(
                err, HSP_BAD_DATA,
                "class '%s' has only one row; cross-validation needs at least two per class",
                hsp__names_get(&folds->class_names, c));
        if (rows[c] == 0 || rows[c] >= folds->count) continue;
        if (!few++) first = c;
    }
    if (!status && few)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "class '%s' has %llu rows, fewer than the %u folds%s; some folds have none of it",
                 hsp__names_get(&folds->class_names, first), (unsigned long long)rows[first],
                 (unsigned)folds->count, few > 1 ? ", and it is not the only one" : "");
    hsp__free(&ctx->allocator, rows);
    return status;
}

/* ---- The object ------------------------------------------------------------------------------ */

hsp_status hsp__folds_begin(hsp_context *ctx, const hsp_data *data, const hsp_options *learner,
                            uint32_t count, hsp_error *err, hsp__folds *out)
{
    const hsp_view *view = &data->view;
    hsp__folds folds = {
        .memory = ctx->allocator, .count = count, .total = view->rows, .classes = view->classes};
    hsp__names_init(&folds.class_names, &ctx->allocator);
    folds.fold = hsp__new_raw(&ctx->allocator, view->rows, sizeof *folds.fold);
    folds.class_of = hsp__new(&ctx->allocator, view->classes, sizeof *folds.class_of);
    hsp_status status = folds.fold && folds.class_of ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = folds_group(ctx, &folds, data, learner, err);
    if (status) hsp__folds_free(&folds);
    if (!status) *out = folds;
    return status;
}

hsp_status hsp__folds_new(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                          uint32_t count, uint64_t seed, hsp_error *err, hsp__folds *out)
{
    const hsp_view *view;
    hsp__folds folds;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    if (!view->labels) return hsp__fail(err, HSP_BAD_DATA, "the data has no labels");
    HSP__TRY(hsp__folds_begin(ctx, data, learner, count, err, &folds));
    hsp_status status = folds_check(ctx, &folds, view, err);
    if (!status)
        status = hsp__folds_deal(ctx, view->labels, view->rows, view->classes, folds.class_of,
                                 count, seed, err, folds.fold);
    if (status) hsp__folds_free(&folds);
    if (!status) *out = folds;
    return status;
}

void hsp__folds_free(hsp__folds *folds)
{
    hsp__free(&folds->memory, folds->fold);
    hsp__free(&folds->memory, folds->class_of);
    hsp__names_free(&folds->class_names);
    folds->fold = folds->class_of = NULL;
}

hsp_status hsp__folds_part(hsp_context *ctx, const hsp__folds *folds, hsp_data *data, uint32_t fold,
                           hsp_error *err, hsp_data **train, hsp_data **held)
{
    hsp_data *first = NULL, *second = NULL;
    uint64_t kept = 0, at = folds->rows;
    uint64_t *rows = hsp__new_raw(&ctx->allocator, folds->rows, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    for (uint64_t i = folds->total; i-- > 0;)
        if (folds->fold[i] == fold) rows[--at] = i;
    for (uint64_t i = 0; i < folds->total; i++)
        if (folds->fold[i] != fold && folds->fold[i] != HSP__FOLD_NONE) rows[kept++] = i;
    assert(fold < folds->count && kept == at); /* each row on one side */
    hsp_status status = hsp_data_select(ctx, data, rows, kept, err, &first);
    if (!status) status = hsp_data_select(ctx, data, rows + kept, folds->rows - kept, err, &second);
    hsp__free(&ctx->allocator, rows);
    if (status) {
        hsp_data_free(first);
        return status;
    }
    *train = first;
    *held = second;
    return HSP_OK;
}
