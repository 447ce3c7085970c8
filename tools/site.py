#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the site of all pages and of the reference in build/site/html:  tools/site.py [--no-install]

Doxygen reads the public headers, fortran_modules.py the modules of the Fortran interface; Sphinx makes pages of what
they say and of the Markdown files, with a search that needs no server. A warning of either is an error. What
docs/site/requirements.txt names is installed in build/site/venv, unless --no-install says that Sphinx is on the PATH.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import fortran_modules
import python_modules
import version
from fortran_modules import sentence

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs/site"
BUILD = ROOT / "build/site"
SOURCE = BUILD / "source"
TOP_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
FOLDERS = ("docs", "apps", "bindings", "src", "interpose", "packaging", "tests/outside")
# Pages that only list others: where a title stands for a folder or for files with a beginning in common.
LISTS = {
    "docs/fronts": (
        "Fronts",
        "docs/halo.md docs/collectives.md docs/irregular.md docs/transpose.md docs/output.md",
    ),
    "docs/applications": ("Applications", "apps/**/README.md"),
    "docs/insides": ("Insides", "src/*/README.md interpose/README.md"),
    "docs/style-pages": ("Styles", "docs/style/*.md"),
}


def fail(text):
    sys.exit(f"site: {text}")


def tool(name):
    """Sphinx of the virtual environment, which is made at the first use and when the requirements have changed."""
    wanted = (SITE / "requirements.txt").read_text()
    folder, stamp = BUILD / "venv", BUILD / "venv/requirements.txt"
    if not stamp.is_file() or stamp.read_text() != wanted:
        if "--no-install" in sys.argv:
            return name
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", SITE / "requirements.txt"],
            check=True,
        )
        stamp.write_text(wanted)
    return str(folder / "bin" / name)


# ---- Markdown: the same files, with links that a site can follow ----


BLOCK = re.compile(r"(^```.*?^```$)", re.M | re.S)
LINK = re.compile(r"(?<!!)\[([^\]\n]*(?:\n[^\]\n]+)?)\]\(([^()\s#]*)(#[^()\s]*)?\)")


def pages_of_markdown():
    below = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*.md")]
    return {ROOT / name for name in TOP_PAGES} | {p for p in below if SITE not in p.parents}


def replaced_links(text, replace):
    """The text with each [words](file#anchor) outside of blocks of code replaced; links to the web stay."""

    def one(match):
        return match[0] if not match[2] or ":" in match[2] else replace(match)

    return "".join(part if part.startswith("```") else LINK.sub(one, part) for part in BLOCK.split(text))


def page_with_links(page, pages):
    """The text of a page whose links to sources are words: the site has no sources."""

    def link(match):
        words, target = match[1], (page.parent / match[2]).resolve()
        if target.is_dir() and target / "README.md" in pages:
            return f"[{words}]({match[2].rstrip('/')}/README.md)"
        if target in pages or target.suffix in (".png", ".svg"):
            return match[0]
        return f"`{words}`" if (ROOT / words).exists() else words

    return replaced_links(page.read_text(), link)


def write(name, text):
    target = SOURCE / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def toctree(names):
    return "\n".join([".. toctree::", "   :maxdepth: 1", "", *(f"   {n}" for n in names), ""])


def listing(entries):
    """A list of (page, what it is about), which is also the order of the pages in the menu."""
    lines = "".join(f"- :doc:`{page}`: {words}\n" for page, words in entries)
    return lines + "\n" + toctree(page for page, _ in entries).replace(":maxdepth: 1", ":hidden:")


def titled(text):
    return f"{text}\n{'=' * len(text)}\n\n"


def copy_pages():
    pages = pages_of_markdown()
    for page in sorted(pages):
        name = page.relative_to(ROOT)
        text = page_with_links(page, pages)
        if name.name == "README.md" and name.parts[0] == "docs":
            others = sorted(p.stem for p in page.parent.glob("*.md") if p != page)
            text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(others) + "\n```\n"
        write(name, text)
    shutil.copytree(ROOT / "docs/images", SOURCE / "docs/images", dirs_exist_ok=True)
    for name, (title, patterns) in LISTS.items():
        found = [p.relative_to(ROOT) for pattern in patterns.split() for p in sorted(ROOT.glob(pattern))]
        write(name + ".rst", titled(title) + toctree(f"/{p.with_suffix('')}" for p in found))
    write("index.md", (SITE / "index.md").read_text().replace("../../README.md", "README.md"))


# ---- The reference ----


def purpose_of(path, comment):
    """The sentence at the top of a source file."""
    lines = path.read_text().split("\n")
    return re.sub(rf"^{comment} ?| ?\*/$", "", next(line for line in lines if "SPDX" not in line and line.strip()))


def reference_of_headers(name, title, suffix, comment, words):
    headers = [h for h in sorted((ROOT / "include/nearfar").glob(f"*{suffix}")) if h.stem not in ("api", "mpi")]
    headers = [h for h in headers if h.name != "nearfar.hpp"]
    for header in headers:
        page = titled(f"{header.name}") + purpose_of(header, comment) + "\n\n"
        page += f".. code-block:: {'cpp' if suffix == '.hpp' else 'c'}\n\n   #include <nearfar/{header.name}>\n\n"
        page += f".. doxygenfile:: {header.name}\n   :sections: briefdescription detaileddescription "
        page += "innernamespace innerclass define enum typedef func var public-func public-static-func public-attrib "
        page += "public-static-attrib public-type protected-attrib user-defined\n"
        write(f"reference/{name}/{header.stem}.rst", page)
    entries = [(f"{name}/{h.stem}", purpose_of(h, comment)) for h in headers]
    write(f"reference/{name}.rst", titled(title) + words + "\n\n" + listing(entries))


def plain(text):
    """A comment in reStructuredText: its stars and underscores are no marks."""
    words = "\n".join(line.strip() for line in text.split("\n"))
    return re.sub(r"([*_|])", r"\\\1", words.replace("`", "``"))


def directive(name, heads, comment, indent=""):
    lines = [f"{indent}.. fortran:: {name}{heads[0]}"]
    lines += [f"{indent}              {name}{head}" for head in heads[1:]]
    return "\n".join([*lines, "", *(f"{indent}   {line}" for line in plain(comment).split("\n")), "", ""])


def fortran_page(module, types, procedures):
    title = module.name.removeprefix("nearfar_").replace("_", " ").capitalize().replace("Fft", "FFT")
    text = titled(title) + plain(module.comment) + "\n\n.. code-block:: fortran\n\n   use nearfar\n\n"
    for found in types:
        text += directive(f"type {found.name}", [""], found.comment)
        for declaration, comment in found.components:
            text += f"   ``{declaration}``\n      {plain(comment) or 'As the type says.'}\n\n"
        for p in found.procedures:
            text += directive(f"{found.name}%{p.name}", p.heads, p.comment, "   ")
    return text + "".join(directive(p.name, p.heads, p.comment) for p in procedures)


def reference_of_fortran():
    entries = []
    for module, types, procedures in fortran_modules.public_modules():
        if types or procedures:
            page = f"fortran/{module.name}"
            entries.append((page, plain(re.match(r"[^.]*\.", module.comment)[0]).replace("\n", " ")))
            write(f"reference/{page}.rst", fortran_page(module, types, procedures))
    text = titled("Fortran") + plain(purpose_text()) + "\n\n" + listing(entries) + "\nConstants\n---------\n\n"
    for name, value, comment in fortran_modules.public_constants():
        text += directive(f"{name} = {value}", [""], sentence(comment))
    write("reference/fortran.rst", text)


def reference_of_python():
    entries = []
    for name, title, text in python_modules.pages():
        write(f"reference/python/{name}.rst", titled(title) + ".. py:currentmodule:: nearfar\n\n" + text)
        entries.append((f"python/{name}", title))
    write("reference/python.rst", titled("Python") + "``import nearfar`` brings all of it.\n\n" + listing(entries))


def purpose_text():
    lines = (fortran_modules.FOLDER / "nearfar.f90").read_text().split("\n")
    head = lines[1 : next(i for i, line in enumerate(lines) if not line.startswith("!"))]
    return "\n".join(line.removeprefix("!").strip() for line in head)


def run_doxygen():
    if not shutil.which("doxygen"):
        fail("doxygen is not here; tools/bootstrap site installs it")
    (BUILD / "doxygen").mkdir(parents=True, exist_ok=True)
    settings = (SITE / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {BUILD / 'doxygen'}\n"
    run = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, capture_output=True, check=False)
    warnings = [line for line in run.stderr.split("\n") if line.strip()]
    if run.returncode or warnings:
        print("\n".join(warnings[:40]))
        fail(f"doxygen complains in {len(warnings)} lines")


def main():
    # From nothing, and in one process: Sphinx takes many times as long to merge what C++ pages declare in one
    # namespace.
    for folder in (SOURCE, BUILD / "doctrees", BUILD / "html"):
        shutil.rmtree(folder, ignore_errors=True)
    run_doxygen()
    copy_pages()
    reference_of_headers("cpp", "C++", ".hpp", "//", "``#include <nearfar/nearfar.hpp>`` brings all of them along.")
    reference_of_headers("c", "C", ".h", r"/\*", "``#include <nearfar/nearfar.h>`` brings all of them along.")
    reference_of_fortran()
    reference_of_python()
    environment = {**os.environ, "NEARFAR_VERSION": version.number(), "NEARFAR_DOXYGEN_XML": str(BUILD / "doxygen/xml")}
    sphinx = [tool("sphinx-build"), "-q", "-W", "--keep-going", "-d", str(BUILD / "doctrees")]
    done = subprocess.run([*sphinx, "-c", SITE, SOURCE, BUILD / "html"], env=environment, check=False)
    if done.returncode:
        fail("sphinx complains (see above)")
    print(f"site: {BUILD / 'html/index.html'}")


if __name__ == "__main__":
    main()
