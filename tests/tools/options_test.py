#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Options, their defaults and the values of enumerations are the same in C++, C, Fortran and Python."""

import ast
import re
import sys
import unittest
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import c_headers  # noqa: E402

import bindings  # noqa: E402
import option_words  # noqa: E402

OF_PLANS = {"name", "method", "without", "budget_s", "type_name"}
PYTHON = ROOT / "bindings/python/nearfar"


@dataclass
class Options:
    """What one struct of C++ says, and where the others say it."""

    name: str  # of the struct, without the ending
    fortran: tuple  # (module, subroutine)
    python: str  # the class
    not_in: dict = field(default_factory=dict)  # language: options that it does not have, or says elsewhere


ALL = [
    Options("team", ("nearfar_teams.f90", "create_team"), "Team"),
    Options("grid", ("nearfar_grids.f90", "create_grid_64"), "Grid"),
    # The type of elements is that of the arrays in Fortran and Python.
    Options(
        "halo",
        ("nearfar_halos.f90", "halo_plan_begin"),
        "HaloPlan",
        {"fortran": {"type_name"}, "python": {"type_name"}},
    ),
    # Fields are the arrays that are given in Python. What C++ calls between trials has no form in the others.
    Options(
        "transpose",
        ("nearfar_transposes.f90", "plan_create"),
        "TransposePlan",
        {"c": {"rewrite"}, "fortran": {"type_name", "rewrite"}, "python": {"type_name", "fields", "rewrite"}},
    ),
    Options(
        "fft",
        ("nearfar_ffts.f90", "plan_create"),
        "FftPlan",
        {
            "fortran": {"type_name"},
            "python": {"type_name", "fields"},
        },
    ),
    Options(
        "irregular",
        ("irregular_indices.template", "create_int<bits>"),
        "IrregularPlan",
        {"fortran": {"type_name"}, "python": {"type_name"}},
    ),
    Options("output_writers", ("nearfar_output_writer_ranks.f90", "writers_create"), "OutputWriters"),
    # Axes are added one by one in Fortran.
    Options("output", ("nearfar_outputs.f90", "stream_create"), "OutputStream", {"fortran": {"axes"}}),
    Options("output_reader", ("nearfar_output_readers.f90", "reader_create"), "OutputReader"),
]


def header_of(struct):
    for header in sorted((ROOT / "include/nearfar").glob("*.hpp")):
        if match := re.search(rf"^struct {struct} \{{\n(.*?)^\}};", header.read_text(), re.M | re.S):
            return match[1]
    raise AssertionError(f"no header of C++ has the struct {struct}")


def plain_default(text):
    """A default in the words of Python: 0, False, 'box', None for what is empty."""
    text = text.strip()
    if text in ("", "{}", "std::nullopt", "nullptr", "NULL"):
        return None
    if match := re.fullmatch(r"[\w:]+::(\w+)", text):
        return match[1]
    return {"true": True, "false": False}.get(text) if text in ("true", "false") else ast.literal_eval(text)


def options_of_cpp(name):
    """{option: default}."""
    found = {}
    for statement in re.sub(r"//.*", "", header_of(f"{name}_options")).split(";"):
        statement = " ".join(statement.split())
        if not statement:
            continue
        declared, _, default = statement.partition(" = ")
        for i, part in enumerate(re.sub(r"<[^;]*>", "", declared).split(",")):
            option = re.search(r"(\w+)(?:\{\})?$", part.strip())[1]
            found[option] = plain_default(default) if i == 0 else None
    return found


def options_of_c(name):
    for header in bindings.HEADERS[:-1]:
        for d in c_headers.declarations(header, are_foreign=True):
            if isinstance(d, c_headers.Struct) and d.name == f"nearfar_{name}_options":
                counted = {m.name for m in d.members if m.name.endswith(("_count", "_counts"))}
                return {m.name for m in d.members} - {"size"} - counted
    raise AssertionError(f"no header of C has nearfar_{name}_options")


def options_of_fortran(module, subroutine):
    """Optional arguments, but for what all subroutines have."""
    text = (ROOT / f"bindings/fortran/{module}").read_text().replace("&\n", "")
    body = re.search(rf"^  subroutine {subroutine}\((.*?)^  end subroutine", text, re.M | re.S)[1]
    found = set()
    for line in body.splitlines():
        if "optional" in line and "::" in line:
            found |= set(re.findall(r"\w+", re.sub(r"\([^)]*\)", "", line.partition("::")[2])))
    return found - {"stat", "errmsg"}


def options_of_python(name):
    """{option: default}: arguments with one."""
    for module in PYTHON.glob("_*.py"):
        for node in ast.parse(module.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                made = next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__").args
                pairs = [*zip(made.kwonlyargs, made.kw_defaults, strict=True)]
                given = made.args[len(made.args) - len(made.defaults) :]
                pairs += zip(given, made.defaults, strict=True)
                return {a.arg: ast.literal_eval(d) for a, d in pairs if d is not None}
    raise AssertionError(f"no module of Python has the class {name}")


# What is no option of C++ but an argument, or the other way round.
ARGUMENTS = {
    "Team": {"comm"},
    "Grid": {"tile"},
    "HaloPlan": {"grid", "ghosts", "fill"},
    "create_int<bits>": {"base"},
    "plan_create": {"out"},
    "FftPlan": {"physical", "spectral", "dtype"},
}


def same_default(cpp, python):
    empty = (None, "", (), 0)
    return cpp == python or (cpp in empty and python in empty)


class OptionsOfAll(unittest.TestCase):
    def test_names(self):
        for o in ALL:
            wanted = set(options_of_cpp(o.name))
            for language, found in (
                ("c", options_of_c(o.name)),
                ("fortran", options_of_fortran(*o.fortran) - ARGUMENTS.get(o.fortran[1], set())),
                ("python", set(options_of_python(o.python)) - ARGUMENTS.get(o.python, set())),
            ):
                with self.subTest(o.name, language=language):
                    self.assertEqual(found, wanted - o.not_in.get(language, set()))

    def test_defaults(self):
        for o in ALL:
            cpp, python = options_of_cpp(o.name), options_of_python(o.python)
            for option in set(cpp) & set(python) - {"name"}:  # of plans: None, and C++ has the front's
                with self.subTest(o.name, option=option):
                    self.assertTrue(
                        same_default(cpp[option], python[option]),
                        f"{cpp[option]!r} in C++, {python[option]!r} in Python",
                    )


def enumerations_of_cpp():
    """{name: enumerators in their order}; none has numbers of its own."""
    found = {}
    for header in sorted((ROOT / "include/nearfar").glob("*.hpp")):
        text = re.sub(r"//.*", "", header.read_text())
        for name, body in re.findall(r"^enum class (\w+)(?: : [\w:]+)? \{(.*?)\}", text, re.M | re.S):
            found[name] = [part.strip() for part in body.split(",") if part.strip()]
    return found


class Enumerations(unittest.TestCase):
    """The words of Fortran and Python are written from the enumerators of C: here those of C++ are compared."""

    def test_values(self):
        found = [d for h in bindings.HEADERS for d in c_headers.declarations(h) if isinstance(d, c_headers.Enum)]
        words = {d.name.removeprefix("nearfar_"): option_words.words_of(d) for d in found}
        cpp = enumerations_of_cpp()
        shared = {name for name in cpp if words.get(name)}
        self.assertGreaterEqual(len(shared), 10)
        for name in sorted(shared):
            with self.subTest(name):
                wanted = ["bytes", *words[name][1:]] if name == "element_type" else words[name]
                self.assertEqual(cpp[name], wanted)
        of_c_alone = {"call_kind"}
        self.assertEqual({name for name in words if words[name]} - set(cpp), of_c_alone)


if __name__ == "__main__":
    unittest.main()
