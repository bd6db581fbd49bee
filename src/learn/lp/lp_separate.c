/* A separator by linear programming, or the point that both hulls have in common.
 *
 *     maximise t    with    y_i (<v, x_i> + b) >= t,    -1 <= v_j <= 1,    0 <= t <= 1
 *
 * over columns that powers of two have brought to at most 1. A hyperplane separates exactly if the
 * best t is above 0. The dual looks for multipliers a >= 0 with sum a = 1, sum a y = 0 and the
 * least
 * ||sum a y x||_1: the nearest points of the two hulls in that norm; the best t is 0 exactly if the
 * hulls meet.
 *
 * Rows are brought in as they are needed: the program begins with a few of each class, its answer
 * is tried on all rows, those that are wrong join. What the rows of a program cannot be separated
 * by, all rows cannot.
 *
 * CLP answers to about nine digits, a margin may be smaller. So an answer (v, b) whose program says
 * more than it holds becomes the centre of the next: with the margins m_i of the centre in long
 * double and a scale S, the correction (dv, db) of
 *
 *     maximise t    with    y_i (<dv, x_i> + db) >= t - S m_i,    S (-1 - v_j) <= dv_j <= S (1 -
 * v_j)
 *
 * is again a program of the same matrix, and (v, b) + (dv, db) / S is better by a factor of S. As
 * corrections are small, they are looked for in a small box first: large ones are numerical
 * trouble. [A. Gleixner, D. Steffy, K. Wolter, Improving the accuracy of linear programming solvers
 * with iterative refinement, ISSAC 2012.]
 *
 * Guarantee: a separator is handed out only when every row is on its side by more than the rounding
 * of the sum that says so; a common point only when lp_point.c has solved for it in long double.
 * Where neither is possible the answer is that it is not known. */
#include <float.h>
#include <limits.h>
#include <stdlib.h>

#include "base/base.h"
#include "learn/lp/lp.h"
#include "learn/erm/matvec.h"
#include "model/model.h"

#define LP_SEPARATE_FIRST   400    /* rows of the first program, at most (or all of a small set) */
#define LP_SEPARATE_TICK    256    /* rows between two ticks */
#define LP_SEPARATE_SMALL   1000   /* this many rows are taken at once */
#define LP_SEPARATE_STEPS   2000   /* of the simplex method between two looks at the clock */
#define LP_SEPARATE_ZOOM    0x1p30 /* S grows by so much at a time, at most */
#define LP_SEPARATE_TRUST   0x1p12
#define LP_SEPARATE_WORTH   0x1p20 /* of t in a zoomed program: prices are as precise as margins */
#define LP_SEPARATE_DEEPEST 0x1p90
#define LP_SEPARATE_CAP     1.0   /* t is not asked to be above this */
#define LP_SEPARATE_SHARE   0.125 /* rows with a margin below this share of t join */
enum { LP_SEPARATE_PLUS = 1, LP_SEPARATE_MINUS = 2 };
#define LP_SEPARATE_FAR 1e12L /* a row with S m above this cannot bind */

typedef struct lp_separate_state {
    hsp_context *ctx;
    hsp__scratch scratch; /* all but `rows` */
    const hsp__problem *p;
    hsp__watch *watch;
    int report;
    hsp__lp_answer *answer;
    int *exponents; /* d */
    double reach;   /* |b| and t are below this */
    hsp__clp *lp;   /* variables: d weights, b, t */
    uint64_t *rows; /* of the program, in its order */
    uint64_t count, room;
    unsigned char *in;    /* n: the row is one of them */
    long double *centre;  /* d + 1: v and b */
    long double *next;    /* d + 1: the answer */
    double trust;         /* corrections are smaller */
    double scale;         /* S */
    double *scores;       /* n */
    unsigned char *signs; /* d: LP_SEPARATE_PLUS, _MINUS: signs of y x in the rows of the program */
    unsigned char *fixed; /* d: its weight was no variable in the last program */
    double *pull;         /* d: sum of y x over them */
    double *lower, *upper, *cost; /* d + 2 */
    double claimed;               /* the margin that the last program says it found */
    int stopped;
} lp_separate_state;

/* ---- Arithmetic that is known to be right ---------------------------------------------------- */

void hsp__lp_exponents(hsp_context *ctx, const hsp__problem *p, int *exponents)
{
    const hsp_view *view = p->view;
    for (uint64_t j = 0; j < view->cols; j++)
        exponents[j] = INT_MIN;
    for (uint64_t i = 0; i < view->rows; i++) {
        if (i % LP_SEPARATE_TICK == 0 && hsp__tick(ctx)) break;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(view, &row, k);
            int *own = &exponents[hsp__row_column(&row, k)], e;
            if (x == 0) continue;
            (void)frexp(x, &e);
            if (e > *own) *own = e;
        }
    }
    for (uint64_t j = 0; j < view->cols; j++)
        if (exponents[j] == INT_MIN) exponents[j] = 0;
}

/* The margin of row i by weights v of scaled columns. */
static long double lp_separate_margin(const lp_separate_state *t, uint64_t i, const long double *v)
{
    const hsp__row row = hsp__view_row(t->p->view, i);
    long double sum = v[t->p->view->cols];
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        if (v[j] == 0) continue;
        sum += v[j] * ldexpl((long double)hsp__row_value(t->p->view, &row, k), -t->exponents[j]);
    }
    return (long double)hsp__problem_y(t->p, i) * sum;
}

/* ---- The program ----------------------------------------------------------------------------- */

static double lp_separate_row_lower(const lp_separate_state *t, uint64_t i)
{
    const long double m = (long double)t->scale * lp_separate_margin(t, i, t->centre);
    return m > LP_SEPARATE_FAR ? -HUGE_VAL : (double)-m;
}

/* A column that the program's rows do not have has no weight. Where y x has one sign only, the
 * weight is at the end of its box: nothing speaks against it. Of wide data that is most columns. */
static void lp_separate_bounds(lp_separate_state *t)
{
    assert(t->scale > 0 && t->trust > 0);
    const uint64_t d = t->p->view->cols;
    const double end = t->p->offset != HSP__OFFSET_NONE ? t->reach : 0;
    for (uint64_t j = 0; j <= d; j++) {
        double low = -end, high = end;
        if (j < d) {
            low = t->signs[j] & LP_SEPARATE_MINUS ? -1 : t->signs[j] ? 1 : 0;
            high = t->signs[j] & LP_SEPARATE_PLUS ? 1 : t->signs[j] ? -1 : 0;
        }
        const long double down = (long double)t->scale * ((long double)low - t->centre[j]);
        const long double up = (long double)t->scale * ((long double)high - t->centre[j]);
        t->lower[j] = (double)fmaxl(down, fminl(up, (long double)-t->trust));
        t->upper[j] = (double)fminl(up, fmaxl(down, (long double)t->trust));
    }
    t->lower[d + 1] = t->scale > 1 ? -LP_SEPARATE_FAR : 0;
    t->upper[d + 1] = fmin(t->scale * LP_SEPARATE_CAP, t->trust);
}

/* The rows first .. t->count - 1 as rows of the program. */
static hsp_status lp_separate_load(lp_separate_state *t, uint64_t first, hsp_error *err)
{
    const uint64_t d = t->p->view->cols, count = t->count - first;
    hsp__scratch scratch = {.memory = &t->ctx->allocator};
    assert(first <= t->count);
    uint64_t entries = 0;
    for (uint64_t r = first; r < t->count; r++)
        entries += hsp__view_row(t->p->view, t->rows[r]).count + 2;
    if (entries > INT_MAX / 2)
        return hsp__fail(err, HSP_BAD_DATA, "too many entries for a linear program");
    double *lower = hsp__scratch_new(&scratch, count, sizeof *lower);
    double *upper = hsp__scratch_new(&scratch, count, sizeof *upper);
    int *starts = hsp__scratch_new(&scratch, count + 1, sizeof *starts), at = 0;
    int *columns = hsp__scratch_raw(&scratch, entries, sizeof *columns);
    double *values = hsp__scratch_raw(&scratch, entries, sizeof *values);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t r = first; !status && r < t->count; r++) {
        const uint64_t i = t->rows[r];
        const hsp__row row = hsp__view_row(t->p->view, i);
        const double y = hsp__problem_y(t->p, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const double x = hsp__row_value(t->p->view, &row, k);
            if (x == 0) continue;
            columns[at] = (int)j;
            values[at] = y * ldexp(x, -t->exponents[j]);
            t->signs[j] |= values[at] > 0 ? LP_SEPARATE_PLUS : LP_SEPARATE_MINUS;
            t->pull[j] += values[at++];
        }
        columns[at] = (int)d, values[at++] = y;
        columns[at] = (int)d + 1, values[at++] = -1;
        starts[r - first + 1] = at;
        lower[r - first] = lp_separate_row_lower(t, i);
        upper[r - first] = HUGE_VAL;
    }
    if (!status) hsp__clp_add_rows(t->lp, (int)count, lower, upper, starts, columns, values);
    hsp__scratch_free(&scratch);
    if (!status && first == 0) status = hsp__clp_begin(t->lp, err);
    if (status) return status;
    /* Weights that are variables only now, in the first program all, begin where the means of the
     * classes point. */
    lp_separate_bounds(t);
    hsp__clp_change(t->lp, t->lower, t->upper, NULL, NULL);
    for (uint64_t j = 0; j < d; j++) {
        if (first == 0 || t->fixed[j]) hsp__clp_set_side(t->lp, (int)j, t->pull[j] > 0);
        t->fixed[j] = t->lower[j] == t->upper[j];
    }
    return HSP_OK;
}

static hsp_status lp_separate_join(lp_separate_state *t, uint64_t i, hsp_error *err)
{
    assert(i < t->p->view->rows && !t->in[i]);
    if (!hsp__reserve(&t->ctx->allocator, (void **)&t->rows, &t->room, t->count + 1,
                      sizeof *t->rows))
        return hsp__fail_memory(err);
    t->rows[t->count++] = i;
    t->in[i] = 1;
    return HSP_OK;
}

/* Solve, looking at the clock now and then, and read the answer; its weights are for the columns as
 * they are, in double. */
static void lp_separate_solve(lp_separate_state *t)
{
    const uint64_t d = t->p->view->cols;
    hsp__clp_outcome outcome = HSP__CLP_LIMIT;
    const uint64_t patience = t->answer->steps + 50 * t->count + 2000;
    int steps = LP_SEPARATE_STEPS, primal = 0;
    t->answer->rounds++;
    while (outcome != HSP__CLP_OPTIMAL && !t->stopped) {
        outcome = hsp__clp_solve(t->lp, primal, steps, &t->answer->steps);
        t->stopped = hsp__watch_gap(t->watch, t->report, "linear programs", t->answer->rounds,
                                    (double)NAN, (double)NAN, &t->answer->stop);
        if (steps < INT_MAX / 4) steps *= 2;
        /* in trouble or going in circles: what it has is tried all the same */
        if (outcome == HSP__CLP_TROUBLE && primal) break;
        if (outcome == HSP__CLP_LIMIT && t->answer->steps > patience) break;
        if (outcome == HSP__CLP_TROUBLE) primal = 1;
    }
    const double *values = hsp__clp_values(t->lp);
    for (uint64_t j = 0; j <= d; j++)
        t->next[j] = t->centre[j] + (long double)values[j] / (long double)t->scale;
    t->claimed = values[d + 1] / t->scale;
    for (uint64_t j = 0; j < d; j++)
        t->answer->w[j] = (double)ldexpl(t->next[j], -t->exponents[j]);
    t->answer->b = (double)t->next[d];
}

/* The next program, around the answer of the last, at a scale that shows how far it was off. */
static hsp_status lp_separate_zoom(lp_separate_state *t, hsp_error *err, int *deeper)
{
    const double *values = hsp__clp_values(t->lp);
    const uint64_t d = t->p->view->cols;
    long double worst = HUGE_VALL;
    int held = 0; /* is a weight, or the margin, held back by the trust region alone? */
    *deeper = 0;
    for (uint64_t r = 0; r < t->count; r++)
        worst = fminl(worst, lp_separate_margin(t, t->rows[r], t->next));
    for (uint64_t j = 0; j < d + 2; j++)
        held |= t->lower[j] < t->upper[j] && fabs(values[j]) >= 0.99 * t->trust;
    if (held && t->trust < t->scale) {
        t->trust *= LP_SEPARATE_TRUST; /* the best is further away, and not yet the time to zoom */
    } else {
        const long double off = (long double)t->claimed - worst;
        double scale = t->scale * LP_SEPARATE_ZOOM;
        if (off > 0 && 1 / off < (long double)scale) scale = (double)exp2l(floorl(log2l(1 / off)));
        if (!(scale >= 2 * t->scale) || scale > LP_SEPARATE_DEEPEST) return HSP_OK;
        t->scale = scale;
        t->trust = LP_SEPARATE_TRUST;
    }
    memcpy(t->centre, t->next, (d + 1) * sizeof *t->centre);
    double *lower = hsp__new_raw(&t->ctx->allocator, t->count, sizeof *lower);
    if (!lower) return hsp__fail_memory(err);
    for (uint64_t r = 0; r < t->count; r++)
        lower[r] = lp_separate_row_lower(t, t->rows[r]);
    lp_separate_bounds(t);
    t->cost[d + 1] = -LP_SEPARATE_WORTH;
    hsp__clp_change(t->lp, t->lower, t->upper, t->cost, lower);
    hsp__free(&t->ctx->allocator, lower);
    *deeper = 1;
    return HSP_OK;
}

/* ---- The answer on all rows ------------------------------------------------------------------ */

typedef struct lp_separate_wrong {
    double margin;
    uint64_t row;
} lp_separate_wrong;

static int lp_separate_by_margin(const void *left, const void *right)
{
    const lp_separate_wrong *one = left, *other = right;
    if (one->margin != other->margin) return one->margin < other->margin ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

typedef struct lp_separate_check {
    const lp_separate_state *t;
    uint64_t parts;
    unsigned char *wrong; /* n */
} lp_separate_check;

/* Is y (<w, x_i> + b) > 0, in exact arithmetic and as hsp__row_score computes it? */
static void lp_separate_check_part(void *user, uint64_t part)
{
    const lp_separate_check *work = user;
    const lp_separate_state *t = work->t;
    const hsp__problem *p = t->p;
    const double *w = t->answer->w, b = t->answer->b;
    const uint64_t n = p->view->rows, to = hsp__part(n, work->parts, part + 1);
    for (uint64_t i = hsp__part(n, work->parts, part); i < to; i++) {
        work->wrong[i] = 0;
        if (!(hsp__problem_cost(p, i) > 0)) continue;
        const hsp__row row = hsp__view_row(p->view, i);
        const double y = hsp__problem_y(p, i);
        long double sum = (long double)b, size = fabsl(sum);
        for (uint64_t k = 0; k < row.count; k++) {
            const long double term = (long double)hsp__row_value(p->view, &row, k) *
                                     (long double)w[hsp__row_column(&row, k)];
            sum += term;
            size += fabsl(term);
        }
        /* count + 1 roundings of products and sums at most touch a term, of half an epsilon each */
        const long double bound = (long double)(row.count + 4) * LDBL_EPSILON * size;
        work->wrong[i] =
            !((long double)y * sum > bound && y * hsp__row_score(p->view, i, w, b) > 0);
    }
}

/* Have the worst of the rows that are wrong join: those with too little margin, cheaply; when there is
 * none, all that are not right beyond doubt. *wrong: how many there are; *joined: how many joined. */
static hsp_status lp_separate_try(lp_separate_state *t, hsp_error *err, uint64_t *wrong,
                                  uint64_t *joined)
{
    const hsp__problem *p = t->p;
    const uint64_t n = p->view->rows, first = t->count;
    const double enough = t->claimed > 0 ? LP_SEPARATE_SHARE * t->claimed : 0;
    hsp__scratch scratch = {.memory = &t->ctx->allocator};
    unsigned char *marks = hsp__scratch_new(&scratch, n, 1);
    uint64_t plain = 0, outside = 0, k = 0;
    *wrong = *joined = 0;
    if (!marks) return hsp__fail_memory(err);
    hsp__matvec_scores(t->ctx, p->view, t->answer->w, t->answer->b, t->scores);
    for (uint64_t i = 0; i < n; i++) {
        marks[i] = !t->in[i] && hsp__problem_cost(p, i) > 0 &&
                   !(hsp__problem_y(p, i) * t->scores[i] > enough);
        plain += marks[i];
    }
    lp_separate_check work = {.t = t, .parts = hsp__parts(n, 64), .wrong = marks};
    if (!plain) hsp__tasks_try(t->ctx, work.parts, lp_separate_check_part, &work);
    hsp_status status = hsp__stop_status(t->ctx, err);
    for (uint64_t i = 0; !status && i < n; i++) {
        *wrong += marks[i];
        outside += marks[i] && !t->in[i];
    }
    if (outside) {
        lp_separate_wrong *list = hsp__scratch_raw(&scratch, outside, sizeof *list);
        if (!list) status = hsp__fail_memory(err);
        for (uint64_t i = 0; !status && i < n; i++)
            if (marks[i] && !t->in[i])
                list[k++] = (lp_separate_wrong){hsp__problem_y(p, i) * t->scores[i], i};
        if (!status) qsort(list, outside, sizeof *list, lp_separate_by_margin);
        *joined = t->count / 2 + 50 < outside ? t->count / 2 + 50 : outside;
        for (k = 0; !status && k < *joined; k++)
            status = lp_separate_join(t, list[k].row, err);
        if (!status) status = lp_separate_load(t, first, err);
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* Bring the least margin near to 1, by a power of two that changes no bit of the weights. */
static void lp_separate_finish(const lp_separate_state *t)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    double least = HUGE_VAL, most = fabs(t->answer->b);
    int e, high;
    for (uint64_t i = 0; i < n; i++)
        if (hsp__problem_cost(t->p, i) > 0)
            least = fmin(least, hsp__problem_y(t->p, i) * t->scores[i]);
    for (uint64_t j = 0; j < d; j++)
        most = fmax(most, fabs(t->answer->w[j]));
    (void)frexp(least, &e);
    (void)frexp(most, &high);
    if (high + 1 - e > 1000) return;
    for (uint64_t j = 0; j < d; j++) {
        const double w = ldexp(t->answer->w[j], 1 - e);
        if (ldexp(w, e - 1) != t->answer->w[j]) return; /* never: only growing loses nothing */
    }
    for (uint64_t j = 0; j < d; j++)
        t->answer->w[j] = ldexp(t->answer->w[j], 1 - e);
    t->answer->b = ldexp(t->answer->b, 1 - e);
}

/* ---- The common point ------------------------------------------------------------------------ */

/* ---- All of it ------------------------------------------------------------------------------- */

/* The first rows: of each class as many, evenly spread. */
static hsp_status lp_separate_begin(lp_separate_state *t, hsp_error *err)
{
    const uint64_t n = t->p->view->rows;
    uint64_t of[2] = {0, 0}, seen[2] = {0, 0}, taken[2] = {0, 0};
    hsp_status status = HSP_OK;
    for (uint64_t i = 0; i < n; i++)
        if (hsp__problem_cost(t->p, i) > 0) of[hsp__problem_positive(t->p, i)]++;
    const int all = of[0] + of[1] <= LP_SEPARATE_SMALL;
    for (uint64_t i = 0; !status && i < n; i++) {
        const int y = hsp__problem_positive(t->p, i);
        if (!(hsp__problem_cost(t->p, i) > 0)) continue;
        const uint64_t want = of[y] < LP_SEPARATE_FIRST / 2 ? of[y] : LP_SEPARATE_FIRST / 2;
        if (all || hsp__part(want, of[y], ++seen[y]) > taken[y]) {
            taken[y]++;
            status = lp_separate_join(t, i, err);
        }
    }
    return status ? status : lp_separate_load(t, 0, err);
}

static hsp_status lp_separate_loop(lp_separate_state *t, hsp_error *err)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    uint64_t wrong = 0, joined = 0;
    for (int met = 0, deeper = 1; deeper;) {
        lp_separate_solve(t);
        if (t->stopped) return HSP_OK;
        if (t->claimed <= 1e-6) { /* do the prices of the program lead to a common point? */
            const double *prices = hsp__clp_prices(t->lp);
            double *a = hsp__new_raw(memory, t->count, sizeof *a);
            if (!a) return hsp__fail_memory(err);
            for (uint64_t r = 0; r < t->count; r++)
                a[r] = prices[r] > 0 ? -2 / t->cost[t->p->view->cols + 1] * prices[r] : 0;
            hsp_status status =
                hsp__lp_common_point(t->ctx, t->p, t->exponents, t->rows, t->count, a, err, &met);
            for (uint64_t r = 0; !status && met && r < t->count; r++)
                t->answer->a[t->rows[r]] = a[r];
            hsp__free(memory, a);
            if (!status && met) t->answer->stop = HSP_STOP_INSEPARABLE;
            if (status || met) return status;
        }
        HSP__TRY(lp_separate_try(t, err, &wrong, &joined));
        if (wrong == 0) {
            lp_separate_finish(t);
            t->answer->stop = HSP_STOP_CONVERGED;
            return HSP_OK;
        }
        if (!joined) HSP__TRY(lp_separate_zoom(t, err, &deeper));
    }
    return HSP_OK;
}

static hsp_status lp_separate_new(lp_separate_state *t, hsp_error *err)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    hsp__scratch *scratch = &t->scratch;
    if (d > INT_MAX / 4 || n > INT_MAX / 4)
        return hsp__fail(err, HSP_BAD_DATA, "too many rows or columns for a linear program");
    t->exponents = hsp__scratch_raw(scratch, d, sizeof *t->exponents);
    t->in = hsp__scratch_new(scratch, n, sizeof *t->in);
    t->centre = hsp__scratch_new(scratch, d + 1, sizeof *t->centre);
    t->next = hsp__scratch_new(scratch, d + 1, sizeof *t->next);
    t->scores = hsp__scratch_raw(scratch, n, sizeof *t->scores);
    t->signs = hsp__scratch_new(scratch, d, sizeof *t->signs);
    t->fixed = hsp__scratch_new(scratch, d, sizeof *t->fixed);
    t->pull = hsp__scratch_new(scratch, d, sizeof *t->pull);
    t->lower = hsp__scratch_new(scratch, d + 2, sizeof *t->lower);
    t->upper = hsp__scratch_new(scratch, d + 2, sizeof *t->upper);
    t->cost = hsp__scratch_new(scratch, d + 2, sizeof *t->cost);
    if (scratch->failed) return hsp__fail_memory(err);
    hsp__lp_exponents(t->ctx, t->p, t->exponents);
    t->scale = 1;
    t->trust = HUGE_VAL;
    for (uint64_t i = 0; i < n; i++)
        t->reach = fmax(t->reach, 1 + (double)hsp__view_row(t->p->view, i).count);
    lp_separate_bounds(t);
    t->cost[d + 1] = -1;
    return hsp__clp_new(t->ctx, (int)d + 2, t->lower, t->upper, t->cost, err, &t->lp);
}

hsp_status hsp__lp_separate(hsp_context *ctx, const hsp__problem *p, hsp__watch *watch, int report,
                            hsp_error *err, hsp__lp_answer *answer)
{
    lp_separate_state t = {.ctx = ctx, .p = p, .watch = watch, .report = report, .answer = answer};
    t.scratch.memory = &ctx->allocator;
    answer->stop = HSP_STOP_PASSES;
    memset(answer->a, 0, p->view->rows * sizeof *answer->a);
    hsp_status status = lp_separate_new(&t, err);
    if (!status) status = lp_separate_begin(&t, err);
    if (!status) status = lp_separate_loop(&t, err);
    if (status == HSP_CANCELLED) {
        hsp__watch_stopped(ctx, &answer->stop);
        status = HSP_OK;
    }
    hsp__clp_free(t.lp);
    hsp__free(&ctx->allocator, t.rows);
    hsp__scratch_free(&t.scratch);
    return status;
}
