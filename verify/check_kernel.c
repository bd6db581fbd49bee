/* Kernels as trees. The values of each node are whole numbers over a denominator that only depends
 * on the tree and on the scale of the rows; lo = hi unless there is an exponential in it. */
#include <string.h>

#include "full.h"

#define CHECK_KERNEL_DEGREE 1000   /* of all powers together */
#define CHECK_KERNEL_BELOW  400000 /* bits of a denominator */

typedef enum check_kernel_kind {
    CHECK_KERNEL_LINEAR,
    CHECK_KERNEL_POLY,
    CHECK_KERNEL_RBF,
    CHECK_KERNEL_LAPLACE,
    CHECK_KERNEL_INTERSECTION,
    CHECK_KERNEL_SIGMOID,
    CHECK_KERNEL_CONST,
    CHECK_KERNEL_SUM,
    CHECK_KERNEL_PRODUCT,
    CHECK_KERNEL_POWER
} check_kernel_kind;

struct hsv_kernel {
    hsv_space space; /* first: a space is the kernel it belongs to */
    check_kernel_kind kind;
    unsigned long n; /* of poly and power */
    unsigned long degree;
    int exact;
    mpz_t *a, *b; /* constants, over a_below and b_below */
    mpz_t *a_below, *b_below;
    mpz_t *below; /* of the values */
    mpz_t *widen; /* a child of a sum: its values times this are over the sum's below */
    mpz_t *work;  /* 8 */
    mpz_t *value; /* 4: of the space */
    hsv_kernel *child, *next;
};

int hsv_kernel_exact(const hsv_kernel *k)
{
    return !k || k->exact;
}

const mpz_t *hsv_kernel_below(const hsv_kernel *k)
{
    return (const mpz_t *)k->below;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void check_kernel_constant(hsv_checker *c, const hsv_json *value, int any, mpz_t *above,
                                  mpz_t *below)
{
    mpq_t *number = hsv_rationals(c, 1);
    hsv_number(c, value, "kernel", *number);
    if (!any && mpq_sgn(*number) < 0)
        hsv_unreadable(c, "kernel: a constant below 0 does not make a kernel");
    mpz_set(*above, mpq_numref(*number));
    mpz_set(*below, mpq_denref(*number));
}

/* Denominators of leaves. */
static void check_kernel_leaf(hsv_checker *c, hsv_kernel *k)
{
    mpz_ptr below = *k->below;
    k->degree = k->kind == CHECK_KERNEL_POLY ? k->n : 1;
    k->exact = k->kind != CHECK_KERNEL_RBF && k->kind != CHECK_KERNEL_LAPLACE &&
               k->kind != CHECK_KERNEL_SIGMOID;
    if (!k->exact) {
        mpz_set_ui(below, 0);
        mpz_setbit(below, HSV_BITS);
    } else if (k->kind == CHECK_KERNEL_CONST) {
        mpz_set(below, *k->a_below);
    } else if (k->kind == CHECK_KERNEL_INTERSECTION) {
        mpz_set(below, *c->scale);
    } else {
        mpz_mul(below, *c->scale, *c->scale);
    }
    if (k->kind == CHECK_KERNEL_POLY) {
        mpz_lcm(*k->b, below, *k->a_below); /* of the sum that is raised */
        mpz_divexact(*k->b_below, *k->b, below);
        mpz_divexact(*k->a_below, *k->b, *k->a_below);
        mpz_mul(*k->a, *k->a, *k->a_below);
        if (mpz_sizeinbase(*k->b, 2) * k->n > CHECK_KERNEL_BELOW)
            hsv_unreadable(c, "kernel: numbers too long");
        mpz_pow_ui(below, *k->b, k->n);
    }
}

/* Denominators of nodes with children. */
static void check_kernel_inner(hsv_checker *c, hsv_kernel *k)
{
    mpz_ptr below = *k->below;
    mpz_set_ui(below, 1);
    k->exact = 1;
    for (hsv_kernel *child = k->child; child; child = child->next) {
        k->exact = k->exact && child->exact;
        if (k->kind == CHECK_KERNEL_SUM) {
            mpz_lcm(below, below, *child->below);
            if (child->degree > k->degree) k->degree = child->degree;
        } else {
            mpz_mul(below, below, *child->below);
            k->degree += child->degree;
        }
        if (k->degree > CHECK_KERNEL_DEGREE || mpz_sizeinbase(below, 2) > CHECK_KERNEL_BELOW)
            hsv_unreadable(c, "kernel: numbers too long");
    }
    if (k->kind == CHECK_KERNEL_SUM)
        for (hsv_kernel *child = k->child; child; child = child->next)
            mpz_divexact(*child->widen, below, *child->below);
    if (k->kind == CHECK_KERNEL_POWER) {
        k->degree *= k->n;
        if (k->degree > CHECK_KERNEL_DEGREE || mpz_sizeinbase(below, 2) * k->n > CHECK_KERNEL_BELOW)
            hsv_unreadable(c, "kernel: numbers too long");
        mpz_pow_ui(below, below, k->n);
    }
}

static hsv_kernel *check_kernel_read(hsv_checker *c, const hsv_json *array, int any)
{
    static const struct {
        const char *name;
        size_t least, most; /* arguments */
    } kinds[] = {{"linear", 0, 0},       {"poly", 2, 2},    {"rbf", 1, 1},   {"laplace", 1, 1},
                 {"intersection", 0, 0}, {"sigmoid", 2, 2}, {"const", 1, 1}, {"sum", 1, 64},
                 {"product", 1, 64},     {"power", 2, 2}};
    size_t kind = 0;
    if (array->type != HSV_ARRAY || !array->count || array->child->type != HSV_STRING)
        hsv_unreadable(c, "kernel: expected [name, ...]");
    while (kind < 10 && strcmp(kinds[kind].name, array->child->text) != 0)
        kind++;
    if (kind == 10 || (kind == CHECK_KERNEL_SIGMOID && !any))
        hsv_unreadable(c, "kernel: no kernel is called %s",
                       hsv_quote(c, array->child->text, array->child->size));
    if (array->count - 1 < kinds[kind].least || array->count - 1 > kinds[kind].most)
        hsv_unreadable(c, "kernel: \"%s\" has another number of arguments", kinds[kind].name);
    hsv_kernel *k = hsv_new(c, 1, sizeof *k);
    mpz_t *numbers = hsv_integers(c, 18);
    k->kind = (check_kernel_kind)kind;
    k->a = numbers, k->b = numbers + 1, k->a_below = numbers + 2, k->b_below = numbers + 3;
    k->below = numbers + 4, k->widen = numbers + 5, k->work = numbers + 6, k->value = numbers + 14;
    const hsv_json *argument = array->child->next;
    if (kind == CHECK_KERNEL_POLY || kind == CHECK_KERNEL_POWER) {
        k->n = hsv_count(c, argument, "kernel");
        if (k->n < 1 || k->n > 100) hsv_unreadable(c, "kernel: powers are from 1 to 100");
        argument = argument->next;
    }
    if (kind >= CHECK_KERNEL_SUM) {
        for (hsv_kernel **last = &k->child; argument; argument = argument->next) {
            *last = check_kernel_read(c, argument, any);
            last = &(*last)->next;
        }
        check_kernel_inner(c, k);
        return k;
    }
    if (argument)
        check_kernel_constant(c, argument,
                              any && kind != CHECK_KERNEL_RBF && kind != CHECK_KERNEL_LAPLACE, k->a,
                              k->a_below);
    if (kind == CHECK_KERNEL_SIGMOID)
        check_kernel_constant(c, argument->next, any, k->b, k->b_below);
    check_kernel_leaf(c, k);
    return k;
}

static int check_kernel_has(const hsv_kernel *k, check_kernel_kind kind)
{
    int has = k->kind == kind;
    for (const hsv_kernel *child = k->child; child && !has; child = child->next)
        has = check_kernel_has(child, kind);
    return has;
}

hsv_kernel *hsv_kernel_read(hsv_checker *c, const hsv_json *array, int any)
{
    hsv_kernel *k = check_kernel_read(c, array, any);
    hsv_table *tables[2] = {&c->data, &hsv_full_of(c)->test};
    if (!check_kernel_has(k, CHECK_KERNEL_INTERSECTION)) return k;
    for (int i = 0; i < 2; i++) /* in every row, also where it is not asked for */
        for (const hsv_row *row; tables[i]->name && (row = hsv_next(c, tables[i]));)
            for (size_t j = 0; j < row->count; j++)
                if (mpz_sgn(row->value[j]) < 0)
                    hsv_reject(c, "kernel: intersection is for values that are not below 0");
    return k;
}

/* name(argument, ...), as far as there is room. */
static size_t check_kernel_put(const hsv_json *array, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "%s", array->child->text);
    const char *between = "(";
    for (const hsv_json *a = array->child->next; a && used < room; a = a->next, between = ", ") {
        used += (size_t)snprintf(text + used, room - used, "%s", between);
        if (used >= room) break;
        if (a->type == HSV_ARRAY)
            used += check_kernel_put(a, text + used, room - used);
        else
            used += (size_t)snprintf(text + used, room - used, "%.*s", (int)a->size, a->text);
    }
    if (array->count > 1 && used < room) used += (size_t)snprintf(text + used, room - used, ")");
    return used;
}

const char *hsv_kernel_name(hsv_checker *c, const hsv_json *array, const char *words)
{
    const size_t room = 300;
    char *text = hsv_new(c, room, 1);
    const size_t used = (size_t)snprintf(text, room, "%s", words);
    if (used + check_kernel_put(array, text + used, room - used) >= room)
        memcpy(text + room - 4, "...", 4);
    return text;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* About what multiplying numbers of this many limbs takes. */
void hsv_spend_product(hsv_checker *c, size_t limbs)
{
    size_t root = 1;
    while (root * root < limbs)
        root++;
    hsv_spend(c, 10 + limbs * root);
}

static size_t check_kernel_limbs(const hsv_row *x)
{
    size_t most = 0;
    for (size_t j = 0; j < x->count; j++)
        if (mpz_size(x->value[j]) > most) most = mpz_size(x->value[j]);
    return most;
}

/* Over all columns: (x - z)^2 (rbf), |x - z| (laplace), min(x, z) (intersection); else x z. */
static void check_kernel_merge(check_kernel_kind kind, const hsv_row *x, const hsv_row *z,
                               mpz_t out, mpz_t difference)
{
    const int apart = kind == CHECK_KERNEL_RBF || kind == CHECK_KERNEL_LAPLACE;
    size_t i = 0, j = 0;
    mpz_set_ui(out, 0);
    while (i < x->count || j < z->count) {
        const int first = j == z->count || (i < x->count && x->column[i] <= z->column[j]);
        const int second = i == x->count || (j < z->count && z->column[j] <= x->column[i]);
        if (apart && first && second)
            mpz_sub(difference, x->value[i], z->value[j]);
        else if (apart)
            mpz_set(difference, first ? x->value[i] : z->value[j]);
        else if (first && second && kind == CHECK_KERNEL_INTERSECTION)
            mpz_add(out, out, mpz_cmp(x->value[i], z->value[j]) < 0 ? x->value[i] : z->value[j]);
        else if (first && second)
            mpz_addmul(out, x->value[i], z->value[j]);
        if (kind == CHECK_KERNEL_RBF) mpz_addmul(out, difference, difference);
        if (kind == CHECK_KERNEL_LAPLACE)
            (mpz_sgn(difference) < 0 ? mpz_sub : mpz_add)(out, out, difference);
        i += (size_t)first;
        j += (size_t)second;
    }
}

/* tanh(v) = (1 - e) / (1 + e) with e = exp(-2 |v|), and the sign of v. */
static void check_kernel_tanh(hsv_checker *c, hsv_kernel *k, mpz_t dot, mpz_t lo, mpz_t hi)
{
    mpz_t *w = k->work;
    const mpz_t *one = (const mpz_t *)k->below;
    mpz_mul(w[0], *c->scale, *c->scale);
    mpz_mul(w[0], w[0], *k->a_below);
    mpz_mul(w[1], dot, *k->a); /* a <x, z> = w1 / w0 */
    mpz_mul(w[1], w[1], *k->b_below);
    mpz_addmul(w[1], *k->b, w[0]);
    mpz_mul(w[0], w[0], *k->b_below);
    const int negative = mpz_sgn(w[1]) < 0;
    mpz_abs(w[1], w[1]);
    mpz_mul_2exp(w[1], w[1], 1);
    hsv_exp(w[1], w[0], w[2], w[3]);
    mpz_sub(w[4], *one, w[3]);
    mpz_add(w[5], *one, w[3]);
    mpz_mul(w[4], w[4], *one);
    mpz_fdiv_q(lo, w[4], w[5]);
    mpz_sub(w[4], *one, w[2]);
    mpz_add(w[5], *one, w[2]);
    mpz_mul(w[4], w[4], *one);
    mpz_cdiv_q(hi, w[4], w[5]);
    if (!negative) return;
    mpz_neg(lo, lo);
    mpz_neg(hi, hi);
    mpz_swap(lo, hi);
}

static void check_kernel_leaf_value(hsv_checker *c, hsv_kernel *k, const hsv_row *x,
                                    const hsv_row *z, mpz_t lo, mpz_t hi)
{
    mpz_t *w = k->work;
    hsv_spend(c, (x->count + z->count) * (10 + check_kernel_limbs(x) * check_kernel_limbs(z)));
    if (!k->exact) hsv_spend(c, 5000 + 100 * check_kernel_limbs(x) * check_kernel_limbs(z));
    if (k->kind == CHECK_KERNEL_RBF || k->kind == CHECK_KERNEL_LAPLACE) {
        check_kernel_merge(k->kind, x, z, w[0], w[1]);
        mpz_mul(w[0], w[0], *k->a);
        mpz_mul(w[1], *k->a_below, *c->scale);
        if (k->kind == CHECK_KERNEL_RBF) mpz_mul(w[1], w[1], *c->scale);
        hsv_exp(w[0], w[1], lo, hi);
        return;
    }
    if (k->kind == CHECK_KERNEL_CONST)
        mpz_set(lo, *k->a);
    else
        check_kernel_merge(k->kind, x, z, lo, w[0]);
    if (k->kind == CHECK_KERNEL_SIGMOID) {
        mpz_set(w[6], lo);
        check_kernel_tanh(c, k, w[6], lo, hi);
        return;
    }
    if (k->kind == CHECK_KERNEL_POLY) {
        mpz_mul(lo, lo, *k->b_below);
        mpz_add(lo, lo, *k->a);
        hsv_spend_product(c, mpz_size(lo) * k->n);
        mpz_pow_ui(lo, lo, k->n);
    }
    mpz_set(hi, lo);
}

void hsv_kernel_value(hsv_checker *c, hsv_kernel *k, const hsv_row *x, const hsv_row *z, mpz_t lo,
                      mpz_t hi)
{
    mpz_t *w = k->work;
    if (k->kind < CHECK_KERNEL_SUM) {
        check_kernel_leaf_value(c, k, x, z, lo, hi);
        return;
    }
    mpz_set_ui(lo, k->kind != CHECK_KERNEL_SUM);
    mpz_set(hi, lo);
    for (hsv_kernel *child = k->child; child; child = child->next) {
        hsv_kernel_value(c, child, x, z, w[0], w[1]);
        if (k->kind == CHECK_KERNEL_SUM)
            hsv_span_add(lo, hi, *child->widen, w[0], w[1]);
        else
            hsv_span_multiply(lo, hi, w[0], w[1], w + 2);
        hsv_spend_product(c, mpz_size(lo) + mpz_size(hi));
    }
    if (k->kind != CHECK_KERNEL_POWER) return;
    hsv_spend_product(c, mpz_size(hi) * k->n);
    hsv_span_power(lo, hi, k->n);
}

/* ---- The space of a kernel: a point is a sum of coefficient phi(x) over rows -------------------
 */

static void space_load(hsv_checker *c, hsv_point *p, const hsv_list *list)
{
    p->count = list->count;
    p->value = list->value;
    p->rows = hsv_rows_load(c, list->index, list->count);
}

/* Terms are in the order of their rows. Room is doubled at powers of two. */
static void space_add(hsv_checker *c, hsv_point *p, const hsv_row *row, const mpz_t factor)
{
    size_t i = 0;
    while (i < p->count && p->rows[i].number < row->number)
        i++;
    if (i == p->count || p->rows[i].number != row->number) {
        if (!(p->count & (p->count - 1))) {
            hsv_row *rows = hsv_new(c, 2 * p->count + 1, sizeof *rows);
            mpz_t *value = hsv_integers(c, 2 * p->count + 1);
            for (size_t k = 0; k < p->count; k++) {
                rows[k] = p->rows[k];
                mpz_swap(value[k], p->value[k]);
            }
            p->rows = rows, p->value = value;
        }
        for (size_t k = p->count++; k > i; k--) {
            p->rows[k] = p->rows[k - 1];
            mpz_swap(p->value[k], p->value[k - 1]);
        }
        hsv_row_copy(c, row, p->rows + i);
    }
    (row->y > 0 ? mpz_add : mpz_sub)(p->value[i], p->value[i], factor);
}

static void space_score(hsv_checker *c, hsv_point *p, const hsv_row *row, mpq_t lo, mpq_t hi)
{
    hsv_kernel *k = (hsv_kernel *)p->space;
    mpz_t *v = k->value;
    mpz_set_ui(v[2], 0);
    mpz_set_ui(v[3], 0);
    for (size_t i = 0; i < p->count; i++) {
        hsv_kernel_value(c, k, p->rows + i, row, v[0], v[1]);
        hsv_span_add(v[2], v[3], p->value[i], v[0], v[1]);
    }
    mpz_mul(v[0], *p->below, *k->below);
    hsv_ratio(lo, v[2], v[0]);
    hsv_ratio(hi, v[3], v[0]);
}

static void space_norm2(hsv_checker *c, hsv_point *p, mpq_t lo, mpq_t hi)
{
    hsv_kernel *k = (hsv_kernel *)p->space;
    mpz_t *v = k->value, *n = hsv_integers(c, 2);
    mpz_set_ui(v[2], 0);
    mpz_set_ui(v[3], 0);
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j <= i; j++) {
            hsv_kernel_value(c, k, p->rows + i, p->rows + j, v[0], v[1]);
            mpz_mul(n[0], p->value[i], p->value[j]);
            if (j < i) mpz_mul_2exp(n[0], n[0], 1);
            hsv_span_add(v[2], v[3], n[0], v[0], v[1]);
        }
    if (mpz_sgn(v[2]) < 0) mpz_set_ui(v[2], 0); /* a square, however wide its enclosure */
    mpz_mul(n[1], *p->below, *p->below);
    mpz_mul(n[1], n[1], *k->below);
    hsv_ratio(lo, v[2], n[1]);
    hsv_ratio(hi, v[3], n[1]);
}

void hsv_row_norm2(hsv_checker *c, hsv_space *space, const hsv_row *row, mpq_t lo, mpq_t hi)
{
    if (!space) {
        hsv_squares(c, row->value, row->count, *c->scale, lo, hi);
        return;
    }
    hsv_kernel *k = (hsv_kernel *)space;
    hsv_kernel_value(c, k, row, row, k->value[0], k->value[1]);
    hsv_ratio(lo, k->value[0], *k->below);
    hsv_ratio(hi, k->value[1], *k->below);
}

hsv_space *hsv_get_space(hsv_checker *c, const hsv_json *claim)
{
    const hsv_json *array = hsv_find(claim, "kernel");
    if (!array) return NULL;
    hsv_kernel *k = hsv_kernel_read(c, array, 0);
    k->space = (hsv_space){hsv_kernel_name(c, array, " in the feature space of "), space_load,
                           space_add, space_score, space_norm2};
    return &k->space;
}
