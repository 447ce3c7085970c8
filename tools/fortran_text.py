# SPDX-License-Identifier: BSD-3-Clause
"""Fortran as gfortran and people read it: lines of a length, comments, and where a file comes from."""

import re
import textwrap


def wrapped(line, width=100):
    """A statement with continuation lines, broken after commas and before words that may begin one."""
    indent = re.match(r" *", line)[0]
    lines = []
    while len(line) > width:
        marks = [
            line.rfind(mark, len(indent) + 4, width - 2)
            for mark in (" bind(C", " result(", " => ", " .and. ", " // ")
        ]
        cut = max(line.rfind(", ", len(indent) + 4, width - 2) + 1, *marks)
        if cut <= 0:
            raise SystemExit(f"bindings: no place to break '{line}'")
        lines.append(line[:cut].rstrip() + " &")
        line = indent + "  " + line[cut:].strip()
    return lines + [line]


def commented(comment, indent, width=100):
    mark = indent + "!> "
    return (
        textwrap.wrap(comment, width, initial_indent=mark, subsequent_indent=mark, break_long_words=False)
        if comment
        else []
    )


def written_by(source, comment="!"):
    return f"{comment} Written by tools/bindings.py from {source}."
