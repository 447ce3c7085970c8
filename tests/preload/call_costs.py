#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What calls cost that gain nothing from the preloaded library, plain beside preloaded, with both MPIs.

    call_costs.py NAME [--runs N] [--programs OPENMPI:MPICH] [--libraries OPENMPI:MPICH]

The table is printed and kept as bench/results/NAME.jsonl.xz. Microseconds on two ranks; programs run in turn, and the
least of all runs counts: a busy machine only ever adds. The third call of every communicator makes an engine. Of
MPI_Init and MPI_Finalize, and of a program with 500 communicators on which four allreduces are made, the whole run is
taken, launcher included, in milliseconds.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../tools"), os.path.join(HERE, "../../bench")]
import figures  # noqa: E402
from mpis import Mpi  # noqa: E402


def once(mpi, program, library, communicators):
    """-> {what: microseconds}; the whole run in milliseconds"""
    settings = {"NEARFAR_WISDOM": "off", "NEARFAR_PRELOAD_AFTER": "3", "NEARFAR_PRELOAD_ENGINES": "1000"}
    line, environment = mpi.command(
        2, [program, str(communicators)], [library] if library else [], environment=settings
    )
    begin = time.monotonic()
    said = subprocess.run(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300
    )
    whole = 1e3 * (time.monotonic() - begin)
    if said.returncode != 0:
        sys.exit("call_costs.py: %s ended with %d" % (" ".join(line), said.returncode))
    found = {name: float(value) for name, value in re.findall(r"^(.*): ([\d.]+)$", said.stdout, re.M)}
    if communicators > 1:
        found["a program with %d communicators" % communicators] = whole
    return found


def least(mpi, program, library, runs):
    """-> {what: (plain, preloaded)}"""
    table = {}
    for communicators in (1, 500):
        for _ in range(runs):
            for column, of in enumerate((None, library)):
                for what, value in once(mpi, program, of, communicators).items():
                    pair = table.setdefault(what, [1e30, 1e30])
                    pair[column] = min(pair[column], value)
    return table


def empty_program(mpi, program, library, runs, table):
    pair = [1e30, 1e30]
    for _ in range(runs):
        for column, of in enumerate((None, library)):
            begin = time.monotonic()
            once(mpi, program, of, 0)
            pair[column] = min(pair[column], 1e3 * (time.monotonic() - begin))
    table["MPI_Init and MPI_Finalize"] = pair


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--programs")
    parser.add_argument("--libraries")
    return parser.parse_args()


def main():
    options, tables, names = parse(), [], []
    with tempfile.TemporaryDirectory() as work:
        for number, name in enumerate(("openmpi", "mpich")):
            mpi = Mpi(name, work)
            program = os.path.join(mpi.build(), "tests/preload/preload_call_costs")
            program = options.programs.split(":")[number] if options.programs else program
            library = os.path.abspath(options.libraries.split(":")[number] if options.libraries else mpi.library())
            tables.append(least(mpi, program, library, options.runs))
            empty_program(mpi, program, library, options.runs, tables[-1])
            names += [mpi.name + " plain", "preloaded"]
    lines = [[what] + ["%.3g" % value for table in tables for value in table.get(what, (0, 0))] for what in tables[0]]
    heading = ["call"] + names
    print("\n".join(figures.as_table([heading] + lines, heading[:1])))
    words = "tests/preload/call_costs.py %s --runs %d" % (options.name, options.runs)
    print("kept in", figures.keep(options.name, figures.rows("preload-costs", heading, lines), words))


if __name__ == "__main__":
    main()
