#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws weather maps (PNG) from the output of nearfar-weather.

forecast.png           one picture of everything, 1600 x 1000
surface.png            temperature and wind at the lowest level, sea-level pressure, relief
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

from problem import InputError, check_range, need  # noqa: E402


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
    parser.add_argument("--only", default="", metavar="NAME", help="draw one picture only, e.g. forecast")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    options = arguments(words)
    try:
        need("matplotlib", "python3-matplotlib")
        for path in draw_all(options):
            print(path)
    except InputError as error:
        print(f"maps.py: error: {error}", file=sys.stderr)
        return 2
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
        if options.only and options.only not in pictures.ALL:
            raise InputError(f"--only {options.only}: unknown, choose from {', '.join(pictures.ALL)}")
        try:
            options.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{options.output}: cannot be made ({error.strerror})") from error
        scene = pictures.Scene(forecast, options.time % times, options.height, options.row)
        names = [options.only] if options.only else list(pictures.ALL)
        return [draw(pictures.ALL[name], scene, options.output / f"{name}.png") for name in names]


def draw(picture: Any, scene: Any, path: Path) -> Path:
    import style

    figure, dpi = picture(scene)
    # The overview is for a README: small enough for a repository.
    style.save(figure, path, dpi, most_bytes=390_000 if path.stem == "forecast" else None)
    return path


if __name__ == "__main__":
    sys.exit(main())
