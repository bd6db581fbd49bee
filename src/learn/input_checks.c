#include "learn/input_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/stream.h"
#include "data/sweep.h"
#include "learn/option_helpers.h"
#include "learn/learner.h"
#include "learn/online/online.h"

#define INPUT_CHECKS_SLACK \
    1e-6 /* a column scaled to [0, 1] in single precision may end a bit beyond */
#define INPUT_CHECKS_NAME (HSP__QUOTED + 32)
#define INPUT_CHECKS_ROW  "row %llu, " /* how a sentence about a row begins */

int hsp__input_checks_find(const hsp_view *view, uint64_t from, uint64_t to,
                           hsp__input_checks *values)
{
    if (view->storage == HSP_ONES) return 0;
    for (uint64_t i = from; i < to; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(view, &row, k);
            if (x >= values->least && x <= values->most) continue;
            values->row = i;
            values->column = hsp__row_column(&row, k);
            values->value = x;
            return 1;
        }
    }
    return 0;
}

/* ---- Whole data sets ------------------------------------------------------------------------- */

typedef struct input_checks_sweep {
    const hsp_view *view;
    uint64_t parts;
    hsp__input_checks *each; /* parts */
    unsigned char *found;    /* parts */
} input_checks_sweep;

static void input_checks_part(void *user, uint64_t part)
{
    input_checks_sweep *sweep = user;
    const uint64_t rows = sweep->view->rows;
    sweep->found[part] =
        hsp__input_checks_find(sweep->view, hsp__part(rows, sweep->parts, part),
                               hsp__part(rows, sweep->parts, part + 1), &sweep->each[part]) != 0;
}

/* The first of all rows; *found says whether there is one. */
static hsp_status input_checks_sweep_all(hsp_context *ctx, const hsp_data *data,
                                         hsp__input_checks *values, int *found, hsp_error *err)
{
    input_checks_sweep sweep = {.view = &data->view, .parts = hsp__sweep_parts(data)};
    sweep.each = hsp__new(&ctx->allocator, sweep.parts, sizeof *sweep.each);
    sweep.found = hsp__new(&ctx->allocator, sweep.parts, sizeof *sweep.found);
    hsp_status status = sweep.each && sweep.found ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t part = 0; !status && part < sweep.parts; part++)
        sweep.each[part] = *values;
    if (!status)
        status = hsp__sweep(ctx, "checking", data->view.rows, sweep.parts, input_checks_part,
                            &sweep, err);
    for (uint64_t part = sweep.parts; !status && part-- > 0;) {
        if (!sweep.found[part]) continue;
        *values = sweep.each[part];
        *found = 1;
    }
    hsp__free(&ctx->allocator, sweep.each);
    hsp__free(&ctx->allocator, sweep.found);
    return status;
}

/* Digits to print a value with: those that its file may have had. */
static int input_checks_digits(const hsp_view *view)
{
    return view->precision == HSP_FLOAT32 ? 7 : 15;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The column as its file has it: a name, or a number that counts from what the file counts from. */
static const char *input_checks_column(const hsp__names *names, const char *index_base,
                                       uint64_t column, char text[INPUT_CHECKS_NAME])
{
    if (names && column < names->count) {
        char quoted[HSP__QUOTED];
        const uint32_t j = (uint32_t)column;
        hsp__quote(hsp__names_get(names, j), hsp__names_size(names, j), quoted);
        snprintf(text, INPUT_CHECKS_NAME, "column '%s'", quoted);
    } else {
        const uint64_t base = index_base && strcmp(index_base, "0") == 0 ? 0 : 1;
        snprintf(text, INPUT_CHECKS_NAME, "column %llu", (unsigned long long)(column + base));
    }
    return text;
}

hsp_status hsp__input_checks_check(hsp_context *ctx, const hsp_data *data,
                                   const hsp_options *options, const hsp__prepared *prepared,
                                   hsp_error *err)
{
    const int scaled = prepared->scalings[0] != NULL;
    const double slack = scaled ? INPUT_CHECKS_SLACK : 0;
    hsp__input_checks values = {.least = -slack, .most = 1 + slack};
    int found = 0;
    hsp_status status = input_checks_sweep_all(ctx, prepared->data, &values, &found, err);
    if (status || !found) return status;
    uint64_t *origin = NULL;
    char column[INPUT_CHECKS_NAME];
    HSP__TRY(hsp__prepare_origin(ctx, data, options, prepared, err, &origin));
    const uint64_t row = origin ? origin[values.row] : values.row;
    hsp__free(&ctx->allocator, origin);
    return hsp__fail_at(
        err, HSP_BAD_DATA, "", row + 1, 0,
        INPUT_CHECKS_ROW "%s: found %.*g%s, expected a value from 0 to 1: %s",
        (unsigned long long)row + 1,
        input_checks_column(&data->feature_names, data->index_base, values.column, column),
        input_checks_digits(prepared->view), values.value, scaled ? " after scaling" : "",
        scaled ? "use --scale min-max alone" : "use --scale min-max");
}

hsp_status hsp__input_checks_admit(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                   hsp_error *err)
{
    const hsp__learner *learner = hsp__learner_of(options);
    if (!learner || !learner->rule || !learner->rule->unit_values) return HSP_OK;
    hsp__prepared prepared = {0};
    HSP__TRY(hsp__prepare(ctx, data, options, err, &prepared));
    hsp_status status = hsp__input_checks_check(ctx, data, options, &prepared, err);
    hsp__prepared_free(&prepared);
    return status;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

hsp_status hsp__input_checks_check_block(const hsp_view *rows, int above, const hsp__names *names,
                                         const char *index_base, const char *advice, hsp_error *err)
{
    hsp__input_checks values = {.least = 0, .most = above ? HUGE_VAL : 1};
    char column[INPUT_CHECKS_NAME];
    if (!hsp__input_checks_find(rows, 0, rows->rows, &values)) return HSP_OK;
    return hsp__fail_at(
        err, HSP_BAD_DATA, "", values.row + 1, 0, "%s: found %.*g, expected a value %s: %s",
        input_checks_column(names, index_base, values.column, column), input_checks_digits(rows),
        values.value, above ? "from 0 up" : "from 0 to 1", advice);
}

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct input_checks_place {
    uint64_t row, passed; /* the row that is wanted, from 0; how many went by */
} input_checks_place;

static hsp_status input_checks_work(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    input_checks_place *place = self;
    const uint64_t first = place->passed;
    (void)worker;
    place->passed += rows->rows;
    if (place->row >= place->passed) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, "", place->row - first + 1, 0, "this is the row");
}

static hsp_status input_checks_take(void *self, int worker, const hsp_view *rows, hsp_error *err)
{
    (void)self;
    (void)worker;
    (void)rows;
    (void)err;
    return HSP_OK;
}

/* The file goes by again, one block after the other, up to the row. */
hsp_status hsp_train_locate(hsp_context *ctx, const char *path, const hsp_options *read,
                            const hsp_encoding *encoding, hsp_error *err)
{
    HSP__NEED(err, ctx, path);
    static const hsp__row_sink sink = {.work = input_checks_work, .take = input_checks_take};
    hsp_context quiet = hsp__quiet(ctx); /* what there is to say of the file was said */
    hsp_error found = {0};
    hsp__names classes;
    char begins[40];
    if (!err || err->file[0] || !err->line) return HSP_OK;
    const size_t size =
        (size_t)snprintf(begins, sizeof begins, INPUT_CHECKS_ROW, (unsigned long long)err->line);
    input_checks_place place = {.row = err->line - 1};
    hsp__names_init(&classes, &ctx->allocator);
    hsp_status status =
        hsp__stream_read(&quiet, path, read, encoding, &classes, &sink, &place, &found);
    hsp__names_free(&classes);
    if (status != HSP_BAD_DATA || !found.line || place.row >= place.passed) return status;
    memcpy(err->file, found.file, sizeof err->file);
    err->line = found.line;
    if (strncmp(err->message, begins, size) == 0)
        memmove(err->message, err->message + size, strlen(err->message + size) + 1);
    return HSP_BAD_DATA;
}
