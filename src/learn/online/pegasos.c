/* Hinge SGD: Pegasos, as a rule of the on-line driver, and as a solver that tells its gap.
 *
 * Problem. Minimise over w (and b) the regularised hinge loss
 *
 *     J(w, b) = (1/n) sum_i max(0, 1 - y_i (<w, x_i> + b)) + (lambda/2) ||w||^2
 *
 * from streamed rows, one at a time. Offset none: b = 0. Regularized: (lambda/2) b^2 is added,
 * as if a column of ones were appended. Free: b is in no penalty. A stream has no n: what is
 * minimised is the mean over the rows that come, which is why it takes lambda and not C.
 *
 * Update. Row t, t = 1, 2, ..., step 1 / (lambda t), w_1 = 0:
 *
 *     w_{t+1} = (1 - 1/t) w_t + [y (<w_t, x> + b_t) <= 1] y x / (lambda t)
 *
 * (at exactly 1 both sides' slopes are slopes; this takes the hinge's). With v_t = lambda t w_{t+1}
 *
 *     v_t = v_{t-1} + y x    when y <v_{t-1}, x> <= lambda (t - 1) (1 - y b_t)
 *
 * which is a perceptron whose margin target grows with the examples: rows that are far enough
 * change nothing, and the driver skips them as it skips the perceptron's. Offset regularized: v has
 * one more coordinate. Free: b_{t+1} = b_t + [..] y / sqrt(t), since J is not strongly convex in b;
 * no rate is claimed for it. The paper's projection on a ball is left out, as its authors allow.
 *
 * Average. The mean of the w_{t+1} with weights 1, 2, ..., T is 2 / (lambda T (T + 1)) times the
 * sum of the v_t, which is the driver's plain average of what it learns: it costs nothing more.
 *
 * Guarantee. Offset none or regularized, rows drawn at random, all (appended) norms at most R: the
 * expected J of the average is O(R^2 / (lambda T)) above the best. There is no end to converge at:
 * a run is never said to have converged but for a gap that was computed.
 *
 * The gap. w_{t+1} = sum_i a_i y_i x_i with a_i = m_i / (lambda t), m_i the number of updates by
 * row i; after whole passes m_i / t <= 1 / n, so that a is a point of the dual (problem.h), and the
 * solver has hsp__gap compare: after 1, 2, 4, 7, ... passes.
 *
 * Weights. A row of cost c_i (class and row weights) counts c_i / c times in an update, c = 1 / (lambda
 * n), n the number of rows.
 *
 * Cost. O(non-zeros) per row and per update; memory for w, twice with the average.
 *
 * Papers. S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter, Pegasos: primal estimated
 * sub-gradient solver for SVM, Mathematical Programming 127 (2011). S. Lacoste-Julien, M. Schmidt,
 * F. Bach, A simpler approach to obtaining an O(1/t) convergence rate for the projected stochastic
 * subgradient method, arXiv:1212.2002 (2012): the weights 1, 2, 3, ... */
#include "base/base.h"
#include "learn/option_helpers.h"
#include "learn/online/pegasos.h"

#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"

typedef struct pegasos {
    hsp__offset offset;
    /* The solver's: */
    const hsp__problem *problem; /* NULL: rows of cost 1 */
    double unit;                 /* the cost that one y x stands for; 0: all rows cost that */
    double *used;                /* n: m_i */
    double *late; /* n: the same, each times the examples before it; NULL: not asked */
} pegasos;

/* ---- Options --------------------------------------------------------------------------------- */

/* What a stream cannot do. Whole data sets go to the solver, not to the rule. */
static hsp_status pegasos_check(const hsp_options *options, int streamed, hsp_error *err)
{
    static const struct {
        const char *name, *needed; /* NULL: refused if set; "": must be set; else: the one value */
        int named;                 /* the sentence begins with the value */
        const char *why;
    } rules[] = {
        {"kernel", NULL, 0,
         "a kernel model keeps training rows, and a stream does not; train without --stream"},
        {"gamma", NULL, 0, "gamma needs --kernel, which a stream does not have"},
        {"C", NULL, 0,
         "C = 1 / (lambda n) needs the number of rows n, which a stream does not have; give "
         "--lambda"},
        {"lambda", "", 0, "streaming needs --lambda, for example 1e-4"},
        {"loss", "hinge", 0,
         "streaming supports only the hinge loss; train without --stream for another one"},
        {"penalty", "l2", 0,
         "streaming supports only penalty l2; train without --stream for another one"},
        {"solver", "pegasos", 1, " needs all rows; streaming supports only --solver pegasos"},
        {"multiclass", "ovr", 1, " needs all rows; streaming supports only --multiclass ovr"},
        {"hard", NULL, 0, "a hard margin needs all rows; train without --stream"},
        {"weight", NULL, 0, "class weights need all rows; train without --stream"},
        {"row-weight", NULL, 0, "row weights need all rows; train without --stream"},
        {"gap", NULL, 0, "the duality gap needs all rows; train without --stream"},
        {"keep-dual", NULL, 0,
         "dual coefficients (one per row) are not kept in a stream; train without --stream"},
    };
    for (size_t i = 0; streamed && i < sizeof rules / sizeof *rules; i++) {
        const char *name = rules[i].name, *needed = rules[i].needed;
        const int set = hsp__option_set(options, name);
        char option[32] = "--";
        const int fits = !needed    ? !set
                         : !*needed ? set
                                    : hsp__option_is(options, name, needed) ||
                                          hsp__option_is(options, name, "auto");
        if (fits) continue;
        memcpy(option + 2, name, strlen(name) + 1);
        return hsp__fail_option(err, option, "%s%s",
                                rules[i].named ? hsp_options_text(options, name) : "",
                                rules[i].why);
    }
    return HSP_OK;
}

/* ---- The rule -------------------------------------------------------------------------------- */

/* Without options: the solver fills in the rest. */
static hsp_status pegasos_init(hsp__online *run, const hsp_options *options,
                               const hsp__online_facts *facts, hsp_error *err)
{
    pegasos *own = run->state;
    (void)facts;
    (void)err;
    if (!options) return HSP_OK;
    own->offset = hsp__option_is(options, "offset", "free")          ? HSP__OFFSET_FREE
                  : hsp__option_is(options, "offset", "regularized") ? HSP__OFFSET_REGULARIZED
                                                                     : HSP__OFFSET_NONE;
    run->mistake.growth.rate = hsp_options_real(options, "lambda");
    return HSP_OK;
}

/* Weights are rate * examples times what they stand for. */
static double pegasos_meant(const hsp__online *run, double score)
{
    const hsp__online_growth *growth = &run->mistake.growth;
    const double scale = growth->rate * (double)run->done.examples;
    assert(growth->rate > 0);
    return (scale > 0 ? score / scale : 0) + growth->drift;
}

/* From the scale that grew to what is meant. The mean of v_t = growth t w_t over all t is, but for
 * 2 / (growth (T + 1)), the mean of the w_t with weights 1, 2, 3 ... */
static void pegasos_rescale(const hsp__online *run, double *w, double *b)
{
    const double examples = (double)run->done.examples;
    const double factor = run->sep.past ? 2 / (run->mistake.growth.rate * (examples + 1))
                                        : 1 / (run->mistake.growth.rate * examples);
    for (uint64_t j = 0; j < run->sep.features; j++)
        w[j] *= factor;
    *b = *b * factor + run->mistake.growth.drift;
    if (run->sep.past) *b -= run->mistake.growth.past_drift * (2 / (examples * (examples + 1)));
}

static hsp_status pegasos_update(hsp__online *run, const hsp_view *view, uint64_t row,
                                 uint32_t toward, uint32_t away, hsp_error *err)
{
    pegasos *own = run->state;
    const double before = (double)(run->done.examples - 1);
    double amount = own->unit > 0 ? hsp__problem_cost(own->problem, row) / own->unit : 1;
    if (own->used) own->used[row] += amount;
    if (own->late) own->late[row] += amount * before;
    if (away != HSP_NO_CLASS) amount = -amount;
    (void)toward;
    if (own->offset == HSP__OFFSET_FREE) {
        const double change = amount / sqrt((double)run->done.examples);
        run->mistake.growth.drift += change;
        run->mistake.growth.past_drift += change * (before * (before + 1) / 2);
    }
    return hsp__online_add(run, view, row, 0, amount,
                           own->offset == HSP__OFFSET_REGULARIZED ? amount : 0, err);
}

/* From what is meant to the scale that grows. */
static hsp_status pegasos_resume(hsp__online *run, uint32_t scorer, uint64_t features,
                                 uint64_t examples, const double *state, hsp_error *err)
{
    const pegasos *own = run->state;
    const double scale = run->mistake.growth.rate * (double)examples;
    (void)scorer, (void)state;
    if (!examples)
        return hsp__fail_option(
            err, "--warm-start",
            "the model does not say how many rows it has seen; a stream goes on "
            "from a model of train svm --stream");
    for (uint64_t j = 0; j < features; j++)
        run->sep.weights[j] *= scale;
    if (own->offset == HSP__OFFSET_FREE) {
        run->mistake.growth.drift = run->sep.offsets[0];
        run->sep.offsets[0] = 0;
    }
    run->sep.offsets[0] *= scale;
    run->done.examples = examples;
    return HSP_OK;
}

/* What a run over whole data remembers of rows. */
static void pegasos_state(hsp__online *run, hsp__state *state)
{
    pegasos *own = run->state;
    const uint64_t n = own->problem ? own->problem->view->rows : 0;
    if (own->used) hsp__state_bytes(state, own->used, n * sizeof *own->used);
    if (own->late) hsp__state_bytes(state, own->late, n * sizeof *own->late);
}

const hsp__online_rule hsp__pegasos_rule = {.state_bytes = sizeof(pegasos),
                                            .check = pegasos_check,
                                            .init = pegasos_init,
                                            .meant = pegasos_meant,
                                            .rescale = pegasos_rescale,
                                            .resume = pegasos_resume,
                                            .state = pegasos_state,
                                            .update = pegasos_update};

/* ---- The solver ------------------------------------------------------------------------------ */

typedef struct pegasos_work {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__online run;
    uint64_t next;       /* passes to make until the gap is computed */
    double *used, *late; /* n each: as in the rule */
    double *w, *a;       /* d and n: whose gap is computed */
    double *u, *scores;  /* d and n: room for that */
    hsp__solution *best;
} pegasos_work;

/* How near the run is now; the best so far goes to the solution. The dual point is a_i = m_i /
 * (lambda t); of the average, w = 2 / (lambda (T + 1)) (v - past / T), likewise. */
static hsp_status pegasos_check_gap(pegasos_work *work, hsp_error *err)
{
    const hsp__online *run = &work->run;
    const hsp__problem *p = work->p;
    const double t = (double)run->done.examples, lambda = run->mistake.growth.rate;
    hsp__gap_values values;
    double b = 0;
    if (run->done.examples == 0) return HSP_OK;
    hsp__online_result(run, 0, work->w, &b);
    for (uint64_t i = 0; i < p->view->rows; i++)
        work->a[i] = work->late ? 2 / (lambda * (t + 1)) * (work->used[i] - work->late[i] / t)
                                : work->used[i] / (lambda * t);
    if (p->offset == HSP__OFFSET_FREE) {
        hsp__matvec_scores(work->ctx, p->view, work->w, 0, work->scores);
        HSP__TRY(hsp__gap_offset(work->ctx, p, work->scores, err, &b));
    }
    HSP__TRY(hsp__gap(work->ctx, p, work->w, b, work->a, work->u, work->scores, err, &values));
    hsp__solution_keep(p, work->w, b, work->a, values.primal, values.dual, work->best);
    hsp__pass_log_note(work->ctx, work->goal->log, run->done.passes, values.primal, values.dual);
    return HSP_OK;
}

/* Before passes up to work->next: the best so far. */
static void pegasos_best(hsp__state *state, void *user)
{
    pegasos_work *work = user;
    const uint64_t n = work->p->view->rows, d = work->p->view->cols;
    hsp__solution *s = work->best;
    HSP__STATE(state, work->next);
    hsp__state_bytes(state, s->w, d * sizeof *s->w);
    hsp__state_bytes(state, s->dual, n * sizeof *s->dual);
    HSP__STATE(state, s->b);
    HSP__STATE(state, s->primal);
    HSP__STATE(state, s->dual_value);
    HSP__STATE(state, s->gap);
}

static hsp_status pegasos_passes(pegasos_work *work, hsp_error *err)
{
    hsp__online *run = &work->run;
    hsp_context *ctx = work->ctx;
    const uint64_t most = work->goal->max_passes;
    hsp_status status = HSP_OK;
    hsp__solution *s = work->best;
    hsp__place best = run->place, *place = work->goal->place ? &best : NULL;
    int found = 0;
    best.step += HSP__STEP_INSIDE;
    if (place) status = hsp__online_load(run, work->p->view->rows, err);
    if (!status) status = hsp__checkpoint_load(ctx, place, pegasos_best, work, err, &found);
    for (; !status; work->next += work->next / 2 + 1) {
        status = hsp__checkpoint_keep(ctx, place, pegasos_best, work, err);
        if (status) break;
        run->plan.passes = most && work->next > most ? most : work->next;
        run->done.stopped = 0;
        status =
            hsp__online_run(run, work->p->view, hsp_context_threads(ctx), work->goal->report, err);
        if (!status) status = pegasos_check_gap(work, err);
        s->stop = run->done.stop;
        if (hsp__watch_stopped(ctx, &s->stop)) break;
        if (!status && s->gap <= work->goal->gap) s->stop = HSP_STOP_CONVERGED;
        if (s->stop != HSP_STOP_PASSES || (most && run->done.passes >= most)) break;
    }
    s->passes = run->done.passes;
    s->updates = run->done.updates;
    if (!hsp__stopped(ctx)) return status;
    /* The run was stopped: the weights as they are now, with their gap if there is time. */
    hsp__stop brief;
    hsp_context last = hsp__stop_grace(&brief, ctx);
    work->ctx = &last;
    status = pegasos_check_gap(work, err);
    work->ctx = ctx;
    if (status != HSP_CANCELLED) return status;
    if (isfinite(s->primal)) return HSP_OK;
    hsp__online_result(run, 0, s->w, &s->b);
    hsp__solution_unknown(work->p, s);
    return HSP_OK;
}

/* Begin at the solution, unless it is zeros, as if one pass over the rows had kept to it: the first step
 * from nothing would forget it. */
static void pegasos_begin(pegasos_work *work)
{
    const hsp__problem *p = work->p;
    const hsp__solution *s = work->best;
    hsp__online *run = &work->run;
    const uint64_t t = p->view->rows;
    const double scale = run->mistake.growth.rate * (double)t, late = ((double)t - 1) / 2;
    int some = s->b != 0;
    for (uint64_t j = 0; j < p->view->cols; j++) {
        some |= s->w[j] != 0;
        run->sep.weights[j] = scale * s->w[j];
        if (run->sep.past) run->sep.past[j] = late * run->sep.weights[j];
    }
    if (!some) return;
    run->done.examples = t;
    if (p->offset == HSP__OFFSET_FREE) run->mistake.growth.drift = s->b;
    if (p->offset == HSP__OFFSET_REGULARIZED) run->sep.offsets[0] = scale * s->b;
    if (run->sep.past) run->sep.past_offsets[0] = late * run->sep.offsets[0];
    for (uint64_t i = 0; i < t; i++) {
        work->used[i] = scale * fmin(fmax(s->dual[i], 0), hsp__problem_cost(p, i));
        if (work->late) work->late[i] = late * work->used[i];
    }
}

static hsp_status pegasos_open(pegasos_work *work, hsp__scratch *scratch, hsp_error *err)
{
    const hsp__problem *p = work->p;
    const hsp_view *view = p->view;
    const double n = (double)view->rows;
    const hsp__online_facts facts = {.radius = (double)NAN}; /* used[] is the ledger */
    const hsp__online_plan plan = {
        .order = work->goal->in_order ? HSP__WALK_CYCLIC : HSP__WALK_SHUFFLE,
        .average = work->goal->last ? HSP__AVERAGE_NONE : HSP__AVERAGE_MEAN,
        .seed = work->goal->seed};
    HSP__TRY(hsp__online_init(&work->run, work->ctx, &hsp__pegasos_rule, &plan, NULL, &facts, 1,
                              p->positive, view->cols, err));
    work->run.done.watch = work->goal->watch;
    if (work->goal->place) work->run.place = *work->goal->place;
    work->used = hsp__scratch_new(scratch, view->rows, sizeof *work->used);
    if (!work->goal->last) work->late = hsp__scratch_new(scratch, view->rows, sizeof *work->late);
    work->w = hsp__scratch_new(scratch, view->cols, sizeof *work->w);
    work->u = hsp__scratch_new(scratch, view->cols, sizeof *work->u);
    work->a = hsp__scratch_new(scratch, view->rows, sizeof *work->a);
    work->scores = hsp__scratch_new(scratch, view->rows, sizeof *work->scores);
    if (scratch->failed) return hsp__fail_memory(err);
    /* lambda, and what a row's cost is in units of 1 / (lambda n) */
    const int even = p->cost[0] == p->cost[1] && !p->row_weight;
    const double lambda = p->lambda > 0 ? p->lambda : 1 / (fmax(p->cost[0], p->cost[1]) * n);
    work->run.mistake.growth.rate = lambda;
    *(pegasos *)work->run.state = (pegasos){.offset = p->offset,
                                            .problem = p,
                                            .unit = even ? 0 : 1 / (lambda * n),
                                            .used = work->used,
                                            .late = work->late};
    pegasos_begin(work);
    return HSP_OK;
}

static hsp_status pegasos_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                                hsp_error *err, hsp__solution *s)
{
    pegasos_work work = {.ctx = ctx, .p = p, .goal = goal, .next = 1, .best = s};
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp_status status = pegasos_open(&work, &scratch, err); /* looks at the start */
    hsp__solution_begin(s);
    if (!status) status = pegasos_passes(&work, err);
    if (!status && isinf(s->primal)) { /* stopped before the first row, or nothing but overflow */
        memset(s->w, 0, p->view->cols * sizeof *s->w);
        s->b = 0;
        s->gap = 1;
    }
    if (!status && isinf(s->dual_value)) memset(s->dual, 0, p->view->rows * sizeof *s->dual);
    hsp__online_free(&work.run);
    hsp__scratch_free(&scratch);
    return status;
}

static int pegasos_suits(const hsp__problem *p)
{
    return p->loss->form == HSP__HINGE && p->penalty == HSP__PENALTY_L2 && !p->hard;
}

const hsp__solver hsp__solver_pegasos = {.name = "pegasos",
                                         .summary =
                                             "stochastic sub-gradient steps, one row at a time: a "
                                             "rough answer quickly, a precise one slowly",
                                         .suits = pegasos_suits,
                                         .solve = pegasos_solve};
