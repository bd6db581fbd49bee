/* Hulls, feet of perpendiculars, directions: by hand, and against the definition on random
 * points. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "show/geometry.h"

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Is the point in the hull with these corners, or on its edge? `room`: how far outside it may be. */
static int contains(const double (*corners)[2], uint64_t count, const double point[2], double room)
{
    if (!count) return 0;
    if (count == 1) return hypot(point[0] - corners[0][0], point[1] - corners[0][1]) <= room;
    for (uint64_t i = 0; i < count; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % count];
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        if (!(turn(a, b, point) >= -room * length)) return 0;
        if (count == 2) { /* between the ends: both ways round the line were tried */
            const double along =
                (point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1]);
            if (!(along >= -room * length)) return 0;
        }
    }
    return 1;
}

static void hulls_by_hand(void)
{
    double square[][2] = {{1, 1}, {0, 0}, {2, 0}, {1, 0}, {0, 2}, {2, 2}, {0, 0}, {2, 1}, {0, 1}};
    CHECK(hsp__hull(square, 9) == 4);
    static const double corners[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    CHECK(memcmp(square, corners, sizeof corners) == 0);
    double line[][2] = {{3, 3}, {1, 1}, {2, 2}, {1, 1}, {0, 0}};
    CHECK(hsp__hull(line, 5) == 2);
    CHECK(line[0][0] == 0 && line[0][1] == 0 && line[1][0] == 3 && line[1][1] == 3);
    double huge[][2] = {{-1e300, 0}, {1e300, 0}, {0, 1e300}, {1e-300, 1e299}, {0, -1e300}};
    CHECK(hsp__hull(huge, 5) == 4);
    double tiny[][2] = {{-1e-300, 0}, {1e-300, 0}, {0, 1e-300}, {0, 1e-301}, {0, -1e-300}};
    CHECK(hsp__hull(tiny, 5) == 4);
    double upright[][2] = {{1, 2}, {1, -1}, {1, 0}};
    CHECK(hsp__hull(upright, 3) == 2);
    double same[][2] = {{5, 5}, {5, 5}, {5, 5}};
    CHECK(hsp__hull(same, 3) == 1);
    CHECK(hsp__hull(same, 0) == 0);
    double triangle[][2] = {{0, 0}, {1, 3}, {2, 0}, {1, 1}};
    CHECK(hsp__hull(triangle, 4) == 3);
    CHECK(triangle[2][0] == 1 && triangle[2][1] == 3);
}

/* No corner of the hull is missed, and most other points are left out. */
static void candidates_have_the_corners(void)
{
    enum { N = 4000 };
    static double points[N][2], hull[N][2];
    static uint32_t class_of[N];
    static unsigned char keep[N];
    hsp__random random;
    hsp__random_seed(&random, 3, 0);
    for (int round = 0; round < 6;
         round++) { /* a disc; then a line, one place, huge, far away, a grid */
        uint64_t kept = 0;
        for (int i = 0; i < N; i++) {
            const double u = hsp__random_unit(&random) - 0.5, v = hsp__random_unit(&random) - 0.5;
            points[i][0] = round == 2 ? 7 : round == 3 ? u * 1e308 : round == 4 ? 1e9 + u : u;
            points[i][1] = round == 1 ? 3 * u : round == 2 ? 7 : round == 3 ? v * 1e308 : v;
            if (round == 5) points[i][0] = floor(u * 20), points[i][1] = floor(v * 20);
            class_of[i] = 1;
            keep[i] = 0;
        }
        class_of[5] = 0;
        hsp__hull_candidates(N, points, class_of, 1, keep);
        CHECK(!keep[5]);
        for (int i = 0; i < N; i++)
            kept += keep[i];
        CHECK(round != 0 || kept < N / 4);
        uint64_t count = 0;
        for (int i = 0; i < N; i++)
            if (class_of[i]) memcpy(hull[count++], points[i], sizeof *hull);
        const uint64_t corners = hsp__hull(hull, count);
        for (uint64_t c = 0; c < corners; c++) {
            int found = 0;
            for (int i = 0; i < N; i++)
                found |= keep[i] && memcmp(points[i], hull[c], sizeof *hull) == 0;
            CHECK(found);
        }
    }
}

static void hulls_contain(void)
{
    static const double corners[3][2] = {{0, 0}, {2, 0}, {0, 2}};
    CHECK(contains(corners, 3, (double[]){0.5, 0.5}, 0));
    CHECK(contains(corners, 3, (double[]){1, 1}, 0));
    CHECK(!contains(corners, 3, (double[]){1.1, 1}, 0));
    CHECK(contains(corners, 3, (double[]){1.1, 1}, 0.1));
    CHECK(contains(corners, 2, (double[]){1, 0}, 0));
    CHECK(!contains(corners, 2, (double[]){1, 0.1}, 0));
    CHECK(!contains(corners, 2, (double[]){1, -0.1}, 0));
    CHECK(!contains(corners, 2, (double[]){2.5, 0}, 0));
    CHECK(!contains(corners, 2, (double[]){-0.5, 0}, 0));
    CHECK(contains(corners, 1, (double[]){0, 0}, 0));
    CHECK(!contains(corners, 1, (double[]){1, 0}, 0));
    CHECK(!contains(corners, 0, (double[]){0, 0}, 1));
}

/* Points on a small grid, so that many are equal or on one line: each is in the hull, and each
 * corner is a point that the other corners do not contain. */
static void hulls_of_random_points(void)
{
    for (uint64_t round = 0; round < 2000; round++) {
        hsp__random random;
        hsp__random_seed(&random, round, 1);
        double points[20][2] = {{0}}, hull[20][2];
        const uint64_t count = 1 + hsp__random_below(&random, 20), side = 1 + round % 9;
        for (uint64_t i = 0; i < count; i++)
            for (int j = 0; j < 2; j++)
                points[i][j] = (double)hsp__random_below(&random, side);
        memcpy(hull, points, sizeof points);
        const uint64_t corners = hsp__hull(hull, count);
        CHECK(corners >= 1 && corners <= count);
        for (uint64_t i = 0; i < count; i++)
            CHECK(contains((const double(*)[2])hull, corners, points[i], 0));
        for (uint64_t i = 0; corners > 1 && i < corners; i++) {
            double others[20][2];
            memcpy(others, hull, i * sizeof *hull);
            memcpy(others + i, hull + i + 1, (corners - i - 1) * sizeof *hull);
            CHECK(!contains((const double(*)[2])others, corners - 1, hull[i], 0));
        }
    }
}

static void feet(void)
{
    double foot[2];
    hsp__foot((double[]){3, 4}, -5, (double[]){3, 4}, foot); /* 4 from the line */
    CHECK(fabs(foot[0] - 0.6) < 1e-15 && fabs(foot[1] - 0.8) < 1e-15);
    hsp__foot((double[]){3, 4}, -5, (double[]){0, 0}, foot);
    CHECK(fabs(foot[0] - 0.6) < 1e-15 && fabs(foot[1] - 0.8) < 1e-15);
}

static void directions(void)
{
    hsp_context *ctx;
    double v[3];
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    /* rows differ most along the second column, then along the third */
    static const double rows[4][3] = {{5, 0, 1}, {6, 10, -1}, {5, 20, -1}, {6, 30, 1}};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 4, 3, 3, rows);
    hsp__perpendicular_axis(ctx, &view, (double[]){1, 0, 0}, v);
    CHECK(v[0] == 0 && fabs(v[1] - 1) < 1e-9 && fabs(v[2]) < 1e-9);
    hsp__perpendicular_axis(ctx, &view, (double[]){1, 1, 0}, v);
    CHECK(fabs(v[0] + v[1]) < 1e-12 && fabs(v[0] - sqrt(0.5)) < 0.1);
    CHECK(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1) < 1e-12);
    const hsp_view line = hsp_view_dense(HSP_FLOAT64, 4, 1, 3, rows); /* one column: none */
    hsp__perpendicular_axis(ctx, &line, (double[]){2}, v);
    CHECK(v[0] == 0);
    const hsp_view one = hsp_view_dense(HSP_FLOAT64, 1, 2, 3, rows); /* one row: any will do */
    hsp__perpendicular_axis(ctx, &one, (double[]){3, 4}, v);
    CHECK(fabs(v[0] - 0.8) < 1e-12 && fabs(v[1] + 0.6) < 1e-12);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(hulls_by_hand);
    RUN(hulls_contain);
    RUN(candidates_have_the_corners);
    RUN(hulls_of_random_points);
    RUN(feet);
    RUN(directions);
    return check_done();
}
