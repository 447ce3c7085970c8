#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that links and paths of pages lead somewhere: files, headings, and the pages that sources name.

    check_links.py [ROOT]
"""
import re
import sys
from pathlib import Path

from check_files import CODE, tracked

LINK = re.compile(r"\]\(<?([^()\s>]+)>?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
INLINE = re.compile(r"`[^`\n]*`")
NAMED = re.compile(r"(?<![\w/.-])((?:docs|apps|bindings|src|tests)/[\w./-]*\.(?:md|svg|png))(#[\w-]+)?")
HEADING = re.compile(r"^#{1,6} +(.*?)\s*$", re.M)
SOURCES = CODE | {".txt", ".cmake", ".md", ".toml", ".nml", ""}
CHECKS_OF_LINKS = ("test_checks.py", "figures_test.py")  # which make up pages


def anchors(text):
    """The anchors of a page's headings, as GitHub and others make them."""
    made = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        made.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return made


def without_code(text):
    """The text with code blanked out, lines kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())  # noqa: E731
    return INLINE.sub(blank, FENCE.sub(blank, text))


def fault(target, anchor):
    if not target.exists():
        return "leads nowhere"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
        return "is no heading there"
    return ""


def links(path, text, root):
    for match in LINK.finditer(without_code(text)):
        if re.match(r"[a-z]+:", match.group(1)):
            continue
        file, _, anchor = match.group(1).partition("#")
        start = root / file.lstrip("/") if file.startswith("/") else path.parent / file if file else path
        yield match.start(), match.group(1), fault(start, anchor)


def names(text, root):
    for match in NAMED.finditer(text):
        yield match.start(), match.group(), fault(root / match.group(1), (match.group(2) or "")[1:])


def problems_of(path, root):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        found = list(links(path, text, root)) + list(names(LINK.sub(lambda m: " " * len(m.group()), text), root))
    else:
        found = list(names(text, root))
    for place, what, wrong in found:
        if wrong:
            yield text.count("\n", 0, place) + 1, "%s %s" % (what, wrong)


def pages_without_a_place(root):
    """Pages directly in docs/ that the site's tables of contents lack."""
    site = [page for page in (root / "docs/site/index.md", root / "tools/site.py") if page.exists()]
    listed = {word for page in site for word in re.findall(r"docs/(\w+)", page.read_text(encoding="utf-8"))}
    for page in sorted((root / "docs").glob("*.md")) if site else []:
        if page.stem not in listed:
            yield page


def main():
    root = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]).resolve()
    bad = 0
    for path in tracked(root):
        if path.suffix in SOURCES and path.name not in CHECKS_OF_LINKS and path.stat().st_size < 1 << 20:
            for line, problem in sorted(problems_of(path, root)):
                print("%s:%d: %s" % (path.relative_to(root), line, problem))
                bad += 1
    for page in pages_without_a_place(root):
        print("%s:1: is in no table of contents of docs/site" % page.relative_to(root))
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
