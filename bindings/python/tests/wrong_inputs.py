# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that cannot be, which fronts.py runs with the others: a sentence each, of plans on all ranks.

A case is an expression and words of the sentence; names are those of `Given`.
"""

import copy
import os
import pickle
import unittest

import numpy as np
from mpi4py import MPI
from shapes import QUICK, InFolder, teams

import nearfar as nf

__all__ = ["WrongInputs"]


class Given:
    """Objects of a team that are as they should be."""

    def __init__(self, team, folder):
        self.team, self.path = team, os.path.join(folder, "wrong")
        self.grid, self.other = nf.Grid(team, (8, 8), (True, True)), nf.Grid(team, (9, 8))
        self.t = self.grid.zeros(ghosts=1)
        self.parts = nf.Decomposition.slab(team, (8, 8), 0)
        self.x = nf.TransposeSide(self.parts)
        self.y = nf.TransposeSide(nf.Decomposition.slab(team, (8, 8), 1))
        self.shape = nf.FftShape((8, 8))
        self.layout = nf.FftLayout(team, self.shape)
        self.u, self.s = self.layout.physical.zeros("c16"), self.layout.spectral.zeros("c16")
        self.fft = nf.FftPlan(self.layout, self.u, self.s, **QUICK)
        self.where = nf.Distribution.block(team, 8)
        self.plan = nf.IrregularPlan(self.where, [0, 3, 7], **QUICK)
        self.own = np.zeros(self.plan.owned)
        self.heat = nf.OutputArray("heat", (8, 8), self.parts.own)
        self.a, self.b = np.zeros(4), np.zeros(4 * team.size)
        self.names = vars(self) | {"np": np, "nf": nf, "MPI": MPI, "copy": copy, "pickle": pickle, "Q": QUICK}


CASES = (
    # Integers, sequences, numbers, types, names
    ("nf.Team(team.comm, 2.5)", "node_size is 2.5; it is to be an integer"),
    ("nf.Grid(team, (4.7, 4))", "an entry of extents is 4.7"),
    ("nf.Grid(team, None)", "extents is None; it is to be a sequence"),
    ("nf.Grid(team, '88')", "extents is '88'"),
    ("nf.Grid(team, (2**70,))", "integer of 64 bits"),
    ("nf.Grid(team, (4, 4), True)", "periodic is True; it is to be a sequence"),
    ("nf.Grid(team, (4, 4), tile=5)", r"tile is 5; it is a pair \(lower, upper\)"),
    ("nf.Grid(team, (4, 4), tile_extents=[4, 4])", "an entry of tile_extents is 4"),
    ("nf.Grid(team, (4, 4), tile_extents=[[4, 4]])", "tile_extents has 1 entries; there are 2 dimensions"),
    ("grid.zeros('nonsense')", "'nonsense', which NumPy does not know"),
    ("grid.zeros(ghosts=-1)", "must not be negative"),
    ("grid.zeros(ghosts=2**40)", "ghosts is 1099511627776; it is to be an integer of 32 bits"),
    ("grid.zeros(ghosts=[[1, 2], [3]])", "ghosts are .*; they are to be integers"),
    ("team.zeros((2, 2.5))", "2.5"),
    ("team.zeros(-1)", "extents are 0 or more"),
    ("team.zeros(2**62)", "size of the array in bytes"),
    ("team.zeros(3, object)", "Python objects"),
    ("x.zeros(object)", "Python objects"),
    ("nf.HaloPlan(t, method=3)", "method is of the type int"),
    ("nf.HaloPlan(t, without=[1])", "without is .1."),
    ("nf.HaloPlan(t, budget_s='x')", "budget_s is 'x'; it is to be a number"),
    ("nf.HaloPlan(t, grid=3)", "grid is of the type int; it is to be of the type Grid"),
    ("nf.methods(None)", "front is of the type NoneType"),
    # Objects of another kind, made otherwise, or freed
    ("nf.Decomposition(team, 40)", "made by blocks"),
    ("nf.Distribution(team, 40)", "made by block,"),
    ("nf.TransposeSide(grid).zeros()", "parts is of the type Grid"),
    ("nf.TransposePlan(parts, y, u, u)", "source is of the type Decomposition"),
    ("nf.FftLayout(team, (8, 8))", "shape is of the type tuple; it is to be of the type FftShape"),
    ("nf.FftLayout(team, shape, physical=parts)", "the physical side is of the type Decomposition"),
    ("nf.FftPlan(x, u, s)", "layout is of the type TransposeSide"),
    ("nf.FftPlan(layout, u, s, dtype='f8')", "dtype is 'f8'; it is for plans without arrays"),
    ("nf.FftPlan(layout, dtype='c16')", "dtype is complex128; it is float32 or float64"),
    ("nf.FftPlan(layout, u)", "spectral is of the type NoneType"),
    ("fft.physical", "physical is the caller's"),
    ("nf.IrregularPlan(None, [0])", "distribution is of the type NoneType"),
    *((f"{how}({what})", "neither copied nor pickled") for how in ("copy.copy", "copy.deepcopy", "pickle.dumps")
      for what in ("team", "grid", "fft", "plan", "where", "parts", "layout", "nf.ThreadTeam(team, 1)")),
    ("grid.cells(other.zeros())", "a field of another grid"),
    ("grid.core(other.zeros())", "a field of another grid"),
    ("plan.start()", "operation is .*; it is one of gather_ghosts"),
    ("plan.run()", "operation is .*; it is one of gather_ghosts"),
    # Elements that would be taken for others
    ("nf.TransposePlan(x, y, x.zeros('c8'), y.zeros('f8'), **Q)", "complex64, float64; they are to be of one type"),
    ("plan.gather(own, np.zeros(3, 'i8'))", "float64 of shape .*, those of the values int64"),
    ("plan.gather([own, own], np.zeros(3))", "2 arrays x and 1 of values"),
    ("plan.scatter(np.ones(3), own.astype('i8'))", "int64 of shape"),
    ("plan.scatter(np.ones((3, 2)), own)", r"of shape \(2,\)"),
    ("nf.IrregularPlan(where, [[0, 1], [1]])", "indices are no array of integers"),
    ("nf.IrregularPlan(where, np.array([2**63 + 5], 'u8'))", r"below 2\^63"),
    ("nf.allgather(team, a, b.astype('i8'))", "send has elements of float64, receive of int64"),
    ("nf.allreduce(team, True)", "op is 'sum' on elements of bool; on these it is one of logical_and, logical_or"),
    ("nf.allreduce(team, 1j, op='max')", "op is 'max' on elements of complex128"),
    ("nf.allreduce(team, a, op='bit_or')", "op is 'bit_or' on elements of float64"),
    ("nf.allreduce(team, np.longdouble(1))", "float128|longdouble"),
    # None, and IN_PLACE where it cannot stand
    *((f"nf.{call}(team, None)", "send is of the type NoneType") for call in
      ("allreduce", "scan", "gather", "allgather", "alltoall")),
    ("nf.allreduce(team, nf.IN_PLACE)", "send is of the type _InPlace"),
    ("nf.allgather(team, nf.IN_PLACE)", "send is of the type _InPlace"),
    ("nf.alltoallw(team, None, None)", "send is of the type NoneType; it is a list of arrays"),
    ("nf.reduce(team, 1, root=None)", "root is None; it is to be an integer"),
    ("nf.allgatherv(team, a, b, 4)", "counts is 4; it is to be a sequence"),
    ("nf.allgatherv(team, a, b, [4.5] * team.size)", "an entry of counts is 4.5"),
    ("nf.plans.gather(team, None)", "send is of the type NoneType"),
    ("nf.CollectivePlan(1, 2)", "made by the functions of nearfar.plans"),
    # Thread teams
    ("nf.ThreadTeam(team, 2.5)", "threads is 2.5"),
    ("nf.ThreadTeam(team, 1).first_of(99)", "there is no rank 99; ranks are 0 to"),
    ("nf.ThreadTeam(team, 1).allreduce(None, a)", "thread is None"),
    ("nf.ThreadTeam(team, 1).allreduce(0, a, op=MPI.SUM)", "op is of the type Op"),
    # Output
    ("nf.OutputStream(team, None, [heat])", "the path is of the type NoneType"),
    ("nf.OutputStream(team, path, ['heat'])", "an array of the stream is of the type str"),
    ("nf.OutputStream(team, path, [heat], depth='x')", "depth is 'x'; it is to be an integer"),
    ("nf.OutputStream(team, path, [heat], writers=3)", "writers is of the type int"),
    ("nf.OutputStream(team, path, [heat], attributes=5)", "attributes is of the type int"),
    ("nf.OutputStream(team, path, [nf.OutputArray('a', (8, 8), 5)])", "own of array 'a' is 5; it is a pair"),
    ("nf.OutputArray('a', (8, 8), parts.own, dimension_names=['x']).described()", "1 dimension_names"),
    ("nf.OutputReader(team, path, stride='x')", "stride is 'x'"),
)  # fmt: skip


class WrongInputs(InFolder):
    def test_each_gets_a_sentence(self):
        for team in teams(((2, 0),)):
            names = Given(team, self.folder).names
            for expression, words in CASES:
                with self.assertRaisesRegex(nf.UsageError, words, msg=expression):
                    eval(expression, names)

    def test_what_one_rank_gives_is_told_on_all(self):
        for team in teams(((2, 0), (3, 2))):
            self.check_one_rank(team, Given(team, self.folder), team.rank == team.size - 1)

    def check_one_rank(self, team, given, is_wrong):
        x, y = given.x, given.y
        wrong = {
            "shape": lambda: nf.TransposePlan(x, y, np.zeros((2, 2) if is_wrong else x.shape), np.zeros(y.shape)),
            "physical has 9 elements": lambda: nf.FftPlan(given.layout, np.zeros(9) if is_wrong else given.u, given.s),
            "integers": lambda: nf.IrregularPlan(given.where, [0.5 if is_wrong else 0]),
            "sequence": lambda: nf.Grid(team, None if is_wrong else (4, 4)),
            "give a tile; it is all of them or none": lambda: nf.Grid(
                team, (4, 4), tile=((0, 0), (4, 4)) if is_wrong else None
            ),
            "NumPy does not know": lambda: given.grid.zeros("x" if is_wrong else "f8"),
            "contiguous": lambda: nf.plans.allreduce(team, np.zeros(8)[:: 2 if is_wrong else 1]),
            "transpose.* of float64 .*where rank .* of int64": lambda: nf.TransposePlan(
                x, y, x.zeros("i8" if is_wrong else "f8"), y.zeros("i8" if is_wrong else "f8")
            ),
            "halo.* of float64, int64.* where rank .* of int64, int64": lambda: nf.HaloPlan(
                given.grid.zeros("i8" if is_wrong else "f8", ghosts=1), given.grid.zeros("i8", ghosts=1)
            ),
            "allreduce.* of float64.* where rank .* of int64": lambda: nf.plans.allreduce(
                team, np.zeros(8, "i8" if is_wrong else "f8")
            ),
            "gather.* of float64.* where rank .* of int64": lambda: nf.plans.gather(
                team, np.zeros(8, "i8" if is_wrong else "f8")
            ),
            "0 or more": lambda: team.zeros(-1 if is_wrong else 2),
            "pair": lambda: nf.OutputStream(
                team, given.path, [nf.OutputArray("a", (8, 8), 3 if is_wrong else given.parts.own)]
            ),
        }
        for words, call in wrong.items():
            self.assertRaisesRegex(nf.UsageError, words, call)

    def test_numbers_of_several_types(self):
        for team in teams(((3, 2),)):
            is_first = team.rank == 0
            self.assertEqual(nf.allreduce(team, 0.5 if is_first else 1), team.size - 0.5)
            self.assertEqual(nf.allreduce(team, 1 if is_first else 2j), 1 + 2j * (team.size - 1))
            self.assertEqual(nf.scan(team, True if is_first else 2), 1 + 2 * team.rank)
            self.assertEqual(nf.bcast(team, 0.5 if is_first else 7), 0.5)
            self.assertEqual(nf.bcast(team, 7.5 if is_first else 2, root=1), 2)
            self.assertIsInstance(nf.allreduce(team, 1), np.int64)

    def test_teams_of_communicators(self):
        comm = MPI.COMM_SELF.Dup()
        self.assertEqual(nf.allreduce(comm, 1), 1)
        nf.Grid(comm, (4,)).team.free()
        self.assertEqual(nf.allreduce(comm, 2), 2)  # of a new team
        comm.Free()
        self.assertRaisesRegex(nf.UsageError, "once freed", nf.allreduce, comm, 1)
        self.assertRaisesRegex(nf.UsageError, "once freed", nf.Grid, MPI.COMM_NULL, (4,))

    def test_what_is_lent_ends_with_its_owner(self):
        layout = nf.FftLayout(MPI.COMM_SELF, nf.FftShape((8, 8)))
        side = layout.physical
        layout.free()
        self.assertRaisesRegex(nf.UsageError, "the FFT layout is freed already", side.zeros)

    def test_ranks_without_cells_have_fields(self):
        for team in teams(((4, 0),)):
            grid = nf.Grid(team, (2,), allow_idle=True)
            t = grid.zeros("int32")
            t[grid.cells(t)] = 1
            self.assertEqual(nf.allreduce(team, int(t.sum())), 2)

    def test_boxes_of_readers(self):
        for team in teams(((2, 0),)):
            given = Given(team, self.folder)
            with nf.OutputStream(team, given.path, [given.heat]) as out, out.step(0.0):
                out.put("heat", np.ones(given.x.shape))
                with self.assertRaisesRegex(nf.UsageError, "shape"):
                    out.put("heat", np.ones(0))
            reader = nf.OutputReader(team, given.path)
            for box, words in (
                (((0,), (3,)), "there are 2 dimensions"),
                (((3, 3), (1, 8)), "no upper bound is below"),
                (3, "it is a pair"),
            ):
                self.assertRaisesRegex(nf.UsageError, words, reader.select, {"heat": box})

    @unittest.skipUnless("hdf5" in nf.output_formats(), "arrays that vary need HDF5")
    def test_rows_of_varying_arrays(self):
        for team in teams(((2, 0),)):
            rows = nf.OutputArray("p", (8,), ((0,), (4,)), is_varying=True)
            points = nf.OutputStream(team, os.path.join(self.folder, "points"), [rows], format="hdf5")
            self.assertRaisesRegex(nf.UsageError, "rows", points.begin_step, 0.0)
            with points.step(0.0, rows=[3]):
                self.assertEqual(points.slot("p").shape, (3,))
                self.assertRaisesRegex(nf.UsageError, r"this rank's is \(3,\)", points.put, "p", np.zeros(2))
                points.put("p", np.zeros(3))
            points.close()


if __name__ == "__main__":
    from shapes import run_on_all_ranks

    run_on_all_ranks()
