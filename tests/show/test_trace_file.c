/* Traces read back: by hand, and every error with its place. */
#include "base/context.h"
#include "check.h"
#include "show/trace_file.h"

#define HEAD "update,pass,example,score,norm,offset,y_score_after,weights_after\n"

static hsp_status parse(const char *text, hsp_error *err, hsp__trace_file *out)
{
    hsp_context *ctx;
    hsp_context_new(NULL, &ctx);
    const hsp_status status = hsp__trace_file_parse(ctx, text, strlen(text), "t.csv", err, out);
    hsp_context_free(ctx);
    return status;
}

static void by_hand(void)
{
    hsp_error err = {0};
    hsp__trace_file trace;
    CHECK(parse(HEAD "1,1,4,0,5,1,26,1:3 2:-4.5\n2,2,2,1,5,0,-0,\n3,2,1,-2,5,-1,1,7:1e-3", &err,
                &trace) == HSP_OK);
    CHECK(trace.count == 3 && trace.change_count == 3);
    CHECK(trace.steps[0].row == 3 && trace.steps[0].pass == 1 && trace.steps[0].offset == 1);
    CHECK(trace.changes[0].column == 0 && trace.changes[0].weight == 3);
    CHECK(trace.changes[1].column == 1 && trace.changes[1].weight == -4.5);
    CHECK(trace.steps[1].first == 2 && trace.steps[2].first == 2 && trace.steps[3].first == 3);
    CHECK(trace.steps[1].score == 1 && trace.steps[2].update == 3);
    CHECK(trace.changes[2].column == 6 && trace.changes[2].weight == 1e-3);
    hsp__trace_file_free(&trace);
}

static void errors(void)
{
    static const struct {
        const char *text;
        uint64_t line, column;
        const char *part;
    } cases[] = {
        {"", 0, 0, "no updates"},
        {HEAD, 0, 0, "no updates"},
        {"a,b\n1,2\n", 1, 0, "no column \"update\""},
        {"update,pass,example,score,total,weights_after\n", 1, 0, "no column \"offset\""},
        {HEAD "1,1,0,0,5,1,26,1:3\n", 2, 5, "found \"0\", expected a whole number from 1"},
        {HEAD "1,x,1,0,5,1,26,1:3\n", 2, 3, "found \"x\""},
        {HEAD "1,1,1,nan,5,1,26,1:3\n", 2, 7, "found \"nan\", expected a number"},
        {HEAD "1,1,1,0,5,1,26,2:3 1:3\n", 2, 20, "found \"1:3\", expected a weight like 3:0.5"},
        {HEAD "1,1,1,0,5,1,26,2:3 x\n", 2, 20, "found \"x\""},
        {HEAD "1,1,1,0,5,1,26,2:\n", 2, 18, "found \"\", expected a number"},
        {HEAD "1,1,1,0,5\n", 2, 10, "expected a number"},
        {HEAD "1,1,1,0,5,1,26\n", 2, 15, "weights that the update changed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_error err = {0};
        hsp__trace_file trace;
        CHECK(parse(cases[i].text, &err, &trace) == HSP_BAD_DATA);
        CHECK_NOTE(err.line == cases[i].line && err.column == cases[i].column &&
                       strstr(err.message, cases[i].part),
                   "case %zu: %llu:%llu: %s", i, (unsigned long long)err.line,
                   (unsigned long long)err.column, err.message);
    }
}

int main(void)
{
    RUN(by_hand);
    RUN(errors);
    return check_done();
}
