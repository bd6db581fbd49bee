/* The encoding object and its JSON. docs/csv.md shows the JSON to users. */
#include "data/encode.h"

#include <stdio.h>

#include "base/base.h"
#include "base/json.h"
#include "base/text.h"
#include "data/formats.h"
#include "data/hash_text.h"
#include "data/output.h"
#include "data/source.h"

static const char *const encode_kinds[] = {"number", "category", "ordinal", "ignored",
                                           "label",  "date",     "hashed"};
#define ENCODE_KINDS (int)(sizeof encode_kinds / sizeof *encode_kinds)
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

#define ENCODE_MOST_PLACES 1000 /* columns without names that a table may be expected to have */

hsp_encoding *hsp__encoding_new(const hsp_allocator *memory)
{
    hsp_encoding *encoding = hsp__new(memory, 1, sizeof *encoding);
    if (!encoding) return NULL;
    encoding->memory = *memory;
    encoding->separator = ',';
    hsp__cell_rules_init(&encoding->rules, memory);
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
    hsp__cell_rules_free(&encoding->rules);
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
    if (!hsp__reserve(&encoding->memory, &encoding->columns, &encoding->columns_room, count + 1,
                      sizeof *encoding->columns))
        return 0;
    encoding->columns[count] = (hsp__column){.kind = HSP__COLUMN_NUMBER};
    hsp__names_init(&encoding->columns[count].values, &encoding->memory);
    return encode_add_distinct(&encoding->names, name, size);
}

hsp_status hsp__encoding_copy(const hsp_allocator *memory, const hsp_encoding *from, hsp_error *err,
                              hsp_encoding **out)
{
    hsp_encoding *to = hsp__encoding_new(memory);
    int done = to && hsp__names_copy(&to->classes, &from->classes) &&
               hsp__cell_rules_copy(&to->rules, &from->rules);
    for (uint32_t i = 0; done && i < from->names.count; i++) {
        const hsp__column *column = &from->columns[i];
        done = hsp__encoding_add(to, hsp__names_get(&from->names, i),
                                 hsp__names_size(&from->names, i));
        if (!done) break;
        to->columns[i].kind = column->kind;
        to->columns[i].indicator = column->indicator;
        to->columns[i].hashed = column->hashed;
        to->columns[i].ngrams = column->ngrams;
        to->columns[i].percent = column->percent;
        to->columns[i].mean = column->mean;
        memcpy(to->columns[i].pattern, column->pattern, sizeof column->pattern);
        to->columns[i].parts = column->parts;
        memcpy(to->columns[i].means, column->means, sizeof column->means);
        done = hsp__names_copy(&to->columns[i].values, &column->values);
    }
    if (!done) {
        hsp_encoding_free(to);
        return hsp__fail_memory(err);
    }
    to->separator = from->separator;
    to->header = from->header;
    to->missing = from->missing;
    *out = to;
    return HSP_OK;
}

uint32_t hsp__encoding_cells(const hsp__column *column)
{
    return column->kind == HSP__COLUMN_DATE ? (uint32_t)__builtin_popcount(column->parts) : 1;
}

int hsp__encoding_part(const hsp__column *column, uint32_t k)
{
    int part = 0;
    while (!(column->parts >> part & 1) || k-- > 0)
        part++;
    assert(part < HSP__DATE_PARTS);
    return part;
}

double *hsp__encoding_mean(hsp__column *column, uint32_t k)
{
    return column->kind == HSP__COLUMN_DATE ? &column->means[k] : &column->mean;
}

hsp_status hsp__encoding_of_arrays(const hsp_allocator *memory, const hsp_view *view,
                                   const hsp__names *features, hsp_error *err, hsp_encoding **out)
{
    char place[16];
    *out = NULL;
    if (!features->count && (view->storage != HSP_DENSE || view->cols > ENCODE_MOST_PLACES))
        return HSP_OK;
    hsp_encoding *encoding = hsp__encoding_new(memory);
    int done = encoding != NULL;
    for (uint32_t j = 0; done && j < view->cols; j++) {
        snprintf(place, sizeof place, "c%u", j + 1);
        const char *name = features->count ? hsp__names_get(features, j) : place;
        done = hsp__encoding_add(encoding, name, strlen(name));
    }
    if (encoding) encoding->header = features->count > 0;
    HSP__GIVE(done ? HSP_OK : hsp__fail_memory(err), encoding, hsp_encoding_free, out);
}

int hsp__encoding_is_of_arrays(const hsp_encoding *encoding)
{
    uint32_t j = 0;
    while (j < encoding->names.count && encoding->columns[j].kind != HSP__COLUMN_LABEL)
        j++;
    return j == encoding->names.count && !encoding->classes.count;
}

uint64_t hsp__encoding_width(const hsp__column *column)
{
    if (column->kind == HSP__COLUMN_IGNORED || column->kind == HSP__COLUMN_LABEL) return 0;
    uint64_t values = column->kind == HSP__COLUMN_CATEGORY ? column->values.count
                      : column->kind == HSP__COLUMN_HASHED ? column->hashed
                                                           : hsp__encoding_cells(column);
    return values + (column->indicator ? 1 : 0);
}

/* One feature for the value; a list of values. */
static int encode_is_valued(const hsp__column *column)
{
    return column->kind == HSP__COLUMN_NUMBER || column->kind == HSP__COLUMN_ORDINAL;
}

static int encode_is_listed(const hsp__column *column)
{
    return column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_ORDINAL;
}

/* "column=value" behind the names that are there. */
static int encode_add_feature(hsp__names *features, hsp__text *text, const char *column,
                              const char *value)
{
    text->size = 0;
    hsp__text_printf(text, "%s=%s", column, value);
    return !text->failed && encode_add_distinct(features, text->data, text->size);
}

/* "column" of the days, "column.year" of another part. */
static int encode_add_part(hsp__names *features, hsp__text *text, const char *column, int part)
{
    text->size = 0;
    hsp__text_puts(text, column);
    if (part != HSP__DATE_DAYS) hsp__text_printf(text, ".%s", hsp__date_part_name(part));
    return !text->failed && encode_add_distinct(features, text->data, text->size);
}

int hsp__encoding_feature_names(const hsp_encoding *encoding, hsp__names *features)
{
    hsp__text text;
    hsp__text_init(&text, &encoding->memory);
    int done = 1;
    for (uint32_t i = 0; done && i < encoding->names.count; i++) {
        const hsp__column *column = &encoding->columns[i];
        const char *name = hsp__names_get(&encoding->names, i);
        if (!hsp__encoding_width(column)) continue;
        if (encode_is_valued(column)) done = encode_add_distinct(features, name, strlen(name));
        for (uint32_t k = 0;
             done && column->kind == HSP__COLUMN_DATE && k < hsp__encoding_cells(column); k++)
            done = encode_add_part(features, &text, name, hsp__encoding_part(column, k));
        for (uint32_t v = 0; done && column->kind == HSP__COLUMN_HASHED && v < column->hashed;
             v++) {
            text.size = 0;
            hsp__text_printf(&text, "%s#%u", name, v);
            done = !text.failed && encode_add_distinct(features, text.data, text.size);
        }
        for (uint32_t v = 0;
             done && column->kind == HSP__COLUMN_CATEGORY && v < column->values.count; v++)
            done = encode_add_feature(features, &text, name, hsp__names_get(&column->values, v));
        if (done && column->indicator) done = encode_add_feature(features, &text, name, "?");
    }
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

static void encode_put_date(hsp__text *text, const hsp__column *column, int means)
{
    hsp__text_puts(text, ", \"format\": ");
    hsp__json_put_string(text, column->pattern, strlen(column->pattern));
    hsp__text_puts(text, ", \"parts\": [");
    for (uint32_t k = 0; k < hsp__encoding_cells(column); k++)
        hsp__text_printf(text, "%s\"%s\"", k ? ", " : "",
                         hsp__date_part_name(hsp__encoding_part(column, k)));
    hsp__text_puts(text, means ? "], \"means\": [" : "]");
    for (uint32_t k = 0; means && k < hsp__encoding_cells(column); k++) {
        if (k) hsp__text_puts(text, ", ");
        hsp__json_put_number(text, column->means[k]);
    }
    if (means) hsp__text_puts(text, "]");
}

/* How cells are read, where that is not the usual way. */
static void encode_put_rules(hsp__text *text, const hsp__cell_rules *rules)
{
    const hsp__number_format *number = &rules->number;
    if (number->decimal != '.') hsp__text_printf(text, "  \"decimal\": \"%c\",\n", number->decimal);
    if (number->thousands) hsp__text_printf(text, "  \"thousands\": \"%c\",\n", number->thousands);
    if (number->percent) hsp__text_puts(text, "  \"percent\": true,\n");
    if (number->currency) hsp__text_puts(text, "  \"currency\": true,\n");
    if (rules->ignore_case) hsp__text_puts(text, "  \"ignore_case\": true,\n");
    if (!rules->marks.count) return;
    hsp__text_puts(text, "  \"na\": ");
    encode_put_names(text, &rules->marks);
    hsp__text_puts(text, ",\n");
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
    encode_put_rules(&text, &encoding->rules);
    hsp__text_puts(&text, "  \"columns\": [\n");
    for (uint32_t i = 0; i < encoding->names.count; i++) {
        const hsp__column *column = &encoding->columns[i];
        hsp__text_puts(&text, i ? ",\n    {\"name\": " : "    {\"name\": ");
        hsp__json_put_bytes(&text, hsp__names_get(&encoding->names, i),
                            hsp__names_size(&encoding->names, i));
        hsp__text_printf(&text, ", \"kind\": \"%s\"", encode_kinds[column->kind]);
        if (encode_is_valued(column) && encoding->missing == HSP__MISSING_MEAN) {
            hsp__text_puts(&text, ", \"mean\": ");
            hsp__json_put_number(&text, column->mean);
        }
        if (column->kind == HSP__COLUMN_DATE)
            encode_put_date(&text, column, encoding->missing == HSP__MISSING_MEAN);
        if (column->kind == HSP__COLUMN_HASHED)
            hsp__text_printf(&text, ", \"features\": %u, \"ngrams\": %d", column->hashed,
                             column->ngrams);
        if (column->indicator) hsp__text_puts(&text, ", \"indicator\": true");
        if (column->percent) hsp__text_puts(&text, ", \"percent\": true");
        if (encode_is_listed(column)) {
            hsp__text_puts(&text, ", \"values\": ");
            encode_put_names(&text, &column->values);
        }
        hsp__text_puts(&text, "}");
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

/* What reading needs at every depth. */
typedef struct encode_reader {
    const char *file;
    hsp_error *err;
    hsp__text bytes; /* a name given in hex */
} encode_reader;

static hsp_status encode_refuse(const encode_reader *reader, const char *what)
{
    return hsp__fail_at(reader->err, HSP_BAD_DATA, reader->file, 0, 0,
                        "not an encoding that this version reads: %s", what);
}

/* A string, or the bytes of {"hex": "..."}; valid until the next name is asked for. */
static hsp_status encode_get_name(encode_reader *reader, const hsp__json_value *value,
                                  const char **name, size_t *size)
{
    static const char digits[] = "0123456789abcdef";
    size_t count = 0;
    int bad = 0;
    const char *hex = hsp__json_string(hsp__json_get(value, "hex"), &count);
    *name = hsp__json_string(value, size);
    if (hex) {
        reader->bytes.size = 0;
        for (size_t i = 0; !bad && i < count; i += 2) {
            const char *high = memchr(digits, hex[i], 16), *low = memchr(digits, hex[i + 1], 16);
            bad = !high || !low;
            if (bad) break;
            const char byte = (char)((high - digits) << 4 | (low - digits));
            hsp__text_add(&reader->bytes, &byte, 1);
        }
        hsp__text_add(&reader->bytes, "", 0);
        if (reader->bytes.failed) return hsp__fail_memory(reader->err);
        *name = reader->bytes.data;
        *size = reader->bytes.size;
    }
    if (bad || !*name || memchr(*name, 0, *size))
        return encode_refuse(reader, "a name is neither a string nor {\"hex\": \"...\"}");
    return HSP_OK;
}

static hsp_status encode_get_names(encode_reader *reader, const hsp__json_value *array,
                                   hsp__names *names)
{
    if (hsp__json_type_of(array) != HSP__JSON_ARRAY)
        return encode_refuse(reader, "a list of names is missing");
    for (size_t i = 0; i < hsp__json_count(array); i++) {
        const char *name;
        size_t size;
        uint32_t number;
        HSP__TRY(encode_get_name(reader, hsp__json_at(array, i), &name, &size));
        if (!hsp__names_add(names, name, size, &number)) return hsp__fail_memory(reader->err);
        if (number != i) return encode_refuse(reader, "a name appears twice in a list");
    }
    return HSP_OK;
}

static hsp_status encode_get_flag(const encode_reader *reader, const hsp__json_value *value,
                                  int *out)
{
    hsp__json_type type = hsp__json_type_of(value);
    if (type != HSP__JSON_TRUE && type != HSP__JSON_FALSE)
        return encode_refuse(reader, "found something else where true or false belongs");
    *out = type == HSP__JSON_TRUE;
    return HSP_OK;
}

/* One of these characters, if the member is there. */
static hsp_status encode_get_sign(const encode_reader *reader, const hsp__json_value *value,
                                  const char *allowed, char *out)
{
    size_t size = 0;
    const char *sign = hsp__json_string(value, &size);
    if (!value) return HSP_OK;
    if (!sign || size != 1 || !strchr(allowed, *sign))
        return encode_refuse(reader, "a sign of numbers is not one that is known");
    *out = *sign;
    return HSP_OK;
}

static hsp_status encode_get_rules(encode_reader *reader, const hsp__json_value *root,
                                   hsp__cell_rules *rules)
{
    hsp__number_format *number = &rules->number;
    const hsp__json_value *percent = hsp__json_get(root, "percent");
    const hsp__json_value *currency = hsp__json_get(root, "currency");
    const hsp__json_value *marks = hsp__json_get(root, "na");
    const hsp__json_value *lower = hsp__json_get(root, "ignore_case");
    HSP__TRY(encode_get_sign(reader, hsp__json_get(root, "decimal"), ".,", &number->decimal));
    HSP__TRY(
        encode_get_sign(reader, hsp__json_get(root, "thousands"), ",. '_", &number->thousands));
    if (number->decimal == number->thousands)
        return encode_refuse(reader, "decimal and thousands are the same sign");
    if (percent) HSP__TRY(encode_get_flag(reader, percent, &number->percent));
    if (currency) HSP__TRY(encode_get_flag(reader, currency, &number->currency));
    if (lower) HSP__TRY(encode_get_flag(reader, lower, &rules->ignore_case));
    for (size_t i = 0; i < hsp__json_count(marks); i++) {
        const char *mark;
        size_t size;
        HSP__TRY(encode_get_name(reader, hsp__json_at(marks, i), &mark, &size));
        if (size > HSP__MARK_BYTES)
            return encode_refuse(reader, "a mark of missing values is long");
        if (!hsp__cell_rules_mark(rules, mark, size)) return hsp__fail_memory(reader->err);
    }
    return HSP_OK;
}

/* The pattern and the parts of a date column. */
static hsp_status encode_get_date(const encode_reader *reader, const hsp__json_value *value,
                                  int means, hsp__column *column)
{
    const hsp__json_value *parts = hsp__json_get(value, "parts");
    const hsp__json_value *mean = hsp__json_get(value, "means");
    size_t size = 0;
    const char *pattern = hsp__json_string(hsp__json_get(value, "format"), &size);
    if (!pattern || size >= sizeof column->pattern || strlen(pattern) != size ||
        !hsp__date_pattern_is_valid(pattern))
        return encode_refuse(reader, "a date has no format that is known");
    memcpy(column->pattern, pattern, size + 1);
    for (size_t i = 0; i < hsp__json_count(parts); i++) {
        const char *name = hsp__json_string(hsp__json_at(parts, i), &size);
        const int part = name ? hsp__date_part_of(name, size) : -1;
        if (part < 0 || column->parts >> part)
            return encode_refuse(reader, "the parts of a date are not days, year, month, weekday, "
                                         "in this order");
        column->parts |= 1u << part;
    }
    if (!column->parts) return encode_refuse(reader, "a date has no parts");
    for (uint32_t k = 0; means && k < hsp__encoding_cells(column); k++)
        if (!hsp__json_number(hsp__json_at(mean, k), &column->means[k]) ||
            !isfinite(column->means[k]))
            return encode_refuse(reader, "a column has no mean");
    return HSP_OK;
}

static hsp_status encode_get_column(encode_reader *reader, const hsp__json_value *value,
                                    hsp_encoding *encoding)
{
    const char *name;
    size_t size;
    const uint32_t i = encoding->names.count;
    const hsp__missing missing = encoding->missing;
    HSP__TRY(encode_get_name(reader, hsp__json_get(value, "name"), &name, &size));
    if (hsp__names_find(&encoding->names, name, size) != HSP__NAME_NONE)
        return encode_refuse(reader, "two columns have one name");
    if (!hsp__encoding_add(encoding, name, size)) return hsp__fail_memory(reader->err);
    const int kind = encode_word(encode_kinds, ENCODE_KINDS,
                                 hsp__json_string(hsp__json_get(value, "kind"), NULL));
    if (kind < 0) return encode_refuse(reader, "a column has no kind that is known");
    hsp__column *column = &encoding->columns[i];
    column->kind = (hsp__column_kind)kind;
    if (encode_is_listed(column))
        HSP__TRY(encode_get_names(reader, hsp__json_get(value, "values"), &column->values));
    if (column->kind == HSP__COLUMN_ORDINAL && column->values.count == 0)
        return encode_refuse(reader, "an ordinal column has no values");
    if (encode_is_valued(column) && missing == HSP__MISSING_MEAN &&
        (!hsp__json_number(hsp__json_get(value, "mean"), &column->mean) || !isfinite(column->mean)))
        return encode_refuse(reader, "a column has no mean");
    if (column->kind == HSP__COLUMN_DATE)
        HSP__TRY(encode_get_date(reader, value, missing == HSP__MISSING_MEAN, column));
    if (column->kind == HSP__COLUMN_HASHED) {
        uint64_t features = 0, ngrams = 0;
        if (!hsp__json_u64(hsp__json_get(value, "features"), &features) || !features ||
            features > HSP__HASH_MOST || !hsp__json_u64(hsp__json_get(value, "ngrams"), &ngrams) ||
            !ngrams || ngrams > HSP__HASH_WORDS)
            return encode_refuse(reader, "a hashed column lacks its features or ngrams");
        column->hashed = (uint32_t)features;
        column->ngrams = (int)ngrams;
    }
    const hsp__json_value *indicator = hsp__json_get(value, "indicator");
    const hsp__json_value *percent = hsp__json_get(value, "percent");
    if (percent) HSP__TRY(encode_get_flag(reader, percent, &column->percent));
    if (column->percent && (column->kind != HSP__COLUMN_NUMBER || !encoding->rules.number.percent))
        return encode_refuse(reader, "percent belongs to no numbers");
    if (indicator) HSP__TRY(encode_get_flag(reader, indicator, &column->indicator));
    if (column->indicator &&
        (missing != HSP__MISSING_INDICATOR ||
         !(encode_is_valued(column) || encode_is_listed(column) ||
           column->kind == HSP__COLUMN_DATE || column->kind == HSP__COLUMN_HASHED)))
        return encode_refuse(reader, "an indicator belongs to no feature");
    return HSP_OK;
}

static hsp_status encode_get_all(encode_reader *reader, const hsp__json_value *root,
                                 hsp_encoding *encoding)
{
    uint64_t version = 0, features = 0;
    uint32_t labels = 0;
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
    HSP__TRY(encode_get_flag(reader, hsp__json_get(root, "header"), &encoding->header));
    HSP__TRY(encode_get_rules(reader, root, &encoding->rules));
    const hsp__json_value *columns = hsp__json_get(root, "columns");
    if (hsp__json_type_of(columns) != HSP__JSON_ARRAY)
        return encode_refuse(reader, "the list of columns is missing");
    for (size_t i = 0; i < hsp__json_count(columns); i++) {
        HSP__TRY(encode_get_column(reader, hsp__json_at(columns, i), encoding));
        labels += encoding->columns[i].kind == HSP__COLUMN_LABEL;
        features += hsp__encoding_width(&encoding->columns[i]);
    }
    if (labels > 1) return encode_refuse(reader, "there are two label columns");
    if (!features) return encode_refuse(reader, "there is no feature");
    return encode_get_names(reader, hsp__json_get(root, "classes"), &encoding->classes);
}

hsp_status hsp__encoding_from_json(const hsp_allocator *memory, const char *text, size_t size,
                                   const char *file, hsp_error *err, hsp_encoding **out)
{
    hsp__json *json = NULL;
    HSP__TRY(hsp__json_parse(memory, text, size, file, err, &json));
    encode_reader reader = {.file = file, .err = err};
    hsp__text_init(&reader.bytes, memory);
    hsp_encoding *encoding = hsp__encoding_new(memory);
    hsp_status status =
        encoding ? encode_get_all(&reader, hsp__json_root(json), encoding) : hsp__fail_memory(err);
    hsp__text_free(&reader.bytes);
    hsp__json_free(json);
    if (status)
        hsp_encoding_free(encoding);
    else
        *out = encoding;
    return status;
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
    if (!status) status = hsp__output_open(ctx, path, err, &output);
    if (!status && json) status = hsp__output_write(output, json, strlen(json), err);
    if (!status) status = hsp__output_commit(output, err);
    hsp__output_free(output);
    hsp__free(&ctx->allocator, json);
    return status;
}
