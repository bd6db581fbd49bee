/* Options, for the modules that set them for others (halfspace.h has the calls for users). */
#ifndef HSP_BASE_OPTIONS_H
#define HSP_BASE_OPTIONS_H

#include "halfspace.h"

/* Set a choice to a word that is not among those that users choose from. */
hsp_status hsp__options_set_word(hsp_options *options, const char *name, const char *word,
                                 hsp_error *err);

#endif
