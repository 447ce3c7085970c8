// SPDX-License-Identifier: BSD-3-Clause
// File plans as bytes, and the names of files.
#include "formats/file_plan.hpp"

namespace nearfar::output {

namespace {

/// Members that are plain values, in one order for both directions.
template <class File, class Do>
void each_value(File& f, Do what) {
  what(f.digits), what(f.is_per_step), what(f.is_of_one_writer), what(f.bytes), what(f.time_at);
}

template <class T>
void get_value(byte_reader& from, T& value) {
  value = from.get<T>();
}

void put_file(byte_writer& to, const stream_file& f) {
  put_string(to, f.before), put_string(to, f.after);
  each_value(f, [&](const auto& value) { to.put(value); });
  to.put(f.pieces.size());
  for (const fixed_piece& p : f.pieces) to.put(p.offset), to.put_list(p.bytes);
  to.put_list(f.counts);
}

stream_file get_file(byte_reader& from) {
  stream_file f;
  f.before = get_string(from), f.after = get_string(from);
  each_value(f, [&](auto& value) { get_value(from, value); });
  f.pieces.resize(from.get<std::size_t>());
  for (fixed_piece& p : f.pieces) p.offset = from.get<index_t>(), p.bytes = from.get_list<std::byte>();
  f.counts = from.get_list<step_count>();
  return f;
}

}  // namespace

void put_string(byte_writer& to, const std::string& s) { to.put_list(std::vector<char>(s.begin(), s.end())); }

std::string get_string(byte_reader& from) {
  const auto chars = from.get_list<char>();
  return {chars.begin(), chars.end()};
}

std::string stream_file::path(index_t step) const {
  if (!is_per_step) return before + after;
  std::string number = text(step);
  if (as_index(number.size()) < digits) number.insert(0, as_size(digits) - number.size(), '0');
  return before + number + after;
}

void file_plan::put(byte_writer& to) const {
  to.put(files.size());
  for (const stream_file& f : files) put_file(to, f);
  to.put(headers.size());
  for (const header_file& h : headers)
    to.put(h.kind), put_string(to, h.path), put_string(to, h.constants), to.put(h.axis);
  to.put_list(places);
  to.put(most_steps), to.put(layout);
  put_string(to, adios2);
}

file_plan file_plan::get(byte_reader& from) {
  file_plan p;
  p.files.resize(from.get<std::size_t>());
  for (stream_file& f : p.files) f = get_file(from);
  p.headers.resize(from.get<std::size_t>());
  for (header_file& h : p.headers) {
    h.kind = from.get<header_kind>();
    h.path = get_string(from), h.constants = get_string(from);
    h.axis = from.get<int>();
  }
  p.places = from.get_list<array_place>();
  p.most_steps = from.get<index_t>(), p.layout = from.get<int>();
  p.adios2 = get_string(from);
  return p;
}

}  // namespace nearfar::output
