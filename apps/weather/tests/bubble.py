# SPDX-License-Identifier: BSD-3-Clause
"""The dry warm bubble of Bryan and Fritsch (2002) at 100 m: extremes, symmetry, mass, 2 ranks equal to 1.

bubble.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, namelist_file, run_well, scratch


def main(program: str) -> None:
    check = Checks()
    namelist = change(namelist_file("bubble.nml"), model_file_info__log_seconds=1000.0)
    with scratch() as folder:
        one = run_well(program, namelist, 1, Path(folder))
        with netCDF4.Dataset(f"{folder}/bubble.nc") as data:
            times = [float(t) for t in data["time"][:]]
            theta = data["theta"][-1, :, 0, :].astype(float)
            w = data["w"][:, :, 0, :].astype(float)
            u = data["u"][-1, :, 0, :].astype(float)
        part, two = (
            run_well(program, change(namelist, output_file="", timmax=60.0), ranks, Path(folder)) for ranks in (1, 2)
        )
        third = run_well(program, change(namelist, output_file="", order_v=3), 1, Path(folder))
    begin, end = one.state("start"), one.state("end")
    check(times == [0.0, 250.0, 500.0, 750.0, 1000.0], "output every 250 s")
    # w is written at the centres of cells, as means of faces: slightly flatter than what the log has
    check.within(w[2].max(), 11.3, 12.1, "w max at 500 s [m/s]")
    check.within(w[3].max(), 14.4, 15.2, "w max at 750 s [m/s]")
    check.within(end.w[1], 14.1, 14.9, "w max at 1000 s [m/s]")
    check.within(end.w[0], -9.0, -8.2, "w min at 1000 s [m/s]")
    check.within(end.theta[1], 2.0, 2.2, "theta' max at 1000 s [K]")
    check.within(end.theta[0], -0.3, 0.0, "theta' min at 1000 s [K]")
    check(
        np.array_equal(theta, theta[:, ::-1])
        and np.array_equal(w[-1], w[-1][:, ::-1])
        and np.array_equal(u, -u[:, ::-1]),
        "left and right are mirror images, exactly",
    )
    check.within(abs(end.mass / begin.mass - 1.0), 0.0, 1e-12, "relative drift of mass")
    check(two.state("end").checksum == part.state("end").checksum, "2 ranks give the bits of 1 rank")
    # Third order in the vertical smooths the cap of the bubble; the flow around it is the same.
    check.within(third.state("end").w[1], 14.1, 14.9, "w max with third-order vertical advection [m/s]")
    check.within(third.state("end").w[0], -9.0, -8.2, "w min with third-order vertical advection [m/s]")
    print(f"        theta' max with third-order vertical advection: {third.state('end').theta[1]:.4f} K")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
