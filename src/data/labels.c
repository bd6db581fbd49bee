#include "data/labels.h"

#include <string.h>

#include "base/decimal.h"

hsp__label_result hsp__label_add(hsp__names *names, const char *text, size_t size, uint32_t *number)
{
    char printed[HSP__DECIMAL_MAX];
    const char *end = text + size;
    double value;
    hsp__decimal_result result;
    if (hsp__decimal_f64(text, end, &value, &result) == end && result != HSP__DECIMAL_NONE) {
        if (result != HSP__DECIMAL_OK) return HSP__LABEL_NOT_FINITE;
        value += 0; /* -0 is 0 */
        size = hsp__decimal_print_f64(value, printed);
        text = printed;
    } else if (memchr(text, 0, size)) {
        return HSP__LABEL_NUL;
    }
    return hsp__names_add(names, text, size, number) ? HSP__LABEL_OK : HSP__LABEL_NO_MEMORY;
}
