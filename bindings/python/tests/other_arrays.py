# SPDX-License-Identifier: BSD-3-Clause
"""Plans on other arrays than they were made on, what they keep alive, and options of output, which fronts.py runs."""

import os
import unittest
import weakref

import numpy as np
from shapes import QUICK, InFolder, part, teams, values

import nearfar as nf

__all__ = ["OtherArrays", "OutputOptions"]

FEW = ((2, 0), (3, 2))


class OtherArrays(unittest.TestCase):
    def test_halo_plans_keep_to_them_and_refuse_other_strides(self):
        for team in teams(FEW):
            grid = nf.Grid(team, (6, 9), (True, True))
            shape = tuple(np.subtract(grid.own[1], grid.own[0]) + 2)
            halo = nf.HaloPlan(np.zeros(shape), grid=grid, ghosts=1, **QUICK)
            with self.assertRaisesRegex(nf.UsageError, "strides"):
                halo.start(np.zeros(shape[::-1]).T)
            other = np.zeros(shape)
            other[1:-1, 1:-1] = part(values((6, 9)), grid.own)
            halo.start(other)
            is_there = weakref.ref(other)
            del other
            halo.finish()
            lower, upper = grid.own
            whole = np.pad(values((6, 9)), 1, mode="wrap")
            np.testing.assert_array_equal(is_there(), part(whole, (lower, np.add(upper, 2))))

    def test_ghosts_beyond_an_end_that_is_none_of_a_ring_stay(self):
        for team in teams(FEW):
            grid = nf.Grid(team, (6, 9), (True, False))
            t = grid.zeros("int64", ghosts=1)
            t[...] = -1
            t[grid.cells(t)] = part(values((6, 9), "int64"), grid.own)
            nf.HaloPlan(t, **QUICK).run()
            whole = np.pad(values((6, 9), "int64"), ((1, 1), (0, 0)), mode="wrap")
            whole = np.pad(whole, ((0, 0), (1, 1)), constant_values=-1)
            np.testing.assert_array_equal(t, part(whole, (grid.own[0], np.add(grid.own[1], 2))))

    def test_a_field_turned_round_is_no_field(self):
        for team in teams(FEW):
            t = (grid := nf.Grid(team, (6, 9))).zeros()
            self.assertRaisesRegex(nf.UsageError, "part of a field", grid.cells, t[::-1])

    def test_what_overlaps_is_finished_when_the_program_fails(self):
        for team in teams(FEW):
            t = nf.Grid(team, (6, 9), (True, True)).zeros(ghosts=1)
            halo = nf.HaloPlan(t, **QUICK)
            with self.assertRaises(KeyError), halo.overlap():
                raise KeyError
            halo.run()

    def test_irregular_plans_keep_what_is_in_flight_and_no_longer(self):
        for team in teams(FEW):
            where = nf.Distribution.block(team, 20)
            every_other = np.arange(20, dtype=np.int32)[::2]
            plan = nf.IrregularPlan(where, every_other, **QUICK)
            x = where.globals() * 1.5
            out = plan.start_gather(x)
            is_there = weakref.ref(x)
            del x
            self.assertIsNotNone(is_there())
            plan.finish()
            self.assertIsNone(is_there())
            np.testing.assert_array_equal(out, 1.5 * np.arange(0, 20, 2))

    def test_irregular_plans_know_the_distribution_of_their_update(self):
        for team in teams(FEW):
            plan = nf.IrregularPlan(nf.Distribution.block(team, 20), [0, 7], **QUICK)
            cyclic = nf.Distribution.cyclic(team, 12)
            plan.update([11, 5], cyclic)
            self.assertIs(plan.distribution, cyclic)
            np.testing.assert_array_equal(plan.gather(cyclic.globals()), [11, 5])

    def test_transforms_forward_and_backward(self):
        whole = np.random.default_rng(5).standard_normal((8, 6, 10))
        for team in teams(FEW):
            layout = nf.FftLayout(team, nf.FftShape((8, 6, 10), ("c2c", "c2c", "r2c")))
            arrays = layout.physical.zeros(), layout.spectral.zeros("c16")
            plan = nf.FftPlan(layout, *arrays, scaling="backward", **QUICK)
            a, b = layout.physical.zeros(), layout.spectral.zeros("c16")
            a[...] = whole[layout.physical.indices()]
            plan.forward(a, b)
            np.testing.assert_allclose(b, np.fft.rfftn(whole)[layout.spectral.indices()], atol=1e-12)
            back = layout.physical.zeros()
            plan.start_backward(b, back)
            is_there = weakref.ref(b)
            del b
            self.assertIsNotNone(is_there())
            plan.finish()
            np.testing.assert_allclose(back, a, atol=1e-12)

    def test_transpositions_of_another_type_are_refused(self):
        for team in teams(FEW):
            rows, columns = (nf.TransposeSide(nf.Decomposition.slab(team, (6, 9), axis)) for axis in (0, 1))
            plan = nf.TransposePlan(rows, columns, rows.zeros(), columns.zeros(), **QUICK)
            with self.assertRaisesRegex(nf.UsageError, "of the type int64; the plan is for 1 of the type float64"):
                plan.start(rows.zeros("int64"), columns.zeros("int64"))


class OutputOptions(InFolder):
    extents = (9, 5)

    def stream(self, team, name, **options):
        parts = nf.Decomposition.slab(team, self.extents, 0)
        heat = nf.OutputArray("heat", self.extents, parts.own, padding=options.pop("padding", None))
        path = os.path.join(self.folder, f"{name}{team.size}.{team.nodes}")
        return path, parts.own, nf.OutputStream(team, path, [heat], **options)

    def put(self, out, own, step):
        with out.step(float(step)):
            out.put("heat", part(values(self.extents), own) + step)

    def expect(self, team, path, steps):
        with nf.OutputReader(team, path) as reader:
            reader.select({"heat": ((0, 0), self.extents)})
            found = []
            for n, _ in reader.steps:
                with reader.step(n):
                    found.append(reader.get("heat"))
            self.assertEqual(len(found), steps)
            for n, array in enumerate(found):  # each keeps what it was while later steps are read
                np.testing.assert_array_equal(array, values(self.extents) + n)

    def test_streams_go_on_or_begin_anew(self):
        for team in teams(FEW):
            for opening, there, steps in (("create", 0, 3), ("append", 3, 5), ("create", 0, 2)):
                path, own, out = self.stream(team, "on", opening=opening)
                self.assertEqual(out.steps, there)
                with out:
                    for step in range(out.steps, steps):
                        self.put(out, own, step)
                out.free()
                self.expect(team, path, steps)

    def test_a_program_that_fails_has_not_ended_its_stream(self):
        for team in teams(FEW):
            path, own, out = self.stream(team, "fails")
            with self.assertRaises(KeyError), out:
                self.put(out, own, 0)
                raise KeyError
            self.put(out, own, 1)
            out.close()
            self.expect(team, path, 2)

    def test_padding_of_each_side(self):
        for team in teams(FEW):
            path, own, out = self.stream(team, "padded", padding=((1, 2), (0, 3)))
            with out, out.step(0.0):
                out.put("heat", np.pad(part(values(self.extents), own), ((1, 2), (0, 3)), constant_values=-1.0))
            self.expect(team, path, 1)
