# SPDX-License-Identifier: BSD-3-Clause
"""Output and series at stations: what CF asks of them, the choice of fields, readers, and a run that meets a NaN.

output.py PROGRAM

The rules are checked here, without a network. Where the modules are installed, cfchecker or compliance_checker and
xarray have their say too.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import netCDF4
import numpy as np
from cf_units import UNITS
from faults import ANALYSIS, write_analysis
from model import HANG_S, Checks, change, environment, namelist_file, run, run_well, scratch

MAPPINGS = {
    "lambert_conformal_conic": ("standard_parallel", "longitude_of_central_meridian", "latitude_of_projection_origin"),
    "azimuthal_equidistant": ("longitude_of_projection_origin", "latitude_of_projection_origin"),
}
RECORD = 64  # bytes in the journal of a stream, one per frame and writer
GLOBALS = ("title", "institution", "source", "history", "references", "comment", "namelist")


def faults_of(path: Path) -> list[str]:
    """What in a file breaks the rules of CF that the model's files come under."""
    found: list[str] = []
    with netCDF4.Dataset(path) as data:
        found += [f"attribute {name}" for name in GLOBALS if not getattr(data, name, "")]
        found += ["Conventions"] if "CF-1.8" not in data.Conventions.split() else []
        found += ["history without date"] if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", data.history) else []
        bounds = {data[name].bounds for name in data.variables if hasattr(data[name], "bounds")}
        for name in data.variables:
            if not re.fullmatch(r"[A-Za-z]\w*", name):
                found.append(f"the name {name}")
            if name not in bounds:
                found += [f"{name}: {what}" for what in faults_of_variable(data, name)]
        found += [f"{name}: bounds" for name in bounds if data[name].shape[-1] != 2 or hasattr(data[name], "units")]
    return found


def faults_of_variable(data: netCDF4.Dataset, name: str) -> list[str]:
    variable, found = data[name], []
    has = set(variable.ncattrs())
    if "grid_mapping_name" in has:
        return [f"lacks {key}" for key in MAPPINGS[variable.grid_mapping_name] if key not in has]
    if "long_name" not in has or not ("units" in has or variable.dtype.kind == "S"):
        found.append("long_name or units missing")
    standard = getattr(variable, "standard_name", None)
    if standard is not None and UNITS.get(standard) not in ("", variable.units):
        found.append(f"unit {variable.units} of {standard}")
    for attribute in ("coordinates", "grid_mapping", "bounds"):
        for other in getattr(variable, attribute, "").split():
            if other not in data.variables or (
                attribute == "coordinates" and not set(data[other].dimensions) <= set(variable.dimensions)
            ):
                found.append(f"{attribute} {other}")
    if name in data.dimensions:
        steps = np.diff(variable[:])
        if "_FillValue" in has or np.ma.is_masked(variable[:]) or not is_in_order(steps):
            found.append("a coordinate with gaps or out of order")
        if variable.axis != {"time": "T", "level": "Z", "plev": "Z", "y": "Y", "x": "X"}[name]:
            found.append("axis")
    elif variable.dtype.kind == "f" and "time" in variable.dimensions:
        if "_FillValue" not in has or getattr(variable, "cell_methods", "") not in ("time: point", "time: sum"):
            found.append("_FillValue or cell_methods")
        if not {"latitude", "longitude"} <= set(variable.coordinates.split()):
            found.append("no position")
        if "level" in variable.dimensions and "height" not in variable.coordinates.split():
            found.append("no height")
    return found


def is_in_order(steps: np.ndarray) -> bool:
    return bool(np.all(steps > 0) or np.all(steps < 0))


def surfaces_hold(path: Path, check: Checks) -> None:
    """Fields on surfaces of constant pressure, found column by column in those of the model's levels."""
    with netCDF4.Dataset(path) as data:
        check(list(data["plev"][:]) == [85000.0, 50000.0] and data["plev"].positive == "down", "surfaces by CF")
        for name, source in (("height", None), ("temperature", "temperature"), ("u", "u"), ("w", "w")):
            for m, level in enumerate(data["plev"][:]):
                pressure = np.array(data["pressure"][-1], dtype=float)
                values = np.array(data[source][-1] if source else data["height"][:], dtype=float)
                wanted = np.full(pressure.shape[1:], np.nan)
                for j, i in np.ndindex(wanted.shape):
                    column = -np.log(pressure[:, j, i])
                    wanted[j, i] = np.interp(-np.log(level), column, values[:, j, i], left=np.nan, right=np.nan)
                found = np.ma.filled(data[name + "_plev"][-1, m].astype(float), np.nan)
                same = np.allclose(found, wanted, rtol=1e-5, atol=1e-5, equal_nan=True)
                check(same, f"{name} on {level / 100:g} hPa")
        rh = np.ma.filled(data["humidity_plev"][:], 0.5)
        check(bool((rh >= 0).all() and (rh < 1.1).all()), "relative humidity on surfaces")
        cover, dew = data["cloud_cover"][:], data["dew_point_2m"][:]
        check(bool((cover >= 0).all() and (cover <= 1).all()), "cloud cover is a share")
        check(bool((dew <= data["temperature_2m"][:]).all()), "dew points are not above temperatures")
        flat = data["terrain"][:] < 1.0
        near = np.abs(data["sea_level_pressure"][:] - data["surface_pressure"][:])[:, flat]
        check.within(float(near.max()), 0.0, 20.0, "where the ground is at sea level, both pressures are alike [Pa]")


def levels_hold(path: Path) -> bool:
    """formula_terms give the altitude: a + b * terrain."""
    with netCDF4.Dataset(path) as data:
        level = data["level"]
        terms = dict(re.findall(r"(\w+): (\w+)", level.formula_terms))
        a, b, ground = (data[terms[key]][:].astype(float) for key in ("a", "b", "orog"))
        altitude = a[:, None, None] + b[:, None, None] * ground[None]
        same_place = np.allclose(data["x_bounds"][:].mean(axis=1), data["x"][:]) and level.positive == "up"
        return bool(np.abs(altitude - data["height"][:]).max() < 0.01 and same_place)


def ask_checkers(paths: list[Path], check: Checks) -> None:
    """The judges that are installed beside this Python; the tables of cfchecker come from compliance_checker."""
    if importlib.util.find_spec("compliance_checker") is None:
        print(
            "left out  compliance_checker and cfchecker: not installed (pip install compliance-checker cfchecker)",
            flush=True,
        )
        return
    from importlib.resources import files

    for path in paths:
        command = [str(Path(sys.executable).with_name("compliance-checker")), "--test", "cf:1.10", str(path)]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        check(
            "All tests passed" in said.stdout,
            f"compliance_checker, {path.name}: {said.stdout[-1500:] if said.returncode else 'passed'}",
        )
    if importlib.util.find_spec("cfchecker") is None:
        return
    tables = []
    for option, element in (("-a", "area_type_table"), ("-r", "standardized_region_list")):
        (paths[0].parent / f"{element}.xml").write_text(
            f"<{element}><version_number>1</version_number><date>0</date></{element}>"
        )
        tables += [option, str(paths[0].parent / f"{element}.xml")]
    tables += ["-s", str(files("compliance_checker") / "data" / "cf-standard-name-table.xml"), "-v", "1.8"]
    for path in paths:
        said = subprocess.run(
            [sys.executable, "-c", "from cfchecker.cfchecks import main; main()", *tables, str(path)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        check(
            "ERRORS detected: 0" in said and "WARNINGS given: 0" in said,
            f"cfchecker, {path.name}: {re.findall(r'(?:ERROR|WARN).*', said)}",
        )


def open_with_xarray(path: Path, check: Checks) -> None:
    if importlib.util.find_spec("xarray") is None:
        print("left out  xarray: not installed", flush=True)
        return
    import xarray

    with xarray.open_dataset(path) as data:
        check(
            str(data.time.values[0])[:19] == "2007-01-24T12:00:00"
            and {"latitude", "longitude", "height"} <= set(data.u.coords),
            "xarray finds dates and coordinates",
        )


def stations_hold(folder: Path, check: Checks) -> None:
    with netCDF4.Dataset(folder / "out.stations.nc") as data, netCDF4.Dataset(folder / "out.nc") as field:
        names = [str(name).strip() for name in data["station_name"][:]]
        check(
            data.featureType == "timeSeries"
            and data["station_name"].cf_role == "timeseries_id"
            and names == ["Town", "The hill"],
            "the stations' file is a time series of the stations by name",
        )
        j, i = 8, 7  # the hill's column: latitude 40.1, longitude -100.1
        check(
            float(data["latitude"][1]) == field["latitude"][j, i]
            and float(data["longitude"][1]) == field["longitude"][j, i],
            "a station stands in the nearest column",
        )
        every = np.searchsorted(data["time"][:], field["time"][:])
        for series, name in (
            ("temperature_2m", "temperature_2m"),
            ("wind_speed", "wind_10m"),
            ("pressure", "surface_pressure"),
            ("rain", "rain"),
            ("dew_point_2m", "dew_point_2m"),
            ("sea_level_pressure", "sea_level_pressure"),
            ("cloud_cover", "cloud_cover"),
        ):
            check(np.array_equal(data[series][every, 1], field[name][:, j, i]), f"{series} is that of the output")
        u, v = field["u"][:, 0, j, i], field["v"][:, 0, j, i]
        turned = np.abs((data["wind_direction"][every, 1] - np.degrees(np.arctan2(-u, -v)) + 180.0) % 360.0 - 180.0)
        check.within(float(turned.max()), 0.0, 1.0, "the wind's direction over columns along a parallel [degrees]")
        check(
            data["time"].size == 21 and 0.05 < data["humidity"][:].min() and data["humidity"][:].max() < 1.05,
            "every step has a value, humidity is relative",
        )


def descriptor_holds(path: Path, check: Checks) -> None:
    text = path.with_suffix(".ctl").read_text()
    with netCDF4.Dataset(path) as data:
        listed = re.findall(r"^(\w+)=>", text, re.MULTILINE)
        check(
            f"DSET ^{path.name}" in text
            and set(listed) <= set(data.variables)
            and "u" in listed
            and f"TDEF {data['time'].size} LINEAR" in text
            and int(re.findall(r"VARS (\d+)", text)[0]) == len(listed),
            f"{path.with_suffix('.ctl').name} describes {path.name}",
        )


def main(program: str) -> None:
    check = Checks()
    with scratch() as name:
        folder = Path(name)
        write_analysis(folder / "analysis.nc")
        with netCDF4.Dataset(folder / "analysis.nc", "a") as data:
            data["lambert"].setncatts(
                {
                    "standard_parallel": [38.0, 42.0],
                    "longitude_of_central_meridian": -100.0,
                    "latitude_of_projection_origin": 40.0,
                    "earth_radius": 6371229.0,
                }
            )
        real = change(
            ANALYSIS,
            timmax=600.0,
            model_file_info__frqanl=150.0,
            model_file_info__pressure_levels="850 500",
            model_options__surface="budget",
            model_options__moisture="kessler",
            model_file_info__stations="Town 39.6 -100.5; The hill 40.09 -100.12",
        )
        run_well(program, real, 2, folder)
        hills = change(
            namelist_file("hills.nml"),
            timmax=40.0,
            model_file_info__output_file="hills.nc",
            model_file_info__frqanl=20.0,
            model_file_info__stations="Top 13 11; Plain 2 20",
        )
        run_well(program, hills, 2, folder)
        paths = [folder / file for file in ("out.nc", "out.stations.nc", "hills.nc", "hills.stations.nc")]
        for path in paths:
            found = faults_of(path)
            check(not found, f"{path.name} keeps the rules of CF" + "".join(f"\n  {fault}" for fault in found))
        for path in paths[::2]:
            check(levels_hold(path), f"{path.name}: levels and terrain give the height")
            descriptor_holds(path, check)
        stations_hold(folder, check)
        surfaces_hold(folder / "out.nc", check)
        ask_checkers(paths, check)
        open_with_xarray(folder / "out.nc", check)
        choice(program, folder, hills, check)
        policies(program, folder, hills, check)
        killed(program, folder, hills, check)
        broken(program, folder, hills, check)
    check.finish()


def choice(program: str, folder: Path, hills: str, check: Checks) -> None:
    with netCDF4.Dataset(folder / "hills.nc") as data:
        everything = {key: np.array(data[key][:]) for key in data.variables}
        check(
            "dtlong" in data.namelist and re.search(r"nearfar-weather \S+ \(\S+\)", data.source) is not None,
            "namelist and revision are in the attributes",
        )
    # another rank as node of its own: gathered over two nodes
    few = run(program, change(hills, model_file_info__fields="theta, w"), 2, folder, node_size=1)
    with netCDF4.Dataset(folder / "hills.nc") as data:
        check(
            few.status == 0
            and {"theta", "w"} <= set(data.variables)
            and not {"u", "pressure", "qv"} & set(data.variables),
            "only the chosen fields are written",
        )
        check(
            all(np.array_equal(everything[key], data[key][:]) for key in data.variables),
            "and are the same from two nodes",
        )
    wrong = run(program, change(hills, model_file_info__fields="theta snow"), 2, folder)
    check(
        wrong.status not in (0, 124) and "no field 'snow'" in wrong.log and "u v w theta" in wrong.log,
        "an unknown field is refused",
    )
    for levels, words in (
        ("850 900", "900 hPa is not below"),
        ("85000", "1 to 1100 hPa"),
        ("low", "'low' is no number"),
    ):
        wrong = run(program, change(hills, model_file_info__pressure_levels=levels), 2, folder)
        check(wrong.status not in (0, 124) and words in wrong.log, f"pressure_levels = '{levels}' is refused")
    for stations, words in (("Top 13", ("'Top 13'", "NAME NUMBER NUMBER")), ("Far 30 2", ("Far", "1 to 26"))):
        wrong = run(program, change(hills, stations=stations), 2, folder)
        check(
            wrong.status not in (0, 124) and all(word in wrong.log for word in words),
            f"stations = '{stations}' is refused",
        )


def values_of(path: Path) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        return {key: np.array(data[key][:]) for key in data.variables}


def policies(program: str, folder: Path, hills: str, check: Checks) -> None:
    """Who writes, and with how many: the same variables, attributes and bits."""
    run_well(program, hills, 2, folder)
    wanted = values_of(folder / "hills.nc")
    for keys in ({"output_policy": "thread"}, {"output_policy": "synchronous", "output_writers": 2}):
        done = run(
            program, change(hills, **{f"model_file_info__{key}": value for key, value in keys.items()}), 2, folder
        )
        found = values_of(folder / "hills.nc")
        check(
            done.status == 0
            and "output to hills" in done.log
            and found.keys() == wanted.keys()
            and all(np.array_equal(found[key], wanted[key]) for key in wanted),
            f"the same output with {keys}",
        )
        check(not faults_of(folder / "hills.nc"), "and by the rules of CF")
    for keys, words in (
        ({"output_policy": "writer"}, ("'writer'", "automatic thread synchronous")),
        ({"output_writers": -1}, ("output_writers", "0")),
        ({"output_file": "hills.cdf"}, ("hills.cdf", ".nc")),
    ):
        wrong = run(
            program, change(hills, **{f"model_file_info__{key}": value for key, value in keys.items()}), 2, folder
        )
        check(wrong.status not in (0, 124) and all(word in wrong.log for word in words), f"{keys} is refused")


def killed(program: str, folder: Path, hills: str, check: Checks) -> None:
    """Frames of a run that a NaN, or SIGKILL, ends are whole or absent."""
    often = change(
        hills,
        timmax=1000.0,
        model_file_info__frqanl=10.0,
        model_file_info__output_policy="thread",
        model_file_info__log_steps=1,
    )
    run_well(program, often, 2, folder)
    wanted = values_of(folder / "hills.nc")
    poisoned = change(often, debug__poison_step=60, debug__poison_i=20, debug__poison_j=7, debug__poison_k=5)
    (folder / "hills.nc").unlink()
    done = run(program, poisoned, 2, folder)
    check(done.status not in (0, 124), "a NaN ends the run")
    whole_frames(folder / "hills.nc", wanted, 60, 61, check)
    for name in ("hills.nc", "hills.journal"):
        (folder / name).unlink()
    (folder / "test.nml").write_text(often)
    # It writes a line per step into a pipe that holds a page of them, and waits where nobody reads: it cannot end
    # before it is killed.
    alone = subprocess.Popen(
        [program, "test.nml"],
        cwd=folder,
        env=environment(1),
        bufsize=0,
        pipesize=4096,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert alone.stdout is not None
    while b"step 20/100" not in alone.stdout.readline() and alone.poll() is None:
        pass
    journal, until = folder / "hills.journal", time.monotonic() + HANG_S
    while (
        not (journal.exists() and journal.stat().st_size >= 5 * RECORD)
        and alone.poll() is None
        and time.monotonic() < until
    ):
        time.sleep(0.001)
    alone.kill()
    check(alone.wait() == -9, "a run is killed on its way")
    told = journal.stat().st_size // RECORD
    # A frame is counted in the file before its record is written.
    whole_frames(folder / "hills.nc", wanted, told, told + 1, check)
    series = folder / "hills.stations.nc"
    with netCDF4.Dataset(series) as data:
        times = data["time"][:]
        check(
            times.size > 0
            and np.array_equal(times, 10.0 * np.arange(times.size))
            and np.isfinite(data["pressure"][:1]).all(),
            f"{times.size} times of its stations are left",
        )
    for path in (folder / "hills.nc", series):
        opens_with(["ncdump", "-v", "time", str(path)], f"ncdump reads {path.name} of a killed run", check)
        opens_with(["cdo", "-s", "infon", "-seltimestep,1", str(path)], f"cdo reads {path.name} of a killed run", check)


def opens_with(command: list[str], what: str, check: Checks) -> None:
    """A program of others, where it is installed."""
    if shutil.which(command[0]) is None:
        print(f"left out  {what}: {command[0]} is not installed", flush=True)
        return
    said = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    check(said.returncode == 0, what + ("" if said.returncode == 0 else f": {said.stderr}"))


def whole_frames(path: Path, wanted: dict[str, np.ndarray], least: int, most: int, check: Checks) -> None:
    """There are so many frames, with the times and values of a run that ended well; what is constant is there."""
    found = values_of(path)
    frames, all_frames = found["time"].size, wanted["time"].size
    same = {
        key
        for key in wanted
        if np.array_equal(found[key], wanted[key][:frames] if wanted[key].shape[:1] == (all_frames,) else wanted[key])
    }
    check(
        least <= frames <= most < all_frames and same == set(wanted),
        f"{frames} of {all_frames} frames are left, whole and right (others: {sorted(set(wanted) - same)})",
    )


def broken(program: str, folder: Path, hills: str, check: Checks) -> None:
    """A NaN ends the run at the step where it comes up, and tells where to go on."""
    keys = {"debug__poison_step": 3, "debug__poison_i": 20, "debug__poison_j": 7, "debug__poison_k": 5}
    for frqhis, words in (
        (20.0, ("the last good history: hills.history, step 2, 20.0 s",)),
        (0.0, ("no history", "frqhis")),
    ):
        done = run(program, change(hills, timmax=100.0, model_file_info__frqhis=frqhis, **keys), 2, folder)
        check(
            done.status not in (0, 124)
            and "step 3 broke at level 5, column (20, 7)" in done.log
            and "not finite" in done.log
            and all(word in done.log for word in words),
            f"a NaN stops the run, frqhis = {frqhis:g}",
        )
    log = run_well(program, change(hills, model_file_info__log_steps=1), 2, folder).log
    lines = re.findall(
        r"step (\d)/4  t ([\d.]+) s  dt 10\.0 s  CFL [\d.]+/[\d.]+  max w [\d.]+ m/s at \(\d+, \d+, level \d+\)  "
        r"wall [\d.]+ ms/step  left \d\d:\d\d:\d\d",
        log,
    )
    has_lines = [line[0] for line in lines] == list("1234") and "halo exchange" in log and "dynamics" in log
    check(has_lines, "the log has a line per step" + ("" if has_lines else f":\n{log}"))


if __name__ == "__main__":
    main(sys.argv[1])
