#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What schemes need at equal dispersion error, of space and time: points per wavelength, over all angles and tilts.

Each scheme is its symbol: what it makes of a plane wave exp(i k x) in homogeneous ground, with kappa = k h per
dimension. With H1 = (a . grad)^2 along the axis of symmetry and the Laplacian, both times -h^2:

  centred (ours)   Laplacian = sum S(kappa_d), H1 = sum a_d^2 S(kappa_d) + 2 sum a_d a_e C(kappa_d) C(kappa_e)
  half cells       H1 = sum over d, e of a_d a_e M(kappa_d) M(kappa_e) cos((kappa_d - kappa_e) / 2)

S is the second difference, C the centred first difference and M the one between half points. The cosine is there since
the three parts of a . grad are taken half a cell beside each other: of second order, whatever the order of M. So has
Devito its `centered` TTI example (M of half the space order, S of the whole), and WaveFD its self-adjoint system (M of
order 8 throughout). Each scheme is compared with its own system of equations, in the mini-app's medium.

Time: leap-frog shows a wave of the frequency w as one of 2 asin(w dt / 2) / dt. Ours take this out of wavelets and
traces (time.correction), at 0.9 of the longest stable step. Others have it: of steps of 1, 1/2, ... 1/16 of what the
program takes (Devito's critical_dt: 0.38 h over the fastest velocity) the one counts for which all work is least.

Exit status 1 where a scheme is not of the order that is said of it.
"""
from __future__ import annotations

import argparse
import functools
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from command import command  # noqa: E402

EPSILON, DELTA, SHEAR = 0.24, 0.1, 0.14 / 0.75  # the last: (vs / vp)^2
Symbol = Callable[[np.ndarray], np.ndarray]


# ---- differences on points at distance 1 ----

def second(order: int) -> Symbol:
    """S of the second difference of this order: kappa^2 + ..."""
    r = order // 2
    k = np.arange(1, r + 1)
    w = np.linalg.solve([2 * k ** (2.0 * j) / math.factorial(2 * j) for j in range(1, r + 1)], [1.0] + [0.0] * (r - 1))
    return lambda kappa: sum(2 * wk * (1 - np.cos(n * kappa)) for wk, n in zip(w, k))


def first(order: int, is_between: bool) -> Symbol:
    """C, or M of points that are half a cell away: kappa + ..."""
    r = order // 2
    k = np.arange(1, r + 1) - (0.5 if is_between else 0.0)
    w = np.linalg.solve([2 * k ** (2.0 * j + 1) / math.factorial(2 * j + 1) for j in range(r)], [1.0] + [0.0] * (r - 1))
    return lambda kappa: sum(2 * wk * np.sin(n * kappa) for wk, n in zip(w, k))


# ---- schemes: (Laplacian, H1) of kappa (..., 3) and the axis (3) ----

def centred(order: int):
    s, c = second(order), first(order, False)

    def parts(kappa, a):
        ss, cc = s(kappa), c(kappa)
        along = a * cc
        return ss.sum(-1), (a * a * ss).sum(-1) + along.sum(-1) ** 2 - (along * along).sum(-1)
    return parts


def half_cells(order: int, laplacian: Symbol | None):
    """`laplacian`: S of it; None: M squared."""
    m = first(order, True)

    def parts(kappa, a):
        mm = m(kappa)
        along = a * mm
        # sum over d, e of u_d u_e cos((kappa_d - kappa_e) / 2)
        h1 = (along * np.cos(kappa / 2)).sum(-1) ** 2 + (along * np.sin(kappa / 2)).sum(-1) ** 2
        return (mm * mm if laplacian is None else laplacian(kappa)).sum(-1), h1
    return parts


def exact(kappa, a):
    return (kappa * kappa).sum(-1), (a * kappa).sum(-1) ** 2


# ---- systems: the square of P's frequency, vp = 1 ----

def largest(pp, cross, qq):
    return (pp + qq) / 2 + np.sqrt((pp - qq) ** 2 / 4 + cross)


def fletcher(lap, h1):
    h2, x, n = lap - h1, 1 + 2 * EPSILON, 1 + 2 * DELTA
    return largest(x * h2 + SHEAR * h1, (1 - SHEAR) * h1 * (n - SHEAR) * h2, h1 + SHEAR * h2)


def zhang(lap, h1):
    h2 = lap - h1
    return largest((1 + 2 * EPSILON) * h2, (1 + 2 * DELTA) * h1 * h2, h1)


def self_adjoint(lap, h1):
    f = 1 - SHEAR
    g, h2 = 2 * f * (EPSILON - DELTA) / (f + 2 * EPSILON), lap - h1
    return largest((1 + 2 * EPSILON) * h2 + (1 - g) * h1, g * (f - g) * h1 * h1, (1 - f) * h2 + (1 - f + g) * h1)


@dataclass
class Scheme:
    name: str
    parts: Callable
    system: Callable
    order: int  # what it has in every direction
    rate: float | None  # million points a second, where measured (apps/seismic/README.md)
    is_corrected: bool = True  # what steps do to frequencies is taken out
    own_step: float | None = None  # vp dt / h; None: 0.9 of the longest that is stable

    def error(self, kappa, a):
        """Of the phase velocity, relative, of space alone."""
        return np.sqrt(self.system(*self.parts(kappa, a)) / self.system(*exact(kappa, a))) - 1

    def whole_error(self, kappa, a, step: float):
        wave = np.sqrt(self.system(*exact(kappa, a)))
        seen = (1 + self.error(kappa, a)) * wave
        if not self.is_corrected:
            seen = 2 / step * np.arcsin(np.minimum(1, seen * step / 2))
        return seen / wave - 1

    @functools.cached_property
    def longest_step(self) -> float:
        """vp dt / h of the first run that one would make."""
        return self.own_step or 0.9 / steps_per_cell(self)

    @property
    def steps(self) -> list[float]:
        return [self.longest_step] if self.is_corrected else [self.longest_step / 2 ** n for n in range(5)]


DEVITO_STEP = 0.38 / math.sqrt(1 + 2 * EPSILON)
SCHEMES = [
    Scheme("ours, Fletcher, order 4", centred(4), fletcher, 4, None),
    Scheme("ours, Fletcher, order 8", centred(8), fletcher, 8, 184),
    Scheme("the same, time.correction = false", centred(8), fletcher, 8, 184, False),
    Scheme("ours, Fletcher, order 12", centred(12), fletcher, 12, None),
    Scheme("ours, self-adjoint, order 4", centred(4), self_adjoint, 4, None),
    Scheme("ours, self-adjoint, order 8", centred(8), self_adjoint, 8, 63),
    Scheme("ours, self-adjoint, order 12", centred(12), self_adjoint, 12, None),
    Scheme("half cells, Devito so = 8", half_cells(4, second(8)), zhang, 2, 160, False, DEVITO_STEP),
    Scheme("half cells, Devito so = 16", half_cells(8, second(16)), zhang, 2, 80, False, DEVITO_STEP),
    Scheme("half cells, WaveFD's, order 8", half_cells(8, None), self_adjoint, 2, None, False),
]
BEST = SCHEMES[1]


# ---- what is asked of them ----

def directions(count: int) -> np.ndarray:
    """Spread evenly over half a sphere (the other half has the same errors), and the axes and diagonals of the grid."""
    n = np.arange(count) + 0.5
    z, turn = n / count, np.pi * (1 + 5 ** 0.5) * n
    r = np.sqrt(1 - z * z)
    special = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (0, 1) if i or j or k], float)
    special /= np.linalg.norm(special, axis=1)[:, None]
    return np.concatenate([np.stack([z, r * np.sin(turn), r * np.cos(turn)], -1), special])


def axis(tilt: float, azimuth: float) -> np.ndarray:
    t, p = np.radians([tilt, azimuth])
    return np.array([np.cos(t), np.sin(t) * np.sin(p), np.sin(t) * np.cos(p)])


AXES = [axis(t, p) for t in range(0, 91, 15) for p in ((0,) if t == 0 else range(0, 360, 30))]
POINTS = 2.05 * 1.02 ** np.arange(160)  # per wavelength, up to 48


def errors(scheme: Scheme, rays: np.ndarray, axes: list[np.ndarray]) -> np.ndarray:
    """For each of the scheme's steps and of POINTS: the largest over rays and axes, and the root of the mean square."""
    found = np.zeros((len(scheme.steps), len(POINTS), 2))
    for n, points in enumerate(POINTS):
        for m, step in enumerate(scheme.steps):
            of_axes = np.array([scheme.whole_error(2 * np.pi / points * rays, a, step) for a in axes])
            found[m, n] = np.abs(of_axes).max(), np.sqrt((of_axes ** 2).mean())
    return found


def needed(of_points: np.ndarray, tolerance: float) -> float:
    """The fewest points per wave from which on none has a larger error: for some waves errors cancel, and come back."""
    is_bad = np.flatnonzero(of_points > tolerance)
    return float(POINTS[0 if is_bad.size == 0 else is_bad[-1] + 1])


def steps_per_cell(scheme: Scheme) -> float:
    """1 over the largest stable vp dt / h, over all waves of the grid and axes."""
    k = np.linspace(0, np.pi, 9)
    signed = np.concatenate([-k[:0:-1], k])
    waves = np.stack(np.meshgrid(k, signed, signed, indexing="ij"), -1).reshape(-1, 3)
    return max(float(np.sqrt(np.max(scheme.system(*scheme.parts(waves, a))))) for a in AXES) / 2


def order_of(scheme: Scheme, rays: np.ndarray) -> float:
    """The least over the rays, from 12 and 18 points per wave, where errors are still far from rounding."""
    a = axis(45, 60)
    coarse, fine = (np.abs(scheme.error(2 * np.pi / n * rays, a)) for n in (12, 18))
    counts = coarse > 0.1 * coarse.max()  # errors of parts may cancel
    return float((np.log(coarse[counts] / fine[counts]) / np.log(1.5)).min())


@dataclass
class Need:
    points: float  # per wave, for the worst ray and axis
    usual: float  # for the root of the mean square
    step: float  # vp dt / h

    @property
    def work(self) -> float:
        """Points times steps for the same ground and time."""
        return self.points ** 4 / self.step


def least_work(s: Scheme, tolerance: float, of_steps: np.ndarray) -> Need:
    return min((Need(needed(e[:, 0], tolerance), needed(e[:, 1], tolerance), step)
                for step, e in zip(s.steps, of_steps)), key=lambda n: n.work)


def at_equal_error(tolerance: float, all_errors: dict[str, np.ndarray]) -> None:
    print(f"\nP waves to {100 * tolerance:g} % in phase velocity, of space and time, all rays and axes; "
          f"times relative to {BEST.name}\n")
    print("| | points per wave | root mean square | points in the ground | vp dt / h | steps | Mpts/s | time "
          "| with as many steps |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    best = least_work(BEST, tolerance, all_errors[BEST.name])
    for s in SCHEMES:
        n = least_work(s, tolerance, all_errors[s.name])
        points, steps = (n.points / best.points) ** 3, n.points / n.step / (best.points / best.step)
        slower = BEST.rate / s.rate if s.rate else None
        times = f"{points * steps * slower:.3g} | {points * slower:.3g}" if slower else "| "
        print(f"| {s.name} | {n.points:.1f} | {n.usual:.1f} | {points:.3g} | {n.step:.3f} | {steps:.2f} "
              f"| {s.rate or ''} | {times} |")


def per_angle(tolerance: float) -> None:
    rays = {"along x": [0, 0, 1], "along z": [1, 0, 0], "x = z": [1, 0, 1], "x = -z": [-1, 0, 1],
            "30 degrees": [3 ** 0.5, 0, 1], "120 degrees": [-1, 0, 3 ** 0.5], "x = y = z": [1, 1, 1],
            "x = y = -z": [-1, 1, 1]}
    print(f"\nPoints per wave for {100 * tolerance:g} %, by ray; the axis of symmetry is x = z (45 degrees)\n")
    print("| | " + " | ".join(rays) + " |")
    print("|---|" + "--:|" * len(rays))
    for s in SCHEMES:
        each = [least_work(s, tolerance, errors(s, np.array([r]) / np.linalg.norm(r), [axis(45, 0)])).points
                for r in rays.values()]
        print(f"| {s.name} | " + " | ".join(f"{n:.1f}" for n in each) + " |", flush=True)


@command("dispersion.py")
def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rays", type=int, default=200, help="on half a sphere")
    rays = directions(words.parse_args().rays)
    is_well = True
    print("Order in the worst direction, from 12 and 18 points per wave\n")
    print("| what | measured | bound | pass |")
    print("|---|--:|--:|---|")
    for s in SCHEMES:
        order = order_of(s, rays)
        passed = abs(order - s.order) < 0.6
        is_well &= passed
        print(f"| {s.name} | {order:.2f} | {s.order} +- 0.6 | {'yes' if passed else 'NO'} |", flush=True)
    all_errors = {s.name: errors(s, rays, AXES) for s in SCHEMES}
    for tolerance in (0.01, 0.001):
        at_equal_error(tolerance, all_errors)
    per_angle(0.001)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
