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
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "prepare")]

import netCDF4  # noqa: E402
import numpy as np  # noqa: E402

import forecast  # noqa: E402
import maps  # noqa: E402
import meteogram  # noqa: E402
import outlines  # noqa: E402
import precipitation  # noqa: E402
import stations  # noqa: E402
from lambert import Grid  # noqa: E402
from made_up import (  # noqa: E402
    GAS_CONSTANT,
    GRAVITY,
    LAPSE,
    NX,
    NY,
    SEA_LEVEL,
    add_rain,
    temperature_at,
    write_analysis,
    write_forecast,
    write_stations,
)


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

    def test_what_the_model_has_derived_itself_is_taken(self) -> None:
        """Sea-level pressure, and fields on surfaces of pressure, with what is missing below the ground."""
        with netCDF4.Dataset(self.file, "a") as file:
            file.createDimension("plev", 2)
            file.createVariable("plev", "f8", ("plev",))[:] = [85000.0, 50000.0]
            own = file.createVariable("height_plev", "f4", ("time", "plev", "y", "x"), fill_value=9.96920996838687e36)
            own[:] = 1234.0
            own[1, 0, 3, 4] = np.ma.masked
            file.createVariable("sea_level_pressure", "f4", ("time", "y", "x"))[:] = 100123.0
        with forecast.Forecast(self.file) as data:
            height = data.on_pressure("height", 1, 85000.0)
            self.assertTrue(np.isnan(height[3, 4]))
            self.assertEqual(np.nanmax(height), 1234.0)
            self.assertGreater(data.on_pressure("height", 1, 70000.0).max(), 2000.0)  # which the file lacks
            self.assertEqual(data.sea_level_pressure(0).max(), 100123.0)

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


class Rain(WithForecast):
    def test_counts_from_the_start(self) -> None:
        fallen = add_rain(self.file)
        with forecast.Forecast(self.file) as data:
            np.testing.assert_allclose(data.rain(1), fallen, atol=1e-5)

    def test_fields_near_the_ground_are_taken_where_the_file_has_them(self) -> None:
        with netCDF4.Dataset(self.file, "a") as data:
            for name, value in (("temperature_2m", 300.0), ("wind_10m", 5.0)):
                data.createVariable(name, "f4", ("time", "y", "x"))[:] = value
        with forecast.Forecast(self.file) as data:
            self.assertEqual(data.temperature_near_ground(1).max(), 300.0)
            u, v = data.wind_near_ground(1)  # the lowest level has 30 and -5 m/s
            np.testing.assert_allclose(
                (np.hypot(u, v), u / v), (np.full((NY, NX), 5.0), np.full((NY, NX), -6.0)), rtol=1e-5
            )

    def test_maps(self) -> None:
        from PIL import Image

        self.refused(self.file, "--only", "rain", says=("--only rain", "surface"))
        add_rain(self.file)
        self.assertEqual(self.run_maps(self.file, "--only", "rain"), (0, ""))
        with Image.open(self.folder / "maps" / "rain.png") as picture:
            pixels = np.asarray(picture.convert("RGB")).astype(int)
        left, right = pixels[200:800, 200:400], pixels[200:800, 600:800]
        self.assertGreater(left[..., 2].mean() - left[..., 0].mean(), 30)  # blue: rain
        self.assertLess(abs(right[..., 2].mean() - right[..., 0].mean()), 15)  # bare relief: none

    def test_beside_the_driving_model(self) -> None:
        add_rain(self.file)
        analysis = write_analysis(self.folder / "analysis.nc", 3.0)
        self.assertEqual(precipitation.before(analysis, (NY, NX)).mean(), 3.0)
        self.assertIsNone(precipitation.before(write_analysis(self.folder / "dry.nc", None), (NY, NX)))
        self.assertEqual(self.run_maps(self.file, "--only", "rain-check", "--analysis", analysis), (0, ""))
        self.assertGreater((self.folder / "maps" / "rain-check.png").stat().st_size, 10_000)
        other = write_analysis(self.folder / "other.nc", 3.0, NX + 1)
        self.refused(self.file, "--only", "rain-check", "--analysis", other, says=("31 x 24", "30 x 24"))


class Meteogram(WithForecast):
    def test_series(self) -> None:
        for time_first in (True, False):
            path = write_stations(self.folder / "s.nc", ("Here", "Far_there"), time_first=time_first)
            here, there = stations.read(path)
            self.assertEqual((here.name, there.name, there.latitude), ("Here", "Far there", 41.0))
            np.testing.assert_allclose(there.temperature - here.temperature, 5.0, atol=1e-4)
            self.assertEqual((here.times[6].hour, here.times[6].minute), (13, 0))

    def test_dew_point(self) -> None:
        self.assertAlmostEqual(float(stations.dew_point(np.array(293.15), np.array(1.0))), 293.15, places=6)
        self.assertAlmostEqual(float(stations.dew_point(np.array(293.15), np.array(0.5))), 282.42, delta=0.05)

    def test_own_dew_point_clouds_and_sea_level(self) -> None:
        path = write_stations(self.folder / "forecast.stations.nc", ("A",))
        self.assertFalse(stations.read(path)[0].is_at_sea_level)
        with netCDF4.Dataset(path, "a") as data:
            for name, value in (("dew_point_2m", 271.0), ("cloud_cover", 0.75), ("sea_level_pressure", 101300.0)):
                data.createVariable(name, "f4", ("time", "station"))[:] = value
        here = stations.read(path)[0]
        self.assertTrue(here.is_at_sea_level)
        self.assertEqual((here.dew_point[0], here.cloud_cover[0], here.pressure[0]), (271.0, 0.75, 101300.0))
        self.assertEqual(self.run_maps(self.file, "--only", "meteogram"), (0, ""))

    def test_units_of_humidity(self) -> None:
        dry = {}
        for unit in ("1", "%", "kg kg-1"):
            dry[unit] = stations.read(write_stations(self.folder / "s.nc", ("A",), unit))[0].dew_point
        np.testing.assert_allclose(dry["1"], dry["%"], atol=1e-3)
        # 4 g/kg at 903 hPa is a vapour pressure of 5.8 hPa: 272.4 K.
        self.assertAlmostEqual(float(dry["kg kg-1"][0]), 272.4, delta=0.2)
        path = write_stations(self.folder / "s.nc", ("A",), "furlong")
        self.refused(self.file, "--stations", path, "--only", "meteogram", says=("'furlong'", "kg kg-1"))

    def test_pictures(self) -> None:
        write_stations(self.folder / "forecast.stations.nc", ("One", "Two", "Three", "Four"))
        self.assertEqual(self.run_maps(self.file, "--only", "meteogram"), (0, ""))
        made = sorted(path.name for path in (self.folder / "maps").iterdir())
        self.assertEqual(made, ["meteogram-2.png", "meteogram.png"])

    def test_bars_add_up_to_the_sum(self) -> None:
        station = stations.read(write_stations(self.folder / "s.nc", ("A",)))[0]
        begin, fallen, _ = meteogram._hourly(station.times, station.rain)
        self.assertAlmostEqual(float(fallen.sum()), 8.0, places=4)
        self.assertAlmostEqual(float(fallen[6]), 2.0, places=4)
        self.assertEqual((begin[6].hour, fallen[5]), (18, 0.0))

    def test_bad_series(self) -> None:
        self.refused(self.file, "--only", "meteogram", says=("forecast.stations.nc", "no such file"))
        path = write_stations(self.folder / "forecast.stations.nc", ("A",))
        with netCDF4.Dataset(path, "a") as data:
            data["pressure"][3, 0] = np.nan
        self.refused(self.file, "--only", "meteogram", says=("'pressure'", "not finite"))
        with netCDF4.Dataset(path, "w") as data:
            data.title = "something else"
        self.refused(self.file, "--only", "meteogram", says=("station_name", "wind_speed"))


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

    def test_times_of_a_killed_run(self) -> None:
        """The last time is not whole: maps are drawn of the one before it, of stations too."""
        with netCDF4.Dataset(self.file, "a") as data:
            data["time"][1] = np.nan
            data["u"][1] = np.nan
        with forecast.Forecast(self.file) as data:
            self.assertEqual([time.isoformat() for time in data.times], ["2007-01-24T12:00:00"])
        path = write_stations(self.folder / "forecast.stations.nc", ("A",))
        with netCDF4.Dataset(path, "a") as data:
            data["time"][100:] = np.ma.masked
            data["pressure"][100:] = np.nan
        self.assertEqual(len(stations.read(path)[0].times), 100)
        self.assertEqual(self.run_maps(self.file, "--only", "height500"), (0, ""))
        with netCDF4.Dataset(self.file, "a") as data:
            data["time"][0] = np.nan
        self.refused(self.file, says=("holds no whole time yet",))

    def test_what_cannot_be(self) -> None:
        for name, value, says in (
            ("pressure", -5.0, ("'pressure' has values that are not above 0",)),
            ("height", np.nan, ("'height' has nan",)),
            ("x", 0.0, ("'x' or 'y' does not rise",)),
        ):
            write_forecast(self.file)
            with netCDF4.Dataset(self.file, "a") as data:
                data[name][:] = value
            self.refused(self.file, "--only", "height500", says=says)
        write_forecast(self.file)
        with netCDF4.Dataset(self.file, "a") as data:
            data["time"].units = "hours since 2007-13-24 12:00:00"
        self.refused(self.file, says=("'hours since 2007-13-24 12:00:00'", "is expected"))

    def test_truncated(self) -> None:
        self.file.write_bytes(self.file.read_bytes()[:3000])
        self.refused(self.file, says=("cannot be read as NetCDF",))

    def test_foreign(self) -> None:
        with netCDF4.Dataset(self.file, "w") as data:
            data.title = "something else"
        self.refused(self.file, says=("no output of the weather model", "temperature"))


if __name__ == "__main__":
    unittest.main()
