// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/recordings.hpp>
#include <filesystem>

namespace seismic {

namespace {

constexpr std::array all_quantities{quantity::pressure, quantity::dp_dx, quantity::dp_dy, quantity::dp_dz,
                                    quantity::vx,       quantity::vy,    quantity::vz};
static_assert(all_quantities.size() == quantities.size());

bool has(const receiver_group& group, quantity q) {
  return std::find(group.quantities.begin(), group.quantities.end(), q) != group.quantities.end();
}

std::size_t count_of(const settings& s, quantity q) {
  std::size_t count = 0;
  for (const receiver_group& group : s.receiver_groups) count += has(group, q) ? group.count : 0;
  return count;
}

template <class Predicate>
bool records(const settings& s, const Predicate& is_meant) {
  return std::any_of(all_quantities.begin(), all_quantities.end(),
                     [&](quantity q) { return is_meant(facts_of(q)) && count_of(s, q) > 0; });
}

}  // namespace

std::vector<recording> recordings_of(const settings& what) {
  std::vector<recording> all;
  for (const quantity q : all_quantities)
    for (const receiver_group& group : what.receiver_groups)
      for (std::size_t n = 0; has(group, q) && n < group.count; ++n)
        all.push_back({q, group.first + n, group.density_kg_m3});
  return all;
}

std::string gather_file(const settings& what, quantity of) {
  const std::filesystem::path file = what.gathers.file;
  return (file.parent_path() / (file.stem().string() + std::string(facts_of(of).ending) + file.extension().string()))
      .string();
}

std::vector<std::string> gather_files(const settings& what) {
  std::vector<std::string> files;
  for (const quantity q : all_quantities)
    if (!what.gathers.file.empty() && count_of(what, q) > 0) files.push_back(gather_file(what, q));
  return files;
}

bool records_pressure_alone(const settings& what) {
  return !records(what, [](const quantity_facts& f) { return f.along >= 0; });
}

bool records_velocities(const settings& what) {
  return records(what, [](const quantity_facts& f) { return f.is_velocity; });
}

int receiver_ghosts(const settings& what) {
  if (what.receivers_m.empty()) return 0;
  return std::max(what.run.tap_half_width, records_pressure_alone(what) ? 0 : slope_half_width);
}

std::string words_of_recordings(const settings& what) {
  std::string words;
  for (const quantity q : all_quantities)
    if (const std::size_t count = count_of(what, q); count > 0)
      words += (words.empty() ? "" : ", ") + std::string(facts_of(q).name) + " of " + std::to_string(count);
  return words;
}

}  // namespace seismic
