/* How near to the best: primal and dual value, gap, KKT residuals, computed from the problem, (w,
 * b) and a alone. Solvers stop by it and reports print it.
 *
 * The values are bounds, whatever the arithmetic did to them on the way: the primal is not below P
 * of the (w, b) as they are stored, the dual not above D of a feasible a. Sums in double have
 * errors of at most gamma(n) = n u / (1 - n u), u = 2^-53, times the sum of the absolute terms, in
 * any order (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3). So with
 * ||x_i|| and the number k_i of entries of a row
 *
 *     a score is off by    e_i = gamma(k_i) ||w|| ||x_i|| + a few u (|s_i| + |b|),
 *     a loss by at most    what it grows by from m_i to m_i - e_i,
 *     u by at most         gamma(n) sum a_i ||x_i||,
 *     sum a y, offset free, by gamma(n) sum a: the heavier class is taken to be scaled by so much.
 *
 * Numbers below 1e-300, where doubles lose digits, are left out of account.
 *
 * Once the context is stopped (base/stop.h), values are NaN, and what returns a status returns
 * HSP_CANCELLED. */
#ifndef HSP_LEARN_ERM_GAP_H
#define HSP_LEARN_ERM_GAP_H

#include "learn/erm/problem.h"

typedef struct hsp__gap_values {
    double primal;   /* P(w, b), rounded up; hard: infinite unless every row has m >= 1 */
    double dual;     /* D(a), rounded down */
    double gap;      /* (primal - dual) / primal, 0 when both are 0; 1 when primal is infinite */
    double rounding; /* the part of the gap that is those two roundings */
} hsp__gap_values;

typedef struct hsp__kkt {
    double stationarity;    /* ||w - u|| / max(||w||, sum a ||x||), which does not vanish where the
                               best w does; l1: how far u_j is from sign(w_j), or beyond 1 */
    double primal;          /* soft: 0, the slacks are what they must be; hard: max (1 - m)+ */
    double dual;            /* how far a is outside its box, relative to c; offset free: or
                               |sum a y| / sum a, if that is more */
    double complementarity; /* hinge: max over rows of (a/c)(m - 1)+ + (1 - a/c)(1 - m)+; others:
                               max |a + c loss'(m)| / c; hard: max a (m - 1)+ / sum a */
    double least;           /* the smallest m of a row that costs something */
    double margin;          /* least / ||w||: the geometric margin; NaN when w = 0, or next to it */
    double inverse_norm;    /* 1 / ||w|| */
    uint64_t support;       /* rows with a > 0: */
    uint64_t on;            /* of those, m = 1 as far as the gap can tell (gap_count) */
    uint64_t inside;        /* 0 <= m < 1, not on */
    uint64_t wrong;         /* m < 0, not on; the rest are beyond the margin */
} hsp__kkt;

/* The b that is best for these scores <w, x_i> (n, without b), offset free: exact for the hinge
 * (where many are best, the middle), to rounding for the smooth losses, which start from *b. Hard:
 * the middle of what the rows allow. Other offsets: *b stays. */
hsp_status hsp__gap_offset(hsp_context *ctx, const hsp__problem *p, const double *scores,
                           hsp_error *err, double *b);

/* ||x_i||, to a few units in the last place. */
double hsp__gap_row_norm(const hsp_view *view, uint64_t i);

/* The norms of all rows (n), for problem.norms. */
void hsp__gap_norms(hsp_context *ctx, const hsp_view *view, double *norms);

/* What n operations in double, and a few more, may be off by, relative to the sum of their |terms|,
 * with room for the rounding of the bounds themselves. */
static inline double hsp__gap_gamma(uint64_t n)
{
    const double nu = ((double)n + 16) * 0x1.04p-53;
    return nu < 0.5 ? nu / (1 - nu) : HUGE_VAL;
}

/* P from scores without b, which are those of hsp__matvec_scores; rounded up. *rounding (or NULL):
 * by how much. */
double hsp__gap_primal(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                       const double *scores, double *rounding);

/* Make a feasible in place: clipped to its box, rows of no cost to 0, and for a free offset the
 * heavier class scaled down until sum a y = 0. (l1 asks for more: hsp__gap does it.) */
void hsp__gap_balance(hsp_context *ctx, const hsp__problem *p, double *a);
/* D(a) for feasible a with u = sum a y x by hsp__matvec_combine, rounded down; l1: u may be NULL,
 * then rounding in it is not counted. *rounding (or NULL): by how much. */
double hsp__gap_dual(hsp_context *ctx, const hsp__problem *p, const double *a, const double *u,
                     double *rounding);

/* All of it: make a feasible, compute both values. `u` (d, out) and `scores` (n, out, without b)
 * are the caller's, so that it may use them. Two passes over the rows, in parallel. */
hsp_status hsp__gap(hsp_context *ctx, const hsp__problem *p, const double *w, double b, double *a,
                    double *u, double *scores, hsp_error *err, hsp__gap_values *out);

/* The same where the solver has some of it (`known`: solution.known), for a that is feasible. */
hsp_status hsp__gap_with(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                         double *a, int known, double *u, double *scores, hsp_error *err,
                         hsp__gap_values *out);

/* (primal - dual) / primal, as in hsp__gap_values. */
double hsp__gap_relative(double primal, double dual);

/* What of a new pair (w, b), a of these values is to be kept, compared with the best so far in `s`: as a
 * rule both or neither, by the gap, so that they belong together. But far from the best all gaps
 * round to 1 and order nothing: above 1/2 the lower primal and the higher dual are kept, each for
 * itself. */
enum { HSP__KEEP_PRIMAL = 1, HSP__KEEP_DUAL = 2 };
int hsp__gap_keep(const hsp__solution *s, double primal, double dual);

/* ---- What every solver does with its solution: begin, keep the best pair so far, give up ---- */

/* Nothing is known yet: the primal is infinite, the dual minus that, no passes were made. */
void hsp__solution_begin(hsp__solution *s);

/* Keep of the weights (w, b) and the dual coefficients a with these values what is better than the
 * best in `s` (hsp__gap_keep). */
void hsp__solution_keep(const hsp__problem *p, const double *w, double b, const double *a,
                        double primal, double dual, hsp__solution *s);

/* There was no time to compute the values of s->w and s->b: they are NaN, and a = 0 has D = 0. */
void hsp__solution_unknown(const hsp__problem *p, hsp__solution *s);

/* ||x||, also where its square is beyond the range of doubles. */
double hsp__gap_length(const double *x, size_t n);

/* margin and inverse_norm, from ||w|| and `least`. */
void hsp__gap_margin(double norm, hsp__kkt *kkt);

/* The KKT residuals of (w, b, a), with u and scores from hsp__gap. w and u NULL: what needs them,
 * stationarity, margin and inverse_norm, stays 0. */
void hsp__gap_kkt(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                  const double *a, const double *u, const double *scores, hsp__kkt *out);

#endif
