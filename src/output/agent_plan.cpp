// SPDX-License-Identifier: BSD-3-Clause
// What a writer has to know, as bytes and back.
#include "agent.hpp"

namespace nearfar::output {

namespace {

void put(byte_writer& to, const std::string& s) { to.put_list(std::vector<char>(s.begin(), s.end())); }

std::string get(byte_reader& from) {
  const auto chars = from.get_list<char>();
  return {chars.begin(), chars.end()};
}

/// The members that are plain values, in one order for both directions.
template <class Plan, class Do>
void each_value(Plan& p, Do what) {
  what(p.first_step), what(p.journal_from), what(p.writer), what(p.writers), what(p.signature), what(p.is_direct);
  what(p.is_summed), what(p.is_synced), what(p.throttle_bytes_per_s), what(p.axis), what(p.layout.frame_bytes);
}

}  // namespace

std::string journal_path(const std::string& path) { return path + ".journal"; }

std::vector<std::byte> agent_plan::to_bytes() const {
  byte_writer to;
  put(to, journal);
  to.put(files.size());
  for (const array_files& f : files) put(to, f.data), put(to, f.header), put(to, f.constants);
  for (const array_shape& a : layout.arrays) to.put_list(a.extents), to.put(a.element_bytes);
  to.put_list(layout.bricks);
  each_value(*this, [&](const auto& value) { to.put(value); });
  return to.take();
}

agent_plan agent_plan::from_bytes(const std::vector<std::byte>& bytes) {
  byte_reader from(bytes);
  agent_plan p;
  p.journal = get(from);
  p.files.resize(from.get<std::size_t>());
  for (array_files& f : p.files) f.data = get(from), f.header = get(from), f.constants = get(from);
  p.layout.arrays.resize(p.files.size());
  for (array_shape& a : p.layout.arrays) a.extents = from.get_list<index>(), a.element_bytes = from.get<index>();
  p.layout.bricks = from.get_list<brick>();
  each_value(p, [&](auto& value) { value = from.get<std::remove_reference_t<decltype(value)>>(); });
  return p;
}

void write_headers(const agent_plan& plan, const step_axis& axis, bool is_synced) {
  for (std::size_t a = 0; a < plan.files.size(); ++a) {
    const int step_axis_number = static_cast<int>(plan.layout.arrays[a].extents.size()) + 1;
    replace_file(plan.files[a].header, rsf_header(plan.files[a].constants, step_axis_number, axis), is_synced);
  }
}

}  // namespace nearfar::output
