#include "learn/checkpoint.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/ranks.h"
#include "data/container.h"
#include "learn/learner.h"
#include "learn/option_helpers.h"

#define CHECKPOINT_FORMAT "halfspace-checkpoint"
#define CHECKPOINT_SUM    "metadata_crc32" /* of what says which run it is */
#define CHECKPOINT_NAME   24               /* bytes of "TASK.STEP" */
#define CHECKPOINT_LEAST  16               /* pieces of metadata besides the options */

/* ---- States ---------------------------------------------------------------------------------- */

static void state_move(hsp__state *state, void *memory, uint64_t bytes)
{
    state->size += bytes;
    if (!state->at || state->bad || state->failed) return;
    if (bytes > state->left) {
        state->bad = 1;
        return;
    }
    if (bytes && state->loading) memcpy(memory, state->at, (size_t)bytes);
    if (bytes && !state->loading) memcpy(state->at, memory, (size_t)bytes);
    state->at += bytes;
    state->left -= bytes;
}

void hsp__state_bytes(hsp__state *state, void *memory, uint64_t bytes)
{
    if (!state->shard || state->block == HSP__STATE_COMMON) state_move(state, memory, bytes);
}

void hsp__state_range(const hsp__state *state, uint64_t rows, uint64_t *from, uint64_t *to)
{
    *from = 0, *to = rows;
    if (!state->shard) return;
    if (state->block == HSP__STATE_COMMON)
        *to = 0;
    else
        hsp__shard_block(state->shard, state->block, from, to);
    assert(*from <= *to && *to <= rows);
}

void hsp__state_rows(hsp__state *state, void *memory, uint64_t rows, uint64_t each)
{
    uint64_t from, to;
    hsp__state_range(state, rows, &from, &to);
    if (from < to) state_move(state, (char *)memory + from * each, (to - from) * each);
}

void hsp__state_positive(hsp__state *state, double *numbers, uint64_t rows)
{
    uint64_t from, to;
    hsp__state_range(state, rows, &from, &to);
    for (; from < to; from += 8) {
        unsigned char bits = 0;
        for (uint64_t k = 0; !state->loading && k < 8 && from + k < to; k++)
            bits |= (unsigned char)((numbers[from + k] > 0) << k);
        state_move(state, &bits, 1);
        for (uint64_t k = 0; state->loading && k < 8 && from + k < to; k++)
            numbers[from + k] = bits >> k & 1;
    }
}

void hsp__state_list(hsp__state *state, const hsp_allocator *memory, void *pointer, uint64_t *count,
                     uint64_t *room, size_t size)
{
    void *items;
    HSP__STATE(state, *count);
    if (state->loading) {
        if (state->bad || *count > state->left / size)
            state->bad = 1, *count = 0;
        else if (!hsp__reserve(memory, pointer, room, *count, size))
            state->failed = 1, *count = 0;
    }
    memcpy(&items, pointer, sizeof items);
    hsp__state_bytes(state, items, *count * size);
}

/* ---- The checkpoint --------------------------------------------------------------------------- */

/* What was kept of a place; without bytes: nothing yet. Of rows that are divided among ranks, the bytes
 * are checkpoint_ends, what all ranks have, and the blocks of rows: all of them on rank 0, elsewhere this
 * rank's only. */
typedef struct checkpoint_entry {
    hsp__place place;
    double kept; /* when, on hsp__clock */
    char *bytes;
    uint64_t size;
} checkpoint_entry;

/* Where the state of divided rows has what: all ranks' part ends at at[0], and block b is at[b]..at[b + 1]-1. */
typedef struct checkpoint_ends {
    uint64_t at[HSP__BLOCKS + 1];
} checkpoint_ends;

struct hsp__checkpoint {
    hsp_allocator memory;
    const char *path;
    double seconds; /* from one write to the next */
    int silent;     /* another rank writes */
    uint32_t crc;   /* of all states that were read */
    hsp__scratch scratch;
    hsp__meta *meta; /* what the run is */
    size_t meta_count;
    pthread_mutex_t lock;
    checkpoint_entry *entries;
    uint64_t count, room;
    double written; /* when, on hsp__clock */
};

/* ---- What the run is --------------------------------------------------------------------------- */

static void checkpoint_say(hsp__checkpoint *checkpoint, const char *key, const char *value)
{
    const size_t size = strlen(value);
    char *copy = hsp__scratch_raw(&checkpoint->scratch, size + 1, 1);
    if (copy) checkpoint->meta[checkpoint->meta_count++] = (hsp__meta){key, copy};
    if (copy) memcpy(copy, value, size + 1);
}

static int checkpoint_hash(void *user, const void *bytes, size_t size)
{
    hsp__sha256_add(user, bytes, size);
    return 0;
}

static uint32_t checkpoint_sum(uint32_t crc, const char *key, const char *value)
{
    return hsp__crc32(hsp__crc32(crc, key, strlen(key) + 1), value, strlen(value) + 1);
}

/* The model that the run begins at. */
static hsp_status checkpoint_say_start(const hsp__train *train, hsp__checkpoint *checkpoint,
                                       hsp_error *err)
{
    hsp__sha256 sha;
    unsigned char digest[32];
    char text[65];
    hsp_context ctx = hsp__stop_none(train->ctx);
    hsp__sha256_init(&sha);
    HSP__TRY(hsp_model_pack(&ctx, train->start, checkpoint_hash, &sha, err));
    hsp__sha256_end(&sha, digest);
    hsp__sha256_text(digest, text);
    checkpoint_say(checkpoint, "warm_start", text);
    return HSP_OK;
}

/* Every option but those that only say when the run ends: it may go on with another limit. */
static hsp_status checkpoint_describe(const hsp__train *train, hsp__checkpoint *checkpoint,
                                      hsp_error *err)
{
    const hsp_option_table *table = hsp_options_table(train->options);
    const double *weight = train->prepared.weight;
    checkpoint->meta = hsp__scratch_new(&checkpoint->scratch, table->count + CHECKPOINT_LEAST,
                                        sizeof *checkpoint->meta);
    if (!checkpoint->meta) return hsp__fail_memory(err);
    checkpoint_say(checkpoint, "format", CHECKPOINT_FORMAT);
    checkpoint_say(checkpoint, "version", hsp_version());
    checkpoint_say(checkpoint, "learner", table->name);
    checkpoint_say(checkpoint, "data_hash", train->hash);
    checkpoint_say(checkpoint, "rows", train->ctx->shard ? "divided" : "whole");
    if (weight) {
        char text[16];
        const uint32_t crc = hsp__crc32(0, weight, train->prepared.view->rows * sizeof *weight);
        snprintf(text, sizeof text, "%08x", (unsigned)crc);
        checkpoint_say(checkpoint, "row_weights", text);
    }
    for (size_t i = 0; i < table->count; i++) {
        const hsp_option *option = &table->options[i];
        if (strcmp(option->name, "max-seconds") == 0) continue;
        hsp__text value;
        hsp__text_init(&value, &checkpoint->memory);
        hsp__option_json(&value, train->options, option);
        const size_t size = strlen(option->name) + 3;
        char *key = hsp__scratch_raw(&checkpoint->scratch, size, 1);
        if (key) snprintf(key, size, "--%s", option->name);
        if (key && !value.failed) checkpoint_say(checkpoint, key, value.data);
        checkpoint->scratch.failed |= value.failed;
        hsp__text_free(&value);
    }
    if (train->start) HSP__TRY(checkpoint_say_start(train, checkpoint, err));
    uint32_t crc = 0;
    char text[16];
    for (size_t i = 0; i < checkpoint->meta_count; i++)
        crc = checkpoint_sum(crc, checkpoint->meta[i].key, checkpoint->meta[i].value);
    snprintf(text, sizeof text, "%08x", (unsigned)crc);
    checkpoint_say(checkpoint, CHECKPOINT_SUM, text);
    return checkpoint->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

/* The file is of another run: what differs, and what to do. */
static hsp_status checkpoint_differs(const hsp__container *file, const hsp__meta *meta,
                                     const char *found, hsp_error *err)
{
    static const char *const words[][2] = {
        {"version", "another version of halfspace"},
        {"data_hash", "other data, or other options of reading or preparing it"},
        {"row_weights", "other row weights"},
        {"rows", "rows divided in another way: go on with the program, halfspace or halfspace-mpi, "
                 "that wrote it"},
        {"warm_start", "another warm-start model"},
    };
    char was[HSP__QUOTED];
    const char *name = hsp__container_name(file);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(meta->key, words[i][0]) == 0)
            return hsp__fail_at(err, HSP_USAGE, name, 0, 0,
                                "the checkpoint is of a run with %s; remove the file to begin "
                                "again, or name another one with --checkpoint",
                                words[i][1]);
    const int given = found && strcmp(found, "null") != 0;
    if (given) hsp__quote(found, strlen(found), was);
    return hsp__fail_at(
        err, HSP_USAGE, name, 0, 0,
        "the checkpoint is of a run with %s %s, here it is %.80s; use the options of "
        "that run, or remove the file to begin again",
        meta->key, given ? was : "not given",
        strcmp(meta->value, "null") == 0 ? "not given" : meta->value);
}

/* Is what the file says of its run as it was written? */
static int checkpoint_is_sound(const hsp__container *file)
{
    const char *key, *value, *sum = hsp__container_meta(file, CHECKPOINT_SUM);
    uint32_t crc = 0;
    char text[16];
    for (size_t i = 0; (key = hsp__container_meta_at(file, i, &value)); i++)
        if (strcmp(key, CHECKPOINT_SUM) != 0 && strcmp(key, "written_by") != 0 &&
            strncmp(key, "crc32.", 6) != 0)
            crc = checkpoint_sum(crc, key, value);
    snprintf(text, sizeof text, "%08x", (unsigned)crc);
    return sum && strcmp(sum, text) == 0;
}

static checkpoint_entry *checkpoint_find(hsp__checkpoint *checkpoint, const hsp__place *place)
{
    for (uint64_t i = 0; i < checkpoint->count; i++) {
        checkpoint_entry *entry = &checkpoint->entries[i];
        if (entry->place.task == place->task && entry->place.step == place->step) return entry;
    }
    return NULL;
}

/* The entry of a place, a new one if there is none; NULL: no memory. */
static checkpoint_entry *checkpoint_entry_of(hsp__checkpoint *checkpoint, const hsp__place *place)
{
    checkpoint_entry *entry = checkpoint_find(checkpoint, place);
    if (entry) return entry;
    if (!hsp__reserve(&checkpoint->memory, &checkpoint->entries, &checkpoint->room,
                      checkpoint->count + 1, sizeof *entry))
        return NULL;
    entry = &checkpoint->entries[checkpoint->count++];
    *entry = (checkpoint_entry){.place = *place, .kept = hsp__clock()};
    return entry;
}

/* Room for a state, in place of what was there. 0: no memory. */
static int checkpoint_resize(hsp__checkpoint *checkpoint, checkpoint_entry *entry, uint64_t size)
{
    if (entry->bytes && entry->size == size) return 1;
    char *bytes = hsp__new_raw(&checkpoint->memory, size, 1);
    if (!bytes) return 0;
    hsp__free(&checkpoint->memory, entry->bytes);
    entry->bytes = bytes;
    entry->size = size;
    return 1;
}

static const char *checkpoint_name(const hsp__place *place, char name[CHECKPOINT_NAME])
{
    snprintf(name, CHECKPOINT_NAME, "%u.%u", (unsigned)place->task, (unsigned)place->step);
    return name;
}

int hsp__checkpoint_put(hsp__checkpoint *checkpoint, const hsp__place *place, const void *bytes,
                        uint64_t size)
{
    checkpoint_entry *entry = checkpoint_entry_of(checkpoint, place);
    if (!entry || !checkpoint_resize(checkpoint, entry, size)) return 0;
    if (size) memcpy(entry->bytes, bytes, (size_t)size);
    return 1;
}

/* Of a state of divided rows, what this rank needs. *sound 0: it is none. */
static int checkpoint_put_own(const hsp__shard *shard, hsp__checkpoint *checkpoint,
                              const hsp__place *place, const hsp__tensor *tensor, int *sound)
{
    const uint64_t head = sizeof(checkpoint_ends), size = tensor->shape[0];
    const char *bytes = tensor->data;
    checkpoint_ends ends;
    *sound = size >= head;
    if (!*sound) return 1;
    memcpy(&ends, bytes, sizeof ends);
    for (uint32_t b = 0; b < HSP__BLOCKS; b++)
        *sound &= ends.at[b] <= ends.at[b + 1];
    *sound &= ends.at[HSP__BLOCKS] == size - head;
    if (!*sound) return 1;
    if (!checkpoint->silent) return hsp__checkpoint_put(checkpoint, place, bytes, size);
    const uint64_t from = ends.at[shard->from], own = ends.at[shard->to] - from;
    checkpoint_entry *entry = checkpoint_entry_of(checkpoint, place);
    if (!entry || !checkpoint_resize(checkpoint, entry, head + ends.at[0] + own)) return 0;
    memcpy(entry->bytes, bytes, (size_t)(head + ends.at[0]));
    if (own) memcpy(entry->bytes + head + ends.at[0], bytes + head + from, (size_t)own);
    return 1;
}

hsp_status hsp__checkpoint_read(hsp_context *ctx, const hsp__container *file,
                                hsp__checkpoint *checkpoint, hsp_error *err)
{
    const hsp__tensor *tensor;
    HSP__TRY(hsp__metadata_format(file, CHECKPOINT_FORMAT, err));
    if (!checkpoint_is_sound(file))
        return hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(file), 0, 0,
                            "the metadata is damaged");
    for (size_t i = 0; i < checkpoint->meta_count; i++) {
        const hsp__meta *meta = &checkpoint->meta[i];
        const char *found = hsp__container_meta(file, meta->key);
        if (!found || strcmp(found, meta->value) != 0)
            return checkpoint_differs(file, meta, found, err);
    }
    HSP__TRY(hsp__container_verify(ctx, file, err));
    for (size_t i = 0; (tensor = hsp__container_tensor_at(file, i)); i++) {
        char name[CHECKPOINT_NAME], *end;
        const uint32_t task = (uint32_t)strtoul(tensor->name, &end, 10);
        const hsp__place place = {task, (uint32_t)strtoul(end + (*end == '.'), NULL, 10)};
        int sound = strcmp(checkpoint_name(&place, name), tensor->name) == 0 &&
                    hsp__container_tensor(file, name) == tensor && tensor->dtype == HSP__U8 &&
                    tensor->dims == 1;
        int put = 1;
        if (sound && ctx->shard)
            put = checkpoint_put_own(ctx->shard, checkpoint, &place, tensor, &sound);
        else if (sound)
            put = hsp__checkpoint_put(checkpoint, &place, tensor->data, tensor->shape[0]);
        if (!sound)
            return hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(file), 0, 0,
                                "this is not the state of a training");
        if (!put) return hsp__fail_memory(err);
        checkpoint->crc = hsp__crc32(checkpoint->crc, tensor->data, (size_t)tensor->shape[0]);
    }
    return HSP_OK;
}

static hsp_status checkpoint_damaged(const hsp__checkpoint *checkpoint, hsp_error *err)
{
    return hsp__fail_at(err, HSP_BAD_DATA, checkpoint->path, 0, 0,
                        "the checkpoint is damaged, or no checkpoint; remove the file to begin "
                        "again, or name another one with --checkpoint");
}

/* All ranks must have read the same. */
static hsp_status checkpoint_compare(const hsp__checkpoint *checkpoint, const hsp_ranks *ranks,
                                     hsp_error *err)
{
    uint32_t all[HSP__BLOCKS];
    int same = 1;
    hsp__ranks_gather(ranks, &checkpoint->crc, sizeof checkpoint->crc, all);
    for (int r = 0; r < ranks->count; r++)
        same &= all[r] == all[0];
    if (same) return HSP_OK;
    return hsp__fail_at(err, HSP_IO, checkpoint->path, 0, 0,
                        "the processes do not see the same file; name one in a folder that all "
                        "machines share");
}

hsp__checkpoint *hsp__checkpoint_new(const hsp_context *ctx)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__checkpoint *checkpoint = hsp__new(memory, 1, sizeof *checkpoint);
    if (!checkpoint) return NULL;
    *checkpoint = (hsp__checkpoint){.memory = *memory,
                                    .path = ctx->checkpoint_path,
                                    .seconds = ctx->checkpoint_seconds,
                                    .silent = ctx->silent,
                                    .scratch.memory = &checkpoint->memory,
                                    .written = hsp__clock()};
    pthread_mutex_init(&checkpoint->lock, NULL);
    return checkpoint;
}

hsp_status hsp__checkpoint_open(const hsp__train *train, const hsp_ranks *ranks, hsp_error *err,
                                hsp__checkpoint **out)
{
    hsp_context *ctx = train->ctx;
    hsp__container *file = NULL;
    hsp__checkpoint *checkpoint = *out = hsp__checkpoint_new(ctx);
    if (!checkpoint) return hsp__fail_memory(err);
    hsp_status status = checkpoint_describe(train, checkpoint, err);
    struct stat info;
    const int there = stat(checkpoint->path, &info) == 0;
    if (!status && there && S_ISDIR(info.st_mode))
        status = hsp__fail_option(err, "--checkpoint", "'%s' is a folder; name a file",
                                  checkpoint->path);
    if (!status && there) status = hsp__container_open(ctx, checkpoint->path, err, &file);
    if (!status && file) status = hsp__checkpoint_read(ctx, file, checkpoint, err);
    hsp__container_free(file);
    if (status == HSP_BAD_DATA) status = checkpoint_damaged(checkpoint, err);
    if (!status && checkpoint->count)
        hsp__log(ctx, HSP_LOG_NOTE, "the training goes on from %s", checkpoint->path);
    if (!ranks) return status;
    HSP__TRY(hsp__ranks_agree(ranks, status, err)); /* none writes before all have read */
    return checkpoint_compare(checkpoint, ranks, err);
}

void hsp__checkpoint_free(hsp__checkpoint *checkpoint)
{
    if (!checkpoint) return;
    hsp_allocator memory = checkpoint->memory;
    for (uint64_t i = 0; i < checkpoint->count; i++)
        hsp__free(&memory, checkpoint->entries[i].bytes);
    hsp__free(&memory, checkpoint->entries);
    pthread_mutex_destroy(&checkpoint->lock);
    hsp__scratch_free(&checkpoint->scratch);
    hsp__free(&memory, checkpoint);
}

/* ---- Writing ---------------------------------------------------------------------------------- */

/* All states, as they were kept. Other threads wait. */
static hsp_status checkpoint_write(hsp_context *ctx, hsp__checkpoint *checkpoint, hsp_error *err)
{
    hsp_context own = hsp__quiet(ctx); /* now, not together with other files */
    hsp__scratch scratch = {.memory = &checkpoint->memory};
    hsp__tensor *tensors = hsp__scratch_new(&scratch, checkpoint->count, sizeof *tensors);
    char(*names)[CHECKPOINT_NAME] = hsp__scratch_new(&scratch, checkpoint->count, sizeof *names);
    size_t count = 0;
    own = hsp__stop_none(&own);
    for (uint64_t i = 0; !scratch.failed && i < checkpoint->count; i++) {
        const checkpoint_entry *entry = &checkpoint->entries[i];
        if (!entry->bytes) continue;
        tensors[count] = (hsp__tensor){.name = checkpoint_name(&entry->place, names[count]),
                                       .dtype = HSP__U8,
                                       .dims = 1,
                                       .shape = {entry->size},
                                       .data = entry->bytes};
        count++;
    }
    const hsp_status status =
        scratch.failed ? hsp__fail_memory(err)
                       : hsp__container_write(&own, checkpoint->path, checkpoint->meta,
                                              checkpoint->meta_count, tensors, count, err);
    hsp__scratch_free(&scratch);
    checkpoint->written = hsp__clock();
    return status;
}

/* ---- For solvers ------------------------------------------------------------------------------ */

static void checkpoint_load_divided(const hsp__shard *shard, const hsp__checkpoint *checkpoint,
                                    const checkpoint_entry *entry, hsp__state *state,
                                    hsp__state_fn fn, void *user)
{
    checkpoint_ends ends;
    assert(entry->size >= sizeof ends);
    memcpy(&ends, entry->bytes, sizeof ends);
    const uint64_t first = checkpoint->silent ? ends.at[shard->from] : ends.at[0];
    char *common = entry->bytes + sizeof ends;
    uint64_t left = 0;
    state->shard = shard, state->block = HSP__STATE_COMMON;
    state->at = common, state->left = ends.at[0];
    fn(state, user);
    for (uint32_t b = shard->from; b < shard->to && !state->bad && !state->failed; b++) {
        left += state->left;
        state->block = b;
        state->at = common + ends.at[0] + (ends.at[b] - first);
        state->left = ends.at[b + 1] - ends.at[b];
        fn(state, user);
    }
    state->left += left;
}

hsp_status hsp__checkpoint_load(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err, int *found)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    *found = 0;
    if (!checkpoint) return HSP_OK;
    pthread_mutex_lock(&checkpoint->lock);
    const checkpoint_entry *entry = checkpoint_find(checkpoint, place);
    hsp__state state = {.loading = 1};
    *found = entry && entry->bytes;
    if (*found && ctx->shard)
        checkpoint_load_divided(ctx->shard, checkpoint, entry, &state, fn, user);
    else if (*found) {
        state.at = entry->bytes, state.left = entry->size;
        fn(&state, user);
    }
    pthread_mutex_unlock(&checkpoint->lock);
    if (!*found) return HSP_OK;
    hsp_status status = HSP_OK;
    if (state.failed)
        status = hsp__fail_memory(err);
    else if (state.differs)
        status = hsp__fail_at(err, HSP_USAGE, checkpoint->path, 0, 0,
                              "the checkpoint is of a run with another %s; use the one of that "
                              "run, or remove the file to begin again",
                              state.differs);
    else if (state.bad || state.left)
        status = checkpoint_damaged(checkpoint, err);
    return hsp__shard_agree(ctx, status, err);
}

/* ---- States of divided rows -------------------------------------------------------------------- */

/* The sizes of all blocks, as sums. */
static checkpoint_ends checkpoint_measure(const hsp__shard *shard, hsp__state_fn fn, void *user)
{
    checkpoint_ends ends = {{0}};
    hsp__state count = {.shard = shard, .block = HSP__STATE_COMMON};
    fn(&count, user);
    const uint64_t common = count.size;
    for (uint32_t b = shard->from; b < shard->to; b++) {
        count = (hsp__state){.shard = shard, .block = b};
        fn(&count, user);
        ends.at[b + 1] = count.size;
    }
    hsp__ranks_merge(shard->ranks, ends.at, sizeof ends.at);
    ends.at[0] = common;
    for (uint32_t b = 0; b < HSP__BLOCKS; b++)
        ends.at[b + 1] += ends.at[b];
    return ends;
}

/* Rank 0 keeps the state of all ranks: all of them make this call. */
static hsp_status checkpoint_collect(const hsp_context *ctx, checkpoint_entry *entry,
                                     hsp__checkpoint *checkpoint, hsp__state_fn fn, void *user,
                                     hsp_error *err)
{
    const hsp__shard *shard = ctx->shard;
    const hsp_ranks *ranks = shard->ranks;
    const checkpoint_ends ends = checkpoint_measure(shard, fn, user);
    const uint64_t own = ends.at[shard->to] - ends.at[shard->from];
    const uint64_t head = sizeof ends, size = ranks->rank ? 0 : head + ends.at[HSP__BLOCKS];
    uint64_t to_at[HSP__BLOCKS + 1] = {0}, from_at[HSP__BLOCKS + 1] = {0};
    char *rows = hsp__new_raw(&checkpoint->memory, own, 1);
    const int fits = entry && rows && checkpoint_resize(checkpoint, entry, size);
    const hsp_status status = hsp__ranks_agree(ranks, fits ? HSP_OK : hsp__fail_memory(err), err);
    hsp__state state = {.shard = shard, .block = HSP__STATE_COMMON};
    if (!status && !ranks->rank) {
        memcpy(entry->bytes, &ends, sizeof ends);
        state.at = entry->bytes + head, state.left = ends.at[0];
        fn(&state, user);
        assert(!state.bad && !state.left);
    }
    state = (hsp__state){.shard = shard, .at = rows, .left = own};
    for (state.block = shard->from; !status && state.block < shard->to; state.block++)
        fn(&state, user);
    assert(status || (!state.bad && !state.left));
    for (int r = 0; r < ranks->count; r++) {
        uint32_t first, after;
        hsp__ranks_blocks(ranks, r, &first, &after);
        to_at[r + 1] = own; /* all of it to rank 0 */
        from_at[r + 1] = ranks->rank ? 0 : ends.at[after] - ends.at[0];
    }
    if (!status)
        ranks->exchange(ranks->user, rows, to_at,
                        ranks->rank ? rows : entry->bytes + head + ends.at[0], from_at);
    hsp__free(&checkpoint->memory, rows);
    return status;
}

/* The state of one process. */
static hsp_status checkpoint_copy(checkpoint_entry *entry, hsp__checkpoint *checkpoint,
                                  hsp__state_fn fn, void *user, hsp_error *err)
{
    hsp__state count = {0};
    fn(&count, user);
    if (!entry || !checkpoint_resize(checkpoint, entry, count.size)) return hsp__fail_memory(err);
    hsp__state state = {.at = entry->bytes, .left = entry->size};
    fn(&state, user);
    assert(!state.bad && !state.left);
    return HSP_OK;
}

hsp_status hsp__checkpoint_keep(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    if (!checkpoint || (checkpoint->silent && !ctx->shard)) return HSP_OK;
    pthread_mutex_lock(&checkpoint->lock);
    checkpoint_entry *entry = checkpoint_entry_of(checkpoint, place);
    hsp_status status = ctx->shard ? checkpoint_collect(ctx, entry, checkpoint, fn, user, err)
                                   : checkpoint_copy(entry, checkpoint, fn, user, err);
    if (!status) entry->kept = hsp__clock();
    if (!status && !checkpoint->silent && entry->kept - checkpoint->written >= checkpoint->seconds)
        status = checkpoint_write(ctx, checkpoint, err);
    pthread_mutex_unlock(&checkpoint->lock);
    return hsp__shard_agree(ctx, status, err);
}

hsp_status hsp__checkpoint_save(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    if (!checkpoint) return HSP_OK;
    pthread_mutex_lock(&checkpoint->lock);
    const checkpoint_entry *entry = checkpoint_entry_of(checkpoint, place);
    int due = !checkpoint->silent && !hsp__stopped(ctx) && entry &&
              hsp__clock() - entry->kept >= checkpoint->seconds;
    pthread_mutex_unlock(&checkpoint->lock);
    if (ctx->shard) due = hsp__ranks_any(ctx->shard->ranks, due); /* if rank 0 says so */
    return due ? hsp__checkpoint_keep(ctx, place, fn, user, err) : HSP_OK;
}

int hsp__checkpoint_has(hsp_context *ctx, const hsp__place *place)
{
    hsp__checkpoint *checkpoint = ctx->checkpoint;
    if (!checkpoint) return 0;
    pthread_mutex_lock(&checkpoint->lock);
    const checkpoint_entry *entry = checkpoint_find(checkpoint, place);
    const int has = entry && entry->bytes;
    pthread_mutex_unlock(&checkpoint->lock);
    return has;
}

void hsp__checkpoint_forget(hsp_context *ctx, const hsp__place *place, uint32_t from)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    uint64_t kept = 0;
    if (!checkpoint) return;
    pthread_mutex_lock(&checkpoint->lock);
    for (uint64_t i = 0; i < checkpoint->count; i++) {
        const checkpoint_entry *entry = &checkpoint->entries[i];
        if (entry->place.task == place->task && entry->place.step >= from &&
            entry->place.step < place->step)
            hsp__free(&checkpoint->memory, entry->bytes);
        else
            checkpoint->entries[kept++] = *entry;
    }
    checkpoint->count = kept;
    pthread_mutex_unlock(&checkpoint->lock);
}
