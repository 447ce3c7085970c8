#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a run of nearfar-turbulence: dissipation over the reference, spectra, the vorticity's magnitude.

    pictures.py NAME [--output FOLDER] [--no-reference] [--isosurface] [--film]

NAME  as in NAME.series, NAME.spectra and NAME.000004.vtkhdf; the last two may be missing

turbulence.png  what there is of these, beside each other
isosurface.png  with --isosurface: where the vorticity of the last snapshot is larger than in 97 % of the box
turbulence.gif  with --film: that slice and that surface in all snapshots
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

from isosurface import shades  # noqa: E402

HERE = Path(__file__).resolve().parent
LOOK_FILE = HERE.parents[1] / "pictures.mplstyle"
REFERENCE = HERE.parent / "data" / "tgv_re1600_spectral512.txt"
OURS, THEIRS, QUIET = "#b5302a", "#1b1f27", "#8a8f98"


class InputError(Exception):
    """A file that is not there or not what it should be; the message names it."""


def read_table(path: Path, least: tuple[str, ...]) -> dict[str, Any]:
    """Columns by the names of the first line. Raises InputError."""
    try:
        lines = path.read_text().splitlines()
        names = lines[0].lstrip("# ").split() if lines else []
        rows = np.array([[float(word) for word in line.split()] for line in lines if line and not line.startswith("#")])
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error
    missing = [name for name in least if name not in names]
    if missing or rows.ndim != 2 or rows.shape[1] != len(names):
        raise InputError(f"{path} is no table with the columns {', '.join(least)}")
    return dict(zip(names, rows.T))


def snapshots(name: Path) -> list[Path]:
    return sorted(name.parent.glob(f"{name.name}.[0-9]*.vtkhdf"))


def read_vorticity(path: Path) -> Any:
    """The vorticity's magnitude, z, y, x. Raises InputError."""
    import h5py  # only those who have snapshots need it

    try:
        with h5py.File(path, "r") as file:
            return np.squeeze(np.asarray(file["VTKHDF/PointData/vorticity"]))
    except (OSError, KeyError) as error:
        raise InputError(f"{path}: {error}") from error


def draw_dissipation(axes: Any, series: dict[str, Any], reference: Path | None) -> None:
    if reference is not None:
        theirs = np.loadtxt(reference, comments="#")
        axes.plot(theirs[:, 0], theirs[:, 2], color=THEIRS, linewidth=1, label="512³ spectral reference, Re = 1600")
    axes.plot(series["time"], series["dissipation"], color=OURS, linewidth=1.6, label="this run")
    axes.set_title("Dissipation of energy")
    axes.set_xlabel("time")
    axes.set_xlim(0, float(series["time"][-1]))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=7.5)


def draw_spectra(axes: Any, spectra: dict[str, Any]) -> None:
    times = np.unique(spectra["time"])
    times = times[times > 0][:: max(1, len(times) // 6)]
    for n, time in enumerate(times):
        rows = (spectra["time"] == time) & (spectra["k"] > 0) & (spectra["energy"] > 1e-14)
        axes.loglog(
            spectra["k"][rows],
            spectra["energy"][rows],
            color=plt.get_cmap("viridis")(n / max(1, len(times))),
            label=f"t = {time:.3g}",
        )
    k = np.array([3.0, 20.0])
    axes.loglog(k, 0.05 * k ** (-5 / 3), color=QUIET, linestyle="--", linewidth=0.8)
    axes.text(13, 0.02, "$k^{-5/3}$", color=QUIET)
    axes.set_title("Energy per shell of wave numbers")
    axes.set_xlabel("k")
    axes.set_ylim(bottom=1e-10)
    axes.legend(frameon=False, fontsize=7)


def draw_slice(axes: Any, values: Any) -> None:
    image = axes.imshow(values, origin="lower", cmap="inferno", extent=(0, 2, 0, 2), interpolation="bilinear")
    axes.set_title("Vorticity at x = 0, last snapshot")
    axes.set_xlabel("y / half the box")
    axes.set_ylabel("z / half the box")
    axes.figure.colorbar(image, ax=axes, shrink=0.85)


def draw(name: Path, output: Path, reference: Path | None) -> Path:
    series = read_table(name.with_name(name.name + ".series"), ("time", "dissipation"))
    spectra = name.with_name(name.name + ".spectra")
    films = snapshots(name)
    panels = [lambda axes: draw_dissipation(axes, series, reference)]
    if spectra.exists():
        table = read_table(spectra, ("time", "k", "energy"))
        panels.append(lambda axes: draw_spectra(axes, table))
    if films:
        values = read_vorticity(films[-1])[..., 0]
        panels.append(lambda axes: draw_slice(axes, values))
    with plt.style.context(LOOK_FILE):
        figure, all_axes = plt.subplots(
            1, len(panels), figsize=(4.3 * len(panels), 3.6), constrained_layout=True, squeeze=False
        )
        for axes, panel in zip(all_axes[0], panels):
            panel(axes)
        path = output / "turbulence.png"
        figure.savefig(path, dpi=120)
        plt.close(figure)
    return path


def draw_surface(axes: Any, values: Any) -> None:
    level = float(np.quantile(values, 0.97))
    colours = plt.get_cmap("copper").with_extremes(bad=(1, 1, 1, 0))
    axes.imshow(shades(values, level, 360), cmap=colours, vmin=0, vmax=1)
    axes.set_axis_off()


def draw_isosurface(name: Path, output: Path) -> Path:
    with plt.style.context(LOOK_FILE):
        figure, axes = plt.subplots(figsize=(4.6, 4.6), constrained_layout=True)
        draw_surface(axes, read_vorticity(snapshots_of(name)[-1]))
        path = output / "isosurface.png"
        figure.savefig(path, dpi=120)
        plt.close(figure)
    return path


def snapshots_of(name: Path) -> list[Path]:
    found = snapshots(name)
    if not found:
        raise InputError(f"there are no snapshots {name}.*.vtkhdf: the run needs snapshots.path = '{name.name}'")
    return found


def draw_film(name: Path, output: Path) -> Path:
    from PIL import Image

    images = []
    with plt.style.context(LOOK_FILE):
        for snapshot in snapshots_of(name):
            values = read_vorticity(snapshot)
            figure, both = plt.subplots(1, 2, figsize=(7.6, 3.8), constrained_layout=True)
            both[0].imshow(values[..., 0], origin="lower", cmap="inferno", interpolation="bilinear")
            both[0].set_axis_off()
            draw_surface(both[1], values)
            figure.canvas.draw()
            images.append(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3]).quantize(96))
            plt.close(figure)
    path = output / "turbulence.gif"
    images[0].save(path, save_all=True, append_images=images[1:], duration=120, loop=0)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", type=Path)
    parser.add_argument("--output", type=Path, default=Path("."))
    parser.add_argument("--no-reference", action="store_true", help="for other flows than the Taylor-Green vortex")
    parser.add_argument("--isosurface", action="store_true")
    parser.add_argument("--film", action="store_true", help="of runs with many snapshots: snapshots.interval")
    given = parser.parse_args()
    try:
        given.output.mkdir(parents=True, exist_ok=True)
        print(draw(given.name, given.output, None if given.no_reference else REFERENCE))
        if given.isosurface:
            print(draw_isosurface(given.name, given.output))
        if given.film:
            print(draw_film(given.name, given.output))
    except InputError as error:
        print(f"pictures.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
