# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads over a plate whose edge is cold, from a hot square: explicit steps, ghost cells exchanged meanwhile.

mpirun -n 4 python heat.py [CELLS] [--picture FILE]: compares with the same on the root alone. examples/01_heat is the
program of the tutorial.
"""

import sys

import numpy as np
from mpi4py import MPI
from picture import draw, wanted, whole

import nearfar as nf

file = wanted()
cells = int(sys.argv[1]) if len(sys.argv) > 1 else 64
steps = 4 * cells


def spread(t, boxes):
    """The next temperature in these boxes of t: a quarter of what flows from each of the four neighbours."""
    return [
        (t[j.start - 1 : j.stop - 1, i] + t[j.start + 1 : j.stop + 1, i] + t[j, i.start - 1 : i.stop - 1]
         + t[j, i.start + 1 : i.stop + 1]) / 4
        for j, i in boxes
    ]  # fmt: skip


def heat(grid, y, x):
    t = grid.zeros("float64", ghosts=1)  # ghosts beyond the edge of the plate stay cold
    t[grid.cells(t)] = (abs(y - cells / 3) < cells / 8) & (abs(x - cells / 2) < cells / 8)
    halo = nf.HaloPlan(t, stencil="star")
    for _ in range(steps):
        with halo.overlap():
            inside = spread(t, grid.core(t))  # needs no ghost
        outside = spread(t, grid.edge(t))
        for box, new in zip(grid.core(t) + grid.edge(t), inside + outside, strict=True):
            t[box] = new
    return t[grid.cells(t)]


grid = nf.Grid(MPI.COMM_WORLD, (cells, cells))
t = heat(grid, *grid.indices())
found = whole(grid.team, (cells, cells), grid.own, t)
if grid.team.is_root:
    alone = nf.Grid(MPI.COMM_SELF, (cells, cells))
    off = abs(found - heat(alone, *alone.indices())).max()
    print(f"heat: {cells}^2 cells, {steps} steps on {grid.team.size} ranks, off the same on one by {off:.0e}")
    if file:
        draw(file, found, f"temperature after {steps} steps")
    if off > 0:
        sys.exit("heat: the ranks disagree")
