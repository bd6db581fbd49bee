/* separable: two classes that a halfspace separates with a promised margin.
 *
 * A unit vector w is drawn, and points u uniform in the unit ball. With y the side of
 * <w, u> + b / (1 - gamma) that u is on, the row is x = (1 - gamma) u + y gamma w: the ball shrinks
 * and its two sides are pulled apart, so that ||x|| <= 1 and y (<w, x> + b) >= gamma. Rounding to
 * six decimals could spoil that; so the rounded row is measured in double, and pushed along y w
 * until it keeps the margin with more to spare than a float32 can lose. */
#include "base/base.h"
#include "data/generate.h"

#define SEPARABLE_DECIMALS 6
#define SEPARABLE_UNIT     1e-6
/* A float32 is within 2^-24 of the decimal, relatively, and its own shortest decimal as near again:
 * together below 2.4e-7 for ||x|| <= 2. */
#define SEPARABLE_SLACK 4e-7

static const hsp_option separable_options[] = {
    HSP__GENERATE_COMMON("20", 1, 1e7),
    {"margin", HSP_OPTION_REAL, "0.05", 0, 0.95, NULL, "X",
     "minimum distance of every row from the separator"},
    {"offset", HSP_OPTION_REAL, "0", -1, 1, NULL, "X", "offset of the separator"},
};

static const hsp_option_table separable_table = {
    "separable", "two classes separated by a halfspace with a margin; rows in the unit ball",
    separable_options, sizeof separable_options / sizeof *separable_options};

static hsp_status separable_start(const hsp_options *options, hsp__generation *run, hsp_error *err)
{
    run->margin = hsp_options_real(options, "margin");
    run->offset = hsp_options_real(options, "offset");
    if (fabs(run->offset) >= 1 - run->margin)
        return hsp__fail(err, HSP_USAGE,
                         "offset %g with margin %g leaves no room for both classes in the unit "
                         "ball: their sizes must add up to less than 1",
                         run->offset, run->margin);
    return hsp__generate_direction(run, err);
}

/* A point uniform in the unit ball, and its product with w. */
static double separable_point(const hsp__generation *run, hsp__random *random, double *x)
{
    const uint64_t cols = run->cols;
    double squares = 0, product = 0;
    for (uint64_t j = 0; j < cols; j++) {
        x[j] = hsp__random_normal(random);
        squares += x[j] * x[j];
    }
    double radius = pow(hsp__random_unit(random), 1 / (double)cols);
    double scale = squares > 0 ? radius / sqrt(squares) : 0;
    for (uint64_t j = 0; j < cols; j++) {
        x[j] *= scale;
        product += run->weights[j] * x[j];
    }
    return product;
}

/* Round x, and measure <w, x> of what became of it. */
static double separable_round(const hsp__generation *run, hsp__made *made)
{
    double product = 0;
    for (uint64_t j = 0; j < run->cols; j++) {
        made->units[j] = (int32_t)lrint(made->work[j] / SEPARABLE_UNIT);
        product += run->weights[j] * (double)made->units[j];
    }
    return product * SEPARABLE_UNIT;
}

static void separable_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    const double margin = run->margin, *w = run->weights;
    double *x = made->work;
    double side = separable_point(run, random, x) + run->offset / (1 - margin);
    double y = side > 0 ? 1 : -1;
    for (uint64_t j = 0; j < run->cols; j++)
        x[j] = (1 - margin) * x[j] + y * margin * w[j];
    made->label = y > 0;
    for (double push = SEPARABLE_UNIT;
         !(y * (separable_round(run, made) + run->offset) >= margin + SEPARABLE_SLACK); push *= 2)
        for (uint64_t j = 0; j < run->cols; j++)
            x[j] += y * push * w[j];
}

const hsp__generator hsp__generate_separable = {.table = &separable_table,
                                                .decimals = SEPARABLE_DECIMALS,
                                                .start = separable_start,
                                                .row = separable_row};
