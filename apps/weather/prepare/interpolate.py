# SPDX-License-Identifier: BSD-3-Clause
"""Horizontal interpolation on regular index grids: bicubic for smooth fields, bilinear for rough ones."""

from __future__ import annotations

import numpy as np

from lambert import Array


def _cubic_weights(t: Array) -> list[Array]:
    """Catmull-Rom weights of the four points -1, 0, 1, 2 at position t in [0, 1]."""
    return [
        ((2.0 - t) * t - 1.0) * t / 2.0,
        ((3.0 * t - 5.0) * t * t + 2.0) / 2.0,
        ((4.0 - 3.0 * t) * t + 1.0) * t / 2.0,
        (t - 1.0) * t * t / 2.0,
    ]


def _weighted_sum(field: Array, i: Array, j: Array, shifts: range, weigh) -> Array:
    """Sum over a square stencil; indices beyond the edge take the edge's value."""
    ny, nx = field.shape[-2:]
    i0 = np.clip(np.floor(i).astype(int), 0, nx - 2)
    j0 = np.clip(np.floor(j).astype(int), 0, ny - 2)
    wi, wj = weigh(i - i0), weigh(j - j0)
    total = np.zeros(field.shape[:-2] + i.shape)
    for a, row_shift in enumerate(shifts):
        rows = np.clip(j0 + row_shift, 0, ny - 1)
        for b, column_shift in enumerate(shifts):
            columns = np.clip(i0 + column_shift, 0, nx - 1)
            total += wj[a] * wi[b] * field[..., rows, columns]
    return total


def bicubic(field: Array, i: Array, j: Array) -> Array:
    """Values of field(..., row, column) at fractional columns i and rows j (from 0)."""
    return _weighted_sum(field, i, j, range(-1, 3), _cubic_weights)


def bilinear(field: Array, i: Array, j: Array) -> Array:
    """Values of field(..., row, column) at fractional columns i and rows j (from 0)."""
    return _weighted_sum(field, i, j, range(0, 2), lambda t: [1.0 - t, t])
