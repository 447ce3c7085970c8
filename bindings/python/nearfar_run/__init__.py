# SPDX-License-Identifier: BSD-3-Clause
"""`nearfar-run` of a wheel: the compiled nearfar-run that was built for the program's MPI, whichever that is.

mpirun -n 4 nearfar-run [NAME=VALUE…] PROGRAM [ARGUMENT…]. Programs in Python (and other scripts) are those of the MPI
that this Python's mpi4py would load. A package of its own, since nearfar initialises MPI when it is imported, and a
process can do that once.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

_LIBRARIES = {"libmpi.so.40": "openmpi", "libmpi_abi.so": "mpiabi", "libmpi.so.12": "mpich", "libmpich.so.12": "mpich"}


def family_of(file: str) -> str:
    """The MPI that a program or library is linked with: "openmpi", "mpich", "mpiabi", or "" for none that is known."""
    listed = subprocess.run(["ldd", file], capture_output=True, text=True, check=False).stdout
    return next((kind for name, kind in _LIBRARIES.items() if name in listed), "")


def _program(words: list[str]) -> str:
    """The file of the program to run; "" where there is none."""
    name = next((word for word in words if "=" not in word and not word.startswith("-")), "")
    return shutil.which(name) or ""


def _of_mpi4py() -> str:
    try:
        found = importlib.util.find_spec("mpi4py.MPI")
    except (ImportError, RuntimeError):
        return ""
    return family_of(found.origin) if found and found.origin else ""


def main() -> None:
    package = importlib.util.find_spec("nearfar")
    folder = Path(package.submodule_search_locations[0] if package else "", "preload")
    kinds = sorted(path.parent.name for path in folder.glob("*/nearfar-run"))
    program = _program(sys.argv[1:])
    kind = (family_of(program) if program else "") or _of_mpi4py()
    if kinds and not program:  # --help, --version, or words of which it says what is wrong
        kind = kinds[0]
    if kind not in kinds:
        built = f"has libraries for {', '.join(kinds)}" if kinds else "has no library to preload"
        sys.exit(
            f"nearfar-run: error: this installation {built}; the MPI of {program or 'the program'} is"
            f" {kind or 'none of them, nor does mpi4py find one'}"
        )
    runner = str(folder / kind / "nearfar-run")
    os.execv(runner, [runner, *sys.argv[1:]])


if __name__ == "__main__":
    main()
