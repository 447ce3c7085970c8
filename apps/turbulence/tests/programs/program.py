#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starts nearfar-turbulence as a user does: what it prints and refuses, a full disk, files for ParaView."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["NEARFAR_TURBULENCE"])
HANG_S = 500  # for hangs only, before ctest ends the test
PICTURES = Path(__file__).resolve().parents[2] / "pictures" / "pictures.py"


def python_with_pictures() -> str | None:
    """Debian's own Python has Debian's packages even where another one comes first in the path."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if (
            subprocess.run(
                [candidate, "-c", "import h5py, matplotlib, numpy, PIL"], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return candidate
    return None


SMALL = """
[grid]
points = [16, 16, 16]
[flow]
viscosity = 0.01
[time]
end = 0.1
step = 0.02
[series]
path = "run.series"
[snapshots]
path = "run"
interval = 0.05
[spectra]
path = "run.spectra"
interval = 0.05
[checkpoints]
path = "state"
steps = 1
"""


class Program(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nearfar-turbulence-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "run.toml").write_text(SMALL)

    def started(self, *options: str, ranks: int = 2, around: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        launcher = shlex.split(os.environ.get("NEARFAR_TEST_LAUNCHER", "mpiexec -n"))
        at = max(i for i, word in enumerate(launcher) if word.startswith("-n")) + 1
        return subprocess.run(
            [*launcher[:at], str(ranks), *launcher[at:], *around, str(PROGRAM), *options],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
            env={**os.environ, "NEARFAR_BUDGET": "0"},
        )

    def refused(self, *options: str, around: tuple[str, ...] = ()) -> str:
        """What one rank says for all, in one sentence."""
        run = self.started(*options, around=around)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        said = [line for line in run.stderr.splitlines() if line.startswith("nearfar-turbulence: ")]
        self.assertEqual(len(said), 1, run.stderr)
        return said[0]

    def test_a_run_and_its_comparison(self) -> None:
        run = self.started("run.toml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"6 steps in .* % in transforms, [0-9.]+ times what they take alone")
        rows = (self.folder / "run.series").read_text().splitlines()
        self.assertEqual(len(rows), 8)  # one step is cut for what is written at 0.05
        self.assertTrue((self.folder / "run.000002.vtkhdf").exists(), sorted(self.folder.iterdir()))
        told = self.started("compare", "run.series", ranks=1)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("deviations from the reference, time 0 to 0.1", told.stdout)

        python = python_with_pictures()
        if python is None:
            return
        drawn = subprocess.run(
            [python, PICTURES, "run", "--output", ".", "--isosurface", "--film"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        begins = {"turbulence.png": b"\x89PNG", "isosurface.png": b"\x89PNG", "turbulence.gif": b"GIF8"}
        for name, begin in begins.items():
            self.assertTrue((self.folder / name).read_bytes().startswith(begin), name)
        missing = subprocess.run(
            [python, PICTURES, "nothing"], cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(missing.returncode, 2)
        self.assertIn("nothing.series", missing.stderr)

    def test_what_cannot_be(self) -> None:
        self.assertIn("grid has no key 'pionts'", self.refused("run.toml", "--set=grid.pionts=[3, 3, 3]"))
        self.assertIn("No such file", self.refused("nowhere.toml"))
        self.assertIn("nowhere/run.series", self.refused("run.toml", "--set=series.path=nowhere/run.series"))
        said = self.refused("run.toml", "--set=grid.points=[60000, 60000, 60000]")
        self.assertRegex(said, r"60000 x 60000 x 60000 points needs .* TB on each node of 2 ranks .* GB free.*--force")

    def test_a_full_disk_keeps_the_checkpoint(self) -> None:
        """The system refuses to let files grow beyond some bytes: snapshots do after some steps."""
        limited = ("sh", "-c", 'trap "" XFSZ; ulimit -f 16384; exec "$@"', "sh")
        own = (
            "--set=grid.points=[32, 32, 32]",
            "--set=time.scheme=rk3",
            "--set=checkpoints.steps=40",
            "--set=snapshots.interval=0.02",
            "--set=snapshots.format=rsf",
            "--set=spectra.interval=1",
        )
        said = self.refused("run.toml", "--set=time.end=10", *own, around=limited)
        self.assertRegex(said, r"run\.(u|v|w|vorticity)\.raw")
        self.assertIn("File too large", said)
        again = self.started("run.toml", "--restart=state", "--set=time.end=0.84", *own)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("restart   from step 40", again.stdout)
        self.assertIn("2 steps in", again.stdout)


if __name__ == "__main__":
    unittest.main()
