/* Tables as people keep them, what is found in them, and what is advised. */
#include <stdlib.h>

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

/* Each notation of numbers and dates, and what it advises. */
static void test_notations(void)
{
    hsp_profile *p = profile_of("a,b,y\n\"1,234\",$5,u\n\"12,345\",$6,v\n99,$7.50,u\n");
    CHECK(column_of(p, 0)->max == 12345 && column_of(p, 1)->max == 7.5);
    CHECK(finds(p, "Numbers of column a have a comma between thousands", "--thousands ,"));
    CHECK(finds(p, "Column b has numbers with a currency sign", "--currency"));
    hsp_profile_free(p);
    p = profile_of("a;b;y\n1,5;12%;u\n2,25;50 %;v\n0,125;7%;u\n");
    CHECK(column_of(p, 0)->min == 0.125 && column_of(p, 1)->max == 0.5);
    CHECK(finds(p, "Numbers of column a have a decimal comma", "--decimal ,"));
    CHECK(finds(p, "Column b has numbers with a percent sign", "--percent"));
    hsp_profile_free(p);
    p = profile_of("a;y\n1,125;u\n0,250;v\n"); /* among semicolons, a comma is decimal */
    CHECK(column_of(p, 0)->max == 1.125);
    hsp_profile_free(p);
    p = profile_of("a;y\n1.234,5;u\n1.500;v\n");
    CHECK(column_of(p, 0)->max == 1500);
    CHECK(finds(p, "a point between thousands", "--thousands point"));
    hsp_profile_free(p);
    p = profile_of("a,b,c,y\n2020-01-31,1.2.2020,2020-02-03,u\n2020-03-31,31.2.2020,2020-02-04,v\n"
                   "2020-04-30,31.1.2020,2020-02-05,v\n");
    CHECK_TEXT(column_of(p, 1)->kind, "category"); /* there is no 31 February */
    CHECK(finds(p, "Columns a, c hold dates", "--date a,c=%Y-%m-%d"));
    hsp_profile_free(p);
    p = profile_of("a,b,y\n\"Jan 2, 2020\",29.2.2020,u\n\"Feb 3, 2020\",1.3.2020,v\n");
    CHECK(finds(p, "Column a holds dates", "--date 'a=%b %d, %Y'"));
    CHECK(finds(p, "Column b holds dates", "--date b=%d.%m.%Y"));
    hsp_profile_free(p);
    p = profile_with("a;y\n1,5;u\n2,5;v\n", "decimal", "comma");
    CHECK(!hsp_profile_finding(p, 0)); /* the user has said so */
    hsp_profile_free(p);
}

static void test_marks(void)
{
    hsp_profile *p = profile_of("n,c,y\n1,red,a\nN/A,-,b\nunknown,blue,a\n2,red,b\n3,red,a\n"
                                "4,red,b\n5,red,a\n6,red,b\n7,red,a\n8,red,b\n9,red,b\n");
    CHECK(column_of(p, 0)->missing == 1 && column_of(p, 1)->missing == 0);
    CHECK(finds(p, "Columns n, c have texts that probably mark missing", "--na unknown,-"));
    CHECK(finds(p, "3 values are missing, in columns n, c", "--missing mean"));
    hsp_profile_free(p);
    p = profile_of("n,y\n1,+\n-,-\n3,+\n?,-\n"); /* a label may be called - */
    CHECK(column_of(p, 0)->missing == 2 && column_of(p, 1)->missing == 0);
    CHECK(column_of(p, 1)->distinct == 2);
    CHECK(finds(p, "2 values are missing, in column n.", "--missing indicator"));
    hsp_profile_free(p);
}

/* 300 rows of two cells that differ, a number between two texts each, and a label. */
static hsp_profile *profile_rows(const char *header, const char *const with[4])
{
    enum { ROWS = 300 };
    char *text = malloc(ROWS * 64), *at = text;
    CHECK(text);
    at += sprintf(at, "%s\n", header);
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "%s%d%s,%s%04d%s,%s\n", with[0], i, with[1], with[2], i * 7919 % 1009,
                      with[3],
                      i % 12 == 0 ? "yes"
                      : i % 3     ? "no"
                                  : "No");
    hsp_profile *profile = profile_of(text);
    free(text);
    return profile;
}

static void test_tables(void)
{
    hsp_profile *p = profile_rows("id,x,y", (const char *const[]){"C-", "", "", ".5"});
    CHECK_TEXT(column_of(p, 0)->kind, "id");
    CHECK(finds(p, "Column id is an id", "--ignore id"));
    CHECK(finds(p, "'no' has 91.7% of the rows, 'yes' 8.3%", "--weight balanced"));
    CHECK(finds(p, "Always answering 'no' is right on 91.7%", "--score auc"));
    CHECK(
        finds(p, "Values of column y differ only in case, such as 'no' and 'No'", "--ignore-case"));
    hsp_profile_free(p);
    p = profile_rows("a,target,kind", (const char *const[]){"", ".25", "", ".5"});
    CHECK(finds(p, "The label, column target, is a number with 300 values: a quantity",
                "--label kind"));
    hsp_profile_free(p);
    p = profile_rows("a,kind,z", (const char *const[]){"", ".5", "K", ""});
    CHECK(hsp_profile_table(p)->label == 2);
    hsp_profile_free(p);
    p = profile_with("x,kind,remark\n1,a,it was very good\n2,b,not so bad at all\n"
                     "3,a,we would come again\n4,b,never ever come here\n",
                     "label", "remark");
    CHECK(finds(p, "The label, column remark, is free text with 4 values", "--label kind"));
    hsp_profile_free(p);
    p = profile_rows("a,b,y", (const char *const[]){"", ".25", "0.", ""});
    CHECK(finds(p, "The columns differ widely in range: column a spans 299, column b 0.1",
                "--scale standard"));
    hsp_profile_free(p);
    p = profile_rows("first name,a,y", (const char *const[]){"Jo ", "", "", ".5"});
    CHECK(finds(p, "Column first name is an id", "--ignore 'first name'"));
    hsp_profile_free(p);
    p = profile_rows("user_id,paid,y", (const char *const[]){"1", "3", "77", ""});
    CHECK_TEXT(column_of(p, 0)->kind, "id");
    CHECK_TEXT(column_of(p, 1)->kind, "number");
    hsp_profile_free(p);
    p = profile_of("floor,price\n1,1.25\n2,2.5\n1,1.5\n2,2.25\n");
    CHECK(finds(p, "Column floor probably holds the labels", "--label floor"));
    hsp_profile_free(p);
    p = profile_rows("a,b,y", (const char *const[]){"", ".5", "it is number ", ""});
    CHECK_TEXT(column_of(p, 1)->kind, "text");
    hsp_profile_free(p);
}

/* Neither a table nor text: an error with a sentence; other formats have no columns. */
static void test_not_tables(void)
{
    hsp_profile *p = NULL;
    hsp_error err = HSP_ERROR_INIT;
    static const char utf16[] = "\xff\xfe"
                                "a\0,\0b\0\n";
    CHECK(hsp_profile_parse(ctx, "", 0, "t.csv", NULL, NULL, &err, &p) == HSP_BAD_DATA);
    CHECK(hsp_profile_parse(ctx, utf16, sizeof utf16 - 1, "t.csv", NULL, NULL, &err, &p) ==
          HSP_BAD_DATA);
    CHECK(strstr(err.message, "iconv"));
    CHECK(hsp_profile_parse(ctx, "\0\1,\2\n", 6, "t.csv", NULL, NULL, &err, &p) == HSP_BAD_DATA);
    CHECK(!p);
    CHECK(hsp_profile_parse(ctx, "1 1:2\n", 6, "t", NULL, NULL, &err, &p) == HSP_OK);
    CHECK_TEXT(hsp_profile_table(p)->format, "libsvm");
    CHECK(!hsp_profile_column_at(p, 0));
    hsp_profile_free(p);
    p = profile_of("word\none\ntwo\none\n");
    CHECK(hsp_profile_table(p)->columns == 1 && column_of(p, 0)->distinct >= 2);
    hsp_profile_free(p);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Several files are one table, up to the first that does not fit. */
static void test_files(void)
{
    char folder[] = "/tmp/halfspace-profile-XXXXXX", one[64], two[64], both[160];
    CHECK(mkdtemp(folder));
    snprintf(one, sizeof one, "%s/a.csv", folder);
    snprintf(two, sizeof two, "%s/b.csv", folder);
    snprintf(both, sizeof both, "%s\n%s", one, two);
    write_text(one, "x,c,y\n1,a,u\n2,b,v"); /* no end of line */
    write_text(two, "x,c,y\n10,c,u\n1\n\"1,200\",b,v\n");
    hsp_profile *p = NULL;
    hsp_data *data = NULL;
    hsp_error err = HSP_ERROR_INIT;
    CHECK(hsp_profile_file(ctx, both, NULL, NULL, &err, &p) == HSP_OK);
    const hsp_profile_totals *all = hsp_profile_table(p);
    CHECK(all->rows == 5 && all->complete && all->ragged == 1 && all->ragged_line == 3);
    CHECK(column_of(p, 0)->max == 1200 && column_of(p, 1)->distinct == 3);
    CHECK(finds(p, "line 3 of ", "--on-error skip"));
    CHECK(finds(p, "a comma between thousands", "--thousands ,"));
    hsp_profile_free(p);
    write_text(two, "x,d,y\n10,c,u\n");
    CHECK(hsp_profile_file(ctx, both, NULL, NULL, &err, &p) == HSP_OK);
    CHECK(hsp_profile_table(p)->rows == 2 && !hsp_profile_table(p)->complete);
    CHECK(hsp_profile_read(ctx, p, NULL, NULL, &err, &data) == HSP_BAD_DATA && !data);
    CHECK(strstr(err.message, "expected 'c'"));
    hsp_profile_free(p);
    write_text(two, "x,c,y\n10,c,u\n");
    CHECK(hsp_profile_file(ctx, both, NULL, NULL, &err, &p) == HSP_OK);
    CHECK(hsp_profile_read(ctx, p, NULL, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_data_rows(data) == 3 && hsp_profile_table(p)->rows == 3);
    hsp_data_free(data);
    hsp_profile_free(p);
    CHECK(remove(one) == 0 && remove(two) == 0 && remove(folder) == 0);
}

/* Many columns: each remembers fewer values, and there is one finding for all of them. */
static void test_wide(void)
{
    enum { COLUMNS = 5000 };
    char *text = malloc(COLUMNS * 24), *at = text;
    CHECK(text);
    for (int row = 0; row < 4; row++)
        for (int j = 0; j < COLUMNS; j++)
            at += sprintf(at, row ? "%d%s" : "v%d%s", row ? j % 3 * row : j,
                          j + 1 < COLUMNS ? "," : "\n");
    hsp_profile *p = profile_of(text);
    CHECK(hsp_profile_table(p)->columns == COLUMNS && hsp_profile_table(p)->rows == 3);
    CHECK(hsp_profile_finding(p, 0) && !hsp_profile_finding(p, 5));
    hsp_profile_free(p);
    free(text);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_kinds);
    RUN(test_rows);
    RUN(test_label);
    RUN(test_notations);
    RUN(test_marks);
    RUN(test_tables);
    RUN(test_not_tables);
    RUN(test_files);
    RUN(test_wide);
    hsp_context_free(ctx);
    return check_done();
}
