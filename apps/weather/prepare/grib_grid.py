# SPDX-License-Identifier: BSD-3-Clause
"""Where the values of a GRIB field lie: on a Lambert grid, or on one of latitude and longitude."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lambert import Array, Lambert, about
from problem import InputError, check_range

SCANNING = ("jScansPositively", "iScansNegatively", "jPointsAreConsecutive", "alternativeRowScanning")
FIRST = ("latitudeOfFirstGridPointInDegrees", "longitudeOfFirstGridPointInDegrees")
LAST = ("latitudeOfLastGridPointInDegrees", "longitudeOfLastGridPointInDegrees")
CONE = ("DxInMetres", "DyInMetres", "LoVInDegrees", "LaDInDegrees", "Latin1InDegrees", "Latin2InDegrees")
KEYS = {  # what says where the points are, by gridType
    "lambert": ("Nx", "Ny", *CONE, *FIRST, *SCANNING, "uvRelativeToGrid", "radius"),
    "regular_ll": ("Nx", "Ny", *FIRST, *LAST, *SCANNING, "radius"),
}
AROUND = 2  # columns that a grid around the Earth repeats at both ends, for the interpolation across its seam


class Points(Protocol):
    """The points of a grid, rows from the south, columns from the west."""

    shape: tuple[int, int]

    def indices(self, latitude: Array, longitude: Array) -> tuple[Array, Array]:
        """Fractional column and row of points."""

    def turn(self, longitude: Array) -> Array:
        """Angle in radians from east to the direction of u, anticlockwise."""

    def arranged(self, values: Array) -> Array:
        """The values of a message, which come in one line, as (row, column)."""


@dataclass(frozen=True)
class LambertPoints:
    projection: Lambert
    first: tuple[float, float]  # map coordinates of row 0, column 0, m
    spacing: tuple[float, float]  # m
    shape: tuple[int, int]
    along_grid: bool  # winds are along the grid's axes, not east and north
    from_south: bool

    def indices(self, latitude: Array, longitude: Array) -> tuple[Array, Array]:
        x, y = self.projection.forward(latitude, longitude)
        return (x - self.first[0]) / self.spacing[0], (y - self.first[1]) / self.spacing[1]

    def turn(self, longitude: Array) -> Array:
        return self.projection.turn(longitude) if self.along_grid else np.zeros_like(longitude)

    def arranged(self, values: Array) -> Array:
        return values.reshape(self.shape)[:: 1 if self.from_south else -1]


@dataclass(frozen=True)
class LatLonPoints:
    south: float
    west: float
    spacing: tuple[float, float]  # along latitude and longitude, degrees
    shape: tuple[int, int]
    from_south: bool

    @property
    def is_around(self) -> bool:
        columns = self.shape[1] - 2 * AROUND
        return abs(columns * self.spacing[1] - 360.0) < 0.5 * self.spacing[1]

    def indices(self, latitude: Array, longitude: Array) -> tuple[Array, Array]:
        if self.is_around:
            east = np.mod(longitude - self.west, 360.0) / self.spacing[1] + AROUND
        else:
            middle = self.west + 0.5 * (self.shape[1] - 1) * self.spacing[1]
            east = (about(middle, longitude) - self.west) / self.spacing[1]
        return east, (latitude - self.south) / self.spacing[0]

    def turn(self, longitude: Array) -> Array:
        return np.zeros_like(longitude)

    def arranged(self, values: Array) -> Array:
        rows = values.reshape(self.shape[0], -1)[:: 1 if self.from_south else -1]
        return np.concatenate([rows[:, -AROUND:], rows, rows[:, :AROUND]], axis=1) if self.is_around else rows


def points(path: Path, head: dict[str, Any]) -> Points:
    """The grid that the keys of a message describe; refuses what there is not, and orders that are not read."""
    for key, low, high in (
        ("Nx", 2, 100000),
        ("Ny", 2, 100000),
        ("radius", 6.3e6, 6.4e6),
        ("latitudeOfFirstGridPointInDegrees", -90, 90),
        ("longitudeOfFirstGridPointInDegrees", -360, 360),
    ):
        check_range(f"{path}: {key}", head[key], low, high)
    if head["iScansNegatively"]:
        raise InputError(f"{path}: rows run from east to west, only west to east is read")
    if head["jPointsAreConsecutive"] or head["alternativeRowScanning"]:
        raise InputError(f"{path}: values run along columns or in alternating rows, only plain rows are read")
    return _lambert(path, head) if head["gridType"] == "lambert" else _latitude_longitude(path, head)


def _lambert(path: Path, head: dict[str, Any]) -> LambertPoints:
    for key, low, high in (
        ("DxInMetres", 1, 1e6),
        ("DyInMetres", 1, 1e6),
        ("LoVInDegrees", -360, 360),
        ("LaDInDegrees", -90, 90),
        ("Latin1InDegrees", -89, 89),
        ("Latin2InDegrees", -89, 89),
        ("latitudeOfFirstGridPointInDegrees", -89, 89),
    ):
        check_range(f"{path}: {key}", head[key], low, high)
    parallels = (head["Latin1InDegrees"], head["Latin2InDegrees"])
    if abs(sum(parallels)) < 2 or parallels[0] * parallels[1] < 0:
        raise InputError(f"{path}: standard parallels {parallels[0]:g} and {parallels[1]:g} degrees make no cone")
    projection = Lambert(head["LoVInDegrees"], head["LaDInDegrees"], parallels, float(head["radius"]))
    x, y = projection.forward(*(head[key] for key in FIRST))
    if not head["jScansPositively"]:
        y = y - (head["Ny"] - 1) * head["DyInMetres"]
    return LambertPoints(
        projection,
        (float(x), float(y)),
        (head["DxInMetres"], head["DyInMetres"]),
        (head["Ny"], head["Nx"]),
        bool(head["uvRelativeToGrid"]),
        bool(head["jScansPositively"]),
    )


def _latitude_longitude(path: Path, head: dict[str, Any]) -> LatLonPoints:
    """From the first and the last point, which say more digits than the spacing does."""
    check_range(f"{path}: {LAST[0]}", head[LAST[0]], -90, 90)
    check_range(f"{path}: {LAST[1]}", head[LAST[1]], -360, 360)
    rise = head[LAST[0]] - head[FIRST[0]]
    if rise == 0 or (rise > 0) != bool(head["jScansPositively"]):
        raise InputError(
            f"{path}: rows run from latitude {head[FIRST[0]]:g} to {head[LAST[0]]:g}, but the message says "
            f"jScansPositively = {head['jScansPositively']}"
        )
    columns, span = head["Nx"], (head[LAST[1]] - head[FIRST[1]]) % 360.0
    if span == 0:
        raise InputError(f"{path}: the columns reach from longitude {head[FIRST[1]]:g} to {head[LAST[1]]:g}")
    spacing = (abs(rise) / (head["Ny"] - 1), span / (columns - 1))
    if abs(columns * spacing[1] - 360.0) < 0.5 * spacing[1]:
        columns += 2 * AROUND
    return LatLonPoints(
        min(head[FIRST[0]], head[LAST[0]]),
        head[FIRST[1]],
        spacing,
        (head["Ny"], columns),
        bool(head["jScansPositively"]),
    )
