#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of maps.py on a small made-up forecast: derived fields, pictures and bad input."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "prepare")]

import netCDF4  # noqa: E402
import numpy as np  # noqa: E402

import forecast  # noqa: E402
import maps  # noqa: E402
import outlines  # noqa: E402
from lambert import Grid  # noqa: E402

NX, NY, NZ = 30, 24, 12
GRAVITY, GAS_CONSTANT = 9.80665, 287.0
SEA_LEVEL = 101500.0  # Pa
LAPSE = 0.0065


def temperature_at(z: np.ndarray) -> np.ndarray:
    return 288.0 - LAPSE * z


def pressure_at(z: np.ndarray) -> np.ndarray:
    return SEA_LEVEL * (temperature_at(z) / 288.0) ** (GRAVITY / (GAS_CONSTANT * LAPSE))


def write_forecast(path: Path, latitude: float = 40.0) -> Path:
    """Two times of the standard atmosphere over one mountain, with a wave above it."""
    grid = Grid.around(latitude, -107.0, NX, NY, 20000.0)
    x, y = np.meshgrid(grid.x, grid.y)
    terrain = 2000.0 * np.exp(-(x**2 + y**2) / (2 * 80000.0**2))
    level = np.linspace(60.0, 14000.0, NZ)[:, None, None]
    z = terrain + level * (14500.0 - terrain) / 14500.0
    temperature, pressure = temperature_at(z), pressure_at(z)
    w = np.broadcast_to(np.cos(x / 40000.0) * np.exp(-(y**2) / 60000.0**2), z.shape)
    fields = {
        "u": np.full_like(z, 30.0),
        "v": np.full_like(z, -5.0),
        "w": w,
        "temperature": temperature,
        "theta": temperature * (1e5 / pressure) ** (2 / 7),
        "pressure": pressure,
        "qv": np.full_like(z, 1e-3),
    }
    with netCDF4.Dataset(path, "w") as data:
        for name, size in (("time", None), ("z", NZ), ("y", NY), ("x", NX)):
            data.createDimension(name, size)
        time = data.createVariable("time", "f8", ("time",))
        time.units = "hours since 2007-01-24 12:00:00"
        time[:] = [0.0, 12.0]
        for name, values in (("x", grid.x), ("y", grid.y)):
            data.createVariable(name, "f8", (name,))[:] = values
        data.createVariable("lambert", "i4").setncatts(grid.projection.attributes())
        data.createVariable("terrain", "f8", ("y", "x"))[:] = terrain
        data.createVariable("height", "f8", ("z", "y", "x"))[:] = z
        for name, values in fields.items():
            variable = data.createVariable(name, "f4", ("time", "z", "y", "x"))
            variable[0], variable[1] = values, values
    return path


class WithForecast(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = write_forecast(self.folder / "forecast.nc")

    def run_maps(self, *words: object) -> tuple[int, str]:
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            status = maps.main([str(word) for word in (*words, "--output", self.folder / "maps")])
        return status, errors.getvalue()

    def refused(self, *words: object, says: tuple[str, ...]) -> None:
        status, message = self.run_maps(*words)
        self.assertEqual(status, 2)
        self.assertEqual(message.count("\n"), 1, message)
        for text in says:
            self.assertIn(text, message)


class Derived(WithForecast):
    def test_surfaces_of_constant_pressure(self) -> None:
        with forecast.Forecast(self.file) as data:
            height = data.on_pressure("height", 1, 50000.0)
            exact = 288.0 / LAPSE * (1 - (50000.0 / SEA_LEVEL) ** (GAS_CONSTANT * LAPSE / GRAVITY))
            np.testing.assert_allclose(height, exact, atol=25.0)
            low = data.on_pressure("height", 1, 90000.0)  # about 1 km: the mountain pierces it
            self.assertTrue(np.isnan(low[NY // 2, NX // 2]))
            self.assertFalse(np.isnan(low[0, 0]))

    def test_sea_level_pressure_does_not_see_the_mountain(self) -> None:
        with forecast.Forecast(self.file) as data:
            np.testing.assert_allclose(data.sea_level_pressure(0), SEA_LEVEL, atol=15.0)

    def test_at_height_interpolates_and_leaves_out_the_ground(self) -> None:
        with forecast.Forecast(self.file) as data:
            np.testing.assert_allclose(
                data.at_height("temperature", 0, 5000.0), temperature_at(np.array(5000.0)), atol=0.01
            )
            self.assertTrue(np.isnan(data.at_height("w", 0, 1000.0)[NY // 2, NX // 2]))

    def test_times(self) -> None:
        with forecast.Forecast(self.file) as data:
            self.assertEqual((data.lead(1), data.times[1].day, data.times[1].hour), (12.0, 25, 0))


class Pictures(WithForecast):
    def test_all_are_drawn_whole(self) -> None:
        from PIL import Image

        status, message = self.run_maps(self.file)
        self.assertEqual((status, message), (0, ""))
        made = sorted(path.name for path in (self.folder / "maps").iterdir())
        self.assertEqual(
            made,
            sorted(
                f"{name}.png"
                for name in (
                    "forecast",
                    "surface",
                    "height850",
                    "height500",
                    "vertical-velocity",
                    "section",
                    "initial-final",
                )
            ),
        )
        with Image.open(self.folder / "maps" / "forecast.png") as picture:
            picture.load()
            self.assertEqual(picture.size, (1600, 1000))
            self.assertGreater(len(picture.convert("RGB").resize((200, 125)).getcolors(25000) or []), 100)
        self.assertLess((self.folder / "maps" / "forecast.png").stat().st_size, 400_000)

    def test_southern_hemisphere_and_no_outlines(self) -> None:
        write_forecast(self.file, -43.0)
        folder, outlines.FOLDER = outlines.FOLDER, self.folder / "none"
        try:
            self.assertEqual(self.run_maps(self.file, "--only", "surface", "--time", 0), (0, ""))
        finally:
            outlines.FOLDER = folder


@unittest.skipUnless(outlines.available(), f"the Debian package {outlines.PACKAGE} is not installed")
class Outlines(unittest.TestCase):
    def test_the_border_along_the_49th_parallel(self) -> None:
        grid = Grid.around(47.0, -105.0, 40, 40, 20000.0)
        points = np.concatenate(outlines.read(grid)[outlines.NATION])
        latitude, longitude = grid.projection.inverse(points[:, 0], points[:, 1])
        plains = longitude < -97.0  # further east lies the Lake of the Woods
        self.assertLess(np.abs(latitude[plains] - 49.0).max(), 0.05)
        self.assertGreater(np.ptp(points[:, 0]), 500e3)


class BadInput(WithForecast):
    def change(self, name: str, value: float) -> None:
        with netCDF4.Dataset(self.file, "a") as data:
            data[name][1, 3, 4, 5] = value

    def test_messages(self) -> None:
        self.refused(self.folder / "none.nc", says=("none.nc", "no such file"))
        self.refused(self.file, "--time", 7, says=("--time = 7", "-2 to 1"))
        self.refused(self.file, "--row", 99, says=("--row = 99", "0 to 23"))
        self.refused(self.file, "--only", "radar", says=("radar", "surface"))
        self.refused(self.file, "--height", 90000, says=("90000 m",))

    def test_blown_up(self) -> None:
        self.change("u", np.nan)
        self.refused(self.file, says=("'u' is not finite", "2007-01-25 00:00"))

    def test_truncated(self) -> None:
        self.file.write_bytes(self.file.read_bytes()[:3000])
        self.refused(self.file, says=("cannot be read as NetCDF",))

    def test_foreign(self) -> None:
        with netCDF4.Dataset(self.file, "w") as data:
            data.title = "something else"
        self.refused(self.file, says=("no output of the weather model", "temperature"))


if __name__ == "__main__":
    unittest.main()
