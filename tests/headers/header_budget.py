#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails if a header brings in more lines than its budget; tells the compile time for information.

    header_budget.py --header NAME --lines MAX [--besides OTHER] -- COMPILER FLAG...

What the header OTHER brings in by itself does not count (MPI's own header differs by 5 000 lines between MPIs).
"""

import argparse
import subprocess
import sys
import time


FROM_STDIN = ["-x", "c++", "-"]


def source_of(header):
    return "#include <%s>\n" % header


def lines_of(compiler, header):
    preprocessed = subprocess.run(
        compiler + ["-E", "-P"] + FROM_STDIN, input=source_of(header), text=True, capture_output=True, check=True
    ).stdout
    return len(preprocessed.splitlines())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--header", required=True)
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("--besides")
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()

    lines = lines_of(options.compiler, options.header)
    if options.besides:
        lines -= lines_of(options.compiler, options.besides)
    started = time.monotonic()
    subprocess.run(
        options.compiler + ["-fsyntax-only"] + FROM_STDIN, input=source_of(options.header), text=True, check=True
    )
    print(
        "%s: %d lines after preprocessing (budget %d), compiled in %.2f s"
        % (options.header, lines, options.lines, time.monotonic() - started)
    )
    return 0 if 0 < lines <= options.lines else 1


if __name__ == "__main__":
    sys.exit(main())
