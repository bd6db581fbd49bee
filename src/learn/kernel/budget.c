#include "learn/kernel/budget.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

hsp_status hsp__budget_new(hsp_context *ctx, uint64_t most, uint64_t rows, uint32_t scorers,
                           const double *own, double square, hsp_error *err, hsp__budget **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__budget *budget = hsp__new(memory, 1, sizeof *budget);
    if (!budget) return hsp__fail_memory(err);
    *out = budget; /* freed with the run */
    *budget = (hsp__budget){
        .most = most < rows ? most : rows, .own = own, .square = square, .memory = *memory};
    const uint64_t room = budget->most + 1;
    budget->row = hsp__new_raw(memory, room, sizeof *budget->row);
    budget->self = hsp__new_raw(memory, room, sizeof *budget->self);
    if (room <= UINT64_MAX / scorers)
        budget->amount = hsp__new(memory, room * scorers, sizeof *budget->amount);
    return budget->row && budget->self && budget->amount ? HSP_OK : hsp__fail_memory(err);
}

void hsp__budget_free(hsp__budget *budget)
{
    if (!budget) return;
    const hsp_allocator memory = budget->memory;
    hsp__free(&memory, budget->row);
    hsp__free(&memory, budget->self);
    hsp__free(&memory, budget->amount);
    hsp__free(&memory, budget);
}

static void budget_remove(hsp__budget *budget, uint64_t at, uint32_t scorers)
{
    const uint64_t behind = --budget->count - at;
    memmove(budget->row + at, budget->row + at + 1, behind * sizeof *budget->row);
    memmove(budget->self + at, budget->self + at + 1, behind * sizeof *budget->self);
    memmove(budget->amount + at * scorers, budget->amount + (at + 1) * scorers,
            behind * scorers * sizeof *budget->amount);
}

void hsp__budget_note(hsp__budget *budget, uint32_t scorers, uint64_t row, uint32_t scorer,
                      double amount)
{
    uint64_t at = 0;
    int used = 0;
    while (at < budget->count && budget->row[at] != row)
        at++;
    double *amounts = budget->amount + at * scorers;
    if (at == budget->count) {
        assert(at <= budget->most);
        budget->count++;
        budget->row[at] = row;
        budget->self[at] = budget->own[row] + budget->square;
        memset(amounts, 0, scorers * sizeof *amounts);
    }
    amounts[scorer] += amount;
    for (uint32_t c = 0; c < scorers; c++)
        used |= amounts[c] != 0;
    if (!used) budget_remove(budget, at, scorers);
}

/* ||change||^2 if the row at `at` went. */
static double budget_loss(const hsp__budget *budget, uint64_t at, uint32_t scorers)
{
    double sum = 0;
    for (uint32_t c = 0; c < scorers; c++)
        sum += budget->amount[at * scorers + c] * budget->amount[at * scorers + c];
    return sum * budget->self[at];
}

int hsp__budget_exceeded(const hsp__budget *budget, uint64_t row, uint32_t scorers, uint64_t *gone)
{
    if (budget->count <= budget->most) return 0;
    uint64_t least = budget->row[0] == row;
    for (uint64_t at = least + 1; at < budget->count; at++)
        if (budget->row[at] != row &&
            budget_loss(budget, at, scorers) < budget_loss(budget, least, scorers))
            least = at;
    assert(budget->row[least] != row);
    *gone = least;
    return 1;
}
