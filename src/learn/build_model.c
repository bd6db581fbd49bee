#include "learn/build_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/options.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/formats.h"

/* ---- Facts ----------------------------------------------------------------------------------- */

static void build_model_put_option(hsp__text *text, const hsp_options *options,
                                   const hsp_option *option)
{
    const char *value;
    const int number = option->type == HSP_OPTION_INTEGER || option->type == HSP_OPTION_REAL;
    if (number && !option->fallback && !hsp_options_is_set(options, option->name)) {
        hsp__text_puts(text, "null");
        return;
    }
    switch (option->type) {
    case HSP_OPTION_FLAG:
        hsp__text_puts(text, hsp_options_flag(options, option->name) ? "true" : "false");
        return;
    case HSP_OPTION_INTEGER:
        value = hsp__option_word(option, hsp_options_integer(options, option->name));
        if (value)
            hsp__json_put_string(text, value, strlen(value));
        else
            hsp__text_printf(text, "%lld", (long long)hsp_options_integer(options, option->name));
        return;
    case HSP_OPTION_REAL:
        hsp__json_put_number(text, hsp_options_real(options, option->name));
        return;
    case HSP_OPTION_CHOICE:
    case HSP_OPTION_TEXT:
        value = hsp_options_text(options, option->name);
        if (value)
            hsp__json_put_string(text, value, strlen(value));
        else
            hsp__text_puts(text, "null");
        return;
    case HSP_OPTION_LIST:
        hsp__text_puts(text, "[");
        for (size_t i = 0; i < hsp_options_list_count(options, option->name); i++) {
            value = hsp_options_list_item(options, option->name, i);
            if (i) hsp__text_puts(text, ",");
            hsp__json_put_string(text, value, strlen(value));
        }
        hsp__text_puts(text, "]");
        return;
    }
}

/* Every option of the learner's table with its value. */
hsp_status hsp__build_model_options(hsp_context *ctx, const hsp_options *options, hsp_model *model,
                                    hsp_error *err)
{
    const hsp_option_table *table = hsp_options_table(options);
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->options[i].name;
        hsp__text_puts(&text, i ? "," : "{");
        hsp__json_put_string(&text, name, strlen(name));
        hsp__text_puts(&text, ":");
        build_model_put_option(&text, options, &table->options[i]);
    }
    hsp__text_puts(&text, "}");
    hsp_status status = text.failed ? hsp__fail_memory(err)
                                    : hsp__model_set_metadata(model, "options", text.data, err);
    hsp__text_free(&text);
    return status;
}

static hsp_status build_model_count(hsp_model *model, const char *name, uint64_t value,
                                    hsp_error *err)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_u64(value, text);
    return hsp__model_set_metadata(model, name, text, err);
}

static hsp_status build_model_real(hsp_model *model, const char *name, double value, hsp_error *err)
{
    char text[HSP__DECIMAL_MAX];
    if (!isfinite(value)) return HSP_OK;
    hsp__decimal_print_f64(value, text);
    return hsp__model_set_metadata(model, name, text, err);
}

/* How near to the best it is, of learners that minimise. */
static hsp_status build_model_optimum(const hsp_convergence *optimum, hsp_model *model,
                                      hsp_error *err)
{
    hsp_status status = hsp__model_set_metadata(model, "solver", optimum->solver, err);
    if (!status) status = build_model_real(model, "lambda", optimum->lambda, err);
    if (!status) status = build_model_real(model, "C", optimum->C, err);
    if (!status) status = build_model_real(model, "objective", optimum->objective, err);
    if (!status) status = build_model_real(model, "dual_objective", optimum->dual_objective, err);
    if (!status) status = build_model_real(model, "gap", optimum->gap, err);
    if (!status && optimum->support_vectors != UINT64_MAX)
        status = build_model_count(model, "support_vectors", optimum->support_vectors, err);
    return status;
}

/* How a panel of experts did, for audits. */
static hsp_status build_model_panel(const hsp_experts_report *panel, hsp_model *model,
                                    hsp_error *err)
{
    hsp_status status = build_model_count(model, "experts", panel->experts, err);
    if (!status) status = build_model_count(model, "examples", panel->examples, err);
    if (status || panel->several) return status;
    status = build_model_count(model, "mistakes", panel->mistakes, err);
    if (!status && panel->randomized)
        status = build_model_real(model, "expected_mistakes", panel->expected, err);
    if (!status) status = build_model_count(model, "best_column", panel->best, err);
    if (!status)
        status =
            hsp__model_set_metadata(model, "best_negated", panel->negated ? "true" : "false", err);
    if (!status) status = build_model_real(model, "best_mistakes", panel->best_mistakes, err);
    if (!status) status = build_model_real(model, "mistake_bound", panel->bound, err);
    return status;
}

static hsp_status build_model_facts(hsp_context *ctx, const hsp__model_spec *outcome,
                                    hsp_model *model, hsp_error *err)
{
    const hsp_training *run = outcome->run;
    const int minimises = run->optimum.solver != NULL;
    const int converged = run->stop == HSP_STOP_CONVERGED;
    hsp_status status =
        hsp__model_set_metadata(model, "learner", outcome->learner->table.name, err);
    if (!status) status = hsp__build_model_options(ctx, outcome->options, model, err);
    if (!status) status = build_model_count(model, "seed", outcome->seed, err);
    if (!status) status = build_model_count(model, "passes", run->passes, err);
    if (!status) status = build_model_count(model, "updates", run->updates, err);
    if (!status && !minimises)
        status = build_model_count(model, "mistakes_last_pass", run->mistakes_last_pass, err);
    if (!status)
        status = hsp__model_set_metadata(model, "converged", converged ? "true" : "false", err);
    if (!status) status = hsp__model_set_metadata(model, "stop", hsp_stop_name(run->stop), err);
    if (!status && minimises) status = build_model_optimum(&run->optimum, model, err);
    if (!status && run->panel.experts) status = build_model_panel(&run->panel, model, err);
    if (!status) status = build_model_real(model, "radius", run->radius, err);
    if (!status) status = build_model_real(model, "progressive_error", run->progressive_error, err);
    if (!status) status = build_model_count(model, "data_rows", run->rows, err);
    if (!status && outcome->data_hash)
        status = hsp__model_set_metadata(model, "data_hash", outcome->data_hash, err);
    if (!status)
        status = hsp__model_set_metadata(
            model, "precision", outcome->precision == HSP_FLOAT64 ? "double" : "single", err);
    if (!status && outcome->index_base)
        status = hsp__model_set_metadata(model, "index_base", outcome->index_base, err);
    if (!status) status = hsp__model_set_metadata(model, "version", hsp_version(), err);
    return status;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* Runs whose weights were divided by other powers of two than the team's largest follow it, so that
 * scores can be compared. */
static int build_model_power(const hsp__ovr *team)
{
    int most = team->runs[0].power;
    for (uint32_t c = 1; c < team->count; c++)
        if (team->runs[c].power > most) most = team->runs[c].power;
    return most;
}

static void build_model_shrink(hsp_model *model, uint32_t c, int power)
{
    for (uint64_t j = 0; j < model->features; j++)
        model->weights[c * model->features + j] =
            ldexp(model->weights[c * model->features + j], -power);
    model->offsets[c] = ldexp(model->offsets[c], -power);
}

static void build_model_weights(const hsp__ovr *team, const hsp__model_spec *outcome,
                                hsp_model *model)
{
    const int power = build_model_power(team);
    for (uint32_t c = 0; c < model->scorers; c++) {
        uint32_t scorer;
        const hsp__online *run =
            hsp__ovr_scorer(team, outcome->from ? outcome->from[c] : c, &scorer);
        double *w = model->weights + c * model->features;
        hsp__online_result(run, scorer, w, &model->offsets[c]);
        if (run->power < power) build_model_shrink(model, c, power - run->power);
        if (!outcome->flip) continue;
        for (uint64_t j = 0; j < model->features; j++)
            w[j] = 0 - w[j]; /* keeps zeros positive, as if it had been class 1 */
        model->offsets[c] = 0 - model->offsets[c];
    }
}

/* ---- How often each row was used ------------------------------------------------------------- */

/* Gather the ledgers of all runs, ordered by row, then scorer. */
static hsp_status build_model_gather(hsp_context *ctx, const hsp__ovr *team, hsp__ledger *all,
                                     hsp_error *err)
{
    hsp__ledger_init(all, ctx);
    if (team->count == 1) { /* it is all */
        hsp__ledger *one = &team->runs[0].ledger;
        *all = *one;
        *one = (hsp__ledger){.ctx = all->ctx, .memory = all->memory};
    }
    for (uint32_t c = 0; team->count > 1 && c < team->count; c++) {
        hsp__ledger *one = &team->runs[c].ledger;
        if (!hsp__ledger_settle(one)) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < one->count; i++) {
            const hsp__entry *entry = &one->entries[i];
            if (!hsp__ledger_add(all, entry->row, c, entry->amount)) return hsp__fail_memory(err);
        }
        hsp__ledger_free(one);
    }
    return hsp__ledger_settle(all) ? HSP_OK : hsp__fail_memory(err);
}

hsp_status hsp__build_model_updates(hsp_context *ctx, const hsp__ovr *team, hsp_model *model,
                                    hsp_error *err)
{
    hsp__ledger all;
    hsp_status status = build_model_gather(ctx, team, &all, err);
    const uint64_t count = status ? 0 : all.count;
    uint64_t *row = hsp__new_raw(&model->memory, count, sizeof *row);
    uint32_t *scorer = hsp__new_raw(&model->memory, count, sizeof *scorer);
    double *amount = hsp__new_raw(&model->memory, count, sizeof *amount);
    if (!status && !(row && scorer && amount)) status = hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < count; i++) {
        row[i] = all.entries[i].row;
        scorer[i] = all.entries[i].scorer;
        amount[i] = all.entries[i].amount;
    }
    hsp__ledger_free(&all);
    if (!status) {
        model->updates = (hsp_row_coefficients){count, row, scorer, amount};
        return HSP_OK;
    }
    hsp__free(&model->memory, row);
    hsp__free(&model->memory, scorer);
    hsp__free(&model->memory, amount);
    return status;
}

/* ---- Votes ----------------------------------------------------------------------------------- */

/* The distinct rows of all votes, ascending: places[row] is where, + 1. */
static hsp_status build_model_support(hsp_context *ctx, const hsp__steps *steps, hsp_data *rows,
                                      uint32_t *places, hsp_error *err, hsp_data **out)
{
    uint64_t count = 0, total = hsp_data_rows(rows);
    for (uint64_t i = 0; i < steps->votes_count; i++)
        places[steps->votes[i].row] = 1;
    for (uint64_t i = 0; i < total; i++)
        count += places[i];
    if (count >= UINT32_MAX) return hsp__fail(err, HSP_BAD_DATA, "too many rows for voting");
    uint64_t *picked = hsp__new_raw(&ctx->allocator, count, sizeof *picked);
    if (!picked) return hsp__fail_memory(err);
    count = 0;
    for (uint64_t i = 0; i < total; i++) {
        if (!places[i]) continue;
        picked[count++] = i;
        places[i] = (uint32_t)count;
    }
    hsp_status status = hsp_data_select(ctx, rows, picked, count, err, out);
    hsp__free(&ctx->allocator, picked);
    return status;
}

/* The sequences of all runs as one, by the example that made a step: one-vs-rest runs see the same
 * examples. NULL: no memory. */
static hsp__steps *build_model_joint_steps(hsp_context *ctx, const hsp__ovr *team)
{
    hsp__steps *joint = hsp__new(&ctx->allocator, 1, sizeof *joint);
    uint64_t *next = hsp__new(&ctx->allocator, team->count, sizeof *next);
    int sound = joint && next;
    if (joint) joint->memory = ctx->allocator;
    while (sound) {
        uint64_t example = UINT64_MAX;
        for (uint32_t c = 0; c < team->count; c++) {
            const hsp__steps *steps = team->runs[c].steps;
            if (next[c] < steps->count && steps->marks[next[c]].example < example)
                example = steps->marks[next[c]].example;
        }
        if (example == UINT64_MAX) break;
        sound = hsp__steps_begin(joint, example);
        for (uint32_t c = 0; c < team->count; c++) {
            const hsp__steps *steps = team->runs[c].steps;
            if (next[c] == steps->count || steps->marks[next[c]].example != example) continue;
            const uint64_t first = steps->marks[next[c]++].first;
            const uint64_t end =
                next[c] < steps->count ? steps->marks[next[c]].first : steps->votes_count;
            for (const hsp__vote *v = steps->votes + first; sound && v < steps->votes + end; v++)
                sound = hsp__steps_add(joint, v->row, c, v->amount, v->offset);
        }
    }
    hsp__free(&ctx->allocator, next);
    if (sound) return joint;
    hsp__steps_free(joint);
    return NULL;
}

static void build_model_fill_votes(const hsp__steps *steps, uint64_t examples,
                                   const uint32_t *places, hsp__votes *votes)
{
    for (uint64_t i = 0; i < steps->votes_count; i++) {
        const hsp__vote *vote = &steps->votes[i];
        votes->support[i] = places[vote->row] - 1;
        votes->scorer[i] = vote->scorer;
        votes->amount[i] = vote->amount;
        votes->offset[i] = vote->offset;
    }
    votes->at_zero = steps->count ? steps->marks[0].example - 1 : examples;
    for (uint64_t t = 0; t < steps->count; t++) {
        const uint64_t next = t + 1 < steps->count ? steps->marks[t + 1].example : examples + 1;
        votes->first[t] = steps->marks[t].first;
        votes->survived[t] = next - steps->marks[t].example;
    }
    votes->first[steps->count] = steps->votes_count;
}

static hsp_status build_model_make_votes(hsp_context *ctx, const hsp__steps *steps,
                                         uint64_t examples, hsp_data *rows, hsp__votes *votes,
                                         hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    votes->updates = steps->votes_count;
    votes->steps = steps->count;
    votes->support = hsp__new(memory, votes->updates, sizeof *votes->support);
    votes->scorer = hsp__new(memory, votes->updates, sizeof *votes->scorer);
    votes->amount = hsp__new(memory, votes->updates, sizeof *votes->amount);
    votes->offset = hsp__new(memory, votes->updates, sizeof *votes->offset);
    votes->first = hsp__new(memory, votes->steps + 1, sizeof *votes->first);
    votes->survived = hsp__new(memory, votes->steps, sizeof *votes->survived);
    uint32_t *places = hsp__new(memory, hsp_data_rows(rows), sizeof *places);
    hsp_status status = HSP_OK;
    if (!votes->support || !votes->scorer || !votes->amount || !votes->offset || !votes->first ||
        !votes->survived || !places)
        status = hsp__fail_memory(err);
    if (!status) status = build_model_support(ctx, steps, rows, places, err, &votes->rows);
    if (!status) build_model_fill_votes(steps, examples, places, votes);
    hsp__free(memory, places);
    return status;
}

hsp_status hsp__build_model_votes(hsp_context *ctx, const hsp__ovr *team, hsp_data *rows,
                                  hsp_model *model, hsp_error *err)
{
    hsp__steps *joint = team->count > 1 ? build_model_joint_steps(ctx, team) : NULL;
    if (team->count > 1 && !joint) return hsp__fail_memory(err);
    uint64_t examples = 0;
    for (uint32_t c = 0; c < team->count; c++)
        if (team->runs[c].examples > examples) examples = team->runs[c].examples;
    hsp_status status = HSP_OK;
    hsp__votes *votes = hsp__new(&model->memory, 1, sizeof *votes);
    model->hypothesis = HSP__VOTES;
    model->votes = votes; /* freed with the model, whatever happens */
    if (votes) votes->apart = team->count > 1;
    status = votes ? build_model_make_votes(ctx, joint ? joint : team->runs[0].steps, examples,
                                            rows, votes, err)
                   : hsp__fail_memory(err);
    hsp__steps_free(joint);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

hsp_status hsp__build_model_fill(hsp_context *ctx, const hsp__model_spec *outcome, hsp_model *model,
                                 hsp_error *err)
{
    model->tie = outcome->tie;
    model->order = hsp__order_of(outcome->storage);
    model->rest = outcome->rest;
    model->leaves_out = outcome->leaves_out;
    if (!hsp__names_copy(&model->class_names, outcome->class_names) ||
        (outcome->feature_names && !hsp__names_copy(&model->feature_names, outcome->feature_names)))
        return hsp__fail_memory(err);
    hsp_status status = HSP_OK;
    if (outcome->encoding)
        status = hsp__encoding_copy(&model->memory, outcome->encoding, err, &model->encoding);
    return status ? status : build_model_facts(ctx, outcome, model, err);
}

hsp__model_spec hsp__model_spec_of(const hsp__learner *learner, const hsp_options *options,
                                   hsp__prepared *prepared, const char *data_hash,
                                   const hsp_training *run)
{
    return (hsp__model_spec){.learner = learner,
                             .options = options,
                             .class_names = &prepared->data->class_names,
                             .feature_names = &prepared->data->feature_names,
                             .encoding = prepared->data->encoding,
                             .scalings = prepared->scalings,
                             .rest = prepared->rest,
                             .leaves_out = prepared->leaves_out,
                             .storage = prepared->view->storage,
                             .precision = prepared->view->precision,
                             .index_base = prepared->data->index_base,
                             .data_hash = data_hash,
                             .run = run};
}

hsp_status hsp__build_model_begin(hsp_context *ctx, const hsp__model_spec *outcome,
                                  uint32_t scorers, uint64_t features, hsp_error *err,
                                  hsp_model **out)
{
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(ctx, scorers, features, err, &model);
    if (status) return status;
    status = hsp__build_model_fill(ctx, outcome, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

hsp_status hsp__build_model_end(const hsp__model_spec *outcome, hsp_model *model, hsp_error *err)
{
    int finite = 1;
    for (uint32_t c = 0; c < model->scorers; c++)
        finite &= isfinite(model->offsets[c]) != 0;
    for (uint64_t j = 0; model->weights && j < model->scorers * model->features; j++)
        finite &= isfinite(model->weights[j]) != 0;
    if (!finite)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the weights overflow; scale the data (--scale or --normalize)");
    for (int i = 0; outcome->scalings && i < HSP__MODEL_SCALINGS; i++) {
        model->scalings[i] = outcome->scalings[i];
        outcome->scalings[i] = NULL;
    }
    return HSP_OK;
}

hsp_status hsp__build_model_online(hsp_context *ctx, const hsp__ovr *team, hsp__model_spec *outcome,
                                   hsp_error *err, hsp_model **out)
{
    hsp_model *model = NULL;
    outcome->tie = team->plan.tie;
    outcome->seed = team->plan.seed;
    hsp_status status = hsp__build_model_begin(ctx, outcome, hsp__ovr_scorers(team),
                                               team->runs[0].features, err, &model);
    if (status) return status;
    build_model_weights(team, outcome, model);
    if (team->runs[0].keep_ledger) status = hsp__build_model_updates(ctx, team, model, err);
    if (!status && team->runs[0].steps)
        status = hsp__build_model_votes(ctx, team, outcome->rows, model, err);
    if (!status) status = hsp__build_model_end(outcome, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}
