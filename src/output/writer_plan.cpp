// SPDX-License-Identifier: BSD-3-Clause
// The plan of a writer as bytes and back.
#include "step_writer.hpp"

namespace nearfar::output {

namespace {

/// The members that are plain values, in one order for both directions.
template <class Plan, class Do>
void each_value(Plan& p, Do what) {
  what(p.first_step), what(p.journal_from), what(p.writer), what(p.writers), what(p.signature), what(p.is_direct);
  what(p.is_summed), what(p.is_synced), what(p.throttle_bytes_per_s), what(p.layout.frame_bytes);
  what(p.layout.table_bytes), what(p.format), what(p.turn);
}

}  // namespace

std::string journal_path(const std::string& path) { return path + ".journal"; }

std::vector<std::byte> writer_plan::to_bytes() const {
  byte_writer to;
  put_string(to, journal);
  files.put(to);
  to.put(layout.arrays.size());
  for (const array_shape& a : layout.arrays)
    to.put_list(a.extents), to.put(a.element_bytes), to.put(a.is_varying), to.put(a.is_constant);
  to.put_list(layout.bricks);
  to.put_list(codecs);
  each_value(*this, [&](const auto& value) { to.put(value); });
  return to.take();
}

writer_plan writer_plan::from_bytes(const std::vector<std::byte>& bytes) {
  byte_reader from(bytes);
  writer_plan p;
  p.journal = get_string(from);
  p.files = file_plan::get(from);
  p.layout.arrays.resize(from.get<std::size_t>());
  for (array_shape& a : p.layout.arrays)
    a.extents = from.get_list<index_t>(), a.element_bytes = from.get<index_t>(), a.is_varying = from.get<bool>(),
    a.is_constant = from.get<bool>();
  p.layout.bricks = from.get_list<brick>();
  p.codecs = from.get_list<codec>();
  each_value(p, [&](auto& value) { value = from.get<std::remove_reference_t<decltype(value)>>(); });
  return p;
}

int writer_plan::file_of(const brick& b) const noexcept {
  const array_place& p = files.places[as_size(b.array)];
  if (!is_compressed(b)) return p.file;
  const auto& extents = layout.arrays[as_size(b.array)].extents;
  index_t number = 0;
  for (std::size_t d = 0; d < extents.size(); ++d)
    number = number * ((extents[d] + p.chunk[d] - 1) / p.chunk[d]) + b.where.lower[d] / p.chunk[d];
  return p.file + static_cast<int>(number);
}

index_t writer_plan::place_of(const step_layout& in, const brick& b) const noexcept {
  if (is_compressed(b)) return 0;
  const array_shape& a = layout.arrays[as_size(b.array)];
  return in.begins[as_size(b.array)] + offset_in(whole_of(a), b.where) * a.element_bytes;
}

step_layout writer_plan::layout_of(index_t step, const std::byte* frame) const {
  if (layout.table_bytes > 0) return step_layout::from_table(layout, frame);
  step_layout l;
  l.bricks = layout.bricks;
  for (const array_place& p : files.places) l.begins.push_back(p.offset + step * p.stride);
  return l;
}

}  // namespace nearfar::output
