#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends jobs that write steps, each in another way: the job ends, and what is on disk afterwards is whole steps with the
right sums.

    output_faults.py VICTIM LAUNCHER …                  e.g.  output_faults.py build/output_victim mpiexec -n
    output_faults.py --random-kills N [--seed S] VICTIM LAUNCHER …
    output_faults.py --disks few|all [--seed S] VICTIM LAUNCHER …

The second form kills N jobs at random points, over all formats and policies (output_kills.py), the third fills their
disks or
makes them slow (output_disk.py).
Exit code 77 where there is no NumPy; without h5py the cases of formats that need it are left out.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import output_disk
from output_job import FORMATS, Job, Launcher, must_be_whole
from output_kills import random_kills

STEPS = 200  # after which a job waits to be ended
SEEN = 5  # steps on disk before it is ended


def kill(does: str) -> Callable[[Job], None]:
    return lambda job: os.kill(job.processes(does)[-1], signal.SIGKILL)


def tell_launcher(number: signal.Signals) -> Callable[[Job], None]:
    return lambda job: job.process.send_signal(number)


def let_time_run_out(job: Job) -> None:
    """timeout(1) is told of its limit by this signal."""
    job.process.send_signal(signal.SIGALRM)


CASES = [
    # what, format, policy, how, command in front
    ("who writes, by a thread, is killed", "rsf", "thread", kill("writes"), []),
    ("who computes is killed beside a thread", "netcdf", "thread", kill("computes"), []),
    ("a writer rank is killed", "netcdf", "writer", kill("writes"), []),
    ("who computes is killed beside a writer rank", "rsf", "writer", kill("computes"), []),
    ("who computes is killed beside a far writer", "rsf", "far", kill("computes"), []),
    ("SIGTERM", "netcdf", "thread", tell_launcher(signal.SIGTERM), []),
    ("SIGINT, as of Ctrl-C", "rsf", "writer", tell_launcher(signal.SIGINT), []),
    ("a time limit", "rsf", "synchronous", let_time_run_out, ["timeout", "1000"]),
]


def try_case(launcher: Launcher, case: tuple) -> None:
    what, format, policy, how, before = case
    with tempfile.TemporaryDirectory(prefix="nearfar_output_faults.") as folder:
        path = Path(folder) / "s"
        words = ["in-one-file"] if format == "netcdf" else []
        job = Job(launcher, path, format, policy, STEPS, *words, "pause=4", "stays", before=before)
        try:
            job.wait_for_steps(SEEN)
            seen = job.steps()
            how(job)
        finally:
            job.end()
        job.must_have_been_ended()
        # What a launcher that is told to end returns is its own affair (0 of MPICH's).
        assert job.process.returncode != 0 or "SIG" in what, f"{what}: exit code 0:\n{job.output}"
        steps = must_be_whole(path, seen, was_killed=True)
    print(f"ok      {what} ({policy}, {format}): {steps} steps are whole", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random-kills", type=int, metavar="N", default=0)
    parser.add_argument("--disks", choices=["few", "all"])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("victim")
    parser.add_argument("launcher", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    launcher = Launcher(options.victim, *options.launcher)
    if options.random_kills > 0:
        return random_kills(launcher, options.random_kills, options.seed)
    if options.disks:
        output_disk.enter_namespace()
        kinds = output_disk.all_kinds()
        if options.disks == "few":
            kinds = random.Random(options.seed).sample(kinds, 2)
        output_disk.full_disks(launcher, kinds, options.seed)
        # A caller that writes itself does not wait for anybody.
        for policy in ["thread"] if options.disks == "few" else ["thread", "writer", "far"]:
            output_disk.slow_disk(launcher, policy)
        return None
    for case in CASES:
        if case[1] in FORMATS:
            try_case(launcher, case)


if __name__ == "__main__":
    main()
