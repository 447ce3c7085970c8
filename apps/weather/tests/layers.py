# SPDX-License-Identifier: BSD-3-Clause
"""Modules of the model use only their own folder and those below it, so that a reader can take them floor by floor.

layers.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FLOORS = ("base", "grid", "physics", "dynamics", "start", "output")
SOURCES = Path(__file__).parent.parent / "src"


def main() -> None:
    files = {file.stem: file for file in SOURCES.glob("*/weather_*.f90")}
    strangers = sorted({file.parent.name for file in files.values()} - set(FLOORS))
    wrong = [f"folder {name} is none of {', '.join(FLOORS)}" for name in strangers]
    uses = 0
    for name, file in sorted(files.items()):
        for used in re.findall(r"^\s*use\s+(weather_\w+)", file.read_text(), re.MULTILINE):
            uses += 1
            if used not in files:
                wrong.append(f"{name} uses {used}, which has no file of its name")
            elif FLOORS.index(files[used].parent.name) > FLOORS.index(file.parent.name):
                wrong.append(f"{file.parent.name}/{name} uses {files[used].parent.name}/{used}, which lies above it")
    print(f"{len(files)} modules, {uses} uses")
    if wrong or uses < len(files):
        sys.exit("\n".join(wrong) or "hardly any use was found: is the pattern still right?")


if __name__ == "__main__":
    main()
