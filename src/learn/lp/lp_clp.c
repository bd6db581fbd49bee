#include "learn/lp/lp_clp.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/library.h"

#ifndef HSP_LINK_CLP
static hsp_status lp_clp_fail_missing(hsp_error *err)
{
    return hsp__fail(err, HSP_UNSUPPORTED,
                     "this build has no linear programming; install COIN-OR CLP (on Debian "
                     "coinor-libclp-dev) and build halfspace again");
}
#endif

#ifdef HSP_HAVE_CLP
#include <Clp_C_Interface.h>
#include <dlfcn.h>
#else
typedef void Clp_Simplex;
#endif

/* CLP is loaded when a program is solved: its calls, as its header declares them. */
/* clang-format off */
#define LP_CLP_CALLS(X) \
    X(newModel, Clp_Simplex *, (void)) \
    X(deleteModel, void, (Clp_Simplex *)) \
    X(setLogLevel, void, (Clp_Simplex *, int)) \
    X(setSmallElementValue, void, (Clp_Simplex *, double)) \
    X(setPrimalTolerance, void, (Clp_Simplex *, double)) \
    X(setDualTolerance, void, (Clp_Simplex *, double)) \
    X(scaling, void, (Clp_Simplex *, int)) \
    X(addColumns, void, (Clp_Simplex *, int, const double *, const double *, const double *, \
                         const int *, const int *, const double *)) \
    X(addRows, void, (Clp_Simplex *, int, const double *, const double *, const int *, \
                      const int *, const double *)) \
    X(chgRowLower, void, (Clp_Simplex *, const double *)) \
    X(chgColumnLower, void, (Clp_Simplex *, const double *)) \
    X(chgColumnUpper, void, (Clp_Simplex *, const double *)) \
    X(chgObjCoefficients, void, (Clp_Simplex *, const double *)) \
    X(numberColumns, int, (Clp_Simplex *)) \
    X(numberRows, int, (Clp_Simplex *)) \
    X(copyinStatus, void, (Clp_Simplex *, const unsigned char *)) \
    X(getColumnStatus, int, (Clp_Simplex *, int)) \
    X(setColumnStatus, void, (Clp_Simplex *, int, int)) \
    X(setNumberIterations, void, (Clp_Simplex *, int)) \
    X(setMaximumIterations, void, (Clp_Simplex *, int)) \
    X(primal, int, (Clp_Simplex *, int)) \
    X(dual, int, (Clp_Simplex *, int)) \
    X(numberIterations, int, (Clp_Simplex *)) \
    X(status, int, (Clp_Simplex *)) \
    X(getColSolution, const double *, (Clp_Simplex *)) \
    X(getRowPrice, const double *, (Clp_Simplex *))
/* clang-format on */

typedef struct lp_clp_calls {
    void *library;
#define LP_CLP_MEMBER(name, result, arguments) result(*name) arguments;
    LP_CLP_CALLS(LP_CLP_MEMBER)
#undef LP_CLP_MEMBER
} lp_clp_calls;

struct hsp__clp {
    hsp_context *ctx;
    hsp_allocator memory;
    lp_clp_calls clp;
    Clp_Simplex *model;
};

#ifdef HSP_LINK_CLP
#define dlclose(library) ((void)(library))
/* There is nothing to load in the browser: CLP is part of the program. */
static hsp_status lp_clp_load(lp_clp_calls *clp, hsp_error *err)
{
    (void)err;
#define LP_CLP_SET(name, result, arguments) clp->name = Clp_##name;
    LP_CLP_CALLS(LP_CLP_SET)
#undef LP_CLP_SET
    return HSP_OK;
}
#elif defined(HSP_HAVE_CLP)
/* CLP may bring OpenBLAS along, which starts a thread for every processor as it is loaded. Where
 * there is no memory for them it interrupts the process, or waits for them for ever as the process
 * ends. The programs solved here have no use for these threads, so it is told to start none: by the
 * environment, which is all it listens to then, and only while it is being loaded, and only if the
 * caller did not say how many there shall be. */
static hsp_status lp_clp_load(lp_clp_calls *clp, hsp_error *err)
{
    static const char *const names[] = {"libClp.so.1", "libClp.so", "libClp.1.dylib", NULL};
    static const char threads[] = "OPENBLAS_NUM_THREADS";
    void *found;
    int all = 1;
    clp->library = dlopen(names[0], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!clp->library) {
        const int silent = !getenv(threads) && !getenv("OMP_NUM_THREADS");
        const hsp_status status = silent && setenv(threads, "1", 0)
                                      ? hsp__fail_memory(err)
                                      : hsp__library_open(names, err, &clp->library);
        if (silent) unsetenv(threads);
        if (status == HSP_UNSUPPORTED) lp_clp_fail_missing(err);
        if (status) return status;
    }
#define LP_CLP_FIND(name, result, arguments)                                                    \
    found = dlsym(clp->library, "Clp_" #name);                                                  \
    memcpy(&clp->name, &found, sizeof found);                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(Clp_##name) *, result(*) arguments), \
                   "as CLP's header has it");                                                   \
    all &= found != NULL;
    LP_CLP_CALLS(LP_CLP_FIND)
#undef LP_CLP_FIND
    if (all) return HSP_OK;
    dlclose(clp->library);
    return lp_clp_fail_missing(err);
}
#else
#define dlclose(library) ((void)(library))
static hsp_status lp_clp_load(lp_clp_calls *clp, hsp_error *err)
{
    *clp = (lp_clp_calls){0};
    return lp_clp_fail_missing(err);
}
#endif

hsp_status hsp__clp_ready(hsp_error *err)
{
    lp_clp_calls clp = {0};
    HSP__TRY(lp_clp_load(&clp, err));
    dlclose(clp.library);
    return HSP_OK;
}

#define LP_CLP_TOLERANCE 1e-9
#define LP_CLP_SMALL     1e-300 /* entries are dropped below this; CLP's own choice is 1e-20 */

hsp_status hsp__clp_new(hsp_context *ctx, int columns, const double *lower, const double *upper,
                        const double *cost, hsp_error *err, hsp__clp **out)
{
    lp_clp_calls clp = {0};
    HSP__TRY(lp_clp_load(&clp, err));
    hsp__clp *lp = hsp__new(&ctx->allocator, 1, sizeof *lp);
    int *starts = hsp__new(&ctx->allocator, (uint64_t)columns + 1, sizeof *starts);
    if (lp)
        *lp = (hsp__clp){.ctx = ctx, .memory = ctx->allocator, .clp = clp, .model = clp.newModel()};
    if (!lp || !starts || !lp->model) {
        if (lp && lp->model) clp.deleteModel(lp->model);
        dlclose(clp.library);
        hsp__free(&ctx->allocator, lp);
        hsp__free(&ctx->allocator, starts);
        return hsp__fail_memory(err);
    }
    lp->clp.setLogLevel(lp->model, 0);
    lp->clp.setSmallElementValue(lp->model, LP_CLP_SMALL);
    lp->clp.setPrimalTolerance(lp->model, LP_CLP_TOLERANCE);
    lp->clp.setDualTolerance(lp->model, LP_CLP_TOLERANCE);
    lp->clp.scaling(lp->model, 0); /* what comes here is scaled */
    if (columns) lp->clp.addColumns(lp->model, columns, lower, upper, cost, starts, starts, NULL);
    hsp__free(&ctx->allocator, starts);
    *out = lp;
    return HSP_OK;
}

void hsp__clp_free(hsp__clp *lp)
{
    if (!lp) return;
    const hsp_allocator memory = lp->memory;
    lp->clp.deleteModel(lp->model);
    dlclose(lp->clp.library);
    hsp__free(&memory, lp);
}

void hsp__clp_add_rows(hsp__clp *lp, int count, const double *lower, const double *upper,
                       const int *starts, const int *columns, const double *values)
{
    lp->clp.addRows(lp->model, count, lower, upper, starts, columns, values);
}

void hsp__clp_add_columns(hsp__clp *lp, int count, const double *lower, const double *upper,
                          const double *cost, const int *starts, const int *rows,
                          const double *values)
{
    lp->clp.addColumns(lp->model, count, lower, upper, cost, starts, rows, values);
}

void hsp__clp_change(hsp__clp *lp, const double *lower, const double *upper, const double *cost,
                     const double *row_lower)
{
    lp->clp.chgColumnLower(lp->model, lower);
    lp->clp.chgColumnUpper(lp->model, upper);
    if (cost) lp->clp.chgObjCoefficients(lp->model, cost);
    if (row_lower) lp->clp.chgRowLower(lp->model, row_lower);
}

enum { LP_CLP_BASIC = 1, LP_CLP_AT_UPPER = 2, LP_CLP_AT_LOWER = 3 }; /* CLP's own numbers */

hsp_status hsp__clp_begin(hsp__clp *lp, hsp_error *err)
{
    const int columns = lp->clp.numberColumns(lp->model), rows = lp->clp.numberRows(lp->model);
    unsigned char *sides = hsp__new_raw(&lp->memory, (uint64_t)columns + (uint64_t)rows, 1);
    if (!sides) return hsp__fail_memory(err);
    memset(sides, LP_CLP_AT_LOWER, (size_t)columns);
    memset(sides + columns, LP_CLP_BASIC, (size_t)rows);
    lp->clp.copyinStatus(lp->model, sides);
    hsp__free(&lp->memory, sides);
    return HSP_OK;
}

void hsp__clp_set_side(hsp__clp *lp, int column, int upper)
{
    if (lp->clp.getColumnStatus(lp->model, column) != LP_CLP_BASIC)
        lp->clp.setColumnStatus(lp->model, column, upper ? LP_CLP_AT_UPPER : LP_CLP_AT_LOWER);
}

/* Parts of CLP keep counts that all its models share: one solves at a time. */
static pthread_mutex_t lp_clp_solving = PTHREAD_MUTEX_INITIALIZER;

typedef struct lp_clp_job {
    hsp__clp *lp;
    int primal, done; /* done: under the lock */
    pthread_mutex_t lock;
    pthread_cond_t end;
} lp_clp_job;

static void *lp_clp_main(void *user)
{
    lp_clp_job *job = user;
    hsp__clp *lp = job->lp;
    pthread_mutex_lock(&lp_clp_solving);
    if (job->primal)
        lp->clp.primal(lp->model, 0);
    else
        lp->clp.dual(lp->model, 0);
    pthread_mutex_unlock(&lp_clp_solving);
    pthread_mutex_lock(&job->lock);
    job->done = 1;
    pthread_cond_signal(&job->end);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

/* CLP asks nobody whether to go on, but looks at its limit of iterations after each of them. So it
 * works on a thread of its own, while this one ticks (base/stop.h) and, when the work must end,
 * takes the limit down. */
hsp__clp_outcome hsp__clp_solve(hsp__clp *lp, int primal, int steps, uint64_t *made)
{
    lp_clp_job job = {lp, primal, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
    pthread_t thread;
    lp->clp.setNumberIterations(lp->model, 0);
    lp->clp.setMaximumIterations(lp->model, steps);
    if (!lp->ctx->stop || pthread_create(&thread, NULL, lp_clp_main, &job)) {
        lp_clp_main(&job);
    } else {
        pthread_mutex_lock(&job.lock);
        while (!job.done) {
            hsp__tick_wait(lp->ctx, &job.end, &job.lock);
            if (hsp__stopped(lp->ctx)) lp->clp.setMaximumIterations(lp->model, 0);
        }
        pthread_mutex_unlock(&job.lock);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&job.end);
    pthread_mutex_destroy(&job.lock);
    if (made) *made += (uint64_t)lp->clp.numberIterations(lp->model);
    const int status = lp->clp.status(lp->model);
    if (status == 0) return HSP__CLP_OPTIMAL;
    return status == 3 ? HSP__CLP_LIMIT : HSP__CLP_TROUBLE;
}

const double *hsp__clp_values(const hsp__clp *lp)
{
    return lp->clp.getColSolution(lp->model);
}

const double *hsp__clp_prices(const hsp__clp *lp)
{
    return lp->clp.getRowPrice(lp->model);
}
