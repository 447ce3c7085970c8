# SPDX-License-Identifier: BSD-3-Clause
"""PageRank of a random graph whose edges are shared out over the ranks: gather, divide, scatter-add, until it stays.

mpirun -n 4 python pagerank.py [PAGES]: prints the rounds, the sum of all ranks (1) and the best page.
"""

import sys

import numpy as np

import nearfar as nf

pages = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
DAMPING, TOLERANCE = 0.85, 1e-10
team = nf.Team()

# Every page links to the next one and to four others; low numbers are linked to more often.
# The graph is the same for any team.
edge = np.arange(5 * pages * team.rank // team.size, 5 * pages * (team.rank + 1) // team.size)
source = edge // 5
mixed = (edge * 2654435761 + 12345) % 2**32 / 2**32
target = np.where(edge % 5 == 0, (source + 1) % pages, (pages * mixed**3).astype(np.int64))

where = nf.Distribution.block(team, pages)
sources, targets = nf.GatherPlan(where, source, name="sources"), nf.GatherPlan(where, target, name="targets")
rank = sources.zeros()
own = rank[: where.owned]
own[:] = 1 / pages
received = np.zeros(where.owned)
rounds, change = 0, 1.0
while change >= TOLERANCE and rounds < 200:
    rounds += 1
    received[:] = 0
    targets.scatter(sources.gather(rank) / 5, received)  # every page has five links
    change = nf.allreduce(team, float(np.abs((1 - DAMPING) / pages + DAMPING * received - own).sum()))
    own[:] = (1 - DAMPING) / pages + DAMPING * received

total = nf.allreduce(team, float(own.sum()))
best = nf.allreduce(team, float(own.max()), op="max")
holder = np.flatnonzero(own == best)
page = nf.allreduce(team, int(where.globals(holder[:1])[0]) if holder.size else pages, op="min")
if team.is_root:
    print(f"pagerank: {pages} pages, {rounds} rounds, sum {total:.9f}, best is page {page} with {best:.3e}")
