/* Options, for the modules that set them for others (halfspace.h has the calls for users). */
#ifndef HSP_BASE_OPTIONS_H
#define HSP_BASE_OPTIONS_H

#include "halfspace_all.h"

/* Set a choice to a word that is not among those that users choose from. */
hsp_status hsp__options_set_word(hsp_options *options, const char *name, const char *word,
                                 hsp_error *err);

/* Give `to` the value that `from` has; both tables have the option. */
hsp_status hsp__options_copy(hsp_options *to, const hsp_options *from, const char *name,
                             hsp_error *err);

/* The word that users give instead of this number ("until-converged"); NULL: none. */
const char *hsp__option_word(const hsp_option *option, int64_t value);

/* Give an option its default again, as if it had not been set. */
hsp_status hsp__options_reset(hsp_options *options, const char *name, hsp_error *err);

/* Lines of a table of options, by type. */
#define HSP__OPTION(...) \
    {                    \
        __VA_ARGS__      \
    }
#define HSP__FLAG(name, help) HSP__OPTION(name, HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, help)
#define HSP__CHOICE(name, fallback, choices, help) \
    HSP__OPTION(name, HSP_OPTION_CHOICE, fallback, 0, 0, choices, NULL, help)
#define HSP__TEXT(name, fallback, value, help) \
    HSP__OPTION(name, HSP_OPTION_TEXT, fallback, 0, 0, NULL, value, help)
#define HSP__LIST(name, value, help) \
    HSP__OPTION(name, HSP_OPTION_LIST, NULL, 0, 0, NULL, value, help)
#define HSP__REAL(name, fallback, least, most, value, help) \
    HSP__OPTION(name, HSP_OPTION_REAL, fallback, least, most, NULL, value, help)
#define HSP__INTEGER(name, fallback, least, most, value, help) \
    HSP__OPTION(name, HSP_OPTION_INTEGER, fallback, least, most, NULL, value, help)

#endif
