/* disjunction: rows of zeros and ones; a row is of class 1 when at least r of k relevant columns
 * are on. r = 1 is a disjunction, r = k a conjunction.
 *
 * Every column is on with probability p (density), independently. That alone would make one class
 * rare; so the class is drawn first, by a fair coin, and the number of relevant columns that are on
 * from the binomial distribution cut to that class. Each number equally likely to be any choice of
 * that many columns.
 *
 * The truth: weights 1/sqrt(k) on the relevant columns, offset -(r - 1/2)/sqrt(k), so that every
 * row keeps a margin of 1/(2 sqrt(k)) unless labels are flipped. */
#include "base/base.h"
#include "data/generate.h"

enum { DISJUNCTION_RELEVANT, DISJUNCTION_THRESHOLD }; /* whole */
enum { DISJUNCTION_GAP };                             /* real: 1 / log(1 - p) */
enum { DISJUNCTION_COLUMNS, DISJUNCTION_CUMULATIVE }; /* kept */

static const hsp_option disjunction_options[] = {
    HSP__GENERATE_COMMON("1000", 1, 2147483648.0),
    HSP__GENERATE_NOISE("0"),
    {"relevant", HSP_OPTION_INTEGER, "5", 1, 1e6, NULL, "K", "number of relevant columns"},
    {"threshold", HSP_OPTION_INTEGER, "1", 1, 1e6, NULL, "R",
     "number of relevant columns that must be 1; 1: a disjunction, K: a conjunction"},
    {"density", HSP_OPTION_REAL, "0.02", 1e-9, 0.9, NULL, "P", "probability that an entry is 1"},
};

static const hsp_option_table disjunction_table = {
    "disjunction", "sparse 0/1 rows; positive if at least r of k relevant columns are 1",
    disjunction_options, sizeof disjunction_options / sizeof *disjunction_options};

/* cumulative[c], c = 0..k: the probability of at most c columns on, within the class that c belongs
 * to. Computed from logarithms: one class may be very rare before it is cut. */
static void disjunction_tabulate(double *cumulative, uint64_t k, uint64_t r, double p)
{
    double term = (double)k * log1p(-p), most[2] = {-HUGE_VAL, -HUGE_VAL}, sum[2] = {0, 0};
    for (uint64_t c = 0; c <= k; c++) {
        cumulative[c] = term;
        most[c >= r] = fmax(most[c >= r], term);
        term += log((double)(k - c) / (double)(c + 1)) + log(p) - log1p(-p);
    }
    for (uint64_t c = 0; c <= k; c++)
        cumulative[c] = sum[c >= r] += exp(cumulative[c] - most[c >= r]);
    for (uint64_t c = 0; c <= k; c++)
        cumulative[c] /= sum[c >= r];
}

static hsp_status disjunction_start(const hsp_options *options, hsp__generation *run,
                                    hsp_error *err)
{
    const uint64_t k = (uint64_t)hsp_options_integer(options, "relevant");
    const uint64_t r = (uint64_t)hsp_options_integer(options, "threshold");
    const double p = hsp_options_real(options, "density");
    if (k > run->cols || r > k)
        return hsp__fail(err, HSP_USAGE,
                         "threshold %llu of %llu relevant columns among %llu features, expected "
                         "threshold <= relevant <= features",
                         (unsigned long long)r, (unsigned long long)k,
                         (unsigned long long)run->cols);
    uint32_t *columns = hsp__scratch_raw(&run->memory, k, sizeof *columns);
    double *cumulative = hsp__scratch_raw(&run->memory, k + 1, sizeof *cumulative);
    if (run->truth_wanted)
        run->weights = hsp__scratch_new(&run->memory, run->cols, sizeof *run->weights);
    if (run->memory.failed) return hsp__fail_memory(err);
    run->kept[DISJUNCTION_COLUMNS] = columns;
    run->kept[DISJUNCTION_CUMULATIVE] = cumulative;
    /* the k relevant columns, ascending: each column is taken with probability wanted / left */
    hsp__random random;
    hsp__random_seed(&random, run->seed, HSP__GENERATE_TRUTH);
    for (uint64_t j = 0, taken = 0; taken < k; j++)
        if (hsp__random_below(&random, run->cols - j) < k - taken) columns[taken++] = (uint32_t)j;
    for (uint64_t i = 0; run->weights && i < k; i++)
        run->weights[columns[i]] = 1 / sqrt((double)k);
    disjunction_tabulate(cumulative, k, r, p);
    run->noise = hsp_options_real(options, "noise");
    run->ones = 1;
    run->whole[DISJUNCTION_RELEVANT] = k;
    run->whole[DISJUNCTION_THRESHOLD] = r;
    run->real[DISJUNCTION_GAP] = 1 / log1p(-p);
    /* A row of more than twelve deviations above the mean is cut: nobody will see one. */
    double mean = (double)run->cols * p;
    double widest = (double)k + ceil(mean + 12 * sqrt(mean) + 64);
    run->usual = (uint64_t)mean + k / 2 + 1;
    run->widest = widest < (double)run->cols ? (uint64_t)widest : run->cols;
    run->scratch = k;
    run->offset = -((double)r - 0.5) / sqrt((double)k);
    /* The weights are rounded, and a row adds up to k of them. */
    if (run->noise == 0) run->margin = (0.5 - 1e-15 * (double)k) / sqrt((double)k);
    return HSP_OK;
}

/* Which relevant columns are on: their numbers into `on`, ascending. Returns how many. */
static uint64_t disjunction_relevant(const hsp__generation *run, hsp__random *random, int label,
                                     uint32_t *on)
{
    const uint64_t k = run->whole[DISJUNCTION_RELEVANT], r = run->whole[DISJUNCTION_THRESHOLD];
    const double *cumulative = run->kept[DISJUNCTION_CUMULATIVE];
    const uint32_t *columns = run->kept[DISJUNCTION_COLUMNS];
    const uint64_t last = label ? k : r - 1;
    uint64_t count = label ? r : 0, taken = 0;
    for (double u = hsp__random_unit(random); count < last && u >= cumulative[count];)
        count++;
    for (uint64_t i = 0; taken < count; i++)
        if (hsp__random_below(random, k - i) < count - taken) on[taken++] = columns[i];
    return taken;
}

/* How many columns are off before the next that is on. */
static uint64_t disjunction_gap(const hsp__generation *run, hsp__random *random)
{
    double gap = log(1 - hsp__random_unit(random)) * run->real[DISJUNCTION_GAP];
    return gap < 4294967296.0 ? (uint64_t)gap : UINT32_MAX;
}

/* Walk over the other columns from one that is on to the next, `relevant` of the relevant ones
 * lying before it, and merge with those that are on. */
static void disjunction_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    const uint64_t k = run->whole[DISJUNCTION_RELEVANT], others = run->cols - k;
    const uint32_t *columns = run->kept[DISJUNCTION_COLUMNS];
    uint32_t *on = made->scratch;
    int label = (int)(hsp__random_bits(random) >> 63);
    uint64_t on_count = disjunction_relevant(run, random, label, on);
    uint64_t count = 0, relevant = 0, next_on = 0;
    for (uint64_t at = disjunction_gap(run, random);
         at < others && count + (on_count - next_on) < run->widest;
         at += 1 + disjunction_gap(run, random)) {
        while (relevant < k && columns[relevant] <= at + relevant)
            relevant++;
        uint64_t column = at + relevant;
        while (next_on < on_count && on[next_on] < column)
            made->indices[count++] = on[next_on++];
        made->indices[count++] = (uint32_t)column;
    }
    while (next_on < on_count)
        made->indices[count++] = on[next_on++];
    made->count = count;
    made->label = hsp__generate_label(run, random, label);
}

const hsp__generator hsp__generate_disjunction = {
    .table = &disjunction_table, .sparse = 1, .start = disjunction_start, .row = disjunction_row};
