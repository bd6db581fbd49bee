/* The claim "mistakes", of learners that are no perceptrons. */
#ifndef HSP_PROVE_PANEL_H
#define HSP_PROVE_PANEL_H

#include "prove/prove.h"

/* `learner`: winnow or experts. */
hsp_status hsp__prove_panel(hsp__prove *prove, const char *learner, hsp_error *err);

#endif
