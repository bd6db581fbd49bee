#include "data/cells.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/decimal.h"

void hsp__cell_rules_init(hsp__cell_rules *rules, const hsp_allocator *memory)
{
    rules->number = (hsp__number_format){.decimal = '.'};
    hsp__names_init(&rules->marks, memory);
}

void hsp__cell_rules_free(hsp__cell_rules *rules)
{
    hsp__names_free(&rules->marks);
}

int hsp__cell_rules_copy(hsp__cell_rules *to, const hsp__cell_rules *from)
{
    to->number = from->number;
    to->ignore_case = from->ignore_case;
    return hsp__names_copy(&to->marks, &from->marks);
}

int hsp__cell_rules_plain(const hsp__cell_rules *rules)
{
    const hsp__number_format *number = &rules->number;
    return number->decimal == '.' && !number->thousands && !number->percent && !number->currency;
}

int hsp__cell_rules_numeric_marks(const hsp__cell_rules *rules)
{
    int numeric = 0;
    for (uint32_t i = 0; i < rules->marks.count; i++) {
        const char *mark = hsp__names_get(&rules->marks, i);
        double value;
        hsp__decimal_result result;
        numeric |= hsp__decimal_f64(mark, mark + strlen(mark), &value, &result) > mark;
    }
    return numeric;
}

/* ---- Options --------------------------------------------------------------------------------- */

int hsp__comma_next(const char **at, hsp__text *item)
{
    const char *p = *at;
    item->size = 0;
    hsp__text_add(item, "", 0);
    if (!p) return 0;
    p += strspn(p, " ");
    if (*p == '"') {
        for (p++; *p && (*p != '"' || p[1] == '"'); p++)
            hsp__text_add(item, p += *p == '"', 1);
        p += *p == '"';
        p += strspn(p, " ");
    }
    const size_t size = strcspn(p, ",");
    hsp__text_add(item, p, size);
    while (item->size && item->data[item->size - 1] == ' ' && size)
        item->data[--item->size] = 0;
    *at = p[size] ? p + size + 1 : NULL;
    return !item->failed;
}

/* The character that an option means, by itself or by its name, 0 for none; 0: it is not allowed. */
static int cells_sign(const char *text, const char *allowed, char *out)
{
    static const struct {
        const char *word;
        char sign;
    } words[] = {{"comma", ','},       {"point", '.'},      {"dot", '.'},  {"space", ' '},
                 {"apostrophe", '\''}, {"underscore", '_'}, {"none", '\0'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char sign[2] = {words[i].sign, 0};
        if (strcmp(text, words[i].word) != 0 && (!*sign || strcmp(text, sign) != 0)) continue;
        *out = *sign;
        return !*sign || strchr(allowed, *sign) != NULL;
    }
    return 0;
}

int hsp__cell_rules_mark(hsp__cell_rules *rules, const char *text, size_t size)
{
    char lower[HSP__MARK_BYTES];
    uint32_t number;
    assert(size <= sizeof lower);
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
    return hsp__names_add(&rules->marks, lower, size, &number);
}

static hsp_status cells_set_marks(hsp__cell_rules *rules, const hsp_options *options,
                                  hsp_error *err)
{
    hsp__text item;
    hsp_status status = HSP_OK;
    hsp__text_init(&item, &rules->marks.memory);
    for (size_t i = 0; !status && i < hsp_options_list_count(options, "na"); i++) {
        const char *at = hsp_options_list_item(options, "na", i);
        while (!status && hsp__comma_next(&at, &item))
            if (item.size > HSP__MARK_BYTES)
                status =
                    hsp__fail_option(err, "--na", "a mark has at most %d bytes", HSP__MARK_BYTES);
            else if (item.size && !hsp__cell_rules_mark(rules, item.data, item.size))
                status = hsp__fail_memory(err);
    }
    if (!status && item.failed) status = hsp__fail_memory(err);
    hsp__text_free(&item);
    return status;
}

hsp_status hsp__cell_rules_set(hsp__cell_rules *rules, const hsp_options *options, hsp_error *err)
{
    hsp__number_format *number = &rules->number;
    const char *decimal = hsp_options_text(options, "decimal");
    const char *thousands = hsp_options_text(options, "thousands");
    if (hsp_options_is_set(options, "decimal") &&
        (!cells_sign(decimal, ".,", &number->decimal) || !number->decimal))
        return hsp__fail_option(err, "--decimal", "found '%s', expected a point or a comma",
                                decimal);
    if (hsp_options_is_set(options, "thousands") &&
        !cells_sign(thousands, ",. '_", &number->thousands))
        return hsp__fail_option(
            err, "--thousands",
            "found '%s', expected comma, point, space, apostrophe, underscore or none", thousands);
    if (number->thousands == number->decimal)
        return hsp__fail_option(
            err, "--thousands",
            "'%c' is also the decimal sign; use --decimal comma with --thousands point",
            number->decimal);
    if (hsp_options_is_set(options, "percent"))
        number->percent = hsp_options_flag(options, "percent");
    if (hsp_options_is_set(options, "currency"))
        number->currency = hsp_options_flag(options, "currency");
    if (hsp_options_is_set(options, "ignore-case"))
        rules->ignore_case = hsp_options_flag(options, "ignore-case");
    return cells_set_marks(rules, options, err);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static int cells_is(const char *text, size_t size, const char *mark)
{
    return strlen(mark) == size && strncasecmp(text, mark, size) == 0;
}

hsp__mark hsp__cell_look(const hsp__cell_rules *rules, const char *text, size_t size)
{
    if (size == 0) return HSP__MARK_ALWAYS;
    if (cells_is(text, size, "?") || cells_is(text, size, "NA") || cells_is(text, size, "NaN") ||
        cells_is(text, size, "-NaN") || cells_is(text, size, "+NaN")) /* printf writes -nan */
        return HSP__MARK_ALWAYS;
    if (rules->marks.count && size <= HSP__MARK_BYTES) {
        char lower[HSP__MARK_BYTES];
        for (size_t i = 0; i < size; i++)
            lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
        if (hsp__names_find(&rules->marks, lower, size) != HSP__NAME_NONE) return HSP__MARK_GIVEN;
    }
    if (cells_is(text, size, "N/A") || cells_is(text, size, "#N/A") || cells_is(text, size, "null"))
        return HSP__MARK_USUAL;
    const int numbers = cells_is(text, size, "none") || cells_is(text, size, "-") ||
                        cells_is(text, size, "--") || cells_is(text, size, ".");
    return numbers ? HSP__MARK_NUMBERS : HSP__MARK_NONE;
}

size_t hsp__cell_number(const hsp__cell_rules *rules, const char *text, size_t size,
                        hsp__text *plain)
{
    plain->size = 0;
    char *out = hsp__text_room(plain, size + 4 + 8);
    if (!out) return 0;
    const size_t length = hsp__number_plain(text, size, &rules->number, out);
    memset(out + length, 0, 8);
    return plain->size = length;
}
