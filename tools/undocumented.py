#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says which public names have no comment:  tools/undocumented.py [HEADER…]

Public are, in include/nearfar, what C headers declare, and what C++ headers declare outside private parts and the
namespaces `internal` and `detail`; in Fortran the types and procedures of `use nearfar`. A comment stands before a
declaration (///, /** or !>) or behind it (///<, /**< or !!). What the language itself makes (destructors, moves,
operators ==, deleted and defaulted members) needs none.
"""

import re
import sys
from pathlib import Path

import fortran_modules

ROOT = Path(__file__).resolve().parent.parent
TOKEN = re.compile(
    r"(?P<after>///<|/\*\*<)|(?P<before>///|/\*\*)|(?P<comment>//|/\*)"
    r"|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<directive>^[ ]*#)|(?P<text>[{}();,]|::|->|[\w~]+|\n|[^\S\n]+|.)",
    re.M,
)
NEEDS_NONE = re.compile(
    r"^(?:friend|using \w+::|extern template|static_assert|extern\b)"
    r"|= (?:delete|default)$|~\w+ \(|operator =[ =]"
    r"|\b(\w+) :: \1 \(|^(?:template <.*> )?(\w+) \(.*\) -> \2\b"  # defined outside its class; a deduction guide
)
FORWARD = re.compile(r"^(?:template <[^{]*> )?(?:class|struct) \w+$")
TYPE = re.compile(r"(?:^|> |typedef |requires .*\) )(class|struct|enum)\b(?!.*[=(])")
HIDDEN = ("internal", "detail", "std")


def end_of_comment(text, at, is_line):
    """Where the comment that begins here ends; adjoining lines of /// are one comment."""
    if not is_line:
        return text.index("*/", at) + 2
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class Scanner:
    """Walks over a header, declaration by declaration."""

    def __init__(self, text):
        self.text, self.found = text, []
        self.scopes = [["file", True]]  # kind, whether what is declared now is public
        self.words, self.is_told, self.line, self.parentheses = [], False, 1, 0
        self.begun = 0  # where the declaration being read begins
        self.last = 0  # the line in which the last declaration begins
        self.skip = 0  # braces open inside a body or an initialiser

    def is_public(self):
        return all(public for _, public in self.scopes)

    def declared(self, is_defined=False):
        """One declaration has ended: note it if it needs a comment and has none."""
        statement = re.sub(r"\s+", " ", " ".join(self.words)).strip()
        told, self.words, self.is_told = self.is_told, [], False
        self.last = self.text.count("\n", 0, self.begun) + 1
        if not statement or not self.is_public() or is_move(statement):
            return
        if NEEDS_NONE.search(statement) or not is_defined and FORWARD.search(statement):
            return
        is_named_by_its_enum = self.scopes[-1][0] == "enum"  # whose comment speaks of all values
        if not told and not is_named_by_its_enum:
            self.found.append((self.last, name_of(statement)))

    def comment(self, match):
        is_line = match[0].startswith("//")
        end = end_of_comment(self.text, match.start(), is_line)
        if "@cond" in self.text[match.start() : end]:  # not for the reference, up to the line of @endcond
            return end_of_comment(self.text, self.text.index("@endcond", end), True)
        if match["after"]:
            self.told_after()
        elif match["before"] and not self.skip:
            self.is_told = self.is_told or not self.words
        return end

    def told_after(self):
        """A comment behind: of what has just ended, or of what it stands in the middle of."""
        if self.words or self.skip:
            self.is_told = True
        elif self.found and self.found[-1][0] == self.last:
            self.found.pop()

    def opened(self):
        statement = re.sub(r"\s+", " ", " ".join(self.words)).strip()
        if match := re.search(r"\bnamespace (\S*)$", statement):
            self.scopes.append(["namespace", match[1] not in HIDDEN])
            self.words, self.is_told = [], False
        elif re.search(r'\bextern "C"$|^extern$', statement):
            self.scopes.append(["namespace", True])
            self.words, self.is_told = [], False
        elif match := TYPE.search(re.sub(r"<[^<>]*>", "<>", statement)):
            self.declared(is_defined=True)
            self.scopes.append([match[1], match[1] != "class"])
        else:
            self.skip = 1

    def closed(self, at):
        kind = self.scopes.pop()[0]
        self.words, self.is_told = [], False
        if kind in ("class", "struct", "enum"):  # up to the semicolon: `} name;`
            self.words = []
            rest = re.compile(r"[^;]*;").match(self.text, at + 1)
            return rest.end()
        return at + 1

    def scan(self):
        at = 0
        while at < len(self.text):
            match = TOKEN.match(self.text, at)
            token, at = match[0], match.end()
            if match["directive"]:
                at = self.directive(match.start())
            elif match["after"] or match["before"] or match["comment"]:
                at = self.comment(match)
            elif self.skip:
                self.skip += {"{": 1, "}": -1}.get(token, 0)
                if self.skip == 0 and self.is_body():
                    self.declared()
            elif token == "{":
                self.opened()
            elif token == "}":
                at = self.closed(match.start())
            elif token == ";" and self.parentheses == 0:
                self.declared()
            elif token == "," and self.scopes[-1][0] == "enum":
                self.declared()
            elif token == ":" and self.words and "".join(self.words).strip() in ("public", "private", "protected"):
                self.scopes[-1][1] = "".join(self.words).strip() == "public"
                self.words = []
            else:
                self.parentheses += {"(": 1, ")": -1}.get(token, 0)
                if token.strip():
                    self.begun = self.begun if self.words else match.start()
                    self.words.append(token)
        return self.found

    def is_body(self):
        """Whether the braces that have just been closed were a function's, not an initialiser's or a requirement's."""
        statement = re.sub(r"\s+", " ", " ".join(self.words)).strip()
        if re.search(r"\brequires(?: \([^(){}]*\))?$", statement) or self.parentheses:
            return False
        return bool(re.search(r"\)(?: (?:const|noexcept|override|final))*$", statement)) and not statement.endswith("=")

    def directive(self, at):
        """#define NEARFAR_… of a value is public; other directives say nothing."""
        end = at
        while True:
            end = self.text.find("\n", end)
            end = len(self.text) if end < 0 else end
            if self.text[end - 1] != "\\":
                break
            end += 1
        line = self.text[at:end]
        if match := re.match(r" *# *define (NEARFAR_\w+)(\([^)]*\))? +\S", line):
            is_api = match[1] in ("NEARFAR_API",) or "defined" in line
            if not is_api and not self.is_told and "/**<" not in line:
                self.found.append((self.text.count("\n", 0, at) + 1, match[1]))
        self.is_told, self.words = False, []
        return end


def is_move(statement):
    return bool(re.search(r"(?:^| )(\w+) \( \1 (?:< \w+ > )?& & \)", statement))


def name_of(statement):
    """The words that tell a reader which declaration it is."""
    text = re.sub(r" ?([(),;<>&*:\[\]]) ?", r"\1", statement.replace("NEARFAR_API ", ""))
    return text if len(text) <= 90 else text[:87] + "…"


def problems_of_header(path):
    return [(path, line, name) for line, name in Scanner(path.read_text()).scan()]


def problems_of_fortran():
    constants = fortran_modules.FOLDER / "generated/nearfar_constants.f90"
    yield from ((constants, 1, name) for name, _, comment in fortran_modules.public_constants() if not comment)
    for module, types, procedures in fortran_modules.public_modules():
        source = fortran_modules.FOLDER / f"{module.name}.f90"
        for found in types:
            if not found.comment:
                yield source, 1, f"type {found.name}"
            yield from ((source, 1, f"{found.name}%{p.name}") for p in found.procedures if not p.comment)
        yield from ((source, 1, p.name) for p in procedures if not p.comment)


def main():
    headers = [Path(name).resolve() for name in sys.argv[1:]]
    found = [p for h in headers or sorted((ROOT / "include/nearfar").glob("*.h*")) for p in problems_of_header(h)]
    if not headers:
        found += problems_of_fortran()
    for path, line, name in found:
        print(f"{path.relative_to(ROOT)}:{line}: no comment says what this is: {name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
