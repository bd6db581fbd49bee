/* The first pass over a file that is split. Blank lines and comments belong to the record behind
 * them, at the end of the file to the last one: every byte behind the header is in one record. */
#include "data/split_scan.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/blocks.h"
#include "data/csv.h"
#include "data/labels.h"

#define SCAN_MISSING \
    UINT32_MAX /* a label that is missing, until the number of classes is known \
                */

void hsp__split_scan_init(hsp__split_scan *scan, hsp_context *ctx, const char *name)
{
    *scan = (hsp__split_scan){.ctx = ctx, .name = name};
    hsp__names_init(&scan->classes, &ctx->allocator);
    hsp__names_init(&scan->group_names, &ctx->allocator);
    hsp__names_init(&scan->texts, &ctx->allocator);
    hsp__text_init(&scan->unquoted, &ctx->allocator);
}

void hsp__split_scan_free(hsp__split_scan *scan)
{
    const hsp_allocator *memory = &scan->ctx->allocator;
    hsp__free(memory, scan->sizes);
    hsp__free(memory, scan->labels);
    hsp__free(memory, scan->groups);
    hsp__free(memory, scan->class_of);
    hsp__names_free(&scan->classes);
    hsp__names_free(&scan->group_names);
    hsp__names_free(&scan->texts);
    hsp__text_free(&scan->unquoted);
}

/* ---- One record ------------------------------------------------------------------------------ */

/* Room for one more number in an array. */
static int scan_room(const hsp__split_scan *scan, void *array, uint64_t *room, size_t size)
{
    void *grown;
    memcpy(&grown, array, sizeof grown);
    if (!hsp__reserve(&scan->ctx->allocator, &grown, room, scan->rows + 1, size)) return 0;
    memcpy(array, &grown, sizeof grown);
    return 1;
}

/* A record ends here: `size` bytes since the last one ended in this block. */
static hsp_status scan_keep(hsp__split_scan *scan, uint64_t size, uint32_t label, uint32_t group,
                            hsp_error *err)
{
    if (!scan_room(scan, &scan->sizes, &scan->sizes_room, sizeof *scan->sizes) ||
        !scan_room(scan, &scan->labels, &scan->labels_room, sizeof *scan->labels))
        return hsp__fail_memory(err);
    if (group != HSP__NAME_NONE) {
        if (!scan_room(scan, &scan->groups, &scan->groups_room, sizeof *scan->groups))
            return hsp__fail_memory(err);
        scan->groups[scan->rows] = group;
    }
    scan->sizes[scan->rows] = scan->pending + size;
    scan->labels[scan->rows] = label;
    scan->pending = 0;
    scan->rows++;
    return HSP_OK;
}

/* The class of a label as it is written; each text is looked at once. */
static hsp_status scan_label(hsp__split_scan *scan, const char *text, size_t size, uint64_t line,
                             hsp_error *err, uint32_t *label)
{
    char quoted[HSP__QUOTED];
    uint32_t number;
    const uint32_t before = scan->texts.count;
    hsp__label_result result = memchr(text, 0, size) ? HSP__LABEL_NUL : HSP__LABEL_OK;
    if (!result && !hsp__names_add(&scan->texts, text, size, &number)) return hsp__fail_memory(err);
    if (!result && number == before) {
        void *map = scan->class_of;
        if (!hsp__reserve(&scan->ctx->allocator, &map, &scan->class_of_room, (uint64_t)number + 1,
                          sizeof *scan->class_of))
            return hsp__fail_memory(err);
        scan->class_of = map;
        result = hsp__label_add(&scan->classes, text, size, &scan->class_of[number]);
    }
    if (result == HSP__LABEL_NO_MEMORY) return hsp__fail_memory(err);
    if (result)
        return hsp__fail_at(err, HSP_BAD_DATA, scan->name, line, 0,
                            "the label is '%s', expected a finite number or a word",
                            hsp__quote(text, size, quoted));
    *label = scan->class_of[number];
    return HSP_OK;
}

static hsp_status scan_group(hsp__split_scan *scan, const char *text, size_t size, uint64_t line,
                             hsp_error *err, uint32_t *group)
{
    if (memchr(text, 0, size))
        return hsp__fail_at(err, HSP_BAD_DATA, scan->name, line, 0,
                            "the group holds a NUL byte: this is not text");
    return hsp__names_add(&scan->group_names, text, size, group) ? HSP_OK : hsp__fail_memory(err);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static hsp_status scan_csv_record(hsp__split_scan *scan, hsp__csv_cursor *cursor, hsp_error *err,
                                  uint32_t *label, uint32_t *group)
{
    const uint64_t line = cursor->line;
    hsp__csv_field field = {0};
    uint64_t j = 0;
    *label = SCAN_MISSING;
    *group = HSP__NAME_NONE;
    for (; !field.last; j++) {
        hsp_status status = hsp__csv_next(cursor, &field, err);
        if (!status && j == scan->label &&
            ((field.quoted && field.size) || !hsp__csv_is_missing(field.text, field.size)))
            status = scan_label(scan, field.text, field.size, field.line, err, label);
        if (!status && j == scan->group)
            status = scan_group(scan, field.text, field.size, field.line, err, group);
        if (status) return status;
    }
    if (j == scan->fields) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, scan->name, line, 0, "found %llu field%s, expected %u",
                        (unsigned long long)j, j == 1 ? "" : "s", scan->fields);
}

static hsp_status scan_csv_block(void *self, int worker, hsp__block *block, hsp_error *err)
{
    hsp__split_scan *scan = self;
    hsp__csv_cursor cursor = {.at = block->text,
                              .end = block->text + block->size,
                              .line_start = block->text,
                              .line = 1,
                              .separator = scan->separator,
                              .file = scan->name,
                              .unquoted = &scan->unquoted};
    const char *from = block->text;
    (void)worker;
    while (hsp__csv_skip_blank(&cursor)) {
        uint32_t label, group;
        hsp_status status = scan_csv_record(scan, &cursor, err, &label, &group);
        if (!status) status = scan_keep(scan, (uint64_t)(cursor.at - from), label, group, err);
        if (status) return status;
        from = cursor.at;
    }
    scan->pending += (uint64_t)(cursor.end - from);
    block->lines = cursor.line - 1;
    return HSP_OK;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

static int scan_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line, *p behind it; a comment ends the line. 0: there is none. */
static int scan_word(const char **p, const char *end, const char **word, size_t *size)
{
    while (*p < end && scan_is_blank(**p))
        (*p)++;
    *word = *p;
    while (*p < end && !scan_is_blank(**p) && **p != '#')
        (*p)++;
    *size = (size_t)(*p - *word);
    return *size > 0;
}

/* One line: its label, if it has one, and its qid. *some = 0 for a blank line or a comment. */
static hsp_status scan_libsvm_line(hsp__split_scan *scan, const char *p, const char *end,
                                   uint64_t line, hsp_error *err, int *some, uint32_t *label,
                                   uint32_t *group)
{
    const char *word;
    size_t size;
    *label = SCAN_MISSING;
    *group = HSP__NAME_NONE;
    *some = scan_word(&p, end, &word, &size);
    if (!*some) return HSP_OK;
    if (!memchr(word, ':', size)) {
        hsp_status status = scan_label(scan, word, size, line, err, label);
        if (status) return status;
        size = 0;
    }
    if (!scan->by_qid) return HSP_OK;
    while (size < 4 || memcmp(word, "qid:", 4) != 0)
        if (!scan_word(&p, end, &word, &size))
            return hsp__fail_at(err, HSP_BAD_DATA, scan->name, line, 0,
                                "this row has no qid:N, which --group qid needs");
    return scan_group(scan, word + 4, size - 4, line, err, group);
}

static hsp_status scan_libsvm_block(void *self, int worker, hsp__block *block, hsp_error *err)
{
    hsp__split_scan *scan = self;
    const char *end = block->text + block->size, *from = block->text, *p = from;
    uint64_t line = 1;
    (void)worker;
    for (; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end, *next = newline ? newline + 1 : end;
        uint32_t label, group;
        int some;
        hsp_status status = scan_libsvm_line(scan, p, stop, line, err, &some, &label, &group);
        if (!status && some) status = scan_keep(scan, (uint64_t)(next - from), label, group, err);
        if (status) return status;
        if (some) from = next;
        p = next;
        block->lines += newline != NULL;
    }
    scan->pending += (uint64_t)(end - from);
    return HSP_OK;
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* The reader's options that say what kind of CSV this is. `ignore` names the group's column: a
 * header is one that holds the names in options. */
static hsp_status scan_read_options(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                    hsp_options **out)
{
    static const char *const names[][2] = {
        {"label", "label"}, {"header", "header"}, {"separator", "separator"}, {"group", "ignore"}};
    hsp_options *read = NULL;
    hsp_status status = hsp_options_new(ctx, hsp_read_options(), err, &read);
    for (size_t i = 0; !status && options && i < sizeof names / sizeof *names; i++) {
        const char *value = hsp_options_text(options, names[i][0]);
        if (value) status = hsp_options_set(read, names[i][1], value, err);
    }
    if (status)
        hsp_options_free(read);
    else
        *out = read;
    return status;
}

static hsp_status scan_csv_start(hsp__split_scan *scan, hsp__source *source, int tabs,
                                 const hsp_options *options, hsp_error *err, uint64_t *lines)
{
    hsp__csv_plan plan = {0};
    hsp_options *read = NULL;
    const char *group = options ? hsp_options_text(options, "group") : NULL;
    hsp_status status = scan_read_options(scan->ctx, options, err, &read);
    if (!status)
        status = hsp__csv_find_columns(scan->ctx, source, tabs, read, group, err, &plan,
                                       &scan->label, &scan->group);
    scan->separator = plan.separator;
    scan->fields = plan.count;
    scan->prefix = plan.data_at;
    *lines = plan.data_line;
    hsp_options_free(read);
    return status ? status : hsp__source_skip(source, plan.data_at, err);
}

static hsp_status scan_libsvm_start(hsp__split_scan *scan, const hsp_options *options,
                                    hsp_error *err)
{
    const char *group = options ? hsp_options_text(options, "group") : NULL;
    scan->by_qid = group != NULL;
    if (!group || strcmp(group, "qid") == 0) return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, "--group", 0, 0,
                        "found '%s'; in libsvm text, only qid can be the group (--group qid)",
                        group);
}

/* Classes in their order, missing labels behind them. */
static hsp_status scan_sort_classes(hsp__split_scan *scan, hsp_error *err)
{
    const uint32_t count = scan->classes.count;
    uint32_t *order = hsp__new(&scan->ctx->allocator, count, sizeof *order);
    if (!order || !hsp__names_sort(&scan->classes, order)) {
        hsp__free(&scan->ctx->allocator, order);
        return hsp__fail_memory(err);
    }
    for (uint64_t i = 0; i < scan->rows; i++)
        scan->labels[i] = scan->labels[i] == SCAN_MISSING ? count : order[scan->labels[i]];
    hsp__free(&scan->ctx->allocator, order);
    return HSP_OK;
}

hsp_status hsp__split_scan_run(hsp__split_scan *scan, hsp__source *source, const char *format,
                               const hsp_options *options, hsp_error *err)
{
    static const hsp__block_format csv = {1, scan_csv_block, NULL, NULL},
                                   libsvm = {0, scan_libsvm_block, NULL, NULL};
    const int is_csv = strcmp(format, "libsvm") != 0;
    uint64_t lines = 0; /* before the first record */
    hsp_status status =
        is_csv ? scan_csv_start(scan, source, strcmp(format, "tsv") == 0, options, err, &lines)
               : scan_libsvm_start(scan, options, err);
    if (status) return status;
    status = hsp__blocks_run(scan->ctx, source, is_csv ? &csv : &libsvm, scan, 1, err);
    if (status == HSP_BAD_DATA && err && err->line) err->line += lines;
    if (status) return status;
    if (!scan->rows)
        return hsp__fail_at(err, HSP_BAD_DATA, scan->name, 0, 0, "there are no rows to split");
    scan->sizes[scan->rows - 1] += scan->pending;
    return scan_sort_classes(scan, err);
}
