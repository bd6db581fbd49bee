#include "data/shard.h"

#include "base/base.h"

const hsp_ranks *hsp_data_ranks(const hsp_data *data)
{
    return data ? data->shard.ranks : NULL;
}

hsp_status hsp__shard_own(hsp_context *ctx, hsp_data *whole, hsp_error *err, hsp_data **out)
{
    hsp__shard shard = {.ranks = ctx->ranks, .rows = whole->view.rows};
    uint64_t first, count;
    hsp_data *own = NULL;
    hsp__ranks_blocks(ctx->ranks, ctx->ranks->rank, &shard.from, &shard.to);
    hsp__shard_rows(&shard, &first, &count);
    uint64_t *rows = hsp__new_raw(&ctx->allocator, count, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++)
        rows[i] = first + i;
    const hsp_status status = hsp_data_select(ctx, whole, rows, count, err, &own);
    hsp__free(&ctx->allocator, rows);
    if (status) return status;
    own->shard = shard;
    *out = own;
    return HSP_OK;
}

hsp_status hsp__shard_names(const hsp_ranks *ranks, hsp__names *names, hsp_error *err,
                            uint32_t **map)
{
    uint64_t at[HSP__BLOCKS + 1];
    uint32_t next = 0, number;
    hsp__names all;
    void *bytes;
    HSP__TRY(hsp__ranks_collect(ranks, &names->memory, names->bytes, names->used, err, at, &bytes));
    uint32_t *numbers = hsp__new_raw(&names->memory, names->count, sizeof *numbers);
    int done = numbers != NULL;
    hsp__names_init(&all, &names->memory);
    for (int r = 0; r < ranks->count; r++)
        for (const char *name = bytes, *p = name + at[r]; done && p < name + at[r + 1];
             p += strlen(p) + 1) {
            done = hsp__names_add(&all, p, strlen(p), &number);
            if (r == ranks->rank) numbers[next++] = number;
        }
    hsp__free(&names->memory, bytes);
    const hsp_status status = hsp__ranks_agree(ranks, done ? HSP_OK : hsp__fail_memory(err), err);
    if (status) {
        hsp__names_free(&all);
        hsp__free(&names->memory, numbers);
        return status;
    }
    hsp__names_free(names);
    *names = all;
    *map = numbers;
    return HSP_OK;
}

/* ---- Rows on their way ----------------------------------------------------------------------- */

/* Rows of this rank for others, or of others for this one: those of rank r are at[r]..at[r + 1]-1, and
 * their entries entry[r]..entry[r + 1]-1. */
typedef struct shard_cut {
    uint64_t at[HSP__BLOCKS + 1], entry[HSP__BLOCKS + 1];
} shard_cut;

/* `size` bytes per item; items `from` .. of `to` as cut. One array goes its way. */
static void shard_send(const hsp_ranks *ranks, const void *send, const uint64_t *send_at,
                       void *receive, const uint64_t *receive_at, uint64_t size)
{
    uint64_t to[HSP__BLOCKS + 1], from[HSP__BLOCKS + 1];
    for (int r = 0; r <= ranks->count; r++) {
        to[r] = send_at[r] * size;
        from[r] = receive_at[r] * size;
    }
    ranks->exchange(ranks->user, send, to, receive, from);
}

/* Rows that are contiguous, of any view: lengths (sparse) and starts are made for the way. */
static hsp_status shard_exchange(hsp_context *ctx, const hsp_data *some, const shard_cut *to,
                                 shard_cut *from, hsp_error *err, hsp_data **out)
{
    const hsp_ranks *ranks = ctx->ranks;
    const hsp_view *view = &some->view;
    const uint64_t rows = from->at[ranks->count];
    const int sparse = view->storage != HSP_DENSE;
    const size_t bytes = hsp__value_bytes(view->precision);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp_data *own = NULL;
    uint64_t *lengths = hsp__scratch_raw(&scratch, sparse ? view->rows : 0, sizeof *lengths);
    uint64_t *received = hsp__scratch_raw(&scratch, sparse ? rows : 0, sizeof *received);
    const uint64_t base = sparse ? hsp__view_start(view, 0) : 0;
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    status = hsp__ranks_agree(ranks, status, err);
    for (uint64_t i = 0; !status && sparse && i < view->rows; i++)
        lengths[i] = hsp__view_start(view, i + 1) - hsp__view_start(view, i);
    if (!status && sparse) {
        shard_send(ranks, lengths, to->at, received, from->at, sizeof *lengths);
        for (int r = 0; r < ranks->count; r++) {
            from->entry[r + 1] = from->entry[r];
            for (uint64_t i = from->at[r]; i < from->at[r + 1]; i++)
                from->entry[r + 1] += received[i];
        }
    }
    if (!status)
        status = hsp__data_shape(ctx, view->storage, view->precision, rows, view->cols,
                                 from->entry[ranks->count], view->labels != NULL, err, &own);
    if (!status) status = hsp__data_copy_names(own, some, err);
    status = hsp__ranks_agree(ranks, status, err);
    if (!status && view->labels)
        shard_send(ranks, view->labels, to->at, own->labels, from->at, sizeof *own->labels);
    if (!status && sparse) {
        memcpy(own->starts + 1, received, rows * sizeof *received);
        hsp__starts_from_counts(own->starts, rows);
        shard_send(ranks, view->indices ? view->indices + base : NULL, to->entry, own->indices,
                   from->entry, sizeof *own->indices);
    }
    const char *values = view->values;
    if (!status && view->storage == HSP_SPARSE)
        shard_send(ranks, values + base * bytes, to->entry, own->values, from->entry, bytes);
    if (!status && !sparse)
        shard_send(ranks, values, to->at, own->values, from->at, bytes * view->cols);
    hsp__scratch_free(&scratch);
    if (!status) {
        hsp__data_seal(own);
        own->digits = some->digits;
        memcpy(own->why, some->why, sizeof own->why);
    }
    HSP__GIVE(status, own, hsp_data_free, out);
}

/* The entries of the rows that go to each rank. */
static void shard_entries(const hsp_view *view, int ranks, shard_cut *to)
{
    for (int r = 0; view->storage != HSP_DENSE && r <= ranks; r++)
        to->entry[r] = hsp__view_start(view, to->at[r]) - hsp__view_start(view, 0);
}

static uint64_t shard_clip(uint64_t row, uint64_t first, uint64_t count)
{
    return row < first ? 0 : row - first < count ? row - first : count;
}

/* How many values other than 0 the rows of all ranks have; of dense rows, those of this rank. */
static uint64_t shard_nonzeros(const hsp_view *view)
{
    uint64_t nonzeros = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            nonzeros += hsp__row_value(view, &row, k) != 0;
    }
    return nonzeros;
}

hsp_status hsp__shard_spread(hsp_context *ctx, const hsp_data *some, hsp_error *err, hsp_data **out)
{
    const hsp_ranks *ranks = ctx->ranks;
    const int count = ranks->count;
    const uint64_t mine = some->view.rows;
    uint64_t rows[HSP__BLOCKS], first[HSP__BLOCKS + 1] = {0};
    shard_cut to = {{0}, {0}}, from = {{0}, {0}};
    hsp__ranks_gather(ranks, &mine, sizeof mine, rows);
    for (int r = 0; r < count; r++)
        first[r + 1] = first[r] + rows[r];
    hsp__shard shard = {.ranks = ranks, .rows = first[count]};
    for (int r = 0; r < count; r++) {
        uint64_t begin, size;
        hsp__ranks_blocks(ranks, r, &shard.from, &shard.to);
        hsp__shard_rows(&shard, &begin, &size);
        to.at[r + 1] = shard_clip(begin + size, first[ranks->rank], mine);
    }
    hsp__ranks_blocks(ranks, ranks->rank, &shard.from, &shard.to);
    uint64_t begin, size;
    hsp__shard_rows(&shard, &begin, &size);
    for (int r = 0; r < count; r++)
        from.at[r + 1] = shard_clip(first[r + 1], begin, size);
    shard_entries(&some->view, count, &to);
    HSP__TRY(shard_exchange(ctx, some, &to, &from, err, out));
    if ((*out)->view.storage == HSP_DENSE) (*out)->nonzeros = shard_nonzeros(&(*out)->view);
    (*out)->shard = shard;
    return HSP_OK;
}

hsp_status hsp_data_gather(hsp_context *ctx, const hsp_data *shard, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, shard, out);
    const hsp_ranks *ranks = shard->shard.ranks;
    if (!ranks) return hsp__fail(err, HSP_USAGE, "the rows are not divided among ranks");
    const int count = ranks->count;
    const hsp_view *view = &shard->view;
    const int sparse = view->storage != HSP_DENSE;
    const size_t bytes = hsp__value_bytes(view->precision);
    const uint64_t mine[2] = {view->rows, sparse ? hsp_view_stored(view) : 0};
    uint64_t all[2 * HSP__BLOCKS], sizes[HSP__BLOCKS], rows = 0, stored = 0;
    hsp_data *whole = NULL;
    hsp__ranks_gather(ranks, mine, sizeof mine, all);
    for (int r = 0; r < count; r++) {
        rows += all[2 * r];
        stored += all[2 * r + 1];
    }
    uint64_t *lengths = hsp__new_raw(&ctx->allocator, sparse ? view->rows : 0, sizeof *lengths);
    hsp_status status = lengths
                            ? hsp__data_shape(ctx, view->storage, view->precision, rows, view->cols,
                                              stored, view->labels != NULL, err, &whole)
                            : hsp__fail_memory(err);
    if (!status) status = hsp__data_copy_names(whole, shard, err);
    const void *of_rows[] = {shard->row_weights, shard->groups, shard->times};
    void *to_rows[3] = {NULL};
    const size_t each[] = {sizeof(double), sizeof(uint32_t), sizeof(double)};
    for (int k = 0; !status && k < 3; k++)
        if (of_rows[k] && !(to_rows[k] = hsp__new_raw(&ctx->allocator, rows, each[k])))
            status = hsp__fail_memory(err);
    if (whole) {
        whole->row_weights = to_rows[0];
        whole->groups = to_rows[1];
        whole->times = to_rows[2];
    }
    status = hsp__ranks_agree(ranks, status, err);
#define SHARD_GATHER(from, to, each, what)               \
    do {                                                 \
        for (int r = 0; r < count; r++)                  \
            sizes[r] = all[2 * r + (what)] * (each);     \
        ranks->gather(ranks->user, (from), sizes, (to)); \
    } while (0)
    const uint64_t base = sparse && view->rows ? hsp__view_start(view, 0) : 0;
    if (!status && view->labels) SHARD_GATHER(view->labels, whole->labels, sizeof(uint32_t), 0);
    if (!status && sparse) {
        for (uint64_t i = 0; i < view->rows; i++)
            lengths[i] = hsp__view_start(view, i + 1) - hsp__view_start(view, i);
        SHARD_GATHER(lengths, whole->starts + 1, sizeof *lengths, 0);
        hsp__starts_from_counts(whole->starts, rows);
        SHARD_GATHER(view->indices + base, whole->indices, sizeof(uint32_t), 1);
    }
    for (int k = 0; !status && k < 3; k++)
        if (of_rows[k]) SHARD_GATHER(of_rows[k], to_rows[k], each[k], 0);
    const char *values = view->values;
    if (!status && view->storage == HSP_SPARSE)
        SHARD_GATHER(values + base * bytes, whole->values, bytes, 1);
    if (!status && !sparse) SHARD_GATHER(values, whole->values, bytes * view->cols, 0);
#undef SHARD_GATHER
    hsp__free(&ctx->allocator, lengths);
    if (!status) {
        uint64_t nonzeros = shard->nonzeros;
        hsp__data_seal(whole);
        hsp__ranks_gather(ranks, &nonzeros, sizeof nonzeros, sizes);
        whole->nonzeros = 0;
        for (int r = 0; r < count; r++)
            whole->nonzeros += sizes[r];
        whole->digits = shard->digits;
        memcpy(whole->why, shard->why, sizeof whole->why);
    }
    HSP__GIVE(status, whole, hsp_data_free, out);
}
