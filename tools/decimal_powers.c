/* Print the table of powers of ten that src/base/decimal.c includes: the first 128 bits of 10^q, cut.
 *
 * 10^q for q >= 0 is computed exactly; for q < 0 it is floor(2^BITS / 10^-q), by repeated division:
 * floors of floors are floors, and BITS leaves more than 128 digits. tests/base/decimal_powers.py
 * compares the table with Python's integers. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FIRST (-342) /* below it, any 64-bit integer times 10^q rounds to zero */
#define LAST  324    /* reading needs 308 at most, printing the smallest double needs 324 */
#define WORDS 44     /* of 32 bits, the lowest first: 2^BITS and 10^LAST fit */
#define BITS  (32 * WORDS - 1)

static uint32_t number[WORDS];

static void multiply(void)
{
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)number[i] * 10;
        number[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide(void)
{
    uint64_t rest = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        rest = rest << 32 | number[i];
        number[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

static int bit(int i)
{
    return i >= 0 && number[i / 32] >> i % 32 & 1;
}

static void print(int q)
{
    uint64_t word[2] = {0, 0};
    int top = BITS;
    while (!bit(top))
        top--;
    for (int i = 0; i < 128; i++)
        word[i / 64] = word[i / 64] << 1 | (uint64_t)bit(top - i);
    printf("    {0x%016llx, 0x%016llx}, /* %d */\n", (unsigned long long)word[0],
           (unsigned long long)word[1], q);
}

int main(void)
{
    static uint32_t below[-FIRST][WORDS];
    memset(number, 0, sizeof number);
    number[WORDS - 1] = (uint32_t)1 << 31;
    for (int q = 0; q < -FIRST; q++) {
        divide();
        memcpy(below[q], number, sizeof number);
    }
    printf("#define DECIMAL_POWER_FIRST (%d)\n\n", FIRST);
    printf(
        "/* Row q - DECIMAL_POWER_FIRST: the first 128 bits of 10^q, high word first, cut. */\n");
    printf("static const uint64_t decimal_powers[%d][2] = {\n", LAST - FIRST + 1);
    for (int q = FIRST; q < 0; q++) {
        memcpy(number, below[-q - 1], sizeof number);
        print(q);
    }
    memset(number, 0, sizeof number);
    number[0] = 1;
    for (int q = 0; q <= LAST; q++, multiply())
        print(q);
    printf("};\n");
    return ferror(stdout) || fclose(stdout);
}
