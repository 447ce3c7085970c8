# SPDX-License-Identifier: BSD-3-Clause
"""Heat on a graph whose edges know the numbers of their two points and nothing else: gather, compute, scatter-add."""

import numpy as np

import nearfar as nf

POINTS, EDGES = 5000, 12000
team = nf.Team()

e = np.arange(EDGES * team.rank // team.size, EDGES * (team.rank + 1) // team.size)
ends = np.stack([e * 7 % POINTS, (e * 131 + e // 9 * 17 + 3) % POINTS], axis=1).ravel()  # two points per edge

where = nf.Distribution.block(team, POINTS)
plan = nf.IrregularPlan(where, ends, name="edges")
heat, change = plan.zeros("int64"), plan.zeros("int64")  # own points and ghosts, near ranks read them in place
own = where.globals()
heat[: own.size] = own * own % 1000003
left, right = plan.local_indices.reshape(-1, 2).T

for _ in range(20):
    plan.gather_ghosts(heat)
    change[:] = 0
    difference = heat[left] - heat[right]
    flow = np.sign(difference) * (np.abs(difference) // 16)  # towards zero, as in C
    np.subtract.at(change, left, flow)
    np.add.at(change, right, flow)
    plan.scatter_ghosts(change)  # what other ranks found for our points
    heat[: own.size] += change[: own.size]

at_ends = plan.gather(heat)  # the same in one call: a value per reference
checksum = nf.allreduce(team, int(np.sum((ends % 97 + 1) * at_ends)))
if team.is_root:
    print(f"graph: checksum {checksum}")
