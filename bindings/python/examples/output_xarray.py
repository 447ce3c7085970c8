# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a wave written behind computing to Zarr and NetCDF, and read back by xarray as if NumPy had written them.

mpirun -n 4 python output_xarray.py [FOLDER] [--picture FILE]: needs xarray with zarr, and netCDF4 or h5netcdf.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from mpi4py import MPI
from picture import draw, wanted

import nearfar as nf

file = wanted()
world = MPI.COMM_WORLD
folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp() if world.rank == 0 else None
folder = Path(world.bcast(folder))
ny, nx, steps = 48, 64, 5
rows = nf.Decomposition.slab(nf.Team(world), (ny, nx), 0)  # each rank has some rows
y, x = np.linspace(0, 1, ny), np.linspace(0, 2, nx)


def wave(time):
    return np.sin(2 * np.pi * (x[None, :] - time)) * np.cos(np.pi * y[:, None])


mine = slice(rows.own[0][0], rows.own[1][0])
array = nf.OutputArray("height", (ny, nx), rows.own, "float64", attributes={"units": "m"}, dimension_names=("y", "x"))
axes = [nf.OutputAxis("y", y, {"units": "m"}), nf.OutputAxis("x", x, {"units": "m"})]
formats = [name for name in ("zarr", "netcdf") if name in nf.output_formats()]
for name in formats:
    with nf.OutputStream(world, folder / name, [array], format=name, axes=axes, expected_steps=steps) as out:
        for step in range(steps):
            with out.step(0.1 * step):
                out.put("height", wave(0.1 * step)[mine])
world.Barrier()

if world.rank == 0:
    import xarray

    for name in formats:
        if name == "zarr":
            found = xarray.open_zarr(folder / "zarr.zarr", consolidated=False)
        else:
            found = xarray.open_dataset(folder / "netcdf.nc")
        with found:
            last = found["height"].isel(time=-1)
            error = float(abs(last - wave(0.1 * (steps - 1))).max())
            print(f"output: {name} read by xarray, {dict(found.sizes)}, largest error {error:.0e}")
            if error > 0 or not np.allclose(found["x"], x):
                sys.exit("output: xarray reads other values")
    if file:
        draw(file, wave(0.1 * (steps - 1)), f"the last of {steps} steps")
