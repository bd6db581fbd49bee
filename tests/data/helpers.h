/* What tests of the data room share: contexts, parsing from a string, comparing data sets. */
#ifndef HSP_TESTS_DATA_HELPERS_H
#define HSP_TESTS_DATA_HELPERS_H

#include "base/context.h"
#include "check.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "options.h"

static inline hsp_context *test_context(int threads, size_t block_bytes)
{
    hsp_context *ctx = NULL;
    if (hsp_context_new(NULL, &ctx)) abort();
    hsp_context_set_threads(ctx, threads);
    if (block_bytes) ctx->block_bytes = block_bytes;
    return ctx;
}

/* Options of reading from "name=value" texts, ended by NULL. */
static inline hsp_options *test_read_options(hsp_context *ctx, const char *const *settings)
{
    return test_options_words(ctx, hsp_read_options(), settings);
}

/* Parse text; NULL on failure, with the error filled. */
static inline hsp_data *test_parse_sized(hsp_context *ctx, const char *text, size_t size,
                                         const char *const *settings, hsp_error *err)
{
    hsp_data *data = NULL;
    hsp_options *options = test_read_options(ctx, settings);
    hsp_data_parse(ctx, text, size, "test", options, NULL, err, &data);
    hsp_options_free(options);
    return data;
}

static inline hsp_data *test_parse(hsp_context *ctx, const char *text, const char *const *settings,
                                   hsp_error *err)
{
    return test_parse_sized(ctx, text, strlen(text), settings, err);
}

static inline double test_at(const hsp_data *data, uint64_t i, uint64_t j)
{
    hsp__row row = hsp__view_row(&data->view, i);
    for (uint64_t k = 0; k < row.count; k++)
        if (hsp__row_column(&row, k) == j) return hsp__row_value(&data->view, &row, k);
    return 0;
}

static inline const char *test_label(const hsp_data *data, uint64_t i)
{
    return hsp_data_class_name(data, data->view.labels[i]);
}

/* The same rows, labels and names, to the bit; the same storage too when `exact`. */
static inline int test_same(const hsp_data *a, const hsp_data *b, int exact)
{
    const hsp_view *u = &a->view, *v = &b->view;
    if (u->rows != v->rows || u->cols != v->cols || u->classes != v->classes) return 0;
    if (exact && (u->storage != v->storage || u->precision != v->precision)) return 0;
    if (a->nonzeros != b->nonzeros || !u->labels != !v->labels) return 0;
    for (uint32_t c = 0; c < u->classes; c++)
        if (strcmp(hsp_data_class_name(a, c), hsp_data_class_name(b, c)) != 0) return 0;
    for (uint64_t i = 0; i < u->rows; i++) {
        if (u->labels && u->labels[i] != v->labels[i]) return 0;
        hsp__row x = hsp__view_row(u, i), y = hsp__view_row(v, i);
        uint64_t k = 0, l = 0;
        for (;;) { /* zeros of dense rows do not count */
            while (k < x.count && hsp__row_value(u, &x, k) == 0)
                k++;
            while (l < y.count && hsp__row_value(v, &y, l) == 0)
                l++;
            if (k == x.count || l == y.count) break;
            double p = hsp__row_value(u, &x, k), q = hsp__row_value(v, &y, l);
            if (hsp__row_column(&x, k++) != hsp__row_column(&y, l++)) return 0;
            if (memcmp(&p, &q, sizeof p) != 0) return 0;
        }
        if (k != x.count || l != y.count) return 0;
    }
    return 1;
}

#endif
