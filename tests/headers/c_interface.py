#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the C interface with the recorded one: functions' signatures, enumerators' values, members' places.

    c_interface.py LIST [--update]

What programs were compiled with must go on to mean the same (docs/interface.md): a member that moves, a number that
changes or an argument more breaks them, though all names are there. Reads the headers as tools/bindings.py does; places
are those of 64-bit machines.
"""

import argparse
import difflib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import c_headers  # noqa: E402

import bindings  # noqa: E402


def spelled(v):
    """A parameter's, member's or result's type."""
    const = "const " if v.is_const else ""
    form = "(*)[2]" if v.is_pairs else "*" * v.stars + "".join(f"[{n}]" for n in v.lengths)
    return "function*" if v.is_function else f"{const}{v.base}{form}"


def lines_of(d, module):
    if isinstance(d, c_headers.Constant):
        yield f"{d.name} = {d.value}"
    elif isinstance(d, c_headers.Enum):
        yield from (f"{d.name}: {name} = {number}" for name, number, _ in d.values)
    elif isinstance(d, c_headers.Struct):
        at = 0
        for member in d.members:
            size, align = module.bytes_of(member)
            at = -(-at // align) * align
            yield f"{d.name}.{member.name} at {at}: {spelled(member)}"
            at += size
        yield f"{d.name}: {module.size_of(d)[0]} bytes"
    else:
        yield f"{spelled(d.result)} {d.name}({', '.join(spelled(p) for p in d.parameters)})"


def interface():
    """A line per fact, in the order of the headers."""
    headers = bindings.HEADERS[:-1]  # without what the Fortran interface alone has
    module = bindings.Module([d for header in headers for d in c_headers.declarations(header)])
    return [line for h in headers for d in c_headers.declarations(h, are_foreign=True) for line in lines_of(d, module)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    found = interface()
    if options.update:
        options.list.write_text("".join(line + "\n" for line in found))
        return 0
    changes = list(difflib.unified_diff(options.list.read_text().splitlines(), found, "recorded", "headers", n=0))
    for line in changes:
        print(line)
    if changes:
        print(f"c_interface: the C interface has changed; if that is meant: {sys.argv[0]} {options.list} --update")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
