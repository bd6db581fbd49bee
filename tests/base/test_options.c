/* Options: text in, typed values out, and the message when the text is wrong. */
#include <limits.h>
#include <math.h>

#include "../check.h"
#include "halfspace_all.h"

static const hsp_option table_options[] = {
    {"margin", HSP_OPTION_REAL, "0.5", 0, 1, NULL, "M", "the margin"},
    {"rows", HSP_OPTION_INTEGER, "1000", 1, 1e12, NULL, "N", "the rows"},
    {"seed", HSP_OPTION_INTEGER, "1", 0, 0x1p63, NULL, "N", "the seed"},
    {"shift", HSP_OPTION_REAL, NULL, 0, 0, NULL, "X", "any number"},
    {"debt", HSP_OPTION_INTEGER, "-3", -0x1p63, 0, NULL, "N", "not above zero"},
    {"storage", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dense|sparse", NULL, "the storage"},
    {"label", HSP_OPTION_TEXT, "last", 0, 0, NULL, "COLUMN", "the label"},
    {"name", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "NAME", "a name"},
    {"ignore", HSP_OPTION_LIST, NULL, 0, 0, NULL, "COLUMN", "left out"},
    {"verify", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "check it"},
    {"fsync", HSP_OPTION_FLAG, "yes", 0, 0, NULL, NULL, "on unless switched off"},
};
static const hsp_option_table table = {"test", "options of every type", table_options,
                                       sizeof table_options / sizeof *table_options};

static hsp_context *ctx;
static hsp_options *options;

static void begin(void)
{
    hsp_error err = {0};
    CHECK(hsp_options_new(ctx, &table, &err, &options) == HSP_OK);
}

static void end(void)
{
    hsp_options_free(options);
    options = NULL;
}

static hsp_status set(const char *name, const char *value)
{
    return hsp_options_set(options, name, value, NULL);
}

/* The whole sentence that a wrong value earns. */
static void refused(const char *name, const char *value, const char *sentence)
{
    hsp_error err = {0};
    char text[900];
    CHECK_NOTE(hsp_options_set(options, name, value, &err) == HSP_USAGE, "%s=%s", name, value);
    CHECK(err.status == HSP_USAGE);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text), sentence);
}

static void test_defaults(void)
{
    begin();
    CHECK(hsp_options_table(options) == &table);
    CHECK(hsp_options_real(options, "margin") == 0.5);
    CHECK(hsp_options_integer(options, "rows") == 1000);
    CHECK(hsp_options_integer(options, "debt") == -3);
    CHECK(hsp_options_real(options, "shift") == 0);
    CHECK_TEXT(hsp_options_text(options, "storage"), "auto");
    CHECK_TEXT(hsp_options_text(options, "label"), "last");
    CHECK(hsp_options_text(options, "name") == NULL);
    CHECK(hsp_options_list_count(options, "ignore") == 0);
    CHECK(!hsp_options_flag(options, "verify"));
    CHECK(hsp_options_flag(options, "fsync"));
    for (size_t i = 0; i < table.count; i++)
        CHECK(!hsp_options_is_set(options, table.options[i].name));
    end();
}

static void test_a_set_value_replaces_the_default(void)
{
    begin();
    CHECK(set("label", "class") == HSP_OK && set("label", "kind") == HSP_OK);
    CHECK_TEXT(hsp_options_text(options, "label"), "kind");
    CHECK(hsp_options_is_set(options, "label"));
    CHECK(set("storage", "sparse") == HSP_OK);
    CHECK_TEXT(hsp_options_text(options, "storage"), "sparse");
    CHECK(set("ignore", "a") == HSP_OK && set("ignore", "b") == HSP_OK);
    CHECK(hsp_options_list_count(options, "ignore") == 2);
    CHECK_TEXT(hsp_options_list_item(options, "ignore", 0), "a");
    CHECK_TEXT(hsp_options_list_item(options, "ignore", 1), "b");
    CHECK(set("name", "") == HSP_OK);
    CHECK_TEXT(hsp_options_text(options, "name"), "");
    end();
}

static void test_a_copy_stands_alone(void)
{
    hsp_options *copy = NULL;
    begin();
    CHECK(set("label", "class") == HSP_OK && set("rows", "7") == HSP_OK);
    CHECK(set("ignore", "a") == HSP_OK && set("margin", "0.25") == HSP_OK);
    CHECK(hsp_options_copy(ctx, options, NULL, &copy) == HSP_OK);
    CHECK(set("label", "kind") == HSP_OK && set("rows", "8") == HSP_OK);
    CHECK(set("ignore", "b") == HSP_OK);
    end();
    CHECK_TEXT(hsp_options_text(copy, "label"), "class");
    CHECK_TEXT(hsp_options_text(copy, "storage"), "auto");
    CHECK(hsp_options_integer(copy, "rows") == 7);
    CHECK(hsp_options_real(copy, "margin") == 0.25);
    CHECK(hsp_options_list_count(copy, "ignore") == 1);
    CHECK_TEXT(hsp_options_list_item(copy, "ignore", 0), "a");
    CHECK(hsp_options_is_set(copy, "rows") && !hsp_options_is_set(copy, "storage"));
    CHECK(hsp_options_flag(copy, "fsync") && !hsp_options_flag(copy, "verify"));
    hsp_options_free(copy);
}

static void test_whole_numbers_in_any_notation(void)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"1", 1},
                {"+7", 7},
                {"1e6", 1000000},
                {"1E+6", 1000000},
                {"2.5e3", 2500},
                {"10.0", 10},
                {"1200e-2", 12},
                {"0.0000000000000000000000000012e28", 12},
                {"1.0000000000000000000000000000", 1},
                {"0000000000000000000000000000042", 42},
                {"0e999999999999999999", 0},
                {"9223372036854775807", INT64_MAX},
                {"922337203685477580.7e1", INT64_MAX},
                {"9007199254740993", 9007199254740993}};
    begin();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_NOTE(set("seed", good[i].text) == HSP_OK, "%s", good[i].text);
        CHECK_NOTE(hsp_options_integer(options, "seed") == good[i].value, "%s", good[i].text);
    }
    CHECK(set("debt", "-1e18") == HSP_OK &&
          hsp_options_integer(options, "debt") == -1000000000000000000);
    CHECK(set("debt", "-0") == HSP_OK && hsp_options_integer(options, "debt") == 0);
    end();
}

static void test_wrong_whole_numbers(void)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "1x",
                                      "1e",
                                      "1e+",
                                      "e5",
                                      ".",
                                      "-",
                                      "+",
                                      "0x10",
                                      "1 ",
                                      " 1",
                                      "1.5",
                                      "1e-1",
                                      "--",
                                      "1.2.3",
                                      "nan",
                                      "infinity",
                                      "0.0000000000000000000000000012e27",
                                      "1,000"};
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_NOTE(set("rows", bad[i]) == HSP_USAGE, "'%s'", bad[i]);
    CHECK(!hsp_options_is_set(options, "rows") && hsp_options_integer(options, "rows") == 1000);
    refused("rows", "0", "--rows: found '0', expected a whole number between 1 and 1000000000000");
    refused("rows", "-5",
            "--rows: found '-5', expected a whole number between 1 and 1000000000000");
    refused("rows", "1.5",
            "--rows: found '1.5', expected a whole number between 1 and 1000000000000");
    refused("seed", "-1", "--seed: found '-1', expected a whole number of at least 0");
    refused("seed", "9223372036854775808",
            "--seed: found '9223372036854775808', expected a whole number of at least 0");
    refused("seed", "1e400", "--seed: found '1e400', expected a whole number of at least 0");
    refused("debt", "1", "--debt: found '1', expected a whole number of at most 0");
    end();
}

static void test_reals(void)
{
    begin();
    CHECK(set("margin", "1e-3") == HSP_OK && hsp_options_real(options, "margin") == 1e-3);
    CHECK(set("margin", "0") == HSP_OK && set("margin", "1") == HSP_OK);
    CHECK(set("margin", ".25") == HSP_OK && hsp_options_real(options, "margin") == 0.25);
    CHECK(set("shift", "-1e300") == HSP_OK && hsp_options_real(options, "shift") == -1e300);
    refused("margin", "abc", "--margin: found 'abc', expected a number between 0 and 1");
    refused("margin", "1.01", "--margin: found '1.01', expected a number between 0 and 1");
    refused("margin", "nan", "--margin: found 'nan', expected a number between 0 and 1");
    refused("margin", "0,5", "--margin: found '0,5', expected a number between 0 and 1");
    refused("margin", "", "--margin: found '', expected a number between 0 and 1");
    refused("shift", "inf", "--shift: found 'inf', expected a number");
    refused("shift", "1e999", "--shift: found '1e999', expected a number");
    CHECK(hsp_options_real(options, "margin") == 0.25);
    end();
}

static void test_flags_and_choices(void)
{
    static const char *const yes[] = {"yes", "true", "1"}, *const no[] = {"no", "false", "0"};
    begin();
    for (size_t i = 0; i < 3; i++) {
        CHECK(set("verify", yes[i]) == HSP_OK && hsp_options_flag(options, "verify"));
        CHECK(set("verify", no[i]) == HSP_OK && !hsp_options_flag(options, "verify"));
    }
    refused("verify", "maybe", "--verify: found 'maybe', expected yes or no");
    refused("storage", "dens", "--storage: found 'dens', expected auto, dense or sparse");
    refused("storage", "auto|dense",
            "--storage: found 'auto|dense', expected auto, dense or sparse");
    refused("storage", "", "--storage: found '', expected auto, dense or sparse");
    CHECK_TEXT(hsp_options_text(options, "storage"), "auto");
    end();
}

static void test_unknown_names_get_a_suggestion(void)
{
    begin();
    refused("margn", "1", "--margn: there is no such option; did you mean --margin?");
    refused("stroage", "1", "--stroage: there is no such option; did you mean --storage?");
    refused("ver", "1", "--ver: there is no such option; did you mean --verify?");
    refused("zebra", "1", "--zebra: there is no such option");
    refused("", "1", "--: there is no such option");
    char lengthy[400];
    memset(lengthy, 'a', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = 0;
    CHECK(set(lengthy, "1") == HSP_USAGE);
    hsp_error err = {0};
    CHECK(hsp_options_set(options, lengthy, "1", &err) == HSP_USAGE && strlen(err.file) == 255);
    end();
}

static void test_a_wrong_value_is_quoted_safely(void)
{
    begin();
    refused("verify", "\033[31m\n", "--verify: found '\\x1b[31m\\x0a', expected yes or no");
    refused("verify", "0123456789012345678901234567890123456789x",
            "--verify: found '0123456789012345678901234567890123456789...', expected yes or no");
    end();
}

static void test_nearest(void)
{
    static const char *const words[] = {"inspect", "convert", "split", "scale", "make", "help"};
#define NEAREST(word) hsp_nearest(word, words, 6)
    CHECK_TEXT(NEAREST("inspcet"), "inspect");
    CHECK_TEXT(NEAREST("covnert"), "convert");
    CHECK_TEXT(NEAREST("spilt"), "split");
    CHECK_TEXT(NEAREST("con"), "convert");
    CHECK_TEXT(NEAREST("helpp"), "help");
    CHECK(NEAREST("train") == NULL);
    CHECK(NEAREST("x") == NULL);
    CHECK(NEAREST("") == NULL);
    CHECK(hsp_nearest("inspect", NULL, 0) == NULL);
}

static void test_a_table_with_a_wrong_default_is_refused(void)
{
    static const hsp_option wrong[] = {{"fine", HSP_OPTION_TEXT, "text", 0, 0, NULL, NULL, ""},
                                       {"margin", HSP_OPTION_REAL, "2", 0, 1, NULL, NULL, ""}};
    static const hsp_option_table wrong_table = {"wrong", "", wrong, 2};
    hsp_error err = {0};
    hsp_options *none = NULL;
    CHECK(hsp_options_new(ctx, &wrong_table, &err, &none) == HSP_USAGE);
    CHECK(none == NULL);
    CHECK_TEXT(err.file, "--margin");
}

/* ---- Every allocation fails once ---- */

static int allocations, fail_at, live;

static void *counted(void *user, void *pointer, size_t size)
{
    (void)user;
    if (++allocations == fail_at) return NULL;
    live += pointer == NULL;
    return realloc(pointer, size);
}

static void counted_free(void *user, void *pointer)
{
    (void)user;
    live--;
    free(pointer);
}

/* Set something of every kind, right and wrong; the first failure ends it. */
static hsp_status use_options(hsp_context *small)
{
    hsp_options *made = NULL;
    hsp_error err = {0};
    hsp_status status = hsp_options_new(small, &table, &err, &made);
    if (status == HSP_OK) status = hsp_options_set(made, "label", "x", &err);
    if (status == HSP_OK) status = hsp_options_set(made, "ignore", "x", &err);
    static const char *const wrong[][2] = {{"storage", "x"}, {"margin", "x"}, {"marginn", "1"}};
    for (int i = 0; status == HSP_OK && i < 3; i++) {
        status = hsp_options_set(made, wrong[i][0], wrong[i][1], &err);
        if (status == HSP_USAGE) status = HSP_OK;
    }
    CHECK(status == HSP_OK || err.status == status);
    hsp_options_free(made);
    return status;
}

static void test_no_memory(void)
{
    const hsp_allocator allocator = {counted, counted_free, NULL};
    hsp_status status = HSP_NO_MEMORY;
    for (int n = 2; status == HSP_NO_MEMORY && n < 200; n++) { /* 1 is the context itself */
        hsp_context *small = NULL;
        allocations = 0;
        fail_at = n;
        CHECK(hsp_context_new(&allocator, &small) == HSP_OK);
        status = use_options(small);
        CHECK_NOTE((status == HSP_NO_MEMORY) == (allocations >= fail_at), "allocation %d", n);
        hsp_context_free(small);
        CHECK_NOTE(live == 0, "allocation %d leaves %d blocks", n, live);
    }
    CHECK(status == HSP_OK);
    hsp_options_free(NULL);
}

/* A value of the option's type; HSP_USAGE with the call that is right for another type. */
static void test_typed_values(void)
{
    hsp_error err = {0};
    char text[900];
    begin();
    CHECK(hsp_options_set_real(options, "margin", 0.1, &err) == HSP_OK);
    CHECK(hsp_options_real(options, "margin") == 0.1 && hsp_options_is_set(options, "margin"));
    CHECK(hsp_options_set_integer(options, "margin", 1, &err) == HSP_OK);
    CHECK(hsp_options_real(options, "margin") == 1);
    CHECK(hsp_options_set_integer(options, "seed", INT64_MAX, &err) == HSP_OK);
    CHECK(hsp_options_integer(options, "seed") == INT64_MAX);
    CHECK(hsp_options_set_integer(options, "debt", INT64_MIN + 1, &err) == HSP_OK);
    CHECK(hsp_options_integer(options, "debt") == INT64_MIN + 1);
    CHECK(hsp_options_set_flag(options, "verify", 7, &err) == HSP_OK);
    CHECK(hsp_options_flag(options, "verify") == 1);
    CHECK(hsp_options_set_flag(options, "fsync", 0, &err) == HSP_OK);
    CHECK(hsp_options_flag(options, "fsync") == 0);
    CHECK(hsp_options_set_text(options, "storage", "dense", &err) == HSP_OK);
    CHECK_TEXT(hsp_options_text(options, "storage"), "dense");
    CHECK(hsp_options_set_text(options, "ignore", "x", &err) == HSP_OK);
    CHECK(hsp_options_list_count(options, "ignore") == 1 && err.status == HSP_OK);

    CHECK(hsp_options_set_real(options, "margin", 2, &err) == HSP_USAGE);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text),
               "--margin: found '2', expected a number between 0 and 1");
    CHECK(hsp_options_set_real(options, "shift", NAN, &err) == HSP_USAGE);
    CHECK(hsp_options_set_real(options, "shift", -INFINITY, &err) == HSP_USAGE);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text), "--shift: found '-inf', expected a number");
    CHECK(hsp_options_set_real(options, "rows", 10, &err) == HSP_USAGE);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text),
               "--rows: the option is a whole number: set it with hsp_options_set_integer");
    CHECK(hsp_options_set_flag(options, "label", 1, &err) == HSP_USAGE);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text),
               "--label: the option is a text: set it with hsp_options_set_text");
    CHECK(hsp_options_set_text(options, "verify", "yes", &err) == HSP_USAGE);
    CHECK(hsp_options_set_integer(options, "verify", 1, &err) == HSP_USAGE);
    CHECK(hsp_options_set_text(options, "storage", "dens", &err) == HSP_USAGE);
    CHECK(hsp_options_set_real(options, "marginn", 1, &err) == HSP_USAGE);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text),
               "--marginn: there is no such option; did you mean --margin?");
    end();
}

static void test_options_of_a_learner(void)
{
    hsp_error err = {0};
    CHECK(hsp_options_for(ctx, "svm", &err, &options) == HSP_OK);
    CHECK_TEXT(hsp_options_table(options)->name, "svm");
    end();
    CHECK(hsp_options_for(ctx, "percepton", &err, &options) == HSP_USAGE && !options);
    CHECK_TEXT(err.message, "there is no learner 'percepton'; did you mean 'perceptron'?");
    CHECK(hsp_options_for(ctx, "x", &err, &options) == HSP_USAGE);
    CHECK_TEXT(err.message, "there is no learner 'x'");
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(test_defaults);
    RUN(test_a_set_value_replaces_the_default);
    RUN(test_a_copy_stands_alone);
    RUN(test_whole_numbers_in_any_notation);
    RUN(test_wrong_whole_numbers);
    RUN(test_reals);
    RUN(test_flags_and_choices);
    RUN(test_unknown_names_get_a_suggestion);
    RUN(test_a_wrong_value_is_quoted_safely);
    RUN(test_nearest);
    RUN(test_a_table_with_a_wrong_default_is_refused);
    RUN(test_typed_values);
    RUN(test_options_of_a_learner);
    RUN(test_no_memory);
    hsp_context_free(ctx);
    return check_done();
}
