/* Options by name: text in, typed values out. What an option is stands in its table; this file
 * checks the text against it, and says in a sentence what was found and what was expected. */
#include "base/options.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/text.h"

typedef struct options_value {
    int set; /* by the user, not from the table's default */
    int flag;
    int64_t integer;
    double real;
    char *text;   /* owned, or NULL */
    char **items; /* count of them, all owned */
    uint64_t count, room;
} options_value;

struct hsp_options {
    hsp_allocator memory;
    const hsp_option_table *table;
    options_value *values; /* table->count, in the table's order */
};

/* ---- Names that are nearly right ---- */

#define NEAREST_LONGEST 48

/* How many single slips (a letter too many, missing, wrong, or two neighbours exchanged) lie
 * between two words of at most NEAREST_LONGEST letters. row[k][j]: between the first i - k letters
 * of a and the first j of b. */
static int nearest_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int row[3][NEAREST_LONGEST + 1] = {{0}};
    for (size_t j = 0; j <= b_size; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        memcpy(row[2], row[1], sizeof row[1]);
        memcpy(row[1], row[0], sizeof row[0]);
        row[0][0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int best = row[1][j - 1] + (a[i - 1] != b[j - 1]);
            if (best > row[1][j] + 1) best = row[1][j] + 1;
            if (best > row[0][j - 1] + 1) best = row[0][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                best > row[2][j - 2] + 1)
                best = row[2][j - 2] + 1;
            row[0][j] = best;
        }
    }
    return row[0][b_size];
}

const char *hsp_nearest(const char *word, const char *const *words, size_t count)
{
    if (!word || !words) return NULL;
    const size_t size = strlen(word);
    const char *nearest = NULL;
    if (size == 0 || size > NEAREST_LONGEST) return NULL;
    int least = 1 + (int)size / 3; /* what is farther than this is another word */
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(words[i]);
        if (size >= 2 && other > size && memcmp(words[i], word, size) == 0) return words[i];
        if (other > NEAREST_LONGEST) continue;
        int distance = nearest_distance(word, size, words[i], other);
        if (distance < least || (distance == least && !nearest && (size_t)distance < size)) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

/* ---- Numbers ---- */

/* min = max: no bounds. A bound that 64 bits, or a double, can hardly reach goes without saying. */
static int options_bounded(const hsp_option *option, double bound)
{
    const double reach = option->type == HSP_OPTION_REAL ? 1e300 : 0x1p63;
    return option->min < option->max && bound > -reach && bound < reach;
}

/* ---- Sentences ---- */

static hsp_status options_fail(const char *name, hsp_error *err, const char *found,
                               const char *expected)
{
    char place[sizeof err->file], quoted[HSP__QUOTED];
    snprintf(place, sizeof place, "--%s", name);
    if (!found) return hsp__fail_at(err, HSP_USAGE, place, 0, 0, "%s", expected);
    return hsp__fail_at(err, HSP_USAGE, place, 0, 0, "found '%s', expected %s",
                        hsp__quote(found, strlen(found), quoted), expected);
}

/* Take the finished sentence out of `text`, or say that there was no memory for it. */
static hsp_status options_fail_text(const char *name, hsp_error *err, const char *found,
                                    hsp__text *text)
{
    hsp_status status =
        text->failed ? hsp__fail_memory(err) : options_fail(name, err, found, text->data);
    hsp__text_free(text);
    return status;
}

static hsp_status options_fail_number(const hsp_options *options, const hsp_option *option,
                                      const char *value, hsp_error *err)
{
    hsp__text text;
    char low[HSP__DECIMAL_MAX], high[HSP__DECIMAL_MAX];
    int above = options_bounded(option, option->max), below = options_bounded(option, option->min);
    hsp__decimal_print_f64(option->min, low);
    hsp__decimal_print_f64(option->max, high);
    hsp__text_init(&text, &options->memory);
    if (option->choices) { /* the word stands for the least value, which digits do not say */
        hsp__decimal_print_f64(option->min + 1, low);
        hsp__text_printf(&text, "%s or ", option->choices);
    }
    hsp__text_puts(&text, option->type == HSP_OPTION_INTEGER ? "a whole number" : "a number");
    if (above && below)
        hsp__text_printf(&text, " between %s and %s", low, high);
    else if (below)
        hsp__text_printf(&text, " of at least %s", low);
    else if (above)
        hsp__text_printf(&text, " of at most %s", high);
    return options_fail_text(option->name, err, value, &text);
}

static hsp_status options_fail_name(const hsp_options *options, const char *name, hsp_error *err)
{
    const hsp_option_table *table = options->table;
    const char **names = hsp__new(&options->memory, table->count, sizeof *names);
    if (!names) return hsp__fail_memory(err);
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->options[i].name;
    const char *nearest = hsp_nearest(name, names, table->count);
    hsp__free(&options->memory, names);
    hsp__text text;
    hsp__text_init(&text, &options->memory);
    hsp__text_puts(&text, "there is no such option");
    if (nearest) hsp__text_printf(&text, "; did you mean --%s?", nearest);
    return options_fail_text(name, err, NULL, &text);
}

/* The next word of "a|b|c", from *rest on; its size is 0 past the last. */
static const char *options_next_choice(const char **rest, size_t *size)
{
    const char *word = *rest, *bar = strchr(word, '|');
    *size = bar ? (size_t)(bar - word) : strlen(word);
    *rest = bar ? bar + 1 : word + *size;
    return word;
}

static hsp_status options_fail_choice(const hsp_options *options, const hsp_option *option,
                                      const char *value, hsp_error *err)
{
    hsp__text text;
    size_t size;
    const char *rest = option->choices, *word = options_next_choice(&rest, &size);
    hsp__text_init(&text, &options->memory);
    hsp__text_add(&text, word, size);
    while (word = options_next_choice(&rest, &size), size) {
        hsp__text_puts(&text, *rest ? ", " : " or ");
        hsp__text_add(&text, word, size);
    }
    return options_fail_text(option->name, err, value, &text);
}

/* ---- Setting ---- */

static hsp_status options_set_number(const hsp_options *options, const hsp_option *option,
                                     options_value *slot, const char *value, hsp_error *err)
{
    const int word = option->choices && strcmp(value, option->choices) == 0;
    const char *end = value + strlen(value);
    int64_t integer = 0;
    double real = option->min;
    int good = 1;
    if (word) {
        integer = (int64_t)real;
    } else if (option->type == HSP_OPTION_INTEGER) {
        good = hsp__decimal_whole(value, end, &integer);
        real = (double)integer;
    } else {
        hsp__decimal_result result;
        good = hsp__decimal_f64(value, end, &real, &result) == end && result == HSP__DECIMAL_OK;
    }
    if (!good || (options_bounded(option, option->min) && !(real >= option->min)) ||
        (options_bounded(option, option->max) && !(real <= option->max)) ||
        (option->choices && !word && real == option->min))
        return options_fail_number(options, option, value, err);
    slot->integer = integer;
    slot->real = real;
    return HSP_OK;
}

static int options_is_choice(const hsp_option *option, const char *value)
{
    size_t size, wanted = strlen(value);
    const char *rest = option->choices;
    for (;;) {
        const char *word = options_next_choice(&rest, &size);
        if (size == 0) return 0;
        if (size == wanted && memcmp(word, value, size) == 0) return 1;
    }
}

static hsp_status options_set_text(hsp_options *options, options_value *slot, const char *value,
                                   hsp_error *err)
{
    char *copy = hsp__copy_text(&options->memory, value, strlen(value));
    if (!copy) return hsp__fail_memory(err);
    hsp__free(&options->memory, slot->text);
    slot->text = copy;
    return HSP_OK;
}

static hsp_status options_add_item(hsp_options *options, options_value *slot, const char *value,
                                   hsp_error *err)
{
    char *copy = NULL;
    if (hsp__reserve(&options->memory, &slot->items, &slot->room, slot->count + 1,
                     sizeof *slot->items))
        copy = hsp__copy_text(&options->memory, value, strlen(value));
    if (!copy) return hsp__fail_memory(err);
    slot->items[slot->count++] = copy;
    return HSP_OK;
}

static hsp_status options_store(hsp_options *options, size_t i, const char *value, hsp_error *err)
{
    const hsp_option *option = &options->table->options[i];
    options_value *slot = &options->values[i];
    switch (option->type) {
    case HSP_OPTION_FLAG: {
        const int yes =
            strcmp(value, "yes") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        if (!yes && strcmp(value, "no") != 0 && strcmp(value, "false") != 0 &&
            strcmp(value, "0") != 0)
            return options_fail(option->name, err, value, "yes or no");
        slot->flag = yes;
        return HSP_OK;
    }
    case HSP_OPTION_INTEGER:
    case HSP_OPTION_REAL:
        return options_set_number(options, option, slot, value, err);
    case HSP_OPTION_CHOICE:
        if (!options_is_choice(option, value))
            return options_fail_choice(options, option, value, err);
        return options_set_text(options, slot, value, err);
    case HSP_OPTION_TEXT:
        return options_set_text(options, slot, value, err);
    case HSP_OPTION_LIST:
        return options_add_item(options, slot, value, err);
    }
    assert(!"an option of an unknown type");
    return HSP_USAGE;
}

/* The place of a name in the table; the table's count when it is not there. */
static size_t options_find(const hsp_options *options, const char *name)
{
    size_t i = 0;
    while (i < options->table->count && strcmp(options->table->options[i].name, name) != 0)
        i++;
    return i;
}

hsp_status hsp_options_set(hsp_options *options, const char *name, const char *value,
                           hsp_error *err)
{
    HSP__NEED(err, options, name, value);
    size_t i = options_find(options, name);
    if (i == options->table->count) return options_fail_name(options, name, err);
    hsp_status status = options_store(options, i, value, err);
    if (status == HSP_OK) options->values[i].set = 1;
    return status;
}

/* Set an option of one of the types from `first` to `last`; HSP_USAGE with the right call for another. */
static hsp_status options_set_typed(hsp_options *options, const char *name, hsp_option_type first,
                                    hsp_option_type last, const char *value, hsp_error *err)
{
    static const char *const right[] = {
        "the option is a flag: set it with hsp_options_set_flag",
        "the option is a whole number: set it with hsp_options_set_integer",
        "the option is a number: set it with hsp_options_set_real",
        "the option is one of several words: set it with hsp_options_set_text",
        "the option is a text: set it with hsp_options_set_text",
        "the option is a list of texts: add each with hsp_options_set_text"};
    const size_t i = options_find(options, name);
    if (i == options->table->count) return options_fail_name(options, name, err);
    const hsp_option_type type = options->table->options[i].type;
    if (type < first || type > last) return options_fail(name, err, NULL, right[type]);
    return hsp_options_set(options, name, value, err);
}

hsp_status hsp_options_set_real(hsp_options *options, const char *name, double value,
                                hsp_error *err)
{
    HSP__NEED(err, options, name);
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, text);
    return options_set_typed(options, name, HSP_OPTION_REAL, HSP_OPTION_REAL, text, err);
}

hsp_status hsp_options_set_integer(hsp_options *options, const char *name, int64_t value,
                                   hsp_error *err)
{
    HSP__NEED(err, options, name);
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_i64(value, text);
    return options_set_typed(options, name, HSP_OPTION_INTEGER, HSP_OPTION_REAL, text, err);
}

hsp_status hsp_options_set_flag(hsp_options *options, const char *name, int value, hsp_error *err)
{
    HSP__NEED(err, options, name);
    return options_set_typed(options, name, HSP_OPTION_FLAG, HSP_OPTION_FLAG, value ? "yes" : "no",
                             err);
}

hsp_status hsp_options_set_text(hsp_options *options, const char *name, const char *value,
                                hsp_error *err)
{
    HSP__NEED(err, options, name, value);
    return options_set_typed(options, name, HSP_OPTION_CHOICE, HSP_OPTION_LIST, value, err);
}

hsp_status hsp__options_set_word(hsp_options *options, const char *name, const char *word,
                                 hsp_error *err)
{
    size_t i = options_find(options, name);
    assert(i < options->table->count && options->table->options[i].type == HSP_OPTION_CHOICE);
    hsp_status status = options_set_text(options, &options->values[i], word, err);
    if (status == HSP_OK) options->values[i].set = 1;
    return status;
}

static hsp_status options_copy_value(hsp_options *to, options_value *slot,
                                     const options_value *from, hsp_error *err)
{
    for (uint64_t k = 0; k < from->count; k++)
        HSP__TRY(options_add_item(to, slot, from->items[k], err));
    if (from->text) HSP__TRY(options_set_text(to, slot, from->text, err));
    slot->set = from->set;
    slot->flag = from->flag;
    slot->integer = from->integer;
    slot->real = from->real;
    return HSP_OK;
}

hsp_status hsp__options_copy(hsp_options *to, const hsp_options *from, const char *name,
                             hsp_error *err)
{
    const size_t i = options_find(from, name), k = options_find(to, name);
    assert(i < from->table->count && k < to->table->count);
    assert(from->table->options[i].type == to->table->options[k].type);
    HSP__TRY(options_copy_value(to, &to->values[k], &from->values[i], err));
    to->values[k].set = 1;
    return HSP_OK;
}

const char *hsp__option_word(const hsp_option *option, int64_t value)
{
    return option->type == HSP_OPTION_INTEGER && option->choices && (double)value == option->min
               ? option->choices
               : NULL;
}

/* ---- The object ---- */

/* One block: the object, and its values behind it; NULL when there is no memory. */
static hsp_options *options_empty(hsp_context *ctx, const hsp_option_table *table)
{
    hsp_options *options =
        hsp__new(&ctx->allocator, 1, sizeof *options + table->count * sizeof *options->values);
    if (options) *options = (hsp_options){ctx->allocator, table, (options_value *)(options + 1)};
    return options;
}

hsp_status hsp_options_new(hsp_context *ctx, const hsp_option_table *table, hsp_error *err,
                           hsp_options **out)
{
    HSP__NEED(err, ctx, table, out);
    hsp_options *options = options_empty(ctx, table);
    hsp_status status = options ? HSP_OK : hsp__fail_memory(err);
    for (size_t i = 0; !status && i < table->count; i++)
        if (table->options[i].fallback)
            status = options_store(options, i, table->options[i].fallback, err);
    HSP__GIVE(status, options, hsp_options_free, out);
}

static void options_clear(const hsp_allocator *memory, options_value *slot)
{
    for (uint64_t k = 0; k < slot->count; k++)
        hsp__free(memory, slot->items[k]);
    hsp__free(memory, slot->items);
    hsp__free(memory, slot->text);
    *slot = (options_value){0};
}

hsp_status hsp__options_reset(hsp_options *options, const char *name, hsp_error *err)
{
    const size_t i = options_find(options, name);
    assert(i < options->table->count);
    options_clear(&options->memory, &options->values[i]);
    const char *fallback = options->table->options[i].fallback;
    return fallback ? options_store(options, i, fallback, err) : HSP_OK;
}

void hsp_options_free(hsp_options *options)
{
    if (!options) return;
    hsp_allocator memory = options->memory;
    for (size_t i = 0; i < options->table->count; i++)
        options_clear(&memory, &options->values[i]);
    hsp__free(&memory, options);
}

hsp_status hsp_options_copy(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                            hsp_options **out)
{
    HSP__NEED(err, ctx, options, out);
    hsp_options *copy = options_empty(ctx, options->table);
    hsp_status status = copy ? HSP_OK : hsp__fail_memory(err);
    for (size_t i = 0; !status && i < copy->table->count; i++)
        status = options_copy_value(copy, &copy->values[i], &options->values[i], err);
    HSP__GIVE(status, copy, hsp_options_free, out);
}

const hsp_option_table *hsp_options_table(const hsp_options *options)
{
    return options ? options->table : NULL;
}

/* ---- The values back ---- */

static const options_value *options_get(const hsp_options *options, const char *name,
                                        hsp_option_type type, hsp_option_type or_type)
{
    static const options_value nothing;
    size_t i = options_find(options, name);
    int right = i < options->table->count && (options->table->options[i].type == type ||
                                              options->table->options[i].type == or_type);
    assert(right && "an option that the table does not have, or of another type");
    return right ? &options->values[i] : &nothing;
}

int hsp_options_is_set(const hsp_options *options, const char *name)
{
    if (!options || !name) return 0;
    size_t i = options_find(options, name);
    assert(i < options->table->count && "an option that the table does not have");
    return i < options->table->count && options->values[i].set;
}

/* What users ask for by name; `other` without options or a name. */
#define OPTIONS_GET(result, call, type, or_type, member, other)                             \
    result call(const hsp_options *options, const char *name)                               \
    {                                                                                       \
        return options && name ? options_get(options, name, type, or_type)->member : other; \
    }

OPTIONS_GET(int, hsp_options_flag, HSP_OPTION_FLAG, HSP_OPTION_FLAG, flag, 0)
OPTIONS_GET(int64_t, hsp_options_integer, HSP_OPTION_INTEGER, HSP_OPTION_INTEGER, integer, 0)
OPTIONS_GET(double, hsp_options_real, HSP_OPTION_REAL, HSP_OPTION_REAL, real, (double)NAN)
OPTIONS_GET(const char *, hsp_options_text, HSP_OPTION_TEXT, HSP_OPTION_CHOICE, text, NULL)
OPTIONS_GET(size_t, hsp_options_list_count, HSP_OPTION_LIST, HSP_OPTION_LIST, count, 0)

const char *hsp_options_list_item(const hsp_options *options, const char *name, size_t i)
{
    if (!options || !name) return NULL;
    const options_value *slot = options_get(options, name, HSP_OPTION_LIST, HSP_OPTION_LIST);
    assert(i < slot->count);
    return slot->items[i];
}
