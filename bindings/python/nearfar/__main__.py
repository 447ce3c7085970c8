# SPDX-License-Identifier: BSD-3-Clause
"""`python -m nearfar PROGRAM [ARGUMENTS…]`: runs a program; its uncaught exceptions end all ranks of the job."""

import runpy
import sys

from . import _job


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m nearfar PROGRAM [ARGUMENTS…], or -m MODULE [ARGUMENTS…]")
        sys.exit(0 if len(sys.argv) > 1 else 2)
    sys.argv = sys.argv[1:]
    if sys.argv[0] == "-m" and len(sys.argv) > 1:
        sys.argv = sys.argv[1:]
        module = sys.argv[0]
        _job.run(lambda: runpy.run_module(module, run_name="__main__", alter_sys=True))
    else:
        program = sys.argv[0]
        sys.path[0] = program.rpartition("/")[0] or "."
        _job.run(lambda: runpy.run_path(program, run_name="__main__"))


if __name__ == "__main__":
    main()
