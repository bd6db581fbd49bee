/* What the certificate says about a file: its hash, its classes, how it is read. */
#include <string.h>

#include "check1.h"

static void table_digest(hsv1_checker *c, const hsv1_json *object, hsv1_table *t)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = hsv1_get_text(c, object, "sha256");
    if (strlen(text) != 64 || strspn(text, digits) != 64)
        hsv1_unreadable(c, "%s: sha256 must be 64 hexadecimal digits", t->name);
    for (int i = 0; i < 32; i++)
        t->digest[i] = (unsigned char)((strchr(digits, text[2 * i]) - digits) << 4 |
                                       (strchr(digits, text[2 * i + 1]) - digits));
}

/* A decimal's value in one form: no factor 10 in the mantissa, 0 has exponent 0. */
static int table_value(const char *text, size_t size, mpz_t mantissa, long *exponent)
{
    if (!hsv1_decimal(text, size, mantissa, exponent)) return 0;
    if (!mpz_sgn(mantissa)) *exponent = 0;
    while (mpz_sgn(mantissa) && mpz_divisible_ui_p(mantissa, 10)) {
        mpz_divexact_ui(mantissa, mantissa, 10);
        ++*exponent;
    }
    return 1;
}

int hsv1_label_find(hsv1_table *t, const char *text, size_t size)
{
    long exponent;
    for (size_t i = 0; i < t->label_count; i++)
        if (t->labels[i].size == size && !memcmp(t->labels[i].text, text, size))
            return t->labels[i].y;
    if (!table_value(text, size, t->number[0], &exponent)) return 0;
    for (size_t i = 0; i < t->label_count; i++)
        if (t->labels[i].is_number && t->labels[i].exponent == exponent &&
            !mpz_cmp(*t->labels[i].mantissa, t->number[0]))
            return t->labels[i].y;
    return 0;
}

static void table_labels(hsv1_checker *c, const hsv1_json *object, hsv1_table *t)
{
    const hsv1_json *sides[2] = {hsv1_get(c, object, "negative", HSV1_ARRAY),
                                hsv1_get(c, object, "positive", HSV1_ARRAY)};
    t->labels = hsv1_new(c, sides[0]->count + sides[1]->count, sizeof *t->labels);
    for (int side = 0; side < 2; side++)
        for (const hsv1_json *value = sides[side]->child; value; value = value->next) {
            if (value->type != HSV1_STRING) hsv1_unreadable(c, "%s: labels must be strings", t->name);
            if (hsv1_label_find(t, value->text, value->size))
                hsv1_unreadable(c, "%s: label \"%.60s\" is there twice", t->name, value->text);
            hsv1_label *label = t->labels + t->label_count++;
            label->text = value->text;
            label->size = value->size;
            label->mantissa = hsv1_integers(c, 1);
            label->is_number =
                table_value(value->text, value->size, *label->mantissa, &label->exponent);
            label->y = side ? 1 : -1;
        }
    if (hsv1_find(object, "others"))
        t->drop_others = hsv1_get_choice(c, object, "others", "error drop");
}

/* One field of csv; how many features it makes. */
static uint64_t table_field(hsv1_checker *c, const hsv1_json *object, hsv1_table *t, hsv1_field *f)
{
    static const uint64_t features[] = {0, 0, 1, 0, 1};
    hsv1_members(c, object, "kind values mean indicator");
    f->kind = (hsv1_kind)hsv1_get_choice(c, object, "kind", "label ignored number category ordinal");
    if (f->kind == HSV1_FIELD_CATEGORY || f->kind == HSV1_FIELD_ORDINAL) {
        f->values = hsv1_get(c, object, "values", HSV1_ARRAY);
        for (const hsv1_json *value = f->values->child; value; value = value->next)
            if (value->type != HSV1_STRING) hsv1_unreadable(c, "%s: values must be strings", t->name);
    }
    if (hsv1_find(object, "mean")) {
        f->has_mean = 1;
        f->mean = hsv1_rationals(c, 1);
        hsv1_get_number(c, object, "mean", *f->mean);
        mpz_lcm(*t->means_below, *t->means_below, mpq_denref(*f->mean));
        if (mpz_sizeinbase(*t->means_below, 2) > 100000)
            hsv1_unreadable(c, "%s: the means have no small denominator", t->name);
    }
    f->indicator = hsv1_find(object, "indicator") && hsv1_get_flag(c, object, "indicator");
    if (f->indicator && (t->missing != HSV1_MISSING_INDICATOR || f->kind <= HSV1_FIELD_IGNORED))
        hsv1_unreadable(c, "%s: an indicator belongs to no feature", t->name);
    if (f->kind <= HSV1_FIELD_IGNORED) return 0;
    return (f->kind == HSV1_FIELD_CATEGORY ? f->values->count : features[f->kind]) +
           (uint64_t)f->indicator;
}

static void table_csv(hsv1_checker *c, const hsv1_json *object, hsv1_table *t)
{
    const hsv1_json *fields = hsv1_get(c, object, "fields", HSV1_ARRAY);
    const char *separator = hsv1_get_text(c, object, "separator");
    uint64_t column = 1;
    int labels = 0;
    if (strlen(separator) != 1 || strchr("\"\r\n", *separator))
        hsv1_unreadable(c, "%s: the separator must be one character", t->name);
    t->separator = *separator;
    t->header = hsv1_get_flag(c, object, "header");
    if (hsv1_find(object, "missing"))
        t->missing = (hsv1_missing)hsv1_get_choice(c, object, "missing", "error drop mean indicator");
    t->fields = hsv1_new(c, fields->count, sizeof *t->fields);
    t->field_start = hsv1_new(c, fields->count + 1, sizeof *t->field_start);
    t->field_size = hsv1_new(c, fields->count + 1, sizeof *t->field_size);
    t->field_quoted = hsv1_new(c, fields->count + 1, 1);
    for (const hsv1_json *value = fields->child; value; value = value->next) {
        hsv1_field *f = t->fields + t->field_count++;
        f->column = (uint32_t)column;
        column += table_field(c, value, t, f);
        labels += f->kind == HSV1_FIELD_LABEL;
        if (column > UINT32_MAX) hsv1_unreadable(c, "%s: too many features", t->name);
    }
    if (labels != 1) hsv1_unreadable(c, "%s: one field must be the label", t->name);
    if (column - 1 != t->columns)
        hsv1_unreadable(c, "%s: the fields make %llu columns, not %u", t->name,
                       (unsigned long long)column - 1, (unsigned)t->columns);
}

void hsv1_table_read(hsv1_checker *c, const hsv1_json *object, hsv1_table *t)
{
    hsv1_members(c, object,
                "file sha256 rows columns format negative positive others index_base separator "
                "header missing fields");
    hsv1_get_text(c, object, "file");
    t->number = hsv1_integers(c, 2);
    t->means_below = hsv1_integers(c, 1);
    mpz_set_ui(*t->means_below, 1);
    table_digest(c, object, t);
    t->rows = hsv1_get_count(c, object, "rows");
    const uint64_t columns = hsv1_get_count(c, object, "columns");
    if (!t->rows) hsv1_unreadable(c, "%s: a file without rows has no claims", t->name);
    if (columns >= UINT32_MAX) hsv1_unreadable(c, "%s: too many columns", t->name);
    t->columns = (uint32_t)columns;
    table_labels(c, object, t);
    t->is_csv = hsv1_get_choice(c, object, "format", "libsvm csv");
    static const char *const foreign[2][5] = {{"separator", "header", "missing", "fields", NULL},
                                              {"index_base", NULL}};
    for (const char *const *key = foreign[t->is_csv]; *key; key++)
        if (hsv1_find(object, *key))
            hsv1_unreadable(c, "%s: \"%s\" is not for this format", t->name, *key);
    if (t->is_csv) {
        table_csv(c, object, t);
        return;
    }
    const uint64_t base = hsv1_get_count(c, object, "index_base");
    if (base > 1) hsv1_unreadable(c, "%s: index_base must be 0 or 1", t->name);
    t->index_base = (uint32_t)base;
}
