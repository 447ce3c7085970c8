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
from faults import ANALYSIS, write_analysis
from model import Checks, Run, change, run, run_well, scratch

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


def one_heated_step(program: str, folder: Path, check: Checks) -> None:
    """What a step with radiation adds to the density times temperature of a column, over one without it: the sum of
    density times the heating. Waves of sound carry heat between levels, but none away."""
    namelist = change(DAY, timmax=120.0, timeunit="s", frqanl=120.0, fields="theta pressure")
    namelist = change(namelist, model_file_info__frqhis=120.0)
    heat = []
    for scheme in ("none", "column"):
        keys = {"model_options__radiation": scheme, "model_file_info__history_file": scheme}
        run_well(program, change(namelist, **keys), 1, folder)
        with netCDF4.Dataset(folder / f"{scheme}-a.nc") as data:
            heat.append(np.array(data["rth"][:]).squeeze())
            heating = np.array(data["heating"][:]).squeeze() if scheme == "column" else None
    with netCDF4.Dataset(folder / "day.nc") as data:
        theta, pressure = (np.array(data[name][0], dtype=float)[:, 1, 1] for name in ("theta", "pressure"))
    density = pressure / (287.0 * theta * (pressure / 1e5) ** (2 / 7))
    thick = np.minimum(60.0 * 1.3 ** np.arange(16), 1500.0)
    gained = ((heat[1] - heat[0])[1, 1] * thick).sum()
    brought = 120.0 * (density * heating[1, 1] * thick).sum()
    check(abs(brought) > 1.0, f"radiation changes the column: {brought:.4g} K kg m-2")
    off = abs(float(gained / brought) - 1.0)
    check.within(off, 0.0, 1e-6, "heat that a step gives a column, over what radiation does, less 1")


def start_of_soil(program: str, folder: Path, check: Checks) -> None:
    """Temperatures of the soil that an analysis gives: the start of land, and what the ground is drawn to."""
    budget = {"model_options__surface": "budget", "model_file_info__fields": "ground_temperature"}
    one_step = change(ANALYSIS, timmax=30.0, output_file="soil.nc", model_file_info__frqanl=30.0, **budget)

    def begun(below: float | None, namelist: str = one_step) -> tuple[Run, np.ndarray]:
        def add(fields: dict) -> None:
            land = np.ones_like(fields["terrain"])
            land[:, :8] = 0.25
            fields.update(land_fraction=land, ground_temperature=np.full_like(land, 285.0))
            if below is not None:
                fields["soil_temperature"] = np.full_like(land, 281.0)
                fields["deep_soil_temperature"] = np.full_like(land, below)

        write_analysis(folder / "analysis.nc", spoil=add)
        done = run_well(program, namelist, 1, folder)
        with netCDF4.Dataset(folder / "soil.nc") as data:
            return done, np.array(data["ground_temperature"][:], dtype=float)

    (with_none, none), (with_soil, cold), (_, warm) = begun(None), begun(281.0), begun(291.0)
    check("as no soil_temperature is given; below it is the same" in with_none.log, "the log says if no soil is there")
    check("the analysis' soil_temperature; below it is deep" in with_soil.log, "and that there is")
    check(bool((none[0] == 285.0).all()), "without soil land begins as the ground")
    check(bool((cold[0, :, 8:] == 281.0).all()), "with it at the temperature of the soil")
    check(bool((cold[0, :, :8] == 284.0).all()), "a quarter of land at a quarter of the difference")
    # dT/dt = ... - 2 pi/day (T - T below), less than a tenth of it damped in a step of 30 s.
    drawn = 30.0 * 2 * np.pi / 86400 * 10.0
    for share, columns in ((1.0, slice(8, None)), (0.25, slice(0, 8))):
        found = (warm - cold)[1, :, columns] / (share * drawn)
        check.within(float(found.min()), 0.9, 1.0, "what a soil that is 10 K warmer does in a step, over the formula's")
        check.within(float(found.max()), 0.9, 1.01, "at most")
    _, other = begun(281.0, change(one_step, model_options__deep_warmer=10.0))
    check(bool((other == warm).all()), "deep_warmer is added to what the analysis has")
    write_analysis(folder / "analysis.nc", spoil=lambda f: f.update(deep_soil_temperature=10.0 + 0 * f["terrain"]))
    refused = run(program, one_step, 2, folder)
    said = "a temperature below the ground of 10" in refused.log and "180 to 350 K" in refused.log
    check(refused.status == 2 and said, "degrees Celsius below the ground are refused" + ("" if said else refused.log))


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
        one_heated_step(program, folder, check)
        start_of_soil(program, folder, check)
        bulk = change(DAY, timmax=6.0, model_options__surface="bulk", model_file_info__fields="ground_temperature")
        run_well(program, bulk, 1, folder)
        check(np.ptp(series(path, "ground_temperature")) == 0.0, "without a budget the ground keeps its temperature")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
