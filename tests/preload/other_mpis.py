#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the scenarios of preload.py with other MPIs than the ones that programs and library were built with.

    other_mpis.py PREFIX… [--only SCENARIO…]      tests/outside/prepare_mpis makes the prefixes

A line per MPI and scenario, and the words of those that fail. Exit status 1 where any does.
"""

import argparse
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools"))
import preload  # noqa: E402
from mpis import Mpi  # noqa: E402

FLAGS = {"openmpi": "--map-by :OVERSUBSCRIBE --bind-to none", "mpich": "-bind-to none", "impi": ""}
ELSEWHERE = {"nodes"}  # on emulated nodes, which have Debian's MPIs alone
# What these MPIs do not have, or cannot do themselves.
LIMITS = {
    ("openmpi5", "fortran"): "the wheel has no library for Fortran",
    ("openmpi5", "random_programs"): "Open MPI 5 has no MPIX_ names of persistent collectives",
    ("mpich5", "no_shared_folder"): "MPICH 5 itself ends in MPI_Init without /dev/shm",
    ("mpich5", "full_memory"): "MPICH 5 itself is killed by a full /dev/shm",
    ("mpich5", "random_programs"): "MPICH 5 of PyPI does not check arguments: random/compare.py --right",
}


def run(mpi, scenario):
    build = mpi.build()
    words = [sys.executable, os.path.join(HERE, "preload.py"), scenario, "--mpi=" + mpi.family]
    words += ["--launch=%s -n" % mpi.launcher, "--flags=" + FLAGS[mpi.kind], "--library=" + mpi.library()]
    words += ["--shim=" + os.path.join(build, "tests/mpi_test/nf-yield.so")]
    words += ["--programs=" + os.path.join(build, "tests/preload")]
    many = os.cpu_count() + 1
    environment = {**os.environ, **mpi.environment(many), "NEARFAR_WISDOM": "off"}
    try:
        return subprocess.run(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600
        )
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(words, 1, str(late), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefixes", nargs="+")
    parser.add_argument("--only", nargs="+", choices=preload.SCENARIOS)
    options = parser.parse_args()
    scenarios = options.only or [name for name in preload.SCENARIOS if name not in ELSEWHERE]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for mpi in [Mpi(prefix, work) for prefix in options.prefixes]:
            for scenario in scenarios:
                limit = LIMITS.get((mpi.name, scenario))
                if limit:
                    print("%-10s %-24s left out: %s" % (mpi.name, scenario, limit), flush=True)
                    continue
                done = run(mpi, scenario)
                verdict = {0: "passed", preload.SKIP: "skipped"}.get(done.returncode, "FAILED")
                print("%-10s %-24s %s" % (mpi.name, scenario, verdict), flush=True)
                if verdict == "FAILED":
                    failed += 1
                    print(done.stdout, flush=True)
    print("%d failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
