/* Columns with more categories than anybody would want as features: ids, dates, free text. */
#include "base/base.h"
#include "data/column_profile.h"
#include "data/csv.h"

enum {
    CATEGORIES_NAMED = 2,    /* columns that an error names */
    CATEGORIES_LOOK = 1000,  /* values that are looked at for what the column holds */
    CATEGORIES_LATE = 20000, /* values beyond the limit at which reading stops at once */
};

/* What the column holds, and the option that deals with it. */
static hsp_status categories_advise(const hsp__csv_reader *reader, uint32_t j, uint64_t cells,
                                    hsp__text *text, hsp_error *err)
{
    const hsp__csv_plan *plan = &reader->plan;
    const hsp_encoding *encoding = plan->encoding;
    const hsp__names *values = &encoding->columns[plan->columns[j].encoded].values;
    const char *name = hsp__csv_name(plan, j);
    hsp__column_profile profile;
    hsp__column_profile_init(&profile, &reader->ctx->allocator, &encoding->rules, CATEGORIES_LOOK);
    int memory = 1;
    for (uint32_t v = 0; memory && v < values->count && v < CATEGORIES_LOOK; v++)
        memory = hsp__column_profile_add(&profile, hsp__names_get(values, v),
                                         hsp__names_size(values, v), 0);
    memory = memory && hsp__column_profile_finish(&profile, 0);
    const hsp__number_format *format = &profile.format;
    if (!memory) {
    } else if (profile.content == HSP__CONTENT_DATE) {
        hsp__text_printf(text, "dates: use --date '%.40s=%s'", name, profile.date);
    } else if (profile.content == HSP__CONTENT_NUMBER && profile.misfits) {
        hsp__text_puts(text, "numbers, with other texts among them");
    } else if (profile.content == HSP__CONTENT_NUMBER) {
        hsp__text_puts(text, "numbers: use");
        if (format->decimal == ',') hsp__text_puts(text, " --decimal ,");
        if (format->thousands) hsp__text_printf(text, " --thousands '%c'", format->thousands);
        if (profile.percent) hsp__text_puts(text, " --percent");
        if (profile.currency) hsp__text_puts(text, " --currency");
    } else if (values->count == cells) {
        hsp__text_printf(text, "an id, which no two rows share: use --ignore '%.40s'", name);
    } else {
        hsp__text_printf(text, "use --hash '%.40s' or --ignore '%.40s'", name, name);
    }
    hsp__column_profile_free(&profile);
    return memory ? HSP_OK : hsp__fail_memory(err);
}

hsp_status hsp__csv_check_categories(const hsp__csv_reader *reader, uint64_t rows, int all,
                                     hsp_error *err)
{
    const hsp__csv_plan *plan = &reader->plan;
    const uint64_t most = plan->max_categories + (all ? 0 : CATEGORIES_LATE);
    uint32_t count = 0, more = 0;
    hsp_status status = HSP_OK;
    hsp__text text;
    hsp__text_init(&text, &reader->ctx->allocator);
    for (uint32_t j = 0; !plan->given && !status && j < plan->count; j++) {
        const hsp__column *column = &plan->encoding->columns[plan->columns[j].encoded];
        const hsp__names *values = &column->values;
        if (column->kind != HSP__COLUMN_CATEGORY || column->chosen || values->count <= most)
            continue;
        if (count == CATEGORIES_NAMED) {
            more++;
            continue;
        }
        hsp__text_printf(&text, "%scolumn '%.40s' has %u different values", count++ ? "; " : "",
                         hsp__csv_name(plan, j), values->count);
        if (!all) hsp__text_printf(&text, " in the first %llu rows", (unsigned long long)rows);
        hsp__text_printf(&text, " ('%.25s', '%.25s', ...): ", hsp__names_get(values, 0),
                         hsp__names_get(values, 1));
        status =
            categories_advise(reader, j, rows - (all ? reader->counts.missing[j] : 0), &text, err);
    }
    if (more) hsp__text_printf(&text, "; and %u more column%s", more, more > 1 ? "s" : "");
    if (!status && text.failed) status = hsp__fail_memory(err);
    if (!status && count)
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                              "more than --max-categories %llu: %s. 'halfspace inspect' lists all "
                              "columns and the options to use; --categorical COLUMNS makes a "
                              "feature of each value",
                              (unsigned long long)plan->max_categories, text.data);
    hsp__text_free(&text);
    return status;
}
