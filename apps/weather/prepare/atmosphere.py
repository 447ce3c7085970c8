# SPDX-License-Identifier: BSD-3-Clause
"""Thermodynamics of moist air and the continuation of columns below the ground and above the top."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lambert import Array

GRAVITY = 9.80665  # m s-2
GAS_CONSTANT = 287.0  # J kg-1 K-1, dry air
EPSILON = 0.622  # molecular weight of water over that of dry air
LAPSE_RATE = 0.0065  # K m-1, of the standard atmosphere
AIR = ("temperature", "relative_humidity", "u", "v")


def saturation_pressure(temperature: Array | float) -> Array:
    """Saturation vapour pressure over water, Pa (Bolton 1980, equation 10)."""
    celsius = np.asarray(temperature) - 273.15
    return 611.2 * np.exp(17.67 * celsius / (celsius + 243.5))


def specific_humidity(vapour_pressure: Array, pressure: Array | float) -> Array:
    """Specific humidity, kg/kg, of air with the given vapour pressure (Pa), the vapour held to half the pressure."""
    vapour = np.minimum(vapour_pressure, 0.5 * np.asarray(pressure))
    return EPSILON * vapour / (np.asarray(pressure) - (1 - EPSILON) * vapour)


def virtual_temperature(temperature: Array, humidity: Array) -> Array:
    return temperature * (1 + (1 / EPSILON - 1) * humidity)


@dataclass(frozen=True)
class Air:
    """The state of air at one point of each column; relative humidity from 0 to 1."""

    pressure: Array
    temperature: Array
    relative_humidity: Array
    u: Array
    v: Array

    def virtual_temperature(self) -> Array:
        vapour = self.relative_humidity * saturation_pressure(self.temperature)
        return virtual_temperature(self.temperature, specific_humidity(vapour, self.pressure))

    def lowered_to(self, pressure: float) -> Air:
        """The same air brought to a higher pressure with the standard lapse rate, its humidity and wind kept."""
        warmer = self.temperature * (pressure / self.pressure) ** (GAS_CONSTANT * LAPSE_RATE / GRAVITY)
        return Air(np.full_like(warmer, pressure), warmer, self.relative_humidity, self.u, self.v)


def thickness(low: Air, high: Air) -> Array:
    """Hydrostatic thickness of the air between two pressures, m."""
    warm = 0.5 * (low.virtual_temperature() + high.virtual_temperature())
    return GAS_CONSTANT / GRAVITY * warm * np.log(low.pressure / high.pressure)


def fill_below_ground(
    pressure: Array, surface_pressure: Array, fields: dict[str, Array], near_ground: Air | None = None
) -> dict[str, Array]:
    """Replace the values below the ground of the analysis by a standard continuation of the air above.

    The continuation starts from the air next to the ground where the analysis gives it, else from the
    lowest level above the ground, and goes down with the standard lapse rate, the same relative
    humidity and wind, and heights from the hydrostatic equation. A model valley deeper than the
    analysis' own terrain is thus filled with air in balance. Levels below the air next to the ground
    are replaced too, so that nothing jumps where a level meets the ground.

    pressure(level) from the bottom up, Pa; surface_pressure(y, x) of the analysis; fields height,
    temperature, relative_humidity, u, v as (level, y, x).
    """
    start = surface_pressure if near_ground is None else near_ground.pressure
    below = pressure[:, None, None] > start
    lowest = np.minimum(below.sum(axis=0), len(pressure) - 1)[None]

    def at_lowest(name: str) -> Array:
        return np.take_along_axis(fields[name], lowest, axis=0)[0]

    above = Air(pressure[lowest[0]], *(at_lowest(name) for name in AIR))
    source = above if near_ground is None else near_ground
    height = at_lowest("height") - thickness(source, above)
    filled = {name: field.copy() for name, field in fields.items()}
    for k in range(int(below.any(axis=(1, 2)).sum())):
        air = source.lowered_to(pressure[k])
        values = {name: getattr(air, name) for name in AIR} | {"height": height - thickness(air, source)}
        for name, value in values.items():
            filled[name][k] = np.where(below[k], value, filled[name][k])
    return filled


def extend_upwards(pressure: Array, fields: dict[str, Array], top: float) -> tuple[Array, dict[str, Array]]:
    """Continue the columns isothermally to the pressure `top` (Pa).

    The wind of the highest level is kept and its relative humidity fades, so that a model whose lid
    lies above the highest analysis level starts from stable air without a jump.
    """
    while pressure[-1] > top * 1.001:
        p_new = max(pressure[-1] * 0.7, top)
        thickness = GAS_CONSTANT / GRAVITY * fields["temperature"][-1] * np.log(pressure[-1] / p_new)
        new = {name: field[-1] for name, field in fields.items()}
        new["height"] = fields["height"][-1] + thickness
        new["relative_humidity"] = 0.5 * fields["relative_humidity"][-1]
        fields = {name: np.concatenate([field, new[name][None]]) for name, field in fields.items()}
        pressure = np.append(pressure, p_new)
    return pressure, fields


def pressure_at(height: Array, pressure: Array, heights: Array) -> Array:
    """Pressure at height(y, x) in columns heights(level, y, x); ln p is linear in height between levels."""
    k = np.clip((heights < height).sum(axis=0) - 1, 0, len(pressure) - 2)
    low = np.take_along_axis(heights, k[None], axis=0)[0]
    high = np.take_along_axis(heights, k[None] + 1, axis=0)[0]
    fraction = (height - low) / (high - low)
    log_p = np.log(pressure)
    return np.exp(log_p[k] + fraction * (log_p[k + 1] - log_p[k]))
