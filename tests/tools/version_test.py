# SPDX-License-Identifier: BSD-3-Clause
"""One version everywhere, and the right one in archives without git, of a commit with a tag and of one without."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import version  # noqa: E402

NUMBER = version.number()
FILES = ("NearfarVersion.cmake", "NearfarCommit.cmake", "version_text.h.in", "version_text.inc.in")
SCRIPT = """cmake_minimum_required(VERSION 3.25)
set(CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
include(NearfarVersion)
message(STATUS "${NEARFAR_VERSION_TEXT}")
"""


def git(folder, *words):
    settings = ("user.name=x", "user.email=x@example.org", "commit.gpgsign=false", "tag.gpgsign=false")
    command = ["git", "-C", folder, *(word for s in settings for word in ("-c", s)), *words]
    return subprocess.run(command, check=True, capture_output=True).stdout


def said_by_programs(folder):
    """The text of --version, as CMake makes it for sources in this folder."""
    script = folder.parent / "script.cmake"
    script.write_text(SCRIPT)
    values = [f"-DPROJECT_SOURCE_DIR={folder}", f"-DPROJECT_BINARY_DIR={folder.parent}", f"-DPROJECT_VERSION={NUMBER}"]
    done = subprocess.run(["cmake", *values, "-P", script], check=True, capture_output=True, text=True)
    return done.stdout.strip().removeprefix("-- ")


class Versions(unittest.TestCase):
    def test_every_place_has_the_same(self):
        self.assertEqual(version.others(), [])

    def test_a_new_one_is_written_everywhere_but_to_changelogs(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for place in (*map(ROOT.joinpath, version.PLACES), *ROOT.glob("packaging/debian/*.install")):
                copy = root / place.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(place, copy)
            version.write("7.8.9", root)
            self.assertEqual(version.number(root), "7.8.9")
            places = [line.split(":")[0] for line in version.others(root)]
            self.assertEqual(places, ["CHANGELOG.md", "packaging/debian/changelog"])


@unittest.skipUnless(shutil.which("git"), "there is no git")
class Archives(unittest.TestCase):
    """Of a repository with those files that versions are made of."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.checkout = self.folder / "checkout"
        (self.checkout / "cmake").mkdir(parents=True)
        for name in (".gitattributes", "CMakeLists.txt", *(f"cmake/{n}" for n in FILES)):
            shutil.copy(ROOT / name, self.checkout / name)
        # Of an archive this test's own has what was written into it.
        (self.checkout / "cmake/commit.txt").write_text("$Format:%(describe:tags=true)$\n$Format:%h$\n")
        git(self.checkout, "init", "-q")
        git(self.checkout, "add", ".")
        git(self.checkout, "commit", "-q", "-m", "all")
        self.hash = git(self.checkout, "rev-parse", "--short", "HEAD").decode().strip()

    def archive(self):
        """The folder in which an archive of the commit was unpacked."""
        there = self.folder / "archive"
        there.mkdir()
        packed = git(self.checkout, "archive", "HEAD")
        subprocess.run(["tar", "-x", "-C", there], input=packed, check=True)
        return there

    def check(self, folder, of_programs, of_wheel):
        self.assertEqual(said_by_programs(folder), f"{NUMBER}{of_programs}")
        self.assertEqual(version.of_wheel(folder), f"{NUMBER}{of_wheel}")

    def test_of_a_commit_without_a_tag(self):
        for folder in (self.checkout, self.archive()):
            self.check(folder, f" ({self.hash})", f".dev0+g{self.hash}")

    def test_of_the_tag(self):
        git(self.checkout, "tag", "-a", f"v{NUMBER}", "-m", "release")
        for folder in (self.checkout, self.archive()):
            self.check(folder, f" (v{NUMBER})", "")

    def test_behind_a_tag(self):
        git(self.checkout, "tag", "v0.0.1")
        git(self.checkout, "commit", "-q", "--allow-empty", "-m", "more")
        head = git(self.checkout, "rev-parse", "--short", "HEAD").decode().strip()
        for folder in (self.checkout, self.archive()):
            self.check(folder, f" (v0.0.1-1-g{head})", f".dev0+v0.0.1.1.g{head}")

    def test_of_changed_sources(self):
        with (self.checkout / "CMakeLists.txt").open("a") as file:
            file.write("# more\n")
        self.check(self.checkout, f" ({self.hash}-dirty)", f".dev0+g{self.hash}.dirty")

    def test_of_a_copy(self):
        shutil.rmtree(self.checkout / ".git")
        self.check(self.checkout, "", "")

    def test_of_a_source_distribution(self):
        shutil.rmtree(self.checkout / ".git")
        (self.checkout / "PKG-INFO").write_text(f"Name: nearfar\nVersion: {NUMBER}.dev0+gabc\n")
        self.check(self.checkout, "", ".dev0+gabc")


if __name__ == "__main__":
    unittest.main()
