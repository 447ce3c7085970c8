#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs random programs plain and through the preloaded library until a time is over, and tells the seeds that differ.

    compare.py --mpi openmpi|mpich|PREFIX [--seconds N] [--first SEED] [--steps N] [--right] [--program FILE]
               [--library FILE]

Ranks (2 to 5) and pretend nodes change from batch to batch. A seed that the plain MPI does not carry out to its end
(Debian's have faults of their own) is told and left out. Exit status 1 where any seed differs.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tools"))
from mpis import Mpi  # noqa: E402

BATCH = 10
METHODS = [
    (2, {}),
    (3, {}),
    (4, {}),
    (5, {}),
    (3, {"NEARFAR_NODE_SIZE": "1"}),
    (4, {"NEARFAR_NODE_SIZE": "2"}),
    (5, {"NEARFAR_NODE_SIZE": "2"}),
    (2, {"NEARFAR_TUNE_AFTER": "1"}),
]


def launch(options, mpi, ranks, first, last, library=None, settings=None):
    """-> {seed: {rank: digest}} of the seeds that came to their end, and what was said"""
    environment = {"NEARFAR_WISDOM": "off", "NEARFAR_PRELOAD_AFTER": "1", **(settings or {})}
    words = [options.program, str(first), str(last), str(options.steps)] + ["right"] * options.right
    line, environment = mpi.command(ranks, words, [library] if library else [], environment=environment)
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            line,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(options.patience * (last - first + 1))
        except subprocess.TimeoutExpired:
            for number in (signal.SIGTERM, signal.SIGKILL):
                os.killpg(process.pid, number)
                time.sleep(1)
            process.wait()
        log.seek(0)
        text = log.read()
        sys.stdout.flush()
    found = {}
    for seed, rank, digest in re.findall(r"^seed (\d+) rank (\d+) digest (\w+)$", text, re.M):
        found.setdefault(int(seed), {})[int(rank)] = digest
    return {seed: digests for seed, digests in found.items() if len(digests) == ranks}, text


def all_of(options, mpi, ranks, first, last, **method):
    """As launch, but what follows a seed that did not end is run too."""
    found = {}
    while first <= last:
        more, text = launch(options, mpi, ranks, first, last, **method)
        found.update(more)
        while first in found:
            first += 1
        if first <= last:
            lines = [line for line in text.splitlines() if not line.startswith("seed ")]
            print(
                "seed %d did not end%s: %s"
                % (first, " preloaded" if method else "", " / ".join(lines[:6])[:600] or "time is over")
            )
        first += 1
    return found


def compare_batch(options, mpi, ranks, settings, first):
    """-> seeds that differ, seeds that the plain MPI left unfinished"""
    last = first + BATCH - 1
    plain = all_of(options, mpi, ranks, first, last)
    ours = all_of(options, mpi, ranks, first, last, library=options.library, settings=settings)
    bad = [seed for seed in plain if ours.get(seed) != plain[seed]]
    # Machines are busy, and MPIs differ from run to run: only what differs again is told.
    again = [seed for seed in bad if differs_again(options, mpi, ranks, settings, seed)]
    return (
        again,
        [seed for seed in range(first, last + 1) if seed not in plain],
        [seed for seed in bad if seed not in again],
    )


def differs_again(options, mpi, ranks, settings, seed):
    plain, _ = launch(options, mpi, ranks, seed, seed)
    ours, _ = launch(options, mpi, ranks, seed, seed, library=options.library, settings=settings)
    return bool(plain) and plain != ours


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--right", action="store_true", help="no wrong calls: for MPIs that do not check arguments")
    parser.add_argument("--patience", type=float, default=60, help="seconds for each seed before it counts as hanging")
    parser.add_argument("--program")
    parser.add_argument("--library")
    return parser.parse_args()


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as work:
        mpi = Mpi(options.mpi, work)
        options.program = options.program or os.path.join(mpi.build(), "tests/preload/preload_random")
        options.library = options.library or mpi.library()
        end, first, differing, unfinished = time.monotonic() + options.seconds, options.first, 0, 0
        while time.monotonic() < end:
            ranks, settings = METHODS[first // BATCH % len(METHODS)]
            bad, left_out, once = compare_batch(options, mpi, ranks, settings, first)
            differing, unfinished = differing + len(bad), unfinished + len(left_out)
            print(
                "seeds %d to %d, %d ranks %s: %s"
                % (first, first + BATCH - 1, ranks, settings, "DIFFERENT: %s" % bad if bad else "same"),
                "; unfinished plain: %s" % left_out if left_out else "",
                "; different once: %s" % once if once else "",
                flush=True,
            )
            first += BATCH
    print(
        "%s: %d seeds, %d different, %d not carried out by the plain MPI"
        % (mpi.name, first - options.first, differing, unfinished)
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
