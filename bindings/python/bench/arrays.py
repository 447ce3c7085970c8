# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's operations on near memory beside the same on NumPy's own:  python arrays.py [ROUNDS]

Processor time of bursts by turns; the least of each in microseconds, and the median of the ratios.
"""

import statistics
import sys
import time

import numpy as np
from mpi4py import MPI

import nearfar as nf


def operations(a, b):
    """What programs do with whole arrays."""
    return {
        "a += b": lambda: np.add(a, b, out=a),
        "a[...] = 0": lambda: a.fill(0),
        "a[...] = b": lambda: np.copyto(a, b),
        "a *= 1.0": lambda: np.multiply(a, 1.0, out=a),
        "a.sum()": a.sum,
        "a.copy()": a.copy,
        "np.vdot(a, b)": lambda: np.vdot(a, b),
    }


def seconds(call, times):
    """Processor time of one call."""
    begin = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - begin) / times


def compare(title, near, own, rounds):
    for name, of_near in near.items():
        times = max(1, int(4e-3 / max(seconds(own[name], 3), 1e-7)))
        pairs = []
        for at in range(rounds):
            each = [seconds(call, times) for call in ((of_near, own[name])[:: 1 - 2 * (at % 2)])]
            pairs.append(each[:: 1 - 2 * (at % 2)])
        least = [min(p[i] for p in pairs) * 1e6 for i in (0, 1)]
        ratio = statistics.median(a / b for a, b in pairs)
        print(f"{title:16} {name:14} near {least[0]:9.2f} us  NumPy {least[1]:9.2f} us  median of ratios {ratio:.3f}")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    team = nf.Team(MPI.COMM_SELF)
    for n in (48, 64, 128):
        grid = nf.Grid(team, (n, n, n))
        near = [grid.zeros(ghosts=1) for _ in range(2)]
        own = [np.zeros(near[0].shape) for _ in range(2)]
        cells = grid.cells(near[0])
        for a in (*near, *own):
            a[...] = 1
        compare(f"{n}^3 whole", operations(*near), operations(*own), rounds)
        compare(f"{n}^3 own cells", operations(*(a[cells] for a in near)), operations(*(a[cells] for a in own)), rounds)
    for n in (100, 10**6):
        near, own = ([make(n) for _ in range(2)] for make in (team.zeros, np.zeros))
        for a in (*near, *own):
            a[...] = 1
        compare(f"{n}", operations(*near), operations(*own), rounds)


if __name__ == "__main__":
    main()
