# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that may not be written, which fronts.py runs with the others: what only reads takes them and leaves them as
they are, what would write refuses them and names the argument.

They are views of a file that cannot be written: a write that nobody refuses ends the program. A function with an array
that is missing here fails.
"""

import inspect
import os

import numpy as np
from shapes import QUICK, WORLD, InFolder, teams

import nearfar as nf
from nearfar import _collective

__all__ = ["ReadOnly"]

ARRAYS = {"send", "receive", "data", "local", "values", "a", "b", "x", "out", "physical", "spectral", "arrays"}
# Descriptions, and what is handed on to the operation of that name.
NO_ARRAYS = {("OutputStream", "arrays"), ("FftLayout", "physical"), ("FftLayout", "spectral")} | {
    (f"IrregularPlan.{verb}", "arrays") for verb in ("start", "run", "overlap")
}


class Given:
    """Objects of a team, and arrays that can be written and that cannot."""

    def __init__(self, team, folder):
        self.team = team
        self.path, self.files = os.path.join(folder, f"stream{team.size}.{team.nodes}"), 0
        self.folder = folder
        self.grid = nf.Grid(team, (6, 6), (True, True))
        self.cells = np.zeros(tuple(np.subtract(*self.grid.own[::-1]) + 2))
        self.halo = nf.HaloPlan(self.cells, grid=self.grid, ghosts=1, **QUICK)
        self.x, self.y = (nf.TransposeSide(nf.Decomposition.slab(team, (6, 6), axis)) for axis in (0, 1))
        self.moves = nf.TransposePlan(self.x, self.y, np.zeros(self.x.shape), np.zeros(self.y.shape), **QUICK)
        self.layout = nf.FftLayout(team, nf.FftShape((6, 6)))
        sides = self.layout.physical, self.layout.spectral
        self.waves = [np.ones(side.shape, complex) for side in sides]
        self.fft = nf.FftPlan(self.layout, *(np.ones(side.shape, complex) for side in sides), **QUICK)
        self.where = nf.Distribution.block(team, 12)
        self.plan = nf.IrregularPlan(self.where, np.arange(12), **QUICK)
        self.whole = np.ones(self.plan.owned + self.plan.ghosts)
        self.own, self.values = np.ones(self.plan.owned), np.ones(12)
        self.one, self.all = np.ones(2), np.ones(2 * team.size)
        self.threads = nf.ThreadTeam(team, 1)
        self.heat = nf.OutputArray("heat", (6, 6), self.grid.own)
        self.tile = self.cells[1:-1, 1:-1].copy()

    def locked(self, a):
        """The same values in memory that cannot be written."""
        self.files += 1
        path = os.path.join(self.folder, f"{WORLD.rank}.{self.team.size}.{self.team.nodes}.{self.files}")
        np.ascontiguousarray(a).tofile(path)
        return np.memmap(path, a.dtype, "r", shape=a.shape) if a.size else a

    def stop(self):
        self.threads.free()


def of_calls(g):
    """(name, function, arrays, those that are written, others) of collective calls, where this rank is the root."""
    n, root = g.team.size, {"root": g.team.rank} if g.team.size == 1 else {}
    counts = [2] * n
    both, shared = {"send": g.all, "receive": g.all.copy()}, {"send": g.all, "receive": g.one}
    gathered = {"send": g.one, "receive": g.all}
    for kind, arrays, others in (
        ("bcast", {"data": g.all}, root), ("reduce", both, root), ("allreduce", both, {}), ("scan", both, {}),
        ("exscan", both, {}), ("alltoall", both, {}), ("gather", gathered, root), ("allgather", gathered, {}),
        ("scatter", shared, root), ("reduce_scatter_block", shared, {}),
        ("gatherv", gathered, root | {"counts": counts}),
        ("scatterv", shared, root | {"counts": counts}), ("allgatherv", gathered, {"counts": counts}),
        ("reduce_scatter", shared, {"counts": counts}),
        ("alltoallv", both, {"send_counts": counts, "receive_counts": counts}),
        ("alltoallw", {name: [g.one.copy() for _ in range(n)] for name in ("send", "receive")}, {}),
    ):  # fmt: skip
        of_team = {"team": g.team} | others
        written = {"data"} if kind == "bcast" and g.team.rank else {"receive"} & set(arrays)
        if g.team.rank and kind in ("reduce", "gather", "gatherv"):
            written = set()  # of the root alone
        if kind == "bcast" and not g.team.rank:
            written = set()
        yield kind, getattr(nf, kind), arrays, written, of_team
        if kind != "alltoallw":
            yield f"plans.{kind}", getattr(nf.plans, kind), arrays, written, of_team | QUICK
    for kind in ("allreduce", "scan", "exscan", "reduce_scatter_block"):  # in place
        yield kind, getattr(nf, kind), {"send": g.all}, {"send"}, {"team": g.team}


def of_objects(g):
    """The same of plans and other objects."""
    a, b = g.waves
    x, y = np.zeros(g.x.shape), np.zeros(g.y.shape)
    own_cells = {"grid": g.grid, "ghosts": 1} | QUICK
    yield "HaloPlan", lambda arrays, **k: nf.HaloPlan(arrays, **k), {"arrays": g.cells}, {"arrays"}, own_cells
    for verb in ("start", "run"):
        yield f"HaloPlan.{verb}", getattr(g.halo, verb), {"arrays": g.cells}, {"arrays"}, {}
        yield f"TransposePlan.{verb}", getattr(g.moves, verb), {"send": x, "receive": y}, {"receive"}, {}
    sides = {"source": g.x, "target": g.y} | QUICK
    yield "TransposePlan", nf.TransposePlan, {"send": x, "receive": y}, {"receive"}, sides
    spaces = {"physical": a, "spectral": b}
    yield "FftPlan", nf.FftPlan, spaces, {"physical", "spectral"}, {"layout": g.layout} | QUICK
    for verb in ("forward", "start_forward"):
        yield f"FftPlan.{verb}", getattr(g.fft, verb), spaces, {"spectral"}, {}
    for verb in ("backward", "start_backward"):
        yield f"FftPlan.{verb}", getattr(g.fft, verb), spaces, {"physical"}, {}
    for start in ("", "start_"):
        for verb, arrays, written in (
            ("gather", {"x": g.whole, "out": g.values}, {"out"}), ("scatter", {"values": g.values, "x": g.own}, {"x"}),
            ("scatter", {"values": g.values, "x": g.whole}, {"x"}), ("assemble", {"values": g.values}, {"values"}),
            ("gather_ghosts", {"x": g.whole}, {"x"}), ("scatter_ghosts", {"x": g.whole}, {"x"}),
            ("assemble_ghosts", {"x": g.whole}, {"x"}),
        ):  # fmt: skip
            yield f"IrregularPlan.{start}{verb}", getattr(g.plan, start + verb), arrays, written, {}
    everyone, first = g.threads, {"thread": 0}
    both, gathered = {"send": g.one, "receive": g.one.copy()}, {"send": g.one, "receive": g.all}
    is_root = g.team.rank == 0
    yield "ThreadTeam.allreduce", everyone.allreduce, both, {"receive"}, first
    yield "ThreadTeam.allreduce", everyone.allreduce, {"send": g.one}, {"send"}, first
    yield "ThreadTeam.reduce", everyone.reduce, both, {"receive"} if is_root else set(), first
    yield "ThreadTeam.bcast", everyone.bcast, {"data": g.one}, set() if is_root else {"data"}, first
    yield "ThreadTeam.allgather", everyone.allgather, gathered, {"receive"}, first
    shares = {"send": g.all, "receive": g.one}
    yield "ThreadTeam.reduce_scatter_block", everyone.reduce_scatter_block, shares, {"receive"}, first
    for name, arrays, written in (
        ("sum", {"local": g.one}, set()), ("dot", {"a": g.one, "b": g.one}, set()),
        ("allreduce", {"values": g.one}, {"values"}),
    ):  # fmt: skip
        yield f"reproducible_{name}", getattr(nf, f"reproducible_{name}"), arrays, written, {"team": g.team}


def functions_with_arrays():
    """(name, arguments that are arrays) of all public functions."""
    for name in nf.__all__:
        thing = getattr(nf, name)
        if name == "plans":
            found = {f"plans.{kind}": getattr(_collective, f"_{kind}") for kind in _collective.KINDS}
        elif inspect.isclass(thing):
            found = {f"{name}.{m}": f for m, f in vars(thing).items() if inspect.isfunction(f) and m[0] != "_"}
            found |= {name: thing.__init__} if "__init__" in vars(thing) else {}
        else:
            found = {name: thing} if inspect.isfunction(thing) else {}
        for full, function in found.items():
            arrays = {p for p in inspect.signature(function).parameters if p in ARRAYS and (full, p) not in NO_ARRAYS}
            if arrays:
                yield full, arrays


class ReadOnly(InFolder):
    shapes = ((1, 0), (2, 0), (2, 1))

    def given(self):
        for team in teams(self.shapes):
            g = Given(team, self.folder)
            yield g
            g.stop()

    def test_all_functions_with_arrays(self):
        tried = {}
        for g in self.given():
            for name, function, arrays, written, others in (*of_calls(g), *of_objects(g)):
                tried.setdefault(name, set()).update(arrays)
                self.check(g, name, function, arrays, written, others)
        for name, arrays in functions_with_arrays() if tried else ():  # the others have no team
            if not name.startswith(("OutputStream", "OutputReader", "OutputAxis", "plans.alltoallw")):  # below
                self.assertEqual((name, arrays - tried.get(name, set())), (name, set()))

    def check(self, g, name, function, arrays, written, others):
        def lock(a):
            return [g.locked(one) for one in a] if isinstance(a, list) else g.locked(a)

        read = {what: lock(a) for what, a in arrays.items() if what not in written}
        self.assertIsNotNone(self.called(name, function, arrays | read | others))
        for what in read:
            for a, b in zip(np.atleast_1d(arrays[what]), np.atleast_1d(read[what]), strict=True):
                np.testing.assert_array_equal(a, b, name)
        is_maker = name.endswith("Plan") or hasattr(function, "is_maker")  # whose errors are those of all ranks
        for what in sorted(set().union(*g.team.comm.allgather(written))) if is_maker else written:
            wrong = lock(arrays[what]) if what in written else arrays[what]
            if what not in written or np.asarray(wrong).size:
                names = f"{'the array' if what == 'arrays' else what} is read-only"
                with self.assertRaisesRegex(nf.UsageError, names, msg=name):
                    self.called(name, function, arrays | {what: wrong} | others)

    def called(self, name, function, arguments):
        if name == "HaloPlan.start" or name == "HaloPlan.run":
            function(arguments["arrays"])
        else:
            made = function(**arguments)
            if name.startswith("plans."):
                made.run()
                made.free()
        if ".start" in name:
            function.__self__.finish()
        return name

    def test_transforms_of_what_was_read_only_are_refused_backward(self):
        for g in self.given():
            physical = g.locked(g.waves[0])
            g.fft.forward(physical, g.waves[1])
            g.fft.forward()
            self.assertRaisesRegex(nf.UsageError, "physical is read-only", g.fft.backward)
            self.assertRaisesRegex(nf.UsageError, "physical is read-only", g.fft.run, "backward")

    def test_ghosts_of_what_may_be_written_are_filled(self):
        for g in self.given():
            x = np.full(g.whole.shape, -1.0)
            x[: g.plan.owned] = g.where.globals()
            for can_be_written, ghosts in ((False, -1.0), (True, g.plan.ghost_indices)):
                x.flags.writeable = can_be_written
                np.testing.assert_array_equal(g.plan.gather(x), np.arange(12))
                np.testing.assert_array_equal(x[g.plan.owned :], ghosts)
            out = g.plan.gather(np.frombuffer(x.tobytes()))
            np.testing.assert_array_equal(out, np.arange(12))
            np.testing.assert_array_equal(g.plan.gather([x, np.frombuffer(x.tobytes())]), [out, out])

    def test_output(self):
        for g in self.given():
            with nf.OutputStream(g.team, g.path, [g.heat]) as out, out.step(0.0):
                out.put("heat", g.locked(g.tile))
            reader = nf.OutputReader(g.team, g.path)
            reader.select({"heat": g.grid.own})
            with reader.step(0):
                self.assertRaisesRegex(nf.UsageError, "out is read-only", reader.get, "heat", g.locked(g.tile))

    def test_producers_say_whether_they_may_be_written(self):
        class Producer:
            """An array of another library, which says nothing, or what it is by the newer protocol."""

            def __init__(self, a, **newest):
                self.a, self.newest = a, newest

            def __dlpack_device__(self):
                return self.a.__dlpack_device__()

            def __dlpack__(self, **options):
                if not self.newest and "max_version" in options:
                    raise TypeError("an older protocol")
                return self.a.__dlpack__(**self.newest)

        a = np.ones(3)
        nf.allreduce(g := nf.Team(), Producer(a))
        self.assertEqual(a[0], g.size)
        locked = np.ones(3)
        locked.flags.writeable = False
        newest = Producer(locked, max_version=(1, 0))
        self.assertRaisesRegex(nf.UsageError, "send is read-only", nf.allreduce, g, newest)
        self.assertEqual(nf.reproducible_sum(g, newest), 3 * g.size)
        nf.allreduce(g, Producer(a, max_version=(1, 0)))
        self.assertEqual(a[0], g.size**2)
