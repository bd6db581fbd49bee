/* byte_tile and byte_dots: every table gives the sums as integers of 64 bits have them, and says which rows reach
 * what they should. */
#include <stdint.h>

#include "../check.h"
#include "vec/vec.h"

enum { R = HSP__VEC_BYTE_ROWS, C = HSP__VEC_BYTE_COLS, QUADS = 300 };

static uint64_t rng_state = 88172645463325252u;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state >> 20;
}

static uint8_t a[R * 4 * QUADS + 3];
static int8_t b[C * 4 * QUADS + 3];

/* extreme: numbers from the ends of the range, so that nothing may be clipped. */
static void fill(int extreme)
{
    for (size_t k = 0; k < sizeof a; k++)
        a[k] = (uint8_t)(extreme ? 255 : rng());
    for (size_t k = 0; k < sizeof b; k++)
        b[k] = (int8_t)(extreme ? (rng() & 1 ? -128 : 127) : (int)(rng() % 256) - 128);
}

static void compare(const hsp__vec_table *vec, size_t quads, size_t shift)
{
    const uint8_t *rows[R];
    int32_t base[C], least[R], c[R * C];
    uint16_t reach[R * HSP__VEC_BYTE_WORDS];
    int64_t want[R][C], most[R];
    for (size_t j = 0; j < C; j++)
        base[j] = (int32_t)(rng() % 2000000) - 1000000;
    for (size_t i = 0; i < R; i++) {
        rows[i] = a + shift + i * 4 * quads;
        most[i] = INT64_MIN;
        for (size_t j = 0; j < C; j++) {
            int64_t sum = 0;
            for (size_t k = 0; k < 4 * quads; k++)
                sum += rows[i][k] * b[shift + k / 4 * 4 * C + 4 * j + k % 4];
            want[i][j] = base[j] + 2 * sum;
            if (want[i][j] > most[i]) most[i] = want[i][j];
        }
    }
    for (unsigned set = 0; set < 1u << R; set++) { /* rows that reach their least, to the unit */
        for (size_t i = 0; i < R; i++)
            least[i] = (int32_t)(most[i] + (set >> i & 1 ? 0 : 1));
        const unsigned got = vec->byte_tile(quads, rows, b + shift, base, least, c, reach);
        CHECK_NOTE(got == set, "%s, %zu quads: %u, not %u", vec->name, quads, got, set);
        for (size_t i = 0; i < R; i++)
            for (size_t j = 0; set >> i & 1 && j < C; j++)
                CHECK((reach[i * HSP__VEC_BYTE_WORDS + j / 16] >> j % 16 & 1) ==
                      (want[i][j] >= least[i]));
    }
    for (size_t i = 0; i < R; i++) /* the last set was all rows */
        for (size_t j = 0; j < C; j++)
            CHECK_NOTE(c[i * C + j] == want[i][j], "%s, %zu quads", vec->name, quads);
}

static void compare_dots(const hsp__vec_table *vec, size_t bytes, size_t count)
{
    const int8_t *rows[C] = {0};
    int32_t got[C + 1];
    for (size_t j = 0; j < count; j++)
        rows[j] = b + rng() % (sizeof b - bytes);
    got[count] = 12345;
    vec->byte_dots(bytes, a + 1, rows, count, got);
    CHECK(got[count] == 12345);
    for (size_t j = 0; j < count; j++) {
        int64_t want = 0;
        for (size_t k = 0; k < bytes; k++)
            want += a[1 + k] * rows[j][k];
        CHECK_NOTE(got[j] == want, "%s, %zu bytes, row %zu", vec->name, bytes, j);
    }
}

static void all_lengths(const char *name)
{
    const hsp__vec_table *vec = hsp__vec_table_by_name(name);
    if (!vec) CHECK_SKIP("this machine cannot run it");
    for (int extreme = 0; extreme < 2; extreme++) {
        fill(extreme);
        for (size_t quads = 0; quads < 12; quads++)
            compare(vec, quads, quads % 4);
        compare(vec, QUADS, 1);
        for (size_t bytes = 0; bytes <= 1024; bytes += 64)
            for (size_t count = 0; count < 11; count++)
                compare_dots(vec, bytes, count);
    }
}

static void scalar(void)
{
    all_lengths("scalar");
}

static void avx2(void)
{
    all_lengths("avx2");
}

static void avx512(void)
{
    all_lengths("avx512");
}

int main(void)
{
    RUN(scalar);
    RUN(avx2);
    RUN(avx512);
    return check_done();
}
