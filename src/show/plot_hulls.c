/* The kind `hulls`: the convex hulls of two classes, and what decides whether a hyperplane separates
 * them: their nearest points, which prove the widest margin, or a common point, which proves that
 * there is no separator. */
#include <stdio.h>

#include "data/data.h"
#include "show/class_points.h"
#include "show/geometry.h"
#include "show/hull_points.h"
#include "show/scene.h"
#include "show/two_classes.h"

enum {
    HULLS_TERMS = 4,    /* rows of each class that a mixture is written out with */
    HULLS_ROWS = 10000, /* that are drawn */
};

static const hsp_option hulls_options[] = {
    HSP__TEXT("x", NULL, "FEATURE", "feature on the horizontal axis: a name, or a number from 1"),
    HSP__TEXT("y", NULL, "FEATURE", "feature on the vertical axis"),
    HSP__TWO_CLASSES_OPTIONS,
};

typedef struct hulls {
    hsp_context *ctx;
    hsp_figure *figure;
    hsp__panel *panel;
    hsp_data *data; /* of two classes; owned */
    const hsp_view *view;
    hsp__hull_points points;
    int known;
    hsp__plane plane;
    hsp__scratch memory;
    double *x, *y;       /* rows */
    unsigned char *ring; /* rows that the points are mixed from */
    double at[2][2];     /* where the points are */
} hulls;

/* ---- What is true of the rows ---------------------------------------------------------------- */

static hsp_status hulls_certified(hulls *m, const hsp_plot_input *input, hsp_error *err)
{
    hsp__hull_claim *claim = NULL;
    hsp_verification *said = NULL;
    const char *path = input->data_names ? input->data_names[0] : NULL;
    if (!path)
        return hsp__fail(err, HSP_USAGE,
                         "a certificate needs the name of the data file that it is "
                         "about");
    HSP__TRY(hsp_verify_file(m->ctx, input->files[0], path, NULL, NULL, err, &said));
    hsp_status status = HSP_OK;
    if (said->result != HSP_VERIFIED)
        status = hsp__fail_at(err, HSP_BAD_DATA, input->files[0], 0, 0,
                              "the certificate does not hold for %s: %s", path, said->reason);
    hsp_verification_free(said);
    if (!status) status = hsp__hull_claim_read(m->ctx, input->files[0], err, &claim);
    if (!status) status = hsp__hull_claim_rows(m->ctx, claim, input->data[0], err, &m->data);
    if (!status) status = hsp__hull_claim_points(m->ctx, claim, m->data, err, &m->points);
    hsp__hull_claim_free(claim);
    m->known = !status;
    if (!status) hsp__figure_note(m->figure, "the certificate was verified in exact arithmetic");
    return status;
}

/* Of many rows in a plane, those that may be corners decide. */
static hsp_status hulls_find(hulls *m, hsp_error *err)
{
    const uint64_t rows = m->view->rows;
    hsp_data *some = NULL;
    if (m->view->cols != 2 || rows <= HULLS_ROWS)
        return hsp__hull_points_find(m->ctx, m->data, err, &m->points, &m->known);
    double(*points)[2] = hsp__scratch_raw(&m->memory, rows, sizeof *points);
    unsigned char *keep = hsp__scratch_new(&m->memory, rows, sizeof *keep);
    uint64_t *kept = hsp__scratch_raw(&m->memory, rows, sizeof *kept), count = 0;
    if (m->memory.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < 2; j++)
            points[i][j] = hsp__view_entry(m->view, i, j);
    for (uint32_t c = 0; c < 2; c++)
        hsp__hull_candidates(rows, points, m->view->labels, c, keep);
    for (uint64_t i = 0; i < rows; i++)
        if (keep[i]) kept[count++] = i;
    HSP__TRY(hsp_data_select(m->ctx, m->data, kept, count, err, &some));
    const hsp_status status = hsp__hull_points_find(m->ctx, some, err, &m->points, &m->known);
    for (uint64_t k = 0; !status && m->known && k < m->points.used; k++)
        m->points.row[k] = kept[m->points.row[k]];
    hsp_data_free(some);
    return status;
}

static hsp_status hulls_decide(hulls *m, const hsp_plot_input *input, const hsp_options *options,
                               hsp_error *err)
{
    if (input->file_count)
        HSP__TRY(hulls_certified(m, input, err));
    else
        HSP__TRY(hsp__two_classes(m->ctx, input, options, err, &m->data));
    HSP__TRY(hsp_data_view(m->ctx, m->data, err, &m->view));
    return input->file_count ? HSP_OK : hulls_find(m, err);
}

/* ---- The plane ------------------------------------------------------------------------------- */

/* Where a point is that is no row. */
static void hulls_place(const hulls *m, const double *point, double at[2])
{
    const hsp_view one = hsp_view_dense(HSP_FLOAT64, 1, m->view->cols, m->view->cols, point);
    hsp__plane plane = m->plane;
    plane.view = &one;
    hsp__plane_place(&plane, 0, at);
}

static hsp_status hulls_plane(hulls *m, const hsp_options *options, hsp_error *err)
{
    const uint64_t rows = m->view->rows;
    const char *x = hsp_options_text(options, "x"), *y = hsp_options_text(options, "y");
    uint64_t *all = hsp__scratch_raw(&m->memory, rows, sizeof *all);
    m->x = hsp__scratch_raw(&m->memory, rows, sizeof *m->x);
    m->y = hsp__scratch_raw(&m->memory, rows, sizeof *m->y);
    m->ring = hsp__scratch_new(&m->memory, rows, sizeof *m->ring);
    if (m->memory.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows; i++)
        all[i] = i;
    m->plane = (hsp__plane){.ctx = m->ctx, .data = m->data, .view = m->view};
    if (m->known && m->points.separable && m->points.w && !x && !y && m->view->cols > 2) {
        m->plane.across = m->points.w;
        m->plane.across_offset = m->points.b;
    }
    HSP__TRY(hsp__plane_open(&m->plane, x, y, NULL, all, rows, err));
    for (uint64_t i = 0; i < rows; i++) {
        double at[2];
        hsp__plane_place(&m->plane, i, at);
        m->x[i] = at[0];
        m->y[i] = at[1];
    }
    for (int c = 0; m->known && c < 2; c++)
        hulls_place(m, m->points.point[c], m->at[c]);
    for (uint64_t k = 0; m->known && k < m->points.used; k++)
        m->ring[m->points.row[k]] = 1;
    return HSP_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void hulls_nearest(const hulls *m)
{
    const hsp__hull_points *p = &m->points;
    hsp__plane_separator line;
    if (p->w && hsp__plane_is_true(&m->plane) &&
        hsp__plane_meet(&m->plane, p->w, p->b, m->view->cols, &line)) {
        const double margin = line.length * p->low;
        hsp__panel_rule(m->panel, line.w[0], line.w[1], -line.b,
                        (hsp__style){.color = HSP__BOUNDARY,
                                     .width = 2,
                                     .name = "separator with the widest margin"});
        for (int side = -1; side <= 1; side += 2)
            hsp__panel_rule(m->panel, line.w[0], line.w[1], side * margin - line.b,
                            (hsp__style){.color = HSP__MARGIN, .dash = HSP__DASHED});
    }
    hsp__panel_segment(m->panel, m->at[0][0], m->at[0][1], m->at[1][0], m->at[1][1],
                       (hsp__style){.color = HSP__INK, .width = 1.6});
    for (int c = 0; c < 2; c++)
        hsp__panel_points(m->panel, 1, &m->at[c][0], &m->at[c][1],
                          (hsp__style){.color = HSP__INK,
                                       .shape = HSP__DIAMOND,
                                       .size = 4.5,
                                       .name = c ? NULL : "nearest points of the hulls"});
    hsp__figure_note(m->figure,
                     "widest margin, half their distance: %.12g to "
                     "%.12g",
                     p->low, p->high);
}

/* "0.5 row 1 + 0.5 row 2", of the rows of a class; 0: these are too many. */
static int hulls_mixture(const hulls *m, uint32_t class, char *text, size_t room)
{
    int terms = 0, size = 0;
    for (uint64_t k = 0; k < m->points.used && size < (int)room; k++) {
        if (m->view->labels[m->points.row[k]] != class) continue;
        if (++terms > HULLS_TERMS) return 0;
        size +=
            snprintf(text + size, room - (size_t)size, "%s%.4g·row %llu", terms > 1 ? " + " : "",
                     m->points.share[k], (unsigned long long)m->points.row[k] + 1);
    }
    return size < (int)room;
}

static void hulls_common(const hulls *m)
{
    const hsp__hull_points *p = &m->points;
    char mixed[2][160];
    for (uint64_t k = 0; k < p->used; k++)
        hsp__panel_segment(m->panel, m->at[0][0], m->at[0][1], m->x[p->row[k]], m->y[p->row[k]],
                           (hsp__style){.color = HSP__CLASS(m->view->labels[p->row[k]]),
                                        .width = 1,
                                        .dash = HSP__DASHED});
    hsp__panel_points(m->panel, 1, &m->at[0][0], &m->at[0][1],
                      (hsp__style){.color = HSP__INK,
                                   .shape = HSP__DIAMOND,
                                   .size = 5.5,
                                   .name = p->touching ? "points of both hulls, as good as the same"
                                                       : "a point of both hulls"});
    if (p->touching)
        hsp__figure_note(m->figure, "no separator was found, and none has a margin above %.3g",
                         p->high);
    else
        hsp__figure_note(m->figure, "not separable: one point is in both hulls");
    if (!p->touching && hulls_mixture(m, 0, mixed[0], sizeof mixed[0]) &&
        hulls_mixture(m, 1, mixed[1], sizeof mixed[1]))
        hsp__figure_note(m->figure, "%s = %s", mixed[0], mixed[1]);
}

static hsp_status hulls_draw(hulls *m, hsp_error *err)
{
    hsp__class_points points = {.data = m->data, .x = m->x, .y = m->y, .class_of = m->view->labels};
    uint64_t *rows;
    m->panel = hsp__panel_add(m->figure, NULL);
    if (!m->panel) return hsp__fail_memory(err);
    hsp__plane_axes(&m->plane, m->panel);
    m->panel->equal = hsp__plane_is_true(&m->plane) && m->view->cols > 1;
    HSP__TRY(hsp__row_sample(m->figure, m->data, HULLS_ROWS, m->points.row, m->points.used,
                             &m->memory, err, &rows, &points.count));
    points.rows = rows;
    points.size = hsp__point_size(points.count);
    const hsp__scene scene = {.panel = m->panel,
                              .count = m->view->rows,
                              .x = m->x,
                              .y = m->y,
                              .class = m->view->labels,
                              .ring = m->ring,
                              .ring_name = "rows that they are mixed from",
                              .radius = points.size};
    hsp__scene_draw(&scene, HSP__SHOW_HULLS);
    hsp__class_points_draw(&points, m->panel);
    if (m->known && m->points.separable)
        hulls_nearest(m);
    else if (m->known)
        hulls_common(m);
    else
        hsp__figure_note(m->figure, "whether the classes are separable is beyond the arithmetic of "
                                    "this build");
    if (m->known) hsp__scene_draw(&scene, HSP__SHOW_SUPPORT); /* "they" are named before */
    if (!hsp__plane_is_true(&m->plane))
        hsp__figure_note(m->figure, m->known && !m->points.separable
                                        ? "that holds for all features, the figure is a projection"
                                        : "projected: hulls that are apart may overlap");
    return HSP_OK;
}

static hsp_status hulls_build(hsp_context *ctx, const hsp_plot_input *input,
                              const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hulls m = {.ctx = ctx,
               .figure = figure,
               .points = {.memory = ctx->allocator},
               .memory = {.memory = &ctx->allocator}};
    hsp_status status = hulls_decide(&m, input, options, err);
    if (!status) status = hulls_plane(&m, options, err);
    if (!status) status = hulls_draw(&m, err);
    hsp__plane_free(&m.plane);
    hsp__hull_points_free(&m.points);
    hsp__scratch_free(&m.memory);
    hsp_data_free(m.data);
    return status;
}

const hsp__plot_kind hsp__plot_hulls = {
    .table = {"hulls", "the convex hulls of two classes, with their nearest points or a common one",
              hulls_options, sizeof hulls_options / sizeof *hulls_options},
    .needs = {"DATA [CERTIFICATE]", .data_least = 1, .data_most = 1, .files_most = 1},
    .build = hulls_build,
};
