#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank of a running shot is killed: the job ends with an error, and no rank goes on."""

from __future__ import annotations

import os
import signal
import subprocess

from program import HANG_S, PROGRAM, Case, command, environment, main, wait_until_gone, working_in


class KilledRank(Case):
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
        ranks = working_in(self.folder, PROGRAM)
        self.assertEqual(len(ranks), 2, begin)
        os.kill(ranks[-1], signal.SIGKILL)
        wait_until_gone(ranks, HANG_S)
        rest = job.communicate(timeout=HANG_S)[0]
        self.assertNotEqual(job.returncode, 0, begin + rest)


if __name__ == "__main__":
    main()
