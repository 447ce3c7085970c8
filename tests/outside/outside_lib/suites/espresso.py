# SPDX-License-Identifier: BSD-3-Clause
"""Debian's quantum-espresso (Open MPI): pw.x, a Fortran program whose time goes into collectives; every printed digit
counts."""

import glob
import gzip
import re
import shutil

from ..tests import FAIL, PASS, Test

LEARNS_FROM_PLAIN = True  # the plain run says what the right answers are: it cannot be left out
HELP = (
    "nothing: pw.x and a pseudopotential of Debian's quantum-espresso and quantum-espresso-data are found by themselves"
)
PSEUDOPOTENTIAL = "/usr/share/doc/quantum-espresso/examples/**/Si.pz-vbc.UPF*"
INPUT = """&control
  calculation = 'scf', prefix = 'silicon', pseudo_dir = '.', outdir = 'scratch'
  tprnfor = .true., tstress = .true., disk_io = 'none'
/
&system
  ibrav = 1, celldm(1) = 10.2, nat = 8, ntyp = 1, ecutwfc = %(cutoff)d.0
/
&electrons
  conv_thr = 1.0d-10, diagonalization = '%(solver)s'
/
ATOMIC_SPECIES
  Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
  Si 0.01 0.00 0.00
  Si 0.50 0.50 0.00
  Si 0.50 0.00 0.51
  Si 0.00 0.50 0.50
  Si 0.25 0.25 0.25
  Si 0.75 0.75 0.25
  Si 0.75 0.25 0.75
  Si 0.25 0.76 0.75
K_POINTS automatic
  %(points)d %(points)d %(points)d 0 0 0
"""
TIMES = re.compile(r"cpu time|WALL|starts on|terminated on|^Note:|dynamical RAM")
# Sums of three ranks and more may be made in any order: then only what has converged must be the same.
CONVERGED = re.compile(r"^!|Total force|total   stress|number of scf|convergence has been achieved")


class Judge:
    """The first, plain run says what is right."""

    def __init__(self, ranks):
        self.is_exact = ranks <= 2
        self.truth = None

    def lines(self, output):
        wanted = (lambda line: not TIMES.search(line)) if self.is_exact else CONVERGED.search
        return [line for line in output.splitlines() if line.strip() and wanted(line)]

    def __call__(self, output, code, _folder):
        if code != 0 or "JOB DONE" not in output:
            return {"end": FAIL}
        found = self.lines(output)
        self.truth = self.truth or found
        differing = sum(a != b for a, b in zip(found, self.truth)) + abs(len(found) - len(self.truth))
        return {"end": PASS, "answers": FAIL if differing else PASS}


def pseudopotential():
    for path in glob.glob(PSEUDOPOTENTIAL, recursive=True):
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as file:
            return file.read()
    return None


def tests(mpi, options):
    program, potential = shutil.which("pw.x"), pseudopotential()
    if not program or not potential or mpi.family != "openmpi":
        return
    for ranks, cutoff, points, solver in (
        (2, 12, 2, "david"),
        (2, 12, 1, "cg"),
        (3, 12, 1, "david"),
        (4, 12, 1, "david"),
    ):
        files = {"scf.in": INPUT % {"cutoff": cutoff, "points": points, "solver": solver}, "Si.UPF": potential}
        yield Test(
            "pw.x %d %s" % (ranks, solver),
            ranks,
            [program, "-in", "scf.in"],
            Judge(ranks),
            300,
            files=files,
            environment={"OMP_NUM_THREADS": "1"},
        )
