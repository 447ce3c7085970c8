# SPDX-License-Identifier: BSD-3-Clause
"""Sums, sums of squares and maxima of numbers that all ranks share out: a plan that overlaps with work, and calls."""

import numpy as np

import nearfar as nf

COUNT = 4800
team = nf.Team()
index = np.arange(COUNT * team.rank // team.size, COUNT * (team.rank + 1) // team.size)

moments = team.zeros(2)  # in memory that near ranks share
sums = nf.plans.allreduce(team, moments, op="sum", name="moments")
checksum = 0.0
for step in range(1, 11):
    scale = nf.bcast(team, 31 * step if team.is_root else 0)
    x = ((index * index + scale) % 97).astype(float)
    moments[:] = x.sum(), (x * x).sum()
    with sums.overlap():
        largest = x.max()  # work that does not need the sums
    top = nf.allreduce(team, largest, op="max")
    checksum += moments[0] + 3 * moments[1] + 7 * top
if team.is_root:
    print(f"moments: checksum {int(checksum)}")
