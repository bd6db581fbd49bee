/* The library's own random numbers: xoshiro256**, seeded through splitmix64. A stream is named by
 * (seed, number): row i of a generator draws from stream i, so rows can be made in any order, on
 * any number of threads. */
#ifndef HSP_BASE_RANDOM_H
#define HSP_BASE_RANDOM_H

#include <stdint.h>

typedef struct hsp__random {
    uint64_t s[4];
} hsp__random;

void hsp__random_seed(hsp__random *random, uint64_t seed, uint64_t stream);
uint64_t hsp__random_bits(hsp__random *random);
double hsp__random_unit(hsp__random *random); /* uniform in [0, 1), 53 bits */
uint64_t hsp__random_below(hsp__random *random,
                           uint64_t bound);     /* uniform in 0..bound-1, unbiased */
double hsp__random_normal(hsp__random *random); /* mean 0, variance 1 */
void hsp__random_shuffle(hsp__random *random, uint64_t *items, uint64_t count);

#endif
