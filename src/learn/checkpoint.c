#include "learn/checkpoint.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/ranks.h"
#include "data/container.h"
#include "learn/learner.h"
#include "learn/option_helpers.h"

#define CHECKPOINT_FORMAT "halfspace-checkpoint"
#define CHECKPOINT_NAME   24 /* bytes of "TASK.STEP" */
#define CHECKPOINT_LEAST  16 /* pieces of metadata besides the options */

/* ---- States ---------------------------------------------------------------------------------- */

void hsp__state_bytes(hsp__state *state, void *memory, uint64_t bytes)
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

/* What was kept of a place; without bytes: nothing yet. */
typedef struct checkpoint_entry {
    hsp__place place;
    double kept; /* when, on hsp__clock */
    char *bytes;
    uint64_t size;
} checkpoint_entry;

struct hsp__checkpoint {
    hsp_allocator memory;
    const char *path;
    double seconds; /* from one write to the next */
    int silent;     /* another rank writes */
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
    return checkpoint->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

/* The file is of another run: what differs, and what to do. */
static hsp_status checkpoint_differs(const hsp__container *file, const hsp__meta *meta,
                                     const char *found, hsp_error *err)
{
    static const char *const words[][2] = {
        {"version", "another version of halfspace"},
        {"data_hash", "other data"},
        {"row_weights", "other row weights"},
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
    hsp__quote(found ? found : "null", found ? strlen(found) : 4, was);
    return hsp__fail_at(
        err, HSP_USAGE, name, 0, 0,
        "the checkpoint is of a run with %s %s, here it is %.80s; use the options of "
        "that run, or remove the file to begin again",
        meta->key, was, meta->value);
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

hsp_status hsp__checkpoint_read(hsp_context *ctx, const hsp__container *file,
                                hsp__checkpoint *checkpoint, hsp_error *err)
{
    const hsp__tensor *tensor;
    HSP__TRY(hsp__metadata_format(file, CHECKPOINT_FORMAT, err));
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
        if (strcmp(checkpoint_name(&place, name), tensor->name) != 0 ||
            hsp__container_tensor(file, name) != tensor || tensor->dtype != HSP__U8 ||
            tensor->dims != 1)
            return hsp__fail_at(err, HSP_BAD_DATA, hsp__container_name(file), 0, 0,
                                "this is not the state of a training");
        if (!hsp__checkpoint_put(checkpoint, &place, tensor->data, tensor->shape[0]))
            return hsp__fail_memory(err);
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
    uint32_t crc = 0, *all;
    int same = 1;
    for (uint64_t i = 0; i < checkpoint->count; i++)
        crc = hsp__crc32(crc, checkpoint->entries[i].bytes, (size_t)checkpoint->entries[i].size);
    all = hsp__new(&checkpoint->memory, (uint64_t)ranks->count, sizeof *all);
    HSP__TRY(hsp__ranks_agree(ranks, all ? HSP_OK : hsp__fail_memory(err), err));
    hsp__ranks_gather(ranks, &crc, sizeof crc, all);
    for (int r = 0; r < ranks->count; r++)
        same &= all[r] == all[0];
    hsp__free(&checkpoint->memory, all);
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
    if (!status && access(checkpoint->path, F_OK) == 0)
        status = hsp__container_open(ctx, checkpoint->path, err, &file);
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

hsp_status hsp__checkpoint_load(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err, int *found)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    *found = 0;
    if (!checkpoint) return HSP_OK;
    pthread_mutex_lock(&checkpoint->lock);
    const checkpoint_entry *entry = checkpoint_find(checkpoint, place);
    hsp__state state = {.loading = 1};
    if (entry) state.at = entry->bytes, state.left = entry->size;
    if (state.at) fn(&state, user);
    pthread_mutex_unlock(&checkpoint->lock);
    *found = state.at != NULL;
    if (state.failed) return hsp__fail_memory(err);
    return state.bad || state.left ? checkpoint_damaged(checkpoint, err) : HSP_OK;
}

hsp_status hsp__checkpoint_keep(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    hsp_status status = HSP_OK;
    if (!checkpoint || checkpoint->silent) return HSP_OK;
    hsp__state count = {0};
    fn(&count, user);
    pthread_mutex_lock(&checkpoint->lock);
    checkpoint_entry *entry = checkpoint_entry_of(checkpoint, place);
    if (!entry || !checkpoint_resize(checkpoint, entry, count.size)) status = hsp__fail_memory(err);
    if (!status) {
        hsp__state state = {.at = entry->bytes, .left = entry->size};
        fn(&state, user);
        assert(!state.bad && !state.left);
        entry->kept = hsp__clock();
        if (entry->kept - checkpoint->written >= checkpoint->seconds)
            status = checkpoint_write(ctx, checkpoint, err);
    }
    pthread_mutex_unlock(&checkpoint->lock);
    return status;
}

hsp_status hsp__checkpoint_save(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err)
{
    hsp__checkpoint *checkpoint = place ? ctx->checkpoint : NULL;
    if (!checkpoint || checkpoint->silent || hsp__stopped(ctx)) return HSP_OK;
    pthread_mutex_lock(&checkpoint->lock);
    const checkpoint_entry *entry = checkpoint_entry_of(checkpoint, place);
    const int due = entry && hsp__clock() - entry->kept >= checkpoint->seconds;
    pthread_mutex_unlock(&checkpoint->lock);
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
