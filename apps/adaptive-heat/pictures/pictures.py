#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a run of nearfar-adaptive-heat: slices through the ball with mesh, ranks and temperature.

    pictures.py NAME.vtkhdf [--output FOLDER] [--step N]

heat.png       mesh by level, mesh by rank and temperature at one step (the middle one, or --step)
frames.png     the ball on its way: temperature and mesh at six times
heat.gif       the whole way
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap, Normalize  # noqa: E402
from matplotlib.patches import Circle, Patch, Rectangle  # noqa: E402

from slices import Array, Extent, InputError, Slice, command, files_of, raster, slice_of  # noqa: E402

LOOK_FILE = Path(__file__).resolve().parents[2] / "pictures.mplstyle"
LOOK = matplotlib.rc_params_from_file(str(LOOK_FILE), use_default_template=False)
INK, QUIET = LOOK["text.color"], LOOK["xtick.color"]
HEAT = LinearSegmentedColormap.from_list(
    "heat", ["#f7f5f0", "#fbe3b5", "#f8b86b", "#e8743c", "#b9322f", "#6e1238", "#2a0a2e"]
)
LEVELS = LinearSegmentedColormap.from_list("levels", ["#eef2f5", "#c3d9e6", "#7fb2cf", "#3a7fae", "#1b4d80", "#10284f"])
RANKS = ["#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#edc948", "#b07aa1", "#59a14f", "#9c755f", "#ff9da7", "#bab0ac"]
PIXELS = 768


def use_style() -> None:
    plt.rcParams.update(LOOK)


# ---- one panel ----


def prepare(axes: Any, s: Slice) -> None:
    axes.set_aspect("equal")
    axes.set_xlim(*s.extent[:2])
    axes.set_ylim(*s.extent[2:])
    axes.locator_params(nbins=5)


def squares(s: Slice) -> Array:
    x, y, h = s.corner[:, 0], s.corner[:, 1], s.side
    return np.stack(
        [np.stack([x, y], 1), np.stack([x + h, y], 1), np.stack([x + h, y + h], 1), np.stack([x, y + h], 1)], 1
    )


def draw_mesh(axes: Any, s: Slice, colours: Any, edge: str = "white", width: float = 0.4, **options: Any) -> None:
    prepare(axes, s)
    axes.add_collection(PolyCollection(squares(s), facecolors=colours, edgecolors=edge, linewidths=width, **options))


def draw_ball(axes: Any, s: Slice, colour: str = INK, width: float = 1.4) -> None:
    axes.add_patch(Circle(tuple(s.centre[:2]), s.radius, fill=False, edgecolor=colour, linewidth=width, zorder=5))


def draw_temperature(axes: Any, s: Slice, norm: Normalize, mesh: float = 0.25, window: Extent | None = None) -> Any:
    shown = window or s.extent
    image = axes.imshow(
        raster(s, PIXELS, shown), origin="lower", extent=shown, cmap=HEAT, norm=norm, interpolation="bilinear"
    )
    draw_mesh(axes, s, "none", edge="#40485566", width=mesh, zorder=3)
    draw_ball(axes, s)
    axes.set_xlim(*shown[:2])
    axes.set_ylim(*shown[2:])
    return image


def around_ball(s: Slice) -> Extent:
    """A square around the ball, two of its radii to each side, inside the cube."""
    half = min(2 * s.radius, s.length / 2)
    low = [min(max(s.centre[a] - half, s.origin[a]), s.origin[a] + s.length - 2 * half) for a in range(2)]
    return low[0], low[0] + 2 * half, low[1], low[1] + 2 * half


def frame_of(window: Extent) -> Rectangle:
    x, right, y, top = window
    return Rectangle(
        (x, y), right - x, top - y, fill=False, edgecolor=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=6
    )


def level_colours(s: Slice) -> Any:
    return LEVELS(np.clip((s.level - 1) / max(s.levels - 1, 1), 0, 1))


def warm(slices: list[Slice]) -> Normalize:
    """From nothing to the hottest there is; colder than nothing, which a rough mesh can make of a sharp edge, is
    nothing."""
    most = max(float(np.abs(s.temperature).max()) for s in slices)
    return Normalize(0, most if most > 0 else 1)


# ---- pictures ----


def overview(s: Slice, path: Path) -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4.8))
    figure.subplots_adjust(left=0.03, right=0.985, bottom=0.14, top=0.87, wspace=0.11)
    draw_mesh(left, s, level_colours(s))
    draw_ball(left, s, "#e8743c", 1.8)
    left.set_title("Level of refinement")
    shown = [level for level in range(1, s.levels + 1) if np.any(s.level == level)]
    key(left, [(LEVELS((level - 1) / max(s.levels - 1, 1)), str(level)) for level in shown])
    draw_mesh(middle, s, [RANKS[r % len(RANKS)] for r in s.rank])
    draw_ball(middle, s)
    middle.set_title("Rank")
    if s.rank.max() < len(RANKS):
        key(middle, [(RANKS[r], str(r)) for r in np.unique(s.rank)])
    window = around_ball(s)
    image = draw_temperature(right, s, warm([s]), mesh=0.5, window=window)
    right.set_title("Temperature around the ball")
    for axes in (left, middle):
        axes.add_patch(frame_of(window))
    bar = figure.colorbar(image, cax=right.inset_axes([0.0, -0.12, 1.0, 0.035]), orientation="horizontal")
    bar.outline.set_linewidth(0.5)
    figure.text(0.03, 0.945, f"{s.elements} elements of order 4", fontsize=12, weight="bold")
    figure.text(0.985, 0.945, f"step {s.step}, time {s.time:.4g}, slice z = {s.centre[2]:.3g}", ha="right", color=QUIET)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def key(axes: Any, entries: list[tuple[Any, str]]) -> None:
    axes.legend(
        handles=[Patch(facecolor=colour, edgecolor=QUIET, linewidth=0.4, label=text) for colour, text in entries],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.07),
        ncol=min(len(entries), 10),
        frameon=False,
        handlelength=1.2,
        columnspacing=1.2,
    )


def frames(slices: list[Slice], path: Path) -> None:
    figure, panels = plt.subplots(2, 3, figsize=(11, 7.35), sharex=True, sharey=True)
    figure.subplots_adjust(left=0.03, right=0.915, bottom=0.035, top=0.955, wspace=0.04, hspace=0.1)
    norm = warm(slices)
    for axes, s in zip(panels.flat, slices):
        image = draw_temperature(axes, s, norm)
        axes.set_title(f"step {s.step}, {s.elements} elements")
        axes.locator_params(nbins=6, prune="upper")
    for axes in list(panels.flat)[len(slices) :]:
        axes.axis("off")
    bar = figure.colorbar(image, cax=figure.add_axes((0.935, 0.2, 0.014, 0.6)))
    bar.outline.set_linewidth(0.5)
    bar.ax.set_title("T", fontsize=9)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def animation(slices: list[Slice], path: Path) -> None:
    from PIL import Image

    norm, images = warm(slices), []
    for s in slices:
        figure, axes = plt.subplots(figsize=(5.2, 5.4))
        figure.subplots_adjust(left=0.07, right=0.98, bottom=0.05, top=0.94)
        draw_temperature(axes, s, norm)
        axes.set_title(f"step {s.step}: {s.elements} elements")
        figure.canvas.draw()
        images.append(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3]).quantize(128))
        plt.close(figure)
    images[0].save(path, save_all=True, append_images=images[1:], duration=180, loop=0)


def spread(slices: list[Slice], count: int) -> list[Slice]:
    """So many of them, from the first that is warm to the last."""
    warm_ones = [s for s in slices if np.any(s.temperature)] or slices
    at = np.unique(np.linspace(0, len(warm_ones) - 1, min(count, len(warm_ones))).round().astype(int))
    return [warm_ones[i] for i in at]


def chosen(slices: list[Slice], step: int | None) -> Slice:
    if step is None:
        return slices[len(slices) // 2]
    for s in slices:
        if s.step == step:
            return s
    raise InputError(f"there is no step {step}; the steps are {', '.join(str(s.step) for s in slices)}")


@command("pictures")
def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("series", type=Path, help="what --output named")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder for the pictures (this one)")
    parser.add_argument("--step", type=int, help="of heat.png")
    options = parser.parse_args(arguments)
    use_style()
    slices = [slice_of(file) for file in files_of(options.series)]
    options.output.mkdir(parents=True, exist_ok=True)
    overview(chosen(slices, options.step), options.output / "heat.png")
    frames(spread(slices, 6), options.output / "frames.png")
    animation(slices, options.output / "heat.gif")
    return 0


if __name__ == "__main__":
    sys.exit(main.program())
