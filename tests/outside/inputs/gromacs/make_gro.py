# SPDX-License-Identifier: BSD-3-Clause
"""Writes conf.gro: argon on a lattice."""
N, A = 12, 0.38
with open("conf.gro", "w") as out:
    out.write("argon\n%5d\n" % N**3)
    for i in range(N**3):
        x, y, z = i % N, i // N % N, i // N**2
        place = [A * (c + 0.5 + 0.05 * ((7 * i + k) % 5 - 2) / 5) for k, c in enumerate((x, y, z))]
        out.write("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % ((i + 1) % 100000, "AR", "AR", (i + 1) % 100000, *place))
    out.write("%10.5f%10.5f%10.5f\n" % (N * A, N * A, N * A))
