/* The rows of a file, which is in memory as text: passes over them; a row lives until the next. */
#include <string.h>

#include "core.h"

/* All that is left of a file, a 0 behind it. */
char *hsv_read(hsv_checker *c, FILE *file, size_t *size)
{
    size_t room = 1 << 16;
    char *text = hsv_new(c, room, 1);
    for (*size = 0;;) {
        const size_t got = fread(text + *size, 1, room - *size - 1, file);
        *size += got;
        if (!got && ferror(file)) hsv_unreadable(c, "a file cannot be read");
        if (!got) break;
        if (*size + 1 == room) text = hsv_grow(c, room *= 2);
    }
    text[*size] = 0;
    return text;
}

/* The next line is t->line .. t->line_end; 0: there is none. */
int hsv_line(hsv_table *t)
{
    const char *end = t->text + t->size, *start = t->line_end ? t->line_end + 1 : t->text;
    if (!t->number++ && t->size >= 3 && !memcmp(start, "\xef\xbb\xbf", 3)) start += 3;
    if (start >= end) return 0;
    const char *stop = memchr(start, '\n', (size_t)(end - start));
    t->line = start;
    t->line_end = stop ? stop : end;
    return 1;
}

void hsv_row_room(hsv_checker *c, hsv_row *row, size_t room)
{
    if (row->room >= room) return;
    uint32_t *column = hsv_new(c, room, sizeof *column);
    mpz_t *value = hsv_integers(c, room);
    for (size_t i = 0; i < row->count; i++) {
        column[i] = row->column[i];
        mpz_swap(value[i], row->value[i]);
    }
    row->column = column, row->value = value, row->room = room;
}

/* One more value, in a row whose columns ascend: its place, for a number over checker.scale. */
mpz_ptr hsv_row_place(hsv_checker *c, hsv_table *t, uint32_t column)
{
    hsv_row *row = &t->raw;
    if (row->count == row->room) hsv_row_room(c, row, 2 * row->room + 64);
    row->column[row->count] = column;
    if (column > t->width) t->width = column;
    return row->value[row->count++];
}

/* The survey finds how many decimals there are; room and width do not grow after it. */
void hsv_row_add(hsv_checker *c, hsv_table *t, uint32_t column, const mpz_t mantissa, long exponent)
{
    if (!mpz_sgn(mantissa)) return;
    mpz_ptr value = hsv_row_place(c, t, column);
    if (!c->scale && -exponent > t->decimals) t->decimals = -exponent;
    if (!c->scale) return;
    mpz_ui_pow_ui(value, 10, (unsigned long)(exponent + c->decimals));
    mpz_mul(value, value, mantissa);
    mpz_mul(value, value, *c->widen);
}

void hsv_row_copy(hsv_checker *c, const hsv_row *row, hsv_row *copy)
{
    *copy = (hsv_row){.number = row->number, .y = row->y};
    hsv_row_room(c, copy, row->count + 1);
    for (; copy->count < row->count; copy->count++) {
        copy->column[copy->count] = row->column[copy->count];
        mpz_set(copy->value[copy->count], row->value[copy->count]);
        hsv_spend(c, 100 * mpz_size(copy->value[copy->count]));
    }
}

/* The next row that is used, of a pass that begins with the first call and ends with NULL. */
const hsv_row *hsv_next(hsv_checker *c, hsv_table *t)
{
    if (!t->number) {
        hsv_spend(c, 20 * t->size);
        t->unused = t->positives = t->raw.number = 0;
        t->line_end = NULL;
    }
    do {
        t->raw.count = 0;
        t->raw.y = t->lacks = 0;
        if (!t->next(c, t)) {
            if (t->raw.number != t->rows)
                hsv_reject(c, "%s: %zu rows are used, not %zu as certified", t->name, t->raw.number,
                           t->rows);
            t->number = 0;
            return NULL;
        }
        if (t->lacks) t->raw.y = 0;
        t->unused += !t->raw.y;
        t->positives += t->raw.y > 0;
        t->raw.number += t->raw.y != 0;
    } while (!t->raw.y && (!t->everything || t->lacks));
    return c->more && c->scale ? c->more->row(c, t) : &t->raw;
}

/* Read the file; is it the one that was certified? Then pass over it once. */
void hsv_survey(hsv_checker *c, hsv_table *t)
{
    char digest[65];
    t->text = hsv_read(c, t->file, &t->size);
    hsv_digest(t->text, t->size, digest);
    if (strcmp(digest, t->digest) != 0)
        hsv_reject(c, "%s: this is not the file that was certified: its SHA-256 is another",
                   t->name);
    c->budget += 2000 * t->size;
    while (hsv_next(c, t))
        continue;
}

/* Rows of data, by ascending numbers, copied; every number must be there. */
hsv_row *hsv_rows_load(hsv_checker *c, const size_t *numbers, size_t count)
{
    hsv_row *copies = hsv_new(c, count, sizeof *copies);
    size_t found = 0;
    for (const hsv_row *row; (row = hsv_next(c, &c->data));)
        if (found < count && numbers[found] == row->number) hsv_row_copy(c, row, copies + found++);
    if (found < count)
        hsv_reject(c, "row %zu is named, but there are %zu", numbers[found], c->data.rows);
    return copies;
}
