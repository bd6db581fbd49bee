#include "base/library.h"

#if defined(HSP_HAVE_ARCHIVE) || defined(HSP_HAVE_CLP) || defined(HSP_HAVE_CAIRO)

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

hsp_status hsp__library_open(const char *const *names, hsp_error *err, void **out)
{
    /* The system says in words alone why a library was not loaded. */
    char text[128] = "";
#if defined(__GLIBC__)
    const char *system = strerror_r(ENOMEM, text, sizeof text);
#else
    const char *system = strerror_r(ENOMEM, text, sizeof text) ? "" : text;
#endif
    for (; *names; names++) {
        *out = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (*out) return HSP_OK;
        const char *reason = dlerror();
        if (reason &&
            ((*system && strstr(reason, system)) || strstr(reason, "failed to map segment") ||
             strstr(reason, "cannot allocate") || strstr(reason, "out of memory")))
            return hsp__fail(err, HSP_NO_MEMORY, "out of memory while loading %s", *names);
    }
    return hsp__fail(err, HSP_UNSUPPORTED, "a library that is needed here is not installed");
}

#endif
