#include "learn/row_weights.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/encode.h"
#include "data/formats.h"
#include "learn/option_helpers.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

hsp_status hsp__row_weights_column(const hsp_data *data, const char *text, hsp_error *err,
                                   uint64_t *column)
{
    char quoted[HSP__QUOTED];
    const hsp_encoding *encoding = data->encoding;
    const int from_zero = data->index_base && strcmp(data->index_base, "0") == 0;
    uint32_t named = hsp__names_find(&data->feature_names, text, strlen(text));
    uint64_t found = named == HSP__NAME_NONE ? UINT64_MAX : named;
    hsp__decimal_result result;
    double number;
    const char *end = text + strlen(text), *stop = hsp__decimal_f64(text, end, &number, &result);
    const int whole = result == HSP__DECIMAL_OK && stop == end && number == floor(number) &&
                      number >= !from_zero && number <= 4294967296.0;
    if (found == UINT64_MAX && whole && !encoding) found = (uint64_t)number - !from_zero;
    if (found == UINT64_MAX && whole && encoding && number <= encoding->names.count) {
        const uint32_t c = (uint32_t)number - 1; /* a column of the CSV file: its feature */
        const char *name = hsp__names_get(&encoding->names, c);
        named = encoding->columns[c].kind == HSP__COLUMN_NUMBER
                    ? hsp__names_find(&data->feature_names, name, strlen(name))
                    : HSP__NAME_NONE;
        if (named != HSP__NAME_NONE) found = named;
    }
    if (found >= data->view.cols)
        return hsp__fail_option(
            err, "--row-weight",
            "found '%s', expected the name or the number of a column of numbers",
            hsp__quote(text, strlen(text), quoted));
    *column = found;
    return HSP_OK;
}

hsp_status hsp__row_weights_rows(hsp_context *ctx, const hsp_data *data, uint64_t column,
                                 const uint64_t *origin, hsp_error *err, double **out)
{
    const hsp_view *view = &data->view;
    char number[HSP__DECIMAL_MAX];
    hsp_status status = HSP_OK;
    double most = 0;
    double *weight = hsp__new_raw(&ctx->allocator, view->rows, sizeof *weight);
    if (!weight) return hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < view->rows; i++) {
        weight[i] = hsp__view_entry(view, i, column);
        most = fmax(most, weight[i]);
        if (weight[i] >= 0) continue;
        hsp__decimal_print_f64(weight[i], number);
        status = hsp__fail_at(err, HSP_BAD_DATA, "--row-weight", 0, 0,
                              "row %llu has the weight %s, expected 0 or more",
                              (unsigned long long)(origin ? origin[i] : i) + 1, number);
    }
    if (!status && view->rows && !(most > 0))
        status =
            hsp__fail_at(err, HSP_BAD_DATA, "--row-weight", 0, 0, "the weight of every row is 0");
    if (status) hsp__free(&ctx->allocator, weight);
    if (!status) *out = weight;
    return status;
}

hsp_status hsp__row_weights_of(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                               hsp_error *err, double **out)
{
    const char *text = hsp__option_text(options, "row-weight");
    const uint64_t rows = data->view.rows;
    uint64_t column = 0;
    *out = NULL;
    if (text) {
        HSP__TRY(hsp__row_weights_column(data, text, err, &column));
        return hsp__row_weights_rows(ctx, data, column, NULL, err, out);
    }
    if (!data->row_weights) return HSP_OK;
    *out = hsp__new_raw(&ctx->allocator, rows, sizeof **out);
    if (!*out) return hsp__fail_memory(err);
    memcpy(*out, data->row_weights, rows * sizeof **out);
    return HSP_OK;
}

void hsp__row_weights_blank(hsp_data *data, uint64_t column)
{
    const hsp_view *view = &data->view;
    const size_t bytes = hsp__value_bytes(view->precision);
    char *values = data->values;
    assert(column < view->cols);
    if (view->storage == HSP_DENSE) {
        for (uint64_t i = 0; i < view->rows; i++) {
            data->nonzeros -= hsp__view_entry(view, i, column) != 0;
            memset(values + (i * view->stride + column) * bytes, 0, bytes);
        }
        return;
    }
    uint64_t to = 0, from = data->starts[0]; /* entries move up over those that go */
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint64_t end = data->starts[i + 1];
        assert(to <= from && from <= end);
        for (; from < end; from++) {
            if (data->indices[from] == column) continue;
            data->indices[to] = data->indices[from];
            if (values) memmove(values + to * bytes, values + from * bytes, bytes);
            to++;
        }
        data->starts[i + 1] = to;
    }
    hsp__data_seal(data);
}

/* ---- Classes --------------------------------------------------------------------------------- */

#define ROW_WEIGHTS_LEAST 1e-100
#define ROW_WEIGHTS_MOST  1e100

/* One item, "CLASS=W"; the last = counts, so that a class may have one in its name. */
static hsp_status row_weights_class(hsp_context *ctx, const hsp__names *classes, const char *item,
                                    hsp_error *err, double *weight)
{
    char quoted[HSP__QUOTED];
    const char *sign = strrchr(item, '='), *end = item + strlen(item);
    hsp__decimal_result result = HSP__DECIMAL_OK;
    double number = 0;
    if (!sign || hsp__decimal_f64(sign + 1, end, &number, &result) != end ||
        result != HSP__DECIMAL_OK || !(number >= ROW_WEIGHTS_LEAST && number <= ROW_WEIGHTS_MOST))
        return hsp__fail_option(
            err, "--weight",
            "found '%s', expected balanced, or a class and its weight above 0, as in spam=2",
            hsp__quote(item, strlen(item), quoted));
    hsp__names canonical;
    uint32_t added, found = HSP__NAME_NONE;
    hsp__names_init(&canonical, &ctx->allocator);
    const hsp__label_result label = hsp__label_add(&canonical, item, (size_t)(sign - item), &added);
    found = hsp__names_find(classes, item, (size_t)(sign - item)); /* as a caller named it */
    if (label == HSP__LABEL_OK && found == HSP__NAME_NONE)
        found = hsp__names_find(classes, hsp__names_get(&canonical, added),
                                hsp__names_size(&canonical, added));
    hsp__names_free(&canonical);
    if (label == HSP__LABEL_NO_MEMORY) return hsp__fail_memory(err);
    if (found == HSP__NAME_NONE)
        return hsp__fail_option(err, "--weight",
                                "there is no class '%s' among the %u classes (such as '%.40s')",
                                hsp__quote(item, (size_t)(sign - item), quoted),
                                (unsigned)classes->count, hsp__names_get(classes, 0));
    if (weight[found] > 0)
        return hsp__fail_option(err, "--weight", "the class '%.80s' has two weights",
                                hsp__names_get(classes, found));
    weight[found] = number;
    return HSP_OK;
}

hsp_status hsp__row_weights_classes(hsp_context *ctx, const hsp_options *options,
                                    const hsp__names *classes, hsp_error *err, double *weight,
                                    int *balanced)
{
    const size_t count = hsp_options_list_count(options, "weight");
    hsp_status status = HSP_OK;
    *balanced = 0;
    for (uint32_t c = 0; c < classes->count; c++)
        weight[c] = 0; /* not given */
    for (size_t i = 0; !status && i < count; i++) {
        const char *item = hsp_options_list_item(options, "weight", i);
        const int says = strcmp(item, "balanced") == 0;
        if (says && count > 1)
            return hsp__fail_option(
                err, "--weight",
                "balanced sets the weights of all classes; it cannot be combined with others");
        *balanced |= says;
        if (!says) status = row_weights_class(ctx, classes, item, err, weight);
    }
    for (uint32_t c = 0; c < classes->count; c++)
        if (!(weight[c] > 0)) weight[c] = 1;
    return status;
}
