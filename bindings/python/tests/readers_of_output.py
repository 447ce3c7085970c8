#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Readers of others on every format, dimensions and type of elements:  readers_of_output.py [--keep NAME] FOLDER

FOLDER has what write_matrix wrote. Each reader that this Python has must give back shape, type, values, times and
attributes of each stream of its formats; those that are not installed are left out, and named. --keep keeps what was
read by which version as bench/results/NAME.jsonl.xz.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
EXTENTS, STEPS, FILL = (3, 4, 5, 2), 3, -99
TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128")
NUMBERS = {"run": 123456789012345678, "level": 2.5}
WORDS = {"units": "Pa", "revision": "7e12345", "build": "0012345"}


def written(dimensions: int, kind: str) -> np.ndarray:
    """All steps."""
    cells = int(np.prod(EXTENTS[:dimensions]))
    place = np.arange(cells)
    real = np.stack([np.where(place == 0, FILL, (100 * s + place) % 120) for s in range(STEPS)])
    values = real + 1j * (place % 7) if kind.startswith("complex") else real
    return values.astype(kind).reshape(STEPS, *EXTENTS[:dimensions])


def same_attributes(found: dict[str, Any]) -> None:
    for key, value in WORDS.items():
        there = found[key].decode() if isinstance(found[key], bytes) else found[key]
        assert isinstance(there, str) and there == value, f"{key} is {there!r}"
    for key, number in NUMBERS.items():
        there = np.asarray(found[key])
        kind = "iu" if isinstance(number, int) else "f"
        assert there.dtype.kind in kind and there.reshape(-1)[0] == number, f"{key} is {there!r}"


def rsf(path: Path) -> tuple[Any, Any, dict[str, Any] | None]:
    """As Madagascar reads it: the last of several keys counts, the data is where `in` says."""
    lines = [line.split("=", 1) for line in Path(f"{path}.p.rsf").read_text().splitlines()]
    header = {key: value.strip('"') for key, value in lines}
    kinds = dict(zip(("uchar", "short", "int", "long", "float", "double", "complex", "dcomplex"), TYPES, strict=True))
    dtype = np.dtype(kinds[header["data_format"].removeprefix("native_")])
    shape = [int(header[f"n{d}"]) for d in range(1, 9) if f"n{d}" in header][::-1]
    assert int(header["esize"]) == dtype.itemsize and header["units"] == "Pa"
    times = float(header[f"o{len(shape)}"]) + float(header[f"d{len(shape)}"]) * np.arange(shape[0])
    return np.fromfile(header["in"], dtype).reshape(shape), times, None


def zarr(path: Path) -> tuple[Any, Any, dict[str, Any]]:
    import zarr as reader

    group = reader.open_group(f"{path}.zarr", mode="r")
    fill = group["p"].fill_value
    assert fill == FILL, f"the fill value is {fill}"
    return group["p"][...], group["time"][...], dict(group["p"].attrs)


def xarray(path: Path) -> tuple[Any, Any, dict[str, Any]]:
    import xarray as reader

    name = next(f"{path}{ending}" for ending in (".zarr", ".nc") if Path(f"{path}{ending}").exists())
    engine = "zarr" if name.endswith("zarr") else "netcdf4"
    how: dict[str, Any] = {"consolidated": True} if engine == "zarr" else {}
    with reader.open_dataset(name, engine=engine, decode_times=False, **how) as masked:
        first = masked["p"].values.reshape(STEPS, -1)[:, 0]
        assert np.isnan(first).all(), f"_FillValue does not mask {first}"
    with reader.open_dataset(name, engine=engine, decode_times=False, mask_and_scale=False, **how) as opened:
        return opened["p"].values, opened["time"].values, opened["p"].attrs


def netcdf4(path: Path) -> tuple[Any, Any, dict[str, Any]]:
    import netCDF4 as reader

    with reader.Dataset(f"{path}.nc") as file:
        file.set_auto_mask(False)
        data = file["p"]
        return data[...], file["time"][...], {key: data.getncattr(key) for key in data.ncattrs()}


def h5py(path: Path) -> tuple[Any, Any, dict[str, Any] | None]:
    import h5py as reader

    name = next((f"{path}{e}" for e in (".nc", ".h5") if Path(f"{path}{e}").exists()), None)
    if name is not None:
        with reader.File(name) as file:
            return file["p"][...], file["time"][...], dict(file["p"].attrs)
    frames, times = [], []
    for step in range(STEPS):
        with reader.File(f"{path}.{step:06}.vtkhdf") as file:
            frames.append(file["VTKHDF/PointData/p"][...])
            times.append(file["VTKHDF/FieldData/TimeValue"][0])
    return np.stack(frames), times, None


def vtk(path: Path) -> tuple[Any, Any, dict[str, Any] | None]:
    """In a process of its own: some versions crash."""
    program = (
        "import sys, numpy, vtk; from vtk.util.numpy_support import vtk_to_numpy; frames = []\n"
        "for file in sys.argv[2:]:\n"
        "    r = vtk.vtkHDFReader(); r.SetFileName(file); r.Update(); image = r.GetOutputDataObject(0)\n"
        "    print(*image.GetDimensions())\n"
        "    frames.append(vtk_to_numpy(image.GetPointData().GetArray('p')))\n"
        "numpy.save(sys.argv[1], numpy.stack(frames))"
    )
    out, files = f"{path}.npy", [f"{path}.{step:06}.vtkhdf" for step in range(STEPS)]
    said = subprocess.run([sys.executable, "-c", program, out, *files], capture_output=True, text=True)
    assert said.returncode == 0, f"vtk ended with {said.returncode}: {said.stderr[-200:]}"
    own = EXTENTS[: int(path.name.split(".")[1])]
    image = own[:3][::-1] + (1,) * (3 - len(own[:3]))
    assert tuple(map(int, said.stdout.split()[-3:])) == image, said.stdout
    return np.load(out).reshape(STEPS, *own), 0.25 * np.arange(STEPS), None


def adios2(path: Path) -> tuple[Any, Any, dict[str, Any] | None]:
    import adios2 as reader

    frames, times = [], []
    with reader.Stream(f"{path}.bp", "r") as stream:
        for _ in stream.steps():
            frames.append(stream.read("p"))
            times.append(float(stream.read("time")))
        found = {key: stream.read_attribute(f"p/{key}") for key in (*WORDS, *NUMBERS)}
    return np.stack(frames), times, found


def nearfar_output(path: Path) -> tuple[Any, Any, dict[str, Any] | None]:
    import nearfar_output as reader

    stream = reader.Stream(path)
    header = stream.arrays["p"].header
    assert header["units"] == "Pa" and (header["run"], header["level"]) == ("123456789012345678", "2.5"), header
    assert all(r.is_sound is not False for r in stream.verify())
    return np.asarray(stream["p"]), stream.times, None


Reader = Callable[[Path], tuple[Any, Any, "dict[str, Any] | None"]]
READERS: list[tuple[str, Reader, tuple[str, ...]]] = [
    ("its text header (Madagascar)", rsf, ("rsf",)),
    ("zarr", zarr, ("zarr",)),
    ("xarray", xarray, ("zarr", "netcdf")),
    ("netCDF4", netcdf4, ("netcdf",)),
    ("h5py", h5py, ("netcdf", "hdf5", "vtkhdf")),
    ("vtk", vtk, ("vtkhdf",)),
    ("adios2", adios2, ("adios2",)),
    ("nearfar_output", nearfar_output, ("rsf", "zarr", "netcdf", "hdf5", "vtkhdf", "adios2")),
]


def version_of(name: str) -> str | None:
    """None: not installed; "" where there is no version."""
    if name not in [n for n, _, _ in READERS[1:]] or name == "nearfar_output":
        return ""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    version = module.vtkVersion().GetVTKVersion() if name == "vtk" else module.__version__
    return None if name == "zarr" and version.startswith("2") else str(version)


def fault_of(read: Reader, path: Path, dimensions: int, kind: str) -> str:
    try:
        values, times, attributes = read(path)
        wanted = written(dimensions, kind)
        values = np.asarray(values)
        assert values.dtype == wanted.dtype, f"the type is {values.dtype}"
        assert values.shape == wanted.shape, f"the shape is {values.shape}"
        assert np.array_equal(values, wanted), "values are others"
        assert np.array_equal(times, 0.25 * np.arange(STEPS)), f"the times are {times}"
        if attributes is not None:
            same_attributes(attributes)
    except Exception as why:  # whatever a reader raises
        return f"{type(why).__name__}: {str(why).splitlines()[0] if str(why) else ''}"
    return ""


def keep(name: str, rows: list[list[str]]) -> None:
    root = Path(__file__).resolve().parents[3]
    sys.path[:0] = [str(root / "bench"), str(root / "tools")]
    figures = importlib.import_module("figures")
    table = figures.rows("readers", ["format", "reader", "dimensions", "types of elements"], sorted(rows))
    figures.keep(name, table, "tests/outside/readers_of_output BUILD")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="NAME", help="keep the table as bench/results/NAME.jsonl.xz")
    parser.add_argument("--only", help="these readers alone, with commas")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    rows: list[list[str]] = []
    faults: list[str] = []
    missing: list[str] = []
    for name, read, formats in READERS:
        version = version_of(name)
        if options.only and name not in options.only.split(","):
            continue
        if version is None:
            missing.append(name)
            continue
        for format in formats:
            there = [
                (d, k) for d in range(1, 5) for k in TYPES if (options.folder / f"{format}.{d}.{k}.journal").exists()
            ]
            if format in missing and (format, name) in (("adios2", "nearfar_output"), ("zarr", "xarray")):
                continue  # both read by that package
            if format == "adios2":
                there = [(d, k) for d, k in there if k != "complex64"]  # which ADIOS2's Python package does not know
            if name == "xarray":
                there = [(d, k) for d, k in there if not k.startswith("complex")]  # which it does not mask
            for d, k in there:
                if fault := fault_of(read, options.folder / f"{format}.{d}.{k}", d, k):
                    faults.append(f"{format}, {d} dimensions, {k}, by {name} {version}: {fault}")
            kinds = ", ".join(k for k in TYPES if any(k == kind for _, kind in there))
            dimensions = f"{min(d for d, _ in there)} to {max(d for d, _ in there)}" if there else ""
            if there:
                label = f" {version}" if version else ""
                rows.append([format, name + label, dimensions, kinds])
    print("\n".join(faults) or f"{len(rows)} rows: all is read")
    if missing:
        print(f"not installed: {', '.join(missing)}")
    if options.keep and not faults:
        keep(options.keep, rows)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
