# SPDX-License-Identifier: BSD-3-Clause
"""A day over land whose temperature follows from its heat budget: sunshine by its formula, the hours of extremes; the
same under radiation of the column.

ground_budget.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, change, run_well, scratch

DAY = """&model_grids
  timmax = 36
  timeunit = 'h'
  dtlong = 120
  nacoust = 4
  nnxp = 4
  nnyp = 4
  nnzp = 16
  deltax = 40000
  deltaz = 60
  dzrat = 1.3
  dzmax = 1500
  centlat = 35
  centlon = 90
/
&model_sound
  ts = 283
  brunt = 0.01
  us = 4
/
&model_options
  coriolis = .true.
  turbulence = 'smagorinsky'
  surface = 'budget'
  roughness = 0.1
  ground_temperature = 280
/
&model_file_info
  output_file = 'day.nc'
  frqanl = 0.5
  fields = 'ground_temperature heat_flux sun_at_ground sky_at_ground'
/
"""


def series(path: Path, name: str) -> np.ndarray:
    """Of one column; all are alike."""
    with netCDF4.Dataset(path) as data:
        return np.array(data[name][..., 1, 1], dtype=float)


def radiation(program: str, folder: Path, check: Checks) -> None:
    """The day with radiation in dry air: what comes and goes, and that only calls of it change fluxes."""
    names = "ground_temperature sun_at_ground toa_down toa_up sw_down sw_up lw_down lw_up olr radiative_heating"
    keys = {"model_options__radiation": "column", "model_options__radiation_interval": 3600.0}
    run_well(program, change(DAY, model_file_info__fields=names, **keys), 1, folder)
    value = {name: series(folder / "day.nc", name) for name in names.split()}
    hours = np.arange(73) * 0.5 + 6.0
    noon = list(hours).index(36.5)  # the fluxes of the hour from 36 to 37: the sun of half past twelve
    # Spencer (1971): 23.0 degrees south, 3.4 minutes late, 1.035 of the mean.
    latitude, tilt, angle = np.radians(series(folder / "day.nc", "latitude")), np.radians(-22.95), np.radians(6.6)
    sun = 1361 * 1.035 * (np.sin(latitude) * np.sin(tilt) + np.cos(latitude) * np.cos(tilt) * np.cos(angle))
    check.within(float(value["toa_down"][noon]), 0.998 * sun, 1.002 * sun, "sunshine above the air [W m-2]")
    # Rayleigh scattering and ozone take 15 to 20 % of a sun at 30 degrees, and vapour, of which there is none, nothing.
    check.within(float(value["sw_down"][noon] / sun), 0.80, 0.92, "its share at the ground")
    albedo = value["sw_up"][noon] / value["sw_down"][noon]
    check.within(float(albedo), 0.1999, 0.2001, "the albedo of the land")
    check(value["toa_down"][list(hours).index(24.0)] == 0.0, "none at midnight")
    steady = value["lw_down"][1:13:2] == value["lw_down"][2:13:2]
    check(bool(steady.all()), "fluxes are kept for an hour")
    # Dry air: CO2 and ozone only.
    check.within(float(value["lw_down"].mean()), 60.0, 130.0, "longwave radiation from dry air [W m-2]")
    check(bool((value["olr"] < value["lw_up"]).all()), "less goes to space than from the ground")
    check(float(np.ptp(value["ground_temperature"][24:])) > 10.0, "the ground has its day")


def main(program: str) -> None:
    check = Checks()
    with scratch() as name:
        folder = Path(name)
        run_well(program, DAY, 1, folder)
        path = folder / "day.nc"
        hours = np.arange(73) * 0.5 + 6.0  # local time at 90 E, from 0 UTC
        sun, warm, heat = (series(path, key) for key in ("sun_at_ground", "ground_temperature", "heat_flux"))
        # Stull (1988), section 7.3.1, for the first and second of January; the albedo is 0.2, the sky dry and clear.
        latitude = np.radians(series(path, "latitude"))
        for noon in (12.0, 36.0):
            tilt = 0.409 * np.cos(2 * np.pi * (1 + noon // 24 - 173) / 365)
            height = np.sin(latitude) * np.sin(tilt) + np.cos(latitude) * np.cos(tilt)
            wanted = 0.8 * 1370.0 * (0.6 + 0.2 * height) * height
            found = float(sun[hours == noon][0])
            check.within(found, 0.995 * wanted, 1.005 * wanted, "sunshine that the ground keeps at noon [W m-2]")
        check(float(sun[hours == 24.0][0]) == 0.0, "none at midnight")
        second = hours >= 18.0
        check.within(hours[second][warm[second].argmin()], 29.0, 33.0, "the coldest hour of the next morning")
        check.within(hours[second][warm[second].argmax()], 36.5, 39.0, "the warmest hour of the next day")
        check.within(float(np.ptp(warm[second])), 8.0, 30.0, "between them [K]")
        check.within(float(heat[hours == 37.0][0]), 10.0, 150.0, "heat that goes up by day [W m-2]")
        check.within(float(heat[hours == 28.0][0]), -50.0, 0.0, "and by night [W m-2]")
        radiation(program, folder, check)
        bulk = change(DAY, timmax=6.0, model_options__surface="bulk", model_file_info__fields="ground_temperature")
        run_well(program, bulk, 1, folder)
        check(np.ptp(series(path, "ground_temperature")) == 0.0, "without a budget the ground keeps its temperature")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
