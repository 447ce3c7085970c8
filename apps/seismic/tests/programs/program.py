# SPDX-License-Identifier: BSD-3-Clause
"""Starts nearfar-seismic as a user does. Files are read by pictures/rsf.py: no code is shared with the program."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "apps/seismic/pictures"), str(ROOT / "tests/faults")]
from processes import wait_until_gone, working_in  # noqa: E402, F401

PROGRAM = Path(os.environ["NEARFAR_SEISMIC"])
HANG_S = 500  # for hangs only, before ctest ends the test

TILTED = """
[grid]
points = [44, 36, 40]
spacing = [20.0, 20.0, 20.0]
origin = [100.0, -50.0, 0.0]
[medium]
kind = "tti"
[model]
kind = "thrust"
[time]
end = 0.059
step = 0.0015
[sides]
kind = "sponge"
cells = 6
[[sources]]
position = [513.0, 287.0, 121.0]
frequency = 10.0
delay = 0.03
[[receivers]]
first = [105.0, 291.0, 33.0]
step = [19.0, 0.0, 0.0]
count = [40, 1, 1]
[[receivers]]
at = [[500.0, 200.0, 700.0]]
[gathers]
file = "shot.sgy"
interval = 0.003
[snapshots]
path = "wave"
steps = 10
from = [140.0, -50.0, 0.0]
to = [900.0, 650.0, 700.0]
stride = [1, 2, 1]
"""

# Single ranks of Open MPI share one session folder, which one that ends may delete while another one fills it:
# each script has its own.
SESSIONS = str(Path.cwd() / "sessions" / Path(sys.argv[0]).stem)


def environment(ranks: int) -> dict[str, str]:
    """Open MPI gives the other ranks of a failed job no second to end by themselves, and starts no daemon for a single
    rank."""
    own = {"OMPI_MCA_odls_base_sigkill_timeout": "0", **os.environ, "NEARFAR_BUDGET": "0"}
    alone = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_tmpdir_base": SESSIONS}
    return {**own, **alone} if ranks == 1 else own


def command(ranks: int) -> list[str]:
    if ranks == 1:
        return [str(PROGRAM)]  # needs no launcher, which takes longer than the run
    launcher = shlex.split(os.environ.get("NEARFAR_TEST_LAUNCHER", "mpiexec -n"))
    at = max(i for i, word in enumerate(launcher) if word.startswith("-n"))
    return [*launcher[: at + 1], str(ranks), *launcher[at + 1 :], str(PROGRAM)]


class Run:
    """One run: its exit status and what it printed. `around` is a command that runs each rank, if another one does."""

    def __init__(self, folder: Path, ranks: int, *options: str, around: tuple[str, ...] = ()) -> None:
        done = subprocess.run(
            [*command(ranks)[:-1], *around, str(PROGRAM), *options],
            cwd=folder,
            env=environment(ranks),
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def complaint(self) -> str:
        lines = [line for line in self.err.splitlines() if line.startswith("nearfar-seismic: ")]
        assert len(lines) == 1, f"one rank speaks for all, here {len(lines)}: {self.err}"
        return lines[0]


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nearfar-seismic-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "shot.toml").write_text(TILTED)

    def run_shot(self, ranks: int, *options: str, file: str = "shot.toml", threads: int = 1) -> Run:
        """A run that ends well. Options with a dot are assignments."""
        run = Run(self.folder, ranks, file, f"--set=run.threads={threads}", *self.assigned(options))
        self.assertEqual(run.status, 0, run.out + run.err)
        return run

    @staticmethod
    def assigned(options: tuple[str, ...]) -> list[str]:
        return [o if o.startswith("-") else f"--set={o}" for o in options]

    def complaint_of(self, ranks: int, *options: str, file: str = "shot.toml") -> str:
        """What a run that cannot be says, in one sentence."""
        run = Run(self.folder, ranks, file, *self.assigned(options))
        self.assertEqual(run.status, 2, run.out + run.err)
        self.assertNotIn("terminate called", run.err)
        return run.complaint


def main() -> None:
    unittest.main()
