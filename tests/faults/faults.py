#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does bad things to a running job and looks at what its ranks say, how soon it ends and what it leaves behind.

    faults.py openmpi|mpich VICTIM SCENARIO

Exit code 77 where the machine does not allow emulated nodes.
"""
import os
import re
import subprocess
import sys
import time

CLUSTER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tools", "cluster")
SKIP = 77
WATCHDOG_S = 4
MPIS_OWN = re.compile(r"vader_segment|mpich_shm|ompi\.|pmix|hydra|psm|sm_segment|ucx", re.I)


class Job:
    """A job on the emulated nodes, its output, and how long it took."""

    def __init__(self, mpi, layout, victim, *arguments, timeout=40, **environment):
        self.started = time.monotonic()
        command = [CLUSTER, "run", "--mpi", mpi, "--layout", layout, "--timeout", str(timeout), "--", victim, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env={**os.environ, "NEARFAR_WATCHDOG": str(WATCHDOG_S), "NEARFAR_WISDOM": "off", **environment})
        self.output = ""

    def wait_for(self, words):
        for line in self.process.stdout:
            self.output += line
            if words in line:
                return
        raise AssertionError(f"the job ended before it said '{words}':\n{self.output}")

    def end(self):
        self.output += self.process.communicate()[0]
        self.seconds = time.monotonic() - self.started
        return self

    def must_have(self, pattern, times=1):
        found = re.findall(pattern, self.output)
        assert len(found) >= times, f"'{pattern}' found {len(found)} times, not {times}, in:\n{self.output}"

    def must_have_failed(self):
        assert self.process.returncode not in (0, 124), f"exit code {self.process.returncode}:\n{self.output}"


def cluster(*arguments):
    return subprocess.run([CLUSTER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def must_leave_nothing_of_ours():
    lines = [line for line in cluster("leaks").stdout.splitlines() if not MPIS_OWN.search(line)]
    lines = [line for line in lines if "/dev/shm" in line]
    assert not lines, f"left in shared memory: {lines}"


def killed_rank(mpi, victim):
    job = Job(mpi, "2,2", victim, "kill").end()
    job.must_have_failed()
    must_leave_nothing_of_ours()


def late_rank(mpi, victim):
    """A rank that never starts: the others name it, on their node and on the other one."""
    job = Job(mpi, "2,2", victim, "late").end()
    job.must_have_failed()
    job.must_have(r"caught class 3: rank \d, victim: no answer from .*rank 3.* within 4")
    assert job.seconds < 30, f"it took {job.seconds:.0f} s"


def gather_late_rank(mpi, victim):
    """A rank that stops among gathers: a near rank says so."""
    job = Job(mpi, "2,2", victim, "gather").end()
    job.must_have_failed()
    job.must_have(r"caught class 3: rank \d, victim: no answer from .* within 4")
    assert job.seconds < 30, f"it took {job.seconds:.0f} s"


def cut_while_running(mpi, layout, victim, complaint, *arguments, first_words="running", last_words="caught class 3"):
    """The reachable rank speaks within the watchdog's time. The launcher may hang then (it cannot reach its daemon either): that is
    its own affair, and what job managers' limits are for."""
    job = Job(mpi, layout, victim, *(arguments or ("loop", "60")), timeout=18)
    job.wait_for(first_words)
    time.sleep(1)
    cluster("cut", "1")
    cut_at = time.monotonic()
    job.wait_for(last_words)
    assert time.monotonic() - cut_at < 3 * WATCHDOG_S, "the watchdog came late"
    job.must_have(complaint)
    job.end()
    cluster("heal", "1")
    assert job.process.returncode != 0, job.output
    must_leave_nothing_of_ours()


def cut_node(mpi, victim):
    cut_while_running(mpi, "1,1", victim, r"caught class 3: rank 0, victim: no answer from .*rank 1.* within 4")


def calls_cut_node(mpi, victim):
    """A rank that sits in a call of the MPI itself cannot be made to throw: the watchdog speaks for it and ends its process."""
    cut_while_running(mpi, "1,1", victim, r"nearfar\[0\] error: no answer from other ranks within 4.* in MPI's own allreduce",
                      "calls", "60", last_words="nearfar[0] error: no answer")


def heat_cut_node(mpi, program):
    """Adaptive heat with one rank on each node, wherever it is in a step or an adaptation."""
    cut_while_running(mpi, "1,1", program, r"(nearfar\[0\] error|nearfar-adaptive-heat: rank 0.*): no answer from ", "--class=C",
                      "--verbose", first_words="Step     5", last_words="no answer from ")


def full_shared_memory(mpi, victim):
    """Every rank hears that the memory does not suffice, which node it was, and how much there is."""
    job = Job(mpi, "2,2", victim, "memory", str(200 * 2**20)).end()
    job.must_have(r"rank \d caught class 2: .*near memory on .*: 2\d\d(\.\d)? MB asked, /dev/shm has .* free", times=4)
    must_leave_nothing_of_ours()


def other_shared_memory(mpi, victim):
    """What the message advises works."""
    job = Job(mpi, "2,2", victim, "memory", str(200 * 2**20), NEARFAR_SHM="memfd").end()
    job.must_have(r"rank \d ended well", times=4)


def collectives_cut_node(mpi, victim):
    """Leaders wait for messages that never come, and their near ranks for them."""
    cut_while_running(mpi, "2,2", victim,
                      r"caught class 3: rank [01], victim: no answer from (other nodes \(latest messages with rank 2.*\)|rank [01]) within 4")


def collectives_killed_rank(mpi, victim):
    job = Job(mpi, "2,2", victim, "kill").end()
    job.must_have_failed()
    assert job.seconds < 30, f"it took {job.seconds:.0f} s"
    must_leave_nothing_of_ours()


def collectives_late_rank(mpi, victim):
    """A rank that never comes: its near ranks name it, the other node says that it waits for other nodes."""
    job = Job(mpi, "2,2", victim, "late").end()
    job.must_have_failed()
    job.must_have(r"caught class 3: rank \d, victim: no answer from .*(rank 3|other nodes).* within 4")
    assert job.seconds < 30, f"it took {job.seconds:.0f} s"


SCENARIOS = {f.__name__: f for f in (killed_rank, late_rank, gather_late_rank, cut_node, calls_cut_node, heat_cut_node, full_shared_memory, other_shared_memory,
                                     collectives_cut_node, collectives_killed_rank, collectives_late_rank)}


def main():
    mpi, victim, scenario = sys.argv[1:]
    os.environ["NEARFAR_CLUSTER"] = f"fault-{mpi}"
    up = cluster("up", "2", "--shm", "96m")
    if up.returncode == SKIP:
        print(up.stdout)
        sys.exit(SKIP)
    assert up.returncode == 0, up.stdout
    try:
        SCENARIOS[scenario](mpi, victim)
        print(f"{scenario}: as it should be")
    finally:
        cluster("clean")
        cluster("down")


if __name__ == "__main__":
    main()
