# SPDX-License-Identifier: BSD-3-Clause
"""Irregular plans, thread teams, reproducible sums and writer ranks, which fronts.py runs with the others."""

import math
import os
import threading
import unittest

import numpy as np
from shapes import QUICK, WORLD, InFolder, part, teams, values

import nearfar as nf

__all__ = ["Gathers", "ReproducibleSums", "ThreadTeams", "Writers"]


def by_threads(count, run):
    """Calls run(thread) on so many threads; what one raises is raised here."""
    failures = []

    def guarded(thread):
        try:
            run(thread)
        except BaseException as e:
            failures.append(e)

    all_threads = [threading.Thread(target=guarded, args=(t,)) for t in range(count)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    if failures:
        raise failures[0]


class ThreadTeams(unittest.TestCase):
    shapes = ((1, 0), (2, 0), (2, 1), (3, 2))

    def test_collectives_of_all_threads(self):
        for team in teams(self.shapes):
            mine = 2 + team.rank % 2
            everyone = nf.ThreadTeam(team, mine)
            total, first = everyone.size, everyone.first_of(team.rank)
            self.assertEqual((everyone.threads, total), (mine, sum(2 + r % 2 for r in range(team.size))))

            def run(thread, everyone=everyone, total=total, first=first, team=team):
                number = first + thread
                everyone.barrier(thread)
                x = np.arange(5.0) + number
                np.testing.assert_array_equal(
                    everyone.allreduce(thread, x, np.zeros(5)), total * np.arange(5.0) + total * (total - 1) / 2
                )
                np.testing.assert_array_equal(everyone.allreduce(thread, x, op="max"), np.arange(5.0) + total - 1)
                last = team.size - 1
                found = everyone.reduce(thread, np.full(3, 1), np.zeros(3, int), root=last, root_thread=1)
                self.assertEqual(None if found is None else found.tolist(),
                                 [total] * 3 if (team.rank, thread) == (last, 1) else None)
                share = everyone.reduce_scatter_block(thread, np.arange(2.0 * total), np.zeros(2))
                np.testing.assert_array_equal(share, total * np.arange(2.0 * number, 2 * number + 2))
                found = everyone.bcast(thread, np.full(4, number), root=last)
                np.testing.assert_array_equal(found, [first_of_last] * 4)
                np.testing.assert_array_equal(everyone.allgather(thread, np.array([number])).ravel(), np.arange(total))

            first_of_last = everyone.first_of(team.size - 1)
            by_threads(mine, run)
            everyone.free()

    def test_what_is_wrong(self):
        for team in teams(((2, 0),)):
            self.assertRaisesRegex(nf.UsageError, "0", nf.ThreadTeam, team, 0)
            everyone = nf.ThreadTeam(team, 1)
            self.assertRaisesRegex(nf.UsageError, "agree", everyone.allreduce, 0, np.zeros(2), np.zeros(3))
            self.assertRaisesRegex(nf.UsageError, "a reduction is for", everyone.allreduce, 0, np.zeros(2, "f2"))
            self.assertRaisesRegex(nf.UsageError, "4", everyone.reduce_scatter_block, 0, np.zeros(3), np.zeros(2))


class ReproducibleSums(unittest.TestCase):
    def test_the_same_bits_for_all_teams(self):
        everything = np.random.default_rng(3).standard_normal(1000) * 10.0 ** (np.arange(1000) % 40 - 20)
        other = everything[::-1].copy()
        for team in teams():
            mine = np.array_split(np.arange(1000), team.size)[team.rank]
            self.assertEqual(nf.reproducible_sum(team, everything[mine]), math.fsum(everything))
            dot = nf.reproducible_dot(team, everything[mine], other[mine])
            self.assertLessEqual(abs(dot - float(np.dot(everything.astype("g"), other.astype("g")))), abs(dot) * 1e-15)
            x = np.full(3, 0.1) if team.is_root else np.full(3, 1e17)
            nf.reproducible_allreduce(team, x)
            self.assertEqual(x[0], math.fsum([0.1] + [1e17] * (team.size - 1)))
            single = nf.reproducible_sum(team, np.full(3, 0.1, np.float32))
            self.assertEqual(single, float(np.float32(math.fsum([float(np.float32(0.1))] * 3 * team.size))))

    def test_what_is_wrong(self):
        self.assertRaisesRegex(nf.UsageError, "int64", nf.reproducible_sum, WORLD, np.arange(3))
        self.assertRaisesRegex(nf.UsageError, "agree", nf.reproducible_dot, WORLD, np.zeros(3), np.zeros(2))


class Writers(InFolder):
    extents = (8, 3)

    def compute(self, team, path, writers):
        parts = nf.Decomposition.slab(team, self.extents, 0)
        heat = nf.OutputArray("heat", self.extents, parts.own)
        with nf.OutputStream(team, path, [heat], policy="writer", writers=writers) as out:
            for step in range(3):
                with out.step(float(step)):
                    out.put("heat", part(values(self.extents), parts.own) + step)
        out.free()

    def test_ranks_that_write(self):
        for team in teams(((2, 0), (3, 0), (4, 2))):
            for placement in ("near", "far"):
                path = os.path.join(self.folder, f"{placement}{team.size}.{team.nodes}")
                writers = nf.OutputWriters(team, placement)
                self.assertEqual(writers.count, team.nodes if placement == "near" else 1)
                if writers.is_writer:
                    self.assertRaises(nf.UsageError, lambda of=writers: of.computing)
                    writers.serve()
                else:
                    self.assertEqual(writers.computing.size, team.size - writers.count)
                    self.compute(writers.computing, path, writers)
                writers.free()
                team.comm.Barrier()
                self.assertEqual({r.state for r in nf.output_verify(path)}, {"sound"})
                self.assertEqual(len(nf.output_steps_at(path)), 3)

    def test_what_is_wrong(self):
        self.assertRaisesRegex(nf.UsageError, "near, far", nf.OutputWriters, WORLD, "middle")


class Gathers(unittest.TestCase):
    count = 40

    def indices(self, rank):
        return np.random.default_rng(rank).integers(0, self.count, 25)

    def test_all_operations(self):
        for team in teams():
            for where in (
                nf.Distribution.block(team, self.count),
                nf.Distribution.cyclic(team, self.count),
                nf.Distribution.from_owned(team, np.arange(team.rank, self.count, team.size)),
            ):
                mine, own = self.indices(team.rank), where.globals()
                plan = nf.IrregularPlan(where, mine, **QUICK)
                self.assertEqual((plan.owned, plan.references), (own.size, mine.size))
                x = plan.zeros("int64")
                x[: own.size] = own**2
                np.testing.assert_array_equal(plan.gather(x), mine**2)
                np.testing.assert_array_equal(x[plan.local_indices], mine**2)
                self.assertEqual(plan.ghost_indices.size, plan.ghosts)
                plain = np.zeros((own.size, 2))  # own elements alone, two values each
                plan.scatter(np.stack([mine, mine * 10], axis=1).astype(float), plain, "sum")
                oracle = np.zeros(self.count)
                for rank in range(team.size):
                    np.add.at(oracle, self.indices(rank), self.indices(rank))
                np.testing.assert_array_equal(plain, np.stack([oracle[own], oracle[own] * 10], axis=1))
                ones = np.ones(mine.size)
                plan.assemble(ones)
                used = sum(np.bincount(self.indices(r), minlength=self.count) for r in range(team.size))
                np.testing.assert_array_equal(ones, used[mine])
                x[:] = 1
                plan.start_scatter_ghosts(x, "sum")
                plan.finish()
                out = np.zeros(mine.size, np.int64)
                plan.start_gather(x, out)
                plan.finish()
                np.testing.assert_array_equal(out, x[plan.local_indices])
                self.assertIs(plan.team, team)

    def test_operations_by_name(self):
        for team in teams():
            where, mine = nf.Distribution.block(team, self.count), self.indices(team.rank)
            plan = nf.IrregularPlan(where, mine, **QUICK)
            x = plan.zeros("int64")
            x[: where.owned] = where.globals()
            with plan.overlap("gather", x) as values:
                pass
            np.testing.assert_array_equal(values, mine)
            np.testing.assert_array_equal(plan.run("gather", x), mine)
            plan.start("scatter", np.full(mine.size, 7), x, op="max")
            plan.finish()
            np.testing.assert_array_equal(plan.run("gather", x), np.maximum(mine, 7))
            with self.assertRaisesRegex(nf.UsageError, "operation is 'sum'; it is one of gather_ghosts"):
                plan.run("sum", x)

    def test_update_and_locate(self):
        for team in teams():
            where = nf.Distribution.block(team, self.count)
            plan = nf.IrregularPlan(where, np.arange(3, dtype=np.int32), **QUICK)
            plan.update(np.arange(5)[::-1])
            x = np.array(where.globals(), dtype=np.float32)
            np.testing.assert_array_equal(plan.gather(x), np.arange(5)[::-1])
            owners, offsets = where.locate(where.globals())
            self.assertTrue((owners == team.rank).all())
            np.testing.assert_array_equal(offsets, np.arange(where.owned))
            where.check()

    def test_what_is_wrong(self):
        for team in teams():
            where = nf.Distribution.block(team, self.count)
            with self.assertRaisesRegex(nf.UsageError, "40"):
                nf.IrregularPlan(where, [self.count if team.is_root else 0])
            self.assertRaisesRegex(nf.UsageError, "integers", nf.IrregularPlan, where, [0.5])
            plan = nf.IrregularPlan(where, [0, 1], **QUICK)
            self.assertRaisesRegex(nf.UsageError, "references", plan.gather, np.zeros(where.owned), np.zeros(3))
            self.assertRaisesRegex(nf.UsageError, "contiguous", plan.gather, np.zeros(2 * where.owned + 2)[::2])
