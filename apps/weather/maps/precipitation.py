# SPDX-License-Identifier: BSD-3-Clause
"""Maps of the rain that a forecast has collected."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import style
from lambert import Array
from problem import InputError, opened
from terrain import smooth

AMOUNTS = np.array([0.2, 0.5, 1, 2, 4, 6, 10, 15, 20, 30, 50, 75])  # mm, below the first: left blank


def shade(panel: style.MapPanel, amount: Array) -> Any:
    """Colours over the relief of the terrain."""
    panel.axes.set_facecolor("#f4f1ea")
    panel.relief(0.45, below=True)
    # A spline between cells may swing below zero and beyond the peaks; neither is rain.
    fine = np.clip(panel.refined(amount), 0.0, float(amount.max()))
    return panel.fill(fine, AMOUNTS, style.RAIN, extend="max")


def rain_panel(scene: Any, axes: Any, barbs: int = 0, label: bool = True) -> Any:
    """Accumulated rain, sea-level pressure and, if asked, wind near the ground."""
    forecast, panel = scene.forecast, scene.panel(axes)
    filled = shade(panel, forecast.rain(scene.time))
    panel.geography(colour="#4a515c", label=label)
    pressure = smooth(forecast.sea_level_pressure(scene.time) / 100.0, 6)
    step = 4.0 if np.ptp(pressure) > 16 else 2.0
    panel.contours(pressure, np.arange(900.0, 1100.0, step), width=0.9 if label else 0.6, label="%d" if label else "")
    if barbs:
        panel.barbs(*forecast.wind_near_ground(scene.time), barbs)
    return filled


def rain(scene: Any) -> tuple[Any, int]:
    """The picture rain.png."""
    hours = scene.forecast.lead(scene.time)
    return style.single(
        lambda axes: rain_panel(scene, axes, 22),
        f"Rain in {hours:.3g} hours, wind near the ground, sea-level pressure",
        scene.when(),
        "rain (mm);  contours: sea-level pressure (hPa);  barbs: knots",
        ticks=AMOUNTS,
    )


def before(path: Any, shape: tuple[int, int]) -> Array | None:
    """What fell in the hours before the start, of the analysis file that prepare.py wrote, if it has it."""
    with opened(path) as data:
        if "precipitation_before" not in data.variables:
            return None
        values = np.ma.filled(data.variables["precipitation_before"][:].astype(float), np.nan)
    if values.shape != shape:
        raise InputError(
            f"{path}: has {values.shape[1]} x {values.shape[0]} columns, the forecast {shape[1]} x {shape[0]}"
        )
    if not (np.abs(values) < 1e5).all():
        raise InputError(f"{path}: 'precipitation_before' has values that are missing, not finite or above 1e5")
    return values


def comparison(scene: Any, fallen: Array) -> tuple[Any, int]:
    """The picture rain-check.png: the driving model's precipitation before the start beside the forecast's after it."""
    figure = plt.figure(figsize=(15, 8.1))
    hours = scene.forecast.lead(scene.time)
    ours = scene.forecast.rain(scene.time)
    places = ((0.03, fallen, "Before the start: precipitation of the driving model"),
              (0.52, ours, f"Forecast: rain in {hours:.3g} hours"))  # fmt: skip
    for left, amount, title in places:
        axes = figure.add_axes((left, 0.11, 0.465, 0.85))
        panel = scene.panel(axes)
        filled = shade(panel, amount)
        panel.geography(colour="#4a515c")
        axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=5)
        axes.set_title(
            f"mean {amount.mean():.2f} mm, most {amount.max():.1f} mm",
            loc="right", fontsize=8.5, fontweight="normal", color=style.QUIET, pad=5,
        )  # fmt: skip
    style.colour_bar(figure, filled, figure.add_axes((0.25, 0.06, 0.5, 0.014)), "mm", ticks=AMOUNTS)
    return figure, 100
