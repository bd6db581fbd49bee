/* What a row costs: loss functions of the margin m = y (<w, x> + b), as structs of functions.
 *
 *     hinge           max(0, 1 - m)          e(a) = a                          0 <= a <= c
 *     squared hinge   max(0, 1 - m)^2        e(a) = a - a^2 / (4 c)            0 <= a
 *     logistic        log(1 + exp(-m))       e(a) = -a log(a/c) - (c-a) log((c-a)/c)    0 <= a <= c
 *     hard margin     0 for m >= 1, else infinite     e(a) = a                 0 <= a
 *
 * A loss is convex and falls with m. In the dual (problem.h) a row of cost c has the coefficient a
 * and adds e(a) = min over m of c loss(m) + a m, the concave conjugate, so that e(a) <= c loss(m) +
 * a m for all m, with equality where a = -c loss'(m).
 *
 * The solvers have loops of their own for the losses of this file, chosen by `form`, in which the
 * functions are inlined: that is why these stand in a header. Any other loss is smooth (form
 * HSP__SMOOTH), stands in loss.c, and is minimised by loops that call its functions
 * (docs/development/adding.md). */
#ifndef HSP_LEARN_ERM_LOSS_H
#define HSP_LEARN_ERM_LOSS_H

#include <math.h>
#include <stddef.h>

typedef enum hsp__loss_form {
    HSP__SMOOTH, /* it has a derivative everywhere, and nothing more is known */
    HSP__HINGE,
    HSP__SQUARED_HINGE,
    HSP__LOGISTIC,
    HSP__HARD_MARGIN
} hsp__loss_form;

typedef struct hsp__loss {
    const char *name; /* as options have it */
    hsp__loss_form form;
    int zero_beyond_margin;      /* loss(m) = 0 for m >= 1 */
    int conjugate_is_difference; /* e(a) = a - r(a) with r >= 0 is computed as that difference */
    double steepest; /* the largest -loss'(m): 0 <= a <= steepest c; HUGE_VAL: a has no bound */
    /* loss(m). Both m and z = 1 - m are given: near m = 1, z may be known to more digits. */
    double (*value)(double m, double z);
    double (*neg_gradient)(double m);        /* -loss'(m), which is a / c at the optimum */
    double (*curvature)(double s, double c); /* c loss''(m) at the m where -loss'(m) = s */
    double (*conjugate)(double a, double c); /* e(a), for 0 <= a <= steepest c and c > 0 */
    double (*margin_of)(double a, double c); /* e'(a): the m where -c loss'(m) = a */
    /* loss(m - off) - loss(m), or more, for z = 1 - m, value = loss(m), off >= 0; NULL: by the
     * gradient (hsp__loss_growth). */
    double (*growth)(double z, double value, double off);
} hsp__loss;

/* All losses that options can name, ended by NULL; and one by its name, NULL: there is none. */
extern const hsp__loss *const hsp__losses[];
const hsp__loss *hsp__loss_find(const char *name);

static inline int hsp__loss_is_smooth(const hsp__loss *loss)
{
    return loss->form != HSP__HINGE && loss->form != HSP__HARD_MARGIN;
}

/* The most that a may be for a row of cost c. */
static inline double hsp__loss_cap(const hsp__loss *loss, double c)
{
    return c > 0 ? loss->steepest * c : c;
}

/* loss(m - off) - loss(m), or more. A convex loss grows by at most off times its slope at the far
 * end; one step further, rounding of m is covered, too. */
static inline double hsp__loss_growth(const hsp__loss *loss, double z, double value, double off)
{
    if (loss->growth) return loss->growth(z, value, off);
    return off > 0 ? off * loss->neg_gradient(1 - z - 2 * off) : 0;
}

/* ---- Hinge ----------------------------------------------------------------------------------- */

static inline double hsp__hinge_value(double m, double z)
{
    (void)m;
    return z > 0 ? z : 0;
}

static inline double hsp__hinge_neg_gradient(double m)
{
    return m < 1 ? 1 : 0;
}

static inline double hsp__hinge_curvature(double s, double c)
{
    (void)s, (void)c;
    return 0;
}

static inline double hsp__hinge_conjugate(double a, double c)
{
    (void)c;
    return a;
}

static inline double hsp__hinge_margin_of(double a, double c)
{
    (void)a, (void)c;
    return 1;
}

static inline double hsp__hinge_growth(double z, double value, double off)
{
    (void)value;
    return z + off > 0 ? off : 0;
}

static const hsp__loss hsp__hinge = {
    .name = "hinge",
    .form = HSP__HINGE,
    .zero_beyond_margin = 1,
    .steepest = 1,
    .value = hsp__hinge_value,
    .neg_gradient = hsp__hinge_neg_gradient,
    .curvature = hsp__hinge_curvature,
    .conjugate = hsp__hinge_conjugate,
    .margin_of = hsp__hinge_margin_of,
    .growth = hsp__hinge_growth,
};

/* ---- Hard margin: the limit of the hinge as c grows ------------------------------------------ */

static inline double hsp__hard_margin_value(double m, double z)
{
    (void)m;
    return z <= 0 ? 0 : HUGE_VAL;
}

static const hsp__loss hsp__hard_margin = {
    .name = "hard margin",
    .form = HSP__HARD_MARGIN,
    .zero_beyond_margin = 1,
    .steepest = HUGE_VAL,
    .value = hsp__hard_margin_value,
    .neg_gradient = hsp__hinge_neg_gradient,
    .curvature = hsp__hinge_curvature,
    .conjugate = hsp__hinge_conjugate,
    .margin_of = hsp__hinge_margin_of,
    .growth = hsp__hinge_growth,
};

/* ---- Squared hinge --------------------------------------------------------------------------- */

static inline double hsp__squared_hinge_value(double m, double z)
{
    (void)m;
    return z > 0 ? z * z : 0;
}

static inline double hsp__squared_hinge_neg_gradient(double m)
{
    return m < 1 ? 2 * (1 - m) : 0;
}

static inline double hsp__squared_hinge_curvature(double s, double c)
{
    return s > 0 ? 2 * c : 0;
}

static inline double hsp__squared_hinge_conjugate(double a, double c)
{
    return a - a * a / (4 * c);
}

static inline double hsp__squared_hinge_margin_of(double a, double c)
{
    return 1 - a / (2 * c);
}

static inline double hsp__squared_hinge_growth(double z, double value, double off)
{
    (void)value;
    return z + off > 0 ? off * (2 * fmax(z, 0) + off) : 0;
}

static const hsp__loss hsp__squared_hinge = {
    .name = "squared",
    .form = HSP__SQUARED_HINGE,
    .zero_beyond_margin = 1,
    .conjugate_is_difference = 1,
    .steepest = HUGE_VAL,
    .value = hsp__squared_hinge_value,
    .neg_gradient = hsp__squared_hinge_neg_gradient,
    .curvature = hsp__squared_hinge_curvature,
    .conjugate = hsp__squared_hinge_conjugate,
    .margin_of = hsp__squared_hinge_margin_of,
    .growth = hsp__squared_hinge_growth,
};

/* ---- Logistic -------------------------------------------------------------------------------- */

static inline double hsp__logistic_value(double m, double z)
{
    (void)z;
    return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
}

static inline double hsp__logistic_neg_gradient(double m)
{
    return m > 0 ? exp(-m) / (1 + exp(-m)) : 1 / (1 + exp(m));
}

static inline double hsp__logistic_curvature(double s, double c)
{
    return c * s * (1 - s);
}

/* The digits of the smaller one of a and c - a count; the other's logarithm follows from it without
 * loss of digits. */
static inline double hsp__logistic_conjugate(double a, double c)
{
    const double p = fmin(a, c - a) / c;
    return p > 0 ? -c * (p * log(p) + (1 - p) * log1p(-p)) : 0;
}

static inline double hsp__logistic_margin_of(double a, double c)
{
    return a > 0 ? a < c ? log((c - a) / a) : -HUGE_VAL : HUGE_VAL;
}

static inline double hsp__logistic_growth(double z, double value, double off)
{
    (void)z;
    return off <= 1 ? 2.72 * off * fmin(value, 1) : off;
}

static const hsp__loss hsp__logistic = {
    .name = "logistic",
    .form = HSP__LOGISTIC,
    .steepest = 1,
    .value = hsp__logistic_value,
    .neg_gradient = hsp__logistic_neg_gradient,
    .curvature = hsp__logistic_curvature,
    .conjugate = hsp__logistic_conjugate,
    .margin_of = hsp__logistic_margin_of,
    .growth = hsp__logistic_growth,
};

/* Call rows(form, loss, ...) for the loss `of`, with arguments that the compiler knows, so that the
 * functions of the loss are inlined in the loops of `rows`. */
#define HSP__BY_LOSS(of, rows, ...)                                 \
    switch ((of)->form) {                                           \
    case HSP__HINGE:                                                \
        rows(HSP__HINGE, &hsp__hinge, __VA_ARGS__);                 \
        break;                                                      \
    case HSP__SQUARED_HINGE:                                        \
        rows(HSP__SQUARED_HINGE, &hsp__squared_hinge, __VA_ARGS__); \
        break;                                                      \
    case HSP__LOGISTIC:                                             \
        rows(HSP__LOGISTIC, &hsp__logistic, __VA_ARGS__);           \
        break;                                                      \
    case HSP__HARD_MARGIN:                                          \
        rows(HSP__HARD_MARGIN, &hsp__hard_margin, __VA_ARGS__);     \
        break;                                                      \
    case HSP__SMOOTH:                                               \
        rows(HSP__SMOOTH, of, __VA_ARGS__);                         \
    }

#endif
