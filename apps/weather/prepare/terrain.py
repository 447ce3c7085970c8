# SPDX-License-Identifier: BSD-3-Clause
"""Height of the model's ground: averaged from an elevation file, smoothed, and blended at the edges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from interpolate import bilinear
from lambert import Array, Grid, about
from problem import InputError, opened
from units import converted, points

ETOPO5 = Path("/usr/share/ferret-vis/data/etopo5.cdf")
TRINIDAD = Path("/usr/share/ncarg/data/cdf/trinidad.nc")
NAMED = {  # name: (file, Debian package, unit of a file that does not name its unit)
    "etopo5": (ETOPO5, "ferret-datasets", "m"),
    "trinidad": (TRINIDAD, "libncarg-data", "feet"),
}
NUMBERS = [np.dtype(kind) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")]
HIGHEST, DEEPEST = 9000.0, -12000.0  # m
LOWEST_LAND = 1.0  # m, in the interpolated ground of an analysis, whose sea is not exactly 0


@dataclass(frozen=True)
class Elevation:
    """Elevations, m, on a latitude-longitude grid: height[latitude, longitude], both axes ascending."""

    name: str
    latitude: Array
    longitude: Array
    height: Array

    def spacing(self, latitude: float) -> float:
        """The finer of the two spacings in metres."""
        east = float(np.diff(self.longitude).mean()) * np.cos(np.radians(latitude))
        return 111195.0 * min(float(np.diff(self.latitude).mean()), east)


def load(path: Path, package: str = "", unit: str = "m", variable: str = "") -> Elevation:
    """Read an elevation variable, by default the first, of a NetCDF file with latitude and longitude as axes."""
    if package and not path.exists():
        raise InputError(f"{path}: no such file; install the Debian package {package}")
    with opened(path) as data:
        return _elevation(data, path, unit, variable)


def _elevation(data, path: Path, unit: str, wanted: str) -> Elevation:  # type: ignore[no-untyped-def]
    if wanted and wanted not in data.variables:
        raise InputError(f"{path}: no variable '{wanted}'; it has {', '.join(data.variables)}")
    for name, variable in data.variables.items():
        if name != (wanted or name) or variable.ndim != 2 or variable.dtype not in NUMBERS:
            continue
        axes = [data.variables.get(dimension) for dimension in variable.dimensions]
        if any(axis is None or axis.ndim != 1 or axis.dtype not in NUMBERS for axis in axes):
            continue
        units = [str(getattr(axis, "units", "")) for axis in axes]
        if points(units[0], "east") and points(units[1], "north"):
            return _made(path, name, *_read(path, axes[1], axes[0]), _heights(path, variable, unit).T)
        if points(units[0], "north") and points(units[1], "east"):
            return _made(path, name, *_read(path, axes[0], axes[1]), _heights(path, variable, unit))
    lacking = f"'{wanted}' lacks" if wanted else "no variable with"
    raise InputError(
        f"{path}: {lacking} the dimensions latitude (degrees_north), "
        "longitude (degrees_east); turned and curvilinear grids are not read"
    )


def _read(path: Path, *axes) -> list[Array]:  # type: ignore[no-untyped-def]
    """Both axes as degrees; refuses missing values, and an axis of one place."""
    values = [np.ma.filled(axis[:].astype(float), np.nan) for axis in axes]
    for axis, degrees, most in zip(axes, values, (90.0, 720.0)):
        if degrees.size < 2 or not (np.abs(degrees) <= most + 1e-3).all():
            raise InputError(
                f"{path}: '{axis.name}' must hold at least 2 values from {-most:g} to {most:g} degrees, none missing"
            )
    return values


def _heights(path: Path, variable, unit: str) -> Array:  # type: ignore[no-untyped-def]
    """The elevations in metres; missing ones are NaN."""
    height = np.ma.filled(variable[:].astype(float), np.nan)
    height = converted(height, str(getattr(variable, "units", "")) or unit, "m", f"{path}: '{variable.name}'")
    if not np.isfinite(height).any():
        raise InputError(f"{path}: '{variable.name}' holds no elevation: all its values are missing")
    if not DEEPEST <= np.nanmin(height) <= np.nanmax(height) <= HIGHEST:
        raise InputError(
            f"{path}: '{variable.name}' reaches from {np.nanmin(height):.0f} m to {np.nanmax(height):.0f} m, allowed "
            f'{DEEPEST:.0f} to {HIGHEST:.0f}: are these feet? then give the variable the attribute units = "feet"; '
            "is the lowest a mark of missing values? then the attribute _FillValue"
        )
    return height


def _made(path: Path, name: str, latitude: Array, longitude: Array, height: Array) -> Elevation:
    """Both axes made to rise: a longitude may fall, or jump by 360 degrees at Greenwich or at the date line."""
    if latitude[0] > latitude[-1]:
        latitude, height = latitude[::-1], height[::-1]
    steps = (np.diff(longitude) + 180.0) % 360.0 - 180.0
    longitude = longitude[0] + np.concatenate([[0.0], np.cumsum(steps)])
    if longitude[0] > longitude[-1]:
        longitude, height = longitude[::-1], height[:, ::-1]
    if np.any(np.diff(longitude) <= 0) or np.any(np.diff(latitude) <= 0):
        raise InputError(f"{path}: latitude or longitude of '{name}' is not monotonic")
    if abs(longitude[-1] + longitude[1] - 2 * longitude[0] - 360) < 1e-3:  # closes round the globe
        longitude = np.append(longitude, longitude[0] + 360)
        height = np.concatenate([height, height[:, :1]], axis=1)
    return Elevation(path.name, latitude, longitude, height)


def average(elevation: Elevation, grid: Grid) -> tuple[Array, Array]:
    """Mean elevation of each grid cell, the sea counted as 0 m, and the share of land: ground above sea level."""
    middle = grid.projection.origin_latitude
    parts = int(np.clip(np.ceil(grid.dx / elevation.spacing(middle)) + 1, 2, 25))
    latitude, longitude = grid.positions(parts)
    i, j = _indices(elevation, latitude, longitude)
    heights = bilinear(elevation.height, i, j)
    if np.isnan(heights).any():
        raise InputError(f"{elevation.name}: {np.isnan(heights).sum()} missing elevations inside the model grid")
    blocks = heights.reshape(grid.ny, parts, grid.nx, parts)
    return np.maximum(blocks, 0.0).mean(axis=(1, 3)), (blocks > 0.0).mean(axis=(1, 3))


def _indices(elevation: Elevation, latitude: Array, longitude: Array) -> tuple[Array, Array]:
    """Fractional column and row in the elevation grid; refuses points that it does not cover."""
    west, east = elevation.longitude[[0, -1]]
    south, north = elevation.latitude[[0, -1]]
    asked = about(float(longitude.flat[0]), longitude)
    longitude = west + (longitude - west) % 360.0
    if longitude.max() > east or latitude.min() < south or latitude.max() > north:
        raise InputError(
            f"{elevation.name} covers {south:.2f} to {north:.2f} N, {west:.2f} to {east:.2f} E; the model grid needs "
            f"{latitude.min():.2f} to {latitude.max():.2f} N, {asked.min():.2f} to {asked.max():.2f} E"
        )
    rows = np.interp(latitude, elevation.latitude, np.arange(elevation.latitude.size))
    columns = np.interp(longitude, elevation.longitude, np.arange(elevation.longitude.size))
    return columns, rows


def smooth(height: Array, passes: int = 1) -> Array:
    """Damp the shortest waves: weights 1-2-1 along x and along y, so a wave of two cells vanishes."""
    for _ in range(passes):
        for axis in (0, 1):
            padded = np.pad(height, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
            low, high = np.delete(padded, [-1, -2], axis), np.delete(padded, [0, 1], axis)
            height = 0.25 * low + 0.5 * height + 0.25 * high
    return height


def largest_rise(height: Array) -> float:
    """The largest difference in height between two neighbouring columns, m."""
    return float(max(np.abs(np.diff(height, axis=axis)).max() for axis in (0, 1)))


def limit_rise(height: Array, limit: float) -> Array:
    """Smooth where the ground rises by more than `limit` metres from a column to the next, until none does."""
    height = height.copy()
    for _ in range(2000):
        steep = np.zeros(height.shape, dtype=bool)
        for axis in (0, 1):
            too_much = np.abs(np.diff(height, axis=axis)) > limit
            before = [slice(None)] * 2
            after = [slice(None)] * 2
            before[axis], after[axis] = slice(None, -1), slice(1, None)
            steep[tuple(before)] |= too_much
            steep[tuple(after)] |= too_much
        if not steep.any():
            return height
        height[steep] = smooth(height)[steep]
    raise InputError(f"the terrain cannot be smoothed to a rise of {limit:g} m per cell; allow more with --max-rise")


def edge_weight(ny: int, nx: int, width: int) -> Array:
    """0 on the outermost columns, 1 from `width` cells inwards, a half cosine between."""
    if width == 0:
        return np.ones((ny, nx))
    rows, columns = np.arange(ny)[:, None], np.arange(nx)[None, :]
    distance = np.minimum(np.minimum(rows, ny - 1 - rows), np.minimum(columns, nx - 1 - columns))
    return 0.5 - 0.5 * np.cos(np.pi * np.clip(distance / width, 0, 1))


@dataclass(frozen=True)
class Treatment:
    """How rough elevations become a model's ground."""

    passes: int
    max_rise: float
    blend: int


def resolve(choice: str) -> Elevation | None:
    """The elevation file that an option names (FILE or FILE:VARIABLE), or None for 'nam' and 'flat'."""
    if choice in ("nam", "flat"):
        return None
    if choice in NAMED:
        return load(*NAMED[choice])
    file, _, variable = choice.rpartition(":")
    if not file or Path(choice).exists():
        file, variable = choice, ""
    unit = next((known[2] for known in NAMED.values() if known[0] == Path(file)), "m")
    return load(Path(file), unit=unit, variable=variable)


def make(elevation: Elevation | None, grid: Grid, analysis_terrain: Array, treatment: Treatment) -> tuple[Array, Array]:
    """The model's ground, and the share of land.

    The ground is averaged, smoothed, and equal to the analysis' ground on the outermost columns. Without
    an elevation file land is where the analysis' ground is higher than LOWEST_LAND.
    """
    if elevation is None:
        ground = limit_rise(np.maximum(analysis_terrain, 0.0), treatment.max_rise)
        return ground, (analysis_terrain > LOWEST_LAND).astype(float)
    mean, land = average(elevation, grid)
    fine = smooth(mean, treatment.passes)
    weight = edge_weight(grid.ny, grid.nx, treatment.blend)
    return limit_rise(weight * fine + (1 - weight) * np.maximum(analysis_terrain, 0.0), treatment.max_rise), land
