# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the soil that prepare.py takes from GRIB files, against means by hand; run by test_prepare.py."""

from __future__ import annotations

import unittest

import numpy as np
from folder import Folder, no_eccodes  # sets the path

import made_up
import soil

NCEP = ((0, 10), (10, 40), (40, 100), (100, 200))  # cm
ERA5 = ((0, 7), (7, 28), (28, 100), (100, 255))  # edition 1 has no room for 289
WARM, MOIST = (280.0, 284.0, 288.0, 290.0), (0.10, 0.20, 0.30, 0.40)
GRID = ("--nx", 24, "--ny", 20, "--dx", 40000, "--centre", 42, -101, "--blend", 4)


class Depths(unittest.TestCase):
    def test_means_over_depths(self) -> None:
        layers = {(10 * top, 10 * bottom): np.array(t) for (top, bottom), t in zip(NCEP, WARM)}
        for depth, wanted in (((0, 50), 280.0), ((100, 500), 285.0), ((50, 150), 282.0), ((0, 2000), 288.0)):
            self.assertAlmostEqual(float(soil.mean_over(layers, depth)), wanted, places=10)
        layers[(0, 2000)] = np.array(999.0)  # a thick layer stands behind thin ones
        self.assertAlmostEqual(float(soil.mean_over(layers, (0, 500))), (100 * 280 + 300 * 284 + 100 * 288) / 500)
        del layers[(100, 400)], layers[(0, 2000)]
        self.assertIsNone(soil.mean_over(layers, (100, 500)))
        self.assertIsNone(soil.mean_over(layers, (1500, 2500)))
        self.assertIsNone(soil.mean_over({}, (0, 50)))

    def test_wetness(self) -> None:
        """Lee and Pielke: nothing of dry soil, a quarter at half the field capacity, all from there on."""
        contents = np.array([0.0, 0.1615, 0.323, 0.5, 0.323 / 3])
        np.testing.assert_allclose(soil.wetness(contents), [0.0, 0.25, 1.0, 1.0, 0.0625], atol=1e-12)

    def test_land_alone(self) -> None:
        """Against the weights of each corner, point by point; then the next points, up to three away."""
        random = np.random.default_rng(3)
        field, known = random.uniform(270, 300, (9, 11)), random.uniform(size=(9, 11)) < 0.5
        i, j = random.uniform(0, 10, 400), random.uniform(0, 8, 400)
        found = soil.from_land(np.where(known, field, np.nan), known, i, j)
        for n in range(400):
            column, row = min(int(i[n]), 9), min(int(j[n]), 7)
            east, north = i[n] - column, j[n] - row
            corners = [
                (field[row + b, column + a], (east if a else 1 - east) * (north if b else 1 - north))
                for a in (0, 1)
                for b in (0, 1)
                if known[row + b, column + a]
            ]
            if corners:
                wanted = sum(value * weight for value, weight in corners) / sum(weight for _, weight in corners)
                self.assertAlmostEqual(found[n], wanted, places=9)
        one = np.zeros((9, 11), bool)
        one[4, 2] = True
        line = soil.from_land(np.full((9, 11), 281.0), one, np.arange(11.0), np.full(11, 4.0))
        np.testing.assert_allclose(line[:6], 281.0)
        self.assertTrue(np.isnan(line[6:]).all())


@unittest.skipIf(no_eccodes, no_eccodes)
class SoilOfFiles(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.grib = self.folder / "made_up.grb"

    def layers(self, names: tuple[str, str], depths: tuple, land: object = 1.0) -> tuple:
        """Soil of these names, missing where land is NaN."""
        return tuple(
            (name, depth, value * land)
            for name, values in zip(names, (WARM, MOIST))
            for depth, value in zip(depths, values)
        )

    def test_centres_and_editions(self) -> None:
        """GFS and NAM (edition 2 and 1), ERA5 (edition 1 and 2), IFS by numbers of layers."""
        ncep, era5 = (280.0, 285.0, 0.10), (280.0, (18 * 284 + 22 * 288) / 40, (7 * 0.10 + 3 * 0.20) / 10)

        def of_ncep(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            keys.update(centre=7)
            return values

        def numbered(name: str, level: int, keys: dict, values: np.ndarray) -> np.ndarray:
            if name in ("sot", "vsw"):
                keys["typeOfLevel"] = "soilLayer"
            return values

        four = [(f"stl{n + 1}", ERA5[n], WARM[n]) for n in range(4)]
        four += [(f"swvl{n + 1}", ERA5[n], MOIST[n]) for n in range(4)]
        numbers = tuple(
            (name, (100 * n, 100 * (n + 1)), values[n])
            for name, values in (("sot", WARM), ("vsw", MOIST))
            for n in range(4)
        )
        for what, edition, change, messages, wanted in (
            ("NCEP", 2, of_ncep, self.layers(("st", "soilw"), NCEP), ncep),
            ("NCEP", 1, of_ncep, self.layers(("85", "144"), NCEP), ncep),
            ("NCEP", 1, of_ncep, self.layers(("11", "144"), NCEP), ncep),
            ("ERA5", 1, None, tuple(four), era5),
            ("ERA5", 2, None, tuple(four), era5),
            ("IFS", 2, numbered, numbers, era5),
        ):
            with self.subTest(what=what, edition=edition):
                changed = {"change": change} if change else {}
                made_up.grib(self.grib, ground=50.0, around="part", edition=edition, soil=messages, **changed)
                data = self.accepted("--grib", self.grib, "--terrain", "nam", *GRID)
                terrain = data["terrain"][:] - 50.0
                np.testing.assert_allclose(data["soil_temperature"][:], wanted[0] - 0.0065 * terrain, atol=1e-3)
                np.testing.assert_allclose(data["deep_soil_temperature"][:], wanted[1] - 0.0065 * terrain, atol=1e-3)
                evaporates = 0.25 * (1 - np.cos(np.pi * wanted[2] / 0.323)) ** 2
                np.testing.assert_allclose(data["ground_wetness"][:], evaporates, atol=1e-5)
                data.close()

    def test_land_and_sea(self) -> None:
        """The coast of the files runs along a column, that of the model along 42 N: land takes soil of land alone."""
        for marked in ("missing values", "the share of land", "water of 1"):
            with self.subTest(marked=marked):
                is_land = np.arange(made_up.SHAPE[1]) >= 12
                sea = {"missing values": np.nan, "the share of land": 1.0, "water of 1": 1.0}[marked]
                temperature = np.where(is_land, 280.0, 295.0 * sea)
                water = np.where(is_land, 0.1615, 0.02 if marked == "the share of land" else sea)
                messages = [("st", depth, temperature) for depth in NCEP] + [("soilw", depth, water) for depth in NCEP]
                if marked == "the share of land":
                    messages.append(("lsm", (0, 0), 1.0 * is_land))
                made_up.grib(self.grib, ground=500.0, near_ground=290.0, soil=tuple(messages))
                relief = made_up.elevation(self.folder / "relief.nc", sea_north_of=42.0)
                status, message, said = self.run_and_print("--grib", self.grib, "--terrain", relief, *GRID)
                self.assertEqual(status, 0, message)
                self.check_coast()
                self.assertRegex(said, r"soil: water of 0-10 cm from 0-10, 10-40, 40-100, 100-200 cm: 0\.161 to 0\.16")
                self.assertRegex(said, r"in [1-9]\d* columns far from the files' land the wetness of land is 0\.3")

    def check_coast(self) -> None:
        import netCDF4

        with netCDF4.Dataset(self.folder / "out.nc") as data:
            land, moved = data["land_fraction"][:], 0.0065 * (500.0 - data["terrain"][:])
            warm, wet = data["soil_temperature"][:] - moved, data["ground_wetness"][:]
            below = data["deep_soil_temperature"][:] - moved
        # Column 12 of the files lies near the model's middle (12); 3 points of 80 km are 6 columns.
        near, far = (slice(0, 8), slice(14, None)), (slice(0, 8), slice(0, 3))
        self.assertEqual((land[near].min(), land[far].min()), (1.0, 1.0))
        for field, here, there in ((warm, 280.0, 290.0), (below, 280.0, 290.0), (wet, 0.25, 0.3)):
            np.testing.assert_allclose(field[near], here, atol=1e-3)
            np.testing.assert_allclose(field[far], there, atol=1e-3)
            between = field[:8]  # nothing of the sea's 295 K and its water
            self.assertTrue((np.isclose(between, here, atol=1e-3) | np.isclose(between, there, atol=1e-3)).all())
        np.testing.assert_allclose(wet[land == 0.0], 1.0)

    def test_none(self) -> None:
        """What is used instead is said, in the log and with no field in the file."""
        made_up.grib(self.grib, soil=(("st", (10, 40), 284.0), ("soilw", (0, 10), 0.323)))
        status, message, said = self.run_and_print("--grib", self.grib, "--terrain", "nam", *GRID)
        self.assertEqual(status, 0, message)
        self.assertIn("no temperature of the ground of 0-5 cm in the files (only of 10-40 cm): the ground begins", said)
        self.assertIn("no temperature below of 10-50 cm in the files (only of 10-40 cm): what lies below", said)
        (self.folder / "out.nc").unlink()
        made_up.grib(self.grib)
        data = self.accepted("--grib", self.grib, "--terrain", "nam", *GRID)
        self.assertFalse({"soil_temperature", "deep_soil_temperature"} & set(data.variables))
        np.testing.assert_allclose(data["ground_wetness"][:], 0.3)
        data.close()
        said = self.run_and_print("--grib", self.grib, "--terrain", "nam", *GRID)[2]
        self.assertIn("soil: no water of 0-10 cm in the files (none): the wetness of land is 0.3", said)

    def test_impossible(self) -> None:
        for messages, says in (
            ((("st", (0, 10), 20.0),), ("'st 0-100' at level 0 holds 20 K", "150 to 350")),
            ((("soilw", (0, 10), 30.0),), ("'vsw 0-100' at level 0 holds 30", "-0.01 to 1.01")),
        ):
            made_up.grib(self.grib, soil=messages)
            self.refused("--grib", self.grib, "--terrain", "nam", *GRID, says=says)
