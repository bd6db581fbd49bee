/* A run of a learner that changes its weights on mistakes only, replayed exactly: in the order of
 * the file, pass after pass, or by the sequence of the rows that were updated. */
#include <stdlib.h>

#include "core.h"

static void replay_update(hsv_checker *c, hsv_run *run, const hsv_row *row)
{
    run->update(c, run, row);
    run->total++;
    if (++run->counts[row->number - 1] > run->most) run->most++;
    run->clean = 0;
}

static int replay_order(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static void replay_sequence(hsv_checker *c, const hsv_json *array, hsv_run *run)
{
    size_t *order = hsv_new(c, array->count, sizeof *order);
    size_t *named = hsv_new(c, array->count, sizeof *named);
    size_t count = 0, named_count = 0;
    for (const hsv_json *value = array->child; value; value = value->next)
        named[count] = order[count] = hsv_count(c, value, "sequence"), count++;
    qsort(named, count, sizeof *named, replay_order);
    for (size_t i = 0; i < count; i++)
        if (!i || named[i] != named[i - 1]) named[named_count++] = named[i];
    const hsv_row *rows = hsv_rows_load(c, named, named_count);
    for (size_t i = 0; i < count; i++) {
        const size_t *at = bsearch(order + i, named, named_count, sizeof *named, replay_order);
        if (!run->wrong(c, run, rows + (at - named)))
            hsv_reject(c, "update %zu is of row %zu, which was no mistake then", i + 1, order[i]);
        replay_update(c, run, rows + (at - named));
    }
}

void hsv_replay(hsv_checker *c, const hsv_json *claim, hsv_run *run)
{
    const int sequence = run->sequence = hsv_get_choice(c, claim, "order", "cyclic sequence");
    if (hsv_find(claim, "passes")) run->passes = hsv_get_count(c, claim, "passes");
    if (sequence != (hsv_find(claim, "sequence") != NULL) || (!sequence && !run->passes))
        hsv_unreadable(c, "a run in the order \"cyclic\" has passes, \"sequence\" a sequence");
    run->counts = hsv_new(c, c->data.rows, sizeof *run->counts);
    if (sequence) replay_sequence(c, hsv_get(c, claim, "sequence", HSV_ARRAY), run);
    for (size_t pass = 0; !sequence && pass < run->passes && !run->clean; pass++) {
        run->clean = 1;
        for (const hsv_row *row; (row = hsv_next(c, &c->data));)
            if (run->wrong(c, run, row)) replay_update(c, run, row);
    }
    if (run->total != hsv_get_count(c, claim, "total"))
        hsv_reject(c, "the run makes %zu updates, not as many as certified", run->total);
    if (run->passes && run->most > run->passes)
        hsv_reject(c, "a row was updated %zu times in %zu passes", run->most, run->passes);
    if (!hsv_find(claim, "converged") || !hsv_get_flag(c, claim, "converged")) return;
    for (const hsv_row *row; !run->clean && (row = hsv_next(c, &c->data));)
        if (run->wrong(c, run, row))
            hsv_reject(c, "the run had not converged: row %zu would be updated", row->number);
    hsv_say(c, "mistakes: the run had converged: no row would be updated any more.");
}
