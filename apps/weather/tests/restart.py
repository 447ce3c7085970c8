# SPDX-License-Identifier: BSD-3-Clause
"""A run that stops and goes on gives the bits of one that does not, on any number of ranks; wrong histories are refused.

restart.py PROGRAM
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import netCDF4
import numpy as np
from faults import ANALYSIS
from model import Checks, Run, change, namelist_file, run, run_well, scratch
from sides import GUST, write_at

FILES = {"model_file_info__output_file": "run.nc", "model_file_info__history_file": "run"}
MIXING = {"model_options__turbulence": "smagorinsky", "model_options__surface": "bulk"}


def cases() -> dict[str, tuple[str, float]]:
    """Namelists with all that a history must carry, and how long half of them lasts."""
    hills = change(namelist_file("hills.nml"), nnxp=18, nnyp=14, nnzp=12, **FILES)
    storm = change(namelist_file("supercell.nml"), nnxp=16, nnyp=16, nnzp=24, deltaz=800.0, dtlong=12.0, log_steps=0, **FILES)
    return {
        "hills, Runge-Kutta": (hills, 100.0),
        "hills, leapfrog": (change(hills, model_options__time_scheme="leapfrog"), 100.0),
        "hills, mixing": (change(hills, **MIXING), 100.0),
        "hills, mixing, leapfrog": (change(hills, model_options__time_scheme="leapfrog", **MIXING), 100.0),
        "supercell": (storm, 600.0),
        "supercell, leapfrog": (change(storm, model_options__time_scheme="leapfrog", dtlong=6.0), 600.0),
        "analysis, sides in time": (change(ANALYSIS, output_file="run.nc", model_file_info__history_file="run.history.nc",
                                           model_sound__side_files="later.nc"), 900.0),
    }


def exact(program: str, folder: Path, check: Checks) -> None:
    for name, (namelist, half) in cases().items():
        frequent = {"model_file_info__frqhis": half}
        whole = run_well(program, change(namelist, timmax=2 * half, model_file_info__output_file="whole.nc",
                                         model_file_info__history_file="whole", **frequent), 2, folder)
        first = run_well(program, change(namelist, timmax=half, **frequent), 1, folder)
        check("history written: run.history.nc, step" in first.log and not (folder / "run.history.nc.part").exists(),
              f"{name}: the log tells of the history")
        kept = (folder / "run.history.nc").read_bytes()
        for ranks in (1, 2):
            (folder / "run.history.nc").write_bytes(kept)
            (folder / "more.nc").unlink(missing_ok=True)
            more = run_well(program, change(namelist, timmax=2 * half, model_grids__runtype="history",
                                            output_file="more.nc", **frequent), ranks, folder)
            check(more.state("start").checksum == first.state("end").checksum != whole.state("start").checksum,
                  f"{name}: {ranks} ranks start from where 1 rank stopped")
            check(more.state("end").checksum == whole.state("end").checksum != more.state("start").checksum,
                  f"{name}: {ranks} ranks end with the bits of the run that did not stop")
        same_end(folder, name, half, check)
        if name.startswith("supercell"):
            with netCDF4.Dataset(folder / "more.nc") as data:
                check(data["qc"][0].max() > 1e-5, f"{name}: there are clouds when it stops")


def same_end(folder: Path, name: str, half: float, check: Checks) -> None:
    """The output of the run that went on: same origin of time, same last fields."""
    with netCDF4.Dataset(folder / "whole.nc") as one, netCDF4.Dataset(folder / "more.nc") as two:
        check(one["time"].units == two["time"].units and two["time"][:].tolist() == [half, 2 * half],
              f"{name}: the output goes on in time")
        check(all(np.array_equal(one[key][-1], two[key][-1]) for key in two.variables if "time" in two[key].dimensions),
              f"{name}: same last fields in the output")


def same_from_nodes(program: str, folder: Path, check: Checks) -> None:
    """A history gathered over two nodes is that of one rank."""
    namelist = change(cases()["hills, mixing, leapfrog"][0], timmax=50.0, model_file_info__frqhis=50.0)
    fields = []
    for ranks in (1, 2):
        run_well(program, namelist, ranks, folder, node_size=1)
        with netCDF4.Dataset(folder / "run.history.nc") as data:
            fields.append({key: np.array(data[key][:]) for key in data.variables})
    check(len(fields[0]) > 15 and all(np.array_equal(fields[0][key], fields[1][key]) for key in fields[0]),
          "a history gathered over two nodes is that of one rank")


def refusals(program: str, folder: Path, check: Checks) -> None:
    hills = change(cases()["hills, Runge-Kutta"][0], model_file_info__frqhis=50.0, timmax=50.0)
    run_well(program, hills, 1, folder)
    again = change(hills, model_grids__runtype="history", timmax=100.0, output_file="more.nc")
    history = folder / "run.history.nc"
    good = history.read_bytes()
    (folder / "more.nc").unlink(missing_ok=True)

    def refused(what: str, namelist: str, *words: str) -> None:
        done: Run = run(program, namelist, 2, folder)
        said = all(word in done.log for word in words)
        check(done.status not in (0, 124) and said and not (folder / "more.nc").exists(),
              f"refused: {what}" + ("" if said else f": {words} not in\n{done.log}"))

    def spoiled(what: str, *words: str) -> None:
        refused(what, again, "run.history.nc", *words)
        history.write_bytes(good)

    refused("other number of columns", change(again, nnxp=20), "18 columns west to east", "20", "nnxp")
    refused("other levels", change(again, deltaz=310.0), "face 2", "300", "310")
    refused("other number of levels", change(again, nnzp=13), "12 levels", "13")
    refused("other spacing", change(again, deltax=2500.0), "spacing in x", "2000", "2500")
    refused("other terrain", change(again, terrain_height=500.0), "terrain of column", "terrain")
    refused("other start behind the sides", change(again, us=11.0), "sides", "checksum")
    refused("other time scheme", change(again, model_options__time_scheme="leapfrog"), "'rk3'", "'leapfrog'")
    refused("other moisture", change(again, model_options__moisture="none"), "'vapour'", "'none'")
    refused("other time step", change(again, dtlong=5.0), "dtlong", "10", "5")
    refused("other sides", change(again, boundary_y="periodic"), "boundary_y", "'davies'", "'periodic'")
    refused("nothing left to do", change(again, timmax=30.0), "step 5", "step 3", "timmax")
    shutil.copy(history, folder / "there.nc")
    refused("output over another file", change(again, output_file="there.nc"), "there.nc", "there already")
    with netCDF4.Dataset(history, "a") as data:
        data.renameVariable("rth", "something")
    spoiled("missing variable", "variable rth is missing")
    for name in ("rth", "rw", "vapour"):
        with netCDF4.Dataset(history, "a") as data:
            values = np.array(data[name][:])
            values.view(np.uint64)[tuple(extent // 2 for extent in values.shape)] ^= np.uint64(1 << 3)
            data[name][:] = values
        spoiled(f"a flipped bit in {name}", f"{name} is damaged", "another sum")
    with netCDF4.Dataset(history, "a") as data:
        data["rth"][2, :, [3, 4]] = data["rth"][2, :, [4, 3]]
    spoiled("two rows of cells that have changed places", "rth is damaged")
    with netCDF4.Dataset(history, "a") as data:
        data.step = 4.0
    spoiled("another step in the head", "head has another sum")
    with netCDF4.Dataset(history, "a") as data:
        data.format = "nearfar-weather history 1"
    spoiled("a history of before there were sums", "nearfar-weather history 2")
    with netCDF4.Dataset(history, "a") as data:
        data["rw"][3, 3, 3] = np.nan
    spoiled("NaN in a field", "rw", "not finite")
    history.write_bytes(good[: 2 * len(good) // 3])
    spoiled("truncated file", "is refused")
    shutil.copy(folder / "run.nc", history)
    spoiled("another file", "attribute format is missing")
    history.unlink()
    refused("no file", again, "run.history.nc", "not there")


def kept_until_whole(program: str, folder: Path, check: Checks) -> None:
    """A history that cannot be written leaves the one before it as it was."""
    namelist = change(cases()["hills, Runge-Kutta"][0], model_file_info__frqhis=50.0, timmax=50.0)
    run_well(program, namelist, 1, folder)
    before = (folder / "run.history.nc").read_bytes()
    (folder / "run.history.nc.part").mkdir()
    done = run(program, change(namelist, timmax=100.0), 2, folder)
    (folder / "run.history.nc.part").rmdir()
    check(done.status not in (0, 124) and "run.history.nc.part" in done.log and
          (folder / "run.history.nc").read_bytes() == before, "a history that cannot be written spares the one before it")


def main(program: str) -> None:
    check = Checks()
    with scratch() as name:
        folder = Path(name)
        write_at(folder / "analysis.nc", 0)
        write_at(folder / "later.nc", 1, GUST)
        exact(program, folder, check)
        same_from_nodes(program, folder, check)
        refusals(program, folder, check)
        kept_until_whole(program, folder, check)
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
