#include "prove/same.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "data/columns.h"

static uint64_t same_hash(const hsp_view *view, uint64_t i)
{
    const hsp__row row = hsp__view_row(view, i);
    uint64_t hash[2] = {0, 0};
    for (uint64_t k = 0; k < row.count; k++) {
        const double value = hsp__row_value(view, &row, k);
        if (value != 0) hsp__hash_entry(hsp__row_column(&row, k), value, hash);
    }
    return hash[0];
}

typedef struct same_job {
    const hsp_view *view;
    hsp__same_key *keys; /* view->rows */
    uint64_t parts;
} same_job;

static void same_part(void *user, uint64_t part)
{
    const same_job *job = user;
    const uint64_t to = hsp__part(job->view->rows, job->parts, part + 1);
    for (uint64_t i = hsp__part(job->view->rows, job->parts, part); i < to; i++)
        job->keys[i] = (hsp__same_key){same_hash(job->view, i), i};
}

static int same_compare(const void *left, const void *right)
{
    const hsp__same_key *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

hsp__same_key *hsp__same_keys(hsp_context *ctx, const hsp_view *view)
{
    same_job job = {.view = view, .parts = hsp__parts(view->rows, 64)};
    job.keys = hsp__new_raw(&ctx->allocator, view->rows, sizeof *job.keys);
    if (!job.keys) return NULL;
    hsp__tasks_run(ctx, job.parts, same_part, &job);
    qsort(job.keys, view->rows, sizeof *job.keys, same_compare);
    return job.keys;
}

int hsp__same_find(const hsp_view *view, const hsp__same_key *keys, const hsp_view *other,
                   uint64_t i)
{
    const uint64_t hash = same_hash(other, i);
    uint64_t low = 0, high = view->rows;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (keys[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < view->rows && keys[low].hash == hash; low++)
        if (hsp__view_same_rows(view, keys[low].row, other, i)) return 1;
    return 0;
}

void hsp__same_round(hsp_data *data)
{
    double *values = data->values;
    const uint64_t count = values ? hsp_view_stored(&data->view) : 0;
    for (uint64_t k = 0; k < count; k++)
        if (fabs(values[k]) <= (double)FLT_MAX) values[k] = (double)(float)values[k];
}
