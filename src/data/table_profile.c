/* A table looked at: every record that has as many fields as there are columns goes into the
 * columns' profiles; others are counted. Memory is bounded by the number of values that all columns
 * together remember, and by the longest record that is looked at. */
#include "data/table_profile.h"

#include <stdio.h>
#include <strings.h>

#include "base/base.h"
#include "base/options.h"
#include "data/csv.h"
#include "data/formats.h"

#define PROFILE_BYTES  ((uint64_t)100 << 20) /* that decide, unless the user asks for all */
#define PROFILE_BLOCKS 16                    /* blocks of text that are read at a time */
#define PROFILE_RECORD ((size_t)32 << 20)    /* longer records are not looked at */
#define PROFILE_VALUES 4000000               /* remembered by all columns together */
#define PROFILE_LEAST  8                     /* remembered by a column at least */

static const hsp_option profile_options[] = {
    HSP__FLAG("all", "look at all rows; without it, the first 100 MB decide"),
};
static const hsp_option_table profile_table = {"profile", "options of looking at a table",
                                               profile_options, 1};

const hsp_option_table *hsp_profile_options(void)
{
    return &profile_table;
}

void hsp_profile_free(hsp_profile *profile)
{
    if (!profile) return;
    const hsp_allocator memory = profile->memory;
    for (uint64_t j = 0; profile->columns && j < profile->totals.columns; j++)
        hsp__column_profile_free(&profile->columns[j]);
    hsp__free(&memory, profile->columns);
    hsp__free(&memory, profile->shown);
    hsp__free(&memory, profile->findings);
    hsp__scratch_free(&profile->scratch);
    hsp__names_free(&profile->names);
    hsp__cell_rules_free(&profile->rules);
    hsp__source_free(profile->source);
    hsp__free(&memory, profile);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The bytes that are looked at: read from the source, or peeked at where they could not be read
 * again. */
typedef struct profile_input {
    hsp__source *source;
    const char *peeked; /* size bytes, or NULL */
    size_t size, at;
    uint64_t left; /* until enough were looked at */
} profile_input;

static hsp_status profile_fill(profile_input *input, char *buffer, size_t want, hsp_error *err,
                               size_t *got)
{
    if (want > input->left) want = (size_t)input->left;
    if (!input->peeked) {
        HSP__TRY(hsp__source_read(input->source, buffer, want, err, got));
    } else {
        *got = want < input->size - input->at ? want : input->size - input->at;
        memcpy(buffer, input->peeked + input->at, *got);
        input->at += *got;
    }
    input->left -= *got;
    return HSP_OK;
}

/* How many fields the record at the cursor has; the cursor moves behind it. 0: a quote is out of
 * place. */
static uint64_t profile_count(hsp__csv_cursor *cursor)
{
    hsp__csv_field field = {0};
    uint64_t fields = 0;
    for (; !field.last; fields++)
        if (hsp__csv_next(cursor, &field, NULL)) return 0;
    return fields;
}

static hsp_status profile_add(hsp_profile *profile, hsp__csv_cursor cursor, hsp_error *err)
{
    for (uint64_t j = 0; j < profile->totals.columns; j++) {
        hsp__csv_field field;
        HSP__TRY(hsp__csv_next(&cursor, &field, err));
        if (!hsp__column_profile_add(&profile->columns[j], field.text, field.size, field.line))
            return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* Pass over the rest of a line. */
static void profile_skip(hsp__csv_cursor *cursor)
{
    const char *end = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    cursor->at = cursor->line_start = end ? end + 1 : cursor->end;
    cursor->line++;
}

static void profile_note(uint64_t *count, uint64_t *first, uint64_t line, uint32_t *first_part,
                         uint32_t part)
{
    if ((*count)++) return;
    *first = line;
    *first_part = part;
}

/* The records of a text; `whole`: nothing follows it. The cursor ends where one begins that is cut
 * off. */
static hsp_status profile_records(hsp_profile *profile, hsp__csv_cursor *cursor, int whole,
                                  hsp_error *err)
{
    hsp_profile_totals *totals = &profile->totals;
    while (hsp__csv_skip_blank(cursor)) {
        const hsp__csv_cursor begin = *cursor;
        const uint64_t fields = profile_count(cursor);
        const int ended = fields ? cursor->at < cursor->end || cursor->end[-1] == '\n'
                                 : memchr(begin.at, '\n', (size_t)(begin.end - begin.at)) != NULL;
        const int cut = cursor->unclosed || !ended;
        if (cut && !whole && (size_t)(cursor->end - begin.at) < PROFILE_RECORD) {
            *cursor = begin;
            cursor->unclosed = 0;
            return HSP_OK;
        }
        totals->rows++;
        if (!fields) {
            *cursor = begin;
            profile_note(&totals->misquoted, &totals->misquoted_line, begin.line,
                         &profile->misquoted_part, profile->source->part);
            profile_skip(cursor);
        } else if (fields != totals->columns) {
            profile_note(&totals->ragged, &totals->ragged_line, begin.line, &profile->ragged_part,
                         profile->source->part);
        } else {
            HSP__TRY(profile_add(profile, begin, err));
        }
    }
    return cursor->unquoted->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* Go on to the next file, if there is one and it fits the first; *ended: no. Why it does not fit is
 * told when the rows are read. */
static hsp_status profile_next(hsp_context *ctx, hsp_profile *profile, const profile_input *input,
                               hsp_error *err, int *ended)
{
    hsp_error why = HSP_ERROR_INIT;
    const int last = input->source->part + 1 == input->source->parts;
    profile->totals.complete = last && input->left > 0;
    *ended = last || !input->left || input->peeked;
    if (*ended) return HSP_OK;
    const hsp_status status = hsp__source_next(ctx, input->source, &why);
    *ended = status != HSP_OK;
    if (status == HSP_BAD_DATA || status == HSP_USAGE) return HSP_OK;
    if (status && err) *err = why;
    return status;
}

/* The text from `skip` bytes on, chunk by chunk, up to the last record that is all there. */
static hsp_status profile_scan(hsp_context *ctx, hsp_profile *profile, profile_input *input,
                               size_t skip, uint64_t line, hsp__text *unquoted, hsp_error *err)
{
    char *buffer = NULL;
    uint64_t room = 0;
    size_t have = 0;
    hsp_status status = HSP_OK;
    int ended = 0;
    while (!status && !ended) {
        const size_t chunk = PROFILE_BLOCKS * ctx->block_bytes, want = have > chunk ? have : chunk;
        size_t got = 0;
        if (!hsp__reserve(&ctx->allocator, &buffer, &room, have + want + HSP__BLOCK_PADDING, 1))
            status = hsp__fail_memory(err);
        if (!status) status = profile_fill(input, buffer + have, want, err, &got);
        if (status) break;
        profile->totals.bytes += got;
        have += got;
        ended = got < want;
        memset(buffer + have, 0, HSP__BLOCK_PADDING);
        const size_t from = skip < have ? skip : have;
        hsp__csv_cursor cursor =
            hsp__csv_begin(buffer + from, have - from, profile->separator[0], unquoted);
        cursor.line = line;
        skip -= from;
        /* at the end of what is looked at, a record may be cut off */
        status = profile_records(profile, &cursor, ended && input->left > 0, err);
        line = cursor.line;
        have = (size_t)(cursor.end - cursor.at);
        memmove(buffer, cursor.at, have);
        if (!status)
            status = hsp__progress(ctx, "looking at the table", "bytes", profile->totals.bytes,
                                   input->source->unpacker ? 0 : input->source->size, err);
        if (status || !ended) continue;
        status = profile_next(ctx, profile, input, err, &ended);
        if (!ended) line = input->source->lines + 1;
    }
    hsp__free(&ctx->allocator, buffer);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* The names of the columns, c1, c2, ..., by the separators in the first line, if that has a quote
 * out of place and is text; else it is `why`. */
static hsp_status profile_first_line(hsp_profile *profile, hsp__csv_plan *plan,
                                     const hsp_error *why, hsp_error *err)
{
    const char *text, *end;
    char name[24];
    uint32_t number;
    size_t size;
    HSP__TRY(hsp__source_peek(profile->source, PROFILE_RECORD, err, &text, &size));
    end = memchr(text, '\n', size);
    if (end) size = (size_t)(end - text);
    if (why->status != HSP_BAD_DATA || !memchr(text, '"', size) || memchr(text, 0, size) ||
        (!end && memchr(text, '\r', size))) {
        if (err) *err = *why;
        return why->status;
    }
    for (size_t i = 0; i <= size; i++) {
        if (i < size && text[i] != plan->separator) continue;
        snprintf(name, sizeof name, "c%u", ++plan->count);
        if (!hsp__names_add(&profile->names, name, strlen(name), &number))
            return hsp__fail_memory(err);
    }
    plan->data_at = 0;
    plan->data_line = 0;
    return HSP_OK;
}

static hsp_status profile_columns(hsp_profile *profile, hsp__csv_plan *plan, hsp_error *err)
{
    hsp_profile_totals *totals = &profile->totals;
    profile->separator[0] = plan->separator;
    totals->separator = profile->separator;
    totals->header = plan->header;
    profile->columns = hsp__new(&profile->memory, plan->count, sizeof *profile->columns);
    profile->shown = hsp__new(&profile->memory, plan->count, sizeof *profile->shown);
    if (!profile->columns || !profile->shown) return hsp__fail_memory(err);
    totals->columns = plan->count;
    uint64_t values = PROFILE_VALUES / totals->columns;
    if (values > HSP__PROFILE_VALUES) values = HSP__PROFILE_VALUES;
    if (values < PROFILE_LEAST) values = PROFILE_LEAST;
    for (uint64_t j = 0; j < totals->columns; j++) {
        hsp__column_profile_init(&profile->columns[j], &profile->memory, &profile->rules,
                                 (uint32_t)values);
        profile->columns[j].decimal_comma = plan->separator == ';';
    }
    return HSP_OK;
}

/* Whole numbers that hardly come again under a name such as id, user_id, OrderNr or "row key". */
static void profile_judge_id(hsp_profile *profile, uint64_t j)
{
    static const char *const ends[] = {"id", "nr", "key"};
    hsp__column_profile *column = &profile->columns[j];
    const char *name = hsp__names_get(&profile->names, (uint32_t)j);
    const size_t size = strlen(name);
    if (!profile->totals.header || column->content != HSP__CONTENT_NUMBER || !column->integers ||
        !column->unique || column->missing || column->misfits)
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i]);
        if (size < length || strcasecmp(name + size - length, ends[i]) != 0) continue;
        const char *end = name + size - length; /* a word of its own: "paid" is none */
        if (end == name ||
            !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", end[-1]) ||
            (*end >= 'A' && *end <= 'Z' && end[-1] >= 'a'))
            column->content = HSP__CONTENT_ID;
    }
}

static void profile_show(hsp_profile *profile, uint64_t j)
{
    static const char *const kinds[] = {"empty",    "constant", "number", "date",
                                        "category", "id",       "text"};
    const hsp__column_profile *column = &profile->columns[j];
    hsp_profile_column *shown = &profile->shown[j];
    const int values =
        column->content == HSP__CONTENT_NUMBER || column->content == HSP__CONTENT_DATE;
    *shown =
        (hsp_profile_column){.name = hsp__names_get(&profile->names, (uint32_t)j),
                             .kind = kinds[column->content],
                             .format = column->content == HSP__CONTENT_DATE ? column->date : NULL,
                             .label = j == profile->totals.label,
                             .missing = column->missing,
                             .distinct = column->distinct,
                             .exact = !column->others,
                             .min = values ? column->least : (double)NAN,
                             .median = values ? column->median : (double)NAN,
                             .max = values ? column->most : (double)NAN};
    for (size_t i = 0; i < 3 && column->frequent[i] != HSP__NAME_NONE; i++) {
        shown->frequent[i] = hsp__names_get(&column->values, column->frequent[i]);
        shown->frequent_cells[i] = column->counts[column->frequent[i]];
    }
    for (uint32_t v = 0, i = 0; v < column->values.count && i < 3; v++)
        if (!hsp__column_profile_absent(column, v))
            shown->examples[i++] = hsp__names_get(&column->values, v);
}

static hsp_status profile_look(hsp_context *ctx, hsp_profile *profile, int tabs,
                               const hsp_options *read, int all, hsp_error *err)
{
    hsp__csv_plan plan = {0};
    hsp__text unquoted;
    hsp_error first = HSP_ERROR_INIT;
    profile_input input = {.source = profile->source, .left = all ? UINT64_MAX : PROFILE_BYTES};
    HSP__TRY(hsp__cell_rules_set(&profile->rules, read, err));
    hsp_status status = hsp__csv_look(ctx, profile->source, tabs, read, &first, &plan);
    profile->names = plan.names;
    if (status) status = profile_first_line(profile, &plan, &first, err);
    if (!status) status = profile_columns(profile, &plan, err);
    if (status) return status;
    for (size_t want = PROFILE_RECORD; !profile->source->rewinds; want *= 2) {
        HSP__TRY(hsp__source_peek(profile->source, want, err, &input.peeked, &input.size));
        if (input.size < want || input.size >= input.left) break;
    }
    hsp__text_init(&unquoted, &ctx->allocator);
    status = profile_scan(ctx, profile, &input, plan.data_at, plan.data_line + 1, &unquoted, err);
    hsp__text_free(&unquoted);
    profile->source->begin = NULL;                       /* the plan goes */
    for (int round = 0; !status && round < 2; round++) { /* which is the label, then all */
        for (uint64_t j = 0; !status && j < profile->totals.columns; j++) {
            const int label = round && j == profile->totals.label;
            if (round && !label) continue;
            if (!hsp__column_profile_finish(&profile->columns[j], label))
                status = hsp__fail_memory(err);
            if (!status && !label) profile_judge_id(profile, j);
        }
        if (!status && !round) profile->totals.label = hsp__profile_label(profile, read);
    }
    if (!status) status = hsp__profile_find(profile, read, err);
    for (uint64_t j = 0; !status && j < profile->totals.columns; j++)
        profile_show(profile, j);
    return status;
}

static hsp_status profile_run(hsp_context *ctx, hsp_profile *profile, const hsp_options *read,
                              const hsp_options *options, hsp_error *err)
{
    const char *format, *text;
    size_t size;
    hsp_options *defaults = NULL;
    const int all = options && hsp_options_flag(options, "all");
    HSP__TRY(hsp__format_find(profile->source, read, err, &format));
    /* words without any separator: a table of one column, unless its name says otherwise */
    if (strcmp(format, "libsvm") == 0 && !hsp__format_by_name(profile->source->part_names[0]) &&
        (!read || strcmp(hsp_options_text(read, "format"), "auto") == 0)) {
        HSP__TRY(hsp__source_peek(profile->source, 0, err, &text, &size));
        while (size && strchr(" \t\r\n", *text) && *text)
            text++, size--;
        if (size && !strchr("#+-.0123456789", *text) &&
            hsp__kind_of(text, size) == HSP_FILE_UNKNOWN)
            format = "csv";
    }
    profile->totals.format = format;
    profile->totals.label = UINT64_MAX;
    if (strcmp(format, "csv") != 0 && strcmp(format, "tsv") != 0) return HSP_OK;
    if (!read) HSP__TRY(hsp_options_new(ctx, hsp_read_options(), err, &defaults));
    hsp_status status =
        profile_look(ctx, profile, strcmp(format, "tsv") == 0, read ? read : defaults, all, err);
    hsp_options_free(defaults);
    return status;
}

static hsp_status profile_new(hsp_context *ctx, hsp_error *err, hsp_profile **out)
{
    hsp_profile *profile = *out = hsp__new(&ctx->allocator, 1, sizeof *profile);
    if (!profile) return hsp__fail_memory(err);
    profile->memory = ctx->allocator;
    profile->scratch.memory = &profile->memory;
    hsp__names_init(&profile->names, &profile->memory);
    hsp__cell_rules_init(&profile->rules, &profile->memory);
    return HSP_OK;
}

hsp_status hsp_profile_file(hsp_context *ctx, const char *path, const hsp_options *read,
                            const hsp_options *options, hsp_error *err, hsp_profile **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp_profile *profile;
    HSP__TRY(profile_new(ctx, err, &profile));
    hsp_status status = hsp__source_open_files(ctx, path, err, &profile->source);
    if (!status) status = profile_run(ctx, profile, read, options, err);
    status = hsp__while(err, status, "looking at", strcmp(path, "-") ? path : "standard input");
    HSP__GIVE(status, profile, hsp_profile_free, out);
}

hsp_status hsp_profile_parse(hsp_context *ctx, const void *text, size_t size, const char *name,
                             const hsp_options *read, const hsp_options *options, hsp_error *err,
                             hsp_profile **out)
{
    HSP__NEED(err, ctx, name, out);
    if (size) HSP__NEED(err, text);
    hsp_profile *profile;
    HSP__TRY(profile_new(ctx, err, &profile));
    hsp_status status = hsp__source_memory(ctx, text, size, name, err, &profile->source);
    if (!status) status = profile_run(ctx, profile, read, options, err);
    HSP__GIVE(status, profile, hsp_profile_free, out);
}

hsp_status hsp_profile_read(hsp_context *ctx, hsp_profile *profile, const hsp_options *read,
                            const hsp_encoding *encoding, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, profile, out);
    hsp__source *source = profile->source;
    if (source->rewinds)
        HSP__TRY(hsp__source_rewind(ctx, source, err));
    else if (profile->taken)
        return hsp__fail_at(err, HSP_USAGE, source->name, 0, 0, "this input was read already");
    profile->taken = 1;
    return hsp__data_read_source(ctx, source, source->part_names[0], read, encoding, err, out);
}

const hsp_profile_totals *hsp_profile_table(const hsp_profile *profile)
{
    return profile ? &profile->totals : NULL;
}

const hsp_profile_column *hsp_profile_column_at(const hsp_profile *profile, uint64_t i)
{
    return profile && i < profile->totals.columns ? &profile->shown[i] : NULL;
}

const hsp_finding *hsp_profile_finding(const hsp_profile *profile, uint64_t i)
{
    return profile && i < profile->count ? &profile->findings[i] : NULL;
}
