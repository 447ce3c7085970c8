#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The experiment of Souza, Panetta and Stephany, with our own model: 100 x 100 columns, 38 levels, 1440 long steps.

Three variants of the halo exchange take turns within each run, a few steps each, so that whatever else the
machine does meets all three alike: plain MPI (Isend/Irecv), node shared memory with a barrier of the whole
node before and after each copy, and Nearfar's tuned choice. All give the same bits.

  scaling  ranks 1, 2, 4 ... on one node and spread over two emulated ones: seconds per step,
           speed-up against one rank, share of the exchange, ratios
  tiles    two ranks with one tile each of 50 x 100, 25 x 25, 16 x 14 and 3 x 3 columns: what a rank does when
           the experiment runs on 2, 16, 44 and 1408 ranks
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "experiment"))

from launch import ExperimentError, Launcher, command, machine  # noqa: E402
from setup import LEVELS, Case, known_keys, namelist  # noqa: E402
from tables import WHOLE, Result, middle, read_comparison, scaling_table, tile_table, write  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "build" / "release-openmpi" / "apps" / "weather" / "nearfar-weather"
TILES = {(50, 100): 240, (25, 25): 1200, (16, 14): 2400, (3, 3): 9600}  # columns of a rank: long steps


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", nargs="?", default="scaling", choices=("scaling", "tiles"), help="default scaling")
    parser.add_argument("--program", type=Path, default=PROGRAM, metavar="FILE", help="nearfar-weather of either MPI")
    parser.add_argument("--output", type=Path, default=Path("out/experiment"), metavar="FOLDER",
                        help="for the tables and the last namelist (out/experiment)")  # fmt: skip
    parser.add_argument("--ranks", type=numbers, metavar="N[,N...]",
                        help="rank counts; one alone: 1, 2, 4 ... up to it (all cores; tiles: 2)")  # fmt: skip
    parser.add_argument("--nodes", type=numbers, metavar="N[,N...]", help="numbers of nodes (1,2; tiles: 1)")
    parser.add_argument("--pretend", action="store_true", help="pretend the nodes instead of emulating them")
    parser.add_argument("--steps", type=int, metavar="N", help="long steps of a run (1440; tiles: by size)")
    parser.add_argument("--columns", type=pair, default=(100, 100), metavar="NXxNY", help="of the domain (100x100)")
    parser.add_argument("--tiles", type=pairs, default=list(TILES), metavar="NXxNY,...",
                        help="columns of a rank (50x100,25x25,16x14,3x3)")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="how often each run is made (1)")
    parser.add_argument("--core", default="leapfrog", choices=("leapfrog", "rk3"), help="time scheme (leapfrog)")
    parser.add_argument("--set", action="append", default=[], metavar="GROUP.KEY=VALUE", help="another key")
    parser.add_argument("--timeout", type=float, default=3600.0, metavar="S", help="for one run (3600)")
    return parser.parse_args(words)


def numbers(text: str) -> list[int]:
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers") from None
    if min(values) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': at least 1 is needed")
    return values


def pair(text: str) -> tuple[int, int]:
    try:
        nx, ny = (int(part) for part in text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form 16x14") from None
    if min(nx, ny) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': at least 1 column is needed")
    return nx, ny


def pairs(text: str) -> list[tuple[int, int]]:
    return [pair(part) for part in text.split(",")]


def check(options: argparse.Namespace) -> None:
    if options.steps is not None and options.steps < 30:
        raise ExperimentError(f"--steps {options.steps}: each variant needs some turns, at least 30 steps")
    if options.rounds < 1:
        raise ExperimentError(f"--rounds {options.rounds}: at least 1")


def scaling_cases(options: argparse.Namespace) -> list[Case]:
    """Every rank count on every number of nodes that divides it, each node with at least one rank."""
    ranks = options.ranks or [os.cpu_count() or 1]
    if len(ranks) == 1:
        ranks = sorted({2**k for k in range(ranks[0].bit_length()) if 2**k <= ranks[0]} | {ranks[0]})
    steps, nodes = options.steps or WHOLE, options.nodes or [1, 2]
    return [
        Case(*options.columns, ranks=p, nodes=n, steps=steps, sides="davies")
        for n in nodes
        for p in ranks
        if p % n == 0 and (n == 1 or p > 1)
    ]


def tile_cases(options: argparse.Namespace) -> list[Case]:
    """Periodic sides, so that each tile has neighbours all round, as a tile in the middle of the domain has."""
    ranks = options.ranks[-1] if options.ranks else 2
    nodes = max(options.nodes or [1])
    if ranks % nodes:
        raise ExperimentError(f"--ranks {ranks} is not a multiple of --nodes {nodes}")
    return [
        Case(ranks * nx, ny, ranks, nodes, options.steps or TILES.get((nx, ny), WHOLE), "periodic", ranks, 1)
        for nx, ny in options.tiles
    ]


def measure(options: argparse.Namespace, launcher: Launcher, cases: list[Case], core: str) -> list[Result]:
    """Rounds go over all cases in turn, so that a slow hour of the machine does not meet one of them only."""
    rounds: dict[Case, list] = {case: [] for case in cases}
    for number in range(options.rounds):
        for case in cases:
            what = f"{case.ranks} ranks on {case.nodes} node{'s' if case.nodes > 1 else ''}"
            print(f"{what}, {case.nx} x {case.ny} columns, {case.steps} steps", end="", file=sys.stderr, flush=True)
            (options.output / "compare.json").unlink(missing_ok=True)
            (options.output / "run.nml").write_text(namelist(case, core, options.set))
            launcher.run(options.output, ["run.nml"], case.ranks, case.nodes)
            rounds[case].append(read_comparison(options.output / "compare.json"))
            times = ", ".join(f"{1e3 * t.step_s:.3f}" for t in rounds[case][-1].values())
            print(f": {times} ms (round {number + 1} of {options.rounds})", file=sys.stderr, flush=True)
    return [Result(case, middle(found)) for case, found in rounds.items()]


def words(options: argparse.Namespace, launcher: Launcher, core: str, cases: list[Case]) -> list[str]:
    here = machine()
    crowded = max(case.ranks for case in cases) > int(str(here["cores"]))
    return [
        f"{LEVELS} levels, time scheme {core}, {launcher.mpi}, {here['processor']}, {here['cores']} cores. "
        f"The variants take turns within a run; medians over long steps (runs: {options.rounds}): the slowest rank's "
        "step, the ranks' mean in the exchange.",
        *launcher.notes,
        *(["More ranks than cores: those rows show that it works, not how fast it is."] if crowded else []),
    ]


@command("experiment.py", status=1)
def main(given: list[str] | None = None) -> int:
    options = arguments(given)
    check(options)
    cases = scaling_cases(options) if options.mode == "scaling" else tile_cases(options)
    if not cases:
        raise ExperimentError("no rank count is a multiple of the number of nodes")
    options.output = options.output.absolute()
    options.output.mkdir(parents=True, exist_ok=True)
    with Launcher(options.program.absolute(), options.timeout, pretend=options.pretend) as launcher:
        core = options.core
        if "time_scheme" not in known_keys(launcher.answer("--keys")):
            launcher.notes.append("This build has no time scheme but rk3.")
            core = ""
        results = measure(options, launcher, cases, core)
        said = words(options, launcher, core or "rk3", cases)
    table = scaling_table(results) if options.mode == "scaling" else tile_table(results)
    about = {"experiment": options.mode, "core": core or "rk3", "mpi": launcher.mpi, "rounds": options.rounds,
             "machine": machine()}  # fmt: skip
    write(options.output / options.mode, f"The halo experiment: {options.mode}", said, table, results, about)
    print("\n".join([*said, "", table]), end="")
    print(f"\n{options.output / options.mode}.md and .json hold the same.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
