/* One pass over the bytes of a data file: its SHA-256, and the numbers that have more digits than a
 * double can tell apart. Whoever reads the file otherwise has those rounded. */
#include <string.h>

#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/source.h"
#include "prove/file.h"

#define SCAN_BYTES  ((size_t)1 << 20)
#define SCAN_DIGITS 15 /* every decimal of so many is the shortest for its double */

typedef struct scan {
    const hsp__prove_scan *of;
    hsp__prove_file *file;
    uint64_t room; /* of file->longs */
    uint64_t row;  /* of the file, from 0 */
    int failed;    /* no memory */
    /* libsvm text: */
    enum { SCAN_START, SCAN_LABEL, SCAN_BETWEEN, SCAN_INDEX, SCAN_VALUE, SCAN_COMMENT } state;
    uint64_t index;
    int number; /* the index is one; "qid" is none */
    int digits; /* of the value, without zeros before them */
    hsp__text value;
} scan;

static void scan_keep(scan *m, uint64_t column, const char *text, size_t size)
{
    const hsp_allocator *memory = &m->of->ctx->allocator;
    const uint64_t row = m->row < m->of->rows ? m->of->place[m->row] : UINT64_MAX;
    if (row == UINT64_MAX) return;
    void *longs = m->file->longs;
    const uint64_t count = m->file->exact.long_count;
    if (!hsp__reserve(memory, &longs, &m->room, count + 1, sizeof *m->file->longs)) {
        m->failed = 1;
        return;
    }
    m->file->longs = longs;
    char *copy = hsp__copy_text(memory, text, size);
    if (!copy) {
        m->failed = 1;
        return;
    }
    m->file->longs[count] = (hsp__exact_long){row, column, copy};
    m->file->exact.long_count++;
}

/* Significant digits of a number. */
static int scan_digits(const char *text, size_t size)
{
    int count = 0;
    for (size_t i = 0; i < size && (text[i] | 0x20) != 'e'; i++)
        if (text[i] >= '0' && text[i] <= '9' && (count || text[i] != '0')) count++;
    return count;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

static void scan_end_token(scan *m)
{
    if (m->state == SCAN_VALUE && m->digits > SCAN_DIGITS && m->number)
        scan_keep(m, m->index - (uint64_t)m->of->index_base, m->value.data, m->value.size);
    if (m->state == SCAN_LABEL || m->state == SCAN_INDEX || m->state == SCAN_VALUE)
        m->state = SCAN_BETWEEN;
}

static void scan_begin_token(scan *m, char c)
{
    m->state = m->state == SCAN_START ? SCAN_LABEL : SCAN_INDEX;
    m->number = c >= '0' && c <= '9';
    m->index = m->number ? (uint64_t)(c - '0') : 0;
}

static void scan_in_index(scan *m, char c)
{
    if (c == ':') {
        m->state = SCAN_VALUE;
        m->value.size = 0;
        m->digits = 0;
    } else if (c >= '0' && c <= '9') {
        m->index = m->index * 10 + (uint64_t)(c - '0');
    } else {
        m->number = 0;
    }
}

static void scan_in_value(scan *m, char c)
{
    hsp__text_add(&m->value, &c, 1);
    if ((c | 0x20) == 'e')
        m->digits = m->digits > SCAN_DIGITS ? m->digits : -1000; /* what follows are none */
    else if (c >= '0' && c <= '9' && (m->digits || c != '0'))
        m->digits++;
}

static void scan_libsvm(scan *m, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = bytes[i];
        if (c == '\n') {
            scan_end_token(m);
            if (m->state == SCAN_BETWEEN || (m->state == SCAN_COMMENT && m->index)) m->row++;
            m->state = SCAN_START;
            continue;
        }
        if (m->state == SCAN_COMMENT) continue;
        if (c == ' ' || c == '\t' || c == '\r') {
            scan_end_token(m);
        } else if (c == '#') {
            scan_end_token(m);
            m->index = m->state == SCAN_BETWEEN; /* was there a row before it? */
            m->state = SCAN_COMMENT;
        } else if (m->state == SCAN_VALUE) {
            scan_in_value(m, c);
        } else if (m->state == SCAN_INDEX) {
            scan_in_index(m, c);
        } else if (m->state != SCAN_LABEL) {
            scan_begin_token(m, c);
        }
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A record: 1 when it becomes a row. Long numbers are kept for m->row. */
static hsp_status scan_record(scan *m, hsp__csv_cursor *cursor, hsp_error *err, int *is_row)
{
    const hsp__csv_plan *plan = m->of->plan;
    const uint64_t before = m->file->exact.long_count;
    uint64_t feature = 0;
    hsp__csv_field field = {.last = 0};
    *is_row = 1;
    for (uint32_t j = 0; !field.last; j++) {
        hsp_status status = hsp__csv_next(cursor, &field, err);
        if (status) return status;
        if (j >= plan->count) continue;
        const hsp__csv_column *column = &plan->columns[j];
        const int missing = hsp__csv_is_missing(field.text, field.size);
        if (column->kind == HSP__COLUMN_LABEL && missing && !field.quoted) *is_row = 0;
        if (column->kind > HSP__COLUMN_ORDINAL) continue;
        if (missing && plan->missing == HSP__MISSING_DROP) *is_row = 0;
        if (column->kind == HSP__COLUMN_NUMBER && !missing &&
            scan_digits(field.text, field.size) > SCAN_DIGITS)
            scan_keep(m, feature, field.text, field.size);
        feature += hsp__encoding_width(&plan->encoding->columns[column->encoded]);
    }
    while (!*is_row && m->file->exact.long_count > before)
        hsp__free(&m->of->ctx->allocator, m->file->longs[--m->file->exact.long_count].text);
    return HSP_OK;
}

static hsp_status scan_table(scan *m, const hsp__text *all, hsp_error *err)
{
    const hsp__csv_plan *plan = m->of->plan;
    hsp__text unquoted;
    hsp__text_init(&unquoted, &m->of->ctx->allocator);
    hsp__csv_cursor cursor = {.at = all->data + plan->data_at,
                              .end = all->data + all->size,
                              .line_start = all->data + plan->data_at,
                              .line = plan->data_line + 1,
                              .separator = plan->separator,
                              .file = m->of->path,
                              .unquoted = &unquoted};
    hsp_status status = HSP_OK;
    while (!status && hsp__csv_skip_blank(&cursor)) {
        int is_row;
        status = scan_record(m, &cursor, err, &is_row);
        if (!status) m->row += (uint64_t)is_row;
    }
    hsp__text_free(&unquoted);
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static hsp_status scan_bytes(scan *m, hsp__source *source, char hash[65], hsp__text *all,
                             hsp_error *err)
{
    const hsp_allocator *memory = &m->of->ctx->allocator;
    char *buffer = hsp__new_raw(memory, SCAN_BYTES, 1);
    unsigned char digest[32];
    hsp__sha256 sha;
    hsp_status status = buffer ? HSP_OK : hsp__fail_memory(err);
    hsp__sha256_init(&sha);
    for (size_t got = 1; !status && got;) {
        status = hsp__source_read(source, buffer, SCAN_BYTES, err, &got);
        if (status) break;
        hsp__sha256_add(&sha, buffer, got);
        if (m->of->plan)
            hsp__text_add(all, buffer, got);
        else
            scan_libsvm(m, buffer, got);
    }
    if (!m->of->plan) scan_libsvm(m, "\n", 1); /* the last line may lack its end */
    hsp__sha256_end(&sha, digest);
    hsp__sha256_text(digest, hash);
    hsp__free(memory, buffer);
    return status;
}

hsp_status hsp__prove_scan_file(const hsp__prove_scan *of, hsp_error *err, char hash[65],
                                hsp__prove_file *file)
{
    static const char padding[64] = {0};
    const hsp_allocator *memory = &of->ctx->allocator;
    scan m = {.of = of, .file = file};
    hsp__source *source = NULL;
    hsp__text all;
    hsp__text_init(&m.value, memory);
    hsp__text_init(&all, memory);
    hsp_status status = hsp__source_open(of->ctx, of->path, err, &source);
    if (!status) status = scan_bytes(&m, source, hash, &all, err);
    if (!status && of->plan) {
        hsp__text_add(&all, padding, sizeof padding); /* fields are looked at in words */
        if (all.failed) status = hsp__fail_memory(err);
        if (!status) all.size -= sizeof padding;
        if (!status) status = scan_table(&m, &all, err);
    }
    if (!status && (m.failed || m.value.failed)) status = hsp__fail_memory(err);
    if (m.row != of->rows) /* whose rows these are is not known; the hash will tell if it matters */
        while (file->exact.long_count)
            hsp__free(memory, file->longs[--file->exact.long_count].text);
    hsp__source_free(source);
    hsp__text_free(&all);
    hsp__text_free(&m.value);
    return status;
}
