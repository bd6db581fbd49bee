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
#include "base/base.h"
#include "base/json.h"
#include "base/random.h"
#include "data/scale.h"
#include "measure/audit.h"

#define EXPERTS_CLOSE    1e-12     /* of the weight: too close to call */
#define EXPERTS_ROUNDING 1e-9      /* what is compared may differ by so much of its size */
#define EXPERTS_STEP     (1 << 20) /* votes between two reports of progress */
#define EXPERTS_FAR      2048      /* a weight 2^-2048 of another is nothing relative to it */

typedef struct experts_audit {
    hsp__audit *audit;
    hsp__experts_run said; /* what the model says of its run */
    double divisor;        /* the model's weights are divided by that */
    hsp_data *scaled;      /* owned, or NULL */
    const hsp_view *view;  /* the rows, before they were made votes */
    uint64_t cols, experts;
    unsigned char *bit; /* cols: it votes by its bit */
    signed char *vote;  /* cols: of the row at hand */
    hsp__long *weight;  /* experts: columns, then negations; times 2^power */
    int64_t *power;     /* experts */
    double *lost;       /* experts: m_j */

    uint64_t mistakes, close;
    hsp__long expected;
    double least;     /* m* */
    int64_t most;     /* the largest power */
    double potential; /* ln W */
} experts_audit;

/* ---- What the model says, also for certificates ---------------------------------------------- */

static hsp_status experts_read(const hsp__audit_reader *reader, hsp__experts_run *run,
                               hsp_error *err)
{
    const char *votes = hsp__audit_text(reader, "votes"), *order = hsp__audit_text(reader, "order");
    const char *negated = hsp_model_metadata(reader->model, "best_negated");
    const hsp__json_value *options = reader->options;
    *run = (hsp__experts_run){
        .negated = hsp__json_type_of(hsp__json_get(options, "negated")) == HSP__JSON_TRUE,
        .randomized = hsp__json_type_of(hsp__json_get(options, "randomized")) == HSP__JSON_TRUE,
        .shuffled = order && strcmp(order, "shuffle") == 0,
        .votes = !votes                       ? 0
                 : strcmp(votes, "sign") == 0 ? 1
                 : strcmp(votes, "bit") == 0  ? 2
                                              : 0,
        .best_negated = negated && strcmp(negated, "true") == 0};
    hsp__json_number(hsp__json_get(options, "beta"), &run->beta);
    if (!(run->beta > 0 && run->beta < 1))
        return hsp__fail(err, HSP_BAD_DATA, "the model says beta is %.9g, expected it in (0, 1)",
                         run->beta);
    HSP__TRY(hsp__audit_count(reader, "examples", &run->examples, err));
    HSP__TRY(hsp__audit_count(reader, "passes", &run->passes, err));
    HSP__TRY(hsp__audit_count(reader, "seed", &run->seed, err));
    HSP__TRY(hsp__audit_count(reader, "mistakes", &run->mistakes, err));
    HSP__TRY(hsp__audit_count(reader, "best_column", &run->best, err));
    HSP__TRY(
        hsp__audit_number(reader, "best_mistakes", (double)NAN, &run->best_mistakes, NULL, err));
    if (!run->randomized) return HSP_OK;
    return hsp__audit_number(reader, "expected_mistakes", (double)NAN, &run->expected, NULL, err);
}

hsp_status hsp__experts_read(const hsp_model *model, hsp_error *err, hsp__experts_run *run)
{
    hsp__audit_reader reader;
    HSP__TRY(hsp__audit_open(model, err, &reader));
    const hsp_status status = experts_read(&reader, run, err);
    hsp__audit_close(&reader);
    return status;
}

int hsp__experts_votes(const hsp_model *model)
{
    int i = 0;
    while (i < HSP__MODEL_SCALINGS &&
           !(model->scalings[i] && hsp__scaling_is_votes(model->scalings[i])))
        i++;
    return i;
}

/* ---- The rows -------------------------------------------------------------------------------- */

/* As they were before they became votes: scaled, if the run did that. */
static hsp_status experts_rows(experts_audit *run, hsp_data *data, hsp_error *err)
{
    hsp__audit *audit = run->audit;
    hsp__scratch *scratch = &audit->scratch;
    const hsp_model *model = audit->model;
    const int last = hsp__experts_votes(model);
    run->cols = hsp__model_inputs(model);
    run->experts = run->cols * (run->said.negated ? 2 : 1);
    if (!run->experts)
        return hsp__fail(err, HSP_BAD_DATA, "the model has no columns, so there are no experts");
    if (last == HSP__MODEL_SCALINGS)
        return hsp__fail(err, HSP_BAD_DATA, "the model does not say how columns vote");
    HSP__TRY(hsp__audit_choose_rows(audit, data, err));
    run->view = &data->view;
    if (run->view->cols > run->cols)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model has %llu experts, and this data has %llu columns: it is not "
                         "the training data",
                         (unsigned long long)run->cols, (unsigned long long)run->view->cols);
    if (last && model->scalings[0]) {
        HSP__TRY(
            hsp__scaling_apply_filling(audit->ctx, model->scalings[0], data, err, &run->scaled));
        run->view = &run->scaled->view;
    }
    run->bit = hsp__scratch_new(scratch, run->cols, sizeof *run->bit);
    run->vote = hsp__scratch_new(scratch, run->cols, sizeof *run->vote);
    run->weight = hsp__scratch_new(scratch, run->experts, sizeof *run->weight);
    run->power = hsp__scratch_new(scratch, run->experts, sizeof *run->power);
    run->lost = hsp__scratch_new(scratch, run->experts, sizeof *run->lost);
    if (scratch->failed) return hsp__fail_memory(err);
    memset(run->bit, run->said.votes != 1, run->cols);
    for (uint64_t i = 0; run->said.votes == 0 && i < audit->rows; i++) {
        const hsp__row row = hsp__view_row(run->view, audit->row[i]);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(run->view, &row, k);
            if (x != 0 && x != 1) run->bit[hsp__row_column(&row, k)] = 0;
        }
    }
    return HSP_OK;
}

/* ---- The run again --------------------------------------------------------------------------- */

static int experts_vote(const experts_audit *run, uint64_t e)
{
    return e < run->cols ? run->vote[e] : -run->vote[e - run->cols];
}

/* The largest power there is. */
static void experts_power(experts_audit *run)
{
    run->most = run->power[0];
    for (uint64_t e = 1; e < run->experts; e++)
        if (run->power[e] > run->most) run->most = run->power[e];
}

/* The weight of expert e over 2^most. */
static hsp__long experts_relative(const experts_audit *run, uint64_t e)
{
    const int64_t behind = run->most - run->power[e];
    assert(!(behind < 0) && e < run->experts);
    return behind < EXPERTS_FAR ? ldexpl(run->weight[e], -(int)behind) : 0;
}

/* Is the row a mistake, where `agree` is the share of the weight on y's side less that on the
 * other? */
static int experts_mistaken(experts_audit *run, double agree, int y, uint64_t seen)
{
    const hsp_tie tie = run->audit->model->tie;
    if (!run->said.randomized) {
        run->close += fabs(agree) <= EXPERTS_CLOSE;
        if (agree != 0) return agree < 0;
        return tie == HSP_TIE_ZERO || (tie == HSP_TIE_POS) != (y > 0);
    }
    const double chance = (1 - agree) / 2;
    hsp__random random;
    hsp__random_seed(&random, run->said.seed, UINT64_MAX - seen);
    const double drawn = hsp__random_unit(&random);
    run->expected += (hsp__long)chance;
    run->close += fabs(drawn - chance) <= EXPERTS_CLOSE;
    return drawn < chance;
}

static void experts_meet(experts_audit *run, uint64_t i, uint64_t seen)
{
    const int y = run->audit->y[i] > 0 ? 1 : -1;
    const hsp__long beta = (hsp__long)run->said.beta, root = sqrtl(beta);
    const hsp__row row = hsp__view_row(run->view, run->audit->row[i]);
    hsp__long says = 0, all = 0;
    assert(i < run->audit->rows);
    for (uint64_t j = 0; j < run->cols; j++)
        run->vote[j] = run->bit[j] ? -1 : 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(run->view, &row, k);
        const uint64_t j = hsp__row_column(&row, k);
        if (x > 0) run->vote[j] = 1;
        if (x < 0) run->vote[j] = -1;
    }
    experts_power(run);
    for (uint64_t e = 0; e < run->experts; e++) {
        const hsp__long weight = experts_relative(run, e);
        says += weight * (hsp__long)(y * experts_vote(run, e));
        all += weight;
    }
    run->mistakes += (uint64_t)experts_mistaken(run, (double)(says / all), y, seen);
    for (uint64_t e = 0; e < run->experts; e++) {
        const int vote = experts_vote(run, e);
        if (vote == y) continue;
        int power;
        run->weight[e] = frexpl(run->weight[e] * (vote ? beta : root), &power);
        run->power[e] += power;
        run->lost[e] += vote ? 1 : 0.5;
    }
}

static hsp_status experts_again(experts_audit *run, hsp_error *err)
{
    const hsp__experts_run *said = &run->said;
    const uint64_t rows = run->audit->rows, step = 1 + EXPERTS_STEP / run->experts;
    const uint64_t passes = said->passes ? said->passes : 1;
    /* What a file says is not believed: a count that no run over these rows makes would keep us here
     * for as long as it pleases. */
    if (rows ? said->examples / rows + (said->examples % rows != 0) > passes : said->examples > 0)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model counts %llu votes in %llu passes, and this data has %llu rows: "
                         "it is not the training data",
                         (unsigned long long)said->examples, (unsigned long long)said->passes,
                         (unsigned long long)rows);
    uint64_t *order = hsp__scratch_raw(&run->audit->scratch, rows, sizeof *order);
    if (!order) return hsp__fail_memory(err);
    for (uint64_t e = 0; e < run->experts; e++)
        run->weight[e] = 1;
    for (uint64_t seen = 0; seen < said->examples; seen++) {
        if (seen % rows == 0) {
            for (uint64_t i = 0; i < rows; i++)
                order[i] = i;
            hsp__random random;
            hsp__random_seed(&random, said->seed, seen / rows + 1);
            if (said->shuffled) hsp__random_shuffle(&random, order, rows);
        }
        experts_meet(run, order[seen % rows], seen);
        if ((seen + 1) % step == 0 || seen + 1 == said->examples)
            HSP__TRY(hsp__progress(run->audit->ctx, "recounting", "rows", seen + 1, said->examples,
                                   err));
    }
    hsp__long all = 0;
    experts_power(run);
    run->least = HUGE_VAL;
    for (uint64_t e = 0; e < run->experts; e++) {
        run->least = fmin(run->least, run->lost[e]);
        all += experts_relative(run, e);
    }
    if (!(all > 0)) all = 1; /* no experts: none is asked for */
    run->potential = (double)(logl(all) + (hsp__long)run->most * logl(2));
    return HSP_OK;
}

/* ---- The theorem, and both sides of its proof ------------------------------------------------ */

static int experts_majority(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const double beta = run->said.beta, N = (double)run->experts;
    const double bound = (run->least * -log(beta) + log(N)) / -log1p((beta - 1) / 2);
    if (run->said.randomized)
        return hsp__audit_why(entry, "the run followed one expert at a time, drawn by weight");
    return hsp__audit_settle(entry, (double)run->said.mistakes, bound, 1 + bound,
                             "m* = %.9g, b = %.9g, N = %.0f, %.0f rows voted on", run->least, beta,
                             N, (double)run->said.examples);
}

static int experts_chance(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const double beta = run->said.beta, N = (double)run->experts;
    const double bound = (run->least * -log(beta) + log(N)) / (1 - beta);
    if (!run->said.randomized)
        return hsp__audit_why(entry, "the run followed the majority, not chance");
    return hsp__audit_settle(entry, (double)run->expected, bound, 1 + bound,
                             "m* = %.9g, b = %.9g, N = %.0f; this run made m = %.0f mistakes, but "
                             "the theorem is about their expectation",
                             run->least, beta, N, (double)run->said.mistakes);
}

static int experts_potential(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const double beta = run->said.beta, count = (double)run->experts;
    const double fall = run->said.randomized ? (1 - beta) * (double)run->expected
                                             : -log1p((beta - 1) / 2) * (double)run->mistakes;
    if (run->said.randomized) entry->formula = "ln W <= ln N - (1-b) E m";
    return hsp__audit_settle(entry, run->potential, log(count) - fall, 1 + log(count) + fall,
                             "W is the weight of all experts after the last row, N = %.0f", count);
}

static int experts_best(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    return hsp__audit_settle(entry, run->potential, run->least * log(run->said.beta),
                             1 + run->least * -log(run->said.beta),
                             "m* = %.9g; the best expert's weight is a part of W", run->least);
}

/* ---- Is the model what its run would have made? ---------------------------------------------- */

static int experts_recount(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const double said = (double)run->said.mistakes, found = (double)run->mistakes;
    return hsp__audit_settle(entry, fabs(said - found), (double)run->close, 0,
                             "the model says %.0f, the rows say %.0f; %.0f hang on rounding", said,
                             found, (double)run->close);
}

static int experts_best_recounted(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const hsp__experts_run *said = &run->said;
    const uint64_t named = said->best + (said->best_negated ? run->cols : 0);
    const int known = said->best < run->cols && named < run->experts;
    const double apart =
        known ? fmax(fabs(said->best_mistakes - run->least), fabs(run->lost[named] - run->least))
              : (double)said->examples; /* no such column: as wrong as it can be */
    return hsp__audit_settle(
        entry, apart, 0, 0,
        "the model says column %.0f%s with %.9g, the least that the rows say is %.9g",
        (double)said->best + 1, said->best_negated ? ", negated," : "", said->best_mistakes,
        run->least);
}

static int experts_expected(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const double said = run->said.expected, found = (double)run->expected;
    if (!run->said.randomized) return -1;
    return hsp__audit_settle(entry, fabs(said - found), EXPERTS_ROUNDING * (1 + found), 0,
                             "the model says %.9g, the rows say %.9g", said, found);
}

/* The model's weights: those of the experts relative to the best one's, twice that for bits. */
static int experts_weights(const void *state, hsp_mistake_bound *entry)
{
    const experts_audit *run = state;
    const hsp_model *model = run->audit->model;
    const hsp__long divisor = (hsp__long)run->divisor;
    hsp__long most = 0, apart = 0, offset = 0;
    for (uint64_t e = 0; e < run->experts; e++)
        most = fmaxl(most, experts_relative(run, e));
    for (uint64_t j = 0; j < run->cols; j++) {
        hsp__long net = experts_relative(run, j) / most;
        if (run->said.negated) net -= experts_relative(run, run->cols + j) / most;
        if (run->bit[j]) offset -= net;
        const hsp__long w = (hsp__long)model->weights[j] * divisor;
        apart = fmaxl(apart, fabsl(w - (run->bit[j] ? 2 * net : net)));
    }
    const hsp__long b = (hsp__long)hsp__model_bias(model, 0) * divisor;
    apart = fmaxl(apart, fabsl(b - offset) / (hsp__long)(1 + run->cols));
    return hsp__audit_settle(entry, (double)apart, EXPERTS_ROUNDING, 0,
                             "relative to the best expert's, which is 1; with the offset");
}

static const hsp__audit_theorem experts_theorems[] = {
    {"majority", "m <= (m* ln(1/b) + ln N) / ln(2/(1+b))", experts_majority, 0},
    {"chance", "E m <= (m* ln(1/b) + ln N) / (1-b)", experts_chance, 0},
    {"potential", "ln W <= ln N - m ln(2/(1+b))", experts_potential, 0},
    {"best", "ln W >= m* ln b", experts_best, 1},
    {"recount", "|m - m recounted| <= too close to call", experts_recount, 0},
    {"best recounted", "|m* - m* recounted| <= 0", experts_best_recounted, 0},
    {"expected recounted", "|E m - E m recounted| <= rounding", experts_expected, 0},
    {"weights", "max |w - w recounted| <= rounding", experts_weights, 0},
};

hsp_status hsp__audit_experts(hsp__audit *audit, hsp_data *data, hsp__audit_list *list,
                              hsp_error *err)
{
    experts_audit run = {.audit = audit};
    const hsp__audit_reader reader = {.model = audit->model};
    const hsp_view *view;
    HSP__TRY(hsp_data_view(audit->ctx, data, err, &view));
    HSP__TRY(hsp__experts_read(audit->model, err, &run.said));
    HSP__TRY(hsp__audit_number(&reader, "divided_by", 1, &run.divisor, NULL, err));
    hsp_status status = experts_rows(&run, data, err);
    if (!status) status = experts_again(&run, err);
    if (!status)
        hsp__audit_fill(list, experts_theorems, sizeof experts_theorems / sizeof *experts_theorems,
                        &run);
    hsp_data_free(run.scaled);
    return status;
}
