#include "show/scene.h"

#include <stdio.h>
#include <stdlib.h>

#include "show/geometry.h"

#define SCENE_LABELS   14    /* values are written next to as many rows at most */
#define SCENE_SLACKS   8     /* the same of slack */
#define SCENE_SEGMENTS 300   /* rows that distances are drawn for, the nearest ones */
#define SCENE_NUMBERS  60    /* rows whose numbers are written */
#define SCENE_ASIDE    0.022 /* of the range: how far texts are from their lines */

/* Want of memory is remembered by the figure. */
static void scene_done(const hsp__scene *o, hsp__scratch *scratch)
{
    if (scratch->failed) o->panel->figure->memory.failed = 1;
    hsp__scratch_free(scratch);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* The length that others are compared with; with uneven axes, that across the boundary. */
static double scene_span(const hsp__scene *o)
{
    const double x = o->high[0] - o->low[0], y = o->high[1] - o->low[1];
    return o->uneven ? x : fmax(x, y);
}

/* The point of the boundary nearest to a point. */
static void scene_foot(const hsp__scene *o, double x, double y, double foot[2])
{
    hsp__foot(o->separator->w, o->separator->b, (double[]){x, y}, foot);
}

/* ||w|| in the plane. */
static double scene_length(const hsp__scene *o)
{
    return hypot(o->separator->w[0], o->separator->w[1]);
}

/* Where w is drawn: from the boundary, near the middle of the rows (through the origin, from there). */
static void scene_arrow(const hsp__scene *o, double from[2], double to[2])
{
    const hsp__plane_separator *s = o->separator;
    double middle[2] = {0, 0};
    for (uint64_t i = 0; i < o->count; i++) {
        middle[0] += o->x[i] / (double)o->count;
        middle[1] += o->y[i] / (double)o->count;
    }
    if (s->b == 0) memcpy(middle, o->origin, sizeof middle);
    scene_foot(o, middle[0], middle[1], from);
    for (int j = 0; j < 2; j++)
        to[j] = from[j] + o->w_share * s->w[j];
}

/* Where the slack of a row ends: on its margin line. */
static void scene_slack_end(const hsp__scene *o, uint64_t i, double to[2])
{
    const hsp__plane_separator *s = o->separator;
    const double length = scene_length(o), xi = 1 - o->margin[i];
    const double step = (o->class[i] == 1 ? xi : -xi) / (length * length);
    to[0] = o->x[i] + step * s->w[0];
    to[1] = o->y[i] + step * s->w[1];
}

static void scene_contain(hsp__scene *o, const double point[2])
{
    for (int j = 0; j < 2; j++) {
        const double room = (o->high[j] - o->low[j]) * 0.05;
        if (point[j] - room < o->low[j]) o->low[j] = point[j] - room;
        if (point[j] + room > o->high[j]) o->high[j] = point[j] + room;
    }
}

void hsp__scene_widen(hsp__scene *o)
{
    double from[2], to[2];
    if (o->shown >> HSP__SHOW_NUMBERS & 1) o->high[1] += (o->high[1] - o->low[1]) * 0.05;
    if (!o->separator) return;
    if (o->shown >> HSP__SHOW_ORIGIN & 1) {
        scene_foot(o, o->origin[0], o->origin[1], from);
        scene_contain(o, o->origin);
        scene_contain(o, from);
    }
    for (uint64_t i = 0; o->shown >> HSP__SHOW_SLACK & 1 && i < o->count; i++) {
        if (!(1 - o->margin[i] > HSP__SLACK_LEAST)) continue;
        scene_slack_end(o, i, to);
        scene_contain(o, to);
    }
    if (o->shown >> HSP__SHOW_W & 1) {
        const double length = scene_length(o), span = scene_span(o);
        o->w_share = length >= span * 0.1 && length <= span * 0.5 ? 1 : span * 0.25 / length;
        scene_arrow(o, from, to);
        scene_contain(o, from);
        scene_contain(o, to);
    }
}

/* ---- Lines with their lengths ---------------------------------------------------------------- */

/* A text next to the middle of a segment. */
static void scene_label(const hsp__scene *o, const double from[2], const double to[2], int color,
                        const char *text)
{
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double aside = (o->uneven ? o->high[1] - o->low[1] : scene_span(o)) * SCENE_ASIDE;
    /* to the right of the segment, or above it */
    double across[2] = {0, 1};
    if (length > 0) {
        across[0] = -(to[1] - from[1]) / length;
        across[1] = (to[0] - from[0]) / length;
    }
    if (across[0] < -0.3 || (across[0] <= 0.3 && across[1] < 0)) {
        across[0] = -across[0];
        across[1] = -across[1];
    }
    hsp__panel_text(o->panel, from[0] + (to[0] - from[0]) * 0.42 + across[0] * aside,
                    from[1] + (to[1] - from[1]) * 0.42 + across[1] * aside,
                    (hsp__style){.color = color, .anchor = across[0] > 0.3, .size = 10}, "%s",
                    text);
}

static int scene_compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The distance within which the nearest SCENE_SEGMENTS rows are. */
static double scene_reach(const hsp__scene *o)
{
    if (o->count <= SCENE_SEGMENTS) return HUGE_VAL;
    hsp__scratch scratch = {.memory = &o->panel->figure->allocator};
    double reach = -1, *sorted = hsp__scratch_raw(&scratch, o->count, sizeof *sorted);
    for (uint64_t i = 0; sorted && i < o->count; i++)
        sorted[i] = isnan(o->margin[i]) ? HUGE_VAL : fabs(o->margin[i]);
    if (sorted) {
        qsort(sorted, o->count, sizeof *sorted, scene_compare);
        reach = sorted[SCENE_SEGMENTS - 1];
    }
    scene_done(o, &scratch);
    return reach;
}

static void scene_distances(const hsp__scene *o)
{
    const double reach = scene_reach(o), length = scene_length(o);
    const char *name = "distances";
    uint64_t drawn = 0;
    for (uint64_t i = 0; i < o->count && drawn < SCENE_SEGMENTS; i++) {
        double foot[2];
        char text[40];
        if (!(fabs(o->margin[i]) <= reach)) continue;
        scene_foot(o, o->x[i], o->y[i], foot);
        hsp__panel_segment(o->panel, o->x[i], o->y[i], foot[0], foot[1],
                           (hsp__style){.color = HSP__MUTED, .width = 1, .name = name});
        name = NULL;
        drawn++;
        const int origin = o->shown >> HSP__SHOW_ORIGIN & 1 && o->x[i] == o->origin[0] &&
                           o->y[i] == o->origin[1]; /* it has a label of its own */
        if (o->count > SCENE_LABELS || origin) continue;
        snprintf(text, sizeof text, "%.3g", fabs(o->margin[i]) / length);
        scene_label(o, (double[]){o->x[i], o->y[i]}, foot, HSP__MUTED, text);
    }
    if (drawn < o->count)
        hsp__figure_note(o->panel->figure, "distances of the nearest %llu rows",
                         (unsigned long long)drawn);
}

/* Slack xi = 1 - y s(x), as the way from a row to its margin line, whose length is xi / ||w||. Its
 * colour is not that of one of the two classes. */
static void scene_slack(const hsp__scene *o)
{
    const char *name = "slack ξ";
    uint64_t drawn = 0, all = 0;
    for (uint64_t i = 0; i < o->count; i++)
        all += o->margin[i] < 1 - HSP__SLACK_LEAST;
    for (uint64_t i = 0; i < o->count && drawn < SCENE_SEGMENTS; i++) {
        const double xi = 1 - o->margin[i];
        double to[2];
        char text[40];
        if (!(xi > HSP__SLACK_LEAST)) continue;
        scene_slack_end(o, i, to);
        hsp__panel_segment(o->panel, o->x[i], o->y[i], to[0], to[1],
                           (hsp__style){.color = HSP__WEIGHTS, .width = 1.2, .name = name});
        name = NULL;
        drawn++;
        if (all > SCENE_SLACKS) continue;
        snprintf(text, sizeof text, "ξ = %.3g", xi);
        scene_label(o, (double[]){o->x[i], o->y[i]}, to, HSP__WEIGHTS, text);
    }
    if (drawn < all)
        hsp__figure_note(o->panel->figure, "slack of the first %llu of %llu rows that have some",
                         (unsigned long long)drawn, (unsigned long long)all);
}

/* The geometric margin: the least y s(x) / ||w||, and the parallels of the boundary through the
 * nearest rows. */
static void scene_geometric(const hsp__scene *o)
{
    const hsp__plane_separator *s = o->separator;
    const double length = scene_length(o);
    const double least = o->least, *at = o->least_at;
    double foot[2];
    char text[64];
    if (o->not_right || !(least < HUGE_VAL)) {
        hsp__figure_note(o->panel->figure,
                         "no geometric margin is drawn: %llu row%s not on the right side of %s",
                         (unsigned long long)o->not_right, o->not_right == 1 ? " is" : "s are",
                         o->zero);
        return;
    }
    hsp__panel_rule(
        o->panel, s->w[0], s->w[1], least - s->b,
        (hsp__style){.color = HSP__MARGIN, .dash = HSP__DOTTED, .name = "geometric margin γ"});
    hsp__panel_rule(o->panel, s->w[0], s->w[1], -least - s->b,
                    (hsp__style){.color = HSP__MARGIN, .dash = HSP__DOTTED});
    scene_foot(o, at[0], at[1], foot);
    hsp__panel_segment(o->panel, at[0], at[1], foot[0], foot[1],
                       (hsp__style){.color = HSP__MARGIN, .width = 2});
    snprintf(text, sizeof text, "γ = %.4g", least / length);
    if (o->shown >> HSP__SHOW_DISTANCES & 1 && o->count <= SCENE_LABELS)
        hsp__figure_note(o->panel->figure, "geometric margin %s", text);
    else
        scene_label(o, at, foot, HSP__MARGIN, text);
}

int hsp__scene_level(const hsp__scene *o, double level, hsp__style style)
{
    const hsp__plane_separator *s = o->separator;
    const hsp__axis *x = &o->panel->x, *y = &o->panel->y;
    int above = 0;
    for (int corner = 0; corner < 4; corner++)
        above += s->w[0] * (corner & 1 ? x->high : x->low) +
                     s->w[1] * (corner & 2 ? y->high : y->low) + s->b >
                 level;
    if (above == 0 || above == 4) return 0;
    hsp__panel_rule(o->panel, s->w[0], s->w[1], level - s->b, style);
    return 1;
}

static void scene_margins(const hsp__scene *o)
{
    hsp__style style = {.color = HSP__MARGIN, .dash = HSP__DASHED, .name = "s(x) = ±1"};
    const int one = hsp__scene_level(o, 1, style);
    if (one) style.name = NULL;
    if (!hsp__scene_level(o, -1, style) && !one)
        hsp__figure_note(o->panel->figure, "the lines s(x) = ±1 are outside of this frame");
}

static void scene_origin(const hsp__scene *o)
{
    double foot[2];
    char text[40];
    const double distance = fabs(o->separator->w[0] * o->origin[0] +
                                 o->separator->w[1] * o->origin[1] + o->separator->b) /
                            scene_length(o);
    scene_foot(o, o->origin[0], o->origin[1], foot);
    hsp__panel_points(o->panel, 1, &o->origin[0], &o->origin[1],
                      (hsp__style){.color = HSP__INK, .shape = HSP__PLUS, .name = "origin"});
    hsp__panel_segment(o->panel, o->origin[0], o->origin[1], foot[0], foot[1],
                       (hsp__style){.color = HSP__INK, .width = 1.5});
    snprintf(text, sizeof text, "d_O = %.4g", distance);
    if (distance > 0.01 * scene_span(o))
        scene_label(o, o->origin, foot, HSP__INK, text);
    else
        hsp__figure_note(o->panel->figure, "distance of %s from the origin: %s", o->zero, text);
}

static void scene_w(const hsp__scene *o)
{
    double from[2], to[2];
    scene_arrow(o, from, to);
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double beyond = scene_span(o) * SCENE_ASIDE * 1.2 / length;
    hsp__panel_arrow(o->panel, from[0], from[1], to[0], to[1],
                     (hsp__style){.color = HSP__WEIGHTS, .width = 2});
    hsp__panel_text(o->panel, to[0] + beyond * (to[0] - from[0]),
                    to[1] + beyond * (to[1] - from[1]),
                    (hsp__style){.color = HSP__WEIGHTS, .size = 13}, "w");
    if (o->w_share != 1)
        hsp__figure_note(o->panel->figure, "w is drawn at %.3g of its length, ‖w‖ = %.4g",
                         o->w_share, o->separator->length);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void scene_hulls(const hsp__scene *o)
{
    hsp__scratch scratch = {.memory = &o->panel->figure->allocator};
    double(*points)[2] = hsp__scratch_raw(&scratch, o->count, sizeof *points);
    double *x = hsp__scratch_raw(&scratch, o->count + 1, sizeof *x);
    double *y = hsp__scratch_raw(&scratch, o->count + 1, sizeof *y);
    uint32_t classes = 0;
    for (uint64_t i = 0; !scratch.failed && i < o->count; i++)
        if (o->class[i] != HSP_NO_CLASS && o->class[i] >= classes) classes = o->class[i] + 1;
    for (uint32_t c = 0; c < classes; c++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < o->count; i++) {
            if (o->class[i] != c) continue;
            points[count][0] = o->x[i];
            points[count++][1] = o->y[i];
        }
        const uint64_t corners = hsp__hull(points, count);
        for (uint64_t i = 0; i < corners; i++) {
            x[i] = points[i][0];
            y[i] = points[i][1];
        }
        if (corners > 2)
            hsp__panel_polygon(o->panel, corners, x, y,
                               (hsp__style){.color = HSP__CLASS(c), .opacity = 0.15});
        x[corners] = x[0]; /* and back to the start */
        y[corners] = y[0];
        if (corners > 1)
            hsp__panel_line(o->panel, corners + 1, x, y,
                            (hsp__style){.color = HSP__CLASS(c), .width = 1.2});
    }
    scene_done(o, &scratch);
}

/* Marks around the rows that have a flag. */
static void scene_marks(const hsp__scene *o, const unsigned char *flag, hsp__style style)
{
    hsp__scratch scratch = {.memory = &o->panel->figure->allocator};
    double *x = hsp__scratch_raw(&scratch, o->count, sizeof *x);
    double *y = hsp__scratch_raw(&scratch, o->count, sizeof *y);
    uint64_t count = 0;
    for (uint64_t i = 0; !scratch.failed && i < o->count; i++) {
        if (!flag[i]) continue;
        x[count] = o->x[i];
        y[count++] = o->y[i];
    }
    if (count) hsp__panel_points(o->panel, count, x, y, style);
    scene_done(o, &scratch);
}

static void scene_numbers(const hsp__scene *o)
{
    const double up = (o->high[1] - o->low[1]) * 0.045;
    for (uint64_t i = 0; i < o->count && i < SCENE_NUMBERS; i++)
        hsp__panel_text(o->panel, o->x[i], o->y[i] + up,
                        (hsp__style){.color = HSP__INK, .size = 10}, "%llu",
                        (unsigned long long)(o->numbers ? o->numbers[i] : i) + 1);
    if (o->count > SCENE_NUMBERS)
        hsp__figure_note(o->panel->figure, "numbers of the first %d rows", SCENE_NUMBERS);
}

/* ---- What is to be shown --------------------------------------------------------------------- */

static void scene_support(const hsp__scene *o)
{
    scene_marks(o, o->ring,
                (hsp__style){.color = HSP__INK,
                             .size = o->radius + 3,
                             .width = 1.3,
                             .hollow = 1,
                             .name = o->ring_name});
}

static void scene_mistakes(const hsp__scene *o)
{
    scene_marks(o, o->wrong,
                (hsp__style){.color = HSP__BAD,
                             .size = o->radius + 2.5,
                             .width = 1.8,
                             .shape = HSP__CROSS,
                             .name = "mistakes"});
}

void hsp__scene_draw(const hsp__scene *o, hsp__show what)
{
    static void (*const draw[])(const hsp__scene *) = {
        [HSP__SHOW_MARGINS] = scene_margins,     [HSP__SHOW_GEOMETRIC] = scene_geometric,
        [HSP__SHOW_SUPPORT] = scene_support,     [HSP__SHOW_W] = scene_w,
        [HSP__SHOW_DISTANCES] = scene_distances, [HSP__SHOW_ORIGIN] = scene_origin,
        [HSP__SHOW_SLACK] = scene_slack,         [HSP__SHOW_HULLS] = scene_hulls,
        [HSP__SHOW_MISTAKES] = scene_mistakes,   [HSP__SHOW_NUMBERS] = scene_numbers,
    };
    draw[what](o);
}
