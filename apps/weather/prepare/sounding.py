# SPDX-License-Identifier: BSD-3-Clause
"""Reads a radiosonde ascent of the University of Wyoming, its list or its CSV, as a horizontally homogeneous start."""

from __future__ import annotations

import csv
import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from atmosphere import (
    GAS_CONSTANT,
    GRAVITY,
    LAPSE_RATE,
    extend_upwards,
    saturation_pressure,
)
from lambert import Array, Grid
from problem import InputError, check_range, regular_file
from units import converted

MOST_BYTES = 20_000_000
COLUMN_WIDTH = 7  # of the list
# What is read: its titles in the list and in the CSV, and the unit that a column of the table below has.
QUANTITIES = {
    "pressure": (("PRES",), "pressure", "hPa"),
    "height": (("HGHT",), "geopotential height", "m"),
    "temperature": (("TEMP",), "temperature", "degC"),
    "dew point": (("DWPT",), "dew point temperature", "degC"),
    "relative humidity": (("RELH",), "relative humidity", "%"),
    "wind direction": (("DRCT",), "wind direction", "degree"),
    "wind speed": (("SKNT", "SPED"), "wind speed", "m/s"),
}
PRESSURE, HEIGHT, TEMPERATURE, DEW_POINT, HUMIDITY, DIRECTION, SPEED = range(len(QUANTITIES))
OPTIONAL = ("relative humidity",)
LIMITS = {
    PRESSURE: (1, 1100, " hPa"),
    HEIGHT: (-500, 60000, " m"),
    TEMPERATURE: (-120, 60, " C"),
    DEW_POINT: (-200, 60, " C"),
    HUMIDITY: (0, 105, " %"),
    DIRECTION: (0, 360, " degrees"),
    SPEED: (0, 155, " m/s"),
}
MISSING_WORDS = ("", "m", "nan", "null", "none", "-", "--", "/", "//", "///", "////", "/////")
MISSING_BELOW = -999.0  # -999, -9999 and the like stand for a missing value
MISSING_DIRECTION = 999.0
HEAT_CAPACITY = 1004.5  # J kg-1 K-1
STATIONS = (-430, 6500)  # m: the Dead Sea's shore, and more than the highest station
MOST_UNSTABLE = 2.0  # K between two levels: a sunlit ground's surface layer, and errors of sensors
MOST_SUPERSATURATED = 0.5  # K by which the dew point may exceed the temperature: errors of sensors
MOST_SWING = 50.0  # m by which a level may lie below one before it, where there is one for each second
# Months by hand: strptime's depend on the locale.
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Sounding:
    """One ascent from the ground up; SI units, relative humidity 0 to 1, u to the east and v to the north."""

    source: str
    valid_time: dt.datetime
    latitude: float
    longitude: float
    pressure: Array
    height: Array
    temperature: Array
    relative_humidity: Array
    u: Array
    v: Array


@dataclass(frozen=True)
class _Table:
    """What either layout holds: rows of the QUANTITIES in their units, missing values NaN, and their lines."""

    lines: list[int]
    rows: Array
    valid_time: dt.datetime
    latitude: float
    longitude: float
    title: str
    is_fine: bool = False  # a level each second, in which a balloon also swings down


def read(path: Path) -> Sounding:
    """Read a file; every fault ends in an InputError that names the file."""
    text = regular_file(path, MOST_BYTES).read_text(encoding="ascii", errors="replace")
    text = re.sub(r"<[^<>]*>", "", text)  # pages saved as HTML
    lines = text.splitlines()
    found = _list_table(path, text, lines) or _csv_table(path, lines)
    if found is None:
        raise InputError(
            f"{path}: not a sounding of Wyoming's: no line of titles PRES HGHT TEMP DWPT RELH MIXR DRCT SKNT found, "
            "nor one of time,longitude,latitude,pressure_hPa,…"
        )
    good = np.isfinite(found.rows[:, : TEMPERATURE + 1]).all(axis=1)  # pressure, height and temperature are needed
    if good.sum() < 5:
        raise InputError(f"{path}: only {good.sum()} levels with pressure, height and temperature, at least 5 needed")
    numbers, table = np.array(found.lines)[good], found.rows[good]
    _check_values(path, numbers, table)
    check_range(f"{path}: line {numbers[0]}: height of the lowest level", table[0, HEIGHT], *STATIONS, " m")
    if found.is_fine:
        _check_swing(path, numbers, table)
        kept = _rising(table)
        numbers, table = numbers[kept], table[kept]
    _check_column(path, numbers, table)
    return _assemble(path, found, table[_rising(table)])


# ---- the list ----


def _list_table(path: Path, text: str, lines: list[str]) -> _Table | None:
    """Columns of seven letters below a line of titles, one of units and a rule."""
    start = next((n for n, line in enumerate(lines) if line.split()[:3] == ["PRES", "HGHT", "TEMP"]), None)
    if start is None:
        return None
    titles = _cells(lines[start])
    units = _cells(lines[start + 1]) if start + 1 < len(lines) else []
    columns, given = [], []
    for name, (of_list, _, _) in QUANTITIES.items():
        column = next((n for n, title in enumerate(titles) if title in of_list), None)
        columns.append(column)
        given.append(units[column] if column is not None and column < len(units) else "")
        _check_there(path, name, column, " or ".join(of_list))
    numbers, rows = [], []
    for number, line in enumerate(lines[start + 2 :], start=start + 3):
        if not line.strip() or set(line.strip()) == {"-"}:
            if rows:
                break
            continue
        if rows and not line[:COLUMN_WIDTH].strip():
            break
        cells = _cells(line)
        if rows and line[:1].isalpha():
            break
        rows.append([_value(path, number, cells[n] if n is not None and n < len(cells) else "") for n in columns])
        numbers.append(number)
    return _Table(
        numbers,
        _in_units(path, rows, given),
        _time_of_list(path, text),
        _number(path, text, "Station latitude"),
        _number(path, text, "Station longitude"),
        next((line.strip() for line in lines if "Observations at" in line), "untitled"),
    )


def _cells(line: str) -> list[str]:
    return [line[at : at + COLUMN_WIDTH].strip() for at in range(0, len(line), COLUMN_WIDTH)]


def _number(path: Path, text: str, label: str) -> float:
    found = re.search(rf"{label}:\s*(\S+)", text)
    return _value(path, text[: found.start()].count("\n") + 1, found.group(1)) if found else float("nan")


def _time_of_list(path: Path, text: str) -> dt.datetime:
    found = re.search(r"Observations at (\d{1,2})Z (\d{1,2}) ([A-Z][a-z][a-z]) (\d{4})", text)
    if not found:
        raise InputError(f"{path}: no time found: a line '... Observations at 12Z 08 Nov 2008' is expected")
    hour, day, month, year = found.groups()
    try:
        return dt.datetime(int(year), MONTHS.index(month) + 1, int(day), int(hour), tzinfo=dt.timezone.utc)
    except ValueError as error:
        said = f"no month is called {month}" if month not in MONTHS else str(error)
        raise InputError(f"{path}: '{found.group(0)}' is no time there is: {said}") from error


# ---- the CSV ----


def _csv_table(path: Path, lines: list[str]) -> _Table | None:
    """Comma-separated values below titles QUANTITY_UNIT; time and place stand in each row, those of the first count."""
    start = next(
        (n for n, line in enumerate(lines) if line.replace(" ", "").startswith("time,longitude,latitude")), None
    )
    if start is None:
        return None
    titles = [title.strip() for title in lines[start].split(",")]
    names = [title.rpartition("_")[0] for title in titles]
    columns = [names.index(of_csv) if of_csv in names else None for _, of_csv, _ in QUANTITIES.values()]
    for (name, (_, of_csv, unit)), column in zip(QUANTITIES.items(), columns):
        _check_there(path, name, column, f"{of_csv}_{unit}")
    given = ["" if column is None else titles[column].rpartition("_")[2] for column in columns]
    numbers, rows, first = [], [], None
    for number, line in enumerate(lines[start + 1 :], start=start + 2):
        cells = next(csv.reader([line.replace("\0", "")]), [])
        if len(cells) < 2:
            if rows:
                break
            continue
        if len(cells) != len(titles):
            raise InputError(f"{path}: line {number} has {len(cells)} values, its titles are {len(titles)}")
        first = first or (number, cells)
        rows.append([_value(path, number, "" if n is None else cells[n]) for n in columns])
        numbers.append(number)
    if first is None:
        raise InputError(f"{path}: no levels below the titles in line {start + 1}")
    number, cells = first
    longitude, latitude = (_value(path, number, cells[n]) for n in (1, 2))
    return _Table(
        numbers,
        _in_units(path, rows, given),
        _time_of_csv(path, number, cells[0]),
        latitude,
        longitude,
        "untitled",
        is_fine=True,
    )


def _time_of_csv(path: Path, number: int, words: str) -> dt.datetime:
    try:
        return dt.datetime.strptime(words.strip(), "%Y-%m-%d %H:%M:%S").replace(tzinfo=dt.timezone.utc)
    except ValueError as error:
        raise InputError(
            f"{path}: line {number}: '{words.strip()}' is no time there is; one like 2025-06-01 11:05:00 is expected"
        ) from error


# ---- what both have in common ----


def _check_there(path: Path, name: str, column: int | None, title: str) -> None:
    if column is None and name not in OPTIONAL:
        raise InputError(f"{path}: no column of {name} ({title})")


def _value(path: Path, number: int, cell: str) -> float:
    """A number, or NaN where it is missing."""
    if cell.strip().lower() in MISSING_WORDS:
        return float("nan")
    try:
        value = float(cell)
    except ValueError:
        value = float("inf")
    if not np.isfinite(value):
        raise InputError(f"{path}: line {number}: '{cell.strip()}' is no number")
    return value if value > MISSING_BELOW else float("nan")


def _in_units(path: Path, rows: list[list[float]], given: list[str]) -> Array:
    """The table in the units of QUANTITIES, whatever the file's header says that they are."""
    table = np.array(rows, dtype=float).reshape(-1, len(QUANTITIES))
    table[table[:, DIRECTION] == MISSING_DIRECTION, DIRECTION] = np.nan
    for column, ((name, (_, _, wanted)), unit) in enumerate(zip(QUANTITIES.items(), given)):
        if np.isfinite(table[:, column]).any():
            table[:, column] = converted(table[:, column], unit, wanted, f"{path}: the column of {name}")
    return table


def _check_values(path: Path, lines: Array, table: Array) -> None:
    for (name, _), (column, (low, high, unit)) in zip(QUANTITIES.items(), LIMITS.items()):
        for line, value in zip(lines, table[:, column]):
            if np.isfinite(value):
                check_range(f"{path}: line {line}: {name}", value, low, high, unit)


def _check_column(path: Path, lines: Array, table: Array) -> None:
    """Refuse a column that no model can start from, naming the line and what is allowed."""
    theta = (table[:, TEMPERATURE] + 273.15) * (1000.0 / table[:, PRESSURE]) ** (GAS_CONSTANT / HEAT_CAPACITY)
    for n in range(len(table)):
        where = f"{path}: line {lines[n]} ({table[n, PRESSURE]:g} hPa): "
        if table[n, DEW_POINT] > table[n, TEMPERATURE] + MOST_SUPERSATURATED:
            raise InputError(
                f"{where}supersaturated: the dew point {table[n, DEW_POINT]:g} C is above the temperature "
                f"{table[n, TEMPERATURE]:g} C, allowed by {MOST_SUPERSATURATED:g} K"
            )
        if n == 0:
            continue
        if table[n, PRESSURE] >= table[n - 1, PRESSURE] or table[n, HEIGHT] <= table[n - 1, HEIGHT]:
            raise InputError(
                f"{where}not monotone: pressure must fall and height rise, but {table[n - 1, PRESSURE]:g} hPa at "
                f"{table[n - 1, HEIGHT]:g} m comes before {table[n, PRESSURE]:g} hPa at {table[n, HEIGHT]:g} m"
            )
        if theta[n] < theta[n - 1] - MOST_UNSTABLE:
            raise InputError(
                f"{where}superadiabatic: the potential temperature falls by {theta[n - 1] - theta[n]:.1f} K from the "
                f"level below, allowed up to {MOST_UNSTABLE:g} K"
            )


def _check_swing(path: Path, lines: Array, table: Array) -> None:
    highest = np.maximum.accumulate(table[:, HEIGHT])
    n = int((highest - table[:, HEIGHT]).argmax())
    if highest[n] - table[n, HEIGHT] > MOST_SWING:
        raise InputError(
            f"{path}: line {lines[n]}: not monotone: {table[n, HEIGHT]:g} m lies "
            f"{highest[n] - table[n, HEIGHT]:g} m below a level before it, allowed up to {MOST_SWING:g} m"
        )


def _rising(table: Array) -> list[int]:
    """The rows that rise: each at least 10 m above and 0.2 hPa below the one kept before."""
    kept = [0]
    for n in range(1, len(table)):
        if table[n, HEIGHT] >= table[kept[-1], HEIGHT] + 10.0 and table[n, PRESSURE] <= table[kept[-1], PRESSURE] - 0.2:
            kept.append(n)
    return kept


def _assemble(path: Path, found: _Table, table: Array) -> Sounding:
    log_p = np.log(table[:, PRESSURE])

    def complete(values: Array, name: str) -> Array:
        """Fill gaps linearly in the logarithm of pressure; the nearest value holds beyond the ends."""
        known = np.isfinite(values)
        if known.sum() < 2:
            raise InputError(f"{path}: {known.sum()} values of {name}, at least 2 are needed")
        return np.interp(-log_p, -log_p[known], values[known])

    temperature = table[:, TEMPERATURE] + 273.15
    humidity = saturation_pressure(table[:, DEW_POINT] + 273.15) / saturation_pressure(temperature)
    speed, direction = table[:, SPEED], np.radians(table[:, DIRECTION])
    u, v = -speed * np.sin(direction), -speed * np.cos(direction)
    for name, value, most in (("latitude", found.latitude, 90), ("longitude", found.longitude, 360)):
        if np.isfinite(value):
            check_range(f"{path}: the station's {name}", value, -most, most, " degrees")
    return Sounding(
        source=f"radiosonde '{found.title}' ({path.name})",
        valid_time=found.valid_time,
        latitude=found.latitude,
        longitude=found.longitude,
        pressure=table[:, PRESSURE] * 100.0,
        height=table[:, HEIGHT],
        temperature=temperature,
        relative_humidity=np.clip(complete(humidity, "dew point"), 0.0, 1.0),
        u=complete(u, "wind"),
        v=complete(v, "wind"),
    )


def to_grid(sounding: Sounding, grid: Grid, top: float, lowest: float) -> tuple[Array, dict[str, Array]]:
    """The same column everywhere: pressure(level) and fields(level, y, x).

    The column goes down to the height `lowest` with the standard lapse rate, so that ground below the
    station still has air. Winds are the model's x and y components at the grid's centre: a
    homogeneous flow on the map, not on the sphere.
    """
    column = {name: getattr(sounding, name) for name in ("height", "temperature", "relative_humidity", "u", "v")}
    pressure = sounding.pressure
    if lowest < column["height"][0]:
        drop = column["height"][0] - lowest + 50.0
        warm = column["temperature"][0] + LAPSE_RATE * drop
        factor = (warm / column["temperature"][0]) ** (GRAVITY / (GAS_CONSTANT * LAPSE_RATE))
        pressure = np.insert(pressure, 0, pressure[0] * factor)
        first = {name: values[0] for name, values in column.items()}
        first["height"], first["temperature"] = column["height"][0] - drop, warm
        column = {name: np.insert(values, 0, first[name]) for name, values in column.items()}
    fields = {
        name: np.repeat(values, grid.ny * grid.nx).reshape(-1, grid.ny, grid.nx) for name, values in column.items()
    }
    return extend_upwards(pressure, fields, top)
