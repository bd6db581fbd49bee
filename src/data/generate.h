/* Generators: data with a known truth.
 *
 * A generator is one file that ends in one const table. It makes one row at a time, row i from the
 * random stream (seed, i) alone; the framework in generate.c owns memory, threads, formats and
 * order. Values are whole numbers of units of 10^-decimals, so that text and memory agree: the text
 * is the exact decimal where it has at most six digits, and memory holds the float32 that the text
 * reads back to. */
#ifndef HSP_DATA_GENERATE_H
#define HSP_DATA_GENERATE_H

#include <stddef.h>

#include "base/random.h"
#include "base/scratch.h"
#include "halfspace_all.h"

/* The stream that a generator's hidden truth is drawn from: no row has that number. */
#define HSP__GENERATE_TRUTH UINT64_MAX

typedef struct hsp__generator hsp__generator;

/* The settings of one run, the same for all rows. */
typedef struct hsp__generation {
    const hsp__generator *generator;
    uint64_t rows, cols, seed;
    double noise;  /* a label is flipped with this probability */
    double margin; /* every row keeps it from (weights, offset); 0: none promised */
    double offset;
    double *weights;  /* cols: unit length; NULL: no halfspace is the truth */
    int truth_wanted; /* weights that only the truth needs may be left out otherwise */
    uint64_t widest;  /* entries of the widest row possible */
    uint64_t usual;   /* entries of a usual row */
    uint64_t scratch; /* words of scratch that a row needs */
    int ones;         /* sparse generators: all values are one */
    double real[4];   /* the generator's own settings */
    uint64_t whole[4];
    void *kept[4];       /* the generator's own arrays */
    hsp__scratch memory; /* of all arrays; freed by the framework */
} hsp__generation;

/* One row being made, in memory that only its maker uses. */
typedef struct hsp__made {
    int label;         /* 0: class -1; 1: class 1 */
    uint64_t count;    /* sparse: entries */
    uint32_t *indices; /* sparse, widest: ascending columns */
    int32_t *units;    /* widest: values, not zero when sparse; dense: cols of them */
    double *work;      /* dense: cols */
    uint32_t *scratch; /* generation->scratch */
} hsp__made;

struct hsp__generator {
    const hsp_option_table *table;
    int sparse;
    int decimals; /* at most 6 */
    /* Read the options beyond rows, features and seed, and draw the truth. widest, usual and
     * scratch come in as cols, cols and 0. */
    hsp_status (*start)(const hsp_options *options, hsp__generation *run, hsp_error *err);
    void (*row)(const hsp__generation *run, hsp__random *random, hsp__made *made);
};

/* The first three options of every generator. */
#define HSP__GENERATE_COMMON(features, least, most)                                              \
    {"rows", HSP_OPTION_INTEGER, "1000", 1, 1e15, NULL, "N", "number of rows"},                  \
        {"features", HSP_OPTION_INTEGER, features, least, most, NULL, "N", "number of columns"}, \
    {                                                                                            \
        "seed", HSP_OPTION_INTEGER, "1", 0, 9007199254740992.0, NULL, "N",                       \
            "seed of the random data"                                                            \
    }

#define HSP__GENERATE_NOISE(fallback)                          \
    {                                                          \
        "noise", HSP_OPTION_REAL, fallback, 0, 0.5, NULL, "P", \
            "probability that a label is flipped"              \
    }

/* A random direction of unit length into run->weights. */
hsp_status hsp__generate_direction(hsp__generation *run, hsp_error *err);

/* A label, flipped with the run's probability. */
static inline int hsp__generate_label(const hsp__generation *run, hsp__random *random, int truth)
{
    return run->noise > 0 && hsp__random_unit(random) < run->noise ? !truth : truth;
}

/* Print a value of this many units of 10^-decimals as hsp__decimal_print_f32 prints the float32 that
 * it is nearest to. `buffer` has room for HSP__DECIMAL_MAX bytes; no final NUL. Returns the size.
 */
size_t hsp__generate_print(int32_t units, int decimals, char *buffer);

extern const hsp__generator hsp__generate_separable, hsp__generate_halfspace, hsp__generate_moons,
    hsp__generate_rings, hsp__generate_xor, hsp__generate_disjunction, hsp__generate_text;

#endif
