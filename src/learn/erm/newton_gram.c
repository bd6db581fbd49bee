/* Newton's method where there are fewer rows than columns.
 *
 * The best w is a combination of the rows, w = X' beta, so the problem has no more dimensions than
 * there are rows. With G = X X' = L L' (Cholesky) and v = L' beta,
 *
 *     scores = X w = G beta = L v,   ||w||^2 = beta' G beta = ||v||^2:
 *
 * the same problem with the rows of L, n numbers each, in place of those of X, and with the same
 * dual weights. It is solved as any other, and w = X' L^-T v. Where rows depend on one another, a
 * small multiple of the identity is added to G; that the answer is one for the rows themselves is
 * then for their own gap to say.
 *
 * Cost: n^2 / 2 inner products, n^3 / 3 operations, and a problem with n^2 numbers. */
#include "base/base.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "learn/erm/newton.h"
#include "learn/erm/solvers.h"
#include "vec/matrix.h"

static const double newton_gram_least = 1e-14, newton_gram_most = 1e-8; /* of the longest row */

int hsp__newton_by_rows(const hsp__problem *p)
{
    const uint64_t n = p->view->rows;
    return !p->hard && n >= 2 && n <= HSP__NEWTON_BY_ROWS && n + n / 2 <= p->view->cols;
}

/* The lower triangle of X X', a column at a time: one row, spread out, with all that follow. */
static hsp_status newton_gram_products(hsp_context *ctx, const hsp_view *view, double *gram,
                                       uint64_t side, hsp_error *err)
{
    const uint64_t n = view->rows;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *row = hsp__scratch_new(&scratch, view->cols, sizeof *row);
    double *products = hsp__scratch_raw(&scratch, n, sizeof *products);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < n; i++) {
        const hsp_view rest = hsp__view_slice(view, i, n);
        hsp__matvec_add_row(view, i, 1, row);
        hsp__matvec_scores(ctx, &rest, row, 0, products);
        hsp__matvec_add_row(view, i, -1, row); /* x - x = 0 */
        for (uint64_t j = i; j < n; j++)
            gram[j * side + i] = products[j - i];
        status = hsp__stop_status(ctx, err);
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* L, zeros above its diagonal. 0: there is none. */
static int newton_gram_factor(hsp_context *ctx, const double *gram, size_t n, size_t side,
                              double *l, double *scratch)
{
    double most = 0;
    int found = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, gram[i * side + i]);
    for (double more = newton_gram_least; !found && more <= newton_gram_most; more *= 100) {
        memset(l, 0, side * side * sizeof *l);
        for (size_t i = 0; i < n; i++) {
            memcpy(l + i * side, gram + i * side, (i + 1) * sizeof *l);
            l[i * side + i] += more * most;
        }
        found = most > 0 && hsp__matrix_cholesky(ctx, l, n, scratch);
        if (hsp__stopped(ctx)) return 0;
    }
    for (size_t i = 0; found && i < n; i++)
        memset(l + i * side + i + 1, 0, (side - i - 1) * sizeof *l);
    return found;
}

/* w = X' L^-T v, with what the problem itself says of it. */
static hsp_status newton_gram_back(hsp_context *ctx, const hsp__problem *p, const hsp_view *rows,
                                   const double *l, const double *v, double goal, hsp_error *err,
                                   hsp__solution *s)
{
    const uint64_t n = p->view->rows;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__gap_values values;
    double *beta = hsp__scratch_raw(&scratch, n, sizeof *beta);
    double *u = s->u ? s->u : hsp__scratch_raw(&scratch, p->view->cols, sizeof *u);
    double *scores = s->scores ? s->scores : hsp__scratch_raw(&scratch, n, sizeof *scores);
    if (scratch.failed) {
        hsp__scratch_free(&scratch);
        return hsp__fail_memory(err);
    }
    hsp__matvec_scores(ctx, rows, v, 0, beta); /* L v */
    hsp__matrix_solve(l, (size_t)n, beta);     /* (L L')^-1 L v */
    hsp_status status = hsp__matvec_combine(ctx, p->view, beta, err, s->w);
    if (!status) status = hsp__gap(ctx, p, s->w, s->b, s->dual, u, scores, err, &values);
    hsp__scratch_free(&scratch);
    if (status) return status;
    s->gap_known = s->u && s->scores;
    s->primal = values.primal;
    s->dual_value = values.dual;
    s->gap = values.gap;
    s->rounding = values.rounding;
    if (s->stop == HSP_STOP_CONVERGED && !(s->gap <= goal)) s->stop = HSP_STOP_PASSES;
    return HSP_OK;
}

hsp_status hsp__newton_gram(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                            hsp_error *err, hsp__solution *s, int *done)
{
    const uint64_t n = p->view->rows, side = hsp__matrix_side((size_t)n);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *gram = hsp__scratch_raw(&scratch, side * side, sizeof *gram);
    double *l = hsp__scratch_raw(&scratch, side * side, sizeof *l);
    double *room = hsp__scratch_raw(&scratch, hsp__matrix_scratch((size_t)n), sizeof *room);
    hsp__solution own = *s;
    hsp__goal inside = *goal;
    hsp__place place;
    if (goal->place) {
        place = *goal->place;
        place.step += HSP__STEP_INSIDE;
        inside.place = &place;
    }
    own.w = hsp__scratch_new(&scratch, n, sizeof *own.w);
    own.u = NULL, own.scores = NULL;
    *done = 0;
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = newton_gram_products(ctx, p->view, gram, side, err);
    if (!status && newton_gram_factor(ctx, gram, (size_t)n, (size_t)side, l, room)) {
        hsp_view rows = hsp_view_dense(HSP_FLOAT64, n, n, side, l);
        hsp__problem reduced = *p;
        rows.labels = p->view->labels, rows.classes = p->view->classes;
        reduced.view = &rows, reduced.norms = NULL;
        status = hsp__solver_newton.solve(ctx, &reduced, &inside, err, &own);
        s->b = own.b;
        s->passes = own.passes, s->updates = own.updates;
        s->stop = own.stop;
        if (!status) status = newton_gram_back(ctx, p, &rows, l, own.w, goal->gap, err, s);
        *done = !status;
    }
    if (status == HSP_CANCELLED) status = HSP_OK; /* the solver that goes on finds out */
    hsp__scratch_free(&scratch);
    return status;
}
