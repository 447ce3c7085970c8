# SPDX-License-Identifier: BSD-3-Clause
"""Turbulence and exchange with the ground: closed budgets, a mixed layer, no instability on wide and thin cells.

mixing.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, namelist_file, run_well, scratch

CP, R, P0 = 1004.5, 287.0, 1.0e5
DEPTH = 50.0  # m, of a level of the mixed layer


def over_time(rate: np.ndarray, time: np.ndarray) -> float:
    return float(np.sum(0.5 * (rate[1:] + rate[:-1]) * np.diff(time)))


def budgets(check: Checks, path: str) -> None:
    """What the air gained is what the ground gave: potential heat and momentum per unit area."""
    with netCDF4.Dataset(path) as data:
        time, theta, p, u = (data[name][:].astype(float) for name in ("time", "theta", "pressure", "u"))
        heat, stress = (data[name][:].astype(float)[:, 0, :] for name in ("heat_flux", "stress"))
    theta, p, u = (field[:, :, 0, :] for field in (theta, p, u))
    exner = (p / P0) ** (R / CP)
    rho = p / (R * theta * exner)
    column = np.mean(np.sum(rho * (theta - 290.0) * DEPTH, axis=1), axis=1)
    given = over_time(np.mean(heat / (CP * exner[:, 0]), axis=1), time)
    check.within((column[-1] - column[0]) / given, 0.99, 1.01, "heat gained by the air over that given by the ground")
    momentum = np.mean(np.sum(rho * u * DEPTH, axis=1), axis=1)
    taken = over_time(np.mean(stress * np.sign(u[:, 0]), axis=1), time)
    check.within((momentum[0] - momentum[-1]) / taken, 0.99, 1.01, "momentum lost by the air over that taken")
    mean = theta[-1].mean(axis=1)
    check.within(np.ptp(mean[3:9]), 0.0, 0.5, "theta between 150 and 450 m differs by [K]")
    check.within(mean[0] - mean[5], 0.0, 3.0, "superadiabatic only near the ground [K]")
    check.within(float(heat.mean()), 50.0, 600.0, "mean heat flux [W m-2]")


def main(program: str) -> None:
    check = Checks()
    layer = namelist_file("mixed_layer.nml")
    wide = change(
        namelist_file("hills.nml"),
        deltax=20000.0,
        deltaz=100.0,
        timmax=10800.0,
        ground_temperature=315.0,
        model_options__roughness=1.0,
        terrain_width=60000.0,
        diffusion=0.0,
        model_file_info__log_steps=1000,
    )
    with scratch() as folder:
        one = run_well(program, layer, 1, Path(folder)).state("end")
        budgets(check, f"{folder}/mixed_layer.nc")
        check.within(one.w[1], 0.5, 8.0, "updraughts of the mixed layer [m/s]")
        part, two = (
            run_well(program, change(layer, output_file="", timmax=300.0), ranks, Path(folder)).state("end")
            for ranks in (1, 2)
        )
        check(two.checksum == part.checksum, "2 ranks give the bits of 1 rank")
        for scheme, dt in (("rk3", 60.0), ("leapfrog", 30.0)):
            end = run_well(program, change(wide, dtlong=dt, model_options__time_scheme=scheme), 1, Path(folder)).state(
                "end"
            )
            check.within(max(map(abs, end.w)), 0.0, 3.0, f"{scheme}: |w| over wide, thin, strongly heated cells [m/s]")
            check.within(max(map(abs, end.u)), 0.0, 40.0, f"{scheme}: |u| over them [m/s]")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
