# SPDX-License-Identifier: BSD-3-Clause
"""A table of programs run plain and preloaded in turn: whether all numbers agree, and what time each took.

Compared is every number of the lines and files that answer, with those of the first plain run, within a relative
tolerance (sums of many ranks may be made in any order). Seconds are medians of the runs in turn, from the start of
`mpirun` to its end, with the library's defaults. One more preloaded run makes an engine at the first call of every
communicator, and must give the same numbers; "ours" are the collective calls that the library carried out itself in
that run, of all that it saw. "plain run fails": it fails without the library, or its plain runs differ among
themselves.
"""

import dataclasses
import statistics
import typing

import figures

from .tests import PASS, Way, run

HEADING = ["program", "what", "ranks", "numbers", "plain s", "preloaded s", "preloaded / plain", "ours, first call on"]


@dataclasses.dataclass
class Row:
    name: str
    ranks: int
    numbers: str = ""
    seconds: typing.Dict[str, list] = dataclasses.field(default_factory=lambda: {"plain": [], "preload": []})
    share: str = ""


def answers(verdicts):
    """-> whether all is as plain, and how many numbers were compared"""
    counted = [name.rsplit(": ", 1)[1] for name in verdicts if name.endswith("numbers")]
    return set(verdicts.values()) == {PASS}, counted[0].split()[0] if counted else "none"


def measure(mpi, test, ways, rounds):
    row = Row(test.name, test.ranks)
    is_right = True
    for _ in range(rounds):
        for way in ways[:2]:
            outcome = run(mpi, test, way)
            right, row.numbers = answers(outcome.verdicts)
            if not right and way.library is None:
                row.numbers = "plain run fails"
                return row, True
            is_right = is_right and right
            row.seconds[way.name].append(outcome.seconds)
    last = run(mpi, test, ways[2])
    right, _ = answers(last.verdicts)
    row.share = "%d of %d" % (sum(last.accelerated.values()), sum(last.calls.values()))
    if not (right and is_right):
        row.numbers = "**DIFFERENT**" if answers(last.verdicts)[1] != "none" else "**FAILS**"
    else:
        row.numbers += ", same"
    return row, right and is_right


def cells(row, does):
    found = [row.name.rsplit(",", 1)[0], does, str(row.ranks), row.numbers]
    if not all(row.seconds.values()):
        return found + ["", "", "", row.share]
    plain, ours = (statistics.median(row.seconds[name]) for name in ("plain", "preload"))
    return found + ["%.2f" % plain, "%.2f" % ours, "%.2f" % (ours / plain), row.share]


def keep(name, mpis, suite, options, library_of):
    """Runs the programs of all MPIs and keeps the table as bench/results/NAME.jsonl.xz. -> exit status"""
    lines, code = [], 0
    words = "tests/outside/run programs --keep %s --times %d" % (name, options.times)
    for mpi in mpis:
        library = library_of(mpi)
        ways = [Way("plain"), Way("preload", library), Way("first call", library, {"NEARFAR_PRELOAD_AFTER": "1"})]
        does = {program.name: program.does for program in suite.ALL}
        for test in filter(options.is_wanted, suite.tests(mpi, options)):
            row, is_right = measure(mpi, test, ways, options.times)
            code = code if is_right else 1
            lines.append(cells(row, does[test.name.rsplit(",", 1)[0]]))
            print("| " + " | ".join(lines[-1]) + " |", flush=True)
            figures.keep(name, figures.rows("outside-programs", HEADING, lines), words)
        for program in suite.missing(mpi):
            missing = "not run: Debian's package %s is not installed" % program.package
            lines.append([program.name, program.does, "", missing, "", "", "", ""])
    figures.keep(name, figures.rows("outside-programs", HEADING, lines), words)
    return code
