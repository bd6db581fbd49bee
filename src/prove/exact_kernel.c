/* Common points in the feature space of a kernel without exponentials, exactly.
 *
 * sum a y phi(x) = 0 exactly if its product with every phi(x_j) is 0: sum_i a_i y_i k(x_i, x_j) = 0
 * for all rows j. So the rows of the Gram matrix stand for the rows' feature vectors. Its entries
 * are fractions; times a common denominator, they are whole. */

#include "base/base.h"
#include "kernel/expression.h"
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

typedef struct exact_kernel {
    const hsp_kernel *of;
    hsp__exact_matrix rows;
    mpz_t scale;  /* 10^digits */
    mpz_t dot;    /* <x, y>, times scale^2 */
    mpz_t common; /* sum of min(x, y), times scale */
} exact_kernel;

/* A parameter: the decimal that it was read from. */
static void kernel_number(mpq_t to, double number)
{
    long exponent;
    mpz_t ten;
    mpq_set_ui(to, 0, 1);
    hsp__exact_decimal(number, mpq_numref(to), &exponent);
    mpz_init(ten);
    mpz_ui_pow_ui(ten, 10, (unsigned long)(exponent < 0 ? -exponent : exponent));
    if (exponent < 0)
        mpz_set(mpq_denref(to), ten);
    else
        mpz_mul(mpq_numref(to), mpq_numref(to), ten);
    mpq_canonicalize(to);
    mpz_clear(ten);
}

static void kernel_power(mpq_t x, unsigned long n)
{
    mpz_pow_ui(mpq_numref(x), mpq_numref(x), n);
    mpz_pow_ui(mpq_denref(x), mpq_denref(x), n);
}

static void kernel_linear(const exact_kernel *m, mpq_t to)
{
    mpz_set(mpq_numref(to), m->dot);
    mpz_mul(mpq_denref(to), m->scale, m->scale);
    mpq_canonicalize(to);
}

static void kernel_value(const exact_kernel *m, uint32_t at, mpq_t to)
{
    const hsp__kernel_node *node = &m->of->nodes[at];
    mpq_t other;
    mpq_init(other);
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
        kernel_linear(m, to);
        break;
    case HSP__KERNEL_POLY:
        kernel_linear(m, to);
        kernel_number(other, node->q);
        mpq_add(to, to, other);
        kernel_power(to, (unsigned long)node->p);
        break;
    case HSP__KERNEL_INTERSECTION:
        mpz_set(mpq_numref(to), m->common);
        mpz_set(mpq_denref(to), m->scale);
        mpq_canonicalize(to);
        break;
    case HSP__KERNEL_POWER:
        kernel_value(m, node->left, to);
        kernel_power(to, (unsigned long)node->p);
        break;
    case HSP__KERNEL_SUM:
    case HSP__KERNEL_PRODUCT:
        kernel_value(m, node->left, to);
        kernel_value(m, node->right, other);
        if (node->op == HSP__KERNEL_SUM)
            mpq_add(to, to, other);
        else
            mpq_mul(to, to, other);
        break;
    default: /* a constant: the others are not exact */
        kernel_number(to, node->p);
    }
    mpq_clear(other);
}

hsp_status hsp__exact_kernel(hsp_context *ctx, const hsp__exact_source *source,
                             const hsp_kernel *kernel, int offset, uint64_t steps, hsp_error *err,
                             hsp__separation *to)
{
    exact_kernel m = {.of = kernel};
    hsp__mpz_scratch numbers = {.scratch.memory = &ctx->allocator};
    const uint64_t n = source->view->rows;
    mpz_t *x = hsp__mpz_new(&numbers, n * n), common;
    hsp_status status =
        x ? hsp__exact_matrix_read(&numbers, source, NULL, 0, err, &m.rows) : hsp__fail_memory(err);
    mpq_t value;
    mpq_init(value);
    mpz_inits(m.scale, m.dot, m.common, NULL);
    mpz_ui_pow_ui(m.scale, 10, m.rows.digits);
    mpz_init_set_ui(common, 1);
    /* the Gram matrix of all rows, times the least number that makes it whole: find that, then use
     * it */
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; !status && i < n; i++)
            for (uint64_t j = 0; j <= i; j++) {
                mpz_t *a = m.rows.x + i * m.rows.cols, *b = m.rows.x + j * m.rows.cols;
                mpz_set_ui(m.dot, 0);
                mpz_set_ui(m.common, 0);
                for (uint64_t k = 0; k < m.rows.cols; k++) {
                    mpz_addmul(m.dot, a[k], b[k]);
                    mpz_add(m.common, m.common, mpz_cmp(a[k], b[k]) < 0 ? a[k] : b[k]);
                }
                kernel_value(&m, kernel->root, value);
                if (round == 0) {
                    mpz_lcm(common, common, mpq_denref(value));
                    continue;
                }
                mpz_divexact(mpq_denref(value), common, mpq_denref(value));
                mpz_mul(x[i * n + j], mpq_numref(value), mpq_denref(value));
                mpz_set(x[j * n + i], x[i * n + j]);
                mpz_set_ui(mpq_denref(value), 1);
            }
    const hsp__exact_matrix gram = {n, n, 0, x};
    if (!status) status = hsp__exact_nearest_of(ctx, &gram, source->y, offset, 0.5, steps, err, to);
    mpq_clear(value);
    mpz_clears(m.scale, m.dot, m.common, common, NULL);
    hsp__mpz_free(&numbers);
    return status;
}

#else

hsp_status hsp__exact_kernel(hsp_context *ctx, const hsp__exact_source *source,
                             const hsp_kernel *kernel, int offset, uint64_t steps, hsp_error *err,
                             hsp__separation *to)
{
    (void)ctx, (void)source, (void)kernel, (void)offset, (void)steps, (void)err, (void)to;
    return HSP_OK;
}

#endif
