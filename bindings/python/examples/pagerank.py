# SPDX-License-Identifier: BSD-3-Clause
"""PageRank of a graph whose edges are shared out over the ranks: gather, divide, scatter-add, until it stays.

mpirun -n 4 python pagerank.py [PAGES | lesmis] [--picture FILE]: a random graph of so many pages, or the characters of
Les Miserables who meet, from networkx. Prints the rounds, the sum of all ranks (1) and the best page.
"""

import sys

import numpy as np
from picture import draw, wanted

import nearfar as nf

file = wanted()
graph = sys.argv[1] if len(sys.argv) > 1 else "20000"
DAMPING, TOLERANCE = 0.85, 1e-10
team = nf.Team()


def random_edges(pages):
    """This rank's: every page links to the next one and to four others, and to low numbers more often."""
    edge = np.arange(5 * pages * team.rank // team.size, 5 * pages * (team.rank + 1) // team.size)
    mixed = (edge * 2654435761 + 12345) % 2**32 / 2**32
    source = edge // 5
    return source, np.where(edge % 5 == 0, (source + 1) % pages, (pages * mixed**3).astype(np.int64))


if graph == "lesmis":
    import networkx

    people = networkx.les_miserables_graph()
    names = list(people)
    both = [(names.index(a), names.index(b)) for a, b in people.edges]
    links = np.array(both + [(b, a) for a, b in both])[team.rank :: team.size]
    pages, (source, target) = len(names), links.T
else:
    pages = int(graph)
    names = [f"page {i}" for i in range(pages)]
    source, target = random_edges(pages)

where = nf.Distribution.block(team, pages)
sources, targets = nf.IrregularPlan(where, source, name="sources"), nf.IrregularPlan(where, target, name="targets")
links = np.zeros(where.owned)
sources.scatter(np.ones(source.size), links)  # of each of this rank's pages

share = sources.zeros()  # what a page gives to each that it links to; ghosts lie behind this rank's pages
rank = np.full(where.owned, 1 / pages)
received = np.zeros(where.owned)
rounds, change = 0, 1.0
while change >= TOLERANCE and rounds < 200:
    rounds += 1
    share[: where.owned] = rank / links
    received[:] = 0
    targets.scatter(sources.gather(share), received)
    before, rank = rank, (1 - DAMPING) / pages + DAMPING * received
    change = nf.allreduce(team, float(np.abs(rank - before).sum()))

total = nf.allreduce(team, float(rank.sum()))
best = nf.allreduce(team, float(rank.max(initial=0)), op="max")
holder = np.flatnonzero(rank == best)
page = nf.allreduce(team, int(where.globals(holder[:1])[0]) if holder.size else pages, op="min")
everything = np.zeros(pages)
everything[where.globals()] = rank
everything = nf.reduce(team, everything)
if team.is_root:
    print(f"pagerank: {pages} pages, {rounds} rounds, sum {total:.9f}, best is {names[page]} with {best:.3e}")
    if file:
        side = int(np.ceil(np.sqrt(pages)))
        draw(file, np.log10(np.resize(everything, (side, side))), "ranks of pages (log10), row by row")
