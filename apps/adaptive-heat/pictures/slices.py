# SPDX-License-Identifier: BSD-3-Clause
"""Slices z = constant of the files that nearfar-adaptive-heat writes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from command import InputError, command, regular_file  # noqa: E402

__all__ = ["Array", "Extent", "InputError", "Slice", "command", "files_of", "lobatto_points", "raster", "slice_of"]

Array = NDArray[np.float64]
Extent = tuple[float, float, float, float]  # x from and to, y from and to


@dataclass(frozen=True)
class Slice:
    """The elements that the plane through the ball's centre cuts. Lengths are the user's."""

    step: int
    time: float
    centre: Array  # of the ball, x, y, z
    radius: float
    origin: Array
    length: float  # of the cube's side
    levels: int  # the finest one
    corner: Array  # [element, x and y]
    side: Array  # [element]
    level: NDArray[np.int64]
    rank: NDArray[np.int64]
    temperature: Array  # [element, y, x] at the points of the elements, in the plane
    elements: int  # of the whole mesh

    @property
    def extent(self) -> Extent:
        x, y = self.origin[0], self.origin[1]
        return x, x + self.length, y, y + self.length


def lobatto_points(order: int = 4) -> Array:
    """The Gauss-Lobatto-Legendre points on [-1, 1]: the ends, and where the slope of the Legendre polynomial is
    zero."""
    inner = np.polynomial.legendre.Legendre.basis(order).deriv().roots()
    return np.concatenate([[-1.0], np.sort(inner.real), [1.0]])


def lagrange(at: Array, order: int) -> Array:
    """Values of the Lagrange polynomials of the points, [place, polynomial]."""
    points = lobatto_points(order)
    values = np.ones((len(at), order + 1))
    for j in range(order + 1):
        for m in range(order + 1):
            if m != j:
                values[:, j] *= (at - points[m]) / (points[j] - points[m])
    return values


def files_of(series: Path) -> list[Path]:
    """The files of a series NAME.vtkhdf, in the order of time."""
    with opened(series) as file:
        if "VTKHDF/Steps" not in file:
            raise InputError(
                f"{series} is no series of nearfar-adaptive-heat's (give NAME.vtkhdf, not NAME.000001.vtkhdf)"
            )
        times = int(array_of(series, file, "VTKHDF/Steps/Values", 1, 1, 1_000_000).shape[0])
    return [series.with_name(f"{series.stem}.{number:06d}{series.suffix}") for number in range(times)]


def opened(path: Path) -> h5py.File:
    try:
        return h5py.File(regular_file(path), "r")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def array_of(path: Path, file: h5py.File, name: str, dimensions: int, least: int, most: int) -> Any:
    """A data set of finite numbers, with so many dimensions and a first extent from `least` to `most`."""
    found = file.get(name)
    if not isinstance(found, h5py.Dataset) or found.dtype.kind not in "iuf":
        raise InputError(f"{path}: there is no data set {name} of numbers")
    if found.ndim != dimensions or not least <= found.shape[0] <= most:
        raise InputError(
            f"{path}: {name} has the shape {found.shape}; {dimensions} dimensions are expected, the first from "
            f"{least} to {most}"
        )
    values = found[:]
    if not np.isfinite(values).all():
        raise InputError(f"{path}: {name} holds numbers that are not finite")
    return values


def facts_of(path: Path, file: h5py.File) -> dict[str, float]:
    """The attributes of the file that a slice needs, each within its range."""
    facts = {}
    for name, least, most in (
        ("origin_x", -1e9, 1e9),
        ("origin_y", -1e9, 1e9),
        ("origin_z", -1e9, 1e9),
        ("length", 1e-9, 1e9),
        ("radius", 0, 1e9),
        ("order", 2, 8),
        ("levels", 1, 30),
    ):
        value = np.ravel(file.attrs.get(name, np.nan))
        facts[name] = float(value[0]) if value.size and value.dtype.kind in "iuf" else float("nan")
        if not least <= facts[name] <= most:
            raise InputError(f"{path}: the attribute {name} = {facts[name]:g}; allowed are {least:g} to {most:g}")
    return facts


def slice_of(path: Path) -> Slice:
    """The slice through the centre of the ball."""
    with opened(path) as file:
        facts = facts_of(path, file)
        order = int(facts["order"])
        points, cells = (order + 1) ** 3, order**3

        def array(name: str, dimensions: int, extent: int | None = None) -> Any:
            least, most = (1, 1 << 40) if extent is None else (extent, extent)
            return array_of(path, file, f"VTKHDF/{name}", dimensions, least, most)

        centre, origin = array("FieldData/centre", 1, 3), np.array([facts[f"origin_{axis}"] for axis in "xyz"])
        places = array("Points", 2)
        elements = len(places) // points
        if places.shape != (elements * points, 3):
            raise InputError(f"{path}: VTKHDF/Points has the shape {places.shape}; elements have {points} points of 3")
        corner, far = places[0::points], places[points - 1 :: points]
        if not (far > corner).all():
            raise InputError(f"{path}: VTKHDF/Points: an element ends before it begins")
        z = np.clip(centre[2], origin[2], origin[2] + facts["length"] * (1 - 1e-12))
        cut = np.flatnonzero((corner[:, 2] <= z) & (z < far[:, 2]))
        if not len(cut):
            raise InputError(f"{path}: no element lies at z = {z}")
        side = far[cut, 0] - corner[cut, 0]
        height = 2 * (z - corner[cut, 2]) / side - 1
        values = array("PointData/temperature", 1, elements * points)
        values = values.reshape(-1, order + 1, order + 1, order + 1)[cut]
        return Slice(
            step=int(array("FieldData/step", 1)[0]),
            time=float(array("FieldData/TimeValue", 1)[0]),
            centre=centre,
            radius=float(facts["radius"]),
            origin=origin,
            length=float(facts["length"]),
            levels=int(facts["levels"]),
            corner=corner[cut, :2],
            side=side,
            level=array("CellData/level", 1, elements * cells)[0::cells][cut].astype(int),
            rank=array("CellData/rank", 1, elements * cells)[0::cells][cut].astype(int),
            temperature=np.einsum("nkji,nk->nji", values, lagrange(height, order)),
            elements=len(corner),
        )


def raster(s: Slice, pixels: int, window: Extent) -> Array:
    """The temperature on pixels x pixels places of a window, row 0 at the smallest y: the elements' own polynomials."""
    image = np.full((pixels, pixels), np.nan)
    centres = (np.arange(pixels) + 0.5) / pixels
    places = [window[2 * a] + centres * (window[2 * a + 1] - window[2 * a]) for a in range(2)]
    for n in range(len(s.side)):
        spans = []
        for axis in range(2):
            low = s.corner[n, axis]
            inside = np.flatnonzero((places[axis] >= low) & (places[axis] < low + s.side[n]))
            spans.append(
                (inside, lagrange(2 * (places[axis][inside] - low) / s.side[n] - 1, s.temperature.shape[-1] - 1))
            )
        (columns, of_x), (rows, of_y) = spans
        if len(rows) and len(columns):
            image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = of_y @ s.temperature[n] @ of_x.T
    return image
