/* Tables that other commands wrote, read back: by hand, and every error with its place. */
#include "base/context.h"
#include "check.h"
#include "show/table_file.h"

static hsp_status parse(const char *text, hsp_error *err, hsp__log_table *out)
{
    static hsp_context *ctx;
    if (!ctx) hsp_context_new(NULL, &ctx);
    return hsp__log_table_parse(ctx, text, strlen(text), "t.csv", err, out);
}

static void by_hand(void)
{
    hsp_error err = {0};
    hsp__log_table table;
    double numbers[3];
    uint32_t column = 7;
    CHECK(parse("name,pass,\"gap, relative\"\n\"a, \"\"b\"\"\",1,0.5\n\nc,2,\nc,3,-1e-3", &err,
                &table) == HSP_OK);
    CHECK(table.columns == 3 && table.rows == 3);
    CHECK_TEXT(table.names[2], "gap, relative");
    CHECK_TEXT(hsp__log_table_cell(&table, 0, 0), "a, \"b\"");
    CHECK(hsp__log_table_column(&table, "pass") == 1);
    CHECK(hsp__log_table_column(&table, "passes") == UINT32_MAX);
    CHECK(hsp__log_table_need(&table, "pass", "train", &err, &column) == HSP_OK && column == 1);
    CHECK(hsp__log_table_numbers(&table, 2, &err, numbers) == HSP_OK);
    CHECK(numbers[0] == 0.5 && isnan(numbers[1]) && numbers[2] == -1e-3);
    CHECK(hsp__log_table_numbers(&table, 0, &err, numbers) == HSP_BAD_DATA && err.line == 2);
    CHECK(hsp__log_table_need(&table, "objective", "train", &err, &column) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "has no column \"objective\"; expected a file of train"));
    hsp__log_table_free(&table);
}

static void errors(void)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *part;
    } cases[] = {
        {"", 0, "at least one line of numbers"},
        {"a,b\n", 0, "at least one line of numbers"},
        {"a,b\n1,2\n3\n", 3, "found 1 field, expected 2"},
        {"a,b\n1,2,3\n", 2, "found 3 fields, expected 2"},
        {"a,b\n\"1,2\n", 2, "never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_error err = {0};
        hsp__log_table table;
        CHECK(parse(cases[i].text, &err, &table) == HSP_BAD_DATA);
        CHECK_NOTE(err.line == cases[i].line && strstr(err.message, cases[i].part),
                   "case %zu: %llu: %s", i, (unsigned long long)err.line, err.message);
    }
}

int main(void)
{
    RUN(by_hand);
    RUN(errors);
    return check_done();
}
