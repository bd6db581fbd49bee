/* Numbers, names and aligned tables as text. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* ---- Memory ---- */

void *cli_memory(void *block, size_t size)
{
    void *got = realloc(block, size ? size : 1);
    if (got) return got;
    cli_progress_clear();
    fputs("halfspace: out of memory\n", stderr);
    exit(hsp_status_exit(HSP_NO_MEMORY));
}

char *cli_format_list(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    char *text = cli_memory(NULL, (size_t)(size < 0 ? 0 : size) + 1);
    text[0] = 0;
    if (size > 0) vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

char *cli_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = cli_format_list(format, args);
    va_end(args);
    return text;
}

/* ---- UTF-8 ---- */

/* The size of the character at p, 1 to 4; 0 for a byte that begins none. */
static size_t utf8_size(const char *p)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *u = (const unsigned char *)p;
    size_t size = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : u[0] >= 0xc0 ? 2 : 0;
    if (size <= 1) return size;
    unsigned code = u[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0; /* the final NUL ends here as well */
        code = code << 6 | (u[i] & 0x3fu);
    }
    return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

/* ---- Text for people ---- */

#define SHOW_SIZE 96

static char *show_buffer(void)
{
    static char buffers[16][SHOW_SIZE];
    static int next;
    return buffers[next++ % 16];
}

const char *show_count(uint64_t count)
{
    char plain[32], *text = show_buffer(), *to = text;
    int size = snprintf(plain, sizeof plain, "%" PRIu64, count);
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) *to++ = ',';
        *to++ = plain[i];
    }
    *to = 0;
    return text;
}

const char *show_number(double value)
{
    char *text = show_buffer();
    snprintf(text, SHOW_SIZE, "%.6g", value == 0 ? 0 : value); /* no -0 */
    return text;
}

const char *show_end(double value, double other)
{
    const char *text = show_number(value);
    if (value == other || strcmp(text, show_number(other)) != 0) return text;
    return hsp_number_text(value, HSP_FLOAT64, show_buffer());
}

const char *show_below(double value)
{
    const char *text = show_number(value);
    for (double less = value; strtod(text, NULL) > value + 1e-12 * fabs(value);
         text = show_number(less))
        less -= pow(10, floor(log10(fabs(value))) - 5) / 2; /* half of the last digit */
    return text;
}

const char *show_above(double value)
{
    if (!(value > 0)) return show_number(value);
    const double unit = pow(10, floor(log10(value)) - 5);
    return show_number(ceil(value / unit - 1e-9) * unit);
}

const char *show_share_bound(double share, int up)
{
    char *text = show_buffer();
    const double scaled = share * 1e4, whole = up ? ceil(scaled - 1e-9) : floor(scaled + 1e-9);
    if (up && share >= 10) return "> 999%";
    if (up && share < 1 && whole >= 1e4) return "<100%"; /* it says something */
    if (share > 0 && share < 1e-4)
        snprintf(text, SHOW_SIZE, "%.2g%%", share * 100 * (up ? 1.05 : 0.95));
    else
        snprintf(text, SHOW_SIZE, "%.2f%%", fabs(whole) / 100);
    return text;
}

/* Neither 0% nor 100% unless it is so. */
const char *show_share(double share)
{
    char *text = show_buffer();
    double percent = share * 100, rest = percent > 50 ? 100 - percent : percent;
    int digits = rest == 0 ? 0 : rest >= 1 ? 1 : rest >= 0.01 ? 2 : 4;
    snprintf(text, SHOW_SIZE, "%.*f%%", digits, percent);
    return text;
}

const char *show_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    char *text = show_buffer();
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 999.5 && unit < 6; unit++)
        size /= 1000;
    snprintf(text, SHOW_SIZE, "%.3g %s", size, units[unit]);
    return text;
}

/* Names come from the data: a control sequence in one must not reach the terminal. Copies at most
 * `most` bytes, a character more, and "..." when there were more. */
static const char *show_clean(char *text, size_t most, const char *name)
{
    size_t used = 0;
    while (*name && used < most) {
        size_t size = utf8_size(name);
        int control =
            size == 0 || (unsigned char)*name < 0x20 || *name == 0x7f ||
            (size == 2 && (unsigned char)name[0] == 0xc2 && (unsigned char)name[1] < 0xa0);
        if (control)
            text[used++] = '?';
        else
            memcpy(text + used, name, size);
        used += control ? 0 : size;
        name += size ? size : 1;
    }
    memcpy(text + used, *name ? "..." : "", *name ? 4 : 1);
    return text;
}

const char *show_name(const char *name)
{
    return show_clean(show_buffer(), 44, name);
}

const char *show_short(const char *text)
{
    return show_clean(show_buffer(), 24, text);
}

/* Paths are longer than names, and seldom more than two are in one sentence. */
const char *show_text(const char *text)
{
    static char buffers[4][1100];
    static int next;
    return show_clean(buffers[next++ % 4], 1024, text);
}

const char *show_input(const char *path)
{
    static char text[600];
    const size_t first = strcspn(path, "\n");
    unsigned more = 0;
    if (strcmp(path, "-") == 0) return "standard input";
    for (const char *p = path; (p = strchr(p, '\n')); p++)
        more++;
    if (!more || access(path, F_OK) == 0) return show_text(path);
    char *name = cli_format("%.*s", (int)first, path);
    snprintf(text, sizeof text, "%s and %u more file%s", show_input(name), more, plural(more));
    free(name);
    return text;
}

const char *show_output(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : show_text(path);
}

const char *show_column(const hsp_data *data, uint64_t column)
{
    const char *name = hsp_data_feature_name(data, column);
    if (name) return show_name(name);
    char *text = show_buffer();
    snprintf(text, SHOW_SIZE, "%" PRIu64, column + 1);
    return text;
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- Tables ---- */

void table_begin(cli_table *table, const char *columns)
{
    *table = (cli_table){.columns = columns};
}

/* Takes the text over. */
static void table_add(cli_table *table, char *text)
{
    if (table->count == table->room) {
        table->room = table->room * 2 + 32;
        table->cells = cli_memory(table->cells, table->room * sizeof *table->cells);
    }
    table->cells[table->count++] = text;
}

void table_cell(cli_table *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    table_add(table, cli_format_list(format, args));
    va_end(args);
}

void table_line(cli_table *table, const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    table_cell(table, "%s", what);
    table_add(table, cli_format_list(format, args));
    va_end(args);
}

/* Characters, not bytes. */
static int table_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void table_print(cli_table *table, FILE *file)
{
    const size_t columns = strlen(table->columns), rows = columns ? table->count / columns : 0;
    int *widths = cli_memory(NULL, columns * sizeof *widths);
    for (size_t j = 0; j < columns; j++)
        widths[j] = 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t j = 0; j < columns; j++) {
            const int width = table_width(table->cells[row * columns + j]);
            if (width > widths[j]) widths[j] = width;
        }
    if (rows && table->before) fputs(table->before, file);
    for (size_t row = 0; row < rows; row++) {
        char **cells = table->cells + row * columns;
        size_t last = columns;
        while (last && !cells[last - 1][0])
            last--; /* no blanks at the end of a line */
        for (size_t j = 0; j < last; j++) {
            const int blanks = widths[j] - table_width(cells[j]), right = table->columns[j] == 'r';
            fprintf(file, "  %*s%s%*s", right ? blanks : 0, "", cells[j],
                    right || j + 1 == last ? 0 : blanks, "");
        }
        fputc('\n', file);
    }
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(widths);
    table_begin(table, table->columns);
}
