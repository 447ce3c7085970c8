# SPDX-License-Identifier: BSD-3-Clause
"""The Poisson equation in a periodic cube by Fourier transforms: -laplace(u) = f, of which the answer is known.

mpirun -n 4 python poisson.py [POINTS] [--picture FILE]: f has one wave along each axis; prints the largest error.
"""

import sys

import numpy as np
from picture import draw, wanted, whole

import nearfar as nf

file = wanted()
points = int(sys.argv[1]) if len(sys.argv) > 1 else 64
team = nf.Team()
layout = nf.FftLayout(team, nf.FftShape((points, points, points), "r2c"))
plan = nf.FftPlan(layout, scaling="backward", name="poisson")
u, modes = plan.physical, plan.spectral

x, y, z = (2 * np.pi * i / points for i in layout.physical.indices())  # in a cube of edge 2 pi
known = np.sin(x) * np.cos(2 * y) * np.sin(3 * z)
u[...] = (1 + 4 + 9) * known

plan.forward()
# Padding behind the last modes, which have indices as well, is divided too and never read.
kx, ky, kz = ((i + points // 2) % points - points // 2 for i in layout.spectral.indices())
squares = kx**2 + ky**2 + kz**2
modes /= np.where(squares == 0, 1, squares)  # the mean is arbitrary
plan.backward()

error = nf.allreduce(team, float(np.abs(u - known).max(initial=0)), op="max")
picture = whole(team, (points,) * 3, layout.physical.parts.own, u) if file else None
if team.is_root:
    print(f"poisson: {points}^3 points, largest error {error:.1e}")
    if file:
        draw(file, picture[:, 0], "u in the plane y = 0")
    if error > 1e-12:
        sys.exit("poisson: the answer is wrong")
