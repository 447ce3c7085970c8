# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives, each test function judged by itself."""

import glob
import json
import os
import sys

from ..tests import FAIL, PASS, Test

HELP = (
    "the folder test/ of mpi4py's source archive (pip download --no-deps --no-binary mpi4py mpi4py); "
    "--python has mpi4py"
)
DRIVER = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "mpi4py_driver.py")


def judge(_output, code, folder):
    """The worst verdict of any rank; skipped tests are left out. The driver has left a file per rank."""
    verdicts = {}
    for path in glob.glob(os.path.join(folder, "verdicts.*.json")):
        with open(path) as file:
            for name, verdict in json.load(file).items():
                if verdict != "skip" and verdicts.get(name, PASS) == PASS:
                    verdicts[name] = verdict
    verdicts["end"] = PASS if code == 0 or FAIL in verdicts.values() else FAIL
    return verdicts


def tests(mpi, options):
    python = options.python or sys.executable
    for ranks in sorted({2, 3, options.most_ranks}):
        for path in sorted(glob.glob(os.path.join(options.suite, "test_cco_*.py"))):
            module = os.path.basename(path)[: -len(".py")]
            yield Test("%s %d" % (module, ranks), ranks, [python, DRIVER, options.suite, module], judge, 240)
