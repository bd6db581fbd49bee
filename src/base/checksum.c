/* CRC-32 and SHA-256.
 *
 * CRC-32 in one paragraph. Bytes are a polynomial over GF(2), the checksum its remainder modulo
 * P = x^32 + ... + 1, written with the bits reflected: the top bit of a word is x^0. A remainder is
 * linear in the bytes, so the effect of a byte that stands s bytes before the end is the sum of the
 * effects of its bits, and bit 7-k of it contributes x^(32 + 8s + k) mod P. The 64 powers below
 * therefore make the tables for eight bytes at once, at compile time. */
#include "base/checksum.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define CHECKSUM_CLMUL 1
#else
#define CHECKSUM_CLMUL 0
#endif

#define CRC_POLYNOMIAL 0xedb88320u

/* ---- CRC-32: tables -------------------------------------------------------------------------- */

/* The effect of the byte i, given those of its bits from the highest down. */
#define CRC_BYTE(i, b7, b6, b5, b4, b3, b2, b1, b0)                                  \
    ((i)&128 ? b7 : 0) ^ ((i)&64 ? b6 : 0) ^ ((i)&32 ? b5 : 0) ^ ((i)&16 ? b4 : 0) ^ \
        ((i)&8 ? b3 : 0) ^ ((i)&4 ? b2 : 0) ^ ((i)&2 ? b1 : 0) ^ ((i)&1 ? b0 : 0)
#define CRC_4(i, ...)                                                                     \
    CRC_BYTE(i, __VA_ARGS__), CRC_BYTE(i + 1, __VA_ARGS__), CRC_BYTE(i + 2, __VA_ARGS__), \
        CRC_BYTE(i + 3, __VA_ARGS__)
#define CRC_16(i, ...)                                                           \
    CRC_4(i, __VA_ARGS__), CRC_4(i + 4, __VA_ARGS__), CRC_4(i + 8, __VA_ARGS__), \
        CRC_4(i + 12, __VA_ARGS__)
#define CRC_64(i, ...)                                                                \
    CRC_16(i, __VA_ARGS__), CRC_16(i + 16, __VA_ARGS__), CRC_16(i + 32, __VA_ARGS__), \
        CRC_16(i + 48, __VA_ARGS__)
#define CRC_256(...)                                                               \
    {                                                                              \
        CRC_64(0, __VA_ARGS__), CRC_64(64, __VA_ARGS__), CRC_64(128, __VA_ARGS__), \
            CRC_64(192, __VA_ARGS__)                                               \
    }

/* crc_tables[s][i]: the effect of the byte i with s bytes behind it. Row s holds x^(32+8s) to
 * x^(39+8s) mod P. */
static const uint32_t crc_tables[8][256] = {
    CRC_256(0xedb88320, 0x76dc4190, 0x3b6e20c8, 0x1db71064, 0x0edb8832, 0x076dc419, 0xee0e612c,
            0x77073096),
    CRC_256(0x3b83984b, 0xf0794f05, 0x958424a2, 0x4ac21251, 0xc8d98a08, 0x646cc504, 0x32366282,
            0x191b3141),
    CRC_256(0xe1351b80, 0x709a8dc0, 0x384d46e0, 0x1c26a370, 0x0e1351b8, 0x0709a8dc, 0x0384d46e,
            0x01c26a37),
    CRC_256(0xed59b63b, 0x9b14583d, 0xa032af3e, 0x5019579f, 0xc5b428ef, 0x8f629757, 0xaa09c88b,
            0xb8bc6765),
    CRC_256(0xb1e6b092, 0x58f35849, 0xc1c12f04, 0x60e09782, 0x30704bc1, 0xf580a6c0, 0x7ac05360,
            0x3d6029b0),
    CRC_256(0x1eb014d8, 0x0f580a6c, 0x07ac0536, 0x03d6029b, 0xec53826d, 0x9b914216, 0x4dc8a10b,
            0xcb5cd3a5),
    CRC_256(0x8816eaf2, 0x440b7579, 0xcfbd399c, 0x67de9cce, 0x33ef4e67, 0xf44f2413, 0x979f1129,
            0xa6770bb4),
    CRC_256(0x533b85da, 0x299dc2ed, 0xf9766256, 0x7cbb312b, 0xd3e51bb5, 0x844a0efa, 0x4225077d,
            0xccaa009e),
};

/* The remainder of `crc` and then the bytes; no complement before or after. */
static uint32_t crc_run_tables(uint32_t crc, const unsigned char *p, size_t size)
{
    for (; size >= 8; p += 8, size -= 8) {
        uint32_t x = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                            (uint32_t)p[3] << 24);
        crc = crc_tables[7][x & 255] ^ crc_tables[6][x >> 8 & 255] ^ crc_tables[5][x >> 16 & 255] ^
              crc_tables[4][x >> 24] ^ crc_tables[3][p[4]] ^ crc_tables[2][p[5]] ^
              crc_tables[1][p[6]] ^ crc_tables[0][p[7]];
    }
    for (; size; p++, size--)
        crc = crc >> 8 ^ crc_tables[0][(crc ^ *p) & 255];
    return crc;
}

uint32_t hsp__crc32_portable(uint32_t crc, const void *bytes, size_t size)
{
    return ~crc_run_tables(~crc, bytes, size);
}

/* ---- CRC-32: carry-less multiplication ------------------------------------------------------- */

#if CHECKSUM_CLMUL

/* Replace 16 bytes by 16 others that have the same remainder D bits further on: their halves times
 * x^(D+32) and x^(D-32) mod P, which `by` holds (shifted by one, as reflected products are). */
__attribute__((target("sse2,pclmul"))) static inline __m128i crc_fold(__m128i a, __m128i by,
                                                                      __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(a, by, 0x00), high = _mm_clmulepi64_si128(a, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Whole blocks of 64 bytes, at least one: four lanes, folded into one at the end. Its 16 bytes
 * stand for all that was read. */
__attribute__((target("sse2,pclmul"))) static uint32_t crc_run_clmul(uint32_t crc,
                                                                     const unsigned char *p,
                                                                     size_t size)
{
    const __m128i by_512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i *in = (const __m128i *)(const void *)p;
    __m128i a = _mm_xor_si128(_mm_loadu_si128(in), _mm_cvtsi32_si128((int)crc));
    __m128i b = _mm_loadu_si128(in + 1), c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
    for (size -= 64, in += 4; size; size -= 64, in += 4) {
        a = crc_fold(a, by_512, _mm_loadu_si128(in));
        b = crc_fold(b, by_512, _mm_loadu_si128(in + 1));
        c = crc_fold(c, by_512, _mm_loadu_si128(in + 2));
        d = crc_fold(d, by_512, _mm_loadu_si128(in + 3));
    }
    a = crc_fold(crc_fold(crc_fold(a, by_128, b), by_128, c), by_128, d);
    unsigned char rest[16];
    _mm_storeu_si128((__m128i *)(void *)rest, a);
    return crc_run_tables(0, rest, sizeof rest);
}

#endif

uint32_t hsp__crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    crc = ~crc;
#if CHECKSUM_CLMUL
    if (size >= 64 && __builtin_cpu_supports("pclmul")) {
        size_t blocks = size & ~(size_t)63;
        crc = crc_run_clmul(crc, p, blocks);
        p += blocks;
        size -= blocks;
    }
#endif
    return ~crc_run_tables(crc, p, size);
}

/* ---- CRC-32: joining ------------------------------------------------------------------------- */

/* a times b mod P. */
static uint32_t crc_multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 0x80000000u; bit; bit >>= 1) {
        if (a & bit) product ^= b;
        b = b & 1 ? b >> 1 ^ CRC_POLYNOMIAL : b >> 1;
    }
    return product;
}

/* Behind A stand b_size bytes: A's remainder times x^(8 b_size), by repeated squaring. */
uint32_t hsp__crc32_combine(uint32_t a, uint32_t b, uint64_t b_size)
{
    uint32_t power = 0x00800000u; /* x^8 */
    for (; b_size; b_size >>= 1) {
        if (b_size & 1) a = crc_multiply(a, power);
        power = crc_multiply(power, power);
    }
    return a ^ b;
}

/* ---- SHA-256 --------------------------------------------------------------------------------- */

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha_rotate(uint32_t x, int k)
{
    return x >> k | x << (32 - k);
}

/* One round. What the standard writes as moving every variable to the next name, the caller does by
 * naming them in turn. */
static inline void sha_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
                             uint32_t f, uint32_t g, uint32_t *h, uint32_t word)
{
    uint32_t one = *h + (sha_rotate(e, 6) ^ sha_rotate(e, 11) ^ sha_rotate(e, 25)) +
                   ((e & f) ^ (~e & g)) + word;
    uint32_t two =
        (sha_rotate(a, 2) ^ sha_rotate(a, 13) ^ sha_rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    *d += one;
    *h = one + two;
}

static void sha_block(uint32_t state[8], const unsigned char *p)
{
    uint32_t words[64];
    for (int t = 0; t < 16; t++, p += 4)
        words[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int t = 16; t < 64; t++) {
        uint32_t x = words[t - 15], y = words[t - 2];
        words[t] = words[t - 16] + (sha_rotate(x, 7) ^ sha_rotate(x, 18) ^ x >> 3) + words[t - 7] +
                   (sha_rotate(y, 17) ^ sha_rotate(y, 19) ^ y >> 10);
    }
    for (int t = 0; t < 64; t++)
        words[t] += sha_constants[t];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (const uint32_t *w = words; w < words + 64; w += 8) {
        sha_round(a, b, c, &d, e, f, g, &h, w[0]);
        sha_round(h, a, b, &c, d, e, f, &g, w[1]);
        sha_round(g, h, a, &b, c, d, e, &f, w[2]);
        sha_round(f, g, h, &a, b, c, d, &e, w[3]);
        sha_round(e, f, g, &h, a, b, c, &d, w[4]);
        sha_round(d, e, f, &g, h, a, b, &c, w[5]);
        sha_round(c, d, e, &f, g, h, a, &b, w[6]);
        sha_round(b, c, d, &e, f, g, h, &a, w[7]);
    }
    const uint32_t add[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += add[i];
}

void hsp__sha256_init(hsp__sha256 *sha)
{
    /* the fractions of the square roots of the first 8 primes */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, start, sizeof start);
    sha->size = 0;
}

void hsp__sha256_add(hsp__sha256 *sha, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t held = (size_t)(sha->size % sizeof sha->block);
    sha->size += size;
    if (held) {
        size_t taken = sizeof sha->block - held < size ? sizeof sha->block - held : size;
        if (taken) memcpy(sha->block + held, p, taken);
        if (held + taken < sizeof sha->block) return;
        sha_block(sha->state, sha->block);
        p += taken;
        size -= taken;
    }
    for (; size >= sizeof sha->block; p += sizeof sha->block, size -= sizeof sha->block)
        sha_block(sha->state, p);
    if (size) memcpy(sha->block, p, size);
}

/* A one bit, zeros up to 8 bytes before the end of a block, and the number of bits. */
void hsp__sha256_end(hsp__sha256 *sha, unsigned char digest[32])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(sha->size << 3 >> (56 - 8 * i));
    size_t held = (size_t)(sha->size % sizeof sha->block);
    hsp__sha256_add(sha, padding, (held < 56 ? 56 : 120) - held);
    hsp__sha256_add(sha, bits, sizeof bits);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void hsp__sha256_text(const unsigned char digest[32], char text[65])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[64] = 0;
}
