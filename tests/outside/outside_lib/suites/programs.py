# SPDX-License-Identifier: BSD-3-Clause
"""Debian's MPI programs with small inputs: every number of the answering lines is compared with the plain run's."""

import dataclasses
import glob
import os
import re
import shutil
import typing

from ..tests import FAIL, PASS, Test

LEARNS_FROM_PLAIN = True  # the plain run says what the right answers are: it cannot be left out
HELP = "nothing: whichever of Debian's packages are installed are found by themselves; what is missing is named"
INPUTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))), "inputs")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")
SCALAPACK = "/usr/lib/x86_64-linux-gnu/scalapack/%s-tests/"


@dataclasses.dataclass
class Program:
    """A program of a package: how it is started, and which of its words are answers."""

    name: str
    package: str
    command: typing.List[str]
    answers: str  # lines of the output that hold this
    does: str  # for the page
    inputs: typing.Sequence[str] = ()  # folders of inputs
    prepare: str = ""  # shell command before it, on one process, without the library
    files: typing.Sequence[str] = ()  # patterns of files whose numbers are answers too
    tolerance: float = 1e-7  # relative; sums of many ranks may be made in any order
    family: str = "openmpi"
    ranks: typing.Sequence[int] = (2, 4)
    environment: typing.Dict[str, str] = dataclasses.field(default_factory=dict)

    def path(self):
        return shutil.which(self.command[0])


def scalapack(family, what, answers, does):
    return Program(
        "%s (%s)" % (what, family),
        "scalapack-mpi-test",
        [SCALAPACK % family + what],
        answers,
        does,
        prepare="cp %s*.dat ." % (SCALAPACK % family),
        family=family,
        ranks=(4,),
        tolerance=1e-3,
    )


def nwchem(family):
    return Program(
        "nwchem (%s)" % family,
        "nwchem-" + family,
        ["nwchem." + family, "water.nw"],
        r"Total (SCF|DFT|MP2) energy|^\s+\d [OH] ",
        "SCF with gradient, DFT and MP2 of water",
        ["nwchem"],
        family=family,
        tolerance=1e-6,
    )


def python(name, package, script, answers, does, inputs, tolerance=1e-7):
    return Program(name, package, ["/usr/bin/python3", script], answers, does, [inputs], tolerance=tolerance)


SEQUENCES = "python3 make_sequences.py"
ALL = [
    nwchem("openmpi"),
    nwchem("mpich"),
    Program(
        "gromacs",
        "gromacs",
        ["gmx_mpi", "mdrun", "-s", "topol.tpr", "-ntomp", "1", "-reprod", "-g", "md.log"],
        r"^\s+-?\d\.\d+e[+-]\d+",
        "200 steps of 1728 argon atoms",
        ["gromacs"],
        "python3 make_gro.py && gmx grompp -f md.mdp -c conf.gro -p topol.top -maxwarn 5",
        ["md.log"],
        2e-4,
    ),
    Program(
        "openfoam",
        "openfoam",
        ["icoFoam", "-parallel"],
        r"Solving for|continuity errors",
        "lid-driven cavity, 1600 cells, icoFoam",
        ["openfoam"],
        "blockMesh && decomposePar",
        ["processor*/0.1/p"],
        1e-4,
        environment={"WM_PROJECT_DIR": "/usr/share/openfoam", "FOAM_SIGFPE": "true"},
    ),
    Program(
        "lammps",
        "lammps",
        ["lmp", "-in", "melt.in"],
        r"^\s+\d+\s+[-\d.]+\s+[-\d.]+ ",
        "50 steps of a Lennard-Jones melt",
        ["lammps"],
    ),
    Program(
        "pw.x",
        "quantum-espresso",
        ["pw.x", "-in", "scf.in"],
        r"^!|Total force|total   stress|highest",
        "SCF of silicon",
    ),
    Program(
        "cp2k",
        "cp2k",
        ["cp2k.psmp", "water.inp"],
        r"Total FORCE_EVAL|^\s+\d+\s+\d\s+[OH] ",
        "energy and forces of water",
        ["cp2k"],
        environment={"OMP_NUM_THREADS": "1", "CP2K_DATA_DIR": "/usr/share/cp2k"},
        tolerance=1e-5,
    ),
    Program(
        "abinit",
        "abinit",
        ["abinit", "h2.abi"],
        r"ETOT|etotal|Cartesian forces",
        "SCF of a hydrogen molecule",
        ["abinit"],
        tolerance=1e-5,
    ),
    Program(
        "elk",
        "elk-lapw",
        ["elk-lapw"],
        r"^x$",
        "six iterations of aluminium",
        ["elk"],
        files=["TOTENERGY.OUT"],
        tolerance=1e-6,
    ),
    Program(
        "mumps (dsimpletest)",
        "mumps-test",
        ["sh", "-c", "/usr/lib/mumps/dsimpletest < /usr/lib/mumps/input_simpletest_real"],
        r"Solution is",
        "a direct solution",
    ),
    scalapack("openmpi", "xdlu", r"^WALL.*PASSED", "LU factorisations"),
    scalapack("openmpi", "xdqr", r"^WALL.*PASSED", "QR factorisations"),
    scalapack("mpich", "xdlu", r"^WALL.*PASSED", "LU factorisations"),
    scalapack("mpich", "xzllt", r"^WALL.*PASSED", "Cholesky"),
    Program(
        "ptscotch (dgtst)",
        "ptscotch",
        ["dgtst", "grid.grf", "statistics.txt"],
        r"^x$",
        "statistics of a distributed grid; what dgord orders depends on which rank is late, plain too",
        ["ptscotch"],
        "python3 grid.py",
        ["statistics.txt"],
    ),
    Program(
        "mpb",
        "mpb-mpi",
        ["mpb-mpi", "diamond.ctl"],
        r"^freqs:,",
        "bands of a photonic crystal",
        ["mpb"],
        tolerance=1e-4,
    ),
    Program(
        "phyml",
        "phyml",
        ["phyml-mpi", "-i", "dna.phy", "-d", "nt", "-b", "4", "--r_seed", "11", "--quiet"],
        r"^x$",
        "a tree of ten sequences with bootstraps",
        ["sequences"],
        SEQUENCES,
        ["dna.phy_phyml_tree.txt", "dna.phy_phyml_boot_stats.txt"],
        1e-4,
    ),
    Program(
        "iqtree",
        "iqtree",
        ["iqtree2-mpi", "-s", "dna.phy", "-m", "JC", "-nt", "1", "-seed", "5", "-redo"],
        r"^BEST SCORE FOUND|^Optimal log-lik",
        "the most likely tree of ten sequences",
        ["sequences"],
        SEQUENCES,
        tolerance=1e-4,
    ),
    Program(
        "freefem",
        "freefem++",
        ["FreeFem++-mpi", "-v", "0", "-nw", "schwarz.edp"],
        r"^sum ",
        "parts of a plate by finite elements",
        ["freefem"],
    ),
    python(
        "petsc4py, slepc4py",
        "python3-petsc4py-real",
        "poisson.py",
        r"^solution|^eigenvalues",
        "conjugate gradients and eigenvalues",
        "petsc4py",
    ),
    python(
        "mpi4py",
        "python3-mpi4py",
        "power.py",
        r"^eigenvalue",
        "power iteration, pickled objects, a transposition",
        "mpi4py",
    ),
    python("h5py, HDF5", "python3-h5py-mpi", "many.py", r"^sums", "rows of a dataset by MPI-IO", "h5py"),
    python("meep", "python3-meep-openmpi", "ring.py", r"^fields", "light in a bent waveguide", "meep", 1e-6),
    Program("parform", "form", ["parform", "sums.frm"], r"^ +\+ ", "polynomials", ["parform"]),
]


def judge(program):
    """The first, plain run says what is right."""
    truth = []
    pattern = re.compile(program.answers)

    def numbers(output, folder):
        lines = [line for line in output.splitlines() if pattern.search(line)]
        for wanted in program.files:
            for path in sorted(glob.glob(os.path.join(folder, wanted))):
                with open(path, errors="replace") as file:
                    text = file.read()
                lines += [line for line in text.splitlines() if not path.endswith(".log") or pattern.search(line)]
        return [float(number.replace("D", "e").replace("d", "e")) for line in lines for number in NUMBER.findall(line)]

    def is_same(a, b):
        return abs(a - b) <= program.tolerance * max(abs(a), abs(b)) + program.tolerance * 1e-3

    def verdicts(output, code, folder):
        found = numbers(output, folder)
        if code != 0 or not found:
            return {"end": FAIL}
        if not truth:
            truth.extend(found)
        same = len(found) == len(truth) and all(map(is_same, found, truth))
        return {"end": PASS, "%d numbers" % len(truth): PASS if same else FAIL}

    return verdicts


def files_of(program, ranks):
    files = {}
    for folder in program.inputs:
        top = os.path.join(INPUTS, folder)
        for place, _, names in os.walk(top):
            for name in names:
                with open(os.path.join(place, name)) as file:
                    files[os.path.relpath(os.path.join(place, name), top)] = file.read().replace("@RANKS@", str(ranks))
    return files


def missing(mpi):
    """Programs of this MPI whose package is not installed."""
    return [program for program in ALL if program.family == mpi.family and not program.path()]


def more_files(program):
    if program.name != "pw.x":
        return {}
    from . import espresso

    potential = espresso.pseudopotential()
    return (
        {"scf.in": espresso.INPUT % {"cutoff": 12, "points": 1, "solver": "david"}, "Si.UPF": potential}
        if potential
        else {}
    )


def tests(mpi, options):
    for program in ALL:
        if program.family != mpi.family or not program.path():
            continue
        for ranks in program.ranks:
            if ranks <= options.most_ranks:
                yield Test(
                    "%s, %d ranks" % (program.name, ranks),
                    ranks,
                    [program.path(), *program.command[1:]],
                    judge(program),
                    120,
                    files={**files_of(program, ranks), **more_files(program)},
                    prepare=program.prepare,
                    environment={"OMP_NUM_THREADS": "1", **program.environment},
                )
