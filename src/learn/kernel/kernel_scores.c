#include "learn/kernel/kernel_scores.h"

#include "base/base.h"
#include "kernel/block.h"
#include "kernel/gram.h"
#include "kernel/shared_values.h"
#include "learn/online/trace.h"
#include "learn/option_helpers.h"

enum {
    KERNEL_SCORES_BLOCK = 256,   /* rows visited at a time */
    KERNEL_SCORES_SUPPORT = 768, /* rows whose changes are caught up with at a time: the values with
                          a block stay in the second cache */
    KERNEL_SCORES_FEW =
        2048,               /* this many rows and less are one block whose kernel values are kept */
    KERNEL_SCORES_RARE = 32 /* fewer mistakes than one in this many rows: a line for each is cheaper
                       than   all lines of a block */
};

#define KERNEL_SCORES_NO_ROW UINT64_MAX

typedef struct kernel_scores_change {
    uint64_t row;
    double amount;
    uint32_t scorer;
} kernel_scores_change;

struct hsp__kernel_scores {
    hsp_context *ctx;
    hsp__scratch scratch; /* all but `changes` */
    hsp__kernel_rows *rows;
    double *self;     /* n: k(x, x) */
    uint64_t n;       /* rows */
    uint32_t scorers; /* of all runs */
    int averages;

    double *sums;   /* scorers * n: of the first seen[i] changes to that scorer's w */
    uint64_t *seen; /* n; blocks only */
    kernel_scores_change *changes;
    uint64_t count, room; /* changes kept ... */
    uint64_t gone;        /* ... behind those that every row has seen, and that were let go */
    uint64_t budget;      /* 0: none */
    hsp__ledger past;

    int traced;      /* what is asked below is kept: */
    double *amounts; /* scorers * n: w = sum of them times phi(x); NULL: not traced */

    int whole;          /* one block of all rows, always up to date */
    uint64_t *list;     /* KERNEL_SCORES_BLOCK: the rows of the block at hand */
    uint64_t block;     /* how many */
    uint32_t *place;    /* n: where a row of the block is in it */
    double *block_sums; /* scorers * KERNEL_SCORES_BLOCK */
    double
        *own; /* lines of the block with itself: KERNEL_SCORES_BLOCK of them; whole: n, or NULL */
    unsigned char *have; /* a line: is it there? */
    double *line;        /* another row's line with the block ... */
    uint64_t line_row;   /* ... which: KERNEL_SCORES_NO_ROW: none */
    int rare;            /* mistakes were rare in the block before */
    uint64_t mark;       /* changes when the block began */

    double *values; /* KERNEL_SCORES_SUPPORT lines of KERNEL_SCORES_BLOCK: of rows with changes with
                       the block */
    uint64_t *support; /* KERNEL_SCORES_SUPPORT: those rows */
    uint32_t *at;      /* n: 1 + where a row is among them; 0: nowhere */
};

/* ---- Made and unmade ------------------------------------------------------------------------- */

void hsp__kernel_scores_free(hsp__kernel_scores *kernel)
{
    if (!kernel) return;
    const hsp_allocator *memory = &kernel->ctx->allocator;
    hsp__kernel_rows_free(kernel->ctx, kernel->rows);
    hsp__ledger_free(&kernel->past);
    hsp__free(memory, kernel->changes);
    hsp__scratch_free(&kernel->scratch);
    hsp__free(memory, kernel);
}

hsp_status hsp__kernel_scores_new(hsp_context *ctx, const hsp__train *train, const hsp_view *view,
                                  const uint64_t *numbers, hsp_error *err, hsp__kernel_scores **out)
{
    const hsp__train_kernel *own = &train->kernel;
    if (hsp__kernel_is_precomputed(own->kernel) &&
        hsp__option_is(train->options, "average", "vote"))
        return hsp__fail_at(err, HSP_USAGE, "--average", 0, 0,
                            "voting keeps rows, but a precomputed kernel has only their numbers; "
                            "use --average none or average");
    hsp__kernel_scores *kernel = hsp__new(&ctx->allocator, 1, sizeof *kernel);
    if (!kernel) return hsp__fail_memory(err);
    kernel->ctx = ctx;
    kernel->scratch.memory = &ctx->allocator;
    kernel->n = view->rows;
    kernel->budget = hsp__option_integer(train->options, "budget", 0);
    kernel->traced = hsp__option_text(train->options, "trace") != NULL;
    hsp__ledger_init(&kernel->past, ctx);
    hsp_status status = hsp__kernel_rows_new(ctx, own->kernel, view, numbers, err, &kernel->rows);
    const int all = view == train->prepared.view;
    if (!status && all) status = hsp__kernel_check_given(ctx, kernel->rows, own->origin, err);
    if (!status && all && train->given->shared) {
        char key[HSP__HASH_TEXT];
        status = hsp__view_hash(ctx, view, err, key);
        if (!status)
            status = hsp__kernel_shared_use(ctx, train->given->shared, key, 1, kernel->rows, err);
    }
    if (!status) {
        kernel->self = hsp__scratch_raw(&kernel->scratch, kernel->n, sizeof *kernel->self);
        if (!kernel->self) status = hsp__fail_memory(err);
    }
    for (uint64_t i = 0; !status && i < kernel->n; i++)
        kernel->self[i] = hsp__kernel_self(kernel->rows, i);
    if (status)
        hsp__kernel_scores_free(kernel);
    else
        *out = kernel;
    return status;
}

hsp_status hsp__kernel_scores_radius(const hsp__kernel_scores *kernel, hsp_error *err,
                                     double *radius)
{
    double most = 0;
    for (uint64_t i = 0; i < kernel->n; i++) {
        if (!(kernel->self[i] >= 0 && kernel->self[i] < HUGE_VAL))
            return hsp__fail(
                err, HSP_BAD_DATA,
                "k(x, x) of row %llu is %g, which is no squared norm in a feature space",
                (unsigned long long)i + 1, kernel->self[i]);
        most = fmax(most, kernel->self[i]);
    }
    *radius = sqrt(most);
    return HSP_OK;
}

hsp_status hsp__kernel_scores_join(hsp__kernel_scores *kernel, hsp__ovr *ovr, hsp_error *err)
{
    enum { BLOCK = KERNEL_SCORES_BLOCK };
    hsp__scratch *scratch = &kernel->scratch;
    const size_t real = sizeof(double);
    const uint64_t n = kernel->n, scorers = kernel->scorers = hsp__ovr_scorers(ovr);
    assert(scorers >= 1 && ovr->count >= 1);
    if (n > UINT64_MAX / scorers) return hsp__fail_memory(err);
    kernel->averages = ovr->plan.average == HSP__AVERAGE_MEAN;
    kernel->whole = ovr->plan.order >= HSP__WALK_FIRST || n <= KERNEL_SCORES_FEW || kernel->traced;
    kernel->line_row = KERNEL_SCORES_NO_ROW;
    kernel->sums = hsp__scratch_new(scratch, scorers * n, real);
    if (kernel->traced) kernel->amounts = hsp__scratch_new(scratch, scorers * n, real);
    if (kernel->whole) {
        kernel->block = n;
        kernel->line = hsp__scratch_raw(scratch, n, real);
        if (n <= KERNEL_SCORES_FEW) kernel->own = hsp__scratch_raw(scratch, n * n, real);
        if (n <= KERNEL_SCORES_FEW) kernel->have = hsp__scratch_new(scratch, n, 1);
    } else {
        kernel->seen = hsp__scratch_new(scratch, n, sizeof *kernel->seen);
        kernel->list = hsp__scratch_new(scratch, BLOCK, sizeof *kernel->list);
        kernel->place = hsp__scratch_new(scratch, n, sizeof *kernel->place);
        kernel->block_sums = hsp__scratch_new(scratch, scorers * BLOCK, real);
        kernel->own = hsp__scratch_raw(scratch, BLOCK * BLOCK, real);
        kernel->have = hsp__scratch_new(scratch, BLOCK, 1);
        kernel->line = hsp__scratch_raw(scratch, BLOCK, real);
        kernel->values = hsp__scratch_raw(scratch, KERNEL_SCORES_SUPPORT * BLOCK, real);
        kernel->support = hsp__scratch_raw(scratch, KERNEL_SCORES_SUPPORT, sizeof *kernel->support);
        kernel->at = hsp__scratch_new(scratch, n, sizeof *kernel->at);
    }
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint32_t c = 0; c < ovr->count; c++) {
        hsp__online *run = &ovr->runs[c];
        run->space.kernel = kernel;
        run->space.at = ovr->count > 1 ? c : 0;
        if (!kernel->budget) continue;
        hsp__proof proof;
        run->rule->proof(run, &proof);
        HSP__TRY(hsp__budget_new(run->ctx, kernel->budget, n, run->sep.scorers, kernel->self,
                                 proof.constant * proof.constant, err, &run->space.budget));
    }
    return HSP_OK;
}

hsp__ledger *hsp__kernel_scores_past(hsp__kernel_scores *kernel)
{
    return &kernel->past;
}

uint64_t hsp__kernel_scores_chunk(const hsp__kernel_scores *kernel)
{
    return kernel->whole ? kernel->n : KERNEL_SCORES_BLOCK;
}

/* ---- Catching up ----------------------------------------------------------------------------- */

static hsp__kernel_pick kernel_scores_block_rows(const hsp__kernel_scores *kernel)
{
    return (hsp__kernel_pick){
        .rows = kernel->rows, .list = kernel->whole ? NULL : kernel->list, .count = kernel->block};
}

/* The changes that rows of the block have not seen, to the block's sums. */
static hsp_status kernel_scores_catch_up(hsp__kernel_scores *kernel, hsp_error *err)
{
    uint64_t least = kernel->gone + kernel->count, most = 0;
    for (uint64_t i = 0; i < kernel->block; i++) {
        const uint64_t seen = kernel->seen[kernel->list[i]];
        if (seen < least) least = seen;
        if (seen > most) most = seen;
    }
    const hsp__kernel_pick block = kernel_scores_block_rows(kernel);
    for (uint64_t from = least - kernel->gone, to; from < kernel->count; from = to) {
        uint64_t rows = 0; /* that these changes are about, as many as there is room for */
        for (to = from; to < kernel->count; to++) {
            const uint64_t row = kernel->changes[to].row;
            if (kernel->at[row]) continue;
            if (rows == KERNEL_SCORES_SUPPORT) break;
            kernel->support[rows++] = row;
            kernel->at[row] = (uint32_t)rows;
        }
        const hsp__kernel_pick support = {
            .rows = kernel->rows, .list = kernel->support, .count = rows};
        HSP__TRY(hsp__kernel_block_f64(kernel->ctx, &support, &block, kernel->values, kernel->block,
                                       err));
        for (uint64_t k = from; k < to; k++) {
            const kernel_scores_change *change = &kernel->changes[k];
            const double *line = kernel->values + (kernel->at[change->row] - 1) * kernel->block;
            double *sums = kernel->block_sums + (uint64_t)change->scorer * KERNEL_SCORES_BLOCK;
            if (least == most) /* all rows lack all changes, or each those from its own on */
                hsp__vec()->axpy_f64(change->amount, line, sums, kernel->block);
            else
                for (uint64_t i = 0; i < kernel->block; i++)
                    if (kernel->seen[kernel->list[i]] <= kernel->gone + k)
                        sums[i] += change->amount * line[i];
        }
        for (uint64_t r = 0; r < rows; r++)
            kernel->at[kernel->support[r]] = 0;
    }
    return HSP_OK;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

hsp_status hsp__kernel_scores_block(hsp__kernel_scores *kernel, const uint64_t *order,
                                    uint64_t from, uint64_t to, hsp_error *err)
{
    const uint64_t n = kernel->n, now = kernel->gone + kernel->count;
    if (kernel->whole) return HSP_OK;
    assert(to - from <= KERNEL_SCORES_BLOCK);
    for (uint64_t i = 0; i < kernel->block; i++) { /* the sums go back to their rows */
        const uint64_t row = kernel->list[i];
        for (uint64_t c = 0; c < kernel->scorers; c++)
            kernel->sums[c * n + row] = kernel->block_sums[c * KERNEL_SCORES_BLOCK + i];
        kernel->seen[row] = now;
    }
    if (kernel->block) kernel->rare = (now - kernel->mark) * KERNEL_SCORES_RARE < kernel->block;
    if (from == 0) { /* let go of the changes that every row has seen */
        uint64_t least = now;
        for (uint64_t i = 0; i < n; i++)
            if (kernel->seen[i] < least) least = kernel->seen[i];
        const uint64_t drop = least - kernel->gone;
        kernel->count -= drop;
        kernel->gone += drop;
        if (drop)
            memmove(kernel->changes, kernel->changes + drop,
                    kernel->count * sizeof *kernel->changes);
    }
    kernel->block = to - from;
    for (uint64_t i = 0; i < kernel->block; i++) {
        const uint64_t row = order ? order[from + i] : from + i;
        kernel->list[i] = row;
        kernel->place[row] = (uint32_t)i;
        for (uint64_t c = 0; c < kernel->scorers; c++)
            kernel->block_sums[c * KERNEL_SCORES_BLOCK + i] = kernel->sums[c * n + row];
    }
    kernel->line_row = KERNEL_SCORES_NO_ROW;
    kernel->mark = now;
    memset(kernel->have, 0, KERNEL_SCORES_BLOCK);
    HSP__TRY(kernel_scores_catch_up(kernel, err));
    if (kernel->rare) return HSP_OK;
    const hsp__kernel_pick block = kernel_scores_block_rows(kernel);
    HSP__TRY(hsp__kernel_block_f64(kernel->ctx, &block, &block, kernel->own, kernel->block, err));
    memset(kernel->have, 1, kernel->block);
    return HSP_OK;
}

double hsp__kernel_scores_sum(const hsp__kernel_scores *kernel, uint64_t row, uint32_t scorer)
{
    if (kernel->whole) return kernel->sums[scorer * kernel->n + row];
    return kernel->block_sums[(uint64_t)scorer * KERNEL_SCORES_BLOCK + kernel->place[row]];
}

/* ---- Changes --------------------------------------------------------------------------------- */

hsp_status hsp__kernel_scores_add(hsp__kernel_scores *kernel, uint64_t row, uint32_t scorer,
                                  double amount, uint64_t before, hsp_error *err)
{
    /* kernel values of the row with the block's */
    const uint64_t place = kernel->whole ? row : kernel->place[row];
    const int inside =
        kernel->own && (kernel->whole || (place < kernel->block && kernel->list[place] == row));
    double *line = inside ? kernel->own + place * kernel->block : kernel->line;
    if (!(inside ? kernel->have[place] : kernel->line_row == row)) {
        const hsp__kernel_pick one = {.rows = kernel->rows, .from = row, .count = 1};
        const hsp__kernel_pick block = kernel_scores_block_rows(kernel);
        HSP__TRY(hsp__kernel_block_f64(kernel->ctx, &one, &block, line, kernel->block, err));
        if (inside)
            kernel->have[place] = 1;
        else
            kernel->line_row = row;
    }
    double *sums = kernel->whole ? kernel->sums + scorer * kernel->n
                                 : kernel->block_sums + (uint64_t)scorer * KERNEL_SCORES_BLOCK;
    hsp__vec()->axpy_f64(amount, line, sums, kernel->block);
    if (kernel->amounts) kernel->amounts[scorer * kernel->n + row] += amount;
    if (kernel->averages && !hsp__ledger_add(&kernel->past, row, scorer, amount * (double)before))
        return hsp__fail_memory(err);
    if (kernel->whole) return HSP_OK;
    if (!hsp__reserve(&kernel->ctx->allocator, (void **)&kernel->changes, &kernel->room,
                      kernel->count + 1, sizeof *kernel->changes))
        return hsp__fail_memory(err);
    kernel->changes[kernel->count++] = (kernel_scores_change){row, amount, scorer};
    return HSP_OK;
}

/* ---- For traces ------------------------------------------------------------------------------ */

double hsp__kernel_scores_square(const hsp__kernel_scores *kernel, uint32_t scorer)
{
    const double square =
        hsp__kernel_scores_inner(kernel, scorer, kernel->sums + scorer * kernel->n);
    return square > 0 ? square : 0; /* of a kernel that is none, or rounding */
}

double hsp__kernel_scores_inner(const hsp__kernel_scores *kernel, uint32_t scorer,
                                const double *sums)
{
    assert(kernel->amounts && kernel->whole);
    return hsp__vec()->dot_f64(kernel->amounts + scorer * kernel->n, sums, (size_t)kernel->n);
}

/* ---- Budgets ---------------------------------------------------------------------------------- */

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
