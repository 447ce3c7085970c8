# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that write steps (output_victim), and what must hold of their files whatever happened to them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

from processes import wait_until_gone
from words import HANG_S, NO_GRACE

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
try:
    import nearfar_output
    import numpy as np
    from nearfar_output._journal import read_journal
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)
try:
    import h5py

    FORMATS = ["rsf", "zarr", "netcdf", "hdf5", "vtkhdf"]
except ImportError:
    h5py = None
    FORMATS = ["rsf", "zarr"]
    print("left out: h5py is not installed, so streams of netcdf, hdf5 and vtkhdf cannot be read")

EXTENTS = (8, 32, 64)
PLACE = np.arange(np.prod(EXTENTS)).reshape(EXTENTS)
RANKS = {"synchronous": 2, "thread": 2, "two": 2, "writer": 3, "far": 3}


class Launcher:
    """How the victim is started: its program, and mpiexec with the option for the number of ranks."""

    def __init__(self, victim: str, mpiexec: str, option: str, *options: str) -> None:
        self.victim, self._mpiexec, self._option, self._options = victim, mpiexec, option, options

    def command(self, policy: str) -> list[str]:
        return [self._mpiexec, self._option, str(RANKS[policy]), *self._options, self.victim]


class Job:
    """A job that writes to a path; what its ranks said."""

    def __init__(
        self,
        launcher: Launcher,
        path: Path,
        format: str,
        policy: str,
        steps: int,
        *words: str,
        before: tuple[str, ...] = (),
        **environment: str,
    ) -> None:
        self.path = path
        for word in self._words():
            word.unlink()
        # No rank of a launcher that is killed by a limit outlives the session.
        self.process = subprocess.Popen(
            [*before, *launcher.command(policy), str(path), format, policy, str(steps), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **NO_GRACE, "NEARFAR_WATCHDOG": "8", **environment},
            start_new_session=True,
        )
        self.output, self.is_over, self.more = "", False, threading.Condition()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self.more:
                self.output += line
                self.more.notify()
        with self.more:
            self.is_over = True
            self.more.notify()

    def _wait(self, has_come, what: str) -> None:
        """Until the job's words say so."""
        with self.more:
            assert self.more.wait_for(lambda: has_come() or self.is_over, HANG_S) and has_come(), (
                f"{what}:\n{self.output}"
            )

    def journal_bytes(self) -> int:
        journal = self.path.with_name(self.path.name + ".journal")
        return journal.stat().st_size if journal.exists() else 0

    def steps(self) -> int:
        """Whole ones in the journal."""
        return (
            len(read_journal(self.path.with_name(self.path.name + ".journal")).steps) if self.journal_bytes() > 0 else 0
        )

    def _words(self) -> list[Path]:
        return list(self.path.parent.glob(f"{self.path.name}.told.*"))

    def told(self) -> int:
        """Steps that all ranks of the program knew to be written by their writers; both ranks that compute leave
        word."""
        told = [int.from_bytes(word.read_bytes(), "little") for word in self._words()]
        return min(told) if len(told) == 2 else 0

    def wait_for_steps(self, steps: int) -> None:
        self._wait(lambda: self.seen_steps() >= steps, f"no {steps} steps came")

    def seen_steps(self) -> int:
        """Steps that were on the disk when the job said so; 0 before the first word."""
        return max((int(n) for n in re.findall(r"has seen (\d+) steps written", self.output[-2000:])), default=0)

    def wait_for_ranks(self, ranks: int) -> None:
        self._wait(lambda: len(self.processes("writes|computes")) == ranks, f"no {ranks} ranks came")

    def processes(self, does: str) -> list[int]:
        return [int(p) for p in re.findall(rf"^rank \d+ process (\d+) (?:{does})$", self.output, re.MULTILINE)]

    def begins_at(self) -> int | None:
        found = re.search(r"begins at step (\d+)", self.output)
        return int(found[1]) if found else None

    def end(self) -> None:
        try:
            self.process.wait(HANG_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError(f"the job did not end within {HANG_S} s:\n{self.output}") from None
        self.reader.join(HANG_S)
        wait_until_gone(self.processes("writes|computes"), HANG_S)

    def must_have_ended_well(self) -> None:
        ranks = len(self.processes("writes|computes"))
        well = len(self.processes("ended well"))
        assert self.process.returncode == 0 and well == ranks, (
            f"exit code {self.process.returncode}, {well} of {ranks} ranks:\n{self.output}"
        )

    def must_have_been_ended(self) -> None:
        assert "ended well" not in self.output, f"the job ended before its time:\n{self.output}"


def _p_of(step: int) -> np.ndarray:
    return (1000 * step + PLACE % 977).astype(np.float32)


def _q_of(step: int) -> np.ndarray:
    return step + PLACE / 1024


def _numbers_are_right(stream: nearfar_output.Stream) -> None:
    if stream.steps == 0:
        return  # killed while the files were made: not all arrays need have one yet
    p, q = stream["p"], stream["q"]
    for step in range(stream.steps):
        assert np.array_equal(np.asarray(p[step]), _p_of(step)), f"p of step {step} is not what was put"
        assert np.array_equal(np.asarray(q[step]), _q_of(step)), f"q of step {step} is not what was put"
    assert list(stream.times) == list(range(stream.steps)), f"times are {stream.times}"


def _file_has_times(path: Path, steps: int, may_miss: int, was_killed: bool) -> None:
    """A file of all steps as readers see it that know nothing of journals: it has as many as are whole. The arrays'
    counts are written one after the other and the times' last: of a program that was killed in between, the first
    arrays have one more, which is whole."""
    with h5py.File(path, "r") as file:
        times = file["time"][:]
        extents = {name: len(data) for name, data in file.items() if data.ndim > 1}
        known = len(times)
        assert set(extents.values()) <= {known, known + was_killed}, f"{path.name} has {known} times, steps {extents}"
        for name, of in (("p", _p_of), ("q", _q_of)):
            assert extents.get(name, 0) <= known or np.array_equal(file[name][known], of(known)), (
                f"{name} of step {known} is counted and is not whole"
            )
    assert np.array_equal(times, np.arange(known)), f"{path.name} has times {times}"
    assert known >= steps - may_miss, f"{path.name} has {known} times of {steps} whole steps"


def must_be_whole(path: Path, least: int, writers: int = 1, was_killed: bool = False) -> int:
    """Every step that the journal has is sound by its sums, and holds what was put. Returns how many there are."""
    try:
        stream = nearfar_output.Stream(path)
    except nearfar_output.StreamError as why:  # killed before there was a file
        assert least == 0, f"{least} steps should be at {path}: {why}"
        return 0
    reports = stream.verify()
    assert len(reports) == stream.steps == len(stream.journal.steps) >= least, (
        f"{stream.steps} of {len(stream.journal.steps)} steps, at least {least}"
    )
    wrong = [r for r in reports if r.is_sound is not True]
    assert not wrong, f"steps that are not whole: {wrong[:3]}"
    _numbers_are_right(stream)
    one = path.with_name(path.name + {"netcdf": ".nc", "hdf5": ".h5"}.get(stream.format, ".none"))
    if one.exists():
        # The last of several writers notes the time; where all are killed between their records and that, it is
        # missing.
        _file_has_times(one, stream.steps, 0 if writers == 1 else 1, was_killed)
    return stream.steps
