# SPDX-License-Identifier: BSD-3-Clause
"""Every front of the Python package against NumPy, on teams of 1 to 4 ranks and nodes of all, one and two of them.

One launch of four ranks:  mpirun -n 4 python fronts.py. A failure on one rank ends all of them.
"""

import json
import os
import unittest

import numpy as np
from further_fronts import *  # noqa: F403
from mpi4py import MPI
from other_arrays import *  # noqa: F403
from read_only import *  # noqa: F403
from shapes import COMMS, QUICK, WORLD, InFolder, part, run_on_all_ranks, teams, values  # noqa: F401
from typed import *  # noqa: F403
from wrong_inputs import *  # noqa: F403

import nearfar as nf


class Halos(unittest.TestCase):
    extents = (6, 9, 8)

    def check(self, grid, t, ghosts=1):
        """All ghosts of t are the elements of the periodic global array, which has its indices as values."""
        whole = np.pad(values(self.extents, t.dtype), ghosts, mode="wrap")
        lower, upper = grid.own
        np.testing.assert_array_equal(t, part(whole, (lower, np.add(upper, 2 * ghosts))))

    def filled(self, grid, t):
        t[grid.cells(t)] = part(values(self.extents, t.dtype), grid.own)
        return t

    def test_fields_of_all_types(self):
        for team in teams():
            grid = nf.Grid(team, self.extents, (True, True, True))
            for dtype in ("float64", "int16", "complex128"):
                t = self.filled(grid, grid.zeros(dtype, ghosts=1))
                halo = nf.HaloPlan(t, **QUICK)
                with halo.overlap():
                    pass
                self.check(grid, t)

    def test_core_and_edge_are_the_own_cells(self):
        for team in teams():
            grid = nf.Grid(team, self.extents, (True, True, True))
            t = grid.zeros("int32", ghosts=1)
            for box in grid.core(t) + grid.edge(t):
                t[box] += 1
            self.assertTrue((t[grid.cells(t)] == 1).all())
            self.assertEqual(t.sum(), t[grid.cells(t)].size)

    def test_own_arrays_and_other_arrays(self):
        for team in teams():
            grid = nf.Grid(team, self.extents, (True, True, True))
            lower, upper = grid.own
            shape = tuple(np.subtract(upper, lower) + 2)
            inside = (slice(1, -1),) * 3
            a, b = np.zeros(shape), np.zeros(shape)
            halo = nf.HaloPlan(a, grid=grid, ghosts=1, **QUICK)
            for t in (a, b):
                t[inside] = part(values(self.extents), grid.own)
            halo.run()
            self.check(grid, a)
            halo.start(b)
            while not halo.test():
                pass
            halo.finish()
            self.check(grid, b)
            self.assertRaises(nf.UsageError, halo.start, np.zeros((2, 2, 2)))

    def test_memory_order_two_fields_and_strange_elements(self):
        kind = np.dtype([("a", "i4"), ("b", "f8")])
        for team in teams():
            grid = nf.Grid(team, self.extents, (True, True, True))
            t = self.filled(grid, grid.zeros("float32", ghosts=1, memory_order=(2, 0, 1)))
            u = grid.zeros(kind, ghosts=1)
            u["b"][grid.cells(u)] = part(values(self.extents), grid.own)
            nf.HaloPlan(t, u, **QUICK).run()
            self.check(grid, t)
            self.check(grid, u["b"])

    def test_arrays_outlive_what_made_them(self):
        for team in teams():
            t = nf.Grid(team, self.extents).zeros("float64", ghosts=1)
            view = t[1:-1]
            team.free()
            del t, team
            view[...] = 7
            self.assertEqual(view.min(), 7)

    def test_what_is_wrong(self):
        for team in teams():
            grid = nf.Grid(team, self.extents, (True, True, True))
            t = grid.zeros("float64", ghosts=1)
            with self.assertRaisesRegex(nf.UsageError, "Grid.zeros"):
                nf.HaloPlan(np.zeros(3))
            with self.assertRaisesRegex(nf.UsageError, "a part of a field"):
                nf.HaloPlan(t[1:], **QUICK)
            with self.assertRaisesRegex(nf.UsageError, "no-such-method"):
                nf.HaloPlan(t, method="no-such-method")
            # On one rank alone: all hear of it.
            mine = np.zeros(tuple(np.add(t.shape, int(team.is_root))))
            with self.assertRaises(nf.UsageError):
                nf.HaloPlan(mine, grid=grid, ghosts=1, **QUICK)
            halo = nf.HaloPlan(t, **QUICK)
            self.assertRaises(nf.UsageError, halo.finish)
            halo.free()
            with self.assertRaisesRegex(nf.UsageError, "freed already"):
                halo.run()


class Transposes(unittest.TestCase):
    extents = (7, 6, 10)

    def sides(self, team):
        x = nf.TransposeSide(nf.Decomposition.pencil(team, self.extents, 2))
        return x, nf.TransposeSide(nf.Decomposition.pencil(team, self.extents, 0), (1, 2, 0))

    def test_near_and_own_arrays(self):
        for team in teams():
            x, z = self.sides(team)
            whole = values(self.extents)
            a, b = x.zeros(), z.zeros()
            plan = nf.TransposePlan(x, z, a, b, **QUICK)
            a[...] = part(whole, x.parts.own)
            plan.run()
            np.testing.assert_array_equal(b, part(whole, z.parts.own))
            own_a, own_b = np.array(a, order="C"), np.zeros(z.elements)
            own = nf.TransposePlan(x, z, own_a, own_b, **QUICK)
            with own.overlap():
                pass
            moved = np.ascontiguousarray(np.transpose(part(whole, z.parts.own), (1, 2, 0)))
            np.testing.assert_array_equal(own_b, moved.ravel())
            own.run(own_a.copy(), own_b)
            np.testing.assert_array_equal(own_b, moved.ravel())

    def test_several_fields_and_padding(self):
        for team in teams():
            x = nf.TransposeSide(nf.Decomposition.slab(team, self.extents, 0), padding=1)
            y = nf.TransposeSide(nf.Decomposition.slab(team, self.extents, 1))
            a, b = [x.zeros("complex64") for _ in range(2)], [y.zeros("complex64") for _ in range(2)]
            whole = values(self.extents, "complex64")
            for i, t in enumerate(a):
                if t.size:
                    t[1:-1, 1:-1, 1:-1] = part(whole, x.parts.own) * (i + 1)
            nf.TransposePlan(x, y, a, b, **QUICK).run()
            for i, t in enumerate(b):
                np.testing.assert_array_equal(t, part(whole, y.parts.own) * np.float32(i + 1))

    def test_what_is_wrong(self):
        for team in teams():
            x, z = self.sides(team)
            with self.assertRaisesRegex(nf.UsageError, "one type"):
                nf.TransposePlan(x, z, x.zeros("float32"), z.zeros(), **QUICK)
            with self.assertRaisesRegex(nf.UsageError, "shape"):
                nf.TransposePlan(x, z, np.zeros((2, 2, 2)), z.zeros(), **QUICK)
            with self.assertRaisesRegex(nf.UsageError, "read-only"):
                locked = np.zeros(z.elements)
                locked.flags.writeable = False
                nf.TransposePlan(x, z, x.zeros(), locked, **QUICK)


class Ffts(unittest.TestCase):
    extents = (8, 6, 10)
    shapes = ((1, 0), (2, 1), (3, 2))  # plans of transforms take a while to make

    def test_against_numpy(self):
        for team in teams(self.shapes):
            for kind, oracle, dtype, tolerance in (
                ("c2c", np.fft.fftn, "complex128", 1e-12),
                ("r2c", np.fft.rfftn, "float64", 1e-12),
                ("r2c", np.fft.rfftn, "float32", 1e-4),
            ):
                whole = np.random.default_rng(1).standard_normal(self.extents)
                layout = nf.FftLayout(team, nf.FftShape(self.extents, kind))
                u = layout.physical.zeros(dtype)
                precision = np.dtype(dtype).type(0).real.dtype
                spectrum = layout.spectral.zeros(np.result_type(precision, np.complex64))
                plan = nf.FftPlan(layout, u, spectrum, scaling="backward", **QUICK)
                u[...] = part(whole, layout.physical.parts.own)
                before = u.copy()
                plan.forward()
                own = layout.spectral.parts.own
                lower, low = own[0], layout.spectral.lower
                inside = tuple(slice(a - b, c - b) for a, b, c in zip(lower, low, own[1], strict=True))
                np.testing.assert_allclose(spectrum[inside], part(oracle(whole), own), atol=tolerance * 1e3)
                u[...] = 0
                plan.backward()
                np.testing.assert_allclose(u, before, atol=tolerance * 10)
            v, s = u.copy(), np.zeros(layout.spectral.elements, spectrum.dtype)
            plan_of_own = nf.FftPlan(layout, v, s, **QUICK)
            plan_of_own.start_forward(v, s)
            plan_of_own.finish()
            plan_of_own.run("backward")
            np.testing.assert_allclose(v / layout.shape.roundtrip_factor, before, atol=tolerance * 10)

    def test_arrays_that_plans_make(self):
        for team in teams(self.shapes):
            for kinds, dtype in (("r2c", None), ("c2c", "float32"), (("dct2", "none", "c2c"), "float64")):
                layout = nf.FftLayout(team, nf.FftShape(self.extents, kinds))
                plan = nf.FftPlan(layout, dtype=dtype, scaling="backward", **QUICK)
                u, modes = plan.physical, plan.spectral
                self.assertTrue(u is plan.physical and not u.any() and not modes.any())
                v, others = layout.physical.zeros(u.dtype), layout.spectral.zeros(modes.dtype)
                u[...] = v[...] = np.random.default_rng(team.rank).standard_normal(u.shape)
                on_given = nf.FftPlan(layout, v, others, scaling="backward", **QUICK)
                for a in plan, on_given:
                    a.forward()
                np.testing.assert_array_equal(modes, others)
                for a in plan, on_given:
                    a.run("backward")
                np.testing.assert_array_equal(u, v)
                plan.forward(v, others)  # others than its own
                plan.free()
                np.testing.assert_array_equal(u, v)  # outlives the plan
                with self.assertRaisesRegex(nf.UsageError, "spectral is the caller's"):
                    _ = on_given.spectral

    def test_kinds_and_modes(self):
        shape = nf.FftShape((8, 6), ("dct2", "none"))
        self.assertEqual((shape.spectral_extents, shape.roundtrip_factor), ((8, 6), 16.0))
        self.assertEqual(nf.FftShape((12,)).truncated(2 / 3).modes, (8,))
        self.assertEqual(nf.FftShape((8,)).padded(1.5).extents, (12,))
        self.assertRaisesRegex(nf.UsageError, "dct9", lambda: nf.FftShape((8,), ("dct9",)).spectral_extents)
        for team in teams(((3, 0),)):
            layout = nf.FftLayout(team, shape)
            u, s = layout.physical.zeros(), layout.spectral.zeros()
            plan = nf.FftPlan(layout, u, s, scaling="forward", **QUICK)
            u[...] = 1 + part(values((8, 6)), layout.physical.parts.own)
            before = u.copy()
            plan.forward()
            plan.backward()
            np.testing.assert_allclose(u, before, atol=1e-12)
            self.assertGreaterEqual(plan.work_bytes, 0)
            with self.assertRaisesRegex(nf.UsageError, "real"):
                nf.FftPlan(layout, layout.physical.zeros("complex128"), s, **QUICK)


class Collectives(unittest.TestCase):
    def test_reductions(self):
        for team in teams():
            n, r = team.size, team.rank
            self.assertEqual(nf.allreduce(team, r + 1), n * (n + 1) // 2)
            self.assertEqual(nf.allreduce(team, float(r), op="max"), n - 1)
            a, b = np.arange(6.0) + r, np.zeros(6)
            self.assertIs(nf.allreduce(team, a, b), b)
            np.testing.assert_array_equal(b, np.arange(6.0) * n + n * (n - 1) / 2)
            nf.allreduce(team, a, op=MPI.MIN)
            np.testing.assert_array_equal(a, np.arange(6.0))
            np.testing.assert_array_equal(nf.scan(team, np.full(3, r, np.int8)), np.full(3, r * (r + 1) // 2))
            exclusive = nf.exscan(team, np.full(3, r))
            if r:
                np.testing.assert_array_equal(exclusive, np.full(3, r * (r - 1) // 2))
            total = nf.reduce(team, np.full(2, 1 + 1j), np.zeros(2, complex), root=n - 1)
            if r == n - 1:
                np.testing.assert_array_equal(total, np.full(2, n * (1 + 1j)))
            out = np.zeros(2)
            nf.reduce_scatter_block(team, np.arange(2.0 * n), out)
            np.testing.assert_array_equal(out, n * np.arange(2.0 * r, 2 * r + 2))
            counts = np.arange(n) + 1
            out = np.zeros(r + 1)
            nf.reduce_scatter(team, np.arange(float(counts.sum())), out, counts)
            np.testing.assert_array_equal(out, n * np.arange(counts[:r].sum(), counts[: r + 1].sum()))
            self.assertRaisesRegex(nf.UsageError, "'mean'", nf.allreduce, team, 1.0, op="mean")
            nf.barrier(team)

    def test_movements(self):
        kind = np.dtype([("a", "i2"), ("b", "f4")])
        for team in teams():
            n, r = team.size, team.rank
            self.assertEqual(nf.bcast(team, 7 * r + 1), 1)
            odd = np.full(5, r, kind)
            nf.bcast(team, odd, root=n - 1)
            self.assertTrue((odd["b"] == n - 1).all())
            np.testing.assert_array_equal(nf.allgather(team, np.full(2, r)), np.repeat(np.arange(n), 2).reshape(n, 2))
            self.assertEqual(nf.allgather(team, np.full(1, r, kind))["a"].ravel().tolist(), list(range(n)))
            found = nf.gather(team, np.full(2, r), root=n - 1)
            self.assertEqual(found is None, r != n - 1)
            np.testing.assert_array_equal(nf.alltoall(team, r * 10 + np.arange(n)), np.arange(n) * 10 + r)
            out = np.zeros(2)
            nf.scatter(team, np.arange(2.0 * n) if r == 0 else None, out)
            np.testing.assert_array_equal(out, [2 * r, 2 * r + 1])
            counts = np.arange(n) + 1
            everything = np.repeat(np.arange(n), counts)
            for dtype in (np.int64, np.dtype("f2")):  # the latter is no type of MPI
                out = np.zeros(counts.sum(), dtype)
                nf.allgatherv(team, np.full(r + 1, r, dtype), out, counts)
                np.testing.assert_array_equal(out, everything)
            out = np.zeros(counts.sum())
            nf.gatherv(team, np.full(r + 1, float(r)), out, counts)
            if r == 0:
                np.testing.assert_array_equal(out, everything)
            mine = np.zeros(r + 1)
            nf.scatterv(team, everything.astype(float), mine, counts)
            np.testing.assert_array_equal(mine, np.full(r + 1, r))
            out = np.zeros(n * (r + 1))
            nf.alltoallv(team, np.repeat(np.arange(n) + 100.0 * r, counts), counts, out, [r + 1] * n)
            np.testing.assert_array_equal(out, np.repeat(100.0 * np.arange(n) + r, r + 1))
            each = [np.zeros(1, np.int32) if i % 2 else np.zeros(2) for i in range(n)]
            whole = [np.full(1, r, np.int32) if r % 2 else np.full(2, float(r)) for _ in range(n)]
            nf.alltoallw(team, whole, each)
            self.assertEqual([a[0] for a in each], list(range(n)))

    def test_plans(self):
        for team in teams():
            x = team.zeros(4)
            plan = nf.plans.allreduce(team, x, op="sum", name="sums", **QUICK)
            for _ in range(2):
                x[:] = np.arange(4)
                with plan.overlap():
                    pass
                np.testing.assert_array_equal(x, np.arange(4) * team.size)
            x[:] = 1
            plan.run()
            self.assertEqual(x[0], team.size)
            self.assertTrue(plan.method and plan.start_method and "sums" in plan.describe())
            self.assertEqual(json.loads(plan.describe_json())["chosen"], plan.method)
            out = np.zeros((team.size, 2))
            moves = nf.plans.allgather(team, np.full(2, float(team.rank)), out, **QUICK)
            moves.run()
            np.testing.assert_array_equal(out[:, 0], np.arange(team.size))


class Outputs(InFolder):
    extents = (9, 5)

    def test_written_and_read_back(self):
        for team in teams():
            path = os.path.join(self.folder, f"wave{team.size}.{team.nodes}")
            parts = nf.Decomposition.slab(team, self.extents, 0)
            whole = values(self.extents, "float32")
            heat = nf.OutputArray("heat", self.extents, parts.own, "float32", padding=1, attributes={"units": "K"})
            with nf.OutputStream(team, path, [heat], policy="synchronous") as out:
                for step in range(3):
                    with out.step(0.5 * step) as n:
                        self.assertEqual(n, step)
                        mine = np.pad(part(whole, parts.own) + step, 1) if team.rank < self.extents[0] else whole[:0]
                        if step == 2:
                            out.slot("heat")[...] = mine[1:-1, 1:-1]
                        else:
                            out.put("heat", mine)
                with self.assertRaisesRegex(nf.UsageError, "no array 'cold'"):
                    out.put("cold", whole)
            self.assertEqual(nf.output_steps_at(path), [(0, 0.0), (1, 0.5), (2, 1.0)])
            self.assertEqual({r.state for r in nf.output_verify(path)}, {"sound"})
            with nf.OutputReader(team, path) as reader:
                self.assertEqual(reader.arrays["heat"].extents, self.extents)
                reader.select({"heat": ((1, 1), (8, 4))})
                for step, time in reader.steps:
                    with reader.step(step) as at:
                        self.assertEqual(at, time)
                        np.testing.assert_array_equal(reader.get("heat"), whole[1:8, 1:4] + step)

    def test_checkpoints_take_turns(self):
        for team in teams():
            path = os.path.join(self.folder, f"turns{team.size}.{team.nodes}")
            first, last = 9 * team.rank // team.size, 9 * (team.rank + 1) // team.size
            array = nf.OutputArray("u", (9,), ((first,), (last,)))

            def write(time, path=path, array=array, team=team, **options):
                with nf.OutputStream(team, path, [array], opening="take_turns", durability="none", **options) as out:
                    with out.step(time):
                        out.put("u", np.full(array.own[1][0] - array.own[0][0], time))

            for time in (1.0, 2.0, 3.0):
                write(time)
            self.assertEqual([s.time for s in nf.OutputReader(team, path, reads_ahead=False).steps], [3.0])
            write(4.0, kept=path + "-b")  # the older one: -a is replaced instead
            self.assertEqual([s.time for s in nf.OutputReader(team, path + "-b").steps], [2.0])

    def test_what_is_wrong(self):
        for team in teams():
            with self.assertRaises(nf.IoError):
                nf.OutputReader(team, os.path.join(self.folder, "nothing"))
            with self.assertRaisesRegex(nf.UsageError, "uint8"):
                nf.OutputStream(team, os.path.join(self.folder, "x"), [nf.OutputArray("a", (3,), None, "uint8")])
            with self.assertRaises(OSError):  # as Python's own
                nf.output_steps_at(os.path.join(self.folder, "nothing"))


class FromDlpack:
    """An array that says nothing but where its memory is."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


class Arrays(unittest.TestCase):
    def test_any_buffer_is_taken(self):
        team = nf.Team()
        raw = bytearray(np.full(4, float(team.rank)).tobytes())
        nf.allreduce(team, memoryview(raw).cast("d"))
        np.testing.assert_array_equal(np.frombuffer(raw), np.full(4, team.size * (team.size - 1) / 2))
        a = np.ones(3)
        nf.allreduce(team, FromDlpack(a))
        self.assertEqual(a[0], team.size)

    def test_large_near_arrays_are_zeros_where_huge_pages_can_be(self):
        huge = 2 << 20
        for team in teams(((2, 0),)):
            grid = nf.Grid(team, (400, 1000, 3))
            for a in (grid.zeros(ghosts=1), team.zeros(10**6), grid.zeros(ghosts=1, memory_order=(2, 0, 1))):
                self.assertFalse(a.any())
                address = a.__array_interface__["data"][0]
                with open("/proc/self/maps", encoding="utf-8") as maps:
                    ranges = ([int(n, 16) for n in (*m.split()[0].split("-"), m.split()[2])] for m in maps)
                    low, at = next((low, at) for low, high, at in ranges if low <= address < high)
                self.assertEqual(low % huge, at % huge)
                a[...] = team.rank
                team.comm.Barrier()
                self.assertTrue((a == team.rank).all())

    def test_what_is_no_array(self):
        for wrong, what in (
            ([1.0, 2.0], "list"),
            (np.array([None]), "Python objects"),
            (np.zeros(2, ">f8"), "byte order"),
            (np.zeros((4, 4))[:, ::2], "contiguous"),
            (bytes(8), "read-only"),
        ):
            self.assertRaisesRegex(nf.UsageError, what, nf.allreduce, WORLD, wrong)

    def test_teams(self):
        self.assertRaisesRegex(nf.UsageError, "int", nf.Team, 3)
        self.assertRaises(nf.UsageError, nf.Team, MPI.COMM_NULL)
        with nf.Team(MPI.COMM_SELF) as team:
            self.assertEqual((team.rank, team.size, team.is_root, team.nodes, team.near_size), (0, 1, True, 1, 1))
        self.assertRaisesRegex(nf.UsageError, "freed", lambda: team.size)
        for kind in (nf.UsageError, nf.ResourceError, nf.TransportError, nf.IoError):
            self.assertTrue(issubclass(kind, nf.NearfarError))
        self.assertTrue(nf.methods("halo") and nf.output_formats())
        self.assertRaisesRegex(nf.UsageError, "no-front", nf.methods, "no-front")


if __name__ == "__main__":
    run_on_all_ranks()
