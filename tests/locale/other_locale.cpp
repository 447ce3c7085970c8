// SPDX-License-Identifier: BSD-3-Clause
// To be preloaded: before main, numbers of C++ streams become 1.234,5, and those of C where LOCPATH has such a locale.
#include <clocale>
#include <locale>
#include <string>

namespace {

struct grouped : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

[[gnu::constructor]] void choose() {
  std::setlocale(LC_NUMERIC, "comma");
  std::locale::global(std::locale(std::locale(), new grouped));  // has no name, so C keeps its own
}

}  // namespace
