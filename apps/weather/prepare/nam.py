# SPDX-License-Identifier: BSD-3-Clause
"""Reads an analysis or forecast on pressure levels from a GRIB2 file on a Lambert grid."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atmosphere import Air, extend_upwards, fill_below_ground
from interpolate import bicubic, bilinear
from lambert import Array, Grid, Lambert
from problem import InputError, need
from surface import Surface, brought_to, from_column

DEFAULT_FILE = Path("/usr/share/ncarg/data/grb/fh.0012_tl.press_gr.awp211.grb2")
DEFAULT_PACKAGE = "libncarg-data"
UPPER_AIR = {
    "gh": "geopotential height",
    "t": "temperature",
    "r": "relative humidity",
    "u": "wind along x",
    "v": "wind along y",
}
NEAR_GROUND = ("t", "r", "u", "v")  # means of the lowest layer, used where the file has all four
NEAR_GROUND_DEPTH = 3000  # Pa
SURFACE = {"sp": "surface pressure", "orog": "height of the ground"}
OPTIONAL = {"2t": "heightAboveGround", "tp": "surface"}  # temperature at 2 m, precipitation since the forecast began


@dataclass(frozen=True)
class PressureAnalysis:
    """One time of a GRIB2 file: upper[name][level, row, column] from the bottom up, the others [name][row, column]."""

    source: str
    valid_time: dt.datetime
    projection: Lambert
    first: tuple[float, float]  # map coordinates of row 0, column 0, m
    spacing: tuple[float, float]  # m
    pressure: Array
    upper: dict[str, Array]
    surface: dict[str, Array]
    near_ground: dict[str, Array]
    optional: dict[str, Array]

    @property
    def shape(self) -> tuple[int, int]:
        return self.surface["sp"].shape  # type: ignore[return-value]

    def indices(self, latitude: Array, longitude: Array) -> tuple[Array, Array]:
        """Fractional column and row of points."""
        x, y = self.projection.forward(latitude, longitude)
        return (x - self.first[0]) / self.spacing[0], (y - self.first[1]) / self.spacing[1]


def read(path: Path) -> PressureAnalysis:
    """Read a whole file; every fault ends in an InputError that names the file."""
    _check_looks_like_grib(path)
    messages = _messages(path)
    if not messages:
        raise InputError(f"{path}: no GRIB message on pressure levels or at the surface found")
    aloft = [key for key in messages if key[0] in UPPER_AIR]
    for name in UPPER_AIR:
        if not any(key[0] == name for key in aloft):
            raise InputError(f"{path}: variable '{name}' ({UPPER_AIR[name]}) on pressure levels is missing")
    levels = sorted({level for _, level in aloft}, reverse=True)
    for name in UPPER_AIR:
        for level in levels:
            if (name, level) not in messages:
                raise InputError(f"{path}: '{name}' lacks the level {level} hPa, which other variables have")
    if len(levels) < 5:
        raise InputError(f"{path}: only {len(levels)} pressure levels, at least 5 are needed")
    for name in SURFACE:
        if (name, 0) not in messages:
            raise InputError(f"{path}: variable '{name}' ({SURFACE[name]}) at the surface is missing")
    return _assemble(path, messages, levels)


def _check_looks_like_grib(path: Path) -> None:
    try:
        with open(path, "rb") as file:
            start = file.read(16)
    except OSError as error:
        hint = f"; install the Debian package {DEFAULT_PACKAGE}" if path == DEFAULT_FILE else ""
        raise InputError(f"{path}: cannot be read ({error.strerror}){hint}") from error
    if start[:4] != b"GRIB":
        raise InputError(f"{path}: not a GRIB file: it starts with {start[:4]!r}, not b'GRIB'")
    if len(start) < 8 or start[7] != 2:
        raise InputError(f"{path}: GRIB edition {start[7] if len(start) > 7 else '?'}, this program reads edition 2")


def _messages(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The messages wanted, by short name and level (hPa; 0 for the surface)."""
    eccodes = need("eccodes", "python3-eccodes")
    wanted: dict[tuple[str, int], dict[str, Any]] = {}
    count = 0
    with open(path, "rb") as file:
        while True:
            try:
                handle = eccodes.codes_grib_new_from_file(file)
                if handle is None:
                    break
                count += 1
                try:
                    _keep_if_wanted(eccodes, handle, wanted)
                finally:
                    eccodes.codes_release(handle)
            except eccodes.CodesInternalError as error:
                raise InputError(f"{path}: damaged or truncated after {count} whole messages ({error})") from error
    return wanted


def _keep_if_wanted(eccodes: Any, handle: Any, wanted: dict[tuple[str, int], dict[str, Any]]) -> None:
    def get(key: str) -> Any:
        return eccodes.codes_get(handle, key)

    name, kind, level = get("shortName"), get("typeOfLevel"), get("level")
    if kind == "isobaricInhPa" and name in UPPER_AIR:
        key = (name, level)
    elif kind == "surface" and name in SURFACE:
        key = (name, 0)
    elif OPTIONAL.get(name) == kind:
        key = (name, 0)
    elif kind == "pressureFromGroundLayer" and name in NEAR_GROUND and level == NEAR_GROUND_DEPTH:
        key = ("near ground " + name, 0)
    else:
        return
    header = {key: get(key) for key in ("gridType", "validityDate", "validityTime", "numberOfMissing")}
    if header["gridType"] == "lambert":
        keys = (
            "Nx",
            "Ny",
            "DxInMetres",
            "DyInMetres",
            "LoVInDegrees",
            "LaDInDegrees",
            "Latin1InDegrees",
            "Latin2InDegrees",
            "latitudeOfFirstGridPointInDegrees",
            "longitudeOfFirstGridPointInDegrees",
            "jScansPositively",
            "iScansNegatively",
            "uvRelativeToGrid",
            "radius",
            "centre",
        )
        header.update({key: get(key) for key in keys})
        header["values"] = eccodes.codes_get_values(handle)
    wanted[key] = header


def _assemble(path: Path, messages: dict[tuple[str, int], dict[str, Any]], levels: list[int]) -> PressureAnalysis:
    head = messages[("gh", levels[0])]
    for (name, level), other in messages.items():
        where = f"{path}: '{name}' at level {level}"
        if other["gridType"] != "lambert":
            raise InputError(f"{where} is on a '{other['gridType']}' grid, this program reads 'lambert'")
        for key in set(head) - {"values", "numberOfMissing"}:
            if other[key] != head[key]:
                raise InputError(f"{where} has {key} = {other[key]}, the other fields have {head[key]}")
        if other["numberOfMissing"]:
            raise InputError(f"{where} has {other['numberOfMissing']} missing values, allowed 0")
    shape = (head["Ny"], head["Nx"])

    def field(name: str, level: int) -> Array:
        values = messages[(name, level)]["values"].reshape(shape)
        return values if head["jScansPositively"] else values[::-1]

    if head["iScansNegatively"]:
        raise InputError(f"{path}: rows run from east to west, only west to east is read")
    if not head["uvRelativeToGrid"]:
        raise InputError(f"{path}: winds are relative to east and north, only winds relative to the grid are read")
    projection = Lambert(
        head["LoVInDegrees"],
        head["LaDInDegrees"],
        (head["Latin1InDegrees"], head["Latin2InDegrees"]),
        float(head["radius"]),
    )
    x, y = projection.forward(head["latitudeOfFirstGridPointInDegrees"], head["longitudeOfFirstGridPointInDegrees"])
    if not head["jScansPositively"]:
        y = y - (shape[0] - 1) * head["DyInMetres"]
    near_ground = all(("near ground " + name, 0) in messages for name in NEAR_GROUND)
    stamp = f"{head['validityDate']:08d}{head['validityTime']:04d}"
    return PressureAnalysis(
        source=f"GRIB2 file {path.name} of centre {head['centre']}",
        valid_time=dt.datetime.strptime(stamp, "%Y%m%d%H%M").replace(tzinfo=dt.timezone.utc),
        projection=projection,
        first=(float(x), float(y)),
        spacing=(head["DxInMetres"], head["DyInMetres"]),
        pressure=np.array(levels) * 100.0,
        upper={name: np.stack([field(name, level) for level in levels]) for name in UPPER_AIR},
        surface={name: field(name, 0) for name in SURFACE},
        near_ground={name: field("near ground " + name, 0) for name in NEAR_GROUND} if near_ground else {},
        optional={name: field(name, 0) for name in OPTIONAL if (name, 0) in messages},
    )


def check_covers(analysis: PressureAnalysis, grid: Grid, i: Array, j: Array) -> None:
    """Refuse a model grid that reaches outside the analysis, naming the worst point."""
    ny, nx = analysis.shape
    outside = np.maximum.reduce([-i, i - (nx - 1), -j, j - (ny - 1)])
    if outside.max() <= 0:
        return
    row, column = np.unravel_index(outside.argmax(), outside.shape)
    latitude, longitude = grid.positions()
    raise InputError(
        f"the model grid reaches outside the analysis: its cell at {latitude[row, column]:.2f} N "
        f"{longitude[row, column]:.2f} E lies at analysis column {i[row, column]:.1f}, row {j[row, column]:.1f}, "
        f"allowed 0 to {nx - 1} and 0 to {ny - 1}; use fewer columns, a smaller --dx or another --centre"
    )


def to_grid(analysis: PressureAnalysis, grid: Grid, top: float) -> tuple[Array, dict[str, Array], Array]:
    """Interpolate to the grid: pressure(level), fields(level, y, x) and the analysis' ground (y, x)."""
    latitude, longitude = grid.positions()
    i, j = analysis.indices(latitude, longitude)
    check_covers(analysis, grid, i, j)
    # Geopotential metres are taken as metres; the difference is below 0.3 % under 20 km.
    fields = {"height": bicubic(analysis.upper["gh"], i, j)} | _air(analysis.upper, analysis, grid, i, j)
    orography = bicubic(analysis.surface["orog"], i, j)
    surface_pressure = np.exp(bicubic(np.log(analysis.surface["sp"]), i, j))
    near_ground = None
    if analysis.near_ground:
        middle = surface_pressure - NEAR_GROUND_DEPTH / 2
        near_ground = Air(middle, **_air(analysis.near_ground, analysis, grid, i, j))
    fields = fill_below_ground(analysis.pressure, surface_pressure, fields, near_ground)
    pressure, fields = extend_upwards(analysis.pressure, fields, top)
    return pressure, fields, orography


def surface(analysis: PressureAnalysis, grid: Grid, terrain: Array, land: Array, columns: dict[str, Array]) -> Surface:
    """The ground's temperature: that of the air at 2 m where the file has it, else of the lowest air."""
    i, j = analysis.indices(*grid.positions())
    if "2t" in analysis.optional:
        near = bilinear(analysis.optional["2t"], i, j)
        ground = brought_to(terrain, near, bilinear(analysis.surface["orog"], i, j))
    else:
        ground = from_column(terrain, columns["temperature"], columns["height"])
    fallen = analysis.optional.get("tp")
    return Surface(land, ground, None if fallen is None else np.maximum(bilinear(fallen, i, j), 0.0))


def _air(fields: dict[str, Array], analysis: PressureAnalysis, grid: Grid, i: Array, j: Array) -> dict[str, Array]:
    """Temperature, relative humidity and wind on the grid, the wind turned to the grid's axes."""
    u, v = bicubic(fields["u"], i, j), bicubic(fields["v"], i, j)
    longitude = grid.positions()[1]
    turn = grid.projection.turn(longitude) - analysis.projection.turn(longitude)
    return {
        "temperature": bicubic(fields["t"], i, j),
        # Bilinear for humidity: it never leaves the range of its neighbours.
        "relative_humidity": np.clip(bilinear(fields["r"], i, j) / 100.0, 0.0, 1.0),
        "u": u * np.cos(turn) - v * np.sin(turn),
        "v": u * np.sin(turn) + v * np.cos(turn),
    }
