# SPDX-License-Identifier: BSD-3-Clause
"""CRC-32C (Castagnoli) by NumPy: many pieces of the data side by side, then joined.

A sum is linear over the field of two elements: crc(A B) = shift(crc(A), bytes of B) ^ crc(B), where the shift is a
32 x 32 matrix of bits, applied here by four tables of 256 entries.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78  # reflected
_MOST_PIECES = 1 << 16
_LEAST_BYTES_PER_PIECE = 256


def _byte_table() -> Words:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


def _word_tables() -> list[Words]:
    """Tables k = 0 … 3: the sum after a byte and k zero bytes more."""
    tables = [_byte_table()]
    for _ in range(3):
        last = tables[-1]
        tables.append(tables[0][last & 255] ^ (last >> 8))
    return tables


_TABLES = _word_tables()


def _through(matrix: Words, values: Words) -> Words:
    """The matrix, given by the images of the 32 bits, applied to each value."""
    bits = (values[:, None] >> np.arange(32, dtype=np.uint32)) & 1
    images: Words = np.bitwise_xor.reduce(np.where(bits, matrix, np.uint32(0)), axis=1)
    return images


@lru_cache(maxsize=64)
def _zero_bytes(count: int) -> bytes:
    """Images of the bits after `count` zero bytes, as bytes so that they can be kept."""
    if count == 0:
        matrix = np.uint32(1) << np.arange(32, dtype=np.uint32)
    elif count == 1:
        bit = np.uint32(1) << np.arange(32, dtype=np.uint32)
        matrix = _TABLES[0][bit & 255] ^ (bit >> 8)
    else:
        half = np.frombuffer(_zero_bytes(count // 2), np.uint32)
        matrix = _through(half, half)
        if count % 2:
            matrix = _through(np.frombuffer(_zero_bytes(1), np.uint32), matrix)
    images: bytes = matrix.astype(np.uint32).tobytes()
    return images


def _shift(crcs: Words, zero_bytes: int) -> Words:
    matrix = np.frombuffer(_zero_bytes(zero_bytes), np.uint32)
    result = np.zeros_like(crcs)
    for byte in range(4):
        values = np.arange(256, dtype=np.uint32) << np.uint32(8 * byte)
        result ^= _through(matrix, values)[(crcs >> np.uint32(8 * byte)) & 255]
    return result


def combine(first: int, second: int, second_bytes: int) -> int:
    """The sum of two pieces one after the other, from the sums of each.

    Parameters
    ----------
    first, second
        Sums of the pieces.
    second_bytes
        Length of the second one.
    """
    return int(_shift(np.array([first], np.uint32), second_bytes)[0]) ^ second


def _of_few(data: NDArray[np.uint8]) -> int:
    table = _TABLES[0].tolist()
    crc = 0xFFFFFFFF
    for byte in data.tolist():
        crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _of_pieces(data: NDArray[np.uint8], pieces: int) -> Words:
    """Sums of `pieces` pieces of equal length, a multiple of four bytes."""
    words = np.ascontiguousarray(data.view("<u4").reshape(pieces, -1).T)
    crc: Words = np.full(pieces, 0xFFFFFFFF, np.uint32)
    for row in words:
        crc = crc ^ row
        crc = (
            _TABLES[3][crc & 255] ^ _TABLES[2][(crc >> 8) & 255] ^ _TABLES[1][(crc >> 16) & 255] ^ _TABLES[0][crc >> 24]
        )
    crc = crc ^ np.uint32(0xFFFFFFFF)
    return crc


def crc32c(data: bytes | NDArray[np.uint8]) -> int:
    """The sum of bytes.

    Parameters
    ----------
    data
        Bytes, or a contiguous array of them.
    """
    array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
    pieces = 1
    while pieces < _MOST_PIECES and array.size // (2 * pieces) >= _LEAST_BYTES_PER_PIECE:
        pieces *= 2
    length = array.size // pieces // 4 * 4
    if pieces == 1 or length == 0:
        return _of_few(array)
    crcs = _of_pieces(array[: pieces * length], pieces)
    while crcs.size > 1:
        crcs = _shift(crcs[0::2], length) ^ crcs[1::2]
        length *= 2
    tail = array[length:]
    return combine(int(crcs[0]), crc32c(tail), tail.size) if tail.size else int(crcs[0])
