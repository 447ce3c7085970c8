# SPDX-License-Identifier: BSD-3-Clause
"""Reads C headers as they are in include/nearfar: enums, structs, functions and their comments."""

import re
from dataclasses import dataclass, field

SCALARS = {  # C type: Fortran type, kind, bytes
    "int": ("integer", "c_int", 4),
    "nearfar_status": ("integer", "c_int", 4),
    "MPI_Fint": ("integer", "c_int", 4),
    "int32_t": ("integer", "c_int32_t", 4),
    "int64_t": ("integer", "c_int64_t", 8),
    "size_t": ("integer", "c_size_t", 8),
    "float": ("real", "c_float", 4),
    "double": ("real", "c_double", 8),
    "char": ("character", "kind=c_char", 1),
}
# Types that Fortran does not have: functions with them have another form, with an MPI_Fint or by descriptors.
FOREIGN = {"MPI_Comm", "MPI_Datatype", "MPI_Op", "nearfar_side", "nearfar_call"}


@dataclass
class Variable:
    """A parameter of a function or a member of a struct."""

    name: str
    base: str  # the type without const and stars
    stars: int = 0
    is_const: bool = False  # what it points to
    lengths: list = field(default_factory=list)  # of an array
    is_pairs: bool = False  # T (*name)[2]
    is_function: bool = False
    comment: str = ""


@dataclass
class Function:
    name: str
    result: Variable
    parameters: list
    comment: str = ""


@dataclass
class Struct:
    name: str
    members: list
    comment: str = ""


@dataclass
class Enum:
    name: str
    values: list  # of (name, number, comment)
    comment: str = ""


@dataclass
class Constant:
    name: str
    value: str
    comment: str = ""


CONSTANT = re.compile(
    r"^(?:/\*\*((?:[^*]|\*(?!/))*)\*/\n)?#define (NEARFAR_\w+) \(?(-?[\d.]+)\)?[ ]*(?:/\*\*<(.*)\*/)?$", re.M
)
PIECE = re.compile(
    r"/\*\*<(?P<after>.*?)\*/|/\*\*(?P<before>.*?)\*/|/\*.*?\*/|(?P<end>;)|(?P<brace>[{}])|(?P<text>[^/;{}]+|/)", re.S
)


def plain(comment):
    """The words of a comment without its stars and line breaks."""
    return " ".join(re.sub(r"^\s*\*", "", line).strip() for line in comment.split("\n")).strip()


def statements(text):
    """[statement with comments inside it, comment before it, comment after it] for all between semicolons."""
    found, so_far, before, depth = [], "", "", 0
    for piece in PIECE.finditer(text):
        if piece["brace"]:
            depth += 1 if piece["brace"] == "{" else -1
        if depth == 0 and piece["end"]:
            found.append([so_far.strip(), before, ""])
            so_far, before = "", ""
        elif depth == 0 and piece["after"] is not None:
            if so_far.strip():
                before = plain(piece["after"])
            else:
                found[-1][2] = plain(piece["after"])
        elif depth == 0 and piece["before"] is not None:
            before = plain(piece["before"])
        elif piece["text"] or depth > 0 or piece["brace"]:
            so_far += piece[0]
    return found


def variable(text, comment=""):
    """`const int64_t* const* tile_extents` and its like."""
    text = " ".join(text.split())
    if match := re.fullmatch(r"(const )?(\w+) \(\*(\w+)\)\[2\]", text):
        return Variable(match[3], match[2], 1, bool(match[1]), is_pairs=True, comment=comment)
    if match := re.match(r"\w+ \(\*(\w+)\)\(", text):
        return Variable(match[1], "", is_function=True, comment=comment)
    match = re.fullmatch(r"(const )?(?:struct )?(\w+)((?:\s*\*(?:\s*const)?)*)\s*(\w+)((?:\[\w+\])*)", text)
    if not match:
        raise SystemExit(f"bindings: cannot read the declaration '{text}'")
    return Variable(
        match[4], match[2], match[3].count("*"), bool(match[1]), re.findall(r"\[(\w+)\]", match[5]), comment=comment
    )


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def enum_of(name, body, comment):
    values, number = [], -1
    for match in re.finditer(r"(\w+)(?:\s*=\s*(-?\d+))?\s*,?\s*(?:/\*\*<(.*?)\*/)?\s*,?", body, re.S):
        number = int(match[2]) if match[2] else number + 1
        values.append((match[1], number, plain(match[3] or "")))
    return Enum(name, values, comment)


def struct_of(name, body, comment):
    members = []
    for text, before, after in statements(body):
        declaration = without_comments(text).strip()
        if re.match(r"\w+ \(\*\w+\)\(", declaration) or "(*" in declaration:
            members.append(variable(declaration, before or after))
            continue
        first, *others = declaration.split(",")
        members.append(variable(first, before or after))
        for other in others:  # `int64_t lower[4], upper[4]`, `const char *key, *value`
            stars = other.count("*")
            kind = ("const " if members[-1].is_const else "") + members[-1].base
            members.append(variable(f"{kind} {'*' * stars}{other.replace('*', '').strip()}"))
    return Struct(name, members, comment)


def function_of(text, comment):
    match = re.fullmatch(r"(.*?)(\w+)\((.*)\)", " ".join(without_comments(text).split()), re.S)
    parts = re.split(r",(?![^()]*\))", match[3])
    parameters = [] if match[3].strip() in ("", "void") else [variable(part.strip()) for part in parts]
    return Function(match[2], variable(match[1].strip() + " result"), parameters, comment)


def declarations(header, are_foreign=False):
    """All that the header declares, in its order; what Fortran cannot have only if `are_foreign`."""
    text = header.read_text()
    for before, name, value, after in CONSTANT.findall(text):
        yield Constant(name, value, plain(before or after))
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r'extern "C" \{', "", text)
    for statement, before, after in statements(text):
        statement = statement.replace("NEARFAR_API", "").strip()
        comment = " ".join(c for c in (before, after) if c)
        if match := re.match(r"typedef (enum|struct) (\w+) \{(.*)\} \w+$", statement, re.S):
            found = (enum_of if match[1] == "enum" else struct_of)(match[2], match[3], comment)
            if isinstance(found, Enum) or not any(member.base in FOREIGN for member in found.members):
                if found.name not in FOREIGN:
                    yield found
        elif statement and not statement.startswith("typedef"):
            found = function_of(statement, comment)
            if are_foreign or not any(v.base in FOREIGN for v in found.parameters):
                yield found
