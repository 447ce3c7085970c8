#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the pictures on a small shot that is made up here: reading, slices, files, bad input."""

from __future__ import annotations

import contextlib
import io
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402

import pictures  # noqa: E402
from rsf import InputError, read_rsf, read_segy  # noqa: E402

POINTS, STEP = (12, 5, 20), 25.0  # z, y, x


def write_rsf(path: Path, values: np.ndarray, steps: list[float]) -> None:
    values.astype("<f4").tofile(f"{path}@")
    words = [f"n{n}={count} d{n}={d} o{n}=0" for n, (count, d) in enumerate(zip(values.shape[::-1], steps[::-1]), 1)]
    path.write_text("\n".join([*words, 'data_format="native_float" esize=4', f'in="{path.name}@"', ""]))


def write_segy(path: Path, values: np.ndarray, source: tuple[int, int, int]) -> None:
    """Places in centimetres, as the standard has them: depth of the source downwards, elevation of receivers
    upwards."""
    binary = bytearray(400)
    struct.pack_into(">h", binary, 16, 4000)
    struct.pack_into(">h", binary, 20, values.shape[1])
    struct.pack_into(">h", binary, 24, 5)
    data = b" " * 3200 + bytes(binary)
    for n, trace in enumerate(values):
        head = bytearray(240)
        struct.pack_into(">ii", head, 40, -1000, 0)
        struct.pack_into(">i", head, 48, 100 * source[2])
        struct.pack_into(">hh", head, 68, -100, -100)
        struct.pack_into(">iiii", head, 72, 100 * source[0], 100 * source[1], int(100 * STEP * n), 100 * source[1])
        data += bytes(head) + trace.astype(">f4").tobytes()
    path.write_bytes(data)


class Pictures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nearfar-pictures-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        z, y, x = np.meshgrid(*(STEP * np.arange(n) for n in POINTS), indexing="ij")
        write_rsf(self.folder / "ground_vp.rsf", np.where(z > 150, 4000, 2000) + 0 * x, [STEP] * 3)
        for name, value in (("epsilon", 0.1), ("delta", 0.05), ("tilt", 30), ("azimuth", 180)):
            write_rsf(self.folder / f"ground_{name}.rsf", np.full(POINTS, value), [STEP] * 3)
        time = np.arange(9) * 0.02
        distance = np.sqrt((x - 200) ** 2 + (y - 50) ** 2 + z**2)
        waves = np.stack([np.exp(-(((distance - 2500 * t) / 60) ** 2)) * (t > 0) for t in time])
        write_rsf(self.folder / "wave.p.rsf", waves, [0.02] + [STEP] * 3)
        self.traces = np.sin(np.arange(POINTS[2])[:, None] + np.arange(50)[None, :] / 3)
        write_segy(self.folder / "shot.sgy", self.traces, (200, 50, 15))
        self.arguments = [str(self.folder / name) for name in ("wave.p.rsf", "ground", "shot.sgy")]

    def test_gathers_are_read_as_they_were_written(self) -> None:
        shot = read_segy(self.folder / "shot.sgy")
        np.testing.assert_allclose(shot.values, self.traces, atol=1e-6)
        np.testing.assert_allclose(shot.source, [200, 50, 15])
        np.testing.assert_allclose(shot.receivers[3], [3 * STEP, 50, 10])
        self.assertAlmostEqual(shot.interval_s, 0.004)

    def test_the_axis_of_symmetry_lies_in_the_slice(self) -> None:
        g = pictures.ground_of(str(self.folder / "ground"), 50)
        self.assertEqual(g.vp.shape, (POINTS[0], POINTS[2]))
        np.testing.assert_allclose((g.along_x[3, 3], g.along_z[3, 3]), (-0.5, np.sqrt(0.75)))  # towards smaller x
        self.assertTrue(g.is_tilted.all())

    def test_ground_without_anisotropy_has_no_axes(self) -> None:
        for name in ("epsilon", "delta", "tilt", "azimuth"):
            (self.folder / f"ground_{name}.rsf").unlink()
        self.assertFalse(pictures.ground_of(str(self.folder / "ground"), 50).is_tilted.any())

    def test_all_pictures_are_drawn(self) -> None:
        out = self.folder / "out"
        self.assertEqual(pictures.main([*self.arguments, "--output", str(out)]), 0)
        for name in ("seismic.png", "gather.png"):
            image = pictures.plt.imread(out / name)
            self.assertGreater(image.shape[1], 600)
            self.assertGreater(np.std(image[:, :, :3]), 0.05)  # not a blank page
        self.assertGreater((out / "seismic.gif").stat().st_size, 5000)

    def complaint(self, *arguments: str) -> str:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(pictures.main([*arguments, "--output", str(self.folder / "out")]), 2)
        return said.getvalue()

    def test_bad_input_is_named(self) -> None:
        waves, ground, shot = self.arguments
        self.assertIn("nothing.rsf", self.complaint(str(self.folder / "nothing.rsf"), ground, shot))
        self.assertIn("3 dimensions; a series of snapshots has 4", self.complaint(f"{ground}_vp.rsf", ground, shot))
        self.assertIn("nowhere_vp.rsf", self.complaint(waves, "nowhere", shot))
        (self.folder / "wave.p.rsf@").write_bytes(b"1234")
        self.assertIn("wave.p.rsf@ has 4 bytes", self.complaint(waves, ground, shot))

    def test_what_is_no_gather_is_refused(self) -> None:
        path = self.folder / "shot.sgy"
        whole = path.read_bytes()
        for data, words in (
            (whole[:100], "100 bytes"),
            (whole[:-3], "inside a trace"),
            (whole[:3225] + b"\x01" + whole[3226:], "format 1"),
        ):
            path.write_bytes(data)
            with self.assertRaisesRegex(InputError, words):
                read_segy(path)

    def test_headers_of_madagascar(self) -> None:
        path = self.folder / "own.rsf"
        path.write_text('sfmath n1=7\n\n n1=2 d1=0.5\n\to1=1 in="own@" data_format="xdr_float"\n n2=3\n')
        np.arange(6).astype(">f4").tofile(self.folder / "own@")
        own = read_rsf(path)
        np.testing.assert_array_equal(own.values, [[0, 1], [2, 3], [4, 5]])
        np.testing.assert_allclose(own.axes[1], [1, 1.5])


if __name__ == "__main__":
    unittest.main()
