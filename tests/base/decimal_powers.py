#!/usr/bin/env python3
"""Is the table of powers of ten right? tests/base/decimal_powers.py BUILD

Row q - FIRST holds floor(10**q / 2**(B - 127)) with B = floor(log2(10**q)), so its top bit is set. Python's
integers are exact. Over the whole range that decimal.c uses them for, the fixed-point formulas by
which it takes logarithms are compared as well.
"""
import re, sys

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
    rows = re.findall(r'{0x(\w{16}), 0x(\w{16})}, /[*] (-?\d+) ', open(f'{sys.argv[1]}/generated/decimal_powers.h').read())
    expected = [(f'{row >> 64:016x}', f'{row & (2**64 - 1):016x}', str(q)) for q in range(FIRST, LAST + 1) for row in [power_of_ten(q)[0]]]
    sys.exit(rows != expected)


if __name__ == "__main__":
    main()
