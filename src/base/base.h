/* What nearly every file of the library needs: contexts, errors, memory, stopping, threads. */
#ifndef HSP_BASE_BASE_H
#define HSP_BASE_BASE_H

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/scratch.h"
#include "base/stop.h"

#endif
