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

/* Ranges of capital letters, and how far their small letters are behind them. `pairs`: every other
 * letter from the first on is a capital, the next one its small letter. */
static const struct {
    unsigned first, last;
    int step, pairs;
} cells_capitals[] = {
    {0x41, 0x5A, 32, 0},   {0xC0, 0xD6, 32, 0},   {0xD8, 0xDE, 32, 0},   {0x100, 0x12E, 1, 1},
    {0x132, 0x136, 1, 1},  {0x139, 0x147, 1, 1},  {0x14A, 0x176, 1, 1},  {0x178, 0x178, -121, 0},
    {0x179, 0x17D, 1, 1},  {0x200, 0x21E, 1, 1},  {0x386, 0x386, 38, 0}, {0x388, 0x38A, 37, 0},
    {0x38C, 0x38C, 64, 0}, {0x38E, 0x38F, 63, 0}, {0x391, 0x3A1, 32, 0}, {0x3A3, 0x3AB, 32, 0},
    {0x3C2, 0x3C2, 1, 0},  {0x400, 0x40F, 80, 0}, {0x410, 0x42F, 32, 0}, {0x460, 0x480, 1, 1},
    {0x48A, 0x4BE, 1, 1},  {0x4C1, 0x4CD, 1, 1},  {0x4D0, 0x52E, 1, 1},
};

void hsp__fold_case(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned c = (unsigned char)text[i];
        const unsigned next = i + 1 < size ? (unsigned char)text[i + 1] : 0;
        const int two = c >= 0xC3 && c <= 0xD4 && next >> 6 == 2; /* U+00C0 ... U+053F */
        const unsigned letter = two ? (c & 0x1F) << 6 | (next & 0x3F) : c;
        for (size_t k = 0; (two || c < 0x80) && k < sizeof cells_capitals / sizeof *cells_capitals;
             k++) {
            const unsigned first = cells_capitals[k].first;
            if (letter < first || letter > cells_capitals[k].last ||
                (cells_capitals[k].pairs && (letter - first) % 2))
                continue;
            const unsigned small = (unsigned)((int)letter + cells_capitals[k].step);
            text[i] = (char)(two ? 0xC0 | small >> 6 : small);
            if (two) text[i + 1] = (char)(0x80 | (small & 0x3F));
            break;
        }
        i += (size_t)two;
    }
}

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
