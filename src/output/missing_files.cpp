// SPDX-License-Identifier: BSD-3-Clause
// Sizes that files must have at least, and those that they have.
#include "missing_files.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

namespace nearfar::output {

namespace {

std::string words_about(const std::string& path, index_t there, index_t least) {
  if (there < 0) return path + " is missing";
  return text(path, " is too short: it has ", there, " bytes, and ", least, " are the least");
}

std::string missing_of_own_file(const stream_file& f, index_t step) {
  const index_t least = std::max<index_t>(f.bytes, 1), there = std::max(size_of(f.path(step)), size_of(f.part(step)));
  return there >= least ? "" : words_about(f.path(step), there, least);
}

}  // namespace

index_t size_of(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  return missing ? -1 : static_cast<index_t>(size);
}

std::string missing_of_step(const writer_plan& plan, index_t step) {
  for (const stream_file& f : plan.files.files)
    if (std::string words = f.is_per_step ? missing_of_own_file(f, step) : std::string(); !words.empty()) return words;
  for (std::size_t a = 0; a < plan.files.places.size() && a < plan.layout.arrays.size(); ++a) {
    const array_place& p = plan.files.places[a];
    const array_shape& shape = plan.layout.arrays[a];
    if (plan.files.files.empty() || plan.files.files[as_size(p.file)].is_per_step || (shape.is_constant && step > 0))
      continue;
    const std::string path = plan.files.files[as_size(p.file)].path(0);
    index_t least = 0;
    if (__builtin_mul_overflow(step, p.stride, &least) ||
        __builtin_add_overflow(least, p.offset + shape.frame_bytes(), &least))
      least = std::numeric_limits<index_t>::max();
    if (const index_t there = size_of(path); there < least) return words_about(path, there, least);
  }
  return "";
}

std::string keep_whole_steps(const writer_plan& plan, journal_contents& c) {
  for (index_t s = 0; s < c.steps(); ++s)
    if (std::string words = missing_of_step(plan, s); !words.empty()) {
      c.keep(s);
      return text("step ", s, " of it cannot be had: ", words);
    }
  return "";
}

}  // namespace nearfar::output
