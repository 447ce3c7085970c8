# SPDX-License-Identifier: BSD-3-Clause
"""The meteogram: temperature, dew point, wind, pressure and rain at stations, one column for each."""

from __future__ import annotations

import datetime as dt
from typing import Any

import matplotlib.dates as dates
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke

import style
from lambert import Array
from stations import Station

PER_PICTURE = 3
WARM, MOIST, WIND, PRESSURE, RAIN = "#b5402f", "#2a7f62", "#26739d", "#5b4a8a", "#2f5fa8"
CLOUD = "#8a94a3"
HEIGHTS = (3.0, 2.2, 1.6, 1.6)


def pages(stations: list[Station]) -> list[list[Station]]:
    return [stations[n : n + PER_PICTURE] for n in range(0, len(stations), PER_PICTURE)]


def draw(stations: list[Station], title: str) -> tuple[Any, int]:
    """One picture of up to PER_PICTURE stations."""
    style.use()
    figure, table = plt.subplots(
        4, len(stations), figsize=(1.8 + 4.7 * len(stations), 8.6), sharex=True, squeeze=False,
        gridspec_kw={"height_ratios": HEIGHTS, "hspace": 0.12, "wspace": 0.16},
    )  # fmt: skip
    wide = 1.8 + 4.7 * len(stations)
    figure.subplots_adjust(left=0.75 / wide, right=1 - 0.25 / wide, top=0.885, bottom=0.065)
    figure.text(0.75 / wide, 0.965, "Meteogram", fontsize=16, fontweight="bold", va="center")
    figure.text(1 - 0.25 / wide, 0.965, title, fontsize=10, ha="right", va="center", color=style.QUIET)
    for column, station in enumerate(stations):
        place = f"{_degrees(station.latitude, 'NS')} {_degrees(station.longitude, 'EW')}"
        table[0, column].set_title(station.name, loc="left", fontsize=11)
        table[0, column].set_title(place, loc="right", fontsize=8.5, fontweight="normal", color=style.QUIET)
        _temperature(table[0, column], station)
        _wind(table[1, column], station)
        _pressure(table[2, column], station)
        _rain(table[3, column], station)
        for axes in table[:, column]:
            _time_axis(axes, station.times)
    for axes, text in zip(
        table[:, 0], ("temperature (°C)", "wind (knots)", "pressure (hPa)", "rain (mm)"), strict=True
    ):
        axes.set_ylabel(text, fontsize=8.5, color=style.QUIET)
    _same_range(table)
    return figure, 100


def _degrees(value: float, letters: str) -> str:
    return style.degrees(round(value, 2), letters)


def _temperature(axes: Any, station: Station) -> None:
    warm, moist = station.temperature - 273.15, station.dew_point - 273.15
    axes.fill_between(station.times, moist, warm, color=WARM, alpha=0.07, linewidth=0)
    axes.plot(station.times, warm, color=WARM, linewidth=1.8, label="2 m temperature")
    axes.plot(station.times, moist, color=MOIST, linewidth=1.5, linestyle=(0, (5, 2)), label="dew point")
    if warm.min() < 0 < warm.max() or moist.min() < 0 < moist.max():
        axes.axhline(0, color=style.QUIET, linewidth=0.8)
    axes.legend(loc="upper left", fontsize=7.5, frameon=False, ncols=2, borderaxespad=0.2)
    axes.margins(y=0.18)


def _wind(axes: Any, station: Station) -> None:
    """Speed as a line; above it barbs at whole hours, at most about a dozen."""
    speed = station.wind_speed * style.KNOTS
    axes.plot(station.times, speed, color=WIND, linewidth=1.6)
    axes.fill_between(station.times, 0, speed, color=WIND, alpha=0.1, linewidth=0)
    top = max(15.0, float(speed.max()) * 1.75)
    axes.set_ylim(0, top)
    chosen = _barb_times(station.times)
    towards = np.radians(station.wind_direction[chosen])
    # Barbs stand near the top of the panel, where the line does not reach.
    barbs = axes.barbs(
        dates.date2num([station.times[n] for n in chosen]), np.full(len(chosen), 0.78),
        -speed[chosen] * np.sin(towards), -speed[chosen] * np.cos(towards), transform=axes.get_xaxis_transform(),
        length=5.8, linewidth=0.8, color=style.INK, sizes={"emptybarb": 0.08, "spacing": 0.14},
        flip_barb=station.latitude < 0, zorder=5,
    )  # fmt: skip
    barbs.set_path_effects([withStroke(linewidth=2.0, foreground="white")])


def _barb_times(times: list[dt.datetime]) -> list[int]:
    hours = (times[-1] - times[0]).total_seconds() / 3600
    every = max(hours / 12, 1e-6)
    wanted = np.arange(every / 2, hours, every)
    elapsed = np.array([(time - times[0]).total_seconds() / 3600 for time in times])
    return sorted({int(np.abs(elapsed - hour).argmin()) for hour in wanted})


def _pressure(axes: Any, station: Station) -> None:
    axes.plot(station.times, station.pressure / 100, color=PRESSURE, linewidth=1.6)
    axes.margins(y=0.15)
    place = "at sea level" if station.is_at_sea_level else "at the ground"
    axes.text(0.015, 0.93, place, transform=axes.transAxes, fontsize=7.5, va="top", color=style.QUIET)
    if station.cloud_cover is None:
        return
    clouds = axes.twinx()
    clouds.fill_between(station.times, 0, 100 * station.cloud_cover, color=CLOUD, alpha=0.35, linewidth=0, zorder=0)
    clouds.set_ylim(0, 250)  # so that the line of pressure stays above
    clouds.set_yticks([])
    clouds.text(
        0.985, 0.06, "grey: cloud cover (its full sky: 40 % of the panel)", transform=axes.transAxes,
        fontsize=7.5, va="bottom", ha="right", color=style.QUIET,
    )  # fmt: skip
    axes.ticklabel_format(axis="y", useOffset=False)


def _rain(axes: Any, station: Station) -> None:
    """Bars: what fell in each interval; line: the sum since the start."""
    if station.rain is None:
        axes.text(
            0.5, 0.5, "no rain in the file", transform=axes.transAxes, ha="center", va="center", color=style.QUIET
        )
        axes.set_ylim(0, 1)
        return
    at, fallen, width = _hourly(station.times, station.rain)
    axes.bar(at, fallen, width=width, align="edge", color=RAIN, alpha=0.75, linewidth=0)
    axes.plot(station.times, station.rain - station.rain[0], color=style.INK, linewidth=1.2)
    most = max(1.0, float((station.rain - station.rain[0]).max()))
    axes.set_ylim(0, most * 1.15)
    axes.text(
        0.015, 0.93, "bars: per hour, line: sum", transform=axes.transAxes, fontsize=7.5, va="top", color=style.QUIET
    )


def _hourly(times: list[dt.datetime], total: Array) -> tuple[list[dt.datetime], Array, dt.timedelta]:
    """Begin of each whole hour, what fell in it, and the width of a bar."""
    elapsed = np.array([(time - times[0]).total_seconds() for time in times])
    edges = np.arange(0, np.ceil(elapsed[-1] / 3600) + 1) * 3600.0
    amounts = np.diff(np.interp(edges, elapsed, total))
    return [times[0] + dt.timedelta(seconds=float(s)) for s in edges[:-1]], amounts, dt.timedelta(minutes=54)


def _time_axis(axes: Any, times: list[dt.datetime]) -> None:
    hours = (times[-1] - times[0]).total_seconds() / 3600
    axes.set_xlim(times[0], times[-1])
    step = next((s for s in (1, 2, 3, 6, 12) if hours / s <= 10), 24)
    axes.xaxis.set_major_locator(dates.HourLocator(byhour=range(0, 24, step)))
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(axes.xaxis.get_major_locator(), show_offset=False))
    axes.grid(True, color="#d5d8dd", linewidth=0.6)
    axes.set_axisbelow(True)
    for time in _midnights(times):
        axes.axvline(time, color=style.QUIET, linewidth=0.9, linestyle=(0, (4, 3)))


def _midnights(times: list[dt.datetime]) -> list[dt.datetime]:
    day = times[0].replace(hour=0, minute=0, second=0) + dt.timedelta(days=1)
    found = []
    while day < times[-1]:
        found.append(day)
        day += dt.timedelta(days=1)
    return found


def _same_range(table: Any) -> None:
    """Stations can be compared: one range for temperature, wind and rain, pressure keeps its own."""
    for row in (0, 1, 3):
        low = min(axes.get_ylim()[0] for axes in table[row])
        high = max(axes.get_ylim()[1] for axes in table[row])
        for axes in table[row]:
            axes.set_ylim(low, high)
