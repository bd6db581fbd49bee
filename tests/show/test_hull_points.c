/* Nearest points and common points of two hulls: by hand, and by certificate. */
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "show/hull_points.h"

static hsp_context *ctx;
static hsp_error err;

static hsp_data *rows(const char *text)
{
    hsp_data *data = NULL;
    CHECK(hsp_data_parse(ctx, text, strlen(text), "t.svm", NULL, NULL, &err, &data) == HSP_OK);
    return data;
}

static int near(const double *point, double x, double y)
{
    return fabs(point[0] - x) <= 1e-9 && fabs(point[1] - y) <= 1e-9;
}

static void nearest_by_hand(void)
{
    hsp_data *data =
        rows("1 1:3 2:4\n-1 1:0 2:0\n1 1:1 2:2\n1 1:2 2:0\n-1 1:1 2:-3\n-1 1:1 2:-1\n");
    hsp__hull_points found;
    int known = 0;
    CHECK(hsp__hull_points_find(ctx, data, &err, &found, &known) == HSP_OK);
    CHECK(known && found.separable && !found.touching && found.used == 3);
    CHECK(found.low <= sqrt(0.5) && found.high >= sqrt(0.5) && found.high - found.low < 1e-6);
    CHECK(near(found.point[1], 2, 0) && near(found.point[0], 1, -1));
    CHECK(found.w && fabs(found.w[0] / found.w[1] - 1) < 1e-6 && found.b < 0);
    hsp__hull_points_free(&found);
    hsp_data_free(data);
}

static void common_by_hand(void)
{
    /* the diagonals of a square, in tenths, which floats do not hold */
    hsp_data *data = rows("1 1:0.1 2:0.1\n1 1:0.3 2:0.3\n0 1:0.1 2:0.3\n0 1:0.3 2:0.1\n");
    hsp__hull_points found;
    int known = 0;
    CHECK(hsp__hull_points_find(ctx, data, &err, &found, &known) == HSP_OK);
    if (known) {
        CHECK(!found.separable && !found.touching && found.used == 4);
        CHECK(near(found.point[0], 0.2, 0.2) && near(found.point[1], 0.2, 0.2));
        for (uint64_t k = 0; k < found.used; k++)
            CHECK(fabs(found.share[k] - 0.5) < 1e-12);
        hsp__hull_points_free(&found);
    }
    hsp_data_free(data);
    data = rows("1 1:1 2:5\n0 1:1 2:5\n0 1:3 2:1\n"); /* one row in both classes */
    CHECK(hsp__hull_points_find(ctx, data, &err, &found, &known) == HSP_OK);
    CHECK(known && !found.separable && found.used == 2 && near(found.point[0], 1, 5));
    hsp__hull_points_free(&found);
    hsp_data_free(data);
}

/* A claim in a file of its own, for these rows; its message, or "" if it was read. */
static const char *claim(const char *text, hsp__hull_points *out)
{
    char path[] = "/tmp/halfspace-hull-XXXXXX";
    hsp_data *data = rows("2 1:1 2:1\n1 1:9 2:9\n3 1:3 2:3\n2 1:3 2:1\n"), *used = NULL;
    hsp__hull_claim *read = NULL;
    const int handle = mkstemp(path);
    CHECK(handle >= 0 && write(handle, text, strlen(text)) == (ssize_t)strlen(text));
    close(handle);
    err = (hsp_error){0};
    hsp_status status = hsp__hull_claim_read(ctx, path, &err, &read);
    if (!status) status = hsp__hull_claim_rows(ctx, read, data, &err, &used);
    if (!status) status = hsp__hull_claim_points(ctx, read, used, &err, out);
    CHECK((status == HSP_OK) == (err.message[0] == 0));
    hsp__hull_claim_free(read);
    hsp_data_free(used);
    hsp_data_free(data);
    unlink(path);
    return err.message;
}

#define DATA "{\"data\": {\"negative\": [\"2\"], \"positive\": [\"3\"]}, \"claims\": [{"

static void certificates(void)
{
    hsp__hull_points found;
    CHECK_TEXT(claim(DATA "\"claim\": \"separable\", \"offset\": true, \"separator\": {\"w\": [[2, "
                          "\"1/2\"]], \"b\": \"-2.5e0\"}, \"margin\": {\"low\": \"0.9\", \"high\": "
                          "\"1.1\"}, \"multipliers\": [[1, \"1e400\"], [2, \"4e400\"], [3, "
                          "\"3"
                          "000000000000000000000000000000000000000000000000e352\"]]}]}",
                     &found),
               "");
    CHECK(found.separable && found.low == 0.9 && found.high == 1.1 && found.used == 3);
    CHECK(near(found.point[0], 2.5, 1) && near(found.point[1], 3, 3));
    CHECK(found.w[0] == 0 && found.w[1] == 0.5 && found.b == -2.5);
    hsp__hull_points_free(&found);
    CHECK(strstr(claim(DATA "\"claim\": \"separable\", \"offset\": false}]}", &found), "no claim"));
    CHECK(strstr(claim(DATA "\"claim\": \"separable\", \"offset\": true, \"multipliers\": [[9, "
                            "\"1\"]]}]}",
                       &found),
                 "multiplier 1 is no row"));
    CHECK(strstr(claim(DATA "\"claim\": \"not separable\", \"offset\": true, \"multipliers\": [[1, "
                            "\"1\"]]}]}",
                       &found),
                 "both classes"));
    CHECK(strstr(claim(DATA "\"claim\": \"not separable\", \"offset\": true, \"multipliers\": [[1, "
                            "\"-1/x\"]]}]}",
                       &found),
                 "multiplier 1"));
    CHECK(strstr(claim("{\"claims\": []}", &found), "no claim"));
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(nearest_by_hand);
    RUN(common_by_hand);
    RUN(certificates);
    hsp_context_free(ctx);
    return check_done();
}
