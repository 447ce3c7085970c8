# SPDX-License-Identifier: BSD-3-Clause
"""Coast lines, lakes and borders on the map's plane, from the GSHHG files that Debian packages for GMT.

Without that package the maps still have their latitudes and longitudes. The files keep their lines
cut along a grid of bins; a point is two 16-bit numbers relative to its bin's south-west corner.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lambert import Array, Grid
from problem import need

FOLDER = Path("/usr/share/gmt-gshhg")
PACKAGE = "gmt-gshhg-low"
SHORE, LAKE, NATION, STATE = "shore", "lake", "nation", "state"
SMALLEST_LAKE = 400.0  # km2: smaller ones are clutter at the scale of these maps


def available() -> bool:
    return (FOLDER / "binned_GSHHS_i.nc").exists() and (FOLDER / "binned_border_i.nc").exists()


def read(grid: Grid) -> dict[str, list[Array]]:
    """Lines near the grid as arrays of map coordinates (points, 2) in metres, by kind."""
    lines: dict[str, list[Array]] = {SHORE: [], LAKE: [], NATION: [], STATE: []}
    if not available():
        return lines
    netcdf = need("netCDF4", "python3-netcdf4")
    for name, kinds in (("binned_GSHHS_i.nc", (SHORE, LAKE)), ("binned_border_i.nc", (NATION, STATE))):
        for level, points in _segments(netcdf, FOLDER / name, grid):
            if 1 <= level <= 2:
                lines[kinds[level - 1]].append(_on_map(points, grid))
    return lines


def _segments(netcdf, path: Path, grid: Grid):  # type: ignore[no-untyped-def]
    """Yield (level, points) of the bins that the grid touches; points are longitude, latitude.

    Level 1 is a sea shore or a nation's border, level 2 a lake's shore or a state's border.
    """
    with netcdf.Dataset(path) as data:
        data.set_auto_mask(False)
        size = float(data["Bin_size_in_minutes"][0]) / 60.0
        across = int(data["N_bins_in_360_longitude_range"][0])
        first_segment = data["Id_of_first_segment_in_a_bin"][:]
        segments_in_bin = data["N_segments_in_a_bin"][:]
        first_point = data["Id_of_first_point_in_a_segment"][:]
        if "Id_of_GSHHS_ID" in data.variables:
            packed = data["Embedded_npts_levels_exit_entry_for_a_segment"][:]
            count, level = packed >> 9, (packed >> 6) & 7
            area = data["The_km_squared_area_of_polygons"][:][data["Id_of_GSHHS_ID"][:]]
            level = np.where((level > 1) & (area < SMALLEST_LAKE), 0, level)
        else:
            count, level = data["N_points_for_a_segment"][:], data["Hierarchial_level_of_a_segment"][:]
        longitudes = data["Relative_longitude_from_SW_corner_of_bin"][:].view(np.uint16) * (size / 65535.0)
        latitudes = data["Relative_latitude_from_SW_corner_of_bin"][:].view(np.uint16) * (size / 65535.0)
    for number in _bins(grid, size, across):
        west, south = (number % across) * size, 90.0 - (number // across + 1) * size
        for s in range(first_segment[number], first_segment[number] + segments_in_bin[number]):
            part = slice(first_point[s], first_point[s] + count[s])
            yield int(level[s]), np.column_stack([west + longitudes[part], south + latitudes[part]])


def _bins(grid: Grid, size: float, across: int) -> list[int]:
    """Numbers of the bins under the grid, counted from the north-west corner of the globe."""
    latitude, longitude = grid.positions()
    rows = np.floor((90.0 - latitude) / size).astype(int)
    columns = np.floor((longitude % 360.0) / size).astype(int)
    return sorted(set((rows * across + columns).ravel().tolist()))


def _on_map(points: Array, grid: Grid) -> Array:
    return np.column_stack(grid.projection.forward(points[:, 1], points[:, 0]))
