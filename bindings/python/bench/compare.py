#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What calls cost from Python over C++: bench_python_overhead and overhead.py by turns, and the medians of the ratios.

    compare.py BUILD PYTHON [ROUNDS]     such as: compare.py build/release-openmpi build/python-env/bin/python 9

Each run tells the processor time of its fastest bursts; a round is one run of each, so that a ratio is of runs beside
each other.
"""

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path


def figures(command, environment):
    """Microseconds of start and finish, and milliseconds of the transforms, as a run prints them."""
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return [float(n) for n in re.findall(r"([\d.]+) (?:us|ms)", said)]


def main():
    build, python, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    environment = os.environ | {"PYTHONPATH": str(build / "python"), "NEARFAR_WISDOM": "off"}
    compiled = [str(build / "bindings/python/bench_python_overhead")]
    interpreted = [python, str(Path(__file__).parent / "overhead.py")]
    pairs = [(figures(compiled, environment), figures(interpreted, environment)) for _ in range(rounds)]
    for at, (what, unit) in enumerate((("start and finish", "us"), ("128^3 forward and backward", "ms"))):
        ratio = statistics.median(b[at] / a[at] for a, b in pairs)
        more = statistics.median(b[at] - a[at] for a, b in pairs)
        least = min(a[at] for a, _ in pairs), min(b[at] for _, b in pairs)
        print(
            f"{what}: C++ {least[0]:.2f} {unit}, Python {least[1]:.2f} {unit}; median of {rounds} ratios {ratio:.3f},"
            f" {more:+.2f} {unit}"
        )


if __name__ == "__main__":
    main()
