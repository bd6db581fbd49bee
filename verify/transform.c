/* The scale of all rows, the transform of their columns, and copies of rows. */
#include "full.h"

#define TRANSFORM_BITS 200000 /* of the common denominators */

/* Values that it has are lost. */
static void transform_room(hsv_checker *c, hsv_row *row, size_t room)
{
    if (row->room >= room) return;
    row->column = hsv_new(c, room, sizeof *row->column);
    row->value = hsv_integers(c, room);
    row->room = room;
}

void hsv_row_copy(hsv_checker *c, const hsv_row *row, hsv_row *copy)
{
    *copy = (hsv_row){.number = row->number, .y = row->y};
    transform_room(c, copy, row->count + 1);
    for (; copy->count < row->count; copy->count++) {
        copy->column[copy->count] = row->column[copy->count];
        mpz_set(copy->value[copy->count], row->value[copy->count]);
        hsv_spend(c, 100 * mpz_size(copy->value[copy->count]));
    }
}

/* Every number must be there. */
hsv_row *hsv_rows_load(hsv_checker *c, const size_t *numbers, size_t count)
{
    hsv_row *copies = hsv_new(c, count, sizeof *copies);
    size_t found = 0;
    for (const hsv_row *row; (row = hsv_next(c, &c->data));)
        if (found < count && numbers[found] == row->number) hsv_row_copy(c, row, copies + found++);
    if (found < count)
        hsv_reject(c, "row %zu is named, but there are %zu", numbers[found], c->data.rows);
    return copies;
}

static void transform_read(hsv_checker *c, const hsv_json *array)
{
    hsv_transform *f = &hsv_full_of(c)->transform;
    mpq_t *offset = hsv_rationals(c, array->count), *factor = hsv_rationals(c, array->count);
    mpq_t *ends = hsv_rationals(c, 4); /* least and largest offset, factor */
    uint32_t before = 0;
    f->column = hsv_new(c, array->count, sizeof *f->column);
    f->offset = hsv_integers(c, array->count);
    f->factor = hsv_integers(c, array->count);
    for (const hsv_json *item = array->child; item; item = item->next) {
        const size_t i = f->count++;
        if (item->type != HSV_ARRAY || item->count != 3)
            hsv_unreadable(c, "transform: expected [column, offset, factor]");
        const size_t column = hsv_count(c, item->child, "transform");
        if (column <= before || column > c->data.columns)
            hsv_unreadable(c, "transform: columns are from 1 to %u, ascending",
                           (unsigned)c->data.columns);
        f->column[i] = before = (uint32_t)column;
        hsv_number(c, item->child->next, "transform", offset[i]);
        hsv_number(c, item->child->next->next, "transform", factor[i]);
        if (!mpq_sgn(factor[i]))
            hsv_unreadable(c, "transform: the factor of column %u is 0, which erases the column",
                           (unsigned)column);
        if (!i || mpq_cmp(offset[i], ends[0]) < 0) mpq_set(ends[0], offset[i]);
        if (!i || mpq_cmp(offset[i], ends[1]) > 0) mpq_set(ends[1], offset[i]);
        if (!i || mpq_cmp(factor[i], ends[2]) < 0) mpq_set(ends[2], factor[i]);
        if (!i || mpq_cmp(factor[i], ends[3]) > 0) mpq_set(ends[3], factor[i]);
    }
    if (!f->count) hsv_unreadable(c, "transform: it is empty");
    hsv_common(c, offset, f->count, f->offset, *f->offset_below);
    hsv_common(c, factor, f->count, f->factor, *f->factor_below);
    hsv_say(c,
            "transform: the values of %zu of %u columns stand for (x - offset) factor, offsets "
            "from %s to %s, factors from %s to %s.",
            f->count, (unsigned)c->data.columns, hsv_show(c, ends[0], -1), hsv_show(c, ends[1], 1),
            hsv_show(c, ends[2], -1), hsv_show(c, ends[3], 1));
}

/* One denominator for the rows of all files: c->decimals, c->widen, c->scale. */
void hsv_scale(hsv_checker *c, const hsv_json *transform)
{
    hsv_full *full = hsv_full_of(c);
    hsv_transform *f = &full->transform;
    mpz_t *base = hsv_integers(c, 1);
    c->scale = hsv_integers(c, 2);
    c->widen = c->scale + 1;
    f->offset_below = hsv_integers(c, 3);
    f->factor_below = f->offset_below + 1;
    f->widen = f->offset_below + 2;
    if (full->test.decimals > c->decimals) c->decimals = full->test.decimals;
    mpz_set(*c->widen, *full->means);
    mpz_ui_pow_ui(*base, 10, (unsigned long)c->decimals);
    mpz_mul(*base, *base, *c->widen);
    mpz_set(*c->scale, *base);
    if (!transform) return;
    if (transform->type != HSV_ARRAY) hsv_unreadable(c, "transform: expected an array");
    transform_read(c, transform);
    mpz_lcm(*c->scale, *base, *f->offset_below);
    mpz_divexact(*f->widen, *c->scale, *base);
    mpz_divexact(*base, *c->scale, *f->offset_below);
    for (size_t i = 0; i < f->count; i++)
        mpz_mul(f->offset[i], f->offset[i], *base);
    mpz_mul(*c->scale, *c->scale, *f->factor_below);
    if (mpz_sizeinbase(*c->scale, 2) > TRANSFORM_BITS)
        hsv_unreadable(c, "transform: the common denominator is too long");
    hsv_table *tables[2] = {&c->data, &full->test};
    for (int i = 0; i < 2; i++) {
        transform_room(c, full->moved + i, tables[i]->raw.room + f->count + 1);
        if (tables[i]->width < f->column[f->count - 1]) tables[i]->width = f->column[f->count - 1];
    }
}

/* One value through the transform's item at (listed) or past it; kept if it is not 0. */
static void transform_value(const hsv_transform *f, hsv_row *to, uint32_t column, mpz_srcptr value,
                            size_t at, int listed)
{
    mpz_ptr out = to->value[to->count];
    if (value)
        mpz_mul(out, value, *f->widen);
    else
        mpz_set_ui(out, 0);
    if (listed) mpz_sub(out, out, f->offset[at]);
    mpz_mul(out, out, listed ? f->factor[at] : *f->factor_below);
    if (!mpz_sgn(out)) return;
    to->column[to->count++] = column;
}

const hsv_row *hsv_transformed(hsv_checker *c, hsv_table *t)
{
    hsv_full *full = hsv_full_of(c);
    const hsv_transform *f = &full->transform;
    const hsv_row *from = &t->raw;
    hsv_row *to = full->moved + (t == &full->test);
    size_t i = 0, k = 0;
    if (!f->count) return from;
    hsv_spend(c, 20 * (from->count + f->count));
    to->number = from->number;
    to->y = from->y;
    to->count = 0;
    while (i < from->count || k < f->count) {
        if (k == f->count || (i < from->count && from->column[i] < f->column[k])) {
            transform_value(f, to, from->column[i], from->value[i], 0, 0);
            i++;
        } else {
            const int there = i < from->count && from->column[i] == f->column[k];
            transform_value(f, to, f->column[k], there ? from->value[i] : NULL, k, 1);
            i += (size_t)there;
            k++;
        }
    }
    return to;
}
