/* HTML: escaped text, numbers for people, rows of tables from tables of fields. */
#include "show/html.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "halfspace_fields.h"

/* ---- Escaped text ---- */

/* How many bytes of the character at p can stand in HTML; 0: none, it is replaced. */
static size_t html_size(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    const size_t size = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0x20) return *p == '\n' || *p == '\t';
    if (strnlen(p, size) < size || !hsp__json_is_utf8(p, size)) return 0;
    if (u[0] == 0x7f || (u[0] == 0xc2 && u[1] < 0xa0)) return 0;
    /* U+FDD0 to U+FDEF and U+xxFFFE and U+xxFFFF are no characters; U+200E, U+202A and the like
     * would turn the text around them */
    if (size == 3 && u[0] == 0xef && u[1] == 0xb7 && u[2] >= 0x90 && u[2] <= 0xaf) return 0;
    if (size == 3 && u[0] == 0xef && u[1] == 0xbf && u[2] >= 0xbe) return 0;
    if (size == 4 && (u[1] & 0x0f) == 0x0f && u[2] == 0xbf && u[3] >= 0xbe) return 0;
    if (size == 3 && u[0] == 0xe2 && u[1] == 0x80 && u[2] >= 0xaa && u[2] <= 0xae) return 0;
    if (size == 3 && u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9) return 0;
    return size;
}

/* At most `most` characters, and "…" if there are more. */
static void html_escape(hsp__text *html, const char *text, size_t most)
{
    for (size_t count = 0; *text && count < most; count++) {
        const size_t size = html_size(text);
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                             : size == 0    ? "\xef\xbf\xbd"
                                            : NULL;
        if (entity)
            hsp__text_puts(html, entity);
        else
            hsp__text_add(html, text, size);
        text += size ? size : 1;
    }
    if (*text) hsp__text_puts(html, "\xe2\x80\xa6");
}

void hsp__html(hsp__text *html, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        hsp__text_add(html, format, plain);
        format += plain;
        if (!*format) break;
        size_t most = SIZE_MAX;
        format++;
        if (*format == '.')
            for (most = 0, format++; *format >= '0' && *format <= '9'; format++)
                most = 10 * most + (size_t)(*format - '0');
        assert(*format == 's' || *format == '%');
        const char *text = *format == 's' ? va_arg(args, const char *) : "%";
        html_escape(html, text ? text : "", most);
        format++;
    }
    va_end(args);
}

/* ---- Numbers ---- */

hsp__shown hsp__shown_count(uint64_t count)
{
    hsp__shown shown = {""};
    char plain[32], *to = shown.text;
    const int size = snprintf(plain, sizeof plain, "%" PRIu64, count);
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) *to++ = ',';
        *to++ = plain[i];
    }
    *to = 0;
    return shown;
}

/* With `digits` digits in all, or behind the point (`fixed`). The locale of the program does not
 * matter. */
static hsp__shown html_real(int fixed, int digits, double value, const char *unit)
{
    hsp__shown shown;
    if (fixed)
        snprintf(shown.text, sizeof shown.text, "%.*f%s", digits, value, unit);
    else
        snprintf(shown.text, sizeof shown.text, "%.*g%s", digits, value, unit);
    char *comma = strchr(shown.text, ',');
    if (comma) *comma = '.';
    return shown;
}

hsp__shown hsp__shown_digits(double value, int digits)
{
    return html_real(0, digits, value == 0 ? 0 : value, ""); /* no -0 */
}

hsp__shown hsp__shown_number(double value)
{
    /* Whole numbers keep their digits: 1484705, not 1.4847e+06. */
    return hsp__shown_digits(value, value == floor(value) && fabs(value) < 1e9 ? 9 : 5);
}

hsp__shown hsp__shown_level(double share)
{
    if (share < 1 && share > 0.99999) return (hsp__shown){"over 99.999%"};
    return html_real(0, 6, share * 100, "%");
}

hsp__shown hsp__shown_share(double share)
{
    const double percent = share * 100, rest = percent > 50 ? 100 - percent : percent;
    return html_real(1, rest == 0 ? 0 : rest >= 1 ? 1 : rest >= 0.01 ? 2 : 4, percent, "%");
}

static hsp__shown html_bound(double share, double percent)
{
    if (share > 0 && share < 1e-4)
        return html_real(0, 2, percent > share * 100 ? share * 105 : share * 95, "%");
    return html_real(1, 2, fabs(percent), "%");
}

hsp__shown hsp__shown_most(double share)
{
    return html_bound(share, ceil(share * 1e4 - 1e-9) / 100);
}

hsp__shown hsp__shown_least(double share)
{
    return html_bound(share, floor(share * 1e4 + 1e-9) / 100);
}

hsp__shown hsp__shown_length(double fraction)
{
    return html_real(1, 2, 100 * fmin(fmax(fraction, 0), 1), "%");
}

hsp__shown hsp__shown_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 999.5 && unit < 6; unit++)
        size /= 1000;
    char name[8];
    snprintf(name, sizeof name, " %s", units[unit]);
    return html_real(0, 3, size, name);
}

const char *hsp__html_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* ---- Fields ---- */

typedef union html_room {
    char bytes[HSP_FIELD_ROOM];
    max_align_t aligned;
} html_room;

int hsp__html_value(hsp__text *html, const hsp_field *field, const void *record)
{
    html_room room;
    const void *value = hsp_field_value(field, record, 0, &room);
    hsp__shown shown;
    if (!value) return 0;
    switch (field->type) {
    case HSP_FIELD_FLAG:
        hsp__html(html, "%s", *(const int *)value ? "yes" : "no");
        return 1;
    case HSP_FIELD_COUNT:
        shown = hsp__shown_count(*(const uint64_t *)value);
        break;
    case HSP_FIELD_COUNT32:
        shown = hsp__shown_count(*(const uint32_t *)value);
        break;
    case HSP_FIELD_SHARE:
        shown = hsp__shown_share(*(const double *)value);
        break;
    case HSP_FIELD_UPPER_SHARE:
        shown = hsp__shown_most(*(const double *)value);
        break;
    case HSP_FIELD_NUMBER:
    case HSP_FIELD_TEXT:
        hsp__html(html, "%s", (const char *)value);
        return 1;
    case HSP_FIELD_REAL:
    case HSP_FIELD_LOWER:
    case HSP_FIELD_UPPER:
    case HSP_FIELD_SECONDS:
        shown = hsp__shown_number(*(const double *)value);
        break;
    default:
        return 0;
    }
    hsp__html(html, "%s", shown.text);
    return 1;
}

/* NOLINTNEXTLINE(misc-no-recursion): parts of parts */
const hsp_field *hsp__html_field(const hsp_field *fields, const void *record, const char *name,
                                 const void **at, void *room)
{
    for (const hsp_field *field = fields; field->type != HSP_FIELD_END; field++) {
        if (field->type == HSP_FIELD_PART) {
            const void *part = record ? hsp_field_value(field, record, 0, room) : NULL;
            const hsp_field *found = hsp__html_field(field->of(), part, name, at, room);
            if (found) return found;
        } else if (field->name && strcmp(field->name, name) == 0) {
            *at = record;
            return field;
        }
    }
    return NULL;
}

void hsp__html_label(hsp__text *html, const hsp_field *field)
{
    const char *label = field->label && *field->label ? field->label : field->name;
    for (; *label; label++)
        hsp__html(html, "%s", *label == '_' ? " " : (char[2]){*label, 0});
}

size_t hsp__html_rows(hsp__text *html, const hsp_field *fields, const void *record,
                      const char *const *names)
{
    html_room room;
    size_t rows = 0;
    for (; *names; names++) {
        const void *at = NULL;
        const hsp_field *field = hsp__html_field(fields, record, *names, &at, &room);
        assert(field);
        if (!at || !hsp_field_value(field, at, 0, &(html_room){0})) continue;
        hsp__text_puts(html, "<tr><th scope=\"row\">");
        hsp__html_label(html, field);
        hsp__text_puts(html, "</th><td class=\"num\">");
        hsp__html_value(html, field, at);
        hsp__html(html, "</td><td class=\"note\">%s</td></tr>\n", field->meaning);
        rows++;
    }
    return rows;
}

void hsp__html_argument(hsp__text *text, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=+@%";
    if (*argument && strspn(argument, plain) == strlen(argument)) {
        hsp__text_puts(text, argument);
        return;
    }
    hsp__text_puts(text, "'");
    for (const char *p = argument; *p; p++)
        hsp__text_add(text, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
    hsp__text_puts(text, "'");
}
