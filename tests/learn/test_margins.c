/* Minimising learners against a judge that shares nothing with them (margins.h): what a run says of
 * itself is what data and model file say; whatever solver was asked. */
#include "margins.h"

static hsp_context *ctx;

/* ---- Random sets ----------------------------------------------------------------------------- */

/* Two clouds, some labels flipped, now and then degenerate: copies of rows, columns of zeros or of
 * one value, rows of zeros. */
static void random_set(margin_random *r, margin_set *s)
{
    *s = (margin_set){.n = 2 + margin_below(r, 60), .d = 1 + margin_below(r, 8)};
    s->sparse = margin_below(r, 2);
    s->single = margin_below(r, 2);
    const double apart = 3 * margin_unit(r), keep = s->sparse ? 0.5 : 1;
    const int odd = margin_below(r, 8);
    for (int i = 0; i < s->n; i++) {
        const int side = s->label[i] = margin_below(r, 2);
        for (int j = 0; j < s->d; j++)
            if (margin_unit(r) < keep) s->x[i][j] = margin_normal(r) + (j == 0 && side ? apart : 0);
        if (odd == 1 && i % 3 == 2) memcpy(s->x[i], s->x[i - 1], sizeof s->x[i]);
        if (odd == 2) s->x[i][s->d - 1] = 0;
        if (odd == 3) s->x[i][s->d - 1] = 1;
        if (odd == 4 && i % 5 == 0) memset(s->x[i], 0, sizeof s->x[i]);
        if (margin_unit(r) < 0.1) s->label[i] = 1 - side;
    }
    s->label[0] = 0, s->label[1] = 1;
    margin_round(s);
}

/* ---- What a run says of itself --------------------------------------------------------------- */

typedef struct request {
    const char *learner, *loss, *offset, *solver; /* loss NULL: of the learner */
    double C, gap;
    double weight; /* of the class 1; 0: none is given */
} request;

static const char *request_text(const request *q)
{
    static char text[200];
    snprintf(text, sizeof text, "%s loss %s offset %s solver %s C %g gap %g weight %g", q->learner,
             q->loss ? q->loss : "-", q->offset, q->solver, q->C, q->gap, q->weight);
    return text;
}

static margin_run request_run(const request *q, const margin_set *s, int keep)
{
    static char text[9][64];
    const char *words[10] = {0};
    int k = 0;
#define WORD(...) snprintf(text[k], sizeof text[k], __VA_ARGS__), words[k] = text[k], k++
    WORD("offset=%s", q->offset);
    WORD("solver=%s", q->solver);
    WORD("C=%.17g", q->C);
    WORD("gap=%g", q->gap);
    if (keep) WORD("keep-dual=yes");
    if (q->loss) WORD("loss=%s", q->loss);
    if (strcmp(q->solver, "l1") == 0) WORD("penalty=l1");
    if (q->weight != 0) WORD("weight=1=%.17g", q->weight);
#undef WORD
    return margin_train(ctx, s, q->learner, words);
}

static margin_problem request_problem(const request *q)
{
    return (margin_problem){.loss = q->loss ? q->loss[0] : 'l',
                            .offset = q->offset[0],
                            .C = q->C,
                            .weight = {1, q->weight != 0 ? q->weight : 1},
                            .l1 = strcmp(q->solver, "l1") == 0};
}

/* Everything the run claims, recomputed. `slack`: rounding, relative to P. */
static void check_claims(const request *q, const margin_set *s, const margin_run *r)
{
    const margin_problem p = request_problem(q);
    const margin_verdict v = margin_judge(s, &p, r->model, 0);
    const hsp_convergence *o = &r->run.convergence;
    const long double slack = 1e-9L * v.primal, scale = 1 / (q->C * s->n);
    const char *what = request_text(q);
    CHECK_NOTE(v.outside <= 1e-9L, "%s: a outside its box by %Lg", what, v.outside);
    CHECK_NOTE(v.balance <= 1e-9L, "%s: sum a y / sum a is %Lg", what, v.balance);
    CHECK_NOTE(v.dual <= v.primal + slack, "%s: D %Lg above P %Lg", what, v.dual, v.primal);
    CHECK_NOTE(v.apart <= v.primal - v.dual + slack, "%s: w is not sum a y x", what);
    CHECK_NOTE(o->solver != NULL && o->C == q->C, "%s: C is %g", what, o->C);
    if (q->weight == 0) {
        CHECK_NOTE(fabs(o->lambda * q->C * s->n - 1) <= 1e-12, "%s: lambda %g", what, o->lambda);
        CHECK_NOTE(fabsl(o->objective - v.primal * scale) <= slack * scale, "%s: says %g, is %Lg",
                   what, o->objective, v.primal * scale);
        CHECK_NOTE(fabsl(o->dual_objective - v.dual * scale) <= slack * scale,
                   "%s: says %g, is %Lg", what, o->dual_objective, v.dual * scale);
    }
    CHECK_NOTE(fabsl(o->gap - (v.primal - v.dual) / v.primal) <= 2e-9L, "%s: says gap %g, is %Lg",
               what, o->gap, (v.primal - v.dual) / v.primal);
    CHECK_NOTE(v.norm > 0 ? fabsl(o->inverse_norm * v.norm - 1) <= 1e-9L : isinf(o->inverse_norm),
               "%s: 1/||w|| %g", what, o->inverse_norm);
    CHECK_NOTE(v.norm > 0 ? fabsl(o->margin * v.norm - v.smallest) <= 1e-9L * (1 + v.biggest)
                          : isnan(o->margin),
               "%s: margin %g, smallest m %Lg", what, o->margin, v.smallest);
    CHECK_NOTE(fabs(o->scaled_objective - o->objective / o->lambda) <= 1e-9 * o->scaled_objective,
               "%s: %g in the unit of C, %g", what, o->scaled_objective, o->objective);
    CHECK_NOTE(o->support_vectors == v.support, "%s: %d support vectors, %d kept", what,
               (int)o->support_vectors, (int)v.support);
    CHECK_NOTE(o->on_margin + o->inside + o->wrong_side <= v.support, "%s: places", what);
    if (r->run.stop == HSP_STOP_CONVERGED)
        CHECK_NOTE(v.primal - v.dual <= q->gap * v.primal + slack, "%s: converged, gap %Lg", what,
                   (v.primal - v.dual) / v.primal);
}

/* The words of an option's choices, one after the other; NULL past the last. */
static const char *choice(const hsp_option *option, int k)
{
    static char text[64];
    const char *at = option->choices;
    for (; k > 0 && at; k--)
        at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    if (!at) return NULL;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "|"), at);
    return text;
}

static const struct {
    const char *learner, *loss;
} losses[] = {{"svm", "hinge"}, {"svm", "squared"}, {"logistic", NULL}};
static const char *const offsets[] = {"free", "regularized", "none"};

/* Steps along single rows come near, and the nearer the slower, the more so the larger C is: what
 * such a solver says must be true, but it may be that it gave up. */
static int must_converge(const request *q)
{
    if (strcmp(q->solver, "pegasos") == 0) return 0;
    return strcmp(q->solver, "dcd") != 0 || (q->gap >= 1e-3 && q->C <= 10);
}

/* One solver on a random set, if it does such problems: 1. With "auto" all problems are done. */
static int one_claim(margin_random *r, const char *solver, int loss, int offset, double gap)
{
    margin_set s;
    random_set(r, &s);
    request q = {losses[loss].learner,
                 losses[loss].loss,
                 offsets[offset],
                 solver,
                 pow(10, 6 * margin_unit(r) - 4),
                 gap,
                 margin_below(r, 3) ? 0 : 0.25 + 4 * margin_unit(r)};
    margin_run run = request_run(&q, &s, 1);
    const int done = run.status == HSP_OK;
    CHECK_NOTE(done || (run.status == HSP_USAGE && strcmp(solver, "auto") != 0), "%s: %s",
               request_text(&q), run.err.message);
    if (done) {
        CHECK_NOTE(run.run.stop == HSP_STOP_CONVERGED || !must_converge(&q), "%s: %s at gap %g",
                   request_text(&q), hsp_stop_name(run.run.stop), run.run.convergence.gap);
        CHECK(run.model != NULL);
        if (run.model) check_claims(&q, &s, &run);
    }
    margin_free(&run);
    return done;
}

/* Every solver by name and "auto", every loss, every offset. A solver need not do them all. */
static void claims_at(double gap, int repeats)
{
    margin_random r = {7};
    const hsp_option *option = margin_option("svm", "solver");
    CHECK(option != NULL);
    for (int k = 0; option && choice(option, k); k++) {
        char solver[64];
        int done = 0;
        snprintf(solver, sizeof solver, "%s", choice(option, k));
        for (int i = 0; i < repeats; i++)
            for (int l = 0; l < 3; l++)
                for (int offset = 0; offset < 3; offset++)
                    done += one_claim(&r, solver, l, offset, gap);
        CHECK_NOTE(done >= repeats, "%s solved %d of %d", solver, done, 9 * repeats);
    }
}

static void claims_at_the_usual_gap(void)
{
    claims_at(1e-3, 40);
}

static void claims_at_a_small_gap(void)
{
    claims_at(1e-8, 25);
}

/* All solvers come to the same objective, and no one below what another proved. */
static void solvers_agree(void)
{
    margin_random r = {11};
    for (int i = 0; i < 60; i++) {
        margin_set s;
        random_set(&r, &s);
        const int l = i % 3, o = i / 3 % 3;
        request q = {losses[l].learner,  losses[l].loss, offsets[o], "auto",
                     pow(10, i % 5 - 3), 1e-7,           0};
        const margin_problem p = request_problem(&q);
        const hsp_option *option = margin_option(q.learner, "solver");
        long double lowest = INFINITY, proven = -INFINITY;
        for (int k = 0; option && choice(option, k); k++) {
            char solver[64];
            snprintf(solver, sizeof solver, "%s", choice(option, k));
            if (strcmp(solver, "l1") == 0) continue; /* another problem */
            q.solver = solver;
            margin_run run = request_run(&q, &s, 1);
            if (run.model) {
                const margin_verdict v = margin_judge(&s, &p, run.model, 0);
                lowest = fminl(lowest, v.primal);
                proven = fmaxl(proven, v.dual);
                CHECK_NOTE(run.run.stop != HSP_STOP_CONVERGED ||
                               v.primal - lowest <= q.gap * v.primal,
                           "%s: %Lg, another has %Lg", request_text(&q), v.primal, lowest);
            }
            margin_free(&run);
        }
        CHECK(proven <= lowest * (1 + 1e-9L));
    }
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* A class that counts k times is k copies of its rows. */
static void class_weights_are_copies(void)
{
    margin_random r = {13};
    for (int i = 0; i < 40; i++) {
        margin_set s, copies;
        do
            random_set(&r, &s);
        while (s.n > 24);
        const int times = 2 + i % 3;
        copies = s;
        copies.n = 0;
        for (int row = 0; row < s.n; row++)
            for (int k = 0; k < (s.label[row] ? times : 1); k++) {
                memcpy(copies.x[copies.n], s.x[row], sizeof s.x[row]);
                copies.label[copies.n++] = s.label[row];
            }
        request q = {losses[i % 3].learner,
                     losses[i % 3].loss,
                     offsets[i / 3 % 3],
                     "auto",
                     0.5,
                     1e-8,
                     times};
        const margin_problem p = request_problem(&q);
        margin_run weighted = request_run(&q, &s, 1);
        q.weight = 0;
        margin_run copied = request_run(&q, &copies, 1);
        CHECK(weighted.model != NULL && copied.model != NULL);
        if (weighted.model && copied.model) {
            const margin_problem plain = request_problem(&q);
            const long double a = margin_judge(&s, &p, weighted.model, 0).primal,
                              b = margin_judge(&copies, &plain, copied.model, 0).primal;
            CHECK_NOTE(fabsl(a - b) <= 1e-7L * b, "%s: %Lg and %Lg", request_text(&q), a, b);
        }
        margin_free(&weighted);
        margin_free(&copied);
    }
}

/* A row of weight k is k copies of it, also in n: the same objective, of the same weights. */
static void row_weights_are_copies(void)
{
    margin_random r = {29};
    for (int i = 0; i < 36; i++) {
        margin_set s, copies;
        do
            random_set(&r, &s);
        while (s.n > 24 || s.d + 1 >= MARGIN_COLS);
        copies = s;
        copies.n = 0;
        copies.d++; /* a column of zeros where the weights are */
        for (int row = 0; row < s.n; row++) {
            const int times = row < 2 ? 1 : margin_below(&r, 4);
            s.x[row][s.d] = times;
            for (int k = 0; k < times; k++) {
                memcpy(copies.x[copies.n], s.x[row], sizeof s.x[row]);
                copies.x[copies.n][s.d] = 0;
                copies.label[copies.n++] = s.label[row];
            }
        }
        s.d++;
        char column[32], lambda[32], offset[32], loss[32];
        const int l = i % 3;
        const char *words[] = {"gap=1e-8", lambda, offset, column, loss, NULL};
        const char *plain[] = {"gap=1e-8", lambda, offset, loss, NULL};
        snprintf(column, sizeof column, "row-weight=%d", s.d);
        snprintf(lambda, sizeof lambda, "lambda=%g", pow(10, -i % 4));
        snprintf(offset, sizeof offset, "offset=%s", offsets[i / 3 % 3]);
        snprintf(loss, sizeof loss, "loss=%s", losses[l].loss ? losses[l].loss : "");
        if (!losses[l].loss) words[4] = plain[3] = NULL;
        margin_run weighted = margin_train(ctx, &s, losses[l].learner, words);
        margin_run copied = margin_train(ctx, &copies, losses[l].learner, plain);
        CHECK_NOTE(weighted.model && copied.model, "%s%s", weighted.err.message,
                   copied.err.message);
        if (weighted.model && copied.model) {
            const hsp_convergence *a = &weighted.run.convergence, *b = &copied.run.convergence;
            const margin_problem p = {.loss = losses[l].loss ? *losses[l].loss : 'l',
                                      .offset = *offsets[i / 3 % 3],
                                      .C = b->C};
            CHECK_NOTE(fabs(a->C - b->C) <= 1e-12 * b->C, "set %d: C %g and %g", i, a->C, b->C);
            CHECK_NOTE(fabs(a->objective - b->objective) <= 2e-8 * b->objective,
                       "set %d: J %g and %g", i, a->objective, b->objective);
            const long double P = margin_judge(&copies, &p, copied.model, 0).primal;
            const hsp_row_coefficients none = hsp_model_row_coefficients(weighted.model);
            CHECK(none.count == 0); /* nobody asked for them */
            CHECK_NOTE(margin_judge(&copies, &p, weighted.model, 0).primal <= P * (1 + 2e-8L),
                       "set %d: the weights are not the copies'", i);
        }
        margin_free(&weighted);
        margin_free(&copied);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* A noisy set of some thousand rows from the library's generators, so that work is cut in parts. */
static hsp_data *large_set(const char *generator, const char *rows, const char *features)
{
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    for (size_t i = 0; hsp_generator(i); i++)
        if (strcmp(hsp_generator(i)->name, generator) == 0)
            CHECK(hsp_options_new(ctx, hsp_generator(i), NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "rows", rows, NULL) == HSP_OK);
    CHECK(hsp_options_set(options, "features", features, NULL) == HSP_OK);
    CHECK(hsp_options_set(options, "noise", "0.1", NULL) == HSP_OK);
    CHECK(hsp_data_make(ctx, options, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_options_free(options);
    return data;
}

/* The same bits on 1, 2 and 5 threads. */
static void threads_change_nothing(void)
{
    for (int i = 0; i < 12; i++) {
        hsp_data *data =
            i % 2 ? large_set("text", "2000", "3000") : large_set("halfspace", "4000", "15");
        char loss[32], offset[32];
        const int l = i / 2 % 3;
        const char *words[] = {"gap=1e-4", "C=0.1", "keep-dual=yes", offset, loss, NULL};
        snprintf(offset, sizeof offset, "offset=%s", i < 6 ? "free" : "regularized");
        snprintf(loss, sizeof loss, "loss=%s", losses[l].loss ? losses[l].loss : "");
        if (!losses[l].loss) words[4] = NULL;
        hsp_context_set_threads(ctx, 1);
        margin_run one = margin_train_data(ctx, data, losses[l].learner, words);
        CHECK_NOTE(one.model != NULL, "%s", one.err.message);
        for (int threads = 2; one.model && threads <= 5; threads += 3) {
            hsp_context_set_threads(ctx, threads);
            margin_run more = margin_train_data(ctx, data, losses[l].learner, words);
            CHECK(more.model != NULL);
            if (more.model) {
                const hsp_row_coefficients a = hsp_model_row_coefficients(one.model),
                                           b = hsp_model_row_coefficients(more.model);
                CHECK_NOTE(memcmp(hsp_model_weights(one.model, 0), hsp_model_weights(more.model, 0),
                                  hsp_model_features(one.model) * sizeof(double)) == 0,
                           "case %d: weights on %d threads", i, threads);
                CHECK(hsp_model_offset(one.model, 0) == hsp_model_offset(more.model, 0));
                CHECK(one.run.convergence.gap == more.run.convergence.gap &&
                      one.run.passes == more.run.passes);
                CHECK(a.count == b.count &&
                      memcmp(a.amount, b.amount, a.count * sizeof(double)) == 0);
            }
            margin_free(&more);
        }
        margin_free(&one);
        hsp_data_free(data);
    }
    hsp_context_set_threads(ctx, 2);
}

/* ---- Margins --------------------------------------------------------------------------------- */

/* A larger lambda never narrows the margin: what is penalised shrinks (with b in it, where b is).
 * P(w) - P* >= ||w - w*||^2/2 says how far a run may be off. */
static void larger_lambda_is_never_narrower(void)
{
    margin_random r = {17};
    for (int i = 0; i < 45; i++) {
        margin_set s;
        random_set(&r, &s);
        request q = {
            losses[i % 3].learner, losses[i % 3].loss, offsets[i / 3 % 3], "auto", 0, 1e-8, 0};
        long double before = INFINITY;
        for (int k = 4; k >= -4; k--) { /* lambda upwards */
            q.C = pow(10, k);
            const margin_problem p = request_problem(&q);
            margin_run run = request_run(&q, &s, 1);
            CHECK_NOTE(run.model != NULL, "%s: %s", request_text(&q), run.err.message);
            if (!run.model) break;
            const margin_verdict v = margin_judge(&s, &p, run.model, 0);
            const long double room = sqrtl(2 * fmaxl(0, v.primal - v.dual)) + 1e-9L * v.penalised;
            CHECK_NOTE(v.penalised <= before + room, "%s: %Lg after %Lg", request_text(&q),
                       v.penalised, before);
            before = v.penalised + room;
            margin_free(&run);
        }
    }
}

/* Two clouds with a gap between them. */
static void separable_set(margin_random *r, margin_set *s)
{
    random_set(r, s);
    for (int i = 0; i < s->n; i++)
        s->x[i][0] = (s->label[i] ? 1 : -1) * (0.2 + fabs(s->x[i][0]));
    margin_round(s);
}

/* The hard margin's own claims: feasible, as wide as its dual says; and what C -> infinity tends
 * to. */
static void large_C_tends_to_the_hard_margin(void)
{
    static const char *const words[] = {"hard=yes", "keep-dual=yes", "gap=1e-7", NULL};
    margin_random r = {19};
    for (int i = 0; i < 40; i++) {
        margin_set s;
        separable_set(&r, &s);
        margin_run hard = margin_train(ctx, &s, "svm", words);
        CHECK_NOTE(hard.model && hard.run.stop == HSP_STOP_CONVERGED, "set %d: %s %s", i,
                   hsp_stop_name(hard.run.stop), hard.err.message);
        if (!hard.model) continue;
        const margin_problem p = {.loss = 'h', .offset = 'f', .C = 1e300};
        const margin_verdict v = margin_judge(&s, &p, hard.model, 0);
        CHECK_NOTE(v.smallest >= 1 - 1e-6L, "set %d: a row at %Lg", i, v.smallest);
        CHECK_NOTE(v.norm * v.norm / 2 - v.dual <= 1.1e-7L * v.norm * v.norm,
                   "set %d: %Lg, proven %Lg", i, v.norm * v.norm / 2, v.dual);
        CHECK_NOTE(v.outside <= 0 && v.balance <= 1e-9L, "set %d: balance %Lg", i, v.balance);
        long double last = 0;
        for (int k = -2; k <= 6; k++) {
            request q = {"svm", "hinge", "free", "auto", pow(10, k), 1e-8, 0};
            margin_run soft = request_run(&q, &s, 0);
            CHECK_NOTE(soft.model != NULL, "%s: %s", request_text(&q), soft.err.message);
            if (soft.model) last = margin_judge(&s, &p, soft.model, 0).norm;
            CHECK_NOTE(last <= v.norm * (1 + 1e-3L), "%s: narrower than the hard margin",
                       request_text(&q));
            margin_free(&soft);
        }
        CHECK_NOTE(fabsl(last - v.norm) <= 1e-3L * v.norm, "set %d: %Lg, hard %Lg", i, last,
                   v.norm);
        margin_free(&hard);
    }
}

/* ---- Cut short ------------------------------------------------------------------------------- */

static int stop_after; /* calls of progress */

static int stop_now(void *user, const hsp_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "training") == 0 && stop_after-- <= 0;
}

/* A gap that nobody reaches in no time: the run ends, keeps what it has, says how far it is. */
static void cut_short(void)
{
    margin_random r = {23};
    for (int i = 0; i < 18; i++) {
        margin_set s;
        random_set(&r, &s);
        request q = {
            losses[i % 3].learner, losses[i % 3].loss, offsets[i / 3 % 3], "auto", 1e3, 1e-12, 0};
        char limit[32], loss[32], offset[32];
        const char *words[] = {limit, "keep-dual=yes", "gap=1e-12", "C=1e3", offset, loss, NULL};
        snprintf(limit, sizeof limit, "max-seconds=%g", 1e-9);
        snprintf(offset, sizeof offset, "offset=%s", q.offset);
        snprintf(loss, sizeof loss, "loss=%s", q.loss ? q.loss : "");
        if (!q.loss) words[5] = NULL;
        if (i % 2) words[0] = "gap=1e-11"; /* the callback stops it */
        stop_after = i / 2;
        if (i % 2) hsp_context_set_progress(ctx, stop_now, NULL);
        margin_run run = margin_train(ctx, &s, q.learner, words);
        hsp_context_set_progress(ctx, NULL, NULL);
        const hsp_status status = run.run.stop == HSP_STOP_REQUEST ? HSP_CANCELLED : HSP_OK;
        CHECK_NOTE(run.status == status && run.model, "%s: %s", request_text(&q), run.err.message);
        const hsp_stop want = i % 2 ? HSP_STOP_REQUEST : HSP_STOP_SECONDS;
        CHECK_NOTE(run.run.stop == want || run.run.stop == HSP_STOP_CONVERGED, "%s: stop %s",
                   request_text(&q), hsp_stop_name(run.run.stop));
        if (run.model) check_claims(&q, &s, &run);
        margin_free(&run);
    }
}

int main(void)
{
    if (!mkdtemp(margin_folder) || hsp_context_new(NULL, &ctx)) return 1;
    hsp_context_set_threads(ctx, 2);
    RUN(claims_at_the_usual_gap);
    RUN(claims_at_a_small_gap);
    RUN(solvers_agree);
    RUN(class_weights_are_copies);
    RUN(row_weights_are_copies);
    RUN(threads_change_nothing);
    RUN(larger_lambda_is_never_narrower);
    RUN(large_C_tends_to_the_hard_margin);
    RUN(cut_short);
    hsp_context_free(ctx);
    rmdir(margin_folder);
    return check_done();
}
