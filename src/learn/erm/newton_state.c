/* The second-order solver's state in a checkpoint (learn/checkpoint.h): everything that its next steps
 * depend on. Its samples are solved again, for they are small. */
#include "base/base.h"
#include "learn/erm/newton_run.h"

/* An array of a number for each row that may not be there. */
static void newton_state_array(hsp__state *state, hsp__newton *s, double **array)
{
    uint8_t there = *array != NULL;
    HSP__STATE(state, there);
    if (state->loading && there && !*array) {
        *array = hsp__scratch_raw(&s->scratch, s->n, sizeof **array);
        state->failed |= !*array;
    }
    if (there && *array) hsp__state_rows(state, *array, s->n, sizeof **array);
}

static void newton_state_rows(hsp__state *state, hsp__newton *s)
{
    const int was = s->by_matrix;
    HSP__STATE(state, s->by_matrix);
    if (state->loading && was && !s->by_matrix) {
        s->sums = hsp__scratch_raw(&s->scratch, s->parts * s->dim, sizeof *s->sums);
        state->failed |= !s->sums;
    }
    hsp__state_expect(state, was || !s->by_matrix);
    HSP__STATE(state, s->ridge);
    HSP__STATE(state, s->offset_ridge);
    HSP__STATE(state, s->tau);
    HSP__STATE(state, s->damping);
    HSP__STATE(state, s->now);
    hsp__state_expect(state, s->now.active <= s->all && s->now.turned <= s->all);
    HSP__STATE(state, s->passes);
    HSP__STATE(state, s->updates);
    hsp__state_bytes(state, s->w, s->dim * sizeof *s->w);
    hsp__state_bytes(state, s->u, s->dim * sizeof *s->u);
    hsp__state_rows(state, s->score, s->n, sizeof *s->score);
    hsp__state_rows(state, s->a, s->n, sizeof *s->a);
    if (s->curved) hsp__state_rows(state, s->curved, s->n, sizeof *s->curved);
    if (hsp__hessian_is_direct(s->dim))
        hsp__state_bytes(state, s->spread, s->d * sizeof *s->spread);
    newton_state_array(state, s, &s->anchor);
}

static void newton_state(hsp__state *state, void *user)
{
    newton_run *run = user;
    hsp__newton *s = run->s;
    newton_state_rows(state, s);
    hsp__hessian_state(state, s);
    HSP__STATE(state, run->wanted);
    HSP__STATE(state, run->follow_tau);
    HSP__STATE(state, run->own_multipliers);
    HSP__STATE(state, run->lowest.value);
    hsp__state_bytes(state, run->lowest.w, s->dim * sizeof *run->lowest.w);
    HSP__STATE(state, run->best.in_place);
    HSP__STATE(state, run->best.values);
    hsp__state_bytes(state, run->best.w, s->dim * sizeof *run->best.w);
    newton_state_array(state, s, &run->best.a);
    HSP__STATE(state, run->nearest);
    HSP__STATE(state, run->shorts);
    HSP__STATE(state, run->sheds);
    HSP__STATE(state, run->interior);
    HSP__STATE(state, run->tried);
    HSP__STATE(state, run->reached);
    HSP__STATE(state, run->steps);
    HSP__STATE(state, run->last);
    HSP__STATE(state, run->stalls);
    HSP__STATE(state, run->minimised);
}

hsp_status hsp__newton_save(newton_run *run)
{
    hsp__newton *s = run->s;
    if (run->sample) return HSP_OK;
    return hsp__checkpoint_save(s->ctx, run->goal->place, newton_state, run, run->err);
}

hsp_status hsp__newton_load(newton_run *run)
{
    return hsp__checkpoint_load(run->s->ctx, run->goal->place, newton_state, run, run->err,
                                &run->resumed);
}
