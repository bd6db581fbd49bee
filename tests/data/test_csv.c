/* Reading CSV: what each rule of docs/csv.md says, errors with their places, encodings applied to
 * other files, and that neither threads nor the cutting into blocks can be seen in the result. */
#include "data/csv_helpers.h"

#include "base/random.h"
#include "base/text.h"
#include "data/encode.h"

static void test_plain(void)
{
    expect("x,y,class\n1,2.5,no\n-3,4e1,yes\n", NULL, "x y|no yes|no: 1 2.5|yes: -3 40");
    expect("1,2.5,no\n-3,4e1,yes\n", NULL, "c1 c2|no yes|no: 1 2.5|yes: -3 40");
    expect("1,2,+1\n3,4,-1.0\n5,6,1e0\n", NULL, "c1 c2|-1 1|1: 1 2|-1: 3 4|1: 5 6");
    expect("5.1,3.5,1.4,0.2,Iris-setosa\n7.0,3.2,4.7,1.4,Iris-versicolor\n", NULL,
           "c1 c2 c3 c4|Iris-setosa Iris-versicolor|Iris-setosa: 5.1 3.5 1.4 0.2"
           "|Iris-versicolor: 7 3.2 4.7 1.4");
}

static void test_line_ends(void)
{
    const char *want = "x|a b|a: 1|b: 2";
    expect("x,y\r\n1,a\r\n2,b\r\n", NULL, want);
    expect("x,y\n1,a\n2,b", NULL, want);
    expect("x,y\r\n1,a\r\n2,b\r", NULL, want);
    expect("\xef\xbb\xbfx,y\n1,a\n2,b\n", NULL, want);
    expect("\n\n  \nx,y\n\r\n1,a\n \t \n\n2,b\n\n\n", NULL, want);
    expect("1,a\n\n2,b\n", LIST("header=no"), "c1|a b|a: 1|b: 2");
    expect("y,x\na,1\nb,2", LIST("label=1"), want);
    expect("y,x\r\na,1\r\nb,2\r", LIST("label=1"), want);
    expect("x,y\r1,a\r2,b\r", NULL,
           "1:1: lines end in carriage returns alone, expected newlines (tr '\\r' '\\n')");
}

static void test_spaces(void)
{
    expect("39, Private , 77516,<=50K\n 50 ,Local,83311 , >50K \n", NULL,
           "c1 c2=Local c2=Private c3|<=50K >50K|<=50K: 39 0 1 77516|>50K: 50 1 0 83311");
    expect(" x , y \n 1 , a b \n 2 , c \n", NULL, "x|a b c|a b: 1|c: 2");
    /* a word seen between quotes, with a space, is not the one without */
    expect("x,y\n1,\" a\"\n1,\"b \"\n2,  a\n2,b \n2,a\n2,b\n3,\" a\"\n3,\t a\n", NULL,
           "x| a a b b | a: 1|b : 1|a: 2|b: 2|a: 2|b: 2| a: 3|a: 3");
    expect("x, y\n1, \" a\"\n2, \"b \" \n", NULL, "x| a b | a: 1|b : 2");
}

static void test_quotes(void)
{
    expect("\"x\",\"y, z\",c\n\"1\",\"2\",\"say \"\"hi\"\"\"\n3,4,\"\"\"\"\n", NULL,
           "x y, z|\" say \"hi\"|say \"hi\": 1 2|\": 3 4");
    expect("x,c\n1,\"two\nlines\"\n2,\"a,b\"\n", NULL, "x|a,b two\nlines|two\nlines: 1|a,b: 2");
    expect("x,c\n1,\"a\"\n2,a\n3,\"a\"\r\n4,\"a\" \n5,\"a\"", NULL, "x|a|a: 1|a: 2|a: 3|a: 4|a: 5");
    expect("c,x\n\"a\",1\na,2\n\"a\" ,3\n\"a\"\"\",4\n \"a\",5\n", LIST("label=1"),
           "x|a a\"|a: 1|a: 2|a: 3|a\": 4|a: 5");
    expect("x,c\n1,\"a\"\"\n\"\"b\"\n2,bad,\n", NULL, "4:0: found 3 fields, expected 2");
    expect("x,c\n1,a\n2,b\"c\n", NULL,
           "3:4: found a quote in the middle of a field that does not begin with one (quote the "
           "whole field, and double the quotes in it)");
    expect("x,c\n1,a\n2,\"b\"c\n", NULL,
           "3:6: found text after a closing quote, expected the separator or the end of the line "
           "(double a quote inside quotes)");
    expect("x,c\n1,a\n2,\"b\nc\"d\n", NULL,
           "4:3: found text after a closing quote, expected the separator or the end of the line "
           "(double a quote inside quotes)");
    expect("x,c\n1,a\n2,  \"b\n\n", NULL, "3:5: the quote that opens here is never closed");
    expect("\"x,c\n1,a\n", NULL, "1:1: the quote that opens here is never closed");
}

static void test_separators(void)
{
    const char *want = "x y|a b|a: 1 2|b: 3 4";
    expect("x;y;c\n1;2;a\n3;4;b\n", NULL, want);
    expect("x\ty\tc\n1\t2\ta\n3\t4\tb\n", NULL, want);
    expect("x|y|c\n1|2|a\n3|4|b\n", NULL, want);
    expect("x:y:c\n1:2:a\n3:4:b\n", LIST("separator=:"), want);
    expect("x y  c\n  1 \t2 a\n3   4 b  \r\n", LIST("separator=space"), want);
    expect("x y \"c d\"\n1 \"2\" a\n3 4 \"b\"\n", LIST("separator=space"), want);
    expect("x\ty\tc\n1\t2\ta\n3\t4\tb\n", LIST("format=tsv"), want);
    expect("x\ty\tc\n1\t\ta\n3\t4\tb\n", LIST("format=tsv", "missing=drop"), "x y|b|b: 3 4");
    /* commas in words do not mislead: only semicolons give every record the same number */
    expect("x;c\n1;a, b\n2;c\n", NULL, "x|a, b c|a, b: 1|c: 2");
    expect("x,c\n1,a\n", LIST("separator=tab"),
           "0:0: no column is left for features: all 1 are the label or ignored");
    expect("x,c\n1,a\n", LIST("separator=comb"),
           "0:0: separator 'comb' is not comma, semicolon, tab, space, pipe, auto, or one "
           "character that no number or word holds");
}

static void test_header(void)
{
    expect("a,b,c\n1,2,x\n", NULL, "a b|x|x: 1 2");
    expect("1,2,x\n3,4,y\n", NULL, "c1 c2|x y|x: 1 2|y: 3 4");
    expect("1,2,x\n3,4,y\n", LIST("header=yes"), "1 2|y|y: 3 4");
    expect("a,b,c\na,d,e\n", NULL, "c1=a c2=b c2=d|c e|c: 1 1 0|e: 1 0 1");
    expect("a,b,c\nd,e,f\n", NULL, "a=d b=e|f|f: 1 1");
    expect("a,b,c\nd,e,f\n", LIST("header=no"), "c1=a c1=d c2=b c2=e|c f|c: 1 0 1 0|f: 0 1 0 1");
    expect("a,a,c\nd,e,f\n", NULL, "c1=a c1=d c2=a c2=e|c f|c: 1 0 1 0|f: 0 1 0 1");
    expect("a,a,c\nd,e,f\nd,e,c\n", LIST("label=c"),
           "a=d a.2=e|c f|f: 1 1|c: 1 1"); /* naming a column says there are names */
    expect(",b,b,c\n1,2,3,x\n", NULL, "c1 b b.2|x|x: 1 2 3");
    CHECK(strstr(heard, "column 3 is now 'b.2'") != NULL);
    expect("?,b,c\n1,2,x\n", NULL, "? b|x|x: 1 2");
    expect("a,b,c\n", LIST("header=no"), "c1=a c2=b|c|c: 1 1");
    expect("1,b,c\n", NULL, "c1 c2=b|c|c: 1 1");
    const char *no_rows =
        "0:0: the file has a header line but no rows (with --header no, the first line is a row)";
    expect("a,b,c\n", NULL, no_rows);
    expect("a,b,c\n", LIST("header=yes"), no_rows);
    expect("", NULL, "0:0: there is nothing in this file");
    expect("\xef\xbb\xbf\n \n", NULL, "0:0: there is nothing in this file");
    expect("\xff\xfex\0,\0", NULL,
           "1:1: this is UTF-16 text, expected UTF-8 (iconv -f UTF-16 -t UTF-8)");
}

static void test_log_tells(void)
{
    expect("id;job;size;x;ok\n7;a;S;1;y\n8;b;M;2;n\n",
           LIST("ignore=id", "ordinal=size=S<M<L", "label=ok"),
           "job=a job=b size x|n y|y: 1 0 0 1|n: 0 1 1 2");
    CHECK_TEXT(heard, "test: separator semicolon; names in the first line; 5 columns; label: ok; "
                      "categories: job; ordered: size; ignored: id\n");
    expect("1,2\n3,4\n", LIST("label=none"), "c1 c2||: 1 2|: 3 4");
    CHECK_TEXT(heard, "test: separator comma; no names in the first line; 2 columns; no label\n");
}

static void test_label_column(void)
{
    const char *text = "a,b,c\n1,2,3\n4,5,6\n";
    expect(text, NULL, "a b|3 6|3: 1 2|6: 4 5");
    expect(text, LIST("label=last"), "a b|3 6|3: 1 2|6: 4 5");
    expect(text, LIST("label=1"), "b c|1 4|1: 2 3|4: 5 6");
    expect(text, LIST("label=b"), "a c|2 5|2: 1 3|5: 4 6");
    expect(text, LIST("label=none"), "a b c||: 1 2 3|: 4 5 6");
    expect(text, LIST("label=d"),
           "0:0: label: there is no column 'd' (the file has 3 columns; the first is 'a', the last "
           "'c')");
    expect(text, LIST("label=4"),
           "0:0: label: there is no column '4' (the file has 3 columns; the first is 'a', the last "
           "'c')");
    expect("3,1,c\n1,2,a\n", LIST("label=3", "header=yes"), "1 c=a|1|1: 2 1"); /* name first */
    expect("x,c\n1,inf\n", NULL,
           "2:3: column 'c': found 'inf', expected a finite number or a word");
    expect("x,c\n1,1e999\n", NULL,
           "2:3: column 'c': found '1e999', expected a finite number or a word");
    hsp_data *data = parse(text, LIST("label=none"), NULL, NULL);
    CHECK(data && data->view.labels == NULL && hsp_data_classes(data) == 0);
    hsp_data_free(data);
}

static void test_kinds(void)
{
    expect("colour,x,c\nred,1,n\nblue,2,y\nred,3,y\n", NULL,
           "colour=blue colour=red x|n y|n: 0 1 1|y: 1 0 2|y: 0 1 3");
    expect("n,c\n10,y\n9,y\n10,n\n", LIST("categorical=n"),
           "n=9 n=10|n y|y: 0 1|y: 1 0|n: 0 1"); /* by value, not by bytes */
    expect("size,c\nS,y\nL,n\nM,n\n", LIST("ordinal=size=S<M<L"), "size|n y|y: 0|n: 2|n: 1");
    expect("size,c\nS,y\nL,n\n", LIST("ordinal=1= S < M < L "), "size|n y|y: 0|n: 2");
    expect("size,c\nS,y\n XL,n\n", LIST("ordinal=size=S<M<L"),
           "3:2: column 'size': found 'XL', which is not one of its ordered values ('S' to 'L')");
    expect("a,b,c\n1,2,y\n", LIST("ignore=a"), "b|y|y: 2");
    expect("a,b,c\n1,2,y\n", LIST("ignore=a", "ignore=2"),
           "0:0: no column is left for features: all 3 are the label or ignored");
    expect("a,b,c\n\"1\n\",2,y\n3,x,y\n", LIST("ignore=a", "categorical=b"),
           "b=2 b=x|y|y: 1 0|y: 0 1");
    expect("a,b,c\n1,2,y\n", LIST("ignore=a", "categorical=a"),
           "0:0: categorical: column 'a' is used by another option");
    expect("a,b,c\n1,2,y\n", LIST("ignore=c"), "0:0: ignore: column 'c' is used by another option");
    expect("a,b,c\n1,2,y\n", LIST("ordinal=a"),
           "0:0: ordinal: 'a' is not of the form COLUMN=A<B<C");
    expect("a,b,c\n1,2,y\n", LIST("ordinal=a=1<<2"),
           "0:0: ordinal: 'a=1<<2' has an empty value in its order");
    expect("a,b,c\n1,2,y\n", LIST("ordinal=a=1<1"), "0:0: ordinal: 'a=1<1' has a value twice");
    /* names that would coincide are told apart */
    expect("a,a=b,c\nb=c,c,y\n", LIST("header=yes"), "a=b=c a=b=c.2|y|y: 1 1");
}

static void test_numbers(void)
{
    expect("x,c\n1,y\n1e39,y\n", LIST("precision=single"),
           "3:1: column 'x': found '1e39', which is too large for 32 bits (--precision double "
           "allows up to 1e308)");
    expect("x,c\n1,y\n1e39,y\n", LIST("precision=double"), "x|y|y: 1|y: 1e+39");
    expect("x,c\n1,y\n1e39,y\n", NULL, "x|y|y: 1|y: 1e+39");
    expect("x,c\n1,y\n1e309,y\n", LIST("precision=double"),
           "3:1: column 'x': found '1e309', which is too large for 64 bits");
    expect("x,c\n1,y\n-Inf,y\n", NULL, "3:1: column 'x': found '-Inf', expected a finite number");
    expect("x,c\n+1.5,y\n-.5,y\n5.,y\n0.1e+1,y\n\" 7\",y\n", LIST("categorical=x"),
           "x=-.5 x=0.1e+1 x=+1.5 x=5. x= 7|y|y: 0 0 1 0 0|y: 1 0 0 0 0|y: 0 0 0 1 0"
           "|y: 0 1 0 0 0|y: 0 0 0 0 1");
    expect("x,c\n+1.5,y\n-.5,y\n5.,y\n0.1e+1,y\n\"7\",y\n", NULL,
           "x|y|y: 1.5|y: -0.5|y: 5|y: 1|y: 7");
    hsp_data *data = parse("x,c\n0.1,y\n16777217,y\n", LIST("precision=double"), NULL, NULL);
    CHECK(data && test_at(data, 0, 0) == 0.1 && test_at(data, 1, 0) == 16777217);
    hsp_data_free(data);
    data = parse("x,c\n0.1,y\n16777217,y\n", LIST("precision=single"), NULL, NULL);
    CHECK(data && test_at(data, 0, 0) == (double)0.1f && test_at(data, 1, 0) == 16777216);
    hsp_data_free(data);
}

static void test_late_word(void)
{
    /* a word behind the sample, in a column of numbers */
    size_t lines = 200000, used = 0;
    char *text = malloc(lines * 8 + 64);
    used += (size_t)sprintf(text, "age,c\n");
    for (size_t i = 0; i < lines; i++)
        used += (size_t)sprintf(text + used, i == 150000 ? "old,y\n" : "%zu,y\n", 10 + i % 90);
    expect(text, NULL,
           "150002:1: column 'age': found 'old', expected a number as in the rows before; if the "
           "column is categorical, use --categorical age");
    hsp_data *data = parse(text, LIST("categorical=age"), NULL, NULL);
    CHECK(data && hsp_data_cols(data) == 91 && hsp_data_storage(data) == HSP_ONES);
    CHECK(data && test_at(data, 150000, 90) == 1);
    hsp_data_free(data);
    free(text);
}

static void test_ragged(void)
{
    expect("a,b,c\n1,2,x\n3,4\n5,6,y\n", NULL, "3:0: found 2 fields, expected 3");
    expect("a,b,c\n1,2,x\n\n3,4,x,,\n5,6,y\n", NULL, "4:0: found 5 fields, expected 3");
    expect("a,b,c\n1,2,x,\n", NULL, "2:0: found 4 fields, expected 3");
    expect("a b c\n1 2 x\n3 x\n", LIST("separator=space"), "3:0: found 2 fields, expected 3");
}

static void test_missing(void)
{
    const char *text = "age,job,c\n10,a,y\n?,b,n\n30,,n\nna,NaN,y\n";
    expect(text, NULL,
           "3:1: found 4 missing values, the first one here (age 2, job 2); use "
           "--missing drop, mean or indicator");
    expect(text, LIST("missing=drop"), "age job=a|y|y: 10 1"); /* b and n went with their rows */
    CHECK(strstr(heard, "3 of 4 rows were left out because of missing values (age 2, job 2)"));
    expect(text, LIST("missing=mean"),
           "age job=a job=b|n y|y: 10 1 0|n: 20 0 1|n: 30 0 0|y: 20 0 0");
    expect(text, LIST("missing=indicator"),
           "age age=? job=a job=b job=?|n y|y: 10 0 1 0 0|n: 0 1 0 1 0|n: 30 0 0 0 1|y: 0 1 0 0 1");
    expect("size,c\nS,y\n?,y\nL,y\n", LIST("missing=mean", "ordinal=size=S<M<L"),
           "size|y|y: 0|y: 1|y: 2");
    expect("size,c\nS,y\n?,y\nL,y\n", LIST("missing=indicator", "ordinal=size=S<M<L"),
           "size size=?|y|y: 0 0|y: 0 1|y: 2 0");
    expect("x,z,c\n1,-nan,y\n2,?,y\n", LIST("missing=mean"), "x z|y|y: 1 0|y: 2 0");
    expect("x,z,c\n1,5,y\n2,?,y\n", LIST("missing=indicator"), "x z z=?|y|y: 1 5 0|y: 2 0 1");
    expect("x,c\n1e308,y\n?,y\n1.5e308,y\n", LIST("missing=mean", "precision=double"),
           "x|y|y: 1e+308|y: 1.25e+308|y: 1.5e+308");
    expect("x,c\n?,y\n?,n\n", LIST("missing=drop"),
           "0:0: every row has a missing value: none is left");
    expect("x,c\n1,nano\n2,n/a\n", NULL, "x|n/a nano|nano: 1|n/a: 2");
}

static void test_missing_label(void)
{
    const char *text = "x,c\n1,y\n2,?\n3,z\n", *rest = "x|y z|y: 1|z: 3";
    expect(text, NULL,
           "3:3: found 1 missing value, the first one here (c 1); use --missing drop, "
           "mean or indicator");
    expect(text, LIST("missing=drop"), rest);
    expect(text, LIST("missing=mean"), rest);
    expect(text, LIST("missing=indicator"), rest);
    CHECK(strstr(heard, "1 of 3 rows were left out because of missing values (c 1)"));
}

static void test_storage(void)
{
    const char *text = "a,b,d,e,f,g,c\n1,0,0,0,0,0,y\n0,0,0,0,0,0,n\n0,0,1,0,0,0,n\n";
    static const char *const kinds[] = {"storage=dense", "storage=sparse", "storage=ones"};
    for (int i = 0; i < 3; i++) {
        hsp_data *data = parse(text, LIST(kinds[i]), NULL, NULL);
        CHECK(data && hsp_data_storage(data) == (hsp_storage)i && hsp_data_nonzeros(data) == 2);
        if (data)
            CHECK_TEXT(dump(data), "a b d e f g|n y|y: 1 0 0 0 0 0|n: 0 0 0 0 0 0|n: 0 0 1 0 0 0");
        hsp_data_free(data);
    }
    hsp_data *data = parse(text, NULL, NULL, NULL);
    CHECK(data && hsp_data_storage(data) == HSP_ONES);
    hsp_data_free(data);
}

/* ---- Encodings ------------------------------------------------------------------------------- */

/* Read `text` with the encoding that `train` got, and compare. */
static void expect_applied(const char *train, const char *const *train_settings, const char *text,
                           const char *const *settings, const char *want)
{
    hsp_error err = {0};
    char got[1024];
    hsp_data *first = parse(train, train_settings, NULL, &err);
    CHECK_NOTE(first != NULL, "%s", err.message);
    if (!first) return;
    hsp_data *data = parse(text, settings, hsp_data_encoding(first), &err);
    if (data) {
        CHECK_TEXT(dump(data), want);
    } else {
        snprintf(got, sizeof got, "%d:%d: %s", (int)err.line, (int)err.column, err.message);
        CHECK_TEXT(got, want);
    }
    hsp_data_free(data);
    hsp_data_free(first);
}

static void test_apply_by_name(void)
{
    const char *train = "x,job,c\n1,a,y\n2,b,n\n";
    expect_applied(train, NULL, "x,job,c\n5,b,y\n", NULL, "x job=a job=b|n y|y: 5 0 1");
    expect_applied(train, NULL, "c;z;job;x\ny;7;b;5\n", NULL, "x job=a job=b|n y|y: 5 0 1");
    CHECK(strstr(heard, "1 column(s) that the encoding does not know were left out"));
    expect_applied(train, NULL, "job,x\nb,5\n", NULL, "x job=a job=b||: 5 0 1");
    expect_applied(train, NULL, "job,x,c\nb,5,y\n", LIST("label=none"), "x job=a job=b||: 5 0 1");
    expect_applied(train, NULL, "job,x,c,d\nb,5,n,y\n", LIST("label=d"),
                   "x job=a job=b|n y|y: 5 0 1");
    expect_applied(train, NULL, "job,c\nb,y\n", LIST("header=yes"),
                   "0:0: there is no column 'x', which the encoding needs");
    expect_applied(train, NULL, "job,x,c\nb,5,n\n", LIST("label=x"),
                   "0:0: label: column 'x' is a feature by the encoding");
    expect_applied(train, NULL, "x,job,c\n5,q,y\n6,q,n\n7,a,y\n", NULL,
                   "x job=a job=b|n y|y: 5 0 0|n: 6 0 0|y: 7 1 0");
    CHECK(strstr(heard, "WARNING test: 2 values are not in the encoding (job 2) and became 0\n"));
}

static void test_apply_by_position(void)
{
    const char *train = "1,a,y\n2,b,n\n2,a,n\n";
    expect_applied(train, NULL, "5,b,y\n", NULL, "c1 c2=a c2=b|n y|y: 5 0 1");
    expect_applied(train, NULL, "5,b\n", NULL, "c1 c2=a c2=b||: 5 0 1");
    expect_applied(train, LIST("label=2"), "5,n\n", NULL, "c1 c3=n c3=y||: 5 1 0");
    expect_applied(train, NULL, "5\n", NULL,
                   "1:0: found 1 columns, expected 3 (one less without labels) as in the encoding");
    expect_applied(train, NULL, "p,q,r\n5,b,y\n", LIST("header=yes"), "c1 c2=a c2=b|n y|y: 5 0 1");
    expect_applied("x,w,c\n1,a,y\n", NULL, "5,a,y\n", NULL, "x w=a|y|y: 5 1");
    expect_applied(train, LIST("label=none"), "5,b,y\n", NULL,
                   "c1 c2=a c2=b c3=n c3=y||: 5 0 1 0 1");
}

static void test_apply_labels(void)
{
    const char *train = "x,c\n1,y\n2,n\n";
    expect_applied(train, NULL, "x,c\n1,q\n2,b\n3,n\n", NULL, "x|n y b q|q: 1|b: 2|n: 3");
    CHECK(strstr(heard, "test: 2 labels are not in the encoding (such as 'b')\n"));
}

static void test_apply_missing(void)
{
    const char *train = "x,j,c\n1,a,y\n?,b,n\n3,b,n\n", *text = "x,j,c\n?,a,y\n7,?,y\n";
    expect_applied(train, LIST("missing=mean"), text, NULL, "x j=a j=b|n y|y: 2 1 0|y: 7 0 0");
    expect_applied(train, LIST("missing=indicator"), text, NULL,
                   "x x=? j=a j=b|n y|y: 0 1 1 0|y: 7 0 0 0");
    CHECK(strstr(heard, "WARNING test: 1 missing values became zeros, because their columns (such "
                        "as 'j') had none in the data of the encoding\n"));
    expect_applied(train, LIST("missing=mean"), "x,j,c\n?,a,y\n7,b,y\n", LIST("missing=drop"),
                   "x j=a j=b|n y|y: 7 0 1");
    expect_applied(train, LIST("missing=drop"), text, NULL,
                   "0:0: every row has a missing value: none is left");
    expect_applied("x,c\n1,y\n", NULL, "x,c\n?,y\n", NULL,
                   "2:1: found 1 missing value, the first one here (x 1); use --missing drop to "
                   "leave their rows out");
    expect_applied("x,c\n1,y\n", NULL, "x,c\n?,y\n", LIST("missing=mean"),
                   "0:0: missing: the encoding was made with 'error', not 'mean'");
}

static void test_apply_ordinal(void)
{
    const char *train = "s,c\nS,y\nM,n\n";
    expect_applied(train, LIST("ordinal=s=S<M<L"), "s,c\nL,y\nS,n\n", NULL, "s|n y|y: 2|n: 0");
    expect_applied(
        train, LIST("ordinal=s=S<M<L"), "s,c\nQ,y\n", NULL,
        "2:1: column 's': found 'Q', which is not one of its ordered values ('S' to 'L')");
}

/* ---- Blocks and threads ---------------------------------------------------------------------- */

/* A text with quotes, newlines in them, blank lines, missing values and all kinds of columns. */
static size_t make_varied(char *text, uint64_t seed)
{
    static const char *const jobs[] = {"clerk",
                                       "\"a, b\"",
                                       "\"x\n\ny\"",
                                       " spaced ",
                                       "\"q\"\"q\"",
                                       "?",
                                       "a-word-of-more-than-16-bytes"};
    static const char *const labels[] = {"+1", "1.0", "-1", "maybe"};
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    size_t used = 0;
    if (seed % 2) used += (size_t)sprintf(text, "\xef\xbb\xbf\n");
    used += (size_t)sprintf(text + used, "age,\"the\njob\",size,c\n");
    int rows = 3 + (int)hsp__random_below(&random, 12);
    for (int i = 0; i < rows; i++) {
        if (hsp__random_below(&random, 6) == 0) used += (size_t)sprintf(text + used, "\r\n");
        if (hsp__random_below(&random, 5) == 0)
            used += (size_t)sprintf(text + used, "NA");
        else
            used += (size_t)sprintf(text + used, " %g", (double)hsp__random_below(&random, 90) / 7);
        used += (size_t)sprintf(text + used, ",%s,%c,%s%s", jobs[hsp__random_below(&random, 7)],
                                "SML"[hsp__random_below(&random, 3)],
                                labels[hsp__random_below(&random, 4)],
                                hsp__random_below(&random, 4) ? "\n" : "\r\n");
    }
    if (hsp__random_below(&random, 2)) used--;
    return used;
}

static void test_blocks_and_threads(void)
{
    static const char *const policies[] = {"missing=mean", "missing=drop", "missing=indicator"};
    static const char *const precisions[] = {"precision=single", "precision=double"};
    static const int threads[] = {1, 2, 7};
    static char text[8192];
    for (uint64_t seed = 1; seed <= 12; seed++) {
        size_t size = make_varied(text, seed);
        const char *const *settings =
            LIST(policies[seed % 3], precisions[seed % 2], "ordinal=size=S<M<L");
        hsp_error err = {0};
        hsp_context *whole = test_context(1, 0);
        hsp_data *expected = parse_with(whole, text, size, settings, NULL, &err);
        CHECK_NOTE(expected != NULL, "seed %d: %s", (int)seed, err.message);
        for (size_t block = 1; expected && block <= size + 1; block++) {
            hsp_context *ctx = test_context(threads[block % 3], block);
            hsp_data *data = parse_with(ctx, text, size, settings, NULL, &err);
            CHECK_NOTE(data && test_same(expected, data, 1), "seed %d, block %zu", (int)seed,
                       block);
            CHECK(data &&
                  strcmp(hsp_data_feature_name(data, 1), hsp_data_feature_name(expected, 1)) == 0);
            hsp_data_free(data);
            hsp_context_free(ctx);
        }
        hsp_data_free(expected);
        hsp_context_free(whole);
    }
}

static void test_errors_in_blocks(void)
{
    static const char *const texts[] = {
        "x,c\n1,a\n\n\"2\",\"b\nb\"\n3,a,\n4,a\n5,\"\n",      /* 6: three fields */
        "x,c\n1,a\n\n\"2\",\"b\nb\"\n3,a\n ?,a\nNaN,\n5,a\n", /* 7:2 missing */
        "\n\nx,c\n1,a\n2,b\n3,\"x\"\"\ny\" z\n",              /* 7:4 behind a quote */
    };
    static const uint64_t lines[] = {6, 7, 7}, columns[] = {0, 2, 4};
    for (int i = 0; i < 3; i++)
        for (size_t block = 1; block < 60; block++) {
            hsp_context *ctx = test_context(1 + (int)block % 3, block);
            hsp_error err = {0};
            CHECK(!parse_with(ctx, texts[i], strlen(texts[i]), NULL, NULL, &err));
            CHECK_NOTE(err.line == lines[i] && err.column == columns[i],
                       "text %d, block %zu: %d:%d %s", i, block, (int)err.line, (int)err.column,
                       err.message);
            CHECK_TEXT(err.file, "test");
            hsp_context_free(ctx);
        }
}

/* A table of several slices, expanded in every storage, against what the text says. */
static void test_large(void)
{
    const size_t rows = 400000;
    size_t used = 0;
    char *text = malloc(rows * 40);
    for (size_t i = 0; i < rows; i++)
        used += (size_t)sprintf(text + used, "%zu,w%zu,0,%zu,,%s\n", i, i % 37, i * 7 % 11,
                                i % 3 ? "y" : "n");
    static const char *const kinds[] = {"storage=dense", "storage=sparse", "storage=auto"};
    for (int k = 0; k < 3; k++) {
        hsp_context *ctx = test_context(2, 0);
        hsp_data *data = parse_with(ctx, text, used, LIST(kinds[k], "missing=mean"), NULL, NULL);
        CHECK(data && hsp_data_rows(data) == rows && hsp_data_cols(data) == 1 + 37 + 3);
        for (size_t i = 0; data && i < rows; i += 997) {
            char name[32];
            snprintf(name, sizeof name, "c2=w%zu", i % 37);
            uint32_t column = hsp__names_find(&data->feature_names, name, strlen(name));
            CHECK(test_at(data, i, 0) == (double)i && test_at(data, i, column) == 1);
            CHECK(test_at(data, i, 39) == (double)(i * 7 % 11) && test_at(data, i, 40) == 0);
            CHECK_TEXT(test_label(data, i), i % 3 ? "y" : "n");
        }
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
    free(text);
}

/* One record longer than the sample. */
static void test_wide(void)
{
    const size_t columns = 200000;
    size_t used = 0;
    char *text = malloc(columns * 24);
    for (size_t j = 0; j < columns; j++)
        used += (size_t)sprintf(text + used, "f%zu,", j);
    used += (size_t)sprintf(text + used, "c\n");
    for (size_t j = 0; j < columns; j++)
        used += (size_t)sprintf(text + used, "%zu,", j);
    used += (size_t)sprintf(text + used, "y\n");
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = parse_with(ctx, text, used, NULL, NULL, NULL);
    CHECK(data && hsp_data_rows(data) == 1 && hsp_data_cols(data) == columns);
    CHECK(data && test_at(data, 0, columns - 1) == (double)(columns - 1));
    CHECK(data && strcmp(hsp_data_feature_name(data, 77777), "f77777") == 0);
    hsp_data_free(data);
    hsp_context_free(ctx);
    free(text);
}

/* More columns of categories than can be kept at hand. */
static void test_many_words(void)
{
    const size_t columns = 60000, rows = 4;
    size_t used = 0;
    char *text = malloc(columns * rows * 8);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            used += (size_t)sprintf(text + used, "w%zu,", (i * 3 + j) % 3 + (i == 3));
        used += (size_t)sprintf(text + used, "y\n");
    }
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = parse_with(ctx, text, used, LIST("header=no"), NULL, NULL);
    CHECK(data && hsp_data_cols(data) == 2 * columns && hsp_data_storage(data) == HSP_ONES);
    for (size_t j = 0; data && j < columns; j += 599)
        for (size_t i = 0; i < rows; i++)
            CHECK(test_at(data, i, 2 * j) == (i < 3) && test_at(data, i, 2 * j + 1) == (i == 3));
    hsp_data_free(data);
    hsp_context_free(ctx);
    free(text);
}

static void test_not_text(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_error err = {0};
    static const char header[] = "x\0,c\n1,y\n", row[] = "x,c\n1,y\n2,y\0\n",
                      word[] = "x,c\na\0,y\n";
    CHECK(!parse_with(ctx, header, sizeof header - 1, NULL, NULL, &err));
    CHECK(err.line == 1 && err.column == 1);
    CHECK(!parse_with(ctx, row, sizeof row - 1, NULL, NULL, &err));
    CHECK(err.line == 3 && err.column == 3);
    CHECK(!parse_with(ctx, word, sizeof word - 1, NULL, NULL, &err));
    CHECK(err.line == 2 && err.column == 1);
    hsp_context_free(ctx);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int allocations_left;

static void *failing_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    if (allocations_left-- <= 0) return NULL;
    return realloc(pointer, size);
}

static void failing_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

/* Read a text with an encoding made from it, with the n-th allocation failing, for all n. */
static void test_out_of_memory(void)
{
    const hsp_allocator failing = {failing_reallocate, failing_release, NULL};
    const char *text = "x,\"j\"\"\",s,c\n1,a,S,y\n?,b,M,n\n3,\"a\"\"\",L,n\n3,,L,n\n";
    hsp_status status = HSP_NO_MEMORY;
    int n = 0;
    for (; status != HSP_OK && n < 5000; n++) {
        hsp_context *ctx = NULL;
        hsp_options *options = NULL;
        hsp_data *first = NULL, *second = NULL;
        hsp_error err = {0};
        allocations_left = 1 << 30;
        if (hsp_context_new(&failing, &ctx)) abort();
        hsp_context_set_threads(ctx, 1);
        hsp_context_set_log(ctx, hear, NULL);
        options =
            test_read_options(ctx, LIST("format=csv", "ordinal=s=S<M<L", "missing=indicator"));
        heard[0] = 0;
        allocations_left = n;
        status = hsp_data_parse(ctx, text, strlen(text), "t", options, NULL, &err, &first);
        if (!status)
            status = hsp_data_parse(ctx, text, strlen(text), "t", options, hsp_data_encoding(first),
                                    &err, &second);
        allocations_left = 1 << 30;
        CHECK(status == HSP_OK || (status == HSP_NO_MEMORY && err.status == HSP_NO_MEMORY));
        CHECK((status == HSP_OK) == (second != NULL));
        if (second) CHECK(test_same(first, second, 1));
        hsp_data_free(first);
        hsp_data_free(second);
        hsp_options_free(options);
        hsp_context_free(ctx);
    }
    CHECK(status == HSP_OK && n > 60);
}

int main(void)
{
    RUN(test_plain);
    RUN(test_line_ends);
    RUN(test_spaces);
    RUN(test_quotes);
    RUN(test_separators);
    RUN(test_header);
    RUN(test_log_tells);
    RUN(test_label_column);
    RUN(test_kinds);
    RUN(test_numbers);
    RUN(test_late_word);
    RUN(test_ragged);
    RUN(test_missing);
    RUN(test_missing_label);
    RUN(test_storage);
    RUN(test_apply_by_name);
    RUN(test_apply_by_position);
    RUN(test_apply_labels);
    RUN(test_apply_missing);
    RUN(test_apply_ordinal);
    RUN(test_blocks_and_threads);
    RUN(test_errors_in_blocks);
    RUN(test_large);
    RUN(test_wide);
    RUN(test_many_words);
    RUN(test_not_text);
    RUN(test_out_of_memory);
    return check_done();
}
