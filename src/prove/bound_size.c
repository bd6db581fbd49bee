/* How many rows a class of hypotheses takes, solved for whichever of n, epsilon, delta is missing.
 *
 * Finite classes, |H| hypotheses (a union of |H| one-hypothesis bounds):
 *     without mistakes   |H| e^(-n eps) <= delta            n >= (1/eps) (ln |H| + ln(1/delta))
 *     agnostic           2 |H| e^(-2 n eps^2) <= delta      n >= (1/(2 eps^2)) (ln |H| +
 * ln(2/delta))
 *
 * Classes of growth function Pi (how many labellings of m points they can produce at most):
 *     without mistakes   2 Pi(2n) 2^(-n eps / 2) <= delta   A. Blumer, A. Ehrenfeucht, D. Haussler,
 *                        M. Warmuth, Learnability and the Vapnik-Chervonenkis dimension, JACM 36
 *                        (1989); their closed form is
 *                        n >= max((4/eps) log2(2/delta), (8 d/eps) log2(13/eps))
 *     agnostic           4 Pi(2n) e^(-n eps^2 / 8) <= delta V. Vapnik, A. Chervonenkis, On the
 *                        uniform convergence of relative frequencies, Th. Prob. Appl. 16 (1971)
 *
 * Pi is Sauer's sum for a VC dimension alone, and Cover's exact count for halfspaces. In n both
 * left sides rise once and then fall for good (ln Pi grows at most by ln 2 a point, then like d ln
 * n), and they begin above 1: they cross delta once, and n is found by bisection. */
#include <stdio.h>

#include "base/base.h"
#include "base/sized_report.h"
#include "prove/bound.h"

#define SIZE_UP   (1 + 1e-13) /* rounding, to the safe side */
#define SIZE_MOST 0x1p53      /* rows */
#define LN2       0.69314718055994530942

static const hsp_option size_options[] = {
    {"rows", HSP_OPTION_REAL, NULL, 1, SIZE_MOST, NULL, "N",
     "number of rows; computed if left out"},
    {"epsilon", HSP_OPTION_REAL, NULL, 1e-15, 1, NULL, "E",
     "error, or difference between training and true error, to allow; computed if left out"},
    {"delta", HSP_OPTION_REAL, NULL, 1e-300, 1, NULL, "D",
     "probability of failure to allow; computed if left out"},
    {"hypotheses", HSP_OPTION_REAL, NULL, 1, 1e308, NULL, "N", "number of hypotheses in the class"},
    {"bits", HSP_OPTION_REAL, NULL, 0, 1e15, NULL, "B", "length of a hypothesis in bits"},
    {"vc", HSP_OPTION_INTEGER, NULL, 1, 1e9, NULL, "D", "VC dimension of the class"},
    {"class", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "halfspaces:D, origin:D (through the origin), thresholds, intervals, boxes:D, "
     "conjunctions:D or disjunctions:D of D columns"},
    {"agnostic", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "agnostic case: bound the difference between training and true error"},
};

const hsp_option_table *hsp_sample_size_options(void)
{
    static const hsp_option_table table = {
        "sample-size", "number of rows that a class of hypotheses needs", size_options,
        sizeof size_options / sizeof *size_options};
    return &table;
}

/* ---- The class ---- */

typedef enum size_growth { SIZE_FINITE, SIZE_SAUER, SIZE_COVER } size_growth;

typedef struct size_class {
    size_growth growth;
    double log_count; /* finite: ln |H| */
    double vc;        /* else */
} size_class;

/* "NAME:D" against a name; *d is D, 0 without one. */
static int size_is(const char *text, const char *name, double *d)
{
    const size_t size = strlen(name);
    if (strncmp(text, name, size) != 0) return 0;
    *d = 0;
    if (!text[size]) return 1;
    if (text[size] != ':' || !text[size + 1]) return 0;
    for (const char *at = text + size + 1; *at; at++) {
        if (*at < '0' || *at > '9' || *d > 1e8) return 0;
        *d = *d * 10 + (*at - '0');
    }
    return 1;
}

static hsp_status size_read_named(const char *text, size_class *to, char words[160], hsp_error *err)
{
    /* VC dimension: fixed + each D; each 0: the class has no D. In words: before D between VC after */
    static const struct {
        const char *name, *before, *between, *after;
        size_growth growth;
        int fixed, each;
    } classes[] = {
        {"halfspaces", "halfspaces of ", " columns: VC dimension ", "", SIZE_COVER, 1, 1},
        {"origin", "halfspaces of ", " columns with the origin on their boundary: VC dimension ",
         "", SIZE_COVER, 0, 1},
        {"intervals", "intervals of the line: VC dimension 2", "", "", SIZE_SAUER, 2, 0},
        {"thresholds", "thresholds on the line, x > t: VC dimension 1", "", "", SIZE_SAUER, 1, 0},
        {"boxes", "boxes in ", " columns: VC dimension ", "", SIZE_SAUER, 0, 2},
        {"conjunctions", "conjunctions of ", " literals and their negations: 3^", " + 1 hypotheses",
         SIZE_FINITE, 0, 1},
        {"disjunctions", "disjunctions of ", " literals and their negations: 3^", " + 1 hypotheses",
         SIZE_FINITE, 0, 1}};
    enum { COUNT = sizeof classes / sizeof *classes };
    double d = 0;
    int i = 0;
    while (i < COUNT && !size_is(text, classes[i].name, &d))
        i++;
    if (i == COUNT)
        return hsp__fail_option(err, "--class",
                                "found '%.80s', expected halfspaces:D, origin:D, thresholds, "
                                "intervals, boxes:D, conjunctions:D or disjunctions:D",
                                text);
    if (!classes[i].each == (d > 0))
        return hsp__fail_option(
            err, "--class",
            d > 0
                ? "found '%.80s', which has no number of columns"
                : "found '%.80s', expected a number of columns after it, for example halfspaces:10",
            text);
    const double vc = classes[i].fixed + classes[i].each * d;
    const int finite = classes[i].growth == SIZE_FINITE;
    *to = (size_class){classes[i].growth, finite ? d * log(3) + log1p(exp(-d * log(3))) : 0,
                       finite ? 0 : vc};
    snprintf(words, 160, classes[i].each ? "%s%.0f%s%.0f%s" : "%s", classes[i].before, d,
             classes[i].between, vc, classes[i].after);
    return HSP_OK;
}

static hsp_status size_read_class(const hsp_options *options, size_class *to, char words[160],
                                  hsp_error *err)
{
    static const char *const ways[] = {"hypotheses", "bits", "vc", "class"};
    int set[4], count = 0;
    for (int i = 0; i < 4; i++)
        count += set[i] = hsp_options_is_set(options, ways[i]);
    if (count != 1)
        return hsp__fail(err, HSP_USAGE,
                         "%s: give exactly one of --hypotheses, --bits, --vc and --class",
                         count ? "more than one class of hypotheses" : "no class of hypotheses");
    if (set[3]) return size_read_named(hsp_options_text(options, "class"), to, words, err);
    const double n = set[2] ? (double)hsp_options_integer(options, "vc")
                            : hsp_options_real(options, set[0] ? "hypotheses" : "bits");
    *to = set[2] ? (size_class){SIZE_SAUER, 0, n}
                 : (size_class){SIZE_FINITE, set[0] ? log(n) : n * LN2, 0};
    if (set[0])
        snprintf(words, 160, "%.15g hypotheses", n);
    else if (set[1])
        snprintf(words, 160, "hypotheses of %.15g bits: at most 2^%.15g of them", n, n);
    else
        snprintf(words, 160, "hypotheses of VC dimension %.0f", n);
    return HSP_OK;
}

/* ---- The four inequalities: ln(left side) = growth + constant - n rate(eps) <= ln delta ---- */

typedef struct size_law {
    double constant; /* ln of the factor in front */
    int agnostic;
    double sharpness; /* rate = sharpness eps, or sharpness eps^2 */
    int doubled;      /* growth at 2n, not |H| */
    const char *theorem, *formula;
} size_law;

static const size_law size_laws[2][2] = {
    {{0, 0, 1, 0, "a union of |H| bounds", "n >= (1/eps) (ln |H| + ln(1/delta))"},
     {LN2, 1, 2, 0, "Hoeffding's inequality and a union of |H| bounds",
      "n >= (1/(2 eps^2)) (ln |H| + ln(2/delta))"}},
    {{LN2, 0, LN2 / 2, 1, "Blumer, Ehrenfeucht, Haussler and Warmuth 1989",
      "2 Pi(2n) 2^(-n eps/2) <= delta"},
     {2 * LN2, 1, 0.125, 1, "Vapnik and Chervonenkis 1971", "4 Pi(2n) e^(-n eps^2/8) <= delta"}}};

/* ln Pi(m), m = n or 2n. Cover: m points are cut by hyperplanes through the origin of R^vc in
 * 2 sum_{i < vc} C(m - 1, i) ways at most, and in one more by w = 0, which puts all on one side. */
static double size_growth_at(const size_law *law, const size_class *of, double n)
{
    const double m = law->doubled ? 2 * n : n;
    assert(m >= 1 && (of->growth == SIZE_FINITE || of->vc >= 0));
    if (of->growth == SIZE_FINITE) return of->log_count;
    if (of->growth == SIZE_SAUER) return hsp__log_sauer(of->vc, m);
    const double cut = LN2 + hsp__log_sauer(of->vc - 1, m - 1);
    return cut + log1p(exp(-cut));
}

static double size_log_delta(const size_law *law, const size_class *of, double n, double eps)
{
    const double rate = law->sharpness * (law->agnostic ? eps * eps : eps);
    return (size_growth_at(law, of, n) + law->constant) * SIZE_UP - n * rate * (1 - 1e-15);
}

/* The least whole n from which on the inequality holds; infinity beyond 2^53. */
static double size_rows(const size_law *law, const size_class *of, double eps, double delta)
{
    double low = 0, high = 1;
    while (size_log_delta(law, of, high, eps) > log(delta)) {
        low = high;
        high *= 2;
        if (high > SIZE_MOST) return HUGE_VAL;
    }
    while (high - low > 1) {
        const double n = floor(low + (high - low) / 2);
        if (size_log_delta(law, of, n, eps) > log(delta))
            low = n;
        else
            high = n;
    }
    assert(high == low + 1);
    return high;
}

/* ---- The whole ---- */

static hsp_status size_read_given(const hsp_options *options, hsp_sample_size *to, hsp_error *err)
{
    static const char *const names[] = {"rows", "epsilon", "delta"};
    double *places[] = {&to->rows, &to->epsilon, &to->delta};
    int missing = 0;
    for (int i = 0; i < 3; i++) {
        *places[i] = (double)NAN;
        if (hsp_options_is_set(options, names[i])) {
            *places[i] = hsp_options_real(options, names[i]);
        } else {
            missing++;
            to->solved = names[i];
        }
    }
    if (missing != 1)
        return hsp__fail(err, HSP_USAGE,
                         "give two of --rows, --epsilon and --delta; the third is computed");
    if (to->rows > 0 && to->rows != floor(to->rows))
        return hsp__fail_at(err, HSP_USAGE, "--rows", 0, 0, "found %g, expected a whole number",
                            to->rows);
    if (to->delta >= 1)
        return hsp__fail_at(err, HSP_USAGE, "--delta", 0, 0,
                            "found %g, expected a probability below 1", to->delta);
    return HSP_OK;
}

static void size_solve(const size_law *law, const size_class *of, hsp_sample_size *to)
{
    const double n = to->rows, eps = to->epsilon, delta = to->delta;
    if (strcmp(to->solved, "rows") == 0) {
        to->rows = size_rows(law, of, eps, delta);
        to->vacuous = !isfinite(to->rows);
        if (law->doubled && !law->agnostic)
            to->closed_rows =
                ceil(fmax(4 / eps * log2(2 / delta), 8 * of->vc / eps * log2(13 / eps)) * SIZE_UP);
    } else if (strcmp(to->solved, "epsilon") == 0) {
        const double rate = (size_growth_at(law, of, n) + law->constant - log(delta)) / n;
        to->epsilon =
            (law->agnostic ? sqrt(rate / law->sharpness) : rate / law->sharpness) * SIZE_UP;
        to->vacuous = !(to->epsilon < 1);
    } else {
        to->delta = fmax(exp(size_log_delta(law, of, n, eps)), 0x1p-1022);
        to->vacuous = !(to->delta < 1);
    }
    to->log_count = size_growth_at(law, of, isfinite(to->rows) ? to->rows : SIZE_MOST);
}

hsp_status hsp_sample_size_solve(const hsp_options *options, hsp_error *err, hsp_sample_size *out)
{
    HSP__NEED(err, options, out);
    HSP__REPORT(err, out, hsp_sample_size);
    hsp_sample_size found = {.closed_rows = (double)NAN};
    size_class of = {SIZE_FINITE, 0, 0};
    HSP__TRY(size_read_given(options, &found, err));
    HSP__TRY(size_read_class(options, &of, found.hypotheses, err));
    const int agnostic = hsp_options_flag(options, "agnostic");
    const size_law *law = &size_laws[of.growth != SIZE_FINITE][agnostic];
    found.theorem = law->theorem;
    found.formula = law->formula;
    found.dimension = of.growth == SIZE_FINITE ? (double)NAN : of.vc;
    found.says = agnostic ? "every hypothesis of the class has a true error within epsilon of its "
                            "error on these rows"
                          : "every hypothesis of the class that makes no mistake on these rows has "
                            "a true error of at most epsilon";
    size_solve(law, &of, &found);
    hsp__report_give(out, &found, sizeof found);
    return HSP_OK;
}
