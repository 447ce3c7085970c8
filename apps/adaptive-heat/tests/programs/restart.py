#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run that is gone on with is the run that was never stopped; files that are no checkpoints are refused."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time

import h5py
import numpy as np
from program import HANG_S, PROGRAM, Case, Run, main, wait_until_gone, working_in


class Restart(Case):
    def final(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Of the first checkpoint of that name."""
        with h5py.File(self.folder / f"{name}-a.h5") as file:
            return file["leaves"][0], file["temperature"][0]

    def interrupted(self, form: str, stop: int, before: int, after: int) -> None:
        """Class S up to a step on some ranks, and on to step 50 on others."""
        self.run_heat(before, f"--form={form}", f"--steps={stop}", "--checkpoint=half")
        self.run_heat(after, f"--form={form}", "--restart=half", "--steps=50", "--checkpoint=again")

    def test_the_same_bits_in_the_ordered_form(self) -> None:
        self.run_heat(1, "--form=ordered", "--checkpoint=once")
        leaves, temperature = self.final("once")
        self.interrupted("ordered", 30, 2, 3)  # the mesh of step 30 changes only if the run goes on
        np.testing.assert_array_equal(self.final("again")[0], leaves)
        np.testing.assert_array_equal(self.final("again")[1].view(np.uint64), temperature.view(np.uint64))

    def test_the_same_temperature_in_the_usual_form(self) -> None:
        self.run_heat(1, "--checkpoint=once")
        leaves, temperature = self.final("once")
        self.interrupted("copies", 23, 2, 1)
        np.testing.assert_array_equal(self.final("again")[0], leaves)
        np.testing.assert_allclose(self.final("again")[1], temperature, atol=1e-12 * np.abs(temperature).max())

    def test_a_run_that_was_killed_is_still_verified(self) -> None:
        self.run_heat(1, "--output=heat.vtkhdf")
        with h5py.File(self.folder / "heat.vtkhdf") as file:
            whole = file["VTKHDF/PointData/temperature"][:]
        # What is left if it is killed while it writes the last of its checkpoints: those of steps 20 and 40.
        self.run_heat(1, "--checkpoint=last", "--checkpoint-every=20")
        (self.folder / "last-a.journal").write_bytes(b"")
        run = self.run_heat(2, "--restart=last", "--output=heat.vtkhdf")
        self.assertIn("Verification Successful", run.out)
        with h5py.File(self.folder / "heat.vtkhdf") as file:
            np.testing.assert_array_equal(file["VTKHDF/FieldData/step"][:], [0, 10, 20, 30, 40, 50])
            np.testing.assert_allclose(file["VTKHDF/PointData/temperature"][:], whole, atol=1e-10)

    def test_a_rank_that_is_killed_ends_the_job_and_leaves_a_checkpoint(self) -> None:
        job = subprocess.Popen(
            [*Run.command(2), "--class=S", "--steps=1000000", "--checkpoint=kept", "--checkpoint-every=1"],
            cwd=self.folder,
            env=Run.environment(2),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(job.kill)
        later, until = self.folder / "kept-b.journal", time.monotonic() + HANG_S
        while not (later.exists() and later.stat().st_size >= 64) and job.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        ranks = working_in(self.folder, PROGRAM)
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[-1], signal.SIGKILL)
        wait_until_gone(ranks, HANG_S)
        self.assertNotEqual(job.wait(HANG_S), 0)
        complaint = self.complaint_of(1, "--restart=kept", "--steps=1")
        steps = re.search(r"kept is the state after step (\d+) of 1:", complaint)
        assert steps, complaint
        self.run_heat(1, "--restart=kept", f"--steps={int(steps[1]) + 1}")

    # ---- what goes wrong ----

    def test_files_that_are_no_checkpoints(self) -> None:
        self.run_heat(1, "--steps=4", "--checkpoint=good", "--output=heat.vtkhdf")
        good = {ending: (self.folder / f"good-a.{ending}").read_bytes() for ending in ("h5", "journal", "parts.json")}
        with h5py.File(self.folder / "good-a.h5") as file:
            middle = file["temperature"].id.get_offset() + file["temperature"].id.get_storage_size() // 2
        damaged = bytearray(good["h5"])
        damaged[middle] ^= 1
        text = b"This is none.\n" * 100
        for ending, contents, words in (
            ("h5", good["h5"][: len(good["h5"]) // 2], "good-a.h5"),
            ("h5", bytes(damaged), "is damaged"),
            ("journal", text, "good-a.journal is no journal"),
            ("journal", b"", "no checkpoint that is whole"),
            ("parts.json", text, "good-a.parts.json cannot be understood"),
        ):
            with self.subTest(words=words):
                (self.folder / f"good-a.{ending}").write_bytes(contents)
                complaint = self.complaint_of(2, "--restart=good", "--steps=8")
                self.assertIn("good-a", complaint)
                self.assertIn(words, complaint)
                (self.folder / f"good-a.{ending}").write_bytes(good[ending])
        self.assertIn("missing.journal cannot be read", self.complaint_of(1, "--restart=missing"))
        self.assertIn("the stream heat cannot be read back", self.complaint_of(1, "--restart=heat"))

    def test_a_run_that_is_over(self) -> None:
        self.run_heat(1, "--steps=2", "--checkpoint=end")
        self.assertIn("end is the state after step 2 of 2", self.complaint_of(1, "--restart=end"))
        self.assertIn("--levels=5", self.complaint_of(1, "--restart=end", "--levels=5"))

    def test_another_order(self) -> None:
        own = ("--levels=3", "--radius=0.2", "--order=6", "--form=ordered")
        self.run_heat(1, *own, "--steps=12", "--checkpoint=once")
        self.run_heat(2, *own, "--steps=7", "--checkpoint=half")
        self.assertEqual(self.final("half")[1].shape[1:], (7, 7, 7))
        self.run_heat(1, "--form=ordered", "--restart=half", "--steps=12", "--order=6", "--checkpoint=again")
        np.testing.assert_array_equal(self.final("again")[1], self.final("once")[1])
        complaint = self.complaint_of(2, "--restart=half", "--steps=12", "--order=5")
        self.assertIn("half is of order 6", complaint)
        self.assertIn("--order=5", complaint)

    def test_settings_are_refused_on_every_rank(self) -> None:
        (self.folder / "own.toml").write_text("[mesh]\nlevels = 99\n")
        self.assertIn("own.toml, line 2: mesh.levels = 99", self.complaint_of(3, "--settings=own.toml"))
        self.assertIn("No such file", self.complaint_of(1, "--settings=missing.toml"))


if __name__ == "__main__":
    main()
