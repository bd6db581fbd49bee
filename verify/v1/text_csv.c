/* Tables: records of fields between separators, in quotes or not (docs/csv.md). */
#include <string.h>
#include <strings.h>

#include "check1.h"

_Noreturn static void csv_fail(hsv1_checker *c, const hsv1_table *t, const char *what)
{
    hsv1_unreadable(c, "%s: line %llu: %s", t->name, (unsigned long long)t->line, what);
}

static int csv_is_space(const hsv1_table *t, int byte)
{
    return (byte == ' ' || byte == '\t') && byte != t->separator;
}

/* Behind the first quote, up to the byte behind the last, which is given back. */
static int csv_quoted(hsv1_checker *c, hsv1_table *t)
{
    for (;;) {
        int byte = hsv1_byte(c, t);
        if (byte == EOF) csv_fail(c, t, "a quote is not closed");
        if (byte == '"' && (byte = hsv1_byte(c, t)) != '"') return byte;
        if (byte == '\n') t->line++;
        const char one = (char)byte;
        hsv1_text_add(c, t, &one, 1);
    }
}

/* Behind a carriage return outside quotes: the end of the line, or of the file. */
static int csv_end(hsv1_checker *c, hsv1_table *t)
{
    const int byte = hsv1_byte(c, t);
    if (byte != '\n' && byte != EOF) csv_fail(c, t, "a carriage return inside a line");
    return byte;
}

/* A field that begins with byte, into t->text; the separator, '\n' or EOF that ends it. */
static int csv_field(hsv1_checker *c, hsv1_table *t, size_t k, int byte)
{
    const size_t start = t->text_size;
    while (csv_is_space(t, byte) || (t->separator == ' ' && byte == ' '))
        byte = hsv1_byte(c, t);
    const int quoted = byte == '"';
    if (quoted) byte = csv_quoted(c, t);
    size_t end = t->text_size;
    for (; byte != t->separator && byte != '\n' && byte != EOF; byte = hsv1_byte(c, t)) {
        if (byte == '\r') {
            byte = csv_end(c, t);
            break;
        }
        const int blank = csv_is_space(t, byte);
        if (byte == '"' || (quoted && !blank)) csv_fail(c, t, "a quote inside a field");
        const char one = (char)byte;
        hsv1_text_add(c, t, &one, 1);
        if (!blank) end = t->text_size;
    }
    t->text_size = end;
    t->field_start[k] = start;
    t->field_size[k] = end - start;
    t->field_quoted[k] = (char)quoted;
    if (t->separator == ' ' && byte == ' ') { /* a run of spaces, or spaces before the end */
        while (byte == ' ')
            byte = hsv1_byte(c, t);
        if (byte == '\r') byte = csv_end(c, t);
        if (byte != '\n' && byte != EOF) {
            t->at--; /* the byte just read: its buffer is still there */
            byte = ' ';
        }
    }
    return byte;
}

/* The next record that is not blank; the number of its fields, 0: the end. */
static size_t csv_record(hsv1_checker *c, hsv1_table *t)
{
    for (;;) {
        size_t count = 0;
        int byte = hsv1_byte(c, t);
        if (byte == EOF) return 0;
        t->text_size = 0;
        t->line++;
        do {
            if (count) byte = hsv1_byte(c, t);
            if (count == t->field_count) csv_fail(c, t, "more fields than there should be");
            byte = csv_field(c, t, count++, byte);
        } while (byte == t->separator);
        if (count == 1 && !t->field_size[0] && !t->field_quoted[0]) continue;
        if (count != t->field_count) csv_fail(c, t, "fewer fields than there should be");
        return count;
    }
}

static int csv_is_missing(const char *text, size_t size)
{
    static const char *const words[] = {"", "?", "na", "nan"};
    for (size_t i = 0; i < 4; i++)
        if (strlen(words[i]) == size && !strncasecmp(text, words[i], size)) return 1;
    return 0;
}

static void csv_label(hsv1_checker *c, hsv1_table *t, size_t k, int *used)
{
    const char *text = t->text + t->field_start[k];
    const size_t size = t->field_size[k];
    if (!t->field_quoted[k] && csv_is_missing(text, size)) {
        if (t->missing == HSV1_MISSING_ERROR) csv_fail(c, t, "the label is missing");
        *used = 0, t->lacks = 1;
        return;
    }
    t->raw.y = hsv1_label_find(t, text, size);
    if (t->raw.y) return;
    *used = 0;
    if (!t->drop_others)
        hsv1_reject(c, "%s: line %llu: the label '%.*s' is of no class", t->name,
                   (unsigned long long)t->line, (int)(size < 60 ? size : 60), text);
}

/* What a missing value becomes. */
static void csv_missing(hsv1_checker *c, hsv1_table *t, const hsv1_field *f, int *used)
{
    const uint32_t own = f->kind == HSV1_FIELD_CATEGORY ? (uint32_t)f->values->count : 1;
    if (t->missing == HSV1_MISSING_ERROR) csv_fail(c, t, "a value is missing");
    if (t->missing == HSV1_MISSING_DROP) *used = 0, t->lacks = 1;
    if (t->missing == HSV1_MISSING_MEAN && f->kind != HSV1_FIELD_CATEGORY) {
        if (!f->has_mean) csv_fail(c, t, "a value is missing, and its field has no mean");
        hsv1_row_add_mean(c, t, f->column, *f->mean);
    }
    if (t->missing == HSV1_MISSING_INDICATOR && f->indicator) {
        mpz_set_ui(t->number[0], 1);
        hsv1_row_add(c, t, f->column + own, t->number[0], 0);
    }
}

static void csv_value(hsv1_checker *c, hsv1_table *t, const hsv1_field *f, const char *text,
                      size_t size)
{
    long exponent = 0;
    uint32_t place = 0;
    if (f->kind == HSV1_FIELD_NUMBER) {
        if (!hsv1_decimal(text, size, t->number[0], &exponent))
            csv_fail(c, t, "a field that should be a number is not");
        hsv1_row_add(c, t, f->column, t->number[0], exponent);
        return;
    }
    const hsv1_json *value = f->values->child;
    while (value && (value->size != size || memcmp(value->text, text, size) != 0)) {
        value = value->next;
        place++;
    }
    if (f->kind == HSV1_FIELD_ORDINAL) {
        if (!value) csv_fail(c, t, "a value is not in its order");
        mpz_set_ui(t->number[0], place);
        hsv1_row_add(c, t, f->column, t->number[0], 0);
    } else if (value) {
        mpz_set_ui(t->number[0], 1);
        hsv1_row_add(c, t, f->column + place, t->number[0], 0);
    }
}

int hsv1_csv_next(hsv1_checker *c, hsv1_table *t)
{
    int used = 1;
    if (!t->line && t->header && !csv_record(c, t)) return 0;
    if (!csv_record(c, t)) return 0;
    for (size_t k = 0; k < t->field_count; k++) {
        const hsv1_field *f = t->fields + k;
        const char *text = t->text + t->field_start[k];
        if (f->kind == HSV1_FIELD_IGNORED) continue;
        if (f->kind == HSV1_FIELD_LABEL)
            csv_label(c, t, k, &used);
        else if (csv_is_missing(text, t->field_size[k]))
            csv_missing(c, t, f, &used);
        else
            csv_value(c, t, f, text, t->field_size[k]);
    }
    if (!used) t->raw.y = 0;
    return 1;
}
