#include "learn/erm/loss.h"

#include <string.h>

const hsp__loss *const hsp__losses[] = {&hsp__hinge, &hsp__squared_hinge, &hsp__logistic, NULL};

const hsp__loss *hsp__loss_find(const char *name)
{
    for (size_t i = 0; hsp__losses[i]; i++)
        if (strcmp(name, hsp__losses[i]->name) == 0) return hsp__losses[i];
    return NULL;
}
