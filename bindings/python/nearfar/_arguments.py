# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of callers as the compiled module takes them, or a UsageError that says which one is wrong and how."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from ._errors import UsageError

_Kind = TypeVar("_Kind")


def instance(value: Any, kind: type[_Kind], what: str) -> _Kind:
    """`value`, which is to be of this class."""
    if not isinstance(value, kind):
        raise UsageError(f"{what} is of the type {type(value).__name__}; it is to be of the type {kind.__name__}")
    return value


def whole(value: Any, what: str, bits: int = 32) -> int:
    """An integer of so many bits with a sign; numbers with a fraction are no integers, even where it is 0."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{what} is {value!r}; it is to be an integer") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise UsageError(f"{what} is {number}; it is to be an integer of {bits} bits")
    return number


def entries(values: Any, what: str, count: int | None = None, of: str = "") -> list[Any]:
    """A list of what a sequence has, `count` of them where that is given, one per each `of`."""
    try:
        each = list(values)
    except TypeError:
        raise UsageError(f"{what} is {values!r}; it is to be a sequence") from None
    if isinstance(values, (str, bytes)):
        raise UsageError(f"{what} is {values!r}; it is to be a sequence of others than letters")
    if count is not None and len(each) != count:
        raise UsageError(f"{what} has {len(each)} entries; there are {count} {of}")
    return each


def ints(values: Any, what: str, bits: int = 64) -> list[int]:
    """A list of integers."""
    return [whole(v, f"an entry of {what}", bits) for v in entries(values, what)]


def ints_per(values: Any, count: int, what: str, of: str, bits: int = 64) -> list[int]:
    """A list of `count` integers, one per each `of`."""
    return [whole(v, f"an entry of {what}", bits) for v in entries(values, what, count, of)]


def real(value: Any, what: str) -> float:
    """A number that is not complex."""
    if not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise UsageError(f"{what} is {value!r}; it is to be a number")


def text(value: Any, what: str) -> str:
    """A string that can be told to C."""
    found = instance(value, str, what)
    try:
        found.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is {value!r}; it has letters that UTF-8 has not") from None
    if "\0" in found:
        raise UsageError(f"{what} is {value!r}; it has a letter 0, which ends texts")
    return found


def words(value: Any, what: str) -> str | None:
    """A string as it is, several as a list with commas; None as it is."""
    if value is None or isinstance(value, str):
        return value if value is None else text(value, what)
    try:
        return text(",".join(value), what)
    except TypeError:
        raise UsageError(f"{what} is {value!r}; it is a string or a sequence of strings") from None


def choice(value: Any, known: Sequence[str], what: str) -> int:
    """The number of a name among those known."""
    if not isinstance(value, str) or value not in known:
        raise UsageError(f"{what} is {value!r}; it is one of {', '.join(known)}")
    return known.index(value)


def order(given: Any, dimensions: int, of: str) -> list[int] | None:
    """Dimensions from slowest to fastest in memory."""
    if given is None:
        return None
    found = ints(given, "memory_order", 32)
    if sorted(found) != list(range(dimensions)):
        raise UsageError(f"memory_order is {found}; it names each of the {of} 0 to {dimensions - 1} once")
    return found


def data_type(given: DTypeLike) -> np.dtype[Any]:
    """The type of elements, which are moved as bytes."""
    try:
        kind = np.dtype(given)
    except (TypeError, ValueError) as e:
        raise UsageError(f"the type of the elements is {given!r}, which NumPy does not know: {e}") from None
    if kind.hasobject:
        raise UsageError(f"the elements are Python objects ({kind}); elements are moved as bytes")
    return kind


def int64s(values: Any, what: str) -> np.ndarray[Any, Any]:
    """Integers as a contiguous array of int64; a copy only if they are not one already."""
    try:
        a = np.asarray(values)
    except ValueError as e:
        raise UsageError(f"{what} are no array of integers: {e}") from None
    if a.size and a.dtype.kind not in "iu":
        raise UsageError(f"{what} are of the type {a.dtype}; they are to be integers")
    if a.size and a.dtype == np.uint64 and a.max() >= 2**63:
        raise UsageError(f"{what} have {a.max()}; they are to be below 2^63")
    return np.ascontiguousarray(a, np.int64)


def pairs(given: Any, dimensions: int, what: str) -> list[list[int]] | None:
    """Widths per dimension as {low, high}: from one number, one per dimension, or a pair per dimension."""
    if given is None:
        return None
    try:
        a = np.asarray(given)
    except ValueError:
        a = np.empty(0)
    if a.dtype.kind not in "iu":
        raise UsageError(f"{what} are {given!r}; they are to be integers")
    if a.ndim == 0:
        a = np.full((dimensions, 2), a)
    elif a.shape == (dimensions,):
        a = np.stack([a, a], axis=1)
    if a.shape != (dimensions, 2):
        raise UsageError(
            f"{what} have the shape {a.shape}; they are one number, {dimensions} numbers, or {dimensions} pairs"
        )
    return [[whole(low, what), whole(high, what)] for low, high in a]
