# SPDX-License-Identifier: BSD-3-Clause
"""The density current of Straka et al. (1993) at 100 m: front, extremes, symmetry, mass, 2 ranks equal to 1.

straka.py PROGRAM    (ranks are started with NEARFAR_TEST_LAUNCHER)
"""

from __future__ import annotations

import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, namelist_file, run_well, scratch


def front(theta: np.ndarray, x: np.ndarray) -> float:
    """Where theta' = -1 K on the lowest level, right of the middle."""
    last = int(np.flatnonzero(theta <= -1.0)[-1])
    return float(x[last] + (x[last + 1] - x[last]) * (-1.0 - theta[last]) / (theta[last + 1] - theta[last]))


def rotors(w: np.ndarray) -> int:
    """Rising cores along the right half at a height of 2 km: local maxima of w above 2 m/s."""
    right = w[w.size // 2 :]
    return int(np.sum((right[1:-1] > right[:-2]) & (right[1:-1] >= right[2:]) & (right[1:-1] > 2.0)))


def moved(theta: np.ndarray, x: np.ndarray, wind: float, seconds: float) -> tuple[float, float]:
    """How far the two fronts lie from the middle that a wind has carried along [m]."""
    columns = round(wind * seconds / (x[1] - x[0]))
    still = np.roll(theta, -columns)
    return front(still, x), front(still[::-1], x)


def main(program: str) -> None:
    check = Checks()
    # The fronts do not feel that 40 km repeat and not 51 (by less than 1 m).
    namelist = change(namelist_file("straka.nml"), nnxp=400, model_file_info__log_seconds=1000.0)
    short = change(namelist, output_file="", timmax=60.0)
    with scratch() as folder:
        one = run_well(program, namelist, 1, Path(folder))
        with netCDF4.Dataset(f"{folder}/straka.nc") as data:
            x = data["x"][:].astype(float)
            theta = data["theta"][-1, :, 0, :].astype(float) - 300.0
            w = data["w"][-1, :, 0, :].astype(float)
            u = data["u"][-1, :, 0, :].astype(float)
            check(float(data["time"][-1]) == 900.0, "the last time in the output is 900 s")
        part, two = (run_well(program, short, ranks, Path(folder)) for ranks in (1, 2))
        wind = change(namelist, model_sound__us=20.0, dtlong=0.9, output_file="moving.nc", frqanl=900.0)
        moving = run_well(program, wind, 1, Path(folder))
        with netCDF4.Dataset(f"{folder}/moving.nc") as data:
            fronts = moved(data["theta"][-1, 0, 0, :].astype(float) - 300.0, x, 20.0, 900.0)
        leap = change(namelist, model_options__time_scheme="leapfrog", dtlong=0.5, output_file="leapfrog.nc")
        leapfrog = run_well(program, leap, 1, Path(folder))
        with netCDF4.Dataset(f"{folder}/leapfrog.nc") as data:
            second_order = data["theta"][-1, :, 0, :].astype(float) - 300.0
    begin, end = one.state("start"), one.state("end")
    check.within(begin.theta[0], -16.63, -16.60, "theta' min at the start [K]")
    check.within(front(theta[0], x), 15250, 15550, "front [m]")
    check.within(end.theta[0], -10.4, -9.2, "theta' min [K]")
    check.within(end.theta[1], 0.0, 0.3, "theta' max [K]")
    check.within(end.u[1], 35.5, 36.9, "u max [m/s]")
    check.within(end.w[0], -16.9, -14.9, "w min [m/s]")
    check.within(end.w[1], 12.0, 14.0, "w max [m/s]")
    check(
        np.array_equal(theta, theta[:, ::-1]) and np.array_equal(w, w[:, ::-1]) and np.array_equal(u, -u[:, ::-1]),
        "left and right are mirror images, exactly",
    )
    check.within(rotors(w[20]), 3, 3, "rotors on the right half")
    check.within(abs(end.mass / begin.mass - 1.0), 0.0, 1e-12, "relative drift of mass")
    check(two.state("end").checksum == part.state("end").checksum, "2 ranks give the bits of 1 rank")
    check.within(abs(fronts[0] - fronts[1]), 0.0, 200.0, "the fronts differ in a wind of 20 m/s by [m]")
    still = front(theta[0], x)
    check.within(max(abs(fronts[0] - still), abs(fronts[1] - still)), 0.0, 200.0, "and from that in still air by [m]")
    check.within(abs(moving.state("end").mass / begin.mass - 1.0), 0.0, 1e-12, "relative drift of mass in the wind")
    # Second order at 100 m overshoots behind the front (at 50 m: front 15 513 m, minimum -11.3 K).
    check.within(front(second_order[0], x), 15250, 15900, "front by the leapfrog scheme [m]")
    check.within(leapfrog.state("end").theta[0], -16.0, -9.2, "theta' min by the leapfrog scheme [K]")
    check.within(leapfrog.state("end").u[1], 34.0, 36.9, "u max by the leapfrog scheme [m/s]")
    check(
        np.array_equal(second_order, second_order[:, ::-1]), "left and right are mirror images by the leapfrog scheme"
    )
    check.within(abs(leapfrog.state("end").mass / begin.mass - 1.0), 0.0, 1e-12, "its relative drift of mass")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
