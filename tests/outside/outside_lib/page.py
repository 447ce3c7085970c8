# SPDX-License-Identifier: BSD-3-Clause
"""A page of programs run plain and preloaded in turn: whether all numbers agree, and what time each took."""

import dataclasses
import statistics
import sys
import typing

from .tests import PASS, Way, run

TITLE = """# Programs of others, plain and preloaded

Debian 12's MPI programs with small inputs (`tests/outside/inputs`), each run plain and under `libnearfar_mpi.so` in
turn. Compared is every number of the lines and files that answer, with those of the first plain run, within a relative
tolerance (sums of many ranks may be made in any order). One command runs what is installed and writes this page:

```
tests/outside/run programs --page docs/outside-programs.md --times 5
```

Seconds are medians of %(rounds)d runs in turn, from the start of `mpirun` to its end, with the library's defaults. One
more preloaded run makes an engine at the first call of every communicator (`NEARFAR_PRELOAD_AFTER=1`), and must give
the same numbers. "Ours" are the collective calls that the library carried out itself in that last run, of all that it
saw.
"plain run fails": it fails without the library, or its plain runs differ among themselves.
%(machine)s

| program | what | ranks | numbers | plain s | preloaded s | preloaded / plain | ours, first call on |
|---|---|---|---|---|---|---|---|
"""


MISSING = "| %s | %s | | not run: Debian's package %s is not installed | | | | |\n"


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


def line(row, does):
    cells = [row.name.rsplit(",", 1)[0], does, str(row.ranks), row.numbers]
    if all(row.seconds.values()):
        plain, ours = (statistics.median(row.seconds[name]) for name in ("plain", "preload"))
        cells += ["%.2f" % plain, "%.2f" % ours, "%.2f" % (ours / plain), row.share]
    else:
        cells += ["", "", "", row.share]
    return "| " + " | ".join(cells) + " |\n"


def write(path, mpis, suite, options, library_of, machine):
    """Runs the programs of all MPIs and writes the page. -> exit status"""
    text, code = TITLE % {"rounds": options.times, "machine": machine}, 0
    for mpi in mpis:
        library = library_of(mpi)
        ways = [Way("plain"), Way("preload", library), Way("first call", library, {"NEARFAR_PRELOAD_AFTER": "1"})]
        does = {program.name: program.does for program in suite.ALL}
        for test in filter(options.is_wanted, suite.tests(mpi, options)):
            row, is_right = measure(mpi, test, ways, options.times)
            code = code if is_right else 1
            text += line(row, does[test.name.rsplit(",", 1)[0]])
            sys.stdout.write(line(row, ""))
            sys.stdout.flush()
            save(path, text)
        for program in suite.missing(mpi):
            text += MISSING % (program.name, program.does, program.package)
    save(path, text)
    return code


def save(path, text):
    with open(path, "w") as file:
        file.write(text)
