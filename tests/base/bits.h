/* Random numbers, and floats by their bits, for the tests of decimals. */
#ifndef HSP_TESTS_BASE_BITS_H
#define HSP_TESTS_BASE_BITS_H

#include <stdint.h>
#include <string.h>

static uint64_t test_random_state = 20240229;

static uint64_t test_random(void) /* splitmix64 */
{
    uint64_t z = test_random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int test_random_below(int n)
{
    return (int)(test_random() % (uint64_t)n);
}

static uint32_t bits_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t bits_f64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float from_bits_f32(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double from_bits_f64(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
#endif
