#include "learn/kernel/budget.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"

hsp_status hsp__budget_new(hsp_context *ctx, uint64_t most, uint64_t rows, uint32_t scorers,
                           const double *own, double square, hsp_error *err, hsp__budget **out)
{
    hsp__budget *budget = hsp__owned_new(&ctx->allocator, 1, sizeof *budget);
    if (!budget) return hsp__fail_memory(err);
    *out = budget; /* freed with the run */
    *budget = (hsp__budget){.most = most < rows ? most : rows, .own = own, .square = square};
    const uint64_t room = budget->most + 1;
    hsp__scratch *scratch = &budget->scratch;
    scratch->memory = hsp__owned_memory(budget);
    budget->row = hsp__scratch_raw(scratch, room, sizeof *budget->row);
    budget->self = hsp__scratch_raw(scratch, room, sizeof *budget->self);
    if (room <= UINT64_MAX / scorers)
        budget->amount = hsp__scratch_new(scratch, room * scorers, sizeof *budget->amount);
    return scratch->failed || !budget->amount ? hsp__fail_memory(err) : HSP_OK;
}

void hsp__budget_free(hsp__budget *budget)
{
    if (!budget) return;
    hsp__scratch_free(&budget->scratch);
    hsp__owned_free(budget);
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
    if (used) return;
    const uint64_t behind = --budget->count - at;
    memmove(budget->row + at, budget->row + at + 1, behind * sizeof *budget->row);
    memmove(budget->self + at, budget->self + at + 1, behind * sizeof *budget->self);
    memmove(amounts, amounts + scorers, behind * scorers * sizeof *amounts);
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
