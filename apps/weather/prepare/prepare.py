#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the weather model's start from real data: GRIB files or a radiosonde, over real terrain.

GRIB files of several times give side values too: the first time is the start, all later ones lie in one file
of sides, OUTPUT.sides.nc, which the model's key side_files names.

Without options: NCEP's 12-hour NAM forecast for 24 January 2007 12 UTC (Debian package libncarg-data) on
100 x 100 columns of 20 km over the western Gulf of Mexico, with ETOPO5 terrain (Debian package
ferret-datasets) or, where that package is not installed, the terrain of the GRIB file.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np

import grib
import sounding
import terrain
from analysis_file import Analysis, write, write_sides
from lambert import Array, Grid, about
from problem import InputError, check_range, command
from surface import Surface, from_column

DEFAULT_CENTRE = (29.0, -96.0)


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    start = parser.add_mutually_exclusive_group()
    start.add_argument(
        "--grib",
        type=Path,
        nargs="+",
        default=[grib.DEFAULT_FILE],
        metavar="FILE",
        help="GRIB files (editions 1, 2) with gh or z, t, r or q, u, v on pressure levels, sp, and orog or z at the "
        "surface, on a Lambert grid or one of latitude and longitude, of one time or more",
    )
    start.add_argument(
        "--sounding", type=Path, metavar="FILE", help="radiosonde in the Wyoming text layout: the same air everywhere"
    )
    parser.add_argument("--output", type=Path, default=Path("analysis.nc"), metavar="FILE", help="default analysis.nc")
    parser.add_argument("--nx", type=int, default=100, help="columns from west to east (100)")
    parser.add_argument("--ny", type=int, default=100, help="columns from south to north (100)")
    parser.add_argument("--dx", type=float, default=20000.0, help="spacing in metres (20000)")
    parser.add_argument(
        "--centre",
        type=float,
        nargs=2,
        metavar=("LAT", "LON"),
        help="centre of the grid in degrees (29 -96; for a sounding its station)",
    )
    parser.add_argument(
        "--terrain",
        default="",
        metavar="{etopo5,nam,trinidad,flat,FILE[:VARIABLE]}",
        help="source of the ground; nam: as in the analysis; trinidad: the 3-second model of Trinidad, "
        "Colorado, in libncarg-data; FILE: NetCDF with heights over latitude and longitude; "
        "default etopo5 if installed, else nam (flat for a sounding)",
    )
    parser.add_argument("--smooth", type=int, default=2, metavar="N", help="passes of the 1-2-1 terrain filter (2)")
    parser.add_argument(
        "--max-rise",
        type=float,
        default=600.0,
        metavar="M",
        help="largest rise of the ground from a column to the next, m (600)",
    )
    parser.add_argument(
        "--blend",
        type=int,
        default=10,
        metavar="CELLS",
        help="width of the edge zone in which the ground passes into the analysis' ground (10)",
    )
    parser.add_argument(
        "--top",
        type=float,
        default=30.0,
        metavar="HPA",
        help="continue the columns isothermally up to this pressure (30)",
    )
    parser.add_argument(
        "--coriolis",
        type=float,
        metavar="F",
        help="constant Coriolis parameter, s-1 (default: from the latitude; 0 for a sounding)",
    )
    return parser.parse_args(words)


def check(options: argparse.Namespace) -> None:
    check_range("--nx", options.nx, 8, 4000)
    check_range("--ny", options.ny, 8, 4000)
    check_range("--smooth", options.smooth, 0, 100)
    check_range("--max-rise", options.max_rise, 1, 5000, " m")
    check_range("--blend", options.blend, 0, min(options.nx, options.ny) // 2, " cells")
    check_range("--top", options.top, 1, 500, " hPa")
    if options.coriolis is not None:
        check_range("--coriolis", options.coriolis, -1.5e-4, 1.5e-4, " s-1")
    folder = options.output.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{options.output}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{options.output}: the folder {folder} cannot be written")


def default_terrain() -> str:
    if terrain.ETOPO5.exists():
        return "etopo5"
    print(
        "prepare.py: note: ETOPO5 is not installed (Debian package ferret-datasets): taking the analysis' terrain",
        file=sys.stderr,
    )
    return "nam"


def treatment(options: argparse.Namespace) -> terrain.Treatment:
    return terrain.Treatment(options.smooth, options.max_rise, options.blend)


def from_grib(options: argparse.Namespace) -> list[Analysis]:
    """All times of the files, on the ground that the first one blends into."""
    times = grib.read(options.grib)
    centre = options.centre or DEFAULT_CENTRE
    grid = Grid.around(centre[0], centre[1], options.nx, options.ny, options.dx)
    choice = options.terrain or default_terrain()
    if choice == "flat":
        raise InputError("--terrain flat goes with --sounding only: the analysis has mountains in it")
    elevation = terrain.resolve(choice)
    ground, land = terrain.make(elevation, grid, grib.ground(times[0], grid), treatment(options))
    return [of_time(options, each, grid, choice, ground, land) for each in times]


def of_time(
    options: argparse.Namespace, analysis: grib.PressureAnalysis, grid: Grid, choice: str, ground: Array, land: Array
) -> Analysis:
    pressure, fields = grib.to_grid(analysis, grid, options.top * 100)
    return Analysis(
        grid,
        pressure,
        fields,
        ground,
        grib.surface(analysis, grid, ground, land, fields),
        coriolis(options, grid.coriolis()),
        analysis.valid_time,
        title=f"Start of a regional forecast, {analysis.valid_time:%Y-%m-%d %H} UTC",
        source=f"{analysis.source}; terrain: {choice}",
        comment=comment(options, analysis.pressure),
    )


def from_sounding(options: argparse.Namespace) -> Analysis:
    ascent = sounding.read(options.sounding)
    station = (ascent.latitude, ascent.longitude)
    if options.centre is None and np.isnan(station).any():
        raise InputError(f"{options.sounding}: no 'Station latitude' and 'Station longitude' lines; give --centre")
    centre = options.centre or station
    grid = Grid.around(centre[0], centre[1], options.nx, options.ny, options.dx)
    choice = options.terrain or "flat"
    if choice == "nam":
        raise InputError("--terrain nam goes with --grib only; with --sounding choose flat, etopo5, trinidad or a file")
    level = np.full((grid.ny, grid.nx), ascent.height[0])
    elevation = terrain.resolve(choice)
    ground, land = level, np.ones_like(level)
    if elevation is not None:
        ground, land = terrain.make(elevation, grid, level, treatment(options))
    pressure, fields = sounding.to_grid(ascent, grid, options.top * 100, float(ground.min()))
    return Analysis(
        grid,
        pressure,
        fields,
        ground,
        Surface(land, from_column(ground, fields["temperature"], fields["height"])),
        coriolis(options, np.zeros((grid.ny, grid.nx))),
        ascent.valid_time,
        title=f"Horizontally homogeneous start, {ascent.valid_time:%Y-%m-%d %H} UTC",
        source=f"{ascent.source}; terrain: {choice}",
        comment=comment(options, ascent.pressure),
    )


def coriolis(options: argparse.Namespace, otherwise: Array) -> Array:
    return otherwise if options.coriolis is None else np.full_like(otherwise, options.coriolis)


def comment(options: argparse.Namespace, observed: Array) -> str:
    return (
        f"Levels above {observed[-1] / 100:g} hPa are an isothermal continuation, levels below the data's own ground a "
        f"continuation with 6.5 K/km. Terrain: cell means, {options.smooth} passes of a 1-2-1 filter, rise limited to "
        f"{options.max_rise:g} m per cell, blended into the data's ground over {options.blend} cells at the edges."
    )


def report(analysis: Analysis, path: Path) -> str:
    """Some lines for the terminal."""
    grid, fields, warm = analysis.grid, analysis.fields, analysis.surface.ground_temperature
    latitude, longitude = grid.positions()
    longitude = about(grid.projection.central_longitude, longitude)
    ground, wind = analysis.terrain, np.hypot(fields["u"], fields["v"])
    scale = grid.projection.scale(latitude)
    top, low, high = fields["height"][-1].min() / 1000, latitude.min(), latitude.max()
    first, last = analysis.pressure[[0, -1]] / 100
    lines = [
        f"{path}: {analysis.title}, from {analysis.source}",
        f"  {grid.nx} x {grid.ny} columns of {grid.dx / 1000:g} km, {low:.1f} to {high:.1f} N, "
        f"{longitude.min():.1f} to {longitude.max():.1f} E, map scale {scale.min():.3f} to {scale.max():.3f}",
        f"  {len(fields['u'])} levels, {first:.0f} to {last:.0f} hPa, top at {top:.1f} km, "
        f"strongest wind {wind.max():.0f} m/s",
        f"  terrain {ground.min():.0f} to {ground.max():.0f} m, largest rise to the next column "
        f"{terrain.largest_rise(ground):.0f} m, {100 * analysis.surface.land_fraction.mean():.0f} % land, "
        f"ground at {warm.min() - 273.15:.0f} to {warm.max() - 273.15:.0f} C",
        *(f"  {line}" for line in analysis.surface.soil.said.splitlines()),
    ]
    return "\n".join(lines)


@command("prepare.py")
def main(words: list[str] | None = None) -> int:
    options = arguments(words)
    check(options)
    start, *later = [from_sounding(options)] if options.sounding else from_grib(options)
    write(start, options.output)
    print(report(start, options.output))
    if later:
        sides = options.output.with_name(options.output.stem + ".sides.nc")
        write_sides(later, sides)
        print(f"{sides}: sides for {len(later)} later times, to {later[-1].valid_time:%Y-%m-%d %H:%M} UTC")
        print(f"  for the namelist: side_files = '{sides.name}'")
    return 0


if __name__ == "__main__":
    sys.exit(main.program())
