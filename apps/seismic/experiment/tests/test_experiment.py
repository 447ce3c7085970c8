#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of experiment.py: set-ups, bounds, tables, messages, and small runs of the program NEARFAR_SEISMIC."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import experiment  # noqa: E402
import setup  # noqa: E402
import tables  # noqa: E402
from launch import ExperimentError  # noqa: E402
from tables import Bounds, Timing  # noqa: E402

PROGRAM = os.environ.get("NEARFAR_SEISMIC", "")
SMALL = setup.Setup(points=24, dt_s=0.001, end_s=0.05, interval=10, medium="tti", step_s=0.002)


class Setups(unittest.TestCase):
    def test_the_paper_s_own_size(self) -> None:
        whole = experiment.setup_of(experiment.arguments(["--grid", "504", "--time", "1"]))
        self.assertEqual((whole.padded, whole.steps, whole.frames), (544, 1000, 101))
        self.assertEqual(whole.frame_bytes, 4 * 544**3)
        self.assertEqual(whole.disk_bytes(), 101 * whole.frame_bytes)
        self.assertAlmostEqual(whole.step_s, 504**3 / 2.115e9)

    def test_too_little_memory_or_disk_is_refused_with_the_numbers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(setup, "free_memory", return_value=1e6):
                with self.assertRaisesRegex(ExperimentError, r"too little memory: 24³ .*0\.0 GB are free.*--grid"):
                    setup.needs(SMALL, Path(folder))
            usage = shutil.disk_usage(folder)._replace(free=1000)
            with mock.patch.object(shutil, "disk_usage", return_value=usage):
                with self.assertRaisesRegex(ExperimentError, "too little disk"):
                    setup.needs(SMALL, Path(folder))
            self.assertIn("6 snapshots of 1.0 MB", setup.needs(SMALL, Path(folder)))

    def test_settings_of_methods(self) -> None:
        words = SMALL.settings(setup.METHODS["far-writer"], 520)
        for word in ("snapshots.policy=far-writer", "snapshots.throttle=520", "run.pretended-step=0.002",
                     "grid.points=[24, 24, 24]"):  # fmt: skip
            self.assertIn(word, words)
        self.assertFalse([w for w in SMALL.settings(setup.METHODS["send"], 0) if "policy" in w])

    def test_methods(self) -> None:
        def chosen(*words: str) -> list[str]:
            options = experiment.arguments(list(words))
            return [method.name for method in experiment.methods_of(options, experiment.setup_of(options))]

        self.assertEqual(chosen()[:3], ["buffered", "send", "isend"])
        self.assertEqual(chosen("--compute", "cpu", "--methods", "thread"), ["none", "buffered", "thread"])
        self.assertEqual(chosen("overlap", "--methods", "thread"), ["none", "synchronous", "thread"])

    def test_refused(self) -> None:
        for given, says in (
            (["--grid", "3"], "--grid 3: from 16 to 4096"),
            (["--dt", "0.002"], "--dt 0.002: from 1e-05 to 0.0016"),
            (["--time", "0.001"], "--time 0.001: from 0.02"),
            (["--rounds", "0"], "--rounds 0: from 1"),
            (["--compute", "cpu", "--step-ms", "3"], "--step-ms is for --compute gpu"),
            (["overlap", "--ratios", "0"], "--ratios: above 0"),
            (["--program", "/nowhere/nearfar-seismic"], "no program"),
        ):
            with self.subTest(given=given), tempfile.TemporaryDirectory() as folder:
                errors = io.StringIO()
                with contextlib.redirect_stderr(errors):
                    status = experiment.main([*given, "--output", folder])
                self.assertEqual(status, 1)
                self.assertIn("experiment.py: error: ", errors.getvalue())
                self.assertIn(says, errors.getvalue())


class Tables(unittest.TestCase):
    def test_the_ideal_hides_all_but_one_snapshot(self) -> None:
        self.assertEqual(Bounds(compute_s=10, write_s=0.5).ideal_s(11), 10.5)
        self.assertEqual(Bounds(compute_s=10, write_s=2).ideal_s(11), 22)

    def test_shares(self) -> None:
        self.assertEqual(tables.share(8, base_s=10, ideal_s=6), 0.5)
        self.assertIsNone(tables.share(8, base_s=6, ideal_s=6))

    def test_rows(self) -> None:
        base, method = [Timing(0.16, 0.06)] * 3, [Timing(0.2), Timing(0.12, 0.014, 0.002), Timing(0.11)]
        rate = SMALL.frame_bytes / 1e6 / 0.01  # 10 ms each; computing takes 100 ms
        text = tables.table(SMALL, {"buffered": base, "isend": method}, rate, "buffered")
        self.assertIn("| ideal | all but the last are hidden | 0.11 | 1.45 | 100 % | | |", text)
        self.assertIn("| 0.12 | 1.33 | 80 % | 2.00 ms |  |", text)
        self.assertIn("write : compute 0.50", tables.heading(SMALL, {"buffered": base}, rate))
        self.assertIn("| 1.13 |", tables.table(SMALL, {"buffered": base, "isend": method}, 520.0, "buffered"))

    def test_logs(self) -> None:
        log = "done      1.250 s, 3 Mpts/s\nsnapshots 3; the run waited 0.500 s for them, 0.125 s of it at the end; x\n"
        self.assertEqual(tables.read_log(log), Timing(1.25, 0.5, 0.125))
        with self.assertRaisesRegex(ExperimentError, "did not say"):
            tables.read_log("nothing")


class Snapshots(unittest.TestCase):
    """What a method has written is looked at."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.header = "n1=64\nn2=64\nn3=64\nn4=6\nd4=0.01\n"
        (self.folder / "frames.p.raw").write_bytes(bytes(SMALL.disk_bytes()))
        (self.folder / "frames.p.rsf").write_text(self.header)

    def test_faults_are_found(self) -> None:
        files, method = experiment.Files(self.folder, SMALL), setup.METHODS["thread"]
        files.check(method)
        (self.folder / "frames.p.rsf").write_text(self.header.replace("n4=6", "n4=5"))
        with self.assertRaisesRegex(ExperimentError, "thread: .*n4 = .*not 6"):
            files.check(method)
        (self.folder / "frames.p.rsf").write_text(self.header)
        with (self.folder / "frames.p.raw").open("r+b") as raw:
            raw.seek(-1, os.SEEK_END)
            raw.write(b"\1")
        with self.assertRaisesRegex(ExperimentError, "differs"):
            files.check(method)
        os.truncate(self.folder / "frames.p.raw", 1000)
        with self.assertRaisesRegex(ExperimentError, "has 1000 bytes"):
            files.check(method)


@unittest.skipUnless(PROGRAM, "NEARFAR_SEISMIC names no program")
class Runs(unittest.TestCase):
    def run_it(self, *words: str) -> tuple[dict, str]:
        with tempfile.TemporaryDirectory() as folder:
            out, errors = io.StringIO(), io.StringIO()
            given = ["--program", PROGRAM, "--output", folder, "--rounds", "1", "--grid", "24", *words]
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                status = experiment.main(given)
            self.assertEqual(status, 0, errors.getvalue())
            self.assertEqual(list(Path(folder).glob("frames.*")), [])
            name = "overlap" if "overlap" in words else "paper"
            self.assertEqual(out.getvalue(), (Path(folder) / f"{name}.md").read_text())
            return json.loads((Path(folder) / f"{name}.json").read_text()), out.getvalue()

    def test_all_methods_write_the_same_pretended(self) -> None:
        data, text = self.run_it("--time", "0.04", "--pretend", "--disk", "200,0")
        methods = [name for name in setup.METHODS if name != setup.NONE]
        self.assertEqual([list(disk["rounds"]) for disk in data["disks"]], [methods, methods])
        self.assertIn("computing is pretended", text)

    def test_and_computed(self) -> None:
        data, text = self.run_it("--time", "0.04", "--compute", "cpu", "--disk", "200", "--methods", "send,thread")
        self.assertEqual(list(data["disks"][0]["rounds"]), ["none", "buffered", "send", "thread"])
        self.assertIn("computing is real", text)

    def test_overlap(self) -> None:
        data, text = self.run_it("overlap", "--time", "0.04", "--ratios", "0.5,2", "--methods", "thread")
        self.assertEqual(len(data["disks"]), 2)
        self.assertIn("| synchronous | ours, the run writes itself |", text)

    def test_a_run_that_fails_says_why(self) -> None:
        errors = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(errors):
            (Path(folder) / "frames.p.raw").mkdir()
            given = ["--program", PROGRAM, "--output", folder, "--grid", "24", "--time", "0.04"]
            self.assertEqual(experiment.main(given), 1)
        self.assertIn("frames.p.raw", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
