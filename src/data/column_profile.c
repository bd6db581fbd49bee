#include "data/column_profile.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "data/cells.h"
#include "data/date.h"

enum {
    PROFILE_CELL = 256,   /* longer cells are no numbers, and remembered by their beginning */
    PROFILE_CODE = 3,     /* digits of a code at least: 01, 02, ... may be months */
    PROFILE_IDS = 20,     /* rows from which on values that hardly repeat are ids */
    PROFILE_SAMPLE = 4096 /* numbers of a sample */
};

#define PROFILE_MOST    0.9  /* this share of the values makes a column of numbers or dates */
#define PROFILE_REPEATS 0.01 /* this share of ids may repeat */
#define PROFILE_ZEROS   0.05 /* this share of codes begins with zero */

const hsp__number_format *hsp__profile_format(size_t i, int decimal_comma)
{
    static const hsp__number_format formats[] = {
        {'.', 0, 1, 1},   {'.', ',', 1, 1}, {',', 0, 1, 1},    {',', '.', 1, 1},
        {'.', ' ', 1, 1}, {',', ' ', 1, 1}, {'.', '\'', 1, 1},
    };
    if (decimal_comma && (i == 1 || i == 2)) i = 3 - i;
    return i < sizeof formats / sizeof *formats ? &formats[i] : NULL;
}

static int profile_number(const char *text, size_t size, const hsp__number_format *format,
                          double *value)
{
    char plain[PROFILE_CELL + 4];
    if (size > PROFILE_CELL) return 0;
    const size_t length = hsp__number_plain(text, size, format, plain);
    hsp__decimal_result result;
    if (!length) return 0;
    hsp__decimal_f64(plain, plain + length, value, &result);
    return result == HSP__DECIMAL_OK;
}

/* The cell as a number, or as a date if the column has dates: days since 1970-01-01. */
static int profile_read(const hsp__column_profile *profile, const char *text, size_t size,
                        double *value)
{
    hsp__date date;
    if (!profile->date) return profile_number(text, size, &profile->format, value);
    if (!hsp__date_parse(text, size, profile->date, &date)) return 0;
    *value = date.days;
    return 1;
}

static const char *profile_value(const hsp__column_profile *profile, uint32_t v, size_t *size)
{
    *size = hsp__names_size(&profile->values, v);
    return hsp__names_get(&profile->values, v);
}

static hsp__mark profile_mark(const hsp__column_profile *profile, uint32_t v)
{
    size_t size;
    const char *text = profile_value(profile, v, &size);
    return hsp__cell_mark(profile->rules, text, size);
}

int hsp__column_profile_absent(const hsp__column_profile *profile, uint32_t v)
{
    const hsp__mark mark = profile_mark(profile, v);
    return mark && mark >= profile->mark;
}

int hsp__column_profile_value(const hsp__column_profile *profile, uint32_t v, double *value)
{
    size_t size;
    const char *text = profile_value(profile, v, &size);
    return profile_read(profile, text, size, value);
}

int hsp__column_profile_holds(const hsp__column_profile *profile, char sign)
{
    double value;
    size_t size;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        const char *text = profile_value(profile, v, &size);
        if (memchr(text, sign, size) && profile_read(profile, text, size, &value)) return 1;
    }
    return 0;
}

int hsp__column_profile_reads(const hsp__column_profile *profile, const hsp__number_format *format)
{
    double value;
    size_t size;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        const char *text = profile_value(profile, v, &size);
        if (!profile_number(text, size, format, &value) &&
            profile_read(profile, text, size, &value))
            return 0;
    }
    return 1;
}

uint32_t hsp__column_profile_otherwise(const hsp__column_profile *profile,
                                       const hsp__number_format *format)
{
    double value, other;
    size_t size;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        const char *text = profile_value(profile, v, &size);
        if (profile_read(profile, text, size, &value) &&
            (!profile_number(text, size, format, &other) || value != other))
            return v;
    }
    return HSP__NAME_NONE;
}

void hsp__column_profile_init(hsp__column_profile *profile, const hsp_allocator *memory,
                              const hsp__cell_rules *rules, uint32_t values)
{
    *profile = (hsp__column_profile){
        .rules = rules, .least = HUGE_VAL, .most = -HUGE_VAL, .most_values = values, .stride = 1};
    hsp__names_init(&profile->values, memory);
}

void hsp__column_profile_free(hsp__column_profile *profile)
{
    hsp__free(&profile->values.memory, profile->counts);
    hsp__free(&profile->values.memory, profile->sample);
    hsp__names_free(&profile->values);
}

/* ---- Dates or numbers, by the values remembered so far ---------------------------------------- */

/* How many cells the date pattern (or, if there is none, the format) fits; 0 as soon as it is clear
 * that they are fewer than `least`. */
static uint64_t profile_fits(const hsp__column_profile *profile, const char *date,
                             const hsp__number_format *format, uint64_t known, uint64_t least)
{
    hsp__column_profile as = {.date = date, .format = *format};
    uint64_t fits = 0, misfits = 0;
    for (uint32_t v = 0; v < profile->values.count && known - misfits >= least; v++) {
        size_t size;
        double value;
        const char *text = profile_value(profile, v, &size);
        if (profile_read(&as, text, size, &value))
            fits += profile->counts[v];
        else if (!profile_mark(profile, v))
            misfits += profile->counts[v];
    }
    return known - misfits >= least ? fits : 0;
}

/* Set the pattern or the format that fits most cells; 0: they are neither dates nor numbers. */
static int profile_choose(hsp__column_profile *profile)
{
    const hsp__number_format *format = hsp__profile_format(0, 0);
    uint64_t known = 0, best = 0;
    profile->date = NULL;
    profile->format = *format;
    for (uint32_t v = 0; v < profile->values.count; v++)
        if (!profile_mark(profile, v)) known += profile->counts[v];
    uint64_t least = (uint64_t)ceil(PROFILE_MOST * (double)known);
    for (size_t d = 0; known && hsp__date_known(d) && best < known; d++) {
        const uint64_t fits = profile_fits(profile, hsp__date_known(d), format, known, least);
        if (fits > best) best = fits, least = fits, profile->date = hsp__date_known(d);
    }
    for (size_t i = 0; known && !profile->date && best < known; i++) {
        if (!(format = hsp__profile_format(i, profile->decimal_comma))) break;
        const uint64_t fits = profile_fits(profile, NULL, format, known, least);
        if (fits > best) best = fits, least = fits, profile->format = *format;
    }
    return best > 0;
}

/* ---- Filling ----------------------------------------------------------------------------------- */

/* A cell whose value is not remembered. */
static int profile_other(hsp__column_profile *profile, const char *text, size_t size)
{
    double value;
    if (!profile->others++) profile_choose(profile);
    if (!profile_read(profile, text, size, &value)) {
        profile->not_numbers += !hsp__cell_mark(profile->rules, text, size);
        return 1;
    }
    profile->least = fmin(profile->least, value);
    profile->most = fmax(profile->most, value);
    if ((profile->others - 1) % profile->stride) return 1;
    if (profile->sampled == PROFILE_SAMPLE) { /* keep every second one */
        for (uint64_t i = 0; 2 * i < profile->sampled; i++)
            profile->sample[i] = profile->sample[2 * i];
        profile->sampled /= 2;
        profile->stride *= 2;
    }
    if (!hsp__reserve(&profile->values.memory, &profile->sample, &profile->sample_room,
                      profile->sampled + 1, sizeof *profile->sample))
        return 0;
    profile->sample[profile->sampled++] = value;
    return 1;
}

int hsp__column_profile_add(hsp__column_profile *profile, const char *text, size_t size,
                            uint64_t line)
{
    char beginning[PROFILE_CELL + 16];
    if (size > PROFILE_CELL) { /* by its beginning, and a checksum of all of it */
        memcpy(beginning, text, PROFILE_CELL - 16);
        size = PROFILE_CELL - 16 +
               (size_t)snprintf(beginning + PROFILE_CELL - 16, 16, "... %08x",
                                hsp__crc32(0, text, size));
        text = beginning;
    }
    uint32_t number = hsp__names_find(&profile->values, text, size);
    profile->cells++;
    profile->marks[hsp__cell_mark(profile->rules, text, size)]++;
    if (number == HSP__NAME_NONE && profile->values.count >= profile->most_values)
        return profile_other(profile, text, size);
    if (number == HSP__NAME_NONE) {
        if (!hsp__names_add(&profile->values, text, size, &number) ||
            !hsp__reserve(&profile->values.memory, &profile->counts, &profile->counts_room,
                          (uint64_t)number + 1, sizeof *profile->counts))
            return 0;
        profile->counts[number] = 0;
    }
    profile->counts[number]++;
    if (!profile->digit_line && size && text[size - 1] >= '0' && text[size - 1] <= '9')
        profile->digit_line = line, profile->digit_value = number;
    return 1;
}

/* ---- Judging --------------------------------------------------------------------------------- */

typedef struct profile_weighted {
    double value, weight; /* cells */
} profile_weighted;

static int profile_compare(const void *left, const void *right)
{
    const double a = ((const profile_weighted *)left)->value;
    const double b = ((const profile_weighted *)right)->value;
    return (a > b) - (a < b);
}

static void profile_median(hsp__column_profile *profile, profile_weighted *sorted, uint64_t count,
                           double cells)
{
    double below = 0;
    qsort(sorted, count, sizeof *sorted, profile_compare);
    for (uint64_t i = 0; i < count && 2 * below < cells; i++) {
        below += sorted[i].weight;
        profile->median = sorted[i].value;
        if (2 * below == cells && i + 1 < count) /* between two */
            profile->median = profile->median / 2 + sorted[i + 1].value / 2;
    }
    if (!count) return;
    profile->least = fmin(profile->least, sorted[0].value);
    profile->most = fmax(profile->most, sorted[count - 1].value);
}

/* Smallest, largest and median number or date, whether all are whole, what signs they have, and how
 * many cells are something else. */
static int profile_numbers(hsp__column_profile *profile)
{
    const hsp_allocator *memory = &profile->values.memory;
    profile_weighted *sorted =
        hsp__new_raw(memory, profile->values.count + profile->sampled, sizeof *sorted);
    hsp__number_format bare = profile->format;
    uint64_t count = 0;
    double cells = 0;
    if (!sorted) return 0;
    profile->integers = 1;
    profile->signless = 0;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        double value, again;
        if (hsp__column_profile_absent(profile, v)) continue;
        if (!profile_read(profile, text, size, &value)) {
            profile->misfits += profile->counts[v];
            continue;
        }
        sorted[count++] = (profile_weighted){value, (double)profile->counts[v]};
        cells += (double)profile->counts[v];
        profile->integers &= value == floor(value);
        if (profile->date) continue;
        bare.percent = 0, bare.currency = 1;
        const int sign = !profile_number(text, size, &bare, &again);
        profile->percent |= sign;
        if (!sign && !profile->signless) profile->signless_at = v;
        if (!sign) profile->signless += profile->counts[v];
        bare.percent = 1, bare.currency = 0;
        profile->currency |= !profile_number(text, size, &bare, &again);
    }
    /* each number of the sample stands for several */
    const double others = (double)(profile->others - profile->not_numbers);
    for (uint64_t i = 0; i < profile->sampled; i++)
        sorted[count++] = (profile_weighted){profile->sample[i], others / (double)profile->sampled};
    profile_median(profile, sorted, count, cells + others);
    profile->misfits += profile->not_numbers;
    hsp__free(memory, sorted);
    return 1;
}

int hsp__column_profile_reread(hsp__column_profile *profile, const hsp__number_format *format)
{
    profile->format = *format;
    profile->least = HUGE_VAL, profile->most = -HUGE_VAL;
    profile->misfits = profile->sampled = 0;
    if (!profile_numbers(profile)) return 0;
    if (profile->others) profile->least = profile->most = profile->median = (double)NAN;
    return 1;
}

/* Mean number of words per remembered value. */
static double profile_words(const hsp__column_profile *profile)
{
    double words = 0;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        for (size_t i = 0; i < size; i++)
            words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    }
    return words / profile->values.count;
}

size_t hsp__profile_fold(const char *text, size_t size, char form[HSP__PROFILE_FORM])
{
    const size_t length = size < HSP__PROFILE_FORM ? size : HSP__PROFILE_FORM - 1;
    memcpy(form, text, length);
    hsp__fold_case(form, length);
    form[length] = 0;
    return length;
}

/* Two values that are the same but for case. */
static int profile_alike(hsp__column_profile *profile)
{
    hsp__names forms;
    char form[HSP__PROFILE_FORM];
    int memory = 1;
    hsp__names_init(&forms, &profile->values.memory);
    for (uint32_t v = 0; memory && v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        size_t length = hsp__profile_fold(text, size, form);
        if (hsp__column_profile_absent(profile, v)) /* like no other value */
            length = (size_t)snprintf(form, sizeof form, "\n%u", v);
        uint32_t number; /* of the form, and of its value: no form came twice so far */
        memory = hsp__names_add(&forms, form, length, &number);
        if (memory && number < v) {
            profile->alike[0] = number;
            profile->alike[1] = v;
            break;
        }
    }
    hsp__names_free(&forms);
    return memory;
}

static void profile_frequent(hsp__column_profile *profile)
{
    const size_t places = sizeof profile->frequent / sizeof *profile->frequent;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        if (hsp__column_profile_absent(profile, v)) continue;
        size_t at = places;
        while (at > 0 && (profile->frequent[at - 1] == HSP__NAME_NONE ||
                          profile->counts[profile->frequent[at - 1]] < profile->counts[v]))
            at--;
        for (size_t i = places; i-- > at + 1;)
            profile->frequent[i] = profile->frequent[i - 1];
        if (at < places) profile->frequent[at] = v;
    }
}

/* Whole numbers, one after the other, as a data base gives them out; but not years. */
static int profile_is_serial(const hsp__column_profile *profile)
{
    return profile->integers && !profile->missing && !profile->misfits &&
           profile->most - profile->least < 1.5 * (double)profile->cells &&
           !(profile->least >= 1800 && profile->most <= 2100);
}

/* Digits, as many in all values, of which some begin with zero: 01067 is no amount. */
static int profile_is_code(const hsp__column_profile *profile)
{
    size_t length = 0;
    uint64_t zeros = 0;
    if (profile->date || profile->misfits) return 0;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        if (hsp__column_profile_absent(profile, v)) continue;
        if (!length) length = size;
        if (size != length || strspn(text, "0123456789") != size) return 0;
        zeros += *text == '0';
    }
    return length >= PROFILE_CODE && zeros > 1 &&
           (double)zeros >= PROFILE_ZEROS * (double)profile->distinct;
}

/* Numbers that no one format reads: the first value in the format of most, and the first in another. */
static void profile_mixed(hsp__column_profile *profile, uint64_t there)
{
    const hsp__number_format *format, *usual = hsp__profile_format(0, 0);
    uint64_t most = 0, read = 0;
    uint32_t first[2] = {HSP__NAME_NONE, HSP__NAME_NONE};
    for (size_t i = 0; (format = hsp__profile_format(i, profile->decimal_comma)); i++) {
        const uint64_t fits = profile_fits(profile, NULL, format, profile->cells, 0);
        if (fits > most) most = fits, usual = format;
    }
    for (uint32_t v = 0; most && v < profile->values.count; v++) {
        size_t size;
        double value;
        const char *text = profile_value(profile, v, &size);
        const int other = !profile_number(text, size, usual, &value);
        int number = !other;
        for (size_t i = 0; !number && (format = hsp__profile_format(i, 0)); i++)
            number = profile_number(text, size, format, &value);
        if (!number) continue;
        read += profile->counts[v];
        if (first[other] == HSP__NAME_NONE) first[other] = v;
    }
    if ((double)read >= PROFILE_MOST * (double)there && first[1] != HSP__NAME_NONE)
        memcpy(profile->mixed, first, sizeof first);
}

/* Marks from `mark` on are missing values: count them, and the other values; how many of those come
 * again. */
static uint64_t profile_tally(hsp__column_profile *profile, hsp__mark mark)
{
    uint64_t repeated = 0;
    memset(profile->frequent, 0xff, sizeof profile->frequent);
    profile->mark = mark;
    profile->missing = profile->distinct = profile->misfits = 0;
    for (int m = (int)mark; m <= HSP__MARK_ALWAYS; m++)
        profile->missing += profile->marks[m];
    for (uint32_t v = 0; v < profile->values.count; v++) {
        if (hsp__column_profile_absent(profile, v)) continue;
        profile->distinct++;
        repeated += profile->counts[v] > 1;
    }
    profile_frequent(profile);
    return repeated;
}

int hsp__column_profile_finish(hsp__column_profile *profile, int label)
{
    memset(profile->alike, 0xff, sizeof profile->alike);
    memset(profile->mixed, 0xff, sizeof profile->mixed);
    uint64_t repeated = profile_tally(profile, label ? HSP__MARK_GIVEN : HSP__MARK_NUMBERS);
    uint64_t there = profile->cells - profile->missing;
    if (!there) return profile->content = HSP__CONTENT_EMPTY, 1;
    if (!profile->others) profile_choose(profile);
    profile->unique =
        (double)repeated <= PROFILE_REPEATS * (double)profile->distinct && there >= PROFILE_IDS;
    if (!profile_numbers(profile)) return 0;
    const int constant = profile->distinct == 1 && !profile->others;
    profile->code = !label && !constant && profile_is_code(profile);
    if (!constant && !profile->code &&
        (double)(there - profile->misfits) >= PROFILE_MOST * (double)there) {
        profile->content = profile->date ? HSP__CONTENT_DATE : HSP__CONTENT_NUMBER;
        if (!profile->date && profile->unique && profile_is_serial(profile))
            profile->content = HSP__CONTENT_ID;
        return 1;
    }
    if (!label && !constant && !profile->code) profile_mixed(profile, there);
    if (profile->mixed[0] != HSP__NAME_NONE) return profile->content = HSP__CONTENT_CATEGORY, 1;
    if (!label) { /* among words, "none" is one */
        repeated = profile_tally(profile, HSP__MARK_USUAL);
        there = profile->cells - profile->missing;
    }
    profile->unique =
        (double)repeated <= PROFILE_REPEATS * (double)profile->distinct && there >= PROFILE_IDS;
    profile->content =
        profile->distinct == 1 && !profile->others ? HSP__CONTENT_CONSTANT
        : profile_words(profile) >= 3 && 2 * profile->distinct > there - profile->others
            ? HSP__CONTENT_TEXT
        : profile->unique ? HSP__CONTENT_ID
                          : HSP__CONTENT_CATEGORY;
    return profile->content != HSP__CONTENT_CATEGORY || profile_alike(profile);
}
