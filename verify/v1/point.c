/* Vectors of the feature space: weights of columns, or sums over rows in a kernel's space; their
 * scores, their lengths. */
#include "check1.h"

#define POINT_COLUMNS (1 << 27) /* of vectors, which hold every one */

static void point_new(hsv1_checker *c, hsv1_kernel *k, hsv1_point *p)
{
    p->kernel = k;
    p->below = hsv1_integers(c, 1);
    p->score_below = hsv1_integers(c, 1);
    p->scratch = hsv1_integers(c, 2);
    p->norm = hsv1_rationals(c, 2);
}

static void point_finish(hsv1_point *p, const mpz_t scale)
{
    mpz_mul(*p->score_below, *p->below, p->kernel ? *hsv1_kernel_below(p->kernel) : scale);
}

static void point_dense(hsv1_checker *c, hsv1_point *p, size_t count)
{
    if (count > POINT_COLUMNS)
        hsv1_unreadable(c, "columns up to %zu are used: more than %d cannot be checked", count,
                       POINT_COLUMNS);
    p->count = count;
    p->value = hsv1_integers(c, count);
}

/* Weights of columns 1 to the last that is listed or in the data. */
static void point_weights(hsv1_checker *c, const hsv1_list *list, hsv1_point *p)
{
    size_t count = c->data.width;
    if (c->has_test && c->test.width > count) count = c->test.width;
    if (list->count && list->index[list->count - 1] > c->data.columns)
        hsv1_unreadable(c, "w: there are %u columns", (unsigned)c->data.columns);
    if (list->count && list->index[list->count - 1] > count) count = list->index[list->count - 1];
    point_dense(c, p, count);
    for (size_t i = 0; i < list->count; i++)
        mpz_set(p->value[list->index[i] - 1], list->value[i]);
}

void hsv1_point_separator(hsv1_checker *c, const hsv1_json *claim, hsv1_kernel *k, hsv1_point *p,
                         mpq_t b)
{
    const hsv1_json *object = hsv1_get(c, claim, "separator", HSV1_OBJECT);
    hsv1_list list = {0};
    hsv1_members(c, object, k ? "rows b" : "w b");
    mpq_set_ui(b, 0, 1);
    if (hsv1_find(object, "b")) hsv1_get_number(c, object, "b", b);
    point_new(c, k, p);
    hsv1_get_list(c, object, k ? "rows" : "w", &list);
    mpz_set(*p->below, *list.below);
    if (k) {
        p->count = list.count;
        p->value = list.value;
        p->rows = hsv1_new(c, list.count, sizeof *p->rows);
        hsv1_rows_load(c, list.index, list.count, p->rows);
    } else {
        point_weights(c, &list, p);
    }
    point_finish(p, *c->scale);
}

typedef struct point_sum {
    hsv1_list *list;
    size_t found;
    hsv1_point *point;
} point_sum;

static void point_sum_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    point_sum *s = with;
    const size_t i = s->found;
    if (i == s->list->count || s->list->index[i] != row->number) return;
    s->found++;
    s->list->y[i] = (signed char)row->y;
    if (s->point->kernel) {
        hsv1_row_copy(c, row, s->point->rows + i);
        mpz_mul_si(s->point->value[i], s->list->value[i], row->y);
        return;
    }
    for (size_t j = 0; j < row->count; j++) {
        if (row->column[j] > s->point->count) hsv1_reject(c, "a file changed while it was read");
        mpz_ptr w = s->point->value[row->column[j] - 1];
        if (row->y > 0)
            mpz_addmul(w, s->list->value[i], row->value[j]);
        else
            mpz_submul(w, s->list->value[i], row->value[j]);
    }
}

void hsv1_point_sum(hsv1_checker *c, hsv1_list *list, hsv1_kernel *k, hsv1_point *p)
{
    point_sum sum = {list, 0, p};
    point_new(c, k, p);
    if (k) {
        p->count = list->count;
        p->value = hsv1_integers(c, p->count);
        p->rows = hsv1_new(c, list->count, sizeof *p->rows);
    } else {
        point_dense(c, p, c->data.width);
    }
    hsv1_each_row(c, &c->data, point_sum_row, &sum);
    if (sum.found < list->count)
        hsv1_reject(c, "row %llu is named, but there are %llu",
                   (unsigned long long)list->index[sum.found], (unsigned long long)c->data.rows);
    mpz_set(*p->below, *list->below);
    if (!k) mpz_mul(*p->below, *p->below, *c->scale);
    point_finish(p, *c->scale);
}

void hsv1_point_score(hsv1_checker *c, hsv1_point *p, const hsv1_row *row, mpz_t lo, mpz_t hi)
{
    mpz_set_ui(lo, 0);
    if (!p->kernel) {
        for (size_t j = 0; j < row->count; j++)
            if (row->column[j] <= p->count)
                mpz_addmul(lo, p->value[row->column[j] - 1], row->value[j]);
        mpz_set(hi, lo);
        return;
    }
    mpz_set_ui(hi, 0);
    for (size_t i = 0; i < p->count; i++) {
        hsv1_kernel_value(c, p->kernel, p->rows + i, row, p->scratch[0], p->scratch[1]);
        hsv1_span_add(lo, hi, p->value[i], p->scratch[0], p->scratch[1]);
    }
}

void hsv1_point_norm(hsv1_checker *c, hsv1_point *p)
{
    hsv1_block *mark = hsv1_mark(c);
    mpz_t *n = hsv1_integers(c, 4);
    if (!p->kernel) {
        for (size_t j = 0; j < p->count; j++)
            mpz_addmul(n[0], p->value[j], p->value[j]);
        mpz_set(n[1], n[0]);
    }
    for (size_t i = 0; p->kernel && i < p->count; i++)
        for (size_t j = 0; j <= i; j++) {
            hsv1_kernel_value(c, p->kernel, p->rows + i, p->rows + j, p->scratch[0], p->scratch[1]);
            mpz_mul(n[2], p->value[i], p->value[j]);
            if (j < i) mpz_mul_2exp(n[2], n[2], 1);
            hsv1_span_add(n[0], n[1], n[2], p->scratch[0], p->scratch[1]);
        }
    mpz_mul(n[2], *p->below, *p->below);
    if (p->kernel) mpz_mul(n[2], n[2], *hsv1_kernel_below(p->kernel));
    if (mpz_sgn(n[0]) < 0) mpz_set_ui(n[0], 0); /* a square, however wide its enclosure */
    hsv1_ratio(p->norm[0], n[0], n[2]);
    hsv1_ratio(p->norm[1], n[1], n[2]);
    hsv1_release(c, mark);
}

void hsv1_norm2(hsv1_checker *c, hsv1_kernel *k, const hsv1_row *row, mpz_t lo, mpz_t hi)
{
    if (k) {
        hsv1_kernel_value(c, k, row, row, lo, hi);
        return;
    }
    mpz_set_ui(lo, 0);
    for (size_t j = 0; j < row->count; j++)
        mpz_addmul(lo, row->value[j], row->value[j]);
    mpz_set(hi, lo);
}

void hsv1_norm2_below(hsv1_checker *c, hsv1_kernel *k, mpz_t below)
{
    if (k)
        mpz_set(below, *hsv1_kernel_below(k));
    else
        mpz_mul(below, *c->scale, *c->scale);
}

/* ---- With an offset -------------------------------------------------------------------------- */

void hsv1_scorer_finish(hsv1_checker *c, hsv1_scorer *s)
{
    s->below = hsv1_integers(c, 1);
    s->factor = hsv1_integers(c, 1);
    s->b_over = hsv1_integers(c, 1);
    mpz_lcm(*s->below, *s->point.score_below, mpq_denref(*s->b));
    mpz_divexact(*s->factor, *s->below, *s->point.score_below);
    mpz_divexact(*s->b_over, *s->below, mpq_denref(*s->b));
    mpz_mul(*s->b_over, *s->b_over, mpq_numref(*s->b));
}

void hsv1_scorer_widen(hsv1_checker *c, hsv1_scorer *s, const mpz_t divisor)
{
    mpz_t *more = hsv1_integers(c, 1);
    mpz_lcm(*more, *s->below, divisor);
    mpz_divexact(*more, *more, *s->below);
    mpz_mul(*s->below, *s->below, *more);
    mpz_mul(*s->factor, *s->factor, *more);
    mpz_mul(*s->b_over, *s->b_over, *more);
}

void hsv1_scorer_read(hsv1_checker *c, const hsv1_json *claim, hsv1_kernel *k, hsv1_scorer *s)
{
    s->b = hsv1_rationals(c, 1);
    hsv1_point_separator(c, claim, k, &s->point, *s->b);
    hsv1_scorer_finish(c, s);
}

void hsv1_scorer_score(hsv1_checker *c, hsv1_scorer *s, const hsv1_row *row, mpz_t lo, mpz_t hi)
{
    hsv1_point_score(c, &s->point, row, lo, hi);
    mpz_mul(lo, lo, *s->factor);
    mpz_add(lo, lo, *s->b_over);
    if (!s->point.kernel) {
        mpz_set(hi, lo);
        return;
    }
    mpz_mul(hi, hi, *s->factor);
    mpz_add(hi, hi, *s->b_over);
}
