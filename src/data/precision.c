#include "data/precision.h"

#include <stdio.h>

#include "base/base.h"
#include "data/convert_storage.h"
#include "data/decimal_value.h"

#define PRECISION_NARROW 0x1p-12 /* of the largest value */
#define PRECISION_DIGITS DBL_DIG /* that every double keeps */
#define PRECISION_WHERE  80      /* bytes of a column's name in a sentence */

hsp__reading hsp__reading_first(const hsp_options *options, const hsp__source *source)
{
    const char *asked = hsp_options_text(options, "precision");
    const int mixed = strcmp(asked, "mixed") == 0;
    hsp__reading reading = {HSP__KEEP_DOUBLE, HSP__WATCH_NONE, HSP__REWRITE_NONE};
    if (strcmp(asked, "single") == 0) {
        reading.keep = HSP__KEEP_SINGLE;
    } else if (mixed || strcmp(asked, "auto") == 0) {
        reading.keep = source && source->rewinds ? HSP__KEEP_SINGLE
                       : mixed                   ? HSP__KEEP_MIXED
                                                 : HSP__KEEP_DOUBLE;
        if (source || !mixed) reading.watch = mixed ? HSP__WATCH_NUMBERS : HSP__WATCH_COLUMNS;
    } else if (source && strcmp(asked, "decimals") == 0) {
        reading.rewrite = source->again ? HSP__REWRITE_FILE : HSP__REWRITE_PIPE;
    } else if (source && source->provenance) { /* "double" or "digits" (hsp_read_keep_digits) */
        reading.rewrite = HSP__REWRITE_KEEP;
    }
    return reading;
}

hsp__reading hsp__reading_again(const hsp_options *options)
{
    const int mixed = strcmp(hsp_options_text(options, "precision"), "mixed") == 0;
    return (hsp__reading){mixed ? HSP__KEEP_MIXED : HSP__KEEP_DOUBLE, HSP__WATCH_NONE,
                          HSP__REWRITE_NONE};
}

hsp__reading hsp__reading_onward(hsp__reading reading, hsp_status found)
{
    if (reading.watch != HSP__WATCH_NONE && !found) reading.keep = HSP__KEEP_MIXED;
    reading.watch = HSP__WATCH_NONE;
    return reading;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* "column 'ts'" or "column 3". */
static const char *precision_column(uint64_t number, const char *name, char text[PRECISION_WHERE])
{
    if (name)
        snprintf(text, PRECISION_WHERE, "column '%.60s'", name);
    else
        snprintf(text, PRECISION_WHERE, "column %llu", (unsigned long long)number);
    return text;
}

hsp_status hsp__losses_note(hsp__digit_losses *losses, const hsp__reading *reading, uint64_t block,
                            uint64_t column, const char *name, const char *text, size_t size,
                            hsp__decimal_result result, hsp_error *err)
{
    char where[PRECISION_WHERE], why[HSP__WHY], quoted[HSP__QUOTED], printed[HSP__DECIMAL_MAX];
    double value = 0;
    hsp__decimal_result unused;
    losses->tiny += result == HSP__DECIMAL_TINY;
    if (!hsp__long_decimals_add(&losses->longs, losses->row, column, text, size))
        return hsp__fail_memory(err);
    int rounded = result == HSP__DECIMAL_ROUNDED;
    if (reading->rewrite == HSP__REWRITE_PIPE) { /* is it printed with another value? */
        hsp__decimal_f64(text, text + size, &value, &unused);
        const hsp__decimal_value now = hsp__decimal_value_of(text, size);
        const hsp__decimal_value then =
            hsp__decimal_value_of(printed, hsp__decimal_print_f64(value, printed));
        rounded = !hsp__decimal_value_same(&now, &then);
    }
    if (rounded && (!losses->rounded++ || column < losses->column)) losses->column = column;
    losses->here = 1;
    if (reading->watch == HSP__WATCH_NONE || (losses->block && losses->block <= block + 1))
        return HSP_OK;
    hsp__decimal_f64(text, text + size, &value, &unused);
    hsp__quote(text, size, quoted);
    precision_column(column, name, where);
    snprintf(why, sizeof why, "%s has numbers %s (such as %.40s)", where,
             fabs(value) >= 0x1p24 && fabs(value) <= (double)FLT_MAX
                 ? "beyond 16777216 that 32 bits do not hold"
                 : "outside the range of 32 bits",
             quoted);
    if (reading->keep == HSP__KEEP_SINGLE) return hsp__fail(err, HSP__NEEDS_DOUBLE, "%s", why);
    losses->block = block + 1;
    memcpy(losses->why, why, sizeof why);
    return HSP_OK;
}

void hsp__rounded_twice(const char *text, const char *end, double value, hsp__decimal_result *r)
{
    hsp__decimal_result unused;
    float single;
    hsp__decimal_f32(text, end, &single, &unused);
    if (*r == HSP__DECIMAL_OK && (float)value != single) *r = HSP__DECIMAL_LOSSY;
}

void hsp__losses_add(hsp__digit_losses *all, const hsp__digit_losses *worker)
{
    all->tiny += worker->tiny;
    if (worker->rounded && (!all->rounded || worker->column < all->column))
        all->column = worker->column;
    all->rounded += worker->rounded;
    if (!worker->block || (all->block && all->block <= worker->block)) return;
    all->block = worker->block;
    memcpy(all->why, worker->why, sizeof all->why);
}

void hsp__losses_tell(hsp_context *ctx, const char *file, hsp_precision precision,
                      const hsp__reading *reading, const hsp__digit_losses *all, const char *column)
{
    char where[PRECISION_WHERE];
    if (reading->rewrite == HSP__REWRITE_FILE) return;
    if (reading->rewrite == HSP__REWRITE_PIPE) {
        if (all->rounded)
            hsp__log(ctx, HSP_LOG_WARNING,
                     "%s: %llu number%s written with other digits (the first in %s): double "
                     "precision does not hold all digits, and this input cannot be read twice; "
                     "give a file by its name to keep every digit",
                     file, (unsigned long long)all->rounded, all->rounded == 1 ? " is" : "s are",
                     precision_column(all->column, column, where));
        return;
    }
    if (all->tiny)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "%s: %llu number%s too small for %s precision and became 0%s", file,
                 (unsigned long long)all->tiny, all->tiny == 1 ? " is" : "s are",
                 precision == HSP_FLOAT64 ? "double" : "single",
                 precision == HSP_FLOAT64 ? "" : " (--precision double keeps more of them)");
    if (all->rounded && precision == HSP_FLOAT64)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "%s: %llu large number%s more digits than double precision holds (the first in "
                 "%s) and became the nearest that it does%s",
                 file, (unsigned long long)all->rounded, all->rounded == 1 ? " has" : "s have",
                 precision_column(all->column, column, where),
                 column ? "; identifiers can be left out (--ignore) or read as categories "
                          "(--categorical)"
                        : "");
    else if (all->digits > PRECISION_DIGITS && precision == HSP_FLOAT64)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: some numbers have more than %d digits; each became the nearest that double "
                 "precision holds",
                 file, PRECISION_DIGITS);
}

void hsp__tell_double(hsp_context *ctx, const char *file, const char *why)
{
    if (*why)
        hsp__log(ctx, HSP_LOG_NOTE, "%s: numbers are kept in double precision: %s", file, why);
}

/* ---- Columns --------------------------------------------------------------------------------- */

void hsp__spread_free(hsp__spread *spread, const hsp_allocator *memory)
{
    hsp__free(memory, spread->columns);
    *spread = (hsp__spread){0};
}

int hsp__spread_begin(hsp__spread *spread, const hsp_allocator *memory, const uint32_t *columns,
                      uint32_t count)
{
    if (!hsp__reserve(memory, &spread->columns, &spread->room, count, sizeof *spread->columns))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        spread->columns[i] =
            (hsp__spread_column){.column = columns[i], .at = i, .min = INFINITY, .max = -INFINITY};
    spread->count = count;
    spread->begun = 1;
    return 1;
}

static inline void precision_see(hsp__spread_column *column, float value)
{
    if (value < column->min) column->min = value;
    if (value > column->max) column->max = value;
    column->fraction |= value != truncf(value);
}

static inline float precision_value(hsp_precision precision, const void *values, uint64_t k)
{
    return precision == HSP_FLOAT32 ? ((const float *)values)[k]
                                    : (float)((const double *)values)[k];
}

/* Narrow, or without values. The difference of two floats is exact in a double, or far above. */
static inline int precision_narrow(const hsp__spread_column *column)
{
    const double min = (double)column->min, max = (double)column->max;
    return !(max - min >= PRECISION_NARROW * (fabs(min) > fabs(max) ? fabs(min) : fabs(max)));
}

void hsp__spread_dense(hsp__spread *spread, hsp_precision precision, const void *values,
                       uint64_t rows, uint64_t stride)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < spread->count; c++) {
        hsp__spread_column column = spread->columns[c];
        int narrow = 1;
        for (uint64_t i = 0; narrow && i < rows; i++) {
            const float value = precision_value(precision, values, i * stride + column.column);
            if (isnan(value)) continue;
            precision_see(&column, value);
            narrow = precision_narrow(&column);
        }
        if (narrow) spread->columns[kept++] = column;
    }
    spread->count = kept;
}

/* The entry of a column in a sparse row; `count` when it is not there. */
static uint32_t precision_find(const uint32_t *indices, uint32_t count, uint32_t index,
                               uint32_t guess)
{
    if (guess < count && indices[guess] == index) return guess;
    uint32_t from = 0, to = count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (indices[middle] < index)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && indices[from] == index ? from : count;
}

int hsp__spread_sparse(hsp__spread *spread, const hsp_allocator *memory, hsp_precision precision,
                       const void *values, const uint32_t *indices, const uint32_t *lengths,
                       uint64_t rows, uint32_t base)
{
    if (!spread->begun && rows) {
        if (!hsp__spread_begin(spread, memory, indices, lengths[0])) return 0;
        for (uint32_t c = 0; c < spread->count; c++)
            spread->columns[c].column += base;
    }
    uint64_t first = 0;
    for (uint64_t i = 0; i < rows && spread->count; first += lengths[i++]) {
        uint32_t kept = 0;
        for (uint32_t c = 0; c < spread->count; c++) {
            hsp__spread_column column = spread->columns[c];
            column.at =
                precision_find(indices + first, lengths[i], column.column - base, column.at);
            if (column.at == lengths[i]) continue; /* a zero, and others */
            precision_see(&column, precision_value(precision, values, first + column.at));
            if (precision_narrow(&column)) spread->columns[kept++] = column;
        }
        spread->count = kept;
    }
    return 1;
}

int hsp__spread_add(hsp__spread *all, const hsp_allocator *memory, const hsp__spread *worker)
{
    if (!worker->begun) return 1;
    if (!all->begun) {
        if (!hsp__reserve(memory, &all->columns, &all->room, worker->count, sizeof *all->columns))
            return 0;
        if (worker->count)
            memcpy(all->columns, worker->columns, worker->count * sizeof *all->columns);
        all->count = worker->count;
        all->begun = 1;
        return 1;
    }
    uint32_t kept = 0;
    for (uint32_t a = 0, b = 0; a < all->count && b < worker->count; a++) {
        hsp__spread_column column = all->columns[a];
        while (b < worker->count && worker->columns[b].column < column.column)
            b++;
        if (b == worker->count || worker->columns[b].column != column.column) continue;
        const hsp__spread_column *other = &worker->columns[b];
        column.min = fminf(column.min, other->min);
        column.max = fmaxf(column.max, other->max);
        column.fraction |= other->fraction;
        if (precision_narrow(&column)) all->columns[kept++] = column;
    }
    all->count = kept;
    return 1;
}

int hsp__spread_needs_double(const hsp__spread_column *column, hsp__decimal_widest widest)
{
    if (column->min > column->max || !precision_narrow(column)) return 0;
    const int same = column->min == column->max;
    return widest > HSP__DECIMAL_SHORT || (!same && column->fraction);
}

hsp_status hsp__spread_fail(const hsp__spread_column *column, uint64_t number, const char *name,
                            hsp_error *err)
{
    char where[PRECISION_WHERE];
    return hsp__fail(
        err, HSP__NEEDS_DOUBLE,
        "the values of %s, from about %.6g to %.6g, are too close together for 32 bits",
        precision_column(number, name, where), (double)column->min, (double)column->max);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

typedef struct precision_met {
    hsp__digit_losses losses;
    int begun; /* of the spread */
} precision_met;

hsp_status hsp__precision_agree(const hsp_ranks *ranks, const hsp_allocator *memory,
                                hsp_status status, hsp__decimal_widest *widest, uint64_t count,
                                hsp__digit_losses *losses, hsp__spread *spread, hsp_error *err)
{
    const precision_met mine = {*losses, spread->begun};
    uint64_t at[HSP__BLOCKS + 1];
    void *widths = NULL, *mets = NULL, *columns = NULL;
    hsp__spread all = {0};
    if (!ranks) return status;
    status = hsp__ranks_agree(ranks, status, err);
    if (!status)
        status =
            hsp__ranks_collect(ranks, memory, widest, count * sizeof *widest, err, at, &widths);
    for (uint64_t k = 0; !status && k < count * (uint64_t)ranks->count; k++) {
        const hsp__decimal_widest its = ((const hsp__decimal_widest *)widths)[k];
        if (its > widest[k % count]) widest[k % count] = its;
    }
    if (!status) status = hsp__ranks_collect(ranks, memory, &mine, sizeof mine, err, at, &mets);
    if (!status)
        status = hsp__ranks_collect(ranks, memory, spread->columns,
                                    spread->count * sizeof *spread->columns, err, at, &columns);
    if (!status) *losses = (hsp__digit_losses){0};
    for (int r = 0; !status && r < ranks->count; r++) {
        const precision_met *met = (const precision_met *)mets + r;
        const hsp__spread its = {.columns =
                                     (hsp__spread_column *)columns + at[r] / sizeof *its.columns,
                                 .count = (uint32_t)((at[r + 1] - at[r]) / sizeof *its.columns),
                                 .begun = met->begun};
        hsp__losses_add(losses, &met->losses);
        if (!hsp__spread_add(&all, memory, &its)) status = hsp__fail_memory(err);
    }
    hsp__spread_free(spread, memory);
    *spread = all;
    hsp__free(memory, widths);
    hsp__free(memory, mets);
    hsp__free(memory, columns);
    return hsp__ranks_agree(ranks, status, err);
}

/* ---- The data set ---------------------------------------------------------------------------- */

void hsp__narrow(void *values, uint64_t count)
{
    char *bytes = values;
    for (uint64_t k = 0; k < count; k++) {
        double wide;
        memcpy(&wide, bytes + k * sizeof wide, sizeof wide);
        const float single = (float)wide;
        memcpy(bytes + k * sizeof single, &single, sizeof single);
    }
}

void hsp__data_narrow(hsp_data *data)
{
    hsp_view *view = &data->view;
    const uint64_t count =
        view->storage == HSP_DENSE ? view->rows * view->stride : hsp_view_stored(view);
    if (data->values) {
        hsp__narrow(data->values, count);
        void *less = hsp__resize(&data->memory, data->values, count, sizeof(float));
        if (less) data->values = less;
        view->values = data->values;
    }
    view->precision = HSP_FLOAT32;
}

/* May every value become a float by rule 1? */
static int precision_fits_single(hsp_context *ctx, const hsp_view *view)
{
    for (uint64_t i = 0; i < view->rows; i++) {
        if (i % 64 == 0 && hsp__tick(ctx)) return 0; /* the reader sees the stop as well */
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double v = fabs(hsp__row_value(view, &row, k));
            if (v > 0x1p24 && v == floor(v) && (double)(float)v != v) return 0;
            if (v != 0 && v < (double)FLT_MIN) return 0;
        }
    }
    return 1;
}

hsp_precision hsp__restore_precision(hsp_context *ctx, const hsp_options *options,
                                     const hsp_view *view)
{
    const char *asked = hsp_options_text(options, "precision");
    if (strcmp(asked, "double") == 0) return HSP_FLOAT64;
    if (strcmp(asked, "single") == 0) return HSP_FLOAT32;
    if (strcmp(asked, "mixed") == 0 && precision_fits_single(ctx, view)) return HSP_FLOAT32;
    return view->precision;
}

hsp_status hsp__data_change(hsp_context *ctx, hsp_data *data, hsp_storage storage,
                            hsp_precision precision, hsp_error *err, hsp_data **out)
{
    const hsp__storage_change plan = {.storage = storage,
                                      .precision = precision,
                                      .cols = data->view.cols,
                                      .phase = "changing the storage"};
    *out = data;
    if (storage == data->view.storage && precision == data->view.precision) return HSP_OK;
    *out = NULL;
    return hsp__data_convert_storage(ctx, data, &plan, err, out);
}
