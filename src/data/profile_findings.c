/* What is to be known about a table before it is read, each with the option that deals with it. An
 * option is advised only where the options of reading have it and the user has not set it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "data/table_profile.h"

enum {
    FIND_NAMES = 5,        /* columns named in a sentence */
    FIND_QUANTITY = 100,   /* whole numbers beyond which a label is a quantity */
    FIND_CATEGORIES = 100, /* values of a categorical column beyond which they are many */
    FIND_UNBALANCED = 10,  /* largest class to smallest */
    FIND_SCALES = 100,     /* widest column to narrowest */
    FIND_THOUSANDS = 100,  /* numbers from which on thousands may be about */
    FIND_IGNORED = 2,      /* an option says that the column is left out */
    FIND_MARKS = 5,        /* texts in a column of numbers that are taken for marks, at most */
};

typedef struct finder {
    hsp_profile *profile;
    const hsp_options *read;
    unsigned char *told;   /* columns that options speak of: nothing is advised for them */
    unsigned char *marked; /* columns with marks that --na is advised for */
    unsigned char *fits;   /* columns of numbers in the table's notation */
    int folds;             /* classes are read in lower case, by the options or by advice */
    hsp_error *err;
    hsp_status status; /* the first failure */
} finder;

/* ---- Findings -------------------------------------------------------------------------------- */

static const hsp_option *find_option(const hsp_options *options, const char *name)
{
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return &table->options[i];
    return NULL;
}

static int find_has_option(const hsp_options *options, const char *name)
{
    return find_option(options, name) != NULL;
}

static int find_is_flag(const finder *find, const char *name)
{
    const hsp_option *option = find_option(find->read, name);
    return option && option->type == HSP_OPTION_FLAG;
}

/* Did the user set it? */
static int find_is_set(const finder *find, const char *option)
{
    return find_has_option(find->read, option) && hsp_options_is_set(find->read, option);
}

/* A copy that lives as long as the profile; NULL without memory. */
static char *find_keep(finder *find, const char *text, size_t size)
{
    char *copy = hsp__scratch_raw(&find->profile->scratch, size + 1, 1);
    if (!copy) {
        find->status = hsp__fail_memory(find->err);
        return NULL;
    }
    memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}

/* "--option value", quoted as a shell needs it. */
static char *find_argument(finder *find, const char *option, const char *value)
{
    const int flag = strcmp(option, "percent") == 0 || strcmp(option, "currency") == 0 ||
                     strcmp(option, "ignore-case") == 0;
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+./:=,@%";
    hsp__text text;
    hsp__text_init(&text, &find->profile->memory);
    hsp__text_printf(&text, flag ? "--%s" : "--%s ", option);
    if (flag) value = "";
    if (flag || (*value && !value[strspn(value, plain)])) {
        hsp__text_puts(&text, value);
    } else {
        hsp__text_puts(&text, "'");
        for (const char *p = value; *p; p++)
            hsp__text_add(&text, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
        hsp__text_puts(&text, "'");
    }
    if (text.failed) find->status = hsp__fail_memory(find->err);
    char *kept = text.failed ? NULL : find_keep(find, text.data, text.size);
    hsp__text_free(&text);
    return kept;
}

/* Add a finding; option NULL: none. */
static void find_put(finder *find, const char *use, const char *option, const char *value,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
static void find_put(finder *find, const char *use, const char *option, const char *value,
                     const char *format, ...)
{
    hsp_profile *profile = find->profile;
    char sentence[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (find->status) return;
    if (option && strcmp(use, "reading") == 0 && !find_has_option(find->read, option))
        option = NULL;
    if (!hsp__reserve(&profile->memory, &profile->findings, &profile->findings_room,
                      profile->count + 1, sizeof *profile->findings)) {
        find->status = hsp__fail_memory(find->err);
        return;
    }
    hsp_finding finding = {.sentence = find_keep(find, sentence, strlen(sentence))};
    if (option) {
        finding.use = use;
        finding.option = option;
        finding.value = find_keep(find, value, strlen(value));
        finding.argument = find_argument(find, option, value);
    }
    if (!find->status) profile->findings[profile->count++] = finding;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static const char *find_name(const finder *find, uint64_t j)
{
    return hsp__names_get(&find->profile->names, (uint32_t)j);
}

static hsp__column_profile *find_column(const finder *find, uint64_t j)
{
    return &find->profile->columns[j];
}

static void find_quote_value(const hsp__column_profile *column, uint32_t v, char out[HSP__QUOTED])
{
    *out = 0;
    if (v != HSP__NAME_NONE)
        hsp__quote(hsp__names_get(&column->values, v), hsp__names_size(&column->values, v), out);
}

/* Several columns: their names for a sentence, and how options name them. */
typedef struct find_group {
    uint64_t count;
    hsp__text names, options;
} find_group;

static find_group find_group_new(const finder *find)
{
    find_group group = {0};
    hsp__text_init(&group.names, &find->profile->memory);
    hsp__text_init(&group.options, &find->profile->memory);
    return group;
}

static void find_group_add(const finder *find, find_group *group, uint64_t j)
{
    const char *name = find_name(find, j);
    char quoted[HSP__QUOTED];
    if (group->count < FIND_NAMES)
        hsp__text_printf(&group->names, "%s%s", group->count ? ", " : "",
                         hsp__quote(name, strlen(name), quoted));
    if (group->count++ == FIND_NAMES) hsp__text_puts(&group->names, " and more");
    if (group->options.size) hsp__text_puts(&group->options, ",");
    if (!*name || name[strcspn(name, ",=:")]) /* by its number */
        hsp__text_printf(&group->options, "%llu", (unsigned long long)j + 1);
    else
        hsp__text_puts(&group->options, name);
}

/* End a group: 0 if it is empty or memory ran out. */
static int find_group_there(finder *find, const find_group *group)
{
    if (group->names.failed || group->options.failed) find->status = hsp__fail_memory(find->err);
    return group->count > 0 && !find->status;
}

static void find_group_free(find_group *group)
{
    hsp__text_free(&group->names);
    hsp__text_free(&group->options);
}

/* The columns, the label and those that options speak of aside, for which `is` holds: a finding. The
 * sentence is "Column X <one>." or "Columns X, Y <many>.". */
static void find_columns(finder *find, int (*is)(const hsp__column_profile *), const char *option,
                         const char *one, const char *many)
{
    find_group group = find_group_new(find);
    const int flag = find_is_flag(find, option);
    if ((flag || strcmp(option, "hash") == 0) && find_is_set(find, option)) return;
    for (uint64_t j = 0; j < find->profile->totals.columns; j++)
        if (j != find->profile->totals.label && !find->told[j] && is(find_column(find, j)))
            find_group_add(find, &group, j);
    if (find_group_there(find, &group))
        find_put(find, "reading", option, flag ? "yes" : group.options.data, "Column%s %s %s.",
                 group.count == 1 ? "" : "s", group.names.data, group.count == 1 ? one : many);
    find_group_free(&group);
}

/* Mark the columns that the options name; lists may have commas. */
static void find_told(finder *find)
{
    static const char *const lists[] = {"ignore", "categorical", "ordinal", "date", "hash"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        if (!find_has_option(find->read, lists[k])) continue;
        for (size_t i = 0; i < hsp_options_list_count(find->read, lists[k]); i++) {
            const char *at = hsp_options_list_item(find->read, lists[k], i);
            for (size_t size; *at; at += size + (at[size] != 0)) {
                size = strcspn(at, ",");
                const size_t named = strcspn(at, "=:,");
                const uint64_t j = hsp__profile_by_word(find->profile, at, named);
                if (j != UINT64_MAX) find->told[j] = k == 0 ? FIND_IGNORED : 1;
            }
        }
    }
}

/* ---- The label ------------------------------------------------------------------------------- */

static int find_is_quantity(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_NUMBER && column->distinct > HSP__PROFILE_CLASSES &&
           (!column->integers || column->distinct > FIND_QUANTITY || column->others);
}

/* Which column the labels are in. */
static void find_label_column(finder *find)
{
    const hsp_profile_totals *totals = &find->profile->totals;
    const uint64_t label = totals->label;
    const char *word = hsp_options_text(find->read, "label");
    find_group group = find_group_new(find);
    find_group_add(find, &group, label);
    if (!find_group_there(find, &group)) {
        find_group_free(&group);
        return;
    }
    const int set = hsp_options_is_set(find->read, "label");
    const int found = strcmp(word, "last") == 0 || strcmp(word, "first") == 0 ||
                      hsp__profile_by_word(find->profile, word, strlen(word)) != UINT64_MAX;
    if (set && !found)
        find_put(find, "reading", "label", group.options.data,
                 "There is no column '%s' for the labels; column %s probably holds them.", word,
                 group.names.data);
    else if (!set && label + 1 != totals->columns &&
             find_is_quantity(find_column(find, totals->columns - 1)))
        find_put(find, "reading", "label", group.options.data,
                 "Column %s probably holds the labels. The last column is a quantity (regression); "
                 "the learners here predict classes.",
                 group.names.data);
    else if (!set && label + 1 != totals->columns)
        find_put(find, "reading", "label", group.options.data,
                 "Column %s probably holds the labels; by default they are in the last column.",
                 group.names.data);
    find_group_free(&group);
}

/* Rows of the most and least frequent class; classes that differ only in case are one. */
typedef struct find_classes {
    uint32_t most, least; /* values */
    uint64_t many, few, rows;
    uint32_t count;
} find_classes;

static find_classes find_count_classes(const hsp__column_profile *column)
{
    find_classes all = {.few = UINT64_MAX};
    for (uint32_t v = 0; v < column->values.count; v++) {
        char form[HSP__PROFILE_FORM], other[HSP__PROFILE_FORM];
        uint64_t rows = column->counts[v];
        int first = 1;
        if (hsp__column_profile_absent(column, v)) continue;
        hsp__profile_fold(hsp__names_get(&column->values, v), hsp__names_size(&column->values, v),
                          form);
        for (uint32_t u = 0; u < column->values.count; u++) {
            if (u == v || hsp__column_profile_absent(column, u)) continue;
            hsp__profile_fold(hsp__names_get(&column->values, u),
                              hsp__names_size(&column->values, u), other);
            if (strcmp(form, other) != 0) continue;
            first &= v < u;
            rows += column->counts[u];
        }
        if (!first) continue;
        all.count++;
        all.rows += rows;
        if (rows > all.many) all.many = rows, all.most = v;
        if (rows < all.few) all.few = rows, all.least = v;
    }
    return all;
}

/* What the labels are like. */
static void find_labels(finder *find)
{
    const hsp_profile_totals *totals = &find->profile->totals;
    const hsp__column_profile *label = find_column(find, totals->label);
    char name[HSP__QUOTED], most[HSP__QUOTED], least[HSP__QUOTED];
    hsp__quote(find_name(find, totals->label), strlen(find_name(find, totals->label)), name);
    const int quantity = find_is_quantity(label);
    const char *holds = quantity                              ? "a number"
                        : label->content == HSP__CONTENT_ID   ? "an id"
                        : label->content == HSP__CONTENT_TEXT ? "free text"
                        : label->content == HSP__CONTENT_DATE ? "a date"
                                                              : NULL;
    if (holds) {
        uint64_t other = totals->columns;
        while (other-- > 0 &&
               (other == totals->label || !hsp__profile_is_classes(find_column(find, other))))
            ;
        find_put(find, "reading", other < totals->columns ? "label" : NULL,
                 other < totals->columns ? find_name(find, other) : "",
                 "The label, column %s, is %s with %s%llu values%s. The learners here predict "
                 "classes.",
                 name, holds, label->others ? "more than " : "",
                 (unsigned long long)label->distinct, quantity ? ": a quantity (regression)" : "");
        return;
    }
    if (label->content == HSP__CONTENT_CONSTANT || label->content == HSP__CONTENT_EMPTY)
        find_put(find, NULL, NULL, NULL,
                 label->distinct ? "All rows have the same label (column %s): there is nothing to "
                                   "tell apart."
                                 : "The label, column %s, is missing in all rows.",
                 name);
    if (label->others || label->distinct < 2 || label->distinct > FIND_QUANTITY) return;
    const find_classes all = find_count_classes(label);
    if (all.count < 2 || all.many < all.few * FIND_UNBALANCED) return;
    find_quote_value(label, all.most, most);
    find_quote_value(label, all.least, least);
    if (find->folds) {
        hsp__fold_case(most, strlen(most));
        hsp__fold_case(least, strlen(least));
    }
    find_put(
        find, "training", "weight", "balanced",
        "The classes are unbalanced: '%s' has %.1f%% of the rows, '%s' %.1f%%. Balanced weights "
        "find more rows of the rare class, but make its probabilities too high.",
        most, 100 * (double)all.many / (double)all.rows, least,
        100 * (double)all.few / (double)all.rows);
    if (all.count == 2 && label->content == HSP__CONTENT_CATEGORY && strcmp(least, most) < 0)
        find_put(
            find, NULL, NULL, NULL,
            "Of two classes the second by name, '%s', is the positive one, which precision, F1 "
            "and thresholds are about. For the rare one, train with --classes and the names in "
            "the other order.",
            most);
    find_put(find, "scoring", "score", all.count == 2 ? "auc" : "balanced-accuracy",
             "Always answering '%s' is right on %.1f%% of the rows: accuracy alone says little.",
             most, 100 * (double)all.many / (double)all.rows);
}

/* ---- Kinds of columns ------------------------------------------------------------------------- */

static int find_is_id(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_ID;
}

static int find_is_text(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_TEXT;
}

static int find_is_many(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_CATEGORY &&
           (column->distinct > FIND_CATEGORIES || column->others);
}

static int find_is_various(const hsp__column_profile *column)
{
    return !column->code && find_is_many(column);
}

static int find_is_code(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_CATEGORY && column->code && !find_is_many(column);
}

static int find_is_various_code(const hsp__column_profile *column)
{
    return column->code && find_is_many(column);
}

static int find_is_useless(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_EMPTY || column->content == HSP__CONTENT_CONSTANT;
}

static int find_is_percent(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_NUMBER && column->percent;
}

static int find_is_currency(const hsp__column_profile *column)
{
    return column->content == HSP__CONTENT_NUMBER && column->currency;
}

/* Is it a column of numbers that is read as such? */
static int find_is_number(const finder *find, uint64_t j)
{
    return j != find->profile->totals.label && !find->told[j] &&
           find_column(find, j)->content == HSP__CONTENT_NUMBER;
}

/* Columns of numbers in several notations. */
static void find_mixed(finder *find)
{
    for (uint64_t j = 0; j < find->profile->totals.columns; j++) {
        const hsp__column_profile *column = find_column(find, j);
        char one[HSP__QUOTED], two[HSP__QUOTED];
        if (j == find->profile->totals.label || find->told[j] || column->mixed[0] == HSP__NAME_NONE)
            continue;
        find_group group = find_group_new(find);
        find_group_add(find, &group, j);
        find_quote_value(column, column->mixed[0], one);
        find_quote_value(column, column->mixed[1], two);
        if (find_group_there(find, &group))
            find_put(find, "reading", "ignore", group.options.data,
                     "Column %s has numbers in several notations, such as '%s' and '%s'. Rewrite "
                     "them in one, or leave the column out.",
                     group.names.data, one, two);
        find->told[j] = FIND_IGNORED;
        find_group_free(&group);
    }
}

/* Columns in which part of the numbers have a percent sign. */
static void find_signless(finder *find)
{
    for (uint64_t j = 0; j < find->profile->totals.columns; j++) {
        const hsp__column_profile *column = find_column(find, j);
        char value[HSP__QUOTED], line[32] = "";
        if (!find_is_number(find, j) || !column->percent || !column->signless) continue;
        find_group group = find_group_new(find);
        find_group_add(find, &group, j);
        find_quote_value(column, column->signless_at, value);
        if (column->digit_line && column->digit_value == column->signless_at &&
            find->profile->source->parts == 1)
            snprintf(line, sizeof line, " in line %llu", (unsigned long long)column->digit_line);
        if (find_group_there(find, &group))
            find_put(find, "reading", "ignore", group.options.data,
                     "In column %s, %s%llu number%s lack%s the percent sign that others have, such "
                     "as '%s'%s. Write it in all or in none, or leave the column out.",
                     group.names.data, column->others ? "at least " : "",
                     (unsigned long long)column->signless, column->signless == 1 ? "" : "s",
                     column->signless == 1 ? "s" : "", value, line);
        find->told[j] = FIND_IGNORED;
        find_group_free(&group);
    }
}

/* Is it a column of dates of which nothing is known yet? */
static int find_is_date(const finder *find, uint64_t j)
{
    return j != find->profile->totals.label && !find->told[j] &&
           find_column(find, j)->content == HSP__CONTENT_DATE;
}

/* One finding per pattern. */
static void find_dates(finder *find)
{
    const uint64_t columns = find->profile->totals.columns;
    for (uint64_t first = 0; first < columns; first++) {
        if (!find_is_date(find, first)) continue;
        const char *pattern = find_column(find, first)->date;
        uint64_t earlier = 0;
        while (earlier < first &&
               !(find_is_date(find, earlier) && find_column(find, earlier)->date == pattern))
            earlier++;
        if (earlier < first) continue;
        find_group group = find_group_new(find);
        for (uint64_t j = first; j < columns; j++)
            if (find_is_date(find, j) && find_column(find, j)->date == pattern)
                find_group_add(find, &group, j);
        hsp__text_printf(&group.options, "=%s", pattern);
        if (find_group_there(find, &group))
            find_put(find, "reading", "date", group.options.data, "Column%s %s hold%s dates.",
                     group.count == 1 ? "" : "s", group.names.data, group.count == 1 ? "s" : "");
        find_group_free(&group);
    }
}

/* Is there a notation that reads both columns? */
static int find_together(const hsp__column_profile *one, const hsp__column_profile *two)
{
    const hsp__number_format *format;
    for (size_t i = 0; (format = hsp__profile_format(i, one->decimal_comma)); i++)
        if (hsp__notation_fits(one, format, 0) && hsp__notation_fits(two, format, 0)) return 1;
    return 0;
}

/* The sentence on columns whose numbers the table's notation does not fit, of which j is the first. */
static void find_put_otherwise(finder *find, const find_group *otherwise, uint64_t j,
                               const hsp__number_format *notation)
{
    const hsp__column_profile *column = find_column(find, j), *same = NULL;
    const int one = otherwise->count == 1;
    const int given = find_is_set(find, "decimal") || find_is_set(find, "thousands");
    char value[HSP__QUOTED], other[HSP__QUOTED + 8] = "";
    find_group group = find_group_new(find);
    for (uint64_t k = 0; !given && k < find->profile->totals.columns; k++) {
        if (!find_is_number(find, k) || find_together(find_column(find, k), column)) continue;
        find_group_add(find, &group, k);
        if (!same) same = find_column(find, k);
    }
    find_quote_value(column, hsp__column_profile_otherwise(column, notation), value);
    if (find_group_there(find, &group) && same) {
        char quoted[HSP__QUOTED];
        find_quote_value(same, hsp__column_profile_otherwise(same, &column->format), quoted);
        snprintf(other, sizeof other, " ('%s')", quoted);
    }
    find_put(
        find, "reading", "ignore", otherwise->options.data,
        "Column%s %s write%s numbers in another notation ('%s') than %s%s%s. One set of options "
        "reads one notation: rewrite the column%s, or leave %s out.",
        one ? "" : "s", otherwise->names.data, one ? "s" : "", value,
        given              ? "the options say"
        : !group.count     ? "the other columns"
        : group.count == 1 ? "column "
                           : "columns ",
        group.count ? group.names.data : "", other, one ? "" : "s", one ? "it" : "them");
    find_group_free(&group);
}

/* Numbers such as 1,200 and 500 with a decimal comma: they look like thousands. */
static void find_ambiguous(finder *find, const hsp__number_format *notation)
{
    hsp__number_format swapped = *notation;
    swapped.thousands = notation->decimal;
    swapped.decimal = notation->decimal == ',' ? '.' : ',';
    for (uint64_t j = 0; j < find->profile->totals.columns; j++) {
        const hsp__column_profile *column = find_column(find, j);
        char name[HSP__QUOTED], example[HSP__QUOTED];
        int whole = 0;
        double value;
        if (!find_is_number(find, j) || !hsp__column_profile_holds(column, notation->decimal) ||
            !hsp__column_profile_reads(column, &swapped))
            continue;
        for (uint32_t v = 0; !whole && v < column->values.count; v++)
            whole = !strchr(hsp__names_get(&column->values, v), notation->decimal) &&
                    hsp__column_profile_value(column, v, &value) && fabs(value) >= FIND_THOUSANDS;
        if (!whole) continue;
        find_quote_value(column, hsp__column_profile_otherwise(column, &swapped), example);
        find_put(find, NULL, NULL, NULL,
                 "Column %s is ambiguous: the %s in '%s' is read as the decimal sign, but three "
                 "digits are behind it in all values that have one, as between thousands.",
                 hsp__quote(find_name(find, j), strlen(find_name(find, j)), name),
                 notation->decimal == ',' ? "comma" : "point", example);
    }
}

/* The notation of the table's numbers, and the columns that it does not fit. */
static void find_notation(finder *find)
{
    static const struct {
        char sign;
        const char *value, *with;
    } signs[] = {{',', ",", "a comma"},
                 {'.', "point", "a point"},
                 {' ', "space", "a space"},
                 {'\'', "apostrophe", "an apostrophe"}};
    const uint64_t columns = find->profile->totals.columns;
    find_group otherwise = find_group_new(find), decimal = find_group_new(find),
               thousands = find_group_new(find);
    uint64_t first = columns;
    for (uint64_t j = 0; j < columns; j++)
        find->fits[j] = (unsigned char)find_is_number(find, j);
    const hsp__number_format notation = hsp__notation_choose(
        find->profile, find_is_set(find, "decimal"), find_is_set(find, "thousands"), find->fits);
    hsp__number_format ungrouped = notation;
    ungrouped.thousands = 0;
    for (uint64_t j = 0; j < columns; j++) {
        hsp__column_profile *column = find_column(find, j);
        if (!find_is_number(find, j)) continue;
        if (!find->fits[j]) {
            find_group_add(find, &otherwise, j);
            find->told[j] = FIND_IGNORED;
            if (first == columns) first = j;
            continue;
        }
        if (column->format.decimal != notation.decimal &&
            hsp__column_profile_otherwise(column, &notation) != HSP__NAME_NONE &&
            !hsp__column_profile_reread(column, &notation))
            find->status = hsp__fail_memory(find->err);
        if (notation.decimal == ',' && hsp__column_profile_holds(column, ','))
            find_group_add(find, &decimal, j);
        if (notation.thousands && !hsp__column_profile_reads(column, &ungrouped))
            find_group_add(find, &thousands, j);
    }
    if (find_group_there(find, &otherwise)) find_put_otherwise(find, &otherwise, first, &notation);
    if (find_group_there(find, &decimal) && !find_is_set(find, "decimal"))
        find_put(find, "reading", "decimal", ",", "Numbers of column%s %s have a decimal comma.",
                 decimal.count == 1 ? "" : "s", decimal.names.data);
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (signs[s].sign == notation.thousands && !find_is_set(find, "thousands") &&
            find_group_there(find, &thousands))
            find_put(find, "reading", "thousands", signs[s].value,
                     "Numbers of column%s %s have %s between thousands.",
                     thousands.count == 1 ? "" : "s", thousands.names.data, signs[s].with);
    find_ambiguous(find, &notation);
    find_group_free(&otherwise);
    find_group_free(&decimal);
    find_group_free(&thousands);
}

/* ---- Missing values -------------------------------------------------------------------------- */

/* A column that is read: not ignored, by the options or by advice. */
static int find_is_read(const finder *find, uint64_t j)
{
    const hsp__column_profile *column = find_column(find, j);
    return j == find->profile->totals.label ||
           (find->told[j] != FIND_IGNORED && !find_is_id(column) && !find_is_text(column) &&
            !find_is_useless(column));
}

/* Is it a text that --na could declare missing: "none" among words, or one of a few words among numbers
 * or dates? */
static int find_is_mark(const hsp__column_profile *column, uint32_t v, uint32_t misfits)
{
    const char *text = hsp__names_get(&column->values, v);
    const size_t size = hsp__names_size(&column->values, v);
    const hsp__mark mark = hsp__cell_mark(column->rules, text, size);
    double value;
    if (mark) return !hsp__column_profile_absent(column, v);
    return misfits && misfits <= FIND_MARKS && size <= HSP__MARK_BYTES && !strpbrk(text, ",\"") &&
           !hsp__column_profile_value(column, v, &value);
}

/* The marks of one column, but those that are labels, into `marks`; 1: there are some. */
static int find_column_marks(finder *find, uint64_t j, hsp__names *marks)
{
    const hsp_profile *profile = find->profile;
    const hsp__column_profile *column = find_column(find, j);
    const int values =
        column->content == HSP__CONTENT_NUMBER || column->content == HSP__CONTENT_DATE;
    uint32_t misfits = 0, number;
    int some = 0;
    double value;
    for (uint32_t v = 0; values && column->misfits && v < column->values.count; v++)
        misfits +=
            !hsp__column_profile_absent(column, v) && !hsp__column_profile_value(column, v, &value);
    for (uint32_t v = 0; v < column->values.count; v++) {
        const char *text = hsp__names_get(&column->values, v);
        const size_t size = hsp__names_size(&column->values, v);
        if (!find_is_mark(column, v, misfits)) continue;
        if (profile->totals.label != UINT64_MAX &&
            hsp__names_find(&find_column(find, profile->totals.label)->values, text, size) !=
                HSP__NAME_NONE)
            continue;
        if (!hsp__names_add(marks, text, size, &number)) find->status = hsp__fail_memory(find->err);
        some = 1;
    }
    return some;
}

/* Marks for missing values that reading does not take for such by itself. */
static void find_marks(finder *find)
{
    hsp__names marks;
    hsp__text value;
    find_group group = find_group_new(find);
    hsp__names_init(&marks, &find->profile->memory);
    hsp__text_init(&value, &find->profile->memory);
    for (uint64_t j = 0; j < find->profile->totals.columns; j++)
        if (j != find->profile->totals.label && find_is_read(find, j) &&
            find_column_marks(find, j, &marks)) {
            find_group_add(find, &group, j);
            find->marked[j] = 1;
        }
    for (uint32_t m = 0; m < marks.count; m++)
        hsp__text_printf(&value, "%s%s", m ? "," : "", hsp__names_get(&marks, m));
    if (value.failed) find->status = hsp__fail_memory(find->err);
    if (find_group_there(find, &group) && value.size)
        find_put(find, "reading", "na", value.data,
                 "Column%s %s ha%s texts that probably mark missing values: %s.",
                 group.count == 1 ? "" : "s", group.names.data, group.count == 1 ? "s" : "ve",
                 value.data);
    hsp__text_free(&value);
    hsp__names_free(&marks);
    find_group_free(&group);
}

static void find_missing(finder *find)
{
    find_group group = find_group_new(find);
    uint64_t worst = 0, cells = 0;
    for (uint64_t j = 0; j < find->profile->totals.columns; j++) {
        const hsp__column_profile *column = find_column(find, j);
        const int category = column->content == HSP__CONTENT_CATEGORY;
        uint64_t gaps = column->missing;
        if (find->marked[j]) gaps += category ? column->marks[HSP__MARK_NUMBERS] : column->misfits;
        if (!gaps || !find_is_read(find, j)) continue;
        find_group_add(find, &group, j);
        cells += gaps;
        if (gaps > worst) worst = gaps;
    }
    if (find_group_there(find, &group) && !hsp_options_is_set(find->read, "missing")) {
        const uint64_t rows = find_column(find, 0)->cells;
        find_put(find, "reading", "missing", 5 * worst > rows ? "indicator" : "mean",
                 "%llu value%s %s missing, in column%s %s.", (unsigned long long)cells,
                 cells == 1 ? "" : "s", cells == 1 ? "is" : "are", group.count == 1 ? "" : "s",
                 group.names.data);
    }
    find_group_free(&group);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* " of FILE" if there are several files. */
static const char *find_of_file(const finder *find, uint32_t part, char of[HSP__QUOTED + 4])
{
    const hsp__source *source = find->profile->source;
    char name[HSP__QUOTED];
    const char *file = source->part_names[part];
    *of = 0;
    if (source->parts > 1)
        snprintf(of, HSP__QUOTED + 4, " of %s", hsp__quote(file, strlen(file), name));
    return of;
}

static void find_rows(finder *find)
{
    const hsp_profile_totals *totals = &find->profile->totals;
    char of[HSP__QUOTED + 4];
    if (!totals->rows) find_put(find, NULL, NULL, NULL, "There are no rows below the header.");
    if (totals->columns == 1)
        find_put(find, NULL, NULL, NULL,
                 "There is one column only: nothing to learn from. If fields are separated by "
                 "another character than comma, semicolon, tab or pipe, name it with --separator.");
    if (totals->ragged)
        find_put(
            find, "reading", "on-error", "skip",
            "%llu row%s not have %llu fields, as the first line has; the first is in line %llu%s.",
            (unsigned long long)totals->ragged, totals->ragged == 1 ? " does" : "s do",
            (unsigned long long)totals->columns, (unsigned long long)totals->ragged_line,
            find_of_file(find, find->profile->ragged_part, of));
    if (totals->misquoted)
        find_put(find, "reading", "on-error", "skip",
                 "%llu row%s a quote that is out of place; the first is in line %llu%s.",
                 (unsigned long long)totals->misquoted, totals->misquoted == 1 ? " has" : "s have",
                 (unsigned long long)totals->misquoted_line,
                 find_of_file(find, find->profile->misquoted_part, of));
}

/* Values that differ only in case. */
static void find_alike(finder *find)
{
    find_group group = find_group_new(find);
    char one[HSP__QUOTED] = "", two[HSP__QUOTED] = "";
    for (uint64_t j = 0; !find_is_set(find, "ignore-case") && j < find->profile->totals.columns;
         j++) {
        const hsp__column_profile *column = find_column(find, j);
        if (column->alike[0] == HSP__NAME_NONE || !find_is_read(find, j)) continue;
        find_group_add(find, &group, j);
        find_quote_value(column, column->alike[0], one);
        find_quote_value(column, column->alike[1], two);
    }
    find->folds = group.count || find->profile->rules.ignore_case;
    if (find_group_there(find, &group))
        find_put(find, "reading", "ignore-case", "yes",
                 "Values of column%s %s differ only in case, such as '%s' and '%s'.",
                 group.count == 1 ? "" : "s", group.names.data, one, two);
    find_group_free(&group);
}

static void find_scales(finder *find)
{
    double wide = 0, narrow = HUGE_VAL;
    uint64_t wide_at = 0, narrow_at = 0;
    char one[HSP__QUOTED], two[HSP__QUOTED];
    for (uint64_t j = 0; j < find->profile->totals.columns; j++) {
        const hsp__column_profile *column = find_column(find, j);
        const int values =
            column->content == HSP__CONTENT_NUMBER || column->content == HSP__CONTENT_DATE;
        if (j == find->profile->totals.label || !find_is_read(find, j)) continue;
        const double range = values ? column->most - column->least : 1;
        if (!(range > 0)) continue;
        if (range > wide) wide = range, wide_at = j;
        if (range < narrow) narrow = range, narrow_at = j;
    }
    if (wide < narrow * FIND_SCALES) return;
    const char *wide_name = find_name(find, wide_at), *narrow_name = find_name(find, narrow_at);
    find_put(find, "training", "scale", "standard",
             "The columns differ widely in range: column %s spans %.6g, column %s%s %.6g.",
             hsp__quote(wide_name, strlen(wide_name), one), wide,
             hsp__quote(narrow_name, strlen(narrow_name), two),
             find_column(find, narrow_at)->content == HSP__CONTENT_CATEGORY ? ", a category," : "",
             narrow);
}

hsp_status hsp__profile_find(hsp_profile *profile, const hsp_options *read, hsp_error *err)
{
    finder find = {.profile = profile, .read = read, .err = err};
    find.told = hsp__new(&profile->memory, 3 * profile->totals.columns, 1);
    if (!find.told) return hsp__fail_memory(err);
    find.marked = find.told + profile->totals.columns;
    find.fits = find.marked + profile->totals.columns;
    find_told(&find);
    find_rows(&find);
    if (profile->totals.label != UINT64_MAX && profile->totals.rows) find_label_column(&find);
    if (profile->totals.rows) {
        find_mixed(&find);
        find_columns(&find, find_is_id, "ignore", "is an id, which tells nothing about other rows",
                     "are ids, which tell nothing about other rows");
        const char *words = find_has_option(read, "hash") ? "hash" : "ignore";
        find_columns(&find, find_is_text, words, "is free text", "are free text");
        if (!find_is_set(&find, "max-categories"))
            find_columns(&find, find_is_various, words,
                         "has more than 100 categories, each of which becomes a feature",
                         "have more than 100 categories, each of which becomes a feature");
        find_columns(&find, find_is_code, "categorical",
                     "has numbers of one length with leading zeros: codes, not amounts",
                     "have numbers of one length with leading zeros: codes, not amounts");
        find_columns(&find, find_is_various_code, words,
                     "has numbers of one length with leading zeros: codes, more than 100",
                     "have numbers of one length with leading zeros: codes, more than 100");
        find_columns(&find, find_is_useless, "ignore", "has the same value in all rows",
                     "have the same value in all rows");
        find_dates(&find);
        find_signless(&find);
        find_notation(&find);
        find_columns(&find, find_is_currency, "currency", "has numbers with a currency sign",
                     "have numbers with a currency sign");
        find_columns(&find, find_is_percent, "percent", "has numbers with a percent sign",
                     "have numbers with a percent sign");
        find_marks(&find);
        find_missing(&find);
        find_alike(&find);
        if (profile->totals.label != UINT64_MAX) find_labels(&find);
        find_scales(&find);
    }
    hsp__free(&profile->memory, find.told);
    return find.status;
}

hsp_status hsp_profile_advise(const hsp_profile *profile, hsp_options *read, hsp_error *err)
{
    HSP__NEED(err, profile, read);
    const hsp_option_table *table = hsp_options_table(read);
    for (size_t k = 0; k < table->count; k++) {
        const hsp_option *option = &table->options[k];
        const int set = hsp_options_is_set(read, option->name) && option->type != HSP_OPTION_LIST;
        for (uint64_t i = 0; !set && i < profile->count; i++) {
            const hsp_finding *finding = &profile->findings[i];
            if (finding->option && strcmp(finding->use, "reading") == 0 &&
                strcmp(finding->option, option->name) == 0)
                HSP__TRY(hsp_options_set(read, option->name, finding->value, err));
        }
    }
    return HSP_OK;
}
