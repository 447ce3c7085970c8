#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks who includes whom: modules see only what they declare, users see only public headers.

    check_layers.py [ROOT]      ROOT: the top of the source tree (default: the one this file is in)

The compiler enforces most of this already, because a module's include path holds only what it declares.  This
check also reads the declarations themselves, names the rule that was broken, and sees the code that this
machine's options do not compile.
"""

import re
import sys
from pathlib import Path

# A module may use modules of lower levels, and those of its own level that are named here.
LEVELS = {
    "base": 0,
    "hdf5": 0,
    "loader": 0,
    "topology": 1,
    "near": 1,
    "far": 1,
    "reduction": 1,
    "device": 1,
    "fourier": 1,
    "tune": 2,
    "exchange": 2,
    "halo": 3,
    "transpose": 3,
    "fused": 3,
    "fft": 3,
    "irregular": 3,
    "collective": 3,
    "threads": 3,
    "output": 3,
    "capi": 4,
    "model": 4,
}
SAME_LEVEL = {
    ("near", "topology"),
    ("far", "topology"),
    ("reduction", "topology"),
    ("fourier", "device"),
    ("exchange", "tune"),
    ("fused", "transpose"),
    ("fft", "transpose"),
    ("fft", "fused"),
    ("threads", "collective"),
}
# Headers of other projects that only these places may include.
CONFINED = {"hwloc.h": {"topology"}, "nlohmann": {"tune", "output"}, "cuda": {"device"}, "hdf5.h": {"hdf5", "output"}}
# Modules of headers alone, about libraries of others: programs of ours may link what carries them.
LENT = {"hdf5", "loader"}
PUBLIC_MPI = {"mpi.hpp", "nearfar.h"}
PUBLIC_LINES = 250
SOURCES = {".cpp", ".hpp", ".c", ".h", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def declared(root):
    """{module: (modules it uses, whether it may use MPI)} as src/CMakeLists.txt says."""
    text = re.sub(r"#.*", "", (root / "src/CMakeLists.txt").read_text())
    modules = {}
    for body in re.findall(r"nearfar_module\(([^)]*)\)", text):
        name, *words = body.split()
        uses = []
        if "USES" in words:
            for word in words[words.index("USES") + 1 :]:
                if word.isupper() or word.startswith("$"):
                    break
                uses.append(word)
        modules[name] = (uses, "NO_MPI" not in words)
    return modules


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES) if folder.is_dir() else []


def includes(path):
    text = path.read_text(errors="replace")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.modules = declared(root)

    def complain(self, path, line, text):
        self.problems.append("%s:%d: %s" % (path.relative_to(self.root), line, text))

    def check_declarations(self):
        where = self.root / "src/CMakeLists.txt"
        for name, (uses, _) in self.modules.items():
            if name not in LEVELS:
                self.complain(where, 1, "module '%s' has no level (add it to %s)" % (name, Path(__file__).name))
                continue
            for used in uses:
                if used not in self.modules:
                    self.complain(where, 1, "module '%s' uses '%s', which does not exist" % (name, used))
                elif LEVELS[used] >= LEVELS[name] and (name, used) not in SAME_LEVEL:
                    self.complain(where, 1, "module '%s' may not use '%s', which is not below it" % (name, used))
        for folder in sorted(p for p in (self.root / "src").iterdir() if p.is_dir()):
            if folder.name not in self.modules:
                self.complain(folder, 1, "not declared as a module in src/CMakeLists.txt")

    def is_reached_fairly(self, path, module, header):
        """A module may name its own files by relative paths; nobody goes round the include path."""
        if header.startswith(".."):
            return (path.parent / header).resolve().is_relative_to(self.root / "src" / module)
        return "/api/" not in header and not header.startswith("src/")

    def check_modules(self):
        for name, (uses, mpi) in self.modules.items():
            for path in sources(self.root / "src" / name):
                for line, header in includes(path):
                    first = header.split("/")[0]
                    if first in self.modules and "/" in header and first not in uses + [name]:
                        self.complain(
                            path, line, "module '%s' includes <%s> but does not declare USES %s" % (name, header, first)
                        )
                    if not mpi and header in ("mpi.h", "nearfar/mpi.hpp"):
                        self.complain(path, line, "module '%s' is declared NO_MPI but includes <%s>" % (name, header))
                    if header == "mpi.h":
                        self.complain(path, line, "<mpi.h> is included through <nearfar/mpi.hpp> only")
                    if not self.is_reached_fairly(path, name, header):
                        self.complain(path, line, "'%s' goes round the include path" % header)
                    for prefix, allowed in CONFINED.items():
                        if first == prefix and name not in allowed:
                            self.complain(
                                path, line, "<%s> is for module %s only" % (header, ", ".join(sorted(allowed)))
                            )

    def check_public(self):
        for path in sources(self.root / "include/nearfar"):
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.S)
            count = sum(1 for line in code.splitlines() if line.strip())
            if count > PUBLIC_LINES:
                self.complain(path, count, "a public header has at most %d lines of code" % PUBLIC_LINES)
            for line, header in includes(path):
                if header == "mpi.h":
                    if path.name not in PUBLIC_MPI:
                        self.complain(path, line, "<mpi.h> is included through <nearfar/mpi.hpp> only")
                elif not (
                    header.startswith("nearfar/")
                    or "/" not in header
                    and (not header.endswith((".h", ".hpp")) or header in ("stdint.h", "stddef.h", "stdbool.h"))
                ):
                    self.complain(path, line, "a public header includes the standard library, MPI and Nearfar only")

    def check_users(self):
        for folder in ("apps", "examples", "bindings"):
            for path in sources(self.root / folder):
                own = self.root / folder / path.relative_to(self.root / folder).parts[0] / "src"
                for line, header in includes(path):
                    if (own / header).is_file() or header.split("/")[0] in LENT:
                        continue
                    if header.split("/")[0] in self.modules and "/" in header or "src/" in header:
                        self.complain(path, line, "%s use the installed interface only, not <%s>" % (folder, header))

    def check_peers(self):
        """Libraries under the names of others stand on what every program can use: C's headers, the module nearfar."""
        for path in sources(self.root / "bindings/gslib"):
            for line, header in includes(path):
                if re.match(r"nearfar/.*\.hpp$", header):
                    self.complain(path, line, "stands on the C interface only, not <%s>" % header)
        for path in sorted((self.root / "bindings/decomp2d").glob("*.[fF]90")):
            for number, text in enumerate(path.read_text().splitlines(), 1):
                module = re.match(r"\s*use\s+(nearfar_\w+)", text, re.I)
                if module:
                    self.complain(path, number, "stands on the module nearfar only, not %s" % module.group(1))

    def run(self):
        self.check_declarations()
        self.check_modules()
        self.check_public()
        self.check_users()
        self.check_peers()
        return self.problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    problems = Checker(root.resolve()).run()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
