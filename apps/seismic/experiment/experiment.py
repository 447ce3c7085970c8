#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The experiment of Machado, Lorenzon and Navaux: the Fletcher mini-app's snapshots, written by several methods.

Each run is the mini-app's standard one: a homogeneous TTI medium, random sides, a snapshot of the whole grid with
its sides every 10 steps, the first one at time 0. Methods take turns; medians.

  paper    methods of the original and of the paper beside ours, on disks as slow as the paper's (520 and 136 MB/s)
           or as it is (0); computing is pretended, as on a GPU (the mini-app's kernel on a V100), or real (cpu)
  overlap  ours alone, on disks so slow that writing takes 0.25, 0.5, 1 and 2 times what computing takes

Share of the ideal: of what hiding all writing but the last snapshot's would save. Files are looked at after each run,
and removed. The paper's own size: --grid 504 --time 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "experiment"))

from launch import ExperimentError, Launcher, command, machine  # noqa: E402
from setup import BASE, NONE, METHODS, Setup, Method, gpu_step_s, needs  # noqa: E402
from tables import Timing, heading, middle, read_log, record, table, write  # noqa: E402

PROGRAM = Path(__file__).resolve().parents[3] / "build" / "release-openmpi" / "apps" / "seismic" / "nearfar-seismic"
OVERLAP_METHODS = (NONE, "synchronous", "thread", "writer", "automatic")


def arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("mode", nargs="?", default="paper", choices=("paper", "overlap"), help="default paper")
    add("--program", type=Path, default=PROGRAM, metavar="FILE",
        help="nearfar-seismic of either MPI; seismic-plain-output lies beside it")  # fmt: skip
    add("--output", type=Path, default=Path("out/seismic-experiment"), metavar="FOLDER",
        help="for the tables, and for snapshots: the disk that is measured (out/seismic-experiment)")  # fmt: skip
    add("--grid", type=int, default=120, metavar="N", help="N x N x N points, without sides (120)")
    add("--dt", type=float, default=0.001, metavar="S", help="time step (0.001)")
    add("--time", type=float, metavar="S", help="that is simulated (0.5; overlap: 0.4)")
    add("--interval", type=int, metavar="N", help="steps from one snapshot to the next (10; overlap: 5)")
    add("--medium", default="tti", choices=("iso", "vti", "tti"), help="default tti")
    add("--compute", choices=("gpu", "cpu"), help="pretended or real (gpu; overlap: cpu)")
    add("--step-ms", type=float, metavar="MS", help="of a pretended step (that of a V100, by the number of points)")
    add("--disk", type=rates, default=[520.0, 136.0], metavar="MB/S[,...]", help="0: as it is (520,136)")
    add("--ratios", type=rates, default=[0.25, 0.5, 1.0, 2.0], metavar="R[,...]",
        help="overlap: write to compute (0.25,0.5,1,2)")  # fmt: skip
    add("--methods", type=names, metavar="NAME[,...]", help="of " + ", ".join(name for name in METHODS if name != NONE))
    add("--pretend", action="store_true", help="pretend the second node of far-writer instead of emulating it")
    add("--rounds", type=int, default=3, metavar="N", help="how often each method is run (3)")
    add("--timeout", type=float, default=3600.0, metavar="S", help="for one run (3600)")
    add("--dry-run", action="store_true", help="say what is needed, and end")
    return parser.parse_args(given)


def rates(text: str) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers") from None
    if not all(0 <= value <= 1e6 for value in values):
        raise argparse.ArgumentTypeError(f"'{text}': from 0 to 1e6")
    return values


def names(text: str) -> list[str]:
    for name in text.split(","):
        if name not in METHODS or name == NONE:
            raise argparse.ArgumentTypeError(f"there is no method '{name}'; there are {', '.join(METHODS)}")
    return text.split(",")


def setup_of(options: argparse.Namespace) -> Setup:
    is_paper = options.mode == "paper"
    time_s = options.time or (0.5 if is_paper else 0.4)
    interval = options.interval or (10 if is_paper else 5)
    compute = options.compute or ("gpu" if is_paper else "cpu")
    checks = (
        ("--grid", options.grid, 16, 4096),
        ("--dt", options.dt, 1e-5, 0.0016),
        ("--time", time_s, 2 * interval * options.dt, 1000),
        ("--interval", interval, 1, 100000),
        ("--rounds", options.rounds, 1, 1000),
        ("--step-ms", options.step_ms or 1, 1e-3, 1e5),
    )
    for name, value, least, most in checks:
        if not least <= value <= most:
            raise ExperimentError(f"{name} {value:g}: from {least:g} to {most:g}")
    if options.step_ms and compute == "cpu":
        raise ExperimentError("--step-ms is for --compute gpu, where computing is pretended")
    if not is_paper and min(options.ratios) <= 0:
        raise ExperimentError("--ratios: above 0")
    step_s = 0.0
    if compute == "gpu":
        step_s = options.step_ms / 1e3 if options.step_ms else gpu_step_s(options.grid)
    return Setup(options.grid, options.dt, time_s, interval, options.medium, step_s)


def methods_of(options: argparse.Namespace, setup: Setup) -> list[Method]:
    if options.mode == "overlap":
        chosen = list(options.methods or OVERLAP_METHODS)
        base = "synchronous"
    else:
        chosen = list(options.methods or METHODS)
        base = BASE
    chosen = [base] + [name for name in chosen if name not in (base, NONE)]
    return [METHODS[name] for name in ([] if setup.step_s else [NONE]) + chosen]


class Files:
    """Snapshots of runs: of the right size, with the right header, and the same from all methods."""

    def __init__(self, folder: Path, setup: Setup) -> None:
        self.folder, self.setup, self.sum = folder, setup, None

    def remove(self) -> None:
        for path in self.folder.glob("frames.*"):
            path.unlink()

    def check(self, method: Method) -> None:
        raw, header, setup = self.folder / "frames.p.raw", self.folder / "frames.p.rsf", self.setup
        size = raw.stat().st_size
        if size != setup.disk_bytes():
            raise ExperimentError(f"{method.name}: {raw} has {size} bytes, not {setup.disk_bytes()}")
        lines = header.read_text().split()
        wanted = {"n1": setup.padded, "n2": setup.padded, "n3": setup.padded, "n4": setup.frames}
        for key, value in {**wanted, "d4": setup.interval * setup.dt_s}.items():
            found = [line.partition("=")[2] for line in lines if line.startswith(key + "=")]
            if not found or abs(float(found[-1]) - value) > 1e-6 * value:
                raise ExperimentError(f"{method.name}: {header} says {key} = {found}, not {value:g}")
        total = self.sum_of(raw)
        if self.sum is not None and total != self.sum:
            raise ExperimentError(f"{method.name}: {raw} differs from that of the methods before")
        self.sum = total

    def sum_of(self, raw: Path) -> int:
        """Of the first, the middle and the last snapshot."""
        total = 0
        with raw.open("rb") as file:
            for frame in sorted({0, self.setup.frames // 2, self.setup.frames - 1}):
                file.seek(frame * self.setup.frame_bytes)
                left = self.setup.frame_bytes
                while left > 0 and (block := file.read(min(left, 1 << 24))):
                    total, left = zlib.crc32(block, total), left - len(block)
        return total


def run_method(
    options: argparse.Namespace, launcher: Launcher, setup: Setup, method: Method, mb_per_s: float
) -> Timing:
    empty = options.output / "empty.toml"
    empty.write_text("")
    plain = options.program.absolute().with_name("seismic-plain-output") if method.plain else None
    words = ([method.plain] if method.plain else []) + [str(empty), *setup.settings(method, mb_per_s)]
    return read_log(launcher.run(options.output, words, method.ranks, method.nodes, plain))


def measure(options: argparse.Namespace, launcher: Launcher, setup: Setup, methods: list[Method],
            rate_of: Callable[[], float]) -> tuple[dict[str, list[Timing]], float]:  # fmt: skip
    """Rounds go over all methods in turn, so that a slow hour of the machine does not meet one of them only."""
    mb_per_s = rate_of()
    files = Files(options.output, setup)
    by_method: dict[str, list[Timing]] = {method.name: [] for method in methods}
    for number in range(options.rounds):
        for method in methods:
            files.remove()
            timing = run_method(options, launcher, setup, method, mb_per_s)
            by_method[method.name].append(timing)
            if method.name != NONE:
                files.check(method)
            print(f"{mb_per_s:g} MB/s, {method.name}: {timing.seconds:.2f} s (round {number + 1} of {options.rounds})",
                  file=sys.stderr, flush=True)  # fmt: skip
    files.remove()
    return by_method, mb_per_s


def rates_of(options: argparse.Namespace, launcher: Launcher, setup: Setup) -> list[Callable[[], float]]:
    """Of the disk, MB/s; for overlap computing is measured first."""
    if options.mode == "paper":
        return [lambda rate=rate: rate for rate in options.disk]

    def rate_for(ratio: float) -> float:
        compute_s = setup.step_s * setup.steps
        if not compute_s:
            compute_s = middle([run_method(options, launcher, setup, METHODS[NONE], 0) for _ in range(3)]).seconds
        return setup.frame_bytes / (ratio * compute_s / (setup.frames - 1)) / 1e6

    return [lambda ratio=ratio: rate_for(ratio) for ratio in options.ratios]


def words_about(options: argparse.Namespace, launcher: Launcher, setup: Setup, need: str) -> list[str]:
    here = machine()
    pretended = f"computing is pretended: a step sleeps {1e3 * setup.step_s:.3g} ms"
    computing = pretended if setup.step_s else "computing is real"
    return [
        f"{setup.medium.upper()}, {need}. {setup.steps} steps of {1e3 * setup.dt_s:g} ms, a snapshot every "
        f"{setup.interval}; {computing}. {launcher.mpi}, {here['processor']}, {here['cores']} cores; medians of "
        f"{options.rounds} rounds in which the methods take turns. Stall: what the computing rank spends in calls of "
        "the output, the end of the run excepted.",
        *launcher.notes,
    ]


@command("experiment.py", status=1)
def main(given: list[str] | None = None) -> int:
    options = arguments(given)
    setup = setup_of(options)
    options.output = options.output.absolute()
    options.output.mkdir(parents=True, exist_ok=True)
    need = needs(setup, options.output)
    print(f"experiment.py: {need}", file=sys.stderr, flush=True)
    if options.dry_run:
        return 0
    methods = methods_of(options, setup)
    base = next(method.name for method in methods if method.name != NONE)
    node_memory = f"{max(512, 6e-6 * setup.frame_bytes):.0f}m"  # rings, with room to spare
    threads = os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count() or 1))
    with Launcher(options.program.absolute(), options.timeout, pretend=options.pretend, is_bound=False,
                  node_memory=node_memory) as launcher:  # fmt: skip
        found = [measure(options, launcher, setup, methods, rate) for rate in rates_of(options, launcher, setup)]
        said = words_about(options, launcher, setup, need)
    parts = [f"{heading(setup, by_method, rate)}\n\n{table(setup, by_method, rate, base)}" for by_method, rate in found]
    text = "\n".join([f"# Snapshots of seismic waves: {options.mode}", "", *said, "", *parts])
    about = {"experiment": options.mode, "mpi": launcher.mpi, "threads": threads, "machine": machine()}
    records = [record(setup, by_method, rate) for by_method, rate in found]
    write(options.output / options.mode, text, records, about)
    print(text, end="")
    print(f"\n{options.output / options.mode}.md and .json hold the same.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
