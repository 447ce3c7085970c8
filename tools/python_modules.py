# SPDX-License-Identifier: BSD-3-Clause
"""Reads what `import nearfar` makes public: classes with their methods, functions, and their docstrings as pages."""

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "bindings/python/nearfar"
TITLES = {
    "_team": "Teams", "_grid": "Grids", "_halo": "Halo plans", "_gather": "Irregular plans",
    "_transpose": "Transpositions", "_fft": "FFT plans",
    "_collective": "Collective calls", "_threads": "Thread teams",
    "_reproducible": "Reproducible sums", "_output": "Output", "_writers": "Writer ranks",
    "_objects": "What all plans can do",
    "_errors": "Errors", "__init__": "Methods",
}  # fmt: skip


def _escaped(text):
    return re.sub(r"([*_|\\])", r"\\\1", text)


def _line(line):
    """A line of a docstring in reStructuredText: what stands in backticks is code, stars are no marks."""
    parts = line.split("`")
    return "".join(f"``{p}``" if i % 2 else _escaped(p) for i, p in enumerate(parts))


def docstring(node):
    """The docstring with its underlined sections as bold words, and blank lines between the terms that they list."""
    text = ast.get_docstring(node) or ""
    lines, section = [], ""
    for line in re.sub(r"^(\w+)\n-+$", r"@@\1", text, flags=re.M).split("\n"):
        if line.startswith("@@"):
            section = line[2:]
            lines.append(f"\n**{section}**\n")
        elif section not in ("", "Notes") and line and not line.startswith(" "):
            lines.append("\n" + _line(line))
        else:
            lines.append(_line(line))
    return "\n".join(lines)


def _indented(text, by):
    return "\n".join(f"{by}{line}" if line.strip() else "" for line in text.split("\n"))


def _arguments(function, *, is_method):
    arguments = function.args
    if is_method and arguments.args:
        arguments.args = arguments.args[1:]
    for a in [*arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if a is not None:
            a.annotation = None
    return f"({ast.unparse(arguments)})"


def _is(decorator, function):
    return any(isinstance(d, ast.Name) and d.id == decorator for d in function.decorator_list)


def _entry(kind, name, comment, by):
    return f"{by}.. py:{kind}:: {name}\n\n{_indented(comment, by + '   ')}\n\n"


def _class_entry(node):
    make = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    text = _entry("class", node.name + (_arguments(make, is_method=True) if make else ""), docstring(node), "")
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("_") or not ast.get_docstring(member):
            continue
        if _is("property", member):
            text += _entry("property", member.name, docstring(member), "   ")
        else:
            arguments = _arguments(member, is_method=not _is("staticmethod", member))
            text += _entry("method", member.name + arguments, docstring(member), "   ")
    return text


def public_names():
    """What `nearfar.__all__` lists."""
    tree = ast.parse((FOLDER / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    raise ValueError("nearfar/__init__.py has no __all__")


def pages():
    """-> (name, title, page in reStructuredText) of each module that has something public."""
    wanted = public_names() | {"Handle", "Plan"}
    for module, title in TITLES.items():
        tree = ast.parse((FOLDER / f"{module}.py").read_text())
        text = "" if module == "__init__" else docstring(tree) + "\n\n"
        for node in tree.body:
            if getattr(node, "name", "") not in wanted or not ast.get_docstring(node):
                continue
            if isinstance(node, ast.ClassDef):
                text += _class_entry(node)
            elif isinstance(node, ast.FunctionDef):
                text += _entry("function", node.name + _arguments(node, is_method=False), docstring(node), "")
        yield module.strip("_"), title, text
