#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the parts of the C and Fortran interfaces that say nothing of their own:  tools/bindings.py [check]

The C headers are the description. include/nearfar/*.h and bindings/fortran/descriptors.h become the modules nearfar_c,
a bind(C) interface of each function and a derived type of each struct, and nearfar_constants, with their comments;
nearfar_words and bindings/python/nearfar/_words.py have the words that options take, which are the enumerators'. Each
*.template in bindings/* and src/capi becomes a file with what its text comes to for each kind and rank, each front or
each object; its first lines say which (see `Template`). `check` changes nothing, and fails where a file is not what
would be written.
"""

import re
import sys
import textwrap
from pathlib import Path

from c_headers import SCALARS, Constant, Enum, Function, Struct, declarations
from fortran_text import commented, wrapped, written_by
from option_words import words_for_fortran, words_for_python

ROOT = Path(__file__).resolve().parent.parent
FORTRAN = ROOT / "bindings/fortran"
PYTHON = ROOT / "bindings/python/nearfar"
HEADERS = [
    ROOT / "include/nearfar" / f"{name}.h"
    for name in (
        "nearfar",
        "halo",
        "collective",
        "irregular",
        "transpose",
        "fft",
        "output",
        "output_reader",
        "reproducible",
        "thread_team",
    )
]
HEADERS.append(FORTRAN / "descriptors.h")

# ---- Fortran, as gfortran and people read it ----


class Module:
    """The module of all that is declared."""

    def __init__(self, found):
        self.structs = {d.name: d for d in found if isinstance(d, Struct)}
        self.enums = {d.name for d in found if isinstance(d, Enum)}
        self.found = found

    def bytes_of(self, v):
        """Size and alignment of a member, as all 64-bit machines have them."""
        if v.stars or v.is_function:
            size = align = 8
        elif v.base in self.structs:
            size, align = self.size_of(self.structs[v.base])
        else:
            size = align = 4 if v.base in self.enums else SCALARS[v.base][2]
        for length in v.lengths:
            size *= int(self.number(length))
        return size, align

    def size_of(self, struct):
        at, most = 0, 1
        for member in struct.members:
            size, align = self.bytes_of(member)
            at, most = -(-at // align) * align + size, max(most, align)
        return -(-at // most) * most, most

    def number(self, length):
        return (
            length
            if length.isdigit()
            else next(c.value for c in self.found if isinstance(c, Constant) and c.name == length)
        )

    def type_of(self, v):
        if v.base in self.structs:
            return f"type(c_{v.base.removeprefix('nearfar_')})"
        if v.base in self.enums:
            return "integer(c_int)"
        return "{}({})".format(*SCALARS[v.base][:2])

    def member(self, struct, v):
        lengths = f"({', '.join(v.lengths).lower()})" if v.lengths else ""
        if v.is_function:
            kind, default = "type(c_funptr)", "c_null_funptr"
        elif v.stars:
            kind, default = "type(c_ptr)", "c_null_ptr"
        else:
            kind = self.type_of(v)
            default = {"i": "0", "r": "0", "c": "c_null_char", "t": ""}[kind[0]]
            if v.name == "size" and v.base == "size_t":
                default = str(self.size_of(struct)[0])
        return f"    {kind} :: {v.name}{lengths}" + (f" = {default}" if default else "")

    def parameter(self, v, is_pure):
        """How Fortran passes what C takes: absent optional arguments are NULL."""
        plural = (
            v.name.endswith("s")
            and not v.name.endswith(("options", "_bytes"))
            or v.name in ("owned", "process_grid", "periodic", "memory_order", "lower", "upper")
        )
        intent = "in" if v.is_const else "inout"
        if v.base == "CFI_cdesc_t":
            return f"type(*), dimension(..), intent({intent}), target, optional", v.name
        if v.is_pairs:
            return f"{self.type_of(v)}, intent({intent}), optional", f"{v.name}(2, *)"
        if v.stars == 0 and not v.lengths:
            return f"{self.type_of(v)}, value" + (", intent(in)" if is_pure else ""), v.name
        known = v.base in self.structs or v.base in self.enums or v.base in SCALARS
        if v.stars == 1 and not known:  # opaque objects and void
            return "type(c_ptr), value" + (", intent(in)" if is_pure else ""), v.name
        if v.stars == 2 or v.stars == 1 and not known:
            return (
                ("type(c_ptr), intent(in), optional", f"{v.name}(*)")
                if v.is_const or plural
                else ("type(c_ptr), intent(inout)", v.name)
            )
        if v.base == "char":
            return f"{self.type_of(v)}, intent({intent})", f"{v.name}(*)"
        is_list = bool(v.lengths) or plural or v.is_const and v.base in SCALARS
        optional = ", optional" if v.is_const or is_list else ""
        return f"{self.type_of(v)}, intent({intent}){optional}", v.name + ("(*)" if is_list else "")

    def function(self, f):
        returns = None
        if f.result.stars:
            returns = "type(c_ptr)"
        elif f.result.base != "void":
            returns = self.type_of(f.result)
        is_pure = (
            bool(returns)
            and f.result.stars == 0
            and f.result.base != "nearfar_status"
            and all(v.is_const or v.stars == 0 for v in f.parameters)
            and bool(f.parameters)
        )
        word = "function" if returns else "subroutine"
        head = ("pure " if is_pure else "") + f"{word} {f.name}({', '.join(v.name for v in f.parameters)}) bind(C)"
        lines = commented(f.comment, "    ") + wrapped("    " + head + (" result(outcome)" if returns else ""))
        lines.append("      import")
        for v in f.parameters:
            lines += wrapped("      {} :: {}".format(*self.parameter(v, is_pure)))
        if returns:
            lines.append(f"      {returns} :: outcome")
        return lines + [f"    end {word} {f.name}", ""]

    def files(self):
        constants, types, functions = [], [], []
        for d in self.found:
            if isinstance(d, Constant):
                kind = "real(c_double)" if "." in d.value else "integer(c_int)"
                suffix = "_c_double" if "." in d.value else ""
                constants += commented(d.comment, "  ")
                constants.append(f"  {kind}, parameter :: {d.name.lower()} = {d.value}{suffix}")
            elif isinstance(d, Enum):
                constants += [""] + commented(d.comment, "  ")
                for name, number, comment in d.values:
                    constants += commented(comment, "  ")
                    constants.append(f"  integer(c_int), parameter :: {name.lower()} = {number}")
            elif isinstance(d, Struct):
                name = "c_" + d.name.removeprefix("nearfar_")
                types += commented(d.comment, "  ") + [f"  type, bind(C) :: {name}"]
                for v in d.members:
                    types += commented(v.comment, "    ") + [self.member(d, v)]
                types += [f"  end type {name}", ""]
            else:
                functions += self.function(d)
        head = [
            written_by("include/nearfar and bindings/fortran/descriptors.h"),
            "! SPDX-License-Identifier: BSD-3-Clause",
        ]
        return {
            "nearfar_constants.f90": "\n".join(
                [
                    *head,
                    "! The enumerators and limits of the C interface, under their own names.",
                    "module nearfar_constants",
                    "  use, intrinsic :: iso_c_binding, only: c_double, c_int",
                    "  implicit none (type, external)",
                    "  private :: c_double, c_int",
                    "  public",
                    "",
                    *constants,
                    "end module nearfar_constants",
                    "",
                ]
            ),
            "nearfar_c.f90": "\n".join(
                [
                    *head,
                    "! The C interface, for the modules of the Fortran interface: functions under their C names,",
                    "! structs as c_NAME. Optional arguments are NULL in C where they are absent.",
                    "module nearfar_c",
                    "  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int32_t, &",
                    "    c_int64_t, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t",
                    "  use nearfar_constants, only: nearfar_max_dimensions",
                    "  implicit none (type, external)",
                    "  private :: c_char, c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_null_char, &",
                    "    c_null_funptr, c_null_ptr, c_ptr, c_size_t, nearfar_max_dimensions",
                    "  public",
                    "",
                    *types,
                    "  interface",
                    *functions[:-1],
                    "  end interface",
                    "end module nearfar_c",
                    "",
                ]
            ),
        }


# ---- Texts for each kind and rank, each front, each call ----

KINDS = {
    "int8": "integer(int8)",
    "int16": "integer(int16)",
    "int32": "integer(int32)",
    "int64": "integer(int64)",
    "real32": "real(real32)",
    "real64": "real(real64)",
    "cplx32": "complex(real32)",
    "cplx64": "complex(real64)",
    "complex32": "complex(real32)",
    "complex64": "complex(real64)",
    "integer": "integer",
    "logical": "logical",
}


class Template:
    """A file whose text is repeated, in Fortran or C++. Its lines that begin with !@ or //@ are instructions:

      !@ for NAME: VALUE …      repeats the text for each value, in all combinations where there are several NAMEs;
                                <NAME> is the value. NAME,OTHER: VALUE,VALUE … are values that go together
      !@ generic NAME: SPECIFIC the generic name of the procedures SPECIFIC, in a file of the type's bindings,
                                TEMPLATE_bindings.inc
      !@ says TEXT              the comment of the generic name before it; several are one comment
      !@ into NAME              the file that is written, in generated/; with <NAME> in it one file per value

    In the text, <type> is the Fortran type of <kind>, <colons> is `:,:` for <rank> 2, and <list first(#):> is
    `first(1):, first(2):` there. Lines before the first empty line are written once, at the top.
    """

    def __init__(self, path):
        lines = path.read_text().splitlines()
        self.path, self.loops, self.generics, self.says, self.into = path, {}, {}, {}, path.stem + ".inc"
        orders = [line for line in lines if line.startswith(("!@", "//@"))]
        self.is_fortran = orders[0].startswith("!")
        for line in orders:
            word, _, rest = line.partition("@")[2].strip().partition(" ")
            name, _, values = rest.partition(":")
            if word == "for":
                self.loops.setdefault(name, []).extend(values.split())
            elif word == "generic":
                self.generics[name] = values.strip()
            elif word == "says":
                last = list(self.generics)[-1]
                self.says[last] = f"{self.says.get(last, '')} {rest}".strip()
            else:
                self.into = rest
        text = [line for line in lines if line not in orders]
        self.top, self.body = text[: text.index("")], text[text.index("") + 1 :]

    def combinations(self):
        found = [{}]
        for name, values in self.loops.items():
            names = name.split(",")
            found = [{**c, **dict(zip(names, v.split(","), strict=True))} for c in found for v in values]
        return found

    @staticmethod
    def filled(text, names):
        names = dict(names)
        if "kind" in names:
            names["type"] = KINDS[names["kind"]]
        if "rank" in names:
            rank = int(names["rank"])
            names["colons"] = ",".join([":"] * rank)
            text = re.sub(
                r"<list ([^<>]*)>", lambda m: ", ".join(m[1].replace("#", str(d + 1)) for d in range(rank)), text
            )
        return re.sub(r"<(\w+)>", lambda m: names.get(m[1], m[0]), text)

    def files(self):
        folder = self.path.parent / "generated"
        written = {}
        for names in self.combinations():
            text = [line for line in self.filled("\n".join(self.body), names).split("\n")]
            is_kept = [not self.is_fortran or "!" in line for line in text]
            lines = [part for line, whole in zip(text, is_kept) for part in ([line] if whole else wrapped(line))]
            written.setdefault(folder / self.filled(self.into, names), []).append("\n".join(lines).strip("\n"))
        source = self.path.relative_to(ROOT)
        by = "  " + written_by(source) if self.is_fortran else written_by(source, "//")
        for name, texts in written.items():
            written[name] = "\n".join([by, *self.top, ""]) + "\n" + "\n\n".join(texts) + "\n"
        lines = ["    " + written_by(source)]
        for generic, specific in self.generics.items():
            all_names = ", ".join(self.filled(specific, names) for names in self.combinations())
            lines += wrapped(f"    procedure, private :: {all_names}")
            lines += commented(self.says.get(generic, ""), "    ") + wrapped(f"    generic :: {generic} => {all_names}")
        if self.generics:
            written[folder / f"{self.path.stem}_bindings.inc"] = "\n".join([*lines, ""])
        return written


# ---- Collective calls ----

IN_PLACE = {
    "reduce",
    "allreduce",
    "scan",
    "exscan",
    "reduce_scatter",
    "reduce_scatter_block",
    "allgather",
    "allgatherv",
    "alltoall",
}
DECLARED = {
    "root": "integer, intent(in)",
    "op": "character(*), intent(in), optional",
    "mpi_op": "integer, intent(in), optional",
    "counts": "integer, intent(in)",
    "displs": "integer, intent(in), optional",
}
OPTIONS = ("plan", "name", "method", "without", "budget_s", "stat", "errmsg")


def collective_call(f):
    """The subroutine for a call of collective.h: what MPI's arguments say, but for what arrays know."""
    kind = f.name.removeprefix("nearfar_")
    named = [v.name for v in f.parameters]
    arrays = ["array"] if kind == "bcast" else ["in", "out"]
    counts = [n for n in named if n.endswith("counts") and n != "scale"]
    rest = [n for n in ("op",) if n in named] + counts + [n for n in ("root",) if n in named]
    rest += [n for n in named if n.endswith("displs")] + (["mpi_op"] if "op" in named else [])
    side = "send_" if kind == "scatterv" else "receive_"
    told = [f"{n if '_' in n or n in ('op', 'root') else side + n}={n}" for n in rest] + [f"{n}={n}" for n in OPTIONS]
    comment = re.sub(r" ?[^.]*MPI_IN_PLACE[^.]*\\.", "", f.comment)
    lines = commented(comment, "  ") + wrapped(
        f"  subroutine {f.name}({', '.join(['team'] + arrays + rest + list(OPTIONS))})"
    )
    lines.append("    type(nearfar_team), intent(in) :: team")
    for array in arrays:
        lines.append(
            f"    type(*), target{', optional' if array == 'out' and kind in IN_PLACE else ''} :: {array}(..)"
        )
    for n in rest:
        declared = DECLARED[n.removeprefix("send_").removeprefix("receive_")]
        lines.append(f"    {declared} :: {n}" + ("(:)" if n.endswith(("counts", "displs")) else ""))
    lines.append("    include 'call_options.inc'")
    told = [f"nearfar_call_{kind}", f"'{kind}'", "team"] + arrays + told
    return lines + wrapped(f"    call carry_out({', '.join(told)})") + [f"  end subroutine {f.name}"]


def collective_calls():
    header = ROOT / "include/nearfar/collective.h"
    calls = [
        f
        for f in declarations(header, are_foreign=True)
        if isinstance(f, Function)
        and f.parameters[0].name == "team"
        and any(v.base == "MPI_Datatype" for v in f.parameters)
        and "plan" not in f.name
        and "alltoallw" not in f.name
    ]
    top = [
        "  " + written_by("include/nearfar/collective.h"),
        "  ! SPDX-License-Identifier: BSD-3-Clause",
        "  ! The collective calls: nearfar_collectives says what holds for all of them.",
    ]
    return "\n".join(top + [line for f in calls for line in ["", *collective_call(f)]] + [""])


# ---- Sizes of 32 bits ----


def narrow_procedures(module):
    """Of each subroutine NAME_64 of a module the one of default integers, NAME_32, which calls it; None without any."""
    pattern = r"  subroutine (\w+)_64\((.*?)\)\n(.*?)  end subroutine \1_64\n"
    texts = []
    for name, arguments, body in re.findall(pattern, module.read_text(), re.S):
        arguments = re.findall(r"\w+", arguments)
        lines, wide = [], set()
        for declaration in (line for line in body.splitlines() if "intent(" in line or "dimension(..)" in line):
            if "integer(int64), intent(in) ::" in declaration:
                wide |= set(re.findall(r"\w+", declaration.partition("::")[2]))
            lines.append(declaration.replace("integer(int64), intent(in) ::", "integer(int32), intent(in) ::"))
        passed = ", ".join(f"int({a}, int64)" if a in wide else a for a in arguments)
        head = wrapped(f"  subroutine {name}_32({', '.join(arguments)})")
        texts.append([*head, *lines, *wrapped(f"    call {name}_64({passed})"), f"  end subroutine {name}_32"])
    top = [
        "  " + written_by(module.relative_to(ROOT)),
        "  ! SPDX-License-Identifier: BSD-3-Clause",
        "  ! The same with sizes of 32 bits.",
    ]
    return "\n".join(top + [line for text in texts for line in ["", *text]] + [""]) if texts else None


def all_files():
    found = [d for header in HEADERS for d in declarations(header)]
    files = {FORTRAN / "generated" / name: text for name, text in Module(found).files().items()}
    enums = [d for d in found if isinstance(d, Enum)]
    files[FORTRAN / "generated/nearfar_words.f90"] = words_for_fortran(enums)
    files[PYTHON / "_words.py"] = words_for_python(enums)
    files[FORTRAN / "generated/collective_calls.inc"] = collective_calls()
    for module in sorted(FORTRAN.glob("nearfar_*.f90")):
        if narrow := narrow_procedures(module):
            files[FORTRAN / f"generated/{module.stem.removeprefix('nearfar_')}_32.inc"] = narrow
    for template in sorted([*ROOT.glob("bindings/*/*.template"), *ROOT.glob("src/capi/*.template")]):
        files.update(Template(template).files())
    return files


def main():
    is_check = sys.argv[1:] == ["check"]
    if sys.argv[1:] and not is_check:
        raise SystemExit(__doc__)
    files = all_files()
    folders = {name.parent for name in files if name.parent.name == "generated" and name.parent.exists()}
    strange = {f for folder in folders for f in folder.iterdir()} - set(files)
    stale = [name for name, text in files.items() if not name.exists() or name.read_text() != text]
    for name in sorted(strange | set(stale)) if is_check else []:
        print(f"bindings: {name.relative_to(ROOT)} is not what tools/bindings.py writes: run it")
    if is_check:
        return 1 if strange or stale else 0
    for name in strange:
        name.unlink()
    for name in stale:
        name.parent.mkdir(exist_ok=True)
        name.write_text(files[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
