# SPDX-License-Identifier: BSD-3-Clause
"""A run that stops and goes on gives the bits of one that does not, on any number of ranks; wrong histories are
refused.

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

RECORD = 64  # bytes of a stream's journal, one per step and writer; the number among those that take turns from 45 on
FILES = {"model_file_info__output_file": "run.nc", "model_file_info__history_file": "run.history"}
MIXING = {"model_options__turbulence": "smagorinsky", "model_options__surface": "bulk"}


def cases() -> dict[str, tuple[str, float]]:
    """Namelists with all that a history must carry, and how long half of them lasts."""
    hills = change(namelist_file("hills.nml"), nnxp=18, nnyp=14, nnzp=12, **FILES)
    storm = change(
        namelist_file("supercell.nml"), nnxp=16, nnyp=16, nnzp=24, deltaz=800.0, dtlong=12.0, log_steps=0, **FILES
    )
    return {
        "hills, Runge-Kutta": (hills, 100.0),
        "hills, leapfrog": (change(hills, model_options__time_scheme="leapfrog"), 100.0),
        "hills, mixing": (change(hills, **MIXING), 100.0),
        "hills, mixing, leapfrog": (change(hills, model_options__time_scheme="leapfrog", **MIXING), 100.0),
        "supercell": (storm, 600.0),
        "supercell, leapfrog": (change(storm, model_options__time_scheme="leapfrog", dtlong=6.0), 600.0),
        "analysis, sides in time": (
            change(
                ANALYSIS,
                output_file="run.nc",
                model_file_info__history_file="run.history",
                model_sound__side_files="later.nc",
            ),
            900.0,
        ),
    }


def exact(program: str, folder: Path, check: Checks) -> None:
    for name, (namelist, half) in cases().items():
        frequent = {"model_file_info__frqhis": half}
        whole = run_well(
            program,
            change(
                namelist,
                timmax=2 * half,
                model_file_info__output_file="whole.nc",
                model_file_info__history_file="whole",
                **frequent,
            ),
            2,
            folder,
        )
        first = run_well(program, change(namelist, timmax=half, **frequent), 1, folder)
        check("history written: run.history, step" in first.log, f"{name}: the log tells of the history")
        kept = files_of_histories(folder)
        for ranks in (1, 2):
            for file in files_of_histories(folder).keys() - kept.keys():
                file.unlink()
            for file, contents in kept.items():
                file.write_bytes(contents)
            (folder / "more.nc").unlink(missing_ok=True)
            more = run_well(
                program,
                change(namelist, timmax=2 * half, model_grids__runtype="history", output_file="more.nc", **frequent),
                ranks,
                folder,
            )
            check(
                more.state("start").checksum == first.state("end").checksum != whole.state("start").checksum,
                f"{name}: {ranks} ranks start from where 1 rank stopped",
            )
            check(
                more.state("end").checksum == whole.state("end").checksum != more.state("start").checksum,
                f"{name}: {ranks} ranks end with the bits of the run that did not stop",
            )
        same_end(folder, name, half, check)
        if name.startswith("supercell"):
            with netCDF4.Dataset(folder / "more.nc") as data:
                check(data["qc"][0].max() > 1e-5, f"{name}: there are clouds when it stops")


def files_of_histories(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.glob("run.history-*")}


def newest(folder: Path) -> Path:
    """The file of the history that a run would go on from: of two that take turns the one with the higher number."""
    numbers = {}
    for letter in "ab":
        journal = folder / f"run.history-{letter}.journal"
        if journal.exists() and journal.stat().st_size >= RECORD:
            numbers[int.from_bytes(journal.read_bytes()[45:48], "little")] = folder / f"run.history-{letter}.nc"
    return numbers[max(numbers)]


def same_end(folder: Path, name: str, half: float, check: Checks) -> None:
    """The output of the run that went on: same origin of time, same last fields."""
    with netCDF4.Dataset(folder / "whole.nc") as one, netCDF4.Dataset(folder / "more.nc") as two:
        check(
            one["time"].units == two["time"].units and two["time"][:].tolist() == [half, 2 * half],
            f"{name}: the output goes on in time",
        )
        check(
            all(np.array_equal(one[key][-1], two[key][-1]) for key in two.variables if "time" in two[key].dimensions),
            f"{name}: same last fields in the output",
        )


def same_from_nodes(program: str, folder: Path, check: Checks) -> None:
    """A history gathered over two nodes is that of one rank."""
    namelist = change(cases()["hills, mixing, leapfrog"][0], timmax=50.0, model_file_info__frqhis=50.0)
    fields = []
    for ranks in (1, 2):
        run_well(program, namelist, ranks, folder, node_size=1)
        with netCDF4.Dataset(newest(folder)) as data:
            fields.append({key: np.array(data[key][:]) for key in data.variables})
    check(
        len(fields[0]) > 15 and all(np.array_equal(fields[0][key], fields[1][key]) for key in fields[0]),
        "a history gathered over two nodes is that of one rank",
    )


def refusals(program: str, folder: Path, check: Checks) -> None:
    for file in files_of_histories(folder):
        file.unlink()
    hills = change(cases()["hills, Runge-Kutta"][0], model_file_info__frqhis=50.0, timmax=50.0)
    run_well(program, hills, 1, folder)
    again = change(hills, model_grids__runtype="history", timmax=100.0, output_file="more.nc")
    (folder / "more.nc").unlink(missing_ok=True)

    def refused(what: str, namelist: str, *words: str) -> None:
        done: Run = run(program, namelist, 2, folder)
        said = all(word in done.log for word in words)
        check(
            done.status not in (0, 124) and said and not (folder / "more.nc").exists(),
            f"refused: {what}" + ("" if said else f": {words} not in\n{done.log}"),
        )

    refused("other number of columns", change(again, nnxp=20), "run.history", "nnxp = 18", "nnxp = 20")
    refused("other levels", change(again, deltaz=310.0), "face 2", "300.0", "310.0")
    refused("other number of levels", change(again, nnzp=13), "nnzp = 12", "nnzp = 13")
    refused("other spacing", change(again, deltax=2500.0), "deltax = 2000.0", "2500.0")
    refused("other terrain", change(again, terrain_height=500.0), "checksum of the terrain")
    refused("other start behind the sides", change(again, us=11.0), "checksum of the reference state and the sides")
    refused("other time scheme", change(again, model_options__time_scheme="leapfrog"), "= rk3", "= leapfrog")
    refused("other moisture", change(again, model_options__moisture="none"), "= vapour", "= none")
    refused("other radiation", change(again, model_options__radiation="none"), "= column", "= none")
    refused("other time step", change(again, dtlong=5.0), "dtlong = 10.0", "dtlong = 5.0")
    refused("other sides", change(again, boundary_y="periodic"), "boundary_y = davies", "boundary_y = periodic")
    refused("nothing left to do", change(again, timmax=30.0), "step 5", "step 3", "timmax")
    shutil.copy(newest(folder), folder / "there.nc")
    refused("output over another file", change(again, output_file="there.nc"), "there.nc", "there already")
    for name in ("run", "rth", "rw", "vapour"):
        flip_bit(newest(folder), name)
        refused(f"a flipped bit in {name}", again, "step 0 of run.history-a is damaged", "run.history-a.nc")
        flip_bit(newest(folder), name)
    for ending in ("nc", "journal", "parts.json"):
        file = newest(folder).with_suffix(f".{ending}")
        good = file.read_bytes()
        file.write_bytes(good[: 2 * len(good) // 3])
        refused(
            f"truncated .{ending}",
            again,
            "no step of it is whole" if ending == "journal" else f"run.history-a.{ending}",
        )
        file.write_bytes(b"something else\n" * 100)
        refused(f"another file as .{ending}", again, "run.history-a")
        file.write_bytes(good)
    for ending in ("nc", "journal", "parts.json"):
        shutil.copy(folder / f"run.{ending}", folder / f"other.{ending}")
    refused(
        "a stream of other things",
        change(again, model_file_info__history_file="other"),
        "'other'",
        "no history of this model",
    )
    for file in files_of_histories(folder):
        file.unlink()
    refused("no file", again, "run.history.journal", "run.history-a.journal", "no such file")


def flip_bit(path: Path, name: str) -> None:
    with netCDF4.Dataset(path, "a") as data:
        data.set_auto_mask(False)
        values = np.array(data[name][:])
        raw = values.view(np.uint8)
        raw.reshape(-1)[raw.size // 2 - raw.size // 2 % values.itemsize] ^= np.uint8(1 << 3)
        data[name][:] = values


def kept_until_whole(program: str, folder: Path, check: Checks) -> None:
    """A history that cannot be written leaves the one before it; a run goes on from the older one where the newer is
    torn."""
    namelist = change(cases()["hills, Runge-Kutta"][0], model_file_info__frqhis=50.0, timmax=50.0)
    first = run_well(program, namelist, 1, folder)
    (folder / "run.history-b.nc").write_text("of others\n")
    done = run(program, change(namelist, timmax=100.0), 2, folder)
    (folder / "run.history-b.nc").unlink()
    again = change(namelist, model_grids__runtype="history", timmax=100.0, output_file="more.nc")
    (folder / "more.nc").unlink(missing_ok=True)
    more = run_well(program, again, 2, folder)
    check(
        done.status not in (0, 124)
        and "run.history-b.nc" in done.log
        and more.state("start").checksum == first.state("end").checksum,
        "a history that cannot be written spares the one before it",
    )
    for file in files_of_histories(folder):
        file.unlink()
    run_well(program, change(namelist, timmax=100.0), 1, folder)  # two histories
    (folder / "run.history-b.journal").write_bytes(b"")  # as a kill leaves the second
    (folder / "more.nc").unlink()
    older = run_well(program, again, 2, folder)
    check(
        older.state("start").checksum == first.state("end").checksum
        and older.state("end").checksum == more.state("end").checksum,
        "of two histories the one that is whole is gone on from",
    )


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
