/* Options by name: text in, typed values out. What an option is stands in its table; this file
 * checks the text against it, and says in a sentence what was found and what was expected. */
#include "base/options.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
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

static int nearest_least(int a, int b)
{
    return a < b ? a : b;
}

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
            best = nearest_least(best, 1 + nearest_least(row[1][j], row[0][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = nearest_least(best, row[2][j - 2] + 1);
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

typedef enum options_read { OPTIONS_GOOD, OPTIONS_NOT_A_NUMBER, OPTIONS_TOO_LARGE } options_read;

/* The digits of a number and where its point is: digits * 10^scale. */
typedef struct options_digits {
    uint64_t digits;
    int64_t scale;
    int any, too_many;
} options_digits;

/* Zeros wait until a digit follows them: neither 0.0001 nor 1.000 takes room. */
static const char *options_read_digits(const char *p, options_digits *number)
{
    int64_t zeros = 0;
    int point = 0;
    for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = 1;
            continue;
        }
        number->any = 1;
        number->scale -= point;
        zeros++;
        if (*p == '0') continue;
        for (; zeros; zeros--)
            if (number->digits && __builtin_mul_overflow(number->digits, 10u, &number->digits))
                number->too_many = 1;
        if (__builtin_add_overflow(number->digits, (uint64_t)(*p - '0'), &number->digits))
            number->too_many = 1;
    }
    number->scale += zeros;
    return p;
}

static const char *options_read_exponent(const char *p, int64_t *exponent)
{
    int negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (*p < '0' || *p > '9') return NULL;
    for (; *p >= '0' && *p <= '9'; p++)
        if (*exponent < 1000000) *exponent = *exponent * 10 + (*p - '0');
    if (negative) *exponent = -*exponent;
    return p;
}

/* A whole number, exactly, in any decimal notation: 1000000, 1e6, 2.5e3. */
static options_read options_read_whole(const char *text, int64_t *out)
{
    options_digits number = {0};
    int64_t exponent = 0;
    int negative = *text == '-';
    const char *p = options_read_digits(text + (*text == '-' || *text == '+'), &number);
    if (number.any && (*p == 'e' || *p == 'E')) p = options_read_exponent(p + 1, &exponent);
    if (!number.any || !p || *p) return OPTIONS_NOT_A_NUMBER;
    uint64_t value = number.digits;
    int64_t scale = number.scale + exponent;
    if (value == 0) scale = 0;
    for (; scale < 0 && value % 10 == 0; scale++)
        value /= 10;
    if (scale < 0 && !number.too_many) return OPTIONS_NOT_A_NUMBER;
    for (; scale > 0 && !number.too_many; scale--)
        number.too_many = __builtin_mul_overflow(value, 10u, &value);
    if (number.too_many || value > INT64_MAX) return OPTIONS_TOO_LARGE;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return OPTIONS_GOOD;
}

static options_read options_read_real(const char *text, double *out)
{
    const char *end = text + strlen(text);
    hsp__decimal_result result;
    double value;
    const char *stop = hsp__decimal_f64(text, end, &value, &result);
    if (stop != end || result == HSP__DECIMAL_NONE) return OPTIONS_NOT_A_NUMBER;
    if (result == HSP__DECIMAL_OVERFLOW) return OPTIONS_TOO_LARGE;
    if (result != HSP__DECIMAL_OK) return OPTIONS_NOT_A_NUMBER;
    *out = value;
    return OPTIONS_GOOD;
}

/* min = max: no bounds. A bound that 64 bits, or a double, can hardly reach goes without saying. */
static double options_reach(const hsp_option *option)
{
    return option->type == HSP_OPTION_REAL ? 1e300 : 0x1p63;
}

static int options_bounded_below(const hsp_option *option)
{
    return option->min < option->max && option->min > -options_reach(option);
}

static int options_bounded_above(const hsp_option *option)
{
    return option->min < option->max && option->max < options_reach(option);
}

static int options_in_range(const hsp_option *option, double value)
{
    return (!options_bounded_below(option) || value >= option->min) &&
           (!options_bounded_above(option) || value <= option->max);
}

/* ---- Sentences ---- */

static hsp_status options_fail(const char *name, hsp_error *err, const char *found,
                               const char *expected)
{
    char place[sizeof err->file], quoted[HSP__QUOTED];
    size_t size = strlen(name), most = sizeof place - 3;
    memcpy(place, "--", 2);
    memcpy(place + 2, name, size < most ? size : most);
    place[2 + (size < most ? size : most)] = 0;
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
    int above = options_bounded_above(option), below = options_bounded_below(option);
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
    int64_t integer = 0;
    double real = 0;
    options_read read;
    const int word = option->choices && strcmp(value, option->choices) == 0;
    if (word) {
        read = OPTIONS_GOOD;
        real = option->min;
        integer = (int64_t)real;
    } else if (option->type == HSP_OPTION_INTEGER) {
        read = options_read_whole(value, &integer);
        real = (double)integer;
    } else {
        read = options_read_real(value, &real);
    }
    if (read != OPTIONS_GOOD || !options_in_range(option, real) ||
        (option->choices && !word && real == option->min))
        return options_fail_number(options, option, value, err);
    slot->integer = integer;
    slot->real = real;
    return HSP_OK;
}

static hsp_status options_set_flag(const hsp_option *option, options_value *slot, const char *value,
                                   hsp_error *err)
{
    if (strcmp(value, "yes") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
        slot->flag = 1;
    else if (strcmp(value, "no") == 0 || strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
        slot->flag = 0;
    else
        return options_fail(option->name, err, value, "yes or no");
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
    void *items = slot->items;
    char *copy = hsp__copy_text(&options->memory, value, strlen(value));
    if (!copy) return hsp__fail_memory(err);
    if (!hsp__reserve(&options->memory, &items, &slot->room, slot->count + 1,
                      sizeof *slot->items)) {
        hsp__free(&options->memory, copy);
        return hsp__fail_memory(err);
    }
    slot->items = items;
    slot->items[slot->count++] = copy;
    return HSP_OK;
}

static hsp_status options_store(hsp_options *options, size_t i, const char *value, hsp_error *err)
{
    const hsp_option *option = &options->table->options[i];
    options_value *slot = &options->values[i];
    switch (option->type) {
    case HSP_OPTION_FLAG:
        return options_set_flag(option, slot, value, err);
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

/* Has the option one of the types from `first` to `last`? HSP_USAGE with the right call when not.
 */
static hsp_status options_typed(const hsp_options *options, const char *name, hsp_option_type first,
                                hsp_option_type last, hsp_error *err)
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
    return HSP_OK;
}

hsp_status hsp_options_set_real(hsp_options *options, const char *name, double value,
                                hsp_error *err)
{
    HSP__NEED(err, options, name);
    char text[HSP__DECIMAL_MAX] = "nan";
    if (isfinite(value))
        hsp__decimal_print_f64(value, text);
    else if (!isnan(value))
        memcpy(text, value > 0 ? "inf" : "-inf", value > 0 ? 4 : 5);
    hsp_status status = options_typed(options, name, HSP_OPTION_REAL, HSP_OPTION_REAL, err);
    return status ? status : hsp_options_set(options, name, text, err);
}

hsp_status hsp_options_set_integer(hsp_options *options, const char *name, int64_t value,
                                   hsp_error *err)
{
    HSP__NEED(err, options, name);
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    hsp_status status = options_typed(options, name, HSP_OPTION_INTEGER, HSP_OPTION_REAL, err);
    return status ? status : hsp_options_set(options, name, text, err);
}

hsp_status hsp_options_set_flag(hsp_options *options, const char *name, int value, hsp_error *err)
{
    HSP__NEED(err, options, name);
    hsp_status status = options_typed(options, name, HSP_OPTION_FLAG, HSP_OPTION_FLAG, err);
    return status ? status : hsp_options_set(options, name, value ? "yes" : "no", err);
}

hsp_status hsp_options_set_text(hsp_options *options, const char *name, const char *value,
                                hsp_error *err)
{
    HSP__NEED(err, options, name, value);
    hsp_status status = options_typed(options, name, HSP_OPTION_CHOICE, HSP_OPTION_LIST, err);
    return status ? status : hsp_options_set(options, name, value, err);
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

hsp_status hsp__options_copy(hsp_options *to, const hsp_options *from, const char *name,
                             hsp_error *err)
{
    const size_t i = options_find(from, name), k = options_find(to, name);
    assert(i < from->table->count && k < to->table->count);
    assert(from->table->options[i].type == to->table->options[k].type);
    const options_value *source = &from->values[i];
    options_value *slot = &to->values[k];
    hsp_status status = HSP_OK;
    slot->flag = source->flag;
    slot->integer = source->integer;
    slot->real = source->real;
    if (source->text) status = options_set_text(to, slot, source->text, err);
    for (size_t n = 0; !status && n < source->count; n++)
        status = options_add_item(to, slot, source->items[n], err);
    if (!status) slot->set = 1;
    return status;
}

const char *hsp__option_word(const hsp_option *option, int64_t value)
{
    return option->type == HSP_OPTION_INTEGER && option->choices && (double)value == option->min
               ? option->choices
               : NULL;
}

/* ---- The object ---- */

hsp_status hsp_options_new(hsp_context *ctx, const hsp_option_table *table, hsp_error *err,
                           hsp_options **out)
{
    HSP__NEED(err, ctx, table, out);
    hsp_options *options = hsp__new(&ctx->allocator, 1, sizeof *options);
    if (!options) return hsp__fail_memory(err);
    options->memory = ctx->allocator;
    options->table = table;
    options->values = hsp__new(&ctx->allocator, table->count, sizeof *options->values);
    hsp_status status = options->values ? HSP_OK : hsp__fail_memory(err);
    for (size_t i = 0; status == HSP_OK && i < table->count; i++)
        if (table->options[i].fallback)
            status = options_store(options, i, table->options[i].fallback, err);
    if (status == HSP_OK)
        *out = options;
    else
        hsp_options_free(options);
    return status;
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
    for (size_t i = 0; options->values && i < options->table->count; i++)
        options_clear(&memory, &options->values[i]);
    hsp__free(&memory, options->values);
    hsp__free(&memory, options);
}

static hsp_status options_copy_value(hsp_options *to, const options_value *from, size_t i,
                                     hsp_error *err)
{
    options_value *slot = &to->values[i];
    hsp_status status = HSP_OK;
    for (uint64_t k = 0; !status && k < from->count; k++)
        status = options_add_item(to, slot, from->items[k], err);
    if (!status && from->text) status = options_set_text(to, slot, from->text, err);
    slot->set = from->set;
    slot->flag = from->flag;
    slot->integer = from->integer;
    slot->real = from->real;
    return status;
}

hsp_status hsp_options_copy(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                            hsp_options **out)
{
    HSP__NEED(err, ctx, options, out);
    const size_t count = options->table->count;
    hsp_options *copy = hsp__new(&ctx->allocator, 1, sizeof *copy);
    if (!copy) return hsp__fail_memory(err);
    copy->memory = ctx->allocator;
    copy->table = options->table;
    copy->values = hsp__new(&ctx->allocator, count, sizeof *copy->values);
    hsp_status status = copy->values ? HSP_OK : hsp__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++)
        status = options_copy_value(copy, &options->values[i], i, err);
    if (status)
        hsp_options_free(copy);
    else
        *out = copy;
    return status;
}

const hsp_option_table *hsp_options_table(const hsp_options *options)
{
    if (!options) return NULL;
    return options->table;
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

int hsp_options_flag(const hsp_options *options, const char *name)
{
    if (!options || !name) return 0;
    return options_get(options, name, HSP_OPTION_FLAG, HSP_OPTION_FLAG)->flag;
}

int64_t hsp_options_integer(const hsp_options *options, const char *name)
{
    if (!options || !name) return 0;
    return options_get(options, name, HSP_OPTION_INTEGER, HSP_OPTION_INTEGER)->integer;
}

double hsp_options_real(const hsp_options *options, const char *name)
{
    if (!options || !name) return (double)NAN;
    return options_get(options, name, HSP_OPTION_REAL, HSP_OPTION_REAL)->real;
}

const char *hsp_options_text(const hsp_options *options, const char *name)
{
    if (!options || !name) return NULL;
    return options_get(options, name, HSP_OPTION_TEXT, HSP_OPTION_CHOICE)->text;
}

size_t hsp_options_list_count(const hsp_options *options, const char *name)
{
    if (!options || !name) return 0;
    return (size_t)options_get(options, name, HSP_OPTION_LIST, HSP_OPTION_LIST)->count;
}

const char *hsp_options_list_item(const hsp_options *options, const char *name, size_t i)
{
    if (!options || !name) return NULL;
    const options_value *slot = options_get(options, name, HSP_OPTION_LIST, HSP_OPTION_LIST);
    assert(i < slot->count);
    return slot->items[i];
}
