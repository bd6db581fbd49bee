/* text: sparse rows such as bags of words give.
 *
 * Word frequencies follow Zipf's law: rank r has probability log((r + 1) / r) / log(N + 1), about
 * 1 / r, drawn in closed form as floor((N + 1)^u). A random permutation takes ranks to columns.
 * Rows have a log-normal number of words, some of them repeated; the mean number is chosen so that
 * a row has about `nonzeros` distinct ones. Values are 1, or (1 + log count) times an inverse
 * document frequency, each row then brought to unit length and rounded to four decimals.
 *
 * The class is the side of a random halfspace through the origin that the row, as rounded, is on; a
 * share of the labels is flipped. */
#include "base/base.h"
#include "data/generate.h"

#define TEXT_SPREAD 0.4 /* deviation of the logarithm of a row's length */
#define TEXT_COUNTS 64  /* repetitions whose logarithm is tabulated */

enum { TEXT_LOG, TEXT_LENGTH };               /* real: log(N + 1); mean number of words in a row */
enum { TEXT_WORDS, TEXT_COLUMNS, TEXT_LOGS }; /* kept */

/* What is known of a column. */
typedef struct text_word {
    double weight;
    double rarity; /* inverse document frequency; 0 where values are 1 */
} text_word;

static const hsp_option text_options[] = {
    HSP__GENERATE_COMMON("50000", 2, 2147483648.0),
    HSP__GENERATE_NOISE("0.05"),
    {"nonzeros", HSP_OPTION_REAL, "75", 1, 1e6, NULL, "N", "mean number of non-zeros in a row"},
    {"values", HSP_OPTION_CHOICE, "tfidf", 0, 0, "ones|tfidf", NULL,
     "ones, or weighted counts in rows of unit length"},
};

static const hsp_option_table text_table = {"text", "sparse rows like bags of words", text_options,
                                            sizeof text_options / sizeof *text_options};

/* The expected number of distinct words among `words`. Ranks are taken one by one at first, then in
 * groups of nearly equal probability. */
static double text_distinct(uint64_t cols, double words)
{
    double total = 0, all = log((double)cols + 1);
    for (uint64_t from = 1, to; from <= cols; from = to) {
        to = from < 1024 ? from + 1 : from + from / 64;
        if (to > cols + 1) to = cols + 1;
        double count = (double)(to - from);
        total -= count * expm1(-words * log((double)to / (double)from) / count / all);
    }
    return total;
}

/* How many words a row needs for this many distinct ones. */
static double text_words_for(uint64_t cols, double distinct)
{
    double low = 0, high = distinct;
    while (text_distinct(cols, high) < distinct)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        *(text_distinct(cols, middle) < distinct ? &low : &high) = middle;
    }
    return high;
}

/* The permutation of ranks, and the weight and rarity of every column. */
static void text_draw_truth(hsp__generation *run, int tfidf)
{
    text_word *words = run->kept[TEXT_WORDS];
    uint32_t *columns = run->kept[TEXT_COLUMNS];
    hsp__random random;
    hsp__random_seed(&random, run->seed, HSP__GENERATE_TRUTH);
    double squares = 0;
    for (uint64_t j = 0; j < run->cols; j++) {
        words[j].weight = hsp__random_normal(&random);
        squares += words[j].weight * words[j].weight;
        uint64_t other = hsp__random_below(&random, j + 1);
        columns[j] = columns[other];
        columns[other] = (uint32_t)j;
    }
    for (uint64_t j = 0; j < run->cols; j++)
        words[j].weight /= sqrt(squares);
    for (uint64_t rank = 1; tfidf && rank <= run->cols; rank++) {
        double p = log1p(1 / (double)rank) / run->real[TEXT_LOG];
        double share = -expm1(-run->real[TEXT_LENGTH] * p); /* of the rows that have it */
        words[columns[rank - 1]].rarity = 1 - log(share);
    }
}

static hsp_status text_start(const hsp_options *options, hsp__generation *run, hsp_error *err)
{
    const double nonzeros = hsp_options_real(options, "nonzeros");
    const int tfidf = strcmp(hsp_options_text(options, "values"), "tfidf") == 0;
    if (nonzeros > (double)run->cols / 2)
        return hsp__fail(err, HSP_USAGE, "%g nonzeros of %llu features, expected at most half",
                         nonzeros, (unsigned long long)run->cols);
    run->noise = hsp_options_real(options, "noise");
    run->ones = !tfidf;
    run->real[TEXT_LOG] = log((double)run->cols + 1);
    run->real[TEXT_LENGTH] = text_words_for(run->cols, nonzeros);
    const uint64_t longest = (uint64_t)(4 * run->real[TEXT_LENGTH]) + 16;
    run->widest = longest < run->cols ? longest : run->cols;
    run->usual = (uint64_t)nonzeros + 1;
    run->scratch = 3 * longest + 2;
    run->whole[0] = longest;
    run->kept[TEXT_WORDS] = hsp__scratch_new(&run->memory, run->cols, sizeof(text_word));
    run->kept[TEXT_COLUMNS] = hsp__scratch_new(&run->memory, run->cols, sizeof(uint32_t));
    run->kept[TEXT_LOGS] = hsp__scratch_new(&run->memory, TEXT_COUNTS, sizeof(double));
    if (run->truth_wanted)
        run->weights = hsp__scratch_new(&run->memory, run->cols, sizeof *run->weights);
    if (run->memory.failed) return hsp__fail_memory(err);
    text_draw_truth(run, tfidf);
    double *logs = run->kept[TEXT_LOGS];
    for (int c = 1; c < TEXT_COUNTS; c++)
        logs[c] = 1 + log(c);
    for (uint64_t j = 0; run->weights && j < run->cols; j++)
        run->weights[j] = ((const text_word *)run->kept[TEXT_WORDS])[j].weight;
    return HSP_OK;
}

/* Sort the columns of a row's words: about one a bucket, then by insertion, which has little left
 * to do since columns are spread evenly and equal ones need no moving. */
static void text_sort(const uint32_t *words, uint64_t count, uint64_t cols, uint32_t *starts,
                      uint32_t *sorted)
{
    const uint64_t step = ((uint64_t)count << 32) / cols;
    memset(starts, 0, (count + 1) * sizeof *starts);
    for (uint64_t k = 0; k < count; k++)
        starts[(step * words[k] >> 32) + 1]++;
    for (uint64_t b = 1; b <= count; b++)
        starts[b] += starts[b - 1];
    for (uint64_t k = 0; k < count; k++)
        sorted[starts[step * words[k] >> 32]++] = words[k];
    for (uint64_t k = 1; k < count; k++) {
        uint32_t word = sorted[k];
        uint64_t at = k;
        for (; at > 0 && sorted[at - 1] > word; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = word;
    }
}

/* Distinct columns into made->indices, the count of each into made->units. */
static void text_count(hsp__made *made, const uint32_t *sorted, uint64_t count)
{
    uint64_t used = 0;
    for (uint64_t k = 0; k < count; k++) {
        if (used && made->indices[used - 1] == sorted[k]) {
            made->units[used - 1]++;
            continue;
        }
        made->indices[used] = sorted[k];
        made->units[used++] = 1;
    }
    made->count = used;
}

static double text_value(const hsp__generation *run, const hsp__made *made, uint64_t k)
{
    const text_word *words = run->kept[TEXT_WORDS];
    const double *logs = run->kept[TEXT_LOGS];
    int32_t count = made->units[k];
    return words[made->indices[k]].rarity * (count < TEXT_COUNTS ? logs[count] : 1 + log(count));
}

/* Counts become values, in units of 1e-4, none of them zero. */
static void text_weigh(const hsp__generation *run, hsp__made *made)
{
    double squares = 0;
    for (uint64_t k = 0; k < made->count; k++) {
        double v = text_value(run, made, k);
        squares += v * v;
    }
    double scale = 1e4 / sqrt(squares);
    for (uint64_t k = 0; k < made->count; k++) {
        int32_t units = (int32_t)lrint(text_value(run, made, k) * scale);
        made->units[k] = units > 0 ? units : 1;
    }
}

static void text_row(const hsp__generation *run, hsp__random *random, hsp__made *made)
{
    const uint64_t longest = run->whole[0];
    const uint32_t *columns = run->kept[TEXT_COLUMNS];
    const text_word *known = run->kept[TEXT_WORDS];
    uint32_t *words = made->scratch, *starts = words + longest, *sorted = starts + longest + 1;
    double z = hsp__random_normal(random);
    double length =
        run->real[TEXT_LENGTH] * exp(TEXT_SPREAD * z - TEXT_SPREAD * TEXT_SPREAD / 2) + 0.5;
    uint64_t count = length < 1 ? 1 : length < (double)longest ? (uint64_t)length : longest;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t rank = (uint64_t)exp(hsp__random_unit(random) * run->real[TEXT_LOG]);
        words[k] = columns[rank > run->cols ? run->cols - 1 : rank - 1];
    }
    text_sort(words, count, run->cols, starts, sorted);
    text_count(made, sorted, count);
    if (!run->ones) text_weigh(run, made);
    double score = 0;
    for (uint64_t k = 0; k < made->count; k++)
        score += known[made->indices[k]].weight * (run->ones ? 1 : (double)made->units[k]);
    made->label = hsp__generate_label(run, random, score > 0);
}

const hsp__generator hsp__generate_text = {
    .table = &text_table, .sparse = 1, .decimals = 4, .start = text_start, .row = text_row};
