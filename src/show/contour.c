/* Lines and regions of a level in a grid of values, by marching squares: the level crosses an edge
 * of a cell where linear interpolation says. */
#include "show/figure.h"

/* Crossings are numbered by their edge: 2 * node for the edge to the right of a node, 2 * node + 1
 * for the one above it. Each crossing has up to two neighbours, so that lines are followed from one
 * to the next. For regions, the grid gets a frame of nodes below every level, and all lines are
 * rings. */
typedef struct contour {
    const hsp__grid *grid;
    double level;
    uint32_t nx, ny;      /* nodes; a region: with the frame */
    int frame;            /* nodes of the frame on each side: 0 or 1 */
    uint64_t (*links)[2]; /* 2 * nx * ny: the neighbours of each crossing + 1; 0: none */
    double *x, *y;        /* what is found: NaN between two lines */
    uint64_t count, room;
} contour;

/* Is the node at least at the level? Nodes of the frame are not. */
static double contour_value(const contour *at, uint32_t i, uint32_t j)
{
    const uint32_t f = (uint32_t)at->frame;
    if (i < f || j < f || i - f >= at->grid->nx || j - f >= at->grid->ny) return -HUGE_VAL;
    const double value = at->grid->values[(size_t)(j - f) * at->grid->nx + (i - f)];
    return isnan(value) ? -HUGE_VAL : value;
}

static int contour_above(const contour *at, uint32_t i, uint32_t j)
{
    return contour_value(at, i, j) >= at->level;
}

static void contour_link(contour *at, uint64_t a, uint64_t b)
{
    at->links[a][at->links[a][0] != 0] = b + 1;
    at->links[b][at->links[b][0] != 0] = a + 1;
}

/* The lines through one cell: which edges does the level cross? */
static void contour_cell(contour *at, uint32_t i, uint32_t j)
{
    const uint64_t node = (uint64_t)j * at->nx + i;
    const uint64_t below = 2 * node, left = 2 * node + 1;
    const uint64_t above = 2 * (node + at->nx), right = 2 * (node + 1) + 1;
    const int a = contour_above(at, i, j), b = contour_above(at, i + 1, j);
    const int c = contour_above(at, i + 1, j + 1), d = contour_above(at, i, j + 1);
    uint64_t crossed[4];
    int count = 0;
    if (a != b) crossed[count++] = below;
    if (b != c) crossed[count++] = right;
    if (c != d) crossed[count++] = above;
    if (d != a) crossed[count++] = left;
    if (count == 2) contour_link(at, crossed[0], crossed[1]);
    if (count != 4) return;
    /* a saddle: the mean of the corners says whether the middle is above */
    const double middle = contour_value(at, i, j) / 4 + contour_value(at, i + 1, j) / 4 +
                          contour_value(at, i + 1, j + 1) / 4 + contour_value(at, i, j + 1) / 4;
    if ((middle >= at->level) == a) {
        contour_link(at, below, right);
        contour_link(at, above, left);
    } else {
        contour_link(at, below, left);
        contour_link(at, above, right);
    }
}

/* The coordinate of a node; the frame's are those of the nodes next to it. */
static double contour_at(double low, double high, uint32_t count, uint32_t node, int frame)
{
    uint32_t k = node < (uint32_t)frame ? 0 : node - (uint32_t)frame;
    if (k >= count) k = count - 1;
    return low + (high - low) * (k / (count - 1.0));
}

/* Where the level crosses an edge. */
static void contour_crossing(const contour *at, uint64_t edge, double *x, double *y)
{
    const uint32_t i = (uint32_t)(edge / 2 % at->nx), j = (uint32_t)(edge / 2 / at->nx);
    const uint32_t i2 = i + (edge % 2 == 0), j2 = j + (edge % 2 == 1);
    const double a = contour_value(at, i, j), b = contour_value(at, i2, j2);
    double t = (at->level - a) / (b - a);
    if (!(t >= 0 && t <= 1)) t = isfinite(a) ? 0 : 1; /* to a node that has no value */
    const hsp__grid *grid = at->grid;
    const double xa = contour_at(grid->x0, grid->x1, grid->nx, i, at->frame);
    const double xb = contour_at(grid->x0, grid->x1, grid->nx, i2, at->frame);
    const double ya = contour_at(grid->y0, grid->y1, grid->ny, j, at->frame);
    const double yb = contour_at(grid->y0, grid->y1, grid->ny, j2, at->frame);
    *x = xa + (xb - xa) * t;
    *y = ya + (yb - ya) * t;
}

/* Add a point; one on the straight line between its neighbours is left out. */
static void contour_add(contour *at, uint64_t from, double x, double y)
{
    const hsp__grid *grid = at->grid;
    if (at->count >= from + 2) {
        const double ux = (at->x[at->count - 1] - at->x[at->count - 2]) / (grid->x1 - grid->x0);
        const double uy = (at->y[at->count - 1] - at->y[at->count - 2]) / (grid->y1 - grid->y0);
        const double vx = (x - at->x[at->count - 1]) / (grid->x1 - grid->x0);
        const double vy = (y - at->y[at->count - 1]) / (grid->y1 - grid->y0);
        if (fabs(ux * vy - uy * vx) < 1e-7 * hypot(ux, uy) && ux * vx + uy * vy >= 0) at->count--;
    }
    assert(at->count < at->room);
    at->x[at->count] = x;
    at->y[at->count++] = y;
}

/* Follow the line that begins at a crossing, and take its links away. */
static void contour_follow(contour *at, uint64_t edge)
{
    const uint64_t first = edge, from = at->count;
    double x, y;
    for (uint64_t next = 1; next; edge = next - 1) {
        contour_crossing(at, edge, &x, &y);
        contour_add(at, from, x, y);
        next = at->links[edge][0] ? at->links[edge][0] : at->links[edge][1];
        if (!next) break;
        for (int k = 0; k < 2; k++) { /* both ends of the piece forget it */
            if (at->links[edge][k] == next) {
                at->links[edge][k] = 0;
                break;
            }
        }
        for (int k = 0; k < 2; k++)
            if (at->links[next - 1][k] == edge + 1) {
                at->links[next - 1][k] = 0;
                break;
            }
        if (next - 1 == first) {
            contour_crossing(at, first, &x, &y);
            contour_add(at, from, x, y);
            break;
        }
    }
    at->x[at->count] = at->y[at->count] = (double)NAN;
    at->count++;
}

static void contour_find(hsp__panel *panel, const hsp__grid *grid, double level, int region,
                         const hsp__style *style)
{
    if (!panel) return;
    assert(grid->nx >= 2 && grid->ny >= 2);
    contour at = {.grid = grid,
                  .level = level,
                  .nx = grid->nx + 2 * (uint32_t)region,
                  .ny = grid->ny + 2 * (uint32_t)region,
                  .frame = region};
    const uint64_t nodes = (uint64_t)at.nx * at.ny;
    hsp__scratch memory = {panel->figure->memory.memory, NULL, 0};
    at.room = 6 * nodes + 4;
    at.links = hsp__scratch_new(&memory, 2 * nodes, sizeof *at.links);
    at.x = hsp__scratch_raw(&memory, at.room, sizeof *at.x);
    at.y = hsp__scratch_raw(&memory, at.room, sizeof *at.y);
    if (memory.failed) {
        panel->figure->memory.failed = 1;
        hsp__scratch_free(&memory);
        return;
    }
    for (uint32_t j = 0; j + 1 < at.ny; j++)
        for (uint32_t i = 0; i + 1 < at.nx; i++)
            contour_cell(&at, i, j);
    for (int rings = 0; rings < 2; rings++) /* lines from end to end, then rings */
        for (uint64_t edge = 0; edge < 2 * nodes; edge++)
            if ((at.links[edge][0] != 0) + (at.links[edge][1] != 0) >= 1 + rings)
                if (rings || !at.links[edge][0] || !at.links[edge][1]) contour_follow(&at, edge);
    if (at.count && region) hsp__panel_polygon(panel, at.count, at.x, at.y, *style);
    if (at.count && !region) hsp__panel_line(panel, at.count, at.x, at.y, *style);
    hsp__scratch_free(&memory);
}

void hsp__panel_contour(hsp__panel *panel, const hsp__grid *grid, double level, hsp__style style)
{
    contour_find(panel, grid, level, 0, &style);
}

void hsp__panel_region(hsp__panel *panel, const hsp__grid *grid, double level, hsp__style style)
{
    contour_find(panel, grid, level, 1, &style);
}
