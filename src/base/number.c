/* Numbers as text, for the outside. */
#include "base/decimal.h"
#include "halfspace_all.h"

_Static_assert(HSP_NUMBER_MAX >= HSP__DECIMAL_MAX, "room for any number");

char *hsp_number_text(double number, hsp_precision precision, char buffer[HSP_NUMBER_MAX])
{
    if (!buffer) return NULL;
    if (precision == HSP_FLOAT32)
        hsp__decimal_print_f32((float)number, buffer);
    else
        hsp__decimal_print_f64(number, buffer);
    return buffer;
}
