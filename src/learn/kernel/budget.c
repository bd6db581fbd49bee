#include "learn/kernel/budget.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/online/trace.h"

hsp_status hsp__budget_new(hsp__online *run, uint64_t most, uint64_t rows, const double *own,
                           hsp_error *err)
{
    const hsp_allocator *memory = &run->ctx->allocator;
    hsp__proof proof;
    hsp__budget *budget = hsp__new(memory, 1, sizeof *budget);
    if (!budget) return hsp__fail_memory(err);
    run->budget = budget; /* freed with the run */
    run->rule->proof(run, &proof);
    *budget = (hsp__budget){.most = most < rows ? most : rows,
                            .own = own,
                            .square = proof.constant * proof.constant,
                            .memory = *memory};
    const uint64_t room = budget->most + 1;
    budget->row = hsp__new_raw(memory, room, sizeof *budget->row);
    budget->self = hsp__new_raw(memory, room, sizeof *budget->self);
    if (room <= UINT64_MAX / run->scorers)
        budget->amount = hsp__new(memory, room * run->scorers, sizeof *budget->amount);
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

void hsp__budget_note(hsp__online *run, uint64_t row, uint32_t scorer, double amount)
{
    hsp__budget *budget = run->budget;
    const uint32_t scorers = run->scorers;
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

hsp_status hsp__budget_keep(hsp__online *run, const hsp_view *view, uint64_t row, hsp_error *err)
{
    hsp__budget *budget = run->budget;
    hsp_status status = HSP_OK;
    if (budget->count <= budget->most) return HSP_OK;
    uint64_t least = budget->row[0] == row;
    for (uint64_t at = least + 1; at < budget->count; at++)
        if (budget->row[at] != row &&
            budget_loss(budget, at, run->scorers) < budget_loss(budget, least, run->scorers))
            least = at;
    const uint64_t gone = budget->row[least], count = budget->count;
    for (uint32_t c = 0; !status && c < run->scorers && budget->count == count; c++) {
        const double amount = budget->amount[least * run->scorers + c];
        if (amount != 0)
            status = hsp__online_add(run, view, gone, c, -amount, -amount * budget->square, err);
    }
    return status;
}
