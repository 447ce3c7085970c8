// SPDX-License-Identifier: BSD-3-Clause
// What the library says of streams, for fuzz_nearfar_output.py:  judge_streams < PATHS. A line per path, with tabs:
// "refused" and the words of verify_output(), or a letter per step (s: sound, d: damaged, u: unknown) and the first
// reason; then what a reader of all arrays says of all steps, "" where it has read them; the seconds it took, and the
// most memory that the process had, in MB.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nearfar/nearfar.hpp>
#include <nearfar/output_reader.hpp>

namespace {

/// A line of words.
std::string flat(std::string words) {
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return words.substr(0, 600);
}

std::string opinion_on(const std::string& path) {
  try {
    std::string letters, reason;
    for (const auto& r : nearfar::verify_output(path)) {
      letters += r.state == nearfar::output_soundness::sound     ? 's'
                 : r.state == nearfar::output_soundness::damaged ? 'd'
                                                                 : 'u';
      if (reason.empty()) reason = r.reason;
    }
    return letters + "\t" + flat(reason);
  } catch (const nearfar::error& e) {
    return "refused\t" + flat(e.what());
  }
}

std::string reading_of(const nearfar::team& alone, const std::string& path) {
  try {
    nearfar::output_reader in(alone, path);
    std::vector<nearfar::output_selection> all;
    for (const nearfar::output_array& a : in.arrays()) {
      nearfar::box whole{static_cast<int>(a.extents.size()), {}, {}};
      std::copy(a.extents.begin(), a.extents.end(), whole.upper.begin());
      all.push_back({.name = a.name, .wanted = whole});
    }
    if (in.steps().empty()) return "no step";
    in.select(all);
    for (std::size_t s = 0; s < in.steps().size(); ++s) in.begin_step(static_cast<nearfar::index_t>(s)), in.end_step();
    return "";
  } catch (const nearfar::error& e) {
    return flat(e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const nearfar::runtime mpi{argc, argv};
  const nearfar::team alone = mpi.world();
  for (std::string path; std::getline(std::cin, path);) {
    const auto began = std::chrono::steady_clock::now();
    const std::string opinion = opinion_on(path), reading = reading_of(alone, path);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::cout << path << '\t' << opinion << '\t' << reading << '\t' << took.count() << '\t' << used.ru_maxrss / 1024
              << std::endl;
  }
}
