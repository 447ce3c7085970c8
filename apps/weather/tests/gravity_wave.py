# SPDX-License-Identifier: BSD-3-Clause
"""Waves of sound and buoyancy in a channel (Baldauf and Brdar 2013) against the exact solution: error and order.

gravity_wave.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

import netCDF4
import numpy as np
from linear_waves import Air, Channel
from model import Checks, change, namelist_file, run_well, scratch

WIND = 20.0


def departures(path: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """(found, exact) departures from the state of rest at the last time of an output file."""
    channel = Channel(Air(), WIND)
    with netCDF4.Dataset(path) as data:
        x, z = data["x"][:].astype(float), data["level"][:].astype(float)
        values = {name: data[long][-1, :, 0, :].astype(float)
                  for name, long in (("w", "w"), ("u", "u"), ("t", "temperature"))}
        exact = channel.fields(x, z, float(data["time"][-1]))
    values["u"] -= WIND
    values["t"] -= channel.air.temperature
    return values, exact


def order(errors: list[float]) -> float:
    """Of convergence: the slope of the line through the errors of resolutions that double."""
    return float(-np.polyfit(np.arange(len(errors)), np.log2(errors), 1)[0])


def main(program: str) -> None:
    check = Checks()
    # The case's first half has all its waves.
    namelist = change(namelist_file("gravity_wave.nml"), timmax=900.0, model_file_info__log_seconds=1000.0)
    errors: dict[str, list[float]] = {"w": [], "u": [], "t": []}
    with scratch() as folder:
        for refinement in (1, 2, 4):
            finer = change(namelist, deltax=2000.0 / refinement, deltaz=500.0 / refinement, nnxp=150 * refinement,
                           nnzp=20 * refinement, dtlong=10.0 / refinement)
            run = run_well(program, finer, 1, Path(folder))
            found, exact = departures(f"{folder}/gravity_wave.nc")
            for name, list_ in errors.items():
                list_.append(float(np.sqrt(np.mean((found[name] - exact[name]) ** 2) / np.mean(exact[name] ** 2))))
                print(f"        {2000 // refinement} m: relative error of {name} {list_[-1]:.4f} (rms)")
            drift = abs(run.state("end").mass / run.state("start").mass - 1.0)
            check.within(drift, 0.0, 1e-12, f"{2000 // refinement} m: relative drift of mass")
        coarse = change(namelist, deltaz=250.0, nnzp=40, deltax=500.0, nnxp=600, dtlong=5.0)
        run_well(program, coarse, 1, Path(folder))
        found, exact = departures(f"{folder}/gravity_wave.nc")
    for name in ("w", "t"):
        check.within(order(errors[name]), 1.8, 2.5, f"order of convergence of {name} over 2000, 1000, 500 m")
    check.within(order(errors["u"]), 1.7, 2.5, "order of convergence of u, which has more of the sound in it")
    for name in ("w", "t"):
        error = np.abs(found[name] - exact[name]).max() / np.abs(exact[name]).max()
        check.within(error, 0.0, 0.05, f"500 m with levels of 250 m: largest error of {name}, relative")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
