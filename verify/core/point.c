/* Vectors: weights of columns, or sums over rows in a kernel's space. */
#include "core.h"

#define POINT_COLUMNS (1 << 22) /* of vectors, which hold every one, for small files */

/* Weights of columns 1 .. count, all 0; or a sum of no rows. */
void hsv_point_new(hsv_checker *c, hsv_space *space, size_t count, hsv_point *p)
{
    if (!space && count > POINT_COLUMNS && count > c->data.size / 8)
        hsv_unreadable(c, "columns up to %zu are used: too many for a file of this size", count);
    p->space = space;
    p->below = hsv_integers(c, 1);
    p->work = hsv_integers(c, 2);
    p->b = hsv_rationals(c, 1);
    mpz_set_ui(*p->below, 1);
    if (space) return;
    p->count = count;
    p->value = hsv_integers(c, count);
}

/* {"w" or "rows": [[index, number], ...], "b": number}: b is 0 where there is no offset. */
void hsv_point_read(hsv_checker *c, const hsv_json *object, hsv_space *space, int offset,
                    hsv_point *p)
{
    hsv_list list = {0};
    hsv_get_list(c, object, space ? "rows" : "w", &list);
    const size_t last = list.count ? list.index[list.count - 1] : 0;
    if (!space && last > c->data.columns)
        hsv_unreadable(c, "w: there are %u columns", (unsigned)c->data.columns);
    hsv_point_new(c, space, last, p);
    mpz_set(*p->below, *list.below);
    for (size_t i = 0; !space && i < list.count; i++)
        mpz_swap(p->value[list.index[i] - 1], list.value[i]);
    if (space) space->load(c, p, &list);
    hsv_get_number(c, object, "b", *p->b);
    if (!offset && mpq_sgn(*p->b)) hsv_reject(c, "b must be 0 without an offset");
}

void hsv_get_separator(hsv_checker *c, const hsv_json *claim, hsv_space *space, int offset,
                       hsv_point *p)
{
    const hsv_json *object = hsv_get(c, claim, "separator", HSV_OBJECT);
    hsv_members(c, object, space ? "rows b" : "w b");
    hsv_point_read(c, object, space, offset, p);
}

/* w += factor y x, w over below and scale. */
void hsv_point_add(hsv_checker *c, hsv_point *p, const hsv_row *row, const mpz_t factor)
{
    if (p->space) {
        p->space->add(c, p, row, factor);
        return;
    }
    for (size_t j = 0; j < row->count; j++)
        (row->y > 0 ? mpz_addmul : mpz_submul)(p->value[row->column[j] - 1], factor, row->value[j]);
}

/* The sum of a y x over the list; y of its rows are filled in. */
void hsv_point_sum(hsv_checker *c, hsv_list *list, hsv_space *space, hsv_point *p)
{
    size_t i = 0;
    hsv_point_new(c, space, c->data.width, p);
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        if (i == list->count || list->index[i] != row->number) continue;
        list->y[i] = (signed char)row->y;
        hsv_spend(c, row->count * (8 + mpz_size(list->value[i]) * mpz_size(*c->scale)));
        hsv_point_add(c, p, row, list->value[i++]);
    }
    if (i < list->count)
        hsv_reject(c, "row %zu is named, but there are %zu", list->index[i], c->data.rows);
    mpz_set(*p->below, *list->below);
    if (!space) mpz_mul(*p->below, *p->below, *c->scale);
}

void hsv_point_score(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi)
{
    if (p->space) {
        p->space->score(c, p, row, lo, hi);
        mpq_add(hi, hi, *p->b);
    } else {
        size_t units = 0;
        mpz_set_ui(p->work[0], 0);
        for (size_t j = 0; j < row->count && row->column[j] <= p->count; j++) {
            mpz_srcptr w = p->value[row->column[j] - 1];
            mpz_addmul(p->work[0], w, row->value[j]);
            units += 8 + mpz_size(w) * mpz_size(row->value[j]);
        }
        hsv_spend(c, 1500 + units + mpz_size(p->work[0]) * mpz_size(p->work[0]));
        mpz_mul(p->work[1], *p->below, *c->scale);
        hsv_ratio(lo, p->work[0], p->work[1]);
    }
    mpq_add(lo, lo, *p->b);
    if (!p->space) mpq_set(hi, lo);
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
static void point_squares(hsv_checker *c, mpz_t *value, size_t count, const mpz_t below, mpq_t out)
{
    mpz_set_ui(mpq_numref(out), 0);
    for (size_t j = 0; j < count; j++) {
        hsv_spend(c, 8 + mpz_size(value[j]) * mpz_size(value[j]));
        mpz_addmul(mpq_numref(out), value[j], value[j]);
    }
    mpz_mul(mpq_denref(out), below, below);
    mpq_canonicalize(out);
}

void hsv_point_norm2(hsv_checker *c, hsv_point *p, mpq_t lo, mpq_t hi)
{
    if (!p->space) point_squares(c, p->value, p->count, *p->below, lo);
    if (p->space)
        p->space->norm2(c, p, lo, hi);
    else
        mpq_set(hi, lo);
}

void hsv_row_norm2(hsv_checker *c, hsv_space *space, const hsv_row *row, mpq_t lo, mpq_t hi)
{
    if (!space) point_squares(c, row->value, row->count, *c->scale, lo);
    if (space)
        space->row_norm2(c, space, row, lo, hi);
    else
        mpq_set(hi, lo);
}
