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
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/threads.h"
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
    uint32_t child;       /* the first of two; 0: a leaf */
    uint32_t count;       /* leaf: points */
    uint64_t from, place; /* leaf: its first point, and the first of its (padded) numbers */
} knn_tree_node;

/* Nodes, boxes and numbers of a part of the points. */
typedef struct knn_tree_part {
    uint64_t from, to; /* of the order */
    knn_tree_node *nodes;
    double *boxes; /* nodes * 2 * cols: lows, highs */
    uint64_t node_count, node_room, box_room;
    double *at; /* places: of a leaf, column by column */
    uint64_t place_count, place_room;
} knn_tree_part;

typedef struct knn_tree_state {
    uint64_t rows, cols, points;
    uint32_t *order;  /* points: the first row of each, leaf by leaf; while building */
    uint32_t *point;  /* rows: which point it is, as they were found; while building */
    uint32_t *starts; /* points + 1, leaf by leaf (while building: as they were found) */
    uint32_t *member; /* rows: of point p from starts[p] on, ascending */
    /* The root and those above the parts, then every part's. */
    knn_tree_part all;
} knn_tree_state;

static int knn_tree_fits(hsp__metric metric, const hsp_view *rows)
{
    return (metric == HSP__METRIC_L2 || metric == HSP__METRIC_L1 || metric == HSP__METRIC_LINF) &&
           rows->storage == HSP_DENSE && rows->cols > 0 && rows->cols <= KNN_TREE_MOST_COLUMNS &&
           rows->rows > 0 && rows->rows < UINT32_MAX / 4;
}

/* ---- Building -------------------------------------------------------------------------------- */

typedef struct knn_tree_job {
    hsp_context *ctx;
    const hsp_view *view;
    knn_tree_state *own;
    knn_tree_part parts[1 << KNN_TREE_ROUNDS];
    uint64_t
        middles[1 << KNN_TREE_ROUNDS]; /* of a round: where a part was cut; its end: not at all */
    uint64_t count;
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

/* Number the points in the order of their first rows. The table has the upper half of a point's
 * hash, and 1 + its first row. */
static uint32_t knn_tree_number(hsp_context *ctx, const hsp_view *view, uint64_t *table, int bits,
                                uint32_t *point, uint32_t *order)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint32_t points = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        if (i % KNN_TREE_TICK == 0 && hsp__tick(ctx)) break;
        const uint64_t hash = knn_tree_hash(view, i), top = hash >> 32 << 32;
        uint64_t at = hash >> (64 - bits);
        for (; table[at]; at = (at + 1) & mask)
            if (table[at] >> 32 << 32 == top && knn_tree_same(view, i, (uint32_t)table[at] - 1))
                break;
        if (table[at]) {
            point[i] = point[(uint32_t)table[at] - 1];
        } else {
            table[at] = top | (i + 1);
            point[i] = points;
            order[points++] = (uint32_t)i;
        }
    }
    return points;
}

/* Which rows are the same point. */
static int knn_tree_points(knn_tree_job *job)
{
    const hsp_allocator *memory = &job->ctx->allocator;
    knn_tree_state *own = job->own;
    int bits = 1;
    while ((uint64_t)1 << bits < 2 * own->rows)
        bits++;
    uint64_t *table = hsp__new(memory, (uint64_t)1 << bits, sizeof *table);
    own->order = hsp__new_raw(memory, own->rows, sizeof *own->order);
    own->point = hsp__new_raw(memory, own->rows, sizeof *own->point);
    own->member = hsp__new_raw(memory, own->rows, sizeof *own->member);
    if (table && own->order && own->point && own->member)
        own->points = knn_tree_number(job->ctx, job->view, table, bits, own->point, own->order);
    hsp__free(memory, table);
    if (!own->points || hsp__stopped(job->ctx)) return 0;
    own->starts = hsp__new(memory, own->points + 2, sizeof *own->starts);
    if (!own->starts) return 0;
    for (uint64_t i = 0; i < own->rows; i++)
        own->starts[own->point[i] + 2]++;
    for (uint64_t p = 0; p < own->points; p++)
        own->starts[p + 2] += own->starts[p + 1];
    for (uint64_t i = 0; i < own->rows; i++)
        own->member[own->starts[own->point[i] + 1]++] = (uint32_t)i;
    return 1;
}

static void knn_tree_box(const knn_tree_job *job, uint64_t from, uint64_t to, double *box)
{
    const uint64_t cols = job->own->cols;
    for (uint64_t c = 0; c < cols; c++)
        box[c] = box[cols + c] = knn_tree_value(job->view, job->own->order[from], c);
    for (uint64_t i = from + 1; i < to; i++) {
        if (i % KNN_TREE_TICK == 0 && hsp__tick(job->ctx)) return;
        for (uint64_t c = 0; c < cols; c++) {
            const double x = knn_tree_value(job->view, job->own->order[i], c);
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
        const double x = knn_tree_value(job->view, job->own->order[at], column);
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
    uint32_t *order = job->own->order;
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
        const double x = knn_tree_value(job->view, job->own->order[i], place->column);
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
    const uint64_t cols = job->own->cols;
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

/* The points of a leaf; numbers beyond them are those of its last one. */
static int knn_tree_leaf(knn_tree_job *job, knn_tree_part *part, knn_tree_node *leaf, uint64_t from,
                         uint64_t to)
{
    const uint64_t cols = job->own->cols, points = to - from;
    const uint64_t wide = (points + KNN_TREE_PAD - 1) / KNN_TREE_PAD * KNN_TREE_PAD;
    if (!hsp__reserve(&job->ctx->allocator, (void **)&part->at, &part->place_room,
                      part->place_count + wide * cols, sizeof *part->at))
        return 0;
    for (uint64_t c = 0; c < cols; c++)
        for (uint64_t p = 0; p < wide; p++)
            part->at[part->place_count + c * wide + p] =
                knn_tree_value(job->view, job->own->order[from + (p < points ? p : points - 1)], c);
    *leaf = (knn_tree_node){0, (uint32_t)points, from, part->place_count};
    part->place_count += wide * cols;
    return 1;
}

/* Room for `more` nodes and their boxes. */
static int knn_tree_room(knn_tree_job *job, knn_tree_part *part, uint64_t more)
{
    const hsp_allocator *memory = &job->ctx->allocator;
    return hsp__reserve(memory, (void **)&part->nodes, &part->node_room, part->node_count + more,
                        sizeof *part->nodes) &&
           hsp__reserve(memory, (void **)&part->boxes, &part->box_room,
                        (part->node_count + more) * 2 * job->own->cols, sizeof *part->boxes);
}

/* Points [from, to) below a node that is there already. */
static int knn_tree_grow(knn_tree_job *job, knn_tree_part *part, uint64_t node, uint64_t from,
                         uint64_t to)
{
    const uint64_t size = 2 * job->own->cols;
    if (hsp__tick(job->ctx)) return 1; /* who builds the knn_tree_state will see the same */
    knn_tree_box(job, from, to, part->boxes + node * size);
    const uint64_t middle =
        to - from <= KNN_TREE_LEAF ? to : knn_tree_cut(job, from, to, part->boxes + node * size);
    if (middle == to) return knn_tree_leaf(job, part, part->nodes + node, from, to);
    if (!knn_tree_room(job, part, 2)) return 0;
    const uint64_t child = part->node_count;
    part->nodes[node] = (knn_tree_node){.child = (uint32_t)child};
    part->node_count += 2;
    return knn_tree_grow(job, part, child, from, middle) &&
           knn_tree_grow(job, part, child + 1, middle, to);
}

static void knn_tree_part_task(void *user, uint64_t p)
{
    knn_tree_job *job = user;
    knn_tree_part *part = &job->parts[p];
    int done = knn_tree_room(job, part, 1);
    if (done) {
        part->node_count = 1;
        done = knn_tree_grow(job, part, 0, part->from, part->to);
    }
    if (!done) atomic_store(&job->no_memory, 1);
}

static void knn_tree_cut_task(void *user, uint64_t p)
{
    knn_tree_job *job = user;
    const knn_tree_part *part = &job->parts[p];
    double box[2 * KNN_TREE_MOST_COLUMNS];
    job->middles[p] = part->to;
    if (part->to - part->from < 2 * KNN_TREE_PART) return;
    knn_tree_box(job, part->from, part->to, box);
    job->middles[p] = knn_tree_cut(job, part->from, part->to, box);
}

/* A node above the parts, or a part's root. */
typedef struct knn_tree_top {
    uint64_t part, left, right; /* part: UINT64_MAX where there are children */
} knn_tree_top;

/* Cut all parts in two, round by round, remembering who came from whom. */
static uint64_t knn_tree_rounds(knn_tree_job *job, knn_tree_top *tops)
{
    uint64_t owner[1 << KNN_TREE_ROUNDS] = {0}, count = 1;
    job->count = 1;
    job->parts[0] = (knn_tree_part){.from = 0, .to = job->own->points};
    for (int round = 0; round < KNN_TREE_ROUNDS; round++) {
        const uint64_t before = job->count;
        hsp__tasks_run(job->ctx, before, knn_tree_cut_task, job);
        for (uint64_t p = 0; p < before; p++) {
            knn_tree_part *part = &job->parts[p];
            if (job->middles[p] == part->to) continue;
            tops[owner[p]] = (knn_tree_top){UINT64_MAX, count, count + 1};
            owner[job->count] = count + 1;
            owner[p] = count;
            count += 2;
            job->parts[job->count++] = (knn_tree_part){.from = job->middles[p], .to = part->to};
            part->to = job->middles[p];
        }
    }
    for (uint64_t p = 0; p < job->count; p++)
        tops[owner[p]] = (knn_tree_top){.part = p};
    return count;
}

static void knn_tree_part_free(const hsp_allocator *memory, knn_tree_part *part)
{
    hsp__free(memory, part->nodes);
    hsp__free(memory, part->boxes);
    hsp__free(memory, part->at);
    *part = (knn_tree_part){0};
}

/* Where each part's things come to lie, and copy them there. A part's root takes the place that its
 * parent has for it; its other nodes follow those of the parts before. */
static void knn_tree_append(knn_tree_job *job, uint64_t root, knn_tree_part *part)
{
    knn_tree_part *all = &job->own->all;
    const uint64_t size = 2 * job->own->cols;
    for (uint64_t n = 0; n < part->node_count; n++) {
        if (n % KNN_TREE_TICK == 0 && hsp__tick(job->ctx)) break;
        const uint64_t to = n ? all->node_count + n - 1 : root;
        knn_tree_node node = part->nodes[n];
        if (node.child) {
            node.child += (uint32_t)(all->node_count - 1);
        } else {
            node.place += all->place_count;
        }
        all->nodes[to] = node;
        memcpy(all->boxes + to * size, part->boxes + n * size, size * sizeof(double));
    }
    memcpy(all->at + all->place_count, part->at, part->place_count * sizeof(double));
    all->node_count += part->node_count - 1;
    all->place_count += part->place_count;
    knn_tree_part_free(&job->ctx->allocator, part);
}

static void knn_tree_link(knn_tree_job *job, const knn_tree_top *tops, uint64_t count)
{
    knn_tree_part *all = &job->own->all;
    const uint64_t cols = job->own->cols;
    all->node_count = count;
    for (uint64_t t = 0; t < count; t++)
        if (tops[t].part != UINT64_MAX)
            knn_tree_append(job, t, &job->parts[tops[t].part]);
        else
            all->nodes[t] = (knn_tree_node){.child = (uint32_t)tops[t].left};
    for (uint64_t t = count; t-- > 0;) { /* children come after their parents */
        double *box = all->boxes + t * 2 * cols;
        if (tops[t].part != UINT64_MAX) continue;
        const double *a = all->boxes + tops[t].left * 2 * cols;
        const double *b = all->boxes + tops[t].right * 2 * cols;
        for (uint64_t c = 0; c < cols; c++) {
            box[c] = a[c] < b[c] ? a[c] : b[c];
            box[cols + c] = a[cols + c] > b[cols + c] ? a[cols + c] : b[cols + c];
        }
    }
}

static void knn_tree_unmake(hsp_context *ctx, hsp__knn_index *near)
{
    knn_tree_state *own = near->own;
    if (!own) return;
    knn_tree_part_free(&ctx->allocator, &own->all);
    hsp__free(&ctx->allocator, own->order);
    hsp__free(&ctx->allocator, own->point);
    hsp__free(&ctx->allocator, own->starts);
    hsp__free(&ctx->allocator, own->member);
    hsp__free(&ctx->allocator, own);
    near->own = NULL;
}

static int knn_tree_gather(knn_tree_job *job, const knn_tree_top *tops, uint64_t count)
{
    const hsp_allocator *memory = &job->ctx->allocator;
    knn_tree_part *all = &job->own->all;
    uint64_t nodes = count, places = 0;
    for (uint64_t p = 0; p < job->count; p++) {
        nodes += job->parts[p].node_count;
        places += job->parts[p].place_count;
    }
    all->nodes = hsp__new_raw(memory, nodes, sizeof *all->nodes);
    all->boxes = hsp__new_raw(memory, nodes * 2 * job->own->cols, sizeof *all->boxes);
    all->at = hsp__new_raw(memory, places, sizeof *all->at);
    if (!all->nodes || !all->boxes || !all->at) return 0;
    knn_tree_link(job, tops, count);
    return 1;
}

/* Points leaf by leaf: what a query meets lies together. */
static int knn_tree_settle(knn_tree_job *job)
{
    const hsp_allocator *memory = &job->ctx->allocator;
    knn_tree_state *own = job->own;
    uint32_t *starts = hsp__new_raw(memory, own->points + 1, sizeof *starts), at = 0;
    uint32_t *member = hsp__new_raw(memory, own->rows, sizeof *member);
    if (!starts || !member) {
        hsp__free(memory, starts);
        hsp__free(memory, member);
        return 0;
    }
    for (uint64_t p = 0; p < own->points; p++) {
        if (p % KNN_TREE_TICK == 0 && hsp__tick(job->ctx)) break;
        const uint32_t old = own->point[own->order[p]];
        starts[p] = at;
        for (uint32_t m = own->starts[old]; m < own->starts[old + 1]; m++)
            member[at++] = own->member[m];
    }
    starts[own->points] = at;
    hsp__free(memory, own->starts);
    hsp__free(memory, own->member);
    hsp__free(memory, own->order);
    hsp__free(memory, own->point);
    own->order = own->point = NULL;
    own->starts = starts;
    own->member = member;
    return 1;
}

static hsp_status knn_tree_build(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    knn_tree_top tops[2 << KNN_TREE_ROUNDS];
    knn_tree_state *own = near->own = hsp__new(memory, 1, sizeof *own);
    knn_tree_job *job = hsp__new(memory, 1, sizeof *job);
    int done = 0;
    if (!own || !job) goto out;
    own->rows = near->rows->rows;
    own->cols = near->rows->cols;
    job->ctx = ctx;
    job->view = near->rows;
    job->own = own;
    if (!knn_tree_points(job)) goto out;
    const uint64_t count = knn_tree_rounds(job, tops);
    if (hsp__tasks_try(ctx, job->count, knn_tree_part_task, job))
        done = !atomic_load(&job->no_memory) && knn_tree_gather(job, tops, count) &&
               knn_tree_settle(job);
    for (uint64_t p = 0; p < job->count; p++)
        knn_tree_part_free(memory, &job->parts[p]);
out:
    hsp__free(memory, job);
    if (hsp__stopped(ctx)) return hsp__stop_status(ctx, err);
    return done ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Finding --------------------------------------------------------------------------------- */

typedef struct knn_tree_walk {
    const knn_tree_state *own;
    const hsp__knn_guests *guests;
    uint64_t guest, skip;
    const double *q; /* cols */
    double tail;
    double limit; /* nothing beyond is among the nearest: l2 squared; what columns have of it that
                     the index has */
    hsp__knn_heap heap;
} knn_tree_walk;

/* What the reach allows in the index's columns, and rounding. */
static void knn_tree_limit(knn_tree_walk *walk)
{
    const double reach = hsp__knn_reach(&walk->heap) * (1 + KNN_TREE_SLACK) + KNN_TREE_TINY;
    const double tail = walk->tail * (1 - KNN_TREE_SLACK);
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
#define KNN_TREE_WALK(METRIC, ADD)                                                            \
    static double tree_gap_##METRIC(const knn_tree_walk *walk, uint64_t node)                 \
    {                                                                                         \
        const uint64_t cols = walk->own->cols;                                                \
        const double *box = walk->own->all.boxes + node * 2 * cols;                           \
        double sum = 0;                                                                       \
        for (uint64_t c = 0; c < cols; c++) {                                                 \
            const double below = box[c] - walk->q[c], above = walk->q[c] - box[cols + c];     \
            const double out = below > above ? below : above, t = out > 0 ? out : 0;          \
            sum = ADD(sum, t);                                                                \
        }                                                                                     \
        return sum;                                                                           \
    }                                                                                         \
    static void tree_leaf_##METRIC(knn_tree_walk *walk, const knn_tree_node *leaf)            \
    {                                                                                         \
        const uint64_t cols = walk->own->cols;                                                \
        const uint64_t wide = (leaf->count + KNN_TREE_PAD - 1) / KNN_TREE_PAD * KNN_TREE_PAD; \
        const double *at = walk->own->all.at + leaf->place;                                   \
        for (uint64_t p = 0; p < leaf->count; p += KNN_TREE_PAD) {                            \
            double sum[KNN_TREE_PAD] = {0};                                                   \
            for (uint64_t c = 0; c < cols; c++)                                               \
                for (uint64_t j = 0; j < KNN_TREE_PAD; j++) {                                 \
                    const double t = fabs(at[c * wide + p + j] - walk->q[c]);                 \
                    sum[j] = ADD(sum[j], t);                                                  \
                }                                                                             \
            for (uint64_t j = 0; j < KNN_TREE_PAD; j++)                                       \
                if (sum[j] <= walk->limit && p + j < leaf->count)                             \
                    knn_tree_offer(walk, leaf->from + p + j);                                 \
        }                                                                                     \
    }                                                                                         \
    static void tree_walk_##METRIC(knn_tree_walk *walk, const knn_tree_node *node)            \
    {                                                                                         \
        const knn_tree_node *child = walk->own->all.nodes + node->child;                      \
        if (!node->child) {                                                                   \
            tree_leaf_##METRIC(walk, node);                                                   \
            return;                                                                           \
        }                                                                                     \
        double near = tree_gap_##METRIC(walk, node->child);                                   \
        double far = tree_gap_##METRIC(walk, node->child + 1);                                \
        const int second = near > far ? 0 : 1;                                                \
        if (!second) {                                                                        \
            const double t = near;                                                            \
            near = far;                                                                       \
            far = t;                                                                          \
        }                                                                                     \
        if (!(near > walk->limit)) tree_walk_##METRIC(walk, child + 1 - second);              \
        if (!(far > walk->limit)) tree_walk_##METRIC(walk, child + second);                   \
    }

#define KNN_TREE_ADD_L2(sum, t)   ((sum) + (t) * (t))
#define KNN_TREE_ADD_L1(sum, t)   ((sum) + (t))
#define KNN_TREE_ADD_LINF(sum, t) ((t) > (sum) ? (t) : (sum))

KNN_TREE_WALK(l2, KNN_TREE_ADD_L2)
KNN_TREE_WALK(l1, KNN_TREE_ADD_L1)
KNN_TREE_WALK(linf, KNN_TREE_ADD_LINF)

typedef struct knn_tree_search {
    const hsp__knn_guests *guests;
    const uint64_t *skip;
    uint64_t k;
    hsp__neighbor *out;
} knn_tree_search;

static void knn_tree_task(void *user, uint64_t task)
{
    const knn_tree_search *search = user;
    const hsp__knn_guests *guests = search->guests;
    const knn_tree_state *own = guests->near->own;
    const uint64_t from = task * KNN_TREE_GUESTS, left = guests->count - from;
    const uint64_t to = from + (left < KNN_TREE_GUESTS ? left : KNN_TREE_GUESTS);
    for (uint64_t g = from; g < to; g++) {
        knn_tree_walk walk = {.own = own, .guests = guests, .guest = g, .skip = HSP__KNN_NONE};
        if (search->skip) walk.skip = search->skip[g];
        walk.q = guests->spread + g * own->cols;
        walk.tail = guests->tail[g];
        walk.heap = (hsp__knn_heap){.at = search->out + g * search->k, .k = search->k};
        knn_tree_limit(&walk);
        switch (guests->near->plan.metric) {
        case HSP__METRIC_L2:
            tree_walk_l2(&walk, own->all.nodes);
            break;
        case HSP__METRIC_L1:
            tree_walk_l1(&walk, own->all.nodes);
            break;
        default:
            tree_walk_linf(&walk, own->all.nodes);
        }
        hsp__knn_sort(&walk.heap);
    }
}

static hsp_status knn_tree_find(hsp_context *ctx, const hsp__knn_guests *guests,
                                const uint64_t *skip, uint64_t k, hsp_error *err,
                                hsp__neighbor *out)
{
    knn_tree_search search = {.guests = guests, .skip = skip, .k = k, .out = out};
    (void)err;
    hsp__tasks_try(ctx, (guests->count + KNN_TREE_GUESTS - 1) / KNN_TREE_GUESTS, knn_tree_task,
                   &search);
    return HSP_OK;
}

const hsp__knn_index_type hsp__knn_tree = {.kind = HSP__KNN_TREE,
                                           .name = "tree",
                                           .most_columns = KNN_TREE_MOST_COLUMNS,
                                           .fits = knn_tree_fits,
                                           .build = knn_tree_build,
                                           .unmake = knn_tree_unmake,
                                           .find = knn_tree_find};
