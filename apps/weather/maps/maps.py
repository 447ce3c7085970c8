#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws weather maps (PNG) from the output of nearfar-weather.

forecast.png           one picture of everything, 1600 x 1000
surface.png            temperature and wind near the ground, sea-level pressure, relief
rain.png               rain since the start, sea-level pressure, wind (if the file has rain)
rain-check.png         the same beside what the driving model had before the start (with --analysis)
meteogram.png          series at stations (if FILE.stations.nc lies beside FILE.nc; meteogram-2.png from the fourth)
height850.png          850 hPa height, temperature and wind
height500.png          500 hPa height and wind
vertical-velocity.png  vertical wind at one height above the sea over relief
section.png            cross section through the strongest waves
initial-final.png      start and end side by side
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

# The projection and the interpolation are those that made the model's start.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "prepare"))

from problem import InputError, check_range, command, need  # noqa: E402


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="NetCDF output of nearfar-weather")
    parser.add_argument("--output", type=Path, default=Path("."), metavar="FOLDER", help="made if missing (.)")
    parser.add_argument("--time", type=int, default=-1, metavar="N", help="which time of the file, from 0 (-1: last)")
    parser.add_argument(
        "--height",
        type=float,
        metavar="M",
        help="of the map of vertical wind, m above the sea (default 3000, higher over high ground)",
    )
    parser.add_argument("--row", type=int, metavar="J", help="row of the cross section, from 0 (strongest waves)")
    parser.add_argument("--analysis", type=Path, metavar="FILE", help="what prepare.py wrote, for rain-check.png")
    parser.add_argument("--stations", type=Path, metavar="FILE", help="series (default: beside the output file)")
    parser.add_argument("--only", default="", metavar="NAME", help="draw one picture only, e.g. forecast")
    return parser.parse_args(words)


@command("maps.py")
def main(words: list[str] | None = None) -> int:
    options = arguments(words)
    need("matplotlib", "python3-matplotlib")
    for path in draw_all(options):
        print(path)
    return 0


def draw_all(options: argparse.Namespace) -> list[Path]:
    import pictures
    from forecast import Forecast

    with Forecast(options.file) as forecast:
        times = len(forecast.times)
        check_range("--time", options.time, -times, times - 1)
        if options.row is not None:
            check_range("--row", options.row, 0, forecast.grid.ny - 1)
        if options.height is not None:
            check_range("--height", options.height, 0, float(forecast.height[-1].min()), " m")
        possible = pictures.possible(forecast)
        others = ("meteogram", "rain-check")
        if options.only and options.only not in (*possible, *others):
            raise InputError(f"--only {options.only}: choose from {', '.join((*possible, *others))}")
        try:
            options.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{options.output}: cannot be made ({error.strerror})") from error
        scene = pictures.Scene(forecast, options.time % times, options.height, options.row)
        names = [name for name in possible if options.only in ("", name)]
        done = [draw(pictures.ALL[name], scene, options.output / f"{name}.png") for name in names]
        if options.only in ("", "rain-check"):
            done += draw_rain_check(options, scene)
        if options.only in ("", "meteogram"):
            done += draw_meteograms(options)
        return done


def draw_rain_check(options: argparse.Namespace, scene: Any) -> list[Path]:
    """With an analysis that has precipitation, and a forecast that has rain."""
    import precipitation

    if options.analysis is None or not scene.forecast.has("rain"):
        return []
    fallen = precipitation.before(options.analysis, scene.terrain.shape)
    if fallen is None:
        return []
    return [draw(lambda drawn: precipitation.comparison(drawn, fallen), scene, options.output / "rain-check.png")]


def draw_meteograms(options: argparse.Namespace) -> list[Path]:
    """One picture for each few stations; none where no series was asked for and none lies beside the output."""
    import stations

    path = options.stations or stations.beside(options.file)
    if not path.exists() and not options.stations and not options.only:
        return []
    series = stations.read(path)
    import meteogram
    import style

    done = []
    for number, page in enumerate(meteogram.pages(series), start=1):
        done.append(options.output / f"meteogram{'' if number == 1 else f'-{number}'}.png")
        start = page[0].times[0]
        figure, dpi = meteogram.draw(page, f"nearfar-weather, started {start:%d %b %Y %H:%M} UTC; times in UTC")
        style.save(figure, done[-1], dpi)
    return done


def draw(picture: Any, scene: Any, path: Path) -> Path:
    import style

    figure, dpi = picture(scene)
    # The overview is for a README: small enough for a repository.
    style.save(figure, path, dpi, most_bytes=390_000 if path.stem == "forecast" else None)
    return path


if __name__ == "__main__":
    sys.exit(main.program())
