/* Options of a learner, for code that serves several learners: an option that the learner's table
 * does not have reads as one that was not set. */
#ifndef HSP_LEARN_OPTION_HELPERS_H
#define HSP_LEARN_OPTION_HELPERS_H

#include "base/text.h"
#include "halfspace_all.h"

/* Does the table have such an option? */
int hsp__options_have(const hsp_options *options, const char *name);

/* Was it set by the user? */
int hsp__option_set(const hsp_options *options, const char *name);

/* Its value; `otherwise` (texts: NULL, flags: 0) when the table does not have it. */
const char *hsp__option_text(const hsp_options *options, const char *name);
int hsp__option_flag(const hsp_options *options, const char *name);
uint64_t hsp__option_integer(const hsp_options *options, const char *name, uint64_t otherwise);
double hsp__option_real(const hsp_options *options, const char *name, double otherwise);

/* Is this the value of a choice or text? */
int hsp__option_is(const hsp_options *options, const char *name, const char *value);

/* The place of a choice's value among `words` (ended by NULL); 0 when it is not among them. */
int hsp__option_choice(const hsp_options *options, const char *name, const char *const *words);

/* The option `tie`. */
hsp_tie hsp__option_tie(const hsp_options *options);

/* The value of an option as JSON, null if it has none. */
void hsp__option_json(hsp__text *text, const hsp_options *options, const hsp_option *option);

/* The same settings, but the options named in `skip` (ended by NULL) have their defaults. */
hsp_status hsp__options_without(hsp_context *ctx, const hsp_options *options,
                                const char *const *skip, hsp_error *err, hsp_options **out);

#endif
