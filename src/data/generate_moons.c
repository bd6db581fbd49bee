/* moons: two half circles that reach into each other. The first lies on (cos t, sin t), the second
 * on (1 - cos t, 1/2 - sin t), t uniform in [0, pi], normal noise added; columns beyond the second
 * are noise alone. */
#include <math.h>

#include "data/generate.h"

#define MOONS_PI 3.14159265358979323846

static const hsp_option moons_options[] = {
    HSP__GENERATE_COMMON("2", 2, 1e7),
    {"spread", HSP_OPTION_REAL, "0.1", 0, 10, NULL, "X",
     "standard deviation of the noise added to every coordinate"},
};

static const hsp_option_table moons_table = {
    "moons", "two interleaving half circles, which no halfspace separates", moons_options,
    sizeof moons_options / sizeof *moons_options};

static hsp_status moons_start(const hsp_options *options, hsp__generation *run, hsp_error *err)
{
    (void)err;
    run->real[0] = hsp_options_real(options, "spread");
    return HSP_OK;
}

static void moons_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    made->label = (int)(hsp__random_bits(random) >> 63);
    double t = MOONS_PI * hsp__random_unit(random);
    double at[2] = {cos(t), sin(t)};
    if (made->label) {
        at[0] = 1 - at[0];
        at[1] = 0.5 - at[1];
    }
    for (uint64_t j = 0; j < run->cols; j++) {
        double noise = run->real[0] * hsp__random_normal(random);
        made->units[j] = (int32_t)lrint(((j < 2 ? at[j] : 0) + noise) * 1e4);
    }
}

const hsp__generator hsp__generate_moons = {
    .table = &moons_table, .decimals = 4, .start = moons_start, .row = moons_row};
