/* Tables as people keep them, what is found in them, and what is advised. */
#include "check.h"
#include "halfspace_all.h"

static hsp_context *ctx;

/* The profile of a text, read with an option. */
static hsp_profile *profile_with(const char *text, const char *option, const char *value)
{
    hsp_profile *profile = NULL;
    hsp_options *read = NULL;
    hsp_error err = HSP_ERROR_INIT;
    CHECK(hsp_options_new(ctx, hsp_read_options(), &err, &read) == HSP_OK);
    if (option) CHECK(hsp_options_set(read, option, value, &err) == HSP_OK);
    CHECK(hsp_profile_parse(ctx, text, strlen(text), "t.csv", read, NULL, &err, &profile) ==
          HSP_OK);
    hsp_options_free(read);
    return profile;
}

static hsp_profile *profile_of(const char *text)
{
    return profile_with(text, NULL, NULL);
}

static const hsp_profile_column *column_of(const hsp_profile *profile, uint64_t i)
{
    const hsp_profile_column *column = hsp_profile_column_at(profile, i);
    CHECK(column);
    return column;
}

/* Is there a finding with these words and this argument (NULL: none)? */
static int finds(const hsp_profile *profile, const char *words, const char *argument)
{
    const hsp_finding *finding;
    for (uint64_t i = 0; (finding = hsp_profile_finding(profile, i)); i++)
        if (strstr(finding->sentence, words) &&
            (argument ? finding->argument && strcmp(finding->argument, argument) == 0
                      : !finding->argument))
            return 1;
    for (uint64_t i = 0; (finding = hsp_profile_finding(profile, i)); i++)
        printf("  found: %s [%s]\n", finding->sentence,
               finding->argument ? finding->argument : "no option");
    return 0;
}

static void test_kinds(void)
{
    hsp_profile *p = profile_of("n,d,c,k,e,y\n1,2020-01-31,red,x,,a\n3,2021-02-01,blue,x,NA,b\n"
                                "2,2020-03-01,red,x,?,a\n");
    const hsp_profile_totals *all = hsp_profile_table(p);
    CHECK(all->rows == 3 && all->columns == 6 && all->header && all->complete && all->label == 5);
    CHECK_TEXT(all->separator, ",");
    CHECK_TEXT(column_of(p, 0)->kind, "number");
    CHECK(column_of(p, 0)->min == 1 && column_of(p, 0)->median == 2 && column_of(p, 0)->max == 3);
    CHECK_TEXT(column_of(p, 1)->kind, "date");
    CHECK_TEXT(column_of(p, 1)->format, "%Y-%m-%d");
    CHECK(column_of(p, 1)->min == 18292 && column_of(p, 1)->max == 18659);
    CHECK_TEXT(column_of(p, 2)->kind, "category");
    CHECK_TEXT(column_of(p, 2)->frequent[0], "red");
    CHECK(column_of(p, 2)->frequent_cells[0] == 2 && column_of(p, 2)->distinct == 2);
    CHECK_TEXT(column_of(p, 2)->examples[1], "blue");
    CHECK(!column_of(p, 2)->examples[2]);
    CHECK_TEXT(column_of(p, 3)->kind, "constant");
    CHECK_TEXT(column_of(p, 4)->kind, "empty");
    CHECK(column_of(p, 4)->missing == 3);
    CHECK(column_of(p, 5)->label && !column_of(p, 0)->label);
    CHECK(!hsp_profile_column_at(p, 6));
    CHECK(finds(p, "Columns k, e have the same value", "--ignore k,e"));
    hsp_profile_free(p);
}

static void test_rows(void)
{
    hsp_profile *p = profile_of("a,b,y\n1,2,x\n1,2\n3,4,y\n1,2,3,4\n\"5\"6,7,x\n5,7,x\n");
    const hsp_profile_totals *all = hsp_profile_table(p);
    CHECK(all->rows == 6 && all->ragged == 2 && all->ragged_line == 3);
    CHECK(all->misquoted == 1 && all->misquoted_line == 6);
    CHECK(column_of(p, 0)->distinct == 3);
    hsp_profile_free(p);
    p = profile_of("a,b,y\n");
    CHECK(hsp_profile_table(p)->rows == 0 && hsp_profile_table(p)->columns == 3);
    CHECK(finds(p, "There are no rows", NULL));
    hsp_profile_free(p);
    p = profile_of("a\"b,y\n1,2\n3,4\n"); /* the header has a stray quote */
    CHECK(hsp_profile_table(p)->columns == 2 && hsp_profile_table(p)->rows == 3);
    CHECK(hsp_profile_table(p)->misquoted == 1 && column_of(p, 0)->max == 3);
    hsp_profile_free(p);
    p = profile_of("a,y\n\"1,2\n3,4\n5,6\n"); /* a quote that is never closed */
    CHECK(hsp_profile_table(p)->misquoted == 1 && column_of(p, 0)->max == 5);
    hsp_profile_free(p);
}

static void test_label(void)
{
    hsp_profile *p = profile_of("churn,x\n0,1.5\n1,2.5\n0,3.5\n");
    CHECK(hsp_profile_table(p)->label == 0);
    CHECK(finds(p, "Column churn probably holds the labels", "--label churn"));
    hsp_options *read = NULL;
    hsp_data *data = NULL;
    hsp_error err = HSP_ERROR_INIT;
    CHECK(hsp_options_new(ctx, hsp_read_options(), &err, &read) == HSP_OK);
    CHECK(hsp_profile_advise(p, read, &err) == HSP_OK);
    CHECK_TEXT(hsp_options_text(read, "label"), "churn");
    CHECK(hsp_profile_read(ctx, p, read, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_data_rows(data) == 3 && hsp_data_classes(data) == 2 && hsp_data_cols(data) == 1);
    hsp_data_free(data);
    hsp_options_free(read);
    hsp_profile_free(p);
    p = profile_with("churn,x\n0,1.5\n1,2.5\n0,3.5\n", "label", "nothing");
    CHECK(finds(p, "There is no column 'nothing'", "--label churn"));
    hsp_profile_free(p);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_kinds);
    RUN(test_rows);
    RUN(test_label);
    hsp_context_free(ctx);
    return check_done();
}
