# SPDX-License-Identifier: BSD-3-Clause
"""Starts nearfar-adaptive-heat as a user does, and reads its files with h5py: no code is shared with the program."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/faults"))
from processes import wait_until_gone, working_in  # noqa: E402, F401

PROGRAM = Path(os.environ["NEARFAR_HEAT"])
HANG_S = 500  # for hangs only, before ctest ends the test
# Single ranks of Open MPI share one session folder, which one that ends may delete while another one fills it:
# each script has its own.
SESSIONS = str(Path.cwd() / "sessions" / Path(sys.argv[0]).stem)


class Run:
    """One run: its exit status and what it printed. `around` is a command that runs it, if another one does."""

    def __init__(self, folder: Path, ranks: int, *options: str, around: tuple[str, ...] = ()) -> None:
        done = subprocess.run(
            [*around, *self.command(ranks), *options],
            cwd=folder,
            env=self.environment(ranks),
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    @staticmethod
    def environment(ranks: int) -> dict[str, str]:
        """Open MPI gives the other ranks of a failed job no second to end by themselves, and starts no daemon for a
        single rank."""
        own = {"OMPI_MCA_odls_base_sigkill_timeout": "0", **os.environ, "NEARFAR_BUDGET": "0"}
        alone = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_tmpdir_base": SESSIONS}
        return {**own, **alone} if ranks == 1 else own

    @staticmethod
    def command(ranks: int) -> list[str]:
        if ranks == 1:
            return [str(PROGRAM)]  # needs no launcher, which takes longer than the run
        launcher = shlex.split(os.environ.get("NEARFAR_TEST_LAUNCHER", "mpiexec -n"))
        at = max(i for i, word in enumerate(launcher) if word.startswith("-n"))
        return [*launcher[: at + 1], str(ranks), *launcher[at + 1 :], str(PROGRAM)]

    @property
    def integral(self) -> float:
        found = re.search(r"^\s+(-?\d\.\d+E[+-]\d+)", self.out, re.MULTILINE)
        assert found, self.out + self.err
        return float(found[1])

    @property
    def complaint(self) -> str:
        lines = [line for line in self.err.splitlines() if line.startswith("nearfar-adaptive-heat: ")]
        assert len(lines) == 1, f"one rank speaks for all, here {len(lines)}: {self.err}"
        return lines[0]


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nearfar-heat-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_heat(self, ranks: int, *options: str) -> Run:
        """A run that ends well."""
        run = Run(self.folder, ranks, *options)
        self.assertEqual(run.status, 0, run.out + run.err)
        return run

    def complaint_of(self, ranks: int, *options: str) -> str:
        """What a run that cannot be says; nothing of it may be left."""
        run = Run(self.folder, ranks, *options)
        self.assertEqual(run.status, 2, run.out + run.err)
        self.assertEqual(sorted(self.folder.rglob("*.partial")), [])
        return run.complaint


def gauss_lobatto() -> tuple[np.ndarray, np.ndarray]:
    """Five points on [-1, 1] and their weights: the ends and the zeros of the derivative of P4."""
    p4 = np.polynomial.legendre.Legendre.basis(4)
    points = np.concatenate([[-1.0], np.sort(p4.deriv().roots().real), [1.0]])
    return points, 2 / (20 * p4(points) ** 2)


def elements_of(file: h5py.File) -> tuple[np.ndarray, np.ndarray]:
    """Points of the elements of order 4, [element, z, y, x, axis], and their temperatures."""
    grid = file["VTKHDF"]
    return grid["Points"][:].reshape(-1, 5, 5, 5, 3), grid["PointData/temperature"][:].reshape(-1, 5, 5, 5)


def heat_of(file: h5py.File) -> float:
    """The integral of the temperature, by the places of the points alone."""
    points, temperature = elements_of(file)
    weight = gauss_lobatto()[1] / 2
    volume = np.prod(points[:, -1, -1, -1] - points[:, 0, 0, 0], axis=1)
    return float(np.einsum("nkji,k,j,i,n->", temperature, weight, weight, weight, volume))


def main() -> None:
    sys.dont_write_bytecode = True
    unittest.main()
