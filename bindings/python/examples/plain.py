# SPDX-License-Identifier: BSD-3-Clause
"""Plain mpi4py, without a word of Nearfar: the power method for the largest eigenvalue of a matrix in rows.

mpirun -n 4 nearfar-run python plain.py: its Allgather and Allreduce are carried out in memory that near ranks share;
NEARFAR_REPORT=1 tells which and how often.
"""

import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
n = 8 * world.size
rows = np.arange(8 * world.rank, 8 * (world.rank + 1))
# The matrix of second differences: its largest eigenvalue is 4 sin^2(n pi / (2 n + 2)).
a = 2.0 * (rows[:, None] == np.arange(n)) - (abs(rows[:, None] - np.arange(n)) == 1)
x, y = np.sin(1.0 + np.arange(n)) * (-1.0) ** np.arange(n), np.empty(n)
for _ in range(400):
    world.Allgather(a @ x, y)
    squares = np.array([y[rows] @ y[rows]])
    world.Allreduce(MPI.IN_PLACE, squares)
    length = float(np.sqrt(squares[0]))
    x[:] = y / length
known = 4 * np.sin(n * np.pi / (2 * n + 2)) ** 2
if world.rank == 0:
    print(f"plain: {world.size} ranks, largest eigenvalue {length:.5f}, known {known:.5f}")
    if abs(length - known) > 1e-2:
        sys.exit("plain: the eigenvalue is wrong")
