/* The encoding object and its JSON. docs/csv.md shows the JSON to users. */
#include "data/encode.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/formats.h"
#include "data/kind.h"
#include "data/output.h"
#include "data/source.h"

static const char *const encode_kinds[] = {"number", "category", "ordinal", "ignored", "label"};
static const char *const encode_missing[] = {"error", "drop", "mean", "indicator"};

#define ENCODE_VERSION 1

/* The number of a word in a list of words, or -1. */
static int encode_word(const char *const *words, int count, const char *word)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

const char *hsp__missing_word(hsp__missing missing)
{
    return encode_missing[missing];
}

int hsp__missing_of(const char *word)
{
    return encode_word(encode_missing, 4, word);
}

/* ---- The object ------------------------------------------------------------------------------ */

hsp_encoding *hsp__encoding_new(const hsp_allocator *memory)
{
    hsp_encoding *encoding = hsp__new(memory, 1, sizeof *encoding);
    if (!encoding) return NULL;
    encoding->memory = *memory;
    encoding->separator = ',';
    hsp__names_init(&encoding->names, memory);
    hsp__names_init(&encoding->classes, memory);
    return encoding;
}

void hsp_encoding_free(hsp_encoding *encoding)
{
    if (!encoding) return;
    for (uint32_t i = 0; i < encoding->names.count; i++)
        hsp__names_free(&encoding->columns[i].values);
    hsp__names_free(&encoding->names);
    hsp__names_free(&encoding->classes);
    hsp_allocator memory = encoding->memory;
    hsp__free(&memory, encoding->columns);
    hsp__free(&memory, encoding);
}

/* Add a name that is not there yet: "name", or else "name.2", "name.3", "name.4"; where many are
 * alike, with the number of the column. */
static int encode_add_distinct(hsp__names *names, const char *name, size_t size)
{
    uint32_t number;
    if (hsp__names_find(names, name, size) == HSP__NAME_NONE)
        return hsp__names_add(names, name, size, &number);
    hsp__text text;
    hsp__text_init(&text, &names->memory);
    for (uint32_t n = 2; !text.failed; n = n == 4 && names->count > 4 ? names->count + 1 : n + 1) {
        text.size = 0;
        hsp__text_add(&text, name, size);
        hsp__text_printf(&text, ".%u", n);
        if (!text.failed && hsp__names_find(names, text.data, text.size) == HSP__NAME_NONE) break;
    }
    int done = !text.failed && hsp__names_add(names, text.data, text.size, &number);
    hsp__text_free(&text);
    return done;
}

int hsp__encoding_add(hsp_encoding *encoding, const char *name, size_t size)
{
    uint64_t count = encoding->names.count;
    void *columns = encoding->columns;
    if (!hsp__reserve(&encoding->memory, &columns, &encoding->columns_room, count + 1,
                      sizeof *encoding->columns))
        return 0;
    encoding->columns = columns;
    encoding->columns[count] = (hsp__column){.kind = HSP__COLUMN_NUMBER};
    hsp__names_init(&encoding->columns[count].values, &encoding->memory);
    return encode_add_distinct(&encoding->names, name, size);
}

static int encode_copy_into(hsp_encoding *to, const hsp_encoding *from)
{
    to->separator = from->separator;
    to->header = from->header;
    to->missing = from->missing;
    int done = hsp__names_copy(&to->classes, &from->classes);
    for (uint32_t i = 0; done && i < from->names.count; i++) {
        const hsp__column *column = &from->columns[i];
        done = hsp__encoding_add(to, hsp__names_get(&from->names, i),
                                 hsp__names_size(&from->names, i));
        if (!done) break;
        to->columns[i].kind = column->kind;
        to->columns[i].indicator = column->indicator;
        to->columns[i].mean = column->mean;
        done = hsp__names_copy(&to->columns[i].values, &column->values);
    }
    return done;
}

hsp_status hsp__encoding_copy(const hsp_allocator *memory, const hsp_encoding *from, hsp_error *err,
                              hsp_encoding **out)
{
    hsp_encoding *copy = hsp__encoding_new(memory);
    if (!copy || !encode_copy_into(copy, from)) {
        hsp_encoding_free(copy);
        return hsp__fail_memory(err);
    }
    *out = copy;
    return HSP_OK;
}

uint64_t hsp__encoding_width(const hsp__column *column)
{
    if (column->kind == HSP__COLUMN_IGNORED || column->kind == HSP__COLUMN_LABEL) return 0;
    uint64_t values = column->kind == HSP__COLUMN_CATEGORY ? column->values.count : 1;
    return values + (column->indicator ? 1 : 0);
}

/* "column=value" behind the names that are there. */
static int encode_add_feature(hsp__names *features, hsp__text *text, const char *column,
                              const char *value)
{
    text->size = 0;
    hsp__text_puts(text, column);
    hsp__text_puts(text, "=");
    hsp__text_puts(text, value);
    return !text->failed && encode_add_distinct(features, text->data, text->size);
}

static int encode_column_features(const hsp__column *column, const char *name, hsp__text *text,
                                  hsp__names *features)
{
    int done = 1;
    if (column->kind == HSP__COLUMN_CATEGORY)
        for (uint32_t v = 0; done && v < column->values.count; v++)
            done = encode_add_feature(features, text, name, hsp__names_get(&column->values, v));
    else
        done = encode_add_distinct(features, name, strlen(name));
    if (done && column->indicator) done = encode_add_feature(features, text, name, "?");
    return done;
}

int hsp__encoding_feature_names(const hsp_encoding *encoding, hsp__names *features)
{
    hsp__text text;
    hsp__text_init(&text, &encoding->memory);
    int done = 1;
    for (uint32_t i = 0; done && i < encoding->names.count; i++)
        if (hsp__encoding_width(&encoding->columns[i]))
            done = encode_column_features(&encoding->columns[i],
                                          hsp__names_get(&encoding->names, i), &text, features);
    hsp__text_free(&text);
    return done;
}

/* ---- To JSON --------------------------------------------------------------------------------- */

/* Names that are not UTF-8 are {"hex": "..."}. */
static void encode_put_names(hsp__text *text, const hsp__names *names)
{
    hsp__text_puts(text, "[");
    for (uint32_t i = 0; i < names->count; i++) {
        if (i) hsp__text_puts(text, ", ");
        hsp__json_put_bytes(text, hsp__names_get(names, i), hsp__names_size(names, i));
    }
    hsp__text_puts(text, "]");
}

static void encode_put_column(hsp__text *text, const hsp_encoding *encoding, uint32_t i)
{
    const hsp__column *column = &encoding->columns[i];
    int valued = column->kind == HSP__COLUMN_NUMBER || column->kind == HSP__COLUMN_ORDINAL;
    hsp__text_puts(text, "    {\"name\": ");
    hsp__json_put_bytes(text, hsp__names_get(&encoding->names, i),
                        hsp__names_size(&encoding->names, i));
    hsp__text_printf(text, ", \"kind\": \"%s\"", encode_kinds[column->kind]);
    if (valued && encoding->missing == HSP__MISSING_MEAN) {
        hsp__text_puts(text, ", \"mean\": ");
        hsp__json_put_number(text, column->mean);
    }
    if (column->indicator) hsp__text_puts(text, ", \"indicator\": true");
    if (column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_ORDINAL) {
        hsp__text_puts(text, ", \"values\": ");
        encode_put_names(text, &column->values);
    }
    hsp__text_puts(text, "}");
}

hsp_status hsp__encoding_to_json(const hsp_encoding *encoding, const hsp_allocator *memory,
                                 hsp_error *err, char **out)
{
    hsp__text text;
    hsp__text_init(&text, memory);
    hsp__text_printf(&text, "{\n  \"halfspace_encoding\": %d,\n  \"separator\": ", ENCODE_VERSION);
    hsp__json_put_string(&text, &encoding->separator, 1);
    hsp__text_printf(&text, ",\n  \"header\": %s,\n", encoding->header ? "true" : "false");
    hsp__text_printf(&text, "  \"missing\": \"%s\",\n", encode_missing[encoding->missing]);
    hsp__text_puts(&text, "  \"columns\": [\n");
    for (uint32_t i = 0; i < encoding->names.count; i++) {
        if (i) hsp__text_puts(&text, ",\n");
        encode_put_column(&text, encoding, i);
    }
    hsp__text_puts(&text, "\n  ],\n  \"classes\": ");
    encode_put_names(&text, &encoding->classes);
    hsp__text_puts(&text, "\n}\n");
    if (text.failed) {
        hsp__text_free(&text);
        return hsp__fail_memory(err);
    }
    *out = text.data;
    return HSP_OK;
}

/* ---- From JSON ------------------------------------------------------------------------------- */

/* What reading needs at every depth. `status` is that of the first failure. */
typedef struct encode_reader {
    const char *file;
    hsp_error *err;
    hsp_status status;
    hsp__text bytes; /* a name given in hex */
} encode_reader;

static int encode_refuse(encode_reader *reader, const char *what)
{
    if (reader->status == HSP_OK)
        reader->status = hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, 0, 0,
                                      "not an encoding that this version reads: %s", what);
    return 0;
}

static int encode_no_memory(encode_reader *reader)
{
    if (reader->status == HSP_OK) reader->status = hsp__fail_memory(reader->err);
    return 0;
}

static int encode_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* The bytes of {"hex": "..."}; NULL when the value is something else. */
static const char *encode_get_hex(encode_reader *reader, const hsp__json_value *value, size_t *size)
{
    size_t digits = 0;
    const char *hex = hsp__json_string(hsp__json_get(value, "hex"), &digits);
    if (!hex || digits % 2) return NULL;
    reader->bytes.size = 0;
    for (size_t i = 0; i < digits; i += 2) {
        int high = encode_hex_digit(hex[i]), low = encode_hex_digit(hex[i + 1]);
        if (high < 0 || low < 0) return NULL;
        char byte = (char)(high << 4 | low);
        hsp__text_add(&reader->bytes, &byte, 1);
    }
    hsp__text_add(&reader->bytes, "", 0);
    *size = reader->bytes.size;
    return reader->bytes.failed ? NULL : reader->bytes.data;
}

/* A name, valid until the next one is asked for. */
static const char *encode_get_name(encode_reader *reader, const hsp__json_value *value,
                                   size_t *size)
{
    const char *name = hsp__json_type_of(value) == HSP__JSON_OBJECT
                           ? encode_get_hex(reader, value, size)
                           : hsp__json_string(value, size);
    if (reader->bytes.failed) {
        encode_no_memory(reader);
    } else if (!name || memchr(name, 0, *size)) {
        encode_refuse(reader, "a name is neither a string nor {\"hex\": \"...\"}");
        name = NULL;
    }
    return name;
}

static int encode_get_names(encode_reader *reader, const hsp__json_value *array, hsp__names *names)
{
    if (hsp__json_type_of(array) != HSP__JSON_ARRAY)
        return encode_refuse(reader, "a list of names is missing");
    for (size_t i = 0; i < hsp__json_count(array); i++) {
        size_t size;
        uint32_t number;
        const char *name = encode_get_name(reader, hsp__json_at(array, i), &size);
        if (!name) return 0;
        if (!hsp__names_add(names, name, size, &number)) return encode_no_memory(reader);
        if (number != i) return encode_refuse(reader, "a name appears twice in a list");
    }
    return 1;
}

static int encode_get_flag(encode_reader *reader, const hsp__json_value *value, int *out)
{
    hsp__json_type type = hsp__json_type_of(value);
    if (type != HSP__JSON_TRUE && type != HSP__JSON_FALSE)
        return encode_refuse(reader, "found something else where true or false belongs");
    *out = type == HSP__JSON_TRUE;
    return 1;
}

/* The members of a column that depend on its kind. */
static int encode_get_details(encode_reader *reader, const hsp__json_value *value,
                              hsp__missing missing, hsp__column *column)
{
    int valued = column->kind == HSP__COLUMN_NUMBER || column->kind == HSP__COLUMN_ORDINAL;
    int listed = column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_ORDINAL;
    const hsp__json_value *indicator = hsp__json_get(value, "indicator");
    if (listed && !encode_get_names(reader, hsp__json_get(value, "values"), &column->values))
        return 0;
    if (column->kind == HSP__COLUMN_ORDINAL && column->values.count == 0)
        return encode_refuse(reader, "an ordinal column has no values");
    if (valued && missing == HSP__MISSING_MEAN &&
        (!hsp__json_number(hsp__json_get(value, "mean"), &column->mean) || !isfinite(column->mean)))
        return encode_refuse(reader, "a column has no mean");
    if (!indicator) return 1;
    if (!encode_get_flag(reader, indicator, &column->indicator)) return 0;
    if (column->indicator && (missing != HSP__MISSING_INDICATOR || !(valued || listed)))
        return encode_refuse(reader, "an indicator belongs to no feature");
    return 1;
}

static int encode_get_column(encode_reader *reader, const hsp__json_value *value,
                             hsp_encoding *encoding)
{
    size_t size;
    uint32_t i = encoding->names.count;
    const char *name = encode_get_name(reader, hsp__json_get(value, "name"), &size);
    if (!name) return 0;
    if (hsp__names_find(&encoding->names, name, size) != HSP__NAME_NONE)
        return encode_refuse(reader, "two columns have one name");
    if (!hsp__encoding_add(encoding, name, size)) return encode_no_memory(reader);
    int kind = encode_word(encode_kinds, 5, hsp__json_string(hsp__json_get(value, "kind"), NULL));
    if (kind < 0) return encode_refuse(reader, "a column has no kind that is known");
    encoding->columns[i].kind = (hsp__column_kind)kind;
    return encode_get_details(reader, value, encoding->missing, &encoding->columns[i]);
}

static int encode_get_columns(encode_reader *reader, const hsp__json_value *array,
                              hsp_encoding *encoding)
{
    uint32_t labels = 0;
    uint64_t features = 0;
    if (hsp__json_type_of(array) != HSP__JSON_ARRAY)
        return encode_refuse(reader, "the list of columns is missing");
    for (size_t i = 0; i < hsp__json_count(array); i++) {
        if (!encode_get_column(reader, hsp__json_at(array, i), encoding)) return 0;
        labels += encoding->columns[i].kind == HSP__COLUMN_LABEL;
        features += hsp__encoding_width(&encoding->columns[i]);
    }
    if (labels > 1) return encode_refuse(reader, "there are two label columns");
    if (!features) return encode_refuse(reader, "there is no feature");
    return 1;
}

static int encode_get_all(encode_reader *reader, const hsp__json_value *root,
                          hsp_encoding *encoding)
{
    uint64_t version = 0;
    size_t size = 0;
    if (!hsp__json_u64(hsp__json_get(root, "halfspace_encoding"), &version) ||
        version != ENCODE_VERSION)
        return encode_refuse(reader, "\"halfspace_encoding\": 1 is missing");
    const char *separator = hsp__json_string(hsp__json_get(root, "separator"), &size);
    if (!separator || size != 1 || strchr("\"\r\n", separator[0]))
        return encode_refuse(reader, "the separator is not one character");
    encoding->separator = separator[0];
    int missing = hsp__missing_of(hsp__json_string(hsp__json_get(root, "missing"), NULL));
    if (missing < 0) return encode_refuse(reader, "the treatment of missing values is missing");
    encoding->missing = (hsp__missing)missing;
    return encode_get_flag(reader, hsp__json_get(root, "header"), &encoding->header) &&
           encode_get_columns(reader, hsp__json_get(root, "columns"), encoding) &&
           encode_get_names(reader, hsp__json_get(root, "classes"), &encoding->classes);
}

hsp_status hsp__encoding_from_json(const hsp_allocator *memory, const char *text, size_t size,
                                   const char *file, hsp_error *err, hsp_encoding **out)
{
    hsp__json *json = NULL;
    hsp_status status = hsp__json_parse(memory, text, size, file, err, &json);
    if (status != HSP_OK) return status;
    encode_reader reader = {.file = file, .err = err};
    hsp__text_init(&reader.bytes, memory);
    hsp_encoding *encoding = hsp__encoding_new(memory);
    if (!encoding)
        encode_no_memory(&reader);
    else
        encode_get_all(&reader, hsp__json_root(json), encoding);
    hsp__text_free(&reader.bytes);
    hsp__json_free(json);
    if (reader.status == HSP_OK)
        *out = encoding;
    else
        hsp_encoding_free(encoding);
    return reader.status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

#define ENCODE_FILE_MOST ((size_t)1 << 30)

hsp_status hsp_encoding_read(hsp_context *ctx, const char *path, hsp_error *err, hsp_encoding **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__source *source = NULL;
    char *text = NULL;
    size_t size = 0;
    hsp_status status = hsp__source_open(ctx, path, err, &source);
    if (!status) status = hsp__source_read_all(ctx, source, ENCODE_FILE_MOST, err, &text, &size);
    if (!status && size > ENCODE_FILE_MOST)
        status = hsp__fail_at(err, HSP_BAD_DATA, source->name, 0, 0,
                              "this is too large for an encoding");
    if (!status) status = hsp__encoding_from_json(&ctx->allocator, text, size, path, err, out);
    hsp__free(&ctx->allocator, text);
    hsp__source_free(source);
    return hsp__kind_explain(ctx, path, HSP_FILE_ENCODING, status, err);
}

hsp_status hsp_encoding_write(hsp_context *ctx, const hsp_encoding *encoding, const char *path,
                              hsp_error *err)
{
    HSP__NEED(err, ctx, encoding, path);
    char *json = NULL;
    hsp__output *output = NULL;
    hsp_status status = hsp__encoding_to_json(encoding, &ctx->allocator, err, &json);
    if (status == HSP_OK) status = hsp__output_open(ctx, path, err, &output);
    if (status == HSP_OK && json) status = hsp__output_write(output, json, strlen(json), err);
    if (status == HSP_OK) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    hsp__free(&ctx->allocator, json);
    return status;
}
