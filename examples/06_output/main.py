# SPDX-License-Identifier: BSD-3-Clause
"""Heat along rods of a plate, every tenth state of it on disk while the next ones are computed; then it is summed."""

import os
import tempfile
from pathlib import Path

import numpy as np

import nearfar as nf

NY, NX, SNAPSHOTS, STEPS_BETWEEN = 48, 64, 6, 10
team = nf.Team()
path = f"{tempfile.gettempdir()}/nearfar_plate.{nf.bcast(team, os.getpid())}"
first, last = NY * team.rank // team.size, NY * (team.rank + 1) // team.size
y, x = np.ogrid[first:last, :NX]
t = (x * x * 7919 + y * 104729) % 1000003

heat = nf.OutputArray("heat", (NY, NX), ((first, 0), (last, NX)), "int64", attributes={"label1": "x", "label2": "y"})
with nf.OutputStream(team, path, [heat]) as out:  # at its end all is on disk
    for snapshot in range(SNAPSHOTS):
        for _ in range(STEPS_BETWEEN):
            t[:, 1:-1] = (t[:, :-2] + 2 * t[:, 1:-1] + t[:, 2:]) // 4  # the ends keep their values
        with out.step(0.01 * snapshot):  # waits only if the disk is far behind
            out.put("heat", t)  # copied: t may change again

if team.is_root:
    everything = np.fromfile(f"{path}.heat.raw", np.int64)
    checksum = int(np.sum((1 + np.arange(everything.size) % 97) * everything))
    print(f"plate: {len(nf.output_steps_at(path))} steps, checksum {checksum}")
    for ending in ("heat.raw", "heat.rsf", "journal", "parts.json"):
        Path(f"{path}.{ending}").unlink()
