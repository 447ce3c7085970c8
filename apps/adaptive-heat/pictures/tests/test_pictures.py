#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the pictures on a small series that is made up here: slices, rasters, files, bad input."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import h5py  # noqa: E402
import numpy as np  # noqa: E402

import pictures  # noqa: E402
from slices import InputError, files_of, lobatto_points, raster, slice_of  # noqa: E402

ORIGIN, LENGTH = np.array([1.0, -2.0, 3.0]), 4.0
CENTRE = np.array([2.2, -1.1, 4.3])


def temperature(x: np.ndarray) -> np.ndarray:
    """A polynomial of degree four in each coordinate, which elements have exactly."""
    return 1 + 0.1 * x[..., 0] ** 4 - x[..., 1] * x[..., 2] ** 3 + 0.5 * x[..., 1] ** 4


def corners() -> list[tuple[np.ndarray, float, int]]:
    """Eight cubes, the first of which is cut into eight: corner, side, level."""
    eighths = [np.array([c & 1, c >> 1 & 1, c >> 2 & 1]) for c in range(8)]
    whole = [(ORIGIN + LENGTH / 2 * e, LENGTH / 2, 1) for e in eighths[1:]]
    return [(ORIGIN + LENGTH / 4 * e, LENGTH / 4, 2) for e in eighths] + whole


def write_series(folder: Path, steps: list[int]) -> Path:
    place = (lobatto_points() + 1) / 2
    z, y, x = np.meshgrid(place, place, place, indexing="ij")
    points = np.concatenate([c + h * np.stack([x, y, z], -1).reshape(-1, 3) for c, h, _ in corners()])
    for number, step in enumerate(steps):
        with h5py.File(folder / f"heat.{number:06}.vtkhdf", "w") as file:
            file["VTKHDF/Points"] = points
            file["VTKHDF/PointData/temperature"] = temperature(points) * (step + 1)
            file["VTKHDF/CellData/level"] = np.repeat([level for *_, level in corners()], 64).astype(np.uint8)
            file["VTKHDF/CellData/rank"] = np.repeat(np.arange(15) % 3, 64).astype(np.int32)
            of_step = file["VTKHDF"].create_group("FieldData")
            of_step["step"], of_step["TimeValue"], of_step["centre"] = [step], [0.5 * step], CENTRE
            facts = {"levels": 2, "order": 4, "radius": 0.6, "length": LENGTH}
            for name, value in {**facts, **{f"origin_{axis}": x for axis, x in zip("xyz", ORIGIN)}}.items():
                file.attrs[name] = [float(value)]
    series = folder / "heat.vtkhdf"
    with h5py.File(series, "w") as file:
        file["VTKHDF/Steps/Values"] = 0.5 * np.array(steps)
    return series


class Pictures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nearfar-pictures-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.series = write_series(self.folder, [0, 5, 10])

    def test_the_plane_cuts_the_elements_around_it(self) -> None:
        s = slice_of(self.folder / "heat.000001.vtkhdf")
        self.assertEqual((s.step, s.time, s.elements), (5, 2.5, 15))
        self.assertEqual(sorted(s.level), [1, 1, 1, 2, 2, 2, 2])  # z = 4.3 lies in the second layer of the small ones
        self.assertAlmostEqual(np.sum(s.side**2), LENGTH**2)

    def test_rasters_are_exact_for_polynomials(self) -> None:
        s = slice_of(self.folder / "heat.000000.vtkhdf")
        for window in (s.extent, (1.9, 3.3, -1.4, 0.9)):
            pixels = 37
            centre = (np.arange(pixels) + 0.5) / pixels
            x, y = np.meshgrid(
                window[0] + centre * (window[1] - window[0]), window[2] + centre * (window[3] - window[2])
            )
            expected = temperature(np.stack([x, y, np.full_like(x, CENTRE[2])], -1))
            np.testing.assert_allclose(raster(s, pixels, window), expected, rtol=1e-11, atol=1e-11)

    def test_all_pictures_are_drawn(self) -> None:
        out = self.folder / "out"
        self.assertEqual(pictures.main([str(self.series), "--output", str(out), "--step", "10"]), 0)
        for name, least in (("heat.png", 600), ("frames.png", 600), ("heat.gif", 300)):
            image = pictures.plt.imread(out / name) if name.endswith("png") else None
            self.assertGreater((out / name).stat().st_size, 5000)
            if image is not None:
                self.assertGreater(image.shape[1], least)
                self.assertGreater(np.std(image[:, :, :3]), 0.05)  # not a blank page

    def complaint(self, *arguments: str) -> str:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(pictures.main([*arguments, "--output", str(self.folder / "out")]), 2)
        return said.getvalue()

    def test_bad_input_is_named(self) -> None:
        self.assertIn("nothing.vtkhdf", self.complaint(str(self.folder / "nothing.vtkhdf")))
        self.assertIn("no series", self.complaint(str(self.folder / "heat.000001.vtkhdf")))
        self.assertIn("there is no step 7; the steps are 0, 5, 10", self.complaint(str(self.series), "--step", "7"))
        (self.folder / "heat.000001.vtkhdf").write_text("broken")
        self.assertIn("heat.000001.vtkhdf", self.complaint(str(self.series)))

    def test_files_come_in_the_order_of_time(self) -> None:
        self.assertEqual([f.name for f in files_of(self.series)], [f"heat.{n:06}.vtkhdf" for n in range(3)])
        with self.assertRaises(InputError):
            files_of(self.folder / "heat.000000.vtkhdf")


if __name__ == "__main__":
    unittest.main()
