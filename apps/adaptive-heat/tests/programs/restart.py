#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run that is gone on with is the run that was never stopped; files that are no checkpoints are refused."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from program import Case, main


def seal(path: Path) -> None:
    """As src/output/seal.hpp has it: a sum of all that is not values, at the end."""
    with h5py.File(path) as file:
        sets = [file[name].id for name in ("leaves", "temperature", "check_sum")]
        ranges = sorted((s.get_offset(), s.get_storage_size()) for s in sets)
    data = path.read_bytes()
    covered, at = b"", 0
    for begin, size in ranges:
        covered += data[at:begin]
        at = begin + size
    words = np.array([*np.ravel(ranges), len(ranges)], np.uint64).tobytes()
    total = 0xCBF29CE484222325
    for byte in covered + data[at:] + words:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    path.write_bytes(data + words + total.to_bytes(8, "little") + b"nearseal")


class Restart(Case):
    def final(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        with h5py.File(self.folder / name) as file:
            return file["leaves"][:], file["temperature"][:]

    def interrupted(self, form: str, stop: int, before: int, after: int) -> None:
        """Class S up to a step on some ranks, and on to step 50 on others."""
        self.run_heat(before, f"--form={form}", f"--steps={stop}", "--checkpoint=half.h5")
        self.run_heat(after, f"--form={form}", "--restart=half.h5", "--steps=50", "--checkpoint=again.h5")

    def test_the_same_bits_in_the_ordered_form(self) -> None:
        self.run_heat(1, "--form=ordered", "--checkpoint=once.h5")
        leaves, temperature = self.final("once.h5")
        self.interrupted("ordered", 30, 2, 3)  # the mesh of step 30 changes only if the run goes on
        np.testing.assert_array_equal(self.final("again.h5")[0], leaves)
        np.testing.assert_array_equal(self.final("again.h5")[1].view(np.uint64), temperature.view(np.uint64))

    def test_the_same_temperature_in_the_usual_form(self) -> None:
        self.run_heat(1, "--checkpoint=once.h5")
        leaves, temperature = self.final("once.h5")
        self.interrupted("copies", 23, 2, 1)
        np.testing.assert_array_equal(self.final("again.h5")[0], leaves)
        np.testing.assert_allclose(self.final("again.h5")[1], temperature, atol=1e-12 * np.abs(temperature).max())

    def test_a_run_that_was_killed_is_still_verified(self) -> None:
        self.run_heat(1, "--output=heat.vtkhdf")
        with h5py.File(self.folder / "heat.vtkhdf") as file:
            whole = file["VTKHDF/PointData/temperature"][:]
        # What is left if it is killed after step 20: no later checkpoint.
        self.run_heat(1, "--steps=20", "--checkpoint=last.h5")
        with h5py.File(self.folder / "last.h5", "r+") as file:
            problem = file.attrs["problem"]
            problem[[0, 2, 5]] = ord("S"), 50, 0.1890013110962e-02
            file.attrs.modify("problem", problem)
        seal(self.folder / "last.h5")
        run = self.run_heat(2, "--restart=last.h5", "--output=heat.vtkhdf")
        self.assertIn("Verification Successful", run.out)
        with h5py.File(self.folder / "heat.vtkhdf") as file:
            np.testing.assert_array_equal(file["VTKHDF/FieldData/step"][:], [0, 10, 20, 30, 40, 50])
            np.testing.assert_allclose(file["VTKHDF/PointData/temperature"][:], whole, atol=1e-10)

    # ---- what goes wrong ----

    def test_files_that_are_no_checkpoints(self) -> None:
        self.run_heat(1, "--steps=4", "--checkpoint=good.h5", "--output=heat.vtkhdf")
        good = (self.folder / "good.h5").read_bytes()
        (self.folder / "truncated.h5").write_bytes(good[: len(good) // 2])
        (self.folder / "text.h5").write_text("This is none.\n" * 100)
        damaged = bytearray(good)
        damaged[len(good) // 2] ^= 1
        (self.folder / "damaged.h5").write_bytes(damaged)
        for name, words in (("truncated.h5", "no whole HDF5 file"), ("text.h5", "no whole HDF5 file"),
                            ("heat.vtkhdf", "not of the format"), ("missing.h5", "No such file"),
                            ("damaged.h5", "damaged")):
            with self.subTest(name=name):
                complaint = self.complaint_of(2 if name == "damaged.h5" else 1, f"--restart={name}", "--steps=8")
                self.assertIn(name, complaint)
                self.assertIn(words, complaint)

    def test_a_run_that_is_over(self) -> None:
        self.run_heat(1, "--steps=2", "--checkpoint=end.h5")
        self.assertIn("after step 2 of 2", self.complaint_of(1, "--restart=end.h5"))
        self.assertIn("--levels=5", self.complaint_of(1, "--restart=end.h5", "--levels=5"))

    def test_another_order(self) -> None:
        own = ("--levels=3", "--radius=0.2", "--order=6", "--form=ordered")
        self.run_heat(1, *own, "--steps=12", "--checkpoint=once.h5")
        self.run_heat(2, *own, "--steps=7", "--checkpoint=half.h5")
        self.assertEqual(self.final("half.h5")[1].shape[1:], (7, 7, 7))
        self.run_heat(1, "--form=ordered", "--restart=half.h5", "--steps=12", "--order=6", "--checkpoint=again.h5")
        np.testing.assert_array_equal(self.final("again.h5")[1], self.final("once.h5")[1])
        complaint = self.complaint_of(2, "--restart=half.h5", "--steps=12", "--order=5")
        self.assertIn("half.h5 is of order 6", complaint)
        self.assertIn("--order=5", complaint)

    def test_settings_are_refused_on_every_rank(self) -> None:
        (self.folder / "own.toml").write_text("[mesh]\nlevels = 99\n")
        self.assertIn("own.toml, line 2: mesh.levels = 99", self.complaint_of(3, "--settings=own.toml"))
        self.assertIn("No such file", self.complaint_of(1, "--settings=missing.toml"))


if __name__ == "__main__":
    main()
