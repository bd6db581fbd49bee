/* Records that cannot be read, under --on-error skip: kept with the reason, counted, and written to
 * the file of rejects. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/base.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/output.h"

int hsp__bad_add(hsp__csv_bad *bad, const hsp_allocator *memory, uint64_t before, uint64_t line,
                 const char *why, const char *from, size_t size)
{
    if (!hsp__reserve(memory, &bad->rows, &bad->room, bad->count + 1, sizeof *bad->rows)) return 0;
    bad->rows[bad->count++] = (hsp__bad_row){.before = before, .line = line, .size = size};
    hsp__text_add(&bad->texts, why, strlen(why) + 1);
    hsp__text_add(&bad->texts, from, size);
    return !bad->texts.failed;
}

int hsp__csv_reject(hsp__csv_worker *worker, const hsp_allocator *memory, hsp__csv_cursor *cursor,
                    const char *from, uint64_t line, const char *why)
{
    cursor->at = cursor->line_start = from;
    cursor->line = line;
    hsp__csv_skip_record(cursor);
    return hsp__bad_add(&worker->bad, memory, worker->rows.rows, line, why, from,
                        (size_t)(cursor->at - from));
}

/* libsvm text: a comment, and the line as it is. */
static void rejects_put_line(hsp__text *text, const char *file, const hsp__bad_row *row)
{
    hsp__text_printf(text, "# %s:%llu: %s\n", file, (unsigned long long)row->line, row->message);
    hsp__text_add(text, row->record, row->size);
    if (!row->size || row->record[row->size - 1] != '\n') hsp__text_add(text, "\n", 1);
}

/* CSV: one line of the file of rejects; of several files, the reason begins with the file. */
static void rejects_put(hsp__text *text, char separator, const char *file, const hsp__bad_row *row)
{
    hsp__text reason;
    hsp__text_init(&reason, &text->memory);
    hsp__text_printf(&reason, "%s%s%s", file ? file : "", file ? ": " : "", row->message);
    hsp__text_printf(text, "%llu%c", (unsigned long long)row->line, separator);
    if (!reason.failed) hsp__csv_put(text, reason.data, reason.size, separator, 1);
    text->failed |= reason.failed;
    hsp__text_free(&reason);
    hsp__text_add(text, &separator, 1);
    hsp__text_add(text, row->record, row->size);
    if (row->record[row->size - 1] != '\n') hsp__text_add(text, "\n", 1);
}

hsp_status hsp__bad_take(hsp_context *ctx, hsp__csv_bad *bad, const hsp__rejects_how *how,
                         const hsp__blocks *run, hsp__csv_rejects *rejects, hsp_error *err)
{
    const char *at = bad->texts.data, *file = hsp__blocks_file(run);
    if (!hsp__reserve(&ctx->allocator, &rejects->places, &rejects->room,
                      rejects->count + bad->count, sizeof *rejects->places))
        return hsp__fail_memory(err);
    for (uint64_t i = 0; i < bad->count; i++) {
        hsp__bad_row *row = &bad->rows[i];
        row->line += hsp__blocks_first_line(run) - 1;
        row->message = at;
        row->record = at + strlen(at) + 1;
        at = row->record + row->size;
        if (!rejects->count) {
            rejects->first_file = file;
            rejects->first_line = row->line;
            snprintf(rejects->first, sizeof rejects->first, "%s", row->message);
        }
        rejects->places[rejects->count++] = hsp__record_place(hsp__blocks_part(run), row->line);
        if (how->path && how->separator)
            rejects_put(&rejects->text, how->separator, strcmp(file, how->file) == 0 ? NULL : file,
                        row);
        else if (how->path)
            rejects_put_line(&rejects->text, file, row);
    }
    return rejects->text.failed ? hsp__fail_memory(err) : HSP_OK;
}

hsp_status hsp__csv_take_bad(hsp__csv_reader *reader, hsp__csv_worker *worker,
                             const hsp__blocks *run, hsp_error *err)
{
    const hsp__csv_plan *plan = &reader->plan;
    const hsp__rejects_how how = {plan->file, plan->rejects, plan->separator};
    return hsp__bad_take(reader->ctx, &worker->bad, &how, run, &reader->rejects, err);
}

hsp_status hsp__rejects_tell(hsp_context *ctx, const hsp__csv_rejects *rejects, const char *file,
                             uint64_t rows, uint64_t dropped, int none, hsp_error *err)
{
    const uint64_t all = rows + rejects->count + dropped;
    if (!rejects->count) return HSP_OK;
    if (!rows && !none)
        return hsp__fail_at(err, HSP_BAD_DATA, rejects->first_file, rejects->first_line, 0,
                            "none of %llu rows can be read; the first: %s", (unsigned long long)all,
                            rejects->first);
    hsp__log(ctx, HSP_LOG_WARNING, "%s: %llu of %llu rows cannot be read%s; the first, %s:%llu: %s",
             file, (unsigned long long)rejects->count, (unsigned long long)all,
             none                  ? "" /* predictions answer them */
             : rejects->count == 1 ? " and was left out"
                                   : " and were left out",
             rejects->first_file, (unsigned long long)rejects->first_line, rejects->first);
    return HSP_OK;
}

hsp_status hsp__csv_tell_rejects(const hsp__csv_reader *reader, uint64_t rows, hsp_error *err)
{
    return hsp__rejects_tell(reader->ctx, &reader->rejects, reader->plan.file, rows,
                             reader->counts.dropped, reader->none, err);
}

hsp_status hsp__rejects_check(const char *path, int skip, const hsp__source *source, hsp_error *err)
{
    struct stat data, rejects;
    if (!path) return HSP_OK;
    if (!skip) return hsp__fail_option(err, "--rejects", "there are none without --on-error skip");
    if (stat(path, &rejects) || !S_ISREG(rejects.st_mode)) return HSP_OK;
    for (uint32_t i = 0; i < source->parts; i++)
        if (stat(source->part_names[i], &data) == 0 && rejects.st_ino == data.st_ino &&
            rejects.st_dev == data.st_dev)
            return hsp__fail_option(err, "--rejects",
                                    "'%s' would be written over '%s'; name another file", path,
                                    source->part_names[i]);
    return HSP_OK;
}

hsp_status hsp__rejects_write(hsp_context *ctx, const hsp__csv_rejects *rejects, const char *path,
                              const hsp__text *names, hsp_error *err)
{
    hsp__output *output = NULL;
    if (!path) return HSP_OK;
    hsp_status status = hsp__output_open(ctx, path, err, &output);
    if (!status && names) status = hsp__output_text(output, names, err);
    if (!status && rejects->count) status = hsp__output_text(output, &rejects->text, err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    return status;
}

hsp_status hsp__csv_write_rejects(const hsp__csv_reader *reader, hsp_error *err)
{
    const hsp__csv_plan *plan = &reader->plan;
    hsp__text names;
    if (!plan->rejects) return HSP_OK;
    hsp__text_init(&names, &reader->ctx->allocator);
    hsp__text_printf(&names, "line%creason", plan->separator);
    for (uint32_t j = 0; j < plan->count; j++) {
        hsp__text_add(&names, &plan->separator, 1);
        hsp__csv_put(&names, hsp__names_get(&plan->names, j), hsp__names_size(&plan->names, j),
                     plan->separator, 0);
    }
    hsp__text_puts(&names, "\n");
    const hsp_status status =
        hsp__rejects_write(reader->ctx, &reader->rejects, plan->rejects, &names, err);
    hsp__text_free(&names);
    return status;
}

void hsp__csv_rejects_start(hsp__csv_rejects *rejects, const hsp_allocator *memory)
{
    hsp__free(memory, rejects->places);
    if (rejects->text.data) hsp__text_free(&rejects->text);
    *rejects = (hsp__csv_rejects){0};
    hsp__text_init(&rejects->text, memory);
}
