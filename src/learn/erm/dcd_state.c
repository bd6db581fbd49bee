/* Dual coordinate descent: the state at the head of a pass, for checkpoints (learn/checkpoint.h). */
#include "base/base.h"
#include "learn/erm/dcd.h"

void hsp__dcd_state(hsp__state *state, void *user)
{
    hsp__dcd *m = user;
    hsp__solution *s = m->s;
    const uint64_t blocks = m->blocks;
    HSP__STATE(state, m->blocks);
    if (m->blocks != blocks) state->differs = "limit of memory";
    m->blocks = blocks;
    if (state->differs) return;
    for (uint64_t i = 0; i < m->n; i++) {
        HSP__STATE(state, m->rows[i].a);
        HSP__STATE(state, m->rows[i].skip);
        hsp__state_expect(state, m->rows[i].a >= 0 &&
                                     m->rows[i].a <=
                                         hsp__loss_cap(m->p->loss, hsp__problem_cost(m->p, i)));
    }
    if (m->z) hsp__state_bytes(state, m->z, m->n * sizeof *m->z);
    hsp__state_bytes(state, m->w, m->d * sizeof *m->w);
    hsp__state_bytes(state, m->bundles, m->count * sizeof *m->bundles);
    for (uint64_t k = 0; state->loading && k < m->count; k++)
        hsp__state_expect(state, m->bundles[k] < m->count);
    hsp__state_bytes(state, m->order, m->blocks * sizeof *m->order);
    for (uint64_t k = 0; state->loading && k < m->blocks; k++)
        hsp__state_expect(state, m->order[k] < m->blocks);
    HSP__STATE(state, m->parallel);
    HSP__STATE(state, m->rounds);
    hsp__state_expect(state,
                      m->parallel == 1 || (m->parallel == HSP__DCD_PARALLEL && m->copies[0]));
    hsp__state_expect(state, m->rounds > 0 && m->rounds <= m->count);
    HSP__STATE(state, m->random);
    HSP__STATE(state, m->t);
    HSP__STATE(state, m->conjugate);
    HSP__STATE(state, m->offset);
    hsp__state_expect(state, m->offset.slope >= 0);
    HSP__STATE(state, m->progress);
    HSP__STATE(state, m->mean_step);
    HSP__STATE(state, m->shrink_threshold);
    HSP__STATE(state, m->skip_threshold);
    /* the best so far; what is known of it is computed again */
    if (state->loading) s->known = 0;
    hsp__state_bytes(state, s->w, m->d * sizeof *s->w);
    hsp__state_bytes(state, s->dual, m->n * sizeof *s->dual);
    HSP__STATE(state, s->b);
    HSP__STATE(state, s->primal);
    HSP__STATE(state, s->dual_value);
    HSP__STATE(state, s->gap);
    HSP__STATE(state, s->passes);
    HSP__STATE(state, s->updates);
}
