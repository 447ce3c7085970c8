# SPDX-License-Identifier: BSD-3-Clause
"""What the readers of all formats give: descriptions of arrays, and their frames, one per step."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._journal import StreamError

# What readers of damaged files raise, NumPy's, JSON's and h5py's among them.
_OF_DAMAGE = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    OSError,
    MemoryError,
)


@contextlib.contextmanager
def understood(what: str) -> Iterator[None]:
    """What goes wrong while files are read is said in a sentence about them."""
    try:
        yield
    except _OF_DAMAGE as why:
        words = f"{type(why).__name__}: {why}"
        raise StreamError(f"{what} cannot be understood: {words[:300]}") from why


@dataclass(frozen=True)
class Array:
    """One of the arrays of a stream.

    Attributes
    ----------
    name
        As the program called it; points, connectivity, offsets and types of a grid as VTKHDF calls them.
    path
        Of the data: of formats with a file per step the first one, of zarr the folder.
    dtype, extents
        Of one frame, slowest dimension first; of arrays whose extents vary those of the first step.
    header
        rsf: all of the text header. Others: attributes, and what their axes say in the words of such a header: o1, d1
        and label1 are the first place, the distance between places and the name of the fastest dimension.
    is_constant
        The same in all steps, of which it is no part.
    """

    name: str
    path: Path
    dtype: np.dtype[np.generic]
    extents: tuple[int, ...]
    header: dict[str, str]
    is_constant: bool = False

    @property
    def frame_bytes(self) -> int:
        """Bytes of a step."""
        return math.prod(self.extents) * self.dtype.itemsize

    def number(self, key: str, otherwise: float) -> float:
        """A number of the header, such as d1."""
        try:
            return float(self.header.get(key, otherwise))
        except ValueError:
            return otherwise


class Frames:
    """The steps of an array that are not in one file: frames[step], frames[step, z, y, x], frames[2:5], in order.

    A frame is a view of its file where the file has it as it is; NumPy takes all frames as one array where their
    extents do not vary.

    Parameters
    ----------
    array, steps
        What, and how many.
    read
        The frame of a step.
    """

    def __init__(self, array: Array, steps: int, read: Callable[[int], NDArray[np.generic]]) -> None:
        self.array, self._steps, self._read = array, steps, read
        self.dtype, self.shape = array.dtype, (steps, *array.extents)
        self.ndim = len(self.shape)

    def __len__(self) -> int:
        return self._steps

    def _frame(self, step: int) -> NDArray[np.generic]:
        if not -self._steps <= step < self._steps:
            raise IndexError(f"step {step} of {self.array.name}: steps are 0 to {self._steps - 1}")
        with understood(f"step {step} of {self.array.name} in {self.array.path}"):
            return self._read(step % self._steps)

    def _stack(self, steps: range) -> NDArray[np.generic]:
        frames = [self._frame(s) for s in steps]
        for step, frame in zip(steps, frames, strict=True):
            if frame.shape != frames[0].shape:
                raise StreamError(
                    f"{self.array.name} is {frame.shape} in step {step} and {frames[0].shape} in step {steps[0]}: "
                    "take it step by step"
                )
        return np.stack(frames) if frames else np.empty((0, *self.array.extents), self.dtype)

    def __getitem__(self, key: Any) -> NDArray[np.generic]:
        first, rest = (key[0], key[1:]) if isinstance(key, tuple) else (key, ())
        if isinstance(first, slice):
            behind: tuple[Any, ...] = (slice(None), *rest)
            found: NDArray[np.generic] = self._stack(range(self._steps)[first])[behind]
            return found
        frame: NDArray[np.generic] = self._frame(int(first))
        return frame[rest] if rest else frame

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.generic]:
        if copy is False:
            raise ValueError(f"the frames of {self.array.name} are in several files: one array of them is a copy")
        found = self._stack(range(self._steps))
        return found if dtype is None else found.astype(dtype)


class Files(Protocol):
    """The files of a stream in one format."""

    arrays: dict[str, Array]

    def frame(self, array: Array, step: int) -> NDArray[np.generic]:
        """A step of an array, or a constant one: a view where the file has it as it is."""

    def frames(self, array: Array, steps: int) -> NDArray[np.generic] | Frames:
        """All of the first so many steps, at least one."""


def whole_or_part(path: Path) -> Path:
    """The file of a step in the journal: where all of its writers were killed it may not have got its name yet."""
    return path if path.exists() else path.with_name(path.name + ".part")


def mapped(path: Path, dtype: np.dtype[np.generic], offset: int | None, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """A view of a file that cannot be written; without elements an array of its own.

    Raises
    ------
    StreamError
        The file is missing or too short.
    """
    if 0 in shape or offset is None:
        return np.empty(shape, dtype)
    least = offset + math.prod(shape) * dtype.itemsize
    try:
        there = path.stat().st_size
    except OSError as problem:
        raise StreamError(f"{path} is missing: {problem.strerror}") from None
    if there < least:
        raise StreamError(f"{path} is too short: it has {there} bytes, and {least} are the least")
    return np.memmap(path, dtype, "r", offset, shape)


def mapped_steps(
    array: Array, steps: int, offset: int | None, frame: Callable[[int], NDArray[np.generic]]
) -> NDArray[np.generic] | Frames:
    """A view of all steps in one file; where that is too short, the steps one by one: each is there or an error."""
    try:
        return mapped(array.path, array.dtype, offset, (steps, *array.extents))
    except StreamError:
        return Frames(array, steps, frame)
