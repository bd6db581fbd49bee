/* Passes over the rows of a file. The bytes are hashed in every one of them, so that all see the
 * file that was certified; a row lives until the next. */
#include <stdlib.h>
#include <string.h>

#include "check1.h"

#define ROWS_BUFFER 65536

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int rows_fill(hsv1_checker *c, hsv1_table *t)
{
    t->at = 0;
    t->filled = fread(t->buffer, 1, ROWS_BUFFER, t->file);
    if (!t->filled && ferror(t->file)) hsv1_unreadable(c, "%s: cannot be read", t->name);
    hsv1_sha_add(&t->hash, t->buffer, t->filled);
    return t->filled > 0;
}

static void rows_start(hsv1_checker *c, hsv1_table *t)
{
    if (!t->buffer) {
        t->buffer = hsv1_new(c, ROWS_BUFFER, 1);
        t->text_room = 1000;
        t->text = hsv1_new(c, t->text_room, 1);
    }
    rewind(t->file);
    hsv1_sha_start(&t->hash);
    t->at = t->filled = 0;
    t->line = 0;
    if (!rows_fill(c, t)) return;
    if (t->filled >= 3 && !memcmp(t->buffer, "\xef\xbb\xbf", 3)) t->at = 3;
}

static void rows_end(hsv1_checker *c, hsv1_table *t)
{
    unsigned char digest[32];
    while (rows_fill(c, t))
        continue;
    hsv1_sha_end(&t->hash, digest);
    if (memcmp(digest, t->digest, sizeof digest) != 0)
        hsv1_reject(c, "%s: this is not the file that was certified: its SHA-256 is another",
                   t->name);
}

int hsv1_byte(hsv1_checker *c, hsv1_table *t)
{
    if (t->at == t->filled && !rows_fill(c, t)) return EOF;
    return (unsigned char)t->buffer[t->at++];
}

/* What is allocated while a claim is checked goes when it is done. A table outlives claims: its
 * room is what the survey needed, and a file that needs more is another one. */
static void rows_grows(hsv1_checker *c)
{
    if (c->claim) hsv1_reject(c, "a file changed while it was read");
}

void hsv1_text_add(hsv1_checker *c, hsv1_table *t, const char *bytes, size_t size)
{
    if (t->text_room - t->text_size < size) {
        rows_grows(c);
        const size_t room = 2 * (t->text_size + size) + 1000;
        char *more = hsv1_new(c, room, 1);
        if (t->text_size) memcpy(more, t->text, t->text_size);
        t->text = more;
        t->text_room = room;
    }
    if (size) memcpy(t->text + t->text_size, bytes, size);
    t->text_size += size;
}

int hsv1_line(hsv1_checker *c, hsv1_table *t)
{
    int any = 0;
    const char *end = NULL;
    t->text_size = 0;
    while (!end && (t->at < t->filled || rows_fill(c, t))) {
        const char *start = t->buffer + t->at;
        end = memchr(start, '\n', t->filled - t->at);
        const size_t size = end ? (size_t)(end - start) : t->filled - t->at;
        hsv1_text_add(c, t, start, size);
        t->at += size + (end != NULL);
        any = 1;
    }
    t->line++;
    return any;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Of a table's rows. */
static void rows_room(hsv1_checker *c, hsv1_row *row, size_t room)
{
    if (row->room >= room) return;
    rows_grows(c);
    room = room < row->room * 2 + 64 ? row->room * 2 + 64 : room;
    uint32_t *column = hsv1_new(c, room, sizeof *column);
    mpz_t *value = hsv1_integers(c, room);
    for (size_t i = 0; i < row->count; i++) {
        column[i] = row->column[i];
        mpz_swap(value[i], row->value[i]);
    }
    row->column = column;
    row->value = value;
    row->room = room;
}

/* The place of one more value, in a row whose columns ascend. */
static mpz_ptr rows_place(hsv1_checker *c, hsv1_table *t, uint32_t column)
{
    hsv1_row *row = &t->raw;
    if (row->count == row->room) rows_room(c, row, row->count + 1);
    row->column[row->count] = column;
    if (!t->surveyed && column > t->width) t->width = column;
    return row->value[row->count++];
}

void hsv1_row_add(hsv1_checker *c, hsv1_table *t, uint32_t column, const mpz_t mantissa, long exponent)
{
    static const unsigned long tens[] = {1,      10,      100,      1000,      10000,
                                         100000, 1000000, 10000000, 100000000, 1000000000};
    if (!mpz_sgn(mantissa)) return;
    mpz_ptr value = rows_place(c, t, column);
    if (!t->surveyed) {
        if (-exponent > t->decimals) t->decimals = -exponent;
        return;
    }
    /* A file that changed between the passes may have more decimals: its hash will say so. */
    const long power = exponent + c->decimals;
    if (power >= 0 && power < 10) {
        mpz_mul_ui(value, mantissa, tens[power]);
    } else {
        mpz_ui_pow_ui(value, 10, power < 0 ? 0 : (unsigned long)power);
        mpz_mul(value, value, mantissa);
    }
    if (mpz_cmp_ui(*t->means_below, 1) != 0) mpz_mul(value, value, *t->means_below);
}

void hsv1_row_add_mean(hsv1_checker *c, hsv1_table *t, uint32_t column, const mpq_t mean)
{
    if (!mpq_sgn(mean)) return;
    mpz_ptr value = rows_place(c, t, column);
    if (!t->surveyed) return;
    mpz_divexact(value, *c->base, mpq_denref(mean));
    mpz_mul(value, value, mpq_numref(mean));
}

void hsv1_row_copy(hsv1_checker *c, const hsv1_row *row, hsv1_row *copy)
{
    *copy = *row;
    copy->room = row->count;
    copy->column = hsv1_new(c, row->count, sizeof *copy->column);
    copy->value = hsv1_integers(c, row->count);
    for (size_t i = 0; i < row->count; i++) {
        copy->column[i] = row->column[i];
        mpz_set(copy->value[i], row->value[i]);
    }
}

/* ---- The transform --------------------------------------------------------------------------- */

static void rows_transform_read(hsv1_checker *c, const hsv1_json *array)
{
    hsv1_transform *f = &c->transform;
    uint32_t before = 0;
    if (array->type != HSV1_ARRAY) hsv1_unreadable(c, "transform: expected an array");
    f->column = hsv1_new(c, array->count, sizeof *f->column);
    f->offset = hsv1_integers(c, array->count);
    f->factor = hsv1_integers(c, array->count);
    mpq_t *offset = hsv1_rationals(c, array->count), *factor = hsv1_rationals(c, array->count);
    mpz_set(*f->offset_below, *c->base);
    for (const hsv1_json *item = array->child; item; item = item->next) {
        const size_t i = f->count++;
        if (item->type != HSV1_ARRAY || item->count != 3)
            hsv1_unreadable(c, "transform: expected [column, offset, factor]");
        const uint64_t column = hsv1_count(c, item->child, "transform");
        if (column <= before || column > c->data.columns)
            hsv1_unreadable(c, "transform: columns are from 1 to %u, ascending",
                           (unsigned)c->data.columns);
        f->column[i] = before = (uint32_t)column;
        hsv1_number(c, item->child->next, "transform", offset[i]);
        hsv1_number(c, item->child->next->next, "transform", factor[i]);
        mpz_lcm(*f->offset_below, *f->offset_below, mpq_denref(offset[i]));
        mpz_lcm(*f->factor_below, *f->factor_below, mpq_denref(factor[i]));
        const size_t bits =
            mpz_sizeinbase(*f->offset_below, 2) + mpz_sizeinbase(*f->factor_below, 2);
        if (bits > 200000 || bits > HSV1_BITS_ALL / array->count)
            hsv1_unreadable(c, "transform: the common denominator is too long");
    }
    for (size_t i = 0; i < f->count; i++) {
        mpz_divexact(f->offset[i], *f->offset_below, mpq_denref(offset[i]));
        mpz_mul(f->offset[i], f->offset[i], mpq_numref(offset[i]));
        mpz_divexact(f->factor[i], *f->factor_below, mpq_denref(factor[i]));
        mpz_mul(f->factor[i], f->factor[i], mpq_numref(factor[i]));
    }
    mpz_divexact(*f->widen, *f->offset_below, *c->base);
    mpz_mul(*c->scale, *f->offset_below, *f->factor_below);
}

/* After the surveys: one scale for the rows of both files. */
void hsv1_scale_all(hsv1_checker *c, const hsv1_json *transform)
{
    hsv1_table *tables[2] = {&c->data, c->has_test ? &c->test : &c->data};
    mpz_t *means = hsv1_integers(c, 1);
    c->scale = hsv1_integers(c, 1);
    c->base = hsv1_integers(c, 1);
    c->transform.offset_below = hsv1_integers(c, 1);
    c->transform.factor_below = hsv1_integers(c, 1);
    c->transform.widen = hsv1_integers(c, 1);
    mpz_lcm(*means, *tables[0]->means_below, *tables[1]->means_below);
    mpz_set(*tables[0]->means_below, *means);
    mpz_set(*tables[1]->means_below, *means);
    c->decimals =
        tables[0]->decimals > tables[1]->decimals ? tables[0]->decimals : tables[1]->decimals;
    mpz_ui_pow_ui(*c->base, 10, (unsigned long)c->decimals);
    mpz_mul(*c->base, *c->base, *means);
    mpz_set(*c->scale, *c->base);
    mpz_set_ui(*c->transform.factor_below, 1);
    if (transform) rows_transform_read(c, transform);
    for (int i = 0; i < 2 && c->transform.count; i++) {
        rows_room(c, &tables[i]->moved, tables[i]->raw.room + c->transform.count + 1);
        const uint32_t last = c->transform.column[c->transform.count - 1];
        if (tables[i]->width < last) tables[i]->width = last;
    }
}

/* One value through the transform's item at (listed) or past it; kept if it is not 0. */
static void rows_move(const hsv1_transform *f, hsv1_row *to, uint32_t column, const mpz_t value,
                      size_t at, int listed)
{
    mpz_ptr out = to->value[to->count];
    mpz_mul(out, value, *f->widen);
    if (listed) mpz_sub(out, out, f->offset[at]);
    mpz_mul(out, out, listed ? f->factor[at] : *f->factor_below);
    if (!mpz_sgn(out)) return;
    to->column[to->count++] = column;
}

static const hsv1_row *rows_moved(hsv1_checker *c, hsv1_table *t)
{
    const hsv1_transform *f = &c->transform;
    const hsv1_row *from = &t->raw;
    hsv1_row *to = &t->moved;
    size_t i = 0, k = 0;
    if (!f->count) return from;
    rows_room(c, to, from->count + f->count + 1);
    to->number = from->number;
    to->y = from->y;
    to->count = 0;
    mpz_set_ui(t->number[0], 0);
    while (i < from->count || k < f->count) {
        if (k == f->count || (i < from->count && from->column[i] < f->column[k])) {
            rows_move(f, to, from->column[i], from->value[i], 0, 0);
            i++;
        } else {
            const int there = i < from->count && from->column[i] == f->column[k];
            rows_move(f, to, f->column[k], there ? from->value[i] : t->number[0], k, 1);
            i += (size_t)there;
            k++;
        }
    }
    return to;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

static uint64_t rows_pass(hsv1_checker *c, hsv1_table *t, hsv1_row_use *use, void *with)
{
    uint64_t number = 0;
    rows_start(c, t);
    for (;;) {
        t->raw.count = 0;
        t->raw.y = t->lacks = 0;
        if (!(t->is_csv ? hsv1_csv_next(c, t) : hsv1_libsvm_next(c, t))) break;
        if (!t->raw.y && !t->surveyed) t->unused++;
        if (!t->raw.y && (!t->everything || t->lacks)) continue; /* not used */
        if (t->raw.y) t->raw.number = ++number;
        if (use) use(c, rows_moved(c, t), with);
        if (!t->surveyed) t->positives += t->raw.y > 0;
    }
    rows_end(c, t);
    return number;
}

void hsv1_survey(hsv1_checker *c, hsv1_table *t)
{
    rows_start(c, t);
    rows_end(c, t); /* first of all: is it the file? */
    const uint64_t rows = rows_pass(c, t, NULL, NULL);
    if (rows != t->rows)
        hsv1_reject(c, "%s: %llu rows are used, not %llu as certified", t->name,
                   (unsigned long long)rows, (unsigned long long)t->rows);
    t->surveyed = 1;
}

void hsv1_each_row(hsv1_checker *c, hsv1_table *t, hsv1_row_use *use, void *with)
{
    rows_pass(c, t, use, with);
}

void hsv1_every_row(hsv1_checker *c, hsv1_table *t, hsv1_row_use *use, void *with)
{
    t->everything = 1;
    rows_pass(c, t, use, with);
    t->everything = 0;
}

typedef struct rows_load {
    const uint64_t *numbers;
    size_t count, found;
    hsv1_row *rows;
} rows_load;

static void rows_load_one(hsv1_checker *c, const hsv1_row *row, void *with)
{
    rows_load *load = with;
    if (load->found == load->count || load->numbers[load->found] != row->number) return;
    hsv1_row_copy(c, row, load->rows + load->found++);
}

void hsv1_rows_load(hsv1_checker *c, const uint64_t *numbers, size_t count, hsv1_row *rows)
{
    rows_load load = {numbers, count, 0, rows};
    hsv1_each_row(c, &c->data, rows_load_one, &load);
    if (load.found < count)
        hsv1_reject(c, "row %llu is named, but there are %llu",
                   (unsigned long long)numbers[load.found], (unsigned long long)c->data.rows);
}
