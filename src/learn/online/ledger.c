#include "learn/online/ledger.h"

#include "base/base.h"

#define LEDGER_LEAST 1024
#define LEDGER_TICK  4096 /* entries between two ticks */

void hsp__ledger_init(hsp__ledger *ledger, hsp_context *ctx)
{
    *ledger = (hsp__ledger){.ctx = ctx, .memory = ctx->allocator};
}

void hsp__ledger_free(hsp__ledger *ledger)
{
    if (ledger->entries) hsp__free(&ledger->memory, ledger->entries);
    ledger->entries = NULL;
    ledger->count = ledger->room = 0;
}

static int ledger_before(const hsp__entry *a, const hsp__entry *b)
{
    return a->row < b->row || (a->row == b->row && a->scorer < b->scorer);
}

/* The end of the ascending run that starts at `from`. */
static uint64_t ledger_run(const hsp__entry *entries, uint64_t from, uint64_t count)
{
    assert(from < count);
    uint64_t to = from + 1;
    while (to < count && !ledger_before(&entries[to], &entries[to - 1]))
        to++;
    return to < count ? to : count;
}

int hsp__ledger_settle(hsp__ledger *ledger)
{
    const uint64_t count = ledger->count;
    hsp__entry *from = ledger->entries;
    /* Merge neighbouring ascending runs, stable, until one is left: passes in the order of the rows
     * leave few of them. */
    if (count && ledger_run(from, 0, count) < count) {
        hsp__entry *to = hsp__new_raw(&ledger->memory, ledger->room, sizeof *to);
        if (!to) return 0;
        for (uint64_t runs = 2; runs > 1;) {
            runs = 0;
            for (uint64_t a = 0, end; a < count; a = end, runs++) {
                const uint64_t b = ledger_run(from, a, count);
                end = b < count ? ledger_run(from, b, count) : count;
                for (uint64_t i = a, j = b, k = a; k < end; k++) {
                    if (k % LEDGER_TICK == 0) hsp__tick(ledger->ctx);
                    const int first = j >= end || (i < b && !ledger_before(&from[j], &from[i]));
                    to[k] = first ? from[i++] : from[j++];
                }
            }
            hsp__entry *swap = from;
            from = to;
            to = swap;
        }
        ledger->entries = from;
        hsp__free(&ledger->memory, to);
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count;) {
        hsp__entry sum = from[i++];
        while (i < count && from[i].row == sum.row && from[i].scorer == sum.scorer)
            sum.amount += from[i++].amount;
        if (sum.amount != 0) from[kept++] = sum;
        assert(kept <= i);
    }
    ledger->count = kept;
    return 1;
}

int hsp__ledger_add(hsp__ledger *ledger, uint64_t row, uint32_t scorer, double amount)
{
    if (ledger->count == ledger->room) { /* merge; grow where that leaves little room */
        if (ledger->room && !hsp__ledger_settle(ledger)) return 0;
        if (ledger->count >= ledger->room / 2) {
            const uint64_t room = ledger->room ? ledger->room * 2 : LEDGER_LEAST;
            void *entries =
                hsp__resize(&ledger->memory, ledger->entries, room, sizeof *ledger->entries);
            if (!entries) return 0;
            ledger->entries = entries;
            ledger->room = room;
        }
    }
    assert(ledger->count < ledger->room);
    ledger->entries[ledger->count++] = (hsp__entry){row, amount, scorer};
    return 1;
}

void hsp__steps_free(hsp__steps *steps)
{
    if (!steps) return;
    hsp_allocator memory = steps->memory;
    hsp__free(&memory, steps->votes);
    hsp__free(&memory, steps->marks);
    hsp__free(&memory, steps);
}

int hsp__steps_begin(hsp__steps *steps, uint64_t example)
{
    if (!hsp__reserve(&steps->memory, &steps->marks, &steps->room, steps->count + 1,
                      sizeof *steps->marks))
        return 0;
    steps->marks[steps->count++] = (hsp__step_mark){steps->votes_count, example};
    return 1;
}

int hsp__steps_add(hsp__steps *steps, uint64_t row, uint32_t scorer, double amount, double offset)
{
    if (!hsp__reserve(&steps->memory, &steps->votes, &steps->votes_room, steps->votes_count + 1,
                      sizeof *steps->votes))
        return 0;
    steps->votes[steps->votes_count++] = (hsp__vote){row, amount, offset, scorer};
    return 1;
}
