#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank of the running program is killed: the job ends with an error, soon, and no rank goes on.

    killed_rank.py MPIEXEC ARGUMENTS …
"""
import os
import signal
import subprocess
import sys
import time


def descendants(of):
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(entry))
    found, left = [], [of]
    while left:
        more = children.get(left.pop(), [])
        found += more
        left += more
    return found


def is_rank(process, program):
    try:
        return os.path.realpath(f"/proc/{process}/exe") == program
    except OSError:
        return False


def main():
    command = sys.argv[1:]
    program = os.path.realpath(next(word for word in command if word.endswith("nearfar-adaptive-heat")))
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in job.stdout:
        if "Step" in line:
            break
    ranks = [p for p in descendants(job.pid) if is_rank(p, program)]
    assert len(ranks) == 2, f"{len(ranks)} ranks run"
    os.kill(ranks[-1], signal.SIGKILL)
    killed_at = time.monotonic()
    output = job.communicate(timeout=25)[0]
    seconds = time.monotonic() - killed_at
    print(output, f"\nended after {seconds:.1f} s with exit code {job.returncode}")
    assert job.returncode != 0
    assert not any(is_rank(p, program) for p in ranks)


if __name__ == "__main__":
    main()
