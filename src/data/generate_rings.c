/* rings: two circles around the origin, of radius 1/2 (the first class) and 1, the angle uniform,
 * normal noise added; columns beyond the second are noise alone. */
#include <math.h>

#include "data/generate.h"

#define RINGS_TURN 6.28318530717958647693

static const hsp_option rings_options[] = {
    HSP__GENERATE_COMMON("2", 2, 1e7),
    {"spread", HSP_OPTION_REAL, "0.1", 0, 10, NULL, "X",
     "standard deviation of the noise added to every coordinate"},
};

static const hsp_option_table rings_table = {
    "rings", "two circles, one inside the other, which no halfspace separates", rings_options,
    sizeof rings_options / sizeof *rings_options};

static hsp_status rings_start(const hsp_options *options, hsp__generation *run, hsp_error *err)
{
    (void)err;
    run->real[0] = hsp_options_real(options, "spread");
    return HSP_OK;
}

static void rings_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    made->label = (int)(hsp__random_bits(random) >> 63);
    double angle = RINGS_TURN * hsp__random_unit(random), radius = made->label ? 1 : 0.5;
    double at[2] = {radius * cos(angle), radius * sin(angle)};
    for (uint64_t j = 0; j < run->cols; j++) {
        double noise = run->real[0] * hsp__random_normal(random);
        made->units[j] = (int32_t)lrint(((j < 2 ? at[j] : 0) + noise) * 1e4);
    }
}

const hsp__generator hsp__generate_rings = {
    .table = &rings_table, .decimals = 4, .start = rings_start, .row = rings_row};
