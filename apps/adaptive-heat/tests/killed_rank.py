#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank of the running program is killed: the job ends with an error, and no rank goes on.

    killed_rank.py MPIEXEC ARGUMENTS …       of a run that has a line per mesh and does not end by itself
"""
import os
import select
import signal
import subprocess
import sys

HANG_S = 40  # what takes a second or two is given up after this long


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


def must_end(rank):
    """A process that is over makes its descriptor readable."""
    assert select.select([rank], [], [], HANG_S)[0], f"a rank goes on {HANG_S} s after another one was killed"


def main():
    command = sys.argv[1:]
    program = os.path.realpath(next(word for word in command if word.endswith("nearfar-adaptive-heat")))
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    begin = ""
    for line in job.stdout:
        begin += line
        if "Step" in line:
            break
    ranks = [p for p in descendants(job.pid) if is_rank(p, program)]
    assert len(ranks) == 2, f"{len(ranks)} ranks run:\n{begin}"
    handles = [os.pidfd_open(p) for p in ranks]
    os.kill(ranks[-1], signal.SIGKILL)
    for handle in handles:
        must_end(handle)
    try:
        output = job.communicate(timeout=HANG_S)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        raise AssertionError(f"the launcher goes on {HANG_S} s after its ranks are over") from None
    print(begin + output, f"\nended with exit code {job.returncode}")
    assert job.returncode != 0


if __name__ == "__main__":
    main()
