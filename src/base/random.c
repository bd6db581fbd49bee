#include "base/random.h"

#include <math.h>

__extension__ typedef unsigned __int128 random_wide;

static uint64_t random_split(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void hsp__random_seed(hsp__random *random, uint64_t seed, uint64_t stream)
{
    uint64_t mix = stream, state = seed ^ random_split(&mix);
    for (int i = 0; i < 4; i++)
        random->s[i] = random_split(&state);
}

static uint64_t random_rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t hsp__random_bits(hsp__random *random)
{
    uint64_t *s = random->s, result = random_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = random_rotate(s[3], 45);
    return result;
}

double hsp__random_unit(hsp__random *random)
{
    return (double)(hsp__random_bits(random) >> 11) * 0x1p-53;
}

/* The high half of a 128-bit product is uniform once the low half's short first part is redrawn. */
uint64_t hsp__random_below(hsp__random *random, uint64_t bound)
{
    const uint64_t uneven = (0 - bound) % bound;
    for (;;) {
        random_wide product = (random_wide)hsp__random_bits(random) * bound;
        if ((uint64_t)product >= uneven) return (uint64_t)(product >> 64);
    }
}

/* Marsaglia's polar method; the second number of a pair is dropped, so that a stream has no
 * other state than its bits. */
double hsp__random_normal(hsp__random *random)
{
    for (;;) {
        double u = 2 * hsp__random_unit(random) - 1, v = 2 * hsp__random_unit(random) - 1;
        double r = u * u + v * v;
        if (r > 0 && r < 1) return u * sqrt(-2 * log(r) / r);
    }
}

void hsp__random_shuffle(hsp__random *random, uint64_t *items, uint64_t count)
{
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = hsp__random_below(random, i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}
