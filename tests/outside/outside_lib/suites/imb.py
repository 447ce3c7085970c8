# SPDX-License-Identifier: BSD-3-Clause
"""The Intel MPI Benchmarks, built with -DCHECK: not for their times, but for the column 'defects'."""

import os
import re

from ..tests import FAIL, PASS, Test

HELP = (
    "the folder with IMB-MPI1 built with -DCHECK (intel/mpi-benchmarks: make -C src_cpp TARGET=MPI1 CPPFLAGS=-DCHECK)"
)
KINDS = (
    "Allreduce",
    "Bcast",
    "Reduce",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Barrier",
)
LEAST_LOG, MOST_LOG = 3, 22  # message sizes, powers of two


def judge(output, code, _folder):
    """One part per table row; a run that broke off has failed as a whole."""
    verdicts = {}
    for line in output.splitlines():
        row = re.fullmatch(r"\s+(\d+)\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+(\S+)\s*", line)
        if row:
            part = row.group(1) + " bytes"
            is_clean = re.fullmatch(r"0+\.0+", row.group(2)) and verdicts.get(part, PASS) == PASS
            verdicts[part] = PASS if is_clean else FAIL
    verdicts["end"] = PASS if code == 0 and "entering MPI_Finalize" in output else FAIL
    return verdicts


def tests(mpi, options):
    for ranks in sorted({2, 3, options.most_ranks}):
        for kind in KINDS:
            program = [
                os.path.join(options.suite, "IMB-MPI1"),
                "-npmin",
                str(ranks),
                "-iter",
                "12",
                "-iter_policy",
                "off",
                "-time",
                "10",
                "-msglog",
                "%d:%d" % (LEAST_LOG, MOST_LOG),
                kind,
            ]
            yield Test("%s %d" % (kind, ranks), ranks, program, judge, 180)
