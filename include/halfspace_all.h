/* halfspace: all public headers. */
#ifndef HALFSPACE_ALL_H
#define HALFSPACE_ALL_H

#include "halfspace.h"
#include "halfspace_data.h"
#include "halfspace_html.h"
#include "halfspace_kernel.h"
#include "halfspace_learn.h"
#include "halfspace_measure.h"
#include "halfspace_memory.h"
#include "halfspace_model.h"
#include "halfspace_options.h"
#include "halfspace_prove.h"
#include "halfspace_ranks.h"
#include "halfspace_report.h"
#include "halfspace_show.h"
#include "halfspace_theory.h"

#endif
