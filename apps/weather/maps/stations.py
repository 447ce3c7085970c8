# SPDX-License-Identifier: BSD-3-Clause
"""Reads the weather model's time series at stations (NAME.stations.nc) for meteograms."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atmosphere import saturation_pressure
from lambert import Array
from problem import InputError, opened
from times import whole_times

EPSILON = 0.622  # molecular weight of water over that of dry air
SERIES = ("temperature_2m", "wind_speed", "wind_direction", "pressure", "humidity")
OPTIONAL = ("rain", "dew_point_2m", "cloud_cover", "sea_level_pressure")
PLACES = ("latitude", "longitude")
RANGES = {  # of what the model's air and ground may have; humidity in any of its units
    "temperature_2m": (120, 360),
    "wind_speed": (0, 300),
    "wind_direction": (0, 360),
    "pressure": (20000, 120000),
    "humidity": (-1, 500),
    "rain": (-1, 1e5),
    "dew_point_2m": (100, 360),
    "cloud_cover": (-0.001, 1.001),
    "sea_level_pressure": (80000, 120000),
}


@dataclass(frozen=True)
class Station:
    """Series of one place: K, m s-1, degrees from which the wind blows, Pa, kg m-2, share of the sky.

    The pressure is that at sea level, where the file has it, else that of the ground.
    """

    name: str
    latitude: float
    longitude: float
    times: list[dt.datetime]
    temperature: Array
    dew_point: Array
    wind_speed: Array
    wind_direction: Array
    pressure: Array
    rain: Array | None
    cloud_cover: Array | None = None
    is_at_sea_level: bool = False


def beside(forecast: Path) -> Path:
    """The stations' file that belongs to a forecast: forecast.nc has forecast.stations.nc."""
    return forecast.with_name(forecast.stem + ".stations.nc")


def read(path: Path) -> list[Station]:
    with opened(path) as data:
        return _stations(data, path)


def _stations(data: Any, path: Path) -> list[Station]:
    wanted = ("station_name", "latitude", "longitude", "time", *SERIES)
    missing = [name for name in wanted if name not in data.variables]
    if missing:
        raise InputError(f"{path}: no series of the weather model: {', '.join(missing)} missing")
    whole, times = whole_times(path, data.variables["time"])
    if len(times) < 2:
        raise InputError(f"{path}: {len(times)} whole times, a meteogram needs at least 2")
    names = _names(data.variables["station_name"])
    series = {name: _series(data, path, name, whole) for name in (*SERIES, *OPTIONAL) if name in data.variables}
    positions = [np.atleast_1d(np.ma.filled(data.variables[name][:].astype(float), np.nan)) for name in PLACES]
    for name, values, most in zip(PLACES, positions, (90, 360)):
        if values.shape != (len(names),) or not (np.abs(values) <= most).all():
            raise InputError(f"{path}: '{name}' must hold {len(names)} values within {most} degrees, none missing")
    for name, values in series.items():
        low, high = RANGES[name]
        if values.shape != (len(times), len(names)) or not ((values >= low) & (values <= high)).all():
            raise InputError(
                f"{path}: '{name}' has the shape {values.shape} and {np.min(values):g} to {np.max(values):g}; "
                f"{len(times)} x {len(names)} values from {low:g} to {high:g} are expected"
            )
    relative = _relative_humidity(data.variables["humidity"], series, path)
    return [
        Station(
            name,
            float(positions[0][n]),
            float(positions[1][n]),
            times,
            series["temperature_2m"][:, n],
            series["dew_point_2m"][:, n]
            if "dew_point_2m" in series
            else dew_point(series["temperature_2m"][:, n], relative[:, n]),
            series["wind_speed"][:, n],
            series["wind_direction"][:, n],
            series.get("sea_level_pressure", series["pressure"])[:, n],
            series["rain"][:, n] if "rain" in series else None,
            series["cloud_cover"][:, n] if "cloud_cover" in series else None,
            "sea_level_pressure" in series,
        )
        for n, name in enumerate(names)
    ]


def _names(variable: Any) -> list[str]:
    values = variable[:]
    if values.dtype.kind in "SU" and values.ndim == 2:
        rows = np.ma.filled(values, b"").astype("S1")
        values = [b"".join(row).decode("utf-8", errors="replace") for row in rows]
    return [str(name).strip("\0 ").replace("_", " ") for name in np.atleast_1d(values)]


def _series(data: Any, path: Path, name: str, whole: list[int]) -> Array:
    """The values at the whole times as (time, station), whichever order the file has."""
    variable = data.variables[name]
    values = np.ma.filled(variable[:].astype(float), np.nan)
    if variable.ndim == 1:
        values = values[:, None]
    elif variable.dimensions[0] != data.variables["time"].dimensions[0]:
        values = values.T
    values = values[whole]
    if not np.isfinite(values).all():
        raise InputError(f"{path}: '{name}' has values that are missing or not finite")
    return values


def _relative_humidity(variable: Any, series: dict[str, Array], path: Path) -> Array:
    """From relative humidity (%, or from 0 to 1) or specific humidity, by the variable's unit and standard name."""
    values, units = series["humidity"], str(getattr(variable, "units", "1"))
    if units == "%":
        return values / 100.0
    if units in ("kg kg-1", "kg/kg") or getattr(variable, "standard_name", "") == "specific_humidity":
        vapour = values * series["pressure"] / (EPSILON + (1.0 - EPSILON) * values)
        return vapour / saturation_pressure(series["temperature_2m"])
    if units == "1":
        return values
    raise InputError(f"{path}: 'humidity' has the unit '{units}', expected %, 1 or kg kg-1")


def dew_point(temperature: Array, relative_humidity: Array) -> Array:
    """Dew point, K, never above the temperature: Bolton's formula (1980, equation 10) solved for temperature."""
    share = np.clip(relative_humidity, 1e-3, 1.0)
    log_ratio = np.log(share * saturation_pressure(temperature) / 611.2)
    return 273.15 + 243.5 * log_ratio / (17.67 - log_ratio)
