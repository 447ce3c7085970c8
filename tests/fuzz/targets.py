# SPDX-License-Identifier: BSD-3-Clause
"""What is fed with damaged inputs: for each target a good input, how it is damaged, and how the program is run on it.

A target is made in a folder of its own and gives a function of a seed that says what is wrong, or nothing. Programs'
folders are put on the path when their target is made, so each target needs a process of its own.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path

import checkpoints
import mutate
from checkpoints import program
from runs import of_program, of_python

ROOT = Path(__file__).resolve().parents[2]
Attempt = Callable[[int], str]


def path_to(*folders: str) -> None:
    sys.path[:0] = [str(ROOT / folder) for folder in folders]


def nothing_wrong() -> str:
    return ""


# ---- the weather model's preparation ----


def prepared(folder: Path, good: Path, words: list[str], damage: Callable[[int], None]) -> Attempt:
    import prepare

    out = folder / "out.nc"
    given = ["--output", str(out), "--nx", "12", "--ny", "10", "--blend", "2", *words]

    def attempt(seed: int) -> str:
        out.unlink(missing_ok=True)
        damage(seed)
        return of_python(prepare.main.program, given, folder, lambda: start_is_sound(out))

    return attempt


def start_is_sound(path: Path) -> str:
    """A start that was made is one of the Earth's air."""
    import netCDF4
    import numpy as np

    limits = {
        "height": (-2000, 80000), "temperature": (120, 360), "specific_humidity": (0, 0.5), "u": (-300, 300),
        "v": (-300, 300), "terrain": (-1000, 9000), "latitude": (-90, 90), "surface_pressure": (20000, 120000),
    }  # fmt: skip
    with netCDF4.Dataset(path) as data:
        for name, (low, high) in limits.items():
            values = np.ma.filled(data[name][:], np.nan)
            if not ((values >= low) & (values <= high)).all():
                return f"accepted, but {name} is {np.min(values)} to {np.max(values)}"
    return ""


def of_text(path: Path, good: str) -> Callable[[int], None]:
    return lambda seed: path.write_bytes(mutate.text(good, seed)) and None


def of_bytes(path: Path, good: bytes, most: int | None = None) -> Callable[[int], None]:
    return lambda seed: path.write_bytes(mutate.binary(good, seed, most)) and None


def sounding(folder: Path, csv: bool = False) -> Attempt:
    path_to("apps/weather/prepare", "apps/weather/prepare/tests")
    import made_up

    file = (made_up.sounding_csv if csv else made_up.sounding)(folder / "s.txt")
    return prepared(folder, file, ["--sounding", str(file), "--dx", "5000"], of_text(file, file.read_text()))


def sounding_csv(folder: Path) -> Attempt:
    return sounding(folder, csv=True)


def grib(folder: Path) -> Attempt:
    """Bytes of the first messages' headers, and of the whole file by turns."""
    path_to("apps/weather/prepare", "apps/weather/prepare/tests")
    import made_up

    file = made_up.winds_in_pairs(made_up.grib(folder / "g.grb2"))
    good = file.read_bytes()
    words = ["--grib", str(file), "--terrain", "nam", "--dx", "40000", "--centre", "42", "-101"]

    def damage(seed: int) -> None:
        starts = [at for at in range(len(good)) if good.startswith(b"GRIB", at)]
        at = random.Random(seed).choice(starts)
        file.write_bytes(good[:at] + mutate.binary(good[at:], seed, 250 if seed % 2 else None))

    return prepared(folder, file, words, damage)


def elevation(folder: Path) -> Attempt:
    path_to("apps/weather/prepare", "apps/weather/prepare/tests")
    import made_up

    station = made_up.sounding(folder / "s.txt")
    file = made_up.elevation(folder / "relief.nc")
    words = ["--sounding", str(station), "--dx", "5000", "--terrain", str(file)]
    return prepared(folder, file, words, of_netcdf(file, file.read_bytes()))


def preparation_options(folder: Path) -> Attempt:
    """Values of options, as a shell would hand them over."""
    path_to("apps/weather/prepare", "apps/weather/prepare/tests")
    import made_up

    import prepare

    out = folder / "out.nc"
    good = {
        "--sounding": str(made_up.sounding(folder / "s.txt")), "--output": str(out), "--nx": "12", "--ny": "10",
        "--dx": "5000", "--blend": "2", "--top": "30", "--smooth": "2", "--max-rise": "600", "--coriolis": "1e-4",
        "--terrain": "flat",
    }  # fmt: skip

    def attempt(seed: int) -> str:
        chance = random.Random(seed)
        given = dict(good)
        name = chance.choice([name for name in good if name != "--output"])
        given[name] = chance.choice(mutate.NUMBERS + mutate.WORDS).replace("\0", "")
        if name in ("--nx", "--ny") and len(given[name]) > 3:
            return ""  # a grid of any size is allowed, and takes its time
        out.unlink(missing_ok=True)
        words = [f"{key}={value}" for key, value in given.items()]
        return of_python(prepare.main.program, words, folder, lambda: start_is_sound(out))

    return attempt


# ---- NetCDF ----


def of_netcdf(path: Path, good: bytes) -> Callable[[int], None]:
    """A value, an attribute or a name of a NetCDF file changed; every fifth time its bytes."""
    import netCDF4

    def damage(seed: int) -> None:
        chance = random.Random(seed)
        path.write_bytes(good if seed % 5 else mutate.binary(good, seed, (None, 4000)[chance.randrange(2)]))
        if seed % 5 == 0:
            return
        with netCDF4.Dataset(path, "a") as data:
            data.set_auto_mask(False)
            variable = data.variables[chance.choice(list(data.variables))]
            kind = chance.randrange(4)
            if kind == 0 and variable.ndim and variable.dtype.kind == "f":
                at = tuple(chance.randrange(extent) for extent in variable.shape)
                variable[at] = chance.choice((math.nan, math.inf, 1e300, -1e30, 0.0, -9999.0, 1e-320, 400.0))
            elif kind == 1 and variable.ndim and variable.dtype.kind == "f":
                variable[:] = variable[:] * chance.choice((0.0, -1.0, 1e6, 1e-6, math.nan, 3.28))
            elif kind == 2:
                names = variable.ncattrs() or ["units"]
                value = chance.choice((*mutate.WORDS, "K", "km", "days since 2000-13-01", 7.0, math.nan)) or "none"
                variable.setncattr(chance.choice((*names, "units")), value if isinstance(value, float) else str(value))
            else:
                data.renameVariable(variable.name, "other")

    return damage


def forecast(folder: Path) -> Attempt:
    path_to("apps/weather/maps", "apps/weather/prepare", "apps/weather/maps/tests", "tools")
    import made_up

    import maps

    file = made_up.write_forecast(folder / "forecast.nc")
    damage = of_netcdf(file, file.read_bytes())
    pictures = ("height500", "vertical-velocity", "section")

    def attempt(seed: int) -> str:
        damage(seed)
        words = [str(file), "--output", str(folder), "--only", pictures[seed % len(pictures)]]
        return of_python(maps.main.program, words, folder, nothing_wrong)

    return attempt


def stations(folder: Path) -> Attempt:
    path_to("apps/weather/maps", "apps/weather/prepare", "apps/weather/maps/tests", "tools")
    import made_up

    import maps

    file = made_up.write_forecast(folder / "forecast.nc")
    series = made_up.write_stations(folder / "forecast.stations.nc", ("A", "B"))
    damage = of_netcdf(series, series.read_bytes())

    def attempt(seed: int) -> str:
        damage(seed)
        words = [str(file), "--output", str(folder), "--only", "meteogram"]
        return of_python(maps.main.program, words, folder, nothing_wrong)

    return attempt


# ---- pictures of the other programs ----


def shot(folder: Path) -> Attempt:
    """The headers of snapshots and model, and the gather, by turns."""
    path_to("apps/seismic/pictures", "apps/seismic/pictures/tests")
    import pictures
    import test_pictures

    case = test_pictures.Pictures("test_all_pictures_are_drawn")
    case.setUp()
    files = [case.folder / name for name in ("wave.p.rsf", "ground_vp.rsf", "ground_tilt.rsf", "shot.sgy")]
    good = [file.read_bytes() for file in files]

    def attempt(seed: int) -> str:
        for file, whole in zip(files, good):
            file.write_bytes(whole)
        number = seed % len(files)
        if files[number].suffix == ".sgy":
            files[number].write_bytes(good[number][:3200] + mutate.binary(good[number][3200:], seed, 700))
        else:
            files[number].write_bytes(mutate.text(good[number].decode(), seed))
        return of_python(pictures.main.program, [*case.arguments, "--output", str(folder)], folder, nothing_wrong)

    attempt.case = case  # keeps its folder
    return attempt


def heat(folder: Path) -> Attempt:
    """Values, attributes and names of a file of a series."""
    path_to("apps/adaptive-heat/pictures", "apps/adaptive-heat/pictures/tests")
    import h5py
    import pictures
    import test_pictures

    series = test_pictures.write_series(folder, [0, 10])
    file = folder / "heat.000001.vtkhdf"
    good = file.read_bytes()

    def attempt(seed: int) -> str:
        chance = random.Random(seed)
        file.write_bytes(good if seed % 5 else mutate.binary(good, seed, (None, 4000)[chance.randrange(2)]))
        if seed % 5:
            with h5py.File(file, "a") as data:
                found: list[str] = []
                data.visit(found.append)
                name = chance.choice(found)
                kind = chance.randrange(3)
                if kind == 0:
                    del data[name]
                elif kind == 1:
                    data.attrs[chance.choice(list(data.attrs))] = [chance.choice((0.0, -1.0, 1e300, math.nan, 1e9))]
                elif isinstance(data[name], h5py.Dataset):
                    at = tuple(chance.randrange(extent) for extent in data[name].shape)
                    small = data[name].dtype.kind != "f"
                    data[name][at] = 3 if small else chance.choice((0.0, -1e30, 1e300, math.nan))
        return of_python(pictures.main.program, [str(series), "--output", str(folder)], folder, nothing_wrong)

    return attempt


# ---- tools ----


def bench_records(folder: Path) -> Attempt:
    path_to("bench", "tools")
    import figures
    import report

    good = "".join(json.dumps(record) + "\n" for record in figures.kept("irregular-near")[:20])
    file = folder / "records.jsonl"

    def attempt(seed: int) -> str:
        file.write_bytes(mutate.text(good, seed))

        def main(words: list[str]) -> int:
            sys.argv = ["report.py", *words]
            return report.main()

        return of_python(main, [str(file)], folder, nothing_wrong)

    return attempt


def test_costs(folder: Path) -> Attempt:
    path_to("tools")
    import test_costs as tool

    good = "\n".join((ROOT / "tests" / "costs" / "costs.txt").read_text().splitlines()[:25])
    junit = (
        '<testsuite name="a"><testcase name="a.b" time="1.5" status="run"/><testcase name="c.d" time="2"/></testsuite>'
    )
    costs, run = folder / "costs.txt", folder / "run.xml"

    def attempt(seed: int) -> str:
        costs.write_bytes(mutate.text(good, seed))
        run.write_bytes(mutate.text(junit, seed))
        words = ["cmake", "openmpi", str(costs), str(folder / "o")] if seed % 2 else ["report", str(run)]
        return of_python(tool.main, words, folder, nothing_wrong)

    return attempt


# ---- compiled programs ----


def weather_namelist(folder: Path) -> Attempt:
    """The namelist of a small run that stops itself at its first step, so that a long run is none."""
    binary = program("NEARFAR_WEATHER")
    good = "".join(Path(__file__).with_name("weather.nml").read_text().splitlines(True))
    file = folder / "run.nml"

    def attempt(seed: int) -> str:
        file.write_bytes(mutate.text(good, seed) + b"\n&debug\n  poison_step = 1\n/\n")
        return of_program([binary, str(file)], folder, (2,), "nearfar-weather: error: ")

    return attempt


def seismic_settings(folder: Path) -> Attempt:
    binary = program("NEARFAR_SEISMIC")
    good = Path(__file__).with_name("seismic.toml").read_text()
    file = folder / "run.toml"

    def attempt(seed: int) -> str:
        file.write_bytes(mutate.text(good, seed))
        return of_program([binary, str(file), "--set", "time.end=0.002"], folder, (1, 2), "nearfar-seismic: ")

    return attempt


def heat_settings(folder: Path) -> Attempt:
    binary = program("NEARFAR_HEAT")
    good = Path(__file__).with_name("heat.toml").read_text()
    file = folder / "run.toml"

    def attempt(seed: int) -> str:
        file.write_bytes(mutate.text(good, seed))
        words = [binary, f"--settings={file}", "--steps=1", "--iterations=2"]
        return of_program(words, folder, (1, 2), "nearfar-adaptive-heat: ")

    return attempt


# How many inputs one in a thousand stands for: what takes long is tried less often in a short run.
ALL: dict[str, tuple[Callable[[Path], Attempt], int]] = {
    "sounding": (sounding, 25),
    "sounding_csv": (sounding_csv, 25),
    "grib": (grib, 25),
    "elevation": (elevation, 10),
    "preparation_options": (preparation_options, 10),
    "forecast": (forecast, 3),
    "stations": (stations, 3),
    "shot": (shot, 2),
    "heat": (heat, 2),
    "bench_records": (bench_records, 20),
    "test_costs": (test_costs, 40),
    "weather_namelist": (weather_namelist, 4),
    "seismic_settings": (seismic_settings, 4),
    "heat_settings": (heat_settings, 4),
    "weather_history": (checkpoints.weather_history, 3),
    "heat_checkpoint": (checkpoints.heat_checkpoint, 3),
    "turbulence_checkpoint": (checkpoints.turbulence_checkpoint, 3),
}
