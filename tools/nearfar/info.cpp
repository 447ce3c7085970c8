// SPDX-License-Identifier: BSD-3-Clause
// nearfar info and nearfar methods: the version, the MPI, what was found when it was built and what is found now.
#include <nearfar/built_with.h>

#include <cstdio>
#include <fstream>
#include <nearfar/mpi.hpp>
#include <nearfar/plan_options.hpp>
#include <nlohmann/json.hpp>
#include <thread>
#include <topology/team_state.hpp>
#include <tune/wisdom.hpp>

#include "arguments.hpp"
#include "version_text.h"

namespace nearfar::command {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* info_usage =
    "usage: nearfar info [--json]\n"
    "The version, the MPI, what was found when this Nearfar was built and what is found where it runs.\n";
constexpr const char* methods_usage =
    "usage: nearfar methods [FRONT...] [--json]\n"
    "The methods of the fronts (of all of them), as options and NEARFAR_METHOD name them.\n";

std::string first_line(const std::string& words) { return words.substr(0, words.find('\n')); }

std::size_t lines_of(const std::string& file) {
  std::ifstream in(file);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) ++count;
  return count;
}

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

int run_info(const std::vector<std::string>& words) {
  const arguments a(words, {});
  if (a.has("help")) return std::printf("%s", info_usage) < 0;
  const std::string wisdom = tune::wisdom_path();
  const json all = {{"version", NEARFAR_VERSION_TEXT},
                    {"built_with", NEARFAR_BUILT_WITH},
                    {"mpi_here", first_line(mpi_library())},
                    {"found_when_built", words_in(NEARFAR_FOUND_PARTS)},
                    {"not_found_when_built", words_in(NEARFAR_MISSING_PARTS)},
                    {"hardware_threads", std::thread::hardware_concurrency()},
                    {"wisdom", wisdom.empty() ? "off" : wisdom},
                    {"wisdom_records", wisdom.empty() ? 0 : lines_of(wisdom)},
                    {"fronts", fronts()}};
  if (a.is_json()) return std::printf("%s\n", all.dump(2).c_str()) < 0;
  for (const auto& [name, value] : all.items()) {
    std::string line;
    if (value.is_array())
      for (const auto& word : value) line += (line.empty() ? "" : " ") + word.get<std::string>();
    else
      line = value.is_string() ? value.get<std::string>() : value.dump();
    std::printf("%-22s %s\n", name.c_str(), line.c_str());
  }
  return 0;
}

int run_methods(const std::vector<std::string>& words) {
  const arguments a(words, {}, {}, fronts().size());
  if (a.has("help")) return std::printf("%s", methods_usage) < 0;
  json all = json::object();
  for (const std::string& front : a.others().empty() ? fronts() : a.others())
    for (const method_info& m : methods(front))
      all[front].push_back({{"name", m.name},
                            {"near", m.near},
                            {"far", m.far},
                            {"candidate", m.is_candidate},
                            {"description", m.description}});
  if (a.is_json()) return std::printf("%s\n", all.dump(2).c_str()) < 0;
  for (const auto& [front, list] : all.items()) {
    std::printf("%s\n", front.c_str());
    for (const auto& m : list)
      std::printf("  %-24s %s%s%s\n", m["name"].get<std::string>().c_str(), m["description"].get<std::string>().c_str(),
                  m["near"].get<bool>() && m["far"].get<bool>() ? ""
                  : m["near"].get<bool>()                       ? " (near)"
                                                                : " (far)",
                  m["candidate"].get<bool>() ? "" : " (not raced)");
  }
  return 0;
}

}  // namespace nearfar::command
