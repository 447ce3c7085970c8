# SPDX-License-Identifier: BSD-3-Clause
"""Damages inputs, the same way for the same seed: lines, numbers and words of a text, or bytes of a file."""

from __future__ import annotations

import random
import re

# What a number may be replaced by: ends of ranges, what is no number, and what only some libraries take for one.
NUMBERS = (
    "0", "-0", "-1", "1", "2", "7", "1e-320", "1e300", "-1e300", "1e999", "nan", "-nan", "inf", "-9999", "-999.00",
    "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807", "99999999999999999999999", "0x10",
    "1_000", "1,5", "1e", ".", "-", "", "\u00b2", "1 2", "007", "1d3", "65536", "1e9",
)  # fmt: skip
WORDS = (
    "",
    "x",
    "true",
    "'",
    '"',
    "\u00e4",
    "a" * 300,
    "/",
    "..",
    "=",
    "[",
    "{",
    "#",
    "!",
    "&",
    "\\",
    "%s%n",
    "\x00",
    "nan",
)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def text(good: str, seed: int) -> bytes:
    """One to three changes of a text, mostly of its numbers and words."""
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        good = chance.choice(CHANGES)(good, chance)
    return good.encode("utf-8", errors="surrogateescape")


def binary(good: bytes, seed: int, most: int | None = None) -> bytes:
    """One to four changes of bytes; with `most`, within the first `most` of them, where headers are."""
    chance = random.Random(seed)
    changed = bytearray(good)
    for _ in range(chance.choice((1, 1, 2, 4))):
        length = min(len(changed), most or len(changed))
        if length < 16:
            break
        at = chance.randrange(length - 8)
        kind = chance.randrange(6)
        if kind == 0:
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[at : at + 4] = chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\0\0\0"))
        elif kind == 2:
            changed[at : at + 8] = bytes(chance.randrange(256) for _ in range(8))
        elif kind == 3:
            del changed[at:]
        elif kind == 4:
            del changed[at : at + chance.randrange(1, 64)]
        else:
            changed[at:at] = changed[at : at + chance.randrange(1, 64)]
    return bytes(changed)


def _number(good: str, chance: random.Random) -> str:
    found = list(NUMBER.finditer(good))
    if not found:
        return good
    one = chance.choice(found)
    return good[: one.start()] + chance.choice(NUMBERS) + good[one.end() :]


def _word(good: str, chance: random.Random) -> str:
    found = list(re.finditer(r"\w+|\S", good))
    if not found:
        return good
    one = chance.choice(found)
    return good[: one.start()] + chance.choice(WORDS) + good[one.end() :]


def _lines(good: str, chance: random.Random) -> str:
    """A line left out, written twice, or two of them exchanged."""
    lines = good.splitlines(keepends=True)
    if len(lines) < 2:
        return good
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(3)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines.insert(other, lines[one])
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def _cut(good: str, chance: random.Random) -> str:
    return good[: chance.randrange(len(good) + 1)]


def _letter(good: str, chance: random.Random) -> str:
    at = chance.randrange(len(good) + 1)
    return (
        good[:at] + chance.choice(("\0", "\udcff", "\t", "\r\n", "\n", "9", "'", '"', ",", "e", "-")) + good[at + 1 :]
    )


CHANGES = (_number, _number, _number, _word, _word, _lines, _cut, _letter)
