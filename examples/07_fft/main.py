# SPDX-License-Identifier: BSD-3-Clause
"""A density in a periodic box is blurred with weights 1, 2, 1 along each axis: coefficients times weights."""

import numpy as np

import nearfar as nf

nx, ny, nz = 48, 40, 36
team = nf.Team()


def weight(k, n):
    """What weights 1, 2, 1 do to mode k of an axis of n points."""
    return 2 + 2 * np.cos(2 * np.pi * k / n)


# [plan]
layout = nf.FftLayout(team, nf.FftShape((nz, ny, nx), "r2c"))  # x, the last axis, goes from real to complex
plan = nf.FftPlan(layout, name="blur", scaling="backward")
u, uh = plan.physical, plan.spectral  # NumPy arrays over near memory
# [plan]

z, y, x = layout.physical.indices()
u[...] = (x * x * 7 + y * 13 + z * 29) % 101

# [transform]
kz, ky, kx = layout.spectral.indices()
plan.forward()
uh *= weight(kz, nz) * weight(ky, ny) * weight(kx, nx)
plan.backward()
# [transform]

# Of integers but for rounding.
checksum = nf.allreduce(team, int(np.sum((1 + (x + 2 * y + 3 * z) % 97) * np.rint(u).astype(np.int64))))
if team.is_root:
    print(f"blur: checksum {checksum}")
