# SPDX-License-Identifier: BSD-3-Clause
"""Tests of MPICH's test-suite: collectives, errors of collectives, communicators, attributes, topologies."""
import os
import shlex

from ..tests import Test, passed_if

HELP = "the folder test/mpi of MPICH's sources (pmodels/mpich); its programs, compiled with this MPI, in --built"
WITHOUT_LIMIT_S = 60
FOLDERS = ("coll", "errors/coll", "comm", "attr", "topo")


def entries(listing):
    """(name, ranks, {option: [values]}) of each line."""
    with open(listing) as lines:
        for line in lines:
            words = shlex.split(line, comments=True)
            if len(words) >= 2 and "@" not in words[0]:  # optional features of MPICH itself
                options = {}
                for word in words[2:]:
                    key, _, value = word.partition("=")
                    options.setdefault(key, []).append(value)
                yield words[0], int(words[1]), options


def is_wanted(ranks, options, most_ranks):
    """Left out: what needs more than 4 GB, and what sets variables of MPICH to choose among its own algorithms."""
    return ranks <= most_ranks and float(options.get("mem", ["0"])[0]) < 4 and "env" not in options


def tests(mpi, options):
    for folder in FOLDERS:
        listing = os.path.join(options.suite, folder, "testlist")
        for name, ranks, more in entries(listing if os.path.exists(listing) else listing + ".in"):
            program = os.path.join(options.built, folder, name)
            if not is_wanted(ranks, more, options.most_ranks) or not os.path.exists(program):
                continue
            limit = float(more.get("timeLimit", [WITHOUT_LIMIT_S])[0])
            arguments = more.get("arg", [])
            yield Test(" ".join(["%s/%s" % (folder, name), str(ranks)] + arguments), ranks, [program] + arguments,
                       passed_if("No Errors"), limit)
