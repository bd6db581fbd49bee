/* A strict JSON reader without recursion.
 *
 * Values are gathered on a stack; when an array or object closes, its children move from the stack
 * to their final place, one behind the other, so that child i is found in one step. Until all is
 * read, a value knows its children by their number, because the arrays grow and move; one last pass
 * turns the numbers into pointers. An object's children are key, value, key, value ...; its keys
 * are sorted when it closes, which finds duplicates and makes look-ups a bisection. Sorting, and
 * not hashing, so that no chosen set of keys makes it slow.
 *
 * Strings (decoded) and numbers (as written) live in one block. It never has to grow: a string
 * sheds its two quotes for the final NUL, a number is followed by some byte or by the end of the
 * text. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"

#define JSON_DEPTH 64
#define JSON_BYTES ((size_t)1 << 29) /* sizes and counts fit the 29 bits below */

struct hsp__json_value {
    uint32_t type : 3;
    uint32_t size : 29; /* bytes of a string or number, items of an array, members of an object */
    uint32_t rank;      /* of key i: while reading where it stood, then the i-th smallest key */
    union {
        const char *text;
        uint64_t first; /* while reading: the number of the first child */
        const hsp__json_value *children;
    } at;
};

struct hsp__json {
    hsp_allocator memory;
    hsp__json_value *values; /* count: the children of each array and object, then the root */
    uint64_t count, room;
    char *texts;
};

typedef struct json_reader {
    const char *text, *p, *end, *file;
    hsp_error *err;
    hsp__json *json;
    char *texts; /* where the next string or number goes */
    hsp__json_value *stack;
    uint64_t stack_count, stack_room;
    const hsp__json_value **order; /* scratch for sorting keys */
    uint64_t order_room;
    int depth;
    struct {
        uint64_t first; /* on the stack: the first child so far */
        hsp__json_type type;
    } open[JSON_DEPTH];
} json_reader;

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Fail at a byte of the text. Lines are only counted here. */
#define json_fail(reader, place, ...)                                                       \
    hsp__fail_at((reader)->err, HSP_BAD_DATA, (reader)->file, json_line((reader), (place)), \
                 json_column((reader), (place)), __VA_ARGS__)

static uint64_t json_line(const json_reader *reader, const char *place)
{
    uint64_t line = 1;
    for (const char *p = reader->text; p < place; p++)
        line += *p == '\n';
    return line;
}

static uint64_t json_column(const json_reader *reader, const char *place)
{
    const char *p = place;
    while (p > reader->text && p[-1] != '\n')
        p--;
    return (uint64_t)(place - p) + 1;
}

static hsp_status json_expected(const json_reader *reader, const char *what)
{
    char quoted[HSP__QUOTED];
    if (reader->p == reader->end)
        return json_fail(reader, reader->p, "found the end of the text, expected %s", what);
    return json_fail(reader, reader->p, "found '%s', expected %s", hsp__quote(reader->p, 1, quoted),
                     what);
}

/* ---- Scanning -------------------------------------------------------------------------------- */

static void json_skip_space(json_reader *reader)
{
    while (reader->p < reader->end &&
           (*reader->p == ' ' || *reader->p == '\t' || *reader->p == '\n' || *reader->p == '\r'))
        reader->p++;
}

static int json_next_is(const json_reader *reader, char c)
{
    return reader->p < reader->end && *reader->p == c;
}

static int json_digit(const json_reader *reader)
{
    return reader->p < reader->end && *reader->p >= '0' && *reader->p <= '9';
}

/* One digit or more. */
static hsp_status json_digits(json_reader *reader)
{
    if (!json_digit(reader)) return json_expected(reader, "a digit");
    while (json_digit(reader))
        reader->p++;
    return HSP_OK;
}

/* The value of the text from `text` to reader->texts. */
static hsp__json_value json_end_text(json_reader *reader, hsp__json_type type, const char *text)
{
    const size_t size = (size_t)(reader->texts - text);
    *reader->texts++ = 0;
    return (hsp__json_value){
        .type = type, .size = (uint32_t)size & (JSON_BYTES - 1), .at.text = text};
}

static hsp_status json_read_number(json_reader *reader, hsp__json_value *value)
{
    const char *start = reader->p;
    if (json_next_is(reader, '-')) reader->p++;
    if (json_next_is(reader, '0'))
        reader->p++;
    else
        HSP__TRY(json_digits(reader));
    if (json_next_is(reader, '.')) {
        reader->p++;
        HSP__TRY(json_digits(reader));
    }
    if (json_next_is(reader, 'e') || json_next_is(reader, 'E')) {
        reader->p++;
        if (json_next_is(reader, '+') || json_next_is(reader, '-')) reader->p++;
        HSP__TRY(json_digits(reader));
    }
    char *text = reader->texts;
    memcpy(text, start, (size_t)(reader->p - start));
    reader->texts += reader->p - start;
    *value = json_end_text(reader, HSP__JSON_NUMBER, text);
    return HSP_OK;
}

/* The bytes of the UTF-8 character at p, 0 when there is none: shortest form, no surrogates. */
static size_t json_utf8(const char *p, const char *end)
{
    const unsigned char *c = (const unsigned char *)p;
    size_t left = (size_t)(end - p), size;
    if (c[0] < 0x80) return 1;
    if (c[0] < 0xC2 || c[0] > 0xF4) return 0;
    size = c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    if (left < size) return 0;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xC0) != 0x80) return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F)) return 0;
    if ((c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F)) return 0;
    return size;
}

static hsp_status json_hex4(json_reader *reader, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, reader->p++) {
        int c = reader->p < reader->end ? (unsigned char)*reader->p : -1, low = c | 0x20;
        if (c >= '0' && c <= '9')
            *code = *code << 4 | (uint32_t)(c - '0');
        else if (c >= 0 && low >= 'a' && low <= 'f')
            *code = *code << 4 | (uint32_t)(low - 'a' + 10);
        else
            return json_expected(reader, "four hexadecimal digits behind \\u");
    }
    return HSP_OK;
}

/* What stands behind \u, a pair of surrogates included. */
static hsp_status json_read_unicode(json_reader *reader)
{
    const char *start = reader->p - 2;
    uint32_t code, low;
    HSP__TRY(json_hex4(reader, &code));
    if (code == 0) return json_fail(reader, start, "found \\u0000, which is not allowed here");
    if (code >= 0xD800 && code < 0xE000) {
        if (code >= 0xDC00 || reader->end - reader->p < 2 || memcmp(reader->p, "\\u", 2) != 0)
            return json_fail(reader, start, "found half of a surrogate pair, expected both");
        reader->p += 2;
        HSP__TRY(json_hex4(reader, &low));
        if (low < 0xDC00 || low >= 0xE000)
            return json_fail(reader, start, "found half of a surrogate pair, expected both");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    const size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size; i > 1; code >>= 6)
        reader->texts[--i] = (char)(0x80 | (code & 0x3F));
    reader->texts[0] = (char)(lead[size] | code);
    reader->texts += size;
    return HSP_OK;
}

static hsp_status json_read_string(json_reader *reader, hsp__json_value *value)
{
    const char *start = reader->p++;
    char *text = reader->texts;
    while (!json_next_is(reader, '"')) {
        if (reader->p == reader->end) return json_expected(reader, "the closing quote of a string");
        if ((unsigned char)*reader->p < 0x20)
            return json_expected(reader, "control characters in strings to be escaped");
        if (*reader->p == '\\') {
            static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
            reader->p++;
            if (json_next_is(reader, 'u')) {
                reader->p++;
                HSP__TRY(json_read_unicode(reader));
                continue;
            }
            const char *name =
                reader->p < reader->end && *reader->p ? strchr(names, *reader->p) : NULL;
            if (!name) return json_expected(reader, "one of \"\\/bfnrtu after a backslash");
            *reader->texts++ = meanings[name - names];
            reader->p++;
            continue;
        }
        size_t size = json_utf8(reader->p, reader->end);
        if (!size)
            return json_fail(reader, reader->p, "found the byte 0x%02x, expected UTF-8 text",
                             (unsigned)(unsigned char)*reader->p);
        for (; size; size--)
            *reader->texts++ = *reader->p++;
    }
    reader->p++;
    *value = json_end_text(reader, HSP__JSON_STRING, text);
    value->rank = (uint32_t)(start - reader->text);
    return HSP_OK;
}

static hsp_status json_read_scalar(json_reader *reader, hsp__json_value *value)
{
    static const char *const words[] = {"null", "false", "true"}; /* by hsp__json_type */
    if (json_next_is(reader, '"')) return json_read_string(reader, value);
    if (json_next_is(reader, '-') || json_digit(reader)) return json_read_number(reader, value);
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(reader->end - reader->p) < size || memcmp(reader->p, words[i], size) != 0)
            continue;
        reader->p += size;
        *value = (hsp__json_value){.type = i & 3};
        return HSP_OK;
    }
    return json_expected(reader, "a value");
}

/* ---- Objects --------------------------------------------------------------------------------- */

static int json_compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

/* By their bytes; equal keys by where they stand. */
static int json_compare_keys(const void *left, const void *right)
{
    const hsp__json_value *a = *(hsp__json_value *const *)left,
                          *b = *(hsp__json_value *const *)right;
    const int order = json_compare(a->at.text, a->size, b->at.text, b->size);
    return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Sort the keys of an object that has some, refuse duplicates. */
static hsp_status json_index_object(json_reader *reader, hsp__json_value *keys, size_t count)
{
    if (!hsp__reserve(&reader->json->memory, &reader->order, &reader->order_room, count,
                      sizeof *reader->order))
        return hsp__fail_memory(reader->err);
    const hsp__json_value **order = reader->order;
    for (size_t i = 0; i < count; i++)
        order[i] = &keys[2 * i];
    qsort(order, count, sizeof *order, json_compare_keys);
    for (size_t i = 1; i < count; i++) {
        const hsp__json_value *a = order[i - 1], *b = order[i];
        char quoted[HSP__QUOTED];
        if (json_compare(a->at.text, a->size, b->at.text, b->size) == 0)
            return json_fail(reader, reader->text + b->rank, "found the key \"%s\" twice",
                             hsp__quote(b->at.text, b->size, quoted));
    }
    for (size_t i = 0; i < count; i++)
        keys[2 * i].rank = (uint32_t)((order[i] - keys) / 2);
    return HSP_OK;
}

/* ---- Structure ------------------------------------------------------------------------------- */

static hsp_status json_push(json_reader *reader, const hsp__json_value *value)
{
    if (!hsp__reserve(&reader->json->memory, &reader->stack, &reader->stack_room,
                      reader->stack_count + 1, sizeof *reader->stack))
        return hsp__fail_memory(reader->err);
    reader->stack[reader->stack_count++] = *value;
    return HSP_OK;
}

/* Move the values from stack[first] on to their final place. */
static hsp_status json_settle(json_reader *reader, uint64_t first)
{
    hsp__json *json = reader->json;
    uint64_t count = reader->stack_count - first;
    if (!hsp__reserve(&json->memory, &json->values, &json->room, json->count + count,
                      sizeof *json->values))
        return hsp__fail_memory(reader->err);
    if (count)
        memcpy(json->values + json->count, reader->stack + first, count * sizeof *json->values);
    json->count += count;
    reader->stack_count = first;
    return HSP_OK;
}

static hsp_status json_close(json_reader *reader)
{
    reader->p++;
    reader->depth--;
    const hsp__json_type type = reader->open[reader->depth].type;
    const uint64_t first = reader->open[reader->depth].first;
    uint64_t count = reader->stack_count - first;
    if (type == HSP__JSON_OBJECT) {
        count /= 2;
        if (count) HSP__TRY(json_index_object(reader, reader->stack + first, (size_t)count));
    }
    const hsp__json_value value = {
        .type = type, .size = (uint32_t)count & (JSON_BYTES - 1), .at.first = reader->json->count};
    HSP__TRY(json_settle(reader, first));
    return json_push(reader, &value);
}

static hsp_status json_read_key(json_reader *reader)
{
    hsp__json_value key;
    json_skip_space(reader);
    if (!json_next_is(reader, '"')) return json_expected(reader, "a key in double quotes");
    HSP__TRY(json_read_string(reader, &key));
    HSP__TRY(json_push(reader, &key));
    json_skip_space(reader);
    if (!json_next_is(reader, ':')) return json_expected(reader, "':' behind a key");
    reader->p++;
    return HSP_OK;
}

/* Read on to the end of a scalar or of an empty array or object. */
static hsp_status json_read_leaf(json_reader *reader)
{
    for (;;) {
        json_skip_space(reader);
        const int object = json_next_is(reader, '{');
        if (!object && !json_next_is(reader, '[')) {
            hsp__json_value value;
            HSP__TRY(json_read_scalar(reader, &value));
            return json_push(reader, &value);
        }
        if (reader->depth == JSON_DEPTH)
            return json_fail(reader, reader->p, "arrays and objects are nested more than %d deep",
                             JSON_DEPTH);
        reader->open[reader->depth].type = object ? HSP__JSON_OBJECT : HSP__JSON_ARRAY;
        reader->open[reader->depth++].first = reader->stack_count;
        reader->p++;
        json_skip_space(reader);
        if (json_next_is(reader, object ? '}' : ']')) return json_close(reader);
        if (object) HSP__TRY(json_read_key(reader));
    }
}

/* Behind a value: close what ends here; *more when another value must follow. */
static hsp_status json_read_behind(json_reader *reader, int *more)
{
    *more = 0;
    while (reader->depth) {
        int object = reader->open[reader->depth - 1].type == HSP__JSON_OBJECT;
        json_skip_space(reader);
        if (json_next_is(reader, ',')) {
            reader->p++;
            *more = 1;
            return object ? json_read_key(reader) : HSP_OK;
        }
        if (!json_next_is(reader, object ? '}' : ']'))
            return json_expected(reader, object ? "',' or '}' behind a member"
                                                : "',' or ']' behind an item");
        HSP__TRY(json_close(reader));
    }
    return HSP_OK;
}

static hsp_status json_read_document(json_reader *reader)
{
    int more = 1;
    while (more) {
        HSP__TRY(json_read_leaf(reader));
        HSP__TRY(json_read_behind(reader, &more));
    }
    json_skip_space(reader);
    if (reader->p < reader->end) return json_expected(reader, "the end of the text");
    HSP__TRY(json_settle(reader, 0));
    hsp__json *json = reader->json;
    for (uint64_t i = 0; i < json->count; i++)
        if (json->values[i].type >= HSP__JSON_ARRAY)
            json->values[i].at.children = json->values + json->values[i].at.first;
    return HSP_OK;
}

hsp_status hsp__json_parse(const hsp_allocator *memory, const char *text, size_t size,
                           const char *file, hsp_error *err, hsp__json **out)
{
    if (size >= JSON_BYTES)
        return hsp__fail_at(err, HSP_BAD_DATA, file, 0, 0,
                            "found %zu bytes of JSON, expected fewer than %zu", size, JSON_BYTES);
    json_reader reader = {.text = text, .p = text, .end = text + size, .file = file, .err = err};
    hsp__json *json = hsp__new(memory, 1, sizeof *json);
    if (!json) return hsp__fail_memory(err);
    json->memory = *memory;
    json->texts = hsp__new_raw(memory, (uint64_t)size + 1, 1);
    reader.json = json;
    reader.texts = json->texts;
    hsp_status status = json->texts ? json_read_document(&reader) : hsp__fail_memory(err);
    hsp__free(memory, reader.stack);
    hsp__free(memory, reader.order);
    HSP__GIVE(status, json, hsp__json_free, out);
}

void hsp__json_free(hsp__json *json)
{
    if (!json) return;
    hsp_allocator memory = json->memory;
    hsp__free(&memory, json->values);
    hsp__free(&memory, json->texts);
    hsp__free(&memory, json);
}

/* ---- Looking --------------------------------------------------------------------------------- */

const hsp__json_value *hsp__json_root(const hsp__json *json)
{
    return json ? &json->values[json->count - 1] : NULL;
}

hsp__json_type hsp__json_type_of(const hsp__json_value *value)
{
    return value ? (hsp__json_type)value->type : HSP__JSON_NULL;
}

size_t hsp__json_count(const hsp__json_value *value)
{
    hsp__json_type type = hsp__json_type_of(value);
    return type == HSP__JSON_ARRAY || type == HSP__JSON_OBJECT ? value->size : 0;
}

const hsp__json_value *hsp__json_at(const hsp__json_value *value, size_t i)
{
    if (i >= hsp__json_count(value)) return NULL;
    return &value->at.children[value->type == HSP__JSON_OBJECT ? 2 * i + 1 : i];
}

const char *hsp__json_key(const hsp__json_value *object, size_t i, size_t *size)
{
    if (hsp__json_type_of(object) != HSP__JSON_OBJECT || i >= object->size) return NULL;
    return hsp__json_string(&object->at.children[2 * i], size);
}

const hsp__json_value *hsp__json_get(const hsp__json_value *object, const char *key)
{
    if (hsp__json_type_of(object) != HSP__JSON_OBJECT) return NULL;
    const hsp__json_value *keys = object->at.children;
    size_t from = 0, to = object->size, size = strlen(key);
    while (from < to) {
        size_t middle = from + (to - from) / 2, member = keys[2 * middle].rank;
        int order = json_compare(key, size, keys[2 * member].at.text, keys[2 * member].size);
        if (order == 0) return &keys[2 * member + 1];
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

const char *hsp__json_string(const hsp__json_value *value, size_t *size)
{
    if (hsp__json_type_of(value) != HSP__JSON_STRING) return NULL;
    if (size) *size = value->size;
    return value->at.text;
}

int hsp__json_number(const hsp__json_value *value, double *out)
{
    if (hsp__json_type_of(value) != HSP__JSON_NUMBER) return 0;
    double number;
    hsp__decimal_result result;
    hsp__decimal_f64(value->at.text, value->at.text + value->size, &number, &result);
    if (result != HSP__DECIMAL_OK) return 0;
    *out = number;
    return 1;
}

int hsp__json_u64(const hsp__json_value *value, uint64_t *out)
{
    if (hsp__json_type_of(value) != HSP__JSON_NUMBER) return 0;
    hsp__decimal_result result;
    uint64_t number;
    const char *end = value->at.text + value->size;
    if (hsp__decimal_u64(value->at.text, end, &number, &result) != end || result != HSP__DECIMAL_OK)
        return 0;
    *out = number;
    return 1;
}

/* ---- Writing --------------------------------------------------------------------------------- */

int hsp__json_is_utf8(const char *string, size_t size)
{
    const char *end = string + size;
    for (size_t bytes; string < end; string += bytes) {
        bytes = json_utf8(string, end);
        if (!bytes) return 0;
    }
    return 1;
}

void hsp__json_put_string(hsp__text *text, const char *string, size_t size)
{
    const char *p = string, *end = string + size, *plain = string;
    hsp__text_add(text, "\"", 1);
    while (p < end) {
        unsigned char c = (unsigned char)*p;
        size_t bytes = json_utf8(p, end);
        if (bytes && c >= 0x20 && c != 0x7f && c != '"' && c != '\\') {
            p += bytes;
            continue;
        }
        hsp__text_add(text, plain, (size_t)(p - plain));
        if (!bytes)
            hsp__text_puts(text, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            hsp__text_printf(text, "\\%c", c);
        else
            hsp__text_printf(text, "\\u%04x", (unsigned)c);
        plain = ++p;
    }
    hsp__text_add(text, plain, (size_t)(p - plain));
    hsp__text_add(text, "\"", 1);
}

void hsp__json_put_bytes(hsp__text *text, const char *bytes, size_t size)
{
    if (hsp__json_is_utf8(bytes, size)) {
        hsp__json_put_string(text, bytes, size);
        return;
    }
    hsp__text_puts(text, "{\"hex\": \"");
    for (size_t i = 0; i < size; i++)
        hsp__text_printf(text, "%02x", (unsigned char)bytes[i]);
    hsp__text_puts(text, "\"}");
}

/* JSON has no infinities and no NaN. */
void hsp__json_put_number(hsp__text *text, double number)
{
    char buffer[HSP__DECIMAL_MAX];
    if (isfinite(number))
        hsp__text_add(text, buffer, hsp__decimal_print_f64(number, buffer));
    else
        hsp__text_puts(text, "null");
}
