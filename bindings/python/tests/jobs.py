# SPDX-License-Identifier: BSD-3-Clause
"""How programs end, and what is refused on import:  jobs.py FAMILY COMMAND… (COMMAND launches two ranks)."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FAMILY, *LAUNCH = sys.argv[1:]
del sys.argv[1:]
# What the launcher of this very test has said is not for the processes that the test starts.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_COMM", "PMI_", "PMIX_"))}


def run(program, *, launch=(), arguments=(), **variables):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(program)
        # An uncaught exception that ends only its own rank leaves the other one waiting: then the time is up.
        return subprocess.run(
            [*launch, sys.executable, *arguments, path],
            env=ENVIRONMENT | variables,
            capture_output=True,
            text=True,
            timeout=600,  # for hangs only
            check=False,
        )


ONE_FAILS = """
import sys
from mpi4py import MPI
import nearfar
if MPI.COMM_WORLD.rank == 1: {failure}
MPI.COMM_WORLD.Barrier()
"""


class Jobs(unittest.TestCase):
    def test_an_uncaught_exception_ends_all_ranks(self):
        done = run(ONE_FAILS.format(failure="raise KeyError('lost')"), launch=LAUNCH)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("KeyError: 'lost'", done.stderr)

    def test_so_does_a_status_under_the_runner(self):
        done = run(ONE_FAILS.format(failure="sys.exit('no input')"), launch=LAUNCH, arguments=("-m", "nearfar"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no input", done.stderr)

    def test_one_process_needs_no_launcher(self):
        done = run("import nearfar as nf; print(nf.allreduce(nf.Team(), 3))")
        self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)

    def test_the_launcher_of_another_mpi_is_refused(self):
        variable = "PMI_SIZE" if FAMILY == "openmpi" else "OMPI_COMM_WORLD_SIZE"
        done = run("import nearfar", **{variable: "4"})
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, f"UsageError: .* started 4 processes \\({variable}\\)")

    def test_what_is_missing_is_named(self):
        hidden = "import sys\nsys.modules[{!r}] = None\nimport nearfar"
        self.assertIn("pip install mpi4py", run(hidden.format("mpi4py")).stderr)
        self.assertRegex(run(hidden.format("mpi4py.MPI")).stderr, "needs (an MPI library|mpi4py)")
        other = "import nearfar._library as l; assert l.family(None, 'Others MPI 1') == ''; l._load('')"
        self.assertRegex(run(other).stderr, "neither Open MPI nor MPICH.* built for (Open MPI|MPICH)")


if __name__ == "__main__":
    unittest.main()
