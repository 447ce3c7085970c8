# SPDX-License-Identifier: BSD-3-Clause
"""Halo, gather and FFT plans and output on arrays in GPU memory, by CUDA's array interface; on the stand-in for CUDA's
driver that the tests of the library use, whose memory nothing but the driver can touch.
"""

import ctypes
import unittest

import numpy as np
from shapes import QUICK, part, run_on_all_ranks, teams, values

import nearfar as nf

DRIVER = ctypes.CDLL("libcuda.so.1")
SHAPES = ((1, 0), (2, 0), (2, 1))


def ask(function, *arguments):
    status = getattr(DRIVER, function)(*arguments)
    if status:
        raise RuntimeError(f"{function} returned {status}")


class GpuArray:
    """An array in memory of the GPU, as those of CuPy describe themselves."""

    def __init__(self, values):
        self.shape, self.dtype, self.bytes = values.shape, values.dtype, values.nbytes
        address = ctypes.c_uint64()
        ask("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(self.bytes))
        self.address = address.value
        self.set(values)

    def set(self, values):
        a = np.ascontiguousarray(values, self.dtype)
        ask("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address), a.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(self.bytes))  # fmt: skip

    def get(self):
        a = np.empty(self.shape, self.dtype)
        ask("cuMemcpyDtoH_v2", a.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address),
            ctypes.c_size_t(self.bytes))  # fmt: skip
        return a

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3}


class GpuArrays(unittest.TestCase):
    def test_halo(self):
        extents = (6, 5)
        for team in teams(SHAPES):
            grid = nf.Grid(team, extents, (True, True))
            lower, upper = grid.own
            wanted = part(np.pad(values(extents), 1, mode="wrap"), (lower, np.add(upper, 2)))
            mine = np.zeros_like(wanted)
            mine[1:-1, 1:-1] = wanted[1:-1, 1:-1]
            t, u = GpuArray(mine), GpuArray(mine)
            halo = nf.HaloPlan(t, grid=grid, ghosts=1, **QUICK)
            halo.run()
            halo.run(u)
            for a in (t, u):
                np.testing.assert_array_equal(a.get(), wanted)
            self.assertIn("GPU", halo.describe())

    def test_gather(self):
        for team in teams(SHAPES):
            where = nf.Distribution.block(team, 12)
            plan = nf.IrregularPlan(where, np.arange(12)[::-1], **QUICK)
            x, out = GpuArray(where.globals() * 1.5), GpuArray(np.zeros(12))
            plan.gather(x, out)
            np.testing.assert_array_equal(out.get(), np.arange(12)[::-1] * 1.5)
            self.assertRaisesRegex(nf.UsageError, "out=", plan.gather, x)

    def test_collective_calls_refuse(self):
        self.assertRaisesRegex(nf.UsageError, "memory of a GPU", nf.allreduce, nf.Team(), GpuArray(np.zeros(2)))


if __name__ == "__main__":
    ask("cuInit", 0)
    run_on_all_ranks()
