# SPDX-License-Identifier: BSD-3-Clause
"""Writes grid.grf, a grid of 60 x 60 in Scotch's format."""

N = 60
with open("grid.grf", "w") as out:
    lines = []
    for i in range(N * N):
        x, y = i % N, i // N
        near = [
            (x + dx) + N * (y + dy)
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
            if 0 <= x + dx < N and 0 <= y + dy < N
        ]
        lines.append(" ".join(map(str, [len(near)] + near)))
    out.write("0\n%d %d\n0 000\n" % (N * N, sum(int(line.split()[0]) for line in lines)))
    out.write("\n".join(lines) + "\n")
