/* halfspace: normal rows, labelled by a random halfspace, a share of the labels flipped. */
#include <math.h>

#include "data/generate.h"

static const hsp_option halfspace_options[] = {
    HSP__GENERATE_COMMON("20", 1, 1e7),
    HSP__GENERATE_NOISE("0.1"),
    {"offset", HSP_OPTION_REAL, "0", -100, 100, NULL, "X", "offset of the separator"},
};

static const hsp_option_table halfspace_table = {
    "halfspace", "normal rows labelled by a halfspace, with flipped labels", halfspace_options,
    sizeof halfspace_options / sizeof *halfspace_options};

static hsp_status halfspace_start(const hsp_options *options, hsp__generation *run, hsp_error *err)
{
    run->noise = hsp_options_real(options, "noise");
    run->offset = hsp_options_real(options, "offset");
    return hsp__generate_direction(run, err);
}

static void halfspace_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    double score = 0;
    for (uint64_t j = 0; j < run->cols; j++) {
        made->units[j] = (int32_t)lrint(hsp__random_normal(random) * 1e4);
        score += run->weights[j] * (double)made->units[j];
    }
    made->label = hsp__generate_label(run, random, score * 1e-4 + run->offset > 0);
}

const hsp__generator hsp__generate_halfspace = {
    .table = &halfspace_table, .decimals = 4, .start = halfspace_start, .row = halfspace_row};
