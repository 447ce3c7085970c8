#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads a stream's numbered arrays with a reader that is not ours, and compares every element.

    read_back.py READER[,READER…] PATH STEPS NAME:TYPE:EXTENTS[:TOLERANCE] …        e.g.  zarr s.zarr 4 p:f4:13x17x29

With `constant` for the tolerance the array has step 0 and no dimension of time; NAME=VALUE is a scalar. Element `place`
of array number `which` is
(8 step + which) 10^6 + place; times are step / 4. Exit status 77: not all readers are installed, the others read what
is right.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

NOT_INSTALLED = 77
try:
    import numpy as np
except ImportError:
    sys.exit(NOT_INSTALLED)


def numbered(step: int, which: int, kind: str, extents: tuple[int, ...]) -> np.ndarray:
    return ((step * 8 + which) * 1_000_000 + np.arange(np.prod(extents)).reshape(extents)).astype(kind)


def same(found: np.ndarray, wanted: np.ndarray, tolerance: float, what: str) -> None:
    assert found.shape == wanted.shape, f"{what}: shape {found.shape}, not {wanted.shape}"
    assert found.dtype == wanted.dtype, f"{what}: type {found.dtype}, not {wanted.dtype}"
    worst = np.max(np.abs(found - wanted))
    assert worst <= tolerance, f"{what}: off by {worst}, at most {tolerance} is right"


class ZarrJson:
    """Zarr v3 as its specification says, by hand: JSON and raw chunks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        group = json.loads((path / "zarr.json").read_text())
        assert (group["zarr_format"], group["node_type"]) == (3, "group")
        self.attributes = group["attributes"]

    def array(self, name: str) -> np.ndarray:
        meta = json.loads((self.path / name / "zarr.json").read_text())
        shape, chunk = meta["shape"], meta["chunk_grid"]["configuration"]["chunk_shape"]
        assert meta["chunk_key_encoding"]["configuration"]["separator"] == "."
        kind = np.dtype(meta["data_type"])
        whole = np.full([-(-s // c) * c for s, c in zip(shape, chunk)], 99, kind)
        for at in np.ndindex(*[-(-s // c) for s, c in zip(shape, chunk)]):
            file = self.path / name / ".".join(["c", *map(str, at)])
            part = decoded(meta["codecs"], file.read_bytes(), kind, chunk)
            whole[tuple(slice(i * c, i * c + c) for i, c in zip(at, chunk))] = part
        return whole[tuple(slice(0, s) for s in shape)]


def decoded(codecs: list[dict], data: bytes, kind: np.dtype, chunk: list[int]) -> np.ndarray:
    for codec in reversed(codecs):
        if codec["name"] == "bytes":
            return np.frombuffer(data, kind).reshape(chunk)
        try:
            import numcodecs
        except ImportError:
            sys.exit(NOT_INSTALLED)
        if codec["name"] == "zstd":
            data = numcodecs.Zstd().decode(data)
        elif codec["name"] == "blosc":
            data = numcodecs.Blosc().decode(data)
        elif codec["name"] == "numcodecs.zfpy":
            try:
                import zfpy
            except ImportError:
                sys.exit(NOT_INSTALLED)
            return np.asarray(zfpy.decompress_numpy(data)).reshape(chunk)
    raise AssertionError(f"no codec makes elements of bytes: {codecs}")


class ZarrPython:
    def __init__(self, path: Path) -> None:
        try:
            import zarr
        except ImportError:
            sys.exit(NOT_INSTALLED)
        if int(zarr.__version__.split(".")[0]) < 3:
            sys.exit(NOT_INSTALLED)
        self.group = zarr.open_group(str(path), mode="r")
        self.attributes = dict(self.group.attrs)

    def array(self, name: str) -> np.ndarray:
        return np.asarray(self.group[name][...])


class OneFile:
    """HDF5 with all steps, or a folder's files of one step each."""

    def __init__(self, path: Path) -> None:
        ending = path.suffix
        self.files = [path] if path.exists() else sorted(path.parent.glob(f"{path.stem}.[0-9]*{ending}"))

    def array(self, name: str) -> np.ndarray:
        found = [self.read(file, name) for file in self.files]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def read(self, path: Path, name: str) -> np.ndarray:
        try:
            import h5py
        except ImportError:
            sys.exit(NOT_INSTALLED)
        with h5py.File(path) as file:
            assert name == "time" or [len(d) for d in file[name].dims] == [1] * file[name].ndim
            return file[name][...]


class NetCdf(OneFile):
    def read(self, path: Path, name: str) -> np.ndarray:
        try:
            import netCDF4
        except ImportError:
            sys.exit(NOT_INSTALLED)
        with netCDF4.Dataset(path) as file:
            assert (file.Conventions, file.title) == ("CF-1.8", "numbers")
            assert file["p"].dimensions == ("time", "z", "y", "x") and file["q"].dimensions[0] == "time"
            assert (file["p"].units, file["p"].standard_name, file["p"].level) == ("Pa", "air_pressure", 2.5)
            assert file["time"].units == "seconds since 2000-01-01" and "_FillValue" not in file["time"].ncattrs()
            assert file["z"].axis == "Z" and list(file["z"]) == [z / 2 for z in range(13)]
            if "h" in file.variables:
                assert list(file["h"].parallels) == [38, 42] and file["h"]._FillValue.dtype == np.float32
                assert file["height"].units == "m"
            values = np.asarray(file[name][...])
            return values


class Names(OneFile):
    """Arrays that have names of dimensions: the values of their own one, or beside a dimension of another name."""

    def read(self, path: Path, name: str) -> np.ndarray:
        try:
            import netCDF4
        except ImportError:
            sys.exit(NOT_INSTALLED)
        with netCDF4.Dataset(path) as file:
            assert file["p"].dimensions[0] == "time" and file["p"].dimensions[2:] == ("lat", "x_dim")
            assert file["x"].dimensions[1:] == ("x_dim",) and file["lat"].dimensions == ("lat",)
            level = file[file["p"].dimensions[1]]
            assert level.dimensions == (level.name,) and (level.units, level.axis) == ("1", "Z")
            assert list(level[:]) == list(range(len(level)))
            return np.asarray(file[name][...])


class Own:
    """The Python package of this project."""

    def __init__(self, path: Path) -> None:
        try:
            import h5py  # noqa: F401
        except ImportError:
            sys.exit(NOT_INSTALLED)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bindings/python"))
        import nearfar_output

        self.stream = nearfar_output.Stream(path.with_suffix(""))

    def array(self, name: str) -> np.ndarray:
        return np.asarray(self.stream.times if name == "time" else self.stream[name])


class VtkHdf(OneFile):
    def read(self, path: Path, name: str) -> np.ndarray:
        try:
            import h5py
        except ImportError:
            sys.exit(NOT_INSTALLED)
        steps = json.loads((path.parent / f"{path.name.split('.')[0]}.vtkhdf.series").read_text())["files"]
        with h5py.File(path) as file:
            image = file["VTKHDF"]
            assert image.attrs["Type"] == b"ImageData" and list(image.attrs["Version"]) == [2, 0]
            values = image["FieldData/TimeValue"][...]
            assert {"name": path.name, "time": values[0]} in steps and len(steps) == len(self.files)
            if name == "time":
                return values
            is_of_cells = name not in image.get("PointData", ())
            found = image["CellData" if is_of_cells else "PointData"][name][...]
            x, y, z = image.attrs["WholeExtent"][1::2] + (0 if is_of_cells else 1)
            # Dimensions of one point are not in the data, but for one where there is a single point.
            points = image.attrs["WholeExtent"][::-2] + 1
            there = [n for n, p in zip((z, y, x), points) if p > 1] or [1]
            assert list(found.shape) == there and list(image.attrs["Spacing"])[:2] == [1, 1]
            assert image.attrs["Spacing"][2] in (1, 0.5)
            return found.reshape(1, z, y, x)


class MockBp:
    """What the stand-in for ADIOS2 wrote (mock_adios2): lines `block STEP BYTES NAME TYPE SHAPE START COUNT`, each with
    its data behind."""

    TYPES = {1: "f4", 2: "f8", 3: "c8", 4: "c16", 5: "i1", 6: "i2", 7: "i4", 8: "i8"}

    def __init__(self, path: Path) -> None:
        self.arrays: dict[str, dict[int, np.ndarray]] = {}
        attributes, ended = {}, []
        with open(path / "data.0", "rb") as file:
            for line in file:
                kind, step, size, *what = line.decode().split()
                data = file.read(int(size))
                if kind == "attribute":
                    key, _, value = data.decode().partition("=")
                    attributes[key] = value
                elif kind == "end":
                    ended.append(int(step))
                else:
                    self.take(int(step), data, *what)
        assert ended == list(range(len(ended))), f"the steps that ended are {ended}"
        assert (
            attributes["Conventions"] == "CF-1.8"
            and attributes["p/units"] == "Pa"
            and attributes["p/dimensions"] == "z y x"
        )

    def take(self, step: int, data: bytes, name: str, kind: str, *boxes: str) -> None:
        shape, start, count = ([int(n) for n in words.split("x")] if words != "-" else [] for words in boxes)
        dtype = np.dtype(self.TYPES[int(kind)])
        whole = self.arrays.setdefault(name, {}).setdefault(step, np.full(shape, 99, dtype))
        whole[tuple(slice(s, s + c) for s, c in zip(start, count))] = np.frombuffer(data, dtype).reshape(count)

    def array(self, name: str) -> np.ndarray:
        of_steps = self.arrays[name]
        if name in ("h", "z", "height"):
            assert list(of_steps) == [0], f"{name} is in the steps {list(of_steps)}"
            return of_steps[0].reshape(of_steps[0].shape if name != "height" else ())
        assert list(of_steps) == list(range(len(of_steps)))
        return np.stack([of_steps[step] for step in of_steps])


class Adios2(MockBp):
    """The same by ADIOS2's own reader."""

    def __init__(self, path: Path) -> None:
        try:
            import adios2
        except ImportError:
            sys.exit(NOT_INSTALLED)
        self.arrays = {}
        with adios2.Stream(str(path), "r") as stream:
            for _ in stream.steps():
                for name in stream.available_variables():
                    self.arrays.setdefault(name, {})[stream.current_step()] = np.asarray(stream.read(name))


READERS = {
    "mock_bp": MockBp,
    "adios2": Adios2,
    "json": ZarrJson,
    "zarr": ZarrPython,
    "h5py": OneFile,
    "netCDF4": NetCdf,
    "names": Names,
    "own": Own,
    "vtkhdf": VtkHdf,
}


def check(reader: str, path: str, steps: str, *arrays: str) -> None:
    stream = READERS[reader](Path(path))
    times = stream.array("time")
    np.testing.assert_array_equal(times, np.arange(int(steps)) / 4)
    for which, description in enumerate(arrays):
        if "=" in description:
            name, value = description.split("=")
            assert stream.array(name).shape == () and float(stream.array(name)) == float(value), name
            continue
        name, kind, extents, *tolerance = description.split(":")
        shape = tuple(map(int, extents.split("x")))
        found = stream.array(name)
        if tolerance == ["constant"]:
            same(found, numbered(0, which, kind, shape), 0, name)
            continue
        assert len(found) == int(steps), f"{name} has {len(found)} steps, not {steps}"
        for step in range(int(steps)):
            same(found[step], numbered(step, which, kind, shape), float(*tolerance or [0]), f"{name}, step {step}")


def main(readers: str, *what: str) -> None:
    missing = 0
    for reader in readers.split(","):
        try:
            check(reader, *what)
        except SystemExit as left:
            missing = left.code
    sys.exit(missing)


if __name__ == "__main__":
    main(*sys.argv[1:])
