/* Dual coordinate descent on the problems of one-vs-rest, several at once.
 *
 * The problems have the same rows and, by the same seed, visit them in the same order. So one sweep
 * serves up to 8 of them: a row is read once, its scalar products with the weights of all problems
 * are computed together, each problem makes the update of its own coefficient, and the row is added
 * to all weights that change. The weights of a column lie in one cache line (model/interleaved.h).
 *
 * Each problem keeps a state of its own (dcd.h) and ends when it has converged. The scalar products
 * and sums have the bits of those of single vectors, and a step of 0 changes nothing, so that each
 * answer has the bits of the problem solved alone: which problems are solved together may depend on
 * anything, such as the number of threads.
 *
 * Coefficients and skip counters are interleaved like the weights. What is needed once per check is
 * copied to where dcd.c expects it: all problems share one array of rows and one of weights. When
 * few problems are left, a sweep over 8 costs more than they need, and each goes on alone. */
#include "learn/erm/dcd_group.h"

#include "base/base.h"
#include "learn/erm/dcd.h"
#include "learn/erm/gap.h"
#include "model/interleaved.h"
#include "vec/vec.h"

#define DCD_GROUP_WORTH   2.5 /* visits of single problems that cost as much as one */
#define DCD_GROUP_FOREVER 255 /* sweeps to skip: all */
#define DCD_GROUP_BYTES   (UINT64_C(1) << 30) /* of weights, at most */

enum { GROUP = HSP__DCD_GROUP_MOST };

typedef struct dcd_group {
    hsp_context *ctx;
    const hsp_view *view;
    hsp__scratch scratch;
    uint32_t count;           /* problems */
    uint32_t active;          /* of those, not yet solved */
    hsp__dcd m[GROUP];        /* count: their states, which share the memory of m[0] */
    int started[GROUP];       /* there is something to check */
    int ended[GROUP];         /* solved, or it goes on no longer */
    hsp__random random;       /* of the order of rows, */
    uint64_t *bundles;        /* as in hsp__dcd */
    hsp__interleaved weights; /* column c is the w of problem c */
    double *a;                /* n * GROUP: dual coefficients */
    uint8_t *skip;            /* n * GROUP: sweeps to skip, DCD_GROUP_FOREVER: never visited */
    uint64_t visited;         /* rows in the last pass, */
    uint64_t visits;          /* and the sum of the rows that each problem visited */
} dcd_group;

/* ---- From the group to one problem, and back -------------------------------------------------- */

/* The state of problem c, to where dcd.c expects it. */
static hsp__dcd *dcd_group_take(dcd_group *g, uint32_t c)
{
    hsp__dcd *m = &g->m[c];
    for (uint64_t i = 0; i < m->n; i++) {
        hsp__dcd_row *row = &m->rows[i];
        const double cost = hsp__problem_cost(m->p, i);
        row->a = g->a[i * GROUP + c];
        row->step = 0;
        row->cost = cost > 0 ? cost * hsp__problem_y(m->p, i) : 0;
        row->skip = g->skip[i * GROUP + c];
    }
    for (uint64_t j = 0; j < m->d; j++)
        m->w[j] = g->weights.w[j * GROUP + c];
    return m;
}

/* The rows that problem c skips, or all rows when it has ended. */
static void dcd_group_skips(dcd_group *g, uint32_t c)
{
    const hsp__dcd_row *rows = g->m[0].rows;
    for (uint64_t i = 0; i < g->view->rows; i++)
        g->skip[i * GROUP + c] = c >= g->count || g->ended[c] || rows[i].cost == 0
                                     ? DCD_GROUP_FOREVER
                                     : (uint8_t)rows[i].skip;
}

/* A check of problem c. */
static hsp_status dcd_group_check(dcd_group *g, uint32_t c)
{
    hsp__dcd *m = dcd_group_take(g, c);
    HSP__TRY(hsp__dcd_check(m));
    if (m->stop) {
        g->ended[c] = 1;
        g->active--;
    }
    dcd_group_skips(g, c);
    return HSP_OK;
}

/* ---- A pass ----------------------------------------------------------------------------------- */

HSP__DCD_INLINE void dcd_group_dots(const hsp__vec_table *vec, hsp__dcd_kind kind,
                                    const hsp_view *view, const hsp__dcd_row *row, const double *w,
                                    double *scores)
{
    const uint32_t *at = view->indices + row->from;
    if (kind == HSP__DCD_SPARSE32)
        vec->sparse_dots_f32f64(at, (const float *)view->values + row->from, row->count, w, GROUP,
                                GROUP, scores);
    else if (kind == HSP__DCD_SPARSE64)
        vec->sparse_dots_f64(at, (const double *)view->values + row->from, row->count, w, GROUP,
                             GROUP, scores);
    else
        vec->ones_dots_f64(at, row->count, w, GROUP, GROUP, scores);
}

HSP__DCD_INLINE void dcd_group_axpys(const hsp__vec_table *vec, hsp__dcd_kind kind,
                                     const hsp_view *view, const hsp__dcd_row *row,
                                     const double *steps, double *w)
{
    const uint32_t *at = view->indices + row->from;
    if (kind == HSP__DCD_SPARSE32)
        vec->sparse_axpys_f32f64(steps, at, (const float *)view->values + row->from, row->count, w,
                                 GROUP, GROUP);
    else if (kind == HSP__DCD_SPARSE64)
        vec->sparse_axpys_f64(steps, at, (const double *)view->values + row->from, row->count, w,
                              GROUP, GROUP);
    else
        vec->ones_axpys_f64(steps, at, row->count, w, GROUP, GROUP);
}

/* Does any problem visit the row with these skip counters? */
HSP__DCD_INLINE int dcd_group_wanted(const uint8_t *skip)
{
    int wanted = 0;
    for (int c = 0; c < GROUP; c++)
        wanted |= !skip[c];
    return wanted;
}

/* Visit row i for the problems that do not skip it. */
HSP__DCD_INLINE void dcd_group_visit(dcd_group *g, const hsp__vec_table *vec, hsp__dcd_kind kind,
                                     int squared, hsp__dcd_sweep *s, uint64_t i)
{
    const hsp__dcd_row *row = &s[0].rows[i];
    uint8_t *skip = g->skip + i * GROUP;
    double scores[GROUP] = {0}, steps[GROUP] = {0};
    int moved = 0;
    if (dcd_group_wanted(skip)) {
        g->visited++;
        dcd_group_dots(vec, kind, g->view, row, g->weights.w, scores);
    }
    for (uint32_t c = 0; c < GROUP; c++) {
        if (skip[c]) {
            skip[c] -= skip[c] != DCD_GROUP_FOREVER;
            continue;
        }
        const hsp__problem *p = g->m[c].p;
        uint32_t later = 0;
        g->visits++;
        steps[c] = hsp__dcd_step(&s[c], squared, scores[c], row->sqnorm,
                                 hsp__problem_cost(p, i) * hsp__problem_y(p, i),
                                 &g->a[i * GROUP + c], &later);
        skip[c] = (uint8_t)later;
        moved |= steps[c] != 0;
    }
    if (moved) dcd_group_axpys(vec, kind, g->view, row, steps, g->weights.w);
}

HSP__DCD_INLINE void dcd_group_updates(dcd_group *g, hsp__dcd_kind kind, int squared,
                                       hsp__dcd_sweep *s)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t rows = g->view->rows, count = s[0].to, seed = s[0].seed;
    for (uint64_t k = 0; k < count; k++) {
        if (k % HSP__DCD_TICK == 0 && hsp__tick(g->ctx)) break;
        const uint64_t first = g->bundles[k] * HSP__DCD_BUNDLE;
        const uint64_t after = k + 1 < count ? g->bundles[k + 1] * HSP__DCD_BUNDLE : rows;
        const uint64_t mix = hsp__dcd_mix(seed, first);
        if (k + 2 < count && (g->bundles[k + 2] + 1) * HSP__DCD_BUNDLE <= rows) {
            const uint64_t second = g->bundles[k + 2] * HSP__DCD_BUNDLE;
            hsp__dcd_prefetch(s[0].rows + second, HSP__DCD_BUNDLE * sizeof *s[0].rows);
            hsp__dcd_prefetch(g->skip + second * GROUP, (size_t)HSP__DCD_BUNDLE * GROUP);
        }
        for (uint64_t j = 0; j < HSP__DCD_BUNDLE; j++) {
            const uint64_t here = hsp__dcd_place(mix, j), next = after + here;
            if (next < rows && dcd_group_wanted(g->skip + next * GROUP)) {
                hsp__dcd_prefetch_row(kind, g->view, s[0].rows + next);
                __builtin_prefetch(g->a + next * GROUP);
            }
            if (first + here < rows) dcd_group_visit(g, vec, kind, squared, s, first + here);
        }
    }
}

/* The loop above for each kind of row and loss, which are constants in it. */
static void dcd_group_sweep(dcd_group *g, hsp__dcd_sweep *s)
{
    const int squared = g->m[0].p->loss->form == HSP__SQUARED_HINGE;
    const int single = g->view->precision == HSP_FLOAT32;
    if (!g->view->values && squared)
        dcd_group_updates(g, HSP__DCD_ONES, 1, s);
    else if (!g->view->values)
        dcd_group_updates(g, HSP__DCD_ONES, 0, s);
    else if (single && squared)
        dcd_group_updates(g, HSP__DCD_SPARSE32, 1, s);
    else if (single)
        dcd_group_updates(g, HSP__DCD_SPARSE32, 0, s);
    else if (squared)
        dcd_group_updates(g, HSP__DCD_SPARSE64, 1, s);
    else
        dcd_group_updates(g, HSP__DCD_SPARSE64, 0, s);
}

static void dcd_group_pass(dcd_group *g)
{
    hsp__dcd_sweep s[GROUP] = {0};
    g->visited = g->visits = 0;
    hsp__dcd_order(&g->m[0], &g->random, g->bundles);
    if (!hsp__tick(g->ctx)) {
        const uint64_t seed = hsp__random_bits(&g->random);
        for (uint32_t c = 0; c < g->count; c++)
            s[c] = hsp__dcd_sweep_begin(&g->m[c], seed);
        dcd_group_sweep(g, s);
    }
    for (uint32_t c = 0; c < g->count; c++)
        if (!g->ended[c]) hsp__dcd_sweep_end(&g->m[c], &s[c]);
}

/* ||w||^2 of all problems, with the bits of sqnorm_f64 (vec/vec.h). */
static void dcd_group_squares(const dcd_group *g, double squares[GROUP])
{
    enum { SUMS = HSP__VEC_DENSE_SUMS };
    double sums[SUMS][GROUP] = {{0}};
    for (uint64_t j = 0; j < g->view->cols; j++) {
        const double *w = g->weights.w + j * GROUP;
        for (uint32_t c = 0; c < GROUP; c++)
            sums[j % SUMS][c] += w[c] * w[c];
    }
    for (uint32_t half = SUMS / 2; half; half /= 2)
        for (uint32_t k = 0; k < half; k++)
            for (uint32_t c = 0; c < GROUP; c++)
                sums[k][c] += sums[k + half][c];
    memcpy(squares, sums[0], sizeof sums[0]);
}

/* ---- The solver ------------------------------------------------------------------------------- */

int hsp__dcd_group_suits(const hsp__problem *p)
{
    const hsp__loss_form form = p->loss->form;
    return !p->hard && p->penalty == HSP__PENALTY_L2 && p->view->storage != HSP_DENSE &&
           (form == HSP__HINGE || form == HSP__SQUARED_HINGE) &&
           p->view->cols <= DCD_GROUP_BYTES / (GROUP * sizeof(double));
}

static hsp_status dcd_group_reserve(dcd_group *g, hsp_error *err)
{
    const uint64_t n = g->view->rows;
    HSP__TRY(hsp__dcd_reserve(&g->m[0]));
    g->a = hsp__scratch_new(&g->scratch, n * GROUP, sizeof *g->a);
    g->skip = hsp__scratch_raw(&g->scratch, n * GROUP, sizeof *g->skip);
    g->bundles = hsp__scratch_raw(&g->scratch, g->m[0].count, sizeof *g->bundles);
    if (g->scratch.failed) return hsp__fail_memory(err);
    HSP__TRY(hsp__interleaved_init(&g->weights, &g->ctx->allocator, g->view->cols, GROUP, err));
    assert(g->weights.columns == GROUP);
    memcpy(g->bundles, g->m[0].bundles, (size_t)g->m[0].count * sizeof *g->bundles);
    g->random = g->m[0].random;
    const hsp__dcd *first = &g->m[0];
    for (uint32_t c = 1; c < g->count; c++) {
        hsp__dcd *m = &g->m[c];
        m->rows = first->rows, m->bundles = first->bundles;
        m->blocks = first->blocks, m->order = first->order;
        m->w = first->w, m->u = first->u;
        m->a = first->a, m->ay = first->ay;
        m->scores = m->s->scores ? m->s->scores : first->scores;
    }
    return HSP_OK;
}

/* The rows, and the dual coefficients that were given, which are checked. */
static hsp_status dcd_group_start(dcd_group *g)
{
    int given[GROUP] = {0};
    for (uint32_t c = 0; c < GROUP; c++) {
        hsp__dcd *m = &g->m[c];
        if (c < g->count) {
            HSP__TRY(hsp__dcd_start(m, c > 0, &given[c]));
            for (uint64_t i = 0; given[c] && i < m->n; i++)
                g->a[i * GROUP + c] = m->rows[i].a;
            if (given[c]) hsp__interleaved_fill(&g->weights, c, m->w, m->d);
            g->started[c] = 1;
        }
        dcd_group_skips(g, c);
    }
    for (uint32_t c = 0; c < g->count; c++)
        if (given[c]) HSP__TRY(dcd_group_check(g, c));
    return HSP_OK;
}

/* The last problems, one after the other. */
static hsp_status dcd_group_alone(dcd_group *g)
{
    for (uint32_t c = 0; c < g->count; c++) {
        if (g->ended[c]) continue;
        if (hsp__stopped(g->ctx)) return HSP_CANCELLED;
        hsp__dcd *m = dcd_group_take(g, c);
        m->random = g->random;
        memcpy(m->bundles, g->bundles, (size_t)m->count * sizeof *m->bundles);
        g->ended[c] = 1;
        hsp__goal alone = *m->goal;
        alone.place = NULL;
        m->goal = &alone;
        HSP__TRY(hsp__dcd_end(m, 1, hsp__dcd_run(m, 0)));
    }
    return HSP_OK;
}

/* Everything that passes to come depend on, for checkpoints. */
static void dcd_group_state(hsp__state *state, void *user)
{
    dcd_group *g = user;
    const hsp__dcd *first = &g->m[0];
    const uint64_t n = g->view->rows, d = g->view->cols;
    g->active = 0;
    for (uint32_t c = 0; c < g->count; c++) {
        hsp__dcd *m = &g->m[c];
        hsp__solution *s = m->s;
        HSP__STATE(state, g->ended[c]);
        g->active += !g->ended[c];
        HSP__STATE(state, m->stop);
        HSP__STATE(state, m->t);
        HSP__STATE(state, m->conjugate);
        HSP__STATE(state, m->offset);
        hsp__state_expect(state, m->offset.slope >= 0);
        HSP__STATE(state, m->progress);
        HSP__STATE(state, m->shrink_threshold);
        HSP__STATE(state, m->skip_threshold);
        hsp__state_bytes(state, s->w, d * sizeof *s->w);
        hsp__state_bytes(state, s->dual, n * sizeof *s->dual);
        HSP__STATE(state, s->b);
        HSP__STATE(state, s->primal);
        HSP__STATE(state, s->dual_value);
        HSP__STATE(state, s->gap);
        HSP__STATE(state, s->passes);
        HSP__STATE(state, s->updates);
        HSP__STATE(state, s->slow);
        HSP__STATE(state, s->stop);
        hsp__state_expect(state, (unsigned)s->stop <= HSP_STOP_INSEPARABLE);
        if (state->loading) s->known = 0; /* and so computed again */
    }
    HSP__STATE(state, g->random);
    hsp__state_bytes(state, g->weights.w, d * GROUP * sizeof *g->weights.w);
    hsp__state_bytes(state, g->a, n * GROUP * sizeof *g->a);
    hsp__state_bytes(state, g->skip, n * GROUP * sizeof *g->skip);
    for (uint64_t i = 0; state->loading && i < n * GROUP; i++)
        hsp__state_expect(
            state, i % GROUP >= g->count ||
                       (g->a[i] >= 0 &&
                        g->a[i] <= hsp__loss_cap(first->p->loss,
                                                 hsp__problem_cost(g->m[i % GROUP].p, i / GROUP))));
    hsp__state_bytes(state, g->bundles, first->count * sizeof *g->bundles);
    for (uint64_t k = 0; state->loading && k < first->count; k++)
        hsp__state_expect(state, g->bundles[k] < first->count);
    hsp__state_bytes(state, first->order, first->blocks * sizeof *first->order);
    for (uint64_t k = 0; state->loading && k < first->blocks; k++)
        hsp__state_expect(state, first->order[k] < first->blocks);
}

static hsp_status dcd_group_run(dcd_group *g)
{
    const hsp__place *place = g->m[0].goal->place;
    int resumed;
    HSP__TRY(dcd_group_start(g));
    HSP__TRY(hsp__checkpoint_load(g->ctx, place, dcd_group_state, g, g->m[0].err, &resumed));
    /* Alone, each problem visits only the rows that it does not skip. */
    for (int worth = 1; worth && g->active > 1;) {
        double squares[GROUP];
        HSP__TRY(hsp__checkpoint_save(g->ctx, place, dcd_group_state, g, g->m[0].err));
        const double before = g->active;
        dcd_group_pass(g);
        dcd_group_squares(g, squares);
        for (uint32_t c = 0; c < g->count; c++) {
            int due = 0;
            if (g->ended[c]) continue;
            HSP__TRY(hsp__dcd_due(&g->m[c], squares[c], &due));
            if (due) HSP__TRY(dcd_group_check(g, c));
        }
        const double left = (double)g->visits * g->active / before;
        worth = left > DCD_GROUP_WORTH * (double)g->visited;
    }
    return dcd_group_alone(g);
}

hsp_status hsp__dcd_group_solve(hsp_context *ctx, uint32_t count, const hsp__problem *const *p,
                                const hsp__goal *goal, hsp_error *err, hsp__solution *const *s)
{
    assert(count > 0 && count <= GROUP && hsp__dcd_group_suits(p[0]) && !goal->log);
    dcd_group g = {.ctx = ctx,
                   .view = p[0]->view,
                   .scratch.memory = &ctx->allocator,
                   .count = count,
                   .active = count};
    for (uint32_t c = 0; c < count; c++) {
        assert(p[c]->view == p[0]->view && p[c]->loss == p[0]->loss && s[c]->dual);
        g.m[c] = hsp__dcd_new(ctx, p[c], goal, err, s[c]);
    }
    hsp_status status = dcd_group_reserve(&g, err);
    if (!status) status = dcd_group_run(&g);
    for (uint32_t c = 0; status == HSP_CANCELLED && c < count;
         c++) { /* of those that were going on */
        if (g.ended[c]) continue;
        hsp__dcd *m = g.started[c] ? dcd_group_take(&g, c) : &g.m[c];
        const hsp_status end = hsp__dcd_end(m, g.started[c], HSP_CANCELLED);
        if (end) status = end;
    }
    if (status == HSP_CANCELLED) status = HSP_OK;
    hsp__interleaved_free(&g.weights, &ctx->allocator);
    hsp__scratch_free(&g.scratch);
    hsp__scratch_free(&g.m[0].scratch);
    return status;
}
