# SPDX-License-Identifier: BSD-3-Clause
"""Reads a radiosonde ascent in the University of Wyoming's text layout as a horizontally homogeneous start."""

from __future__ import annotations

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
from problem import InputError, check_range

COLUMN_WIDTH = 7
COLUMNS = ("PRES", "HGHT", "TEMP", "DWPT", "RELH", "MIXR", "DRCT", "SKNT")
KNOT = 1852.0 / 3600.0  # m s-1
HEAT_CAPACITY = 1004.5  # J kg-1 K-1
MOST_UNSTABLE = 2.0  # K between two levels: a sunlit ground's surface layer, and errors of sensors
MOST_SUPERSATURATED = 0.5  # K by which the dew point may exceed the temperature: errors of sensors
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


def read(path: Path) -> Sounding:
    """Read a file; every fault ends in an InputError that names the file."""
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    text = re.sub(r"<[^>]*>", "", text)  # pages saved as HTML
    rows = _rows(path, text)
    table = np.array(rows)
    good = np.isfinite(table[:, 1:4]).all(axis=1)  # pressure, height and temperature are needed
    lines, table = table[good, 0].astype(int), table[good, 1:]
    if len(table) < 5:
        raise InputError(f"{path}: only {len(table)} levels with pressure, height and temperature, at least 5 needed")
    _check_values(path, table)
    _check_column(path, lines, table)
    return _assemble(path, text, table[_rising(table)])


def _rows(path: Path, text: str) -> list[list[float]]:
    """The table below the rule that follows the column titles, the line's number first; blanks are NaN."""
    lines = text.splitlines()
    titles = next((n for n, line in enumerate(lines) if line.split()[: len(COLUMNS)] == list(COLUMNS)), None)
    if titles is None:
        raise InputError(f"{path}: not a sounding in the Wyoming layout: no line of titles {' '.join(COLUMNS)} found")
    rows = []
    for number, line in enumerate(lines[titles + 1 :], start=titles + 2):
        cells = [line[k * COLUMN_WIDTH : (k + 1) * COLUMN_WIDTH].strip() for k in range(len(COLUMNS))]
        try:
            rows.append([float(number), *(float(cell) if cell else np.nan for cell in cells)])
        except ValueError:
            if rows:
                if set(line.strip()) <= {"-"} or not line[:COLUMN_WIDTH].strip() or line[:1].isalpha():
                    break
                raise InputError(f"{path}: line {number} of the table cannot be read: '{line.strip()}'") from None
            continue
        if np.isnan(rows[-1][1]):
            rows.pop()
            if rows:
                break
    return rows


def _check_values(path: Path, table: Array) -> None:
    limits = (
        ("pressure", 0, 1, 1100, " hPa"),
        ("height", 1, -500, 60000, " m"),
        ("temperature", 2, -120, 60, " C"),
        ("relative humidity", 4, 0, 105, " %"),
        ("wind speed", 7, 0, 300, " knots"),
    )
    for name, column, low, high, unit in limits:
        for value in table[np.isfinite(table[:, column]), column]:
            check_range(f"{path}: {name}", value, low, high, unit)


def _check_column(path: Path, lines: Array, table: Array) -> None:
    """Refuse a column that no model can start from, naming the line and what is allowed."""
    theta = (table[:, 2] + 273.15) * (1000.0 / table[:, 0]) ** (GAS_CONSTANT / HEAT_CAPACITY)
    for n in range(len(table)):
        where = f"{path}: line {lines[n]} ({table[n, 0]:g} hPa): "
        if table[n, 3] > table[n, 2] + MOST_SUPERSATURATED:
            raise InputError(
                f"{where}supersaturated: the dew point {table[n, 3]:g} C is above the temperature {table[n, 2]:g} C, "
                f"allowed by {MOST_SUPERSATURATED:g} K"
            )
        if n == 0:
            continue
        if table[n, 0] >= table[n - 1, 0] or table[n, 1] <= table[n - 1, 1]:
            raise InputError(
                f"{where}not monotone: pressure must fall and height rise, but {table[n - 1, 0]:g} hPa at "
                f"{table[n - 1, 1]:g} m comes before {table[n, 0]:g} hPa at {table[n, 1]:g} m"
            )
        if theta[n] < theta[n - 1] - MOST_UNSTABLE:
            raise InputError(
                f"{where}superadiabatic: the potential temperature falls by {theta[n - 1] - theta[n]:.1f} K from the "
                f"level below, allowed up to {MOST_UNSTABLE:g} K"
            )


def _rising(table: Array) -> list[int]:
    """The rows that rise: each at least 10 m above and 0.2 hPa below the one kept before."""
    kept = [0]
    for n in range(1, len(table)):
        if table[n, 1] >= table[kept[-1], 1] + 10.0 and table[n, 0] <= table[kept[-1], 0] - 0.2:
            kept.append(n)
    return kept


def _assemble(path: Path, text: str, table: Array) -> Sounding:
    log_p = np.log(table[:, 0])

    def complete(values: Array, name: str) -> Array:
        """Fill gaps linearly in the logarithm of pressure; the nearest value holds beyond the ends."""
        known = np.isfinite(values)
        if known.sum() < 2:
            raise InputError(f"{path}: {known.sum()} values of {name}, at least 2 are needed")
        return np.interp(-log_p, -log_p[known], values[known])

    temperature = table[:, 2] + 273.15
    humidity = saturation_pressure(table[:, 3] + 273.15) / saturation_pressure(temperature)
    speed, direction = table[:, 7] * KNOT, np.radians(table[:, 6])
    u, v = -speed * np.sin(direction), -speed * np.cos(direction)
    latitude, longitude = _number(text, "Station latitude"), _number(text, "Station longitude")
    return Sounding(
        source=f"radiosonde '{_title(text)}' ({path.name})",
        valid_time=_time(path, text),
        latitude=latitude,
        longitude=longitude,
        pressure=table[:, 0] * 100.0,
        height=table[:, 1],
        temperature=temperature,
        relative_humidity=np.clip(complete(humidity, "dew point"), 0.0, 1.0),
        u=complete(u, "wind"),
        v=complete(v, "wind"),
    )


def _number(text: str, label: str) -> float:
    found = re.search(rf"{label}:\s*(-?[\d.]+)", text)
    return float(found.group(1)) if found else float("nan")


def _title(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if "Observations at" in line), "untitled")


def _time(path: Path, text: str) -> dt.datetime:
    found = re.search(r"Observations at (\d\d)Z (\d\d) ([A-Z][a-z][a-z]) (\d{4})", text)
    if found and found.group(3) in MONTHS:
        hour, day, month, year = found.groups()
        return dt.datetime(int(year), MONTHS.index(month) + 1, int(day), int(hour), tzinfo=dt.timezone.utc)
    raise InputError(f"{path}: no time found: a line '... Observations at 12Z 08 Nov 2008' is expected")


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
