# SPDX-License-Identifier: BSD-3-Clause
"""Runs a suite in one way, and compares the verdicts with those of the plain MPI."""

import collections
import copy
import dataclasses
import statistics
import sys
import typing

from .tests import FAIL, MISSING, PASS, TIMEOUT, Way, run

LINES_SHOWN = 12


@dataclasses.dataclass
class Results:
    way: Way
    verdicts: typing.Dict[str, str]
    seconds: float = 0
    calls: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    accelerated: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def add(self, outcome):
        self.verdicts.update(outcome.verdicts)
        self.seconds += outcome.seconds
        self.calls += outcome.calls
        self.accelerated += outcome.accelerated


def run_all(mpi, tests, way, known=None):
    """Runs the tests that are not among the verdicts known already."""
    results = Results(way, dict(known or {}))
    if known:
        return results
    for number, test in enumerate(tests, 1):
        if sys.stderr.isatty():
            sys.stderr.write("\r%-78s" % ("%s %d/%d %s" % (way.name, number, len(tests), test.name))[:78])
        results.add(run(mpi, test, way))
    if sys.stderr.isatty():
        sys.stderr.write("\r%78s\r" % "")
    return results


def show(mpi, suite, results):
    count = collections.Counter(results.verdicts.values())
    counts = ", ".join("%d %s" % (count[verdict], verdict) for verdict in (PASS, FAIL, TIMEOUT) if count[verdict])
    print("%s, %s, %s: %s; %.0f s" % (suite, mpi.name, results.way.name, counts, results.seconds))
    if results.way.library:
        shares = ", ".join(
            "%s %d of %d" % (kind, results.accelerated[kind], calls) for kind, calls in sorted(results.calls.items())
        )
        print("    calls carried out by the library: %s" % (shares or "none"))
    sys.stdout.flush()


def is_worse(name, plain, other):
    return plain.get(name) == PASS and other.get(name, MISSING) != PASS


def confirmed(mpi, test, names):
    """Of the names that failed through the library, those that do not fail plainly at times too: two more plain
    runs."""
    for _ in range(2):
        again = run(mpi, test, Way("plain")).verdicts
        names = [name for name in names if again.get(name) == PASS]
    return names


def run_patiently(mpi, test, way):
    """Machines are busy at times: what ran out of time gets three times as much."""
    patient = copy.copy(test)
    patient.limit_s *= 3
    return run(mpi, patient, way)


def parts_of(test, verdicts):
    return [name for name in verdicts if name == test.name or name.startswith(test.name + ": ")]


def failures(test, plain, outcome):
    """Names that fail through the library only."""
    return [name for name in parts_of(test, plain) if is_worse(name, plain, outcome.verdicts)]


def against(mpi, suite, tests, plain, way):
    """Runs all tests in this way and prints what is worse than plain. -> exit status"""
    results = Results(way, {})
    bad = []
    for test in tests:
        outcome = run(mpi, test, way)
        if TIMEOUT in outcome.verdicts.values() and failures(test, plain.verdicts, outcome):
            outcome = run_patiently(mpi, test, way)
        names = failures(test, plain.verdicts, outcome)
        names = confirmed(mpi, test, names) if names else []
        if names:
            bad.append((test, names, outcome))
        results.add(outcome)
    show(mpi, suite, results)
    for test, names, outcome in bad:
        print("ONLY WITH THE LIBRARY (%s): %s" % (way.name, "; ".join(sorted(names)[:LINES_SHOWN])))
        print("    " + "\n    ".join(outcome.output.splitlines()[-LINES_SHOWN:]))
    did_something = any(results.accelerated.values())
    if not did_something:
        print("the library did not accelerate a single call: this run proves nothing")
    return 1 if bad else 0 if did_something else 2


def times(mpi, tests, ways, rounds):
    """Prints the median seconds of each test, plain and in each way, run in turn. -> exit status"""
    code = 0
    for test in tests:
        seconds = collections.defaultdict(list)
        for _ in range(rounds):
            for way in [Way("plain")] + ways:
                outcome = run(mpi, test, way, pinned=True)
                seconds[way.name].append(outcome.seconds)
                code = code if set(outcome.verdicts.values()) == {PASS} else 1
        plain = statistics.median(seconds["plain"])
        for name, taken in seconds.items():
            print(
                "%s, %s, %s: median %.2f s (%.2f to %.2f), plain / this %.2f"
                % (
                    test.name,
                    mpi.name,
                    name,
                    statistics.median(taken),
                    min(taken),
                    max(taken),
                    plain / statistics.median(taken),
                )
            )
            sys.stdout.flush()
    return code
