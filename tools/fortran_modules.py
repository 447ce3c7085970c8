# SPDX-License-Identifier: BSD-3-Clause
"""Reads what `use nearfar` makes public: types with their procedures, procedures by themselves, and their comments."""

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "bindings/fortran"
HEAD = re.compile(r"^ *(?:(?:pure|elemental|recursive|[\w*()]+) )*?(subroutine|function) (\w+) *\(([^)]*)\)(.*)$", re.M)
BINDING = re.compile(r" *(?:procedure|generic)(?:\((\w+)\), deferred)? :: (\w+)(?: => ([\w, ]+?))? *(?:!!(.*))?$")
TYPE = re.compile(r"^  type(?:, [\w()]+)* :: (\w+)\n(.*?)^  end type \1$", re.M | re.S)


@dataclass
class Procedure:
    """One that programs call, with the arguments and the comment of what stands behind the name."""

    name: str
    heads: list  # as declared: of a generic name one for each specific procedure with other arguments
    comment: str


@dataclass
class Type:
    name: str
    comment: str
    components: list  # of (declaration, comment)
    procedures: list = field(default_factory=list)


def words_before(text, at):
    """The !> comment that ends right before this place."""
    lines = text[:at].rstrip("\n").split("\n") if at else []
    found = []
    while lines and re.match(r" *!>", lines[-1]):
        found.insert(0, re.sub(r"^ *!> ?", "", lines.pop()))
    return "\n".join(found)


def sentence(words):
    """A comment behind a line, as it would stand by itself."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "…")) or not words else ".")


def merged(procedures):
    """With one entry for a generic name that several statements give procedures to."""
    found = {}
    for p in procedures:
        if p.name in found:
            first = found[p.name]
            first.heads += [h for h in p.heads if h not in first.heads]
            first.comment = "\n\n".join(dict.fromkeys(c for c in (first.comment, p.comment) if c))
        else:
            found[p.name] = p
    return list(found.values())


class Module:
    """A source with what it includes put in, and continuation lines joined."""

    def __init__(self, path):
        self.name = path.stem
        included = re.sub(
            r"^ *include '(.*)'", lambda m: (FOLDER / m[1]).read_text(), path.read_text(), flags=re.M
        )
        self.text = re.sub(r" *&\n *&?", " ", included)
        self.comment = "\n".join(re.findall(r"\A(?:!.*\n)+", included)).replace("! ", "").replace("!\n", "\n")
        self.comment = self.comment.split("\n", 1)[1].strip() if self.comment else ""
        self.heads = {m[2].lower(): m for m in HEAD.finditer(self.text)}
        self.types = {m[1]: m for m in TYPE.finditer(self.text)}

    def head_of(self, name):
        """(head without the passed object, comment) of a procedure of this module."""
        match = self.heads.get(name.lower())
        if not match:
            return None, ""
        arguments = ", ".join(a.strip() for a in match[3].split(",") if a.strip() not in ("self", "outcome", ""))
        return f"({arguments})", words_before(self.text, match.start())

    def procedure(self, name, specifics, after=""):
        found = [self.head_of(s) for s in specifics]
        heads = list(dict.fromkeys(head for head, _ in found if head is not None))
        comments = dict.fromkeys(c for c in [*(comment for _, comment in found), sentence(after)] if c)
        return Procedure(name, heads or ["()"], "\n\n".join(comments))

    def type(self, name):
        match = self.types[name]
        components, found = [], Type(name, words_before(self.text, match.start()), [])
        own, _, bound = match[2].partition("\n  contains\n") if "  contains\n" in match[2] else (match[2], "", "")
        if match[2].startswith("  contains\n"):
            own, bound = "", match[2].split("\n", 1)[1]
        for line in own.split("\n"):
            if "::" in line and "private" not in line:
                declaration, _, after = line.partition("!!")
                components.append((declaration.strip(), after.strip()))
        found.components = components
        lines = bound.split("\n")
        for i, line in enumerate(lines):
            declared = BINDING.match(line)
            if declared:
                before = words_before("\n".join(lines[:i]) + "\n", len("\n".join(lines[:i])) + 1)
                specifics = (declared[3] or declared[1] or declared[2]).replace(" ", "").split(",")
                after = "\n".join(c for c in (before, (declared[4] or "").strip()) if c)
                found.procedures.append(self.procedure(declared[2], specifics, after))
        found.procedures = merged(found.procedures)
        return found

    def free(self, public, name):
        """A procedure that is no type's: its own, or the interface of that name."""
        interface = re.search(rf"^  interface {name}\n(.*?)^  end interface", self.text, re.M | re.S)
        if not interface:
            return self.procedure(public, [name])
        specifics = re.findall(r"\w+", re.sub(r"\bprocedure\b", "", interface[1]))
        return self.procedure(public, specifics, words_before(self.text, interface.start()))


def public_constants():
    """(name, value, comment) of the constants that `use nearfar` brings along."""
    top = re.sub(r" *&\n *", " ", (FOLDER / "nearfar.f90").read_text())
    names = re.search(r"^  use nearfar_constants, only: (.*)$", top, re.M)[1].replace(" ", "").split(",")
    text = (FOLDER / "generated/nearfar_constants.f90").read_text()
    for name in names:
        match = re.search(rf"^  \w+\(\w+\), parameter :: {name} = (\S+)$", text, re.M)
        group = re.search(r"^(?: *!>.*\n)+", text[: match.start()].rsplit("\n\n", 1)[-1], re.M)
        of_group = words_before(group[0], len(group[0])) if group else ""
        yield name, match[1].partition("_c_")[0], words_before(text, match.start()) or of_group


def public_modules():
    """For each module of the interface: (Module, its public Types, its public Procedures)."""
    top = re.sub(r" *&\n *", " ", (FOLDER / "nearfar.f90").read_text())
    for module, names in re.findall(r"^  use (nearfar_\w+), only: (.*)$", top, re.M):
        if module in ("nearfar_constants", "nearfar_c"):
            continue
        read = Module(FOLDER / f"{module}.f90")
        types, procedures = [], []
        for entry in names.split(","):
            public, _, name = (part.strip() for part in entry.partition("=>"))
            name = name or public
            if name in read.types:
                types.append(read.type(name))
            elif name in read.heads or re.search(rf"^  interface {name}$", read.text, re.M):
                procedures.append(read.free(public, name))
        yield read, types, procedures
