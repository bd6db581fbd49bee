/* Figures: contours by hand, names that cannot be shown, SVG that is well-formed and finite, text that
 * fits. */
#include <stdlib.h>

#include "../check.h"
#include "show/terminal.h"

static hsp_context *ctx;

static hsp_figure *new_figure(void)
{
    hsp_figure *figure = NULL;
    CHECK(hsp__figure_new(ctx, "test", NULL, &figure) == HSP_OK);
    if (!figure) abort();
    return figure;
}

/* ---- Contours ---- */

/* x + y on a 3 x 3 grid over [0, 2]^2: level 1.5 is the line from (0, 1.5) to (1.5, 0), without the
 * points in between; at least 1.5 is the rest of the square. */
static void contour_of_a_plane(void)
{
    static const double values[] = {0, 1, 2, 1, 2, 3, 2, 3, 4};
    const hsp__grid grid = {3, 3, 0, 2, 0, 2, values};
    hsp_figure *figure = new_figure();
    hsp__panel *panel = hsp__panel_add(figure, NULL);
    hsp__panel_contour(panel, &grid, 1.5, (hsp__style){0});
    hsp__panel_region(panel, &grid, 1.5, (hsp__style){0});
    const hsp__figure_mark *line = panel->first, *region = line->next;
    CHECK(line->kind == HSP__MARK_LINE && line->count == 3 && isnan(line->x[2]));
    CHECK(fabs(line->x[0] + line->y[0] - 1.5) <= 1e-12);
    CHECK(fabs(fabs(line->x[0] - line->x[1]) - 1.5) <= 1e-12);
    CHECK(region->kind == HSP__MARK_POLYGON);
    double area = 0; /* by the shoelace formula: 4 - 1.5^2 / 2 */
    for (uint64_t i = 0; i + 1 < region->count; i++) {
        const uint64_t next = isnan(region->x[i + 1]) ? 0 : i + 1;
        area += (region->x[i] * region->y[next] - region->x[next] * region->y[i]) / 2;
    }
    CHECK(fabs(fabs(area) - (4 - 1.125)) <= 1e-9);
    hsp_figure_free(figure);
}

/* A level that is nowhere; a region that is everywhere; a peak whose contour is a ring. */
static void contours_without_ends(void)
{
    static const double values[] = {0, 0, 0, 0, 4, 0, 0, 0, 0};
    const hsp__grid grid = {3, 3, 0, 2, 0, 2, values};
    hsp_figure *figure = new_figure();
    hsp__panel *panel = hsp__panel_add(figure, NULL);
    hsp__panel_contour(panel, &grid, 5, (hsp__style){0});
    hsp__panel_region(panel, &grid, 5, (hsp__style){0});
    CHECK(panel->mark_count == 0);
    hsp__panel_region(panel, &grid, -1, (hsp__style){0});
    CHECK(panel->mark_count == 1);
    hsp__panel_contour(panel, &grid, 2, (hsp__style){0});
    const hsp__figure_mark *ring = panel->first->next;
    CHECK(ring->count == 6); /* four corners, the first again, and the end */
    CHECK(ring->x[0] == ring->x[4] && ring->y[0] == ring->y[4]);
    for (int i = 0; i < 4; i++)
        CHECK(fabs(fabs(ring->x[i] - 1) + fabs(ring->y[i] - 1) - 0.5) <= 1e-12);
    hsp_figure_free(figure);
}

/* Saddles and nodes without a value: every line ends, none is lost. */
static void contours_of_noise(void)
{
    enum { N = 40 };
    double values[N * N];
    for (int seed = 1; seed <= 20; seed++) {
        uint32_t state = (uint32_t)seed;
        for (int i = 0; i < N * N; i++) {
            state = state * 1664525u + 1013904223u;
            values[i] = state >> 28 == 0 ? NAN : (double)(state >> 30) - 1.5;
        }
        const hsp__grid grid = {N, N, -1, 1, -1, 1, values};
        hsp_figure *figure = new_figure();
        hsp__panel *panel = hsp__panel_add(figure, NULL);
        hsp__panel_contour(panel, &grid, 0, (hsp__style){0});
        hsp__panel_region(panel, &grid, 0, (hsp__style){0});
        for (const hsp__figure_mark *mark = panel->first; mark; mark = mark->next)
            for (uint64_t i = 0; i < mark->count; i++)
                CHECK(isnan(mark->x[i]) || (fabs(mark->x[i]) <= 1 && fabs(mark->y[i]) <= 1));
        CHECK(panel->mark_count == 2);
        hsp_figure_free(figure);
    }
}

/* ---- Names ---- */

static void names_are_cleaned(void)
{
    static const struct {
        const char *name, *shown;
        size_t most;
    } cases[] = {
        {"age", "age", 10},
        {"", "", 10},
        {"a\tb\n\x1b[31m",
         "a\xef\xbf\xbd"
         "b\xef\xbf\xbd\xef\xbf\xbd[31m",
         20},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9", 3},
        {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd", 10},
        {"\xe2\x80\xae"
         "evil",
         "\xef\xbf\xbd"
         "evil",
         10},
        {"\xe5\x90", "\xef\xbf\xbd\xef\xbf\xbd", 10}, /* cut off */
        {"abcdef", "abcd\xe2\x80\xa6", 5},
        {"abcde", "abcde", 5},
    };
    hsp_figure *figure = new_figure();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(strcmp(hsp__figure_copy(figure, cases[i].name, cases[i].most), cases[i].shown) == 0);
    hsp_figure_free(figure);
}

/* ---- Formats ---- */

/* Are the tags of the text closed in order? Attributes hold no '<' or '>'. */
static int is_well_formed(const char *text)
{
    char open[64][16];
    int depth = 0;
    for (const char *p = strchr(text, '<'); p; p = strchr(p, '<')) {
        const char *end = strpbrk(p + 1, "<>");
        if (!end || *end != '>') return 0;
        const size_t size = strcspn(p + 1 + (p[1] == '/'), " />\n");
        if (size == 0 || size >= sizeof *open) return 0;
        if (p[1] == '/') {
            if (!depth || strncmp(open[--depth], p + 2, size) != 0 || open[depth][size]) return 0;
        } else if (end[-1] != '/') {
            if (depth == 64) return 0;
            memcpy(open[depth], p + 1, size);
            open[depth++][size] = 0;
        }
        p = end;
    }
    return depth == 0;
}

/* Every kind of mark, with coordinates far away and without a value, names that are markup. */
static hsp_figure *strange_figure(void)
{
    static const double x[] = {0, 1e308, NAN, -1e308, INFINITY, 1, 1e-320};
    static const double y[] = {0, -1e308, 1, NAN, 1, -INFINITY, 1};
    static const double cells[] = {0, 1, NAN, 1e308};
    static const char *const names[] = {"<a>", "\"&'", "\x01\xff", "\xe5\x90\x8d"};
    hsp_figure *figure = new_figure();
    for (int k = 0; k < 5; k++) {
        hsp__panel *panel = hsp__panel_add(figure, "</svg><script>alert(1)</script>");
        const hsp__style style = {
            .color = HSP__CLASS(k), .shape = HSP__SHAPE(k), .name = names[k % 4]};
        if (k == 1) panel->x.log = 1;
        if (k == 2) hsp__axis_categories(panel, &panel->x, names, 4);
        if (k == 3) hsp__axis_range(&panel->y, 1e300, 1.0000000000001e300);
        panel->equal = k == 4;
        hsp__axis_label(panel, &panel->y, "%s", names[0]);
        hsp__panel_cells(panel, 2, 2, 0, 1, 0, 1, cells, (hsp__scale)(k % 2), 0, 0);
        hsp__panel_bar(panel, "]]>");
        hsp__panel_points(panel, 7, x, y, style);
        hsp__panel_line(panel, 7, x, y, style);
        hsp__panel_polygon(panel, 7, x, y, style);
        hsp__panel_arrow(panel, 0, 0, 1e308, 1, style);
        hsp__panel_segment(panel, 0, 0, 1, 1, style);
        hsp__panel_rule(panel, 0, 0, 1, style);
        hsp__panel_rule(panel, 1, 1e308, 1, style);
        hsp__panel_bars(panel, 7, x, y, 0.5, k % 2, style);
        hsp__panel_text(panel, 0.5, 0.5, (hsp__style){.color = HSP__OVER}, "%s", names[1]);
        hsp__panel_points(panel, 0, x, y, style);
    }
    hsp__panel_add(figure, NULL); /* nothing in it */
    hsp__figure_title(figure, "%s", names[0]);
    hsp__figure_note(figure, "%s", names[1]);
    hsp__figure_describe(figure, "%s", names[2]);
    return figure;
}

static void strange_figures_are_drawn(void)
{
    hsp_figure *figure = strange_figure();
    CHECK(hsp__figure_done(figure, NULL) == HSP_OK);
    char *text = NULL;
    CHECK(hsp_figure_svg(ctx, figure, NULL, NULL, &text) == HSP_OK);
    CHECK(is_well_formed(text));
    CHECK(!strstr(text, "nan") && !strstr(text, "inf") && !strstr(text, "<script"));
    hsp_figure_text_free(text);
    for (int kind = 0; kind < 4; kind++) {
        CHECK(hsp_figure_terminal(ctx, figure, NULL, kind & 1, kind >> 1, NULL, &text) == HSP_OK);
        for (const char *p = text; !(kind & 1) && *p; p++) {
            CHECK((unsigned char)*p >= ' ' || *p == '\n');
            CHECK(kind || (unsigned char)*p < 0x80);
        }
        hsp_figure_text_free(text);
    }
    hsp_figure_free(figure);
}

static void sizes_are_kept(void)
{
    static const char *const sizes[] = {"10", "640", "10000"};
    hsp_figure *figure = strange_figure();
    hsp_options *options = NULL;
    char *text = NULL;
    CHECK(hsp__figure_done(figure, NULL) == HSP_OK);
    CHECK(hsp_options_new(ctx, hsp_figure_options(), NULL, &options) == HSP_OK);
    for (int i = 0; i < 3; i++) {
        CHECK(hsp_options_set(options, "width", sizes[i], NULL) == HSP_OK);
        CHECK(hsp_options_set(options, "height", sizes[2 - i], NULL) == HSP_OK);
        CHECK(hsp_options_set(options, "theme", i ? "dark" : "light", NULL) == HSP_OK);
        CHECK(hsp_options_set(options, "title", "<b>\x02", NULL) == HSP_OK);
        CHECK(hsp_figure_svg(ctx, figure, options, NULL, &text) == HSP_OK);
        CHECK(is_well_formed(text) && !strstr(text, "nan"));
        hsp_figure_text_free(text);
    }
    hsp_options_free(options);
    hsp_figure_free(figure);
}

/* Text is measured as wide as in Helvetica and in DejaVu Sans, whose widths these are. */
static void text_fits(void)
{
    static const struct {
        const char *text;
        double width; /* of the wider one */
    } cases[] = {{"petal_length", 6.22}, {"1.0 W@", 3.897}, {"\xe2\x88\x92", 0.837}, {"", 0}};
    char buffer[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double width = hsp__text_width(cases[i].text, 10, 0);
        CHECK(width >= 10 * cases[i].width - 1e-9 && width <= 11.5 * cases[i].width);
        CHECK(hsp__text_fit(cases[i].text, 10, 0, width, buffer, sizeof buffer) == cases[i].text);
    }
    CHECK(hsp__text_width("e\xcc\x81", 10, 0) == hsp__text_width("e", 10, 0));
    const char *cut = hsp__text_fit("petal_length", 10, 1, 40, buffer, sizeof buffer);
    CHECK(cut == buffer && hsp__text_width(cut, 10, 1) <= 40);
}

/* Points that overlap are drawn one after the other, each with its outline; a text over lines has a
 * halo, and is moved into the frame. */
static void marks_can_be_told_apart(void)
{
    hsp_figure *figure = new_figure();
    hsp__panel *panel = hsp__panel_add(figure, NULL);
    char *svg = NULL;
    hsp__axis_range(&panel->x, 0, 1);
    hsp__axis_range(&panel->y, 0, 1);
    hsp__panel_points(panel, 2, (double[]){0.5, 0.5}, (double[]){0.5, 0.51},
                      (hsp__style){.color = HSP__CLASS(0)});
    hsp__panel_text(panel, 1, 0.5, (hsp__style){.color = HSP__INK, .anchor = 1}, "at the edge");
    CHECK(hsp__figure_done(figure, NULL) == HSP_OK);
    CHECK(hsp_figure_svg(ctx, figure, NULL, NULL, &svg) == HSP_OK);
    const char *first = strstr(svg, "<circle"), *text = strstr(svg, "at the edge");
    CHECK(first && strstr(first + 1, "<circle"));
    CHECK(text != NULL);
    while (text && text > svg && *text != '<')
        text--;
    CHECK(text && strncmp(text, "<text x=\"", 9) == 0 && atof(text + 9) < 580 &&
          strstr(text, "paint-order=\"stroke\""));
    hsp_figure_text_free(svg);
    hsp_figure_free(figure);
}

/* Pale colours stay colours; texts over cells and entries of the legend have their background. */
static void terminals_have_colors(void)
{
    CHECK(hsp__terminal_color(0xd1ece4) == 194 && hsp__terminal_color(0xd1e5f1) == 189);
    CHECK(hsp__terminal_color(0xe4e7ea) == 254 && hsp__terminal_color(0) == 16);
    hsp_figure *figure = new_figure();
    hsp__panel *panel = hsp__panel_add(figure, NULL);
    char *text = NULL;
    hsp__panel_cells(panel, 1, 1, 0, 1, 0, 1, (double[]){1}, HSP__SCALE_SEQUENTIAL, 0, 1);
    hsp__panel_text(panel, 0.5, 0.5, (hsp__style){.color = HSP__OVER}, "7");
    hsp__panel_points(panel, 1, (double[]){0}, (double[]){0},
                      (hsp__style){.color = HSP__INK, .name = "dark"});
    CHECK(hsp__figure_done(figure, NULL) == HSP_OK);
    CHECK(hsp_figure_terminal(ctx, figure, NULL, 2, 1, NULL, &text) == HSP_OK);
    CHECK(strstr(text, "\x1b[48;2;4;41;63m\x1b[38;2;255;255;255m7"));
    CHECK(strstr(text, "\x1b[48;2;255;255;255m\x1b[38;2;31;35;40m\xe2\x97\x8f\x1b[0m dark"));
    hsp_figure_text_free(text);
    hsp_figure_free(figure);
}

static void kinds_check_their_input(void)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_options *options = NULL;
    hsp_figure *figure = NULL;
    const hsp_plot_input none = {.size = sizeof none};
    CHECK(hsp_plot_kind_find("nosuch") == NULL);
    CHECK(hsp_options_new(ctx, hsp_plot_kind_find("rows"), NULL, &options) == HSP_OK);
    CHECK(hsp_plot(ctx, &none, options, &err, &figure) == HSP_USAGE && figure == NULL);
    CHECK(strstr(err.message, "1 data file") != NULL);
    hsp_options_free(options);
    CHECK(hsp_options_new(ctx, hsp_figure_options(), NULL, &options) == HSP_OK);
    CHECK(hsp_plot(ctx, &none, options, &err, &figure) == HSP_USAGE && figure == NULL);
    hsp_options_free(options);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(contour_of_a_plane);
    RUN(contours_without_ends);
    RUN(contours_of_noise);
    RUN(names_are_cleaned);
    RUN(strange_figures_are_drawn);
    RUN(sizes_are_kept);
    RUN(text_fits);
    RUN(marks_can_be_told_apart);
    RUN(terminals_have_colors);
    RUN(kinds_check_their_input);
    hsp_context_free(ctx);
    return check_done();
}
