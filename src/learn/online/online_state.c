/* The state of a run, for checkpoints (learn/checkpoint.h). */
#include "base/base.h"
#include "learn/online/online.h"

typedef struct online_saved {
    hsp__online *run;
    uint64_t rows;
} online_saved;

static void online_state_growth(hsp__state *state, hsp__online_growth *growth)
{
    HSP__STATE(state, growth->drift);
    HSP__STATE(state, growth->past_drift);
}

static void online_state_done(hsp__state *state, hsp__online_progress *done)
{
    HSP__STATE(state, done->examples);
    HSP__STATE(state, done->updates);
    HSP__STATE(state, done->passes);
    HSP__STATE(state, done->at);
    HSP__STATE(state, done->mistakes);
    HSP__STATE(state, done->first_seen);
    HSP__STATE(state, done->first_wrong);
    HSP__STATE(state, done->first_zero);
    HSP__STATE(state, done->stopped);
    HSP__STATE(state, done->stop);
    hsp__state_expect(state, (unsigned)done->stop <= HSP_STOP_INSEPARABLE);
}

/* Rows and scorers that are loaded must be there. */
static void online_state_records(hsp__state *state, hsp__online *run, uint64_t rows)
{
    hsp__ledger *ledger = &run->kept.ledger;
    hsp__steps *steps = run->kept.steps;
    hsp__state_list(state, &ledger->memory, &ledger->entries, &ledger->count, &ledger->room,
                    sizeof *ledger->entries);
    for (uint64_t k = 0; state->loading && k < ledger->count; k++)
        hsp__state_expect(state, ledger->entries[k].row < rows &&
                                     ledger->entries[k].scorer < run->sep.scorers);
    if (!steps) return;
    const uint64_t earlier = steps->earlier ? hsp_data_rows(steps->earlier) : 0;
    hsp__state_list(state, &steps->memory, &steps->votes, &steps->votes_count, &steps->votes_room,
                    sizeof *steps->votes);
    hsp__state_list(state, &steps->memory, &steps->marks, &steps->count, &steps->room,
                    sizeof *steps->marks);
    for (uint64_t k = 0; state->loading && k < steps->votes_count; k++)
        hsp__state_expect(state, steps->votes[k].row < earlier + rows &&
                                     steps->votes[k].scorer < run->sep.scorers);
    for (uint64_t k = 0; state->loading && k < steps->count; k++)
        hsp__state_expect(state, steps->marks[k].first <= steps->votes_count &&
                                     (!k || steps->marks[k].first >= steps->marks[k - 1].first) &&
                                     steps->marks[k].example <= run->done.examples &&
                                     (!k || steps->marks[k].example > steps->marks[k - 1].example));
}

void hsp__online_state(hsp__state *state, hsp__online *run, uint64_t rows)
{
    hsp__online_separators *sep = &run->sep;
    const uint64_t numbers = sep->scorers * sep->stride;
    online_state_done(state, &run->done);
    online_state_growth(state, &run->mistake.growth);
    hsp__state_expect(state, run->done.at < rows);
    hsp__state_bytes(state, sep->weights, numbers * sizeof *sep->weights);
    hsp__state_bytes(state, sep->offsets, sep->scorers * sizeof *sep->offsets);
    if (sep->past) {
        hsp__state_bytes(state, sep->past, numbers * sizeof *sep->past);
        hsp__state_bytes(state, sep->past_offsets, sep->scorers * sizeof *sep->past_offsets);
    }
    if (run->mistake.extra)
        hsp__state_bytes(state, run->mistake.extra, rows * sizeof *run->mistake.extra);
    if (run->rule->state) run->rule->state(run, state);
    online_state_records(state, run, rows);
}

static void online_state(hsp__state *state, void *user)
{
    const online_saved *saved = user;
    hsp__online_state(state, saved->run, saved->rows);
}

hsp_status hsp__online_load(hsp__online *run, uint64_t rows, hsp_error *err)
{
    online_saved saved = {run, rows};
    int found;
    return hsp__checkpoint_load(run->ctx, &run->place, online_state, &saved, err, &found);
}

hsp_status hsp__online_save(hsp__online *run, uint64_t rows, hsp_error *err)
{
    online_saved saved = {run, rows};
    return hsp__checkpoint_save(run->ctx, &run->place, online_state, &saved, err);
}

hsp_status hsp__online_keep(hsp__online *run, uint64_t rows, hsp_error *err)
{
    online_saved saved = {run, rows};
    return hsp__checkpoint_keep(run->ctx, &run->place, online_state, &saved, err);
}
