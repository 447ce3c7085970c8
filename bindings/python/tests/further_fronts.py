# SPDX-License-Identifier: BSD-3-Clause
"""Thread teams, reproducible sums and writer ranks, which fronts.py runs with the others."""

import math
import os
import threading
import unittest

import numpy as np
from shapes import WORLD, InFolder, part, teams, values

import nearfar as nf

__all__ = ["ReproducibleSums", "ThreadTeams", "Writers"]


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
