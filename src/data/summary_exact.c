/* What a summary says to be equal, confirmed on the decimals of the file.
 *
 * Two decimals can have the same rounding in memory; so rows, columns and constants that are equal
 * there are candidates only. The file is read again, and the decimals of every candidate, without
 * what does not change their value ("1.50" is "15e-1"), go into a SHA-256: candidates with the same
 * one are equal. A decimal that is not 0 can also become 0 in memory; such decimals are counted as
 * what they are.
 *
 * Memory: 48 bytes per row that is equal to another in memory, 112 per column that is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/scratch.h"
#include "data/data.h"
#include "data/decimals.h"
#include "data/summary.h"

#define EXACT_DIGEST 32

/* A row or a column that is equal to others in memory: to all of the same group. */
typedef struct exact_candidate {
    uint64_t group, number;
    unsigned char digest[EXACT_DIGEST];
} exact_candidate;

/* What is known of a column so far. */
typedef struct exact_column {
    uint64_t nonzeros;
    char *first; /* the first of them, of a candidate for a constant; or NULL */
    size_t first_size;
    int differs;      /* one of them is not the first */
    hsp__sha256 *sha; /* of a candidate for a duplicate; NULL: it is none */
} exact_column;

typedef struct exact {
    hsp__scratch scratch;
    const hsp_view *view;
    hsp_summary *summary;
    exact_candidate *rows; /* row_count */
    uint64_t row_count, row_next;
    exact_column *columns; /* cols */
    uint64_t *entry;       /* cols: 1 + the entry of the row at hand that is in this column, or 0 */
    uint64_t nonzeros, empty_rows;
} exact;

/* ---- Reading --------------------------------------------------------------------------------- */

static void exact_add(hsp__sha256 *sha, uint64_t place, const hsp__decimal_value *value)
{
    const struct {
        uint64_t place;
        int64_t sign, exponent;
    } head = {place, value->sign, value->exponent};
    hsp__sha256_add(sha, &head, sizeof head);
    for (const char *p = value->from, *dot; p < value->to; p = dot + 1) {
        dot = memchr(p, '.', (size_t)(value->to - p));
        if (!dot) dot = value->to;
        hsp__sha256_add(sha, p, (size_t)(dot - p));
    }
    hsp__sha256_add(sha, ";", 1);
}

/* A value other than 0. `sha`: of its row, or NULL. */
static hsp_status exact_value(exact *m, uint64_t i, uint64_t j, const char *text, size_t size,
                              hsp__sha256 *sha, hsp_error *err)
{
    const hsp__decimal_value value = hsp__decimal_value_of(text, size);
    exact_column *column = &m->columns[j];
    if (sha) exact_add(sha, j, &value);
    if (column->sha) exact_add(column->sha, i, &value);
    column->nonzeros++;
    m->nonzeros++;
    if (!m->summary->columns[j].constant || column->differs) return HSP_OK;
    if (column->first) {
        const hsp__decimal_value first = hsp__decimal_value_of(column->first, column->first_size);
        column->differs = !hsp__decimal_value_same(&first, &value);
        return HSP_OK;
    }
    column->first = hsp__scratch_raw(&m->scratch, size, 1);
    column->first_size = size;
    if (!column->first) return hsp__fail_memory(err);
    memcpy(column->first, text, size);
    return HSP_OK;
}

/* The values in memory, each as the file has it; those that no number of the file stands for (a
 * category, a mean that fills a gap) are what they are. Then the numbers that became 0. */
static hsp_status exact_row(void *user, uint64_t i, const hsp__decimal_entry *entries,
                            uint64_t count, hsp_error *err)
{
    exact *m = user;
    const hsp__row row = hsp__view_row(m->view, i);
    const uint64_t before = m->nonzeros;
    const int candidate = m->summary->same[i] != HSP__SUMMARY_ALONE;
    hsp__sha256 sha = {0}, *of_row = candidate ? &sha : NULL;
    hsp_status status = HSP_OK;
    char text[HSP__DECIMAL_MAX];
    if (of_row) hsp__sha256_init(of_row);
    for (uint64_t e = 0; e < count; e++)
        m->entry[entries[e].column] = e + 1;
    for (uint64_t k = 0; !status && k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k), e = m->entry[j];
        const double v = hsp__row_value(m->view, &row, k);
        if (v == 0) continue;
        m->entry[j] = 0;
        if (e) {
            status = exact_value(m, i, j, entries[e - 1].text, entries[e - 1].size, of_row, err);
        } else {
            const size_t size = m->view->precision == HSP_FLOAT32
                                    ? hsp__decimal_print_f32((float)v, text)
                                    : hsp__decimal_print_f64(v, text);
            status = exact_value(m, i, j, text, size, of_row, err);
        }
    }
    for (uint64_t e = 0; !status && e < count; e++) {
        const uint64_t j = entries[e].column;
        if (m->entry[j] && hsp__decimal_value_of(entries[e].text, entries[e].size).sign)
            status = exact_value(m, i, j, entries[e].text, entries[e].size, of_row, err);
        m->entry[j] = 0;
    }
    m->empty_rows += m->nonzeros == before;
    if (!of_row) return status;
    exact_candidate *to = &m->rows[m->row_next++];
    to->group = m->summary->same[i];
    to->number = i;
    hsp__sha256_end(of_row, to->digest);
    return status;
}

/* ---- What it shows --------------------------------------------------------------------------- */

static int exact_compare(const void *left, const void *right)
{
    const exact_candidate *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    const int order = memcmp(a->digest, b->digest, EXACT_DIGEST);
    if (order) return order;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The end of the run of equal candidates that begins at `from`. */
static uint64_t exact_run(const exact_candidate *candidates, uint64_t count, uint64_t from)
{
    uint64_t to = from + 1;
    while (to < count && candidates[to].group == candidates[from].group &&
           memcmp(candidates[to].digest, candidates[from].digest, EXACT_DIGEST) == 0)
        to++;
    return to;
}

static void exact_count_rows(exact *m)
{
    hsp_totals *totals = &m->summary->totals;
    const uint32_t *labels = m->view->labels;
    totals->duplicate_rows = totals->contradictory_rows = 0;
    qsort(m->rows, m->row_count, sizeof *m->rows, exact_compare);
    for (uint64_t from = 0, to; from < m->row_count; from = to) {
        int mixed = 0;
        to = exact_run(m->rows, m->row_count, from);
        for (uint64_t k = from; labels && k < to; k++)
            mixed |= labels[m->rows[k].number] != labels[m->rows[from].number];
        totals->duplicate_rows += to - from - 1;
        if (mixed) totals->contradictory_rows += to - from;
    }
    totals->nonzeros = m->nonzeros;
    totals->empty_rows = m->empty_rows;
    if (totals->rows && totals->cols)
        totals->density = (double)m->nonzeros / ((double)totals->rows * (double)totals->cols);
}

static hsp_status exact_count_columns(exact *m, hsp_error *err)
{
    hsp_totals *totals = &m->summary->totals;
    uint64_t count = 0;
    exact_candidate *all = hsp__scratch_new(&m->scratch, totals->cols, sizeof *all);
    if (!all) return hsp__fail_memory(err);
    totals->empty_columns = totals->constant_columns = totals->duplicate_columns = 0;
    for (uint64_t j = 0; j < totals->cols; j++) {
        hsp_column_summary *to = &m->summary->columns[j];
        const exact_column *column = &m->columns[j];
        if (column->sha) {
            all[count].group = to->duplicate_of < 0 ? j : (uint64_t)to->duplicate_of;
            all[count].number = j;
            hsp__sha256_end(column->sha, all[count++].digest);
        }
        to->nonzeros = column->nonzeros;
        to->constant = to->constant && (!column->nonzeros ||
                                        (column->nonzeros == totals->rows && !column->differs));
        to->duplicate_of = -1;
        totals->empty_columns += column->nonzeros == 0;
        totals->constant_columns += to->constant && column->nonzeros;
    }
    qsort(all, count, sizeof *all, exact_compare);
    for (uint64_t from = 0, to; from < count; from = to) {
        to = exact_run(all, count, from);
        for (uint64_t k = from + 1; k < to; k++) {
            hsp_column_summary *column = &m->summary->columns[all[k].number];
            column->duplicate_of = (int64_t)all[from].number;
            totals->duplicate_columns += !column->constant;
        }
    }
    return HSP_OK;
}

/* ---- From the beginning ---------------------------------------------------------------------- */

static hsp_status exact_candidates(exact *m, hsp_error *err)
{
    const hsp_summary *summary = m->summary;
    for (uint64_t i = 0; i < m->view->rows; i++)
        m->row_count += summary->same[i] != HSP__SUMMARY_ALONE;
    m->rows = hsp__scratch_raw(&m->scratch, m->row_count, sizeof *m->rows);
    m->columns = hsp__scratch_new(&m->scratch, m->view->cols, sizeof *m->columns);
    m->entry = hsp__scratch_new(&m->scratch, m->view->cols, sizeof *m->entry);
    for (uint64_t j = 0; !m->scratch.failed && j < m->view->cols; j++) {
        const int64_t first = summary->columns[j].duplicate_of;
        const uint64_t pair[2] = {j, (uint64_t)first};
        for (int p = 0; first >= 0 && p < 2; p++) {
            exact_column *column = &m->columns[pair[p]];
            if (column->sha) continue;
            column->sha = hsp__scratch_raw(&m->scratch, 1, sizeof *column->sha);
            if (column->sha) hsp__sha256_init(column->sha);
        }
    }
    return m->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

hsp_status hsp_summary_confirm(hsp_context *ctx, hsp_summary *summary, hsp_data *data,
                               const char *path, const hsp_options *options, hsp_error *err)
{
    HSP__NEED(err, ctx, summary, data);
    exact m = {.scratch = {.memory = &ctx->allocator}, .summary = summary};
    int there = 0;
    if (summary->totals.exact) return HSP_OK;
    hsp_status status = hsp__decimals_there(ctx, path, err, &there);
    if (status || !there) return status;
    status = hsp_data_view(ctx, data, err, &m.view);
    if (!status) status = exact_candidates(&m, err);
    if (!status) status = hsp__decimals_read(ctx, path, options, data, exact_row, &m, err);
    if (!status) status = exact_count_columns(&m, err);
    if (!status) exact_count_rows(&m);
    if (!status) summary->totals.exact = 1;
    hsp__scratch_free(&m.scratch);
    return status;
}
