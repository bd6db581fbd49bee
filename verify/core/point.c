/* Vectors: weights of columns, or sums over rows in a kernel's space. */
#include "core.h"

#define POINT_COLUMNS (1 << 22) /* of vectors, which hold every one, for small files */

/* Weights of columns 1 .. count, all 0; in another space a sum of no rows. */
void hsv_point_new(hsv_checker *c, size_t count, hsv_point *p)
{
    if (p->space) count = 0;
    if (count > POINT_COLUMNS && count > c->data.size / 8)
        hsv_unreadable(c, "columns up to %zu are used: too many for a file of this size", count);
    p->count = count;
    p->value = hsv_integers(c, count);
    p->work = hsv_integers(c, 3);
    p->below = p->work + 2;
    p->b = hsv_rationals(c, 1);
    mpz_set_ui(*p->below, 1);
}

/* {"w" or "rows": [[index, number], ...], "b": number}: b is 0 where there is no offset. */
void hsv_point_read(hsv_checker *c, const hsv_json *object, int offset, hsv_point *p)
{
    hsv_list list = {0};
    hsv_get_list(c, object, p->space ? "rows" : "w", &list);
    const size_t last = list.count ? list.index[list.count - 1] : 0;
    if (!p->space && last > c->data.columns)
        hsv_unreadable(c, "w: there are %u columns", (unsigned)c->data.columns);
    hsv_point_new(c, last, p);
    mpz_set(*p->below, *list.below);
    for (size_t i = 0; !p->space && i < list.count; i++)
        mpz_swap(p->value[list.index[i] - 1], list.value[i]);
    if (p->space) p->space->load(c, p, &list);
    hsv_get_number(c, object, "b", *p->b);
    if (!offset && mpq_sgn(*p->b)) hsv_reject(c, "b must be 0 without an offset");
}

void hsv_get_separator(hsv_checker *c, const hsv_json *claim, int offset, hsv_point *p)
{
    const hsv_json *object = hsv_get(c, claim, "separator", HSV_OBJECT);
    hsv_members(c, object, p->space ? "rows,b" : "w,b");
    hsv_point_read(c, object, offset, p);
}

/* w += factor y x, w over below and scale. */
void hsv_point_add(hsv_checker *c, hsv_point *p, const hsv_row *row, const mpz_t factor)
{
    if (p->space) p->space->add(c, p, row, factor);
    for (size_t j = 0; !p->space && j < row->count; j++)
        (row->y > 0 ? mpz_addmul : mpz_submul)(p->value[row->column[j] - 1], factor, row->value[j]);
}

/* The sum of a y x over the list; y of its rows are filled in. */
void hsv_point_sum(hsv_checker *c, hsv_list *list, hsv_point *p)
{
    size_t i = 0;
    hsv_point_new(c, c->data.width, p);
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        if (i == list->count || list->index[i] != row->number) continue;
        list->y[i] = (signed char)row->y;
        hsv_spend(c, row->count * (8 + mpz_size(list->value[i]) * mpz_size(*c->scale)));
        hsv_point_add(c, p, row, list->value[i++]);
    }
    if (i < list->count)
        hsv_reject(c, "row %zu is named, but there are %zu", list->index[i], c->data.rows);
    mpz_set(*p->below, *list->below);
    if (!p->space) mpz_mul(*p->below, *p->below, *c->scale);
}

/* <w, x>, exactly. */
static void point_product(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t out)
{
    size_t units = 1500;
    mpz_set_ui(p->work[0], 0);
    for (size_t j = 0; j < row->count && row->column[j] <= p->count; j++) {
        mpz_srcptr w = p->value[row->column[j] - 1];
        mpz_addmul(p->work[0], w, row->value[j]);
        units += 8 + mpz_size(w) * mpz_size(row->value[j]);
    }
    hsv_spend(c, units + mpz_size(p->work[0]) * mpz_size(p->work[0]));
    mpz_mul(p->work[1], *p->below, *c->scale);
    hsv_ratio(out, p->work[0], p->work[1]);
}

void hsv_point_score(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi)
{
    if (p->space) p->space->score(c, p, row, lo, hi);
    if (!p->space) point_product(c, p, row, lo), mpq_set(hi, lo);
    mpq_add(lo, lo, *p->b);
    mpq_add(hi, hi, *p->b);
}

/* y s(x) */
void hsv_point_margin(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi)
{
    hsv_point_score(c, p, row, lo, hi);
    if (row->y > 0) return;
    mpq_swap(lo, hi);
    mpq_neg(lo, lo);
    mpq_neg(hi, hi);
}

/* The sum of the squares of whole numbers over a denominator. */
void hsv_squares(hsv_checker *c, mpz_t *value, size_t count, const mpz_t below, mpq_t lo, mpq_t hi)
{
    mpz_set_ui(mpq_numref(lo), 0);
    for (size_t j = 0; j < count; j++) {
        hsv_spend(c, 8 + mpz_size(value[j]) * mpz_size(value[j]));
        mpz_addmul(mpq_numref(lo), value[j], value[j]);
    }
    mpz_mul(mpq_denref(lo), below, below);
    mpq_canonicalize(lo);
    mpq_set(hi, lo);
}

void hsv_point_norm2(hsv_checker *c, hsv_point *p, mpq_t lo, mpq_t hi)
{
    if (p->space) p->space->norm2(c, p, lo, hi);
    if (!p->space) hsv_squares(c, p->value, p->count, *p->below, lo, hi);
}
