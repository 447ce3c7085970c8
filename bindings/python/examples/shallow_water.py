# SPDX-License-Identifier: BSD-3-Clause
"""A hump of water on a rotating, doubly periodic plane: linear shallow water on a C grid, forward-backward in time.

mpirun -n 4 python shallow_water.py [CELLS [STEPS]] [--picture FILE]: prints what became of mass and energy.
"""

import sys

import numpy as np
from mpi4py import MPI
from picture import draw, wanted, whole

import nearfar as nf

file = wanted()
cells = int(sys.argv[1]) if len(sys.argv) > 1 else 96
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2 * cells
depth, gravity, coriolis = 100.0, 9.81, 1e-4  # m, m/s2, 1/s
dx = 2e6 / cells  # in a basin of 2000 km
dt = 0.5 * dx / np.sqrt(2 * gravity * depth)

grid = nf.Grid(MPI.COMM_WORLD, (cells, cells), (True, True))
h, u, v = (grid.zeros("float64", ghosts=1) for _ in range(3))  # u at the east face of h's cell, v at the north face
of_h, of_u, of_v = (nf.HaloPlan(t, name=name) for t, name in ((h, "height"), (u, "eastward"), (v, "northward")))
c = slice(1, -1)
y, x = ((i + 0.5) / cells - 0.5 for i in grid.indices())
h[c, c] = np.exp(-100 * (x**2 + y**2))


def total(density):
    return nf.reproducible_sum(grid.team, np.ascontiguousarray(density))


def energy():
    return total(0.5 * gravity * h[c, c] ** 2 + 0.5 * depth * (u[c, c] ** 2 + v[c, c] ** 2))


mass_before, energy_before = total(h[c, c]), energy()
began = MPI.Wtime()
for _ in range(steps):
    of_v.run()
    h[c, c] -= dt * depth / dx * (u[c, c] - u[c, :-2] + v[c, c] - v[:-2, c])
    of_h.run()
    at_u = (v[c, c] + v[:-2, c] + v[c, 2:] + v[:-2, 2:]) / 4
    u[c, c] += dt * (coriolis * at_u - gravity / dx * (h[c, 2:] - h[c, c]))
    of_u.run()  # what v feels of it is new, so that the rotation adds no energy
    at_v = (u[c, c] + u[c, :-2] + u[2:, c] + u[2:, :-2]) / 4
    v[c, c] += dt * (-coriolis * at_v - gravity / dx * (h[2:, c] - h[c, c]))

step_ms = 1e3 * (MPI.Wtime() - began) / steps
mass, kept = total(h[c, c]) / mass_before - 1, energy() / energy_before
picture = whole(grid.team, grid.extents, grid.own, h[c, c]) if file else None
if grid.team.is_root:
    print(f"shallow water: {cells}^2 cells, mass off by {abs(mass):.0e}, {kept:.3f} of the energy")
    print(f"{step_ms:.3g} ms a step")
    if file:
        draw(file, picture, "height of the water (m)")
    if abs(mass) > 1e-12 or abs(kept - 1) > 0.05:
        sys.exit("shallow water: mass or energy is lost")
