#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a shot of nearfar-seismic: waves over the ground that they go through, what receivers record, a film.

    pictures.py SNAPSHOTS.p.rsf MODEL GATHER.sgy [--output FOLDER]

SNAPSHOTS  the header of a series of snapshots; the vertical slice through the source is drawn
MODEL      what --write-model named: MODEL_vp.rsf and its like are read
GATHER     the shot gather, SEG-Y

seismic.png  the ground, waves at four times, the gather
gather.png   the gather alone, larger
seismic.gif  the whole way
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap  # noqa: E402

from rsf import Array, Gather, InputError, Volume, command, finite, read_rsf, read_segy  # noqa: E402

LOOK_FILE = Path(__file__).resolve().parents[2] / "pictures.mplstyle"
LOOK = matplotlib.rc_params_from_file(str(LOOK_FILE), use_default_template=False)
INK, QUIET = LOOK["text.color"], LOOK["xtick.color"]
GROUND = LinearSegmentedColormap.from_list("ground", ["#fcfbf9", "#e6e3dc", "#cbc8c1", "#aeaca7", "#8e8f93"])
ROCKS = LinearSegmentedColormap.from_list("rocks", ["#f7f1de", "#e6d3a3", "#cfa96c", "#a3704b", "#5d4037"])
WAVES = LinearSegmentedColormap.from_list("waves", ["#0b3c6f", "#2f7fc1", "#ffffff", "#e2572b", "#7d1020"])
TRACES = LinearSegmentedColormap.from_list("traces", ["#1b1f27", "#8a8f98", "#ffffff", "#d8703f", "#7d1020"])
SOURCE, RECEIVERS = "#e8a400", "#1b1f27"


@dataclass
class Ground:
    """The slice of the ground: vp, and the axes of symmetry where the medium has them. Kilometres."""

    vp: Array
    along_x: Array  # components of the axis in the slice
    along_z: Array
    is_tilted: Array
    x: Array
    z: Array

    @property
    def extent(self) -> tuple[float, float, float, float]:
        half = (self.x[1] - self.x[0]) / 2, (self.z[1] - self.z[0]) / 2
        return self.x[0] - half[0], self.x[-1] + half[0], self.z[-1] + half[1], self.z[0] - half[1]


def slice_at(v: Volume, y: float) -> Array:
    """The nearest plane across y, of the last three dimensions."""
    return v.values[..., int(np.argmin(np.abs(v.axes[-2] - y))), :]


def ground_of(model: str, y: float) -> Ground:
    vp = read_rsf(Path(f"{model}_vp.rsf"))
    if vp.values.ndim != 3 or min(vp.values.shape[0], vp.values.shape[2]) < 2:
        raise InputError(f"{model}_vp.rsf has the shape {vp.values.shape}; 3 dimensions, 2 points in x, z are needed")
    if not 1 <= float(np.min(vp.values)) <= float(np.max(vp.values)) <= 20000:
        raise InputError(f"{model}_vp.rsf: {np.min(vp.values)} to {np.max(vp.values)} m/s; allowed are 1 to 20000 m/s")

    def other(name: str) -> Array:
        path = Path(f"{model}_{name}.rsf")
        if not path.exists():
            return np.zeros_like(slice_at(vp, y))
        volume = read_rsf(path)
        if volume.values.shape != vp.values.shape:
            raise InputError(f"{path} has the shape {volume.values.shape}, {model}_vp.rsf has {vp.values.shape}")
        return np.array(finite(path, slice_at(volume, y)))

    tilt, azimuth = np.radians(other("tilt")), np.radians(other("azimuth"))
    return Ground(
        np.array(slice_at(vp, y)),
        np.sin(tilt) * np.cos(azimuth),
        np.cos(tilt),
        (other("epsilon") != 0) | (other("delta") != 0),
        vp.axes[2] / 1000,
        vp.axes[0] / 1000,
    )


# ---- one panel ----


def prepare(axes: Any, g: Ground) -> None:
    left, right, bottom, top = g.extent
    axes.set_aspect("equal")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.locator_params(nbins=6)


def draw_ground(axes: Any, g: Ground, colours: Any = GROUND) -> Any:
    prepare(axes, g)
    return axes.imshow(g.vp / 1000, cmap=colours, extent=g.extent, interpolation="nearest", zorder=0)


def draw_axes_of_symmetry(axes: Any, g: Ground, colour: str = "#3b3f47", apart: int = 22) -> None:
    """Short strokes along the axis, as long as it lies in the slice."""
    rows = np.linspace(0, len(g.z) - 1, max(2, int(len(g.z) / len(g.x) * apart)) + 2)[1:-1].round().astype(int)
    columns = np.linspace(0, len(g.x) - 1, apart + 2)[1:-1].round().astype(int)
    k, i = (n.ravel() for n in np.meshgrid(rows, columns, indexing="ij"))
    k, i = k[g.is_tilted[k, i]], i[g.is_tilted[k, i]]
    half = 0.3 * (g.x[-1] - g.x[0]) / apart
    middle = np.stack([g.x[i], g.z[k]], 1)
    stroke = half * np.stack([g.along_x[k, i], g.along_z[k, i]], 1)
    axes.add_collection(
        LineCollection(np.stack([middle - stroke, middle + stroke], 1), colors=colour, linewidths=0.7, zorder=1)
    )


def draw_waves(axes: Any, g: Ground, p: Array, scale: float) -> None:
    """Colour by sign and size, the more opaque the larger."""
    share = np.clip(p / scale, -1, 1)
    image = WAVES(0.5 + 0.5 * share)
    image[..., 3] = np.abs(share) ** 0.6
    axes.imshow(image, extent=g.extent, interpolation="bilinear", zorder=2)


def draw_shot(axes: Any, shot: Gather) -> None:
    some = shot.receivers[:: max(1, len(shot.receivers) // 40)] / 1000
    axes.plot(some[:, 0], some[:, 2], "v", color=RECEIVERS, markersize=2.2, zorder=4, clip_on=False)
    axes.plot(
        *(shot.source[[0, 2]] / 1000),
        "*",
        color=SOURCE,
        markeredgecolor=INK,
        markersize=9,
        markeredgewidth=0.6,
        zorder=5,
    )


def gained(shot: Gather, power: float = 2.0) -> tuple[Array, float]:
    """Traces times a power of time, and where they are clipped."""
    time = shot.interval_s * np.arange(shot.values.shape[1])
    values = shot.values * time**power
    late = values[:, values.shape[1] // 4 :]
    return values, max(float(np.percentile(np.abs(late), 92)), 1e-30)


def draw_gather(axes: Any, shot: Gather) -> None:
    values, clip = gained(shot)
    x, end = shot.receivers[:, 0] / 1000, shot.interval_s * (values.shape[1] - 1)
    half = (x[-1] - x[0]) / max(2 * (len(x) - 1), 1)
    extent = (x[0] - half, x[-1] + half, end, 0)
    axes.imshow(
        np.clip(values, -clip, clip).T,
        cmap=TRACES,
        vmin=-clip,
        vmax=clip,
        extent=extent,
        aspect="auto",
        interpolation="bilinear",
    )
    axes.locator_params(nbins=5)


def scales_of(times: Array, slices: Array) -> Array:
    """What is drawn in full colour at each time: most of the waves are seen and not their strongest place alone, and
    what is faint beside a
    wave that has spread as a sphere since it was strongest stays faint."""
    strong = np.array([max(np.percentile(np.abs(p), 99.3), 0.02 * np.abs(p).max()) for p in slices])
    at = np.maximum(times - times[0], 1e-9)
    begin = len(slices) // 5
    return np.maximum(np.maximum(strong, 0.7 * strong[begin] * at[begin] / np.maximum(at, at[begin])), 1e-30)


# ---- pictures ----


def save(figure: Any, path: Path) -> None:
    """With a palette: a third of the size, and no difference that the eye sees."""
    from PIL import Image

    figure.set_dpi(110)
    figure.canvas.draw()
    Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3]).quantize(256, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    plt.close(figure)


def overview(waves: Volume, slices: Array, g: Ground, shot: Gather, path: Path) -> None:
    figure, panels = plt.subplots(2, 3, figsize=(12, 5.6))
    figure.subplots_adjust(left=0.04, right=0.99, bottom=0.075, top=0.94, wspace=0.13, hspace=0.26)
    first = panels[0, 0]
    image = draw_ground(first, g, ROCKS)
    draw_axes_of_symmetry(first, g)
    draw_shot(first, shot)
    first.set_title("Ground: vp and axes of symmetry")
    bar = figure.colorbar(image, cax=first.inset_axes([0.74, 0.115, 0.22, 0.045]), orientation="horizontal")
    bar.outline.set_linewidth(0.5)
    bar.ax.set_title("km/s", fontsize=7.5, fontweight="normal", loc="center", pad=2)
    bar.ax.tick_params(labelsize=7, colors=INK, pad=1)
    bar.set_ticks(np.arange(np.ceil(g.vp.min() / 1000), g.vp.max() / 1000 + 1e-6))
    scales = scales_of(waves.axes[0], slices)
    for axes, n in zip(panels.flat[1:5], shown_times(len(slices))):
        draw_ground(axes, g)
        draw_axes_of_symmetry(axes, g)
        draw_waves(axes, g, slices[n], scales[n])
        draw_shot(axes, shot)
        axes.set_title(f"{waves.axes[0][n]:.2f} s")
    for axes in panels.flat[:5]:
        axes.set_ylabel("depth, km", color=QUIET, fontsize=7.5, labelpad=2)
    last = panels[1, 2]
    draw_gather(last, shot)
    last.set_title("Shot gather, with gain")
    last.set_ylabel("time, s", color=QUIET, fontsize=7.5, labelpad=2)
    for axes in panels[1]:
        axes.set_xlabel("x, km", color=QUIET, fontsize=7.5, labelpad=1)
    save(figure, path)


def shown_times(snapshots: int, count: int = 4) -> list[int]:
    """From when the wave is on its way to when it has left through the sides."""
    return [int(n) for n in (np.linspace(0.25, 0.68, count) * (snapshots - 1)).round()]


def gather(shot: Gather, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(7, 6.5))
    figure.subplots_adjust(left=0.09, right=0.98, bottom=0.08, top=0.94)
    draw_gather(axes, shot)
    axes.set_title(f"Shot at x = {shot.source[0]:.0f} m, {len(shot.receivers)} receivers; clipped, with gain")
    axes.set_xlabel("x, km")
    axes.set_ylabel("time, s")
    save(figure, path)


def film(waves: Volume, slices: Array, g: Ground, shot: Gather, path: Path) -> None:
    from PIL import Image

    figure, axes = plt.subplots(figsize=(6.6, 3.9))
    figure.subplots_adjust(left=0.06, right=0.985, bottom=0.07, top=0.92)
    images = []
    for n, (p, scale) in enumerate(zip(slices, scales_of(waves.axes[0], slices))):
        axes.clear()
        draw_ground(axes, g)
        draw_axes_of_symmetry(axes, g)
        draw_waves(axes, g, p, scale)
        draw_shot(axes, shot)
        axes.set_title(f"{waves.axes[0][n]:.2f} s")
        figure.canvas.draw()
        images.append(
            Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3]).quantize(96, dither=Image.Dither.NONE)
        )
    plt.close(figure)
    images[0].save(path, save_all=True, append_images=images[1:], duration=90, loop=0)


@command("pictures")
def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshots", type=Path)
    parser.add_argument("model")
    parser.add_argument("gather", type=Path)
    parser.add_argument("--output", type=Path, default=Path("."), help="folder for the pictures (this one)")
    options = parser.parse_args(arguments)
    plt.rcParams.update(LOOK)
    waves, shot = read_rsf(options.snapshots), read_segy(options.gather)
    if waves.values.ndim != 4:
        raise InputError(f"{options.snapshots} has {waves.values.ndim} dimensions; a series of snapshots has 4")
    g = ground_of(options.model, shot.source[1])
    slices = finite(options.snapshots, slice_at(waves, shot.source[1]))
    options.output.mkdir(parents=True, exist_ok=True)
    overview(waves, slices, g, shot, options.output / "seismic.png")
    gather(shot, options.output / "gather.png")
    film(waves, slices, g, shot, options.output / "seismic.gif")
    return 0


if __name__ == "__main__":
    sys.exit(main.program())
