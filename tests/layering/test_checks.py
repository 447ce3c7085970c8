#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The checks of this folder must complain about trees that break the rules, and only about those."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"
MODULES = """
nearfar_module(base NO_MPI)
nearfar_module(hdf5 NO_MPI)
nearfar_module(topology USES base ${hwloc})
nearfar_module(near USES base topology)
nearfar_module(tune USES base topology LINKS nlohmann_json::nlohmann_json)
nearfar_module(halo USES base tune)
nearfar_module(irregular USES base tune)
"""


class Tree:
    """A small source tree that obeys all rules, and the verdict of a check on it."""

    def __init__(self, folder):
        self.root = Path(folder)
        self.write("src/CMakeLists.txt", MODULES)
        self.write("src/near/api/near/arena.hpp", SPDX + "#include <base/log.hpp>\n#include <topology/team.hpp>\n")
        self.write("src/near/arena.cpp", SPDX + "#include <near/arena.hpp>\n#include <nearfar/mpi.hpp>\n")
        self.write("src/hdf5/api/hdf5/handles.hpp", SPDX + "#include <hdf5.h>\n")
        self.write("apps/heat/src/checkpoint.cpp", SPDX + "#include <hdf5/handles.hpp>\n")
        self.write("include/nearfar/mpi.hpp", SPDX + "#include <mpi.h>\n")
        self.write("examples/heat/main.cpp", SPDX + "#include <nearfar/nearfar.hpp>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def verdict(self, script):
        run = subprocess.run([sys.executable, HERE / script, self.root], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


class ChecksTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tree = Tree(self.folder.name)

    def complains(self, script, *texts):
        code, output = self.tree.verdict(script)
        self.assertEqual(code, 1, output)
        for text in texts:
            self.assertIn(text, output)
        self.assertEqual(len(output.splitlines()), 1, output)

    def test_numbers_of_the_library_know_no_locale(self):
        body = {"words.cpp": "std::ostringstream out;\n", "number.cpp": "double x = strtod(p, &end);\n",
                "print.c": 'snprintf(line, 9, "%.3g s", x);\n', "file.cpp": "std::ifstream in(path);\n",
                "count.cpp": "std::to_string(x);\n"}
        for name, line in body.items():
            self.tree.write("src/near/" + name, SPDX + line)
            self.complains("check_files.py", "src/near/%s:2" % name, "locale")
            (self.tree.root / "src/near" / name).unlink()
        self.tree.write("src/near/bytes.cpp", SPDX + "std::ifstream in(p, std::ios::binary);  // strtod( is spared\n")
        self.tree.write("src/near/tests/near_test.cpp", SPDX + "std::ostringstream out;\n")
        self.assertEqual(self.tree.verdict("check_files.py")[0], 0)
        self.tree.write("apps/heat/src/main.cpp", SPDX + "int main() {}\n")
        self.complains("check_files.py", "classic()")

    def test_a_good_tree_passes(self):
        page = "# A page\n\n## Limits, `all`\n[a](other.md#an-end) [b](#limits-all) `[c](none.md)`\n"
        self.tree.write("docs/page.md", page)
        self.tree.write("docs/other.md", "# An end\n```\n[d](none.md)\n```\n[e](https://nobody.invalid/f.md)\n")
        self.tree.write("src/near/named.cpp", SPDX + "// docs/page.md#limits-all\n")
        for script in ("check_layers.py", "check_files.py", "check_links.py"):
            self.assertEqual(self.tree.verdict(script), (0, ""))

    def test_undeclared_module(self):
        self.tree.write("src/near/bad.cpp", SPDX + "#include <tune/tuner.hpp>\n")
        self.complains("check_layers.py", "src/near/bad.cpp:2", "does not declare USES tune")

    def test_libraries_under_names_of_others(self):
        self.tree.write("bindings/gslib/gs.cpp", SPDX + "#include <nearfar/irregular.h>\n#include <nearfar/team.hpp>\n")
        self.complains("check_layers.py", "bindings/gslib/gs.cpp:3", "the C interface only, not <nearfar/team.hpp>")
        self.tree.write("bindings/gslib/gs.cpp", SPDX + "#include <irregular/inspector.hpp>\n")
        self.complains("check_layers.py", "bindings/gslib/gs.cpp:2", "the installed interface only")
        self.tree.write("bindings/gslib/gs.cpp", SPDX)
        self.tree.write("bindings/decomp2d/m_info.f90", "! " + SPDX + "use nearfar\nuse nearfar_c\n")
        self.complains("check_layers.py", "m_info.f90:3", "the module nearfar only, not nearfar_c")

    def test_sibling_fronts(self):
        self.tree.write("src/CMakeLists.txt", MODULES.replace("irregular USES base", "irregular USES base halo"))
        self.complains("check_layers.py", "'irregular' may not use 'halo'")

    def test_upward_use(self):
        self.tree.write("src/CMakeLists.txt", MODULES.replace("near USES base", "near USES base tune"))
        self.complains("check_layers.py", "'near' may not use 'tune'")

    def test_mpi_in_base(self):
        self.tree.write("src/base/log.cpp", SPDX + '#include "nearfar/mpi.hpp"\n')
        self.complains("check_layers.py", "NO_MPI")

    def test_json_outside_tune(self):
        self.tree.write("src/near/bad.cpp", SPDX + "#include <nlohmann/json.hpp>\n")
        self.complains("check_layers.py", "for module output, tune only")

    def test_third_party_in_a_public_header(self):
        self.tree.write("include/nearfar/bad.hpp", SPDX + "#include <fmt/core.h>\n")
        self.complains("check_layers.py", "include/nearfar/bad.hpp:2")

    def test_application_with_internal_header(self):
        self.tree.write("apps/x/main.cpp", SPDX + "#include <near/arena.hpp>\n")
        self.complains("check_layers.py", "installed interface only")

    def test_application_with_a_folder_named_like_a_module(self):
        self.tree.write("apps/x/src/base/own.hpp", SPDX)
        self.tree.write("apps/x/tests/own_test.cpp", SPDX + "#include <base/own.hpp>\n")
        self.assertEqual(self.tree.verdict("check_layers.py"), (0, ""))

    def test_bypass_of_the_include_path(self):
        self.tree.write("src/near/methods/good.cpp", SPDX + '#include "../arena.hpp"\n')
        self.tree.write("src/near/bad.cpp", SPDX + '#include "../base/api/base/log.hpp"\n')
        self.complains("check_layers.py", "goes round the include path")

    def test_undeclared_folder(self):
        self.tree.write("src/extra/x.cpp", SPDX)
        self.complains("check_layers.py", "not declared")

    def test_missing_spdx(self):
        self.tree.write("src/near/x.cpp", "int x;\n")
        self.complains("check_files.py", "SPDX")

    def test_link_to_nowhere(self):
        self.tree.write("docs/page.md", "# A page\n[a](none.md)\n")
        self.complains("check_links.py", "docs/page.md:2: none.md leads nowhere")

    def test_link_to_no_heading(self):
        self.tree.write("docs/page.md", "# A page\n```\n# code\n```\n[a](#code)\n")
        self.complains("check_links.py", "docs/page.md:5: #code is no heading there")

    def test_page_without_a_place_in_the_site(self):
        self.tree.write("docs/site/index.md", "# Site\n```{toctree}\ndocs/listed\n```\n")
        self.tree.write("docs/listed.md", "# Listed\n")
        self.tree.write("docs/page.md", "# A page\n")
        self.complains("check_links.py", "docs/page.md:1: is in no table of contents")

    def test_source_that_names_no_page(self):
        self.tree.write("src/near/named.cpp", SPDX + "// docs/none.md\n")
        self.complains("check_links.py", "src/near/named.cpp:2: docs/none.md leads nowhere")

    def test_long_file(self):
        self.tree.write("src/near/x.cpp", SPDX + "\n" * 500)
        self.complains("check_files.py", "longer than 500 lines")

    def test_old_words(self):
        for name, text, word in (
            ("src/near/crew.cpp", "", "crew"),
            ("src/near/arena.cpp", "int wait_for_room = 0;\n", "wait_for_room"),
            ("src/near/arena.cpp", "class LaterWays;\n", "LaterWays"),
            ("src/near/arena.cpp", "struct letter {};\n", "struct letter"),
        ):
            with self.subTest(word):
                self.tree.write(name, SPDX + text)
                self.complains("check_files.py", name, word)
                (self.tree.root / name).unlink()
        self.tree.write("docs/page.md", "# A page\n\nEach writes to its own desk.\n")
        self.complains("check_files.py", "docs/page.md:3", "desk")
        self.tree.write("docs/page.md", "# A page\n\nThere is room for all columns, and a way to each.\n")
        self.assertEqual(self.tree.verdict("check_files.py"), (0, ""))

    def test_lanes(self):
        self.tree.write("src/collective/far.cpp", SPDX + "int lanes = 2;  // one per near rank\n")
        good = 'int simd_lane = 0;  // a SIMD lane\nauto m = "near-line+lanes";\n'
        self.tree.write("src/halo/kernel.cpp", SPDX + good)
        self.assertEqual(self.tree.verdict("check_files.py"), (0, ""))
        self.tree.write("src/halo/kernel.cpp", SPDX + "int lane = 0;\n")
        self.complains("check_files.py", "src/halo/kernel.cpp:2", "SIMD lane")

    def test_wide_fortran(self):
        self.tree.write("apps/x/m.f90", SPDX.replace("//", "!") + "!" * 101 + "\n")
        self.complains("check_files.py", "longer than 100 columns")

    def test_implicit_fortran(self):
        self.tree.write("apps/x/m.f90", SPDX.replace("//", "!") + "module m\nend module m\n")
        self.complains("check_files.py", "without implicit none")


if __name__ == "__main__":
    unittest.main()
