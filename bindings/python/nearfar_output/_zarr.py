# SPDX-License-Identifier: BSD-3-Clause
"""Streams in the format zarr: Zarr version 3 as output streams write it. Chunks that are compressed need numcodecs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import Array, Frames, mapped, whole_or_part
from ._hdf5 import axis_words, word_of
from ._journal import StreamError, text_of


@dataclass(frozen=True)
class _Meta:
    """What is in an array's zarr.json besides the description that all formats have."""

    chunk: tuple[int, ...]  # without the steps
    codecs: list[dict[str, Any]]

    @property
    def is_compressed(self) -> bool:
        return [codec["name"] for codec in self.codecs] != ["bytes"]


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise StreamError(f"{path} cannot be read: {problem}") from problem
    return found


def _dtype_of(meta: dict[str, Any]) -> np.dtype[np.generic]:
    orders = {c.get("configuration", {}).get("endian", "little") for c in meta["codecs"] if c["name"] == "bytes"}
    dtype: np.dtype[np.generic] = np.dtype(meta["data_type"]).newbyteorder(">" if "big" in orders else "<")
    return dtype


def _decoder(codec: dict[str, Any], path: Path) -> Any:
    """What undoes a codec other than "bytes"."""
    try:
        if codec["name"] == "numcodecs.zfpy":
            import zfpy  # type: ignore[import-not-found, import-untyped, unused-ignore]

            return zfpy.decompress_numpy
        import numcodecs  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as missing:
        raise StreamError(
            f"{path} is compressed by {codec['name']} and read with {missing.name}, which is not installed: "
            f"pip install {missing.name}"
        ) from missing
    known = {"zstd": numcodecs.Zstd, "blosc": numcodecs.Blosc}
    if codec["name"] not in known:
        raise StreamError(f"{path} is compressed by {codec['name']}; known are zstd, blosc and numcodecs.zfpy")
    return known[codec["name"]]().decode


class ZarrFiles:
    """PATH.zarr with a folder per array, in which c.STEP.0.0.0 is a chunk.

    Parameters
    ----------
    path
        Of the stream.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.with_name(path.name + ".zarr")
        metas = {p.parent.name: _read(p) for p in sorted(self._folder.glob("*/zarr.json"))}
        self.arrays: dict[str, Array] = {}
        self._metas: dict[str, _Meta] = {}
        for name, meta in metas.items():
            dimensions = meta["dimension_names"]
            if dimensions in (["time"], [name], []):
                continue  # where the elements of a dimension are, or a scalar
            is_constant = dimensions[0] != "time"
            axes = {
                key: word
                for d, dimension in enumerate(dimensions)
                if dimension != "time"
                for key, word in axis_words(len(dimensions) - d, dimension, self._axis(metas, dimension)).items()
            }
            given = meta["attributes"]
            if "_FillValue" in given:  # in an encoding of xarray's there
                given = {**given, "_FillValue": meta["fill_value"]}
            header = {**axes, **{key: word_of(value) for key, value in given.items()}}
            first = 0 if is_constant else 1
            extents = tuple(meta["shape"][first:])
            self.arrays[name] = Array(name, self._folder / name, _dtype_of(meta), extents, header, is_constant)
            chunk = tuple(meta["chunk_grid"]["configuration"]["chunk_shape"][first:])
            self._metas[name] = _Meta(chunk, meta["codecs"])

    def _axis(self, metas: dict[str, Any], name: str) -> NDArray[np.float64] | None:
        if metas.get(name, {}).get("dimension_names") != [name]:
            return None
        return np.fromfile(self._folder / name / "c.0", np.float64)

    def _chunks_of(self, array: Array) -> list[tuple[int, ...]]:
        return list(
            np.ndindex(*(-(-n // c) for n, c in zip(array.extents, self._metas[array.name].chunk, strict=True)))
        )

    def _chunk(self, array: Array, step: int, at: tuple[int, ...]) -> NDArray[np.generic]:
        meta = self._metas[array.name]
        place = at if array.is_constant else (step, *at)
        path = whole_or_part(array.path / ".".join(["c", *map(str, place)]))
        if not meta.is_compressed:
            return mapped(path, array.dtype, 0, meta.chunk)
        data: Any = text_of(path)
        for codec in reversed(meta.codecs):
            data = np.frombuffer(data, array.dtype) if codec["name"] == "bytes" else _decoder(codec, path)(data)
        found: NDArray[np.generic] = np.asarray(data).reshape(meta.chunk)
        return found

    def frame(self, array: Array, step: int) -> NDArray[np.generic]:
        """A view of the step's chunk; several, and what is compressed, are put together."""
        meta = self._metas[array.name]
        if not meta.is_compressed and meta.chunk == array.extents:
            return self._chunk(array, step, (0,) * len(array.extents))
        whole = np.empty(array.extents, array.dtype)
        for at in self._chunks_of(array):
            chunk = self._chunk(array, step, at)
            box = tuple(slice(i * c, i * c + c) for i, c in zip(at, chunk.shape, strict=True))
            own = whole[box]
            own[...] = chunk[tuple(slice(0, n) for n in own.shape)]  # the last ones are filled up
        return whole

    def frames(self, array: Array, steps: int) -> Frames:
        """All steps."""
        return Frames(array, steps, lambda step: self.frame(array, step))
