#include "learn/erm/solution.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "learn/erm/gap.h"

void hsp__solution_begin(hsp__solution *s)
{
    s->passes = s->updates = 0;
    s->primal = s->gap = HUGE_VAL;
    s->dual_value = -HUGE_VAL;
}

void hsp__solution_keep(const hsp__problem *p, const double *w, double b, const double *a,
                        double primal, double dual, hsp__solution *s)
{
    assert(s->w != w && s->dual != a);
    const int keep = hsp__gap_keep(s, primal, dual);
    if (keep & HSP__KEEP_PRIMAL) {
        memcpy(s->w, w, p->view->cols * sizeof *w);
        s->b = b, s->primal = primal;
    }
    if (keep & HSP__KEEP_DUAL) {
        memcpy(s->dual, a, p->view->rows * sizeof *a);
        s->dual_value = dual;
    }
    if (keep) s->gap = hsp__gap_relative(s->primal, s->dual_value);
}

void hsp__solution_unknown(const hsp__problem *p, hsp__solution *s)
{
    memset(s->dual, 0, p->view->rows * sizeof *s->dual);
    s->primal = s->gap = (double)NAN;
    s->dual_value = 0;
}
