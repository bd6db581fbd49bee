#include "base/base.h"
#include "prove/prove.h"

#include <float.h>
#include <stdlib.h>

#include "data/sweep.h"

static uint64_t duplicate_rows_hash(const hsp_view *view, uint64_t i)
{
    const hsp__row row = hsp__view_row(view, i);
    uint64_t hash[2] = {0, 0};
    for (uint64_t k = 0; k < row.count; k++) {
        const double value = hsp__row_value(view, &row, k);
        if (value != 0) hsp__hash_entry(hsp__row_column(&row, k), value, hash);
    }
    return hash[0];
}

typedef struct duplicate_rows_job {
    const hsp_view *view;
    hsp__duplicate_rows_key *keys; /* view->rows */
    uint64_t parts;
} duplicate_rows_job;

static void duplicate_rows_part(void *user, uint64_t part)
{
    const duplicate_rows_job *job = user;
    const uint64_t to = hsp__part(job->view->rows, job->parts, part + 1);
    for (uint64_t i = hsp__part(job->view->rows, job->parts, part); i < to; i++)
        job->keys[i] = (hsp__duplicate_rows_key){duplicate_rows_hash(job->view, i), i};
}

static int duplicate_rows_compare(const void *left, const void *right)
{
    const hsp__duplicate_rows_key *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

hsp__duplicate_rows_key *hsp__duplicate_rows_keys(hsp_context *ctx, const hsp_view *view)
{
    duplicate_rows_job job = {.view = view, .parts = hsp__parts(view->rows, 64)};
    job.keys = hsp__new_raw(&ctx->allocator, view->rows, sizeof *job.keys);
    if (!job.keys) return NULL;
    hsp__tasks_run(ctx, job.parts, duplicate_rows_part, &job);
    qsort(job.keys, view->rows, sizeof *job.keys, duplicate_rows_compare);
    return job.keys;
}

int hsp__duplicate_rows_find(const hsp_view *view, const hsp__duplicate_rows_key *keys,
                             const hsp_view *other, uint64_t i)
{
    const uint64_t hash = duplicate_rows_hash(other, i);
    uint64_t low = 0, high = view->rows;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (keys[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == view->rows || keys[low].hash >= hash);
    for (; low < view->rows && keys[low].hash == hash; low++)
        if (hsp__view_same_rows(view, keys[low].row, other, i)) return 1;
    return 0;
}

void hsp__duplicate_rows_round(hsp_data *data)
{
    double *values = data->values;
    const uint64_t count = values ? hsp_view_stored(&data->view) : 0;
    for (uint64_t k = 0; k < count; k++)
        if (fabs(values[k]) <= (double)FLT_MAX) values[k] = (double)(float)values[k];
}
