# SPDX-License-Identifier: BSD-3-Clause
"""Reads the weather model's output and derives what weather maps show."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import TracebackType

import numpy as np

from lambert import Array, Grid, Lambert
from problem import InputError, check_range, opened
from times import whole_times

GRAVITY = 9.80665  # m s-2
GAS_CONSTANT = 287.0  # J kg-1 K-1
LAPSE_RATE = 0.0065  # K m-1
NEEDED = ("u", "v", "w", "theta", "temperature", "pressure")
POSITIVE = ("theta", "temperature", "pressure", "temperature_2m", "sea_level_pressure")
HEIGHT_NAMES = ("height", "altitude", "z", "zc")


class Forecast:
    """An open output file; fields come as (z, y, x) arrays of one time, from the bottom up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with contextlib.ExitStack() as stack:
            self._data = stack.enter_context(opened(path))
            self._check()
            self.grid = self._read_grid()
            self._whole, self.times = whole_times(path, self._data.variables["time"])
            if not self.times:
                raise InputError(f"{path}: holds no whole time yet; at least 1 is needed")
            self.terrain = self._read_finite("terrain", -1000, 9000)
            self.height = self._read_height()
            self._stack = stack.pop_all()

    def __enter__(self) -> Forecast:
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> bool | None:
        return self._stack.__exit__(kind, value, trace)

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
        sizes = (variables["time"].size, shapes["u"][1], variables["y"].size, variables["x"].size)
        if shapes["u"] != sizes or variables["terrain"].shape != sizes[2:] or min(sizes[1:]) < 2:
            raise InputError(f"{self.path}: 'u' has the shape {shapes['u']}, its axes time, z, y, x {sizes}")

    def _read(self, name: str, time: int | None = None) -> Array:
        variable = self._data.variables[name]
        values = variable[self._whole[time]] if time is not None else variable[:]
        if np.ma.is_masked(values):
            raise InputError(f"{self.path}: '{name}' has missing values")
        return np.asarray(values, dtype=float)

    def _read_finite(self, name: str, low: float, high: float) -> Array:
        values = self._read(name)
        if not ((values >= low) & (values <= high)).all():
            raise InputError(
                f"{self.path}: '{name}' has {np.min(values):g} to {np.max(values):g}, outside the allowed range "
                f"{low:g} to {high:g}"
            )
        return values

    def _read_grid(self) -> Grid:
        x, y = self._read_finite("x", -1e8, 1e8), self._read_finite("y", -1e8, 1e8)
        if not (np.diff(x) > 0).all() or not (np.diff(y) > 0).all():
            raise InputError(f"{self.path}: 'x' or 'y' does not rise")
        mapping = self._data.variables["lambert"]
        try:
            projection = Lambert.from_attributes({key: mapping.getncattr(key) for key in mapping.ncattrs()})
        except KeyError as error:
            raise InputError(f"{self.path}: the grid mapping 'lambert' lacks the attribute {error}") from error
        except (ValueError, TypeError) as error:
            raise InputError(f"{self.path}: the grid mapping 'lambert' has an attribute that is no number") from error
        _check_projection(self.path, projection)
        grid = Grid(x.size, y.size, float(x[1] - x[0]), projection)
        if abs(x[0] - grid.x[0]) > 0.01 * grid.dx or abs(y[0] - grid.y[0]) > 0.01 * grid.dx:
            raise InputError(
                f"{self.path}: x begins at {x[0]:.0f} m, {grid.x[0]:.0f} expected, y at {y[0]:.0f}, {grid.y[0]:.0f} "
                "expected: the map's origin is not the grid's centre"
            )
        return grid

    def _read_height(self) -> Array:
        for name in HEIGHT_NAMES:
            variable = self._data.variables.get(name)
            if variable is not None and variable.ndim == 3:
                return self._risen(name)
        raise InputError(f"{self.path}: no height(z, y, x) found, tried {', '.join(HEIGHT_NAMES)}")

    def _risen(self, name: str) -> Array:
        values = self._read_finite(name, -1000, 1e5)
        if values.shape != self._data.variables["u"].shape[1:] or not (np.diff(values, axis=0) > 0).all():
            raise InputError(f"{self.path}: '{name}' does not rise from level to level, or has another shape than 'u'")
        return values

    def field(self, name: str, time: int) -> Array:
        values = self._read(name, time)
        shape = self._data.variables["u"].shape[1:]
        if values.shape not in (shape, shape[1:]):
            raise InputError(f"{self.path}: a time of '{name}' has the shape {values.shape}, one of 'u' {shape}")
        if name in POSITIVE and not (values > 0).all():
            raise InputError(f"{self.path}: '{name}' has values that are not above 0")
        if not (np.abs(values) < 1e7).all():
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
        """A field, or 'height', on a surface of constant pressure (Pa); NaN below ground or above the top.

        The model's own surface, where the file has it.
        """
        found = self._own_surface(name, pressure)
        if found is not None:
            values = self._data.variables[name + "_plev"][self._whole[time], found]
            return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
        values = self.height if name == "height" else self.field(name, time)
        return at_level(values, -np.log(self.field("pressure", time)), -np.log(pressure))

    def _own_surface(self, name: str, pressure: float) -> int | None:
        """Number of the file's surface of that pressure, if it has the field there."""
        if not (self.has("plev") and self.has(name + "_plev")):
            return None
        there = np.abs(np.asarray(self._data.variables["plev"][:], dtype=float) - pressure) < 0.5
        return int(there.argmax()) if there.any() else None

    def at_height(self, name: str, time: int, height: float) -> Array:
        """A field at a constant height above the sea (m); NaN below ground or above the top."""
        return at_level(self.field(name, time), self.height, height)

    def sea_level_pressure(self, time: int) -> Array:
        """Pressure reduced to sea level, Pa: the model's own, where the file has it.

        Else with the temperature some 1500 m above the ground brought down by the standard lapse rate, so
        that a shallow pool of cold air over high ground does not count as if it reached to sea level.
        """
        if self.has("sea_level_pressure"):
            return self.field("sea_level_pressure", time)
        pressure, temperature = self.field("pressure", time), self.field("temperature", time)
        level = np.minimum(self.terrain + 1500.0, self.height[-2])
        free = at_level(temperature, self.height, level)
        free = np.where(np.isfinite(free), free, temperature[0])
        at_sea = free + LAPSE_RATE * level
        at_lowest = at_sea - LAPSE_RATE * self.height[0]
        return pressure[0] * (at_sea / at_lowest) ** (GRAVITY / (GAS_CONSTANT * LAPSE_RATE))


def _check_projection(path: Path, p: Lambert) -> None:
    for name, value, most in (
        ("longitude_of_central_meridian", p.central_longitude, 360),
        ("latitude_of_projection_origin", p.origin_latitude, 89),
        *(("standard_parallel", parallel, 89) for parallel in p.parallels),
    ):
        check_range(f"{path}: lambert:{name}", value, -most, most, " degrees")
    check_range(f"{path}: lambert:earth_radius", p.radius, 6.3e6, 6.4e6, " m")
    if not abs(p.cone) > 0.01:
        raise InputError(f"{path}: the standard parallels {p.parallels} make no cone")


def at_level(values: Array, coordinate: Array, level: Array | float) -> Array:
    """Interpolate linearly in columns where coordinate(z, y, x) increases with z; NaN outside."""
    top = values.shape[0] - 2
    k = np.clip((coordinate < level).sum(axis=0) - 1, 0, top)[None]
    low, high = np.take_along_axis(coordinate, k, 0)[0], np.take_along_axis(coordinate, k + 1, 0)[0]
    fraction = (level - low) / (high - low)
    below, above = np.take_along_axis(values, k, 0)[0], np.take_along_axis(values, k + 1, 0)[0]
    return np.where((fraction < 0) | (fraction > 1), np.nan, below + fraction * (above - below))
