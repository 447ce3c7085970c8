#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report for machines, and problems that do not fit into memory."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from program import HANG_S, PROGRAM, Case, main


class Report(Case):
    def report(self, ranks: int, *options: str) -> dict[str, Any]:
        self.run_heat(ranks, *options, "--json=heat.json")
        return json.loads((self.folder / "heat.json").read_text())

    def test_numbers_agree_with_each_other_and_with_the_benchmark(self) -> None:
        found = self.report(2, "--class=S")
        mesh, sent = found["mesh"], found["sent_per_sum"]
        self.assertEqual((found["ranks"], found["nodes"], found["problem"]["class"]), (2, 1, "S"))
        self.assertEqual((mesh["elements"], mesh["mortar_points"]), (246, 11559))  # of the last mesh
        self.assertEqual(sum(mesh["elements_by_level"].values()), 246)
        # The cells of all levels fill the cube.
        self.assertEqual(sum(n * 8.0 ** -int(level) for level, n in mesh["elements_by_level"].items()), 1)
        elements = mesh["per_rank"]["elements"]
        self.assertEqual(elements["avg"], 123)
        self.assertAlmostEqual(mesh["imbalance"], elements["max"] / 123 - 1)
        self.assertEqual(found["points"], 9080 * 125 * 11)
        self.assertTrue(found["verification"]["successful"])
        # Two ranks: what one sends the other gets, 8 bytes for each point of the other's, there and back.
        shared = 2 * mesh["per_rank"]["mortar_points_of_others"]["avg"]
        self.assertGreater(shared, 100)
        self.assertEqual((sent["bytes"]["min"], sent["bytes"]["max"]), (8 * shared, 8 * shared))
        self.assertEqual(sent["far_bytes"]["max"], 0)
        self.assertGreater(found["memory"]["peak_bytes"]["min"], 246 // 2 * 1000)

    def test_waiting_threads_sleep_soon_unless_told(self) -> None:
        def shown(**own: str) -> str:
            kept = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
            words = [str(PROGRAM), "--version"]
            done = subprocess.run(words, env={**kept, "OMP_DISPLAY_ENV": "verbose", **own}, capture_output=True,
                                  text=True, check=True, timeout=HANG_S)
            return done.stderr

        if "GOMP_SPINCOUNT" not in shown():
            self.skipTest("this OpenMP does not say how long its threads spin")
        self.assertIn("GOMP_SPINCOUNT = '1000'", shown())
        self.assertIn("GOMP_SPINCOUNT = '77'", shown(GOMP_SPINCOUNT="77"))
        self.assertNotIn("GOMP_SPINCOUNT = '1000'", shown(OMP_WAIT_POLICY="active"))

    def test_one_rank_sends_nothing(self) -> None:
        found = self.report(1, "--class=S", "--steps=1")
        self.assertEqual(found["sent_per_sum"]["messages"]["max"], 0)
        self.assertFalse(found["verification"]["performed"])
        self.assertGreater(found["verification"]["residual_left"], 1e-3)
        more = self.report(1, "--class=S", "--steps=1", "--iterations=60")
        self.assertLess(more["verification"]["residual_left"], 1e-9)

    def test_memory_per_element(self) -> None:
        peaks = [
            self.report(1, *options)["memory"]["peak_bytes"]["max"]
            for options in (("--class=S", "--steps=1"), ("--class=B", "--steps=6"))
        ]
        self.assertLess((peaks[1] - peaks[0]) / (8121 - 141), 5000)

    def test_a_report_that_cannot_be_written(self) -> None:
        self.assertIn("nowhere/heat.json", self.complaint_of(1, "--steps=1", "--json=nowhere/heat.json"))

    def test_what_does_not_fit_is_refused(self) -> None:
        complaint = self.complaint_of(2, "--levels=18", "--radius=0.5")
        self.assertRegex(complaint, r"about 9\.\d+e\+15 elements need .* [GTPE]B on each node of 2 ranks \(.* each\)")
        self.assertRegex(complaint, r"node \d+ has .* GB free.*--force")


if __name__ == "__main__":
    main()
