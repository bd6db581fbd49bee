/* Experts against their theorem: the run is made again from the rows, in another way.
 *
 * The run keeps whole counts of mistakes and makes weights of them; here weights are multiplied row
 * by row, as the definition has it, in long double, each with an exponent of its own: one that is
 * far behind may yet become the best. Votes are read off the numbers of the rows, not taken from
 * the model's scaling. With m_j the mistakes of expert j (a row on which it abstains counts half),
 * m* the least of them, N experts, and W the sum of weights in the end,
 *
 *   potential   W <= N ((1 + beta) / 2)^m,   randomized: ln W <= ln N - (1 - beta) E m
 *   best        W >= beta^(m*)
 *
 * and from the two (docs/experts.md)
 *
 *   majority    m   <= (m* ln(1/beta) + ln N) / ln(2 / (1 + beta))
 *   chance      E m <= (m* ln(1/beta) + ln N) / (1 - beta)
 *
 * Also: does the recount agree with what the model says of its run, and with its weights? A
 * decision that hangs on less than 1e-12 of the weight may be another one there. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/scale.h"
#include "measure/audit.h"

#define EXPERTS_CLOSE    1e-12     /* of the weight: too close to call */
#define EXPERTS_ROUNDING 1e-9      /* what is compared may differ by so much of its size */
#define EXPERTS_STEP     (1 << 20) /* votes between two reports of progress */
#define EXPERTS_FAR      2048      /* a weight 2^-2048 of another is nothing relative to it */

typedef struct experts_audit {
    hsp__audit *audit;
    double beta;
    int negated, randomized, shuffled;
    int votes; /* 0: by what a column holds; 1: signs, 2: bits */
    uint64_t seed, examples, passes;
    uint64_t said_mistakes, said_best; /* what the model says: m, and which column */
    double said_best_mistakes, said_expected;
    int said_negated;

    hsp_data *scaled;     /* owned, or NULL */
    const hsp_view *view; /* the rows, before they were made votes */
    uint64_t cols, experts;
    unsigned char *bit; /* cols: it votes by its bit */
    signed char *vote;  /* cols: of the row at hand */
    hsp__wide *weight;  /* experts: columns, then negations; times 2^power */
    int64_t *power;     /* experts */
    double *lost;       /* experts: m_j */

    uint64_t mistakes, close;
    hsp__wide expected;
} experts_audit;

/* ---- What the model says --------------------------------------------------------------------- */

static int experts_yes(const hsp__audit_reader *reader, const char *name)
{
    return hsp__json_type_of(hsp__json_get(reader->options, name)) == HSP__JSON_TRUE;
}

static int experts_number(const char *text, double *out)
{
    hsp__decimal_result result = HSP__DECIMAL_OK;
    if (!text || !*text) return 0;
    const char *end = text + strlen(text);
    return hsp__decimal_f64(text, end, out, &result) == end && result == HSP__DECIMAL_OK;
}

static hsp_status experts_real(const hsp__audit_reader *reader, const char *name, double *out,
                               hsp_error *err)
{
    const char *text = hsp_model_metadata(reader->model, name);
    if (experts_number(text, out)) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA, "the model says %s is '%.40s', expected a number", name,
                     text ? text : "");
}

static hsp_status experts_read_options(experts_audit *run, const hsp__audit_reader *reader,
                                       hsp_error *err)
{
    const char *votes = hsp__audit_text(reader, "votes"), *order = hsp__audit_text(reader, "order");
    const char *negated = hsp_model_metadata(reader->model, "best_negated");
    run->negated = experts_yes(reader, "negated");
    run->randomized = experts_yes(reader, "randomized");
    run->shuffled = order && strcmp(order, "shuffle") == 0;
    run->votes = !votes ? 0 : strcmp(votes, "sign") == 0 ? 1 : strcmp(votes, "bit") == 0 ? 2 : 0;
    run->said_negated = negated && strcmp(negated, "true") == 0;
    run->beta = 0;
    hsp__json_number(hsp__json_get(reader->options, "beta"), &run->beta);
    if (!(run->beta > 0 && run->beta < 1))
        return hsp__fail(err, HSP_BAD_DATA, "the model says beta is %.9g, expected it in (0, 1)",
                         run->beta);
    hsp_status status = hsp__audit_count(reader, "examples", &run->examples, err);
    if (!status) status = hsp__audit_count(reader, "passes", &run->passes, err);
    if (!status) status = hsp__audit_count(reader, "seed", &run->seed, err);
    if (!status) status = hsp__audit_count(reader, "mistakes", &run->said_mistakes, err);
    if (!status) status = hsp__audit_count(reader, "best_column", &run->said_best, err);
    if (!status) status = experts_real(reader, "best_mistakes", &run->said_best_mistakes, err);
    if (!status && run->randomized)
        status = experts_real(reader, "expected_mistakes", &run->said_expected, err);
    return status;
}

static hsp_status experts_read(experts_audit *run, hsp_error *err)
{
    const hsp_model *model = run->audit->model;
    hsp__audit_reader reader;
    if (model->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the model has %u classes, and the mistake bounds are for two; train with "
                         "--positive or --classes",
                         (unsigned)hsp_model_classes(model));
    hsp_status status = hsp__audit_open(model, err, &reader);
    if (status) return status;
    status = experts_read_options(run, &reader, err);
    hsp__audit_close(&reader);
    run->cols = hsp__model_inputs(model);
    run->experts = run->cols * (run->negated ? 2 : 1);
    if (!status && !run->experts)
        return hsp__fail(err, HSP_BAD_DATA, "the model has no columns, so there are no experts");
    return status;
}

/* ---- The rows -------------------------------------------------------------------------------- */

/* As they were before they became votes: scaled, if the run did that. */
static hsp_status experts_rows(experts_audit *run, hsp_data *data, hsp_error *err)
{
    hsp__audit *audit = run->audit;
    hsp_scaling *const *scalings = audit->model->scalings;
    int last = 0;
    while (last < HSP__MODEL_SCALINGS && !(scalings[last] && hsp__scaling_is_votes(scalings[last])))
        last++;
    if (last == HSP__MODEL_SCALINGS)
        return hsp__fail(err, HSP_BAD_DATA, "the model does not say how columns vote");
    hsp_status status = hsp__audit_choose_rows(audit, data, err);
    if (status) return status;
    run->view = &data->view;
    if (run->view->cols > run->cols)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model has %llu experts, and this data has %llu columns: it is not "
                         "the training data",
                         (unsigned long long)run->cols, (unsigned long long)run->view->cols);
    if (last == 0 || !scalings[0]) return HSP_OK;
    status = hsp__scaling_apply_filling(audit->ctx, scalings[0], data, err, &run->scaled);
    if (!status) run->view = &run->scaled->view;
    return status;
}

static void experts_kinds(experts_audit *run)
{
    memset(run->bit, run->votes != 1, run->cols);
    for (uint64_t i = 0; run->votes == 0 && i < run->audit->rows; i++) {
        const hsp__row row = hsp__view_row(run->view, run->audit->row[i]);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(run->view, &row, k);
            if (x != 0 && x != 1) run->bit[hsp__row_column(&row, k)] = 0;
        }
    }
}

static void experts_listen(experts_audit *run, uint64_t i)
{
    const hsp__row row = hsp__view_row(run->view, run->audit->row[i]);
    for (uint64_t j = 0; j < run->cols; j++)
        run->vote[j] = run->bit[j] ? -1 : 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(run->view, &row, k);
        const uint64_t j = hsp__row_column(&row, k);
        if (x > 0) run->vote[j] = 1;
        if (x < 0) run->vote[j] = -1;
    }
}

/* ---- The run again --------------------------------------------------------------------------- */

static int64_t experts_power(const experts_audit *run)
{
    int64_t most = run->power[0];
    for (uint64_t e = 1; e < run->experts; e++)
        if (run->power[e] > most) most = run->power[e];
    return most;
}

/* The weight of expert e over 2^power, the largest power there is. */
static hsp__wide experts_beside(const experts_audit *run, uint64_t e, int64_t power)
{
    const int64_t behind = power - run->power[e];
    assert(!(behind < 0) && e < run->experts);
    return behind < EXPERTS_FAR ? ldexpl(run->weight[e], -(int)behind) : 0;
}

/* The share of the weight on y's side less that on the other. */
static double experts_agree(const experts_audit *run, int y)
{
    const int64_t power = experts_power(run);
    hsp__wide says = 0, all = 0;
    for (uint64_t e = 0; e < run->experts; e++) {
        const int vote = e < run->cols ? run->vote[e] : -run->vote[e - run->cols];
        const hsp__wide weight = experts_beside(run, e, power);
        says += weight * (hsp__wide)(y * vote);
        all += weight;
    }
    return (double)(says / all);
}

static int experts_mistaken(experts_audit *run, double agree, int y, uint64_t seen)
{
    const hsp_tie tie = run->audit->model->tie;
    if (!run->randomized) {
        run->close += fabs(agree) <= EXPERTS_CLOSE;
        if (agree != 0) return agree < 0;
        return tie == HSP_TIE_ZERO || (tie == HSP_TIE_POS) != (y > 0);
    }
    const double chance = (1 - agree) / 2;
    hsp__random random;
    hsp__random_seed(&random, run->seed, UINT64_MAX - seen);
    const double drawn = hsp__random_unit(&random);
    run->expected += (hsp__wide)chance;
    run->close += fabs(drawn - chance) <= EXPERTS_CLOSE;
    return drawn < chance;
}

static void experts_meet(experts_audit *run, uint64_t i, uint64_t seen)
{
    assert(i < run->audit->rows && run->beta > 0 && run->beta < 1);
    const int y = run->audit->y[i] > 0 ? 1 : -1;
    const hsp__wide beta = (hsp__wide)run->beta, root = sqrtl(beta);
    experts_listen(run, i);
    run->mistakes += (uint64_t)experts_mistaken(run, experts_agree(run, y), y, seen);
    for (uint64_t e = 0; e < run->experts; e++) {
        const int vote = e < run->cols ? run->vote[e] : -run->vote[e - run->cols];
        if (vote == y) continue;
        int power;
        run->weight[e] = frexpl(run->weight[e] * (vote ? beta : root), &power);
        run->power[e] += power;
        run->lost[e] += vote ? 1 : 0.5;
    }
}

/* What a file says is not believed: a count that no run over these rows makes would keep us here
 * for as long as it pleases. */
static hsp_status experts_check_examples(const experts_audit *run, hsp_error *err)
{
    const uint64_t rows = run->audit->rows, passes = run->passes ? run->passes : 1;
    if (rows ? run->examples / rows + (run->examples % rows != 0) <= passes : !run->examples)
        return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA,
                     "the model counts %llu votes in %llu passes, and this data has %llu rows: it "
                     "is not the training data",
                     (unsigned long long)run->examples, (unsigned long long)run->passes,
                     (unsigned long long)rows);
}

static hsp_status experts_again(experts_audit *run, hsp_error *err)
{
    const uint64_t rows = run->audit->rows, step = 1 + EXPERTS_STEP / run->experts;
    hsp_status status = experts_check_examples(run, err);
    if (status) return status;
    uint64_t *order = hsp__new_raw(&run->audit->ctx->allocator, rows, sizeof *order);
    if (!order) return hsp__fail_memory(err);
    for (uint64_t e = 0; e < run->experts; e++)
        run->weight[e] = 1;
    for (uint64_t seen = 0; !status && seen < run->examples; seen++) {
        if (seen % rows == 0) {
            for (uint64_t i = 0; i < rows; i++)
                order[i] = i;
            hsp__random random;
            hsp__random_seed(&random, run->seed, seen / rows + 1);
            if (run->shuffled) hsp__random_shuffle(&random, order, rows);
        }
        experts_meet(run, order[seen % rows], seen);
        if ((seen + 1) % step == 0 || seen + 1 == run->examples)
            status =
                hsp__progress(run->audit->ctx, "recounting", "rows", seen + 1, run->examples, err);
    }
    hsp__free(&run->audit->ctx->allocator, order);
    return status;
}

static hsp_status experts_room(experts_audit *run, hsp_error *err)
{
    const hsp_allocator *memory = &run->audit->ctx->allocator;
    run->bit = hsp__new(memory, run->cols, sizeof *run->bit);
    run->vote = hsp__new(memory, run->cols, sizeof *run->vote);
    run->weight = hsp__new(memory, run->experts, sizeof *run->weight);
    run->power = hsp__new(memory, run->experts, sizeof *run->power);
    run->lost = hsp__new(memory, run->experts, sizeof *run->lost);
    return run->bit && run->vote && run->weight && run->power && run->lost ? HSP_OK
                                                                           : hsp__fail_memory(err);
}

/* ---- The theorem ----------------------------------------------------------------------------- */

static double experts_least(const experts_audit *run)
{
    double least = HUGE_VAL;
    for (uint64_t e = 0; e < run->experts; e++)
        least = fmin(least, run->lost[e]);
    return least;
}

static void experts_theorems(const experts_audit *run, hsp__audit_list *list)
{
    const double m = (double)run->said_mistakes, best = experts_least(run);
    const double top = best * -log(run->beta) + log((double)run->experts);
    hsp_mistake_bound *entry =
        hsp__audit_add(list, "majority", "m <= (m* ln(1/b) + ln N) / ln(2/(1+b))");
    if (run->randomized) {
        hsp__audit_why(entry, "the run followed one expert at a time, drawn by weight");
    } else {
        const double bound = top / -log1p((run->beta - 1) / 2);
        hsp__audit_settle(entry, m, bound, 1 + bound);
        hsp__audit_why(entry, "m* = %.9g, b = %.9g, N = %.0f, %.0f rows voted on", best, run->beta,
                       (double)run->experts, (double)run->examples);
    }
    entry = hsp__audit_add(list, "chance", "E m <= (m* ln(1/b) + ln N) / (1-b)");
    if (!run->randomized) {
        hsp__audit_why(entry, "the run followed the majority, not chance");
    } else {
        const double bound = top / (1 - run->beta);
        hsp__audit_settle(entry, (double)run->expected, bound, 1 + bound);
        hsp__audit_why(entry,
                       "m* = %.9g, b = %.9g, N = %.0f; this run made m = %.0f mistakes, but the "
                       "theorem is about their expectation",
                       best, run->beta, (double)run->experts, m);
    }
}

/* Both sides of the proof. */
static void experts_proof(const experts_audit *run, hsp__audit_list *list)
{
    const double best = experts_least(run), count = (double)run->experts;
    const int64_t power = experts_power(run);
    hsp__wide all = 0;
    for (uint64_t e = 0; e < run->experts; e++)
        all += experts_beside(run, e, power);
    if (!(all > 0)) all = 1; /* no experts: none is asked for */
    const double potential = (double)(logl(all) + (hsp__wide)power * logl(2));
    const double fall = run->randomized ? (1 - run->beta) * (double)run->expected
                                        : -log1p((run->beta - 1) / 2) * (double)run->mistakes;
    hsp_mistake_bound *entry = hsp__audit_add(list, "potential",
                                              run->randomized ? "ln W <= ln N - (1-b) E m"
                                                              : "ln W <= ln N - m ln(2/(1+b))");
    hsp__audit_settle(entry, potential, log(count) - fall, 1 + log(count) + fall);
    hsp__audit_why(entry, "W is the weight of all experts after the last row, N = %.0f", count);
    entry = hsp__audit_add(list, "best", "ln W >= m* ln b");
    entry->lower = 1;
    hsp__audit_settle(entry, potential, best * log(run->beta), 1 + best * -log(run->beta));
    hsp__audit_why(entry, "m* = %.9g; the best expert's weight is a part of W", best);
}

/* ---- Is the model what its run would have made? ---------------------------------------------- */

static void experts_recount(const experts_audit *run, hsp__audit_list *list)
{
    const double best = experts_least(run);
    hsp_mistake_bound *entry =
        hsp__audit_add(list, "recount", "|m - m recounted| <= too close to call");
    hsp__audit_settle(entry, fabs((double)run->said_mistakes - (double)run->mistakes),
                      (double)run->close, 0);
    hsp__audit_why(entry, "the model says %.0f, the rows say %.0f; %.0f hang on rounding",
                   (double)run->said_mistakes, (double)run->mistakes, (double)run->close);
    const uint64_t named = run->said_best + (run->said_negated ? run->cols : 0);
    entry = hsp__audit_add(list, "best recounted", "|m* - m* recounted| <= 0");
    const int known = run->said_best < run->cols && named < run->experts;
    const double apart =
        known ? fmax(fabs(run->said_best_mistakes - best), fabs(run->lost[named] - best))
              : (double)run->examples; /* no such column: as wrong as it can be */
    hsp__audit_settle(entry, apart, 0, 0);
    hsp__audit_why(entry,
                   "the model says column %.0f%s with %.9g, the least that the rows say is "
                   "%.9g",
                   (double)run->said_best + 1, run->said_negated ? ", negated," : "",
                   run->said_best_mistakes, best);
    if (!run->randomized) return;
    entry = hsp__audit_add(list, "expected recounted", "|E m - E m recounted| <= rounding");
    hsp__audit_settle(entry, fabs(run->said_expected - (double)run->expected),
                      EXPERTS_ROUNDING * (1 + (double)run->expected), 0);
    hsp__audit_why(entry, "the model says %.9g, the rows say %.9g", run->said_expected,
                   (double)run->expected);
}

/* The model's weights: those of the experts relative to the best one's, twice that for bits. */
static void experts_weights(const experts_audit *run, hsp__audit_list *list)
{
    const hsp_model *model = run->audit->model;
    double divisor = 1;
    experts_number(hsp_model_metadata(model, "divided_by"), &divisor);
    hsp_mistake_bound *entry = hsp__audit_add(list, "weights", "max |w - w recounted| <= rounding");
    hsp__wide most = 0, apart = 0, offset = 0;
    const int64_t power = experts_power(run);
    for (uint64_t e = 0; e < run->experts; e++)
        most = fmaxl(most, experts_beside(run, e, power));
    for (uint64_t j = 0; j < run->cols; j++) {
        hsp__wide net = experts_beside(run, j, power) / most;
        if (run->negated) net -= experts_beside(run, run->cols + j, power) / most;
        if (run->bit[j]) offset -= net;
        const hsp__wide w = (hsp__wide)model->weights[j] * (hsp__wide)divisor;
        apart = fmaxl(apart, fabsl(w - (run->bit[j] ? 2 * net : net)));
    }
    const hsp__wide b = (hsp__wide)hsp__model_bias(model, 0) * (hsp__wide)divisor;
    apart = fmaxl(apart, fabsl(b - offset) / (hsp__wide)(1 + run->cols));
    hsp__audit_settle(entry, (double)apart, EXPERTS_ROUNDING, 0);
    hsp__audit_why(entry, "relative to the best expert's, which is 1; with the offset");
}

hsp_status hsp__audit_experts(hsp__audit *audit, hsp_data *data, hsp__audit_list *list,
                              hsp_error *err)
{
    experts_audit run = {.audit = audit};
    const hsp_view *view;
    const hsp_allocator *memory = &audit->ctx->allocator;
    hsp_status status = hsp_data_view(audit->ctx, data, err, &view);
    if (!status) status = experts_read(&run, err);
    if (!status) status = experts_rows(&run, data, err);
    if (!status) status = experts_room(&run, err);
    if (!status) {
        experts_kinds(&run);
        status = experts_again(&run, err);
    }
    if (!status) {
        experts_theorems(&run, list);
        experts_proof(&run, list);
        experts_recount(&run, list);
        experts_weights(&run, list);
    }
    hsp_data_free(run.scaled);
    hsp__free(memory, run.bit);
    hsp__free(memory, run.vote);
    hsp__free(memory, run.weight);
    hsp__free(memory, run.power);
    hsp__free(memory, run.lost);
    return status;
}
