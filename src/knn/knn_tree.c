/* Few columns: a tree of boxes.
 *
 * Equal rows are one point, found by hashing. The points are halved at about the median of the
 * column in which they spread most, until few are left. A sample says where that is; should it have
 * been a bad one, all points say it. A node keeps the smallest box around its points. A query goes
 * down the nearer box first and leaves out boxes that are further than the k-th nearest row so far.
 * The rows of a point are offered in their order, and no more of them once one is too far: a data
 * set that is one point many times over is one leaf.
 *
 * Exact: distances to boxes and points are computed in double, in any order, and compared with a
 * limit that is larger than what rounding could make of the reach; what passes is measured by
 * hsp__knn_pair, which alone decides. A box as far as the reach is looked into: an earlier row may
 * be in it.
 *
 * The cuts depend on the rows alone, so the tree is the same on any number of threads. Memory: the
 * points once more in double. Build: about points * log(points / 32); a query: leaves near it. */
#include <stdatomic.h>

#include "base/base.h"
#include "knn/knn_index_type.h"

enum {
    KNN_TREE_MOST_COLUMNS = 64,
    KNN_TREE_LEAF = 32,   /* points that are not cut any more */
    KNN_TREE_PAD = 4,     /* points of a leaf are a multiple of it */
    KNN_TREE_SAMPLE = 63, /* values of which the median is taken */
    KNN_TREE_SURE = 256,  /* this many are not cut worse than 1 : 7, unless by equal values */
    KNN_TREE_ROUNDS = 5,  /* cuts before parts are built each by a task of its own */
    KNN_TREE_PART = 2048, /* points of a part that is worth a task */
    KNN_TREE_GUESTS = 64, /* queries of a task */
};

#define KNN_TREE_SLACK 1e-12 /* more than sums of 64 terms are off by, relatively */
#define KNN_TREE_TINY  1e-150
#define KNN_TREE_TICK  1024 /* rows, points or nodes between two ticks */

typedef struct knn_tree_node {
    struct knn_tree_node *child; /* the first of two; NULL: a leaf */
    double *box;                 /* 2 * cols: lows, highs */
    uint64_t from, count;        /* leaf: its first point, and how many */
    double *at;                  /* leaf: its points (padded), column by column */
} knn_tree_node;

typedef struct knn_tree_state {
    uint64_t cols;
    uint32_t *starts; /* points + 1, leaf by leaf */
    uint32_t *member; /* rows: of point p from starts[p] on, ascending */
    knn_tree_node root;
} knn_tree_state;

static int knn_tree_fits(hsp__metric metric, const hsp_view *rows)
{
    return (metric == HSP__METRIC_L2 || metric == HSP__METRIC_L1 || metric == HSP__METRIC_LINF) &&
           rows->storage == HSP_DENSE && rows->cols > 0 && rows->cols <= KNN_TREE_MOST_COLUMNS &&
           rows->rows > 0 && rows->rows < UINT32_MAX / 4;
}

/* The number of points, rounded up to whole pads. */
static uint64_t knn_tree_wide(uint64_t points)
{
    return (points + KNN_TREE_PAD - 1) / KNN_TREE_PAD * KNN_TREE_PAD;
}

/* ---- Building -------------------------------------------------------------------------------- */

/* A range of points, and the node that is to have them. */
typedef struct knn_tree_part {
    uint64_t from, to;
    uint64_t middle; /* of a round: where it was cut; its end: not at all */
    knn_tree_node *node;
} knn_tree_part;

typedef struct knn_tree_job {
    hsp_context *ctx;
    const hsp_view *view;
    uint64_t cols, points;
    uint32_t *order;  /* points: the first row of each, leaf by leaf */
    uint32_t *point;  /* rows: which point it is, as they were found */
    uint32_t *starts; /* points + 2: as in the state, as they were found ... */
    uint32_t *member; /* ... and so is this */
    knn_tree_part parts[1 << KNN_TREE_ROUNDS];
    uint64_t count;
    hsp__scratch *memory; /* of the nodes: a part's, the one behind them for the nodes above */
    atomic_int no_memory;
} knn_tree_job;

static inline double knn_tree_value(const hsp_view *view, uint64_t row, uint64_t column)
{
    const uint64_t at = row * view->stride + column;
    return view->precision == HSP_FLOAT32 ? (double)((const float *)view->values)[at]
                                          : ((const double *)view->values)[at];
}

static int knn_tree_same(const hsp_view *view, uint64_t a, uint64_t b)
{
    for (uint64_t c = 0; c < view->cols; c++)
        if (knn_tree_value(view, a, c) != knn_tree_value(view, b, c)) return 0;
    return 1;
}

static uint64_t knn_tree_hash(const hsp_view *view, uint64_t row)
{
    uint64_t hash = 0;
    for (uint64_t c = 0; c < view->cols; c++) {
        const double x = knn_tree_value(view, row, c) + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash * 0xd6e8feb86659fd93u;
}

/* Which rows are the same point: points are numbered in the order of their first rows. The table
 * has the upper half of a point's hash, and 1 + its first row. 0: no memory, or stopped. */
static int knn_tree_points(knn_tree_job *job, hsp__scratch *memory)
{
    const hsp_view *view = job->view;
    int bits = 1;
    while ((uint64_t)1 << bits < 2 * view->rows)
        bits++;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t *table = hsp__new(memory->memory, mask + 1, sizeof *table);
    job->order = hsp__scratch_raw(memory, view->rows, sizeof *job->order);
    job->point = hsp__scratch_raw(memory, view->rows, sizeof *job->point);
    job->member = hsp__scratch_raw(memory, view->rows, sizeof *job->member);
    for (uint64_t i = 0; table && !memory->failed && i < view->rows; i++) {
        if (i % KNN_TREE_TICK == 0 && hsp__tick(job->ctx)) break;
        const uint64_t hash = knn_tree_hash(view, i), top = hash >> 32 << 32;
        uint64_t at = hash >> (64 - bits);
        for (; table[at]; at = (at + 1) & mask)
            if (table[at] >> 32 << 32 == top && knn_tree_same(view, i, (uint32_t)table[at] - 1))
                break;
        if (table[at]) {
            job->point[i] = job->point[(uint32_t)table[at] - 1];
        } else {
            table[at] = top | (i + 1);
            job->point[i] = (uint32_t)job->points;
            job->order[job->points++] = (uint32_t)i;
        }
    }
    hsp__free(memory->memory, table);
    if (!job->points || hsp__stopped(job->ctx)) return 0;
    job->starts = hsp__scratch_new(memory, job->points + 2, sizeof *job->starts);
    if (!job->starts) return 0;
    for (uint64_t i = 0; i < view->rows; i++)
        job->starts[job->point[i] + 2]++;
    for (uint64_t p = 0; p < job->points; p++)
        job->starts[p + 2] += job->starts[p + 1];
    for (uint64_t i = 0; i < view->rows; i++)
        job->member[job->starts[job->point[i] + 1]++] = (uint32_t)i;
    return 1;
}

static void knn_tree_box(const knn_tree_job *job, uint64_t from, uint64_t to, double *box)
{
    const uint64_t cols = job->cols;
    for (uint64_t c = 0; c < cols; c++)
        box[c] = box[cols + c] = knn_tree_value(job->view, job->order[from], c);
    for (uint64_t i = from + 1; i < to; i++) {
        if (i % KNN_TREE_TICK == 0 && hsp__tick(job->ctx)) return;
        for (uint64_t c = 0; c < cols; c++) {
            const double x = knn_tree_value(job->view, job->order[i], c);
            box[c] = x < box[c] ? x : box[c];
            box[cols + c] = x > box[cols + c] ? x : box[cols + c];
        }
    }
}

/* Where to cut: about the median of a column, of the more rows the better known. */
static double knn_tree_median(const knn_tree_job *job, uint64_t from, uint64_t to, uint64_t column)
{
    double sample[KNN_TREE_SAMPLE] = {0};
    uint64_t count = (to - from) / KNN_TREE_LEAF * 2 + 3;
    count = count < KNN_TREE_SAMPLE ? count : KNN_TREE_SAMPLE;
    for (uint64_t s = 0; s < count; s++) {
        const uint64_t at = from + hsp__part(to - from, count, s);
        const double x = knn_tree_value(job->view, job->order[at], column);
        uint64_t place = s;
        for (; place > 0 && sample[place - 1] > x; place--)
            sample[place] = sample[place - 1];
        sample[place] = x;
    }
    return sample[count / 2];
}

/* Doubles as integers in the same order, and back. */
static uint64_t knn_tree_key(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double knn_tree_unkey(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A range of points, cut at a value of a column; `with`: points that have it go to the left. */
typedef struct knn_tree_place {
    uint64_t from, to, column;
    double cut;
    int with;
} knn_tree_place;

static uint64_t knn_tree_split(const knn_tree_job *job, const knn_tree_place *place)
{
    const uint64_t column = place->column;
    const double cut = place->cut;
    const int with = place->with;
    uint32_t *order = job->order;
    uint64_t i = place->from, j = place->to;
    for (;;) {
        double x;
        while (i < j &&
               (x = knn_tree_value(job->view, order[i], column), x < cut || (with && x == cut)))
            i++;
        while (i < j && (x = knn_tree_value(job->view, order[j - 1], column),
                         x > cut || (!with && x == cut)))
            j--;
        if (i >= j) return i;
        const uint32_t t = order[i];
        order[i++] = order[--j];
        order[j] = t;
    }
}

/* Points that are below a value, or at most it. */
static uint64_t knn_tree_below(const knn_tree_job *job, const knn_tree_place *place, double value,
                               int with)
{
    uint64_t count = 0;
    for (uint64_t i = place->from; i < place->to; i++) {
        if (i % KNN_TREE_TICK == 0) hsp__tick(job->ctx); /* a cut is a cut all the same */
        const double x = knn_tree_value(job->view, job->order[i], place->column);
        count += with ? x <= value : x < value;
    }
    return count;
}

/* A better cut than the sample's: one that leaves a quarter on either side, by halving what lies
 * between the ends, whatever the order of the points; or a value so frequent that there is
 * none. */
static void knn_tree_middle(const knn_tree_job *job, knn_tree_place *place, double low, double high)
{
    const uint64_t quarter = (place->to - place->from) / 4, most = place->to - place->from;
    uint64_t from = knn_tree_key(low), to = knn_tree_key(high);
    while (from < to && !hsp__stopped(job->ctx)) {
        const uint64_t key = from + (to - from) / 2;
        const uint64_t below = knn_tree_below(job, place, knn_tree_unkey(key), 1);
        if (below >= quarter && below <= most - quarter) {
            place->cut = knn_tree_unkey(key);
            place->with = 1;
            return;
        }
        if (below < quarter)
            from = key + 1;
        else
            to = key;
    }
    place->cut = knn_tree_unkey(from);
    place->with = !(place->cut > low);
}

/* Is a cut the fault of the sample, not of values that are equal? */
static int knn_tree_bad(const knn_tree_job *job, const knn_tree_place *place, uint64_t middle)
{
    const uint64_t points = place->to - place->from, left = middle - place->from;
    const uint64_t less = left < points - left ? left : points - left;
    if (points < KNN_TREE_SURE || less >= points / 8) return 0;
    return knn_tree_below(job, place, place->cut, 0) > points / 2 ||
           knn_tree_below(job, place, place->cut, 1) < points / 2;
}

/* Cut a range of points in two by its box; returns where the second begins, or `to` when they are
 * all the same. */
static uint64_t knn_tree_cut(const knn_tree_job *job, uint64_t from, uint64_t to, const double *box)
{
    const uint64_t cols = job->cols;
    knn_tree_place place = {.from = from, .to = to};
    double most = 0;
    for (uint64_t c = 0; c < cols; c++) {
        /* Halves, because the difference of the ends may be more than a double holds. */
        const double spread = box[cols + c] / 2 - box[c] / 2;
        if (spread > most) most = spread, place.column = c;
    }
    if (!(most > 0)) /* the same, or apart by less than can be halved */
        for (place.column = 0;
             place.column < cols && !(box[cols + place.column] > box[place.column]); place.column++)
            ;
    if (place.column == cols) return to;
    place.cut = knn_tree_median(job, from, to, place.column);
    place.with = !(place.cut > box[place.column]); /* the least value: it goes to the left */
    uint64_t middle = knn_tree_split(job, &place);
    if (knn_tree_bad(job, &place, middle)) {
        knn_tree_middle(job, &place, box[place.column], box[cols + place.column]);
        middle = knn_tree_split(job, &place);
    }
    return middle;
}

/* Two nodes below one. */
static int knn_tree_branch(const knn_tree_job *job, hsp__scratch *memory, knn_tree_node *node)
{
    knn_tree_node *child = hsp__scratch_new(memory, 2, sizeof *child);
    double *boxes = hsp__scratch_raw(memory, 4 * job->cols, sizeof *boxes);
    if (!child || !boxes) return 0;
    child[0].box = boxes;
    child[1].box = boxes + 2 * job->cols;
    node->child = child;
    return 1;
}

/* Points [from, to) below a node. */
static int knn_tree_grow(const knn_tree_job *job, hsp__scratch *memory, knn_tree_node *node,
                         uint64_t from, uint64_t to)
{
    const uint64_t cols = job->cols, points = to - from;
    if (hsp__tick(job->ctx)) return 1; /* who builds the tree will see the same */
    knn_tree_box(job, from, to, node->box);
    const uint64_t middle = points <= KNN_TREE_LEAF ? to : knn_tree_cut(job, from, to, node->box);
    if (middle < to)
        return knn_tree_branch(job, memory, node) &&
               knn_tree_grow(job, memory, node->child, from, middle) &&
               knn_tree_grow(job, memory, node->child + 1, middle, to);
    /* a leaf: numbers beyond its points are those of its last one */
    const uint64_t wide = knn_tree_wide(points);
    node->from = from;
    node->count = points;
    node->at = hsp__scratch_raw(memory, wide * cols, sizeof *node->at);
    for (uint64_t c = 0; node->at && c < cols; c++)
        for (uint64_t p = 0; p < wide; p++)
            node->at[c * wide + p] =
                knn_tree_value(job->view, job->order[from + (p < points ? p : points - 1)], c);
    return node->at != NULL;
}

static void knn_tree_part_task(void *user, uint64_t p)
{
    knn_tree_job *job = user;
    const knn_tree_part *part = &job->parts[p];
    if (!knn_tree_grow(job, &job->memory[p], part->node, part->from, part->to))
        atomic_store(&job->no_memory, 1);
}

static void knn_tree_cut_task(void *user, uint64_t p)
{
    knn_tree_job *job = user;
    knn_tree_part *part = &job->parts[p];
    part->middle = part->to;
    if (part->to - part->from < 2 * KNN_TREE_PART) return;
    knn_tree_box(job, part->from, part->to, part->node->box);
    part->middle = knn_tree_cut(job, part->from, part->to, part->node->box);
}

/* Cut all parts in two, round by round; then a task builds each. 0: no memory, or stopped. */
static int knn_tree_nodes(knn_tree_job *job, knn_tree_node *root)
{
    hsp__scratch *memory = &job->memory[1 << KNN_TREE_ROUNDS];
    root->box = hsp__scratch_raw(memory, 2 * job->cols, sizeof *root->box);
    if (!root->box) return 0;
    job->parts[0] = (knn_tree_part){.to = job->points, .node = root};
    job->count = 1;
    for (int round = 0; round < KNN_TREE_ROUNDS; round++) {
        const uint64_t before = job->count;
        hsp__tasks_run(job->ctx, before, knn_tree_cut_task, job);
        for (uint64_t p = 0; p < before; p++) {
            knn_tree_part *part = &job->parts[p];
            if (part->middle == part->to) continue;
            if (!knn_tree_branch(job, memory, part->node)) return 0;
            part->node = part->node->child;
            job->parts[job->count++] =
                (knn_tree_part){.from = part->middle, .to = part->to, .node = part->node + 1};
            part->to = part->middle;
        }
    }
    return hsp__tasks_try(job->ctx, job->count, knn_tree_part_task, job) &&
           !atomic_load(&job->no_memory);
}

static hsp_status knn_tree_build(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    knn_tree_job *job = hsp__scratch_new(&scratch, 1, sizeof *job);
    knn_tree_state *own = near->own = hsp__scratch_new(&near->memory, 1, sizeof *own);
    hsp__scratch *parts = hsp__knn_parts(near, (1 << KNN_TREE_ROUNDS) + 1);
    int done = job && own && parts;
    if (done) {
        job->ctx = ctx;
        job->view = near->rows;
        job->memory = parts;
        job->cols = own->cols = near->rows->cols;
        done = knn_tree_points(job, &scratch) && knn_tree_nodes(job, &own->root);
    }
    if (done) {
        own->starts = hsp__scratch_raw(&near->memory, job->points + 1, sizeof *own->starts);
        own->member = hsp__scratch_raw(&near->memory, near->rows->rows, sizeof *own->member);
        done = !near->memory.failed;
    }
    uint32_t at = 0;
    for (uint64_t p = 0; done && p < job->points; p++) { /* what a query meets lies together */
        if (p % KNN_TREE_TICK == 0 && hsp__tick(ctx)) break;
        const uint32_t old = job->point[job->order[p]];
        own->starts[p] = at;
        for (uint32_t m = job->starts[old]; m < job->starts[old + 1]; m++)
            own->member[at++] = job->member[m];
    }
    if (done) own->starts[job->points] = at;
    hsp__scratch_free(&scratch);
    HSP__TRY(hsp__stop_status(ctx, err));
    return done ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Finding --------------------------------------------------------------------------------- */

typedef struct knn_tree_walk {
    const knn_tree_state *own;
    const hsp__knn_guests *guests;
    uint64_t guest, skip;
    const double *q; /* cols */
    double limit; /* nothing beyond is among the nearest: l2 squared; what columns have of it that
                     the index has */
    hsp__knn_heap heap;
} knn_tree_walk;

/* What the reach allows in the index's columns, and rounding. */
static void knn_tree_limit(knn_tree_walk *walk)
{
    const double reach = hsp__knn_reach(&walk->heap) * (1 + KNN_TREE_SLACK) + KNN_TREE_TINY;
    const double tail = walk->guests->tail[walk->guest] * (1 - KNN_TREE_SLACK);
    walk->limit = reach;
    if (isinf(reach)) return;
    switch (walk->guests->near->plan.metric) {
    case HSP__METRIC_L2:
        /* squares beyond the range of doubles leave nothing out */
        walk->limit =
            isinf(reach * reach) ? (double)INFINITY : (reach * reach - tail) * (1 + KNN_TREE_SLACK);
        break;
    case HSP__METRIC_L1:
        walk->limit = reach - tail;
        break;
    default: /* linf: no sum, as it is */
        break;
    }
}

/* The rows of a point, in their order: once one is too far, so are the others. */
static void knn_tree_offer(knn_tree_walk *walk, uint64_t point)
{
    const knn_tree_state *own = walk->own;
    const uint32_t from = own->starts[point], to = own->starts[point + 1];
    const double distance = hsp__knn_pair(walk->guests, walk->guest, own->member[from]);
    for (uint32_t at = from; at < to; at++) {
        const uint64_t row = own->member[at];
        if (row == walk->skip) continue;
        if (walk->heap.count == walk->heap.k && !hsp__nearer(distance, row, walk->heap.at)) break;
        hsp__knn_offer(&walk->heap, distance, row);
    }
    knn_tree_limit(walk);
}

/* The walk for one metric; ADD(sum, t): a sum with the gap t >= 0 of one more column. */
#define KNN_TREE_WALK(METRIC, ADD)                                                        \
    static double tree_gap_##METRIC(const knn_tree_walk *walk, const knn_tree_node *node) \
    {                                                                                     \
        const uint64_t cols = walk->own->cols;                                            \
        const double *box = node->box;                                                    \
        double sum = 0;                                                                   \
        for (uint64_t c = 0; c < cols; c++) {                                             \
            const double below = box[c] - walk->q[c], above = walk->q[c] - box[cols + c]; \
            const double out = below > above ? below : above, t = out > 0 ? out : 0;      \
            sum = ADD(sum, t);                                                            \
        }                                                                                 \
        return sum;                                                                       \
    }                                                                                     \
    static void tree_walk_##METRIC(knn_tree_walk *walk, const knn_tree_node *node)        \
    {                                                                                     \
        if (node->child) {                                                                \
            const double first = tree_gap_##METRIC(walk, node->child);                    \
            const double second = tree_gap_##METRIC(walk, node->child + 1);               \
            const int nearer = first > second;                                            \
            if (!((nearer ? second : first) > walk->limit))                               \
                tree_walk_##METRIC(walk, node->child + nearer);                           \
            if (!((nearer ? first : second) > walk->limit))                               \
                tree_walk_##METRIC(walk, node->child + !nearer);                          \
            return;                                                                       \
        }                                                                                 \
        const uint64_t cols = walk->own->cols, wide = knn_tree_wide(node->count);         \
        for (uint64_t p = 0; p < node->count; p += KNN_TREE_PAD) {                        \
            double sum[KNN_TREE_PAD] = {0};                                               \
            for (uint64_t c = 0; c < cols; c++)                                           \
                for (uint64_t j = 0; j < KNN_TREE_PAD; j++) {                             \
                    const double t = fabs(node->at[c * wide + p + j] - walk->q[c]);       \
                    sum[j] = ADD(sum[j], t);                                              \
                }                                                                         \
            for (uint64_t j = 0; j < KNN_TREE_PAD; j++)                                   \
                if (sum[j] <= walk->limit && p + j < node->count)                         \
                    knn_tree_offer(walk, node->from + p + j);                             \
        }                                                                                 \
    }

#define KNN_TREE_ADD_L2(sum, t)   ((sum) + (t) * (t))
#define KNN_TREE_ADD_L1(sum, t)   ((sum) + (t))
#define KNN_TREE_ADD_LINF(sum, t) ((t) > (sum) ? (t) : (sum))

KNN_TREE_WALK(l2, KNN_TREE_ADD_L2)
KNN_TREE_WALK(l1, KNN_TREE_ADD_L1)
KNN_TREE_WALK(linf, KNN_TREE_ADD_LINF)

static hsp_status knn_tree_answer(const hsp__knn_search *search, uint64_t from, uint64_t count,
                                  hsp_error *err)
{
    const hsp__knn_guests *guests = search->guests;
    const knn_tree_state *own = guests->near->own;
    const hsp__metric metric = guests->near->plan.metric;
    (void)err;
    for (uint64_t g = from; g < from + count && !hsp__stopped(search->ctx); g++) {
        knn_tree_walk walk = {.own = own, .guests = guests, .guest = g};
        walk.skip = hsp__knn_skip(search, g);
        walk.q = guests->spread + g * own->cols;
        walk.heap = (hsp__knn_heap){.at = search->out + g * search->k, .k = search->k};
        knn_tree_limit(&walk);
        if (metric == HSP__METRIC_L2)
            tree_walk_l2(&walk, &own->root);
        else if (metric == HSP__METRIC_L1)
            tree_walk_l1(&walk, &own->root);
        else
            tree_walk_linf(&walk, &own->root);
        hsp__knn_sort(&walk.heap);
    }
    return HSP_OK;
}

static hsp_status knn_tree_find(hsp__knn_search *search, hsp_error *err)
{
    return hsp__knn_run(search, KNN_TREE_GUESTS, knn_tree_answer, err);
}

const hsp__knn_index_type hsp__knn_tree = {.kind = HSP__KNN_TREE,
                                           .name = "tree",
                                           .most_columns = KNN_TREE_MOST_COLUMNS,
                                           .fits = knn_tree_fits,
                                           .build = knn_tree_build,
                                           .find = knn_tree_find};
