#include "learn/online/online_model.h"
#include "learn/online/resume.h"

#include "base/base.h"
#include "data/convert_storage.h"
#include "learn/kernel/kernel_scores.h"

/* ---- How often each row was used ------------------------------------------------------------- */

/* The ledgers of all runs, ordered by row, then scorer. */
static hsp_status online_model_updates(hsp_context *ctx, const hsp__ovr *ovr, hsp_error *err,
                                       hsp_row_coefficients *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__ledger all = {.ctx = ctx, .memory = *memory}, empty = all;
    int room = 1;
    for (uint32_t c = 0; ovr->count > 1 && room && c < ovr->count; c++) {
        hsp__ledger *one = &ovr->runs[c].kept.ledger;
        room = hsp__ledger_settle(one);
        for (uint64_t i = 0; room && i < one->count; i++)
            room = hsp__ledger_add(&all, one->entries[i].row, c, one->entries[i].amount);
        if (room) hsp__ledger_free(one);
    }
    if (ovr->count == 1) { /* it is all */
        all = ovr->runs[0].kept.ledger;
        ovr->runs[0].kept.ledger = empty;
    }
    uint64_t *row;
    uint32_t *scorer;
    double *amount;
    room = room && hsp__ledger_settle(&all);
    room = hsp__row_coefficients_new(memory, room ? all.count : 0, &row, &scorer, &amount, out) &&
           room;
    for (uint64_t i = 0; room && i < all.count; i++) {
        row[i] = all.entries[i].row;
        scorer[i] = all.entries[i].scorer;
        amount[i] = all.entries[i].amount;
    }
    hsp__ledger_free(&all);
    if (room) return HSP_OK;
    hsp__row_coefficients_free(memory, out);
    return hsp__fail_memory(err);
}

/* ---- Votes ----------------------------------------------------------------------------------- */

/* The rows of all votes: those of the earlier run, then the distinct ones of this run, ascending.
 * places[row] is where, + 1. */
static hsp_status online_model_support(hsp_context *ctx, const hsp__steps *steps, hsp_data *rows,
                                       uint32_t *places, hsp_error *err, hsp_data **out)
{
    const uint64_t earlier = steps->earlier ? hsp_data_rows(steps->earlier) : 0;
    const uint64_t total = earlier + hsp_data_rows(rows);
    uint64_t count = 0;
    hsp_data *own = NULL;
    for (uint64_t i = 0; i < steps->votes_count; i++)
        places[steps->votes[i].row] = 1;
    for (uint64_t i = earlier; i < total; i++)
        count += places[i];
    if (earlier + count >= UINT32_MAX)
        return hsp__fail(err, HSP_BAD_DATA, "too many rows for voting");
    uint64_t *picked = hsp__new_raw(&ctx->allocator, count, sizeof *picked);
    if (!picked) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < earlier; i++)
        places[i] = (uint32_t)i + 1;
    count = 0;
    for (uint64_t i = earlier; i < total; i++) {
        if (!places[i]) continue;
        picked[count++] = i - earlier;
        places[i] = (uint32_t)(earlier + count);
    }
    hsp_status status = hsp_data_select(ctx, rows, picked, count, err, &own);
    hsp__free(&ctx->allocator, picked);
    if (!status && earlier) {
        status = hsp__data_join(ctx, steps->earlier, own, err, out);
        hsp_data_free(own);
    } else if (!status) {
        *out = own;
    }
    return status;
}

/* The sequences of all runs as one, by the example that made a step: one-vs-rest runs see the same
 * examples. NULL: no memory. */
static hsp__steps *online_model_joint_steps(hsp_context *ctx, const hsp__ovr *ovr)
{
    hsp__steps *joint = hsp__new(&ctx->allocator, 1, sizeof *joint);
    uint64_t *next = hsp__new(&ctx->allocator, ovr->count, sizeof *next);
    int sound = joint && next;
    if (joint) joint->memory = ctx->allocator;
    if (joint) joint->earlier = ovr->runs[0].kept.steps->earlier;
    while (sound) {
        uint64_t example = UINT64_MAX;
        for (uint32_t c = 0; c < ovr->count; c++) {
            const hsp__steps *steps = ovr->runs[c].kept.steps;
            if (next[c] < steps->count && steps->marks[next[c]].example < example)
                example = steps->marks[next[c]].example;
        }
        if (example == UINT64_MAX) break;
        sound = hsp__steps_begin(joint, example);
        for (uint32_t c = 0; c < ovr->count; c++) {
            const hsp__steps *steps = ovr->runs[c].kept.steps;
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

static hsp_status online_model_votes(hsp_context *ctx, const hsp__ovr *ovr, hsp_data *rows,
                                     hsp_model *model, hsp_error *err)
{
    const hsp_allocator *memory = &model->memory;
    hsp__votes *votes = hsp__new(memory, 1, sizeof *votes);
    model->hypothesis = HSP__VOTES;
    model->votes = votes; /* freed with the model, whatever happens */
    if (!votes) return hsp__fail_memory(err);
    hsp__steps *joint = ovr->count > 1 ? online_model_joint_steps(ctx, ovr) : NULL;
    if (ovr->count > 1 && !joint) return hsp__fail_memory(err);
    const hsp__steps *steps = joint ? joint : ovr->runs[0].kept.steps;
    votes->apart = ovr->count > 1;
    votes->updates = steps->votes_count;
    votes->steps = steps->count;
    votes->support = hsp__new(memory, votes->updates, sizeof *votes->support);
    votes->scorer = hsp__new(memory, votes->updates, sizeof *votes->scorer);
    votes->amount = hsp__new(memory, votes->updates, sizeof *votes->amount);
    votes->offset = hsp__new(memory, votes->updates, sizeof *votes->offset);
    votes->first = hsp__new(memory, votes->steps + 1, sizeof *votes->first);
    votes->survived = hsp__new(memory, votes->steps, sizeof *votes->survived);
    const uint64_t earlier = steps->earlier ? hsp_data_rows(steps->earlier) : 0;
    uint32_t *places = hsp__new(memory, earlier + hsp_data_rows(rows), sizeof *places);
    hsp_status status = HSP_OK;
    if (!votes->support || !votes->scorer || !votes->amount || !votes->offset || !votes->first ||
        !votes->survived || !places)
        status = hsp__fail_memory(err);
    if (!status) status = online_model_support(ctx, steps, rows, places, err, &votes->rows);
    for (uint64_t i = 0; !status && i < steps->votes_count; i++) {
        const hsp__vote *vote = &steps->votes[i];
        votes->support[i] = places[vote->row] - 1;
        votes->scorer[i] = vote->scorer;
        votes->amount[i] = vote->amount;
        votes->offset[i] = vote->offset;
    }
    uint64_t examples = 0;
    for (uint32_t c = 0; c < ovr->count; c++)
        if (ovr->runs[c].done.examples > examples) examples = ovr->runs[c].done.examples;
    votes->at_zero = steps->count ? steps->marks[0].example - 1 : examples;
    for (uint64_t t = 0; !status && t < steps->count; t++) {
        const uint64_t next = t + 1 < steps->count ? steps->marks[t + 1].example : examples + 1;
        votes->first[t] = steps->marks[t].first;
        votes->survived[t] = next - steps->marks[t].example;
    }
    if (!status) votes->first[steps->count] = steps->votes_count;
    hsp__free(memory, places);
    hsp__steps_free(joint);
    return status;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* The coefficients of the scores: the sum of the amounts by which a row was added; of a mean, less
 * the sum of amount * (examples before) / examples, as weights have it. Both lists are by row, then
 * scorer; so is the result. */
static hsp_status online_model_mean(hsp_context *ctx, const hsp__ovr *ovr,
                                    const hsp_row_coefficients *updates, hsp__ledger *past,
                                    hsp_error *err, hsp_row_coefficients *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    if (!hsp__ledger_settle(past)) return hsp__fail_memory(err);
    const uint64_t room = updates->count + past->count;
    uint64_t *row, count = 0;
    uint32_t *scorer;
    double *amount;
    if (!hsp__row_coefficients_new(memory, room, &row, &scorer, &amount, out))
        return hsp__fail_memory(err);
    for (uint64_t u = 0, p = 0; u < updates->count || p < past->count; count++) {
        const hsp__entry *entry = p < past->count ? &past->entries[p] : NULL;
        const int order = !entry                          ? -1
                          : u == updates->count           ? 1
                          : updates->row[u] != entry->row ? (updates->row[u] < entry->row ? -1 : 1)
                          : updates->scorer[u] != entry->scorer
                              ? (updates->scorer[u] < entry->scorer ? -1 : 1)
                              : 0;
        row[count] = order <= 0 ? updates->row[u] : entry->row;
        scorer[count] = order <= 0 ? updates->scorer[u] : entry->scorer;
        amount[count] = order <= 0 ? updates->amount[u++] : 0;
        if (order < 0) continue;
        uint32_t own;
        amount[count] -=
            entry->amount / (double)hsp__ovr_scorer(ovr, entry->scorer, &own)->done.examples;
        p++;
    }
    out->count = count;
    return HSP_OK;
}

hsp_status hsp__online_model_kernel(hsp__train *train, hsp_context *ctx, const hsp__ovr *ovr,
                                    struct hsp__kernel_scores *kernel, const hsp__model_spec *spec,
                                    hsp_error *err, hsp_model **out)
{
    hsp_data *rows = train->prepared.data;
    hsp_row_coefficients updates = {0}, mean = {0};
    const uint32_t scorers = hsp__ovr_scorers(ovr);
    hsp_model *model = NULL;
    hsp_status status = online_model_updates(ctx, ovr, err, &updates);
    if (!status && ovr->runs[0].kept.steps) { /* a model without weights that votes */
        status = hsp__model_new(ctx, scorers, 0, err, &model);
        if (!status) {
            hsp__free(&model->memory, model->weights);
            model->weights = NULL;
            model->features = hsp_data_cols(rows);
            status = online_model_votes(ctx, ovr, rows, model, err);
        }
        if (!status)
            status =
                hsp__build_model_copy_kernel(ctx, train->kernel.kernel, err, &model->votes->kernel);
    } else if (!status) {
        status = online_model_mean(ctx, ovr, &updates, hsp__kernel_scores_past(kernel), err, &mean);
        if (!status)
            status = hsp__build_model_expansion(ctx, train, scorers, &mean, 0, err, &model);
        hsp__row_coefficients_free(&ctx->allocator, &mean);
    }
    if (status) hsp__row_coefficients_free(&ctx->allocator, &updates);
    if (!status) model->updates = updates;
    for (uint32_t c = 0; !status && c < scorers; c++) {
        uint32_t scorer;
        double none[1];
        const hsp__online *run = hsp__ovr_scorer(ovr, c, &scorer);
        hsp__online_result(run, scorer, none, &model->offsets[c]);
    }
    if (!status) status = hsp__build_model_fill(ctx, spec, model, err);
    if (!status) status = hsp__build_model_collapse(ctx, &model, err);
    if (!status) status = hsp__build_model_end(spec, model, err);
    if (status) hsp_model_free(model);
    if (!status) *out = model;
    return status;
}

hsp_status hsp__online_model(hsp_context *ctx, const hsp__ovr *ovr, const uint32_t *from, int flip,
                             hsp_data *rows, const hsp__model_spec *spec, hsp_error *err,
                             hsp_model **out)
{
    int (*power)(const hsp__online *run) = ovr->runs[0].rule->power;
    int most = 0;
    hsp_model *model = NULL;
    HSP__TRY(hsp__build_model_begin(ctx, spec, hsp__ovr_scorers(ovr), ovr->runs[0].sep.features,
                                    err, &model));
    for (uint32_t c = 0; power && c < ovr->count; c++)
        if (power(&ovr->runs[c]) > most) most = power(&ovr->runs[c]);
    for (uint32_t c = 0; c < model->scorers; c++) {
        uint32_t scorer;
        const hsp__online *run = hsp__ovr_scorer(ovr, from ? from[c] : c, &scorer);
        double *w = model->weights + c * model->features;
        hsp__online_result(run, scorer, w, &model->offsets[c]);
        /* Runs whose weights were divided by a smaller power of two than the ovr's largest follow
         * it, so that scores can be compared. */
        const int shrink = power ? most - power(run) : 0;
        for (uint64_t j = 0; shrink && j < model->features; j++)
            w[j] = ldexp(w[j], -shrink);
        if (shrink) model->offsets[c] = ldexp(model->offsets[c], -shrink);
        if (!flip) continue;
        for (uint64_t j = 0; j < model->features; j++)
            w[j] = 0 - w[j]; /* keeps zeros positive, as if it had been class 1 */
        model->offsets[c] = 0 - model->offsets[c];
    }
    hsp_status status = hsp__resume_keep(ovr, from, flip, model, err);
    if (!status && ovr->runs[0].kept.keep_ledger)
        status = online_model_updates(ctx, ovr, err, &model->updates);
    if (!status && ovr->runs[0].kept.steps) status = online_model_votes(ctx, ovr, rows, model, err);
    if (!status) status = hsp__build_model_end(spec, model, err);
    if (status) hsp_model_free(model);
    if (!status) *out = model;
    return status;
}
