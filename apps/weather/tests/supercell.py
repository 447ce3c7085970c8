# SPDX-License-Identifier: BSD-3-Clause
"""The supercell of Weisman and Klemp (1982) at 2 km: strength, splitting, symmetry, water, 2 ranks equal to 1.

supercell.py PROGRAM    (ranks are started with NEARFAR_TEST_LAUNCHER)
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, namelist_file, run_well, scratch

STEP = re.compile(r"step \d+/\d+  t ([\d.]+) s .* max w ([\d.]+) m/s")
MIDDLE = 9  # the level at 4750 m


def mirrored(data: netCDF4.Dataset) -> bool:
    """Every field at every time is its own mirror image along y, v with the other sign."""
    same = True
    for name in ("u", "w", "theta", "qc", "qr", "rain"):
        field = np.asarray(data[name][:])
        same = same and np.array_equal(field, np.flip(field, axis=-2))
    v = np.asarray(data["v"][:])
    return same and np.array_equal(v, -np.flip(v, axis=-2)) and np.abs(v).max() > 1.0


def main(program: str) -> None:
    check = Checks()
    namelist = change(namelist_file("supercell.nml"), nnxp=36, nnyp=36, dtlong=12.0)
    short = change(namelist, timmax=1200.0, output_file="")
    with scratch() as folder:
        one = run_well(program, namelist, 1, Path(folder))
        with netCDF4.Dataset(f"{folder}/supercell.nc") as data:
            data.set_auto_mask(False)
            w = data["w"][:, MIDDLE].astype(float)
            rain, area = data["rain"][-1].astype(float), float(data["x"][1] - data["x"][0]) ** 2
            least = min(float(data[name][:].min()) for name in ("qc", "qr"))
            check(mirrored(data), "north and south are mirror images, exactly")
        part = run_well(program, change(short, nnxp=35, nnyp=29, timmax=600.0), 1, Path(folder))
        two = run_well(program, change(short, nnxp=35, nnyp=29, timmax=600.0), 2, Path(folder))
    growth = [(float(t) / 60.0, float(speed)) for t, speed in STEP.findall(one.log)]
    first = max((speed, t) for t, speed in growth if t <= 40.0)
    check.within(first[0], 30.0, 45.0, "strongest updraught of the first 40 minutes [m/s]")
    check.within(first[1], 25.0, 40.0, "its time [min]")
    half = w.shape[1] // 2
    axis, flank = w[-1][half - 1 : half + 1].max(), w[-1].max()
    row = int(w[-1].max(axis=1)[:half].argmax())
    check.within(axis / flank, 0.0, 0.5, "after an hour: updraught on the axis over that of the storms")
    check.within((half - 0.5 - row) * area**0.5 / 1000.0, 4.0, 20.0, "distance of a storm from the axis [km]")
    check(w[2].max() == w[2][half - 1 : half + 1].max(), "after 20 minutes there is one storm, on the axis")
    begin, end = one.state("start"), one.state("end")
    check.within(abs((end.mass + end.ground) / begin.mass - 1.0), 0.0, 1e-12, "relative drift of mass, with rain")
    check.within(abs((end.tracer_mass + end.ground) / begin.tracer_mass - 1.0), 0.0, 1e-11,
                 "relative drift of water in the air and at the ground")
    check.within(rain.max(), 5.0, 100.0, "most rain at the ground [kg m-2]")
    check.within(rain.sum() * area / end.ground, 0.9999, 1.0001, "rain in the output over rain in the log")
    check.within(end.theta[0], -15.0, -4.0, "coldest air under the storms, departure [K]")
    check.within(min(least, end.q[0]), 0.0, 1.0, "smallest content of water")
    check(two.state("end").checksum == part.state("end").checksum, "2 ranks give the bits of 1 rank")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
