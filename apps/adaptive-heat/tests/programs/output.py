#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files with mesh and temperature: what is in them, and what happens when they cannot be written."""

from __future__ import annotations

import subprocess
import time

import h5py
import numpy as np
from program import HANG_S, Case, Run, elements_of, gauss_lobatto, heat_of, main

# Elements of class S after each adaptation, that is at steps 0, 5, 10 …
ELEMENTS = [141, 134, 246, 190, 120, 204, 204, 120, 190, 246]


class Output(Case):
    def test_temperatures_are_those_of_the_run(self) -> None:
        run = self.run_heat(3, "--class=S", "--output=heat.vtkhdf")
        with h5py.File(self.folder / "heat.000005.vtkhdf") as file:
            self.assertAlmostEqual(heat_of(file) / run.integral, 1, delta=1e-12)
        for number in range(5):
            with h5py.File(self.folder / f"heat.{number:06}.vtkhdf") as file:
                self.assertEqual(len(elements_of(file)[0]), ELEMENTS[2 * number])
                facts = file["VTKHDF/FieldData"]
                self.assertEqual(facts["step"][0], 10 * number)
                self.assertAlmostEqual(facts["TimeValue"][0], 10 * number * 0.04 / 16, delta=1e-15)

    def test_cells_fill_the_cube_and_say_level_and_rank(self) -> None:
        self.run_heat(3, "--class=S", "--steps=5", "--output=heat.vtkhdf")
        with h5py.File(self.folder / "heat.000000.vtkhdf") as file:
            grid = file["VTKHDF"]
            points, _ = elements_of(file)
            side = points[:, -1, -1, -1, 0] - points[:, 0, 0, 0, 0]
            self.assertAlmostEqual(np.sum(side**3), 1, delta=1e-13)
            inside = gauss_lobatto()[0]
            place = (2 * points[:, 0, 0, :, 0] - points[:, 0, 0, :1, 0] - points[:, 0, 0, 4:, 0]) / side[:, None]
            np.testing.assert_allclose(place, np.broadcast_to(inside, place.shape), atol=1e-12)
            level = grid["CellData/level"][:].reshape(-1, 64)
            np.testing.assert_array_equal(level, np.broadcast_to(np.round(-np.log2(side))[:, None], level.shape))
            self.assertEqual(np.sum(grid["NumberOfCells"]), 64 * ELEMENTS[0])
            rank = grid["CellData/rank"][:]
            np.testing.assert_array_equal(np.bincount(rank), grid["NumberOfCells"][:])
            self.check_cells(grid)

    def test_cells_of_another_order_fill_the_cube(self) -> None:
        self.run_heat(2, "--levels=3", "--radius=0.2", "--order=3", "--steps=6", "--output=heat.vtkhdf")
        with h5py.File(self.folder / "heat.000000.vtkhdf") as file:
            np.testing.assert_array_equal(file.attrs["order"], [3])
            grid = file["VTKHDF"]
            self.assertEqual(np.sum(grid["NumberOfCells"]) * 64, np.sum(grid["NumberOfPoints"]) * 27)
            self.check_cells(grid, 64)

    def check_cells(self, grid: h5py.Group, of_element: int = 125) -> None:
        """Each partition's hexahedra are in VTK's order (so that their volumes are positive) and fill it."""
        np.testing.assert_array_equal(grid["Types"][:], 12)
        point = cell = corner = offset = 0
        for points, cells, corners in zip(
            grid["NumberOfPoints"], grid["NumberOfCells"], grid["NumberOfConnectivityIds"]
        ):
            np.testing.assert_array_equal(grid["Offsets"][offset : offset + cells + 1], 8 * np.arange(cells + 1))
            own = grid["Points"][point : point + points]
            hexahedra = own[grid["Connectivity"][corner : corner + corners].reshape(-1, 8)]
            edges = hexahedra[:, [1, 3, 4]] - hexahedra[:, :1]
            volume = np.linalg.det(edges)
            self.assertGreater(volume.min(), 0)
            np.testing.assert_allclose(hexahedra[:, 6] - hexahedra[:, 0], edges.sum(axis=1), atol=1e-15)
            np.testing.assert_allclose(hexahedra[:, 2] - hexahedra[:, 0], edges[:, :2].sum(axis=1), atol=1e-15)
            box = own.reshape(-1, of_element, 3)
            self.assertAlmostEqual(volume.sum(), np.prod(box[:, -1] - box[:, 0], axis=1).sum(), delta=1e-13)
            point, cell, corner, offset = point + points, cell + cells, corner + corners, offset + cells + 1

    def test_the_file_of_all_times_has_the_values_of_each(self) -> None:
        self.run_heat(2, "--class=S", "--steps=12", "--output=heat.vtkhdf", "--output-every=5")
        with h5py.File(self.folder / "heat.vtkhdf") as file:
            steps = file["VTKHDF/Steps"]
            np.testing.assert_array_equal(file["VTKHDF/FieldData/step"][:], [0, 5, 10, 12])
            np.testing.assert_allclose(steps["Values"][:], np.array([0, 5, 10, 12]) * 0.0025, atol=1e-15)
            self.assertEqual(steps.attrs["NSteps"], 4)
            for i in range(4):
                with h5py.File(self.folder / f"heat.{i:06}.vtkhdf") as one:
                    own = one["VTKHDF/PointData/temperature"][:]
                    first = steps["PointOffsets"][i]
                    np.testing.assert_array_equal(file["VTKHDF/PointData/temperature"][first : first + len(own)], own)
                    parts = slice(steps["PartOffsets"][i], steps["PartOffsets"][i] + steps["NumberOfParts"][i])
                    np.testing.assert_array_equal(file["VTKHDF/NumberOfCells"][parts], one["VTKHDF/NumberOfCells"][:])

    def test_more_ranks_than_elements(self) -> None:
        run = self.run_heat(4, "--levels=1", "--radius=0.01", "--steps=2", "--output=heat.vtkhdf")
        few = self.run_heat(1, "--levels=1", "--radius=0.01", "--steps=2")
        self.assertAlmostEqual(run.integral, few.integral, delta=1e-12 * abs(few.integral))
        with h5py.File(self.folder / "heat.000001.vtkhdf") as file:
            self.assertEqual(len(elements_of(file)[0]), 8)

    def test_coordinates_are_the_users(self) -> None:
        (self.folder / "own.toml").write_text(
            "[domain]\norigin = [-3, 10, 100]\nlength = 8\n[mesh]\nlevels = 3\n[source]\nradius = 1.5\n"
            "[medium]\nvelocity = [1, 2, -3]\n[time]\nsteps = 3\n"
        )
        run = self.run_heat(2, "--settings=own.toml", "--output=heat.vtkhdf")
        with h5py.File(self.folder / "heat.000001.vtkhdf") as file:
            points, _ = elements_of(file)
            np.testing.assert_array_equal(points.reshape(-1, 3).min(axis=0), [-3, 10, 100])
            np.testing.assert_array_equal(points.reshape(-1, 3).max(axis=0), [5, 18, 108])
            self.assertAlmostEqual(heat_of(file) / run.integral, 1, delta=1e-12)

    # ---- what goes wrong ----

    def test_names_and_folders_that_cannot_be(self) -> None:
        self.assertIn("must end in .vtkhdf", self.complaint_of(1, "--output=heat.h5"))
        complaint = self.complaint_of(2, "--output=nowhere/heat.vtkhdf")
        self.assertRegex(complaint, "nowhere/heat.* No such file or directory")

    def test_a_full_disk_leaves_whole_files_only(self) -> None:
        # A disk of 2 MB, which only this run sees: 141 elements fit, 246 do not.
        (self.folder / "disk").mkdir()
        around = (
            "unshare",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            'mount -t tmpfs -o size=2m none disk && { "$@"; s=$?; ls disk >files; exit $s; } || exit $?',
            "sh",
        )
        if subprocess.run(
            [*around[:-2], "mount -t tmpfs none disk", "sh"], cwd=self.folder, capture_output=True
        ).returncode:
            self.skipTest("namespaces are not allowed here")
        run = Run(self.folder, 2, "--class=S", "--output=disk/heat.vtkhdf", around=around)
        self.assertEqual(run.status, 2, run.out + run.err)
        self.assertRegex(
            run.complaint, r"step 1 of .*heat.000001.vtkhdf.* No space left on device; the 1 steps before it are"
        )
        whole = ["heat.000000.vtkhdf", "heat.journal", "heat.parts.json", "heat.vtkhdf", "heat.vtkhdf.series"]
        self.assertEqual(sorted((self.folder / "files").read_text().split()), whole)

    def test_a_run_that_is_killed_leaves_whole_times(self) -> None:
        own = ("--class=S", "--output-every=1", "--output=heat.vtkhdf")
        run = subprocess.Popen(
            [*Run.command(1), *own, "--steps=100000"],
            cwd=self.folder,
            env=Run.environment(1),
            stdout=subprocess.DEVNULL,
        )
        fifth, until = self.folder / "heat.000005.vtkhdf", time.monotonic() + HANG_S
        while not fifth.exists() and run.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        run.kill()
        self.assertEqual(run.wait(), -9)
        times = (self.folder / "heat.journal").stat().st_size // 64
        self.assertGreaterEqual(times, 5)
        killed = []
        for number in range(times):
            with h5py.File(self.folder / f"heat.{number:06}.vtkhdf") as file:
                self.assertEqual(file["VTKHDF/FieldData/step"][0], number)
                killed.append(file["VTKHDF/PointData/temperature"][:])
        self.run_heat(1, *own, "--steps=5")
        with h5py.File(self.folder / "heat.vtkhdf") as file:
            np.testing.assert_array_equal(
                np.concatenate(killed[:5]), file["VTKHDF/PointData/temperature"][: sum(map(len, killed[:5]))]
            )

    def test_all_who_may_write_write_the_same(self) -> None:
        own = ("--levels=3", "--radius=0.2", "--steps=5", "--output-every=5", "--form=ordered")
        self.run_heat(2, *own, "--output=thread.vtkhdf")
        self.run_heat(2, *own, "--output=synchronous.vtkhdf", "--output-policy=synchronous")
        self.run_heat(3, *own, "--output=writer.vtkhdf", "--output-policy=writer")
        for number in range(2):
            thread, synchronous, writer = (
                (self.folder / f"{name}.{number:06}.vtkhdf").read_bytes()
                for name in ("thread", "synchronous", "writer")
            )
            self.assertTrue(thread == synchronous == writer)
        self.assertIn("automatic, synchronous, thread or writer", self.complaint_of(1, "--output-policy=never"))


if __name__ == "__main__":
    main()
