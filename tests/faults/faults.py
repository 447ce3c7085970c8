#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does bad things to a running job and looks at what its ranks say, that it ends, and what it leaves behind.

    faults.py openmpi|mpich VICTIM SCENARIO
    faults.py openmpi|mpich - down             takes the emulated nodes away, which the scenarios share

How soon a job ends is not looked at, since that depends on the machine: a watchdog says itself after how long it
speaks, and what has
not ended after a minute hangs. Exit code 77 where the machine does not allow emulated nodes.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from words import HANG_S, SpeakingJob  # noqa: E402

CLUSTER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tools", "cluster")
SKIP = 77
WATCHDOG_S = 3  # what a rank may take among busy neighbours before the fault
WATCHED = {"NEARFAR_WATCHDOG": str(WATCHDOG_S)}
MPIS_OWN = re.compile(r"vader_segment|mpich_shm|ompi\.|pmix|hydra|psm|sm_segment|ucx", re.I)


class Job(SpeakingJob):
    """A job on the emulated nodes. The watchdog watches where it is what is tested."""

    def __init__(self, mpi, layout, victim, *arguments, **environment):
        super().__init__(
            [CLUSTER, "run", "--mpi", mpi, "--layout", layout, "--timeout", str(HANG_S), "--"],
            [victim, *arguments],
            hang_s=2 * HANG_S,
            environment={**os.environ, "NEARFAR_WATCHDOG": "0", "NEARFAR_WISDOM": "off", **environment},
        )

    def must_have(self, pattern, times=1):
        self.must(self.count(pattern) >= times, f"'{pattern}' was found {self.count(pattern)} times, not {times}")

    def must_have_failed(self):
        self.must(self.launcher.returncode not in (0, 124), "it did not fail")


def cluster(*arguments):
    return subprocess.run([CLUSTER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def in_node(node, *command):
    ran = cluster("exec", str(node), "--", *command)
    assert ran.returncode == 0, f"{command} on node {node}: {ran.stdout}"


def must_leave_nothing_of_ours():
    lines = [line for line in cluster("leaks").stdout.splitlines() if not MPIS_OWN.search(line)]
    lines = [line for line in lines if "/dev/shm" in line]
    assert not lines, f"left in shared memory: {lines}"


def no_answer(whom, watchdog_s=WATCHDOG_S):
    return rf"no answer from {whom} within {watchdog_s}(\.0*)? s"


def killed_rank(mpi, victim):
    """The dead rank's near rank says so and ends by itself: the launcher, which would end it, is stopped until then."""
    job = Job(mpi, "2,2", victim, "kill")
    job.wait_for(r"rank 2 caught class 3: rank 2, victim: a near rank \(process \d+\) has died")
    if mpi == "openmpi":  # whose MPI_Abort waits for the launcher
        job.wait_for("MPI_Abort has not ended this process within 10 s")
    cluster("exec", "1", "--", "pkill", "-CONT", "orted|hydra|proxy")
    job.end().must_have_failed()
    must_leave_nothing_of_ours()


def late_rank(mpi, victim):
    """A rank that never starts: the others name it, on their node and on the other one."""
    job = Job(mpi, "2,2", victim, "late", **WATCHED).end()
    job.must_have_failed()
    job.must_have(r"caught class 3: rank \d, victim: " + no_answer(".*rank 3.*"))


def gather_late_rank(mpi, victim):
    """A rank that stops among gathers: a near rank says so."""
    job = Job(mpi, "2,2", victim, "gather", **WATCHED).end()
    job.must_have_failed()
    job.must_have(r"caught class 3: rank \d, victim: " + no_answer(".*"))


def must_be_gone(job, victim, node):
    """No rank is left on a node."""
    none = 1  # pgrep's exit code
    until = time.monotonic() + HANG_S
    while cluster("exec", str(node), "--", "pgrep", "-f", victim).returncode != none:
        job.must(time.monotonic() < until, f"a rank on node {node} goes on {HANG_S} s after it has said that it ends")


def cut_while_running(mpi, layout, victim, complaint, *arguments, first_words="^step 100$", **environment):
    """The reachable rank speaks after the watchdog's time, and ends. Of the other one, and of the launcher if it cannot
    reach its daemon,
    the MPI may make what it likes: that is its own affair, and what job managers' limits are for."""
    job = Job(mpi, layout, victim, *arguments, **{**WATCHED, **environment})
    job.wait_for(first_words)
    job.all_run()
    job.must("no answer" not in job.output, "the watchdog spoke before the cut")
    cluster("cut", "1")
    job.wait_for(complaint)
    must_be_gone(job, victim, 0)
    must_leave_nothing_of_ours()
    cluster("clean")
    job.end().must(job.launcher.returncode != 0, "it ended well")


def cut_node(mpi, victim):
    """With a watchdog that waits longer than those of the other scenarios."""
    cut_while_running(
        mpi,
        "1,1",
        victim,
        "caught class 3: rank 0, victim: " + no_answer(".*rank 1.*", 4),
        "loop",
        NEARFAR_WATCHDOG="4",
    )


def calls_cut_node(mpi, victim):
    """A rank that sits in a call of the MPI itself cannot be made to throw: the watchdog speaks for it and ends its
    process."""
    cut_while_running(
        mpi, "1,1", victim, r"nearfar\[0\] error: " + no_answer("other ranks") + " in MPI's own allreduce", "calls"
    )


def heat_cut_node(mpi, program):
    """Adaptive heat with one rank on each node, wherever it is in a step or an adaptation."""
    cut_while_running(
        mpi,
        "1,1",
        program,
        r"(nearfar\[0\] error|nearfar-adaptive-heat: rank 0.*): " + no_answer(".*"),
        "--class=S",
        "--steps=1000000",
        "--verbose",
        first_words="^ *Step     5",
    )


def weather_cut_node(mpi, program):
    """A forecast with one rank on each node, wherever it is in a step: a sentence and no trace of the compiler's."""
    namelist = os.path.join(os.path.dirname(os.path.realpath(__file__)), "weather.nml")
    cut_while_running(
        mpi,
        "1,1",
        program,
        r"(nearfar\[0\] error: |nearfar-weather: error: .*)" + no_answer(".*"),
        namelist,
        first_words="^step 50/",
    )


def full_shared_memory(mpi, victim):
    """Every rank hears that the memory does not suffice, which node it was, and how much there is."""
    job = Job(mpi, "2,2", victim, "memory", str(200 * 2**20)).end()
    job.must_have(r"rank \d caught class 2: .*near memory on .*: 2\d\d(\.\d)? MB asked, /dev/shm has .* free", times=4)
    must_leave_nothing_of_ours()


@contextlib.contextmanager
def small_disk(options):
    """A folder that is a small file system on node 0."""
    with tempfile.TemporaryDirectory(prefix="nearfar_full_disk.") as folder:
        in_node(0, "mount", "-t", "tmpfs", "-o", options, "none", folder)
        try:
            yield folder
        finally:
            in_node(0, "umount", "-l", folder)


def must_be_told(job, complaint):
    """Both ranks that compute are told the step and the file by the writer rank, and nobody is ended."""
    job.must_have(
        rf"goes on without the disk: .*{complaint}: No space left on device; the \1 steps before it are whole", times=2
    )
    job.must_have("ended well", times=3)
    job.must(job.launcher.returncode == 0, "it failed")


def full_disk(mpi, victim):
    """The file system of a node has no room for another file, or none for more of the journal."""
    victim = os.path.join(os.path.dirname(victim), "output_victim")
    with small_disk("nr_inodes=40") as folder:
        job = Job(mpi, "3", victim, f"{folder}/s", "zarr", "writer", "100", "goes-on").end()
        must_be_told(job, rf"step (\d+) cannot be written: {folder}/s\.zarr/\S+ cannot be opened")
    # What holds the data has all its room from the start; the ranks wait while the rest is taken.
    with small_disk("size=64m") as folder:
        options = ["in-one-file", "waits-at=5", "goes-on"]
        job = Job(mpi, "3", victim, f"{folder}/s", "netcdf", "writer", "100", *options)
        job.wait_for("waits at step 5$", 2)
        in_node(0, "sh", "-c", f"cat /dev/zero >{folder}/filler 2>/dev/null; test -s {folder}/filler")
        in_node(0, "pkill", "-USR1", "output_victim")
        of_a_page = 4096 // 64  # records
        must_be_told(job.end(), rf"step ({of_a_page}) of {folder}/s\.journal cannot be written")


def other_shared_memory(mpi, victim):
    """What the message advises works."""
    job = Job(mpi, "2,2", victim, "memory", str(200 * 2**20), NEARFAR_SHM="memfd").end()
    job.must_have(r"rank \d ended well", times=4)


def collectives_cut_node(mpi, victim):
    """Leaders wait for messages that never come, and their near ranks for them."""
    cut_while_running(
        mpi,
        "2,2",
        victim,
        r"caught class 3: rank [01], victim: "
        + no_answer(r"(other nodes \(latest messages with rank 2.*\)|rank [01])"),
        "loop",
    )


def collectives_late_rank(mpi, victim):
    """A rank that never comes: its near ranks name it, the other node says that it waits for other nodes."""
    job = Job(mpi, "2,2", victim, "late", **WATCHED).end()
    job.must_have_failed()
    job.must_have(r"caught class 3: rank \d, victim: " + no_answer(".*(rank 3|other nodes).*"))


SCENARIOS = {
    f.__name__: f
    for f in (
        killed_rank,
        late_rank,
        gather_late_rank,
        cut_node,
        calls_cut_node,
        heat_cut_node,
        weather_cut_node,
        full_shared_memory,
        full_disk,
        other_shared_memory,
        collectives_cut_node,
        collectives_late_rank,
    )
}
SCENARIOS["collectives_killed_rank"] = killed_rank


def main():
    mpi, victim, scenario = sys.argv[1:]
    os.environ["NEARFAR_CLUSTER"] = f"fault-{mpi}"
    if scenario == "down":
        sys.exit(cluster("down").returncode)
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


if __name__ == "__main__":
    main()
