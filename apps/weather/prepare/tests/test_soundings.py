# SPDX-License-Identifier: BSD-3-Clause
"""Tests of prepare.py on radiosondes: both layouts, units of the header, missing values, and what is refused."""

from __future__ import annotations

from pathlib import Path

from folder import Folder, no_eccodes, prepare  # sets the path

import made_up
import numpy as np


class FromSounding(Folder):
    GRID = ("--nx", 12, "--ny", 10, "--dx", 5000, "--blend", 2)

    def setUp(self) -> None:
        super().setUp()
        self.file = made_up.sounding(self.folder / "s.txt")

    def test_values(self) -> None:
        data = self.accepted("--sounding", self.file, *self.GRID)
        self.assertEqual(data.valid_time, "2020-02-29T12:00:00Z")
        np.testing.assert_allclose(data["terrain"][:], 200.0)
        np.testing.assert_allclose(data["u"][:], 20.0, atol=0.2)
        np.testing.assert_allclose(data["v"][:], 0.0, atol=1e-5)
        np.testing.assert_array_equal(data["coriolis"][:], 0.0)
        self.assertAlmostEqual(float(data["latitude"][:].mean()), 45.0, delta=0.01)
        temperature = data["temperature"][:]
        self.assertTrue((temperature == temperature[:, :1, :1]).all())
        self.assertAlmostEqual(float(temperature[0, 0, 0]), 273.15 + 13.7, delta=0.01)

    def test_the_shipped_ascent(self) -> None:
        file = Path(prepare.__file__).parent / "soundings" / "72327.2014022012.txt"
        data = self.accepted("--sounding", file, "--centre", 36.25, -86.57, *self.GRID)
        self.assertEqual(data.valid_time, "2014-02-20T12:00:00Z")
        level = int(np.argmin(np.abs(data["pressure"][:] - 92500.0)))
        self.assertAlmostEqual(float(data["temperature"][level, 0, 0]), 273.15 + 13.2, delta=0.01)
        speed = np.hypot(data["u"][level, 0, 0], data["v"][level, 0, 0])
        self.assertAlmostEqual(float(speed), 38 * 1852 / 3600, delta=0.01)
        self.assertAlmostEqual(float(data["ground_temperature"][0, 0]), 273.15 + 15.4, delta=0.1)

    def test_columns_that_no_model_can_start_from(self) -> None:
        lines = self.file.read_text().splitlines()
        swapped = [*lines[:10], lines[11], lines[10], *lines[12:]]
        self.file.write_text("\n".join(swapped))
        self.refused("--sounding", self.file, *self.GRID, says=("line 12 ", "not monotone", "pressure must fall"))
        made_up.sounding(self.file, {"   13.7    8.7": "   13.7   14.7"})
        self.refused("--sounding", self.file, *self.GRID, says=("line 8 ", "supersaturated", "14.7 C", "0.5 K"))
        made_up.sounding(self.file, {"    7.2    2.2": "    1.2   -2.2"})
        self.refused("--sounding", self.file, *self.GRID, says=("line 9 ", "superadiabatic", "allowed up to 2 K"))

    def test_valleys_below_the_station_have_air(self) -> None:
        relief = made_up.elevation(self.folder / "low.nc", "m", 20.0)
        data = self.accepted("--sounding", self.file, "--terrain", relief, *self.GRID)
        self.assertLess(data["height"][0].max(), data["terrain"][:].min())

    def test_missing_parts(self) -> None:
        self.file.write_text("PRES HGHT\n 1 2\n")
        self.refused("--sounding", self.file, *self.GRID, says=("no line of titles",))
        made_up.sounding(self.file, {"Observations at 12Z": "seen"})
        self.refused("--sounding", self.file, *self.GRID, says=("no time found",))
        made_up.sounding(self.file, {"Station latitude": "Latitude"})
        self.refused("--sounding", self.file, *self.GRID, says=("give --centre",))

    def test_units_of_the_header(self) -> None:
        knots = self.accepted("--sounding", self.file, *self.GRID)["u"][:]
        made_up.sounding(self.file, {"   knot": "    m/s"})
        metres = self.accepted("--sounding", self.file, *self.GRID)["u"][:]
        np.testing.assert_allclose(metres, knots * 3600 / 1852, rtol=1e-5)
        made_up.sounding(self.file, {"SKNT": "SPED", "   knot": "    m/s"})
        np.testing.assert_array_equal(self.accepted("--sounding", self.file, *self.GRID)["u"][:], metres)
        (self.folder / "out.nc").unlink()
        made_up.sounding(self.file, {"   knot": "   nott"})
        self.refused("--sounding", self.file, *self.GRID, says=("column of wind speed", "'nott'", "UDUNITS"))

    def test_missing_values(self) -> None:
        """A direction of 999, and values of -9999: the wind and the dew point there are between their neighbours'."""
        plain = self.accepted("--sounding", self.file, *self.GRID)
        u, humidity = plain["u"][:], plain["specific_humidity"][:]
        made_up.sounding(self.file, {"    7.2    2.2                  270": "    7.2  -9999                  999"})
        holes = self.accepted("--sounding", self.file, *self.GRID)
        np.testing.assert_allclose(holes["u"][:], u, atol=1e-5)
        np.testing.assert_allclose(holes["specific_humidity"][:], humidity, rtol=0.02)
        made_up.sounding(self.file, {"    7.2    2.2                  270": "    7.2    2.2                  361"})
        (self.folder / "out.nc").unlink()
        self.refused("--sounding", self.file, *self.GRID, says=("line 9: wind direction = 361 degrees", "0 to 360"))

    def test_the_csv_layout(self) -> None:
        plain = self.accepted("--sounding", self.file, *self.GRID)
        csv = self.accepted("--sounding", made_up.sounding_csv(self.file), *self.GRID)
        self.assertEqual(csv.valid_time, "2020-02-29T11:05:00Z")
        for name in ("height", "temperature", "specific_humidity", "u", "v"):
            np.testing.assert_allclose(csv[name][:], plain[name][:], rtol=1e-5, atol=1e-3, err_msg=name)
        (self.folder / "out.nc").unlink()
        for change, says in (
            ({"2020-02-29 11:05:00": "2020-02-30 11:05:00"}, ("line 2", "'2020-02-30 11:05:00' is no time")),
            ({"2020-02-29 11:05:00": "2020-02-29 24:05:00"}, ("line 2", "'2020-02-29 24:05:00' is no time")),
            ({",7.2,": ",x,"}, ("line 3: 'x' is no number",)),
            ({",7.2,": ","}, ("line 3 has 12 values, its titles are 13",)),
            ({"wind speed_m/s": "wind speed_mph/h"}, ("wind speed", "mph/h")),
            ({"temperature_C,": "warmth_C,"}, ("no column of temperature",)),
            ({",10200,": ",3200,"}, ("not monotone", "allowed up to 50 m")),
        ):
            made_up.sounding_csv(self.file, change)
            self.refused("--sounding", self.file, *self.GRID, says=says)

    def test_dates_that_cannot_be(self) -> None:
        for was, put in (("12Z 29 Feb 2020", "24Z 29 Feb 2020"), ("29 Feb 2020", "30 Feb 2020"), ("Feb", "Fab")):
            made_up.sounding(self.file, {was: put})
            self.refused("--sounding", self.file, *self.GRID, says=(put, "is no time there is"))

    def test_titles_alone(self) -> None:
        text = self.file.read_text()
        for end in (text.index("PRES") + 80, text.index("hPa"), text.index("knot") + 30):
            self.file.write_text(text[:end])
            self.refused("--sounding", self.file, *self.GRID, says=("s.txt",))

    def test_no_file_that_ends(self) -> None:
        for path, says in (
            ("/dev/zero", "pipe or device"),
            (self.folder, "folder"),
            (self.folder / "no", "No such file"),
        ):
            self.refused("--sounding", path, *self.GRID, says=(f"{path}: ", says))
            if not no_eccodes:
                self.refused("--grib", path, *self.GRID, says=(f"{path}: ", says))

    def test_truncated_table(self) -> None:
        text = self.file.read_text().splitlines()
        self.file.write_text("\n".join(text[:9]))
        self.refused("--sounding", self.file, *self.GRID, says=("only 2 levels", "at least 5"))

    def test_impossible_value(self) -> None:
        made_up.sounding(self.file, {"   13.7": "  213.7"})
        self.refused("--sounding", self.file, *self.GRID, says=("temperature = 213.7 C", "-120 to 60"))

    def test_unreadable_cell(self) -> None:
        made_up.sounding(self.file, {"    7.2": "    x.2"})
        self.refused("--sounding", self.file, *self.GRID, says=("line 9",))

    def test_terrain_of_an_analysis_is_refused(self) -> None:
        self.refused("--sounding", self.file, "--terrain", "nam", *self.GRID, says=("--terrain nam goes with --grib",))
