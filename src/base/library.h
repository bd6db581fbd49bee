/* Other people's libraries, loaded when they are first needed: they bring a dozen more along, whose
 * loading takes longer than many a command. */
#ifndef HSP_BASE_LIBRARY_H
#define HSP_BASE_LIBRARY_H

#include <stddef.h>

#include "halfspace_all.h"

/* Load the first of `names` (a NULL ends them) that is there. Once loaded it stays: others may be
 * at work with it, and it may be needed again. HSP_UNSUPPORTED when none is installed,
 * HSP_NO_MEMORY when there is no memory for it. *out is for dlsym, and may be closed. */
hsp_status hsp__library_open(const char *const *names, hsp_error *err, void **out);

#endif
