# SPDX-License-Identifier: BSD-3-Clause
"""Tests of GRIB files that differ from NCEP's: other grids, editions, levels, several times; run by test_prepare.py."""

from __future__ import annotations

import os
import unittest
import unittest.mock

import netCDF4
import numpy as np
from folder import Folder, no_eccodes  # sets the path

import atmosphere
import grib
import made_up
from lambert import Lambert

if not no_eccodes:
    import eccodes


@unittest.skipIf(no_eccodes, no_eccodes)
class GribFiles(Folder):
    GRID = ("--nx", 24, "--ny", 20, "--dx", 40000, "--centre", 42, -101, "--blend", 4)

    def setUp(self) -> None:
        super().setUp()
        self.grib = made_up.grib(self.folder / "made_up.grb2")

    def test_missing_level(self) -> None:
        """The levels that all variables have are used; the note names the others."""
        made_up.grib(self.grib, (("v", 500),))
        status, message, _ = self.run_and_print("--grib", self.grib, "--terrain", "nam", *self.GRID)
        self.assertEqual(status, 0)
        self.assertIn("left out are the levels that 'v' lacks: 500 hPa", message)
        with netCDF4.Dataset(self.folder / "out.nc") as data:
            self.assertEqual(list(data["pressure"][:5] / 100), [1000, 850, 700, 300, 200])
        (self.folder / "out.nc").unlink()
        made_up.grib(self.grib, (("v", 500), ("r", 850)))
        self.refused("--grib", self.grib, *self.GRID, says=("only 4 pressure levels", "'r' is there on 5 of 6"))

    def test_missing_surface(self) -> None:
        made_up.grib(self.grib, (("sp", 0),))
        self.refused("--grib", self.grib, *self.GRID, says=("'sp' (surface pressure)",))

    def test_foreign(self) -> None:
        self.grib.write_bytes(b"CDF\x01" + bytes(200))
        self.refused("--grib", self.grib, says=("not a GRIB file", "CDF"))
        self.refused("--grib", self.folder / "none.grb2", says=("none.grb2", "No such file"))

    def test_other_grid(self) -> None:
        handle = eccodes.codes_grib_new_from_samples("reduced_gg_pl_32_grib2")
        with open(self.grib, "wb") as file:
            eccodes.codes_write(handle, file)
        eccodes.codes_release(handle)
        self.refused("--grib", self.grib, *self.GRID, says=("'reduced_gg' grid", "'lambert' and 'regular_ll'"))

    def test_no_temperature(self) -> None:
        """A satellite's picture is called what it is, though it lacks the keys that fields of the air have."""
        handle = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
        with open(self.grib, "wb") as file:
            for key, value in (("discipline", 3), ("parameterCategory", 0), ("parameterNumber", 0)):
                eccodes.codes_set(handle, key, value)
            eccodes.codes_write(handle, file)
        eccodes.codes_release(handle)
        self.refused("--grib", self.grib, *self.GRID, says=("no temperature in it", "Scaled radiance"))

    def test_a_crash_of_the_library_is_a_message(self) -> None:
        """ecCodes frees memory twice in some damaged files: here the process that reads ends as it would."""
        with unittest.mock.patch.object(grib, "_keep_if_wanted", lambda *_: os.abort()):
            self.refused("--grib", self.grib, *self.GRID, says=("made_up.grb2", "damaged: ecCodes crashes"))

    def test_a_file_twice(self) -> None:
        self.accepted("--grib", self.grib, self.grib, "--terrain", "nam", *self.GRID).close()
        (self.folder / "out.nc").unlink()
        warmer = made_up.grib(
            self.folder / "warmer.grb2", change=lambda name, level, keys, values: values + (name == "t")
        )
        self.refused("--grib", self.grib, warmer, *self.GRID, says=("warmer.grb2: 't' at level", "is there twice"))

    def test_headings_of_bulletins(self) -> None:
        whole = self.grib.read_bytes()
        heading = b"\x01\r\r\n123 \r\r\nYTQA50 KWBC 290600\r\r\n"
        self.grib.write_bytes(heading + whole.replace(b"7777GRIB", b"7777\r\r\n\x03" + heading + b"GRIB"))
        self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)

    def test_latitudes_and_longitudes(self) -> None:
        """Both editions, parts of the Earth and all around it, across Greenwich too; specific for relative humidity."""
        vapour = 0.5 * atmosphere.saturation_pressure(made_up.TEMPERATURE)

        def as_era5(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            if name in ("gh", "orog"):
                keys["shortName"] = "z"
                return values * made_up.GRAVITY
            if name == "r":
                keys["shortName"] = "q"
                return values / 50.0 * atmosphere.specific_humidity(vapour, level * 100.0)
            return values

        made_up.grib(self.grib, ground=50.0)
        for centre, around, edition in ((-101, "part", 2), (-101, "Earth", 2), (0, "Earth", 1), (-101, "part", 1)):
            with self.subTest(centre=centre, around=around, edition=edition):
                change = {"change": as_era5} if edition == 1 else {}
                made_up.grib(self.grib, ground=50.0, around=around, edition=edition, **change)
                place = (*self.GRID[:6], "--centre", 42, centre, "--blend", 4)
                data = self.accepted("--grib", self.grib, "--terrain", "nam", *place)
                np.testing.assert_allclose(data["terrain"][:], 50.0, atol=0.1)
                np.testing.assert_allclose(data["height"][2], made_up.height_of(70000.0), atol=0.5)
                np.testing.assert_allclose(data["specific_humidity"][2], 0.622 * vapour / 70000.0, rtol=0.01)
                mapping = data["lambert"]
                projection = Lambert.from_attributes({k: mapping.getncattr(k) for k in mapping.ncattrs()})
                turn = projection.turn(data["longitude"][:])
                np.testing.assert_allclose(data["u"][2], 10 * np.cos(turn), atol=0.01)
                np.testing.assert_allclose(data["v"][2], 10 * np.sin(turn), atol=0.01)
                self.assertIn(f"analysis of centre ecmf, GRIB{edition} file made_up.grb2", data.source)
                data.close()

    def test_places_on_latitudes_and_longitudes(self) -> None:
        """A field that is linear in latitude and longitude arrives where it was."""

        def change(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            rows, columns = np.mgrid[: values.shape[0], : values.shape[1]]
            place = 270.0 + (57.0 - rows) / 10.0 + (columns - 135.0) / 100.0
            return place if name == "t" else values

        made_up.grib(self.grib, ground=50.0, around="part", change=change)
        data = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        wanted = 270.0 + data["latitude"][:] / 10.0 + data["longitude"][:] / 100.0
        np.testing.assert_allclose(data["temperature"][3], wanted, atol=0.002)

    def test_a_forecast_is_called_one(self) -> None:
        def later(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            keys["forecastTime"] = 18
            return values

        made_up.grib(self.grib, change=later)
        data = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        self.assertEqual(data.valid_time, "2020-03-01T00:00:00Z")
        self.assertIn("18-hour forecast of centre", data.source)

    def test_series(self) -> None:
        """Files of three times in any order: the first is the start, the others are the sides."""
        files = []
        for hour in (12, 6, 9):
            file = self.folder / f"{hour}.grb2"

            def windier(name: str, level: int, keys: dict, values: np.ndarray, hour: int = hour) -> np.ndarray:
                return values * hour / 6.0 if name in ("u", "v") else values

            files.append(made_up.grib(file, change=windier, hour=hour))
        status, message, said = self.run_and_print("--grib", *files, "--terrain", "nam", *self.GRID)
        self.assertEqual(status, 0, message)
        self.assertIn("side_files = 'out.sides.nc'", said)
        with netCDF4.Dataset(self.folder / "out.nc") as start, netCDF4.Dataset(self.folder / "out.sides.nc") as sides:
            self.assertEqual(start.valid_time, "2020-02-29T06:00:00Z")
            self.assertEqual(sides.valid_times, "2020-02-29T09:00:00Z 2020-02-29T12:00:00Z")
            self.assertEqual(sides["u"].dimensions, ("time", "level", "y", "x"))
            self.assertEqual(list(sides["time"][:]), [0, 10800])
            for record, factor in ((0, 1.5), (1, 2.0)):
                np.testing.assert_allclose(sides["u"][record], factor * start["u"][:], rtol=1e-4)
            np.testing.assert_array_equal(sides["terrain"][:], start["terrain"][:])
