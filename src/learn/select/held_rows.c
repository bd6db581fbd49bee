#include "learn/select/held_rows.h"

#include "base/base.h"
#include "base/decimal.h"
#include "data/formats.h"
#include "data/output.h"

#define HELD_ROWS_BLOCK 4096 /* rows of text made at a time */

typedef struct held_rows_job {
    const hsp__folds *folds;
    const hsp_view *view;
    const hsp__held_rows *held;
    int chances; /* there are probabilities */
} held_rows_job;

hsp_status hsp__held_rows_new(hsp_context *ctx, const hsp__folds *folds, hsp_error *err,
                              hsp__held_rows *out)
{
    const uint32_t classes = folds->class_names.count;
    const uint64_t rows = folds->total;
    out->columns = classes == 2 ? 1 : classes;
    out->predicted = hsp__new(&ctx->allocator, rows, sizeof *out->predicted);
    out->ranking = hsp__new(&ctx->allocator, rows * out->columns, sizeof *out->ranking);
    out->probability = hsp__new(&ctx->allocator, rows * classes, sizeof *out->probability);
    if (!out->predicted || !out->ranking || !out->probability) {
        hsp__held_rows_free(&ctx->allocator, out);
        return hsp__fail_memory(err);
    }
    return HSP_OK;
}

void hsp__held_rows_free(const hsp_allocator *memory, hsp__held_rows *held)
{
    hsp__free(memory, held->predicted);
    hsp__free(memory, held->ranking);
    hsp__free(memory, held->probability);
    *held = (hsp__held_rows){0};
}

static void held_rows_numbers(hsp__text *text, const double *numbers, uint64_t count)
{
    char number[HSP__DECIMAL_MAX];
    for (uint64_t c = 0; c < count; c++) {
        hsp__text_puts(text, ",");
        if (!isnan(numbers[c]))
            hsp__text_add(text, number, hsp__decimal_print_f64(numbers[c], number));
    }
}

static void held_rows_make(void *user, uint64_t from, uint64_t to, uint64_t slot, hsp__text *text)
{
    const held_rows_job *job = user;
    const hsp__held_rows *held = job->held;
    const hsp__names *names = &job->folds->class_names;
    (void)slot;
    for (uint64_t i = from; i < to; i++) {
        const uint32_t fold = hsp__folds_holds(job->folds, i), predicted = held->predicted[i];
        if (fold == HSP__FOLD_NONE) continue;
        hsp__text_printf(text, "%llu,%u,", (unsigned long long)i + 1, (unsigned)fold + 1);
        hsp__csv_write_field(
            text, hsp__names_get(names, job->folds->class_of[job->view->labels[i]]), ',');
        hsp__text_puts(text, ",");
        if (predicted != HSP_NO_CLASS)
            hsp__csv_write_field(text, hsp__names_get(names, predicted), ',');
        if (held->columns == 1 || !job->chances)
            held_rows_numbers(text, held->ranking + i * held->columns, held->columns);
        if (job->chances)
            held_rows_numbers(text, held->probability + i * names->count, names->count);
        hsp__text_puts(text, "\n");
    }
}

/* "prefix NAME" for each class. */
static void held_rows_heads(hsp__text *text, hsp__text *room, const char *prefix,
                            const hsp__names *names)
{
    for (uint32_t c = 0; c < names->count; c++) {
        room->size = 0;
        hsp__text_printf(room, "%s %s", prefix, hsp__names_get(names, c));
        hsp__text_puts(text, ",");
        if (!room->failed) hsp__csv_write_field(text, room->data, ',');
        text->failed |= room->failed;
    }
}

hsp_status hsp__held_rows_write(hsp_context *ctx, const hsp__folds *folds, const hsp_view *view,
                                const hsp__held_rows *held, const char *path, hsp_error *err)
{
    const uint64_t numbers = folds->total * folds->class_names.count;
    held_rows_job job = {folds, view, held, 0};
    hsp__output *output = NULL;
    hsp__text head, room;
    for (uint64_t i = 0; i < numbers && !job.chances; i++)
        job.chances = !isnan(held->probability[i]) &&
                      hsp__folds_holds(folds, i / folds->class_names.count) != HSP__FOLD_NONE;
    HSP__TRY(hsp__output_open(ctx, path, err, &output));
    hsp__text_init(&head, &ctx->allocator);
    hsp__text_init(&room, &ctx->allocator);
    hsp__text_puts(&head, "row,fold,label,predicted");
    if (held->columns == 1)
        hsp__text_puts(&head, ",score");
    else if (!job.chances)
        held_rows_heads(&head, &room, "score", &folds->class_names);
    if (job.chances) held_rows_heads(&head, &room, "probability", &folds->class_names);
    hsp__text_puts(&head, "\n");
    hsp_status status = hsp__output_text(output, &head, err);
    if (!status)
        status = hsp__output_rows(ctx, output, "writing", folds->total, HELD_ROWS_BLOCK,
                                  held_rows_make, &job, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    hsp__text_free(&head);
    hsp__text_free(&room);
    return status;
}
