# SPDX-License-Identifier: BSD-3-Clause
"""Runs one module of mpi4py's tests and writes the verdict of each test of this rank to verdicts.RANK.json.

    mpi4py_driver.py FOLDER MODULE
"""
import json
import sys
import unittest

sys.dont_write_bytecode = True
folder, module = sys.argv[1:]
sys.path.insert(0, folder)
from main import TestProgram  # noqa: E402

verdicts = {}


class Result(unittest.TextTestResult):
    def addSuccess(self, test):
        super().addSuccess(test)
        verdicts[test.id()] = "pass"

    def addFailure(self, test, error):
        super().addFailure(test, error)
        verdicts[test.id()] = "fail"

    def addError(self, test, error):
        super().addError(test, error)
        verdicts[test.id()] = "fail"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        verdicts[test.id()] = "skip"

    def addSubTest(self, test, part, error):
        super().addSubTest(test, part, error)
        if error:
            verdicts[test.id()] = "fail"


def main():
    code = 1
    try:
        TestProgram(module=None, argv=["main.py", module], testRunner=unittest.TextTestRunner(resultclass=Result))
    except SystemExit as end:
        code = end.code
    from mpi4py import MPI
    with open("verdicts.%d.json" % MPI.COMM_WORLD.Get_rank(), "w") as file:
        json.dump(verdicts, file)
    sys.exit(code)


main()
