# SPDX-License-Identifier: BSD-3-Clause
"""Runs prepare.py in a folder of its own, for the tests."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

import netCDF4  # noqa: E402

import prepare  # noqa: E402

try:
    import eccodes  # noqa: F401

    no_eccodes = ""
except ImportError as error:
    no_eccodes = f"python3-eccodes is not installed: {error}"


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def run_and_print(self, *words: object) -> tuple[int, str, str]:
        """Exit status, and what was printed: as an error, and else."""
        errors, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(said):
            status = prepare.main([str(word) for word in ("--output", self.folder / "out.nc", *words)])
        return status, errors.getvalue(), said.getvalue()

    def run_prepare(self, *words: object) -> tuple[int, str]:
        return self.run_and_print(*words)[:2]

    def refused(self, *words: object, says: tuple[str, ...]) -> None:
        """The command ends with status 2, one line that holds all of `says`, and no file."""
        status, message = self.run_prepare(*words)
        self.assertEqual(status, 2)
        self.assertEqual(message.count("\n"), 1, message)
        for text in says:
            self.assertIn(text, message)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("out.nc")], [])

    def accepted(self, *words: object) -> netCDF4.Dataset:
        status, message = self.run_prepare(*words)
        self.assertEqual(status, 0, message)
        data = netCDF4.Dataset(self.folder / "out.nc")
        data.set_auto_mask(False)
        self.addCleanup(lambda: data.isopen() and data.close())
        return data
