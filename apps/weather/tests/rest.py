# SPDX-License-Identifier: BSD-3-Clause
"""Air at rest stays at rest: exactly over flat ground, and below 0.1 m/s over mountains.

rest.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

from model import Checks, change, namelist_file, run_well, scratch


def main(program: str) -> None:
    check = Checks()
    namelist = namelist_file("rest.nml")
    with scratch() as folder:
        flat = run_well(program, change(namelist, terrain="flat", brunt_start=-1.0, timmax=0.1), 1, Path(folder))
        same = run_well(program, change(namelist, brunt_start=-1.0, timmax=0.1), 2, Path(folder))
        hills = run_well(program, namelist, 1, Path(folder))
    check.within(max(map(abs, flat.state("end").w)), 0.0, 0.0, "|w| over flat ground [m/s]")
    check.within(max(map(abs, same.state("end").w)), 0.0, 1e-9, "|w| over mountains in the reference state [m/s]")
    check.within(max(map(abs, hills.state("end").w)), 0.0, 0.1, "|w| over mountains after 5 h [m/s]")
    drift = abs(hills.state("end").mass / hills.state("start").mass - 1.0)
    check.within(drift, 0.0, 1e-11, "relative drift of mass over mountains")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
