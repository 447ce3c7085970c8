# SPDX-License-Identifier: BSD-3-Clause
"""What the calls cost from Python: the same as overhead.cpp, whose figures are to be compared with these."""

import time

import nearfar as nf


def least_seconds(bursts, often, act):
    """Processor seconds of `act` in the fastest of `bursts` bursts of `often` calls each: what others do only adds."""
    each = []
    for _ in range(bursts):
        begin = time.process_time()
        for _ in range(often):
            act()
        each.append((time.process_time() - begin) / often)
    return min(each)


team = nf.Team()
grid = nf.Grid(team, (8, 8, 8), (True, True, True))
t = grid.zeros("float64", ghosts=1)
halo = nf.HaloPlan(t, budget_s=-1.0)


def exchange():
    halo.start()
    halo.finish()


layout = nf.FftLayout(team, nf.FftShape((128, 128, 128)))
u, s = layout.physical.zeros("complex128"), layout.spectral.zeros("complex128")
plan = nf.FftPlan(layout, u, s, budget_s=-1.0)


def transform():
    plan.forward()
    plan.backward()


seconds = least_seconds(100, 2000, exchange), least_seconds(30, 1, transform)
if team.is_root:
    print(f"start and finish {seconds[0] * 1e6:.2f} us, 128^3 forward and backward {seconds[1] * 1e3:.2f} ms")
