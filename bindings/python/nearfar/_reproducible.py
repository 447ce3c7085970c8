# SPDX-License-Identifier: BSD-3-Clause
"""Sums over the ranks of a team whose bits do not depend on how many ranks there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import TYPES, Array, address_of, contiguous
from ._errors import UsageError
from ._library import core
from ._team import Team, team_of


def _real(x: Array, what: str, *, is_written: bool = False) -> np.ndarray[Any, Any]:
    a = contiguous(x, what, is_written=is_written)
    if a.dtype.str[1:] not in ("f4", "f8"):
        raise UsageError(f"{what} is of the type {a.dtype}; reproducible sums are for float32 and float64")
    return a


def reproducible_sum(team: Team | Any, local: Array) -> float:
    """The sum of all elements of the arrays of all ranks: exact, rounded once.

    The same bits for any number of ranks and any distribution and order of the elements. Counts may differ between
    ranks, types (float32 or float64, to which the sum is rounded) may not. Collective.

    Raises
    ------
    UsageError
        On this rank, before anything is communicated: an array that is not contiguous, or of another type.
    """
    a = _real(local, "local")
    return float(core.reproducible_sum(team_of(team)._handle, address_of(a), a.size, TYPES[a.dtype]))


def reproducible_dot(team: Team | Any, a: Array, b: Array) -> float:
    """The same for the sum of a[i] b[i]. Collective."""
    x, y = _real(a, "a"), _real(b, "b")
    if (x.size, x.dtype) != (y.size, y.dtype):
        raise UsageError(f"a has {x.size} elements of {x.dtype}, b {y.size} of {y.dtype}; they are to agree")
    return float(core.reproducible_dot(team_of(team)._handle, address_of(x), address_of(y), x.size, TYPES[x.dtype]))


def reproducible_allreduce(team: Team | Any, values: Array) -> Array:
    """Each of the `values` becomes the sum of those of all ranks, exact and rounded once. Collective, one count."""
    a = _real(values, "values", is_written=True)
    core.reproducible_allreduce(team_of(team)._handle, address_of(a), a.size, TYPES[a.dtype])
    return values
