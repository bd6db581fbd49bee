/* Figures as lines of text, panel below panel. Plain: a letter per class and simple lines. With
 * `unicode`: shapes, and lines of braille dots, two by four in the place of a character. With
 * `colors`: escape sequences for 256 (1) or all (2) colours, regions as background. */
#include "show/terminal.h"

#include <stdio.h>
#include <stdlib.h>

#include "show/axis.h"

enum {
    TERMINAL_MARGIN = 12,   /* characters of a tick label on the left at most */
    TERMINAL_LINE = 78,     /* of a line of the legend */
    TERMINAL_SEVERAL = '*', /* points of several classes in one place */
    TERMINAL_ROLES = HSP__TINT(55) + 1
};

typedef struct terminal_cell {
    uint32_t character;            /* of the topmost mark; 0: none */
    uint8_t dots;                  /* braille */
    int color, dots_color;         /* roles; -1: none */
    int back;                      /* 0xRRGGBB; -1: none */
    const hsp__figure_mark *owner; /* of the points here */
} terminal_cell;

typedef struct terminal_given {
    const char *name; /* or NULL */
    uint32_t letter;  /* 0: none yet */
} terminal_given;

typedef struct terminal {
    const hsp__panel *panel;
    const hsp__look *look;
    int colors, unicode;
    int width, height;
    terminal_cell *cells;                    /* height * width, from the top */
    char letters[256];                       /* plain: those given out so far, */
    terminal_given given[2][TERMINAL_ROLES]; /* and to whom: lines and points of a colour */
    hsp__text *out;
} terminal;

/* ---- Letters ---- */

/* A letter: the first of the name that no mark before has. */
static uint32_t terminal_letter(terminal *to, const char *name)
{
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *from[] = {name ? name : "o", others};
    for (int i = 0; i < 2; i++)
        for (const char *p = from[i]; *p; p++)
            if (*p > ' ' && *p <= '~' && !strchr("*:.", *p) && !strchr(to->letters, *p)) {
                const size_t used = strlen(to->letters);
                if (used + 1 < sizeof to->letters) to->letters[used] = *p;
                return (unsigned char)*p;
            }
    return '?';
}

/* The letter of points or a line: the same for all marks of a name, also in other panels. A mark
 * without a name has that of the points or lines of its colour. */
static uint32_t terminal_letter_of(terminal *to, const hsp__figure_mark *mark)
{
    const int points = mark->kind == HSP__MARK_POINTS, role = mark->style.color;
    const char *name = mark->style.name;
    assert(role >= 0 && role < TERMINAL_ROLES);
    terminal_given *given = &to->given[points][role];
    const uint32_t other = to->given[!points][role].letter;
    if (mark->style.letter) return (uint32_t)mark->style.letter;
    if (!name && !points && mark->style.dash != HSP__SOLID) return '.';
    if (given->letter && (!name || (given->name && strcmp(name, given->name) == 0)))
        return given->letter;
    if (!name && points && mark->style.hollow) return 'o';
    if (!name && (other || !points)) return other ? other : '.';
    const uint32_t letter = terminal_letter(to, name);
    if (!given->letter) *given = (terminal_given){name, letter};
    return letter;
}

static uint32_t terminal_glyph(terminal *to, const hsp__figure_mark *mark)
{
    static const uint16_t shapes[HSP__SHAPES][2] = {
        {0x25cf, 0x25cb}, {0x25a0, 0x25a1}, {0x25b2, 0x25b3}, {0x25c6, 0x25c7},
        {0x25bc, 0x25bd}, {'+', '+'},       {0x00d7, 0x00d7}};
    static const char fillings[] = "#=%+";
    const int role = mark->style.color;
    if (mark->kind == HSP__MARK_BARS && !to->unicode)
        return (
            unsigned char)fillings[role < HSP__CLASS_FIRST ? 0 : (role - HSP__CLASS_FIRST) / 2 % 4];
    if (mark->kind == HSP__MARK_BARS) return 0x2588;
    if (mark->kind == HSP__MARK_POINTS && to->unicode)
        return shapes[mark->style.shape][mark->style.hollow != 0];
    if (to->unicode) return 0x2500;
    if (mark->kind != HSP__MARK_POINTS && (role == HSP__BOUNDARY || role == HSP__MARGIN))
        return ':';
    return terminal_letter_of(to, mark);
}

/* ---- Marks ---- */

static terminal_cell *terminal_at(const terminal *to, int column, int line)
{
    if (column < 0 || line < 0 || column >= to->width || line >= to->height) return NULL;
    return &to->cells[(size_t)line * (size_t)to->width + (size_t)column];
}

/* A place on an axis, in characters or dots; far outside it does not matter where. */
static double terminal_x(const terminal *to, double value, int scale)
{
    const double place = hsp__axis_place(&to->panel->x, value);
    return isnan(place) ? (double)NAN : fmax(fmin(place, 20), -20) * to->width * scale;
}

static double terminal_y(const terminal *to, double value, int scale)
{
    const double place = hsp__axis_place(&to->panel->y, value);
    return isnan(place) ? (double)NAN : (1 - fmax(fmin(place, 20), -20)) * to->height * scale;
}

/* A number of cells; the ends of an axis belong to the first and the last of them. */
static int terminal_index(double at, int count)
{
    return at == count ? count - 1 : (int)floor(at);
}

static void terminal_dot(const terminal *to, double x, double y, const hsp__figure_mark *mark,
                         uint32_t character)
{
    static const uint8_t bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    const int scale_x = to->unicode ? 2 : 1, scale_y = to->unicode ? 4 : 1;
    const int i = terminal_index(x, to->width * scale_x),
              j = terminal_index(y, to->height * scale_y);
    terminal_cell *cell = i < 0 || j < 0 ? NULL : terminal_at(to, i / scale_x, j / scale_y);
    if (!cell) return;
    if (to->unicode) {
        cell->dots |= bits[j % 4][i % 2];
        cell->dots_color = mark->style.color;
    } else if (!cell->owner) {
        cell->character = character;
        cell->color = mark->style.color;
    }
}

static void terminal_segment(const terminal *to, double x0, double y0, double x1, double y1,
                             const hsp__figure_mark *mark, uint32_t character)
{
    const int scale_x = to->unicode ? 2 : 1, scale_y = to->unicode ? 4 : 1;
    const double ax = terminal_x(to, x0, scale_x), ay = terminal_y(to, y0, scale_y);
    const double bx = terminal_x(to, x1, scale_x), by = terminal_y(to, y1, scale_y);
    const double length = fmax(fabs(bx - ax), fabs(by - ay));
    if (!(length < 1e6)) return; /* and not if one of them is no number */
    const int steps = (int)ceil(length), dash = mark->style.dash != HSP__SOLID;
    for (int k = 0; k <= steps; k++) {
        const double t = steps ? (double)k / steps : 0;
        if (!dash || !to->unicode || k % 4 < 2)
            terminal_dot(to, ax + (bx - ax) * t, ay + (by - ay) * t, mark, character);
    }
}

static void terminal_lines(const terminal *to, const hsp__figure_mark *mark, uint32_t character)
{
    for (uint64_t i = 1; i < mark->count; i++)
        terminal_segment(to, mark->x[i - 1], mark->y[i - 1], mark->x[i], mark->y[i], mark,
                         character);
    if (mark->kind != HSP__MARK_ARROW) return;
    const double dx = terminal_x(to, mark->x[1], 1) - terminal_x(to, mark->x[0], 1);
    const double dy = 2 * (terminal_y(to, mark->y[1], 1) - terminal_y(to, mark->y[0], 1));
    static const uint16_t heads[2][4] = {{'>', '<', 'v', '^'}, {0x25b6, 0x25c0, 0x25bc, 0x25b2}};
    const int way = fabs(dx) >= fabs(dy) ? dx < 0 : 2 + (dy < 0);
    terminal_cell *tip = terminal_at(to, terminal_index(terminal_x(to, mark->x[1], 1), to->width),
                                     terminal_index(terminal_y(to, mark->y[1], 1), to->height));
    if (!tip) return;
    tip->character = heads[to->unicode][way];
    tip->color = mark->style.color;
}

static void terminal_points(const terminal *to, const hsp__figure_mark *mark, uint32_t character)
{
    for (uint64_t i = 0; i < mark->count; i++) {
        const double x = terminal_x(to, mark->x[i], 1), y = terminal_y(to, mark->y[i], 1);
        if (!isfinite(x) || !isfinite(y)) continue;
        terminal_cell *cell =
            terminal_at(to, terminal_index(x, to->width), terminal_index(y, to->height));
        if (!cell) continue;
        const int several = cell->owner && !mark->style.hollow &&
                            (cell->owner != mark || cell->character == TERMINAL_SEVERAL);
        cell->character = several && !to->unicode ? TERMINAL_SEVERAL : character;
        cell->color = mark->style.color;
        cell->owner = mark;
    }
}

static void terminal_rule(const terminal *to, const hsp__figure_mark *mark, uint32_t character)
{
    const hsp__axis *x = &to->panel->x, *y = &to->panel->y;
    const double a = mark->values[0], b = mark->values[1], c = mark->values[2];
    if (b == 0)
        terminal_segment(to, c / a, y->low, c / a, y->high, mark, character);
    else if (fabs(a) * (x->high - x->low) > fabs(b) * (y->high - y->low) && a != 0)
        terminal_segment(to, (c - b * y->low) / a, y->low, (c - b * y->high) / a, y->high, mark,
                         character);
    else
        terminal_segment(to, x->low, (c - a * x->low) / b, x->high, (c - a * x->high) / b, mark,
                         character);
}

/* Is the middle of a character inside of the rings? Even-odd. */
static int terminal_inside(const terminal *to, const hsp__figure_mark *mark, double x, double y)
{
    int inside = 0;
    uint64_t first = 0;
    for (uint64_t i = 0; i < mark->count; i++) {
        if (!isfinite(mark->x[i])) {
            first = i + 1;
            continue;
        }
        const uint64_t next = i + 1 < mark->count && isfinite(mark->x[i + 1]) ? i + 1 : first;
        const double ay = terminal_y(to, mark->y[i], 1), by = terminal_y(to, mark->y[next], 1);
        if ((ay > y) == (by > y)) continue;
        const double ax = terminal_x(to, mark->x[i], 1), bx = terminal_x(to, mark->x[next], 1);
        inside ^= x < ax + (bx - ax) * (y - ay) / (by - ay);
    }
    return inside;
}

static void terminal_polygon(const terminal *to, const hsp__figure_mark *mark)
{
    const int color = hsp__theme_color(to->look->dark, mark->style.color);
    const double opacity = mark->style.opacity > 0 ? mark->style.opacity : 1;
    for (int j = 0; j < to->height && to->colors && !mark->style.hollow; j++)
        for (int i = 0; i < to->width; i++)
            if (terminal_inside(to, mark, i + 0.5, j + 0.5)) {
                terminal_cell *cell = terminal_at(to, i, j);
                cell->back = hsp__theme_mix(cell->back, color, opacity);
            }
}

/* Cells as background colours, or as shades. */
static void terminal_cells(const terminal *to, const hsp__figure_mark *mark)
{
    static const uint16_t shades[2][5] = {{' ', '.', '+', '%', '#'},
                                          {' ', 0x2591, 0x2592, 0x2593, 0x2588}};
    for (int j = 0; j < to->height; j++)
        for (int i = 0; i < to->width; i++) {
            const hsp__axis *ax = &to->panel->x, *ay = &to->panel->y;
            const double u = (i + 0.5) / to->width, v = (j + 0.5) / to->height;
            const double x = ax->low + (ax->high - ax->low) * (ax->reversed ? 1 - u : u);
            const double y = ay->low + (ay->high - ay->low) * (ay->reversed ? v : 1 - v);
            const double p = floor((x - mark->x[0]) / (mark->x[1] - mark->x[0]) * mark->nx);
            const double q = floor((y - mark->y[0]) / (mark->y[1] - mark->y[0]) * mark->ny);
            if (!(p >= 0 && q >= 0 && p < mark->nx && q < mark->ny)) continue;
            const double value = mark->values[(size_t)q * mark->nx + (size_t)p];
            terminal_cell *cell = terminal_at(to, i, j);
            if (!isfinite(value)) continue;
            const double share = (value - mark->low) / (mark->high - mark->low);
            if (to->colors)
                cell->back =
                    hsp__theme_scale(to->look->dark, mark->scale, value, mark->low, mark->high);
            else if (mark->scale != HSP__SCALE_CLASSES && share >= 0)
                cell->character = shades[to->unicode][(int)(fmin(share, 1) * 4 + 0.5)];
        }
}

static void terminal_bars(const terminal *to, const hsp__figure_mark *mark, uint32_t character)
{
    for (uint64_t k = 0; k < mark->count; k++) {
        const double half = mark->values[0] / 2, at = mark->sideways ? mark->y[k] : mark->x[k];
        const hsp__axis *axis = mark->sideways ? &to->panel->x : &to->panel->y;
        const double zero = axis->log ? axis->low : 0;
        double x[2] = {at - half, at + half}, y[2] = {zero, mark->y[k]};
        if (mark->sideways) y[0] = at - half, y[1] = at + half, x[0] = zero, x[1] = mark->x[k];
        const double x0 = terminal_x(to, x[0], 1), x1 = terminal_x(to, x[1], 1);
        const double y0 = terminal_y(to, y[0], 1), y1 = terminal_y(to, y[1], 1);
        for (int j = 0; j < to->height; j++)
            for (int i = 0; i < to->width; i++)
                if (i + 0.5 >= fmin(x0, x1) && i + 0.5 < fmax(x0, x1) && j + 0.5 >= fmin(y0, y1) &&
                    j + 0.5 < fmax(y0, y1)) {
                    terminal_at(to, i, j)->character = character;
                    terminal_at(to, i, j)->color = mark->style.color;
                }
    }
}

static void terminal_words(const terminal *to, const hsp__figure_mark *mark)
{
    const double x = terminal_x(to, mark->x[0], 1), y = terminal_y(to, mark->y[0], 1);
    if (!isfinite(x) || !isfinite(y) || !mark->text) return;
    const int size = (int)hsp__terminal_length(mark->text, to->unicode);
    int column = (int)floor(x) + (mark->style.anchor < 0 ? -size
                                  : mark->style.anchor   ? 1
                                                         : -size / 2);
    for (const char *p = mark->text; *p;) {
        const uint32_t code = hsp__text_next(&p);
        char plain[8];
        const size_t count = to->unicode ? 1 : hsp__terminal_plain(code, plain);
        for (size_t k = 0; k < count; k++, column++) {
            terminal_cell *cell = terminal_at(to, column, terminal_index(y, to->height));
            if (!cell) continue;
            cell->character = to->unicode ? code : (unsigned char)plain[k];
            cell->color = mark->style.color;
        }
    }
}

static void terminal_mark(const terminal *to, const hsp__figure_mark *mark, uint32_t character)
{
    switch (mark->kind) {
    case HSP__MARK_POINTS:
        terminal_points(to, mark, character);
        break;
    case HSP__MARK_ARROW:
    case HSP__MARK_LINE:
        terminal_lines(to, mark, character);
        break;
    case HSP__MARK_POLYGON:
        terminal_polygon(to, mark);
        break;
    case HSP__MARK_CELLS:
        terminal_cells(to, mark);
        break;
    case HSP__MARK_TEXT:
        terminal_words(to, mark);
        break;
    case HSP__MARK_BARS:
        terminal_bars(to, mark, character);
        break;
    case HSP__MARK_RULE:
        terminal_rule(to, mark, character);
        break;
    }
}

/* ---- Lines of text ---- */

/* 38: the colour of characters; 48: the background. */
static void terminal_escape(const terminal *to, int what, int rgb)
{
    if (to->colors > 1)
        hsp__text_printf(to->out, "\x1b[%d;2;%d;%d;%dm", what, rgb >> 16, rgb >> 8 & 255,
                         rgb & 255);
    else
        hsp__text_printf(to->out, "\x1b[%d;5;%dm", what, hsp__terminal_color(rgb));
}

static void terminal_paint(const terminal *to, int role, int back)
{
    if (!to->colors) return;
    const int dark = to->look->dark;
    if (back >= 0) terminal_escape(to, 48, back);
    if (role == HSP__OVER) role = hsp__theme_is_dark(back) == dark ? HSP__INK : HSP__PAPER;
    if (role >= 0) terminal_escape(to, 38, hsp__theme_color(to->look->dark, role));
}

static void terminal_reset(const terminal *to)
{
    if (to->colors) hsp__text_puts(to->out, "\x1b[0m");
}

/* One line of the frame, without blanks at its end. */
static void terminal_row(const terminal *to, int line)
{
    int last = to->width;
    const terminal_cell *row = terminal_at(to, 0, line);
    while (last && row[last - 1].back < 0 && !row[last - 1].dots &&
           (!row[last - 1].character || row[last - 1].character == ' '))
        last--;
    int role = -1, back = -1;
    for (int i = 0; i < last; i++) {
        const terminal_cell *cell = &row[i];
        const int now = cell->character ? cell->color : cell->dots ? cell->dots_color : -1;
        if (to->colors && (now != role || cell->back != back)) {
            if (role >= 0 || back >= 0) terminal_reset(to);
            terminal_paint(to, now, cell->back);
            role = now, back = cell->back;
        }
        hsp__terminal_put(to->out, cell->character ? cell->character
                                   : cell->dots    ? 0x2800u + cell->dots
                                                   : ' ');
    }
    if (role >= 0 || back >= 0) terminal_reset(to);
}

/* The lines of the frame with the labels of the vertical axis. */
static void terminal_frame(terminal *to)
{
    hsp__ticks ticks;
    const int names = to->panel->y.categories != NULL;
    hsp__axis_ticks(&to->panel->y, names ? to->height : to->height / 3, &ticks);
    size_t margin = 4;
    for (int k = 0; k < ticks.count; k++) {
        const size_t size = hsp__terminal_length(ticks.text[k], to->unicode);
        if (size > margin) margin = size;
    }
    if (margin > TERMINAL_MARGIN) margin = TERMINAL_MARGIN;
    for (int line = 0; line < to->height; line++) {
        const char *label = NULL;
        for (int k = 0; k < ticks.count; k++)
            if (terminal_index(terminal_y(to, ticks.at[k], 1), to->height) == line)
                label = ticks.text[k];
        const size_t size = label ? hsp__terminal_length(label, to->unicode) : 0;
        hsp__text_printf(to->out, "%*s", (int)(margin + 1 - (size < margin ? size : margin)), "");
        if (label) hsp__terminal_text(to->out, label, margin, to->unicode);
        hsp__text_puts(to->out, to->unicode ? label ? " \xe2\x94\xa4" : " \xe2\x94\x82"
                                : label     ? " +"
                                            : " |");
        terminal_row(to, line);
        hsp__text_puts(to->out, "\n");
    }
    hsp__axis_ticks(&to->panel->x, to->width / (to->panel->x.categories ? 8 : 9), &ticks);
    hsp__text_printf(to->out, "%*s%s", (int)margin + 2, "", to->unicode ? "\xe2\x94\x94" : "+");
    for (int i = 0; i < to->width; i++) {
        int tick = 0;
        for (int k = 0; k < ticks.count; k++)
            tick |= terminal_index(terminal_x(to, ticks.at[k], 1), to->width) == i;
        hsp__text_puts(to->out, to->unicode ? tick ? "\xe2\x94\xac" : "\xe2\x94\x80"
                                : tick      ? "+"
                                            : "-");
    }
    hsp__text_puts(to->out, "\n");
    int at = -(int)margin - 3;
    for (int k = 0; k < ticks.count; k++) {
        const int size = (int)hsp__terminal_length(ticks.text[k], to->unicode);
        const int most =
            to->panel->x.categories ? to->width / (ticks.count ? ticks.count : 1) - 1 : size;
        const int shown = size < most ? size : most < 1 ? 1 : most;
        const int from = (int)terminal_x(to, ticks.at[k], 1) - shown / 2;
        if (from <= at && k) continue; /* no room */
        hsp__text_printf(to->out, "%*s", from > at ? from - at : 0, "");
        hsp__terminal_text(to->out, ticks.text[k], (size_t)shown, to->unicode);
        at = (from > at ? from : at) + shown;
    }
    if (ticks.count) hsp__text_puts(to->out, "\n");
    if (!to->panel->x.label) return;
    const size_t size = hsp__terminal_length(to->panel->x.label, to->unicode);
    const int left = (int)margin + 3 + (to->width - (int)size) / 2;
    hsp__text_printf(to->out, "%*s", left > 2 ? left : 2, "");
    hsp__terminal_text(to->out, to->panel->x.label, size, to->unicode);
    hsp__text_puts(to->out, "\n");
}

/* An entry of the legend; *at is where the line has got to. */
static void terminal_entry(terminal *to, uint32_t character, int role, const char *name, size_t *at)
{
    size_t size = hsp__terminal_length(name, to->unicode);
    if (size > 30) size = 30;
    if (*at && *at + size + 5 > TERMINAL_LINE) {
        hsp__text_puts(to->out, "\n");
        *at = 0;
    }
    hsp__text_puts(to->out, *at ? "   " : "  ");
    terminal_paint(to, role, hsp__theme_color(to->look->dark, HSP__PAPER)); /* as in the frame */
    hsp__terminal_put(to->out, character);
    if (role >= 0) terminal_reset(to);
    hsp__text_puts(to->out, " ");
    hsp__terminal_text(to->out, name, size, to->unicode);
    *at += size + 5;
}

/* Points first, as in the other formats. */
static void terminal_legend(terminal *to, const uint32_t *characters)
{
    int several = 0, points = 0;
    size_t at = 0;
    for (int i = 0; i < to->width * to->height; i++)
        several |= to->cells[i].character == TERMINAL_SEVERAL;
    for (int others = 0; others < 2; others++) {
        uint64_t k = 0;
        for (const hsp__figure_mark *mark = to->panel->first; mark; mark = mark->next, k++) {
            if (!mark->style.name || !characters[k]) continue;
            if (others == (mark->kind == HSP__MARK_POINTS)) continue;
            if (!at) hsp__text_puts(to->out, "\n");
            terminal_entry(to, characters[k], mark->style.color, mark->style.name, &at);
            points += !others;
        }
        if (!others && several && points > 1 && !to->unicode)
            terminal_entry(to, TERMINAL_SEVERAL, -1, "several classes", &at);
    }
    if (at) hsp__text_puts(to->out, "\n");
}

static void terminal_panel(terminal *to, uint32_t *characters)
{
    const hsp__panel *panel = to->panel;
    const char *heads[] = {panel->title, panel->y.label};
    uint64_t k = 0;
    /* the theme's background, for nobody knows that of the terminal */
    const int back = to->colors ? hsp__theme_color(to->look->dark, HSP__PAPER) : -1;
    for (int i = 0; i < to->width * to->height; i++)
        to->cells[i] = (terminal_cell){.color = -1, .dots_color = -1, .back = back};
    for (int i = 0; i < 2; i++)
        if (heads[i]) {
            hsp__terminal_text(to->out, heads[i], 200, to->unicode);
            hsp__text_puts(to->out, "\n");
        }
    for (const hsp__figure_mark *mark = panel->first; mark; mark = mark->next, k++) {
        const int shown = mark->kind != HSP__MARK_POLYGON && mark->kind != HSP__MARK_CELLS &&
                          mark->kind != HSP__MARK_TEXT;
        characters[k] = shown ? terminal_glyph(to, mark) : 0;
        terminal_mark(to, mark, characters[k]);
    }
    terminal_frame(to);
    terminal_legend(to, characters);
}

/* Word by word, in lines that fit. */
static void terminal_note(const terminal *to, const char *note)
{
    size_t used = 0;
    while (*note) {
        char word[128];
        size_t size = strcspn(note, " ");
        if (size >= sizeof word) size = sizeof word - 1;
        memcpy(word, note, size);
        word[size] = 0;
        const size_t length = hsp__terminal_length(word, to->unicode);
        const int fits = used && used + 1 + length <= TERMINAL_LINE;
        if (used) hsp__text_puts(to->out, fits ? " " : "\n");
        if (!fits) hsp__text_puts(to->out, "  ");
        hsp__terminal_text(to->out, word, length, to->unicode);
        used = fits ? used + 1 + length : 2 + length;
        note += size + (note[size] == ' ');
    }
    hsp__text_puts(to->out, "\n");
}

void hsp__terminal(const hsp_figure *figure, const hsp__look *look, int colors, int unicode,
                   hsp__scratch *memory, hsp__text *out)
{
    terminal to = {.look = look,
                   .colors = colors,
                   .unicode = unicode != 0,
                   .width = (int)look->width,
                   .height = (int)look->height,
                   .out = out};
    const char *title = look->title[0] ? look->title : figure->title;
    to.cells = hsp__scratch_new(memory, (uint64_t)to.width * (uint64_t)to.height, sizeof *to.cells);
    if (!to.cells) return;
    if (title) {
        hsp__terminal_text(out, title, 200, to.unicode);
        hsp__text_puts(out, "\n\n");
    }
    for (to.panel = figure->first; to.panel; to.panel = to.panel->next) {
        uint32_t *characters = hsp__scratch_new(memory, to.panel->mark_count, sizeof *characters);
        if (!characters) return;
        terminal_panel(&to, characters);
        if (to.panel->next) hsp__text_puts(out, "\n");
    }
    if (figure->note) terminal_note(&to, figure->note);
}
