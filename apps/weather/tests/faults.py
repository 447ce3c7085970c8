# SPDX-License-Identifier: BSD-3-Clause
"""Bad input and full disks: the model says what is wrong, ends with status 2 on all ranks, and leaves no half file.

faults.py PROGRAM
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import netCDF4
import numpy as np
from model import Checks, Run, ask, change, namelist_file, run, run_well, scratch

ANALYSIS = """&model_grids
  timmax = 300.0
  dtlong = 30.0
  nnzp = 16
  deltaz = 500.0
  dzmax = 1000.0
/
&model_sound
  case = 'analysis'
  analysis_file = 'analysis.nc'
/
&model_options
  boundary_x = 'davies'
  boundary_y = 'davies'
  davies_width = 3
  coriolis = .true.
/
&model_file_info
  output_file = 'out.nc'
/
"""


def write_analysis(
    path: Path, nx: int = 16, ny: int = 14, skip: str = "", spoil: Callable[[dict], None] | None = None
) -> None:
    """A small analysis: standard lapse rate, westerly wind, a hill."""
    pressure = np.array([1000.0, 850, 700, 500, 300, 200, 100, 50]) * 100.0
    height = 44330.0 * (1.0 - (pressure / 101325.0) ** 0.1903)
    full = np.ones((pressure.size, ny, nx))
    x, y = np.meshgrid(np.arange(nx) - nx / 2, np.arange(ny) - ny / 2)
    fields = {
        "height": full * height[:, None, None],
        "temperature": full * np.maximum(288 - 0.0065 * height, 216)[:, None, None],
        "specific_humidity": full * (0.008 * np.exp(-height / 2500.0))[:, None, None],
        "u": full * np.linspace(2, 20, pressure.size)[:, None, None],
        "v": 0 * full,
        "pressure": pressure,
        "terrain": 800.0 * np.exp(-(x**2 + y**2) / 10.0),
        "latitude": 40 + 0.1 * y,
        "longitude": -100 + 0.1 * x,
        "coriolis": 1e-4 + 0 * x,
    }
    if spoil:
        spoil(fields)
    with netCDF4.Dataset(path, "w") as data:
        for name, size in (("level", pressure.size), ("y", ny), ("x", nx)):
            data.createDimension(name, size)
        data.setncatts({"dx": 10000.0, "dy": 10000.0, "valid_time": "2007-01-24T12:00:00Z"})
        data.createVariable("lambert", "i4").setncatts({"grid_mapping_name": "lambert_conformal_conic"})
        for name, values in fields.items():
            if name != skip:
                data.createVariable(name, "f8", {1: ("level",), 2: ("y", "x"), 3: ("level", "y", "x")}[values.ndim])[
                    :
                ] = values


def main(program: str) -> None:
    check = Checks()
    with scratch() as name:
        folder = Path(name)

        def refused(what: str, namelist: str, *words: str, result: Run | None = None) -> None:
            done = result or run(program, namelist, 2, folder)
            said = all(word in done.log for word in words)
            check(
                done.status == 2 and said and not (folder / "out.nc").exists(),
                what + ("" if said else f": {words} not in\n{done.log}"),
            )

        hills = namelist_file("hills.nml")
        line = hills.splitlines().index("  nacoust = 6") + 1
        leapfrog = change(hills, model_options__time_scheme="leapfrog", model_options__diff_6th_factor=0.12)
        refused("a wide filter with one ghost column", leapfrog, "diff_6th_factor = 0.12", "rk3", "must be 0")
        airy = change(hills, model_options__surface="none", model_options__radiation="column")
        refused("radiation over no ground", airy, "radiation = 'column'", "'bulk' or 'budget'", "not 'none'")
        refused("unknown key", hills.replace("nacoust", "nacuost"), f"line {line}", "nacuost", "nearest is nacoust")
        refused("value beyond its range", change(hills, nacoust=101), f"line {line}", "from 2 to 100")
        refused(
            "value that is no number", hills.replace("nacoust = 6", "nacoust = six"), f"line {line}", "whole number"
        )
        refused("odd number of acoustic steps", change(hills, nacoust=5), f"line {line}", "odd")
        refused("unknown word", change(hills, terrain="cone"), "cone", "flat bell schaer")
        refused("key in the wrong group", change(hills, model_grids__method="isend"), "belongs to group &exchange")
        refused("group that does not end", hills.rstrip().removesuffix("/"), "not closed")
        refused("key given twice", hills.replace("nacoust = 6", "nacoust = 6\n  nacoust = 6"), "already set")
        refused("unknown method", change(hills, exchange__method="smoke"), "smoke")
        options = ("--set", "model_grids.timmax=0", "--set=terrain=cone")
        said = ask(program, hills, folder, *options)
        refused("unknown word of --set", "", "--set terrain=cone", "flat bell", result=said)
        said = ask(program, hills, folder, "--set=model_grids.timmax=20", "--set", "dtlong=10")
        check(said.status == 0 and "step 2" in said.log, f"--set replaces keys of the file:\n{said.log}")
        for words, wanted in (((), "--write-template"), (("--wirte",), "--wirte"), (("--set=a=1",), "name one")):
            said = ask(program, None, folder, *words)
            check(said.status == 2 and wanted in said.log, f"{words}: {said.log}")
        template = ask(program, None, folder, "--write-template").log
        said = ask(program, template, folder, "--set=nnxp=8", "--set=nnyp=1", "--set=deltax=1000", "--set=timmax=2")
        check(said.status == 0, f"the template runs:\n{said.log}")
        refused("more tiles than ranks", change(hills, exchange__px=3, exchange__py=3), "9 tiles", "2 ranks")
        refused("acoustic step too long", change(hills, dtlong=60.0, timmax=600.0), "nacoust = 16")
        # 250 s (10 m/s / 2000 m + 4 m/s / 1600 m)
        long = change(hills, dtlong=250.0, timmax=5000.0, nacoust=100, model_grids__deltay=1600.0,
                      model_file_info__output_file="out.nc")
        refused("wind too fast for the step", long, "start", "column", "Courant number 1.875", "largest stable dt")
        rough = change(
            hills,
            us=60.0,
            dtlong=30.0,
            timmax=3000.0,
            nacoust=10,
            terrain_height=4000.0,
            model_file_info__output_file="out.nc",
        )
        broken = run(program, rough, 2, folder)
        said = all(word in broken.log for word in ("step", "broke", "column", "largest stable dt"))
        with netCDF4.Dataset(folder / "out.nc") as data:
            times = data["time"][:]
            is_cut = np.all(np.isfinite(times)) and times[0] == 0 and times[-1] < 3000
            check(
                broken.status not in (0, 124) and said and is_cut,
                "a flow that breaks on its way leaves the frames before" + ("" if said else f":\n{broken.log}"),
            )
        (folder / "out.nc").unlink()

        write_analysis(folder / "analysis.nc")
        good = run_well(program, ANALYSIS, 2, folder)
        begin, end = good.state("start"), good.state("end")
        check(abs(end.mass / begin.mass - 1) < 1e-3 and max(map(abs, end.w)) < 2.0, "a sound analysis runs")
        with netCDF4.Dataset(folder / "out.nc") as data:
            check(
                data["time"].units == "seconds since 2007-01-24 12:00:00" and data["u"].grid_mapping == "lambert",
                "its output carries time and projection",
            )
        (folder / "out.nc").unlink()
        refused("columns that disagree", change(ANALYSIS, model_grids__nnxp=99), "16 columns", "nnxp = 99")
        refused("no such file", change(ANALYSIS, analysis_file="none.nc"), "none.nc", "cannot be opened")
        for what, options, words in (
            ("missing variable", {"skip": "coriolis"}, ("coriolis", "missing")),
            (
                "NaN in a field",
                {"spoil": lambda f: f["temperature"].__setitem__((2, 3, 3), np.nan)},
                ("temperature", "not finite"),
            ),
            ("temperature in Celsius", {"spoil": lambda f: f["temperature"].__isub__(273.15)}, ("temperatures",)),
            ("levels upside down", {"spoil": lambda f: f.update(pressure=f["pressure"][::-1])}, ("pressures",)),
            (
                "superadiabatic layer",
                {"spoil": lambda f: f["temperature"].__setitem__((2, 3, 4), 287.0)},
                ("column 5, 4", "superadiabatic", "level 4 (500.0 hPa", "superadiabatic = 2.00 K"),
            ),
            (
                "supersaturated air",
                {"spoil": lambda f: f["specific_humidity"].__setitem__((3, 8, 2), 0.004)},
                ("column 3, 9", "supersaturated", "level 4 (500.0 hPa", "relative humidity", "1.020"),
            ),
            ("terrain above the top", {"spoil": lambda f: f["terrain"].__imul__(20)}, ("terrain", "too high")),
        ):
            write_analysis(folder / "analysis.nc", **options)
            refused(what, ANALYSIS, "analysis.nc", *words)
        write_analysis(folder / "analysis.nc", spoil=lambda f: f["specific_humidity"].__setitem__((3, 8, 2), 0.002))
        moist = run_well(program, change(ANALYSIS, model_sound__supersaturated=1.0), 2, folder)
        check(
            "vapour above saturation left out in 1 columns" in moist.log,
            "a raised limit lets the air in, held to saturation",
        )
        (folder / "out.nc").unlink()
        write_analysis(folder / "analysis.nc", spoil=lambda f: f["temperature"].__setitem__((2, 3, 4), 282.0))
        refused("unstable air", ANALYSIS, "superadiabatic")
        run_well(program, change(ANALYSIS, model_sound__superadiabatic=30.0), 2, folder)
        check(True, "a raised limit lets unstable air in")
        (folder / "out.nc").unlink()
        wet = change(hills, model_options__moisture="kessler", tracer_blob=0.03, model_file_info__output_file="out.nc")
        refused(
            "idealised start with too much water", wet, "supersaturated in column", "relative humidity", "tracer_blob"
        )
        write_analysis(folder / "analysis.nc")
        whole = (folder / "analysis.nc").read_bytes()
        (folder / "analysis.nc").write_bytes(whole[: len(whole) // 2])
        refused("truncated analysis", ANALYSIS, "analysis.nc", "refused")
        (folder / "analysis.nc").write_text("no NetCDF at all\n")
        refused("foreign file", ANALYSIS, "analysis.nc", "refused")
        refused("no folder for the output", change(hills, model_file_info__output_file="nowhere/out.nc"), "nowhere")
        full_disk(program, folder, check, hills)
    check.finish()


def full_disk(program: str, folder: Path, check: Checks, hills: str) -> None:
    """A small file system of its own, where this machine allows one: too small for one time, for two, for the file."""
    small = folder / "small"
    small.mkdir()
    namelist = change(hills, timmax=20.0, model_file_info__output_file="small/out.nc", model_file_info__frqanl=10.0)
    for kib, what in ((100, "at the start"), (380, "in the middle of a time"), (900, "at a later time")):
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", str(small)],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if mounted.returncode != 0:
            print(f"left out  disk full {what}: no small file system can be mounted here", flush=True)
            continue
        try:
            done = run(program, namelist, 2, folder)
            left = list(small.iterdir())
        finally:
            subprocess.run(["umount", str(small)], check=True)
        said = "out.nc" in done.log and "No space left" in done.log
        check(
            done.status == 2 and said and not left, f"disk full {what}" + ("" if said else f":\n{done.log}")
        )


if __name__ == "__main__":
    main(sys.argv[1])
