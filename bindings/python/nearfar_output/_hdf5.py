# SPDX-License-Identifier: BSD-3-Clause
"""Streams in the formats netcdf, hdf5 and vtkhdf: h5py tells where the arrays lie, and they are views of the files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import Array, Frames, mapped, mapped_steps, whole_or_part
from ._journal import StreamError

_OF_THE_LIBRARY = {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"}  # and netCDF's own, which begin with _N
_GRID = ("Points", "Connectivity", "Offsets", "Types")
_GROUPS = ("PointData", "CellData", "FieldData")


def _opened(path: Path) -> Any:
    try:
        import h5py  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as missing:
        raise StreamError(f"{path} is read with h5py, which is not installed: pip install h5py") from missing
    try:
        return h5py.File(path, "r")
    except OSError as problem:
        raise StreamError(f"{path} cannot be read: {problem}") from problem


def word_of(value: Any) -> str:
    """An attribute's value as a text header has it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value
    return " ".join(str(number) for number in np.atleast_1d(value))  # all digits of the type


def _attributes(holder: Any) -> dict[str, str]:
    return {k: word_of(v) for k, v in holder.attrs.items() if k not in _OF_THE_LIBRARY and not k.startswith("_N")}


def axis_words(number: int, name: str, values: NDArray[np.float64] | None) -> dict[str, str]:
    """The name of a dimension, and where its elements are, in the words of a text header; `number` from the fastest."""
    words = {f"label{number}": name}
    if values is not None and values.size > 0:
        words[f"o{number}"] = f"{values[0]:.15g}"
    if (
        values is not None
        and values.size > 1
        and np.allclose(np.diff(values), values[1] - values[0], rtol=1e-6, atol=0)
    ):
        words[f"d{number}"] = f"{(values[-1] - values[0]) / (values.size - 1):.15g}"
    return words


def _axes_of(data: Any) -> dict[str, str]:
    """Of the dimensions besides the steps, by their scales."""
    words: dict[str, str] = {}
    for d in range(data.ndim):
        scales = data.dims[d].values()
        if not scales or scales[0].name == "/time":
            continue
        is_bare = word_of(scales[0].attrs.get("NAME", b"")).startswith("This is a netCDF dimension")
        words |= axis_words(data.ndim - d, scales[0].name.lstrip("/"), None if is_bare else scales[0][...])
    return words


def _arrays_of_table(path: Path, file: Any, names: frozenset[str]) -> dict[str, Array]:
    """netcdf and hdf5: all but the scales of dimensions, unless they are arrays of the stream: one of these names."""
    found = {}
    for name in sorted(file):
        data = file[name]
        is_scale = "CLASS" in data.attrs and word_of(data.attrs["CLASS"]) == "DIMENSION_SCALE"
        if is_scale and name not in names:
            continue
        if data.ndim == 0:
            continue  # a scalar, or what attributes are of
        scales = data.dims[0].values()
        is_constant = not scales or scales[0].name != "/time"
        extents = data.shape if is_constant else data.shape[1:]
        header = {**_axes_of(data), **_attributes(data)}
        found[name] = Array(name, path, data.dtype, extents, header, is_constant)
    return found


def _arrays_of_grid(path: Path, file: Any) -> dict[str, Array]:
    """vtkhdf: points and cells, and what has values there."""
    grid = file["VTKHDF"]
    words: dict[str, str] = {}
    for d in range(3 if "Origin" in grid.attrs else 0):
        words[f"o{d + 1}"], words[f"d{d + 1}"] = word_of(grid.attrs["Origin"][d]), word_of(grid.attrs["Spacing"][d])
    places = {name: name for name in _GRID if name in grid}
    places |= {name: f"{g}/{name}" for g in _GROUPS if g in grid for name in grid[g]}
    places.pop("TimeValue", None)
    return {
        name: Array(
            name,
            path,
            grid[place].dtype,
            grid[place].shape,
            {**({} if place.startswith("Field") else words), **_attributes(grid[place])},
        )
        for name, place in sorted(places.items())
    }


class Hdf5Files:
    """PATH.nc with all steps, or PATH.000012.nc with one; so too h5 and vtkhdf.

    Parameters
    ----------
    path
        Of the stream.
    ending
        .nc, .h5 or .vtkhdf.
    steps
        In the journal; the first that has its file says what the arrays are.
    names
        Of the stream's arrays, where they are known.
    """

    def __init__(self, path: Path, ending: str, steps: int, names: frozenset[str] = frozenset()) -> None:
        self.path, self.ending = path, ending
        whole = path.with_name(path.name + ending)
        # Of grids PATH.vtkhdf has all steps too, as views of the others.
        self.is_one_file = ending != ".vtkhdf" and whole.exists()
        self._is_grid = ending == ".vtkhdf"
        files = [whole] if self.is_one_file else (self._file_of(s) for s in range(max(steps, 1)))
        first = next((f for f in files if f.exists()), self._file_of(0))
        self.arrays: dict[str, Array] = {}
        if first.exists() or steps > 0:
            with _opened(first) as file:
                self.arrays = _arrays_of_grid(first, file) if self._is_grid else _arrays_of_table(first, file, names)

    def _file_of(self, step: int) -> Path:
        if self.is_one_file:
            return self.path.with_name(self.path.name + self.ending)
        return whole_or_part(self.path.with_name(f"{self.path.name}.{step:06}{self.ending}"))

    def _place(self, file: Any, array: Array) -> tuple[int | None, tuple[int, ...]]:
        """Where the array begins, and its shape."""
        if not self._is_grid:
            data = file[array.name]
        else:
            grid = file["VTKHDF"]
            data = next(grid[p] for p in (array.name, *(f"{g}/{array.name}" for g in _GROUPS)) if p in grid)
        if data.chunks is not None:
            raise StreamError(f"{array.name} in {file.filename} is in chunks: another program has written this file")
        return data.id.get_offset(), data.shape

    def frame(self, array: Array, step: int) -> NDArray[np.generic]:
        """A view of a step."""
        path = self._file_of(step)
        with _opened(path) as file:
            offset, shape = self._place(file, array)
        if self.is_one_file and offset is not None and not array.is_constant:
            offset += step * array.frame_bytes
        if math.prod(shape) == math.prod(array.extents):
            shape = array.extents  # an image has no extents of 1, or more of them than the array
        elif not self._is_grid and not array.is_constant:
            shape = shape[1:]
        return mapped(path, array.dtype, offset, shape)

    def frames(self, array: Array, steps: int) -> NDArray[np.generic] | Frames:
        """A view of all steps where they are in one file."""
        if not self.is_one_file:
            return Frames(array, steps, lambda step: self.frame(array, step))
        with _opened(array.path) as file:
            offset, _ = self._place(file, array)
        return mapped_steps(array, steps, offset, lambda step: self.frame(array, step))
