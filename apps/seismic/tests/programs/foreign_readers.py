#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""segyio and ObsPy read our gathers as RSF says they are. Exit status 77, skipped, where neither is installed."""

from __future__ import annotations

import importlib.util
import sys
import unittest

import numpy as np
from program import Case, main

HAS = {name: importlib.util.find_spec(name) is not None for name in ("segyio", "obspy")}
if not any(HAS.values()):
    print("neither segyio nor obspy is installed")
    sys.exit(77)


class ForeignReaders(Case):
    def setUp(self) -> None:
        super().setUp()
        self.run_shot(1, "snapshots.path=")
        self.run_shot(1, "snapshots.path=", "gathers.file=shot.rsf", "gathers.format=rsf")
        words = dict(w.split("=", 1) for w in (self.folder / "shot.rsf").read_text().split() if "=" in w)
        shape = (int(words["n2"]), int(words["n1"]))
        data = words["in"].strip('"')
        self.values = np.fromfile(self.folder / data, "<f4").reshape(shape)
        self.assertTrue(np.any(self.values))

    @unittest.skipUnless(HAS["segyio"], "no segyio")
    def test_segyio(self) -> None:
        import segyio

        with segyio.open(str(self.folder / "shot.sgy"), ignore_geometry=True) as file:
            self.assertEqual(file.tracecount, 41)
            np.testing.assert_array_equal(file.trace.raw[:], self.values)
            self.assertEqual(segyio.tools.dt(file), 3000)
            header = file.header[3]
            scale = -header[segyio.TraceField.SourceGroupScalar]
            self.assertAlmostEqual(header[segyio.TraceField.GroupX] / scale, 105 + 3 * 19)
            self.assertAlmostEqual(header[segyio.TraceField.GroupY] / scale, 291)
            self.assertAlmostEqual(header[segyio.TraceField.SourceX] / scale, 513)
            self.assertEqual(file.bin[segyio.BinField.Format], 5)
            self.assertIn("nearfar", file.text[0].decode().lower())

    @unittest.skipUnless(HAS["obspy"], "no obspy")
    def test_obspy(self) -> None:
        from obspy.io.segy.segy import _read_segy

        file = _read_segy(str(self.folder / "shot.sgy"))
        self.assertEqual(len(file.traces), 41)
        self.assertEqual(file.binary_file_header.sample_interval_in_microseconds, 3000)
        for trace, values in zip(file.traces, self.values):
            np.testing.assert_array_equal(trace.data, values)
        header = file.traces[3].header
        self.assertEqual(header.group_coordinate_x, 100 * (105 + 3 * 19))
        self.assertEqual(header.scalar_to_be_applied_to_all_coordinates, -100)


if __name__ == "__main__":
    main()
