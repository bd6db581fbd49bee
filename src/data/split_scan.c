/* The first pass over a file that is split. Blank lines and comments belong to the record behind
 * them, at the end of the file to the last one: every byte behind the header is in one record. */
#include "base/base.h"
#include "data/split.h"

#include "data/blocks.h"
#include "data/csv.h"
#include "data/formats.h"

#define SCAN_MISSING UINT32_MAX /* as a label, until the number of classes is known */

void hsp__split_scan_init(hsp__split_scan *scan, hsp_context *ctx, const char *name)
{
    *scan = (hsp__split_scan){.ctx = ctx, .name = name};
    hsp__names_init(&scan->classes, &ctx->allocator);
    hsp__names_init(&scan->group_names, &ctx->allocator);
    hsp__names_init(&scan->texts, &ctx->allocator);
    hsp__names_init(&scan->label_name, &ctx->allocator);
    hsp__cell_rules_init(&scan->rules, &ctx->allocator);
    hsp__text_init(&scan->unquoted, &ctx->allocator);
    hsp__text_init(&scan->folded, &ctx->allocator);
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
    hsp__names_free(&scan->label_name);
    hsp__cell_rules_free(&scan->rules);
    hsp__text_free(&scan->unquoted);
    hsp__text_free(&scan->folded);
}

/* ---- One record ------------------------------------------------------------------------------ */

/* A record ends here: `size` bytes since the last one ended in this block. */
static hsp_status scan_keep(hsp__split_scan *scan, uint64_t size, uint32_t label, uint32_t group,
                            hsp_error *err)
{
    const hsp_allocator *memory = &scan->ctx->allocator;
    const uint64_t row = scan->rows++;
    const int grouped = group != HSP__NAME_NONE;
    if (!hsp__reserve(memory, &scan->sizes, &scan->sizes_room, row + 1, sizeof *scan->sizes) ||
        !hsp__reserve(memory, &scan->labels, &scan->labels_room, row + 1, sizeof *scan->labels) ||
        (grouped &&
         !hsp__reserve(memory, &scan->groups, &scan->groups_room, row + 1, sizeof *scan->groups)))
        return hsp__fail_memory(err);
    if (grouped) scan->groups[row] = group;
    scan->sizes[row] = scan->pending + size;
    scan->labels[row] = label;
    scan->pending = 0;
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
        if (!hsp__reserve(&scan->ctx->allocator, &scan->class_of, &scan->class_of_room,
                          (uint64_t)number + 1, sizeof *scan->class_of))
            return hsp__fail_memory(err);
        const char *label_text = text;
        if (scan->rules.ignore_case) {
            scan->folded.size = 0;
            hsp__text_add(&scan->folded, text, size);
            if (scan->folded.failed) return hsp__fail_memory(err);
            hsp__fold_case(scan->folded.data, size);
            label_text = scan->folded.data;
        }
        result = hsp__label_add(&scan->classes, label_text, size, &scan->class_of[number]);
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

static hsp_status scan_csv_block(void *self, int worker, hsp__block *block, hsp_error *err)
{
    hsp__split_scan *scan = self;
    hsp__csv_cursor cursor =
        hsp__csv_begin(block->text, block->size, scan->separator, &scan->unquoted);
    const char *from = block->text;
    (void)worker;
    while (hsp__csv_skip_blank(&cursor)) {
        const uint64_t line = cursor.line;
        uint32_t label = SCAN_MISSING, group = HSP__NAME_NONE;
        hsp__csv_field field = {0};
        uint64_t j = 0;
        for (; !field.last; j++) {
            HSP__TRY(hsp__csv_next(&cursor, &field, err));
            if (j == scan->label &&
                ((field.quoted && field.size) ||
                 hsp__cell_mark(&scan->rules, field.text, field.size) < HSP__MARK_GIVEN))
                HSP__TRY(scan_label(scan, field.text, field.size, field.line, err, &label));
            if (j == scan->group)
                HSP__TRY(scan_group(scan, field.text, field.size, field.line, err, &group));
        }
        if (j != scan->fields)
            return hsp__fail_at(err, HSP_BAD_DATA, scan->name, line, 0,
                                "found %llu field%s, expected %u", (unsigned long long)j,
                                j == 1 ? "" : "s", scan->fields);
        HSP__TRY(scan_keep(scan, (uint64_t)(cursor.at - from), label, group, err));
        from = cursor.at;
    }
    scan->pending += (uint64_t)(cursor.end - from);
    block->lines = cursor.line - 1;
    return HSP_OK;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

static hsp_status scan_libsvm_block(void *self, int worker, hsp__block *block, hsp_error *err)
{
    hsp__split_scan *scan = self;
    const char *end = block->text + block->size, *from = block->text, *next = from;
    (void)worker;
    for (uint64_t line = 1; next < end; line++) {
        const char *p = next, *word, *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        size_t size;
        uint32_t label = SCAN_MISSING, group = HSP__NAME_NONE;
        next = newline ? newline + 1 : end;
        block->lines += newline != NULL;
        if (!hsp__libsvm_word(&p, stop, &word, &size)) continue; /* a blank line, or a comment */
        if (!memchr(word, ':', size)) {
            HSP__TRY(scan_label(scan, word, size, line, err, &label));
            size = 0;
        }
        if (scan->by_qid) {
            while (size < 4 || memcmp(word, "qid:", 4) != 0)
                if (!hsp__libsvm_word(&p, stop, &word, &size))
                    return hsp__fail_at(err, HSP_BAD_DATA, scan->name, line, 0,
                                        "this row has no qid:N, which --group qid needs");
            HSP__TRY(scan_group(scan, word + 4, size - 4, line, err, &group));
        }
        HSP__TRY(scan_keep(scan, (uint64_t)(next - from), label, group, err));
        from = next;
    }
    scan->pending += (uint64_t)(end - from);
    return HSP_OK;
}

/* ---- The whole file -------------------------------------------------------------------------- */

static hsp_status scan_csv_start(hsp__split_scan *scan, hsp__source *source, int tabs,
                                 const hsp_options *options, const char *group, hsp_error *err,
                                 uint64_t *lines)
{
    /* the reader's options that say what kind of CSV this is. `ignore` names the group's column: a
     * header is one that holds the names in options */
    static const char *const names[][2] = {
        {"label", "label"}, {"header", "header"}, {"separator", "separator"}, {"group", "ignore"}};
    hsp__csv_plan plan = {0};
    hsp_options *read = NULL;
    hsp_status status = hsp_options_new(scan->ctx, hsp_read_options(), err, &read);
    for (size_t i = 0; !status && options && i < sizeof names / sizeof *names; i++) {
        const char *value = hsp_options_text(options, names[i][0]);
        if (value) status = hsp_options_set(read, names[i][1], value, err);
    }
    static const char *const lists[] = {"ignore", "na"};
    for (size_t k = 0; options && k < 2; k++)
        for (size_t i = 0; !status && i < hsp_options_list_count(options, lists[k]); i++)
            status =
                hsp_options_set(read, lists[k], hsp_options_list_item(options, lists[k], i), err);
    if (!status && options && hsp_options_flag(options, "ignore-case"))
        status = hsp_options_set(read, "ignore-case", "yes", err);
    if (!status) status = hsp__cell_rules_set(&scan->rules, read, err);
    if (!status)
        status = hsp__csv_find_columns(scan->ctx, source, tabs, read, group, err, &plan,
                                       &scan->label, &scan->group);
    if (!status && scan->label != HSP__NAME_NONE) {
        const char *name = hsp__csv_name(&plan, scan->label);
        uint32_t number;
        if (!hsp__names_add(&scan->label_name, name, strlen(name), &number))
            status = hsp__fail_memory(err);
    }
    hsp__names_free(&plan.names);
    scan->separator = plan.separator;
    scan->fields = plan.count;
    scan->prefix = plan.data_at;
    *lines = plan.data_line;
    hsp_options_free(read);
    return status ? status : hsp__source_skip(source, plan.data_at, err);
}

hsp_status hsp__split_scan_run(hsp__split_scan *scan, hsp__source *source, const char *format,
                               const hsp_options *options, hsp_error *err)
{
    static const hsp__block_format csv = {1, scan_csv_block, NULL, NULL},
                                   libsvm = {0, scan_libsvm_block, NULL, NULL};
    const int is_csv = strcmp(format, "libsvm") != 0;
    const char *group = options ? hsp_options_text(options, "group") : NULL;
    uint64_t lines = 0; /* before the first record */
    scan->by_qid = group != NULL;
    if (is_csv)
        HSP__TRY(
            scan_csv_start(scan, source, strcmp(format, "tsv") == 0, options, group, err, &lines));
    else if (group && strcmp(group, "qid") != 0)
        return hsp__fail_option(
            err, "--group", "found '%s'; in libsvm text, only qid can be the group (--group qid)",
            group);
    hsp_status status = hsp__blocks_run(scan->ctx, source, is_csv ? &csv : &libsvm, scan, 1, err);
    if (status == HSP_BAD_DATA && err && err->line) err->line += lines;
    HSP__TRY(status);
    if (!scan->rows)
        return hsp__fail_at(err, HSP_BAD_DATA, scan->name, 0, 0, "there are no rows to split");
    scan->sizes[scan->rows - 1] += scan->pending;
    /* classes in their order, missing labels behind them */
    const uint32_t count = scan->classes.count;
    uint32_t *order = hsp__new(&scan->ctx->allocator, count, sizeof *order);
    const int done = order && hsp__names_sort(&scan->classes, order);
    for (uint64_t i = 0; done && i < scan->rows; i++)
        scan->labels[i] = scan->labels[i] == SCAN_MISSING ? count : order[scan->labels[i]];
    hsp__free(&scan->ctx->allocator, order);
    return done ? HSP_OK : hsp__fail_memory(err);
}
