/* xor: rows uniform in the cube [-1, 1]^d without zeros; the class is the sign of x_1 x_2. */
#include "data/generate.h"

static const hsp_option xor_options[] = {
    HSP__GENERATE_COMMON("2", 2, 1e7),
    HSP__GENERATE_NOISE("0"),
};

static const hsp_option_table xor_table = {
    "xor",
    "labels by the sign of the product of the first two columns, which no halfspace separates",
    xor_options, sizeof xor_options / sizeof *xor_options};

static hsp_status xor_start(const hsp_options *options, hsp__generation *run, hsp_error *err)
{
    (void)err;
    run->noise = hsp_options_real(options, "noise");
    return HSP_OK;
}

static void xor_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    for (uint64_t j = 0; j < run->cols; j++) {
        int32_t size = (int32_t)hsp__random_below(random, 20000);
        made->units[j] = size < 10000 ? size + 1 : 9999 - size;
    }
    made->label = hsp__generate_label(run, random, (made->units[0] > 0) == (made->units[1] > 0));
}

const hsp__generator hsp__generate_xor = {
    .table = &xor_table, .decimals = 4, .start = xor_start, .row = xor_row};
