# SPDX-License-Identifier: BSD-3-Clause
"""Types for mypy and editors, which fronts.py tests with the others: a complete stub, typed public functions."""

import ast
import importlib.util
import inspect
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from shapes import WORLD

import nearfar as nf
from nearfar._library import core

__all__ = ["Types"]
PACKAGE = Path(nf.__file__).parent
PROGRAM = """
import numpy as np
from mpi4py import MPI
import nearfar as nf
grid = nf.Grid(MPI.COMM_WORLD, extents=(8, 8), periodic=(True, True))
t = grid.zeros("float64", ghosts=1)
with nf.HaloPlan(t) as halo, halo.overlap():
    t[grid.cells(t)] = np.float64(1)
total: float = nf.allreduce(grid.team, float(t.sum()))
plan: nf.CollectivePlan = nf.plans.allreduce(grid.team, t)
"""
WRONG = """
import nearfar as nf
nf.Grid(None, extents=8)
nf.Team().size.start()
"""


def functions_of(kind):
    """The public functions of a class, with those that properties and class methods stand for."""
    for name, member in vars(kind).items():
        found = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(found) and not name.startswith("_"):
            yield f"{kind.__name__}.{name}", found


class Types(unittest.TestCase):
    def test_the_stub_has_what_the_module_has(self):
        stub = ast.parse((PACKAGE / "_core.pyi").read_text())
        there = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(there, {name for name in dir(core) if not name.startswith("_")})
        self.assertTrue((PACKAGE / "py.typed").exists())

    def test_public_functions_are_typed(self):
        count = 0
        for thing in (getattr(nf, name) for name in nf.__all__):
            named = functions_of(thing) if inspect.isclass(thing) else [(getattr(thing, "__name__", ""), thing)]
            for name, function in named:
                if inspect.isfunction(function) and name != "plans":
                    signature = inspect.signature(function)
                    given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
                    untyped = [p.name for p in given if p.annotation is p.empty]
                    self.assertEqual((name, untyped), (name, []))
                    self.assertIsNot(signature.return_annotation, signature.empty, name)
                    count += 1
        self.assertGreater(count, 100)

    @unittest.skipUnless(WORLD.rank == 0 and importlib.util.find_spec("mypy"), "mypy is not here")
    def test_mypy(self):
        def said(program, folder):
            path = Path(folder, "program.py")
            path.write_text(program)
            checked = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", path, *PACKAGE.glob("*.py"), f"--cache-dir={folder}/cache"],
                env=os.environ | {"MYPYPATH": str(PACKAGE.parent)},
                capture_output=True,
                text=True,
                check=False,
                cwd=folder,
            )
            return checked.returncode, checked.stdout + checked.stderr

        with tempfile.TemporaryDirectory() as folder:
            status, text = said(PROGRAM, folder)
            self.assertEqual(status, 0, text)
            status, text = said(WRONG, folder)
            self.assertEqual(status, 1, text)
            self.assertRegex(text, 'Argument "extents"')
            self.assertRegex(text, '"int" has no attribute "start"')


if __name__ == "__main__":
    unittest.main()
