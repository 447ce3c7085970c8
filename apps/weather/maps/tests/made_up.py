# SPDX-License-Identifier: BSD-3-Clause
"""Small made-up forecasts and station series with known contents, for the tests of the maps."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np

from lambert import Grid

NX, NY, NZ = 30, 24, 12
GRAVITY, GAS_CONSTANT = 9.80665, 287.0
SEA_LEVEL = 101500.0  # Pa
LAPSE = 0.0065


def temperature_at(z: np.ndarray) -> np.ndarray:
    return 288.0 - LAPSE * z


def pressure_at(z: np.ndarray) -> np.ndarray:
    return SEA_LEVEL * (temperature_at(z) / 288.0) ** (GRAVITY / (GAS_CONSTANT * LAPSE))


def write_forecast(path: Path, latitude: float = 40.0) -> Path:
    """Two times of the standard atmosphere over one mountain, with a wave above it."""
    grid = Grid.around(latitude, -107.0, NX, NY, 20000.0)
    x, y = np.meshgrid(grid.x, grid.y)
    terrain = 2000.0 * np.exp(-(x**2 + y**2) / (2 * 80000.0**2))
    level = np.linspace(60.0, 14000.0, NZ)[:, None, None]
    z = terrain + level * (14500.0 - terrain) / 14500.0
    temperature, pressure = temperature_at(z), pressure_at(z)
    w = np.broadcast_to(np.cos(x / 40000.0) * np.exp(-(y**2) / 60000.0**2), z.shape)
    fields = {
        "u": np.full_like(z, 30.0),
        "v": np.full_like(z, -5.0),
        "w": w,
        "temperature": temperature,
        "theta": temperature * (1e5 / pressure) ** (2 / 7),
        "pressure": pressure,
        "qv": np.full_like(z, 1e-3),
    }
    with netCDF4.Dataset(path, "w") as data:
        for name, size in (("time", None), ("z", NZ), ("y", NY), ("x", NX)):
            data.createDimension(name, size)
        time = data.createVariable("time", "f8", ("time",))
        time.units = "hours since 2007-01-24 12:00:00"
        time[:] = [0.0, 12.0]
        for name, values in (("x", grid.x), ("y", grid.y)):
            data.createVariable(name, "f8", (name,))[:] = values
        data.createVariable("lambert", "i4").setncatts(grid.projection.attributes())
        data.createVariable("terrain", "f8", ("y", "x"))[:] = terrain
        data.createVariable("height", "f8", ("z", "y", "x"))[:] = z
        for name, values in fields.items():
            variable = data.createVariable(name, "f4", ("time", "z", "y", "x"))
            variable[0], variable[1] = values, values
    return path


def add_rain(path: Path, at_start: float = 1.0) -> np.ndarray:
    """Rain west of the middle, and what a run that goes on from a history has at its start; returns what fell."""
    fallen = np.zeros((NY, NX))
    fallen[:, : NX // 2] = 12.5
    with netCDF4.Dataset(path, "a") as data:
        rain = data.createVariable("rain", "f4", ("time", "y", "x"))
        rain[0], rain[1] = at_start, at_start + fallen
    return fallen


def write_analysis(path: Path, fallen: float | None, columns: int = NX) -> Path:
    with netCDF4.Dataset(path, "w") as data:
        data.createDimension("y", NY)
        data.createDimension("x", columns)
        if fallen is not None:
            data.createVariable("precipitation_before", "f8", ("y", "x"))[:] = fallen
    return path


def write_stations(path: Path, names: tuple[str, ...], humidity: str = "1", time_first: bool = True) -> Path:
    """A day of series every ten minutes; the n-th station is 5 n K warmer. humidity: unit of that variable."""
    hours = np.arange(145) / 6
    temperature = 280 + 5 * np.sin(hours / 24 * 2 * np.pi)
    pressure = 90000 + 300 * np.cos(hours / 6)
    wet = {"1": 0.6, "%": 60.0, "kg kg-1": 0.004, "furlong": 1.0}[humidity]
    series = {
        "temperature_2m": (temperature, "K"),
        "wind_speed": (6 + 3 * np.cos(hours / 4), "m s-1"),
        "wind_direction": ((350 + 4 * hours) % 360, "degree"),
        "pressure": (pressure, "Pa"),
        "humidity": (np.full_like(hours, wet), humidity),
        "rain": (np.clip(hours - 6, 0, 4) * 2.0, "kg m-2"),
    }
    with netCDF4.Dataset(path, "w") as data:
        for name, size in (("time", hours.size), ("station", len(names)), ("length", 20)):
            data.createDimension(name, size)
        time = data.createVariable("time", "f8", ("time",))
        time.units = "hours since 2007-01-24 12:00:00"
        time[:] = hours
        data.createVariable("station_name", "S1", ("station", "length"))[:] = netCDF4.stringtochar(
            np.array(names, "S20")
        )
        for name, first in (("latitude", 40.0), ("longitude", -107.0)):
            data.createVariable(name, "f8", ("station",))[:] = first + np.arange(len(names))
        order = ("time", "station") if time_first else ("station", "time")
        for name, (values, units) in series.items():
            table = np.repeat(values[:, None], len(names), axis=1)
            if name == "temperature_2m":
                table = table + 5.0 * np.arange(len(names))
            variable = data.createVariable(name, "f4", order)
            variable.units = units
            variable[:] = table if time_first else table.T
    return path
