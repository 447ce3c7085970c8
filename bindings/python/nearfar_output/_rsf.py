# SPDX-License-Identifier: BSD-3-Clause
"""Text headers in the manner of Madagascar (RSF)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from ._journal import StreamError

_PAIR = re.compile(r"([A-Za-z_]\w*)=(\"[^\"\n]*\"|\S+)")
_TYPES: dict[str, DTypeLike] = {
    "native_uchar": np.int8,
    "native_short": np.int16,
    "native_int": np.int32,
    "native_long": np.int64,
    "native_float": np.float32,
    "native_double": np.float64,
    "native_complex": np.complex64,
    "native_dcomplex": np.complex128,
}
_MOST_AXES = 5  # four of the array, and the steps


def read_header(path: Path) -> dict[str, str]:
    """Keys and values; of several with one key the last one counts.

    Raises
    ------
    StreamError
        The file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise StreamError(f"{path} cannot be read: {problem}") from problem
    return {key: value.strip('"') for key, value in _PAIR.findall(text)}


def extents_of(header: dict[str, str], path: Path) -> tuple[int, ...]:
    """Extents of an array, slowest first, without the steps, which are the last axis of the header."""
    axes = [int(header[f"n{axis}"]) for axis in range(1, _MOST_AXES + 1) if f"n{axis}" in header]
    if len(axes) < 2 or min(axes[:-1]) < 1:
        raise StreamError(f"{path} has no axes n1, n2 … of an array and its steps")
    return tuple(reversed(axes[:-1]))


def dtype_of(header: dict[str, str], path: Path) -> np.dtype[np.generic]:
    """The type of the elements."""
    name = header.get("data_format", "")
    if name not in _TYPES:
        raise StreamError(f"{path} has data_format={name}; known are {', '.join(_TYPES)}")
    return np.dtype(_TYPES[name])
