/* Many columns: every row is met, but as bytes.
 *
 * A row x is coded as bytes u with low + step u near x, one low and step for all rows and columns;
 * what lies beyond [low, low + 255 step] is clipped, so that one number far out does not make all
 * codes coarse. In units of step, with r the norm of what rounding to bytes left over, and e of
 * what rounding and clipping did (both measured for each row and query, and rounded up),
 *
 *     sqrt(D) - r_x - r_q  <=  ||x - q|| / step  <=  sqrt(D) + e_x + e_q,   D = sum (u_x - u_q)^2,
 *
 * by the triangle inequality, and because clipping brings no two points further apart. D is an
 * integer that is computed without any rounding, as ||u_x||^2 + ||u_q||^2 - 2 <u_x, u_q>: a matrix
 * product of bytes, six times as fast as one of floats where the processor has an instruction for
 * it (vec.h: byte_tile). Data that are small integers (pixels) have r = e = 0.
 *
 * Fine codes. Where r is not 0 and columns are many, the bounds leave in a good part of the rows: the
 * worst that rounding can do grows with the root of the columns, what it usually does not. So rows
 * have a second byte v, with u + v / 254 near x: then
 *
 *     ||x - q||^2 / step^2  =  D + 2 <u_x - u_q, v_x - v_q> / 254  +  at most a few thousandths
 *
 * of it (knn_quantised_fine_bounds), and the products are those of bytes again: <u_x, v_x> is known
 * of each row, <u_x, v_q> and <u_q, v_x> are computed for rows that the bounds above leave in.
 *
 * For each query, rows whose lower bound is not beyond the k-th smallest upper bound so far are
 * kept as hits. When there are too many, those that are too far by now are left out; when that does
 * not help, their distances are computed in double; and so they are at the end, for the few that are
 * left, those that gave the bound first.
 * Only those decide (hsp__knn_pair). Whatever the data, a row's distance is computed at most once:
 * the worst case is a scan.
 *
 * Cosine is half the squared distance of rows scaled to length 1. Rows whose length cannot be
 * trusted (zero, or beyond 1e140) are met one by one.
 *
 * Rows are coded in an order that jumps about, so that rows sorted by class or by time do not come
 * nearer and nearer and each become a hit.
 *
 * Images. Rows of many columns often differ mostly in few directions (pixels of digits do). Then
 * rows are also mapped to few numbers by a map that brings no two further apart
 * (knn_projection.h), and these images are coded in the same way. The product is made of the images;
 * the codes of the rows themselves, then stored row by row, are compared only where the image is not
 * too far. Whether that pays is estimated on a sample when the index is built.
 *
 * Memory: a byte an entry, and per worker a block of queries and their hits. Build: one pass for
 * the range, one for the codes; with images, a sample and its products. */
#include <limits.h>

#include "base/base.h"
#include "knn/knn_codes.h"

enum {
    KNN_QUANTISED_QUERIES = 256, /* at a time: their codes and a panel stay in the second cache */
    KNN_QUANTISED_HIT_BYTES = 16 << 20,
    KNN_QUANTISED_TICK = 1024, /* distances between two ticks */
    KNN_QUANTISED_FIRST = 16,  /* neighbours that are looked for in a first panel */
    KNN_QUANTISED_BATCH = 8,   /* rows whose codes are compared at a time */
    ROWS = HSP__VEC_BYTE_ROWS,
    COLS = HSP__VEC_BYTE_COLS,
};

/* Bounds on rounding in double, relative or (cosine) absolute: HSP__KNN_CODE_SLACK. A query may have
 * more columns than the index, and sums over them have a term each that may be off:
 * KNN_QUANTISED_TERM. Squares below the range of double are off by more: KNN_QUANTISED_TINY covers
 * those. Beyond KNN_QUANTISED_HUGE squares overflow, and nothing is claimed. */
#define KNN_QUANTISED_TERM 0x1p-50
#define KNN_QUANTISED_TINY 1e-150
#define KNN_QUANTISED_HUGE 1e150

static int knn_quantised_fits(hsp__metric metric, const hsp_view *rows)
{
    return (metric == HSP__METRIC_L2 || metric == HSP__METRIC_COSINE) && rows->cols > 0 &&
           rows->cols <= HSP__KNN_CODE_COLUMNS && rows->rows > 0 && rows->rows < UINT32_MAX;
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* A row that may be among the nearest: its distance is in [near, far]; once computed, both are it.
 */
typedef struct knn_quantised_hit {
    double near, far;
    uint64_t row;
} knn_quantised_hit;

/* A query in one of the two kinds of codes. */
typedef struct knn_quantised_side {
    double inside; /* the reach in units of step, with r_q */
    double error;  /* r_q */
    int64_t bias;  /* D = bias - c, with c of the tile */
    uint8_t *code;
} knn_quantised_side;

typedef struct knn_quantised_query {
    uint64_t guest, skip;
    knn_quantised_side row, image;
    hsp__knn_fine fine;
    uint8_t *parts;          /* the v of its fine code, + 128 */
    knn_quantised_hit *hits; /* room for work->most */
    uint64_t count;
    double *fars; /* k: a heap of the smallest upper bounds of different rows, the largest first */
    uint64_t far_count;
    int32_t *least; /* the least c of a tile that is not too far, for a usual panel */
    int whole;      /* integers within the range of the codes, as all rows are; l2 */
    int odd;        /* cannot be coded: meets all rows one by one */
    double reach;   /* no row that is further is among the k nearest */
    double spill;   /* e_q */
    double tail;    /* what columns that the index does not have add to squared distances */
    double slack;   /* HSP__KNN_CODE_SLACK, and what the query's own columns add to it */
    uint32_t waiting[KNN_QUANTISED_BATCH];  /* places that a tile leaves in, to be compared */
    int32_t waiting_c[KNN_QUANTISED_BATCH]; /* without images: the c of the tile */
    uint64_t wait_count;
} knn_quantised_query;

/* Hits of a query at most, before they are thinned out. */
static uint64_t knn_quantised_most(uint64_t k)
{
    return 2 * k + 64;
}

/* The least c of a tile that is not too far, for rows with r up to `worst`. */
static int32_t knn_quantised_least(const knn_quantised_side *side, double worst)
{
    const double most = (side->inside + worst) * (side->inside + worst) * (1 + HSP__KNN_CODE_SLACK);
    if (!(most < INT32_MAX)) return INT32_MIN;
    const int64_t least = side->bias - (int64_t)most;
    return least < INT32_MIN ? INT32_MIN : least > INT32_MAX ? INT32_MAX : (int32_t)least;
}

/* The reach in units of step, at least, with r_q. */
static void knn_quantised_inside(const hsp__knn_coded *own, knn_quantised_query *query)
{
    const double reach = query->reach, slack = query->slack;
    double squares;
    if (own->cosine) {
        squares = 2 * (reach + slack);
    } else {
        const double far = reach * (1 + slack) + KNN_QUANTISED_TINY;
        squares = far * far;
    }
    squares = squares * (1 + slack) - query->tail * (1 - slack);
    if (isnan(squares)) squares = (double)INFINITY; /* the tail is too: nothing is left out */
    const double root = sqrt(squares > 0 ? squares : 0);
    query->row.inside = root / own->row.step + query->row.error;
    if (own->image.codes)
        query->image.inside =
            root * (1 + HSP__KNN_PROJECTION_SLACK) / own->image.step + query->image.error;
    *query->least = query->odd         ? INT32_MAX
                    : own->image.codes ? knn_quantised_least(&query->image, own->image.usual)
                                       : knn_quantised_least(&query->row, own->row.usual);
}

/* From a bound in the index's columns to one of the distance. */
static double knn_quantised_distance(const hsp__knn_coded *own, const knn_quantised_query *query,
                                     double bound, double slack)
{
    const double squares = bound * bound + query->tail;
    if (own->cosine) return squares / 2 + slack;
    return sqrt(squares) * (1 + slack) + (slack < 0 ? -KNN_QUANTISED_TINY : KNN_QUANTISED_TINY);
}

/* A hit from bounds in units of step. */
static knn_quantised_hit knn_quantised_between(const hsp__knn_coded *own,
                                               const knn_quantised_query *query, uint64_t place,
                                               double low, double high)
{
    knn_quantised_hit hit = {
        .near = 0, .far = (double)INFINITY, .row = hsp__knn_code_row(own, place)};
    low *= own->row.step;
    high *= own->row.step;
    if (low < KNN_QUANTISED_HUGE && query->tail < KNN_QUANTISED_HUGE)
        hit.near = knn_quantised_distance(own, query, low, -query->slack);
    if (high < KNN_QUANTISED_HUGE && query->tail < KNN_QUANTISED_HUGE)
        hit.far = knn_quantised_distance(own, query, high, query->slack);
    return hit;
}

/* A hit from its D. Of integers within the range of the codes that is the squared distance, and its
 * root has the bits of hsp__knn_pair: sums of integers this small are exact in any order. (A distance
 * of 0 may be one whose square is below the range of doubles.) */
static knn_quantised_hit knn_quantised_bounds(const hsp__knn_coded *own,
                                              const knn_quantised_query *query, uint64_t place,
                                              int32_t c)
{
    const double root = sqrt((double)(query->row.bias - c));
    const double error = query->row.error + own->row.error[place];
    if (query->whole && own->row.spill[place] <= own->row.off && root > 0)
        return (knn_quantised_hit){root, root, hsp__knn_code_row(own, place)};
    return knn_quantised_between(own, query, place, root > error ? root - error : 0,
                                 root + query->spill + own->row.spill[place]);
}

/* A hit from its fine code as well: forth = <u_q, v_x>, back = <v_q + 128, u_x - 128>. */
static knn_quantised_hit knn_quantised_fine_bounds(const hsp__knn_coded *own,
                                                   const knn_quantised_query *query, uint64_t place,
                                                   int32_t c, int32_t forth, int32_t back)
{
    const hsp__knn_fine *x = &own->fine[place], *q = &query->fine;
    const int64_t inner =
        (int64_t)back + 128 * ((int64_t)q->sum_v - x->sum_u + 128 * (int64_t)own->wide);
    const int64_t cross = (int64_t)x->self + q->self - forth - inner;
    const double d = (double)(query->row.bias - c);
    const double twice = 2.0 / HSP__KNN_CODE_PARTS * (double)cross;
    const double unsure =
        2 * sqrt(d) * (x->rest + q->rest) + HSP__KNN_CODE_SLACK * (d + fabs(twice));
    const double error = query->row.error + own->row.error[place];
    const double low = d + twice - unsure, high = d + twice + unsure + error * error;
    /* what was clipped: nothing where e is r */
    const double clipped =
        (own->row.spill[place] > own->row.error[place] ? own->row.spill[place] : 0) +
        (query->spill > query->row.error ? query->spill : 0);
    return knn_quantised_between(own, query, place, sqrt(low > 0 ? low : 0),
                                 sqrt(high > 0 ? high : 0) + clipped);
}

/* ---- Hits ------------------------------------------------------------------------------------ */

/* Some queries on their way, and what that needs. */
typedef struct knn_quantised_work {
    const hsp__knn_search *search;
    const hsp__knn_coded *own;
    uint64_t k, most;             /* most: hits of a query at most */
    knn_quantised_query *queries; /* count, rounded up to ROWS */
    knn_quantised_hit *hits;      /* count * most */
    double *fars;                 /* count * k */
    hsp__neighbor *heap;          /* k */
    const uint8_t **tiles;        /* count, rounded up: codes that tiles are made of, ... */
    int32_t *least;               /* ... and what they must reach */
    uint8_t *codes;               /* count, rounded up, * code_bytes: all of a query's codes */
    uint64_t code_bytes;
    double *rows;   /* HSP__KNN_PROJECT_ROWS * cols */
    double *images; /* HSP__KNN_PROJECT_ROWS * numbers of an image */
} knn_quantised_work;

static double knn_quantised_exact(const knn_quantised_work *work, const knn_quantised_query *query,
                                  uint64_t row)
{
    return hsp__knn_pair(work->search->guests, query->guest, row);
}

/* One more upper bound: the k-th smallest is a reach. */
static void knn_quantised_bound(const knn_quantised_work *work, knn_quantised_query *query,
                                double far)
{
    double *fars = query->fars;
    uint64_t hole = 0;
    if (query->far_count < work->k) {
        for (hole = query->far_count++; hole && fars[(hole - 1) / 2] < far; hole = (hole - 1) / 2)
            fars[hole] = fars[(hole - 1) / 2];
        fars[hole] = far;
        if (query->far_count < work->k) return;
    } else {
        if (!(far < fars[0])) return;
        for (uint64_t child; (child = 2 * hole + 1) < work->k; hole = child) {
            child += child + 1 < work->k && fars[child] < fars[child + 1];
            if (!(far < fars[child])) break;
            fars[hole] = fars[child];
        }
        fars[hole] = far;
    }
    if (!(fars[0] < query->reach)) return;
    query->reach = fars[0];
    knn_quantised_inside(work->own, query);
}

/* Leave out hits that are too far by the upper bounds of the others. */
static void knn_quantised_tighten(knn_quantised_query *query)
{
    uint64_t kept = 0;
    for (uint64_t h = 0; h < query->count; h++)
        if (query->hits[h].near <= query->reach) query->hits[kept++] = query->hits[h];
    query->count = kept;
}

/* Hits whose distance is computed if it is not known, as far as it may matter. Those that gave the
 * reach come first, and leave out most of the others. */
static void knn_quantised_offer(const knn_quantised_work *work, knn_quantised_query *query,
                                hsp__knn_heap *heap, double reach, int first)
{
    for (uint64_t h = 0; h < query->count; h++) {
        knn_quantised_hit *hit = &query->hits[h];
        if ((hit->far <= reach) != first || hit->near > hsp__knn_reach(heap)) continue;
        if (hit->near != hit->far)
            hsp__knn_offer(heap, knn_quantised_exact(work, query, hit->row), hit->row);
        else
            hsp__knn_offer(heap, hit->near, hit->row);
    }
}

/* The k nearest hits by computed distance, nearest first. */
static void knn_quantised_decide(const knn_quantised_work *work, knn_quantised_query *query)
{
    hsp__knn_heap heap = {.at = work->heap, .k = work->k};
    const double reach = query->reach;
    knn_quantised_offer(work, query, &heap, reach, 1);
    knn_quantised_offer(work, query, &heap, reach, 0);
    query->count = heap.count;
    hsp__knn_sort(&heap);
    query->far_count = 0;
    for (uint64_t h = 0; h < query->count; h++) {
        const hsp__neighbor one = work->heap[h];
        query->hits[h] = (knn_quantised_hit){one.distance, one.distance, one.row};
        knn_quantised_bound(work, query, one.distance);
    }
}

static void knn_quantised_add(const knn_quantised_work *work, knn_quantised_query *query,
                              knn_quantised_hit hit)
{
    if (hit.row == query->skip || hit.near > query->reach) return;
    query->hits[query->count++] = hit;
    knn_quantised_bound(work, query, hit.far);
    if (query->count < work->most) return;
    knn_quantised_tighten(query);
    if (query->count > work->most / 4 * 3) knn_quantised_decide(work, query);
}

/* Every row without a code, or all of them, one by one. */
static void knn_quantised_meet_odd(const knn_quantised_work *work, knn_quantised_query *query,
                                   int all)
{
    const hsp__knn_coded *own = work->own;
    for (uint64_t o = 0; o < (all ? own->rows : own->odd_count); o++) {
        const uint64_t row = all ? o : own->odd[o];
        if (o % KNN_QUANTISED_TICK == 0 && hsp__tick(work->search->ctx)) return;
        if (row == query->skip) continue;
        const double distance = knn_quantised_exact(work, query, row);
        knn_quantised_add(work, query, (knn_quantised_hit){distance, distance, row});
    }
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* Spread a guest out over the index's columns; query->tail is what lies beyond. */
static void knn_quantised_guest(const knn_quantised_work *work, knn_quantised_query *query,
                                double *row)
{
    const hsp__knn_guests *guests = work->search->guests;
    const hsp__knn_coded *own = work->own;
    const uint64_t q = query->guest;
    const double scale = hsp__knn_code_scale(own->cosine, own->cosine ? guests->norms[q] : 1);
    query->odd = scale == 0;
    query->slack =
        HSP__KNN_CODE_SLACK + KNN_QUANTISED_TERM * (double)hsp__view_row(guests->view, q).count;
    if (guests->spread) {
        for (uint64_t k = 0; k < own->cols; k++)
            row[k] = guests->spread[q * own->cols + k] * scale;
        query->tail = guests->tail[q] * scale * scale;
        return;
    }
    memset(row, 0, own->cols * sizeof *row);
    for (uint64_t e = guests->starts[q]; e < guests->starts[q + 1]; e++) {
        const double x = guests->values[e] * scale;
        if (guests->indices[e] < own->cols)
            row[guests->indices[e]] = x;
        else
            query->tail += x * x;
    }
}

static void knn_quantised_side_code(const hsp__knn_codes *codes, knn_quantised_side *side,
                                    const double *x, double off, double *spill)
{
    const hsp__vec_code code =
        hsp__knn_code(codes, &(hsp__knn_numbers){x, 0, 1}, side->code, &side->error, spill);
    side->error += off / codes->step;
    side->bias = (int64_t)code.squares - 256 * (int64_t)code.sum;
}

/* The fine code of a query, + 128. */
static hsp__knn_fine knn_quantised_parts(const hsp__knn_coded *own, const double *row,
                                         const uint8_t *u, uint8_t *parts)
{
    const hsp__knn_fine fine = hsp__knn_code_fine(own, row, u, (int8_t *)parts);
    for (uint64_t k = 0; k < own->wide; k++)
        parts[k] ^= 0x80; /* from -128 .. 127 to 0 .. 255 */
    return fine;
}

/* Some queries: at most HSP__KNN_PROJECT_ROWS of them, from number r on. */
static void knn_quantised_start(const knn_quantised_work *work, uint64_t r, uint64_t guest,
                                uint64_t some)
{
    const hsp__knn_coded *own = work->own;
    double off[HSP__KNN_PROJECT_ROWS], ignored;
    for (uint64_t i = 0; i < some; i++) {
        knn_quantised_query *query = &work->queries[r + i];
        double *row = work->rows + i * own->cols;
        *query = (knn_quantised_query){.guest = guest + i, .reach = (double)INFINITY};
        query->hits = work->hits + (r + i) * work->most;
        query->fars = work->fars + (r + i) * work->k;
        query->least = work->least + r + i;
        query->skip = hsp__knn_skip(work->search, guest + i);
        query->row.code = work->codes + (r + i) * work->code_bytes;
        query->image.code = query->row.code + own->wide + own->row.bytes;
        query->parts = query->image.code + own->image.bytes;
        knn_quantised_guest(work, query, row);
        knn_quantised_side_code(&own->row, &query->row, row, 0, &query->spill);
        query->whole =
            own->whole && !own->cosine && query->tail == 0 && query->spill <= own->row.off;
        if (own->by_row) memset(query->row.code + own->row.bytes, 0, own->wide);
        if (own->fine) query->fine = knn_quantised_parts(own, row, query->row.code, query->parts);
    }
    if (own->image.codes) hsp__knn_project(&own->projection, work->rows, some, work->images, off);
    for (uint64_t i = 0; i < some; i++) {
        knn_quantised_query *query = &work->queries[r + i];
        if (own->image.codes)
            knn_quantised_side_code(&own->image, &query->image, work->images + i * own->image.cols,
                                    off[i], &ignored);
        work->tiles[r + i] = own->image.codes ? query->image.code : query->row.code;
        knn_quantised_inside(own, query);
        knn_quantised_meet_odd(work, query, query->odd);
    }
}

/* Compare codes row by row: of rows whose images are not too far, and fine ones. */
static void knn_quantised_compare_waiting(const knn_quantised_work *work,
                                          knn_quantised_query *query)
{
    const hsp__knn_coded *own = work->own;
    const hsp__vec_table *vec = hsp__vec();
    const int8_t *rows[KNN_QUANTISED_BATCH], *parts[KNN_QUANTISED_BATCH];
    int32_t c[KNN_QUANTISED_BATCH], forth[KNN_QUANTISED_BATCH], back[KNN_QUANTISED_BATCH];
    uint64_t some = query->wait_count, kept = 0;
    query->wait_count = 0;
    for (uint64_t j = 0; j < some; j++) {
        rows[j] = own->by_row + query->waiting[j] * own->stride;
        c[j] = query->waiting_c[j];
    }
    if (own->image.codes) {
        vec->byte_dots(own->wide, query->row.code, rows, some, c);
        for (uint64_t j = 0; j < some; j++) {
            const uint32_t place = query->waiting[j];
            const int32_t sum = own->row.base[place] + 2 * c[j];
            if (sum < knn_quantised_least(&query->row, own->row.error[place])) continue;
            query->waiting[kept] = place;
            rows[kept] = rows[j];
            c[kept++] = sum;
        }
        some = kept;
    }
    for (uint64_t j = 0; j < some; j++)
        parts[j] = rows[j] + own->wide;
    if (own->fine) {
        vec->byte_dots(own->wide, query->row.code, parts, some, forth);
        vec->byte_dots(own->wide, query->parts, rows, some, back);
    }
    for (uint64_t j = 0; j < some; j++) {
        const uint64_t place = query->waiting[j];
        knn_quantised_add(
            work, query,
            own->fine ? knn_quantised_fine_bounds(own, query, place, c[j], forth[j], back[j])
                      : knn_quantised_bounds(own, query, place, c[j]));
    }
}

/* A row of a panel that is not too far by the tile's sum c. */
static void knn_quantised_hit_place(const knn_quantised_work *work, knn_quantised_query *query,
                                    uint64_t place, int32_t c)
{
    const hsp__knn_coded *own = work->own;
    if (place >= own->rows || own->row.error[place] == 0) return; /* an odd row: met already */
    if (!own->by_row) {
        knn_quantised_add(work, query, knn_quantised_bounds(own, query, place, c));
        return;
    }
    __builtin_prefetch(own->by_row + place * own->stride);
    query->waiting[query->wait_count] = (uint32_t)place;
    query->waiting_c[query->wait_count++] = c;
    if (query->wait_count == KNN_QUANTISED_BATCH) knn_quantised_compare_waiting(work, query);
}

/* The k nearest of a panel by their sums: a query that knows no reach yet gets one, instead of
 * bounds of every row in the panel. `most` are their sums; returns how many. */
static uint64_t knn_quantised_nearest(const int32_t *c, uint64_t k, int32_t *most)
{
    uint64_t known = 0;
    for (uint64_t j = 0; j < COLS; j++) {
        if (known == k && c[j] <= most[k - 1]) continue;
        uint64_t at = known < k ? known++ : k - 1;
        for (; at > 0 && most[at - 1] < c[j]; at--)
            most[at] = most[at - 1];
        most[at] = c[j];
    }
    return known;
}

/* Rows of a panel that reach `least` and are below `below`. */
static void knn_quantised_hit_words(const knn_quantised_work *work, knn_quantised_query *query,
                                    uint64_t panel, const int32_t *c, const uint16_t *reach,
                                    const int32_t *least, int32_t below)
{
    for (uint64_t v = 0; v < HSP__VEC_BYTE_WORDS; v++)
        for (unsigned word = reach[v]; word; word &= word - 1) {
            const uint64_t j = 16 * v + (unsigned)__builtin_ctz(word);
            /* the least may have grown */
            if (c[j] >= *least && c[j] < below)
                knn_quantised_hit_place(work, query, panel * COLS + j, c[j]);
        }
}

/* A few queries against a panel. */
static void knn_quantised_meet(const knn_quantised_work *work, uint64_t r, uint64_t panel)
{
    enum { WORDS = HSP__VEC_BYTE_WORDS };
    const hsp__knn_codes *codes = work->own->image.codes ? &work->own->image : &work->own->row;
    int32_t c[ROWS * COLS], special[ROWS];
    uint16_t reach[ROWS * WORDS];
    const int32_t *least = work->least + r;
    for (uint64_t i = 0; codes->worst[panel] > codes->usual && i < ROWS; i++) {
        const knn_quantised_query *query = &work->queries[r + i];
        special[i] = work->least[r + i] == INT32_MAX ? INT32_MAX
                     : work->own->image.codes
                         ? knn_quantised_least(&query->image, codes->worst[panel])
                         : knn_quantised_least(&query->row, codes->worst[panel]);
        least = special;
    }
    const unsigned hits = hsp__vec()->byte_tile(codes->bytes / 4, work->tiles + r,
                                                codes->codes + panel * COLS * codes->bytes,
                                                codes->base + panel * COLS, least, c, reach);
    for (uint64_t i = 0; hits >> i; i++) {
        if (!(hits >> i & 1)) continue;
        knn_quantised_query *query = &work->queries[r + i];
        const int32_t *row = c + i * COLS;
        const uint16_t *words = reach + i * WORDS;
        int32_t below = INT32_MAX;
        if (query->far_count < work->k && work->k <= KNN_QUANTISED_FIRST) {
            int32_t most[KNN_QUANTISED_FIRST] = {0};
            below = most[knn_quantised_nearest(row, work->k, most) - 1];
            knn_quantised_hit_words(work, query, panel, row, words, &below, INT32_MAX);
            knn_quantised_compare_waiting(work, query);
        }
        knn_quantised_hit_words(work, query, panel, row, words, &least[i], below);
    }
}

static hsp_status knn_quantised_answer(const hsp__knn_search *search, uint64_t from, uint64_t count,
                                       hsp_error *err)
{
    enum { SOME = HSP__KNN_PROJECT_ROWS };
    const hsp__knn_coded *own = search->guests->near->own;
    const uint64_t k = search->k, wide = (count + ROWS - 1) / ROWS * ROWS;
    hsp__scratch memory = {.memory = &search->ctx->allocator};
    knn_quantised_work work = {.search = search, .own = own, .k = k, .most = knn_quantised_most(k)};
    work.queries = hsp__scratch_new(&memory, wide, sizeof *work.queries);
    work.hits = hsp__scratch_raw(&memory, count * work.most, sizeof *work.hits);
    work.fars = hsp__scratch_raw(&memory, count * k, sizeof *work.fars);
    work.tiles = hsp__scratch_raw(&memory, wide, sizeof *work.tiles);
    work.least = hsp__scratch_raw(&memory, wide, sizeof *work.least);
    work.heap = hsp__scratch_raw(&memory, k, sizeof *work.heap);
    work.code_bytes = own->row.bytes + own->image.bytes + 2 * own->wide;
    work.codes = hsp__scratch_raw(&memory, wide, work.code_bytes);
    work.rows = hsp__scratch_raw(&memory, SOME * own->cols, sizeof *work.rows);
    work.images = hsp__scratch_raw(&memory, SOME * (own->image.cols + 1), sizeof *work.images);
    if (memory.failed) count = 0;
    for (uint64_t r = 0; r < count && !hsp__tick(search->ctx); r += SOME)
        knn_quantised_start(&work, r, from + r, count - r < SOME ? count - r : SOME);
    for (uint64_t r = count; r < wide && count;
         r++) { /* nothing reaches what fills the last tile */
        work.tiles[r] = work.tiles[count - 1];
        work.least[r] = INT32_MAX;
    }
    for (uint64_t panel = 0; count && panel < own->panels && !hsp__tick(search->ctx); panel++)
        for (uint64_t r = 0; r < count; r += ROWS)
            knn_quantised_meet(&work, r, panel);
    for (uint64_t r = 0; r < count && !hsp__tick(search->ctx); r++) {
        knn_quantised_query *query = &work.queries[r];
        knn_quantised_compare_waiting(&work, query);
        knn_quantised_decide(&work, query);
        if (query->count < k) {
            /* Every row. No query should come to this, but none may go without an answer. */
            query->count = query->far_count = 0;
            query->reach = (double)INFINITY;
            knn_quantised_meet_odd(&work, query, 1);
            knn_quantised_decide(&work, query);
        }
        for (uint64_t h = 0; h < query->count; h++)
            search->out[query->guest * k + h] =
                (hsp__neighbor){query->hits[h].near, query->hits[h].row};
    }
    hsp__scratch_free(&memory);
    return memory.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status knn_quantised_find(hsp__knn_search *search, hsp_error *err)
{
    const hsp__knn_coded *own = search->guests->near->own;
    /* When much of the rows is asked for, there is little to leave out. */
    if (!own->coded || search->k > own->rows / 4) return hsp__knn_brute_force.find(search, err);
    const uint64_t most = knn_quantised_most(search->k);
    const uint64_t room = KNN_QUANTISED_HIT_BYTES / (most * sizeof(knn_quantised_hit));
    uint64_t group = (search->guests->count + 15) / 16;
    group = group > KNN_QUANTISED_QUERIES ? KNN_QUANTISED_QUERIES : group;
    group = group > room ? room : group;
    return hsp__knn_run(search, group < ROWS ? ROWS : group / ROWS * ROWS, knn_quantised_answer,
                        err);
}

const hsp__knn_index_type hsp__knn_quantised = {.kind = HSP__KNN_QUANTISED,
                                                .name = "product",
                                                .most_columns = HSP__KNN_CODE_COLUMNS,
                                                .fits = knn_quantised_fits,
                                                .build = hsp__knn_codes_make,
                                                .find = knn_quantised_find};
