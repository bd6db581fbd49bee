/* Dates: days by hand, round trips over all days of 800 years, what is no date. */
#include "data/date.h"

#include "check.h"

static double date_days(const char *text, const char *pattern)
{
    hsp__date date;
    return hsp__date_parse(text, strlen(text), pattern, &date) ? date.days : -1e9;
}

static void test_by_hand(void)
{
    hsp__date date;
    CHECK(date_days("1970-01-01", "%Y-%m-%d") == 0);
    CHECK(date_days("1969-12-31", "%Y-%m-%d") == -1);
    CHECK(date_days("2000-02-29", "%Y-%m-%d") == 11016);
    CHECK(date_days("31.12.1999", "%d.%m.%Y") == 10956);
    CHECK(date_days(" 3/1/70 ", "%d/%m/%y") == 2);
    CHECK(date_days("3/1/70", "%m/%d/%y") == 59);
    CHECK(date_days("1 Jan 1970", "%d %b %Y") == 0);
    CHECK(date_days("January 2, 1970", "%b %d, %Y") == 1);
    CHECK(date_days("SEP 1 1970", "%b %d %Y") == 243);
    CHECK(date_days("1970-01-02 12:00", "%Y-%m-%d %H:%M") == 1.5);
    CHECK(date_days("1970-01-01T00:00:43.2", "%Y-%m-%dT%H:%M:%S") == 0.0005);
    CHECK(date_days("100%1970/01/01", "100%%%Y/%m/%d") == 0);
    CHECK(hsp__date_parse("2024-02-29", 10, "%Y-%m-%d", &date));
    CHECK(date.year == 2024 && date.month == 2 && date.day == 29 && date.weekday == 4);
}

static void test_not_dates(void)
{
    static const char *const wrong[] = {"",           "2023-02-29", "1900-02-29",  "2024-13-01",
                                        "2024-00-01", "2024-01-00", "2024-04-31",  "2024-01-1x",
                                        "24-01-01",   "2024-1",     "2024-01-01 ,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_NOTE(date_days(wrong[i], "%Y-%m-%d") == -1e9, "%s", wrong[i]);
    CHECK(date_days("2024-01-01 24:00", "%Y-%m-%d %H:%M") == -1e9);
    CHECK(date_days("2024-01-01 10:60", "%Y-%m-%d %H:%M") == -1e9);
    CHECK(date_days("1 Ja 1970", "%d %b %Y") == -1e9);
    CHECK(date_days("1 Janu 1970", "%d %b %Y") == -1e9);
}

/* Day after day from 1600 to 2400, as a calendar counts them. */
static void test_every_day(void)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    double last = date_days("1599-12-31", "%Y-%m-%d");
    int weekday = 0;
    for (int year = 1600; year < 2400; year++)
        for (int month = 1; month <= 12; month++) {
            const int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            for (int day = 1; day <= lengths[month - 1] + (month == 2 && leap); day++) {
                char text[32];
                hsp__date date;
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                CHECK(hsp__date_parse(text, strlen(text), "%Y-%m-%d", &date));
                CHECK_NOTE(date.days == last + 1, "%s", text);
                CHECK(!weekday || date.weekday == weekday % 7 + 1);
                last = date.days;
                weekday = date.weekday;
            }
        }
}

static void test_patterns(void)
{
    size_t count = 0;
    for (const char *pattern; (pattern = hsp__date_known(count)); count++)
        CHECK_NOTE(hsp__date_pattern_is_valid(pattern), "%s", pattern);
    CHECK(count > 10);
    CHECK(!hsp__date_pattern_is_valid("%Y-%m"));
    CHECK(!hsp__date_pattern_is_valid("%Y-%m-%d %q"));
    CHECK(!hsp__date_pattern_is_valid("%Y-%m-%d%"));
    CHECK(!hsp__date_pattern_is_valid("%Y-%m-%b-%d"));
}

int main(void)
{
    RUN(test_by_hand);
    RUN(test_not_dates);
    RUN(test_every_day);
    RUN(test_patterns);
    return check_done();
}
