#include "learn/erm/solvers.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/paging.h"
#include "learn/erm/matvec.h"
#include "learn/erm/newton.h"
#include "learn/online/pegasos.h"

/* auto takes the first that suits, or dcd where that is quicker; pegasos, the last, is for
 * those who ask for it. */
const hsp__solver *const hsp__solvers[] = {&hsp__solver_newton, &hsp__solver_dcd, &hsp__solver_l1,
                                           &hsp__solver_pegasos, NULL};

#define SOLVERS_STEPS  20   /* Newton steps, roughly: each has a matrix to factor */
#define SOLVERS_FILLS  3    /* times that all rows are added to that matrix */
#define SOLVERS_PASSES 40   /* passes that Newton steps make besides */
#define SOLVERS_FAST   0.25 /* a number of a matrix against one of a row in a pass */
#define SOLVERS_VISITS \
    50 /* likewise of coordinate descent, where C is small relative to the rows */
#define SOLVERS_SAMPLE 1024 /* rows that are looked at */
#define SOLVERS_TRIED  300  /* visits to all rows that an attempt of coordinate descent is worth */

#define SOLVERS_COLUMNS 2400 /* more than this, and Newton's matrix is not formed: */
#define SOLVERS_ROWS    4  /* from these rows per column on, conjugate gradients may come first: */
#define SOLVERS_CG      9  /* they cost these passes of coordinate descent, */
#define SOLVERS_SEVERAL 22 /* or these over several problems at once (dcd_group.h) */
/* Squared hinge: coordinate descent has */
#define SOLVERS_FIRST 5   /* passes at least, and */
#define SOLVERS_EACH  0.6 /* more for each unit of C ||x||^2 times rows a column */

#define SOLVERS_LOGISTIC_FIRST  6   /* passes of coordinate descent at least, logistic loss, and */
#define SOLVERS_LOGISTIC_VISITS 0.1 /* more for each unit of C ||x||^2 times rows a column, */
#define SOLVERS_LOGISTIC_MOST   8   /* no more than this for each unit of C ||x||^2 */
#define SOLVERS_LOGISTIC_PASSES 10  /* passes of Newton steps besides their matrix, */
#define SOLVERS_LOGISTIC_CG     60  /* or instead of it: conjugate gradients, few rows per column */

/* Fewer rows than columns: */
#define SOLVERS_LOOK 6 /* rows, all pairs of which are looked at; if */
#define SOLVERS_ACROSS \
    0.25 /* rows times their mean cos^2 is below this, they are nearly perpendicular, */
#define SOLVERS_FEW 8 /* and coordinate descent takes these passes */

/* <x, z> / (||x|| ||z||), squared. */
static double solvers_cos2(const hsp_view *view, const hsp__row *x, const hsp__row *z)
{
    double xz = 0;
    for (uint64_t k = 0, l = 0; k < x->count && l < z->count;) {
        const uint64_t p = hsp__row_column(x, k), q = hsp__row_column(z, l);
        if (p == q) xz += hsp__row_value(view, x, k) * hsp__row_value(view, z, l);
        k += p <= q;
        l += q <= p;
    }
    const double xx = hsp__matvec_sqnorm(view, x), zz = hsp__matvec_sqnorm(view, z);
    return xx > 0 && zz > 0 ? xz / xx * (xz / zz) : 0;
}

/* Nearly perpendicular rows hardly change one another's scores: no step has to be taken back. */
static int solvers_perpendicular(const hsp_view *view)
{
    const uint64_t n = view->rows, looked = n < SOLVERS_LOOK ? n : SOLVERS_LOOK;
    double sum = 0, pairs = 0;
    for (uint64_t i = 0; i < looked; i++)
        for (uint64_t j = 0; j < i; j++, pairs++) {
            const hsp__row x = hsp__view_row(view, i * (n / looked)),
                           z = hsp__view_row(view, j * (n / looked));
            sum += solvers_cos2(view, &x, &z);
        }
    return pairs > 0 && sum / pairs * (double)n < SOLVERS_ACROSS;
}

const hsp__solver *hsp__solver_for(const hsp_context *ctx, const char *name, const hsp__problem *p)
{
    const int any = strcmp(name, "auto") == 0;
    if (any && hsp__solver_dcd.suits(p)) {
        /* Few columns make Newton's matrix cheap compared with the passes that coordinate descent
         * needs, and those are the more the larger C is relative to the rows. Numbers as measured on
         * text, digits and tables (docs/svm.md). */
        const double n = (double)p->view->rows, d = (double)p->view->cols;
        const double stored = (double)hsp_view_stored(p->view), a_row = n > 0 ? stored / n : 0;
        const double C = p->cost[0] > p->cost[1] ? p->cost[0] : p->cost[1];
        const int by_rows = hsp__newton_by_rows(p); /* its matrix has an order of n, not of d */
        const double order = by_rows ? n : d, numbers = by_rows ? n * n : stored;
        const double matrix = SOLVERS_STEPS * order * order * order / 3;
        const double fills =
            by_rows ? SOLVERS_FILLS * n * numbers + n * stored / 2 : SOLVERS_FILLS * stored * a_row;
        const uint64_t step = p->view->rows / SOLVERS_SAMPLE + 1;
        double sum = 0, count = 0; /* the mean of ||x||^2, from some of the rows */
        for (uint64_t i = 0; i < p->view->rows; i += step, count++) {
            hsp__paging_check(&ctx->allocator);
            const hsp__row row = hsp__view_row(p->view, i);
            sum += hsp__matvec_sqnorm(p->view, &row);
        }
        const double length = count > 0 ? sum / count : 0;
        double newton = SOLVERS_FAST * (matrix + fills) + SOLVERS_PASSES * numbers;
        double dcd = SOLVERS_VISITS * (1 + C * length) * stored;
        /* Rows that can be separated take few passes whatever C is. dcd sees its own pace and hands on:
         * where a matrix costs much more than that takes, it is tried first. */
        if (newton > SOLVERS_TRIED * stored) dcd = 0;
        /* With fewer rows per column coordinate descent takes few passes whatever C is. */
        const int by_products = d > SOLVERS_COLUMNS && n >= SOLVERS_ROWS * d;
        if (p->loss->form == HSP__SQUARED_HINGE && by_products) {
            newton = p->view->classes > 2 ? SOLVERS_SEVERAL : SOLVERS_CG;
            dcd = SOLVERS_FIRST + SOLVERS_EACH * C * length * n / d;
        }
        if (p->loss->form == HSP__LOGISTIC) {
            const double each = fmin(SOLVERS_LOGISTIC_VISITS * (1 + n / d), SOLVERS_LOGISTIC_MOST);
            newton = SOLVERS_FAST * (matrix + fills) + SOLVERS_LOGISTIC_PASSES * stored;
            newton = fmin(newton, (by_products ? SOLVERS_CG : SOLVERS_LOGISTIC_CG) * stored);
            dcd = (SOLVERS_LOGISTIC_FIRST + each * C * length) * stored;
        }
        if (by_rows && solvers_perpendicular(p->view)) dcd = SOLVERS_FEW * stored;
        if (!(newton <= dcd)) return &hsp__solver_dcd;
    }
    for (size_t i = 0; hsp__solvers[i]; i++)
        if ((any || strcmp(name, hsp__solvers[i]->name) == 0) && hsp__solvers[i]->suits(p))
            return hsp__solvers[i];
    return NULL;
}

const hsp__solver *hsp__solver_after(const hsp__solver *first, const hsp__problem *p)
{
    const hsp__solver *second = NULL;
    if (first == &hsp__solver_newton) second = &hsp__solver_dcd;
    if (first == &hsp__solver_dcd) second = &hsp__solver_newton;
    return second && second->suits(p) ? second : NULL;
}
