#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends jobs that write steps, each in another way: the job ends soon, and what is on disk afterwards is whole steps with the right sums.

    output_faults.py VICTIM LAUNCHER …          e.g.  output_faults.py build/output_victim mpiexec -n

Exit code 77 where there is no NumPy; without h5py the cases of format netcdf are left out.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
try:
    import nearfar_output
    import numpy as np
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)

STEPS = 4000  # more than there is time for
SEEN = 5  # steps on disk before the job is ended
PATIENCE_S = 30


class Job:
    """A job in a folder of its own; what its ranks said."""

    def __init__(self, command: list[str], folder: Path, format: str, policy: str) -> None:
        self.path = folder / "s"
        # No rank of a launcher that is killed by a limit outlives the session.
        self.process = subprocess.Popen([*command, str(self.path), format, policy, str(STEPS)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, env={**os.environ, "NEARFAR_WATCHDOG": "8"}, start_new_session=True)
        self.output = ""
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output += line

    def steps(self) -> int:
        journal = self.path.with_name("s.journal")
        return journal.stat().st_size // 64 if journal.exists() else 0

    def wait_for_steps(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while self.steps() < SEEN:
            assert self.process.poll() is None and time.monotonic() < end, f"no {SEEN} steps came:\n{self.output}"
            time.sleep(0.005)

    def process_that(self, does: str) -> int:
        """Of the last rank that does so."""
        return int(re.findall(rf"rank \d+ process (\d+) {does}", self.output)[-1])

    def end(self) -> None:
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError(f"the job did not end within {PATIENCE_S} s:\n{self.output}") from None
        self.reader.join(PATIENCE_S)
        assert "ended well" not in self.output, f"the job ended before its time:\n{self.output}"


def must_be_whole(path: Path, least: int) -> int:
    """Every step that the journal has is sound by its sums, and holds what was written."""
    stream = nearfar_output.Stream(path)
    reports = stream.verify()
    assert len(reports) == stream.steps >= least, f"{len(reports)} of {stream.steps} steps, at least {least}"
    wrong = [r for r in reports if r.is_sound is not True]
    assert not wrong, f"steps that are not whole: {wrong[:3]}"
    for name, value in (("p", 1.5), ("q", -2.25)):
        for step in (0, stream.steps - 1):
            assert np.all(np.asarray(stream[name][step]) == value), f"{name} of step {step}"
    assert list(stream.times) == list(range(stream.steps))
    return stream.steps


def kill(does: str) -> Callable[[Job], None]:
    return lambda job: os.kill(job.process_that(does), signal.SIGKILL)


def tell_launcher(number: signal.Signals) -> Callable[[Job], None]:
    return lambda job: job.process.send_signal(number)


def nothing(_job: Job) -> None:
    """A time limit does it."""


CASES = [
    # what, ranks, format, policy, how, command in front
    ("who writes, by a thread, is killed", 2, "rsf", "thread", kill("writes"), []),
    ("who computes is killed beside a thread", 2, "netcdf", "thread", kill("computes"), []),
    ("a writer rank is killed", 3, "netcdf", "writer", kill("writes"), []),
    ("who computes is killed beside a writer rank", 3, "rsf", "writer", kill("computes"), []),
    ("who computes is killed beside a far writer", 2, "rsf", "far", kill("computes"), []),
    ("SIGTERM", 2, "netcdf", "thread", tell_launcher(signal.SIGTERM), []),
    ("SIGINT, as of Ctrl-C", 3, "rsf", "writer", tell_launcher(signal.SIGINT), []),
    ("a time limit", 2, "rsf", "synchronous", nothing, ["timeout", "3"]),
]


def try_case(victim: str, launcher: list[str], case: tuple) -> None:
    what, ranks, format, policy, how, before = case
    with tempfile.TemporaryDirectory(prefix="nearfar_output_faults.") as folder:
        job = Job([*before, launcher[0], *launcher[1:2], str(ranks), *launcher[2:], victim], Path(folder), format, policy)
        try:
            job.wait_for_steps()
            seen = job.steps()
            how(job)
        finally:
            job.end()
        # What a launcher that is told to end returns is its own affair (0 of MPICH's).
        assert job.process.returncode != 0 or "SIG" in what, f"{what}: exit code 0:\n{job.output}"
        steps = must_be_whole(job.path, seen)
    print(f"ok      {what} ({policy}, {format}): {steps} steps are whole", flush=True)


def main(victim: str, *launcher: str) -> None:
    try:
        import h5py  # noqa: F401

        cases = CASES
    except ImportError:
        cases = [case for case in CASES if case[2] == "rsf"]
        print("left out: h5py is not installed, so streams of netcdf cannot be read")
    for case in cases:
        try_case(victim, list(launcher), case)


if __name__ == "__main__":
    main(*sys.argv[1:])
