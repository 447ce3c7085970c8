# SPDX-License-Identifier: BSD-3-Clause
"""Every maker of the package with each of its arguments wrong on the last rank alone: all ranks have the same outcome,
and all goes on.

One launch of three ranks:  mpirun -n 3 python one_rank.py. There is one team: where no argument tells which it is, that
one is taken. A case that is missing in the tables fails, as a maker does that is no `maker`.
"""

import faulthandler
import inspect
import os
import unittest

import numpy as np
from shapes import QUICK, WORLD, InFolder, run_on_all_ranks

import nearfar as nf
from nearfar import _collective

TEAM = nf.Team(WORLD)
IS_WRONG = WORLD.rank == WORLD.size - 1
HANGS_S = 300.0  # a case takes milliseconds

# Collective functions that make nothing: errors are this rank's.
RUNS = {
    "free", "start", "run", "finish", "overlap", "test", "forward", "backward", "start_forward", "start_backward",
    "begin_step", "step", "flush", "close", "locate",
}  # fmt: skip
# Where nothing can be agreed: the communicator itself.
LOCAL = {("Team", "comm")}

OPTIONS = {"name": None, "method": None, "without": None, "budget_s": -1.0}
KINDS = {kind: getattr(_collective, f"_{kind}") for kind in _collective.KINDS}

# By the name of the argument; what stands before a dot is a maker that has its own.
WRONG = {
    "team": [5, "x"], "name": [5, "a\0b", "\ud800"], "method": [5, "no-such-method"],
    "without": [5, ["no-such-method"], [5]], "budget_s": ["x", None, float("nan")],
    "node_size": ["x", -1, 2.5, 2**40], "shape": ["q", -5, 2**60, (2, None), object()],
    "dtype": ["nonsense", object, 5.5], "extents": [None, (8, "a"), (8, -8), "88", 5], "periodic": [5, (1, 0, 1)],
    "process_grid": [5, "a", (99, 99)], "tile_extents": [5, [[1], [2]], [4, 4]], "placement": [5, "blob", None, [1]],
    "allow_idle": [], "tile": [5, ((0,), (1,)), (None, None)], "ghosts": ["a", -1, [[1]], 2**40],
    "memory_order": [5, (0, 0), "ab", (0, 1, 2)], "grid": [5, "x"], "fill": ["a", 99, [[1]]],
    "stencil": [5, "blob", None, [1]], "elements": ["x", 5.5, -5, None], "own_elements": ["x", 5.5, -5],
    "block_elements": ["x", 0], "first_elements": ["x", -1, 99], "owned": [["a"], None, [0, 0], [1.5], [[1], [2, 3]]],
    "distribution": [5, "x"], "indices": [["a"], None, [1.5], [40], [-1], [[1], [2, 3]]],
    "order": [5, "blob", None], "element_bytes": ["x", 0, 2.5], "threads": ["x", -1, 2.5],
    "components": ["x", 0, 2.5], "sample": ["x", 2.5], "cut_axis": ["x", 5, 0.5], "whole_axis": ["x", 5, 0.5],
    "lower": ["ab", None, (9, 9, 9)], "upper": ["ab", None, (9, 9, 9)], "parts": [5, "x"], "padding": ["a", -1, [[1]]],
    "source": [5, None], "target": [5, None], "send": [None, [1.0], np.zeros(1)],
    "receive": [5, [1.0], np.zeros(1)], "kinds": [5, "blob", ("c2c",), ("r2c", "r2c")], "modes": [5, "ab", (99, 99)],
    "physical": [5, "x"], "spectral": [5, "x"], "layout": [5, None], "scaling": [5, "blob"], "nyquist": [5, "blob"],
    "fusion": [5, "blob"],
    "engines": [5, "blob", [5]], "path": [5, None, b"\xff", "/nowhere/at/all", "a\0b"],
    "arrays": [5, [], [5], None], "policy": [5, "blob", None], "depth": ["x", -1, 2.5], "most_bytes": ["x", -1],
    "writers_per_node": ["x", -1], "durability": [5, "blob"], "opening": [5, "blob"], "expected_steps": ["x", -3],
    "direct": [], "is_pinned": [], "kept": [5], "throttle_bytes_per_s": ["x"],
    "linger_s": ["x", float("nan")], "verify": [], "format": [5, "blob"],
    "compression": [5, "blob"], "attributes": [5, "ab"], "axes": [5, [5]], "append_before": ["x"],
    "writers": [5, "x"], "stride": ["x", 2.5], "reads_ahead": [], "counts_rewriting": [], "checksum": [],
    "boxes": [5, {"nothing": ((0,), (1,))}, {"heat": 5}, {"heat": ((0, 0), (99, 99))}], "ranks_to_spare": ["x", -1],
    "far_writers": ["x", -1], "root": ["x", 99, None], "op": [5, "blob", None], "counts": [5, [1], ["x"] * 3],
    "displs": [5, [1], ["x"] * 3], "data": [None, [1.0]], "own": [5, ((0, 0), (99, 99)), ((5, 5), (1, 1))],
    "dimension_names": [5, ["x"], [5, 5]], "is_varying": [], "part": [5, "blob"], "is_constant": [],
    "values": [5, ["x"], "ab"],
}  # fmt: skip
OWN_WRONG = {
    ("HaloPlan", "arrays"): [(), (None,), (np.zeros(3),), ([1.0],), ("x",)],
    ("OutputArray", "name"): [5, "a b", ""],
    ("OutputAxis", "name"): [5, "\ud800"],
    ("OutputArray", "dtype"): ["nonsense", object, "u1"],
    ("OutputReader", "path"): [5, None, b"\xff", "/nowhere/at/all"],
    ("plans.bcast", "data"): [None, [1.0], np.zeros(1)],
    ("FftLayout", "shape"): [5, (8, 8), None],
}
for _kind in ("send", "receive"):
    OWN_WRONG |= {("plans.alltoallw", _kind): [5, [1.0], None], ("plans.alltoallv", f"{_kind}_counts"): [5, ["x"] * 3],
                  ("plans.alltoallv", f"{_kind}_displs"): [5, ["x"] * 3]}  # fmt: skip


def outcome(call):
    """What a call comes to, as text, and what it makes."""
    try:
        return "made", call()
    except Exception as e:
        return f"{type(e).__name__}: {e}", None


class Given:
    """Good arguments of all makers."""

    def __init__(self, folder):
        self.team = team = TEAM
        self.path, self.read = os.path.join(folder, "written"), os.path.join(folder, "read")
        grid = nf.Grid(team, (9, 6), (True, True))
        t = grid.zeros(ghosts=1)
        own = np.zeros(t.shape)
        parts = nf.Decomposition.slab(team, (9, 6), 0)
        x, y = nf.TransposeSide(parts), nf.TransposeSide(nf.Decomposition.slab(team, (9, 6), 1))
        layout = nf.FftLayout(team, nf.FftShape((8, 6)))
        spaces = layout.physical.zeros("c16"), layout.spectral.zeros("c16")
        where = nf.Distribution.block(team, 40)
        refers = nf.IrregularPlan(where, [1], **QUICK)
        heat = nf.OutputArray("heat", (9, 6), parts.own)
        with nf.OutputStream(team, self.read, [heat]) as out, out.step(0.0):
            out.put("heat", np.zeros(x.shape))
        reader = nf.OutputReader(team, self.read)
        self.kept = grid, t, x, y, layout, spaces, where, refers, reader
        of_team, by_rank = {"team": team}, {"lower": parts.own[0], "upper": parts.own[1]}
        stream = dict(  # noqa: C408
            path=self.path, arrays=[heat], policy="synchronous", depth=2, most_bytes=0, writers_per_node=0,
            durability="step", opening="create", expected_steps=0, direct=True, checksum=True,
            throttle_bytes_per_s=0.0, linger_s=0.0, verify=False, is_pinned=False, kept=None,
            format="rsf", compression=None, attributes=None, axes=[], append_before=None,
            writers=None,
        )  # fmt: skip
        self.makers = {
            "Team": (nf.Team, {"comm": WORLD, "node_size": 0}),
            "Team.zeros": (team.zeros, {"shape": (3, 4), "dtype": "f8"}),
            "Grid": (nf.Grid, of_team | {"extents": (9, 6), "periodic": (True, True), "process_grid": None,
                     "tile_extents": None, "placement": "rank_order", "allow_idle": False, "tile": None}),
            "Grid.zeros": (grid.zeros, {"dtype": "f8", "ghosts": 1, "memory_order": None}),
            "HaloPlan": (lambda arrays, **k: nf.HaloPlan(*arrays, **k),
                         {"arrays": (t,), "grid": None, "ghosts": None, "fill": None, "stencil": "box"} | OPTIONS),
            "HaloPlan of own arrays": (lambda arrays, **k: nf.HaloPlan(*arrays, **k),
                                       {"arrays": (own,), "grid": grid, "ghosts": 1, "fill": 1, "stencil": "star"}),
            "Distribution.block": (nf.Distribution.block, of_team | {"elements": 40}),
            "Distribution.block_sizes": (nf.Distribution.block_sizes, of_team | {"own_elements": 3}),
            "Distribution.cyclic": (nf.Distribution.cyclic, of_team | {"elements": 40}),
            "Distribution.block_cyclic": (nf.Distribution.block_cyclic,
                                          of_team | {"elements": 40, "block_elements": 2}),
            "Distribution.two_block": (nf.Distribution.two_block, of_team | {"elements": 40, "first_elements": 7}),
            "Distribution.reversed_two_block": (nf.Distribution.reversed_two_block,
                                                of_team | {"elements": 40, "first_elements": 7}),
            "Distribution.from_owned": (nf.Distribution.from_owned, of_team | {"owned": [team.rank]}),
            "Distribution.check": (where.check, {"sample": 3}),
            "IrregularPlan": (nf.IrregularPlan, {"distribution": where, "indices": [1], "order": "plan",
                                                 "element_bytes": 8, "threads": 1} | OPTIONS),
            "IrregularPlan.update": (refers.update, {"indices": [2], "distribution": None}),
            "IrregularPlan.zeros": (refers.zeros, {"dtype": "f8", "components": 1}),
            "Decomposition.blocks": (nf.Decomposition.blocks,
                                     of_team | {"extents": (9, 6), "process_grid": (team.size, 1)}),
            "Decomposition.slab": (nf.Decomposition.slab, of_team | {"extents": (9, 6), "cut_axis": 0}),
            "Decomposition.pencil": (nf.Decomposition.pencil,
                                     of_team | {"extents": (9, 6), "whole_axis": 0, "process_grid": None}),
            "Decomposition.from_boxes": (nf.Decomposition.from_boxes, of_team | {"extents": (9, 6)} | by_rank),
            "TransposeSide": (lambda **k: nf.TransposePlan(nf.TransposeSide(**k), y, x.zeros(), y.zeros(), **QUICK),
                              {"parts": parts, "memory_order": None, "padding": None}),
            "TransposeSide.zeros": (x.zeros, {"dtype": "f8"}),
            "TransposePlan": (nf.TransposePlan, {"source": x, "target": y, "send": x.zeros(), "receive": y.zeros(),
                                                 "counts_rewriting": True} | OPTIONS),
            "FftShape": (lambda **k: nf.FftLayout(team, nf.FftShape(**k)),
                         {"extents": (8, 6), "kinds": ("c2c", "r2c"), "modes": (8, 6)}),
            "FftLayout": (nf.FftLayout, of_team | {"shape": nf.FftShape((8, 6)), "physical": None, "spectral": None,
                                                   "process_grid": (team.size,)}),
            "FftPlan": (nf.FftPlan, {"layout": layout, "physical": spaces[0], "spectral": spaces[1], "dtype": None,
                                     "scaling": "none", "nyquist": "shared", "engines": "own",
                                     "fusion": "raced"} | OPTIONS),
            "FftPlan of own arrays": (lambda **k: nf.FftPlan(**k), {
                "layout": layout, "physical": None, "spectral": None, "dtype": "f8", "scaling": "backward"} | OPTIONS),
            "OutputStream": (nf.OutputStream, of_team | stream),
            "OutputArray": (lambda **k: nf.OutputStream(team, self.path, [nf.OutputArray(**k)]),
                            {"name": "heat", "extents": (9, 6), "own": parts.own, "dtype": "f8", "padding": 0,
                             "attributes": {}, "dimension_names": ("y", "x"), "compression": None,
                             "is_varying": False, "part": "point_data", "is_constant": False}),
            "OutputAxis": (lambda **k: nf.OutputStream(team, self.path + "_axes", [heat], format="zarr",
                                                       axes=[nf.OutputAxis(**k)]),
                           {"name": "x", "values": range(6), "attributes": {}}),
            "OutputReader": (nf.OutputReader, of_team | {"path": self.read, "stride": 1, "reads_ahead": False,
                                                         "depth": 2, "most_bytes": 0, "checksum": True}),
            "OutputReader.select": (reader.select, {"boxes": {"heat": ((0, 0), (9, 6))}}),
            "OutputWriters": (nf.OutputWriters, of_team | {"placement": "far", "ranks_to_spare": 0, "far_writers": 1}),
            "ThreadTeam": (nf.ThreadTeam, of_team | {"threads": 1}),
        } | {f"plans.{kind}": (getattr(nf.plans, kind), self.of_call(kind)) for kind in KINDS}  # fmt: skip

    def of_call(self, kind):
        """Arrays of 6 elements, 2 per rank."""
        one, all_ranks = np.zeros(2), np.zeros(6)
        each = [np.zeros(2) for _ in range(3)]
        sizes = {"gather": (one, all_ranks), "allgather": (one, all_ranks), "gatherv": (one, all_ranks),
                 "allgatherv": (one, all_ranks), "scatter": (all_ranks, one), "scatterv": (all_ranks, one),
                 "reduce_scatter": (all_ranks, one), "reduce_scatter_block": (all_ranks, one),
                 "alltoallw": (each, [a.copy() for a in each])}  # fmt: skip
        send, receive = sizes.get(kind, (all_ranks, all_ranks.copy()))
        values = {"data": all_ranks, "send": send, "receive": receive, "root": self.team.size - 1, "op": "sum",
                  "counts": [2, 2, 2], "displs": [0, 2, 4], "team": self.team} | {
            f"{side}_{what}": [2, 2, 2] if what == "counts" else [0, 2, 4]
            for side in ("send", "receive") for what in ("counts", "displs")
        }  # fmt: skip
        found = {p: values[p] for p in inspect.signature(KINDS[kind]).parameters}
        return found | (OPTIONS if kind == "allreduce" else {"budget_s": -1.0})  # the options of all are one function's


def public_makers():
    """(name, function) of all functions of the package that have the decorator or should have it."""
    for name in nf.__all__:
        thing = getattr(nf, name)
        if not inspect.isclass(thing):
            continue
        is_made = "__init__" in vars(thing) and "_" not in inspect.signature(thing).parameters
        if "ollective over" in (thing.__doc__ or "") and is_made:
            yield name, thing.__init__
        for method, member in vars(thing).items():
            function = getattr(member, "__func__", member)
            is_function = inspect.isfunction(function) and not method.startswith("_")
            if is_function and ("ollective" in (function.__doc__ or "") or hasattr(function, "is_maker")):
                if method not in RUNS:
                    yield f"{name}.{method}", function


class OneRank(InFolder):
    def setUp(self):
        super().setUp()
        self.given = Given(self.folder)

    def test_all_that_makes_is_a_maker(self):
        makers = dict(public_makers())
        makers["Distribution.block"] = vars(nf.Distribution)["block"].__func__
        self.assertEqual([name for name, function in makers.items() if not hasattr(function, "is_maker")], [])
        self.assertEqual(sorted(set(makers) - set(self.given.makers)), [])

    def test_each_argument_is_here(self):
        for name, (function, good) in self.given.makers.items():
            if name.startswith("plans.") or inspect.signature(function).parameters.keys() >= {"k"}:
                continue
            self.assertEqual((name, list(good)), (name, list(inspect.signature(function).parameters)))

    def test_what_is_right_is_made(self):
        for name, (function, good) in self.given.makers.items():
            said, made = outcome(lambda: function(**good))  # noqa: B023
            self.assertEqual((name, said), (name, "made"))
            if isinstance(made, nf.OutputWriters) and made.is_writer:
                made.serve()
            if hasattr(made, "free"):
                made.free()

    def test_a_wrong_argument_on_one_rank_is_told_on_all(self):  # before another team is made
        tried = 0
        for name, (function, good) in self.given.makers.items():
            for argument in good:
                if (name, argument) in LOCAL:
                    continue
                wrong = OWN_WRONG.get((name.partition(" ")[0], argument), WRONG.get(argument))
                self.assertIsNotNone(wrong, f"{name} has no wrong {argument}")
                for value in wrong:
                    self.check(name, function, good, argument, value)
                    tried += 1
        self.assertGreater(tried, 350)

    def check(self, name, function, good, argument, value):
        what = f"{name}: {argument} is {value!r} on the last rank"
        faulthandler.dump_traceback_later(HANGS_S, exit=True)
        said, made = outcome(lambda: function(**(good | {argument: value} if IS_WRONG else good)))
        everywhere = WORLD.allgather(said)
        self.assertEqual(len(set(everywhere)), 1, f"{what}: {everywhere}")
        self.assertRegex(said, "^(UsageError|IoError): ", what)
        del made
        self.assertEqual(nf.allreduce(self.given.team, 1), WORLD.size, what)
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    run_on_all_ranks()
