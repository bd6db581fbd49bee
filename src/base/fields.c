/* Values and JSON from tables of fields. */
#include "halfspace_all.h"
#include "halfspace_fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/json.h"

#define FIELDS_FLUSH 65536 /* bytes that are kept before they are handed out */

const hsp_field *hsp_field_counts(void)
{
    static const hsp_field item[] = {{.type = HSP_FIELD_COUNT}, {.type = HSP_FIELD_END}};
    return item;
}

const hsp_field *hsp_field_reals(void)
{
    static const hsp_field item[] = {{.type = HSP_FIELD_REAL}, {.type = HSP_FIELD_END}};
    return item;
}

/* A list hands out the texts themselves. */
static const void *fields_text(const void *record, size_t i, void *room)
{
    (void)i, (void)room;
    return record;
}

const hsp_field *hsp_field_texts(void)
{
    static const hsp_field item[] = {{.type = HSP_FIELD_TEXT, .get = fields_text},
                                     {.type = HSP_FIELD_END}};
    return item;
}

const void *hsp_field_value(const hsp_field *field, const void *record, size_t i, void *room)
{
    if (!field || !record) return NULL;
    const void *at =
        field->get ? field->get(record, i, room) : (const char *)record + field->offset;
    if (!at) return NULL;
    switch (field->type) {
    case HSP_FIELD_FLAG:
        return *(const int *)at < 0 ? NULL : at;
    case HSP_FIELD_COUNT:
        return *(const uint64_t *)at == UINT64_MAX ? NULL : at;
    case HSP_FIELD_COUNT32:
        return *(const uint32_t *)at == UINT32_MAX ? NULL : at;
    case HSP_FIELD_REAL:
    case HSP_FIELD_LOWER:
    case HSP_FIELD_UPPER:
    case HSP_FIELD_SHARE:
    case HSP_FIELD_UPPER_SHARE:
    case HSP_FIELD_SECONDS:
        return isfinite(*(const double *)at) ? at : NULL;
    case HSP_FIELD_NUMBER:
    case HSP_FIELD_TEXT:
        return field->get ? at : *(const char *const *)at;
    default:
        return at;
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef union fields_room {
    char bytes[HSP_FIELD_ROOM];
    max_align_t aligned;
} fields_room;

typedef struct fields_json {
    hsp__text text;
    int depth, line; /* line: all in one */
    size_t values;   /* since the last bracket was opened */
    int stopped;     /* `take` asked for it */
    hsp_bytes_fn take;
    void *user;
} fields_json;

static void fields_flush(fields_json *json)
{
    if (!json->text.failed && !json->stopped && json->text.size)
        json->stopped = json->take(json->user, json->text.data, json->text.size);
    json->text.size = 0;
}

/* The comma before a value, its line unless it shares one, and the key. */
static void fields_begin(fields_json *json, const char *key, int same_line)
{
    if (json->values++) hsp__text_puts(&json->text, same_line && !json->line ? ", " : ",");
    if (!same_line && !json->line && json->depth)
        hsp__text_printf(&json->text, "\n%*s", 2 * json->depth, "");
    if (json->take && json->text.size > FIELDS_FLUSH) fields_flush(json);
    if (!key) return;
    hsp__json_put_string(&json->text, key, strlen(key));
    hsp__text_puts(&json->text, json->line ? ":" : ": ");
}

static void fields_open(fields_json *json, const char *bracket)
{
    hsp__text_puts(&json->text, bracket);
    json->depth++;
    json->values = 0;
}

static void fields_close(fields_json *json, const char *bracket, int same_line)
{
    json->depth--;
    if (json->values && !same_line && !json->line)
        hsp__text_printf(&json->text, "\n%*s", 2 * json->depth, "");
    hsp__text_puts(&json->text, bracket);
    json->values = 1;
}

static void fields_object(fields_json *json, const hsp_field *fields, const void *record);
static void fields_value(fields_json *json, const hsp_field *field, const void *record);

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the table */
static void fields_list(fields_json *json, const hsp_field *field, const void *record)
{
    const hsp_field *item = field->of();
    const int map = field->type == HSP_FIELD_MAP;
    /* numbers and flags stand in one line */
    const int line = !map && !item->name && item->type <= HSP_FIELD_NUMBER;
    fields_room room, key;
    const void *one;
    fields_open(json, map ? "{" : "[");
    for (size_t i = 0; !json->stopped && (one = hsp_field_value(field, record, i, &room)); i++) {
        fields_begin(json, map ? hsp_field_value(&item[0], one, 0, &key) : NULL, line);
        if (!map && item->name)
            fields_object(json, item, one);
        else
            fields_value(json, &item[map], one);
    }
    fields_close(json, map ? "}" : "]", line);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the table */
static void fields_value(fields_json *json, const hsp_field *field, const void *record)
{
    fields_room room;
    const int list = field->type == HSP_FIELD_LIST || field->type == HSP_FIELD_MAP;
    const void *value = hsp_field_value(field, record, 0, &room);
    if (list && (value || !field->when)) { /* without `when` it is empty, not null */
        fields_list(json, field, record);
        return;
    }
    if (!value) {
        hsp__text_puts(&json->text, "null");
        return;
    }
    switch (field->type) {
    case HSP_FIELD_FLAG:
        hsp__text_puts(&json->text, *(const int *)value ? "true" : "false");
        break;
    case HSP_FIELD_COUNT:
        hsp__text_printf(&json->text, "%" PRIu64, *(const uint64_t *)value);
        break;
    case HSP_FIELD_COUNT32:
        hsp__text_printf(&json->text, "%" PRIu32, *(const uint32_t *)value);
        break;
    case HSP_FIELD_SECONDS:
        hsp__text_printf(&json->text, "%.6f", *(const double *)value);
        break;
    case HSP_FIELD_REAL:
    case HSP_FIELD_LOWER:
    case HSP_FIELD_UPPER:
    case HSP_FIELD_SHARE:
    case HSP_FIELD_UPPER_SHARE:
        hsp__json_put_number(&json->text, *(const double *)value + 0.0); /* no -0 */
        break;
    case HSP_FIELD_NUMBER:
        hsp__text_puts(&json->text, value);
        break;
    case HSP_FIELD_TEXT:
        hsp__json_put_string(&json->text, value, strlen(value));
        break;
    default:
        fields_object(json, field->of(), value);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the table */
static void fields_members(fields_json *json, const hsp_field *fields, const void *record)
{
    for (const hsp_field *field = fields; field->type != HSP_FIELD_END; field++) {
        fields_room room;
        if (field->type == HSP_FIELD_PART) {
            const void *part = hsp_field_value(field, record, 0, &room);
            if (part) fields_members(json, field->of(), part);
        } else if (field->name && field->name[0] != '.' &&
                   !(field->optional && !hsp_field_value(field, record, 0, &room))) {
            fields_begin(json, field->name, 0);
            fields_value(json, field, record);
        }
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the table */
static void fields_object(fields_json *json, const hsp_field *fields, const void *record)
{
    fields_open(json, "{");
    fields_members(json, fields, record);
    fields_close(json, "}", 0);
}

void hsp__json_put_record(hsp__text *text, const hsp_field *fields, const void *record)
{
    fields_json json = {.text = *text, .line = 1};
    fields_object(&json, fields, record);
    *text = json.text;
}

hsp_status hsp_report_json(hsp_context *ctx, const hsp_field *fields, const void *record,
                           hsp_bytes_fn take, void *user, hsp_error *err)
{
    HSP__NEED(err, ctx, fields, record);
    if (!take) return hsp__fail(err, HSP_USAGE, "hsp_report_json: take is NULL");
    fields_json json = {.take = take, .user = user};
    hsp__text_init(&json.text, &ctx->allocator);
    fields_object(&json, fields, record);
    hsp__text_puts(&json.text, "\n");
    fields_flush(&json);
    const int failed = json.text.failed;
    hsp__text_free(&json.text);
    if (failed) return hsp__fail_memory(err);
    return json.stopped ? hsp__fail(err, HSP_CANCELLED, "stopped on request") : HSP_OK;
}
