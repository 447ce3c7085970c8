#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The version of Nearfar, which project() in CMakeLists.txt has, and the places that repeat it.

  tools/version.py            says it, and which places have another one (exit status 1)
  tools/version.py 0.2.0      writes it to all of them but the changelogs, where a version is an entry of its own

pyproject.toml asks dynamic_metadata() for the version of a wheel.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST = r"project\(nearfar VERSION ([\d.]+)"
SERIES = r"find_package\(nearfar ([\d.]+)"
LIBRARY = r"\blibnearfar([\d.]+\d)"  # Debian's name of the library has the series, as its soname does
PLACES = {
    "CMakeLists.txt": FIRST,
    "CITATION.cff": r"(?m)^version: (\S+)",
    "CHANGELOG.md": r"\A# Changes\n\n## ([\d.]+)",
    "bindings/python/pyproject.toml": r'(?m)^version = "(.+)"',
    "packaging/debian/changelog": r"\Anearfar \(([\d.]+)\)",
    "packaging/debian/control": LIBRARY,
    "packaging/README.md": LIBRARY,
    "docs/howto/build-and-link.md": SERIES,
    "docs/howto/port-2decomp.md": SERIES,
    "tests/install/c/CMakeLists.txt": SERIES,
    "tests/install/cpp/CMakeLists.txt": SERIES,
    "tests/install/fortran/CMakeLists.txt": SERIES,
}


def wanted(pattern, version):
    """The version as a place of this pattern has it: without its last number where the series is meant."""
    return version.rsplit(".", 1)[0] if pattern in (SERIES, LIBRARY) else version


def number(root=ROOT):
    """The version: three numbers."""
    return re.search(FIRST, (root / "CMakeLists.txt").read_text())[1]


def commit(root=ROOT):
    """What git calls the sources: of an archive what `git archive` wrote, else of a checkout; '' where neither is."""
    written = (root / "cmake/commit.txt").read_text().split("\n")
    known = [line for line in written if line and not set(line) & set("$%")]
    if known or not (root / ".git").exists():
        return known[0] if known else ""
    command = ["git", "-C", str(root), "describe", "--tags", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def of_wheel(root=ROOT):
    """As Python has it: 0.1.0 of the commit with the tag v0.1.0, 0.1.0.dev0+gfd8ac46 of others."""
    of_sdist = root / "PKG-INFO"
    if of_sdist.exists():
        return re.search(r"(?m)^Version: (\S+)", of_sdist.read_text())[1]
    version, what = number(root), commit(root)
    if what in ("", f"v{version}"):
        return version
    local = re.sub("[^a-z0-9]+", ".", what.lower())
    return f"{version}.dev0+{local if local.startswith('v') else f'g{local}'}"


def dynamic_metadata(settings, project):
    """What scikit-build-core asks for."""
    return {"version": of_wheel()}


def others(root=ROOT):
    """The places that have another version, or none: lines for the reader."""
    version = number(root)
    found = []
    for name, pattern in PLACES.items():
        there = set(re.findall(pattern, (root / name).read_text()))
        if there != {wanted(pattern, version)}:
            found.append(f"{name}: {', '.join(sorted(there)) or 'none'}, not {wanted(pattern, version)}")
    series = wanted(SERIES, version)
    if not (root / f"packaging/debian/libnearfar{series}.install").exists():
        found.append(f"packaging/debian: no libnearfar{series}.install")
    return found


def write(version, root=ROOT):
    """Writes the version to all places but the changelogs."""
    for name, pattern in PLACES.items():
        if "changelog" in name.lower():
            continue
        text = (root / name).read_text()
        new = wanted(pattern, version)
        (root / name).write_text(re.sub(pattern, lambda m: m[0].replace(m[1], new), text))
    for old in (root / "packaging/debian").glob("libnearfar[0-9]*.install"):
        old.rename(old.with_name(f"libnearfar{wanted(LIBRARY, version)}.install"))


def main():
    """The command."""
    if len(sys.argv) > 2 or any(not re.fullmatch(r"\d+\.\d+\.\d+", a) for a in sys.argv[1:]):
        sys.exit(f"usage: {sys.argv[0]} [X.Y.Z]")
    if sys.argv[1:]:
        write(sys.argv[1])
    print(of_wheel())
    for line in others():
        print(line, file=sys.stderr)
    sys.exit(1 if others() else 0)


if __name__ == "__main__":
    main()
