#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Works out the sums that exact_table.hpp lists, with Python's fractions: another language, another method.

make_exact_table.py             prints exact_table.hpp
make_exact_table.py --check F   fails if F differs from it
"""

import argparse
import struct
import sys
from fractions import Fraction
from pathlib import Path

FAMILIES = ["even", "any", "cancelling", "huge", "ties", "tiny", "two_scales"]
# What the numbers of a family are multiplied with in dot products.
PARTNERS = {
    "even": "even",
    "any": "even",
    "cancelling": "two_scales",
    "huge": "tiny",
    "ties": "ties",
    "tiny": "huge",
    "two_scales": "any",
}
COUNTS = [1, 2, 3, 24, 1008, 1009, 4100]
MASK = (1 << 64) - 1


def random_bits(seed):
    """splitmix64 (Steele, Lea, Flood 2014), as in exact_numbers.hpp."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def from_bits(bits):
    if bits >> 52 & 0x7FF == 0x7FF:  # no infinities, no NaN
        bits &= ~(1 << 52)
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def to_float(value):
    """The nearest number of type float; large ones become 1 with their sign."""
    if abs(value) > 3e38:
        return 1.0 if value > 0 else -1.0
    return struct.unpack("<f", struct.pack("<f", value))[0]


def number(family, i, r, before):
    even = (r >> 11) * 2.0**-53 - 0.5
    if family == "even":
        return even
    if family == "any":
        return from_bits(r)
    if family == "cancelling":
        if i % 97 == 96:
            return even * 2.0**-600
        return -before if i % 2 else from_bits(r)
    if family == "huge":
        return (1.75 + even * 0.25) * 2.0**1023 * (-1 if i % 3 == 1 else 1)
    if family == "ties":
        return [1.0, 2.0**-53, 2.0**-53, -(2.0**-106), 2.0**-105, 0.0][r % 6]
    if family == "tiny":
        return from_bits(r & (1 << 63 | (1 << 50) - 1))
    return even * (2.0**600 if r & 1 else 2.0**-600)


def numbers(family, seed, count, as_float):
    bits = random_bits(seed)
    result, before = [], 0.0
    for i in range(count):
        before = number(family, i, next(bits), before)
        result.append(to_float(before) if as_float else before)
    return result


def rounded(exact, precision, lowest, highest):
    """To nearest, ties to even, as mantissa and exponent; None beyond the largest number."""
    sign, exact = (-1, -exact) if exact < 0 else (1, exact)
    if exact == 0:
        return 0, 0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length() - precision - 1
    while Fraction(2) ** (exponent + precision) <= exact:
        exponent += 1
    exponent = max(exponent, lowest)
    scaled = exact / Fraction(2) ** exponent
    mantissa = scaled.numerator // scaled.denominator
    rest = scaled - mantissa
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and mantissa % 2 == 1):
        mantissa += 1
    if mantissa.bit_length() + exponent > highest:
        return None
    return sign * mantissa, exponent


def hexadecimal(exact, is_float):
    found = rounded(exact, 24, -149, 128) if is_float else rounded(exact, 53, -1074, 1024)
    if found is None:
        return "INFINITY" if exact > 0 else "-INFINITY"
    mantissa, exponent = found
    if not is_float and exact != 0:  # Python's own division rounds correctly too
        assert Fraction(mantissa) * Fraction(2) ** exponent == Fraction(float(exact)), (mantissa, exponent)
    return "%s0x%xp%d%s" % ("-" if mantissa < 0 else "", abs(mantissa), exponent, "f" if is_float else "")


def rows():
    for family in FAMILIES:
        for count in COUNTS:
            seed = 100 * FAMILIES.index(family) + count
            pairs = ((family, seed), (PARTNERS[family], seed + 50000))
            a, b = ([Fraction(x) for x in numbers(f, s, count, False)] for f, s in pairs)
            c, d = ([Fraction(x) for x in numbers(f, s, count, True)] for f, s in pairs)
            yield '    {"%s", %d, %d, %s, %s, %s, %s},' % (
                family,
                seed,
                count,
                hexadecimal(sum(a), False),
                hexadecimal(sum(x * y for x, y in zip(a, b)), False),
                hexadecimal(sum(c), True),
                hexadecimal(sum(x * y for x, y in zip(c, d)), True),
            )


def table():
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "// Sums and dot products of known numbers, worked out by make_exact_table.py with fractions.",
        "#pragma once",
        "",
        "#include <cmath>",
        "",
        "namespace nearfar::test {",
        "",
        "struct exact_row {",
        "  const char* family;",
        "  unsigned seed;",
        "  int count;",
        "  double sum, dot;",
        "  float float_sum, float_dot;",
        "};",
        "",
        "// clang-format off",
        "inline const exact_row exact_table[] = {",
    ]
    lines += list(rows())
    lines += ["};", "// clang-format on", "", "}  // namespace nearfar::test"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", type=Path)
    options = parser.parse_args()
    if options.check is None:
        sys.stdout.write(table())
        return 0
    if options.check.read_text() != table():
        print(f"{options.check} differs from what {Path(__file__).name} works out")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
