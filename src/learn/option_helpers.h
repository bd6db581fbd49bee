/* Options made from options: a learner run inside another call has most of its settings. */
#ifndef HSP_LEARN_OPTION_HELPERS_H
#define HSP_LEARN_OPTION_HELPERS_H

#include "halfspace.h"

/* Has the table such an option? */
int hsp__options_have(const hsp_options *options, const char *name);

/* Has the table such a choice or text, and is this its value? */
int hsp__options_say(const hsp_options *options, const char *name, const char *value);

/* The same settings, but for the options named in `skip` (ended by NULL), which have their
 * defaults. */
hsp_status hsp__options_derive(hsp_context *ctx, const hsp_options *options,
                               const char *const *skip, hsp_error *err, hsp_options **out);

/* Set an option if the table has it. */
hsp_status hsp__options_put(hsp_options *options, const char *name, const char *value,
                            hsp_error *err);

#endif
