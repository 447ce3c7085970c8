#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The methods to write snapshots, compared: the same short shot without snapshots and with each policy, on a throttled
disk.

    methods.py --settings FILE --output FOLDER      PROGRAM: nearfar-seismic, MPI: openmpi or mpich (environment)

Keeps a table as FOLDER/methods.md: the fastest of some rounds in which all methods take turns. Writing a snapshot takes
WRITE_SHARE of computing to
the next one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from command import InputError, command  # noqa: E402

POINTS, CELLS, STEPS_BETWEEN, FRAMES, WRITE_SHARE, ROUNDS = (121, 61, 81), 20, 2, 40, 0.6, 2
NAMES = {
    "synchronous": "the run writes itself",
    "thread": "a thread of the rank",
    "writer": "a rank more",
    "automatic": "what the stream finds best",
}


@dataclass
class Measured:
    seconds: float
    waiting_s: float = 0.0


def launcher(ranks: int) -> list[str]:
    """Threads may run on all cores, and the writer, too."""
    if ranks == 1:
        return []
    mpi = os.environ.get("MPI", "openmpi")
    name = f"mpiexec.{mpi}" if shutil.which(f"mpiexec.{mpi}") else "mpiexec"
    if mpi == "mpich":
        return [name, "-n", str(ranks)]
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [name, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", *root, "-n", str(ranks)]


def measure(settings: Path, folder: Path, step_s: float | None, *more: str, ranks: int = 1) -> tuple[Measured, str]:
    step = step_s or 1
    assignments = [
        f"grid.points=[{POINTS[0]}, {POINTS[1]}, {POINTS[2]}]",
        f"sides.cells={CELLS}",
        f"time.end={(FRAMES * STEPS_BETWEEN - 0.5) * step if step_s else 0.05}",
        "snapshots.stride=[1, 1, 1]",
        "gathers.file=methods.sgy",
        f"receivers.count=[{POINTS[0]}, 1, 1]",
        "snapshots.path=",
        *more,
    ]
    command = [*launcher(ranks), os.environ["PROGRAM"], str(settings)]
    for a in assignments:
        command += ["--set", a]
    threads = str(os.cpu_count() or 1)
    environment = {**os.environ, "OMP_NUM_THREADS": threads}
    if ranks == 1:
        environment["OMPI_MCA_ess_singleton_isolated"] = "1"
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode != 0:
        raise InputError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")
    seconds = float(re.search(r"^done +([\d.]+) s", done.stdout, re.MULTILINE)[1])
    waited = re.search(r"the run waited ([\d.]+) s", done.stdout)
    return Measured(seconds, float(waited[1]) if waited else 0.0), done.stdout


def fastest(a: Measured, b: Measured) -> Measured:
    return a if a.seconds <= b.seconds else b


def table(settings: Path, folder: Path) -> str:
    _, said = measure(settings, folder, None)
    step_s = float(re.search(r"steps of ([\d.]+) ms", said)[1]) / 1000
    alone = measure(settings, folder, step_s)[0]
    compute_s = alone.seconds / FRAMES
    megabytes = 4e-6 * POINTS[0] * POINTS[1] * POINTS[2]
    rate = megabytes / (WRITE_SHARE * compute_s)
    write_s = megabytes / rate
    asked = (
        f"snapshots.steps={STEPS_BETWEEN}",
        f"snapshots.throttle={rate:.4g}",
        "snapshots.path=methods",
        "snapshots.interval=0",
    )
    methods: dict[str, Measured] = {}
    for _ in range(ROUNDS):
        alone = fastest(alone, measure(settings, folder, step_s)[0])
        for policy in NAMES:
            one = measure(
                settings, folder, step_s, *asked, f"snapshots.policy={policy}", ranks=2 if policy == "writer" else 1
            )[0]
            methods[policy] = fastest(methods.get(policy, one), one)
    compute_s = alone.seconds / FRAMES
    for left in folder.glob("methods.*"):
        left.unlink()
    ideal = FRAMES * max(compute_s, write_s) + min(compute_s, write_s)
    title = (
        f"{FRAMES} snapshots of {megabytes:.1f} MB, a disk of {rate:.0f} MB/s: writing one takes {1e3 * write_s:.0f} ms"
    )
    heading = f"{title}, computing to the next {1e3 * compute_s:.0f} ms; the fastest of {ROUNDS} rounds"
    return words(alone, methods, ideal, heading)


def words(alone: Measured, methods: dict[str, Measured], ideal: float, title: str) -> str:
    slow = methods["synchronous"].seconds
    lines = [
        title,
        "",
        f"| {'snapshots':<40} | seconds | waiting | share of the ideal overlap |",
        f"|{'-' * 42}|--------:|--------:|---------------------------:|",
    ]
    lines.append(f"| {'none':<40} | {alone.seconds:7.2f} | {'':>7} | {'':>26} |")
    lines.append(f"| {'ideal: all but the last are hidden':<40} | {ideal:7.2f} | {'':>7} | {'100 %':>26} |")
    for policy, method in methods.items():
        share = ""
        if policy != "synchronous" and slow > ideal:
            share = f"{100 * (slow - method.seconds) / (slow - ideal):.0f} %"
        lines.append(
            f"| {policy + ': ' + NAMES[policy]:<40} | {method.seconds:7.2f} | {method.waiting_s:7.2f} | {share:>26} |"
        )
    return "\n".join(lines) + "\n"


@command("methods", status=1)
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    (options.output / "methods.md").write_text(table(options.settings.resolve(), options.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
