/* Tables in full (docs/csv.md): quotes, runs of spaces, categories, ordinals, missing values. */
#include <stdlib.h>
#include <string.h>

#include "full.h"

typedef enum { CHECK_CSV_ERROR, CHECK_CSV_DROP, CHECK_CSV_MEAN, CHECK_CSV_INDICATOR } csv_missing;

typedef struct check_csv_value {
    const char *text;
    size_t size;
    uint32_t place; /* in the certificate's list, from 0 */
    int seen;       /* in a row that is used */
} check_csv_value;

/* hsv_field.more */
typedef struct check_csv_field {
    size_t count;
    check_csv_value *values; /* in the order of their bytes */
    check_csv_value *now;    /* of the record at hand; NULL: none of them */
    const char **list;       /* in the certificate's order */
    int codes, unseen, indicator, has_mean;
    int gap;     /* the record at hand lacks it */
    size_t gaps; /* of rows that are used */
    mpq_t *mean;
    const char *mean_text; /* as the certificate has it */
} check_csv_field;

typedef struct check_csv_cell {
    size_t start, size; /* in check_csv_table.buffer */
    int quoted;
} check_csv_cell;

/* hsv_table.more */
typedef struct check_csv_table {
    csv_missing missing;
    int lacks; /* the record at hand is left out */
    check_csv_cell *cells;
    char *buffer; /* of the fields of a record */
    size_t used;
    const char *p, *end; /* what is left of the file */
} check_csv_table;

/* ---- What the certificate says --------------------------------------------------------------- */

static int check_csv_order(const void *left, const void *right)
{
    const check_csv_value *a = left, *b = right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return memcmp(a->text, b->text, a->size);
}

static void check_csv_values(hsv_checker *c, const hsv_json *object, hsv_table *t,
                             check_csv_field *f)
{
    const hsv_json *array = hsv_get(c, object, "values", HSV_ARRAY);
    size_t numbers = 0;
    long exponent;
    f->values = hsv_new(c, array->count, sizeof *f->values);
    f->list = hsv_new(c, array->count, sizeof *f->list);
    for (const hsv_json *value = array->child; value; value = value->next) {
        const char *text = hsv_bytes(c, value);
        numbers += (size_t)(hsv_decimal(text, strlen(text), *t->work, &exponent) != 0);
        f->list[f->count] = text;
        f->values[f->count] = (check_csv_value){text, strlen(text), (uint32_t)f->count, 0};
        f->count++;
    }
    if (!f->count) hsv_unreadable(c, "%s: a field has an empty list of values", t->name);
    qsort(f->values, f->count, sizeof *f->values, check_csv_order);
    for (size_t i = 1; i < f->count; i++)
        if (!check_csv_order(f->values + i - 1, f->values + i))
            hsv_unreadable(c, "%s: the value %s is there twice", t->name,
                           hsv_quote(c, f->values[i].text, f->values[i].size));
    if ((numbers == f->count) != f->codes)
        hsv_unreadable(c,
                       "%s: a field whose values are all numbers needs \"codes\": true to be read "
                       "as a category, and no other field has it",
                       t->name);
}

/* How many features a field makes. */
static size_t check_csv_features(hsv_checker *c, const hsv_json *object, hsv_table *t,
                                 hsv_field *field)
{
    static const char *const members[] = {"kind", "kind", "kind,mean,indicator",
                                          "kind,values,codes,unseen,indicator",
                                          "kind,values,codes,unseen,mean,indicator"};
    const check_csv_table *own = t->more;
    check_csv_field *f = field->more = hsv_new(c, 1, sizeof *f);
    hsv_members(c, object, members[field->kind]);
    if (hsv_find(object, "codes")) f->codes = hsv_get_flag(c, object, "codes");
    if (hsv_find(object, "unseen")) f->unseen = hsv_get_flag(c, object, "unseen");
    if (hsv_find(object, "indicator")) f->indicator = hsv_get_flag(c, object, "indicator");
    if (field->kind > HSV_NUMERIC) check_csv_values(c, object, t, f);
    f->mean = hsv_rationals(c, 1);
    f->has_mean = hsv_get_number(c, object, "mean", *f->mean);
    if (f->has_mean) f->mean_text = hsv_find(object, "mean")->text;
    if (f->has_mean && own->missing != CHECK_CSV_MEAN)
        hsv_unreadable(c, "%s: a mean is for missing values that become means", t->name);
    if (f->indicator && own->missing != CHECK_CSV_INDICATOR)
        hsv_unreadable(c, "%s: an indicator is for missing values that have one", t->name);
    mpz_ptr below = *hsv_full_of(c)->means;
    mpz_lcm(below, below, mpq_denref(*f->mean));
    if (mpz_sizeinbase(below, 2) > 100000)
        hsv_unreadable(c, "%s: the means have no small denominator", t->name);
    if (field->kind < HSV_NUMERIC) return 0;
    return (field->kind == HSV_CATEGORY ? f->count : 1) + (size_t)f->indicator;
}

static int check_csv_next(hsv_checker *c, hsv_table *t);

void hsv_csv_read(hsv_checker *c, const hsv_json *object, hsv_table *t)
{
    const hsv_json *fields = hsv_get(c, object, "fields", HSV_ARRAY);
    const hsv_json *separator = hsv_get(c, object, "separator", HSV_STRING);
    const char s = *separator->text, letter = (char)(s | 32);
    size_t column = 1, labels = 0;
    check_csv_table *own = t->more = hsv_new(c, 1, sizeof *own);
    if (separator->size != 1 || (s != '\t' && (s < ' ' || s > '~')) ||
        strchr("\"+-.0123456789", s) || (letter >= 'a' && letter <= 'z'))
        hsv_unreadable(c,
                       "%s: the separator must be a tab, a space or a sign that is part of no "
                       "number, word or quote",
                       t->name);
    t->separator = s;
    t->header = hsv_get_flag(c, object, "header");
    t->next = check_csv_next;
    t->fields = hsv_new(c, fields->count, sizeof *t->fields);
    own->cells = hsv_new(c, fields->count + 1, sizeof *own->cells);
    if (hsv_find(object, "missing"))
        own->missing =
            (csv_missing)hsv_get_choice(c, object, "missing", "error,drop,mean,indicator");
    for (const hsv_json *value = fields->child; value; value = value->next) {
        hsv_field *f = t->fields + t->field_count++;
        f->column = (uint32_t)column;
        if (value->type != HSV_OBJECT) hsv_unreadable(c, "%s: a field is an object", t->name);
        f->kind = (hsv_kind)hsv_get_choice(c, value, "kind", HSV_KINDS);
        labels += f->kind == HSV_LABEL;
        column += check_csv_features(c, value, t, f);
        if (column > UINT32_MAX) hsv_unreadable(c, "%s: too many features", t->name);
    }
    if (labels != 1) hsv_unreadable(c, "%s: one field must be the label", t->name);
    if (column - 1 != t->columns)
        hsv_unreadable(c, "%s: the fields make %zu columns, not %u", t->name, column - 1,
                       (unsigned)t->columns);
}

/* ---- Records --------------------------------------------------------------------------------- */

static int check_csv_byte(check_csv_table *own)
{
    return own->p == own->end ? EOF : (unsigned char)*own->p++;
}

/* A byte outside quotes; a carriage return is part of the end of a line, or of the file. */
static int check_csv_outside(hsv_checker *c, const hsv_table *t, check_csv_table *own, int byte)
{
    if (byte != '\r') return byte;
    byte = check_csv_byte(own);
    if (byte != '\n' && byte != EOF) hsv_bad_line(c, t, "a carriage return inside a line");
    return byte;
}

static int check_csv_blank(const hsv_table *t, int byte)
{
    return (byte == ' ' || byte == '\t') && byte != t->separator;
}

/* A field that begins with byte, into the buffer; the separator, '\n' or EOF that ends it. Runs of
 * spaces are one separator, and none before the end of a line. */
static int check_csv_cell_read(hsv_checker *c, hsv_table *t, check_csv_table *own,
                               check_csv_cell *cell, int byte)
{
    cell->start = own->used;
    while (check_csv_blank(t, byte) || (t->separator == ' ' && byte == ' '))
        byte = check_csv_byte(own);
    cell->quoted = byte == '"';
    while (cell->quoted) { /* up to the byte behind the last quote */
        byte = check_csv_byte(own);
        if (byte == EOF) hsv_bad_line(c, t, "a quote is not closed");
        if (byte == '"' && (byte = check_csv_byte(own)) != '"') break;
        if (byte == '\n') t->number++;
        own->buffer[own->used++] = (char)byte;
    }
    byte = check_csv_outside(c, t, own, byte);
    size_t end = own->used;
    for (; byte != t->separator && byte != '\n' && byte != EOF;
         byte = check_csv_outside(c, t, own, check_csv_byte(own))) {
        const int blank = check_csv_blank(t, byte);
        if (byte == '"' || (cell->quoted && !blank)) hsv_bad_line(c, t, "a quote inside a field");
        own->buffer[own->used++] = (char)byte;
        if (!blank) end = own->used;
    }
    own->used = end;
    cell->size = end - cell->start;
    if (t->separator != ' ' || byte != ' ') return byte;
    while (byte == ' ')
        byte = check_csv_outside(c, t, own, check_csv_byte(own));
    if (byte == '\n' || byte == EOF) return byte;
    own->p--; /* the byte just read */
    return ' ';
}

/* The next record that is not blank; 0: the end. */
static int check_csv_record(hsv_checker *c, hsv_table *t, check_csv_table *own)
{
    for (;;) {
        size_t count = 0;
        int byte = check_csv_byte(own);
        if (byte == EOF) return 0;
        own->used = 0;
        t->number++;
        do {
            if (count) byte = check_csv_byte(own);
            if (count == t->field_count) hsv_bad_line(c, t, "more fields than there should be");
            byte = check_csv_cell_read(c, t, own, own->cells + count++, byte);
        } while (byte == t->separator);
        if (count == 1 && !own->cells->size && !own->cells->quoted) continue;
        if (count != t->field_count) hsv_bad_line(c, t, "fewer fields than there should be");
        return 1;
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void check_csv_gap(hsv_checker *c, hsv_table *t, const hsv_field *field)
{
    check_csv_table *own = t->more;
    check_csv_field *f = field->more;
    const uint32_t features = field->kind == HSV_CATEGORY ? (uint32_t)f->count : 1;
    f->gap = 1;
    if (own->missing == CHECK_CSV_ERROR) hsv_bad_line(c, t, "a value is missing");
    if (own->missing == CHECK_CSV_DROP) own->lacks = 1;
    if (own->missing == CHECK_CSV_MEAN && field->kind != HSV_CATEGORY) {
        if (!f->has_mean) hsv_bad_line(c, t, "a value is missing, and its field has no mean");
        if (!mpq_sgn(*f->mean)) return;
        mpz_ptr value = hsv_row_place(c, t, field->column);
        if (!c->scale) return;
        mpz_ui_pow_ui(value, 10, (unsigned long)c->decimals);
        mpz_mul(value, value, *c->widen);
        mpz_divexact(value, value, mpq_denref(*f->mean));
        mpz_mul(value, value, mpq_numref(*f->mean));
    }
    if (own->missing == CHECK_CSV_INDICATOR && f->indicator) {
        mpz_set_ui(*t->work, 1);
        hsv_row_add(c, t, field->column + features, *t->work, 0);
    }
}

static void check_csv_use(hsv_checker *c, hsv_table *t, const hsv_field *field, const char *text,
                          size_t size)
{
    check_csv_field *f = field->more;
    long exponent = 0;
    if (field->kind == HSV_NUMERIC) {
        if (hsv_decimal(text, size, *t->work, &exponent) <= 0)
            hsv_bad_line(c, t, "a field that should be a number is not");
        hsv_row_add(c, t, field->column, *t->work, exponent);
        return;
    }
    const check_csv_value key = {text, size, 0, 0};
    f->now = bsearch(&key, f->values, f->count, sizeof *f->values, check_csv_order);
    if (!f->now && field->kind == HSV_ORDINAL) hsv_bad_line(c, t, "a value is not in its order");
    if (!f->now) return;
    mpz_set_ui(*t->work, field->kind == HSV_ORDINAL ? f->now->place : 1);
    hsv_row_add(c, t, field->column + (field->kind == HSV_CATEGORY ? f->now->place : 0), *t->work,
                0);
}

/* The record at hand, into raw; 0: it is left out as it lacks a value or its label. */
static int check_csv_row(hsv_checker *c, hsv_table *t)
{
    check_csv_table *own = t->more;
    own->lacks = 0;
    t->raw.count = 0;
    for (size_t k = 0; k < t->field_count; k++) {
        const hsv_field *field = t->fields + k;
        check_csv_field *f = field->more;
        const char *text = own->buffer + own->cells[k].start;
        const size_t size = own->cells[k].size;
        f->now = NULL;
        f->gap = 0;
        if (field->kind == HSV_IGNORED) continue;
        if (field->kind == HSV_LABEL) {
            if (own->cells[k].quoted || !hsv_missing(text, size))
                hsv_row_label(c, t, text, size);
            else if (own->missing == CHECK_CSV_ERROR)
                hsv_bad_line(c, t, "the label is missing");
            else
                own->lacks = 1;
        } else if (hsv_missing(text, size)) {
            check_csv_gap(c, t, field);
        } else {
            check_csv_use(c, t, field, text, size);
        }
    }
    return !own->lacks;
}

static int check_csv_next(hsv_checker *c, hsv_table *t)
{
    check_csv_table *own = t->more;
    if (!own->buffer) own->buffer = hsv_new(c, t->size + 1, 1);
    if (!t->number) {
        const int mark = t->size >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3);
        own->p = t->text + (mark ? 3 : 0);
        own->end = t->text + t->size;
        if (t->header && !check_csv_record(c, t, own)) return 0;
    }
    for (;; t->unused++) {
        if (!check_csv_record(c, t, own)) return 0;
        if (check_csv_row(c, t)) break;
    }
    for (size_t k = 0; !c->scale && t->raw.y && k < t->field_count; k++) {
        check_csv_field *f = t->fields[k].more;
        if (f->now) f->now->seen = 1;
        f->gaps += (size_t)f->gap;
    }
    return 1;
}

/* ---- In words -------------------------------------------------------------------------------- */

#define CHECK_CSV_SHOWN 8 /* values of a list that are named */

static void check_csv_say_field(hsv_checker *c, const hsv_table *t, size_t k)
{
    const check_csv_field *f = t->fields[k].more;
    const check_csv_table *own = t->more;
    const int ordinal = t->fields[k].kind == HSV_ORDINAL;
    if (t->fields[k].kind > HSV_NUMERIC) {
        size_t unseen = 0;
        for (size_t i = 0; i < f->count; i++)
            unseen += !f->values[i].seen;
        /* "a" < "b" < "c": the order of an ordinal changes what is claimed, and is there in full. Of
         * a category the first few and how many there are. */
        const int all = ordinal || f->count <= CHECK_CSV_SHOWN;
        const size_t shown = all ? f->count : CHECK_CSV_SHOWN - 2;
        const char **quoted = hsv_new(c, shown, sizeof *quoted);
        size_t room = 64;
        for (size_t i = 0; i < shown; i++) {
            quoted[i] = hsv_quote(c, f->list[i], strlen(f->list[i]));
            room += strlen(quoted[i]) + 3;
        }
        char *text = hsv_new(c, room, 1), *to = text;
        for (size_t i = 0; i < shown; i++)
            to += sprintf(to, "%s%s", !i ? "" : ordinal ? " < " : ", ", quoted[i]);
        if (!all) sprintf(to, ", ... (%zu values)", f->count);
        hsv_say(c, "%s: field %zu is %s%s: %s.", t->name, k + 1, ordinal ? "ordinal" : "a category",
                f->codes ? ", its numbers are codes" : "", text);
        if (unseen && t == &c->data) {
            if (!f->unseen || unseen == f->count)
                hsv_unreadable(c, "%s: field %zu has a value in its list that no row has", t->name,
                               k + 1);
            hsv_say(c, "%s: %zu of the values of field %zu occur in no row.", t->name, unseen,
                    k + 1);
        }
    }
    if (!f->gaps) return;
    const int mean = own->missing == CHECK_CSV_MEAN && t->fields[k].kind != HSV_CATEGORY;
    const char *about = mean ? hsv_show(c, *f->mean, -1) : ""; /* where a few digits are not all */
    const int same = !mean || !strcmp(about, f->mean_text);
    hsv_say(c, "%s: field %zu: %zu missing value%s %s%s%s%s%s.", t->name, k + 1, f->gaps,
            f->gaps == 1 ? " becomes" : "s become", mean ? f->mean_text : "0",
            same ? "" : " (about ", same ? "" : about, same ? "" : ")",
            !mean && f->indicator ? ", and a column of their own 1" : "");
}

void hsv_csv_say(hsv_checker *c, const hsv_table *t)
{
    hsv_say_reading(c, t);
    for (size_t k = 0; k < t->field_count; k++)
        if (t->fields[k].kind >= HSV_NUMERIC) check_csv_say_field(c, t, k);
}

int hsv_csv_drops(const hsv_table *t)
{
    return t->more && ((const check_csv_table *)t->more)->missing == CHECK_CSV_DROP;
}

int hsv_csv_same(const hsv_table *a, const hsv_table *b)
{
    const check_csv_table *own = a->more, *other = b->more;
    int same = !own == !other && a->index_base == b->index_base && a->separator == b->separator &&
               a->field_count == b->field_count && (!own || own->missing == other->missing);
    for (size_t k = 0; same && k < a->field_count; k++) {
        const check_csv_field *f = a->fields[k].more, *g = b->fields[k].more;
        same = a->fields[k].kind == b->fields[k].kind && f->indicator == g->indicator &&
               f->has_mean == g->has_mean && mpq_equal(*f->mean, *g->mean) && f->count == g->count;
        for (size_t i = 0; same && i < f->count; i++)
            same = !strcmp(f->list[i], g->list[i]);
    }
    return same;
}
