/* What the certificate says about a file: its hash, its classes, how it is read. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core.h"

/* A label that is a decimal is compared by its value: mantissa 10^exponent, no factor 10 in the
 * mantissa, 0 has exponent 0. */
static void table_label(const char *text, size_t size, hsv_label *label)
{
    mpz_ptr m = *label->mantissa;
    label->text = text;
    label->size = size;
    label->is_number = hsv_decimal(text, size, m, &label->exponent);
    if (!label->is_number) return;
    if (!mpz_sgn(m)) label->exponent = 0;
    for (; mpz_sgn(m) && mpz_divisible_ui_p(m, 10); label->exponent++)
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

int hsv_label_y(hsv_table *t, const char *text, size_t size)
{
    hsv_label label = {.mantissa = t->work};
    table_label(text, size, &label);
    const hsv_label *found =
        bsearch(&label, t->labels, t->label_count, sizeof *t->labels, table_order);
    return found ? found->y : 0;
}

/* The class of the row at hand. */
void hsv_row_label(hsv_checker *c, hsv_table *t, const char *text, size_t size)
{
    t->raw.y = hsv_label_y(t, text, size);
    if (!t->raw.y && !t->drop_others)
        hsv_reject(c, "%s: line %zu: the label '%.*s' is of no class", t->name, t->number,
                   (int)(size < 60 ? size : 60), text);
}

int hsv_missing(const char *text, size_t size)
{
    return !size || (size == 1 && *text == '?') || (size == 2 && !strncasecmp(text, "na", 2)) ||
           (size == 3 && !strncasecmp(text, "nan", 3));
}

void hsv_bad_line(hsv_checker *c, const hsv_table *t, const char *what)
{
    hsv_unreadable(c, "%s: line %zu: %s", t->name, t->number, what);
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
            const char *text = hsv_bytes(c, value);
            hsv_label *label = t->labels + t->label_count;
            label->mantissa = mantissas + t->label_count++;
            label->y = side ? 1 : -1;
            table_label(text, strlen(text), label);
        }
    qsort(t->labels, count, sizeof *t->labels, table_order);
    for (size_t i = 1; i < count; i++)
        if (!table_order(t->labels + i - 1, t->labels + i))
            hsv_unreadable(c, "%s: the label %s is there twice", t->name,
                           hsv_quote(c, t->labels[i].text));
}

static void table_csv(hsv_checker *c, const hsv_json *object, hsv_table *t)
{
    const hsv_json *fields = hsv_get(c, object, "fields", HSV_ARRAY);
    const hsv_json *separator = hsv_get(c, object, "separator", HSV_STRING);
    const char s = *separator->text, letter = (char)(s | 32);
    size_t column = 1;
    size_t labels = 0;
    if (separator->size != 1 || (s != '\t' && (s < ' ' || s > '~')) ||
        strchr("\"+-.0123456789", s) || (letter >= 'a' && letter <= 'z'))
        hsv_unreadable(c,
                       "%s: the separator must be a tab, a space or a sign that is part of no "
                       "number, word or quote",
                       t->name);
    t->separator = s;
    t->next = hsv_csv_next;
    t->header = hsv_get_flag(c, object, "header");
    t->fields = hsv_new(c, fields->count, sizeof *t->fields);
    if (c->more) c->more->csv(c, object, t);
    if (!c->more && hsv_find(object, "missing") &&
        hsv_get_choice(c, object, "missing", "error drop mean indicator"))
        hsv_beyond(c, "missing values");
    for (const hsv_json *value = fields->child; value; value = value->next) {
        hsv_field *f = t->fields + t->field_count++;
        f->column = (uint32_t)column;
        if (value->type != HSV_OBJECT) hsv_unreadable(c, "%s: a field is an object", t->name);
        f->kind =
            (hsv_kind)hsv_get_choice(c, value, "kind", "label ignored number category ordinal");
        if (f->kind > HSV_NUMERIC && !c->more) hsv_beyond(c, "categories");
        if (!c->more) hsv_members(c, value, "kind");
        labels += f->kind == HSV_LABEL;
        column += c->more ? c->more->field(c, value, t, f) : f->kind == HSV_NUMERIC;
        if (column > UINT32_MAX) hsv_unreadable(c, "%s: too many features", t->name);
    }
    if (labels != 1) hsv_unreadable(c, "%s: one field must be the label", t->name);
    if (column - 1 != t->columns)
        hsv_unreadable(c, "%s: the fields make %zu columns, not %u", t->name, column - 1,
                       (unsigned)t->columns);
}

void hsv_table_read(hsv_checker *c, const hsv_json *object, hsv_table *t)
{
    t->work = hsv_integers(c, 1);
    t->digest = hsv_get_digest(c, object);
    t->rows = hsv_get_count(c, object, "rows");
    const size_t columns = hsv_get_count(c, object, "columns");
    if (!t->rows) hsv_unreadable(c, "%s: a file without rows has no claims", t->name);
    if (columns >= UINT32_MAX) hsv_unreadable(c, "%s: too many columns", t->name);
    t->columns = (uint32_t)columns;
    table_labels(c, object, t);
    if (hsv_find(object, "others"))
        t->drop_others = hsv_get_choice(c, object, "others", "error drop");
#define TABLE_MEMBERS "file sha256 rows columns format negative positive others "
    if (hsv_get_choice(c, object, "format", "libsvm csv")) {
        hsv_members(c, object, TABLE_MEMBERS "separator header missing fields");
        table_csv(c, object, t);
        return;
    }
    hsv_members(c, object, TABLE_MEMBERS "index_base");
    t->next = hsv_libsvm_next;
    t->index_base = (uint32_t)hsv_get_count(c, object, "index_base");
    if (t->index_base > 1) hsv_unreadable(c, "%s: index_base must be 0 or 1", t->name);
}
