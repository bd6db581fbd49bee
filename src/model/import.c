/* Models of other programs, read: the words of a text with their places, and what both kinds of
 * file have in common. */
#include "model/import.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/kind.h"
#include "data/labels.h"
#include "data/source.h"

/* ---- Words ----------------------------------------------------------------------------------- */

static int reader_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

size_t hsp__reader_word(hsp__reader *reader, const char **word)
{
    while (reader->at < reader->end && reader_blank(*reader->at))
        reader->at++;
    *word = reader->at;
    while (reader->at < reader->end && *reader->at != '\n' && !reader_blank(*reader->at))
        reader->at++;
    return (size_t)(reader->at - *word);
}

int hsp__reader_next(hsp__reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    if (reader->at < reader->end) reader->at++;
    reader->line = reader->at;
    reader->number++;
    return reader->at < reader->end;
}

hsp_status hsp__reader_fail(const hsp__reader *reader, const char *at, size_t size,
                            const char *expected)
{
    char quoted[HSP__QUOTED];
    const uint64_t column = (uint64_t)(at - reader->line) + 1;
    if (!size)
        return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, reader->number, column,
                            "found the end of the line, expected %s", expected);
    return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, reader->number, column,
                        "found '%s', expected %s", hsp__quote(at, size, quoted), expected);
}

hsp_status hsp__reader_value(const hsp__reader *reader, const char *text, size_t size, double *out)
{
    hsp__decimal_result result;
    const char *end = text + size;
    if (size && hsp__decimal_f64(text, end, out, &result) == end && result == HSP__DECIMAL_OK)
        return HSP_OK;
    return hsp__reader_fail(reader, text, size, "a finite number");
}

hsp_status hsp__reader_number(hsp__reader *reader, double *out)
{
    const char *word;
    const size_t size = hsp__reader_word(reader, &word);
    return hsp__reader_value(reader, word, size, out);
}

hsp_status hsp__reader_whole(hsp__reader *reader, double least, double most, uint64_t *out)
{
    const char *word;
    const size_t size = hsp__reader_word(reader, &word);
    double number = 0;
    hsp_status status = hsp__reader_value(reader, word, size, &number);
    if (status) return status;
    if (!(number >= least && number <= most && floor(number) == number))
        return hsp__reader_fail(reader, word, size, "a whole number in range");
    *out = (uint64_t)number;
    return HSP_OK;
}

hsp_status hsp__reader_end(hsp__reader *reader)
{
    const char *word;
    const size_t size = hsp__reader_word(reader, &word);
    return size ? hsp__reader_fail(reader, word, size, "the end of the line") : HSP_OK;
}

hsp_status hsp__numbers_add(const hsp_allocator *memory, hsp__numbers *list, double x,
                            hsp_error *err)
{
    void *numbers = list->x;
    if (!hsp__reserve(memory, &numbers, &list->room, list->count + 1, sizeof *list->x))
        return hsp__fail_memory(err);
    list->x = numbers;
    list->x[list->count++] = x;
    return HSP_OK;
}

hsp_status hsp__reader_labels(hsp__reader *reader, hsp__names *names)
{
    const char *word;
    size_t size;
    if (names->count) return hsp__reader_fail(reader, reader->line, 5, "labels once");
    while ((size = hsp__reader_word(reader, &word)) > 0) {
        double value = 0;
        uint32_t number;
        const uint32_t before = names->count;
        hsp_status status = hsp__reader_value(reader, word, size, &value);
        if (status) return status;
        if (hsp__label_add(names, word, size, &number) != HSP__LABEL_OK)
            return hsp__fail_memory(reader->err);
        if (number < before) return hsp__reader_fail(reader, word, size, "another label");
    }
    return HSP_OK;
}

/* ---- The data -------------------------------------------------------------------------------- */

/* One line: hashes separated by blanks. The first is of the model's own data. */
static hsp_status import_hashes(hsp__reader *reader, hsp_model *model)
{
    const char *word;
    size_t size;
    hsp_status status = HSP_OK;
    for (int i = 0; !status && (size = hsp__reader_word(reader, &word)) > 0; i++) {
        char hash[HSP__HASH_TEXT];
        if (size >= sizeof hash || memchr(word, 0, size))
            return hsp__reader_fail(reader, word, size, "the hash of a data set");
        memcpy(hash, word, size);
        hash[size] = 0;
        if (i == 0)
            status = hsp__model_set_metadata(model, "data_hash", hash, reader->err);
        else if (i == 1 && strncmp(hash, HSP__HASH_SINGLE, strlen(HSP__HASH_SINGLE)) == 0)
            status = hsp__model_set_metadata(model, "data_hash_single", hash, reader->err);
        else
            status = hsp__model_add_earlier(model, hash, reader->err);
    }
    return status;
}

static hsp_status import_trained_on(hsp__reader *reader, hsp_model *model)
{
    const size_t size = strlen(HSP__TRAINED_ON);
    const char *word;
    hsp_status status = HSP_OK;
    for (int more = reader->at < reader->end; !status && more; more = hsp__reader_next(reader)) {
        const int says = (size_t)(reader->end - reader->at) > size &&
                         memcmp(reader->at, HSP__TRAINED_ON, size) == 0;
        if (says) {
            reader->at += size;
            status = import_hashes(reader, model);
        } else if (hsp__reader_word(reader, &word)) {
            return hsp__reader_fail(reader, word, 1, "the end of the file");
        }
    }
    return status;
}

/* ---- What imported models have --------------------------------------------------------------- */

hsp_status hsp__import_finish(hsp_context *ctx, hsp_model *model, const hsp__names *labels,
                              const char *program, const char *kind, const char *index_base,
                              hsp__reader *reader)
{
    hsp_error *err = reader->err;
    for (uint32_t c = 0; c < labels->count; c++) {
        const uint32_t from = labels->count == 2 ? 1 - c : c;
        uint32_t number;
        if (!hsp__names_add(&model->class_names, hsp__names_get(labels, from),
                            hsp__names_size(labels, from), &number))
            return hsp__fail_memory(err);
    }
    hsp_status status = hsp__model_set_metadata(model, "imported_from", program, err);
    if (!status) status = hsp__model_set_metadata(model, "imported_kind", kind, err);
    if (!status) status = hsp__model_set_metadata(model, "index_base", index_base, err);
    if (!status) status = hsp__model_set_metadata(model, "precision", "double", err);
    if (!status) status = hsp__model_set_metadata(model, "version", hsp_version(), err);
    if (!status) status = import_trained_on(reader, model);
    return status ? status : hsp__model_check(ctx, model, reader->file, err);
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* Which program's? Each begins with a key of its own. */
hsp_status hsp__model_import_text(hsp_context *ctx, const char *text, size_t size, const char *name,
                                  hsp_error *err, hsp_model **out)
{
    hsp__reader reader = {
        .file = name, .at = text, .end = text + size, .line = text, .number = 1, .err = err};
    const char *word;
    const size_t first = hsp__reader_word(&reader, &word);
    reader.at = text;
    if (first == 8 && memcmp(word, "svm_type", 8) == 0)
        return hsp__import_libsvm(ctx, &reader, out);
    if (first == 11 && memcmp(word, "solver_type", 11) == 0)
        return hsp__import_liblinear(ctx, &reader, out);
    return hsp__reader_fail(&reader, word, first,
                            "svm_type, which LIBSVM's models begin with, or solver_type, which "
                            "LIBLINEAR's begin with");
}

static hsp_status import_read(hsp_context *ctx, hsp__source *source, hsp__text *text,
                              hsp_error *err)
{
    enum { IMPORT_PIECE = 1 << 20 };
    for (;;) {
        size_t got = 0;
        char *room = hsp__text_room(text, IMPORT_PIECE);
        if (!room) return hsp__fail_memory(err);
        hsp_status status = hsp__source_read(source, room, IMPORT_PIECE, err, &got);
        if (status) return status;
        text->size += got;
        if (got < IMPORT_PIECE) return HSP_OK;
        status = hsp__progress(ctx, "reading", "bytes", source->position, source->size, err);
        if (status) return status;
    }
}

hsp_status hsp_model_import(hsp_context *ctx, const char *path, hsp_error *err, hsp_model **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__source *source = NULL;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = import_read(ctx, source, &text, err);
    if (!status) status = hsp__model_import_text(ctx, text.data, text.size, source->name, err, out);
    if (status == HSP_BAD_DATA) {
        const hsp_file_kind kind = hsp__kind_of(text.data, text.size);
        if (kind != HSP_FILE_UNKNOWN && kind != HSP_FILE_LIBSVM_MODEL &&
            kind != HSP_FILE_LIBLINEAR_MODEL)
            status = hsp__kind_fail(err, path, kind, HSP_FILE_LIBSVM_MODEL);
    }
    hsp__source_free(source);
    hsp__text_free(&text);
    return status;
}
