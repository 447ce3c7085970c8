# SPDX-License-Identifier: BSD-3-Clause
"""The pictures that maps.py draws, each a function from a scene to a figure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import outlines
import precipitation
import style
from forecast import Forecast
from lambert import Array, about
from terrain import smooth

EDGE = 15  # columns next to the boundary, under its influence: not searched for waves


class Scene:
    """One time of a forecast and what all pictures of it share."""

    def __init__(self, forecast: Forecast, time: int, height: float | None, row: int | None) -> None:
        self.forecast, self.time, self._height, self._row = forecast, time, height, row
        self.grid, self.terrain = forecast.grid, forecast.terrain
        self.lines = outlines.read(forecast.grid)
        style.use()

    def panel(self, axes: Any) -> style.MapPanel:
        return style.MapPanel(axes, self.grid, self.terrain, self.lines)

    def when(self, time: int | None = None) -> str:
        time = self.time if time is None else time
        return f"{self.forecast.times[time]:%a %d %b %Y %H:%M} UTC  (+{self.forecast.lead(time):.3g} h)"

    def field(self, name: str) -> Array:
        return self.forecast.field(name, self.time)

    @cached_property
    def wave_height(self) -> float:
        """3 km, or the next half kilometre at least 500 m above the highest ground."""
        if self._height is not None:
            return self._height
        return max(3000.0, 500.0 * np.ceil((self.terrain.max() + 500.0) / 500.0))

    @cached_property
    def row(self) -> int:
        """The row of the cross section: where the vertical wind at wave_height is strongest in the mean."""
        if self._row is not None:
            return self._row
        w = np.nan_to_num(self.forecast.at_height("w", self.time, self.wave_height))
        edge = min(EDGE, self.grid.ny // 4, self.grid.nx // 4)
        strength = np.sqrt((w[edge : self.grid.ny - edge, edge : self.grid.nx - edge] ** 2).mean(axis=1))
        return int(strength.argmax()) + edge

    @cached_property
    def temperature_levels(self) -> Array:
        """Steps of 2 K about the freezing point that fit the start and the end."""
        values = np.concatenate([self.forecast.temperature_near_ground(t).ravel() for t in (0, self.time)]) - 273.15
        reach = max(10.0, np.ceil(np.percentile(np.abs(values), 99.5) / 2) * 2)
        return np.arange(-reach, reach + 1, 2)


# --- panels -------------------------------------------------------------------------------------


def surface_panel(scene: Scene, axes: Any, time: int, barbs: int = 20) -> Any:
    forecast, panel = scene.forecast, scene.panel(axes)
    celsius = forecast.temperature_near_ground(time) - 273.15
    filled = panel.shade(celsius, scene.temperature_levels, style.TEMPERATURE, relief=0.42)
    panel.geography()
    pressure = smooth(forecast.sea_level_pressure(time) / 100.0, 6)
    panel.contours(pressure, np.arange(900.0, 1100.0, 4.0 if np.ptp(pressure) > 16 else 2.0), width=1.1, label="%d")
    panel.barbs(*forecast.wind_near_ground(time), barbs)
    return filled


def height_panel(scene: Scene, axes: Any, level: float, step: float, barbs: int, label: bool = True) -> Any:
    """Height (dam) and wind speed on a pressure surface."""
    forecast, panel = scene.forecast, scene.panel(axes)
    u, v = (forecast.on_pressure(name, scene.time, level) for name in ("u", "v"))
    height = forecast.on_pressure("height", scene.time, level) / 10.0
    speed = np.hypot(u, v) * style.KNOTS
    most = max(50.0, np.ceil(np.nanmax(speed) / 10.0) * 10.0)
    filled = panel.shade(np.nan_to_num(speed), np.arange(10.0, most + 1, 10.0), style.SPEED, extend="both")
    panel.geography(colour="#59616d", label=label)
    panel.contours(smooth(height, 2), np.arange(0, 2000, step), width=1.2, label="%d")
    panel.barbs(u, v, barbs, length=5.2)
    return filled


def low_height_panel(scene: Scene, axes: Any, level: float, barbs: int) -> Any:
    """Height (dam), temperature and wind on a pressure surface that mountains pierce."""
    forecast, panel = scene.forecast, scene.panel(axes)
    height = forecast.on_pressure("height", scene.time, level) / 10.0
    celsius = forecast.on_pressure("temperature", scene.time, level) - 273.15
    u, v = (forecast.on_pressure(name, scene.time, level) for name in ("u", "v"))
    reach = max(10.0, np.ceil(np.nanpercentile(np.abs(celsius), 99.5) / 2) * 2)
    axes.set_facecolor("#b3aca2")
    panel.relief(0.5, below=True)
    filled = panel.shade(celsius, np.arange(-reach, reach + 1, 2), style.TEMPERATURE)
    panel.geography()
    panel.contours(height, np.arange(0.0, 500.0, 2.0), width=1.2, label="%d")
    panel.barbs(u, v, barbs)
    return filled


def wave_panel(scene: Scene, axes: Any, label: bool = True) -> Any:
    panel = scene.panel(axes)
    w = scene.forecast.at_height("w", scene.time, scene.wave_height)
    filled = panel.shade(np.nan_to_num(w), _wave_levels(w), style.VERTICAL, relief=0.8)
    panel.geography(label=label)
    section_line(scene, axes)
    return filled


def section_line(scene: Scene, axes: Any) -> None:
    """The dashed line from A to B along which the cross section goes."""
    x, y = scene.grid.x / 1000.0, float(scene.grid.y[scene.row] / 1000.0)
    axes.plot((x[0], x[-1]), (y, y), color=style.INK, linewidth=1.0, linestyle=(0, (6, 3)), zorder=7)
    for place, name, side in ((x[0], "A", "left"), (x[-1], "B", "right")):
        text = axes.text(place, y, f" {name} ", ha=side, va="bottom", fontsize=8, fontweight="bold", zorder=8)
        text.set_path_effects([style.withStroke(linewidth=2, foreground="white")])


def _wave_levels(w: Array) -> Array:
    """About ten steps of a round size up to the 99.7th percentile of the strength."""
    most = max(float(np.nan_to_num(np.nanpercentile(np.abs(w), 99.7))), 0.01)
    step = min((0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0), key=lambda s: abs(np.log(s * 5 / most)))
    count = max(3, min(7, int(np.ceil(most / step))))
    return np.concatenate([-np.arange(count, 0, -1), np.arange(1, count + 1)]) * step


def section_panel(scene: Scene, axes: Any, top: float = 14000.0) -> Any:
    """West-east section: vertical wind, potential temperature, wind speed, ground."""
    j, forecast = scene.row, scene.forecast
    x = scene.grid.x / 1000.0
    z = forecast.height[:, j] / 1000.0
    top = min(top, float(forecast.height[-1].min())) / 1000.0
    w, theta = scene.field("w")[:, j], scene.field("theta")[:, j]
    speed = np.hypot(scene.field("u")[:, j], scene.field("v")[:, j]) * style.KNOTS
    across = np.broadcast_to(x, z.shape)
    inside = z < top
    levels = _wave_levels(np.where(inside, w, np.nan))
    filled = axes.contourf(
        across,
        z,
        w,
        levels=levels,
        cmap=style.VERTICAL,
        extend="both",
        norm=style.BoundaryNorm(levels, style.VERTICAL.N, extend="both"),
    )
    _section_lines(axes, across, z, theta, np.arange(200.0, 600.0, 4.0), style.INK, 0.6, "%d", every=3)
    _section_lines(axes, across, z, speed, np.arange(40.0, 300.0, 20.0), "#1c6d8c", 1.3, "%d kt", dashes=(5, 2))
    axes.fill_between(x, scene.terrain[j] / 1000.0, color=style.GROUND, zorder=5, linewidth=0)
    axes.plot(x, scene.terrain[j] / 1000.0, color=style.INK, linewidth=0.9, zorder=6)
    axes.set_xlim(x[0], x[-1])
    axes.set_ylim(0, top)
    axes.set_ylabel("height (km)", fontsize=8, color=style.QUIET, labelpad=2)
    _section_ticks(scene, axes, x)
    for place, name, side in ((0.004, "A", "left"), (0.996, "B", "right")):
        axes.text(
            place, 0.975, name, transform=axes.transAxes, ha=side, va="top", fontsize=9, fontweight="bold", zorder=9
        )
    return filled


def _section_lines(
    axes: Any,
    x: Array,
    z: Array,
    values: Array,
    levels: Array,
    colour: str,
    width: float,
    label: str,
    every: int = 1,
    dashes: tuple[int, ...] = (),
) -> None:
    levels = levels[(levels > values.min()) & (levels < values.max())]
    if levels.size:
        lines = axes.contour(x, z, values, levels=levels, colors=colour, linewidths=width, linestyles=[(0, dashes)])
        axes.clabel(lines, lines.levels[::every], fmt=label, fontsize=6.8, inline_spacing=1)


def _section_ticks(scene: Scene, axes: Any, x: Array) -> None:
    """Longitudes where the section crosses them."""
    longitude = about(scene.grid.projection.central_longitude, scene.grid.positions()[1][scene.row])
    step = style.round_step(float(np.ptp(longitude)) / 6)
    values = style.multiples(longitude.min(), longitude.max(), step)
    axes.set_xticks(np.interp(values, longitude, x), [style.degrees(value, "EW") for value in values])


def _section_title(scene: Scene) -> str:
    latitude = scene.grid.positions()[0][scene.row]
    return f"Cross section A to B at {style.degrees(round(float(np.median(latitude)), 1), 'NS')}"


# --- pictures -----------------------------------------------------------------------------------


def surface(scene: Scene) -> tuple[Any, int]:
    return style.single(
        lambda axes: surface_panel(scene, axes, scene.time, 24),
        "Temperature and wind near the ground, sea-level pressure",
        scene.when(),
        "temperature (°C);  contours: sea-level pressure (hPa);  barbs: knots",
    )


def height850(scene: Scene) -> tuple[Any, int]:
    return style.single(
        lambda axes: low_height_panel(scene, axes, 85000.0, 22),
        "850 hPa height, temperature and wind",
        scene.when(),
        "temperature (°C);  contours: height (dam);  barbs: knots;  plain: below ground",
    )


def height500(scene: Scene) -> tuple[Any, int]:
    return style.single(
        lambda axes: height_panel(scene, axes, 50000.0, 3.0, 22),
        "500 hPa height and wind",
        scene.when(),
        "wind speed (knots);  contours: height (dam)",
    )


def vertical_velocity(scene: Scene) -> tuple[Any, int]:
    return style.single(
        lambda axes: wave_panel(scene, axes),
        f"Vertical wind at {scene.wave_height / 1000:g} km",
        scene.when(),
        "vertical wind (m/s);  relief: terrain;  A to B: cross section",
    )


def section(scene: Scene) -> tuple[Any, int]:
    figure = plt.figure(figsize=(12, 6))
    axes = figure.add_axes((0.05, 0.155, 0.935, 0.775))
    filled = section_panel(scene, axes)
    style.title(axes, _section_title(scene), scene.when())
    style.colour_bar(
        figure,
        filled,
        figure.add_axes((0.2, 0.075, 0.6, 0.02)),
        "vertical wind (m/s);  thin: potential temperature (K);  dashed: wind speed (knots)",
    )
    return figure, 100


def initial_final(scene: Scene) -> tuple[Any, int]:
    figure = plt.figure(figsize=(15, 8.1))
    for left, time, name in ((0.03, 0, "Start"), (0.52, scene.time, "Forecast")):
        axes = figure.add_axes((left, 0.11, 0.465, 0.85))
        filled = surface_panel(scene, axes, time, 20)
        style.title(axes, name, scene.when(time))
    style.colour_bar(
        figure,
        filled,
        figure.add_axes((0.25, 0.06, 0.5, 0.014)),
        "temperature near the ground (°C);  contours: sea-level pressure (hPa);  barbs: knots",
    )
    return figure, 100


def overview(scene: Scene) -> tuple[Any, int]:
    """The picture of the README's first screen: 1600 x 1000."""
    figure = plt.figure(figsize=(16, 10))
    grid = scene.grid
    figure.text(0.022, 0.962, "Regional weather forecast", fontsize=19, fontweight="bold", va="center")
    figure.text(0.978, 0.962, f"valid {scene.when()}", fontsize=14, ha="right", va="center")
    figure.text(
        0.022,
        0.929,
        f"nearfar-weather, {grid.nx} × {grid.ny} columns of {grid.dx / 1000:g} km, "
        f"{scene.forecast.height.shape[0]} levels; started {scene.forecast.times[0]:%d %b %Y %H} UTC "
        "from real data",
        fontsize=10,
        color=style.QUIET,
        va="center",
    )
    big = figure.add_axes((0.03, 0.085, 0.505, 0.808))
    filled = surface_panel(scene, big, scene.time, 20)
    style.title(big, "Temperature and wind near the ground, sea-level pressure")
    style.colour_bar(
        figure,
        filled,
        figure.add_axes((0.075, 0.045, 0.41, 0.011)),
        "temperature (°C);  contours: pressure (hPa);  barbs: knots",
    )
    _overview_right(scene, figure)
    return figure, 100


def _overview_right(scene: Scene, figure: Any) -> None:
    """Rain, or the vertical wind of a forecast without rain; 500 hPa; the cross section."""
    first, second = figure.add_axes((0.565, 0.563, 0.205, 0.33)), figure.add_axes((0.784, 0.563, 0.205, 0.33))
    bars = figure.add_axes((0.575, 0.532, 0.185, 0.009)), figure.add_axes((0.794, 0.532, 0.185, 0.009))
    if scene.forecast.has("rain"):
        filled = precipitation.rain_panel(scene, first, label=False)
        section_line(scene, first)
        style.title(first, f"Rain in {scene.forecast.lead(scene.time):.3g} hours")
        style.colour_bar(figure, filled, bars[0], "rain (mm)", precipitation.AMOUNTS[::2])
    else:
        filled = wave_panel(scene, first, label=False)
        style.title(first, f"Vertical wind at {scene.wave_height / 1000:g} km")
        style.colour_bar(figure, filled, bars[0], "vertical wind (m/s)")
    filled = height_panel(scene, second, 50000.0, 6.0, 11, label=False)
    style.title(second, "500 hPa height (dam) and wind")
    style.colour_bar(figure, filled, bars[1], "wind speed (knots)")
    cut = figure.add_axes((0.572, 0.105, 0.417, 0.34))
    filled = section_panel(scene, cut)
    style.title(cut, _section_title(scene))
    style.colour_bar(
        figure,
        filled,
        figure.add_axes((0.62, 0.045, 0.32, 0.011)),
        "vertical wind (m/s);  thin: potential temperature (K);  dashed: wind speed",
    )


def possible(forecast: Forecast) -> list[str]:
    """Names of the pictures for which the file has the fields."""
    return [name for name in ALL if name != "rain" or forecast.has("rain")]


ALL: dict[str, Callable[[Scene], tuple[Any, int]]] = {
    "forecast": overview,
    "surface": surface,
    "rain": precipitation.rain,
    "height850": height850,
    "height500": height500,
    "vertical-velocity": vertical_velocity,
    "section": section,
    "initial-final": initial_final,
}
