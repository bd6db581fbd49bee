#include "learn/lp_clp.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#ifdef HSP_HAVE_CLP

#include <Clp_C_Interface.h>

struct hsp__clp {
    hsp_allocator memory;
    Clp_Simplex *model;
    uint64_t steps;
};

int hsp__clp_there(void)
{
    return 1;
}

#define CLP_TOLERANCE 1e-9
#define CLP_SMALL     1e-300 /* entries are dropped below this; CLP's own choice is 1e-20 */

hsp_status hsp__clp_new(hsp_context *ctx, int columns, const double *lower, const double *upper,
                        const double *cost, hsp_error *err, hsp__clp **out)
{
    hsp__clp *lp = hsp__new(&ctx->allocator, 1, sizeof *lp);
    int *starts = hsp__new(&ctx->allocator, (uint64_t)columns + 1, sizeof *starts);
    if (lp) lp->model = Clp_newModel();
    if (!lp || !starts || !lp->model) {
        hsp__free(&ctx->allocator, lp);
        hsp__free(&ctx->allocator, starts);
        return hsp__fail_memory(err);
    }
    lp->memory = ctx->allocator;
    Clp_setLogLevel(lp->model, 0);
    Clp_setSmallElementValue(lp->model, CLP_SMALL);
    Clp_setPrimalTolerance(lp->model, CLP_TOLERANCE);
    Clp_setDualTolerance(lp->model, CLP_TOLERANCE);
    Clp_scaling(lp->model, 0); /* what comes here is scaled */
    if (columns) Clp_addColumns(lp->model, columns, lower, upper, cost, starts, starts, NULL);
    hsp__free(&ctx->allocator, starts);
    *out = lp;
    return HSP_OK;
}

void hsp__clp_free(hsp__clp *lp)
{
    if (!lp) return;
    const hsp_allocator memory = lp->memory;
    Clp_deleteModel(lp->model);
    hsp__free(&memory, lp);
}

void hsp__clp_add_rows(hsp__clp *lp, int count, const double *lower, const double *upper,
                       const int *starts, const int *columns, const double *values)
{
    Clp_addRows(lp->model, count, lower, upper, starts, columns, values);
}

void hsp__clp_add_columns(hsp__clp *lp, int count, const double *lower, const double *upper,
                          const double *cost, const int *starts, const int *rows,
                          const double *values)
{
    Clp_addColumns(lp->model, count, lower, upper, cost, starts, rows, values);
}

void hsp__clp_set_row_lower(hsp__clp *lp, const double *lower)
{
    Clp_chgRowLower(lp->model, lower);
}

void hsp__clp_set_bounds(hsp__clp *lp, const double *lower, const double *upper)
{
    Clp_chgColumnLower(lp->model, lower);
    Clp_chgColumnUpper(lp->model, upper);
}

void hsp__clp_set_cost(hsp__clp *lp, const double *cost)
{
    Clp_chgObjCoefficients(lp->model, cost);
}

enum { CLP_BASIC = 1, CLP_AT_UPPER = 2, CLP_AT_LOWER = 3 }; /* CLP's own numbers */

hsp_status hsp__clp_begin(hsp__clp *lp, hsp_error *err)
{
    const int columns = Clp_numberColumns(lp->model), rows = Clp_numberRows(lp->model);
    unsigned char *sides = hsp__new_raw(&lp->memory, (uint64_t)columns + (uint64_t)rows, 1);
    if (!sides) return hsp__fail_memory(err);
    memset(sides, CLP_AT_LOWER, (size_t)columns);
    memset(sides + columns, CLP_BASIC, (size_t)rows);
    Clp_copyinStatus(lp->model, sides);
    hsp__free(&lp->memory, sides);
    return HSP_OK;
}

void hsp__clp_set_side(hsp__clp *lp, int column, int upper)
{
    if (Clp_getColumnStatus(lp->model, column) != CLP_BASIC)
        Clp_setColumnStatus(lp->model, column, upper ? CLP_AT_UPPER : CLP_AT_LOWER);
}

hsp__clp_outcome hsp__clp_solve(hsp__clp *lp, int primal, int steps)
{
    Clp_setNumberIterations(lp->model, 0);
    Clp_setMaximumIterations(lp->model, steps);
    if (primal)
        Clp_primal(lp->model, 0);
    else
        Clp_dual(lp->model, 0);
    lp->steps = (uint64_t)Clp_numberIterations(lp->model);
    const int status = Clp_status(lp->model);
    if (status == 0) return HSP__CLP_OPTIMAL;
    return status == 3 ? HSP__CLP_LIMIT : HSP__CLP_TROUBLE;
}

uint64_t hsp__clp_steps(const hsp__clp *lp)
{
    return lp->steps;
}

const double *hsp__clp_values(const hsp__clp *lp)
{
    return Clp_getColSolution(lp->model);
}

const double *hsp__clp_prices(const hsp__clp *lp)
{
    return Clp_getRowPrice(lp->model);
}

#else

int hsp__clp_there(void)
{
    return 0;
}

hsp_status hsp__clp_new(hsp_context *ctx, int columns, const double *lower, const double *upper,
                        const double *cost, hsp_error *err, hsp__clp **out)
{
    (void)ctx, (void)columns, (void)lower, (void)upper, (void)cost, (void)out;
    return hsp__fail(err, HSP_UNSUPPORTED,
                     "this build has no linear programming: install COIN-OR CLP (on Debian "
                     "coinor-libclp-dev) and build again");
}

void hsp__clp_free(hsp__clp *lp)
{
    (void)lp;
}

void hsp__clp_add_rows(hsp__clp *lp, int count, const double *lower, const double *upper,
                       const int *starts, const int *columns, const double *values)
{
    (void)lp, (void)count, (void)lower, (void)upper, (void)starts, (void)columns, (void)values;
}

void hsp__clp_add_columns(hsp__clp *lp, int count, const double *lower, const double *upper,
                          const double *cost, const int *starts, const int *rows,
                          const double *values)
{
    (void)lp, (void)count, (void)lower, (void)upper, (void)cost, (void)starts, (void)rows;
    (void)values;
}

void hsp__clp_set_row_lower(hsp__clp *lp, const double *lower)
{
    (void)lp, (void)lower;
}

void hsp__clp_set_bounds(hsp__clp *lp, const double *lower, const double *upper)
{
    (void)lp, (void)lower, (void)upper;
}

void hsp__clp_set_cost(hsp__clp *lp, const double *cost)
{
    (void)lp, (void)cost;
}

hsp_status hsp__clp_begin(hsp__clp *lp, hsp_error *err)
{
    (void)lp, (void)err;
    return HSP_OK;
}

void hsp__clp_set_side(hsp__clp *lp, int column, int upper)
{
    (void)lp, (void)column, (void)upper;
}

hsp__clp_outcome hsp__clp_solve(hsp__clp *lp, int primal, int steps)
{
    (void)lp, (void)primal, (void)steps;
    return HSP__CLP_TROUBLE;
}

uint64_t hsp__clp_steps(const hsp__clp *lp)
{
    (void)lp;
    return 0;
}

const double *hsp__clp_values(const hsp__clp *lp)
{
    (void)lp;
    return NULL;
}

const double *hsp__clp_prices(const hsp__clp *lp)
{
    (void)lp;
    return NULL;
}

#endif
