# SPDX-License-Identifier: BSD-3-Clause
"""Reads an analysis or forecast on pressure levels from a GRIB2 file on a Lambert grid."""

from __future__ import annotations

import datetime as dt
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atmosphere import Air, extend_upwards, fill_below_ground
from interpolate import bicubic, bilinear
from lambert import Array, Grid, Lambert
from problem import InputError, check_range, need, regular_file
from surface import Surface, brought_to, from_column
from units import converted

DEFAULT_FILE = Path("/usr/share/ncarg/data/grb/fh.0012_tl.press_gr.awp211.grb2")
DEFAULT_PACKAGE = "libncarg-data"
UPPER_AIR = {
    "gh": "geopotential height",
    "t": "temperature",
    "r": "relative humidity",
    "u": "wind along x",
    "v": "wind along y",
}
UNITS = {"gh": "m", "t": "K", "r": "%", "u": "m s-1", "v": "m s-1", "sp": "Pa", "orog": "m", "2t": "K", "tp": "kg m-2"}
RANGES = {  # of a field on the Earth, in these units
    "gh": (-1000, 60000),
    "t": (120, 350),
    "r": (-5, 200),
    "u": (-250, 250),
    "v": (-250, 250),
    "sp": (30000, 115000),
    "orog": (-1000, 9000),
    "2t": (150, 350),
    "tp": (-1, 5000),
}
NEAR_GROUND = ("t", "r", "u", "v")  # means of the lowest layer, used where the file has all four
FIELD_WITHIN = 30  # seconds; the library goes round for ever in some damaged files
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
    if path == DEFAULT_FILE and not path.exists():
        raise InputError(f"{path}: no such file; install the Debian package {DEFAULT_PACKAGE}")
    with open(regular_file(path), "rb") as file:
        start = file.read(16)
    if start[:4] != b"GRIB":
        raise InputError(f"{path}: not a GRIB file: it starts with {start[:4]!r}, not b'GRIB'")
    if len(start) < 8 or start[7] != 2:
        raise InputError(f"{path}: GRIB edition {start[7] if len(start) > 7 else '?'}, this program reads edition 2")


def _messages(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The fields wanted, by short name and level (hPa; 0: surface); a message may hold several, as NCEP's u and v."""
    eccodes = need("eccodes", "python3-eccodes")
    wanted: dict[tuple[str, int], dict[str, Any]] = {}
    count = 0
    eccodes.codes_grib_multi_support_on()
    try:
        with open(path, "rb") as file:
            eccodes.codes_grib_multi_support_reset_file(file)  # of a file before this one that ended in a fault
            signal.alarm(FIELD_WITHIN)
            while (handle := eccodes.codes_grib_new_from_file(file)) is not None:
                count += 1
                signal.alarm(FIELD_WITHIN)
                try:
                    _keep_if_wanted(path, eccodes, handle, wanted)
                finally:
                    eccodes.codes_release(handle)
    except (eccodes.CodesInternalError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: damaged or truncated after {count} whole fields ({error})") from error
    finally:
        signal.alarm(0)
        eccodes.codes_grib_multi_support_off()
    return wanted


def _key_of(name: str, kind: str, level: int) -> tuple[str, int] | None:
    """Where a field belongs, or None if it is not wanted. Geopotential (z) stands for heights."""
    aloft, ground = {"z": "gh"}.get(name, name), {"z": "orog"}.get(name, name)
    if kind == "isobaricInhPa" and aloft in UPPER_AIR:
        return aloft, level
    if kind == "isobaricInPa" and aloft in UPPER_AIR and level % 100 == 0:
        return aloft, level // 100
    if kind == "surface" and ground in SURFACE:
        return ground, 0
    if OPTIONAL.get(name) == kind:
        return name, 0
    if kind == "pressureFromGroundLayer" and name in NEAR_GROUND and level == NEAR_GROUND_DEPTH:
        return "near ground " + name, 0
    return None


def _keep_if_wanted(path: Path, eccodes: Any, handle: Any, wanted: dict[tuple[str, int], dict[str, Any]]) -> None:
    def get(key: str) -> Any:
        return eccodes.codes_get(handle, key)

    key = _key_of(get("shortName"), get("typeOfLevel"), get("level"))
    if key is None:
        return
    header = {name: get(name) for name in ("gridType", "validityDate", "validityTime", "numberOfMissing", *REFERENCE)}
    where = f"{path}: '{key[0]}' at level {key[1]}"
    if header["gridType"] == "lambert":
        header.update({name: get(name) for name in LAMBERT_KEYS})
        values = eccodes.codes_get_values(handle)
        if header["numberOfMissing"]:
            raise InputError(f"{where} has {header['numberOfMissing']} missing values, allowed 0")
        header["values"] = _checked(where, key[0].removeprefix("near ground "), values, str(get("units")))
    if key in wanted and not _is_same(header, wanted[key]):
        raise InputError(f"{where} is there twice, with values that differ: give a file of one time and one forecast")
    wanted[key] = header


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    heads = [{name: value for name, value in each.items() if name != "values"} for each in (one, other)]
    return heads[0] == heads[1] and ("values" not in one or np.array_equal(one["values"], other["values"]))


def _checked(where: str, name: str, values: Array, units: str) -> Array:
    """The values in our units, within what there is on the Earth."""
    values = converted(values, units, UNITS[name], where)
    low, high = RANGES[name]
    outside = ~((values >= low) & (values <= high))
    if outside.any():
        raise InputError(
            f"{where} holds {values[outside.argmax()]:g} {UNITS[name]}, outside the allowed range {low} to {high}"
        )
    return values


REFERENCE = ("year", "month", "day", "hour", "minute")
LAMBERT_KEYS = (
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
    "jPointsAreConsecutive",
    "alternativeRowScanning",
    "uvRelativeToGrid",
    "radius",
    "centre",
)


def _assemble(path: Path, messages: dict[tuple[str, int], dict[str, Any]], levels: list[int]) -> PressureAnalysis:
    head = messages[("gh", levels[0])]
    for (name, level), other in messages.items():
        where = f"{path}: '{name}' at level {level}"
        if other["gridType"] != "lambert":
            raise InputError(f"{where} is on a '{other['gridType']}' grid, this program reads 'lambert'")
        for key in set(head) - {"values", "numberOfMissing"}:
            if other[key] != head[key]:
                raise InputError(f"{where} has {key} = {other[key]}, the other fields have {head[key]}")
        if other["values"].size != other["Nx"] * other["Ny"]:
            raise InputError(f"{where} has {other['values'].size} values on a grid of {other['Nx']} x {other['Ny']}")
    projection = _projection(path, head)
    shape = (head["Ny"], head["Nx"])

    def field(name: str, level: int) -> Array:
        values = messages[(name, level)]["values"].reshape(shape)
        return values if head["jScansPositively"] else values[::-1]

    x, y = projection.forward(head["latitudeOfFirstGridPointInDegrees"], head["longitudeOfFirstGridPointInDegrees"])
    if not head["jScansPositively"]:
        y = y - (shape[0] - 1) * head["DyInMetres"]
    near_ground = all(("near ground " + name, 0) in messages for name in NEAR_GROUND)
    _check_column(path, {level: field("gh", level) for level in levels})
    return PressureAnalysis(
        source=f"GRIB2 file {path.name} of centre {head['centre']}",
        valid_time=_time(path, head),
        projection=projection,
        first=(float(x), float(y)),
        spacing=(head["DxInMetres"], head["DyInMetres"]),
        pressure=np.array(levels) * 100.0,
        upper={name: np.stack([field(name, level) for level in levels]) for name in UPPER_AIR},
        surface={name: field(name, 0) for name in SURFACE},
        near_ground={name: field("near ground " + name, 0) for name in NEAR_GROUND} if near_ground else {},
        optional={name: field(name, 0) for name in OPTIONAL if (name, 0) in messages},
    )


def _projection(path: Path, head: dict[str, Any]) -> Lambert:
    """The grid's projection; refuses what no Lambert grid has, and orders of values that are not read."""
    for key, low, high in (
        ("Nx", 2, 100000),
        ("Ny", 2, 100000),
        ("DxInMetres", 1, 1e6),
        ("DyInMetres", 1, 1e6),
        ("radius", 6.3e6, 6.4e6),
        ("LoVInDegrees", -360, 360),
        ("LaDInDegrees", -90, 90),
        ("Latin1InDegrees", -89, 89),
        ("Latin2InDegrees", -89, 89),
        ("latitudeOfFirstGridPointInDegrees", -89, 89),
        ("longitudeOfFirstGridPointInDegrees", -360, 360),
    ):
        check_range(f"{path}: {key}", head[key], low, high)
    if head["iScansNegatively"]:
        raise InputError(f"{path}: rows run from east to west, only west to east is read")
    if head["jPointsAreConsecutive"] or head["alternativeRowScanning"]:
        raise InputError(f"{path}: values run along columns or in alternating rows, only plain rows are read")
    if not head["uvRelativeToGrid"]:
        raise InputError(f"{path}: winds are relative to east and north, only winds relative to the grid are read")
    parallels = (head["Latin1InDegrees"], head["Latin2InDegrees"])
    if abs(sum(parallels)) < 2 or parallels[0] * parallels[1] < 0:
        raise InputError(f"{path}: standard parallels {parallels[0]:g} and {parallels[1]:g} degrees make no cone")
    return Lambert(head["LoVInDegrees"], head["LaDInDegrees"], parallels, float(head["radius"]))


def _time(path: Path, head: dict[str, Any]) -> dt.datetime:
    """The time that the fields are valid at; eccodes makes one of an impossible time of reference too."""
    stamp = f"{head['year']:04d}-{head['month']:02d}-{head['day']:02d} {head['hour']:02d}:{head['minute']:02d}"
    valid = f"{head['validityDate']:08d}{head['validityTime']:04d}"
    try:
        dt.datetime.strptime(stamp, "%Y-%m-%d %H:%M")
        return dt.datetime.strptime(valid, "%Y%m%d%H%M").replace(tzinfo=dt.timezone.utc)
    except ValueError as error:
        raise InputError(f"{path}: the time of reference {stamp} is no time there is") from error


def _check_column(path: Path, heights: dict[int, Array]) -> None:
    """Refuse levels whose heights do not rise, naming the lowest."""
    levels = list(heights)
    for low, high in zip(levels, levels[1:]):
        if (heights[high] <= heights[low]).any():
            raise InputError(f"{path}: 'gh' does not rise from {low} hPa to {high} hPa everywhere")


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
