#!/usr/bin/env python3
"""Print src/base/decimal_powers.h: the powers of ten, cut to their first 128 bits.

    tools/gen-decimal-powers.py > src/base/decimal_powers.h

Row q - FIRST holds floor(10**q / 2**(B - 127)) with B = floor(log2(10**q)), so its top bit is set.
Python's integers are exact, so every row is. The script also proves, over the whole range that
decimal.c uses them for, the fixed-point formulas by which decimal.c takes logarithms.
"""

FIRST = -342  # below it, any 64-bit integer times 10**q rounds to zero
LAST = 324  # reading needs 308 at most, printing the smallest double needs 324


def floor_log2(num, den):
    """floor(log2(num / den)) for positive integers."""
    b = num.bit_length() - den.bit_length()
    too_high = num < den << b if b >= 0 else num << -b < den
    return b - too_high


def power_of_ten(q):
    """(row, B) of 10**q."""
    num, den = (10**q, 1) if q >= 0 else (1, 10**-q)
    b = floor_log2(num, den)
    shift = 127 - b
    if shift >= 0:
        num <<= shift
    else:
        den <<= -shift
    return num // den, b


def floor_log10(num, den):
    """floor(log10(num / den)) for positive integers."""
    k = len(str(num)) - len(str(den))
    too_high = num < den * 10**k if k >= 0 else num * 10**-k < den
    return k - too_high


def check_formulas():
    for q in range(FIRST, LAST + 1):
        assert (q * 217706) >> 16 == power_of_ten(q)[1], q
    for e in range(-1074, 972):
        num, den = (2**e, 1) if e >= 0 else (1, 2**-e)
        assert (e * 315653) >> 20 == floor_log10(num, den), e
        assert (e * 315653 - 131008) >> 20 == floor_log10(3 * num, 4 * den), e


def main():
    check_formulas()
    print("/* Made by tools/gen-decimal-powers.py; do not edit. Row q - DECIMAL_POWER_FIRST holds the first")
    print(" * 128 bits of 10^q, high word first, cut (not rounded). */")
    print("#ifndef HSP_BASE_DECIMAL_POWERS_H")
    print("#define HSP_BASE_DECIMAL_POWERS_H")
    print()
    print("#include <stdint.h>")
    print()
    print(f"#define DECIMAL_POWER_FIRST ({FIRST})")
    print(f"#define DECIMAL_POWER_LAST  {LAST}")
    print()
    print("/* clang-format off */")
    print(f"static const uint64_t decimal_powers[{LAST - FIRST + 1}][2] = {{")
    for q in range(FIRST, LAST + 1):
        row, _ = power_of_ten(q)
        assert row >> 127 == 1
        print(f"    {{0x{row >> 64:016x}, 0x{row & (2**64 - 1):016x}}}, /* {q} */")
    print("};")
    print("/* clang-format on */")
    print()
    print("#endif")


if __name__ == "__main__":
    main()
