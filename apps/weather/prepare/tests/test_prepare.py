#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of prepare.py on made-up files: values, geometry and the message for each kind of bad input."""

from __future__ import annotations

import contextlib
import io
import unittest
from pathlib import Path

import netCDF4
import numpy as np
from folder import Folder, no_eccodes, prepare  # sets the path
from test_grib import GribFiles
from test_soil import Depths, SoilOfFiles
from test_soundings import FromSounding

import atmosphere
import interpolate
import made_up
import terrain
from lambert import Grid, Lambert, wrap

__all__ = ["Depths", "FromSounding", "GribFiles", "SoilOfFiles"]  # whose tests run with these


class Geometry(unittest.TestCase):
    def test_known_corners_of_ncep_grid_211(self) -> None:
        """NCEP documents the far corner of its grid 211: 57.290 N, 49.385 W."""
        projection = Lambert(265.0, 25.0, (25.0, 25.0))
        x, y = projection.forward(12.19, 226.541)
        latitude, longitude = projection.inverse(x + 92 * 81270.5, y + 64 * 81270.5)
        self.assertAlmostEqual(float(latitude), 57.290, delta=0.002)
        self.assertAlmostEqual(float(longitude), -49.385, delta=0.002)

    def test_inverse_undoes_forward_in_both_hemispheres(self) -> None:
        for latitude in (40.0, -43.0):
            grid = Grid.around(latitude, 150.0, 40, 30, 25000.0)
            x, y = np.meshgrid(grid.x, grid.y)
            back = grid.projection.forward(*grid.projection.inverse(x, y))
            self.assertLess(max(np.abs(back[0] - x).max(), np.abs(back[1] - y).max()), 1e-5)

    def test_scale_is_the_ratio_of_lengths(self) -> None:
        projection = Grid.around(40.0, -107.0, 100, 100, 20000.0).projection
        x, y = projection.forward(np.array([44.0, 44.01]), np.array([-100.0, -100.0]))
        ratio = np.hypot(np.diff(x), np.diff(y))[0] / (projection.radius * np.radians(0.01))
        self.assertAlmostEqual(ratio, float(projection.scale(44.005)), places=6)

    def test_turn_is_the_angle_of_the_east_direction(self) -> None:
        projection = Grid.around(40.0, -107.0, 100, 100, 20000.0).projection
        x, y = projection.forward(np.array([45.0, 45.0]), np.array([-98.001, -97.999]))
        angle = np.arctan2(np.diff(y), np.diff(x))[0]
        self.assertAlmostEqual(angle, float(projection.turn(-98.0)), places=7)

    def test_bicubic_is_exact_for_parabolas_and_bilinear_for_planes(self) -> None:
        rows, columns = np.mgrid[0:8, 0:9].astype(float)
        i, j = np.array([2.3, 5.9]), np.array([3.7, 1.25])
        parabola = interpolate.bicubic(columns**2 - 3 * rows**2 + rows, i, j)
        np.testing.assert_allclose(parabola, i**2 - 3 * j**2 + j, atol=1e-12)
        np.testing.assert_allclose(interpolate.bilinear(2 * columns - rows, i, j), 2 * i - j, atol=1e-12)


class Ground(unittest.TestCase):
    def test_limit_rise_leaves_gentle_ground_alone_and_tames_a_cliff(self) -> None:
        gentle = np.add.outer(np.arange(20.0), np.arange(20.0)) * 10
        np.testing.assert_array_equal(terrain.limit_rise(gentle, 100.0), gentle)
        cliff = np.zeros((20, 20))
        cliff[:, 10:] = 3000.0
        tamed = terrain.limit_rise(cliff, 400.0)
        self.assertLessEqual(terrain.largest_rise(tamed), 400.0)
        self.assertGreaterEqual(tamed.min(), 0.0)
        self.assertLessEqual(tamed.max(), 3000.0)

    def test_smoothing_removes_the_wave_of_two_cells_and_keeps_the_mean(self) -> None:
        wave = np.where(np.indices((16, 16)).sum(axis=0) % 2, 100.0, -100.0)
        self.assertLess(np.abs(terrain.smooth(wave)[2:-2, 2:-2]).max(), 1e-9)
        self.assertAlmostEqual(float(terrain.smooth(np.full((9, 9), 7.0)).mean()), 7.0)

    def test_edge_weight(self) -> None:
        weight = terrain.edge_weight(30, 40, 10)
        self.assertEqual(weight[0].max(), 0.0)
        self.assertEqual(weight[10:-10, 10:-10].min(), 1.0)
        self.assertTrue((np.diff(weight[15, :11]) > 0).all())


class Columns(unittest.TestCase):
    def test_air_below_the_ground_is_in_balance(self) -> None:
        pressure = np.array([1000.0, 900.0, 800.0, 700.0]) * 100
        shape = (4, 1, 2)
        fields = {
            name: np.full(shape, value)
            for name, value in (("temperature", 280.0), ("relative_humidity", 0.4), ("u", 5.0), ("v", -3.0))
        }
        fields["u"][0] = 99.0
        fields["height"] = np.broadcast_to(np.array([100.0, 900.0, 2000.0, 3000.0])[:, None, None], shape).copy()
        surface = np.array([[85000.0, 105000.0]])
        filled = atmosphere.fill_below_ground(pressure, surface, fields)
        for name in fields:  # a column that is wholly above the ground stays as it is
            np.testing.assert_array_equal(filled[name][:, 0, 1], fields[name][:, 0, 1])
        self.assertEqual(filled["u"][0, 0, 0], 5.0)
        np.testing.assert_array_equal(filled["height"][2:, 0, 0], [2000.0, 3000.0])
        rise = filled["height"][1, 0, 0] - filled["height"][0, 0, 0]
        cooling = filled["temperature"][0, 0, 0] - filled["temperature"][1, 0, 0]
        self.assertAlmostEqual(cooling / rise, 0.0065, delta=1e-4)

    def test_nothing_jumps_where_a_level_meets_the_ground(self) -> None:
        """Two columns, the air next to the ground just above and just below the level of 900 hPa."""

        def of(*values: float) -> np.ndarray:
            return np.array([values])

        near = atmosphere.Air(of(90000.01, 89999.99), of(275.0, 275.0), of(0.5, 0.5), of(1.0, 1.0), of(2.0, 2.0))
        above = atmosphere.Air(of(80000.0, 80000.0), of(270.0, 270.0), of(0.5, 0.5), of(1.0, 1.0), of(2.0, 2.0))
        fields = {name: np.stack([getattr(near, name), getattr(above, name)]) for name in atmosphere.AIR}
        fields["height"] = np.stack([2000.0 - atmosphere.thickness(near, above), of(2000.0, 2000.0)])
        filled = atmosphere.fill_below_ground(np.array([90000.0, 80000.0]), near.pressure + 1500.0, fields, near)
        for name, values in filled.items():
            self.assertLess(abs(values[0, 0, 0] - values[0, 0, 1]), 0.01, name)

    def test_pressure_at_reverses_the_isothermal_atmosphere(self) -> None:
        levels = np.array([100000.0, 70000.0, 40000.0])
        heights = np.array([made_up.height_of(p) for p in levels])[:, None, None]
        height = np.array([[made_up.height_of(85000.0)]])
        self.assertAlmostEqual(float(atmosphere.pressure_at(height, levels, heights)[0, 0]), 85000.0, delta=0.01)


@unittest.skipIf(no_eccodes, no_eccodes)
class FromGrib(Folder):
    GRID = ("--nx", 24, "--ny", 20, "--dx", 40000, "--centre", 42, -101, "--blend", 4)

    def setUp(self) -> None:
        super().setUp()
        self.grib = made_up.grib(self.folder / "made_up.grb2")

    def test_file_has_what_the_model_reads(self) -> None:
        data = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        self.assertEqual({name: len(d) for name, d in data.dimensions.items()}, {"level": 12, "y": 20, "x": 24})
        for name in ("height", "temperature", "specific_humidity", "u", "v"):
            self.assertEqual(data[name].dimensions, ("level", "y", "x"), name)
            self.assertTrue(np.isfinite(data[name][:]).all(), name)
        for name in ("terrain", "latitude", "longitude", "surface_pressure", "coriolis"):
            self.assertEqual(data[name].dimensions, ("y", "x"), name)
        self.assertEqual((data.dx, data.dy, data.valid_time), (40000.0, 40000.0, "2020-02-29T06:00:00Z"))
        self.assertEqual(data.Conventions, "CF-1.10")
        self.assertEqual(data["lambert"].grid_mapping_name, "lambert_conformal_conic")
        self.assertTrue((np.diff(data["height"][:], axis=0) > 0).all())
        self.assertTrue((np.diff(data["pressure"][:]) < 0).all())

    def test_values(self) -> None:
        made_up.grib(self.grib, ground=50.0)
        data = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        np.testing.assert_allclose(data["terrain"][:], 50.0, atol=0.1)
        np.testing.assert_allclose(data["coriolis"][:], 2 * 7.292115e-5 * np.sin(np.radians(data["latitude"][:])))
        expected = 101325.0 * np.exp(-50.0 * made_up.GRAVITY / (made_up.GAS_CONSTANT * made_up.TEMPERATURE))
        np.testing.assert_allclose(data["surface_pressure"][:], expected, atol=5.0)
        level = 2  # 700 hPa
        np.testing.assert_allclose(data["height"][level], made_up.height_of(70000.0), atol=0.5)
        vapour = 0.5 * atmosphere.saturation_pressure(270.0)
        np.testing.assert_allclose(data["specific_humidity"][level], 0.622 * vapour / 70000.0, rtol=0.01)
        # A west wind follows the circles of latitude whatever the grid's axes.
        longitude = data["longitude"][:]
        projection = Lambert.from_attributes({k: data["lambert"].getncattr(k) for k in data["lambert"].ncattrs()})
        turn = projection.turn(longitude)
        np.testing.assert_allclose(data["u"][level], 10 * np.cos(turn), atol=0.01)
        np.testing.assert_allclose(data["v"][level], 10 * np.sin(turn), atol=0.01)
        self.assertGreater(np.abs(data["v"][level]).max(), 0.3)

    def test_elevation_file(self) -> None:
        file = made_up.elevation(self.folder / "relief.nc")
        ground = self.accepted("--grib", self.grib, "--terrain", file, *self.GRID)["terrain"][:]
        np.testing.assert_allclose(ground[0], 500.0, atol=0.5)  # the edge is the analysis' ground
        self.assertGreater(ground[10, 12], 1200.0)
        self.assertAlmostEqual(float(ground[10, 6]), 1000.0, delta=20.0)

    def test_variable_of_an_elevation_file(self) -> None:
        file = made_up.elevation(self.folder / "relief.nc")
        ground = self.accepted("--grib", self.grib, "--terrain", f"{file}:relief", *self.GRID)["terrain"][:]
        self.assertGreater(ground[10, 12], 1200.0)
        (self.folder / "out.nc").unlink()
        self.refused("--grib", self.grib, "--terrain", f"{file}:sea", *self.GRID, says=("no variable 'sea'", "relief"))
        self.refused("--grib", self.grib, "--terrain", f"{file}:lat", *self.GRID, says=("'lat' lacks", "degrees_north"))

    def test_ground(self) -> None:
        """With the 2 m temperature: brought to the model's ground; half the grid is sea in the elevation file."""
        made_up.grib(self.grib, ground=500.0, near_ground=280.0, fallen=7.0)
        file = made_up.elevation(self.folder / "relief.nc", sea_north_of=42.0)
        data = self.accepted("--grib", self.grib, "--terrain", file, *self.GRID)
        land, ground = data["land_fraction"][:], data["terrain"][:]
        self.assertEqual((land[:8].min(), land[12:].max()), (1.0, 0.0))
        np.testing.assert_allclose(data["ground_temperature"][:], 280.0 + 0.0065 * (500.0 - ground), atol=0.01)
        np.testing.assert_allclose(data["roughness_length"][:8], 0.1)
        np.testing.assert_allclose(data["roughness_length"][12:], 2e-4)
        np.testing.assert_allclose(data["ground_wetness"][:8], 0.3)
        np.testing.assert_allclose(data["ground_wetness"][12:], 1.0)
        np.testing.assert_allclose(data["precipitation_before"][:], 7.0, atol=0.01)

    def test_ground_without_the_temperature_at_2_m(self) -> None:
        data = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        # The lowest level above the ground is 850 hPa; the air below it is a continuation with 6.5 K/km.
        warmer = 0.0065 * (made_up.height_of(85000.0) - 500.0)
        np.testing.assert_allclose(data["ground_temperature"][:], made_up.TEMPERATURE + warmer, atol=0.1)
        np.testing.assert_array_equal(data["land_fraction"][:], 1.0)
        self.assertNotIn("precipitation_before", data.variables)

    def test_elevation_in_feet(self) -> None:
        metres = self.accepted("--grib", self.grib, "--terrain", made_up.elevation(self.folder / "m.nc"), *self.GRID)[
            "terrain"
        ][10, 12]
        feet = made_up.elevation(self.folder / "ft.nc", "feet", 1000.0 / 0.3048)
        self.assertAlmostEqual(
            float(self.accepted("--grib", self.grib, "--terrain", feet, *self.GRID)["terrain"][10, 12]),
            float(metres),
            delta=0.1,
        )

    def ground_of(self, file: Path) -> np.ndarray:
        data = self.accepted("--grib", self.grib, "--terrain", file, *self.GRID)
        ground = data["terrain"][:]
        data.close()
        return ground

    def test_elevation_in_units_by_name(self) -> None:
        metres = self.ground_of(made_up.elevation(self.folder / "relief.nc"))
        for units, factor in (
            ("km", 1e-3), ("dm", 10), ("inch", 1 / 0.0254), ("m2 s-2", 9.80665), ("m**2 s**-2", 9.80665), ("gpm", 1),
            ("Meters", 1), ("FT", 1 / 0.3048), ("dam", 0.1),
        ):  # fmt: skip
            with self.subTest(units=units):
                ground = self.ground_of(made_up.elevation(self.folder / "relief.nc", units, 1000.0 * factor))
                np.testing.assert_allclose(ground, metres, atol=0.01)
        (self.folder / "out.nc").unlink()
        for units, says in (("furlongish", "UDUNITS does not know"), ("K", "cannot be brought to m"), ("1", "to m")):
            file = made_up.elevation(self.folder / "relief.nc", units)
            self.refused(
                "--grib", self.grib, "--terrain", file, *self.GRID, says=(f"'relief' has the unit '{units}'", says)
            )

    def test_axes_of_an_elevation_file(self) -> None:
        """Spellings of CF, and longitudes that jump at Greenwich, at the date line, or fall."""
        plain = self.ground_of(made_up.elevation(self.folder / "relief.nc"))
        for spelled in (("degree_north", "degree_east"), ("degrees_N", "degreesE"), ("degreeN", "degree_E")):
            file = made_up.elevation(self.folder / "relief.nc", spelled=spelled)
            np.testing.assert_array_equal(self.ground_of(file), plain)
        for turned in (
            lambda longitude: longitude % 360,
            lambda longitude: (longitude + 101) % 360 - 101,
            lambda longitude: np.where(longitude < -100, longitude + 360, longitude),
        ):
            file = made_up.elevation(self.folder / "relief.nc", turned=turned)
            np.testing.assert_allclose(self.ground_of(file), plain, atol=1e-6)
        with netCDF4.Dataset(file, "a") as data:
            data["lon"][:], data["relief"][:] = data["lon"][:][::-1], data["relief"][:][:, ::-1]
        np.testing.assert_allclose(self.ground_of(file), plain, atol=1e-6)
        (self.folder / "out.nc").unlink()
        with netCDF4.Dataset(file, "a") as data:
            data["lon"][7] = np.nan
        self.refused("--grib", self.grib, "--terrain", file, *self.GRID, says=("'lon' must hold", "degrees"))

    def test_several_fields_in_a_message(self) -> None:
        plain = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        u, v = plain["u"][:], plain["v"][:]
        plain.close()
        pairs = self.accepted("--grib", made_up.winds_in_pairs(self.grib), "--terrain", "nam", *self.GRID)
        np.testing.assert_array_equal(pairs["u"][:], u)
        np.testing.assert_array_equal(pairs["v"][:], v)
        self.assertGreater(np.abs(v).max(), 0.3)

    def test_geopotential_and_levels_in_pascal(self) -> None:
        plain = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        height, ground = plain["height"][:], plain["terrain"][:]
        plain.close()

        def change(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            if level:
                keys["typeOfLevel"] = "isobaricInPa"
            if name in ("gh", "orog"):
                keys["shortName"] = "z"
                return values * made_up.GRAVITY
            return values

        made_up.grib(self.grib, change=change)
        other = self.accepted("--grib", self.grib, "--terrain", "nam", *self.GRID)
        np.testing.assert_allclose(other["height"][:], height, atol=0.5)
        np.testing.assert_allclose(other["terrain"][:], ground, atol=0.1)

    def test_values_and_dates_that_cannot_be(self) -> None:
        def at_500(wanted: str, put: float) -> object:
            return lambda name, level, keys, values: np.where((name, level) == (wanted, 500), put, values)

        for name, put, says in (
            ("t", 20.0, ("'t' at level 500 holds 20 K", "120 to 350")),
            ("u", 9999.0, ("'u' at level 500 holds 9999 m s-1", "-250 to 250")),
            ("gh", 100.0, ("'gh' does not rise from 700 hPa to 500 hPa",)),
        ):
            made_up.grib(self.grib, change=at_500(name, put))
            self.refused("--grib", self.grib, *self.GRID, says=says)

        def parallels(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            keys.update(Latin1InDegrees=20.0, Latin2InDegrees=-20.0)
            return values

        self.refused("--grib", made_up.grib(self.grib, change=parallels), *self.GRID, says=("20 and -20", "no cone"))
        made_up.grib(self.grib)
        text = self.grib.read_bytes()
        good, bad = (bytes([2020 >> 8, 2020 & 255, month, 29, 6]) for month in (2, 13))  # of section 1
        self.grib.write_bytes(text.replace(good, bad))
        self.refused("--grib", self.grib, *self.GRID, says=("2020-13-29 06:00 is no time there is"))

    def test_two_forecasts_in_a_file(self) -> None:
        whole = self.grib.read_bytes()
        made_up.grib(self.grib, ground=300.0)
        self.grib.write_bytes(whole + self.grib.read_bytes())
        self.refused("--grib", self.grib, *self.GRID, says=("'sp' at level 0 is there twice",))

    def test_across_the_date_line(self) -> None:
        def change(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            keys.update(LoVInDegrees=184.0, longitudeOfFirstGridPointInDegrees=169.0)
            return values

        made_up.grib(self.grib, change=change)
        file = made_up.elevation(self.folder / "relief.nc", turned=lambda longitude: wrap(longitude - 80.0))
        grid = ("--nx", 24, "--ny", 20, "--dx", 40000, "--centre", 42, 179, "--blend", 4)
        status, _, said = self.run_and_print("--grib", self.grib, "--terrain", file, *grid)
        self.assertEqual(status, 0)
        self.assertRegex(said, r"17\d\.\d to 18\d\.\d E")
        with netCDF4.Dataset(self.folder / "out.nc") as data:
            ridge = data["longitude"][:][10, data["terrain"][:][10].argmax()]
            self.assertAlmostEqual(float(ridge), 179.0, delta=0.5)

    def test_elevation_too_high(self) -> None:
        file = made_up.elevation(self.folder / "high.nc", None, 5000.0)
        self.refused("--grib", self.grib, "--terrain", file, *self.GRID, says=("10000 m", "9000"))

    def test_elevation_does_not_cover(self) -> None:
        file = made_up.elevation(self.folder / "relief.nc", west=-103.0)
        self.refused(
            "--grib", self.grib, "--terrain", file, *self.GRID, says=("relief.nc covers", "-103.00 to -85.00 E")
        )
        none = self.folder / "none.nc"
        self.refused("--grib", self.grib, "--terrain", none, *self.GRID, says=("none.nc", "no such file"))

    def test_domain_outside(self) -> None:
        self.refused(
            "--grib",
            self.grib,
            "--terrain",
            "nam",
            "--nx",
            24,
            "--ny",
            20,
            "--dx",
            40000,
            "--centre",
            60,
            -60,
            says=("outside the analysis", "column", "allowed 0 to 24 and 0 to 20"),
        )

    def test_truncated(self) -> None:
        whole = self.grib.read_bytes()
        for size in (len(whole) - 100, len(whole) // 2, 40):
            self.grib.write_bytes(whole[:size])
            self.refused("--grib", self.grib, "--terrain", "nam", *self.GRID, says=("made_up.grb2",))

    def test_truncated_in_a_message(self) -> None:
        self.grib.write_bytes(self.grib.read_bytes()[:-100])
        self.refused("--grib", self.grib, "--terrain", "nam", *self.GRID, says=("truncated after 31 whole fields",))

    def test_missing_variable(self) -> None:
        made_up.grib(self.grib, tuple(("t", level) for level in made_up.LEVELS))
        self.refused("--grib", self.grib, *self.GRID, says=("'t' (temperature)", "missing"))


class Options(Folder):
    def test_ranges(self) -> None:
        cases = (
            ("--nx", 3, "8 to 4000"),
            ("--dx", -5, "50 to 200000"),
            ("--max-rise", 0, "1 to 5000"),
            ("--blend", 60, "0 to 50"),
            ("--top", 900, "1 to 500"),
            ("--smooth", -1, "0 to 100"),
        )
        file = made_up.sounding(self.folder / "s.txt")
        for option, value, allowed in cases:
            with self.subTest(option=option):
                self.refused("--sounding", file, option, value, says=(f"{value}", allowed))

    def test_output_folder(self) -> None:
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(prepare.main(["--output", str(self.folder / "no" / "out.nc")]), 2)
        self.assertIn("does not exist", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
