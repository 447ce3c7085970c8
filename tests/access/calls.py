#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the functions of the library that an object file calls: calls.py NM OBJECT EXPECTED

An access to an element calls none; EXPECTED is `none`, or `some` for the object that shows that calls are seen."""
import subprocess
import sys


def called(nm, path):
    text = subprocess.run([nm, "-C", "--undefined-only", path], capture_output=True, text=True, check=True).stdout
    names = [line.split(maxsplit=1)[1] for line in text.splitlines() if line.strip()]
    return [name for name in names if "nearfar" in name]


def main():
    nm, path, expected = sys.argv[1:]
    names = called(nm, path)
    print("calls of the library:", len(names), *names, sep="\n  ")
    sys.exit(bool(names) != (expected == "some"))


main()
