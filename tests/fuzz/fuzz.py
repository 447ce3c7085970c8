#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Feeds our programs with damaged inputs: none may hang, crash, show a traceback or take what cannot be for good.

    fuzz.py                     some inputs of each target, as `make test` does
    fuzz.py --inputs 1000       that many of each
    fuzz.py --inputs 1 --first 417 sounding       one input again; what it was stays in --keep FOLDER

An input follows from its number, so a failure can be had again. NEARFAR_WEATHER, NEARFAR_SEISMIC, NEARFAR_HEAT and
NEARFAR_TURBULENCE name the compiled programs; targets whose program or Python modules are missing are left out, and
that is said.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent)]
os.environ.setdefault("MPLBACKEND", "Agg")

import targets  # noqa: E402

warnings.simplefilter("ignore")  # of damaged numbers

LEFT_OUT = 77


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets.ALL))
    parser.add_argument("--inputs", type=int, help="of each target (default: few of what takes long)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first input (0)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="for the inputs, in place of one that is removed")
    options = parser.parse_args()
    unknown = set(options.targets) - set(targets.ALL)
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(targets.ALL)}")
    return options


def one_target(name: str, first: int, count: int, folder: Path) -> int:
    """In a process of its own: targets' modules share names."""
    try:
        attempt = targets.ALL[name][0](folder)
    except (ImportError, FileNotFoundError) as error:
        print(f"{name}: left out: {error}")
        return LEFT_OUT
    faults = 0
    for seed in range(first, first + count):
        wrong = attempt(seed)
        if wrong:
            faults += 1
            print(f"{name}: input {seed} {wrong}", flush=True)
    print(f"{name}: {count} inputs, {faults} faults", flush=True)
    return 1 if faults else 0


def main() -> int:
    options = arguments()
    names = options.targets or list(targets.ALL)
    if len(names) == 1:
        count = options.inputs or targets.ALL[names[0]][1]
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            return one_target(names[0], options.first, count, options.keep)
        with tempfile.TemporaryDirectory(prefix="nearfar-fuzz-") as folder:
            return one_target(names[0], options.first, count, Path(folder))
    given = ["--first", str(options.first)]
    given += ["--inputs", str(options.inputs)] if options.inputs else []
    statuses = [subprocess.run([sys.executable, __file__, *given, name], check=False).returncode for name in names]
    if all(status == LEFT_OUT for status in statuses):
        return LEFT_OUT
    return 0 if set(statuses) <= {0, LEFT_OUT} else 1


if __name__ == "__main__":
    sys.exit(main())
