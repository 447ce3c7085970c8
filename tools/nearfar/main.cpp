// SPDX-License-Identifier: BSD-3-Clause
// nearfar: the command beside the library.
#include <cstdio>
#include <exception>
#include <locale>
#include <nearfar/error.hpp>

#include "arguments.hpp"
#include "version_text.h"

namespace {

using namespace nearfar::command;

constexpr const char* usage =
    "usage: nearfar info | doctor | methods | bench | model [OPTION...]\n"
    "       nearfar --help | --version\n"
    "\n"
    "  info      what this Nearfar was built with and what it finds here\n"
    "  doctor    what commonly goes wrong on this machine, and what to do; also as mpirun -n N nearfar doctor\n"
    "  methods   the methods of each front, as options and NEARFAR_METHOD name them\n"
    "  bench     plans against plain MPI here (mpirun -n N nearfar bench); --fit FILE writes a machine file\n"
    "  model     what plans send, hold and take on machines that are not here\n"
    "\n"
    "Each has --help and --json. Ends with 0; 1: something is wrong here (doctor), or failed; 2: wrong words.\n";

struct subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>&);
};
constexpr subcommand all[] = {
    {"info", run_info}, {"doctor", run_doctor}, {"methods", run_methods}, {"bench", run_bench}, {"model", run_model}};

}  // namespace

int main(int argc, char** argv) {
  std::locale::global(std::locale::classic());  // also C's: numbers are read and written alike everywhere
  const std::string first = argc > 1 ? argv[1] : "";
  const std::vector<std::string> words(argv + (argc > 2 ? 2 : argc), argv + argc);
  try {
    if (first == "--version") return std::printf("nearfar %s\n", NEARFAR_VERSION_TEXT) < 0;
    if (first == "--help" || first == "help") return std::printf("%s", usage) < 0;
    for (const subcommand& s : all)
      if (first == s.name) {
        const int status = s.run(words);
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
          throw nearfar::io_error("standard output cannot be written");
        return status;
      }
    std::fprintf(stderr, "%s", usage);
    return 2;
  } catch (const nearfar::usage_error& e) {
    std::fprintf(stderr, "nearfar %s: %s\n", first.c_str(), e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nearfar %s: %s\n", first.c_str(), e.what());
    return 1;
  }
}
