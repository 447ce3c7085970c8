#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the names that the shared library exports with the committed list, and looks for names that are not ours.

    exported_names.py LIBRARY LIST [--update]

A name that appears is an addition to the interface, one that goes breaks programs: both show in the list's history. Of
C++ the list has functions and classes' members without their arguments, which compilers spell in several ways; not what
is weak (templates, inline functions, type descriptions).
"""

import argparse
import re
import subprocess
import sys

OURS = re.compile(r"^nearfar_[a-z0-9_]+$")
# Mangled: nearfar's own, and what the standard library's templates leave as weak symbols.
MANGLED = re.compile(r"^_Z(Z|T[VTIS]|GV)*N?K?(S[tabsiod]|9__gnu_cxx)|^_Z.*7nearfar")


def exported(library):
    told = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return sorted(line.split()[-1] for line in told.splitlines() if line.split())


def cpp_names(library):
    options = ["-D", "-C", "--defined-only", "--format=posix"]
    told = subprocess.run(["nm", *options, library], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(nearfar::[^(\n]*?)(?:\[abi:\w+\])?(?:\(.*)? [TD] ", told, re.M)
    return sorted(set(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("list")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    names = exported(options.library)
    ours = [name for name in names if OURS.match(name)] + cpp_names(options.library)
    if options.update:
        with open(options.list, "w", encoding="utf-8") as out:
            out.write("\n".join(ours) + "\n")
    with open(options.list, encoding="utf-8") as committed:
        wanted = committed.read().splitlines()
    foreign = [name for name in names if not OURS.match(name) and not MANGLED.match(name)]
    complaints = [f"{name} is exported and not in {options.list}" for name in ours if name not in wanted]
    complaints += [f"{name} is no longer exported" for name in wanted if name not in ours]
    complaints += [f"{name} is exported and not ours" for name in foreign]
    if complaints:
        print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
