# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads through a box, in Python: the exchange of ghost cells overlaps with the cells that need none."""

import numpy as np
from mpi4py import MPI

import nearfar as nf


def diffuse(t, change, boxes):
    """change = (sum of the six neighbours - 6 t) / 8"""
    for box in boxes:
        at = change[tuple(slice(s.start - 1, s.stop - 1) for s in box)]  # has no ghosts
        at[...] = -6 * t[box]
        for axis in range(3):
            for step in (-1, 1):
                at += t[
                    tuple(slice(s.start + step * (d == axis), s.stop + step * (d == axis)) for d, s in enumerate(box))
                ]
        at /= 8


# [program]
grid = nf.Grid(MPI.COMM_WORLD, extents=(16, 64, 64), periodic=(False, True, True))
t = grid.zeros("float64", ghosts=1)  # a NumPy array over memory that near ranks share
change = grid.zeros("float64")
halo = nf.HaloPlan(t)  # plan and tune once
own = t[grid.cells(t)]
k, j, i = grid.indices()
own[...] = (7 * k + 13 * j + 17 * i) % 101
for _ in range(8):
    with halo.overlap():  # start on entry, finish on exit
        diffuse(t, change, grid.core(t))  # needs no ghost
    diffuse(t, change, grid.edge(t))
    own += change
# A number that depends on every cell: exact, since all values are multiples of 8^-8.
checksum = nf.allreduce(grid.team, float(np.sum(own * ((k + 2 * j + 3 * i) % 5 + 1))))
if grid.team.is_root:
    print(halo.describe())
    print(f"heat: checksum {int(checksum * 2**24)}")
# [program]
