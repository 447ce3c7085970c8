# SPDX-License-Identifier: BSD-3-Clause
"""The moist bubble of Bryan and Fritsch (2002) at 100 m: strength, symmetry, water, 2 ranks equal to 1.

moist_bubble.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, namelist_file, run_well, scratch

WATER = 0.02 / 1.02  # share of water in the mass of all air, the same everywhere


def main(program: str) -> None:
    check = Checks()
    namelist = change(namelist_file("moist_bubble.nml"), model_file_info__log_seconds=1000.0)
    with scratch() as folder:
        one = run_well(program, namelist, 1, Path(folder))
        with netCDF4.Dataset(f"{folder}/moist_bubble.nc") as data:
            data.set_auto_mask(False)
            field = {name: data[name][:, :, 0, :].astype(float) for name in ("u", "w", "theta", "qv", "qc")}
        short = change(namelist, output_file="", timmax=60.0)
        same = run_well(program, short, 1, Path(folder)).state("end").checksum
        two = run_well(program, short, 2, Path(folder)).state("end").checksum
        still = run_well(program, change(short, model_sound__bubble_theta=0.0), 1, Path(folder)).state("end")
    begin, end = one.state("start"), one.state("end")
    check.within(end.w[1], 14.7, 16.7, "w max at 1000 s [m/s]")
    check.within(end.w[0], -10.9, -8.9, "w min at 1000 s [m/s]")
    mirror = all(
        np.array_equal(values, (-1 if name == "u" else 1) * values[..., ::-1]) for name, values in field.items()
    )
    check(mirror, "left and right are mirror images, exactly")
    check.within(field["qc"].min(), 1e-3, 0.02, "least cloud: the air stays cloudy [kg/kg]")
    check.within(
        np.abs(field["qv"] + field["qc"] - WATER).max(), 0.0, 1e-5, "departure of total water from a constant [kg/kg]"
    )
    check.within(abs(end.mass / begin.mass - 1.0), 0.0, 1e-11, "relative drift of mass")
    check.within(abs(end.tracer_mass / begin.tracer_mass - 1.0), 0.0, 1e-11, "relative drift of water")
    check.within(max(map(abs, still.w)), 0.0, 1e-4, "|w| without a bubble after a minute [m/s]")
    check(two == same, "2 ranks give the bits of 1 rank")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
