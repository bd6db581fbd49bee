#include "learn/online/ledger.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"

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

static void ledger_merge(hsp_context *ctx, const hsp__entry *from, uint64_t a, uint64_t b,
                         uint64_t end, hsp__entry *to)
{
    assert(a <= b && b <= end);
    uint64_t i = a, j = b;
    for (uint64_t k = a; k < end; k++) {
        if (k % LEDGER_TICK == 0) hsp__tick(ctx);
        to[k] = j >= end || (i < b && !ledger_before(&from[j], &from[i])) ? from[i++] : from[j++];
    }
}

/* Merge neighbouring ascending runs, stable, until one is left: passes in the order of the rows
 * leave few of them. */
static int ledger_sort(hsp__ledger *ledger)
{
    const uint64_t count = ledger->count;
    if (count == 0 || ledger_run(ledger->entries, 0, count) == count) return 1;
    hsp__entry *from = ledger->entries;
    hsp__entry *to = hsp__new_raw(&ledger->memory, ledger->room, sizeof *to);
    if (!to) return 0;
    for (uint64_t runs = 2; runs > 1;) {
        runs = 0;
        for (uint64_t a = 0; a < count; runs++) {
            uint64_t b = ledger_run(from, a, count);
            uint64_t end = b < count ? ledger_run(from, b, count) : count;
            ledger_merge(ledger->ctx, from, a, b, end, to);
            a = end;
        }
        hsp__entry *swap = from;
        from = to;
        to = swap;
    }
    ledger->entries = from;
    hsp__free(&ledger->memory, to);
    return 1;
}

int hsp__ledger_settle(hsp__ledger *ledger)
{
    if (!ledger_sort(ledger)) return 0;
    hsp__entry *entries = ledger->entries;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < ledger->count;) {
        hsp__entry sum = entries[i++];
        while (i < ledger->count && entries[i].row == sum.row && entries[i].scorer == sum.scorer)
            sum.amount += entries[i++].amount;
        if (sum.amount != 0) entries[kept++] = sum;
        assert(kept <= i);
    }
    ledger->count = kept;
    return 1;
}

static int ledger_make_room(hsp__ledger *ledger)
{
    if (ledger->room && !hsp__ledger_settle(ledger)) return 0;
    if (ledger->count < ledger->room / 2) return 1;
    uint64_t room = ledger->room ? ledger->room * 2 : LEDGER_LEAST;
    hsp__entry *entries = hsp__resize(&ledger->memory, ledger->entries, room, sizeof *entries);
    if (!entries) return 0;
    ledger->entries = entries;
    ledger->room = room;
    return 1;
}

int hsp__ledger_add(hsp__ledger *ledger, uint64_t row, uint32_t scorer, double amount)
{
    if (ledger->count == ledger->room && !ledger_make_room(ledger)) return 0;
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
    void *marks = steps->marks;
    if (!hsp__reserve(&steps->memory, &marks, &steps->room, steps->count + 1, sizeof *steps->marks))
        return 0;
    steps->marks = marks;
    steps->marks[steps->count++] = (hsp__step_mark){steps->votes_count, example};
    return 1;
}

int hsp__steps_add(hsp__steps *steps, uint64_t row, uint32_t scorer, double amount, double offset)
{
    void *votes = steps->votes;
    if (!hsp__reserve(&steps->memory, &votes, &steps->votes_room, steps->votes_count + 1,
                      sizeof *steps->votes))
        return 0;
    steps->votes = votes;
    steps->votes[steps->votes_count++] = (hsp__vote){row, amount, offset, scorer};
    return 1;
}
