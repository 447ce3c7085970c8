# SPDX-License-Identifier: BSD-3-Clause
"""From a radiosonde to a run: the start has the ascent's pressure, temperature, vapour and wind, and stays balanced.

sounding.py PROGRAM
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, run_well, scratch

PREPARE = Path(__file__).parent.parent / "prepare"
GRAVITY, GAS_CONSTANT, EPSILON, KNOT = 9.80665, 287.0, 0.622, 1852.0 / 3600.0
NAMELIST = """&model_grids
  timmax  = 3600.0
  dtlong  = 20.0
  nnzp    = 48
  deltaz  = 250.0
/
&model_sound
  case          = 'analysis'
  analysis_file = 'analysis.nc'
/
&model_options
  boundary_x   = 'davies'
  boundary_y   = 'davies'
  davies_width = 3
  moisture     = 'vapour'
/
&model_file_info
  output_file = 'out.nc'
/
"""
TITLE = """99999 XXXX Nowhere Observations at 00Z 01 Jul 2020

-----------------------------------------------------------------------------
   PRES   HGHT   TEMP   DWPT   RELH   MIXR   DRCT   SKNT   THTA   THTE   THTV
    hPa     m      C      C      %    g/kg    deg   knot     K      K      K
-----------------------------------------------------------------------------
"""
STATION = """
Station information and sounding indices

    Station latitude: 45.00
    Station longitude: -100.00
    Station elevation: 200.0
"""


def vapour_pressure(celsius: float | np.ndarray) -> float | np.ndarray:
    return 611.2 * np.exp(17.67 * celsius / (celsius + 243.5))


def ascent(path: Path) -> dict[str, np.ndarray]:
    """Write an ascent in hydrostatic balance whose wind turns and grows with height; its columns in SI units."""
    height = np.arange(200.0, 20001.0, 20.0)
    celsius = np.maximum(15.0 - 0.0065 * height, -56.5)
    dew = celsius - 4.0 - 0.0015 * height
    pressure = np.empty_like(height)
    pressure[0] = 98900.0
    for k in range(1, height.size):
        e = vapour_pressure(dew[k - 1])
        warm = (celsius[k - 1] + celsius[k]) / 2 + 273.15
        virtual = warm / (1 - e / pressure[k - 1] * (1 - EPSILON))
        pressure[k] = pressure[k - 1] * np.exp(-GRAVITY * (height[k] - height[k - 1]) / (GAS_CONSTANT * virtual))
    direction, knots = np.round(180.0 + 0.006 * height), np.round(10.0 + 0.002 * height)
    take = slice(0, None, 10)  # every 200 m
    rows = zip(pressure[take], height[take], celsius[take], dew[take], direction[take], knots[take], strict=True)
    lines = [
        f"{p / 100:7.1f}{z:7.0f}{t:7.1f}{d:7.1f}{'':7}{'':7}{heading:7.0f}{speed:7.0f}"
        for p, z, t, d, heading, speed in rows
    ]
    path.write_text(TITLE + "\n".join(lines) + "\n" + STATION)
    speed, heading = knots * KNOT, np.radians(direction)
    e = vapour_pressure(dew)
    columns = {
        "height": height,
        "pressure": pressure,
        "temperature": celsius + 273.15,
        "qv": EPSILON * e / (pressure - (1 - EPSILON) * e),
        "u": -speed * np.sin(heading),
        "v": -speed * np.cos(heading),
    }
    return {name: values[take] for name, values in columns.items()}


def prepare(folder: Path, *words: object) -> None:
    done = subprocess.run(
        [
            sys.executable,
            PREPARE / "prepare.py",
            "--output",
            folder / "analysis.nc",
            "--nx",
            "12",
            "--ny",
            "10",
            "--dx",
            "5000",
            "--blend",
            "2",
            *map(str, words),
        ],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"prepare.py ended with status {done.returncode}:\n{done.stdout}")


def start_as_observed(check: Checks, data: netCDF4.Dataset, observed: dict[str, np.ndarray]) -> None:
    height = data["height"][:, 0, 0].astype(float)
    limits = {"pressure": 20.0, "temperature": 0.08, "u": 1e-3, "v": 1e-3, "qv": 4e-5}
    for name, limit in limits.items():
        field = data[name][0].astype(float)
        check(
            np.ptp(field.reshape(len(height), -1), axis=1).max() == 0.0,
            f"{name} of the start is the same in all columns",
        )
        there = np.interp(height, observed["height"], observed[name])
        if name == "pressure":
            there = np.exp(np.interp(height, observed["height"], np.log(observed[name])))
        check.within(
            np.abs(field[:, 0, 0] - there).max(), 0.0, limit, f"{name} of the start, departure from the ascent"
        )


def stays(check: Checks, data: netCDF4.Dataset, what: str) -> None:
    for name, limit in (("u", 1e-4), ("v", 1e-4), ("theta", 1e-3), ("w", 1e-6)):
        change_ = np.abs(data[name][-1].astype(float) - (0.0 if name == "w" else data[name][0].astype(float))).max()
        check.within(change_, 0.0, limit, f"{what}: largest |{name}|" + ("" if name == "w" else " change"))


def main(program: str) -> None:
    check = Checks()
    with scratch() as name:
        folder = Path(name)
        observed = ascent(folder / "ascent.txt")
        prepare(folder, "--sounding", folder / "ascent.txt")
        run_well(program, NAMELIST, 1, folder)
        with netCDF4.Dataset(folder / "out.nc") as data:
            data.set_auto_mask(False)
            check(data["time"].units.startswith("seconds since 2020-07-01"), "the run starts at the time of the ascent")
            start_as_observed(check, data, observed)
            stays(check, data, "after an hour")
        prepare(folder, "--sounding", PREPARE / "soundings" / "72327.2014022012.txt", "--centre", "36.25", "-86.57")
        run_well(program, change(NAMELIST, timmax=600.0), 1, folder)
        with netCDF4.Dataset(folder / "out.nc") as data:
            data.set_auto_mask(False)
            stays(check, data, "Nashville after ten minutes")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
