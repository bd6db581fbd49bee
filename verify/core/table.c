/* A data file, in memory as text: its description, and passes over its rows, one row at a time. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core.h"

/* Decimal labels are compared by value: mantissa 10^exponent, no factor 10; 0 has exponent 0. */
static void table_label(hsv_checker *c, const char *text, size_t size, hsv_label *label)
{
    mpz_ptr m = *label->mantissa;
    label->text = text;
    label->size = size;
    label->is_number = hsv_decimal(text, size, m, &label->exponent);
    if (label->is_number < 0)
        hsv_unreadable(c, "label %s: beyond the limits of a number", hsv_quote(c, text, size));
    if (label->is_number && !mpz_sgn(m)) label->exponent = 0;
    for (; label->is_number && mpz_sgn(m) && mpz_divisible_ui_p(m, 10); label->exponent++)
        mpz_divexact_ui(m, m, 10);
}

static int table_order(const void *left, const void *right)
{
    const hsv_label *a = left, *b = right;
    if (a->is_number != b->is_number) return a->is_number - b->is_number;
    if (a->is_number && a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
    if (a->is_number) return mpz_cmp(*a->mantissa, *b->mantissa);
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return memcmp(a->text, b->text, a->size);
}

int hsv_label_y(hsv_checker *c, hsv_table *t, const char *text, size_t size)
{
    hsv_label label = {.mantissa = t->work};
    table_label(c, text, size, &label);
    const hsv_label *found = bsearch(&label, t->labels, t->label_count, sizeof label, table_order);
    return found ? found->y : 0;
}

/* The class of the row at hand. */
void hsv_row_label(hsv_checker *c, hsv_table *t, const char *text, size_t size)
{
    t->raw.y = hsv_label_y(c, t, text, size);
    if (!t->raw.y && !t->drop_others)
        hsv_reject(c, "%s: line %zu: the label %s is of no class", t->name, t->number,
                   hsv_quote(c, text, size));
}

int hsv_missing(const char *text, size_t size)
{
    return !size || (size == 1 && *text == '?') || (size == 2 && !strncasecmp(text, "na", 2)) ||
           (size == 3 && !strncasecmp(text, "nan", 3));
}

/* All of a file, a 0 behind it. */
char *hsv_read(hsv_checker *c, FILE *file, size_t *size)
{
    if (ungetc(getc(file), file) == EOF && ferror(file)) hsv_unreadable(c, "a file cannot be read");
    const long whole = fseek(file, 0, SEEK_END) ? 0 : ftell(file); /* a pipe has no end yet */
    size_t room = whole > 0 ? (size_t)whole + 2 : 1 << 16;
    if (whole > 0) rewind(file);
    char *text = hsv_new(c, room, 1);
    *size = 0;
    for (size_t got = 1; got; *size += got) {
        if (*size + 1 == room) text = memcpy(hsv_new(c, 2 * room, 1), text, room), room *= 2;
        got = fread(text + *size, 1, room - *size - 1, file);
        if (!got && ferror(file)) hsv_unreadable(c, "a file cannot be read");
    }
    text[*size] = 0;
    return text;
}

/* The start of the next line, which ends at t->line_end; NULL: there is none. */
static const char *table_line(hsv_table *t)
{
    const char *end = t->text + t->size, *start = t->line_end ? t->line_end + 1 : t->text;
    if (!t->number++ && t->size >= 3 && !memcmp(start, "\xef\xbb\xbf", 3)) start += 3;
    if (start >= end) return NULL;
    const char *stop = memchr(start, '\n', (size_t)(end - start));
    t->line_end = stop ? stop : end;
    return start;
}

/* One more value, in a row whose columns ascend: its place, for a number over checker.scale. */
mpz_ptr hsv_row_place(hsv_checker *c, hsv_table *t, uint32_t column)
{
    hsv_row *row = &t->raw;
    if (row->count == row->room) { /* only in the survey, which keeps no values */
        row->room = 2 * row->room + 64;
        row->column = hsv_new(c, row->room, sizeof *row->column);
        row->value = hsv_integers(c, row->room);
    }
    row->column[row->count] = column;
    if (column > t->width) t->width = column;
    return row->value[row->count++];
}

/* The survey finds how many decimals there are. */
void hsv_row_add(hsv_checker *c, hsv_table *t, uint32_t column, const mpz_t digits, long exponent)
{
    if (!mpz_sgn(digits)) return;
    mpz_ptr value = hsv_row_place(c, t, column);
    if (!c->scale && -exponent > t->decimals) t->decimals = -exponent;
    if (!c->scale) return;
    mpz_ui_pow_ui(value, 10, (unsigned long)(exponent + c->decimals));
    mpz_mul(value, value, digits);
    if (c->widen) mpz_mul(value, value, *c->widen);
}

/* libsvm text: "label index:value ... # comment", one row per line. The next word from *p on, which
 * moves behind it; NULL: the line or a comment ends it. */
static const char *table_word(const char **p, const char *end, size_t *size)
{
    while (*p < end && strchr(" \t\r", **p) && **p)
        ++*p;
    const char *start = *p;
    while (*p < end && (!**p || !strchr(" \t\r#", **p)))
        ++*p;
    *size = (size_t)(*p - start);
    return *size ? start : NULL;
}

static uint32_t table_feature(hsv_checker *c, hsv_table *t, const char *word, size_t size,
                              uint32_t before)
{
    size_t index = 0, i = 0;
    long exponent;
    while (i < size && i < 11 && word[i] >= '0' && word[i] <= '9')
        index = index * 10 + (size_t)(word[i++] - '0');
    if (!i || i == size || word[i] != ':' ||
        hsv_decimal(word + i + 1, size - i - 1, *t->work, &exponent) <= 0)
        hsv_bad_line(c, t, "expected index:value");
    index += 1 - t->index_base;
    if (index <= before || index > t->columns)
        hsv_bad_line(c, t, "an index does not ascend, or is not among the columns");
    hsv_row_add(c, t, (uint32_t)index, *t->work, exponent);
    return (uint32_t)index;
}

static int table_libsvm(hsv_checker *c, hsv_table *t)
{
    const char *p, *word;
    size_t size;
    uint32_t before = 0;
    do {
        if (!(p = table_line(t))) return 0;
    } while (!(word = table_word(&p, t->line_end, &size)));
    if (memchr(word, ':', size)) hsv_bad_line(c, t, "the label is missing");
    hsv_row_label(c, t, word, size);
    while ((word = table_word(&p, t->line_end, &size)))
        if (size < 4 || memcmp(word, "qid:", 4) != 0)
            before = table_feature(c, t, word, size, before);
    return 1;
}

/* Plain tables, without quotes (verify/check_csv.c reads all). One field, without blanks around it. */
static void table_field(hsv_checker *c, hsv_table *t, size_t k, const char *p, const char *end)
{
    const hsv_field *f = t->fields + k;
    long exponent;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (p < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const size_t size = (size_t)(end - p);
    if (f->kind == HSV_IGNORED) return;
    if (hsv_missing(p, size)) hsv_bad_line(c, t, "a value or a label is missing");
    if (f->kind == HSV_LABEL)
        hsv_row_label(c, t, p, size);
    else if (hsv_decimal(p, size, *t->work, &exponent) > 0)
        hsv_row_add(c, t, f->column, *t->work, exponent);
    else
        hsv_bad_line(c, t, "a field that should be a number is not");
}

static int table_record(hsv_checker *c, hsv_table *t)
{
    int names = !t->number && t->header;
    for (const char *p; (p = table_line(t));) {
        const char *end = t->line_end;
        size_t k = 0;
        if (p < end && end[-1] == '\r') end--;
        if (memchr(p, '"', (size_t)(end - p)) || memchr(p, '\r', (size_t)(end - p)))
            hsv_beyond(c, "quotes, and carriage returns inside a line");
        while (p < end && (*p == ' ' || *p == '\t') && *p != t->separator)
            p++;
        if (p == end) continue; /* a blank line */
        for (const char *stop = p; stop; p = stop + 1) {
            stop = memchr(p, t->separator, (size_t)(end - p));
            if (k == t->field_count) hsv_bad_line(c, t, "more fields than there should be");
            if (!names) table_field(c, t, k, p, stop ? stop : end);
            k++;
            if (!stop) break;
        }
        if (k != t->field_count) hsv_bad_line(c, t, "fewer fields than there should be");
        if (!names) return 1;
        names = 0;
    }
    return 0;
}

static void table_labels(hsv_checker *c, const hsv_json *object, hsv_table *t)
{
    const hsv_json *sides[2] = {hsv_get(c, object, "negative", HSV_ARRAY),
                                hsv_get(c, object, "positive", HSV_ARRAY)};
    const size_t count = sides[0]->count + sides[1]->count;
    mpz_t *mantissas = hsv_integers(c, count);
    t->labels = hsv_new(c, count, sizeof *t->labels);
    for (int side = 0; side < 2; side++)
        for (const hsv_json *value = sides[side]->child; value; value = value->next) {
            if (!c->more && value->type != HSV_STRING) hsv_beyond(c, "labels that are no strings");
            const char *text = c->more ? c->more->bytes(c, value) : value->text;
            hsv_label *label = t->labels + t->label_count;
            *label = (hsv_label){.y = side ? 1 : -1, .mantissa = mantissas + t->label_count++};
            table_label(c, text, strlen(text), label);
        }
    qsort(t->labels, count, sizeof *t->labels, table_order);
    for (size_t i = 1; i < count; i++)
        if (!table_order(t->labels + i - 1, t->labels + i))
            hsv_unreadable(c, "%s: the label %s is there twice", t->name,
                           hsv_quote(c, t->labels[i].text, t->labels[i].size));
}

/* Plain tables: fields are numbers, or ignored, and one is the label. */
static void table_csv(hsv_checker *c, const hsv_json *object, hsv_table *t)
{
    const hsv_json *fields = hsv_get(c, object, "fields", HSV_ARRAY);
    const hsv_json *separator = hsv_get(c, object, "separator", HSV_STRING);
    size_t labels = 0, columns = 0;
    if (separator->size != 1 || !strchr(",;|\t", *separator->text))
        hsv_beyond(c, "another separator than a comma, a semicolon, a bar or a tab");
    if (hsv_find(object, "missing") &&
        hsv_get_choice(c, object, "missing", "error,drop,mean,indicator"))
        hsv_beyond(c, "missing values");
    t->separator = *separator->text;
    t->header = hsv_get_flag(c, object, "header");
    t->next = table_record;
    t->fields = hsv_new(c, fields->count, sizeof *t->fields);
    for (const hsv_json *value = fields->child; value; value = value->next) {
        hsv_field *f = t->fields + t->field_count++;
        if (hsv_stray(c, value, "kind")) hsv_beyond(c, "fields with more than a kind");
        f->kind = (hsv_kind)hsv_get_choice(c, value, "kind", HSV_KINDS);
        if (f->kind > HSV_NUMERIC) hsv_beyond(c, "categories");
        labels += f->kind == HSV_LABEL;
        if (f->kind == HSV_NUMERIC) f->column = (uint32_t)++columns;
    }
    if (labels != 1 || columns != t->columns)
        hsv_unreadable(c, "%s: one field must be the label, and %u numbers", t->name, t->columns);
}

void hsv_table_read(hsv_checker *c, const hsv_json *object, hsv_table *t)
{
    t->work = hsv_integers(c, 1);
    t->digest = hsv_get_digest(c, object);
    t->rows = hsv_get_count(c, object, "rows");
    const size_t columns = hsv_get_count(c, object, "columns");
    if (!t->rows || columns >= UINT32_MAX)
        hsv_unreadable(c, "%s: there are no rows, or too many columns", t->name);
    t->columns = (uint32_t)columns;
    table_labels(c, object, t);
    if (hsv_find(object, "others"))
        t->drop_others = hsv_get_choice(c, object, "others", "error,drop");
#define TABLE_MEMBERS "file,sha256,rows,columns,format,negative,positive,others,"
    if (hsv_get_choice(c, object, "format", "libsvm,csv")) {
        hsv_members(c, object, TABLE_MEMBERS "separator,header,missing,fields");
        (c->more ? c->more->csv : table_csv)(c, object, t);
        return;
    }
    hsv_members(c, object, TABLE_MEMBERS "index_base");
    t->next = table_libsvm;
    t->index_base = (uint32_t)hsv_get_count(c, object, "index_base");
    if (t->index_base > 1) hsv_unreadable(c, "%s: index_base must be 0 or 1", t->name);
}

/* The next row that is used, of a pass that begins with the first call and ends with NULL. */
const hsv_row *hsv_next(hsv_checker *c, hsv_table *t)
{
    if (!t->number) {
        hsv_spend(c, 20 * t->size);
        t->unused = t->positives = t->raw.number = 0;
        t->line_end = NULL;
    }
    do {
        t->raw.count = 0;
        if (!t->next(c, t)) {
            if (t->raw.number != t->rows)
                hsv_reject(c, "%s: %zu rows are used, not %zu as certified", t->name, t->raw.number,
                           t->rows);
            t->number = 0;
            return NULL;
        }
        t->unused += !t->raw.y;
        t->positives += t->raw.y > 0;
        t->raw.number += t->raw.y != 0;
    } while (!t->raw.y && !t->everything);
    return c->more && c->scale ? c->more->row(c, t) : &t->raw;
}

/* Read the file; is it the one that was certified? Then pass over it once. */
void hsv_survey(hsv_checker *c, hsv_table *t)
{
    char digest[65];
    t->text = hsv_read(c, t->file, &t->size);
    hsv_digest(t->text, t->size, digest);
    if (strcmp(digest, t->digest) != 0)
        hsv_reject(c, "%s: this is not the file that was certified: its SHA-256 is another",
                   t->name);
    c->budget += 2000 * t->size;
    while (hsv_next(c, t))
        continue;
}
