# SPDX-License-Identifier: BSD-3-Clause
"""Side values of later analyses: interpolated in time, the same bits on any ranks, bad files refused.

sides.py PROGRAM
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import netCDF4
import numpy as np
from faults import ANALYSIS, write_analysis
from model import Checks, change, run, run_well, scratch

GUST = 4.0  # m/s
MIDDLE = 8  # the column in the middle


def write_at(path: Path, hour: int, gust: float = 0.0, **options: int) -> None:
    """The small analysis of the fault tests, valid some hours later, with a faster westerly wind."""

    def spoil(fields: dict) -> None:
        fields["u"] = fields["u"] + gust

    write_analysis(path, spoil=spoil, **options)
    with netCDF4.Dataset(path, "a") as data:
        data.valid_time = f"2007-01-24T{12 + hour:02d}:00:00Z"


def join(path: Path, files: list[Path]) -> None:
    """One file of several times, as prepare.py writes the sides."""
    with netCDF4.Dataset(path, "w") as out:
        sources = [netCDF4.Dataset(file) for file in files]
        out.createDimension("time", len(files))
        for name, dimension in sources[0].dimensions.items():
            out.createDimension(name, len(dimension))
        out.setncatts({name: sources[0].getncattr(name) for name in ("dx", "dy")})
        out.valid_times = " ".join(source.valid_time for source in sources)
        for name, variable in sources[0].variables.items():
            changes = len(variable.dimensions) == 3
            copy = out.createVariable(name, variable.dtype, ("time",) * changes + variable.dimensions)
            if variable.dimensions:
                copy[:] = np.stack([source[name][:] for source in sources]) if changes else variable[:]
        for source in sources:
            source.close()


def west_wind(path: Path, rows: slice = slice(None), column: int = 0) -> np.ndarray:
    """u of the westernmost column or another one, mean over levels and rows, at each time of the output."""
    with netCDF4.Dataset(path) as data:
        return data["u"][:, :, rows, column].astype(float).mean(axis=(1, 2))


def keeps_mass(check: Checks, program: str, folder: Path, namelist: str) -> None:
    """A start whose wind blows together keeps its mass, and with later sides the mass changes as theirs."""
    share = 3.0  # m/s from one side to the other

    def together(fields: dict) -> None:
        fields["u"] = fields["u"] - share * np.linspace(-0.5, 0.5, fields["u"].shape[2])

    def colder(fields: dict) -> None:  # below 5 km, where the pressure is kept: the columns hold more
        fields["temperature"][:4] -= 4.0

    write_analysis(folder / "together.nc", spoil=together)
    short = change(namelist, model_sound__analysis_file="together.nc", timmax=1800.0, output_file="")
    done = run_well(program, short, 2, folder)
    drift = done.state("end").mass / done.state("start").mass - 1.0
    check.within(drift, -1e-4, 1e-4, "mass gained in 30 min by a start whose wind blows together")
    # 1013 hPa at sea level less 356 hPa at the lid of 8 km; 160 km from side to side.
    wanted = share / 160.0e3 * 3600.0 * (1013.0 - 356.0)
    found = float(re.search(r"convergence of (\S+) hPa/h", done.log)[1])
    check.within(found, 0.95 * wanted, 1.05 * wanted, "convergence that was taken out [hPa/h]")

    write_analysis(folder / "colder.nc", spoil=colder)
    with netCDF4.Dataset(folder / "colder.nc", "a") as data:
        data.valid_time = "2007-01-24T13:00:00Z"
    cold = change(namelist, model_sound__analysis_file="colder.nc", timmax=0.0, output_file="")
    there = run_well(program, cold, 1, folder).state("start").mass
    cooling = change(namelist, model_sound__side_files="colder.nc", timmax=3600.0, output_file="")
    done = run_well(program, cooling, 2, folder)
    gain = there - done.state("start").mass
    check.within(
        (done.state("end").mass - done.state("start").mass) / gain, 0.7, 1.1, "share of the sides' gain of mass"
    )


def main(program: str) -> None:
    check = Checks()
    with scratch() as name:
        folder = Path(name)
        namelist = change(ANALYSIS, timmax=7200.0, model_file_info__frqanl=1800.0, model_options__davies_time=60.0)
        write_at(folder / "analysis.nc", 0)
        write_at(folder / "same.nc", 1)
        write_at(folder / "faster.nc", 1, GUST)
        constant = run_well(program, namelist, 1, folder)
        still = west_wind(folder / "out.nc")
        rims = {"south": slice(0, 1), "north": slice(-1, None)}
        calm = {side: west_wind(folder / "out.nc", rows, MIDDLE) for side, rows in rims.items()}
        same = run_well(program, change(namelist, model_sound__side_files="same.nc"), 2, folder)
        check(
            same.state("end").checksum == constant.state("end").checksum,
            "sides that stay the same change nothing, to the bit",
        )
        one = run_well(program, change(namelist, model_sound__side_files="faster.nc"), 1, folder)
        gain = west_wind(folder / "out.nc") - still
        for frame, wanted in enumerate((0.0, 0.5 * GUST, GUST, GUST, GUST)):
            check.within(
                gain[frame],
                wanted - 0.15 * GUST,
                wanted + 0.15 * GUST,
                f"gain of the west wind after {30 * frame} min [m/s]",
            )
        for side, rows in rims.items():
            gain = west_wind(folder / "out.nc", rows, MIDDLE) - calm[side]
            check.within(gain[1], 0.485 * GUST, 0.515 * GUST, f"gain at the {side} side after 30 min [m/s]")
        keeps_mass(check, program, folder, namelist)
        write_at(folder / "slower.nc", 2, -GUST)
        join(folder / "both.nc", [folder / "faster.nc", folder / "slower.nc"])
        apart = run_well(program, change(namelist, model_sound__side_files="faster.nc slower.nc"), 1, folder)
        gain = west_wind(folder / "out.nc") - still
        together = run_well(program, change(namelist, model_sound__side_files="both.nc"), 2, folder)
        check(together.state("end").checksum == apart.state("end").checksum, "one file of both times gives the bits")
        for frame, wanted in ((2, GUST), (3, 0.0), (4, -GUST)):
            check.within(
                gain[frame],
                wanted - 0.2 * GUST,
                wanted + 0.2 * GUST,
                f"gain after {30 * frame} min where the wind slackens again [m/s]",
            )
        two = run_well(
            program, change(namelist, model_sound__side_files="faster.nc", exchange__px=1, exchange__py=2), 2, folder
        )
        check(one.state("end").checksum == two.state("end").checksum, "2 ranks give the bits of 1 rank")
        leap = change(
            namelist,
            model_sound__side_files="faster.nc",
            model_options__time_scheme="leapfrog",
            dtlong=15.0,
            output_file="",
        )
        check(
            run_well(program, leap, 1, folder).state("end").checksum
            == run_well(program, leap, 2, folder).state("end").checksum,
            "and by the leapfrog scheme",
        )

        def refused(what: str, files: str, *words: str) -> None:
            done = run(program, change(namelist, model_sound__side_files=files, output_file=""), 2, folder)
            said = all(word in done.log for word in words)
            check(done.status not in (0, 124) and said, what + ("" if said else f": {words} not in\n{done.log}"))

        refused("times out of order", "faster.nc same.nc", "same.nc", "not after")
        refused("a file that is not there", "faster.nc none.nc", "none.nc", "cannot be opened")
        write_at(folder / "wide.nc", 2, nx=18)
        refused("other columns", "faster.nc wide.nc", "wide.nc", "18 columns")
        write_analysis(folder / "hills.nc", spoil=lambda f: f["terrain"].__iadd__(50.0))
        with netCDF4.Dataset(folder / "hills.nc", "a") as data:
            data.valid_time = "2007-01-24T14:00:00Z"
        refused("other terrain", "faster.nc hills.nc", "hills.nc", "terrain", "50")
        shutil.copy(folder / "same.nc", folder / "undated.nc")
        with netCDF4.Dataset(folder / "undated.nc", "a") as data:
            data.valid_time = "some day"
        refused("no date", "undated.nc", "undated.nc", "some day")
        with netCDF4.Dataset(folder / "both.nc", "a") as data:
            data.valid_times = "2007-01-24T13:00:00Z"
        refused("times without a name", "both.nc", "both.nc", "2 times", "names 1")
    check.finish()


if __name__ == "__main__":
    main(sys.argv[1])
