/* Colours and the widths of characters. */
#include "show/canvas.h"

/* The eight colours of Okabe and Ito, which colour-blind readers tell apart, a little darker on
 * light paper and a little lighter on dark paper, where that is needed for contrast. */
static const int theme_classes[2][8] = {
    {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xb58900, 0x3aa6dd, 0x7a5195, 0x555555},
    {0x4ba3e3, 0xff8c42, 0x2fc99b, 0xe49ac4, 0xf0e442, 0x8fd0f5, 0xb79ae0, 0xbbbbbb}};

static const int theme_roles[2][HSP__ROLES] = {{[HSP__INK] = 0x1f2328,
                                                [HSP__MUTED] = 0x656d76,
                                                [HSP__GRID] = 0xe4e7ea,
                                                [HSP__PAPER] = 0xffffff,
                                                [HSP__BOUNDARY] = 0x1f2328,
                                                [HSP__MARGIN] = 0x656d76,
                                                [HSP__WEIGHTS] = 0x8b1a6b,
                                                [HSP__GOOD] = 0x00795a,
                                                [HSP__BAD] = 0xc2410c},
                                               {[HSP__INK] = 0xe6e8eb,
                                                [HSP__MUTED] = 0x9aa4af,
                                                [HSP__GRID] = 0x2c333b,
                                                [HSP__PAPER] = 0x14181d,
                                                [HSP__BOUNDARY] = 0xf3f5f7,
                                                [HSP__MARGIN] = 0x9aa4af,
                                                [HSP__WEIGHTS] = 0xf28fd0,
                                                [HSP__GOOD] = 0x3fd0a0,
                                                [HSP__BAD] = 0xff7a45}};

int hsp__theme_mix(int a, int b, double share)
{
    int mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const double from = (a >> shift) & 255, to = (b >> shift) & 255;
        mixed |= (int)(from + (to - from) * share + 0.5) << shift;
    }
    return mixed;
}

int hsp__theme_color(int dark, int role)
{
    if (role < HSP__ROLES) return theme_roles[dark][role];
    assert(role >= HSP__CLASS_FIRST);
    const int color = theme_classes[dark][(role - HSP__CLASS_FIRST) / 2 % 8];
    if ((role - HSP__CLASS_FIRST) % 2 == 0) return color;
    return hsp__theme_mix(theme_roles[dark][HSP__PAPER], color, dark ? 0.26 : 0.18);
}

int hsp__theme_scale(int dark, hsp__scale scale, double value, double low, double high)
{
    const int paper = theme_roles[dark][HSP__PAPER];
    if (scale == HSP__SCALE_CLASSES) return hsp__theme_color(dark, HSP__TINT((uint32_t)value));
    double share = (value / 2 - low / 2) / (high / 2 - low / 2);
    share = share > 0 ? fmin(share, 1) : 0; /* and for a range of one value */
    if (scale == HSP__SCALE_SEQUENTIAL) {
        /* from paper over a middle blue to the ink, in even steps of lightness */
        const int middle = theme_classes[dark][0], end = dark ? 0xe8f4fd : 0x04293f;
        return share < 0.6
                   ? hsp__theme_mix(hsp__theme_mix(paper, middle, 0.06), middle, share / 0.6)
                   : hsp__theme_mix(middle, end, (share - 0.6) / 0.4);
    }
    return hsp__theme_mix(paper, theme_classes[dark][share > 0.5],
                          fabs(share - 0.5) * (dark ? 1.5 : 1.3));
}

int hsp__theme_is_dark(int color)
{
    return 299 * (color >> 16) + 587 * ((color >> 8) & 255) + 114 * (color & 255) < 140000;
}

/* ---- Text ---- */

#define THEME_BOLD 1.12 /* how much wider bold text is */

/* Of the characters from ' ' to '~', in thousandths of the height: the wider of Helvetica and DejaVu
 * Sans, so that a text fits where it is measured to fit, whichever of them the reader has. */
static const uint16_t theme_widths[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, 1015, 684, 686, 722, 770, 667,
    611, 778, 752, 295, 500, 667, 557, 863, 748, 787, 667, 787, 722, 667,  611, 732, 684, 989, 685,
    667, 685, 390, 337, 390, 838, 556, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

uint32_t hsp__text_next(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    const size_t size = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    uint32_t code = size == 1 ? p[0] : p[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++)
        code = code << 6 | (p[i] & 0x3fu);
    *text += size;
    return code;
}

static double text_character(uint32_t code)
{
    if (code >= ' ' && code <= '~') return theme_widths[code - ' '] / 1000.0;
    if (code >= 0x300 && code < 0x370) return 0; /* accents over the character before */
    if (code < 0x1100) return 0.7;
    return code >= 0x2000 && code < 0x2e80 && code != 0x2026 ? 0.84 : 1;
}

double hsp__text_width(const char *text, double size, int bold)
{
    double width = 0;
    while (*text)
        width += text_character(hsp__text_next(&text));
    return width * size * (bold ? THEME_BOLD : 1);
}

const char *hsp__text_fit(const char *text, double size, int bold, double width, char *buffer,
                          size_t room)
{
    if (hsp__text_width(text, size, bold) <= width) return text;
    const double scale = size * (bold ? THEME_BOLD : 1);
    const char *p = text, *end = text;
    for (double used = scale; *p && (size_t)(p - text) + 8 < room; end = p) {
        used += text_character(hsp__text_next(&p)) * scale;
        if (used > width) break;
    }
    memcpy(buffer, text, (size_t)(end - text));
    memcpy(buffer + (end - text), "\xe2\x80\xa6", 4);
    return buffer;
}

/* ---- Shapes ---- */

int hsp__shape_corners(int shape, double size, double corners[8][2])
{
    /* of the same area, about, as the circle */
    static const struct {
        int count;
        double at[4][2];
    } shapes[HSP__SHAPES] = {
        [HSP__SQUARE] = {4, {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}}},
        [HSP__TRIANGLE] = {3, {{0, -1.35}, {1.2, 0.75}, {-1.2, 0.75}}},
        [HSP__DIAMOND] = {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
        [HSP__TRIANGLE_DOWN] = {3, {{0, 1.35}, {1.2, -0.75}, {-1.2, -0.75}}},
        [HSP__PLUS] = {4, {{-1.2, 0}, {1.2, 0}, {0, -1.2}, {0, 1.2}}},
        [HSP__CROSS] = {4, {{-0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}, {0.9, -0.9}}},
    };
    assert(shape >= 0 && shape < HSP__SHAPES);
    for (int i = 0; i < shapes[shape].count; i++) {
        corners[i][0] = shapes[shape].at[i][0] * size;
        corners[i][1] = shapes[shape].at[i][1] * size;
    }
    return shapes[shape].count;
}
