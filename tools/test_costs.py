#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_costs - what the tests cost: tables of a run, the committed costs, their budgets.

  test_costs.py report JUNIT.XML...             the table of a run: module, tests, seconds; the ten slowest
  test_costs.py expect                          how many tests there are, and how long they take
  test_costs.py record TOTAL PRESET:BUILD:TEST… adds a run's seconds to bench/results/make_test.jsonl
  test_costs.py update MPI=JUNIT.XML...         writes the seconds of these runs into tests/costs/costs.txt
  test_costs.py cmake MPI COSTS.TXT FILE        writes COST and TIMEOUT of every test for ctest
  test_costs.py check MPI BUILD COSTS.TXT       every test has a cost, and no module costs more than its budget

A module is what stands before the first dot of a test's name. COSTS.TXT has, for each module, a line `[module] BUDGET`
and
lines `test SECONDS SECONDS`: with Open MPI and with MPICH, `-` where the test is not run with it.
"""

import collections
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from command import InputError as Failure  # noqa: E402
from command import command  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
COSTS = os.path.join(ROOT, "tests/costs/costs.txt")
MPIS = ("openmpi", "mpich")


def column_of(mpi):
    """That of MPICH for the standard ABI, which is MPICH's, too."""
    return MPIS.index("mpich" if mpi == "mpiabi" else mpi)
HEADER = """\
# What tests cost, in seconds of `make test` on two idle cores: with Open MPI, with MPICH (- where it is not run).
# `[module] BUDGET`: the sum of the module's lines must not pass it (test tools.costs); a budget that is raised says why
# in its commit.
# Time-outs are made of these (tests/costs/CMakeLists.txt). Written by tools/test_costs.py update; budgets are kept.
"""


def seconds_of(word, where):
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 1e6:
        raise Failure("%s: '%s' is no number of seconds (0 to 1000000)" % (where, word))
    return seconds


def module_of(test):
    return test.split(".")[0]


# ---- the committed costs ----


class Costs:
    """budgets: {module: seconds}; of: {test: [seconds or None for each of MPIS]}"""

    def __init__(self, path):
        self.budgets, self.of = {}, {}
        with open(path, errors="replace") as file:
            for number, line in enumerate(file, 1):
                self._read(line.split("#")[0].split(), "%s:%d" % (path, number))

    def _read(self, words, where):
        if not words:
            return
        budget = re.fullmatch(r"\[(\w+)\]", words[0])
        try:
            if budget:
                self.budgets[budget.group(1)] = seconds_of(words[1], where)
            else:
                both = [None if word == "-" else seconds_of(word, where) for word in words[1:]]
                if len(both) != len(MPIS):
                    raise ValueError
                self.of[words[0]] = both
        except (IndexError, ValueError):
            raise Failure("%s: a line is `[module] BUDGET` or `test SECONDS SECONDS`" % where) from None

    def seconds(self, module):
        return sum(s or 0 for test, both in self.of.items() if module_of(test) == module for s in both)

    def write(self, path):
        tests = collections.defaultdict(list)
        for test in sorted(self.of):
            tests[module_of(test)].append(test)
        with open(path, "w") as file:
            file.write(HEADER)
            for module in sorted(tests):
                file.write("\n[%s] %g\n" % (module, self.budgets.get(module, budget_for(self.seconds(module)))))
                for test in tests[module]:
                    file.write("%-48s %6s %6s\n" % (test, *("-" if s is None else "%.1f" % s for s in self.of[test])))


def budget_for(seconds):
    """A quarter more than it costs now, in whole numbers of five."""
    return 5 * (int(1.25 * seconds / 5) + 1)


# ---- runs ----


def run_of(path):
    """-> {test: seconds}; 0 of those that were skipped"""
    if not os.path.exists(path):
        raise Failure("%s: no such file (ctest --output-junit writes it)" % path)
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except ElementTree.ParseError as error:
        raise Failure("%s: no XML (%s)" % (path, error)) from None
    return {
        case.get("name") or "?": seconds_of(case.get("time") or "", path)
        for case in cases
        if case.get("status") != "disabled"
    }


def report(paths):
    runs = [run_of(path) for path in paths]
    count, seconds = collections.Counter(), collections.Counter()
    for run in runs:
        for test, taken in run.items():
            count[module_of(test)] += 1
            seconds[module_of(test)] += taken
    print("%-24s %6s %9s" % ("module", "tests", "seconds"))
    for module, taken in seconds.most_common():
        print("%-24s %6d %9.1f" % (module, count[module], taken))
    print("%-24s %6d %9.1f" % ("all", sum(count.values()), sum(seconds.values())))
    slowest = sorted(
        ((taken, test, os.path.basename(path)) for path, run in zip(paths, runs) for test, taken in run.items()),
        reverse=True,
    )[:10]
    print("\nthe ten slowest")
    for taken, test, path in slowest:
        print("%9.1f  %-44s %s" % (taken, test, path.split(".")[0]))


def update(assignments):
    costs = Costs(COSTS)
    for assignment in assignments:
        mpi, _, path = assignment.partition("=")
        if mpi not in MPIS or not path:
            raise Failure("'%s': it looks like openmpi=build/release-openmpi.junit.xml" % assignment)
        column, run = column_of(mpi), run_of(path)
        for test, taken in run.items():
            costs.of.setdefault(test, [None] * len(MPIS))[column] = max(taken, 0.1)
        for test in costs.of:
            if test not in run:
                costs.of[test][column] = None
    costs.of = {test: both for test, both in costs.of.items() if any(s is not None for s in both)}
    costs.write(COSTS)


def expect(_):
    costs = Costs(COSTS)
    for column, mpi in enumerate(MPIS):
        seconds = [both[column] for both in costs.of.values() if both[column] is not None]
        print("test: %d tests with %s, together %.0f s of a core or of waiting" % (len(seconds), mpi, sum(seconds)))


def record(words):
    """One line per run: what was built and tested, where, and how long it took. CACHE says cold or warm."""
    total, *trees = words
    git = ["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(git, stdout=subprocess.PIPE, text=True).stdout.strip()
    one = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit,
        "cores": os.cpu_count(),
        "processor": processor(),
        "compiler_cache": os.environ.get("CACHE", "unknown"),
        "total_s": int(total),
    }
    for tree in trees:
        preset, build, test = tree.split(":")
        one[preset] = {
            "build_s": int(build),
            "test_s": int(test),
            "tests": len(run_of(os.path.join(ROOT, "build", preset + ".junit.xml"))),
        }
    path = os.path.join(ROOT, "bench/results/make_test.jsonl")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as file:
        file.write(json.dumps(one) + "\n")
    print("recorded in %s" % os.path.relpath(path, ROOT))


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")


# ---- for ctest ----


def timeout(seconds):
    """For hangs only: longer than the watchdog of MPI tests, which says who hangs (300 s, tests/mpi_test), and forty
    times what the test
    takes alone: beside busy programs, ranks that yield to each other take twenty times that (weather.identity, at a
    load of 20)."""
    return 600 + 40 * seconds


def cmake(mpi, path, to):
    column = column_of(mpi)
    with open(to, "w") as file:
        for test, both in Costs(path).of.items():
            seconds = both[column] if both[column] is not None else max(s or 0 for s in both)
            file.write(
                "set_tests_properties(%s PROPERTIES COST %.1f TIMEOUT %.0f)\n" % (test, seconds, timeout(seconds))
            )


def tests_in(build):
    """-> {test: properties}, as ctest sees them"""
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, stdout=subprocess.PIPE)
    return {
        test["name"]: {one["name"]: one["value"] for one in test.get("properties", [])}
        for test in json.loads(shown.stdout)["tests"]
    }


def check(mpi, build, path):
    costs, column, faults = Costs(path), column_of(mpi), []
    for test, properties in tests_in(build).items():
        if test not in costs.of or costs.of[test][column] is None:
            faults.append("%s has no cost with %s in %s (tools/test_costs.py update)" % (test, mpi, path))
        elif properties.get("COST", 0) <= 0 or properties.get("TIMEOUT", 0) < 10 * costs.of[test][column]:
            faults.append("%s: ctest does not know its cost, or its time-out is below ten times that" % test)
    for module in sorted({module_of(test) for test in costs.of}):
        if module not in costs.budgets:
            faults.append("module %s has no budget" % module)
        elif costs.seconds(module) > costs.budgets[module]:
            faults.append(
                "module %s costs %.1f s, its budget is %g s" % (module, costs.seconds(module), costs.budgets[module])
            )
    if faults:
        raise Failure("; ".join(faults))


@command("test_costs.py", status=1)
def main(words):
    actions = {
        "report": report,
        "update": update,
        "expect": expect,
        "record": record,
        "cmake": lambda w: cmake(*w),
        "check": lambda w: check(*w),
    }
    if not words or words[0] not in actions:
        print(__doc__)
        return 2
    actions[words[0]](words[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
