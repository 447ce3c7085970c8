# SPDX-License-Identifier: BSD-3-Clause
"""Set-ups of the experiment: the mini-app's standard run, methods to write its snapshots, what they need."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass
from pathlib import Path

from launch import ExperimentError

# As in the mini-app's runs: 16 cells of random sides and a border of 4 on each side.
SIDE_CELLS, BORDER, SPACING = 16, 4, 12.5
# The mini-app's CUDA kernel on a V100, TTI: points of a grid of 504 x 504 x 504 a second.
GPU_GRID, GPU_POINTS_PER_S = 504, 2.115e9
# Arrays of a field's size: fields at two times, and coefficients.
ARRAYS = {"iso": 2 + 1, "vti": 4 + 4, "tti": 4 + 7}
MOST_FRAMES = 4  # in memory at once: two of a ring here and two where a far writer is


@dataclass(frozen=True)
class Method:
    """One method to write."""

    name: str
    words: str
    ranks: int = 1
    nodes: int = 1
    plain: str = ""  # a method of seismic-plain-output
    policy: str = ""  # else of nearfar-seismic
    is_published: bool = False


BASE, NONE = "buffered", "none"
ALL_METHODS = (
    Method("none", "no snapshots"),
    Method("buffered", "fwrite through the page cache: the original", plain="buffered"),
    Method("send", "MPI_Send to a rank that fwrites", ranks=2, plain="send", is_published=True),
    Method("isend", "copy, MPI_Isend to a rank that fwrites", ranks=2, plain="isend", is_published=True),
    Method("synchronous", "ours, the run writes itself", policy="synchronous"),
    Method("thread", "ours, a thread of the rank", policy="thread"),
    Method("writer", "ours, a rank more", ranks=2, policy="writer"),
    Method("far-writer", "ours, a rank of another node", ranks=2, nodes=2, policy="far-writer"),
    Method("automatic", "ours, what the stream finds best", policy="automatic"),
)
METHODS = {method.name: method for method in ALL_METHODS}


@dataclass(frozen=True)
class Setup:
    """What all methods have in common."""

    points: int  # of the inner grid along each dimension
    dt_s: float
    end_s: float
    interval: int  # steps from one snapshot to the next
    medium: str
    step_s: float  # that a step sleeps, as with a GPU; 0: it computes

    @property
    def padded(self) -> int:
        return self.points + 2 * (SIDE_CELLS + BORDER)

    @property
    def steps(self) -> int:
        return math.ceil(self.end_s / self.dt_s - 1e-6)

    @property
    def frames(self) -> int:
        return self.steps // self.interval + 1  # the first one is of time 0

    @property
    def frame_bytes(self) -> int:
        return 4 * self.padded**3

    def memory_bytes(self) -> int:
        return (MOST_FRAMES + (1 if self.step_s else ARRAYS[self.medium])) * self.frame_bytes

    def disk_bytes(self) -> int:
        return self.frames * self.frame_bytes

    def settings(self, method: Method, mb_per_s: float) -> list[str]:
        """Assignments, as for --set."""
        n = self.points
        values = {
            "grid.points": [n, n, n],
            "grid.spacing": [SPACING] * 3,
            "medium.kind": self.medium,
            "medium.system": "fletcher",
            "model.kind": "fletcher",
            "time.end": self.end_s,
            "time.step": self.dt_s,
            "sides.kind": "random",
            "sides.cells": SIDE_CELLS,
            "sources.wavelet": "fletcher",
            "sources.scaling": "none",
            "sources.frequency": 40,
            "snapshots.path": "" if method.name == NONE else "frames",
            "snapshots.steps": self.interval,
            "snapshots.with-sides": "true",
            "snapshots.throttle": mb_per_s,
            "run.device": "cpu",
            "run.pretended-step": self.step_s,
        }
        if method.policy:
            values["snapshots.policy"] = method.policy
        return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def gpu_step_s(points: int) -> float:
    """Seconds of a step on the GPU, by points with sides: the share of writing is then that of the paper's grid."""
    whole = GPU_GRID + 2 * (SIDE_CELLS + BORDER)
    padded = points + 2 * (SIDE_CELLS + BORDER)
    return GPU_GRID**3 / GPU_POINTS_PER_S * (padded / whole) ** 3


def free_memory() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return math.inf


def gigabytes(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count < 1e12 else f"{count / 1e12:.3g} TB"


def needs(setup: Setup, folder: Path) -> str:
    """What a set-up needs and there is, in a sentence. Refuses where it is too little."""
    memory, disk = free_memory(), shutil.disk_usage(folder).free
    words = (
        f"{setup.points}³ points, {setup.padded}³ with sides, {setup.frames} snapshots of "
        f"{setup.frame_bytes / 1e6:.1f} MB: up to {gigabytes(setup.memory_bytes())} of memory, of which "
        f"{gigabytes(memory)} are free, and {gigabytes(setup.disk_bytes())} of the disk at {folder}, of which "
        f"{gigabytes(disk)} are free"
    )
    for what, needed, there in (("memory", setup.memory_bytes(), memory), ("disk", setup.disk_bytes(), disk)):
        if needed > there:
            raise ExperimentError(f"too little {what}: {words}. Take a smaller --grid or --time")
    return words
