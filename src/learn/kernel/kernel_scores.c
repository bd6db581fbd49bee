#include "learn/kernel/kernel_scores.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/block.h"
#include "kernel/gram.h"
#include "kernel/shared_values.h"
#include "learn/kernel/budget.h"
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
    const hsp_allocator memory = kernel->ctx->allocator;
    hsp__kernel_rows_free(kernel->ctx, kernel->rows);
    hsp__ledger_free(&kernel->past);
    hsp__free(&memory, kernel->self);
    hsp__free(&memory, kernel->sums);
    hsp__free(&memory, kernel->amounts);
    hsp__free(&memory, kernel->seen);
    hsp__free(&memory, kernel->changes);
    hsp__free(&memory, kernel->list);
    hsp__free(&memory, kernel->place);
    hsp__free(&memory, kernel->block_sums);
    hsp__free(&memory, kernel->own);
    hsp__free(&memory, kernel->have);
    hsp__free(&memory, kernel->line);
    hsp__free(&memory, kernel->values);
    hsp__free(&memory, kernel->support);
    hsp__free(&memory, kernel->at);
    hsp__free(&memory, kernel);
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
        kernel->self = hsp__new_raw(&ctx->allocator, kernel->n, sizeof *kernel->self);
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

/* Rows come in blocks. */
static int kernel_scores_room_for_blocks(hsp__kernel_scores *kernel)
{
    const hsp_allocator *memory = &kernel->ctx->allocator;
    kernel->seen = hsp__new(memory, kernel->n, sizeof *kernel->seen);
    kernel->list = hsp__new(memory, KERNEL_SCORES_BLOCK, sizeof *kernel->list);
    kernel->place = hsp__new(memory, kernel->n, sizeof *kernel->place);
    kernel->block_sums =
        hsp__new(memory, (uint64_t)kernel->scorers * KERNEL_SCORES_BLOCK, sizeof(double));
    kernel->own = hsp__new_raw(memory, KERNEL_SCORES_BLOCK * KERNEL_SCORES_BLOCK, sizeof(double));
    kernel->have = hsp__new(memory, KERNEL_SCORES_BLOCK, 1);
    kernel->line = hsp__new_raw(memory, KERNEL_SCORES_BLOCK, sizeof(double));
    kernel->values =
        hsp__new_raw(memory, KERNEL_SCORES_SUPPORT * KERNEL_SCORES_BLOCK, sizeof(double));
    kernel->support = hsp__new_raw(memory, KERNEL_SCORES_SUPPORT, sizeof *kernel->support);
    kernel->at = hsp__new(memory, kernel->n, sizeof *kernel->at);
    return kernel->seen && kernel->list && kernel->place && kernel->block_sums && kernel->own &&
           kernel->have && kernel->line && kernel->values && kernel->support && kernel->at;
}

/* One block of all rows. */
static int kernel_scores_room_for_all(hsp__kernel_scores *kernel)
{
    const hsp_allocator *memory = &kernel->ctx->allocator;
    const uint64_t n = kernel->n;
    kernel->block = n;
    kernel->line = hsp__new_raw(memory, n, sizeof(double));
    if (n > KERNEL_SCORES_FEW) return kernel->line != NULL;
    kernel->own = hsp__new_raw(memory, n * n, sizeof(double));
    kernel->have = hsp__new(memory, n, 1);
    return kernel->line && kernel->own && kernel->have;
}

hsp_status hsp__kernel_scores_join(hsp__kernel_scores *kernel, hsp__ovr *team, hsp_error *err)
{
    hsp_status status = HSP_OK;
    kernel->scorers = hsp__ovr_scorers(team);
    assert(kernel->scorers >= 1 && team->count >= 1);
    kernel->averages = team->plan.average == HSP__AVERAGE_MEAN;
    kernel->whole =
        team->plan.order >= HSP__WALK_FIRST || kernel->n <= KERNEL_SCORES_FEW || kernel->traced;
    kernel->line_row = KERNEL_SCORES_NO_ROW;
    if (kernel->n <= UINT64_MAX / kernel->scorers)
        kernel->sums =
            hsp__new(&kernel->ctx->allocator, kernel->scorers * kernel->n, sizeof(double));
    if (kernel->sums && kernel->traced) {
        kernel->amounts =
            hsp__new(&kernel->ctx->allocator, kernel->scorers * kernel->n, sizeof(double));
        if (!kernel->amounts) return hsp__fail_memory(err);
    }
    if (!kernel->sums || !(kernel->whole ? kernel_scores_room_for_all(kernel)
                                         : kernel_scores_room_for_blocks(kernel)))
        return hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < team->count; c++) {
        hsp__online *run = &team->runs[c];
        run->space.kernel = kernel;
        run->space.at = team->count > 1 ? c : 0;
        if (kernel->budget) {
            hsp__proof proof;
            run->rule->proof(run, &proof);
            status =
                hsp__budget_new(run->ctx, kernel->budget, kernel->n, run->sep.scorers, kernel->self,
                                proof.constant * proof.constant, err, &run->space.budget);
        }
    }
    return status;
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

/* The rows that changes from.. are about, as many as there is room for, into support and at.
 * Returns where the changes that they stand for end. */
static uint64_t kernel_scores_gather(hsp__kernel_scores *kernel, uint64_t from, uint64_t *rows)
{
    *rows = 0;
    for (; from < kernel->count; from++) {
        const uint64_t row = kernel->changes[from].row;
        if (kernel->at[row]) continue;
        if (*rows == KERNEL_SCORES_SUPPORT) break;
        kernel->support[(*rows)++] = row;
        kernel->at[row] = (uint32_t)*rows;
    }
    return from;
}

/* Changes from..to-1, whose values are there, to the block's sums: all rows of it lack all of them,
 * or each lacks those from its own number on. */
static void kernel_scores_apply(hsp__kernel_scores *kernel, uint64_t from, uint64_t to, int all)
{
    const hsp__vec_table *vec = hsp__vec();
    for (uint64_t k = from; k < to; k++) {
        const kernel_scores_change *change = &kernel->changes[k];
        const double *line = kernel->values + (kernel->at[change->row] - 1) * kernel->block;
        double *sums = kernel->block_sums + (uint64_t)change->scorer * KERNEL_SCORES_BLOCK;
        if (all) {
            vec->axpy_f64(change->amount, line, sums, kernel->block);
            continue;
        }
        for (uint64_t i = 0; i < kernel->block; i++)
            if (kernel->seen[kernel->list[i]] <= kernel->gone + k)
                sums[i] += change->amount * line[i];
    }
}

static hsp_status kernel_scores_catch_up(hsp__kernel_scores *kernel, hsp_error *err)
{
    uint64_t least = kernel->gone + kernel->count, most = 0, rows;
    for (uint64_t i = 0; i < kernel->block; i++) {
        const uint64_t seen = kernel->seen[kernel->list[i]];
        if (seen < least) least = seen;
        if (seen > most) most = seen;
    }
    const hsp__kernel_pick block = kernel_scores_block_rows(kernel);
    hsp_status status = HSP_OK;
    for (uint64_t from = least - kernel->gone, to; !status && from < kernel->count; from = to) {
        to = kernel_scores_gather(kernel, from, &rows);
        const hsp__kernel_pick support = {
            .rows = kernel->rows, .list = kernel->support, .count = rows};
        status = hsp__kernel_block_f64(kernel->ctx, &support, &block, kernel->values, kernel->block,
                                       err);
        if (!status) kernel_scores_apply(kernel, from, to, least == most);
        for (uint64_t r = 0; r < rows; r++)
            kernel->at[kernel->support[r]] = 0;
    }
    return status;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The sums of the block at hand go back to their rows. */
static void kernel_scores_leave_block(hsp__kernel_scores *kernel)
{
    const uint64_t now = kernel->gone + kernel->count;
    for (uint64_t i = 0; i < kernel->block; i++) {
        const uint64_t row = kernel->list[i];
        for (uint32_t c = 0; c < kernel->scorers; c++)
            kernel->sums[c * kernel->n + row] =
                kernel->block_sums[(uint64_t)c * KERNEL_SCORES_BLOCK + i];
        kernel->seen[row] = now;
    }
    if (kernel->block) kernel->rare = (now - kernel->mark) * KERNEL_SCORES_RARE < kernel->block;
    kernel->block = 0;
}

/* Let go of the changes that every row has seen. */
static void kernel_scores_forget(hsp__kernel_scores *kernel)
{
    uint64_t least = kernel->gone + kernel->count;
    for (uint64_t i = 0; i < kernel->n; i++)
        if (kernel->seen[i] < least) least = kernel->seen[i];
    const uint64_t drop = least - kernel->gone;
    if (drop)
        memmove(kernel->changes, kernel->changes + drop,
                (kernel->count - drop) * sizeof *kernel->changes);
    kernel->count -= drop;
    kernel->gone += drop;
}

hsp_status hsp__kernel_scores_block(hsp__kernel_scores *kernel, const uint64_t *order,
                                    uint64_t from, uint64_t to, hsp_error *err)
{
    if (kernel->whole) return HSP_OK;
    assert(to - from <= KERNEL_SCORES_BLOCK);
    kernel_scores_leave_block(kernel);
    if (from == 0) kernel_scores_forget(kernel);
    kernel->block = to - from;
    for (uint64_t i = 0; i < kernel->block; i++) {
        const uint64_t row = order ? order[from + i] : from + i;
        kernel->list[i] = row;
        kernel->place[row] = (uint32_t)i;
        for (uint32_t c = 0; c < kernel->scorers; c++)
            kernel->block_sums[(uint64_t)c * KERNEL_SCORES_BLOCK + i] =
                kernel->sums[c * kernel->n + row];
    }
    kernel->line_row = KERNEL_SCORES_NO_ROW;
    kernel->mark = kernel->gone + kernel->count;
    memset(kernel->have, 0, KERNEL_SCORES_BLOCK);
    hsp_status status = kernel_scores_catch_up(kernel, err);
    if (status || kernel->rare) return status;
    const hsp__kernel_pick block = kernel_scores_block_rows(kernel);
    status = hsp__kernel_block_f64(kernel->ctx, &block, &block, kernel->own, kernel->block, err);
    if (!status) memset(kernel->have, 1, kernel->block);
    return status;
}

double hsp__kernel_scores_sum(const hsp__kernel_scores *kernel, uint64_t row, uint32_t scorer)
{
    if (kernel->whole) return kernel->sums[scorer * kernel->n + row];
    return kernel->block_sums[(uint64_t)scorer * KERNEL_SCORES_BLOCK + kernel->place[row]];
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Kernel values of a row with the block's. */
static hsp_status kernel_scores_line(hsp__kernel_scores *kernel, uint64_t row, hsp_error *err,
                                     const double **line)
{
    const uint64_t place = kernel->whole ? row : kernel->place[row];
    const int inside =
        kernel->own && (kernel->whole || (place < kernel->block && kernel->list[place] == row));
    double *to = inside ? kernel->own + place * kernel->block : kernel->line;
    *line = to;
    if (inside ? kernel->have[place] : kernel->line_row == row) return HSP_OK;
    const hsp__kernel_pick one = {.rows = kernel->rows, .from = row, .count = 1};
    const hsp__kernel_pick block = kernel_scores_block_rows(kernel);
    hsp_status status = hsp__kernel_block_f64(kernel->ctx, &one, &block, to, kernel->block, err);
    if (status) return status;
    if (inside)
        kernel->have[place] = 1;
    else
        kernel->line_row = row;
    return HSP_OK;
}

hsp_status hsp__kernel_scores_add(hsp__kernel_scores *kernel, uint64_t row, uint32_t scorer,
                                  double amount, uint64_t before, hsp_error *err)
{
    const double *line = NULL;
    hsp_status status = kernel_scores_line(kernel, row, err, &line);
    if (status) return status;
    double *sums = kernel->whole ? kernel->sums + scorer * kernel->n
                                 : kernel->block_sums + (uint64_t)scorer * KERNEL_SCORES_BLOCK;
    hsp__vec()->axpy_f64(amount, line, sums, kernel->block);
    if (kernel->amounts) kernel->amounts[scorer * kernel->n + row] += amount;
    if (kernel->averages && !hsp__ledger_add(&kernel->past, row, scorer, amount * (double)before))
        return hsp__fail_memory(err);
    if (kernel->whole) return HSP_OK;
    void *changes = kernel->changes;
    if (!hsp__reserve(&kernel->ctx->allocator, &changes, &kernel->room, kernel->count + 1,
                      sizeof *kernel->changes))
        return hsp__fail_memory(err);
    kernel->changes = changes;
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
