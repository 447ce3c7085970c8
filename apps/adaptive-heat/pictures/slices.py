# SPDX-License-Identifier: BSD-3-Clause
"""Slices z = constant of the files that nearfar-adaptive-heat writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Extent = tuple[float, float, float, float]  # x from and to, y from and to


class InputError(Exception):
    """A file that cannot be shown, with its name and the reason."""


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
    """The Gauss-Lobatto-Legendre points on [-1, 1]: the ends, and where the slope of the Legendre polynomial is zero."""
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
            raise InputError(f"{series} is no series of nearfar-adaptive-heat's (give NAME.vtkhdf, not NAME.000001.vtkhdf)")
        times = file["VTKHDF/Steps/Values"].shape[0]
    return [series.with_name(f"{series.stem}.{number:06d}{series.suffix}") for number in range(times)]


def opened(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def slice_of(path: Path) -> Slice:
    """The slice through the centre of the ball."""
    with opened(path) as file:
        facts = {name: value[0] for name, value in file.attrs.items()}
        grid = file["VTKHDF"]
        of_step = grid["FieldData"]
        centre, origin = of_step["centre"][:], np.array([facts[f"origin_{axis}"] for axis in "xyz"])
        order = int(facts["order"])
        points, cells = (order + 1) ** 3, order**3
        corner, far = grid["Points"][0::points], grid["Points"][points - 1 :: points]
        z = np.clip(centre[2], origin[2], origin[2] + facts["length"] * (1 - 1e-12))
        cut = np.flatnonzero((corner[:, 2] <= z) & (z < far[:, 2]))
        if not len(cut):
            raise InputError(f"{path}: no element lies at z = {z}")
        side = far[cut, 0] - corner[cut, 0]
        height = 2 * (z - corner[cut, 2]) / side - 1
        values = grid["PointData/temperature"][:].reshape(-1, order + 1, order + 1, order + 1)[cut]
        return Slice(
            step=int(of_step["step"][0]),
            time=float(of_step["TimeValue"][0]),
            centre=centre,
            radius=float(facts["radius"]),
            origin=origin,
            length=float(facts["length"]),
            levels=int(facts["levels"]),
            corner=corner[cut, :2],
            side=side,
            level=grid["CellData/level"][0::cells][cut].astype(int),
            rank=grid["CellData/rank"][0::cells][cut].astype(int),
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
            spans.append((inside, lagrange(2 * (places[axis][inside] - low) / s.side[n] - 1, s.temperature.shape[-1] - 1)))
        (columns, of_x), (rows, of_y) = spans
        if len(rows) and len(columns):
            image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = of_y @ s.temperature[n] @ of_x.T
    return image
