#include "model/answers.h"

#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "data/csv.h"

enum {
    ANSWERS_LABEL,
    ANSWERS_SCORE,
    ANSWERS_DISTANCE,
    ANSWERS_PROBABILITY,
    ANSWERS_ERROR
}; /* keys */

hsp__answer_kind hsp__answer_kind_of(const char *name)
{
    static const char *const names[] = {"plain", "csv", "tsv", "json", "libsvm"};
    size_t i = 0;
    while (strcmp(names[i], name) != 0)
        i++;
    return (hsp__answer_kind)i;
}

/* ---- Columns that are passed through --------------------------------------------------------- */

/* Keep the column that `word` means. */
static hsp_status answers_keep(hsp__answers *answers, const hsp__names *columns, const char *word,
                               size_t size, hsp_error *err)
{
    uint32_t column, number;
    HSP__TRY(hsp__csv_find_column(columns, word, size, "--keep", err, &column));
    if (!hsp__names_add(&answers->kept, hsp__names_get(columns, column),
                        hsp__names_size(columns, column), &number))
        return hsp__fail_memory(err);
    answers->places[column] = number;
    return HSP_OK;
}

/* A word is one column, or a list with commas between columns. */
static hsp_status answers_keep_word(hsp__answers *answers, const hsp__names *columns,
                                    const char *word, hsp_error *err)
{
    const size_t size = strlen(word);
    if (!columns->count) { /* an empty file: its columns go by what they were called */
        uint32_t number;
        return hsp__names_add(&answers->kept, word, size, &number) ? HSP_OK : hsp__fail_memory(err);
    }
    if (!strchr(word, ',') || hsp__names_find(columns, word, size) != HSP__NAME_NONE)
        return answers_keep(answers, columns, word, size, err);
    for (const char *end; *word; word = *end ? end + 1 : end) {
        end = word + strcspn(word, ",");
        HSP__TRY(answers_keep(answers, columns, word, (size_t)(end - word), err));
    }
    return HSP_OK;
}

hsp_status hsp__answers_cells(const hsp_allocator *memory, const hsp__answers *answers,
                              hsp__answer_text *text, uint64_t line, hsp_error *err)
{
    const uint32_t kept = answers->kept.count;
    hsp__csv_field field = {0};
    text->cells.size = 0;
    if (!kept) return HSP_OK;
    if (!text->starts) text->starts = hsp__new(memory, 2 * (uint64_t)kept, sizeof *text->starts);
    if (!text->starts) return hsp__fail_memory(err);
    memset(text->starts, 0, 2 * kept * sizeof *text->starts);
    for (; text->line < line; text->line++) {
        const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
        text->at = newline ? newline + 1 : text->end;
    }
    hsp__csv_cursor cursor = hsp__csv_begin(text->at, (size_t)(text->end - text->at),
                                            answers->separator, &text->unquoted);
    for (uint32_t j = 0, found = 0; found < kept && !field.last; j++) {
        const hsp_status status = hsp__csv_next(&cursor, &field, err);
        if (status == HSP_NO_MEMORY) return status;
        if (status) break; /* a record that could not be read: what comes before is kept */
        const uint32_t place = answers->places[j];
        if (place == HSP__NAME_NONE) continue;
        found++;
        text->starts[2 * place] = text->cells.size;
        text->starts[2 * place + 1] = field.size;
        hsp__text_add(&text->cells, field.text, field.size);
    }
    return text->unquoted.failed || text->cells.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* A name of ours, with "predicted_" before it while a column that is kept has that name. */
static void answers_name(const hsp__answers *answers, hsp__text *name, const char *first,
                         const char *rest)
{
    for (int times = 0; !name->failed; times++) {
        name->size = 0;
        for (int k = 0; k < times; k++)
            hsp__text_puts(name, "predicted_");
        hsp__text_puts(name, first);
        hsp__text_puts(name, rest);
        if (!name->failed &&
            hsp__names_find(&answers->kept, name->data, name->size) == HSP__NAME_NONE)
            return;
    }
}

static int answers_name_keys(const hsp_allocator *memory, hsp__answers *answers)
{
    static const char *const keys[] = {"label", "score", "distance", "probability", "error"};
    hsp__text name;
    hsp__text_init(&name, memory);
    for (size_t i = 0; !name.failed && i < sizeof keys / sizeof *keys; i++) {
        uint32_t number;
        answers_name(answers, &name, keys[i], "");
        if (name.failed || !hsp__names_add(&answers->keys, name.data, name.size, &number))
            name.failed = 1;
    }
    const int done = !name.failed;
    hsp__text_free(&name);
    return done;
}

/* ---- CSV and TSV ----------------------------------------------------------------------------- */

static void answers_field(const hsp__answers *answers, hsp__text *text, const char *field,
                          size_t size)
{
    hsp__csv_put(text, field, size, answers->kind == HSP__ANSWER_TSV ? '\t' : ',', 0);
}

static void answers_comma(const hsp__answers *answers, hsp__text *text)
{
    hsp__text_add(text, answers->kind == HSP__ANSWER_TSV ? "\t" : ",", 1);
}

static void answers_number(hsp__text *text, double number)
{
    char *room = hsp__text_room(text, HSP__DECIMAL_MAX);
    if (room) text->size += hsp__decimal_print_f64(number, room);
}

/* A name per class: "score_yes". */
static void answers_class_names(const hsp__answers *answers, hsp__text *text, const char *first)
{
    hsp__text name;
    hsp__text_init(&name, &text->memory);
    for (uint32_t c = 0; c < answers->classes->count; c++) {
        answers_comma(answers, text);
        answers_name(answers, &name, first, hsp__names_get(answers->classes, c));
        if (!name.failed) answers_field(answers, text, name.data, name.size);
    }
    text->failed |= name.failed;
    hsp__text_free(&name);
}

static void answers_key_name(const hsp__answers *answers, hsp__text *text, uint32_t key)
{
    answers_field(answers, text, hsp__names_get(&answers->keys, key),
                  hsp__names_size(&answers->keys, key));
}

static void answers_csv_head(const hsp__answers *answers, hsp__text *text)
{
    for (uint32_t k = 0; k < answers->kept.count; k++) {
        answers_field(answers, text, hsp__names_get(&answers->kept, k),
                      hsp__names_size(&answers->kept, k));
        answers_comma(answers, text);
    }
    answers_key_name(answers, text, ANSWERS_LABEL);
    if (answers->scores == 1) answers_comma(answers, text);
    if (answers->scores == 1) answers_key_name(answers, text, ANSWERS_SCORE);
    if (answers->scores > 1) answers_class_names(answers, text, "score_");
    if (answers->distance) answers_comma(answers, text);
    if (answers->distance) answers_key_name(answers, text, ANSWERS_DISTANCE);
    if (answers->probability) answers_class_names(answers, text, "probability_");
    if (answers->errors) answers_comma(answers, text);
    if (answers->errors) answers_key_name(answers, text, ANSWERS_ERROR);
    hsp__text_add(text, "\n", 1);
}

/* `count` numbers, or that many empty fields. */
static void answers_numbers(const hsp__answers *answers, hsp__text *text, const double *numbers,
                            uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        answers_comma(answers, text);
        if (numbers) answers_number(text, numbers[c]);
    }
}

static void answers_csv_row(const hsp__answers *answers, const hsp__answer_text *cells,
                            const hsp__answer *answer, hsp__text *text)
{
    const int bad = answer->error != NULL;
    for (uint32_t k = 0; k < answers->kept.count; k++) {
        answers_field(answers, text, cells->cells.data + cells->starts[2 * k],
                      cells->starts[2 * k + 1]);
        answers_comma(answers, text);
    }
    answers_field(answers, text, answer->label, answer->label_size);
    answers_numbers(answers, text, bad ? NULL : answer->scores, answers->scores);
    answers_numbers(answers, text, bad ? NULL : &answer->distance, (uint32_t)answers->distance);
    answers_numbers(answers, text, bad ? NULL : answer->probabilities,
                    answers->probability ? answers->classes->count : 0);
    if (answers->errors) answers_comma(answers, text);
    if (bad) answers_field(answers, text, answer->error, strlen(answer->error));
    hsp__text_add(text, "\n", 1);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void answers_key(const hsp__answers *answers, hsp__text *text, uint32_t key)
{
    if (key || answers->kept.count) hsp__text_add(text, ",", 1);
    hsp__json_put_string(text, hsp__names_get(&answers->keys, key),
                         hsp__names_size(&answers->keys, key));
    hsp__text_add(text, ":", 1);
}

/* A number per class, by name. */
static void answers_classes(const hsp__answers *answers, hsp__text *text, const double *numbers)
{
    for (uint32_t c = 0; c < answers->classes->count; c++) {
        hsp__text_puts(text, c ? "," : "{");
        hsp__json_put_string(text, hsp__names_get(answers->classes, c),
                             hsp__names_size(answers->classes, c));
        hsp__text_add(text, ":", 1);
        hsp__json_put_number(text, numbers[c]);
    }
    hsp__text_add(text, "}", 1);
}

static void answers_json_row(const hsp__answers *answers, const hsp__answer_text *cells,
                             const hsp__answer *answer, hsp__text *text)
{
    hsp__text_add(text, "{", 1);
    for (uint32_t k = 0; k < answers->kept.count; k++) {
        if (k) hsp__text_add(text, ",", 1);
        hsp__json_put_string(text, hsp__names_get(&answers->kept, k),
                             hsp__names_size(&answers->kept, k));
        hsp__text_add(text, ":", 1);
        hsp__json_put_string(text, cells->cells.data + cells->starts[2 * k],
                             cells->starts[2 * k + 1]);
    }
    answers_key(answers, text, ANSWERS_LABEL);
    if (answer->error) {
        hsp__text_puts(text, "null");
        answers_key(answers, text, ANSWERS_ERROR);
        hsp__json_put_string(text, answer->error, strlen(answer->error));
    } else {
        hsp__json_put_string(text, answer->label, answer->label_size);
        if (answers->scores) answers_key(answers, text, ANSWERS_SCORE);
        if (answers->scores == 1) hsp__json_put_number(text, answer->scores[0]);
        if (answers->scores > 1) answers_classes(answers, text, answer->scores);
        if (answers->distance) answers_key(answers, text, ANSWERS_DISTANCE);
        if (answers->distance) hsp__json_put_number(text, answer->distance);
        if (answers->probability) answers_key(answers, text, ANSWERS_PROBABILITY);
        if (answers->probability) answers_classes(answers, text, answer->probabilities);
    }
    hsp__text_add(text, "}\n", 2);
}

/* ---- As svm-predict writes them -------------------------------------------------------------- */

static void answers_libsvm_head(const hsp__answers *answers, hsp__text *text)
{
    if (!answers->probability) return;
    hsp__text_puts(text, "labels");
    for (uint32_t c = 0; c < answers->classes->count; c++)
        hsp__text_printf(text, " %s", hsp__names_get(answers->classes, c));
    hsp__text_add(text, "\n", 1);
}

static void answers_libsvm_row(const hsp__answers *answers, const hsp__answer *answer,
                               hsp__text *text)
{
    hsp__text_add(text, answer->label, answer->label_size);
    for (uint32_t c = 0; answers->probability && !answer->error && c < answers->classes->count;
         c++) {
        hsp__text_add(text, " ", 1);
        answers_number(text, answer->probabilities[c]);
    }
    hsp__text_add(text, "\n", 1);
}

/* ---- All formats ----------------------------------------------------------------------------- */

hsp_status hsp__answers_begin(const hsp_allocator *memory, hsp__answers *answers,
                              const hsp__names *columns, char separator, hsp_error *err)
{
    hsp__names_init(&answers->kept, memory);
    answers->separator = separator;
    hsp__names_init(&answers->keys, memory);
    if (answers->words && !columns)
        return hsp__fail_option(err, "--keep", "only the columns of CSV and TSV files can be kept");
    answers->places = hsp__new(memory, columns ? columns->count : 0, sizeof *answers->places);
    if (!answers->places) return hsp__fail_memory(err);
    for (uint32_t j = 0; columns && j < columns->count; j++)
        answers->places[j] = HSP__NAME_NONE;
    for (size_t i = 0; i < answers->words; i++)
        HSP__TRY(answers_keep_word(answers, columns, answers->keep[i], err));
    return answers_name_keys(memory, answers) ? HSP_OK : hsp__fail_memory(err);
}

void hsp__answers_free(const hsp_allocator *memory, hsp__answers *answers)
{
    hsp__names_free(&answers->kept);
    hsp__names_free(&answers->keys);
    hsp__free(memory, answers->places);
}

void hsp__answers_head(const hsp__answers *answers, hsp__text *text)
{
    if (answers->kind == HSP__ANSWER_CSV || answers->kind == HSP__ANSWER_TSV)
        answers_csv_head(answers, text);
    else if (answers->kind == HSP__ANSWER_LIBSVM)
        answers_libsvm_head(answers, text);
}

void hsp__answers_put(const hsp__answers *answers, const hsp__answer_text *cells,
                      const hsp__answer *answer, hsp__text *text)
{
    if (answers->kind == HSP__ANSWER_JSON)
        answers_json_row(answers, cells, answer, text);
    else if (answers->kind == HSP__ANSWER_LIBSVM)
        answers_libsvm_row(answers, answer, text);
    else
        answers_csv_row(answers, cells, answer, text);
}
