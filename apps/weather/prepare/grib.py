# SPDX-License-Identifier: BSD-3-Clause
"""Reads analyses or forecasts on pressure levels from GRIB files (editions 1 and 2), one or more times."""

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime as dt
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import grib_grid
import grib_soil
import soil
from atmosphere import EPSILON, Air, extend_upwards, fill_below_ground, saturation_pressure
from interpolate import bicubic, bilinear
from lambert import Array, Grid
from problem import InputError, need, regular_file
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
INSTEAD = {"q": "r"}  # specific humidity, where a file has it on as many levels
UNITS = {
    "gh": "m",
    "t": "K",
    "r": "%",
    "q": "kg kg-1",
    "u": "m s-1",
    "v": "m s-1",
    "sp": "Pa",
    "orog": "m",
    "2t": "K",
    "tp": "kg m-2",
    grib_soil.TEMPERATURE: "K",
    grib_soil.WATER: "1",
    grib_soil.LAND: "1",
}
RANGES = {  # of a field on the Earth, in these units
    "gh": (-1000, 60000),
    "t": (120, 350),
    "r": (-5, 200),
    "q": (-0.001, 0.1),
    "u": (-250, 250),
    "v": (-250, 250),
    "sp": (30000, 115000),
    "orog": (-1000, 9000),
    "2t": (150, 350),
    "tp": (-1, 5000),
    grib_soil.TEMPERATURE: (150, 350),
    grib_soil.WATER: (-0.01, 1.01),
    grib_soil.LAND: (-0.01, 1.01),
}
NEAR_GROUND = ("t", "r", "u", "v")  # means of the lowest layer, used where the file has all four
FIELD_WITHIN = 30  # seconds; the library goes round for ever in some damaged files
HEADING_WITHIN = 65536  # bytes in which the first message begins, behind headings of bulletins
NEAR_GROUND_DEPTH = 3000  # Pa
SURFACE = {"sp": "surface pressure", "orog": "height of the ground"}
# Temperature at 2 m (in edition 1 of the ECMWF at the surface), precipitation since the forecast began.
OPTIONAL = {"2t": ("heightAboveGround", "surface"), "tp": ("surface",)}
STATIC = ("orog", grib_soil.LAND)  # which some centres give once, at a time of its own
REFERENCE = ("year", "month", "day", "hour", "minute")
Key = tuple[str, int]
Message = dict[str, Any]


@dataclass(frozen=True)
class PressureAnalysis:
    """One time of a GRIB file: upper[name][level, row, column] from the bottom up, the others [name][row, column]."""

    source: str
    valid_time: dt.datetime
    points: grib_grid.Points
    pressure: Array
    upper: dict[str, Array]
    surface: dict[str, Array]
    near_ground: dict[str, Array]
    optional: dict[str, Array]
    soil: soil.Soil


def read(paths: Sequence[Path]) -> list[PressureAnalysis]:
    """All times of the files, in order; every fault ends in an InputError that names the file."""
    named = ", ".join(map(str, paths))
    by_time: dict[str, dict[Key, Message]] = {}
    seen: dict[str, str] = {}
    for path in paths:
        _check_looks_like_grib(path)
        need("eccodes", "python3-eccodes")
        found, names = _apart(path)
        _join(path, by_time, found)
        seen |= names
    if not any(by_time.values()):
        what = ", ".join(f"{name} ({text})" for name, text in list(seen.items())[:3]) or "nothing at all"
        raise InputError(f"{named}: no temperature in it, nor anything else on pressure levels: it holds {what}")
    static = {key: each[key] for each in reversed(by_time.values()) for key in each if key[0] in STATIC}
    times = sorted(time for time, each in by_time.items() if any(key[0] in UPPER_AIR for key in each))
    for time in times or sorted(by_time)[:1]:
        by_time[time] = static | by_time[time]
        _check_complete(named, by_time[time])
    return [_assemble(named, by_time[time], _common_levels(named, by_time[time])) for time in times]


def _check_complete(named: str, messages: dict[Key, Message]) -> None:
    for name in UPPER_AIR:
        names = {name, *(other for other, own in INSTEAD.items() if own == name)}
        if not any(key[0] in names for key in messages):
            raise InputError(f"{named}: variable '{name}' ({UPPER_AIR[name]}) on pressure levels is missing")
    for name in SURFACE:
        if (name, 0) not in messages:
            raise InputError(f"{named}: variable '{name}' ({SURFACE[name]}) at the surface is missing")


def _common_levels(named: str, messages: dict[Key, Message]) -> list[int]:
    """The levels that all variables have, from the bottom up; q stands for r if it has as many of them."""
    have = {name: {level for other, level in messages if other == name} for name in (*UPPER_AIR, *INSTEAD)}
    for other, name in INSTEAD.items():
        if len(have[other]) >= len(have[name]) and have[other]:
            for level in have[name]:
                del messages[(name, level)]
            have[name] = have[other]
    levels = set.intersection(*(have[name] for name in UPPER_AIR))
    every = set.union(*(have[name] for name in UPPER_AIR))
    if len(levels) < 5:
        few = min(UPPER_AIR, key=lambda name: len(have[name]))
        raise InputError(
            f"{named}: only {len(levels)} pressure levels have all variables, at least 5 are needed; "
            f"'{few}' is there on {len(have[few])} of {len(every)}"
        )
    for name in UPPER_AIR:
        if lost := sorted(every - have[name], reverse=True):
            said = ", ".join(map(str, lost))
            print(f"prepare.py: note: left out are the levels that '{name}' lacks: {said} hPa", file=sys.stderr)
    return sorted(levels, reverse=True)


def _check_looks_like_grib(path: Path) -> None:
    if path == DEFAULT_FILE and not path.exists():
        raise InputError(f"{path}: no such file; install the Debian package {DEFAULT_PACKAGE}")
    with open(regular_file(path), "rb") as file:
        start = file.read(HEADING_WITHIN)
    at = start.find(b"GRIB")
    if at < 0:
        raise InputError(f"{path}: not a GRIB file: it starts with {start[:4]!r}, and no 'GRIB' follows")
    edition = start[at + 7] if len(start) > at + 7 else 0
    if edition not in (1, 2):
        raise InputError(f"{path}: GRIB edition {edition}, this program reads editions 1 and 2")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The library writes what it does not know of a message straight to the terminal; we say it ourselves."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _apart(path: Path) -> tuple[dict[str, dict[Key, Message]], dict[str, str]]:
    """What _messages returns, from a process of its own: some damaged files crash the library, or never end in it."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        try:
            return pool.submit(_messages, path).result()
        except concurrent.futures.process.BrokenProcessPool as error:
            raise InputError(f"{path}: damaged: ecCodes crashes on it, or does not end within a field") from error


def _join(path: Path, all_times: dict[str, dict[Key, Message]], found: dict[str, dict[Key, Message]]) -> None:
    """Adds the fields of another file, which may repeat some but not differ."""
    for time, messages in found.items():
        known = all_times.setdefault(time, {})
        for key, message in messages.items():
            if key in known and not _is_same(message, known[key]):
                raise _twice(f"{path}: '{key[0]}' at level {key[1]}")
            known[key] = message


def _twice(where: str) -> InputError:
    return InputError(f"{where} is there twice, with values that differ: give files of one forecast")


def _messages(path: Path) -> tuple[dict[str, dict[Key, Message]], dict[str, str]]:
    """The fields wanted, by valid time, short name and level (hPa; 0: surface), and what there is, by name.

    A message may hold several fields, as NCEP's u and v.
    """
    eccodes = need("eccodes", "python3-eccodes")
    by_time: dict[str, dict[Key, Message]] = {}
    seen: dict[str, str] = {}
    count = 0
    eccodes.codes_grib_multi_support_on()
    try:
        with open(path, "rb") as file, _quiet():
            eccodes.codes_grib_multi_support_reset_file(file)  # of a file before this one that ended in a fault
            signal.alarm(FIELD_WITHIN)
            while (handle := eccodes.codes_grib_new_from_file(file)) is not None:
                count += 1
                signal.alarm(FIELD_WITHIN)
                try:
                    _keep_if_wanted(path, eccodes, handle, by_time, seen)
                finally:
                    eccodes.codes_release(handle)
    except (eccodes.CodesInternalError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: damaged or truncated after {count} whole fields ({error})") from error
    finally:
        signal.alarm(0)
        eccodes.codes_grib_multi_support_off()
    return by_time, seen


def _key_of(name: str, kind: str, level: int) -> Key | None:
    """Where a field belongs, or None if it is not wanted. Geopotential (z) stands for heights."""
    aloft, ground = {"z": "gh"}.get(name, name), {"z": "orog"}.get(name, name)
    if kind == "isobaricInhPa" and (aloft in UPPER_AIR or aloft in INSTEAD):
        return aloft, level
    if kind == "isobaricInPa" and (aloft in UPPER_AIR or aloft in INSTEAD) and level % 100 == 0:
        return aloft, level // 100
    if kind == "surface" and ground in SURFACE:
        return ground, 0
    if kind in OPTIONAL.get(name, ()):
        return name, 0
    if kind == "pressureFromGroundLayer" and name in NEAR_GROUND and level == NEAR_GROUND_DEPTH:
        return "near ground " + name, 0
    return None


def _keep_if_wanted(
    path: Path, eccodes: Any, handle: Any, by_time: dict[str, dict[Key, Message]], seen: dict[str, str]
) -> None:
    def get(key: str, otherwise: Any = None) -> Any:
        try:
            return eccodes.codes_get(handle, key)
        except eccodes.KeyValueNotFoundError:
            if otherwise is None:
                raise
            return otherwise

    name = get("shortName", "unknown")
    seen.setdefault(name, get("parameterName", "unknown"))
    kind = get("typeOfLevel", "none")
    in_soil = grib_soil.key_of(name, kind, get)
    key = (in_soil, 0) if in_soil else _key_of(name, kind, get("level", 0))
    if key is None:
        return
    where = f"{path}: '{key[0]}' at level {key[1]}"
    grid = get("gridType", "unknown")
    if grid not in grib_grid.KEYS:
        known = " and ".join(f"'{name}'" for name in grib_grid.KEYS)
        raise InputError(f"{where} is on a '{grid}' grid, this program reads {known}")
    names = ("validityDate", "validityTime", "numberOfMissing", "edition", "centre", *REFERENCE, *grib_grid.KEYS[grid])
    header = {"gridType": grid} | {name: get(name) for name in names}
    values, units = eccodes.codes_get_values(handle), str(get("units"))
    lacking = np.zeros(values.shape, bool)
    if in_soil:  # which there is none of at sea
        lacking = values == get("missingValue")
        units = grib_soil.units_of(in_soil, units, get)
    elif header["numberOfMissing"]:
        raise InputError(f"{where} has {header['numberOfMissing']} missing values, allowed 0")
    values = _checked(where, key[0].removeprefix("near ground ").split()[0], values, units, lacking)
    header["values"] = np.where(lacking, np.nan, values)
    wanted = by_time.setdefault(f"{header['validityDate']:08d}{header['validityTime']:04d}", {})
    if key in wanted and not _is_same(header, wanted[key]):
        raise _twice(where)
    wanted[key] = header


def _is_same(one: Message, other: Message) -> bool:
    heads = [{name: value for name, value in each.items() if name != "values"} for each in (one, other)]
    return heads[0] == heads[1] and np.array_equal(one["values"], other["values"], equal_nan=True)


def _checked(where: str, name: str, values: Array, units: str, lacking: Array) -> Array:
    """The values in our units, within what there is on the Earth; those that may be missing are not looked at."""
    values = converted(values, units, UNITS[name], where)
    low, high = RANGES[name]
    outside = ~((values >= low) & (values <= high)) & ~lacking
    if outside.any():
        raise InputError(
            f"{where} holds {values[outside.argmax()]:g} {UNITS[name]}, outside the allowed range {low} to {high}"
        )
    return values


def _assemble(named: str, messages: dict[Key, Message], levels: list[int]) -> PressureAnalysis:
    head = messages[("gh", levels[0])]
    for (name, level), other in messages.items():
        where = f"{named}: '{name}' at level {level}"
        own = set() if name in STATIC else {*REFERENCE, "validityDate", "validityTime"}
        for key in {"gridType", *grib_grid.KEYS[head["gridType"]], "centre", *own}:
            if other.get(key) != head[key]:
                raise InputError(f"{where} has {key} = {other.get(key)}, the other fields have {head[key]}")
        if other["values"].size != other["Nx"] * other["Ny"]:
            raise InputError(f"{where} has {other['values'].size} values on a grid of {other['Nx']} x {other['Ny']}")
    points = grib_grid.points(Path(named), head)

    def field(name: str, level: int) -> Array:
        return points.arranged(messages[(name, level)]["values"])

    near_ground = all(("near ground " + name, 0) in messages for name in NEAR_GROUND)
    _check_column(named, {level: field("gh", level) for level in levels})
    pressure = np.array(levels) * 100.0
    humid = "r" if ("r", levels[0]) in messages else "q"
    upper = {name: np.stack([field(name, level) for level in levels]) for name in ("gh", "t", humid, "u", "v")}
    if humid == "q":
        upper["r"] = _relative(upper.pop("q"), upper["t"], pressure[:, None, None])
    valid = _time(named, head)
    return PressureAnalysis(
        source=f"{_length(head, valid)} of centre {head['centre']}, GRIB{head['edition']} file "
        + ", ".join(Path(path).name for path in named.split(", ")),
        valid_time=valid,
        points=points,
        pressure=pressure,
        upper=upper,
        surface={name: field(name, 0) for name in SURFACE},
        near_ground={name: field("near ground " + name, 0) for name in NEAR_GROUND} if near_ground else {},
        optional={name: field(name, 0) for name in OPTIONAL if (name, 0) in messages},
        soil=grib_soil.soil_of(messages, points.arranged),
    )


def _relative(humidity: Array, temperature: Array, pressure: Array) -> Array:
    """Relative humidity over water [%] of a specific humidity."""
    vapour = humidity * pressure / (EPSILON + (1 - EPSILON) * humidity)
    return 100.0 * vapour / saturation_pressure(temperature)


def _length(head: Message, valid: dt.datetime) -> str:
    """What the fields are: an analysis, or a forecast of so many hours."""
    reference = dt.datetime(*(head[name] for name in REFERENCE), tzinfo=dt.timezone.utc)
    hours = (valid - reference).total_seconds() / 3600
    return f"{hours:g}-hour forecast" if hours else "analysis"


def _time(named: str, head: Message) -> dt.datetime:
    """The time that the fields are valid at; eccodes makes one of an impossible time of reference too."""
    stamp = f"{head['year']:04d}-{head['month']:02d}-{head['day']:02d} {head['hour']:02d}:{head['minute']:02d}"
    valid = f"{head['validityDate']:08d}{head['validityTime']:04d}"
    try:
        dt.datetime.strptime(stamp, "%Y-%m-%d %H:%M")
        return dt.datetime.strptime(valid, "%Y%m%d%H%M").replace(tzinfo=dt.timezone.utc)
    except ValueError as error:
        raise InputError(f"{named}: the time of reference {stamp} is no time there is") from error


def _check_column(named: str, heights: dict[int, Array]) -> None:
    """Refuse levels whose heights do not rise, naming the lowest."""
    levels = list(heights)
    for low, high in zip(levels, levels[1:]):
        if (heights[high] <= heights[low]).any():
            raise InputError(f"{named}: 'gh' does not rise from {low} hPa to {high} hPa everywhere")


def check_covers(analysis: PressureAnalysis, grid: Grid, i: Array, j: Array) -> None:
    """Refuse a model grid that reaches outside the analysis, naming the worst point."""
    ny, nx = analysis.points.shape
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


def ground(analysis: PressureAnalysis, grid: Grid) -> Array:
    """The analysis' ground (y, x) on the grid, which must not reach outside it."""
    i, j = analysis.points.indices(*grid.positions())
    check_covers(analysis, grid, i, j)
    return bicubic(analysis.surface["orog"], i, j)


def to_grid(analysis: PressureAnalysis, grid: Grid, top: float) -> tuple[Array, dict[str, Array]]:
    """Interpolate to the grid: pressure(level) and fields(level, y, x)."""
    latitude, longitude = grid.positions()
    i, j = analysis.points.indices(latitude, longitude)
    check_covers(analysis, grid, i, j)
    # Geopotential metres are taken as metres; the difference is below 0.3 % under 20 km.
    fields = {"height": bicubic(analysis.upper["gh"], i, j)} | _air(analysis.upper, analysis, grid, i, j)
    surface_pressure = np.exp(bicubic(np.log(analysis.surface["sp"]), i, j))
    near_ground = None
    if analysis.near_ground:
        middle = surface_pressure - NEAR_GROUND_DEPTH / 2
        near_ground = Air(middle, **_air(analysis.near_ground, analysis, grid, i, j))
    fields = fill_below_ground(analysis.pressure, surface_pressure, fields, near_ground)
    pressure, fields = extend_upwards(analysis.pressure, fields, top)
    return pressure, fields


def surface(analysis: PressureAnalysis, grid: Grid, terrain: Array, land: Array, columns: dict[str, Array]) -> Surface:
    """The ground's temperature: that of the air at 2 m where the file has it, else of the lowest air."""
    i, j = analysis.points.indices(*grid.positions())
    if "2t" in analysis.optional:
        near = bilinear(analysis.optional["2t"], i, j)
        ground = brought_to(terrain, near, bilinear(analysis.surface["orog"], i, j))
    else:
        ground = from_column(terrain, columns["temperature"], columns["height"])
    fallen = analysis.optional.get("tp")
    return Surface(
        land,
        ground,
        None if fallen is None else np.maximum(bilinear(fallen, i, j), 0.0),
        soil.on_columns(analysis.soil, analysis.surface["orog"], terrain, land, i, j),
    )


def _air(fields: dict[str, Array], analysis: PressureAnalysis, grid: Grid, i: Array, j: Array) -> dict[str, Array]:
    """Temperature, relative humidity and wind on the grid, the wind turned to the grid's axes."""
    u, v = bicubic(fields["u"], i, j), bicubic(fields["v"], i, j)
    longitude = grid.positions()[1]
    turn = grid.projection.turn(longitude) - analysis.points.turn(longitude)
    return {
        "temperature": bicubic(fields["t"], i, j),
        # Bilinear for humidity: it never leaves the range of its neighbours.
        "relative_humidity": np.clip(bilinear(fields["r"], i, j) / 100.0, 0.0, 1.0),
        "u": u * np.cos(turn) - v * np.sin(turn),
        "v": u * np.sin(turn) + v * np.cos(turn),
    }
