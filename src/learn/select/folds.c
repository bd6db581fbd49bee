#include "learn/select/folds.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
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

/* ---- Groups ---------------------------------------------------------------------------------- */

typedef struct folds_group_row {
    uint32_t group;
    uint64_t row;
} folds_group_row;

/* One group: its rows are rows[from .. to - 1]. */
typedef struct folds_group_span {
    uint64_t from, to, place; /* place: among groups of the same size */
} folds_group_span;

static int folds_compare_rows(const void *left, const void *right)
{
    const folds_group_row *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static int folds_compare_groups(const void *left, const void *right)
{
    const folds_group_span *a = left, *b = right;
    const uint64_t x = a->to - a->from, y = b->to - b->from;
    if (x != y) return x > y ? -1 : 1; /* the largest first */
    return (a->place > b->place) - (a->place < b->place);
}

/* The fold that a group disturbs least: that of the smallest sum over the classes of (rows there) *
 * (rows of the group) / (all rows); of equals the one with the fewest rows, then the first. */
static uint32_t folds_for_group(const hsp__folds *folds, const uint64_t *all, const uint64_t *own,
                                const uint64_t *there, const uint64_t *rows)
{
    const uint32_t classes = folds->class_names.count;
    uint32_t best = 0;
    double least = HUGE_VAL;
    for (uint32_t f = 0; f < folds->count; f++) {
        double sum = 0;
        for (uint32_t c = 0; c < classes; c++)
            if (own[c])
                sum += (double)own[c] * (double)there[(uint64_t)f * classes + c] / (double)all[c];
        if (sum > least || (sum == least && rows[f] >= rows[best])) continue;
        best = f;
        least = sum;
    }
    return best;
}

static hsp_status folds_deal_groups(hsp_context *ctx, const hsp_data *data,
                                    const folds_group_row *rows, const folds_group_span *groups,
                                    uint64_t count, hsp__folds *folds, hsp_error *err)
{
    const uint64_t classes = folds->class_names.count;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    uint64_t *all = hsp__scratch_new(&scratch, classes, sizeof *all);
    uint64_t *own = hsp__scratch_new(&scratch, classes, sizeof *own);
    uint64_t *there = hsp__scratch_new(&scratch, classes * folds->count, sizeof *there);
    uint64_t *in = hsp__scratch_new(&scratch, folds->count, sizeof *in);
    if (scratch.failed) {
        hsp__scratch_free(&scratch);
        return hsp__fail_memory(err);
    }
    for (uint64_t k = 0; k < folds->rows; k++)
        all[folds->class_of[data->view.labels[rows[k].row]]]++;
    for (uint64_t g = 0; g < count; g++) {
        memset(own, 0, classes * sizeof *own);
        for (uint64_t k = groups[g].from; k < groups[g].to; k++)
            own[folds->class_of[data->view.labels[rows[k].row]]]++;
        const uint32_t fold = folds_for_group(folds, all, own, there, in);
        for (uint64_t c = 0; c < classes; c++)
            there[fold * classes + c] += own[c];
        in[fold] += groups[g].to - groups[g].from;
        for (uint64_t k = groups[g].from; k < groups[g].to; k++)
            folds->fold[rows[k].row] = fold;
    }
    hsp__scratch_free(&scratch);
    return HSP_OK;
}

static hsp_status folds_by_group(hsp_context *ctx, const hsp_data *data, uint64_t seed,
                                 hsp__folds *folds, hsp_error *err)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    folds_group_row *rows = hsp__scratch_raw(&scratch, folds->rows, sizeof *rows);
    folds_group_span *groups = hsp__scratch_raw(&scratch, folds->rows, sizeof *groups);
    uint64_t *places = hsp__scratch_raw(&scratch, folds->rows, sizeof *places);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    uint64_t n = 0, count = 0;
    for (uint64_t i = 0; !status && i < folds->total; i++) {
        folds->fold[i] = HSP__FOLD_NONE;
        if (folds->class_of[data->view.labels[i]] != HSP_NO_CLASS)
            rows[n++] = (folds_group_row){data->groups[i], i};
    }
    if (!status) qsort(rows, n, sizeof *rows, folds_compare_rows);
    for (uint64_t k = 0; k < n; k++) {
        if (!k || rows[k].group != rows[k - 1].group) groups[count++] = (folds_group_span){k, k, 0};
        groups[count - 1].to++;
    }
    if (!status && count < folds->count)
        status = hsp__fail_option(err, "--group",
                                  "found %llu group%s, expected at least as many as the %u folds; "
                                  "use fewer folds",
                                  (unsigned long long)count, count == 1 ? "" : "s",
                                  (unsigned)folds->count);
    for (uint64_t g = 0; g < count; g++)
        places[g] = g;
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    if (!status) hsp__random_shuffle(&random, places, count);
    for (uint64_t g = 0; g < count; g++)
        groups[g].place = places[g];
    if (!status) qsort(groups, count, sizeof *groups, folds_compare_groups);
    if (!status) status = folds_deal_groups(ctx, data, rows, groups, count, folds, err);
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- Time ------------------------------------------------------------------------------------ */

typedef struct folds_moment {
    double time;
    uint64_t row;
} folds_moment;

static int folds_compare_moments(const void *left, const void *right)
{
    const folds_moment *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static hsp_status folds_in_time(hsp_context *ctx, const hsp_data *data, hsp__folds *folds,
                                hsp_error *err)
{
    const uint64_t block = folds->rows / ((uint64_t)folds->count + 1);
    const uint64_t first = folds->rows - block * folds->count; /* rows before all folds */
    folds_moment *rows = hsp__new_raw(&ctx->allocator, folds->rows, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    uint64_t n = 0, seen = 0;
    for (uint64_t i = 0; i < folds->total; i++) {
        folds->fold[i] = HSP__FOLD_NONE;
        if (folds->class_of[data->view.labels[i]] != HSP_NO_CLASS)
            rows[n++] = (folds_moment){data->times ? data->times[i] : (double)i, i};
    }
    assert(n == folds->rows);
    qsort(rows, n, sizeof *rows, folds_compare_moments);
    for (uint64_t k = 0, last = 0; block && k < n; k++) {
        if (!k || rows[k].time != rows[k - 1].time) {
            const uint64_t at = k < first ? 0 : 1 + (k - first) / block;
            seen += !k || at != last;
            last = at;
        }
        folds->fold[rows[k].row] = (uint32_t)last;
    }
    hsp__free(&ctx->allocator, rows);
    if (seen == (uint64_t)folds->count + 1) return HSP_OK;
    return hsp__fail_option(err, "--folds",
                            "there are too few %s for %u folds in time; use fewer, as in time:2",
                            data->times ? "different times" : "rows", (unsigned)folds->count);
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

hsp_status hsp__folds_make(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                           const hsp__folds_how *how, hsp_error *err, hsp__folds *out)
{
    const hsp_view *view;
    hsp__folds folds;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    if (!view->labels) return hsp__fail(err, HSP_BAD_DATA, "the data has no labels");
    HSP__TRY(hsp__folds_begin(ctx, data, learner, how->count, err, &folds));
    folds.ordered = how->ordered;
    hsp_status status = folds_check(ctx, &folds, view, err);
    if (!status && how->ordered && data->groups)
        status = hsp__fail_option(err, "--group", "folds in time do not keep groups together");
    else if (!status)
        status = how->ordered ? folds_in_time(ctx, data, &folds, err)
                 : data->groups
                     ? folds_by_group(ctx, data, how->seed, &folds, err)
                     : hsp__folds_deal(ctx, view->labels, view->rows, view->classes, folds.class_of,
                                       how->count, how->seed, err, folds.fold);
    if (how->used) folds.count = how->used;
    if (status) hsp__folds_free(&folds);
    if (!status) *out = folds;
    return status;
}

hsp_status hsp__folds_how_of(const hsp_options *validate, hsp_error *err, hsp__folds_how *out)
{
    *out = (hsp__folds_how){.count = 5, .seed = 1};
    if (!validate) return HSP_OK;
    char quoted[HSP__QUOTED];
    const char *text = hsp_options_text(validate, "folds"), *number = text;
    hsp__decimal_result result = HSP__DECIMAL_OK;
    double count = 5;
    out->seed = (uint64_t)hsp_options_integer(validate, "fold-seed");
    out->ordered = strncmp(text, "time", 4) == 0 && (!text[4] || text[4] == ':');
    if (out->ordered) number = text[4] ? text + 5 : "5";
    const char *end = number + strlen(number);
    if (end == number || hsp__decimal_f64(number, end, &count, &result) != end ||
        result != HSP__DECIMAL_OK || !(count >= 2 && count <= 10000) || count != floor(count))
        return hsp__fail_option(err, "--folds",
                                "found '%s', expected a whole number from 2 to 10000, time, or "
                                "time:K for K folds in time",
                                hsp__quote(text, strlen(text), quoted));
    out->count = (uint32_t)count;
    out->ordered |= hsp_options_text(validate, "time") != NULL;
    return HSP_OK;
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
    uint64_t kept = 0, held_out = 0;
    uint64_t *rows = hsp__new_raw(&ctx->allocator, 2 * folds->rows, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    uint64_t *out = rows + folds->rows; /* rows held out, behind those to learn from */
    for (uint64_t i = 0; i < folds->total; i++) {
        const uint32_t at = folds->fold[i];
        if (hsp__folds_holds(folds, i) == fold)
            out[held_out++] = i;
        else if (at != HSP__FOLD_NONE && (!folds->ordered || at <= fold))
            rows[kept++] = i;
    }
    assert(fold < folds->count && (folds->ordered || kept + held_out == folds->rows));
    hsp_status status = hsp_data_select(ctx, data, rows, kept, err, &first);
    if (!status) status = hsp_data_select(ctx, data, out, held_out, err, &second);
    hsp__free(&ctx->allocator, rows);
    if (status) {
        hsp_data_free(first);
        return status;
    }
    *train = first;
    *held = second;
    return HSP_OK;
}
