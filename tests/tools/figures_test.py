#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and plots of pages are what the records in bench/results say, and report.py notices where they are not."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/papers"), str(ROOT / "tools")]
import figures  # noqa: E402
import pages  # noqa: E402
import paper  # noqa: E402
from command import InputError  # noqa: E402

PAGE = """# A page
<!-- figures few mpi="Open MPI 9" plot=few
small | a *small* one
large mpi="MPICH 9" where=here
-->
<!-- end -->
<!-- table few sizes columns=2,1 rows=1 -->
<!-- end -->
"""


def record(case, method, median, **others):
    return dict(
        {
            "front": "halo",
            "case": case,
            "bytes": 8,
            "method": method,
            "mpi": "Open MPI 9",
            "ranks": 2,
            "nodes": 1,
            "median_us": median,
            "where": "here",
            "machine": "M",
            "date": "2000-01-01",
            "commit": "c0ffee0",
            "command": "bench/run halo near",
        },
        **others,
    )


RECORDS = [
    record("small", "mpi-isend", 4.0),
    record("small", "peer-other", 3.0),
    record("small", "nearfar", 2.0),
    record("large", "mpi-isend", 5000.0, mpi="MPICH 9"),
    record("large", "nearfar", 10000.0, mpi="MPICH 9"),
    {
        "table": "sizes",
        "columns": ["what", "how large"],
        "cells": ["a", "1"],
        "machine": "M",
        "date": "2000-01-01",
        "commit": "c0ffee0",
        "command": "./measure",
    },
    {"table": "sizes", "columns": ["what", "how large"], "cells": ["b", "2"]},
]


class PagesTest(unittest.TestCase):
    """A tree of its own, with few records."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs/images").mkdir(parents=True)
        results, figures.RESULTS = figures.RESULTS, str(self.root)
        self.addCleanup(setattr, figures, "RESULTS", results)
        self.keep(RECORDS)
        self.page = self.root / "docs/page.md"
        self.page.write_text(PAGE, encoding="utf-8")

    def keep(self, records):
        with figures.lzma.open(self.root / "few.jsonl.xz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in records)

    def write(self, is_check=False):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = pages.write(is_check, str(self.root))
        return status, said.getvalue()

    def test_what_is_written(self):
        self.assertEqual(self.write()[0], 0)
        text = self.page.read_text(encoding="utf-8")
        self.assertIn("![How many times as fast Nearfar is](images/few.svg)", text)
        self.assertIn("| a *small* one | 4.00 µs (isend) | 3.00 µs (other) | 2.00 µs | 2.00 | 1.50 | – |", text)
        self.assertIn("| large | 5.00 ms (isend) | – | 10.0 ms | 0.50 | – | – |", text)
        self.assertIn("- M; MPICH 9, 2 ranks on one node; 2000-01-01 at c0ffee0:\n  `bench/run halo near`", text)
        self.assertIn("| how large | what |", text)
        self.assertNotIn("| 2 | b |", text)
        self.assertIn("a small one</text>", (self.root / "docs/images/few.svg").read_text(encoding="utf-8"))

    def test_what_is_stale_is_named(self):
        self.write()
        self.assertEqual(self.write(is_check=True), (0, ""))
        text = self.page.read_text(encoding="utf-8")
        self.page.write_text(text.replace("| 2.00 µs |", "| 1.00 µs |"), encoding="utf-8")
        (self.root / "docs/images/few.svg").unlink()
        status, said = self.write(is_check=True)
        self.assertEqual(status, 1)
        self.assertIn("docs/page.md is not what bench/results holds", said)
        self.assertIn("docs/images/few.svg is not what bench/results holds", said)
        self.write()
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def test_other_records_make_another_page(self):
        self.write()
        self.keep([dict(one, median_us=1.0) if one.get("method") == "nearfar" else one for one in RECORDS])
        self.assertEqual(self.write(is_check=True)[0], 1)

    def refused(self, old, new, *words):
        self.page.write_text(PAGE.replace(old, new, 1), encoding="utf-8")
        with self.assertRaises(InputError) as caught:
            self.write()
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_what_is_not_there_is_refused(self):
        self.refused("small |", "tiny |", "docs/page.md", "0 jobs", "tiny")
        self.refused("figures few", "figures none", "no records none")
        self.refused("table few sizes", "table few lengths", "no table lengths")
        self.refused("<!-- end -->", "<!-- fin -->", "docs/page.md")
        self.refused("table few sizes", "paper nobody sizes", "no records paper-nobody")


class RegretTest(unittest.TestCase):
    """bench/regret chooses the best pinned method in one half of the rounds and times it in the other half."""

    def said(self, halves_of, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.jsonl"
            with open(path, "w", encoding="utf-8") as out:
                for method, halves in halves_of.items():
                    one = record("strips", method, sum(halves) / 2, halves_us=halves, place="near", run=0)
                    out.write(json.dumps(one) + "\n")
            said = subprocess.run(
                [ROOT / "bench/regret", "--records", path, *options], stdout=subprocess.PIPE, text=True, check=False
            )
        return said.returncode, said.stdout.split("\n")

    def test_a_method_that_was_lucky_in_one_half_is_timed_in_the_other(self):
        # Each half chooses the method that it liked, which takes 20 in the other one, as the tuned one does.
        halves = {"nearfar": [20, 20], "nearfar:isend": [10, 20], "nearfar:near-line": [20, 10]}
        code, lines = self.said(halves, "--gate")
        self.assertEqual(code, 0)
        self.assertEqual(lines[0].split()[0], "1.00")

    def test_what_is_missed_is_said_and_fails_by_the_gate(self):
        halves = {"nearfar": [30, 30], "nearfar:isend": [20, 20], "nearfar:natural": [1, 1], "mpi-neighbor": [1, 1]}
        self.assertEqual(self.said(halves)[0], 0)
        code, lines = self.said(halves, "--gate")
        self.assertEqual(code, 2)
        self.assertEqual(lines[0].split()[0], "1.50")
        self.assertIn("nearfar:isend", lines[0])
        self.assertEqual(lines[-2].split(), ["all", "1", "1.50", "1.50", "1.50"])

    def test_each_kind_of_memory_has_its_own_best_method(self):
        halves = {"nearfar": [10, 10], "nearfar:isend": [10, 10]}
        halves.update({"nearfar-own": [40, 40], "nearfar:isend-own": [20, 20]})
        _, lines = self.said(halves)
        self.assertEqual([line.split()[0] for line in lines[:2]], ["2.00", "1.00"])


class KeptTest(unittest.TestCase):
    def test_all_records_say_where_they_come_from(self):
        for path in sorted((ROOT / "bench/results").glob("*.jsonl.xz")):
            for number, one in enumerate(figures.read(path), 1):
                with self.subTest(path=path.name, record=number):
                    must = {"date", "commit"} | (set() if "note" in one else {"machine", "command"})
                    self.assertEqual(must - one.keys(), set())
                    self.assertTrue("note" in one or "table" in one or not figures.fault_of(one), one)

    def test_pages_are_what_the_records_say(self):
        said = subprocess.run(
            [ROOT / "bench/report.py", "--pages", "--check"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual((said.returncode, said.stdout), (0, ""))

    def test_all_records_can_be_shown(self):
        names = [path.name[: -len(".jsonl.xz")] for path in sorted((ROOT / "bench/results").glob("*.jsonl.xz"))]
        self.assertTrue(names)
        said = subprocess.run(
            [ROOT / "bench/report.py", "--show", *names],
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ, PYTHONIOENCODING="utf-8"),
            check=False,
        )
        self.assertEqual(said.returncode, 0)
        self.assertGreater(said.stdout.count("\n"), 1000)


class PapersTest(unittest.TestCase):
    """The experiments of bench/papers: everything that their pages and plots need is in the kept records."""

    def each(self):
        for name in paper.NAMES:
            with self.subTest(experiment=name):
                yield name, paper.load(name), figures.kept(paper.record_name(name))

    def test_every_variant_is_in_every_case_that_has_variants(self):
        for _, experiment, records in self.each():
            self.assertEqual(set(experiment.VARIANTS) - {one["method"] for one in records}, set())
            for part in {(one["front"], one.get("part")) for one in records}:
                here = [one for one in records if (one["front"], one.get("part")) == part]
                methods = {one["method"] for one in here}
                for case, of in paper.cases(here).items():
                    self.assertEqual(set(of), methods, case)

    def test_tables_can_be_made(self):
        for name, experiment, records in self.each():
            tables = experiment.tables(records)
            text = "\n".join(paper.table_lines(experiment, records))
            for words in experiment.VARIANTS.values():
                self.assertIn(words, text)
            page = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
            for table, (heading, *lines) in tables.items():
                self.assertTrue(lines, table)
                self.assertEqual({len(line) for line in lines}, {len(heading)}, table)
                self.assertRegex(page, '<!-- paper %s "?%s"? ' % (name, table))
            self.assertIn("images/paper-%s.svg" % name, page)

    def test_plots_can_be_drawn(self):
        try:
            from matplotlib.figure import Figure
        except ImportError:
            self.skipTest("this Python has no matplotlib")
        for name, experiment, records in self.each():
            figure = Figure()
            experiment.draw(records, figure)
            self.assertTrue(all(axes.lines or axes.patches for axes in figure.axes), name)
            self.assertTrue(os.path.exists(paper.picture(name)))

    def test_a_case_without_a_variant_is_an_error_and_not_a_wrong_table(self):
        experiment = paper.load("allreduce")
        few = [one for one in figures.kept("paper-allreduce") if one["method"] != "mpi-two-stage"]
        with self.assertRaises(KeyError):
            experiment.tables(few)

    def test_rounds_leave_the_one_in_the_middle(self):
        rounds = [record("small", "nearfar", median) for median in (9.0, 2.0, 5.0)]
        found = paper.middle([*rounds, record("small", "mpi-isend", 7.0)])
        self.assertEqual([(one["method"], one["median_us"], one["rounds"]) for one in found],
                         [("nearfar", 5.0, 3), ("mpi-isend", 7.0, 1)])  # fmt: skip

    def test_each_is_a_command_that_explains_itself(self):
        for name, experiment, _ in self.each():
            self.assertTrue(os.access(ROOT / "bench/papers" / name, os.X_OK))
            said = io.StringIO()
            with mock.patch("sys.argv", [name, "--help"]), contextlib.redirect_stdout(said):
                self.assertRaises(SystemExit, paper.parse, name, experiment)
            self.assertIn("--short", said.getvalue())
            self.assertIn(experiment.__doc__.splitlines()[0], said.getvalue())


if __name__ == "__main__":
    unittest.main()
