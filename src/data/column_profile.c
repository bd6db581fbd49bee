#include "data/column_profile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "data/date.h"

/* Formats in which numbers are looked for, the first that fits most values wins. */
static const hsp__number_format profile_formats[] = {
    {'.', 0, 1, 1},   {'.', ',', 1, 1}, {',', 0, 1, 1},    {',', '.', 1, 1},
    {'.', ' ', 1, 1}, {',', ' ', 1, 1}, {'.', '\'', 1, 1},
};

enum {
    PROFILE_FORMATS = sizeof profile_formats / sizeof *profile_formats,
    PROFILE_DATES = 64, /* patterns looked at, at most */
    PROFILE_CELL = 256, /* longer cells are no numbers */
    PROFILE_IDS = 20    /* rows from which on values that never repeat are ids */
};

#define PROFILE_MOST 0.9 /* this share of the values makes a column of numbers or dates */

int hsp__profile_is_missing(const char *text, size_t size)
{
    static const char *const marks[] = {"",     "NA", "N/A", "NaN",  "null",
                                        "none", "-",  "?",   "#N/A", "."};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strlen(marks[i]) == size && strncasecmp(marks[i], text, size) == 0) return 1;
    return 0;
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

void hsp__column_profile_init(hsp__column_profile *profile, const hsp_allocator *memory)
{
    *profile = (hsp__column_profile){.least = HUGE_VAL, .most = -HUGE_VAL};
    hsp__names_init(&profile->values, memory);
}

void hsp__column_profile_free(hsp__column_profile *profile)
{
    hsp__free(&profile->values.memory, profile->counts);
    hsp__names_free(&profile->values);
}

/* How many remembered cells are numbers in each format, and which format fits most. */
static const hsp__number_format *profile_format(const hsp__column_profile *profile, uint64_t *fit)
{
    uint64_t fits[PROFILE_FORMATS] = {0};
    size_t best = 0;
    double value;
    for (uint32_t v = 0; v < profile->values.count; v++)
        for (size_t f = 0; f < PROFILE_FORMATS; f++)
            if (profile_number(hsp__names_get(&profile->values, v),
                               hsp__names_size(&profile->values, v), &profile_formats[f], &value))
                fits[f] += profile->counts[v];
    for (size_t f = 1; f < PROFILE_FORMATS; f++)
        if (fits[f] > fits[best]) best = f;
    *fit = fits[best];
    return &profile_formats[best];
}

int hsp__column_profile_add(hsp__column_profile *profile, const char *text, size_t size)
{
    uint32_t number = hsp__names_find(&profile->values, text, size);
    profile->cells++;
    if (hsp__profile_is_missing(text, size)) profile->missing++;
    if (number == HSP__NAME_NONE && profile->values.count == HSP__PROFILE_VALUES) {
        uint64_t fit;
        double value;
        if (!profile->others++) profile->format = *profile_format(profile, &fit);
        if (profile_number(text, size, &profile->format, &value)) {
            profile->least = fmin(profile->least, value);
            profile->most = fmax(profile->most, value);
        } else {
            profile->not_numbers++;
        }
        return 1;
    }
    if (number == HSP__NAME_NONE) {
        if (!hsp__names_add(&profile->values, text, size, &number) ||
            !hsp__reserve(&profile->values.memory, &profile->counts, &profile->counts_room,
                          (uint64_t)number + 1, sizeof *profile->counts))
            return 0;
        profile->counts[number] = 0;
    }
    profile->counts[number]++;
    return 1;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static const char *profile_value(const hsp__column_profile *profile, uint32_t v, size_t *size)
{
    *size = hsp__names_size(&profile->values, v);
    return hsp__names_get(&profile->values, v);
}

/* The date pattern that fits most remembered cells, and how many it fits. */
static const char *profile_date(const hsp__column_profile *profile, uint64_t *fit)
{
    const char *best = NULL;
    *fit = 0;
    for (size_t d = 0; hsp__date_known(d); d++) {
        uint64_t fits = 0;
        for (uint32_t v = 0; v < profile->values.count; v++) {
            size_t size;
            const char *text = profile_value(profile, v, &size);
            hsp__date date;
            if (hsp__date_parse(text, size, hsp__date_known(d), &date)) fits += profile->counts[v];
        }
        if (fits > *fit) *fit = fits, best = hsp__date_known(d);
    }
    return best;
}

typedef struct profile_weighted {
    double value;
    uint64_t count;
} profile_weighted;

static int profile_compare(const void *left, const void *right)
{
    const double a = ((const profile_weighted *)left)->value;
    const double b = ((const profile_weighted *)right)->value;
    return (a > b) - (a < b);
}

/* Smallest, largest and median number, whether all are whole, and what is no number. */
static int profile_numbers(hsp__column_profile *profile)
{
    const hsp_allocator *memory = &profile->values.memory;
    profile_weighted *sorted = hsp__new_raw(memory, profile->values.count, sizeof *sorted);
    uint64_t count = 0, cells = 0, below = 0;
    if (!sorted) return 0;
    profile->integers = 1;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        double value;
        if (profile_number(text, size, &profile->format, &value)) {
            sorted[count++] = (profile_weighted){value, profile->counts[v]};
            cells += profile->counts[v];
            profile->integers &= value == floor(value);
        } else if (!hsp__profile_is_missing(text, size)) {
            if (profile->misfit == HSP__NAME_NONE) profile->misfit = v;
            profile->misfits += profile->counts[v];
        }
    }
    qsort(sorted, count, sizeof *sorted, profile_compare);
    for (uint64_t i = 0; i < count && 2 * below < cells; i++) {
        below += sorted[i].count;
        profile->median = sorted[i].value;
        if (2 * below == cells && i + 1 < count) /* between two */
            profile->median = profile->median / 2 + sorted[i + 1].value / 2;
    }
    if (count) {
        profile->least = fmin(profile->least, sorted[0].value);
        profile->most = fmax(profile->most, sorted[count - 1].value);
    }
    profile->misfits += profile->not_numbers;
    hsp__free(memory, sorted);
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

/* Two values that are the same but for case and blanks. */
static int profile_alike(hsp__column_profile *profile)
{
    hsp__names forms;
    char form[PROFILE_CELL];
    int memory = 1;
    hsp__names_init(&forms, &profile->values.memory);
    for (uint32_t v = 0; memory && v < profile->values.count; v++) {
        size_t size, length = 0;
        const char *text = profile_value(profile, v, &size);
        for (size_t i = 0; i < size && length < sizeof form; i++)
            if (text[i] != ' ')
                form[length++] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
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
    const size_t marks = sizeof profile->marks / sizeof *profile->marks;
    size_t seen = 0;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        if (hsp__profile_is_missing(text, size)) {
            if (size && seen < marks) profile->marks[seen++] = v;
            continue;
        }
        size_t at = places;
        while (at > 0 && (profile->frequent[at - 1] == HSP__NAME_NONE ||
                          profile->counts[profile->frequent[at - 1]] < profile->counts[v]))
            at--;
        for (size_t i = places; i-- > at + 1;)
            profile->frequent[i] = profile->frequent[i - 1];
        if (at < places) profile->frequent[at] = v;
    }
}

int hsp__column_profile_finish(hsp__column_profile *profile)
{
    uint64_t numbers = 0, dates = 0, distinct = 0, repeated = 0;
    const uint64_t there = profile->cells - profile->missing;
    memset(profile->frequent, 0xff, sizeof profile->frequent);
    memset(profile->marks, 0xff, sizeof profile->marks);
    memset(profile->alike, 0xff, sizeof profile->alike);
    profile->misfit = HSP__NAME_NONE;
    profile_frequent(profile);
    if (!there) return profile->content = HSP__CONTENT_EMPTY, 1;
    for (uint32_t v = 0; v < profile->values.count; v++) {
        size_t size;
        const char *text = profile_value(profile, v, &size);
        const int missing = hsp__profile_is_missing(text, size);
        distinct += !missing;
        repeated += !missing && profile->counts[v] > 1;
    }
    const double known = (double)(there - profile->others);
    const hsp__number_format *format = profile_format(profile, &numbers);
    if (!profile->others) profile->format = *format;
    const char *date = profile_date(profile, &dates);
    const int unique = !repeated && !profile->others && there >= PROFILE_IDS;
    if (distinct == 1 && !profile->others) {
        profile->content = HSP__CONTENT_CONSTANT;
    } else if ((double)dates >= PROFILE_MOST * known && dates > 0) {
        profile->content = HSP__CONTENT_DATE;
        profile->date = date;
        profile->misfits = (uint64_t)known - dates;
        return 1;
    } else if ((double)numbers >= PROFILE_MOST * known) {
        profile->content = HSP__CONTENT_NUMBER;
        if (!profile_numbers(profile)) return 0;
        /* whole numbers one after the other, as a data base gives them out */
        if (unique && profile->integers && !profile->missing &&
            profile->most - profile->least < 1.5 * (double)there)
            profile->content = HSP__CONTENT_ID;
        return 1;
    } else if (profile_words(profile) >= 3 && 2 * distinct > there) {
        profile->content = HSP__CONTENT_TEXT;
    } else if (unique || (profile->others && !repeated)) {
        profile->content = HSP__CONTENT_ID;
    } else {
        profile->content = HSP__CONTENT_CATEGORY;
        return profile_alike(profile);
    }
    return 1;
}
