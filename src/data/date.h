/* Dates as text, by a pattern as strptime's: to days since 1970-01-01. */
#ifndef HSP_DATA_DATE_H
#define HSP_DATA_DATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct hsp__date {
    int year, month,
        day;     /* of the Gregorian calendar, also before its time; month and day from 1 */
    int weekday; /* 1 Monday .. 7 Sunday */
    double days; /* since 1970-01-01, with the time of day as a fraction */
} hsp__date;

/* What of a date becomes a feature, in this order. */
enum {
    HSP__DATE_DAYS,
    HSP__DATE_YEAR,
    HSP__DATE_MONTH,
    HSP__DATE_WEEKDAY,
    HSP__DATE_PARTS,
    HSP__DATE_PATTERN = 64 /* bytes of a pattern, its NUL included */
};
const char *hsp__date_part_name(int part); /* "days" */
double hsp__date_part(const hsp__date *date, int part);

/* The part by its name, of `size` bytes; -1: there is none. */
int hsp__date_part_of(const char *name, size_t size);

/* Is the whole text (blanks around it aside) a date by this pattern? Other characters of a pattern
 * stand for themselves.
 *
 *     %Y  year, 4 digits        %m  month, 1 or 2 digits      %H  hour, 0 to 23
 *     %y  year, 2 digits:       %b  month by its English      %M  minute
 *         69 to 99 are 1969         name, whole or the        %S  second, also with decimals
 *         to 1999, others 20xx      first three letters       %d  day, 1 or 2 digits
 *     %%  a percent sign
 *
 * 0: it is not, or there is no such day. */
int hsp__date_parse(const char *text, size_t size, const char *pattern, hsp__date *out);

/* Is this a pattern, with a year, a month and a day? */
int hsp__date_pattern_is_valid(const char *pattern);

/* Patterns that are tried when none is given; NULL past the last. Of two that fit, the first is
 * taken: %d/%m/%Y comes before %m/%d/%Y. */
const char *hsp__date_known(size_t i);

#endif
