#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a run of nearfar-turbulence: dissipation over the reference, spectra, the vorticity's magnitude.

    pictures.py NAME [--output FOLDER] [--no-reference]

NAME  as in NAME.series, NAME.spectra and NAME.000004.vtkhdf; the last two may be missing

turbulence.png  what there is of these, beside each other
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


def last_snapshot(name: Path) -> Path | None:
    found = sorted(name.parent.glob(f"{name.name}.[0-9]*.vtkhdf"))
    return found[-1] if found else None


def read_slice(path: Path) -> Any:
    """The vorticity's magnitude in the plane x = 0, z upwards. Raises InputError."""
    import h5py  # only those who have snapshots need it

    try:
        with h5py.File(path, "r") as file:
            values = np.asarray(file["VTKHDF/PointData/vorticity"])
    except (OSError, KeyError) as error:
        raise InputError(f"{path}: {error}") from error
    return values[..., 0]


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
    snapshot = last_snapshot(name)
    panels = [lambda axes: draw_dissipation(axes, series, reference)]
    if spectra.exists():
        table = read_table(spectra, ("time", "k", "energy"))
        panels.append(lambda axes: draw_spectra(axes, table))
    if snapshot is not None:
        values = read_slice(snapshot)
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", type=Path)
    parser.add_argument("--output", type=Path, default=Path("."))
    parser.add_argument("--no-reference", action="store_true", help="for other flows than the Taylor-Green vortex")
    given = parser.parse_args()
    try:
        given.output.mkdir(parents=True, exist_ok=True)
        print(draw(given.name, given.output, None if given.no_reference else REFERENCE))
    except InputError as error:
        print(f"pictures.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
