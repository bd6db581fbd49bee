/* Gram matrices, in memory and as files; and which column of a precomputed one is whose. */
#include "kernel/gram.h"

#include <float.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/text.h"
#include "data/formats.h"
#include "kernel/block.h"
#include "vec/vec.h"

#define GRAM_BLOCK ((uint64_t)1 << 20) /* values computed between two reports of progress */

enum { GRAM_SQUARE = 64 }; /* rows compared with rows at a time */

/* ---- Whose column is it ---------------------------------------------------------------------- */

static int gram_asks(const hsp_kernel *kernel)
{
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op == HSP__KERNEL_PRECOMPUTED) return 1;
    return 0;
}

static hsp_status gram_number(const hsp_view *view, uint64_t i, hsp_error *err, uint64_t *id)
{
    const hsp__row row = hsp__view_row(view, i);
    const int there = row.count && hsp__row_column(&row, 0) == 0;
    const double number = there ? hsp__row_value(view, &row, 0) : 0;
    if (number >= 1 && number < (double)view->cols && number == floor(number)) {
        *id = (uint64_t)number;
        return HSP_OK;
    }
    return hsp__fail(err, HSP_BAD_DATA,
                     "row %llu: found %g in its first column, expected the row's number from 1 to "
                     "%llu (the column that has the other rows' kernel values with this row)",
                     (unsigned long long)i + 1, number,
                     (unsigned long long)(view->cols ? view->cols - 1 : 0));
}

hsp_status hsp__kernel_ids(hsp_context *ctx, const hsp_kernel *kernel, const hsp_data *data,
                           const uint64_t *rows, uint64_t count, hsp_error *err, uint64_t **out)
{
    const hsp_view *view = &data->view;
    const uint64_t n = rows ? count : view->rows;
    hsp_status status = HSP_OK;
    *out = NULL;
    if (!gram_asks(kernel)) return HSP_OK;
    const int numbered =
        (data->index_base && data->index_base[0] == '0') ||
        (data->feature_names.count && strcmp(hsp__names_get(&data->feature_names, 0), "row") == 0);
    if (!numbered) {
        if (view->rows == view->cols) return HSP_OK;
        return hsp__fail(err, HSP_BAD_DATA,
                         "precomputed: found %llu rows and %llu columns, expected as many columns "
                         "as rows, or a first column 'row' (LIBSVM: 0) with the rows' numbers",
                         (unsigned long long)view->rows, (unsigned long long)view->cols);
    }
    uint64_t *ids = hsp__new_raw(&ctx->allocator, n, sizeof *ids);
    if (!ids) return hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < n; i++)
        status = gram_number(view, rows ? rows[i] : i, err, &ids[i]);
    if (status)
        hsp__free(&ctx->allocator, ids);
    else
        *out = ids;
    return status;
}

/* ---- Given values ---------------------------------------------------------------------------- */

static int gram_asks_below(const hsp_kernel *kernel, uint32_t at)
{
    const hsp__kernel_node *node = &kernel->nodes[at];
    return node->op == HSP__KERNEL_PRECOMPUTED ||
           (node->left != HSP__KERNEL_NONE && gram_asks_below(kernel, node->left)) ||
           (node->right != HSP__KERNEL_NONE && gram_asks_below(kernel, node->right));
}

int hsp__kernel_needs_own(const hsp_kernel *kernel)
{
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op == HSP__KERNEL_NORMALIZE &&
            gram_asks_below(kernel, kernel->nodes[k].left))
            return 1;
    return 0;
}

static hsp_status gram_not_symmetric(uint64_t i, uint64_t j, double there, double back,
                                     hsp_error *err)
{
    return hsp__fail(err, HSP_BAD_DATA,
                     "the matrix is not symmetric: the value of rows %llu and %llu is %g, but %g "
                     "the other way round",
                     (unsigned long long)i + 1, (unsigned long long)j + 1, there, back);
}

hsp_status hsp__kernel_check_given(hsp_context *ctx, const hsp__kernel_rows *rows,
                                   const uint64_t *numbers, hsp_error *err)
{
    const uint64_t n = rows->view->rows;
    double most = 0;
    if (!gram_asks(rows->kernel)) return HSP_OK;
    for (uint64_t i = 0; i < n; i++)
        most = fmax(most, fabs(hsp__kernel_entry(rows, i, rows, i)));
    const double unit =
        rows->view->precision == HSP_FLOAT32 ? (double)FLT_EPSILON : 4 * DBL_EPSILON;
    for (uint64_t from = 0; from < n; from += GRAM_SQUARE) /* squares, for the sake of the cache */
        for (uint64_t to = 0; to <= from && !hsp__tick(ctx); to += GRAM_SQUARE)
            for (uint64_t i = from; i < n && i < from + GRAM_SQUARE; i++)
                for (uint64_t j = to; j < i && j < to + GRAM_SQUARE; j++) {
                    const double x = hsp__kernel_entry(rows, i, rows, j);
                    const double y = hsp__kernel_entry(rows, j, rows, i);
                    if (fabs(x - y) <= 4 * unit * fmax(most, fmax(fabs(x), fabs(y)))) continue;
                    return gram_not_symmetric(numbers ? numbers[j] : j, numbers ? numbers[i] : i, y,
                                              x, err);
                }
    return hsp__stop_status(ctx, err);
}

hsp_status hsp__kernel_check_guests(const hsp__kernel_rows *known, const hsp_view *view,
                                    hsp_error *err)
{
    uint64_t last = 0;
    if (!gram_asks(known->kernel) || view->rows == 0) return HSP_OK;
    if (hsp__kernel_needs_own(known->kernel))
        return hsp__fail(err, HSP_USAGE, "%s needs k(x, x), which rows to predict do not have",
                         known->kernel->text);
    for (uint64_t i = 0; i < known->view->rows; i++) {
        const uint64_t column = known->ids ? known->ids[i] : i;
        if (column > last) last = column;
    }
    if (last < view->cols) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA,
                     "precomputed: found rows of %llu columns, expected at least %llu: the kernel "
                     "values with the training rows, as kernel gram --against writes them",
                     (unsigned long long)view->cols, (unsigned long long)last + 1);
}

/* ---- Sides ----------------------------------------------------------------------------------- */

/* The rows of a data set, ready for the kernel. */
typedef struct gram_side {
    hsp__kernel_rows *rows;
    uint64_t *ids;
} gram_side;

/* `columns`: others look for these rows' columns. */
static hsp_status gram_open(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data, int columns,
                            hsp_error *err, gram_side *side)
{
    const hsp_view *view = NULL;
    *side = (gram_side){NULL, NULL};
    if (!hsp__kernel_fitted(kernel))
        return hsp__fail(
            err, HSP_USAGE,
            "the kernel %s has a parameter that is computed from data; fit it to data first",
            kernel->text);
    hsp_status status = hsp_data_view(ctx, data, err, &view);
    if (!status && columns) status = hsp__kernel_ids(ctx, kernel, data, NULL, 0, err, &side->ids);
    if (!status) status = hsp__kernel_rows_new(ctx, kernel, view, side->ids, err, &side->rows);
    return status;
}

static void gram_close(hsp_context *ctx, gram_side *side)
{
    hsp__kernel_rows_free(ctx, side->rows);
    hsp__free(&ctx->allocator, side->ids);
}

/* ---- In memory ------------------------------------------------------------------------------- */

/* Blocks of lines, with progress between them; `pick` walks through a. */
static hsp_status gram_lines(hsp_context *ctx, const hsp__kernel_pick *a, const hsp__kernel_pick *b,
                             double *out, hsp_error *err)
{
    hsp_status status = HSP_OK;
    hsp__kernel_pick some = *a;
    assert(a->rows->kernel == b->rows->kernel);
    const uint64_t step = GRAM_BLOCK / (b->count + 1) + 1;
    for (uint64_t i = 0; !status && i < a->count; i += step) {
        if (a->list)
            some.list = a->list + i;
        else
            some.from = a->from + i;
        some.count = a->count - i < step ? a->count - i : step;
        status = hsp__kernel_block_f64(ctx, &some, b, out + i * b->count, b->count, err);
        if (!status)
            status = hsp__progress(ctx, "computing kernel values", "rows", i + some.count, a->count,
                                   err);
    }
    return status;
}

hsp_status hsp_kernel_gram(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *a, hsp_data *b,
                           hsp_error *err, double *out)
{
    HSP__NEED(err, ctx, kernel, a, out);
    gram_side left = {NULL, NULL}, right = {NULL, NULL};
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_status status = gram_open(&own, kernel, a, !b, err, &left);
    if (!status && b) status = gram_open(&own, kernel, b, 1, err, &right);
    if (!status) {
        const hsp__kernel_rows *rows = left.rows, *others = b ? right.rows : left.rows;
        const hsp__kernel_pick from = {rows, NULL, 0, rows->view->rows};
        const hsp__kernel_pick to = {others, NULL, 0, others->view->rows};
        status = gram_lines(&own, &from, &to, out, err);
    }
    gram_close(ctx, &left);
    gram_close(ctx, &right);
    return status;
}

/* How many units in the last place (of the largest element) an element may be off. */
static double gram_units(const hsp__kernel_rows *rows, uint32_t at)
{
    const hsp__kernel_node *node = &rows->kernel->nodes[at];
    const double left = node->left == HSP__KERNEL_NONE ? 0 : gram_units(rows, node->left);
    const double right = node->right == HSP__KERNEL_NONE ? 0 : gram_units(rows, node->right);
    switch (node->op) {
    case HSP__KERNEL_POLY:
        return 4 * node->p;
    case HSP__KERNEL_RBF: /* the distance is a difference of norms */
        return 4 + 8 * node->p * rows->most;
    case HSP__KERNEL_PRECOMPUTED: /* as it was written down */
        return rows->view->precision == HSP_FLOAT32 ? (double)FLT_EPSILON / DBL_EPSILON : 4;
    case HSP__KERNEL_SUM:
        return 1 + fmax(left, right);
    case HSP__KERNEL_PRODUCT:
        return 1 + left + right;
    case HSP__KERNEL_POWER:
        return node->p * (1 + left);
    case HSP__KERNEL_NORMALIZE:
        return 4 + 2 * left;
    default:
        return 4 + left;
    }
}

hsp_status hsp__gram_new(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                         const uint64_t *rows, uint64_t count, hsp_error *err, hsp__gram *out)
{
    gram_side side;
    hsp__gram gram = {0};
    hsp_status status = gram_open(ctx, kernel, data, 1, err, &side);
    if (!status) {
        const uint64_t all = side.rows->view->rows;
        gram.n = rows ? count : all;
        assert(side.rows->kernel == kernel);
        for (uint64_t k = 0; rows && !status && k < count; k++)
            if (rows[k] >= all)
                status =
                    hsp__fail(err, HSP_USAGE, "row %llu does not exist; the data has %llu rows",
                              (unsigned long long)rows[k] + 1, (unsigned long long)all);
    }
    if (!status && gram.n > UINT32_MAX) status = hsp__fail_memory(err);
    if (!status) {
        gram.values = hsp__new_raw(&ctx->allocator, gram.n * gram.n, sizeof *gram.values);
        if (!gram.values) status = hsp__fail_memory(err);
    }
    if (!status) {
        const hsp__kernel_pick pick = {side.rows, rows, 0, gram.n};
        status = gram_lines(ctx, &pick, &pick, gram.values, err);
    }
    if (!status) {
        double most = 0;
        for (uint64_t i = 0; i < gram.n && !hsp__tick(ctx); i++)
            most = fmax(most, hsp__vec()->norminf_f64(gram.values + i * gram.n, (size_t)gram.n));
        gram.noise = DBL_EPSILON * most * gram_units(side.rows, kernel->root);
        assert(!(gram.noise < 0));
    }
    /* Equal up to the noise, and then equal: a precomputed matrix may be anything. */
    for (uint64_t i = 0; !status && i < gram.n && !hsp__tick(ctx); i++)
        for (uint64_t j = 0; !status && j < i; j++) {
            double *x = &gram.values[i * gram.n + j], *y = &gram.values[j * gram.n + i];
            if (!(fabs(*x - *y) <= 4 * gram.noise))
                status = gram_not_symmetric(rows ? rows[j] : j, rows ? rows[i] : i, *y, *x, err);
            *x = *y = *x / 2 + *y / 2;
        }
    if (!status) {
        status = hsp__stop_status(ctx, err);
    }
    gram_close(ctx, &side);
    if (status)
        hsp__gram_free(ctx, &gram);
    else
        *out = gram;
    return status;
}

void hsp__gram_free(hsp_context *ctx, hsp__gram *gram)
{
    hsp__free(&ctx->allocator, gram->values);
    gram->values = NULL;
}

/* ---- As a file ------------------------------------------------------------------------------- */

/* LIBSVM's text, some lines at a time: the matrix is never whole. */
static hsp_status gram_write_text(hsp_context *ctx, const hsp_data *data,
                                  const hsp__kernel_rows *rows, const hsp__kernel_rows *others,
                                  hsp__output *output, hsp_error *err)
{
    const uint64_t n = rows->view->rows, m = others->view->rows;
    const uint64_t step = GRAM_BLOCK / (m + 1) + 1;
    const hsp__kernel_pick to = {others, NULL, 0, m};
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    double *block = hsp__new_raw(&ctx->allocator, (step < n ? step : n) * m, sizeof *block);
    hsp_status status = block ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < n; i += step) {
        const hsp__kernel_pick some = {rows, NULL, i, n - i < step ? n - i : step};
        status = hsp__kernel_block_f64(ctx, &some, &to, block, m, err);
        for (uint64_t k = 0; !status && !hsp__tick(ctx) && k < some.count; k++) {
            const uint32_t *labels = data->view.labels;
            text.size = 0;
            hsp__text_puts(&text, labels ? hsp_data_class_name(data, labels[i + k]) : "0");
            hsp__text_printf(&text, " 0:%llu", (unsigned long long)(i + k) + 1);
            for (uint64_t j = 0; j < m; j++) {
                char *room = hsp__text_room(&text, (size_t)2 * HSP__DECIMAL_MAX);
                if (!room) break;
                size_t size = 0;
                room[size++] = ' ';
                size += hsp__decimal_print_u64(j + 1, room + size);
                room[size++] = ':';
                size += hsp__decimal_print_f64(block[k * m + j], room + size);
                text.size += size;
            }
            hsp__text_puts(&text, "\n");
            status = text.failed ? hsp__fail_memory(err)
                                 : hsp__output_write(output, text.data, text.size, err);
        }
        if (!status) status = hsp__progress(ctx, "writing", "rows", i + some.count, n, err);
    }
    hsp__free(&ctx->allocator, block);
    hsp__text_free(&text);
    return status;
}

/* A data set of the matrix, the rows' numbers in its first column. */
static hsp_status gram_data(hsp_context *ctx, const hsp_data *from, const hsp__kernel_rows *rows,
                            const hsp__kernel_rows *others, hsp_error *err, hsp_data **out)
{
    const uint64_t n = rows->view->rows, m = others->view->rows;
    const hsp__kernel_pick to = {others, NULL, 0, m};
    hsp_data *data = NULL;
    hsp_status status = hsp__data_shape(ctx, HSP_DENSE, HSP_FLOAT64, n, m + 1, 0,
                                        rows->view->labels != NULL, err, &data);
    if (status) return status;
    double *values = data->values;
    const uint64_t step = GRAM_BLOCK / (m + 1) + 1;
    for (uint64_t i = 0; !status && i < n; i += step) {
        const hsp__kernel_pick some = {rows, NULL, i, n - i < step ? n - i : step};
        status = hsp__kernel_block_f64(ctx, &some, &to, values + i * (m + 1) + 1, m + 1, err);
        if (!status)
            status = hsp__progress(ctx, "computing kernel values", "rows", i + some.count, n, err);
    }
    if (!status && !hsp__names_copy(&data->class_names, &from->class_names))
        status = hsp__fail_memory(err);
    for (uint64_t j = 0; !status && j <= m; j++) { /* columns row, k1, k2, ... */
        char name[HSP__DECIMAL_MAX + 1] = "k";
        uint32_t number;
        hsp__decimal_print_u64(j, name + 1);
        const char *given = j ? name : "row";
        if (!hsp__names_add(&data->feature_names, given, strlen(given), &number))
            status = hsp__fail_memory(err);
    }
    if (status) {
        hsp_data_free(data);
        return status;
    }
    for (uint64_t i = 0; i < n; i++)
        values[i * (m + 1)] = (double)(i + 1);
    if (data->labels && n) memcpy(data->labels, rows->view->labels, n * sizeof *data->labels);
    hsp__data_seal(data);
    for (uint64_t k = 0; k < n * (m + 1); k++)
        data->nonzeros += values[k] != 0;
    *out = data;
    return HSP_OK;
}

hsp_status hsp_kernel_gram_write(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *a,
                                 hsp_data *b, const char *path, const hsp_options *write,
                                 hsp_error *err)
{
    HSP__NEED(err, ctx, kernel, a, path);
    gram_side left = {NULL, NULL}, right = {NULL, NULL};
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    const char *format = write ? hsp_options_text(write, "to") : "auto";
    hsp_data *made = NULL;
    hsp__output *output = NULL;
    hsp_status status = gram_open(&own, kernel, a, !b, err, &left);
    if (!status && b) status = gram_open(&own, kernel, b, 1, err, &right);
    const hsp__kernel_rows *others = b ? right.rows : left.rows;
    if (strcmp(format, "auto") == 0) format = hsp__format_by_name(path);
    if (format && strcmp(format, "libsvm") != 0) {
        if (!status) status = gram_data(&own, a, left.rows, others, err, &made);
        if (!status) status = hsp_data_write(&own, made, path, write, err);
    } else {
        if (!status) status = hsp__libsvm_check_names(a, err);
        if (!status) status = hsp__output_open(&own, path, err, &output);
        if (!status) status = gram_write_text(&own, a, left.rows, others, output, err);
        if (!status) status = hsp__output_commit(output, err);
    }
    hsp_data_free(made);
    hsp__output_free(output);
    gram_close(ctx, &left);
    gram_close(ctx, &right);
    return status;
}
