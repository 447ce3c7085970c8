#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads what varying_mpi_test.cpp has written, with h5py.

read_varying.py vtkhdf|hdf5 PATH STEPS RANKS
"""

import json
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)


def cells_of(step, rank):
    return 0 if (step + rank) % 3 == 0 else 100 * (step + 2) + rank


def check_grid(grid, step, ranks):
    parts = np.array([c for c in (cells_of(step, r) for r in range(ranks)) if c > 0], dtype=int)
    cells = parts.sum()
    np.testing.assert_array_equal(grid["NumberOfCells"][:], parts)
    np.testing.assert_array_equal(grid["NumberOfPoints"][:], 2 * parts)
    np.testing.assert_array_equal(grid["NumberOfConnectivityIds"][:], 2 * parts)
    numbers = np.arange(2 * cells)
    points = np.stack([numbers, np.full(2 * cells, step), np.zeros(2 * cells)], axis=1)
    np.testing.assert_array_equal(grid["Points"][:], points)
    np.testing.assert_array_equal(grid["PointData/p"][:], (numbers + 100000 * step).astype(np.float32))
    np.testing.assert_array_equal(grid["CellData/c"][:], np.arange(cells) + 100000 * step)
    assert grid["Types"].dtype == np.uint8 and np.all(grid["Types"][:] == 3)
    local = [np.arange(2 * c) for c in parts]
    np.testing.assert_array_equal(grid["Connectivity"][:], np.concatenate(local) if local else [])
    ends = [2 * np.arange(c + 1) for c in parts]
    np.testing.assert_array_equal(grid["Offsets"][:], np.concatenate(ends) if ends else [])
    np.testing.assert_array_equal(grid["FieldData/number"][:], [step, 7])
    assert grid["FieldData/TimeValue"][0] == 0.5 * step
    assert grid.attrs["Type"] == b"UnstructuredGrid" and list(grid.attrs["Version"]) == [2, 0]


def check_index(path, steps):
    """The file of all steps has those of each at the offsets that it tells."""
    with h5py.File(path + ".vtkhdf") as file:
        grid, of = file["VTKHDF"], file["VTKHDF/Steps"]
        assert of.attrs["NSteps"] == steps
        np.testing.assert_array_equal(of["Values"][:], 0.5 * np.arange(steps))
        places = {
            "Points": of["PointOffsets"][:],
            "Types": of["CellOffsets"][:, 0],
            "NumberOfCells": of["PartOffsets"][:],
            "Connectivity": of["ConnectivityIdOffsets"][:, 0],
            "PointData/p": of["PointDataOffsets/p"][:],
            "CellData/c": of["CellDataOffsets/c"][:],
            "FieldData/number": of["FieldDataOffsets/number"][:],
        }
        for step in range(steps):
            with h5py.File(f"{path}.{step:06}.vtkhdf") as one:
                for name, begin in places.items():
                    own = one["VTKHDF"][name][:]
                    np.testing.assert_array_equal(grid[name][begin[step] : begin[step] + len(own)], own)
                assert of["NumberOfParts"][step] == len(one["VTKHDF/NumberOfCells"])
    with open(path + ".vtkhdf.series") as series:
        assert [entry["time"] for entry in json.load(series)["files"]] == [0.5 * s for s in range(steps)]


def main():
    what, path, steps, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for step in range(steps):
        if what == "vtkhdf":
            with h5py.File(f"{path}.{step:06}.vtkhdf") as file:
                check_grid(file["VTKHDF"], step, ranks)
        else:
            with h5py.File(f"{path}.{step:06}.h5") as file:
                rows = sum(cells_of(step, r) for r in range(ranks))
                expected = (np.arange(4 * rows) + 100000 * step).astype(np.float32).reshape(1, rows, 4)
                np.testing.assert_array_equal(file["v"][:], expected)
                assert file["time"][0] == 0.5 * step
    if what == "vtkhdf":
        check_index(path, steps)


main()
