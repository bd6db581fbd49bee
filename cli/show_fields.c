/* Reports from tables of fields (halfspace_report.h): JSON for programs, text for people, the
 * keys for manual pages and documentation, the JSON schema.
 *
 * Text for people: each field with a label is a line "label  value"; what stands for the value is
 * its template, if it has one. A field with a template and no label is a line of its own, and a
 * list of records with a label, itself a template, is a table below it. In a template
 *
 *     {}            is the field's own value, {key} that of another field: of this record, of its
 *                   parts, or of a record around it
 *     {key:row}     a count with its noun: "1 row", "2 rows"
 *     [A~B~C]       is the first of these that has no null in it; "" if all have
 *
 * and a line with a null in it is left out. The heading of a column is a template over the record
 * that the list belongs to; a column whose heading has a null is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli.h"

#define FIELDS_ROWS    100 /* of a table, for people; JSON has them all */
#define FIELDS_CLASSES 20  /* of a confusion matrix, likewise */

typedef union fields_room {
    char bytes[HSP_FIELD_ROOM];
    max_align_t aligned;
} fields_room;

/* A record, and those around it. */
typedef struct fields_scope {
    const hsp_field *fields;
    const void *record;
    const struct fields_scope *around;
} fields_scope;

/* ---- Values as text ---- */

/* Text that grows. */
typedef struct fields_text {
    char *data; /* malloc'ed, or NULL */
    size_t size;
} fields_text;

static void fields_add(fields_text *text, const char *bytes, size_t size)
{
    text->data = cli_memory(text->data, text->size + size + 1);
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = 0;
}

static int fields_show(fields_text *out, const hsp_field *field, const fields_scope *scope);

/* "a, b and c", "a, b, c, d, e and 8 more". */
/* NOLINTNEXTLINE(misc-no-recursion): a list in a list */
static int fields_show_list(fields_text *out, const hsp_field *field, const void *record)
{
    fields_room room;
    size_t count = 0;
    while (hsp_field_value(field, record, count, &room))
        count++;
    const size_t shown = count > 6 ? 5 : count;
    for (size_t i = 0; i < shown; i++) {
        const void *one = hsp_field_value(field, record, i, &room);
        const char *join = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        fields_add(out, join, strlen(join));
        const fields_scope inner = {field->of(), one, NULL};
        fields_show(out, field->of(), &inner);
    }
    if (shown < count) {
        char *more = cli_format(" and %s more", show_count(count - shown));
        fields_add(out, more, strlen(more));
        free(more);
    }
    return count > 0;
}

/* Append the value; 0: it is null. */
/* NOLINTNEXTLINE(misc-no-recursion): a list in a list */
static int fields_show(fields_text *out, const hsp_field *field, const fields_scope *scope)
{
    fields_room room;
    const char *text = NULL;
    int input; /* the name of a file that was read */
    if (field->type == HSP_FIELD_LIST) return fields_show_list(out, field, scope->record);
    const void *value = hsp_field_value(field, scope->record, 0, &room);
    if (!value) return 0;
    switch (field->type) {
    case HSP_FIELD_FLAG:
        text = *(const int *)value ? "yes" : "no";
        break;
    case HSP_FIELD_COUNT:
        text = field->unit && strcmp(field->unit, "bytes") == 0
                   ? show_bytes(*(const uint64_t *)value)
                   : show_count(*(const uint64_t *)value);
        break;
    case HSP_FIELD_COUNT32:
        text = show_count(*(const uint32_t *)value);
        break;
    case HSP_FIELD_LOWER:
        text = show_below(*(const double *)value);
        break;
    case HSP_FIELD_UPPER:
        text = show_above(*(const double *)value);
        break;
    case HSP_FIELD_SHARE:
        text = show_share(*(const double *)value);
        break;
    case HSP_FIELD_UPPER_SHARE:
        text = show_share_bound(*(const double *)value, 1);
        break;
    case HSP_FIELD_REAL:
    case HSP_FIELD_SECONDS:
        text = show_number(*(const double *)value);
        break;
    case HSP_FIELD_NUMBER:
    case HSP_FIELD_TEXT:
        input =
            field->name && (strcmp(field->name, "file") == 0 || strcmp(field->name, "model") == 0);
        text = input ? show_input(value) : show_text(value);
        break;
    default:
        return 0;
    }
    fields_add(out, text, strlen(text));
    return 1;
}

/* The field of that name and, in *at, its record. */
/* NOLINTNEXTLINE(misc-no-recursion): parts of parts */
static const hsp_field *fields_find(const hsp_field *fields, const void *record, const char *name,
                                    size_t size, fields_room *rooms, const void **at)
{
    for (const hsp_field *field = fields; field->type != HSP_FIELD_END; field++) {
        if (field->type == HSP_FIELD_PART) {
            const void *part = hsp_field_value(field, record, 0, rooms);
            const hsp_field *found =
                part ? fields_find(field->of(), part, name, size, rooms + 1, at) : NULL;
            if (found) return found;
        } else if (field->name && strlen(field->name) == size &&
                   memcmp(field->name, name, size) == 0) {
            *at = record;
            return field;
        }
    }
    return NULL;
}

#define FIELDS_DEPTH 4 /* of parts in parts */

/* "{name}" or "{name:noun}"; 0: null, or there is no such field. */
static int fields_insert(fields_text *out, const char *name, size_t size, const hsp_field *own,
                         const fields_scope *scope)
{
    fields_room rooms[FIELDS_DEPTH];
    const char *colon = memchr(name, ':', size);
    const size_t length = colon ? (size_t)(colon - name) : size, before = out->size;
    fields_scope at = *scope;
    const hsp_field *field = length ? NULL : own;
    for (const fields_scope *s = scope; !field && s; s = s->around)
        field = fields_find(s->fields, s->record, name, length, rooms, &at.record);
    if (!field || !fields_show(out, field, &at)) return 0;
    if (!colon) return 1;
    const int one = out->size == before + 1 && out->data[before] == '1';
    fields_add(out, " ", 1);
    fields_add(out, colon + 1, size - length - 1);
    if (!one) fields_add(out, "s", 1);
    return 1;
}

/* Render a template up to its end, or to ~ or ] that are not in brackets of their own. Returns
 * where it ended; *complete: nothing was null. */
/* NOLINTNEXTLINE(misc-no-recursion): brackets in brackets */
static const char *fields_render(fields_text *out, const char *at, const hsp_field *own,
                                 const fields_scope *scope, int *complete)
{
    *complete = 1;
    while (*at && *at != '~' && *at != ']') {
        if (*at == '{') {
            const size_t size = strcspn(at, "}") - 1;
            *complete &= fields_insert(out, at + 1, size, own, scope);
            at += size + 2;
        } else if (*at == '[') {
            int done = 0;
            do {
                const size_t before = out->size;
                int whole;
                at = fields_render(out, at + 1, own, scope, &whole);
                if (done || !whole) out->size = before;
                done |= whole;
            } while (*at == '~');
            if (*at) at++;
        } else {
            fields_add(out, at++, 1);
        }
    }
    return at;
}

/* What a report says of the field, malloc'ed; NULL: nothing. */
static char *fields_line(const hsp_field *field, const fields_scope *scope)
{
    fields_text out = {NULL, 0};
    int complete;
    fields_add(&out, "", 0);
    if (field->text)
        fields_render(&out, field->text, field, scope, &complete);
    else
        complete = fields_show(&out, field, scope);
    out.data[out.size] = 0;
    if (complete && out.size) return out.data;
    free(out.data);
    return NULL;
}

/* ---- The report ---- */

static int fields_is_number(const hsp_field *field)
{
    return field->type >= HSP_FIELD_COUNT && field->type <= HSP_FIELD_NUMBER;
}

/* Has a record of a list columns? Plain values stand in a line. */
static int fields_is_table(const hsp_field *items)
{
    return items->name || items->label || items[1].type != HSP_FIELD_END;
}

/* The heading of a column, malloc'ed: its label, a template over the records around the list; NULL:
 * the column is not shown. */
static char *fields_heading(const hsp_field *item, const fields_scope *scope)
{
    const hsp_field title = {.type = HSP_FIELD_TEXT, .text = item->label};
    if (!item->label || !strchr(item->label, '{'))
        return item->label ? cli_format("%s", item->label) : NULL;
    return fields_line(&title, scope);
}

/* A list of records: a table with a column per field that has a label. A row of headings stands
 * above it, unless all of them are "". */
static void fields_print_list(cli_table *above, const hsp_field *field, const fields_scope *scope,
                              FILE *file)
{
    const hsp_field title = {.type = HSP_FIELD_TEXT, .text = field->label};
    const size_t most = field->most ? field->most : FIELDS_ROWS;
    fields_room room;
    char columns[64] = "", *heads[64];
    size_t count = 0, width = 0, n = 0;
    int headed = 0;
    cli_table table;
    while (hsp_field_value(field, scope->record, count, &room))
        count++;
    if (!count) return;
    table_print(above, file);
    above->before = "\n"; /* of what follows */
    for (const hsp_field *item = field->of(); item->type != HSP_FIELD_END; item++, n++) {
        heads[n] = fields_heading(item, scope);
        if (heads[n]) columns[width++] = fields_is_number(item) ? 'r' : 'l';
        headed |= heads[n] && *heads[n];
    }
    table_begin(&table, columns);
    for (size_t k = 0; headed && k < n; k++)
        if (heads[k]) table_cell(&table, "%s", heads[k]);
    for (size_t i = 0; i < count && i < most; i++) {
        const fields_scope inner = {field->of(), hsp_field_value(field, scope->record, i, &room),
                                    scope};
        for (size_t k = 0; k < n; k++) {
            const hsp_field *item = &inner.fields[k];
            if (!heads[k]) continue;
            char *cell = fields_line(item, &inner);
            table_cell(&table, "%s", cell ? cell : item->name && fields_is_number(item) ? "-" : "");
            free(cell);
        }
    }
    for (size_t k = 0; k < n; k++)
        free(heads[k]);
    char *heading = fields_line(&title, scope);
    if (heading) fprintf(file, "\n%s", heading);
    if (heading && count > most)
        fprintf(file, " (the first %zu of %s; --json has all)", most, show_count(count));
    if (heading) fputc('\n', file);
    table_print(&table, file);
    free(heading);
}

/* NOLINTNEXTLINE(misc-no-recursion): parts of parts */
static void fields_print(cli_table *table, const fields_scope *scope, FILE *file)
{
    for (const hsp_field *field = scope->fields; field->type != HSP_FIELD_END; field++) {
        fields_room room;
        const int list = field->type == HSP_FIELD_MAP ||
                         (field->type == HSP_FIELD_LIST && fields_is_table(field->of()));
        if (list && field->label && !field->text) {
            fields_print_list(table, field, scope, file);
            continue;
        }
        const int part = field->type == HSP_FIELD_PART || field->type == HSP_FIELD_OBJECT;
        const fields_scope inner = {part ? field->of() : scope->fields,
                                    part ? hsp_field_value(field, scope->record, 0, &room)
                                         : scope->record,
                                    part ? scope : scope->around};
        if (part && inner.record && !field->text) fields_print(table, &inner, file);
        const int said = field->text || (field->label && !part);
        char *line = said && inner.record ? fields_line(field, &inner) : NULL;
        if (line && field->label) {
            table_line(table, field->label, "%s", line);
        } else if (line) {
            table_print(table, file);
            fprintf(file, "%s\n", line);
        }
        free(line);
    }
}

/* ---- A report of a command ---- */

typedef struct fields_report {
    const void *record;
    uint64_t peak_bytes, threads;
} fields_report;

PUBLIC_FIELDS(cli_cost_fields, fields_report,
              FIELD(COUNT, "peak_rss_bytes", NULL, peak_bytes, "most memory used", .unit = "bytes"),
              FIELD(COUNT, "threads", NULL, threads, "threads that could be used"))

GETTER(fields_own, fields_report, report, report->record)

hsp_status cli_report(const cli *run, const cli_result *result, const void *record, FILE *file,
                      hsp_error *err)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const fields_report report = {record, (uint64_t)usage.ru_maxrss * 1024,
                                  (uint64_t)hsp_context_threads(run->ctx)};
    cli_progress_clear();
    if (cli_json(run)) {
        /* what the command reports, then what it took */
        const hsp_field root[] = {
            {.type = HSP_FIELD_PART, .get = fields_own, .of = result->fields},
            {.type = result->bare ? HSP_FIELD_END : HSP_FIELD_PART, .of = cli_cost_fields},
            {.type = HSP_FIELD_END}};
        hsp_status status = hsp_report_json(run->ctx, root, &report, cli_put, stdout, err);
        /* whether standard output took it is found out when it is flushed */
        return status == HSP_CANCELLED ? HSP_OK : status;
    }
    const fields_scope scope = {result->fields(), record, NULL};
    cli_table table;
    table_begin(&table, "ll");
    fields_print(&table, &scope, file);
    table_print(&table, file);
    fflush(file);
    return HSP_OK;
}

/* ---- Data sets ---- */

/* The member of a record that has one. */
typedef struct fields_data {
    hsp_data *data;
} fields_data;

GETTER(fields_note, fields_data, of, hsp_data_stored_note(of->data))
GETTER(fields_numbers, fields_data, of, *hsp_data_stored_note(of->data) ? "stored" : "decimals")
GETTER_NEW(fields_rows, fields_data, of, uint64_t, hsp_data_rows(of->data))
GETTER_NEW(fields_cols, fields_data, of, uint64_t, hsp_data_cols(of->data))
GETTER_NEW(fields_nonzeros, fields_data, of, uint64_t, hsp_data_nonzeros(of->data))
GETTER(fields_storage, fields_data, of, hsp_storage_name(hsp_data_storage(of->data)))
GETTER(fields_precision, fields_data, of,
       hsp_data_precision(of->data) == HSP_FLOAT32 ? "single" : "double")
GETTER(fields_reason, fields_data, of,
       *hsp_data_precision_reason(of->data) ? hsp_data_precision_reason(of->data) : NULL)

PUBLIC_FIELDS(
    cli_numbers_fields, fields_report, FIELD_GET(TEXT, ".note", NULL, fields_note, NULL),
    FIELD_GET(TEXT, "numbers", NULL, fields_numbers,
              "what statements are about: the decimals of the file, or the numbers as stored, if "
              "the file has more digits than memory holds"))

PUBLIC_FIELDS(cli_shape_fields, fields_report,
              FIELD_GET(COUNT, "rows", NULL, fields_rows, "rows", .unit = "rows"),
              FIELD_GET(COUNT, "features", NULL, fields_cols, "columns", .unit = "columns"))

PUBLIC_FIELDS(cli_storage_fields, fields_report,
              FIELD_GET(TEXT, "storage", NULL, fields_storage,
                        "dense, sparse, or ones (sparse, all values 1)"),
              FIELD_GET(TEXT, "precision", NULL, fields_precision, "single or double"),
              FIELD_GET(TEXT, "precision_reason", NULL, fields_reason,
                        "why reading chose double precision", .when = "null if it did not"))

PUBLIC_FIELDS(cli_data_fields, fields_data,
              FIELD(PART, NULL, NULL, data, NULL, .of = cli_shape_fields),
              FIELD_GET(COUNT, "nonzeros", NULL, fields_nonzeros, "entries other than 0"),
              FIELD(PART, NULL, NULL, data, NULL, .of = cli_storage_fields))

/* ---- Confusion matrices ---- */

typedef struct fields_counts {
    const uint64_t *counts;
    size_t count;
} fields_counts;

GETTER_AT(fields_matrix_row, cli_confusion, matrix, fields_counts, i < matrix->classes,
          matrix->counts + i * matrix->classes, matrix->classes)
GETTER(fields_matrix_count, fields_counts, row, i < row->count ? &row->counts[i] : NULL)

FIELDS(fields_matrix, fields_counts,
       {.type = HSP_FIELD_LIST, .get = fields_matrix_count, .of = hsp_field_counts})

PUBLIC_FIELDS(
    cli_confusion_fields, cli_confusion,
    FIELD_GET(LIST, "confusion", NULL, fields_matrix_row,
              "confusion matrix: per true class, the rows predicted as each class; ties are in no "
              "column",
              .unit = "rows", .of = fields_matrix))

void cli_confusion_print(const cli_confusion *confusion, FILE *file)
{
    char columns[FIELDS_CLASSES + 2] = "l";
    cli_table table;
    if (confusion->classes > FIELDS_CLASSES) {
        fprintf(file, "\nConfusion matrix of %s classes: see --json\n",
                show_count(confusion->classes));
        return;
    }
    memset(columns + 1, 'r', confusion->classes);
    table_begin(&table, columns);
    table_cell(&table, "class");
    for (uint32_t c = 0; c < confusion->classes; c++)
        table_cell(&table, "as %s", show_name(confusion->name(confusion->names, c)));
    for (uint32_t t = 0; t < confusion->classes; t++) {
        table_cell(&table, "%s", show_name(confusion->name(confusion->names, t)));
        for (uint32_t c = 0; c < confusion->classes; c++)
            table_cell(&table, "%s",
                       show_count(confusion->counts[(size_t)t * confusion->classes + c]));
    }
    fprintf(file, "\nConfusion matrix (rows: true class)\n");
    table_print(&table, file);
}
