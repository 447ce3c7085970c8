// SPDX-License-Identifier: BSD-3-Clause
// Attributes, and plans of files that only their step knows.
#ifdef NEARFAR_HAVE_HDF5
#include "formats/hdf5_formats.hpp"

#include <cstring>

#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

bool is_of_elements(const std::string& key) { return key == "_FillValue" || key == "missing_value"; }

}  // namespace

void note_all(hdf5_maker& file, const std::string& object,
              const std::vector<std::pair<std::string, std::string>>& attributes) {
  for (const auto& [key, value] : attributes) {
    const auto numbers = numbers_in({key, value});
    if (numbers.empty())
      file.note(object, key, value);
    else if (object != "/" && is_of_elements(key))
      file.note_alike(object, key, numbers[0]);
    else
      file.note(object, key, numbers);
  }
}

file_plan plan_of_varying_steps(const format_request& r, const std::string& ending) {
  file_plan plan;
  plan.places.resize(r.arrays.size());
  plan.files.push_back({.before = r.path + ".", .after = ending, .digits = 6, .is_per_step = true});
  return plan;
}

fixed_piece piece_of(index offset, double value) {
  fixed_piece p{offset, std::vector<std::byte>(sizeof value)};
  std::memcpy(p.bytes.data(), &value, sizeof value);
  return p;
}

}  // namespace nearfar::output
#endif
