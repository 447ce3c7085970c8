# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran bindings are what tools/bindings.py writes; docs/interface.md names what headers, modules and classes
have; public names have comments."""

import ast
import importlib.util
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import c_headers  # noqa: E402

import bindings  # noqa: E402
import undocumented  # noqa: E402

FRONTS = ("halo", "transpose", "fft", "irregular", "collective")


def table_of(section):
    """The names in backticks of each column of the section's table: C++, C, Fortran, Python."""
    text = (ROOT / "docs/interface.md").read_text()
    part = next(p for p in text.split("\n## ") if p.lower().startswith(section))
    rows = [line.split("|")[2:6] for line in part.split("\n") if line.startswith("|")][2:]
    return [set(re.findall(r"`(\w+)`", " ".join(row[column] for row in rows))) for column in range(4)]


def names_of(front):
    """The names of the front's plans by language: those of all plans and its own."""
    names = [of_all | own for of_all, own in zip(table_of("all"), table_of(front), strict=True)]
    if front == "irregular":
        operations = [f"{what}{which}" for what in ("gather", "scatter", "assemble") for which in ("", "_ghosts")]
        names = [{n.replace("OPERATION", o) for n in column for o in operations} for column in names]
    names[1] = {f"nearfar_{front}_plan_{name}" for name in names[1]}
    return names


def members_of_cpp(front):
    text = (ROOT / f"include/nearfar/{front}{'_plan' if front in ('irregular', 'collective') else ''}.hpp").read_text()
    body = re.search(rf"class NEARFAR_API {front}_plan {{(.*?)\n}};", text, re.S)[1].split(" private:")[0]
    return set(re.findall(r"(\w+)\(", re.sub(r"//.*", "", body)))


def functions_of_c(front):
    """Names of the plan's functions, with KIND for each kind of collective call."""
    found = {
        f.name
        for header in bindings.HEADERS[:-1]
        for f in c_headers.declarations(header, are_foreign=True)
        if isinstance(f, c_headers.Function) and f.name.startswith(f"nearfar_{front}_plan_")
    }
    kinds = {
        f.name.removeprefix("nearfar_")
        for f in c_headers.declarations(ROOT / "include/nearfar/collective.h", are_foreign=True)
        if isinstance(f, c_headers.Function) and f.name not in ("nearfar_allocate", "nearfar_free")
    }
    return {
        re.sub(r"_plan_(\w+)$", lambda m: "_plan_KIND" if front == "collective" and m[1] in kinds else m[0], name)
        for name in found
    }


def procedures_of_fortran(front):
    """Public type-bound procedures, those of included files among them."""
    folder = ROOT / "bindings/fortran"
    for module in folder.glob("nearfar_*.f90"):
        text = re.sub(
            r"^ *include '(.*)'", lambda m: (folder / m[1]).read_text(), module.read_text(), flags=re.M
        ).replace("&\n", "")
        if match := re.search(rf":: nearfar_{front}_plan\n(.*?)  end type nearfar_{front}_plan\n", text, re.S):
            return set(re.findall(r"^ *(?:procedure|generic) :: (\w+)", match[1], re.M))
    raise AssertionError(f"no module has the type nearfar_{front}_plan")


def members_of_python(front):
    """The public members of the front's plan, its own and those that all plans have, and its name."""
    package = ROOT / "bindings/python/nearfar"
    classes = {
        node.name: node
        for module in package.glob("_*.py")
        for node in ast.parse(module.read_text()).body
        if isinstance(node, ast.ClassDef)
    }
    name = f"{front.capitalize()}Plan"
    found = {name}
    for body in (classes[n].body for n in ("Handle", "Plan", name)):
        found |= {m.name for m in body if isinstance(m, ast.FunctionDef)}
    return {member for member in found if not member.startswith("_")}


class Bindings(unittest.TestCase):
    def test_files_are_written_by_the_script(self):
        run = subprocess.run(
            [sys.executable, ROOT / "tools/bindings.py", "check"], capture_output=True, text=True, check=False
        )
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_structs_have_their_sizes(self):
        module = bindings.Module(
            [c_headers.struct_of("nearfar_s", "size_t size; const char *a, *b; int n; double x; int flags[3];", "")]
        )
        self.assertEqual(module.size_of(module.structs["nearfar_s"]), (56, 8))

    def test_parameters(self):
        f = c_headers.function_of(
            "void nearfar_f(const int (*fill)[2], int* done, const int64_t* counts, void** data)", ""
        )
        said = [bindings.Module([]).parameter(v, is_pure=False) for v in f.parameters]
        self.assertEqual(
            said,
            [
                ("integer(c_int), intent(in), optional", "fill(2, *)"),
                ("integer(c_int), intent(inout)", "done"),
                ("integer(c_int64_t), intent(in), optional", "counts(*)"),
                ("type(c_ptr), intent(inout)", "data"),
            ],
        )

    def test_the_page_names_what_there_is(self):
        for front in FRONTS:
            cpp, c, fortran, python = names_of(front)
            with self.subTest(front):
                self.assertLessEqual(cpp, members_of_cpp(front))
                self.assertEqual(c, functions_of_c(front))
                self.assertEqual(fortran, procedures_of_fortran(front))
                self.assertEqual(python, members_of_python(front))


def names_without_comments(header):
    found = [name for _, name in undocumented.Scanner(header).scan()]
    return [re.findall(r"\w+", name.rsplit("(", 1)[0].split(" =")[0])[-1] for name in found]


class Comments(unittest.TestCase):
    """Public names are told from others, and comments before and behind declarations are seen."""

    def test_all_public_names_have_one(self):
        run = subprocess.run(
            [sys.executable, ROOT / "tools/undocumented.py"], capture_output=True, text=True, check=False
        )
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_members_of_classes(self):
        header = """namespace nearfar {
            struct state;
            struct bare { int a = 0; };
            /// What it is.
            class told : public base {
             public:
              told();
              told(told&&) noexcept;
              ~told();
              int size() const { return 1; }  ///< elements
              int length() const {  ///< of a line
                return size_;
              }
              /// Two of them.
              std::array<int, 2> pair{};
              std::vector<int> list{}, other{};
              template <class T>
                requires requires(T t) { t.begin(); }
              void take(T t) { use(t); }
             private:
              int size_ = 0;
            };
            namespace detail { int hidden(); }
            }"""
        self.assertEqual(names_without_comments(header), ["bare", "a", "told", "other", "take"])

    def test_declarations_of_c(self):
        header = """#define NEARFAR_MOST 4
            #define NEARFAR_BOXES 8 /**< at most */
            /* not for readers of the reference */
            typedef struct nearfar_thing nearfar_thing;
            typedef struct nearfar_options {
              size_t size; /**< of this */
              int (*call)(void* context);
            } nearfar_options;
            /** Says so. */
            typedef enum nearfar_kind { NEARFAR_A = 0, NEARFAR_B } nearfar_kind;
            NEARFAR_API int nearfar_told(void); /**< how many */
            NEARFAR_API int nearfar_other(int* value);
            """
        wanted = ["NEARFAR_MOST", "nearfar_thing", "nearfar_options", "call", "nearfar_other"]
        self.assertEqual(names_without_comments(header), wanted)

    def test_procedures_of_fortran(self):
        module = undocumented.fortran_modules.Module(undocumented.fortran_modules.FOLDER / "nearfar_halos.f90")
        plan = {p.name: p for p in module.type("nearfar_halo_plan").procedures}
        self.assertIn("ghosts=", plan["add"].comment)
        self.assertEqual(plan["add"].heads, ["(array, ghosts, fill, grid, stat, errmsg)"])
        module.text = re.sub(r"^ *!> .*$", "", module.text, flags=re.M)
        module.heads = {m[2].lower(): m for m in undocumented.fortran_modules.HEAD.finditer(module.text)}
        module.types = {m[1]: m for m in undocumented.fortran_modules.TYPE.finditer(module.text)}
        bare = {p.name: p for p in module.type("nearfar_halo_plan").procedures}
        self.assertEqual(bare["add"].comment, "")


class Pages(unittest.TestCase):
    """tools/site.py; loaded by its path, since Python has a module `site` of its own."""

    @classmethod
    def setUpClass(cls):
        spec = importlib.util.spec_from_file_location("site_of_pages", ROOT / "tools/site.py")
        cls.site = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cls.site)

    def test_links_are_found_outside_of_code(self):
        text = "[a](x.md) [b](y.md#z)\n```\n[c](w.md)\n```\n[d](https://e.org) [f](#g)\n"
        found = []
        self.site.replaced_links(text, lambda match: found.append(match[2]) or "")
        self.assertEqual(found, ["x.md", "y.md"])


if __name__ == "__main__":
    unittest.main()
