/* Tables as people write them: marks of missing values, notations of numbers, dates, lists of columns,
 * rows that cannot be read, too many categories. docs/csv.md has the rules. */
#include "base/text.h"
#include "data/csv_helpers.h"

/* Marks of missing values: by the kind of the column, and by the option. */
static void test_marks(void)
{
    const char *numbers = "x,c\n1,y\n-,y\nNone,n\n.,y\nn/a,y\n#N/A,y\nNULL,y\n--,y\n";
    expect(numbers, LIST("missing=mean"), "x|n y|y: 1|y: 1|n: 1|y: 1|y: 1|y: 1|y: 1|y: 1");
    /* in a column of words, none and - are words, N/A and null are not */
    expect("x,c\nnone,y\n-,y\nN/A,n\nnull,y\na,n\n", LIST("missing=mean"),
           "x=- x=a x=none|n y|y: 0 0 1|y: 1 0 0|n: 0 0 0|y: 0 0 0|n: 0 1 0");
    /* without any number, - is no missing number */
    expect("x,z,c\n-,1,y\nnone,2,y\n-,3,n\n", NULL, "x=- x=none z|n y|y: 1 0 1|y: 0 1 2|n: 1 0 3");
    expect("x,c\n-999,y\n3,y\nunknown,n\nUNKNOWN,n\n", LIST("missing=mean", "na=-999,Unknown"),
           "x|n y|y: 3|y: 3|n: 3|n: 3");
    expect("x,c\n5,y\n\"a,b\",y\n", LIST("missing=mean", "na=\"a,b\""), "x|y|y: 5|y: 5");
    expect("x,c\n5,y\n6,gone\n", LIST("missing=drop", "na=gone"), "x|y|y: 5");
    expect("size,c\nS,y\nnull,y\n", LIST("ordinal=size=null<S"), "size|y|y: 1|y: 0");
    /* an encoding that lists a value knows better */
    hsp_error err = {0};
    hsp_data *data = parse("x,c\nnone,y\na,n\n", NULL, NULL, &err);
    if (!data) abort();
    hsp_data *later =
        parse("x,c\nnone,y\nNone,n\nN/A,n\n", LIST("missing=drop"), hsp_data_encoding(data), &err);
    if (later) CHECK_TEXT(dump(later), "x=a x=none|n y|y: 0 1|n: 0 0");
    CHECK(later != NULL);
    hsp_data_free(later);
    hsp_data_free(data);
}

static void test_number_formats(void)
{
    const char *german = "b;q;c\n1.234,5;5 %;y\n-2,25;7,5%;n\n-;12%;y\n1e3;0%;y\n";
    const char *const rules[] = {"decimal=comma", "thousands=.", "percent=yes", "missing=mean",
                                 NULL};
    hsp_error err = {0};
    expect("a,b,c\n\"1,5\",2,y\n3,4,n\n", LIST("decimal=,"), "a b|n y|y: 1.5 2|n: 3 4");
    expect("a;c\n1.5;y\n3;n\n", LIST("decimal=,"), "a=1.5 a=3|n y|y: 1 0|n: 0 1");
    expect("a;b;c\n\"1,234,567\";$ 5;y\n99;(7.25 USD);n\n", LIST("thousands=comma", "currency=yes"),
           "a b|n y|y: 1.23457e+06 5|n: 99 -7.25");
    expect(german, rules, "b q|n y|y: 1234.5 0.05|n: -2.25 0.075|y: 744.083 0.12|y: 1000 0");
    hsp_data *data = parse(german, rules, NULL, &err);
    if (!data) abort();
    const hsp_encoding *encoding = hsp_data_encoding(data);
    hsp_data *later = parse("q;b;c\n3,5%;2.000;y\n", NULL, encoding, &err);
    CHECK_TEXT(later ? dump(later) : err.message, "b q|n y|y: 2000 0.035");
    hsp_data_free(later);
    later = parse("q;b;c\n3,5;2.000;y\n", NULL, encoding, &err);
    CHECK(!later &&
          strstr(err.message, "column 'q': found '3,5', expected a percent sign, as in the data "));
    later =
        parse("q,b,c\n3.5%,2000.25,y\n", LIST("decimal=point", "thousands=none"), encoding, &err);
    CHECK_TEXT(later ? dump(later) : err.message, "b q|n y|y: 2000.25 0.035");
    hsp_data_free(later);
    hsp_data_free(data);
    expect("a;c\n1,5;y\n5%;n\n", LIST("decimal=,", "percent=yes"),
           "2:1: column 'a': found '1,5', expected a percent sign, as other rows have; the column "
           "must have one in all of its cells or in none");
    expect("a;c\n1;y\n", LIST("thousands=."),
           "0:0: '.' is also the decimal sign; use --decimal comma with --thousands point");
    expect("a;c\n1;y\n", LIST("decimal=x"), "0:0: found 'x', expected a point or a comma");
}

/* Options that take columns take lists of them; names with commas stay reachable. */
static void test_column_lists(void)
{
    const char *text = "id,\"a,b\",n,when,c\n7,1,2,3,y\n8,4,5,6,n\n";
    expect(text, LIST("ignore=id,when"), "a,b n|n y|y: 1 2|n: 4 5");
    expect(text, LIST("ignore= 1 , when "), "a,b n|n y|y: 1 2|n: 4 5");
    expect(text, LIST("ignore=a,b", "ignore=id"), "n when|n y|y: 2 3|n: 5 6");
    expect(text, LIST("ignore=id,\"a,b\",n"), "when|n y|y: 3|n: 6");
    expect(text, LIST("ignore=id,when", "categorical=n,\"a,b\""),
           "a,b=1 a,b=4 n=2 n=5|n y|y: 1 0 1 0|n: 0 1 0 1");
    expect("s,t,c\nA,B,y\nB,A,n\n", LIST("ordinal=s,t=A<B"), "s t|n y|y: 0 1|n: 1 0");
    expect(text, LIST("ignore=id,id"), "0:0: ignore: column 'id' is used by another option");
    expect(text, LIST("ignore=ID"), "0:0: ignore: there is no column 'ID'; did you mean 'id'?");
    expect(text, LIST("label=C"), "0:0: label: there is no column 'C'; did you mean 'c'?");
    expect("y,x\nb,1\na,2\n", LIST("label=first"), "x|a b|b: 1|a: 2");
    expect("x,first\n1,b\n2,a\n", LIST("label=first"), "x|a b|b: 1|a: 2");
    expect("first,last,x\n1,b,q\n2,a,r\n", NULL, "first last=a last=b|q r|q: 1 0 1|r: 2 1 0");
}

/* The line that spreadsheets write and understand. */
static void test_excel_line(void)
{
    expect("sep=;\nx;c\n1,5;y\n2;n\n", LIST("decimal=,"), "x|n y|y: 1.5|n: 2");
    expect("\xef\xbb\xbfSEP=|\r\nx|c\r\n1|y\r\nz|n\r\n", NULL, "x=1 x=z|n y|y: 1 0|n: 0 1");
    expect("sep=,\n1,y\n2,n\n", NULL, "c1|n y|y: 1|n: 2");
    expect("sep=;\nx;c\n1;y\ninf;n\n", NULL,
           "4:1: column 'x': found 'inf', expected a finite number");
    expect("sep=;\n1;y\ninf;n\n", NULL, "3:1: column 'c1': found 'inf', expected a finite number");
    expect("sep=,c\n1,y\n2,n\n", NULL, "sep=|n y|y: 1|n: 2");
}

/* Rows that cannot be read are left out, counted, and nothing of them remains. */
static void test_skip(void)
{
    const char *text =
        "x,job,c\n1,a,y\n2,b\n3,a,n\nfour,z,y\n5,\"a\"b,y\n,a,n\n6,b,n\n7,a,y\n8,a,y\n"
        "9,a,y\n1,a,y\n2,a,y\n3,a,y\n4,a,n,\n";
    const char *want = "x job=a job=b|n y|y: 1 1 0|n: 3 1 0|n: 6 0 1|y: 7 1 0|y: 8 1 0|y: 9 1 0"
                       "|y: 1 1 0|y: 2 1 0|y: 3 1 0";
    expect(text, LIST("on-error=skip"), want);
    CHECK(strstr(heard, "WARNING test: 5 of 14 rows cannot be read and were left out; the first, "
                        "test:3: found 2 fields, expected 3"));
    expect("x,c\n1,a\n2\n", LIST("on-error=skip"), "x|a|a: 1");
    CHECK(strstr(heard, "1 of 2 rows cannot be read and was left out"));
    /* a missing value is an error like others, if the options say so */
    expect("x,c\n1,a\n,b\n2,a\n", LIST("on-error=skip"), "x|a|a: 1|a: 2");
    expect("x,c\n1,a\n,b\n2,a\n", LIST("on-error=skip", "missing=mean"), "x|a b|a: 1|b: 1.5|a: 2");
    expect("x,c\n1\n2\n", LIST("on-error=skip", "header=yes"),
           "2:0: none of 2 rows can be read; the first: found 1 field, expected 2");
    /* an open quote costs its line, not the rest of the file */
    expect("x,n,c\n1,2,a\n\"2,3,b\n3,4,b\n4,5,a\n", LIST("on-error=skip"),
           "x n|a b|a: 1 2|b: 3 4|a: 4 5");
    expect("x,c\n1,a\n", LIST("rejects=r.csv"), "0:0: there are none without --on-error skip");
    /* however the text is cut, as long as quotes are in place */
    hsp_error err = {0};
    hsp_data *whole = parse(text, LIST("on-error=skip"), NULL, &err);
    for (size_t block = 1; whole && block < 40; block++) {
        hsp_context *ctx = test_context(2, block);
        hsp_data *cut = parse_with(ctx, text, strlen(text), LIST("on-error=skip"), NULL, &err);
        CHECK(cut && test_same(whole, cut, 1));
        hsp_data_free(cut);
        hsp_context_free(ctx);
    }
    CHECK(whole != NULL);
    hsp_data_free(whole);
}

/* Columns with many values are refused, with what to do about each. */
static void test_max_categories(void)
{
    hsp__text text;
    hsp_context *ctx = test_context(1, 0);
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_puts(&text, "id,when,pay,city,c\n");
    for (int i = 0; i < 120; i++)
        hsp__text_printf(&text, "a%d,2020-%d-%d,\"$ %d,%d\",city%d,%s\n", i, i % 12 + 1, i / 12 + 1,
                         i % 7 + 1, 100 + i * 7, i % 110, i % 3 ? "y" : "n");
    expect(text.data, NULL,
           "0:0: more than --max-categories 100: column 'id' has 120 different values ('a0', 'a1', "
           "...): an id, which no two rows share: use --ignore 'id'; column 'when' has 120 "
           "different values ('2020-1-1', '2020-2-1', ...): dates: use --date 'when=%Y-%m-%d'; and "
           "2 more columns. 'halfspace inspect' lists all columns and the options to use; "
           "--categorical "
           "COLUMNS makes a feature of each value");
    expect(text.data, LIST("ignore=id,when"),
           "0:0: more than --max-categories 100: column 'pay' has 120 different values ('$ 1,100', "
           "'$ 2,107', ...): numbers: use --thousands ',' --currency; column 'city' has 110 "
           "different values ('city0', 'city1', ...): use --hash 'city' or --ignore "
           "'city'. 'halfspace inspect' lists all columns and the options to use; --categorical "
           "COLUMNS makes a feature of each value");
    hsp_error err = {0};
    hsp_data *data = parse(text.data, LIST("ignore=id,when,pay", "max-categories=110"), NULL, &err);
    CHECK(data && hsp_data_cols(data) == 110);
    hsp_data_free(data);
    data = parse(text.data, LIST("ignore=id,when,pay", "categorical=city"), NULL, &err);
    CHECK(data && hsp_data_cols(data) == 110);
    hsp_data_free(data);
    data = parse(text.data, LIST("label=id", "ignore=when,city", "thousands=,", "currency=yes"),
                 NULL, &err); /* labels may be many */
    CHECK(data && hsp_data_classes(data) == 120);
    hsp_data_free(data);
    hsp__text_free(&text);
    hsp_context_free(ctx);
}

/* Dates become days since 1970-01-01 and other parts. */
static void test_dates(void)
{
    const char *text = "x,day,c\n1,1970-01-02,y\n2,2020-02-29,n\n3,,y\n";
    expect(text, LIST("date=day", "missing=mean"), "x day|n y|y: 1 1|n: 2 18321|y: 3 9161");
    CHECK(strstr(heard, "dates: day (%Y-%m-%d)"));
    expect(
        text, LIST("date=day:year,month,weekday", "missing=indicator"),
        "x day.year day.month day.weekday day=?|n y|y: 1 1970 1 5 0|n: 2 2020 2 6 0|y: 3 0 0 0 1");
    expect(text, LIST("date=2=%Y-%m-%d:days,year", "missing=drop"),
           "x day day.year|n y|y: 1 1 1970|n: 2 18321 2020");
    expect(text, LIST("date=day=%d.%m.%Y", "missing=drop"),
           "2:3: column 'day': found '1970-01-02', expected a date in the format %d.%m.%Y");
    /* several columns, formats with commas, names with colons */
    expect("a:b;when;c\n2.1.1970;Mar 1, 1970;y\n3.1.1970;Mar 2, 1970;n\n",
           LIST("date=a:b,when=%b %d, %Y:days,month"),
           "a:b when when.month|n y|y: 1 59 3|n: 2 60 3");
    /* day or month first: the file says which, or the user must */
    expect("d,c\n3/4/2020,y\n25/12/2020,n\n", LIST("date=d:month"), "d.month|n y|y: 4|n: 12");
    expect("d,c\n3/4/2020,y\n5/12/2020,n\n", LIST("date=d"),
           "0:0: '3/4/2020' of column 'd' may be %d/%m/%Y or %m/%d/%Y; say which: --date "
           "'d=%d/%m/%Y'");
    expect("d,c\n4/4/2020,y\n5/5/2020,n\n", LIST("date=d:month"), "d.month|n y|y: 4|n: 5");
    expect("d,c\nsoon,y\n2020-01-01,n\n", LIST("date=d"),
           "0:0: no known format of dates fits column 'd', which has soon; give it, as in --date "
           "'d=%d.%m.%Y'");
    expect(text, LIST("date=day=%Y"),
           "0:0: '%Y' is no format with a year, a month and a day, such "
           "as %Y-%m-%d (%Y %y %m %b %d %H %M %S)");
    expect(text, LIST("date=Day"), "0:0: date: there is no column 'Day'; did you mean 'day'?");
    expect(text, LIST("date=day:hour"),
           "0:0: 'hour' of column 'day' is no list of days, year, month and weekday");
    expect(text, LIST("date=day", "ignore=day"), "0:0: column 'day' is used by another option");
    /* the time of day, close together: in double precision */
    expect("d,c\n2020-01-01 06:00,y\n2020-01-01 18:00,n\n", LIST("date=d"),
           "d|n y|y: 18262.2|n: 18262.8");
    CHECK(strstr(heard, "double"));
    /* rows of another file by the encoding */
    hsp_error err = {0};
    hsp_data *data = parse(text, LIST("date=day:days,month", "missing=mean"), NULL, &err);
    if (!data) abort();
    hsp_data *later = parse("day,x\n2020-03-01,7\nN/A,8\n", NULL, hsp_data_encoding(data), &err);
    CHECK_TEXT(later ? dump(later) : err.message, "x day day.month||: 7 18322 3|: 8 9161 1.5");
    hsp_data_free(later);
    hsp_data_free(data);
}

int main(void)
{
    RUN(test_marks);
    RUN(test_number_formats);
    RUN(test_column_lists);
    RUN(test_excel_line);
    RUN(test_skip);
    RUN(test_max_categories);
    RUN(test_dates);
    return check_done();
}
