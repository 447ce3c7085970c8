#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails if a header brings in more lines than its budget; tells the compile time for information.

    header_budget.py --header NAME --lines MAX -- COMPILER FLAG...
"""
import argparse
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--header", required=True)
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()
    source = "#include <%s>\n" % options.header
    from_stdin = ["-x", "c++", "-"]

    preprocessed = subprocess.run(options.compiler + ["-E", "-P"] + from_stdin, input=source, text=True,
                                  capture_output=True, check=True).stdout
    lines = len(preprocessed.splitlines())
    started = time.monotonic()
    subprocess.run(options.compiler + ["-fsyntax-only"] + from_stdin, input=source, text=True, check=True)
    print("%s: %d lines after preprocessing (budget %d), compiled in %.2f s"
          % (options.header, lines, options.lines, time.monotonic() - started))
    return 0 if 0 < lines <= options.lines else 1


if __name__ == "__main__":
    sys.exit(main())
