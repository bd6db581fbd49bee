#include "data/date.h"

#include <string.h>

static const char *const date_known[] = {
    "%Y-%m-%d",          "%Y-%m-%d %H:%M",     "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d",          "%d.%m.%Y",
    "%d.%m.%Y %H:%M",    "%d.%m.%y",           "%d/%m/%Y",          "%m/%d/%Y",
    "%d/%m/%Y %H:%M",    "%m/%d/%Y %H:%M",     "%m/%d/%y",          "%d-%m-%Y",
    "%d %b %Y",          "%d-%b-%Y",           "%d-%b-%y",          "%b %d, %Y",
    "%b %d %Y",
};

const char *hsp__date_known(size_t i)
{
    return i < sizeof date_known / sizeof *date_known ? date_known[i] : NULL;
}

const char *hsp__date_part_name(int part)
{
    static const char *const names[HSP__DATE_PARTS] = {"days", "year", "month", "weekday"};
    return names[part];
}

double hsp__date_part(const hsp__date *date, int part)
{
    return part == HSP__DATE_DAYS    ? date->days
           : part == HSP__DATE_YEAR  ? date->year
           : part == HSP__DATE_MONTH ? date->month
                                     : date->weekday;
}

int hsp__date_part_of(const char *name, size_t size)
{
    for (int part = 0; part < HSP__DATE_PARTS; part++)
        if (strlen(hsp__date_part_name(part)) == size &&
            memcmp(name, hsp__date_part_name(part), size) == 0)
            return part;
    return -1;
}

int hsp__date_pattern_is_valid(const char *pattern)
{
    int year = 0, month = 0, day = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p != '%') continue;
        p++;
        if (!*p || !strchr("YymbdHMS%", *p)) return 0;
        year += *p == 'Y' || *p == 'y';
        month += *p == 'm' || *p == 'b';
        day += *p == 'd';
    }
    return year == 1 && month == 1 && day == 1;
}

/* Up to `most` digits at *text, at least `least`; -1: there are fewer. */
static int date_number(const char **text, const char *end, int least, int most)
{
    int value = 0, digits = 0;
    for (; digits < most && *text < end && **text >= '0' && **text <= '9'; digits++)
        value = 10 * value + (*(*text)++ - '0');
    return digits < least ? -1 : value;
}

/* The month whose English name, whole or its first three letters, is at *text; 0: none is. */
static int date_month(const char **text, const char *end)
{
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    for (int month = 0; month < 12; month++) {
        const char *t = *text, *n = names[month];
        while (*n && t < end && (*t | 0x20) == *n)
            t++, n++;
        if (*n && n - names[month] != 3) continue;
        *text = t;
        return month + 1;
    }
    return 0;
}

/* Seconds with decimals; -1: none. */
static double date_seconds(const char **text, const char *end)
{
    double seconds = date_number(text, end, 1, 2), unit = 0.1;
    if (seconds < 0 || *text == end || **text != '.') return seconds;
    for ((*text)++; *text < end && **text >= '0' && **text <= '9'; unit /= 10)
        seconds += unit * (*(*text)++ - '0');
    return seconds;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar: years begin in March, so that the day
 * that some of them have more is their last; 400 years have 146,097 days. */
static int64_t date_count(int year, int month, int day)
{
    const int64_t y = year - (month <= 2);
    const int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int hsp__date_parse(const char *text, size_t size, const char *pattern, hsp__date *out)
{
    const char *end = text + size;
    int hour = 0, minute = 0;
    double second = 0;
    hsp__date date = {0};
    while (text < end && *text == ' ')
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    for (const char *p = pattern; *p; p++) {
        if (*p != '%' || p[1] == '%') {
            p += *p == '%';
            if (text == end || *text++ != *p) return 0;
            continue;
        }
        switch (*++p) {
        case 'Y':
            date.year = date_number(&text, end, 4, 4);
            if (date.year < 0) return 0;
            break;
        case 'y':
            date.year = date_number(&text, end, 2, 2);
            if (date.year < 0) return 0;
            date.year += date.year < 69 ? 2000 : 1900;
            break;
        case 'm':
            date.month = date_number(&text, end, 1, 2);
            break;
        case 'b':
            date.month = date_month(&text, end);
            break;
        case 'd':
            date.day = date_number(&text, end, 1, 2);
            break;
        case 'H':
            hour = date_number(&text, end, 1, 2);
            break;
        case 'M':
            minute = date_number(&text, end, 2, 2);
            break;
        case 'S':
            second = date_seconds(&text, end);
            break;
        default:
            return 0;
        }
    }
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (text != end || date.month < 1 || date.month > 12 || date.day < 1) return 0;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(second >= 0 && second < 61))
        return 0;
    const int leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    if (date.day > lengths[date.month - 1] + (date.month == 2 && leap)) return 0;
    const int64_t days = date_count(date.year, date.month, date.day);
    date.weekday = (int)(((days + 3) % 7 + 7) % 7) + 1; /* 1970-01-01 was a Thursday */
    date.days = (double)days + (hour * 3600 + minute * 60 + second) / 86400;
    *out = date;
    return 1;
}
