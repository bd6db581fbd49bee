#include "learn/prepare.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/convert_storage.h"
#include "data/formats.h"
#include "data/scale.h"
#include "learn/option_helpers.h"
#include "learn/row_weights.h"

#define PREPARE_NUMBERS 100 /* classes that may be numbers of any kind */
#define PREPARE_SHARE   4   /* at most one value in this many is not 0: sparse rows are faster */
#define PREPARE_COPY    ((uint64_t)512 << 20) /* bytes of rows from which a copy must be small, */
#define PREPARE_SMALL   10                    /* this many times smaller than the rows */

/* ---- Names of classes ------------------------------------------------------------------------ */

static hsp_status prepare_label(const char *option, const char *text, size_t size, hsp_error *err,
                                hsp__names *names)
{
    char quoted[HSP__QUOTED];
    uint32_t number, before = names->count;
    hsp__label_result result =
        size ? hsp__label_add(names, text, size, &number) : HSP__LABEL_NOT_FINITE;
    if (result == HSP__LABEL_NO_MEMORY) return hsp__fail_memory(err);
    if (result != HSP__LABEL_OK)
        return hsp__fail_option(err, option, "found '%s', expected the name of a class",
                                hsp__quote(text, size, quoted));
    if (number != before)
        return hsp__fail_option(err, option, "the class '%s' appears twice",
                                hsp__quote(text, size, quoted));
    return HSP_OK;
}

hsp_status hsp__prepare_classes(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                hsp__names *names)
{
    const char *text = hsp_options_text(options, "classes");
    hsp_status status = HSP_OK;
    hsp__names_init(names, &ctx->allocator);
    while (text && !status) {
        const char *comma = strchr(text, ',');
        size_t size = comma ? (size_t)(comma - text) : strlen(text);
        status = prepare_label("--classes", text, size, err, names);
        text = comma ? comma + 1 : NULL;
    }
    if (!status && names->count == 1)
        status =
            hsp__fail_option(err, "--classes", "found one class, expected two or more, as in a,b");
    if (status) hsp__names_free(names);
    return status;
}

hsp_status hsp__prepare_positive(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                 hsp__names *names)
{
    const char *text = hsp_options_text(options, "positive");
    hsp__names_init(names, &ctx->allocator);
    hsp_status status = text ? prepare_label("--positive", text, strlen(text), err, names) : HSP_OK;
    if (!status && text && strcmp(hsp__names_get(names, 0), "rest") == 0)
        status = hsp__fail_option(err, "--positive",
                                  "a class named 'rest' cannot be positive, because the other "
                                  "classes together get that name");
    if (status) hsp__names_free(names);
    return status;
}

hsp_status hsp__prepare_relabel(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err, hsp_data **out)
{
    hsp__names keep, positive;
    *out = NULL;
    HSP__TRY(hsp__prepare_classes(ctx, options, err, &keep));
    hsp_status status = hsp__prepare_positive(ctx, options, err, &positive);
    if (!status && (positive.count || keep.count)) {
        const char **list = hsp__new(&ctx->allocator, keep.count, sizeof *list);
        for (uint32_t i = 0; list && i < keep.count; i++)
            list[i] = hsp__names_get(&keep, i);
        status = !list ? hsp__fail_memory(err)
                       : hsp_data_relabel(ctx, data, keep.count ? list : NULL, keep.count,
                                          positive.count ? hsp__names_get(&positive, 0) : NULL, err,
                                          out);
        hsp__free(&ctx->allocator, list);
    }
    hsp__names_free(&keep);
    hsp__names_free(&positive);
    return status;
}

static hsp_status prepare_group(hsp_context *ctx, const hsp_options *options, hsp__prepared *to,
                                hsp_error *err)
{
    to->leaves_out = hsp_options_text(options, "classes") != NULL;
    to->rest = hsp_options_text(options, "positive") != NULL;
    HSP__TRY(hsp__prepare_relabel(ctx, to->base, options, err, &to->grouped));
    if (to->grouped) to->base = to->data = to->grouped;
    return HSP_OK;
}

/* ---- Weights of rows ------------------------------------------------------------------------- */

/* The numbers in `data` of the rows whose classes were asked for; NULL: all of them. */
static hsp_status prepare_kept(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                               hsp_error *err, uint64_t **out)
{
    const hsp_view *view = &data->view;
    hsp__names keep;
    hsp_status status = hsp__prepare_classes(ctx, options, err, &keep);
    if (status) return status;
    uint64_t *rows = NULL, count = 0;
    if (keep.count) {
        rows = hsp__new_raw(&ctx->allocator, view->rows, sizeof *rows);
        if (!rows) status = hsp__fail_memory(err);
    }
    for (uint64_t i = 0; rows && i < view->rows; i++) {
        const uint32_t label = view->labels[i];
        if (hsp__names_find(&keep, hsp__names_get(&data->class_names, label),
                            hsp__names_size(&data->class_names, label)) != HSP__NAME_NONE)
            rows[count++] = i;
    }
    hsp__names_free(&keep);
    if (!status) *out = rows;
    return status;
}

hsp_status hsp__prepare_origin(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                               const hsp__prepared *prepared, hsp_error *err, uint64_t **origin)
{
    uint64_t *kept = NULL;
    HSP__TRY(prepare_kept(ctx, data, options, err, &kept));
    const uint64_t rows = prepared->view->rows;
    if (!kept && prepared->place) {
        kept = hsp__new_raw(&ctx->allocator, rows, sizeof *kept);
        if (!kept) return hsp__fail_memory(err);
        memcpy(kept, prepared->place, rows * sizeof *kept);
    } else if (prepared->place) {
        for (uint64_t i = 0; i < rows; i++) /* place[i] >= i: none is overwritten too early */
            kept[i] = kept[prepared->place[i]];
    }
    *origin = kept;
    return HSP_OK;
}

/* Leave the rows of weight 0 out, and their weights with them. */
static hsp_status prepare_drop(hsp_context *ctx, hsp__prepared *to, hsp_error *err)
{
    const uint64_t rows = to->data->view.rows;
    uint64_t count = 0;
    uint64_t *place = hsp__new_raw(&ctx->allocator, rows, sizeof *place);
    if (!place) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows; i++) {
        if (!(to->weight[i] > 0)) continue;
        to->weight[count] = to->weight[i];
        place[count++] = i;
    }
    hsp_status status = hsp_data_select(ctx, to->data, place, count, err, &to->weighed);
    if (!status && count < rows)
        to->place = place;
    else
        hsp__free(&ctx->allocator, place);
    return status;
}

/* The weights are in a column, which is not a feature: it is 0 in a copy of the rows. Or they came
 * with the rows (hsp_data_set_weights). */
static hsp_status prepare_weigh(hsp_context *ctx, const hsp_data *given, const hsp_options *options,
                                hsp__prepared *to, hsp_error *err)
{
    const char *text = hsp__option_text(options, "row-weight");
    const double *own = to->data->row_weights;
    const uint64_t rows = to->data->view.rows;
    uint64_t column = 0, *origin = NULL;
    int zero = text != NULL;
    if (!text && !own) return HSP_OK;
    if (!text && !hsp__options_have(options, "row-weight"))
        return hsp__fail(err, HSP_USAGE,
                         "the rows have weights, which the learner %s does not take: remove them "
                         "(hsp_data_set_weights with NULL), or use another learner",
                         hsp_options_table(options)->name);
    if (text && hsp__option_is(options, "normalize", "rows"))
        return hsp__fail_option(
            err, "--row-weight",
            "--row-weight cannot be combined with --normalize rows, because the weight column "
            "would count in the norm; normalise the rows first, or use --normalize ball");
    if (text) {
        HSP__TRY(hsp__row_weights_column(to->data, text, err, &column));
        HSP__TRY(prepare_kept(ctx, given, options, err, &origin));
        hsp_status status = hsp__row_weights_rows(ctx, to->data, column, origin, err, &to->weight);
        hsp__free(&ctx->allocator, origin);
        if (status) return status;
    } else {
        to->weight = hsp__new_raw(&ctx->allocator, rows, sizeof *to->weight);
        if (!to->weight) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < rows; i++) {
            to->weight[i] = own[i];
            zero |= !(own[i] > 0);
        }
    }
    if (!zero) return HSP_OK;
    HSP__TRY(prepare_drop(ctx, to, err));
    if (text) {
        hsp__row_weights_blank(to->weighed, column);
        to->blank = hsp__option_text(options, "kernel") ? column + 1 : 0;
    }
    to->base = to->data = to->weighed;
    return HSP_OK;
}

/* ---- Scaling --------------------------------------------------------------------------------- */

/* A weight vector has 0 where the rows' weights are; a kernel sees every column of the rows that it
 * is to predict. So the model's scaling of columns takes that one to 0. */
static hsp_status prepare_blank(hsp_context *ctx, hsp__prepared *to, hsp_error *err)
{
    const uint64_t cols = to->data->view.cols;
    double *shift = hsp__new(&ctx->allocator, cols, sizeof *shift);
    double *factor = hsp__new_raw(&ctx->allocator, cols, sizeof *factor);
    hsp__scaling_parts parts = {.kind = "max-abs", .cols = cols};
    hsp_scaling *made = NULL;
    hsp_status status = shift && factor ? HSP_OK : hsp__fail_memory(err);
    if (!status && to->scalings[0]) {
        parts = hsp__scaling_look(to->scalings[0]);
        memcpy(shift, parts.shift, cols * sizeof *shift);
        memcpy(factor, parts.factor, cols * sizeof *factor);
    } else if (!status) {
        for (uint64_t j = 0; j < cols; j++)
            factor[j] = 1;
    }
    if (!status) {
        shift[to->blank - 1] = factor[to->blank - 1] = 0;
        parts.shift = shift, parts.factor = factor;
        status = hsp__scaling_from(ctx, &parts, err, &made);
    }
    hsp__free(&ctx->allocator, shift);
    hsp__free(&ctx->allocator, factor);
    if (status) return status;
    hsp_scaling_free(to->scalings[0]);
    to->scalings[0] = made;
    return HSP_OK;
}

/* One scaling more: fit it to the rows so far (NULL: it is there), keep it, and go on with the scaled
 * rows. */
static hsp_status prepare_scale(hsp_context *ctx, const char *kind, int place, hsp__prepared *to,
                                hsp_error *err)
{
    hsp_data *scaled = NULL;
    hsp_status status = HSP_OK;
    if (kind) status = hsp__scaling_fit_kind(ctx, to->data, kind, err, &to->scalings[place]);
    if (!status && kind && place == 0 && to->blank) status = prepare_blank(ctx, to, err);
    if (!status) status = hsp_scaling_apply(ctx, to->scalings[place], to->data, err, &scaled);
    status = hsp__shard_agree(ctx, status, err);
    if (status) {
        hsp_data_free(scaled);
        return status;
    }
    hsp_data_free(to->scaled);
    to->data = to->scaled = scaled;
    return HSP_OK;
}

hsp_status hsp__prepare_like(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                             hsp_scaling *out[HSP__MODEL_SCALINGS])
{
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i]) {
            const hsp__scaling_parts parts = hsp__scaling_look(model->scalings[i]);
            HSP__TRY(hsp__scaling_from(ctx, &parts, err, &out[i]));
        }
    return HSP_OK;
}

/* Scale the rows as the options say. */
static hsp_status prepare_scale_new(hsp_context *ctx, const hsp_options *options, hsp__prepared *to,
                                    hsp_error *err)
{
    const char *columns = hsp_options_text(options, "scale");
    int place = 0;
    hsp_status status = HSP_OK;
    if (strcmp(columns, "none") != 0)
        status = prepare_scale(ctx, columns, place++, to, err);
    else if (to->blank) /* the training rows are blank there already */
        status = prepare_blank(ctx, to, err), place++;
    if (!status && hsp__option_is(options, "normalize", "rows"))
        status = prepare_scale(ctx, "unit-rows", place, to, err);
    if (!status && hsp__option_is(options, "normalize", "ball"))
        status = prepare_scale(ctx, "unit-ball", place, to, err);
    if (!status && hsp__options_have(options, "votes")) { /* "votes": by what each column holds */
        const char *kind = hsp_options_text(options, "votes");
        status = prepare_scale(ctx, strcmp(kind, "auto") == 0 ? "votes" : kind, place, to, err);
    }
    return status;
}

hsp_status hsp__prepare_stream(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                               hsp_scaling **out)
{
    hsp_data nothing = {.memory = ctx->allocator, .checked = 1}; /* these need no fitting */
    *out = NULL;
    if (hsp__option_is(options, "normalize", "rows"))
        return hsp__scaling_fit_kind(ctx, &nothing, "unit-rows", err, out);
    if (!hsp__options_have(options, "votes")) return HSP_OK;
    return hsp__scaling_fit_kind(ctx, &nothing, hsp_options_text(options, "votes"), err, out);
}

hsp_status hsp__prepare_met(const hsp__names *classes, const unsigned char *met, uint32_t from,
                            uint32_t to, hsp_error *err)
{
    uint32_t count = 0, last = 0;
    for (uint32_t c = 0; c < classes->count; c++) {
        if (met[c])
            last = c;
        else if (c >= from && c < to)
            return hsp__fail(err, HSP_USAGE, "there is no row of the class '%s' in the data",
                             hsp__names_get(classes, c));
        count += met[c];
    }
    if (count > 1) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA,
                     "all rows are of the class '%s', expected two classes or more",
                     hsp__names_get(classes, last));
}

hsp_status hsp__prepare_target(const hsp__names *classes, uint64_t rows, hsp_error *err)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    int whole = 1;
    if (classes->count <= PREPARE_NUMBERS) return HSP_OK;
    for (uint32_t c = 0; c < classes->count; c++) {
        const char *name = hsp__names_get(classes, c);
        const char *end = name + hsp__names_size(classes, c);
        double value;
        hsp__decimal_result result;
        if (hsp__decimal_f64(name, end, &value, &result) != end) return HSP_OK;
        least = fmin(least, value);
        most = fmax(most, value);
        whole &= value == floor(value);
    }
    if (whole && most - least < 2 * (double)classes->count && rows >= 2 * (uint64_t)classes->count)
        return HSP_OK;
    return hsp__fail(
        err, HSP_BAD_DATA,
        "the label has %u different numbers, from %g to %g: that is a quantity to "
        "predict (regression), not classes. Name another column with --label, or group "
        "the numbers into classes first",
        classes->count, least, most);
}

/* Are there labelled rows of two classes, and of those that were asked for? */
static hsp_status prepare_checked(hsp_context *ctx, const hsp_options *options, hsp__prepared *to,
                                  hsp_error *err)
{
    HSP__TRY(hsp_data_view(ctx, to->data, err, &to->view));
    const hsp_view *view = to->view;
    if (!view->labels) return hsp__fail(err, HSP_BAD_DATA, "the data has no labels");
    const uint64_t rows = ctx->shard ? ctx->shard->rows : view->rows;
    if (rows == 0) return hsp__fail(err, HSP_BAD_DATA, "the data has no rows");
    HSP__TRY(hsp__prepare_target(&to->data->class_names, rows, err));
    hsp__scratch scratch = {.memory = &ctx->allocator};
    uint64_t *counts = hsp__scratch_new(&scratch, view->classes, sizeof *counts);
    unsigned char *met = hsp__scratch_new(&scratch, view->classes, sizeof *met);
    hsp_status status = hsp__shard_agree(ctx, scratch.failed ? hsp__fail_memory(err) : HSP_OK, err);
    for (uint64_t i = 0; !status && i < view->rows; i++)
        counts[view->labels[i]]++;
    if (!status) hsp__shard_add(ctx, counts, view->classes);
    for (uint32_t c = 0; !status && c < view->classes; c++)
        met[c] = counts[c] > 0;
    const uint32_t asked = to->rest || to->leaves_out ? view->classes : 0;
    /* an online learner goes on with later rows, which may be of the other classes */
    const int later = !asked && view->classes > 1 && hsp__options_have(options, "passes");
    if (!status && !later)
        status = hsp__prepare_met(&to->data->class_names, met, to->rest ? 1 : 0, asked, err);
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__prepare(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                        const hsp_model *like, hsp_error *err, hsp__prepared *out)
{
    hsp__prepared to = {.memory = ctx->allocator, .base = data, .data = data};
    hsp_status status = hsp_data_view(ctx, data, err, &to.view);
    if (!status) status = prepare_group(ctx, options, &to, err);
    if (!status) status = prepare_weigh(ctx, data, options, &to, err);
    status = hsp__shard_agree(ctx, status, err);
    if (!status) status = prepare_checked(ctx, options, &to, err);
    if (!status)
        status = like ? hsp__prepare_like(ctx, like, err, to.scalings)
                      : prepare_scale_new(ctx, options, &to, err);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        if (!status && like && to.scalings[i]) status = prepare_scale(ctx, NULL, i, &to, err);
        if (to.scalings[i] && hsp__scaling_is_votes(to.scalings[i])) to.votes = to.scalings[i];
    }
    if (!status) status = hsp_data_view(ctx, to.data, err, &to.view);
    if (status) hsp__prepared_free(&to);
    if (!status) *out = to;
    return status;
}

hsp_status hsp__prepare_sparse(hsp_context *ctx, hsp__prepared *prepared, hsp_error *err)
{
    const hsp_view *view = prepared->view;
    uint64_t nonzeros = prepared->data->nonzeros;
    hsp__shard_add(ctx, &nonzeros, 1); /* the same on all ranks */
    const uint64_t rows = ctx->shard ? ctx->shard->rows : view->rows;
    if (view->storage != HSP_DENSE || !view->cols || nonzeros / rows > view->cols / PREPARE_SHARE)
        return HSP_OK;
    const uint64_t value = hsp__value_bytes(view->precision);
    const uint64_t dense = rows * view->cols * value;
    const uint64_t sparse = nonzeros * (value + sizeof(uint32_t)) + rows * sizeof(uint64_t);
    if (dense > PREPARE_COPY && sparse > dense / PREPARE_SMALL) return HSP_OK;
    const hsp__storage_change plan = {.storage = HSP_SPARSE,
                                      .precision = view->precision,
                                      .cols = view->cols,
                                      .phase = "changing the storage"};
    HSP__TRY(hsp__shard_agree(
        ctx, hsp__data_convert_storage(ctx, prepared->data, &plan, err, &prepared->sparse), err));
    prepared->data = prepared->sparse;
    return hsp_data_view(ctx, prepared->data, err, &prepared->view);
}

void hsp__prepared_free(hsp__prepared *prepared)
{
    if (!prepared->base) return;
    hsp_data_free(prepared->grouped);
    hsp_data_free(prepared->weighed);
    hsp_data_free(prepared->scaled);
    hsp_data_free(prepared->sparse);
    hsp__free(&prepared->memory, prepared->weight);
    hsp__free(&prepared->memory, prepared->place);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        hsp_scaling_free(prepared->scalings[i]);
    *prepared = (hsp__prepared){0};
}
