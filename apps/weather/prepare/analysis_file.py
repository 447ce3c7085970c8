# SPDX-License-Identifier: BSD-3-Clause
"""Writes the analysis file from which the weather model starts, and the file of its sides at later times.

Both are NetCDF-4, CF-1.10, whole or not at all. That of the sides has a dimension time, and the times in UTC, with
blanks between them, in the attribute valid_times.
"""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from atmosphere import pressure_at, saturation_pressure, specific_humidity
from lambert import Array, Grid
from problem import InputError, need
from surface import Surface

UPPER_AIR = {  # name: (units, standard name, long name)
    "height": ("m", "geopotential_height", "height above sea level"),
    "temperature": ("K", "air_temperature", "temperature"),
    "specific_humidity": ("kg kg-1", "specific_humidity", "specific humidity"),
    "u": ("m s-1", "x_wind", "wind along the grid's x axis at cell centres"),
    "v": ("m s-1", "y_wind", "wind along the grid's y axis at cell centres"),
}
SURFACE = {
    "terrain": ("m", "surface_altitude", "height of the model's ground"),
    "surface_pressure": ("Pa", "surface_air_pressure", "pressure at the model's ground"),
    "coriolis": ("s-1", "coriolis_parameter", "Coriolis parameter"),
    "map_scale": ("1", "", "length on the map over length on the sphere (the model takes 1)"),
    "land_fraction": ("1", "land_area_fraction", "share of land"),
    "ground_temperature": ("K", "surface_temperature", "temperature of the ground or the sea"),
    "roughness_length": ("m", "surface_roughness_length", "roughness length of the ground or the sea"),
    "ground_wetness": ("1", "", "evaporation over that of open water"),
}
SOIL = {  # of the start, where the analysis has them
    "soil_temperature": ("K", "soil_temperature", "temperature of the land's ground, 0 to 5 cm deep"),
    "deep_soil_temperature": ("K", "soil_temperature", "temperature below, 10 to 50 cm deep"),
}
PRECIPITATION = ("kg m-2", "precipitation_amount", "what fell in the hours before the start, for comparison")


@dataclass(frozen=True)
class Analysis:
    """What goes into the file; fields hold height, temperature, relative_humidity, u, v (level, y, x)."""

    grid: Grid
    pressure: Array
    fields: dict[str, Array]
    terrain: Array
    surface: Surface
    coriolis: Array
    valid_time: dt.datetime
    title: str
    source: str
    comment: str

    def surface_pressure(self) -> Array:
        return pressure_at(self.terrain, self.pressure, self.fields["height"])

    def specific_humidity(self) -> Array:
        vapour = self.fields["relative_humidity"] * saturation_pressure(self.fields["temperature"])
        return specific_humidity(vapour, self.pressure[:, None, None])


def write(analysis: Analysis, path: Path) -> None:
    """The file of one time."""
    _write([analysis], path, ())


def write_sides(times: list[Analysis], path: Path) -> None:
    """One file of all times, which have the same grid, ground and levels."""
    for each in times:
        if not np.array_equal(each.pressure, times[0].pressure):
            raise InputError(
                f"{path}: the levels of {each.valid_time:%Y-%m-%d %H:%M} are not those of "
                f"{times[0].valid_time:%Y-%m-%d %H:%M}"
            )
    _write(times, path, ("time",))


def _write(times: list[Analysis], path: Path, record: tuple[str, ...]) -> None:
    """Write FILE.part, then rename it, so that a file of the final name is always complete."""
    netcdf = need("netCDF4", "python3-netcdf4")
    for analysis in times:
        _check_sound(analysis)
    part = path.with_name(path.name + ".part")
    try:
        with netcdf.Dataset(part, "w", format="NETCDF4") as data:
            _fill(data, times, record)
        os.replace(part, path)
    except (OSError, RuntimeError) as error:
        part.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error})") from error


def _check_sound(analysis: Analysis) -> None:
    """What is written is finite, and heights rise; whatever the inputs were."""
    named = dict(analysis.fields, terrain=analysis.terrain, ground_temperature=analysis.surface.ground_temperature)
    for name, values in named.items():
        if not np.isfinite(values).all():
            bad = int((~np.isfinite(values)).sum())
            raise InputError(f"{analysis.source}: the {name} made of it is not finite in {bad} places")
    if not (np.diff(analysis.fields["height"], axis=0) > 0).all():
        raise InputError(f"{analysis.source}: the heights made of it do not rise from level to level")


def _fill(data, times: list[Analysis], record: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    analysis = times[0]
    grid = analysis.grid
    if record:
        _time_axis(data, times)
    for name, size in (("level", len(analysis.pressure)), ("y", grid.ny), ("x", grid.nx)):
        data.createDimension(name, size)
    _attributes(data, analysis)
    mapping = data.createVariable("lambert", "i4")
    mapping.setncatts(grid.projection.attributes())
    for name, values in (("x", grid.x), ("y", grid.y)):
        _axis(
            data,
            name,
            values,
            units="m",
            axis=name.upper(),
            standard_name=f"projection_{name}_coordinate",
            long_name=f"{name} of the cell centres on the map",
        )
    _axis(
        data,
        "pressure",
        analysis.pressure,
        dimension="level",
        units="Pa",
        standard_name="air_pressure",
        long_name="pressure of the levels, from the bottom up",
        positive="down",
    )
    latitude, longitude = grid.positions()
    for name, values, units in (("latitude", latitude, "degrees_north"), ("longitude", longitude, "degrees_east")):
        variable = data.createVariable(name, "f8", ("y", "x"))
        variable.setncatts({"standard_name": name, "units": units, "long_name": name})
        variable[:] = values
    for name, described in UPPER_AIR.items():
        each = [one.specific_humidity() if name == "specific_humidity" else one.fields[name] for one in times]
        values = np.stack(each) if record else each[0]
        _field(data, name, (*record, "level", "y", "x"), values, *described, "pressure latitude longitude")
    surface = {
        "terrain": analysis.terrain,
        "surface_pressure": analysis.surface_pressure(),
        "coriolis": analysis.coriolis,
        "map_scale": grid.projection.scale(latitude),
        "land_fraction": analysis.surface.land_fraction,
        "ground_temperature": analysis.surface.ground_temperature,
        "roughness_length": analysis.surface.roughness_length,
        "ground_wetness": analysis.surface.ground_wetness,
    }
    for name, described in SURFACE.items():
        _field(data, name, ("y", "x"), surface[name], *described, "latitude longitude")
    for name, described in SOIL.items():
        values = getattr(analysis.surface, name)
        if values is not None and not record:
            _field(data, name, ("y", "x"), values, *described, "latitude longitude")
    fallen = analysis.surface.precipitation_before
    if fallen is not None:
        _field(data, "precipitation_before", ("y", "x"), fallen, *PRECIPITATION, "latitude longitude")


def _attributes(data, analysis: Analysis) -> None:  # type: ignore[no-untyped-def]
    stamp = analysis.valid_time.strftime("%Y-%m-%dT%H:%M:%SZ")
    now = dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    data.setncatts(
        {
            "Conventions": "CF-1.10",
            "title": analysis.title,
            "source": analysis.source,
            "comment": analysis.comment,
            "history": f"{now} written by prepare.py",
            "valid_time": stamp,
            "dx": np.float64(analysis.grid.dx),
            "dy": np.float64(analysis.grid.dx),
        }
    )


def _time_axis(data, times: list[Analysis]) -> None:  # type: ignore[no-untyped-def]
    first = times[0].valid_time
    data.createDimension("time", len(times))
    seconds = np.array([(each.valid_time - first).total_seconds() for each in times])
    units = f"seconds since {first:%Y-%m-%d %H:%M:%S}"
    _axis(data, "time", seconds, units=units, axis="T", standard_name="time", calendar="standard")
    data.valid_times = " ".join(f"{each.valid_time:%Y-%m-%dT%H:%M:%SZ}" for each in times)


def _axis(  # type: ignore[no-untyped-def]
    data, name: str, values: Array, dimension: str = "", **attributes: str
) -> None:
    variable = data.createVariable(name, "f8", (dimension or name,))
    variable.setncatts(attributes)
    variable[:] = values


def _field(
    data,
    name: str,
    dimensions: tuple[str, ...],
    values: Array,
    units: str,
    standard_name: str,  # type: ignore[no-untyped-def]
    long_name: str,
    coordinates: str,
) -> None:
    kind = "f4" if len(dimensions) > 2 else "f8"
    variable = data.createVariable(name, kind, dimensions, zlib=True, complevel=2, shuffle=True)
    named = {"standard_name": standard_name} if standard_name else {}
    variable.setncatts(
        {"units": units, **named, "long_name": long_name, "grid_mapping": "lambert", "coordinates": coordinates}
    )
    variable[:] = values
