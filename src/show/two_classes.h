/* The data of a plot that is about two classes. */
#ifndef HSP_SHOW_TWO_CLASSES_H
#define HSP_SHOW_TWO_CLASSES_H

#include "show/figure.h"

#define HSP__TWO_CLASSES_OPTIONS                                                            \
    HSP__TEXT("classes", NULL, "A,B", "use only these two classes; B is the positive one"), \
        HSP__TEXT("positive", NULL, "CLASS", "this class against all others")

/* The rows of two classes of the input's first data set, as the options classes and positive say: a new
 * data set, the positive class is the second one. HSP_USAGE if there are more than two classes and no
 * option, HSP_BAD_DATA if there are fewer. */
hsp_status hsp__two_classes(hsp_context *ctx, const hsp_plot_input *input,
                            const hsp_options *options, hsp_error *err, hsp_data **out);

#endif
