/* A running error analysis of tile_type.h, node by node: the largest value and the largest error.
 * An inner product of k terms is off by at most gamma(k) = k u / (1 - k u) times ||x|| ||y||, u =
 * 2^-24 or 2^-53 (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002); a Gaussian by c
 * times what the squared distance is off by; exp by a few units in its last place. */
#include "kernel/rounding.h"

#include <assert.h>
#include <math.h>

#include "kernel/block.h"

typedef struct rounding {
    double most, off; /* of |value|, of |computed - exact| */
} rounding;

typedef struct rounding_work {
    const hsp__kernel_rows *rows;
    double unit;    /* of what is computed in */
    double product; /* of inner products: gamma of what they are summed up in, and the rounding to
                       `unit` */
    double entries; /* gamma of sums over columns in double */
    double norms;   /* of ||x||^2 + ||y||^2 - 2 <x, y>, but for the last */
} rounding_work;

static const double rounding_double = 0x1.04p-53, rounding_float = 0x1.04p-24;

static double rounding_gamma(double n, double unit)
{
    assert(n >= 0 && unit > 0);
    const double nu = (n + 4) * unit;
    return nu < 0.5 ? nu / (1 - nu) : HUGE_VAL;
}

/* x^p of |x| <= most: by squaring, so a few roundings more than p. */
static rounding rounding_power(rounding x, double p, double unit)
{
    const double top = pow(x.most + x.off, p);
    return (rounding){pow(x.most, p), top - pow(x.most, p) + 2 * p * unit * top};
}

static rounding rounding_leaf(const rounding_work *work, const hsp__kernel_node *node)
{
    const double unit = work->unit, top = work->rows->most;
    const rounding dot = {top, work->product * top};
    rounding sum = {top + fabs(node->q), dot.off + unit * (top + fabs(node->q))};
    switch (node->op) {
    case HSP__KERNEL_LINEAR:
        return dot;
    case HSP__KERNEL_POLY:
        return rounding_power(sum, node->p, unit);
    case HSP__KERNEL_RBF:
        /* norms and their sum, then the difference, which is 4 top at most; z exp(-z) <= 0.37 times
         * two roundings, and two units of exp */
        return (rounding){1, node->p * (2 * dot.off + work->norms * top) + 3 * unit};
    case HSP__KERNEL_WAVE:
        return (rounding){1.5, 1.5 * dot.off + 8 * unit};
    case HSP__KERNEL_SIGMOID:
        return (rounding){1, fabs(node->p) * dot.off + 8 * unit * (1 + fabs(node->p) * top)};
    case HSP__KERNEL_LAPLACE:
    case HSP__KERNEL_CHI2: /* z exp(-z) <= 0.37 */
        return (rounding){1, 2 * work->entries + 8 * unit};
    case HSP__KERNEL_CONST:
        return (rounding){fabs(node->p), unit * fabs(node->p)};
    default: /* intersection, precomputed: |k(x, y)| <= the largest k(x, x) */
        sum.most = 0;
        for (uint64_t i = 0; i < work->rows->view->rows; i++)
            sum.most = fmax(sum.most, fabs(hsp__kernel_self(work->rows, i)));
        return (rounding){sum.most, (work->entries + unit) * sum.most};
    }
}

static rounding rounding_node(const rounding_work *work, uint32_t at)
{
    const hsp_kernel *kernel = work->rows->kernel;
    const hsp__kernel_node *node = &kernel->nodes[at];
    const double unit = work->unit;
    if (node->left == HSP__KERNEL_NONE) return rounding_leaf(work, node);
    const rounding a = rounding_node(work, node->left);
    if (node->op == HSP__KERNEL_POWER) return rounding_power(a, node->p, unit);
    if (node->op == HSP__KERNEL_COLS) return a;
    if (node->op != HSP__KERNEL_SUM && node->op != HSP__KERNEL_PRODUCT) {
        const uint64_t n = work->rows->view->rows;
        double f = 0; /* the largest |f(x)|, squared */
        for (uint64_t i = 0; i < n; i++)
            f = fmax(f, fabs(work->rows->places[node->place * n + i]));
        f *= f;
        return (rounding){f * a.most, f * (a.off + 4 * unit * (a.most + a.off))};
    }
    const rounding b = rounding_node(work, node->right);
    if (node->op == HSP__KERNEL_SUM)
        return (rounding){a.most + b.most, a.off + b.off + 2 * unit * (a.most + b.most)};
    const double top = (a.most + a.off) * (b.most + b.off);
    return (rounding){a.most * b.most, top - a.most * b.most + 2 * unit * top};
}

double hsp__kernel_rounding(const hsp__kernel_rows *rows, int wide, double *most)
{
    const hsp__kernel_road road = hsp__kernel_road_of(rows);
    uint64_t entries = rows->view->storage == HSP_DENSE ? rows->view->cols : 0;
    for (uint64_t i = 0; rows->view->storage != HSP_DENSE && i < rows->view->rows; i++) {
        const uint64_t here = hsp__view_row(rows->view, i).count;
        entries = here > entries ? here : entries;
    }
    const double count = (double)entries;
    rounding_work work = {.rows = rows,
                          .unit = wide || road.wide ? rounding_double : rounding_float};
    work.entries = rounding_gamma(2 * count, rounding_double);
    work.product = road.entries ? work.entries + work.unit : rounding_gamma(count, work.unit);
    if (rows->view->precision == HSP_FLOAT64 && work.unit == rounding_float && !road.entries)
        work.product += 3 * rounding_float; /* of rows that were rounded first */
    work.norms = 2 * work.entries + 8 * work.unit;
    if (rows->view->storage == HSP_ONES && count * work.unit < 1)
        work.product = work.norms = 0; /* counts, which are exact */
    if (rows->shifted) /* d = x - y is off by 2^-24 (||x|| + ||y||), so ||d||^2 by 8 ||x||^2 of that */
        work.norms += 9 * rounding_float;
    const rounding value = rounding_node(&work, rows->kernel->root);
    *most = value.most;
    assert(!(value.off < 0) && !(value.most < 0));
    const int cast = !wide && work.unit == rounding_double;
    return value.off + (cast ? rounding_float * (value.most + value.off) : 0);
}
