/* Few columns: a tree of boxes.
 *
 * Rows are cut at about the median of the column in which they spread most, until few are left: a
 * leaf. A sample says where that is; should it have been a bad one, all rows say it. Equal rows
 * stay together and are one point of a leaf. A node has the smallest boxes around up to 16 parts of
 * its rows, that is four cuts one below the other, so that a query is compared with 16 boxes at
 * once (vec.h: box_squares). It goes down the nearest box first and leaves out boxes that are
 * further than the k-th nearest row so far. The rows of a point are offered in their order, and no
 * more of them once one is too far: a data set that is one point many times over is one leaf.
 *
 * Exact: distances to boxes are computed in double, in any order, and compared with a limit that is
 * larger than what rounding could make of the reach; so are those to points, and what passes is
 * measured as hsp__knn_pair does, which alone decides. A box as far as the reach is looked into: an
 * earlier row may be in it.
 *
 * The cuts depend on the rows alone, so the tree is the same on any number of threads. Memory: the
 * points once more in double. Build: about rows * log(rows / 32); a query: leaves near it. */
#include <stdatomic.h>

#include "base/base.h"
#include "knn/knn_index_type.h"
#include "vec/vec.h"

enum {
    KNN_TREE_MOST_COLUMNS = 64,
    LANES = HSP__VEC_LANES,
    KNN_TREE_LEAF = 32,    /* points that are not cut any more */
    KNN_TREE_EQUALS = 256, /* rows among which equal ones are looked for */
    KNN_TREE_SAMPLE = 63,  /* rows that say where to cut */
    KNN_TREE_SURE = 256,   /* this many are not cut worse than 1 : 7, unless by equal values */
    KNN_TREE_ROUNDS = 4,   /* cuts one below the other in a node */
    KNN_TREE_GUESTS = 64,  /* queries of a task */
};

#define KNN_TREE_SLACK 1e-12 /* more than sums of 64 terms are off by, relatively */
#define KNN_TREE_TINY  1e-150
#define KNN_TREE_TICK  1024 /* rows or points between two ticks */

typedef struct knn_tree_node {
    struct knn_tree_node *child; /* `count` of them; NULL: a leaf of `count` points */
    double *numbers;  /* the children's boxes, or the points by LANES, column by column */
    uint32_t *starts; /* leaf: where its points' rows begin among all, count + 1; NULL: one each */
    uint32_t from, count; /* leaf: where its first row is */
} knn_tree_node;

typedef struct knn_tree_state {
    uint64_t cols;
    uint32_t *member; /* rows, leaf by leaf, point by point, then ascending */
    knn_tree_node root;
} knn_tree_state;

static int knn_tree_fits(hsp__metric metric, const hsp_view *rows)
{
    return (metric == HSP__METRIC_L2 || metric == HSP__METRIC_L1 || metric == HSP__METRIC_LINF) &&
           rows->storage == HSP_DENSE && rows->cols > 0 && rows->cols <= KNN_TREE_MOST_COLUMNS &&
           rows->rows > 0 && rows->rows < UINT32_MAX / 4;
}

/* ---- Building -------------------------------------------------------------------------------- */

/* A range of rows in `order`. */
typedef struct knn_tree_part {
    uint32_t from, to;
    uint32_t middle; /* of a round: where it was cut; its end: not at all */
    int points;      /* its points, once it is known not to be cut; 0: it may be */
} knn_tree_part;

typedef struct knn_tree_job {
    hsp_context *ctx;
    const hsp_view *view;
    uint64_t cols;
    uint32_t *order;      /* rows */
    uint32_t *spare;      /* rows */
    hsp__scratch *memory; /* of the nodes: of a part of the root, the one behind them for itself */
    knn_tree_node *root;
    knn_tree_part parts[LANES]; /* of the root */
    double *boxes;              /* theirs, one after the other: lows, highs */
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

/* Put the equal rows of a part together, in the order of their first ones. Returns the points, or 0
 * if they are more than a leaf has; `starts` are where they begin. */
static int knn_tree_group(const knn_tree_job *job, const knn_tree_part *part, uint32_t *starts)
{
    enum { TABLE = 2 * KNN_TREE_EQUALS };
    uint8_t table[TABLE] = {0}, point[KNN_TREE_EQUALS]; /* 1 + the number of a point */
    uint32_t *order = job->order + part->from, first[KNN_TREE_LEAF], ends[KNN_TREE_LEAF + 1] = {0};
    const uint32_t rows = part->to - part->from;
    int points = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t at = knn_tree_hash(job->view, order[i]) % TABLE;
        while (table[at] && !knn_tree_same(job->view, order[i], first[table[at] - 1]))
            at = (at + 1) % TABLE;
        if (!table[at]) {
            if (points == KNN_TREE_LEAF) return 0;
            first[points++] = order[i];
            table[at] = (uint8_t)points;
        }
        point[i] = table[at];
        ends[point[i]]++;
    }
    for (int p = 0; p < points; p++) {
        starts[p] = part->from + ends[p];
        ends[p + 1] += ends[p];
    }
    starts[points] = part->to;
    uint32_t *spare = job->spare + part->from;
    for (uint32_t i = 0; i < rows; i++)
        spare[ends[point[i] - 1]++] = order[i];
    memcpy(order, spare, rows * sizeof *order);
    return points;
}

/* A range of rows, cut at a value of a column; `with`: rows that have it go to the left. */
typedef struct knn_tree_place {
    uint64_t from, to, column;
    double cut;
    int with;
} knn_tree_place;

/* The column in which rows spread most, of those that are `step` apart; the number of columns: in
 * none. */
static uint64_t knn_tree_widest(const knn_tree_job *job, const knn_tree_part *part, uint64_t step)
{
    const uint64_t cols = job->cols;
    double low[KNN_TREE_MOST_COLUMNS], high[KNN_TREE_MOST_COLUMNS], most = 0;
    uint64_t widest = cols;
    for (uint64_t c = 0; c < cols; c++)
        low[c] = high[c] = knn_tree_value(job->view, job->order[part->from], c);
    for (uint64_t i = part->from + step; i < part->to; i += step) {
        if (i % KNN_TREE_TICK == 0 && hsp__tick(job->ctx)) break;
        for (uint64_t c = 0; c < cols; c++) {
            const double x = knn_tree_value(job->view, job->order[i], c);
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    }
    for (uint64_t c = 0; c < cols; c++) {
        /* Halves, because the difference of the ends may be more than a double holds; the ends
         * themselves, because they may be apart by less than can be halved. */
        const double spread = high[c] / 2 - low[c] / 2;
        if (high[c] > low[c] && (widest == cols || spread > most)) most = spread, widest = c;
    }
    return widest;
}

/* Where to cut: about the median of a column, of the more rows the better known. *equal: two of
 * them are. */
static double knn_tree_median(const knn_tree_job *job, const knn_tree_place *place, int *equal)
{
    double sample[KNN_TREE_SAMPLE] = {0};
    const uint64_t rows = place->to - place->from;
    uint64_t count = rows / KNN_TREE_LEAF * 2 + 3;
    count = count < KNN_TREE_SAMPLE ? count : KNN_TREE_SAMPLE;
    *equal = 0;
    for (uint64_t s = 0; s < count; s++) {
        const uint64_t at = place->from + hsp__part(rows, count, s);
        const double x = knn_tree_value(job->view, job->order[at], place->column);
        uint64_t to = s;
        for (; to > 0 && sample[to - 1] > x; to--)
            sample[to] = sample[to - 1];
        *equal |= to > 0 && sample[to - 1] == x;
        sample[to] = x;
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

/* Rows keep their order on either side. */
static inline uint64_t knn_tree_divide(const knn_tree_job *job, const knn_tree_place *place,
                                       int single)
{
    const uint64_t stride = job->view->stride, column = place->column;
    const float *floats = job->view->values;
    const double *doubles = job->view->values;
    uint32_t *order = job->order, *spare = job->spare + place->from;
    uint64_t left = place->from, right = 0;
    for (uint64_t i = place->from; i < place->to; i++) {
        const uint32_t row = order[i];
        const uint64_t at = row * stride + column;
        const double x = single ? (double)floats[at] : doubles[at];
        const int first = (x < place->cut) | (place->with & (x == place->cut));
        order[left] = row;
        spare[right] = row;
        left += (uint64_t)first;
        right += (uint64_t)!first;
    }
    memcpy(order + left, spare, right * sizeof *order);
    return left;
}

static uint64_t knn_tree_split(const knn_tree_job *job, const knn_tree_place *place)
{
    return job->view->precision == HSP_FLOAT32 ? knn_tree_divide(job, place, 1)
                                               : knn_tree_divide(job, place, 0);
}

/* Rows that are below a value, or at most it. */
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
 * between the ends, whatever the order of the rows; or a value so frequent that there is
 * none. */
static void knn_tree_middle(const knn_tree_job *job, knn_tree_place *place)
{
    double low = place->cut, high = place->cut;
    for (uint64_t i = place->from; i < place->to; i++) {
        const double x = knn_tree_value(job->view, job->order[i], place->column);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
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
    const uint64_t rows = place->to - place->from, left = middle - place->from;
    const uint64_t less = left < rows - left ? left : rows - left;
    if (rows < KNN_TREE_SURE || less >= rows / 8) return 0;
    return knn_tree_below(job, place, place->cut, 0) > rows / 2 ||
           knn_tree_below(job, place, place->cut, 1) < rows / 2;
}

/* Cut a part in two, if it has more points than a leaf. */
static void knn_tree_cut(const knn_tree_job *job, knn_tree_part *part)
{
    const uint32_t rows = part->to - part->from;
    uint32_t starts[KNN_TREE_LEAF + 1];
    knn_tree_place place = {.from = part->from, .to = part->to};
    int equal;
    part->middle = part->to;
    if (part->points || rows <= KNN_TREE_LEAF) return;
    place.column = knn_tree_widest(job, part, (rows + KNN_TREE_SAMPLE - 1) / KNN_TREE_SAMPLE);
    if (place.column == job->cols) place.column = knn_tree_widest(job, part, 1);
    if (place.column == job->cols) { /* all the same */
        part->points = 1;
        return;
    }
    place.cut = knn_tree_median(job, &place, &equal);
    if (equal && rows <= KNN_TREE_EQUALS) part->points = knn_tree_group(job, part, starts);
    if (part->points) return;
    uint64_t middle = knn_tree_split(job, &place);
    if (middle == part->from) { /* the cut is the least value: it goes to the left */
        place.with = 1;
        middle = knn_tree_split(job, &place);
    }
    if (knn_tree_bad(job, &place, middle)) {
        knn_tree_middle(job, &place);
        middle = knn_tree_split(job, &place);
    }
    part->middle = (uint32_t)middle;
}

/* The rounds of cuts of a node. Nodes are full where most of them are, right above the leaves. */
static int knn_tree_rounds(uint64_t rows)
{
    int cuts = 0;
    while (rows > (uint64_t)KNN_TREE_LEAF << cuts)
        cuts++;
    return cuts % KNN_TREE_ROUNDS ? cuts % KNN_TREE_ROUNDS : KNN_TREE_ROUNDS;
}

/* Parts that were cut become two. Returns how many there are. */
static uint64_t knn_tree_parted(knn_tree_part *parts, uint64_t count)
{
    const uint64_t before = count;
    for (uint64_t p = 0; p < before; p++) {
        if (parts[p].middle == parts[p].to) continue;
        parts[count++] = (knn_tree_part){.from = parts[p].middle, .to = parts[p].to};
        parts[p].to = parts[p].middle;
    }
    return count;
}

/* A leaf, and its box. Numbers beyond its points are those of its last one. */
static int knn_tree_leaf(const knn_tree_job *job, hsp__scratch *memory, const knn_tree_part *part,
                         knn_tree_node *node, double *box)
{
    const uint64_t cols = job->cols;
    const uint32_t rows = part->to - part->from;
    const uint64_t count = part->points ? (uint64_t)part->points : rows;
    const uint64_t wide = (count + LANES - 1) / LANES * LANES;
    *node = (knn_tree_node){.from = part->from, .count = (uint32_t)count};
    if (count < rows) {
        node->starts = hsp__scratch_raw(memory, KNN_TREE_LEAF + 1, sizeof *node->starts);
        if (!node->starts) return 0;
        node->starts[0] = part->from;
        node->starts[1] = part->to;
        if (count > 1) knn_tree_group(job, part, node->starts);
    }
    node->numbers = hsp__scratch_raw(memory, wide * cols, sizeof *node->numbers);
    if (!node->numbers) return 0;
    for (uint64_t p = 0; p < wide; p++) {
        const uint64_t point = p < count ? p : count - 1;
        const uint32_t row = job->order[node->starts ? node->starts[point] : part->from + point];
        double *at = node->numbers + p / LANES * LANES * cols + p % LANES;
        for (uint64_t c = 0; c < cols; c++) {
            const double x = at[c * LANES] = knn_tree_value(job->view, row, c);
            box[c] = p && box[c] < x ? box[c] : x;
            box[cols + c] = p && box[cols + c] > x ? box[cols + c] : x;
        }
    }
    return 1;
}

/* The boxes of a node's children, from boxes one after the other, and the box around them. */
static void knn_tree_boxes(const knn_tree_job *job, const double *boxes, knn_tree_node *node,
                           double *box)
{
    const uint64_t cols = job->cols;
    for (uint64_t p = 0; p < LANES; p++) {
        const double *from = boxes + 2 * cols * (p < node->count ? p : 0);
        for (uint64_t c = 0; c < cols; c++) {
            const double low = from[c], high = from[cols + c];
            node->numbers[2 * LANES * c + p] = low;
            node->numbers[2 * LANES * c + LANES + p] = high;
            box[c] = p && box[c] < low ? box[c] : low;
            box[cols + c] = p && box[cols + c] > high ? box[cols + c] : high;
        }
    }
}

/* Room for a node's children and their boxes, and to make these in; NULL: there is none. */
static double *knn_tree_branch(const knn_tree_job *job, hsp__scratch *memory, uint64_t count,
                               knn_tree_node *node)
{
    node->count = (uint32_t)count;
    node->child = hsp__scratch_new(memory, count, sizeof *node->child);
    node->numbers = hsp__scratch_raw(memory, 2 * LANES * job->cols, sizeof *node->numbers);
    return memory->failed ? NULL
                          : hsp__new_raw(memory->memory, 2 * LANES * job->cols, sizeof(double));
}

/* A part below a node, and its box. 0: no memory. */
static int knn_tree_grow(const knn_tree_job *job, hsp__scratch *memory, const knn_tree_part *part,
                         knn_tree_node *node, double *box)
{
    knn_tree_part parts[LANES] = {*part};
    uint64_t count = 1;
    const int rounds = knn_tree_rounds(part->to - part->from);
    if (hsp__tick(job->ctx)) return 1; /* who builds the tree will see the same */
    for (int round = 0; round < rounds; round++) {
        for (uint64_t p = 0; p < count; p++)
            knn_tree_cut(job, &parts[p]);
        count = knn_tree_parted(parts, count);
    }
    if (count == 1) return knn_tree_leaf(job, memory, parts, node, box);
    double *boxes = knn_tree_branch(job, memory, count, node);
    int done = boxes != NULL;
    for (uint64_t p = 0; done && p < count; p++)
        done = knn_tree_grow(job, memory, &parts[p], &node->child[p], boxes + 2 * job->cols * p);
    if (done) knn_tree_boxes(job, boxes, node, box);
    hsp__free(memory->memory, boxes);
    return done;
}

static void knn_tree_cut_task(void *user, uint64_t p)
{
    knn_tree_job *job = user;
    knn_tree_cut(job, &job->parts[p]);
}

static void knn_tree_part_task(void *user, uint64_t p)
{
    knn_tree_job *job = user;
    if (!knn_tree_grow(job, &job->memory[p], &job->parts[p], &job->root->child[p],
                       job->boxes + 2 * job->cols * p))
        atomic_store(&job->no_memory, 1);
}

/* The root's parts are cut round by round; then a task builds each. 0: no memory, or stopped. */
static int knn_tree_nodes(knn_tree_job *job)
{
    double box[2 * KNN_TREE_MOST_COLUMNS];
    hsp__scratch *memory = &job->memory[LANES];
    uint64_t count = 1;
    job->parts[0] = (knn_tree_part){.to = (uint32_t)job->view->rows};
    for (int round = 0; round < KNN_TREE_ROUNDS; round++) {
        if (!hsp__tasks_try(job->ctx, count, knn_tree_cut_task, job)) return 0;
        count = knn_tree_parted(job->parts, count);
    }
    job->boxes = knn_tree_branch(job, memory, count, job->root);
    const int done = job->boxes && hsp__tasks_try(job->ctx, count, knn_tree_part_task, job) &&
                     !atomic_load(&job->no_memory);
    if (done) knn_tree_boxes(job, job->boxes, job->root, box);
    hsp__free(memory->memory, job->boxes);
    return done;
}

static hsp_status knn_tree_build(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const uint64_t rows = near->rows->rows;
    knn_tree_state *own = near->own = hsp__scratch_new(&near->memory, 1, sizeof *own);
    hsp__scratch *parts = hsp__knn_parts(near, LANES + 1);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    knn_tree_job job = {.ctx = ctx, .view = near->rows, .cols = near->rows->cols, .memory = parts};
    job.order = hsp__scratch_raw(&near->memory, rows, sizeof *job.order);
    job.spare = hsp__scratch_raw(&scratch, rows, sizeof *job.spare);
    int done = !near->memory.failed && !scratch.failed;
    if (done) {
        own->cols = job.cols;
        own->member = job.order;
        job.root = &own->root;
        for (uint64_t i = 0; i < rows; i++)
            job.order[i] = (uint32_t)i;
        done = knn_tree_nodes(&job);
    }
    hsp__scratch_free(&scratch);
    HSP__TRY(hsp__stop_status(ctx, err));
    return done ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* Distances of LANES points or boxes to a query, as in vec.h: l2 squared. */
typedef unsigned knn_tree_distances(size_t cols, const double *numbers, const double *q,
                                    double limit, double *out);

typedef struct knn_tree_walk {
    const knn_tree_state *own;
    const hsp__knn_guests *guests;
    uint64_t guest, skip;
    const double *q; /* cols */
    double limit; /* nothing beyond is among the nearest: l2 squared; what columns have of it that
                     the index has */
    hsp__knn_heap heap;
    knn_tree_distances *points, *boxes;
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

/* hsp__knn_pair of a point, whose numbers are at hand, unlike those of its row. */
static double knn_tree_l2(const knn_tree_walk *walk, const knn_tree_node *leaf, uint64_t point,
                          uint32_t row)
{
    const uint64_t cols = walk->own->cols;
    const double *at = leaf->numbers + point / LANES * LANES * cols + point % LANES;
    double x[KNN_TREE_MOST_COLUMNS];
    for (uint64_t c = 0; c < cols; c++)
        x[c] = at[c * LANES];
    return hsp__knn_root(walk->guests, walk->guest, row, hsp__vec()->sqdist_f64(x, walk->q, cols));
}

/* The rows of a point, in their order: once one is too far, so are the others. */
static void knn_tree_offer(knn_tree_walk *walk, const knn_tree_node *leaf, uint64_t point)
{
    const uint32_t from = leaf->starts ? leaf->starts[point] : leaf->from + (uint32_t)point;
    const uint32_t to = leaf->starts ? leaf->starts[point + 1] : from + 1;
    const uint32_t *member = walk->own->member;
    const double distance = walk->guests->near->plan.metric == HSP__METRIC_L2
                                ? knn_tree_l2(walk, leaf, point, member[from])
                                : hsp__knn_pair(walk->guests, walk->guest, member[from]);
    for (uint32_t at = from; at < to; at++) {
        const uint64_t row = member[at];
        if (row == walk->skip) continue;
        if (walk->heap.count == walk->heap.k && !hsp__nearer(distance, row, walk->heap.at)) break;
        hsp__knn_offer(&walk->heap, distance, row);
    }
    knn_tree_limit(walk);
}

static void knn_tree_scan(knn_tree_walk *walk, const knn_tree_node *leaf)
{
    const uint64_t cols = walk->own->cols;
    double sums[LANES];
    for (uint64_t p = 0; p < leaf->count; p += LANES) {
        unsigned near = walk->points(cols, leaf->numbers + p * cols, walk->q, walk->limit, sums);
        if (leaf->count - p < LANES) near &= (1u << (leaf->count - p)) - 1;
        for (; near; near &= near - 1) {
            const unsigned j = (unsigned)__builtin_ctz(near);
            if (sums[j] <= walk->limit) knn_tree_offer(walk, leaf, p + j);
        }
    }
}

/* The nearest child first, as long as there is one that is not too far. */
static void knn_tree_visit(knn_tree_walk *walk, const knn_tree_node *node)
{
    double gaps[LANES];
    if (!node->child) {
        knn_tree_scan(walk, node);
        return;
    }
    unsigned left = walk->boxes(walk->own->cols, node->numbers, walk->q, walk->limit, gaps);
    left &= (1u << node->count) - 1;
    while (left) {
        unsigned first = (unsigned)__builtin_ctz(left);
        for (unsigned more = left & (left - 1); more; more &= more - 1) {
            const unsigned j = (unsigned)__builtin_ctz(more);
            first = gaps[j] < gaps[first] ? j : first;
        }
        if (gaps[first] > walk->limit) break;
        left &= ~(1u << first);
        knn_tree_visit(walk, &node->child[first]);
    }
}

/* l1 and linf; ADD(sum, t): a sum with the gap t >= 0 of one more column. */
#define KNN_TREE_DISTANCES(METRIC, ADD)                                                          \
    static unsigned knn_tree_at_most_##METRIC(const double *sums, double limit)                  \
    {                                                                                            \
        unsigned near = 0;                                                                       \
        for (unsigned j = 0; j < LANES; j++)                                                     \
            near |= (unsigned)(sums[j] <= limit) << j;                                           \
        return near;                                                                             \
    }                                                                                            \
    static unsigned knn_tree_points_##METRIC(size_t cols, const double *points, const double *q, \
                                             double limit, double *out)                          \
    {                                                                                            \
        memset(out, 0, LANES * sizeof *out);                                                     \
        for (size_t c = 0; c < cols; c++)                                                        \
            for (size_t j = 0; j < LANES; j++) {                                                 \
                const double t = fabs(points[c * LANES + j] - q[c]);                             \
                out[j] = ADD(out[j], t);                                                         \
            }                                                                                    \
        return knn_tree_at_most_##METRIC(out, limit);                                            \
    }                                                                                            \
    static unsigned knn_tree_boxes_##METRIC(size_t cols, const double *boxes, const double *q,   \
                                            double limit, double *out)                           \
    {                                                                                            \
        memset(out, 0, LANES * sizeof *out);                                                     \
        for (size_t c = 0; c < cols; c++, boxes += 2 * LANES)                                    \
            for (size_t j = 0; j < LANES; j++) {                                                 \
                const double below = boxes[j] - q[c], above = q[c] - boxes[LANES + j];           \
                const double most = below > above ? below : above, t = most > 0 ? most : 0;      \
                out[j] = ADD(out[j], t);                                                         \
            }                                                                                    \
        return knn_tree_at_most_##METRIC(out, limit);                                            \
    }

#define KNN_TREE_ADD_L1(sum, t)   ((sum) + (t))
#define KNN_TREE_ADD_LINF(sum, t) ((t) > (sum) ? (t) : (sum))

KNN_TREE_DISTANCES(l1, KNN_TREE_ADD_L1)
KNN_TREE_DISTANCES(linf, KNN_TREE_ADD_LINF)

static hsp_status knn_tree_answer(const hsp__knn_search *search, uint64_t from, uint64_t count,
                                  hsp_error *err)
{
    const hsp__knn_guests *guests = search->guests;
    const knn_tree_state *own = guests->near->own;
    const hsp__metric metric = guests->near->plan.metric;
    knn_tree_walk walk = {.own = own, .guests = guests};
    walk.points = metric == HSP__METRIC_L2   ? hsp__vec()->point_squares
                  : metric == HSP__METRIC_L1 ? knn_tree_points_l1
                                             : knn_tree_points_linf;
    walk.boxes = metric == HSP__METRIC_L2   ? hsp__vec()->box_squares
                 : metric == HSP__METRIC_L1 ? knn_tree_boxes_l1
                                            : knn_tree_boxes_linf;
    (void)err;
    for (uint64_t g = from; g < from + count && !hsp__stopped(search->ctx); g++) {
        walk.guest = g;
        walk.skip = hsp__knn_skip(search, g);
        walk.q = guests->spread + g * own->cols;
        walk.heap = (hsp__knn_heap){.at = search->out + g * search->k, .k = search->k};
        knn_tree_limit(&walk);
        knn_tree_visit(&walk, &own->root);
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
