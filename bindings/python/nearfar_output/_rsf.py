# SPDX-License-Identifier: BSD-3-Clause
"""Text headers in the manner of Madagascar (RSF)."""

from __future__ import annotations

import glob
import re
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._array import Array, Frames, mapped, mapped_steps
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


def _axes_of(header: dict[str, str]) -> list[int]:
    return [int(header[f"n{axis}"]) for axis in range(1, _MOST_AXES + 1) if f"n{axis}" in header]


def is_constant(header: dict[str, str]) -> bool:
    """There is no axis of the steps."""
    return header.get(f"label{len(_axes_of(header))}") != "time"


def extents_of(header: dict[str, str], path: Path) -> tuple[int, ...]:
    """Extents of an array, slowest first, without the steps, which are the last axis of the header."""
    axes = _axes_of(header)
    own = axes if is_constant(header) else axes[:-1]
    if not own or min(own) < 1:
        raise StreamError(f"{path} has no axes n1, n2 … of an array and its steps")
    return tuple(reversed(own))


def dtype_of(header: dict[str, str], path: Path) -> np.dtype[np.generic]:
    """The type of the elements."""
    name = header.get("data_format", "")
    if name not in _TYPES:
        raise StreamError(f"{path} has data_format={name}; known are {', '.join(_TYPES)}")
    return np.dtype(_TYPES[name])


class RsfFiles:
    """PATH.NAME.rsf and PATH.NAME.raw for each array.

    Parameters
    ----------
    path
        Of the stream.
    """

    def __init__(self, path: Path) -> None:
        # A name has no dot: a stream "run.b" beside a stream "run" is not one of its arrays.
        begin = len(path.name) + 1
        headers = sorted(p for p in path.parent.glob(f"{glob.escape(path.name)}.*.rsf") if "." not in p.name[begin:-4])
        self.arrays: dict[str, Array] = {}
        for at in headers:
            name, header = at.name[begin:-4], read_header(at)
            dtype, extents = dtype_of(header, at), extents_of(header, at)
            self.arrays[name] = Array(name, at.with_suffix(".raw"), dtype, extents, header, is_constant(header))

    def frame(self, array: Array, step: int) -> NDArray[np.generic]:
        """A view of a step."""
        begin = 0 if array.is_constant else step * array.frame_bytes
        return mapped(array.path, array.dtype, begin, array.extents)

    def frames(self, array: Array, steps: int) -> NDArray[np.generic] | Frames:
        """A view of the file."""
        return mapped_steps(array, steps, 0, lambda step: self.frame(array, step))
