#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the code blocks of the tutorial with the sources that they come from.

    check_blocks.py [--update]      --update: rewrite the blocks

A block that follows the line <!-- from FILE NAME --> holds what stands in FILE between two lines with [NAME] in a comment.
"""
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BLOCK = re.compile(r"(<!-- from (\S+) (\S+) -->\n```\w+\n)(.*?)(```\n)", re.S)


def marked(name, mark):
    lines = (ROOT / name).read_text().splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if re.search(r"(//|/\*|!|#) \[%s\]" % re.escape(mark), line)]
    if len(at) != 2:
        sys.exit("%s: [%s] stands there %d times, not twice" % (name, mark, len(at)))
    return textwrap.dedent("".join(lines[at[0] + 1:at[1]]))


def main():
    stale = blocks = 0
    for page in sorted(HERE.glob("*.md")):
        old = page.read_text()
        blocks += len(BLOCK.findall(old))
        new = BLOCK.sub(lambda m: m.group(1) + marked(m.group(2), m.group(3)) + m.group(5), old)
        if new != old:
            stale += 1
            if "--update" in sys.argv:
                page.write_text(new)
            else:
                print("%s: code differs from the example; run check_blocks.py --update" % page.relative_to(ROOT))
    if blocks == 0:
        sys.exit("no block found in %s" % HERE)
    return 1 if stale and "--update" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
