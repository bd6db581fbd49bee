/* Checkpoints: a file from which a training that was killed goes on, to the same bits.
 *
 * A training has tasks (one per class or pair of classes), and a task has steps (the turn of a solver,
 * its result). The state of a step is a list of pieces of memory; one function per solver walks over the
 * list, to count, to save and to load it:
 *
 *     static void my_state(hsp__state *state, void *user)
 *     {
 *         my_solver *m = user;
 *         HSP__STATE(state, m->passes);
 *         hsp__state_bytes(state, m->w, m->d * sizeof *m->w);
 *     }
 *
 * At its start, a solver loads the state if there is one; at the head of its loop it saves it if that
 * is due. States are kept in memory, each as of the time when it was saved, and the file has all of
 * them: tasks do not depend on each other, so together they are a state of the training. A step that is
 * not in the file is begun again, with the same result.
 *
 * Of rows that are divided among ranks (base/ranks.h), the state of a rank is what all ranks have, and
 * arrays of its own rows. The function walks over it once for the former and once for each block of rows.
 * Rank 0 collects the blocks, so that the file has all rows in their order, and a run may go on with
 * another number of ranks.
 *
 * The file is a container (data/container.h). Its metadata say which run it belongs to: version, learner,
 * data, options. */
#ifndef HSP_LEARN_CHECKPOINT_H
#define HSP_LEARN_CHECKPOINT_H

#include "base/ranks.h"

struct hsp__train;
struct hsp__container;

/* ---- States ---------------------------------------------------------------------------------- */

typedef struct hsp__state {
    int loading;
    char *at;                /* what was saved, or room for it; NULL: bytes are counted */
    uint64_t left;           /* bytes from there on */
    uint64_t size;           /* bytes so far */
    int bad;                 /* what was loaded is not a state */
    int failed;              /* memory ran out */
    const char *differs;     /* it is a state, but of a run with another one of these; NULL: no */
    const hsp__shard *shard; /* rows are divided among ranks; NULL: they are not */
    uint32_t
        block; /* the walk is over rows of this block only; HSP__STATE_COMMON: over all but rows */
} hsp__state;
#define HSP__STATE_COMMON UINT32_MAX

typedef void (*hsp__state_fn)(hsp__state *state, void *user);

/* The next bytes of the state; the same on all ranks. */
void hsp__state_bytes(hsp__state *state, void *memory, uint64_t bytes);
#define HSP__STATE(state, variable) hsp__state_bytes(state, &(variable), sizeof(variable))

/* An array with `each` bytes for each of `rows` rows: all that this rank has. */
void hsp__state_rows(hsp__state *state, void *memory, uint64_t rows, uint64_t each);

/* Of a number for each of `rows` rows, which are above 0: those are loaded as 1, and the others as 0. */
void hsp__state_positive(hsp__state *state, double *numbers, uint64_t rows);

/* The rows from..to-1, of `rows`, that the walk is over; none: from = to. */
void hsp__state_range(const hsp__state *state, uint64_t rows, uint64_t *from, uint64_t *to);

/* An array that grows: `pointer` is the address of the pointer to its items. */
void hsp__state_list(hsp__state *state, const hsp_allocator *memory, void *pointer, uint64_t *count,
                     uint64_t *room, size_t size);

/* Loaded numbers must be so: else the file is damaged. */
static inline void hsp__state_expect(hsp__state *state, int sound)
{
    if (state->loading && !sound) state->bad = 1;
}

/* ---- A training's checkpoint ------------------------------------------------------------------ */

typedef struct hsp__place {
    uint32_t task, step;
} hsp__place;

/* Every turn of a solver has some steps: its state, that of a solver inside, its result. */
enum { HSP__STEP_STATE, HSP__STEP_INSIDE, HSP__STEP_RESULT, HSP__STEPS };
#define HSP__STEP_GROUP 1000 /* plus their number: of tasks from this one on, solved together */
#define HSP__STEP_END   UINT32_MAX /* the step of a task that is done */

typedef struct hsp__checkpoint hsp__checkpoint;

/* The checkpoint of a training that has been opened, if its context asks for one: what its file has is
 * there to be loaded. HSP_USAGE if the file is of another run. All ranks have the same file. */
hsp_status hsp__checkpoint_open(const struct hsp__train *train, const hsp_ranks *ranks,
                                hsp_error *err, hsp__checkpoint **out);
void hsp__checkpoint_free(hsp__checkpoint *checkpoint);

/* The parts of it: one without states; a state (0: no memory); those of a file. */
hsp__checkpoint *hsp__checkpoint_new(const hsp_context *ctx);
int hsp__checkpoint_put(hsp__checkpoint *checkpoint, const hsp__place *place, const void *bytes,
                        uint64_t size);
hsp_status hsp__checkpoint_read(hsp_context *ctx, const struct hsp__container *file,
                                hsp__checkpoint *checkpoint, hsp_error *err);

/* In what follows nothing is done if ctx->checkpoint or `place` is NULL. */

/* Load the state of a place; *found: there was one. */
hsp_status hsp__checkpoint_load(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err, int *found);
/* Keep the state of a place, and write the file if that is due. */
hsp_status hsp__checkpoint_keep(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err);
/* The same, if the state that was kept is old enough. For the head of a solver's loop. */
hsp_status hsp__checkpoint_save(hsp_context *ctx, const hsp__place *place, hsp__state_fn fn,
                                void *user, hsp_error *err);
/* Forget the states of a task's steps from .. place->step - 1. */
void hsp__checkpoint_forget(hsp_context *ctx, const hsp__place *place, uint32_t from);
/* Is there the state of a place? */
int hsp__checkpoint_has(hsp_context *ctx, const hsp__place *place);

#endif
