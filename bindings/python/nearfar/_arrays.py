# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of callers, taken where their memory is, and arrays over memory of the library, which keep it alive."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._errors import UsageError
from ._library import core
from ._words import ELEMENT_TYPE

Array = Any  # np.ndarray, or whatever has DLPack, CUDA's array interface or Python's buffer protocol
Ints = Sequence[int]

TYPES = {np.dtype(name): code for code, name in enumerate(ELEMENT_TYPE) if name}
_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes, _is_capsule.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_CUDA_DEVICES = (2, 13)  # of DLPack: memory of a GPU, and managed memory
_HUGE, _LARGE, _MADV_COLLAPSE = 2 << 20, 4 << 20, 25
_madvise = ctypes.CDLL(None).madvise
_madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
DTYPES = {code: dtype for dtype, code in TYPES.items()}


class Memory:
    """Memory of the library as NumPy sees it. Arrays made from it hold it, and so its owner."""

    def __init__(
        self, owner: Any, address: int, shape: Ints, strides: Ints | None, dtype: DTypeLike, is_readonly: bool = False
    ) -> None:
        self.owner = owner
        kind = np.dtype(dtype)
        self.__array_interface__ = {
            "version": 3,
            "data": (address, is_readonly),
            "shape": tuple(shape),
            "strides": None if strides is None else tuple(strides),
            "typestr": kind.str,
            "descr": kind.descr,
        }


class _GpuMemory(Memory):
    """Memory of a GPU: NumPy computes addresses in it and never looks at them."""


def array_over(
    owner: Any, address: int, shape: Ints, dtype: DTypeLike, strides: Ints | None = None
) -> np.ndarray[Any, Any]:
    """An array of `shape` over memory that `owner` keeps; one of no elements knows its owner, too."""
    if address == 0 and 0 not in tuple(shape):  # padding around nothing
        return np.zeros(shape, dtype)
    somewhere = 64  # NumPy makes memory of its own where it is told of none
    return np.asarray(Memory(owner, address or somewhere, shape, strides, dtype))


def near_array(
    owner: Any, address: int, shape: Ints, dtype: DTypeLike, strides: Ints | None = None
) -> np.ndarray[Any, Any]:
    """The same over near memory of its own, on huge pages where NumPy's arrays are.

    NumPy asks the kernel for huge pages under arrays of 4 MiB or more, without which loops over them take a fifth
    longer. Memory that processes share gets some if it is told to take them now: that is the best that can be done.
    """
    array = array_over(owner, address, shape, dtype, strides)
    length = array.itemsize + sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides, strict=True))
    if array.size and length >= _LARGE and _takes_huge_pages():
        begin, end = -(-address // _HUGE) * _HUGE, (address + length) // _HUGE * _HUGE
        if begin < end:
            _madvise(begin, end - begin, _MADV_COLLAPSE)
    return array


@functools.cache
def _takes_huge_pages() -> bool:
    """Whether this system has them, and NumPy may ask for some."""
    try:
        words = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text(encoding="ascii")
    except OSError:
        return False
    return "[never]" not in words and os.environ.get("NUMPY_MADVISE_HUGEPAGE") != "0"


def is_on_gpu(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array that as_array has made is in memory of a GPU."""
    memory: Any = array
    while memory is not None and not isinstance(memory, Memory):
        memory = getattr(memory, "base", None)
    return isinstance(memory, _GpuMemory)


def owner_of(array: Any, kind: type) -> Any:
    """The object of class `kind` whose memory `array` is, whole or in part; None if there is none."""
    while array is not None:
        if isinstance(array, Memory):
            return array.owner if isinstance(array.owner, kind) else None
        array = getattr(array, "base", None)
    return None


def _of_gpu(x: Array) -> np.ndarray[Any, Any] | None:
    """An array over memory of a GPU, which NumPy never looks at: its address, shape and strides; None for others."""
    described = getattr(x, "__cuda_array_interface__", None)
    if described is not None:
        shape, kind = described["shape"], np.dtype(described["typestr"])
        address, is_readonly = described["data"]
        strides = described.get("strides")
    elif hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in _CUDA_DEVICES:
        address, shape, strides, letter, size, _ = core.from_dlpack(x)
        kind, is_readonly = np.dtype(f"{letter}{size}"), False
    else:
        return None
    return np.asarray(_GpuMemory(x, address, shape, strides, kind, is_readonly))


def _says_read_only(x: Array) -> bool:
    """Whether a producer says that its array may not be written: NumPy takes it so where one says nothing."""
    if getattr(getattr(x, "flags", None), "readonly", False):
        return True
    try:
        capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError:
        return False  # of a protocol that cannot say it
    return bool(_is_capsule(capsule, b"dltensor_versioned"))


def as_array(x: Array, what: str, *, is_written: bool = False, on_gpu: bool = False) -> np.ndarray[Any, Any]:
    """`x` as a NumPy array over the same memory, which is a GPU's only where `on_gpu` allows it.

    Raises
    ------
    UsageError
        `x` is no array, is in memory that is not allowed, or may not be written and `is_written`.
    """
    if isinstance(x, np.ndarray):
        a = x
    elif (there := _of_gpu(x)) is not None:
        if not on_gpu:
            raise UsageError(
                f"{what} is in memory of a GPU; halo, gather and FFT plans and output streams take such arrays, this"
                " call takes arrays in the host's memory"
            )
        a = there
    elif hasattr(x, "__dlpack__"):
        try:
            a = np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as e:
            raise UsageError(
                f"{what} cannot be taken where it is ({e}): it is to be an array in the host's memory"
            ) from e
        if not a.flags.writeable and not _says_read_only(x):
            a = array_over(x, a.__array_interface__["data"][0], a.shape, a.dtype, a.strides)
    else:
        try:
            a = np.asarray(memoryview(x))
        except TypeError as e:
            raise UsageError(
                f"{what} is of the type {type(x).__name__}; it is to be a NumPy array, or something with DLPack or"
                " Python's buffer protocol"
            ) from e
    if a.dtype.hasobject:
        raise UsageError(f"{what} holds Python objects ({a.dtype}); elements are moved as bytes")
    if not a.dtype.isnative:
        raise UsageError(
            f"{what} has the foreign byte order {a.dtype.str}; it is to be {a.dtype.newbyteorder('=').str}"
        )
    if is_written and not a.flags.writeable:
        raise UsageError(f"{what} is read-only, and would be written")
    return a


def contiguous(x: Array, what: str, *, is_written: bool = False, on_gpu: bool = False) -> np.ndarray[Any, Any]:
    """The same for arrays that must be in C order without gaps."""
    a = as_array(x, what, is_written=is_written, on_gpu=on_gpu)
    if not a.flags.c_contiguous:
        raise UsageError(
            f"{what} of shape {a.shape} has the strides {a.strides} in bytes; it is to be contiguous in C order"
            " (numpy.ascontiguousarray copies it so)"
        )
    return a


def address_of(a: np.ndarray[Any, Any]) -> int:
    """Where the first element is; 0 for an array of none."""
    return int(a.__array_interface__["data"][0]) if a.size else 0
