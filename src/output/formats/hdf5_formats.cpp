// SPDX-License-Identifier: BSD-3-Clause
// Attributes, and plans of files that only their step knows.
#ifdef NEARFAR_HAVE_HDF5
#include "formats/hdf5_formats.hpp"

#include <cstring>

#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

void note_all(hdf5_maker& file, const std::string& object,
              const std::vector<std::pair<std::string, std::string>>& attributes) {
  for (const attribute& a : attributes) {
    const bool of_elements = object != "/" && is_of_elements(a.first);
    const attribute_value v = value_of(a, of_elements);
    if (v.is_words())
      file.note(object, a.first, a.second);
    else
      file.note(object, a.first, v, of_elements);
  }
}

file_plan plan_of_varying_steps(const format_request& r, const std::string& ending) {
  file_plan plan;
  plan.places.resize(r.arrays.size());
  plan.files.push_back({.before = r.path + ".", .after = ending, .digits = 6, .is_per_step = true});
  return plan;
}

fixed_piece piece_of(index_t offset, double value) {
  fixed_piece p{offset, std::vector<std::byte>(sizeof value)};
  std::memcpy(p.bytes.data(), &value, sizeof value);
  return p;
}

}  // namespace nearfar::output
#endif
