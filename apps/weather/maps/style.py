# SPDX-License-Identifier: BSD-3-Clause
"""The look of the maps: colours that colour-blind readers can tell apart, relief, outlines, graticule, barbs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import BoundaryNorm, Colormap, LightSource, LinearSegmentedColormap
from matplotlib.patheffects import withStroke

import outlines
from interpolate import bicubic
from lambert import Array, Grid, about
from problem import InputError

LOOK_FILE = Path(__file__).resolve().parents[2] / "pictures.mplstyle"
LOOK = matplotlib.rc_params_from_file(str(LOOK_FILE), use_default_template=False)
INK, QUIET = LOOK["text.color"], LOOK["xtick.color"]
GROUND = "#6b5d4f"
LAKES = "#3c6585"
KNOTS = 3600.0 / 1852.0
FINE = 8  # image points per grid cell along each axis

# Diverging from blue over a pale grey-green to red, and from violet to orange: both keep their
# order of lightness for readers who confuse red and green.
TEMPERATURE = LinearSegmentedColormap.from_list(
    "temperature",
    ["#1d2f6f", "#2f5fa8", "#5b97cc", "#9cc8e2", "#d9ebf0", "#fbf6dc", "#fbd99b", "#f3a868", "#dc6c46", "#a8332f"],
)
VERTICAL = LinearSegmentedColormap.from_list(
    "vertical", ["#3b1a66", "#6a4ea3", "#a69bcb", "#dcd9ea", "#f7f6f4", "#f9e0bd", "#f2ae62", "#cf6f16", "#7a3606"]
)
SPEED = LinearSegmentedColormap.from_list(
    "speed", ["#ffffff", "#e3eef4", "#bcdbe6", "#86bfd3", "#4b9bbb", "#26739d", "#1c4d7c", "#152a55"]
)
# From pale green to violet: lightness falls with the amount.
RAIN = LinearSegmentedColormap.from_list(
    "rain", ["#dcefd8", "#a9dcc0", "#6cc1b8", "#3a9bb8", "#2b6fae", "#31479b", "#542f8c", "#7a2a80", "#a2306b"]
)


def use() -> None:
    plt.rcParams.update(LOOK)


class MapPanel:
    """Axes over the model's map plane, in kilometres."""

    def __init__(self, axes: Any, grid: Grid, terrain: Array, lines: dict[str, list[Array]]) -> None:
        self.axes, self.grid, self.terrain, self.lines = axes, grid, terrain, lines
        self.x, self.y = grid.x / 1000.0, grid.y / 1000.0
        self.extent = (self.x[0], self.x[-1], self.y[0], self.y[-1])
        axes.set_aspect("equal")
        axes.set_xlim(*self.extent[:2])
        axes.set_ylim(*self.extent[2:])

    def refined(self, field: Array) -> Array:
        """The field on FINE x FINE points in each cell, for smooth edges between colours."""
        j = np.linspace(0, self.grid.ny - 1, self.grid.ny * FINE // 2)
        i = np.linspace(0, self.grid.nx - 1, self.grid.nx * FINE // 2)
        return bicubic(field, *np.meshgrid(i, j))

    def shade(self, field: Array, levels: Array, colours: Colormap, relief: float = 0.0, extend: str = "both") -> Any:
        """Colours between levels, darkened and lightened by the relief of the terrain."""
        filled = self.fill(self.refined(field), levels, colours, extend)
        if relief > 0:
            self.relief(relief)
        return filled

    def fill(self, fine: Array, levels: Array, colours: Colormap, extend: str = "both") -> Any:
        """Colours between levels for values on the fine points of `refined`."""
        return self.axes.contourf(
            *self._fine_axes(),
            fine,
            levels=levels,
            cmap=colours,
            norm=BoundaryNorm(levels, colours.N, extend=extend),
            extend=extend,
            zorder=1,
        )

    def _fine_axes(self) -> tuple[Array, Array]:
        return (
            np.linspace(self.x[0], self.x[-1], self.grid.nx * FINE // 2),
            np.linspace(self.y[0], self.y[-1], self.grid.ny * FINE // 2),
        )

    def relief(self, strength: float, below: bool = False) -> None:
        """Light from the north-west on the terrain, over the colours or below them."""
        fine = self.refined(self.terrain)
        step = self.grid.dx / (FINE / 2)
        light = LightSource(azdeg=315, altdeg=45).hillshade(fine, vert_exag=25, dx=step, dy=-step)
        flat = np.sin(np.radians(45))
        darker = light < flat
        alpha = np.where(darker, (flat - light) / flat * 0.85, (light - flat) / (1 - flat) * 0.75) * strength
        image = np.zeros((*light.shape, 4))
        image[..., :3] = np.where(darker[..., None], (0.13, 0.11, 0.12), 1.0)
        image[..., 3] = np.clip(alpha, 0, 0.9)
        self.axes.imshow(
            image, origin="lower", extent=self.extent, zorder=0.5 if below else 2, interpolation="bilinear"
        )

    def contours(
        self,
        field: Array,
        levels: Array,
        colour: str = INK,
        width: float = 1.0,
        label: str = "",
        size: float = 7.5,
        halo: bool = True,
    ) -> None:
        levels = levels[(levels >= np.nanmin(field)) & (levels <= np.nanmax(field))]
        if levels.size == 0:
            return
        lines = self.axes.contour(
            *self._fine_axes(), self.refined(field), levels=levels, colors=colour, linewidths=width, zorder=5
        )
        if label:
            for text in self.axes.clabel(lines, fmt=label, fontsize=size, inline=True, inline_spacing=2):
                text.set_fontweight("bold")
                if halo:
                    text.set_path_effects([withStroke(linewidth=2, foreground="white")])

    def barbs(self, u: Array, v: Array, across: int, length: float = 5.5, colour: str = INK) -> None:
        """About `across` barbs along the longer side, knots."""
        every = max(1, round(max(self.grid.nx, self.grid.ny) / across))
        part = (slice(every // 2, None, every), slice(every // 2, None, every))
        barbs = self.axes.barbs(
            self.x[part[1]],
            self.y[part[0]],
            u[part] * KNOTS,
            v[part] * KNOTS,
            length=length,
            linewidth=0.65,
            color=colour,
            zorder=6,
            sizes={"emptybarb": 0.08, "spacing": 0.14},
            flip_barb=self.grid.projection.origin_latitude < 0,
        )
        barbs.set_path_effects([withStroke(linewidth=1.8, foreground=(1, 1, 1, 0.75))])

    def geography(self, colour: str = INK, label: bool = True) -> None:
        styles = {
            outlines.SHORE: (1.0, colour),
            outlines.LAKE: (0.6, LAKES),
            outlines.NATION: (1.0, colour),
            outlines.STATE: (0.5, colour),
        }
        for kind, (width, ink) in styles.items():
            lines = [points / 1000.0 for points in self.lines[kind]]
            self.axes.add_collection(LineCollection(lines, colors=ink, linewidths=width, zorder=4, capstyle="round"))
        self._graticule(label)

    def _graticule(self, label: bool) -> None:
        latitude, longitude = self.grid.positions()
        longitude = about(self.grid.projection.central_longitude, longitude)
        step = round_step(max(float(np.ptp(latitude)), 0.01) / 3.2)
        axes = self.axes
        ticks: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])
        south_north = np.linspace(latitude.min() - 3 * step, latitude.max() + 3 * step, 200)
        west_east = np.linspace(longitude.min() - 3 * step, longitude.max() + 3 * step, 200)
        for value in multiples(west_east[0], west_east[-1], step):
            x, y = (c / 1000.0 for c in self.grid.projection.forward(np.clip(south_north, -89, 89), value))
            axes.plot(x, y, color=QUIET, linewidth=0.45, linestyle=(0, (2, 3)), zorder=3.5)
            ticks[0].append((float(np.interp(self.extent[2], y, x)), degrees(value, "EW")))
        for value in multiples(south_north[0], south_north[-1], step):
            x, y = (c / 1000.0 for c in self.grid.projection.forward(value, west_east))
            axes.plot(x, y, color=QUIET, linewidth=0.45, linestyle=(0, (2, 3)), zorder=3.5)
            ticks[1].append((float(np.interp(self.extent[0], x, y)), degrees(value, "NS")))
        inside = [[t for t in ticks[a] if self.extent[2 * a] <= t[0] <= self.extent[2 * a + 1]] for a in (0, 1)]
        for axis, marks in zip((axes.xaxis, axes.yaxis), inside, strict=True):
            axis.set_ticks([t[0] for t in marks], [t[1] if label else "" for t in marks])
        axes.set_xlim(*self.extent[:2])
        axes.set_ylim(*self.extent[2:])


def round_step(step: float) -> float:
    return float(min((0.1, 0.2, 0.5, 1, 2, 5, 10, 20), key=lambda choice: abs(np.log(choice / step))))


def multiples(low: float, high: float, step: float) -> Array:
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step


def degrees(value: float, letters: str) -> str:
    value = value if letters == "NS" else (value + 180) % 360 - 180
    return f"{abs(value):g}°{letters[0] if value > 0 else letters[1] if value < 0 else ''}"


def colour_bar(figure: Any, filled: Any, axes: Any, label: str, ticks: Array | None = None) -> None:
    """A slim bar in its own axes, the label in line with the panel's titles."""
    horizontal = axes.get_position().width > axes.get_position().height
    bar = figure.colorbar(filled, cax=axes, orientation="horizontal" if horizontal else "vertical", ticks=ticks,
                          format="%g")  # fmt: skip
    bar.outline.set_linewidth(0.6)
    bar.ax.tick_params(length=2, width=0.6, labelsize=7.5)
    bar.set_label(label, fontsize=8, color=QUIET)


def save(figure: Any, path: Path, dpi: int = 100, most_bytes: int | None = None) -> None:
    """Write FILE.part, reduce it to 256 colours if it is larger than `most_bytes`, and rename it."""
    from PIL import Image

    part = path.with_name(path.name + ".part")
    try:
        figure.savefig(part, dpi=dpi, format="png")
        if most_bytes is not None and part.stat().st_size > most_bytes:
            with Image.open(part) as image:
                small = image.convert("RGB").quantize(256, kmeans=1, dither=Image.Dither.NONE)
            small.save(part, format="png", optimize=True)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error})") from error
    finally:
        plt.close(figure)


def title(axes: Any, left: str, right: str = "") -> None:
    axes.set_title(left, loc="left", fontsize=10, fontweight="bold", pad=5)
    if right:
        axes.set_title(right, loc="right", fontsize=8.5, fontweight="normal", color=QUIET, pad=5)


def single(draw: Callable[..., Any], left: str, right: str, label: str, ticks: Array | None = None) -> tuple[Any, int]:
    """A picture of one map with its colour bar, and its resolution."""
    figure = plt.figure(figsize=(9, 8.9))
    axes = figure.add_axes((0.05, 0.105, 0.92, 0.85))
    filled = draw(axes)
    title(axes, left, right)
    colour_bar(figure, filled, figure.add_axes((0.15, 0.055, 0.72, 0.014)), label, ticks)
    return figure, 110
