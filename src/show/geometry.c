#include "show/geometry.h"

#include <stdlib.h>

#include "base/base.h"
#include "data/data.h"

#define GEOMETRY_SAMPLE 4096 /* rows that a direction is found from */
#define GEOMETRY_ROUNDS 50   /* of power iteration */

static double geometry_area(double ux, double uy, double vx, double vy)
{
    return ux * vy - uy * vx;
}

/* Twice the area of the triangle a b c: positive if it turns left. If that is too large or too small
 * for a number, in units of the triangle's width and height, by powers of two. */
static double geometry_turn(const double *a, const double *b, const double *c)
{
    const double ux = b[0] - a[0], uy = b[1] - a[1], vx = c[0] - a[0], vy = c[1] - a[1];
    const double area = geometry_area(ux, uy, vx, vy);
    if (isfinite(area) && area != 0) return area;
    int wide, high;
    frexp(fmax(fabs(ux), fabs(vx)), &wide);
    frexp(fmax(fabs(uy), fabs(vy)), &high);
    return geometry_area(ldexp(ux, -wide), ldexp(uy, -high), ldexp(vx, -wide), ldexp(vy, -high));
}

static int geometry_order(const void *left, const void *right)
{
    const double *a = left, *b = right;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

static void geometry_swap(double *a, double *b)
{
    for (int j = 0; j < 2; j++) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

/* Append to the chain the points that turn left, in place: corners are swapped to the front, and
 * points that are no corners stay behind them. */
static uint64_t geometry_chain(double (*points)[2], uint64_t first, uint64_t corners,
                               uint64_t count)
{
    for (uint64_t i = corners; i < count; i++) {
        while (corners >= first + 2 &&
               !(geometry_turn(points[corners - 2], points[corners - 1], points[i]) > 0))
            corners--;
        geometry_swap(points[corners++], points[i]);
    }
    return corners;
}

/* Andrew's monotone chain. Swapping leaves the points behind the lower chain in no order, so they are
 * sorted again, from the right, for the upper one. */
uint64_t hsp__hull(double (*points)[2], uint64_t count)
{
    uint64_t distinct = 0;
    qsort(points, count, sizeof *points, geometry_order);
    for (uint64_t i = 0; i < count; i++)
        if (!distinct || geometry_order(points[distinct - 1], points[i]) != 0)
            memmove(points[distinct++], points[i], sizeof *points);
    if (distinct < 3) return distinct;
    uint64_t corners = geometry_chain(points, 0, 0, distinct);
    qsort(points + corners, distinct - corners, sizeof *points, geometry_order);
    for (uint64_t i = corners, j = distinct; i + 1 < j; i++)
        geometry_swap(points[i], points[--j]);
    double start[2];
    memcpy(start, points[0], sizeof start);
    uint64_t all = geometry_chain(points, corners - 1, corners, distinct);
    /* the way back to the start may turn right at the last corners */
    while (all > corners && !(geometry_turn(points[all - 2], points[all - 1], start) > 0))
        all--;
    return all;
}

/* The corners of a polygon within the hull are the rows farthest in some directions. What lies inside
 * of it by more than rounding could be wrong is no corner of the hull. */
void hsp__hull_candidates(uint64_t count, double (*points)[2], const uint32_t *class_of,
                          uint32_t class, unsigned char *keep)
{
    enum { DIRECTIONS = 32 };
    double way[DIRECTIONS][2], far[DIRECTIONS], edge[DIRECTIONS][3], most = 0;
    const double *corner[DIRECTIONS] = {NULL};
    int edges = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        way[k][0] = cos(k * 2 * acos(-1) / DIRECTIONS);
        way[k][1] = sin(k * 2 * acos(-1) / DIRECTIONS);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (class_of[i] != class) continue;
        most = fmax(most, fmax(fabs(points[i][0]), fabs(points[i][1])));
        for (int k = 0; k < DIRECTIONS; k++) {
            const double at = way[k][0] * points[i][0] + way[k][1] * points[i][1];
            if (corner[k] && !(at > far[k])) continue;
            corner[k] = points[i];
            far[k] = at;
        }
    }
    for (int k = 0; k < DIRECTIONS && corner[k];
         k++) { /* inside: a x + b y > c, left of the edge */
        const double *a = corner[k], *b = corner[(k + 1) % DIRECTIONS];
        const double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
        if (!(length > 0)) continue;
        edge[edges][0] = -dy / length;
        edge[edges][1] = dx / length;
        edge[edges][2] = edge[edges][0] * a[0] + edge[edges][1] * a[1] + 1e-9 * most;
        edges++;
    }
    for (uint64_t i = 0; i < count; i++) {
        int inside = edges > 2;
        if (class_of[i] != class) continue;
        for (int k = 0; k < edges && inside; k++)
            inside = edge[k][0] * points[i][0] + edge[k][1] * points[i][1] > edge[k][2];
        keep[i] = !inside;
    }
}

void hsp__foot(const double w[2], double b, const double point[2], double foot[2])
{
    const double s = w[0] * point[0] + w[1] * point[1] + b;
    const double step = s / (w[0] * w[0] + w[1] * w[1]);
    for (int j = 0; j < 2; j++)
        foot[j] = point[j] - step * w[j];
}

/* ---- Directions ------------------------------------------------------------------------------ */

static double geometry_dot(const double *a, const double *b, uint64_t count)
{
    double sum = 0;
    for (uint64_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

static double geometry_row(const hsp_view *view, uint64_t i, const double *v)
{
    const hsp__row row = hsp__view_row(view, i);
    double sum = 0;
    for (uint64_t k = 0; k < row.count; k++)
        sum += hsp__row_value(view, &row, k) * v[hsp__row_column(&row, k)];
    return sum;
}

static void geometry_add(const hsp_view *view, uint64_t i, double by, double *to)
{
    const hsp__row row = hsp__view_row(view, i);
    for (uint64_t k = 0; k < row.count; k++)
        to[hsp__row_column(&row, k)] += by * hsp__row_value(view, &row, k);
}

/* Make v perpendicular to w, of length 1; 0: nothing is left of it. */
static int geometry_straighten(const double *w, uint64_t cols, double *v)
{
    const double square = geometry_dot(w, w, cols), before = sqrt(geometry_dot(v, v, cols));
    for (int round = 0; round < 2 && square > 0; round++) {
        const double by = geometry_dot(w, v, cols) / square;
        for (uint64_t j = 0; j < cols; j++)
            v[j] -= by * w[j];
    }
    const double length = sqrt(geometry_dot(v, v, cols));
    const int some = length > 1e-9 * before && isfinite(length);
    for (uint64_t j = 0; j < cols; j++)
        v[j] = some ? v[j] / length : 0;
    return some;
}

/* Power iteration on the covariance of the sampled rows, in the complement of w. It starts from the
 * first unit vector that is not along w, plus a little of all others. */
int hsp__perpendicular_axis(hsp_context *ctx, const hsp_view *view, const double *w, double *v)
{
    const uint64_t cols = view->cols, step = view->rows / GEOMETRY_SAMPLE + 1;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *mean = hsp__scratch_new(&scratch, cols, sizeof *mean);
    double *next = hsp__scratch_new(&scratch, cols, sizeof *next);
    uint64_t count = 0, most = 0;
    memset(v, 0, cols * sizeof *v);
    for (uint64_t i = 0; !scratch.failed && i < view->rows; i += step, count++)
        geometry_add(view, i, 1, mean);
    for (uint64_t j = 0; !scratch.failed && j < cols; j++) {
        mean[j] /= count ? (double)count : 1;
        if (fabs(w[j]) < fabs(w[most])) most = j;
    }
    for (uint64_t j = 0; j < cols; j++)
        v[j] = (j == most) + 1e-3 * (double)(1 + j % 7);
    int some = !scratch.failed && geometry_straighten(w, cols, v);
    for (int round = 0; some && round < GEOMETRY_ROUNDS; round++) {
        const double middle = geometry_dot(mean, v, cols);
        double sum = 0;
        memset(next, 0, cols * sizeof *next);
        for (uint64_t i = 0; i < view->rows; i += step) {
            const double at = geometry_row(view, i, v) - middle;
            geometry_add(view, i, at, next);
            sum += at;
        }
        for (uint64_t j = 0; j < cols; j++)
            next[j] -= sum * mean[j];
        if (!geometry_straighten(w, cols, next)) break; /* the rows do not differ: v will do */
        memcpy(v, next, cols * sizeof *v);
    }
    if (!some) memset(v, 0, cols * sizeof *v);
    for (uint64_t j = 0; j < cols && v[j] <= 0;
         j++) /* the first number that is not 0 is positive */
        if (v[j] < 0) {
            for (uint64_t i = j; i < cols; i++)
                v[i] = -v[i];
            break;
        }
    hsp__scratch_free(&scratch);
    return !scratch.failed;
}
