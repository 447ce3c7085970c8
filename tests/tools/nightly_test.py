#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The nightly parts have their programs, one that fails or hangs does not end the others; mutate changes code only."""

import importlib.machinery
import importlib.util
import io
import json
import os
import re
import signal
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]


def program(path):
    """A program without an ending as a module."""
    loader = importlib.machinery.SourceFileLoader(Path(path).name, str(ROOT / path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


NIGHTLY, MUTATE = program(".ci/nightly"), program("tools/mutate")


def run_main(module, *words):
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["program", *words]), redirect_stdout(said):
        status = module.main()
    return status, said.getvalue()


class Nightly(unittest.TestCase):
    def test_programs_targets_and_presets_of_all_parts_are_there(self):
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
        presets = [p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]]
        for part in NIGHTLY.chosen([]):
            for target in re.findall(r"\bmake ([\w-]+)", part.line):
                self.assertIn(target, targets, part.name)
            for path in re.findall(r"(?:^|; )((?:tools|tests|bench)/\S+)", part.line):
                self.assertTrue(os.access(ROOT / path, os.X_OK), f"{part.name}: {path}")
            for preset in re.findall(r"tools/(?:build|test-all \$JOBS) ([a-z-]+)", part.line):
                self.assertIn(preset, presets, part.name)
        self.assertGreaterEqual(len(NIGHTLY.PARTS), 12)

    def test_a_part_that_fails_or_hangs_does_not_end_the_others(self):
        parts = [("bad", 1, "", "false; true"), ("late", 0.01, "", "sleep 300 & wait"), ("lacking", 1, "", "exit 77"),
                 ("good", 1, "", 'echo "$SEED $JOBS" >"$OUT/said"')]
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.jsonl"
            with mock.patch.object(NIGHTLY, "PARTS", parts), mock.patch.object(NIGHTLY, "OUT", Path(folder)):
                status, said = run_main(NIGHTLY, "--seed", "7", "--results", str(results))
                single, _ = run_main(NIGHTLY, "--results", str(results), "good")
            self.assertEqual(status, 1)
            self.assertEqual(single, 0)
            written = [json.loads(line) for line in results.read_text().splitlines()]
            self.assertEqual([e["verdict"] for e in written],
                             ["failed with 1", "not over after 0.01 min", "left out", "passed", "passed"])
            self.assertEqual(written[3]["seed"], 7)
            self.assertRegex(said, r"good +passed")


class Mutate(unittest.TestCase):
    def test_only_code_is_changed(self):
        def changed(line, suffix=".cpp"):
            return list(MUTATE.changes_of_line(line, suffix))

        self.assertIn("  if (a <= b) return c;", changed("  if (a < b) return c;"))
        self.assertIn("  k = k - 1;  // of 1 + 2", changed("  k = k + 1;  // of 1 + 2"))
        self.assertIn("  ", changed("  forget(all);"))
        self.assertEqual(changed("  // one + two"), [])
        self.assertEqual(changed('  throw usage_error(text("a + b", a + b));'), [])
        self.assertEqual(changed("  std::vector<int> all;"), [])
        self.assertIn("    if (a .or. b) return", changed("    if (a .and. b) return", ".f90"))
        self.assertIn("    pass", changed("    forget(everything)", ".py"))

    def test_the_tree_is_put_back_whatever_happens(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.cpp"
            path.write_text("one\nint k = n + 1;\n")
            options = mock.Mock(seed=1, limit=1, keep=Path(folder), record=Path(folder) / "record")
            session = MUTATE.Session(options, [])
            change = MUTATE.Change("base", str(path), 1, "int k = n + 1;", "int k = n - 1;")

            def interrupted(module, limit):
                if path.read_text() != "one\nint k = n - 1;\n":
                    return "missed", []  # without a change all is well
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGTERM)

            with mock.patch.object(MUTATE, "verdict_of", interrupted), self.assertRaises(SystemExit):
                before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
                try:
                    session.attempt(change)
                finally:
                    signal.signal(signal.SIGTERM, before)
            self.assertEqual(path.read_text(), "one\nint k = n + 1;\n")
            with mock.patch.object(MUTATE, "verdict_of", lambda *_: ("noticed", ["base.unit"])):
                with self.assertRaisesRegex(SystemExit, "base is red without a change"):
                    MUTATE.Session(options, []).attempt(change)

    def test_a_seed_draws_the_same_changes_again_and_marked_ones_never(self):
        words = ("--list", "--seed", "5", "--count", "3", "base")
        first = run_main(MUTATE, *words)
        self.assertEqual(first, run_main(MUTATE, *words))
        drawn = re.search(r"^(\S+):\d+\n    - (.*)\n    \+ (.*)$", first[1], re.M)
        with tempfile.TemporaryDirectory() as folder:
            patch = Path(folder) / "a.patch"
            patch.write_text(f"--- a/{drawn[1]}\n+++ b/{drawn[1]}\n@@ -1 +1 @@\n-  {drawn[2]}\n+  {drawn[3]}\n")
            with mock.patch.object(MUTATE, "MARKED", Path(folder) / "marked"):
                before = len(MUTATE.changes("base"))
                run_main(MUTATE, "--mark", "nothing reads it", str(patch))
                self.assertLess(len(MUTATE.changes("base")), before)


if __name__ == "__main__":
    unittest.main()
