#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios of preload.py about what is around the library: tools, children, and a process that changes."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from preload_job import SKIP, Job  # noqa: E402


def linked_tool(setup):
    """A tool that the program is linked with begins in its MPI_Init, and sees every call."""
    plain = setup.run(2, "preload_sums_with_tool", preload=False).must_end_well()
    ours = setup.run(2, "preload_sums_with_tool").must_end_well().must_have_accelerated("allreduce")
    for job in (plain, ours):
        job.must_say("sums are right").must_say("the tool saw 100 calls", 2)


def changed_process(setup):
    """Where the program comes to have memory that cannot be mapped, read or enlarged, it goes on with messages, which
    one line of a rank says; as long as the MPI does."""
    # Not by process_vm_readv either, of whose end Open MPI and UCX die.
    without_reads = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "UCX_TLS": "^cma", "UCX_LOG_LEVEL": "fatal"}
    reads, direct = "near-cma", "near-direct"
    hows = {
        "unreadable": ("", reads, direct),
        "chroot": ("",),
        "fsize": ("",),
        "nofile": ("", direct),
        "main-ends": ("", reads),
        "main-ends-early": ("",),
    }
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for how, methods in hows.items():
            program = (2, "preload_changed", how, folder)
            plain = setup.run(*program, preload=False, **without_reads)
            if not plain.count("^all is right"):
                continue  # not allowed here, or the MPI does not go on
            tried += 1
            for method in methods:
                settings = {"NEARFAR_METHOD": method} if method else {}
                # In words: there may be no files.
                job = setup.run(*program, report=False, NEARFAR_REPORT="1", **without_reads, **settings)
                job.must_say("^all is right", 1).must("WRONG" not in job.output, how)
                job.must(job.code == plain.code, f"plain MPI ends with {plain.code}")
                for rank in (0, 1):
                    said = job.count(rf"nearfar\[{rank}\] warning: near ranks ")
                    job.must(said <= 1, f"{how}: rank {rank} says it {said} times")
                job.must(method or "nearfar[0] warning" in job.output, f"{how}: nothing is said")
                if how != "main-ends-early":
                    job.must_say(r"report: sum of 2 ranks: .* [1-9][0-9.]* % of them carried out by Nearfar", 1)
    if tried == 0:
        sys.exit(SKIP)


def children(setup):
    """What a rank starts, and is linked with another MPI or none, runs as without the library; another program does
    not."""
    other = {"openmpi": "mpich", "mpich": "openmpi"}[setup.options.mpi]
    compiler, launcher = (shutil.which(f"{name}.{other}") for name in ("mpicc", "mpiexec"))
    job = setup.run(2, "preload_child", "echo fine").must_end_well().must_have_accelerated("allreduce")
    job.must_say("^child: fine", 1).must_say("^status 0", 1)
    if not compiler or not launcher:
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as folder:
        foreign = os.path.join(folder, "foreign")
        source = os.path.join(os.path.dirname(os.path.realpath(__file__)), "child.c")
        subprocess.run([compiler, source, "-o", foreign], check=True)
        flags = "--oversubscribe" if other == "openmpi" else ""
        settings = {"UCX_LOG_LEVEL": "fatal"}
        settings |= dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1")
        job = setup.run(2, "preload_child", f"{launcher} -n 2 {flags} {foreign} 2>&1", **settings)
        job.must_end_well().must_have_accelerated("allreduce").must_say("^status 0", 1)
        job.must_say("^child: inner rank of 2 is right", 2)
        job.must_say(r"^child: nearfar: .*foreign, started by a rank, runs without the preloaded library: .*built", 2)
        job = Job(setup, 1, foreign)
        job.must_say("nearfar error: the preloaded library cannot be used: .*built").must(job.code != 0, "it went on")
