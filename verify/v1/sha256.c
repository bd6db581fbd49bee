/* SHA-256 (FIPS 180-4). */
#include <string.h>

#include "check1.h"

static const uint32_t sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha_turn(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* Round j of eight: a, b, ... h are v[(0 - j) mod 8], v[(1 - j) mod 8] ..., so that nothing moves.
 */
#define SHA_V(k, j) v[((k) - (j)) & 7]
#define SHA_ROUND(j)                                                                            \
    do {                                                                                        \
        const uint32_t a = SHA_V(0, j), b = SHA_V(1, j), c = SHA_V(2, j), e = SHA_V(4, j);      \
        const uint32_t t = SHA_V(7, j) + (sha_turn(e, 6) ^ sha_turn(e, 11) ^ sha_turn(e, 25)) + \
                           ((e & SHA_V(5, j)) ^ (~e & SHA_V(6, j))) + sha_constants[i + (j)] +  \
                           w[i + (j)];                                                          \
        SHA_V(3, j) += t;                                                                       \
        SHA_V(7, j) = t + (sha_turn(a, 2) ^ sha_turn(a, 13) ^ sha_turn(a, 22)) +                \
                      ((a & b) ^ (a & c) ^ (b & c));                                            \
    } while (0)

static void sha_block(uint32_t state[8], const unsigned char *bytes)
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
               (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (sha_turn(a, 7) ^ sha_turn(a, 18) ^ a >> 3) +
               (sha_turn(b, 17) ^ sha_turn(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 8; i++)
        v[i] = state[i];
    for (int i = 0; i < 64; i += 8) {
        SHA_ROUND(0);
        SHA_ROUND(1);
        SHA_ROUND(2);
        SHA_ROUND(3);
        SHA_ROUND(4);
        SHA_ROUND(5);
        SHA_ROUND(6);
        SHA_ROUND(7);
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void hsv1_sha_start(hsv1_sha *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, start, sizeof start);
    s->size = 0;
}

void hsv1_sha_add(hsv1_sha *s, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    const size_t kept = s->size % 64;
    s->size += size;
    if (kept + size < 64) {
        memcpy(s->part + kept, p, size);
        return;
    }
    if (kept) {
        memcpy(s->part + kept, p, 64 - kept);
        sha_block(s->state, s->part);
        p += 64 - kept;
        size -= 64 - kept;
    }
    for (; size >= 64; p += 64, size -= 64)
        sha_block(s->state, p);
    memcpy(s->part, p, size);
}

void hsv1_sha_end(hsv1_sha *s, unsigned char digest[32])
{
    const uint64_t bits = s->size * 8;
    unsigned char last[72] = {0x80};
    const size_t fill = (s->size % 64 < 56 ? 56 : 120) - s->size % 64;
    for (int i = 0; i < 8; i++)
        last[fill + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    hsv1_sha_add(s, last, fill + 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}
