# SPDX-License-Identifier: BSD-3-Clause
"""Debian's hpcc (Open MPI), a real program full of collectives: same residuals, errors and norms to the last digit."""
import os
import re
import shutil

from ..tests import FAIL, PASS, Test

LEARNS_FROM_PLAIN = True  # the plain run says what the right answers are: it cannot be left out
HELP = "nothing: the program hpcc of Debian's package is found by itself"
ANSWERS = re.compile(r"^(\w*(?:norm\w*|residual|Errors|ErrorsFraction|maxErr|Success))=(.*)$", re.M)
INPUT = """HPLinpack benchmark input file
made for a test of collectives
HPL.out
8
1            problem sizes
%(size)d
1            block sizes
%(block)d
0            row-major process mapping
1            process grids
%(rows)d
%(columns)d
16.0         threshold
1            panel factorisations
2
1            recursive stopping criteria
4
1            panels in recursion
2
1            recursive panel factorisations
1
1            broadcasts
%(broadcast)d
1            lookahead depths: none, since with some the order of additions depends on when messages arrive
0
2            swap: mixed
64           swapping threshold
0            L1 transposed
0            U transposed
1            equilibration
8            memory alignment
"""


def answers(folder):
    with open(os.path.join(folder, "hpccoutf.txt")) as file:
        text = file.read()
    return dict(ANSWERS.findall(text[text.find("Begin of Summary section"):]))


class Judge:
    """The first, plain run sets the answers; every later one must give the same digits."""

    def __init__(self):
        self.truth = None

    def __call__(self, output, code, folder):
        found = answers(folder) if os.path.exists(os.path.join(folder, "hpccoutf.txt")) else {}
        if code != 0 or found.get("Success") != "1":
            return {"end": FAIL}
        self.truth = self.truth or found
        return {name: PASS if found.get(name) == value else FAIL for name, value in self.truth.items()}


def tests(mpi, options):
    program = shutil.which("hpcc")
    if not program or mpi.family != "openmpi":
        return
    for rows, columns, size, broadcast in ((1, 2, 2000, 1), (2, 2, 1500, 3), (1, 3, 1000, 5)):
        text = INPUT % {"size": size, "block": 80, "rows": rows, "columns": columns, "broadcast": broadcast}
        yield Test("hpcc %dx%d" % (rows, columns), rows * columns, [program], Judge(), 300, files={"hpccinf.txt": text})
