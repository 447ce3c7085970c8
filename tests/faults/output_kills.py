# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that write steps are killed (SIGKILL) at random points, go on where the one before was killed, and are killed
again.

After each: every step that the journal had, or that the program was told is written, is there; every step that is taken
for whole has
the right sums and the right numbers; and the next job begins behind exactly these.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from output_job import FORMATS, RANKS, Job, Launcher, must_be_whole

CAPACITY = 200  # steps of a chain; a job that has written them waits to be ended
MOST_STEPS = 40  # that a job is seen to write before it is killed
STEP_S = 0.002  # about what one takes
MAKING_S = 0.03  # about what it takes from the first words of the ranks to the first steps
KILLS_OF_A_CHAIN = 4
RECORD_BYTES = 64


@dataclass
class Tally:
    kills: int = 0
    steps: int = 0  # that were there after kills, compared
    torn: int = 0  # kills that left more than whole steps
    longest_s: float = 0  # from a kill to the end of the job

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, after which {self.steps} steps were compared, "
            f"none lost and none wrong; {self.torn} left something torn behind them; "
            f"every job ended within {self.longest_s:.1f} s"
        )


def kill_all(processes: list[int]) -> None:
    """The launcher ends the others as soon as it sees the first one killed: they may be gone already."""
    os.kill(processes[0], signal.SIGKILL)
    for process in processes[1:]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


class Chain:
    """Jobs on one path, with one format and policy."""

    def __init__(
        self, launcher: Launcher, folder: Path, format: str, policy: str, dice: random.Random, tally: Tally
    ) -> None:
        self.launcher, self.path, self.format, self.policy, self.dice, self.tally = (
            launcher,
            folder / "s",
            format,
            policy,
            dice,
            tally,
        )
        self.words = ["in-one-file"] if format == "netcdf" else []
        self.writers = 2 if policy == "two" else 1
        self.whole = 0

    def _job(self, is_new: bool, steps: int, *words: str) -> Job:
        return Job(
            self.launcher,
            self.path,
            self.format,
            self.policy,
            steps,
            *self.words,
            *words,
            *([] if is_new else ["append"]),
        )

    def _come_to_a_point(self, job: Job, is_new: bool) -> None:
        """Some kills come within a step, after any number of them, some while the stream is being made. The naps wait
        for nothing: they
        bring the kill somewhere."""
        job.wait_for_ranks(RANKS[self.policy])
        if self.dice.random() < 0.25:
            time.sleep(self.dice.uniform(0, MAKING_S))
            return
        job.wait_for_steps(min((0 if is_new else self.whole) + self.dice.randint(1, MOST_STEPS), CAPACITY))
        time.sleep(self.dice.uniform(0, STEP_S))

    def _check(self, job: Job, is_new: bool, least: int, was_killed: bool) -> None:
        began = job.begins_at()
        assert began in (None, 0 if is_new else self.whole), (
            f"the job began at step {began}, there were {self.whole}:\n{job.output}"
        )
        least = max(least, job.told(), 0 if is_new else self.whole)
        self.whole = must_be_whole(self.path, least, self.writers, was_killed)

    def kill(self, is_new: bool) -> str:
        job = self._job(is_new, CAPACITY, "stays")
        try:
            self._come_to_a_point(job, is_new)
            whom = self.dice.choice(["writes", "computes", "writes|computes"])
            victims = job.processes(whom) or job.processes("writes")
            # Of a stream that is made anew over another one the journal is the old one until the job says where it
            # begins.
            seen = job.steps() if job.begins_at() is not None else 0
            kill_all(victims if "|" in whom else victims[-1:])
            killed = time.monotonic()
        finally:
            job.end()
        job.must_have_been_ended()
        self.tally.longest_s = max(self.tally.longest_s, time.monotonic() - killed)
        self._check(job, is_new, seen, was_killed=True)
        self.tally.kills += 1
        self.tally.steps += self.whole
        has_more = job.journal_bytes() > self.whole * self.writers * RECORD_BYTES
        self.tally.torn += has_more or any(self.path.parent.glob("**/*.part"))
        return f"{whom.replace('|', '+')} at {self.whole}"

    def end_well(self) -> None:
        """What is left is as good as if nothing had happened."""
        steps = CAPACITY if self.format == "netcdf" else self.whole + 3
        job = self._job(False, steps)
        job.end()
        job.must_have_ended_well()
        self._check(job, False, steps, was_killed=False)
        left = [
            p.name
            for p in self.path.parent.glob("**/*")
            if ".part." not in p.name and (p.suffix == ".part" or ".new." in p.name)
        ]
        assert not left, f"left behind: {left}"


def random_kills(launcher: Launcher, kills: int, seed: int) -> None:
    dice, tally = random.Random(seed), Tally()
    print(f"{kills} kills, seed {seed}", flush=True)
    kinds = list(itertools.product(FORMATS, RANKS))
    dice.shuffle(kinds)
    for format, policy in itertools.cycle(kinds):
        count = min(kills - tally.kills, KILLS_OF_A_CHAIN if kills >= 100 else 2)
        if count == 0:
            break
        with tempfile.TemporaryDirectory(prefix="nearfar_output_kills.") as folder:
            chain = Chain(launcher, Path(folder), format, policy, dice, tally)
            try:
                # A stream that is made anew over one that was killed, too.
                points = [chain.kill(is_new=k == 0 or (k == 3 and dice.random() < 0.3)) for k in range(count)]
                chain.end_well()
            except AssertionError as why:
                raise AssertionError(f"{format}, {policy}, kill {tally.kills + 1}, seed {seed}: {why}") from why
        print(f"{tally.kills:4d}/{kills}  {format:7s} {policy:12s} {', '.join(points)}", flush=True)
    print(tally)
