/* A canvas of cairo, for PNG and PDF. cairo is loaded when it is first needed. */
#include "base/library.h"
#include "data/output.h"
#include "show/canvas.h"

static hsp_status cairo_missing(const char *path, hsp_error *err)
{
    return hsp__fail_at(
        err, HSP_UNSUPPORTED, path, 0, 0,
        "PNG and PDF need cairo (on Debian, libcairo2-dev when halfspace is built and "
        "libcairo2 when it runs); a name that ends in .svg needs nothing");
}

#ifdef HSP_HAVE_CAIRO
#include <cairo-pdf.h>
#include <dlfcn.h>

/* cairo's calls, as its headers declare them. */
/* clang-format off */
#define CAIRO_CALLS(X) \
    X(image_surface_create, cairo_surface_t *, (cairo_format_t, int, int)) \
    X(pdf_surface_create_for_stream, cairo_surface_t *, (cairo_write_func_t, void *, double, double)) \
    X(pdf_surface_set_metadata, void, (cairo_surface_t *, cairo_pdf_metadata_t, const char *)) \
    X(surface_write_to_png_stream, cairo_status_t, (cairo_surface_t *, cairo_write_func_t, void *)) \
    X(surface_finish, void, (cairo_surface_t *)) \
    X(surface_status, cairo_status_t, (cairo_surface_t *)) \
    X(surface_destroy, void, (cairo_surface_t *)) \
    X(status_to_string, const char *, (cairo_status_t)) \
    X(create, cairo_t *, (cairo_surface_t *)) \
    X(status, cairo_status_t, (cairo_t *)) \
    X(destroy, void, (cairo_t *)) \
    X(scale, void, (cairo_t *, double, double)) \
    X(save, void, (cairo_t *)) \
    X(restore, void, (cairo_t *)) \
    X(translate, void, (cairo_t *, double, double)) \
    X(rotate, void, (cairo_t *, double)) \
    X(rectangle, void, (cairo_t *, double, double, double, double)) \
    X(clip, void, (cairo_t *)) \
    X(move_to, void, (cairo_t *, double, double)) \
    X(line_to, void, (cairo_t *, double, double)) \
    X(arc, void, (cairo_t *, double, double, double, double, double)) \
    X(close_path, void, (cairo_t *)) \
    X(new_path, void, (cairo_t *)) \
    X(fill_preserve, void, (cairo_t *)) \
    X(stroke, void, (cairo_t *)) \
    X(set_source_rgba, void, (cairo_t *, double, double, double, double)) \
    X(set_fill_rule, void, (cairo_t *, cairo_fill_rule_t)) \
    X(set_line_width, void, (cairo_t *, double)) \
    X(set_line_join, void, (cairo_t *, cairo_line_join_t)) \
    X(set_line_cap, void, (cairo_t *, cairo_line_cap_t)) \
    X(set_dash, void, (cairo_t *, const double *, int, double)) \
    X(select_font_face, void, (cairo_t *, const char *, cairo_font_slant_t, cairo_font_weight_t)) \
    X(set_font_size, void, (cairo_t *, double)) \
    X(text_extents, void, (cairo_t *, const char *, cairo_text_extents_t *)) \
    X(text_path, void, (cairo_t *, const char *)) \
    X(show_text, void, (cairo_t *, const char *))
/* clang-format on */

typedef struct cairo_calls {
    void *library;
#define CAIRO_MEMBER(name, result, arguments) result(*name) arguments;
    CAIRO_CALLS(CAIRO_MEMBER)
#undef CAIRO_MEMBER
} cairo_calls;

typedef struct cairo_canvas {
    hsp__canvas canvas;
    cairo_calls call;
    cairo_t *to;
    hsp__text bytes; /* of the file */
} cairo_canvas;

static hsp_status cairo_load(cairo_calls *call, const char *path, hsp_error *err)
{
    static const char *const names[] = {"libcairo.so.2", "libcairo.2.dylib", NULL};
    void *found;
    int all = 1;
    const hsp_status status = hsp__library_open(names, err, &call->library);
    if (status == HSP_UNSUPPORTED) return cairo_missing(path, err);
    if (status) return status;
#define CAIRO_FIND(name, result, arguments)                                                       \
    found = dlsym(call->library, "cairo_" #name);                                                 \
    memcpy(&call->name, &found, sizeof found);                                                    \
    _Static_assert(__builtin_types_compatible_p(__typeof__(cairo_##name) *, result(*) arguments), \
                   "as cairo's header has it");                                                   \
    all &= found != NULL;
    CAIRO_CALLS(CAIRO_FIND)
#undef CAIRO_FIND
    if (all) return HSP_OK;
    dlclose(call->library);
    return cairo_missing(path, err);
}

/* ---- The canvas ---- */

static void cairo_color(cairo_canvas *on, int color, double opacity)
{
    on->call.set_source_rgba(on->to, (color >> 16) / 255.0, (color >> 8 & 255) / 255.0,
                             (color & 255) / 255.0, opacity);
}

/* Fill and stroke the path that was made. */
static void cairo_finish(cairo_canvas *on, const hsp__paint *paint)
{
    static const double dashes[3][2] = {{1, 0}, {6, 4}, {0.1, 4}};
    if (paint->fill != HSP__NO_COLOR) {
        cairo_color(on, paint->fill, paint->opacity);
        on->call.set_fill_rule(on->to, CAIRO_FILL_RULE_EVEN_ODD);
        on->call.fill_preserve(on->to);
    }
    if (paint->stroke != HSP__NO_COLOR && paint->width > 0) {
        cairo_color(on, paint->stroke, paint->opacity);
        on->call.set_line_width(on->to, paint->width);
        on->call.set_dash(on->to, dashes[paint->dash], paint->dash == HSP__SOLID ? 0 : 2, 0);
        on->call.set_line_cap(on->to, paint->dash == HSP__DOTTED ? CAIRO_LINE_CAP_ROUND
                                                                 : CAIRO_LINE_CAP_BUTT);
        on->call.stroke(on->to);
    }
    on->call.new_path(on->to);
}

static void cairo_path(hsp__canvas *canvas, uint64_t count, const double *x, const double *y,
                       int closed, const hsp__paint *paint)
{
    cairo_canvas *on = (cairo_canvas *)canvas;
    int open = 0;
    for (uint64_t i = 0; i <= count; i++) {
        if (i == count || isnan(x[i])) {
            if (open && closed) on->call.close_path(on->to);
            open = 0;
        } else {
            (open ? on->call.line_to : on->call.move_to)(on->to, x[i], y[i]);
            open = 1;
        }
    }
    on->call.set_line_join(on->to, closed ? CAIRO_LINE_JOIN_MITER : CAIRO_LINE_JOIN_ROUND);
    cairo_finish(on, paint);
}

/* One at a time, so that points that overlap are all seen. */
static void cairo_points(hsp__canvas *canvas, uint64_t count, const double *x, const double *y,
                         int shape, double size, const hsp__paint *paint)
{
    cairo_canvas *on = (cairo_canvas *)canvas;
    double corner[8][2];
    const int corners = hsp__shape_corners(shape, size, corner), open = hsp__shape_is_open(shape);
    for (uint64_t i = 0; i < count; i++) {
        for (int k = 0; k < corners; k++)
            (k == 0 || (open && k % 2 == 0) ? on->call.move_to : on->call.line_to)(
                on->to, x[i] + corner[k][0], y[i] + corner[k][1]);
        if (!corners) on->call.arc(on->to, x[i], y[i], size, 0, 6.283185307179586);
        if (!open) on->call.close_path(on->to);
        cairo_finish(on, paint);
    }
}

/* A font that is wider than the layout counts with is made smaller. */
static void cairo_text(hsp__canvas *canvas, double x, double y, const char *text, double size,
                       int bold, int anchor, int up, int color, int halo)
{
    cairo_canvas *on = (cairo_canvas *)canvas;
    cairo_text_extents_t extents;
    const double width = hsp__text_width(text, size, bold);
    on->call.select_font_face(on->to, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                              bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    on->call.set_font_size(on->to, size);
    on->call.text_extents(on->to, text, &extents);
    if (extents.x_advance > width) {
        on->call.set_font_size(on->to, size * fmax(width / extents.x_advance, 0.8));
        on->call.text_extents(on->to, text, &extents);
    }
    const double from = anchor < 0 ? -extents.x_advance : anchor ? 0 : -extents.x_advance / 2;
    on->call.save(on->to);
    on->call.translate(on->to, x, y);
    if (up) on->call.rotate(on->to, -1.5707963267948966);
    if (halo != HSP__NO_COLOR) {
        on->call.move_to(on->to, from, 0);
        on->call.text_path(on->to, text);
        on->call.set_line_join(on->to, CAIRO_LINE_JOIN_ROUND);
        cairo_finish(on, &(hsp__paint){HSP__NO_COLOR, halo, HSP__HALO, 1, HSP__SOLID});
    }
    cairo_color(on, color, 1);
    on->call.move_to(on->to, from, 0);
    on->call.show_text(on->to, text);
    on->call.restore(on->to);
    on->call.new_path(on->to);
}

static void cairo_clip_box(hsp__canvas *canvas, double x, double y, double width, double height)
{
    cairo_canvas *on = (cairo_canvas *)canvas;
    on->call.save(on->to);
    on->call.rectangle(on->to, x, y, width, height);
    on->call.clip(on->to);
}

static void cairo_unclip(hsp__canvas *canvas)
{
    cairo_canvas *on = (cairo_canvas *)canvas;
    on->call.restore(on->to);
}

/* ---- Files ---- */

static cairo_status_t cairo_take(void *user, const unsigned char *bytes, unsigned size)
{
    hsp__text *text = user;
    hsp__text_add(text, bytes, size);
    return text->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* The file, in on->bytes. */
static hsp_status cairo_draw(hsp_context *ctx, const hsp_figure *figure, const hsp__look *look,
                             int pdf, cairo_canvas *on, hsp_error *err)
{
    enum { PIXELS = 2 }; /* of a PNG for each unit, so that text is sharp */
    hsp__scratch memory = {&ctx->allocator, NULL, 0};
    const char *title = look->title[0] ? look->title : figure->title;
    cairo_surface_t *surface =
        pdf ? on->call.pdf_surface_create_for_stream(cairo_take, &on->bytes, look->width,
                                                     look->height)
            : on->call.image_surface_create(CAIRO_FORMAT_RGB24, PIXELS * (int)look->width,
                                            PIXELS * (int)look->height);
    if (pdf) { /* the same bytes whenever it is made */
        on->call.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        on->call.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE,
                                          title ? title : figure->kind);
    }
    on->to = on->call.create(surface);
    if (!pdf) on->call.scale(on->to, PIXELS, PIXELS);
    hsp__layout(figure, look, &memory, &on->canvas);
    cairo_status_t failed = on->call.status(on->to);
    on->call.destroy(on->to);
    if (pdf)
        on->call.surface_finish(surface);
    else if (!failed)
        failed = on->call.surface_write_to_png_stream(surface, cairo_take, &on->bytes);
    if (!failed) failed = on->call.surface_status(surface);
    on->call.surface_destroy(surface);
    const int no_memory = memory.failed || on->bytes.failed || failed == CAIRO_STATUS_NO_MEMORY;
    hsp__scratch_free(&memory);
    if (no_memory) return hsp__fail_memory(err);
    return failed ? hsp__fail(err, HSP_UNSUPPORTED, "cairo could not draw the figure: %s",
                              on->call.status_to_string(failed))
                  : HSP_OK;
}

hsp_status hsp__figure_cairo(hsp_context *ctx, const hsp_figure *figure, const hsp__look *look,
                             const char *path, int pdf, hsp_error *err)
{
    cairo_canvas on = {
        .canvas = {cairo_path, cairo_points, cairo_text, cairo_clip_box, cairo_unclip}};
    hsp__output *file = NULL;
    HSP__TRY(cairo_load(&on.call, path, err));
    hsp__text_init(&on.bytes, &ctx->allocator);
    hsp_status status = cairo_draw(ctx, figure, look, pdf, &on, err);
    if (!status) status = hsp__output_open(ctx, path, err, &file);
    if (!status) status = hsp__output_text(file, &on.bytes, err);
    if (!status) status = hsp__output_commit(file, err);
    hsp__output_free(file);
    hsp__text_free(&on.bytes);
    dlclose(on.call.library);
    return status;
}

#else

hsp_status hsp__figure_cairo(hsp_context *ctx, const hsp_figure *figure, const hsp__look *look,
                             const char *path, int pdf, hsp_error *err)
{
    (void)ctx, (void)figure, (void)look, (void)pdf;
    return cairo_missing(path, err);
}

#endif
