#include "learn/solvers.h"

#include <string.h>

#include "learn/pegasos.h"

extern const hsp__solver hsp__solver_newton;

/* auto takes the first that suits, but for what solvers_prefers says; pegasos, the last, is for
 * those who ask for it. */
const hsp__solver *const hsp__solvers[] = {&hsp__solver_newton, &hsp__solver_dcd,
                                           &hsp__solver_pegasos, NULL};

#define SOLVERS_STEPS  20   /* Newton steps, roughly: each has a matrix to factor */
#define SOLVERS_FILLS  3    /* times that all rows are added to that matrix */
#define SOLVERS_VISITS 100  /* visits of a row by coordinate descent, at a moderate C */
#define SOLVERS_FAST   0.25 /* a number of a matrix against one of a sparse row */

/* Few columns make Newton's matrix cheap beside the passes that coordinate descent needs. */
static int solvers_prefers_newton(const hsp__problem *p)
{
    const double n = (double)p->view->rows, d = (double)p->view->cols;
    const double stored = (double)hsp_view_stored(p->view), a_row = n > 0 ? stored / n : 0;
    const double matrix = SOLVERS_FAST * SOLVERS_STEPS * d * d * d / 3;
    const double fills = SOLVERS_FAST * SOLVERS_FILLS * stored * a_row;
    return matrix + fills <= SOLVERS_VISITS * stored;
}

const hsp__solver *hsp__solver_for(const char *name, const hsp__problem *p)
{
    const int any = strcmp(name, "auto") == 0;
    const hsp__solver *const dcd = &hsp__solver_dcd;
    if (any && dcd->suits(p) && !p->hard && !solvers_prefers_newton(p)) return dcd;
    for (size_t i = 0; hsp__solvers[i]; i++)
        if ((any || strcmp(name, hsp__solvers[i]->name) == 0) && hsp__solvers[i]->suits(p))
            return hsp__solvers[i];
    return NULL;
}
