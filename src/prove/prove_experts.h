/* The claim "mistakes", of learners that are no perceptrons. */
#ifndef HSP_PROVE_PROVE_EXPERTS_H
#define HSP_PROVE_PROVE_EXPERTS_H

#include "prove/prove.h"

/* `learner`: winnow or experts. */
hsp_status hsp__prove_experts(hsp__prove *prove, const char *learner, hsp_error *err);

#endif
