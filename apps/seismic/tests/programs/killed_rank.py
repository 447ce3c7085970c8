#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank of a running shot is killed: the job ends with an error, and no rank goes on."""

from __future__ import annotations

import os
import select
import signal
import subprocess

from program import HANG_S, PROGRAM, Case, command, environment, main


class KilledRank(Case):
    def ranks(self) -> list[int]:
        """Processes of the program in the folder of this test."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                same = os.path.samefile(f"/proc/{entry}/exe", PROGRAM) and os.path.samefile(
                    f"/proc/{entry}/cwd", self.folder
                )
            except OSError:
                continue
            if same:
                found.append(int(entry))
        return found

    def test_the_job_ends(self) -> None:
        job = subprocess.Popen(
            [*command(2), "shot.toml", "--set=time.end=1000", "--set=gathers.interval=0.75", "--set=snapshots.path="],
            cwd=self.folder,
            env=environment(2),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.kill)
        begin = ""
        for line in job.stdout:
            begin += line
            if line.startswith("run "):
                break
        ranks = self.ranks()
        self.assertEqual(len(ranks), 2, begin)
        handles = [os.pidfd_open(rank) for rank in ranks]
        os.kill(ranks[-1], signal.SIGKILL)
        for handle in handles:  # that of a process which is over can be read
            self.assertTrue(
                select.select([handle], [], [], HANG_S)[0], f"a rank goes on {HANG_S} s after another one was killed"
            )
            os.close(handle)
        rest = job.communicate(timeout=HANG_S)[0]
        self.assertNotEqual(job.returncode, 0, begin + rest)


if __name__ == "__main__":
    main()
