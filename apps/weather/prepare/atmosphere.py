# SPDX-License-Identifier: BSD-3-Clause
"""Thermodynamics of moist air and the continuation of columns below the ground and above the top."""

from __future__ import annotations

import numpy as np

from lambert import Array

GRAVITY = 9.80665  # m s-2
GAS_CONSTANT = 287.0  # J kg-1 K-1, dry air
EPSILON = 0.622  # molecular weight of water over that of dry air
LAPSE_RATE = 0.0065  # K m-1, of the standard atmosphere


def saturation_pressure(temperature: Array | float) -> Array:
    """Saturation vapour pressure over water, Pa (Bolton 1980, equation 10)."""
    celsius = np.asarray(temperature) - 273.15
    return 611.2 * np.exp(17.67 * celsius / (celsius + 243.5))


def specific_humidity(vapour_pressure: Array, pressure: Array | float) -> Array:
    """Specific humidity, kg/kg, of air with the given vapour pressure (Pa), never above saturated boiling air."""
    vapour = np.minimum(vapour_pressure, 0.5 * np.asarray(pressure))
    return EPSILON * vapour / (np.asarray(pressure) - (1 - EPSILON) * vapour)


def virtual_temperature(temperature: Array, humidity: Array) -> Array:
    return temperature * (1 + (1 / EPSILON - 1) * humidity)


def fill_below_ground(
    pressure: Array, surface_pressure: Array, fields: dict[str, Array]
) -> tuple[dict[str, Array], Array]:
    """Replace the values below the ground of the analysis by a standard continuation of the air above.

    Downwards from the lowest level above the ground: standard lapse rate, the same relative humidity
    and wind, heights from the hydrostatic equation. A model valley deeper than the analysis' own
    terrain is thus filled with air in balance.

    Parameters: pressure(level) from the bottom up, Pa; surface_pressure(y, x) of the analysis;
    fields height, temperature, relative_humidity (0 to 1), u, v as (level, y, x).
    Returns the filled fields and the mask of what was filled.
    """
    filled = {name: field.copy() for name, field in fields.items()}
    below = pressure[:, None, None] > surface_pressure
    for k in range(len(pressure) - 2, -1, -1):
        mask = below[k]
        ratio = pressure[k] / pressure[k + 1]
        for name in ("u", "v", "relative_humidity"):
            filled[name][k][mask] = filled[name][k + 1][mask]
        upper_temperature = filled["temperature"][k + 1]
        temperature = upper_temperature * ratio ** (GAS_CONSTANT * LAPSE_RATE / GRAVITY)
        filled["temperature"][k][mask] = temperature[mask]
        thickness = _thickness(pressure[k], pressure[k + 1], filled, k)
        filled["height"][k][mask] = (filled["height"][k + 1] - thickness)[mask]
    return filled, below


def _thickness(p_low: float, p_high: float, fields: dict[str, Array], k: int) -> Array:
    """Hydrostatic thickness of the layer between levels k and k + 1, m."""
    warm = 0.0
    for level, p in ((k, p_low), (k + 1, p_high)):
        temperature, humidity = fields["temperature"][level], fields["relative_humidity"][level]
        q = specific_humidity(humidity * saturation_pressure(temperature), p)
        warm = warm + 0.5 * virtual_temperature(temperature, q)
    return GAS_CONSTANT / GRAVITY * warm * np.log(p_low / p_high)


def extend_upwards(pressure: Array, fields: dict[str, Array], top: float) -> tuple[Array, dict[str, Array]]:
    """Continue the columns isothermally, dry-adiabatically stable, to the pressure `top` (Pa).

    The wind of the highest level is kept and its relative humidity fades, so that a model whose lid
    lies above the highest analysis level starts from air at rest relative to what is below it.
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
