/* The driver that all mistake-driven learners share.
 *
 * A run walks over examples. It scores a row with the weights of the moment, asks whether the rule
 * wants to learn from it, and lets the rule change the weights. Passes, order, averaging, voting,
 * tracing, limits, progress, streams and single steps are the driver's; a rule says
 *
 *     how to score        s(x) = <w, x> + b a scorer, always: weights and offsets are the run's, a
 *                         rule may add a number of its own to the score of each row (`extra`)
 *     what is a mistake   two classes: y s is not above limit[y]; more classes: the margin
 *                         s_y - max of the others is not above a limit, or the tie rule says so
 *     how to update       a function, called on mistakes only
 *     its own state       its size, and functions to set it up and take it down
 *
 * A rule may also keep its weights in a form of its own (`score`): then it is asked for the score
 * of every row, learns from every row, right or wrong, counts its mistakes itself, and returns
 * weights and offset in the end.
 *
 * A rule may learn in a scale that grows (`growth`): then weights / (growth * examples) are what is
 * meant, and two classes' mistakes are decided by those: y s is not above 1.
 *
 * A rule that multiplies writes single weights (hsp__online_put). Where they would leave the range
 * of numbers it may divide all of them by a power of two, offsets too (`power`): scores are smaller,
 * their signs and their order the same.
 *
 * Between two updates the weights do not change: so the driver looks for the next mistake over many
 * rows at once (hsp__online_find), with everything that depends on the kind of rows decided outside
 * the loop, and on several threads when mistakes are rare. The bits are those of one row at a time.
 */
#ifndef HSP_LEARN_ONLINE_ONLINE_H
#define HSP_LEARN_ONLINE_ONLINE_H

#include "learn/checkpoint.h"
#include "learn/online/ledger.h"
#include "learn/learner.h"
#include "learn/watch.h"
#include "model/interleaved.h"
#include "vec/vec.h"

struct hsp__text;

typedef enum hsp__walk {
    HSP__WALK_CYCLIC,
    HSP__WALK_SHUFFLE, /* a fresh permutation each pass, from random stream (seed, pass) */
    HSP__WALK_FIRST,   /* these three pick one mistake at a time among all rows: the first, */
    HSP__WALK_WORST,   /* the one with the smallest y s, the first among equals, */
    HSP__WALK_RANDOM   /* or one drawn from random stream (seed, number of updates) */
} hsp__walk;

typedef enum hsp__average { HSP__AVERAGE_NONE, HSP__AVERAGE_MEAN, HSP__AVERAGE_VOTE } hsp__average;

/* What the driver itself is told; hsp__online_plan_read finds it among a learner's options. */
typedef struct hsp__online_plan {
    hsp__walk order;
    hsp__average average;
    hsp_tie tie;
    int ovr;              /* more than two classes: one run a class against the rest */
    uint64_t passes;      /* at most; a pass without mistakes ends a run before */
    uint64_t max_updates; /* 0: any number */
    double max_seconds;   /* 0: any number */
    uint64_t seed;
} hsp__online_plan;

typedef struct hsp__online hsp__online;
typedef struct hsp__proof hsp__proof; /* trace.h */

/* What the rule may know about the rows before it starts. */
typedef struct hsp__online_facts {
    uint64_t rows;            /* 0: a stream */
    double radius;            /* the largest norm of a row; NaN: not known */
    const hsp_scaling *votes; /* what made votes of the numbers; NULL: nothing did */
    uint32_t classes;         /* of all runs together */
} hsp__online_facts;

typedef struct hsp__online_rule {
    size_t state_bytes; /* of run->state, zeroed before init */
    int native;         /* it has a form for more than two classes (else one-vs-rest only) */
    int sided;          /* the classes are not alike to it: a stream has to name them */
    int unit_values;    /* rows hold values from 0 to 1, others are refused (input_checks.h) */
    /* Do the options fit together? `streamed`: the rows are a stream, not known beforehand. */
    hsp_status (*check)(const hsp_options *options, int streamed, hsp_error *err);
    int (*wants_radius)(const hsp_options *options);          /* facts->radius is used; NULL: no */
    void (*proof)(const hsp__online *run, hsp__proof *proof); /* for traces */
    /* Read the rule's options; set run->mistake. */
    hsp_status (*init)(hsp__online *run, const hsp_options *options, const hsp__online_facts *facts,
                       hsp_error *err);
    void (*free)(hsp__online *run); /* what init allocated; NULL: nothing */
    /* After init, and when columns are new: those from `before` on have the weight 0, and no
     * weights are there but they. NULL: as they should be. */
    hsp_status (*grow)(hsp__online *run, uint64_t before, hsp_error *err);
    /* What a trace says after `score`, in the place of norm and offset: the columns' names, and
     * their values, at most HSP__TRACE_MOST. NULL: norm and offset. */
    const char *(*trace_head)(const hsp__online *run);
    size_t (*trace)(const hsp__online *run, double *values);
    /* Learn from a row that is a mistake: `toward` is the scorer whose score should grow, `away`
     * the one whose score should shrink, HSP_NO_CLASS for none. Two classes have one scorer, and
     * only one of the two is given. It changes weights by hsp__online_add, or one by one by
     * hsp__online_put, and then hsp__online_note. */
    hsp_status (*update)(hsp__online *run, const hsp_view *view, uint64_t row, uint32_t toward,
                         uint32_t away, hsp_error *err);

    /* After `examples` rows of an earlier run (0: not known), whose weights and offsets are in place in
     * the first columns: the rest of a scorer's state. NULL: there is none. `state`: what `keep` wrote. */
    hsp_status (*resume)(hsp__online *run, uint32_t scorer, uint64_t features, uint64_t examples,
                         const double *state, hsp_error *err);
    /* HSP__STATE_HEAD numbers, the first of them the examples, and one per column, for `resume`. NULL:
     * it needs none. */
    void (*keep)(const hsp__online *run, uint32_t scorer, double *state);

    /* For checkpoints: what changes of a rule's own state during a run. NULL: nothing. */
    void (*state)(hsp__online *run, hsp__state *state);

    /* ---- A rule whose weights are not in the scale that is meant; NULL: they are ---- */
    double (*meant)(const hsp__online *run, double score);         /* what a score stands for */
    void (*rescale)(const hsp__online *run, double *w, double *b); /* the returned weights */
    int (*power)(const hsp__online *run); /* weights and offsets were divided by 2^power */

    /* ---- A rule with weights of its own; NULL: the run's are meant ---- */
    /* The score of a row, two classes, from -1 to 1. `update` is then called for every row and
     * counts run->updates, mistakes and first_wrong. */
    double (*score)(hsp__online *run, const hsp_view *view, uint64_t row);
    void (*result)(const hsp__online *run, double *w, double *b); /* w: features */
    void (*report)(const hsp__online *run, hsp_training *out);    /* figures of its own */
    /* Traces of its own: the first line, and the one after an update. */
    void (*lines_head)(const hsp__online *run, const hsp_data *data, struct hsp__text *text);
    void (*lines_row)(const hsp__online *run, uint64_t row, double score, struct hsp__text *text);
} hsp__online_rule;

#define HSP__TRACE_MOST 4
#define HSP__STATE_HEAD 6

typedef struct hsp__trace hsp__trace; /* trace.h */

/* The separators of the moment: w and b per scorer. */
typedef struct hsp__online_separators {
    uint32_t scorers;
    uint32_t target;      /* one scorer: the class that is positive, all others are negative */
    uint64_t features;    /* columns seen */
    uint64_t stride;      /* room: from one scorer's weights to the next; a multiple of 8 */
    double *weights;      /* scorers * stride, 64-byte aligned */
    double *offsets;      /* scorers */
    double *past;         /* scorers * stride, averaging only: sum over updates of change *
                              (examples before it), so that the mean of all separators is
                              w - past / examples */
    double *past_offsets; /* scorers */
    hsp__interleaved
        *interleaved; /* the weights once more, for sparse rows and several scorers: its
                                 own, or shared with other runs of a ovr; NULL: none */
    hsp__interleaved own_interleaved;
    uint32_t interleaved_at;          /* the column of scorer 0 */
    void *weights_block, *past_block; /* what was allocated for weights and past */
} hsp__online_separators;

/* A scale that grows (pegasos): weights and offset are rate * examples times what they stand for,
 * and a row is right when y s > 1 with those. */
typedef struct hsp__online_growth {
    double rate;       /* 0: weights are what they stand for */
    double drift;      /* an offset of its own, in the scale that is meant */
    double past_drift; /* averaging: sum over its changes of change * (examples before, taken two at
                          a time: e (e + 1) / 2) */
    uint64_t at;       /* the position that the examples so far lead up to */
} hsp__online_growth;

/* What a mistake is. The rule's init sets it. */
typedef struct hsp__online_mistake {
    double limit[2]; /* a row of class y is right when y s > limit[y]: [0] negative, [1] positive;
                        more classes: limit[1] is the margin's, see margin_only */
    int margin_only; /* more classes: the limit alone decides; 0: the tie rule does */
    double *extra;   /* rows: added to the training score of each row; NULL: none. The rule's. */
    hsp__online_growth growth;
} hsp__online_mistake;

/* What the run has done, and whether it is over. */
typedef struct hsp__online_progress {
    uint64_t examples, updates, passes; /* passes: begun */
    uint64_t at;                        /* the position of a pass that is to go on there; 0: none */
    uint64_t mistakes;                  /* updates of the pass under way, or of the last */
    uint64_t first_seen, first_wrong;   /* first pass: examples, and wrong predictions among them */
    uint64_t first_zero[2];             /* ... but for scores of exactly 0: negative, positive */
    int started;                        /* the rule's init is done */
    int stopped;                        /* for the reason `stop` */
    hsp_stop stop;
    hsp__watch *watch; /* NULL: nobody watches */
} hsp__online_progress;

/* What is remembered of the updates. */
typedef struct hsp__online_records {
    int keep_ledger; /* rows stay: note who was added how often */
    hsp__ledger ledger;
    hsp__steps *steps;       /* of voting; NULL: none */
    hsp__sequence *sequence; /* the rows of updates are added there; NULL: nobody asks */
    hsp__trace *trace;       /* NULL: none */
} hsp__online_records;

/* A kernel's feature space, where scores do not come from weights. */
typedef struct hsp__online_space {
    struct hsp__kernel_scores *kernel; /* NULL: none */
    uint32_t at;                       /* which of its scorers is scorer 0 */
    struct hsp__budget *budget;        /* of rows to be made of; NULL: none */
} hsp__online_space;

struct hsp__online {
    hsp_context *ctx;
    hsp__place place; /* in a checkpoint */
    const hsp__vec_table *vec;
    const hsp__online_rule *rule;
    void *state; /* rule->state_bytes: the rule's own */
    hsp__online_plan plan;
    hsp__online_separators sep;
    hsp__online_mistake mistake;
    hsp__online_progress done;
    hsp__online_records kept;
    hsp__online_space space;
    double *scores;                  /* scorers: of the row at hand */
    struct hsp__parallel_scan *scan; /* who looks ahead; NULL: nobody */
};

void hsp__online_plan_read(const hsp_options *options, hsp__online_plan *plan);

/* A run of zeros. The caller owns the struct and fills nothing in; free it even after a failure. */
hsp_status hsp__online_init(hsp__online *run, hsp_context *ctx, const hsp__online_rule *rule,
                            const hsp__online_plan *plan, const hsp_options *options,
                            const hsp__online_facts *facts, uint32_t scorers, uint32_t target,
                            uint64_t features, hsp_error *err);
void hsp__online_free(hsp__online *run);

/* Room for columns or scorers that were not there before; new weights are zero. */
hsp_status hsp__online_grow(hsp__online *run, uint32_t scorers, uint64_t features, hsp_error *err);

/* What rules call: w_scorer += amount * x, b_scorer += offset. */
hsp_status hsp__online_add(hsp__online *run, const hsp_view *view, uint64_t row, uint32_t scorer,
                           double amount, double offset, hsp_error *err);

/* What rules call that write weights one by one: w_scorer at a column, b_scorer. */
static inline void hsp__online_put(hsp__online *run, uint32_t scorer, uint64_t column, double w)
{
    const uint64_t at = scorer * run->sep.stride + column;
    if (run->sep.past)
        run->sep.past[at] += (w - run->sep.weights[at]) * (double)(run->done.examples - 1);
    run->sep.weights[at] = w;
}
static inline void hsp__online_put_offset(hsp__online *run, uint32_t scorer, double b)
{
    if (run->sep.past)
        run->sep.past_offsets[scorer] +=
            (b - run->sep.offsets[scorer]) * (double)(run->done.examples - 1);
    run->sep.offsets[scorer] = b;
}
/* ... and then, when all columns of a row are written: its update has that amount. */
hsp_status hsp__online_note(hsp__online *run, const hsp_view *view, uint64_t row, uint32_t scorer,
                            double amount, hsp_error *err);
/* The first position in from..to-1 whose row the rule wants to learn from, or `to`; its scores are
 * then in run->scores. Position p is row order[p], or row p when order is NULL. */
uint64_t hsp__online_find(hsp__online *run, const hsp_view *view, const uint64_t *order,
                          uint64_t from, uint64_t to);

/* What a score stands for. */
static inline double hsp__online_meant(const hsp__online *run, double score)
{
    return run->rule->meant ? run->rule->meant(run, score) : score;
}

/* Growth: a row of that class is right when y s is above this, `before` examples having been seen.
 */
static inline double hsp__online_bar(const hsp__online *run, int positive, uint64_t before)
{
    const double drift = positive ? run->mistake.growth.drift : -run->mistake.growth.drift;
    return run->mistake.growth.rate * (double)before * (1 - drift);
}

/* Score one row into run->scores (without extra). */
void hsp__online_score(hsp__online *run, const hsp_view *view, uint64_t row);

/* From the scores of a row: is it a mistake for the rule? *margin gets y s, or s_y less the best
 * other. */
int hsp__online_wrong(const hsp__online *run, const hsp_view *view, uint64_t row,
                      const double *scores, double *margin);

/* The best scorer other than y, the first among equals. */
uint32_t hsp__online_rival(const hsp__online *run, const double *scores, uint32_t y);

/* Learn from an example that is a mistake; its scores are in run->scores. (One that is none only
 * counts: run->examples++.) */
hsp_status hsp__online_learn(hsp__online *run, const hsp_view *view, uint64_t row, hsp_error *err);

/* Walk over positions from..to-1 once, as a part of the pass under way; ends early when the run
 * reaches a limit (run->stopped). Streams come here with whatever rows they have. */
hsp_status hsp__online_walk(hsp__online *run, const hsp_view *view, const uint64_t *order,
                            uint64_t from, uint64_t to, hsp_error *err);

/* The steps of a checkpoint (learn/checkpoint.h) that runs have: of all runs together in their first
 * pass, and after it; of a run. */
enum { HSP__STEP_TOGETHER, HSP__STEP_FIRST_PASS, HSP__STEP_RUN };

/* What surrounds a walk over all rows. begin fills `order` (rows numbers) and says whether it is to
 * be used; end decides whether the run is over. */
int hsp__online_begin(hsp__online *run, uint64_t rows, uint64_t *order);
void hsp__online_end(hsp__online *run);

/* `rows` more rows were looked at: note it, report it when this is the thread that may, and stop
 * the run if the time is over or the user wishes it. */
void hsp__online_tick(hsp__online *run, uint64_t rows, int report);

/* Checkpoints (online_state.c): the run's state over `rows` rows, loaded if it is there, saved if that
 * is due, or kept in any case. */
void hsp__online_state(hsp__state *state, hsp__online *run, uint64_t rows);
hsp_status hsp__online_load(hsp__online *run, uint64_t rows, hsp_error *err);
hsp_status hsp__online_save(hsp__online *run, uint64_t rows, hsp_error *err);
hsp_status hsp__online_keep(hsp__online *run, uint64_t rows, hsp_error *err);

/* Bytes of memory that one stored value takes. */
static inline uint64_t hsp__online_entry(const hsp_view *view)
{
    const uint64_t value = view->values ? hsp__value_bytes(view->precision) : 0;
    return value + (view->storage == HSP_DENSE ? 0 : sizeof *view->indices);
}

/* Rows to look at between two ticks: a few megabytes, or a block of a kernel's. */
uint64_t hsp__online_chunk(const hsp__online *run, const hsp_view *view);

/* Passes until the run stops, on up to `threads` threads. `report`: this is the thread that the
 * context belongs to. */
hsp_status hsp__online_run(hsp__online *run, const hsp_view *view, int threads, int report,
                           hsp_error *err);

/* The wrong predictions of the first pass; `flipped`: the positive class turned out to be class 0.
 */
uint64_t hsp__online_first_wrong(const hsp__online *run, int flipped);

/* The weights and offset that the run returns: the last ones, or the mean (growth: those meant,
 * the mean weighted by 1, 2, 3 ...). `w` has `features`. */
void hsp__online_result(const hsp__online *run, uint32_t scorer, double *w, double *b);

#endif
