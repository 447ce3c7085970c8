# SPDX-License-Identifier: BSD-3-Clause
"""The Taylor-Green vortex by a Fourier method: Navier-Stokes in rotational form, two thirds of the modes, RK4.

mpirun -n 4 python taylor_green.py [POINTS] [--picture FILE]: checks that the energy lost is what viscosity took.
"""

import sys

import numpy as np
from picture import draw, wanted, whole

import nearfar as nf

file = wanted()
points = int(sys.argv[1]) if len(sys.argv) > 1 else 32
viscosity, dt, steps = 1 / 100, 0.05, 20

team = nf.Team()
layout = nf.FftLayout(team, nf.FftShape((points,) * 3, "r2c"))
u = [layout.physical.zeros("float64") for _ in range(3)]
modes = [layout.spectral.zeros("complex128") for _ in range(3)]
plan = nf.FftPlan(layout, u, modes, scaling="forward", name="velocity")  # three fields in one plan

x, y, z = (2 * np.pi * i / points for i in layout.physical.indices())
k = [(i + points // 2) % points - points // 2 for i in layout.spectral.indices()]
squares = sum(i**2 for i in k)
kept = np.logical_and.reduce(np.broadcast_arrays(*(abs(i) < points / 3 for i in k)))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def to_space(spectral):
    for to, values in zip(modes, spectral, strict=True):
        to[...] = values
    plan.backward()
    return [a.copy() for a in u]


def to_modes(physical):
    for to, values in zip(u, physical, strict=True):
        to[...] = values
    plan.forward()
    return np.array([np.where(kept, a, 0) for a in modes])


def mean_square(physical):
    return nf.allreduce(team, float(sum(np.sum(a**2) for a in physical))) / points**3


def vorticity(v):
    return to_space([1j * a for a in cross(k, v)])


def change(v):
    """dv/dt: u x vorticity without its gradient, and viscosity."""
    n = to_modes(cross(to_space(v), vorticity(v)))
    along = sum(a * b for a, b in zip(k, n, strict=True)) / np.where(squares == 0, 1, squares)
    return n - np.array([a * along for a in k]) - viscosity * squares * v


v = to_modes([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * (x + y + z)])
energies, losses = [], []
for step in range(steps + 1):
    energies.append(mean_square(to_space(v)) / 2)
    losses.append(viscosity * mean_square(vorticity(v)))
    a = change(v)
    b = change(v + dt / 2 * a)
    c = change(v + dt / 2 * b)
    v = v + dt / 6 * (a + 2 * b + 2 * c + change(v + dt * c))

lost = energies[0] - energies[-1]
taken = dt * (sum(losses) - (losses[0] + losses[-1]) / 2)
swirl = vorticity(v)[2]
picture = whole(team, (points,) * 3, layout.physical.parts.own, swirl) if file else None
if team.is_root:
    first, last = energies[0], energies[-1]
    print(f"taylor-green: {points}^3 points, energy {first:.6f} -> {last:.6f}, viscosity took {taken:.6f}")
    if file:
        draw(file, picture[:, :, 0], f"vorticity along z at t = {steps * dt:.1f}")
    if abs(energies[0] - 1 / 8) > 1e-12 or abs(lost - taken) > 1e-3 * lost:
        sys.exit("taylor-green: the energy does not add up")
