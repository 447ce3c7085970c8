# SPDX-License-Identifier: BSD-3-Clause
"""Exact linear waves, independent of the model: gravity waves in a channel and waves over mountains.

linear_waves.py    checks the solutions against their own limits and against figures of other codes
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from model import Checks


@dataclass(frozen=True)
class Air:
    """An isothermal atmosphere and its constants; the defaults are the model's."""

    temperature: float = 250.0
    gravity: float = 9.80665
    r: float = 287.0
    cp: float = 1004.5
    surface_pressure: float = 1.0e5

    @property
    def fall(self) -> float:
        """The rate at which density falls with height [m-1]."""
        return self.gravity / (self.r * self.temperature)

    @property
    def surface_density(self) -> float:
        return self.surface_pressure / (self.r * self.temperature)

    @property
    def sound2(self) -> float:
        return self.cp / (self.cp - self.r) * self.r * self.temperature

    @property
    def brunt(self) -> float:
        return self.gravity / np.sqrt(self.cp * self.temperature)


def exponential(a: np.ndarray) -> np.ndarray:
    """The matrix exponential of each a[n]: Taylor's series of a fraction of a, squared again and again."""
    squarings = max(0, int(np.ceil(np.log2(max(np.abs(a).sum(axis=-1).max(), 1.0)))) + 4)
    a = a / 2.0**squarings
    result = term = np.broadcast_to(np.eye(a.shape[-1]), a.shape).astype(complex)
    for n in range(1, 14):
        term = term @ a / n
        result = result + term
    for _ in range(squarings):
        result = result @ result
    return result


@dataclass(frozen=True)
class Channel:
    """Baldauf and Brdar (2013): a warm bump exp(-(x/width)^2) sin(pi z/height) in a periodic channel with rigid
    ground and top, isothermal air and a constant wind. x counts from the bump's place at the start."""

    air: Air = Air()
    wind: float = 20.0
    length: float = 300.0e3
    height: float = 10.0e3
    width: float = 5.0e3
    amplitude: float = 0.01

    def amplitudes(self, wavenumbers: np.ndarray, time: float) -> np.ndarray:
        """(n, 7) amplitudes after `time` of a bump of height 1: w's sine, then sines and cosines of u, density, p.

        With w, u times exp(-fall z/2) and density, p times exp(fall z/2) the linear equations have constant
        coefficients. Momentum is scaled by density times sound, pressure by sound squared, so that all is of one size.
        """
        sound, g, half = np.sqrt(self.air.sound2), self.air.gravity, 0.5 * self.air.fall
        m = np.pi / self.height
        w, us, uc, rs, rc, ps, pc = range(7)
        a = np.zeros((wavenumbers.size, 7, 7), complex)
        ik = 1j * wavenumbers
        a[:, w, pc], a[:, w, ps], a[:, w, rs] = sound * m, sound * half, -g / sound
        for u, r, p in ((us, rs, ps), (uc, rc, pc)):
            a[:, u, p] = a[:, r, u] = a[:, p, u] = -sound * ik
        a[:, rs, w], a[:, rc, w] = sound * half, -sound * m
        a[:, ps, w], a[:, pc, w] = g / sound - sound * half, -sound * m
        start = np.zeros((wavenumbers.size, 7, 1), complex)
        start[:, rs] = -self.air.surface_density * self.amplitude / self.air.temperature
        return (exponential(a * time) @ start)[..., 0] * np.exp(-ik * self.wind * time)[:, None]

    def fields(self, x: np.ndarray, z: np.ndarray, time: float) -> dict[str, np.ndarray]:
        """Departures of w, u, pressure p and temperature t on the mesh (z, x)."""
        count = int(14.0 / self.width * self.length / (2.0 * np.pi))
        k = 2.0 * np.pi / self.length * np.arange(-count, count + 1)
        bump = self.width * np.sqrt(np.pi) / self.length * np.exp(-((0.5 * k * self.width) ** 2))
        spectrum = self.amplitudes(k, time) * bump[:, None]
        w, us, uc, rs, rc, ps, pc = np.real(np.exp(1j * np.outer(x, k)) @ spectrum).T
        m, grow = np.pi / self.height, np.exp(0.5 * self.air.fall * z)[:, None]
        sine, cosine = np.sin(m * z)[:, None], np.cos(m * z)[:, None]
        momentum = self.air.surface_density * np.sqrt(self.air.sound2)
        p = (ps * sine + pc * cosine) * self.air.sound2 / grow
        density = (rs * sine + rc * cosine) / grow
        p0, rho0 = self.air.surface_pressure / grow**2, self.air.surface_density / grow**2
        return {"w": w * sine * grow * self.air.sound2 / momentum,
                "u": (us * sine + uc * cosine) * grow * self.air.sound2 / momentum,
                "p": p, "t": self.air.temperature * (p / p0 - density / rho0)}


@cache
def gauss_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on 0..1."""
    t, weight = np.polynomial.legendre.leggauss(count)
    return 0.5 * (t + 1.0), 0.5 * weight


@dataclass(frozen=True)
class Ridge:
    """Steady linear waves over a ridge in a constant wind: N constant, Boussinesq but for what `fall` says.

    fall: the rate at which density falls with height; w grows as exp(fall z/2), the wave's l^2 loses fall^2/4.
    spread: the width over which the height's transform falls by e, for the quadrature.
    """

    wind: float
    brunt: float
    height: float
    width: float
    wavelength: float = 0.0    # of the ridges on the hill; 0: a bell
    fall: float = 0.0

    def transform(self, k: np.ndarray) -> np.ndarray:
        """Of the height: h(x) = 2 Re of its integral times exp(ikx) over k > 0."""
        if self.wavelength <= 0.0:
            return 0.5 * self.height * self.width * np.exp(-self.width * k)
        ridge = 2.0 * np.pi / self.wavelength
        parts = [weight * np.exp(-((0.5 * self.width * (k - shift)) ** 2))
                 for weight, shift in ((1.0, 0.0), (0.5, ridge), (0.5, -ridge))]
        return self.height * self.width / (4.0 * np.sqrt(np.pi)) * sum(parts)

    def scorer(self) -> float:
        return float(np.sqrt((self.brunt / self.wind) ** 2 - 0.25 * self.fall**2))

    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Wavenumbers and weights on both sides of l, where the vertical wavenumber has its root."""
        t, weight = gauss_legendre(1200)
        edge = self.scorer()
        far = max(40.0 / self.width, edge) + (2.0 * np.pi / self.wavelength + edge if self.wavelength > 0.0 else edge)
        low = edge * (1.0 - (1.0 - t) ** 2), 2.0 * edge * (1.0 - t) * weight
        high = edge + (far - edge) * t**2, 2.0 * (far - edge) * t * weight
        return np.concatenate([low[0], high[0]]), np.concatenate([low[1], high[1]])

    def vertical(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """w at points of equal shape (or on any mesh that broadcasts), heights above the plain."""
        k, weight = self.nodes()
        m = np.sqrt((self.scorer() ** 2 - k**2).astype(complex))
        amplitude = weight * 1j * k * self.wind * self.transform(k)
        x, z = np.broadcast_arrays(np.asarray(x, float), np.asarray(z, float))
        w = np.empty(x.shape)
        for n in np.ndindex(x.shape[:-1]):
            w[n] = 2.0 * np.real(np.exp(1j * (x[n][:, None] * k + z[n][:, None] * m)) @ amplitude)
        return w * np.exp(0.5 * self.fall * z)

    def momentum_flux(self) -> float:
        """The integral of u'w' over x, over the density of the ground."""
        k, weight = self.nodes()
        m = np.sqrt(np.maximum(self.scorer() ** 2 - k**2, 0.0))
        return float(-4.0 * np.pi * self.wind**2 * np.sum(weight * k * m * self.transform(k) ** 2))

    def finite_flux(self) -> float:
        """The same for the height as it is: Long (1953) found that the displacement of the air obeys the linear
        equation at any height of the ridge, if it equals the height at the ground itself and not at z = 0."""
        length, count = 400.0e3, 4000
        x = (np.arange(count) - 0.5 * count) * length / count
        k = 2.0 * np.pi / length * np.arange(1, 380)
        m = np.sqrt((self.scorer() ** 2 - k**2).astype(complex))
        height = self.shape(x)
        waves = np.exp(1j * (np.outer(x, k) + np.outer(height, m)))
        basis = np.concatenate([np.ones((count, 1)), waves.real, -waves.imag], axis=1)
        found = np.linalg.lstsq(basis, height, rcond=1e-10)[0]
        power = found[1:380] ** 2 + found[380:] ** 2
        return float(-0.5 * length * self.wind**2 * np.sum(k * m.real * power))

    def shape(self, x: np.ndarray) -> np.ndarray:
        if self.wavelength <= 0.0:
            return self.height / (1.0 + (x / self.width) ** 2)
        return self.height * np.exp(-((x / self.width) ** 2)) * np.cos(np.pi * x / self.wavelength) ** 2

    def hydrostatic_flux(self) -> float:
        """The same for a bell much wider than U/N."""
        return -0.25 * np.pi * self.brunt * self.wind * self.height**2


def check_channel(check: Checks) -> None:
    """Figures that an independent code found with the constants of Baldauf and Brdar's paper."""
    channel = Channel(Air(r=287.05, cp=1004.675))
    x = (np.arange(1, 1201) - 0.5) * 250.0 - 150.0e3
    z = np.linspace(0.0, 10.0e3, 201)
    known = {300.0: {"t": (-2.9448e-3, 5.6960e-3), "w": (-5.1077e-3, 6.3216e-3)},
             900.0: {"t": (-3.1388e-3, 3.9241e-3), "w": (-4.4815e-3, 3.0402e-3)},
             1800.0: {"t": (-2.53555e-3, 3.04184e-3), "w": (-2.33460e-3, 3.33307e-3),
                      "u": (-7.61598e-3, 7.61598e-3), "p": (-0.4396, 0.5000)}}
    start = channel.fields(x, z, 0.0)
    bump = 0.01 * np.exp(0.5 * channel.air.fall * z)[:, None] * np.sin(np.pi * z / 10.0e3)[:, None] \
        * np.exp(-((x / 5.0e3) ** 2))
    check.within(np.abs(start["t"] - bump).max(), 0.0, 1e-12, "channel: the start is the bump [K]")
    for time, extremes in known.items():
        found = channel.fields(x, z, time)
        for name, pair in extremes.items():
            error = max(abs(found[name].min() / pair[0] - 1.0), abs(found[name].max() / pair[1] - 1.0))
            check.within(error, 0.0, 2e-3, f"channel: extremes of {name} at {time:g} s, relative error")
    points = channel.fields(np.array([6.0e3, 16.0e3, 26.0e3, 36.0e3]), np.array([5.0e3]), 1800.0)
    for name, values in {"t": (-1.138164e-3, 1.309979e-3, 4.075627e-4, 1.279591e-4),
                         "w": (1.823510e-3, 1.228619e-3, -2.948864e-4, -3.588276e-4)}.items():
        check.within(np.abs(points[name][0] / np.array(values) - 1.0).max(), 0.0, 1e-5,
                     f"channel: {name} at four points at 1800 s, relative error")


HYDROSTATIC = Ridge(wind=20.0, brunt=Air().brunt, height=1.0, width=10.0e3)
SHORT = Ridge(wind=10.0, brunt=0.01, height=1.0, width=1.0e3)
SCHAER = Ridge(wind=10.0, brunt=0.01, height=250.0, width=5.0e3, wavelength=4.0e3)


def check_ridges(check: Checks) -> None:
    x = np.arange(-40.0e3, 40.0e3, 250.0)
    for ridge, name in ((SHORT, "narrow bell"), (SCHAER, "Schaer")):
        k, weight = ridge.nodes()
        height = 2.0 * np.real(np.exp(1j * np.outer(x, k)) @ (weight * ridge.transform(k)))
        error = np.abs(height - ridge.shape(x)).max() / ridge.height
        check.within(error, 0.0, 1e-8, f"{name}: the transform gives the ridge")
    check.within(HYDROSTATIC.momentum_flux() / HYDROSTATIC.hydrostatic_flux(), 0.991, 0.993, "wide bell: flux / M_H")
    check.within(SHORT.momentum_flux() / SHORT.hydrostatic_flux(), 0.4576, 0.4580, "narrow bell: flux / M_H")
    check.within(SCHAER.momentum_flux(), -1504.0, -1502.0, "Schaer: flux [m3 s-2]")
    low = replace(SCHAER, height=1.0)
    check.within(low.finite_flux() / low.momentum_flux(), 0.998, 1.002, "Schaer, 1 m: Long's flux over the linear one")
    low, high = (Ridge(wind=10.0, brunt=0.01, height=height, width=4.0e3) for height in (1.0, 200.0))
    gain = high.finite_flux() / low.finite_flux() * (low.height / high.height) ** 2 - 1.0
    check.within(gain / 0.2**2, 0.37, 0.50, "bell: what (Nh/U)^2 adds to the flux; Miles and Huppert (1969): 7/16")
    for ridge, name, z, low, high in (
            (HYDROSTATIC, "wide bell", 3.0e3, -1.395e-3, 1.201e-3),
            (HYDROSTATIC, "wide bell", 6.0e3, -1.104e-3, 1.485e-3),
            (SHORT, "narrow bell", 3.0e3, -1.69e-3, 2.64e-3), (SHORT, "narrow bell", 6.0e3, -2.29e-3, 1.37e-3),
            (SCHAER, "Schaer", 2.0e3, -0.447, 0.126), (SCHAER, "Schaer", 4.0e3, -0.126, 0.314),
            (SCHAER, "Schaer", 8.0e3, -0.252, 0.169)):
        w = ridge.vertical(x, z)
        check.within(max(abs(w.min() / low - 1.0), abs(w.max() / high - 1.0)), 0.0, 6e-3,
                     f"{name}: extremes of w at {z:g} m, relative error")
    slope = -2.0e-6 * x * 10.0 / (1.0 + (x / 1.0e3) ** 2) ** 2
    error = abs(SHORT.vertical(x, 0.0) - slope).max() / slope.max()
    check.within(error, 0.0, 1e-9, "narrow bell: w = U dh/dx at the ground")


def main() -> None:
    check = Checks()
    check_channel(check)
    check_ridges(check)
    check.finish()


if __name__ == "__main__":
    main()
