# SPDX-License-Identifier: BSD-3-Clause
"""Sums over all boxes that begin at the origin: running sums along x, y and z, each where that axis is whole."""

import numpy as np

import nearfar as nf

NX, NY, NZ = 48, 40, 36
team = nf.Team()
extents = (NZ, NY, NX)  # slowest axis first
x = nf.TransposeSide(nf.Decomposition.pencil(team, extents, 2))
y = nf.TransposeSide(nf.Decomposition.pencil(team, extents, 1), memory_order=(0, 2, 1))  # y contiguous
z = nf.TransposeSide(nf.Decomposition.pencil(team, extents, 0), memory_order=(1, 2, 0))
a, b, c = (side.zeros("int64") for side in (x, y, z))  # own part, in memory that near ranks read in place
k, j, i = x.indices()
a[...] = (i * i * 7 + j * 13 + k * 29) % 101

x_to_y = nf.TransposePlan(x, y, a, b, name="x to y")
y_to_z = nf.TransposePlan(y, z, b, c, name="y to z")
np.cumsum(a, axis=2, out=a)
x_to_y.run()
np.cumsum(b, axis=1, out=b)
y_to_z.run()
np.cumsum(c, axis=0, out=c)

k, j, i = z.indices()
checksum = nf.allreduce(team, int(np.sum((1 + (i + 2 * j + 3 * k) % 97) * c)))
if team.is_root:
    print(f"sums: checksum {checksum}")
