#include "learn/solvers.h"

#include <string.h>

#include "learn/pegasos.h"

extern const hsp__solver hsp__solver_newton;

/* auto takes the first that suits: pegasos is for those who ask for it. */
const hsp__solver *const hsp__solvers[] = {&hsp__solver_newton, &hsp__solver_pegasos, NULL};

const hsp__solver *hsp__solver_for(const char *name, const hsp__problem *p)
{
    for (size_t i = 0; hsp__solvers[i]; i++)
        if ((strcmp(name, "auto") == 0 || strcmp(name, hsp__solvers[i]->name) == 0) &&
            hsp__solvers[i]->suits(p))
            return hsp__solvers[i];
    return NULL;
}
