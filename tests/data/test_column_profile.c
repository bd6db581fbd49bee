/* Columns as people fill them, and what their profile says. */
#include "data/column_profile.h"

#include "base/context.h"
#include "check.h"
#include "halfspace_all.h"

static hsp_context *ctx;
static hsp__cell_rules rules;

/* The profile of cells separated by | ; `times` over. */
static hsp__column_profile profile_of(const char *cells, int times)
{
    hsp__column_profile profile;
    hsp__column_profile_init(&profile, &ctx->allocator, &rules, HSP__PROFILE_VALUES);
    for (int t = 0; t < times; t++)
        for (const char *at = cells;; at += strcspn(at, "|") + 1) {
            const size_t size = strcspn(at, "|");
            CHECK(hsp__column_profile_add(&profile, at, size, 1));
            if (!at[size]) break;
        }
    CHECK(hsp__column_profile_finish(&profile, 0));
    return profile;
}

static void test_numbers(void)
{
    hsp__column_profile p = profile_of("3|1|2|10|N/A", 1);
    CHECK(p.content == HSP__CONTENT_NUMBER && p.cells == 5 && p.missing == 1);
    CHECK(p.least == 1 && p.most == 10 && p.median == 2.5 && p.integers && !p.misfits);
    CHECK(hsp__column_profile_absent(&p, 4) && !hsp__column_profile_absent(&p, 3));
    hsp__column_profile_free(&p);
    p = profile_of("1,234.5|2,000|7", 1);
    CHECK(p.content == HSP__CONTENT_NUMBER && p.format.thousands == ',' && p.format.decimal == '.');
    CHECK(p.least == 7 && p.most == 2000 && p.median == 1234.5 && !p.integers);
    hsp__column_profile_free(&p);
    p = profile_of("1,5|2,25|0,75", 1);
    CHECK(p.content == HSP__CONTENT_NUMBER && p.format.decimal == ',' && p.most == 2.25);
    hsp__column_profile_free(&p);
    p = profile_of("12%|50 %", 1);
    CHECK(p.content == HSP__CONTENT_NUMBER && p.most == 0.5 && p.least == 0.12);
    hsp__column_profile_free(&p);
    p = profile_of("1|2|3|4|5|6|7|8|9|10|11|many", 1);
    CHECK(p.content == HSP__CONTENT_NUMBER && p.misfits == 1);
    hsp__column_profile_free(&p);
}

/* The same texts in two formats; signs that part of the numbers lack; codes. */
static void test_notations(void)
{
    const hsp__number_format german = {',', '.', 1, 1}, comma = {',', 0, 1, 1};
    hsp__column_profile p = profile_of("1.200|500|10.000", 1);
    CHECK(p.most == 500 && !p.integers && hsp__column_profile_holds(&p, '.'));
    CHECK(hsp__column_profile_reads(&p, &german) && !hsp__column_profile_reads(&p, &comma));
    CHECK(hsp__column_profile_otherwise(&p, &german) == 0);
    CHECK(hsp__column_profile_otherwise(&p, &p.format) == HSP__NAME_NONE);
    CHECK(hsp__column_profile_reread(&p, &german));
    CHECK(p.least == 500 && p.median == 1200 && p.most == 10000 && p.integers && !p.misfits);
    hsp__column_profile_free(&p);
    p = profile_of("12%|50 %|3|4|3", 1);
    CHECK(p.percent && p.signless == 3 && p.signless_at == 2 && p.digit_value == 2);
    hsp__column_profile_free(&p);
    p = profile_of("1,5|2.5|3.25|4,75|6.5", 1);
    CHECK(p.content == HSP__CONTENT_CATEGORY && p.mixed[0] == 1 && p.mixed[1] == 0);
    hsp__column_profile_free(&p);
    p = profile_of("01067|04109|80331", 4);
    CHECK(p.code && p.content == HSP__CONTENT_CATEGORY);
    hsp__column_profile_free(&p);
    p = profile_of("1067|04109|80331", 4); /* not of one length */
    CHECK(!p.code && p.content == HSP__CONTENT_NUMBER);
    hsp__column_profile_free(&p);
}

static void test_kinds(void)
{
    hsp__column_profile p = profile_of("2020-01-01|2021-12-31|null", 1);
    CHECK(p.content == HSP__CONTENT_DATE && p.missing == 1);
    CHECK_TEXT(p.date, "%Y-%m-%d");
    hsp__column_profile_free(&p);
    p = profile_of("13/01/2020|02/01/2020", 1);
    CHECK_TEXT(p.date, "%d/%m/%Y");
    hsp__column_profile_free(&p);
    p = profile_of("01/13/2020|01/02/2020", 1);
    CHECK_TEXT(p.date, "%m/%d/%Y");
    hsp__column_profile_free(&p);
    p = profile_of("yes|no|Yes|no", 10);
    CHECK(p.content == HSP__CONTENT_CATEGORY);
    CHECK_TEXT(hsp__names_get(&p.values, p.alike[0]), "yes");
    CHECK_TEXT(hsp__names_get(&p.values, p.alike[1]), "Yes");
    CHECK_TEXT(hsp__names_get(&p.values, p.frequent[0]), "no");
    hsp__column_profile_free(&p);
    p = profile_of("a|a|null|?", 1);
    CHECK(p.content == HSP__CONTENT_CONSTANT && p.missing == 2);
    hsp__column_profile_free(&p);
    p = profile_of("a|a|-|?", 1); /* among words, - is a value */
    CHECK(p.content == HSP__CONTENT_CATEGORY && p.missing == 1 && p.distinct == 2);
    hsp__column_profile_free(&p);
    p = profile_of("||", 1);
    CHECK(p.content == HSP__CONTENT_EMPTY);
    hsp__column_profile_free(&p);
    p = profile_of("it is very good|it is bad|i do not like it", 1);
    CHECK(p.content == HSP__CONTENT_TEXT);
    hsp__column_profile_free(&p);
}

static void test_ids(void)
{
    hsp__column_profile p;
    char text[16];
    for (int form = 0; form < 3; form++) {
        hsp__column_profile_init(&p, &ctx->allocator, &rules, HSP__PROFILE_VALUES);
        for (int i = 0; i < 1000; i++) {
            snprintf(text, sizeof text,
                     form == 0   ? "%d"
                     : form == 1 ? "C-%04d"
                                 : "%d.5",
                     i * 7919 % 1000);
            CHECK(hsp__column_profile_add(&p, text, strlen(text), 1));
        }
        CHECK(hsp__column_profile_finish(&p, 0));
        CHECK(p.content == (form == 2 ? HSP__CONTENT_NUMBER : HSP__CONTENT_ID));
        hsp__column_profile_free(&p);
    }
}

/* More distinct values than are remembered: smallest and largest are still those of all cells. */
static void test_many(void)
{
    hsp__column_profile p;
    char text[16];
    const int rows = 3 * HSP__PROFILE_VALUES;
    hsp__column_profile_init(&p, &ctx->allocator, &rules, HSP__PROFILE_VALUES);
    for (int i = 0; i < rows; i++) {
        snprintf(text, sizeof text, "%d.25", i);
        CHECK(hsp__column_profile_add(&p, text, strlen(text), 1));
    }
    CHECK(hsp__column_profile_add(&p, "huge", 4, 1));
    CHECK(hsp__column_profile_finish(&p, 0));
    CHECK(p.content == HSP__CONTENT_NUMBER && p.least == 0.25 && p.most == rows - 1 + 0.25);
    CHECK(p.misfits == 1 && p.cells == (uint64_t)rows + 1);
    hsp__column_profile_free(&p);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp__cell_rules_init(&rules, &ctx->allocator);
    RUN(test_numbers);
    RUN(test_notations);
    RUN(test_kinds);
    RUN(test_ids);
    RUN(test_many);
    hsp_context_free(ctx);
    return check_done();
}
