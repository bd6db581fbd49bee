/* Sample sizes: values by hand, and each theorem solved back and forth. */
#include <math.h>

#include "check.h"
#include "halfspace_all.h"

static hsp_context *ctx;

/* `set`: name, value, ..., NULL. */
static hsp_status solve(const char *const *set, hsp_error *err, hsp_sample_size *out)
{
    hsp_options *options = NULL;
    hsp_status status = hsp_options_new(ctx, hsp_sample_size_options(), err, &options);
    for (; !status && *set; set += 2)
        status = hsp_options_set(options, set[0], set[1], err);
    if (!status) status = hsp_sample_size_solve(options, err, out);
    hsp_options_free(options);
    return status;
}

static void by_hand(void)
{
    hsp_sample_size size = {.size = sizeof size};
    /* (ln 1000 + ln 100) / 0.05 = 230.26 */
    CHECK(!solve((const char *[]){"hypotheses", "1000", "epsilon", "0.05", "delta", "0.01", NULL},
                 NULL, &size));
    CHECK(size.rows == 231);
    CHECK_TEXT(size.solved, "rows");
    CHECK(isnan(size.dimension) && isnan(size.closed_rows));
    /* (ln 1000 + ln 200) / (2 * 0.0025) = 2441.2 */
    CHECK(!solve((const char *[]){"hypotheses", "1000", "epsilon", "0.05", "delta", "0.01",
                                  "agnostic", "yes", NULL},
                 NULL, &size));
    CHECK(size.rows == 2442);
    /* 10 bits are 1024 hypotheses; one hypothesis costs ln(1/delta) / epsilon */
    CHECK(!solve((const char *[]){"bits", "10", "epsilon", "0.1", "delta", "0.05", NULL}, NULL,
                 &size));
    CHECK(size.rows == ceil((10 * log(2) + log(20)) / 0.1));
    CHECK(!solve((const char *[]){"hypotheses", "1", "epsilon", "0.1", "delta", "0.05", NULL}, NULL,
                 &size));
    CHECK(size.rows == 30);
    /* conjunctions of 10 literals: 3^10 + 1 */
    CHECK(!solve(
        (const char *[]){"class", "conjunctions:10", "epsilon", "0.1", "delta", "0.05", NULL}, NULL,
        &size));
    CHECK(fabs(size.log_count - log(59050)) <= 1e-9);
    /* intervals: 1 + m (m + 1) / 2 labellings of m points */
    CHECK(!solve((const char *[]){"class", "intervals", "rows", "100", "delta", "0.05", NULL}, NULL,
                 &size));
    CHECK(fabs(size.log_count - log(1 + 200 * 201 / 2)) <= 1e-9);
    CHECK(fabs(size.epsilon - 2.0 / 100 * log2(2 * 20101 / 0.05)) <= 1e-9);
    CHECK(size.dimension == 2);
    /* Blumer and others' closed form: max(4/0.1 log2(40), 8*3/0.1 log2(130)) = 1685.4 */
    CHECK(
        !solve((const char *[]){"vc", "3", "epsilon", "0.1", "delta", "0.05", NULL}, NULL, &size));
    CHECK(size.closed_rows == 1686);
    CHECK(size.rows < size.closed_rows);
}

static const char *const classes[][2] = {
    {"hypotheses", "12345"},    {"bits", "77.5"},      {"vc", "4"},
    {"class", "halfspaces:10"}, {"class", "origin:3"}, {"class", "thresholds"},
    {"class", "boxes:2"},       {"vc", "500"}};

/* n suffices, n - 1 does not; and the other two come back. */
static void back_and_forth(void)
{
    static const char *const figures[][2] = {{"0.1", "0.05"}, {"0.01", "1e-6"}, {"0.5", "0.5"}};
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        for (int f = 0; f < 3; f++)
            for (int agnostic = 0; agnostic < 2; agnostic++) {
                const char *yes = agnostic ? "yes" : "no", *name = classes[c][0];
                const char *eps = figures[f][0], *delta = figures[f][1], *value = classes[c][1];
                hsp_sample_size size = {.size = sizeof size}, back = {.size = sizeof back};
                char rows[40];
                CHECK(!solve((const char *[]){name, value, "epsilon", eps, "delta", delta,
                                              "agnostic", yes, NULL},
                             NULL, &size));
                for (int less = 0; less < 2; less++) {
                    snprintf(rows, sizeof rows, "%.0f", size.rows - less);
                    CHECK(!solve((const char *[]){name, value, "rows", rows, "delta", delta,
                                                  "agnostic", yes, NULL},
                                 NULL, &back));
                    CHECK_NOTE(less ? back.epsilon > atof(eps) * (1 - 1e-9)
                                    : back.epsilon <= atof(eps) * (1 + 1e-9),
                               "%s %s, rows %s: epsilon %.12g, asked for %s", name, value, rows,
                               back.epsilon, eps);
                    CHECK(!solve((const char *[]){name, value, "rows", rows, "epsilon", eps,
                                                  "agnostic", yes, NULL},
                                 NULL, &back));
                    CHECK_NOTE(less ? back.delta > atof(delta) * (1 - 1e-6)
                                    : back.delta <= atof(delta) * (1 + 1e-6),
                               "%s %s, rows %s: delta %.12g, asked for %s", name, value, rows,
                               back.delta, delta);
                }
            }
}

static void larger_classes_take_more(void)
{
    double before = 0;
    for (int d = 1; d <= 40; d++) {
        char class[32], vc[16];
        hsp_sample_size cover = {.size = sizeof cover}, sauer = {.size = sizeof sauer};
        snprintf(class, sizeof class, "halfspaces:%d", d);
        snprintf(vc, sizeof vc, "%d", d + 1);
        CHECK(!solve((const char *[]){"class", class, "epsilon", "0.1", "delta", "0.1", NULL}, NULL,
                     &cover));
        CHECK(!solve((const char *[]){"vc", vc, "epsilon", "0.1", "delta", "0.1", NULL}, NULL,
                     &sauer));
        CHECK(cover.dimension == sauer.dimension);
        CHECK(cover.rows <= sauer.rows); /* Cover counts, Sauer bounds */
        CHECK(cover.rows > before);
        before = cover.rows;
    }
}

static void vacuous(void)
{
    hsp_sample_size size = {.size = sizeof size};
    CHECK(!solve((const char *[]){"vc", "50", "rows", "10", "delta", "0.05", NULL}, NULL, &size));
    CHECK(size.vacuous && size.epsilon >= 1);
    CHECK(!solve((const char *[]){"vc", "50", "rows", "10", "epsilon", "0.05", NULL}, NULL, &size));
    CHECK(size.vacuous && size.delta >= 1);
    CHECK(!solve((const char *[]){"bits", "1e15", "epsilon", "1e-15", "delta", "0.5", NULL}, NULL,
                 &size));
    CHECK(size.vacuous && isinf(size.rows));
    CHECK(!solve((const char *[]){"hypotheses", "2", "rows", "1e6", "epsilon", "1", NULL}, NULL,
                 &size));
    CHECK(!size.vacuous && size.delta > 0 && size.delta < 1e-300);
}

static void refused(void)
{
    static const char *const wrong[][10] = {
        {"vc", "3", "epsilon", "0.1", NULL},
        {"vc", "3", "epsilon", "0.1", "delta", "0.1", "rows", "10", NULL},
        {"epsilon", "0.1", "delta", "0.1", NULL},
        {"vc", "3", "bits", "3", "epsilon", "0.1", "delta", "0.1", NULL},
        {"class", "circles", "epsilon", "0.1", "delta", "0.1", NULL},
        {"class", "halfspaces", "epsilon", "0.1", "delta", "0.1", NULL},
        {"class", "halfspaces:", "epsilon", "0.1", "delta", "0.1", NULL},
        {"class", "halfspaces:x", "epsilon", "0.1", "delta", "0.1", NULL},
        {"class", "halfspaces:0", "epsilon", "0.1", "delta", "0.1", NULL},
        {"class", "intervals:2", "epsilon", "0.1", "delta", "0.1", NULL},
        {"vc", "3", "rows", "10.5", "delta", "0.1", NULL},
        {"vc", "3", "rows", "10", "delta", "1", NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsp_sample_size size = {.size = sizeof size, .rows = -7};
        hsp_error err = {0};
        CHECK_NOTE(solve(wrong[i], &err, &size) == HSP_USAGE, "case %zu", i);
        CHECK_NOTE(err.message[0] && size.rows == -7, "case %zu", i);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(by_hand);
    RUN(back_and_forth);
    RUN(larger_classes_take_more);
    RUN(vacuous);
    RUN(refused);
    hsp_context_free(ctx);
    return check_done();
}
