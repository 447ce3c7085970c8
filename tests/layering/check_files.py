#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks each source file by itself: SPDX line, lengths of files and lines, Fortran's implicit none; pages' lines; and
that names are made of the words of docs/glossary.md.

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
# Words that once stood for what docs/glossary.md names: no part of a name of several words or of a file's name, nothing
# declared is called so, and pages do not speak of them.
OLD_WORDS = ("hall desk board room crew conductor mailbox ticket journey recipe cook way bells standings trial agent "
             "mover crossing meeting ledger house mate")
OLD_PART = re.compile(r"(?:^|_)(%s)s?(?=_|$)" % OLD_WORDS.replace(" ", "|"))
OLD_DECLARED = re.compile(r"\b(?:class|struct|enum|using|def)\s+(%s|letter|flight)s?\b(?=[ ({:=]|$)" %
                          OLD_WORDS.replace(" ", "|"))
OLD_TERM = re.compile(r"(?i)\b(the hall|desks?|the board|boards|crews?|conductors?|mailbox(es)?|journeys?|recipes?|"
                      r"standings|movers?|ledgers?|bells|mates?)\b")
# A lane is the ranks with equal near rank on different nodes; elsewhere than in these folders a vector register's
# element is meant, which is a SIMD lane (`simd_lane`). Names of methods ("lanes", "near-mixed+lanes") are no matter.
LANES_OF_RANKS = ("src/collective/", "src/exchange/", "src/irregular/", "src/model/")
BARE_LANE = re.compile(r"(?i)(?<![\w+\"'`-])(?<!simd )lanes?\b(?!-)")
# Reads or writes numbers as the program's locale wants, C's or C++'s: files, keys and names under /proc must not. The
# library lives in programs of others; our own programs choose the classic locale where they begin.
LIBRARY = ("src/", "interpose/", "bindings/")
PROGRAMS = ("apps/", "tools/nearfar/")
NOT_THE_LIBRARY = re.compile(r"/(tests|bench|run)/|^src/base/api/base/text[.]hpp$")
OF_A_LOCALE = re.compile(r"\bstd::(o|i)?stringstream\b|\bstd::(o|i)?fstream\b(?!&)|\bstd::(cout|cerr|clog|to_string)\b|"
                         r"\bstrto(d|f|ld)\b|\bsto(d|f|ld)\b|\batof\b|\b[fsv]*scanf\b|\bstrftime\b|\bput_time\b|"
                         r'"[^"]*%[-+ #0-9.*]*l?[aefgAEFG]\b[^"]*"')
CLASSIC = ("apps::run_program(", "std::locale::global(std::locale::classic())")
WITHOUT_WORDS = {Path(__file__).name, "test_checks.py"}
NAMES_OF_OTHERS = {"plm_rsh_agent", "plm_ssh_agent"}  # Open MPI's


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


def old_words_of(name, text):
    """Names of files and identifiers; terms of pages."""
    stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W", "_", name).lower()
    if OLD_PART.search(stem):
        yield 1, "'%s' in the file's name: docs/glossary.md has a word for it" % OLD_PART.search(stem).group(1)
    is_page = name.endswith(".md")
    has_lanes_of_ranks = is_page or name.startswith(LANES_OF_RANKS)
    for number, line in enumerate(text.splitlines(), 1):
        found = (OLD_TERM if is_page else OLD_DECLARED).search(line)
        found = found.group(0) if found else next(
            (i for i in re.findall(r"\w+_\w+|\w*[a-z][A-Z]\w*", line)
             if i not in NAMES_OF_OTHERS and OLD_PART.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", i).lower())), None)
        if found:
            yield number, "'%s': docs/glossary.md has a word for it" % found
        if not has_lanes_of_ranks and BARE_LANE.search(line):
            yield number, "a lane that is not one of ranks is a SIMD lane"


def locales_of(name, text):
    """Of a C or C++ file."""
    if name.startswith(PROGRAMS) and not re.search("/(tests|bench)/", name):
        if re.search(r"^int main\(", text, re.M) and not any(c in text for c in CLASSIC):
            yield 1, "a program that does not begin with " + CLASSIC[1]
    if not name.startswith(LIBRARY) or NOT_THE_LIBRARY.search(name):
        return
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        found = OF_A_LOCALE.search(code)
        if found and not ("fstream" in found.group(0) and "ios::binary" in code):
            yield number, "'%s' follows the program's locale: base/text.hpp, to_chars and from_chars do not" % (
                found.group(0))


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
            if path.suffix in (".cpp", ".hpp", ".h", ".c"):
                problems = [*problems, *locales_of(str(path.relative_to(root)), path.read_text(errors="replace"))]
            if path.name not in WITHOUT_WORDS:
                words = old_words_of(str(path.relative_to(root)), path.read_text(errors="replace"))
                problems = [*problems, *words]
            for line, problem in problems:
                print("%s:%d: %s" % (path.relative_to(root), line, problem))
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
