#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of experiment.py: namelists, cases, tables, messages, and small runs of the program NEARFAR_WEATHER."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import experiment  # noqa: E402
import tables  # noqa: E402
from launch import ExperimentError  # noqa: E402
from setup import Case, known_keys, namelist  # noqa: E402

PROGRAM = os.environ.get("NEARFAR_WEATHER", "")


def timings(plain: float, barrier: float, tuned: float) -> dict[str, tables.Timing]:
    pairs = zip(tables.VARIANTS, (plain, barrier, tuned), strict=True)
    return {name: tables.Timing(step, step / 4) for name, step in pairs}


class Cases(unittest.TestCase):
    def test_scaling(self) -> None:
        def shapes(*words: str) -> list[tuple[int, int]]:
            return [(c.ranks, c.nodes) for c in experiment.scaling_cases(experiment.arguments(list(words)))]

        self.assertEqual(shapes("--ranks", "6", "--nodes", "1"), [(1, 1), (2, 1), (4, 1), (6, 1)])
        self.assertEqual(shapes("--ranks", "4", "--nodes", "1,2"), [(1, 1), (2, 1), (4, 1), (2, 2), (4, 2)])
        self.assertEqual(shapes("--ranks", "2"), [(1, 1), (2, 1), (2, 2)])
        self.assertEqual(shapes("--ranks", "2,3", "--nodes", "1"), [(2, 1), (3, 1)])

    def test_each_rank_has_its_tile(self) -> None:
        options = experiment.arguments(["tiles"])
        for tile, case in zip(options.tiles, experiment.tile_cases(options), strict=True):
            self.assertEqual((case.nx // case.px, case.ny // case.py, case.ranks), (*tile, 2))

    def test_refused(self) -> None:
        for given, says in (
            (["--steps", "3"], "at least 30"),
            (["--rounds", "0"], "at least 1"),
            (["--ranks", "3,5", "--nodes", "2"], "multiple"),
            (["tiles", "--ranks", "3", "--nodes", "2"], "not a multiple"),
            (["--program", "/nowhere/nearfar-weather"], "no program"),
        ):
            with self.subTest(given=given), tempfile.TemporaryDirectory() as folder:
                errors = io.StringIO()
                with contextlib.redirect_stderr(errors):
                    status = experiment.main([*given, "--output", folder])
                self.assertEqual((status, errors.getvalue().count("\n")), (1, 1))
                self.assertIn(says, errors.getvalue())


class Namelists(unittest.TestCase):
    CASE = Case(32, 14, 2, 1, 90, "periodic", 2, 1)

    def test_values(self) -> None:
        text = namelist(self.CASE, "leapfrog", ["model_grids.nnzp=20", "model_options.moisture='kessler'"])
        wanted = ("nnxp = 32", "nnzp = 20", "timmax = 5400.0", "px = 2", "boundary_y = 'periodic'", "coriolis = .true.",
                  "moisture = 'kessler'", "time_scheme = 'leapfrog'", "method = 'compare'")  # fmt: skip
        for line in wanted:
            self.assertIn(f"  {line}\n", text)
        self.assertNotIn("nnzp = 38", text)
        self.assertNotIn("time_scheme", namelist(self.CASE, "", []))

    def test_settings(self) -> None:
        for bad in ("nnzp=20", "model_grids.nnzp", "elsewhere.nnzp=3"):
            with self.assertRaisesRegex(ExperimentError, "GROUP.KEY=VALUE"):
                namelist(self.CASE, "", [bad])

    def test_keys_are_the_program_s(self) -> None:
        self.assertEqual(known_keys("&a\n  nnxp = 0\n      columns = many\n  px = 2\n"), {"nnxp", "px"})


class Tables(unittest.TestCase):
    def test_scaling(self) -> None:
        results = [
            tables.Result(Case(100, 100, 1, 1, 1440, "davies"), timings(0.1, 0.1, 0.1)),
            tables.Result(Case(100, 100, 4, 2, 1440, "davies"), timings(0.04, 0.05, 0.025)),
        ]
        rows = tables.scaling_table(results).splitlines()
        self.assertEqual(len(rows), 2 + 6)
        self.assertIn("| 4-2-2 | Nearfar, tuned | 25.000 | 36.00 | 4.00 | 25.0 % | 0.625 |", rows[7])
        self.assertIn("| 1.250 |", rows[6])

    def test_published_ratio_stands_next_to_the_barriers(self) -> None:
        rows = tables.scaling_table([tables.Result(Case(9, 9, 44, 1, 9, "davies"), timings(1, 1, 1))]).splitlines()
        self.assertTrue(rows[3].endswith("| 1.151 |"), rows[3])
        self.assertIn("| – |", rows[3])

    def test_tiles(self) -> None:
        table = tables.tile_table([tables.Result(Case(6, 3, 2, 1, 9, "periodic", 2, 1), timings(0.003, 0.004, 0.002))])
        self.assertIn("| 3 × 3 | 3 (25.0 %) | 4 (25.0 %) | 2 (25.0 %) | 1.500 | 2.000 |", table)

    def test_medians_of_rounds(self) -> None:
        found = tables.middle([timings(1, 2, 3), timings(3, 2, 1), timings(2, 9, 2)])
        self.assertEqual([t.step_s for t in found.values()], [2, 2, 2])

    def test_files_that_are_no_comparison(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "compare.json"
            with self.assertRaisesRegex(ExperimentError, "no comparison"):
                tables.read_comparison(path)
            one = {"method": "isend", "steps": 4, "step_s": 1.0, "halo_s": 0.5}
            path.write_text(json.dumps({"methods": [one]}))
            with self.assertRaisesRegex(ExperimentError, "no counted steps of node-barrier, nearfar"):
                tables.read_comparison(path)


@unittest.skipUnless(PROGRAM, "NEARFAR_WEATHER names no program")
class Runs(unittest.TestCase):
    def run_it(self, *words: str) -> tuple[dict, str]:
        with tempfile.TemporaryDirectory() as folder:
            out, errors = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                status = experiment.main(["--program", PROGRAM, "--output", folder, "--timeout", "500", *words])
            self.assertEqual(status, 0, errors.getvalue())
            name = "tiles" if "tiles" in words else "scaling"
            self.assertIn(out.getvalue().splitlines()[-1], (Path(folder) / f"{name}.md").read_text())
            return json.loads((Path(folder) / f"{name}.json").read_text()), out.getvalue()

    def test_scaling(self) -> None:
        data, table = self.run_it(
            "--ranks", "2", "--nodes", "1", "--steps", "30", "--columns", "24x20", "--set", "model_grids.nnzp=8"
        )
        self.assertEqual([r["case"]["ranks"] for r in data["results"]], [1, 2])
        for result in data["results"]:
            for timing in result["variants"].values():
                self.assertGreater(timing["step_s"], timing["halo_s"])
                self.assertGreater(timing["halo_s"], 0.0)
        self.assertIn("| 2-2-1 | Nearfar, tuned |", table)

    def test_tiles(self) -> None:
        data, table = self.run_it("tiles", "--steps", "30", "--tiles", "16x14,3x3")
        self.assertEqual(len(data["results"]), 2)
        self.assertIn("| 3 × 3 |", table)

    def test_a_run_that_fails_says_why(self) -> None:
        errors = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(errors):
            given = ["--program", PROGRAM, "--output", folder, "--ranks", "1", "--set", "model_grids.nnzp=2"]
            self.assertEqual(experiment.main(given), 1)
        self.assertIn("nnzp = 2 is impossible", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
