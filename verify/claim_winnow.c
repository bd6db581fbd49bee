/* Claim 3, Winnow on a disjunction of k columns: p promotions and q demotions within Littlestone's
 * bound. A promotion multiplies, by alpha, the weight of some column of the disjunction, at most
 * theta before it; the total weight starts at d and never falls below 0. Logarithms are avoided by
 * comparing powers. */
#include "check.h"

#define WINNOW_BITS 20000000 /* of a power that is computed */

typedef struct winnow_rows {
    const uint32_t *column; /* of the disjunction */
    size_t count;
} winnow_rows;

static void winnow_row(hsv_checker *c, const hsv_row *row, void *with)
{
    const winnow_rows *w = with;
    int any = 0;
    for (size_t j = 0, i = 0; j < row->count; j++) {
        if (mpz_cmp(row->value[j], *c->scale) != 0)
            hsv_reject(c, "row %llu has a value that is not 0 or 1",
                       (unsigned long long)row->number);
        while (i < w->count && w->column[i] < row->column[j])
            i++;
        any |= i < w->count && w->column[i] == row->column[j];
    }
    if (any != (row->y > 0))
        hsv_reject(c, "row %llu is not what the disjunction says", (unsigned long long)row->number);
}

/* alpha^n <= theta^k? */
static int winnow_powers(hsv_checker *c, const mpq_t alpha, uint64_t n, const mpq_t theta,
                         uint64_t k)
{
    mpz_t *z = hsv_integers(c, 4);
    if ((mpz_sizeinbase(mpq_numref(alpha), 2) + mpz_sizeinbase(mpq_denref(alpha), 2)) >
            WINNOW_BITS / (n + 1) ||
        (mpz_sizeinbase(mpq_numref(theta), 2) + mpz_sizeinbase(mpq_denref(theta), 2)) >
            WINNOW_BITS / (k + 1))
        hsv_reject(c, "the powers that the bound compares are too long");
    mpz_pow_ui(z[0], mpq_numref(alpha), n);
    mpz_pow_ui(z[1], mpq_denref(alpha), n);
    mpz_pow_ui(z[2], mpq_numref(theta), k);
    mpz_pow_ui(z[3], mpq_denref(theta), k);
    mpz_mul(z[0], z[0], z[3]);
    mpz_mul(z[1], z[1], z[2]);
    return mpz_cmp(z[0], z[1]) <= 0;
}

typedef struct winnow_counts {
    const hsv_list *list;
    size_t found;
    uint64_t sum[2]; /* of negative and of positive rows */
} winnow_counts;

static void winnow_count_row(hsv_checker *c, const hsv_row *row, void *with)
{
    winnow_counts *w = with;
    (void)c;
    if (w->found == w->list->count || w->list->index[w->found] != row->number) return;
    w->sum[row->y > 0] += mpz_get_ui(w->list->value[w->found++]);
}

static void winnow_disjunction(hsv_checker *c, const hsv_json *array, winnow_rows *rows)
{
    uint32_t *column = hsv_new(c, array->count, sizeof *column), before = 0;
    if (!array->count) hsv_unreadable(c, "disjunction: no column");
    for (const hsv_json *value = array->child; value; value = value->next) {
        const uint64_t number = hsv_count(c, value, "disjunction");
        if (number <= before || number > c->data.columns)
            hsv_unreadable(c, "disjunction: columns are from 1 to %u, ascending",
                           (unsigned)c->data.columns);
        column[rows->count++] = before = (uint32_t)number;
    }
    rows->column = column;
}

/* What the demotions may be: winnow2 alpha d / ((alpha - 1) theta) + alpha p, winnow1 d / theta +
 * (alpha - 1) p. */
static void winnow_demotions(hsv_checker *c, int two, const mpq_t alpha, const mpq_t theta,
                             uint64_t p, mpq_t out)
{
    mpq_t *q = hsv_rationals(c, 3);
    mpq_set_ui(q[0], 1, 1);
    mpq_sub(q[0], alpha, q[0]); /* alpha - 1 */
    mpq_set_ui(out, c->data.columns, 1);
    mpq_div(out, out, theta);
    if (two) {
        mpq_mul(out, out, alpha);
        mpq_div(out, out, q[0]);
    }
    mpq_set_ui(q[1], p, 1);
    mpq_mul(q[1], q[1], two ? alpha : q[0]);
    mpq_add(out, out, q[1]);
}

void hsv_claim_winnow(hsv_checker *c, const hsv_json *claim)
{
    winnow_rows rows = {0};
    hsv_list list = {0};
    mpq_t *q = hsv_rationals(c, 5);
    hsv_members(c, claim, "claim learner variant alpha threshold disjunction updates total");
    const int two = hsv_get_choice(c, claim, "variant", "winnow1 winnow2");
    hsv_get_number(c, claim, "alpha", q[0]);
    hsv_get_number(c, claim, "threshold", q[1]);
    if (mpq_cmp_ui(q[0], 1, 1) <= 0 || mpq_cmp_ui(q[1], 1, 1) < 0)
        hsv_unreadable(c, "alpha must be above 1, threshold at least 1");
    winnow_disjunction(c, hsv_get(c, claim, "disjunction", HSV_ARRAY), &rows);
    hsv_get_list(c, claim, "updates", &list);
    uint64_t total = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (mpz_cmp_ui(*list.below, 1) != 0 || mpz_sgn(list.value[i]) <= 0 ||
            mpz_sizeinbase(list.value[i], 2) > 50)
            hsv_unreadable(c, "updates: counts are whole numbers from 1");
        total += mpz_get_ui(list.value[i]); /* no count has more than 50 bits: it cannot wrap */
        if (total > HSV_MOST) hsv_reject(c, "the updates of the rows are more than 10^15");
    }
    hsv_each_row(c, &c->data, winnow_row, &rows);
    winnow_counts counts = {.list = &list};
    hsv_each_row(c, &c->data, winnow_count_row, &counts);
    if (counts.found < list.count)
        hsv_reject(c, "row %llu is named, but there are %llu",
                   (unsigned long long)list.index[counts.found], (unsigned long long)c->data.rows);
    const uint64_t p = counts.sum[1], k = rows.count;
    if (p + counts.sum[0] != hsv_get_count(c, claim, "total"))
        hsv_reject(c, "the updates of the rows do not add up to the total");
    if (p > k && !winnow_powers(c, q[0], p - k, q[1], k))
        hsv_reject(c, "%llu promotions are more than k (1 + log theta)", (unsigned long long)p);
    winnow_demotions(c, two, q[0], q[1], p, q[2]);
    mpq_set_ui(q[3], counts.sum[0], 1);
    if (mpq_cmp(q[3], q[2]) > 0)
        hsv_reject(c, "%llu demotions are more than can be", (unsigned long long)counts.sum[0]);
    hsv_say(c,
            "mistakes: every label is the disjunction of %zu columns; Winnow's %llu promotions are "
            "within k(1 + log theta / log alpha), its %llu demotions within %s, so that its %llu "
            "mistakes are within Littlestone's bound.",
            rows.count, (unsigned long long)p, (unsigned long long)counts.sum[0],
            hsv_show(c, q[2], -1), (unsigned long long)(p + counts.sum[0]));
}
