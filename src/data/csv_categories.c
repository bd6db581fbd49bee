/* Columns with more categories than anybody would want as features: ids, dates, free text. */
#include "base/base.h"
#include "data/column_profile.h"
#include "data/csv.h"

enum {
    CATEGORIES_NAMED = 2,    /* columns that an error names */
    CATEGORIES_LOOK = 1000,  /* values that are looked at for what the column holds */
    CATEGORIES_LATE = 20000, /* values beyond the limit at which reading stops at once */
};

/* Is there a sign that the column has for one thing and the options for another? */
static int categories_clash(const hsp__number_format *own, const hsp__number_format *told)
{
    return (told->decimal == ',' && own->decimal == '.') || own->thousands == told->decimal ||
           (told->thousands && (told->thousands == own->decimal ||
                                (own->thousands && own->thousands != told->thousands)));
}

/* The first of the values that the options do not read as a number, and its line. */
static void categories_unread(const hsp__csv_reader *reader, uint32_t j, hsp__text *text)
{
    const hsp__csv_column *column = &reader->plan.columns[j];
    const hsp_encoding *encoding = reader->plan.encoding;
    const hsp__names *values = &encoding->columns[column->encoded].values;
    hsp__text plain;
    hsp__text_init(&plain, &reader->ctx->allocator);
    for (uint32_t v = 0; v < values->count; v++) {
        const char *value = hsp__names_get(values, v);
        const size_t size = hsp__names_size(values, v);
        if (hsp__cell_mark(&encoding->rules, value, size) ||
            hsp__cell_number(&encoding->rules, value, size, &plain))
            continue;
        hsp__text_printf(text, ", such as '%.25s'", value);
        if (column->word_line)
            hsp__text_printf(text, " in line %llu", (unsigned long long)column->word_line);
        break;
    }
    text->failed |= plain.failed;
    hsp__text_free(&plain);
}

/* Numbers: the options that read them, of those that are not given. */
static void categories_advise_number(const hsp__csv_reader *reader, uint32_t j,
                                     const hsp__column_profile *profile, hsp__text *text)
{
    const hsp__number_format *own = &profile->format;
    const hsp__number_format *told = &reader->plan.encoding->rules.number;
    const hsp__number_format signs = {told->decimal, told->thousands, 1, 1};
    const int read = hsp__column_profile_reads(profile, &signs);
    const int decimal = !read && own->decimal != told->decimal;
    const int thousands = !read && own->thousands && own->thousands != told->thousands;
    const int percent = profile->percent && !told->percent;
    const int currency = profile->currency && !told->currency;
    if (!read && categories_clash(own, told)) {
        hsp__text_puts(text, "numbers in another notation than the options say");
        categories_unread(reader, j, text);
        hsp__text_printf(text, ": rewrite the column, or use --ignore '%.40s'",
                         hsp__csv_name(&reader->plan, j));
    } else if (profile->percent && profile->signless) {
        hsp__text_printf(
            text,
            "numbers, of which some have a percent sign: write it in all or in none, or "
            "use --ignore '%.40s'",
            hsp__csv_name(&reader->plan, j));
    } else if (profile->misfits || !(decimal || thousands || percent || currency)) {
        hsp__text_puts(text, "numbers, with other texts among them");
        if (!(decimal || thousands || percent || currency)) categories_unread(reader, j, text);
    } else {
        hsp__text_puts(text, "numbers: use");
        if (decimal) hsp__text_puts(text, " --decimal ,");
        if (thousands) hsp__text_printf(text, " --thousands '%c'", own->thousands);
        if (percent) hsp__text_puts(text, " --percent");
        if (currency) hsp__text_puts(text, " --currency");
    }
}

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
    if (!memory) {
    } else if (profile.content == HSP__CONTENT_DATE) {
        hsp__text_printf(text, "dates: use --date '%.40s=%s'", name, profile.date);
    } else if (profile.content == HSP__CONTENT_NUMBER) {
        categories_advise_number(reader, j, &profile, text);
    } else if (profile.mixed[0] != HSP__NAME_NONE) {
        hsp__text_printf(
            text, "numbers in several notations: rewrite the column, or use --ignore '%.40s'",
            name);
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
