# SPDX-License-Identifier: BSD-3-Clause
"""What tests on several ranks share: teams of 1 to 4 ranks and nodes, and a runner that ends all ranks at a failure."""

import io
import shutil
import sys
import tempfile
import traceback
import unittest

import numpy as np
from mpi4py import MPI

import nearfar as nf

WORLD = MPI.COMM_WORLD
COMMS = {ranks: WORLD.Split(0 if WORLD.rank < ranks else MPI.UNDEFINED) for ranks in (1, 2, 3, 4)}
SHAPES = ((1, 0), (2, 0), (2, 1), (3, 2), (4, 2))
QUICK = {"budget_s": -1.0}


def teams(shapes=SHAPES):
    """Teams of the first 1, 2, 3 and 4 ranks, all near, all far or two to a node.

    Those without this rank are left out, and those of more ranks than there are.
    """
    for ranks, node_size in shapes:
        if WORLD.rank < ranks <= WORLD.size:
            yield nf.Team(COMMS[ranks], node_size)


def values(shape, dtype=np.float64):
    """An array whose elements all differ, the same on all ranks."""
    a = np.arange(int(np.prod(shape))).reshape(shape)
    return (a * (1 + 2j) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def part(whole, box):
    return whole[tuple(slice(low, high) for low, high in zip(*box, strict=True))]


class InFolder(unittest.TestCase):
    """Tests that write to a folder, the same on all ranks and removed after each."""

    def setUp(self):
        self.folder = WORLD.bcast(tempfile.mkdtemp(prefix="nearfar_python.") if WORLD.rank == 0 else None)

    def tearDown(self):
        WORLD.Barrier()
        if WORLD.rank == 0:
            shutil.rmtree(self.folder)


class EndsAll(unittest.TextTestResult):
    """The other ranks would wait for the one that has failed."""

    def _end(self, test, error):
        print(f"rank {WORLD.rank}: {test}\n{''.join(traceback.format_exception(*error))}", file=sys.stderr, flush=True)
        WORLD.Abort(1)

    addError = addFailure = _end  # noqa: N815
    addSubTest = None


def run_on_all_ranks():
    """Runs the tests of the program; rank 0 reports."""
    quiet = io.StringIO() if WORLD.rank else sys.stderr
    runner = unittest.TextTestRunner(stream=quiet, resultclass=EndsAll, verbosity=2 if "-v" in sys.argv else 1)
    unittest.main(testRunner=runner)
