/* The option date: which columns hold dates, how they are written, and which parts become features. */
#include "base/base.h"
#include "data/csv_sample.h"
#include "data/date.h"

enum {
    DATES_KNOWN = 64 /* formats that are tried, at most */
};

/* One column of the option. */
typedef struct dates_setting {
    hsp_context *ctx;
    hsp__csv_sample *sample;
    hsp_encoding *encoding;
    unsigned char *told; /* by column */
    uint32_t column;     /* HSP__NAME_NONE: none yet */
    hsp__text rest;      /* what follows its name: =FORMAT:PARTS */
} dates_setting;

/* ---- The format, by the first records -------------------------------------------------------- */

static hsp_status dates_fail(const dates_setting *set, hsp_error *err, const char *cell,
                             const char *a, const char *b)
{
    const char *name = hsp__names_get(&set->encoding->names, set->column);
    if (b)
        return hsp__fail_option(err, "--date",
                                "'%s' of column '%s' may be %s or %s; say which: --date '%s=%s'",
                                cell, name, a, b, name, a);
    return hsp__fail_option(err, "--date",
                            "no known format of dates fits column '%s'%s%s; give it, as in "
                            "--date '%s=%%d.%%m.%%Y'",
                            name, *cell ? ", which has " : "", cell, name);
}

/* The known format that fits all cells (nearly all, where bad records are left out). Two that fit and
 * disagree are an error. */
static hsp_status dates_detect(dates_setting *set, hsp_error *err)
{
    hsp__csv_sample *sample = set->sample;
    hsp__column *column = &set->encoding->columns[set->column];
    uint64_t fits[DATES_KNOWN] = {0}, cells = 0;
    char quoted[HSP__QUOTED] = "";
    const char *chosen = NULL, *other = NULL;
    hsp__csv_field field;
    hsp__csv_cursor cursor = hsp__csv_sample_begin(sample);
    while (hsp__csv_sample_cell(sample, &cursor, set->column, &field)) {
        hsp__date date;
        int any = 0;
        if (hsp__cell_mark(&sample->rules, field.text, field.size) != HSP__MARK_NONE) continue;
        for (size_t d = 0; d < DATES_KNOWN && hsp__date_known(d); d++)
            if (hsp__date_parse(field.text, field.size, hsp__date_known(d), &date))
                fits[d]++, any = 1;
        if (!any || !cells) hsp__quote(field.text, field.size, quoted);
        cells++;
    }
    for (size_t d = 0; d < DATES_KNOWN && hsp__date_known(d); d++) {
        if (!cells || fits[d] * 10 < cells * (sample->skip ? 9 : 10)) continue;
        if (chosen)
            other = hsp__date_known(d);
        else
            chosen = hsp__date_known(d);
    }
    if (sample->plain.failed) return hsp__fail_memory(err);
    if (!chosen) return dates_fail(set, err, quoted, NULL, NULL);
    cursor = hsp__csv_sample_begin(sample);
    while (other && hsp__csv_sample_cell(sample, &cursor, set->column, &field)) {
        hsp__date a, b;
        if (hsp__date_parse(field.text, field.size, chosen, &a) &&
            hsp__date_parse(field.text, field.size, other, &b) && a.days != b.days)
            return dates_fail(set, err, hsp__quote(field.text, field.size, quoted), chosen, other);
    }
    memcpy(column->pattern, chosen, strlen(chosen) + 1);
    return HSP_OK;
}

/* ---- The option ------------------------------------------------------------------------------ */

/* The parts of a comma list, as bits; 0: it is none. */
static unsigned dates_parts(const char *list)
{
    unsigned parts = 0;
    for (const char *p = list;; p++) {
        const size_t size = strcspn(p, ",");
        const int part = hsp__date_part_of(p, size);
        if (part < 0) return 0;
        parts |= 1u << part;
        p += size;
        if (!*p) return parts;
    }
}

/* All is known of a column. */
static hsp_status dates_finish(dates_setting *set, hsp_error *err)
{
    if (set->column == HSP__NAME_NONE) return HSP_OK;
    hsp__column *column = &set->encoding->columns[set->column];
    const char *name = hsp__names_get(&set->encoding->names, set->column);
    char *rest = set->rest.data, *colon = strrchr(rest, ':');
    if (set->told[set->column]++)
        return hsp__fail_option(err, "--date", "column '%s' is used by another option", name);
    column->kind = HSP__COLUMN_DATE;
    column->parts = colon ? dates_parts(colon + 1) : 0;
    if (column->parts) *colon = 0;
    if (*rest == ':')
        return hsp__fail_option(err, "--date",
                                "'%s' of column '%s' is no list of days, year, month and weekday",
                                rest + 1, name);
    if (!column->parts) column->parts = 1u << HSP__DATE_DAYS;
    if (*rest == 0) return dates_detect(set, err);
    if (strlen(rest + 1) >= sizeof column->pattern || !hsp__date_pattern_is_valid(rest + 1))
        return hsp__fail_option(err, "--date",
                                "'%s' is no format with a year, a month and a day, such as "
                                "%%Y-%%m-%%d (%%Y %%y %%m %%b %%d %%H %%M %%S)",
                                rest + 1);
    memcpy(column->pattern, rest + 1, strlen(rest + 1) + 1);
    return HSP_OK;
}

/* Does the item begin with a column? Then *size is the length of its name. */
static int dates_column(const hsp__names *names, const hsp__text *item, uint32_t *column,
                        size_t *size)
{
    for (*size = item->size;; --*size) {
        const char next = item->data[*size];
        if ((!next || next == '=' || next == ':') &&
            !hsp__csv_find_column(names, item->data, *size, "date", NULL, column))
            return 1;
        if (!*size) return 0;
    }
}

/* One text of the option: NAME[=FORMAT][:PARTS],... A piece behind a comma that names no column
 * belongs to the format or the parts before it. */
static hsp_status dates_set(dates_setting *set, const char *text, hsp_error *err)
{
    const hsp__names *names = &set->encoding->names;
    hsp__text item;
    hsp_status status = HSP_OK;
    hsp__text_init(&item, &names->memory);
    set->column = HSP__NAME_NONE;
    for (const char *at = text, *from = text; !status && hsp__comma_next(&at, &item); from = at) {
        uint32_t column;
        size_t size;
        const int parts = set->column != HSP__NAME_NONE && strchr(set->rest.data, ':') &&
                          hsp__date_part_of(item.data, item.size) >= 0;
        if (!parts && dates_column(names, &item, &column, &size)) {
            status = dates_finish(set, err);
            set->column = column;
            set->rest.size = 0;
            hsp__text_puts(&set->rest, item.data + size);
        } else if (set->column == HSP__NAME_NONE || !set->rest.size) {
            status = hsp__csv_find_column(names, item.data, strcspn(item.data, "=:"), "date", err,
                                          &column);
        } else {
            hsp__text_puts(&set->rest, ",");
            hsp__text_add(&set->rest, from, at ? (size_t)(at - 1 - from) : strlen(from));
        }
        if (item.failed || set->rest.failed) status = hsp__fail_memory(err);
    }
    if (!status && item.failed) status = hsp__fail_memory(err);
    hsp__text_free(&item);
    return status ? status : dates_finish(set, err);
}

hsp_status hsp__csv_set_dates(hsp_context *ctx, hsp__csv_sample *sample, const hsp_options *options,
                              hsp_encoding *encoding, unsigned char *told, hsp_error *err)
{
    dates_setting set = {.ctx = ctx, .sample = sample, .encoding = encoding, .told = told};
    hsp_status status = HSP_OK;
    hsp__text_init(&set.rest, &ctx->allocator);
    for (size_t i = 0; !status && i < hsp_options_list_count(options, "date"); i++)
        status = dates_set(&set, hsp_options_list_item(options, "date", i), err);
    hsp__text_free(&set.rest);
    return status;
}
