# SPDX-License-Identifier: BSD-3-Clause
"""Reads the weather model's output and derives what weather maps show."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import TracebackType

import numpy as np

from lambert import Array, Grid, Lambert
from problem import InputError, need

GRAVITY = 9.80665  # m s-2
GAS_CONSTANT = 287.0  # J kg-1 K-1
LAPSE_RATE = 0.0065  # K m-1
NEEDED = ("u", "v", "w", "theta", "temperature", "pressure")
HEIGHT_NAMES = ("height", "altitude", "z", "zc")


class Forecast:
    """An open output file; fields come as (z, y, x) arrays of one time, from the bottom up."""

    def __init__(self, path: Path) -> None:
        self._netcdf = need("netCDF4", "python3-netcdf4")
        self.path = path
        if not path.exists():
            raise InputError(f"{path}: no such file")
        try:
            self._data = self._netcdf.Dataset(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read as NetCDF ({error})") from error
        try:
            self._check()
            self.grid = self._read_grid()
            self.times = self._read_times()
            self.terrain = self._read("terrain")
            self.height = self._read_height()
        except BaseException:
            self._data.close()
            raise

    def __enter__(self) -> Forecast:
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._data.close()

    def _check(self) -> None:
        variables = self._data.variables
        missing = [name for name in (*NEEDED, "terrain", "time", "x", "y", "lambert") if name not in variables]
        if missing:
            raise InputError(f"{self.path}: no output of the weather model: {', '.join(missing)} missing")
        shapes = {name: variables[name].shape for name in NEEDED}
        for name, shape in shapes.items():
            if len(shape) != 4 or shape != shapes["u"]:
                raise InputError(
                    f"{self.path}: '{name}' has the shape {shape}, 'u' has {shapes['u']}; "
                    "the same time, z, y, x are expected"
                )
        if shapes["u"][0] == 0:
            raise InputError(f"{self.path}: holds no time yet; at least 1 is needed")

    def _read(self, name: str, time: int | None = None) -> Array:
        variable = self._data.variables[name]
        values = variable[time] if time is not None else variable[:]
        if np.ma.is_masked(values):
            raise InputError(f"{self.path}: '{name}' has missing values")
        return np.asarray(values, dtype=float)

    def _read_grid(self) -> Grid:
        x = self._read("x")
        mapping = self._data.variables["lambert"]
        try:
            projection = Lambert.from_attributes({key: mapping.getncattr(key) for key in mapping.ncattrs()})
        except KeyError as error:
            raise InputError(f"{self.path}: the grid mapping 'lambert' lacks the attribute {error}") from error
        grid = Grid(x.size, self._read("y").size, float(x[1] - x[0]), projection)
        if abs(x[0] - grid.x[0]) > 0.01 * grid.dx:
            raise InputError(
                f"{self.path}: x begins at {x[0]:.0f} m, {grid.x[0]:.0f} expected: "
                "the map's origin is not the grid's centre"
            )
        return grid

    def _read_times(self) -> list[dt.datetime]:
        time = self._data.variables["time"]
        dates = self._netcdf.num2date(
            time[:], time.units, only_use_cftime_datetimes=False, only_use_python_datetimes=True
        )
        return [dt.datetime(*date.timetuple()[:6]) for date in np.atleast_1d(dates)]

    def _read_height(self) -> Array:
        for name in HEIGHT_NAMES:
            variable = self._data.variables.get(name)
            if variable is not None and variable.ndim == 3:
                return self._read(name)
        raise InputError(f"{self.path}: no height(z, y, x) found, tried {', '.join(HEIGHT_NAMES)}")

    def field(self, name: str, time: int) -> Array:
        values = self._read(name, time)
        if not np.isfinite(values).all():
            raise InputError(
                f"{self.path}: '{name}' is not finite at {self.times[time]:%Y-%m-%d %H:%M}: the forecast has blown up"
            )
        return values

    def has(self, name: str) -> bool:
        return name in self._data.variables

    def rain(self, time: int) -> Array:
        """What has fallen since the start, mm."""
        return self.field("rain", time) - self.field("rain", 0)

    def temperature_near_ground(self, time: int) -> Array:
        """At 2 m where the file has it, else at the lowest level."""
        return self.field("temperature_2m", time) if self.has("temperature_2m") else self.field("temperature", time)[0]

    def wind_near_ground(self, time: int) -> tuple[Array, Array]:
        """The lowest level's, weakened to the speed at 10 m where the file has that."""
        u, v = self.field("u", time)[0], self.field("v", time)[0]
        if not self.has("wind_10m"):
            return u, v
        ratio = self.field("wind_10m", time) / np.maximum(np.hypot(u, v), 1e-6)
        return ratio * u, ratio * v

    def lead(self, time: int) -> float:
        """Hours since the start."""
        return (self.times[time] - self.times[0]).total_seconds() / 3600.0

    def on_pressure(self, name: str, time: int, pressure: float) -> Array:
        """A field, or 'height', on a surface of constant pressure (Pa); NaN below ground or above the top."""
        values = self.height if name == "height" else self.field(name, time)
        return at_level(values, -np.log(self.field("pressure", time)), -np.log(pressure))

    def at_height(self, name: str, time: int, height: float) -> Array:
        """A field at a constant height above the sea (m); NaN below ground or above the top."""
        return at_level(self.field(name, time), self.height, height)

    def sea_level_pressure(self, time: int) -> Array:
        """Pressure reduced to sea level, Pa.

        With the temperature some 1500 m above the ground brought down by the standard lapse rate, so
        that a shallow pool of cold air over high ground does not count as if it reached to sea level.
        """
        pressure, temperature = self.field("pressure", time), self.field("temperature", time)
        level = np.minimum(self.terrain + 1500.0, self.height[-2])
        free = at_level(temperature, self.height, level)
        free = np.where(np.isfinite(free), free, temperature[0])
        at_sea = free + LAPSE_RATE * level
        at_lowest = at_sea - LAPSE_RATE * self.height[0]
        return pressure[0] * (at_sea / at_lowest) ** (GRAVITY / (GAS_CONSTANT * LAPSE_RATE))


def at_level(values: Array, coordinate: Array, level: Array | float) -> Array:
    """Interpolate linearly in columns where coordinate(z, y, x) increases with z; NaN outside."""
    top = values.shape[0] - 2
    k = np.clip((coordinate < level).sum(axis=0) - 1, 0, top)[None]
    low, high = np.take_along_axis(coordinate, k, 0)[0], np.take_along_axis(coordinate, k + 1, 0)[0]
    fraction = (level - low) / (high - low)
    below, above = np.take_along_axis(values, k, 0)[0], np.take_along_axis(values, k + 1, 0)[0]
    return np.where((fraction < 0) | (fraction > 1), np.nan, below + fraction * (above - below))
