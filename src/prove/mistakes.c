#include "prove/prove.h"
hsp_status hsp__prove_mistakes(hsp__prove *prove, hsp_error *err)
{
    (void)prove, (void)err;
    return HSP_OK;
}
