#include "learn/input_checks.h"

#include <stdio.h>

#include "base/base.h"
#include "data/stream.h"
#include "data/sweep.h"
#include "learn/learner.h"
#include "learn/online/online.h"

#define INPUT_CHECKS_SLACK \
    1e-6 /* a column scaled to [0, 1] in single precision may end a bit beyond */
#define INPUT_CHECKS_NAME (HSP__QUOTED + 64)
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

/* ---- Words ----------------------------------------------------------------------------------- */

/* What a sentence about a value says first: its column as the file has it, a name, or a number that
 * counts from what the file counts from; and the value, with the digits that the file may have had. */
static const char *input_checks_found(const hsp__names *names, const char *index_base,
                                      const hsp_view *view, const hsp__input_checks *values,
                                      char text[INPUT_CHECKS_NAME])
{
    const int digits = view->precision == HSP_FLOAT32 ? 7 : 15;
    const uint64_t base = index_base && strcmp(index_base, "0") == 0 ? 0 : 1;
    const uint32_t j = (uint32_t)values->column;
    char quoted[HSP__QUOTED];
    if (names && values->column < names->count)
        snprintf(text, INPUT_CHECKS_NAME, "column '%s': found %.*g",
                 hsp__quote(hsp__names_get(names, j), hsp__names_size(names, j), quoted), digits,
                 values->value);
    else
        snprintf(text, INPUT_CHECKS_NAME, "column %llu: found %.*g",
                 (unsigned long long)(values->column + base), digits, values->value);
    return text;
}

hsp_status hsp__input_checks_check(hsp_context *ctx, const hsp_data *data,
                                   const hsp_options *options, const hsp__prepared *prepared,
                                   hsp_error *err)
{
    const hsp_data *rows = prepared->data;
    const int scaled = prepared->scalings[0] != NULL;
    const double slack = scaled ? INPUT_CHECKS_SLACK : 0;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    input_checks_sweep sweep = {.view = &rows->view, .parts = hsp__sweep_parts(rows)};
    sweep.each = hsp__scratch_new(&scratch, sweep.parts, sizeof *sweep.each);
    sweep.found = hsp__scratch_new(&scratch, sweep.parts, sizeof *sweep.found);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t part = 0; !status && part < sweep.parts; part++)
        sweep.each[part] = (hsp__input_checks){.least = -slack, .most = 1 + slack};
    if (!status)
        status = hsp__sweep(ctx, "checking", rows->view.rows, sweep.parts, input_checks_part,
                            &sweep, err);
    hsp__input_checks first = {.row = UINT64_MAX};
    for (uint64_t part = sweep.parts; !status && part-- > 0;)
        if (sweep.found[part]) first = sweep.each[part];
    hsp__scratch_free(&scratch);
    if (status || first.row == UINT64_MAX) return status;
    uint64_t *origin = NULL;
    char found[INPUT_CHECKS_NAME];
    HSP__TRY(hsp__prepare_origin(ctx, data, options, prepared, err, &origin));
    const uint64_t row = origin ? origin[first.row] : first.row;
    hsp__free(&ctx->allocator, origin);
    return hsp__fail_at(
        err, HSP_BAD_DATA, "", row + 1, 0,
        INPUT_CHECKS_ROW "%s%s, expected a value from 0 to 1: use --scale min-max%s",
        (unsigned long long)row + 1,
        input_checks_found(&data->feature_names, data->index_base, prepared->view, &first, found),
        scaled ? " after scaling" : "", scaled ? " alone" : "");
}

hsp_status hsp__input_checks_admit(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                   hsp_error *err)
{
    const hsp__learner *learner = hsp__learner_of(options);
    if (!learner || !learner->rule || !learner->rule->unit_values) return HSP_OK;
    hsp__prepared prepared = {0};
    HSP__TRY(hsp__prepare(ctx, data, options, NULL, err, &prepared));
    hsp_status status = hsp__input_checks_check(ctx, data, options, &prepared, err);
    hsp__prepared_free(&prepared);
    return status;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

hsp_status hsp__input_checks_check_block(const hsp_view *rows, int above, const hsp__names *names,
                                         const char *index_base, const char *advice, hsp_error *err)
{
    hsp__input_checks values = {.least = 0, .most = above ? HUGE_VAL : 1};
    char found[INPUT_CHECKS_NAME];
    if (!hsp__input_checks_find(rows, 0, rows->rows, &values)) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, "", values.row + 1, 0, "%s, expected a value %s: %s",
                        input_checks_found(names, index_base, rows, &values, found),
                        above ? "from 0 up" : "from 0 to 1", advice);
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
