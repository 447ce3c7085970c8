# SPDX-License-Identifier: BSD-3-Clause
"""Every number of ranks, tile shape, node shape and halo method gives the same bits.

identity.py PROGRAM [RANKS...]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from model import Checks, change, namelist_file, run, run_well, scratch

ANYWHERE = ("", "isend", "persistent", "neighbor")
NEAR = ("near-line", "near-staged", "near-direct", "near-mixed", "near-cma", "node-barrier")
FAR = ("rma", "parts")
MIXED = ("", "near-mixed+lanes", "node-barrier+neighbor")
SHAPES = {1: ((0, 0),), 2: ((2, 1), (1, 2)), 3: ((3, 1), (1, 3)), 4: ((4, 1), (2, 2), (1, 4)), 6: ((3, 2),)}


FEW = ("", "isend", "near-line", "node-barrier")


def cases(ranks: int, scheme: str) -> list[tuple[int, str]]:
    """Node sizes (0: all near) and methods: every method once with two ranks, mixtures with more."""
    if ranks == 1:
        return [(0, method) for method in ANYWHERE]
    if scheme == "leapfrog":
        return [(0, method) for method in FEW] + [(1, "")]
    if ranks == 2:
        return [(0, method) for method in ANYWHERE + NEAR] + [(1, method) for method in ANYWHERE + FAR]
    return [(0, ""), *((2, method) for method in MIXED)]


def identical(check: Checks, program: str, folder: Path, namelist: str, scheme: str, ranks: list[int]) -> None:
    namelist = change(namelist, model_options__time_scheme=scheme)
    if scheme == "rk3":
        namelist = change(namelist, model_options__diff_6th_factor=0.1)
    one = run_well(program, namelist, 1, folder).state("end")
    begin = run_well(program, change(namelist, timmax=0.0), 1, folder).state("start")
    check(one.checksum != begin.checksum, f"{scheme}: the run changes the state")
    check.within(one.q[0], 0.0, 1.0, f"{scheme}: moisture is nowhere negative")
    for n in ranks:
        for px, py in SHAPES[n]:
            for node_size, method in cases(n, scheme):
                keys = {"exchange__method": method, "exchange__px": px, "exchange__py": py}
                result = run(program, change(namelist, **keys), n, folder, node_size=node_size)
                if "cannot be had on this machine" in result.log and method == "rma":
                    print("skipped 1-sided puts: this MPI's do not pass Nearfar's probe", flush=True)
                    continue
                if result.status != 0:
                    sys.exit(f"the model ended with status {result.status} on {n} ranks:\n{result.log}")
                check(result.state("end").checksum == one.checksum, f"{scheme}: {n} ranks, {px} x {py} tiles, "
                      f"method '{method or 'tuned'}', node size {node_size or 'whole'}")
    turns = change(namelist, exchange__method="compare", exchange__report="compare", exchange__compare_block=3)
    result = run_well(program, turns, max(ranks), folder)
    check(result.state("end").checksum == one.checksum, f"{scheme}: {max(ranks)} ranks, methods by turns")
    check(Path(folder, "compare.json").exists() and Path(folder, "compare.md").exists(), "the comparison is written")


def main(program: str, ranks: list[int]) -> None:
    check = Checks()
    os.environ.setdefault("NEARFAR_BUDGET", "0.02")  # seconds for tuning each plan: whatever wins has the same bits
    with scratch() as folder:
        for scheme in ("rk3", "leapfrog"):
            identical(check, program, Path(folder), change(namelist_file("hills.nml"), timmax=120.0), scheme, ranks)
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1], [int(n) for n in sys.argv[2:]] or [1, 2, 3, 4])
