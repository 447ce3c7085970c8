#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks each source file by itself: SPDX line, lengths of files and lines, Fortran's implicit none; pages' lines.

    check_files.py [ROOT]
"""
import re
import subprocess
import sys
from pathlib import Path

CODE = {".cpp", ".hpp", ".h", ".c", ".cu", ".f90", ".F90", ".py", ".sh"}
SPDX = "SPDX-License-Identifier: BSD-3-Clause"
FILE_LINES = 500
COLUMNS, FORTRAN_COLUMNS = 120, 100
# Lines of pages that cannot be wrapped (tables, links, commands), and the only long line of code: a command that
# another program reads.
UNWRAPPED = re.compile(r"^\s*(\||<!--|!\[|\[|- \[|`)|^exec ")
FIRST_LINES = 3


def tracked(root):
    """Tracked and new files; all files where the tree is not under git (a release archive)."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root,
                             capture_output=True, text=True)
    if listing.returncode == 0:
        return [root / name for name in listing.stdout.splitlines() if (root / name).is_file()]
    return [p for p in root.rglob("*") if p.is_file() and "build" not in p.relative_to(root).parts]


def long_lines(lines):
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not UNWRAPPED.match(line):
            yield number, "longer than %d columns" % COLUMNS


def problems_of(path):
    text = path.read_text(errors="replace")
    lines = text.splitlines()
    if SPDX not in "\n".join(lines[:FIRST_LINES]):
        yield 1, "no '%s' in the first %d lines" % (SPDX, FIRST_LINES)
    if lines and "Written by tools/" not in lines[0]:
        yield from long_lines(lines)
    if len(lines) > FILE_LINES and "Written by tools/" not in lines[0]:
        yield len(lines), "longer than %d lines: split it" % FILE_LINES
    for number, line in enumerate(lines, 1):
        if re.search(r"\bTODO\b(?!\(#\d+\))", line) and path.name != Path(__file__).name:
            yield number, "a TODO names its issue, as in TODO(#12)"
    if path.suffix.lower() == ".f90":
        for number, line in enumerate(lines, 1):
            if len(line) > FORTRAN_COLUMNS:
                yield number, "longer than %d columns" % FORTRAN_COLUMNS
        for kind in ("module", "program"):
            for match in re.finditer(r"^\s*%s\s+(?!procedure|subroutine|function)(\w+)\s*$" % kind, text, re.M | re.I):
                if not re.search(r"implicit\s+none", text[match.end():], re.I):
                    yield text.count("\n", 0, match.start()) + 1, "%s %s without implicit none" % (kind, match.group(1))


def main():
    root = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]).resolve()
    bad = 0
    for path in tracked(root):
        if path.suffix in CODE or path.suffix == ".md":
            problems = problems_of(path) if path.suffix in CODE else long_lines(path.read_text().splitlines())
            for line, problem in problems:
                print("%s:%d: %s" % (path.relative_to(root), line, problem))
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
